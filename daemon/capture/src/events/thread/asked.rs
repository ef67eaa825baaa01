//! What a thread has been asked for, and what is known of it until the answer, or its next event, is there.

use std::rc::Rc;

use jdwp::commands::stack_frame::SlotRequest;
use jdwp::{PacketId, TaggedObject};
use jhyde_trace::{CallId, EventKind, Missing, ObjectId, Value, Variable};
use rustc_hash::FxHashMap;

use crate::arrivals::Ticket;
use crate::events::predict::plan::Planned;
use crate::jvm::StackFrame;
use crate::program::{MethodKey, Named};
use crate::recorder::IntrinsicClasses;

/// What a new call still has to be asked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::events) enum EntryQuestion {
    /// The frames below it.
    Stack,
    /// Receiver and arguments.
    Arguments,
}

/// A call that is being entered.
pub(in crate::events) struct Entering {
    pub(in crate::events) ticket: Ticket,
    pub(in crate::events) key: MethodKey,
    pub(in crate::events) method: Rc<Planned>,
    /// Bytecode index of the entry.
    pub(in crate::events) index: u32,
    /// It has run on since, unseen.
    pub(in crate::events) late: bool,
    /// Answers that are still to come.
    pub(in crate::events) open: u8,
    pub(in crate::events) below: Below,
    /// Receiver (if there is one) and arguments.
    pub(in crate::events) values: Option<Vec<jdwp::Value>>,
    /// Why there are no values.
    pub(in crate::events) missing: Missing,
    /// What the objects among them held (level `calls`).
    pub(in crate::events) told: Vec<EventKind>,
}

/// What lies below a new call on the stack.
pub(in crate::events) enum Below {
    /// Called from the innermost known call, from this instruction: seen before, and always so.
    Known { site: u32 },
    /// Asked for.
    Asked,
    /// The frames below it, innermost first.
    Frames(Vec<StackFrame>),
}

/// What a thread's next event may tell.
#[derive(Clone, Debug)]
pub(in crate::events) struct Awaited {
    pub(in crate::events) ticket: Ticket,
    pub(in crate::events) call: CallId,
    pub(in crate::events) what: What,
}

/// That.
#[derive(Clone, Debug)]
pub(in crate::events) enum What {
    /// The result of a call out of the scope, of this type, which the instruction at this index takes.
    Result { returns: String, taken_at: u32 },
    /// The arguments of a bridge method.
    Arguments,
}

/// What a thread is about to read.
#[derive(Clone, Copy, Debug)]
pub(in crate::events) struct ForeignRead {
    pub(in crate::events) at: (MethodKey, u32),
    pub(in crate::events) variable: Variable,
    pub(in crate::events) value: Value,
}

/// A thread stops where a method begins that it hands objects to.
#[derive(Debug)]
pub(in crate::events) struct Handing {
    pub(in crate::events) stop: HandingStop,
    /// What lies in the method's slots, and is an object.
    pub(in crate::events) slots: Vec<(SlotRequest, Value)>,
}

/// Where a thread that hands objects on stops next.
#[derive(Debug)]
pub(in crate::events) enum HandingStop {
    /// At the first instruction of the method.
    Begin {
        callee: MethodKey,
        breakpoint: PacketId,
    },
    /// Where the class is prepared whose static method it calls: the call is the first that names it.
    Load { named: Named, request: PacketId },
    /// At each method that it enters, so many at most: which one it calls is not known.
    Enter {
        named: Named,
        request: PacketId,
        left: u32,
    },
}

/// A thread runs code of the scope while the JVM resolves a constant for it.
#[derive(Default)]
pub(in crate::events) struct Initialising {
    /// The outermost such call, once it has begun.
    pub(in crate::events) call: Option<CallId>,
    /// Breakpoints of this thread alone, by place.
    pub(in crate::events) breakpoints: FxHashMap<(MethodKey, u32), PacketId>,
}

/// A request that has exits out of the scope reported, for a call that is about to leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::events) struct Watch {
    /// The call in scope that makes it.
    pub(in crate::events) caller: CallId,
    /// Answered with the request's number.
    pub(in crate::events) asked: PacketId,
}

/// Something that memory shows and the mirror does not.
#[derive(Clone, Copy, Debug)]
pub(in crate::events) struct Race {
    pub(in crate::events) variable: Variable,
    /// Of [`crate::mirror::Doubts`].
    pub(in crate::events) number: u64,
    pub(in crate::events) means: Means,
}

/// What that means, if no other thread has written the variable.
#[derive(Clone, Copy, Debug)]
pub(in crate::events) enum Means {
    /// A boundary call wrote it: told at this arrival, behind so many of its events.
    Written {
        ticket: Ticket,
        behind: usize,
        call: CallId,
        value: Value,
        /// The value as the JVM names it, if it is an object.
        told: Option<TaggedObject>,
        /// A call out of the scope in another thread was shown the same, and may have written it.
        shared: bool,
    },
    /// The object that the mirror has there is the one to which the JVM gives this name.
    Named {
        object: ObjectId,
        real: TaggedObject,
    },
}

/// The exit requests of a thread.
#[derive(Debug, Default)]
pub(in crate::events) struct Standing {
    pub(in crate::events) wanted: IntrinsicClasses,
    pub(in crate::events) requested: IntrinsicClasses,
    pub(in crate::events) requests: Vec<PacketId>,
    /// Exits since the thread was last seen in the scope.
    pub(in crate::events) unused: u32,
}

impl Standing {
    pub(crate) fn want(&mut self, classes: IntrinsicClasses) {
        self.wanted.add(classes);
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.requested.is_empty()
    }

    /// The thread was seen in the scope.
    pub(crate) fn seen(&mut self) {
        self.unused = 0;
    }
}
