//! Locks between processes: one process writes in a data folder, the others are told who; and a recording
//! that some process reads is not deleted by another.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

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
        // Who holds it is a courtesy, too: on a full disk nobody is told.
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{} {}", std::process::id(), now_ms()));
        Ok(Self { file })
    }
}

impl FolderLock {
    /// Does any process hold the lock of a data folder? No, if that cannot be found out.
    pub(crate) fn is_held(data: &Path) -> bool {
        let Ok(file) = File::open(data.join("lock")) else {
            return false;
        };
        let held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let _ = file.unlock();
        held
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Not left to closing the file: a child process that is just being started has a copy of
        // the descriptor until it runs its program, and would hold the lock for that long.
        let _ = self.file.unlock();
    }
}

/// Who has a recording's database open says so by this: shared, held as long as it is open, in any
/// process. Who deletes or compacts a recording asks first.
#[derive(Debug)]
pub(crate) struct UseLock {
    file: File,
}

impl UseLock {
    /// A file that RocksDB writes once, when the database is made.
    fn path(database: &Path) -> PathBuf {
        database.join("IDENTITY")
    }

    /// Says that the database is in use. `None` where the file system knows no locks: then nobody is told.
    pub(crate) fn take(database: &Path) -> Option<Self> {
        let file = File::open(Self::path(database)).ok()?;
        file.try_lock_shared().ok()?;
        Some(Self { file })
    }

    /// Does any process, this one counted, use the database? No, if that cannot be found out.
    pub(crate) fn is_held(database: &Path) -> bool {
        let Ok(file) = File::open(Self::path(database)) else {
            return false;
        };
        let held = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        let _ = file.unlock();
        held
    }
}

impl Drop for UseLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
