//! Drives a thread: what comes next in the log where code out of the scope runs, and instruction by instruction where
//! code of the scope does.

use std::rc::Rc;

use jhyde_bytecode::Opcode;
use jhyde_trace::{MonitorAction, Value};

use super::running::{Awaits, Running};
use super::thread::Thread;
use super::world::Derived;
use super::{Deriver, Lost, Routine, Went};
use crate::error::{CaptureError, LinkError};
use crate::jvm::Link;
use crate::mirror::{Element, Op, Step, execute, throws};
use crate::probe::log::Nonsense;
use crate::probe::plan::Tells;
use crate::program::{Class, Program, dotted};

/// So many instructions run before what was told goes into the sink.
const TURN: u32 = 1 << 12;

/// Why a thread does not go on.
#[derive(Debug)]
pub(super) enum Stopped {
    Lost(Lost),
    Capture(CaptureError),
}

impl From<Lost> for Stopped {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl From<Nonsense> for Stopped {
    fn from(nonsense: Nonsense) -> Self {
        Self::Lost(nonsense.into())
    }
}

impl From<LinkError> for Stopped {
    fn from(error: LinkError) -> Self {
        Self::Capture(error.into())
    }
}

pub(super) fn lost<T>(why: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Lost(Lost(why.into())))
}

/// What an instruction needs before it can run.
pub(super) enum Needs {
    /// Nothing.
    Nothing,
    /// What is not in the log yet.
    More,
    /// A static initialiser, which was begun.
    Another,
    /// It throws.
    Throws,
    /// It has run: the log said what it yields.
    Done,
}

/// What a class's name means where code has it.
pub(super) enum Owner {
    /// A class of the scope.
    Scope(Rc<Class>),
    /// None of the scope.
    Outside,
    /// One that is still to be prepared, maybe.
    Awaited,
}

impl Deriver {
    /// Goes on a little.
    pub(super) fn go_on(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        if let Some(length) = self.doubts.too_long.take() {
            return lost(format!(
                "code that nobody sees may write an array of {length} elements, of which it cannot be told so often what they hold"
            ));
        }
        self.doubt_beside(thread, program);
        match &thread.awaits {
            Some(Awaits::Exception(_)) => return self.throwing(thread, program),
            Some(Awaits::Shown(_)) => return self.showing(thread, program, link),
            Some(Awaits::Same { .. }) => return self.same(thread),
            Some(Awaits::Behind { .. }) => return self.behind(thread, program),
            Some(Awaits::Arguments(_)) => return self.arguments(thread, program, link),
            None => {}
        }
        match thread.stack.last() {
            Some(Running::Scope(_)) => {
                let went = self.inside(thread, program, link)?;
                if let Went::On = went {
                    thread.has_run();
                }
                Ok(went)
            }
            Some(Running::Outside(_)) | None => self.outside(thread, program),
        }
    }

