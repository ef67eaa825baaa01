//! The way in: one [`Writer`] per recording that is being made.

use jhyde_trace::{
    ClassInfo, Event, ObjectId, ObjectInfo, RecordingMeta, State, ThreadInfo, Timestamp,
};

use crate::error::Result;

/// Appends to one recording. Lives on the thread that captures; there is one per recording.
///
/// Contract: a thread's info, an object's info and a class's info are given before the first event
/// that refers to them. Within a thread, an `Enter` carries the next preorder number (from 1) and
/// its parent is the innermost running call; an `Exit` names the innermost running call; every
/// other event names the innermost running call or the thread's root. An event that breaks this is
/// refused with [`crate::Error::Malformed`] and not appended; the recording goes on.
///
/// What is appended can be read at once. It is on disk after at most
/// [`crate::StoreOptions::flush_ms`]. When the disk falls behind, [`Writer::append`] blocks.
///
/// Dropping a writer without [`Writer::finish`] closes the recording as
/// [`State::Failed`]: somebody's bug, or a panic on the capturing thread.
#[derive(Debug)]
pub struct Writer {}

impl Writer {
    /// The recording's id.
    pub fn id(&self) -> &str {
        todo!()
    }

    /// Adds a class, or replaces what was known of it (its methods' tables were read, say).
    pub fn class(&mut self, class: ClassInfo) -> Result<()> {
        todo!("{class:?}")
    }

    /// Adds a thread.
    pub fn thread(&mut self, thread: ThreadInfo) -> Result<()> {
        todo!("{thread:?}")
    }

    /// Adds what is known of an object. Cheapest when ids rise from object to object; given again,
    /// the later info counts.
    pub fn object(&mut self, object: ObjectId, info: ObjectInfo) -> Result<()> {
        todo!("{object:?} {info:?}")
    }

    /// Appends an event and says which timestamp it got. Blocks while the disk is behind.
    ///
    /// After [`crate::Error::Closed`] nothing more can be appended; the caller lets the debuggee run on.
    pub fn append(&mut self, event: Event) -> Result<Timestamp> {
        todo!("{event:?}")
    }

    /// The timestamp that the next event will get.
    pub fn next_timestamp(&self) -> Timestamp {
        todo!()
    }

    /// Returns when all that was appended is on disk.
    pub fn flush(&mut self) -> Result<()> {
        todo!()
    }

    /// Changes what the recording says of itself (the JVM's identity, the state, notes).
    pub fn set_meta(&mut self, change: impl FnOnce(&mut RecordingMeta)) -> Result<()> {
        let _ = change;
        todo!()
    }

    /// Writes all that is left, with the final state and the time of the end, and closes.
    pub fn finish(self, state: State) -> Result<()> {
        todo!("{state:?}")
    }
}
