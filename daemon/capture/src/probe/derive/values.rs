//! What the references of a log mean, and how objects begin.

use std::hash::{Hash as _, Hasher as _};
use std::rc::Rc;

use jhyde_trace::{CallId, ClassId, Content, Event, EventKind, ObjectId, Value, Variable};
use rustc_hash::FxHasher;

use super::identity::Meant;
use super::outlet::cut;
use super::{Deriver, Lost};
use crate::mirror::{Body, Constant, Elements, Shared, UNKNOWN, narrowed};
use crate::probe::log::{LongText, Object, Raw, Reference, Told};
use crate::program::{Program, dotted};

const STRING: &str = "java.lang.String";
const CLASS: &str = "java.lang.Class";

impl Deriver {
    /// A value that came from outside, of the type with this descriptor.
    pub(super) fn value(
        &mut self,
        program: &mut Program,
        call: CallId,
        raw: Raw,
        descriptor: &str,
    ) -> Result<Value, Lost> {
        let kind = descriptor.as_bytes().first();
        Ok(match (raw, kind) {
            (Raw::Narrow(bits), Some(b'F')) => Value::Float(bits),
            (Raw::Narrow(bits), Some(b'Z' | b'B' | b'C' | b'S' | b'I')) => {
                narrowed(Value::Int(bits as i32), descriptor)
            }
            (Raw::Wide(bits), Some(b'J')) => Value::Long(bits as i64),
            (Raw::Wide(bits), Some(b'D')) => Value::Double(bits),
            (Raw::Reference(reference), Some(b'L' | b'[')) => {
                self.reference(program, call, reference)?
            }
            (raw, _) => return Err(Lost(format!("{raw:?} is no value of type {descriptor}"))),
        })
    }

    /// A reference that came from outside. What was not met before is introduced, in this call.
    pub(super) fn reference(
        &mut self,
        program: &mut Program,
        call: CallId,
        reference: Reference,
    ) -> Result<Value, Lost> {
        let Some(object) = reference else {
            return Ok(Value::Null);
        };
        let class = self.class_told(program, &object)?;
        let Object { hash, told } = object;
        let content = content_of(&told);
        if let Told::Class(name) = &told {
            return self.class_object(program, class, hash, name);
        }
        self.loosen_shared();
        match self.identities.meant(hash, class, content) {
            Meant::This(object) => {
                self.tell_fixed(program, call, object, class, &told);
                if let Told::Array {
                    elements: Some(elements),
                    ..
                } = told
                {
                    // Who wrote it is certain only of what nobody could have written before.
                    let certain = !self.heap.is_stale(object);
                    self.compare(program, call, object, elements, certain)?;
                }
                Ok(Value::Object(object))
            }
            Meant::Open => {
                let name = program.name_of(class).unwrap_or_default();
                Err(Lost(format!(
                    "which {name} came from code out of the scope cannot be told"
                )))
            }
            Meant::New => {
                let fixed = match &told {
                    Told::Instance(..) => Some(told.clone()),
                    _ => None,
                };
                let object = self.introduce(program, call, class, told)?;
                // Whoever made it may have it still.
                self.heap.share(object, Shared::Jdk);
                self.is_met(program, object);
                self.identities.learn(object, class, content, hash);
                if let Some(told) = fixed {
                    self.tell_fixed(program, call, object, class, &told);
                }
                Ok(Value::Object(object))
            }
        }
    }

    fn class_object(
        &mut self,
        program: &Program,
        class: ClassId,
        hash: u32,
        name: &LongText,
    ) -> Result<Value, Lost> {
        let name = own_name(name);
        let content = content_of_class(&name);
        let constant = Constant::Class(program.spelling(0, &name));
        let known = self.heap.known_constant(&constant);
        if !self.is_only(program, &name)
            || known.is_some_and(|known| !self.identities.may_be(known, class, content, hash))
        {
            return self.class_object_told(program, class, hash, &name);
        }
        let (object, fresh) = self.heap.constant(constant, Some(class));
        if fresh {
            self.class_object_is(object, class, name);
        }
        match self.identities.told(object, class, content, hash) {
            true => Ok(Value::Object(object)),
            false => Err(Lost("a class object is another than it was".to_owned())),
        }
    }

    /// A class object begins.
    pub(super) fn class_object_is(&mut self, object: ObjectId, class: ClassId, name: String) {
        self.class_objects.insert(object, content_of_class(&name));
        self.outlet
            .object(object, Some(class), Content::Class(name));
    }

