//! What is told: events and objects on their way into the sink, in order.

use jhyde_trace::{
    CallId, ClassId, Content, Event, EventKind, Level, ObjectId, ObjectInfo, Sink, SinkError, Text,
    ThreadId,
};
use rustc_hash::FxHashSet;

/// So many events go into the sink at once.
const CHUNK: usize = 4096;

/// See the module.
#[derive(Debug)]
pub(super) struct Outlet {
    /// What is told: see [`told_at`].
    level: Level,
    events: Vec<Event>,
    objects: Vec<(ObjectId, ObjectInfo)>,
    drained: u64,
    /// Threads of which something was told, and that of the last event.
    begun: FxHashSet<ThreadId>,
    last: Option<ThreadId>,
}

impl Outlet {
    pub(super) fn new(level: Level) -> Self {
        Self {
            level,
            events: Vec::new(),
            objects: Vec::new(),
            drained: 0,
            begun: FxHashSet::default(),
            last: None,
        }
    }

    /// Are reads and branches told?
    pub(super) fn is_full(&self) -> bool {
        self.level == Level::Full
    }

    /// From now on so much is told.
    pub(super) fn lower(&mut self, level: Level) {
        self.level = level;
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// A thread's log begins to be written when it is started or runs; that it has begun is told right before what it did first, as
    /// what others did before that may be told only later.
    pub(super) fn begins(&mut self, thread: ThreadId) {
        if self.last == Some(thread) {
            return;
        }
        self.last = Some(thread);
        if self.begun.insert(thread) {
            self.events.push(Event {
                call: CallId::root(thread),
                index: Event::NO_INDEX,
                kind: EventKind::ThreadStart,
            });
        }
    }

    pub(super) fn event(&mut self, call: CallId, index: u32, kind: EventKind) {
        self.begins(call.thread);
        if self.level >= told_at(&kind) {
            self.events.push(Event { call, index, kind });
        }
    }

    /// Says what is known of an object, before the first event that refers to it.
    pub(super) fn object(&mut self, object: ObjectId, class: Option<ClassId>, content: Content) {
        let info = ObjectInfo { class, content };
        self.objects.push((object, info));
    }

    /// Is there enough to be worth the way?
    pub(super) fn has_enough(&self) -> bool {
        self.events.len() >= CHUNK
    }

    /// The timestamp of the next event.
    pub(super) fn now(&self) -> u64 {
        self.drained + self.events.len() as u64
    }

    /// Gives all to the sink.
    pub(super) fn drain(&mut self, sink: &mut impl Sink) -> Result<(), SinkError> {
        for (object, info) in self.objects.drain(..) {
            sink.object(object, info)?;
        }
        if !self.events.is_empty() {
            self.drained += self.events.len() as u64;
            sink.append(std::mem::take(&mut self.events))?;
        }
        Ok(())
    }
}

/// From which level on something is told (design, section 3).
fn told_at(kind: &EventKind) -> Level {
    match kind {
        EventKind::Use { .. } | EventKind::Edge { .. } => Level::Full,
        EventKind::New { .. }
        | EventKind::Write { .. }
        | EventKind::Snapshot { .. }
        | EventKind::Content { .. }
        | EventKind::Monitor { .. } => Level::State,
        _ => Level::Calls,
    }
}

/// The beginning of a text, cut at a limit of UTF-16 units, but not between the halves of a surrogate pair.
pub(super) fn cut(units: &[u16], length: u32, limit: u32) -> Text {
    let mut end = units.len().min(limit as usize);
    if end < units.len() && end > 0 && (0xD800..0xDC00).contains(&units[end - 1]) {
        end -= 1;
    }
    Text {
        prefix: units[..end].into(),
        length,
    }
}
