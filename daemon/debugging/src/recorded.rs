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

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jhyde_bytecode::{Code, CoverageEdges};
use jhyde_store::Recording;
use jhyde_trace::{
    Block, CallId, ClassId, Event, EventKind, Level, Levels, Local, MethodId, MethodInfo, ObjectId,
    Subject, ThreadId, Timestamp, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::{Coverage, Entities};
use crate::covered::{Chain, Declaration, Edge, Place};
use crate::evidence::Changed;
use crate::passing::Passing;
use crate::sets::Sets;

/// What the definition of a field or element takes, about; bytes.
const DEFINITION: usize = 16;

/// Stands for a call without a set: outside the scope, or not ended.
const NO_SET: u32 = u32::MAX;
/// What is needed to know of a method.
#[derive(Debug, Default)]
struct Method {
    /// The entity of its entry.
    entry: u32,
    /// Indexes of its conditions; `None` where the code was not recorded: then every edge counts.
    conditions: Option<FxHashSet<u32>>,
    /// Of each instruction that reads an array element the one that loads the array.
    array_reads: FxHashMap<u32, u32>,
    /// Slot of each entry of its variable table.
    slots: Vec<u16>,
    /// Slots that the entry defines, the receiver's left out.
    parameters: Vec<u16>,
    has_receiver: bool,
    class: Option<ClassId>,
}

/// A running call.
#[derive(Debug, Default)]
struct Running {
    call: CallId,
    method: u32,
    /// Of the method, if it is known.
    class: Option<ClassId>,
    enter: Timestamp,
    /// Where in the scope the call stands, for one that leaves the scope.
    outside: Option<u32>,
    edges: FxHashSet<u32>,
    chains: FxHashSet<u32>,
    /// The last definition of each slot.
    locals: FxHashMap<u16, u32>,
    /// Something of it was not recorded.
    gap: bool,
}

/// The definitions of one array's elements.
#[derive(Debug)]
struct Elements {
    /// Its allocation, if that was seen.
    made_at: Option<u32>,
    /// Up to the greatest index written so far; [`NONE`] where nothing was.
    last: Vec<u32>,
}

const NONE: u32 = u32::MAX;

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

/// What is needed to read on.
#[derive(Debug, Default)]
struct State {
    /// What the numbers of entities stand for. These two stay when the recording has ended.
    edges: Vec<Edge>,
    chains: Vec<Chain>,
    methods: FxHashMap<u32, Arc<Method>>,
    /// Numbers of edges by method and both indexes, and of chains by both places.
    edge_ids: FxHashMap<(u32, u32, u32), Option<u32>>,
    chain_ids: FxHashMap<(u32, u32), u32>,
    /// Places by number, and their numbers.
    places: Vec<Place>,
    place_ids: FxHashMap<Place, u32>,
    running: FxHashMap<ThreadId, Vec<Running>>,
    /// Emptied ones, to be used again.
    spare: Vec<Running>,
    elements: FxHashMap<ObjectId, Elements>,
    fields: FxHashMap<(ObjectId, u32), u32>,
    statics: FxHashMap<u32, u32>,
    /// Allocations of objects that are no arrays.
    made_at: FxHashMap<ObjectId, u32>,
    element_count: usize,
    /// What may be remembered of the heap, bytes.
    heap_limit: usize,
}

/// Why reading ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody waits for it any more.
    Cancelled,
    /// It takes more memory than it may.
    Full,
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
        // Liveness first, so that nothing can come behind an end that is taken for the last.
        let live = recording.meta().state.is_live();
        let end = recording.end();
        self.state.heap_limit = self.limit / 2;
        for block in recording.blocks(self.next..end) {
            if cancelled.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(Stopped::Cancelled));
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

impl State {
    fn enter(
        &mut self,
        recording: &Recording,
        (call, enter): (CallId, Timestamp),
        method: MethodId,
        boundary: bool,
        call_site: u32,
    ) -> Result<(), jhyde_store::Error> {
        let outside = match boundary {
            true => {
                // A call out of the scope that another one makes stands where that one stands.
                let caller = self
                    .running
                    .get(&call.thread)
                    .and_then(|calls| calls.last());
                let (from, outer) = caller.map_or((Place::Outside, None), |caller| {
                    (
                        Place::At(MethodId(caller.method), call_site),
                        caller.outside,
                    )
                });
                Some(outer.unwrap_or_else(|| self.place(from)))
            }
            false => None,
        };
        let mut running = self.spare.pop().unwrap_or_default();
        running.call = call;
        running.method = method.0;
        running.class = None;
        running.enter = enter;
        running.outside = outside;
        running.gap = false;
        running.edges.clear();
        running.chains.clear();
        running.locals.clear();
        if outside.is_none() {
            let known = self.method(recording, method)?;
            running.edges.insert(known.entry);
            running.class = known.class;
        }
        self.running.entry(call.thread).or_default().push(running);
        Ok(())
    }

    /// Takes an ended call out, and those inside it of which the end was lost.
    fn end(&mut self, call: CallId) -> Option<Running> {
        let calls = self.running.get_mut(&call.thread)?;
        let at = calls.iter().rposition(|running| running.call == call)?;
        let lost = calls.split_off(at + 1);
        let ended = calls.pop();
        self.spare.extend(lost);
        ended
    }

    fn method(
        &mut self,
        recording: &Recording,
        id: MethodId,
    ) -> Result<Arc<Method>, jhyde_store::Error> {
        if let Some(known) = self.methods.get(&id.0) {
            return Ok(Arc::clone(known));
        }
        let entry = self.new_edge(Edge {
            method: id,
            from: None,
            to: 0,
        });
        let method = match recording.method(id)? {
            Some(found) => Method {
                class: Some(found.class.id),
                ..Method::of(found.method(), entry)
            },
            None => Method {
                entry,
                ..Method::default()
            },
        };
        let method = Arc::new(method);
        self.methods.insert(id.0, Arc::clone(&method));
        Ok(method)
    }

    fn new_edge(&mut self, edge: Edge) -> u32 {
        self.edges.push(edge);
        self.edges.len() as u32 - 1
    }

    fn place(&mut self, place: Place) -> u32 {
        let places = &mut self.places;
        *self.place_ids.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    }

    fn chain(&mut self, defined: u32, used: u32, variable: Variable) -> Option<u32> {
        if let Some(known) = self.chain_ids.get(&(defined, used)) {
            return Some(*known);
        }
        let place = |number: u32| self.places.get(number as usize).copied();
        let (from, to) = (place(defined)?, place(used)?);
        let declaration = match variable {
            Variable::Local { local, .. } => Declaration::Local(local),
            Variable::Field { field, .. } => Declaration::Field(field),
            Variable::Static { field } => Declaration::Static(field),
            Variable::Element { .. } => Declaration::Element {
                loaded_at: self.array_read_at(to),
            },
            Variable::Return { .. } | Variable::Exception { .. } | Variable::Content { .. } => {
                return None;
            }
        };
        let number = self.chains.len() as u32;
        self.chains.push(Chain {
            used: to,
            defined: from,
            declaration,
        });
        self.chain_ids.insert((defined, used), number);
        Some(number)
    }

    fn array_read_at(&self, place: Place) -> Option<u32> {
        let Place::At(method, index) = place else {
            return None;
        };
        let reads = &self.methods.get(&method.0)?.array_reads;
        reads.get(&index).copied()
    }

    fn follow(&mut self, event: &Event) {
        let thread = event.call.thread;
        let Some(at) = self
            .running
            .get(&thread)
            .and_then(|calls| calls.iter().rposition(|running| running.call == event.call))
        else {
            return;
        };
        let (method, outside) = match self.running.get(&thread).and_then(|calls| calls.get(at)) {
            Some(running) => (running.method, running.outside),
            None => return,
        };
        let here = Place::At(MethodId(method), event.index);
        match &event.kind {
            EventKind::Write { variable, .. } => {
                let place = outside.unwrap_or_else(|| self.place(here));
                self.define(thread, at, *variable, place);
            }
            EventKind::New { object, length, .. } => {
                let place = outside.unwrap_or_else(|| self.place(here));
                match length {
                    Some(_) => {
                        self.elements.insert(
                            *object,
                            Elements {
                                made_at: Some(place),
                                last: Vec::new(),
                            },
                        );
                    }
                    None => {
                        self.made_at.insert(*object, place);
                    }
                }
                self.bound_heap();
            }
            EventKind::Use { variable } if outside.is_none() => {
                let Some(defined) = self.definition(thread, at, *variable) else {
                    return;
                };
                let used = self.place(here);
                if let Some(chain) = self.chain(defined, used, *variable)
                    && let Some(running) = self.running_at(thread, at)
                {
                    running.chains.insert(chain);
                }
            }
            EventKind::Edge { from, to } if outside.is_none() => {
                if let Some(edge) = self.edge(method, *from, *to)
                    && let Some(running) = self.running_at(thread, at)
                {
                    running.edges.insert(edge);
                }
            }
            EventKind::Gap { .. } => {
                if let Some(running) = self.running_at(thread, at) {
                    running.gap = true;
                    running.locals.clear();
                }
            }
            _ => {}
        }
    }

    fn running_at(&mut self, thread: ThreadId, at: usize) -> Option<&mut Running> {
        self.running.get_mut(&thread)?.get_mut(at)
    }

    fn edge(&mut self, method: u32, from: u32, to: u32) -> Option<u32> {
        if let Some(known) = self.edge_ids.get(&(method, from, to)) {
            return *known;
        }
        let counts = self
            .methods
            .get(&method)
            .and_then(|method| method.conditions.as_ref())
            .is_none_or(|conditions| conditions.contains(&from));
        let id = counts.then(|| {
            self.new_edge(Edge {
                method: MethodId(method),
                from: Some(from),
                to,
            })
        });
        self.edge_ids.insert((method, from, to), id);
        id
    }

    fn slot(&self, thread: ThreadId, at: usize, local: Local) -> Option<u16> {
        match local {
            Local::Slot(slot) => Some(slot),
            Local::Named(entry) => {
                let running = self.running.get(&thread)?.get(at)?;
                let method = self.methods.get(&running.method)?;
                method.slots.get(usize::from(entry)).copied()
            }
        }
    }

    fn define(&mut self, thread: ThreadId, at: usize, variable: Variable, place: u32) {
        match variable {
            Variable::Local { local, .. } => {
                if let Some(slot) = self.slot(thread, at, local)
                    && let Some(running) = self.running_at(thread, at)
                {
                    running.locals.insert(slot, place);
                }
            }
            Variable::Field { object, field } => {
                self.fields.insert((object, field.0), place);
                self.bound_heap();
            }
            Variable::Static { field } => {
                self.statics.insert(field.0, place);
            }
            Variable::Element { array, index } => {
                let elements = self.elements.entry(array).or_insert_with(|| Elements {
                    made_at: None,
                    last: Vec::new(),
                });
                let index = index as usize;
                if elements.last.len() <= index {
                    self.element_count += index + 1 - elements.last.len();
                    elements.last.resize(index + 1, NONE);
                }
                if let Some(last) = elements.last.get_mut(index) {
                    *last = place;
                }
                self.bound_heap();
            }
            Variable::Return { .. } | Variable::Exception { .. } | Variable::Content { .. } => {}
        }
    }

    fn definition(&mut self, thread: ThreadId, at: usize, variable: Variable) -> Option<u32> {
        match variable {
            Variable::Local { local, .. } => {
                let slot = self.slot(thread, at, local)?;
                let running = self.running.get(&thread)?.get(at)?;
                if let Some(place) = running.locals.get(&slot) {
                    return Some(*place);
                }
                let method = self.methods.get(&running.method)?;
                let is_this = slot == 0 && method.has_receiver;
                let by_entry = method.parameters.contains(&slot) && !is_this && !running.gap;
                let method = running.method;
                by_entry.then(|| self.place(Place::Entry(MethodId(method))))
            }
            Variable::Field { object, field } => self
                .fields
                .get(&(object, field.0))
                .or_else(|| self.made_at.get(&object))
                .copied(),
            Variable::Static { field } => self.statics.get(&field.0).copied(),
            Variable::Element { array, index } => {
                let elements = self.elements.get(&array)?;
                match elements.last.get(index as usize) {
                    Some(place) if *place != NONE => Some(*place),
                    _ => elements.made_at,
                }
            }
            Variable::Return { .. } | Variable::Exception { .. } | Variable::Content { .. } => None,
        }
    }

    /// Keeps what is remembered of the heap within its bound.
    fn bound_heap(&mut self) {
        if self.heap() > self.heap_limit {
            self.forget_heap();
        }
    }

    /// Bytes that the definitions of fields and elements take, about.
    fn heap(&self) -> usize {
        let all =
            self.fields.len() + self.made_at.len() + self.elements.len() + self.element_count / 4;
        all * DEFINITION
    }

    fn forget_heap(&mut self) {
        self.fields = FxHashMap::default();
        self.made_at = FxHashMap::default();
        self.elements = FxHashMap::default();
        self.element_count = 0;
    }

    /// Where writes may have gone unseen just before an event, no definition of fields and elements is sure.
    fn forget_unseen(&mut self, levels: &Levels, at: Timestamp) {
        let before = Timestamp(at.0.saturating_sub(1));
        let ran = levels
            .below(Level::State)
            .filter(|stretch| stretch.touches(before, at))
            .any(|stretch| {
                let mut running = self.running.values().flatten();
                stretch.fact.of == Subject::Everything
                    || running.any(|call| {
                        let method = MethodId(call.method);
                        call.class
                            .is_some_and(|class| stretch.fact.of.has(class, method))
                    })
            });
        if ran {
            self.forget_heap();
            self.statics.clear();
        }
    }

    /// Behind a damaged block no definition from before it is sure, and no running call is whole.
    fn forget_after_damage(&mut self) {
        self.forget_heap();
        self.statics.clear();
        for running in self.running.values_mut().flatten() {
            running.gap = true;
            running.locals.clear();
        }
    }

    /// Nothing comes any more: only what entities are is still asked for.
    fn forget_all(&mut self) {
        self.forget_heap();
        self.statics = FxHashMap::default();
        self.running = FxHashMap::default();
        self.spare = Vec::new();
        self.edge_ids = FxHashMap::default();
        self.chain_ids = FxHashMap::default();
        self.places = Vec::new();
        self.place_ids = FxHashMap::default();
        self.methods = FxHashMap::default();
    }
}

impl Method {
    fn of(info: &MethodInfo, entry: u32) -> Self {
        let code = Code::decode(&info.code).ok();
        let conditions = code.as_ref().map(|code| {
            let edges = CoverageEdges::new(code);
            edges.edges().iter().filter_map(|edge| edge.from).collect()
        });
        let array_reads = code.map(|code| code.array_reads().into_iter().collect());
        let parameters = jhyde_bytecode::MethodDescriptor::parse(&info.descriptor)
            .map(|descriptor| {
                let slots = descriptor.parameter_slots(info.is_static());
                slots.map(|(slot, _)| slot).collect()
            })
            .unwrap_or_default();
        Self {
            entry,
            conditions,
            array_reads: array_reads.unwrap_or_default(),
            slots: info.variables.iter().map(|entry| entry.slot).collect(),
            parameters,
            has_receiver: !info.is_static(),
            class: None,
        }
    }
}
