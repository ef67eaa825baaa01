//! Instructions that need no steps. Where the mirror knows every value that a thread will look at until it
//! stops again (at the entry of a call of the scope, around a call out of it, at an exception), it knows every
//! instruction that the thread will run: the JVM need not tell one of them. So before a thread goes on, its run
//! is gone through on a heap whose writes are taken back ([`Engine::predict`]); if all of it is certain the
//! thread gets no step request. When an event of it arrives, what it did up to there is told
//! ([`Engine::catch_up`]): never before, because it may end, or be left, on the way.
//!
//! Not certain, and so stepped: what reads a value that is not known; what may load, initialise or resolve a
//! class, which it may on its first run (JVMS 5.4, 5.5); monitors and volatile fields, behind which other
//! threads may have written; everything as long as another thread runs code of the scope, or an agent is there that
//! can replace code; intrinsic calls that may throw or whose result only their exit tells; and whatever takes more than [`MOST`] instructions. The crate's README has the reasons.

pub(in crate::events) mod catch_up;
pub(in crate::events) mod plan;
pub(in crate::events) mod speculative;
pub(in crate::events) mod standing;

use std::rc::Rc;

use jhyde_bytecode::{Instruction, Invoke, InvokeKind, Opcode};
use jhyde_trace::{Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::predict::plan::Planned;
use crate::events::predict::speculative::{Speculative, call_intrinsic};
use crate::events::thread::{Stepping, Thread};
use crate::mirror::{Activation, Pending, Progress, Step, execute, is_known, leads, throws};
use crate::program::{Loader, Named};
use crate::recorder::{class_constant, intrinsic, known_result, never_throws, parameters};

/// The most instructions that are predicted at once: a JVM that interprets runs them in some hundredths of a
/// second.
pub(in crate::events) const MOST: u32 = 1 << 20;
/// The most objects that are looked at again for one run.
const MOST_REFRESHED: usize = 64;
/// The longest array whose allocation is taken to succeed.
const LONGEST: i32 = 1 << 16;

/// Where an instruction leads.
pub(in crate::events) enum Ahead {
    /// The thread goes on at this index.
    Goes(u32),
    /// The call ends.
    Returns,
    /// The thread stops here, or inside of what it calls, or behind it.
    Stops,
    /// It throws an exception, which stops the thread.
    Throws,
    /// That cannot be told.
    Open,
}

impl<S: Sink> Engine<S> {
    /// A suspended thread is about to go on: has it tell its steps, unless they are predicted.
    pub(in crate::events) fn predict(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        thread.predicted = false;
        thread.throws_at = None;
        thread.readings = self.recorder.known.contents.readings();
        self.sweep(thread.at(ticket))?;
        let (idle, initialising) = (thread.stack.is_empty(), thread.initialising.is_some());
        let settled =
            thread.entering.is_none() && thread.unsure.is_none() && thread.races.is_empty();
        if !self.recorder.outlet.records_state() {
            return Ok(());
        }
        // What is still in doubt of other threads would be taken for known if it were looked at now.
        let doubts = self.threads.iter().any(|other| !other.races.is_empty());
        let alone = settled && !doubts && self.threads.are_outside();
        self.look_again(thread, alone);
        if alone {
            self.look_at_read(ticket, thread)?;
        }
        if idle {
            return Ok(());
        }
        if initialising {
            return self.predict_initialiser(ticket, thread, alone);
        }
        let predicted = settled
            && !self.replaceable
            && self.threads.are_outside()
            && self.looks_ahead(ticket, thread)?;
        if !predicted {
            self.refresh_in_sight(ticket, thread, alone)?;
        }
        thread.predicted = predicted;
        if predicted {
            self.stop_stepping(thread);
        } else if thread.stepping == Stepping::Off || thread.unstepped {
            // HotSpot's agent loses a request for steps now and then: asked for in the middle of a call site's linking,
            // it tells none of those that come behind it. A breakpoint is told with its step.
            if thread.stepping != Stepping::Off {
                tracing::debug!("a breakpoint came without its step: steps are asked for anew");
            }
            self.stop_stepping(thread);
            self.set_step(thread);
        }
        Ok(())
    }

    /// Is all certain that a thread does until it stops again?
    pub(in crate::events) fn looks_ahead(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<bool, CaptureError> {
        for _ in 0..MOST_REFRESHED {
            self.stale = None;
            self.recorder.known.heap.speculate();
            let certain = self.speculate_run(thread);
            self.recorder.known.heap.roll_back();
            if certain? {
                return Ok(true);
            }
            let Some(stale) = self.stale.take() else {
                return Ok(false);
            };
            if !self.refresh(ticket, thread, stale)? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// What a thread writes on the rest of its predicted run.
    pub(in crate::events) fn predicted_writes(
        &mut self,
        thread: &mut Thread,
    ) -> Result<Vec<Variable>, CaptureError> {
        let throws_at = thread.throws_at;
        self.recorder.known.heap.speculate();
        let certain = self.speculate_run(thread);
        let writes = self.recorder.known.heap.speculated_writes();
        self.recorder.known.heap.roll_back();
        thread.throws_at = throws_at;
        certain.map(|_| writes)
    }

    fn speculate_run(&mut self, thread: &mut Thread) -> Result<bool, CaptureError> {
        let at = thread.stack.len() - 1;
        let top = &thread.stack[at];
        if top.boundary {
            return Ok(thread.stops_behind_boundary(at));
        }
        let (Some(frame), method) = (top.mirror.clone(), Rc::clone(&top.method)) else {
            return Ok(false);
        };
        self.run_ahead(thread, at, frame, method)
    }

    fn run_ahead(
        &mut self,
        thread: &mut Thread,
        mut at: usize,
        mut frame: Activation,
        mut method: Rc<Planned>,
    ) -> Result<bool, CaptureError> {
        let mut key = thread.stack.get(at).map(|frame| frame.key);
        // What is not known would be taken from the stack, and never asked for.
        let whole = |frame: &Activation| frame.stack.iter().all(|&value| is_known(value));
        if !whole(&frame) {
            return Ok(false);
        }
        for _ in 0..MOST {
            let Some(pending) = frame.pending else {
                return Ok(false);
            };
            let Some(instruction) = method.instruction(pending) else {
                return Ok(false);
            };
            self.ends_at = key.map(|key| (key, instruction.index));
            let ahead = match pending.progress {
                Progress::Calling => Ahead::Open,
                Progress::Done => Ahead::Goes(instruction.next()),
                Progress::Reached => self.ahead(&method, &frame, instruction, pending.told)?,
            };
            match ahead {
                Ahead::Stops => return Ok(true),
                Ahead::Throws => {
                    thread.throws_at = key.map(|key| (key, instruction.index));
                    return Ok(true);
                }
                Ahead::Open => return Ok(false),
                Ahead::Goes(next) => {
                    let done = pending.progress == Progress::Done;
                    if !done && !self.speculate(&method, &mut frame, instruction, next)? {
                        return Ok(false);
                    }
                    frame.pending = method
                        .code
                        .as_ref()
                        .and_then(|code| code.ordinal(next))
                        .map(|ordinal| Pending::reached(ordinal, false));
                }
                Ahead::Returns => {
                    let result = (instruction.opcode != Opcode::Return).then(|| frame.peek(0));
                    let returned = &thread.stack[at];
                    if thread
                        .initialising
                        .as_ref()
                        .is_some_and(|initialising| initialising.call == Some(returned.call))
                    {
                        // From there on, steps are seen again.
                        return Ok(false);
                    }
                    let Some(below) = at.checked_sub(1) else {
                        return Ok(true);
                    };
                    at = below;
                    let caller = &thread.stack[at];
                    if caller.boundary {
                        return Ok(thread.stops_behind_boundary(at));
                    }
                    let (Some(mirror), true) = (&caller.mirror, returned.invoked) else {
                        return Ok(false);
                    };
                    let Some(calls) = mirror.pending.filter(|p| p.progress == Progress::Calling)
                    else {
                        return Ok(false);
                    };
                    frame = mirror.clone();
                    method = Rc::clone(&caller.method);
                    frame.pending = Some(Pending {
                        progress: Progress::Done,
                        ..calls
                    });
                    if let Some(result) = result {
                        frame.push(result);
                    }
                    key = Some(caller.key);
                    if !whole(&frame) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Does what an instruction does that leads there, on a frame and a heap that are only speculated. False if something of
    /// it is not known.
    fn speculate(
        &mut self,
        method: &Planned,
        frame: &mut Activation,
        instruction: &Instruction,
        next: u32,
    ) -> Result<bool, CaptureError> {
        if let Some(invoke) = instruction.invoke() {
            let named = Named::of(method, invoke.constant, invoke.kind);
            return Ok(
                named.is_some_and(|named| call_intrinsic(frame, &named, &self.recorder.known.heap))
            );
        }
        let told = method.code.as_ref().and_then(|code| code.ordinal(next));
        let (Some(ops), Some(pending), Some(told)) = (&method.ops, frame.pending, told) else {
            return Ok(false);
        };
        let mut world = Speculative {
            recorder: &mut self.recorder,
            frame,
            method,
        };
        let ran = execute(&mut world, ops, pending.ordinal as u32, Some(told as u32))?;
        Ok(matches!(ran, Step::Goes(_)))
    }

    /// Where an instruction leads that a thread has reached. Changes nothing.
    pub(in crate::events) fn ahead(
        &mut self,
        method: &Planned,
        frame: &Activation,
        instruction: &Instruction,
        told: bool,
    ) -> Result<Ahead, CaptureError> {
        let opcode = instruction.opcode;
        if !told && method.stops_at(instruction.index) {
            return Ok(Ahead::Stops);
        }
        if opcode == Opcode::Athrow {
            return Ok(Ahead::Throws);
        }
        if opcode.is_return() {
            return Ok(Ahead::Returns);
        }
        if let Some(invoke) = instruction.invoke() {
            return Ok(self.ahead_of_call(method, frame, instruction, invoke));
        }
        if !method.is_linked(instruction) {
            return Ok(Ahead::Open);
        }
        let certain = match opcode {
            Opcode::MonitorEnter | Opcode::MonitorExit | Opcode::MultiAnewArray => None,
            Opcode::NewArray | Opcode::AnewArray => match frame.peek(0) {
                Value::Int(length) if length <= LONGEST => Some(length >= 0),
                _ => None,
            },
            Opcode::GetField if self.meets_stale(frame.peek(0)) => None,
            Opcode::GetField => not_null(frame.peek(0)),
            _ if opcode.loads_element() && self.meets_stale(frame.peek(1)) => None,
            Opcode::PutField => not_null(frame.peek(1)),
            Opcode::CheckCast => {
                let class = class_constant(method, instruction.constant().unwrap_or_default());
                self.is_instance(frame.peek(0), method.loader, &class)?
            }
            Opcode::Aastore => match throws(frame, &self.recorder.known.heap, opcode) {
                Some(false) => self.takes(frame.peek(2), frame.peek(0), method.loader)?,
                other => other.map(|throws| !throws),
            },
            _ => throws(frame, &self.recorder.known.heap, opcode).map(|throws| !throws),
        };
        Ok(match certain {
            Some(true) => {
                let to = method.ops.as_ref().and_then(|ops| {
                    let at = frame.pending?.ordinal;
                    ops.index(leads(frame, &self.recorder.known.heap, ops, at)?)
                });
                to.map_or(Ahead::Open, Ahead::Goes)
            }
            Some(false) => Ahead::Throws,
            None => Ahead::Open,
        })
    }

    /// May code out of the scope have changed it unseen?
    fn meets_stale(&mut self, value: Value) -> bool {
        let stale = value
            .object()
            .filter(|&object| self.recorder.known.heap.is_stale(object));
        self.stale = stale.or(self.stale);
        stale.is_some()
    }

    fn ahead_of_call(
        &self,
        method: &Planned,
        frame: &Activation,
        instruction: &Instruction,
        invoke: Invoke,
    ) -> Ahead {
        let Some(named) = Named::of(method, invoke.constant, invoke.kind) else {
            return Ahead::Open;
        };
        let (receiver, arguments) = operands(frame, &named);
        if receiver == Some(Value::Null) {
            return Ahead::Throws;
        }
        if self.leads_into_scope(&named) {
            let runs_in_scope =
                invoke.kind != InvokeKind::Virtual || self.is_of_scope(receiver, &named);
            return if runs_in_scope {
                Ahead::Stops
            } else {
                Ahead::Open
            };
        }
        match intrinsic(&named) {
            None => Ahead::Stops,
            Some(_) => {
                let known = never_throws(&named)
                    || known_result(&named, receiver, &arguments, &self.recorder.known.heap)
                        .is_some();
                if known && method.is_linked(instruction) {
                    Ahead::Goes(instruction.next())
                } else {
                    Ahead::Open
                }
            }
        }
    }

    /// Does a receiver certainly run a method of the scope? Its class may be one of elsewhere that overrides it.
    fn is_of_scope(&self, receiver: Option<Value>, named: &Named) -> bool {
        let class = receiver
            .and_then(Value::object)
            .and_then(|object| self.recorder.known.heap.class(object))
            .and_then(|class| self.recorder.known.program.class_of(class));
        class.is_some_and(|class| {
            let runs = self.recorder.known.program.dispatched(&class, named);
            class.in_scope && runs.is_some_and(|method| !method.native)
        })
    }

    fn is_instance(
        &mut self,
        value: Value,
        code: Loader,
        class: &str,
    ) -> Result<Option<bool>, CaptureError> {
        if value == Value::Null || class == "java.lang.Object" {
            return Ok(Some(true));
        }
        Ok(match self.recorder.instance_of(value, code, class)? {
            Value::Int(is) => Some(is != 0),
            _ => None,
        })
    }

    /// Does an array take an object as an element?
    fn takes(
        &mut self,
        array: Value,
        element: Value,
        code: Loader,
    ) -> Result<Option<bool>, CaptureError> {
        let class = array
            .object()
            .and_then(|array| self.recorder.known.heap.class(array))
            .and_then(|class| self.recorder.known.program.name_of(class));
        match class.as_deref().and_then(|name| name.strip_suffix("[]")) {
            Some(component) => self.is_instance(element, code, component),
            None => Ok((element == Value::Null).then_some(true)),
        }
    }
}

/// True if something is done with an object, false if it throws.
fn not_null(value: Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Object(_) => Some(true),
        _ => None,
    }
}

/// Receiver, if there is one, and arguments of a call that is about to be made.
pub(in crate::events) fn operands(
    frame: &Activation,
    named: &Named,
) -> (Option<Value>, Vec<Value>) {
    let count = parameters(&named.descriptor).len();
    let arguments = (0..count).rev().map(|at| frame.peek(at)).collect();
    let receiver = named.kind.has_receiver().then(|| frame.peek(count));
    (receiver, arguments)
}
