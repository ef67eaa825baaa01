//! Which method a call runs (JVMS 5.4.3.3, 5.4.6) where classes out of the scope lie between those of the scope: as far as class
//! files tell what those extend and declare ([`crate::probe::extenders`]).

use std::rc::Rc;

use jhyde_trace::ClassId;

use super::Deriver;
use crate::probe::extenders::Extender;
use crate::program::{Access, Class, Method, Named, Program, dotted};

impl Deriver {
    /// The method of the scope that a call names, by whatever class.
    pub(super) fn named_method(&mut self, program: &Program, named: &Named) -> Option<Rc<Method>> {
        let find = |class: &Class| program.inherited(class, &named.name, &named.descriptor);
        let class = program.class_in_scope(named.code, &named.class);
        let passes = |above: &Extender| !above.declares(&named.name, &named.descriptor);
        class
            .and_then(|class| find(class))
            .or_else(|| self.climb(program, (named, &named.class), &passes, &find))
    }

    /// The method of the scope that a call runs whose receiver is of this class, which may be below one of the scope.
    pub(super) fn selected(
        &mut self,
        program: &Program,
        class: ClassId,
        named: &Named,
    ) -> Option<Rc<Method>> {
        let of = program.class_of(class)?;
        if self.overrides(program, &of.name, named) {
            return None;
        }
        let find = |class: &Class| program.dispatched(class, named);
        let found = Some(&of).filter(|of| of.in_scope).and_then(|of| find(of));
        found.or_else(|| self.climb(program, (named, &of.name), &|_| true, &find))
    }

    /// What is found in a class of the scope above this one, past classes out of the scope that may be passed.
    fn climb(
        &mut self,
        program: &Program,
        (named, from): (&Named, &str),
        passes: &dyn Fn(&Extender) -> bool,
        find: &dyn Fn(&Class) -> Option<Rc<Method>>,
    ) -> Option<Rc<Method>> {
        let mut at = from.to_owned();
        // Files of classes that nobody has loaded may go in circles.
        let mut seen = Vec::new();
        while !seen.contains(&at) {
            let above = match self.names.extender(&at) {
                Some(extender) if !passes(&extender) => return None,
                Some(extender) => extender.above.clone(),
                None => dotted(self.names.dotted(&at)?.super_name.as_deref()?),
            };
            let class = program.class_in_scope(named.code, &above);
            if let Some(found) = class.and_then(|class| find(class)) {
                return Some(found);
            }
            seen.push(std::mem::replace(&mut at, above));
        }
        None
    }

    /// Is it a method that a class out of the scope declares, what a call runs whose receiver is of this class?
    fn overrides(&mut self, program: &Program, class: &str, named: &Named) -> bool {
        let (name, descriptor) = (named.name.as_str(), named.descriptor.as_str());
        let access = self.named_method(program, named).map(|named| named.access);
        let mut at = class.to_owned();
        let mut seen = Vec::new();
        while !seen.contains(&at) {
            let above = if let Some(extender) = self.names.extender(&at) {
                let may = match access {
                    Some(Access::Private) => false,
                    Some(Access::Package) => package(&at) == package(&named.class),
                    Some(Access::Open) | None => true,
                };
                if may && extender.overrides(name, descriptor) {
                    return true;
                }
                extender.above.clone()
            } else {
                let Some(file) = self.names.dotted(&at) else {
                    return false;
                };
                let mut own = file.methods.iter();
                let own = own.any(|m| m.name == name && m.descriptor.descriptor() == descriptor);
                match (own, &file.super_name) {
                    (false, Some(above)) => dotted(above),
                    _ => return false,
                }
            };
            seen.push(std::mem::replace(&mut at, above));
        }
        false
    }
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
