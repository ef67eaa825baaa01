//! Fields that classes out of the scope declare, as code of the scope reads and writes them. Code out of the scope writes
//! them as well, which nobody sees: so each read tells its value.

use std::rc::Rc;

use jhyde_trace::{Event, EventKind, Value, Variable};

use super::hierarchy::or_gone;
use super::run::{Stopped, lost};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::mirror::{Op, narrowed};
use crate::probe::plan::Tells;
use crate::probe::specified::is_of_the_jdk;
use crate::program::{Foreign, Program, dotted};

impl Deriver {
    /// Asks the JVM, while it can be asked, about such fields that code of the scope names.
    pub(super) fn ask_foreign(
        &mut self,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<(), LinkError> {
        for (routine, constant) in self.named_fields() {
            foreign(program, link, &routine, constant)?;
        }
        Ok(())
    }

    /// Fields whose reads and writes tell more than a checksum.
    fn named_fields(&self) -> Vec<(Rc<Routine>, u16)> {
        let mut all = Vec::new();
        for routine in self.routines.values() {
            for (&index, (_, tells)) in &routine.plan.places {
                let told = matches!(tells, Tells::Value | Tells::Write);
                let code = routine.code.as_ref().filter(|_| told);
                let instruction = code.and_then(|code| code.at(index));
                let field =
                    instruction.filter(|found| (0xb2..=0xb5).contains(&(found.opcode as u8)));
                if let Some(constant) = field.and_then(|found| found.constant()) {
                    all.push((Rc::clone(routine), constant));
                }
            }
        }
        all
    }

    /// The next instruction of the innermost call writes such a field.
    pub(super) fn writes_foreign(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        index: u32,
        (op, descriptor): (Op, &str),
    ) -> Result<(), Stopped> {
        let (Op::PutField(constant) | Op::PutStatic(constant)) = op else {
            return Ok(());
        };
        let call = thread.current();
        let Some(frame) = thread.frame() else {
            return Ok(());
        };
        let value = narrowed(frame.activation.pop(), descriptor);
        let object = matches!(op, Op::PutField(_)).then(|| frame.activation.pop());
        let known = foreign(program, link, routine, constant)?;
        self.others_have_by_field(program, known, value);
        let Some((variable, _)) = known.and_then(|field| variable(field, object)) else {
            return lost("a field of a class that is not known was written");
        };
        self.foreign.insert(variable, value);
        self.outlet
            .event(call, index, EventKind::Write { variable, value });
        Ok(())
    }

    /// The next instruction of the innermost call has read this value from such a field.
    pub(super) fn reads_foreign(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        index: u32,
        (op, value): (Op, Value),
    ) -> Result<(), Stopped> {
        let (Op::GetField(constant) | Op::GetStatic(constant)) = op else {
            return Ok(());
        };
        let call = thread.current();
        let Some(frame) = thread.frame() else {
            return Ok(());
        };
        let object = matches!(op, Op::GetField(_)).then(|| frame.activation.pop());
        frame.activation.push(value);
        let known = foreign(program, link, routine, constant)?;
        self.others_have_by_field(program, known, value);
        let Some((variable, changes)) = known.and_then(|field| variable(field, object)) else {
            // What it yields is told all the same.
            return Ok(());
        };
        if self.foreign.insert(variable, value) != Some(value) {
            let kind = EventKind::Snapshot { variable, value };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        if self.outlet.is_full() && changes {
            self.outlet.event(call, index, EventKind::Use { variable });
        }
        Ok(())
    }
}

impl Deriver {
    /// What a field of a library holds that has.
    fn others_have_by_field(&mut self, program: &Program, field: Option<Foreign>, value: Value) {
        let declares = field.and_then(|field| program.classes.get(&field.declaring));
        let is_others = declares.is_none_or(|class| !is_of_the_jdk(&class.name));
        if let Some(object) = value.object()
            && is_others
            && self.expects_others()
        {
            self.hand_over(object);
        }
    }
}

/// The field that an instruction names, if the JVM says so or has said so before it went.
fn foreign(
    program: &mut Program,
    link: &mut Link,
    routine: &Routine,
    constant: u16,
) -> Result<Option<Foreign>, LinkError> {
    let pool = routine.pool.as_ref();
    let Some(named) = pool.and_then(|pool| pool.field(constant).ok()) else {
        return Ok(None);
    };
    let (class, name) = (dotted(named.class), named.name.to_owned());
    let told = or_gone(program.foreign_field(link, routine.loader, &class, &name))?;
    Ok(told.flatten())
}

/// The variable, and whether it can be written more than once.
fn variable(field: Foreign, object: Option<Value>) -> Option<(Variable, bool)> {
    let variable = match (field.is_static, object) {
        (true, _) => Variable::Static { field: field.id },
        (false, object) => Variable::Field {
            object: object?.object()?,
            field: field.id,
        },
    };
    Some((variable, !field.is_final))
}
