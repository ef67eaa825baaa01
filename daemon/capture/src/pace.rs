//! How much slower a program runs because its threads stand still for a recording, in stretches of some seconds each.
//!
//! It is a lower bound, of the thread that is hindered most: who stood still for nine of ten seconds had one to run, so that it took
//! ten times as long. A stop costs more than the time that a thread is seen to stand: the JVM tells of it, and wakes the thread up again. Of that, as much is
//! counted as lies between letting a thread go and the next event of it where that was shortest. What else the JVM spends (it interprets what it steps
//! through), and what code costs that was put into classes, nobody sees from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jdwp::ThreadId;
use rustc_hash::FxHashMap;

/// How long a stretch is, at least: the next stop behind it ends it. Long enough for the start of a program, where classes are prepared one
/// after another, not to decide.
pub const STRETCH: Duration = Duration::from_secs(10);

/// The most that is told, in percent: who did nothing but stand has no pace.
const MOST: u64 = 1_000_000;

/// The slowest stretch that nobody has asked about; 0: none has ended.
#[derive(Debug, Default)]
pub(crate) struct Slowness(AtomicU64);

impl Slowness {
    /// In percent of the time that the program had taken by itself.
    pub(crate) fn take(&self) -> Option<u64> {
        match self.0.swap(0, Ordering::Relaxed) {
            0 => None,
            percent => Some(percent),
        }
    }
}

/// The most that a stop is taken to cost beside the time that a thread is seen to stand: the JVM tells of it, and wakes it up again. Measured, it is
/// more than this on every JVM that was tried.
const MOST_OF_A_STOP: Duration = Duration::from_micros(50);

/// Who stood still how long in the stretch that has begun.
pub(crate) struct Pace {
    slowness: Arc<Slowness>,
    begun: Instant,
    /// Of all threads together: the whole JVM was suspended.
    all: Duration,
    threads: FxHashMap<ThreadId, Stops>,
    /// The shortest time from letting a thread go to the next that is told of it: hardly any of it was its own.
    shortest: Duration,
}

/// How often and how long a thread was stopped.
#[derive(Default)]
struct Stops {
    time: Duration,
    count: u32,
    /// When it was let go last.
    let_go: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(slowness: Arc<Slowness>) -> Self {
        Self {
            slowness,
            begun: Instant::now(),
            all: Duration::ZERO,
            threads: FxHashMap::default(),
            shortest: MOST_OF_A_STOP,
        }
    }

    /// Something is told of a thread.
    pub(crate) fn told(&mut self, thread: ThreadId, now: Instant) {
        if let Some(let_go) = self
            .threads
            .get_mut(&thread)
            .and_then(|stops| stops.let_go.take())
        {
            self.shortest = self.shortest.min(now.saturating_duration_since(let_go));
        }
    }

    /// One thread stood still, and was let go. What is before the stretch does not count.
    pub(crate) fn stood(&mut self, thread: ThreadId, since: Instant, until: Instant) {
        let stops = self.threads.entry(thread).or_default();
        stops.time += until.saturating_duration_since(since.max(self.begun));
        stops.count = stops.count.saturating_add(1);
        stops.let_go = Some(until);
    }

    /// The whole JVM stood still, for longer than single threads of it that have been counted.
    pub(crate) fn all_stood(&mut self, since: Instant, until: Instant) {
        self.all += until.saturating_duration_since(since.max(self.begun));
    }

    /// Ends the stretch where it is long enough.
    pub(crate) fn look(&mut self, now: Instant) {
        let took = now.saturating_duration_since(self.begun);
        if took < STRETCH {
            return;
        }
        let hindered = |stops: &Stops| stops.time + self.shortest * stops.count;
        let most = self
            .threads
            .values()
            .map(hindered)
            .max()
            .unwrap_or_default();
        let ran = took.saturating_sub(self.all + most).as_nanos().max(1);
        let percent = u64::try_from(took.as_nanos() * 100 / ran).unwrap_or(MOST);
        self.slowness
            .0
            .fetch_max(percent.min(MOST), Ordering::Relaxed);
        *self = Self {
            begun: now,
            ..Self::new(Arc::clone(&self.slowness))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace of one whose stretch began just now, and a time so many milliseconds later.
    fn pace() -> (Pace, impl Fn(u64) -> Instant) {
        let pace = Pace::new(Arc::default());
        let begun = pace.begun;
        (pace, move |ms| begun + Duration::from_millis(ms))
    }

    #[test]
    fn the_thread_that_is_hindered_most_counts() {
        let (mut pace, at) = pace();
        for second in 0..10 {
            // One stands for half of the time, one for a tenth, and a tenth all.
            pace.stood(ThreadId(1), at(second * 1000), at(second * 1000 + 500));
            pace.stood(ThreadId(2), at(second * 1000), at(second * 1000 + 100));
            pace.all_stood(at(second * 1000 + 500), at(second * 1000 + 600));
        }
        pace.look(at(9_999));
        assert_eq!(pace.slowness.take(), None, "the stretch has not ended");
        pace.look(at(10_000));
        assert_eq!(pace.slowness.take(), Some(250));
        assert_eq!(pace.slowness.take(), None, "it is told once");
    }

    #[test]
    fn a_program_that_nobody_stops_takes_its_own_time_and_one_that_only_stands_has_a_bound() {
        let (mut pace, at) = pace();
        pace.look(at(60_000));
        assert_eq!(pace.slowness.take(), Some(100));
        pace.all_stood(at(0), at(70_000));
        pace.look(at(70_000));
        assert_eq!(
            pace.slowness.take(),
            Some(MOST),
            "what lies before the stretch does not count"
        );
    }

    #[test]
    fn a_stop_costs_what_lies_between_two_of_them_at_least() {
        let at = |begun: Instant, us: u64| begun + Duration::from_micros(us);
        for (gap, told) in [(20, 125), (500, 200)] {
            let mut pace = Pace::new(Arc::default());
            let begun = pace.begun;
            // A thread that is let go at once each 100 us, and whose next event comes after so long.
            for stop in 0..100_000 {
                pace.told(ThreadId(1), at(begun, stop * 100));
                pace.stood(ThreadId(1), at(begun, stop * 100), at(begun, stop * 100));
                pace.told(ThreadId(1), at(begun, stop * 100 + gap));
            }
            pace.look(at(begun, 10_000_000));
            assert_eq!(
                pace.slowness.take(),
                Some(told),
                "of 20 us all counts, of 500 as much as a stop may cost"
            );
        }
    }

    #[test]
    fn the_slowest_of_the_stretches_is_told() {
        let (mut pace, at) = pace();
        pace.stood(ThreadId(1), at(0), at(5_000));
        pace.look(at(10_000));
        pace.stood(ThreadId(1), at(10_000), at(11_000));
        pace.look(at(20_000));
        assert_eq!(pace.slowness.take(), Some(200));
    }
}
