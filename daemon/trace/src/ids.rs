//! The identifiers of a recording. Each is a type of its own, so that they cannot be mixed up.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::echo::shown;

/// An event's number in its recording: dense, from 0. Not a clock.
///
/// The order respects each thread's own order and every happens-before edge between threads.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Timestamp(pub u64);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// A thread of the recording, numbered from 1 in the order in which the threads were first seen.
    ThreadId(u32)
}
number! {
    /// A class, interface or array type of the recording, numbered from 0 as first seen.
    ClassId(u32)
}
number! {
    /// A method, constructor or static initialiser, numbered from 0 over the whole recording.
    MethodId(u32)
}
number! {
    /// A field, static or not, numbered from 0 over the whole recording.
    FieldId(u32)
}
number! {
    /// An object or array. Unique in the recording and never used again; written `object#12`.
    ObjectId(u64)
}

/// A call: its thread and its preorder number there.
///
/// Preorder is the order of entering, so the number is known at enter and never changes. Number 0
/// is the thread's root, which stands for no method; real calls count from 1. Written
/// `THREAD.PREORDER`, such as `1.7`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct CallId {
    /// The thread that the call ran in.
    pub thread: ThreadId,
    /// The call's preorder number in its thread: 0 is the root, below 2^40.
    pub preorder: u64,
}

impl CallId {
    const PREORDER_BITS: u32 = 40;

    /// The call with this number in this thread.
    pub const fn new(thread: ThreadId, preorder: u64) -> Self {
        Self { thread, preorder }
    }

    /// The root above all calls of a thread.
    pub const fn root(thread: ThreadId) -> Self {
        Self {
            thread,
            preorder: 0,
        }
    }

    /// Is this the root of a thread and not a real call?
    pub const fn is_root(self) -> bool {
        self.preorder == 0
    }

    /// One number for thread and preorder, in the same order as the ids: thread in the upper 24
    /// bits, preorder in the lower 40.
    pub const fn pack(self) -> u64 {
        ((self.thread.0 as u64) << Self::PREORDER_BITS) | self.preorder
    }

    /// The inverse of [`CallId::pack`].
    pub const fn unpack(packed: u64) -> Self {
        Self {
            thread: ThreadId((packed >> Self::PREORDER_BITS) as u32),
            preorder: packed & ((1 << Self::PREORDER_BITS) - 1),
        }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.thread.0, self.preorder)
    }
}

/// A text that should have been a call id is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{}' is not a call id; one is written THREAD.NUMBER, such as 1.7", shown(.0))]
pub struct InvalidCallId(pub String);

impl FromStr for CallId {
    type Err = InvalidCallId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidCallId(text.to_owned());
        let (thread, preorder) = text.split_once('.').ok_or_else(invalid)?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(thread) || !digits(preorder) {
            return Err(invalid());
        }
        let thread: u32 = thread.parse().map_err(|_| invalid())?;
        let preorder: u64 = preorder.parse().map_err(|_| invalid())?;
        if thread >= 1 << (u64::BITS - Self::PREORDER_BITS) || preorder >= 1 << Self::PREORDER_BITS
        {
            return Err(invalid());
        }
        Ok(Self::new(ThreadId(thread), preorder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_ids_are_written_and_read_back() {
        let id = CallId::new(ThreadId(3), 17);
        assert_eq!(id.to_string(), "3.17");
        assert_eq!("3.17".parse(), Ok(id));
        assert_eq!(CallId::unpack(id.pack()), id);
        for bad in [
            "",
            "3",
            "3.",
            ".7",
            "-1.2",
            "+1.2",
            "1.2.3",
            "16777216.0",
            "1.1099511627776",
        ] {
            assert!(bad.parse::<CallId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn packing_keeps_the_order() {
        let low = CallId::new(ThreadId(1), (1 << 40) - 1);
        let high = CallId::new(ThreadId(2), 0);
        assert!(low < high && low.pack() < high.pack());
    }
}
