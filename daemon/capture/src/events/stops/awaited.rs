//! Values that turn out with a thread's next event. HotSpot's interpreter has code of its own for some methods of
//! `Math` and tells no exit of them: the local that takes the result shows it, or the exit of the method that returns it
//! at once. And it lets nobody read the arguments of bridge methods; the method that the bridge calls has the same. What
//! was told of such a call waits in [`crate::arrivals`] for that one event, and goes as it is if the event is another.

use jhyde_bytecode::Opcode;
use jhyde_trace::{CallId, Value};

use crate::arrivals::Ticket;
use crate::events::thread::Thread;
use crate::events::thread::asked::{Awaited, What};
use crate::mirror::{is_known, narrowed};
use crate::program::Method;
use crate::recorder::Outlet;

impl Thread {
    /// A call out of the scope has returned what is not known, to an instruction at this index.
    pub(in crate::events) fn await_result<S>(
        &mut self,
        (ticket, call): (Ticket, CallId),
        returns: &str,
        taken_at: u32,
        out: &mut Outlet<S>,
    ) {
        let returns = returns.to_owned();
        let what = What::Result { returns, taken_at };
        self.await_what(Awaited { ticket, call, what }, out);
    }

    /// A bridge method was entered, whose arguments cannot be read.
    pub(in crate::events) fn await_arguments<S>(
        &mut self,
        ticket: Ticket,
        call: CallId,
        out: &mut Outlet<S>,
    ) {
        let what = What::Arguments;
        self.await_what(Awaited { ticket, call, what }, out);
    }

    fn await_what<S>(&mut self, awaited: Awaited, out: &mut Outlet<S>) {
        out.arrivals.question(awaited.ticket);
        if let Some(before) = self.awaited.replace(awaited) {
            out.arrivals.answered(before.ticket);
        }
    }

    /// Its next event is handled. A bridge that has not called yet is waited for until it has.
    pub(in crate::events) fn end_awaited<S>(&mut self, out: &mut Outlet<S>) {
        let Some(due) = self.due.take() else {
            // Nothing waited for this event.
            return;
        };
        let bridge = matches!(due.what, What::Arguments) && self.current() == due.call;
        if bridge && self.awaited.is_none() {
            self.awaited = Some(due);
        } else {
            out.arrivals.answered(due.ticket);
        }
    }

    /// The instruction at this index of the innermost call took this value.
    pub(in crate::events) fn taken<S>(&self, index: u32, value: Value, out: &mut Outlet<S>) {
        if let Some(Awaited {
            ticket,
            call,
            what: What::Result { returns, taken_at },
        }) = &self.due
            && is_known(value)
            && *taken_at == index
            && self.id == call.thread
        {
            let result = narrowed(value, returns);
            out.arrivals.amend_result(*ticket, *call, result);
        }
    }

    /// A bridge method has called another with these arguments.
    pub(in crate::events) fn passed_on<S>(&mut self, arguments: &[Value], out: &mut Outlet<S>) {
        let Some(Awaited {
            ticket,
            call,
            what: What::Arguments,
        }) = self.due
        else {
            // It was no bridge that this event waited for.
            return;
        };
        let Some(bridge) = self.stack.iter_mut().rfind(|frame| frame.call == call) else {
            // It has ended, and what it was given with it.
            return;
        };
        out.arrivals.amend_arguments(ticket, call, arguments);
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
