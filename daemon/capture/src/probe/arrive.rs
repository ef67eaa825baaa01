//! The way into a JVM that runs already: nothing of its past is known, so that everything that is read is told.
//!
//! Methods are invoked, and so the probe class is defined, in a thread that an event has suspended. There the first method of the scope that
//! is entered, or class that is prepared, is waited for. Then all classes of the scope that are loaded
//! get their code at once, while the JVM stands still. What runs in them goes on in the code that it had until it returns: to the recording
//! that is code out of the scope ([`super::late`]).

use std::rc::Rc;

use jdwp::commands::{event_request, virtual_machine};
use jdwp::{ClassStatus, EventKind, ReferenceTypeId, SuspendPolicy, ThreadId};
use jhyde_trace::Sink;

use super::code::Made;
use super::engine::Engine;
use crate::error::CaptureError;
use crate::program::Class;

impl<S: Sink> Engine<S> {
    /// The JVM runs: what instrumented code tells besides, and what is derived.
    pub(super) fn expect_arrival(&mut self) {
        self.running = true;
        self.also.births = true;
        self.also.reads = true;
        self.deriver.arrives();
    }

    /// Asks for the first method of the scope that is entered.
    pub(super) fn request_arrival(&mut self) -> Result<(), CaptureError> {
        if self.running {
            for modifiers in self.program.scope().requests() {
                let suspend = SuspendPolicy::EVENT_THREAD;
                let scout = self.request(EventKind::METHOD_ENTRY, suspend, modifiers)?;
                self.scouts.push(scout);
            }
        }
        Ok(())
    }

    /// A thread has entered a method of the scope, or prepares a class of it, and stands still: the classes that are loaded get
    /// their code.
    pub(super) fn arrive(&mut self, thread: ThreadId) -> Result<(), CaptureError> {
        for scout in std::mem::take(&mut self.scouts) {
            let clear = event_request::Clear {
                event_kind: EventKind::METHOD_ENTRY,
                request: scout,
            };
            self.link.request(&clear)??;
        }
        self.define(thread)?;
        // While the others run: what they hold may be needed for the answers.
        let loaded = self.loaded()?;
        let made = self.make(Some(thread), loaded)?;
        self.link.suspend_all()??;
        let done = self.find_late().and_then(|late| {
            self.instrument_loaded(made)?;
            self.await_late(late)
        });
        self.link.resume_all();
        self.link.flush()?;
        done
    }

    fn instrument_loaded(&mut self, made: Made) -> Result<(), CaptureError> {
        let loaded = self.loaded()?;
        tracing::debug!(classes = loaded.len(), "a running JVM is reached");
        let since: Vec<_> = loaded
            .into_iter()
            .filter(|(_, known)| !made.has(known))
            .collect();
        self.put_in(made)?;
        self.instrument(None, since)?;
        self.notes
            .push(jhyde_trace::RecordingMeta::REACHED_LATE.to_owned());
        Ok(())
    }

    /// The classes of the scope that are loaded and prepared.
    fn loaded(&mut self) -> Result<Vec<(ReferenceTypeId, Rc<Class>)>, CaptureError> {
        let mut found = Vec::new();
        for loaded in self.link.request(&virtual_machine::AllClasses)?? {
            let signature = loaded.signature.to_string_lossy();
            let is_ready = loaded.status.contains(ClassStatus::PREPARED);
            if !signature.starts_with('L') || !is_ready {
                continue;
            }
            let name = jhyde_bytecode::signature_to_name(&signature).unwrap_or_default();
            if !self.program.scope().covers(&name, true) {
                continue;
            }
            let class = loaded.type_id;
            let known = self
                .program
                .class_with_signature(&mut self.link, class, &signature)?;
            if !known.in_scope {
                continue;
            }
            if loaded.status.contains(ClassStatus::INITIALIZED) {
                self.deriver.was_initialised(class);
            }
            found.push((class, known));
        }
        Ok(found)
    }
}
