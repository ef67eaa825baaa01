//! The computation tree that is searched.
//!
//! A search needs little of a call: where its subtree ends, when it began, which method it is, and
//! whether it may be asked. [`ComputationTree`] is whoever can tell that (a recording), [`Forest`]
//! the compact copy that a search works on: about 21 bytes per call. Calls are numbered in preorder,
//! so a subtree is a range, and a recording that still runs only adds calls behind those that are
//! there; only running calls change. What a call's values were is not known here.

use std::collections::hash_map::Entry;
use std::ops::Range;

use jhyde_trace::{CallId, ClassId, MethodId, ThreadId, Timestamp};
use rustc_hash::FxHashMap;

/// What a search needs to know of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFacts {
    /// Number of calls in its subtree, itself included; so far, if it still runs.
    pub subtree: u64,
    /// Timestamp of its enter event.
    pub enter: Timestamp,
    /// Its method.
    pub method: MethodId,
    /// Is it a call to a method outside the scope? Then it is trusted.
    pub boundary: bool,
    /// Was its end seen?
    pub complete: bool,
    /// Nothing is known of it but its number, because a part of the recording is damaged: nobody can be asked
    /// about it.
    pub lost: bool,
}

impl CallFacts {
    /// A call of which nothing is known but that there is one, behind or below what was entered at a time.
    pub fn lost(enter: Timestamp) -> Self {
        Self {
            subtree: 1,
            enter,
            method: MethodId(u32::MAX),
            boundary: false,
            complete: true,
            lost: true,
        }
    }
}

/// Whoever knows the computation tree, complete or still growing.
pub trait ComputationTree {
    /// Why it could not be read.
    type Error;

    /// Can calls still be added or completed?
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn is_live(&self) -> Result<bool, Self::Error>;

    /// The threads and the number of calls of each, the root not counted. A thread's calls have the
    /// preorder numbers from 1 to that number.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn threads(&self) -> Result<Vec<(ThreadId, u64)>, Self::Error>;

    /// Visits the calls with these preorder numbers, in order. Fewer may be visited where the tree
    /// has fewer.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn calls(
        &self,
        thread: ThreadId,
        preorders: Range<u64>,
        visit: &mut dyn FnMut(CallFacts),
    ) -> Result<(), Self::Error>;

    /// The class that declares a method, for statistics.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn class_of(&self, method: MethodId) -> Result<Option<ClassId>, Self::Error>;

    /// The dotted name of a class, by which it may be trusted; `None` where nobody knows it.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn name_of(&self, class: ClassId) -> Result<Option<String>, Self::Error> {
        let _ = class;
        Ok(None)
    }
}

const BOUNDARY: u8 = 1;
const COMPLETE: u8 = 2;
const LOST: u8 = 4;

/// The calls of one thread; the position of a call is its preorder number less one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadCalls {
    pub(crate) thread: ThreadId,
    pub(crate) enter: Vec<u64>,
    subtree: Vec<u64>,
    pub(crate) method: Vec<u32>,
    flags: Vec<u8>,
    /// Positions of calls whose end was not seen when they were last looked at.
    open: Vec<usize>,
    /// How many of them are lost.
    lost: u64,
}

impl ThreadCalls {
    /// Makes room for so many calls, and no more.
    fn reserve(&mut self, calls: u64) {
        let calls = usize::try_from(calls).unwrap_or(0);
        self.enter.reserve_exact(calls);
        self.subtree.reserve_exact(calls);
        self.method.reserve_exact(calls);
        self.flags.reserve_exact(calls);
    }

    pub(crate) fn len(&self) -> usize {
        self.enter.len()
    }

    /// Is it one that nobody is asked about: out of the scope, or lost?
    pub(crate) fn is_boundary(&self, at: usize) -> bool {
        self.flags
            .get(at)
            .is_some_and(|flags| flags & (BOUNDARY | LOST) != 0)
    }

