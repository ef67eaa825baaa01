//! The catalogue: which recordings a data folder holds, and who may write in it.
//!
//! There is no second list that could disagree with the folders: every recording's folder says
//! itself what it is (`recording.json`), and the catalogue is what is found in the data folder, looked
//! at anew whenever it is asked for. Deleting, moving or copying a recording is a matter of its folder alone.
//!
//! Here: finding, making and opening recordings. In `scan`: reading the folders. In `keeping`: what is done
//! to a recording that nobody uses (deleting, sealing, exporting …) and who uses one. In `retention`: which
//! recordings are to go.

mod keeping;
mod options;
pub mod retention;
mod scan;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jhyde_trace::{RecordingMeta, RecordingOptions, State};

use crate::database::{Memory, Mode};
use crate::error::{Error, Result};
use crate::folder::{self, FolderMeta, io_error};
use crate::lock::FolderLock;
use crate::open::open;
use crate::recording::Recording;
use crate::state::Inner;
use crate::writer::Writer;
pub use options::StoreOptions;
use scan::{Scan, check_name, fresh_id, scan};

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
    known: Mutex<Known>,
    /// Held as long as the catalogue lives; `None` when reading only. Behind `known`, whose
    /// recordings are closed before the lock is let go of.
    _lock: Option<FolderLock>,
}

#[derive(Debug, Default)]
struct Known {
    /// Recordings that can be used, by id.
    recordings: BTreeMap<String, Entry>,
    /// Folders that cannot, and why.
    unreadable: Vec<(String, Error)>,
    /// Recordings that stay open though nobody may hold them, the one used longest ago first.
    kept_open: VecDeque<Arc<Inner>>,
}

impl Known {
    /// Forgets recordings that are not in `found`, unless somebody has them open.
    fn forget_except(&mut self, found: &BTreeSet<String>) {
        self.kept_open.retain(|inner| found.contains(&inner.id));
        self.recordings
            .retain(|id, entry| found.contains(id) || entry.is_open());
    }

    /// Keeps a recording open, and lets go of the one used longest ago where there are too many.
    fn keep_open(&mut self, inner: &Arc<Inner>, limit: usize) {
        self.kept_open.retain(|kept| !Arc::ptr_eq(kept, inner));
        self.kept_open.push_back(inner.clone());
        while self.kept_open.len() > limit {
            self.kept_open.pop_front();
        }
    }

    fn entry(&self, id: &str) -> Result<&Entry> {
        self.recordings
            .get(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))
    }

    fn entry_mut(&mut self, id: &str) -> Result<&mut Entry> {
        self.recordings
            .get_mut(id)
            .ok_or_else(|| Error::NotFound(id.to_owned()))
    }
}

#[derive(Debug)]
struct Entry {
    /// What it says of itself; shared with the open recording.
    meta: Arc<Mutex<FolderMeta>>,
    /// The recording, while anybody has it open.
    open: Weak<Inner>,
    /// Held while it is being opened.
    gate: Arc<Mutex<()>>,
    /// What is being done to it that nobody may disturb.
    busy: Option<&'static str>,
}

impl Entry {
    fn new(meta: FolderMeta) -> Self {
        Self {
            meta: Arc::new(Mutex::new(meta)),
            open: Weak::new(),
            gate: Arc::default(),
            busy: None,
        }
    }

    /// What it says of itself now.
    fn meta(&self) -> RecordingMeta {
        lock(&self.meta).meta.clone()
    }

    fn is_open(&self) -> bool {
        self.open.strong_count() > 0
    }

    fn not_busy(&self) -> Result<()> {
        match self.busy {
            None => Ok(()),
            Some(what) => Err(Error::Busy {
                recording: self.meta().id,
                what,
            }),
        }
    }
}

