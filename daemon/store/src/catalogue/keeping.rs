//! What is done to a recording that nobody uses: deleting, sealing, exporting; and bringing one in.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use jhyde_trace::RecordingMeta;

use super::retention::{Keep, RetentionPlan, RetentionReport, Subject};
use super::scan::{DELETED, IMPORTING, check_name, is_id};
use super::{Catalogue, Entry, Known, lock};
use crate::archive::{self, Progress};
use crate::database::Mode;
use crate::error::{Error, Result};
use crate::folder::{self, io_error};
use crate::lock::UseLock;
use crate::open::open;
use crate::seal;

/// A recording that nobody else can open as long as this lives.
struct Claim<'a> {
    catalogue: &'a Catalogue,
    id: &'a str,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Ok(entry) = self.catalogue.known().entry_mut(self.id) {
            entry.busy = None;
        }
    }
}

impl Known {
    /// Has anybody but this catalogue's own habit of keeping them open this recording open?
    fn in_use(&self, entry: &Entry) -> bool {
        let kept = self
            .kept_open
            .iter()
            .filter(|inner| std::ptr::eq(Arc::as_ptr(inner), entry.open.as_ptr()))
            .count();
        entry.open.strong_count() > kept || entry.gate.try_lock().is_err()
    }
}

impl Catalogue {
    fn claim<'a>(&'a self, id: &'a str, what: &'static str) -> Result<Claim<'a>> {
        let mut known = self.known_now();
        let entry = known.entry(id)?;
        entry.not_busy()?;
        if known.in_use(entry) {
            return Err(Error::InUse(id.to_owned()));
        }
        known.kept_open.retain(|inner| inner.id != id);
        if UseLock::is_held(&folder::database(&self.folder(id))) {
            return Err(Error::InUse(id.to_owned()));
        }
        let entry = known.entry_mut(id)?;
        entry.busy = Some(what);
        drop(known);
        Ok(Claim {
            catalogue: self,
            id,
        })
    }

    /// Deletes a recording and its folder, also one of [`Catalogue::unreadable`]. Fails with [`Error::InUse`] while it
    /// is being written, or while somebody, in this process or another, holds it open.
    pub fn delete(&self, id: &str) -> Result<()> {
        self.writable(id)?;
        let folder = self.folder(id);
        let is_unreadable = self.unreadable().iter().any(|(other, _)| other == id);
        let claim = match is_unreadable {
            true if UseLock::is_held(&folder::database(&folder)) => {
                return Err(Error::InUse(id.to_owned()));
            }
            true => None,
            false => Some(self.claim(id, "deleted")?),
        };
        // Under another name first: a deletion that is interrupted leaves no half recording.
        let doomed = self.recordings().join(format!("{DELETED}{id}"));
        fs::rename(&folder, &doomed).map_err(|error| io_error("deleting", &folder, &error))?;
        self.known().recordings.remove(id);
        drop(claim);
        fs::remove_dir_all(&doomed).map_err(|error| io_error("deleting", &doomed, &error))
    }

    /// Brings a finished recording to its smallest form and closes it for writing, for ever: from then on
    /// any number of daemons can open it, and its folder can be moved or copied. Fails with
    /// [`Error::InUse`] while somebody holds it open, and changes nothing when it is sealed already.
    ///
    /// Takes a while: everything is read, and rewritten once unless it is in its smallest form already. Only this
    /// recording is busy meanwhile. A damaged recording is refused with [`Error::Damaged`]: what is rewritten from
    /// less would look whole.
    pub fn seal(&self, id: &str) -> Result<()> {
        self.writable(id)?;
        let _claim = self.claim(id, "sealed")?;
        let meta = self.known().entry(id)?.meta.clone();
        if lock(&meta).sealed {
            return Ok(());
        }
        let (folder, memory) = (self.folder(id), &self.shared.memory);
        let inner = open(&folder, meta.clone(), true, memory, Mode::Read)?;
        let tables = inner.db.families().iter();
        tables
            .copied()
            .try_for_each(|family| inner.db.verify(family))?;
        if seal::is_compact(&inner)? {
            let mut meta = lock(&meta);
            meta.sealed = true;
            let written = folder::write_meta(&folder, &meta);
            meta.sealed = written.is_ok();
            folder::release(&folder);
            return written;
        }
        drop(inner);
        {
            // From here on the files change: if we are interrupted, the next who opens it lists them anew.
            let mut meta = lock(&meta);
            (meta.files, meta.list) = (None, None);
            folder::write_meta(&folder, &meta)?;
        }
        let inner = open(&folder, meta.clone(), true, memory, Mode::Write)?;
        seal::compact(&inner)?;
        lock(&meta).sealed = true;
        let sealed = inner.freeze();
        if sealed.is_err() {
            lock(&meta).sealed = false;
        }
        sealed
    }

    /// Is the recording sealed?
    pub fn is_sealed(&self, id: &str) -> Result<bool> {
        let known = self.known_now();
        let meta = lock(&known.entry(id)?.meta);
        Ok(meta.sealed)
    }

    /// Writes a finished recording as one file (format: [`crate::archive`]), which [`Catalogue::import`]
    /// reads. The file is complete under its name or not there; one that is there already is not
    /// touched. Returns the file's size in bytes.
    ///
    /// A recording that is still being written is refused with [`Error::InUse`]; readers do not hinder.
    /// A recording that was cut and never opened since is closed first, which who only reads cannot do.
    pub fn export(&self, id: &str, to: &Path, progress: Progress<'_>) -> Result<u64> {
        if to.exists() {
            let exists = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(io_error("writing", to, &exists));
        }
        archive::write_file(to, |out| self.export_to(id, out, progress))
    }

    /// As [`Catalogue::export`], to anything that takes bytes. What was written when this fails is worth
    /// nothing.
    pub fn export_to(&self, id: &str, out: impl Write, progress: Progress<'_>) -> Result<()> {
        let recording = self.open_recording(id)?;
        if recording.meta().state.is_live() {
            return Err(Error::InUse(id.to_owned()));
        }
        let meta = recording.inner.meta().clone();
        if meta.files.is_none() {
            // A cut recording that we may not, or cannot, close: its files may change under our hands.
            return Err(Error::ReadOnly(id.to_owned()));
        }
        archive::write(out, &meta, &self.folder(id), progress)
    }

    /// Brings in a recording that was exported, under its own id and name or, where `name` is given,
    /// that name; where its id is taken it gets another. What is not a whole recording is
    /// refused with [`Error::BadArchive`], and nothing of it stays.
    pub fn import(
        &self,
        from: &Path,
        name: Option<&str>,
        progress: Progress<'_>,
    ) -> Result<RecordingMeta> {
        let file = fs::File::open(from).map_err(|error| io_error("reading", from, &error))?;
        self.import_from(std::io::BufReader::new(file), from, name, progress)
    }

    /// As [`Catalogue::import`], from anything that gives bytes; `origin` is what errors call it.
    pub fn import_from(
        &self,
        input: impl Read,
        origin: &Path,
        name: Option<&str>,
        progress: Progress<'_>,
    ) -> Result<RecordingMeta> {
        self.writable("an imported recording")?;
        let arriving = Temporary(self.recordings().join(unique(IMPORTING)));
        fs::create_dir(&arriving.0).map_err(|e| io_error("making", &arriving.0, &e))?;
        let mut folder_meta = archive::read(input, origin, &arriving.0, progress)?;
        let meta = Arc::new(Mutex::new(folder_meta.clone()));
        let opened = open(&arriving.0, meta, false, &self.shared.memory, Mode::Read);
        drop(opened.map_err(|error| Error::BadArchive {
            path: origin.to_owned(),
            reason: error.to_string(),
        })?);
        let mut known = self.refreshed()?;
        let meta = &mut folder_meta.meta;
        if !is_id(&meta.id)
            || known.recordings.contains_key(&meta.id)
            || self.folder(&meta.id).exists()
        {
            let own_name = meta.name == meta.id;
            meta.id = self.fresh_id(&known, (self.shared.options.clock)());
            if own_name {
                meta.name.clone_from(&meta.id);
            }
        }
        if let Some(name) = name {
            name.clone_into(&mut meta.name);
        }
        let meta = meta.clone();
        check_name(&known, &meta.id, &meta.name)?;
        folder::write_meta(&arriving.0, &folder_meta)?;
        let folder = self.folder(&meta.id);
        fs::rename(&arriving.0, &folder).map_err(|e| io_error("making", &folder, &e))?;
        known
            .recordings
            .insert(meta.id.clone(), Entry::new(folder_meta));
        Ok(meta)
    }

    /// Which recordings would have to go, and why, so that what stays is within `keep`. Nothing is deleted:
    /// see [`Catalogue::apply_retention`].
    pub fn plan_retention(&self, keep: &Keep) -> RetentionPlan {
        let subjects = {
            let known = self.known_now();
            known
                .recordings
                .iter()
                .map(|(id, entry)| Subject {
                    meta: entry.meta(),
                    in_use: known.in_use(entry)
                        || entry.busy.is_some()
                        || (!entry.is_open()
                            && UseLock::is_held(&folder::database(&self.folder(id)))),
                    bytes: 0,
                })
                .collect::<Vec<_>>()
        };
        // Sizes are read from the disk: not while others wait for the catalogue.
        let sized = subjects.into_iter().map(|subject| Subject {
            bytes: folder::size(&self.folder(&subject.meta.id)),
            ..subject
        });
        super::retention::plan(sized.collect(), keep, (self.shared.options.clock)())
    }

    /// Deletes what a plan says must go. What has come into use since stays and is reported, as is what
    /// could not be deleted.
    pub fn apply_retention(&self, plan: &RetentionPlan) -> RetentionReport {
        let mut report = RetentionReport::default();
        for removal in &plan.remove {
            match self.delete(&removal.id) {
                Ok(()) => report.deleted.push(removal.clone()),
                // Somebody else deleted it meanwhile: it is gone, as it should be.
                Err(Error::NotFound(_)) => {}
                Err(error) => report.failed.push((removal.clone(), error)),
            }
        }
        report
    }
}

/// A name that nobody else uses now.
fn unique(beginning: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{beginning}{}-{number}", std::process::id())
}

/// A folder that is deleted with everything in it, unless it was given another name before.
struct Temporary(std::path::PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Where that fails, the next start of a daemon deletes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
