//! What separates the scope from what is outside, and the little that is read of classes there.

use jdwp::ReferenceTypeId;
use jdwp::commands::{object_reference, reference_type};

use jhyde_trace::{FieldId, FieldInfo};

use super::Link;
use crate::error::LinkError;
use crate::program::flags::{FINAL, OF_FIELDS, STATIC};
use crate::program::{Foreign, Loader, Program};

impl Program {
    /// The value of a `static final` field of a class out of the scope.
    /// `again`: it is asked for even if it was before.
    pub(crate) fn final_static(
        &mut self,
        link: &mut Link,
        (code, class): (Loader, &str),
        name: &str,
        again: bool,
    ) -> Result<Option<jdwp::Value>, LinkError> {
        let key = (class.to_owned(), name.to_owned());
        let known = self.constants.get(&key).filter(|_| !again);
        if let Some(&known) = known {
            return Ok(known);
        }
        let mut open: Vec<_> = self.loaded(link, code, class)?.into_iter().collect();
        let mut found = None;
        while let Some(ref_type) = open.pop() {
            let fields = link.request(&reference_type::Fields { ref_type })?;
            let fields = fields.unwrap_or_default();
            if let Some(field) = fields.iter().find(|f| f.name.as_str() == Some(name)) {
                if field.mod_bits as u32 & (STATIC | FINAL) == STATIC | FINAL {
                    let fields = vec![field.field];
                    let told = link.request(&reference_type::GetValues { ref_type, fields })?;
                    found = told.ok().and_then(|values| values.first().copied());
                }
                break;
            }
            open.extend(self.supertypes(link, ref_type)?.all());
        }
        self.constants.insert(key, found);
        Ok(found)
    }

    /// The field of a class out of the scope that an instruction names (JVMS 5.4.3.2), if that class is loaded.
    pub(crate) fn foreign_field(
        &mut self,
        link: &mut Link,
        code: Loader,
        class: &str,
        name: &str,
    ) -> Result<Option<Foreign>, LinkError> {
        let key = (class.to_owned(), name.to_owned());
        if let Some(&known) = self.foreign.get(&key) {
            return Ok(Some(known));
        }
        let mut open: Vec<_> = self.loaded(link, code, class)?.into_iter().collect();
        while let Some(ref_type) = open.pop() {
            let known = self.class(link, ref_type)?;
            let fields = match known.in_scope {
                true => Vec::new(),
                false => link
                    .request(&reference_type::Fields { ref_type })?
                    .unwrap_or_default(),
            };
            let found = fields.into_iter().find(|f| f.name.as_str() == Some(name));
            let Some(found) = found else {
                open.extend(self.supertypes(link, ref_type)?.all());
                continue;
            };
            let id = match self.fields.get(&(ref_type, found.field)) {
                Some(&id) => id,
                None => {
                    let id = FieldId(self.next_field);
                    self.next_field += 1;
                    self.fields.insert((ref_type, found.field), id);
                    if let Some(outside) = self.outside.get_mut(&known.id) {
                        outside.fields.push(FieldInfo {
                            id,
                            name: name.to_owned(),
                            descriptor: found.signature.to_string_lossy().into_owned(),
                            modifiers: found.mod_bits as u32 & OF_FIELDS,
                        });
                        self.fresh.push(outside.clone());
                    }
                    id
                }
            };
            let foreign = Foreign {
                id,
                declaring: ref_type,
                jdwp: found.field,
                is_static: found.mod_bits as u32 & STATIC != 0,
                is_final: found.mod_bits as u32 & FINAL != 0,
            };
            self.foreign.insert(key, foreign);
            return Ok(Some(foreign));
        }
        Ok(None)
    }

    pub(super) fn is_in_scope(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        signature: &str,
        name: &str,
    ) -> Result<bool, LinkError> {
        if !signature.starts_with('L') || is_hidden(signature) {
            return Ok(false);
        }
        let by_loader = self.scope.is_default();
        // `java.*` can come from no application loader; do not ask for thousands of them.
        if by_loader && name.starts_with("java.") {
            return Ok(false);
        }
        if !self.scope.covers(name, true) {
            return Ok(false);
        }
        let application = !by_loader || self.is_application(link, class)?;
        Ok(self.scope.covers(name, application))
    }

    /// Was the class defined by an application's loader: neither the boot nor the platform one?
    fn is_application(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
    ) -> Result<bool, LinkError> {
        let Ok(loader) = link.request(&reference_type::ClassLoader { ref_type: class })? else {
            return Ok(false);
        };
        if loader.is_null() {
            return Ok(false);
        }
        if let Some(&known) = self.loaders.get(&loader.0) {
            return Ok(known);
        }
        let of = object_reference::ReferenceType {
            object: loader.into(),
        };
        let application = match link.request(&of)? {
            Ok(kind) => match link.request(&reference_type::Signature {
                ref_type: kind.type_id,
            })? {
                Ok(signature) => {
                    let name = signature.to_string_lossy().into_owned();
                    name != "Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;"
                        && name != "Ljdk/internal/reflect/DelegatingClassLoader;"
                }
                Err(_) => false,
            },
            Err(_) => false,
        };
        self.loaders.insert(loader.0, application);
        Ok(application)
    }
}

/// Is it a hidden class (JVMS 4.4.1 does not let its name be spelt): a lambda's, mostly? Its signature has a
/// dot before the suffix (JVM TI, GetClassSignature).
fn is_hidden(signature: &str) -> bool {
    signature.contains('.') || signature.contains("/0x") || signature.contains("$$Lambda")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_classes_are_known_by_their_signature() {
        assert!(is_hidden("Lwl/Foo$$Lambda$14.0x0000000800c03000;"));
        assert!(is_hidden("Lwl/Foo$$Lambda.0x000001;"));
        assert!(!is_hidden("Lwl/Foo$Inner;"));
    }
}
