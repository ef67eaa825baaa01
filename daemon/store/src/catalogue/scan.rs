//! What the data folder holds: reading it, again and again, and what a recording may be called.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jhyde_trace::State;

use super::{Entry, Known};
use crate::error::{Error, Result};
use crate::folder::{self, FolderMeta, io_error};

/// How a scan looks at the folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// First look of the writer: what an interrupted daemon left is tidied up.
    Tidy,
    /// A later look of the writer: what is known stays known.
    Again,
    /// A look of one who only reads. `writer_lives`: another daemon has the folder's lock.
    Reading { writer_lives: bool },
}

/// Brings `known` up to date with the folders: new ones are read, those that went are forgotten unless
/// somebody has them open. Who only reads reads all descriptions anew, because another daemon
/// may have changed them.
pub(super) fn scan(recordings: &Path, known: &mut Known, how: Scan) -> Result<()> {
    let entries = match fs::read_dir(recordings) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            known.forget_except(&BTreeSet::new());
            return Ok(());
        }
        Err(error) => return Err(io_error("reading the data folder", recordings, &error)),
    };
    let mut found = BTreeSet::new();
    known.unreadable.clear();
    for entry in entries {
        let entry = entry.map_err(|e| io_error("reading the data folder", recordings, &e))?;
        let folder = entry.path();
        let Some(id) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        if id.starts_with('.') {
            if how == Scan::Tidy && [DELETED, IMPORTING].iter().any(|p| id.starts_with(p)) {
                // Work that was interrupted; if this fails too, the next start tries again.
                let _ = fs::remove_dir_all(&folder);
            }
            continue;
        }
        if !folder.is_dir() {
            continue;
        }
        if !folder::is_recording(&folder) {
            if folder::database(&folder).is_dir() {
                let error = Error::Io {
                    action: "reading",
                    path: folder.clone(),
                    reason: "it has a database and no recording.json: put that back, or delete the folder"
                        .to_owned(),
                };
                known.unreadable.push((id, error));
            }
            continue;
        }
        found.insert(id.clone());
        let reading = matches!(how, Scan::Reading { .. });
        if let Some(entry) = known.recordings.get(&id)
            && (!reading || entry.is_open())
        {
            continue;
        }
        match folder::read_meta(&folder) {
            Err(error) => {
                known.recordings.remove(&id);
                known.unreadable.push((id, error));
            }
            Ok(meta) => {
                let meta = as_found(&id, &folder, meta, how);
                known.recordings.insert(id, Entry::new(meta));
            }
        }
    }
    known.forget_except(&found);
    Ok(())
}

/// What a folder says of itself, with what its place and its writer's absence say against it. A recording
/// that is running according to its folder was left so by a daemon that died: whoever holds the lock
/// says so in the folder too.
fn as_found(id: &str, folder: &Path, mut meta: FolderMeta, how: Scan) -> FolderMeta {
    if meta.meta.id != id {
        // A copy under another name is another recording.
        id.clone_into(&mut meta.meta.id);
    }
    let writer_lives = how == Scan::Reading { writer_lives: true };
    if meta.meta.state.is_live() && !writer_lives {
        meta.meta.state = State::Cut;
        if how
            != (Scan::Reading {
                writer_lives: false,
            })
            && let Err(error) = folder::write_meta(folder, &meta)
        {
            tracing::warn!(recording = id, %error, "its state could not be written");
        }
    }
    meta
}

/// Beginnings of the names of folders that are on their way out, or on their way in.
pub(super) const DELETED: &str = ".deleted-";
pub(super) const IMPORTING: &str = ".importing-";

/// A name must be free, and must not be taken for an id or an option.
pub(super) fn check_name(known: &Known, id: &str, name: &str) -> Result<()> {
    let reason = if name.is_empty() {
        Some("it is empty")
    } else if name.len() > 200 {
        Some("it is longer than 200 bytes")
    } else if name.chars().any(char::is_control) {
        Some("it has control characters")
    } else if name.starts_with('-') {
        Some("it begins with '-', like an option")
    } else {
        None
    };
    if let Some(reason) = reason {
        return Err(Error::InvalidName {
            name: name.to_owned(),
            reason,
        });
    }
    let taken = known
        .recordings
        .values()
        .map(Entry::meta)
        .find(|other| other.id != id && (other.name == name || other.id == name));
    match taken {
        Some(other) => Err(Error::NameTaken {
            name: name.to_owned(),
            id: other.id,
        }),
        None => Ok(()),
    }
}

const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// An id that is not taken: the time in base 32, so that ids sort by age, made unique.
pub(super) fn fresh_id(now_ms: u64, taken: impl Fn(&str) -> bool) -> String {
    let mut number = now_ms;
    loop {
        // Nine digits of five bits reach to the year 3084.
        let digits = (0..9)
            .rev()
            .map(|at| DIGITS[(number >> (5 * at)) as usize & 31]);
        let id: String = digits.map(char::from).collect();
        if !taken(&id) {
            return id;
        }
        number = number.wrapping_add(1);
    }
}

/// Could this be an id that `fresh_id` made? Ids from elsewhere become names of folders.
pub(super) fn is_id(word: &str) -> bool {
    word.len() == 9 && word.bytes().all(|byte| DIGITS.contains(&byte))
}
