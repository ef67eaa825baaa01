//! Objects of the JDK that libraries have: code out of the scope that is not the JDK's own may keep a list that it was
//! shown, and change it in calls that are not shown it. So once such code has run, what it has is looked at again
//! before the scope shows it to a call, and when the recording ends. Arrays and objects of the scope are `refresh`'s.
//!
//! A call whose receiver or arguments are not known may have changed any object, and so may code that ran unseen: then
//! all are looked at again.

use std::collections::VecDeque;
use std::time::Instant;

use jhyde_trace::{ObjectId, Sink, Value};

use crate::contents::methods::{Touches, touches};
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::outside::aliases::is_of_the_jdk;
use crate::events::thread::Thread;
use crate::mirror::{Body, is_known};
use crate::recorder::{At, Shown, parameters};

/// The most objects that are gone through from what one call was shown.
const MOST_GIVEN: usize = 256;

impl<S: Sink> Engine<S> {
    /// A call out of the scope is over. If it was a library's, that may have kept what it was shown and what it returned, with all that
    /// can be reached from it.
    pub(in crate::events) fn give(&mut self, shown: &Shown, result: Option<ObjectId>) {
        if shown.is_spun() {
            return;
        }
        let is_any = shown.has_more || has_unknown(shown);
        if is_any && touches(shown.named()) != Touches::Nothing {
            // Which objects it had nobody knows: it may have been any.
            self.anything_changed();
        }
        if is_of_the_jdk(&shown.named().class) {
            return;
        }
        self.recorder.known.contents.library_ran();
        self.hand_over(shown.objects());
        self.hand_over(result.as_slice());
    }

    /// Code out of the scope has these, with all that can be reached from them.
    pub(in crate::events) fn hand_over(&mut self, objects: &[ObjectId]) {
        let mut open: VecDeque<ObjectId> = objects.iter().copied().collect();
        let mut met: Vec<ObjectId> = Vec::new();
        while let Some(object) = open.pop_front() {
            if met.len() == MOST_GIVEN {
                break;
            }
            if met.contains(&object) {
                continue;
            }
            met.push(object);
            match self.recorder.known.heap.body(object) {
                Some(Body::Array(elements)) => {
                    open.extend(elements.references().filter_map(Value::object));
                }
                Some(Body::Fields(fields)) => {
                    open.extend(fields.iter().filter_map(|(_, value)| value.object()));
                }
                Some(Body::Text(_) | Body::Opaque) | None => {}
            }
            open.extend(self.recorder.known.contents.give(object));
        }
    }

    /// Code has run of which nobody knows what it did: any array, and whatever an object of the JDK holds, may be another.
    pub(in crate::events) fn anything_changed(&mut self) {
        self.recorder.known.heap.outside_ran();
        self.recorder.known.heap.anything_changed();
        self.recorder.known.contents.anything_changed();
    }

    /// The JVM stands still for the last time: what libraries did to what the scope never met again. What is not reached
    /// by then is counted.
    pub(in crate::events) fn look_into_given(
        &mut self,
        thread: &mut Thread,
        at: At,
        until: Instant,
    ) -> Result<usize, CaptureError> {
        self.recorder.known.contents.library_ran();
        let given = self.recorder.known.contents.all_given();
        for (done, &object) in given.iter().enumerate() {
            if Instant::now() > until {
                return Ok(given.len() - done);
            }
            self.look_into(thread, at, object, true)?;
        }
        Ok(0)
    }
}

/// Was it shown an object of which nobody knows which it is?
fn has_unknown(shown: &Shown) -> bool {
    let named = shown.named();
    let types = parameters(&named.descriptor);
    let unknown = |(value, kind): (&Value, &String)| {
        kind.starts_with(['L', '[']) && kind != "Ljava/lang/String;" && !is_known(*value)
    };
    // A call on null has thrown.
    (named.kind.has_receiver() && shown.receiver().is_none())
        || shown.arguments().iter().zip(&types).any(unknown)
}
