//! A recording from its first event request to its end, on a thread of its own.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};

use jhyde_trace::{EngineKind, RecordingOptions, State};

use crate::connection::Connection;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::scope::Scope;
use crate::sink::Sink;

/// How somebody ends a recording. Either way the JVM is detached from and runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The recording ends as [`State::Detached`].
    Detach,
    /// The recording ends as [`State::Stopped`].
    Stop,
}

/// Ends a recording from any thread.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// 0: go on; 1: detach; 2: stop.
    order: Arc<AtomicU8>,
}

impl Controller {
    /// Asks for the end; the first order counts. Does not wait.
    pub fn end(&self, ending: Ending) {
        let order = match ending {
            Ending::Detach => 1,
            Ending::Stop => 2,
        };
        let _ = self
            .order
            .compare_exchange(0, order, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn order(&self) -> Option<Ending> {
        match self.order.load(Ordering::Relaxed) {
            1 => Some(Ending::Detach),
            2 => Some(Ending::Stop),
            _ => None,
        }
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
    controller: Controller,
    /// Gives nothing only when the recording did not begin, and then there is no `Capture`.
    thread: JoinHandle<Option<Finished<S>>>,
}

impl<S> fmt::Debug for Capture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("controller", &self.controller)
            .finish_non_exhaustive()
    }
}

impl<S> Capture<S> {
    /// A handle that ends the recording.
    pub fn controller(&self) -> Controller {
        self.controller.clone()
    }

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

/// Begins to record: sets the event requests, lets the JVM run, and returns.
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
    let controller = Controller::default();
    let steered = controller.clone();
    // The engine is made on its thread and never leaves it; the sink comes along through a slot, so
    // that it is not lost if there is no thread to be had.
    let sink = Arc::new(Mutex::new(Some(sink)));
    let slot = Arc::clone(&sink);
    let (tell, told) = mpsc::sync_channel::<Result<(), (S, CaptureError)>>(1);
    let spawned = thread::Builder::new()
        .name("capture".into())
        .spawn(move || {
            let sink = slot.lock().ok().and_then(|mut slot| slot.take())?;
            let mut engine = Engine::new(connection, scope, options, sink, steered);
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
        Ok(Ok(())) => Ok(Capture { controller, thread }),
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
