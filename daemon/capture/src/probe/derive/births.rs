//! Objects whose constructors code out of the scope calls: which they are, and of which class. The class may be one below that of
//! the constructor, and none of the scope: what a framework generates, or what the scope leaves out.

use std::rc::Rc;

use jhyde_trace::{CallId, ClassId, Content, Event, EventKind, ObjectId, Value};

use super::run::{Stopped, lost};
use super::thread::{Running, Thread};
use super::{Deriver, Routine};
use crate::jvm::Link;
use crate::mirror::{Body, Shared};
use crate::probe::log::Record;
use crate::program::Program;

impl Deriver {
    /// What a constructor makes that code out of the scope has called; `None` where the log does not say yet.
    ///
    /// It is told where the constructors above have run (JVMS 4.10.1.9), mostly at once. Where it is not, it is taken for an
    /// object of the constructor's class; its class is compared when it is told ([`Self::born_outside`]).
    pub(super) fn constructed_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
    ) -> Result<Option<Value>, Stopped> {
        let constructs = |method: u32| {
            let routine = self
                .numbers
                .method_of(method)
                .and_then(|id| self.routines.get(&id));
            routine.is_some_and(|routine| routine.is_constructor())
        };
        let told = thread.born_ahead(constructs);
        if told.is_none() && routine.plan.bears_at_once && thread.peek()?.is_none() {
            return Ok(None);
        }
        let told = told.map(|(hash, class)| (hash, program.class_named(routine.loader, &class)));
        if let Some(object) = self.begun_outside(thread, program, link, routine)? {
            let class = self.heap.class(object);
            let fits = |(hash, told): (u32, ClassId)| {
                Some(told) == class && self.identities.may_be(object, told, 0, hash)
            };
            if told.is_none_or(fits) {
                if let Some(Running::Outside(outside)) = thread.stack.last_mut() {
                    outside.begun = true;
                }
                return Ok(Some(Value::Object(object)));
            }
        }
        let class = told.map(|(_, class)| class);
        let own = || program.classes.get(&routine.class).map(|class| class.id);
        let class = class.or_else(own);
        Ok(Some(self.made_outside(thread.current(), class)))
    }

    /// The object that the scope has made, or a constructor of it goes on making, by the call out of the scope that calls this
    /// constructor: its class is below the constructor's.
    fn begun_outside(
        &mut self,
        thread: &Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
    ) -> Result<Option<ObjectId>, Stopped> {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return Ok(None);
        };
        let constructs = outside.callee.named.name == "<init>" && !outside.begun;
        let Some(object) = outside.receiver().filter(|_| constructs) else {
            return Ok(None);
        };
        let name = program
            .classes
            .get(&routine.class)
            .map(|class| class.name.clone());
        let (Some(of), Some(name)) = (self.heap.class(object), name) else {
            return Ok(None);
        };
        let is_below = self.subtype(program, link, routine.loader, of, &name)?;
        Ok((is_below == Some(true)).then_some(object))
    }

    /// An object that code out of the scope makes: its fields are as they begin.
    fn made_outside(&mut self, call: CallId, class: Option<ClassId>) -> Value {
        let object = self.heap.create(class, Body::Fields(Vec::new()));
        self.heap.share(object, Shared::Jdk);
        self.outlet.object(object, class, Content::None);
        if let Some(class) = class {
            let length = None;
            let kind = EventKind::New {
                object,
                class,
                length,
            };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        Value::Object(object)
    }

    /// The object is told whose constructor code out of the scope has called.
    pub(super) fn born_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        made: ObjectId,
    ) -> Result<(), Stopped> {
        let routine = thread.frame().map(|frame| Rc::clone(&frame.routine));
        let (hash, class) = match thread.take()? {
            Record::Born { hash, class } => (hash, class),
            other => return lost(format!("an object that was made tells {other:?}")),
        };
        let loader = routine.map_or(0, |routine| routine.loader);
        if self.heap.class(made) != Some(program.class_named(loader, &class)) {
            return lost(format!("a constructor has made a {class}"));
        }
        match self.shown(Value::Object(made), hash) {
            true => Ok(()),
            false => lost("another object was made than was derived"),
        }
    }
}
