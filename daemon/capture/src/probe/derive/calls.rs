//! What a call instruction runs, and how calls of the scope return.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ClassId, MethodId, Outcome, Value};
use rustc_hash::FxHashMap;

use super::routine::Callee;
use super::run::{Needs, Stopped, lost};
use super::running::{Awaits, Entering, Open};
use super::select::Selected;
use super::thread::Thread;
use super::{Deriver, Routine, Went};
use crate::jvm::Link;
use crate::mirror::narrowed;
use crate::probe::log::{Raw, Record};
use crate::probe::plan::Tells;
use crate::probe::specified::keeps_array;
use crate::program::{Method, Program};

/// What calls run that were resolved, while there is no other class that they may mean, and no method more.
#[derive(Debug, Default)]
pub(super) struct Targets {
    classes: usize,
    /// By the method that calls, its constant, and the receiver's class where that decides.
    found: FxHashMap<(MethodId, u16, Option<ClassId>), Target>,
}

/// What a call runs.
#[derive(Clone, Debug)]
enum Target {
    /// A method of the scope that was instrumented.
    Scope(Rc<Routine>),
    /// This one, which an interface declares with code, of a lambda, whose class has none of its own; or one that overrides it in an interface below:
    /// the log says which.
    Default(Rc<Routine>),
    /// Code out of the scope.
    Outside,
    /// The JVM does not know yet.
    NotYet,
}

impl Targets {
    pub(super) fn clear(&mut self) {
        self.found.clear();
    }
}

