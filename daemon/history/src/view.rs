//! Calls, values, places and events in the words of the source: what the store knows by numbers, with names.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, MonitorAction, ThreadId, Timestamp};

pub use crate::place::PlaceView;
pub use crate::values::{HeldKind, HeldView, ItemView, ObjectView, ValueView};

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentView {
    /// The parameter's name, or `arg0` ….
    pub name: String,
    /// Its type as in source.
    pub type_name: String,
    /// What was given.
    pub value: ValueView,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum OutcomeView {
    /// It returned this ([`ValueView::Void`] from void methods).
    Returned(ValueView),
    /// It ended by this exception.
    Threw(ValueView),
    /// It has not ended, or its end was not seen.
    None,
}

/// A call with names.
#[derive(Clone, Debug, PartialEq)]
pub struct CallView {
    /// What the store knows of it.
    pub record: CallRecord,
    /// Dotted binary name of the declaring class.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// JVMS 4.3.3.
    pub descriptor: String,
    /// First source line of the method's code.
    pub line: Option<u32>,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
    /// Where it was called, if the caller is in scope.
    pub call_site: Option<PlaceView>,
    /// Name of its thread.
    pub thread_name: String,
    /// It has no end, and will not get one: the recording has ended.
    pub recording_ended: bool,
    /// Receiver, arguments and end; `None` if they were not asked for.
    pub values: Option<CallValues>,
    /// Of a boundary call in an event list: what it changed.
    pub changed: Vec<WriteView>,
    /// What of it is recorded at a lower level than was asked for, from when on and why.
    pub lowered: Vec<String>,
}

/// What a call was given and yielded.
#[derive(Clone, Debug, PartialEq)]
pub struct CallValues {
    /// `this`.
    pub receiver: Option<ValueView>,
    /// The arguments.
    pub arguments: Vec<ArgumentView>,
    /// How it ended.
    pub outcome: OutcomeView,
}

/// An event with names.
#[derive(Clone, Debug, PartialEq)]
pub struct EventView {
    /// Its number.
    pub timestamp: Timestamp,
    /// The call that it belongs to; `None` for what cannot be read of all threads.
    pub call: Option<CallId>,
    /// Where; `None` for events of a thread's root.
    pub place: Option<PlaceView>,
    /// What.
    pub kind: EventKindView,
    /// Where a step led to it: what may have happened in between unseen.
    pub notes: Vec<String>,
}

impl EventView {
    /// Where in the code it was done, as far as that is known: a call begins where it was made.
    pub fn done_at(&self) -> Option<&PlaceView> {
        match &self.kind {
            EventKindView::Enter(call) => call.call_site.as_ref(),
            _ => self.place.as_ref(),
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKindView {
    /// A call began.
    Enter(Box<CallView>),
    /// A call ended.
    Exit(Box<CallView>),
    /// An object or array was created.
    Created(ValueView),
    /// A variable was written.
    Write(WriteView),
    /// A variable had this value when its object was first seen.
    Snapshot(WriteView),
    /// What an object holds changed: the object.
    Content(ValueView),
    /// A variable was read: its written form.
    Use(String),
    /// A condition's outcome, bytecode indexes.
    Edge {
        /// The conditional instruction.
        from: u32,
        /// The instruction that came next.
        to: u32,
    },
    /// An exception was thrown.
    Thrown(ValueView),
    /// An exception was caught.
    Caught(ValueView),
    /// An exception left the thread.
    Uncaught(ValueView),
    /// A thread began: its name.
    ThreadStart(String),
    /// A thread ended: its name.
    ThreadEnd(String),
    /// A class was prepared: its name.
    ClassPrepared(String),
    /// Something happened at a monitor.
    Monitor(MonitorAction, ValueView),
    /// Something was not recorded: why.
    Gap(String),
    /// Something was recorded and cannot be read: why.
    Unreadable(String),
}

/// A write with names.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteView {
    /// The variable's written form.
    pub variable: String,
    /// How it is called in source: `a`, `this.size`, `Cls.COUNT`.
    pub name: String,
    /// Its new value.
    pub value: ValueView,
}

/// A thread with what happened in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadView {
    /// The thread.
    pub id: ThreadId,
    /// Its name.
    pub name: String,
    /// Its group's name; empty if it had none.
    pub group: String,
    /// Number of its calls.
    pub calls: u64,
    /// Timestamp of its first event.
    pub start: Option<Timestamp>,
    /// Timestamp of its end, once it ended.
    pub end: Option<Timestamp>,
    /// It has no end, and will not get one: the recording has ended.
    pub recording_ended: bool,
}
