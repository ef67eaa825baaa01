//! The program: tables of the debuggee's classes, methods and fields, and what their names mean. What is in them never
//! changes.
//!
//! A class of the scope is here whole from when it is prepared or first met: members, line and variable
//! tables, code. A class outside is a name, and the methods that somebody was seen to call. [`crate::jvm`] fills the
//! tables; what an engine plans for a method is the engine's.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_trace::{ClassId, ClassInfo, FieldId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;

pub(crate) mod flags;
mod locals;
mod method;
mod names;
mod place;
mod resolve;

pub(crate) use locals::{Place as LocalPlace, united};
pub(crate) use method::{Access, Method};
pub(crate) use names::{Named, dotted};
pub(crate) use place::{index_of, key_of, location};

/// A class of the debuggee.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) id: ClassId,
    /// Dotted binary name.
    pub(crate) name: String,
    pub(crate) in_scope: bool,
    /// What defined a class in scope.
    pub(crate) loader: Loader,
    pub(crate) interface: bool,
    /// For a box such as `java.lang.Integer`: the field that holds the primitive.
    pub(crate) box_field: Option<jdwp::FieldId>,
    /// Declared fields of a class in scope.
    pub(crate) fields: Vec<Field>,
    /// Instance fields of a class in scope, with those of its superclasses in scope.
    pub(crate) instance_fields: Vec<(FieldId, jdwp::FieldId)>,
    /// Superclass and superinterfaces of a class in scope.
    pub(crate) above: Vec<ReferenceTypeId>,
    /// Declared methods of a class in scope.
    pub(crate) methods: Vec<Rc<Method>>,
    /// Its static initialiser.
    pub(crate) initialiser: Option<jdwp::MethodId>,
}

/// A declared field of a class in scope.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) id: FieldId,
    pub(crate) jdwp: jdwp::FieldId,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
    pub(crate) is_volatile: bool,
    /// It holds a constant of an enum.
    pub(crate) is_constant: bool,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// A class loader, as the JVM numbers its object; 0 is the boot loader. Code names classes, and two loaders may mean
/// two classes by one name (JVMS 5.3).
pub(crate) type Loader = u64;

/// A field that a class out of the scope declares and code of the scope names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    pub(crate) id: FieldId,
    pub(crate) declaring: ReferenceTypeId,
    pub(crate) jdwp: jdwp::FieldId,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
}

/// What a call runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selected {
    pub(crate) key: MethodKey,
    pub(crate) native: bool,
}

/// What a class extends and implements itself.
#[derive(Clone, Debug)]
pub(crate) struct Supertypes {
    /// Interfaces have none, nor has `Object`.
    pub(crate) superclass: Option<ReferenceTypeId>,
    pub(crate) interfaces: Vec<ReferenceTypeId>,
}

impl Supertypes {
    /// All of them, what it extends first.
    pub(crate) fn all(&self) -> impl Iterator<Item = ReferenceTypeId> + '_ {
        let interfaces = self.interfaces.iter().copied();
        self.superclass.into_iter().chain(interfaces)
    }
}

/// A method as the JVM names it.
pub(crate) type MethodKey = (ReferenceTypeId, jdwp::MethodId);

