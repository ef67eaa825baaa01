//! What the protocol does not allow, and a JVM (or whoever speaks in its place) does all the same: it is named in the
//! recording's notes, and nobody stays suspended by it.

use jdwp::{Composite, Event, SuspendPolicy};
use jhyde_trace::Sink;

use super::Engine;

impl<S: Sink> Engine<S> {
    /// Names what is odd. Events of several threads that came together are given back thread by thread.
    pub(super) fn note_oddities(&mut self, composite: &Composite) -> Option<Vec<Composite>> {
        let policy = composite.suspend_policy;
        let known = [
            SuspendPolicy::NONE,
            SuspendPolicy::EVENT_THREAD,
            SuspendPolicy::ALL,
        ];
        if !known.contains(&policy) {
            self.recorder.outlet.note_oddity(format!(
                "the JVM told events with suspend policy {}, which does not exist: all threads were resumed",
                policy.0
            ));
        }
        if let Some(Event::Unknown { kind, .. }) = composite.events.last() {
            self.recorder.outlet.note_oddity(format!(
                "the JVM told events of kind {}, which jhyde does not know: they are not recorded",
                kind.0
            ));
        }
        let first = composite.thread();
        let others = |event: &Event| event.thread().is_some() && event.thread() != first;
        if !composite.events.iter().any(others) {
            return None;
        }
        self.recorder
            .outlet
            .note_oddity("the JVM told events of several threads as one".to_owned());
        let mut parts: Vec<Composite> = Vec::new();
        for event in &composite.events {
            let own = |part: &&mut Composite| match (part.thread(), event.thread()) {
                (Some(one), Some(other)) => one == other,
                _ => true,
            };
            match parts.last_mut().filter(own) {
                Some(part) => part.events.push(event.clone()),
                None => parts.push(Composite {
                    suspend_policy: policy,
                    events: vec![event.clone()],
                }),
            }
        }
        Some(parts)
    }
}
