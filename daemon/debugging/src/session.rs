//! A session: one search in one recording. [`Kept`] is what must outlive the daemon (answers, strategy,
//! restriction); everything else follows from that and the tree.

use jhyde_trace::CallId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::adaptive::{self, Choice};
use crate::answers::{Answer, Answers, Given, Pointed};
use crate::coverage::{Coverage, ValidCalls};
use crate::statistics::{self, Statistics};
use crate::strategy::{NeedsCoverage, Strategy, choose};
use crate::suspicious::{Classification, End, Suspicious};
use crate::tree::Forest;

/// The part of a session that is kept on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The session's id, unique in its recording.
    pub id: String,
    /// Wall clock at its creation, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// How the next question is chosen.
    pub strategy: Strategy,
    /// The call whose subtree the search is restricted to.
    pub restriction: Option<CallId>,
    /// What was said, undone answers included.
    pub answers: Answers,
}

/// The format of [`Kept`] on disk: one byte before the postcard encoding.
const VERSION: u8 = 1;
/// The same with what was pointed at behind it, and with answers that version 1 does not know.
const POINTED: u8 = 2;

/// A kept session cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// It was written by another version.
    #[error(
        "session {id} has format version {found}, this program reads versions {VERSION} and {POINTED}: use the \
         program that wrote it, or delete the session"
    )]
    Version {
        /// The session.
        id: String,
        /// Its version byte.
        found: u8,
    },
    /// Its bytes make no sense.
    #[error("session {id} is damaged ({reason}): delete it and begin a new one")]
    Damaged {
        /// The session.
        id: String,
        /// What the decoder said.
        reason: String,
    },
}

impl Kept {
    /// A session without answers.
    pub fn new(id: String, created_ms: u64, strategy: Strategy) -> Self {
        Self {
            id,
            created_ms,
            strategy,
            restriction: None,
            answers: Answers::default(),
        }
    }

    /// Its bytes for the disk.
    ///
    /// # Errors
    /// [`SessionError::Damaged`] when it cannot be encoded, which would be a defect of this program.
    pub fn encode(&self) -> Result<Vec<u8>, SessionError> {
        let damaged = |error: postcard::Error| SessionError::Damaged {
            id: self.id.clone(),
            reason: error.to_string(),
        };
        if !self.answers.is_new() {
            return postcard::to_extend(self, vec![VERSION]).map_err(damaged);
        }
        let bytes = postcard::to_extend(self, vec![POINTED]).map_err(damaged)?;
        postcard::to_extend(&self.answers.pointed, bytes).map_err(damaged)
    }

    /// Reads what [`Kept::encode`] wrote under this id.
    ///
    /// # Errors
    /// [`SessionError`] when it is of another version or damaged.
    pub fn decode(id: &str, bytes: &[u8]) -> Result<Self, SessionError> {
        let damaged = |reason: String| SessionError::Damaged {
            id: id.to_owned(),
            reason,
        };
        match bytes.split_first() {
            None => Err(damaged("it is empty".to_owned())),
            Some((&version @ (VERSION | POINTED), rest)) => {
                let broken = |error: postcard::Error| damaged(error.to_string());
                let (mut kept, rest): (Self, _) =
                    postcard::take_from_bytes(rest).map_err(broken)?;
                if version == POINTED {
                    kept.answers.pointed = postcard::from_bytes(rest).map_err(broken)?;
                }
                if kept.id == id {
                    Ok(kept)
                } else {
                    Err(damaged(format!("it says that it is session {}", kept.id)))
                }
            }
            Some((&found, _)) => Err(SessionError::Version {
                id: id.to_owned(),
                found,
            }),
        }
    }
}

