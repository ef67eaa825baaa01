//! Reads the classes of the debuggee into the tables of [`crate::program`], each once: by the JVM's number, by name, by
//! signature.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{reference_type, virtual_machine};

use super::Link;
use crate::error::LinkError;
use crate::program::{Class, Loader, Method, MethodKey, Program, bare, is_box};

/// `Lorg/foo/Bar;` is `org.foo.Bar`, `[[I` is `int[][]`. No variable has the type `void`, but a class object stands for it.
fn name_of(signature: &str) -> String {
    if signature == "V" {
        return "void".to_owned();
    }
    jhyde_bytecode::signature_to_name(signature).unwrap_or_else(|_| {
        signature
            .strip_prefix('L')
            .and_then(|rest| rest.strip_suffix(';'))
            .unwrap_or(signature)
            .replace('/', ".")
    })
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

/// The classes of a dotted name that the JVM shows, of all loaders: those that it has linked, not what it has only loaded.
pub(crate) fn classes_named(
    link: &mut Link,
    name: &str,
) -> Result<Vec<virtual_machine::ClassBySignature>, LinkError> {
    let Ok(signature) = jhyde_bytecode::name_to_signature(name) else {
        return Ok(Vec::new());
    };
    let signature = signature.as_str().into();
    let told = link.request(&virtual_machine::ClassesBySignature { signature })?;
    Ok(told.unwrap_or_default())
}

impl Program {
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
        let found = classes_named(link, name)?;
        let found = found.first().map(|class| class.type_id);
        if let Some(class) = found {
            self.loaded.insert(name.to_owned(), class);
            self.class(link, class)?;
        }
        Ok(found)
    }

    /// The `java.lang.Class` of a class.
    pub(crate) fn class_object(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<jdwp::ClassObjectId>, LinkError> {
        if let Some(&known) = self.class_objects.get(&class) {
            return Ok(known);
        }
        let told = link.request(&reference_type::ClassObject { ref_type: class })?;
        let object = told.ok();
        self.class_objects.insert(class, object);
        Ok(object)
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
}
