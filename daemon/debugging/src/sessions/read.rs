//! What is read of a recording for all its sessions: the tree of its calls, and what they covered.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use jhyde_store::Recording;
use jhyde_trace::{CallId, ClassId, Level, MethodId, ThreadId, Timestamp};
use rustc_hash::FxHashMap;

use super::behind::{Behind, Covered, Reading};
use super::{Asked, Error, View};
use crate::coverage::Coverage;
use crate::covered::CoverageError;
use crate::recorded::RecordedCoverage;
use crate::session::{Progress, Session};
use crate::strategy::{NeedsCoverage, Strategy};
use crate::tree::{CallFacts, ComputationTree, Forest};
use crate::values;
use crate::weights::Weights;

/// Says of a call in the scope that has ended since when not all that it covered was recorded, if that is so.
pub(super) fn lowered(recording: &Recording, call: CallId) -> Result<Option<CoverageError>, Error> {
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
pub(super) struct RecordedTree<'a>(pub(super) &'a Recording);

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
pub(super) struct Loaded {
    pub(super) read: Read,
    pub(super) sessions: FxHashMap<String, Session>,
}

/// What was read of a recording, for all its sessions.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) forest: Forest,
    /// What calls covered, as far as it was asked for.
    pub(super) covered: Arc<Covered>,
    /// Where that is read on.
    pub(super) behind: Arc<Behind>,
    /// How calls reached what was pointed at last.
    pub(super) flow: values::Kept,
    /// How calls weigh in the session that was asked last, and which state of it and of the tree that was.
    weights: Option<(Weighed, Weights)>,
    /// Of sessions whose next question was chosen before what calls covered had been read: the state that it was chosen in. It is
    /// the same as long as they are.
    by_methods: FxHashMap<String, Vec<u8>>,
}

/// A state of a session and of the tree, and whether calls are weighed by what they covered.
type Weighed = (Vec<u8>, u64, bool);

/// What a strategy goes by.
enum By<'a> {
    /// What calls covered.
    Coverage(MutexGuard<'a, RecordedCoverage>),
    /// The calls alone; what they covered may be there later.
    Calls(Option<Reading>),
}

impl By<'_> {
    fn coverage(&self) -> Option<&dyn Coverage> {
        match self {
            Self::Coverage(coverage) => Some(&**coverage),
            Self::Calls(_) => None,
        }
    }
}

impl Read {
    /// What a session's strategy goes by now: reads what calls covered, where it looks at that and need not wait long.
    fn by<'a>(
        &mut self,
        covered: &'a Arc<Covered>,
        asked: Asked<'_>,
        session: &Session,
    ) -> Result<By<'a>, Error> {
        let strategy = session.kept().strategy;
        if strategy.needs_coverage() && !asked.tells_coverage() {
            return Err(NeedsCoverage { strategy }.into());
        }
        if !strategy.looks_at_coverage() || !asked.tells_coverage() {
            return Ok(By::Calls(None));
        }
        if !strategy.needs_coverage() {
            let kept = session.kept();
            let state = kept.encode()?;
            let reading = covered.reading(asked.recording);
            if reading.left() > self.behind.at_once && !covered.has_failed() {
                self.behind.read(covered, asked.recording);
                self.by_methods.insert(kept.id.clone(), state);
                return Ok(By::Calls(Some(reading)));
            }
            if self.by_methods.get(&kept.id) == Some(&state) {
                return Ok(By::Calls(Some(reading)));
            }
            self.by_methods.remove(&kept.id);
        }
        match covered.whole(asked) {
            Ok(coverage) => Ok(By::Coverage(coverage)),
            // What does not fit in the memory is gone without by who can.
            Err(Error::TooLarge { .. }) if !strategy.needs_coverage() => Ok(By::Calls(None)),
            Err(error) => Err(error),
        }
    }

    /// The tree, and how its calls weigh in a session.
    pub(super) fn weights(
        &mut self,
        asked: Asked<'_>,
        session: &Session,
    ) -> Result<(&Forest, &Weights), Error> {
        let covered = Arc::clone(&self.covered);
        let by = self.by(&covered, asked, session)?;
        let coverage = by.coverage();
        let state = (
            session.kept().encode()?,
            self.forest.version(),
            coverage.is_some(),
        );
        if self.weights.as_ref().is_none_or(|(of, _)| *of != state) {
            let strategy = session.kept().strategy;
            let weights = Weights::of(strategy, &self.forest, session.suspicious(), coverage)?;
            self.weights = Some((state, weights));
        }
        static NONE: Weights = Weights::None;
        let weights = self.weights.as_ref();
        Ok((&self.forest, weights.map_or(&NONE, |(_, weights)| weights)))
    }

    /// A session as it stands now.
    pub(super) fn view(&mut self, asked: Asked<'_>, session: &Session) -> Result<View, Error> {
        let covered = Arc::clone(&self.covered);
        let by = self.by(&covered, asked, session)?;
        let mut view = View::of(session, &self.forest, by.coverage())?;
        match by {
            By::Coverage(coverage) => {
                view.unweighed = coverage.unread();
                view.lowered = coverage.lowered();
            }
            By::Calls(reading) => view.reading = reading,
        }
        Ok(view)
    }

    /// A session as it stands once nothing is known of the call that it would ask next.
    pub(super) fn settle(
        &mut self,
        asked: Asked<'_>,
        session: &mut Session,
    ) -> Result<View, Error> {
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

    /// About how many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        let weights = self
            .weights
            .as_ref()
            .map_or(0, |(_, weights)| weights.memory());
        self.forest.memory() + self.covered.memory() + self.flow.memory() + weights
    }
}
