//! A recording from its first event request to its end, on the thread that asks for it.

use std::fmt;

use jhyde_trace::{RecordingOptions, Sink};

use crate::control::Finished;
use crate::engine::Engine;
use crate::error::CaptureError;
use crate::jvm::Connection;
use crate::scope::Scope;

/// A recording that has begun: the JVM runs, and stands still at the next event until [`Capture::run`] handles it.
pub struct Capture<S>(Engine<S>);

impl<S> fmt::Debug for Capture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").finish_non_exhaustive()
    }
}

impl<S: Sink> Capture<S> {
    /// Sets what tells of the JVM, lets it run, and returns. Whoever gave the connection its
    /// [`Controller`](crate::Controller) ends it, while it begins as well.
    ///
    /// # Errors
    /// The sink comes back with the reason; the JVM is left running.
    pub fn begin(
        connection: Connection,
        options: RecordingOptions,
        sink: S,
    ) -> Result<Self, (S, CaptureError)> {
        let scope = match Scope::new(&options.include, &options.exclude) {
            Ok(scope) => scope,
            Err(error) => return Err((sink, error.into())),
        };
        let mut engine = Engine::choose(connection, scope, options, sink)?;
        match engine.begin() {
            Ok(()) => Ok(Self(engine)),
            Err(error) => Err((engine.abandon(), error)),
        }
    }

    /// Records until the JVM ends, the connection breaks, the sink takes no more or somebody ends it.
    pub fn run(self) -> Finished<S> {
        self.0.run()
    }
}
