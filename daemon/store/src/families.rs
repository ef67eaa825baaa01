//! The column families: what each holds, how its keys and values look, who writes and who removes.
//!
//! To add one: a type here and a line in [`ALL`]; opening, `inspect` and `check` follow that list.
//! Integers in keys are big-endian, so that the order of bytes is the order of the numbers. A name,
//! once used, is never used for anything else. Nothing is ever removed from a recording except,
//! when groups of the index are merged, the merged groups, and what a recording that keeps its newest part cuts off
//! ([`crate::ring`]).

use jhyde_trace::{CallId, ClassId, MethodId, ThreadId, Timestamp};

/// A column family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Family {
    /// Its name in RocksDB.
    pub(crate) name: &'static str,
    /// Are the values compressed already?
    pub(crate) compressed: bool,
    /// After so many bytes RocksDB begins its next block, which is what it reads, and what damage of a byte costs:
    /// one value where values are large.
    pub(crate) block: usize,
    /// Size of a write buffer, bytes.
    pub(crate) buffer: usize,
    /// Does it only repeat what the event blocks say? See [`crate::rows`].
    pub(crate) derived: bool,
    /// Recordings that were made before there was such a table have none: it is empty there.
    pub(crate) later: bool,
}

const fn small(name: &'static str) -> Family {
    Family {
        name,
        compressed: false,
        block: 16 << 10,
        buffer: 1 << 19,
        derived: false,
        later: false,
    }
}

const fn derived(name: &'static str) -> Family {
    Family {
        derived: true,
        ..small(name)
    }
}

/// Event blocks. Key: first timestamp u64. Value: `jhyde_trace::block`, format 1. The flusher writes
/// a full block once; before that the block's beginning, under the same key, every few
/// hundred milliseconds. A block without an entry in [`DIRECTORY`] is such a beginning.
pub(crate) const BLOCKS: Family = Family {
    name: "blocks",
    compressed: true,
    block: 1 << 10,
    buffer: 2 << 20,
    derived: false,
    later: false,
};

/// Which full blocks there are. Key: first timestamp u64. Value: `BlockEntry`. Written in one batch
/// with the block and everything that indexes it.
pub(crate) const DIRECTORY: Family = derived("directory");

/// Which blocks have events of a thread. Key: thread u32, first timestamp of the block u64. Value:
/// `ThreadEntry`.
pub(crate) const THREAD_BLOCKS: Family = derived("thread_blocks");

/// In which block a call was entered: the last entry at or before the call. Key: packed id u64 of
/// the first call of a thread that was entered in a block. Value: first timestamp of the block u64.
pub(crate) const CALL_BLOCKS: Family = derived("call_blocks");

/// Calls that do not begin and end in one block. Key: packed id u64. Value: `LongCall`. Written
/// with the block of the enter, and again, complete, with that of the exit.
pub(crate) const LONG_CALLS: Family = derived("long_calls");

/// Which blocks hold own events of a long call or a root. Key: packed id u64, first timestamp of
/// the block u64. No value.
pub(crate) const OWN_BLOCKS: Family = derived("own_blocks");

/// Which blocks hold enters of a method. Key: method u32, first invocation in the block u64. Value:
/// first timestamp of the block u64.
pub(crate) const METHOD_BLOCKS: Family = derived("method_blocks");

/// Runs of postings: which blocks write a variable, create an object, execute a place. Key: number
/// of the group's first block u32, number behind its last block u32, first posting of the run (16 bytes).
/// Value: `index::run`, format 1. Written per group of blocks; merged when a recording is sealed.
pub(crate) const INDEX: Family = Family {
    name: "index",
    compressed: true,
    block: 16 << 10,
    buffer: 1 << 20,
    derived: false,
    later: false,
};

/// What is known of objects, in runs of rising ids. Key: first object id u64. Value: `objects::run`,
/// format 1. Written with the block during which they were described.
pub(crate) const OBJECTS: Family = Family {
    name: "objects",
    compressed: true,
    block: 1 << 10,
    buffer: 1 << 20,
    derived: false,
    later: false,
};

/// What is known of objects that were described out of order, or again. Key: object id u64. Value:
/// an `objects::run` of one. Counts more than [`OBJECTS`].
pub(crate) const LATE_OBJECTS: Family = small("late_objects");

/// Classes. Key: class u32. Value: `ClassInfo`, postcard, behind a checksum.
pub(crate) const CLASSES: Family = Family {
    block: 4 << 10,
    ..small("classes")
};

/// Threads. Key: thread u32. Value: `ThreadInfo`, postcard, behind a checksum.
pub(crate) const THREADS: Family = small("threads");

/// Source text, once per content. Key: number u32, dense. Value: the text, postcard, behind a checksum. See
/// [`crate::sources`].
pub(crate) const SOURCE_TEXTS: Family = Family {
    block: 4 << 10,
    later: true,
    ..small("source_texts")
};

