//! What is known of calls without asking: from equal calls of the session, and from the recording that it is held against.

use std::ops::Deref;
use std::sync::Arc;

use jhyde_debugging::sessions::Error;
use jhyde_debugging::{Answer, Answers, Given, Knowledge, Known, Source};
use jhyde_history::History;
use jhyde_history::content::CallContent;
use jhyde_history::error::Result as HistoryResult;
use jhyde_store::Recording;
use jhyde_store::records::{Arguments, CallRecord};
use jhyde_trace::{CallId, Content, MethodId, Value};

use super::contents::{Contents, Side};
use super::property;
use crate::daemon::Daemon;

/// Calls of one method that are looked at in the other recording, at most: those with the nearest invocations. A call
/// costs some ten microseconds.
const MOST_NEAR: u64 = 64;
/// So many of them are compared by content, each in about a millisecond.
const MOST_COMPARED: usize = 4;

/// Who knows, for one request about one recording.
#[derive(Debug)]
pub(super) struct Knower<'a> {
    daemon: &'a Daemon,
    contents: &'a Contents,
    own: Side<'a>,
    attended: Arc<Recording>,
}

/// An equal input in the other recording.
pub(super) struct There {
    pub(super) call: CallId,
    /// It yielded the same, by the same code.
    pub(super) is_equal: bool,
    /// It yielded something else.
    pub(super) differs: bool,
}

impl Deref for Knower<'_> {
    type Target = History;

    fn deref(&self) -> &History {
        &self.own.history
    }
}

impl<'a> Knower<'a> {
    pub(super) fn new(
        daemon: &'a Daemon,
        contents: &'a Contents,
        history: History,
        attended: Arc<Recording>,
    ) -> Self {
        Self {
            daemon,
            contents,
            own: Side::new(history, contents),
            attended,
        }
    }

    /// The recording, as it is kept open between two questions.
    pub(super) fn attended(&self) -> &Arc<Recording> {
        &self.attended
    }

    /// Where the other recordings are.
    pub(super) fn daemon(&self) -> &Daemon {
        self.daemon
    }

    /// The content of a call of the recording.
    pub(super) fn content(&self, call: CallId) -> HistoryResult<Option<CallContent>> {
        self.own.content(call)
    }

    /// Another recording to compare with.
    pub(super) fn side(&self, other: History) -> Side<'a> {
        Side::new(other, self.contents)
    }

    /// An answered call of the recording that is equal; `None` also where equal calls were answered in two ways.
    fn equal(
        &self,
        answers: &Answers,
        call: CallId,
        content: &CallContent,
    ) -> HistoryResult<Option<Known>> {
        let recording = self.recording();
        let method = recording.call(call)?.method;
        let said = answers.said();
        let mut found: Option<Known> = None;
        for given in answers.given() {
            let answer = match said.get(&given.call) {
                Some(answer @ (Answer::Valid | Answer::Invalid)) => *answer,
                _ => continue,
            };
            if given.call == call || recording.call(given.call)?.method != method {
                continue;
            }
            let other = self.own.content(given.call)?;
            let is_equal = other.is_some_and(|other| content.is_equal(&other));
            match &found {
                _ if !is_equal => {}
                Some(known) if known.answer != answer => return Ok(None),
                Some(_) => {}
                None => {
                    found = Some(Known {
                        call,
                        answer,
                        source: Source::Equal { to: given.call },
                    });
                }
            }
        }
        Ok(found)
    }

    /// An answer that contradicts another one: an equal call was answered the other way.
    pub(super) fn contradicted(
        &self,
        answers: &Answers,
        last: Given,
    ) -> HistoryResult<Option<Given>> {
        let opposite = match last.answer {
            Answer::Valid => Answer::Invalid,
            Answer::Invalid => Answer::Valid,
            _ => return Ok(None),
        };
        let content = match self.own.content(last.call) {
            Err(jhyde_history::Error::Store(jhyde_store::Error::Damaged { .. })) => None,
            content => content?,
        };
        let Some(content) = content else {
            return Ok(None);
        };
        let recording = self.recording();
        let method = recording.call(last.call)?.method;
        let said = answers.said();
        for given in answers.given() {
            let holds = given.answer == opposite && said.get(&given.call) == Some(&opposite);
            if !holds || recording.call(given.call)?.method != method {
                continue;
            }
            let other = self.own.content(given.call)?;
            if other.is_some_and(|other| content.is_equal(&other)) {
                return Ok(Some(*given));
            }
        }
        Ok(None)
    }

    /// A call of the other recording that was given the same.
    pub(super) fn there(
        &self,
        other: &Side<'_>,
        call: CallId,
        content: &CallContent,
    ) -> HistoryResult<Option<There>> {
        let (own, recording) = (self.recording(), other.history.recording());
        let record = own.call(call)?;
        let given = own.arguments(&record)?;
        let mut compared = 0;
        for method in methods(recording, content)? {
            for candidate in near(recording, method, record.invocation)? {
                let known =
                    candidate.exit.is_some() && may_be_given(own, &given, recording, &candidate)?;
                if !known {
                    continue;
                }
                if compared == MOST_COMPARED {
                    return Ok(None);
                }
                compared += 1;
                let Some(found) = other.content(candidate.id)? else {
                    continue;
                };
                if content.is_given_the_same(&found) {
                    let same = content.outcome == found.outcome;
                    return Ok(Some(There {
                        call: candidate.id,
                        is_equal: same && content.body == found.body,
                        differs: !same,
                    }));
                }
            }
        }
        Ok(None)
    }

    fn look_up(&self, answers: &Answers, call: CallId) -> HistoryResult<Option<Known>> {
        let Some(content) = self.own.content(call)? else {
            return Ok(None);
        };
        if let Some(known) = self.equal(answers, call, &content)? {
            return Ok(Some(known));
        }
        let Some(against) = answers.knowing().against.as_ref() else {
            return Ok(None);
        };
        // It may have been deleted meanwhile: then it tells no more.
        let Ok(other) = self.daemon.recording(&against.id) else {
            return Ok(None);
        };
        let other = self.side(History::new(other));
        let there = self.there(&other, call, &content)?;
        Ok(there
            .filter(|there| there.is_equal)
            .map(|there| valid(call, &against.name, there.call)))
    }
}

