//! What a foreseen instruction does (see `foresee`), on a frame and a heap whose writes are taken back.

use jhyde_bytecode::{Constant, Instruction, Opcode, Operands};
use jhyde_trace::{Sink, Value};

use super::Engine;
use super::foresee::operands;
use super::named::{class_constant, descriptor_start, is_replaced};
use super::plain::{known_result, returns_itself};
use crate::error::CaptureError;
use crate::mirror::{self, Activation, Body, Elements, Heap, execute, initial, is_known, narrowed};
use crate::program::{Field, Method, Named, dotted};

impl<S: Sink> Engine<S> {
    /// Does what an instruction does, on a frame and a heap that are only supposed. False if something of it is
    /// not known.
    pub(super) fn pretend(
        &mut self,
        method: &Method,
        frame: &mut Activation,
        instruction: &Instruction,
        next: u32,
    ) -> Result<bool, CaptureError> {
        let pushed = match instruction.opcode {
            Opcode::Ldc | Opcode::LdcW | Opcode::Ldc2W => self.known_constant(method, instruction),
            Opcode::GetStatic | Opcode::GetField => self.known_field(method, frame, instruction)?,
            Opcode::PutStatic | Opcode::PutField => {
                return Ok(self.pretend_write(method, frame, instruction));
            }
            Opcode::New => {
                let class = class_constant(method, instruction);
                Some(self.make(method.loader, &class, Body::Fields(Vec::new())).0)
            }
            Opcode::NewArray | Opcode::AnewArray => {
                let element = match instruction.operands {
                    Operands::NewArray(primitive) => primitive.name().to_owned(),
                    _ => class_constant(method, instruction),
                };
                let Value::Int(length) = frame.pop() else {
                    return Ok(false);
                };
                let length = usize::try_from(length).unwrap_or(0);
                let body = Body::Array(Elements::new(descriptor_start(&element), length));
                Some(self.make(method.loader, &format!("{element}[]"), body).0)
            }
            Opcode::InstanceOf => {
                let object = frame.pop();
                Some(self.instance_of(
                    object,
                    method.loader,
                    &class_constant(method, instruction),
                )?)
            }
            _ => {
                if let Some(invoke) = instruction.invoke() {
                    let named = Named::of(method, invoke.constant, invoke.kind);
                    return Ok(named.is_some_and(|named| call_plainly(frame, &named, &self.heap)));
                }
                let mut effects = std::mem::take(&mut self.effects);
                effects.clear();
                let run = execute(frame, &mut self.heap, instruction, next, &mut effects);
                self.effects = effects;
                return Ok(run && frame.stack.last().is_none_or(|&top| is_known(top)));
            }
        };
        Ok(match pushed.filter(|&value| is_known(value)) {
            Some(value) => {
                frame.push(value);
                true
            }
            None => false,
        })
    }

    fn known_constant(&self, method: &Method, instruction: &Instruction) -> Option<Value> {
        let pool = method.pool.as_ref()?;
        let at = instruction.constant()?;
        let constant = match pool.get(at).ok()? {
            Constant::Integer(value) => return Some(Value::Int(*value)),
            Constant::Float(value) => return Some(Value::float(*value)),
            Constant::Long(value) => return Some(Value::Long(*value)),
            Constant::Double(value) => return Some(Value::double(*value)),
            Constant::String(text) => {
                mirror::Constant::Text(pool.units(*text).unwrap_or_default().into())
            }
            Constant::Class(_) => {
                let name = dotted(pool.class(at).unwrap_or_default());
                let spelling = self.program.spelling(method.loader, &name);
                mirror::Constant::Class(spelling)
            }
            _ => return None,
        };
        self.heap.known_constant(&constant).map(Value::Object)
    }

    /// The field of the scope that an instruction names, if other threads cannot meet there.
    fn unshared_field(&self, method: &Method, instruction: &Instruction) -> Option<Field> {
        let named = method.pool.as_ref()?.field(instruction.constant()?).ok()?;
        let class = dotted(named.class);
        let field = self
            .program
            .field_named(method.loader, &class, named.name)?;
        (!field.is_volatile).then_some(field)
    }

    fn known_field(
        &mut self,
        method: &Method,
        frame: &mut Activation,
        instruction: &Instruction,
    ) -> Result<Option<Value>, CaptureError> {
        let field = self.unshared_field(method, instruction);
        if instruction.opcode == Opcode::GetField {
            let read = |(object, field): (_, Field)| {
                let begins = initial(&field.descriptor);
                self.heap.load_field(object, field.id, begins)
            };
            return Ok(frame.pop().object().zip(field).map(read));
        }
        if let Some(field) = field {
            return Ok(Some(self.heap.static_field(field.id)));
        }
        let named = instruction
            .constant()
            .and_then(|constant| method.pool.as_ref()?.field(constant).ok());
        let Some((class, name)) = named.map(|named| (dotted(named.class), named.name)) else {
            return Ok(None);
        };
        let code = method.loader;
        if self.program.class_in_scope(code, &class).is_some()
            || self.program.is_ambiguous(code, &class)
        {
            return Ok(None);
        }
        let again = is_replaced(&class);
        let told = self
            .program
            .final_static(&mut self.link, (code, &class), name, again)?;
        Ok(told.map(|told| self.heap.value(&told)))
    }

    fn pretend_write(
        &mut self,
        method: &Method,
        frame: &mut Activation,
        instruction: &Instruction,
    ) -> bool {
        let Some(field) = self.unshared_field(method, instruction) else {
            return false;
        };
        let value = narrowed(frame.pop(), &field.descriptor);
        if instruction.opcode == Opcode::PutStatic {
            self.heap.set_static(field.id, value);
            return true;
        }
        let Some(object) = frame.pop().object() else {
            return false;
        };
        self.heap.set_field(object, field.id, value);
        true
    }
}

/// A plain call that yields nothing, its receiver, or what is known of a string.
fn call_plainly(frame: &mut Activation, named: &Named, heap: &Heap) -> bool {
    let (receiver, arguments) = operands(frame, named);
    let taken = arguments.len() + usize::from(receiver.is_some());
    frame
        .stack
        .truncate(frame.stack.len().saturating_sub(taken));
    if named.returns() == "V" {
        return true;
    }
    let result = match returns_itself(named) {
        true => receiver,
        false => known_result(named, receiver, &arguments, heap),
    };
    if let Some(result) = result {
        frame.push(result);
    }
    result.is_some()
}
