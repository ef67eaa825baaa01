//! Classes, methods and fields of the debuggee: read once, kept for good.
//!
//! A class of the scope is read whole when it is prepared or first met: members, line and variable
//! tables, code. A class outside is a name, and the methods that somebody was seen to call.

use std::cell::Cell;
use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, reference_type, virtual_machine};
use jhyde_trace::{ClassId, ClassInfo, FieldId, MethodId, MethodInfo};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::LinkError;
use crate::link::Link;
use crate::scope::{Scope, looks_like_jdk};

mod members;
mod names;
mod outside;

pub(crate) use members::Method;
pub(crate) use names::{Named, dotted};

/// A class of the debuggee.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) id: ClassId,
    /// Dotted binary name.
    pub(crate) name: String,
    pub(crate) in_scope: bool,
    /// What defined a class in scope.
    pub(crate) loader: Loader,
    interface: bool,
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
    /// Its `java.lang.Class`, once somebody asked.
    pub(crate) object: Cell<Option<jdwp::ClassObjectId>>,
}

/// A declared field of a class in scope.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) id: FieldId,
    pub(crate) jdwp: jdwp::FieldId,
    pub(crate) is_static: bool,
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

/// A method as the JVM names it.
pub(crate) type MethodKey = (ReferenceTypeId, jdwp::MethodId);

/// See the module.
pub(crate) struct Structure {
    scope: Scope,
    classes: FxHashMap<ReferenceTypeId, Rc<Class>>,
    methods: FxHashMap<MethodKey, Rc<Method>>,
    fields: FxHashMap<(ReferenceTypeId, jdwp::FieldId), FieldId>,
    /// Is this loader one of the application's? By loader object.
    loaders: FxHashMap<u64, bool>,
    /// Classes in scope, by dotted name: one of each loader that defines such a class, in the order in which they were
    /// prepared.
    by_name: FxHashMap<String, Vec<(Loader, ReferenceTypeId)>>,
    /// What is stored of classes outside the scope, to store it again with one method more.
    outside: FxHashMap<ClassId, ClassInfo>,
    outside_by_name: FxHashMap<String, ClassId>,
    outside_methods: FxHashMap<(ClassId, String, String), Rc<Method>>,
    /// Classes by their number, and the direct supertypes of those that somebody asked about.
    types: FxHashMap<ClassId, ReferenceTypeId>,
    supertypes: FxHashMap<ReferenceTypeId, Vec<ReferenceTypeId>>,
    /// Classes outside the scope that the JVM has loaded, by dotted name.
    loaded: FxHashMap<String, ReferenceTypeId>,
    constants: FxHashMap<(String, String), Option<jdwp::Value>>,
    /// By the names of class and field, as far as the class is loaded.
    foreign: FxHashMap<(String, String), Foreign>,
    /// Fields of classes out of the scope whose writes by code of a class are watched.
    watched: FxHashSet<(FieldId, ReferenceTypeId)>,
    /// Static initialisers of classes outside the scope.
    initialisers: FxHashMap<ReferenceTypeId, Option<jdwp::MethodId>>,
    selected: FxHashMap<(ReferenceTypeId, String, String), Option<Selected>>,
    next_class: u32,
    next_method: u32,
    next_field: u32,
    /// Classes to be stored, or stored again.
    fresh: Vec<ClassInfo>,
    /// Can code outside the scope call methods of this class of the scope through a supertype?
    open_classes: FxHashMap<ReferenceTypeId, bool>,
    /// Number of classes in scope.
    pub(crate) covered: usize,
    /// Classes in scope without line tables, for the recording's notes.
    pub(crate) without_lines: Vec<String>,
}

impl Structure {
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

