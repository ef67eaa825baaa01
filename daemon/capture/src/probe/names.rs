//! What is known of classes by their names, before the JVM has loaded them: from the class path.

use std::rc::Rc;

use jhyde_bytecode::{ClassFile, ClassPath};
use rustc_hash::FxHashMap;

use crate::program::dotted;
use crate::program::flags::{ABSTRACT, NATIVE, SYNCHRONIZED, VOLATILE};
use crate::scope::Scope;

/// See the module.
pub(crate) struct Names {
    path: ClassPath,
    scope: Scope,
    files: FxHashMap<String, Option<Rc<ClassFile>>>,
}

impl Names {
    pub(crate) fn new(path: ClassPath, scope: Scope) -> Self {
        Self {
            path,
            scope,
            files: FxHashMap::default(),
        }
    }

    /// Has the class path classes that are none of the scope? They may use reflection on its objects.
    pub(crate) fn has_others(&self) -> bool {
        let all = self.path.sources().iter();
        // What cannot be listed may have anything.
        all.map(|source| source.names()).any(|names| {
            names.map_or(true, |names| {
                let others = names.iter().filter(|name| !name.ends_with("-info"));
                others
                    .map(|name| dotted(name))
                    .any(|name| !self.scope.may_cover(&name))
            })
        })
    }

    /// A class of the scope, by its name in internal form, if the class path has it.
    pub(crate) fn class(&mut self, name: &str) -> Option<Rc<ClassFile>> {
        if let Some(known) = self.files.get(name) {
            return known.clone();
        }
        let spelt = dotted(name);
        let outside = name.starts_with('[') || !self.scope.may_cover(&spelt);
        let found = match outside {
            true => None,
            false => self.path.find(name).ok().flatten(),
        };
        let file = found.and_then(|(_, bytes)| ClassFile::parse(bytes).ok().map(Rc::new));
        self.files.insert(name.to_owned(), file.clone());
        file
    }

    /// What a call of this method through this class runs, if that can be nothing but methods of the scope that have code.
    pub(crate) fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Option<Declared> {
        let mut at = self.class(class);
        while let Some(file) = at {
            let mut methods = file.methods.iter();
            let found = methods.find(|m| m.name == name && m.descriptor.descriptor() == descriptor);
            if let Some(found) = found {
                let flags = u32::from(found.access.0);
                let runs = flags & (ABSTRACT | NATIVE) == 0 && found.code.is_some();
                return runs.then_some(Declared {
                    synchronized: flags & SYNCHRONIZED != 0,
                });
            }
            at = self.above(&file);
        }
        None
    }

    /// The field of this name that a class of the scope declares.
    pub(crate) fn field(&mut self, class: &str, name: &str) -> Option<DeclaredField> {
        let mut at = self.class(class);
        while let Some(file) = at {
            if let Some(field) = file.fields.iter().find(|field| field.name == name) {
                return Some(DeclaredField {
                    volatile: u32::from(field.access.0) & VOLATILE != 0,
                });
            }
            at = self.above(&file);
        }
        None
    }

    fn above(&mut self, file: &ClassFile) -> Option<Rc<ClassFile>> {
        file.super_name
            .as_deref()
            .and_then(|above| self.class(above))
    }
}

/// A method of the scope, as far as its callers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    /// It may wait before it begins.
    pub(crate) synchronized: bool,
}

/// A field of the scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredField {
    pub(crate) volatile: bool,
}
