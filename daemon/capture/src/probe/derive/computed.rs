//! Constants that a method computes where they are used first (JVMS 5.4.3.6): coverage tools have one in each method. That
//! method may be one of the scope, and what it calls is told like any other code that code out of the scope calls.

use std::rc::Rc;

use jhyde_trace::Value;

use super::routine::Callee;
use super::run::{Needs, Stopped, lost};
use super::running::{Open, Outside, Running, Why};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::probe::log::{Raw, Record};
use crate::program::{Named, Program};

impl Deriver {
    /// The value that an instruction loads which names such a constant: each log tells it once for each place.
    pub(super) fn computed_told(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        (index, constant): (u32, u16),
        place: u32,
    ) -> Result<Needs, Stopped> {
        if thread.literals.contains(&place) {
            let Some(&value) = self.computed.get(&place) else {
                return lost("a constant was told and is not known");
            };
            push(thread, value);
            return Ok(Needs::Done);
        }
        let result = match thread.peek()? {
            None => return Ok(Needs::More),
            Some(Record::Result { site, result }) if *site == place => result.clone(),
            Some(Record::Enter { .. }) => {
                self.computes(thread, program, routine, (index, constant), place)?;
                return Ok(Needs::Another);
            }
            Some(other) if other.is_thrown() => return Ok(Needs::Throws),
            Some(other) => return lost(format!("a constant tells {other:?}")),
        };
        thread.take()?;
        if !self.computed.contains_key(&place) {
            // Whatever has computed it.
            self.outside_ran();
        }
        let descriptor = descriptor(routine, constant)?;
        let value = self.computed_value(thread, program, (place, &descriptor), result)?;
        push(thread, value);
        Ok(Needs::Done)
    }

    /// Code of the scope is called to compute it: a call out of the scope, of the method by which the JVM does that.
    fn computes(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        (index, constant): (u32, u16),
        place: u32,
    ) -> Result<(), Stopped> {
        let returns = descriptor(routine, constant)?;
        let named = Named {
            class: "java.lang.invoke.MethodHandleNatives".to_owned(),
            name: "linkDynamicConstant".to_owned(),
            descriptor: format!("(){returns}"),
            kind: jhyde_bytecode::InvokeKind::Static,
            code: routine.loader,
        };
        let callee = Rc::new(Callee {
            constant,
            named,
            parameters: Vec::new(),
            returns,
        });
        let call = self.begin_outside(thread, program, &callee, &[], index);
        let mut outside = Outside {
            why: Why::Computes,
            ..Outside::new(call, callee, Vec::new(), Open::of(place))
        };
        self.contents_leave(thread, program, &mut outside);
        thread.stack.push(Running::Outside(outside));
        Ok(())
    }

    /// What was told of it: it is the same wherever it is told.
    pub(super) fn computed_value(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        (place, descriptor): (u32, &str),
        told: Raw,
    ) -> Result<Value, Stopped> {
        thread.literals.insert(place);
        if let Some(&known) = self.computed.get(&place) {
            return match self.agrees(known, &told) {
                true => Ok(known),
                false => lost("a constant has another value than it had"),
            };
        }
        let value = self.value(program, thread.current(), told, descriptor)?;
        self.computed.insert(place, value);
        Ok(value)
    }
}

fn push(thread: &mut Thread, value: Value) {
    if let Some(frame) = thread.frame() {
        frame.activation.push(value);
    }
}

fn descriptor(routine: &Routine, constant: u16) -> Result<String, Stopped> {
    let pool = routine.pool.as_ref();
    match pool.and_then(|pool| pool.dynamic_constant(constant).ok()) {
        Some((_, descriptor)) => Ok(descriptor.to_owned()),
        None => lost("a constant has no type"),
    }
}
