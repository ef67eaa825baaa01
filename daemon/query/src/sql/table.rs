//! Tables: their columns, and the ways in which rows are found.
//!
//! A table is told once, here in code: what SQLite is told of it, what the reference says, and how cells are read all come from
//! the same description.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::Direction;
use jhyde_trace::{CallId, Level, Timestamp};

use super::datum::Datum;
use super::extent::Reads;
use super::world::{RowsOf, World};
use crate::error::Result;

/// What a column holds. Any cell may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Whole numbers.
    Int,
    /// Numbers with a fraction.
    Real,
    /// Text.
    Text,
}

impl Type {
    /// As it is declared in SQL.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Int => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }

    /// What a declaration says, if it is one of these. `INT` is what SQLite writes for a temporary table made of a column of whole numbers.
    pub(super) fn declared(text: &str) -> Option<Self> {
        match text {
            "INTEGER" | "INT" => Some(Self::Int),
            "REAL" => Some(Self::Real),
            "TEXT" => Some(Self::Text),
            _ => None,
        }
    }
}

type ReadCell<T> = Box<dyn Fn(&World, &T) -> Result<Datum> + Send + Sync>;

/// A column and how it is read from a row.
pub(super) struct Column<T> {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) doc: String,
    /// An argument of a table function.
    pub(super) argument: bool,
    pub(super) cell: ReadCell<T>,
}

impl<T> Column<T> {
    pub(super) fn of(
        name: impl Into<String>,
        of: Type,
        doc: impl Into<String>,
        cell: impl Fn(&World, &T) -> Result<Datum> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            of,
            doc: doc.into(),
            argument: false,
            cell: Box::new(cell),
        }
    }

    pub(super) fn int(
        name: &str,
        doc: &str,
        cell: impl Fn(&World, &T) -> Result<Datum> + Send + Sync + 'static,
    ) -> Self {
        Self::of(name, Type::Int, doc, cell)
    }

    pub(super) fn text(
        name: &str,
        doc: &str,
        cell: impl Fn(&World, &T) -> Result<Datum> + Send + Sync + 'static,
    ) -> Self {
        Self::of(name, Type::Text, doc, cell)
    }

    /// An argument: each row has the value that was asked for, which the cursor knows.
    pub(super) fn argument(name: &str, doc: &str) -> Self {
        Self {
            argument: true,
            ..Self::of(name, Type::Text, doc, |_, _| Ok(Datum::Null))
        }
    }
}

/// A row that is itself, however it is found: SQLite unites what several indexes find by its number.
pub(super) trait Row: Send + Sync + 'static {
    /// The number: another for each row of a table.
    fn number(&self) -> u64;
}

type Find<T> = fn(&Arc<World>, &Bounds) -> Result<RowsOf<T>>;

/// A way in which rows are found. It may find more than those that are asked for: SQLite looks at each.
pub(super) struct Access<T> {
    /// What serves it, in words.
    pub(super) by: &'static str,
    /// Columns that must be compared with `=` (or `IN`, or by a join).
    pub(super) equal: &'static [&'static str],
    /// A column of timestamps that may be bounded, from below and above.
    pub(super) range: Option<&'static str>,
    /// Rows come by this column, rising.
    pub(super) order: Option<&'static str>,
    /// They can come falling, too.
    pub(super) backward: bool,
    /// About how many rows it looks at; at most one row where it is 1.
    pub(super) cost: f64,
    /// Which blocks of events it reads.
    pub(super) reads: Reads,
    pub(super) find: Find<T>,
}

/// A table.
pub(super) struct Table<T> {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    /// The level from which on there is anything in it.
    pub(super) level: Level,
    pub(super) columns: Vec<Column<T>>,
    pub(super) accesses: Vec<Access<T>>,
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Table").field(&self.name).finish()
    }
}

