//! What a statement takes: memory and temporary files of SQLite, each with a limit of its own.
//!
//! SQLite has one limit of its heap for the whole process, and none for the files that sorting spills into. A statement runs on one thread from its
//! connection's first moment to its last, so both are counted by thread: a shim in front of SQLite's allocator refuses what passes the limit (SQLite
//! ends the statement then, SQLITE_NOMEM), and one in front of its files does so for writes (SQLITE_FULL). What jhyde itself holds for a statement
//! (blocks, rows on their way) has bounds elsewhere and is not in it.

#![expect(
    unsafe_code,
    reason = "SQLite is told of an allocator and of files by tables of C functions"
)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Error as SqliteError, ErrorCode, ffi};

/// What there was not enough of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Memory,
    Files,
}

/// What the statement of this thread has taken, in bytes.
struct Account {
    /// Is there one?
    open: Cell<bool>,
    memory: Cell<i64>,
    most_memory: Cell<i64>,
    files: Cell<i64>,
    most_files: Cell<i64>,
    over: Cell<Option<Over>>,
}

thread_local! {
    static ACCOUNT: Account = const {
        Account {
            open: Cell::new(false),
            memory: Cell::new(0),
            most_memory: Cell::new(i64::MAX),
            files: Cell::new(0),
            most_files: Cell::new(i64::MAX),
            over: Cell::new(None),
        }
    };
}

/// Counts while it lives, on the thread that made it.
pub(super) struct Meter {
    /// It belongs to its thread.
    _here: PhantomData<*const ()>,
}

impl Meter {
    /// From now on SQLite gets so many bytes of memory and of temporary files on this thread. Connections opened before are not to be used meanwhile.
    pub(super) fn start(memory: u64, files: u64) -> Self {
        let most = |bytes| i64::try_from(bytes).unwrap_or(i64::MAX);
        ACCOUNT.with(|account| {
            account.open.set(true);
            account.memory.set(0);
            account.most_memory.set(most(memory));
            account.files.set(0);
            account.most_files.set(most(files));
            account.over.set(None);
        });
        Self { _here: PhantomData }
    }

    /// What there was not enough of, if that is why a statement failed: SQLite can do without some of what it asks for.
    pub(super) fn is_over(error: &SqliteError) -> Option<Over> {
        let over = ACCOUNT.with(|account| account.over.get())?;
        let is_it = match over {
            Over::Memory => ErrorCode::OutOfMemory,
            Over::Files => ErrorCode::DiskFull,
        };
        (error.sqlite_error_code() == Some(is_it)).then_some(over)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        ACCOUNT.with(|account| account.open.set(false));
    }
}

/// Is there room for so much more memory?
fn has_memory(more: i64) -> bool {
    let fits = |account: &Account| {
        if !account.open.get() || account.memory.get() + more <= account.most_memory.get() {
            return true;
        }
        account.over.set(Some(Over::Memory));
        false
    };
    // A thread that is ending has no account any more.
    ACCOUNT.try_with(fits).unwrap_or(true)
}

fn count_memory(more: i64) {
    let _ = ACCOUNT.try_with(|account| account.memory.set(account.memory.get() + more));
}

/// What SQLite takes memory with by itself.
struct Allocator {
    take: unsafe extern "C" fn(c_int) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    resize: unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void,
    size: unsafe extern "C" fn(*mut c_void) -> c_int,
}

/// It, once it is known.
static ALLOCATOR: OnceLock<Allocator> = OnceLock::new();

unsafe extern "C" fn allocate(bytes: c_int) -> *mut c_void {
    let Some(own) = ALLOCATOR.get() else {
        return std::ptr::null_mut();
    };
    if !has_memory(bytes.into()) {
        return std::ptr::null_mut();
    }
    // SAFETY: SQLite's own functions, called as SQLite would call them.
    unsafe {
        let taken = (own.take)(bytes);
        if !taken.is_null() {
            count_memory((own.size)(taken).into());
        }
        taken
    }
}

unsafe extern "C" fn release(taken: *mut c_void) {
    let Some(own) = ALLOCATOR.get().filter(|_| !taken.is_null()) else {
        return;
    };
    // SAFETY: `taken` came from this allocator.
    unsafe {
        count_memory(-i64::from((own.size)(taken)));
        (own.free)(taken);
    }
}

unsafe extern "C" fn resize(taken: *mut c_void, bytes: c_int) -> *mut c_void {
    let Some(own) = ALLOCATOR.get() else {
        return std::ptr::null_mut();
    };
    // SAFETY: `taken` came from this allocator; SQLite resizes nothing that is null.
    unsafe {
        let before = i64::from((own.size)(taken));
        if !has_memory(i64::from(bytes) - before) {
            return std::ptr::null_mut();
        }
        let resized = (own.resize)(taken, bytes);
        if !resized.is_null() {
            count_memory(i64::from((own.size)(resized)) - before);
        }
        resized
    }
}