/// Why an answer, an undo or a restriction is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// The recording has no such call.
    #[error("there is no call {0} in this recording")]
    NoSuchCall(CallId),
    /// It is a call to code outside the scope.
    #[error(
        "call {0} is a call to a method outside the scope; those are trusted and cannot be asked"
    )]
    Boundary(CallId),
    /// Its end was not seen.
    #[error(
        "call {0} has not ended, so nobody can say yet whether it is right: answer for a call inside it"
    )]
    Incomplete(CallId),
    /// It lies outside the subtree that the search is restricted to.
    #[error(
        "call {call} is not inside of call {restriction}, which the search is restricted to: lift the restriction first"
    )]
    Restricted {
        /// The call.
        call: CallId,
        /// The root of the subtree.
        restriction: CallId,
    },
    /// No answer is in force.
    #[error("there is no answer to undo")]
    NothingToUndo,
    /// No answer was undone since the last one was given.
    #[error("there is no answer to redo")]
    NothingToRedo,
    /// The strategy needs coverage.
    #[error(transparent)]
    NeedsCoverage(#[from] NeedsCoverage),
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// This is the next call to ask.
    Asking(CallId),
    /// This is the buggy call.
    Found(CallId),
    /// Some answers were unknown; the buggy call is one of the suspicious set.
    Undecided,
    /// There is no buggy call.
    None,
    /// Nothing can be asked now, but the program still runs.
    Waiting,
}

/// A session on a tree, as far as the tree is known now.
#[derive(Clone, Debug)]
pub struct Session {
    kept: Kept,
    suspicious: Suspicious,
    /// The version of the forest that `suspicious` was computed for.
    version: u64,
}

impl Session {
    /// Takes up a session that was kept, or begins a new one.
    pub fn new(kept: Kept, forest: &Forest) -> Self {
        let suspicious = Suspicious::after(forest, &kept.answers, kept.restriction);
        Self {
            kept,
            suspicious,
            version: forest.version(),
        }
    }

    /// The part to keep on disk.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The suspicious set and what follows from it.
    pub fn suspicious(&self) -> &Suspicious {
        &self.suspicious
    }

    /// Takes notice of what is new in the tree. To be called with a forest that was refreshed, before
    /// anything else is asked.
    pub fn refresh(&mut self, forest: &Forest) {
        if self.version != forest.version() {
            self.recompute(forest);
        }
    }

    fn recompute(&mut self, forest: &Forest) {
        self.suspicious = Suspicious::after(forest, &self.kept.answers, self.kept.restriction);
        self.version = forest.version();
    }

    /// Answers for a call, proposed or not, answered before or not.
    ///
    /// # Errors
    /// [`AnswerError`] when the call cannot be asked.
    pub fn answer(
        &mut self,
        forest: &Forest,
        call: CallId,
        answer: Answer,
    ) -> Result<(), AnswerError> {
        self.point(forest, call, answer, None)
    }

    /// Answers, and says which calls can be to blame.
    ///
    /// # Errors
    /// As [`Session::answer`].
    pub fn point(
        &mut self,
        forest: &Forest,
        call: CallId,
        answer: Answer,
        pointed: Option<Pointed>,
    ) -> Result<(), AnswerError> {
        let facts = forest.facts(call).ok_or(AnswerError::NoSuchCall(call))?;
        if facts.boundary {
            return Err(AnswerError::Boundary(call));
        }
        if !facts.complete {
            return Err(AnswerError::Incomplete(call));
        }
        if let Some(restriction) = self.kept.restriction {
            let inside = if restriction.is_root() {
                restriction.thread == call.thread
            } else {
                forest.is_within(call, restriction)
            };
            if !inside {
                return Err(AnswerError::Restricted { call, restriction });
            }
        }
        self.kept.answers.give(Given { call, answer }, pointed);
        self.recompute(forest);
        Ok(())
    }

    /// Takes the last answer back.
    ///
    /// # Errors
    /// [`AnswerError::NothingToUndo`].
    pub fn undo(&mut self, forest: &Forest) -> Result<Given, AnswerError> {
        let given = self.kept.answers.undo().ok_or(AnswerError::NothingToUndo)?;
        self.recompute(forest);
        Ok(given)
    }

    /// Gives the answer again that was taken back last.
    ///
    /// # Errors
    /// [`AnswerError::NothingToRedo`].
    pub fn redo(&mut self, forest: &Forest) -> Result<Given, AnswerError> {
        let given = self.kept.answers.redo().ok_or(AnswerError::NothingToRedo)?;
        self.recompute(forest);
        Ok(given)
    }

    /// Chooses another strategy for the questions to come.
    ///
    /// # Errors
    /// [`AnswerError::NeedsCoverage`] when the recording tells no coverage and the strategy needs it.
    pub fn set_strategy(&mut self, strategy: Strategy, coverage: bool) -> Result<(), AnswerError> {
        if strategy.needs_coverage() && !coverage {
            return Err(NeedsCoverage { strategy }.into());
        }
        self.kept.strategy = strategy;
        Ok(())
    }

