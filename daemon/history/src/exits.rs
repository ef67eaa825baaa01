//! Calls that ended the whole program: `System.exit` and its like, which never return.

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{EventKind, Outcome, State, ThreadId, Timestamp, Value};

use crate::error::Result;
use crate::exceptions::Fate;
use crate::history::{History, unless_lost};
use crate::reference::MethodName;
use crate::view::{CallView, PlaceView};

/// What ends a program.
const EXITS: [&str; 3] = [
    "java.lang.System.exit(I)V",
    "java.lang.Runtime.exit(I)V",
    "java.lang.Runtime.halt(I)V",
];

/// So many events at a thread's end are looked at: the ends of its calls.
const MOST_ENDINGS: usize = 100_000;

/// A call that ended the program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramExit {
    /// When.
    pub timestamp: Timestamp,
    /// The exit code that it was given, where that is recorded.
    pub code: Option<i32>,
    /// The call of `exit` or `halt`; `None` where it is not recorded, because it did not return.
    pub call: Option<CallView>,
    /// Who called it; `None` where that is not in the scope. Without `call`, what ran in a thread when the program ended.
    pub caller: Option<CallView>,
    /// Where; without `call`, where its last event was.
    pub place: Option<PlaceView>,
}

impl History {
    /// The calls that ended the program: more than one where several threads did so at once.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn exits(&self) -> Result<Vec<ProgramExit>> {
        let mut exits = Vec::new();
        for name in EXITS {
            let Some(name) = MethodName::parse(name) else {
                continue;
            };
            let methods = match self.recording.lost_classes() {
                Some(_) => self.methods_named(name).unwrap_or_default(),
                None => self.methods_named(name)?,
            };
            for method in methods {
                // Usually one: it does not return. A security manager of old may have refused others.
                let Some(last) = unless_lost(self.recording.invocations(method.id).map(Some))?
                    .and_then(|calls| calls.checked_sub(1))
                else {
                    continue;
                };
                let Some(record) = self.recording.call_by_invocation(method.id, last)? else {
                    continue;
                };
                // The end of its thread is all that ended it, if something did.
                let ended = self.recording.outcome(&record)?;
                if !matches!(ended, None | Some(Outcome::Unknown)) {
                    continue;
                }
                let code = match self.given(&record)?.arguments.as_slice() {
                    [Value::Int(code)] => Some(*code),
                    _ => None,
                };
                let caller = match record.parent.is_root() {
                    true => None,
                    false => Some(self.call(self.recording.call(record.parent)?, true)?),
                };
                let call = self.call(record, true)?;
                exits.push(ProgramExit {
                    timestamp: record.enter,
                    code,
                    place: call.call_site.clone(),
                    call: Some(call),
                    caller,
                });
            }
        }
        if exits.is_empty() {
            exits.extend(self.ended_within_a_call()?);
        }
        exits.sort_by_key(|exit| exit.timestamp);
        Ok(exits)
    }

    /// What ran when the program ended with a code that it gave itself (signals make it 128 and more). Of several
    /// threads nobody knows which one it was: the first began the program.
    fn ended_within_a_call(&self) -> Result<Option<ProgramExit>> {
        let State::Complete {
            exit_code: Some(code @ 1..128),
        } = self.recording.meta().state
        else {
            return Ok(None);
        };
        // An exception that ended a thread explains the code by itself.
        let uncaught = self.uncaught()?.exceptions;
        if uncaught.iter().any(|one| one.fate == Fate::EndedThread) {
            return Ok(None);
        }
        for thread in self.recording.thread_ids() {
            if let Some(record) = self.innermost_at_the_end(thread)? {
                return Ok(Some(ProgramExit {
                    timestamp: record.exit.unwrap_or_else(|| self.last_event()),
                    code: Some(code),
                    call: None,
                    place: self.last_place(&record)?,
                    caller: Some(self.call(record, true)?),
                }));
            }
        }
        Ok(None)
    }

    /// The innermost call of a thread that the end of the program ended.
    fn innermost_at_the_end(&self, thread: ThreadId) -> Result<Option<CallRecord>> {
        let everything = Timestamp(0)..self.recording.end();
        let mut innermost = None;
        for event in self
            .recording
            .events(everything, Some(thread), Direction::Backward)
            .take(MOST_ENDINGS)
        {
            self.check()?;
            let event = event?.event;
            match event.kind {
                EventKind::Exit {
                    outcome: Outcome::Unknown,
                } => innermost = Some(event.call),
                EventKind::ThreadEnd | EventKind::Gap { .. } | EventKind::Monitor { .. } => {}
                found if found.is_found() => {}
                _ => break,
            }
        }
        innermost.map(|call| self.record(call)).transpose()
    }

    fn last_place(&self, record: &CallRecord) -> Result<Option<PlaceView>> {
        let end = record.exit.unwrap_or_else(|| self.recording.end());
        let mut own = self
            .recording
            .own_events(record.id, record.enter..end, Direction::Backward);
        let Some(last) = own.next().transpose()? else {
            return Ok(None);
        };
        if last.event.call == record.id {
            return self.place_in(record.id, last.event.index);
        }
        let child = self.recording.call(last.event.call)?;
        self.place_in(record.id, child.call_site)
    }
}
