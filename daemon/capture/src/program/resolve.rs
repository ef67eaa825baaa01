//! What names mean: fields and methods as the JVM resolves and selects them (JVMS 5.4.3, 5.4.6), and who is whose subtype.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_trace::{ClassId, MethodInfo};

use super::{Access, Class, Field, Loader, Method, MethodKey, Named, Program};
use crate::scope::looks_like_jdk;

impl Program {
    /// The field that an instruction names, as far as the scope declares it (JVMS 5.4.3.2).
    pub(crate) fn field_named(&self, code: Loader, class: &str, name: &str) -> Option<Field> {
        let class = self.class_in_scope(code, class)?;
        self.field_of(class, name)
    }

    /// The field that a name means in a class, as far as the scope declares it (JVMS 5.4.3.2).
    pub(crate) fn field_of(&self, class: &Class, name: &str) -> Option<Field> {
        let own = class.fields.iter().find(|field| field.name == name);
        own.cloned().or_else(|| {
            let above = class
                .above
                .iter()
                .filter_map(|above| self.classes.get(above));
            above.filter_map(|above| self.field_of(above, name)).next()
        })
    }

    /// The class of the scope that declares the static field which code means by the names of a class and a field: access
    /// initialises it, and not the class that is named (JVMS 5.5).
    pub(crate) fn declaring_field<'a>(&'a self, class: &'a Class, name: &str) -> Option<&'a Class> {
        if class.fields.iter().any(|field| field.name == name) {
            return Some(class);
        }
        let above = class
            .above
            .iter()
            .filter_map(|above| self.classes.get(above));
        above
            .filter(|above| above.in_scope)
            .find_map(|above| self.declaring_field(above, name))
    }