    /// Restricts the search to a call's subtree (a thread's root: to that thread), or lifts the restriction.
    /// The call itself is in its subtree, and may still run. Answers given before stay in force.
    ///
    /// # Errors
    /// [`AnswerError::NoSuchCall`].
    pub fn restrict(&mut self, forest: &Forest, call: Option<CallId>) -> Result<(), AnswerError> {
        if let Some(call) = call {
            let there = if call.is_root() {
                forest
                    .threads()
                    .iter()
                    .any(|calls| calls.thread == call.thread)
            } else {
                forest.place(call).is_some()
            };
            if !there {
                return Err(AnswerError::NoSuchCall(call));
            }
        }
        self.kept.restriction = call;
        self.recompute(forest);
        Ok(())
    }

    /// How far the search is, and the next question.
    ///
    /// # Errors
    /// [`NeedsCoverage`] when the strategy chooses by coverage and none is given.
    pub fn progress(
        &self,
        forest: &Forest,
        coverage: Option<&dyn Coverage>,
    ) -> Result<Progress, NeedsCoverage> {
        Ok(self.next(forest, coverage)?.0)
    }

    /// How far the search is, and, if the strategy can tell, why the next question is asked.
    ///
    /// # Errors
    /// As [`Session::progress`].
    pub fn next(
        &self,
        forest: &Forest,
        coverage: Option<&dyn Coverage>,
    ) -> Result<(Progress, Option<Choice>), NeedsCoverage> {
        let ended = match self.suspicious.end() {
            Some(End::Found(call)) => Some(Progress::Found(*call)),
            Some(_) if self.suspicious.can_grow(forest) => Some(Progress::Waiting),
            Some(End::Undecided) => Some(Progress::Undecided),
            Some(End::None) => Some(Progress::None),
            None => None,
        };
        if let Some(end) = ended {
            return Ok((end, None));
        }
        if self.kept.strategy == Strategy::Adaptive {
            let choice = adaptive::choose(forest, &self.suspicious, coverage);
            let asking = choice.map_or(Progress::None, |choice| Progress::Asking(choice.call));
            return Ok((asking, choice));
        }
        let chosen = choose(
            self.kept.strategy,
            forest,
            &self.suspicious,
            coverage,
            ValidCalls::default(),
        )?;
        Ok((chosen.map_or(Progress::None, Progress::Asking), None))
    }

    /// How a call stands.
    pub fn classify(&self, forest: &Forest, call: CallId) -> Classification {
        self.suspicious.classify(forest, call)
    }

    /// How the calls stand in numbers.
    pub fn statistics(&self, forest: &Forest) -> Statistics {
        statistics::count(forest, &self.suspicious)
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{CallId, ThreadId};

    use super::*;

    fn kept(pointed: Option<Pointed>) -> Kept {
        let mut kept = Kept::new("s".to_owned(), 7, Strategy::TopDown);
        let call = CallId {
            thread: ThreadId(1),
            preorder: 3,
        };
        let given = Given {
            call,
            answer: Answer::Invalid,
        };
        kept.answers.give(given, pointed);
        kept
    }

    #[test]
    fn what_was_pointed_at_is_kept_and_forgotten_with_its_answer() {
        let pointed = Pointed {
            wrong: vec!["array#1[2]".to_owned()],
            kept: vec![(1, 3, 5), (1, 9, 10)],
            uncut: None,
        };
        let mut with = kept(Some(pointed.clone()));
        let bytes = with.encode().expect("it is encoded");
        assert_eq!(bytes.first(), Some(&POINTED));
        assert_eq!(Kept::decode("s", &bytes), Ok(with.clone()));
        assert!(Kept::decode("s", &bytes[..bytes.len() - 1]).is_err());
        let of = |kept: &Kept| kept.answers.pointed().next().and_then(|(_, p)| p.cloned());
        assert_eq!(of(&with), Some(pointed.clone()));
        with.answers.undo();
        assert_eq!(of(&with), None);
        with.answers.redo();
        assert_eq!(of(&with), Some(pointed));
    }

    #[test]
    fn sessions_that_point_at_nothing_are_those_of_before() {
        let without = kept(None);
        let bytes = without.encode().expect("it is encoded");
        assert_eq!(bytes.first(), Some(&VERSION));
        assert_eq!(Kept::decode("s", &bytes), Ok(without));
    }
}
