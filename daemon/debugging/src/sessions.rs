//! The sessions of recordings: kept with the recording after every change (see `keeper`), taken up from there after
//! a restart, and on a tree that is read once per recording and shared by its sessions.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::{CallId, ClassId, Level, MethodId, ThreadId, Timestamp};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::adaptive::Choice;
use crate::answers::{Answer, Given, OneValue, Pointed};
use crate::coverage::Coverage;
use crate::covered::{CallCoverage, CoverageError};
use crate::evidence::Evidence;
use crate::keeper::Keeper;
use crate::known::{Knowing, Knowledge, Known};
use crate::pointing;
use crate::recorded::{RecordedCoverage, Stopped};
use crate::session::{AnswerError, Kept, Progress, Session, SessionError};
use crate::shelf::Shelf;
use crate::statistics::Statistics;
use crate::strategy::{NeedsCoverage, Strategy};
use crate::suspicious::Classification;
use crate::tree::{CallFacts, ComputationTree, Forest};
use crate::values::{self, AskedValue, Verdict};

/// Why something could not be done with a session.
#[derive(Debug, Error)]
pub enum Error {
    /// The recording has no such session.
    #[error(
        "there is no session '{session}' in recording {recording}: `jhyde sessions {recording}` (ListSessions) lists those that there are"
    )]
    NoSuchSession {
        /// What was asked for.
        session: String,
        /// Where.
        recording: String,
    },
    /// It cannot be done in the state that the session is in.
    #[error(transparent)]
    Refused(#[from] AnswerError),
    /// The session was kept, and cannot be read.
    #[error(transparent)]
    Kept(#[from] SessionError),
    /// It cannot be said what a call covered.
    #[error(transparent)]
    Coverage(#[from] CoverageError),
    /// The recording is too long for the memory that the daemon may use.
    #[error(
        "{what} {} the {} MB that debugging may use: give the daemon more memory (--memory, of which debugging \
         has half), or record less",
        .needs.map_or_else(|| "takes more than".to_owned(), |bytes| format!("takes {} MB, more than", bytes >> 20)),
        .limit >> 20
    )]
    TooLarge {
        /// What is needed in memory.
        what: &'static str,
        /// How much it takes, if that is known; bytes.
        needs: Option<u64>,
        /// How much it may take, bytes.
        limit: usize,
    },
    /// Nobody can say whether calls are equal, since a recording could not be read.
    #[error("calls could not be compared: {0}")]
    Compared(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Whoever asked does not wait for the answer any more.
    #[error("the question was cancelled")]
    Cancelled,
    /// The recording could not be read, or the session not be written.
    #[error(transparent)]
    Store(#[from] jhyde_store::Error),
}

impl From<NeedsCoverage> for Error {
    fn from(needs: NeedsCoverage) -> Self {
        Self::Refused(needs.into())
    }
}

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
    /// The one value of the call that is asked which decides as much as the whole call.
    pub value: Option<AskedValue>,
}

impl View {
    /// So many candidates are named at most.
    pub const MOST_CANDIDATES: usize = 1000;

    fn of(
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
    recording: &'a Recording,
    cancelled: &'a AtomicBool,
    knowledge: Option<&'a dyn Knowledge>,
    history: Option<&'a History>,
}

impl<'a> Asked<'a> {
    /// A question that ends with [`Error::Cancelled`] once the flag is set.
    pub fn new(recording: &'a Recording, cancelled: &'a AtomicBool) -> Self {
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
    fn tells_coverage(self) -> bool {
        self.recording.meta().options.level >= Level::Full
    }
}

impl<'a> From<&'a Recording> for Asked<'a> {
    fn from(recording: &'a Recording) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self::new(recording, &NEVER)
    }
}

impl<'a> From<&'a Arc<Recording>> for Asked<'a> {
    fn from(recording: &'a Arc<Recording>) -> Self {
        Self::from(recording.as_ref())
    }
}

/// Says of a call in the scope that has ended since when not all that it covered was recorded, if that is so.
fn lowered(recording: &Recording, call: CallId) -> Result<Option<CoverageError>, Error> {
    let levels = recording.levels_or_lowest();
    if levels.facts().is_empty() {
        return Ok(None);
    }
    let record = match recording.call(call) {
        // Who asks for it is told what is wrong with it.
        Err(jhyde_store::Error::NoSuchCall(_) | jhyde_store::Error::Damaged { .. }) => {
            return Ok(None);
        }
        record => record?,
    };
    let Some((exit, method)) = record.exit.zip(recording.method(record.method)?) else {
        return Ok(None);
    };
    let of = (method.class.id, record.method);
    let before = Timestamp(record.enter.0.saturating_sub(1));
    let stretch = levels.unseen(Level::Full, of, before, exit);
    Ok(stretch
        .filter(|_| !record.boundary)
        .map(|stretch| CoverageError::Lowered {
            call,
            level: stretch.fact.level,
            since: stretch.fact.since,
        }))
}

/// A recording as a computation tree.
struct RecordedTree<'a>(&'a Recording);

