//! The flusher: one thread per recording being written. It takes full blocks from the queue, encodes
//! and indexes them, and writes each with everything that points to it in one batch. While the
//! queue is empty it writes, every so often, the beginning of the block being built: that bounds what a
//! crash loses.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jhyde_trace::block::Passages;
use jhyde_trace::{Block, BlockBuilder, CallId, ObjectId, ObjectInfo, State, Timestamp};
use rocksdb::WriteBatch;

use crate::catalogue::StoreOptions;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::families;
use crate::index::{Key, collect, merge, run};
use crate::objects;
use crate::passages;
use crate::ring::Ring;
use crate::rows::{Rare, TableRows};
use crate::state::{Group, Inner, Live, Persisted, Sealed, ThreadTotal};
use crate::tally::Tally;
use crate::view::View;

/// Watchers are told of new events this often.
const TICK: Duration = Duration::from_millis(20);

/// Starts the flusher of a recording.
pub(crate) fn start(inner: Arc<Inner>, options: &StoreOptions) -> std::io::Result<JoinHandle<()>> {
    let flush = Duration::from_millis(options.flush_ms.max(1));
    let group_blocks = options.group_blocks.clamp(2, 4096) as usize;
    std::thread::Builder::new()
        .name(format!("flush {}", inner.id))
        .spawn(move || {
            let ring = inner.meta().meta.options.limits.ring;
            let mut flusher = Flusher {
                inner: inner.clone(),
                rows: TableRows::default(),
                // Of a recording that may lose its beginning nothing can be compared.
                passages: ring.is_none().then(Passages::default),
                group_blocks,
                ring: ring.map(Ring::new),
            };
            if let Err(error) = flusher.run(flush) {
                tracing::error!(recording = %inner.id, %error, "writing failed, recording closed");
                fail(&inner, error);
            }
        })
}

/// Closes a recording that cannot be written any more. What could be written stays readable; what
/// is still in memory stays readable as long as the recording is open.
pub(crate) fn fail(inner: &Arc<Inner>, error: Error) {
    let reason = error.to_string();
    inner.live().failed = Some(error);
    inner.done.notify_all();
    let failed = inner.change_meta(|meta| {
        meta.state = State::Failed {
            reason: reason.clone(),
        };
        meta.ended_ms = Some((inner.memory.clock)().max(meta.created_ms));
    });
    if let Err(error) = failed {
        // The state in memory was changed before the disk refused; after a restart it says Cut.
        tracing::error!(recording = %inner.id, %error, "the final state could not be written");
        inner.watch.changed();
    }
}

/// Takes the block being built, if it has anything, and queues it.
pub(crate) fn seal(live: &mut Live, now_ms: u64) {
    let Some(builder) = live.builder.as_mut() else {
        return;
    };
    if builder.block().is_empty() && live.objects.is_empty() {
        return;
    }
    builder.set_wall_ms(now_ms);
    let block = Arc::new(builder.take());
    live.copy = None;
    let objects = std::mem::take(&mut live.objects);
    live.tail.push_back(Arc::new(Sealed { block, objects }));
}

struct Flusher {
    inner: Arc<Inner>,
    rows: TableRows,
    /// What is so far of passages, if there are to be some.
    passages: Option<Passages>,
    /// Blocks whose postings are written together.
    group_blocks: usize,
    /// Not all is kept.
    ring: Option<Ring>,
}

enum Work {
    Block(Arc<Sealed>),
    /// A copy of the block being built, and the objects described so far.
    Beginning(Box<Block>, Vec<(ObjectId, ObjectInfo)>),
    Flushed(u64),
    Tick,
    End,
}

impl Flusher {
    fn run(&mut self, flush: Duration) -> Result<()> {
        let mut written_beginning = (0, 0);
        let mut last_beginning = Instant::now();
        let mut told = 0;
        loop {
            let due = last_beginning.elapsed() >= flush;
            match self.next_work(due, &mut written_beginning) {
                Work::Block(sealed) => {
                    self.write_block(&sealed)?;
                    let mut live = self.inner.live();
                    live.tail.pop_front();
                    drop(live);
                    self.inner.done.notify_all();
                }
                Work::Beginning(block, objects) => {
                    self.write_beginning(&block, &objects)?;
                    last_beginning = Instant::now();
                }
                Work::Flushed(wanted) => {
                    self.inner.live().flush_done = wanted;
                    self.inner.done.notify_all();
                }
                Work::Tick if due => last_beginning = Instant::now(),
                Work::Tick => {}
                Work::End => {
                    self.write_last_passages()?;
                    self.write_group()?;
                    return self.inner.db.flush();
                }
            }
            let end = {
                let live = self.inner.live();
                live.builder
                    .as_ref()
                    .map_or(u64::MAX, |builder| builder.next_timestamp().0)
            };
            if end != told {
                told = end;
                self.inner.watch.changed();
            }
        }
    }

