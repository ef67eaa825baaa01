//! What runs while a constant is resolved. The JVM hides single steps then (HotSpot,
//! `JvmtiHideSingleStepping`), and what the resolution runs in Java is hidden with it: the initialiser of
//! a class that is first touched by a static call or field, the class loader that is asked for a class, a
//! bootstrap method, and all that these call. The entry of such a method is even told late, because the debug
//! agent holds it back for a step that never comes. Breakpoints are not hidden: so each initialiser and each
//! method of a class loader gets one at its beginning when its class is prepared, and inside every
//! instruction is one.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::{EventKind as Requested, Location, PacketId, ReferenceTypeId, SuspendPolicy, TypeTag};
use jhyde_bytecode::InvokeKind;
use jhyde_trace::CallId;
use rustc_hash::FxHashSet;

use super::Engine;
use super::calls::index_of;
use super::threads::StackFrame;
use crate::error::{CaptureError, LinkError};
use crate::sink::Sink;
use crate::structure::{Class, Method, MethodKey, Named};

/// A thread runs code of the scope while the JVM resolves a constant for it.
#[derive(Default)]
pub(crate) struct Hidden {
    /// The outermost such call, once it has begun.
    pub(crate) call: Option<CallId>,
    /// Breakpoints of this thread alone.
    breakpoints: Vec<PacketId>,
    methods: FxHashSet<MethodKey>,
}

impl<S: Sink> Engine<S> {
    /// A class was prepared: what a resolution may run of it will be seen to begin.
    pub(super) fn watch_resolution(
        &mut self,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<(), CaptureError> {
        let mut begins: Vec<jdwp::MethodId> = known.initialiser.into_iter().collect();
        let loader = "java.lang.ClassLoader";
        if self
            .structure
            .is_subtype(&mut self.link, known.id, 0, loader)?
            == Some(true)
        {
            begins.extend(self.structure.virtual_methods(class, known));
        }
        for method in begins {
            let location = location(class, method, 0);
            self.link.send(&breakpoint(location, None));
        }
        Ok(())
    }

    /// Was a method of the scope, with these frames below it, called by the JVM for a constant that code of the
    /// scope needs, and not by the instruction at which that code stands?
    pub(super) fn is_for_resolution(
        &mut self,
        thread: jdwp::ThreadId,
        called: MethodKey,
        below: &[StackFrame],
    ) -> Result<bool, CaptureError> {
        let Some(known) = self.threads.get(&thread.0) else {
            return Ok(false);
        };
        let Some(caller) = known.stack.iter().rfind(|frame| !frame.boundary) else {
            return Ok(false);
        };
        let Some(at) = below.len().checked_sub(1 + caller.height as usize) else {
            return Ok(false);
        };
        let (method, index) = (
            std::rc::Rc::clone(&caller.method),
            index_of(&below[at].location),
        );
        let above = match at.checked_sub(1) {
            Some(above) => (below[above].location.class, below[above].location.method),
            None => called,
        };
        let code = method.code.as_ref();
        let instruction = code.and_then(|code| Some(&code.instructions()[code.ordinal(index)?]));
        let Some(instruction) = instruction else {
            return Ok(false);
        };
        let named = instruction
            .invoke()
            .and_then(|invoke| Named::of(&method, invoke.constant, invoke.kind));
        let Some(named) = named else { return Ok(true) };
        Ok(!self.runs(&named, above)?)
    }

    /// Can an instruction that names `named` have run `method`?
    pub(super) fn runs(&mut self, named: &Named, method: MethodKey) -> Result<bool, CaptureError> {
        let Some(run) = self.structure.method(&mut self.link, method)? else {
            return Ok(true);
        };
        let polymorphic = named.kind == InvokeKind::Dynamic
            || matches!(
                named.class.as_str(),
                "java.lang.invoke.MethodHandle" | "java.lang.invoke.VarHandle"
            );
        if polymorphic {
            // What the JVM itself calls to link (HotSpot, `SystemDictionary`); all else is what it linked.
            let class = self.structure.class(&mut self.link, method.0)?;
            return Ok(class.name != "java.lang.invoke.MethodHandleNatives"
                && !matches!(run.name.as_str(), "loadClass" | "checkPackageAccess"));
        }
        Ok(run.name == named.name && run.descriptor == named.descriptor)
    }

    /// A method is entered while steps are hidden, or it is the first to be; the thread is suspended.
    pub(super) fn enter_hidden(
        &mut self,
        thread: jdwp::ThreadId,
        key: MethodKey,
        method: &Method,
        for_resolution: bool,
    ) {
        if !self.records_state() || method.native {
            return;
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return;
        };
        if known.hidden.is_none() {
            if method.name != "<clinit>" && !for_resolution {
                return;
            }
            known.hidden = Some(Hidden::default());
            self.stop_stepping(thread);
        }
        let Some(hidden) = self
            .threads
            .get_mut(&thread.0)
            .and_then(|t| t.hidden.as_mut())
        else {
            return;
        };
        if !hidden.methods.insert(key) {
            return;
        }
        let code = method.code.as_ref();
        for instruction in code.map_or(&[][..], |code| code.instructions()) {
            let at = location(key.0, key.1, instruction.index);
            hidden
                .breakpoints
                .push(self.link.ask(&breakpoint(at, Some(thread))));
        }
    }

    /// The thread stands at a return of the outermost such call: from the next instruction on, steps are seen.
    pub(super) fn leave_hidden(&mut self, thread: jdwp::ThreadId) {
        self.set_step(thread);
    }

    /// The outermost such call has ended.
    pub(super) fn end_hidden(&mut self, thread: jdwp::ThreadId) -> Result<(), LinkError> {
        let Some(hidden) = self
            .threads
            .get_mut(&thread.0)
            .and_then(|t| t.hidden.take())
        else {
            return Ok(());
        };
        for asked in hidden.breakpoints {
            self.clear(Requested::BREAKPOINT, asked)?;
        }
        Ok(())
    }
}

pub(super) fn location(class: ReferenceTypeId, method: jdwp::MethodId, index: u32) -> Location {
    Location {
        type_tag: TypeTag::CLASS,
        class,
        method,
        index: u64::from(index),
    }
}

/// A request that suspends a thread, or this one alone, at a place.
pub(super) fn breakpoint(location: Location, thread: Option<jdwp::ThreadId>) -> event_request::Set {
    let mut modifiers = vec![Modifier::LocationOnly { location }];
    modifiers.extend(thread.map(|thread| Modifier::ThreadOnly { thread }));
    event_request::Set {
        event_kind: Requested::BREAKPOINT,
        suspend_policy: SuspendPolicy::EVENT_THREAD,
        modifiers,
    }
}
