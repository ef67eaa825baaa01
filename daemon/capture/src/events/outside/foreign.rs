//! Fields that classes out of the scope declare and code of the scope reads and writes: `modCount` of a list, `x` of a
//! point. Their classes are not watched, because the JDK's own code writes such fields all the time. So a thread stops
//! at each instruction of the scope that names one: a value that it reads is read there, and writes are watched for,
//! as far as code of that class makes them.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{object_reference, reference_type};
use jdwp::{EventKind as Requested, SuspendPolicy};
use jhyde_bytecode::{Instruction, Opcode};
use jhyde_trace::{EventKind, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::ForeignRead;
use crate::mirror::UNKNOWN;
use crate::program::{Foreign, Method, MethodKey, dotted};

impl<S: Sink> Engine<S> {
    /// Does a thread stop at an instruction because it names a field that the scope does not declare?
    pub(in crate::events) fn names_foreign_field(
        &mut self,
        method: &Method,
        instruction: &Instruction,
    ) -> Result<bool, CaptureError> {
        let reads_static = match instruction.opcode {
            Opcode::GetStatic => true,
            Opcode::GetField | Opcode::PutField | Opcode::PutStatic => false,
            _ => return Ok(false),
        };
        let Some((class, name)) = field_named(method, instruction) else {
            return Ok(false);
        };
        let code = method.loader;
        if self
            .recorder
            .known
            .program
            .field_named(code, &class, &name)
            .is_some()
            || self.recorder.known.program.is_ambiguous(code, &class)
            || (self.recorder.known.program.scope().may_cover(&class)
                && self
                    .recorder
                    .known
                    .program
                    .class_in_scope(code, &class)
                    .is_none())
        {
            return Ok(false);
        }
        // What is final is read once and for all.
        let known = self.recorder.known.program.foreign_field(
            &mut self.recorder.jvm.link,
            code,
            &class,
            &name,
        )?;
        Ok(!reads_static || known.is_some_and(|known| !known.is_final))
    }

    /// A suspended thread stands at an instruction: if it names such a field, what it reads is read, and what it writes
    /// is watched.
    pub(in crate::events) fn meet_foreign_field(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        method: &Method,
        instruction: &Instruction,
    ) -> Result<(), CaptureError> {
        let Some((class, name)) = field_named(method, instruction) else {
            // It names no field.
            return Ok(());
        };
        let code = method.loader;
        if self
            .recorder
            .known
            .program
            .field_named(code, &class, &name)
            .is_some()
        {
            return Ok(());
        }
        let field = self.recorder.known.program.foreign_field(
            &mut self.recorder.jvm.link,
            code,
            &class,
            &name,
        )?;
        let (Some(field), Some(key)) = (field, thread.innermost_mut().map(|frame| frame.key))
        else {
            // Its class is not loaded yet, or has no such field: what it reads is not known.
            return Ok(());
        };
        match instruction.opcode {
            Opcode::PutField | Opcode::PutStatic => {
                if self.recorder.known.program.watches_foreign(field, key.0) {
                    let declaring = field.declaring;
                    let only = Modifier::FieldOnly {
                        declaring,
                        field: field.jdwp,
                    };
                    self.recorder.jvm.link.send(&event_request::Set {
                        event_kind: Requested::FIELD_MODIFICATION,
                        suspend_policy: SuspendPolicy::NONE,
                        modifiers: vec![only, Modifier::ClassOnly { class: key.0 }],
                    });
                }
                Ok(())
            }
            _ => self.read_foreign(ticket, thread, (key, instruction.index), field),
        }
    }

    fn read_foreign(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        at: (MethodKey, u32),
        field: Foreign,
    ) -> Result<(), CaptureError> {
        let holder = thread.innermost_mut().and_then(|frame| {
            let mirror = frame.mirror.as_ref()?;
            mirror.peek(0).object()
        });
        let fields = vec![field.jdwp];
        let (variable, told) = if field.is_static {
            let ref_type = field.declaring;
            let told = self
                .recorder
                .jvm
                .link
                .request(&reference_type::GetValues { ref_type, fields })?;
            (Variable::Static { field: field.id }, told.ok())
        } else {
            let Some(object) = holder else {
                // It is null, and throws, or nobody knows which object it is.
                return Ok(());
            };
            let Some(real) = self.recorder.known.heap.real(object) else {
                // It has no name by which it could be read: the value is not known.
                return Ok(());
            };
            let object_fields = object_reference::GetValues {
                object: real,
                fields,
            };
            let told = self.recorder.jvm.link.request(&object_fields)?;
            let field = field.id;
            (Variable::Field { object, field }, told.ok())
        };
        let Some(told) = told.and_then(|values| values.first().copied()) else {
            // It could not be read: the value is not known.
            return Ok(());
        };
        self.observe(ticket, thread, &told)?;
        let value = self.recorder.value(ticket, &told, false);
        thread.foreign = Some(ForeignRead {
            at,
            variable,
            value,
        });
        Ok(())
    }

    /// What an instruction read that names such a field.
    pub(in crate::events) fn foreign_value(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        index: u32,
    ) -> Value {
        let key = thread.innermost_key();
        let (read, call) = (thread.foreign.take(), thread.current());
        let Some(read) = read.filter(|read| Some(read.at.0) == key && read.at.1 == index) else {
            return UNKNOWN;
        };
        if self.recorder.outlet.records_all() {
            let variable = read.variable;
            let kind = EventKind::Use { variable };
            self.recorder.outlet.tell(ticket, (call, index), kind);
        }
        read.value
    }
}

fn field_named(method: &Method, instruction: &Instruction) -> Option<(String, String)> {
    let reads_or_writes = matches!(
        instruction.opcode,
        Opcode::GetField | Opcode::GetStatic | Opcode::PutField | Opcode::PutStatic
    );
    let named = method.pool.as_ref()?.field(instruction.constant()?).ok()?;
    reads_or_writes.then(|| (dotted(named.class), named.name.to_owned()))
}
