//! The engine's picture of a thread: the calls of the scope that run in it, what it is asked for, and what is still to
//! be told of it.

pub(in crate::events) mod asked;
pub(in crate::events) mod frame;

use std::rc::Rc;

use jdwp::{PacketId, RequestId};
use jhyde_trace::{CallId, Event, EventKind, Outcome, ThreadId, Value, Variable};
use rustc_hash::FxHashSet;

use self::frame::{Frame, UNNAMED};
use crate::arrivals::Ticket;
use crate::events::thread::asked::{
    Awaited, Entering, ForeignRead, Handing, Initialising, Race, Standing, Watch,
};
use crate::jvm::StackFrame;
use crate::mirror::{Pending, Progress};
use crate::program::{MethodKey, index_of};
use crate::recorder::{At, Outlet, Shown, gap};

/// An exception was thrown, and it is not certain which calls it ended.
pub(crate) struct Unsure {
    pub(crate) exception: Value,
    /// It has not been told yet that it arrived in a call of the scope, and it will arrive.
    pub(crate) arrives: bool,
    /// Where the JVM expects it to be caught: a guess across native frames.
    pub(crate) expected: Option<(MethodKey, u32)>,
    /// A request that suspends the thread at its next exit, so that nothing is missed.
    pub(crate) exits: Option<RequestId>,
}

/// The step request of a thread (level `state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepping {
    Off,
    /// Answered with the request's number.
    On(PacketId),
}

/// A thread of the debuggee.
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    /// The JVM's name of it.
    pub(crate) jdwp: jdwp::ThreadId,
    /// Upper part of its frame ids while it is suspended; known after they were read once. It rises
    /// by one with each resume, which lets a frame be named without asking.
    pub(crate) generation: Option<u64>,
    /// It has told its end: nothing runs in it any more.
    pub(crate) ended: bool,
    /// The JVM forgets a virtual thread's generation between suspensions.
    pub(crate) is_virtual: bool,
    /// Outermost first.
    pub(crate) stack: Vec<Frame>,
    /// Number of the next call.
    pub(crate) next_preorder: u64,
    /// The call that is being entered, until its questions are answered.
    pub(crate) entering: Option<Entering>,
    pub(crate) unsure: Option<Unsure>,
    pub(crate) stepping: Stepping,
    /// It stands at a breakpoint, and no step told that it came there.
    pub(crate) unstepped: bool,
    /// How often code out of the scope had run when it went on last: see [`crate::mirror::Heap::is_stale`].
    pub(crate) looked: u64,
    /// How many objects of the JDK had been read by then: those that were read later may have a part of what it has done since.
    pub(crate) readings: u64,
    /// The boundary call that it came back from with its last event: where it was told that it ended, and behind how
    /// many of the arrival's events it ended.
    pub(crate) returned: Option<(Ticket, usize, CallId)>,
    /// It tells no steps, because what it does until it stops again is predicted.
    pub(crate) predicted: bool,
    /// Where it will throw an exception then, if it will.
    pub(crate) throws_at: Option<(MethodKey, u32)>,
    /// Every step suspends it, because the mirror does not know a value.
    pub(crate) careful: bool,
    /// It runs a static initialiser, in which the JVM hides steps, or the handler of what nobody has caught.
    pub(crate) initialising: Option<Initialising>,
    /// Nobody has caught an exception: the JVM takes the thread to be leaving by it from then on, and tells neither steps
    /// nor exits of what it runs still.
    pub(crate) uncaught: bool,
    /// What it is about to read of a field that the scope does not declare.
    pub(crate) foreign: Option<ForeignRead>,
    /// What its next event may tell of the last one.
    pub(crate) awaited: Option<Awaited>,
    /// What the event that is handled may tell of the one before.
    pub(crate) due: Option<Awaited>,
    /// It stops in what it is about to call.
    pub(crate) handing: Option<Handing>,
    /// Requests for the exits of calls out of the scope.
    pub(crate) watches: Vec<Watch>,
    /// Requests for the exits of intrinsic calls.
    pub(crate) standing: Standing,
    /// The result of the method out of the scope that it left last.
    pub(crate) last_exit: Option<jdwp::Value>,
    /// The exit request of an [`Unsure`] that is settled: to be cleared.
    pub(crate) settled: Option<RequestId>,
    /// Calls out of the scope that have ended, and nobody has looked what they did to what they were shown.
    pub(crate) unlooked: Vec<Shown>,
    /// What it has read of what code out of the scope may have written unseen, since it stood still last.
    pub(crate) read_stale: Vec<Variable>,
    /// What its last boundary call, or another thread, has written.
    pub(crate) races: Vec<Race>,
    /// The field of which its last event said that it is about to be written.
    pub(crate) writing: Option<Variable>,
    /// What it writes on the rest of its predicted run, where that was asked since its last event.
    pub(crate) untold: Option<Rc<FxHashSet<Variable>>>,
}

