//! Recordings on disk: blocks, indexes and the catalogue, in RocksDB (design, section 8).
//!
//! What lives here: the data folder and who may write in it ([`Catalogue`]), one recording's way
//! in ([`Writer`]) and its way out ([`Recording`]). What does not: where events come from
//! (`capture`), and what they mean to people (`history`). Nothing here is async: every call may
//! touch the disk, so callers on a runtime use its blocking threads.
//!
//! Reading order: [`records`] (what queries answer with), [`catalogue`], [`writer`], [`recording`].

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod error;
pub mod recording;
pub mod records;
pub mod writer;

pub use catalogue::{Catalogue, StoreOptions};
pub use error::{Error, Result};
pub use recording::{Recording, Rows, Watch, WatchGuard};
pub use records::{
    Arguments, CallOutcome, CallRecord, Creation, Direction, ExceptionEvent, ExceptionKind,
    Execution, FieldRef, MethodRef, OwnEvent, RootRecord, Stats, TimedEvent, Write,
};
pub use writer::Writer;
