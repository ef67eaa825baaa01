//! Between the generated types of recordings and ours.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use jhyde_history::end;
use jhyde_proto::program::JavaCommand;
use jhyde_proto::v1;
use jhyde_store::{GapCount, Lowered};
use jhyde_trace::echo::shown;
use jhyde_trace::{EngineKind, State};
use tonic::Status;

use crate::config::units::{ByteSize, Span, Times};
use crate::daemon::Description;
use crate::daemon::options::{Wanted, WantedSnapshots};
use crate::services::status::invalid;

/// A recording as clients see it.
pub fn recording(description: &Description) -> v1::Recording {
    let Description {
        meta,
        stats,
        unusable,
        listen_port,
    } = description;
    let stats = stats.clone().unwrap_or_default();
    let limits = meta.options.limits;
    v1::Recording {
        id: meta.id.clone(),
        name: meta.name.clone(),
        state: match unusable {
            Some(_) => v1::RecordingState::Unreadable.into(),
            None => state(&meta.state).into(),
        },
        state_reason: match unusable {
            Some(reason) => reason.clone(),
            None => end::reason(&meta.state).to_owned(),
        },
        end_note: end::note(&meta.state, stats.events).unwrap_or_default(),
        exit_code: match meta.state {
            State::Complete { exit_code } => exit_code,
            _ => None,
        },
        created_ms: meta.created_ms,
        ended_ms: meta.ended_ms,
        options: Some(v1::RecordingOptions {
            level: meta.options.level.to_string(),
            engine: meta.options.engine.to_string(),
            include: meta.options.include.clone(),
            exclude: meta.options.exclude.clone(),
            string_limit: meta.options.string_limit,
            snapshots: Some(v1::SnapshotLimits {
                depth: Some(meta.options.snapshots.depth),
                elements: Some(meta.options.snapshots.elements),
                bytes: Some(meta.options.snapshots.bytes),
            }),
            no_contents: !meta.options.contents,
            source: Vec::new(),
            max_bytes: text_of(limits.bytes.map(ByteSize)),
            max_duration: text_of(limits.duration_ms.map(|ms| Span(Duration::from_millis(ms)))),
            max_slowdown: text_of(limits.slowdown_percent.map(Times)),
            at_limit: limits.at_limit.to_string(),
            ring: text_of(limits.ring.map(ByteSize)),
            probe_log: match meta.options.engine {
                EngineKind::Events => String::new(),
                EngineKind::Auto | EngineKind::Probe => meta.options.probe_log.to_string(),
            },
        }),
        jvm: meta.jvm.as_ref().map(|jvm| v1::Jvm {
            address: jvm.address.clone(),
            name: jvm.name.clone(),
            version: jvm.version.clone(),
            command: jvm.command.clone(),
        }),
        events: stats.events,
        kept_from: stats.kept_from.0,
        calls: stats.calls,
        threads: stats.threads,
        classes: stats.classes,
        bytes: stats.bytes_on_disk,
        notes: meta.notes.clone(),
        listen_port: u32::from(*listen_port),
        gaps: stats.gaps.into_iter().map(gap_count).collect(),
        lowered: stats.lowered.into_iter().map(lowered).collect(),
        more_lowered: stats.more_lowered,
    }
}

/// Empty: no limit.
fn text_of(limit: Option<impl std::fmt::Display>) -> String {
    limit.map(|limit| limit.to_string()).unwrap_or_default()
}

fn lowered(stretch: Lowered) -> v1::LoweredLevel {
    v1::LoweredLevel {
        since: stretch.since.0,
        until: stretch.until.map(|until| until.0),
        subject: stretch.subject,
        level: stretch.level.to_string(),
        reason: stretch.reason,
        doubted: stretch.doubted,
    }
}

fn gap_count(GapCount { reason, count }: GapCount) -> v1::GapCount {
    v1::GapCount { reason, count }
}

/// A folder of which nothing but its name is known.
pub(super) fn unreadable(id: String, reason: String) -> v1::Recording {
    v1::Recording {
        name: id.clone(),
        id,
        state: v1::RecordingState::Unreadable.into(),
        state_reason: reason,
        ..v1::Recording::default()
    }
}

fn state(state: &State) -> v1::RecordingState {
    match state {
        State::Waiting => v1::RecordingState::Waiting,
        State::Running => v1::RecordingState::Running,
        State::Complete { .. } => v1::RecordingState::Complete,
        State::Detached | State::LimitReached { .. } => v1::RecordingState::Detached,
        State::Stopped => v1::RecordingState::Stopped,
        State::ConnectionLost { .. } => v1::RecordingState::ConnectionLost,
        State::Cut => v1::RecordingState::Cut,
        State::Failed { .. } => v1::RecordingState::Failed,
    }
}

/// How to record, as a client asks for it.
pub(super) fn wanted(options: Option<v1::RecordingOptions>) -> Wanted {
    let options = options.unwrap_or_default();
    let snapshots = options.snapshots.unwrap_or_default();
    Wanted {
        level: options.level,
        engine: options.engine,
        include: options.include,
        exclude: options.exclude,
        string_limit: options.string_limit,
        snapshots: WantedSnapshots {
            depth: snapshots.depth,
            elements: snapshots.elements,
            bytes: snapshots.bytes,
        },
        no_contents: options.no_contents,
        max_bytes: options.max_bytes,
        max_duration: options.max_duration,
        max_slowdown: options.max_slowdown,
        at_limit: options.at_limit,
        probe_log: options.probe_log,
        ring: options.ring,
        source: options.source.into_iter().map(PathBuf::from).collect(),
    }
}

/// What a command line runs, for a made name; empty where there is none.
pub(super) fn program_of(command: &[String]) -> String {
    let words: Vec<OsString> = command.iter().map(OsString::from).collect();
    JavaCommand::new(&words)
        .map(|java| java.main().to_owned())
        .unwrap_or_default()
}

/// Where a list goes on: behind the recording of this time and id.
pub(super) fn list_token(token: &str) -> Result<Option<(u64, String)>, Status> {
    if token.is_empty() {
        return Ok(None);
    }
    let parsed = token
        .split_once('-')
        .and_then(|(created, id)| Some((created.parse().ok()?, id)));
    match parsed {
        Some((created, id)) if !id.is_empty() => Ok(Some((created, id.to_owned()))),
        _ => Err(invalid(
            "page_token",
            format!(
                "'{}' is not a token of this list; pass next_page_token on as it came",
                shown(token)
            ),
        )),
    }
}

/// The token for what follows the recording of this time and id.
pub(super) fn list_token_of((created_ms, id): (u64, &str)) -> String {
    format!("{created_ms}-{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back_and_others_refused() {
        assert_eq!(list_token("").unwrap(), None);
        assert_eq!(list_token("12-a-b").unwrap(), Some((12, "a-b".to_owned())));
        for bad in ["x", "12", "12-", "-a", "twelve-a"] {
            let status = list_token(bad).unwrap_err();
            assert_eq!(status.code(), tonic::Code::InvalidArgument, "{bad}");
        }
    }
}
