//! A recording's folder: `recording.json` says what it is, `db/` is its database.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jhyde_trace::RecordingMeta;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Version of the folder as a whole: raised when a database of the new version cannot be read by the
/// old code (another table, another meaning of a key).
pub(crate) const STORE_VERSION: u32 = 2;

const META: &str = "recording.json";

/// Room for the last words: deleted when a full disk refuses the recording's final state.
const RESERVE: &str = "reserve";

/// `recording.json`. The checksum is the last field: CRC-32, in hexadecimal, of all the text before its name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetaFile<M> {
    /// Makes the file recognisable.
    jhyde_recording: u32,
    /// Compacted, and open for reading only from now on.
    sealed: bool,
    /// The files of tables with their sizes, once they do not change any more.
    files: Option<Files>,
    /// CRC-32 of RocksDB's own list of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    list: Option<u32>,
    /// Why the history ends before its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut_short: Option<String>,
    /// There is a table of levels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    levels: bool,
    /// What was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut_off: Option<CutOff>,
    /// What the index has.
    #[serde(default)]
    index: u8,
    meta: M,
    checksum: String,
}

/// Only what every version has.
#[derive(Deserialize)]
struct AnyVersion {
    jhyde_recording: u32,
}

/// Names of a database's table files, with their sizes.
pub(crate) type Files = BTreeMap<String, u64>;

/// What `recording.json` says.
#[derive(Clone, Debug)]
pub(crate) struct FolderMeta {
    pub(crate) meta: RecordingMeta,
    pub(crate) sealed: bool,
    /// Which files the database of a finished recording has, so that none can be lost unnoticed.
    pub(crate) files: Option<Files>,
    /// [`crate::list::checksum`] of the database of a finished recording. Recordings of old do not say it.
    pub(crate) list: Option<u32>,
    /// What was recorded behind the last event was lost to damage: why. Said when the recording was closed, because
    /// what was damaged, RocksDB's log, is gone then.
    pub(crate) cut_short: Option<String>,
    /// There is a table of levels, whatever damage of RocksDB's list of tables says. Recordings of old have none.
    pub(crate) levels: bool,
    /// What was cut off of a recording that keeps its newest part.
    pub(crate) cut_off: Option<CutOff>,
    /// What the index has of all blocks: see [`crate::index::VERSION`].
    pub(crate) index: u8,
}

/// What a recording has cut off ([`crate::ring`]). Said before it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CutOff {
    /// The first event that is kept: a block's first.
    pub(crate) before: u64,
    /// The highest number of an object that was written, created or changed before it.
    pub(crate) objects: u64,
}

impl FolderMeta {
    /// Of a recording that begins now.
    pub(crate) fn fresh(meta: RecordingMeta) -> Self {
        Self {
            meta,
            sealed: false,
            files: None,
            list: None,
            cut_short: None,
            levels: true,
            cut_off: None,
            index: crate::index::VERSION,
        }
    }

    /// The text of `recording.json`.
    pub(crate) fn text(&self) -> std::io::Result<String> {
        let file = MetaFile {
            jhyde_recording: STORE_VERSION,
            sealed: self.sealed,
            files: self.files.clone(),
            list: self.list,
            cut_short: self.cut_short.clone(),
            levels: self.levels,
            cut_off: self.cut_off,
            index: self.index,
            meta: &self.meta,
            checksum: String::new(),
        };
        let mut text = serde_json::to_string_pretty(&file)?;
        text.truncate(text.rfind(CHECKSUM).unwrap_or(text.len()));
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("{CHECKSUM}: \"{checksum:08x}\"\n}}\n"));
        Ok(text)
    }
}

const CHECKSUM: &str = "\"checksum\"";

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

/// Where the debugging sessions lie.
pub(crate) fn sessions(folder: &Path) -> PathBuf {
    folder.join("sessions")
}

/// Where source lies that was added later.
pub(crate) fn sources(folder: &Path) -> PathBuf {
    folder.join("sources")
}

