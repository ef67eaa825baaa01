//! What a daemon says of itself.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Daemon;
use super::leaving::Leaving;
use super::live::lock;

/// What is told of the daemon, and its end.
#[derive(Debug)]
pub(super) struct About {
    started: SystemTime,
    /// Where clients connect, as they write it.
    sockets: Mutex<Vec<String>>,
    leaving: Leaving,
    /// Held by each answer in parts of which more is looked for.
    answering: Arc<()>,
}

impl About {
    /// One that begins now.
    pub(super) fn new() -> Self {
        Self {
            started: SystemTime::now(),
            sockets: Mutex::default(),
            leaving: Leaving::default(),
            answering: Arc::default(),
        }
    }
}

impl Daemon {
    /// How far its end is.
    pub fn leaving(&self) -> &Leaving {
        &self.about.leaving
    }

    /// When it was opened: milliseconds since 1970.
    pub fn started_ms(&self) -> u64 {
        let since = self.about.started.duration_since(UNIX_EPOCH);
        u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
    }

    /// To be held for as long as more of an answer is looked for; `None` where there are as many as there may be.
    pub fn answering(&self) -> Option<Arc<()>> {
        let held = Arc::clone(&self.about.answering);
        (self.answers() <= self.options().answers).then_some(held)
    }

    /// How many answers that is so of.
    pub fn answers(&self) -> usize {
        Arc::strong_count(&self.about.answering).saturating_sub(1)
    }

    /// Where clients connect, as they write it.
    pub fn sockets(&self) -> Vec<String> {
        lock(&self.about.sockets).clone()
    }

    /// It is served there now.
    pub fn served_at(&self, sockets: Vec<String>) {
        *lock(&self.about.sockets) = sockets;
    }

    /// Names of the recordings that are being made.
    pub fn live_names(&self) -> Vec<String> {
        let live = lock(&self.live);
        let mut names: Vec<_> = live.values().map(|live| live.name.clone()).collect();
        names.sort();
        names
    }
}
