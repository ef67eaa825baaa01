//! Opening one recording: what is kept in memory of it is read from the database's small tables.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jhyde_trace::{Block, ClassInfo, Level, ThreadInfo, Timestamp};
use serde::de::DeserializeOwned;

use crate::database::{Database, KeyValue, Log, Memory, Mode, open_value};
use crate::described::Described;
use crate::error::{Error, Result};
use crate::families::{self, Family};
use crate::flusher;
use crate::folder::{self, Files, FolderMeta};
use crate::index::{collect, merge};
use crate::list::{self, List};
use crate::lock::UseLock;
use crate::log;
use crate::state::{
    BlockEntry, Group, Inner, Live, Persisted, Sealed, Tables, ThreadEntry, ThreadTotal,
};
use crate::view::View;

/// Numbers the recordings opened by this process.
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// Opens a recording's database, or makes it.
pub(crate) fn open(
    folder: &Path,
    meta: Arc<Mutex<FolderMeta>>,
    writable: bool,
    memory: &Arc<Memory>,
    mode: Mode,
) -> Result<Arc<Inner>> {
    let (id, level, has_levels, index, files, known_list, over) = {
        let meta = meta.lock().unwrap_or_else(PoisonError::into_inner);
        let over = !meta.meta.state.is_live();
        let (id, level) = (meta.meta.id.clone(), meta.meta.options.level);
        let files = meta.files.clone();
        (id, level, meta.levels, meta.index, files, meta.list, over)
    };
    let found = known_list.and_then(|_| list::checksum(folder));
    let mode = match mode {
        Mode::Read if found.is_some() && found == known_list => Mode::ReadDamaged,
        Mode::Read if found.is_some() => {
            return Err(damaged_list(id));
        }
        // Where the list cannot be read, RocksDB says why.
        mode => mode,
    };
    mend_log(folder, &id, mode)?;
    let (db, log_lost) = match over && files.is_none() {
        true => open_with_log(folder, &id, memory, mode)?,
        // The log's end is just being written, or nothing in it counts any more.
        false => {
            let path = folder::database(folder);
            let db = Database::open(&path, &id, memory, mode, Log::UpToDamage)?;
            (db, None)
        }
    };
    if let Some(files) = files.filter(|_| mode.only_reads()) {
        check_files(&db, &files)?;
    }
    let mut persisted = Persisted::default();
    let mut tables = Tables::new(level);
    let mut live = Live::default();
    if mode != Mode::Create {
        persisted = read_persisted(&db)?;
        persisted.set_cut(meta.lock().unwrap_or_else(PoisonError::into_inner).cut_off);
        tables = read_tables(&db, level)?;
        if has_levels && db.lacks(families::LEVELS) {
            tables.lost_levels = Some(db.damaged("table levels", "it is not there"));
        }
    }
    let beginning = match mode {
        Mode::Create => Ok(None),
        _ => read_beginning(&db, persisted.end),
    };
    let block_lost = beginning.as_ref().err().map(|error| match error {
        Error::Damaged { what, reason, .. } => format!("{what} is damaged: {reason}"),
        other => other.to_string(),
    });
    live.tail.extend(beginning.ok().flatten());
    let end = live.tail.back().map(|sealed| sealed.block.end().0);
    let lost_end = note_lost_end(&meta, log_lost.or(block_lost), end.unwrap_or(persisted.end));
    let indexed = persisted.indexed();
    memory.blocks.charge(tables.bytes);
    let inner = Arc::new(Inner {
        id,
        folder: folder.to_owned(),
        number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
        db,
        memory: memory.clone(),
        meta,
        index,
        writable,
        _in_use: UseLock::take(&folder::database(folder)),
        live: Mutex::new(live),
        work: Default::default(),
        done: Default::default(),
        persisted: RwLock::new(persisted),
        tables: RwLock::new(tables),
        described: Described::default(),
        index_use: RwLock::new(()),
        watch: Default::default(),
        lost_end,
        gaps: Default::default(),
    });
    index_rest(&inner, indexed);
    if mode == Mode::Write
        && let Err(error) = flusher::finish_last_block(&inner)
    {
        // It goes on being read from memory.
        tracing::warn!(recording = %inner.id, %error, "the last block stays unfinished");
    }
    Ok(inner)
}

