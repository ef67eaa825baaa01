//! Functions that a text defines, as tables of SQLite's: their arguments are hidden columns, so that they can be used over another
//! table's columns (`FROM calls c, f(c.id)`), and their rows are those of a SELECT that runs on the same connection.
#![expect(
    unsafe_code,
    reason = "rusqlite's traits for virtual tables are unsafe, and a statement inside of one runs on the connection that SQLite hands to it"
)]

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::types::{Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor, sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error as SqliteError, Result as SqliteResult, ffi};

use super::SqlError;
use super::meter::Meter;
use super::numbers::Numbers;
use super::script::{Argument, Function};
use super::world::World;
use crate::error::Error;

/// So deep may functions be in each other's SELECT: each is a level of SQLite's own stack.
const DEEPEST: usize = 16;

/// So many rows may one call of a function have: they are held in memory.
const MOST_ROWS: usize = 100_000;

/// So many bytes may the rows of all functions of a statement take at once.
const MOST_BYTES: usize = 64 << 20;

/// What functions of a statement share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The recordings that are asked.
    pub(super) worlds: Vec<Arc<World>>,
    /// How deep in each other functions run just now.
    depth: AtomicUsize,
    /// What their rows take.
    bytes: AtomicUsize,
}

impl Shared {
    pub(super) fn new(worlds: Vec<Arc<World>>) -> Arc<Self> {
        Arc::new(Self {
            worlds,
            depth: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        })
    }
}

struct Aux {
    function: Arc<Function>,
    world: Arc<World>,
    shared: Arc<Shared>,
}

/// Makes a function known to a connection.
pub(super) fn define(
    connection: &Connection,
    world: &Arc<World>,
    shared: &Arc<Shared>,
    function: Function,
) -> SqliteResult<()> {
    let name = function.name.clone();
    let aux = Aux {
        function: Arc::new(function),
        world: Arc::clone(world),
        shared: Arc::clone(shared),
    };
    let module = const { &Module::<Tab>::eponymous_only_module() };
    connection.create_module(name.as_str(), module, Some(aux))
}

/// `CREATE TABLE …`, as SQLite wants to be told of it: the columns, then the arguments.
fn declaration(function: &Function) -> String {
    let column = |one: &Argument, hidden: &str| {
        let of = one.of.map_or("", |of| of.sql());
        format!("\"{}\" {of}{hidden}", one.name)
    };
    let columns = function.columns.iter().map(|one| column(one, ""));
    let arguments = function.arguments.iter().map(|one| column(one, " HIDDEN"));
    let all: Vec<_> = columns.chain(arguments).collect();
    format!("CREATE TABLE x({})", all.join(", "))
}

#[repr(C)]
struct Tab {
    /// SQLite's own part: must be first.
    base: sqlite3_vtab,
    function: Arc<Function>,
    world: Arc<World>,
    shared: Arc<Shared>,
    numbers: Numbers,
    connection: *mut ffi::sqlite3,
}

// SAFETY: the struct is `repr(C)` and begins with SQLite's `sqlite3_vtab`, as the trait asks.
unsafe impl<'vtab> VTab<'vtab> for Tab {
    type Aux = Aux;
    type Cursor = Cursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> SqliteResult<(Cow<'static, CStr>, Self)> {
        let aux =
            aux.ok_or_else(|| SqliteError::ModuleError("the function is not known".to_owned()))?;
        db.config(VTabConfig::Innocuous)?;
        let declaration = CString::new(declaration(&aux.function))?;
        let tab = Self {
            base: sqlite3_vtab::default(),
            function: Arc::clone(&aux.function),
            world: Arc::clone(&aux.world),
            shared: Arc::clone(&aux.shared),
            numbers: Numbers::default(),
            // SAFETY: it is kept for as long as the table, which SQLite takes down before the connection.
            connection: unsafe { db.handle() },
        };
        Ok((Cow::Owned(declaration), tab))
    }

