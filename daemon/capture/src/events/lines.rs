//! Writes to locals, at line granularity: when a thread reaches the next line, those slots are read
//! that an instruction of the line before can have written. A line that writes no local costs a step
//! and no read.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::stack_frame::{self, SlotRequest};
use jdwp::{EventKind as Requested, FrameId, Location, StepDepth, StepSize, SuspendPolicy, Tag};
use jhyde_bytecode::SlotSet;
use jhyde_trace::{CallId, Event, EventKind, Local, Value, Variable};

use super::calls::{index_of, local_at};
use super::threads::Stepping;
use super::{Engine, Question};
use crate::arrivals::Place;
use crate::error::CaptureError;
use crate::sink::Sink;
use crate::structure::Method;

/// Locals that were asked for.
pub(crate) struct LocalsQuestion {
    place: Place,
    thread: jdwp::ThreadId,
    call: CallId,
    /// Where the thread was before: the writes happened from here on.
    from: u32,
    locals: Vec<(u16, Local)>,
    /// Slots that were written for certain, perhaps with the value that they had.
    written: SlotSet,
}

impl<S: Sink> Engine<S> {
    /// A thread reached another line (or its caller's line again after a call).
    pub(super) fn line(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        location: &Location,
    ) -> Result<(), CaptureError> {
        let key = (location.class, location.method);
        let class = self.structure.class(&mut self.link, location.class)?;
        if !class.in_scope {
            let package = class
                .name
                .rsplit_once('.')
                .map_or_else(|| class.name.clone(), |(p, _)| format!("{p}.*"));
            return self.leave_out(thread, package);
        }
        let Some(known) = self.threads.get(&thread.0) else {
            return Ok(());
        };
        // The entry's own step, in one composite with it: nothing was written yet.
        if known.entering.is_some() {
            return Ok(());
        }
        let top = known.stack.iter().rfind(|frame| !frame.boundary);
        if known.unsure.is_some() || top.is_none_or(|top| top.key != key) {
            self.check_stack(thread, place)?;
        }
        if self
            .threads
            .get(&thread.0)
            .is_some_and(|known| known.generation.is_none() || known.is_virtual)
            || self.unpredictable
        {
            self.stack(thread)?;
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        let generation = known.generation;
        known.end_boundary(place, &mut self.arrivals);
        let Some(top) = known.stack.last_mut().filter(|top| top.key == key) else {
            return Ok(());
        };
        let from = std::mem::replace(&mut top.index, index_of(location));
        let (call, method) = (top.call, std::rc::Rc::clone(&top.method));
        let (Some(stores), Some(generation)) = (&method.stores, generation) else {
            return Ok(());
        };
        let Some(may) = stores.may_write_at(from).filter(|may| !may.is_empty()) else {
            return Ok(());
        };
        let (slots, locals) = readable(&method, may, from, index_of(location));
        if slots.is_empty() {
            return Ok(());
        }
        let written = stores.must_write(from);
        let frame = FrameId(generation << 16);
        let id = self.link.send(&stack_frame::GetValues {
            thread,
            frame,
            slots,
        });
        let question = LocalsQuestion {
            place,
            thread,
            call,
            from,
            locals,
            written,
        };
        self.questions.insert(id.0, Question::Locals(question));
        self.arrivals.question(place);
        Ok(())
    }

    /// The values of locals that a line may have written.
    pub(super) fn locals_answer(
        &mut self,
        question: LocalsQuestion,
        reply: &jdwp::Reply,
    ) -> Result<(), CaptureError> {
        let LocalsQuestion {
            place,
            thread,
            call,
            from,
            locals,
            written,
        } = question;
        match self.link.decode::<stack_frame::GetValues>(reply) {
            Ok(values) => {
                for ((slot, local), value) in locals.into_iter().zip(&values) {
                    let value = self.value(place, value, false);
                    self.local_write(place, thread, call, from, (slot, local), value, &written);
                }
            }
            Err(error) => {
                tracing::debug!(%error, %call, "locals not read");
                if reply.error == jdwp::ErrorCode::INVALID_FRAMEID {
                    self.unpredictable = true;
                }
                let reason = "locals written by a line could not be read".to_owned();
                self.arrivals.event(
                    place,
                    Event {
                        call,
                        index: from,
                        kind: EventKind::Gap { reason },
                    },
                );
            }
        }
        self.arrivals.answered(place);
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one write: where, which variable, what"
    )]
    fn local_write(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        call: CallId,
        from: u32,
        (slot, local): (u16, Local),
        value: Value,
        written: &SlotSet,
    ) {
        let frame = self
            .threads
            .get_mut(&thread.0)
            .and_then(|known| known.stack.iter_mut().rfind(|frame| frame.call == call));
        let Some(frame) = frame else { return };
        let before = frame.locals.insert(local, value);
        if before == Some(value) && !written.contains(slot) {
            return;
        }
        let index = store_index(&frame.method, from, slot);
        let kind = EventKind::Write {
            variable: Variable::Local { call, local },
            value,
        };
        self.arrivals.event(place, Event { call, index, kind });
    }