/// Keeps RocksDB from reading its log for ever. A reader who may not write must not open such a log.
fn mend_log(folder: &Path, id: &str, mode: Mode) -> Result<()> {
    // Each that is mended is one no more, so that this ends.
    while let Some(endless) = log::endless(&folder::database(folder)) {
        let failed = match mode.only_reads() {
            true => Some("a daemon that may write to the folder can open it".to_owned()),
            false => endless.mend().err().map(|error| error.to_string()),
        };
        if let Some(reason) = failed {
            return Err(Error::Damaged {
                recording: id.to_owned(),
                what: format!(
                    "RocksDB's log, at byte {} of {}",
                    endless.at,
                    endless.log.display()
                ),
                from: Timestamp(0),
                to: Timestamp(u64::MAX),
                reason,
                cut_off: false,
            });
        }
    }
    Ok(())
}

/// Opens the database of a recording that was not closed: what its log has counts. Says what is wrong with the
/// log, if something is; what lies behind the damage is lost then.
fn open_with_log(
    folder: &Path,
    id: &str,
    memory: &Arc<Memory>,
    mode: Mode,
) -> Result<(Database, Option<String>)> {
    let path = folder::database(folder);
    let lost = match list::inspect(folder) {
        List::Damaged => return Err(damaged_list(id.to_owned())),
        List::Cut => Some("RocksDB's list of the database's files is cut".to_owned()),
        // RocksDB always has one.
        List::Whole if !folder::has_log(folder) => Some("RocksDB's log is gone".to_owned()),
        List::Whole => None,
    };
    match Database::open(&path, id, memory, mode, Log::Whole) {
        Ok(db) => Ok((db, lost)),
        Err(whole) => {
            let db = Database::open(&path, id, memory, mode, Log::UpToDamage)?;
            let reason = match whole {
                Error::Database { reason, .. } => reason,
                other => other.to_string(),
            };
            Ok((
                db,
                Some(format!("RocksDB's log is damaged or cut: {reason}")),
            ))
        }
    }
}

fn damaged_list(recording: String) -> Error {
    Error::Damaged {
        recording,
        what: "RocksDB's list of the database's files".to_owned(),
        from: Timestamp(0),
        to: Timestamp(u64::MAX),
        reason: "its checksum does not fit".to_owned(),
        cut_off: false,
    }
}

/// What was recorded behind `end` is lost, if there is a reason now or was one when the recording was closed.
/// The recording says so of itself from now on.
fn note_lost_end(meta: &Mutex<FolderMeta>, reason: Option<String>, end: u64) -> Option<Error> {
    let mut meta = meta.lock().unwrap_or_else(PoisonError::into_inner);
    if meta.cut_short.is_none()
        && let Some(reason) = reason
    {
        let note = format!("what was recorded from event {end} on is lost: {reason}");
        meta.meta.notes.push(note);
        meta.cut_short = Some(reason);
    }
    Some(Error::Damaged {
        recording: meta.meta.id.clone(),
        what: "what was recorded last".to_owned(),
        from: Timestamp(end),
        to: Timestamp(u64::MAX),
        reason: meta.cut_short.clone()?,
        cut_off: false,
    })
}

/// A finished recording's database has the files that it had when it was finished. RocksDB takes the end of
/// its own list to be cut rather than damaged in some cases, and would then know of fewer.
fn check_files(db: &Database, expected: &Files) -> Result<()> {
    let found = db.files()?;
    if found == *expected {
        return Ok(());
    }
    let differs = expected
        .iter()
        .find(|(name, bytes)| found.get(*name) != Some(bytes));
    let differs = differs.or_else(|| found.iter().find(|(name, _)| !expected.contains_key(*name)));
    let name = differs.map_or("?", |(name, _)| name.as_str());
    Err(db.damaged(
        "the database's list of files",
        format!("{name} is not as recording.json says"),
    ))
}

