//! `jhyde`, the command line client: asks a daemon over `jhyde.v1` and shows the answers to people
//! (aligned, coloured) or to programs (`--json`).
//!
//! What lives where, in reading order: [`args`] (the command line), [`run`] (which command does it),
//! [`daemon`] (finds a daemon or starts one), [`client`] (the typed stubs), [`commands`] (one file per
//! kind of question), [`debug`] (the declarative session), [`text`] (how things look to people),
//! [`json`] (how they look to programs), [`output`] (where both are written), [`error`].
//!
//! What does not: nothing here opens a recording or a JVM's port; the daemon does. Of our crates only
//! `jhyde-proto` is known.

#![deny(unsafe_code)]

pub mod args;
pub mod client;
pub mod commands;
pub mod daemon;
pub mod debug;
pub mod error;
pub mod help;
pub mod json;
pub mod output;
pub mod progress;
pub mod run;
pub mod text;

pub use run::main;
