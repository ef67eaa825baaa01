//! Queries over one recording, each with a name, parameters and typed rows: those that JavaTA asked of its traces.
//!
//! What lives here: what queries there are ([`catalogue`]), a query with its parameters read ([`Prepared`]), what it
//! answers with ([`answer`]); a recording as Prolog facts ([`jel`]), and as tables of SQL ([`sql`]); two recordings held against each other ([`compare`]). What does not: what calls, values and states mean (`history`), where they lie (`store`),
//! gRPC. Nothing here is async; every query may read from the disk.
//!
//! - A query sees the history up to one timestamp, [`Prepared::until`], which is told with the answer: what a running
//!   recording gets meanwhile is not in it. What had not ended by then is shown as running.
//! - Rows are handed over as they are found; whoever takes them may end the query.
//! - What the level, a gap, damage or the end of a recording may hide is said. A question to be answered by yes or no
//!   gets "no" only where nothing can have been missed ([`named`]).

#![deny(unsafe_code)]

pub mod answer;
pub mod catalogue;
pub mod compare;
pub mod error;
mod flight;
pub mod jel;
mod literal;
pub mod named;
mod nearest;
mod prepared;
mod sight;
mod span;
pub mod sql;
mod time_order;

pub use answer::{Cell, Column, ColumnType, Field};
pub use error::{Error, Result};
pub use prepared::{Prepared, Request};