fn read_persisted(db: &Database) -> Result<Persisted> {
    let on_disk = db.all(families::DIRECTORY)?;
    let mut persisted = match read_directory(db, on_disk) {
        Ok(persisted) => persisted,
        Err(error) => match db.derive(families::DIRECTORY) {
            Some(table) => read_directory(db, table.all().map(Ok))?,
            None => return Err(error),
        },
    };
    read_threads(db, &mut persisted)?;
    read_groups(db, &mut persisted);
    let last = db.nearest(families::OBJECTS, &[0xFF; 8], rocksdb::Direction::Reverse);
    // Where that cannot be read, nobody adds objects: the recording is over.
    persisted.last_object = last
        .unwrap_or_default()
        .and_then(|(key, _)| families::u64_at(&key, 0));
    let late = db.nearest(families::LATE_OBJECTS, &[], rocksdb::Direction::Forward);
    persisted.late_objects = !matches!(late, Ok(None));
    Ok(persisted)
}

fn read_directory(
    db: &Database,
    rows: impl Iterator<Item = Result<KeyValue>>,
) -> Result<Persisted> {
    let mut persisted = Persisted::default();
    for row in rows {
        let (key, value) = row?;
        let entry: BlockEntry = postcard::from_bytes(&value)
            .map_err(|error| db.damaged("directory of blocks", error.to_string()))?;
        let first = families::u64_at(&key, 0)
            .ok_or_else(|| db.damaged("directory of blocks", "a key is cut"))?;
        if first != persisted.end {
            return Err(db.damaged(
                "directory of blocks",
                format!("block {} is followed by block {first}", persisted.end),
            ));
        }
        persisted.add_rare(entry.rare);
        persisted.firsts.push(first);
        persisted.end = first + u64::from(entry.events);
    }
    Ok(persisted)
}

/// The first and the last entry of every thread, by seeking from thread to thread.
fn read_threads(db: &Database, persisted: &mut Persisted) -> Result<()> {
    use rocksdb::Direction::{Forward, Reverse};
    let bad = |error: postcard::Error| db.damaged("table thread_blocks", error.to_string());
    let mut next = Some(0u32);
    while let Some(from) = next.take() {
        let key = families::key_12(from, 0);
        let Some((key, value)) = db.nearest(families::THREAD_BLOCKS, &key, Forward)? else {
            break;
        };
        let Some(thread) = families::u32_at(&key, 0) else {
            break;
        };
        let first: ThreadEntry = postcard::from_bytes(&value).map_err(bad)?;
        let first_block = families::u64_at(&key, 4).unwrap_or(0);
        let key = families::key_12(thread, u64::MAX);
        if let Some((key, value)) = db.nearest(families::THREAD_BLOCKS, &key, Reverse)? {
            let last: ThreadEntry = postcard::from_bytes(&value).map_err(bad)?;
            let last_block = families::u64_at(&key, 4).unwrap_or(0);
            let total = ThreadTotal {
                calls: (last.first_call + u64::from(last.calls)).saturating_sub(1),
                first_event: first_block + u64::from(first.first_event),
                last_event: last_block + u64::from(last.last_event),
            };
            persisted
                .threads
                .insert(jhyde_trace::ThreadId(thread), total);
        }
        next = thread.checked_add(1);
    }
    Ok(())
}

/// The groups of postings, by seeking from group to group. A group counts if it has its end mark;
/// where a crash left merged groups beside their merger, the larger counts. Where the index is damaged, the
/// blocks of the groups that are not found are read instead: see [`index_rest`].
fn read_groups(db: &Database, persisted: &mut Persisted) {
    let blocks = persisted.firsts.len() as u32;
    let (mut first, mut limit) = (0, u32::MAX);
    while first < blocks {
        // The largest group that begins here comes last.
        let key = families::index_run(first, limit, u128::MAX);
        let found = db.nearest(families::INDEX, &key, rocksdb::Direction::Reverse);
        let Ok(Some((key, _))) = found else {
            break;
        };
        let group = families::u32_at(&key, 0).zip(families::u32_at(&key, 4));
        let Some((_, end)) = group.filter(|(f, end)| *f == first && *end > first) else {
            break;
        };
        let group = Group { first, end };
        if key[..] == merge::end_mark(group) && end <= blocks {
            persisted.groups.push(group);
            (first, limit) = (end, u32::MAX);
        } else {
            limit = end - 1;
        }
    }
}

