//! What the protocol does not allow, and a JVM (or whoever speaks in its place) does all the same: it is named in the
//! recording's notes, and nobody stays suspended by it.

use jdwp::commands::{thread_reference, virtual_machine};
use jdwp::{Composite, Event, SuspendPolicy};
use jhyde_trace::Sink;

use super::{Engine, LONG_SILENCE};
use crate::error::CaptureError;

/// So many different oddities are named.
const MOST: usize = 20;

impl<S: Sink> Engine<S> {
    fn note_oddity(&mut self, words: String) {
        if self.oddities.len() < MOST && self.oddities.insert(words.clone()) {
            tracing::warn!("{words}");
            self.notes.push(words);
        }
    }

    /// Names what is odd. Events of several threads that came together are given back thread by thread.
    pub(super) fn note_oddities(&mut self, composite: &Composite) -> Option<Vec<Composite>> {
        let policy = composite.suspend_policy;
        let known = [
            SuspendPolicy::NONE,
            SuspendPolicy::EVENT_THREAD,
            SuspendPolicy::ALL,
        ];
        if !known.contains(&policy) {
            self.note_oddity(format!(
                "the JVM told events with suspend policy {}, which does not exist: all threads were resumed",
                policy.0
            ));
        }
        if let Some(Event::Unknown { kind, .. }) = composite.events.last() {
            self.note_oddity(format!(
                "the JVM told events of kind {}, which jhyde does not know: they are not recorded",
                kind.0
            ));
        }
        let first = composite.thread();
        let others = |event: &Event| event.thread().is_some() && event.thread() != first;
        if !composite.events.iter().any(others) {
            return None;
        }
        self.note_oddity("the JVM told events of several threads as one".to_owned());
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

    /// A JVM that stands at its start loses a resume that comes too early, and then says nothing for ever. As long as
    /// it has told nothing, it is asked now and then, ever more rarely, and resumed if all its threads stand.
    pub(super) fn nudge(&mut self) -> Result<(), CaptureError> {
        if self.nudge != Some(self.silence) {
            return Ok(());
        }
        self.nudge = Some((self.silence * 2).max(LONG_SILENCE));
        let threads = self.link.request(&virtual_machine::AllThreads)?;
        let asked = threads.unwrap_or_default().into_iter();
        let asked = asked.map(|thread| thread_reference::SuspendCount { thread });
        let counts = self.link.request_all(asked)?;
        let mut told = counts.into_iter().flatten().peekable();
        let stand = told.peek().is_some() && told.all(|count| count > 0);
        if stand && !self.link.has_backlog() {
            tracing::warn!("the JVM has not gone on: it is resumed once more");
            self.resume_all();
            self.link.flush()?;
        }
        Ok(())
    }
}
