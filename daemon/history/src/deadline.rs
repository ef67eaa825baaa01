//! The moment from which on nobody waits for an answer.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

/// A moment, or none. Loops ask with each event whether it is over, and to look at the clock takes as long as what they do with one:
/// so the clock is looked at once in [`Deadline::EVERY`] times.
#[derive(Debug, Default)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    asked: AtomicU32,
    is_over: AtomicBool,
}

impl Deadline {
    const EVERY: u32 = 8;

    pub(crate) fn new(at: Option<Instant>) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    /// Is it over? Once it is, it stays so.
    pub(crate) fn is_over(&self) -> bool {
        let Some(at) = self.at else { return false };
        if self.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let looks = self
            .asked
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(Self::EVERY);
        let is_over = looks && Instant::now() >= at;
        if is_over {
            self.is_over.store(true, Ordering::Relaxed);
        }
        is_over
    }
}

/// The same moment: who asks looks at the clock first.
impl Clone for Deadline {
    fn clone(&self) -> Self {
        Self::new(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_seen_at_once_or_within_some_questions_and_stays_over() {
        assert!(!Deadline::default().is_over());
        let now = Instant::now();
        assert!(Deadline::new(Some(now)).is_over());
        let later = Deadline::new(Some(now + Duration::from_millis(20)));
        let again = later.clone();
        while !later.is_over() {
            std::thread::yield_now();
        }
        assert!(later.is_over() && again.is_over() && again.is_over());
        assert!(now.elapsed() >= Duration::from_millis(20));
    }
}