fn read_tables(db: &Database, level: Level) -> Result<Tables> {
    let mut tables = Tables::new(level);
    let classes = read_values::<ClassInfo>(db, families::CLASSES, &mut tables.lost_classes)?;
    for class in classes {
        tables.put_class(Arc::new(class));
    }
    let threads = read_values::<ThreadInfo>(db, families::THREADS, &mut tables.lost_threads)?;
    tables
        .threads
        .extend(threads.into_iter().map(|thread| (thread.id, thread)));
    if !db.lacks(families::LEVELS) {
        let levels = read_values(db, families::LEVELS, &mut tables.lost_levels)?;
        levels.into_iter().for_each(|fact| tables.put_level(fact));
    }
    Ok(tables)
}

/// All values of a table that can be read, and in `lost` why others cannot.
fn read_values<T: DeserializeOwned>(
    db: &Database,
    family: Family,
    lost: &mut Option<Error>,
) -> Result<Vec<T>> {
    let table = || format!("table {}", family.name);
    let mut values = Vec::new();
    for row in db.all(family)? {
        let value = row.and_then(|(_, value)| {
            open_value(&value).map_err(|reason| db.damaged(table(), reason))
        });
        match value {
            Ok(value) => values.push(value),
            Err(error) => *lost = Some(error),
        }
    }
    if lost.is_some() {
        values = read_one_by_one(db, family);
    }
    Ok(values)
}

/// As many rows as never lie in one block of RocksDB, whose unit of damage that is.
const MOST_IN_A_BLOCK: u32 = 1000;

/// What lies behind a damaged part of a table is found by asking for one row after another: the keys, of four bytes,
/// are dense.
fn read_one_by_one<T: DeserializeOwned>(db: &Database, family: Family) -> Vec<T> {
    let mut values = Vec::new();
    let (mut key, mut missing) = (0_u32, 0);
    while missing < MOST_IN_A_BLOCK {
        let value = db.get(family, &key.to_be_bytes()).ok().flatten();
        match value.and_then(|value| open_value(&value).ok()) {
            Some(value) => {
                missing = 0;
                values.push(value);
            }
            None => missing += 1,
        }
        key += 1;
    }
    values
}

/// The beginning of a block that a crash left unfinished: kept in memory, like the block being
/// built was.
fn read_beginning(db: &Database, end: u64) -> Result<Option<Arc<Sealed>>> {
    let Some(bytes) = db.get(families::BLOCKS, &end.to_be_bytes())? else {
        return Ok(None);
    };
    match Block::decode(&bytes) {
        Ok(block) if block.first().0 == end => Ok(Some(Arc::new(Sealed {
            block: Arc::new(block),
            objects: Vec::new(),
        }))),
        Ok(block) => {
            let reason = format!("it begins at event {}", block.first());
            Err(db.damaged(format!("event block {end}"), reason))
        }
        Err(error) => Err(db.damaged(format!("event block {end}"), error.to_string())),
    }
}

/// So many blocks' keys are kept in memory at most, about 25 KB each. A crash leaves less than a group of blocks
/// without an index ([`crate::StoreOptions::group_blocks`]), a damaged index any number: the others are candidates
/// for everything.
const MOST_PENDING: usize = 4096;

/// Works out the postings of the blocks behind the last written group: after a crash at most a
/// group's worth of blocks. A block that cannot be read stays a candidate for everything.
fn index_rest(inner: &Arc<Inner>, indexed: u32) {
    let view = View::new(inner);
    let mut pending = Vec::new();
    for ordinal in indexed..view.persisted {
        if pending.len() >= MOST_PENDING {
            // The index is damaged: what is known of so many blocks would not fit the memory.
            pending.push(None);
            continue;
        }
        if ordinal < view.cut() {
            // Nobody looks for anything there.
            pending.push(Some([].into()));
            continue;
        }
        let keys = view.block(ordinal).ok().map(|block| {
            let outer = |call| {
                let long = inner.long_call(call).ok().flatten()?;
                Some(jhyde_trace::MethodId(long.method))
            };
            collect::keys(&block, outer).into()
        });
        pending.push(keys);
    }
    let mut persisted = inner
        .persisted
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    persisted.pending = pending;
}
