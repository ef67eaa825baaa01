//! Which method a call runs (JVMS 5.4.3.3, 5.4.6) where classes out of the scope lie below classes of the scope. The JVM says what those
//! extend and declare ([`super::above`]); what class files say of them ([`crate::probe::extenders`]) decides only what calls tell.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_bytecode::InvokeKind;
use jhyde_trace::ClassId;

use super::above::{Step, signature};
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::{Access, Method, Named, Program};
use crate::scope::looks_like_jdk;

/// What a call runs, where a class out of the scope has a part in that.
pub(super) enum Selected {
    /// A method of the scope.
    Scope(Rc<Method>),
    /// One that a class out of the scope declares, or an interface.
    Outside,
    /// This one, which an interface of the scope declares with code, or one that overrides it in an interface below: the log says which.
    Inherited(Rc<Method>),
    /// That is not known: the JVM has gone, or there are several classes of a name.
    Unknown,
}

/// A method on the way up.
struct Candidate {
    /// Nothing, if it is none of the scope.
    method: Option<Rc<Method>>,
    /// Who may override it; nothing for a static method.
    access: Option<Access>,
    package: Option<String>,
}

/// Which of these, from below, overrides the one at this place, which only classes of its package can override, or overrides one that does
/// (JVMS 5.4.5).
fn overriding(found: &[Candidate], at: usize) -> usize {
    let mut overridden = vec![at];
    for (below, candidate) in found.iter().enumerate().take(at).rev() {
        let overrides = |&above: &usize| {
            found[above].access == Some(Access::Open) || found[above].package == candidate.package
        };
        if overridden.iter().any(overrides) {
            overridden.push(below);
        }
    }
    overridden.into_iter().min().unwrap_or(at)
}

impl Deriver {
    /// What a call runs whose receiver is of this class. `None`: no class out of the scope has a part in it.
    pub(super) fn selected(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        class: ClassId,
        named: &Named,
    ) -> Result<Option<Selected>, LinkError> {
        let resolved = program.declared_in_scope(named);
        if let Some(method) = &resolved
            && method.access == Access::Private
        {
            return Ok(Some(Selected::Scope(Rc::clone(method))));
        }
        let name = program.name_of(class).unwrap_or_default();
        let in_scope = program.is_class_in_scope(class);
        let is_plain = looks_like_jdk(&name) || name.ends_with("[]") || name.contains("$$Lambda");
        if !in_scope && is_plain {
            return Ok(None);
        }
        let found = match program.type_of(class) {
            Some(found) => Some(found),
            None => self.named(program, link, &name)?,
        };
        let Some(found) = found else {
            let may_be_below = self.names.extender(&name).is_some();
            return Ok(may_be_below.then_some(Selected::Unknown));
        };
        self.choose(program, link, found, (named, Some(resolved.as_ref())))
    }

    /// The same of a call that names its method's class and runs what that has or inherits.
    pub(super) fn resolved(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        named: &Named,
    ) -> Result<Option<Selected>, LinkError> {
        if named.name == "<init>" || looks_like_jdk(&named.class) || named.class.ends_with("[]") {
            return Ok(None);
        }
        let of_scope = program.class_in_scope(named.code, &named.class);
        let found = match of_scope.map(|class| class.id) {
            Some(class) => program.type_of(class),
            None if self.names.extender(&named.class).is_some() => {
                // Mostly it is what the caller's class extends.
                let caller = program.classes.get(&routine.class);
                let above = caller.and_then(|caller| caller.above.first()).copied();
                match above {
                    Some(above)
                        if self.name(program, link, above)? == Some(named.class.clone()) =>
                    {
                        Some(above)
                    }
                    _ => match self.named(program, link, &named.class)? {
                        Some(found) => Some(found),
                        None => return Ok(Some(Selected::Unknown)),
                    },
                }
            }
            None => None,
        };
        match found {
            Some(found) => self.choose(program, link, found, (named, None)),
            None => Ok(None),
        }
    }