    /// Likewise of a static method.
    pub(crate) fn declaring_method<'a>(
        &'a self,
        class: &'a Rc<Class>,
        named: &Named,
    ) -> Option<&'a Rc<Class>> {
        let fits = |method: &Rc<Method>| {
            method.name == named.name && method.descriptor == named.descriptor
        };
        let own = |class: &&Rc<Class>| class.methods.iter().any(fits);
        let above = |class: &&'a Rc<Class>| self.classes.get(class.above.first()?);
        std::iter::successors(Some(class), above)
            .take_while(|class| class.in_scope)
            .find(own)
    }

    /// Is a class of the scope, and what it extends and implements of the scope, too, or by its name one of these?
    pub(crate) fn extends_only(&self, class: ClassId, is_one: impl Fn(&str) -> bool) -> bool {
        let Some(class) = self.class_of(class).filter(|class| class.in_scope) else {
            return false;
        };
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            for above in &class.above {
                match self.classes.get(above) {
                    Some(above) if above.in_scope => open.push(Rc::clone(above)),
                    Some(above) if is_one(&above.name) => {}
                    _ => return false,
                }
            }
        }
        true
    }

    /// The method that an instruction names: of the class in scope that declares it, else of the
    /// nearest class outside (JVMS 5.4.3.3, by names alone).
    pub(crate) fn method_named(&mut self, named: &Named) -> Rc<Method> {
        let (name, descriptor) = (named.name.as_str(), named.descriptor.as_str());
        let mut outside = named.class.clone();
        let mut at = self.class_in_scope(named.code, &named.class).cloned();
        while let Some(class) = at {
            if let Some(declared) = self.declared(&class, name, descriptor) {
                return declared;
            }
            let above = class
                .above
                .first()
                .and_then(|above| self.classes.get(above));
            match above {
                Some(above) if above.in_scope => at = Some(Rc::clone(above)),
                Some(above) => {
                    outside.clone_from(&above.name);
                    at = None;
                }
                None => {
                    "java.lang.Object".clone_into(&mut outside);
                    at = None;
                }
            }
        }
        let class = self.outside_class(&outside);
        let modifiers = if named.kind.has_receiver() { 0 } else { 0x0008 };
        self.outside_method(class, name, descriptor, modifiers)
    }

    /// A method that a class in scope, or a superinterface in scope of it, declares itself.
    pub(super) fn declared(
        &self,
        class: &Class,
        name: &str,
        descriptor: &str,
    ) -> Option<Rc<Method>> {
        let fits = |method: &&Rc<Method>| method.name == name && method.descriptor == descriptor;
        if let Some(own) = class.methods.iter().find(fits) {
            return Some(Rc::clone(own));
        }
        let above = class
            .above
            .iter()
            .filter_map(|above| self.classes.get(above));
        let mut interfaces = above.filter(|above| above.in_scope && above.is_interface());
        interfaces.find_map(|above| self.declared(above, name, descriptor))
    }

    /// The method in scope that an instruction names, if there is one.
    pub(crate) fn declared_in_scope(&self, named: &Named) -> Option<Rc<Method>> {
        let class = self.class_in_scope(named.code, &named.class)?;
        self.inherited(class, &named.name, &named.descriptor)
    }

    /// The method that a class of the scope has, as far as the scope declares it: its own, or that of a class above it, before
    /// those of interfaces (JVMS 5.4.6).
    pub(crate) fn inherited(
        &self,
        class: &Class,
        name: &str,
        descriptor: &str,
    ) -> Option<Rc<Method>> {
        let fits = |method: &&Rc<Method>| method.name == name && method.descriptor == descriptor;
        let own = |class: &Class| class.methods.iter().find(fits).cloned();
        self.and_above(class).find_map(own).or_else(|| {
            self.and_above(class)
                .find_map(|class| self.declared(class, name, descriptor))
        })
    }

    /// The method of the scope that a call runs whose receiver is of this class (JVMS 5.4.6).
    pub(crate) fn dispatched(&self, class: &Class, named: &Named) -> Option<Rc<Method>> {
        let (name, descriptor) = (named.name.as_str(), named.descriptor.as_str());
        let means = self.class_in_scope(named.code, &named.class);
        let resolved = means.and_then(|means| self.inherited(means, name, descriptor));
        match resolved {
            Some(resolved) if resolved.access == Access::Private => Some(resolved),
            Some(resolved) if resolved.access == Access::Package => {
                Some(self.overriding(class, &resolved))
            }
            _ => {
                let fits = |method: &&Rc<Method>| {
                    method.name == name && method.descriptor == descriptor && is_virtual(method)
                };
                let own = |class: &Class| class.methods.iter().find(fits).cloned();
                let of_class = self.and_above(class).find_map(own);
                of_class.or_else(|| self.inherited(class, name, descriptor))
            }
        }
    }

    /// Which method overrides one that only classes of its run-time package can override, and those that override what did
    /// (JVMS 5.4.5): the one that objects of this class have.
    fn overriding(&self, class: &Class, resolved: &Rc<Method>) -> Rc<Method> {
        let own = |class: &Class| {
            let mut methods = class.methods.iter();
            let found =
                methods.find(|m| m.name == resolved.name && m.descriptor == resolved.descriptor)?;
            Some(Rc::clone(found))
        };
        let declares = |class: &&Class| class.methods.iter().any(|m| Rc::ptr_eq(m, resolved));
        let mut below: Vec<&Class> = Vec::new();
        for at in self.and_above(class) {
            below.push(at);
            if declares(&at) {
                break;
            }
        }
        let mut selected = Rc::clone(resolved);
        let mut overridden: Vec<(&Class, Access)> = Vec::new();
        for at in below.into_iter().rev() {
            let Some(method) = own(at).filter(is_virtual) else {
                continue;
            };
            let overrides = |(above, access): &(&Class, Access)| {
                *access == Access::Open || in_one_package(above, at)
            };
            if overridden.is_empty() || overridden.iter().any(overrides) {
                overridden.push((at, method.access));
                selected = method;
            }
        }
        selected
    }

    /// A class of the scope and the classes above it, as far as they are of the scope.
    pub(crate) fn and_above<'a>(&'a self, class: &'a Class) -> impl Iterator<Item = &'a Class> {
        std::iter::successors(Some(class), |class| {
            let above = class
                .above
                .first()
                .and_then(|above| self.classes.get(above));
            above.filter(|above| above.in_scope).map(|above| &**above)
        })
    }

    /// The dotted name of a class if that is out of the scope; else of the first class above it that is.
    pub(crate) fn outside_above(&self, class: ClassId) -> Option<String> {
        let Some(known) = self.class_of(class) else {
            return self.outside_name(class);
        };
        let last = self.and_above(&known).last().filter(|last| last.in_scope);
        let above = last.and_then(|last| self.classes.get(last.above.first()?));
        let outside = above.unwrap_or(&known);
        (!outside.in_scope).then(|| outside.name.clone())
    }

    pub(crate) fn outside_method(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
        modifiers: u32,
    ) -> Rc<Method> {
        let key = (class, name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.outside_methods.get(&key) {
            return Rc::clone(known);
        }
        let info = MethodInfo {
            id: self.next_method(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            modifiers,
            lines: Vec::new(),
            variables: Vec::new(),
            code: Vec::new(),
        };
        let method = Rc::new(Method::outside(&info));
        if let Some(outside) = self.outside.get_mut(&class) {
            outside.methods.push(info);
            self.fresh.push(outside.clone());
        }
        self.outside_methods.insert(key, Rc::clone(&method));
        method
    }

    /// The declared methods of a class of the scope that need a receiver and have code; constructors left out.
    pub(crate) fn virtual_methods(
        &self,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Vec<jdwp::MethodId> {
        let of_class = |(key, method): (&MethodKey, &Rc<Method>)| {
            let fits = key.0 == class && known.methods.iter().any(|m| Rc::ptr_eq(m, method));
            let virtual_ = method.receiver && method.code.is_some() && !method.is_constructor();
            (fits && virtual_).then_some(key.1)
        };
        self.methods.iter().filter_map(of_class).collect()
    }

    /// Does the JVM's own filter of the default scope leave this class out although it is in scope?
    pub(crate) fn is_disguised(&self, class: &Class) -> bool {
        class.in_scope && self.scope.is_default() && looks_like_jdk(&class.name)
    }
}

/// May it override, or be overridden?
fn is_virtual(method: &Rc<Method>) -> bool {
    method.receiver && method.access != Access::Private
}

/// Are two classes of one run-time package (JVMS 5.3)?
fn in_one_package(one: &Class, other: &Class) -> bool {
    let package = |class: &Class| {
        class
            .name
            .rsplit_once('.')
            .map(|(package, _)| package.to_owned())
    };
    one.loader == other.loader && package(one) == package(other)
}
