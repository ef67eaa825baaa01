//! A recording's RocksDB: opening it within the daemon's memory, and reading it so that an error
//! names the recording.

use std::path::Path;
use std::sync::Arc;

use jhyde_trace::Timestamp;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType,
    DBRecoveryMode, Direction, FlushOptions, InfoLogger, IteratorMode, LogLevel, Options,
    ReadOptions, WriteBatch, WriteBufferManager,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cache::BlockCache;
use crate::closing::Opened;
use crate::derived::{Derived, Table};
use crate::error::{Error, Result};
use crate::families::{self, Family};
use crate::folder::Files;

/// What all recordings of a daemon share: the memory that they may take, and the clock.
pub(crate) struct Memory {
    /// RocksDB's cache of data blocks, indexes and filters.
    cache: Cache,
    /// RocksDB's write buffers; writers stall when it is full.
    buffers: WriteBufferManager,
    /// Decoded event blocks.
    pub(crate) blocks: BlockCache,
    /// Bytes that a table may take that is worked out because it is damaged.
    derived: usize,
    /// See [`crate::StoreOptions::clock`].
    pub(crate) clock: fn() -> u64,
}

impl Memory {
    /// Divides what there is: a quarter for write buffers, and what caches need to be of use (measured in the
    /// crate's README: larger ones make no kind of question faster, since a block is decoded in a tenth of a
    /// millisecond and the system keeps the files in its own cache). The rest is for queues, postings not yet
    /// written, answers, and tables of the recorded programs; what it does not need is left to others.
    pub(crate) fn new(bytes: u64, clock: fn() -> u64) -> Self {
        let bytes = usize::try_from(bytes.max(64 << 20)).unwrap_or(usize::MAX);
        Self {
            cache: Cache::new_lru_cache((bytes / 256).max(2 << 20)),
            buffers: WriteBufferManager::new_write_buffer_manager(bytes / 4, true),
            blocks: BlockCache::new((bytes / 42).max(12 << 20)),
            derived: bytes / 8,
            clock,
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// A recording's database.
pub(crate) struct Database {
    db: DB,
    /// The tables that there are.
    families: Vec<Family>,
    recording: String,
    mode: Mode,
    memory: Arc<Memory>,
    pub(crate) derived: Derived,
    /// The last of the fields: it is dropped when RocksDB has closed the database.
    _open: Opened,
}

impl Drop for Database {
    fn drop(&mut self) {
        self.memory.blocks.discharge(self.derived.bytes());
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("recording", &self.recording)
            .finish_non_exhaustive()
    }
}

/// An entry of a table.
pub(crate) type KeyValue = (Box<[u8]>, Box<[u8]>);

/// How to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Create,
    Write,
    Read,
    /// What can be read: a table file that cannot be opened is damage of what it holds. The list of files must be
    /// known to be whole: RocksDB is less careful with that, too.
    ReadDamaged,
}

/// What to do about damage of RocksDB's log, which holds what is not in table files yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Log {
    /// Any damage, a last entry that is cut among it, is an error.
    Whole,
    /// Read up to the damage: all tables are as they were at one moment.
    UpToDamage,
}

impl Mode {
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadDamaged)
    }
}

impl Database {
    pub(crate) fn open(
        path: &Path,
        id: &str,
        memory: &Arc<Memory>,
        mode: Mode,
        log: Log,
    ) -> Result<Self> {
        // Room that is taken before it is needed would be most of what a recording takes while it is made. Where
        // this version of RocksDB did not know the word, it would go on taking it.
        let options = Options::default().get_options_from_string("allow_fallocate=false");
        let mut options = options.unwrap_or_default();
        options.create_if_missing(mode == Mode::Create);
        options.create_missing_column_families(mode == Mode::Create);
        options.set_paranoid_checks(mode != Mode::ReadDamaged);
        options.set_write_buffer_manager(&memory.buffers);
        // The log is what a crash leaves; it is cut off regularly so that opening stays quick.
        options.set_max_total_wal_size(64 << 20);
        options.set_max_background_jobs(2);
        options.set_info_logger(InfoLogger::new_callback_logger(LogLevel::Warn, tell));
        options.set_max_open_files(512);
        // Opening starts threads for both of these otherwise, which costs more than they save.
        options.set_max_file_opening_threads(1);
        options.set_stats_dump_period_sec(0);
        options.set_stats_persist_period_sec(0);
        options.set_wal_recovery_mode(match log {
            Log::Whole => DBRecoveryMode::AbsoluteConsistency,
            Log::UpToDamage => DBRecoveryMode::PointInTime,
        });
        // All tables reach the disk together, so that none is ahead of the others where the log is damaged.
        options.set_atomic_flush(true);
        options.set_recycle_log_file_num(0);
        let families = match mode {
            Mode::Create => families::ALL.to_vec(),
            _ => families_of(path),
        };
        let descriptors: Vec<_> = families
            .iter()
            .map(|family| ColumnFamilyDescriptor::new(family.name, family_options(family, memory)))
            .collect();
        let open = Opened::new();
        let opened = if mode.only_reads() {
            DB::open_cf_descriptors_read_only(&options, path, descriptors, false)
        } else {
            DB::open_cf_descriptors(&options, path, descriptors)
        };
        let recording = id.to_owned();
        match opened {
            Ok(db) => Ok(Self {
                db,
                families,
                recording,
                mode,
                memory: memory.clone(),
                derived: Derived::default(),
                _open: open,
            }),
            Err(error) => Err(Error::Database {
                action: "opening the database",
                recording,
                reason: error.to_string(),
            }),
        }
    }

