//! One frame: its operand stack, its locals, and the instruction that its thread is about to run.

use jhyde_trace::Value;

use super::UNKNOWN;

/// How far the instruction that a thread stands at has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Reached, not run.
    Reached,
    /// It is a call of a method in scope that runs now.
    Calling,
    /// All that it does has been done here; only where the thread goes next is open.
    Done,
}

/// The instruction that a thread stands at in one of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Its number in the method's code, from 0.
    pub(crate) ordinal: usize,
    pub(crate) progress: Progress,
    /// The event that the thread's arrival there makes, if it makes one, has come.
    pub(crate) told: bool,
}

impl Pending {
    /// An instruction that the thread has reached, as an event told, or as was worked out.
    pub(crate) const fn reached(ordinal: usize, told: bool) -> Self {
        Self {
            ordinal,
            progress: Progress::Reached,
            told,
        }
    }
}

/// See the module. Each value takes one place on the stack, `long` and `double` too, and a local lies
/// in its (first) slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activation {
    pub(crate) stack: Vec<Value>,
    pub(crate) locals: Vec<Value>,
    pub(crate) pending: Option<Pending>,
}

impl Activation {
    /// A frame at its beginning, with what its parameters hold by slot.
    pub(crate) fn entered(parameters: impl IntoIterator<Item = (u16, Value)>) -> Self {
        let mut made = Self {
            pending: Some(Pending::reached(0, true)),
            ..Self::default()
        };
        for (slot, value) in parameters {
            made.set_local(slot, value);
        }
        made
    }

    /// Takes the top of the stack; unknown where the mirror has nothing (a frame that was there
    /// before the recording).
    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(UNKNOWN)
    }

    /// The value `depth` places below the top.
    pub(crate) fn peek(&self, depth: usize) -> Value {
        let at = self.stack.len().checked_sub(depth + 1);
        at.map_or(UNKNOWN, |at| self.stack[at])
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(super::widened(value));
    }

    pub(crate) fn local(&self, slot: u16) -> Value {
        self.locals
            .get(usize::from(slot))
            .copied()
            .unwrap_or(UNKNOWN)
    }

    pub(crate) fn set_local(&mut self, slot: u16, value: Value) {
        let slot = usize::from(slot);
        if self.locals.len() <= slot {
            self.locals.resize(slot + 1, UNKNOWN);
        }
        self.locals[slot] = super::widened(value);
    }

    /// Puts another value wherever this one stands: an object's identity was learnt.
    pub(crate) fn replace(&mut self, old: Value, new: Value) {
        for value in self.stack.iter_mut().chain(&mut self.locals) {
            if *value == old {
                *value = new;
            }
        }
    }

    /// An exception arrived at a handler: it is all that is left on the stack (JVMS 2.10), and the
    /// handler's first instruction is next, which the JVM does not always tell.
    pub(crate) fn catch(&mut self, exception: Value, handler: Option<usize>) {
        self.stack.clear();
        self.stack.push(exception);
        self.pending = handler.map(|ordinal| Pending::reached(ordinal, false));
    }
}
