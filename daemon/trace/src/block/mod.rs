//! Blocks: some thousand consecutive events as columns, in memory and as bytes.
//!
//! A [`Block`] holds the events of all threads from one timestamp on. It is built event by event by
//! a [`BlockBuilder`], which also checks that calls nest, and becomes bytes by [`Block::encode`] and
//! a block again by [`Block::decode`]. No I/O here: where the bytes go is the store's matter.
//!
//! **Why it gets small.** An event is cut into what the program's text decides and what the run decides.
//! The first part, its *shape* (kind, bytecode index, method, call site, field, types of values), is
//! one of few per block and is written once; the event then costs the shape's number, and that only
//! when it is not the one that followed the last time. The second part, its *payload* (values, object
//! ids, element indexes), goes to a column per role, as the difference to the value that the same shape
//! had last (or the column's last value, or nothing: whichever is smallest). Which call an event
//! belongs to costs nothing: it follows from the enters and exits before it.
//!
//! **Layout, version 2.** (Version 1 is read too: it has no changes, no gaps that reach back, and fewer payload
//! categories.) All integers are LEB128 varints unless said otherwise; a *column* is the self-describing integer column
//! of `ints`.
//!
//! ```text
//! "JB" magic, 1 byte version
//! first timestamp, events, wall clock at the first event in ms, ms from there to the last
//! threads: n, then per thread id, next preorder, innermost call, its depth, all at the block's begin
//! thread runs: columns thread position, run length
//! tag lists: n, then per list its length and its bytes (types of receiver and arguments)
//! shapes: columns op, variable, flags, index, a, b, tag list
//! stream: column of 64-bit words (bit set: the shape is not the one that followed the last shape of
//!         this thread the last time), column of those shapes
//! resurfaced: column of (exited - parent) for exits of calls entered before the block
//! invocations: column with the first invocation of each method, in order of first enter
//! texts: n, then per text its length and UTF-8 bytes
//! changes: of contents, see `changes`
//! payload: per category of `shape` one byte of predictor and a column
//! CRC-32 (IEEE) of all before, 4 bytes little-endian
//! ```

mod builder;
mod changes;
pub(crate) mod decode;
mod encode;
mod flow;
pub(crate) mod ints;
mod kinds;
mod passage;
mod read;
mod shape;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use builder::{BlockBuilder, Malformed};
pub use decode::DecodeError;
pub use flow::{BlockThread, CallRow, OuterExit};
pub use kinds::Kinds;
pub use passage::{Made, Met, Passage, Passages, Running, Site};
pub use read::{ContentView, EnterInfo, References, ShapeKind, WriteFilter, WriteView};

use crate::content::Change;
use crate::ids::{CallId, Timestamp};
use shape::Shape;

/// The format version that this code writes, and the highest that it reads. 1 has no changes of contents, 2 no value that may have been
/// written unseen ([`crate::Missing::Unseen`]) and nothing that is as it was told ([`Change::AsTold`]).
pub const FORMAT_VERSION: u8 = 3;

/// The most events that a block can have: positions and shape numbers fit 16 bits.
pub const MAX_EVENTS: usize = 1 << 16;

/// A block is full when its payload has this many values, whatever its number of events: calls
/// with hundreds of arguments must not make blocks of any size.
pub(crate) const FULL_PAYLOAD: usize = 1 << 18;

/// Consecutive events as columns. See the module for what is kept how.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub(crate) first: u64,
    /// Milliseconds since 1970-01-01 UTC at the first and at the last event.
    pub(crate) wall: (u64, u64),
    /// Distinct shapes, in order of first use.
    pub(crate) shapes: Vec<Shape>,
    /// Per shape, where its payload categories begin in `layout`; one more entry at the end.
    pub(crate) layout_at: Vec<u32>,
    /// Payload categories of all shapes, one after the other.
    pub(crate) layout: Vec<u8>,
    /// Value tags of receivers and arguments, interned.
    pub(crate) tag_lists: Vec<Arc<[u8]>>,
    /// Per event its shape.
    pub(crate) shape_of: Vec<u16>,
    /// Per event where its payload begins.
    pub(crate) payload_at: Vec<u32>,
    /// All payload values.
    pub(crate) payload: Vec<u64>,
    /// Per event its call, packed.
    pub(crate) calls: Vec<u64>,
    /// Threads with events here, in order of first event.
    pub(crate) threads: Vec<BlockThread>,
    /// Runs of events of one thread: position in `threads`, number of events.
    pub(crate) runs: Vec<(u32, u32)>,
    /// Methods entered here with the invocation number of their first enter here.
    pub(crate) methods: Vec<(u32, u64)>,
    /// Texts that payload refers to.
    pub(crate) texts: Vec<String>,
    /// Changes of contents that payload refers to.
    pub(crate) changes: Vec<Change>,
}

impl Block {
    /// The timestamp of the first event.
    pub fn first(&self) -> Timestamp {
        Timestamp(self.first)
    }

    /// The timestamp behind the last event.
    pub fn end(&self) -> Timestamp {
        Timestamp(self.first + self.shape_of.len() as u64)
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.shape_of.len()
    }

    /// Has it no events?
    pub fn is_empty(&self) -> bool {
        self.shape_of.is_empty()
    }

    /// Wall clock at the first and at the last event, milliseconds since 1970-01-01 UTC.
    pub fn wall_ms(&self) -> (u64, u64) {
        self.wall
    }

    /// The position of a timestamp, if it lies in this block.
    pub fn position(&self, at: Timestamp) -> Option<usize> {
        let position = at.0.checked_sub(self.first)?;
        (position < self.len() as u64).then_some(position as usize)
    }

    /// The timestamp of a position.
    pub fn timestamp(&self, position: usize) -> Timestamp {
        Timestamp(self.first + position as u64)
    }

    /// The call of the event at a position (see [`crate::Event::call`]); root of thread 0 behind the end.
    pub fn call(&self, position: usize) -> CallId {
        CallId::unpack(self.calls.get(position).copied().unwrap_or(0))
    }

    /// The threads that have events here, in order of their first event.
    pub fn threads(&self) -> &[BlockThread] {
        &self.threads
    }

    /// Methods entered here, each with the invocation number of its first enter here, in order of
    /// first enter.
    pub fn methods(&self) -> impl Iterator<Item = (crate::MethodId, u64)> {
        self.methods
            .iter()
            .map(|&(method, first)| (crate::MethodId(method), first))
    }

    /// About how many bytes this takes in memory.
    pub fn memory(&self) -> usize {
        let rows: usize = self
            .threads
            .iter()
            .map(|t| t.rows.len() * size_of::<CallRow>() + t.outer_exits.len() * 32 + 128)
            .sum();
        size_of::<Self>()
            + self.shapes.len() * (size_of::<Shape>() + 8)
            + self.len() * (2 + 4 + 8)
            + self.payload.len() * 8
            + self.runs.len() * 8
            + self.methods.len() * 16
            + self.changes.iter().map(changes::memory).sum::<usize>()
            + rows
    }
}
