//! Debugging sessions that are kept with a recording: one small file each, beside the database, so that a
//! recording that is sealed, or moved, or read by others can be debugged all the same.
//!
//! A file holds the CRC-32 of the bytes, little-endian, and the bytes. Its name is the session's id, where
//! everything but letters, digits, `-` and `_` is written `%XX`.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::folder::{self, io_error};
use crate::recording::Recording;

/// The longest name of a file that every file system takes, less the end that it has while it is
/// written.
const MAX_NAME: usize = 240;

impl Recording {
    /// Keeps a session's bytes under an id. Works on recordings that run, are finished or sealed; not
    /// where the data folder is open for reading only.
    pub fn put_session(&self, id: &str, bytes: &[u8]) -> Result<()> {
        self.may_keep()?;
        let path = self.session_file(id)?;
        let folder = folder::sessions(&self.inner.folder);
        fs::create_dir_all(&folder).map_err(|error| io_error("making", &folder, &error))?;
        let checksum = crc32fast::hash(bytes).to_le_bytes();
        folder::replace(&path, &[&checksum, bytes].concat())
            .map_err(|error| io_error("writing", &path, &error))
    }

    /// A session's bytes.
    pub fn session(&self, id: &str) -> Result<Option<Vec<u8>>> {
        let path = self.session_file(id)?;
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("reading", &path, &error)),
        };
        let fits = bytes
            .split_first_chunk::<4>()
            .is_some_and(|(head, body)| *head == crc32fast::hash(body).to_le_bytes());
        if !fits {
            return Err(Error::DamagedSession {
                recording: self.inner.id.clone(),
                session: id.to_owned(),
            });
        }
        bytes.drain(..4);
        Ok(Some(bytes))
    }

    /// The ids of all sessions, sorted.
    pub fn sessions(&self) -> Result<Vec<String>> {
        let folder = folder::sessions(&self.inner.folder);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io_error("reading", &folder, &error)),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| io_error("reading", &folder, &error))?;
            ids.extend(entry.file_name().to_str().and_then(id_of));
        }
        ids.sort();
        Ok(ids)
    }

    /// Deletes a session; it need not be there.
    pub fn delete_session(&self, id: &str) -> Result<()> {
        self.may_keep()?;
        let path = self.session_file(id)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(io_error("deleting", &path, &error))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn may_keep(&self) -> Result<()> {
        match self.inner.writable {
            true => Ok(()),
            false => Err(Error::ReadOnly(self.inner.id.clone())),
        }
    }

    fn session_file(&self, id: &str) -> Result<PathBuf> {
        let name = file_name(id);
        if id.is_empty() || name.len() > MAX_NAME {
            return Err(Error::InvalidName {
                name: id.to_owned(),
                reason: "a session's id has 1 to 240 letters and digits",
            });
        }
        Ok(folder::sessions(&self.inner.folder).join(name))
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The name of a session's file.
fn file_name(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        if is_plain(byte) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name
}

/// Is it the name of a session's file?
pub(crate) fn is_session_file(name: &str) -> bool {
    id_of(name).is_some()
}

/// The inverse of [`file_name`]; `None` for files that are something else.
fn id_of(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        if is_plain(byte) {
            bytes.push(byte);
            rest = behind;
        } else {
            let digits = behind.get(..2).filter(|_| byte == b'%')?;
            let digits = std::str::from_utf8(digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = behind.get(2..)?;
        }
    }
    let id = String::from_utf8(bytes).ok()?;
    // One id has one name: "%61" is none for "a".
    (!id.is_empty() && file_name(&id) == name).then_some(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_id_has_a_name_of_its_own(id in ".{1,20}") {
            let name = file_name(&id);
            prop_assert!(!name.contains(['/', '.', '\\']));
            prop_assert_eq!(id_of(&name), Some(id));
        }

        #[test]
        fn other_files_are_no_sessions(name in "[a-c%0-9A-F./]{1,8}") {
            if let Some(id) = id_of(&name) {
                prop_assert_eq!(file_name(&id), name);
            }
        }
    }
}
