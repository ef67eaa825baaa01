//! Where events go: the store's writer, or a list in tests.

use jhyde_store::Writer;
use jhyde_trace::{ClassInfo, Event, ObjectId, ObjectInfo, ThreadInfo};
use thiserror::Error;

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
    /// Appends an event; it gets the next timestamp.
    fn append(&mut self, event: Event) -> Result<(), SinkError>;
}

impl Sink for Writer {
    fn class(&mut self, class: ClassInfo) -> Result<(), SinkError> {
        Self::class(self, class).map_err(from_store)
    }

    fn thread(&mut self, thread: ThreadInfo) -> Result<(), SinkError> {
        Self::thread(self, thread).map_err(from_store)
    }

    fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<(), SinkError> {
        Self::object(self, object, info).map_err(from_store)
    }

    fn append(&mut self, event: Event) -> Result<(), SinkError> {
        Self::append(self, event).map(drop).map_err(from_store)
    }
}

fn from_store(error: jhyde_store::Error) -> SinkError {
    SinkError(error.to_string())
}
