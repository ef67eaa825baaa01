//! Classes out of the scope that extend classes of the scope, as far as class files tell: what they override, calls of the scope may run
//! instead of the scope's own code. Interfaces need none of this: a call of one's method may always leave the scope.

use std::rc::Rc;

use jhyde_bytecode::{ClassFile, ClassSource};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use crate::program::flags::STATIC;
use crate::program::{Access, dotted};

/// A method's name and descriptor.
pub(crate) type Signature = (String, String);

/// The methods of a class, and who may override them; nothing for static methods and constructors.
pub(crate) type Declared = FxHashMap<Signature, Option<Access>>;

/// Of methods by name, descriptor and access flags (JVMS 4.6).
pub(crate) fn declared(methods: impl Iterator<Item = (String, String, u32)>) -> Declared {
    let all = methods.map(|(name, descriptor, flags)| {
        let has_receiver = flags & STATIC == 0 && !name.starts_with('<');
        ((name, descriptor), has_receiver.then(|| Access::of(flags)))
    });
    all.collect()
}

/// A class out of the scope, below one of the scope.
#[derive(Debug)]
pub(crate) struct Extender {
    /// The internal name of what it extends.
    pub(crate) above: String,
    declares: Declared,
}

impl Extender {
    /// Declares it this method, of whatever kind?
    pub(crate) fn declares(&self, name: &str, descriptor: &str) -> bool {
        self.declares.contains_key(&signature(name, descriptor))
    }
}

fn signature(name: &str, descriptor: &str) -> Signature {
    (name.to_owned(), descriptor.to_owned())
}

/// All of them, by dotted name, and what they override.
#[derive(Debug, Default)]
pub(super) struct Extenders {
    all: FxHashMap<String, Rc<Extender>>,
    /// By dotted name of a class of the scope, or of one of these: what may override its methods in those below it.
    overridden: FxHashMap<String, FxHashSet<Signature>>,
}

impl Names {
    /// Is there a class out of the scope, below this one, that has a method of that name and descriptor? Names are dotted.
    pub(crate) fn is_overridden(&mut self, class: &str, name: &str, descriptor: &str) -> bool {
        let extenders = self.extenders();
        let overridden = extenders.overridden.get(class);
        overridden.is_some_and(|all| all.contains(&signature(name, descriptor)))
    }

    /// Are there any?
    pub(crate) fn has_extenders(&mut self) -> bool {
        !self.extenders().all.is_empty()
    }

    /// The class out of the scope with this dotted name, if it is below one of the scope.
    pub(crate) fn extender(&mut self, name: &str) -> Option<Rc<Extender>> {
        self.extenders().all.get(name).cloned()
    }

    /// They are searched for once for each place where classes lie: what extends what stands at the start of a class file.
    fn extenders(&mut self) -> Rc<Extenders> {
        if let Some(known) = &self.extenders {
            return Rc::clone(known);
        }
        let found = Rc::new(self.find_extenders());
        self.extenders = Some(Rc::clone(&found));
        found
    }

    fn find_extenders(&mut self) -> Extenders {
        let mut above: FxHashMap<String, (usize, String)> = FxHashMap::default();
        for (at, others) in self.others().iter().enumerate().rev() {
            // The first place counts that has a class.
            let extending = others.extending.iter().cloned();
            above.extend(extending.map(|(name, extends)| (name, (at, extends))));
        }
        let mut found = Extenders::default();
        for (name, (at, extends)) in &above {
            let chain = self.chain(extends, &above);
            if !chain.iter().any(|class| self.may_cover(class)) {
                continue;
            }
            let source = &self.sources()[*at];
            let Some(extender) = read(source, name, extends) else {
                continue;
            };
            let may_override =
                |access: &Option<Access>| access.is_some_and(|access| access != Access::Private);
            for class in chain {
                let of_class = found.overridden.entry(dotted(&class)).or_default();
                let overrides = extender.declares.iter();
                let overrides = overrides.filter(|(_, access)| may_override(access));
                of_class.extend(overrides.map(|(signature, _)| signature.clone()));
            }
            found.all.insert(dotted(name), Rc::new(extender));
        }
        found
    }

    /// What is above a class out of the scope that extends this one, as far as it is here. Names are internal ones. Files that nobody has
    /// loaded may go in circles.
    fn chain(&mut self, extends: &str, above: &FxHashMap<String, (usize, String)>) -> Vec<String> {
        let mut chain: Vec<String> = Vec::new();
        let mut next = Some(extends.to_owned());
        while let Some(name) = next.filter(|name| !chain.contains(name)) {
            next = match (above.get(&name), self.class(&name)) {
                (Some((_, extends)), _) => Some(extends.clone()),
                (None, Some(file)) => file.super_name.clone(),
                (None, None) => break,
            };
            chain.push(name);
        }
        chain
    }
}

fn read(source: &ClassSource, name: &str, extends: &str) -> Option<Extender> {
    let file = ClassFile::parse(source.read(name).ok()??).ok()?;
    let methods = file.methods.iter().map(|method| {
        let descriptor = method.descriptor.descriptor();
        (method.name.clone(), descriptor, u32::from(method.access.0))
    });
    Some(Extender {
        above: extends.to_owned(),
        declares: declared(methods),
    })
}
