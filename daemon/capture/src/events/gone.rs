//! Objects that code out of the scope had, and that nobody can look at any more: the collector took them, or nothing
//! leads to them by which the JVM could be asked. Whether they were changed after the scope met them last nobody will
//! ever know: what they held since then is not recorded. One event says so of all that an object holds.

use jhyde_trace::{Change, ObjectId, Sink};

use super::Engine;
use super::contents::At;

const GONE: &str =
    "code out of the scope had it, and it was gone before anybody could look at it again";

impl<S: Sink> Engine<S> {
    /// An object is gone: says so of all that may have changed unseen.
    pub(super) fn tell_gone(&mut self, at: At, object: ObjectId) {
        if self.contents.doubtful_since(object).is_some() {
            self.lose_contents(at, object, GONE);
        }
        self.tell_unlooked(at, object);
    }

    /// The elements or fields of an object could not be looked at, although they may have changed unseen.
    pub(super) fn tell_unlooked(&mut self, at: At, object: ObjectId) {
        if let Some(since) = self.heap.doubtful_since(object) {
            self.content_event(at, object, true, Change::Gone { since });
        }
    }
}
