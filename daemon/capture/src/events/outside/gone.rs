//! Objects that code out of the scope had, and that nobody can look at any more: the collector took them, or nothing
//! leads to them by which the JVM could be asked. Whether they were changed after the scope met them last nobody will
//! ever know: what they held since then is not recorded. One event says so of all that an object holds.

use jhyde_trace::{Change, ObjectId, Sink};

use crate::events::Engine;
use crate::mirror::Body;
use crate::recorder::At;

const GONE: &str =
    "code out of the scope had it, and it was gone before anybody could look at it again";

impl<S: Sink> Engine<S> {
    /// An object is gone: says so of all that may have changed unseen.
    pub(in crate::events) fn tell_gone(&mut self, at: At, object: ObjectId) {
        if self
            .recorder
            .known
            .contents
            .doubtful_since(object)
            .is_some()
        {
            self.recorder.lose_contents(at, object, GONE);
        }
        self.tell_unlooked(at, object);
    }

    /// The elements or fields of an object could not be looked at, although they may have changed unseen.
    pub(in crate::events) fn tell_unlooked(&mut self, at: At, object: ObjectId) {
        if let Some(since) = self
            .recorder
            .known
            .heap
            .doubtful_since(object)
            .filter(|_| self.holds(object))
        {
            self.recorder
                .content_event(at, object, true, Change::Gone { since });
        }
    }

    /// Has an object elements, or fields of the scope?
    fn holds(&self, object: ObjectId) -> bool {
        match self.recorder.known.heap.body(object) {
            Some(Body::Array(elements)) => elements.len() > 0,
            Some(Body::Fields(_)) => {
                let class = self.recorder.known.heap.class(object);
                let class = class.and_then(|class| self.recorder.known.program.class_of(class));
                class.is_some_and(|class| !class.instance_fields.is_empty())
            }
            _ => false,
        }
    }
}
