//! Which blocks of events questions look into: what a question costs, in the unit in which recordings are read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts the blocks of one recording that are looked into: see [`crate::Recording::counting`].
#[derive(Debug, Default)]
pub struct BlockReads {
    /// A bit for each block that was looked into, by ordinal.
    looked_into: Mutex<Vec<u64>>,
    decoded: AtomicU64,
}

impl BlockReads {
    /// Blocks that were looked into, in memory or not, each counted once.
    pub fn blocks(&self) -> u64 {
        let bits = self
            .looked_into
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// How often a block was read from the disk and decoded: the others were in memory.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    pub(crate) fn look_into(&self, ordinal: u32) {
        let mut bits = self
            .looked_into
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let word = (ordinal / 64) as usize;
        if word >= bits.len() {
            bits.resize(word + 1, 0);
        }
        bits[word] |= 1 << (ordinal % 64);
    }

    pub(crate) fn decode_one(&self) {
        self.decoded.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_counted_once() {
        let reads = BlockReads::default();
        for ordinal in [0, 63, 64, 1000, 0, 64] {
            reads.look_into(ordinal);
        }
        reads.decode_one();
        assert_eq!((reads.blocks(), reads.decoded()), (4, 1));
    }
}
