//! Classes out of the scope that extend classes of the scope, as far as class files tell: what they override, calls of the scope may run
//! instead of the scope's own code. Interfaces need none of this: a call of one's method may always leave the scope.

use std::rc::Rc;

use jhyde_bytecode::{ClassFile, ClassSource};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use crate::program::dotted;

/// A method's name and descriptor.
type Signature = (String, String);

/// A class out of the scope, below one of the scope.
#[derive(Debug)]
pub(crate) struct Extender {
    /// The dotted name of what it extends.
    pub(crate) above: String,
    /// Its methods, and whether they may override others.
    declares: FxHashMap<Signature, bool>,
}

impl Extender {
    /// Declares it a method that may override this one?
    pub(crate) fn overrides(&self, name: &str, descriptor: &str) -> bool {
        let found = self.declares.get(&signature(name, descriptor));
        found.copied().unwrap_or_default()
    }

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
        for (at, source) in self.sources().iter().enumerate() {
            // What cannot be read is no class that a JVM has.
            for name in source.names().unwrap_or_default() {
                if self.may_cover(&name) || above.contains_key(&name) {
                    continue;
                }
                let bytes = source.read(&name).ok().flatten();
                let extends = bytes.and_then(|bytes| ClassFile::super_name_of(&bytes).ok()?);
                // Mostly it extends the one class that is never of the scope.
                let extends = extends.filter(|extends| extends != "java/lang/Object");
                above.extend(extends.map(|extends| (name, (at, extends))));
            }
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
            for class in chain {
                let of_class = found.overridden.entry(dotted(&class)).or_default();
                let overrides = extender
                    .declares
                    .iter()
                    .filter(|(_, overrides)| **overrides);
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
    let declares = file.methods.iter().map(|method| {
        let (access, name) = (method.access, method.name.clone());
        let overrides = !access.is_static() && !access.is_private() && !name.starts_with('<');
        ((name, method.descriptor.descriptor()), overrides)
    });
    Some(Extender {
        above: dotted(extends),
        declares: declares.collect(),
    })
}
