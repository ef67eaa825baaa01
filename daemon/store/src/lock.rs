//! The lock of a data folder: one process writes, the others are told who.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::error::{Error, Result};
use crate::folder::{io_error, now_ms};

/// Held as long as this lives; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the lock of a data folder and writes down who holds it.
    pub(crate) fn take(data: &Path) -> Result<Self> {
        let path = data.join("lock");
        let failed = |error: std::io::Error| io_error("locking", &path, &error);
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Who holds it is a courtesy: without it the answer is still "locked".
                let _ = file.read_to_string(&mut text);
                let mut words = text.split_whitespace();
                return Err(Error::Locked {
                    folder: data.to_owned(),
                    pid: words.next().and_then(|pid| pid.parse().ok()).unwrap_or(0),
                    since_ms: words.next().and_then(|ms| ms.parse().ok()).unwrap_or(0),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        writeln!(file, "{} {}", std::process::id(), now_ms()).map_err(failed)?;
        Ok(Self { file })
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Not left to closing the file: a child process that is just being started has a copy of
        // the descriptor until it runs its program, and would hold the lock for that long.
        let _ = self.file.unlock();
    }
}