    /// Waits for something to do, at most a tick.
    fn next_work(&self, due: bool, written: &mut (u64, usize)) -> Work {
        let mut live = self.inner.live();
        if live.tail.is_empty() && !live.closing && live.flush_wanted == live.flush_done && !due {
            live = match self.inner.work.wait_timeout(live, TICK) {
                Ok((live, _)) => live,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        if let Some(sealed) = live.tail.front() {
            return Work::Block(sealed.clone());
        }
        if live.closing {
            return Work::End;
        }
        let wanted = live.flush_wanted;
        if wanted != live.flush_done || due {
            let objects = live.objects.clone();
            if let Some(builder) = live.builder.as_mut() {
                let now = (
                    builder.block().first().0,
                    builder.block().len() + objects.len(),
                );
                if now != *written && now.1 > 0 {
                    *written = now;
                    builder.set_wall_ms((self.inner.memory.clock)());
                    return Work::Beginning(Box::new(builder.block().clone()), objects);
                }
            }
            if wanted != live.flush_done {
                return Work::Flushed(wanted);
            }
        }
        Work::Tick
    }

    fn write_beginning(&self, block: &Block, objects: &[(ObjectId, ObjectInfo)]) -> Result<()> {
        let mut batch = WriteBatch::default();
        put_objects(
            &self.inner.db,
            &mut batch,
            objects,
            self.inner.persisted().last_object,
        )?;
        if !block.is_empty() {
            let family = self.inner.db.family(families::BLOCKS)?;
            batch.put_cf(family, block.first().0.to_be_bytes(), block.encode());
        }
        self.inner.db.write(batch)
    }

    /// Writes a block and all that points to it, and tells the readers that it is there.
    fn write_block(&mut self, sealed: &Sealed) -> Result<()> {
        let block = &*sealed.block;
        let inner = self.inner.clone();
        let db = &inner.db;
        let mut batch = WriteBatch::default();
        let (last_object, late) = put_objects(
            db,
            &mut batch,
            &sealed.objects,
            inner.persisted().last_object,
        )?;
        let mut keys: Option<Arc<[Key]>> = None;
        let mut length = 0;
        if !block.is_empty() {
            // Before the rows, which take note of the calls that end in the block.
            keys = Some(collect::keys(block, |call| self.rows.running(call)).into());
            let bytes = block.encode();
            length = bytes.len();
            let key = block.first().0.to_be_bytes();
            batch.put_cf(db.family(families::BLOCKS)?, key, bytes);
            // One that a crash left unfinished may be of a recording from before there were any.
            if !db.lacks(families::TALLIES) {
                let tally = Tally::of(block, 0..block.len(), |call| self.rows.running(call));
                batch.put_cf(db.family(families::TALLIES)?, key, tally.encode());
            }
            self.rows.of_block(block, length, |family, key, value| {
                batch.put_cf(db.family(family)?, key, value);
                Ok(())
            })?;
            if let Some(passages) = &mut self.passages {
                passages.of_block(block, &mut |made| passages::put(db, &mut batch, made))?;
            }
        }
        db.write(batch)?;
        let full_group = {
            let mut persisted = inner
                .persisted
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            persisted.last_object = last_object;
            persisted.late_objects |= late;
            if keys.is_some() {
                persisted.add_block(block);
                persisted.pending.push(keys.clone());
            }
            persisted.pending.len() >= self.group_blocks
        };
        if full_group {
            self.write_group()?;
        }
        match (&mut self.ring, keys) {
            (Some(ring), Some(keys)) => ring.add(&inner, length, &keys),
            _ => Ok(()),
        }
    }

    /// Writes the passages that the end of the recording ends.
    fn write_last_passages(&mut self) -> Result<()> {
        let Some(passages) = self.passages.take() else {
            return Ok(());
        };
        let db = &self.inner.db;
        let end = Timestamp(self.inner.persisted().end);
        let mut batch = WriteBatch::default();
        passages.finish(end, &mut |made| passages::put(db, &mut batch, made))?;
        db.write(batch)
    }

    /// Writes the postings of all blocks that have none written yet, as one group.
    fn write_group(&self) -> Result<()> {
        write_group(&self.inner)?;
        merge::merge_newest(&View::of_database(&self.inner))
    }
}

/// Makes a full block of the one that a crash left unfinished, so that it is a block like all others. What
/// points to it is as the flusher would have written it.
pub(crate) fn finish_last_block(inner: &Arc<Inner>) -> Result<()> {
    let Some(unfinished) = inner.live().tail.front().cloned() else {
        return Ok(());
    };
    let mut rows = TableRows::default();
    for row in inner.db.rows(families::LONG_CALLS)? {
        let (key, value) = row?;
        let call = postcard::from_bytes(&value);
        let call = call.map_err(|e| inner.db.damaged("table long_calls", e.to_string()))?;
        if let Some(id) = families::u64_at(&key, 0) {
            rows.known(CallId::unpack(id), call);
        }
    }
    let mut flusher = Flusher {
        inner: inner.clone(),
        rows,
        // Those of what was written before are not known.
        passages: None,
        group_blocks: usize::MAX,
        ring: None,
    };
    flusher.write_block(&unfinished)?;
    inner.live().tail.clear();
    Ok(())
}

/// Writes the postings of all blocks that have none written yet, as one group.
pub(crate) fn write_group(inner: &Arc<Inner>) -> Result<()> {
    let (group, pending) = {
        let persisted = inner.persisted();
        let first = persisted.indexed();
        let end = first + persisted.pending.len() as u32;
        (Group { first, end }, persisted.pending.clone())
    };
    // In a written group, a block without postings would have none of the keys; without a group, it may have any.
    if pending.is_empty() || pending.iter().any(Option::is_none) {
        return Ok(());
    }
    let mut postings = Vec::with_capacity(pending.iter().flatten().map(|k| k.len()).sum());
    for (at, keys) in pending.iter().enumerate() {
        let keys = keys.iter().flat_map(|keys| keys.iter());
        postings.extend(keys.map(|key| key.posting(at as u32)));
    }
    // The keys of each block are sorted already: runs that a merging sort finds.
    postings.sort();
    let mut batch = WriteBatch::default();
    put_runs(&inner.db, &mut batch, group, &postings)?;
    inner.db.write(batch)?;
    let mut persisted = inner
        .persisted
        .write()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    persisted.groups.push(group);
    persisted.pending.clear();
    Ok(())
}

/// Adds the runs of a group and its end mark.
pub(crate) fn put_runs(
    db: &Database,
    batch: &mut WriteBatch,
    group: Group,
    postings: &[u128],
) -> Result<()> {
    let family = db.family(families::INDEX)?;
    batch.put_cf(family, merge::end_mark(group), run::encode(&[]));
    for postings in postings.chunks(run::RUN) {
        let key = families::index_run(group.first, group.end, postings[0]);
        batch.put_cf(family, key, run::encode(postings));
    }
    Ok(())
}

/// Adds objects to a batch. Returns the highest id in runs, and whether some came late.
fn put_objects(
    db: &Database,
    batch: &mut WriteBatch,
    objects: &[(ObjectId, ObjectInfo)],
    mut last: Option<u64>,
) -> Result<(Option<u64>, bool)> {
    let mut rising = Vec::with_capacity(objects.len());
    let late = db.family(families::LATE_OBJECTS)?;
    let mut any_late = false;
    for object in objects {
        if last.is_none_or(|last| object.0.0 > last) {
            last = Some(object.0.0);
            rising.push(object.clone());
        } else {
            any_late = true;
            let value = objects::encode(std::slice::from_ref(object));
            batch.put_cf(late, object.0.0.to_be_bytes(), value);
        }
    }
    // The unit of reading.
    for run in rising.chunks(512) {
        let key = run[0].0.0.to_be_bytes();
        batch.put_cf(db.family(families::OBJECTS)?, key, objects::encode(run));
    }
    Ok((last, any_late))
}

impl Persisted {
    /// Takes note of a full block that is in the database.
    pub(crate) fn add_block(&mut self, block: &Block) {
        let first = block.first().0;
        self.add_rare(Rare::of(block));
        self.firsts.push(first);
        self.end = block.end().0;
        for thread in block.threads() {
            let total = self
                .threads
                .entry(thread.id)
                .or_insert_with(|| ThreadTotal {
                    calls: 0,
                    first_event: first + u64::from(thread.first_event),
                    last_event: 0,
                });
            total.calls = thread.next_call() - 1;
            total.last_event = first + u64::from(thread.last_event);
        }
    }
}

/// A builder for a new recording.
pub(crate) fn builder(block_events: u32) -> BlockBuilder {
    BlockBuilder::new(block_events.clamp(64, 65_535) as usize)
}
