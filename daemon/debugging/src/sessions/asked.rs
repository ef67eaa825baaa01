//! What is asked of a session, and how it stands then.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::{CallId, Level};

use super::Error;
use super::behind::Reading;
use crate::adaptive::Choice;
use crate::coverage::Coverage;
use crate::known::Knowledge;
use crate::session::{Kept, Progress, Session};
use crate::suspicious::Classification;
use crate::tree::Forest;
use crate::values::AskedValue;

/// A session as it stands now.
#[derive(Clone, Debug)]
pub struct View {
    /// Answers, strategy, restriction.
    pub kept: Kept,
    /// How far it is, and the next question.
    pub progress: Progress,
    /// Why the next question is asked, if the strategy can tell.
    pub choice: Option<Choice>,
    /// Number of suspicious calls.
    pub suspicious: u64,
    /// The suspicious calls by enter timestamp, at most [`View::MOST_CANDIDATES`], if the search has ended
    /// undecided.
    pub candidates: Vec<(CallId, Classification)>,
    /// How many calls cannot be read, because a part of the recording is damaged: nobody is asked about them, and
    /// the search may end at a call above the buggy one.
    pub lost: u64,
    /// How many events a strategy by coverage does not weigh, because a part of the recording is damaged.
    pub unweighed: u64,
    /// How many calls it does not weigh, because they were recorded below level `full`, and why the first was.
    pub lowered: Option<(u64, String)>,
    /// It could not be written, because the data folder is open for reading only: it ends with the daemon.
    pub unwritten: bool,
    /// How many calls are trusted because of their class, or because their method was not changed.
    pub trusted: u64,
    /// Calls that are invalid because they do not have a property, and have no other answer.
    pub broken: Vec<CallId>,
    /// How many suspicious calls each answer in force that was about values has cut away, by its position among them.
    pub cut: Vec<(usize, u64)>,
    /// The state that this is; see [`Sessions::revision`](super::Sessions::revision).
    pub revision: String,
    /// The one value of the call that is asked which decides as much as the whole call.
    pub value: Option<AskedValue>,
    /// What calls covered is still being read: the next question was chosen by methods, and stays until the session changes.
    pub reading: Option<Reading>,
}

impl View {
    /// So many candidates are named at most.
    pub const MOST_CANDIDATES: usize = 1000;

    pub(super) fn of(
        session: &Session,
        forest: &Forest,
        coverage: Option<&dyn Coverage>,
    ) -> Result<Self, Error> {
        let (progress, choice) = session.next(forest, coverage)?;
        let candidates = match progress {
            Progress::Undecided => session.suspicious().first(forest, Self::MOST_CANDIDATES),
            _ => Vec::new(),
        };
        Ok(Self {
            kept: session.kept().clone(),
            progress,
            choice,
            suspicious: session.suspicious().count(),
            lost: forest.lost(),
            unweighed: 0,
            lowered: None,
            unwritten: false,
            trusted: session.suspicious().trusted_at_once(),
            broken: session.suspicious().broken().to_vec(),
            cut: session.suspicious().cut().to_vec(),
            value: None,
            reading: None,
            revision: String::new(),
            candidates: candidates
                .into_iter()
                .map(|call| (call, session.classify(forest, call)))
                .collect(),
        })
    }
}

/// A recording that something is asked of, and whether somebody still waits for the answer.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub(super) recording: &'a Arc<Recording>,
    pub(super) cancelled: &'a AtomicBool,
    pub(super) knowledge: Option<&'a dyn Knowledge>,
    pub(super) history: Option<&'a History>,
}

impl<'a> Asked<'a> {
    /// A question that ends with [`Error::Cancelled`] once the flag is set.
    pub fn new(recording: &'a Arc<Recording>, cancelled: &'a AtomicBool) -> Self {
        Self {
            recording,
            cancelled,
            knowledge: None,
            history: None,
        }
    }

    /// The same, by somebody who may know calls without asking.
    #[must_use]
    pub fn knowing(mut self, knowledge: &'a dyn Knowledge) -> Self {
        self.knowledge = Some(knowledge);
        self
    }

    /// The same, by somebody who may be asked about single values.
    #[must_use]
    pub fn following(mut self, history: &'a History) -> Self {
        self.history = Some(history);
        self
    }

    /// Can the recording tell what calls covered?
    pub(super) fn tells_coverage(self) -> bool {
        self.recording.meta().options.level >= Level::Full
    }
}

impl<'a> From<&'a Arc<Recording>> for Asked<'a> {
    fn from(recording: &'a Arc<Recording>) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self::new(recording, &NEVER)
    }
}
