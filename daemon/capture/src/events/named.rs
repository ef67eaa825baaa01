//! Instructions that name something of the constant pool, and what the names stand for.

use std::rc::Rc;

use jhyde_bytecode::{Constant, Instruction, Opcode, Operands};
use jhyde_trace::{
    CallId, ClassId, Content, Event, EventKind, Level, ObjectInfo, Sink, Value, Variable,
};

use super::Engine;
use crate::arrivals::Place;
use crate::error::CaptureError;
use crate::mirror::{self, Body, Elements, UNKNOWN, initial, is_known};
use crate::program::{Loader, Method, dotted};

impl<S: Sink> Engine<S> {
    /// Runs an instruction that names something; calls are elsewhere.
    pub(super) fn run_named(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        call: CallId,
        method: &Method,
        instruction: &Instruction,
    ) -> Result<(), CaptureError> {
        let index = instruction.index;
        match instruction.opcode {
            Opcode::Ldc | Opcode::LdcW | Opcode::Ldc2W => {
                let value = self.constant(place, method, instruction);
                self.push(thread, value);
            }
            Opcode::GetField | Opcode::GetStatic => {
                let value = self.get(place, thread, call, method, instruction)?;
                self.push(thread, value);
            }
            Opcode::PutField => {
                self.pop(thread);
                self.pop(thread);
            }
            Opcode::PutStatic => {
                self.pop(thread);
            }
            Opcode::New => {
                let class = class_constant(method, instruction);
                let value =
                    self.create(place, call, method, index, &class, Body::Fields(Vec::new()));
                self.push(thread, value);
            }
            Opcode::NewArray | Opcode::AnewArray => {
                let length = self.pop(thread);
                let element = match instruction.operands {
                    Operands::NewArray(primitive) => primitive.name().to_owned(),
                    _ => class_constant(method, instruction),
                };
                let value = self.create_array(place, call, method, index, &element, length);
                self.push(thread, value);
            }
            Opcode::MultiAnewArray => {
                self.create_nested(place, thread, call, method, instruction);
            }
            Opcode::InstanceOf => {
                let object = self.pop(thread);
                let value =
                    self.instance_of(object, method.loader, &class_constant(method, instruction))?;
                self.push(thread, value);
            }
            // A return or `athrow` is followed by its own event.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn push(&mut self, thread: jdwp::ThreadId, value: Value) {
        if let Some(mirror) = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.push(value);
        }
    }

