//! When static initialisers run (JVMS 5.5).

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{Event, Outcome};

use super::above::signature;
use super::routine::Callee;
use super::run::{Owner, Stopped};
use super::running::{Awaits, Open, Outside, Running, Why};
use super::select::Selected;
use super::thread::Thread;
use super::{Deriver, Routine, Went};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::probe::log::Record;
use crate::program::{Class, Loader, Named, Program};

impl Deriver {
    /// The read of a static field has run an initialiser out of the scope, which calls the scope back: see [`Why::Initialises`].
    pub(super) fn initialises_outside(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        (place, constant): (u32, u16),
        (class, code): (String, Loader),
    ) {
        let named = Named {
            class,
            name: "<clinit>".to_owned(),
            descriptor: "()V".to_owned(),
            kind: InvokeKind::Static,
            code,
        };
        let callee = Rc::new(Callee {
            constant,
            named,
            parameters: Vec::new(),
            returns: "V".to_owned(),
        });
        let mut outside = Outside {
            why: Why::Initialises,
            ..Outside::new(thread.current(), callee, Vec::new(), Open::of(place))
        };
        self.contents_leave(thread, program, &mut outside);
        thread.stack.push(Running::Outside(outside));
    }

    /// That initialiser is over: the next record is the read's.
    pub(super) fn initialised_outside(&mut self, thread: &mut Thread, program: &mut Program) {
        self.outside_ran();
        self.outside_wrote(thread, program, None);
        self.contents_behind(thread, program, None);
        thread.end_call(Outcome::Returned(None), Event::NO_INDEX, &mut self.outlet);
    }

    /// A class is to be initialised (JVMS 5.5), by the innermost call of the scope. `None`: it is. Else its initialiser, or
    /// that of a class above it, has begun, or nobody knows yet.
    pub(super) fn initialise(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        class: &Class,
    ) -> Result<Option<Went>, Stopped> {
        if self.ready.contains(&class.id) {
            return Ok(None);
        }
        if self.is_erroneous(program, class) {
            thread.awaits = Some(Awaits::Exception(None));
            return Ok(Some(Went::On));
        }
        let mut open = Vec::new();
        self.uninitialised(program, class, &mut open);
        if open.is_empty() {
            self.ready.insert(class.id);
            return Ok(None);
        }
        let number = match thread.peek()? {
            None => return Ok(Some(Went::Nowhere)),
            Some(&Record::Enter { method }) => Some(method),
            Some(_) => None,
        };
        let begun = open
            .iter()
            .find(|routine| Some(routine.plan.number) == number);
        let Some(routine) = begun.cloned() else {
            // Somebody else has done what must be done by now, but for what this thread itself is about to do.
            let done = open.iter().map(|routine| routine.class);
            self.initialised
                .extend(done.filter(|class| !thread.initialising.contains(class)));
            return Ok(None);
        };
        // Those below it follow it.
        let classes = open.iter().map(|routine| routine.class);
        thread.initialising.extend(classes);
        thread.take()?;
        let mut index = Event::NO_INDEX;
        if let Some(frame) = thread.frame() {
            frame.initialised = Some(frame.at);
            let instruction = frame.routine.instruction(frame.at);
            index = instruction.map_or(index, |instruction| instruction.index);
        }
        self.begin_told(thread, &routine, index);
        Ok(Some(Went::On))
    }

    /// The class of a static method is initialised before the call begins: see [`Deriver::initialise`].
    pub(super) fn initialises_callee(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        callee: &Callee,
    ) -> Result<Option<Went>, Stopped> {
        if callee.named.kind != InvokeKind::Static {
            return Ok(None);
        }
        let owner = self.initialised_by(thread, program, link, routine, callee)?;
        match owner {
            Owner::Scope(class) => self.initialise(thread, program, &class),
            Owner::Outside => Ok(None),
            Owner::Awaited => Ok(Some(Went::Nowhere)),
        }
    }

    /// The class of the scope that a call of a static method initialises first.
    fn initialised_by(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        callee: &Callee,
    ) -> Result<Owner, Stopped> {
        let named = &callee.named;
        let owner = self.owner(thread, program, routine, callee.constant, &named.class)?;
        if let Owner::Awaited = owner {
            return Ok(owner);
        }
        match self.inherits_from(thread, program, link, routine, callee)? {
            Owner::Outside => {}
            inherited => return Ok(inherited),
        }
        match owner {
            Owner::Scope(class) => {
                let declares = program.declaring_method(&class, named).cloned();
                Ok(Owner::Scope(declares.unwrap_or(class)))
            }
            _ => self.above_outside(thread, program, link, (&named.class, Some(named))),
        }
    }

