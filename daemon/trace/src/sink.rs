//! Where what is captured goes: between who captures and who keeps, neither of whom knows the other.

use std::fs::File;

use thiserror::Error;

use crate::event::Event;
use crate::ids::{ObjectId, Timestamp};
use crate::level::Subject;
use crate::meta::{EngineKind, Level};
use crate::structure::{ClassInfo, ThreadInfo};
use crate::value::ObjectInfo;

/// The recording cannot be written any more: why, in words for people.
#[derive(Clone, Debug, Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Takes what an engine captures, in timestamp order. May block: that slows the debuggee down, and is
/// how a store that falls behind holds memory.
pub trait Sink: Send + 'static {
    /// Adds or replaces a class.
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError>;
    /// Adds a thread.
    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError>;
    /// Says what is known of an object, before the first event that refers to it.
    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError>;
    /// From the next event on something is recorded at another level: a [`crate::LevelFact`] with the next timestamp. The
    /// reason is for people.
    fn level(&mut self, of: Subject, level: Level, reason: String) -> Result<(), SinkError>;
    /// What was appended from an event on may be false, as is known only now: a [`crate::LevelFact`] that is doubted.
    fn doubt(&mut self, since: Timestamp, reason: String) -> Result<(), SinkError>;
    /// The engine that records, where that was left open, and why, for people. Told before anything is recorded; again,
    /// if another goes on.
    fn engine(&mut self, engine: EngineKind, why: String) -> Result<(), SinkError>;
    /// A file without a name, where the recording is, for what whoever captures has no memory for. It takes room on that disk until it is
    /// closed, and is none of the recording.
    fn scratch(&mut self) -> Result<File, SinkError>;
    /// Appends events, in order; they get the next timestamps. Where one cannot be written, those before it are.
    fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError>;
}
