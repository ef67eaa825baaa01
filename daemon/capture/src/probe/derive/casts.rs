//! What is a subtype of what, for casts and stores into arrays.

use std::rc::Rc;

use jhyde_trace::{ClassId, Value};

use super::hierarchy::or_gone;
use super::run::{Stopped, lost};
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::{Loader, Program, dotted};

impl Deriver {
    /// Can a value be stored into an array (JVMS 6.5.aastore)?
    pub(super) fn takes(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        array: Value,
        stored: Value,
    ) -> Result<bool, Stopped> {
        let Some(object) = stored.object() else {
            return Ok(true);
        };
        let class = |object| self.heap.class(object);
        let (of_array, of_stored) = (array.object().and_then(class), class(object));
        let known = of_array
            .zip(of_stored)
            .and_then(|(array, stored)| self.stores.get(&(array, stored)));
        if let Some(&known) = known {
            return Ok(known);
        }
        let name = of_array.and_then(|class| program.name_of(class));
        let element = name.as_deref().and_then(|name| name.strip_suffix("[]"));
        let Some(element) = element else {
            return lost("an array's class is not known");
        };
        let takes = self.is_a(program, link, routine, stored, &element.into())?;
        if let Some(classes) = of_array.zip(of_stored) {
            self.stores.insert(classes, takes);
        }
        Ok(takes)
    }

    /// Can a reference be cast to this class?
    pub(super) fn is_a(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        value: Value,
        class: &Rc<str>,
    ) -> Result<bool, Stopped> {
        let Some(object) = value.object() else {
            return Ok(true);
        };
        let of = self.heap.class(object);
        if &**class == "java.lang.Object" {
            return Ok(true);
        }
        let Some(of) = of else {
            return lost("the class of an object is not known");
        };
        let key = (of, routine.loader, Rc::clone(class));
        if let Some(&known) = self.casts.get(&key) {
            return Ok(known);
        }
        let Some(known) = self.subtype(program, link, routine.loader, of, class)? else {
            let name = program.name_of(of).unwrap_or_default();
            return lost(format!(
                "whether {name} is a {class} could not be found out"
            ));
        };
        self.casts.insert(key, known);
        Ok(known)
    }

    /// Is a class a subtype of what code of a loader means by a name (JVMS 6.5.checkcast)? `None` if nobody can say any more.
    pub(super) fn subtype(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        code: Loader,
        of: ClassId,
        class: &str,
    ) -> Result<Option<bool>, LinkError> {
        let name = program.name_of(of).unwrap_or_default();
        if let Some(inner) = name.strip_suffix("[]") {
            let Some(wanted) = class.strip_suffix("[]") else {
                let above = [
                    "java.lang.Object",
                    "java.lang.Cloneable",
                    "java.io.Serializable",
                ];
                return Ok(Some(above.contains(&class)));
            };
            if inner == wanted || wanted == "java.lang.Object" && !is_primitive(inner) {
                return Ok(Some(true));
            }
            if is_primitive(inner) || is_primitive(wanted) {
                return Ok(Some(false));
            }
            let inner = program.class_named(code, inner);
            return self.subtype(program, link, code, inner, wanted);
        }
        if class.ends_with("[]") {
            return Ok(Some(false));
        }
        let mut open = vec![name];
        let (mut at, mut is_certain) = (0, true);
        while let Some(name) = open.get(at).cloned() {
            let of = match at {
                0 => of,
                _ => program.class_named(code, &name),
            };
            at += 1;
            match self.loaded_subtype(program, link, code, (of, &name), class)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => continue,
                None if name == class => return Ok(Some(true)),
                None => {}
            }
            // The JVM does not show what it has not prepared: an array may be of such a class, of which there are no objects.
            match self.names.dotted(&name) {
                Some(file) => {
                    let above = file.super_name.iter().chain(&file.interfaces);
                    let above: Vec<_> = above.map(|above| dotted(above)).collect();
                    let new = above.into_iter().filter(|above| !open.contains(above));
                    let new: Vec<_> = new.collect();
                    open.extend(new);
                }
                None => is_certain = false,
            }
        }
        Ok(is_certain.then_some(false))
    }

    /// The same of a class that the JVM has prepared.
    fn loaded_subtype(
        &self,
        program: &mut Program,
        link: &mut Link,
        code: Loader,
        (of, name): (ClassId, &str),
        class: &str,
    ) -> Result<Option<bool>, LinkError> {
        let known = program.type_of(of);
        if let Some(hierarchy) = &self.hierarchy {
            let named = || hierarchy.named(name);
            let of = known.or_else(named);
            return Ok(of.and_then(|of| hierarchy.is_subtype(of, class)));
        }
        let of = match known {
            Some(_) => of,
            None => {
                or_gone(program.loaded(link, code, name))?;
                // A class of the scope whose preparation came behind its first object has another number by now.
                program.class_named(code, name)
            }
        };
        Ok(or_gone(program.is_subtype(link, of, code, class))?.flatten())
    }
}

pub(super) fn is_primitive(name: &str) -> bool {
    let all = [
        "boolean", "byte", "char", "short", "int", "long", "float", "double",
    ];
    all.contains(&name)
}
