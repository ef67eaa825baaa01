//! What queries answer with: columns, and rows of typed cells.

use std::sync::Arc;

use jhyde_history::view::{CallView, PlaceView, ValueView};
use jhyde_trace::Timestamp;

/// What a column holds. A cell may also be null, where a column says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// A whole number.
    Int,
    /// Text.
    Text,
    /// The timestamp of an event.
    Event,
    /// A value of the program.
    Value,
    /// A call, with receiver, arguments and end.
    Call,
    /// Several calls.
    Calls,
    /// A place in the code.
    Place,
    /// Named values: the fields of an object.
    Fields,
}

/// A column of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub of: ColumnType,
    /// What that means; also when it is null.
    pub doc: &'static str,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name as in source.
    pub name: String,
    /// What it held; `None` where it had not been written.
    pub value: Option<ValueView>,
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing: the column says what that means.
    Null,
    /// A whole number.
    Int(u64),
    /// Text.
    Text(String),
    /// An event.
    Event(Timestamp),
    /// A value of the program.
    Value(ValueView),
    /// A call.
    Call(Arc<CallView>),
    /// Several calls.
    Calls(Vec<CallView>),
    /// A place.
    Place(PlaceView),
    /// Named values.
    Fields(Vec<Field>),
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn or_null<T>(found: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        found.map_or(Self::Null, cell)
    }
}

/// A row: a cell for each column.
pub type Row = Vec<Cell>;