    pub(crate) fn is_complete(&self, at: usize) -> bool {
        self.flags
            .get(at)
            .is_some_and(|flags| flags & COMPLETE != 0)
    }

    /// The positions of the subtree of the call at a position.
    pub(crate) fn subtree(&self, at: usize) -> Range<usize> {
        let size = self
            .subtree
            .get(at)
            .map_or(0, |size| usize::try_from(*size).unwrap_or(usize::MAX));
        at..at.saturating_add(size).min(self.len())
    }

    pub(crate) fn id(&self, at: usize) -> CallId {
        CallId::new(self.thread, at as u64 + 1)
    }

    fn push(&mut self, facts: CallFacts) {
        let at = self.len();
        self.enter.push(facts.enter.0);
        self.subtree.push(facts.subtree.max(1));
        self.method.push(facts.method.0);
        self.flags.push(Self::flags_of(facts));
        self.lost += u64::from(facts.lost);
        if !facts.complete {
            self.open.push(at);
        }
    }

    fn set(&mut self, at: usize, facts: CallFacts) {
        self.subtree[at] = facts.subtree.max(1);
        self.flags[at] = Self::flags_of(facts);
    }

    fn flags_of(facts: CallFacts) -> u8 {
        (u8::from(facts.boundary) * BOUNDARY)
            | (u8::from(facts.complete) * COMPLETE)
            | (u8::from(facts.lost) * LOST)
    }
}

/// Where a call lies in a [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index of the thread in [`Forest::threads`].
    pub(crate) thread: usize,
    /// Position there.
    pub(crate) at: usize,
}

/// The copy of a computation tree that searches work on. Several sessions may share one.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    threads: Vec<ThreadCalls>,
    index: FxHashMap<ThreadId, usize>,
    classes: FxHashMap<MethodId, Option<ClassId>>,
    names: FxHashMap<ClassId, Option<String>>,
    live: bool,
    /// Did the last refresh come to its end?
    fresh: bool,
    version: u64,
}

