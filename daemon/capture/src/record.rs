//! A recording from its first event request to its end, on a thread of its own.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use jhyde_trace::{EngineKind, RecordingOptions, Sink, State};

use crate::connection::Connection;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::scope::Scope;

/// How somebody ends a recording. Either way the JVM is detached from and runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The recording ends as [`State::Detached`].
    Detach,
    /// The recording ends as [`State::Stopped`].
    Stop,
}

/// Ends a recording, or what is to become one, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// The order, and when it was given.
    order: Arc<OnceLock<(Ending, Instant)>>,
}

impl Controller {
    /// Asks for the end; the first order counts. Does not wait.
    pub fn end(&self, ending: Ending) {
        let _ = self.order.set((ending, Instant::now()));
    }

    /// How it is to end, once somebody has asked for it.
    pub fn order(&self) -> Option<Ending> {
        self.order.get().map(|(ending, _)| *ending)
    }

    /// Was the end asked for so long ago?
    pub(crate) fn waited(&self, patience: Duration) -> bool {
        let order = self.order.get();
        order.is_some_and(|(_, given)| given.elapsed() >= patience)
    }
}

/// What a recording leaves when it has ended.
pub struct Finished<S> {
    /// The sink, with all events in it.
    pub sink: S,
    /// How it ended.
    pub state: State,
    /// What a reader of the recording should know.
    pub notes: Vec<String>,
}

/// A recording under way.
pub struct Capture<S> {
    /// Gives nothing only when the recording did not begin, and then there is no `Capture`.
    thread: JoinHandle<Option<Finished<S>>>,
}

impl<S> fmt::Debug for Capture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").finish_non_exhaustive()
    }
}

impl<S> Capture<S> {
    /// Waits for the end.
    ///
    /// # Panics
    /// Never on account of the JVM; a panic of the capture thread is passed on.
    pub fn wait(self) -> Finished<S> {
        match self.thread.join() {
            Ok(Some(finished)) => finished,
            Ok(None) => unreachable!("a recording that has begun ends as finished"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Begins to record: sets the event requests, lets the JVM run, and returns. Whoever gave the connection its
/// [`Controller`] ends it, while it begins as well.
///
/// # Errors
/// The sink comes back with the reason; the JVM is left running.
pub fn record<S: Sink>(
    connection: Connection,
    options: RecordingOptions,
    sink: S,
) -> Result<Capture<S>, (S, CaptureError)> {
    if let Err(error) = supported(&options) {
        return Err((sink, error));
    }
    let scope = match Scope::new(&options.include, &options.exclude) {
        Ok(scope) => scope,
        Err(error) => return Err((sink, error.into())),
    };
    // The engine is made on its thread and never leaves it; the sink comes along through a slot, so
    // that it is not lost if there is no thread to be had.
    let sink = Arc::new(Mutex::new(Some(sink)));
    let slot = Arc::clone(&sink);
    let (tell, told) = mpsc::sync_channel::<Result<(), (S, CaptureError)>>(1);
    let spawned = thread::Builder::new()
        .name("capture".into())
        .spawn(move || {
            let sink = slot.lock().ok().and_then(|mut slot| slot.take())?;
            let mut engine = Engine::new(connection, scope, options, sink);
            match engine.begin() {
                Ok(()) => {
                    // If nobody listens any more, the recording goes on until it is ended.
                    let _ = tell.send(Ok(()));
                    Some(engine.run())
                }
                Err(error) => {
                    let _ = tell.send(Err((engine.abandon(), error)));
                    None
                }
            }
        });
    let thread = match spawned {
        Ok(thread) => thread,
        Err(error) => {
            let sink = sink.lock().ok().and_then(|mut slot| slot.take());
            let error = CaptureError::Link(error.into());
            return Err((sink.expect("no thread was there to take it"), error));
        }
    };
    match told.recv() {
        Ok(Ok(())) => Ok(Capture { thread }),
        Ok(Err(failed)) => Err(failed),
        Err(mpsc::RecvError) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => unreachable!("the capture thread tells how it began before it ends"),
        },
    }
}

/// Refuses what is not built yet.
fn supported(options: &RecordingOptions) -> Result<(), CaptureError> {
    if options.engine == EngineKind::Probe {
        return Err(CaptureError::Unsupported(
            "engine probe is not built yet: use engine events, or auto".into(),
        ));
    }
    Ok(())
}
