//! Classes of one name, which several loaders define (JVMS 5.3): a log tells classes by their names alone. Which one is meant is
//! known of an object that was told before, and of a class object likewise; else nothing is taken for certain.

use jhyde_trace::{ClassId, Value};

use super::identity::Meant;
use super::values::{class_name, content_of, content_of_class};
use super::{Deriver, Lost};
use crate::mirror::{Body, Constant};
use crate::probe::log::Object;
use crate::program::Program;

impl Deriver {
    /// The class of an object that was told.
    pub(super) fn class_told(&self, program: &mut Program, told: &Object) -> Result<ClassId, Lost> {
        let name = class_name(&told.told);
        let several = namesakes(program, &name);
        if several.is_empty() {
            return Ok(program.class_named(0, &name));
        }
        let content = content_of(&told.told);
        let mut known = several.into_iter().filter(|&class| {
            matches!(
                self.identities.meant(told.hash, class, content),
                Meant::This(_)
            )
        });
        match (known.next(), known.next()) {
            (Some(class), None) => Ok(class),
            _ => Err(Lost(format!(
                "of which of the classes {name} an object is cannot be told"
            ))),
        }
    }

    /// The class that an object has which was told, if it may be this one, whose class is known.
    pub(super) fn same_class(&self, program: &Program, held: ClassId, told: &Object) -> bool {
        program
            .name_of(held)
            .is_some_and(|name| *name == *class_name(&told.told))
    }

    /// Is there no other class of this name, as far as anybody knows, nor was one?
    pub(super) fn is_only(&self, program: &Program, name: &str) -> bool {
        namesakes(program, name).is_empty() && !self.namesakes.contains(name)
    }

    /// The object of one of several classes of a name. A constant that turns up later may be it: it tells its hash, too.
    pub(super) fn class_object_told(
        &mut self,
        program: &Program,
        class: ClassId,
        hash: u32,
        name: &str,
    ) -> Result<Value, Lost> {
        let content = content_of_class(name);
        if let Meant::This(object) = self.identities.meant(hash, class, content) {
            return Ok(Value::Object(object));
        }
        self.namesakes.insert(name.to_owned());
        let several = namesakes(program, name).len().max(1);
        let spellings = (0..several).map(|at| Constant::Class(Program::spelt(name, at)));
        let mut constants = spellings.filter_map(|constant| self.heap.known_constant(&constant));
        if constants.any(|object| !self.identities.is_told(object)) {
            return Err(Lost(format!(
                "which of the classes {name} it is cannot be told"
            )));
        }
        let object = self.heap.create(Some(class), Body::Opaque);
        self.class_object_is(object, class, name.to_owned());
        self.identities.learn(object, class, content, hash);
        Ok(Value::Object(object))
    }

    /// May the object of this constant be one that was told, and nobody knows of which class of its name?
    pub(super) fn is_open(&self, program: &Program, constant: &Constant, name: &str) -> bool {
        let known = self.heap.known_constant(constant);
        !self.is_only(program, name) && known.is_none_or(|known| !self.identities.is_told(known))
    }
}

/// Classes of the scope of this name, if there are several.
fn namesakes(program: &Program, name: &str) -> Vec<ClassId> {
    let all = program.by_name.get(name).filter(|all| all.len() > 1);
    let classes = all.into_iter().flatten();
    let classes = classes.filter_map(|(_, class)| program.classes.get(class));
    classes.map(|class| class.id).collect()
}