/// Does the folder look like a recording's? Yes, too, if we may not look.
pub(crate) fn is_recording(folder: &Path) -> bool {
    match fs::metadata(folder.join(META)) {
        Ok(meta) => meta.is_file(),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Reads `recording.json`.
pub(crate) fn read_meta(folder: &Path) -> Result<FolderMeta> {
    let path = folder.join(META);
    let bytes = fs::read(&path).map_err(|error| io_error("reading", &path, &error))?;
    parse_meta(&bytes, &path)
}

/// Reads the text of a `recording.json`; errors call it `path`.
pub(crate) fn parse_meta(bytes: &[u8], path: &Path) -> Result<FolderMeta> {
    let bad = |reason: &str| Error::Io {
        action: "reading",
        path: path.to_owned(),
        reason: format!("it is not a description of a recording: {reason}"),
    };
    let text = std::str::from_utf8(bytes).map_err(|error| bad(&error.to_string()))?;
    // The version first: a newer version's description may have any other fields.
    let any: AnyVersion = serde_json::from_str(text).map_err(|error| bad(&error.to_string()))?;
    if any.jhyde_recording != STORE_VERSION {
        return Err(Error::UnknownVersion {
            what: path.display().to_string(),
            found: any.jhyde_recording,
            known: STORE_VERSION,
        });
    }
    let file: MetaFile<RecordingMeta> =
        serde_json::from_str(text).map_err(|error| bad(&error.to_string()))?;
    let covered = text.rfind(CHECKSUM).and_then(|end| text.get(..end));
    let found = covered.map(|text| crc32fast::hash(text.as_bytes()));
    if found.is_none() || u32::from_str_radix(&file.checksum, 16).ok() != found {
        return Err(bad("its checksum does not fit"));
    }
    Ok(FolderMeta {
        meta: file.meta,
        sealed: file.sealed,
        files: file.files,
        list: file.list,
        cut_short: file.cut_short,
        levels: file.levels,
        cut_off: file.cut_off,
        index: file.index,
    })
}

/// Writes `recording.json`: the old or the new one is there, whatever happens in between.
pub(crate) fn write_meta(folder: &Path, meta: &FolderMeta) -> Result<()> {
    match try_write_meta(folder, meta) {
        Err(_) if fs::remove_file(folder.join(RESERVE)).is_ok() => try_write_meta(folder, meta),
        written => written,
    }
}

fn try_write_meta(folder: &Path, meta: &FolderMeta) -> Result<()> {
    let path = folder.join(META);
    let write = || replace(&path, meta.text()?.as_bytes());
    write().map_err(|error| io_error("writing", &path, &error))
}

/// Writes a file so that the old or the new one is there, whatever happens in between.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let fresh = path.with_extension("new");
    let mut out = File::create(&fresh)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(&fresh, path)
}

/// Puts room aside that [`write_meta`] can fall back on.
pub(crate) fn reserve(folder: &Path) -> Result<()> {
    let path = folder.join(RESERVE);
    fs::write(&path, [0xA5; 32 << 10]).map_err(|error| io_error("writing", &path, &error))
}

/// Gives that room back.
pub(crate) fn release(folder: &Path) {
    // It is only room; where it cannot be deleted now it goes with the folder.
    let _ = fs::remove_file(folder.join(RESERVE));
}

/// Does the database have a log? One that is open, or that a crash left, has.
pub(crate) fn has_log(folder: &Path) -> bool {
    let files = fs::read_dir(database(folder));
    let mut names = files.into_iter().flatten().flatten();
    names.any(|file| file.path().extension().is_some_and(|end| end == "log"))
}

/// Bytes that a folder takes of the disk with all that is in it: whole blocks of the file system, as `du` counts.
/// What goes while we look counts as far as it was seen.
pub(crate) fn size(folder: &Path) -> u64 {
    /// The unit of what the system says, whatever the file system's own.
    const UNIT: u64 = 512;
    let taken = |path: &Path| fs::symlink_metadata(path).map_or(0, |meta| meta.blocks() * UNIT);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => taken(&entry.path()),
    });
    taken(folder) + inside.sum::<u64>()
}
