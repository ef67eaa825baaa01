//! Classes, methods and fields of the debuggee: read once, kept for good.
//!
//! A class of the scope is read whole when it is prepared or first met: members, line and variable
//! tables, code. A class outside is a name, and the methods that somebody was seen to call.

use std::cell::Cell;
use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{reference_type, virtual_machine};
use jhyde_trace::{ClassId, ClassInfo, FieldId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::LinkError;
use crate::link::Link;
use crate::scope::Scope;

mod members;
mod names;
mod outside;
mod resolve;

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
