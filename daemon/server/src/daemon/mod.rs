//! The daemon itself, without any wire: the catalogue of recordings and those that are being made.
//!
//! It knows the store and the capture crate, and nothing of gRPC, sockets or the command line. Every
//! live recording has a thread of its own ([`record`]), so that none can hold up or bring down another.
//! Methods that are not `async` may touch the disk or wait for a JVM: callers on a runtime use
//! [`tokio::task::spawn_blocking`].
//!
//! Reading order: this file, [`live`], [`record`], [`launch`].

mod about;
pub mod added;
mod attended;
pub mod capture;
pub mod drain;
pub mod keeping;
pub mod launch;
pub mod leaving;
mod limits;
pub mod live;
pub mod options;
pub mod record;
pub mod sources;
pub mod standing;
pub mod tally;
pub mod words;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jhyde_capture::Ending;
use jhyde_proto::folder;
use jhyde_store::{Catalogue, Keep, Recording, Stats, StoreOptions};
use jhyde_trace::{CostLimits, EngineKind, Level, ProbeLog, RecordingMeta, SnapshotLimits, State};
use rustix::fs::{Access, access};
use tokio::time::timeout;

use about::About;
use attended::{Attended, LETS_GO, once_let_go_of};

use crate::config::settings::{Attach, Source, WebListen};
use crate::error::Error;
use live::{Live, Status, lock};
use tally::Tally;

/// How long Stop and Detach wait for a recording to close before they say that it still closes.
const CLOSE_WAIT: Duration = Duration::from_secs(20);

/// What the daemon is told, at its start and later.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder that keeps the recordings.
    pub data: PathBuf,
    /// Memory for the store.
    pub memory_bytes: u64,
    /// Which recordings are kept when others come.
    pub keep: Keep,
    /// What recordings may cost that name no limits.
    pub limits: CostLimits,
    /// Level for recordings that name none.
    pub level: Level,
    /// Engine for recordings that name none.
    pub engine: EngineKind,
    /// What programs tell in recordings that do not say.
    pub probe_log: ProbeLog,
    /// Longest text kept of a string for recordings that name none.
    pub string_limit: u32,
    /// How far snapshots go in recordings that do not say.
    pub snapshots: SnapshotLimits,
    /// Whether what objects of the JDK hold is recorded.
    pub contents: bool,
    /// Where source is found, and how much of it is kept.
    pub source: Source,
    /// Which JVMs may be attached to, and how long they may take.
    pub attach: Attach,
    /// Where the page is served once somebody asks for it.
    pub web: WebListen,
    /// How long an answer waits for who takes nothing of it; `None`: for ever.
    pub unread: Option<Duration>,
    /// Of how many answers in parts more may be looked for at once.
    pub answers: usize,
    /// The program whose `guard` leaves JVMs running if this process is killed, and whose `drain` reads what launched programs write
    /// from then on: jhyded itself. `None`: nobody does.
    pub guard: Option<PathBuf>,
}

/// A recording as a whole: what it says of itself, and how much there is.
#[derive(Clone, Debug)]
pub struct Description {
    /// What it says of itself.
    pub meta: RecordingMeta,
    /// How much there is; `None` where that cannot be told.
    pub stats: Option<Stats>,
    /// Why the recording cannot be opened, if so: in words for people.
    pub unusable: Option<String>,
    /// The port that waits for its JVM; 0: none.
    pub listen_port: u16,
}

/// See the module. Shared by all services.
#[derive(Debug)]
pub struct Daemon {
    options: RwLock<Arc<Options>>,
    catalogue: Catalogue,
    /// By id.
    live: Mutex<HashMap<String, Arc<Live>>>,
    /// Of recordings that have ended: they never change, and opening one costs.
    stats: Mutex<HashMap<String, Stats>>,
    attended: Attended,
    stopping: AtomicBool,
    about: About,
    tally: Arc<Tally>,
}

