//! What is a subtype of what, for casts and stores into arrays.

use std::rc::Rc;

use jdwp::commands::{class_type, reference_type, virtual_machine};
use jdwp::{ClassStatus, ReferenceTypeId};
use jhyde_trace::{ClassId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::run::{Needs, Stopped, lost};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::{Loader, Program, dotted};
use crate::scope::looks_like_jdk;

/// How far the JVM is with a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
    fn of(status: ClassStatus) -> Self {
        match status {
            failed if failed.contains(ClassStatus::ERROR) => Self::Failed,
            ready if ready.contains(ClassStatus::INITIALIZED) => Self::Ready,
            _ => Self::Loaded,
        }
    }

    fn of_several(all: impl Iterator<Item = ClassStatus>) -> Self {
        match all.map(Self::of).all(|state| state == Self::Ready) {
            true => Self::Ready,
            false => Self::Several,
        }
    }
}

fn unknown<T>(class: &str) -> Result<T, Stopped> {
    lost(format!("whether there is a {class} could not be found out"))
}

/// What is above what among the classes that a JVM had loaded, for when it has gone.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    /// By dotted name; of several of a name, which loaders tell apart, none.
    named: FxHashMap<String, Option<ReferenceTypeId>>,
    names: FxHashMap<ReferenceTypeId, String>,
    above: FxHashMap<ReferenceTypeId, Vec<ReferenceTypeId>>,
    extends: FxHashMap<ReferenceTypeId, Option<ReferenceTypeId>>,
    states: FxHashMap<ReferenceTypeId, State>,
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
                read.states.insert(class.type_id, State::of(class.status));
                Some((class.type_id, dotted(name)))
            })
            .collect();
        let types = || all.iter().map(|(class, _)| *class);
        let supers = link.request_all(types().map(|class| class_type::Superclass { class }))?;
        let interfaces =
            link.request_all(types().map(|ref_type| reference_type::Interfaces { ref_type }))?;
        for (((class, name), above), interfaces) in all.into_iter().zip(supers).zip(interfaces) {
            let above = above.ok().filter(|above| !above.is_null());
            read.extends.insert(class, above);
            let above = above.into_iter().chain(interfaces.unwrap_or_default());
            read.above.insert(class, above.collect());
            let known = read.named.entry(name.clone()).or_insert(Some(class));
            if *known != Some(class) {
                *known = None;
            }
            read.names.insert(class, name);
        }
        Ok(read)
    }

    pub(super) fn name(&self, class: ReferenceTypeId) -> Option<String> {
        self.names.get(&class).cloned()
    }

    /// The class of a dotted name, if there is one and no other.
    pub(super) fn named(&self, name: &str) -> Option<ReferenceTypeId> {
        *self.named.get(name)?
    }

    fn state(&self, name: &str) -> State {
        match self.named.get(name) {
            None => State::Absent,
            Some(None) => State::Several,
            Some(Some(class)) => self.states.get(class).copied().unwrap_or(State::Gone),
        }
    }

    /// What a class extends, if anything. `None`: it does not say.
    pub(super) fn extends(&self, class: ReferenceTypeId) -> Option<Option<ReferenceTypeId>> {
        self.extends.get(&class).copied()
    }

    /// What a class extends and implements. `None`: it does not say.
    pub(super) fn direct(&self, class: ReferenceTypeId) -> Option<&[ReferenceTypeId]> {
        self.above.get(&class).map(Vec::as_slice)
    }

    /// The classes out of the scope that are below a class or interface of the scope, but for lambdas, and what is above them out of the
    /// scope and the JDK.
    pub(super) fn below_scope(&self, program: &Program) -> FxHashSet<ReferenceTypeId> {
        let in_scope = |class: &ReferenceTypeId| {
            let known = program.classes.get(class);
            known.is_some_and(|known| known.in_scope)
        };
        let is_plain = |class: &ReferenceTypeId| {
            let name = self.names.get(class).map_or("", String::as_str);
            looks_like_jdk(name) || name.contains("$$Lambda")
        };
        let mut found = FxHashSet::default();
        for class in self.names.keys() {
            if in_scope(class) || is_plain(class) {
                continue;
            }
            let mut open = vec![*class];
            let mut at = 0;
            while let Some(&one) = open.get(at) {
                let direct = self.direct(one).unwrap_or_default();
                let new: Vec<_> = direct.iter().filter(|one| !open.contains(one)).collect();
                open.extend(new);
                at += 1;
            }
            if open.iter().any(in_scope) {
                let outside = open
                    .into_iter()
                    .filter(|one| !in_scope(one) && !is_plain(one));
                found.extend(outside);
            }
        }
        found
    }

    /// Is a class a subtype of one of this name? `None`: it does not say.
    fn is_subtype(&self, of: ReferenceTypeId, class: &str) -> Option<bool> {
        let wanted = match self.named.get(class) {
            // What was never loaded, nothing is a subtype of.
            None => return self.names.contains_key(&of).then_some(false),
            Some(wanted) => (*wanted)?,
        };
        let (mut open, mut at) = (vec![of], 0);
        while let Some(&class) = open.get(at) {
            if class == wanted {
                return Some(true);
            }
            let above = self.above.get(&class)?;
            let new: Vec<_> = above.iter().filter(|class| !open.contains(class)).collect();
            open.extend(new);
            at += 1;
        }
        Some(false)
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

    /// Can a value be stored into an array (JVMS 6.5.aastore)?
    pub(super) fn takes(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        array: Value,
        stored: Value,
    ) -> Result<bool, Stopped> {
        let Some(object) = stored.object() else {
            return Ok(true);
        };
        let class = |object| self.heap.class(object);
        let (of_array, of_stored) = (array.object().and_then(class), class(object));
        let known = of_array
            .zip(of_stored)
            .and_then(|(array, stored)| self.stores.get(&(array, stored)));
        if let Some(&known) = known {
            return Ok(known);
        }
        let name = of_array.and_then(|class| program.name_of(class));
        let element = name.as_deref().and_then(|name| name.strip_suffix("[]"));
        let Some(element) = element else {
            return lost("an array's class is not known");
        };
        let takes = self.is_a(program, link, routine, stored, &element.into())?;
        if let Some(classes) = of_array.zip(of_stored) {
            self.stores.insert(classes, takes);
        }
        Ok(takes)
    }

    /// Can a reference be cast to this class?
    pub(super) fn is_a(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        value: Value,
        class: &Rc<str>,
    ) -> Result<bool, Stopped> {
        let Some(object) = value.object() else {
            return Ok(true);
        };
        let of = self.heap.class(object);
        if &**class == "java.lang.Object" {
            return Ok(true);
        }
        let Some(of) = of else {
            return lost("the class of an object is not known");
        };
        let key = (of, routine.loader, Rc::clone(class));
        if let Some(&known) = self.casts.get(&key) {
            return Ok(known);
        }
        let Some(known) = self.subtype(program, link, routine.loader, of, class)? else {
            let name = program.name_of(of).unwrap_or_default();
            return lost(format!(
                "whether {name} is a {class} could not be found out"
            ));
        };
        self.casts.insert(key, known);
        Ok(known)
    }

    /// Does an instruction throw that names a class by a constant, or its member, because the class is not there (JVMS 5.3) or, where
    /// it is `new`, cannot be initialised (5.5)? An exception comes next then. What the instruction needs; `None`: it does not throw for that.
    pub(super) fn absent(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        (constant, class): (u16, &str),
        is_new: bool,
    ) -> Result<Option<Needs>, Stopped> {
        if routine.present.borrow().contains(&constant) {
            return Ok(None);
        }
        let class = class.trim_end_matches("[]");
        let known = is_primitive(class) || program.class_in_scope(routine.loader, class).is_some();
        // What is only loaded the JVM does not show: such a class is taken to be there where it has a file. What is made it shows.
        if !known && (is_new || !(looks_like_jdk(class) || self.names.has_file(class))) {
            let throws = thread.may_throw()?;
            let state = match throws {
                Some(false) => State::Ready,
                _ => self.state(link, class)?,
            };
            match (throws, state) {
                (Some(false), _) | (_, State::Ready) => {}
                (_, State::Loaded | State::Failed | State::Several) if !is_new => {}
                (None, _) if self.complete && thread.is_at_end()? => return Ok(None),
                // Its log goes on with another thread's turn, and nobody can be asked.
                (None, State::Gone) if !thread.is_at_end()? => return unknown(class),
                (None, _) => return Ok(Some(Needs::More)),
                (Some(true), State::Absent) if is_new => return Ok(Some(Needs::Throws)),
                (Some(true), State::Absent | State::Failed) => {
                    match thread.throws_absence()? {
                        Some(true) => return Ok(Some(Needs::Throws)),
                        // What is thrown comes of a later instruction: it is there, though the JVM does not show it, or failed later.
                        Some(false) => {}
                        None => return unknown(class),
                    }
                }
                // Its initialiser runs, which has called back to here.
                (Some(true), State::Loaded) if thread.throws_absence()? == Some(false) => {
                    return Ok(None);
                }
                (Some(true), _) => return unknown(class),
            }
        }
        routine.present.borrow_mut().insert(constant);
        Ok(None)
    }

    /// How far the JVM is with the class of a name.
    fn state(&mut self, link: &mut Link, class: &str) -> Result<State, LinkError> {
        if self.initialised_outside.contains(class) {
            return Ok(State::Ready);
        }
        let state = match &self.hierarchy {
            Some(hierarchy) => hierarchy.state(class),
            None => {
                let Ok(signature) = jhyde_bytecode::name_to_signature(class) else {
                    return Ok(State::Absent);
                };
                let signature = signature.as_str().into();
                let asked = link.request(&virtual_machine::ClassesBySignature { signature });
                match or_gone(asked)?.map(Result::unwrap_or_default).as_deref() {
                    Some([]) => State::Absent,
                    Some([only]) => State::of(only.status),
                    Some(several) => State::of_several(several.iter().map(|one| one.status)),
                    None => State::Gone,
                }
            }
        };
        if state == State::Ready {
            self.initialised_outside.insert(class.to_owned());
        }
        Ok(state)
    }

    /// Is a class a subtype of what code of a loader means by a name (JVMS 6.5.checkcast)? `None` if nobody can say any more.
    pub(super) fn subtype(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        code: Loader,
        of: ClassId,
        class: &str,
    ) -> Result<Option<bool>, LinkError> {
        let name = program.name_of(of).unwrap_or_default();
        if let Some(inner) = name.strip_suffix("[]") {
            let Some(wanted) = class.strip_suffix("[]") else {
                let above = [
                    "java.lang.Object",
                    "java.lang.Cloneable",
                    "java.io.Serializable",
                ];
                return Ok(Some(above.contains(&class)));
            };
            if inner == wanted || wanted == "java.lang.Object" && !is_primitive(inner) {
                return Ok(Some(true));
            }
            if is_primitive(inner) || is_primitive(wanted) {
                return Ok(Some(false));
            }
            let inner = program.class_named(code, inner);
            return self.subtype(program, link, code, inner, wanted);
        }
        if class.ends_with("[]") {
            return Ok(Some(false));
        }
        let mut open = vec![name];
        let (mut at, mut is_certain) = (0, true);
        while let Some(name) = open.get(at).cloned() {
            let of = match at {
                0 => of,
                _ => program.class_named(code, &name),
            };
            at += 1;
            match self.loaded_subtype(program, link, code, (of, &name), class)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => continue,
                None if name == class => return Ok(Some(true)),
                None => {}
            }
            // The JVM does not show what it has not prepared: an array may be of such a class, of which there are no objects.
            match self.names.dotted(&name) {
                Some(file) => {
                    let above = file.super_name.iter().chain(&file.interfaces);
                    let above: Vec<_> = above.map(|above| dotted(above)).collect();
                    let new = above.into_iter().filter(|above| !open.contains(above));
                    let new: Vec<_> = new.collect();
                    open.extend(new);
                }
                None => is_certain = false,
            }
        }
        Ok(is_certain.then_some(false))
    }

    /// The same of a class that the JVM has prepared.
    fn loaded_subtype(
        &self,
        program: &mut Program,
        link: &mut Link,
        code: Loader,
        (of, name): (ClassId, &str),
        class: &str,
    ) -> Result<Option<bool>, LinkError> {
        let known = program.type_of(of);
        if let Some(hierarchy) = &self.hierarchy {
            let named = || *hierarchy.named.get(name)?;
            let of = known.or_else(named);
            return Ok(of.and_then(|of| hierarchy.is_subtype(of, class)));
        }
        if known.is_none() {
            or_gone(program.loaded(link, code, name))?;
        }
        Ok(or_gone(program.is_subtype(link, of, code, class))?.flatten())
    }
}

fn is_primitive(name: &str) -> bool {
    let all = [
        "boolean", "byte", "char", "short", "int", "long", "float", "double",
    ];
    all.contains(&name)
}

/// What the JVM says; `None` if it has gone: what happened before is derived all the same.
pub(super) fn or_gone<T>(told: Result<T, LinkError>) -> Result<Option<T>, LinkError> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(LinkError::Closed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
