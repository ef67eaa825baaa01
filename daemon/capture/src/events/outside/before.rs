//! Where threads stop at calls out of the scope: which instructions of a method they stop at, and what is prepared
//! when one stands at such an instruction.

use std::rc::Rc;

use jdwp::SuspendPolicy;
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ObjectId, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::outside::handed::hands_on;
use crate::events::predict::plan::Planned;
use crate::events::thread::Thread;
use crate::jvm::breakpoint;
use crate::mirror::{UNKNOWN, is_known};
use crate::program::{MethodKey, Named, location};
use crate::recorder::{IntrinsicClasses, intrinsic, parameters};
use crate::scope::looks_like_jdk;

/// May a call of this name wait for another thread? Then it is told when it begins, and not when it returns: what it waits for happens in it, and
/// `Object.wait` gives up its monitor first. What yields something is told so in any case.
fn waits(named: &Named) -> bool {
    matches!(
        &*named.name,
        "acquire"
            | "acquireUninterruptibly"
            | "await"
            | "awaitUninterruptibly"
            | "close"
            | "join"
            | "lock"
            | "lockInterruptibly"
            | "park"
            | "parkNanos"
            | "parkUntil"
            | "put"
            | "putFirst"
            | "putLast"
            | "sleep"
            | "transfer"
            | "wait"
    )
}

impl<S: Sink> Engine<S> {
    /// Sets the stops of a method, at its first entry; the thread is suspended.
    pub(in crate::events) fn set_stops(
        &mut self,
        key: MethodKey,
        method: &Planned,
    ) -> Result<(), CaptureError> {
        if !self.recorder.outlet.records_state() || method.prepared.replace(true) {
            return Ok(());
        }
        let Some(code) = &method.code else {
            // A native or abstract method has no instructions to stop at.
            return Ok(());
        };
        let (mut stops, mut tells) = (Vec::new(), Vec::new());
        let mut exits = IntrinsicClasses::default();
        for instruction in code.instructions() {
            if self.names_foreign_field(method, instruction)? {
                stops.push(instruction.index);
            }
            if method.synchronized && instruction.opcode.is_return() {
                // Its exit is told when it has left the monitor, and another thread may have entered that by then.
                tells.push(instruction.index);
            }
            let Some(invoke) = instruction.invoke() else {
                // Nothing but a call leaves the scope.
                continue;
            };
            let Some(named) = Named::of(method, invoke.constant, invoke.kind) else {
                // Its class file does not say what it names: the JVM does not run it.
                continue;
            };
            if self.leads_into_scope(&named) {
                continue;
            }
            if let Some(classes) = intrinsic(&named) {
                exits.add(classes);
                continue;
            }
            if named.returns() != "V" || hands_on(&named) || waits(&named) {
                stops.push(instruction.index);
            } else if named.name != "<init>" {
                // It may let another thread go on, which is to see what this one did before.
                tells.push(instruction.index);
            }
            stops.push(instruction.next());
        }
        method.exits.set(exits);
        stops.sort_unstable();
        stops.dedup();
        for &index in &stops {
            method.stop_at(index);
            self.recorder
                .jvm
                .link
                .send(&breakpoint(location(key, index), None));
        }
        for index in tells {
            let mut told = breakpoint(location(key, index), None);
            told.suspend_policy = SuspendPolicy::NONE;
            self.recorder.jvm.link.send(&told);
        }
        Ok(())
    }

    /// Can a call of this name only run a method of the scope?
    pub(in crate::events) fn leads_into_scope(&self, named: &Named) -> bool {
        let found = self.recorder.known.program.declared_in_scope(named);
        found.is_some_and(|method| !method.is_abstract && !method.native)
            && named.kind != InvokeKind::Interface
            && named.kind != InvokeKind::Dynamic
    }

