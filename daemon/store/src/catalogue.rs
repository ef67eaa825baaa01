//! The catalogue: which recordings a data folder holds, and who may write in it.
//!
//! There is no second list that could disagree with the folders: every recording's folder says
//! itself what it is (`recording.json`), and the catalogue is what is found when the data folder is
//! opened. Deleting, moving or copying a recording is a matter of its folder alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jhyde_trace::{RecordingMeta, RecordingOptions, State};

use crate::database::{Memory, Mode};
use crate::error::{Error, Result};
use crate::folder::{self, FolderMeta, io_error, now_ms};
use crate::lock::FolderLock;
use crate::open::open;
use crate::recording::Recording;
use crate::seal;
use crate::state::Inner;
use crate::writer::Writer;

/// How the store works, for a whole data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Memory for all recordings of the daemon together: block cache, write buffers, decoded
    /// blocks, index builders. Bytes; at least 64 MiB, default 512 MiB.
    pub memory_bytes: u64,
    /// Events per block; also the unit in which decoding costs. Default 4096; 64 to 65535.
    pub block_events: u32,
    /// What is appended is on its way to the disk after at most this long. Milliseconds, default 200.
    pub flush_ms: u64,
    /// Blocks whose index is written together, and merged by eights later. More make queries a little
    /// faster and take more memory while recording. Default 512; 2 to 4096.
    pub group_blocks: u32,
    /// Do not take the writer's lock: nothing can be created, changed or deleted.
    pub read_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            block_events: 4096,
            flush_ms: 200,
            group_blocks: 512,
            read_only: false,
        }
    }
}

/// The recordings of a data folder. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Catalogue {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The data folder; recordings lie in `recordings/ID` below it.
    data: PathBuf,
    options: StoreOptions,
    memory: Arc<Memory>,
    /// Held as long as the catalogue lives; `None` when reading only.
    _lock: Option<FolderLock>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Recordings that can be used, by id.
    recordings: BTreeMap<String, Entry>,
    /// Folders that cannot, and why.
    unreadable: Vec<(String, Error)>,
}

#[derive(Debug)]
struct Entry {
    meta: FolderMeta,
    /// The recording, while anybody has it open.
    open: Weak<Inner>,
}

impl Entry {
    /// What it says of itself now.
    fn meta(&self) -> RecordingMeta {
        match self.open.upgrade() {
            Some(inner) => inner.meta().clone(),
            None => self.meta.meta.clone(),
        }
    }
}

