//! Recordings that somebody is debugging with. Between two questions of a session nothing has the recording open, and
//! still it is in use: what is deleted by itself spares it. Whoever deletes or seals it by name means it, and may.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jhyde_store::Recording;

use super::live::lock;

/// How long somebody may think about a question.
const THINKS: Duration = Duration::from_secs(60 * 60);

/// So many recordings stay open at most; of more, those that were asked about first are let go of.
const MOST: usize = 16;

/// How long somebody who reads a recording may need to see that nobody waits for the answer.
pub(super) const LETS_GO: Duration = Duration::from_secs(1);

/// Does something with a recording that nobody may have open; again and again for so long, where somebody has.
pub(super) fn once_let_go_of<T>(
    wait: Duration,
    work: impl Fn() -> jhyde_store::Result<T>,
) -> jhyde_store::Result<T> {
    let until = Instant::now() + wait;
    loop {
        match work() {
            // There is nobody who would say when: questions end of themselves.
            Err(jhyde_store::Error::InUse(_)) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

/// By id: the recording, which is open as long as it is here, and when it was asked about last.
#[derive(Debug, Default)]
pub(super) struct Attended(Mutex<HashMap<String, (Arc<Recording>, Instant)>>);

impl Attended {
    /// Keeps a recording open, as long as nobody says that it is to be left: what works with it behind the questions may have this.
    pub(super) fn attend(&self, recording: &Arc<Recording>) -> Arc<Recording> {
        let id = recording.id().to_owned();
        let mut all = lock(&self.0);
        let now = Instant::now();
        let entry = all.entry(id);
        let (kept, asked) = entry.or_insert_with(|| (Arc::clone(recording), now));
        *asked = now;
        let kept = Arc::clone(kept);
        if all.len() > MOST {
            let first = all.iter().min_by_key(|(_, (_, asked))| *asked);
            let first = first.map(|(id, _)| id.clone());
            first.and_then(|id| all.remove(&id));
        }
        kept
    }

    /// Nobody is any more, as far as is known here.
    pub(super) fn leave(&self, id: &str) {
        lock(&self.0).remove(id);
    }

    /// Lets go of those that nobody has asked about for long.
    pub(super) fn leave_idle(&self) {
        lock(&self.0).retain(|_, (_, asked)| asked.elapsed() < THINKS);
    }
}
