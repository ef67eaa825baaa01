//! The world of predicted runs (see `predict`): a frame and a heap whose writes are taken back. Nothing is told, and where
//! something is not known the run ends.

use jhyde_trace::{Sink, Value};

use crate::error::CaptureError;
use crate::events::predict::operands;
use crate::mirror::{Activation, Body, Effect, Element, Heap, UNKNOWN, World, initial, narrowed};
use crate::program::{Field, Method, Named, dotted};
use crate::recorder::{
    Recorder, class_constant, element_name, is_replaced, known_result, returns_itself,
};

/// A frame that is only speculated.
pub(in crate::events) struct Speculative<'a, S: Sink> {
    pub(in crate::events) recorder: &'a mut Recorder<S>,
    pub(in crate::events) frame: &'a mut Activation,
    pub(in crate::events) method: &'a Method,
}

impl<S: Sink> World for Speculative<'_, S> {
    type Error = CaptureError;

    const CERTAIN: bool = true;

    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)> {
        Some((self.frame, &mut self.recorder.known.heap))
    }

    fn tell(&mut self, _: Effect) -> Result<(), CaptureError> {
        Ok(())
    }

    /// What the program has met: a constant that it meets for the first time is looked up.
    fn constant(&mut self, at: u16) -> Result<Value, CaptureError> {
        let constant = self.recorder.known.constant_at(self.method, at);
        let known =
            constant.and_then(|constant| self.recorder.known.heap.known_constant(&constant));
        Ok(known.map_or(UNKNOWN, Value::Object))
    }

    fn get_field(&mut self, at: u16, object: Value) -> Result<Value, CaptureError> {
        let field = object.object().zip(self.unshared_field(at));
        Ok(field.map_or(UNKNOWN, |(object, field)| {
            let begins = initial(&field.descriptor);
            self.recorder
                .known
                .heap
                .load_field(object, field.id, begins)
        }))
    }

    fn get_static(&mut self, at: u16) -> Result<Value, CaptureError> {
        if let Some(field) = self.unshared_field(at) {
            return Ok(self.recorder.known.heap.static_field(field.id));
        }
        let code = self.method.loader;
        let named = self.method.pool.as_ref();
        let named = named.and_then(|pool| pool.field(at).ok());
        let Some((class, name)) = named.map(|named| (dotted(named.class), named.name)) else {
            return Ok(UNKNOWN);
        };
        let Recorder { known, jvm, .. } = &mut self.recorder;
        let (program, link) = (&mut known.program, &mut jvm.link);
        if program.class_in_scope(code, &class).is_some() || program.is_ambiguous(code, &class) {
            return Ok(UNKNOWN);
        }
        let told = program.final_static(link, (code, &class), name, is_replaced(&class))?;
        Ok(told.map_or(UNKNOWN, |told| self.recorder.known.heap.value(&told)))
    }

    fn put_field(&mut self, at: u16, object: Value, value: Value) -> Result<bool, CaptureError> {
        let Some((object, field)) = object.object().zip(self.unshared_field(at)) else {
            return Ok(false);
        };
        let value = narrowed(value, &field.descriptor);
        self.recorder.known.heap.set_field(object, field.id, value);
        Ok(true)
    }

    fn put_static(&mut self, at: u16, value: Value) -> Result<bool, CaptureError> {
        let Some(field) = self.unshared_field(at) else {
            return Ok(false);
        };
        let value = narrowed(value, &field.descriptor);
        self.recorder.known.heap.set_static(field.id, value);
        Ok(true)
    }

    fn create(&mut self, class: u16) -> Result<Value, CaptureError> {
        let class = class_constant(self.method, class);
        Ok(self.make(&class, Body::Fields(Vec::new())))
    }

    fn create_array(&mut self, element: Element, length: Value) -> Result<Value, CaptureError> {
        let Value::Int(length) = length else {
            return Ok(UNKNOWN);
        };
        let element = element_name(self.method, element);
        let body = Body::array(&element, length);
        Ok(self.make(&format!("{element}[]"), body))
    }

    /// Rare, and not predicted.
    fn create_nested(&mut self, _: u16, _: &[Value]) -> Result<Value, CaptureError> {
        Ok(UNKNOWN)
    }

    fn instance_of(&mut self, class: u16, object: Value) -> Result<Value, CaptureError> {
        let class = class_constant(self.method, class);
        self.recorder
            .instance_of(object, self.method.loader, &class)
    }
}

impl<S: Sink> Speculative<'_, S> {
    fn make(&mut self, class: &str, body: Body) -> Value {
        self.recorder.known.make(self.method.loader, class, body).0
    }

    /// The field of the scope that an instruction names, if other threads cannot meet there.
    fn unshared_field(&self, at: u16) -> Option<Field> {
        let named = self.method.pool.as_ref()?.field(at).ok()?;
        let class = dotted(named.class);
        let program = &self.recorder.known.program;
        let field = program.field_named(self.method.loader, &class, named.name)?;
        (!field.is_volatile).then_some(field)
    }
}

/// An intrinsic call that yields nothing, its receiver, or what is known of a string.
pub(in crate::events) fn call_intrinsic(
    frame: &mut Activation,
    named: &Named,
    heap: &Heap,
) -> bool {
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
