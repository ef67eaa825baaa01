//! What a slice is made of: the deeds of a run that a value came from, and how one came from another.

use jhyde_trace::{CallId, ObjectId, ThreadId, Timestamp, Variable};

use crate::view::EventView;

/// How a deed led to the one that it is listed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The value that was asked about was given to its variable here.
    Asked,
    /// Its value went into that one.
    Value,
    /// It decided which object, which array or which element that was about.
    Place,
    /// It decided whether that happened.
    Condition,
    /// That was read from what an object of the JDK held, which this made so.
    Content,
}

/// What a deed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    /// A variable was written.
    Write(Variable),
    /// A variable was found to have a value that nobody was seen to write.
    Found(Variable),
    /// What an object of the JDK holds was changed, or found.
    Content(ObjectId),
    /// A call was given an argument; position 0 is the receiver where there is one.
    Argument(u16),
    /// A call ended: with a result, or by an exception.
    Result,
    /// A condition decided.
    Condition,
    /// An object or array was made, and its variables got what they begin with.
    Created(ObjectId),
    /// A call was made.
    Called,
    /// An exception was thrown.
    Thrown,
    /// It was caught.
    Caught,
}

/// A deed at its time: an event, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What.
    pub deed: Deed,
    /// The event.
    pub at: Timestamp,
    /// The call that it belongs to: of [`Deed::Argument`], [`Deed::Called`] and [`Deed::Result`] the called one.
    pub call: CallId,
}

impl Node {
    /// One event may be several deeds.
    pub(super) fn key(&self) -> (u64, u32) {
        let part = match self.deed {
            Deed::Argument(position) => u32::from(position) + 2,
            Deed::Called => 1,
            _ => 0,
        };
        (self.at.0, part)
    }
}

/// A node that another came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) relation: Relation,
    pub(super) node: Node,
    /// The variable that was read of it, if one was.
    pub(super) read: Option<Variable>,
}

/// A step of a slice: a deed, under the one that it led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Counted from 0, in the order in which they are found.
    pub number: u64,
    /// The step that this one led to; `None` of the first.
    pub parent: Option<u64>,
    /// How.
    pub relation: Relation,
    /// The deed.
    pub node: Node,
    /// The variable that was read, in its written form: what stands between this step and its parent.
    pub read: Option<String>,
    /// The event in words.
    pub event: EventView,
    /// Of an argument: its name in source.
    pub argument: Option<String>,
    /// What is not known here, so that more than needed may stand below.
    pub notes: Vec<String>,
}

/// What a slice does not follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Loose {
    /// Too much was not seen at one place of this call.
    Call(CallId),
    /// Who wrote something while less was recorded.
    Lowered,
    /// What began this thread.
    Thread(ThreadId),
}
