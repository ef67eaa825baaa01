//! What instructions do in a thread that is derived: all is told, and all that they read goes into the checksum.

use std::convert::Infallible;
use std::rc::Rc;

use jhyde_bytecode::PrimitiveType;
use jhyde_trace::{CallId, ClassId, Content, EventKind, Value, Variable};

use super::Deriver;
use super::routine::Routine;
use crate::mirror::{Activation, Body, Effect, Element, Heap, UNKNOWN, World, initial, narrowed};
use crate::probe::plan::Tells;
use crate::program::{Field, Program};

/// One frame while its instructions run.
pub(super) struct Derived<'a> {
    pub(super) deriver: &'a mut Deriver,
    pub(super) program: &'a mut Program,
    pub(super) frame: &'a mut Activation,
    pub(super) sum: &'a mut u64,
    pub(super) call: CallId,
    pub(super) routine: &'a Routine,
    /// The number of the instruction that runs, and its bytecode index.
    pub(super) at: u32,
    pub(super) index: u32,
}

impl World for Derived<'_> {
    type Error = Infallible;

    const CERTAIN: bool = true;

    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)> {
        Some((self.frame, &mut self.deriver.heap))
    }

    fn tell(&mut self, effect: Effect) -> Result<(), Infallible> {
        let (call, index) = (self.call, self.index);
        let kind = match effect {
            Effect::UseElement { array, index } => {
                let read = self.frame.peek(0);
                self.read(read);
                let variable = Variable::Element { array, index };
                // Of its own type: what lies on the stack is an int where it is shorter (JVMS 2.11.1).
                let held = self.deriver.heap.load_element(array, index);
                self.settle(variable, held);
                EventKind::Use { variable }
            }
            Effect::UseLocal { .. } => {
                let (local, _) = self.routine.locals(self.at);
                EventKind::Use {
                    variable: Variable::Local { call, local },
                }
            }
            Effect::Edge { to } => EventKind::Edge { from: index, to },
            Effect::WriteLocal { value, .. } => {
                let (_, local) = self.routine.locals(self.at);
                let value = narrowed(value, self.routine.descriptor_of(local));
                let variable = Variable::Local { call, local };
                EventKind::Write { variable, value }
            }
            Effect::Monitor { action, object } => match object.object() {
                Some(object) => EventKind::Monitor { action, object },
                None => return Ok(()),
            },
            // With what is not known nothing goes on here: see `CERTAIN`.
            Effect::UnseenElement { .. } => return Ok(()),
            Effect::WriteElement {
                array,
                index,
                value,
            } => {
                if let Some(object) = value
                    .object()
                    .filter(|_| self.deriver.identities.is_exposed(array))
                {
                    self.deriver.loosen(object);
                    self.deriver.expose(object);
                }
                let variable = Variable::Element { array, index };
                self.deriver.doubts.settle(variable);
                EventKind::Write { variable, value }
            }
        };
        self.event(kind);
        Ok(())
    }

    fn constant(&mut self, at: u16) -> Result<Value, Infallible> {
        let literal = self.routine.literal(self.program, at);
        Ok(literal.map_or(UNKNOWN, |(constant, name)| {
            self.deriver.constant(self.program, constant, name)
        }))
    }

    fn get_field(&mut self, at: u16, object: Value) -> Result<Value, Infallible> {
        let Some((field, object)) = self.field(at).zip(object.object()) else {
            return Ok(UNKNOWN);
        };
        let variable = Variable::Field {
            object,
            field: field.id,
        };
        let begins = initial(&field.descriptor);
        let value = self.deriver.heap.load_field(object, field.id, begins);
        self.used(variable, value);
        Ok(value)
    }

    fn get_static(&mut self, at: u16) -> Result<Value, Infallible> {
        let Some(field) = self.field(at) else {
            return Ok(UNKNOWN);
        };
        let value = self.deriver.static_held(self.program, self.call, &field);
        self.used(Variable::Static { field: field.id }, value);
        Ok(value)
    }

    fn put_field(&mut self, at: u16, object: Value, value: Value) -> Result<bool, Infallible> {
        let Some((field, object)) = self.field(at).zip(object.object()) else {
            return Ok(false);
        };
        let value = narrowed(value, &field.descriptor);
        self.deriver.heap.set_field(object, field.id, value);
        let field = field.id;
        let variable = Variable::Field { object, field };
        self.deriver.doubts.settle(variable);
        self.event(EventKind::Write { variable, value });
        Ok(true)
    }

    fn put_static(&mut self, at: u16, value: Value) -> Result<bool, Infallible> {
        let Some(field) = self.field(at) else {
            return Ok(false);
        };
        let value = narrowed(value, &field.descriptor);
        self.deriver.heap.set_static(field.id, value);
        let variable = Variable::Static { field: field.id };
        self.deriver.doubts.settle(variable);
        self.event(EventKind::Write { variable, value });
        Ok(true)
    }

    fn create(&mut self, class: u16) -> Result<Value, Infallible> {
        let class = self.routine.class_number(self.program, class);
        Ok(self.made_of(class, Body::Fields(Vec::new())))
    }

    fn create_array(&mut self, element: Element, length: Value) -> Result<Value, Infallible> {
        let element = match element {
            Element::Primitive(primitive) => PrimitiveType::name(primitive).into(),
            Element::Class(at) => self.routine.class_constant(Some(at)),
        };
        Ok(self.made_array(&element, length))
    }

    fn create_nested(&mut self, class: u16, lengths: &[Value]) -> Result<Value, Infallible> {
        let class = self.routine.class_constant(Some(class));
        Ok(self.made_nested(&class, lengths))
    }

    fn instance_of(&mut self, class: u16, object: Value) -> Result<Value, Infallible> {
        let class = self.routine.class_constant(Some(class));
        let known = match object {
            Value::Null => Some(false),
            // Asked for before the instruction ran.
            Value::Object(_) if &*class == "java.lang.Object" => Some(true),
            Value::Object(object) => self.deriver.heap.class(object).and_then(|of| {
                let key = (of, self.routine.loader, class);
                self.deriver.casts.get(&key).copied()
            }),
            _ => None,
        };
        Ok(known.map_or(UNKNOWN, |is| Value::Int(i32::from(is))))
    }
}

