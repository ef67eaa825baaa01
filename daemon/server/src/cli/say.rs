//! Words for people on standard error. Where they cannot be written (it is closed, the disk is full) nobody reads them,
//! and nothing else stops for it.

use std::fmt;
use std::io::{self, Write as _};

/// A line.
pub(super) fn say(words: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "jhyded: {words}");
}

/// As it is.
pub(super) fn put(text: impl fmt::Display) {
    let _ = write!(io::stderr(), "{text}");
}
