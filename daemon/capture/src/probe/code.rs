//! Puts code into classes of the scope, and leaves out those that cannot have it.

use std::rc::Rc;

use jdwp::commands::virtual_machine;
use jdwp::{ReferenceTypeId, ThreadId};
use jhyde_bytecode::ClassFile;
use jhyde_trace::{FieldId, Level, MethodId, Sink, Subject};

use super::agent::{self, Given};
use super::derive::{Deriver, constants};
use super::engine::Engine;
use super::instrument::instrument;
use super::plan::MethodPlan;
use crate::error::{CaptureError, LinkError};
use crate::program::{Class, Method};

/// So many classes go in one command: a command costs more than a class.
const TOGETHER: usize = 128;

/// A class file, and which methods its are.
pub(super) struct File {
    file: Rc<ClassFile>,
    methods: Vec<Option<Rc<Method>>>,
    /// By the JVM: no file that is found is it.
    given: bool,
}

/// What classes are to get, and why others get nothing.
pub(super) struct Made {
    coded: Vec<Coded>,
    left: Vec<(Rc<Class>, String)>,
}

impl Made {
    /// Is it known of this class?
    pub(super) fn has(&self, class: &Class) -> bool {
        let coded = self.coded.iter().map(|one| &one.known);
        let left = self.left.iter().map(|(known, _)| known);
        coded.chain(left).any(|known| known.id == class.id)
    }
}

/// A class with the code that it is to have.
pub(super) struct Coded {
    class: ReferenceTypeId,
    known: Rc<Class>,
    original: Vec<u8>,
    bytes: Vec<u8>,
    methods: Vec<Option<Rc<Method>>>,
    /// See [`File::given`].
    given: bool,
    plans: Vec<(MethodId, MethodPlan)>,
    constants: Vec<(FieldId, constants::Held)>,
}

impl File {
    /// What it gives static fields of the class that it is of.
    pub(super) fn constants(&self, class: &Class) -> Vec<(FieldId, constants::Held)> {
        constants::constants(&self.file, class)
    }
}

impl<S: Sink> Engine<S> {
    /// Classes of the scope get their code. Those that cannot are told at level `calls`. The thread: one that an event has
    /// suspended, which may be asked for what is known of a class; none where the whole JVM stands still.
    pub(super) fn instrument(
        &mut self,
        thread: Option<ThreadId>,
        classes: Vec<(ReferenceTypeId, Rc<Class>)>,
    ) -> Result<(), CaptureError> {
        let made = self.make(thread, classes)?;
        self.put_in(made)
    }

    /// What classes are to get. Of those that the JVM alone has, it is kept there: a thread is needed for that.
    pub(super) fn make(
        &mut self,
        thread: Option<ThreadId>,
        classes: Vec<(ReferenceTypeId, Rc<Class>)>,
    ) -> Result<Made, CaptureError> {
        let (mut coded, mut left) = (Vec::new(), Vec::new());
        let Some(probe) = self.probe.map(|probe| probe.names.probe()) else {
            return Ok(Made { coded, left });
        };
        for (class, known) in classes {
            // What would be asked for others, were it to tell its own code.
            if known.name == agent::NAME {
                continue;
            }
            let found = match thread {
                Some(thread) => self.find(thread, class, &known)?,
                None => self.file(&known),
            };
            match found.and_then(|file| self.code(class, &known, file, &probe)) {
                Ok(one) if !self.is_safe(thread, &one)? => {
                    let reason = "other agents may change its code once more";
                    left.push((known, reason.to_owned()));
                }
                Ok(one) => coded.push(one),
                Err(reason) => left.push((known, reason)),
            }
        }
        Ok(Made { coded, left })
    }

    /// Classes get what was made for them.
    pub(super) fn put_in(&mut self, made: Made) -> Result<(), CaptureError> {
        let Made {
            mut coded,
            mut left,
        } = made;
        while !coded.is_empty() {
            let rest = coded.split_off(coded.len().min(TOGETHER));
            left.extend(self.redefine(std::mem::replace(&mut coded, rest))?);
        }
        for (known, reason) in left {
            self.leave_out(&known, reason)?;
        }
        Ok(())
    }

    /// Does a class get exactly the code that it is given, whatever other agents make of it? Those that have not changed it so far
    /// are taken to leave it alone.
    fn is_safe(&mut self, thread: Option<ThreadId>, one: &Coded) -> Result<bool, CaptureError> {
        match thread.filter(|_| one.given) {
            Some(thread) => {
                let kept = self
                    .class_files
                    .keep(&mut self.link, thread, one.class, &one.bytes);
                Ok(kept?)
            }
            None => Ok(true),
        }
    }

