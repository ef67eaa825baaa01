//! Which method a call runs (JVMS 5.4.3.3, 5.4.6) where classes out of the scope lie below classes of the scope. The JVM says what those
//! extend and declare; what class files say of them ([`crate::probe::extenders`]) decides only what calls tell.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, reference_type, virtual_machine};
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use super::casts::{Hierarchy, or_gone};
use super::routine::Callee;
use super::run::{Owner, Stopped};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::probe::extenders::{Declared, Signature, declared};
use crate::program::{Access, Class, Method, Named, Program};
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

/// What the JVM has said of classes out of the scope.
#[derive(Debug, Default)]
pub(super) struct Asked {
    named: FxHashMap<String, Option<ReferenceTypeId>>,
    extends: FxHashMap<ReferenceTypeId, Option<ReferenceTypeId>>,
    declares: FxHashMap<ReferenceTypeId, Rc<Declared>>,
    /// By method and constant: see [`Deriver::inherits_from`].
    inherits: FxHashMap<(MethodId, u16), (usize, Option<ReferenceTypeId>)>,
    /// See [`Deriver::above_outside`].
    above: FxHashMap<(String, Option<Signature>), Option<ReferenceTypeId>>,
    /// See [`Deriver::meet_above`]: of the lowest run of classes of the scope.
    beyond: FxHashMap<ReferenceTypeId, ReferenceTypeId>,
}

/// A method on the way up, if it is of the scope, who may override it, and its package.
type Candidate = (Option<Rc<Method>>, Option<Access>, Option<String>);

/// The one of these, from below, that overrides one which only classes of its package can override, or overrides one that does (JVMS 5.4.5).
fn overriding<'f>(found: &'f [Candidate], resolved: &Rc<Method>) -> Option<&'f Candidate> {
    let is_it = |(method, ..): &Candidate| {
        method
            .as_ref()
            .is_some_and(|method| Rc::ptr_eq(method, resolved))
    };
    let from = found.iter().position(is_it)?;
    let mut overridden = vec![found.get(from)?];
    for candidate in found[..from].iter().rev() {
        let overrides = |(_, access, package): &&Candidate| {
            *access == Some(Access::Open) || *package == candidate.2
        };
        if overridden.iter().any(overrides) {
            overridden.push(candidate);
        }
    }
    overridden.last().copied()
}

fn signature(named: &Named) -> Signature {
    (named.name.clone(), named.descriptor.clone())
}

