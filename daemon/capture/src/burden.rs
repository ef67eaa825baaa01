//! What a recording costs its program: what the JVM tells, and how long threads stand still for us, from the event that suspended
//! one, or our own order, to what lets it go on. Only counted here; the rule that every thread goes on is its handlers'. What that makes of
//! the program's speed is worked out in `pace.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jdwp::{Composite, SuspendPolicy, ThreadId};
use rustc_hash::FxHashMap;

use crate::pace::Pace;

/// What recordings have cost their programs, all together. It only grows, and may be read while they run.
#[derive(Debug, Default)]
pub struct Burden {
    told: AtomicU64,
    stops: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Burden {
    /// How often the JVM told something, steps among it, whether or not a thread was stopped for it.
    pub fn told(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    /// How often a thread was stopped, or the whole JVM, which counts once.
    pub fn stops(&self) -> u64 {
        self.stops.load(Ordering::Relaxed)
    }

    /// How long stopped threads stood, one after another; a JVM that was stopped as a whole counts as one thread.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    fn stood(&self, since: Instant, until: Instant) {
        let took = until.saturating_duration_since(since).as_nanos();
        let took = u64::try_from(took).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(took, Ordering::Relaxed);
    }
}

/// Who stands still for us just now.
pub(crate) struct Standing {
    total: Arc<Burden>,
    pace: Pace,
    threads: FxHashMap<ThreadId, Instant>,
    all: Option<Instant>,
}

impl Standing {
    pub(crate) fn new(total: Arc<Burden>, pace: Pace) -> Self {
        Self {
            total,
            pace,
            threads: FxHashMap::default(),
            all: None,
        }
    }

    /// Events came, which may have suspended somebody.
    pub(crate) fn told(&mut self, composite: &Composite) {
        self.total.told.fetch_add(1, Ordering::Relaxed);
        if let Some(thread) = composite.thread() {
            self.pace.told(thread, Instant::now());
        }
        match (composite.suspend_policy, composite.thread()) {
            (SuspendPolicy::NONE, _) => {}
            (SuspendPolicy::EVENT_THREAD, Some(thread)) => {
                self.total.stops.fetch_add(1, Ordering::Relaxed);
                self.threads.entry(thread).or_insert_with(Instant::now);
            }
            _ => self.suspended_all(),
        }
    }

    pub(crate) fn suspended_all(&mut self) {
        self.total.stops.fetch_add(1, Ordering::Relaxed);
        self.all.get_or_insert_with(Instant::now);
    }

    pub(crate) fn resumed(&mut self, thread: ThreadId) {
        if let Some(since) = self.threads.remove(&thread) {
            let now = Instant::now();
            self.total.stood(since, now);
            // While all stand it stands with them.
            self.pace.stood(thread, since, self.all.unwrap_or(now));
            self.pace.look(now);
        }
    }

    /// The order that resumes all takes one suspension from each thread, those of its own among them.
    pub(crate) fn resumed_all(&mut self) {
        let now = Instant::now();
        let all = self.all.take();
        for (thread, since) in self.threads.drain() {
            self.total.stood(since, now);
            self.pace.stood(thread, since, all.unwrap_or(now));
        }
        if let Some(since) = all {
            self.total.stood(since, now);
            self.pace.all_stood(since, now);
        }
        self.pace.look(now);
    }
}

impl Drop for Standing {
    /// The end of a session lets everybody go on.
    fn drop(&mut self) {
        self.resumed_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(suspend_policy: SuspendPolicy, thread: u64) -> Composite {
        let thread = ThreadId(thread);
        let request = jdwp::RequestId(1);
        Composite {
            suspend_policy,
            events: vec![jdwp::Event::ThreadStart { request, thread }],
        }
    }

    #[test]
    fn what_stands_is_counted_until_it_goes_on() {
        let total = Arc::new(Burden::default());
        let mut standing = Standing::new(Arc::clone(&total), Pace::new(Arc::default()));
        standing.told(&told(SuspendPolicy::NONE, 1));
        assert_eq!((total.stops(), total.time()), (0, Duration::ZERO));
        let begun = Instant::now();
        standing.told(&told(SuspendPolicy::EVENT_THREAD, 1));
        standing.told(&told(SuspendPolicy::EVENT_THREAD, 2));
        while begun.elapsed() < Duration::from_millis(2) {}
        assert_eq!((total.stops(), total.time()), (2, Duration::ZERO));
        standing.resumed(ThreadId(3));
        standing.resumed(ThreadId(1));
        let first = total.time();
        assert!(first >= Duration::from_millis(1) && first <= begun.elapsed());
        standing.resumed(ThreadId(1));
        assert_eq!(total.time(), first);
        standing.told(&told(SuspendPolicy::ALL, 1));
        standing.resumed_all();
        let second = total.time();
        assert!(second > first && total.stops() == 3);
        standing.suspended_all();
        drop(standing);
        assert!(total.stops() == 4 && total.time() > second);
        assert_eq!(total.told(), 4);
    }
}
