//! A session: one search in one recording. [`Kept`] is what must outlive the daemon (answers, strategy,
//! restriction); everything else follows from that and the tree.

use jhyde_trace::CallId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::adaptive::{self, Choice};
use crate::answers::{Answer, Answers, Given, OneValue, Pointed};
use crate::coverage::{Coverage, ValidCalls};
use crate::evidence::Evidence;
use crate::known::{Knowing, Known};
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
/// As version 2, with what was known behind that.
const KNOWN: u8 = 3;
/// As version 3, with answers about single values behind that.
const VALUES: u8 = 4;
/// As version 4, with what was said of many calls at once behind that.
const EVIDENCE: u8 = 5;
/// As version 5, with what passing runs tell and with trusted jars behind that.
const PASSING: u8 = 6;

/// A kept session cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// It was written by another version.
    #[error(
        "session {id} has format version {found}, this program reads versions {VERSION} to {PASSING}: use the \
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

    /// The same, which looks calls up so before it asks them.
    #[must_use]
    pub fn knowing(mut self, knowing: Knowing) -> Self {
        self.answers.knowing = knowing;
        self
    }

    /// The same, which asks about whole calls alone.
    #[must_use]
    pub fn asking_values(mut self, asks_values: bool) -> Self {
        self.answers.asks_values = asks_values;
        self
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
        let answers = &self.answers;
        let values = !answers.values.is_empty() || answers.asks_values;
        let evidence = &answers.evidence;
        let version = match (answers.knowing.is_new(), answers.is_new()) {
            _ if evidence.passing.is_some() || !evidence.jars.is_empty() => PASSING,
            _ if !evidence.is_empty() => EVIDENCE,
            _ if values => VALUES,
            (true, _) => KNOWN,
            (false, true) => POINTED,
            (false, false) => VERSION,
        };
        let mut bytes = postcard::to_extend(self, vec![version]).map_err(damaged)?;
        if version >= POINTED {
            bytes = postcard::to_extend(&self.answers.pointed, bytes).map_err(damaged)?;
        }
        if version >= KNOWN {
            bytes = postcard::to_extend(&self.answers.knowing, bytes).map_err(damaged)?;
        }
        if version >= VALUES {
            let values = (&self.answers.values, self.answers.asks_values);
            bytes = postcard::to_extend(&values, bytes).map_err(damaged)?;
        }
        if version >= EVIDENCE {
            bytes = postcard::to_extend(evidence, bytes).map_err(damaged)?;
        }
        if version >= PASSING {
            bytes = postcard::to_extend(&(&evidence.passing, &evidence.jars), bytes)
                .map_err(damaged)?;
        }
        Ok(bytes)
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
            Some((&version @ VERSION..=PASSING, rest)) => {
                let broken = |error: postcard::Error| damaged(error.to_string());
                let (mut kept, rest): (Self, _) =
                    postcard::take_from_bytes(rest).map_err(broken)?;
                if version >= POINTED {
                    let (pointed, rest) = postcard::take_from_bytes(rest).map_err(broken)?;
                    kept.answers.pointed = pointed;
                    if version >= KNOWN {
                        let (knowing, rest) = postcard::take_from_bytes(rest).map_err(broken)?;
                        kept.answers.knowing = knowing;
                        let mut rest = rest;
                        if version >= VALUES {
                            let (values, behind) =
                                postcard::take_from_bytes(rest).map_err(broken)?;
                            (kept.answers.values, kept.answers.asks_values) = values;
                            rest = behind;
                        }
                        if version >= EVIDENCE {
                            let (evidence, behind) =
                                postcard::take_from_bytes(rest).map_err(broken)?;
                            kept.answers.evidence = evidence;
                            rest = behind;
                        }
                        if version >= PASSING {
                            let evidence = &mut kept.answers.evidence;
                            (evidence.passing, evidence.jars) =
                                postcard::from_bytes(rest).map_err(broken)?;
                        }
                    }
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
    /// That value is not the one that is asked about.
    #[error(
        "no value of call {0} is asked about now, or another one: look at the session's question again, or answer for the call"
    )]
    NotAsked(CallId),
    /// No answer is in force.
    #[error("there is no answer to undo")]
    NothingToUndo,
    /// Nothing is known of the call that was not said.
    #[error(
        "nothing is known of call {0} that nobody answered: its answer was given (answer again), or it has none"
    )]
    NotKnown(CallId),
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
        self.can_answer(forest, call)?;
        self.kept.answers.give(Given { call, answer }, pointed);
        self.recompute(forest);
        Ok(())
    }

    /// Answers for the one value that is asked about.
    ///
    /// # Errors
    /// As [`Session::answer`].
    pub fn judge(
        &mut self,
        forest: &Forest,
        given: Given,
        pointed: Option<Pointed>,
        value: OneValue,
    ) -> Result<(), AnswerError> {
        self.can_answer(forest, given.call)?;
        self.kept.answers.give_value(given, pointed, value);
        self.recompute(forest);
        Ok(())
    }

    /// Takes note of what is known of a call, as if it had been answered.
    ///
    /// # Errors
    /// As [`Session::answer`].
    pub fn learn(&mut self, forest: &Forest, known: Known) -> Result<(), AnswerError> {
        self.can_answer(forest, known.call)?;
        self.kept.answers.knowing.learn(known);
        self.recompute(forest);
        Ok(())
    }

    /// Forgets what is known of a call: it is asked, should it come to that.
    ///
    /// # Errors
    /// [`AnswerError::NotKnown`].
    pub fn doubt(&mut self, forest: &Forest, call: CallId) -> Result<(), AnswerError> {
        let answers = &mut self.kept.answers;
        let broken = self.suspicious.broken().contains(&call);
        if broken && !answers.knowing.doubted.contains(&call) {
            answers.knowing.doubted.push(call);
        } else if !answers.knowing.doubt(call) {
            return Err(AnswerError::NotKnown(call));
        }
        self.recompute(forest);
        Ok(())
    }

    /// Switches on or off that calls are looked up before they are asked. What was known is forgotten when it is off, and
    /// comes back when it is on again.
    pub fn know(&mut self, forest: &Forest, on: bool) {
        self.kept.answers.knowing.on = on;
        self.recompute(forest);
    }

    /// Replaces what was said of many calls at once: it counts as if it had been said at the beginning.
    pub fn set_evidence(&mut self, forest: &Forest, evidence: Evidence) {
        self.kept.answers.evidence = evidence;
        self.recompute(forest);
    }

    /// Takes note that a call does not have the property at a position.
    pub fn add_broken(&mut self, forest: &Forest, property: usize, call: CallId) {
        let properties = &mut self.kept.answers.evidence.properties;
        if let Some(property) = properties.get_mut(property) {
            property.broken.push(call);
        }
        self.recompute(forest);
    }

    fn can_answer(&self, forest: &Forest, call: CallId) -> Result<(), AnswerError> {
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
        if let Some(call) = self.differing(forest) {
            return Ok((Progress::Asking(call), None));
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

    /// The first call that can be asked of those that yielded something else in the recording that the session is
    /// held against.
    pub fn differing(&self, forest: &Forest) -> Option<CallId> {
        let knowing = &self.kept.answers.knowing;
        let against = knowing.against.as_ref().filter(|_| knowing.on)?;
        let can_be_asked = |call: &&CallId| {
            forest
                .place(**call)
                .is_some_and(|place| self.suspicious.askable()[place.thread].contains(place.at))
        };
        against.differ.iter().find(can_be_asked).copied()
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
    use crate::known::Source;

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
    fn what_is_known_goes_and_comes_with_the_answer_that_it_is_from() {
        let call = |preorder| CallId {
            thread: ThreadId(1),
            preorder,
        };
        let mut with = kept(None).knowing(Knowing::on());
        with.answers.knowing.learn(Known {
            call: call(9),
            answer: Answer::Invalid,
            source: Source::Equal { to: call(3) },
        });
        with.answers.knowing.learn(Known {
            call: call(11),
            answer: Answer::Valid,
            source: Source::Recording {
                recording: "right".to_owned(),
                call: call(12),
            },
        });
        let known = |kept: &Kept| {
            kept.answers
                .known()
                .map(|k| k.call.preorder)
                .collect::<Vec<_>>()
        };
        let bytes = with.encode().expect("it is encoded");
        assert_eq!(bytes.first(), Some(&KNOWN));
        assert_eq!(Kept::decode("s", &bytes), Ok(with.clone()));
        assert!(Kept::decode("s", &bytes[..bytes.len() - 1]).is_err());
        assert_eq!(known(&with), [9, 11]);
        with.answers.undo();
        assert_eq!(known(&with), [11]);
        with.answers.redo();
        assert_eq!(known(&with), [9, 11]);
        let given = |preorder, answer| Given {
            call: call(preorder),
            answer,
        };
        with.answers.give(given(3, Answer::Valid), None);
        assert_eq!(known(&with), [11], "what it came from was changed");
        with.answers.give(given(11, Answer::Invalid), None);
        assert_eq!(known(&with), Vec::<u64>::new(), "somebody knows better");
        assert_eq!(with.answers.by_call()[&call(11)], Answer::Invalid);
        with.answers.undo();
        assert!(with.answers.knowing.doubt(call(11)));
        assert!(!with.answers.knowing.doubt(call(11)));
        assert!(with.answers.knowing.is_doubted(call(11)));
        assert_eq!(known(&with), Vec::<u64>::new());
    }

    #[test]
    fn sessions_that_point_at_nothing_are_those_of_before() {
        let without = kept(None);
        let bytes = without.encode().expect("it is encoded");
        assert_eq!(bytes.first(), Some(&VERSION));
        assert_eq!(Kept::decode("s", &bytes), Ok(without));
    }
}
