//! What is known of classes by their names, before the JVM has loaded them: from the class path.

use std::rc::Rc;

use jhyde_bytecode::{ClassFile, ClassPath};
use rustc_hash::FxHashMap;

use crate::program::dotted;
use crate::program::flags::{ABSTRACT, NATIVE};
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

    /// A class of the scope, by its name in internal form, if the class path has it.
    pub(crate) fn class(&mut self, name: &str) -> Option<Rc<ClassFile>> {
        if let Some(known) = self.files.get(name) {
            return known.clone();
        }
        let spelt = dotted(name);
        let outside = name.starts_with('[')
            || !self.scope.covers(&spelt, true)
            || (self.scope.is_default() && spelt.starts_with("java."));
        let found = match outside {
            true => None,
            false => self.path.find(name).ok().flatten(),
        };
        let file = found.and_then(|(_, bytes)| ClassFile::parse(bytes).ok().map(Rc::new));
        self.files.insert(name.to_owned(), file.clone());
        file
    }

    /// Can a call of this method, through this class, run nothing but methods of the scope that have code?
    pub(crate) fn declares_method(&mut self, class: &str, name: &str, descriptor: &str) -> bool {
        let mut at = self.class(class);
        while let Some(file) = at {
            let mut methods = file.methods.iter();
            let found = methods.find(|m| m.name == name && m.descriptor.descriptor() == descriptor);
            if let Some(found) = found {
                return u32::from(found.access.0) & (ABSTRACT | NATIVE) == 0
                    && found.code.is_some();
            }
            at = file
                .super_name
                .as_deref()
                .and_then(|above| self.class(above));
        }
        false
    }

    /// Does a class of the scope declare the field of this name?
    pub(crate) fn declares_field(&mut self, class: &str, name: &str) -> bool {
        let mut at = self.class(class);
        while let Some(file) = at {
            if file.fields.iter().any(|field| field.name == name) {
                return true;
            }
            at = file
                .super_name
                .as_deref()
                .and_then(|above| self.class(above));
        }
        false
    }
}