    /// Runs instructions of the innermost call.
    fn inside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        if !thread.may_run()? {
            return Ok(Went::Nowhere);
        }
        thread.has_fallen()?;
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        // Whatever makes another call the innermost one ends the round.
        let routine = Rc::clone(&frame.routine);
        for _ in 0..TURN {
            self.doubt_beside(thread, program);
            let Some(frame) = thread.frame() else {
                return Ok(Went::On);
            };
            let at = frame.at;
            let (Some(op), Some(instruction)) =
                (routine.ops.op(at as usize), routine.instruction(at))
            else {
                return lost("it ran past the end of a method");
            };
            let births = self.also.births;
            if let Some(made) = frame.begins(instruction.index, births) {
                let outside = frame.fresh;
                if thread.peek()?.is_none() {
                    return Ok(Went::Nowhere);
                }
                match outside {
                    true => self.born_outside(thread, program, made)?,
                    false => self.born(thread, Value::Object(made))?,
                }
                if let Some(frame) = thread.frame() {
                    frame.told = true;
                }
            }
            if births && makes_array(instruction.opcode) && thread.peek()?.is_none() {
                return Ok(Went::Nowhere);
            }
            let dimensions = dimensions(op);
            if dimensions > 0 && thread.makes_much(dimensions) {
                // It may be what the JVM had no room for.
                thread.has_fallen()?;
                if thread.peek()?.is_none() {
                    return Ok(Went::Nowhere);
                }
            }
            let needs = match self.write_told(thread, program, &routine, op)? {
                Needs::Nothing => self.needs(thread, program, link, &routine, op)?,
                told => told,
            };
            match needs {
                Needs::Nothing => {}
                Needs::More => return Ok(Went::Nowhere),
                Needs::Another => return Ok(Went::On),
                Needs::Done => {
                    self.advance(thread);
                    continue;
                }
                Needs::Throws => {
                    thread.awaits = Some(Awaits::Exception(None));
                    return Ok(Went::On);
                }
            }
            let index = instruction.index;
            let Some(Running::Scope(frame)) = thread.stack.last_mut() else {
                return Ok(Went::On);
            };
            let mut world = Derived {
                deriver: self,
                program,
                frame: &mut frame.activation,
                sum: &mut thread.sum,
                call: frame.call,
                routine: &routine,
                at,
                index,
            };
            let Ok(step) = execute(&mut world, &routine.ops, at, None);
            match step {
                Step::Goes(to) => {
                    frame.goes(to);
                    if births && makes_array(instruction.opcode) {
                        let made = frame.activation.peek(0);
                        self.born(thread, made)?;
                    }
                }
                Step::Leaves => return self.leaves(thread, program, link, &routine),
                Step::Open => {
                    return lost(format!(
                        "what {} at {index} of {} works with is not known",
                        instruction.opcode.mnemonic(),
                        routine.name
                    ));
                }
            }
        }
        Ok(Went::On)
    }

    /// The instruction has run: the next one is behind it.
    pub(super) fn advance(&mut self, thread: &mut Thread) {
        if let Some(frame) = thread.frame() {
            frame.goes(frame.at + 1);
        }
    }

    /// What the next instruction of the innermost call needs.
    fn needs(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Rc<Routine>,
        op: Op,
    ) -> Result<Needs, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Needs::Nothing);
        };
        let at = frame.at;
        let Some(instruction) = routine.instruction(at) else {
            return Ok(Needs::Nothing);
        };
        match op {
            Op::Load(_) | Op::Store(_) | Op::Push(_) | Op::If { .. } | Op::Goto(_) => {
                Ok(Needs::Nothing)
            }
            Op::LoadElement | Op::Binary(_) | Op::ArrayLength | Op::NewArray(_) => {
                let opcode = instruction.opcode;
                let throws = throws(&frame.activation, &self.heap, opcode);
                if let Op::NewArray(Element::Class(class)) = op
                    && let Some(needs) = self.class_absent(thread, program, link, routine, class)?
                {
                    return Ok(needs);
                }
                match throws {
                    Some(true) => Ok(Needs::Throws),
                    _ if op == Op::LoadElement && self.also.reads => {
                        self.read_told(thread, program, routine, instruction.index, op)
                    }
                    _ => Ok(Needs::Nothing),
                }
            }
            Op::StoreElement => {
                let activation = &frame.activation;
                let opcode = instruction.opcode;
                if throws(activation, &self.heap, opcode) == Some(true) {
                    return Ok(Needs::Throws);
                }
                let (stored, array) = (activation.peek(0), activation.peek(2));
                match opcode == Opcode::Aastore
                    && !self.takes(program, link, routine, array, stored)?
                {
                    true => Ok(Needs::Throws),
                    false => Ok(Needs::Nothing),
                }
            }
            Op::Monitor(_) if frame.activation.peek(0) == Value::Null => Ok(Needs::Throws),
            Op::Monitor(MonitorAction::Enter) => Ok(match thread.passes()? {
                true => Needs::Nothing,
                false => Needs::More,
            }),
            Op::Nothing if instruction.opcode == Opcode::CheckCast => {
                let value = frame.activation.peek(0);
                let name = routine.class_constant(instruction.constant());
                match self.is_a(program, link, routine, value, &name)? {
                    true => Ok(Needs::Nothing),
                    false => Ok(Needs::Throws),
                }
            }
            Op::InstanceOf(class) => {
                // The question is asked where the JVM can be asked, so that it is known without when it runs.
                let value = frame.activation.peek(0);
                if value.object().is_some()
                    && let Some(needs) = self.class_absent(thread, program, link, routine, class)?
                {
                    return Ok(needs);
                }
                let name = routine.class_constant(Some(class));
                self.is_a(program, link, routine, value, &name)?;
                Ok(Needs::Nothing)
            }
            Op::GetField(_) | Op::PutField(_) => {
                let depth = usize::from(matches!(op, Op::PutField(_)));
                if is_volatile(routine, instruction.index) && !thread.passes_before()? {
                    return Ok(Needs::More);
                }
                let Some(frame) = thread.frame() else {
                    return Ok(Needs::Nothing);
                };
                if frame.activation.peek(depth) == Value::Null {
                    return Ok(Needs::Throws);
                }
                self.told_value(thread, program, link, routine, (instruction.index, op))
            }
            Op::GetStatic(constant) | Op::PutStatic(constant) => {
                let named = routine
                    .pool
                    .as_ref()
                    .and_then(|pool| pool.field(constant).ok());
                let (class, field) = named
                    .map(|named| (dotted(named.class), named.name))
                    .unwrap_or_default();
                if is_volatile(routine, instruction.index) && !thread.passes_before()? {
                    return Ok(Needs::More);
                }
                let named = ((constant, &*class), Some(field));
                match self.initialises(thread, program, link, routine, named)? {
                    Needs::Nothing => {
                        self.told_value(thread, program, link, routine, (instruction.index, op))
                    }
                    other => Ok(other),
                }
            }
            Op::New(constant) => {
                let class = routine.class_constant(instruction.constant());
                let named = (constant, &*class);
                let needs = self.initialises(thread, program, link, routine, (named, None))?;
                if let Needs::Nothing = needs {
                    let needs = self.absent(thread, program, link, routine, named, true)?;
                    return Ok(needs.unwrap_or(Needs::Nothing));
                }
                Ok(needs)
            }
            Op::NewNested { class, .. } => {
                let needs = self.class_absent(thread, program, link, routine, class)?;
                Ok(needs.unwrap_or(Needs::Nothing))
            }
            Op::Constant(constant) => {
                self.constant_told(thread, program, routine, instruction.index, constant)
            }
            _ => Ok(Needs::Nothing),
        }
    }

    /// An instruction initialises a class, or the one that declares its static field (JVMS 5.5). If its initialiser, or that
    /// of a class above it, runs now, the log says so.
    fn initialises(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        ((constant, named), field): ((u16, &str), Option<&str>),
    ) -> Result<Needs, Stopped> {
        let owner = self.owner(thread, program, routine, constant, named)?;
        let owner = match (owner, field) {
            // Which class declares a field that one out of the scope has is not asked.
            (Owner::Outside, None) => self.above_outside(thread, program, link, (named, None))?,
            (owner, _) => owner,
        };
        let class = match owner {
            Owner::Scope(class) => class,
            Owner::Outside => return Ok(Needs::Nothing),
            Owner::Awaited => return Ok(Needs::More),
        };
        let declares = field.and_then(|field| program.declaring_field(&class, field));
        match self.initialise(thread, program, declares.unwrap_or(&class))? {
            Some(Went::On) => Ok(Needs::Another),
            Some(Went::Nowhere) => Ok(Needs::More),
            None => Ok(Needs::Nothing),
        }
    }

    /// May a thread not have come to the next instruction, so that the JVM does not know what that needs?
    pub(super) fn may_be_ahead(&self, thread: &mut Thread) -> Result<bool, Nonsense> {
        Ok(!self.complete && !thread.is_past()?)
    }

    /// Which class of the scope an instruction means whose constant names a class, or a static member by one. What a thread does is
    /// derived beyond the end of its log, and so may be before the JVM has done it. Where the log goes on, or nothing more comes, the JVM is past this instruction: what
    /// was not prepared is none of the scope, or was not initialised, for another class declares the member.
    pub(super) fn owner(
        &self,
        thread: &mut Thread,
        program: &Program,
        routine: &Routine,
        constant: u16,
        named: &str,
    ) -> Result<Owner, Stopped> {
        let is_known = program.class_in_scope(routine.loader, named).is_some();
        if !is_known && program.scope().may_cover(named) && self.may_be_ahead(thread)? {
            return Ok(Owner::Awaited);
        }
        let owner = routine.static_owner(program, constant, named);
        Ok(owner.map_or(Owner::Outside, |class| Owner::Scope(Rc::clone(class))))
    }
}

/// Makes it an array, which is told if births are?
fn makes_array(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::NewArray | Opcode::AnewArray | Opcode::MultiAnewArray
    )
}

/// How many lengths does it take to make an array of?
fn dimensions(op: Op) -> usize {
    match op {
        Op::NewArray(_) => 1,
        Op::NewNested { dimensions, .. } => usize::from(dimensions),
        _ => 0,
    }
}

/// Reads it a field that others may write at any time, with a point before it?
fn is_volatile(routine: &Routine, index: u32) -> bool {
    matches!(
        routine.tells(index),
        Some((_, Tells::Read { volatile: true }))
    )
}
