//! The world in which threads were seen to run: what an instruction did is told, and what it names is what the JVM made
//! of it.

use jhyde_trace::{CallId, Event, EventKind, MonitorAction, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::predict::plan::Planned;
use crate::events::stops::sites::{descriptor_of, local_at, written_local};
use crate::events::thread::Thread;
use crate::mirror::{
    Activation, Body, Effect, Element, Heap, UNKNOWN, World, initial, is_known, narrowed,
};
use crate::program::dotted;
use crate::recorder::{class_constant, element_name, gap};

/// One instruction that a thread has run.
pub(in crate::events) struct Recorded<'a, S: Sink> {
    pub(in crate::events) engine: &'a mut Engine<S>,
    pub(in crate::events) ticket: Ticket,
    pub(in crate::events) thread: &'a mut Thread,
    pub(in crate::events) call: CallId,
    pub(in crate::events) method: &'a Planned,
    /// Its bytecode index, and that of the instruction behind it.
    pub(in crate::events) index: u32,
    pub(in crate::events) after: u32,
    /// The thread stands still behind it.
    pub(in crate::events) suspended: bool,
}

impl<S: Sink> World for Recorded<'_, S> {
    type Error = CaptureError;

    const CERTAIN: bool = false;

    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)> {
        let frame = self.thread.innermost_mut()?.mirror.as_mut()?;
        Some((frame, &mut self.engine.recorder.known.heap))
    }

    fn tell(&mut self, effect: Effect) -> Result<(), CaptureError> {
        let full = self.engine.recorder.outlet.records_all();
        let (call, index) = (self.call, self.index);
        if let Effect::UseElement { array, index } = effect {
            // What may have changed unseen is loaded as unknown: only then is it worth to ask which object that is.
            let loaded = self.parts().map_or(UNKNOWN, |(frame, _)| frame.peek(0));
            if !is_known(loaded) {
                let variable = Variable::Element { array, index };
                self.engine.read_stale(self.thread, variable);
            }
        }
        let kind = match effect {
            Effect::UseLocal { .. } | Effect::UseElement { .. } | Effect::Edge { .. } if !full => {
                return Ok(());
            }
            Effect::UseLocal { slot } => {
                let local = local_at(self.method, slot, index);
                EventKind::Use {
                    variable: Variable::Local { call, local },
                }
            }
            Effect::UseElement { array, index } => EventKind::Use {
                variable: Variable::Element { array, index },
            },
            Effect::Edge { to } => EventKind::Edge { from: index, to },
            Effect::WriteLocal { slot, value } => self.written(slot, value)?,
            Effect::Monitor {
                action: MonitorAction::Exit,
                ..
            } if self.was_left(index) => return Ok(()),
            Effect::Monitor { action, object } => match object.object() {
                Some(object) => EventKind::Monitor { action, object },
                None => EventKind::Gap {
                    back: false,
                    reason: "of which object a monitor is was not seen".to_owned(),
                },
            },
            Effect::UnseenElement { elsewhere } => {
                // It may have been of any array that the mirror knows by another way.
                let heap = &mut self.engine.recorder.known.heap;
                heap.outside_ran();
                heap.anything_changed();
                let reason = match elsewhere {
                    true => "of which array an element was written was not seen",
                    false => "which element of an array was written was not seen",
                };
                gap(reason)
            }
            Effect::WriteElement {
                array,
                index,
                value,
            } => {
                let variable = Variable::Element { array, index };
                EventKind::Write { variable, value }
            }
        };
        self.event(kind);
        Ok(())
    }

    fn constant(&mut self, at: u16) -> Result<Value, CaptureError> {
        self.engine.recorder.constant(self.ticket, self.method, at)
    }

    fn get_field(&mut self, at: u16, object: Value) -> Result<Value, CaptureError> {
        self.get(at, Some(object))
    }

    fn get_static(&mut self, at: u16) -> Result<Value, CaptureError> {
        self.get(at, None)
    }

    /// Its own event tells what was written.
    fn put_field(&mut self, _: u16, _: Value, _: Value) -> Result<bool, CaptureError> {
        Ok(true)
    }

    fn put_static(&mut self, _: u16, _: Value) -> Result<bool, CaptureError> {
        Ok(true)
    }

    fn create(&mut self, class: u16) -> Result<Value, CaptureError> {
        let class = class_constant(self.method, class);
        Ok(self.made(&class, Body::Fields(Vec::new())))
    }

    fn create_array(&mut self, element: Element, length: Value) -> Result<Value, CaptureError> {
        let element = element_name(self.method, element);
        Ok(self.made_array(&element, length))
    }

    fn create_nested(&mut self, class: u16, lengths: &[Value]) -> Result<Value, CaptureError> {
        let class = class_constant(self.method, class);
        Ok(self.made_nested(&class, lengths))
    }

    fn instance_of(&mut self, class: u16, object: Value) -> Result<Value, CaptureError> {
        let class = class_constant(self.method, class);
        self.engine
            .recorder
            .instance_of(object, self.method.loader, &class)
    }
}