impl ComputationTree for RecordedTree<'_> {
    type Error = jhyde_store::Error;

    fn is_live(&self) -> Result<bool, Self::Error> {
        Ok(self.0.meta().state.is_live())
    }

    fn threads(&self) -> Result<Vec<(ThreadId, u64)>, Self::Error> {
        let mut threads = Vec::new();
        for thread in self.0.thread_ids() {
            threads.push((thread, self.0.root(thread)?.calls));
        }
        Ok(threads)
    }

    fn calls(
        &self,
        thread: ThreadId,
        preorders: Range<u64>,
        visit: &mut dyn FnMut(CallFacts),
    ) -> Result<(), Self::Error> {
        let mut next = preorders.start;
        let mut enter = Timestamp(0);
        let mut damaged = false;
        for record in self.0.preorder(thread, preorders.clone()) {
            let record = match record {
                Ok(record) => record,
                Err(jhyde_store::Error::Damaged { .. }) => {
                    damaged = true;
                    continue;
                }
                Err(error) => return Err(error),
            };
            (next..record.id.preorder).for_each(|_| visit(CallFacts::lost(enter)));
            next = record.id.preorder + 1;
            enter = record.enter;
            visit(CallFacts {
                subtree: record.size,
                enter,
                method: record.method,
                boundary: record.boundary,
                complete: record.exit.is_some(),
                lost: false,
            });
        }
        if damaged {
            (next..preorders.end).for_each(|_| visit(CallFacts::lost(enter)));
        }
        Ok(())
    }

    fn class_of(&self, method: MethodId) -> Result<Option<ClassId>, Self::Error> {
        match self.0.method(method) {
            // It only groups calls in statistics: those of lost classes go without.
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            method => Ok(method?.map(|method| method.class.id)),
        }
    }

    fn name_of(&self, class: ClassId) -> Result<Option<String>, Self::Error> {
        match self.0.class(class) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            class => Ok(class?.map(|class| class.name.clone())),
        }
    }
}

/// What is in memory of one recording.
#[derive(Debug, Default)]
struct Loaded {
    read: Read,
    sessions: FxHashMap<String, Session>,
}

/// What was read of a recording, for all its sessions.
#[derive(Debug, Default)]
struct Read {
    forest: Forest,
    /// What calls covered, as far as it was asked for.
    coverage: RecordedCoverage,
    /// How calls reached what was pointed at last.
    flow: values::Kept,
}

