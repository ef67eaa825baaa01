//! Trees made by hand or at random for the tests: a list of enters and exits per thread, of which any
//! beginning is the tree of a program that still runs.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::convert::Infallible;
use std::ops::Range;

use jhyde_debugging::{CallFacts, ComputationTree, Coverage, Entities};
use jhyde_trace::{CallId, ClassId, MethodId, ThreadId, Timestamp};

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Thread (index), method, boundary.
    Enter(usize, u32, bool),
    /// The innermost call of the thread ends.
    Exit(usize),
}

/// A tree as far as its program ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) threads: Vec<Vec<CallFacts>>,
    pub(crate) parents: Vec<Vec<Option<usize>>>,
    pub(crate) live: bool,
    stacks: Vec<Vec<usize>>,
    now: u64,
}

impl Tree {
    pub(crate) fn run(steps: &[Step], live: bool) -> Self {
        let mut tree = Self {
            live,
            ..Self::default()
        };
        steps.iter().for_each(|step| tree.step(*step));
        tree
    }

    pub(crate) fn step(&mut self, step: Step) {
        let (Step::Enter(thread, ..) | Step::Exit(thread)) = step;
        while self.threads.len() <= thread {
            self.threads.push(Vec::new());
            self.parents.push(Vec::new());
            self.stacks.push(Vec::new());
        }
        match step {
            Step::Enter(_, method, boundary) => {
                for at in &self.stacks[thread] {
                    self.threads[thread][*at].subtree += 1;
                }
                self.parents[thread].push(self.stacks[thread].last().copied());
                self.stacks[thread].push(self.threads[thread].len());
                self.threads[thread].push(CallFacts {
                    subtree: 1,
                    enter: Timestamp(self.now),
                    method: MethodId(method),
                    boundary,
                    complete: false,
                    lost: false,
                });
                self.now += 1;
            }
            Step::Exit(_) => {
                if let Some(at) = self.stacks[thread].pop() {
                    self.threads[thread][at].complete = true;
                    self.now += 1;
                }
            }
        }
    }

    pub(crate) fn id(thread: usize, at: usize) -> CallId {
        CallId::new(ThreadId(thread as u32 + 1), at as u64 + 1)
    }

    /// All calls with what is known of them.
    pub(crate) fn all(&self) -> Vec<(CallId, CallFacts)> {
        let calls = self.threads.iter().enumerate();
        calls
            .flat_map(|(t, calls)| {
                calls
                    .iter()
                    .enumerate()
                    .map(move |(at, f)| (Self::id(t, at), *f))
            })
            .collect()
    }

    /// Is `outer` the call `inner` or one of its ancestors? By way of the parents.
    pub(crate) fn is_within(&self, inner: CallId, outer: CallId) -> bool {
        let parents = &self.parents[inner.thread.0 as usize - 1];
        let mut at = Some(inner.preorder as usize - 1);
        while let Some(call) = at {
            if Self::id(inner.thread.0 as usize - 1, call) == outer {
                return true;
            }
            at = parents[call];
        }
        false
    }
}

impl ComputationTree for Tree {
    type Error = Infallible;

    fn is_live(&self) -> Result<bool, Infallible> {
        Ok(self.live)
    }

    fn threads(&self) -> Result<Vec<(ThreadId, u64)>, Infallible> {
        let calls = self.threads.iter().enumerate();
        Ok(calls
            .map(|(t, calls)| (ThreadId(t as u32 + 1), calls.len() as u64))
            .collect())
    }

    fn calls(
        &self,
        thread: ThreadId,
        preorders: Range<u64>,
        visit: &mut dyn FnMut(CallFacts),
    ) -> Result<(), Infallible> {
        let calls = &self.threads[thread.0 as usize - 1];
        for number in preorders {
            if let Some(facts) = calls.get(number as usize - 1) {
                visit(*facts);
            }
        }
        Ok(())
    }

    fn class_of(&self, method: MethodId) -> Result<Option<ClassId>, Infallible> {
        Ok(Some(ClassId(method.0 / 2)))
    }
}

/// Coverage told by hand: per thread and position the entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered {
    pub(crate) sets: Vec<Vec<u32>>,
    pub(crate) calls: Vec<Vec<Option<usize>>>,
    pub(crate) entities: usize,
}

impl Coverage for Covered {
    fn sets(&self, _: Entities) -> usize {
        self.sets.len()
    }

    fn visit(&self, _: Entities, set: usize, visit: &mut dyn FnMut(u32)) {
        self.sets[set].iter().copied().for_each(visit);
    }

    fn entities(&self, _: Entities) -> usize {
        self.entities
    }

    fn covered(&self, _: Entities, call: CallId) -> Option<usize> {
        let calls = self.calls.get(call.thread.0 as usize - 1)?;
        calls.get(call.preorder as usize - 1).copied().flatten()
    }
}
