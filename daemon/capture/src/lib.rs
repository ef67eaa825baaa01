//! Attaches to a JVM and turns what happens there into events: connecting, the scope, the engines.
//!
//! A [`Connection`] is a JVM that speaks JDWP; a [`Capture`] of it sets the event requests, and drives it, on the
//! thread that asks for it, until the recording ends, and writes events
//! into a [`jhyde_trace::Sink`]. Everything here blocks; nothing knows of gRPC, of files or of other recordings.
//!
//! Rules that hold everywhere: a thread of the debuggee that an event suspended is resumed in the
//! same turn in which its event is handled; nothing in the JVM is changed but event requests; and
//! what could not be seen is recorded as missing, never guessed.
//!
//! Start reading at `events/mod.rs`, the engine `events`.

#![forbid(unsafe_code)]

mod arrivals;
mod connection;
mod contents;
mod control;
mod engine;
mod error;
mod events;
mod guard;
mod link;
mod mirror;
mod objects;
mod record;
mod scope;
#[cfg(test)]
mod scripted;
mod structure;

pub use connection::{ClassPaths, Connection, Waiter};
pub use control::{Controller, Ending, Finished};
pub use error::{CaptureError, ConnectError, FailureKind};
pub use guard::stand_guard;
pub use record::Capture;
pub use scope::{PatternError, Scope};