/// A call is valid, for an equal one of another recording was.
pub(super) fn valid(call: CallId, recording: &str, there: CallId) -> Known {
    Known {
        call,
        answer: Answer::Valid,
        source: Source::Recording {
            recording: recording.to_owned(),
            call: there,
        },
    }
}

impl Knowledge for Knower<'_> {
    fn of(&self, answers: &Answers, call: CallId) -> Result<Option<Known>, Error> {
        told(self.look_up(answers, call))
    }

    fn breaks(&self, answers: &Answers, call: CallId) -> Result<Option<usize>, Error> {
        told(property::broken_by(self, answers.evidence(), call))
    }
}

/// What was found, as sessions take it.
fn told<T>(found: HistoryResult<Option<T>>) -> Result<Option<T>, Error> {
    match found {
        Ok(known) => Ok(known),
        Err(jhyde_history::Error::Cancelled) => Err(Error::Cancelled),
        // What damage hides is asked.
        Err(jhyde_history::Error::Store(jhyde_store::Error::Damaged { .. })) => Ok(None),
        Err(jhyde_history::Error::Store(error)) => Err(Error::Store(error)),
        Err(error) => Err(Error::Compared(Box::new(error))),
    }
}

/// The methods of another recording that have the name of this one: one for each loader that defined its class.
fn methods(recording: &Recording, content: &CallContent) -> HistoryResult<Vec<MethodId>> {
    let mut found = Vec::new();
    for class in recording.classes_named(&content.class) {
        let Some(class) = recording.class(class)? else {
            continue;
        };
        let named = class.methods.iter().filter(|method| {
            method.name == content.method && method.descriptor == content.descriptor
        });
        found.extend(named.map(|method| method.id));
    }
    Ok(found)
}

/// Calls of a method, those first whose invocations are nearest to one: two runs begin alike.
fn near(
    recording: &Recording,
    method: MethodId,
    invocation: u64,
) -> HistoryResult<Vec<CallRecord>> {
    let from = invocation.saturating_sub(MOST_NEAR / 2);
    let mut calls = recording.calls_of_method(method, from, MOST_NEAR as usize)?;
    calls.sort_by_key(|call| call.invocation.abs_diff(invocation));
    Ok(calls)
}

/// May two calls have been given the same? A look at the values themselves, which costs little.
fn may_be_given(
    own: &Recording,
    given: &Arguments,
    other: &Recording,
    candidate: &CallRecord,
) -> HistoryResult<bool> {
    let there = other.arguments(candidate)?;
    if given.arguments.len() != there.arguments.len() {
        return Ok(false);
    }
    let receivers = given.receiver.into_iter().zip(there.receiver);
    let arguments = given.arguments.iter().copied().zip(there.arguments);
    for (one, other_value) in receivers.chain(arguments) {
        let alike = match (one, other_value) {
            (Value::Object(one), Value::Object(another)) => {
                match (own.object(one)?, other.object(another)?) {
                    (Some(one), Some(another)) => match (&one.content, &another.content) {
                        (Content::String(one), Content::String(another)) => one == another,
                        (Content::Box(one), Content::Box(another)) => one == another,
                        (Content::Array(one), Content::Array(another)) => one == another,
                        _ => true,
                    },
                    _ => true,
                }
            }
            (one, another) => one == another,
        };
        if !alike {
            return Ok(false);
        }
    }
    Ok(true)
}
