//! The code of one method as it is derived, with what its constants name, looked up once.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_bytecode::{Constant as Pooled, Instruction, InvokeKind};
use jhyde_trace::{ClassId, Local};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mirror::{Compiled, Constant, Op};
use crate::probe::plan::{MethodPlan, Tells};
use crate::program::{Class, Field, Method, Named, Program, dotted};

/// See the module. Derefs to the method.
#[derive(Debug)]
pub(crate) struct Routine {
    method: Rc<Method>,
    pub(super) class: ReferenceTypeId,
    pub(super) plan: MethodPlan,
    pub(super) ops: Compiled,
    /// The local that the instruction of this number reads, and the one that it writes, if it names a slot.
    locals: Box<[(Local, Local)]>,
    /// One constant may be invoked in two ways: `other.m()` and `super.m()`.
    calls: RefCell<FxHashMap<(u16, InvokeKind), Rc<Callee>>>,
    classes: RefCell<FxHashMap<u16, Rc<str>>>,
    fields: RefCell<Meant<Option<Rc<Field>>>>,
    numbers: RefCell<Meant<ClassId>>,
    /// Constants that name classes which there are, as far as that was asked.
    pub(super) present: RefCell<FxHashSet<u16>>,
}

/// What constants mean in a program of so many classes of the scope: with another one, a name may mean another class.
#[derive(Debug)]
struct Meant<T> {
    classes: usize,
    by_constant: FxHashMap<u16, T>,
}

impl<T> Default for Meant<T> {
    fn default() -> Self {
        Self {
            classes: 0,
            by_constant: FxHashMap::default(),
        }
    }
}

impl<T: Clone> Meant<T> {
    fn get(&mut self, classes: usize, constant: u16, find: impl FnOnce() -> T) -> T {
        if self.classes != classes {
            self.by_constant.clear();
            self.classes = classes;
        }
        self.by_constant
            .entry(constant)
            .or_insert_with(find)
            .clone()
    }
}

