//! Calls out of the scope: what they are shown, what they return, what they do to arrays, and what else their thread tells
//! while they run.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{CallId, ClassId, Event, EventKind, MonitorAction, ObjectId, Outcome, Value};

use super::routine::Callee;
use super::run::{Stopped, lost};
use super::running::{Awaits, Open, Outside, Running, Why};
use super::thread::Thread;
use super::{Deriver, Went};
use crate::mirror::{Shared, narrowed};
use crate::probe::log::{Raw, Record, Told};
use crate::program::Program;
use crate::recorder::returns_itself;

impl Deriver {
    /// What a call is shown may be written by code out of the scope from now on: fields by reflection alone.
    pub(super) fn show(
        &mut self,
        program: &Program,
        callee: &Callee,
        operands: &[Value],
        reflects: bool,
    ) {
        let with = match reflects {
            true => Shared::Anybody,
            false => Shared::Jdk,
        };
        if self.is_kept_by_others(program, operands) {
            self.give_to_others(operands.iter().filter_map(|value| value.object()));
        }
        for object in operands.iter().filter_map(|value| value.object()) {
            self.heap.share(object, with);
        }
        // The JVM's own methods of records read their fields.
        if callee.named.kind == InvokeKind::Dynamic
            && ["equals", "hashCode", "toString"].contains(&callee.named.name.as_str())
        {
            for record in operands.iter().filter_map(|value| value.object()) {
                for held in self.heap.held(record) {
                    self.loosen(held);
                    self.expose(held);
                }
            }
        }
    }

