//! Instruction steps, at levels `state` and `full`: what a thread did since it was last seen.
//!
//! A step does not suspend. It says which instruction its thread stands at; the one before has then been
//! run, and [`crate::mirror`] tells what it did. So a thread runs ahead of us by as much as the JVM's own
//! event queue holds, and everything that needs a look at the thread happens where it stops anyway: at
//! entries, at exceptions, around calls out of the scope (`boundary`), and in static initialisers,
//! where the JVM hides steps (`initialisers`).

use jdwp::commands::event_request::{self, Modifier};
use jdwp::{EventKind as Requested, Location, StepDepth, StepSize, SuspendPolicy};
use jhyde_bytecode::Opcode;
use jhyde_trace::{EventKind, MonitorAction, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::stops::recorded::Recorded;
use crate::events::thread::{Stepping, Thread};
use crate::mirror::{Pending, Progress, UNKNOWN, execute};
use crate::program::{Loader, Method, MethodKey, index_of};
use crate::recorder::is_replaced;

impl<S: Sink> Engine<S> {
    /// A thread stands at an instruction that it has not run yet.
    pub(in crate::events) fn step(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        location: &Location,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        let key = (location.class, location.method);
        if self.is_handed(thread, location)? {
            return Ok(());
        }
        self.end_handing(thread)?;
        let class = self
            .recorder
            .known
            .program
            .class(&mut self.recorder.jvm.link, location.class)?;
        if !class.in_scope {
            let name = class.name.clone();
            self.leave_out(thread, &name);
            return Ok(());
        }
        // The entry's own step, in one composite with it.
        if thread.entering.is_some() {
            return Ok(());
        }
        if (thread.unsure.is_some() || thread.innermost_key() != Some(key))
            && !self.find_again(ticket, thread, key, suspended)?
        {
            return Ok(());
        }
        let index = index_of(location);
        let Some(ordinal) = self.ordinal(thread, index) else {
            // Its code has no instruction there.
            self.code_was_replaced(ticket, thread);
            return Ok(());
        };
        if self.stands_at(thread, ordinal) {
            // A breakpoint and a step may tell the same place one after the other; or it was predicted.
            if let Some(pending) = thread.pending_mut() {
                pending.told = true;
            }
            self.leave_monitor(ticket, thread);
            return self.stop(ticket, thread, suspended);
        }
        if !self.may_arrive(thread, index) {
            self.lose_sight(ticket, thread, ordinal);
            return self.stop(ticket, thread, suspended);
        }
        if self.is_caught_there(thread, index) {
            if !may_be_handler(thread, ordinal) {
                self.miss_steps(ticket, thread, ordinal);
                return self.stop(ticket, thread, suspended);
            }
            self.catch_untold(ticket, thread, index);
        } else {
            self.advance(ticket, thread, index, suspended)?;
        }
        thread.last_exit = None;
        thread.standing.seen();
        if let Some(frame) = thread.innermost_mut() {
            frame.index = index;
            if let Some(mirror) = &mut frame.mirror {
                mirror.pending = Some(Pending::reached(ordinal, true));
            }
        }
        self.leave_monitor(ticket, thread);
        self.stop(ticket, thread, suspended)
    }

    /// A thread that stands at `monitorexit`, or where a synchronized method returns, leaves the monitor: that is told now, because the next thread may
    /// have told that it entered it before this one tells its next step, or its exit.
    fn leave_monitor(&mut self, ticket: Ticket, thread: &mut Thread) {
        let Some(frame) = thread.innermost_mut() else {
            return;
        };
        let mirror = frame.mirror.as_ref();
        let Some((mirror, pending)) = mirror.and_then(|mirror| Some((mirror, mirror.pending?)))
        else {
            return;
        };
        let Some(instruction) = frame.method.instruction(pending) else {
            return;
        };
        let (opcode, index) = (instruction.opcode, instruction.index);
        if pending.progress != Progress::Reached {
            return;
        }
        let left = match opcode {
            Opcode::MonitorExit if frame.left_at != Some(index) => {
                let object = mirror.peek(0).object();
                frame.left_at = object.map(|_| index).or(frame.left_at);
                object
            }
            _ if opcode.is_return() => frame.monitor.take().map(|(_, object)| object),
            _ => None,
        };
        if let Some(object) = left {
            let action = MonitorAction::Exit;
            let kind = EventKind::Monitor { action, object };
            self.recorder.outlet.tell(ticket, (frame.call, index), kind);
        }
    }

    fn ordinal(&mut self, thread: &mut Thread, index: u32) -> Option<usize> {
        let frame = thread.innermost_mut()?;
        frame.method.code.as_ref()?.ordinal(index)
    }

    /// Is it the instruction at which the thread stood already? None but a jump goes to itself.
    fn stands_at(&mut self, thread: &mut Thread, ordinal: usize) -> bool {
        let Some(frame) = thread.innermost_mut() else {
            return false;
        };
        let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
        let code = frame.method.code.as_ref();
        let instruction = code.and_then(|code| code.instructions().get(ordinal));
        pending.is_some_and(|pending| pending.ordinal == ordinal)
            && instruction.is_some_and(|i| !i.targets().contains(&i.index))
    }

    /// The thread is not where it was thought to be: looks for it. False if it cannot be found.
    fn find_again(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        key: MethodKey,
        suspended: bool,
    ) -> Result<bool, CaptureError> {
        if suspended {
            self.check_stack(thread, ticket)?;
        } else {
            let Some(at) = thread.stack.iter().rposition(|frame| frame.key == key) else {
                return Ok(false);
            };
            while thread.stack.len() > at + 1 {
                thread.lose_top(ticket, &mut self.recorder.outlet);
            }
        }
        Ok(thread.innermost_key() == Some(key))
    }

    /// Tells what the instruction did at which the innermost call stood; `next` is where it went.
    pub(in crate::events) fn advance(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        next: u32,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        let Some(frame) = thread.innermost_mut() else {
            // No call of the scope runs in the thread.
            return Ok(());
        };
        let (call, method) = (frame.call, std::rc::Rc::clone(&frame.method));
        let frame_top = frame.mirror.as_ref().map(|mirror| mirror.peek(0));
        let pending = frame
            .mirror
            .as_mut()
            .and_then(|mirror| mirror.pending.take());
        let instruction = pending.and_then(|pending| method.instruction(pending));
        let (Some(pending), Some(instruction)) = (pending, instruction) else {
            // It was not known where it stood: neither is what it did.
            thread.end_boundary(ticket, &mut self.recorder.outlet);
            return Ok(());
        };
        if pending.progress == Progress::Done {
            return Ok(());
        }
        if !skips_linking(frame_top, instruction.opcode) {
            method.link(instruction);
        }
        if let Some(invoke) = instruction.invoke() {
            return self.boundary_returned(ticket, thread, invoke, pending, suspended);
        }
        thread.end_boundary(ticket, &mut self.recorder.outlet);
        let told = method.code.as_ref().and_then(|code| code.ordinal(next));
        let told = told.and_then(|told| u32::try_from(told).ok());
        let (Some(ops), Some(told)) = (&method.ops, told) else {
            // It went where its code has no instruction: nothing can be worked out.
            return Ok(());
        };
        let mut world = Recorded {
            engine: self,
            ticket,
            thread,
            call,
            method: &method,
            index: instruction.index,
            after: instruction.next(),
            suspended,
        };
        // A return or `athrow` is followed by its own event.
        execute(&mut world, ops, pending.ordinal as u32, Some(told))?;
        Ok(())
    }

    /// Reads a local of the innermost frame of a suspended thread, because its value is not known.
    pub(in crate::events) fn read_local(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        slot: u16,
        local: jhyde_trace::Local,
    ) -> Result<Value, CaptureError> {
        let Some(frame) = thread.innermost_mut() else {
            return Ok(UNKNOWN);
        };
        let tag = match local {
            jhyde_trace::Local::Named(at) => frame
                .method
                .variables
                .get(usize::from(at))
                .and_then(|variable| jdwp::Tag::of_signature(&variable.descriptor)),
            jhyde_trace::Local::Slot(_) => None,
        };
        let Some(tag) = tag else {
            return Ok(UNKNOWN);
        };
        let Some(value) = self.ask_local(thread, slot, tag)? else {
            return Ok(UNKNOWN);
        };
        self.observe(ticket, thread, &value)?;
        let value = self.recorder.known.heap.value(&value);
        if let Some(mirror) = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.set_local(slot, value);
        }
        Ok(value)
    }

    /// Lets a thread report the instructions of the call that it has just begun; it is suspended.
    ///
    /// Each call has a request of its own, of depth OVER: HotSpot's agent would step through all code out of
    /// the scope for one of depth INTO, walking the stack twice at each instruction, only to filter the
    /// steps out afterwards. When the call returns, the request goes on in its caller.
    pub(in crate::events) fn start_stepping(&mut self, thread: &mut Thread, method: &Method) {
        let initialising = thread.initialising.is_some();
        if self.recorder.outlet.records_state() && !method.native && !initialising {
            self.stop_stepping(thread);
            self.set_step(thread);
        }
    }

    pub(in crate::events) fn set_step(&mut self, thread: &mut Thread) {
        let mut modifiers = vec![Modifier::Step {
            thread: thread.jdwp,
            size: StepSize::MIN,
            depth: StepDepth::OVER,
        }];
        modifiers.extend(
            self.step_filter
                .modifiers(self.recorder.known.program.scope()),
        );
        let asked = self.recorder.jvm.link.ask(&event_request::Set {
            event_kind: Requested::SINGLE_STEP,
            suspend_policy: if thread.careful {
                SuspendPolicy::EVENT_THREAD
            } else {
                SuspendPolicy::NONE
            },
            modifiers,
        });
        thread.stepping = Stepping::On(asked);
    }

    /// Stops the steps of a thread that has left the scope.
    pub(in crate::events) fn stop_stepping(&mut self, thread: &mut Thread) {
        if let Stepping::On(asked) = thread.stepping {
            thread.stepping = Stepping::Off;
            // Where the connection is gone, nothing needs clearing.
            let _ = self.recorder.jvm.clear(Requested::SINGLE_STEP, asked);
        }
    }

    /// Has every step of a thread suspend it, or none: where a value is not known, locals can be read as
    /// soon as they are written.
    pub(in crate::events) fn be_careful(&mut self, thread: &mut Thread, careful: bool) {
        if thread.careful != careful {
            thread.careful = careful;
            if thread.stepping != Stepping::Off {
                self.stop_stepping(thread);
                self.set_step(thread);
            }
        }
    }

    /// A step ended outside the scope: none shall do so in that class again.
    fn leave_out(&mut self, thread: &mut Thread, class: &str) {
        let other = self
            .step_filter
            .leave_out(self.recorder.known.program.scope(), class);
        if other && thread.stepping != Stepping::Off {
            self.stop_stepping(thread);
            self.set_step(thread);
        }
    }

    pub(in crate::events) fn push(&mut self, thread: &mut Thread, value: Value) {
        if let Some(mirror) = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.push(value);
        }
    }

    /// A constant of a class out of the scope, such as `System.out`. One that is not final may have
    /// changed since the instruction read it, and stays unknown.
    pub(in crate::events) fn get_outside(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        (code, class): (Loader, &str),
        name: &str,
    ) -> Result<Value, CaptureError> {
        // What was predicted read it when its thread stood still.
        let predicted = thread.predicted;
        let again = !predicted && is_replaced(class);
        match self.recorder.known.program.final_static(
            &mut self.recorder.jvm.link,
            (code, class),
            name,
            again,
        )? {
            Some(value) => {
                self.observe(ticket, thread, &value)?;
                Ok(self.recorder.value(ticket, &value, false))
            }
            None => Ok(UNKNOWN),
        }
    }
}

/// May a handler of exceptions begin at this instruction of the innermost call? What stands before one leads elsewhere: an
/// exception lies on its stack, and nothing else.
fn may_be_handler(thread: &mut Thread, ordinal: usize) -> bool {
    let code = thread
        .innermost_mut()
        .map(|frame| frame.method.code.as_ref());
    let instructions = code.flatten().map(|code| code.instructions());
    let before = ordinal.checked_sub(1);
    let before = before.and_then(|before| instructions?.get(before));
    before.is_some_and(|before| before.opcode.ends_straight_line())
}

/// Of what is null, and so of every class, nothing is asked (JVMS 6.5.checkcast, 6.5.instanceof).
fn skips_linking(top: Option<Value>, opcode: Opcode) -> bool {
    matches!(opcode, Opcode::CheckCast | Opcode::InstanceOf)
        && !matches!(top, Some(Value::Object(_)))
}
