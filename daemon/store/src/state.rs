//! What the writer, the flusher and the readers of one recording share.
//!
//! An event is in one of three places: the block being built ([`Live::builder`]), a full block on its
//! way to the disk ([`Live::tail`]), or the database ([`Persisted`]). Lock order: `live` before
//! `persisted`; nothing is locked while the disk is read or written, except by the flusher, which
//! holds no lock then either.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use jhyde_trace::{
    Block, BlockBuilder, CallId, ClassId, ClassInfo, EngineKind, FieldId, Level, LevelFact, Levels,
    MethodId, ObjectId, ObjectInfo, RecordingMeta, Subject, ThreadId, ThreadInfo, Timestamp,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::database::{Database, Memory};
use crate::described::Described;
use crate::error::{Error, Result};
use crate::folder::{CutOff, FolderMeta};
use crate::index::Key;
use crate::lock::UseLock;
use crate::queries::gaps::Counted;
use crate::rows::Rare;
use crate::watch::WatchState;

/// One open recording.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) id: String,
    /// The recording's own folder.
    pub(crate) folder: PathBuf,
    /// Its number in this process, for the cache.
    pub(crate) number: u32,
    pub(crate) db: Database,
    pub(crate) memory: Arc<Memory>,
    /// Shared with the catalogue, which goes on saying it when the recording is closed.
    pub(crate) meta: Arc<Mutex<FolderMeta>>,
    /// What its index has: see [`crate::index::VERSION`].
    pub(crate) index: u8,
    /// Whether its description and sessions can be changed, finished or not.
    pub(crate) writable: bool,
    /// Tells other processes that the recording is open.
    pub(crate) _in_use: Option<UseLock>,
    pub(crate) live: Mutex<Live>,
    /// Wakes the flusher.
    pub(crate) work: Condvar,
    /// Wakes the writer, when there is room again, a flush is done or writing failed.
    pub(crate) done: Condvar,
    pub(crate) persisted: RwLock<Persisted>,
    pub(crate) tables: RwLock<Tables>,
    pub(crate) described: Described,
    /// Read by queries from the moment that they know of groups of postings until they have read them;
    /// written to delete merged groups.
    pub(crate) index_use: RwLock<()>,
    pub(crate) watch: Arc<WatchState>,
    /// What was recorded behind the last event is lost, and why.
    pub(crate) lost_end: Option<Error>,
    /// Gaps, as far as they were counted.
    pub(crate) gaps: Counted,
}

/// What is not yet in the database.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// The block being built; `None` when nobody writes (any more).
    pub(crate) builder: Option<BlockBuilder>,
    /// Objects described since the last block was taken.
    pub(crate) objects: Vec<(ObjectId, ObjectInfo)>,
    /// Blocks on their way to the disk, the oldest first.
    pub(crate) tail: VecDeque<Arc<Sealed>>,
    /// The last copy of the block being built, made for readers.
    pub(crate) copy: Option<Arc<Block>>,
    /// Flushes that were asked for, and that are done.
    pub(crate) flush_wanted: u64,
    pub(crate) flush_done: u64,
    /// The writer has ended: the flusher writes what is left and ends too.
    pub(crate) closing: bool,
    /// Writing failed for good, and why.
    pub(crate) failed: Option<Error>,
}

/// A block that gets no more events, and the objects described while it was built.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) block: Arc<Block>,
    pub(crate) objects: Vec<(ObjectId, ObjectInfo)>,
}

/// What is in the database, as far as it is kept in memory: some bytes per block.
#[derive(Debug, Default)]
pub(crate) struct Persisted {
    /// First timestamp of every full block, those that were cut off among them. A block's *ordinal* is its position here.
    pub(crate) firsts: Vec<u64>,
    /// Blocks that were cut off: the first ones.
    pub(crate) cut: u32,
    /// The highest number of an object in their postings; 0 where there are none.
    pub(crate) cut_objects: u64,
    /// Timestamp behind the last full block.
    pub(crate) end: u64,
    /// Ordinals of the blocks with exception events.
    pub(crate) exceptions: Vec<u32>,
    /// Those with gaps.
    pub(crate) gaps: Vec<u32>,
    /// Groups of blocks whose postings are written, by first block; without gaps from block 0.
    pub(crate) groups: Vec<Group>,
    /// Keys of the blocks behind the last group; `None` where the block could not be read.
    pub(crate) pending: Vec<Option<Arc<[Key]>>>,
    pub(crate) threads: FxHashMap<ThreadId, ThreadTotal>,
    /// The highest object id in the runs of objects.
    pub(crate) last_object: Option<u64>,
    /// Are there objects that were described late?
    pub(crate) late_objects: bool,
}

