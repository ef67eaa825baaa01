//! Events: one thing that happened, in one thread, at one place.

use serde::{Deserialize, Serialize};

use crate::content::Change;
use crate::ids::{CallId, ClassId, MethodId, ObjectId, ThreadId};
use crate::value::{Missing, Value};
use crate::variable::{ContentKey, Variable};

/// One thing that happened. Its timestamp is its position in the recording and is given by the
/// store when the event is appended; see [`EventKind`] for what each kind carries (design, section 3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The call that it belongs to: for [`EventKind::Enter`] and [`EventKind::Exit`] the call that
    /// is entered or left itself, else the innermost running call, or the thread's root. The
    /// event's thread is the call's.
    pub call: CallId,
    /// Bytecode index in the call's method where it happened (JVMS 2.6), or [`Event::NO_INDEX`]. Of what is found at
    /// level `calls` it tells at which end of the call: see [`Event::AT_ENTER`].
    pub index: u32,
    /// What happened.
    pub kind: EventKind,
}

impl Event {
    /// The bytecode index is not known (a native method, a boundary call, the root).
    pub const NO_INDEX: u32 = u32::MAX;

    /// At level `calls` what a call was shown is looked at when it begins and when it ends. What is found at its
    /// beginning stands directly behind its [`EventKind::Enter`] and has this index; what is found at its end stands
    /// directly before its [`EventKind::Exit`] and has [`Event::NO_INDEX`]. Without that nothing would tell the two
    /// apart in a call in which nothing else happens.
    pub const AT_ENTER: u32 = 0;

    /// Takes all values out of it: what happened is told, and may be false ([`crate::LevelFact::doubted`]).
    pub fn doubt(&mut self) {
        const DOUBTED: Value = Value::Missing(Missing::Doubted);
        match &mut self.kind {
            EventKind::Enter {
                receiver,
                arguments,
                ..
            } => receiver
                .iter_mut()
                .chain(arguments)
                .for_each(|value| *value = DOUBTED),
            EventKind::Exit { outcome } => match outcome {
                Outcome::Returned(Some(value)) => *value = DOUBTED,
                Outcome::Returned(None) | Outcome::Threw(_) => *outcome = Outcome::Unknown,
                Outcome::Unknown => {}
            },
            EventKind::Write { value, .. } | EventKind::Snapshot { value, .. } => *value = DOUBTED,
            EventKind::Thrown { exception }
            | EventKind::Caught { exception }
            | EventKind::Uncaught { exception } => *exception = DOUBTED,
            EventKind::Content { change, .. } => change.doubt(),
            _ => {}
        }
    }

    /// Does it refer to this object: as receiver or argument, as what a call ended with, as what is written or found (or as the key of
    /// that), as an exception, or by its monitor? Not where a part of the object is written or read, where it is made, or where it is
    /// in what an object of the JDK holds.
    pub fn refers_to(&self, object: ObjectId) -> bool {
        let is = |value: &Value| *value == Value::Object(object);
        match &self.kind {
            EventKind::Enter {
                receiver,
                arguments,
                ..
            } => receiver.iter().chain(arguments).any(is),
            EventKind::Exit {
                outcome: Outcome::Returned(Some(value)) | Outcome::Threw(value),
            }
            | EventKind::Thrown { exception: value }
            | EventKind::Caught { exception: value }
            | EventKind::Uncaught { exception: value } => is(value),
            EventKind::Write { variable, value } | EventKind::Snapshot { variable, value } => {
                let key = match variable {
                    Variable::Content {
                        key: ContentKey::Key(key),
                        ..
                    } => Some(key),
                    _ => None,
                };
                is(value) || key.is_some_and(is)
            }
            EventKind::Monitor { object: of, .. } => *of == object,
            _ => false,
        }
    }

    /// The thread that the event happened in.
    pub fn thread(&self) -> ThreadId {
        self.call.thread
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EventKind {
    /// The thread began (or was there when the recording began).
    ThreadStart,
    /// The thread ended.
    ThreadEnd,
    /// A class of the scope was prepared in this thread (JVMS 5.4.2).
    ClassPrepared {
        /// The class.
        class: ClassId,
    },
    /// A call began. Its parent is the innermost running call of the thread.
    Enter {
        /// The method, constructor (`<init>`) or static initialiser (`<clinit>`).
        method: MethodId,
        /// `this`, for an instance method or constructor.
        receiver: Option<Value>,
        /// The arguments in declaration order; empty also for a boundary call whose arguments were not seen.
        arguments: Vec<Value>,
        /// Where in the parent's method the call stands: bytecode index of the invoke instruction,
        /// or [`Event::NO_INDEX`].
        call_site: u32,
        /// Is it a call from inside the scope to a method outside it?
        boundary: bool,
        /// The call was running when the recording began; its true beginning was not seen.
        already_running: bool,
    },
    /// A call ended.
    Exit {
        /// How.
        outcome: Outcome,
    },
    /// An object or array was created in scope.
    New {
        /// The object.
        object: ObjectId,
        /// Its class.
        class: ClassId,
        /// For an array, its length in elements.
        length: Option<u32>,
    },
    /// A variable was written.
    Write {
        /// The variable.
        variable: Variable,
        /// Its new value.
        value: Value,
    },
    /// A variable was read (level `full`).
    Use {
        /// The variable.
        variable: Variable,
    },
    /// A condition went this way (level `full`): from and to are bytecode indexes.
    Edge {
        /// The conditional instruction.
        from: u32,
        /// The instruction that came next.
        to: u32,
    },
    /// An exception was thrown in this call or arrived in it from outside the scope.
    Thrown {
        /// The exception object.
        exception: Value,
    },
    /// An exception was caught in this call; the event's index is the handler's beginning.
    Caught {
        /// The exception object.
        exception: Value,
    },
    /// An exception left the thread's last frame: it was caught by nobody.
    Uncaught {
        /// The exception object.
        exception: Value,
    },
    /// Something happened at a monitor.
    Monitor {
        /// What.
        action: MonitorAction,
        /// The monitor's object.
        object: ObjectId,
    },
    /// The value that a variable of an object had when the object was first seen, if it was not
    /// created in scope. Hidden from event lists: it starts the variable's history.
    Snapshot {
        /// The variable.
        variable: Variable,
        /// Its value.
        value: Value,
    },
    /// What an object of the JDK holds was found to be, or to have become, this.
    Content {
        /// The object.
        object: ObjectId,
        /// It was found so when the object was first seen, or met again: no change that the event's call
        /// made. Hidden from event lists, like [`EventKind::Snapshot`].
        snapshot: bool,
        /// What it holds from now on.
        change: Change,
    },
    /// Something of this call was not recorded; answers that need it must say so.
    Gap {
        /// Why, in words for people.
        reason: String,
        /// It reaches back: what was told of the call before, since its beginning, may be false.
        back: bool,
    },
}

impl EventKind {
    /// Does it only say what was found, of variables or contents, and no deed of the program? Such events are
    /// hidden from event lists.
    pub fn is_found(&self) -> bool {
        matches!(
            self,
            Self::Snapshot { .. } | Self::Content { snapshot: true, .. }
        )
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It returned; `None` from a `void` method or constructor.
    Returned(Option<Value>),
    /// It ended by this exception.
    Threw(Value),
    /// It ended, and how was not seen.
    Unknown,
}

/// What happened at a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MonitorAction {
    /// Entered it. Whether it had to wait for that is not told.
    Enter,
    /// Left it.
    Exit,
    /// Began `Object.wait`.
    Wait,
    /// `Object.wait` returned.
    Notified,
}
