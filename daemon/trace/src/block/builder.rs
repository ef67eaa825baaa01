//! Building a block event by event, with the check that calls nest.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::flow::{BlockThread, NO_SHAPE};
use super::shape::{Shape, lay_out, op, split_event};
use super::{Block, FULL_PAYLOAD, MAX_EVENTS};
use crate::content::{Change, Looked};
use crate::event::{Event, EventKind};
use crate::ids::{CallId, ObjectId, ThreadId, Timestamp};

/// An event contradicts the events before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// An `Enter` does not carry the thread's next preorder number.
    #[error("entered call {call}, the thread's next call is number {next}")]
    EnterOutOfOrder {
        /// The call that it names.
        call: CallId,
        /// The number that it should have.
        next: u64,
    },
    /// An event names a call that is not the thread's innermost one.
    #[error("the event names call {call}, the innermost call is {innermost}")]
    NotInnermost {
        /// The call that it names.
        call: CallId,
        /// The innermost running call, or the root.
        innermost: CallId,
    },
    /// A thread's root cannot be left.
    #[error("the root of thread {0} was left")]
    RootLeft(ThreadId),
    /// A thread or call number is over its limit.
    #[error("thread {0} or its call number is too large")]
    TooLarge(ThreadId),
    /// A call has more arguments than the JVM allows (JVMS 4.11).
    #[error("a call with {0} arguments")]
    TooManyArguments(usize),
    /// A change of content carries more than an event can: see [`Change::MAX_ITEMS`].
    #[error("a change of content with {0} items")]
    TooManyItems(usize),
}

/// Follows one thread over all blocks.
#[derive(Debug, Default)]
struct ThreadFlow {
    /// Preorder numbers of the running calls, outermost first.
    stack: Vec<u64>,
    /// Calls so far.
    calls: u64,
    /// Its position in the current block's threads, if it has events there.
    in_block: Option<u32>,
}

/// Builds one block after the other, over a whole recording.
#[derive(Debug)]
pub struct BlockBuilder {
    block: Block,
    threads: FxHashMap<ThreadId, ThreadFlow>,
    /// Calls so far per method.
    invocations: FxHashMap<u32, u64>,
    /// The current block's shapes by value.
    shapes: FxHashMap<Shape, u16>,
    /// Per shape, the shape that followed it last (in one thread): looked at before the map.
    successors: Vec<u16>,
    tag_lists: FxHashMap<Arc<[u8]>, u32>,
    /// Methods already entered in the current block.
    methods: FxHashMap<u32, ()>,
    /// The tags of the last `Enter`.
    tags: Vec<u8>,
    capacity: usize,
    /// Items of the changes in the current block.
    items: usize,
    /// Where its changes say that these objects are as they were told: calls that are shown the same follow one another.
    as_told: FxHashMap<Vec<(ObjectId, Looked)>, u64>,
    /// The latest time that the clock showed.
    wall_ms: u64,
}

impl BlockBuilder {
    /// A builder of blocks of `capacity` events, for a recording that begins at timestamp 0.
    pub fn new(capacity: usize) -> Self {
        let mut builder = Self {
            block: Block::default(),
            threads: FxHashMap::default(),
            invocations: FxHashMap::default(),
            shapes: FxHashMap::default(),
            successors: Vec::new(),
            tag_lists: FxHashMap::default(),
            methods: FxHashMap::default(),
            tags: Vec::new(),
            capacity: capacity.clamp(1, MAX_EVENTS - 1),
            items: 0,
            as_told: FxHashMap::default(),
            wall_ms: 0,
        };
        builder.start_block(0);
        builder
    }

    fn start_block(&mut self, first: u64) -> Block {
        for thread in &self.block.threads {
            if let Some(flow) = self.threads.get_mut(&thread.id) {
                flow.in_block = None;
            }
        }
        self.shapes.clear();
        self.successors.clear();
        self.tag_lists.clear();
        self.methods.clear();
        self.items = 0;
        self.as_told.clear();
        let fresh = Block {
            first,
            layout_at: vec![0],
            shape_of: Vec::with_capacity(self.capacity),
            payload_at: Vec::with_capacity(self.capacity),
            calls: Vec::with_capacity(self.capacity),
            payload: Vec::with_capacity(self.capacity * 2),
            ..Block::default()
        };
        std::mem::replace(&mut self.block, fresh)
    }

    /// The timestamp that the next event gets.
    pub fn next_timestamp(&self) -> Timestamp {
        self.block.end()
    }

    /// The block so far.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// Should the block be taken before the next event is appended?
    pub fn is_full(&self) -> bool {
        self.block.len() >= self.capacity || self.block.payload.len() + self.items >= FULL_PAYLOAD
    }

    /// The calls so far of a thread.
    pub fn calls_of(&self, thread: ThreadId) -> u64 {
        self.threads.get(&thread).map_or(0, |flow| flow.calls)
    }

    /// Says what the clock shows, in milliseconds since 1970-01-01 UTC. A clock that went back is
    /// held at the latest time that it showed.
    pub fn set_wall_ms(&mut self, now: u64) {
        self.wall_ms = self.wall_ms.max(now);
        if self.block.wall.0 == 0 {
            self.block.wall = (self.wall_ms, self.wall_ms);
        } else {
            self.block.wall.1 = self.wall_ms;
        }
    }

    /// Takes the block and begins the next one.
    pub fn take(&mut self) -> Block {
        self.start_block(self.block.end().0)
    }

