//! `jhyde list`, `show`, `watch`, `attach`, `stop`, `detach`, `delete`.

use std::ffi::OsString;
use std::path::PathBuf;

use jhyde_proto::program::JavaCommand;
use jhyde_proto::v1::{
    AttachRequest, GetRecordingRequest, ListRecordingsRequest, LoweredLevel, Recording,
    RecordingOptions, RecordingState, SnapshotLimits,
};
use jhyde_proto::words;
use serde::Serialize;
use tokio_stream::StreamExt as _;

use super::{Context, gaps, notes};
use crate::args::{AttachArgs, RecordArgs, RecordingArg, RecordingsArg};
use crate::error::Error;
use crate::json::RecordingJson;
use crate::output::{Look, Output};
use crate::progress;
use crate::text::{Cell, Table, age, clean, count, date, plural, size};

/// The most that one page of recordings may hold.
const RECORDINGS_PAGE: u32 = 1000;

/// The word for a state, stable for programs.
pub fn state_word(state: RecordingState) -> &'static str {
    match state {
        RecordingState::Unspecified => "unknown",
        RecordingState::Waiting => "waiting",
        RecordingState::Running => "running",
        RecordingState::Complete => "complete",
        RecordingState::Detached => "detached",
        RecordingState::Stopped => "stopped",
        RecordingState::ConnectionLost => "connection-lost",
        RecordingState::Cut => "cut",
        RecordingState::Failed => "failed",
        RecordingState::Unreadable => "unreadable",
    }
}

/// Does it go on?
pub(crate) fn is_open(recording: &Recording) -> bool {
    matches!(
        recording.state(),
        RecordingState::Waiting | RecordingState::Running
    )
}

fn state_look(state: RecordingState) -> Look {
    match state {
        RecordingState::Running | RecordingState::Waiting => Look::Hint,
        RecordingState::Complete | RecordingState::Detached | RecordingState::Stopped => Look::Good,
        RecordingState::Cut | RecordingState::ConnectionLost => Look::ChangedBelow,
        RecordingState::Failed | RecordingState::Unreadable | RecordingState::Unspecified => {
            Look::Bad
        }
    }
}

pub(crate) fn named(recording: &str) -> GetRecordingRequest {
    GetRecordingRequest {
        recording: recording.to_owned(),
    }
}

/// Paths as the daemon reads them, which stands in another folder.
pub(crate) fn absolute_paths(paths: &[PathBuf]) -> Vec<String> {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let paths = paths.iter().map(absolute);
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

pub(crate) fn options(args: &RecordArgs) -> RecordingOptions {
    RecordingOptions {
        level: args.level.clone().unwrap_or_default(),
        engine: args.engine.clone().unwrap_or_default(),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        string_limit: args.string_limit.unwrap_or(0),
        snapshots: Some(SnapshotLimits {
            depth: args.snapshot_depth,
            elements: args.snapshot_elements,
            bytes: args.snapshot_bytes,
        }),
        no_contents: args.no_contents,
        max_bytes: args.max_bytes.clone().unwrap_or_default(),
        max_duration: args.max_duration.clone().unwrap_or_default(),
        max_slowdown: args.max_slowdown.clone().unwrap_or_default(),
        at_limit: args.at_limit.clone().unwrap_or_default(),
        probe_log: args.probe_log.clone().unwrap_or_default(),
        ring: args.ring.clone().unwrap_or_default(),
        source: absolute_paths(&args.source),
    }
}

/// All recordings.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn list(context: &mut Context) -> Result<(), Error> {
    let mut recordings = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListRecordingsRequest {
            page_size: RECORDINGS_PAGE,
            page_token,
        };
        let page = context.client.recordings.list(request).await?.into_inner();
        recordings.extend(page.recordings);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let out = &mut context.out;
    if out.json {
        return recordings
            .iter()
            .try_for_each(|recording| out.object(&RecordingJson(recording)));
    }
    if recordings.is_empty() {
        let text =
            "no recordings yet; begin with: jhyde launch --name demo -- java -cp classes Main";
        let text = out.paint.text(Look::Faint, text);
        return out.line(text);
    }
    table(&recordings).write(out)?;
    let unreadable = recordings
        .iter()
        .filter(|recording| recording.state() == RecordingState::Unreadable);
    let why: Vec<String> = unreadable
        .map(|recording| {
            format!(
                "{} cannot be used: {}",
                recording.name, recording.state_reason
            )
        })
        .collect();
    notes(&why, out)
}