impl Deriver {
    /// The innermost call of the scope calls, returns or throws.
    pub(super) fn leaves(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Rc<Routine>,
    ) -> Result<Went, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let Some(instruction) = routine.instruction(frame.at) else {
            return lost("it ran past the end of a method");
        };
        if instruction.invoke().is_some() {
            return self.invokes(thread, program, link, routine);
        }
        if instruction.opcode.is_return() {
            return self.returns(thread, program, routine, instruction.index);
        }
        // `athrow` of null throws another exception.
        let thrown = frame.activation.peek(0);
        let thrown = Some(thrown).filter(|thrown| thrown.object().is_some());
        thread.awaits = Some(Awaits::Exception(thrown));
        Ok(Went::On)
    }

    /// The call that the innermost frame stands at.
    pub(super) fn at_call(
        thread: &mut Thread,
        routine: &Routine,
    ) -> Result<(u32, Rc<Callee>), Stopped> {
        let at = thread.frame().map(|frame| frame.at);
        let instruction = at.and_then(|at| routine.instruction(at));
        let found = instruction.and_then(|instruction| {
            let invoke = instruction.invoke()?;
            let callee = routine.callee(invoke.constant, invoke.kind)?;
            Some((instruction.index, callee))
        });
        found.map_or_else(|| lost("a call has no name"), Ok)
    }

    pub(super) fn invokes(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Rc<Routine>,
    ) -> Result<Went, Stopped> {
        let (index, callee) = Self::at_call(thread, routine)?;
        let count = callee.operands();
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let operand = |at: usize| frame.activation.peek(count - 1 - at);
        let (mut open, reflects) = match routine.tells(index) {
            Some((_, tells @ Tells::Call { shown, .. })) => {
                let open = shown.iter().map(|&at| operand(at));
                (open.collect(), tells.reflects())
            }
            _ => (Vec::new(), false),
        };
        open.reverse();
        // What a call shows is told before its class is initialised, and not again behind that.
        let shows = !open.is_empty();
        if frame.initialised == Some(frame.at) {
            open.clear();
        }
        if !shows
            && let Some(went) = self.initialises_callee(thread, program, link, routine, &callee)?
        {
            return Ok(went);
        }
        if reflects {
            self.reflects();
            // What keeps an array writes nothing else.
            if !keeps_array(&callee.named, None) {
                self.contents_reflected(thread);
            }
        }
        thread.awaits = Some(Awaits::Shown(open));
        Ok(Went::On)
    }

    /// Which objects a call is shown, before it begins.
    pub(super) fn showing(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        let Some(Awaits::Shown(open)) = &mut thread.awaits else {
            return Ok(Went::On);
        };
        let Some(value) = open.last().copied() else {
            return self.calls(thread, program, link);
        };
        let (hash, elements) = match thread.peek()? {
            None => return Ok(Went::Nowhere),
            Some(Record::Shown { hash, elements }) => (*hash, elements.clone()),
            Some(other) => return lost(format!("a call is shown {other:?}")),
        };
        thread.take()?;
        if !self.shows(value, hash, elements.as_deref()) {
            return lost("a call is shown another object than was derived");
        }
        if let Some(Awaits::Shown(open)) = &mut thread.awaits {
            open.pop();
        }
        Ok(Went::On)
    }

    /// The call that the innermost frame stands at begins.
    pub(super) fn calls(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
    ) -> Result<Went, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let routine = Rc::clone(&frame.routine);
        let (index, callee) = Self::at_call(thread, &routine)?;
        if frame_receiver(thread, &callee) == Some(Value::Null) {
            thread.awaits = Some(Awaits::Exception(None));
            return Ok(Went::On);
        }
        let tells = routine.tells(index);
        let shows = tells.is_some_and(|(_, tells)| tells.shows());
        if shows
            && let Some(went) = self.initialises_callee(thread, program, link, &routine, &callee)?
        {
            return Ok(went);
        }
        let target = match self.target(thread, program, link, &routine, &callee)? {
            Target::Scope(routine) => Some(routine),
            Target::Default(declared) => match thread.peek()? {
                None => return Ok(Went::Nowhere),
                Some(&Record::Enter { method }) => self.begun_default(program, &callee, method),
                // It had no stack, and did not begin.
                Some(Record::Fell { .. }) => Some(declared),
                Some(_) => None,
            },
            Target::Outside => None,
            Target::NotYet => return Ok(Went::Nowhere),
        };
        let Some(target) = target else {
            if callee.named.kind == InvokeKind::Static {
                let named = (callee.constant, &*callee.named.class);
                match self.absent(thread, program, link, &routine, named, false)? {
                    Some(Needs::Throws) => {
                        thread.awaits = Some(Awaits::Exception(None));
                        return Ok(Went::On);
                    }
                    Some(_) => return Ok(Went::Nowhere),
                    None => {}
                }
            }
            thread.awaits = None;
            return match tells {
                Some((
                    place,
                    Tells::Call {
                        arrays,
                        constructs,
                        reflects,
                        lambda,
                        ..
                    },
                )) => {
                    let operands = self.pop(thread, &callee);
                    let mut open = self.open(program, &operands, *place, arrays, *constructs);
                    open.lambda.clone_from(lambda);
                    self.show(program, &callee, &operands, *reflects);
                    Ok(self.leave(thread, program, &callee, &operands, index, open))
                }
                Some((_, Tells::Nothing)) => self.follows(thread, program, &callee, index),
                _ => {
                    let receiver = frame_receiver(thread, &callee).and_then(Value::object);
                    let class = receiver.and_then(|receiver| self.heap.class(receiver));
                    let class = class.and_then(|class| program.name_of(class));
                    lost(format!(
                        "a call of {}.{} of {class:?} left the scope, which was not to be expected",
                        callee.named.class, callee.named.name
                    ))
                }
            };
        };
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let count = callee.operands();
        let from = frame.activation.stack.len().saturating_sub(count);
        let initialised = frame.initialised == Some(frame.at);
        let open = match tells {
            Some((_, Tells::Direct)) => None,
            Some((
                place,
                Tells::Call {
                    arrays, constructs, ..
                },
            )) => {
                let operands = frame.activation.stack.get(from..).unwrap_or_default();
                Some(self.open(program, operands, *place, arrays, *constructs))
            }
            _ => return lost("a call of the scope does not tell what it does"),
        };
        if (open.is_none() || shows) && thread.falls_at_call(open.is_some())? {
            thread.awaits = Some(Awaits::Exception(None));
            return Ok(Went::On);
        }
        // A static initialiser that runs between a call and the method takes from it that it was called by the scope.
        if open.is_none() && !initialised {
            if !thread.passes()? {
                return Ok(Went::Nowhere);
            }
            let Some(frame) = thread.frame() else {
                return Ok(Went::On);
            };
            let values = frame.activation.stack.split_off(from);
            thread.awaits = None;
            self.enter(thread, program, &target, values, index, true, None);
            return Ok(Went::On);
        }
        match thread.peek()? {
            None => return Ok(Went::Nowhere),
            Some(&Record::Enter { method }) if method == target.plan.number => {}
            Some(&Record::Enter { method }) => {
                let begun = self.numbers.method_of(method);
                let begun = begun.and_then(|method| self.routines.get(&method));
                let begun = begun.map_or("a method without code", |routine| &routine.name);
                return lost(format!("{} was to begin, and {begun} began", target.name));
            }
            Some(other) => {
                return lost(format!(
                    "{} was to begin, and {other:?} was told",
                    target.name
                ));
            }
        }
        thread.take()?;
        let derived = thread
            .frame()
            .map(|frame| frame.activation.stack.split_off(from));
        thread.awaits = Some(Awaits::Arguments(Entering {
            routine: target,
            values: Vec::new(),
            derived,
            index,
            open,
        }));
        Ok(Went::On)
    }

    /// What a call tells behind it.
    pub(super) fn open(
        &self,
        program: &Program,
        operands: &[Value],
        place: u32,
        arrays: &[usize],
        constructs: bool,
    ) -> Open {
        let object = |at: &usize| operands.get(*at).copied().and_then(Value::object);
        let arrays = arrays.iter().filter_map(object);
        let arrays = arrays.filter(|&array| self.is_array(program, array));
        Open {
            place,
            arrays: arrays
                .map(|array| (array, !self.heap.is_stale(array)))
                .collect(),
            constructed: object(&0).filter(|_| constructs),
            lambda: None,
        }
    }

    /// The method with this number, if it is one that a call of a lambda runs: see [`Target::Default`].
    fn begun_default(
        &self,
        program: &Program,
        callee: &Callee,
        number: u32,
    ) -> Option<Rc<Routine>> {
        let routine = self.routines.get(&self.numbers.method_of(number)?)?;
        let (named, class) = (&callee.named, program.classes.get(&routine.class)?);
        let fits = class.is_interface()
            && routine.receiver
            && (&routine.name, &routine.descriptor) == (&named.name, &named.descriptor);
        fits.then(|| Rc::clone(routine))
    }

    /// The method of the scope that a call runs (JVMS 5.4.6), if it runs one that was instrumented.
    fn target(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        callee: &Callee,
    ) -> Result<Target, Stopped> {
        let named = &callee.named;
        let decides = match named.kind {
            InvokeKind::Dynamic => return Ok(Target::Outside),
            InvokeKind::Static | InvokeKind::Special => None,
            InvokeKind::Virtual | InvokeKind::Interface => {
                let depth = callee.parameters.len();
                let receiver = thread.frame().map(|frame| frame.activation.peek(depth));
                let class = receiver.and_then(Value::object);
                match class.and_then(|object| self.heap.class(object)) {
                    None => return lost("the class of a receiver is not known"),
                    known => known,
                }
            }
        };
        if self.targets.classes != program.covered {
            self.targets.classes = program.covered;
            self.targets.clear();
        }
        let key = (routine.id, callee.constant, decides);
        if let Some(known) = self.targets.found.get(&key) {
            return Ok(known.clone());
        }
        let chosen = match decides {
            Some(class) => self.selected(program, link, class, named)?,
            None => self.resolved(program, link, routine, named)?,
        };
        let instrumented = |method: Rc<Method>| self.routines.get(&method.id).cloned();
        let scope = |method| instrumented(method).map(Target::Scope);
        let default = |method| instrumented(method).map(Target::Default);
        let is_lambda = |class| {
            let name = program.name_of(class);
            name.is_some_and(|name| name.contains("$$Lambda"))
        };
        let found = match (chosen, decides) {
            (Some(Selected::Scope(method)), _) => scope(method),
            (Some(Selected::Inherited(method)), _) => default(method),
            (Some(Selected::Outside), _) => None,
            (Some(Selected::Unknown), _) => {
                if self.may_be_ahead(thread)? {
                    return Ok(Target::NotYet);
                }
                return lost(format!("which {} is called is not known", named.name));
            }
            (None, None) => (routine.static_owner(program, callee.constant, &named.class))
                .and_then(|class| program.inherited(class, &named.name, &named.descriptor))
                .and_then(scope),
            (None, Some(class)) => {
                let of = program.class_of(class).filter(|of| of.in_scope);
                let method = of.and_then(|of| program.dispatched(&of, named));
                let of_lambda = || {
                    program
                        .declared_in_scope(named)
                        .filter(|_| is_lambda(class))
                };
                method
                    .and_then(scope)
                    .or_else(|| of_lambda().and_then(default))
            }
        };
        let found = found.unwrap_or(Target::Outside);
        self.targets.found.insert(key, found.clone());
        Ok(found)
    }

    /// The innermost call of the scope returns.
    pub(super) fn returns(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        routine: &Routine,
        index: u32,
    ) -> Result<Went, Stopped> {
        if routine.name == "<clinit>" {
            match thread.peek()? {
                None => return Ok(Went::Nowhere),
                Some(Record::Initialised) => drop(thread.take()?),
                Some(other) => {
                    return lost(format!("a static initialiser returned before {other:?}"));
                }
            }
        }
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let returns = routine.descriptor.rsplit(')').next().unwrap_or("V");
        let result = (returns != "V").then(|| narrowed(frame.activation.peek(0), returns));
        let shown = result.filter(|value| frame.fresh && value.object().is_some());
        if let Some(value) = shown {
            let (hash, elements) = match thread.peek()? {
                None => return Ok(Went::Nowhere),
                Some(Record::Shown { hash, elements }) => (*hash, elements.clone()),
                Some(other) => return lost(format!("what a call returns is told as {other:?}")),
            };
            thread.take()?;
            if !self.shows(value, hash, elements.as_deref()) {
                return lost("a call returned another object than was derived");
            }
            if let Some(object) = value.object() {
                self.contents_returned(thread, program, object);
            }
        }
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let (invoked, open) = (frame.invoked, frame.open.take());
        thread.end_call(Outcome::Returned(result), index, &mut self.outlet);
        if let Some(open) = open {
            thread.awaits = Some(Awaits::Same { open, result });
        } else if invoked {
            self.give(thread, result);
        }
        Ok(Went::On)
    }

    /// The innermost call of the scope has the result of the call that it made.
    pub(super) fn give(&mut self, thread: &mut Thread, result: Option<Value>) {
        if let Some(frame) = thread.frame() {
            if let Some(result) = result {
                frame.activation.push(result);
            }
            frame.at += 1;
            frame.initialised = None;
        }
    }

    /// The result of a call of the scope that was made as if it might leave it.
    pub(super) fn same(&mut self, thread: &mut Thread) -> Result<Went, Stopped> {
        let Some(Awaits::Same { open, result }) = &thread.awaits else {
            return Ok(Went::On);
        };
        let (open, result) = (open.clone(), *result);
        let raw = match thread.peek()? {
            None => return Ok(Went::Nowhere),
            Some(Record::Result { site, result }) if *site == open.place => result.clone(),
            Some(other) => return lost(format!("a result is told as {other:?}")),
        };
        thread.take_behind(true)?;
        let agrees = match result {
            None => raw == Raw::Void,
            Some(result) => self.agrees(result, &raw),
        };
        if !agrees {
            return lost("a call of the scope returned another value than was derived");
        }
        thread.awaits = Some(Awaits::Behind { open, result });
        Ok(Went::On)
    }
}

/// What a call is made on.
fn frame_receiver(thread: &mut Thread, callee: &Callee) -> Option<Value> {
    let frame = thread
        .frame()
        .filter(|_| callee.named.kind.has_receiver())?;
    Some(frame.activation.peek(callee.parameters.len()))
}
