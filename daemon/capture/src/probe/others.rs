//! What classes out of the scope are and name, as far as their class files tell: what they extend, and what they may write of the scope's.
//! Of each file only the start is read, which has its constants.

use jhyde_bytecode::{ClassFile, ClassHead, ClassSource};
use rustc_hash::FxHashSet;

use super::names::Names;
use super::writers::writes;
use crate::program::dotted;

/// Which fields of the scope code out of it may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Writable {
    /// Those of these names, by instructions.
    Named(FxHashSet<String>),
    /// Any, by reflection and its like.
    All,
}

impl Default for Writable {
    fn default() -> Self {
        Self::Named(FxHashSet::default())
    }
}

impl Writable {
    /// Is this field among them?
    pub(crate) fn has(&self, field: &str) -> bool {
        match self {
            Self::Named(names) => names.contains(field),
            Self::All => true,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Named(all), Self::Named(more)) => all.extend(more.iter().cloned()),
            _ => *self = Self::All,
        }
    }
}

/// The classes of one place that are none of the scope.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// Those that extend another one than `Object`, with that one. Names are internal ones.
    pub(super) extending: Vec<(String, String)>,
    writable: Writable,
}

impl Others {
    fn add(&mut self, names: &Names, name: String, head: &ClassHead) {
        if let Writable::Named(fields) = &mut self.writable {
            let constants = &head.constants;
            let written = constants.iter().filter_map(|(at, _)| {
                let field = constants.field(at).ok()?;
                names.may_cover(field.class).then(|| field.name.to_owned())
            });
            fields.extend(written);
            if constants.iter().any(|(at, _)| writes_at(head, at)) {
                self.writable = Writable::All;
            }
        }
        let extends = head.super_name.as_ref();
        if let Some(extends) = extends.filter(|extends| *extends != "java/lang/Object") {
            self.extending.push((name, extends.clone()));
        }
    }
}

/// Names this constant a method that writes what no instruction names?
fn writes_at(head: &ClassHead, at: u16) -> bool {
    let method = head.constants.method(at);
    method.is_ok_and(|method| writes(&dotted(method.class), method.name).is_some())
}

impl Names {
    /// What is known of each place where classes lie, in their order: what was not looked at is looked at now.
    pub(super) fn others(&mut self) -> &[Others] {
        while let Some(source) = self.sources().get(self.others.len()) {
            let found = self.others_in(source);
            self.others.push(found);
        }
        &self.others
    }

    fn others_in(&self, source: &ClassSource) -> Others {
        // What cannot be read is no class that a JVM has.
        let names = source.names().unwrap_or_default();
        let outside = names.into_iter().filter(|name| !self.may_cover(name));
        let mut found = Others::default();
        for name in outside {
            let head = source.read(&name).ok().flatten();
            let head = head.and_then(|bytes| ClassFile::head_of(&bytes).ok());
            if let Some(head) = head {
                found.add(self, name, &head);
            }
        }
        found
    }

    /// Which fields of the scope classes out of it may write that are not the JDK's: none, where all such are in the scope.
    pub(crate) fn written_by_others(&mut self) -> Writable {
        let mut all = Writable::default();
        if !self.has_others() {
            return all;
        }
        for others in self.others() {
            all.add(&others.writable);
        }
        all
    }
}
