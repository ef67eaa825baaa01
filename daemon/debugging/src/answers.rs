//! What was said about calls, in the order in which it was said, with undo and redo without limit.

use jhyde_trace::CallId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What somebody says about a call (design, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Answer {
    /// It did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// Its method is right, in all its calls.
    Trusted,
    /// To be decided later.
    Unknown,
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// About this call.
    pub call: CallId,
    /// This was said.
    pub answer: Answer,
}

/// All answers of a session. A call may be answered again: its last answer counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    log: Vec<Given>,
    /// So many of the log are in force; the rest was undone and can be redone.
    in_force: usize,
}

impl Answers {
    /// Adds an answer; what was undone before can then no longer be redone.
    pub fn give(&mut self, given: Given) {
        self.log.truncate(self.in_force);
        self.log.push(given);
        self.in_force = self.log.len();
    }

    /// Takes the last answer back and returns it.
    pub fn undo(&mut self) -> Option<Given> {
        self.in_force = self.in_force.min(self.log.len()).checked_sub(1)?;
        self.log.get(self.in_force).copied()
    }

    /// Gives the answer again that was taken back last.
    pub fn redo(&mut self) -> Option<Given> {
        let given = self.log.get(self.in_force).copied()?;
        self.in_force += 1;
        Some(given)
    }

    /// Is there something to undo?
    pub fn can_undo(&self) -> bool {
        self.in_force > 0 && !self.log.is_empty()
    }

    /// Is there something to redo?
    pub fn can_redo(&self) -> bool {
        self.in_force < self.log.len()
    }

    /// The answers in force, in the order in which they were given.
    pub fn given(&self) -> &[Given] {
        &self.log[..self.in_force.min(self.log.len())]
    }

    /// The answer in force for each call that has one: the last one given.
    pub fn by_call(&self) -> FxHashMap<CallId, Answer> {
        self.given()
            .iter()
            .map(|given| (given.call, given.answer))
            .collect()
    }
}