    /// Is it a static initialiser?
    pub(crate) fn is_initialiser(
        &mut self,
        link: &mut Link,
        (class, method): MethodKey,
    ) -> Result<bool, LinkError> {
        if let Some(known) = self.classes.get(&class).filter(|known| known.in_scope) {
            return Ok(known.initialiser == Some(method));
        }
        if let Some(&known) = self.initialisers.get(&class) {
            return Ok(known == Some(method));
        }
        let methods = link.request(&reference_type::Methods { ref_type: class })?;
        let mut methods = methods.unwrap_or_default().into_iter();
        let found = methods.find(|of| of.name.as_str() == Some("<clinit>"));
        let found = found.map(|of| of.method);
        self.initialisers.insert(class, found);
        Ok(found == Some(method))
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

    /// A class, read now if it is new.
    pub(crate) fn class(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Rc<Class>, LinkError> {
        if let Some(known) = self.classes.get(&class) {
            return Ok(Rc::clone(known));
        }
        let signature = match link.request(&reference_type::Signature { ref_type: class })? {
            Ok(signature) => signature.to_string_lossy().into_owned(),
            // Unloaded meanwhile; the id will not come again.
            Err(_) => "L?;".to_owned(),
        };
        self.class_with_signature(link, class, &signature)
    }

    /// The dotted name of a class that may not be prepared yet, and so cannot be read.
    pub(crate) fn name(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<String, LinkError> {
        if let Some(known) = self.classes.get(&class) {
            return Ok(known.name.clone());
        }
        let signature = link.request(&reference_type::Signature { ref_type: class })?;
        Ok(signature.map_or_else(
            |_| "?".to_owned(),
            |signature| name_of(&signature.to_string_lossy()),
        ))
    }

    /// A class whose signature is known (from a class list or its preparation).
    pub(crate) fn class_with_signature(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        signature: &str,
    ) -> Result<Rc<Class>, LinkError> {
        if let Some(known) = self.classes.get(&class) {
            return Ok(Rc::clone(known));
        }
        let name = name_of(signature);
        let in_scope = self.is_in_scope(link, class, signature, &name)?;
        let id = if in_scope {
            self.next_class()
        } else {
            self.outside_class(&name)
        };
        let mut made = Class {
            id,
            name,
            in_scope,
            loader: 0,
            interface: false,
            box_field: None,
            fields: Vec::new(),
            instance_fields: Vec::new(),
            above: Vec::new(),
            methods: Vec::new(),
            initialiser: None,
            object: Cell::default(),
        };
        if in_scope {
            self.covered += 1;
            let info = bare(id, &made.name, true);
            self.read_members(link, class, &mut made, info)?;
            let of_name = self.by_name.entry(made.name.clone()).or_default();
            of_name.push((made.loader, class));
        } else if is_box(&made.name) {
            made.box_field = box_field(link, class)?;
        }
        let made = Rc::new(made);
        self.types.insert(id, class);
        self.classes.insert(class, Rc::clone(&made));
        Ok(made)
    }

    fn next_class(&mut self) -> ClassId {
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

    /// Are there classes of the scope with this name, none of which code of a loader is known to mean?
    pub(crate) fn is_ambiguous(&self, code: Loader, name: &str) -> bool {
        self.by_name.contains_key(name) && self.class_in_scope(code, name).is_none()
    }

    /// A name of its own for what code of a loader means by a class's name.
    pub(crate) fn spelling(&self, code: Loader, name: &str) -> String {
        let of_name = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        match of_name.iter().position(|(loader, _)| *loader == code) {
            // The first one was spelt before there was another.
            None | Some(0) => name.to_owned(),
            Some(at) => format!("{name} {at}"),
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

    /// A class by the dotted name that code of a loader has for it, if the JVM has loaded it.
    pub(crate) fn loaded(
        &mut self,
        link: &mut Link,
        code: Loader,
        name: &str,
    ) -> Result<Option<ReferenceTypeId>, LinkError> {
        let in_scope = self.class_in_scope(code, name).map(|class| class.id);
        let in_scope = in_scope.and_then(|class| self.type_of(class));
        if let Some(known) = in_scope.or_else(|| self.loaded.get(name).copied()) {
            return Ok(Some(known));
        }
        let Ok(signature) = jhyde_bytecode::name_to_signature(name) else {
            return Ok(None);
        };
        let signature = signature.as_str().into();
        let told = link.request(&virtual_machine::ClassesBySignature { signature })?;
        let found = told
            .ok()
            .and_then(|all| all.first().map(|class| class.type_id));
        if let Some(class) = found {
            self.loaded.insert(name.to_owned(), class);
            self.class(link, class)?;
        }
        Ok(found)
    }

    /// The method that a call on an instance of `class` runs (JVMS 5.4.6).
    pub(crate) fn selected(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        name: &str,
        descriptor: &str,
    ) -> Result<Option<Selected>, LinkError> {
        let key = (class, name.to_owned(), descriptor.to_owned());
        if let Some(&known) = self.selected.get(&key) {
            return Ok(known);
        }
        let mut open = std::collections::VecDeque::from([class]);
        let mut found = None;
        while let Some(class) = open.pop_front() {
            let known = self.class(link, class)?;
            if known.name.ends_with("[]") {
                break;
            }
            let methods = link.request(&reference_type::Methods { ref_type: class })?;
            let fits = |method: &reference_type::MethodInfo| {
                method.name.as_str() == Some(name)
                    && method.signature.as_str() == Some(descriptor)
                    && method.mod_bits & members::ABSTRACT == 0
            };
            if let Some(method) = methods.unwrap_or_default().into_iter().find(fits) {
                found = Some(Selected {
                    key: (class, method.method),
                    native: method.mod_bits & members::NATIVE != 0,
                });
                break;
            }
            open.extend(self.direct_supertypes(link, class, &known)?);
        }
        self.selected.insert(key, found);
        Ok(found)
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
        let known = self.types.get(&class).and_then(|of| self.classes.get(of));
        known.is_some_and(|class| class.in_scope)
    }

    /// The field that an instruction names, as far as the scope declares it (JVMS 5.4.3.2).
    pub(crate) fn field_named(&self, code: Loader, class: &str, name: &str) -> Option<Field> {
        let class = self.class_in_scope(code, class)?;
        self.field_of(class, name)
    }

    fn field_of(&self, class: &Class, name: &str) -> Option<Field> {
        let own = class.fields.iter().find(|field| field.name == name);
        own.cloned().or_else(|| {
            let above = class
                .above
                .iter()
                .filter_map(|above| self.classes.get(above));
            above.filter_map(|above| self.field_of(above, name)).next()
        })
    }

    /// The method that an instruction names: of the class in scope that declares it, else of the
    /// nearest class outside (JVMS 5.4.3.3, by names alone).
    pub(crate) fn method_named(&mut self, named: &Named) -> Rc<Method> {
        let (name, descriptor) = (named.name.as_str(), named.descriptor.as_str());
        let mut outside = named.class.clone();
        let mut at = self.class_in_scope(named.code, &named.class).cloned();
        while let Some(class) = at {
            if let Some(declared) = self.declared(&class, name, descriptor) {
                return declared;
            }
            let above = class
                .above
                .first()
                .and_then(|above| self.classes.get(above));
            match above {
                Some(above) if above.in_scope => at = Some(Rc::clone(above)),
                Some(above) => {
                    outside.clone_from(&above.name);
                    at = None;
                }
                None => {
                    "java.lang.Object".clone_into(&mut outside);
                    at = None;
                }
            }
        }
        let class = self.outside_class(&outside);
        let modifiers = if named.kind.has_receiver() { 0 } else { 0x0008 };
        self.outside_method(class, name, descriptor, modifiers)
    }

    /// A method that a class in scope, or a superinterface in scope of it, declares itself.
    fn declared(&self, class: &Class, name: &str, descriptor: &str) -> Option<Rc<Method>> {
        let fits = |method: &&Rc<Method>| method.name == name && method.descriptor == descriptor;
        if let Some(own) = class.methods.iter().find(fits) {
            return Some(Rc::clone(own));
        }
        let above = class
            .above
            .iter()
            .filter_map(|above| self.classes.get(above));
        let mut interfaces = above.filter(|above| above.in_scope && above.is_interface());
        interfaces.find_map(|above| self.declared(above, name, descriptor))
    }

    /// The method in scope that an instruction names, if there is one.
    pub(crate) fn declared_in_scope(&self, named: &Named) -> Option<Rc<Method>> {
        let class = self.class_in_scope(named.code, &named.class)?;
        self.inherited(class, &named.name, &named.descriptor)
    }

    /// The method that a class of the scope has, as far as the scope declares it.
    pub(crate) fn inherited(
        &self,
        class: &Class,
        name: &str,
        descriptor: &str,
    ) -> Option<Rc<Method>> {
        let mut at = Some(class);
        while let Some(class) = at {
            if let Some(found) = self.declared(class, name, descriptor) {
                return Some(found);
            }
            let above = class
                .above
                .first()
                .and_then(|above| self.classes.get(above));
            at = above.filter(|above| above.in_scope).map(|above| &**above);
        }
        None
    }

    fn outside_method(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
        modifiers: u32,
    ) -> Rc<Method> {
        let key = (class, name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.outside_methods.get(&key) {
            return Rc::clone(known);
        }
        let info = MethodInfo {
            id: self.next_method(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            modifiers,
            lines: Vec::new(),
            variables: Vec::new(),
            code: Vec::new(),
        };
        let method = Rc::new(Method::outside(&info));
        if let Some(outside) = self.outside.get_mut(&class) {
            outside.methods.push(info);
            self.fresh.push(outside.clone());
        }
        self.outside_methods.insert(key, Rc::clone(&method));
        method
    }

    /// Is a class a subtype of the one that code of a loader names (dotted)? `None` if the JVM does not say.
    pub(crate) fn is_subtype(
        &mut self,
        link: &mut Link,
        class: ClassId,
        code: Loader,
        name: &str,
    ) -> Result<Option<bool>, LinkError> {
        let Some(&start) = self.types.get(&class) else {
            return Ok(None);
        };
        let mut open = vec![start];
        let mut seen = vec![start];
        while let Some(class) = open.pop() {
            let known = self.class(link, class)?;
            if known.name == name
                && known.in_scope
                && self.by_name.get(name).is_some_and(|all| all.len() > 1)
            {
                let meant = self.class_in_scope(code, name);
                return Ok(meant.map(|meant| meant.id == known.id));
            }
            if known.name == name || name == "java.lang.Object" {
                return Ok(Some(true));
            }
            if known.name.ends_with("[]") {
                return Ok(None);
            }
            for above in self.direct_supertypes(link, class, &known)? {
                if !seen.contains(&above) {
                    seen.push(above);
                    open.push(above);
                }
            }
        }
        Ok(Some(false))
    }

    fn direct_supertypes(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<Vec<ReferenceTypeId>, LinkError> {
        if known.in_scope {
            return Ok(known.above.clone());
        }
        if let Some(asked) = self.supertypes.get(&class) {
            return Ok(asked.clone());
        }
        let above = link.request(&class_type::Superclass { class })?;
        let mut all: Vec<_> = above
            .ok()
            .filter(|class| !class.is_null())
            .into_iter()
            .collect();
        let interfaces = link.request(&reference_type::Interfaces { ref_type: class })?;
        all.extend(interfaces.unwrap_or_default());
        self.supertypes.insert(class, all.clone());
        Ok(all)
    }

    /// A method of any class, read now if it is new. `None` if the JVM does not know it any more.
    pub(crate) fn method(
        &mut self,
        link: &mut Link,
        key: MethodKey,
    ) -> Result<Option<Rc<Method>>, LinkError> {
        if let Some(known) = self.methods.get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        let class = self.class(link, key.0)?;
        if let Some(known) = self.methods.get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        let Ok(list) = link.request(&reference_type::Methods { ref_type: key.0 })? else {
            return Ok(None);
        };
        let Some(found) = list.iter().find(|method| method.method == key.1) else {
            return Ok(None);
        };
        let (name, descriptor) = (&found.name, &found.signature);
        let method = self.outside_method(
            class.id,
            &name.to_string_lossy(),
            &descriptor.to_string_lossy(),
            found.mod_bits as u32,
        );
        self.methods.insert(key, Rc::clone(&method));
        Ok(Some(method))
    }

    fn next_method(&mut self) -> MethodId {
        self.next_method += 1;
        MethodId(self.next_method - 1)
    }

    /// All classes of the scope that are known, oldest first.
    pub(crate) fn classes_in_scope(&self) -> Vec<(ReferenceTypeId, Rc<Class>)> {
        let known = self.classes.iter().filter(|(_, class)| class.in_scope);
        let mut all: Vec<_> = known.map(|(&id, class)| (id, Rc::clone(class))).collect();
        all.sort_unstable_by_key(|(_, class)| class.id);
        all
    }

    /// The declared methods of a class of the scope that need a receiver and have code; constructors left out.
    pub(crate) fn virtual_methods(
        &self,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Vec<jdwp::MethodId> {
        let of_class = |(key, method): (&MethodKey, &Rc<Method>)| {
            let fits = key.0 == class && known.methods.iter().any(|m| Rc::ptr_eq(m, method));
            let virtual_ = method.receiver && method.code.is_some() && !method.is_constructor();
            (fits && virtual_).then_some(key.1)
        };
        self.methods.iter().filter_map(of_class).collect()
    }

    /// Does the JVM's own filter of the default scope leave this class out although it is in scope?
    pub(crate) fn is_disguised(&self, class: &Class) -> bool {
        class.in_scope && self.scope.is_default() && looks_like_jdk(&class.name)
    }
}

impl Class {
    /// Is it an interface? Only known of classes in scope.
    pub(crate) fn is_interface(&self) -> bool {
        self.interface
    }
}

fn bare(id: ClassId, name: &str, in_scope: bool) -> ClassInfo {
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

/// Is it a hidden class (JVMS 4.4.1 does not let its name be spelt): a lambda's, mostly? Its signature has a
/// dot before the suffix (JVM TI, GetClassSignature).
fn is_hidden(signature: &str) -> bool {
    signature.contains('.') || signature.contains("/0x") || signature.contains("$$Lambda")
}

/// `Lorg/foo/Bar;` is `org.foo.Bar`, `[[I` is `int[][]`.
fn name_of(signature: &str) -> String {
    jhyde_bytecode::signature_to_name(signature).unwrap_or_else(|_| {
        signature
            .strip_prefix('L')
            .and_then(|rest| rest.strip_suffix(';'))
            .unwrap_or(signature)
            .replace('/', ".")
    })
}

/// Is it the class of boxed primitives?
pub(crate) fn is_box(name: &str) -> bool {
    matches!(
        name.strip_prefix("java.lang."),
        Some("Integer" | "Long" | "Boolean" | "Character" | "Byte" | "Short" | "Float" | "Double")
    )
}

fn box_field(link: &mut Link, class: ReferenceTypeId) -> Result<Option<jdwp::FieldId>, LinkError> {
    let fields = link.request(&reference_type::Fields { ref_type: class })?;
    Ok(fields.ok().and_then(|fields| {
        fields
            .iter()
            .find(|field| field.name.as_str() == Some("value"))
            .map(|field| field.field)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_classes_are_known_by_their_signature() {
        assert!(is_hidden("Lwl/Foo$$Lambda$14.0x0000000800c03000;"));
        assert!(is_hidden("Lwl/Foo$$Lambda.0x000001;"));
        assert!(!is_hidden("Lwl/Foo$Inner;"));
    }
}
