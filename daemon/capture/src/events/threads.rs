//! The threads of the debuggee that have run code of the scope.
//!
//! While an event of one is handled, that one is taken out: it is looked up once, and what is left are the others.

use rustc_hash::FxHashMap;

use super::thread::Thread;

/// See the module.
#[derive(Default)]
pub(crate) struct Threads {
    here: FxHashMap<u64, Box<Thread>>,
    /// How many were met.
    met: u32,
    /// The one that ended last.
    last: Option<Box<Thread>>,
}

impl Threads {
    /// The number of a thread that was not met before.
    pub(crate) fn next_id(&mut self) -> jhyde_trace::ThreadId {
        self.met += 1;
        jhyde_trace::ThreadId(self.met)
    }

    /// Takes a thread out.
    pub(crate) fn take(&mut self, thread: jdwp::ThreadId) -> Option<Box<Thread>> {
        self.here.remove(&thread.0)
    }

    /// Puts it back, among those that are here or as the one that ended last.
    pub(crate) fn put(&mut self, thread: Box<Thread>) {
        match thread.ended {
            true => self.last = Some(thread),
            false => drop(self.here.insert(thread.jdwp.0, thread)),
        }
    }

    /// A thread by which the JVM can be asked: one that is here, or the one that ended last.
    pub(crate) fn take_any(&mut self) -> Option<Box<Thread>> {
        let any = self.here.keys().next().copied();
        match any {
            Some(any) => self.here.remove(&any),
            None => self.last.take(),
        }
    }

    /// A thread that is here.
    pub(crate) fn get(&self, thread: jdwp::ThreadId) -> Option<&Thread> {
        self.here.get(&thread.0).map(Box::as_ref)
    }

    /// All that are here.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.here.values().map(Box::as_ref)
    }

    /// The names of those that are here for which this holds.
    pub(crate) fn which(&self, holds: impl Fn(&Thread) -> bool) -> Vec<jdwp::ThreadId> {
        let all = self.iter().filter(|&thread| holds(thread));
        all.map(|thread| thread.jdwp).collect()
    }

    /// All that are here were resumed, with an unknown number of resumes before.
    pub(crate) fn forget_generations(&mut self) {
        for thread in self.here.values_mut() {
            thread.generation = None;
        }
    }

    /// Are all out of the scope, so that they stop before they run in it?
    pub(crate) fn are_outside(&self) -> bool {
        self.iter().all(|thread| match thread.stack.last() {
            Some(top) if top.boundary => thread.stops_behind_boundary(thread.stack.len() - 1),
            Some(top) => top.is_in_a_call(),
            None => true,
        })
    }
}
