//! How a recording is ended from outside, and what it leaves.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use jhyde_trace::State;

/// How somebody ends a recording. Either way the JVM is detached from and runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The recording ends as [`State::Detached`].
    Detach,
    /// The recording ends as [`State::Stopped`].
    Stop,
}

/// Ends a recording, or what is to become one, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// The order, and when it was given.
    order: Arc<OnceLock<(Ending, Instant)>>,
}

impl Controller {
    /// Asks for the end; the first order counts. Does not wait.
    pub fn end(&self, ending: Ending) {
        let _ = self.order.set((ending, Instant::now()));
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