    /// Appends an event; it is not appended if it does not fit those before it.
    pub fn append(&mut self, event: &Event) -> Result<Timestamp, Malformed> {
        let position = self.block.len() as u32;
        let call = event.call;
        if call.thread.0 >= 1 << 24 || call.preorder >= 1 << 40 {
            return Err(Malformed::TooLarge(call.thread));
        }
        let flow = self.threads.entry(call.thread).or_default();
        let innermost = flow.stack.last().copied().unwrap_or(0);
        let at_innermost = call.preorder == innermost;
        match event.kind {
            EventKind::Enter { .. } if call.preorder != flow.calls + 1 => {
                return Err(Malformed::EnterOutOfOrder {
                    call,
                    next: flow.calls + 1,
                });
            }
            EventKind::Enter { ref arguments, .. } if arguments.len() > 255 => {
                return Err(Malformed::TooManyArguments(arguments.len()));
            }
            EventKind::Content { ref change, .. } if change.size() > Change::MAX_ITEMS => {
                return Err(Malformed::TooManyItems(change.size()));
            }
            EventKind::Enter { .. } => {}
            EventKind::Exit { .. } if call.is_root() => {
                return Err(Malformed::RootLeft(call.thread));
            }
            _ if !at_innermost => {
                let innermost = CallId::new(call.thread, innermost);
                return Err(Malformed::NotInnermost { call, innermost });
            }
            _ => {}
        }
        let in_block = *flow.in_block.get_or_insert_with(|| {
            let depth = flow.stack.len() as u32;
            let thread = BlockThread::new(call.thread, flow.calls + 1, innermost, depth);
            self.block.threads.push(thread);
            self.block.threads.len() as u32 - 1
        });
        let thread = &mut self.block.threads[in_block as usize];
        thread.touch(position);
        match &event.kind {
            EventKind::Enter { method, .. } => {
                let invocation = self.invocations.entry(method.0).or_insert(0);
                if self.methods.insert(method.0, ()).is_none() {
                    self.block.methods.push((method.0, *invocation));
                }
                thread.enter(position, *invocation);
                *invocation += 1;
                flow.calls += 1;
                flow.stack.push(flow.calls);
            }
            EventKind::Exit { .. } => {
                flow.stack.pop();
                if thread.exits_outer() {
                    thread.exit_outer(position, flow.stack.last().copied().unwrap_or(0));
                } else {
                    thread.exit_inner(position);
                }
            }
            _ => {}
        }
        let last_shape = thread.last_shape;
        match self.block.runs.last_mut() {
            Some((running, length)) if *running == in_block => *length += 1,
            _ => self.block.runs.push((in_block, 1)),
        }

        let timestamp = self.block.end();
        self.block.payload_at.push(self.block.payload.len() as u32);
        let mut shape = split_event(event, &mut self.block.payload, &mut self.tags);
        match &event.kind {
            EventKind::Enter { .. } => shape.tags = self.intern_tags(),
            EventKind::Gap { reason, .. } => {
                self.block.payload.push(self.block.texts.len() as u64);
                self.block.texts.push(reason.clone());
            }
            EventKind::Content { change, .. } => {
                let number = self.intern_change(change);
                self.block.payload.push(number);
            }
            _ => {}
        }
        let shape = self.intern_shape(shape, last_shape);
        self.block.threads[in_block as usize].last_shape = shape;
        self.block.shape_of.push(shape);
        self.block.calls.push(call.pack());
        Ok(timestamp)
    }

    /// The number of a change in the block.
    fn intern_change(&mut self, change: &Change) -> u64 {
        let next = self.block.changes.len() as u64;
        if let Change::AsTold(objects) = change {
            match self.as_told.get(objects) {
                Some(&known) => return known,
                None => self.as_told.insert(objects.clone(), next),
            };
        }
        self.items += change.size();
        self.block.changes.push(change.clone());
        next
    }

    fn intern_tags(&mut self) -> u32 {
        if let Some(&known) = self.tag_lists.get(self.tags.as_slice()) {
            return known;
        }
        let list: Arc<[u8]> = self.tags.as_slice().into();
        let number = self.block.tag_lists.len() as u32;
        self.block.tag_lists.push(list.clone());
        self.tag_lists.insert(list, number);
        number
    }

    fn intern_shape(&mut self, shape: Shape, last: u16) -> u16 {
        let predicted = self
            .successors
            .get(usize::from(last))
            .copied()
            .unwrap_or(NO_SHAPE);
        if self.block.shapes.get(usize::from(predicted)) == Some(&shape) {
            return predicted;
        }
        let number = match self.shapes.get(&shape) {
            Some(&known) => known,
            None => {
                // At most one new shape per event, and fewer events than `NO_SHAPE`.
                let number = self.block.shapes.len() as u16;
                let list = match shape.op {
                    op::ENTER => self.block.tag_lists[shape.tags as usize].clone(),
                    _ => Arc::default(),
                };
                lay_out(&shape, &list, |category| self.block.layout.push(category));
                self.block.layout_at.push(self.block.layout.len() as u32);
                self.block.shapes.push(shape);
                self.successors.push(NO_SHAPE);
                self.shapes.insert(shape, number);
                number
            }
        };
        if let Some(successor) = self.successors.get_mut(usize::from(last)) {
            *successor = number;
        }
        number
    }
}