    pub(crate) fn failed(&self, action: &'static str, error: &rocksdb::Error) -> Error {
        Error::Database {
            action,
            recording: self.recording.clone(),
            reason: error.to_string(),
        }
    }

    /// A part of the recording other than an event block is damaged.
    pub(crate) fn damaged(&self, what: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::Damaged {
            recording: self.recording.clone(),
            what: what.into(),
            from: Timestamp(0),
            to: Timestamp(u64::MAX),
            reason: reason.into(),
            cut_off: false,
        }
    }

    /// The tables that there are.
    pub(crate) fn families(&self) -> &[Family] {
        &self.families
    }

    pub(crate) fn family(&self, family: Family) -> Result<&ColumnFamily> {
        self.db
            .cf_handle(family.name)
            .ok_or_else(|| self.damaged(format!("table {}", family.name), "it is not there"))
    }

    pub(crate) fn recording(&self) -> &str {
        &self.recording
    }

    pub(crate) fn only_reads(&self) -> bool {
        self.mode.only_reads()
    }

    /// Bytes that a table worked out from the event blocks may take.
    pub(crate) fn most_derived(&self) -> usize {
        self.memory.derived
    }

    /// Takes room from the cache of blocks for a table in memory, until the database is closed.
    pub(crate) fn charge(&self, bytes: usize) {
        self.memory.blocks.charge(bytes);
    }

    /// Is it a recording without this table, from before there was one?
    pub(crate) fn lacks(&self, family: Family) -> bool {
        family.later && !self.families.contains(&family)
    }

    /// The value of a key.
    pub(crate) fn get(&self, family: Family, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let on_disk = || {
            let value = self.db.get_cf(self.family(family)?, key);
            value.map_err(|error| self.unreadable(family, &error))
        };
        self.or_derived(family, on_disk, |table| table.get(key))
    }

    /// The first entry from `key` on, in either direction, `key` itself counted.
    pub(crate) fn nearest(
        &self,
        family: Family,
        key: &[u8],
        direction: Direction,
    ) -> Result<Option<KeyValue>> {
        let on_disk = || self.nearest_with(family, key, direction, ReadOptions::default());
        self.or_derived(family, on_disk, |table| table.nearest(key, direction))
    }

    /// As [`Database::nearest`], for what is read once: the cache keeps what it has.
    pub(crate) fn nearest_once(
        &self,
        family: Family,
        key: &[u8],
        direction: Direction,
    ) -> Result<Option<KeyValue>> {
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        self.nearest_with(family, key, direction, options)
    }

    fn nearest_with(
        &self,
        family: Family,
        key: &[u8],
        direction: Direction,
        mut options: ReadOptions,
    ) -> Result<Option<KeyValue>> {
        options.set_total_order_seek(true);
        let mode = IteratorMode::From(key, direction);
        let mut rows = self.db.iterator_cf_opt(self.family(family)?, options, mode);
        let row = rows.next().transpose();
        row.map_err(|error| self.unreadable(family, &error))
    }

    /// What the disk says, or, where it is damaged, what the table says that is worked out from the event blocks.
    fn or_derived<T>(
        &self,
        family: Family,
        on_disk: impl FnOnce() -> Result<T>,
        in_table: impl FnOnce(&Table) -> T,
    ) -> Result<T> {
        if let Some(table) = self.derived.known(family) {
            return Ok(in_table(table));
        }
        on_disk().or_else(|error| match self.mode {
            // Rows are still being added.
            Mode::Create => Err(error),
            Mode::Read | Mode::ReadDamaged | Mode::Write => {
                self.derive(family).map(in_table).ok_or(error)
            }
        })
    }