/// See the module.
pub(crate) struct Program {
    pub(crate) scope: Scope,
    pub(crate) classes: FxHashMap<ReferenceTypeId, Rc<Class>>,
    pub(crate) methods: FxHashMap<MethodKey, Rc<Method>>,
    pub(crate) fields: FxHashMap<(ReferenceTypeId, jdwp::FieldId), FieldId>,
    /// Is this loader one of the application's? By loader object.
    pub(crate) loaders: FxHashMap<u64, bool>,
    /// Classes in scope, by dotted name: one of each loader that defines such a class, in the order in which they were
    /// prepared.
    pub(crate) by_name: FxHashMap<String, Vec<(Loader, ReferenceTypeId)>>,
    /// What is stored of classes outside the scope, to store it again with one method more.
    pub(crate) outside: FxHashMap<ClassId, ClassInfo>,
    pub(crate) outside_by_name: FxHashMap<String, ClassId>,
    pub(crate) outside_methods: FxHashMap<(ClassId, String, String), Rc<Method>>,
    /// Classes by their number, and the direct supertypes of those that somebody asked about.
    pub(crate) types: FxHashMap<ClassId, ReferenceTypeId>,
    pub(crate) supertypes: FxHashMap<ReferenceTypeId, Supertypes>,
    /// Classes outside the scope that the JVM has loaded, by dotted name.
    pub(crate) loaded: FxHashMap<String, ReferenceTypeId>,
    pub(crate) constants: FxHashMap<(String, String), Option<jdwp::Value>>,
    /// By the names of class and field, as far as the class is loaded.
    pub(crate) foreign: FxHashMap<(String, String), Foreign>,
    /// Fields of classes out of the scope whose writes by code of a class are watched.
    pub(crate) watched: FxHashSet<(FieldId, ReferenceTypeId)>,
    /// Static initialisers of classes outside the scope.
    pub(crate) initialisers: FxHashMap<ReferenceTypeId, Option<jdwp::MethodId>>,
    /// `java.lang.Class` objects of classes that somebody asked about.
    pub(crate) class_objects: FxHashMap<ReferenceTypeId, Option<jdwp::ClassObjectId>>,
    pub(crate) selected: FxHashMap<(ReferenceTypeId, String, String), Option<Selected>>,
    pub(crate) next_class: u32,
    pub(crate) next_method: u32,
    pub(crate) next_field: u32,
    /// Classes to be stored, or stored again.
    pub(crate) fresh: Vec<ClassInfo>,
    /// Can code outside the scope call methods of this class of the scope through a supertype?
    pub(crate) open_classes: FxHashMap<ReferenceTypeId, bool>,
    /// Number of classes in scope.
    pub(crate) covered: usize,
    /// Classes in scope without line tables, for the recording's notes.
    pub(crate) without_lines: Vec<String>,
}

