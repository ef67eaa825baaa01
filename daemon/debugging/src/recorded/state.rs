//! What is known while the events of a recording are read: which calls run, which definitions reach, and what the numbers
//! of entities stand for. Sets of calls that have ended are its parent's.

use std::sync::Arc;

use jhyde_bytecode::{Code, CoverageEdges};
use jhyde_store::Recording;
use jhyde_trace::{
    CallId, ClassId, Event, EventKind, Level, Levels, Local, MethodId, MethodInfo, ObjectId,
    Subject, ThreadId, Timestamp, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::covered::{Chain, Declaration, Edge, Place};

/// What the definition of a field or element takes, about; bytes.
const DEFINITION: usize = 16;

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
pub(super) struct Running {
    pub(super) call: CallId,
    pub(super) method: u32,
    /// Of the method, if it is known.
    pub(super) class: Option<ClassId>,
    pub(super) enter: Timestamp,
    /// Where in the scope the call stands, for one that leaves the scope.
    pub(super) outside: Option<u32>,
    pub(super) edges: FxHashSet<u32>,
    pub(super) chains: FxHashSet<u32>,
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

/// What is needed to read on.
#[derive(Debug, Default)]
pub(super) struct State {
    /// What the numbers of entities stand for. These two stay when the recording has ended.
    pub(super) edges: Vec<Edge>,
    pub(super) chains: Vec<Chain>,
    methods: FxHashMap<u32, Arc<Method>>,
    /// Numbers of edges by method and both indexes, and of chains by both places.
    edge_ids: FxHashMap<(u32, u32, u32), Option<u32>>,
    chain_ids: FxHashMap<(u32, u32), u32>,
    /// Places by number, and their numbers.
    places: Vec<Place>,
    place_ids: FxHashMap<Place, u32>,
    running: FxHashMap<ThreadId, Vec<Running>>,
    /// Emptied ones, to be used again.
    pub(super) spare: Vec<Running>,
    elements: FxHashMap<ObjectId, Elements>,
    fields: FxHashMap<(ObjectId, u32), u32>,
    statics: FxHashMap<u32, u32>,
    /// Allocations of objects that are no arrays.
    made_at: FxHashMap<ObjectId, u32>,
    element_count: usize,
    /// What may be remembered of the heap, bytes.
    pub(super) heap_limit: usize,
}

impl State {
    pub(super) fn enter(
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
    pub(super) fn end(&mut self, call: CallId) -> Option<Running> {
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

    pub(super) fn follow(&mut self, event: &Event) {
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
    pub(super) fn heap(&self) -> usize {
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
    pub(super) fn forget_unseen(&mut self, levels: &Levels, at: Timestamp) {
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
    pub(super) fn forget_after_damage(&mut self) {
        self.forget_heap();
        self.statics.clear();
        for running in self.running.values_mut().flatten() {
            running.gap = true;
            running.locals.clear();
        }
    }

    /// Nothing comes any more: only what entities are is still asked for.
    pub(super) fn forget_all(&mut self) {
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
