//! Answers that nobody was asked for: an equal call was answered, or another recording or an earlier session knows.
//!
//! Only a call that is about to be asked is looked up, so that it costs no more than the questions would have: whoever
//! knows ([`Knowledge`]) says so, or the call is asked. A known answer stands as if it had been given, until somebody
//! answers for the call, takes the answer back that it came from, or doubts it.

use std::fmt;

use jhyde_trace::CallId;
use serde::{Deserialize, Serialize};

use crate::answers::{Answer, Answers};
use crate::sessions::Error;

/// Where a known answer is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// This call of the same recording is equal, and was answered so. It holds as long as that answer does.
    Equal {
        /// The answered call.
        to: CallId,
    },
    /// This call of another recording is equal.
    Recording {
        /// That recording's name.
        recording: String,
        /// The call there.
        call: CallId,
    },
    /// An earlier session answered so for an equal call: in words for people.
    Memory {
        /// Which and when.
        told: String,
    },
    /// A program said so that may be wrong, a language model say: until a person says something.
    Program {
        /// Its name.
        by: String,
    },
}

/// One answer that was not asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// About this call.
    pub call: CallId,
    /// [`Answer::Valid`] or [`Answer::Invalid`].
    pub answer: Answer,
    /// Who says so.
    pub source: Source,
}

/// Another recording that a session is held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Against {
    /// Its id.
    pub id: String,
    /// Its name when the session began.
    pub name: String,
    /// Calls that were given the same there and yielded something else, in the order in which they ended: the first of them
    /// can only have gone wrong by itself, if the other run is right. They are asked first.
    pub differ: Vec<CallId>,
}

/// What a session keeps of what was known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knowing {
    /// Are calls looked up before they are asked?
    pub on: bool,
    /// The recording that tells valid calls.
    pub against: Option<Against>,
    /// Known answers, those among them that hold no more until an answer is given again.
    pub(crate) known: Vec<Known>,
    /// Calls of which somebody doubted what was known: they are asked.
    pub(crate) doubted: Vec<CallId>,
}

impl Knowing {
    /// Calls are looked up among those answered.
    pub fn on() -> Self {
        Self {
            on: true,
            ..Self::default()
        }
    }

    /// The same with what is known from the beginning on.
    #[must_use]
    pub fn with(mut self, against: Against, known: Vec<Known>) -> Self {
        self.against = Some(against);
        self.known = known;
        self
    }

    /// Is there something that versions which know of none of this could not read?
    pub(crate) fn is_new(&self) -> bool {
        *self != Self::default()
    }

    /// Adds what is known of a call, and forgets what was known of it before.
    pub(crate) fn learn(&mut self, known: Known) {
        self.known.retain(|before| before.call != known.call);
        self.known.push(known);
    }

    /// Forgets what is known of a call for good; false if nothing is.
    pub(crate) fn doubt(&mut self, call: CallId) -> bool {
        let before = self.known.len();
        self.known.retain(|known| known.call != call);
        let was_known = self.known.len() < before;
        if was_known && !self.doubted.contains(&call) {
            self.doubted.push(call);
        }
        was_known
    }

    /// Is a call to be asked whatever is known?
    pub fn is_doubted(&self, call: CallId) -> bool {
        self.doubted.contains(&call)
    }
}

impl Answers {
    /// The known answers in force, in the order in which they were found: those that hold, and that nobody overruled.
    pub fn known(&self) -> impl Iterator<Item = &Known> {
        let given = self.said();
        let on = self.knowing.on;
        self.knowing.known.iter().filter(move |known| {
            let holds = match &known.source {
                Source::Equal { to } => given.get(to) == Some(&known.answer),
                Source::Recording { .. } | Source::Memory { .. } => true,
                // It was asked, so that it counts whatever is looked up.
                Source::Program { .. } => return !given.contains_key(&known.call),
            };
            on && holds && !given.contains_key(&known.call)
        })
    }
}

/// Whoever may know of calls without asking.
pub trait Knowledge: fmt::Debug {
    /// What is known of a call that is about to be asked, after these answers.
    ///
    /// # Errors
    /// When a recording cannot be read.
    fn of(&self, answers: &Answers, call: CallId) -> Result<Option<Known>, Error>;

    /// The position of a property that a call does not have which is about to be asked, and was not looked at yet.
    ///
    /// # Errors
    /// When the recording cannot be read.
    fn breaks(&self, answers: &Answers, call: CallId) -> Result<Option<usize>, Error> {
        let _ = (answers, call);
        Ok(None)
    }
}
