//! What is told: events and objects on their way into the sink, in order.

use jhyde_trace::{
    CallId, ClassId, Content, Event, EventKind, ObjectId, ObjectInfo, Sink, SinkError, Text,
};

/// So many events go into the sink at once.
const CHUNK: usize = 4096;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Outlet {
    events: Vec<Event>,
    objects: Vec<(ObjectId, ObjectInfo)>,
    drained: u64,
}

impl Outlet {
    pub(super) fn event(&mut self, call: CallId, index: u32, kind: EventKind) {
        self.events.push(Event { call, index, kind });
    }

    /// Says what is known of an object, before the first event that refers to it.
    pub(super) fn object(&mut self, object: ObjectId, class: Option<ClassId>, content: Content) {
        let info = ObjectInfo { class, content };
        self.objects.push((object, info));
    }

    /// Is there enough to be worth the way?
    pub(super) fn is_full(&self) -> bool {
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
