//! What leaves an engine: events in the order in which they happened, what is known of their objects, classes and
//! threads, and notes. Events are made here, but for the beginnings of objects, whose call only their arrival knows.

use jhyde_trace::{
    CallId, ClassInfo, Event, EventKind, Level, ObjectId, ObjectInfo, RecordingOptions, Sink,
    SinkError, ThreadId, ThreadInfo,
};
use rustc_hash::FxHashSet;

use crate::arrivals::{Arrivals, Ticket};

/// So many different oddities are named.
const MOST_ODDITIES: usize = 20;

/// Where something is told, and of which call of which thread.
pub(crate) type At = (Ticket, jdwp::ThreadId, CallId);

/// See the module.
pub(crate) struct Outlet<S> {
    pub(crate) arrivals: Arrivals,
    sink: S,
    pub(crate) options: RecordingOptions,
    notes: Vec<String>,
    /// What the protocol does not allow and the JVM did, each in words and once.
    oddities: FxHashSet<String>,
}

impl<S> Outlet<S> {
    pub(crate) fn new(options: RecordingOptions, sink: S) -> Self {
        Self {
            arrivals: Arrivals::default(),
            sink,
            options,
            notes: Vec::new(),
            oddities: FxHashSet::default(),
        }
    }

    /// Does it take writes and what objects begin with?
    pub(crate) fn records_state(&self) -> bool {
        self.options.level >= Level::State
    }

    /// Does it take uses and edges, too?
    pub(crate) fn records_all(&self) -> bool {
        self.options.level == Level::Full
    }

    /// Tells what happened in a call, at a bytecode index.
    pub(crate) fn tell(&mut self, ticket: Ticket, (call, index): (CallId, u32), kind: EventKind) {
        self.arrivals.event(ticket, Event { call, index, kind });
    }

    /// Tells what happened in a call, and at none of its instructions.
    pub(crate) fn tell_of(&mut self, ticket: Ticket, call: CallId, kind: EventKind) {
        self.arrivals.event(ticket, of_call(call, kind));
    }

    /// Tells what belongs to a thread and to no call of it.
    pub(crate) fn tell_of_thread(&mut self, ticket: Ticket, thread: ThreadId, kind: EventKind) {
        self.tell_of(ticket, CallId::root(thread), kind);
    }

    /// Something of a call is not known from here on.
    pub(crate) fn doubt(&mut self, ticket: Ticket, call: CallId, reason: &str) {
        self.tell_of(ticket, call, gap(reason));
    }

    /// What was told of a call up to here may be false.
    pub(crate) fn take_back(&mut self, ticket: Ticket, call: CallId, reason: &str) {
        let reason = reason.to_owned();
        self.tell_of(ticket, call, EventKind::Gap { reason, back: true });
    }

    /// Adds what is known of an object.
    pub(crate) fn object(&mut self, ticket: Ticket, object: ObjectId, info: ObjectInfo) {
        self.arrivals.object(ticket, object, info);
    }

    /// Tells of a thread; its events come behind.
    pub(crate) fn thread(&mut self, info: ThreadInfo) -> Result<(), SinkError>
    where
        S: Sink,
    {
        self.sink.thread(info)
    }

    /// Tells of classes; what refers to them comes behind.
    pub(crate) fn classes(
        &mut self,
        classes: impl IntoIterator<Item = ClassInfo>,
    ) -> Result<(), SinkError>
    where
        S: Sink,
    {
        for class in classes {
            self.sink.class(class)?;
        }
        Ok(())
    }

    /// Lets all leave that is complete.
    pub(crate) fn leave(&mut self) -> Result<(), SinkError>
    where
        S: Sink,
    {
        self.arrivals.leave(&mut self.sink)
    }

    /// Lets all leave as it is: nothing more will be answered.
    pub(crate) fn leave_all(&mut self) -> Result<(), SinkError>
    where
        S: Sink,
    {
        self.arrivals.leave_all(&mut self.sink)
    }

    /// What a reader of the recording should know.
    pub(crate) fn note(&mut self, words: String) {
        self.notes.push(words);
    }

    /// What the protocol does not allow, and a JVM does all the same: noted once.
    pub(crate) fn note_oddity(&mut self, words: String) {
        if self.oddities.len() < MOST_ODDITIES && self.oddities.insert(words.clone()) {
            tracing::warn!("{words}");
            self.note(words);
        }
    }

    /// The sink and the notes, when all is told.
    pub(crate) fn finish(self) -> (S, Vec<String>) {
        (self.sink, self.notes)
    }
}

/// An event of a call, and of none of its instructions.
pub(crate) fn of_call(call: CallId, kind: EventKind) -> Event {
    let index = Event::NO_INDEX;
    Event { call, index, kind }
}

/// Something is not known from here on.
pub(crate) fn gap(reason: &str) -> EventKind {
    let reason = reason.to_owned();
    let back = false;
    EventKind::Gap { reason, back }
}
