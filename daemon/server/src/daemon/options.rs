//! From what somebody asks for to the options of a recording: defaults filled in, words checked, what
//! is not built refused.

use std::path::PathBuf;

use jhyde_trace::{CostLimits, EngineKind, Level, ProbeLog, RecordingOptions, SnapshotLimits};

use super::{Options, capture};
use crate::config::units::{ByteSize, Limit, LimitError, Span, Times};
use crate::error::Error;

/// Strings are kept up to this many UTF-16 units at most: a single value should fit into a block.
pub const HIGHEST_STRING_LIMIT: u32 = 1 << 20;

/// Levels of objects in a snapshot: each may take a round trip to the JVM.
pub const HIGHEST_SNAPSHOT_DEPTH: u32 = 64;
/// Elements of one object in a snapshot, and the bytes of all of it: what one stop of a thread may read.
pub const HIGHEST_SNAPSHOT_SIZE: u32 = 1 << 20;

/// The least of a recording that is kept ([`CostLimits::ring`]), bytes: what is looked up by events needs some of them.
pub const LEAST_RING: u64 = 1_000_000;

/// How far snapshots go, as it is asked for; `None` means the daemon's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedSnapshots {
    /// Levels of objects; 0: no snapshots.
    pub depth: Option<u32>,
    /// Elements of one object.
    pub elements: Option<u32>,
    /// Bytes of one snapshot.
    pub bytes: Option<u32>,
}

impl WantedSnapshots {
    fn or(self, defaults: SnapshotLimits) -> Result<SnapshotLimits, Error> {
        let limits = SnapshotLimits {
            depth: self.depth.unwrap_or(defaults.depth),
            elements: self.elements.unwrap_or(defaults.elements),
            bytes: self.bytes.unwrap_or(defaults.bytes),
        };
        for (field, given, highest) in [
            (
                "options.snapshots.depth",
                limits.depth,
                HIGHEST_SNAPSHOT_DEPTH,
            ),
            (
                "options.snapshots.elements",
                limits.elements,
                HIGHEST_SNAPSHOT_SIZE,
            ),
            (
                "options.snapshots.bytes",
                limits.bytes,
                HIGHEST_SNAPSHOT_SIZE,
            ),
        ] {
            if given > highest {
                let reason = format!("{given} is over the limit of {highest}");
                return Err(Error::Argument { field, reason });
            }
        }
        Ok(limits)
    }
}

/// How to record, as it is asked for; empty and 0 mean the daemon's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// `calls`, `state`, `full`.
    pub level: String,
    /// `auto`, `events`, `probe`.
    pub engine: String,
    /// Class patterns of the scope.
    pub include: Vec<String>,
    /// Class patterns taken out of it.
    pub exclude: Vec<String>,
    /// Longest text kept of a string, in UTF-16 units.
    pub string_limit: u32,
    /// How far snapshots go.
    pub snapshots: WantedSnapshots,
    /// What objects of the JDK hold is not recorded.
    pub no_contents: bool,
    /// Folders and archives with the program's source, searched first.
    pub source: Vec<PathBuf>,
    /// Size on disk at which it steps down or ends: `500MB`, `none`.
    pub max_bytes: String,
    /// Time after which it steps down or ends: `10m`, `none`.
    pub max_duration: String,
    /// How many times as long the program may take before it steps down or ends: `1.5`, `20`, `none`.
    pub max_slowdown: String,
    /// `lower`, `end`.
    pub at_limit: String,
    /// How much is kept on disk, of the newest part: `500MB`, `none`.
    pub ring: String,
    /// `auto`, `inputs`, `reads`, `writes`.
    pub probe_log: String,
}

