//! What runs while a constant is resolved. The JVM hides single steps then (HotSpot,
//! `JvmtiHideSingleStepping`), and what the resolution runs in Java is hidden with it: the initialiser of
//! a class that is first touched by a static call or field, the class loader that is asked for a class, a
//! bootstrap method, and all that these call. The entry of such a method is even told late, because the debug
//! agent holds it back for a step that never comes. Breakpoints are not hidden: so each initialiser and each
//! method of a class loader gets one at its beginning when its class is prepared, and inside there is one wherever
//! the thread can no longer be predicted. So it is with what a thread runs when nobody has caught its exception (its
//! handler): of that HotSpot tells no steps either.

use jdwp::{EventKind as Requested, ReferenceTypeId};
use jhyde_bytecode::Opcode;
use jhyde_trace::Sink;
use rustc_hash::FxHashSet;

use crate::arrivals::Ticket;
use crate::error::{CaptureError, LinkError};
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::Initialising;
use crate::events::thread::frame::Frame;
use crate::jvm::{StackFrame, breakpoint};
use crate::program::{Class, Method, MethodKey, location};

impl<S: Sink> Engine<S> {
    /// A class was prepared: what a resolution may run of it will be seen to begin.
    pub(in crate::events) fn watch_resolution(
        &mut self,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<(), CaptureError> {
        let mut begins: Vec<jdwp::MethodId> = known.initialiser.into_iter().collect();
        let loader = "java.lang.ClassLoader";
        if self.recorder.known.program.is_subtype(
            &mut self.recorder.jvm.link,
            known.id,
            0,
            loader,
        )? == Some(true)
        {
            begins.extend(self.recorder.known.program.virtual_methods(class, known));
        }
        for method in begins {
            let location = location((class, method), 0);
            self.recorder.jvm.link.send(&breakpoint(location, None));
        }
        Ok(())
    }

    /// Was a method of the scope, with these frames below it, called by the JVM for a constant that code of the
    /// scope needs, and not by the instruction at which that code stands?
    pub(in crate::events) fn is_for_resolution(
        &mut self,
        thread: &mut Thread,
        called: MethodKey,
        below: &[StackFrame],
    ) -> Result<bool, CaptureError> {
        let Some(caller) = thread.stack.iter().rfind(|frame| !frame.boundary) else {
            return Ok(false);
        };
        let Some(at) = below.len().checked_sub(1 + caller.height as usize) else {
            return Ok(false);
        };
        let above = match at.checked_sub(1) {
            Some(above) => (below[above].location.class, below[above].location.method),
            None => called,
        };
        Ok(!self.recorder.can_call(&below[at].location, above)?)
    }

    /// A method is entered while steps are hidden, or it is the first to be; the thread is suspended.
    pub(in crate::events) fn enter_initialiser(
        &mut self,
        thread: &mut Thread,
        method: &Method,
        for_resolution: bool,
    ) {
        if !self.recorder.outlet.records_state() || method.native {
            return;
        }
        if thread.initialising.is_none() {
            if method.name != "<clinit>" && !for_resolution && !thread.uncaught {
                return;
            }
            thread.initialising = Some(Initialising::default());
            self.stop_stepping(thread);
        }
    }

    /// A suspended thread is about to go on while steps are hidden: has it stop by breakpoints where it can no longer be
    /// predicted. That is the next instruction, or the end of a run that is certain: each breakpoint costs at each hit of
    /// any, so that there are only as many as are needed.
    pub(in crate::events) fn predict_initialiser(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        alone: bool,
    ) -> Result<(), CaptureError> {
        self.ends_at = None;
        // Class loaders are called, and call, in the middle of an instruction: what they do is followed step by step.
        let initialises = thread
            .innermost_mut()
            .is_some_and(|frame| frame.method.name == "<clinit>");
        let alone = alone && initialises;
        let certain = alone && !self.replaceable && self.looks_ahead(ticket, thread)?;
        let end = self.ends_at.take();
        let here = thread.ticket();
        let ahead = end.filter(|&end| alone && Some(end) != here);
        thread.predicted = certain || ahead.is_some();
        let wanted = match ahead {
            _ if certain => FxHashSet::default(),
            Some(end) => FxHashSet::from_iter([end]),
            None if thread.unsure.is_some() => thread.anywhere(),
            None => thread.successors(),
        };
        let Some(initialising) = &mut thread.initialising else {
            // Steps are not hidden in it.
            return Ok(());
        };
        let mut over = Vec::new();
        initialising.breakpoints.retain(|at, asked| {
            let stays = wanted.contains(at);
            if !stays {
                over.push(*asked);
            }
            stays
        });
        for (key, index) in wanted {
            let link = &mut self.recorder.jvm.link;
            initialising
                .breakpoints
                .entry((key, index))
                .or_insert_with(|| link.ask(&breakpoint(location(key, index), Some(thread.jdwp))));
        }
        for asked in over {
            self.recorder.jvm.clear(Requested::BREAKPOINT, asked)?;
        }
        Ok(())
    }

    /// The thread stands at a return of the outermost such call: from the next instruction on, steps are seen.
    pub(in crate::events) fn leave_initialiser(&mut self, thread: &mut Thread) {
        self.set_step(thread);
    }

    /// The outermost such call has ended.
    pub(in crate::events) fn end_initialiser(
        &mut self,
        thread: &mut Thread,
    ) -> Result<(), LinkError> {
        let Some(initialising) = thread.initialising.take() else {
            // None runs.
            return Ok(());
        };
        for (_, asked) in initialising.breakpoints {
            self.recorder.jvm.clear(Requested::BREAKPOINT, asked)?;
        }
        Ok(())
    }
}

impl Thread {
    /// The instruction at which its innermost call stands.
    fn ticket(&self) -> Option<(MethodKey, u32)> {
        let top = self.stack.iter().rfind(|frame| !frame.boundary)?;
        let pending = top.mirror.as_ref()?.pending?;
        Some((top.key, top.method.instruction(pending)?.index))
    }

    /// Where it can be next, in the calls that it runs: behind the instruction at which the innermost one stands, and
    /// behind the call instruction of the one below.
    fn successors(&self) -> FxHashSet<(MethodKey, u32)> {
        let mut all = FxHashSet::default();
        for frame in self
            .stack
            .iter()
            .rev()
            .filter(|frame| !frame.boundary)
            .take(2)
        {
            let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
            let Some(instruction) = pending.and_then(|p| frame.method.instruction(p)) else {
                // Where it stands is not known: it may go anywhere.
                all.extend(every_instruction(frame));
                continue;
            };
            all.extend(instruction.targets().iter().map(|&to| (frame.key, to)));
            if !instruction.opcode.ends_straight_line() {
                all.insert((frame.key, instruction.next()));
            }
            if instruction.opcode == Opcode::Ret {
                all.extend(every_instruction(frame));
            }
        }
        all
    }

    /// Every instruction of the calls that it runs: where an exception is caught is not known.
    fn anywhere(&self) -> FxHashSet<(MethodKey, u32)> {
        let frames = self.stack.iter().filter(|frame| !frame.boundary);
        frames.flat_map(every_instruction).collect()
    }
}

fn every_instruction(frame: &Frame) -> impl Iterator<Item = (MethodKey, u32)> + '_ {
    let code = frame.method.code.as_ref();
    let all = code.map_or(&[][..], |code| code.instructions());
    all.iter().map(|instruction| (frame.key, instruction.index))
}