impl Read {
    /// A session as it stands now.
    fn view(&mut self, asked: Asked<'_>, session: &Session) -> Result<View, Error> {
        let strategy = session.kept().strategy;
        let mut coverage = None;
        if strategy.needs_coverage() && !asked.tells_coverage() {
            return Err(NeedsCoverage { strategy }.into());
        }
        if strategy.looks_at_coverage() && asked.tells_coverage() {
            match self.read_coverage(asked) {
                Ok(()) => coverage = Some(&self.coverage as &dyn Coverage),
                // What does not fit in the memory is gone without by who can.
                Err(Error::TooLarge { .. }) if !strategy.needs_coverage() => {}
                Err(error) => return Err(error),
            }
        }
        let covered = coverage.is_some();
        let mut view = View::of(session, &self.forest, coverage)?;
        if covered {
            view.unweighed = self.coverage.unread();
            view.lowered = self.coverage.lowered();
        }
        Ok(view)
    }

    /// A session as it stands once nothing is known of the call that it would ask next.
    fn settle(&mut self, asked: Asked<'_>, session: &mut Session) -> Result<View, Error> {
        loop {
            let view = self.view(asked, session)?;
            let answers = &session.kept().answers;
            let (Some(knowledge), Progress::Asking(call)) = (asked.knowledge, &view.progress)
            else {
                return self.with_value(asked, session, view);
            };
            if answers.knowing().is_doubted(*call) {
                return self.with_value(asked, session, view);
            }
            if asked.cancelled.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            let call = *call;
            if !answers.evidence().properties.is_empty()
                && let Some(property) = knowledge.breaks(answers, call)?
            {
                session.add_broken(&self.forest, property, call);
                continue;
            }
            let answers = &session.kept().answers;
            if !answers.knowing().on {
                return self.with_value(asked, session, view);
            }
            // Each turn answers one call more, so this comes to an end.
            match knowledge.of(answers, call)? {
                Some(known) if known.call == call => session.learn(&self.forest, known)?,
                _ => return self.with_value(asked, session, view),
            }
        }
    }

    /// The same, with the value that is asked about instead of the call.
    fn with_value(
        &mut self,
        asked: Asked<'_>,
        session: &Session,
        mut view: View,
    ) -> Result<View, Error> {
        let is_adaptive = session.kept().strategy == Strategy::Adaptive;
        let history = asked
            .history
            .filter(|_| is_adaptive && asked.tells_coverage());
        if let (Some(history), &Progress::Asking(call)) = (history, &view.progress) {
            view.value = match self.flow.instead_of(history, session, call) {
                Ok(value) => value,
                Err(jhyde_history::Error::Cancelled) => return Err(Error::Cancelled),
                // What cannot be read is not asked about by itself.
                Err(_) => None,
            };
        }
        Ok(view)
    }

    /// Reads what calls covered, as far as the recording is now.
    fn read_coverage(&mut self, asked: Asked<'_>) -> Result<(), Error> {
        match self.coverage.refresh(asked.recording, asked.cancelled)? {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(Stopped::Cancelled) => Err(Error::Cancelled),
            ControlFlow::Break(Stopped::Full) => Err(Error::TooLarge {
                what: "what its calls covered",
                needs: None,
                limit: self.coverage.limit,
            }),
        }
    }

    /// About how many bytes it takes.
    fn memory(&self) -> usize {
        self.forest.memory() + self.coverage.memory() + self.flow.memory()
    }
}

/// The sessions of all recordings of a daemon.
///
/// Nothing but caches lives here, and sessions that could not be written: all else can be dropped at any time and is
/// read again when needed.
/// Every call may touch the disk; calls for one recording wait for one another.
#[derive(Debug)]
pub struct Sessions {
    shelf: Shelf<Loaded>,
    keeper: Keeper,
}

impl Default for Sessions {
    /// Within 256 MiB.
    fn default() -> Self {
        Self::within(256 << 20)
    }
}

impl Sessions {
    /// Sessions that take at most so many bytes of memory, together.
    pub fn within(bytes: u64) -> Self {
        Self {
            shelf: Shelf::new(usize::try_from(bytes).unwrap_or(usize::MAX)),
            keeper: Keeper::default(),
        }
    }