impl Catalogue {
    /// Opens a data folder, making it if it is not there, and takes its writer's lock.
    ///
    /// Fails with [`Error::Locked`] when another daemon holds it. Recordings that a dead
    /// daemon left running are reported as [`State::Cut`] from now on.
    pub fn open(data: &Path, options: StoreOptions) -> Result<Self> {
        let recordings = data.join("recordings");
        let lock = if options.read_only {
            None
        } else {
            fs::create_dir_all(&recordings)
                .map_err(|error| io_error("making the data folder", &recordings, &error))?;
            Some(FolderLock::take(data)?)
        };
        let memory = Arc::new(Memory::new(options.memory_bytes));
        let known = Mutex::new(read_folders(&recordings, !options.read_only)?);
        let shared = Shared {
            data: data.to_owned(),
            options,
            memory,
            _lock: lock,
            known,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.shared
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The data folder.
    pub fn data_folder(&self) -> &Path {
        &self.shared.data
    }

    fn folder(&self, id: &str) -> PathBuf {
        self.shared.data.join("recordings").join(id)
    }

    /// All recordings, the newest first. Folders that cannot be read are listed by
    /// [`Catalogue::unreadable`] instead.
    pub fn list(&self) -> Vec<RecordingMeta> {
        let mut list: Vec<_> = self.known().recordings.values().map(Entry::meta).collect();
        list.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
        list
    }

    /// Folders in the data folder that look like recordings and cannot be used, and why.
    pub fn unreadable(&self) -> Vec<(String, Error)> {
        self.known().unreadable.clone()
    }

    /// The recording with this id, or this name, or (if only one has it) an id that begins so.
    pub fn find(&self, id_or_name: &str) -> Result<RecordingMeta> {
        let known = self.known();
        if let Some(entry) = known.recordings.get(id_or_name) {
            return Ok(entry.meta());
        }
        let all = || known.recordings.values().map(Entry::meta);
        let mut candidates: Vec<_> = all().filter(|meta| meta.name == id_or_name).collect();
        if candidates.is_empty() && !id_or_name.is_empty() {
            candidates = all()
                .filter(|meta| meta.id.starts_with(id_or_name))
                .collect();
        }
        match (candidates.pop(), candidates.is_empty()) {
            (Some(meta), true) => Ok(meta),
            (None, _) => match known.unreadable.iter().find(|(id, _)| id == id_or_name) {
                Some((_, error)) => Err(error.clone()),
                None => Err(Error::NotFound(id_or_name.to_owned())),
            },
            (Some(last), false) => Err(Error::Ambiguous {
                word: id_or_name.to_owned(),
                candidates: candidates
                    .into_iter()
                    .chain([last])
                    .map(|meta| meta.id)
                    .collect(),
            }),
        }
    }

    /// Makes a new recording in state `Waiting` and opens it for its one writer.
    ///
    /// Without a name it is called after its id until somebody gives it one.
    pub fn create(
        &self,
        name: Option<&str>,
        options: RecordingOptions,
    ) -> Result<(Arc<Recording>, Writer)> {
        let mut known = self.known();
        self.writable("a new recording")?;
        let created_ms = now_ms();
        let id = fresh_id(created_ms, |id| {
            known.recordings.contains_key(id) || self.folder(id).exists()
        });
        let name = name.unwrap_or(&id);
        check_name(&known, &id, name)?;
        let meta = RecordingMeta {
            id: id.clone(),
            name: name.to_owned(),
            created_ms,
            ended_ms: None,
            jvm: None,
            options,
            state: State::Waiting,
            notes: Vec::new(),
        };
        let folder = self.folder(&id);
        fs::create_dir_all(&folder)
            .map_err(|error| io_error("making the folder", &folder, &error))?;
        let meta = FolderMeta {
            meta,
            sealed: false,
        };
        let made = folder::reserve(&folder)
            .and_then(|()| open(&folder, meta.clone(), &self.shared.memory, Mode::Create))
            .and_then(|inner| {
                // Last, because it is what makes the folder a recording.
                folder::write_meta(&folder, &meta.meta)?;
                let writer = Writer::start(inner.clone(), &self.shared.options)?;
                Ok((inner, writer))
            });
        let (inner, writer) = match made {
            Ok(made) => made,
            Err(error) => {
                // Half a recording helps nobody; what cannot be deleted now has no description.
                let _ = fs::remove_dir_all(&folder);
                return Err(error);
            }
        };
        let entry = Entry {
            meta,
            open: Arc::downgrade(&inner),
        };
        known.recordings.insert(id, entry);
        Ok((Arc::new(Recording { inner }), writer))
    }

    fn writable(&self, what: &str) -> Result<()> {
        if self.shared.options.read_only {
            return Err(Error::ReadOnly(what.to_owned()));
        }
        Ok(())
    }

    /// Opens a recording for reading: finished, cut, or being written by this process.
    /// Every caller gets the same one as long as anybody holds it.
    pub fn open_recording(&self, id: &str) -> Result<Arc<Recording>> {
        let mut known = self.known();
        let entry = known
            .recordings
            .get_mut(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        if let Some(inner) = entry.open.upgrade() {
            return Ok(Arc::new(Recording { inner }));
        }
        // What it said last before everybody let go of it.
        let folder = self.folder(id);
        let state = entry.meta.meta.state.clone();
        entry.meta = folder::read_meta(&folder)?;
        if entry.meta.meta.state.is_live() {
            entry.meta.meta.state = if state.is_live() { State::Cut } else { state };
        }
        let read_only = self.shared.options.read_only || entry.meta.sealed;
        let mode = if read_only { Mode::Read } else { Mode::Write };
        let inner = open(&folder, entry.meta.clone(), &self.shared.memory, mode)?;
        entry.open = Arc::downgrade(&inner);
        Ok(Arc::new(Recording { inner }))
    }

    /// Deletes a recording and its folder. Fails with [`Error::InUse`] while it is being
    /// written or somebody holds it open.
    pub fn delete(&self, id: &str) -> Result<()> {
        self.writable(id)?;
        let mut known = self.known();
        let entry = known
            .recordings
            .get(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        if entry.open.strong_count() > 0 {
            return Err(Error::InUse(id.to_owned()));
        }
        let folder = self.folder(id);
        // Under another name first: a deletion that is interrupted leaves no half recording.
        let doomed = self
            .shared
            .data
            .join("recordings")
            .join(format!(".deleted-{id}"));
        fs::rename(&folder, &doomed).map_err(|error| io_error("deleting", &folder, &error))?;
        known.recordings.remove(id);
        fs::remove_dir_all(&doomed).map_err(|error| io_error("deleting", &doomed, &error))
    }

    /// Brings a finished recording to its smallest form and closes it for writing, for ever: from then on
    /// any number of daemons can open it, and its folder can be moved or copied. Fails with
    /// [`Error::InUse`] while somebody holds it open, and changes nothing when it is sealed already.
    ///
    /// Takes a while: everything is rewritten once.
    pub fn seal(&self, id: &str) -> Result<()> {
        self.writable(id)?;
        let mut known = self.known();
        let entry = known
            .recordings
            .get_mut(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        if entry.open.strong_count() > 0 {
            return Err(Error::InUse(id.to_owned()));
        }
        if entry.meta.sealed {
            return Ok(());
        }
        let folder = self.folder(id);
        let inner = open(
            &folder,
            entry.meta.clone(),
            &self.shared.memory,
            Mode::Write,
        )?;
        seal::compact(&inner)?;
        let meta = inner.meta().clone();
        // The database is closed before the folder says that it is sealed.
        drop(inner);
        folder::write_folder_meta(&folder, &meta, true)?;
        entry.meta = FolderMeta { meta, sealed: true };
        Ok(())
    }

    /// Is the recording sealed?
    pub fn is_sealed(&self, id: &str) -> Result<bool> {
        let known = self.known();
        let entry = known
            .recordings
            .get(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        Ok(entry.meta.sealed)
    }

    /// Changes what a recording says of itself (its name, its notes; id and creation time stay).
    /// Returns what it says now.
    pub fn update_meta(
        &self,
        id: &str,
        change: impl FnOnce(&mut RecordingMeta),
    ) -> Result<RecordingMeta> {
        self.writable(id)?;
        let mut known = self.known();
        let entry = known
            .recordings
            .get(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        let mut changed = entry.meta();
        change(&mut changed);
        if changed.name != entry.meta().name {
            check_name(&known, id, &changed.name)?;
        }
        let folder = self.folder(id);
        let entry = known
            .recordings
            .get_mut(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))?;
        let changed = match entry.open.upgrade() {
            Some(inner) => inner.change_meta(|meta| *meta = changed)?,
            None => {
                changed.id.clone_from(&entry.meta.meta.id);
                changed.created_ms = entry.meta.meta.created_ms;
                folder::write_folder_meta(&folder, &changed, entry.meta.sealed)?;
                changed
            }
        };
        entry.meta.meta = changed.clone();
        Ok(changed)
    }
}

/// Reads the descriptions of all folders. A recording that is running according to its folder was
/// left so by a daemon that died: whoever holds the lock says so in the folder too.
fn read_folders(recordings: &Path, writable: bool) -> Result<Known> {
    let mut known = Known::default();
    let entries = match fs::read_dir(recordings) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(known),
        Err(error) => return Err(io_error("reading the data folder", recordings, &error)),
    };
    for entry in entries {
        let entry = entry.map_err(|e| io_error("reading the data folder", recordings, &e))?;
        let folder = entry.path();
        let Some(id) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        if id.starts_with(".deleted-") && writable {
            // A deletion that was interrupted; if it fails again, the next start tries again.
            let _ = fs::remove_dir_all(&folder);
            continue;
        }
        if !folder::is_recording(&folder) {
            continue;
        }
        match folder::read_meta(&folder) {
            Err(error) => known.unreadable.push((id, error)),
            Ok(mut meta) => {
                if meta.meta.id != id {
                    // A copy under another name is another recording.
                    meta.meta.id.clone_from(&id);
                }
                if meta.meta.state.is_live() {
                    meta.meta.state = State::Cut;
                    if writable
                        && let Err(error) = folder::write_folder_meta(&folder, &meta.meta, false)
                    {
                        tracing::warn!(recording = id, %error, "its state could not be written");
                    }
                }
                known.recordings.insert(
                    id,
                    Entry {
                        meta,
                        open: Weak::new(),
                    },
                );
            }
        }
    }
    Ok(known)
}

/// A name must be free, and must not be taken for an id or an option.
fn check_name(known: &Known, id: &str, name: &str) -> Result<()> {
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

/// An id that is not taken: the time in base 32, so that ids sort by age, made unique.
fn fresh_id(now_ms: u64, taken: impl Fn(&str) -> bool) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
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
        number += 1;
    }
}
