//! What the constant pool of a class names.

use jhyde_bytecode::InvokeKind;

use super::{Loader, Method};

/// A method that an invoke instruction names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Dotted; an array's as `int[]`. Empty for `invokedynamic`.
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) kind: InvokeKind,
    /// Whose code names it.
    pub(crate) code: Loader,
}

impl Named {
    /// What an invoke instruction of this method names.
    pub(crate) fn of(method: &Method, constant: u16, kind: InvokeKind) -> Option<Self> {
        let pool = method.pool.as_ref()?;
        let code = method.loader;
        if kind == InvokeKind::Dynamic {
            let (_, name, descriptor) = pool.call_site(constant).ok()?;
            return Some(Self {
                class: "java.lang.invoke.CallSite".to_owned(),
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                kind,
                code,
            });
        }
        let named = pool.method(constant).ok()?;
        Some(Self {
            class: dotted(named.class),
            name: named.name.to_owned(),
            descriptor: named.descriptor.to_owned(),
            kind,
            code,
        })
    }

    /// Its result's descriptor: `V` for none.
    pub(crate) fn returns(&self) -> &str {
        self.descriptor.rsplit(')').next().unwrap_or("V")
    }
}

/// A class as a constant names it: `java/lang/String`, or an array's descriptor.
pub(crate) fn dotted(constant: &str) -> String {
    if constant.starts_with('[') {
        jhyde_bytecode::signature_to_name(constant).unwrap_or_else(|_| constant.to_owned())
    } else {
        constant.replace('/', ".")
    }
}
