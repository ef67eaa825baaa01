//! Calls out of the scope that run and may be changing what objects hold.
//!
//! Such a call has given up the turn: others run beside it. What it does to an object it has done between its beginning and its end,
//! and what it tells of it is looked at when its thread has the turn again. So that is what the object holds if no other call that may
//! change it runs then; and what follows from what it held before holds only where none ran meanwhile.

use jhyde_trace::{ObjectId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Changing {
    /// Per object the threads that have such calls, each as often as it has.
    by: FxHashMap<ObjectId, Vec<ThreadId>>,
    /// Those of them beside whose calls another thread had one.
    beside: FxHashSet<(ObjectId, ThreadId)>,
}

impl Changing {
    /// A call begins. Does one of another thread run?
    pub(super) fn begins(&mut self, object: ObjectId, thread: ThreadId) -> bool {
        let by = self.by.entry(object).or_default();
        let others = by.iter().filter(|by| **by != thread);
        let overlaps: Vec<_> = others.map(|&by| (object, by)).collect();
        by.push(thread);
        let is_beside = !overlaps.is_empty();
        self.beside.extend(overlaps);
        self.beside.extend(is_beside.then_some((object, thread)));
        is_beside
    }

    /// A call is over that had begun.
    pub(super) fn ends(&mut self, object: ObjectId, thread: ThreadId) {
        let Some(by) = self.by.get_mut(&object) else {
            return;
        };
        if let Some(at) = by.iter().rposition(|by| *by == thread) {
            by.swap_remove(at);
        }
        if !by.contains(&thread) {
            self.beside.remove(&(object, thread));
        }
        if by.is_empty() {
            self.by.remove(&object);
        }
    }

    /// Does a call of another thread run that may be changing it?
    pub(super) fn by_another(&self, object: ObjectId, thread: ThreadId) -> bool {
        let by = self.by.get(&object);
        by.is_some_and(|by| by.iter().any(|by| *by != thread))
    }

    /// Ran one beside what this thread does to it?
    pub(super) fn ran_beside(&self, object: ObjectId, thread: ThreadId) -> bool {
        self.beside.contains(&(object, thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: ObjectId = ObjectId(7);
    const ONE: ThreadId = ThreadId(1);
    const OTHER: ThreadId = ThreadId(2);

    #[test]
    fn calls_that_follow_each_other_have_nothing_beside_them() {
        let mut changing = Changing::default();
        for thread in [ONE, OTHER, ONE] {
            assert!(!changing.begins(LIST, thread));
            assert!(!changing.ran_beside(LIST, thread));
            changing.ends(LIST, thread);
            assert!(!changing.by_another(LIST, ONE) && !changing.by_another(LIST, OTHER));
        }
    }

    #[test]
    fn a_call_that_ended_was_beside_the_one_that_runs() {
        let mut changing = Changing::default();
        assert!(!changing.begins(LIST, ONE));
        assert!(changing.begins(LIST, OTHER));
        assert!(changing.by_another(LIST, ONE) && changing.by_another(LIST, OTHER));
        changing.ends(LIST, OTHER);
        assert!(!changing.by_another(LIST, ONE) && changing.by_another(LIST, OTHER));
        assert!(changing.ran_beside(LIST, ONE));
        changing.ends(LIST, ONE);
        assert!(!changing.ran_beside(LIST, ONE) && !changing.begins(LIST, OTHER));
    }

    #[test]
    fn a_call_in_a_call_of_one_thread_ends_alone() {
        let mut changing = Changing::default();
        changing.begins(LIST, ONE);
        assert!(!changing.begins(LIST, ONE), "its own is none beside it");
        changing.ends(LIST, ONE);
        assert!(changing.by_another(LIST, OTHER), "the outer one runs on");
        changing.ends(LIST, ONE);
        assert!(!changing.by_another(LIST, OTHER));
    }
}
