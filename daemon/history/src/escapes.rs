//! Exceptions that ended no thread, and went wrong all the same: they left the scope, so that somebody caught them whom
//! the recording does not show (an executor, a reflective call), or a test framework in the scope caught them. Of a
//! failed test the assertion is named, and the call that it looked at.

use std::collections::{HashMap, HashSet};

use jhyde_store::records::{CallRecord, Direction, ExceptionEvent, ExceptionKind};
use jhyde_trace::{CallId, ObjectId, Outcome, Timestamp, Value};

use crate::error::{Error, Result};
use crate::exceptions::{Fate, Uncaught, UncaughtView};
use crate::gaps::or_noted;
use crate::history::History;
use crate::view::CallView;

/// So many are told.
const MOST: usize = 1000;
/// Calls below one call that are read at a time.
const CHILDREN: usize = 1000;

/// Packages of what runs tests or asserts something in them.
const FRAMEWORKS: [&str; 14] = [
    "org.junit.",
    "junit.",
    "org.opentest4j.",
    "org.testng.",
    "org.hamcrest.",
    "org.assertj.",
    "com.google.common.truth.",
    "org.mockito.",
    "org.spockframework.",
    "kotlin.test.",
    "org.scalatest.",
    "org.apache.maven.surefire.",
    "org.gradle.",
    "io.kotest.",
];

/// Methods that catch what they were told to expect.
const EXPECTING: [&str; 8] = [
    "assertThrows",
    "assertThrowsExactly",
    "expectThrows",
    "assertThatThrownBy",
    "assertThatExceptionOfType",
    "catchThrowable",
    "catchThrowableOfType",
    "catchException",
];

/// A test that an exception failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedTest {
    /// The test's own method: the outermost call that is not the framework's.
    pub test: CallView,
    /// The framework's call that found something wrong; `None` where the exception came out of what was tested.
    pub assertion: Option<CallView>,
    /// The call that the assertion looked at, as far as one can tell: the last that had ended before it. Or the call
    /// out of which the exception came.
    pub under_test: Option<CallView>,
}

fn is_framework(class: &str) -> bool {
    FRAMEWORKS.iter().any(|package| class.starts_with(package))
}

impl History {
    /// Adds the exceptions that this module is about, behind those that nobody caught.
    pub(crate) fn add_escapes(&self, all: &mut Uncaught) -> Result<()> {
        let mut known: HashMap<ObjectId, Option<usize>> = HashMap::new();
        for one in &all.exceptions {
            if let Some(exception) = one.value.and_then(Value::object) {
                known.insert(exception, None);
            }
        }
        let mut expected = HashSet::new();
        let everything = Timestamp(0)..self.recording.end();
        for event in self.recording.exceptions(everything, Direction::Forward) {
            self.check()?;
            let Some(event) = or_noted(event.map_err(Error::from), &mut all.notes)? else {
                continue;
            };
            if event.kind != ExceptionKind::Thrown || event.call.is_root() {
                continue;
            }
            let Some(exception) = event.exception.object() else {
                continue;
            };
            let known_at = known.get(&exception).copied();
            if known_at == Some(None) {
                continue;
            }
            let escape = or_noted(self.escape(&event), &mut all.notes)?.flatten();
            let Some(escape) = escape else {
                continue;
            };
            if escape.expected {
                expected.insert(exception);
                continue;
            }
            // The framework hands on what a reflective call brought.
            if let Some(told) = known_at.flatten().and_then(|at| all.exceptions.get_mut(at)) {
                told.fate = escape.fate;
                told.caught_by = escape.caught_by;
                continue;
            }
            if !escape.of_the_program {
                continue;
            }
            if all.exceptions.len() >= MOST {
                all.notes.push(format!(
                    "only the first {MOST} exceptions are told; `jhyde events` lists all that were thrown"
                ));
                break;
            }
            let told = self.told(&event, escape);
            if let Some(told) = or_noted(told, &mut all.notes)? {
                known.insert(exception, Some(all.exceptions.len()));
                all.exceptions.push(told);
            }
        }
        all.exceptions.retain(|one| {
            let exception = one.value.and_then(Value::object);
            one.fate == Fate::EndedThread || exception.is_none_or(|it| !expected.contains(&it))
        });
        for one in &mut all.exceptions {
            one.test = or_noted(self.failed_test(one), &mut all.notes)?.flatten();
        }
        Ok(())
    }

    /// What became of an exception that was thrown here; `None` where the program itself caught it.
    fn escape(&self, event: &ExceptionEvent) -> Result<Option<Escape>> {
        let thrower = self.recording.call(event.call)?;
        // Most exceptions are caught where they are thrown.
        if !self.ends_by(&thrower, event.exception)? {
            return self.in_the_scope(Vec::new(), thrower);
        }
        let mut ended = self.ended_by(event.call, event.exception)?;
        // It may have come from a call out of the scope, an assertion perhaps.
        if let Some(source) = self.last_child_before(event.call, event.timestamp, |_| Ok(true))?
            && self.ends_by(&source, event.exception)?
        {
            ended.insert(0, source);
        }
        let Some(outermost) = ended.last() else {
            return Ok(None);
        };
        if outermost.parent.is_root() {
            return self.escaped(Fate::LeftScope, ended, None).map(Some);
        }
        let caller = self.recording.call(outermost.parent)?;
        match caller.boundary {
            true => {
                let caller = self.call(caller, false)?;
                self.escaped(Fate::LeftScope, ended, Some(caller)).map(Some)
            }
            false => self.in_the_scope(ended, caller),
        }
    }

