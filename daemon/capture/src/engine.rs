//! What records a JVM: one of the engines that there are.

use jhyde_trace::{EngineKind, RecordingOptions, Sink};

use crate::control::Finished;
use crate::error::CaptureError;
use crate::events;
use crate::jvm::Connection;
use crate::probe;
use crate::scope::Scope;

/// An engine and the JVM that it has.
pub(crate) enum Engine<S> {
    /// By event requests alone.
    Events(Box<events::Engine<S>>),
    /// By code that is put into the classes.
    Probe(Box<probe::Engine<S>>),
}

impl<S: Sink> Engine<S> {
    /// The engine that the options choose; `auto` takes `events`.
    ///
    /// # Errors
    /// It is not built yet; the sink comes back.
    pub(crate) fn choose(
        connection: Connection,
        scope: Scope,
        options: RecordingOptions,
        sink: S,
    ) -> Result<Self, (S, CaptureError)> {
        match options.engine {
            EngineKind::Auto | EngineKind::Events => {
                let engine = events::Engine::new(connection, scope, options, sink);
                Ok(Self::Events(Box::new(engine)))
            }
            EngineKind::Probe => {
                let engine = probe::Engine::new(connection, scope, options, sink);
                Ok(Self::Probe(Box::new(engine)))
            }
        }
    }

    /// Sets what tells of the JVM, and lets it run.
    pub(crate) fn begin(&mut self) -> Result<(), CaptureError> {
        match self {
            Self::Events(engine) => engine.begin(),
            Self::Probe(engine) => engine.begin(),
        }
    }

    /// Drives the JVM until the recording ends.
    pub(crate) fn run(self) -> Finished<S> {
        match self {
            Self::Events(engine) => engine.run(),
            Self::Probe(engine) => engine.run(),
        }
    }

    /// Leaves a JVM of which nothing was recorded as it was.
    pub(crate) fn abandon(self) -> S {
        match self {
            Self::Events(engine) => engine.abandon(),
            Self::Probe(engine) => engine.abandon(),
        }
    }
}