impl Forest {
    /// A copy of the tree as it is now.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn read<T: ComputationTree + ?Sized>(tree: &T) -> Result<Self, T::Error> {
        let mut forest = Self::default();
        forest.refresh(tree)?;
        Ok(forest)
    }

    /// Adds what is new in the tree and completes calls that have ended meanwhile. Says whether
    /// anything changed.
    ///
    /// Costs what is new and what was open, not the size of the tree.
    ///
    /// # Errors
    /// When the tree cannot be read; the copy is then as far as it came.
    pub fn refresh<T: ComputationTree + ?Sized>(&mut self, tree: &T) -> Result<bool, T::Error> {
        self.fresh = false;
        let result = self.add_news(tree);
        // After a failure something may have changed all the same.
        self.version += u64::from(*result.as_ref().unwrap_or(&true));
        self.fresh = result.is_ok();
        result
    }

    fn add_news<T: ComputationTree + ?Sized>(&mut self, tree: &T) -> Result<bool, T::Error> {
        // Liveness first: a recording that ends while its calls are read is found live here and
        // looked at once more later, never taken for ended with calls missing.
        let live = tree.is_live()?;
        let mut changed = live != self.live || self.version == 0;
        for (thread, calls) in tree.threads()? {
            let index = *self.index.entry(thread).or_insert_with(|| {
                self.threads.push(ThreadCalls {
                    thread,
                    ..ThreadCalls::default()
                });
                self.threads.len() - 1
            });
            let known = &mut self.threads[index];
            let before = known.len();
            changed |= Self::refresh_thread(known, tree, calls)?;
            for method in &known.method[before..] {
                if let Entry::Vacant(entry) = self.classes.entry(MethodId(*method)) {
                    let class = *entry.insert(tree.class_of(MethodId(*method))?);
                    if let Some(class) = class.filter(|class| !self.names.contains_key(class)) {
                        self.names.insert(class, tree.name_of(class)?);
                    }
                }
            }
        }
        self.live = live;
        Ok(changed)
    }

    /// Can [`Forest::refresh`] find anything new?
    pub fn needs_refresh(&self) -> bool {
        self.live || !self.fresh
    }

    fn refresh_thread<T: ComputationTree + ?Sized>(
        known: &mut ThreadCalls,
        tree: &T,
        calls: u64,
    ) -> Result<bool, T::Error> {
        let before = known.len() as u64;
        let mut changed = false;
        // Open calls are read before new ones: their subtrees then never reach beyond what is
        // known by more than the calls that come next.
        let mut still_open = Vec::new();
        for at in known.open.clone() {
            let mut complete = false;
            let number = at as u64 + 1;
            tree.calls(known.thread, number..number + 1, &mut |facts| {
                complete = facts.complete;
                changed |= facts.complete || facts.subtree != known.subtree[at];
                known.set(at, facts);
            })?;
            if !complete {
                still_open.push(at);
            }
        }
        known.open = still_open;
        if calls > before {
            if before == 0 {
                known.reserve(calls);
            }
            tree.calls(known.thread, before + 1..calls + 1, &mut |facts| {
                known.push(facts)
            })?;
        }
        Ok(changed || known.len() as u64 > before)
    }

    /// Bytes that a call takes.
    pub const BYTES_PER_CALL: u64 = 8 + 8 + 4 + 1;

    /// About how many bytes it takes.
    pub fn memory(&self) -> usize {
        let threads = self.threads.iter();
        let room = threads.map(|thread| {
            thread.enter.capacity() * Self::BYTES_PER_CALL as usize + thread.open.capacity() * 8
        });
        room.sum()
    }

    /// Can calls still be added or completed?
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Rises with every change: what was computed for another version must be computed anew.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of calls, boundary calls counted, roots not.
    pub fn len(&self) -> u64 {
        self.threads.iter().map(|thread| thread.len() as u64).sum()
    }

    /// How many calls damage has taken: nobody is asked about them.
    pub fn lost(&self) -> u64 {
        self.threads.iter().map(|thread| thread.lost).sum()
    }

    /// Are there no calls at all?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known of a call.
    pub fn facts(&self, call: CallId) -> Option<CallFacts> {
        let place = self.place(call)?;
        let thread = &self.threads[place.thread];
        Some(CallFacts {
            subtree: thread.subtree[place.at],
            enter: Timestamp(thread.enter[place.at]),
            method: MethodId(thread.method[place.at]),
            boundary: thread.is_boundary(place.at),
            complete: thread.is_complete(place.at),
            lost: thread.flags[place.at] & LOST != 0,
        })
    }

    /// Is `inner` in the subtree of `outer`? A call is in its own subtree.
    pub fn is_within(&self, inner: CallId, outer: CallId) -> bool {
        match (self.place(inner), self.place(outer)) {
            (Some(inner), Some(outer)) => {
                inner.thread == outer.thread
                    && self.threads[outer.thread]
                        .subtree(outer.at)
                        .contains(&inner.at)
            }
            _ => false,
        }
    }

    pub(crate) fn class_of(&self, method: MethodId) -> Option<ClassId> {
        self.classes.get(&method).copied().flatten()
    }

    /// The methods that have calls, each with the name of its class, if that is known.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (MethodId, Option<&str>)> {
        self.classes.iter().map(|(method, class)| {
            let name = class.and_then(|class| self.names.get(&class)?.as_deref());
            (*method, name)
        })
    }

    pub(crate) fn threads(&self) -> &[ThreadCalls] {
        &self.threads
    }

    /// Where a call lies; `None` for roots and calls that are not there.
    pub(crate) fn place(&self, call: CallId) -> Option<Place> {
        let thread = *self.index.get(&call.thread)?;
        let at = usize::try_from(call.preorder.checked_sub(1)?).ok()?;
        (at < self.threads[thread].len()).then_some(Place { thread, at })
    }
}
