//! What a recording as a whole says of itself: identity, options, state.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::echo::shown;

/// Who and what a recording is. The catalogue keeps one per recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingMeta {
    /// Opaque, unique in its data folder and stable: also the folder's name.
    pub id: String,
    /// The name that the user gave, or one made from the program. Unique in its data folder.
    pub name: String,
    /// Wall clock at the beginning, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// Wall clock at the end, once there is one.
    pub ended_ms: Option<u64>,
    /// The JVM that was recorded, once it has said who it is.
    pub jvm: Option<JvmIdentity>,
    /// How it was recorded.
    pub options: RecordingOptions,
    /// Is it running, and if not, how did it end?
    pub state: State,
    /// Things that somebody who reads the recording should know (a pattern that matched nothing …).
    pub notes: Vec<String>,
}

/// The identity of a JVM, as it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmIdentity {
    /// `host:port` that was attached to, or that the JVM connected from.
    pub address: String,
    /// The VM's name: `OpenJDK 64-Bit Server VM`.
    pub name: String,
    /// The VM's version: `17.0.15`.
    pub version: String,
    /// The full description text.
    pub description: String,
    /// The command line, where jhyde started the JVM itself.
    pub command: Vec<String>,
}

/// How a recording is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingOptions {
    /// How much is recorded.
    pub level: Level,
    /// How it is captured.
    pub engine: EngineKind,
    /// Class patterns of the scope; empty: all that the application's loaders define.
    pub include: Vec<String>,
    /// Class patterns taken out of the scope.
    pub exclude: Vec<String>,
    /// Strings are kept up to this many UTF-16 code units.
    pub string_limit: u32,
    /// How much of objects is looked at when a call begins and ends (level `calls`). Recordings of before there
    /// were any have none.
    #[serde(default = "SnapshotLimits::none")]
    pub snapshots: SnapshotLimits,
    /// Is recorded what objects of the JDK hold? Recordings from before this could be chosen have it.
    #[serde(default = "yes")]
    pub contents: bool,
    /// What it may cost. Recordings from before there were limits have none.
    #[serde(default)]
    pub limits: CostLimits,
    /// What the engine `probe` has the program tell. Recordings from before this could be chosen left it to the engine.
    #[serde(default)]
    pub probe_log: ProbeLog,
}

/// What the code that the engine `probe` puts into classes writes into its log, besides what cannot be derived (design, section 7).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum ProbeLog {
    /// As [`Self::Inputs`], and as [`Self::Reads`] from where code out of the scope may write what nobody shows it.
    #[default]
    Auto,
    /// Nothing: a checksum of all that is read says whether that was enough.
    Inputs,
    /// Each read of a field or an element with its value, and each object that is made.
    Reads,
    /// The same, and each write to a local, a field or an element with its value, which is held against what was derived.
    Writes,
}

/// What a recording may cost. Each limit counts by itself: it is reached at so much, at twice as much, and so on; that of slowness by each
/// stretch of time that is too slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostLimits {
    /// Bytes on disk.
    pub bytes: Option<u64>,
    /// Milliseconds since it began.
    pub duration_ms: Option<u64>,
    /// How slow the program may become, in percent of the time that it takes by itself. Recordings from before there was such a limit have none.
    #[serde(default)]
    pub slowdown_percent: Option<u64>,
    /// What happens then.
    pub at_limit: AtLimit,
    /// The newest part is kept, of about so many bytes on disk: what is older is cut off. Recordings from before there were such keep all.
    #[serde(default)]
    pub ring: Option<u64>,
}

/// What happens when a recording reaches a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtLimit {
    /// The next lower level is in force from then on; where the engine has none, the recording ends.
    #[default]
    Lower,
    /// The recording ends, and the JVM runs on.
    End,
}

impl RecordingMeta {
    /// Among `notes`: the program ran already when the engine `probe` came to it.
    pub const REACHED_LATE: &str = "attached while the program ran: calls that ran by then are not told, and what they call is told from its next call on";

    /// Are calls running of which nothing is told, because the program ran already: [`Self::REACHED_LATE`]?
    pub fn was_reached_late(&self) -> bool {
        self.notes.iter().any(|note| note == Self::REACHED_LATE)
    }

    /// Did jhyde start the JVM? Else it may have done things before the recording began.
    pub fn is_launched(&self) -> bool {
        self.jvm.as_ref().is_some_and(|jvm| !jvm.command.is_empty())
    }
}

impl fmt::Display for AtLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lower => "lower",
            Self::End => "end",
        })
    }
}

impl FromStr for AtLimit {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "lower" => Ok(Self::Lower),
            "end" => Ok(Self::End),
            _ => Err(UnknownWord {
                what: "action at a limit",
                word: word.to_owned(),
                known: "lower, end",
            }),
        }
    }
}