fn count_files(more: i64) {
    let _ = ACCOUNT.try_with(|account| account.files.set(account.files.get() + more));
}

/// Files of SQLite's whose writes are counted: its own functions, but for three.
#[repr(C)]
struct Counted {
    /// First, since SQLite takes a pointer to this for one to its functions.
    table: ffi::sqlite3_io_methods,
    own: *const ffi::sqlite3_io_methods,
}

// SAFETY: both are tables of functions that never change.
unsafe impl Send for Counted {}
// SAFETY: likewise.
unsafe impl Sync for Counted {}

/// The tables, by those of SQLite that they stand for: a handful, one for each kind of file.
static TABLES: Mutex<BTreeMap<usize, &'static Counted>> = Mutex::new(BTreeMap::new());

/// SQLite's own functions for a file.
unsafe fn own(file: *mut ffi::sqlite3_file) -> *const ffi::sqlite3_io_methods {
    // SAFETY: only files opened by `open` have these functions, and there the table is `Counted`'s first field.
    unsafe { (*(*file).pMethods.cast::<Counted>()).own }
}

/// How long a file is.
unsafe fn length(file: *mut ffi::sqlite3_file) -> i64 {
    let mut bytes = 0;
    // SAFETY: an open file, and its own function.
    let told = unsafe {
        (*own(file))
            .xFileSize
            .map(|size| size(file, &raw mut bytes))
    };
    if told == Some(ffi::SQLITE_OK) {
        bytes
    } else {
        0
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    data: *const c_void,
    bytes: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: an open file, its own functions, and what SQLite handed over for them.
    unsafe {
        let before = length(file);
        let more = (at + i64::from(bytes) - before).max(0);
        let fits = ACCOUNT.with(|account| {
            if !account.open.get() || account.files.get() + more <= account.most_files.get() {
                return true;
            }
            account.over.set(Some(Over::Files));
            false
        });
        if !fits {
            return ffi::SQLITE_FULL;
        }
        let Some(write) = (*own(file)).xWrite else {
            return ffi::SQLITE_IOERR;
        };
        let written = write(file, data, bytes, at);
        count_files(length(file) - before);
        written
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, bytes: ffi::sqlite3_int64) -> c_int {
    // SAFETY: an open file and its own functions.
    unsafe {
        let before = length(file);
        let Some(truncate) = (*own(file)).xTruncate else {
            return ffi::SQLITE_IOERR;
        };
        let told = truncate(file, bytes);
        count_files(length(file) - before);
        told
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: an open file and its own function.
    unsafe {
        count_files(-length(file));
        match (*own(file)).xClose {
            Some(close) => close(file),
            None => ffi::SQLITE_IOERR,
        }
    }
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: the file system is the one that `install` registered, whose next one is SQLite's own; the rest is what SQLite handed over.
    unsafe {
        let below = ffi::sqlite3_vfs_find(std::ptr::null());
        if below.is_null() || below == vfs {
            return ffi::SQLITE_CANTOPEN;
        }
        let Some(open) = (*below).xOpen else {
            return ffi::SQLITE_CANTOPEN;
        };
        let opened = open(below, name, file, flags, out);
        let methods = (*file).pMethods;
        if opened == ffi::SQLITE_OK && !methods.is_null() {
            let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
            let counted = tables.entry(methods as usize).or_insert_with(|| {
                Box::leak(Box::new(Counted {
                    table: ffi::sqlite3_io_methods {
                        // Files of version 3 are made longer, and mapped, past these functions.
                        iVersion: (*methods).iVersion.min(2),
                        xWrite: Some(write),
                        xTruncate: Some(truncate),
                        xClose: Some(close),
                        ..*methods
                    },
                    own: methods,
                }))
            });
            (*file).pMethods = std::ptr::from_ref::<Counted>(*counted).cast();
        }
        opened
    }
}

/// The name of the file system whose files are counted.
pub(super) const FILES: &CStr = c"jhyde-counted";

/// Puts both shims in front of SQLite, once in a process, before its first connection. False where SQLite does not take them (it is in use already, by
/// somebody else): then nothing may be asked, for nothing would have a limit.
pub(super) fn install() -> bool {
    static DONE: OnceLock<bool> = OnceLock::new();
    *DONE.get_or_init(|| {
        let none = ffi::sqlite3_mem_methods {
            xMalloc: None,
            xFree: None,
            xRealloc: None,
            xSize: None,
            xRoundup: None,
            xInit: None,
            xShutdown: None,
            pAppData: std::ptr::null_mut(),
        };
        let mut allocator = none;
        // SAFETY: called before SQLite is initialised, as sqlite3_config wants it, and refused by it otherwise; the tables live as long as the process.
        unsafe {
            let told = ffi::sqlite3_config(ffi::SQLITE_CONFIG_GETMALLOC, &raw mut allocator);
            if told != ffi::SQLITE_OK {
                return false;
            }
            let functions = allocator.xMalloc.zip(allocator.xFree);
            let functions = functions.zip(allocator.xRealloc.zip(allocator.xSize));
            let Some(((take, free), (resize_own, size))) = functions else {
                return false;
            };
            let own = Allocator {
                take,
                free,
                resize: resize_own,
                size,
            };
            let mut shim = ffi::sqlite3_mem_methods {
                xMalloc: Some(allocate),
                xFree: Some(release),
                xRealloc: Some(resize),
                ..allocator
            };
            if ALLOCATOR.set(own).is_err()
                || ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw mut shim) != ffi::SQLITE_OK
                || ffi::sqlite3_initialize() != ffi::SQLITE_OK
            {
                return false;
            }
            let below = ffi::sqlite3_vfs_find(std::ptr::null::<c_char>());
            if below.is_null() {
                return false;
            }
            let counted = Box::leak(Box::new(ffi::sqlite3_vfs {
                pNext: std::ptr::null_mut(),
                zName: FILES.as_ptr(),
                xOpen: Some(open),
                ..*below
            }));
            ffi::sqlite3_vfs_register(counted, 0) == ffi::SQLITE_OK
        }
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, OpenFlags};

    use super::*;

    fn connect() -> Connection {
        assert!(install());
        let flags = OpenFlags::default();
        let connection = Connection::open_in_memory_with_flags_and_vfs(flags, FILES);
        let connection = connection.expect("a connection");
        let sorts_in_files = "PRAGMA cache_size = -1024; PRAGMA temp_store = FILE;";
        connection.execute_batch(sorts_in_files).expect("pragmas");
        connection
    }

    /// How many texts there are of so many, sorted by what no index serves, and how many bytes of files that takes.
    fn sorted(connection: &Connection, rows: i64) -> rusqlite::Result<(i64, i64)> {
        let text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) \
                    SELECT printf('%0100d', i * 7919 % 1000003) AS text FROM n ORDER BY text";
        let mut statement = connection.prepare(text)?;
        let mut all = statement.query([rows])?;
        let (mut count, mut files) = (0, 0);
        let mut last = String::new();
        while let Some(row) = all.next()? {
            let text: String = row.get(0)?;
            assert!(last <= text, "sorted");
            last = text;
            count += 1;
            files = files.max(ACCOUNT.with(|account| account.files.get()));
        }
        Ok((count, files))
    }

    #[test]
    fn what_passes_a_limit_ends_and_the_next_statement_runs() {
        {
            let _meter = Meter::start(64 << 20, 64 << 20);
            let connection = connect();
            let (count, files) = sorted(&connection, 100_000).expect("it fits");
            assert_eq!(count, 100_000);
            assert!(files > 9 << 20, "{files} bytes for ten megabytes of texts");
        }
        {
            let _meter = Meter::start(64 << 20, 1 << 20);
            let connection = connect();
            let error = sorted(&connection, 100_000).expect_err("ten megabytes");
            assert_eq!(Meter::is_over(&error), Some(Over::Files));
        }
        {
            let _meter = Meter::start(8 << 20, 64 << 20);
            let connection = connect();
            let text = "SELECT length(group_concat(printf('%01000d', value))) FROM \
                        (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 30000) SELECT value FROM n)";
            let told = connection.query_row(text, [], |row| row.get::<_, i64>(0));
            let error = told.expect_err("thirty megabytes");
            assert_eq!(Meter::is_over(&error), Some(Over::Memory));
            // What fails behind it fails for its own reason.
            let wrong = connection.prepare("SELECT nothing").expect_err("no column");
            assert_eq!(Meter::is_over(&wrong), None);
        }
        let _meter = Meter::start(64 << 20, 64 << 20);
        assert_eq!(sorted(&connect(), 1000).expect("it fits").0, 1000);
    }

    #[test]
    fn all_is_given_back_and_threads_do_not_count_for_each_other() {
        let run = || {
            let _meter = Meter::start(64 << 20, 64 << 20);
            let connection = connect();
            let in_use = ACCOUNT.with(|account| account.memory.get());
            assert!(in_use > 0, "a connection takes some");
            for _ in 0..3 {
                sorted(&connection, 50_000).expect("it fits");
            }
            drop(connection);
            ACCOUNT.with(|account| {
                assert_eq!(account.files.get(), 0);
                // What SQLite keeps for the whole process may be among it.
                assert!(account.memory.get() < 64 << 10, "{}", account.memory.get());
            });
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            for one in all {
                one.join().expect("it ends well");
            }
        });
    }
}
