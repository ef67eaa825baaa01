//! Looking into recordings as a whole, and deleting those that are more than is to be kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jhyde_proto::v1;
use jhyde_store::{Error as StoreError, Removal};
use tonic::Status;

use super::recording;
use crate::config::Limits;
use crate::daemon::Daemon;
use crate::daemon::record::blocking;
use crate::error::Error;
use crate::services::history::CancelOnDrop;
use crate::services::parts::{Answer, parts};
use crate::services::status::invalid;

/// Between two words on how far a check is.
const NEWS: Duration = Duration::from_millis(200);

/// Verifies a recording.
pub(super) fn check(daemon: Arc<Daemon>, name: String) -> Result<Answer<v1::CheckEvent>, Status> {
    let (parts, answer) = parts(&daemon, CancelOnDrop::default(), None)?;
    let event = |event| v1::CheckEvent { event: Some(event) };
    tokio::task::spawn_blocking(move || {
        let checked = daemon.recording(&name).map(|opened| {
            let mut told = Instant::now();
            let report = opened.check(|done_blocks, total_blocks| {
                if told.elapsed() >= NEWS {
                    told = Instant::now();
                    let progress = v1::check_event::Event::Progress(v1::CheckProgress {
                        done_blocks,
                        total_blocks,
                    });
                    // A client that does not read is not waited for: it wants the report.
                    parts.offer(event(progress));
                }
                !parts.is_gone()
            });
            v1::CheckReport {
                events: report.events,
                blocks: report.blocks,
                entries: report.entries,
                damage: report.damage.iter().map(damage).collect(),
                recording: Some(recording(&daemon.describe_meta(opened.meta()))),
            }
        });
        match checked {
            // An error means that nobody takes it.
            Ok(report) => drop(parts.send(event(v1::check_event::Event::Report(report)))),
            Err(error) => parts.fail(error.into()),
        }
    });
    Ok(answer)
}

fn damage(error: &StoreError) -> v1::Damage {
    let (from, to) = match error {
        StoreError::Damaged { from, to, .. } => (Some(from.0), Some(to.0)),
        _ => (None, None),
    };
    v1::Damage {
        message: error.to_string(),
        from,
        to,
    }
}

/// What takes the room.
pub(super) fn inspect(daemon: &Daemon, name: &str) -> Result<v1::InspectResponse, Error> {
    use v1::inspect_response::{Block, Column, Table};
    let opened = daemon.recording(name)?;
    let meta = opened.meta();
    let report = opened.inspect()?;
    let tables = report
        .tables
        .into_iter()
        .map(|(name, entries, bytes)| Table {
            name,
            entries,
            bytes,
        });
    let columns = report.columns.into_iter();
    let blocks = report.largest_blocks.into_iter();
    Ok(v1::InspectResponse {
        events: report.events,
        blocks: report.blocks,
        index_groups: report.index_groups,
        sealed: daemon.is_sealed(&meta.id)?,
        tables: tables.collect(),
        columns: columns
            .map(|(name, bytes)| Column { name, bytes })
            .collect(),
        largest_blocks: blocks
            .map(|(first, events, bytes)| Block {
                first: first.0,
                events,
                bytes,
            })
            .collect(),
        recording: Some(recording(&daemon.describe_meta(meta))),
    })
}

/// Deletes what is more than is to be kept.
pub(super) async fn keep(
    daemon: Arc<Daemon>,
    request: v1::KeepRequest,
) -> Result<v1::KeepResponse, Status> {
    let limits =
        Limits::parse(&request.limits).map_err(|error| invalid("limits", error.to_string()))?;
    let limits = if limits.is_none() {
        Limits(daemon.options().keep)
    } else {
        limits
    };
    if limits.is_none() {
        return Err(invalid(
            "limits",
            "nothing says what to keep: give limits (100, 30d, 20GB), or set 'keep' in the daemon's \
             configuration",
        ));
    }
    let kept = blocking(move || {
        let plan = daemon.plan_keep(&limits.0);
        let (deleted, failed) = if request.dry_run {
            (plan.remove.clone(), Vec::new())
        } else {
            let report = daemon.apply_keep(&plan);
            (report.deleted, report.failed)
        };
        let failed_bytes: u64 = failed.iter().map(|(removal, _)| removal.bytes).sum();
        Ok(v1::KeepResponse {
            deleted: deleted.iter().map(|gone| told(gone, "")).collect(),
            spared: plan.spared.iter().map(|spared| told(spared, "")).collect(),
            kept: plan.kept + failed.len() as u64,
            kept_bytes: plan.kept_bytes + failed_bytes,
            failed: failed
                .iter()
                .map(|(removal, error)| told(removal, &error.to_string()))
                .collect(),
        })
    })
    .await?;
    Ok(kept)
}

fn told(removal: &Removal, failure: &str) -> v1::Removal {
    v1::Removal {
        id: removal.id.clone(),
        name: removal.name.clone(),
        bytes: removal.bytes,
        reason: removal.reason.to_string(),
        failure: failure.to_owned(),
    }
}