/// What is behind these locks is whole at any moment, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let memory = Arc::new(Memory::new(options.memory_bytes, options.clock));
        let mut known = Known::default();
        let how = if options.read_only {
            Scan::Reading {
                writer_lives: FolderLock::is_held(data),
            }
        } else {
            Scan::Tidy
        };
        scan(&recordings, &mut known, how)?;
        let shared = Shared {
            data: data.to_owned(),
            options,
            memory,
            known: Mutex::new(known),
            _lock: lock,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.shared.known)
    }

    /// The data folder.
    pub fn data_folder(&self) -> &Path {
        &self.shared.data
    }

    fn recordings(&self) -> PathBuf {
        self.shared.data.join("recordings")
    }

    fn folder(&self, id: &str) -> PathBuf {
        self.recordings().join(id)
    }

    /// Looks at the folders again: what was put there or taken away by hand, or by another
    /// daemon where this one only reads, is known from now on. [`Catalogue::list`] and
    /// [`Catalogue::find`] do so by themselves.
    pub fn refresh(&self) -> Result<()> {
        self.refreshed().map(drop)
    }

    fn refreshed(&self) -> Result<MutexGuard<'_, Known>> {
        let mut known = self.known();
        let how = if self.shared.options.read_only {
            Scan::Reading {
                writer_lives: FolderLock::is_held(&self.shared.data),
            }
        } else {
            Scan::Again
        };
        scan(&self.recordings(), &mut known, how)?;
        Ok(known)
    }

    /// The folders as they are now or, where they cannot be read, as they were.
    fn known_now(&self) -> MutexGuard<'_, Known> {
        self.refreshed().unwrap_or_else(|error| {
            tracing::warn!(%error, "the data folder cannot be read, going by what is known");
            self.known()
        })
    }

    /// All recordings, the newest first. Folders that cannot be read are listed by
    /// [`Catalogue::unreadable`] instead.
    pub fn list(&self) -> Vec<RecordingMeta> {
        let known = self.known_now();
        let mut list: Vec<_> = known.recordings.values().map(Entry::meta).collect();
        list.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
        list
    }

    /// Folders in the data folder that look like recordings and cannot be used, and why.
    pub fn unreadable(&self) -> Vec<(String, Error)> {
        self.known_now().unreadable.clone()
    }

    /// The recording with this id, or this name, or (if only one has it) an id that begins so.
    pub fn find(&self, id_or_name: &str) -> Result<RecordingMeta> {
        let known = self.known_now();
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
        self.writable("a new recording")?;
        let mut known = self.refreshed()?;
        let created_ms = (self.shared.options.clock)();
        let id = self.fresh_id(&known, created_ms);
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
        let meta = FolderMeta::fresh(meta);
        let mut entry = Entry::new(meta.clone());
        let made = folder::reserve(&folder)
            .and_then(|()| {
                let memory = &self.shared.memory;
                open(&folder, entry.meta.clone(), true, memory, Mode::Create)
            })
            .and_then(|inner| {
                // Last, because it is what makes the folder a recording.
                folder::write_meta(&folder, &meta)?;
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
        entry.open = Arc::downgrade(&inner);
        known.recordings.insert(id, entry);
        Ok((Arc::new(Recording::new(inner)), writer))
    }

    fn fresh_id(&self, known: &Known, now_ms: u64) -> String {
        fresh_id(now_ms, |id| {
            known.recordings.contains_key(id) || self.folder(id).exists()
        })
    }

    fn writable(&self, what: &str) -> Result<()> {
        if self.shared.options.read_only {
            return Err(Error::ReadOnly(what.to_owned()));
        }
        Ok(())
    }

    /// Opens a recording for reading: finished, cut, or being written by this process.
    ///
    /// Every caller gets the same one, usable by many threads at once, and the recordings asked for last
    /// stay open ([`StoreOptions::kept_open`]): calling this for every request is cheap. Fails
    /// with [`Error::Busy`] while the recording is being sealed or deleted.
    pub fn open_recording(&self, id: &str) -> Result<Arc<Recording>> {
        if let Some(open) = self.already_open(id)? {
            return Ok(open);
        }
        // Opening takes a while: nobody else need wait for it but those who want the same one.
        let gate = {
            let known = self.known_now();
            let entry = match known.entry(id) {
                Ok(entry) => entry,
                Err(missing) => {
                    let unreadable = known.unreadable.iter().find(|(other, _)| other == id);
                    return Err(unreadable.map_or(missing, |(_, error)| error.clone()));
                }
            };
            entry.not_busy()?;
            entry.gate.clone()
        };
        let _opening = lock(&gate);
        if let Some(open) = self.already_open(id)? {
            return Ok(open);
        }
        let meta = {
            let known = self.known();
            let entry = known.entry(id)?;
            entry.not_busy()?;
            entry.meta.clone()
        };
        let inner = self.open_finished(id, &meta)?;
        let mut known = self.known();
        known.entry_mut(id)?.open = Arc::downgrade(&inner);
        known.keep_open(&inner, self.shared.options.kept_open);
        Ok(Arc::new(Recording::new(inner)))
    }

    /// Opens a recording that nobody writes. One that was never closed, because a crash or a full disk cut it,
    /// is closed now; where that cannot be done, on a disk that is still full or cannot be written, it is
    /// read as it is.
    fn open_finished(&self, id: &str, meta: &Arc<Mutex<FolderMeta>>) -> Result<Arc<Inner>> {
        let (folder, memory) = (self.folder(id), &self.shared.memory);
        let writable = !self.shared.options.read_only;
        if writable && lock(meta).files.is_none() {
            let closed = open(&folder, meta.clone(), writable, memory, Mode::Write)
                .and_then(|inner| inner.freeze().map(|()| inner));
            match closed {
                Ok(inner) => return Ok(inner),
                Err(error) => {
                    tracing::warn!(recording = id, %error, "it cannot be closed, and is read as it is");
                }
            }
        }
        open(&folder, meta.clone(), writable, memory, Mode::Read)
    }

    fn already_open(&self, id: &str) -> Result<Option<Arc<Recording>>> {
        let mut known = self.known();
        let Some(entry) = known.recordings.get(id) else {
            return Ok(None);
        };
        entry.not_busy()?;
        let Some(inner) = entry.open.upgrade() else {
            return Ok(None);
        };
        known.keep_open(&inner, self.shared.options.kept_open);
        Ok(Some(Arc::new(Recording::new(inner))))
    }

    /// Changes what a recording says of itself (its name, its notes; id and creation time stay).
    /// Returns what it says now.
    pub fn update_meta(
        &self,
        id: &str,
        change: impl FnOnce(&mut RecordingMeta),
    ) -> Result<RecordingMeta> {
        self.writable(id)?;
        let known = self.known();
        let entry = known.entry(id)?;
        entry.not_busy()?;
        let mut changed = entry.meta();
        change(&mut changed);
        if changed.name != entry.meta().name {
            check_name(&known, id, &changed.name)?;
        }
        if let Some(inner) = entry.open.upgrade() {
            return inner.change_meta(|meta| *meta = changed);
        }
        let mut meta = lock(&entry.meta);
        changed.id.clone_from(&meta.meta.id);
        changed.created_ms = meta.meta.created_ms;
        let mut written = meta.clone();
        written.meta = changed.clone();
        folder::write_meta(&self.folder(id), &written)?;
        *meta = written;
        Ok(changed)
    }
}
