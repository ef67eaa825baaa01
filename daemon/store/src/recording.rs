//! The way out: questions to one recording, finished or still being written.
//!
//! Here: the recording as a whole, its static tables and objects. The other questions are in `queries`, and
//! what is kept beside the database in `sessions`, on the same type.

use std::path::Path;
use std::sync::Arc;

use jhyde_trace::{
    ClassId, ClassInfo, FieldId, Levels, MethodId, ObjectId, ObjectInfo, RecordingMeta, Stretch,
    Subject, ThreadId, ThreadInfo, Timestamp,
};
use rocksdb::Direction as Seek;

use crate::error::{Error, Result};
use crate::families;
use crate::folder;
use crate::index::Key;
use crate::objects;
use crate::reads::BlockReads;
use crate::records::{Creation, Direction, FieldRef, Lowered, MethodRef, Stats};
use crate::state::Inner;
use crate::view::View;
use crate::watch::Watch;

/// An iterator of this module: it owns what it needs, so it may outlive the borrow of the recording.
pub type Rows<T> = Box<dyn Iterator<Item = Result<T>> + Send>;

/// One recording, for reading. Cheap to clone; safe to use from many threads.
///
/// Every query sees the recording as it was when the query began: an iterator that was made before
/// an event was appended does not return it. Two queries after one another may see different ends.
/// Ranges of timestamps are half-open.
///
/// A damaged block makes those queries fail with [`crate::Error::Damaged`] that need it; iterators yield
/// the error once, in its place, and go on behind the damage.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) inner: Arc<Inner>,
    /// Who wants to know which blocks are looked into.
    reads: Option<Arc<BlockReads>>,
}

