//! Values that turn out with a thread's next event. HotSpot's interpreter has code of its own for some methods of
//! `Math` and tells no exit of them: the local that takes the result shows it, or the exit of the method that returns it
//! at once. And it lets nobody read the arguments of bridge methods; the method that the bridge calls has the same. What
//! was told of such a call waits in [`crate::arrivals`] for that one event, and goes as it is if the event is another.

use jhyde_bytecode::Opcode;
use jhyde_trace::{CallId, Sink, Value};

use crate::arrivals::Ticket;
use crate::events::Engine;
use crate::mirror::{is_known, narrowed};
use crate::program::Method;

/// What a thread's next event may tell.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    ticket: Ticket,
    call: CallId,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// The result of a call out of the scope, of this type, which the instruction at this index takes.
    Result { returns: String, taken_at: u32 },
    /// The arguments of a bridge method.
    Arguments,
}

impl<S: Sink> Engine<S> {
    /// A call out of the scope has returned what is not known, to an instruction at this index.
    pub(in crate::events) fn await_result(
        &mut self,
        (ticket, thread, call): (Ticket, jdwp::ThreadId, CallId),
        returns: &str,
        taken_at: u32,
    ) {
        let returns = returns.to_owned();
        let what = What::Result { returns, taken_at };
        self.await_what(thread, Awaited { ticket, call, what });
    }

    /// A bridge method was entered, whose arguments cannot be read.
    pub(in crate::events) fn await_arguments(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        call: CallId,
    ) {
        let what = What::Arguments;
        self.await_what(thread, Awaited { ticket, call, what });
    }

    fn await_what(&mut self, thread: jdwp::ThreadId, awaited: Awaited) {
        if let Some(known) = self.threads.get_mut(&thread.0) {
            self.recorder.outlet.arrivals.question(awaited.ticket);
            if let Some(before) = known.awaited.replace(awaited) {
                self.recorder.outlet.arrivals.answered(before.ticket);
            }
        }
    }

    /// The thread's next event has come: what it tells is asked for while it is handled.
    pub(in crate::events) fn begin_awaited(&mut self, thread: jdwp::ThreadId) {
        let known = self.threads.get_mut(&thread.0);
        self.awaited = known.and_then(|known| known.awaited.take());
    }

    /// The event is handled. A bridge that has not called yet is waited for until it has.
    pub(in crate::events) fn end_awaited(&mut self, thread: Option<jdwp::ThreadId>) {
        let Some(awaited) = self.awaited.take() else {
            return;
        };
        let known = thread.and_then(|thread| self.threads.get_mut(&thread.0));
        let bridge = known.filter(|known| {
            let arguments = matches!(awaited.what, What::Arguments);
            arguments && known.current() == awaited.call && known.awaited.is_none()
        });
        match bridge {
            Some(known) => known.awaited = Some(awaited),
            None => self.recorder.outlet.arrivals.answered(awaited.ticket),
        }
    }

    /// The instruction at this index of the innermost call took this value.
    pub(in crate::events) fn taken(&mut self, thread: jdwp::ThreadId, index: u32, value: Value) {
        let Some(Awaited {
            ticket,
            call,
            what: What::Result { returns, taken_at },
        }) = &self.awaited
        else {
            return;
        };
        let current = self.threads.get(&thread.0).map(|known| known.id);
        if is_known(value) && *taken_at == index && current == Some(call.thread) {
            let result = narrowed(value, returns);
            self.recorder
                .outlet
                .arrivals
                .amend_result(*ticket, *call, result);
        }
    }

    /// A bridge method has called another with these arguments.
    pub(in crate::events) fn passed_on(&mut self, thread: jdwp::ThreadId, arguments: &[Value]) {
        let Some(Awaited {
            ticket,
            call,
            what: What::Arguments,
        }) = self.awaited
        else {
            return;
        };
        let known = self.threads.get_mut(&thread.0);
        let Some(bridge) = known.and_then(|t| t.stack.iter_mut().rfind(|f| f.call == call)) else {
            return;
        };
        self.recorder
            .outlet
            .arrivals
            .amend_arguments(ticket, call, arguments);
        let slots = bridge.method.slots.iter();
        let slots = slots.skip(usize::from(bridge.method.receiver));
        for ((slot, _), &value) in slots.zip(arguments) {
            if let (Some(mirror), Ok(slot)) = (&mut bridge.mirror, u16::try_from(slot.slot)) {
                mirror.set_local(slot, value);
            }
        }
    }
}

/// Does a method only hand its arguments on, in their order, to another with as many?
pub(in crate::events) fn is_bridge(method: &Method) -> bool {
    let Some(code) = &method.code else {
        return false;
    };
    let mut invokes = 0;
    let intrinsic = code.instructions().iter().all(|instruction| {
        invokes += usize::from(instruction.invoke().is_some());
        instruction
            .local_load()
            .is_some_and(|_| instruction.opcode != Opcode::Ret)
            || instruction.invoke().is_some()
            || instruction.opcode == Opcode::CheckCast
            || instruction.opcode.is_return()
    });
    let slots = method.slots.iter().map(|(slot, _)| slot.slot);
    let loads = code.instructions().iter().filter_map(|i| i.local_load());
    intrinsic && invokes == 1 && loads.map(|load| i32::from(load.slot)).eq(slots)
}
