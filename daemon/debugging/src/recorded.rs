//! What the calls of a recording covered, read from its events.
//!
//! **Edges.** An entity is the entry of a method, or a way that control can go at a conditional jump or a
//! switch: the pair of instructions. Cases of a switch that share their code are one entity, since
//! an event tells where control went and not by which case. An edge belongs to the call that took it.
//!
//! **Chains.** A chain is a defining and a using instruction of one variable, with no definition of
//! it in between *in that run*; the instructions name the declaration (which local, which field, or, for an
//! element, which array access), so it is not named again. A local is defined by its stores, a parameter
//! also by the entry; `this` is nothing that a program defines, and is left out. Fields, statics and
//! elements are followed object by object and element by element over all calls, and a chain may
//! begin in one call and end in another: it belongs to the call that ran the use. Until something is stored
//! there, a field or element of an object made in scope is defined by the allocation, whose default value it
//! has (JLS 4.12.5). What a call outside the scope stored is defined by the instruction that made that call.
//! A value whose definition was not seen (an object of elsewhere, a static before its first write, an event
//! lost) makes no chain.
//!
//! **Cost.** Nothing is kept on disk: one pass over the blocks makes it (measured in the crate's README), and
//! a recording that still runs is gone on with where the last pass ended. Equal sets are stored once, as
//! differences of rising numbers; a call costs 8 bytes beside that. Definitions are forgotten once a recording
//! has ended, and when they take half of the memory that there is for it all. Where the rest takes more than
//! that, reading ends.

mod state;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use jhyde_store::Recording;
use jhyde_trace::{Block, CallId, Level, Levels, MethodId, ThreadId, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::{Coverage, Entities};
use crate::covered::{Chain, Edge, Place};
use crate::evidence::Changed;
use crate::passing::Passing;
use crate::sets::Sets;
use state::State;

/// Stands for a call without a set: outside the scope, or not ended.
const NO_SET: u32 = u32::MAX;

/// The coverage of a recording, as far as it was read.
#[derive(Debug)]
pub struct RecordedCoverage {
    /// Bytes that all of it may take, about. Default 256 MiB.
    pub limit: usize,
    /// Timestamp of the next event to read.
    next: Timestamp,
    edges: Sets,
    chains: Sets,
    /// Per thread and call, from preorder number 1: its sets of edges and chains.
    calls: FxHashMap<ThreadId, Vec<[u32; 2]>>,
    /// Events in damaged blocks.
    unread: u64,
    /// Ended calls that were recorded below level `full`, and why the first was.
    lowered: Option<(u64, String)>,
    state: State,
}

/// Why reading ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody waits for it any more.
    Cancelled,
    /// It takes more memory than it may.
    Full,
    /// As many events were read as were wanted at once.
    Enough,
}

impl Default for RecordedCoverage {
    fn default() -> Self {
        Self {
            limit: 256 << 20,
            next: Timestamp(0),
            edges: Sets::default(),
            chains: Sets::default(),
            calls: FxHashMap::default(),
            unread: 0,
            lowered: None,
            state: State::default(),
        }
    }
}

impl RecordedCoverage {
    /// Reads what is new in the recording. `Break` if `cancelled` was set meanwhile, or the memory is full: what was
    /// read is kept.
    ///
    /// # Errors
    /// When the recording cannot be read. A damaged block is no error: what lies in it is not covered.
    pub fn refresh(
        &mut self,
        recording: &Recording,
        cancelled: &AtomicBool,
    ) -> Result<ControlFlow<Stopped>, jhyde_store::Error> {
        self.read_on(recording, u64::MAX, || cancelled.load(Ordering::Relaxed))
    }