impl Thread {
    pub(crate) fn new(id: ThreadId, jdwp: jdwp::ThreadId, is_virtual: bool) -> Self {
        Self {
            id,
            jdwp,
            ended: false,
            generation: None,
            is_virtual,
            stack: Vec::new(),
            next_preorder: 1,
            entering: None,
            unsure: None,
            unlooked: Vec::new(),
            read_stale: Vec::new(),
            stepping: Stepping::Off,
            unstepped: false,
            looked: 0,
            readings: 0,
            returned: None,
            predicted: false,
            throws_at: None,
            careful: false,
            initialising: None,
            uncaught: false,
            foreign: None,
            awaited: None,
            due: None,
            handing: None,
            watches: Vec::new(),
            standing: Standing::default(),
            last_exit: None,
            settled: None,
            races: Vec::new(),
            writing: None,
            untold: None,
        }
    }

    /// The innermost running call, or the root.
    pub(crate) fn current(&self) -> CallId {
        self.stack
            .last()
            .map_or_else(|| CallId::root(self.id), |frame| frame.call)
    }

    /// Where that is told what happens in it now.
    pub(crate) fn at(&self, ticket: Ticket) -> At {
        (ticket, self.jdwp, self.current())
    }

    /// The innermost running call of the scope.
    pub(crate) fn innermost(&self) -> Option<&Frame> {
        self.stack.iter().rfind(|frame| !frame.boundary)
    }

    /// The same.
    pub(crate) fn innermost_mut(&mut self) -> Option<&mut Frame> {
        self.stack.iter_mut().rfind(|frame| !frame.boundary)
    }

    /// Did it run code since its last event of which nobody knows what it was shown: a call out of the scope that was
    /// seen only because it called back, or one of the scope whose instructions are not followed?
    pub(crate) fn ran_unseen(&self) -> bool {
        self.stack.last().is_some_and(|top| match top.boundary {
            true => top.shown.is_none(),
            false => top.mirror.is_none(),
        })
    }

    /// The instruction at which that call stands.
    pub(crate) fn pending_mut(&mut self) -> Option<&mut Pending> {
        self.innermost_mut()?.mirror.as_mut()?.pending.as_mut()
    }

    /// The method of the innermost running call of the scope.
    pub(crate) fn innermost_key(&self) -> Option<MethodKey> {
        self.innermost().map(|frame| frame.key)
    }

    /// Does it stop when it is back from a call out of the scope, which is this one of its stack?
    pub(crate) fn stops_behind_boundary(&self, at: usize) -> bool {
        let caller = self.stack[..at].iter().rfind(|frame| !frame.boundary);
        let Some(caller) = caller else { return false };
        let pending = caller.mirror.as_ref().and_then(|mirror| mirror.pending);
        let instruction = pending.and_then(|pending| caller.method.instruction(pending));
        instruction.is_some_and(|instruction| caller.method.stops_at(instruction.next()))
    }

