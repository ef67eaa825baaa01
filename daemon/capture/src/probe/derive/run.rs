//! Drives a thread: what comes next in the log where code out of the scope runs, and instruction by instruction where
//! code of the scope does.

use std::rc::Rc;

use jhyde_bytecode::{Constant, Opcode};
use jhyde_trace::Value;

use super::thread::{Awaits, Running, Thread};
use super::world::Derived;
use super::{Deriver, Lost, Routine, Went};
use crate::error::{CaptureError, LinkError};
use crate::jvm::Link;
use crate::mirror::{Op, Step, execute, throws};
use crate::probe::log::{Nonsense, Record};
use crate::probe::plan::Tells;
use crate::program::{Program, dotted};

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
enum Needs {
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

impl Deriver {
    /// Goes on a little.
    pub(super) fn go_on(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        match &thread.awaits {
            Some(Awaits::Exception(_)) => return self.throwing(thread, program),
            Some(Awaits::Shown(_)) => return self.showing(thread, program),
            Some(Awaits::Same { .. }) => return self.same(thread),
            Some(Awaits::Behind { .. }) => return self.behind(thread, program),
            Some(Awaits::Arguments(_)) => return self.arguments(thread, program),
            None => {}
        }
        match thread.stack.last() {
            Some(Running::Scope(_)) => self.inside(thread, program, link),
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
        for _ in 0..TURN {
            let Some(frame) = thread.frame() else {
                return Ok(Went::On);
            };
            let (routine, at) = (Rc::clone(&frame.routine), frame.at);
            let (Some(op), Some(instruction)) =
                (routine.ops.op(at as usize), routine.instruction(at))
            else {
                return lost("it ran past the end of a method");
            };
            if let Some(made) = frame
                .made
                .filter(|_| routine.plan.guarded == Some(instruction.index))
            {
                match thread.peek()? {
                    None => return Ok(Went::Nowhere),
                    Some(&Record::Shown { hash }) => {
                        thread.take()?;
                        if !self.shown(Value::Object(made), hash) {
                            return lost("a constructor made another object than was derived");
                        }
                    }
                    Some(other) => return lost(format!("a constructor tells {other:?}")),
                }
                if let Some(frame) = thread.frame() {
                    frame.made = None;
                }
            }
            match self.needs(thread, program, link, &routine, op)? {
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
            let (index, after) = (instruction.index, instruction.next());
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
                index,
                after,
            };
            let Ok(step) = execute(&mut world, &routine.ops, at, None);
            match step {
                Step::Goes(to) => frame.at = to,
                Step::Leaves => return self.leaves(thread, program, &routine),
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
            frame.at += 1;
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
                Ok(match throws(&frame.activation, &self.heap, opcode) {
                    Some(true) => Needs::Throws,
                    _ => Needs::Nothing,
                })
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
                let name = routine.class_constant(Some(class));
                self.is_a(program, link, routine, value, &name)?;
                Ok(Needs::Nothing)
            }
            Op::GetField(_) | Op::PutField(_) => {
                let depth = usize::from(matches!(op, Op::PutField(_)));
                if frame.activation.peek(depth) == Value::Null {
                    return Ok(Needs::Throws);
                }
                self.told_value(thread, program, routine, instruction.index, op)
            }
            Op::GetStatic(constant) | Op::PutStatic(constant) => {
                let named = routine
                    .pool
                    .as_ref()
                    .and_then(|pool| pool.field(constant).ok());
                let class = named.map(|named| dotted(named.class)).unwrap_or_default();
                match self.initialises(thread, program, routine, &class)? {
                    Needs::Nothing => {
                        self.told_value(thread, program, routine, instruction.index, op)
                    }
                    other => Ok(other),
                }
            }
            Op::New(_) => {
                let class = routine.class_constant(instruction.constant());
                self.initialises(thread, program, routine, &class)
            }
            Op::Constant(constant) => {
                self.constant_told(thread, program, routine, instruction.index, constant)
            }
            _ => Ok(Needs::Nothing),
        }
    }

    /// Can a value be stored into an array (JVMS 6.5.aastore)?
    fn takes(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        array: Value,
        stored: Value,
    ) -> Result<bool, Stopped> {
        let class = array.object().and_then(|array| self.heap.class(array));
        let class = class.and_then(|class| program.name_of(class));
        let element = class.as_deref().and_then(|name| name.strip_suffix("[]"));
        let Some(element) = element.map(str::to_owned) else {
            return lost("an array's class is not known");
        };
        self.is_a(program, link, routine, stored, &element)
    }

    /// Can a reference be cast to this class?
    fn is_a(
        &mut self,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        value: Value,
        class: &str,
    ) -> Result<bool, Stopped> {
        let Some(object) = value.object() else {
            return Ok(true);
        };
        let of = self.heap.class(object);
        if class == "java.lang.Object" {
            return Ok(true);
        }
        let Some(of) = of else {
            return lost("the class of an object is not known");
        };
        let key = (of, routine.loader, class.to_owned());
        if let Some(&known) = self.casts.get(&key) {
            return Ok(known);
        }
        let name = program.name_of(of).unwrap_or_default();
        if program.type_of(of).is_none() {
            program.loaded(link, routine.loader, &name)?;
        }
        let Some(known) = program.is_subtype(link, of, routine.loader, class)? else {
            return lost(format!(
                "whether {name} is a {class} could not be found out"
            ));
        };
        self.casts.insert(key, known);
        Ok(known)
    }

    /// Reads and writes of fields that the scope is not known to declare tell their value.
    fn told_value(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        index: u32,
        op: Op,
    ) -> Result<Needs, Stopped> {
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
        let Some(descriptor) = routine
            .pool
            .as_ref()
            .and_then(|pool| pool.field(constant).ok())
            .map(|named| named.descriptor.to_owned())
        else {
            return lost("a field has no name");
        };
        let call = thread.current();
        let writes = matches!(op, Op::PutField(_) | Op::PutStatic(_));
        let told_of = !writes || matches!(descriptor.as_bytes().first(), Some(b'L' | b'['));
        if told_of && thread.peek()?.is_none() {
            return Ok(Needs::More);
        }
        if writes {
            if told_of {
                let Record::Shown { hash } = thread.take()? else {
                    return lost("a write does not tell what it writes");
                };
                let value = thread.frame().map(|frame| frame.activation.peek(0));
                if !value.is_some_and(|value| self.shown(value, hash)) {
                    return lost("a write tells another object than it writes");
                }
            }
            if self.declares(program, routine, constant) {
                return Ok(Needs::Nothing);
            }
            if let Some(frame) = thread.frame() {
                frame.activation.pop();
                if matches!(op, Op::PutField(_)) {
                    frame.activation.pop();
                }
            }
            return Ok(Needs::Done);
        }
        let result = match thread.take()? {
            Record::Result { site, result } if site == place => result,
            other => return lost(format!("a read tells {other:?}")),
        };
        let value = self.value(program, call, result, &descriptor)?;
        if self.declares(program, routine, constant) {
            return self.confirm(thread, program, routine, constant, value);
        }
        if let Some(frame) = thread.frame() {
            if matches!(op, Op::GetField(_)) {
                frame.activation.pop();
            }
            frame.activation.push(value);
        }
        Ok(Needs::Done)
    }

    fn declares(&self, program: &Program, routine: &Routine, constant: u16) -> bool {
        let pool = routine.pool.as_ref();
        let named = pool.and_then(|pool| pool.field(constant).ok());
        named.is_some_and(|named| {
            let class = dotted(named.class);
            program
                .field_named(routine.loader, &class, named.name)
                .is_some()
        })
    }

    /// A field of the scope whose class was not known when the code was instrumented told its value: it must be what is
    /// derived.
    fn confirm(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        routine: &Routine,
        constant: u16,
        value: Value,
    ) -> Result<Needs, Stopped> {
        let pool = routine.pool.as_ref();
        let Some(named) = pool.and_then(|pool| pool.field(constant).ok()) else {
            return lost("a field has no name");
        };
        let class = dotted(named.class);
        let Some(field) = program.field_named(routine.loader, &class, named.name) else {
            return lost("a field is gone");
        };
        let object = thread.frame().map(|frame| frame.activation.peek(0));
        let begins = crate::mirror::initial(&field.descriptor);
        let derived = match object.and_then(Value::object).filter(|_| !field.is_static) {
            Some(object) => self.heap.field(object, field.id, begins),
            None => match self.heap.static_field(field.id) {
                known if crate::mirror::is_known(known) => known,
                _ => begins,
            },
        };
        match derived == value {
            true => Ok(Needs::Nothing),
            false => lost(format!("the field {} was written unseen", field.name)),
        }
    }

    /// Strings of the constant pool are told the first time; what is no string, class or number each time.
    fn constant_told(
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
                    Some(other) => return lost(format!("a string tells {other:?}")),
                };
                thread.take()?;
                thread.literals.insert(place);
                let pool = routine.pool.as_ref();
                let units = pool.and_then(|pool| match pool.get(constant).ok()? {
                    Constant::String(text) => pool.units(*text).ok(),
                    _ => None,
                });
                let text = crate::mirror::Constant::Text(units.unwrap_or_default().into());
                let string = self.constant(program, text, String::new());
                match self.shown(string, told) {
                    true => Ok(Needs::Nothing),
                    false => lost("a string is another than it was"),
                }
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

    /// An instruction initialises a class (JVMS 5.5). If its initialiser, or that of a class above it, runs now, the log
    /// says so.
    fn initialises(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Routine,
        class: &str,
    ) -> Result<Needs, Stopped> {
        let Some(class) = program.class_in_scope(routine.loader, class).cloned() else {
            return Ok(Needs::Nothing);
        };
        match self.initialise(thread, program, &class)? {
            Some(Went::On) => Ok(Needs::Another),
            Some(Went::Nowhere) => Ok(Needs::More),
            None => Ok(Needs::Nothing),
        }
    }
}
