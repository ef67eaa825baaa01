//! Source text that was added to a recording after it was made: one file each, beside the database and the sessions, so that
//! it can be added to a recording that runs, has ended or is sealed.
//!
//! A file is named by a hash of the source file's name (`org/shop/Order.java`), which is in it as well. It holds the CRC-32
//! of the bytes behind it, little-endian, and those bytes.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::folder::{self, io_error};
use crate::recording::Recording;
use crate::sources::KeptSource;

/// What a file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Added {
    file: String,
    origin: String,
    modified_ms: Option<u64>,
    notes: Vec<String>,
    text: String,
}

impl Recording {
    /// Keeps a source file for all classes that name it. What was added under this name before is replaced.
    ///
    /// # Errors
    /// [`crate::Error::ReadOnly`] where the data folder is open for reading only, else the disk's.
    pub fn add_source(&self, source: &KeptSource) -> Result<()> {
        self.may_keep()?;
        let path = self.added_file(&source.file);
        let folder = folder::sources(&self.inner.folder);
        fs::create_dir_all(&folder).map_err(|error| io_error("making", &folder, &error))?;
        let added = Added {
            file: source.file.clone(),
            origin: source.origin.clone(),
            modified_ms: source.modified_ms,
            notes: source.notes.clone(),
            text: source.text.to_string(),
        };
        let written = postcard::to_stdvec(&added);
        let bytes = written.map_err(|error| {
            io_error("encoding", &path, &std::io::Error::other(error.to_string()))
        })?;
        let checksum = crc32fast::hash(&bytes).to_le_bytes();
        folder::replace(&path, &[checksum.as_slice(), &bytes].concat())
            .map_err(|error| io_error("writing", &path, &error))
    }

    /// The source file of this name that was added; `None` where none was.
    ///
    /// # Errors
    /// The file is damaged or cannot be read.
    pub fn added_source(&self, file: &str) -> Result<Option<KeptSource>> {
        let path = self.added_file(file);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("reading", &path, &error)),
        };
        let damaged = |reason: &str| {
            let what = format!("the source {file} that was added");
            self.inner.db.damaged(what, reason)
        };
        let body = bytes
            .split_first_chunk::<4>()
            .filter(|(head, body)| **head == crc32fast::hash(body).to_le_bytes())
            .map(|(_, body)| body)
            .ok_or_else(|| damaged("its checksum is wrong"))?;
        let added: Added = postcard::from_bytes(body).map_err(|e| damaged(&e.to_string()))?;
        // Another file may have the same hash.
        Ok((added.file == file).then(|| KeptSource {
            file: added.file,
            origin: added.origin,
            modified_ms: added.modified_ms,
            notes: added.notes,
            text: added.text.into(),
        }))
    }

    fn added_file(&self, file: &str) -> PathBuf {
        // FNV-1a, 64 bits: the same on every machine and in every version.
        let hash = file.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        folder::sources(&self.inner.folder).join(format!("{hash:016x}"))
    }
}

/// Is it the name of such a file?
pub(crate) fn is_added_file(name: &str) -> bool {
    name.len() == 16
        && name
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
