//! The thread that writes lines of the audit, and tells of those that could not be written.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::SystemTime;

use serde::Serialize;

/// What the thread is to do.
pub(super) enum Order {
    Line(Vec<u8>),
    Open(Option<PathBuf>),
    /// Answers when all before it is done.
    Done(SyncSender<()>),
}

/// What has become of lines.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) written: AtomicU64,
    pub(super) lost: AtomicU64,
}

/// What is told when lines are written again.
#[derive(Serialize)]
struct Gap {
    time: String,
    lost: u64,
}

/// The thread that writes.
pub(super) struct Writing {
    path: Option<PathBuf>,
    file: Option<File>,
    /// Half a line stands at the end of the file.
    is_torn: bool,
    /// How many of the lines that were lost the file tells of.
    told: u64,
    has_complained: bool,
    counted: Arc<Counted>,
}

impl Writing {
    pub(super) fn new(counted: Arc<Counted>) -> Self {
        Self {
            path: None,
            file: None,
            is_torn: false,
            told: 0,
            has_complained: false,
            counted,
        }
    }

    pub(super) fn run(mut self, orders: &Receiver<Order>) {
        for order in orders {
            match order {
                Order::Open(path) => {
                    self.path = path;
                    self.file = None;
                    self.is_torn = false;
                    self.has_complained = false;
                    // Now, so that what is wrong with it is said at once.
                    if let Err(error) = self.opened() {
                        self.complain(&error);
                    }
                }
                Order::Line(line) => self.line(&line),
                Order::Done(done) => drop(done.try_send(())),
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        if self.path.is_none() {
            return;
        }
        let lost = self.counted.lost.load(Ordering::Relaxed);
        let missing = lost - self.told;
        let mut bytes = Vec::new();
        if missing > 0 {
            bytes = json(&Gap {
                time: now(),
                lost: missing,
            });
        }
        bytes.extend_from_slice(line);
        match self.write(&bytes) {
            Ok(()) => {
                self.counted.written.fetch_add(1, Ordering::Relaxed);
                if self.has_complained {
                    self.has_complained = false;
                    tracing::info!(lost = missing, "the audit is written again");
                }
                self.told = lost;
            }
            Err(error) => {
                self.counted.lost.fetch_add(1, Ordering::Relaxed);
                self.complain(&error);
            }
        }
    }

    fn complain(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.has_complained, true) {
            let file = self.path.as_deref().unwrap_or_else(|| Path::new(""));
            tracing::error!(
                file = %file.display(), %error,
                "the audit cannot be written, and lines of it are lost; all else goes on"
            );
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let torn = self.is_torn;
        let file = self.opened()?;
        if torn {
            file.write_all(b"\n")?;
            self.is_torn = false;
        }
        let mut left = bytes;
        while !left.is_empty() {
            let wrote = match self.opened()?.write(left) {
                Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                wrote => wrote,
            };
            match wrote {
                Ok(length) => left = left.get(length..).unwrap_or_default(),
                Err(error) => {
                    self.is_torn = left.len() < bytes.len();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn opened(&mut self) -> io::Result<&mut File> {
        if let (None, Some(path)) = (&self.file, &self.path) {
            self.file = Some(owners(path)?);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Opens a file to append to, its owner's alone.
fn owners(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.create(true).append(true).mode(0o600).open(path)?;
    // One that is there may be another's to read; a device is the system's.
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// A line with its end. Texts in it cannot end it early: JSON writes their line ends as `\n`.
pub(super) fn json(line: &impl Serialize) -> Vec<u8> {
    // Strings and numbers can always be written.
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