impl Recording {
    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        Self { inner, reads: None }
    }

    /// The same recording; of questions to it the blocks that they look into are counted.
    #[must_use]
    pub fn counting(&self, reads: Arc<BlockReads>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            reads: Some(reads),
        }
    }

    /// What was looked into so far, where it is counted.
    pub fn reads(&self) -> Option<&BlockReads> {
        self.reads.as_deref()
    }

    pub(crate) fn view(&self) -> View {
        let mut view = View::new(&self.inner);
        view.reads.clone_from(&self.reads);
        view
    }

    /// The recording's id.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// What the recording says of itself now.
    pub fn meta(&self) -> RecordingMeta {
        self.inner.meta().meta.clone()
    }

    /// The folder that holds all of the recording.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// How much there is.
    pub fn stats(&self) -> Result<Stats> {
        let view = self.view();
        let levels = self.levels_or_lowest();
        let mut calls = std::collections::BTreeMap::new();
        let blocks = {
            let persisted = self.inner.persisted();
            calls.extend(
                persisted
                    .threads
                    .iter()
                    .map(|(id, total)| (*id, total.calls)),
            );
            persisted.firsts.len() as u64
        };
        let tail = view.tail.iter().flat_map(|block| block.threads());
        calls.extend(tail.map(|thread| (thread.id, thread.next_call() - 1)));
        // By itself: inside of the literal the lock would be held to its end, and what reads the tables again there would
        // wait for a writer that waits for this.
        let classes = self.inner.tables().classes.len() as u32;
        Ok(Stats {
            events: view.end,
            calls: calls.values().sum(),
            threads: calls.len() as u32,
            classes,
            blocks,
            bytes_on_disk: self.bytes_on_disk(),
            unflushed_events: view.tail.iter().map(|block| block.len() as u64).sum(),
            gaps: self.gap_counts(),
            kept_from: self.kept_from(),
            lowered: levels
                .lowered()
                .take(Stats::MOST_LOWERED)
                .map(|stretch| self.lowered(stretch))
                .collect(),
            more_lowered: levels.lowered().skip(Stats::MOST_LOWERED).count() as u64,
        })
    }

    fn lowered(&self, Stretch { fact, until }: Stretch<'_>) -> Lowered {
        let subject = match fact.of {
            Subject::Everything => String::new(),
            Subject::Class(id) => match self.class(id) {
                Ok(Some(class)) => class.name.clone(),
                _ => format!("class#{id}"),
            },
            Subject::Method(id) => match self.method(id) {
                Ok(Some(method)) => format!("{}.{}", method.class.name, method.method().name),
                _ => format!("method#{id}"),
            },
        };
        Lowered {
            since: fact.since,
            until,
            subject,
            level: fact.level,
            reason: fact.reason.clone(),
            doubted: fact.doubted,
        }
    }

    /// Bytes of the recording's folder on disk, logs included.
    pub fn bytes_on_disk(&self) -> u64 {
        folder::size(&self.inner.folder)
    }

    /// The timestamp that the next event would get: all events are below.
    pub fn end(&self) -> Timestamp {
        let live = self.inner.live();
        if let Some(builder) = &live.builder {
            return builder.next_timestamp();
        }
        let tail = live.tail.back().map(|sealed| sealed.block.end());
        tail.unwrap_or_else(|| Timestamp(self.inner.persisted().end))
    }

    /// The first event that is kept: 0 where nothing was cut off ([`jhyde_trace::CostLimits::ring`]).
    pub fn kept_from(&self) -> Timestamp {
        Timestamp(self.inner.meta().cut_off.map_or(0, |cut| cut.before))
    }

    /// Notification of changes: new events (within 50 ms, many at once), meta, state.
    pub fn watch(&self) -> Watch {
        Watch {
            state: self.inner.watch.clone(),
        }
    }

    /// Milliseconds since 1970-01-01 UTC at which about this event happened: exact at a block's
    /// ends, in between interpolated.
    pub fn wall_time_ms(&self, at: Timestamp) -> Result<u64> {
        let (block, position) = self.view().event(at.0)?;
        let (first, last) = block.wall_ms();
        let steps = (block.len() as u64 - 1).max(1);
        let offset = u128::from(last - first) * position as u128 / u128::from(steps);
        Ok(first + offset as u64)
    }

    /// The ids of all threads that have events or were described.
    pub fn thread_ids(&self) -> Vec<ThreadId> {
        let view = self.view();
        let in_tail = view.tail.iter().flat_map(|block| block.threads());
        let mut ids: Vec<_> = in_tail.map(|thread| thread.id).collect();
        ids.extend(self.inner.persisted().threads.keys());
        ids.extend(self.inner.tables().threads.keys());
        ids.sort();
        ids.dedup();
        ids
    }

    /// All threads, by id.
    pub fn threads(&self) -> Result<Vec<ThreadInfo>> {
        let tables = self.inner.tables();
        match &tables.lost_threads {
            Some(lost) => Err(lost.clone()),
            None => Ok(tables.threads.values().cloned().collect()),
        }
    }

    /// A thread.
    pub fn thread(&self, id: ThreadId) -> Result<Option<ThreadInfo>> {
        let tables = self.inner.tables();
        found(tables.threads.get(&id).cloned(), &tables.lost_threads)
    }

    /// The levels in force, by time and by method, as far as it is recorded; in recordings from before that was kept the
    /// level that was asked for throughout.
    pub fn levels(&self) -> Result<Arc<Levels>> {
        let tables = self.inner.tables();
        match &tables.lost_levels {
            Some(lost) => Err(lost.clone()),
            None => Ok(tables.levels.clone()),
        }
    }

    /// The same for who must not take for seen what may have gone unseen: where damage hides which level was in force,
    /// it is the lowest.
    pub fn levels_or_lowest(&self) -> Arc<Levels> {
        self.inner.levels_or_lowest()
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> Result<Option<Arc<ClassInfo>>> {
        let tables = self.inner.tables();
        found(tables.classes.get(&id).cloned(), &tables.lost_classes)
    }

    /// A method and its class.
    pub fn method(&self, id: MethodId) -> Result<Option<MethodRef>> {
        let tables = self.inner.tables();
        let method = tables.methods.get(&id).and_then(|&(class, position)| {
            let class = tables.classes.get(&class)?.clone();
            // A class that was replaced may have fewer methods, in another order.
            let is_it = class
                .methods
                .get(position)
                .is_some_and(|method| method.id == id);
            is_it.then_some(MethodRef { class, position })
        });
        found(method, &tables.lost_classes)
    }

    /// A field and its class.
    pub fn field(&self, id: FieldId) -> Result<Option<FieldRef>> {
        let tables = self.inner.tables();
        let field = tables.fields.get(&id).and_then(|&(class, position)| {
            let class = tables.classes.get(&class)?.clone();
            let is_it = class
                .fields
                .get(position)
                .is_some_and(|field| field.id == id);
            is_it.then_some(FieldRef { class, position })
        });
        found(field, &tables.lost_classes)
    }

    /// The ids of all classes, by id; of those that damage left, see [`Recording::lost_classes`].
    pub fn classes(&self) -> Vec<ClassId> {
        self.inner.tables().classes.keys().copied().collect()
    }

    /// The classes with exactly this dotted binary name: several when loaders define it several times.
    pub fn classes_named(&self, name: &str) -> Vec<ClassId> {
        let tables = self.inner.tables();
        tables.by_name.get(name).cloned().unwrap_or_default()
    }

    /// Why some classes are not there although they were recorded, if so. A name that is not found may be
    /// one of theirs.
    pub fn lost_classes(&self) -> Option<Error> {
        self.inner.tables().lost_classes.clone()
    }

    /// Why the history ends before its time, if damage has cost what came behind its last event.
    pub fn lost_end(&self) -> Option<Error> {
        self.inner.lost_end.clone()
    }

    /// What is known of an object; `None` when it was never described.
    pub fn object(&self, id: ObjectId) -> Result<Option<ObjectInfo>> {
        // In memory the latest description counts; so it does in the table of late ones.
        {
            let live = self.inner.live();
            let of = |objects: &[(ObjectId, ObjectInfo)]| {
                objects
                    .iter()
                    .rev()
                    .find(|object| object.0 == id)
                    .map(|object| object.1.clone())
            };
            let queued = || {
                live.tail
                    .iter()
                    .rev()
                    .find_map(|sealed| of(&sealed.objects))
            };
            if let Some(found) = of(&live.objects).or_else(queued) {
                return Ok(Some(found));
            }
        }
        let db = &self.inner.db;
        let key = id.0.to_be_bytes();
        let decode = |bytes: &[u8]| {
            objects::decode(bytes).map_err(|error| {
                db.damaged(format!("description of object#{id}"), error.to_string())
            })
        };
        if self.inner.persisted().late_objects
            && let Some(bytes) = db.get(families::LATE_OBJECTS, &key)?
        {
            return Ok(decode(&bytes)?.pop().map(|object| object.1));
        }
        if let Some(found) = self.inner.described.find(id) {
            return Ok(found);
        }
        let Some((_, bytes)) = db.nearest(families::OBJECTS, &key, Seek::Reverse)? else {
            return Ok(None);
        };
        let run = decode(&bytes)?;
        let blocks = &self.inner.memory.blocks;
        Ok(self.inner.described.keep(run, id, blocks))
    }

    /// Where an object was created, if that was recorded.
    pub fn creation(&self, id: ObjectId) -> Result<Option<Creation>> {
        let view = self.view();
        let cut = view.cut();
        let mut from = cut;
        while let Some(ordinal) = view.candidate(Key::of_creation(id), from, Direction::Forward)? {
            let block = view.block(ordinal)?;
            let at = (0..block.len())
                .find(|&at| block.created(at).is_some_and(|created| created.0 == id));
            if let Some(at) = at {
                return Ok(Some(Creation {
                    timestamp: block.timestamp(at),
                    object: id,
                    call: block.call(at),
                    index: block.index(at),
                }));
            }
            from = ordinal + 1;
        }
        match cut > 0 && self.may_be_cut_off(id) {
            true => Err(view.cut_off()),
            false => Ok(None),
        }
    }
}

/// What was looked up; what is not there may have been lost.
fn found<T>(found: Option<T>, lost: &Option<Error>) -> Result<Option<T>> {
    match (found, lost) {
        (None, Some(lost)) => Err(lost.clone()),
        (found, _) => Ok(found),
    }
}