fn table(recordings: &[Recording]) -> Table {
    // What a program is goes last; what tells recordings from each other least, first.
    let mut table = Table::new(&[
        "NAME", "ID", "STATE", "LEVEL", "CALLS", "EVENTS", "GAPS", "SIZE", "MADE", "PROGRAM",
    ])
    .leaving_out(&["ID", "LEVEL", "SIZE", "MADE"]);
    for recording in recordings {
        let state = recording.state();
        let level = recording.options.as_ref().map(|_| level_word(recording));
        let is_readable = state != RecordingState::Unreadable;
        let known = |figure: String| if is_readable { figure } else { String::new() };
        let made = match recording.created_ms {
            0 => String::new(),
            created_ms => age(created_ms),
        };
        let gaps = words::gaps(recording);
        let gaps_look = if gaps > 0 {
            Look::ChangedBelow
        } else {
            Look::Plain
        };
        table.row(vec![
            Cell::with(Look::Strong, clean(&recording.name)),
            Cell::with(Look::Faint, recording.id.as_str()),
            Cell::with(state_look(state), state_word(state)),
            Cell::new(level.unwrap_or_default()),
            Cell::number(known(count(recording.calls))),
            Cell::number(known(count(recording.events))),
            Cell::number(known(count(gaps))).looking(gaps_look),
            Cell::number(known(size(recording.bytes))),
            Cell::with(Look::Faint, made),
            Cell::with(Look::Faint, what_ran(recording)),
        ]);
    }
    table
}

/// What ran, in a list: a command without its options, or where it was attached to.
fn what_ran(recording: &Recording) -> String {
    let jvm = recording.jvm.as_ref();
    let command = jvm.map(|jvm| jvm.command.as_slice()).unwrap_or_default();
    let words: Vec<OsString> = command.iter().map(OsString::from).collect();
    match JavaCommand::new(&words) {
        Ok(java) => clean(&java.without_options().join(" ")).into_owned(),
        Err(_) => program(recording),
    }
}

/// What ran: the command, or where it was attached to.
fn program(recording: &Recording) -> String {
    let jvm = recording.jvm.clone().unwrap_or_default();
    let text = if jvm.command.is_empty() {
        jvm.address
    } else {
        jvm.command.join(" ")
    };
    clean(&text).into_owned()
}

/// One recording.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn show(context: &mut Context, args: &RecordingArg) -> Result<(), Error> {
    let recording = context
        .client
        .recordings
        .get(named(&args.recording))
        .await?
        .into_inner();
    told(&recording, &mut context.out)
}

