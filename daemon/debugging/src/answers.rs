//! What was said about calls, in the order in which it was said, with undo and redo without limit.

use std::collections::BTreeMap;

use jhyde_trace::CallId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::known::Knowing;

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
    /// It should never have been called so: who called is to blame, or who made the arguments.
    Inadmissible,
    /// One value that it left was right ([`OneValue`]). Of the call nothing is said.
    RightValue,
    /// Whether one value that it left was right is to be decided later. Of the call nothing is said.
    OpenValue,
}

impl Answer {
    /// Its word, as the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Trusted => "trusted",
            Self::Unknown => "unknown",
            Self::Inadmissible => "inadmissible",
            Self::RightValue => "right",
            Self::OpenValue => "open",
        }
    }

    /// Is it about a call as a whole?
    pub fn is_of_call(self) -> bool {
        !matches!(self, Self::RightValue | Self::OpenValue)
    }
}

/// The one value that an answer was about (see [`crate::values`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneValue {
    /// The variable, in its written form; the value is the one that it had when the call ended.
    pub variable: String,
    /// The answer that pointed at the wrong value which this one went into: its position among all answers.
    pub of: usize,
    /// Nobody was asked: an earlier session, in words for people. Empty where somebody was.
    pub remembered: String,
}

/// What an answer says about which calls can be to blame: somebody pointed at what was wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointed {
    /// What was wrong, in written forms; empty where the arguments of the call were.
    pub wrong: Vec<String>,
    /// The calls that can be to blame: thread, and preorder numbers from and (without) to. The others are cut away.
    pub kept: Vec<(u32, u64, u64)>,
    /// Why nothing is cut away, if so; then `kept` says nothing.
    pub uncut: Option<String>,
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
    /// By position in the log. Kept on its own, so that sessions without it are those of the versions before.
    #[serde(skip)]
    pub(crate) pointed: BTreeMap<usize, Pointed>,
    /// The answers that were about one value, by position; kept on its own, too.
    #[serde(skip)]
    pub(crate) values: BTreeMap<usize, OneValue>,
    /// Is one value of a call asked about where it decides as much as the call?
    #[serde(skip)]
    pub(crate) asks_values: bool,
    /// What was known without asking; kept on its own, too.
    #[serde(skip)]
    pub(crate) knowing: Knowing,
    /// What was said of many calls at once; so, too.
    #[serde(skip)]
    pub(crate) evidence: Evidence,
}

impl Answers {
    /// Adds an answer; what was undone before can then no longer be redone.
    pub fn give(&mut self, given: Given, pointed: Option<Pointed>) {
        self.log.truncate(self.in_force);
        self.pointed.retain(|at, _| *at < self.in_force);
        self.values.retain(|at, _| *at < self.in_force);
        if let Some(pointed) = pointed {
            self.pointed.insert(self.log.len(), pointed);
        }
        self.log.push(given);
        self.in_force = self.log.len();
    }

    /// Adds an answer about one value: as [`Answers::give`].
    pub fn give_value(&mut self, given: Given, pointed: Option<Pointed>, value: OneValue) {
        self.give(given, pointed);
        self.values.insert(self.log.len() - 1, value);
    }

    /// The value that the answer at a position was about, if it was about one.
    pub fn value(&self, at: usize) -> Option<&OneValue> {
        self.values.get(&at)
    }

    /// Is one value of a call asked about where it decides as much as the call?
    pub fn asks_values(&self) -> bool {
        self.asks_values
    }

    /// Was a value of a call asked about already?
    pub(crate) fn was_asked(&self, call: CallId, variable: &str) -> bool {
        let given = self.given().iter().enumerate();
        let mut of_call = given.filter(|(_, given)| given.call == call);
        of_call.any(|(at, _)| {
            self.value(at)
                .is_some_and(|value| value.variable == variable)
        })
    }

    /// Where the last answer for each call stands.
    pub(crate) fn last(&self) -> FxHashMap<CallId, usize> {
        let given = self.given().iter().enumerate();
        let of_calls = given.filter(|(_, given)| given.answer.is_of_call());
        of_calls.map(|(at, given)| (given.call, at)).collect()
    }

    /// The answers in force with what was pointed at, in the order in which they were given.
    pub fn pointed(&self) -> impl Iterator<Item = (&Given, Option<&Pointed>)> {
        let given = self.given().iter().enumerate();
        given.map(|(at, given)| (given, self.pointed.get(&at)))
    }

    /// Is there something that versions which know of no pointing could not read?
    pub(crate) fn is_new(&self) -> bool {
        let new = |given: &Given| given.answer == Answer::Inadmissible;
        !self.pointed.is_empty() || self.log.iter().any(new)
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

    /// The answer in force for each call that has one: the last one given, or what is known.
    pub fn by_call(&self) -> FxHashMap<CallId, Answer> {
        let mut all = self.said();
        for known in self.known() {
            all.entry(known.call).or_insert(known.answer);
        }
        all
    }

    /// The same without what is known.
    pub fn said(&self) -> FxHashMap<CallId, Answer> {
        self.given()
            .iter()
            .filter(|given| given.answer.is_of_call())
            .map(|given| (given.call, given.answer))
            .collect()
    }

    /// What was said of many calls at once.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// How calls are looked up before they are asked.
    pub fn knowing(&self) -> &Knowing {
        &self.knowing
    }
}