/// What an invoke instruction names.
#[derive(Debug)]
pub(super) struct Callee {
    /// The constant that names it.
    pub(super) constant: u16,
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
        let ops = match &method.code {
            Some(code) => Compiled::of(code, method.pool.as_deref()),
            None => Compiled::default(),
        };
        let locals = match &method.code {
            Some(code) => (code.instructions().iter().enumerate())
                .map(|(at, instruction)| locals(method, &ops, at, instruction))
                .collect(),
            None => Box::default(),
        };
        Self {
            method: Rc::clone(method),
            class,
            plan,
            ops,
            locals,
            calls: RefCell::default(),
            classes: RefCell::default(),
            fields: RefCell::default(),
            numbers: RefCell::default(),
            present: RefCell::default(),
        }
    }

    /// The local that the instruction of this number reads, and the one that it writes.
    pub(super) fn locals(&self, at: u32) -> (Local, Local) {
        let found = self.locals.get(at as usize).copied();
        found.unwrap_or((Local::Slot(0), Local::Slot(0)))
    }

    /// The type of a local, as far as it is known: its descriptor.
    pub(super) fn descriptor_of(&self, local: Local) -> &str {
        match local {
            Local::Named(at) => {
                let variable = self.variables.get(usize::from(at));
                variable.map_or("", |variable| &variable.descriptor)
            }
            Local::Slot(_) => "",
        }
    }

    /// The instruction of this number.
    pub(super) fn instruction(&self, at: u32) -> Option<&Instruction> {
        self.code.as_ref()?.instructions().get(at as usize)
    }

    /// The dotted name of the class that a constant names.
    pub(super) fn class_constant(&self, at: Option<u16>) -> Rc<str> {
        let Some(at) = at else {
            return "?".into();
        };
        let find = || {
            let named = self.pool.as_ref().and_then(|pool| pool.class(at).ok());
            named.map_or_else(|| "?".into(), |name| dotted(name).into())
        };
        Rc::clone(self.classes.borrow_mut().entry(at).or_insert_with(find))
    }

    /// The string or class that a constant stands for, and the dotted name of the class.
    pub(super) fn literal(&self, program: &Program, at: u16) -> Option<(Constant, String)> {
        let pool = self.pool.as_deref()?;
        match pool.get(at).ok()? {
            Pooled::String(text) => {
                let units = pool.units(*text).unwrap_or_default();
                Some((Constant::Text(units.into()), String::new()))
            }
            Pooled::Class(_) => {
                let name = pool.class(at).map(dotted).unwrap_or_default();
                let spelling = program.spelling(self.loader, &name);
                Some((Constant::Class(spelling), name))
            }
            _ => None,
        }
    }

    /// The class that a constant names.
    pub(super) fn class_number(&self, program: &mut Program, at: u16) -> ClassId {
        let classes = program.covered;
        let find = || program.class_named(self.loader, &self.class_constant(Some(at)));
        self.numbers.borrow_mut().get(classes, at, find)
    }

    /// The class of the scope that a constant means which names one: that one, or, of a static member of a class that the JVM has
    /// not prepared, the one that declares the member.
    pub(super) fn static_owner<'a>(
        &self,
        program: &'a Program,
        constant: u16,
        named: &str,
    ) -> Option<&'a Rc<Class>> {
        program.class_in_scope(self.loader, named).or_else(|| {
            let declaring = self.plan.declaring.get(&constant)?;
            program.only_class(declaring)
        })
    }

    /// The field that a constant names, if the scope declares it.
    pub(super) fn field(&self, program: &Program, at: u16) -> Option<Rc<Field>> {
        let find = || {
            let named = self.pool.as_ref()?.field(at).ok()?;
            let class = self.static_owner(program, at, &dotted(named.class))?;
            program.field_of(class, named.name).map(Rc::new)
        };
        self.fields.borrow_mut().get(program.covered, at, find)
    }

    /// The type of `this` or a parameter, as far as it matters how it is told: the first character of its descriptor.
    pub(super) fn slot_descriptor(&self, at: usize) -> &'static str {
        let tag = self.slots.get(at).map(|(request, _)| request.tag.0);
        match tag {
            Some(b'Z') => "Z",
            Some(b'B') => "B",
            Some(b'C') => "C",
            Some(b'S') => "S",
            Some(b'I') => "I",
            Some(b'J') => "J",
            Some(b'F') => "F",
            Some(b'D') => "D",
            Some(b'[') => "[",
            _ => "L",
        }
    }

    /// What an instruction tells, and the number of its place.
    pub(super) fn tells(&self, index: u32) -> Option<&(u32, Tells)> {
        self.plan.places.get(&index)
    }

    /// What an invoke instruction names.
    pub(super) fn callee(&self, constant: u16, kind: InvokeKind) -> Option<Rc<Callee>> {
        if let Some(known) = self.calls.borrow().get(&(constant, kind)) {
            return Some(Rc::clone(known));
        }
        let named = Named::of(&self.method, constant, kind)?;
        let callee = Rc::new(Callee {
            constant,
            parameters: crate::recorder::parameters(&named.descriptor),
            returns: named.returns().to_owned(),
            named,
        });
        let known = Rc::clone(&callee);
        self.calls.borrow_mut().insert((constant, kind), known);
        Some(callee)
    }
}

/// What an instruction reads and writes, if it names a slot.
fn locals(method: &Method, ops: &Compiled, at: usize, instruction: &Instruction) -> (Local, Local) {
    let Some(Op::Load(slot) | Op::Store(slot) | Op::Increment { slot, .. }) = ops.op(at) else {
        return (Local::Slot(0), Local::Slot(0));
    };
    let index = instruction.index;
    (
        local_at(method, slot, index),
        local_at_either(method, slot, instruction.next(), index),
    )
}

/// The variable that a slot holds at a bytecode index.
pub(super) fn local_at(method: &Method, slot: u16, index: u32) -> Local {
    named_at(method, slot, index).unwrap_or(Local::Slot(slot))
}

/// The variable that an instruction writes: its range begins behind the store that gives it its first value, and ends
/// behind the last one in its block (JVMS 4.7.13).
fn local_at_either(method: &Method, slot: u16, after: u32, index: u32) -> Local {
    named_at(method, slot, after)
        .or_else(|| named_at(method, slot, index))
        .unwrap_or(Local::Slot(slot))
}

fn named_at(method: &Method, slot: u16, index: u32) -> Option<Local> {
    method.variable_in(slot, index).map(Local::Named)
}
