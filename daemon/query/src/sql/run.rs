//! A statement runs, and its rows go out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jhyde_history::History;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection};

use super::allow::Refused;
use super::asked::{Asked, Seen, schemas};
use super::connect::connect;
use super::datum::Datum;
use super::error::SqlError;
use super::function::{self, Shared};
use super::meter::{self, Meter};
use super::parameters::Parameters;
use super::plan::{self, Plan};
use super::script::{Expanded, Function, Problem, Script, Step};
use super::table::Type;
use super::told::Failure;
use super::world::World;
use crate::error::{Error, Result};
use crate::span::Span;

/// So long may a text be, in bytes.
const LONGEST: usize = 1 << 20;

/// What a statement may cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// It is ended after this time.
    pub timeout: Option<Duration>,
    /// No more rows are looked for after so many.
    pub rows: Option<u64>,
    /// Bytes of memory that SQLite may take for it; [`MEMORY`] where that is not said.
    pub memory: Option<u64>,
}

/// A column of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered<'a> {
    /// Its name.
    pub name: &'a str,
    /// What the table declares that it is from; none for what was computed. Tables of jhyde's hold nothing else, temporary ones may.
    pub declared: Option<Type>,
}

/// Bytes of memory that a statement may take where nobody says.
pub const MEMORY: u64 = 256_000_000;
/// With less SQLite does not even know its tables.
pub const LEAST_MEMORY: u64 = 8_000_000;
/// Bytes of temporary files into which sorting and temporary tables may spill.
pub(super) const FILES: u64 = 8_000_000_000;

/// What somebody asks in SQL.
#[derive(Debug)]
pub struct Statement {
    /// One for each recording.
    pub(super) worlds: Vec<Arc<World>>,
    pub(super) seen: Arc<[Seen]>,
    pub(super) text: String,
    deadline: Option<Instant>,
    rows: u64,
    pub(super) memory: u64,
    explain: bool,
    /// What each `$name` in it is.
    pub(super) parameters: Parameters,
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
    /// So many blocks of events were looked into, of all recordings, each counted once.
    pub blocks: u64,
    /// So often one was read from the disk for it: the others were in memory.
    pub decoded: u64,
}

