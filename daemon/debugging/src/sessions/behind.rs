//! What the calls of a recording covered, for all its sessions: read when it is asked for, or, where that takes long, behind the
//! questions. Whoever can do without it does meanwhile.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{Builder, JoinHandle};

use jhyde_store::Recording;

use super::{Asked, Error};
use crate::recorded::{RecordedCoverage, Stopped};

/// Whoever can do without waits for no more events than these: a second, about.
const AT_ONCE: u64 = 1 << 23;

/// So many events are read behind before others may have what was read.
const PART: u64 = 1 << 20;

/// How far the coverage of a recording has been read, while it is read behind the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Events that have been read.
    pub read: u64,
    /// Events that there are.
    pub all: u64,
}

impl Reading {
    /// Events that have not been read.
    pub fn left(self) -> u64 {
        self.all - self.read
    }
}

/// The coverage of one recording.
#[derive(Debug, Default)]
pub(super) struct Covered {
    coverage: Mutex<RecordedCoverage>,
    /// Bytes that it may take.
    limit: AtomicUsize,
    /// Bytes that it took when it was read last.
    memory: AtomicUsize,
    /// Events that were read by then.
    read: AtomicU64,
    /// So many wait for it, and read on themselves.
    wanted: AtomicU32,
    /// Is it being read behind?
    is_read_behind: AtomicBool,
    /// It could not be read behind to its end: whoever asks next is told why.
    has_failed: AtomicBool,
}

impl Covered {
    pub(super) fn may_take(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// All of it, as far as the recording is now. Waits for that.
    pub(super) fn whole(
        &self,
        asked: Asked<'_>,
    ) -> Result<MutexGuard<'_, RecordedCoverage>, Error> {
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let mut coverage = self.locked();
        self.wanted.fetch_sub(1, Ordering::Relaxed);
        let read = coverage.refresh(asked.recording, asked.cancelled);
        self.note(&coverage);
        match read? {
            ControlFlow::Continue(()) | ControlFlow::Break(Stopped::Enough) => {
                self.has_failed.store(false, Ordering::Relaxed);
                Ok(coverage)
            }
            ControlFlow::Break(Stopped::Cancelled) => Err(Error::Cancelled),
            ControlFlow::Break(Stopped::Full) => Err(Error::TooLarge {
                what: "what its calls covered",
                needs: None,
                limit: coverage.limit,
            }),
        }
    }

    /// How far it was read.
    pub(super) fn reading(&self, recording: &Recording) -> Reading {
        let all = recording.end().0;
        let read = self.read.load(Ordering::Relaxed).min(all);
        Reading { read, all }
    }

    /// Can it not be read behind to its end?
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn locked(&self) -> MutexGuard<'_, RecordedCoverage> {
        // A panic elsewhere may have left an event half followed: begin anew.
        let mut coverage = self.coverage.lock().unwrap_or_else(|poisoned| {
            self.coverage.clear_poison();
            let mut coverage = poisoned.into_inner();
            *coverage = RecordedCoverage::default();
            coverage
        });
        coverage.limit = self.limit.load(Ordering::Relaxed);
        coverage
    }

    fn note(&self, coverage: &RecordedCoverage) {
        self.memory.store(coverage.memory(), Ordering::Relaxed);
        self.read.store(coverage.next().0, Ordering::Relaxed);
    }

    /// Reads a part. Whether there is more to read behind.
    fn read_part(&self, recording: &Recording, is_over: impl Fn() -> bool) -> bool {
        let is_wanted = || self.wanted.load(Ordering::Relaxed) > 0;
        if is_wanted() || is_over() {
            return false;
        }
        let mut coverage = self.locked();
        let read = coverage.read_on(recording, PART, || is_over() || is_wanted());
        self.note(&coverage);
        match read {
            Ok(ControlFlow::Break(Stopped::Enough)) => true,
            Ok(ControlFlow::Continue(()) | ControlFlow::Break(Stopped::Cancelled)) => false,
            Ok(ControlFlow::Break(Stopped::Full)) | Err(_) => {
                self.has_failed.store(true, Ordering::Relaxed);
                false
            }
        }
    }
}

/// The threads that read behind. They hold nothing open between two parts, and end with this.
#[derive(Debug)]
pub(super) struct Behind {
    /// More events than these are read behind.
    pub(super) at_once: u64,
    threads: Mutex<Vec<JoinHandle<()>>>,
    is_over: Arc<AtomicBool>,
}

impl Default for Behind {
    fn default() -> Self {
        Self::from(AT_ONCE)
    }
}

impl Behind {
    /// Where more events than these are to be read.
    pub(super) fn from(at_once: u64) -> Self {
        Self {
            at_once,
            threads: Mutex::default(),
            is_over: Arc::default(),
        }
    }

    /// Goes on reading, unless that is done already.
    pub(super) fn read(&self, covered: &Arc<Covered>, recording: &Arc<Recording>) {
        if covered.is_read_behind.swap(true, Ordering::Relaxed) {
            return;
        }
        let (covered_by, read) = (Arc::downgrade(covered), Arc::downgrade(recording));
        let is_over = Arc::clone(&self.is_over);
        let work = move || {
            while read_part(&covered_by, &read, &is_over) {}
            if let Some(covered) = covered_by.upgrade() {
                covered.is_read_behind.store(false, Ordering::Relaxed);
            }
        };
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        match Builder::new().name("coverage".to_owned()).spawn(work) {
            Ok(thread) => threads.push(thread),
            // Then whoever asks next waits for it.
            Err(_) => {
                covered.is_read_behind.store(false, Ordering::Relaxed);
                covered.has_failed.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Nobody's recording is kept open between two parts: it may be deleted meanwhile.
fn read_part(covered: &Weak<Covered>, recording: &Weak<Recording>, is_over: &AtomicBool) -> bool {
    let (Some(covered), Some(recording)) = (covered.upgrade(), recording.upgrade()) else {
        return false;
    };
    // Whoever kept it open has let go of it.
    let is_left = || Arc::strong_count(&recording) == 1;
    covered.read_part(&recording, || is_over.load(Ordering::Relaxed) || is_left())
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // What went wrong in it was said there.
            let _ = thread.join();
        }
    }
}