impl Program {
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            scope,
            classes: FxHashMap::default(),
            methods: FxHashMap::default(),
            fields: FxHashMap::default(),
            loaders: FxHashMap::default(),
            by_name: FxHashMap::default(),
            outside: FxHashMap::default(),
            outside_by_name: FxHashMap::default(),
            outside_methods: FxHashMap::default(),
            types: FxHashMap::default(),
            supertypes: FxHashMap::default(),
            loaded: FxHashMap::default(),
            constants: FxHashMap::default(),
            foreign: FxHashMap::default(),
            watched: FxHashSet::default(),
            initialisers: FxHashMap::default(),
            class_objects: FxHashMap::default(),
            selected: FxHashMap::default(),
            open_classes: FxHashMap::default(),
            next_class: 0,
            next_method: 0,
            next_field: 0,
            fresh: Vec::new(),
            covered: 0,
            without_lines: Vec::new(),
        }
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Classes that are to be stored since the last time.
    pub(crate) fn take_fresh(&mut self) -> Vec<ClassInfo> {
        std::mem::take(&mut self.fresh)
    }

    /// A method that is known already.
    pub(crate) fn known_method(&self, key: MethodKey) -> Option<&Rc<Method>> {
        self.methods.get(&key)
    }

    /// A field of a class in scope.
    pub(crate) fn field(&self, class: ReferenceTypeId, field: jdwp::FieldId) -> Option<FieldId> {
        self.fields.get(&(class, field)).copied()
    }

    /// How the JVM names a field of a class in scope.
    pub(crate) fn real_field(&self, field: FieldId) -> Option<(ReferenceTypeId, jdwp::FieldId)> {
        let mut all = self.fields.iter();
        all.find_map(|(&real, &id)| (id == field).then_some(real))
    }

    /// Does a field of a class in scope hold a constant of an enum?
    pub(crate) fn is_constant(&self, class: ReferenceTypeId, field: FieldId) -> bool {
        let class = self.classes.get(&class);
        class.is_some_and(|class| class.fields.iter().any(|f| f.id == field && f.is_constant))
    }

    pub(crate) fn next_class(&mut self) -> ClassId {
        self.next_class += 1;
        ClassId(self.next_class - 1)
    }

    /// A class outside the scope by its dotted name.
    pub(crate) fn outside_class(&mut self, name: &str) -> ClassId {
        if let Some(&known) = self.outside_by_name.get(name) {
            return known;
        }
        let id = self.next_class();
        let info = bare(id, name, false);
        self.fresh.push(info.clone());
        self.outside.insert(id, info);
        self.outside_by_name.insert(name.to_owned(), id);
        id
    }

    /// Any class that code of a loader means by a dotted name: the one in scope, if there is one.
    pub(crate) fn class_named(&mut self, code: Loader, name: &str) -> ClassId {
        match self.class_in_scope(code, name).map(|class| class.id) {
            Some(class) => class,
            None => self.outside_class(name),
        }
    }

    /// The class in scope that code of a loader means by a dotted name, if it is known already. Of several classes with
    /// that name it is the one that the same loader defines; which of the others a loader delegates to is not asked.
    pub(crate) fn class_in_scope(&self, code: Loader, name: &str) -> Option<&Rc<Class>> {
        let class = match self.by_name.get(name)?.as_slice() {
            [(_, only)] => only,
            several => &several.iter().find(|(loader, _)| *loader == code)?.1,
        };
        self.classes.get(class)
    }

    /// The class of the scope with this name, if there is one and no other.
    pub(crate) fn only_class(&self, name: &str) -> Option<&Rc<Class>> {
        match self.by_name.get(name)?.as_slice() {
            [(_, only)] => self.classes.get(only),
            _ => None,
        }
    }

    /// Are there classes of the scope with this name, none of which code of a loader is known to mean?
    pub(crate) fn is_ambiguous(&self, code: Loader, name: &str) -> bool {
        self.by_name.contains_key(name) && self.class_in_scope(code, name).is_none()
    }

    /// A name of its own for what code of a loader means by a class's name.
    pub(crate) fn spelling(&self, code: Loader, name: &str) -> String {
        let of_name = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let place = of_name.iter().position(|(loader, _)| *loader == code);
        Self::spelt(name, place.unwrap_or_default())
    }

    /// That of the class which was prepared so many classes of that name later than the first.
    pub(crate) fn spelt(name: &str, place: usize) -> String {
        match place {
            // It was spelt before there was another.
            0 => name.to_owned(),
            place => format!("{name} {place}"),
        }
    }

    /// The JVM's own name of a class.
    pub(crate) fn type_of(&self, class: ClassId) -> Option<ReferenceTypeId> {
        self.types.get(&class).copied()
    }

    /// The name of a class outside the scope.
    pub(crate) fn outside_name(&self, class: ClassId) -> Option<String> {
        self.outside.get(&class).map(|info| info.name.clone())
    }

    /// A class by its number, if the JVM's own name of it is known.
    pub(crate) fn class_of(&self, class: ClassId) -> Option<Rc<Class>> {
        let known = self.types.get(&class).and_then(|of| self.classes.get(of));
        known.cloned()
    }

    /// The dotted name of a class of either kind.
    pub(crate) fn name_of(&self, class: ClassId) -> Option<String> {
        let known = self.types.get(&class).and_then(|of| self.classes.get(of));
        known
            .map(|class| class.name.clone())
            .or_else(|| self.outside_name(class))
    }

    /// Is this the number of a class in scope?
    pub(crate) fn is_class_in_scope(&self, class: ClassId) -> bool {
        self.type_of(class)
            .is_some_and(|class| self.is_type_in_scope(class))
    }

    /// Likewise by the JVM's number.
    pub(crate) fn is_type_in_scope(&self, class: ReferenceTypeId) -> bool {
        self.classes.get(&class).is_some_and(|class| class.in_scope)
    }

    pub(crate) fn next_method(&mut self) -> MethodId {
        self.next_method += 1;
        MethodId(self.next_method - 1)
    }

    /// Are writes of a field by code of this class to be watched from now on? True the first time.
    pub(crate) fn watches_foreign(&mut self, field: Foreign, class: ReferenceTypeId) -> bool {
        self.watched.insert((field.id, class))
    }

    /// All classes of the scope that are known, oldest first.
    pub(crate) fn classes_in_scope(&self) -> Vec<(ReferenceTypeId, Rc<Class>)> {
        let known = self.classes.iter().filter(|(_, class)| class.in_scope);
        let mut all: Vec<_> = known.map(|(&id, class)| (id, Rc::clone(class))).collect();
        all.sort_unstable_by_key(|(_, class)| class.id);
        all
    }
}

impl Class {
    /// Is it an interface? Only known of classes in scope.
    pub(crate) fn is_interface(&self) -> bool {
        self.interface
    }
}

pub(crate) fn bare(id: ClassId, name: &str, in_scope: bool) -> ClassInfo {
    ClassInfo {
        id,
        name: name.to_owned(),
        source_file: None,
        modifiers: 0,
        super_name: None,
        interfaces: Vec::new(),
        in_scope,
        fields: Vec::new(),
        methods: Vec::new(),
    }
}

/// Is it the class of boxed primitives?
pub(crate) fn is_box(name: &str) -> bool {
    matches!(
        name.strip_prefix("java.lang."),
        Some("Integer" | "Long" | "Boolean" | "Character" | "Byte" | "Short" | "Float" | "Double")
    )
}
