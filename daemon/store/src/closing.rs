//! Which databases this process has open, all in all: it must not end under one.
//!
//! At the end of a process C++ destroys what RocksDB keeps for all databases, its locks among it. A thread that is
//! still closing one then takes such a lock, and RocksDB ends the process with `pthread lock: Invalid argument` and
//! a signal, where an exit code was meant. Recordings are closed on threads of their own, by whoever lets go of them
//! last; so the end waits here, for however many there are.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static OPEN: Mutex<usize> = Mutex::new(0);
static CLOSED: Condvar = Condvar::new();

fn open() -> MutexGuard<'static, usize> {
    // A number is whole whatever happened to who held it.
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stands for a database that is open. To be dropped behind it.
pub(crate) struct Opened(());

impl Opened {
    /// To be made before the database is.
    pub(crate) fn new() -> Self {
        *open() += 1;
        Self(())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        *open() -= 1;
        CLOSED.notify_all();
    }
}

/// Waits until every database of this process is closed, so that it may end. False: after this time some are still
/// open.
#[must_use]
pub fn all_closed(within: Duration) -> bool {
    let waited = CLOSED.wait_timeout_while(open(), within, |open| *open > 0);
    let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *open == 0
}