/// Which source text a class has. Key: class u32. Value: `sources::OfClass`, postcard, behind a checksum.
pub(crate) const CLASS_SOURCES: Family = Family {
    block: 4 << 10,
    later: true,
    ..small("class_sources")
};

/// What is recorded at another level than was asked for, and from when on. Key: number u32, dense, in the order in which
/// it was told. Value: `LevelFact`, postcard, behind a checksum. Written before the first event that it is about.
pub(crate) const LEVELS: Family = Family {
    later: true,
    ..small("levels")
};

/// What threads did, in passages with digests: see `jhyde_trace::Passage`. Key: thread u32, first timestamp u64. Value: `Passage::encode`,
/// behind a checksum. Written with the block in which the passage ends. Only repeats what the event blocks say, and is not worked out again:
/// who compares reads the blocks where a passage is missing.
pub(crate) const PASSAGES: Family = Family {
    later: true,
    ..small("passages")
};

/// The sites that passages name. Key: number u32, dense. Value: `jhyde_trace::Site`, postcard, behind a checksum. Written with the block
/// in which the site is met first.
pub(crate) const SITES: Family = Family {
    later: true,
    ..small("sites")
};

/// What is counted of each block. Key: first timestamp u64. Value: `Tally`, postcard, behind a checksum. Written with the block, and cut
/// off with it. Only repeats what the block says, and is not worked out again: who counts reads the block where its tally is missing.
pub(crate) const TALLIES: Family = Family {
    later: true,
    ..small("tallies")
};

/// Everything that must not be opened without. See the list's use in `database`.
pub(crate) const ALL: [Family; 18] = [
    BLOCKS,
    DIRECTORY,
    THREAD_BLOCKS,
    CALL_BLOCKS,
    LONG_CALLS,
    OWN_BLOCKS,
    METHOD_BLOCKS,
    INDEX,
    OBJECTS,
    LATE_OBJECTS,
    CLASSES,
    THREADS,
    SOURCE_TEXTS,
    CLASS_SOURCES,
    LEVELS,
    PASSAGES,
    SITES,
    TALLIES,
];

/// A key of two parts, a u32 and a u64.
pub(crate) fn key_12(high: u32, low: u64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&high.to_be_bytes());
    key[4..].copy_from_slice(&low.to_be_bytes());
    key
}

/// A key of two u64.
pub(crate) fn key_16(high: u64, low: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&high.to_be_bytes());
    key[8..].copy_from_slice(&low.to_be_bytes());
    key
}

pub(crate) fn thread_block(thread: ThreadId, first: u64) -> [u8; 12] {
    key_12(thread.0, first)
}

pub(crate) fn passage(thread: ThreadId, first: Timestamp) -> [u8; 12] {
    key_12(thread.0, first.0)
}

pub(crate) fn method_block(method: MethodId, invocation: u64) -> [u8; 12] {
    key_12(method.0, invocation)
}

pub(crate) fn call(id: CallId) -> [u8; 8] {
    id.pack().to_be_bytes()
}

pub(crate) fn own_block(id: CallId, first: u64) -> [u8; 16] {
    key_16(id.pack(), first)
}

pub(crate) fn class(id: ClassId) -> [u8; 4] {
    id.0.to_be_bytes()
}

pub(crate) fn thread(id: ThreadId) -> [u8; 4] {
    id.0.to_be_bytes()
}

/// A posting run's key: the group's blocks `first .. end` and the run's first posting.
pub(crate) fn index_run(first: u32, end: u32, posting: u128) -> [u8; 24] {
    let mut key = [0; 24];
    key[..4].copy_from_slice(&first.to_be_bytes());
    key[4..8].copy_from_slice(&end.to_be_bytes());
    key[8..].copy_from_slice(&posting.to_be_bytes());
    key
}

/// A u64 at a place of a key or value, if it is that long.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A u32 at a place of a key, if it is that long.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_distinct() {
        for (at, family) in ALL.iter().enumerate() {
            assert!(
                ALL[..at].iter().all(|other| other.name != family.name),
                "{}",
                family.name
            );
        }
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_what_they_name(a: (u32, u64), b: (u32, u64), c: u128, d: u128) {
            prop_assert_eq!(key_12(a.0, a.1).cmp(&key_12(b.0, b.1)), a.cmp(&b));
            prop_assert_eq!(key_16(a.1, b.1).cmp(&key_16(b.1, a.1)), (a.1, b.1).cmp(&(b.1, a.1)));
            prop_assert_eq!(
                index_run(a.0, b.0, c).cmp(&index_run(b.0, a.0, d)),
                (a.0, b.0, c).cmp(&(b.0, a.0, d))
            );
            prop_assert_eq!(u64_at(&key_12(a.0, a.1), 4), Some(a.1));
            prop_assert_eq!(u32_at(&key_12(a.0, a.1), 0), Some(a.0));
        }
    }
}
