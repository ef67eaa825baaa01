//! `jhyde export`, `import`, `seal`, `keep`: recordings as files, in their smallest form, and no more of them
//! than are wanted.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use jhyde_proto::v1::{ExportJelRequest, ImportChunk, KeepRequest, Removal};
use serde::Serialize;
use tokio::fs;
use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::channel;
use tokio_stream::wrappers::ReceiverStream;

use super::Context;
use super::recordings::{amounts, named, state_word};
use crate::args::{ExportArgs, ImportArgs, KeepArgs, RecordingsArg};
use crate::error::Error;
use crate::json::RecordingJson;
use crate::output::Look;
use crate::progress;
use crate::text::{clean, plural, size};

/// Bytes of a piece of a file on its way to the daemon.
const CHUNK: usize = 256 << 10;

#[derive(Serialize)]
struct Exported<'a> {
    exported: &'a str,
    file: &'a str,
    bytes: u64,
}

/// Writes a recording as one file, complete under its name or not there.
///
/// # Errors
/// When the daemon refuses, the file is there already, or it cannot be written.
pub async fn export(context: &mut Context, args: &ExportArgs) -> Result<(), Error> {
    if args.file.as_os_str() == "-" {
        let bytes = transfer(context, args, &mut tokio::io::stdout()).await;
        return bytes.map(drop).map_err(|failed| failed.at(&args.file));
    }
    if fs::try_exists(&args.file).await.unwrap_or(false) {
        return Err(file_error(
            "cannot write",
            &args.file,
            io::Error::new(
                ErrorKind::AlreadyExists,
                "it is there already; choose another name",
            ),
        ));
    }
    let part = part_of(&args.file);
    let interrupted = interrupted(&args.file)?;
    let written = tokio::select! {
        written = into_part(context, args, &part) => written.map_err(|failed| failed.at(&args.file)),
        signal = interrupted => Err(Error::Interrupted(signal)),
    };
    let bytes = match written {
        Ok(bytes) => bytes,
        Err(failed) => {
            // Half a file helps nobody.
            let _ = fs::remove_file(&part).await;
            return Err(failed);
        }
    };
    fs::rename(&part, &args.file)
        .await
        .map_err(|source| file_error("cannot write", &args.file, source))?;
    let file = args.file.to_string_lossy();
    if context.out.json {
        return context.out.object(&Exported {
            exported: &args.recording,
            file: &file,
            bytes,
        });
    }
    let name = context.out.paint.text(Look::Strong, clean(&args.recording));
    context.out.line(format!(
        "{name} written to {}, {}",
        clean(&file),
        size(bytes)
    ))
}

/// The number of the signal that is to end this process, once it comes: from here on none ends it by itself.
fn interrupted(file: &Path) -> Result<impl Future<Output = u8> + use<>, Error> {
    let heard = |kind| signal(kind).map_err(|source| file_error("cannot write", file, source));
    let mut interrupt = heard(SignalKind::interrupt())?;
    let mut terminate = heard(SignalKind::terminate())?;
    let mut hangup = heard(SignalKind::hangup())?;
    Ok(async move {
        let kind = tokio::select! {
            _ = interrupt.recv() => SignalKind::interrupt(),
            _ = terminate.recv() => SignalKind::terminate(),
            _ = hangup.recv() => SignalKind::hangup(),
        };
        u8::try_from(kind.as_raw_value()).unwrap_or_default()
    })
}

/// The file that grows until it is whole: beside the one that it becomes.
fn part_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part-{}", std::process::id()));
    file.with_file_name(name)
}

/// What went wrong: with the daemon, or with the file.
enum Failed {
    Daemon(Box<tonic::Status>),
    File(io::Error),
}

impl Failed {
    fn at(self, file: &Path) -> Error {
        match self {
            Self::Daemon(status) => (*status).into(),
            Self::File(source) => file_error("cannot write", file, source),
        }
    }
}

