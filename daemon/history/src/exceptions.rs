//! Exceptions that nobody caught; [`crate::escapes`] adds those that somebody caught whom the recording does not show.

use jhyde_store::records::{CallRecord, Direction, ExceptionKind, TimedEvent};
use jhyde_trace::{CallId, EventKind, Outcome, Timestamp, Value};

use crate::error::{Error, Result};
use crate::escapes::FailedTest;
use crate::gaps::or_noted;
use crate::history::History;
use crate::view::{CallView, PlaceView, ValueView};

/// What became of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It left the thread's last frame.
    EndedThread,
    /// It left the calls of the scope, and code out of the scope caught it, or handed it on.
    LeftScope,
    /// A test framework in the scope caught it.
    Caught,
}

/// An exception that left its thread, or the scope, or failed a test.
#[derive(Clone, Debug, PartialEq)]
pub struct UncaughtView {
    /// The exception.
    pub exception: ValueView,
    /// The same by number.
    pub(crate) value: Option<Value>,
    /// When it left the thread; of the others, when it was thrown first.
    pub timestamp: Timestamp,
    /// What became of it.
    pub fate: Fate,
    /// The call that caught it, or that it left the scope to; `None` where that is not recorded.
    pub caught_by: Option<CallView>,
    /// The call in which it was thrown, or the innermost recorded one; `None` if no call was running.
    pub call: Option<CallView>,
    /// Where in it.
    pub place: Option<PlaceView>,
    /// The thread's name.
    pub thread_name: String,
    /// The calls that it ended, innermost first.
    pub ended: Vec<CallView>,
    /// The test that it failed, if it did.
    pub test: Option<FailedTest>,
}

/// The exceptions that nobody caught, or nobody whom one sees, as far as the recording tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uncaught {
    /// Those that ended their thread first, each kind in order of time.
    pub exceptions: Vec<UncaughtView>,
    /// Where others may be missing, for people.
    pub notes: Vec<String>,
}

impl History {
    /// The exceptions that nobody caught, left the scope or failed a test. What damage hides of them is left out and said.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn uncaught(&self) -> Result<Uncaught> {
        let mut all = Uncaught::default();
        let everything = Timestamp(0)..self.recording.end();
        for event in self.recording.exceptions(everything, Direction::Forward) {
            self.check()?;
            let notes = &mut all.notes;
            let Some(event) = or_noted(event.map_err(Error::from), notes)? else {
                continue;
            };
            if event.kind != ExceptionKind::Uncaught {
                continue;
            }
            let (mut call, mut index) = (event.call, event.index);
            let thrown = self.thrown_before(event.timestamp, event.exception);
            if let Some(thrown) = or_noted(thrown, notes)?.flatten() {
                let origin = or_noted(self.origin(thrown, event.exception), notes)?;
                let thrown = self.recording.event(origin.unwrap_or(thrown))?.event;
                (call, index) = (thrown.call, thrown.index);
            }
            let ended = or_noted(self.ended_by(call, event.exception), notes)?;
            let record = match call.is_root() {
                true => None,
                false => or_noted(self.record(call), notes)?,
            };
            let record = record.map(|record| self.call(record, true)).transpose()?;
            let ended = ended.into_iter().flatten();
            let ended = ended.map(|record| self.call(record, true));
            all.exceptions.push(UncaughtView {
                exception: self.value_at(event.exception, event.timestamp)?,
                value: Some(event.exception),
                timestamp: event.timestamp,
                fate: Fate::EndedThread,
                caught_by: None,
                test: None,
                place: self.place_in(call, index)?,
                call: record,
                thread_name: self.thread_name(call.thread)?,
                ended: ended.collect::<Result<_>>()?,
            });
        }
        self.add_escapes(&mut all)?;
        all.notes.extend(self.late_note());
        all.notes.extend(self.end_note());
        Ok(all)
    }

    /// Where an exception was thrown first that the calls which had caught it threw on, as a `finally` or a `synchronized` block does; `thrown` is
    /// where it was thrown last. Without the index of what refers to an object that is not looked for.
    fn origin(&self, thrown: Timestamp, exception: Value) -> Result<Timestamp> {
        let recording = &self.recording;
        let Some(object) = exception
            .object()
            .filter(|_| recording.has_index_of_references())
        else {
            return Ok(thrown);
        };
        let mut origin = thrown;
        // The call that threw it last, if it is to have caught it before.
        let mut thrower: Option<CallId> = None;
        for event in recording.references(
            object,
            Timestamp(0)..Timestamp(thrown.0 + 1),
            Direction::Backward,
        ) {
            self.check()?;
            let TimedEvent { timestamp, event } = event?;
            match (event.kind, thrower) {
                (EventKind::Thrown { exception: of }, None) if of == exception => {
                    origin = timestamp;
                    thrower = Some(event.call);
                }
                (EventKind::Caught { exception: of }, Some(call)) if of == exception => {
                    if event.call != call {
                        break;
                    }
                    thrower = None;
                }
                (EventKind::Thrown { exception: of }, Some(_)) if of == exception => break,
                _ => {}
            }
        }
        Ok(origin)
    }

    /// The calls from this one outwards that an exception ended.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn ended_by(&self, call: CallId, exception: Value) -> Result<Vec<CallRecord>> {
        let mut ended = Vec::new();
        if call.is_root() {
            return Ok(ended);
        }
        for record in self.recording.path(call)?.into_iter().rev() {
            if self.recording.outcome(&record)? == Some(Outcome::Threw(exception)) {
                ended.push(record);
            } else {
                break;
            }
        }
        Ok(ended)
    }
}