    /// Does a call of this name certainly leave the scope? A class out of the scope may have inherited its methods from one of the scope.
    pub(in crate::events) fn leaves_scope(
        &mut self,
        named: &Named,
        receiver: Value,
    ) -> Result<bool, CaptureError> {
        let program = &self.recorder.known.program;
        let scope = program.scope();
        let outside = !scope.covers(&named.class, true)
            || (scope.is_default() && named.class.starts_with("java."))
            || named.class.ends_with("[]");
        let of_receiver = |receiver: Value| {
            let class = self.recorder.known.heap.class(receiver.object()?)?;
            program.name_of(class)
        };
        let class = match named.kind {
            _ if !outside => None,
            InvokeKind::Dynamic => None,
            InvokeKind::Static | InvokeKind::Special => Some(named.class.clone()),
            InvokeKind::Virtual | InvokeKind::Interface => of_receiver(receiver),
        };
        let Some(class) = class else {
            return Ok(false);
        };
        // These inherit nothing.
        if looks_like_jdk(&class) || class.ends_with("[]") || named.name == "<init>" {
            return Ok(true);
        }
        let selected = self.recorder.selected(named, receiver)?;
        let program = &self.recorder.known.program;
        let of = selected.and_then(|selected| program.classes.get(&selected.key.0));
        Ok(of.is_some_and(|of| !of.in_scope))
    }

    /// A suspended thread stands at an instruction: prepares what the instruction needs, and ends what
    /// the one before needed.
    pub(in crate::events) fn stop(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        if !suspended {
            return Ok(());
        }
        let Some(frame) = thread.innermost_mut() else {
            // It stands in code out of the scope.
            return Ok(());
        };
        let (call, method) = (frame.call, Rc::clone(&frame.method));
        let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
        let unknown = frame.mirror.as_ref().is_some_and(|mirror| {
            let all = mirror.stack.iter().chain(&mirror.locals);
            all.into_iter().any(|&value| !is_known(value))
        });
        let Some(instruction) = pending.and_then(|pending| method.instruction(pending)) else {
            // It is not known where it stands: in native code, or in a call that is not followed.
            return Ok(());
        };
        let unknown = unknown || self.finds_objects(thread);
        self.be_careful(thread, unknown);
        let hides = (thread.initialising.as_ref())
            .is_some_and(|initialising| initialising.call == Some(call));
        if hides && instruction.opcode.is_return() {
            self.leave_initialiser(thread);
        }
        let named = instruction
            .invoke()
            .and_then(|invoke| Named::of(&method, invoke.constant, invoke.kind));
        self.unwatch(thread)?;
        self.meet_foreign_field(ticket, thread, &method, instruction)?;
        let Some(named) = named.filter(|named| !self.leads_into_scope(named)) else {
            // It stays in the scope: nothing has to be prepared.
            return Ok(());
        };
        let receiver = self.receiver(thread, &named);
        if named.returns() != "V" {
            self.watch(thread, call, &named, receiver)?;
        }
        let count = parameters(&named.descriptor).len() + usize::from(named.kind.has_receiver());
        let mirror = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_ref());
        let shown: Vec<Value> = mirror.map_or_else(Vec::new, |mirror| {
            (0..count).map(|at| mirror.peek(at)).collect()
        });
        self.name_objects(thread, shown.iter().copied())?;
        let arguments: Vec<Value> = shown.iter().rev().copied().collect();
        let arguments = &arguments[usize::from(named.kind.has_receiver())..];
        self.watch_handing(thread, &named, receiver, arguments)?;
        let shown: Vec<ObjectId> = shown.into_iter().filter_map(Value::object).collect();
        for array in self.aliased(&shown) {
            self.name_elements(thread, Value::Object(array))?;
        }
        self.contents_before(ticket, thread, &shown)?;
        if self.leaves_scope(&named, receiver)? {
            self.open_boundary(ticket, thread)?;
        }
        Ok(())
    }

    pub(in crate::events) fn receiver(&mut self, thread: &mut Thread, named: &Named) -> Value {
        let count = parameters(&named.descriptor).len();
        let mirror = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_ref());
        mirror.map_or(UNKNOWN, |mirror| mirror.peek(count))
    }
}
