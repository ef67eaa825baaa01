//! What queries answer with: plain data, without any tie to the database.

use std::sync::Arc;

use jhyde_trace::{
    CallId, Change, ClassInfo, Event, Level, MethodId, MethodInfo, ObjectId, Outcome, ThreadId,
    Timestamp, Value, Variable,
};
use serde::{Deserialize, Serialize};

/// Which way in time an iteration goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From early to late.
    Forward,
    /// From late to early.
    Backward,
}

/// How much there is of a recording, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Events; the next event gets this number as its timestamp.
    pub events: u64,
    /// Calls of all threads, roots not counted.
    pub calls: u64,
    /// Threads that have events.
    pub threads: u32,
    /// Classes known, with those outside the scope.
    pub classes: u32,
    /// Event blocks on disk.
    pub blocks: u64,
    /// Bytes of the recording's folder on disk, logs included.
    pub bytes_on_disk: u64,
    /// Events that are not yet on disk: what a crash of the daemon would lose now.
    pub unflushed_events: u64,
    /// What was not recorded, by reason, the most frequent first.
    pub gaps: Vec<GapCount>,
    /// The first event that is kept: what was recorded before it was cut off ([`jhyde_trace::CostLimits::ring`]). 0: all is kept.
    pub kept_from: Timestamp,
    /// What was recorded at a lower level than was asked for, by time: at most [`Stats::MOST_LOWERED`].
    pub lowered: Vec<Lowered>,
    /// How many more such stretches of time there are.
    pub more_lowered: u64,
}

impl Stats {
    /// So many stretches at a lower level are told.
    pub const MOST_LOWERED: usize = 100;
}

/// A stretch of time in which something was recorded at a lower level than was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lowered {
    /// The first event in it.
    pub since: Timestamp,
    /// The first event behind it; `None`: it holds to the end.
    pub until: Option<Timestamp>,
    /// A class, or a class and its method behind a dot; empty: everything.
    pub subject: String,
    /// The level in force.
    pub level: Level,
    /// Why, in words for people.
    pub reason: String,
    /// What is told there may be false, and is told without values: see [`jhyde_trace::LevelFact::doubted`].
    pub doubted: bool,
}

/// How many gaps a recording has for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapCount {
    /// Why, in words for people, with `N` for numbers.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// One call: a node of a thread's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The call.
    pub id: CallId,
    /// Its parent; the thread's root for the outermost calls.
    pub parent: CallId,
    /// Distance from the thread's root, which has depth 0; outermost calls have 1.
    pub depth: u32,
    /// What was called.
    pub method: MethodId,
    /// When it began: its [`jhyde_trace::EventKind::Enter`] event.
    pub enter: Timestamp,
    /// When it ended: its [`jhyde_trace::EventKind::Exit`] event. `None` while it runs, and for
    /// ever when the recording ended before the call did (*incomplete*).
    pub exit: Option<Timestamp>,
    /// Calls in its subtree, itself counted; for an incomplete call those so far. The calls of the
    /// subtree are exactly those of the same thread numbered `id.preorder .. id.preorder + size`.
    pub size: u64,
    /// A call out of the scope.
    pub boundary: bool,
    /// It was running when the recording began.
    pub already_running: bool,
    /// Bytecode index of the invoke instruction in the parent, or [`Event::NO_INDEX`].
    pub call_site: u32,
    /// 0-based ordinal among all calls of the method in the recording, by enter timestamp.
    pub invocation: u64,
}

impl CallRecord {
    /// Descendants: the size without the call itself.
    pub fn descendants(&self) -> u64 {
        self.size.saturating_sub(1)
    }

    /// Is `other` this call, or a call inside it?
    pub fn contains(&self, other: CallId) -> bool {
        other.thread == self.id.thread
            && other.preorder >= self.id.preorder
            && other.preorder - self.id.preorder < self.size
    }
}

