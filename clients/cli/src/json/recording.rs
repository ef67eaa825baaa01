//! Recordings.

use jhyde_proto::v1::{Recording, RecordingState, SnapshotLimits};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::commands::recordings::state_word;

/// One recording.
#[derive(Clone, Copy, Debug)]
pub struct RecordingJson<'a>(pub &'a Recording);

#[derive(Serialize)]
struct JvmJson<'a> {
    address: &'a str,
    name: &'a str,
    version: &'a str,
    command: &'a [String],
}

/// How far snapshots of objects go (level `calls`).
#[derive(Serialize)]
struct SnapshotsJson {
    depth: Option<u32>,
    elements: Option<u32>,
    bytes: Option<u32>,
}

impl From<SnapshotLimits> for SnapshotsJson {
    fn from(limits: SnapshotLimits) -> Self {
        Self {
            depth: limits.depth,
            elements: limits.elements,
            bytes: limits.bytes,
        }
    }
}

#[derive(Serialize)]
struct GapCountJson<'a> {
    reason: &'a str,
    count: u64,
}

/// A stretch of time at a lower level than was asked for.
#[derive(Serialize)]
struct LoweredJson<'a> {
    since: u64,
    until: Option<u64>,
    /// Empty: everything.
    subject: &'a str,
    level: &'a str,
    reason: &'a str,
    /// What is told there may be false; its values are not told.
    doubted: bool,
}

impl Serialize for RecordingJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let recording = self.0;
        let options = recording.options.clone().unwrap_or_default();
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("id", &recording.id)?;
        map.serialize_entry("name", &recording.name)?;
        map.serialize_entry("state", state_word(recording.state()))?;
        map.serialize_entry("state_reason", &recording.state_reason)?;
        map.serialize_entry("exit_code", &recording.exit_code)?;
        map.serialize_entry("created_ms", &recording.created_ms)?;
        map.serialize_entry("ended_ms", &recording.ended_ms)?;
        map.serialize_entry("level", &options.level)?;
        map.serialize_entry("engine", &options.engine)?;
        let log = Some(&options.probe_log).filter(|log| !log.is_empty());
        map.serialize_entry("probe_log", &log)?;
        map.serialize_entry("include", &options.include)?;
        map.serialize_entry("exclude", &options.exclude)?;
        map.serialize_entry("string_limit", &options.string_limit)?;
        let snapshots = options.snapshots.unwrap_or_default();
        map.serialize_entry("snapshots", &SnapshotsJson::from(snapshots))?;
        map.serialize_entry("contents", &!options.no_contents)?;
        map.serialize_entry("events", &recording.events)?;
        map.serialize_entry("calls", &recording.calls)?;
        map.serialize_entry("threads", &recording.threads)?;
        map.serialize_entry("classes", &recording.classes)?;
        map.serialize_entry("bytes", &recording.bytes)?;
        map.serialize_entry("notes", &recording.notes)?;
        let gaps = recording.gaps.iter().map(|gap| GapCountJson {
            reason: &gap.reason,
            count: gap.count,
        });
        map.serialize_entry("gaps", &gaps.collect::<Vec<_>>())?;
        let limits = [
            ("max_bytes", &options.max_bytes),
            ("max_duration", &options.max_duration),
            ("max_slowdown", &options.max_slowdown),
        ];
        let limits = limits.map(|(name, limit)| (name, limit.as_str()));
        if limits.iter().any(|(_, limit)| !limit.is_empty()) {
            for (name, limit) in limits {
                map.serialize_entry(name, &Some(limit).filter(|limit| !limit.is_empty()))?;
            }
            map.serialize_entry("at_limit", &options.at_limit)?;
        }
        if !options.ring.is_empty() {
            map.serialize_entry("ring", &options.ring)?;
            map.serialize_entry("kept_from", &recording.kept_from)?;
        }
        if !recording.lowered.is_empty() {
            let lowered = recording.lowered.iter().map(|lowered| LoweredJson {
                since: lowered.since,
                until: lowered.until,
                subject: &lowered.subject,
                level: &lowered.level,
                reason: &lowered.reason,
                doubted: lowered.doubted,
            });
            map.serialize_entry("lowered", &lowered.collect::<Vec<_>>())?;
            map.serialize_entry("more_lowered", &recording.more_lowered)?;
        }
        let jvm = recording.jvm.as_ref().map(|jvm| JvmJson {
            address: &jvm.address,
            name: &jvm.name,
            version: &jvm.version,
            command: &jvm.command,
        });
        map.serialize_entry("jvm", &jvm)?;
        if recording.state() == RecordingState::Waiting {
            map.serialize_entry("listen_port", &recording.listen_port)?;
        }
        map.end()
    }
}
