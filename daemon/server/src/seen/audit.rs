//! Who did what: a line of JSON for each call that changes something or reads values, appended to a file of one's own.
//!
//! A thread of its own writes, so that a slow disk holds no call up. What cannot be written is lost, counted, and complained of
//! once until it works again; nothing else stops for it. Calls of those whom nobody knows have done nothing, and have no
//! line: [`super::metrics`] counts them.

mod writing;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tonic::{Code, Status};

use super::metrics::{named, refusal, word};
use crate::access::Identity;
use crate::access::table::Method;
use writing::{Counted, Order, Writing, json, now};

/// Lines that may wait to be written: a MB or so, 16 at the very most.
const WAITING: usize = 4096;
/// The longest text of a request that a line keeps.
const LONGEST: usize = 200;
/// The most recordings that a line names.
const MOST: usize = 20;

/// What a line says of a call besides its method and its end: filled in by the gate, where both are known.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) who: OnceLock<Identity>,
    /// Names of recordings, or what was asked for where there is none.
    pub(crate) recordings: OnceLock<Vec<String>>,
}

impl Said {
    /// Takes what a request names, shortened.
    pub(crate) fn name(&self, recordings: impl IntoIterator<Item = String>) {
        let short = |mut name: String| {
            let mut end = LONGEST.min(name.len());
            while !name.is_char_boundary(end) {
                end -= 1;
            }
            name.truncate(end);
            name
        };
        let named = recordings.into_iter().take(MOST).map(short).collect();
        // Told once.
        let _ = self.recordings.set(named);
    }
}

/// One line.
#[derive(Serialize)]
struct Line<'a> {
    time: String,
    who: &'a Identity,
    method: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    recordings: &'a [String],
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// See the module. Off until a file is named.
#[derive(Debug, Default)]
pub struct Audit {
    is_on: AtomicBool,
    counted: Arc<Counted>,
    /// To the thread that writes, once there is one.
    orders: Mutex<Option<SyncSender<Order>>>,
}

impl Audit {
    /// From now on lines go to this file, which is opened anew even if it is the same: it may have been moved away. `None`:
    /// there are none.
    pub fn open(&self, file: Option<&Path>) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if orders.is_none() && file.is_some() {
            let (sender, receiver) = sync_channel(WAITING);
            let counted = Arc::clone(&self.counted);
            let spawned = std::thread::Builder::new()
                .name("audit".to_owned())
                .spawn(move || Writing::new(counted).run(&receiver));
            match spawned {
                Ok(_) => *orders = Some(sender),
                Err(error) => {
                    tracing::error!(%error, "no audit: a thread cannot be started");
                    return;
                }
            }
        }
        if let Some(orders) = orders.as_ref() {
            // A disk that has not taken so many lines takes no other file, either.
            if orders
                .try_send(Order::Open(file.map(Path::to_owned)))
                .is_err()
            {
                tracing::error!(
                    "the audit's file is not opened anew: too many lines wait to be written"
                );
                return;
            }
        }
        self.is_on.store(file.is_some(), Ordering::Release);
    }

    /// Is this method one whose calls have lines, now?
    pub(crate) fn is_on_for(&self, method: Option<&Method>) -> bool {
        self.is_on.load(Ordering::Acquire) && method.is_some_and(|method| method.is_audited())
    }

    /// How many lines were written, and how many were lost.
    pub fn count(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.counted.written), of(&self.counted.lost))
    }

    /// A call that answers by a stream has begun to.
    pub(super) fn begun(&self, method: Option<&Method>, said: &Said) {
        self.tell(method, said, "BEGUN", None);
    }

    /// A call has ended.
    pub(super) fn ended(&self, method: Option<&Method>, said: &Said, status: &Status) {
        let reason = (status.code() != Code::Ok)
            .then(|| refusal(status))
            .flatten();
        self.tell(method, said, word(status.code()), reason);
    }

    fn tell(
        &self,
        method: Option<&Method>,
        said: &Said,
        outcome: &'static str,
        reason: Option<&'static str>,
    ) {
        let Some(who) = said.who.get() else {
            return;
        };
        let line = Line {
            time: now(),
            who,
            method: named(method),
            recordings: said.recordings.get().map_or(&[], Vec::as_slice),
            outcome,
            reason,
        };
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(orders) = orders.as_ref() else {
            return;
        };
        match orders.try_send(Order::Line(json(&line))) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.counted.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Waits until what was told is written, but not long.
    pub fn settle(&self, grace: Duration) {
        // Calls that end meanwhile are not held up.
        let orders = self
            .orders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let (done, waits) = sync_channel(1);
        if let Some(orders) = orders
            && orders.try_send(Order::Done(done)).is_ok()
        {
            // A disk that takes longer keeps the rest.
            let _ = waits.recv_timeout(grace);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::Value;

    use super::*;
    use crate::access::table::find;

    fn said(recordings: &[&str]) -> Said {
        let said = Said::default();
        said.who.set(Identity::Token("ci".to_owned())).unwrap();
        said.name(recordings.iter().map(|&name| name.to_owned()));
        said
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn lines_are_appended_to_a_file_of_ones_own_which_may_be_moved_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let audit = Audit::default();
        let get = find("/jhyde.v1.History/GetCall");
        assert!(!audit.is_on_for(get));
        audit.open(Some(&path));
        assert!(audit.is_on_for(get) && !audit.is_on_for(find("/grpc.health.v1.Health/Check")));
        audit.ended(get, &said(&["shop\n-1"]), &Status::ok(""));
        let moved = folder.path().join("audit.jsonl.1");
        audit.settle(LONG);
        std::fs::rename(&path, &moved).unwrap();
        audit.open(Some(&path));
        audit.ended(get, &said(&[&"é".repeat(500)]), &Status::not_found("x"));
        // Nobody known has done nothing.
        audit.ended(get, &Said::default(), &Status::unauthenticated("x"));
        audit.settle(LONG);
        let [_, first] = &lines(&moved)[..] else {
            panic!("{:?}", lines(&moved))
        };
        assert_eq!(first["who"]["token"], "ci");
        assert_eq!(first["method"], "jhyde.v1.History/GetCall");
        assert_eq!(
            (&first["recordings"][0], &first["outcome"]),
            (&"shop\n-1".into(), &"OK".into())
        );
        let [second] = &lines(&path)[..] else {
            panic!("{:?}", lines(&path))
        };
        assert_eq!(second["outcome"], "NOT_FOUND");
        assert_eq!(
            second["recordings"][0].as_str().unwrap(),
            "é".repeat(LONGEST / 2)
        );
        for file in [&path, &moved] {
            let mode = std::fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        audit.open(None);
        assert!(!audit.is_on_for(get));
        assert_eq!(audit.count(), (2, 0));
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_told_once_it_can() {
        let audit = Audit::default();
        let get = find("/jhyde.v1.History/GetCall");
        for nowhere in ["/dev/full", "/none/at/all", "/"] {
            let (_, before) = audit.count();
            audit.open(Some(Path::new(nowhere)));
            audit.ended(get, &said(&["r"]), &Status::ok(""));
            audit.settle(LONG);
            assert_eq!(audit.count(), (0, before + 1), "{nowhere}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        audit.open(Some(&path));
        audit.ended(get, &said(&["r"]), &Status::ok(""));
        audit.settle(LONG);
        let lines = lines(&path);
        assert_eq!(lines[0]["lost"], 3);
        assert_eq!(lines[1]["recordings"][0], "r");
        assert_eq!(audit.count(), (1, 3));
    }
}
