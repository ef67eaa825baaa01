//! SQL over a recording, or several: SQLite, whose tables are views of the history.
//!
//! What lives here: the tables (`tables`), how SQLite finds rows in them (`table`, `glue`), what a statement may do (`allow`), functions, macros and
//! modules, which SQLite has not (`script`, `function`, `library`), what it may take (`meter`), what is said of a statement that is wrong (`told`) and where (`place`), and
//! rows as Arrow (`arrow`). Nothing is copied into SQLite's own tables: rows are read from the history when a
//! statement asks for them, and only the cells that it asks for. Texts are fuzzed: target `sql_script` of `integration/fuzz`.
//!
//! - A statement sees the history of each recording up to one timestamp, [`Statement::seen`], told before the rows.
//! - It can only read. Temporary tables and views are its own and go with it.
//! - A table that the recording's level leaves out is an error. What a gap, a lower level, damage or the end of the recording may
//!   hide is said in the notes behind the rows.

mod allow;
mod arrow;
mod asked;
mod bounds;
mod connect;
mod datum;
mod error;
mod extent;
mod function;
mod glue;
mod judged;
mod library;
mod meter;
mod numbers;
mod parameters;
mod place;
mod plan;
mod run;
mod script;
mod table;
mod tables;
mod told;
mod world;

use std::time::Duration;

pub use arrow::ArrowStream;
pub use asked::{Asked, MOST_ASKED, Seen};
pub use datum::Datum;
pub use error::SqlError;
pub use judged::{JudgedCall, JudgedSession, Judgements};
pub use library::{DefinedDoc, ModuleDoc, modules};
pub use place::{Place, Position};
pub use run::{Answered, Ended, LEAST_MEMORY, Limits, MEMORY, Statement, Taker};
pub use script::fuzzing;
pub use table::{Described, Type};

/// What tables there are.
pub fn described() -> Vec<Described> {
    tables::described().to_vec()
}

/// How long a statement may take where nobody says.
pub const TIMEOUT: Duration = Duration::from_secs(300);
