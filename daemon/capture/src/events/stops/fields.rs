//! Classes of the scope as they are prepared, and writes to their fields.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::{EventKind as Requested, Location, ReferenceTypeId, SuspendPolicy, TaggedObject};
use jhyde_bytecode::Opcode;
use jhyde_trace::{Event, EventKind, Sink, Variable};

use crate::arrivals::Ticket;
use crate::error::{CaptureError, LinkError};
use crate::events::begin::REPLACER;
use crate::events::thread::Thread;
use crate::events::{Current, Engine};
use crate::mirror::Progress;
use crate::program::{Class, index_of};

impl<S: Sink> Engine<S> {
    /// A class was prepared; nothing of it has run yet.
    pub(in crate::events) fn class_prepared(
        &mut self,
        (ticket, thread, current): Current<'_>,
        ref_type: ReferenceTypeId,
        signature: &str,
    ) -> Result<(), CaptureError> {
        let class = self.recorder.known.program.class_with_signature(
            &mut self.recorder.jvm.link,
            ref_type,
            signature,
        )?;
        self.replaceable |= class.name == REPLACER;
        if !class.in_scope {
            return match current {
                Some(thread) => self.may_hand(thread, &class.name),
                None => Ok(()),
            };
        }
        // Prepared by the debug agent's own thread, on our questions' account, it is no event of the program.
        if !thread.is_null() {
            let thread = self.meet_thread((ticket, thread, current))?;
            let kind = EventKind::ClassPrepared { class: class.id };
            let outlet = &mut self.recorder.outlet;
            outlet.tell_of(ticket, thread.current(), kind);
        }
        self.observe_class(ticket, ref_type, &class)
    }

    /// Asks for what level `state` needs of a class of the scope: writes to its fields, and the
    /// values that its statics begin with.
    pub(in crate::events) fn observe_class(
        &mut self,
        ticket: Ticket,
        ref_type: ReferenceTypeId,
        class: &Class,
    ) -> Result<(), CaptureError> {
        if self.recorder.known.program.is_disguised(class) {
            self.request_calls(&[Modifier::ClassOnly { class: ref_type }])?;
        }
        if self.recorder.outlet.records_state() {
            self.step_filter.keep(&class.name);
            self.watch_resolution(ref_type, class)?;
            for field in &class.fields {
                let only = Modifier::FieldOnly {
                    declaring: ref_type,
                    field: field.jdwp,
                };
                self.recorder.jvm.link.send(&event_request::Set {
                    event_kind: Requested::FIELD_MODIFICATION,
                    suspend_policy: SuspendPolicy::NONE,
                    modifiers: vec![only],
                });
            }
            self.recorder.ask_statics(ticket, ref_type, class);
        }
        Ok(())
    }

    /// Requests entries and exits of the classes that these modifiers let through.
    pub(in crate::events) fn request_calls(
        &mut self,
        modifiers: &[Modifier],
    ) -> Result<(), LinkError> {
        for (event_kind, suspend_policy) in [
            (Requested::METHOD_ENTRY, SuspendPolicy::EVENT_THREAD),
            (Requested::METHOD_EXIT_WITH_RETURN_VALUE, self.at_exits()),
        ] {
            self.recorder
                .jvm
                .set(event_kind, suspend_policy, modifiers.to_vec())?;
        }
        Ok(())
    }

    /// A field is about to be written.
    pub(in crate::events) fn field_write(
        &mut self,
        (ticket, thread, current): Current<'_>,
        location: &Location,
        (class, field): (ReferenceTypeId, jdwp::FieldId),
        object: TaggedObject,
        value: &jdwp::Value,
    ) -> Result<(), CaptureError> {
        let Some(field) = self.recorder.known.program.field(class, field) else {
            // Nobody has asked for writes to it.
            return Ok(());
        };
        let constant = value
            .object()
            .filter(|_| self.recorder.known.program.is_constant(class, field));
        let thread = self.meet_thread((ticket, thread, current))?;
        let here = thread.innermost_key() == Some((location.class, location.method));
        let index = if here {
            index_of(location)
        } else {
            Event::NO_INDEX
        };
        if here {
            thread.end_boundary(ticket, &mut self.recorder.outlet);
            self.write_is_done(thread, index, object, value);
        } else {
            self.open_boundary(ticket, thread)?;
        }
        let call = thread.current();
        self.recorder.outlet.arrivals.context(ticket, call);
        let variable = if object.id.is_null() {
            Variable::Static { field }
        } else {
            self.recorder.meet_object(ticket, object, false);
            Variable::Field {
                object: self.recorder.known.heap.name(object.id),
                field,
            }
        };
        let value = self.recorder.value(ticket, value, false);
        if let Some(constant) = constant {
            self.recorder.constant_is_made(ticket, constant.id)?;
        }
        self.recorder.known.heap.write(variable, value);
        thread.writing = Some(variable);
        let kind = EventKind::Write { variable, value };
        self.recorder.outlet.tell(ticket, (call, index), kind);
        Ok(())
    }

    /// A `putfield` or `putstatic` shows what it takes from the stack, and has done so.
    fn write_is_done(
        &mut self,
        thread: &mut Thread,
        index: u32,
        object: TaggedObject,
        value: &jdwp::Value,
    ) {
        let Some(frame) = thread.innermost_mut() else {
            // No call of the scope writes it.
            return;
        };
        let method = std::rc::Rc::clone(&frame.method);
        let Some(mirror) = &mut frame.mirror else {
            // Nothing of its inside is followed.
            return;
        };
        let instruction = mirror.pending.and_then(|p| method.instruction(p));
        let Some(instruction) = instruction.filter(|i| i.index == index) else {
            // It is not known to stand at the instruction that writes.
            return;
        };
        let takes = match instruction.opcode {
            Opcode::PutField => 2,
            Opcode::PutStatic => 1,
            _ => return,
        };
        method.link(instruction);
        let (written, holder) = (mirror.peek(0), mirror.peek(1));
        mirror
            .stack
            .truncate(mirror.stack.len().saturating_sub(takes));
        if let Some(pending) = &mut mirror.pending {
            pending.progress = Progress::Done;
        }
        if let Some(value) = value.object() {
            self.unify(thread, written, value);
        }
        if !object.id.is_null() {
            self.unify(thread, holder, object);
        }
    }
}
