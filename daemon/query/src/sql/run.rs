//! A statement runs: what it may do, how its rows go out, and what is said of one that is wrong.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jhyde_history::History;
use jhyde_trace::Timestamp;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Error as SqliteError};

use super::datum::Datum;
use super::error::SqlError;
use super::table::Described;
use super::tables;
use super::world::World;
use crate::error::{Error, Result};
use crate::nearest::nearest;
use crate::span::Span;

/// SQLite's words where it finds no way to the rows of a table.
const NO_WAY: &str = "no query solution";

/// What a statement may cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// It is ended after this time.
    pub timeout: Option<Duration>,
    /// No more rows are looked for after so many.
    pub rows: Option<u64>,
}

/// What somebody asks in SQL.
#[derive(Debug)]
pub struct Statement {
    world: Arc<World>,
    text: String,
    rows: u64,
    explain: bool,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How many rows there were.
    pub rows: u64,
    /// There may be more: they were not looked for.
    pub more: bool,
    /// What the answer does not tell, for people.
    pub notes: Vec<String>,
}

/// Takes the parts of an answer.
pub trait Taker {
    /// The names of the columns: comes first, once.
    ///
    /// # Errors
    /// When nobody takes them.
    fn columns(&mut self, names: &[&str]) -> Result<()>;

    /// A row: a cell for each column.
    ///
    /// # Errors
    /// When nobody takes it.
    fn row(&mut self, cells: Vec<Datum>) -> Result<()>;
}

impl Statement {
    /// Reads nothing yet: the history is seen as it is now, or up to the event `to`.
    ///
    /// # Errors
    /// When `to` makes no sense.
    pub fn new(history: History, text: String, to: Option<u64>, limits: Limits) -> Result<Self> {
        let span = Span::of(&history, None, to)?;
        let deadline = limits
            .timeout
            .and_then(|time| Instant::now().checked_add(time));
        Ok(Self {
            world: Arc::new(World::new(history, span, deadline)),
            text,
            rows: limits.rows.unwrap_or(u64::MAX),
            explain: false,
        })
    }

    /// Instead of running, tells how it would: the tables in the order in which they are gone through, and which index serves each.
    #[must_use]
    pub fn explained(mut self) -> Self {
        self.explain = true;
        self
    }

    /// Only events before this timestamp are seen.
    pub fn until(&self) -> Timestamp {
        self.world.span.until
    }

    /// Runs it.
    ///
    /// # Errors
    /// When it is wrong, may not be done, took too long, or the recording cannot be read.
    pub fn run(&self, taker: &mut dyn Taker) -> Result<Ended> {
        let refused: Refused = Arc::default();
        let mut run = || -> Result<Ended, SqliteOrOurs> {
            let connection = self.connect(&refused)?;
            self.answer(&connection, taker)
        };
        let mut ended = run().map_err(|error| match error {
            SqliteOrOurs::Ours(error) => error,
            SqliteOrOurs::Sqlite(error) => self.told(error, &refused),
        })?;
        let world = &self.world;
        ended.notes = world.take_notes();
        for note in world.history.hidden_notes(world.span.range())? {
            if !ended.notes.contains(&note) {
                ended.notes.push(note);
            }
        }
        if world.span.to_the_end
            && let Some(note) = world.history.end_note()
            && !ended.notes.contains(&note)
        {
            ended.notes.push(note);
        }
        Ok(ended)
    }