    /// Begins a session.
    ///
    /// # Errors
    /// [`enum@Error`] when the strategy or the restriction makes no sense for the recording, or it cannot be kept.
    pub fn create<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        strategy: Strategy,
        restriction: Option<CallId>,
    ) -> Result<View, Error> {
        let evidence = Evidence::default();
        self.begin(
            asked,
            strategy,
            restriction,
            Knowing::default(),
            false,
            evidence,
        )
    }

    /// Begins a session that looks calls up before it asks them, and goes by what is said of many at once.
    ///
    /// # Errors
    /// As [`Sessions::create`].
    pub fn begin<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        strategy: Strategy,
        restriction: Option<CallId>,
        knowing: Knowing,
        asks_values: bool,
        evidence: Evidence,
    ) -> Result<View, Error> {
        let asked = asked.into();
        let recording = asked.recording;
        if strategy.needs_coverage() && !asked.tells_coverage() {
            return Err(NeedsCoverage { strategy }.into());
        }
        self.with_forest(recording, |loaded| {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let created_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
            let taken = self.keeper.ids(recording)?;
            let id = (1_u32..)
                .map(|ordinal| format!("{created_ms:x}-{ordinal}"))
                .find(|id| !taken.contains(id))
                .unwrap_or_default();
            let kept = Kept::new(id.clone(), created_ms, strategy)
                .knowing(knowing)
                .asking_values(asks_values);
            let mut session = Session::new(kept, &loaded.read.forest);
            session.set_evidence(&loaded.read.forest, evidence);
            if restriction.is_some() {
                session.restrict(&loaded.read.forest, restriction)?;
            }
            let mut view = loaded.read.settle(asked, &mut session)?;
            self.keeper.put(recording, &id, session.kept().encode()?)?;
            view.unwritten = self.keeper.is_unwritten(recording, &id);
            loaded.sessions.insert(id, session);
            Ok(view)
        })
    }

    /// A session as it stands now.
    ///
    /// # Errors
    /// [`enum@Error`] when it is not there or cannot be read.
    pub fn view<'a>(&self, asked: impl Into<Asked<'a>>, id: &str) -> Result<View, Error> {
        let asked = asked.into();
        self.with_session(asked.recording, id, |session, read| {
            let mut settled = session.clone();
            let mut view = read.settle(asked, &mut settled)?;
            if settled.kept() != session.kept() {
                let bytes = settled.kept().encode()?;
                self.keeper.put(asked.recording, id, bytes)?;
                *session = settled;
            }
            view.unwritten = self.keeper.is_unwritten(asked.recording, id);
            Ok(view)
        })
    }

    /// The ids of a recording's sessions.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn ids(&self, recording: &Recording) -> Result<Vec<String>, Error> {
        Ok(self.keeper.ids(recording)?)
    }

    /// Deletes a session.
    ///
    /// # Errors
    /// [`enum@Error`] when it is not there or cannot be deleted.
    pub fn delete(&self, recording: &Recording, id: &str) -> Result<(), Error> {
        self.with_forest(recording, |loaded| {
            // A damaged one, too: it is there, and cannot be read.
            if !self.keeper.ids(recording)?.iter().any(|known| known == id) {
                return Err(Error::NoSuchSession {
                    session: id.to_owned(),
                    recording: recording.id().to_owned(),
                });
            }
            self.keeper.delete(recording, id)?;
            loaded.sessions.remove(id);
            Ok(())
        })
    }

    /// Answers for a call.
    ///
    /// # Errors
    /// [`enum@Error`] when it is refused or cannot be kept; the session is then as it was.
    pub fn answer<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        call: CallId,
        answer: Answer,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.answer(forest, call, answer)
        })
    }

    /// Answers for a call, and says which calls can be to blame.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn point<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        given: Given,
        pointed: Pointed,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.point(forest, given.call, given.answer, Some(pointed))
        })
    }

    /// Answers for the one value of a call that is asked about; `remembered` says who did where nobody was asked.
    ///
    /// # Errors
    /// As [`Sessions::answer`]; when another one is asked about, or none.
    pub fn judge<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        (call, variable): (CallId, &str),
        verdict: Verdict,
        remembered: String,
    ) -> Result<View, Error> {
        let asked = asked.into();
        let refused = AnswerError::NotAsked(call);
        let history = asked.history.ok_or(refused)?;
        let value = self.view(asked, id)?.value;
        let value = value.filter(|value| value.call == call && value.form == variable);
        let value = value.ok_or(refused)?;
        let pointed = match verdict {
            Verdict::Wrong => Some(pointing::wrong(history, call, &[value.variable]).map_err(
                |error| match error {
                    jhyde_history::Error::Cancelled => Error::Cancelled,
                    jhyde_history::Error::Store(error) => Error::Store(error),
                    error => Error::Compared(Box::new(error)),
                },
            )?),
            Verdict::Right | Verdict::Unknown => None,
        };
        let answer = match verdict {
            Verdict::Right => Answer::RightValue,
            Verdict::Wrong => Answer::Invalid,
            Verdict::Unknown => Answer::OpenValue,
        };
        let about = OneValue {
            variable: value.form,
            of: value.of,
            remembered,
        };
        self.change(asked, id, |session, forest| {
            session.judge(forest, Given { call, answer }, pointed, about)
        })
    }

    /// Takes note of what is known of a call from elsewhere.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn learn<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        known: Known,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.learn(forest, known)
        })
    }

    /// Forgets what is known of a call without asking, for good.
    ///
    /// # Errors
    /// As [`Sessions::answer`]; when nothing is known of it.
    pub fn doubt<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        call: CallId,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.doubt(forest, call)
        })
    }

    /// Switches on or off that calls are looked up before they are asked.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn know<'a>(&self, asked: impl Into<Asked<'a>>, id: &str, on: bool) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.know(forest, on);
            Ok(())
        })
    }

    /// Replaces what was said of many calls at once.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn set_evidence<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        evidence: Evidence,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.set_evidence(forest, evidence);
            Ok(())
        })
    }

    /// Takes the last answer back.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn undo<'a>(&self, asked: impl Into<Asked<'a>>, id: &str) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.undo(forest).map(drop)
        })
    }

    /// Gives the answer again that was taken back last.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn redo<'a>(&self, asked: impl Into<Asked<'a>>, id: &str) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.redo(forest).map(drop)
        })
    }

    /// Chooses another strategy.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn set_strategy<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        strategy: Strategy,
    ) -> Result<View, Error> {
        let asked = asked.into();
        self.change(asked, id, |session, _| {
            session.set_strategy(strategy, asked.tells_coverage())
        })
    }

    /// Restricts the search to a subtree, or lifts the restriction.
    ///
    /// # Errors
    /// As [`Sessions::answer`].
    pub fn restrict<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        call: Option<CallId>,
    ) -> Result<View, Error> {
        self.change(asked.into(), id, |session, forest| {
            session.restrict(forest, call)
        })
    }

    /// How the calls stand in numbers.
    ///
    /// # Errors
    /// [`enum@Error`] when the session is not there or cannot be read.
    pub fn statistics(&self, recording: &Recording, id: &str) -> Result<Statistics, Error> {
        self.with_session(recording, id, |session, read| {
            Ok(session.statistics(&read.forest))
        })
    }

    /// How each of these calls stands.
    ///
    /// # Errors
    /// [`enum@Error`] when the session is not there or cannot be read.
    pub fn classify(
        &self,
        recording: &Recording,
        id: &str,
        calls: &[CallId],
    ) -> Result<Vec<Classification>, Error> {
        self.with_session(recording, id, |session, read| {
            Ok(calls
                .iter()
                .map(|call| session.classify(&read.forest, *call))
                .collect())
        })
    }

    /// What one call covered itself. The first question about a recording reads all of its events, unless a
    /// strategy did.
    ///
    /// # Errors
    /// [`Error::Coverage`] when that cannot be said, [`Error::Cancelled`], [`Error::Store`].
    pub fn coverage<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        call: CallId,
    ) -> Result<CallCoverage, Error> {
        let asked = asked.into();
        if !asked.tells_coverage() {
            let level = asked.recording.meta().options.level;
            return Err(CoverageError::Level { level }.into());
        }
        self.with_forest(asked.recording, |Loaded { read, .. }| {
            read.read_coverage(asked)?;
            if let Some(lowered) = lowered(asked.recording, call)? {
                return Err(lowered.into());
            }
            Ok(CallCoverage::of(&read.coverage, &read.forest, call)?)
        })
    }

    /// Drops what is in memory of a recording (because it is deleted, say).
    pub fn forget(&self, recording: &str) {
        self.shelf.forget(recording);
        self.keeper.forget(recording);
    }

    /// Changes a session and keeps it.
    fn change(
        &self,
        asked: Asked<'_>,
        id: &str,
        change: impl FnOnce(&mut Session, &Forest) -> Result<(), AnswerError>,
    ) -> Result<View, Error> {
        let recording = asked.recording;
        self.with_session(recording, id, |session, read| {
            let mut changed = session.clone();
            change(&mut changed, &read.forest)?;
            let mut view = read.settle(asked, &mut changed)?;
            self.keeper.put(recording, id, changed.kept().encode()?)?;
            view.unwritten = self.keeper.is_unwritten(recording, id);
            *session = changed;
            Ok(view)
        })
    }

    fn with_session<T>(
        &self,
        recording: &Recording,
        id: &str,
        work: impl FnOnce(&mut Session, &mut Read) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with_forest(recording, |loaded| {
            if !loaded.sessions.contains_key(id) {
                let bytes = self.keeper.get(recording, id)?;
                let bytes = bytes.ok_or_else(|| Error::NoSuchSession {
                    session: id.to_owned(),
                    recording: recording.id().to_owned(),
                })?;
                let kept = Kept::decode(id, &bytes)?;
                loaded
                    .sessions
                    .insert(id.to_owned(), Session::new(kept, &loaded.read.forest));
            }
            let Loaded { read, sessions } = loaded;
            match sessions.get_mut(id) {
                Some(session) => {
                    session.refresh(&read.forest);
                    work(session, read)
                }
                None => Err(Error::NoSuchSession {
                    session: id.to_owned(),
                    recording: recording.id().to_owned(),
                }),
            }
        })
    }

    /// Works with a recording's tree as it is now.
    fn with_forest<T>(
        &self,
        recording: &Recording,
        work: impl FnOnce(&mut Loaded) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let slot = self.shelf.of(recording.id());
        // What is behind the lock is only ever replaced as a whole: a panic elsewhere leaves it usable.
        let mut loaded = slot.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let result = self.with_loaded(recording, &mut loaded, work);
        let bytes = loaded.read.memory();
        drop(loaded);
        self.shelf.weigh(&slot, bytes);
        result
    }

    fn with_loaded<T>(
        &self,
        recording: &Recording,
        loaded: &mut Loaded,
        work: impl FnOnce(&mut Loaded) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if loaded.read.forest.needs_refresh() {
            let threads = RecordedTree(recording).threads()?;
            let calls: u64 = threads.iter().map(|(_, calls)| calls).sum();
            let needs = calls.saturating_mul(Forest::BYTES_PER_CALL);
            if needs > self.shelf.limit as u64 {
                return Err(Error::TooLarge {
                    what: "the tree of its calls",
                    needs: Some(needs),
                    limit: self.shelf.limit,
                });
            }
            loaded.read.forest.refresh(&RecordedTree(recording))?;
        }
        // The tree is there in any case; coverage has what it leaves.
        loaded.read.coverage.limit = self.shelf.limit.saturating_sub(loaded.read.forest.memory());
        work(loaded)
    }
}