    /// An object that code out of the scope made.
    fn introduce(
        &mut self,
        program: &mut Program,
        call: CallId,
        class: ClassId,
        told: Told,
    ) -> Result<ObjectId, Lost> {
        let (object, content) = match told {
            Told::Text { text: None, .. } => {
                return Err(Lost("a string came whose text was not told".to_owned()));
            }
            Told::Text {
                text: Some(text), ..
            } => {
                let object = self.heap.create(Some(class), Body::Opaque);
                if let Some(units) = text.whole() {
                    self.heap.keep_text(object, Some(class), || units);
                }
                let text = cut(&text.units, text.length, self.limit);
                (object, Content::String(text))
            }
            Told::Boxed(value) => {
                let object = self.heap.create(Some(class), Body::Opaque);
                self.holdings.contents.keep_box(object, value);
                (object, Content::Box(value))
            }
            Told::Array {
                class: name,
                length,
                elements,
            } => {
                let descriptor = name.get(1..).unwrap_or_default();
                let element = descriptor.as_bytes().first().copied().unwrap_or(b'L');
                let mut body = Elements::new(element, length as usize);
                if elements.is_none() {
                    body.forget();
                }
                let body = Body::Array(body);
                let object = self.heap.create(Some(class), body);
                let content = Content::Array(length);
                self.outlet.object(object, Some(class), content);
                self.identities.expose(object);
                self.fill(
                    program,
                    call,
                    object,
                    descriptor,
                    elements.unwrap_or_default(),
                )?;
                return Ok(object);
            }
            Told::Instance(..) if program.is_class_in_scope(class) => {
                // Nobody has told what its fields hold.
                let fields = program.class_of(class);
                let fields = fields.map_or_else(Vec::new, |class| class.instance_fields.clone());
                let open = fields.into_iter().map(|(field, _)| (field, UNKNOWN));
                let object = self.heap.create(Some(class), Body::Fields(open.collect()));
                (object, Content::None)
            }
            Told::Instance(..) | Told::Class(_) => {
                let object = self.heap.create(Some(class), Body::Opaque);
                (object, Content::None)
            }
        };
        self.outlet.object(object, Some(class), content);
        Ok(object)
    }

