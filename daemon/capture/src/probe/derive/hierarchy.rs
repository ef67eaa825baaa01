//! What a JVM had loaded when it ended, and what was above what: it is asked for that while it can be.

use jdwp::commands::{class_type, reference_type, virtual_machine};
use jdwp::{ClassStatus, ReferenceTypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Deriver;
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::{Program, Supertypes, dotted};
use crate::scope::looks_like_jdk;

/// How far the JVM is with a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has none of the name, or has it only loaded.
    Absent,
    /// It has prepared it.
    Loaded,
    /// It has initialised it.
    Ready,
    /// That failed.
    Failed,
    /// There are several of the name, and it has not initialised all of them.
    Several,
    /// Nobody can be asked.
    Gone,
}

impl State {
    pub(super) fn of(status: ClassStatus) -> Self {
        match status {
            failed if failed.contains(ClassStatus::ERROR) => Self::Failed,
            ready if ready.contains(ClassStatus::INITIALIZED) => Self::Ready,
            _ => Self::Loaded,
        }
    }

    pub(super) fn of_several(all: impl Iterator<Item = ClassStatus>) -> Self {
        match all.map(Self::of).all(|state| state == Self::Ready) {
            true => Self::Ready,
            false => Self::Several,
        }
    }
}

/// A class that it had.
#[derive(Debug)]
struct Had {
    /// Dotted.
    name: String,
    state: State,
    above: Supertypes,
}

/// The classes that a JVM had loaded, for when it has gone.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    /// By dotted name; of several of a name, which loaders tell apart, none.
    named: FxHashMap<String, Option<ReferenceTypeId>>,
    classes: FxHashMap<ReferenceTypeId, Had>,
}

impl Hierarchy {
    /// Asks for all of it: some 30 microseconds a class.
    fn read(link: &mut Link) -> Result<Self, LinkError> {
        let mut read = Self::default();
        let all = link.request(&virtual_machine::AllClasses)?;
        let all = all.unwrap_or_default().into_iter();
        let all: Vec<_> = all
            .filter_map(|class| {
                let signature = class.signature.to_string_lossy();
                let name = signature.strip_prefix('L')?.strip_suffix(';')?;
                Some((class.type_id, dotted(name), State::of(class.status)))
            })
            .collect();
        let types = || all.iter().map(|(class, ..)| *class);
        let supers = link.request_all(types().map(|class| class_type::Superclass { class }))?;
        let interfaces =
            link.request_all(types().map(|ref_type| reference_type::Interfaces { ref_type }))?;
        for (((class, name, state), superclass), interfaces) in
            all.into_iter().zip(supers).zip(interfaces)
        {
            let known = read.named.entry(name.clone()).or_insert(Some(class));
            if *known != Some(class) {
                *known = None;
            }
            let above = Supertypes {
                superclass: superclass.ok().filter(|above| !above.is_null()),
                interfaces: interfaces.unwrap_or_default(),
            };
            read.classes.insert(class, Had { name, state, above });
        }
        Ok(read)
    }

    pub(super) fn name(&self, class: ReferenceTypeId) -> Option<&str> {
        self.classes.get(&class).map(|had| had.name.as_str())
    }

    /// The class of a dotted name, if there is one and no other.
    pub(super) fn named(&self, name: &str) -> Option<ReferenceTypeId> {
        *self.named.get(name)?
    }

    /// How far the JVM was with the class of a dotted name.
    pub(super) fn state(&self, name: &str) -> State {
        match self.named.get(name) {
            None => State::Absent,
            Some(None) => State::Several,
            Some(Some(class)) => self.classes.get(class).map_or(State::Gone, |had| had.state),
        }
    }

    /// What a class extends and implements. `None`: it does not say.
    pub(super) fn supertypes(&self, class: ReferenceTypeId) -> Option<&Supertypes> {
        self.classes.get(&class).map(|had| &had.above)
    }

    /// A class and all that is above it, as far as it says.
    fn and_above(&self, class: ReferenceTypeId) -> Vec<ReferenceTypeId> {
        let (mut all, mut at) = (vec![class], 0);
        while let Some(&class) = all.get(at) {
            let direct = self.supertypes(class).into_iter().flat_map(Supertypes::all);
            let new: Vec<_> = direct.filter(|class| !all.contains(class)).collect();
            all.extend(new);
            at += 1;
        }
        all
    }

    /// The classes out of the scope that are below a class or interface of the scope, but for lambdas, and what is above them out of the
    /// scope and the JDK.
    pub(super) fn below_scope(&self, program: &Program) -> FxHashSet<ReferenceTypeId> {
        let in_scope = |class: &ReferenceTypeId| program.is_type_in_scope(*class);
        let is_other = |class: &ReferenceTypeId| {
            let name = self.name(*class).unwrap_or_default();
            !in_scope(class) && !looks_like_jdk(name) && !name.contains("$$Lambda")
        };
        let others = self.classes.keys().filter(|class| is_other(class));
        let above = others.map(|class| self.and_above(*class));
        let below_scope = above.filter(|above| above.iter().any(in_scope));
        below_scope.flatten().filter(is_other).collect()
    }

    /// Is a class a subtype of one of this name? `None`: it does not say.
    pub(super) fn is_subtype(&self, of: ReferenceTypeId, class: &str) -> Option<bool> {
        let wanted = match self.named.get(class) {
            // What was never loaded, nothing is a subtype of.
            None => return self.classes.contains_key(&of).then_some(false),
            Some(wanted) => (*wanted)?,
        };
        let above = self.and_above(of);
        if above.contains(&wanted) {
            return Some(true);
        }
        let is_whole = above.iter().all(|class| self.classes.contains_key(class));
        is_whole.then_some(false)
    }
}

impl Deriver {
    /// Asks the JVM, while it can be asked, what is above what, and what deriving may need besides.
    pub(crate) fn ask_ahead(
        &mut self,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<(), LinkError> {
        let hierarchy = Hierarchy::read(link)?;
        self.ask_below(program, link, &hierarchy)?;
        self.hierarchy = Some(hierarchy);
        self.ask_foreign(program, link)
    }
}

/// What the JVM says; `None` if it has gone: what happened before is derived all the same.
pub(super) fn or_gone<T>(told: Result<T, LinkError>) -> Result<Option<T>, LinkError> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(LinkError::Closed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