    /// All entries of a table, from memory where it is known to be damaged.
    pub(crate) fn rows(
        &self,
        family: Family,
    ) -> Result<Box<dyn Iterator<Item = Result<KeyValue>> + '_>> {
        Ok(match self.derived.known(family) {
            Some(table) => Box::new(table.all().map(Ok)),
            None => Box::new(self.all(family)?),
        })
    }

    /// All entries of a table that are on the disk.
    pub(crate) fn all(&self, family: Family) -> Result<impl Iterator<Item = Result<KeyValue>>> {
        self.all_with(family, ReadOptions::default())
    }

    /// As [`Database::all`], for what is read once: the cache keeps what it has.
    pub(crate) fn all_once(
        &self,
        family: Family,
    ) -> Result<impl Iterator<Item = Result<KeyValue>>> {
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        self.all_with(family, options)
    }

    fn all_with(
        &self,
        family: Family,
        options: ReadOptions,
    ) -> Result<impl Iterator<Item = Result<KeyValue>>> {
        let rows = self
            .db
            .iterator_cf_opt(self.family(family)?, options, IteratorMode::Start);
        Ok(rows.map(move |row| row.map_err(|error| self.unreadable(family, &error))))
    }

    /// Is all of a table as RocksDB wrote it?
    pub(crate) fn verify(&self, family: Family) -> Result<()> {
        self.all_once(family)?.try_for_each(|row| row.map(drop))
    }

    fn unreadable(&self, family: Family, error: &rocksdb::Error) -> Error {
        self.damaged(format!("table {}", family.name), error.to_string())
    }

    /// Writes a batch; it is in the log, and so survives the process, when this returns.
    pub(crate) fn write(&self, batch: WriteBatch) -> Result<()> {
        if self.only_reads() {
            return Err(Error::ReadOnly(self.recording.clone()));
        }
        self.db
            .write(batch)
            .map_err(|error| self.failed("writing", &error))
    }

    /// Deletes the rows of a table from a key on and before another. The room is taken until [`Database::give_back`].
    pub(crate) fn delete_between(&self, family: Family, from: &[u8], to: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::default();
        batch.delete_range_cf(self.family(family)?, from, to);
        self.write(batch)
    }

    /// Gives the room of rows back to the disk that were deleted: whole files at once, where they hold nothing else; what is
    /// left of others is written anew. `to` is the first key behind them.
    pub(crate) fn give_back(&self, family: Family, from: &[u8], to: &[u8]) -> Result<()> {
        let table = self.family(family)?;
        // RocksDB counts the last key among them.
        let mut last = to.to_vec();
        while let Some(byte) = last.pop() {
            if byte > 0 {
                last.push(byte - 1);
                break;
            }
        }
        self.db
            .delete_file_in_range_cf(table, from, &last)
            .map_err(|error| self.failed("deleting files", &error))?;
        self.db.compact_range_cf(table, Some(from), Some(to));
        Ok(())
    }

    /// Brings everything from memory to table files.
    pub(crate) fn flush(&self) -> Result<()> {
        let families: Vec<_> = self
            .families
            .iter()
            .map(|f| self.family(*f))
            .collect::<Result<_>>()?;
        self.db
            .flush_cfs_opt(&families, &FlushOptions::default())
            .map_err(|error| self.failed("flushing", &error))
    }

    /// Ends the work behind the scenes and names the table files, which do not change from now on.
    pub(crate) fn freeze(&self) -> Result<Files> {
        self.db.cancel_all_background_work(true);
        self.remove_options();
        self.files()
    }

    /// RocksDB writes down the options of each time that it is opened, in files that outweigh a small recording.
    /// Nobody reads them: [`Database::open`] knows the options. Whether they are gone does not matter.
    fn remove_options(&self) {
        let files = std::fs::read_dir(self.db.path());
        for file in files.into_iter().flatten().flatten() {
            if file.file_name().to_string_lossy().starts_with("OPTIONS-") {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }

    /// The table files with their sizes.
    pub(crate) fn files(&self) -> Result<Files> {
        let files = self.db.live_files();
        let files = files.map_err(|error| self.failed("listing the files of", &error))?;
        Ok(files
            .into_iter()
            .map(|file| {
                (
                    file.name.trim_start_matches('/').to_owned(),
                    file.size as u64,
                )
            })
            .collect())
    }

    /// How many files the table has that has most.
    pub(crate) fn most_files(&self) -> Result<usize> {
        let files = self.db.live_files();
        let files = files.map_err(|error| self.failed("listing the files of", &error))?;
        let of = |family: &Family| {
            let files = files.iter();
            files
                .filter(|file| file.column_family_name == family.name)
                .count()
        };
        Ok(self.families.iter().map(of).max().unwrap_or(0))
    }

    /// Rewrites a family to its smallest form.
    pub(crate) fn compact(&self, family: Family) -> Result<()> {
        self.db
            .compact_range_cf(self.family(family)?, None::<&[u8]>, None::<&[u8]>);
        Ok(())
    }

    /// A number that RocksDB keeps of a family, 0 where it does not know.
    pub(crate) fn property(&self, family: Family, name: &str) -> Result<u64> {
        let value = self.db.property_int_value_cf(self.family(family)?, name);
        Ok(value.ok().flatten().unwrap_or(0))
    }
}

/// What RocksDB has to say goes to our log, and not to a file in each recording.
fn tell(level: LogLevel, message: &str) {
    if level != LogLevel::Header {
        tracing::debug!(target: "rocksdb", "{}", message.trim_end());
    }
}

/// The tables that a database on disk has. Where that cannot be told, all are asked for, and opening says why not.
fn families_of(path: &Path) -> Vec<Family> {
    let on_disk = DB::list_cf(&Options::default(), path);
    let is_there = |family: &Family| match &on_disk {
        Ok(names) => names.iter().any(|name| name == family.name),
        Err(_) => true,
    };
    let all = families::ALL.into_iter();
    all.filter(|family| !family.later || is_there(family))
        .collect()
}

fn family_options(family: &Family, memory: &Memory) -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(&memory.cache);
    table.set_cache_index_and_filter_blocks(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    table.set_bloom_filter(10.0, false);
    table.set_block_size(family.block);
    table.set_format_version(5);
    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_write_buffer_manager(&memory.buffers);
    options.set_write_buffer_size(family.buffer);
    options.set_max_write_buffer_number(2);
    options.set_target_file_size_base(32 << 20);
    options.set_compression_type(if family.compressed {
        DBCompressionType::None
    } else {
        DBCompressionType::Lz4
    });
    options
}

/// A value with its checksum in front: CRC-32 little-endian, format byte 1, postcard.
pub(crate) fn sealed_value<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; 5];
    bytes[4] = 1;
    // Serialising plain data to memory does not fail; if it did, the value would read as damaged.
    let mut bytes = postcard::to_extend(value, bytes).unwrap_or_default();
    if let Some((head, body)) = bytes.split_first_chunk_mut::<4>() {
        *head = crc32fast::hash(body).to_le_bytes();
    }
    bytes
}

