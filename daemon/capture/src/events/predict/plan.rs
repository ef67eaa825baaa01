//! What this engine plans for a method of the debuggee: where threads stop in it, which exits they have reported, which of
//! its instructions have found what they name. What a method is, is [`crate::program`]'s and never changes.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

use jhyde_bytecode::Instruction;
use jhyde_trace::MethodId;
use rustc_hash::FxHashMap;

use crate::mirror::{Compiled, Pending, number};
use crate::program::Method;
use crate::recorder::IntrinsicClasses;

/// A thread that arrives there stops.
const STOP: u8 = 1;
/// It names a class or member that is looked up when it runs for the first time, and that has not happened yet.
const UNLINKED: u8 = 2;

/// A method with what is planned for it. Derefs to the method.
#[derive(Debug)]
pub(crate) struct Planned {
    method: Rc<Method>,
    /// Its stops are set (level `state` and above).
    pub(in crate::events) prepared: Cell<bool>,
    /// The classes whose exits its intrinsic calls need; known when its stops are set.
    pub(in crate::events) exits: Cell<IntrinsicClasses>,
    /// What runs is not this code any more.
    pub(in crate::events) replaced: Cell<bool>,
    /// Its code as the mirror runs it.
    pub(in crate::events) ops: Option<Compiled>,
    /// Marks of instructions, by bytecode index.
    marks: Box<[Cell<u8>]>,
}

/// The plans of all methods that were met.
#[derive(Debug, Default)]
pub(in crate::events) struct Plans(FxHashMap<MethodId, Rc<Planned>>);

impl Plans {
    /// The plan of a method.
    pub(in crate::events) fn of(&mut self, method: &Rc<Method>) -> Rc<Planned> {
        let plan = self.0.entry(method.id);
        Rc::clone(plan.or_insert_with(|| Rc::new(Planned::new(Rc::clone(method)))))
    }
}

impl Deref for Planned {
    type Target = Method;

    fn deref(&self) -> &Method {
        &self.method
    }
}

impl Planned {
    fn new(method: Rc<Method>) -> Self {
        let code = method.code.as_ref();
        let marks = vec![Cell::new(0); code.map_or(0, |code| code.length() as usize)];
        for instruction in code.into_iter().flat_map(|code| code.instructions()) {
            if names_something(&method, instruction) {
                marks[instruction.index as usize].set(UNLINKED);
            }
        }
        let ops = code.map(|code| Compiled::of(code, method.pool.as_deref()));
        Self {
            ops,
            method,
            prepared: Cell::new(false),
            exits: Cell::default(),
            replaced: Cell::new(false),
            marks: marks.into(),
        }
    }

    /// The instruction that a thread stands at.
    pub(in crate::events) fn instruction(&self, pending: Pending) -> Option<&Instruction> {
        self.code.as_ref()?.instructions().get(pending.ordinal)
    }

    fn is_marked(&self, index: u32, mark: u8) -> bool {
        let at = self.marks.get(index as usize);
        at.is_some_and(|marks| marks.get() & mark != 0)
    }

    /// Threads stop at this index from now on.
    pub(in crate::events) fn stop_at(&self, index: u32) {
        if let Some(marks) = self.marks.get(index as usize) {
            marks.set(marks.get() | STOP);
        }
    }

    /// Does a thread stop that arrives at this index?
    pub(in crate::events) fn stops_at(&self, index: u32) -> bool {
        self.is_marked(index, STOP)
    }

    /// An instruction has run: what its constant names is resolved and initialised from now on (JVMS 5.4.3).
    pub(in crate::events) fn link(&self, instruction: &Instruction) {
        if let Some(marks) = self.marks.get(instruction.index as usize) {
            marks.set(marks.get() & !UNLINKED);
        }
    }

    /// Can an instruction run without anything being loaded, initialised or resolved?
    pub(in crate::events) fn is_linked(&self, instruction: &Instruction) -> bool {
        !self.is_marked(instruction.index, UNLINKED)
    }
}

/// Does an instruction name a class or member, which is looked up when it runs for the first time? Numbers are what
/// they are.
fn names_something(method: &Method, instruction: &Instruction) -> bool {
    let constant = instruction.constant();
    constant.is_some_and(|at| number(method.pool.as_deref(), at).is_none())
}