    /// The first of a class and those above it that declares the method, if one out of the scope lies below one of the scope. For a
    /// call with a receiver: the first that overrides the one that is named, if the scope declares that.
    fn choose(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
        (named, of_receiver): (&Named, Option<Option<&Rc<Method>>>),
    ) -> Result<Option<Selected>, LinkError> {
        let Some(way) = self.way_up(program, link, class)? else {
            return Ok(Some(Selected::Unknown));
        };
        let outside = way.iter().position(|(_, in_scope)| !in_scope);
        let is_mixed = outside.is_some_and(|at| way[at..].iter().any(|(_, in_scope)| *in_scope));
        // A method with code that an interface of the scope declares.
        let default = of_receiver.flatten().filter(|resolved| {
            outside == Some(0) && named.kind == InvokeKind::Interface && !resolved.is_abstract
        });
        if !is_mixed && default.is_none() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for &(class, in_scope) in &way {
            let Some(name) = self.name(program, link, class)? else {
                return Ok(Some(Selected::Unknown));
            };
            let (method, access) = if in_scope {
                let known = program.classes.get(&class);
                let mut methods = known.iter().flat_map(|known| &known.methods);
                let own = methods.find(|method| {
                    method.name == named.name && method.descriptor == named.descriptor
                });
                let Some(own) = own else { continue };
                (Some(own), own.receiver.then_some(own.access))
            } else {
                let Some(declared) = self.declares(link, class)? else {
                    return Ok(Some(Selected::Unknown));
                };
                match declared.get(&signature(named)) {
                    Some(access) => (None, *access),
                    None => continue,
                }
            };
            let selects = access.is_some_and(|access| access != Access::Private);
            if selects || of_receiver.is_none() {
                let package = name.rsplit_once('.');
                let package = package.map(|(package, _)| package.to_owned());
                found.push(Candidate {
                    method: method.map(Rc::clone),
                    access,
                    package,
                });
            }
        }
        let chosen = match of_receiver.flatten() {
            Some(resolved) if resolved.access == Access::Package => {
                let is_it = |one: &Candidate| {
                    let method = one.method.as_ref();
                    method.is_some_and(|method| Rc::ptr_eq(method, resolved))
                };
                match found.iter().position(is_it) {
                    Some(at) => found.get(overriding(&found, at)),
                    None => return Ok(Some(Selected::Unknown)),
                }
            }
            _ => found.first(),
        };
        Ok(match chosen {
            Some(chosen) => Some(match &chosen.method {
                Some(method) => Selected::Scope(Rc::clone(method)),
                None => Selected::Outside,
            }),
            // What interfaces have is looked for as if there were no class out of the scope, if the receiver is of the scope.
            None => match default {
                Some(default) => match self.declare_nothing(program, link, &way, named)? {
                    true => Some(Selected::Inherited(Rc::clone(default))),
                    false => Some(Selected::Unknown),
                },
                None => (outside == Some(0)).then_some(Selected::Outside),
            },
        })
    }

    /// Is it certain that no interface out of the scope and the JDK declares the method that is named, of those that these classes have?
    fn declare_nothing(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        way: &[Step],
        named: &Named,
    ) -> Result<bool, LinkError> {
        let outside = way.iter().filter(|(_, in_scope)| !in_scope);
        let mut open: Vec<_> = outside.map(|(class, _)| *class).collect();
        let classes = open.len();
        let mut at = 0;
        while let Some(&class) = open.get(at) {
            at += 1;
            if at > classes {
                match self.declares(link, class)? {
                    Some(declared) if !declared.contains_key(&signature(named)) => {}
                    _ => return Ok(false),
                }
            }
            let Some(direct) = self.supertypes(program, link, class)? else {
                return Ok(false);
            };
            for above in direct.interfaces {
                if program.is_type_in_scope(above) || open.contains(&above) {
                    continue;
                }
                let name = self.name(program, link, above)?;
                if !name.is_some_and(|name| looks_like_jdk(&name)) {
                    open.push(above);
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_a_package_are_overridden_in_it_and_by_what_overrides_those() {
        let of = |(package, access): (&str, Access)| Candidate {
            method: None,
            access: Some(access),
            package: Some(package.to_owned()),
        };
        // The packages from below, and who may override the method there; the last one is the one that is called.
        let selects = |all: &[(&str, Access)]| {
            let found: Vec<_> = all.iter().copied().map(of).collect();
            overriding(&found, found.len() - 1)
        };
        let (own, open) = (Access::Package, Access::Open);
        assert_eq!(selects(&[("p", own)]), 0);
        assert_eq!(selects(&[("q", open), ("p", own)]), 1);
        assert_eq!(selects(&[("p", own), ("q", own), ("p", own)]), 0);
        assert_eq!(selects(&[("q", open), ("p", open), ("p", own)]), 0);
        assert_eq!(selects(&[("q", own), ("p", own), ("p", own)]), 1);
        assert_eq!(selects(&[("q", own), ("q", open), ("p", own)]), 2);
    }
}
