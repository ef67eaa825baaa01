//! What instrumented code tells, place by place, and how places and methods are numbered in the log.

use std::rc::Rc;

use jhyde_trace::MethodId;
use rustc_hash::FxHashMap;

/// What one instruction tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// A call that only a method of the scope can answer: nothing, not even that the method begins. What it runs is a point.
    Direct,
    /// A call whose result follows from what it is given: nothing.
    Nothing,
    /// A call that may leave the scope: which objects it is shown, what it returns, and what arrays that it was shown hold
    /// behind it.
    Call {
        /// Operands (the receiver among them, from below) whose objects are told.
        shown: Vec<usize>,
        /// Those of them that may be arrays.
        arrays: Vec<usize>,
        /// It constructs its lowest operand, which is told behind it.
        constructs: bool,
        /// What it calls may use reflection, or keep an array to write it: from here on all reads are told.
        reflects: bool,
        /// It makes a lambda, or a method reference.
        lambda: Option<Rc<Lambda>>,
    },
    /// A read of a field: its value goes into the checksum, or is told. `volatile`: with a point before it.
    Read { volatile: bool },
    /// A read of a field that the scope is not known to declare, or a constant: its value.
    Value,
    /// A write to such a field, or to a record's component: which object is written.
    Write,
    /// A string or class of the constant pool: which object it is, the first time.
    Literal,
    /// A constant that a method computes: its value, the first time.
    Computed,
}

impl Tells {
    /// May what it calls use reflection?
    pub(crate) fn reflects(&self) -> bool {
        matches!(self, Self::Call { reflects: true, .. })
    }

    /// Does it tell objects that a call is shown, before that begins?
    pub(crate) fn shows(&self) -> bool {
        matches!(self, Self::Call { shown, .. } if !shown.is_empty())
    }
}

/// What a lambda or method reference runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lambda {
    /// `pkg.Cls.method`.
    pub(crate) method: String,
    /// That is none of the scope.
    pub(crate) is_outside: bool,
    /// Nor is it known to leave what it has as it is: nobody sees what it changes of that, and of what was captured.
    pub(crate) is_wild: bool,
    /// Nor is it the JDK's.
    pub(crate) is_foreign: bool,
    /// It writes into arrays that it is given, whoever calls it.
    pub(crate) writes_arrays: bool,
    /// It writes fields: by reflection, a handle, an updater.
    pub(crate) writes_fields: bool,
}

/// What is told besides what has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Also {
    /// Objects and arrays, when code of the scope makes them.
    pub(crate) births: bool,
    /// Each read of a field or an element, with its value.
    pub(crate) reads: bool,
    /// The same from where a call may use reflection, or keep an array.
    pub(crate) later_reads: bool,
    /// Each write to a local, a field or an element, with its value, before it.
    pub(crate) writes: bool,
    /// What objects of the JDK hold.
    pub(crate) contents: bool,
}

/// What the code of one method tells. Indexes are those of the original code.
#[derive(Debug)]
pub(crate) struct MethodPlan {
    /// Its number in the log.
    pub(crate) number: u32,
    /// By bytecode index: the number of the place, and what it tells.
    pub(crate) places: FxHashMap<u32, (u32, Tells)>,
    /// Exception handlers, by bytecode index.
    pub(crate) handlers: FxHashMap<u32, u32>,
    /// From this index on it tells exceptions that leave it: in a constructor from where there is a `this`. Nowhere, if
    /// there is none.
    pub(crate) guarded: Option<u32>,
    /// A constructor that calls one out of the scope: it tells its object where [`Self::guarded`] begins, if such are told.
    pub(crate) bears: bool,
    /// A constructor that waits for nobody before [`Self::guarded`]: it calls that of `Object` and nothing else.
    pub(crate) bears_at_once: bool,
    /// It tells its writes.
    pub(crate) writes: bool,
    /// By constants that name a static field or method by a class below the one that declares it: that one's dotted name, as class
    /// files have it. Such an instruction initialises that class alone (JVMS 5.5), and the JVM may never prepare the other.
    pub(crate) declaring: FxHashMap<u16, String>,
}

/// Gives out numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    methods: Vec<MethodId>,
    places: Vec<Place>,
}

/// A place in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) method: MethodId,
    pub(crate) index: u32,
}

/// The largest number that a word has room for.
const LARGEST: usize = (1 << 24) - 1;

impl Numbers {
    /// The number of a method; `None` where there are none left.
    pub(crate) fn method(&mut self, method: MethodId) -> Option<u32> {
        self.methods.push(method);
        number(self.methods.len())
    }

    /// The number of a place, from 1 on: 0 is for what stands nowhere.
    pub(crate) fn place(&mut self, method: MethodId, index: u32) -> Option<u32> {
        self.places.push(Place { method, index });
        number(self.places.len())
    }

    /// What a method's number means.
    pub(crate) fn method_of(&self, number: u32) -> Option<MethodId> {
        self.methods.get((number as usize).checked_sub(1)?).copied()
    }

    /// What a place's number means.
    pub(crate) fn place_of(&self, number: u32) -> Option<Place> {
        self.places.get((number as usize).checked_sub(1)?).copied()
    }
}

fn number(count: usize) -> Option<u32> {
    (count <= LARGEST).then_some(count as u32)
}
