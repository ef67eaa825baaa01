//! The exits of methods out of the scope are reported for as long as a call of the scope runs one whose result is wanted.

use jdwp::EventKind as Requested;
use jdwp::commands::event_request::Modifier;
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{CallId, Sink, Value};

use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::Watch;
use crate::program::{Named, Selected};

/// What runs first in a call through a method handle or an `invokedynamic` call site, and ends last.
const INVOKERS: [&str; 2] = [
    "java.lang.invoke.LambdaForm$MH*",
    "java.lang.invoke.Invokers$Holder",
];

impl<S: Sink> Engine<S> {
    /// Has the exits of the method that is about to run reported, and as few others as can be told apart.
    pub(in crate::events) fn watch(
        &mut self,
        thread: &mut Thread,
        caller: CallId,
        named: &Named,
        receiver: Value,
    ) -> Result<(), CaptureError> {
        for only in self.callee_filters(named, receiver)? {
            let asked = self.recorder.jvm.ask_exits(thread.jdwp, only);
            thread.watches.push(Watch { caller, asked });
        }
        thread.last_exit = None;
        Ok(())
    }

    /// Ends the reports of exits for calls that are over: those of the innermost call, and of calls that
    /// have ended themselves.
    pub(in crate::events) fn unwatch(&mut self, thread: &mut Thread) -> Result<(), CaptureError> {
        if thread.watches.is_empty() {
            return Ok(());
        }
        let mut over = Vec::new();
        let innermost = thread.stack.iter().rfind(|frame| !frame.boundary);
        let innermost = innermost.map(|frame| frame.call);
        let stack = &thread.stack;
        thread.watches.retain(|watch| {
            let goes_on = Some(watch.caller) != innermost
                && stack.iter().any(|frame| frame.call == watch.caller);
            if !goes_on {
                over.push(watch.asked);
            }
            goes_on
        });
        for asked in over {
            self.recorder
                .jvm
                .clear(Requested::METHOD_EXIT_WITH_RETURN_VALUE, asked)?;
        }
        Ok(())
    }

    /// The classes whose exits have the result of a call: the one that declares what runs, or those of the
    /// code that HotSpot spins for method handles and call sites. Linking a call site runs tens of
    /// thousands of methods of `java.lang.invoke` itself, which are none of ours.
    fn callee_filters(
        &mut self,
        named: &Named,
        receiver: Value,
    ) -> Result<Vec<Modifier>, CaptureError> {
        let matching = |pattern: &str| Modifier::ClassMatch {
            class_pattern: pattern.into(),
        };
        if named.kind == InvokeKind::Dynamic || named.class == "java.lang.invoke.MethodHandle" {
            return Ok(INVOKERS.map(matching).to_vec());
        }
        let selected = self.recorder.selected(named, receiver)?;
        Ok(vec![match selected {
            Some(Selected {
                key: (class, _), ..
            }) => Modifier::ClassOnly { class },
            // An array's `clone`, or a receiver that nobody has seen: everything is looked at.
            None if named.kind != InvokeKind::Static => matching("*"),
            None => matching(&named.class),
        }])
    }
}
