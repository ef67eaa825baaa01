//! The code of one method as it is derived, with what its constants name, looked up once.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_bytecode::{Constant, Instruction, InvokeKind};
use jhyde_trace::Value;
use rustc_hash::FxHashMap;

use crate::mirror::Compiled;
use crate::probe::plan::{MethodPlan, Tells};
use crate::program::{Method, Named, dotted};

/// See the module. Derefs to the method.
#[derive(Debug)]
pub(crate) struct Routine {
    method: Rc<Method>,
    pub(super) class: ReferenceTypeId,
    pub(super) plan: MethodPlan,
    pub(super) ops: Compiled,
    calls: RefCell<FxHashMap<u16, Rc<Callee>>>,
}

/// What an invoke instruction names.
#[derive(Debug)]
pub(super) struct Callee {
    pub(super) named: Named,
    /// Descriptors of the parameters.
    pub(super) parameters: Vec<String>,
    pub(super) returns: String,
}

impl Callee {
    /// Number of values that it takes from the stack.
    pub(super) fn operands(&self) -> usize {
        self.parameters.len() + usize::from(self.named.kind.has_receiver())
    }
}

impl Deref for Routine {
    type Target = Method;

    fn deref(&self) -> &Method {
        &self.method
    }
}

impl Routine {
    pub(super) fn new(class: ReferenceTypeId, method: &Rc<Method>, plan: MethodPlan) -> Self {
        let number = |at| number(method, at);
        let ops = match &method.code {
            Some(code) => Compiled::of(code, number),
            None => Compiled::default(),
        };
        Self {
            method: Rc::clone(method),
            class,
            plan,
            ops,
            calls: RefCell::default(),
        }
    }

    /// The instruction of this number.
    pub(super) fn instruction(&self, at: u32) -> Option<&Instruction> {
        self.code.as_ref()?.instructions().get(at as usize)
    }

    /// The dotted name of the class that a constant names.
    pub(super) fn class_constant(&self, at: Option<u16>) -> String {
        let pool = self.pool.as_ref();
        let name = at.and_then(|at| pool?.class(at).ok());
        name.map_or_else(|| "?".to_owned(), dotted)
    }

    /// The type of `this` or a parameter, as far as it matters how it is told: the first character of its descriptor.
    pub(super) fn slot_descriptor(&self, at: usize) -> String {
        let tag = self
            .slots
            .get(at)
            .map_or(b'L', |(request, _)| request.tag.0);
        char::from(tag).to_string()
    }

    /// What an instruction tells, and the number of its place.
    pub(super) fn tells(&self, index: u32) -> Option<&(u32, Tells)> {
        self.plan.places.get(&index)
    }

    /// What an invoke instruction names.
    pub(super) fn callee(&self, constant: u16, kind: InvokeKind) -> Option<Rc<Callee>> {
        if let Some(known) = self.calls.borrow().get(&constant) {
            return Some(Rc::clone(known));
        }
        let named = Named::of(&self.method, constant, kind)?;
        let callee = Rc::new(Callee {
            parameters: crate::recorder::parameters(&named.descriptor),
            returns: named.returns().to_owned(),
            named,
        });
        let known = Rc::clone(&callee);
        self.calls.borrow_mut().insert(constant, known);
        Some(callee)
    }
}

/// What a constant is that is a number.
fn number(method: &Method, at: u16) -> Option<Value> {
    Some(match method.pool.as_ref()?.get(at).ok()? {
        Constant::Integer(value) => Value::Int(*value),
        Constant::Float(value) => Value::float(*value),
        Constant::Long(value) => Value::Long(*value),
        Constant::Double(value) => Value::double(*value),
        _ => return None,
    })
}
