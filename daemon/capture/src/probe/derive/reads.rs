//! Where code out of the scope may use reflection, it writes fields and elements that nobody sees written, and gets at objects that
//! nobody showed it. So the log tells more from there on: each object when code of the scope makes it, and the value of each
//! read. A value that is another than was derived was written by code out of the scope, some time before: what the variable
//! holds is told as that of an object that is seen for the first time.

use std::borrow::Cow;

use jhyde_trace::{CallId, Event, EventKind, Value, Variable};

use super::run::{Needs, Stopped, lost};
use super::thread::Thread;
use super::values::content_of;
use super::world::same_value;
use super::{Deriver, Routine};
use crate::mirror::{Op, UNKNOWN, initial, is_known};
use crate::probe::log::{Raw, Record, Reference, Told};
use crate::probe::plan::Tells;
use crate::program::Program;

/// A variable that is read, as it was derived.
struct Read {
    variable: Variable,
    descriptor: Cow<'static, str>,
    held: Value,
    /// Operands that its instruction takes.
    operands: usize,
    /// Code out of the scope can have written it.
    open: bool,
}

impl Deriver {
    /// The instruction calls what may use reflection: what is told from here on.
    pub(super) fn reflects(&mut self) {
        if self.heap.expects_reflection() {
            return;
        }
        self.also.reads |= self.also.later_reads;
        self.heap.expect_reflection();
        // Reflection gets at static fields without being shown anything.
        self.heap.share_statics();
    }

    /// The next instruction of the innermost call reads a variable, and the log says what it read.
    pub(super) fn read_told(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        index: u32,
        op: Op,
    ) -> Result<Needs, Stopped> {
        let raw = match thread.peek()? {
            None => return Ok(Needs::More),
            Some(Record::Result { site: 0, result }) => result.clone(),
            // Of an array of which nothing is known it is not known whether it has this element.
            Some(Record::Caught { .. } | Record::Escaped { .. }) => return Ok(Needs::Throws),
            Some(other) => return lost(format!("a read tells {other:?}")),
        };
        thread.take()?;
        let Some(read) = self.variable(thread, program, routine, op) else {
            return lost("what is read is not known");
        };
        let call = thread.current();
        let value = match raw {
            Raw::Reference(reference) => self.met(program, call, &read, reference)?,
            raw => self.value(program, call, raw, &read.descriptor)?,
        };
        // What it holds is so now, not behind the next call.
        self.contents_seen(thread, program);
        let value = match same_value(value, read.held) {
            true => read.held,
            false => value,
        };
        if value != read.held {
            if is_known(read.held) && !read.open {
                return lost(format!(
                    "{:?} holds {value:?}, and {:?} was written",
                    read.variable, read.held
                ));
            }
            match read.variable {
                Variable::Field { object, field } => self.heap.set_field(object, field, value),
                Variable::Static { field } => self.heap.set_static(field, value),
                Variable::Element { array, index } => {
                    self.heap.set_element(array, index, value);
                }
                _ => {}
            }
        }
        self.is_read_beside(call, read.variable);
        if self.doubts.settle(read.variable) || value != read.held {
            let variable = read.variable;
            let kind = EventKind::Snapshot { variable, value };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        if self.outlet.is_full() {
            let variable = read.variable;
            self.outlet.event(call, index, EventKind::Use { variable });
        }
        if let Some(frame) = thread.frame() {
            for _ in 0..read.operands {
                frame.activation.pop();
            }
            frame.activation.push(value);
        }
        Ok(Needs::Done)
    }

    fn variable(
        &self,
        thread: &mut Thread,
        program: &Program,
        routine: &Routine,
        op: Op,
    ) -> Option<Read> {
        let frame = thread.frame()?;
        let (Op::GetField(constant) | Op::GetStatic(constant)) = op else {
            let (at, array) = (frame.activation.peek(0), frame.activation.peek(1).object()?);
            let Value::Int(at) = at else { return None };
            let index = u32::try_from(at).ok()?;
            let elements = self.heap.elements(array)?;
            return Some(Read {
                variable: Variable::Element { array, index },
                descriptor: elements.descriptor().into(),
                held: elements.get(index).unwrap_or(UNKNOWN),
                operands: 2,
                open: self.heap.is_shared_with_anybody(array),
            });
        };
        let field = routine.field(program, constant)?;
        let begins = initial(&field.descriptor);
        if matches!(op, Op::GetStatic(_)) {
            let held = self.heap.static_field(field.id);
            return Some(Read {
                variable: Variable::Static { field: field.id },
                descriptor: field.descriptor.clone().into(),
                held: if is_known(held) || self.running {
                    held
                } else {
                    begins
                },
                operands: 0,
                open: true,
            });
        }
        let object = frame.activation.peek(0).object()?;
        let held = self.heap.field(object, field.id, begins);
        Some(Read {
            variable: Variable::Field {
                object,
                field: field.id,
            },
            descriptor: field.descriptor.clone().into(),
            held,
            operands: 1,
            open: self.heap.is_shared_with_anybody(object),
        })
    }

    /// A reference that was read. One that nobody has told is that which was derived, if nobody can have written another there;
    /// of those that have a content, which one it is makes little difference.
    fn met(
        &mut self,
        program: &mut Program,
        call: CallId,
        read: &Read,
        reference: Reference,
    ) -> Result<Value, Stopped> {
        let held = read.held;
        if let (Some(told), Some(object)) = (&reference, held.object()) {
            let class = self.heap.class(object);
            let class = class.filter(|&class| self.same_class(program, class, told));
            let content = content_of(&told.told);
            // Of classes of one name it does.
            let is_one = content != 0 && !matches!(told.told, Told::Class(_));
            let can = self.content(object) == content && (!read.open || is_one);
            if let Some(class) = class.filter(|_| can)
                && self.identities.may_be(object, class, content, told.hash)
            {
                self.shown(held, told.hash);
                return Ok(held);
            }
        }
        Ok(self.reference(program, call, reference)?)
    }

    /// An object that code of the scope has made is told.
    pub(super) fn born(&mut self, thread: &mut Thread, made: Value) -> Result<(), Stopped> {
        let (hash, inner) = match thread.take()? {
            Record::Shown { hash, elements } => (hash, elements),
            other => return lost(format!("an object that was made tells {other:?}")),
        };
        let mut all = vec![(made, hash)];
        if let (Some(array), Some(inner)) = (made.object(), inner) {
            let elements = self.heap.elements(array);
            let held = (0..).map_while(|at| elements?.get(at));
            all.extend(held.zip(inner.iter().copied()));
        }
        match all.into_iter().all(|(value, hash)| self.shown(value, hash)) {
            true => Ok(()),
            false => lost("another object was made than was derived"),
        }
    }

    /// Does a read of this place tell its value?
    pub(super) fn reads_are_told(&self, routine: &Routine, index: u32) -> bool {
        self.also.reads && matches!(routine.tells(index), Some((_, Tells::Read { .. })))
    }
}
