//! Running calls as they are derived: of the scope, with what they work with; out of it, with what is told behind them; and what
//! the log has to say before the innermost one goes on.

use std::collections::BTreeSet;
use std::rc::Rc;

use jhyde_trace::{CallId, ObjectId, Value};

use super::copies::Copy;
use super::routine::{Callee, Routine};
use crate::mirror::Activation;
use crate::probe::plan::Lambda;

/// A running call of the scope.
pub(super) struct Frame {
    pub(super) call: CallId,
    pub(super) routine: Rc<Routine>,
    pub(super) activation: Activation,
    /// The instruction that is next.
    pub(super) at: u32,
    /// Its caller's instruction called it, and takes its result.
    pub(super) invoked: bool,
    /// Its beginning was told, and so is what it returns: code out of the scope may have called it.
    pub(super) fresh: bool,
    /// What that instruction tells behind it, if it tells anything.
    pub(super) open: Option<Open>,
    /// The object that it constructs.
    pub(super) made: Option<ObjectId>,
    /// The object was told before the next instruction.
    pub(super) told: bool,
    /// The instruction that made a static initialiser run last.
    pub(super) initialised: Option<u32>,
    /// What the next instruction writes was told.
    pub(super) wrote: bool,
    /// The point before the next instruction is passed.
    pub(super) passed: bool,
    /// Entered when the call began (JVMS 2.11.10), and left with it.
    pub(super) monitor: Option<ObjectId>,
}

impl Frame {
    /// Goes to an instruction.
    pub(super) fn goes(&mut self, to: u32) {
        self.at = to;
        self.passed = false;
        self.told = false;
        self.wrote = false;
    }

    /// The object that is told before the instruction at `index`, which was not yet: there is one from here on. `births`: all
    /// are told.
    pub(super) fn begins(&self, index: u32, births: bool) -> Option<ObjectId> {
        let plan = &self.routine.plan;
        let tells = self.fresh || (births && plan.bears);
        let here = plan.guarded == Some(index) && !self.told;
        self.made.filter(|_| here && tells)
    }
}

/// Why code out of the scope runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// An instruction calls it.
    Called,
    /// It computes a constant: see [`super::computed`].
    Computes,
    /// It initialises a class of which a static field is read (JVMS 5.5). That is no call: what it calls is told in the call that reads, and
    /// the record of what was read is that call's own.
    Initialises,
}

/// A call out of the scope, or an initialiser out of it.
pub(super) struct Outside {
    pub(super) call: CallId,
    pub(super) callee: Rc<Callee>,
    /// Receiver and arguments.
    pub(super) operands: Vec<Value>,
    pub(super) open: Open,
    /// `Object.wait` of this object.
    pub(super) waits: Option<ObjectId>,
    /// The exception that left a call of the scope into it last.
    pub(super) passes: Option<Value>,
    /// What the object is to hold that it makes: see [`super::copies`].
    pub(super) copy: Option<Copy>,
    /// So many constructors of the scope were called in it that may be for the object which it constructs.
    pub(super) begun: u32,
    pub(super) why: Why,
    /// What methods of the scope returned to it, each once.
    pub(super) given_back: BTreeSet<ObjectId>,
    /// Objects of which it may be changing what they hold, from its beginning on.
    pub(super) changes: Vec<ObjectId>,
}

impl Outside {
    pub(super) fn new(call: CallId, callee: Rc<Callee>, operands: Vec<Value>, open: Open) -> Self {
        Self {
            call,
            callee,
            operands,
            open,
            waits: None,
            passes: None,
            copy: None,
            begun: 0,
            why: Why::Called,
            given_back: BTreeSet::new(),
            changes: Vec::new(),
        }
    }

    /// All objects that it may have: its receiver and arguments, and what it was returned.
    pub(super) fn shown(&self) -> impl Iterator<Item = ObjectId> {
        let operands = self.operands.iter().filter_map(|value| value.object());
        operands.chain(self.given_back.iter().copied())
    }

    /// May a constructor which an exception has left have made another object before, which was taken for its own?
    pub(super) fn is_doubtful(&self) -> bool {
        self.begun > 1
    }

    pub(super) fn receiver(&self) -> Option<ObjectId> {
        let receiver = self.operands.first().copied();
        let has = self.callee.named.kind.has_receiver();
        receiver.filter(|_| has).and_then(Value::object)
    }

    /// Without the receiver.
    pub(super) fn arguments(&self) -> &[Value] {
        let skip = usize::from(self.callee.named.kind.has_receiver());
        self.operands.get(skip..).unwrap_or_default()
    }
}

/// What is told behind a call.
#[derive(Clone)]
pub(super) struct Open {
    /// The number of its place: its result.
    pub(super) place: u32,
    /// The object that it constructed.
    pub(super) constructed: Option<ObjectId>,
    /// Arrays that it was shown: what they hold. `true`: what they held before it is certain.
    pub(super) arrays: Vec<(ObjectId, bool)>,
    /// The lambda that it makes.
    pub(super) lambda: Option<Rc<Lambda>>,
}

impl Open {
    /// Nothing but its result.
    pub(super) fn of(place: u32) -> Self {
        Self {
            place,
            constructed: None,
            arrays: Vec::new(),
            lambda: None,
        }
    }
}

/// A running call.
pub(super) enum Running {
    Scope(Frame),
    Outside(Outside),
}

/// What the log has to say before the innermost call goes on.
pub(super) enum Awaits {
    /// Which objects are shown to the call that the frame makes: those that are still to come, the next one last.
    Shown(Vec<Value>),
    /// What a method is given whose beginning was told.
    Arguments(Entering),
    /// The result of a call of the scope that was made as if it might leave it, and what that is.
    Same { open: Open, result: Option<Value> },
    /// What was constructed, and what arrays hold, behind a call: and then the frame that made it has its result.
    Behind { open: Open, result: Option<Value> },
    /// Where an exception goes; `None`: one that the JVM made, not known yet.
    Exception(Option<Value>),
}

/// A method whose beginning was told.
pub(super) struct Entering {
    pub(super) routine: Rc<Routine>,
    /// What it is given, as far as that was told: the receiver first, if there is one.
    pub(super) values: Vec<Value>,
    /// What was derived of that, where code of the scope made the call.
    pub(super) derived: Option<Vec<Value>>,
    /// Where it was called, and what that call tells behind it.
    pub(super) index: u32,
    pub(super) open: Option<Open>,
}
