//! Where each write tells its value (`--probe-log writes`), that must be what was derived: see [`crate::probe::instrument`].

use jhyde_trace::Value;

use super::run::{Needs, Stopped, lost};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::mirror::{Op, is_known};
use crate::probe::log::{Raw, Record};
use crate::program::Program;

impl Deriver {
    /// What the next instruction of the innermost call writes was told before it, whatever becomes of the write then: once, however often the
    /// instruction is looked at until it runs.
    pub(super) fn write_told(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        op: Op,
    ) -> Result<Needs, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Needs::Nothing);
        };
        let derived = match op {
            _ if !self.also.writes || !routine.plan.writes || frame.wrote => {
                return Ok(Needs::Nothing);
            }
            Op::Store(_) | Op::StoreElement | Op::PutField(_) | Op::PutStatic(_) => {
                frame.activation.peek(0)
            }
            Op::Increment { slot, by } => match frame.activation.local(slot) {
                Value::Int(before) => Value::Int(before.wrapping_add(by.into())),
                unknown => unknown,
            },
            _ => return Ok(Needs::Nothing),
        };
        let raw = match thread.peek()? {
            None => return Ok(Needs::More),
            Some(Record::Result { site: 0, result }) => result.clone(),
            Some(other) => return lost(format!("a write tells {other:?}")),
        };
        thread.take()?;
        if is_known(derived) && !self.agrees(derived, &raw) {
            let name = &routine.name;
            return lost(format!(
                "a write in {name} tells {raw:?}, and {derived:?} was derived"
            ));
        }
        if let (Some(object), Raw::Reference(Some(told))) = (derived.object(), &raw)
            && let Some(class) = self.heap.class(object)
        {
            // What never changes of it is told once, and that may have been now.
            self.tell_fixed(program, thread.current(), object, class, &told.told);
        }
        if let Some(frame) = thread.frame() {
            frame.wrote = true;
        }
        Ok(Needs::Nothing)
    }
}