fn file_error(what: &'static str, path: &Path, source: io::Error) -> Error {
    Error::File {
        what,
        path: path.to_owned(),
        source,
    }
}

async fn into_part(context: &mut Context, args: &ExportArgs, part: &Path) -> Result<u64, Failed> {
    let mut file = fs::File::create_new(part).await.map_err(Failed::File)?;
    let bytes = transfer(context, args, &mut file).await?;
    file.sync_all().await.map_err(Failed::File)?;
    Ok(bytes)
}

/// Everything that the daemon sends into this file; says how many bytes.
async fn transfer(
    context: &mut Context,
    args: &ExportArgs,
    to: &mut (impl AsyncWrite + Unpin),
) -> Result<u64, Failed> {
    if args.jel {
        return facts(context, args, to).await;
    }
    let recording = args.recording.as_str();
    let daemon = |status| Failed::Daemon(Box::new(status));
    let answer = context.client.recordings.export(named(recording)).await;
    let mut chunks = answer.map_err(daemon)?.into_inner();
    let bar = progress::spinner(format!("exporting {}", clean(recording)));
    let mut bytes = 0;
    while let Some(chunk) = chunks.message().await.map_err(daemon)? {
        to.write_all(&chunk.data).await.map_err(Failed::File)?;
        bytes += chunk.data.len() as u64;
        bar.set_message(format!(
            "exporting {}: {} of {}",
            clean(recording),
            size(chunk.done_bytes),
            size(chunk.total_bytes)
        ));
    }
    to.flush().await.map_err(Failed::File)?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// The same as Prolog facts.
async fn facts(
    context: &mut Context,
    args: &ExportArgs,
    to: &mut (impl AsyncWrite + Unpin),
) -> Result<u64, Failed> {
    let daemon = |status| Failed::Daemon(Box::new(status));
    let request = ExportJelRequest {
        recording: args.recording.clone(),
        boundary: args.boundary,
        defaults: args.defaults,
    };
    let answer = context.client.queries.export_jel(request).await;
    let mut chunks = answer.map_err(daemon)?.into_inner();
    let bar = progress::spinner(format!("exporting {}", clean(&args.recording)));
    let mut bytes = 0;
    while let Some(chunk) = chunks.message().await.map_err(daemon)? {
        to.write_all(&chunk.data).await.map_err(Failed::File)?;
        bytes += chunk.data.len() as u64;
        bar.set_message(format!(
            "exporting {}: {}",
            clean(&args.recording),
            size(bytes)
        ));
    }
    to.flush().await.map_err(Failed::File)?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// Brings in what `export` wrote.
///
/// # Errors
/// When the file cannot be read or is no whole recording, or the name is taken.
pub async fn import(context: &mut Context, args: &ImportArgs) -> Result<(), Error> {
    let unreadable = |source| file_error("cannot read", &args.file, source);
    let is_stdin = args.file.as_os_str() == "-";
    let mut input: Box<dyn tokio::io::AsyncRead + Send + Unpin> = if is_stdin {
        Box::new(tokio::io::stdin())
    } else {
        Box::new(fs::File::open(&args.file).await.map_err(unreadable)?)
    };
    let (sender, receiver) = channel(4);
    let mut first = ImportChunk {
        data: Vec::new(),
        name: args.name.clone().unwrap_or_default(),
        origin: if is_stdin {
            "standard input".to_owned()
        } else {
            args.file.to_string_lossy().into_owned()
        },
    };
    let bar = progress::spinner(format!("importing {}", clean(&first.origin)));
    let asked = context
        .client
        .recordings
        .import(ReceiverStream::new(receiver));
    let sent = async move {
        loop {
            let mut chunk = std::mem::take(&mut first);
            chunk.data = vec![0; CHUNK];
            let read = input.read(&mut chunk.data).await?;
            chunk.data.truncate(read);
            // The end is told, too: so a file of nothing is a file. A daemon that takes no more says why in its
            // answer.
            if sender.send(chunk).await.is_err() || read == 0 {
                return Ok(());
            }
        }
    };
    let (answer, sent): (_, io::Result<()>) = tokio::join!(asked, sent);
    bar.finish_and_clear();
    // A file that breaks off while it is read looks cut to the daemon: the cause is here.
    sent.map_err(unreadable)?;
    let recording = answer?.into_inner();
    if context.out.json {
        return context.out.object(&RecordingJson(&recording));
    }
    let name = context.out.paint.text(Look::Strong, clean(&recording.name));
    context.out.line(format!(
        "{name} imported as {} ({}): {}",
        recording.id,
        state_word(recording.state()),
        amounts(&recording)
    ))
}

/// Brings recordings to their smallest form.
///
/// # Errors
/// The first refusal.
pub async fn seal(context: &mut Context, args: &RecordingsArg) -> Result<(), Error> {
    for recording in &args.recordings {
        let bar = progress::spinner(format!("sealing {}", clean(recording)));
        let answer = context.client.recordings.seal(named(recording)).await;
        bar.finish_and_clear();
        let sealed = answer?.into_inner();
        if context.out.json {
            context.out.object(&RecordingJson(&sealed))?;
        } else {
            let name = context.out.paint.text(Look::Strong, clean(&sealed.name));
            let text = format!("{name} sealed: {}", size(sealed.bytes));
            context.out.line(text)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct RemovalJson<'a> {
    id: &'a str,
    name: &'a str,
    bytes: u64,
    reason: &'a str,
    /// `deleted`, `would-be-deleted`, `in-use`, `failed`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    failure: &'a str,
}

#[derive(Serialize)]
struct Kept {
    kept: u64,
    kept_bytes: u64,
}

/// Deletes the oldest recordings until the rest is within limits.
///
/// # Errors
/// When a limit makes no sense, or something that should be gone cannot be deleted.
pub async fn keep(context: &mut Context, args: &KeepArgs) -> Result<(), Error> {
    let request = KeepRequest {
        limits: args.limits.clone(),
        dry_run: args.dry_run,
    };
    let answer = context.client.recordings.keep(request).await?.into_inner();
    let done = if args.dry_run {
        ("would-be-deleted", "would be deleted")
    } else {
        ("deleted", "deleted")
    };
    let groups = [
        (&answer.deleted, done),
        (&answer.spared, ("in-use", "stays, because it is in use")),
        (&answer.failed, ("failed", "cannot be deleted")),
    ];
    for (removals, (word, text)) in groups {
        for removal in removals {
            if context.out.json {
                context.out.object(&json(removal, word))?;
            } else {
                let line = line(removal, text);
                context.out.line(line)?;
            }
        }
    }
    if context.out.json {
        context.out.object(&Kept {
            kept: answer.kept,
            kept_bytes: answer.kept_bytes,
        })?;
    } else {
        let rest = if answer.deleted.is_empty() {
            "nothing to delete: "
        } else {
            ""
        };
        let text = format!(
            "{rest}{} kept, {}",
            plural(answer.kept, "recording"),
            size(answer.kept_bytes)
        );
        let text = context.out.paint.text(Look::Faint, text);
        context.out.line(text)?;
    }
    match answer.failed.len() {
        0 => Ok(()),
        n => Err(Error::Failed(format!(
            "{} could not be deleted",
            plural(n as u64, "recording")
        ))),
    }
}

fn json<'a>(removal: &'a Removal, outcome: &'static str) -> RemovalJson<'a> {
    RemovalJson {
        id: &removal.id,
        name: &removal.name,
        bytes: removal.bytes,
        reason: &removal.reason,
        outcome,
        failure: &removal.failure,
    }
}

fn line(removal: &Removal, what: &str) -> String {
    let name = clean(&removal.name);
    let cause = if removal.failure.is_empty() {
        String::new()
    } else {
        format!(": {}", clean(&removal.failure))
    };
    format!(
        "{name} ({}) {what}: {}{cause}",
        size(removal.bytes),
        removal.reason
    )
}