    /// The class file of a class: of the class path, of where it says that it comes from, or else of the JVM.
    pub(super) fn find(
        &mut self,
        thread: ThreadId,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<Result<File, String>, CaptureError> {
        self.find_origin(thread, class, known)?;
        let found = self.file(known);
        // A proxy calls its handler and nothing else.
        if (found.is_ok() && !self.class_files.gave(&known.name)) || is_proxy(known) {
            return Ok(found);
        }
        let Some(bytes) = self.class_files.of(&mut self.link, thread, class)? else {
            return Ok(found);
        };
        tracing::debug!(class = known.name, "the JVM gave its class file");
        match self.deriver.names.learn(bytes, self.also.births) {
            Ok(()) => {
                self.class_files.has_given(&known.name);
                Ok(self.file(known).map(|file| File {
                    given: true,
                    ..file
                }))
            }
            Err(reason) => {
                tracing::warn!(class = known.name, reason, "its class file is not used");
                Ok(found)
            }
        }
    }

    /// The class file that is known of a class, if it is that of the JVM; the error says why there is none.
    pub(super) fn file(&mut self, known: &Class) -> Result<File, String> {
        let Some(file) = self.deriver.names.dotted(&known.name) else {
            return Err("its class file was not found".to_owned());
        };
        match same_methods(&file, known) {
            Some(methods) => Ok(File {
                file,
                methods,
                given: false,
            }),
            None => Err("the class file that was found is not the one that the JVM has".to_owned()),
        }
    }

    /// A class that the class path does not have: the place that it comes from is searched from now on. Not where code
    /// there may use reflection of which nothing was expected: objects that were made before were not told.
    pub(super) fn find_origin(
        &mut self,
        thread: ThreadId,
        class: ReferenceTypeId,
        known: &Class,
    ) -> Result<(), CaptureError> {
        if self.deriver.names.dotted(&known.name).is_some() {
            return Ok(());
        }
        let Some(place) = self.origins.of(&mut self.link, thread, class)? else {
            return Ok(());
        };
        match self.deriver.names.search(&place, self.also.births) {
            Ok(()) => tracing::debug!(
                ?place,
                class = known.name,
                "a loader takes classes from there"
            ),
            Err(reason) => tracing::warn!(?place, class = known.name, reason, "not searched"),
        }
        Ok(())
    }

    /// The code of a class; the error says why it is left as it is.
    pub(super) fn code(
        &mut self,
        class: ReferenceTypeId,
        known: &Rc<Class>,
        File {
            file,
            methods,
            given,
        }: File,
        probe: &str,
    ) -> Result<Coded, String> {
        let ids: Vec<_> = methods
            .iter()
            .map(|method| method.as_ref().map(|m| m.id))
            .collect();
        let Deriver { names, numbers, .. } = &mut self.deriver;
        let made = instrument(&file, &ids, names, numbers, probe, self.also);
        let made = made.map_err(|error| error.to_string())?;
        Ok(Coded {
            class,
            known: Rc::clone(known),
            original: file.bytes.to_vec(),
            bytes: made.bytes,
            methods,
            given,
            plans: made.plans,
            constants: constants::constants(&file, known),
        })
    }

    /// The JVM gets new code of classes: of all, or, where it does not take that, of one after the other. Gives those that it does not
    /// take, with the reason.
    fn redefine(&mut self, all: Vec<Coded>) -> Result<Vec<(Rc<Class>, String)>, CaptureError> {
        let definitions = |code: fn(&Coded) -> &Vec<u8>| {
            let definition = |one: &Coded| virtual_machine::ClassDefinition {
                class: one.class,
                class_file: code(one).clone(),
            };
            all.iter().map(definition).collect()
        };
        let originals = virtual_machine::RedefineClasses {
            classes: definitions(|one| &one.original),
        };
        let given = |given| all.iter().any(|one| one.given).then_some(given);
        self.leave_words(&originals, given(Given::Original));
        let classes = definitions(|one| &one.bytes);
        let taken = self.replace(classes, given(Given::Code))?;
        let Err(error) = taken else {
            let classes: Vec<_> = all.iter().map(|one| one.class).collect();
            all.into_iter().for_each(|one| self.has_code(one));
            for class in classes {
                self.deriver
                    .meet_above(&mut self.program, &mut self.link, class)?;
            }
            return Ok(Vec::new());
        };
        let mut left = Vec::new();
        match all.len() {
            1 => {
                let reason = format!("the JVM does not take its new code: {error}");
                left.extend(all.into_iter().map(|one| (one.known, reason.clone())));
            }
            _ => {
                for one in all {
                    left.extend(self.redefine(vec![one])?);
                }
            }
        }
        Ok(left)
    }

    /// The JVM gets code of classes; `given`: which of those that are kept it is.
    fn replace(
        &mut self,
        classes: Vec<virtual_machine::ClassDefinition>,
        given: Option<Given>,
    ) -> Result<Result<(), jdwp::ReplyError>, LinkError> {
        self.gives(given)?;
        let taken = self
            .link
            .request(&virtual_machine::RedefineClasses { classes })?;
        self.gives(given.map(|_| Given::Nothing))?;
        Ok(taken)
    }

    fn gives(&mut self, given: Option<Given>) -> Result<(), LinkError> {
        match given.and_then(|given| self.class_files.gives(given)) {
            // An agent that is gone is no JVM that can be recorded: what it has then, it has.
            Some(told) => self.link.request(&told).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The same, for whoever leaves the JVM in our place.
    fn leave_words(&mut self, classes: &virtual_machine::RedefineClasses, given: Option<Given>) {
        let told = given.and_then(|given| self.class_files.gives(given));
        told.into_iter().for_each(|told| self.leave_word(&told));
        self.leave_word(classes);
        let told = given.and_then(|_| self.class_files.gives(Given::Nothing));
        told.into_iter().for_each(|told| self.leave_word(&told));
    }

    /// Classes get the code back that they had, as far as the JVM answers: many together, or, where one of them is gone, of
    /// which then all would keep theirs, one after the other.
    pub(super) fn put_back(&mut self) {
        let definitions = std::mem::take(&mut self.originals).into_iter();
        let definitions: Vec<_> = definitions
            .map(|(class, class_file)| virtual_machine::ClassDefinition { class, class_file })
            .collect();
        let mut kept = 0;
        for together in definitions.chunks(TOGETHER) {
            match self.takes(together) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(_) => return,
            }
            for one in together.chunks(1) {
                match self.takes(one) {
                    Ok(took) => kept += usize::from(!took),
                    Err(_) => return,
                }
            }
        }
        if kept > 0 {
            tracing::warn!(
                kept,
                "classes keep the code that records, which writes for nobody now"
            );
        }
    }

    /// Says whether the JVM takes code of classes.
    fn takes(
        &mut self,
        definitions: &[virtual_machine::ClassDefinition],
    ) -> Result<bool, LinkError> {
        let taken = self.replace(definitions.to_vec(), Some(Given::Original))?;
        Ok(taken.is_ok())
    }

    fn has_code(&mut self, coded: Coded) {
        self.originals.push((coded.class, coded.original));
        self.deriver.has_constants(coded.class, coded.constants);
        for (id, plan) in coded.plans {
            let methods = coded.methods.iter().flatten();
            let method = methods.into_iter().find(|method| method.id == id);
            if let Some(method) = method {
                self.deriver.instrumented(coded.class, method, plan);
            }
        }
    }

    /// A class of the scope is left as it is.
    fn leave_out(&mut self, known: &Class, reason: String) -> Result<(), CaptureError> {
        // What was before it is as it was.
        self.derive(None)?;
        // What its code writes, nobody sees; but where all reads are told it shows.
        if !is_proxy(known) && !self.running {
            self.deriver
                .give_up(&format!("{} could not be instrumented", known.name));
        }
        self.deriver.tell(&mut self.program, &mut self.sink)?;
        self.sink
            .level(Subject::Class(known.id), Level::Calls, reason)?;
        Ok(())
    }
}

/// Made by `java.lang.reflect.Proxy`: calls its handler and does nothing else.
fn is_proxy(class: &Class) -> bool {
    class.name.contains("$Proxy")
}

/// The methods of a class file as the JVM has them; `None` if it has others, or other code: instructions, or what their numbers mean.
fn same_methods(file: &ClassFile, class: &Class) -> Option<Vec<Option<Rc<Method>>>> {
    let pool = class.methods.iter().find_map(|method| method.pool.as_ref());
    if pool.is_some_and(|pool| !pool.begins_with(&file.constants)) {
        tracing::debug!(class = class.name, "another constant pool");
        return None;
    }
    let of_file = |method: &jhyde_bytecode::Method| {
        let descriptor = method.descriptor.descriptor();
        let mut all = class.methods.iter();
        let found = all.find(|m| m.name == method.name && m.descriptor == descriptor)?;
        let code = match &method.code {
            Some(code) => Some(code.decode().ok()?),
            None => None,
        };
        let same = match (&code, &found.code) {
            (None, None) => true,
            (Some(one), Some(other)) => one.instructions() == other.instructions(),
            _ => false,
        };
        same.then(|| Some(Rc::clone(found)))
    };
    file.methods.iter().map(of_file).collect()
}
