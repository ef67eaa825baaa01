//! Places in the code of a method: where it calls, and which variable a slot holds where.

use jhyde_trace::Local;

use crate::events::thread::Thread;
use crate::events::thread::frame::Frame;
use crate::mirror::Progress;
use crate::program::{Method, Named};

/// The call site, where it is certain without a look at the stack.
pub(in crate::events) fn known_site(thread: &Thread, callee: &Method) -> Option<u32> {
    let parent = thread.stack.last()?;
    if thread.unsure.is_some() || parent.boundary || !callee.closed {
        return None;
    }
    if parent.mirror.is_some() {
        return calls_by_name(parent, callee);
    }
    parent.method.site_of(callee)
}

/// The index of the invoke instruction that a call stands at, if it names this method. What an invoke
/// instruction runs always has the name and the descriptor that it names (JVMS 5.4.6).
pub(in crate::events) fn calls_by_name(caller: &Frame, callee: &Method) -> Option<u32> {
    let pending = caller.mirror.as_ref()?.pending?;
    let instruction = caller.method.instruction(pending)?;
    let invoke = instruction.invoke()?;
    let named = Named::of(&caller.method, invoke.constant, invoke.kind)?;
    let fits = pending.progress == Progress::Reached
        && named.name == callee.name
        && named.descriptor == callee.descriptor;
    fits.then_some(instruction.index)
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
    method
        .variables
        .iter()
        .position(|variable| variable.slot == slot && variable.covers(index))
        .and_then(|at| u16::try_from(at).ok())
        .map(Local::Named)
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