impl Daemon {
    /// Opens the data folder, making it if it is not there, and takes its lock. In a folder that cannot be written (of
    /// somebody else, on read-only media) recordings are served and none is made.
    ///
    /// # Errors
    /// The store's: another daemon serves the folder, or it cannot be used.
    pub fn open(options: Options) -> Result<Arc<Self>, Error> {
        folder::make(&options.data)?;
        let read_only = options.data.is_dir() && access(&options.data, Access::WRITE_OK).is_err();
        if read_only {
            tracing::warn!(
                data = %options.data.display(),
                "the data folder cannot be written: its recordings are served, and none can be made"
            );
        }
        let store = StoreOptions {
            memory_bytes: options.memory_bytes,
            read_only,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(&options.data, store)?;
        for (folder, error) in catalogue.unreadable() {
            tracing::warn!(folder, %error, "a folder looks like a recording and cannot be used");
        }
        Ok(Arc::new(Self {
            options: RwLock::new(Arc::new(options)),
            catalogue,
            live: Mutex::default(),
            stats: Mutex::default(),
            attended: Attended::default(),
            stopping: AtomicBool::new(false),
            about: About::new(),
            tally: Arc::default(),
        }))
    }

    /// What the daemon is told now.
    pub fn options(&self) -> Arc<Options> {
        let options = self.options.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&options)
    }

    /// Tells it something else. The folder, the memory, the page and the guard stay what they were at its start; recordings
    /// that are being made stay as they were begun.
    pub fn change(&self, options: Options) {
        let mut now = self.options.write().unwrap_or_else(PoisonError::into_inner);
        *now = Arc::new(Options {
            data: now.data.clone(),
            memory_bytes: now.memory_bytes,
            web: now.web.clone(),
            guard: now.guard.clone(),
            ..options
        });
    }