/// Takes the parts of an answer.
pub trait Taker {
    /// The columns: comes first, once.
    ///
    /// # Errors
    /// When nobody takes them.
    fn columns(&mut self, columns: &[Answered<'_>]) -> Result<()>;

    /// A row: a cell for each column.
    ///
    /// # Errors
    /// When nobody takes it.
    fn row(&mut self, cells: Vec<Datum>) -> Result<()>;
}

impl Statement {
    /// Reads nothing yet: the history is seen as it is now, or, of a single recording, up to the event `to`.
    ///
    /// # Errors
    /// When `to` makes no sense, or the names of the recordings do not.
    pub fn new(asked: Vec<Asked>, text: String, to: Option<u64>, limits: Limits) -> Result<Self> {
        if text.len() > LONGEST {
            return Err(wrong(&format!(
                "a text has at most {LONGEST} bytes, and this has {}",
                text.len()
            )));
        }
        let memory = limits.memory.unwrap_or(MEMORY);
        if memory < LEAST_MEMORY {
            return Err(wrong(&format!(
                "a statement needs {} of memory at least",
                megabytes(LEAST_MEMORY)
            )));
        }
        let deadline = limits
            .timeout
            .and_then(|time| Instant::now().checked_add(time));
        let asked: Vec<_> = asked
            .into_iter()
            .map(|asked| Asked {
                history: asked.history.ending_at(deadline).counting(Arc::default()),
                ..asked
            })
            .collect();
        let schemas = schemas(&asked)?;
        if to.is_some() && asked.len() > 1 {
            return Err(wrong(
                "an end (--to) is an event of one recording: say WHERE timestamp < … of each instead",
            ));
        }
        let spans = asked.iter().map(|asked| Span::of(&asked.history, None, to));
        let spans = spans.collect::<Result<Vec<_>>>()?;
        let seen = asked
            .iter()
            .zip(schemas)
            .zip(&spans)
            .map(|((asked, schema), span)| Seen {
                schema,
                meta: Arc::new(asked.history.recording().meta()),
                until: span.until,
                recording: Arc::clone(asked.history.recording()),
            });
        let seen: Arc<[Seen]> = seen.collect();
        let peers: Arc<[History]> = asked.iter().map(|asked| asked.history.clone()).collect();
        let worlds = asked.into_iter().zip(spans).map(|(asked, span)| {
            Arc::new(World::new(
                asked,
                span,
                Arc::clone(&seen),
                Arc::clone(&peers),
            ))
        });
        Ok(Self {
            worlds: worlds.collect(),
            seen,
            text,
            deadline,
            rows: limits.rows.unwrap_or(u64::MAX),
            memory,
            explain: false,
            parameters: Parameters::default(),
        })
    }

    /// What each `$name` in it is: a whole number where it is written as one, else a text.
    #[must_use]
    pub fn with(mut self, parameters: impl IntoIterator<Item = (String, String)>) -> Self {
        self.parameters = parameters.into_iter().collect();
        self
    }

    /// Instead of running, tells how it would: the tables in the order in which they are gone through, which index serves each, and how
    /// many blocks of events are read for it at most.
    #[must_use]
    pub fn explained(mut self) -> Self {
        self.explain = true;
        self.worlds.iter().for_each(|world| world.explain());
        self
    }

    /// What is asked, in the order in which it was named, and how much of each is seen.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// When its time is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Runs it.
    ///
    /// # Errors
    /// When it is wrong, may not be done, took too long, or the recording cannot be read.
    pub fn run(&self, taker: &mut dyn Taker) -> Result<Ended> {
        if !meter::install() {
            return Err(SqlError::Failed(
                "SQLite is used by somebody else in this process, and would have no limits"
                    .to_owned(),
            )
            .into());
        }
        let _meter = Meter::start(self.memory, FILES);
        let refused: Refused = Arc::default();
        let mut run = || -> Result<Ended, Failure> {
            let connection = connect(self, &refused)?;
            self.answer(&connection, taker)
        };
        let mut ended = run().map_err(|failure| self.told(failure, &refused))?;
        for reads in self
            .worlds
            .iter()
            .filter_map(|world| world.recording().reads())
        {
            ended.blocks += reads.blocks();
            ended.decoded += reads.decoded();
        }
        for (world, seen) in self.worlds.iter().zip(self.seen.iter()) {
            let mut notes = world.take_notes();
            // All rows are there: what is said of them does not come too late.
            let history = world.history.clone().ending_at(None);
            notes.extend(history.hidden_notes(world.span.range())?);
            if world.span.to_the_end {
                notes.extend(world.history.end_note());
            }
            for note in notes {
                let note = match self.worlds.len() {
                    1 => note,
                    _ => format!("{}: {note}", seen.schema),
                };
                if !ended.notes.contains(&note) {
                    ended.notes.push(note);
                }
            }
        }
        Ok(ended)
    }

    fn answer(&self, connection: &Connection, taker: &mut dyn Taker) -> Result<Ended, Failure> {
        let mut run = Run {
            answered: false,
            unused: self.parameters.names(),
            plans: Vec::new(),
            explained: false,
            ended: Ended {
                rows: 0,
                more: false,
                notes: Vec::new(),
                blocks: 0,
                decoded: 0,
            },
        };
        let shared = Shared::new(self.worlds.clone());
        let mut script = Script::new(&self.text);
        while let Some(step) = script.next().map_err(Self::problem)? {
            match step {
                Step::Define(function) => self.define(connection, &shared, function)?,
                Step::Run(expanded) => {
                    let ran = self.run_one(connection, &expanded, taker, &mut run);
                    ran.map_err(|failure| failure.within(expanded))?;
                }
            }
        }
        if let Some(unused) = run.unused.first() {
            return Err(self.parameters.not_there(unused, &run.unused).into());
        }
        if !run.answered {
            return Err(wrong("there is nothing to answer: write a SELECT").into());
        }
        if self.explain && !run.explained {
            plan::tell(&run.plans, taker, &mut run.ended)?;
        }
        Ok(run.ended)
    }

    /// Makes a function known. One of the user's is looked at at once; of modules much may be there that this recording's level leaves out.
    fn define(
        &self,
        connection: &Connection,
        shared: &Arc<Shared>,
        function: Function,
    ) -> Result<(), Failure> {
        // Tables without a name before them are those of the first.
        let Some(world) = self.worlds.first() else {
            return Ok(());
        };
        let body = function.body.clone();
        let defined = function::define(connection, world, shared, function.clone());
        defined.map_err(|error| Failure::from(error).within(body.clone()))?;
        if function.source.module.is_some() {
            return Ok(());
        }
        let statement = connection.prepare(&body.text);
        let statement = statement.map_err(|error| Failure::from(error).within(body.clone()))?;
        let (columns, told) = (statement.column_count(), function.columns.len());
        let looked_at = function::unbound(&statement, &function).and_then(|()| match columns {
            columns if columns == told => Ok(()),
            _ => Err(format!(
                "the SELECT of {} has {columns} columns, and it RETURNS {told}",
                function.name
            )),
        });
        looked_at.map_err(|reason| {
            let (source, at) = (function.source.clone(), function.at);
            Self::problem(Problem { source, at, reason }).into()
        })
    }

    fn run_one(
        &self,
        connection: &Connection,
        expanded: &Expanded,
        taker: &mut dyn Taker,
        run: &mut Run<'_>,
    ) -> Result<(), Failure> {
        use rusqlite::fallible_iterator::FallibleIterator as _;
        let mut statements = Batch::new(connection, &expanded.text);
        while let Some(mut statement) = statements.next()? {
            self.parameters
                .bind(&mut statement, expanded, &mut run.unused)?;
            let answers = statement.column_count() > 0;
            if answers && std::mem::replace(&mut run.answered, true) {
                return Err(wrong("there are two SELECTs: ask one at a time (WITH, UNION ALL or a temporary view put several together)").into());
            }
            // What the text itself wants explained is the answer, whatever stands before it.
            run.explained |= statement.is_explain() != 0;
            if self.explain && statement.is_explain() == 0 {
                let text = statement.expanded_sql().unwrap_or_default();
                drop(statement);
                run.plans.extend(Plan::of(connection, &text, expanded)?);
                continue;
            }
            if !answers {
                statement.raw_execute()?;
                continue;
            }
            let columns: Vec<_> = statement.columns().collect();
            let columns = columns.iter().map(|column| Answered {
                name: column.name(),
                declared: column.decl_type().and_then(Type::declared),
            });
            taker.columns(&columns.collect::<Vec<_>>())?;
            let count = statement.column_count();
            let told = match statement.is_explain() {
                0 => cell,
                _ => cell_of_plan,
            };
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                if run.ended.rows == self.rows {
                    run.ended.more = true;
                    break;
                }
                let cells = (0..count).map(|at| row.get_ref(at).map(told));
                taker.row(cells.collect::<rusqlite::Result<_>>()?)?;
                run.ended.rows += 1;
            }
        }
        Ok(())
    }
}

/// How far the statements of a text have come.
struct Run<'a> {
    /// One of them had an answer.
    answered: bool,
    /// Values that no statement has wanted yet.
    unused: BTreeSet<&'a str>,
    /// How those so far would be answered, where that is asked for.
    plans: Vec<Plan>,
    /// The answer is one of SQLite's EXPLAIN.
    explained: bool,
    ended: Ended,
}

fn wrong(reason: &str) -> Error {
    let reason = reason.to_owned();
    SqlError::Wrong { reason }.into()
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
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

/// Without the address in the daemon's memory that SQLite names a virtual table by.
fn cell_of_plan(value: ValueRef<'_>) -> Datum {
    match cell(value) {
        Datum::Text(text) if text.starts_with("vtab:") => Datum::text("vtab"),
        other => other,
    }
}

#[cfg(test)]
mod tests;
