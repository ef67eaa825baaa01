//! A call on a thread's stack, as the engine follows it.

use std::rc::Rc;

use jdwp::TaggedObject;
use jhyde_trace::{CallId, Event, MonitorAction, ObjectId, Value};

use crate::events::predict::plan::Planned;
use crate::mirror::{Activation, Progress, narrowed};
use crate::program::{MethodKey, Named};
use crate::recorder::Shown;

/// A running call of the scope, or a boundary call that called back into it.
pub(crate) struct Frame {
    pub(crate) call: CallId,
    pub(crate) key: MethodKey,
    pub(crate) method: Rc<Planned>,
    /// Number of frames below it on the JVM's stack, those outside the scope counted.
    pub(crate) height: u32,
    pub(crate) boundary: bool,
    /// Bytecode index of the call in the caller; tells two boundary calls of one caller apart.
    pub(crate) site: u32,
    /// Bytecode index at which the thread was last seen in it.
    pub(crate) index: u32,
    /// Its stack and locals (levels `state` and `full`), unless it is native or a boundary call.
    pub(crate) mirror: Option<Activation>,
    /// Its caller's invoke instruction called it, and takes its result.
    pub(crate) invoked: bool,
    /// What a boundary call was shown (levels `state` and `full`).
    pub(crate) shown: Option<Shown>,
    /// What its end does to a monitor (levels `state` and `full`): a synchronized method leaves that which it
    /// entered (JVMS 2.11.10), `Object.wait` has it again.
    pub(crate) monitor: Option<(MonitorAction, ObjectId)>,
    /// Bytecode index of the `monitorexit` of which it was told that it leaves the monitor, when the thread arrived there.
    pub(crate) left_at: Option<u32>,
    /// The objects among receiver and arguments (level `calls`): looked at again when it ends.
    pub(crate) roots: Vec<TaggedObject>,
    /// Why what is told of it cannot be trusted: said when it ends.
    pub(crate) doubtful: Option<&'static str>,
}

/// A boundary call's frame is not looked at: it has no name that could be compared with the stack's.
pub(crate) const UNNAMED: MethodKey = (jdwp::ReferenceTypeId(0), jdwp::MethodId(0));

impl Frame {
    /// An exception is caught at this bytecode index.
    pub(crate) fn catch(&mut self, exception: Value, index: u32) {
        let code = self.method.code.as_ref();
        let handler = code.and_then(|code| code.ordinal(index));
        if let Some(mirror) = &mut self.mirror {
            mirror.catch(exception, handler);
        }
    }

    /// Can it have caught an exception at the handler of this index, if it stands at `here`? A handler's first
    /// instruction is not always told. Without steps it may be anywhere by now.
    pub(crate) fn may_have_caught(&self, handler: u32, here: Option<u32>) -> bool {
        let code = self.method.code.as_ref().filter(|_| self.mirror.is_some());
        let first = code.and_then(|code| Some(&code.instructions()[code.ordinal(handler)?]));
        let (Some(first), Some(here)) = (first, here) else {
            return true;
        };
        here == handler || here == first.next() || first.targets().contains(&here)
    }

    /// A boundary call as the mirror sees it begin.
    pub(crate) fn boundary(call: CallId, method: Rc<Planned>, height: u32, site: u32) -> Self {
        Self {
            call,
            key: UNNAMED,
            method,
            height,
            boundary: true,
            site,
            index: Event::NO_INDEX,
            mirror: None,
            invoked: true,
            shown: None,
            monitor: None,
            left_at: None,
            roots: Vec::new(),
            doubtful: None,
        }
    }

    /// Has its thread said that it makes a call out of the scope, behind which it stops? If it calls back, it stops at the
    /// entry.
    pub(crate) fn is_in_a_call(&self) -> bool {
        let pending = self.mirror.as_ref().and_then(|mirror| mirror.pending);
        let pending = pending.filter(|p| p.told && p.progress == Progress::Reached);
        let instruction = pending.and_then(|pending| self.method.instruction(pending));
        instruction.is_some_and(|i| i.invoke().is_some() && self.method.stops_at(i.next()))
    }

    /// What the instruction names at which it stands, if that calls something.
    pub(crate) fn about_to_call(&self) -> Option<Named> {
        let pending = self.mirror.as_ref()?.pending?;
        let invoke = self.method.instruction(pending)?.invoke()?;
        Named::of(&self.method, invoke.constant, invoke.kind)
    }

    /// What it has returned, if it was last seen at an instruction that returns.
    pub(crate) fn returned(&self) -> Option<Option<Value>> {
        let mirror = self.mirror.as_ref()?;
        let pending = mirror.pending?;
        let instruction = self.method.instruction(pending)?;
        if !instruction.opcode.is_return() {
            return None;
        }
        let (_, returns) = self.method.descriptor.split_once(')')?;
        Some((returns != "V").then(|| narrowed(mirror.peek(0), returns)))
    }
}
