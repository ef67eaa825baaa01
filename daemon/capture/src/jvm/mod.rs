//! The debuggee's side: connections to JVMs, what keeps them from harm when jhyded dies, and reading the program's
//! classes into the tables of [`crate::program`]. What is recorded of a run is not known here.

mod classes;
mod connection;
mod guard;
mod link;
mod members;
mod outside;
mod resolve;

pub use connection::{ClassPaths, Connection, Waiter};
pub use guard::stand_guard;

pub(crate) use guard::{Guard, QUIET};
pub(crate) use link::Link;
