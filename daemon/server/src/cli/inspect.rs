//! `jhyded check` and `jhyded inspect`: looking into one recording, by this process, or by the daemon
//! that has the data folder.

use std::io::{self, IsTerminal as _};

use jhyde_proto::v1;
use jhyde_proto::v1::check_event::Event;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::recordings_server::Recordings as _;
use serde_json::json;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Status};

use super::args::RecordingArgs;
use super::failure::Failure;
use super::host::{self, Host};
use super::say::put;
use super::signals::Signals;
use super::written;
use crate::config::Settings;
use crate::error::exit;
use crate::services::recordings::RecordingsService;

/// Verifies a recording and says what is wrong with it.
pub(super) async fn check(settings: Settings, args: RecordingArgs) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    let host = Host::open(&settings).await?;
    let request = Request::new(v1::GetRecordingRequest {
        recording: args.recording.clone(),
    });
    let report = tokio::select! {
        report = async {
            match &host {
                Host::Own(own) => {
                    let service = RecordingsService::new(own.daemon.clone());
                    report(service.check(request).await?.into_inner()).await
                }
                Host::Other(channel) => {
                    let mut client = RecordingsClient::new(channel.clone());
                    report(client.check(request).await?.into_inner()).await
                }
            }
        } => report,
        _ = signals.next() => Err(Failure::Interrupted),
    };
    host.close(&mut signals).await;
    let report = report?;
    let damaged = !report.damage.is_empty();
    line(if args.json {
        check_json(&report)
    } else {
        check_text(&report)
    })?;
    Ok(if damaged { exit::FAILED } else { 0 })
}

/// The report at the end of a check; on a terminal, how far it is meanwhile.
async fn report(
    mut events: impl Stream<Item = Result<v1::CheckEvent, Status>> + Unpin,
) -> Result<v1::CheckReport, Failure> {
    let tell = io::stderr().is_terminal();
    let mut told = false;
    let report = loop {
        let event = match events.next().await {
            Some(Ok(event)) => event.event,
            Some(Err(status)) => break Err(status.into()),
            None => break Err(host::bug("the check ended without a report")),
        };
        match event {
            Some(Event::Progress(far)) if tell => {
                put(format_args!(
                    "\rblock {} of {} ",
                    far.done_blocks, far.total_blocks
                ));
                told = true;
            }
            Some(Event::Report(report)) => break Ok(report),
            _ => {}
        }
    };
    if told {
        // Over what was told before.
        put(format_args!("\r{:40}\r", ""));
    }
    report
}

fn check_json(report: &v1::CheckReport) -> String {
    let recording = report.recording.clone().unwrap_or_default();
    let damage = report
        .damage
        .iter()
        .map(|damage| json!({"message": damage.message, "from": damage.from, "to": damage.to}));
    json!({
        "id": recording.id,
        "name": recording.name,
        "cut": recording.state() == v1::RecordingState::Cut,
        "ok": report.damage.is_empty(),
        "events": report.events,
        "blocks": report.blocks,
        "entries": report.entries,
        "damage": damage.collect::<Vec<_>>(),
    })
    .to_string()
}

fn check_text(report: &v1::CheckReport) -> String {
    let recording = report.recording.clone().unwrap_or_default();
    let mut lines = vec![format!(
        "{}: {} events in {} blocks read, {} entries of tables and indexes compared",
        recording.name, report.events, report.blocks, report.entries
    )];
    if recording.state() == v1::RecordingState::Cut {
        lines.push(format!("cut: {}", recording.state_reason));
    }
    if report.damage.is_empty() {
        lines.push("all is well".to_owned());
    } else {
        lines.push(format!("{} damaged:", report.damage.len()));
        let damage = report.damage.iter();
        lines.extend(damage.map(|damage| format!("  {}", damage.message)));
    }
    lines.join("\n")
}

/// Says what takes the room of a recording.
pub(super) async fn inspect(settings: Settings, args: RecordingArgs) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    let host = Host::open(&settings).await?;
    let request = Request::new(v1::GetRecordingRequest {
        recording: args.recording.clone(),
    });
    let answer = match &host {
        Host::Own(own) => {
            let service = RecordingsService::new(own.daemon.clone());
            service.inspect(request).await
        }
        Host::Other(channel) => {
            RecordingsClient::new(channel.clone())
                .inspect(request)
                .await
        }
    };
    host.close(&mut signals).await;
    let answer = answer?.into_inner();
    line(if args.json {
        inspect_json(&answer)
    } else {
        inspect_text(&answer)
    })?;
    Ok(0)
}

fn inspect_json(answer: &v1::InspectResponse) -> String {
    let recording = answer.recording.clone().unwrap_or_default();
    let tables = answer
        .tables
        .iter()
        .map(|table| json!({"name": table.name, "entries": table.entries, "bytes": table.bytes}));
    let columns = answer
        .columns
        .iter()
        .map(|column| json!({"name": column.name, "bytes": column.bytes}));
    let blocks = answer
        .largest_blocks
        .iter()
        .map(|block| json!({"first": block.first, "events": block.events, "bytes": block.bytes}));
    json!({
        "id": recording.id,
        "name": recording.name,
        "sealed": answer.sealed,
        "bytes": recording.bytes,
        "events": answer.events,
        "blocks": answer.blocks,
        "index_groups": answer.index_groups,
        "tables": tables.collect::<Vec<_>>(),
        "columns": columns.collect::<Vec<_>>(),
        "largest_blocks": blocks.collect::<Vec<_>>(),
    })
    .to_string()
}

fn inspect_text(answer: &v1::InspectResponse) -> String {
    let recording = answer.recording.clone().unwrap_or_default();
    let per_event = |bytes: u64| {
        if answer.events == 0 {
            0.0
        } else {
            bytes as f64 / answer.events as f64
        }
    };
    let mut lines = vec![format!(
        "{}: {} events in {} blocks, {} bytes on disk ({:.2} per event), {} groups of the index{}",
        recording.name,
        answer.events,
        answer.blocks,
        recording.bytes,
        per_event(recording.bytes),
        answer.index_groups,
        if answer.sealed { ", sealed" } else { "" },
    )];
    lines.push(format!(
        "\n{:<28}{:>14}{:>14}{:>12}",
        "TABLE", "ENTRIES", "BYTES", "PER EVENT"
    ));
    let mut tables: Vec<_> = answer.tables.iter().collect();
    tables.sort_by_key(|table| std::cmp::Reverse(table.bytes));
    for table in tables {
        lines.push(format!(
            "{:<28}{:>14}{:>14}{:>12.3}",
            table.name,
            table.entries,
            table.bytes,
            per_event(table.bytes)
        ));
    }
    lines.push(format!(
        "\n{:<28}{:>28}{:>12}",
        "COLUMN (of the blocks)", "BYTES", "PER EVENT"
    ));
    for column in &answer.columns {
        lines.push(format!(
            "{:<28}{:>28}{:>12.3}",
            column.name,
            column.bytes,
            per_event(column.bytes)
        ));
    }
    lines.push(format!(
        "\n{:<28}{:>14}{:>14}",
        "LARGEST BLOCKS (from)", "EVENTS", "BYTES"
    ));
    for block in &answer.largest_blocks {
        lines.push(format!(
            "{:<28}{:>14}{:>14}",
            block.first, block.events, block.bytes
        ));
    }
    lines.join("\n")
}

fn line(text: String) -> Result<(), Failure> {
    written((text + "\n").as_bytes())
}