/// A thread's root: the node above all its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootRecord {
    /// The thread.
    pub thread: ThreadId,
    /// Real calls below the root: they are numbered `1 ..= calls`.
    pub calls: u64,
    /// The thread's first event.
    pub first: Option<Timestamp>,
    /// The thread's last event so far.
    pub last: Option<Timestamp>,
}

/// An event and its number.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedEvent {
    /// The event's number in the recording.
    pub timestamp: Timestamp,
    /// The event.
    pub event: Event,
}

/// A row of a call's own event list: nested calls are one `Enter` and (once over) one `Exit` row,
/// what happens inside them is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnEvent {
    /// The event's number.
    pub timestamp: Timestamp,
    /// The event. Its `call` is the asked call for its own events, or one of its direct children
    /// for that child's `Enter` and `Exit`.
    pub event: Event,
}

/// An own event of one of a method's calls: see [`OwnEvent`].
#[derive(Clone, Debug, PartialEq)]
pub struct MethodEvent {
    /// The call of the method.
    pub call: CallId,
    /// The event's number.
    pub timestamp: Timestamp,
    /// The event: the call's own, or the `Enter` of one that it makes.
    pub event: Event,
}

/// One write of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Write {
    /// The writing event.
    pub timestamp: Timestamp,
    /// The call that wrote.
    pub call: CallId,
    /// Bytecode index of the write, or [`Event::NO_INDEX`].
    pub index: u32,
    /// What was written to.
    pub variable: Variable,
    /// The value that it got.
    pub value: Value,
    /// It is not a write of the program but the value found when the object was first seen
    /// ([`jhyde_trace::EventKind::Snapshot`]).
    pub snapshot: bool,
}

/// One change of what an object of the JDK holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentChange {
    /// The event.
    pub timestamp: Timestamp,
    /// The call that made it, or that met the object.
    pub call: CallId,
    /// Bytecode index, or [`Event::NO_INDEX`].
    pub index: u32,
    /// Found so, not changed by the call.
    pub snapshot: bool,
    /// What the object holds from there on.
    pub change: Change,
}

/// A method together with its class.
#[derive(Clone, Debug)]
pub struct MethodRef {
    /// The declaring class.
    pub class: Arc<ClassInfo>,
    /// Position in [`ClassInfo::methods`].
    pub position: usize,
}

impl MethodRef {
    /// The method.
    pub fn method(&self) -> &MethodInfo {
        &self.class.methods[self.position]
    }
}

/// A field together with its class.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The declaring class.
    pub class: Arc<ClassInfo>,
    /// Position in [`ClassInfo::fields`].
    pub position: usize,
}

impl FieldRef {
    /// The field.
    pub fn field(&self) -> &jhyde_trace::FieldInfo {
        &self.class.fields[self.position]
    }
}

/// What happened to an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExceptionKind {
    /// Thrown.
    Thrown,
    /// Caught.
    Caught,
    /// Caught by nobody: the thread ended of it.
    Uncaught,
}

/// An entry of the index of exceptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExceptionEvent {
    /// The event.
    pub timestamp: Timestamp,
    /// What happened.
    pub kind: ExceptionKind,
    /// In which call.
    pub call: CallId,
    /// Bytecode index: the throwing instruction, or the handler's beginning.
    pub index: u32,
    /// The exception object.
    pub exception: Value,
}

/// An object's creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The [`jhyde_trace::EventKind::New`] event.
    pub timestamp: Timestamp,
    /// The object.
    pub object: ObjectId,
    /// The call that created it.
    pub call: CallId,
    /// Bytecode index of the creation.
    pub index: u32,
}

/// An execution of a place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The first event that was recorded at the place.
    pub timestamp: Timestamp,
    /// The call.
    pub call: CallId,
    /// Bytecode index of the event.
    pub index: u32,
}

/// A call's arguments, read from its `Enter` event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// `this`.
    pub receiver: Option<Value>,
    /// The arguments in declaration order.
    pub arguments: Vec<Value>,
}

/// How a call ended, read from its `Exit` event; `None` for incomplete calls.
pub type CallOutcome = Option<Outcome>;
