//! `jhyde`, the command line client: asks a daemon over `jhyde.v1` and shows the answers to people
//! (aligned, coloured) or to programs (`--json`).
//!
//! What lives where, in reading order: [`args`] (the command line), [`run`] (which command does it),
//! [`daemon`] (finds a daemon or starts one), [`client`] (the typed stubs), [`source`]
//! (source text beside what happened), [`commands`] (one file per
//! kind of question), [`jvms`] (what runs on this host), [`debug`] (the declarative session), [`memory`] (answers that outlive it), [`text`] (how things look to people),
//! [`json`] (how they look to programs), [`output`] (where both are written), [`error`].
//!
//! What does not: nothing here opens a recording or a JVM's port; the daemon does. Of our crates only
//! `jhyde-proto` is known.

#![deny(unsafe_code)]

/// In place of the standard one, which panics where standard error cannot be written (it is closed, the disk is full):
/// nobody reads the words then, and what is done goes on.
macro_rules! eprintln {
    ($($words:tt)*) => {{
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("{}\n", format_args!($($words)*)),
        );
    }};
}

pub mod args;
pub mod client;
pub mod commands;
pub mod daemon;
pub mod debug;
pub mod error;
pub mod help;
pub mod json;
pub mod jvms;
pub mod memory;
pub mod output;
pub mod progress;
pub mod run;
pub mod source;
pub mod text;

pub use run::main;