    /// The recording of this id or name, live or ended, for reading.
    ///
    /// # Errors
    /// The store's: no such recording, a version that is not known, …
    pub fn recording(&self, id_or_name: &str) -> Result<Arc<Recording>, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        match self.live_of(&meta.id).and_then(|live| live.recording()) {
            Some(recording) => Ok(recording),
            None => Ok(self.catalogue.open_recording(&meta.id)?),
        }
    }

    /// Somebody debugs with a recording: for an hour from now on it is not deleted by itself. Yields it as it is kept open
    /// meanwhile.
    pub fn attend(&self, recording: &Arc<Recording>) -> Arc<Recording> {
        // What is being made is not deleted anyway, and must be let go of to be closed.
        match self.live_of(recording.id()) {
            None => self.attended.attend(recording),
            Some(_) => Arc::clone(recording),
        }
    }

    /// The name of the recording of this id or name, if there is one.
    pub fn name_of(&self, id_or_name: &str) -> Option<String> {
        let meta = self.catalogue.find(id_or_name).ok()?;
        Some(meta.name)
    }

    /// What all recordings say of themselves, newest first.
    pub fn list(&self) -> Vec<RecordingMeta> {
        self.catalogue.list()
    }

    /// Folders that look like recordings and say nothing that can be read: their ids, and why, in words for people.
    pub fn unreadable(&self) -> Vec<(String, String)> {
        let all = self.catalogue.unreadable();
        all.into_iter()
            .map(|(id, error)| (id, error.to_string()))
            .collect()
    }

    /// One recording as a whole.
    ///
    /// # Errors
    /// The store's: no such recording.
    pub fn describe(&self, id_or_name: &str) -> Result<Description, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        Ok(self.describe_meta(meta))
    }

    /// The same where what it says of itself is there already.
    pub fn describe_meta(&self, meta: RecordingMeta) -> Description {
        if let Some(live) = self.live_of(&meta.id)
            && let Some(recording) = live.recording()
        {
            let listen_port = live.listen_port.load(Ordering::Relaxed);
            return Description {
                meta: recording.meta(),
                stats: recording.stats().ok(),
                unusable: None,
                listen_port,
            };
        }
        let known = lock(&self.stats).get(&meta.id).cloned();
        let mut unusable = None;
        let stats = known.or_else(|| {
            let opened = self
                .catalogue
                .open_recording(&meta.id)
                .and_then(|it| it.stats());
            match opened {
                Ok(stats) => {
                    lock(&self.stats).insert(meta.id.clone(), stats.clone());
                    Some(stats)
                }
                Err(error) => {
                    tracing::warn!(recording = meta.id, %error, "cannot tell how much there is");
                    if !matches!(
                        error,
                        jhyde_store::Error::Busy { .. } | jhyde_store::Error::InUse(_)
                    ) {
                        unusable = Some(error.to_string());
                    }
                    None
                }
            }
        });
        Description {
            meta,
            stats,
            unusable,
            listen_port: 0,
        }
    }

    /// The recording of this id or name, if it is being made.
    ///
    /// # Errors
    /// The store's: no such recording.
    pub fn live(&self, id_or_name: &str) -> Result<Option<Arc<Live>>, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        Ok(self.live_of(&meta.id))
    }

    /// How many recordings are being made.
    pub fn live_count(&self) -> usize {
        lock(&self.live).len()
    }

    /// How many of them nobody has asked to end.
    pub fn wanted_count(&self) -> usize {
        let live = lock(&self.live);
        live.values().filter(|live| live.is_wanted()).count()
    }

    /// What recording has come to since the daemon began.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Ends a recording and waits until it is closed.
    ///
    /// # Errors
    /// [`Error::Ended`] if it has ended already, [`Error::Closing`] if it takes longer than 20 s.
    pub async fn end(&self, id_or_name: &str, ending: Ending) -> Result<Description, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        let Some(live) = self.live_of(&meta.id) else {
            return Err(Error::Ended {
                name: meta.name,
                state: words::state(&meta.state),
            });
        };
        live.request_end(ending);
        match timeout(CLOSE_WAIT, live.ended()).await {
            Ok(Status::Ended(description) | Status::Gone(description)) => {
                Ok(Description::clone(&description))
            }
            _ => Err(Error::Closing {
                name: meta.name,
                waited: CLOSE_WAIT,
            }),
        }
    }

    /// Tells how the program of a recording ended, where somebody else than its JVM knows.
    ///
    /// # Errors
    /// The store's: no such recording, or it cannot be written.
    pub fn report_exit(&self, id_or_name: &str, code: i32) -> Result<Description, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        if let Some(live) = self.live_of(&meta.id) {
            live.set_exit_code(code);
            if live.recording().is_some() {
                // Whoever closes it looks at the code after this.
                return Ok(self.describe_meta(meta));
            }
        }
        let meta = self
            .catalogue
            .update_meta(&meta.id, |meta| set_exit_code(meta, code))?;
        Ok(self.describe_meta(meta))
    }

    /// Deletes a recording that has ended, with its folder. Says how many bytes it had.
    ///
    /// # Errors
    /// [`Error::Live`] while it is being made; the store's if somebody reads it just now.
    pub fn delete(&self, id_or_name: &str) -> Result<u64, Error> {
        let meta = match self.catalogue.find(id_or_name) {
            Ok(meta) => meta,
            Err(_) if self.unreadable().iter().any(|(id, _)| id == id_or_name) => {
                self.catalogue.delete(id_or_name)?;
                return Ok(0);
            }
            Err(error) => return Err(error.into()),
        };
        if self.live_of(&meta.id).is_some() {
            return Err(Error::Live(meta.name));
        }
        let id = meta.id.clone();
        let bytes = self
            .describe_meta(meta)
            .stats
            .map_or(0, |stats| stats.bytes_on_disk);
        self.attended.leave(&id);
        once_let_go_of(LETS_GO, || self.catalogue.delete(&id))?;
        lock(&self.stats).remove(&id);
        Ok(bytes)
    }

    /// Takes no new recordings, detaches from every JVM leaving it running, and waits until all
    /// recordings are closed, but not longer than `grace`. Says how many were not.
    pub async fn stop(&self, grace: Duration) -> usize {
        self.stopping.store(true, Ordering::Release);
        let all: Vec<_> = lock(&self.live).values().cloned().collect();
        for live in &all {
            live.request_end(Ending::Detach);
        }
        let closed = async {
            for live in &all {
                live.ended().await;
            }
        };
        let _ = timeout(grace, closed).await;
        all.iter()
            .filter(|live| !live.status().borrow().is_final())
            .count()
    }

    /// # Errors
    /// [`Error::Stopping`] once the daemon is.
    fn check_running(&self) -> Result<(), Error> {
        if self.stopping.load(Ordering::Acquire) {
            Err(Error::Stopping)
        } else {
            Ok(())
        }
    }

    fn live_of(&self, id: &str) -> Option<Arc<Live>> {
        lock(&self.live).get(id).cloned()
    }
}

/// Puts an exit code where readers look for it.
fn set_exit_code(meta: &mut RecordingMeta, code: i32) {
    if let State::Complete { exit_code } = &mut meta.state {
        // What is known of it is not another for what a client says.
        exit_code.get_or_insert(code);
        return;
    }
    let note = format!("the program ended with exit code {code}");
    if !meta.notes.contains(&note) {
        meta.notes.push(note);
    }
}
