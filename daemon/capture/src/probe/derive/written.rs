//! Which calls out of the scope write fields and elements that nobody sees written: by reflection and its like ([`crate::probe::writers`]). Of which field a
//! handle, an updater or a `Field` is, the call says that made it.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::Value;

use super::Deriver;
use super::doubts::Which;
use super::running::{Outside, Running};
use super::thread::Thread;
use crate::mirror::Body;
use crate::probe::plan::Lambda;
use crate::probe::specified::computes_only;
use crate::probe::writers::{Gives, Writes, gives, writes};
use crate::program::Program;

/// What an object gives access to.
#[derive(Clone, Debug)]
pub(super) enum Access {
    /// Fields of this name; `is_static`: for certain.
    Field { name: Rc<str>, is_static: bool },
    /// Nothing that can be written.
    Nothing,
}

impl Access {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Field { name, .. } => Some(name),
            Self::Nothing => None,
        }
    }
}

impl Deriver {
    /// A call leaves the scope, calls back, or is over: what it may have written by then.
    pub(super) fn doubt_written(
        &mut self,
        thread: &Thread,
        program: &Program,
        outside: &Outside,
        is_over: bool,
    ) {
        let (at, named) = (outside.call, &outside.callee.named);
        if !self.heap.expects_reflection() || named.kind == InvokeKind::Dynamic {
            return;
        }
        match writes(&named.class, &named.name) {
            None => {}
            Some(Writes::Member) => self.doubt_member(program, outside, is_over),
            Some(Writes::Anything) => self.doubt_anything(program, outside, is_over),
            Some(Writes::Caller) => {
                let mut below = thread.stack.iter().rev();
                let caller = below.find_map(|running| match running {
                    Running::Scope(frame) => Some(frame),
                    Running::Outside(_) => None,
                });
                let receiver = caller
                    .filter(|frame| frame.routine.receiver)
                    .and_then(|frame| frame.activation.local(0).object());
                if let Some(object) = receiver {
                    self.doubt_fields(program, at, object, Which::All);
                }
            }
        }
        // Which arrays lie behind what it is shown is not followed where contents are not.
        let is_blind = !self.holdings.wanted && !computes_only(named);
        if is_blind || self.doubts.functions && self.is_wild(outside) {
            self.doubt_given(program, at);
        }
    }

    /// What reflection, a handle or an updater writes. An array that it is given has told what it holds when the call is over.
    fn doubt_member(&mut self, program: &Program, outside: &Outside, is_over: bool) {
        let at = outside.call;
        let access = outside
            .receiver()
            .and_then(|of| self.doubts.access.get(&of));
        let access = access.cloned();
        let name = access.as_ref().and_then(Access::name);
        let which = name.map_or(Which::All, Which::Named);
        let is_static = matches!(
            &access,
            Some(Access::Field {
                is_static: true,
                ..
            })
        );
        let mut arguments = outside.arguments().iter();
        let object = arguments.next().copied().and_then(Value::object);
        let object = object.filter(|_| !is_static);
        let holds = object.filter(|&object| match self.heap.body(object) {
            Some(Body::Fields(_) | Body::Array(_)) => true,
            Some(Body::Text(_) | Body::Opaque) | None => false,
        });
        if let Some(object) = holds {
            match self.heap.elements(object).is_some() {
                true if is_over => {}
                true => self.doubt_array(at, object),
                false => self.doubt_fields(program, at, object, which),
            }
        }
        // Of a field that is not known it is not known whether it is static.
        if holds.is_none() || name.is_none() {
            self.doubt_statics(program, at, which);
        }
    }

    /// What a method handle writes.
    fn doubt_anything(&mut self, program: &Program, outside: &Outside, is_over: bool) {
        let access = outside
            .receiver()
            .and_then(|of| self.doubts.access.get(&of));
        let plain = outside.callee.named.name != "invokeWithArguments";
        match access {
            Some(Access::Nothing) => {}
            Some(Access::Field { .. }) if plain => self.doubt_member(program, outside, is_over),
            Some(Access::Field { .. }) | None => {
                self.doubts.any_field();
                self.doubt_given(program, outside.call);
            }
        }
    }

    /// A call has returned an object that gives access to a field, by the name that it was given.
    pub(super) fn learn_access(&mut self, outside: &Outside, result: Option<Value>) {
        let Some(made) = result.and_then(Value::object) else {
            return;
        };
        let access = match gives(&outside.callee.named) {
            None => return,
            Some(Gives::Nothing) => Access::Nothing,
            Some(Gives::Field { is_static }) => {
                let mut texts = outside.arguments().iter().filter_map(|value| {
                    let text = self.heap.text(value.object()?)?;
                    Some(String::from_utf16_lossy(text))
                });
                let Some(name) = texts.next() else {
                    return;
                };
                let name = name.into();
                Access::Field { name, is_static }
            }
        };
        self.doubts.access.insert(made, access);
    }

    /// A function was made that writes what it is given, whoever calls it, and with whatever that has.
    pub(super) fn writes_by_function(&mut self, lambda: &Lambda) {
        if lambda.writes_fields {
            self.doubts.any_field();
        }
        if lambda.writes_fields || lambda.writes_arrays {
            self.doubts.functions = true;
            self.heap.give_all();
        }
    }
}
