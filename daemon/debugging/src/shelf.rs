//! What is kept in memory of recordings, within a bound for all of them together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Something of each recording that was used lately. Whatever nobody works with may go at any time.
#[derive(Debug)]
pub(crate) struct Shelf<T> {
    /// Bytes.
    pub(crate) limit: usize,
    /// The most recently used last.
    kept: Mutex<VecDeque<(String, Arc<Slot<T>>)>>,
}

/// What is kept of one recording.
#[derive(Debug, Default)]
pub(crate) struct Slot<T> {
    pub(crate) kept: Mutex<T>,
    /// What it took when it was last weighed.
    bytes: AtomicUsize,
}

impl<T: Default> Shelf<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            kept: Mutex::default(),
        }
    }

    /// What is kept of a recording; something new if nothing is.
    pub(crate) fn of(&self, recording: &str) -> Arc<Slot<T>> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match all.iter().position(|(id, _)| id == recording) {
            Some(at) => all.remove(at),
            None => None,
        };
        let entry = entry.unwrap_or_else(|| (recording.to_owned(), Arc::default()));
        let slot = Arc::clone(&entry.1);
        all.push_back(entry);
        slot
    }

    /// Takes note of what a slot takes now, and lets go of what was used longest ago while all together take more
    /// than the limit.
    pub(crate) fn weigh(&self, slot: &Slot<T>, bytes: usize) {
        slot.bytes.store(bytes, Ordering::Relaxed);
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = |all: &VecDeque<(String, Arc<Slot<T>>)>| -> usize {
            let bytes = all
                .iter()
                .map(|(_, slot)| slot.bytes.load(Ordering::Relaxed));
            bytes.sum()
        };
        while taken(&all) > self.limit {
            // What somebody works with stays: two copies of one session would lose each other's answers. Copies
            // of the pointer are made under this lock only, so one owner means nobody.
            let idle = all
                .iter()
                .position(|(_, slot)| Arc::strong_count(slot) == 1);
            let Some(at) = idle else { break };
            all.remove(at);
        }
    }

    /// All that is kept now.
    pub(crate) fn all(&self) -> Vec<Arc<Slot<T>>> {
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(_, slot)| Arc::clone(slot)).collect()
    }

    /// Lets go of a recording.
    pub(crate) fn forget(&self, recording: &str) {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(id, _)| id != recording);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_goes_and_what_is_in_use_stays() {
        let shelf = Shelf::<u32>::new(100);
        let used = shelf.of("a");
        *used.kept.lock().expect("not poisoned") = 1;
        shelf.weigh(&used, 60);
        for (id, bytes) in [("b", 30), ("c", 30), ("d", 30)] {
            let slot = shelf.of(id);
            *slot.kept.lock().expect("not poisoned") = 1;
            shelf.weigh(&slot, bytes);
        }
        let known = |id: &str| *shelf.of(id).kept.lock().expect("not poisoned") == 1;
        assert!(known("a"), "somebody works with it");
        assert!(!known("b") && !known("c"), "they went first");
        assert!(known("d"));
        drop(used);
        shelf.forget("a");
        assert!(!known("a"));
    }
}
