//! What names mean where the tables do not tell: the JVM is asked which method a call runs, and who is whose subtype
//! (JVMS 5.4.3, 5.4.6).

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, reference_type};
use jhyde_trace::ClassId;

use super::Link;
use crate::error::LinkError;
use crate::program::flags::{ABSTRACT, NATIVE};
use crate::program::{Loader, Program, Selected, Supertypes};

/// The method with code that a class declares. `None`: the JVM does not say, of one that it has not linked.
fn declared(
    link: &mut Link,
    class: ReferenceTypeId,
    (name, descriptor): (&str, &str),
) -> Result<Option<Option<Selected>>, LinkError> {
    let Ok(methods) = link.request(&reference_type::Methods { ref_type: class })? else {
        return Ok(None);
    };
    let fits = |method: &reference_type::MethodInfo| {
        method.name.as_str() == Some(name)
            && method.signature.as_str() == Some(descriptor)
            && method.mod_bits as u32 & ABSTRACT == 0
    };
    let found = methods.into_iter().find(fits);
    Ok(Some(found.map(|method| Selected {
        key: (class, method.method),
        native: method.mod_bits as u32 & NATIVE != 0,
    })))
}

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
        // All classes before any interface (JVMS 5.4.6).
        let (mut next, mut found) = (Some(class), None);
        let mut interfaces = Vec::new();
        while let Some(class) = next {
            let known = self.class(link, class)?;
            if known.name.ends_with("[]") {
                break;
            }
            let Some(own) = declared(link, class, (name, descriptor))? else {
                return Ok(None);
            };
            found = own;
            if found.is_some() {
                break;
            }
            let above = self.supertypes(link, class)?;
            interfaces.extend(above.interfaces);
            next = above.superclass;
        }
        if found.is_none() {
            found = self.most_specific(link, interfaces, (name, descriptor))?;
        }
        self.selected.insert(key, found);
        Ok(found)
    }

    /// The method that one of these interfaces declares, or one above them, and none between (JVMS 5.4.3.3).
    fn most_specific(
        &mut self,
        link: &mut Link,
        mut open: Vec<ReferenceTypeId>,
        named: (&str, &str),
    ) -> Result<Option<Selected>, LinkError> {
        let mut above: Vec<(ReferenceTypeId, Vec<ReferenceTypeId>)> = Vec::new();
        while let Some(interface) = open.pop() {
            if above.iter().all(|(seen, _)| *seen != interface) {
                let direct = self.supertypes(link, interface)?.interfaces;
                open.extend(&direct);
                above.push((interface, direct));
            }
        }
        let mut found = Vec::new();
        for (interface, _) in &above {
            let own = declared(link, *interface, named)?.flatten();
            found.extend(own.map(|own| (*interface, own)));
        }
        let is_above = |interface: ReferenceTypeId, below: ReferenceTypeId| {
            let mut open = vec![below];
            let mut at = 0;
            while let Some(&class) = open.get(at) {
                let direct = above.iter().filter(|(of, _)| *of == class);
                let new = direct.flat_map(|(_, direct)| direct.iter().copied());
                let new: Vec<_> = new.filter(|class| !open.contains(class)).collect();
                open.extend(new);
                at += 1;
            }
            open.contains(&interface)
        };
        let overridden = |one: ReferenceTypeId| {
            let mut others = found.iter().filter(|(other, _)| *other != one);
            others.any(|(other, _)| is_above(one, *other))
        };
        let mut own = found.iter().filter(|(one, _)| !overridden(*one));
        Ok(own.next().map(|(_, found)| *found))
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
            for above in self.supertypes(link, class)?.all() {
                if !seen.contains(&above) {
                    seen.push(above);
                    open.push(above);
                }
            }
        }
        Ok(Some(false))
    }

    /// What a class extends and implements itself.
    pub(crate) fn supertypes(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<Supertypes, LinkError> {
        let known = self.class(link, class)?;
        if known.in_scope {
            let superclass = known.above.first().copied();
            let superclass = superclass.filter(|_| !known.is_interface());
            let interfaces = known.above[usize::from(superclass.is_some())..].to_vec();
            return Ok(Supertypes {
                superclass,
                interfaces,
            });
        }
        if let Some(asked) = self.supertypes.get(&class) {
            return Ok(asked.clone());
        }
        let superclass = link.request(&class_type::Superclass { class })?;
        let interfaces = link.request(&reference_type::Interfaces { ref_type: class })?;
        let asked = Supertypes {
            superclass: superclass.ok().filter(|class| !class.is_null()),
            interfaces: interfaces.unwrap_or_default(),
        };
        self.supertypes.insert(class, asked.clone());
        Ok(asked)
    }
}
