//! What is known of classes by their names, before the JVM has loaded them: from the class path.

use std::path::Path;
use std::rc::Rc;

use jhyde_bytecode::{ClassFile, ClassPath, ClassSource};
use rustc_hash::{FxHashMap, FxHashSet};

use super::extenders::{Extender, Extenders};
use super::origin::Origin;
use super::others::Others;
use super::unseen::{finalizes, may_find, named_methods, only_links, shares_arrays};
use crate::program::flags::{ABSTRACT, NATIVE, SYNCHRONIZED, VOLATILE};
use crate::program::{Named, dotted};
use crate::scope::Scope;

/// In more classes than these it is not searched for ways to objects that nobody shows: they are taken to have some.
const MOST_SEARCHED: usize = 2_000;

/// See the module.
pub(crate) struct Names {
    path: ClassPath,
    /// The Java release whose versions of classes are taken from jars that have several.
    release: u16,
    scope: Scope,
    files: FxHashMap<String, Option<Rc<ClassFile>>>,
    /// What the JVM gave, of classes that are nowhere else, or another there.
    learnt: FxHashMap<String, Rc<ClassFile>>,
    /// Where it was looked besides the class path.
    searched: FxHashSet<Origin>,
    /// [`super::extenders`], once they were searched for.
    pub(super) extenders: Option<Rc<Extenders>>,
    /// By place: the classes there that are none of the scope, as far as that was looked at.
    pub(super) others: Vec<Others>,
}

impl Names {
    pub(crate) fn new(path: ClassPath, release: u16, scope: Scope) -> Self {
        Self {
            path,
            release,
            scope,
            files: FxHashMap::default(),
            learnt: FxHashMap::default(),
            searched: FxHashSet::default(),
            extenders: None,
            others: Vec::new(),
        }
    }

    /// May classes be out of the scope that are not the JDK's?
    pub(crate) fn has_others(&self) -> bool {
        self.scope.is_partial()
    }

    /// Has a class a file on the class path, or was it learnt, whether or not it is of the scope?
    pub(super) fn has_file(&mut self, class: &str) -> bool {
        if self.dotted(class).is_some() {
            return true;
        }
        let known = self.path.find(&class.replace('.', "/"));
        known.is_ok_and(|found| found.is_some())
    }

    /// Where classes lie.
    pub(super) fn sources(&self) -> &[ClassSource] {
        self.path.sources()
    }

    /// May a class be of the scope, by its name in internal form?
    pub(super) fn may_cover(&self, name: &str) -> bool {
        self.scope.may_cover(&dotted(name))
    }

    /// The same by its dotted name.
    pub(crate) fn may_be_in_scope(&self, name: &str) -> bool {
        self.scope.may_cover(name)
    }

    /// Searches a place, too, behind all others.
    ///
    /// # Errors
    /// It cannot be read, or has ways to objects that nobody shows ([`Self::expect_unseen`]) where those were not `expected`; the reason. It is not searched then.
    pub(super) fn search(&mut self, place: &Origin, expected: bool) -> Result<(), String> {
        if !self.searched.insert(place.clone()) {
            return Ok(());
        }
        let opened = match &place.inside {
            Some(entry) => ClassSource::open_inside(&place.path, entry, self.release),
            None if self.has(&place.path) => return Ok(()),
            None => ClassSource::open(&place.path, self.release),
        };
        let source = opened.map_err(|error| error.to_string())?;
        self.path.push(source);
        self.extenders = None;
        // What was not found may be there.
        self.files.retain(|_, file| file.is_some());
        if expected || !self.expect_unseen() {
            return Ok(());
        }
        self.path.pop();
        self.others.truncate(self.path.sources().len());
        self.extenders = None;
        self.files.clear();
        Err(
            "by its code objects may be got at that nobody shows, which was not expected"
                .to_owned(),
        )
    }

    /// Takes a class as the JVM has it, whatever other places have under its name.
    ///
    /// # Errors
    /// It cannot be read, or has such ways where they were not `expected`; the reason. It is not known then.
    pub(super) fn learn(&mut self, bytes: Vec<u8>, expected: bool) -> Result<(), String> {
        let file = ClassFile::parse(bytes).map_err(|error| error.to_string())?;
        let name = file.name.clone();
        let before = self.learnt.insert(name.clone(), Rc::new(file));
        if expected || !self.has_unseen(&name) {
            return Ok(());
        }
        match before {
            Some(before) => self.learnt.insert(name, before),
            None => self.learnt.remove(&name),
        };
        Err(
            "by its code objects may be got at that nobody shows, which was not expected"
                .to_owned(),
        )
    }

    fn has(&self, place: &Path) -> bool {
        self.path.sources().iter().any(|one| one.path() == place)
    }

