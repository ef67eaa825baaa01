//! What can go wrong in the store, and whose fault it is.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use jhyde_trace::echo::shown;
use jhyde_trace::{CallId, ThreadId, Timestamp};
use thiserror::Error;

/// The store's results.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum Error {
    /// Another process writes in this data folder.
    #[error(
        "the data folder {} is in use by process {pid} since {}: \
         stop that daemon, talk to it instead, or use another data folder",
        folder.display(),
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(*since_ms))
    )]
    Locked {
        /// The data folder.
        folder: PathBuf,
        /// The holder's process id; 0 when it could not be read.
        pid: u32,
        /// Since when, milliseconds since 1970-01-01 UTC; 0 when it could not be read.
        since_ms: u64,
    },
    /// No recording has this id or name.
    #[error(
        "there is no recording '{}'; `jhyde ls` (Recordings.List) lists those that there are",
        shown(.0)
    )]
    NotFound(String),
    /// More than one recording is meant by this word.
    #[error("'{}' may mean any of {}: use an id", shown(.word), candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        word: String,
        /// The ids of the recordings that it may mean.
        candidates: Vec<String>,
    },
    /// The name is taken by another recording.
    #[error("the name '{}' is taken by recording {id}: choose another, or delete that one", shown(.name))]
    NameTaken {
        /// The name.
        name: String,
        /// Who has it.
        id: String,
    },
    /// The name cannot be used.
    #[error("'{}' cannot name a recording: {reason}", shown(.name))]
    InvalidName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// The recording is being written or read, so it cannot be deleted or sealed now.
    #[error("recording {0} is in use: stop it and try again")]
    InUse(String),
    /// Something is being done to the recording that nobody may disturb.
    #[error("recording {recording} is being {what}: try again when that is done")]
    Busy {
        /// The recording's id.
        recording: String,
        /// What is being done: "sealed", "deleted".
        what: &'static str,
    },
    /// The recording, or the whole data folder, was opened for reading only.
    #[error("{0}: nothing can be written here, it is open for reading only")]
    ReadOnly(String),
    /// The recording was written in a format that this version does not know.
    #[error(
        "{what} has format version {found}, this version of jhyde reads version {known}: use {} jhyde",
        if found < known { "an older" } else { "a newer" }
    )]
    UnknownVersion {
        /// What was to be read.
        what: String,
        /// Its version.
        found: u32,
        /// The highest version that is known.
        known: u32,
    },
    /// A part of the recording is not there (any more): it is damaged, or was cut off. Everything outside these timestamps is still
    /// served.
    #[error("recording {recording}: {}", lost(.what, .from, .to, .reason, *.cut_off))]
    Damaged {
        /// The recording's id.
        recording: String,
        /// Which part.
        what: String,
        /// First timestamp that is affected.
        from: Timestamp,
        /// Last timestamp that is affected.
        to: Timestamp,
        /// What is wrong.
        reason: String,
        /// Nothing is: a recording that keeps its newest part has cut it off (`CostLimits::ring`).
        cut_off: bool,
    },
    /// The file of a debugging session is damaged. Nothing of what was recorded is.
    #[error(
        "recording {recording}: debugging session {session} is damaged: its checksum does not fit; delete it and begin \
         a new one, what was recorded is not touched"
    )]
    DamagedSession {
        /// The recording's id.
        recording: String,
        /// The session's id.
        session: String,
    },
    /// A part of the recording that only repeats what its events say is damaged: questions are answered all
    /// the same. Only reports say this.
    #[error(
        "recording {recording}: {what} is damaged: {reason}; no answer is lost, those that need it are worked \
         out from the events, which takes longer"
    )]
    Slower {
        /// The recording's id.
        recording: String,
        /// Which part.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no such call (yet).
    #[error(
        "there is no call {0} in this recording; `jhyde tree RECORDING` (ListCalls) lists them"
    )]
    NoSuchCall(CallId),
    /// There is no such thread (yet).
    #[error(
        "there is no thread {0} in this recording; `jhyde threads RECORDING` (ListThreads) lists them"
    )]
    NoSuchThread(ThreadId),
    /// There is no such event (yet).
    #[error("there is no event {timestamp} in this recording: it has {events} events, from 0")]
    NoSuchEvent {
        /// The timestamp asked for.
        timestamp: Timestamp,
        /// The number of events that there are.
        events: u64,
    },
    /// The events that were appended contradict each other: a bug of who appends them.
    #[error("event {timestamp} does not fit the thread's calls: {reason}")]
    Malformed {
        /// The timestamp that the event would have had.
        timestamp: Timestamp,
        /// What does not fit.
        reason: String,
    },
    /// The recording was closed because writing it failed (a full disk, say). Everything up to the
    /// last flush stays readable.
    #[error("recording {recording} was closed: {reason}")]
    Closed {
        /// The recording's id.
        recording: String,
        /// Why.
        reason: String,
    },
    /// The operating system refused.
    #[error("{action} {}: {reason}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// RocksDB refused.
    #[error("{action} in recording {recording}: {reason}")]
    Database {
        /// What was tried.
        action: &'static str,
        /// The recording's id.
        recording: String,
        /// What RocksDB said.
        reason: String,
    },
    /// The work was ended early by who asked for it; nothing of it is left.
    #[error("{0} was cancelled: nothing was changed")]
    Cancelled(&'static str),
    /// An exported file is not one, or is cut.
    #[error("{} is not a whole jhyde recording: {reason}", path.display())]
    BadArchive {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// How notes say which events cannot be told, if that is what is wrong.
    pub fn lost_events(&self) -> Option<String> {
        match self {
            Self::Damaged {
                from,
                to,
                cut_off: true,
                reason,
                ..
            } => Some(format!("events {from} to {to} were cut off: {reason}")),
            Self::Damaged { from, to, .. } => Some(format!(
                "events {from} to {to} cannot be read: their block is damaged"
            )),
            _ => None,
        }
    }

    /// Was that cut off which was asked for? Up to which event then.
    pub fn cut_off(&self) -> Option<Timestamp> {
        match self {
            Self::Damaged {
                to, cut_off: true, ..
            } => Some(*to),
            _ => None,
        }
    }
}

fn lost(what: &str, from: &Timestamp, to: &Timestamp, reason: &str, cut_off: bool) -> String {
    match cut_off {
        true => format!("{what} was cut off, events {from} to {to}: {reason}"),
        false => format!("{what} is damaged, {}: {reason}", affected(from, to)),
    }
}

/// What damage between these timestamps means; of a table, nobody can say which events need what is lost.
fn affected(from: &Timestamp, to: &Timestamp) -> String {
    match (*from, *to) {
        (Timestamp(0), Timestamp(u64::MAX)) => {
            "questions that need what is lost there fail".to_owned()
        }
        (_, Timestamp(u64::MAX)) => format!("events from {from} on cannot be read"),
        _ => format!("events {from} to {to} cannot be read"),
    }
}
