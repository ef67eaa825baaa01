//! The way in: one [`Writer`] per recording that is being made.

use std::fs::File;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use jhyde_trace::{
    ClassInfo, Event, Level, LevelFact, ObjectId, ObjectInfo, RecordingMeta, State, Subject,
    ThreadInfo, Timestamp,
};
use rocksdb::WriteBatch;

use crate::catalogue::StoreOptions;
use crate::database::sealed_value;
use crate::error::{Error, Result};
use crate::families::{self, Family};
use crate::flusher;
use crate::folder;
use crate::sources::{SourceGate, SourceKeeper};
use crate::state::{Inner, Live};

/// Full blocks that may wait for the disk before [`Writer::append`] blocks: enough to bridge a
/// moment's delay, little enough to bound memory and what a crash loses.
const QUEUE: usize = 4;

/// Objects described without an event between them that make a block full.
const MAX_OBJECTS: usize = 32_768;

/// Appends to one recording. Lives on the thread that captures; there is one per recording.
///
/// Contract: a thread's info, an object's info and a class's info are given before the first event
/// that refers to them. Within a thread, an `Enter` carries the next preorder number (from 1) and
/// its parent is the innermost running call; an `Exit` names the innermost running call; every
/// other event names the innermost running call or, outside all calls, the thread's root. An event that breaks
/// this is refused with [`Error::Malformed`] and not appended; the recording goes on.
///
/// What is appended can be read at once. It is on its way to the disk after at most
/// [`crate::StoreOptions::flush_ms`]; when the disk falls behind, [`Writer::append`] blocks. So a crash of
/// the process loses at most the events of five blocks, and at most those of the last `flush_ms`
/// plus the time that the disk takes for five blocks.
///
/// Dropping a writer without [`Writer::finish`] closes the recording as
/// [`State::Failed`]: somebody's bug, or a panic on the capturing thread.
#[derive(Debug)]
pub struct Writer {
    inner: Arc<Inner>,
    flusher: Option<JoinHandle<()>>,
    sources: SourceGate,
}

impl Writer {
    pub(crate) fn start(inner: Arc<Inner>, options: &StoreOptions) -> Result<Self> {
        inner.live().builder = Some(flusher::builder(options.block_events));
        let flusher = flusher::start(inner.clone(), options)
            .map_err(|error| folder::io_error("starting a thread for", &inner.folder, &error))?;
        Ok(Self {
            inner,
            flusher: Some(flusher),
            sources: SourceGate::default(),
        })
    }

    /// The recording's id.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// See [`jhyde_trace::Sink::scratch`].
    pub fn scratch(&self) -> Result<File> {
        let folder = &self.inner.folder;
        tempfile::tempfile_in(folder)
            .map_err(|error| folder::io_error("making a file for what waits in", folder, &error))
    }

    /// Adds a class, or replaces what was known of it (its methods' tables were read, say).
    pub fn class(&mut self, class: ClassInfo) -> Result<()> {
        self.put(
            families::CLASSES,
            &families::class(class.id),
            sealed_value(&class),
        )?;
        let mut tables = self
            .inner
            .tables
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let more = tables.put_class(Arc::new(class));
        self.inner.memory.blocks.charge(more);
        Ok(())
    }

    /// Adds a thread.
    pub fn thread(&mut self, thread: ThreadInfo) -> Result<()> {
        self.put(
            families::THREADS,
            &families::thread(thread.id),
            sealed_value(&thread),
        )?;
        let mut tables = self
            .inner
            .tables
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        tables.threads.insert(thread.id, thread);
        Ok(())
    }

    /// From the next event on something is recorded at another level, and why.
    pub fn level(&mut self, of: Subject, level: Level, reason: String) -> Result<()> {
        self.put_level(LevelFact {
            since: self.next_timestamp(),
            of,
            level,
            reason,
            doubted: false,
        })
    }

    /// What was appended from an event on may be false: see [`LevelFact::doubted`].
    pub fn doubt(&mut self, since: Timestamp, reason: String) -> Result<()> {
        self.put_level(LevelFact {
            since,
            of: Subject::Everything,
            level: Level::Calls,
            reason,
            doubted: true,
        })
    }

    fn put_level(&mut self, fact: LevelFact) -> Result<()> {
        let number = self.inner.tables().told_levels;
        let value = sealed_value(&fact);
        self.put(families::LEVELS, &number.to_be_bytes(), value)?;
        let mut tables = self
            .inner
            .tables
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        tables.put_level(fact);
        drop(tables);
        self.inner.watch.changed();
        Ok(())
    }

    /// Keeps source text in the recording, from any thread, at most so many bytes of it before compression. What comes
    /// when the writer has closed is refused.
    pub fn source_keeper(&self, most_bytes: u64) -> SourceKeeper {
        SourceKeeper::new(self.inner.clone(), self.sources.clone(), most_bytes)
    }

    fn put(&self, family: Family, key: &[u8], value: Vec<u8>) -> Result<()> {
        self.closed(&self.inner.live())?;
        let mut batch = WriteBatch::default();
        batch.put_cf(self.inner.db.family(family)?, key, value);
        let written = self.inner.db.write(batch);
        if let Err(error) = &written {
            flusher::fail(&self.inner, error.clone());
            return self.closed(&self.inner.live());
        }
        written
    }