    /// The class of the scope that declares the static method which a call runs, if a class out of the scope lies between that and the
    /// class that is named.
    fn inherits_from(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        callee: &Callee,
    ) -> Result<Owner, Stopped> {
        if !self.names.has_extenders() {
            return Ok(Owner::Outside);
        }
        let key = (routine.id, callee.constant);
        let known = self.asked.inherits.get(&key);
        let of = match known.filter(|(covered, _)| *covered == program.covered) {
            Some((_, known)) => *known,
            None => {
                let of = match self.resolved(program, link, routine, &callee.named)? {
                    Some(Selected::Scope(method)) => self.routines.get(&method.id),
                    Some(Selected::Unknown) => {
                        // A class that the JVM has not loaded or linked it has not called.
                        return Ok(match self.may_be_ahead(thread)? {
                            true => Owner::Awaited,
                            false => Owner::Outside,
                        });
                    }
                    _ => None,
                };
                let of = of.map(|routine| routine.class);
                self.asked.inherits.insert(key, (program.covered, of));
                of
            }
        };
        let class = of.and_then(|class| program.classes.get(&class));
        Ok(class.map_or(Owner::Outside, |class| Owner::Scope(Rc::clone(class))))
    }

    /// The first class of the scope above one out of the scope, which is initialised before that (JVMS 5.5): because an object of it is made,
    /// or a static method called that it declares, or one out of the scope above it.
    pub(super) fn above_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        (class, called): (&str, Option<&Named>),
    ) -> Result<Owner, Stopped> {
        if !self.names.has_extenders() || self.names.extender(class).is_none() {
            return Ok(Owner::Outside);
        }
        let key = (class.to_owned(), called.map(signature));
        let found = match self.asked.above.get(&key) {
            Some(known) => Some(*known),
            None => self.find_above(program, link, (class, called))?,
        };
        let Some(found) = found else {
            return Ok(match self.may_be_ahead(thread)? {
                true => Owner::Awaited,
                false => Owner::Outside,
            });
        };
        self.asked.above.insert(key, found);
        let class = found.and_then(|class| program.classes.get(&class));
        Ok(class.map_or(Owner::Outside, |class| Owner::Scope(Rc::clone(class))))
    }

    /// `None`: that cannot be said, or not yet.
    fn find_above(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        (class, called): (&str, Option<&Named>),
    ) -> Result<Option<Option<ReferenceTypeId>>, LinkError> {
        let Some(found) = self.named(program, link, class)? else {
            return Ok(None);
        };
        let Some(way) = self.way_up(program, link, found)? else {
            return Ok(None);
        };
        let mut from = 0;
        if let Some(called) = called {
            for &(class, _) in way.iter().take_while(|(_, in_scope)| !in_scope) {
                let Some(declared) = self.declares(link, class)? else {
                    return Ok(None);
                };
                if declared.contains_key(&signature(called)) {
                    break;
                }
                from += 1;
            }
            // One of the scope declares it, or an interface: the other way round it is found.
            if way.get(from).is_none_or(|(_, in_scope)| *in_scope) {
                return Ok(Some(None));
            }
        }
        let first = way[from..].iter().find(|(_, in_scope)| *in_scope);
        Ok(Some(first.map(|(class, _)| *class)))
    }

    /// Has its initialiser, or that of a class above it, thrown an exception (JVMS 5.5)?
    pub(super) fn is_erroneous(&self, program: &Program, class: &Class) -> bool {
        let failed = class
            .methods
            .iter()
            .any(|method| self.failed.contains(&method.id));
        let mut above = class
            .above
            .iter()
            .filter_map(|above| program.classes.get(above));
        let beyond = self.beyond_of(program, class);
        failed
            || above.any(|above| above.in_scope && self.is_erroneous(program, above))
            || beyond.is_some_and(|beyond| self.is_erroneous(program, &beyond))
    }

    /// The class of the scope that comes next above one, if that itself extends one out of the scope.
    fn beyond_of(&self, program: &Program, class: &Class) -> Option<Rc<Class>> {
        let above = program.classes.get(class.above.first()?);
        if above.is_some_and(|above| above.in_scope) {
            return None;
        }
        self.beyond(program, program.type_of(class.id)?)
    }

    /// Static initialisers that have not run and do when a class is initialised: its own, and those of what is above it, interfaces only where
    /// they declare a method with code and the other is a class (JVMS 5.5, step 7).
    fn uninitialised(&self, program: &Program, class: &Class, found: &mut Vec<Rc<Routine>>) {
        self.uninitialised_for(program, class, class, found);
    }

    fn uninitialised_for(
        &self,
        program: &Program,
        whole: &Class,
        class: &Class,
        found: &mut Vec<Rc<Routine>>,
    ) {
        let above = class
            .above
            .iter()
            .filter_map(|above| program.classes.get(above));
        for above in above.filter(|above| above.in_scope && !whole.is_interface()) {
            self.uninitialised_for(program, whole, above, found);
        }
        if let Some(beyond) = self.beyond_of(program, class) {
            self.uninitialised_for(program, whole, &beyond, found);
        }
        if class.id != whole.id && class.is_interface() && !has_defaults(class) {
            return;
        }
        let initialiser = class
            .methods
            .iter()
            .find(|method| method.name == "<clinit>");
        let routine = initialiser.and_then(|method| self.routines.get(&method.id));
        if let Some(routine) = routine.filter(|routine| !self.initialised.contains(&routine.class))
        {
            found.push(Rc::clone(routine));
        }
    }
}

/// Does an interface declare a method that is neither abstract nor static?
fn has_defaults(interface: &Class) -> bool {
    let mut methods = interface.methods.iter();
    methods.any(|method| method.receiver && !method.is_abstract)
}
