//! Recordings on disk: blocks, indexes and the catalogue, in RocksDB (design, section 8).
//!
//! What lives here: the data folder and who may write in it ([`Catalogue`]), one recording's way
//! in ([`Writer`]) and its way out ([`Recording`]). What does not: where events come from
//! (`capture`), and what they mean to people (`history`). Nothing here is async: every call may
//! touch the disk, so callers on a runtime use its blocking threads.
//!
//! Reading order: [`records`] (what queries answer with), [`catalogue`], [`writer`], `flusher` (how it
//! gets to the disk), `families` (the tables there), `view` and [`recording`] (how it is found again).

#![forbid(unsafe_code)]

pub mod archive;
pub mod catalogue;
pub mod error;
pub mod fuzzing;
pub mod integrity;
pub mod recording;
pub mod records;
pub mod sources;
pub mod watch;
pub mod writer;

mod added;
mod cache;
mod closing;
mod database;
mod derived;
mod described;
mod families;
mod flusher;
mod folder;
mod index;
mod list;
mod lock;
mod log;
mod objects;
mod open;
mod passages;
mod queries;
mod reads;
mod ring;
mod rows;
mod seal;
mod sessions;
mod sink;
mod state;
mod tally;
mod view;
mod whose;

pub use catalogue::retention::{Keep, Removal, RetentionPlan, RetentionReport};
pub use catalogue::{Catalogue, StoreOptions};
pub use closing::all_closed;
pub use error::{Error, Result};
pub use integrity::{CheckReport, InspectReport};
pub use queries::extent::Lookup;
pub use queries::gaps::gap_kind;
pub use reads::BlockReads;
pub use recording::{Recording, Rows};
pub use records::{
    Arguments, CallOutcome, CallRecord, ContentChange, Creation, Direction, ExceptionEvent,
    ExceptionKind, Execution, FieldRef, GapCount, Lowered, MethodEvent, MethodRef, OwnEvent,
    RootRecord, Stats, TimedEvent, Write,
};
pub use sources::{KeptSource, SourceKeeper, SourceRoom};
pub use tally::{Sum, Tally};
pub use watch::{Watch, WatchGuard};
pub use writer::Writer;