impl Derived<'_> {
    fn event(&mut self, kind: EventKind) {
        self.deriver.outlet.event(self.call, self.index, kind);
    }

    /// A value was read from the heap: as the probe's `read` has it.
    fn read(&mut self, value: Value) {
        *self.sum = self.sum.wrapping_mul(31).wrapping_add(weight(value));
    }

    /// What was read is what was derived, or the checksum says so: a variable in doubt holds it.
    fn settle(&mut self, variable: Variable, value: Value) {
        if self.deriver.doubts.settle(variable) {
            self.event(EventKind::Snapshot { variable, value });
        }
    }

    fn used(&mut self, variable: Variable, value: Value) {
        self.settle(variable, value);
        if self.deriver.outlet.is_full() {
            self.event(EventKind::Use { variable });
        }
        if matches!(
            self.routine.tells(self.index),
            Some((_, Tells::Read { .. }))
        ) {
            self.read(value);
        }
    }

    /// The field that the scope declares under this name.
    fn field(&self, at: u16) -> Option<Rc<Field>> {
        self.routine.field(self.program, at)
    }

    fn made(&mut self, class: &str, body: Body) -> Value {
        let id = self.program.class_named(self.routine.loader, class);
        self.made_of(id, body)
    }

    fn made_of(&mut self, id: ClassId, body: Body) -> Value {
        let length = match &body {
            Body::Array(elements) => u32::try_from(elements.len()).ok(),
            _ => None,
        };
        let body = match body {
            Body::Fields(_) if !self.program.is_class_in_scope(id) => Body::Opaque,
            other => other,
        };
        let object = self.deriver.heap.create(Some(id), body);
        let content = length.map_or(Content::None, Content::Array);
        self.deriver.outlet.object(object, Some(id), content);
        self.event(EventKind::New {
            object,
            class: id,
            length,
        });
        Value::Object(object)
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
                self.deriver.heap.set_element(array, index, value);
                let variable = Variable::Element { array, index };
                // No instruction wrote it: this is what the element begins with.
                self.event(EventKind::Snapshot { variable, value });
            }
        }
        outer
    }
}

/// `Float.floatToIntBits`.
fn one_nan(value: f32) -> u32 {
    if value.is_nan() {
        0x7fc0_0000
    } else {
        value.to_bits()
    }
}

/// `Double.doubleToLongBits`.
fn one_wide_nan(value: f64) -> u64 {
    match value.is_nan() {
        true => 0x7ff8_0000_0000_0000,
        false => value.to_bits(),
    }
}

/// Are two values one, as far as that is certain? Which of the patterns of NaN an operation yields is the processor's and the
/// compiler's choice.
pub(super) fn same_value(one: Value, other: Value) -> bool {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => {
            one_nan(f32::from_bits(one)) == one_nan(f32::from_bits(other))
        }
        (Value::Double(one), Value::Double(other)) => {
            one_wide_nan(f64::from_bits(one)) == one_wide_nan(f64::from_bits(other))
        }
        _ => one == other,
    }
}

/// What a value that was read adds to the checksum: `read` of the probe class, by type.
fn weight(value: Value) -> u64 {
    match value {
        Value::Boolean(value) => u64::from(value),
        Value::Byte(value) => value as u64,
        Value::Char(value) => u64::from(value),
        Value::Short(value) => value as u64,
        Value::Int(value) => value as u64,
        Value::Long(value) => value as u64,
        Value::Float(bits) => one_nan(f32::from_bits(bits)) as i32 as u64,
        Value::Double(bits) => one_wide_nan(f64::from_bits(bits)),
        Value::Object(_) => 1,
        Value::Null | Value::Missing(_) => 0,
    }
}
