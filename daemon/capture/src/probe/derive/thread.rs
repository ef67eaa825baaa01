//! One thread as it is derived: its log, its calls, and what it waits for in the log.

use std::rc::Rc;

use jhyde_trace::{CallId, Event, EventKind, MonitorAction, ObjectId, Outcome, ThreadId, Value};
use rustc_hash::FxHashSet;

use super::Lost;
use super::outlet::Outlet;
use super::routine::{Callee, Routine};
use crate::mirror::Activation;
use crate::probe::log::{Log, Nonsense, Record};

/// A running call of the scope.
pub(super) struct Frame {
    pub(super) call: CallId,
    pub(super) routine: Rc<Routine>,
    pub(super) activation: Activation,
    /// The instruction that is next.
    pub(super) at: u32,
    /// Its caller's instruction called it, and takes its result.
    pub(super) invoked: bool,
    /// What that instruction tells behind it, if it tells anything.
    pub(super) open: Option<Open>,
    /// Code out of the scope makes this object with it, which was not told yet.
    pub(super) made: Option<ObjectId>,
    /// The instruction that made a static initialiser run last.
    pub(super) initialised: Option<u32>,
    /// Entered when the call began (JVMS 2.11.10), and left with it.
    pub(super) monitor: Option<ObjectId>,
}

/// A call out of the scope.
pub(super) struct Outside {
    pub(super) call: CallId,
    pub(super) callee: Rc<Callee>,
    pub(super) open: Open,
    /// `Object.wait` of this object.
    pub(super) waits: Option<ObjectId>,
    /// The exception that left a call of the scope into it last.
    pub(super) passes: Option<Value>,
}

/// What is told behind a call.
#[derive(Clone)]
pub(super) struct Open {
    /// The number of its place: its result.
    pub(super) place: u32,
    /// The object that it constructed.
    pub(super) constructed: Option<ObjectId>,
    /// Arrays that it was shown: what they hold.
    pub(super) arrays: Vec<ObjectId>,
}

/// A running call.
pub(super) enum Running {
    Scope(Frame),
    Outside(Outside),
}

/// What the log has to say before the innermost call goes on.
pub(super) enum Awaits {
    /// Which objects are shown to the call that the frame makes: those that are still to come, the next one last.
    Shown(Vec<Value>),
    /// What a method is given whose beginning was told.
    Arguments(Entering),
    /// The result of a call of the scope that was made as if it might leave it, and what that is.
    Same { open: Open, result: Option<Value> },
    /// What was constructed, and what arrays hold, behind a call: and then the frame that made it has its result.
    Behind { open: Open, result: Option<Value> },
    /// Where an exception goes; `None`: one that the JVM made, not known yet.
    Exception(Option<Value>),
}

/// A method whose beginning was told.
pub(super) struct Entering {
    pub(super) routine: Rc<Routine>,
    /// What it is given, as far as that was told: the receiver first, if there is one.
    pub(super) values: Vec<Value>,
    /// What was derived of that, where code of the scope made the call.
    pub(super) derived: Option<Vec<Value>>,
    /// Where it was called, and what that call tells behind it.
    pub(super) index: u32,
    pub(super) open: Option<Open>,
}

/// See the module.
pub(super) struct Thread {
    pub(super) id: ThreadId,
    pub(super) log: Log,
    pub(super) stack: Vec<Running>,
    pub(super) awaits: Option<Awaits>,
    /// A checksum of all that it read from the heap.
    pub(super) sum: u64,
    /// Places of strings that its log has told.
    pub(super) literals: FxHashSet<u32>,
    /// Its checksum has agreed since somebody looked.
    agreed: bool,
    /// The first event that no checksum has confirmed.
    pub(super) unconfirmed: u64,
    next_preorder: u64,
    lost: bool,
}

impl Thread {
    pub(super) fn new(id: ThreadId) -> Self {
        Self {
            id,
            log: Log::default(),
            stack: Vec::new(),
            awaits: None,
            sum: 0,
            literals: FxHashSet::default(),
            agreed: false,
            unconfirmed: 0,
            next_preorder: 1,
            lost: false,
        }
    }

