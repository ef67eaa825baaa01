//! The catalogue: which recordings a data folder holds, and who may write in it.
//!
//! There is no second list that could disagree with the folders: every recording's folder says
//! itself what it is (`recording.json`), and the catalogue is what is found when the data folder is
//! opened. Deleting, moving or copying a recording is a matter of its folder alone.

use std::path::Path;
use std::sync::Arc;

use jhyde_trace::{RecordingMeta, RecordingOptions};

use crate::error::Result;
use crate::recording::Recording;
use crate::writer::Writer;

/// How the store works, for a whole data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Memory for all recordings of the daemon together: block cache, write buffers, decoded
    /// blocks, index builders. Bytes; at least 64 MiB, default 512 MiB.
    pub memory_bytes: u64,
    /// Events per block; also the unit in which decoding costs. Default 8192; 64 to 65536.
    pub block_events: u32,
    /// What is appended is on its way to the disk after at most this long. Milliseconds, default 200.
    pub flush_ms: u64,
    /// Do not take the writer's lock: nothing can be created, changed or deleted.
    pub read_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            block_events: 8192,
            flush_ms: 200,
            read_only: false,
        }
    }
}

/// The recordings of a data folder. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Catalogue {}

impl Catalogue {
    /// Opens a data folder, making it if it is not there, and takes its writer's lock.
    ///
    /// Fails with [`crate::Error::Locked`] when another daemon holds it. Recordings that a dead
    /// daemon left running are reported as [`jhyde_trace::State::Cut`] from now on.
    pub fn open(data: &Path, options: StoreOptions) -> Result<Self> {
        todo!("{data:?} {options:?}")
    }

    /// All recordings, the newest first. Folders that cannot be read are listed by
    /// [`Catalogue::unreadable`] instead.
    pub fn list(&self) -> Vec<RecordingMeta> {
        todo!()
    }

    /// Folders in the data folder that look like recordings and cannot be used, and why.
    pub fn unreadable(&self) -> Vec<(String, crate::Error)> {
        todo!()
    }

    /// The recording with this id, or this name, or (if only one has it) an id that begins so.
    pub fn find(&self, id_or_name: &str) -> Result<RecordingMeta> {
        todo!("{id_or_name}")
    }

    /// Makes a new recording in state `Waiting` and opens it for its one writer.
    ///
    /// Without a name it is called after its id until somebody gives it one.
    pub fn create(
        &self,
        name: Option<&str>,
        options: RecordingOptions,
    ) -> Result<(Arc<Recording>, Writer)> {
        todo!("{name:?} {options:?}")
    }

    /// Opens a recording for reading: finished, cut, or being written by this process.
    /// Every caller gets the same one as long as anybody holds it.
    pub fn open_recording(&self, id: &str) -> Result<Arc<Recording>> {
        todo!("{id}")
    }

    /// Deletes a recording and its folder. Fails with [`crate::Error::InUse`] while it is being
    /// written or somebody holds it open.
    pub fn delete(&self, id: &str) -> Result<()> {
        todo!("{id}")
    }

    /// Changes what a recording says of itself (its name, its notes; id, creation time and options stay).
    /// Returns what it says now.
    pub fn update_meta(
        &self,
        id: &str,
        change: impl FnOnce(&mut RecordingMeta),
    ) -> Result<RecordingMeta> {
        let _ = change;
        todo!("{id}")
    }
}