impl Wanted {
    /// What the recording may cost.
    fn limits(&self, defaults: CostLimits) -> Result<CostLimits, Error> {
        let wrong = |field, reason: String| Error::Argument { field, reason };
        let mut limits = defaults;
        if !self.max_bytes.is_empty() {
            let limit: Limit<ByteSize> = self
                .max_bytes
                .parse()
                .map_err(|error: LimitError| wrong("options.max_bytes", error.to_string()))?;
            limits.bytes = limit.0.map(|bytes| bytes.0);
        }
        if !self.max_duration.is_empty() {
            let limit: Limit<Span> = self
                .max_duration
                .parse()
                .map_err(|error: LimitError| wrong("options.max_duration", error.to_string()))?;
            limits.duration_ms = limit.milliseconds();
        }
        if !self.max_slowdown.is_empty() {
            let limit: Limit<Times> = self
                .max_slowdown
                .parse()
                .map_err(|error: LimitError| wrong("options.max_slowdown", error.to_string()))?;
            limits.slowdown_percent = limit.0.map(|times| times.0);
        }
        if !self.ring.is_empty() {
            let ring: Limit<ByteSize> = self
                .ring
                .parse()
                .map_err(|error: LimitError| wrong("options.ring", error.to_string()))?;
            limits.ring = ring.0.map(|bytes| bytes.0);
        }
        if let Some(ring) = limits.ring.filter(|ring| *ring < LEAST_RING) {
            let reason = format!(
                "{} is less than {}, below which next to nothing would be kept",
                ByteSize(ring),
                ByteSize(LEAST_RING)
            );
            return Err(wrong("options.ring", reason));
        }
        if !self.at_limit.is_empty() {
            limits.at_limit = self.at_limit.parse()?;
        }
        Ok(limits)
    }

    /// What the program is to tell.
    fn probe_log(&self, default: ProbeLog, engine: EngineKind) -> Result<ProbeLog, Error> {
        if self.probe_log.is_empty() {
            return Ok(default);
        }
        let log = self.probe_log.parse()?;
        match (engine, log) {
            (EngineKind::Events, ProbeLog::Inputs | ProbeLog::Reads | ProbeLog::Writes) => {
                Err(Error::Argument {
                    field: "options.probe_log",
                    reason: format!(
                        "'{log}' is for engine 'probe': engine 'events' puts no code into the program, which could log anything"
                    ),
                })
            }
            _ => Ok(log),
        }
    }
}

/// Options that can be carried out, and what a reader of the recording should know of the choice.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The options; the engine `auto` is replaced when the JVM is known.
    pub options: RecordingOptions,
    /// For the recording's notes.
    pub notes: Vec<String>,
    /// Folders and archives with the program's source, searched first.
    pub source: Vec<PathBuf>,
}

impl Wanted {
    /// Fills in defaults and checks.
    ///
    /// # Errors
    /// A word that is not known, a pattern that makes no sense.
    pub fn choose(&self, defaults: &Options) -> Result<Chosen, Error> {
        let wanted = self;
        let level = if wanted.level.is_empty() {
            defaults.level
        } else {
            wanted.level.parse()?
        };
        let engine = if wanted.engine.is_empty() {
            defaults.engine
        } else {
            wanted.engine.parse()?
        };
        let mut notes = Vec::new();
        match engine {
            EngineKind::Events => {}
            EngineKind::Probe => {
                notes.push(
                    "engine: 'probe' is new: threads of the scope run one at a time, and not all that collections hold is told"
                        .into(),
                );
            }
            // The JVM that comes decides.
            EngineKind::Auto => {}
        }
        let string_limit = if wanted.string_limit == 0 {
            defaults.string_limit
        } else {
            wanted.string_limit
        };
        if string_limit > HIGHEST_STRING_LIMIT {
            return Err(Error::Argument {
                field: "options.string_limit",
                reason: format!("{string_limit} is over the limit of {HIGHEST_STRING_LIMIT}"),
            });
        }
        let mut snapshots = wanted.snapshots.or(defaults.snapshots)?;
        if engine == EngineKind::Probe && level == Level::Calls && snapshots.depth > 0 {
            snapshots = SnapshotLimits::none();
            notes.push(
                "engine 'probe' takes no snapshots of what arguments and results hold: use engine 'events' for these, or level 'state'"
                    .into(),
            );
        }
        let options = RecordingOptions {
            level,
            engine,
            include: wanted.include.clone(),
            exclude: wanted.exclude.clone(),
            string_limit,
            snapshots,
            contents: defaults.contents && !wanted.no_contents,
            limits: wanted.limits(defaults.limits)?,
            probe_log: wanted.probe_log(defaults.probe_log, engine)?,
        };
        capture::check_patterns(&options)?;
        let mut source = wanted.source.clone();
        source.extend_from_slice(&defaults.source.path);
        Ok(Chosen {
            options,
            notes,
            source,
        })
    }
}
