//! Sets of kinds of events, by which those that are looked for are told without making events of the others.

use super::Block;
use super::shape::op;
use crate::event::{EventKind, Outcome};

/// A set of kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// All of them.
    pub const ALL: Self = Self(u32::MAX);
    /// Beginnings of calls.
    pub const ENTERS: Self = Self(1 << op::ENTER);
    /// Ends of calls.
    pub const EXITS: Self = Self(1 << op::RETURNED | 1 << op::THREW | 1 << op::EXIT_UNKNOWN);
    /// Writes, and values that were only found.
    pub const WRITES: Self = Self(1 << op::WRITE | 1 << op::SNAPSHOT);
    /// Reads.
    pub const USES: Self = Self(1 << op::USE);
    /// Outcomes of conditions, and jumps back.
    pub const EDGES: Self = Self(1 << op::EDGE);
    /// Exceptions that are thrown, caught, or end their thread.
    pub const EXCEPTIONS: Self = Self(1 << op::THROWN | 1 << op::CAUGHT | 1 << op::UNCAUGHT);
    /// What happens at monitors.
    pub const MONITORS: Self = Self(1 << op::MONITOR);

    /// None.
    pub const NONE: Self = Self(0);
    /// Beginnings of threads.
    pub const THREAD_STARTS: Self = Self(1 << op::THREAD_START);
    /// Ends of threads.
    pub const THREAD_ENDS: Self = Self(1 << op::THREAD_END);
    /// Classes that are prepared.
    pub const CLASSES: Self = Self(1 << op::CLASS_PREPARED);
    /// Objects that are made.
    pub const CREATIONS: Self = Self(1 << op::NEW);
    /// Writes alone.
    pub const WRITTEN: Self = Self(1 << op::WRITE);
    /// Values that were found, and changes of what objects of the JDK hold: of which some are found, too.
    pub const FOUND: Self = Self(1 << op::SNAPSHOT | 1 << op::CONTENT);
    /// Changes of what objects of the JDK hold.
    pub const CONTENTS: Self = Self(1 << op::CONTENT);
    /// Exceptions that are thrown.
    pub const THROWN: Self = Self(1 << op::THROWN);
    /// Exceptions that are caught.
    pub const CAUGHT: Self = Self(1 << op::CAUGHT);
    /// Exceptions that end their thread.
    pub const UNCAUGHT: Self = Self(1 << op::UNCAUGHT);
    /// What was not recorded.
    pub const GAPS: Self = Self(1 << op::GAP);

    /// Is an event of this kind among them?
    pub fn contains(self, kind: &EventKind) -> bool {
        self.0 & 1 << number(kind) != 0
    }
}

/// The number that the shape of such an event has.
fn number(kind: &EventKind) -> u8 {
    match kind {
        EventKind::ThreadStart => op::THREAD_START,
        EventKind::ThreadEnd => op::THREAD_END,
        EventKind::ClassPrepared { .. } => op::CLASS_PREPARED,
        EventKind::Enter { .. } => op::ENTER,
        EventKind::Exit { outcome } => match outcome {
            Outcome::Returned(_) => op::RETURNED,
            Outcome::Threw(_) => op::THREW,
            Outcome::Unknown => op::EXIT_UNKNOWN,
        },
        EventKind::New { .. } => op::NEW,
        EventKind::Write { .. } => op::WRITE,
        EventKind::Use { .. } => op::USE,
        EventKind::Snapshot { .. } => op::SNAPSHOT,
        EventKind::Edge { .. } => op::EDGE,
        EventKind::Thrown { .. } => op::THROWN,
        EventKind::Caught { .. } => op::CAUGHT,
        EventKind::Uncaught { .. } => op::UNCAUGHT,
        EventKind::Monitor { .. } => op::MONITOR,
        EventKind::Gap { .. } => op::GAP,
        EventKind::Content { .. } => op::CONTENT,
    }
}

impl Block {
    /// Per shape ([`Block::shape_number`]): are its events of these kinds?
    pub fn shapes_of(&self, kinds: Kinds) -> Box<[bool]> {
        let shapes = self.shapes.iter();
        shapes.map(|shape| kinds.0 & 1 << shape.op != 0).collect()
    }
}
