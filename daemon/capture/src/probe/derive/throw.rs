//! How exceptions go: each method of the scope tells what arrives at its handlers and what leaves it, so that nothing has
//! to be worked out from exception tables and classes.

use std::rc::Rc;

use jhyde_trace::{Event, EventKind, Outcome, Value};

use super::run::{Stopped, lost};
use super::running::{Awaits, Running};
use super::thread::Thread;
use super::{Deriver, Went};
use crate::probe::log::{Record, Reference, Told};
use crate::program::Program;

impl Deriver {
    /// An exception was thrown in the innermost call, or arrived in it from one that it has left.
    pub(super) fn throwing(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
    ) -> Result<Went, Stopped> {
        let Some(Awaits::Exception(known)) = &thread.awaits else {
            return Ok(Went::On);
        };
        let known = *known;
        if let Some(Running::Outside(_)) = thread.stack.last() {
            thread.take_fall_outside()?;
        } else if let Some(Record::Fell { .. }) = thread.peek()? {
            return lost("an error of the JVM arrived where another exception was thrown");
        }
        while let Some(Record::Left { array }) = thread.peek()?.cloned() {
            thread.take()?;
            self.left(thread, program, array)?;
        }
        let Some(record) = thread.peek()?.cloned() else {
            return Ok(Went::Nowhere);
        };
        // It comes from code out of the scope, or through it.
        let through = match thread.stack.last() {
            Some(Running::Outside(outside)) => Some(outside.passes),
            _ => None,
        };
        let (exception, handler) = match record {
            Record::Caught { site, exception } => (exception, Some(site)),
            Record::Escaped { exception, .. } => (exception, None),
            other => return lost(format!("an exception was thrown, and {other:?} was told")),
        };
        let value = self.thrown(thread, program, known, exception)?;
        if through.is_some() {
            // How far it came with others that it was shown nothing tells.
            if let Some(Running::Outside(outside)) = thread.stack.last() {
                if outside.is_doubtful() {
                    return lost(
                        "a constructor has made several objects and thrown: which is its own cannot be told",
                    );
                }
                self.doubt_written(thread, program, outside, true);
                for &(array, _) in &outside.open.arrays {
                    self.forget_elements(outside.call, array);
                }
            }
            self.outside_ran();
            self.contents_after_throw(thread, program);
            thread.end_call(Outcome::Threw(value), Event::NO_INDEX, &mut self.outlet);
        }
        let Some(frame) = thread.frame() else {
            return lost("an exception arrived in no call of the scope");
        };
        let (call, routine) = (frame.call, Rc::clone(&frame.routine));
        let index = routine
            .instruction(frame.at)
            .map_or(Event::NO_INDEX, |i| i.index);
        let told_here = match handler {
            Some(site) => self
                .numbers
                .place_of(site)
                .is_some_and(|place| place.method == routine.id),
            None => routine.plan.guarded.is_some_and(|from| from <= index),
        };
        let thrown_here = routine
            .instruction(frame.at)
            .is_some_and(|i| i.invoke().is_none());
        let new = known.is_none() && through.flatten() != Some(value);
        if new || (known.is_some() && thrown_here) {
            self.outlet
                .event(call, index, EventKind::Thrown { exception: value });
        }
        thread.arrives(told_here)?;
        if !told_here {
            // It leaves a constructor before there is a `this`, which tells nothing.
            if !routine.is_constructor() || routine.plan.guarded.is_some_and(|from| from <= index) {
                return lost("an exception was caught where none was to arrive");
            }
            self.leaves_by(thread, value, index, false);
            return Ok(Went::On);
        }
        match handler {
            Some(site) => {
                thread.take()?;
                let place = self.numbers.place_of(site);
                let place = place.filter(|place| place.method == routine.id);
                let ordinal = place.and_then(|place| routine.code.as_ref()?.ordinal(place.index));
                let (Some(place), Some(ordinal), Some(frame)) = (place, ordinal, thread.frame())
                else {
                    return lost("an exception was caught where none was to arrive");
                };
                frame.activation.catch(value, Some(ordinal));
                frame.goes(u32::try_from(ordinal).unwrap_or(u32::MAX));
                frame.initialised = None;
                let kind = EventKind::Caught { exception: value };
                self.outlet.event(call, place.index, kind);
                thread.awaits = None;
            }
            None => {
                let Record::Escaped { method, ends, .. } = thread.take()? else {
                    return lost("an exception has gone");
                };
                if method != routine.plan.number {
                    return lost("an exception left another method than it was thrown in");
                }
                let initialiser = routine.name == "<clinit>";
                if initialiser {
                    self.failed.insert(routine.id);
                    self.ready.clear();
                }
                if ends {
                    let kind = EventKind::Uncaught { exception: value };
                    self.outlet.event(call, index, kind);
                }
                self.leaves_by(thread, value, index, initialiser);
            }
        }
        Ok(Went::On)
    }

    /// What an array holds that was shown to the innermost call, which ends by an exception.
    fn left(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        told: Reference,
    ) -> Result<(), Stopped> {
        let call = thread.current();
        let (Some(Running::Outside(outside)), Some(object)) = (thread.stack.last_mut(), told)
        else {
            return Ok(());
        };
        let shown = &mut outside.open.arrays;
        let mut fit =
            (0..shown.len()).filter(|&at| self.identities.has_hash(shown[at].0, object.hash));
        // Which of two it is nobody knows.
        let at = fit.next().filter(|_| fit.next().is_none());
        let Some((array, certain)) = at.map(|at| shown.remove(at)) else {
            return Ok(());
        };
        match object.told {
            Told::Array {
                elements: Some(elements),
                ..
            } => self.compare(program, call, array, elements, certain)?,
            _ => self.forget_elements(call, array),
        }
        Ok(())
    }

    /// The innermost call of the scope ends by an exception.
    fn leaves_by(&mut self, thread: &mut Thread, value: Value, index: u32, initialiser: bool) {
        thread.end_call(Outcome::Threw(value), index, &mut self.outlet);
        thread.awaits = match thread.stack.last_mut() {
            // The JVM puts another one around what an initialiser throws (JVMS 5.5).
            Some(Running::Scope(_)) if initialiser => Some(Awaits::Exception(None)),
            Some(Running::Scope(_)) => Some(Awaits::Exception(Some(value))),
            Some(Running::Outside(outside)) => {
                outside.passes = Some(value);
                None
            }
            None => None,
        };
    }

    /// The exception that a record tells: the one that is known, if it is.
    fn thrown(
        &mut self,
        thread: &Thread,
        program: &mut Program,
        known: Option<Value>,
        told: Reference,
    ) -> Result<Value, Stopped> {
        match (known, &told) {
            (Some(value), Some(object)) => match self.shown(value, object.hash) {
                true => {
                    self.introduce_fixed(program, thread.current(), value, object);
                    Ok(value)
                }
                false => lost("another exception arrived than was thrown"),
            },
            _ => Ok(self.reference(program, thread.current(), told)?),
        }
    }
}
