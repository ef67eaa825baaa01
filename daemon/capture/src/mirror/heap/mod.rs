//! Objects, arrays and statics that code of the scope can see, and how they are named.
//!
//! An object that the JVM has named has twice its JDWP id in the recording. One that code of the
//! scope created, or a constant of its class, is known before the JVM names it (`new` pushes a reference
//! that nothing shows): it gets the next odd number, and when the JVM's name turns up, in a constructor's
//! `this`, a written field, an argument, the two are taken for one for good.
//!
//! What is only supposed to happen is taken back (`speculation`); what code out of the scope may change is in doubt
//! whenever that has run (`sharing`).
//!
//! What is kept is bounded by what lives: [`Heap::wants_sweep`] says when to ask which objects are gone.

mod sharing;
mod speculation;

use std::rc::Rc;

use jhyde_trace::{ClassId, FieldId, ObjectId, Timestamp, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use self::speculation::Undo;
use super::things::{Body, Shared, Thing, Things, has_name_of_the_jvm};
use super::{Doubts, Elements, UNKNOWN};

/// What a constant of a pool stands for: there is one object of it, wherever it is met.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// An interned string, by its UTF-16 units.
    Text(Rc<[u16]>),
    /// A class object, by what tells the class from others of its name.
    Class(String),
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Heap {
    unified: FxHashMap<u64, ObjectId>,
    things: Things,
    statics: FxHashMap<FieldId, Value>,
    /// Interned strings and class objects of constant pools (JVMS 5.1).
    constants: FxHashMap<Constant, ObjectId>,
    constant_objects: FxHashSet<ObjectId>,
    /// The element, field or static field that got an object last which the JVM has not named.
    holders: FxHashMap<ObjectId, Variable>,
    /// Arrays behind objects out of the scope that were made of them.
    aliased: FxHashMap<ObjectId, Vec<ObjectId>>,
    next: u64,
    /// How to take back what is only speculated, if something is.
    speculated: Option<Vec<Undo>>,
    /// Ended by what is written here.
    pub(crate) doubts: Doubts,
    /// UTF-16 units of all texts that are kept.
    text_units: usize,
    /// Code ran that may use reflection.
    reflection: bool,
    /// Code out of the scope has what static fields hold.
    statics_shared: bool,
    /// What it has since somebody asked, if somebody does.
    newly_shared: Option<Vec<ObjectId>>,
    /// What was given ([`Heap::give`]) since somebody asked, likewise.
    newly_given: Option<Vec<ObjectId>>,
    /// What the JDK has is given.
    all_given: bool,
    /// How often code out of the scope has run.
    outside: u64,
    /// Events that have been told.
    now: Timestamp,
    /// Its number when a call was made of which nobody knows what it was shown.
    blind: u64,
    /// How much of that the thread knows of that is looked at.
    view: u64,
    /// Number of things at which the dead are to be looked for.
    sweep_at: usize,
    /// No object has two names.
    certain_names: bool,
}

/// So many UTF-16 units of texts are kept: 32 MB.
const MOST_TEXT: usize = 1 << 24;

/// The most arrays that are remembered behind one object.
const MOST_ALIASED: usize = 8;

/// The least number of objects at which a sweep pays.
const FIRST_SWEEP: usize = 1 << 18;

impl Heap {
    pub(crate) fn new() -> Self {
        Self {
            unified: FxHashMap::default(),
            things: Things::default(),
            statics: FxHashMap::default(),
            constants: FxHashMap::default(),
            constant_objects: FxHashSet::default(),
            holders: FxHashMap::default(),
            aliased: FxHashMap::default(),
            next: 0,
            speculated: None,
            doubts: Doubts::default(),
            text_units: 0,
            reflection: false,
            statics_shared: false,
            newly_shared: None,
            newly_given: None,
            all_given: false,
            outside: 1,
            now: Timestamp(0),
            view: 0,
            blind: 0,
            sweep_at: FIRST_SWEEP,
            certain_names: false,
        }
    }

    /// No object has two names, whether the JVM has named it or not.
    pub(crate) fn trust_names(&mut self) {
        self.certain_names = true;
    }

    pub(crate) fn trusts_names(&self) -> bool {
        self.certain_names
    }

    /// Our name of an object that the JVM names.
    pub(crate) fn name(&self, real: jdwp::ObjectId) -> ObjectId {
        match self.unified.get(&real.0) {
            Some(&unified) => unified,
            None => ObjectId(real.0.wrapping_shl(1)),
        }
    }

    /// How the JVM names an object, if that is known.
    pub(crate) fn real(&self, object: ObjectId) -> Option<jdwp::ObjectId> {
        if has_name_of_the_jvm(object) {
            return Some(jdwp::ObjectId(object.0 >> 1));
        }
        self.things.get(object).and_then(|thing| thing.real)
    }

    /// A value that the JVM told, with our names.
    pub(crate) fn value(&self, value: &jdwp::Value) -> Value {
        match *value {
            jdwp::Value::Void => Value::Null,
            jdwp::Value::Boolean(value) => Value::Boolean(value),
            jdwp::Value::Byte(value) => Value::Byte(value),
            jdwp::Value::Char(value) => Value::Char(value),
            jdwp::Value::Short(value) => Value::Short(value),
            jdwp::Value::Int(value) => Value::Int(value),
            jdwp::Value::Long(value) => Value::Long(value),
            jdwp::Value::Float(value) => Value::float(value),
            jdwp::Value::Double(value) => Value::double(value),
            jdwp::Value::Object { id, .. } => self.reference(id),
        }
    }

    /// A reference that the JVM told.
    pub(crate) fn reference(&self, id: jdwp::ObjectId) -> Value {
        if id.is_null() {
            Value::Null
        } else {
            Value::Object(self.name(id))
        }
    }

    /// An object that code of the scope makes now.
    pub(crate) fn create(&mut self, class: Option<ClassId>, body: Body) -> ObjectId {
        let object = ObjectId(self.next * 2 + 1);
        self.next += 1;
        self.note(|_| Undo::Create(object));
        let seen = self.outside;
        self.things.or_insert(
            object,
            Thing {
                real: None,
                class,
                body,
                shared: Shared::Nobody,
                seen,
                given: false,
                certain: self.now,
            },
        );
        object
    }

    /// The object of this constant; the flag says that it is new.
    pub(crate) fn constant(
        &mut self,
        constant: Constant,
        class: Option<ClassId>,
    ) -> (ObjectId, bool) {
        if let Some(&known) = self.constants.get(&constant) {
            return (known, false);
        }
        let object = self.create(class, Body::Opaque);
        self.constant_objects.insert(object);
        if let Constant::Text(units) = &constant {
            let units = units.clone();
            self.keep_text(object, class, || units);
        }
        self.constants.insert(constant, object);
        (object, true)
    }

    /// An object that is known is found to be that of this constant.
    pub(crate) fn is_constant_of(&mut self, object: ObjectId, constant: Constant) {
        self.constant_objects.insert(object);
        self.constants.insert(constant, object);
    }

    /// Is it a constant of a class: a string's, or a class object?
    pub(crate) fn is_constant(&self, value: Value) -> bool {
        let object = value.object();
        object.is_some_and(|object| self.constant_objects.contains(&object))
    }

    /// The object of this constant, if code has met it.
    pub(crate) fn known_constant(&self, constant: &Constant) -> Option<ObjectId> {
        self.constants.get(constant).copied()
    }

    /// Learns what an object is that was not created in scope: who made it may have it still.
    pub(crate) fn meet(&mut self, real: jdwp::ObjectId, class: Option<ClassId>, body: Body) {
        let object = self.name(real);
        let seen = self.outside;
        let shared = match body {
            Body::Array(_) => Shared::Anybody,
            _ => Shared::Jdk,
        };
        self.things.or_insert(
            object,
            Thing {
                real: Some(real),
                class,
                body,
                shared,
                seen,
                given: false,
                certain: self.now,
            },
        );
    }

    /// Keeps the text of a string, so that what code asks of it is known, as long as there is room.
    pub(crate) fn keep_text(
        &mut self,
        object: ObjectId,
        class: Option<ClassId>,
        units: impl FnOnce() -> Rc<[u16]>,
    ) {
        // Who derives from nothing but names needs each text.
        if self.text_units >= MOST_TEXT && !self.certain_names {
            return;
        }
        let real = has_name_of_the_jvm(object).then_some(jdwp::ObjectId(object.0 >> 1));
        let seen = self.outside;
        let thing = self.things.or_insert(
            object,
            Thing {
                real,
                class,
                body: Body::Opaque,
                shared: Shared::Nobody,
                seen,
                given: false,
                certain: self.now,
            },
        );
        if matches!(thing.body, Body::Opaque) {
            let units = units();
            self.text_units += units.len();
            thing.body = Body::Text(units);
        }
    }

    /// The text of a string, whole.
    pub(crate) fn text(&self, object: ObjectId) -> Option<&[u16]> {
        match &self.things.get(object)?.body {
            Body::Text(units) => Some(units),
            _ => None,
        }
    }

    pub(crate) fn knows(&self, object: ObjectId) -> bool {
        self.things.contains(object)
    }

    /// Is it ours and not yet named by the JVM?
    pub(crate) fn is_unnamed(&self, value: Value) -> bool {
        let thing = value.object().and_then(|object| self.things.get(object));
        thing.is_some_and(|thing| thing.real.is_none())
    }

    /// The JVM names an object that we know under a name of our own. False if the JVM's name belongs to
    /// another object already: the two were taken for different ones.
    pub(crate) fn unify(&mut self, object: ObjectId, real: jdwp::ObjectId) -> bool {
        let seen = ObjectId(real.0.wrapping_shl(1));
        if self.unified.contains_key(&real.0) || self.things.contains(seen) {
            return self.name(real) == object;
        }
        match self.things.get_mut(object) {
            Some(thing) if thing.real.is_none() => {
                thing.real = Some(real);
                self.unified.insert(real.0, object);
                self.holders.remove(&object);
                true
            }
            _ => false,
        }
    }

    pub(crate) fn class(&self, object: ObjectId) -> Option<ClassId> {
        self.things.get(object).and_then(|thing| thing.class)
    }

    /// A variable was written: the object may be learnt through it.
    pub(crate) fn hold(&mut self, value: Value, holder: Variable) {
        if let Some(object) = value.object().filter(|_| self.is_unnamed(value)) {
            let before = self.holders.insert(object, holder);
            self.note(|_| Undo::Hold(object, before));
        }
    }

    /// An element, field or static field that holds this object, if it does still.
    pub(crate) fn holder(&self, value: Value) -> Option<Variable> {
        let &holder = self.holders.get(&value.object()?)?;
        let held = match holder {
            Variable::Element { array, index } => self.elements(array)?.get(index)?,
            Variable::Field { object, field } => self.field(object, field, UNKNOWN),
            Variable::Static { field } => self.static_field(field),
            _ => return None,
        };
        (held == value).then_some(holder)
    }

    /// Can the two be one object, as far as their classes tell?
    pub(crate) fn may_be(&self, one: Value, other: Value) -> bool {
        let class = |value: Value| value.object().and_then(|object| self.class(object));
        match (class(one), class(other)) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }

    pub(crate) fn elements(&self, object: ObjectId) -> Option<&Elements> {
        match &self.things.get(object)?.body {
            Body::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The objects that the fields of an object hold.
    pub(crate) fn held(&self, object: ObjectId) -> Vec<ObjectId> {
        match self.things.get(object).map(|thing| &thing.body) {
            Some(Body::Fields(fields)) => fields
                .iter()
                .filter_map(|(_, value)| value.object())
                .collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn elements_mut(&mut self, object: ObjectId) -> Option<&mut Elements> {
        match &mut self.things.get_mut(object)?.body {
            Body::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// What a load of an element gives: unknown where code out of the scope may have written it meanwhile.
    pub(crate) fn load_element(&self, array: ObjectId, index: u32) -> Value {
        let elements = self.elements(array).filter(|_| !self.is_stale(array));
        elements
            .and_then(|elements| elements.get(index))
            .unwrap_or(UNKNOWN)
    }

    /// What a load of a field gives, likewise.
    pub(crate) fn load_field(&self, object: ObjectId, field: FieldId, initial: Value) -> Value {
        if self.is_stale(object) {
            return UNKNOWN;
        }
        self.field(object, field, initial)
    }

    /// The value of a field; `initial` is what it begins with.
    pub(crate) fn field(&self, object: ObjectId, field: FieldId, initial: Value) -> Value {
        match self.things.get(object).map(|thing| &thing.body) {
            Some(Body::Fields(fields)) => fields
                .iter()
                .find(|(id, _)| *id == field)
                .map_or(initial, |(_, value)| *value),
            _ => UNKNOWN,
        }
    }

    pub(crate) fn set_field(&mut self, object: ObjectId, field: FieldId, value: Value) {
        if let Some(Body::Fields(fields)) = self.things.get_mut(object).map(|t| &mut t.body) {
            let before = match fields.iter_mut().find(|(id, _)| *id == field) {
                Some((_, old)) => Some(std::mem::replace(old, value)),
                None => {
                    fields.push((field, value));
                    None
                }
            };
            self.note(|_| Undo::Field(object, field, before));
            self.hold(value, Variable::Field { object, field });
            self.share_held(object, value);
            self.is_written(Variable::Field { object, field });
        }
    }

    /// Writes an element; gives the value that it then has, or `None` outside the bounds. An array that is not
    /// known takes anything.
    pub(crate) fn set_element(
        &mut self,
        array: ObjectId,
        index: u32,
        value: Value,
    ) -> Option<Value> {
        self.note(|heap| {
            let before = heap
                .elements(array)
                .and_then(|elements| elements.get(index));
            Undo::Element(array, index, before.unwrap_or(UNKNOWN))
        });
        let written = match self.elements_mut(array) {
            Some(elements) => elements.set(index, value)?,
            None => value,
        };
        self.hold(written, Variable::Element { array, index });
        self.share_held(array, written);
        self.is_written(Variable::Element { array, index });
        Some(written)
    }

    pub(crate) fn static_field(&self, field: FieldId) -> Value {
        self.statics.get(&field).copied().unwrap_or(UNKNOWN)
    }

    pub(crate) fn set_static(&mut self, field: FieldId, value: Value) {
        let before = self.statics.insert(field, value);
        self.note(|_| Undo::Static(field, before));
        self.hold(value, Variable::Static { field });
        if let Some(object) = value.object().filter(|_| self.statics_shared) {
            self.share(object, Shared::Jdk);
        }
        self.is_written(Variable::Static { field });
    }

    /// Writes an element, a field or a static field.
    pub(crate) fn write(&mut self, variable: Variable, value: Value) {
        match variable {
            Variable::Element { array, index } => drop(self.set_element(array, index, value)),
            Variable::Field { object, field } => self.set_field(object, field, value),
            Variable::Static { field } => self.set_static(field, value),
            Variable::Local { .. }
            | Variable::Return { .. }
            | Variable::Exception { .. }
            | Variable::Content { .. } => {}
        }
    }

    /// How the JVM names an object, or seems to.
    pub(crate) fn likely_real(&self, object: ObjectId) -> Option<jdwp::ObjectId> {
        self.real(object).or_else(|| self.doubts.name(object))
    }

    fn is_written(&mut self, variable: Variable) {
        if self.speculated.is_none() {
            self.doubts.end(variable);
        }
    }

    /// The text of a string constant, by a search through all.
    pub(crate) fn constant_text(&self, object: ObjectId) -> Option<Rc<[u16]>> {
        let mut all = self.constants.iter();
        match all.find(|&(_, &known)| known == object)?.0 {
            Constant::Text(units) => Some(units.clone()),
            Constant::Class(_) => None,
        }
    }

    /// The arrays that lie behind an object out of the scope.
    pub(crate) fn aliased(&self, object: ObjectId) -> &[ObjectId] {
        self.aliased.get(&object).map_or(&[], Vec::as_slice)
    }

    /// An array may lie behind an object from now on.
    pub(crate) fn alias(&mut self, object: ObjectId, array: ObjectId) {
        let arrays = self.aliased.entry(object).or_default();
        if arrays.len() < MOST_ALIASED && !arrays.contains(&array) {
            arrays.push(array);
        }
    }

    /// What an object holds.
    pub(crate) fn body(&self, object: ObjectId) -> Option<&Body> {
        self.things.get(object).map(|thing| &thing.body)
    }

    /// Are there so many objects that the dead should be looked for?
    pub(crate) fn wants_sweep(&self) -> bool {
        self.things.len() >= self.sweep_at
    }

    /// The objects that the JVM can be asked about.
    pub(crate) fn named(&self) -> Vec<(ObjectId, jdwp::ObjectId)> {
        let all = self.things.iter();
        all.filter_map(|(object, thing)| Some((object, thing.real?)))
            .collect()
    }

    /// Forgets what is gone in the JVM. Nothing can refer to it any more, and JDWP never gives its
    /// name to another object.
    pub(crate) fn forget(&mut self, dead: &[(ObjectId, jdwp::ObjectId)]) {
        for (object, real) in dead {
            if let Some(Body::Text(units)) = self.things.remove(*object).map(|thing| thing.body) {
                self.text_units -= units.len();
            }
            self.unified.remove(&real.0);
            self.aliased.remove(object);
        }
        self.sweep_at = (self.things.len() * 2).max(FIRST_SWEEP);
    }
}
