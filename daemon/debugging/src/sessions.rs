//! The sessions of recordings: kept with the recording after every change (see `keeper`), taken up from there after
//! a restart, and on a tree that is read once per recording and shared by its sessions.

use std::hash::Hasher as _;
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use jhyde_store::Recording;
use jhyde_trace::CallId;
use thiserror::Error;

use crate::answers::{Answer, Given, OneValue, Pointed};
use crate::covered::{CallCoverage, CoverageError};
use crate::evidence::Evidence;
use crate::keeper::Keeper;
use crate::known::{Knowing, Known};
use crate::pointing;
use crate::session::{AnswerError, Kept, Session, SessionError};
use crate::shelf::{Shelf, Slot};
use crate::statistics::Statistics;
use crate::strategy::{NeedsCoverage, Strategy};
use crate::suspicious::Classification;
use crate::tree::{ComputationTree, Forest};
use crate::values::Verdict;

mod asked;
mod behind;
mod read;

pub use asked::{Asked, View};
use behind::Behind;
pub use behind::Reading;
use read::{Loaded, Read, RecordedTree, lowered};

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
/// How a call stands in a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// By the answers.
    pub classification: Classification,
    /// Is it in the suspicious set?
    pub suspicious: bool,
    /// How much of what is suspicious lies in its subtree, as the strategy weighs it.
    pub weight: Option<f64>,
}

/// How much of a recording there was when a session was looked at: before it was, so that what comes meanwhile makes
/// another revision.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Its events, while it runs.
    events: Option<u64>,
}

impl Seen {
    fn of(recording: &Recording) -> Self {
        let is_live = recording.meta().state.is_live();
        Self {
            events: is_live.then(|| recording.end().0),
        }
    }

    fn revision(self, session: &[u8]) -> String {
        // The same in every run of the daemon.
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(session);
        let kept = hasher.finish();
        match self.events {
            Some(events) => format!("{kept:016x}-{events}"),
            None => format!("{kept:016x}"),
        }
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
    behind: Arc<Behind>,
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
            behind: Arc::default(),
        }
    }

    /// The same, where `adaptive` waits for what calls covered if that takes reading so many events at most. While more are read it
    /// goes by methods. Default 8,388,608 events, a second about.
    #[must_use]
    pub fn reading_at_once(mut self, events: u64) -> Self {
        self.behind = Arc::new(Behind::from(events));
        self
    }

    /// How far was read what the calls of a recording covered.
    pub fn reading(&self, recording: &Recording) -> Reading {
        let slot = self.shelf.of(recording.id());
        let loaded = slot.kept.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.read.covered.reading(recording)
    }

    /// How many sessions are held in memory. Waits for nobody: of a recording that is being asked just now one is counted.
    pub fn held(&self) -> usize {
        let count = |slot: &Slot<Loaded>| slot.kept.try_lock().map_or(1, |it| it.sessions.len());
        self.shelf.all().iter().map(|slot| count(slot)).sum()
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
        let seen = Seen::of(recording);
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
            let bytes = session.kept().encode()?;
            view.revision = seen.revision(&bytes);
            self.keeper.put(recording, &id, bytes)?;
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
        let seen = Seen::of(asked.recording);
        self.with_session(asked.recording, id, |session, read| {
            let mut settled = session.clone();
            let mut view = read.settle(asked, &mut settled)?;
            let bytes = settled.kept().encode()?;
            view.revision = seen.revision(&bytes);
            if settled.kept() != session.kept() {
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

    /// What is kept of each session, without working out how it stands; of one that cannot be read why not.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn kept(
        &self,
        recording: &Recording,
    ) -> Result<Vec<Result<Kept, SessionError>>, jhyde_store::Error> {
        let mut all = Vec::new();
        for id in self.keeper.ids(recording)? {
            // It may have been deleted meanwhile.
            if let Some(bytes) = self.keeper.get(recording, &id)? {
                all.push(Kept::decode(&id, &bytes));
            }
        }
        Ok(all)
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

    /// How each of these calls stands, and what all that is suspicious weighs, if the strategy weighs calls. The first
    /// question after an answer weighs all calls.
    ///
    /// # Errors
    /// [`enum@Error`] when the session is not there or cannot be read, or the question was cancelled.
    pub fn standings<'a>(
        &self,
        asked: impl Into<Asked<'a>>,
        id: &str,
        calls: &[CallId],
    ) -> Result<(Vec<Standing>, Option<f64>), Error> {
        let asked = asked.into();
        self.with_session(asked.recording, id, |session, read| {
            let suspicious = session.suspicious();
            let (forest, weights) = read.weights(asked, session)?;
            let standings = calls.iter().map(|call| {
                let place = forest.place(*call);
                Standing {
                    classification: session.classify(forest, *call),
                    suspicious: suspicious.contains(forest, *call),
                    weight: place.and_then(|place| weights.weight(forest, suspicious, place)),
                }
            });
            Ok((standings.collect(), weights.all(suspicious)))
        })
    }

    /// The state that a session is in, without working it out: [`View::revision`] of the view that would be given now. While
    /// the program still runs each of its events makes another one.
    ///
    /// # Errors
    /// [`enum@Error`] when the session is not there or cannot be read.
    pub fn revision(&self, recording: &Recording, id: &str) -> Result<String, Error> {
        let seen = Seen::of(recording);
        let bytes = self.keeper.get(recording, id)?;
        let bytes = bytes.ok_or_else(|| Error::NoSuchSession {
            session: id.to_owned(),
            recording: recording.id().to_owned(),
        })?;
        // As it would be written now, were it written by another version before.
        Ok(seen.revision(&Kept::decode(id, &bytes)?.encode()?))
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
            let coverage = read.covered.whole(asked)?;
            if let Some(lowered) = lowered(asked.recording, call)? {
                return Err(lowered.into());
            }
            Ok(CallCoverage::of(&coverage, &read.forest, call)?)
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
        let seen = Seen::of(recording);
        self.with_session(recording, id, |session, read| {
            let mut changed = session.clone();
            change(&mut changed, &read.forest)?;
            let mut view = read.settle(asked, &mut changed)?;
            let bytes = changed.kept().encode()?;
            view.revision = seen.revision(&bytes);
            self.keeper.put(recording, id, bytes)?;
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
        let left = self.shelf.limit.saturating_sub(loaded.read.forest.memory());
        loaded.read.covered.may_take(left);
        loaded.read.behind = Arc::clone(&self.behind);
        work(loaded)
    }
}