fn told(recording: &Recording, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return out.object(&RecordingJson(recording));
    }
    let state = state_word(recording.state());
    let reason = match recording.state_reason.as_str() {
        "" => state.to_owned(),
        reason => format!("{state}: {}", clean(reason)),
    };
    let options = recording.options.clone().unwrap_or_default();
    let jvm = recording.jvm.clone().unwrap_or_default();
    let mut scope = options.include.clone();
    scope.extend(
        options
            .exclude
            .iter()
            .map(|pattern| format!("not {pattern}")),
    );
    let scope = if options.include.is_empty() && options.exclude.is_empty() {
        "all classes of the application's loaders".to_owned()
    } else {
        clean(&scope.join(", ")).into_owned()
    };
    let mut table = Table::new(&[]).indented(2);
    let mut row = |name: &str, look, text: String| {
        if !text.is_empty() {
            table.row(vec![Cell::with(Look::Faint, name), Cell::with(look, text)]);
        }
    };
    row("id", Look::Plain, recording.id.clone());
    row("state", state_look(recording.state()), reason);
    row(
        "exit code",
        Look::Plain,
        recording
            .exit_code
            .map(|code| code.to_string())
            .unwrap_or_default(),
    );
    row("program", Look::Plain, program(recording));
    row(
        "JVM",
        Look::Plain,
        clean(format!("{} {}", jvm.name, jvm.version).trim()).into_owned(),
    );
    row(
        "made",
        Look::Plain,
        format!(
            "{} ({})",
            date(recording.created_ms),
            age(recording.created_ms)
        ),
    );
    row(
        "ended",
        Look::Plain,
        recording.ended_ms.map(date).unwrap_or_default(),
    );
    row("level", Look::Plain, options.level.clone());
    for lowered in &recording.lowered {
        row("", Look::ChangedBelow, lowered_words(lowered));
    }
    if recording.more_lowered > 0 {
        let more = format!("and {} more such stretches of time", recording.more_lowered);
        row("", Look::ChangedBelow, more);
    }
    let limits = [
        ("disk", &options.max_bytes),
        ("time", &options.max_duration),
        ("slowdown", &options.max_slowdown),
    ];
    let limits: Vec<_> = limits
        .iter()
        .filter(|(_, limit)| !limit.is_empty())
        .map(|(name, limit)| format!("{name} {limit}"))
        .collect();
    if !limits.is_empty() {
        let then = match options.at_limit.as_str() {
            "end" => "ends then",
            _ => "steps down then",
        };
        row(
            "limits",
            Look::Plain,
            format!("{}: {then}", limits.join(", ")),
        );
    }
    let engine = match options.probe_log.as_str() {
        "" | "auto" => options.engine.clone(),
        log => format!("{}, log {log}", options.engine),
    };
    row("engine", Look::Plain, engine);
    row("scope", Look::Plain, scope);
    row("recorded", Look::Plain, amounts(recording));
    let kept = match recording.kept_from {
        0 if options.ring.is_empty() => String::new(),
        0 => format!("all so far, and the newest {} of it", options.ring),
        from => format!(
            "from event {from} on, the newest {}: {from} events before were cut off",
            options.ring
        ),
    };
    row("kept", Look::Plain, kept);
    for (at, gaps) in gaps::summary(recording).into_iter().enumerate() {
        let (name, look) = match (at, recording.gaps.is_empty()) {
            (0, true) => ("gaps", Look::Good),
            (0, false) => ("gaps", Look::ChangedBelow),
            _ => ("", Look::ChangedBelow),
        };
        row(name, look, gaps);
    }
    let port = recording.listen_port;
    let waits = recording.state() == RecordingState::Waiting;
    row(
        "waits at",
        Look::Plain,
        if waits {
            format!("127.0.0.1:{port}")
        } else {
            String::new()
        },
    );
    let title = out.paint.text(Look::Strong, clean(&recording.name));
    out.line(title)?;
    table.write(out)?;
    if !recording.gaps.is_empty() {
        let text = format!("  jhyde gaps {} lists them with calls", recording.name);
        let text = out.paint.text(Look::Hint, clean(&text));
        out.line(text)?;
    }
    notes(&recording.notes, out)
}

/// The level that was asked for, and the lower one that everything was recorded at last: `full→state`.
fn level_word(recording: &Recording) -> String {
    let asked = recording
        .options
        .as_ref()
        .map(|options| options.level.as_str());
    let asked = asked.unwrap_or_default();
    let lowered = recording.lowered.iter().rev();
    let mut of_all = lowered.filter(|lowered| lowered.subject.is_empty());
    match of_all.next() {
        Some(lowered) => format!("{asked}→{}", lowered.level),
        None if !recording.lowered.is_empty() => format!("{asked} (less in parts)"),
        None => asked.to_owned(),
    }
}

fn lowered_words(lowered: &LoweredLevel) -> String {
    let what = match lowered.subject.as_str() {
        "" => String::new(),
        subject => format!("{} ", clean(subject)),
    };
    let until = match lowered.until {
        Some(until) => format!(" to @{until}"),
        None => " on".to_owned(),
    };
    let (level, since, reason) = (&lowered.level, lowered.since, clean(&lowered.reason));
    match lowered.doubted {
        true => format!("{what}in doubt from @{since}{until}, without values: {reason}"),
        false => format!("{what}{level} from @{since}{until}: {reason}"),
    }
}

pub(crate) fn amounts(recording: &Recording) -> String {
    format!(
        "{}, {}, {}, {}, {}, {}",
        plural(recording.calls, "call"),
        plural(recording.events, "event"),
        plural(words::gaps(recording), "gap"),
        plural(recording.threads.into(), "thread"),
        plural(recording.classes.into(), "class"),
        size(recording.bytes),
    )
}

