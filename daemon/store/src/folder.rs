//! A recording's folder: `recording.json` says what it is, `db/` is its database.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jhyde_trace::RecordingMeta;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Version of the folder as a whole: raised when a database of the new version cannot be read by the
/// old code (another table, another meaning of a key).
pub(crate) const STORE_VERSION: u32 = 1;

const META: &str = "recording.json";

/// Room for the last words: deleted when a full disk refuses the recording's final state.
const RESERVE: &str = "reserve";

#[derive(Serialize, Deserialize)]
struct MetaFile<M> {
    /// Makes the file recognisable.
    jhyde_recording: u32,
    /// Compacted, and open for reading only from now on.
    #[serde(default)]
    sealed: bool,
    meta: M,
}

/// What `recording.json` says.
#[derive(Clone, Debug)]
pub(crate) struct FolderMeta {
    pub(crate) meta: RecordingMeta,
    pub(crate) sealed: bool,
}

pub(crate) fn io_error(action: &'static str, path: &Path, error: &std::io::Error) -> Error {
    Error::Io {
        action,
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

/// The wall clock, milliseconds since 1970-01-01 UTC; 0 for clocks before that.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}

/// Where the database lies.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("db")
}

/// Does the folder look like a recording's?
pub(crate) fn is_recording(folder: &Path) -> bool {
    folder.join(META).is_file()
}

/// Reads `recording.json`.
pub(crate) fn read_meta(folder: &Path) -> Result<FolderMeta> {
    let path = folder.join(META);
    let text = fs::read_to_string(&path).map_err(|error| io_error("reading", &path, &error))?;
    parse_meta(&text, &path)
}

/// Reads the text of a `recording.json`; errors call it `path`.
pub(crate) fn parse_meta(text: &str, path: &Path) -> Result<FolderMeta> {
    let bad = |error: serde_json::Error| Error::Io {
        action: "reading",
        path: path.to_owned(),
        reason: format!("it is not a description of a recording: {error}"),
    };
    // The version first: a newer version's description may have any other fields.
    let any: MetaFile<serde_json::Value> = serde_json::from_str(text).map_err(bad)?;
    if any.jhyde_recording != STORE_VERSION {
        return Err(Error::UnknownVersion {
            what: path.display().to_string(),
            found: any.jhyde_recording,
            known: STORE_VERSION,
        });
    }
    let meta = serde_json::from_value(any.meta).map_err(bad)?;
    Ok(FolderMeta {
        meta,
        sealed: any.sealed,
    })
}

/// Writes `recording.json`: the old or the new one is there, whatever happens in between.
pub(crate) fn write_folder_meta(folder: &Path, meta: &RecordingMeta, sealed: bool) -> Result<()> {
    match try_write_meta(folder, meta, sealed) {
        Err(_) if fs::remove_file(folder.join(RESERVE)).is_ok() => {
            try_write_meta(folder, meta, sealed)
        }
        written => written,
    }
}

/// The text of `recording.json`.
pub(crate) fn meta_text(meta: &RecordingMeta, sealed: bool) -> std::io::Result<Vec<u8>> {
    let file = MetaFile {
        jhyde_recording: STORE_VERSION,
        sealed,
        meta,
    };
    let mut text = serde_json::to_vec_pretty(&file)?;
    text.push(b'\n');
    Ok(text)
}

fn try_write_meta(folder: &Path, meta: &RecordingMeta, sealed: bool) -> Result<()> {
    let (path, fresh) = (folder.join(META), folder.join("recording.json.new"));
    let write = || -> std::io::Result<()> {
        let text = meta_text(meta, sealed)?;
        let mut out = File::create(&fresh)?;
        out.write_all(&text)?;
        out.sync_all()?;
        fs::rename(&fresh, &path)
    };
    write().map_err(|error| io_error("writing", &path, &error))
}

/// Puts room aside that [`write_folder_meta`] can fall back on.
pub(crate) fn reserve(folder: &Path) -> Result<()> {
    let path = folder.join(RESERVE);
    fs::write(&path, [0xA5; 32 << 10]).map_err(|error| io_error("writing", &path, &error))
}

/// Gives that room back.
pub(crate) fn release(folder: &Path) {
    // It is only room; where it cannot be deleted now it goes with the folder.
    let _ = fs::remove_file(folder.join(RESERVE));
}

/// Bytes of all files of a folder. Files that go while we look count as far as they were seen.
pub(crate) fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
