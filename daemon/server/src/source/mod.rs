//! Finding source text: which file a class names, where it may lie, and what is in it.
//!
//! A class says its package and its SourceFile attribute; both come from the recorded program, which is not to be
//! believed. So [`name`] refuses whatever is more than a file's name of a language of the JVM, and [`place`] whatever
//! lies outside the folder or archive that was to be searched. [`path`] says what is searched, in which order: what
//! the user named, then what the program's class path and folder suggest, then the JDK's own source. [`text`] makes
//! lines of bytes, and [`fit`] tells whether they can be the class's.
//!
//! [`diff`] reads what changed between two versions of a source.
//!
//! Nothing here knows recordings, gRPC or JVMs: `daemon::sources` has it look while a program is recorded,
//! `services::source` when somebody asks.

pub mod diff;
pub mod fit;
pub mod name;
pub mod path;
pub mod place;
pub mod text;

pub use fit::Fit;
pub use name::{Refused, SourceName};
pub use path::{Missing, Program, SourcePath};
pub use place::{Found, Trouble};
