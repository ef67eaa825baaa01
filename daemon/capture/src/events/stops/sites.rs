//! Places in the code of a method: where it calls, and which variable a slot holds where.

use jhyde_bytecode::{Instruction, InvokeKind};
use jhyde_trace::{Local, Sink, Value};

use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::frame::Frame;
use crate::mirror::Progress;
use crate::program::{Method, Named, Program};

impl<S: Sink> Engine<S> {
    /// The call site, where it is certain without a look at the stack: what is on the caller's own stack is known then.
    pub(in crate::events) fn known_site(&self, thread: &Thread, callee: &Method) -> Option<u32> {
        let parent = thread.stack.last()?;
        if thread.unsure.is_some() || parent.boundary || !callee.closed {
            return None;
        }
        let mirror = parent.mirror.as_ref()?;
        let (instruction, named) = named_call(parent)?;
        // It may initialise a class, and what that runs may call the method, too.
        if named.kind == InvokeKind::Static && !parent.method.is_linked(instruction) {
            return None;
        }
        let depth = callee.slots.len().checked_sub(1);
        let receiver = depth.map_or(Value::Null, |depth| mirror.peek(depth));
        self.runs_itself(&named, receiver, callee)
            .then_some(instruction.index)
    }

    /// Does a call of this name run the method itself? A method of the name and descriptor that an instruction names may be
    /// called by what the instruction runs, too: a lambda that is bound to it, an override out of the scope that calls `super`,
    /// a constructor out of the scope that makes an object by reflection. So it must be the one that is selected
    /// (JVMS 5.4.6).
    fn runs_itself(&self, named: &Named, receiver: Value, callee: &Method) -> bool {
        let program = &self.recorder.known.program;
        match named.kind {
            InvokeKind::Static | InvokeKind::Special => is_declared(program, named, callee),
            InvokeKind::Virtual | InvokeKind::Interface => {
                let class = receiver
                    .object()
                    .and_then(|o| self.recorder.known.heap.class(o));
                let class = class.and_then(|class| program.type_of(class));
                let class = class.and_then(|class| program.classes.get(&class));
                class
                    .filter(|class| class.in_scope)
                    .and_then(|class| program.dispatched(class, named))
                    .is_some_and(|selected| selected.id == callee.id)
            }
            InvokeKind::Dynamic => false,
        }
    }
}

/// Does a name mean this method, whatever the receiver?
fn is_declared(program: &Program, named: &Named, callee: &Method) -> bool {
    program
        .declared_in_scope(named)
        .is_some_and(|declared| declared.id == callee.id)
}

/// Does the instruction that a call stands at name this method? What it runs always has the name and the descriptor that it
/// names (JVMS 5.4.6), but not only that may have them.
pub(in crate::events) fn calls_by_name(caller: &Frame, callee: &Method) -> bool {
    named_call(caller).is_some_and(|(_, named)| {
        named.name == callee.name && named.descriptor == callee.descriptor
    })
}

/// The invoke instruction that a call stands at, and what it names.
pub(in crate::events) fn named_call(caller: &Frame) -> Option<(&Instruction, Named)> {
    let pending = caller.mirror.as_ref()?.pending?;
    let instruction = caller.method.instruction(pending)?;
    let invoke = instruction.invoke()?;
    let named = Named::of(&caller.method, invoke.constant, invoke.kind)?;
    (pending.progress == Progress::Reached).then_some((instruction, named))
}

/// The variable that a slot holds at a bytecode index.
pub(in crate::events) fn local_at(method: &Method, slot: u16, index: u32) -> Local {
    named_at(method, slot, index).unwrap_or(Local::Slot(slot))
}

/// The variable that an instruction at `index` writes; `after` is the instruction behind it. A variable's range
/// begins behind the store that gives it its first value, and ends behind the last one in its block (JVMS 4.7.13).
pub(in crate::events) fn written_local(
    method: &Method,
    slot: u16,
    index: u32,
    after: u32,
) -> Local {
    named_at(method, slot, after)
        .or_else(|| named_at(method, slot, index))
        .unwrap_or(Local::Slot(slot))
}

fn named_at(method: &Method, slot: u16, index: u32) -> Option<Local> {
    method.variable_in(slot, index).map(Local::Named)
}

/// The declared type of a local; nothing where there is no variable table.
pub(in crate::events) fn descriptor_of(method: &Method, local: Local) -> &str {
    match local {
        Local::Named(at) => method
            .variables
            .get(usize::from(at))
            .map_or("", |variable| &variable.descriptor),
        Local::Slot(_) => "",
    }
}