    /// May code out of the scope get at objects that nobody has shown it: [`super::unseen`]? By classes of the class path that are none of the scope, or
    /// by what those of the scope are and call.
    pub(crate) fn expect_unseen(&mut self) -> bool {
        let all = self.path.sources().iter().map(ClassSource::names);
        let Ok(all) = all.collect::<Result<Vec<_>, _>>() else {
            // What cannot be listed may have anything.
            return true;
        };
        let all = all.concat();
        let classes: Vec<&String> = all.iter().filter(|n| !n.ends_with("-info")).collect();
        let other = |name: &&String| !self.scope.may_cover(&dotted(name));
        classes.iter().any(other)
            || classes.len() > MOST_SEARCHED
            || classes.iter().any(|name| self.has_unseen(name))
    }

    /// Is there a way to objects that nobody shows, by what this class calls or is?
    fn has_unseen(&mut self, name: &str) -> bool {
        let Some(file) = self.class(name) else {
            return false;
        };
        let reflects = |named: Named| self.uses_reflection(&named) || may_find(&named);
        file.methods.iter().any(finalizes)
            || named_methods(&file).any(reflects)
            || shares_arrays(&file)
    }

    /// May what is called write fields by reflection, or read them? Code of the scope tells itself what it does.
    pub(crate) fn uses_reflection(&mut self, named: &Named) -> bool {
        crate::events::reflects(named)
            && !only_links(named)
            && !named.class.ends_with("[]")
            && self.dotted(&named.class).is_none()
    }

    /// A class of the scope, by its dotted name, if the class path has it.
    pub(crate) fn dotted(&mut self, name: &str) -> Option<Rc<ClassFile>> {
        self.class(&name.replace('.', "/"))
    }

    /// A class of the scope, by its name in internal form, if the class path has it.
    pub(crate) fn class(&mut self, name: &str) -> Option<Rc<ClassFile>> {
        if let Some(learnt) = self.learnt.get(name) {
            return Some(Rc::clone(learnt));
        }
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

    /// What a call of this method through this class runs, if that can be nothing but methods of the scope that have code, or what
    /// overrides them ([`Self::is_overridden`]). `inherits`: it may be what a class out of the scope has inherited.
    pub(crate) fn method(
        &mut self,
        class: &str,
        (name, descriptor): (&str, &str),
        inherits: bool,
    ) -> Option<Declared> {
        let passes = |extender: &Extender| inherits && !extender.declares(name, descriptor);
        self.declaring(class, (false, &passes), &mut Vec::new(), &|file| {
            let mut methods = file.methods.iter();
            let found = methods.find(|m| m.name == name && m.descriptor.descriptor() == descriptor);
            found.map(|found| {
                let flags = u32::from(found.access.0);
                let runs = flags & (ABSTRACT | NATIVE) == 0 && found.code.is_some();
                runs.then_some(Declared {
                    class: Rc::clone(file),
                    synchronized: flags & SYNCHRONIZED != 0,
                })
            })
        })
        .flatten()
    }

    /// The field that this name means in a class, if the scope declares it (JVMS 5.4.3.2).
    pub(crate) fn field(&mut self, class: &str, name: &str) -> Option<DeclaredField> {
        self.declaring(class, (true, &|_| false), &mut Vec::new(), &|file| {
            let found = file.fields.iter().find(|field| field.name == name);
            found.map(|field| DeclaredField {
                class: Rc::clone(file),
                volatile: u32::from(field.access.0) & VOLATILE != 0,
            })
        })
    }

    /// What is found in a class, or else above it: in its interfaces, if those count, and then in its superclass; past a class out of the
    /// scope where that may be passed. Each is looked at once: class files that nobody has loaded may go in circles.
    fn declaring<T>(
        &mut self,
        class: &str,
        (interfaces, passes): (bool, &dyn Fn(&Extender) -> bool),
        seen: &mut Vec<String>,
        find: &dyn Fn(&Rc<ClassFile>) -> Option<T>,
    ) -> Option<T> {
        if seen.iter().any(|seen| seen == class) {
            return None;
        }
        seen.push(class.to_owned());
        let ways = (interfaces, passes);
        let Some(file) = self.class(class) else {
            let extender = self
                .extender(&dotted(class))
                .filter(|found| passes(found))?;
            return self.declaring(&extender.above, ways, seen, find);
        };
        let found = find(&file);
        if found.is_some() {
            return found;
        }
        let above = file.interfaces.iter().filter(|_| interfaces);
        above
            .chain(&file.super_name)
            .find_map(|above| self.declaring(above, ways, seen, find))
    }
}

/// A method of the scope, as far as its callers see it.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// Whose it is.
    pub(crate) class: Rc<ClassFile>,
    /// It may wait before it begins.
    pub(crate) synchronized: bool,
}

/// A field of the scope.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredField {
    /// Whose it is.
    pub(crate) class: Rc<ClassFile>,
    pub(crate) volatile: bool,
}
