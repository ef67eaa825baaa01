//! How a recording is ended from outside, and what it leaves.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jhyde_trace::State;

use crate::burden::Burden;
use crate::pace::Slowness;

/// How a recording is ended. In any case the JVM is detached from and runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The recording ends as [`State::Detached`].
    Detach,
    /// The recording ends as [`State::Stopped`].
    Stop,
    /// The recording ends as [`State::LimitReached`]: see [`Controller::end_at_limit`].
    Limit,
}

/// Ends a recording, or what is to become one, from any thread, and tells what it costs the program.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// The order, and when it was given.
    order: Arc<OnceLock<(Ending, Instant)>>,
    /// Why less is to be recorded from now on.
    lower: Arc<Mutex<Option<String>>>,
    /// Which limit ended it.
    limit: Arc<OnceLock<String>>,
    /// What it costs the program.
    burden: Arc<Burden>,
    /// How slow the program was in the slowest stretch that nobody has asked about yet.
    slowness: Arc<Slowness>,
}

impl Controller {
    /// Of a recording whose cost to the program is counted there, with that of others.
    pub fn counting(burden: Arc<Burden>) -> Self {
        Self {
            burden,
            ..Self::default()
        }
    }

    pub(crate) fn burden(&self) -> &Arc<Burden> {
        &self.burden
    }

    pub(crate) fn slowness(&self) -> &Arc<Slowness> {
        &self.slowness
    }

    /// What share of its own time the program took at least, in percent (250: two and a half times as long), in the slowest stretch of
    /// [`STRETCH`](crate::STRETCH) since this was asked last; `None`: none has ended since. What is counted is how long its threads stood
    /// still for the recording: for the code that the engine `probe` puts in it takes longer than this.
    pub fn take_slowness(&self) -> Option<u64> {
        self.slowness.take()
    }

    /// Asks for the end; the first order counts. Does not wait.
    pub fn end(&self, ending: Ending) {
        let _ = self.order.set((ending, Instant::now()));
    }

    /// Asks for the next lower level, and says why; where the engine has none, the recording ends. Does not wait.
    pub fn lower(&self, reason: String) {
        *self.lower.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    /// Why less is to be recorded from now on; told once.
    pub(crate) fn take_lower(&self) -> Option<String> {
        let mut lower = self.lower.lock().unwrap_or_else(PoisonError::into_inner);
        lower.take()
    }

    /// Asks for the end because a limit is reached: which, in words for people. Does not wait.
    pub fn end_at_limit(&self, reason: String) {
        let _ = self.limit.set(reason);
        self.end(Ending::Limit);
    }

    /// Which limit was reached.
    pub(crate) fn limit(&self) -> String {
        self.limit.get().cloned().unwrap_or_default()
    }

    /// How it is to end, once somebody has asked for it.
    pub fn order(&self) -> Option<Ending> {
        self.order.get().map(|(ending, _)| *ending)
    }

    /// Was the end asked for so long ago?
    pub(crate) fn waited(&self, patience: Duration) -> bool {
        let order = self.order.get();
        order.is_some_and(|(_, given)| given.elapsed() >= patience)
    }
}

/// What a recording leaves when it has ended.
pub struct Finished<S> {
    /// The sink, with all events in it.
    pub sink: S,
    /// How it ended.
    pub state: State,
    /// What a reader of the recording should know.
    pub notes: Vec<String>,
}
