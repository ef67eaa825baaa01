//! What names mean where the tables do not tell: the JVM is asked which method a call runs, and who is whose subtype
//! (JVMS 5.4.3, 5.4.6).

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, reference_type};
use jhyde_trace::ClassId;

use super::Link;
use crate::error::LinkError;
use crate::program::flags::{ABSTRACT, NATIVE};
use crate::program::{Class, Loader, Program, Selected};
use crate::scope::looks_like_jdk;

impl Program {
    /// The method that a call on an instance of `class` runs (JVMS 5.4.6).
    pub(crate) fn selected(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        name: &str,
        descriptor: &str,
    ) -> Result<Option<Selected>, LinkError> {
        let key = (class, name.to_owned(), descriptor.to_owned());
        if let Some(&known) = self.selected.get(&key) {
            return Ok(known);
        }
        let mut open = std::collections::VecDeque::from([class]);
        let mut found = None;
        while let Some(class) = open.pop_front() {
            let known = self.class(link, class)?;
            if known.name.ends_with("[]") {
                break;
            }
            let methods = link.request(&reference_type::Methods { ref_type: class })?;
            let fits = |method: &reference_type::MethodInfo| {
                method.name.as_str() == Some(name)
                    && method.signature.as_str() == Some(descriptor)
                    && method.mod_bits as u32 & ABSTRACT == 0
            };
            if let Some(method) = methods.unwrap_or_default().into_iter().find(fits) {
                found = Some(Selected {
                    key: (class, method.method),
                    native: method.mod_bits as u32 & NATIVE != 0,
                });
                break;
            }
            open.extend(self.direct_supertypes(link, class, &known)?);
        }
        self.selected.insert(key, found);
        Ok(found)
    }

    /// Is a class a subtype of the one that code of a loader names (dotted)? `None` if the JVM does not say.
    pub(crate) fn is_subtype(
        &mut self,
        link: &mut Link,
        class: ClassId,
        code: Loader,
        name: &str,
    ) -> Result<Option<bool>, LinkError> {
        let Some(&start) = self.types.get(&class) else {
            return Ok(None);
        };
        let mut open = vec![start];
        let mut seen = vec![start];
        while let Some(class) = open.pop() {
            let known = self.class(link, class)?;
            if known.name == name
                && known.in_scope
                && self.by_name.get(name).is_some_and(|all| all.len() > 1)
            {
                let meant = self.class_in_scope(code, name);
                return Ok(meant.map(|meant| meant.id == known.id));
            }
            if known.name == name || name == "java.lang.Object" {
                return Ok(Some(true));
            }
            if known.name.ends_with("[]") {
                return Ok(None);
            }
            for above in self.direct_supertypes(link, class, &known)? {
                if !seen.contains(&above) {
                    seen.push(above);
                    open.push(above);
                }
            }
        }
        Ok(Some(false))
    }

    /// Is a class of the scope, or below a class or interface of the scope? Those of the JDK and arrays are not asked about.
    pub(crate) fn is_below_scope(
        &mut self,
        link: &mut Link,
        class: ClassId,
    ) -> Result<bool, LinkError> {
        let mut open = Vec::from_iter(self.types.get(&class).copied());
        let mut seen = open.clone();
        while let Some(class) = open.pop() {
            let known = self.class(link, class)?;
            if known.in_scope {
                return Ok(true);
            }
            if looks_like_jdk(&known.name) || known.name.ends_with("[]") {
                continue;
            }
            for above in self.direct_supertypes(link, class, &known)? {
                if !seen.contains(&above) {
                    seen.push(above);
                    open.push(above);
                }
            }
        }
        Ok(false)
    }

    pub(super) fn direct_supertypes(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<Vec<ReferenceTypeId>, LinkError> {
        if known.in_scope {
            return Ok(known.above.clone());
        }
        if let Some(asked) = self.supertypes.get(&class) {
            return Ok(asked.clone());
        }
        let above = link.request(&class_type::Superclass { class })?;
        let mut all: Vec<_> = above
            .ok()
            .filter(|class| !class.is_null())
            .into_iter()
            .collect();
        let interfaces = link.request(&reference_type::Interfaces { ref_type: class })?;
        all.extend(interfaces.unwrap_or_default());
        self.supertypes.insert(class, all.clone());
        Ok(all)
    }
}
