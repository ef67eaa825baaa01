//! A recording as one file, to be sent and kept: what [`crate::Catalogue::export`] writes and
//! [`crate::Catalogue::import`] reads.
//!
//! **Layout, version 1.** Integers are little-endian.
//!
//! ```text
//! "JHYDEREC"  magic
//! u32         version
//! u64         bytes of all files of database and sessions together: for progress, and a limit when reading
//! u32         CRC-32 of all before
//! lz4 frame   independent blocks with checksums, and one checksum over all, of a tar (ustar) with
//!   recording.json   as in the recording's folder
//!   db/NAME …        the files of the database, in order of their names
//!   sessions/NAME …  the debugging sessions
//!   sources/NAME …   source text that was added later
//!   manifest.json    {"files": [{"name", "bytes", "crc32"} …]}: all but the first again
//! ```
//!
//! The manifest stands at the end so that a recording is read once; its absence tells a cut file. Nothing in a
//! file that comes from elsewhere is believed: an entry that is not a plain file with one of these names is
//! refused, names are never taken as paths, and more bytes than announced are not written.

mod read;
mod write;

use serde::{Deserialize, Serialize};

pub(crate) use read::read;
pub(crate) use write::{write, write_file};

use crate::added::is_added_file;
use crate::sessions::is_session_file;

/// Told the bytes done and of all; answers `false` to end the work early.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// The version that this code writes, and the highest that it reads.
pub const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"JHYDEREC";
const HEAD: usize = 24;
const META: &str = "recording.json";
const MANIFEST: &str = "manifest.json";

/// The most bytes that `recording.json` and `manifest.json` may have each.
const MAX_TEXT: u64 = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    files: Vec<ManifestFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ManifestFile {
    name: String,
    bytes: u64,
    crc32: u32,
}

/// The head of a file.
fn head(total: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[12..20].copy_from_slice(&total.to_le_bytes());
    let checksum = crc32fast::hash(&head[..20]);
    head[20..].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// A file with a right head and frame around any tar: for fuzzing.
pub(crate) fn framed(tar: &[u8]) -> Option<Vec<u8>> {
    let mut frame = lz4_flex::frame::FrameEncoder::new(head(1 << 16).to_vec());
    std::io::Write::write_all(&mut frame, tar).ok()?;
    frame.finish().ok()
}

/// Folder and file, if this names a file that belongs to a recording.
fn split(name: &str) -> Option<(&str, &str)> {
    let (folder, file) = name.split_once('/')?;
    let is_one = match folder {
        "db" => is_database_file(file),
        "sessions" => is_session_file(file),
        "sources" => is_added_file(file),
        _ => false,
    };
    is_one.then_some((folder, file))
}

/// A file of a RocksDB as RocksDB names them. What it writes for people (`LOG`) and to keep others
/// out (`LOCK`) is left behind.
fn is_database_file(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() < 80
        && !name.starts_with('.')
        && name.chars().all(plain)
        && !name.starts_with("LOG")
        && name != "LOCK"
        && !name.ends_with(".dbtmp")
}
