//! A JVM by a script, for tests of capture without one: a JDWP peer that has the classes that a test gives it, answers
//! what is asked of them and of its one thread's stack, and tells the events of the script one after the other, each
//! when the one before has let the thread go on. What was recorded ends in a list.
//!
//! It speaks through the types of the crate `jdwp`; what it is asked and does not know it refuses as a JVM would, and
//! [`Recorded::refused`] names it.

mod list;
mod peer;
mod tests;

use jdwp::types::{Location, MethodId, ReferenceTypeId, SuspendPolicy, ThreadId, TypeTag};
use jdwp::{Composite, Event, Value};
use jhyde_trace::{RecordingOptions, State};

pub(crate) use list::List;

use crate::control::Controller;
use crate::jvm::Connection;
use crate::record::Capture;

/// How long the peer may take to answer: it is this process.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// The thread.
pub(crate) const MAIN: ThreadId = ThreadId(1);

/// A class of the program.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Dotted binary name.
    pub(crate) name: &'static str,
    /// Its methods, whose ids are their positions.
    pub(crate) methods: Vec<Method>,
}

/// A static method.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// Simple name.
    pub(crate) name: &'static str,
    /// JVMS 4.3.3.
    pub(crate) descriptor: &'static str,
    /// Bytecode indices and the lines that begin there.
    pub(crate) lines: Vec<(u64, i32)>,
    /// JVMS 4.7.3.
    pub(crate) code: Vec<u8>,
}

/// A frame of the thread.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    class: usize,
    method: usize,
    index: u64,
    /// What its slots hold.
    slots: Vec<Value>,
}

impl Frame {
    fn location(&self) -> Location {
        Location {
            type_tag: TypeTag::CLASS,
            class: ReferenceTypeId(self.class as u64 + 1),
            method: MethodId(self.method as u64),
            index: self.index,
        }
    }
}

/// What the JVM tells, and the stack, outermost frame first, at that time.
#[derive(Clone, Debug)]
struct Step {
    told: Composite,
    stack: Vec<Frame>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    classes: Vec<Class>,
    steps: Vec<Step>,
    stack: Vec<Frame>,
    /// Added to the names that HotSpot gives its frames.
    frames_from: u64,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// All that was recorded.
    pub(crate) list: List,
    /// How it ended.
    pub(crate) state: State,
    /// Commands that the peer did not know.
    pub(crate) refused: Vec<String>,
    /// How often the thread was to go on, and how often it stood still.
    pub(crate) resumed: (usize, usize),
}

impl Script {
    /// A program of these classes, none of which is loaded yet.
    pub(crate) fn of(classes: Vec<Class>) -> Self {
        Self {
            classes,
            ..Self::default()
        }
    }

    /// In a JVM that names its frames otherwise than HotSpot.
    pub(crate) fn with_other_frames(self) -> Self {
        Self {
            frames_from: 1000,
            ..self
        }
    }

    /// A class is loaded.
    pub(crate) fn prepare(self, class: usize) -> Self {
        let signature = format!("L{};", self.classes[class].name.replace('.', "/"));
        let event = Event::ClassPrepare {
            request: peer::REQUEST,
            thread: MAIN,
            type_tag: TypeTag::CLASS,
            type_id: ReferenceTypeId(class as u64 + 1),
            signature: signature.as_str().into(),
            status: jdwp::types::ClassStatus::all(),
        };
        self.tell(SuspendPolicy::EVENT_THREAD, event)
    }

    /// A method is called from an instruction of the innermost frame, with these arguments in its slots.
    pub(crate) fn enter(
        mut self,
        from: u64,
        (class, method): (usize, usize),
        slots: &[Value],
    ) -> Self {
        if let Some(caller) = self.stack.last_mut() {
            caller.index = from;
        }
        let frame = Frame {
            class,
            method,
            index: 0,
            slots: slots.to_vec(),
        };
        let location = frame.location();
        self.stack.push(frame);
        let event = Event::MethodEntry {
            request: peer::REQUEST,
            thread: MAIN,
            location,
        };
        self.tell(SuspendPolicy::EVENT_THREAD, event)
    }

    /// The innermost method returns.
    pub(crate) fn exit(mut self, index: u64, value: Value) -> Self {
        let Some(frame) = self.stack.last_mut() else {
            return self;
        };
        frame.index = index;
        let event = Event::MethodExitWithReturnValue {
            request: peer::REQUEST,
            thread: MAIN,
            location: frame.location(),
            value,
        };
        let mut told = self.tell(SuspendPolicy::NONE, event);
        told.stack.pop();
        told
    }

    /// Whatever else.
    pub(crate) fn tell(mut self, suspend_policy: SuspendPolicy, event: Event) -> Self {
        let stack = self.stack.clone();
        let told = Composite {
            suspend_policy,
            events: vec![event],
        };
        self.steps.push(Step { told, stack });
        self
    }

    /// Records it, to the death of the JVM.
    pub(crate) fn record(self, options: RecordingOptions) -> Recorded {
        self.record_into(List::default(), options)
    }

    /// The same, into a list.
    pub(crate) fn record_into(self, list: List, options: RecordingOptions) -> Recorded {
        let death = Event::VmDeath {
            request: peer::REQUEST,
        };
        let whole = self.tell(SuspendPolicy::ALL, death);
        let (address, peer) = peer::listen(whole);
        let controller = Controller::default();
        let connection = Connection::attach(&address, PATIENCE, &controller).expect("a peer");
        let capture = Capture::begin(connection, options, list);
        let capture = capture.map_err(|(_, error)| error).expect("it begins");
        let finished = capture.run();
        let (refused, resumed) = peer.join().expect("the peer does not fail");
        Recorded {
            list: finished.sink,
            state: finished.state,
            refused,
            resumed,
        }
    }
}