impl Persisted {
    /// Takes note of what the next block has that is rare.
    pub(crate) fn add_rare(&mut self, rare: Rare) {
        let ordinal = self.firsts.len() as u32;
        if rare.may_have_exceptions() {
            self.exceptions.push(ordinal);
        }
        if rare.may_have_gaps() {
            self.gaps.push(ordinal);
        }
    }

    /// Takes note of what was cut off.
    pub(crate) fn set_cut(&mut self, cut: Option<CutOff>) {
        if let Some(cut) = cut {
            let before = self.firsts.partition_point(|&first| first < cut.before);
            (self.cut, self.cut_objects) = (before as u32, cut.objects);
        }
    }

    /// The first block whose postings are not in a written group.
    pub(crate) fn indexed(&self) -> u32 {
        self.groups.last().map_or(0, |group| group.end)
    }
}

/// Blocks `first .. end` by ordinal, whose postings were written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

/// What is known of a thread's events in the database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadTotal {
    pub(crate) calls: u64,
    pub(crate) first_event: u64,
    pub(crate) last_event: u64,
}

/// Value of the directory of blocks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct BlockEntry {
    pub(crate) events: u32,
    pub(crate) rare: Rare,
    /// Length and checksum of the block's bytes: a block that is replaced by another is told.
    pub(crate) bytes: u32,
    /// Milliseconds since 1970-01-01 UTC at the first event.
    pub(crate) wall_ms: u64,
}

/// Value of the blocks of a thread.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ThreadEntry {
    pub(crate) first_call: u64,
    pub(crate) calls: u32,
    pub(crate) innermost_at_end: u64,
    pub(crate) first_event: u32,
    pub(crate) last_event: u32,
}

/// A call that does not begin and end in one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LongCall {
    pub(crate) enter: u64,
    /// Exit and size, once it has ended.
    pub(crate) ended: Option<(u64, u64)>,
    pub(crate) parent: u64,
    pub(crate) depth: u32,
    pub(crate) method: u32,
    pub(crate) call_site: u32,
    pub(crate) boundary: bool,
    pub(crate) already_running: bool,
    pub(crate) invocation: u64,
}

/// Classes, threads and levels, which fit memory: they grow with the program, not with its run.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) classes: std::collections::BTreeMap<ClassId, Arc<ClassInfo>>,
    pub(crate) by_name: FxHashMap<String, Vec<ClassId>>,
    pub(crate) methods: FxHashMap<MethodId, (ClassId, usize)>,
    pub(crate) fields: FxHashMap<FieldId, (ClassId, usize)>,
    pub(crate) threads: std::collections::BTreeMap<ThreadId, ThreadInfo>,
    pub(crate) levels: Arc<Levels>,
    /// Facts about levels that were told.
    pub(crate) told_levels: u32,
    /// Why some classes, threads or levels are not here.
    pub(crate) lost_classes: Option<Error>,
    pub(crate) lost_threads: Option<Error>,
    pub(crate) lost_levels: Option<Error>,
    /// About how many bytes the classes take; taken from the cache of blocks.
    pub(crate) bytes: usize,
}

impl Tables {
    /// Empty ones of a recording that is asked for at a level.
    pub(crate) fn new(asked: Level) -> Self {
        Self {
            classes: Default::default(),
            by_name: Default::default(),
            methods: Default::default(),
            fields: Default::default(),
            threads: Default::default(),
            levels: Arc::new(Levels::new(asked, [])),
            told_levels: 0,
            lost_classes: None,
            lost_threads: None,
            lost_levels: None,
            bytes: 0,
        }
    }

    /// Adds what was told of a level.
    pub(crate) fn put_level(&mut self, fact: LevelFact) {
        self.told_levels += 1;
        Arc::make_mut(&mut self.levels).add(fact);
    }