    /// What an array holds that came from outside.
    fn fill(
        &mut self,
        program: &mut Program,
        call: CallId,
        array: ObjectId,
        descriptor: &str,
        elements: Vec<Raw>,
    ) -> Result<(), Lost> {
        for (index, raw) in (0..).zip(elements) {
            let value = self.value(program, call, raw, descriptor)?;
            self.heap.set_element(array, index, value);
            let variable = Variable::Element { array, index };
            let kind = EventKind::Snapshot { variable, value };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        Ok(())
    }

    /// What an array holds now: what is another than it was, was written by this call; or, if it is not `certain` that it was
    /// not written before, by anybody.
    pub(super) fn compare(
        &mut self,
        program: &mut Program,
        call: CallId,
        array: ObjectId,
        elements: Vec<Raw>,
        certain: bool,
    ) -> Result<(), Lost> {
        let class = self
            .heap
            .class(array)
            .and_then(|class| program.name_of(class));
        let element = class.as_deref().and_then(|name| name.strip_suffix("[]"));
        let descriptor = element.and_then(|name| jhyde_bytecode::name_to_signature(name).ok());
        let Some(descriptor) = descriptor else {
            return Err(Lost(
                "an array came whose class is none of arrays".to_owned(),
            ));
        };
        self.heap.refreshed(array);
        for (index, raw) in (0..).zip(elements) {
            let value = self.value(program, call, raw, &descriptor)?;
            let before = self.heap.elements(array).and_then(|all| all.get(index));
            let variable = Variable::Element { array, index };
            // Who wrote what was in doubt is not certain.
            let doubted = self.doubts.settle(variable);
            if doubted || before != Some(value) {
                self.heap.set_element(array, index, value);
                let kind = match certain && !doubted {
                    true => EventKind::Write { variable, value },
                    false => EventKind::Snapshot { variable, value },
                };
                self.outlet.event(call, Event::NO_INDEX, kind);
            }
        }
        Ok(())
    }

    /// The string or class object that a constant stands for.
    pub(super) fn constant(
        &mut self,
        program: &mut Program,
        constant: Constant,
        name: String,
    ) -> Value {
        let text = match &constant {
            Constant::Text(units) => {
                let length = u32::try_from(units.len()).unwrap_or(u32::MAX);
                Some(cut(units, length, self.limit))
            }
            Constant::Class(_) => None,
        };
        let of = if text.is_some() { STRING } else { CLASS };
        let class = program.class_named(0, of);
        let (object, fresh) = self.heap.constant(constant, Some(class));
        match text.filter(|_| fresh) {
            Some(text) => self
                .outlet
                .object(object, Some(class), Content::String(text)),
            None if fresh => self.class_object_is(object, class, name),
            None => {}
        }
        Value::Object(object)
    }

    /// The string or class object of a constant that has this hash: code out of the scope may have had it first. `None`: it is of a
    /// class of which another object was met.
    pub(super) fn literal(
        &mut self,
        program: &mut Program,
        constant: Constant,
        name: String,
        hash: u32,
    ) -> Option<Value> {
        let (class, content) = match &constant {
            Constant::Text(units) => (STRING, text_content(java_hash(units))),
            Constant::Class(_) => (CLASS, content_of_class(&name)),
        };
        let is_class = matches!(constant, Constant::Class(_));
        let class = program.class_named(0, class);
        let known = self.heap.known_constant(&constant);
        match (self.identities.meant(hash, class, content), known) {
            (Meant::This(object), None) => {
                self.heap.is_constant_of(object, constant);
                return Some(Value::Object(object));
            }
            (Meant::This(object), Some(known)) if object != known && is_class => return None,
            _ => {}
        }
        Some(self.constant(program, constant, name))
    }

    /// The hash of an object that the scope shows to code out of it. False if that cannot be.
    pub(super) fn shown(&mut self, value: Value, hash: u32) -> bool {
        let Some(object) = value.object() else {
            return hash == 0;
        };
        let Some(class) = self.heap.class(object) else {
            return false;
        };
        let content = self.content(object);
        hash != 0 && self.identities.told(object, class, content, hash)
    }

    /// What tells an object apart from others of its class and hash, as far as it is known: see [`content_of`].
    pub(super) fn content(&self, object: ObjectId) -> u64 {
        if let Some(text) = self.heap.text(object) {
            return text_content(java_hash(text));
        }
        self.class_objects.get(&object).copied().unwrap_or_default()
    }

    /// What code out of the scope has constructed, and tells what it holds: a string, a box, or another number.
    pub(super) fn constructed(
        &mut self,
        program: &mut Program,
        call: CallId,
        string: ObjectId,
        told: Object,
    ) -> Result<(), Lost> {
        let class = self.heap.class(string);
        if let (Told::Boxed(_) | Told::Instance(..), Some(class)) = (&told.told, class) {
            let content = content_of(&told.told);
            if !self.identities.told(string, class, content, told.hash) {
                return Err(Lost(
                    "a constructor made another number than was derived".to_owned(),
                ));
            }
            self.tell_fixed(program, call, string, class, &told.told);
            if let Told::Boxed(value) = told.told {
                self.holdings.contents.keep_box(string, value);
                self.outlet.object(string, Some(class), Content::Box(value));
            }
            return Ok(());
        }
        let (
            Told::Text {
                hash,
                text: Some(text),
            },
            Some(class),
        ) = (told.told, class)
        else {
            return Err(Lost(
                "a string was constructed whose text was not told".to_owned(),
            ));
        };
        if !self
            .identities
            .told(string, class, text_content(hash), told.hash)
        {
            return Err(Lost(
                "a constructor made another string than was derived".to_owned(),
            ));
        }
        if let Some(units) = text.whole() {
            self.heap.keep_text(string, Some(class), || units);
        }
        let text = cut(&text.units, text.length, self.limit);
        self.outlet
            .object(string, Some(class), Content::String(text));
        Ok(())
    }

    /// An object that the scope shows to code out of it: of an array of references, these are shown, too.
    pub(super) fn shows(&mut self, value: Value, hash: u32, elements: Option<&[u32]>) -> bool {
        if !self.shown(value, hash) {
            return false;
        }
        let Some(array) = value
            .object()
            .filter(|&object| self.holds_references(object))
        else {
            return true;
        };
        let Some(hashes) = elements else {
            self.expose(array);
            return true;
        };
        self.identities.expose(array);
        for (index, &hash) in (0..).zip(hashes) {
            let held = self.heap.elements(array).and_then(|all| all.get(index));
            let Some(held) = held.filter(|&held| crate::mirror::is_known(held)) else {
                continue;
            };
            if !self.shown(held, hash) {
                // Code out of the scope has written it: what, is told behind the call.
                self.heap.set_element(array, index, UNKNOWN);
            } else if let Some(inner) = held.object() {
                self.expose(inner);
            }
        }
        true
    }

    /// Code out of the scope has an array with what is in it, of which it is not told what that is. Nothing, if it is no
    /// array of references.
    pub(super) fn expose(&mut self, array: ObjectId) {
        let mut open = vec![array];
        while let Some(array) = open.pop() {
            if !self.holds_references(array) || !self.identities.expose(array) {
                continue;
            }
            let held: Vec<ObjectId> = self.heap.elements(array).map_or_else(Vec::new, |all| {
                all.references().filter_map(Value::object).collect()
            });
            for object in held {
                self.loosen(object);
                open.push(object);
            }
        }
    }

    /// Code out of the scope may have this object.
    pub(super) fn loosen(&mut self, object: ObjectId) {
        if let Some(class) = self.heap.class(object) {
            let content = self.content(object);
            self.identities.loosen(object, class, content);
        }
    }

    /// With reflection, code out of the scope may have whatever can be reached from what it was shown.
    pub(super) fn loosen_shared(&mut self) {
        if self.heap.expects_reflection() {
            for object in self.heap.newly_shared() {
                self.loosen(object);
            }
        }
    }

    fn holds_references(&self, object: ObjectId) -> bool {
        self.heap
            .elements(object)
            .is_some_and(|all| all.are_references())
    }
}

/// What tells objects of one class and one hash apart.
pub(super) fn content_of(told: &Told) -> u64 {
    match told {
        Told::Text { hash, .. } => text_content(*hash),
        Told::Boxed(value) => {
            let mut hasher = FxHasher::default();
            value.hash(&mut hasher);
            hasher.finish() | 1
        }
        Told::Class(name) => content_of_class(&own_name(name)),
        Told::Array { .. } | Told::Instance(..) => 0,
    }
}

/// The same of a class object, by the name of the class: two of them may have one hash, of 31 bits, and are never one for that.
pub(super) fn content_of_class(name: &str) -> u64 {
    let units: Vec<u16> = name.encode_utf16().collect();
    2 << 32 | u64::from(java_hash(&units))
}

/// The name that a class object tells, dotted.
fn own_name(name: &LongText) -> String {
    let name = String::from_utf16_lossy(&name.units);
    match name.starts_with('[') {
        // `[Ljava.lang.String;` has dots where descriptors have slashes.
        true => dotted(&name.replace('.', "/")),
        false => name,
    }
}

/// The same of a string, by its text.
pub(super) fn content_of_text(units: &[u16]) -> u64 {
    text_content(java_hash(units))
}

fn text_content(hash: u32) -> u64 {
    1 << 32 | u64::from(hash)
}

/// `String.hashCode`.
fn java_hash(text: &[u16]) -> u32 {
    text.iter().fold(0_u32, |hash, &unit| {
        hash.wrapping_mul(31).wrapping_add(u32::from(unit))
    })
}

/// The dotted name of an object's class.
pub(super) fn class_name(told: &Told) -> Rc<str> {
    let name = match told {
        Told::Text { .. } => STRING,
        Told::Class(_) => CLASS,
        Told::Boxed(Value::Boolean(_)) => "java.lang.Boolean",
        Told::Boxed(Value::Char(_)) => "java.lang.Character",
        Told::Boxed(Value::Byte(_)) => "java.lang.Byte",
        Told::Boxed(Value::Short(_)) => "java.lang.Short",
        Told::Boxed(Value::Int(_)) => "java.lang.Integer",
        Told::Boxed(Value::Long(_)) => "java.lang.Long",
        Told::Boxed(Value::Float(_)) => "java.lang.Float",
        Told::Boxed(_) => "java.lang.Double",
        // `[Ljava.lang.String;` has dots where descriptors have slashes.
        Told::Array { class, .. } => return dotted(&class.replace('.', "/")).into(),
        Told::Instance(class, _) => return Rc::clone(class),
    };
    name.into()
}
