//! Where the JVM contradicts the mirror: code that another tool replaced while it ran (JVMTI
//! `RedefineClasses`; JDWP does not tell), or a value that another thread wrote in the moment in which it was
//! read. What was concluded there cannot be trusted, and the recording says so.

use jdwp::Location;
use jhyde_trace::{CallId, Sink, Value};

use super::Engine;
use crate::arrivals::Ticket;
use crate::events::thread::Thread;
use crate::mirror::{Progress, is_known, narrowed};
use crate::program::index_of;

impl<S: Sink> Engine<S> {
    /// A thread stands where the code that was read has no instruction. This call and later ones of the method
    /// are followed by their entries and ends alone.
    pub(super) fn code_was_replaced(&mut self, ticket: Ticket, thread: &mut Thread) {
        let Some(frame) = thread.innermost_mut() else {
            // No call of the scope runs in the thread: nothing was told that could be wrong.
            return;
        };
        if frame.method.code.is_some() && frame.mirror.take().is_some() {
            frame.method.replaced.set(true);
            let call = frame.call;
            self.recorder.outlet.take_back(ticket, call, REPLACED);
        }
    }

    /// A call of the scope begins whose code is known to be another now.
    pub(super) fn enter_replaced(&mut self, ticket: Ticket, call: CallId) {
        self.recorder.outlet.doubt(ticket, call, REPLACED);
    }

    /// A call of the scope begins that has already run for a while.
    pub(super) fn enter_late(&mut self, ticket: Ticket, call: CallId) {
        self.recorder.outlet.doubt(
            ticket,
            call,
            "it ran while the JVM resolved a constant, which hides instructions: what this call did inside is not recorded",
        );
    }

    /// Is the result that the JVM tells the one that lies on the mirrored stack? Objects are left out: one may
    /// have two names.
    pub(super) fn check_result(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        location: &Location,
        told: &jdwp::Value,
    ) {
        let real = self.recorder.known.heap.value(told);
        let index = index_of(location);
        let Some(frame) = thread.innermost_mut() else {
            // No call of the scope runs in the thread: nothing was told that could be wrong.
            return;
        };
        let (call, method) = (frame.call, &frame.method);
        let Some(mirror) = &frame.mirror else { return };
        let returns = mirror.pending.is_some_and(|pending| {
            let instruction = method.instruction(pending);
            pending.progress == Progress::Reached
                && instruction.is_some_and(|i| i.index == index && i.opcode.is_return())
        });
        let tag = [told.tag().0];
        let tag = std::str::from_utf8(&tag).unwrap_or_default();
        let mirrored = narrowed(mirror.peek(0), tag);
        if returns && contradict(mirrored, real) {
            self.recorder.outlet.take_back(
                ticket,
                call,
                "its result is not what its instructions give: another thread wrote what it read in that moment, \
                 or another tool replaced its code",
            );
        }
    }
}

const REPLACED: &str = "another tool replaced the class's code while the program ran: what this call did inside is not recorded";

/// Numbers of one type that differ. Every NaN is as good as another: the JVM may change its bits.
fn contradict(mirrored: Value, real: Value) -> bool {
    let both_nan = match (mirrored, real) {
        (Value::Float(a), Value::Float(b)) => {
            f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
        }
        (Value::Double(a), Value::Double(b)) => {
            f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan()
        }
        _ => false,
    };
    let objects = matches!(mirrored, Value::Object(_)) || matches!(real, Value::Object(_));
    is_known(mirrored) && is_known(real) && !objects && !both_nan && mirrored != real
}
