//! How calls begin and end.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ClassId, Content, Event, EventKind, MonitorAction, Outcome, Value};

use super::routine::Callee;
use super::run::{Stopped, lost};
use super::thread::{Awaits, Entering, Frame, Open, Outside, Running, Thread};
use super::{Deriver, Routine, Went};
use crate::mirror::{Activation, Body, Constant, Shared, narrowed};
use crate::probe::log::{Raw, Record, Told};
use crate::probe::plan::Tells;
use crate::program::{Class, Program};

impl Deriver {
    /// The innermost call of the scope calls, returns or throws.
    pub(super) fn leaves(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Rc<Routine>,
    ) -> Result<Went, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let Some(instruction) = routine.instruction(frame.at) else {
            return lost("it ran past the end of a method");
        };
        if instruction.invoke().is_some() {
            return self.invokes(thread, program, routine);
        }
        if instruction.opcode.is_return() {
            return Ok(self.returns(thread, routine, instruction.index));
        }
        // `athrow` of null throws another exception.
        let thrown = frame.activation.peek(0);
        let thrown = Some(thrown).filter(|thrown| thrown.object().is_some());
        thread.awaits = Some(Awaits::Exception(thrown));
        Ok(Went::On)
    }

    /// The call that the innermost frame stands at.
    fn at_call(thread: &mut Thread, routine: &Routine) -> Result<(u32, Rc<Callee>), Stopped> {
        let at = thread.frame().map(|frame| frame.at);
        let instruction = at.and_then(|at| routine.instruction(at));
        let found = instruction.and_then(|instruction| {
            let invoke = instruction.invoke()?;
            let callee = routine.callee(invoke.constant, invoke.kind)?;
            Some((instruction.index, callee))
        });
        found.map_or_else(|| lost("a call has no name"), Ok)
    }

    fn invokes(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Rc<Routine>,
    ) -> Result<Went, Stopped> {
        let (index, callee) = Self::at_call(thread, routine)?;
        let kind = callee.named.kind;
        let count = callee.operands();
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let operand = |at: usize| frame.activation.peek(count - 1 - at);
        let mut open = match routine.tells(index) {
            Some((_, Tells::Call { shown, .. })) => shown.iter().map(|&at| operand(at)).collect(),
            _ => Vec::new(),
        };
        open.reverse();
        if kind == InvokeKind::Static
            && let Some(class) = program.class_in_scope(routine.loader, &callee.named.class)
        {
            let class = Rc::clone(class);
            if let Some(went) = self.initialise(thread, program, &class)? {
                return Ok(went);
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
    ) -> Result<Went, Stopped> {
        let Some(Awaits::Shown(open)) = &mut thread.awaits else {
            return Ok(Went::On);
        };
        let Some(value) = open.last().copied() else {
            return self.calls(thread, program);
        };
        let hash = match thread.peek()? {
            None => return Ok(Went::Nowhere),
            Some(&Record::Shown { hash }) => hash,
            Some(other) => return lost(format!("a call is shown {other:?}")),
        };
        thread.take()?;
        if !self.shown(value, hash) {
            return lost("a call is shown another object than was derived");
        }
        if let Some(Awaits::Shown(open)) = &mut thread.awaits {
            open.pop();
        }
        Ok(Went::On)
    }

    /// The call that the innermost frame stands at begins.
    fn calls(&mut self, thread: &mut Thread, program: &mut Program) -> Result<Went, Stopped> {
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let routine = Rc::clone(&frame.routine);
        let (index, callee) = Self::at_call(thread, &routine)?;
        if frame_receiver(thread, &callee) == Some(Value::Null) {
            thread.awaits = Some(Awaits::Exception(None));
            return Ok(Went::On);
        }
        let target = self.target(thread, program, &callee)?;
        let tells = routine.tells(index);
        let Some(target) = target else {
            thread.awaits = None;
            return match tells {
                Some((
                    place,
                    Tells::Call {
                        arrays, constructs, ..
                    },
                )) => {
                    let operands = self.pop(thread, &callee);
                    let open = self.open(program, &operands, *place, arrays, *constructs);
                    self.show(program, &callee, &operands)?;
                    Ok(self.leave(thread, program, &callee, &operands, index, open))
                }
                Some((_, Tells::Nothing)) => self.follows(thread, program, &callee, index),
                _ => lost(format!(
                    "a call of {}.{} left the scope, which was not to be expected",
                    callee.named.class, callee.named.name
                )),
            };
        };
        let Some(frame) = thread.frame() else {
            return Ok(Went::On);
        };
        let count = callee.operands();
        let from = frame.activation.stack.len().saturating_sub(count);
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
        // A static initialiser that runs between a call and the method takes from it that it was called by the scope.
        if open.is_none() && frame.initialised != Some(frame.at) {
            let values = frame.activation.stack.split_off(from);
            thread.awaits = None;
            self.enter(thread, program, &target, values, index, true, None);
            return Ok(Went::On);
        }
        match thread.peek()? {
            None => return Ok(Went::Nowhere),
            Some(&Record::Enter { method }) if method == target.plan.number => {}
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
    fn open(
        &self,
        program: &Program,
        operands: &[Value],
        place: u32,
        arrays: &[usize],
        constructs: bool,
    ) -> Open {
        let object = |at: &usize| operands.get(*at).copied().and_then(Value::object);
        let arrays = arrays.iter().filter_map(object);
        Open {
            place,
            arrays: arrays
                .filter(|&array| self.is_array(program, array))
                .collect(),
            constructed: object(&0).filter(|_| constructs),
        }
    }

    /// What a call is shown may be written by code out of the scope from now on: fields by reflection alone.
    fn show(
        &mut self,
        program: &Program,
        callee: &Callee,
        operands: &[Value],
    ) -> Result<(), Stopped> {
        let skip = usize::from(callee.named.kind.has_receiver());
        let arguments = operands.get(skip..).unwrap_or_default();
        if crate::events::writes_static_by_handle(&callee.named, arguments) {
            return lost("a static field may have been written by reflection");
        }
        // What the scope inherits from the JDK, and lambdas behind its interfaces, use none.
        let class = &callee.named.class;
        let own =
            class.ends_with("[]") || program.class_in_scope(callee.named.code, class).is_some();
        let reflects = !own && crate::events::reflects(&callee.named);
        if reflects {
            self.heap.expect_reflection();
        }
        let with = if reflects {
            Shared::Anybody
        } else {
            Shared::Jdk
        };
        for object in operands.iter().filter_map(|value| value.object()) {
            self.heap.share(object, with);
        }
        Ok(())
    }

    /// The method of the scope that a call runs (JVMS 5.4.6), if it runs one that was instrumented.
    fn target(
        &self,
        thread: &mut Thread,
        program: &Program,
        callee: &Callee,
    ) -> Result<Option<Rc<Routine>>, Stopped> {
        let named = &callee.named;
        let method = match named.kind {
            InvokeKind::Dynamic => None,
            InvokeKind::Static | InvokeKind::Special => program.declared_in_scope(named),
            InvokeKind::Virtual | InvokeKind::Interface => {
                let depth = callee.parameters.len();
                let receiver = thread.frame().map(|frame| frame.activation.peek(depth));
                let class = receiver.and_then(Value::object);
                let Some(class) = class.and_then(|object| self.heap.class(object)) else {
                    return lost("the class of a receiver is not known");
                };
                program
                    .class_of(class)
                    .filter(|class| class.in_scope)
                    .and_then(|class| program.inherited(&class, &named.name, &named.descriptor))
            }
        };
        Ok(method.and_then(|method| self.routines.get(&method.id).cloned()))
    }

    /// What a method is given whose beginning was told.
    pub(super) fn arguments(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
    ) -> Result<Went, Stopped> {
        let call = thread.current();
        let Some(Awaits::Arguments(entering)) = &thread.awaits else {
            return Ok(Went::On);
        };
        let (routine, given) = (Rc::clone(&entering.routine), entering.values.len());
        let derived = entering.derived.as_ref().map(|all| all.get(given).copied());
        if given == routine.slots.len() {
            let Some(Awaits::Arguments(entering)) = thread.awaits.take() else {
                return Ok(Went::On);
            };
            let invoked = entering.derived.is_some();
            let (index, open) = (entering.index, entering.open);
            let made = entering.values.first().and_then(|this| this.object());
            self.enter(
                thread,
                program,
                &routine,
                entering.values,
                index,
                invoked,
                open,
            );
            if let Some(frame) = thread
                .frame()
                .filter(|_| !invoked && routine.is_constructor())
            {
                frame.made = made;
            }
            return Ok(Went::On);
        }
        let is_receiver = given == 0 && routine.receiver;
        let value = if is_receiver && routine.is_constructor() {
            // It cannot be told before the constructor above it has run (JVMS 4.10.1.9).
            match derived {
                Some(Some(derived)) => derived,
                _ => self.made_outside(program, call, &routine),
            }
        } else {
            let raw = match thread.peek()? {
                None => return Ok(Went::Nowhere),
                Some(Record::Result { site: 0, result }) => result.clone(),
                Some(other) => return lost(format!("an argument is told as {other:?}")),
            };
            thread.take()?;
            match derived {
                Some(Some(derived)) => {
                    if !self.agrees(derived, &raw) {
                        return lost("a method was given another value than was derived");
                    }
                    derived
                }
                Some(None) => return lost("a method has more parameters than its call"),
                None => {
                    let descriptor = routine.slot_descriptor(given);
                    self.value(program, call, raw, &descriptor)?
                }
            }
        };
        if let Some(Awaits::Arguments(entering)) = &mut thread.awaits {
            entering.values.push(value);
        }
        Ok(Went::On)
    }

    /// An object of the scope that code out of it makes: its fields are as they begin.
    fn made_outside(
        &mut self,
        program: &Program,
        call: jhyde_trace::CallId,
        routine: &Routine,
    ) -> Value {
        let class = program.classes.get(&routine.class).map(|class| class.id);
        let object = self.heap.create(class, Body::Fields(Vec::new()));
        self.outlet.object(object, class, Content::None);
        if let Some(class) = class {
            self.identities.born(class);
            let length = None;
            let kind = EventKind::New {
                object,
                class,
                length,
            };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        Value::Object(object)
    }

    /// Is a value that was told the one that was derived?
    pub(super) fn agrees(&mut self, derived: Value, raw: &Raw) -> bool {
        match (crate::mirror::widened(derived), raw) {
            (Value::Int(value), Raw::Narrow(bits)) => value as u32 == *bits,
            (Value::Float(value), Raw::Narrow(bits)) => value == *bits,
            (Value::Long(value), Raw::Wide(bits)) => value as u64 == *bits,
            (Value::Double(value), Raw::Wide(bits)) => value == *bits,
            (Value::Null, Raw::Reference(None)) => true,
            (Value::Object(_), Raw::Reference(Some(object))) => self.shown(derived, object.hash),
            _ => false,
        }
    }

    /// A call of the scope begins.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a call is: by whom, of what, with what, from where, for whom"
    )]
    fn enter(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        routine: &Rc<Routine>,
        values: Vec<Value>,
        call_site: u32,
        invoked: bool,
        open: Option<Open>,
    ) {
        let call = thread.next_call();
        let bound: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(at, &value)| narrowed(value, &routine.slot_descriptor(at)))
            .collect();
        let slots = routine.slots.iter().zip(&bound);
        let activation =
            Activation::entered(slots.filter_map(|((request, _), &value)| {
                Some((u16::try_from(request.slot).ok()?, value))
            }));
        let mut bound = bound.into_iter();
        let receiver = if routine.receiver { bound.next() } else { None };
        let arguments: Vec<Value> = bound.collect();
        let monitor = match receiver {
            _ if !routine.synchronized => None,
            Some(receiver) => receiver.object(),
            None => {
                let name = program
                    .classes
                    .get(&routine.class)
                    .map(|class| class.name.clone());
                let name = name.unwrap_or_default();
                let constant = Constant::Class(program.spelling(routine.loader, &name));
                self.constant(program, constant, name).object()
            }
        };
        let kind = EventKind::Enter {
            method: routine.id,
            receiver,
            arguments,
            call_site,
            boundary: false,
            already_running: false,
        };
        self.outlet.event(call, 0, kind);
        if let Some(object) = monitor {
            let action = MonitorAction::Enter;
            self.outlet
                .event(call, 0, EventKind::Monitor { action, object });
        }
        thread.stack.push(Running::Scope(Frame {
            call,
            routine: Rc::clone(routine),
            activation,
            at: 0,
            invoked,
            open,
            initialised: None,
            made: None,
            monitor,
        }));
    }

    /// The innermost call of the scope returns.
    fn returns(&mut self, thread: &mut Thread, routine: &Routine, index: u32) -> Went {
        let Some(frame) = thread.frame() else {
            return Went::On;
        };
        let returns = routine.descriptor.rsplit(')').next().unwrap_or("V");
        let result = (returns != "V").then(|| narrowed(frame.activation.pop(), returns));
        let (invoked, open) = (frame.invoked, frame.open.take());
        thread.end_call(Outcome::Returned(result), index, &mut self.outlet);
        if let Some(open) = open {
            thread.awaits = Some(Awaits::Same { open, result });
        } else if invoked {
            self.give(thread, result);
        }
        Went::On
    }

    /// The innermost call of the scope has the result of the call that it made.
    fn give(&mut self, thread: &mut Thread, result: Option<Value>) {
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
        thread.take()?;
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

    /// A call leaves the scope.
    fn leave(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        callee: &Rc<Callee>,
        operands: &[Value],
        index: u32,
        open: Open,
    ) -> Went {
        let call = self.begin_outside(thread, program, callee, operands, index);
        let own = callee.named.class.ends_with("[]");
        if !own && crate::events::keeps_arrays(&callee.named) {
            for &array in &open.arrays {
                self.heap.share_kept(array, false);
            }
        }
        let receiver = operands.first().copied().and_then(Value::object);
        let waits = receiver
            .filter(|_| callee.named.class == "java.lang.Object" && callee.named.name == "wait");
        if let Some(object) = waits {
            let action = MonitorAction::Wait;
            let kind = EventKind::Monitor { action, object };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        thread.stack.push(Running::Outside(Outside {
            call,
            callee: Rc::clone(callee),
            open,
            waits,
            passes: None,
        }));
        Went::On
    }

    /// Code out of the scope has run: arrays that it keeps may hold something else now.
    pub(super) fn outside_ran(&mut self) {
        self.heap.outside_ran();
        let runs = self.heap.outside_runs();
        self.heap.look_as_of(runs);
    }

    fn is_array(&self, program: &Program, object: jhyde_trace::ObjectId) -> bool {
        let class: Option<ClassId> = self.heap.class(object);
        let name = class.and_then(|class| program.name_of(class));
        name.is_some_and(|name| name.ends_with("[]"))
    }

    /// Takes what a call is given: narrowed to its parameters' types.
    fn pop(&mut self, thread: &mut Thread, callee: &Callee) -> Vec<Value> {
        let Some(frame) = thread.frame() else {
            return Vec::new();
        };
        let from = frame
            .activation
            .stack
            .len()
            .saturating_sub(callee.operands());
        let mut operands = frame.activation.stack.split_off(from);
        let skip = usize::from(callee.named.kind.has_receiver());
        for (value, kind) in operands.iter_mut().skip(skip).zip(&callee.parameters) {
            *value = narrowed(*value, kind);
        }
        operands
    }

    fn begin_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        callee: &Callee,
        operands: &[Value],
        call_site: u32,
    ) -> jhyde_trace::CallId {
        let method = program.method_named(&callee.named);
        let call = thread.next_call();
        let skip = usize::from(callee.named.kind.has_receiver());
        let kind = EventKind::Enter {
            method: method.id,
            receiver: operands.first().copied().filter(|_| skip == 1),
            arguments: operands.get(skip..).unwrap_or_default().to_vec(),
            call_site,
            boundary: true,
            already_running: false,
        };
        self.outlet.event(call, Event::NO_INDEX, kind);
        call
    }

    /// A call whose result follows from what it is given.
    fn follows(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        callee: &Rc<Callee>,
        index: u32,
    ) -> Result<Went, Stopped> {
        let operands = self.pop(thread, callee);
        let skip = usize::from(callee.named.kind.has_receiver());
        let receiver = operands.first().copied().filter(|_| skip == 1);
        let arguments = operands.get(skip..).unwrap_or_default();
        let result = crate::recorder::known_result(&callee.named, receiver, arguments, &self.heap);
        let result = match (callee.returns.as_str(), result) {
            ("V", _) => None,
            (_, Some(result)) => Some(result),
            // A string's method throws only where it is asked for what it has not.
            _ if receiver
                .and_then(Value::object)
                .is_some_and(|string| self.heap.text(string).is_some()) =>
            {
                let open = self.open(program, &operands, 0, &[], false);
                self.leave(thread, program, callee, &operands, index, open);
                thread.awaits = Some(Awaits::Exception(None));
                return Ok(Went::On);
            }
            _ => return lost(format!("what {} yields does not follow", callee.named.name)),
        };
        let call = self.begin_outside(thread, program, callee, &operands, index);
        let outcome = Outcome::Returned(result);
        self.outlet
            .event(call, Event::NO_INDEX, EventKind::Exit { outcome });
        self.give(thread, result);
        Ok(Went::On)
    }

    /// Code out of the scope runs: what the log has next of it.
    pub(super) fn outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
    ) -> Result<Went, Stopped> {
        let call = thread.current();
        let Some(record) = thread.peek()?.cloned() else {
            return Ok(Went::Nowhere);
        };
        match (record, thread.stack.last()) {
            (Record::Enter { method }, _) => {
                let method = self.numbers.method_of(method);
                let routine = method.and_then(|method| self.routines.get(&method).cloned());
                let Some(routine) = routine else {
                    return lost("a method began that was not instrumented");
                };
                thread.take()?;
                self.begin_told(thread, &routine, Event::NO_INDEX);
                Ok(Went::On)
            }
            (Record::Result { site, result }, Some(Running::Outside(outside)))
                if site == outside.open.place =>
            {
                let (callee, open) = (Rc::clone(&outside.callee), outside.open.clone());
                thread.take()?;
                let result = match (callee.returns.as_str(), result) {
                    ("V", Raw::Void) => None,
                    ("V", _) => return lost("a call returned a value that has none"),
                    (returns, result) => Some(self.value(program, call, result, returns)?),
                };
                thread.awaits = Some(Awaits::Behind { open, result });
                Ok(Went::On)
            }
            (Record::Caught { .. } | Record::Escaped { .. }, Some(Running::Outside(_))) => {
                thread.awaits = Some(Awaits::Exception(None));
                Ok(Went::On)
            }
            (other, _) => lost(format!("code out of the scope tells {other:?}")),
        }
    }

    /// A method begins that its log tells of: what it is given follows.
    fn begin_told(&mut self, thread: &mut Thread, routine: &Rc<Routine>, index: u32) {
        if routine.name == "<clinit>" {
            self.initialised.insert(routine.class);
        }
        thread.awaits = Some(Awaits::Arguments(Entering {
            routine: Rc::clone(routine),
            values: Vec::new(),
            derived: None,
            index,
            open: None,
        }));
    }

    /// What a call constructed, and what arrays hold now that it was shown; and then it is over.
    pub(super) fn behind(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
    ) -> Result<Went, Stopped> {
        let Some(Awaits::Behind { open, result }) = &thread.awaits else {
            return Ok(Went::On);
        };
        let (place, constructed, result) = (open.place, open.constructed, *result);
        let array = open.arrays.first().copied();
        if constructed.is_none() && array.is_none() {
            thread.awaits = None;
            if let Some(Running::Outside(_)) = thread.stack.last() {
                self.outside_ran();
                let outcome = Outcome::Returned(result);
                thread.end_call(outcome, Event::NO_INDEX, &mut self.outlet);
            }
            self.give(thread, result);
            return Ok(Went::On);
        }
        let call = thread.current();
        let Some(record) = thread.peek()?.cloned() else {
            return Ok(Went::Nowhere);
        };
        thread.take()?;
        match (record, constructed, array) {
            (Record::Shown { hash }, Some(object), _) => {
                if !self.shown(Value::Object(object), hash) {
                    return lost("a constructor made another object than was derived");
                }
                if let Some(Awaits::Behind { open, .. }) = &mut thread.awaits {
                    open.constructed = None;
                }
            }
            (Record::Content { site, array: told }, None, Some(array)) if site == place => {
                let elements = match told {
                    Some(object) if self.shown(Value::Object(array), object.hash) => object.told,
                    _ => return lost("another array was told than was shown"),
                };
                if let Told::Array {
                    elements: Some(elements),
                    ..
                } = elements
                {
                    self.compare(program, call, array, elements)?;
                } else if let Some(elements) = self.heap.elements_mut(array) {
                    elements.forget();
                }
                if let Some(Awaits::Behind { open, .. }) = &mut thread.awaits {
                    open.arrays.remove(0);
                }
            }
            (other, ..) => return lost(format!("behind a call {other:?} is told")),
        }
        Ok(Went::On)
    }

    /// A class is to be initialised (JVMS 5.5), by the innermost call of the scope. `None`: it is. Else its initialiser, or
    /// that of a class above it, has begun, or nobody knows yet.
    pub(super) fn initialise(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        class: &Class,
    ) -> Result<Option<Went>, Stopped> {
        if self.is_erroneous(program, class) {
            thread.awaits = Some(Awaits::Exception(None));
            return Ok(Some(Went::On));
        }
        let mut open = Vec::new();
        self.uninitialised(program, class, &mut open);
        if open.is_empty() {
            return Ok(None);
        }
        let number = match thread.peek()? {
            None => return Ok(Some(Went::Nowhere)),
            Some(&Record::Enter { method }) => Some(method),
            Some(_) => None,
        };
        let begun = open
            .iter()
            .find(|routine| Some(routine.plan.number) == number);
        let Some(routine) = begun.cloned() else {
            // Somebody else has done it.
            self.initialised
                .extend(open.iter().map(|routine| routine.class));
            return Ok(None);
        };
        thread.take()?;
        let mut index = Event::NO_INDEX;
        if let Some(frame) = thread.frame() {
            frame.initialised = Some(frame.at);
            let instruction = frame.routine.instruction(frame.at);
            index = instruction.map_or(index, |instruction| instruction.index);
        }
        self.begin_told(thread, &routine, index);
        Ok(Some(Went::On))
    }

    /// Has its initialiser, or that of a class above it, thrown an exception (JVMS 5.5)?
    fn is_erroneous(&self, program: &Program, class: &Class) -> bool {
        let failed = class
            .methods
            .iter()
            .any(|method| self.failed.contains(&method.id));
        let mut above = class
            .above
            .iter()
            .filter_map(|above| program.classes.get(above));
        failed || above.any(|above| above.in_scope && self.is_erroneous(program, above))
    }

    /// Static initialisers that may have to run before a class is initialised.
    fn uninitialised(&self, program: &Program, class: &Class, found: &mut Vec<Rc<Routine>>) {
        let above = class
            .above
            .iter()
            .filter_map(|above| program.classes.get(above));
        for above in above.filter(|above| above.in_scope) {
            self.uninitialised(program, above, found);
        }
        let initialiser = class
            .methods
            .iter()
            .find(|method| method.name == "<clinit>");
        let routine = initialiser.and_then(|method| self.routines.get(&method.id));
        if let Some(routine) = routine.filter(|routine| !self.initialised.contains(&routine.class))
        {
            found.push(Rc::clone(routine));
        }
    }
}

/// What a call is made on.
fn frame_receiver(thread: &mut Thread, callee: &Callee) -> Option<Value> {
    let frame = thread
        .frame()
        .filter(|_| callee.named.kind.has_receiver())?;
    Some(frame.activation.peek(callee.parameters.len()))
}