    /// Has the outermost call that ran while steps are hidden ended?
    pub(crate) fn has_left_initialiser(&self) -> bool {
        let call = self
            .initialising
            .as_ref()
            .and_then(|initialising| initialising.call);
        call.is_some_and(|call| self.stack.iter().all(|frame| frame.call != call))
    }

    /// Ends the innermost call, whose end the JVM did not tell.
    pub(crate) fn lose_top<S>(&mut self, ticket: Ticket, out: &mut Outlet<S>) {
        let returned = self.stack.last().and_then(Frame::returned);
        if let Some(result) = returned.filter(|_| self.unsure.is_none()) {
            let index = self
                .stack
                .last()
                .map_or(Event::NO_INDEX, |frame| frame.index);
            return self.return_top(result, index, ticket, out);
        }
        if let Some(frame) = self.stack.last().filter(|frame| !frame.boundary) {
            out.doubt(ticket, frame.call, "the call's end was not seen");
        }
        self.end_top(Outcome::Unknown, Event::NO_INDEX, ticket, out);
    }

    /// A new call's id.
    pub(crate) fn next_call(&mut self) -> CallId {
        let call = CallId::new(self.id, self.next_preorder);
        self.next_preorder += 1;
        call
    }

    /// Ends the innermost call.
    pub(crate) fn end_top<S>(
        &mut self,
        outcome: Outcome,
        index: u32,
        ticket: Ticket,
        out: &mut Outlet<S>,
    ) {
        if let Some(frame) = self.stack.pop() {
            let call = frame.call;
            self.unlooked
                .extend(frame.shown.filter(|shown| !shown.is_intrinsic()));
            if let Some(reason) = frame.doubtful {
                out.tell(ticket, (call, index), gap(reason));
            }
            if let Some((action, object)) = frame.monitor {
                let kind = EventKind::Monitor { action, object };
                out.tell(ticket, (call, index), kind);
            }
            let kind = EventKind::Exit { outcome };
            out.tell(ticket, (call, index), kind);
        }
    }

    /// Ends the innermost call, which has returned, and gives its result to the call that made it.
    pub(crate) fn return_top<S>(
        &mut self,
        result: Option<Value>,
        index: u32,
        ticket: Ticket,
        out: &mut Outlet<S>,
    ) {
        let invoked = self.stack.last().is_some_and(|frame| frame.invoked);
        self.end_top(Outcome::Returned(result), index, ticket, out);
        let below = self.stack.last_mut().filter(|frame| frame.boundary);
        if let (Some(shown), Some(object)) = (
            below.and_then(|frame| frame.shown.as_mut()),
            result.and_then(Value::object),
        ) {
            shown.gets_back(object);
        }
        let caller = self.stack.last_mut().filter(|_| invoked);
        if let Some(mirror) = caller.and_then(|frame| frame.mirror.as_mut())
            && let Some(pending) = mirror.pending
            && pending.progress == Progress::Calling
        {
            if let Some(result) = result {
                mirror.push(result);
            }
            mirror.pending = Some(Pending {
                progress: Progress::Done,
                ..pending
            });
        }
    }

    /// Ends a boundary call at the top: the thread was seen in its caller again.
    pub(crate) fn end_boundary<S>(&mut self, ticket: Ticket, out: &mut Outlet<S>) {
        while self.stack.last().is_some_and(|frame| frame.boundary) {
            self.end_top(Outcome::Unknown, Event::NO_INDEX, ticket, out);
        }
    }

    /// Ends all calls above the height `keep` by an exception (boundary calls included: the
    /// exception went through them).
    pub(crate) fn unwind<S>(
        &mut self,
        keep: u32,
        exception: Value,
        ticket: Ticket,
        out: &mut Outlet<S>,
    ) {
        while self.stack.last().is_some_and(|frame| frame.height >= keep) {
            let index = self
                .stack
                .last()
                .map_or(Event::NO_INDEX, |frame| frame.index);
            self.end_top(Outcome::Threw(exception), index, ticket, out);
        }
    }

