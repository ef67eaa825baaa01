//! When static initialisers run (JVMS 5.5).

use std::rc::Rc;

use jhyde_trace::Event;

use super::run::Stopped;
use super::running::Awaits;
use super::thread::Thread;
use super::{Deriver, Routine, Went};
use crate::probe::log::Record;
use crate::program::{Class, Program};

impl Deriver {
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
