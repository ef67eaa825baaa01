//! How calls of the scope begin: called by the scope, with what was derived, or by code out of it, with what is told.

use std::rc::Rc;

use jhyde_trace::{EventKind, MonitorAction, Value};

use super::identity::Meant;
use super::run::{Stopped, lost};
use super::running::{Awaits, Entering, Frame, Open, Running};
use super::thread::Thread;
use super::world::same_value;
use super::{Deriver, Routine, Went};
use crate::jvm::Link;
use crate::mirror::{Activation, Constant, narrowed};
use crate::probe::log::{Raw, Record};
use crate::program::Program;

impl Deriver {
    /// A method begins that its log tells of: what it is given follows.
    pub(super) fn begin_told(&mut self, thread: &mut Thread, routine: &Rc<Routine>, index: u32) {
        if routine.name == "<clinit>" {
            self.initialised.insert(routine.class);
        }
        thread.awaits = Some(Awaits::Arguments(Entering {
            routine: Rc::clone(routine),
            values: Vec::new(),
            derived: None,
            index,
            open: None,
        }));
    }

    /// What a method is given whose beginning was told.
    pub(super) fn arguments(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        let call = thread.current();
        let Some(Awaits::Arguments(entering)) = &thread.awaits else {
            return Ok(Went::On);
        };
        let routine = Rc::clone(&entering.routine);
        let constructs = routine.receiver && routine.is_constructor();
        // Which object a constructor is called on is told behind its arguments.
        let made_outside = constructs && entering.derived.is_none();
        let given = entering.values.len() + usize::from(made_outside);
        let derived = entering.derived.as_ref().map(|all| all.get(given).copied());
        if given == routine.slots.len() {
            let made = match made_outside {
                false => None,
                true => match self.constructed_outside(thread, program, link, &routine)? {
                    None => return Ok(Went::Nowhere),
                    made => made,
                },
            };
            let Some(Awaits::Arguments(mut entering)) = thread.awaits.take() else {
                return Ok(Went::On);
            };
            if let Some(made) = made {
                entering.values.insert(0, made);
            }
            self.contents_seen(thread, program);
            self.contents_given(thread, program, &entering.values);
            let invoked = entering.derived.is_some();
            let (index, open) = (entering.index, entering.open);
            self.enter(
                thread,
                program,
                &routine,
                entering.values,
                index,
                invoked,
                open,
            );
            if let Some(frame) = thread.frame() {
                frame.fresh = true;
            }
            return Ok(Went::On);
        }
        let value = if constructs && given == 0 {
            // It cannot be told before the constructor above it has run (JVMS 4.10.1.9).
            match derived {
                Some(Some(derived)) => derived,
                _ => return lost("a constructor was called on nothing"),
            }
        } else {
            let raw = match thread.peek()? {
                None => return Ok(Went::Nowhere),
                Some(Record::Result { site: 0, result }) => result.clone(),
                Some(other) => return lost(format!("an argument is told as {other:?}")),
            };
            thread.take()?;
            match derived {
                Some(Some(derived)) => {
                    if !self.agrees(derived, &raw) {
                        return lost("a method was given another value than was derived");
                    }
                    derived
                }
                Some(None) => return lost("a method has more parameters than its call"),
                None => {
                    self.learn_unfinished(thread, program, &raw);
                    let descriptor = routine.slot_descriptor(given);
                    self.value(program, call, raw, descriptor)?
                }
            }
        };
        if let Some(Awaits::Arguments(entering)) = &mut thread.awaits {
            entering.values.push(value);
        }
        Ok(Went::On)
    }

    /// A constructor out of the scope (of `Throwable`, of a collection) calls methods of the scope on the object that it is
    /// making, or gives it to them: until now nobody could tell that one. Of its class, with a hash that nobody told, it is taken for
    /// it; when the constructor is done its hash is told once more, and another one ends the recording of the thread.
    fn learn_unfinished(&mut self, thread: &Thread, program: &Program, raw: &Raw) {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        let (Some(object), Raw::Reference(Some(told))) = (outside.open.constructed, raw) else {
            return;
        };
        let class = self.heap.class(object);
        let Some(class) = class.filter(|&class| self.same_class(program, class, told)) else {
            return;
        };
        let is_new = self.identities.meant(told.hash, class, 0) == Meant::New;
        if is_new && self.identities.told(object, class, 0, told.hash) {
            self.unfinished.insert(object);
        }
    }

    /// Is a value that was told the one that was derived?
    pub(super) fn agrees(&mut self, derived: Value, raw: &Raw) -> bool {
        match (crate::mirror::widened(derived), raw) {
            (Value::Int(value), Raw::Narrow(bits)) => value as u32 == *bits,
            (value @ Value::Float(_), Raw::Narrow(bits)) => same_value(value, Value::Float(*bits)),
            (Value::Long(value), Raw::Wide(bits)) => value as u64 == *bits,
            (value @ Value::Double(_), Raw::Wide(bits)) => same_value(value, Value::Double(*bits)),
            (Value::Null, Raw::Reference(None)) => true,
            (Value::Object(_), Raw::Reference(Some(object))) => self.shown(derived, object.hash),
            _ => false,
        }
    }

    /// A call of the scope begins.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a call is: by whom, of what, with what, from where, for whom"
    )]
    pub(super) fn enter(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Rc<Routine>,
        values: Vec<Value>,
        call_site: u32,
        invoked: bool,
        open: Option<Open>,
    ) {
        self.meet_class(program, thread.current(), routine.class);
        let call = thread.next_call();
        let bound: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(at, &value)| narrowed(value, routine.slot_descriptor(at)))
            .collect();
        let slots = routine.slots.iter().zip(&bound);
        let activation =
            Activation::entered(slots.filter_map(|((request, _), &value)| {
                Some((u16::try_from(request.slot).ok()?, value))
            }));
        let mut bound = bound.into_iter();
        let receiver = if routine.receiver { bound.next() } else { None };
        let arguments: Vec<Value> = bound.collect();
        let monitor = match receiver {
            _ if !routine.synchronized => None,
            Some(receiver) => receiver.object(),
            None => {
                let name = program
                    .classes
                    .get(&routine.class)
                    .map(|class| class.name.clone());
                let name = name.unwrap_or_default();
                let constant = Constant::Class(program.spelling(routine.loader, &name));
                match self.is_open(program, &constant, &name) {
                    true => None,
                    false => self.constant(program, constant, name).object(),
                }
            }
        };
        let kind = EventKind::Enter {
            method: routine.id,
            receiver,
            arguments,
            call_site,
            boundary: false,
            already_running: false,
        };
        self.outlet.event(call, 0, kind);
        if routine.synchronized && monitor.is_none() {
            let reason = "of which object a monitor is was not seen".to_owned();
            let back = false;
            self.outlet.event(call, 0, EventKind::Gap { reason, back });
        }
        if let Some(object) = monitor {
            let action = MonitorAction::Enter;
            self.outlet
                .event(call, 0, EventKind::Monitor { action, object });
        }
        thread.stack.push(Running::Scope(Frame {
            call,
            routine: Rc::clone(routine),
            activation,
            at: 0,
            invoked,
            open,
            initialised: None,
            fresh: false,
            made: receiver
                .and_then(Value::object)
                .filter(|_| routine.is_constructor()),
            told: false,
            wrote: false,
            passed: false,
            monitor,
        }));
    }
}