    pub(super) fn pop(&mut self, thread: jdwp::ThreadId) -> Value {
        let mirror = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_mut());
        mirror.map_or(UNKNOWN, |mirror| mirror.pop())
    }

    fn constant(&mut self, place: Place, method: &Method, instruction: &Instruction) -> Value {
        let (Some(pool), Some(at)) = (&method.pool, instruction.constant()) else {
            return UNKNOWN;
        };
        match pool.get(at) {
            Ok(Constant::Integer(value)) => Value::Int(*value),
            Ok(Constant::Float(value)) => Value::float(*value),
            Ok(Constant::Long(value)) => Value::Long(*value),
            Ok(Constant::Double(value)) => Value::double(*value),
            Ok(Constant::String(text)) => {
                let units: Rc<[u16]> = pool.units(*text).unwrap_or_default().into();
                let class = self.program.class_named(0, "java.lang.String");
                let text = mirror::Constant::Text(units.clone());
                let (object, fresh) = self.heap.constant(text, Some(class));
                if fresh {
                    let content = Content::String(self.objects.cut(&units));
                    self.introduce(place, object, Some(class), content);
                }
                Value::Object(object)
            }
            Ok(Constant::Class(_)) => {
                let name = dotted(pool.class(at).unwrap_or_default());
                let class = self.program.class_named(0, "java.lang.Class");
                let spelling = self.program.spelling(method.loader, &name);
                let constant = mirror::Constant::Class(spelling);
                let (object, fresh) = self.heap.constant(constant, Some(class));
                if fresh {
                    self.introduce(place, object, Some(class), Content::Class(name));
                }
                Value::Object(object)
            }
            _ => UNKNOWN,
        }
    }

    fn get(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        call: CallId,
        method: &Method,
        instruction: &Instruction,
    ) -> Result<Value, CaptureError> {
        let is_static = instruction.opcode == Opcode::GetStatic;
        let object = if is_static {
            Value::Null
        } else {
            self.pop(thread)
        };
        let named = instruction
            .constant()
            .and_then(|constant| method.pool.as_ref()?.field(constant).ok());
        let Some(named) = named else {
            return Ok(UNKNOWN);
        };
        let class = dotted(named.class);
        if self.program.is_ambiguous(method.loader, &class) {
            return Ok(UNKNOWN);
        }
        let Some(field) = self.program.field_named(method.loader, &class, named.name) else {
            let read = self.foreign_value(place, thread, instruction.index);
            return if is_static && !is_known(read) {
                self.get_outside(place, thread, (method.loader, &class), named.name)
            } else {
                Ok(read)
            };
        };
        let variable = match object.object() {
            _ if field.is_static => Variable::Static { field: field.id },
            Some(object) => Variable::Field {
                object,
                field: field.id,
            },
            None => return Ok(UNKNOWN),
        };
        if self.options.level == Level::Full {
            let index = instruction.index;
            let kind = EventKind::Use { variable };
            self.arrivals.event(place, Event { call, index, kind });
        }
        let value = match variable {
            Variable::Field { object, field: id } => {
                self.heap.load_field(object, id, initial(&field.descriptor))
            }
            _ => self.heap.static_field(field.id),
        };
        if !is_known(value) {
            self.read_stale(thread, variable);
        }
        Ok(value)
    }

    /// A constant of a class out of the scope, such as `System.out`. One that is not final may have
    /// changed since the instruction read it, and stays unknown.
    fn get_outside(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        (code, class): (Loader, &str),
        name: &str,
    ) -> Result<Value, CaptureError> {
        // What was foreseen read it when its thread stood still.
        let foreseen = self.threads.get(&thread.0).is_some_and(|t| t.foreseen);
        let again = !foreseen && is_replaced(class);
        match self
            .program
            .final_static(&mut self.link, (code, class), name, again)?
        {
            Some(value) => {
                self.observe(place, thread, &value)?;
                Ok(self.value(place, &value, false))
            }
            None => Ok(UNKNOWN),
        }
    }

    /// An object that the scope makes: it has a name of ours until the JVM shows its own.
    fn create(
        &mut self,
        place: Place,
        call: CallId,
        method: &Method,
        index: u32,
        class: &str,
        body: Body,
    ) -> Value {
        let length = match &body {
            Body::Array(elements) => u32::try_from(elements.len()).ok(),
            _ => None,
        };
        let (value, id) = self.make(method.loader, class, body);
        let Some(object) = value.object() else {
            return value;
        };
        self.introduce(
            place,
            object,
            Some(id),
            length.map_or(Content::None, Content::Array),
        );
        let kind = EventKind::New {
            object,
            class: id,
            length,
        };
        self.arrivals.event(place, Event { call, index, kind });
        value
    }

    /// The same, without a word to anybody.
    pub(super) fn make(&mut self, code: Loader, class: &str, body: Body) -> (Value, ClassId) {
        let id = self.program.class_named(code, class);
        let body = match body {
            Body::Fields(_) if !self.program.is_class_in_scope(id) => Body::Opaque,
            other => other,
        };
        (Value::Object(self.heap.create(Some(id), body)), id)
    }

    fn introduce(
        &mut self,
        place: Place,
        object: jhyde_trace::ObjectId,
        class: Option<ClassId>,
        content: Content,
    ) {
        self.arrivals
            .object(place, object, ObjectInfo { class, content });
    }

    fn create_array(
        &mut self,
        place: Place,
        call: CallId,
        method: &Method,
        index: u32,
        element: &str,
        length: Value,
    ) -> Value {
        let Value::Int(length) = length else {
            return UNKNOWN;
        };
        // A negative length is an exception, and then no array.
        let length = usize::try_from(length).unwrap_or(0);
        let body = Body::Array(Elements::new(descriptor_start(element), length));
        self.create(place, call, method, index, &format!("{element}[]"), body)
    }

    /// `multianewarray`: the array, and the arrays in it, outermost first (JVMS 6.5).
    fn create_nested(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        call: CallId,
        method: &Method,
        instruction: &Instruction,
    ) {
        let Operands::MultiNewArray { dimensions, .. } = instruction.operands else {
            return;
        };
        let mut lengths: Vec<Value> = (0..dimensions).map(|_| self.pop(thread)).collect();
        lengths.reverse();
        let class = class_constant(method, instruction);
        let value = self.nested(place, call, method, instruction.index, &class, &lengths);
        self.push(thread, value);
    }

    fn nested(
        &mut self,
        place: Place,
        call: CallId,
        method: &Method,
        index: u32,
        class: &str,
        lengths: &[Value],
    ) -> Value {
        let Some((&length, inner)) = lengths.split_first() else {
            return Value::Null;
        };
        let element = class.strip_suffix("[]").unwrap_or(class);
        let outer = self.create_array(place, call, method, index, element, length);
        if let (Some(array), Value::Int(length), false) = (outer.object(), length, inner.is_empty())
        {
            for at in 0..u32::try_from(length).unwrap_or(0) {
                let value = self.nested(place, call, method, index, element, inner);
                if let Some(elements) = self.heap.elements_mut(array) {
                    elements.set(at, value);
                }
                self.heap
                    .hold(value, Variable::Element { array, index: at });
                let variable = Variable::Element { array, index: at };
                // No instruction wrote it: this is what the element begins with.
                let kind = EventKind::Snapshot { variable, value };
                self.arrivals.event(place, Event { call, index, kind });
            }
        }
        outer
    }

    pub(super) fn instance_of(
        &mut self,
        object: Value,
        code: Loader,
        class: &str,
    ) -> Result<Value, CaptureError> {
        let known = match object {
            Value::Null => Some(false),
            Value::Object(object) => match self.heap.class(object) {
                Some(of) => self.program.is_subtype(&mut self.link, of, code, class)?,
                None => None,
            },
            _ => None,
        };
        Ok(known.map_or(UNKNOWN, |is| Value::Int(i32::from(is))))
    }
}

/// Are the final statics of this class written after all? `System.setOut` and its like do so.
pub(super) fn is_replaced(class: &str) -> bool {
    class == "java.lang.System"
}

pub(super) fn class_constant(method: &Method, instruction: &Instruction) -> String {
    let constant = instruction
        .constant()
        .and_then(|constant| method.pool.as_ref()?.class(constant).ok());
    constant.map_or_else(|| "?".to_owned(), dotted)
}

/// The first character of the descriptor of a type that is named as in Java source.
pub(super) fn descriptor_start(name: &str) -> u8 {
    match name {
        "boolean" => b'Z',
        "byte" => b'B',
        "char" => b'C',
        "short" => b'S',
        "int" => b'I',
        "long" => b'J',
        "float" => b'F',
        "double" => b'D',
        other if other.ends_with("[]") => b'[',
        _ => b'L',
    }
}
