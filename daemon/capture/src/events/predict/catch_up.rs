//! What predicted threads did (see `predict`), told when their next event confirms it, and what is said where the
//! event contradicts it.

use std::rc::Rc;

use jdwp::Location;
use jhyde_bytecode::Opcode;
use jhyde_trace::Sink;

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::predict::plan::Planned;
use crate::events::predict::{Ahead, MOST};
use crate::events::thread::Thread;
use crate::mirror::{Activation, Pending, Progress, throws};
use crate::program::{MethodKey, index_of};

const UNPREDICTED: &str = "the thread did not do what its instructions give: another thread, or code out of the \
    scope, wrote what it read; what this call did may be wrong";

const UNTOLD: &str = "the JVM did not tell each step of the thread; what this call did is missing in part, and what it \
    told behind that may be wrong";

impl<S: Sink> Engine<S> {
    /// Tells what a thread has done since its last event, up to the instruction that the one which has come now
    /// belongs to. `thrown` is where it has thrown an exception: an allocation was taken to succeed.
    pub(in crate::events) fn catch_up(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        thrown: Option<&Location>,
    ) -> Result<(), CaptureError> {
        let predicted = thread.throws_at;
        let expected = predicted.is_some_and(|predicted| thrown.map(place_of) == Some(predicted));
        let mut left = MOST;
        while thread.predicted {
            if left == 0 {
                // No predicted run is so long: somebody else has written what it turns on.
                self.forget_innermost(ticket, thread, None, UNPREDICTED);
                return Ok(());
            }
            left -= 1;
            let Some(top) = thread.stack.last_mut().filter(|top| !top.boundary) else {
                // In a call out of the scope nothing is predicted.
                return Ok(());
            };
            let method = Rc::clone(&top.method);
            let key = top.key;
            let Some(mirror) = top.mirror.take() else {
                // Nothing of its inside is followed.
                return Ok(());
            };
            let instruction = mirror.pending.and_then(|p| method.instruction(p));
            let fails = instruction
                .filter(|i| allocates(i.opcode) && !expected)
                .is_some_and(|i| thrown.map(place_of) == Some((key, i.index)));
            let next = if fails {
                Ok(None)
            } else {
                self.next_untold(&method, &mirror)
            };
            if let Some(top) = thread.innermost_mut() {
                top.mirror = Some(mirror);
            }
            let Some(next) = next? else {
                // What it does there an event of its own tells.
                return Ok(());
            };
            self.advance(ticket, thread, next, false)?;
            thread.standing.seen();
            if let Some(top) = thread.innermost_mut() {
                let ordinal = method.code.as_ref().and_then(|code| code.ordinal(next));
                top.index = next;
                if let (Some(mirror), Some(ordinal)) = (&mut top.mirror, ordinal) {
                    mirror.pending = Some(Pending::reached(ordinal, false));
                }
            }
        }
        Ok(())
    }

    /// Where a thread went that no event tells; `None` at an instruction of which one does.
    fn next_untold(
        &mut self,
        method: &Planned,
        frame: &Activation,
    ) -> Result<Option<u32>, CaptureError> {
        let Some(pending) = frame.pending else {
            return Ok(None);
        };
        let Some(instruction) = method.instruction(pending) else {
            return Ok(None);
        };
        // Its event makes it done.
        let writes_field = matches!(instruction.opcode, Opcode::PutField | Opcode::PutStatic);
        Ok(match pending.progress {
            Progress::Calling => None,
            Progress::Done => Some(instruction.next()),
            Progress::Reached if writes_field => None,
            Progress::Reached => match self.ahead(method, frame, instruction, pending.told)? {
                Ahead::Goes(next) => Some(next),
                Ahead::Returns | Ahead::Stops | Ahead::Throws | Ahead::Open => None,
            },
        })
    }

