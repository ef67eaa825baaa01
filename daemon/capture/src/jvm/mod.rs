//! The debuggee's side: connections to JVMs, how an engine stands with one (`session`), what keeps them from harm when jhyded dies, and reading the program's
//! classes into the tables of [`crate::program`]. What is recorded of a run is not known here.

mod classes;
mod connection;
mod guard;
mod heard;
mod link;
mod members;
mod outside;
mod resolve;
mod session;

pub use connection::{ClassPaths, Connection, Waiter};
pub use guard::stand_guard;

pub(crate) use classes::classes_named;
pub(crate) use guard::{Guard, QUIET};
pub(crate) use heard::Heard;
pub(crate) use link::Link;
pub(crate) use session::{Jvm, StackFrame, ThreadNames, breakpoint, is_death};