impl<S: Sink> Recorded<'_, S> {
    /// Was it told already that this `monitorexit` leaves its monitor?
    fn was_left(&mut self, index: u32) -> bool {
        let frame = self.thread.innermost_mut();
        frame.is_some_and(|frame| frame.left_at.take() == Some(index))
    }

    fn event(&mut self, kind: EventKind) {
        let (call, index) = (self.call, self.index);
        let event = Event { call, index, kind };
        self.engine
            .recorder
            .outlet
            .arrivals
            .event(self.ticket, event);
    }

    fn written(&mut self, slot: u16, mut value: Value) -> Result<EventKind, CaptureError> {
        let local = written_local(self.method, slot, self.index, self.after);
        if self.suspended && !is_known(value) {
            value = self
                .engine
                .read_local(self.ticket, self.thread, slot, local)?;
            let outlet = &mut self.engine.recorder.outlet;
            self.thread.taken(self.index, value, outlet);
        }
        let value = narrowed(value, descriptor_of(self.method, local));
        let call = self.call;
        let variable = Variable::Local { call, local };
        Ok(EventKind::Write { variable, value })
    }

    /// A field's value: of an object, or a static one.
    fn get(&mut self, at: u16, object: Option<Value>) -> Result<Value, CaptureError> {
        let method = self.method;
        let named = method.pool.as_ref().and_then(|pool| pool.field(at).ok());
        let Some(named) = named else {
            return Ok(UNKNOWN);
        };
        let class = dotted(named.class);
        if self
            .engine
            .recorder
            .known
            .program
            .is_ambiguous(method.loader, &class)
        {
            return Ok(UNKNOWN);
        }
        let field =
            self.engine
                .recorder
                .known
                .program
                .field_named(method.loader, &class, named.name);
        let Some(field) = field else {
            let (ticket, thread) = (self.ticket, &mut *self.thread);
            let read = self.engine.foreign_value(ticket, thread, self.index);
            return if object.is_none() && !is_known(read) {
                let class = (method.loader, class.as_str());
                self.engine.get_outside(ticket, thread, class, named.name)
            } else {
                Ok(read)
            };
        };
        let variable = match object.and_then(|object| object.object()) {
            _ if field.is_static => Variable::Static { field: field.id },
            Some(object) => Variable::Field {
                object,
                field: field.id,
            },
            None => return Ok(UNKNOWN),
        };
        if self.engine.recorder.outlet.records_all() {
            self.event(EventKind::Use { variable });
        }
        let heap = &self.engine.recorder.known.heap;
        let value = match variable {
            Variable::Field { object, field: id } => {
                heap.load_field(object, id, initial(&field.descriptor))
            }
            _ => heap.static_field(field.id),
        };
        if !is_known(value) {
            self.engine.read_stale(self.thread, variable);
        }
        Ok(value)
    }

    /// An object that the scope makes: it has a name of ours until the JVM shows its own.
    fn made(&mut self, class: &str, body: Body) -> Value {
        let at = (self.ticket, self.call, self.index);
        self.engine
            .recorder
            .create(at, self.method.loader, class, body)
    }

    fn made_array(&mut self, element: &str, length: Value) -> Value {
        match length {
            Value::Int(length) => self.made(&format!("{element}[]"), Body::array(element, length)),
            _ => UNKNOWN,
        }
    }

    /// `multianewarray`: the array, and the arrays in it, outermost first (JVMS 6.5).
    fn made_nested(&mut self, class: &str, lengths: &[Value]) -> Value {
        let Some((&length, inner)) = lengths.split_first() else {
            return Value::Null;
        };
        let element = class.strip_suffix("[]").unwrap_or(class);
        let outer = self.made_array(element, length);
        if let (Some(array), Value::Int(length), false) = (outer.object(), length, inner.is_empty())
        {
            for index in 0..u32::try_from(length).unwrap_or(0) {
                let value = self.made_nested(element, inner);
                let heap = &mut self.engine.recorder.known.heap;
                if let Some(elements) = heap.elements_mut(array) {
                    elements.set(index, value);
                }
                let variable = Variable::Element { array, index };
                heap.hold(value, variable);
                // No instruction wrote it: this is what the element begins with.
                self.event(EventKind::Snapshot { variable, value });
            }
        }
        outer
    }
}
