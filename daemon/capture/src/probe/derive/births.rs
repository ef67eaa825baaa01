//! Objects whose constructors code out of the scope calls: which they are, and of which class. The class may be one below that of
//! the constructor, and none of the scope: what a framework generates, or what the scope leaves out.

use std::rc::Rc;

use jhyde_trace::{CallId, ClassId, Content, Event, EventKind, ObjectId, Value};

use super::doubts::Which;
use super::run::{Stopped, lost};
use super::running::Running;
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::jvm::Link;
use crate::mirror::{Body, Shared};
use crate::probe::log::{Ahead, Record};
use crate::program::Program;

impl Deriver {
    /// What a constructor makes that code out of the scope has called; `None` where the log does not say yet.
    ///
    /// It is told where the constructors above have run (JVMS 4.10.1.9), mostly at once. Where it is not, it is taken for an
    /// object of the constructor's class; its class is compared when it is told ([`Self::born_outside`]). Where the scope has called a
    /// constructor out of the scope, the first object of that class is taken for the one which that makes: its hash is told behind it,
    /// unless it ends by an exception ([`super::running::Outside::is_doubtful`]).
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
        let told = match thread.born_ahead(constructs) {
            Ahead::Told { hash, class } => {
                Some((hash, program.class_named(routine.loader, &class)))
            }
            Ahead::NotYet if routine.plan.bears_at_once => return Ok(None),
            Ahead::NotYet | Ahead::Never => None,
        };
        let own = program.classes.get(&routine.class);
        let own = own.map(|class| (class.id, class.name.clone()));
        let (Some((own, name)), class) = (own, told.map(|(_, class)| class)) else {
            return lost("a constructor of an unknown class was called");
        };
        if let Some(class) = class.filter(|&class| class != own)
            && self.subtype(program, link, routine.loader, class, &name)? != Some(true)
        {
            return lost("a constructor has made an object of another class");
        }
        if let Some(object) = self.begun_outside(thread, program, link, (routine, &name))? {
            let of_its_class = class.is_none() || class == self.heap.class(object);
            if let Some(Running::Outside(outside)) = thread.stack.last_mut()
                && of_its_class
            {
                outside.begun += 1;
                let is_first = outside.begun == 1;
                let is_it = told.map_or(is_first, |(hash, class)| {
                    self.identities.may_be(object, class, 0, hash)
                });
                if is_it {
                    return Ok(Some(Value::Object(object)));
                }
            }
        }
        let class = class.unwrap_or(own);
        let (call, made) = (
            thread.current(),
            self.heap.create(Some(class), Body::Fields(Vec::new())),
        );
        self.made_outside(call, made, class);
        if class != own {
            // Its own constructor is passed over: who does that writes its fields without one (deserialisation).
            self.doubt_fields(program, call, made, Which::All);
        }
        Ok(Some(Value::Object(made)))
    }

    /// The object that the scope has made, or a constructor of it goes on making, by the call out of the scope that calls this
    /// constructor: its class is below the constructor's.
    fn begun_outside(
        &mut self,
        thread: &Thread,
        program: &mut Program,
        link: &mut Link,
        (routine, name): (&Routine, &str),
    ) -> Result<Option<ObjectId>, Stopped> {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return Ok(None);
        };
        let constructs = outside.callee.named.name == "<init>";
        let Some(object) = outside.receiver().filter(|_| constructs) else {
            return Ok(None);
        };
        let Some(of) = self.heap.class(object) else {
            return Ok(None);
        };
        let is_below = self.subtype(program, link, routine.loader, of, name)?;
        Ok((is_below == Some(true)).then_some(object))
    }

    /// An object that code out of the scope makes: its fields are as they begin.
    fn made_outside(&mut self, call: CallId, object: ObjectId, class: ClassId) {
        self.heap.share(object, Shared::Jdk);
        self.outlet.object(object, Some(class), Content::None);
        let kind = EventKind::New {
            object,
            class,
            length: None,
        };
        self.outlet.event(call, Event::NO_INDEX, kind);
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
