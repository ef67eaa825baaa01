//! The end of a recording that does not hold the whole run: answers that touch it say so.

use jhyde_trace::{CallId, State, Timestamp, Variable};

use crate::error::{Error, Result};
use crate::history::History;

/// Why a recording ended as it did, where there is more to say than the state's word.
pub fn reason(state: &State) -> &str {
    match state {
        State::ConnectionLost { reason }
        | State::Failed { reason }
        | State::LimitReached { reason } => reason,
        State::Cut => "the daemon ended without closing it; its unflushed tail is lost",
        _ => "",
    }
}

/// What an answer that touches the end of a recording with so many events has to say, for people. Nothing while
/// the recording runs, and where the whole run was recorded.
pub fn note(state: &State, events: u64) -> Option<String> {
    let what = match state {
        State::Waiting | State::Running | State::Complete { .. } => return None,
        State::Detached => "jhyde was detached from the JVM",
        State::Stopped => "the recording was stopped",
        State::LimitReached { .. } => "the recording ended at its limit",
        State::ConnectionLost { .. } => "the connection to the JVM was lost",
        State::Cut => "the recording was cut",
        State::Failed { .. } => "recording failed",
    };
    let place = match events.checked_sub(1) {
        Some(last) => format!(" after event {last}"),
        None => String::new(),
    };
    let why = match reason(state) {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    Some(format!(
        "{what}{place}{why}: what came then is not recorded"
    ))
}

impl History {
    /// Has the recording ended? What has no end then will not get one any more.
    pub(crate) fn has_ended(&self) -> bool {
        !self.recording.meta().state.is_live()
    }

    /// What an answer that touches the end of the recording has to say: see [`note`].
    pub fn end_note(&self) -> Option<String> {
        note(&self.recording.meta().state, self.recording.end().0)
    }

    /// The same for an answer about one call, which touches the end if the call has none.
    pub(crate) fn end_note_of(&self, call: CallId) -> Result<Option<String>> {
        let open = call.is_root() || self.recording.call(call)?.exit.is_none();
        Ok(if open { self.end_note() } else { None })
    }

    /// Why a call without an end cannot be told as a whole, once it will not get one any more.
    pub fn unended(&self, call: CallId) -> Option<Error> {
        let end = self.end_note();
        self.has_ended().then_some(Error::Unended { call, end })
    }

    /// The same for an answer about all that became of a variable.
    pub(crate) fn end_note_of_variable(&self, variable: Variable) -> Result<Option<String>> {
        match variable {
            Variable::Local { call, .. }
            | Variable::Return { call }
            | Variable::Exception { call } => self.end_note_of(call),
            Variable::Field { .. }
            | Variable::Static { .. }
            | Variable::Element { .. }
            | Variable::Content { .. } => Ok(self.end_note()),
        }
    }

    /// The same for an answer about what was up to this time.
    pub(crate) fn end_note_up_to(&self, to: Timestamp) -> Option<String> {
        if to < self.last_event() {
            return None;
        }
        self.end_note()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_was_not_recorded_to_its_end_has_something_to_say() {
        let whole = State::Complete { exit_code: Some(0) };
        for silent in [State::Waiting, State::Running, whole] {
            assert_eq!(note(&silent, 9), None);
        }
        let reason = "no space left on the disk".to_owned();
        let failed = note(&State::Failed { reason }, 9).expect("a note");
        assert!(failed.contains("failed after event 8 (no space left on the disk)"));
        let cut = note(&State::Cut, 0).expect("a note");
        assert!(
            cut.starts_with("the recording was cut (the daemon ended"),
            "{cut}"
        );
        assert!(note(&State::Stopped, 1).is_some() && note(&State::Detached, 1).is_some());
    }
}