    /// The same, of about so many events: a block is read whole. `Break` with [`Stopped::Cancelled`] as soon as `is_cancelled` says so.
    ///
    /// # Errors
    /// As [`RecordedCoverage::refresh`].
    pub(crate) fn read_on(
        &mut self,
        recording: &Recording,
        events: u64,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<ControlFlow<Stopped>, jhyde_store::Error> {
        let begin = self.next.0;
        // Liveness first, so that nothing can come behind an end that is taken for the last.
        let live = recording.meta().state.is_live();
        let end = recording.end();
        self.state.heap_limit = self.limit / 2;
        for block in recording.blocks(self.next..end) {
            if is_cancelled() {
                return Ok(ControlFlow::Break(Stopped::Cancelled));
            }
            if self.next.0 - begin >= events {
                return Ok(ControlFlow::Break(Stopped::Enough));
            }
            if self.memory() > self.limit {
                return Ok(ControlFlow::Break(Stopped::Full));
            }
            match block {
                Ok(block) => self.read(recording, &block, end)?,
                Err(jhyde_store::Error::Damaged { to, .. }) => {
                    // Damage of which nobody knows how far it goes ends with the recording.
                    let behind = Timestamp(to.0.saturating_add(1)).min(end).max(self.next);
                    self.unread += behind.0 - self.next.0;
                    self.next = behind;
                    self.state.forget_after_damage();
                }
                Err(error) => return Err(error),
            }
        }
        self.next = self.next.max(end);
        if !live {
            self.state.forget_all();
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Timestamp of the next event to read.
    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// Number of events that cannot be read, because blocks are damaged: what they covered is in no set.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// How many calls have no sets because they were recorded below level `full`, at some time at least, and why the
    /// first was.
    pub fn lowered(&self) -> Option<(u64, String)> {
        self.lowered.clone()
    }

    /// About how many bytes the sets, what calls have of them, the entities and the definitions take.
    pub fn memory(&self) -> usize {
        let calls: usize = self.calls.values().map(|calls| calls.capacity() * 8).sum();
        let entities = self.state.edges.capacity() * size_of::<Edge>()
            + self.state.chains.capacity() * size_of::<Chain>();
        calls + self.edges.memory() + self.chains.memory() + entities + self.state.heap()
    }

    /// Every edge that was taken, by its number.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.state.edges
    }

    /// Every chain that was run, by its number.
    pub(crate) fn chains(&self) -> &[Chain] {
        &self.state.chains
    }

    /// The set of every call of which it is known.
    pub(crate) fn sets_of_calls(&self, entities: Entities) -> impl Iterator<Item = usize> {
        let calls = self.calls.values().flatten();
        let sets = calls.map(move |sets| sets[column(entities)]);
        sets.filter(|set| *set != NO_SET).map(|set| set as usize)
    }

    fn read(
        &mut self,
        recording: &Recording,
        block: &Block,
        end: Timestamp,
    ) -> Result<(), jhyde_store::Error> {
        // Facts that are told later are about what comes later.
        let levels = recording.levels_or_lowest();
        let from = self.next.0.saturating_sub(block.first().0) as usize;
        for at in from..block.len() {
            let timestamp = block.timestamp(at);
            if timestamp >= end {
                break;
            }
            self.next = Timestamp(timestamp.0 + 1);
            self.state.forget_unseen(&levels, timestamp);
            let call = block.call(at);
            if let Some(enter) = block.enter(at) {
                self.state.enter(
                    recording,
                    (call, timestamp),
                    enter.method,
                    enter.boundary,
                    enter.call_site,
                )?;
            } else if block.is_exit(at) {
                self.exit(call, &levels);
            } else if let Some(event) = block.event(at) {
                self.state.follow(&event);
            }
        }
        Ok(())
    }

    fn exit(&mut self, call: CallId, levels: &Levels) {
        let Some(mut ended) = self.state.end(call) else {
            return;
        };
        let stretch = ended.class.and_then(|class| {
            let before = Timestamp(ended.enter.0.saturating_sub(1));
            let by = Timestamp(self.next.0.saturating_sub(1));
            levels.unseen(Level::Full, (class, MethodId(ended.method)), before, by)
        });
        if let Some(stretch) = stretch.filter(|_| ended.outside.is_none()) {
            let (calls, _) = self.lowered.get_or_insert_with(|| (0, stretch.to_string()));
            *calls += 1;
        } else if ended.outside.is_none() {
            let sets = [
                self.edges.number(&mut ended.edges),
                self.chains.number(&mut ended.chains),
            ];
            let calls = self.calls.entry(call.thread).or_default();
            let at = call.preorder.saturating_sub(1) as usize;
            if calls.len() <= at {
                calls.resize(at + 1, [NO_SET; 2]);
            }
            calls[at] = sets;
        }
        self.state.spare.push(ended);
    }

    fn sets_of(&self, entities: Entities) -> &Sets {
        match entities {
            Entities::Edges => &self.edges,
            Entities::DuChains => &self.chains,
        }
    }
}

impl Coverage for RecordedCoverage {
    fn sets(&self, entities: Entities) -> usize {
        self.sets_of(entities).len()
    }

    fn visit(&self, entities: Entities, set: usize, visit: &mut dyn FnMut(u32)) {
        self.sets_of(entities).visit(set, visit);
    }

    fn entities(&self, entities: Entities) -> usize {
        match entities {
            Entities::Edges => self.state.edges.len(),
            Entities::DuChains => self.state.chains.len(),
        }
    }

    fn covered(&self, entities: Entities, call: CallId) -> Option<usize> {
        let at = usize::try_from(call.preorder.checked_sub(1)?).ok()?;
        let sets = self.calls.get(&call.thread)?.get(at)?;
        let set = sets[column(entities)];
        (set != NO_SET).then_some(set as usize)
    }

    fn touched(&self, entities: Entities, changed: &Changed) -> Vec<bool> {
        match entities {
            Entities::Edges => touched_edges(&self.state.edges, changed),
            Entities::DuChains => {
                let is_in = |place: &Place| match *place {
                    Place::At(method, index) => {
                        changed.touches(method, index..index.saturating_add(1))
                    }
                    Place::Entry(_) | Place::Outside => false,
                };
                let chains = self.state.chains.iter();
                chains
                    .map(|chain| is_in(&chain.used) || is_in(&chain.defined))
                    .collect()
            }
        }
    }

    fn passed(&self, entities: Entities, passing: &Passing) -> Vec<u32> {
        match entities {
            Entities::Edges => self
                .state
                .edges
                .iter()
                .map(|edge| passing.had(edge))
                .collect(),
            Entities::DuChains => vec![0; self.state.chains.len()],
        }
    }
}

/// Which edges lead to changed code that is run before the next condition. Where none of a method does, all of them may.
fn touched_edges(edges: &[Edge], changed: &Changed) -> Vec<bool> {
    let leads = |edge: &Edge| {
        let of = changed.of(edge.method);
        of.is_some_and(|of| of.begins.contains(&edge.to))
    };
    let mut touched: Vec<bool> = edges.iter().map(leads).collect();
    let mut hit = FxHashSet::default();
    for (edge, touched) in edges.iter().zip(&touched) {
        if *touched {
            hit.insert(edge.method);
        }
    }
    for (edge, touched) in edges.iter().zip(&mut touched) {
        *touched |= changed.holds(edge.method) && !hit.contains(&edge.method);
    }
    touched
}

/// Which of a call's two sets.
fn column(entities: Entities) -> usize {
    match entities {
        Entities::Edges => 0,
        Entities::DuChains => 1,
    }
}
