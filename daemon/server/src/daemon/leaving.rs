//! The daemon's end, as everybody in it sees it come: who is asked for it, streams that must end, and who waits for it.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// How far the end is. It only ever comes nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nobody thinks of it.
    Serving,
    /// Somebody has asked for it.
    Asked,
    /// It comes: recordings are being closed.
    Draining,
    /// All recordings are closed, but for so many.
    Closed(usize),
}

/// See the module.
#[derive(Debug)]
pub struct Leaving {
    phase: watch::Sender<Phase>,
    /// Does somebody look whether it was asked for?
    can_be_asked: AtomicBool,
}

impl Default for Leaving {
    fn default() -> Self {
        Self {
            phase: watch::Sender::new(Phase::Serving),
            can_be_asked: AtomicBool::new(false),
        }
    }
}

impl Leaving {
    /// From now on somebody ends the daemon when it is asked for.
    pub fn heed(&self) {
        self.can_be_asked.store(true, Ordering::Release);
    }

    /// Asks for it. `false`: nobody would do it.
    pub fn ask(&self) -> bool {
        let heeded = self.can_be_asked.load(Ordering::Acquire);
        if heeded {
            self.reach(Phase::Asked);
        }
        heeded
    }

    /// It is so far.
    pub fn reach(&self, phase: Phase) {
        self.phase.send_if_modified(|now| {
            let is_nearer = phase > *now;
            if is_nearer {
                *now = phase;
            }
            is_nearer
        });
    }

    /// How far it is now.
    pub fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Completes once it is so far or farther, with where it is then.
    pub fn reached(&self, phase: Phase) -> impl Future<Output = Phase> + Send + use<> {
        let mut now = self.phase.subscribe();
        async move {
            let reached = now.wait_for(|now| *now >= phase).await;
            match reached.map(|now| *now) {
                Ok(now) => now,
                // The daemon is gone: there is nothing beyond that.
                Err(_) => Phase::Closed(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_only_comes_nearer() {
        let leaving = Leaving::default();
        assert!(!leaving.ask());
        assert_eq!(leaving.phase(), Phase::Serving);
        leaving.heed();
        assert!(leaving.ask());
        assert_eq!(leaving.reached(Phase::Asked).await, Phase::Asked);
        let closed = leaving.reached(Phase::Closed(0));
        leaving.reach(Phase::Closed(2));
        leaving.reach(Phase::Draining);
        assert_eq!(closed.await, Phase::Closed(2));
        assert!(leaving.ask());
        assert_eq!(leaving.phase(), Phase::Closed(2));
    }
}
