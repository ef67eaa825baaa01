//! Static initialisers. While the JVM resolves a constant it hides single steps (HotSpot,
//! `JvmtiHideSingleStepping`), and what the resolution runs in Java is hidden with it: the initialiser of
//! a class that is first touched by a static call or field, and all that the initialiser calls. The
//! entry of such a method is even told late, because the debug agent holds it back for a step that
//! never comes. Breakpoints are not hidden: so each initialiser gets one at its beginning when its class is
//! prepared, and inside it every instruction is one.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::{EventKind as Requested, Location, PacketId, ReferenceTypeId, SuspendPolicy, TypeTag};
use jhyde_trace::CallId;
use rustc_hash::FxHashSet;

use super::Engine;
use crate::error::LinkError;
use crate::sink::Sink;
use crate::structure::{Class, Method, MethodKey};

/// A thread runs a static initialiser.
#[derive(Default)]
pub(crate) struct Hidden {
    /// The outermost initialiser, once its call has begun.
    pub(crate) call: Option<CallId>,
    /// Breakpoints of this thread alone.
    breakpoints: Vec<PacketId>,
    methods: FxHashSet<MethodKey>,
}

impl<S: Sink> Engine<S> {
    /// A class was prepared: its initialiser will be seen to begin.
    pub(super) fn watch_initialiser(&mut self, class: ReferenceTypeId, known: &Class) {
        if let Some(method) = known.initialiser.filter(|_| self.records_state()) {
            let location = location(class, method, 0);
            self.link.send(&breakpoint(location, None));
        }
    }

    /// A method is entered while steps are hidden, or it is what hides them; the thread is suspended.
    pub(super) fn enter_hidden(&mut self, thread: jdwp::ThreadId, key: MethodKey, method: &Method) {
        if !self.records_state() || method.native {
            return;
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return;
        };
        if known.hidden.is_none() {
            if method.name != "<clinit>" {
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

    /// The thread stands at a return of the initialiser: from the next instruction on, steps are seen.
    pub(super) fn leave_hidden(&mut self, thread: jdwp::ThreadId) {
        self.set_step(thread);
    }

    /// The initialiser has ended.
    pub(super) fn end_hidden(&mut self, thread: jdwp::ThreadId) -> Result<(), LinkError> {
        let Some(hidden) = self
            .threads
            .get_mut(&thread.0)
            .and_then(|t| t.hidden.take())
        else {
            return Ok(());
        };
        for asked in hidden.breakpoints {
            if let Ok(request) = self.link.reply::<event_request::Set>(asked)? {
                self.link.send(&event_request::Clear {
                    event_kind: Requested::BREAKPOINT,
                    request,
                });
            }
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