    /// Adds or replaces a class. Returns the bytes that it takes more than before.
    pub(crate) fn put_class(&mut self, class: Arc<ClassInfo>) -> usize {
        for (at, method) in class.methods.iter().enumerate() {
            self.methods.insert(method.id, (class.id, at));
        }
        for (at, field) in class.fields.iter().enumerate() {
            self.fields.insert(field.id, (class.id, at));
        }
        let named = self.by_name.entry(class.name.clone()).or_default();
        if !named.contains(&class.id) {
            named.push(class.id);
        }
        let bytes = memory_of(&class);
        let before = self.classes.insert(class.id, class);
        let more = bytes.saturating_sub(before.map_or(0, |class| memory_of(&class)));
        self.bytes += more;
        more
    }
}

/// About how many bytes a class takes, with the entries that point to it.
fn memory_of(class: &ClassInfo) -> usize {
    let text = |text: &str| text.len() + 24;
    let fields = class.fields.iter();
    let fields = fields.map(|field| text(&field.name) + text(&field.descriptor) + 40);
    let methods = class.methods.iter().map(|method| {
        let variables = method.variables.iter();
        let variables = variables.map(|v| text(&v.name) + text(&v.descriptor) + 16);
        text(&method.name)
            + text(&method.descriptor)
            + method.lines.len() * 8
            + variables.sum::<usize>()
            + method.code.len()
            + 150
    });
    2 * text(&class.name) + fields.sum::<usize>() + methods.sum::<usize>() + 300
}

impl Drop for Inner {
    fn drop(&mut self) {
        let kept = self.tables().bytes + self.described.bytes();
        self.memory.blocks.discharge(kept);
        self.memory.blocks.forget(self.number);
    }
}

impl Inner {
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        // A panic while the lock was held has left whole blocks: the builder checks before it changes.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn persisted(&self) -> RwLockReadGuard<'_, Persisted> {
        self.persisted
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn using_index(&self) -> RwLockReadGuard<'_, ()> {
        self.index_use
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`crate::Recording::levels_or_lowest`].
    pub(crate) fn levels_or_lowest(&self) -> Arc<Levels> {
        let tables = self.tables();
        let Some(error) = &tables.lost_levels else {
            return tables.levels.clone();
        };
        let lowest = LevelFact {
            since: Timestamp(0),
            of: Subject::Everything,
            level: Level::Calls,
            reason: format!("which level was in force cannot be read: {error}"),
            // No other engine doubts what it has told.
            doubted: self.meta().meta.options.engine == EngineKind::Probe,
        };
        Arc::new(Levels::new(tables.levels.asked(), [lowest]))
    }

    pub(crate) fn tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn meta(&self) -> MutexGuard<'_, FolderMeta> {
        self.meta.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the meta and writes it to the recording's folder.
    pub(crate) fn change_meta(
        &self,
        change: impl FnOnce(&mut RecordingMeta),
    ) -> Result<RecordingMeta> {
        if !self.writable {
            return Err(Error::ReadOnly(self.id.clone()));
        }
        let changed = {
            let mut meta = self.meta();
            let (id, created_ms) = (meta.meta.id.clone(), meta.meta.created_ms);
            change(&mut meta.meta);
            (meta.meta.id, meta.meta.created_ms) = (id, created_ms);
            // Under the lock, so that two changes cannot overtake each other on the way to the disk.
            crate::folder::write_meta(&self.folder, &meta)?;
            meta.meta.clone()
        };
        self.watch.changed();
        Ok(changed)
    }

    /// Says that the database has all that it will ever have: brings everything to table files, stops the work on
    /// them, and notes which there are.
    pub(crate) fn freeze(&self) -> Result<()> {
        self.db.flush()?;
        let files = self.db.freeze()?;
        let mut meta = self.meta();
        meta.files = Some(files);
        meta.list = crate::list::checksum(&self.folder);
        crate::folder::write_meta(&self.folder, &meta)?;
        if !meta.meta.state.is_live() {
            // A crash left it. While a recording is made, its final state is still to be written.
            crate::folder::release(&self.folder);
        }
        Ok(())
    }

    /// The long call of this id, if the database has it.
    pub(crate) fn long_call(&self, id: CallId) -> Result<Option<LongCall>> {
        let key = crate::families::call(id);
        match self.db.get(crate::families::LONG_CALLS, &key)? {
            None => Ok(None),
            Some(bytes) => postcard::from_bytes(&bytes).map(Some).map_err(|error| {
                self.db
                    .damaged(format!("record of call {id}"), error.to_string())
            }),
        }
    }
}
