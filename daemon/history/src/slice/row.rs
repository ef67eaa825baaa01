//! A call run again: its own events as rows, with what went into each.

use jhyde_trace::{CallId, FieldId, MethodId, ObjectId, Outcome, Timestamp, Variable};

use super::stack::Feeds;

/// Names that code knows by its constant pool, which a recording does not have: its events tell them.
pub(super) trait Names {
    /// A field's descriptor.
    fn field(&mut self, field: FieldId) -> Option<String>;
    /// A method's descriptor, and whether it is a static initialiser.
    fn method(&mut self, method: MethodId) -> Option<(String, bool)>;
}

/// An own event of the call, with what went into it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) at: Timestamp,
    /// Bytecode index in the call's method.
    pub(super) index: u32,
    pub(super) kind: RowKind,
    /// What went into its value: of a write what was written, of a condition what it tested, ….
    pub(super) value: Feeds,
    /// What went into where it was: the object, the array and the index.
    pub(super) place: Feeds,
    /// Of a call that begins: what went into each argument, the receiver first.
    pub(super) arguments: Vec<Feeds>,
}

/// What a [`Row`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RowKind {
    Use(Variable),
    Write,
    Edge,
    New(ObjectId),
    /// A call inside begins.
    Enter(CallId),
    /// It ends.
    Exit(CallId, Outcome),
    /// The call itself ends.
    End,
    Thrown,
    Caught,
    /// Something was not recorded.
    Gap,
    /// Something was recorded and cannot be read.
    Lost,
    /// The replay has nothing to say of it.
    Other,
}

/// The rows of a stretch of a call's life.
#[derive(Debug)]
pub(super) struct Replay {
    pub(super) rows: Vec<Row>,
}

impl Replay {
    /// The row of the event at this time.
    pub(super) fn row(&self, at: Timestamp) -> Option<&Row> {
        let found = self.rows.binary_search_by_key(&at, |row| row.at).ok()?;
        self.rows.get(found)
    }
}