    /// A call leaves the scope.
    pub(super) fn leave(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        callee: &Rc<Callee>,
        operands: &[Value],
        index: u32,
        open: Open,
    ) -> Went {
        let call = self.begin_outside(thread, program, callee, operands, index);
        let receiver = operands.first().copied().and_then(Value::object);
        let waits = receiver
            .filter(|_| callee.named.class == "java.lang.Object" && callee.named.name == "wait");
        if let Some(object) = waits {
            let action = MonitorAction::Wait;
            let kind = EventKind::Monitor { action, object };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
        let copy = self.copy_of(program, &callee.named, receiver);
        let mut outside = Outside {
            waits,
            copy,
            ..Outside::new(call, Rc::clone(callee), operands.to_vec(), open)
        };
        self.is_renamed(program, &outside);
        self.doubt_written(thread, program, &outside, false);
        self.contents_leave(thread, program, &mut outside);
        thread.stack.push(Running::Outside(outside));
        Went::On
    }

    /// Code out of the scope has run: arrays that it keeps may hold something else now.
    pub(super) fn outside_ran(&mut self) {
        self.heap.outside_ran();
        let runs = self.heap.outside_runs();
        self.heap.look_as_of(runs);
    }

    /// The innermost call is over: what it may have written unseen.
    pub(super) fn outside_wrote(
        &mut self,
        thread: &Thread,
        program: &Program,
        result: Option<Value>,
    ) {
        if let Some(Running::Outside(outside)) = thread.stack.last() {
            let function = outside.open.lambda.as_ref().filter(|one| one.is_foreign);
            let function = function.and_then(|_| result?.object());
            self.doubts.foreign_functions.extend(function);
            self.learn_access(outside, result);
            self.doubt_written(thread, program, outside, true);
        }
    }

    /// What an array holds was not told.
    pub(super) fn forget_elements(&mut self, at: CallId, array: ObjectId) {
        self.doubt_array(at, array);
        if let Some(elements) = self.heap.elements_mut(array) {
            elements.forget();
        }
    }

    pub(super) fn is_array(&self, program: &Program, object: ObjectId) -> bool {
        let class: Option<ClassId> = self.heap.class(object);
        let name = class.and_then(|class| program.name_of(class));
        name.is_some_and(|name| name.ends_with("[]"))
    }

    /// Takes what a call is given: narrowed to its parameters' types.
    pub(super) fn pop(&mut self, thread: &mut Thread, callee: &Callee) -> Vec<Value> {
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

    pub(super) fn begin_outside(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        callee: &Callee,
        operands: &[Value],
        call_site: u32,
    ) -> CallId {
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
    pub(super) fn follows(
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
                self.contents_at_callback(thread, program, &routine.name);
                self.begin_told(thread, &routine, Event::NO_INDEX);
                Ok(Went::On)
            }
            (Record::Result { site, .. }, Some(Running::Outside(outside)))
                if site == outside.open.place && outside.why == Why::Initialises =>
            {
                self.initialised_outside(thread, program);
                Ok(Went::On)
            }
            (Record::Result { site, result }, Some(Running::Outside(outside)))
                if site == outside.open.place =>
            {
                let (callee, open) = (Rc::clone(&outside.callee), outside.open.clone());
                let computes = outside.why == Why::Computes;
                let chained = self.chained(outside, &result);
                // A thread that computes a constant keeps the turn.
                thread.take_behind(!computes)?;
                let result = match (callee.returns.as_str(), result, chained) {
                    ("V", Raw::Void, _) => None,
                    ("V", ..) => return lost("a call returned a value that has none"),
                    (returns, result, _) if computes => {
                        let place = (open.place, returns);
                        Some(self.computed_value(thread, program, place, result)?)
                    }
                    (_, _, Some(receiver)) => Some(Value::Object(receiver)),
                    (returns, result, None) => Some(self.value(program, call, result, returns)?),
                };
                let copy = match thread.stack.last_mut() {
                    Some(Running::Outside(outside)) => outside.copy.take(),
                    _ => None,
                };
                if let Some((copy, to)) = copy.zip(result.and_then(Value::object)) {
                    self.copied(thread, call, copy, to);
                }
                thread.awaits = Some(Awaits::Behind { open, result });
                Ok(Went::On)
            }
            (
                Record::Caught { .. }
                | Record::Escaped { .. }
                | Record::Fell { .. }
                | Record::Left { .. },
                Some(Running::Outside(_)),
            ) => {
                thread.awaits = Some(Awaits::Exception(None));
                Ok(Went::On)
            }
            (other, _) => lost(format!("code out of the scope tells {other:?}")),
        }
    }

    /// The receiver, where the call returns it by its specification and what was told has its hash: which of two objects of one
    /// hash it is needs no guess then.
    fn chained(&self, outside: &Outside, result: &Raw) -> Option<ObjectId> {
        let Raw::Reference(Some(told)) = result else {
            return None;
        };
        let receiver = outside.receiver()?;
        let returned =
            returns_itself(&outside.callee.named) && self.identities.has_hash(receiver, told.hash);
        returned.then_some(receiver)
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
        let (array, certain) = match open.arrays.first() {
            Some(&(array, certain)) => (Some(array), certain),
            None => (None, false),
        };
        if constructed.is_none() && array.is_none() {
            thread.awaits = None;
            if let Some(Running::Outside(_)) = thread.stack.last() {
                self.outside_ran();
                self.outside_wrote(thread, program, result);
                self.contents_behind(thread, program, result);
                self.introduce_made(thread, result);
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
        if let Some(object) = constructed {
            self.unfinished.remove(&object);
        }
        match (record, constructed, array) {
            (Record::Shown { hash, .. }, Some(object), _) => {
                if !self.shown(Value::Object(object), hash) {
                    return lost("a constructor made another object than was derived");
                }
                if let Some(Awaits::Behind { open, .. }) = &mut thread.awaits {
                    open.constructed = None;
                }
            }
            (
                Record::Result {
                    site: 0,
                    result: Raw::Reference(Some(told)),
                },
                Some(string),
                _,
            ) => {
                self.constructed(program, call, string, told)?;
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
                    self.compare(program, call, array, elements, certain)?;
                } else {
                    self.forget_elements(call, array);
                }
                if let Some(Awaits::Behind { open, .. }) = &mut thread.awaits {
                    open.arrays.remove(0);
                }
            }
            (other, ..) => return lost(format!("behind a call {other:?} is told")),
        }
        Ok(Went::On)
    }
}
