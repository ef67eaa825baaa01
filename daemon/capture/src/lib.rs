//! Attaches to a JVM and turns what happens there into events: connecting, the scope, the engines.
//!
//! A [`Connection`] is a JVM that speaks JDWP; a [`Capture`] of it sets the event requests, and drives it, on the
//! thread that asks for it, until the recording ends, and writes events
//! into a [`jhyde_trace::Sink`]. Everything here blocks; nothing knows of gRPC, of files or of other recordings.
//!
//! Floors, each of which knows only those above it: `program`, tables of what the debuggee's classes are; `jvm`,
//! connections and what reads classes into the tables; `mirror`, the debuggee's frames and heap as they are worked out;
//! `contents`, what objects of the JDK hold; `recorder`, what every engine records with: the JVM that it asks, what it
//! knows of the debuggee, and where it tells it; `events`, the engine that follows threads by events; `probe`, the engine
//! that puts code into classes and derives the rest.
//!
//! Rules that hold everywhere: a thread of the debuggee that an event suspended is resumed in the
//! same turn in which its event is handled; nothing in the JVM is changed but event requests, and by the engine `probe`
//! the code of classes, which it puts back; and
//! what could not be seen is recorded as missing, never guessed.
//!
//! Start reading at `events/mod.rs`, the engine `events`.

#![forbid(unsafe_code)]

mod arrivals;
mod burden;
mod contents;
mod control;
mod engine;
mod error;
mod events;
mod jvm;
mod mirror;
mod objects;
mod pace;
mod probe;
mod program;
mod record;
mod recorder;
mod scope;
#[cfg(test)]
mod scripted;

pub use burden::Burden;
pub use control::{Controller, Ending, Finished};
pub use error::{CaptureError, ConnectError, FailureKind};
pub use jvm::{ClassPaths, Connection, Waiter, stand_guard};
pub use pace::STRETCH;
pub use record::Capture;
pub use scope::{PatternError, Scope};