/// A table, for who wants to know what there is.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// The level from which on it can be asked.
    pub level: Level,
    /// Its columns: name, type, what it is.
    pub columns: Vec<(String, Type, String)>,
    /// Arguments, of a table function: name, what it is.
    pub arguments: Vec<(String, String)>,
    /// Which predicates an index serves: in words, with the index.
    pub served: Vec<(String, &'static str)>,
}

impl<T> Table<T> {
    pub(super) fn described(&self) -> Described {
        let columns = self.columns.iter().filter(|column| !column.argument);
        let arguments = self.columns.iter().filter(|column| column.argument);
        let is_argument = |name: &str| {
            let mut columns = self.columns.iter();
            columns.any(|column| column.argument && column.name == name)
        };
        let served = self.accesses.iter().map(|access| {
            let equal = access.equal.iter().filter(|name| !is_argument(name));
            let mut words: Vec<_> = equal.map(|name| format!("`{name} =`")).collect();
            if let Some(range) = access.range {
                words.push(format!("`{range}` between"));
            }
            let mut words = words.join(", ");
            if let Some(order) = access.order {
                let both = if access.backward { ", `DESC` too" } else { "" };
                let gap = if words.is_empty() { "" } else { "; " };
                words.push_str(&format!("{gap}in the order of `{order}`{both}"));
            }
            (words, access.by)
        });
        Described {
            name: self.name,
            doc: self.doc,
            level: self.level,
            columns: columns
                .map(|column| (column.name.clone(), column.of, column.doc.clone()))
                .collect(),
            arguments: arguments
                .map(|column| (column.name.clone(), column.doc.clone()))
                .collect(),
            served: served.collect(),
        }
    }

    /// `CREATE TABLE …`, as SQLite wants to be told of a virtual table.
    pub(super) fn declaration(&self) -> String {
        let columns = self.columns.iter().map(|column| {
            let hidden = if column.argument { " HIDDEN" } else { "" };
            format!("\"{}\" {}{hidden}", column.name, column.of.sql())
        });
        format!("CREATE TABLE x({})", columns.collect::<Vec<_>>().join(", "))
    }
}

/// What rows are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) equal: Vec<(&'static str, Datum)>,
    /// Timestamps at or behind this one.
    pub(super) from: u64,
    /// Timestamps before this one.
    pub(super) until: u64,
    /// The order of the access, if rows shall come in it.
    pub(super) order: Option<Direction>,
}

impl Bounds {
    /// A whole number that is asked for; none where what is asked for is none, so that no row has it.
    pub(super) fn number(&self, column: &str) -> Option<u64> {
        match self.get(column) {
            Some(Datum::Int(number)) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(super) fn text(&self, column: &str) -> Option<&str> {
        match self.get(column) {
            Some(Datum::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A call that is asked for, if there is one of this id in what is seen.
    pub(super) fn call(&self, column: &str, world: &World) -> Result<Option<CallId>> {
        let id = self.text(column).and_then(|id| id.parse::<CallId>().ok());
        let Some(id) = id.filter(|id| !id.is_root()) else {
            return Ok(None);
        };
        // The store takes a number that a thread never had for a mistake of who asks; here it is a value like another.
        if !world.recording().thread_ids().contains(&id.thread)
            || id.preorder > world.recording().root(id.thread)?.calls
        {
            return Ok(None);
        }
        let enter = world.recording().call(id)?.enter;
        Ok((enter < world.span.until).then_some(id))
    }

    /// Is it asked for?
    pub(super) fn has(&self, column: &str) -> bool {
        self.get(column).is_some()
    }

    fn get(&self, column: &str) -> Option<&Datum> {
        let mut equal = self.equal.iter();
        equal
            .find(|(name, _)| *name == column)
            .map(|(_, value)| value)
    }

    pub(super) fn range(&self) -> Range<Timestamp> {
        Timestamp(self.from)..Timestamp(self.until.max(self.from))
    }

    pub(super) fn direction(&self) -> Direction {
        self.order.unwrap_or(Direction::Forward)
    }
}

/// No rows.
pub(super) fn none<T: Send + 'static>() -> RowsOf<T> {
    Box::new(std::iter::empty())
}