/// A class, of the scope or not, on the way up.
type Step = (ReferenceTypeId, bool);

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

    /// The class of the scope that declares the static method which a call runs, if a class out of the scope lies between that and the
    /// class that is named.
    pub(super) fn inherits_from(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        callee: &Callee,
    ) -> Result<Owner, Stopped> {
        if !self.names.has_extenders() {
            return Ok(Owner::Outside);
        }
        let key = (routine.id, callee.constant);
        let known = self.asked.inherits.get(&key);
        let of = match known.filter(|(covered, _)| *covered == program.covered) {
            Some((_, known)) => *known,
            None => {
                let of = match self.resolved(program, link, routine, &callee.named)? {
                    Some(Selected::Scope(method)) => self.routines.get(&method.id),
                    Some(Selected::Unknown) => {
                        // A class that the JVM has not loaded or linked it has not called.
                        return Ok(match self.complete || thread.is_past()? {
                            true => Owner::Outside,
                            false => Owner::Awaited,
                        });
                    }
                    _ => None,
                };
                let of = of.map(|routine| routine.class);
                self.asked.inherits.insert(key, (program.covered, of));
                of
            }
        };
        let class = of.and_then(|class| program.classes.get(&class));
        Ok(class.map_or(Owner::Outside, |class| Owner::Scope(Rc::clone(class))))
    }

    /// The first class of the scope above one out of the scope, which is initialised before that (JVMS 5.5): because an object of it is made,
    /// or a static method called that it declares, or one out of the scope above it.
    pub(super) fn above_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        (class, called): (&str, Option<&Named>),
    ) -> Result<Owner, Stopped> {
        if !self.names.has_extenders() || self.names.extender(class).is_none() {
            return Ok(Owner::Outside);
        }
        let key = (class.to_owned(), called.map(signature));
        let found = match self.asked.above.get(&key) {
            Some(known) => Some(*known),
            None => self.find_above(program, link, (class, called))?,
        };
        let Some(found) = found else {
            return match self.complete || thread.is_past()? {
                true => Ok(Owner::Outside),
                false => Ok(Owner::Awaited),
            };
        };
        self.asked.above.insert(key, found);
        let class = found.and_then(|class| program.classes.get(&class));
        Ok(class.map_or(Owner::Outside, |class| Owner::Scope(Rc::clone(class))))
    }

    /// `None`: that cannot be said, or not yet.
    fn find_above(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        (class, called): (&str, Option<&Named>),
    ) -> Result<Option<Option<ReferenceTypeId>>, LinkError> {
        let Some(found) = self.named(program, link, class)? else {
            return Ok(None);
        };
        let Some(way) = self.way_up(program, link, found)? else {
            return Ok(None);
        };
        let mut from = 0;
        if let Some(called) = called {
            let outside = way.iter().take_while(|(_, in_scope)| !in_scope);
            let outside: Vec<_> = outside.map(|(class, _)| *class).collect();
            let mut declaring = None;
            for (at, class) in outside.into_iter().enumerate() {
                let Some(declared) = self.declares(link, class)? else {
                    return Ok(None);
                };
                if declared.contains_key(&signature(called)) {
                    declaring = Some(at);
                    break;
                }
            }
            let Some(declaring) = declaring else {
                return Ok(Some(None));
            };
            from = declaring;
        }
        let first = way[from..].iter().find(|(_, in_scope)| *in_scope);
        Ok(Some(first.map(|(class, _)| *class)))
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
                found.push((method.map(Rc::clone), access, package));
            }
        }
        let chosen = match of_receiver {
            Some(Some(resolved)) if resolved.access == Access::Package => {
                match overriding(&found, resolved) {
                    Some(chosen) => Some(chosen),
                    None => return Ok(Some(Selected::Unknown)),
                }
            }
            _ => found.first(),
        };
        Ok(match chosen {
            Some((Some(method), ..)) => Some(Selected::Scope(Rc::clone(method))),
            Some((None, ..)) => Some(Selected::Outside),
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
            let direct = match &self.hierarchy {
                Some(hierarchy) => hierarchy.direct(class).map(<[_]>::to_vec),
                None => {
                    let asked = link.request(&reference_type::Interfaces { ref_type: class });
                    or_gone(asked)?.and_then(Result::ok)
                }
            };
            let Some(direct) = direct else {
                return Ok(false);
            };
            for above in direct {
                let known = program.classes.get(&above);
                let in_scope = known.is_some_and(|known| known.in_scope);
                if in_scope || open.contains(&above) {
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

    /// A class and those above it, up to the first of the JDK. `None`: nobody can say any more.
    fn way_up(
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
            let Some(extends) = self.extends(link, at)? else {
                return Ok(None);
            };
            next = extends;
        }
        Ok(Some(way))
    }

    fn name(
        &self,
        program: &mut Program,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<String>, LinkError> {
        if let Some(hierarchy) = &self.hierarchy {
            let known = || program.classes.get(&class).map(|known| known.name.clone());
            return Ok(hierarchy.name(class).or_else(known));
        }
        Ok(or_gone(program.class(link, class))?.map(|known| known.name.clone()))
    }

    /// The class of a name, if there is one and no other.
    fn named(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        name: &str,
    ) -> Result<Option<ReferenceTypeId>, LinkError> {
        if let Some(known) = self.asked.named.get(name) {
            return Ok(*known);
        }
        if let Some(hierarchy) = &self.hierarchy {
            return Ok(hierarchy.named(name));
        }
        let Ok(signature) = jhyde_bytecode::name_to_signature(name) else {
            return Ok(None);
        };
        let signature = signature.as_str().into();
        let told = or_gone(link.request(&virtual_machine::ClassesBySignature { signature }))?;
        let found = told.and_then(Result::ok).unwrap_or_default();
        let [only] = &found[..] else {
            return Ok(None);
        };
        self.asked.named.insert(name.to_owned(), Some(only.type_id));
        or_gone(program.class(link, only.type_id))?;
        Ok(Some(only.type_id))
    }

    fn extends(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Option<Option<ReferenceTypeId>>, LinkError> {
        if let Some(&known) = self.asked.extends.get(&class) {
            return Ok(Some(known));
        }
        if let Some(hierarchy) = &self.hierarchy {
            return Ok(hierarchy.extends(class));
        }
        let Some(told) = or_gone(link.request(&class_type::Superclass { class }))? else {
            return Ok(None);
        };
        // Interfaces extend none.
        let above = told.ok().filter(|above| !above.is_null());
        self.asked.extends.insert(class, above);
        Ok(Some(above))
    }

    fn declares(
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