/// The inverse of [`sealed_value`]; says what is wrong. A last field that came later is not in values from before it: there it is
/// zero, which is false, none or empty.
pub(crate) fn open_value<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let (head, body) = bytes.split_first_chunk::<4>().ok_or("it is cut")?;
    if u32::from_le_bytes(*head) != crc32fast::hash(body) {
        return Err("its checksum does not fit".to_owned());
    }
    match body.split_first() {
        Some((1, value)) => postcard::from_bytes(value)
            .or_else(|_| postcard::from_bytes(&[value, &[0]].concat()))
            .map_err(|error| error.to_string()),
        Some((version, _)) => Err(format!("its format version {version} is not known")),
        None => Err("it is cut".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_from_before_its_last_field_opens() {
        let old = sealed_value(&("told", 7_u32));
        assert_eq!(open_value(&old), Ok(("told".to_owned(), 7_u32, false)));
        let new = sealed_value(&("told", 7_u32, true));
        assert_eq!(open_value(&new), Ok(("told".to_owned(), 7_u32, true)));
        assert!(open_value::<(String, u32, bool)>(&new[..new.len() - 1]).is_err());
    }

    #[test]
    fn a_recording_from_before_a_table_opens_without_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = Arc::new(Memory::new(0, || 0));
        let open = |mode| Database::open(folder.path(), "r", &memory, mode, Log::Whole);
        let made = open(Mode::Create).expect("made");
        assert!(!made.lacks(families::SOURCE_TEXTS) && !made.lacks(families::BLOCKS));
        drop(made);
        let names = DB::list_cf(&Options::default(), folder.path()).expect("the tables");
        let mut old = DB::open_cf(&Options::default(), folder.path(), names).expect("opens");
        old.drop_cf(families::SOURCE_TEXTS.name).expect("dropped");
        drop(old);
        for mode in [Mode::Read, Mode::Write, Mode::Read] {
            let db = open(mode).expect("opens");
            assert!(db.lacks(families::SOURCE_TEXTS));
            assert!(!db.lacks(families::CLASS_SOURCES));
            assert!(db.get(families::CLASSES, &[0; 4]).expect("read").is_none());
            if mode == Mode::Write {
                db.flush().expect("flushed");
            }
        }
    }
}
