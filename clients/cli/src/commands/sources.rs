//! `jhyde source add`: source text from this machine, for a recording that has none of its own.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use jhyde_proto::v1::{AddSourceRequest, AddSourceResponse, ListClassesRequest};
use serde::Serialize;

use super::{Context, notes};
use crate::args::AddSourceArgs;
use crate::error::Error;
use crate::output::Look;
use crate::text::{clean, plural};

/// So much of all files is sent with one request; the daemon takes no more than 32 MB.
const MOST_BYTES: usize = 30 << 20;
/// A longer file is no source, and not sent.
const MOST_BYTES_OF_ONE: u64 = 2 << 20;
/// Folders are searched no deeper.
const DEEPEST: usize = 64;

#[derive(Serialize)]
struct AddedJson<'a> {
    class: &'a str,
    file: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// Sends what the recorded classes name, and tells what was kept.
///
/// # Errors
/// When the folder cannot be read, the daemon refuses, or the output cannot be written.
pub async fn add(context: &mut Context, args: &AddSourceArgs) -> Result<(), Error> {
    let wanted = wanted(context, &args.recording).await?;
    let mut files = Vec::new();
    find(&args.folder, &args.folder, &wanted, 0, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(Error::Failed(format!(
            "there is no source of a recorded class below {}: the classes name files such as {}",
            args.folder.display(),
            wanted.iter().min().map_or("(none)", String::as_str)
        )));
    }
    let mut batch = Vec::new();
    let mut bytes = 0;
    let mut told = AddSourceResponse::default();
    for path in files {
        let failed = |source| Error::File {
            what: "cannot read",
            path: path.clone(),
            source,
        };
        let text = fs::read(&path).map_err(failed)?;
        let modified = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
        let modified = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let below = path.strip_prefix(&args.folder).unwrap_or(&path);
        let parts = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let file = AddSourceRequest {
            recording: args.recording.clone(),
            path: parts.collect::<Vec<_>>().join("/"),
            modified_ms: modified.and_then(|since| u64::try_from(since.as_millis()).ok()),
            text,
        };
        if bytes + file.text.len() > MOST_BYTES {
            send(context, std::mem::take(&mut batch), &mut told).await?;
            bytes = 0;
        }
        bytes += file.text.len();
        batch.push(file);
    }
    send(context, batch, &mut told).await?;
    tell(context, &told)
}

async fn send(
    context: &mut Context,
    batch: Vec<AddSourceRequest>,
    told: &mut AddSourceResponse,
) -> Result<(), Error> {
    let mut client = context.client.recordings.clone();
    let answer = client.add_source(tokio_stream::iter(batch)).await?;
    let answer = answer.into_inner();
    told.added.extend(answer.added);
    told.unused += answer.unused;
    Ok(())
}

fn tell(context: &mut Context, told: &AddSourceResponse) -> Result<(), Error> {
    let out = &mut context.out;
    for added in &told.added {
        if out.json {
            out.object(&AddedJson {
                class: &added.class,
                file: &added.file,
                notes: &added.notes,
            })?;
            continue;
        }
        let file = out.paint.text(Look::Faint, clean(&added.file));
        out.line(format!("{}  {file}", clean(&added.class)))?;
        notes(&added.notes, out)?;
    }
    if out.json {
        return Ok(());
    }
    let classes = match told.added.len() {
        1 => "1 class has source now".to_owned(),
        classes => format!("{classes} classes have source now"),
    };
    let unused = match told.unused {
        0 => String::new(),
        unused => format!("; {} not kept", plural(unused.into(), "file")),
    };
    let line = out.paint.text(Look::Good, format!("{classes}{unused}"));
    out.line(line)
}

/// The names of the files that the recorded classes name.
async fn wanted(context: &mut Context, recording: &str) -> Result<HashSet<String>, Error> {
    let request = ListClassesRequest {
        recording: recording.to_owned(),
        all: false,
    };
    let classes = context.client.history.list_classes(request).await?;
    let classes = classes.into_inner().classes.into_iter();
    let named = classes.map(|class| match class.source_file.is_empty() {
        false => class.source_file,
        // Without the attribute the daemon takes the file that a public class would have.
        true => {
            let simple = class.name.rsplit('.').next().unwrap_or_default();
            let outer = simple.split('$').next().unwrap_or_default();
            format!("{outer}.java")
        }
    });
    Ok(named.collect())
}

/// Files below a folder that have one of these names. Links are not followed, hidden folders are left out.
fn find(
    top: &Path,
    folder: &Path,
    wanted: &HashSet<String>,
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // What lies deeper and cannot be read is left out.
        Err(_) if folder != top => return Ok(()),
        Err(source) => {
            return Err(Error::File {
                what: "cannot read the folder",
                path: folder.to_owned(),
                source,
            });
        }
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_dir() && depth < DEEPEST {
            find(top, &entry.path(), wanted, depth + 1, found)?;
        } else if meta.is_file() && meta.len() <= MOST_BYTES_OF_ONE && wanted.contains(name) {
            found.push(entry.path());
        }
    }
    Ok(())
}
