//! Calls that ran when the probe came. They go on in the code that they had, which tells nothing: what they write, and what they
//! change in collections, nobody sees. So a program that ran before is derived as one with code beside the scope ([`super::given`]): what
//! anybody but recorded calls has is in doubt whenever such code may run. That is behind each call that nobody of
//! the scope made; and, while a thread with such calls runs, at any time for all others. What they may do, and when they go on,
//! [`crate::probe::late`] says.

use jhyde_trace::{CallId, Event, EventKind, Missing, ObjectId, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Deriver;
use super::contents::LIBRARY;
use super::thread::Thread;
use crate::probe::others::Writable;
use crate::program::Program;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// Such calls may change something.
    pub(super) changes: bool,
    /// Threads with such calls that have gone on.
    gone_on: FxHashSet<jdwp::ThreadId>,
    /// The JVM may have others, which it does not show.
    hidden: bool,
    /// Whose logs are whose.
    logs: FxHashMap<u32, jdwp::ThreadId>,
    /// Objects that were there, by which others may be changed.
    opaque: FxHashSet<ObjectId>,
    /// They run beside the thread that is derived.
    pub(super) beside: bool,
}

/// Why it is not known what an object holds.
const LATE: &str = "a call that ran before the recording may have changed it";
const NOT_RECORDED: &str =
    "a call that ran before the recording, or code of a library, may have changed it";

impl Deriver {
    /// Why it is not known what an object holds that others have.
    pub(super) fn by_others(&self) -> &'static str {
        match (self.late.changes, self.names.has_others()) {
            (false, _) => LIBRARY,
            (true, false) => LATE,
            (true, true) => NOT_RECORDED,
        }
    }

    /// The program ran before: nothing is known of what it has made and written by then.
    pub(crate) fn arrives(&mut self) {
        self.reflects();
        self.also.reads = true;
        self.expects_births();
        self.running = true;
    }

    /// Calls run that may write these fields, and change what objects hold.
    pub(crate) fn changes_late(&mut self, writes: Writable) {
        self.late.changes = true;
        self.heap.give_all();
        self.doubts.may_write(&writes);
    }

    /// Do such calls run?
    pub(crate) fn has_late(&self) -> bool {
        self.late.changes
    }

    /// A thread has gone on that has calls which ran before.
    pub(crate) fn goes_on_late(&mut self, thread: jdwp::ThreadId) {
        self.late.gone_on.insert(thread);
    }

    /// Threads may run such calls that the JVM does not show.
    pub(crate) fn runs_hidden(&mut self) {
        self.changes_late(Writable::All);
        self.late.hidden = true;
    }

    /// This is a thread's log.
    pub(super) fn log_is_of(&mut self, log: u32, thread: jdwp::ThreadId) {
        self.late.logs.insert(log, thread);
    }

    /// This thread is derived from here on.
    pub(super) fn is_derived(&mut self, log: u32) {
        let own = self.late.logs.get(&log);
        let mut others = self.late.gone_on.iter();
        self.late.beside = self.late.hidden || others.any(|thread| own != Some(thread));
    }

    /// A call has ended that no recorded one had made: what comes now nobody sees.
    pub(super) fn leaves_to_late(&mut self, thread: &Thread, program: &Program) {
        if !self.late.changes || !thread.stack.is_empty() {
            return;
        }
        self.doubt_due(thread, program);
        if self.holdings.wanted {
            self.others_run(thread.current());
        }
    }

    /// What the thread has seen of what others have is so no longer for certain, where calls that tell nothing run beside it.
    pub(super) fn doubt_beside(&mut self, thread: &Thread, program: &Program) {
        if self.late.beside {
            self.doubt_due(thread, program);
        }
    }

    fn doubt_due(&mut self, thread: &Thread, program: &Program) {
        // What was met since is among what others have.
        self.others_have();
        if self.doubts.are_due() {
            self.doubt_given(program, thread.current());
        }
    }

    /// Something is read that the calls beside may have written since it was last: no earlier than now it is known to be so.
    pub(super) fn is_read_beside(&mut self, call: CallId, variable: Variable) {
        if self.late.beside && self.doubts.is_open(variable) {
            let value = Value::Missing(Missing::Unseen);
            let kind = EventKind::Snapshot { variable, value };
            self.outlet.event(call, Event::NO_INDEX, kind);
        }
    }

    /// May it be changed while it is told what it holds?
    pub(super) fn changes_beside(&mut self, object: ObjectId) -> bool {
        if !self.late.beside {
            return false;
        }
        self.others_have();
        let container = self.holdings.contents.get(object);
        container.is_some_and(|container| container.is_given)
    }

    /// An object came that was made when nobody looked. Of a function, an iterator or a view nobody knows what it changes.
    pub(super) fn is_met(&mut self, program: &Program, object: ObjectId) {
        if !self.running {
            return;
        }
        let class = self.heap.class(object);
        let name = class.and_then(|class| program.name_of(class));
        let is_function = name.is_some_and(|name| name.contains("$$Lambda"));
        if is_function || self.reaches_others(program, object) {
            self.late.opaque.insert(object);
        }
    }

    /// May one of these change what is not known to lie behind it?
    pub(super) fn is_opaque(&self, objects: &[ObjectId]) -> bool {
        objects
            .iter()
            .any(|object| self.late.opaque.contains(object))
    }
}