    pub(super) fn begins(&self, outlet: &mut Outlet) {
        outlet.event(
            CallId::root(self.id),
            Event::NO_INDEX,
            EventKind::ThreadStart,
        );
    }

    /// The record that comes next, if it is there.
    pub(super) fn peek(&mut self) -> Result<Option<&Record>, Nonsense> {
        self.log.peek()
    }

    /// Takes the record that was peeked at: the thread has come to the place that wrote it.
    pub(super) fn take(&mut self) -> Result<Record, Lost> {
        let Some((record, sum)) = self.log.take() else {
            return Err(Lost("its log ends in a record".to_owned()));
        };
        if sum.is_some_and(|sum| sum != self.folded()) {
            return Err(Lost(super::UNSEEN.to_owned()));
        }
        self.agreed |= sum.is_some();
        Ok(record)
    }

    /// The checksum as logs tell it.
    fn folded(&self) -> u32 {
        (self.sum ^ self.sum >> 32) as u32
    }

    /// Does its checksum agree, if it has come to the end of its log and no call runs?
    pub(super) fn agrees(&self, sum: u64) -> bool {
        !self.stack.is_empty() || !self.log.is_empty() || self.sum == sum
    }

    pub(super) fn next_call(&mut self) -> CallId {
        self.next_preorder += 1;
        CallId::new(self.id, self.next_preorder - 1)
    }

    /// The innermost call of the scope, if it is the innermost call.
    pub(super) fn frame(&mut self) -> Option<&mut Frame> {
        match self.stack.last_mut() {
            Some(Running::Scope(frame)) => Some(frame),
            _ => None,
        }
    }

    /// The innermost running call, or the root.
    pub(super) fn current(&self) -> CallId {
        match self.stack.last() {
            Some(Running::Scope(frame)) => frame.call,
            Some(Running::Outside(outside)) => outside.call,
            None => CallId::root(self.id),
        }
    }

    /// Ends the innermost call.
    pub(super) fn end_call(&mut self, outcome: Outcome, index: u32, outlet: &mut Outlet) {
        let Some(running) = self.stack.pop() else {
            return;
        };
        let (call, monitor) = match &running {
            Running::Scope(frame) => (
                frame.call,
                frame.monitor.map(|object| (MonitorAction::Exit, object)),
            ),
            Running::Outside(outside) => (
                outside.call,
                outside
                    .waits
                    .map(|object| (MonitorAction::Notified, object)),
            ),
        };
        if let Some((action, object)) = monitor {
            outlet.event(call, index, EventKind::Monitor { action, object });
        }
        outlet.event(call, index, EventKind::Exit { outcome });
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// What was told before this event is right, if its checksum has agreed since.
    pub(super) fn confirm(&mut self, event: u64) {
        if std::mem::take(&mut self.agreed) {
            self.unconfirmed = event;
        }
    }

    /// Nothing more is told of it: what runs ends nobody knows how, and what was told of it may be false. Gives a note
    /// about what has ended since the last checksum, which a gap of its own cannot reach any more.
    pub(super) fn lose(&mut self, lost: &Lost, outlet: &mut Outlet) -> String {
        self.lost = true;
        let gap = || EventKind::Gap {
            reason: format!(
                "what this thread did could not be derived any more: {}",
                lost.0
            ),
            back: true,
        };
        let note = format!(
            "thread {}: {}; what was told of it from @{} to @{} may be false",
            self.id.0,
            lost.0,
            self.unconfirmed,
            outlet.now()
        );
        outlet.event(self.current(), Event::NO_INDEX, gap());
        while !self.stack.is_empty() {
            self.end_call(Outcome::Unknown, Event::NO_INDEX, outlet);
            if !self.stack.is_empty() {
                outlet.event(self.current(), Event::NO_INDEX, gap());
            }
        }
        note
    }

    /// The JVM has ended.
    pub(super) fn end(&mut self, outlet: &mut Outlet) {
        while !self.stack.is_empty() {
            self.end_call(Outcome::Unknown, Event::NO_INDEX, outlet);
        }
        outlet.event(CallId::root(self.id), Event::NO_INDEX, EventKind::ThreadEnd);
    }
}
