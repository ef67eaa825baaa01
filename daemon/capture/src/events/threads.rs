//! The engine's picture of each thread: the calls of the scope that run in it, and at which height of
//! the real stack each of them stands.

use std::rc::Rc;

use jdwp::RequestId;
use jdwp::commands::thread_reference;
use jhyde_trace::{CallId, Event, EventKind, Local, Outcome, ThreadId, Value};
use rustc_hash::FxHashMap;

use super::calls::Entering;
use crate::arrivals::{Arrivals, Place};
use crate::structure::{Method, MethodKey};

/// A frame of the JVM's stack, as `ThreadReference.Frames` tells it.
pub(crate) type StackFrame = thread_reference::Frame;

/// A running call of the scope, or a boundary call that called back into it.
pub(crate) struct Frame {
    pub(crate) call: CallId,
    pub(crate) key: MethodKey,
    pub(crate) method: Rc<Method>,
    /// Number of frames below it on the JVM's stack, those outside the scope counted.
    pub(crate) height: u32,
    pub(crate) boundary: bool,
    /// Bytecode index of the call in the caller; tells two boundary calls of one caller apart.
    pub(crate) site: u32,
    /// Bytecode index at which the thread was last seen in it.
    pub(crate) index: u32,
    /// Last known values of its locals (level `state`).
    pub(crate) locals: FxHashMap<Local, Value>,
}

/// An exception was thrown, and it is not certain which calls it ended.
pub(crate) struct Unsure {
    pub(crate) exception: Value,
    /// Where the JVM expects it to be caught: a guess across native frames.
    pub(crate) expected: Option<(MethodKey, u32)>,
    /// A request that suspends the thread at its next exit, so that nothing is missed.
    pub(crate) exits: Option<RequestId>,
}

/// The step request of a thread (level `state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepping {
    Off,
    On(RequestId),
}

/// A thread of the debuggee.
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    /// Upper part of its frame ids while it is suspended; known after they were read once. It rises
    /// by one with each resume, which lets a frame be named without asking.
    pub(crate) generation: Option<u64>,
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
    /// The exit request of an [`Unsure`] that is settled: to be cleared.
    pub(crate) settled: Option<RequestId>,
}

impl Thread {
    pub(crate) fn new(id: ThreadId, is_virtual: bool) -> Self {
        Self {
            id,
            generation: None,
            is_virtual,
            stack: Vec::new(),
            next_preorder: 1,
            entering: None,
            unsure: None,
            stepping: Stepping::Off,
            settled: None,
        }
    }

    /// The innermost running call, or the root.
    pub(crate) fn current(&self) -> CallId {
        self.stack
            .last()
            .map_or_else(|| CallId::root(self.id), |frame| frame.call)
    }

    /// A new call's id.
    pub(crate) fn next_call(&mut self) -> CallId {
        let call = CallId::new(self.id, self.next_preorder);
        self.next_preorder += 1;
        call
    }

    /// Ends the innermost call.
    pub(crate) fn end_top(
        &mut self,
        outcome: Outcome,
        index: u32,
        place: Place,
        out: &mut Arrivals,
    ) {
        if let Some(frame) = self.stack.pop() {
            let kind = EventKind::Exit { outcome };
            out.event(
                place,
                Event {
                    call: frame.call,
                    index,
                    kind,
                },
            );
        }
    }

    /// Ends a boundary call at the top: the thread was seen in its caller again.
    pub(crate) fn end_boundary(&mut self, place: Place, out: &mut Arrivals) {
        while self.stack.last().is_some_and(|frame| frame.boundary) {
            self.end_top(Outcome::Unknown, Event::NO_INDEX, place, out);
        }
    }

    /// Ends all calls above the height `keep` by an exception (boundary calls included: the
    /// exception went through them).
    pub(crate) fn unwind(&mut self, keep: u32, exception: Value, place: Place, out: &mut Arrivals) {
        while self.stack.last().is_some_and(|frame| frame.height >= keep) {
            let index = self
                .stack
                .last()
                .map_or(Event::NO_INDEX, |frame| frame.index);
            self.end_top(Outcome::Threw(exception), index, place, out);
        }
    }

    /// Compares with the JVM's own stack and ends what is not on it any more. `frames` are those
    /// below the height `frames.len()`, innermost first.
    pub(crate) fn align(&mut self, frames: &[StackFrame], place: Place, out: &mut Arrivals) {
        let stands = |frame: &Frame| {
            frames
                .len()
                .checked_sub(1 + frame.height as usize)
                .and_then(|at| frames.get(at))
                .is_some_and(|real| (real.location.class, real.location.method) == frame.key)
        };
        let keep = self
            .stack
            .iter()
            .position(|frame| !stands(frame))
            .unwrap_or(self.stack.len());
        let unsure = self.unsure.take();
        while self.stack.len() > keep {
            let boundary = self.stack.last().is_some_and(|frame| frame.boundary);
            let outcome = match &unsure {
                Some(unsure) => Outcome::Threw(unsure.exception),
                None => Outcome::Unknown,
            };
            if unsure.is_none()
                && !boundary
                && let Some(frame) = self.stack.last()
            {
                let reason = "the call's end was not seen".to_owned();
                let kind = EventKind::Gap { reason };
                out.event(
                    place,
                    Event {
                        call: frame.call,
                        index: Event::NO_INDEX,
                        kind,
                    },
                );
            }
            self.end_top(outcome, Event::NO_INDEX, place, out);
        }
        if let Some(unsure) = unsure {
            if let (Some((key, index)), Some(top)) = (unsure.expected, self.stack.last_mut())
                && top.key == key
            {
                top.index = index;
                let kind = EventKind::Caught {
                    exception: unsure.exception,
                };
                out.event(
                    place,
                    Event {
                        call: top.call,
                        index,
                        kind,
                    },
                );
            }
            // The request that suspended at exits has done its work; the caller clears it.
            self.settled = unsure.exits;
        }
    }
}