    /// Each argument must be known; another order of the tables may know one that is not yet.
    fn best_index(&self, info: &mut IndexInfo) -> SqliteResult<bool> {
        let first = self.function.columns.len();
        let mut found = vec![None; self.function.arguments.len()];
        for (at, constraint) in info.constraints().enumerate() {
            let argument = usize::try_from(constraint.column())
                .ok()
                .and_then(|column| column.checked_sub(first));
            let is_equal = constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
            if let Some(slot) = argument.and_then(|argument| found.get_mut(argument))
                && is_equal
                && constraint.is_usable()
            {
                slot.get_or_insert(at);
            }
        }
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        for (position, constraint) in found.into_iter().enumerate() {
            let mut usage = info.constraint_usage(constraint);
            usage.set_argv_index(c_int::try_from(position + 1).unwrap_or(c_int::MAX));
            usage.set_omit(true);
        }
        let names: Vec<_> = self
            .function
            .arguments
            .iter()
            .map(|one| format!("{}=?", one.name))
            .collect();
        info.set_idx_str(&format!("its SELECT: {}", names.join(" ")));
        info.set_estimated_cost(10_000.0);
        info.set_estimated_rows(100);
        Ok(true)
    }

    fn open(&'vtab mut self) -> SqliteResult<Cursor> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            function: Arc::clone(&self.function),
            world: Arc::clone(&self.world),
            shared: Arc::clone(&self.shared),
            connection: self.connection,
            numbers: self.numbers.clone(),
            given: Vec::new(),
            arguments: OnceCell::new(),
            rows: Vec::new(),
            bytes: 0,
            at: 0,
        })
    }
}

#[repr(C)]
struct Cursor {
    /// SQLite's own part: must be first.
    base: sqlite3_vtab_cursor,
    function: Arc<Function>,
    world: Arc<World>,
    shared: Arc<Shared>,
    connection: *mut ffi::sqlite3,
    numbers: Numbers,
    /// What the rows are of, and the same as one text, once somebody wants it.
    given: Vec<Value>,
    arguments: OnceCell<Arc<str>>,
    rows: Vec<Vec<Value>>,
    /// What they take, of those of the statement.
    bytes: usize,
    at: usize,
}

/// Goes one level down, for as long as it lives.
struct Inside<'a>(&'a AtomicUsize);

