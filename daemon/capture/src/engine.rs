//! What records a JVM: one of the engines that there are, and which of them `auto` takes.

use std::path::Path;

use jdwp::commands::virtual_machine;
use jhyde_trace::{EngineKind, Level, ProbeLog, RecordingOptions, Sink, State};

use crate::control::Finished;
use crate::error::{CaptureError, LinkError};
use crate::events;
use crate::jvm::Connection;
use crate::probe::{self, Ran, Unfit};
use crate::scope::Scope;

/// The first JDK that has what the probe's own classes are compiled for.
const PROBED_FROM: i32 = 17;

impl Connection {
    /// The engine that `auto` takes for this JVM, and why: `probe`, unless it cannot.
    ///
    /// # Errors
    /// The connection broke.
    fn engine(
        &mut self,
        scope: &Scope,
        options: &RecordingOptions,
    ) -> Result<(EngineKind, &'static str), LinkError> {
        let abilities = self.link.request(&virtual_machine::CapabilitiesNew)?;
        let redefines = abilities.is_ok_and(|abilities| abilities.can_redefine_classes);
        let paths = self.class_paths()?;
        let folder = Path::new(&paths.folder);
        let is_here = |entry: &String| folder.join(entry).exists();
        let why_not = if self.version < PROBED_FROM {
            "'probe' needs a JVM of Java 17 or later"
        } else if !redefines {
            "this JVM does not let the code of classes be replaced, as 'probe' does"
        } else if scope.names_the_jdk() {
            "the scope names classes of the JDK, into which 'probe' puts no code"
        } else if !paths.entries.iter().any(is_here) {
            "nothing of the JVM's class path can be read from here, as 'probe' does"
        } else if options.level == Level::Calls && options.snapshots.depth > 0 {
            "at level calls 'probe' takes no snapshots of what arguments hold (--snapshot-depth 0 is without)"
        } else {
            return Ok((
                EngineKind::Probe,
                "the program runs at nearly its own speed, its threads one at a time (--engine events asks the JVM for more of what collections hold)",
            ));
        };
        Ok((EngineKind::Events, why_not))
    }
}

/// An engine and the JVM that it has.
pub(crate) enum Engine<S> {
    /// By event requests alone.
    Events(Box<events::Engine<S>>),
    /// By code that is put into the classes.
    Probe(Box<probe::Engine<S>>),
}

impl<S: Sink> Engine<S> {
    /// The engine that the options choose; the sink is told which, where they leave it open.
    ///
    /// # Errors
    /// The connection broke, or the sink takes nothing; it comes back.
    pub(crate) fn choose(
        mut connection: Connection,
        scope: Scope,
        options: RecordingOptions,
        mut sink: S,
    ) -> Result<Self, (S, CaptureError)> {
        let mut engine = options.engine;
        if engine == EngineKind::Auto {
            let chosen = connection.engine(&scope, &options);
            let told = chosen.map_err(CaptureError::from).and_then(|(kind, why)| {
                let why = match kind {
                    EngineKind::Events => without_log(&options, why.to_owned()),
                    EngineKind::Auto | EngineKind::Probe => why.to_owned(),
                };
                sink.engine(kind, why)?;
                Ok(kind)
            });
            match told {
                Ok(kind) => engine = kind,
                Err(error) => return Err((sink, error)),
            }
        }
        match engine {
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
            Self::Probe(engine) => match engine.run() {
                Ran::Finished(finished) => finished,
                Ran::Unfit(unfit) => by_events(*unfit),
            },
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

/// The engine `events` goes on where the probe was about to begin: the JVM stands still, and nothing of the scope has run.
fn by_events<S: Sink>(unfit: Unfit<S>) -> Finished<S> {
    let Unfit {
        connection,
        scope,
        options,
        mut sink,
        reason,
    } = unfit;
    let failed = |sink, error: &dyn std::fmt::Display| Finished {
        sink,
        state: State::Failed {
            reason: error.to_string(),
        },
        notes: Vec::new(),
    };
    let told = sink.engine(EngineKind::Events, without_log(&options, reason));
    let mut engine = events::Engine::new(connection, scope, options, sink);
    match told {
        Ok(()) => match engine.begin_standing() {
            Ok(()) => engine.run(),
            Err(error) => failed(engine.abandon(), &error),
        },
        Err(error) => failed(engine.abandon(), &error),
    }
}

/// Why the engine `events` was taken, which has no log: somebody may have asked for one.
fn without_log(options: &RecordingOptions, why: String) -> String {
    match options.probe_log {
        ProbeLog::Auto => why,
        log => format!("{why}; it has no log, so that '{log}' says nothing"),
    }
}