    /// Adds what is known of an object. Cheapest when ids rise from object to object; given again,
    /// the later info counts.
    pub fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<()> {
        let mut live = self.inner.live();
        self.closed(&live)?;
        live.objects.push((object, info));
        if live.objects.len() >= MAX_OBJECTS {
            drop(self.next_block(live)?);
        }
        Ok(())
    }

    /// Appends an event and says which timestamp it got. Blocks while the disk is behind.
    ///
    /// After [`Error::Closed`] nothing more can be appended; the caller lets the debuggee run on.
    pub fn append(&mut self, event: Event) -> Result<Timestamp> {
        let appended = self.append_to(self.inner.live(), &event)?;
        Ok(appended.1)
    }

    /// Appends events in order, as [`Writer::append`] does each of them.
    pub fn append_all(&mut self, events: &[Event]) -> Result<()> {
        let mut live = self.inner.live();
        for event in events {
            live = self.append_to(live, event)?.0;
        }
        Ok(())
    }

    fn append_to<'a>(
        &'a self,
        mut live: MutexGuard<'a, Live>,
        event: &Event,
    ) -> Result<(MutexGuard<'a, Live>, Timestamp)> {
        let full = match &live.builder {
            Some(builder) => builder.is_full(),
            None => return Err(self.closed_because("its writer has ended")),
        };
        if live.failed.is_some() {
            self.closed(&live)?;
        }
        if full {
            live = self.next_block(live)?;
        }
        let Some(builder) = live.builder.as_mut() else {
            return Err(self.closed_because("its writer has ended"));
        };
        let timestamp = builder.next_timestamp();
        if builder.block().is_empty() {
            builder.set_wall_ms((self.inner.memory.clock)());
        }
        let appended = builder.append(event).map_err(|reason| Error::Malformed {
            timestamp,
            reason: reason.to_string(),
        })?;
        Ok((live, appended))
    }

    /// Queues the block being built, after waiting for room.
    fn next_block<'a>(&'a self, mut live: MutexGuard<'a, Live>) -> Result<MutexGuard<'a, Live>> {
        while live.tail.len() >= QUEUE && live.failed.is_none() {
            live = self
                .inner
                .done
                .wait(live)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.closed(&live)?;
        flusher::seal(&mut live, (self.inner.memory.clock)());
        self.inner.work.notify_one();
        Ok(live)
    }

    fn closed(&self, live: &Live) -> Result<()> {
        match &live.failed {
            None => Ok(()),
            Some(error) => Err(self.closed_because(&error.to_string())),
        }
    }

    fn closed_because(&self, reason: &str) -> Error {
        Error::Closed {
            recording: self.inner.id.clone(),
            reason: reason.to_owned(),
        }
    }

    /// The timestamp that the next event will get.
    pub fn next_timestamp(&self) -> Timestamp {
        let live = self.inner.live();
        live.builder
            .as_ref()
            .map_or_else(Timestamp::default, |builder| builder.next_timestamp())
    }

    /// Returns when all that was appended is in the database's log: a crash of the process (not of
    /// the machine) leaves it.
    pub fn flush(&mut self) -> Result<()> {
        let mut live = self.inner.live();
        live.flush_wanted += 1;
        let wanted = live.flush_wanted;
        self.inner.work.notify_one();
        while live.flush_done < wanted && live.failed.is_none() {
            live = self
                .inner
                .done
                .wait(live)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.closed(&live)
    }

    /// Changes what the recording says of itself (the JVM's identity, the state, notes).
    pub fn set_meta(&mut self, change: impl FnOnce(&mut RecordingMeta)) -> Result<()> {
        self.inner.change_meta(change).map(drop)
    }

    /// Writes all that is left, with the final state and the time of the end, and closes.
    pub fn finish(mut self, state: State) -> Result<()> {
        self.close()?;
        if let Err(error) = self.inner.freeze() {
            flusher::fail(&self.inner, error);
            return self.closed(&self.inner.live());
        }
        self.inner.change_meta(|meta| {
            meta.state = state;
            meta.ended_ms = Some((self.inner.memory.clock)().max(meta.created_ms));
        })?;
        folder::release(&self.inner.folder);
        Ok(())
    }

    /// Ends the flusher after it has written everything.
    fn close(&mut self) -> Result<()> {
        let Some(flusher) = self.flusher.take() else {
            return Ok(());
        };
        self.sources.close();
        {
            let mut live = self.inner.live();
            flusher::seal(&mut live, (self.inner.memory.clock)());
            live.closing = true;
            self.inner.work.notify_all();
        }
        let panicked = flusher.join().is_err();
        let mut live = self.inner.live();
        if panicked && live.failed.is_none() {
            live.failed = Some(self.closed_because("the flusher ended unexpectedly"));
        }
        if live.failed.is_none() {
            live.builder = None;
            live.copy = None;
        }
        self.closed(&live)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.flusher.is_none() {
            return;
        }
        let closed = self.close();
        if closed.is_ok() {
            let reason = "the capture ended without closing the recording";
            flusher::fail(&self.inner, self.closed_because(reason));
        }
    }
}
