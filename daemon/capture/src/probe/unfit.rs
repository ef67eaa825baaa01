//! A program that the probe cannot record, which shows at the first class of the scope that has code: then nothing was
//! recorded, no code was put into classes, and another engine can begin as if there had been none.

use std::rc::Rc;

use jdwp::commands::event_request;
use jdwp::{ReferenceTypeId, ThreadId};
use jhyde_trace::{RecordingOptions, Sink};

use super::classes::FIRST;
use super::engine::Engine;
use crate::control::Finished;
use crate::error::{CaptureError, LinkError};
use crate::jvm::Connection;
use crate::program::Class;
use crate::scope::Scope;

/// How the engine came to its end.
pub(crate) enum Ran<S> {
    /// With the recording.
    Finished(Finished<S>),
    /// Before it.
    Unfit(Box<Unfit<S>>),
}

/// A JVM that stands still and is left to another engine.
pub(crate) struct Unfit<S> {
    pub(crate) connection: Connection,
    pub(crate) scope: Scope,
    pub(crate) options: RecordingOptions,
    pub(crate) sink: S,
    pub(crate) reason: String,
}

impl<S: Sink> Engine<S> {
    /// Why the first class that has code, which this thread prepares, cannot be recorded; `None`: it can, and the probe begins. A file is
    /// to lie on the class path, or where the class says that it comes from, of the shape that the JVM has or of another, which an agent has changed: then the JVM gives its own.
    /// Where there is none, that class is of an agent itself, which the JVM runs in the middle of instructions, or the class path is not to be read from here.
    pub(super) fn unfit(
        &mut self,
        thread: ThreadId,
        class: ReferenceTypeId,
        known: &Rc<Class>,
    ) -> Result<Option<String>, CaptureError> {
        self.find_origin(thread, class, known)?;
        let found = match self.deriver.names.dotted(&known.name) {
            Some(_) => self.find(thread, class, known)?,
            None => self.file(known),
        };
        let made = found.and_then(|file| self.code(class, known, file, FIRST));
        let reason = made.err();
        Ok(reason.map(|reason| format!("'probe' cannot record {}: {reason}", known.name)))
    }

    /// Leaves the JVM, from which it has withdrawn, to another engine.
    pub(super) fn hand_over(self, reason: String) -> Unfit<S> {
        Unfit {
            connection: Connection {
                link: self.link,
                identity: self.identity,
                version: self.version,
                came: self.came,
                guard: self.guard,
                controller: self.controller,
            },
            scope: self.program.scope().clone(),
            options: self.options,
            sink: self.sink,
            reason,
        }
    }

    /// All threads stand, each once, and nothing is asked for any more. An event has suspended this one.
    pub(super) fn withdraw(&mut self, thread: ThreadId) -> Result<(), LinkError> {
        self.link.suspend_all()??;
        self.link.resume(thread);
        for (event_kind, request) in std::mem::take(&mut self.requests) {
            self.link.request(&event_request::Clear {
                event_kind,
                request,
            })??;
        }
        Ok(())
    }
}