/// Follows a recording.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn watch(context: &mut Context, recording: &str) -> Result<(), Error> {
    let mut changes = context
        .client
        .recordings
        .watch(named(recording))
        .await?
        .into_inner();
    let bar = progress::spinner("waiting for the first news");
    context.out.eager = true;
    let mut last = None;
    while let Some(now) = changes.next().await {
        let now = now?;
        let line = format!("{}  {}", state_word(now.state()), amounts(&now));
        if context.out.json {
            context.out.object(&RecordingJson(&now))?;
        } else if bar.is_hidden() {
            context.out.line(&line)?;
        } else {
            bar.set_message(line);
        }
        last = Some(now);
    }
    bar.finish_and_clear();
    match last {
        Some(last) if !context.out.json => told(&last, &mut context.out),
        _ => Ok(()),
    }
}

/// Attaches to a JVM.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn attach(context: &mut Context, args: &AttachArgs) -> Result<(), Error> {
    let request = AttachRequest {
        address: args.address.clone(),
        name: args.how.record.name.clone().unwrap_or_default(),
        options: Some(options(&args.how.record)),
    };
    let bar = progress::spinner(format!("attaching to {}", args.address));
    let answer = context.client.recordings.attach(request).await;
    bar.finish_and_clear();
    let recording = answer?.into_inner();
    told(&recording, &mut context.out)?;
    if args.how.watch {
        context.out.flush()?;
        watch(context, &recording.id).await?;
        let last = context.client.recordings.get(named(&recording.id)).await?;
        if !args.how.quiet && !context.out.json {
            context.out.flush()?;
            eprintln!("{}", clean(&words::recorded(&last.into_inner())));
        }
        return Ok(());
    }
    if !context.out.json {
        let name = &recording.name;
        let text = format!(
            "jhyde watch {name} follows it, jhyde detach {name} ends it and leaves the JVM running"
        );
        let text = context.out.paint.text(Look::Hint, text);
        context.out.line(text)?;
    }
    Ok(())
}

/// Ends recordings.
///
/// # Errors
/// The first refusal, after all of them were tried.
pub async fn stop(context: &mut Context, args: &RecordingsArg, detach: bool) -> Result<(), Error> {
    let mut failed = None;
    for recording in &args.recordings {
        let bar = progress::spinner(format!("closing {recording}"));
        let request = named(recording);
        let answer = if detach {
            context.client.recordings.detach(request).await
        } else {
            context.client.recordings.stop(request).await
        };
        bar.finish_and_clear();
        match answer {
            Ok(recording) => ended(&recording.into_inner(), &mut context.out)?,
            Err(status) => later(&mut failed, status.into()),
        }
    }
    failed.map_or(Ok(()), Err)
}

fn ended(recording: &Recording, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return out.object(&RecordingJson(recording));
    }
    let name = out.paint.text(Look::Strong, clean(&recording.name));
    out.line(format!(
        "{name} {}: {}",
        state_word(recording.state()),
        amounts(recording)
    ))
}

#[derive(Serialize)]
struct Deleted<'a> {
    deleted: &'a str,
    bytes: u64,
}

/// Deletes recordings.
///
/// # Errors
/// The first refusal, after all of them were tried.
pub async fn delete(context: &mut Context, args: &RecordingsArg) -> Result<(), Error> {
    let mut failed = None;
    for recording in &args.recordings {
        match context.client.recordings.delete(named(recording)).await {
            Ok(answer) => {
                let bytes = answer.into_inner().bytes;
                if context.out.json {
                    context.out.object(&Deleted {
                        deleted: recording,
                        bytes,
                    })?;
                } else {
                    context.out.line(format!(
                        "{} deleted, {} free again",
                        clean(recording),
                        size(bytes)
                    ))?;
                }
            }
            Err(status) => later(&mut failed, status.into()),
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Keeps the first failure for the exit code; the others are told at once.
fn later(first: &mut Option<Error>, error: Error) {
    if first.is_none() {
        *first = Some(error);
    } else {
        eprintln!("jhyde: {error}");
    }
}
