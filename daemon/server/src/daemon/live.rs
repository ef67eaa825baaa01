//! One recording that is being made, as the rest of the daemon sees it: what it waits for, how to end
//! it, and when it has ended.

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jhyde_capture::{Controller, Ending};
use jhyde_store::Recording;
use tokio::sync::{Notify, watch};

use super::Description;
use crate::error::Error;

/// How far a live recording is. The last two are final.
#[derive(Clone, Debug)]
pub enum Status {
    /// Waits for its JVM, or is setting its requests.
    Waiting,
    /// Records.
    Running,
    /// Has ended and is closed on disk.
    Ended(Arc<Description>),
    /// Nothing was recorded, and nothing is left; the error is taken by [`Live::take_failure`].
    Gone(Arc<Description>),
}

impl Status {
    /// Will nothing change any more?
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Gone(_))
    }
}

/// See the module. Shared by the thread that records and everybody who asks.
pub struct Live {
    /// The recording's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its way out; given back when it ends, so that it can be deleted.
    recording: Mutex<Option<Arc<Recording>>>,
    /// Ends it, from the wait for its JVM on.
    pub(super) controller: Controller,
    /// The port that waits for the JVM; 0: none.
    pub listen_port: AtomicU16,
    status: watch::Sender<Status>,
    failure: Mutex<Option<Error>>,
    exit_code: Mutex<Option<i32>>,
    /// Asks whoever started the program to end it.
    terminate: Notify,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Live {
    /// A recording that waits.
    pub(super) fn new(recording: Arc<Recording>, controller: Controller) -> Self {
        let meta = recording.meta();
        Self {
            id: meta.id,
            name: meta.name,
            recording: Mutex::new(Some(recording)),
            controller,
            listen_port: AtomicU16::new(0),
            status: watch::Sender::new(Status::Waiting),
            failure: Mutex::new(None),
            exit_code: Mutex::new(None),
            terminate: Notify::new(),
        }
    }

    /// Its way out, as long as it is live.
    pub fn recording(&self) -> Option<Arc<Recording>> {
        lock(&self.recording).clone()
    }

    /// How far it is, now and from now on.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Asks it to end; it does so on its own thread. With [`Ending::Stop`] a program that was started
    /// for it is asked to end, too.
    pub fn request_end(&self, ending: Ending) {
        if matches!(ending, Ending::Stop) {
            self.terminate.notify_one();
        }
        self.controller.end(ending);
    }

    /// Has nobody asked for its end?
    pub fn is_wanted(&self) -> bool {
        self.controller.order().is_none()
    }

    /// Completes when the program that was started for this recording shall be asked to end.
    pub async fn terminated(&self) {
        self.terminate.notified().await;
    }

    /// The recording thread has begun. `false`: somebody has asked for the end in the meantime, and the recording does
    /// not become visible as running.
    pub(super) fn running(&self) -> bool {
        let wanted = self.is_wanted();
        self.listen_port.store(0, Ordering::Relaxed);
        if wanted {
            self.status.send_replace(Status::Running);
        }
        wanted
    }

    /// Nobody holds the recording any more, so that its folder can be deleted.
    pub(super) fn release(&self) {
        *lock(&self.recording) = None;
    }

    /// It is over.
    pub(super) fn over(&self, status: Status, failure: Option<Error>) {
        *lock(&self.failure) = failure;
        self.status.send_replace(status);
    }

    /// Why nothing was recorded; once.
    pub fn take_failure(&self) -> Option<Error> {
        lock(&self.failure).take()
    }

    /// The exit code of the program, once whoever started it has told.
    pub fn exit_code(&self) -> Option<i32> {
        *lock(&self.exit_code)
    }

    /// Tells the exit code of the program; best through [`super::Daemon::report_exit`], which also
    /// reaches a recording that has been closed.
    pub(super) fn set_exit_code(&self, code: i32) {
        *lock(&self.exit_code) = Some(code);
    }

    /// Waits until it records or never will; says which.
    pub async fn begun(&self) -> Status {
        self.until(|status| !matches!(status, Status::Waiting))
            .await
    }

    /// Waits until it has ended and is closed.
    pub async fn ended(&self) -> Status {
        self.until(Status::is_final).await
    }

    async fn until(&self, reached: impl FnMut(&Status) -> bool) -> Status {
        let mut status = self.status();
        // The sender is a field of self, so the channel cannot close while this waits.
        match status.wait_for(reached).await {
            Ok(status) => status.clone(),
            Err(_) => self.status.borrow().clone(),
        }
    }
}

/// The lock, whether or not somebody panicked while holding it: every change under it is one assignment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
