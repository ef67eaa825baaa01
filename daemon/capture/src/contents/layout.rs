//! Where the fields of classes out of the scope lie: asked once per class.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, reference_type};
use rustc_hash::FxHashMap;

use super::plain::FixedKind;
use super::shapes::Shape;
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::{Named, Program};

/// A field that a class has, or inherits.
#[derive(Debug)]
struct Laid {
    name: String,
    field: jdwp::FieldId,
    declares: ReferenceTypeId,
    is_static: bool,
}

const STATIC: i32 = 0x0008;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    fields: FxHashMap<ReferenceTypeId, Rc<Vec<Laid>>>,
    shapes: FxHashMap<ReferenceTypeId, Option<Shape>>,
    pub(super) fixed: FxHashMap<ReferenceTypeId, Option<FixedKind>>,
    /// The method that a lambda's class runs.
    pub(super) runs: FxHashMap<ReferenceTypeId, Option<Named>>,
    statics: FxHashMap<(ReferenceTypeId, &'static str), jdwp::Value>,
    /// Nothing is to be recorded of what changes.
    pub(super) off: bool,
}

impl Layouts {
    /// How the objects of a class hold data: as it says itself, or the nearest class above it that does.
    pub(crate) fn shape(
        &mut self,
        link: &mut Link,
        program: &mut Program,
        class: ReferenceTypeId,
    ) -> Result<Option<Shape>, LinkError> {
        if self.off {
            return Ok(None);
        }
        if let Some(&known) = self.shapes.get(&class) {
            return Ok(known);
        }
        let mut found = None;
        let mut at = class;
        loop {
            let known = program.class(link, at)?;
            if known.name.ends_with("[]") || (known.in_scope && known.is_interface()) {
                break;
            }
            found = Shape::of(&known.name).filter(|_| !known.in_scope);
            let above = link.request(&class_type::Superclass { class: at })?;
            match above {
                Ok(above) if found.is_none() && !above.is_null() => at = above,
                _ => break,
            }
        }
        self.shapes.insert(class, found);
        Ok(found)
    }

    /// The fields of these names, if a class has them all.
    pub(crate) fn fields(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        names: &[&str],
    ) -> Result<Option<Vec<jdwp::FieldId>>, LinkError> {
        let all = self.of(link, class)?;
        let field = |name: &&str| {
            let laid = all.iter().find(|l| !l.is_static && l.name == **name)?;
            Some(laid.field)
        };
        Ok(names.iter().map(field).collect())
    }

    /// The value of a static field that never changes.
    pub(crate) fn constant(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        name: &'static str,
    ) -> Result<Option<jdwp::Value>, LinkError> {
        if let Some(&known) = self.statics.get(&(class, name)) {
            return Ok(Some(known));
        }
        let all = self.of(link, class)?;
        let Some(laid) = all.iter().find(|l| l.is_static && l.name == name) else {
            return Ok(None);
        };
        let told = link.request(&reference_type::GetValues {
            ref_type: laid.declares,
            fields: vec![laid.field],
        })?;
        let value = told.ok().and_then(|values| values.first().copied());
        if let Some(value) = value {
            self.statics.insert((class, name), value);
        }
        Ok(value)
    }

    fn of(&mut self, link: &mut Link, class: ReferenceTypeId) -> Result<Rc<Vec<Laid>>, LinkError> {
        if let Some(known) = self.fields.get(&class) {
            return Ok(Rc::clone(known));
        }
        let mut all = Vec::new();
        let mut at = class;
        loop {
            let fields = link.ask(&reference_type::Fields { ref_type: at });
            let above = link.ask(&class_type::Superclass { class: at });
            let fields = link.reply::<reference_type::Fields>(fields)?;
            all.extend(fields.unwrap_or_default().into_iter().map(|field| Laid {
                name: field.name.to_string_lossy().into_owned(),
                field: field.field,
                declares: at,
                is_static: field.mod_bits & STATIC != 0,
            }));
            match link.reply::<class_type::Superclass>(above)? {
                Ok(above) if !above.is_null() => at = above,
                _ => break,
            }
        }
        let all = Rc::new(all);
        self.fields.insert(class, Rc::clone(&all));
        Ok(all)
    }
}
