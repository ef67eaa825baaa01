//! Final static fields that a class file gives their values (`ConstantValue`, JVMS 4.7.2). No instruction writes them: the JVM
//! does, when it initialises the class. So what they hold is told as found, before the first call of their class begins, or
//! when one of them is read. Which object a string is that no code has used yet, code out of the scope may know and nobody
//! has told: such a string is told only where it is read.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_bytecode::{ClassFile, Constant as Pooled};
use jhyde_trace::{CallId, Event, EventKind, FieldId, Value, Variable};
use rustc_hash::FxHashMap;

use super::Deriver;
use super::values::content_of_text;
use crate::mirror::{Constant, UNKNOWN, initial, is_known, narrowed};
use crate::program::{Class, Field, Program};

/// What a constant holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Held {
    /// A number, a character or a truth value.
    Primitive(Value),
    /// A string: the one that all constants of its text are (JVMS 5.1).
    Text(Rc<[u16]>),
}

/// Constants of classes of the scope that were not told yet.
#[derive(Debug, Default)]
pub(super) struct Constants {
    held: FxHashMap<FieldId, Held>,
    of: FxHashMap<ReferenceTypeId, Vec<FieldId>>,
}

/// The constants of a class.
pub(crate) fn constants(file: &ClassFile, class: &Class) -> Vec<(FieldId, Held)> {
    let of_file = |field: &Field| {
        let descriptor = |one: &jhyde_bytecode::Field| one.field_type.descriptor();
        let mut all = file.fields.iter();
        let found =
            all.find(|one| one.name == field.name && descriptor(one) == field.descriptor)?;
        // One that is not final may have been written since.
        if !found.access.is_final() {
            return None;
        }
        let held = match file.constants.get(found.constant_value?).ok()? {
            Pooled::Integer(value) => Held::Primitive(Value::Int(*value)),
            Pooled::Long(value) => Held::Primitive(Value::Long(*value)),
            Pooled::Float(value) => Held::Primitive(Value::Float(value.to_bits())),
            Pooled::Double(value) => Held::Primitive(Value::Double(value.to_bits())),
            Pooled::String(text) => Held::Text(file.constants.units(*text).ok()?.into()),
            _ => return None,
        };
        let held = match held {
            Held::Primitive(value) => Held::Primitive(narrowed(value, &field.descriptor)),
            text => text,
        };
        Some((field.id, held))
    };
    let fields = class.fields.iter().filter(|field| field.is_static);
    fields.filter_map(of_file).collect()
}

impl Deriver {
    /// A class has these constants; nothing of it has been told.
    pub(crate) fn has_constants(&mut self, class: ReferenceTypeId, all: Vec<(FieldId, Held)>) {
        if all.is_empty() {
            return;
        }
        let fields = all.iter().map(|(field, _)| *field).collect();
        self.constants.of.insert(class, fields);
        self.constants.held.extend(all);
    }

    /// A call of this class is about to begin, in that call: its constants are told.
    pub(super) fn meet_class(
        &mut self,
        program: &mut Program,
        call: CallId,
        class: ReferenceTypeId,
    ) {
        if self.constants.of.is_empty() {
            return;
        }
        for field in self.constants.of.remove(&class).unwrap_or_default() {
            let is_open = match self.constants.held.get(&field) {
                Some(Held::Text(units)) => {
                    let text = Constant::Text(Rc::clone(units));
                    self.heap.known_constant(&text).is_none()
                }
                _ => false,
            };
            if !is_open {
                self.learn_constant(program, call, field);
            }
        }
    }

    /// What a static field of the scope holds, which that call reads.
    pub(super) fn static_held(
        &mut self,
        program: &mut Program,
        call: CallId,
        field: &Field,
    ) -> Value {
        let known = self.heap.static_field(field.id);
        if is_known(known) {
            return known;
        }
        match self.learn_constant(program, call, field.id) {
            Some(constant) => constant,
            None => initial(&field.descriptor),
        }
    }

    fn learn_constant(
        &mut self,
        program: &mut Program,
        call: CallId,
        field: FieldId,
    ) -> Option<Value> {
        let held = self.constants.held.get(&field)?;
        let known = self.heap.static_field(field);
        if is_known(known) {
            return Some(known);
        }
        let value = match held {
            Held::Primitive(value) => *value,
            Held::Text(units) => {
                let units = Rc::clone(units);
                self.constant_text(program, units)
            }
        };
        // It stays one of which that is to be found out: it never was the default.
        if !is_known(value) {
            return Some(value);
        }
        self.constants.held.remove(&field);
        self.heap.set_static(field, value);
        let variable = Variable::Static { field };
        let kind = EventKind::Snapshot { variable, value };
        self.outlet.event(call, Event::NO_INDEX, kind);
        Some(value)
    }

    /// The string of a constant that is read. Code out of the scope may have used it first: of those that were told nobody said
    /// which are constants, and it is not known where one has its text.
    fn constant_text(&mut self, program: &mut Program, units: Rc<[u16]>) -> Value {
        let text = Constant::Text(Rc::clone(&units));
        if let Some(known) = self.heap.known_constant(&text) {
            return Value::Object(known);
        }
        let content = content_of_text(&units);
        if self.identities.has_content(content) {
            return UNKNOWN;
        }
        let value = self.constant(program, text, String::new());
        if let Some((object, class)) = value
            .object()
            .and_then(|object| Some((object, self.heap.class(object)?)))
        {
            self.identities.loosen(object, class, content);
        }
        value
    }
}