    /// Caught by a call of the scope, which is worth a word if that is a test framework's.
    fn in_the_scope(&self, ended: Vec<CallRecord>, catcher: CallRecord) -> Result<Option<Escape>> {
        if !self.runs_framework(&catcher)? {
            return Ok(None);
        }
        let catcher = self.call(catcher, false)?;
        self.escaped(Fate::Caught, ended, Some(catcher)).map(Some)
    }

    fn escaped(
        &self,
        fate: Fate,
        ended: Vec<CallRecord>,
        caught_by: Option<CallView>,
    ) -> Result<Escape> {
        let mut of_the_program = false;
        for record in ended.iter().filter(|record| !record.boundary) {
            of_the_program |= !self.runs_framework(record)?;
        }
        let expected = caught_by.as_ref().is_some_and(|call| {
            EXPECTING.contains(&call.method.as_str()) || call.class.ends_with(".ExpectException")
        });
        Ok(Escape {
            fate,
            ended,
            caught_by,
            expected,
            of_the_program,
        })
    }

    fn ends_by(&self, record: &CallRecord, exception: Value) -> Result<bool> {
        Ok(self.recording.outcome(record)? == Some(Outcome::Threw(exception)))
    }

    fn told(&self, event: &ExceptionEvent, escape: Escape) -> Result<UncaughtView> {
        let ended = escape.ended.iter().map(|record| self.call(*record, true));
        Ok(UncaughtView {
            exception: self.value(event.exception)?,
            value: Some(event.exception),
            timestamp: event.timestamp,
            fate: escape.fate,
            caught_by: escape.caught_by,
            call: Some(self.call(self.recording.call(event.call)?, true)?),
            place: self.place_in(event.call, event.index)?,
            thread_name: self.thread_name(event.call.thread)?,
            ended: ended.collect::<Result<_>>()?,
            test: None,
        })
    }

    /// The test among the calls that an exception ended.
    fn failed_test(&self, exception: &UncaughtView) -> Result<Option<FailedTest>> {
        let ended = exception.ended.as_slice();
        let own = |call: &CallView| !call.record.boundary && !is_framework(&call.class);
        let innermost = ended.iter().position(own);
        let (Some(innermost), Some(test)) = (innermost, ended.iter().rposition(own)) else {
            return Ok(None);
        };
        let assertion = innermost
            .checked_sub(1)
            .and_then(|at| ended.get(at))
            .filter(|call| is_framework(&call.class));
        let catcher = exception.caught_by.as_ref();
        if assertion.is_none() && !catcher.is_some_and(|call| is_framework(&call.class)) {
            return Ok(None);
        }
        let under_test = match assertion {
            Some(assertion) => {
                let callers = ended.get(innermost..=test).unwrap_or_default();
                self.last_called(callers, assertion.record.enter)?
            }
            None => test.checked_sub(1).and_then(|at| ended.get(at)).cloned(),
        };
        Ok(ended.get(test).map(|test| FailedTest {
            test: test.clone(),
            assertion: assertion.cloned(),
            under_test,
        }))
    }

    /// The last call of the program's that the first of these callers had made by a time. A helper of a test may have
    /// made none: then the next one, before it called the helper.
    fn last_called(&self, callers: &[CallView], by: Timestamp) -> Result<Option<CallView>> {
        let mut by = by;
        for caller in callers {
            let last = self.last_child_before(caller.record.id, by, |child| {
                Ok(!child.boundary && !self.runs_framework(child)?)
            })?;
            if let Some(last) = last {
                return self.call(last, true).map(Some);
            }
            by = caller.record.enter;
        }
        Ok(None)
    }

    /// The last wanted call below a call that had ended by a time.
    fn last_child_before(
        &self,
        call: CallId,
        time: Timestamp,
        wanted: impl Fn(&CallRecord) -> Result<bool>,
    ) -> Result<Option<CallRecord>> {
        let (mut found, mut after) = (None, None);
        loop {
            self.check()?;
            let children = self.recording.children(call, after, CHILDREN)?;
            for child in &children {
                if child.exit.is_none_or(|exit| exit > time) {
                    return Ok(found);
                }
                if wanted(child)? {
                    found = Some(*child);
                }
            }
            match children.last() {
                Some(last) if children.len() == CHILDREN => after = Some(last.id),
                _ => return Ok(found),
            }
        }
    }

    fn runs_framework(&self, record: &CallRecord) -> Result<bool> {
        let method = self.method(record.method)?;
        Ok(method.is_some_and(|method| is_framework(&method.class.name)))
    }
}

/// An exception that went out of calls.
struct Escape {
    fate: Fate,
    /// The calls that it ended, innermost first.
    ended: Vec<CallRecord>,
    /// Who caught it, or had called back into the scope; `None` where nobody of that is recorded.
    caught_by: Option<CallView>,
    /// Whoever caught it had been told that it would come.
    expected: bool,
    /// A call of the program itself is among those ended: what goes on within a framework is its own business.
    of_the_program: bool,
}