    /// It ended: what still seems to run in it has ended too.
    pub(crate) fn end<S>(&mut self, ticket: Ticket, out: &mut Outlet<S>) {
        if let Some(unsure) = self.unsure.take() {
            let exception = unsure.exception;
            if let Some(top) = self.stack.last().filter(|_| !self.uncaught) {
                let at = (top.call, top.index);
                out.tell(ticket, at, EventKind::Uncaught { exception });
            }
            self.unwind(0, exception, ticket, out);
        }
        while let Some(top) = self.stack.last() {
            let (returned, index) = (top.returned(), top.index);
            match returned.filter(|_| self.uncaught) {
                Some(result) => self.return_top(result, index, ticket, out),
                None => self.end_top(Outcome::Unknown, Event::NO_INDEX, ticket, out),
            }
        }
        if let Some(due) = self.due.take() {
            out.arrivals.answered(due.ticket);
        }
        self.ended = true;
    }

    /// Compares with the JVM's own stack and ends what is not on it any more. `frames` are those
    /// below the height `frames.len()`, innermost first.
    pub(crate) fn align<S>(&mut self, frames: &[StackFrame], ticket: Ticket, out: &mut Outlet<S>) {
        let stands = |frame: &Frame| {
            frames
                .len()
                .checked_sub(1 + frame.height as usize)
                .and_then(|at| frames.get(at))
                .is_some_and(|real| {
                    frame.key == UNNAMED || (real.location.class, real.location.method) == frame.key
                })
        };
        let keep = self
            .stack
            .iter()
            .position(|frame| !stands(frame))
            .unwrap_or(self.stack.len());
        let mut unsure = self.unsure.take();
        let here = frames.first().map(|frame| index_of(&frame.location));
        while self.stack.len() > keep {
            match &mut unsure {
                Some(unsure)
                    if !(self.stack.len() == keep + 1 && self.has_returned(keep, here)) =>
                {
                    // It arrives first in the call that made the one which it leaves.
                    let top = self.stack.last().filter(|top| !top.boundary);
                    if let Some(top) = top.filter(|_| std::mem::take(&mut unsure.arrives)) {
                        let exception = unsure.exception;
                        let (call, index) = (top.call, top.index);
                        out.tell(ticket, (call, index), EventKind::Thrown { exception });
                    }
                    let outcome = Outcome::Threw(unsure.exception);
                    self.end_top(outcome, Event::NO_INDEX, ticket, out);
                }
                _ => self.lose_top(ticket, out),
            }
        }
        if let Some(unsure) = unsure {
            self.arrive(&unsure, here, ticket, out);
            // The request that suspended at exits has done its work; the caller clears it.
            self.settled = unsure.exits;
        }
    }

    /// Has the boundary call that stands at this place of the stack returned to its caller? The thread then stands
    /// right behind the invoke instruction.
    fn has_returned(&self, at: usize, here: Option<u32>) -> bool {
        let caller = at.checked_sub(1).map(|below| &self.stack[below]);
        let invoke = caller.and_then(|caller| {
            let pending = caller.mirror.as_ref()?.pending?;
            caller.method.instruction(pending)
        });
        self.stack[at].boundary && invoke.is_some_and(|invoke| Some(invoke.next()) == here)
    }

    /// An exception that was unsure is where it went.
    fn arrive<S>(
        &mut self,
        unsure: &Unsure,
        here: Option<u32>,
        ticket: Ticket,
        out: &mut Outlet<S>,
    ) {
        let Some(top) = self.stack.last_mut().filter(|top| !top.boundary) else {
            // It arrives in no call of the scope that is known.
            return;
        };
        let exception = unsure.exception;
        if unsure.arrives {
            let (call, index) = (top.call, top.index);
            let kind = EventKind::Thrown { exception };
            out.tell(ticket, (call, index), kind);
        }
        if let Some((key, index)) = unsure.expected
            && top.key == key
            && top.may_have_caught(index, here)
        {
            top.index = index;
            top.catch(exception, index);
            let (call, kind) = (top.call, EventKind::Caught { exception });
            out.tell(ticket, (call, index), kind);
        }
    }
}
