//! Values that instructions tell which do not follow: of fields that the scope is not known to declare, and of constants.

use jhyde_trace::Value;

use super::run::{Needs, Stopped, lost};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::jvm::Link;
use crate::mirror::Op;
use crate::probe::log::{Raw, Record};
use crate::probe::plan::Tells;
use crate::program::{Field, Program, dotted};

impl Deriver {
    /// Reads and writes of fields that the scope is not known to declare tell their value.
    pub(super) fn told_value(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        (index, op): (u32, Op),
    ) -> Result<Needs, Stopped> {
        if self.reads_are_told(routine, index) {
            return self.read_told(thread, program, routine, index, op);
        }
        let Some(&(place, Tells::Value | Tells::Write)) = routine.tells(index) else {
            return Ok(Needs::Nothing);
        };
        let (Op::GetField(constant)
        | Op::GetStatic(constant)
        | Op::PutField(constant)
        | Op::PutStatic(constant)) = op
        else {
            return Ok(Needs::Nothing);
        };
        let Some((class, descriptor)) = routine
            .pool
            .as_ref()
            .and_then(|pool| pool.field(constant).ok())
            .map(|named| (dotted(named.class), named.descriptor.to_owned()))
        else {
            return lost("a field has no name");
        };
        let call = thread.current();
        let writes = matches!(op, Op::PutField(_) | Op::PutStatic(_));
        let told_of = !writes || matches!(descriptor.as_bytes().first(), Some(b'L' | b'['));
        if told_of {
            match thread.peek()? {
                None => return Ok(Needs::More),
                // Its class is not there, or its object.
                Some(other) if other.is_thrown() => return Ok(Needs::Throws),
                Some(Record::Enter { .. }) if matches!(op, Op::GetStatic(_)) => {
                    let class = (class, routine.loader);
                    self.initialises_outside(thread, program, (place, constant), class);
                    return Ok(Needs::Another);
                }
                Some(_) => {}
            }
        }
        if writes {
            if told_of {
                let Record::Shown { hash, elements } = thread.take()? else {
                    return lost("a write does not tell what it writes");
                };
                let value = thread.frame().map(|frame| frame.activation.peek(0));
                if !value.is_some_and(|value| self.shows(value, hash, elements.as_deref())) {
                    return lost("a write tells another object than it writes");
                }
            }
            if routine.field(program, constant).is_some() {
                return Ok(Needs::Nothing);
            }
            self.writes_foreign(thread, program, link, routine, index, (op, &descriptor))?;
            return Ok(Needs::Done);
        }
        let result = match thread.take()? {
            Record::Result { site, result } if site == place => result,
            other => return lost(format!("a read tells {other:?}")),
        };
        if let Some(field) = routine.field(program, constant) {
            return self.confirm(thread, program, &field, &result);
        }
        let value = self.value(program, call, result, &descriptor)?;
        self.reads_foreign(thread, program, link, routine, index, (op, value))?;
        Ok(Needs::Done)
    }

    /// A field of the scope whose class was not known when the code was instrumented told its value: it must be what is
    /// derived.
    fn confirm(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        field: &Field,
        told: &Raw,
    ) -> Result<Needs, Stopped> {
        let call = thread.current();
        let object = thread.frame().map(|frame| frame.activation.peek(0));
        let begins = crate::mirror::initial(&field.descriptor);
        let derived = match object.and_then(Value::object).filter(|_| !field.is_static) {
            Some(object) => self.heap.field(object, field.id, begins),
            None => self.static_held(program, call, field),
        };
        match self.agrees(derived, told) {
            true => Ok(Needs::Nothing),
            false => lost(format!("the field {} was written unseen", field.name)),
        }
    }

    /// Strings and classes of the constant pool are told the first time; what is no string, class or number each time.
    pub(super) fn constant_told(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        index: u32,
        constant: u16,
    ) -> Result<Needs, Stopped> {
        let call = thread.current();
        match routine.tells(index) {
            Some(&(place, Tells::Literal)) if !thread.literals.contains(&place) => {
                let told = match thread.peek()? {
                    None => return Ok(Needs::More),
                    Some(&Record::Literal { site, hash }) if site == place => hash,
                    // There is no such class.
                    Some(other) if other.is_thrown() => return Ok(Needs::Throws),
                    Some(other) => return lost(format!("a string tells {other:?}")),
                };
                thread.take()?;
                thread.literals.insert(place);
                let Some((constant, name)) = routine.literal(program, constant) else {
                    return lost("a constant is no string and no class");
                };
                let literal = self.literal(program, constant, name, told);
                match literal.is_some_and(|literal| self.shown(literal, told)) {
                    true => Ok(Needs::Nothing),
                    false => lost("a constant is another object than it was"),
                }
            }
            Some(&(place, Tells::Computed)) => {
                self.computed_told(thread, program, routine, (index, constant), place)
            }
            Some(&(place, Tells::Value)) => {
                let result = match thread.peek()? {
                    None => return Ok(Needs::More),
                    Some(Record::Result { site, result }) if *site == place => result.clone(),
                    Some(other) => return lost(format!("a constant tells {other:?}")),
                };
                thread.take()?;
                let value = self.value(program, call, result, "Ljava/lang/Object;")?;
                if let Some(frame) = thread.frame() {
                    frame.activation.push(value);
                }
                Ok(Needs::Done)
            }
            _ => Ok(Needs::Nothing),
        }
    }
}
