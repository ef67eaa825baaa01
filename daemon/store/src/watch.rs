//! Notification of changes, for threads and (through a callback) for async tasks.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Callback = Arc<dyn Fn() + Send + Sync>;

/// Counts changes and tells about them.
#[derive(Default)]
pub(crate) struct WatchState {
    inner: Mutex<WatchInner>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchInner {
    version: u64,
    next_callback: u64,
    callbacks: Vec<(u64, Callback)>,
}

impl std::fmt::Debug for WatchState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchState")
            .field("version", &self.lock().version)
            .finish()
    }
}

impl WatchState {
    fn lock(&self) -> MutexGuard<'_, WatchInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody.
    pub(crate) fn changed(&self) {
        let callbacks: Vec<Callback> = {
            let mut inner = self.lock();
            inner.version += 1;
            inner
                .callbacks
                .iter()
                .map(|(_, callback)| callback.clone())
                .collect()
        };
        self.changed.notify_all();
        // Outside the lock: a callback may well end its own watch.
        for callback in callbacks {
            callback();
        }
    }
}

/// Tells that something changed. Counts up; the number itself means nothing.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(crate) state: Arc<WatchState>,
}

impl Watch {
    /// The number of changes so far.
    pub fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// Blocks until the version is not `seen` any more or the time is over; returns the version.
    pub fn wait(&self, seen: u64, timeout: Duration) -> u64 {
        let until = Instant::now() + timeout;
        let mut inner = self.state.lock();
        while inner.version == seen {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            inner = match self.state.changed.wait_timeout(inner, left) {
                Ok((inner, _)) => inner,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        inner.version
    }

    /// Calls `callback` after every change until the returned guard is dropped. It must be quick
    /// and must not call the store (wake a task, and let that do so).
    pub fn on_change(&self, callback: impl Fn() + Send + Sync + 'static) -> WatchGuard {
        let mut inner = self.state.lock();
        let number = inner.next_callback;
        inner.next_callback += 1;
        inner.callbacks.push((number, Arc::new(callback)));
        WatchGuard {
            state: self.state.clone(),
            number,
        }
    }
}

/// Ends a callback of [`Watch::on_change`] when dropped.
#[derive(Debug)]
pub struct WatchGuard {
    state: Arc<WatchState>,
    number: u64,
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.state
            .lock()
            .callbacks
            .retain(|(number, _)| *number != self.number);
    }
}