    /// A predicted thread has thrown an exception where it stands. Code that only allocates was taken to succeed: when
    /// memory ends in a loop, nothing tells in which of its turns.
    pub(in crate::events) fn throws_unpredicted(
        &mut self,
        thread: &mut Thread,
        location: &Location,
    ) {
        if !thread.predicted {
            return;
        }
        let Some(top) = thread.stack.last().filter(|top| !top.boundary) else {
            // It was thrown in a call out of the scope, of which nothing was predicted.
            return;
        };
        let Some(mirror) = &top.mirror else {
            // Nothing of its inside is followed.
            return;
        };
        let instruction = mirror.pending.and_then(|p| top.method.instruction(p));
        let Some(instruction) = instruction else {
            // It is not known where it stood.
            return;
        };
        let opcode = instruction.opcode;
        let loops = allocates(opcode)
            && opcode != Opcode::New
            && throws(mirror, &self.recorder.known.heap, opcode) != Some(true);
        if loops || instruction.index != index_of(location) {
            self.doubt_all(thread);
        }
    }

    /// Can the event that a predicted thread makes at this index follow what was told of it?
    pub(in crate::events) fn may_arrive(&mut self, thread: &mut Thread, index: u32) -> bool {
        let predicted = thread.predicted;
        let Some(frame) = thread.innermost_mut().filter(|_| predicted) else {
            return true;
        };
        let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
        let instruction = pending.and_then(|pending| frame.method.instruction(pending));
        instruction.is_none_or(|i| i.index == index || (i.invoke().is_some() && i.next() == index))
    }

    /// A predicted thread stands where it cannot: nothing is known of the innermost call any more, and what was told
    /// of the others since is doubtful.
    pub(in crate::events) fn lose_sight(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        ordinal: usize,
    ) {
        let pending = Some(Pending::reached(ordinal, true));
        self.forget_innermost(ticket, thread, pending, UNPREDICTED);
    }

    /// A thread stands where it cannot have come without steps that the JVM did not tell.
    pub(in crate::events) fn miss_steps(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        ordinal: usize,
    ) {
        let pending = Some(Pending::reached(ordinal, true));
        self.forget_innermost(ticket, thread, pending, UNTOLD);
    }

    fn forget_innermost(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        pending: Option<Pending>,
        reason: &'static str,
    ) {
        thread.predicted = false;
        if let Some(frame) = thread.innermost_mut() {
            frame.mirror = Some(Activation {
                pending,
                ..Activation::default()
            });
            // Told here besides: calls out of the scope may have been made in this stretch that nobody saw.
            self.recorder.outlet.doubt(ticket, frame.call, reason);
        }
        self.doubt(thread, reason);
    }

    /// A predicted thread did something else: what was told of its calls since is doubtful.
    pub(in crate::events) fn doubt_all(&mut self, thread: &mut Thread) {
        self.doubt(thread, UNPREDICTED);
    }

    /// What was told of a thread's calls since is doubtful, and so is what they did to what others hold.
    fn doubt(&mut self, thread: &mut Thread, reason: &'static str) {
        for frame in &mut thread.stack {
            frame.doubtful = Some(reason);
        }
        self.anything_changed();
    }

    /// The recording ends while threads run on unseen: what they did since is missing.
    pub(in crate::events) fn lose_predicted(&mut self) {
        let ticket = self.recorder.outlet.arrivals.open();
        let mut lost = Vec::new();
        for thread in self.threads.iter().filter(|thread| thread.predicted) {
            // In a call out of the scope it has done nothing that is still to be told.
            lost.extend(
                thread
                    .stack
                    .last()
                    .filter(|top| !top.boundary)
                    .map(|top| top.call),
            );
        }
        for call in lost {
            self.recorder.outlet.doubt(
                ticket,
                call,
                "what the call did between its last event and the end of the recording is not recorded",
            );
        }
        self.recorder.outlet.arrivals.answered(ticket);
    }
}

fn place_of(location: &Location) -> (MethodKey, u32) {
    ((location.class, location.method), index_of(location))
}

const fn allocates(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::New | Opcode::NewArray | Opcode::AnewArray)
}
