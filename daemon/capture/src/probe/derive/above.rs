//! What lies above classes of the scope and is none of it, and what lies below: the JVM is asked while it can be.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::reference_type;
use jhyde_trace::MethodId;
use rustc_hash::FxHashMap;

use super::Deriver;
use super::hierarchy::{Hierarchy, or_gone};
use crate::error::LinkError;
use crate::jvm::{Link, classes_named};
use crate::probe::extenders::{Declared, Signature, declared};
use crate::program::{Class, Named, Program, Supertypes};
use crate::scope::looks_like_jdk;

/// What the JVM has said of classes out of the scope.
#[derive(Debug, Default)]
pub(super) struct Asked {
    named: FxHashMap<String, ReferenceTypeId>,
    declares: FxHashMap<ReferenceTypeId, Rc<Declared>>,
    /// By method and constant: see [`Deriver::inherits_from`].
    pub(super) inherits: FxHashMap<(MethodId, u16), (usize, Option<ReferenceTypeId>)>,
    /// See [`Deriver::above_outside`].
    pub(super) above: FxHashMap<(String, Option<Signature>), Option<ReferenceTypeId>>,
    /// See [`Deriver::meet_above`]: of the lowest run of classes of the scope.
    beyond: FxHashMap<ReferenceTypeId, ReferenceTypeId>,
}

pub(super) fn signature(named: &Named) -> Signature {
    (named.name.clone(), named.descriptor.clone())
}

/// A class, of the scope or not, on the way up.
pub(super) type Step = (ReferenceTypeId, bool);

impl Deriver {
    /// A class and those above it, up to the first of the JDK. `None`: nobody can say any more.
    pub(super) fn way_up(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<Vec<Step>>, LinkError> {
        let mut way: Vec<Step> = Vec::new();
        let mut next = Some(class);
        while let Some(at) = next {
            if let Some(known) = program.classes.get(&at).filter(|known| known.in_scope) {
                way.push((at, true));
                next = match known.is_interface() {
                    true => None,
                    false => known.above.first().copied(),
                };
                continue;
            }
            let Some(name) = self.name(program, link, at)? else {
                return Ok(None);
            };
            if looks_like_jdk(&name) {
                break;
            }
            way.push((at, false));
            let Some(above) = self.supertypes(program, link, at)? else {
                return Ok(None);
            };
            next = above.superclass;
        }
        Ok(Some(way))
    }

    pub(super) fn name(
        &self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<String>, LinkError> {
        if let Some(hierarchy) = &self.hierarchy {
            let known = || program.classes.get(&class).map(|known| known.name.clone());
            return Ok(hierarchy.name(class).map(str::to_owned).or_else(known));
        }
        Ok(or_gone(program.class(link, class))?.map(|known| known.name.clone()))
    }

    /// The class of a name, if there is one and no other.
    pub(super) fn named(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        name: &str,
    ) -> Result<Option<ReferenceTypeId>, LinkError> {
        if let Some(known) = self.asked.named.get(name) {
            return Ok(Some(*known));
        }
        if let Some(hierarchy) = &self.hierarchy {
            return Ok(hierarchy.named(name));
        }
        let found = or_gone(classes_named(link, name))?.unwrap_or_default();
        let [only] = &found[..] else {
            return Ok(None);
        };
        self.asked.named.insert(name.to_owned(), only.type_id);
        or_gone(program.class(link, only.type_id))?;
        Ok(Some(only.type_id))
    }

    /// What a class extends and implements. `None`: nobody can say any more.
    pub(super) fn supertypes(
        &self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<Supertypes>, LinkError> {
        if let Some(known) = program.supertypes.get(&class) {
            return Ok(Some(known.clone()));
        }
        match &self.hierarchy {
            Some(hierarchy) => Ok(hierarchy.supertypes(class).cloned()),
            None => or_gone(program.supertypes(link, class)),
        }
    }

    /// The methods of a class out of the scope. `None`: nobody can say any more, or the JVM has not linked it.
    pub(super) fn declares(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<Rc<Declared>>, LinkError> {
        if let Some(known) = self.asked.declares.get(&class) {
            return Ok(Some(Rc::clone(known)));
        }
        if self.hierarchy.is_some() {
            return Ok(None);
        }
        let Some(told) = or_gone(link.request(&reference_type::Methods { ref_type: class }))?
        else {
            return Ok(None);
        };
        let Ok(told) = told else { return Ok(None) };
        let declared = Rc::new(declared(told.iter().map(|method| {
            let (name, descriptor) = (&method.name, &method.signature);
            let (name, descriptor) = (name.to_string_lossy(), descriptor.to_string_lossy());
            (
                name.into_owned(),
                descriptor.into_owned(),
                method.mod_bits as u32,
            )
        })));
        self.asked.declares.insert(class, Rc::clone(&declared));
        Ok(Some(declared))
    }

    /// A class of the scope was prepared: the JVM is asked now, while it can be, about classes out of the scope that lie above it.
    pub(crate) fn meet_above(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<(), LinkError> {
        let way = self.way_up(program, link, class)?.unwrap_or_default();
        let Some(outside) = way.iter().position(|(_, in_scope)| !in_scope) else {
            return Ok(());
        };
        for (class, in_scope) in &way[outside..] {
            if !in_scope {
                self.declares(link, *class)?;
            }
        }
        let beyond = way[outside..].iter().find(|(_, in_scope)| *in_scope);
        for (class, _) in &way[..outside] {
            self.asked
                .beyond
                .extend(beyond.map(|beyond| (*class, beyond.0)));
        }
        Ok(())
    }

    /// The first class of the scope above a class of the scope, if a class out of the scope lies between.
    pub(super) fn beyond(&self, program: &Program, class: ReferenceTypeId) -> Option<Rc<Class>> {
        let beyond = self.asked.beyond.get(&class)?;
        program.classes.get(beyond).cloned()
    }

    /// Asks the JVM, while it can be asked, what classes declare that are below one of the scope and none of it.
    pub(super) fn ask_below(
        &mut self,
        program: &Program,
        link: &mut Link,
        hierarchy: &Hierarchy,
    ) -> Result<(), LinkError> {
        for class in hierarchy.below_scope(program) {
            self.declares(link, class)?;
        }
        Ok(())
    }
}
