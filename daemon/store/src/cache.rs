//! Decoded blocks that were read lately, of all recordings together, bounded in bytes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jhyde_trace::Block;
use rustc_hash::FxHashMap;

/// A recording's number in this process, and the block's first timestamp.
type Key = (u32, u64);

/// A cache that gives every block that was asked for again a second chance before it goes.
#[derive(Debug)]
pub(crate) struct BlockCache {
    limit: usize,
    /// Bytes that others took of what the cache might have.
    charged: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    blocks: FxHashMap<Key, Entry>,
    /// In the order of entering.
    queue: VecDeque<Key>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    block: Arc<Block>,
    bytes: usize,
    asked_again: bool,
}

impl BlockCache {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            charged: AtomicUsize::new(0),
            inner: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, key: Key) -> Option<Arc<Block>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = inner.blocks.get_mut(&key)?;
        entry.asked_again = true;
        Some(entry.block.clone())
    }

    pub(crate) fn put(&self, key: Key, block: Arc<Block>) {
        let bytes = block.memory();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Entry {
            block,
            bytes,
            asked_again: false,
        };
        match inner.blocks.insert(key, entry) {
            Some(before) => inner.bytes -= before.bytes,
            None => inner.queue.push_back(key),
        }
        inner.bytes += bytes;
        let charged = self.charged.load(Ordering::Relaxed);
        let limit = self.limit.saturating_sub(charged).max(self.limit / 8);
        while inner.bytes > limit {
            let Some(oldest) = inner.queue.pop_front() else {
                break;
            };
            match inner.blocks.get_mut(&oldest) {
                Some(entry) if entry.asked_again && oldest != key => {
                    entry.asked_again = false;
                    inner.queue.push_back(oldest);
                }
                _ => {
                    if let Some(gone) = inner.blocks.remove(&oldest) {
                        inner.bytes -= gone.bytes;
                    }
                }
            }
        }
    }

    /// Takes room from the cache for something else that must be in memory (tables that grow with the recorded
    /// program); an eighth is always left. Takes effect when the next block comes.
    pub(crate) fn charge(&self, bytes: usize) {
        self.charged.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Gives room back.
    pub(crate) fn discharge(&self, bytes: usize) {
        self.charged.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What others took of it now, in bytes.
    #[cfg(test)]
    pub(crate) fn charged(&self) -> usize {
        self.charged.load(Ordering::Relaxed)
    }

    /// Forgets all blocks of a recording.
    pub(crate) fn forget(&self, recording: u32) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *inner;
        let Inner {
            blocks,
            queue,
            bytes,
        } = inner;
        queue.retain(|key| key.0 != recording);
        blocks.retain(|key, entry| {
            let keep = key.0 != recording;
            if !keep {
                *bytes -= entry.bytes;
            }
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_within_its_limit_and_keeps_what_is_asked_for() {
        let block = Arc::new(Block::default());
        let cache = BlockCache::new(block.memory() * 4);
        for at in 0..100 {
            cache.put((1, at), block.clone());
            assert!(
                cache.get((1, 0)).is_some() || at == 0,
                "asked for all the time, lost at {at}"
            );
        }
        let kept = (0..100).filter(|at| cache.get((1, *at)).is_some()).count();
        assert!((2..=4).contains(&kept), "{kept} kept");
        cache.charge(block.memory() * 2);
        cache.put((2, 0), block.clone());
        let kept = (0..100).filter(|at| cache.get((1, *at)).is_some()).count();
        assert!(kept <= 2, "{kept} kept where half the room is taken");
        cache.discharge(block.memory() * 2);
        cache.forget(1);
        assert!((0..100).all(|at| cache.get((1, at)).is_none()));
    }
}