fn yes() -> bool {
    true
}

/// How far a snapshot goes: what the receiver, the arguments and the result of a call hold when it begins and when
/// it ends, level by level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SnapshotLimits {
    /// Levels of objects: at 1 the objects themselves that a call was shown, at 2 those that they hold, too. 0: there
    /// are no snapshots.
    pub depth: u32,
    /// Elements of one array, and items of one collection.
    pub elements: u32,
    /// Bytes of values in one snapshot: 8 for a field or an item, an array's element as the JVM stores it, 1 or 2
    /// for a character of a builder.
    pub bytes: u32,
}

impl SnapshotLimits {
    /// No snapshots.
    pub const fn none() -> Self {
        Self {
            depth: 0,
            elements: 0,
            bytes: 0,
        }
    }
}

impl Default for SnapshotLimits {
    fn default() -> Self {
        Self {
            depth: 3,
            elements: 100,
            bytes: 2048,
        }
    }
}

impl Default for RecordingOptions {
    fn default() -> Self {
        Self {
            level: Level::State,
            engine: EngineKind::Auto,
            include: Vec::new(),
            exclude: Vec::new(),
            string_limit: 1024,
            snapshots: SnapshotLimits::default(),
            contents: true,
            limits: CostLimits::default(),
            probe_log: ProbeLog::Auto,
        }
    }
}

/// A word that should have named a level, an engine, … does not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} '{}': use one of {known}", shown(.word))]
pub struct UnknownWord {
    /// What was to be named.
    pub what: &'static str,
    /// The word.
    pub word: String,
    /// The words that are known.
    pub known: &'static str,
}

/// How much is recorded (design, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// The tree, arguments, results, exceptions.
    Calls,
    /// Also every write and every new object or array.
    State,
    /// Also edges and uses, instruction by instruction.
    Full,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Calls => "calls",
            Self::State => "state",
            Self::Full => "full",
        })
    }
}

impl FromStr for Level {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "calls" => Ok(Self::Calls),
            "state" => Ok(Self::State),
            "full" => Ok(Self::Full),
            _ => Err(UnknownWord {
                what: "level",
                word: word.to_owned(),
                known: "calls, state, full",
            }),
        }
    }
}

/// A way to capture (design, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EngineKind {
    /// The best one that the JVM allows.
    Auto,
    /// JDWP events alone.
    Events,
    /// Recording code woven into the classes.
    Probe,
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Events => "events",
            Self::Probe => "probe",
        })
    }
}

impl FromStr for EngineKind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "auto" => Ok(Self::Auto),
            "events" => Ok(Self::Events),
            "probe" => Ok(Self::Probe),
            _ => Err(UnknownWord {
                what: "engine",
                word: word.to_owned(),
                known: "auto, events, probe",
            }),
        }
    }
}

impl fmt::Display for ProbeLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Inputs => "inputs",
            Self::Reads => "reads",
            Self::Writes => "writes",
        })
    }
}

impl FromStr for ProbeLog {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "auto" => Ok(Self::Auto),
            "inputs" => Ok(Self::Inputs),
            "reads" => Ok(Self::Reads),
            "writes" => Ok(Self::Writes),
            _ => Err(UnknownWord {
                what: "probe log",
                word: word.to_owned(),
                known: "auto, inputs, reads, writes",
            }),
        }
    }
}

/// Is a recording running, and if not, how did it end?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Waiting for a JVM to connect.
    Waiting,
    /// Recording.
    Running,
    /// The JVM ran to its end. The exit code, where jhyde started the JVM itself.
    Complete {
        /// The process's exit code.
        exit_code: Option<i32>,
    },
    /// Somebody detached; the JVM ran on.
    Detached,
    /// Somebody stopped the recording.
    Stopped,
    /// It reached a limit of what it may cost; the JVM ran on.
    LimitReached {
        /// Which.
        reason: String,
    },
    /// The connection to the JVM broke before its end.
    ConnectionLost {
        /// What was seen.
        reason: String,
    },
    /// The daemon ended without closing the recording; its unflushed tail is lost.
    Cut,
    /// Recording became impossible (a full disk, say); the JVM ran on.
    Failed {
        /// Why.
        reason: String,
    },
}

impl State {
    /// Can events still arrive?
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }

    /// It in one word, as programs read it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Complete { .. } => "complete",
            Self::Detached | Self::LimitReached { .. } => "detached",
            Self::Stopped => "stopped",
            Self::ConnectionLost { .. } => "connection-lost",
            Self::Cut => "cut",
            Self::Failed { .. } => "failed",
        }
    }

    /// Was the whole run seen, to its end?
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete { .. })
    }
}
