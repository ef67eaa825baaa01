//! JEL, the event log of JavaTA: a recording as Prolog facts, one a line, in the order of time.
//!
//! The nine kinds of events keep to the paper's grammar, so that rules that were written for its traces run on these. What it
//! has no words for stands in facts of other names, each told in `docs/queries.md`. Nothing is kept in memory but the calls that
//! run, the numbers of objects that were told of, and where some thousand exceptions land.

mod classes;
mod held;
mod landings;
mod terms;
mod walk;

use std::io::{self, Write};

use jhyde_history::History;

use crate::error::{Error, Result};
use crate::span::Span;

/// What an export holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Calls out of the scope, too.
    pub boundary: bool,
    /// Default values as `setfield` where an object is made.
    pub defaults: bool,
}

/// Writes a recording, as it is now, as facts. Returns how many events there were.
///
/// # Errors
/// When the recording cannot be read, or `out` fails (then [`Error::Cancelled`]).
pub fn export(history: &History, options: Options, out: &mut dyn Write) -> Result<u64> {
    let span = Span::of(history, None, None)?;
    let mut walk = walk::Walk::new(history, span, options, out);
    walk.all()?;
    Ok(walk.events())
}

/// Nobody takes what is written any more.
fn gone(_: io::Error) -> Error {
    Error::Cancelled
}