    fn connect(&self, refused: &Refused) -> rusqlite::Result<Connection> {
        /// Instructions of SQLite's machine between two looks at whether anybody waits: well below a millisecond.
        const STEPS: i32 = 10_000;
        let mut connection = Connection::open_in_memory()?;
        // What does not fit in there goes into a temporary file that has no name.
        connection.execute_batch("PRAGMA cache_size = -16384; PRAGMA temp_store = FILE;")?;
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_LENGTH, 64 << 20),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
        ] {
            connection.set_limit(limit, most)?;
        }
        tables::register_all(&connection, &self.world)?;
        let world = Arc::clone(&self.world);
        connection.progress_handler(STEPS, Some(move || world.is_over()))?;
        let refused = Arc::clone(refused);
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            allow(&context, &refused)
        }))?;
        Ok(connection)
    }

    fn answer(
        &self,
        connection: &Connection,
        taker: &mut dyn Taker,
    ) -> Result<Ended, SqliteOrOurs> {
        use rusqlite::fallible_iterator::FallibleIterator as _;
        let mut ended = Ended {
            rows: 0,
            more: false,
            notes: Vec::new(),
        };
        let mut answered = false;
        let mut statements = Batch::new(connection, &self.text);
        while let Some(mut statement) = statements.next()? {
            if statement.parameter_count() > 0 {
                return Err(wrong(
                    "parameters (?, :name) have no values here: write the values themselves",
                )
                .into());
            }
            if statement.column_count() == 0 {
                statement.raw_execute()?;
                continue;
            }
            if std::mem::replace(&mut answered, true) {
                return Err(wrong("there are two SELECTs: ask one at a time (WITH, UNION ALL or a temporary view put several together)").into());
            }
            if self.explain && statement.is_explain() == 0 {
                let text = statement.expanded_sql().unwrap_or_default();
                drop(statement);
                plan(connection, &text, taker, &mut ended)?;
                continue;
            }
            taker.columns(&statement.column_names().collect::<Vec<_>>())?;
            let count = statement.column_count();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                if ended.rows == self.rows {
                    ended.more = true;
                    break;
                }
                let cells = (0..count).map(|at| row.get_ref(at).map(cell));
                taker.row(cells.collect::<rusqlite::Result<_>>()?)?;
                ended.rows += 1;
            }
        }
        match answered {
            true => Ok(ended),
            false => Err(wrong("there is nothing to answer: write a SELECT").into()),
        }
    }

    /// What is said of a failure.
    fn told(&self, error: SqliteError, refused: &Refused) -> Error {
        if let Some(failure) = self.world.take_failure() {
            return failure;
        }
        if let Some(what) = refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            let reason = format!(
                "{what}: a recording can only be read (SELECT; temporary tables and views are allowed)"
            );
            return SqlError::Wrong { at: None, reason }.into();
        }
        match error {
            SqliteError::SqlInputError {
                msg, sql, offset, ..
            } => {
                let begin = self.text.len().saturating_sub(sql.len());
                let name = named(&msg);
                let offset = usize::try_from(offset).ok();
                let offset = offset.or_else(|| name.and_then(|(_, name)| word(&sql, name)));
                let at = offset.map(|offset| place(&self.text, begin + offset));
                let reason = match name {
                    Some((what, name)) => format!("{msg}{}", self.alike(what, name)),
                    None => msg,
                };
                SqlError::Wrong { at, reason }.into()
            }
            SqliteError::SqliteFailure(code, message) => {
                if code.code == rusqlite::ErrorCode::OperationInterrupted {
                    return self.world.why_over();
                }
                let told = message.unwrap_or_else(|| code.to_string());
                if told.contains(NO_WAY) {
                    return self.without_argument().into();
                }
                // One that comes when a view is made, or a name is looked up late.
                match named(&told) {
                    Some((what, name)) => {
                        let at = word(&self.text, name).map(|at| place(&self.text, at));
                        let reason = format!("{told}{}", self.alike(what, name));
                        SqlError::Wrong { at, reason }.into()
                    }
                    None => SqlError::Failed(told).into(),
                }
            }
            error => SqlError::Failed(error.to_string()).into(),
        }
    }

    /// The rows of a function follow from its argument, which is not there.
    fn without_argument(&self) -> SqlError {
        let lower = self.text.to_lowercase();
        let tables = tables::described();
        let is_named =
            |table: &&Described| !table.arguments.is_empty() && word(&lower, table.name).is_some();
        let named = tables.iter().filter(is_named).map(|table| {
            let arguments: Vec<_> = table.arguments.iter().map(|one| one.0.as_str()).collect();
            format!("{}({})", table.name, arguments.join(", "))
        });
        let named = named.collect::<Vec<_>>().join(", ");
        SqlError::Wrong {
            at: None,
            reason: format!("a function wants at least the first of its arguments: {named}"),
        }
    }

    /// Names that are like one that is not known.
    fn alike(&self, what: &str, name: &str) -> String {
        let tables = tables::described();
        let lower = self.text.to_lowercase();
        let names: Vec<&str> = match what {
            "table" => tables.iter().map(|table| table.name).collect(),
            // Those of the tables that are named.
            "column" => {
                let named = tables
                    .iter()
                    .filter(|table| word(&lower, table.name).is_some());
                let columns = named.flat_map(|table| &table.columns);
                columns.map(|(name, ..)| name.as_str()).collect()
            }
            _ => Vec::new(),
        };
        let last = name.rsplit('.').next().unwrap_or(name);
        let alike = nearest(last, names.iter().copied());
        match (alike.as_slice(), what) {
            ([], "table") => format!("; there are {}", names.join(", ")),
            ([], _) => String::new(),
            (alike, _) => format!("; did you mean {}?", alike.join(", ")),
        }
    }
}