    /// Lets a thread report its lines from its first call in scope on.
    pub(super) fn start_stepping(&mut self, thread: jdwp::ThreadId, method: &Method) {
        if !self.records_state() || method.native {
            return;
        }
        let off = self
            .threads
            .get(&thread.0)
            .is_some_and(|t| t.stepping == Stepping::Off);
        if off {
            self.set_step(thread);
        }
    }

    fn set_step(&mut self, thread: jdwp::ThreadId) {
        let mut modifiers = vec![Modifier::Step {
            thread,
            size: StepSize::LINE,
            depth: StepDepth::INTO,
        }];
        modifiers.extend(self.structure.scope().step_modifiers(&self.outside));
        let set = event_request::Set {
            event_kind: Requested::SINGLE_STEP,
            suspend_policy: SuspendPolicy::EVENT_THREAD,
            modifiers,
        };
        // Waiting for the request's id costs one round trip, once per thread and time in scope.
        if let Ok(Ok(request)) = self.link.request(&set)
            && let Some(known) = self.threads.get_mut(&thread.0)
        {
            known.stepping = Stepping::On(request);
        }
    }

    /// Stops the lines of a thread that has left the scope.
    pub(super) fn stop_stepping(&mut self, thread: jdwp::ThreadId) {
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return;
        };
        if let Stepping::On(request) = known.stepping {
            known.stepping = Stepping::Off;
            self.link.send(&event_request::Clear {
                event_kind: Requested::SINGLE_STEP,
                request,
            });
        }
    }

    /// A step ended outside the scope: no step shall do so again.
    fn leave_out(&mut self, thread: jdwp::ThreadId, pattern: String) -> Result<(), CaptureError> {
        if !self.outside.contains(&pattern) && self.structure.scope().step_modifiers(&[]).len() > 1
        {
            self.outside.push(pattern);
            self.stop_stepping(thread);
            self.set_step(thread);
        }
        Ok(())
    }
}

/// Of the slots that a line may have written, those that hold a variable here, and which.
fn readable(
    method: &Method,
    may: &SlotSet,
    from: u32,
    index: u32,
) -> (Vec<SlotRequest>, Vec<(u16, Local)>) {
    let mut slots = Vec::new();
    let mut locals = Vec::new();
    // In the order of their stores, so that the writes of one line come out in that order.
    let mut written: Vec<u16> = may.iter().collect();
    written.sort_by_key(|&slot| store_index(method, from, slot));
    for slot in written {
        let variable = method
            .variables
            .iter()
            .find(|v| v.slot == slot && v.covers(index));
        if let Some(tag) = variable.and_then(|v| Tag::of_signature(&v.descriptor)) {
            slots.push(SlotRequest {
                slot: i32::from(slot),
                tag,
            });
            locals.push((slot, local_at(method, slot, index)));
        }
    }
    (slots, locals)
}

/// The instruction that wrote a slot: the first store to it on the line, from where the thread was.
fn store_index(method: &Method, from: u32, slot: u16) -> u32 {
    let Some(stores) = &method.stores else {
        return from;
    };
    let line = stores.line_table().line_at(from);
    let on_line = |index: u32| stores.line_table().line_at(index) == line;
    let stores_slot = |instruction: &&jhyde_bytecode::Instruction| {
        on_line(instruction.index)
            && instruction
                .local_store()
                .is_some_and(|store| store.slot == slot)
    };
    let code = stores.code().instructions();
    let later = code.iter().filter(|i| i.index >= from).find(stores_slot);
    later
        .or_else(|| code.iter().find(stores_slot))
        .map_or(from, |found| found.index)
}