impl<'a> Inside<'a> {
    fn enter(depth: &'a AtomicUsize) -> (Self, usize) {
        (Self(depth), depth.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cursor {
    fn wrong(&self, reason: String) -> SqliteError {
        let name = &self.function.name;
        let reason = format!("function {name}: {reason}");
        let error = Error::from(SqlError::Wrong { reason });
        let error = error.within(&self.function.body);
        SqliteError::ModuleError(self.world.fail(error))
    }

    /// What is said of its SELECT where that fails: what failed first, if that is known.
    fn failed(&self, error: SqliteError) -> SqliteError {
        if Meter::is_over(&error).is_some() {
            return error;
        }
        match error {
            SqliteError::SqliteFailure(code, _)
                if code.code == rusqlite::ErrorCode::OperationInterrupted =>
            {
                error
            }
            _ if self.shared.worlds.iter().any(|world| world.has_failed()) => {
                for world in &self.shared.worlds {
                    world.place_failure(&self.function.body);
                }
                error
            }
            SqliteError::SqlInputError { msg, .. } => self.wrong(msg),
            SqliteError::SqliteFailure(_, Some(message)) => self.wrong(message),
            error => self.wrong(error.to_string()),
        }
    }

    /// Lets go of its rows.
    fn clear(&mut self) {
        self.shared.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = 0;
        self.rows.clear();
        self.at = 0;
    }

    /// Takes a row in, if there is room for it.
    fn take(&mut self, row: Vec<Value>) -> SqliteResult<()> {
        let size = |value: &Value| match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            Value::Null | Value::Integer(_) | Value::Real(_) => 0,
        };
        let bytes = row
            .iter()
            .map(|value| size(value) + size_of::<Value>())
            .sum::<usize>();
        self.bytes += bytes;
        let all = self.shared.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.rows.len() == MOST_ROWS {
            return Err(self.wrong(format!(
                "one call has more than {MOST_ROWS} rows: ask its SELECT itself"
            )));
        }
        if all > MOST_BYTES {
            return Err(self.wrong(format!(
                "the rows of functions take more than {} MiB: ask for less of each",
                MOST_BYTES >> 20
            )));
        }
        self.rows.push(row);
        Ok(())
    }

    fn answer(&mut self, arguments: &Filters<'_>) -> SqliteResult<()> {
        let shared = Arc::clone(&self.shared);
        // SQLite counts its steps for each statement, and those inside may be short.
        if self.world.is_over() {
            return Err(SqliteError::ModuleError(
                self.world.fail(self.world.why_over()),
            ));
        }
        let (_inside, depth) = Inside::enter(&shared.depth);
        if depth > DEEPEST {
            return Err(self.wrong(format!("functions are in each other more than {DEEPEST} deep: does one use itself without end?")));
        }
        // SAFETY: the connection lives for as long as its tables, and so longer than this cursor; SQLite lets a table run statements on
        // its own connection, and this one does not close it.
        let connection = unsafe { Connection::from_handle(self.connection)? };
        // Prepared anew each time: a statement that is kept would keep the tables that it uses, this one among them where it uses itself.
        let mut statement = connection
            .prepare(&self.function.body.text)
            .map_err(|error| self.failed(error))?;
        let (columns, told) = (statement.column_count(), self.function.columns.len());
        if columns != told {
            return Err(self.wrong(format!(
                "its SELECT has {columns} columns, and it RETURNS {told}"
            )));
        }
        for (argument, value) in self.function.arguments.iter().zip(arguments.iter()) {
            // One that the SELECT does not use is no parameter of it.
            if let Some(at) = statement.parameter_index(&format!("${}", argument.name))? {
                statement.raw_bind_parameter(at, rusqlite::types::ToSqlOutput::Borrowed(value))?;
            }
        }
        unbound(&statement, &self.function).map_err(|reason| self.wrong(reason))?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            let cells = (0..columns).map(|at| row.get_ref(at).map(Value::try_from));
            let cells: Vec<_> = cells.collect::<SqliteResult<_>>()?;
            let cells: Result<Vec<Value>, _> = cells.into_iter().collect();
            let cells = cells.map_err(|error| self.wrong(error.to_string()))?;
            self.take(cells)?;
        }
        Ok(())
    }
}

/// Is each parameter of its SELECT an argument? SQLite would take another one for null.
pub(super) fn unbound(
    statement: &rusqlite::Statement<'_>,
    function: &Function,
) -> Result<(), String> {
    for at in 1..=statement.parameter_count() {
        let name = statement.parameter_name(at).unwrap_or("?");
        let is_known = |known: &str| function.arguments.iter().any(|one| one.name == known);
        if !name.strip_prefix('$').is_some_and(is_known) {
            return Err(format!("{name} is no argument"));
        }
    }
    Ok(())
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.clear();
    }
}

// SAFETY: the struct is `repr(C)` and begins with SQLite's `sqlite3_vtab_cursor`, as the trait asks.
unsafe impl VTabCursor for Cursor {
    fn filter(&mut self, _: c_int, _: Option<&str>, arguments: &Filters<'_>) -> SqliteResult<()> {
        self.clear();
        let given = arguments.iter().map(Value::try_from);
        self.given = given
            .collect::<Result<_, _>>()
            .map_err(|error| self.wrong(error.to_string()))?;
        self.arguments.take();
        self.answer(arguments)
    }

    fn next(&mut self) -> SqliteResult<()> {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.rows.len()
    }

    /// Arguments have no value in a row: SQLite was told not to look.
    fn column(&self, context: &mut Context, column: c_int) -> SqliteResult<()> {
        let columns = self.function.columns.len();
        let cell = usize::try_from(column)
            .ok()
            .and_then(|at| match at.checked_sub(columns) {
                None => self.rows.get(self.at)?.get(at),
                // A condition may look at an argument, such as an OR of which SQLite takes apart what both sides have.
                Some(argument) => self.given.get(argument),
            });
        let cell = cell.map_or(ValueRef::Null, ValueRef::from);
        context.set_result(rusqlite::types::ToSqlOutput::Borrowed(cell))
    }

    fn rowid(&self) -> SqliteResult<i64> {
        let write = || format!("{:?}", self.given).into();
        let arguments = self.arguments.get_or_init(write);
        Ok(self.numbers.of(arguments, self.at as u64))
    }
}