/// Tells the plan of a statement.
fn plan(
    connection: &Connection,
    text: &str,
    taker: &mut dyn Taker,
    ended: &mut Ended,
) -> Result<(), SqliteOrOurs> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
    let mut rows = statement.raw_query();
    let mut depths: Vec<i64> = Vec::new();
    taker.columns(&["plan"])?;
    while let Some(row) = rows.next()? {
        let (id, parent): (i64, i64) = (row.get(0)?, row.get(1)?);
        while depths.last().is_some_and(|last| *last != parent) {
            depths.pop();
        }
        let indent = "  ".repeat(depths.len());
        depths.push(id);
        let line: String = row.get(3)?;
        // `SCAN calls VIRTUAL TABLE INDEX 4:the call: id=?`
        let line = match line.split_once(" VIRTUAL TABLE INDEX ") {
            Some((table, index)) => {
                let index = index.split_once(':').map_or(index, |(_, index)| index);
                format!("{}: {index}", table.replace("SCAN ", "READ "))
            }
            None => line,
        };
        taker.row(vec![Datum::Text(format!("{indent}{line}"))])?;
        ended.rows += 1;
    }
    Ok(())
}

/// SQLite's failures are put in words at the end, when all is known.
enum SqliteOrOurs {
    Sqlite(SqliteError),
    Ours(Error),
}

impl From<SqliteError> for SqliteOrOurs {
    fn from(error: SqliteError) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Error> for SqliteOrOurs {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

fn wrong(reason: &str) -> Error {
    SqlError::Wrong {
        at: None,
        reason: reason.to_owned(),
    }
    .into()
}

fn cell(value: ValueRef<'_>) -> Datum {
    match value {
        ValueRef::Null => Datum::Null,
        ValueRef::Integer(number) => Datum::Int(number),
        ValueRef::Real(number) => Datum::Real(number),
        ValueRef::Text(bytes) => Datum::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Datum::Bytes(bytes.to_vec()),
    }
}

/// What a statement wanted to do and may not.
type Refused = Arc<Mutex<Option<&'static str>>>;

/// What a statement may do: read, and have temporary tables and views.
fn allow(context: &AuthContext<'_>, refused: &Refused) -> Authorization {
    let is_temporary = context.database_name == Some("temp");
    let what = match context.action {
        AuthAction::Select | AuthAction::Recursive | AuthAction::Read { .. } => {
            return Authorization::Allow;
        }
        AuthAction::Function { function_name } => match function_name.to_ascii_lowercase().as_str()
        {
            "load_extension" => "extensions cannot be loaded",
            "fts3_tokenizer" => "this function may not be used",
            _ => return Authorization::Allow,
        },
        AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempView { .. }
        | AuthAction::DropTempIndex { .. } => return Authorization::Allow,
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. }
            if is_temporary =>
        {
            return Authorization::Allow;
        }
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. } => {
            "nothing can be written"
        }
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => "no file can be attached",
        AuthAction::Pragma { .. } => "PRAGMA may not be used",
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            "there are no transactions"
        }
        AuthAction::CreateTable { .. } | AuthAction::CreateView { .. } => {
            "only TEMP tables and views can be made"
        }
        _ => "this may not be done",
    };
    refused
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(what);
    Authorization::Deny
}

/// The kind of thing and the name in `no such table: x`.
fn named(message: &str) -> Option<(&str, &str)> {
    let (what, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    Some((what, name))
}

/// Where a word stands in a text, as a word of its own.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(word);
    found
        .find(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let behind = text[at + word.len()..].chars().next();
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
        .map(|(at, _)| at)
}

/// Line and column of a byte of a text, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = "SELECT 'ü' AS a,\n  b FRO";
        assert_eq!(place(text, text.find('a').unwrap_or(0)), (1, 15));
        assert_eq!(place(text, text.find("FRO").unwrap_or(0)), (2, 5));
        assert_eq!(place(text, 999), (2, 8));
    }

    #[test]
    fn words_are_found_whole() {
        assert_eq!(word("calls.call_x, call", "call"), Some(14));
        assert_eq!(word("calls", "call"), None);
    }
}
