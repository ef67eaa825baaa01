//! The beginning of a recording: event requests, and what was there before it.

use std::time::{Duration, Instant};

use jdwp::commands::event_request::Modifier;
use jdwp::commands::virtual_machine;
use jdwp::{
    ClassStatus, Event as Told, EventKind as Requested, Incoming, ReferenceTypeId, SuspendPolicy,
};
use jhyde_trace::{Event, EventKind, Missing, Sink, Value};

use super::thread::frame::Frame;
use super::{Current, Engine};
use crate::arrivals::Ticket;
use crate::error::{CaptureError, LinkError};
use crate::mirror::Activation;
use crate::program::{index_of, key_of};
use crate::recorder::Recorder;
use crate::scope::disguises;

/// The class through which agents written in Java replace code (`java.lang.instrument`).
pub(super) const REPLACER: &str = "sun.instrument.InstrumentationImpl";

/// How long a JVM that came to us may take to say that it has started, before it is taken for one that runs.
const START: Duration = Duration::from_secs(10);
/// How long a JVM that we went to is given to say that it stands at its start. One that runs says
/// nothing; if it says it later after all, it is resumed then.
const PERHAPS_START: Duration = Duration::from_millis(400);

impl<S: Sink> Engine<S> {
    /// Sets all requests and lets the JVM run.
    pub(crate) fn begin(&mut self) -> Result<(), CaptureError> {
        let at_start = self.await_start()?;
        if !at_start {
            self.recorder.jvm.link.suspend_all()??;
        }
        self.begin_standing()
    }

    /// The same where the JVM stands still for us.
    pub(crate) fn begin_standing(&mut self) -> Result<(), CaptureError> {
        let begun = self.begin_suspended();
        // Whatever went wrong, the JVM is not left standing.
        self.resume_all();
        self.recorder.jvm.link.flush()?;
        begun
    }

    fn begin_suspended(&mut self) -> Result<(), CaptureError> {
        let ticket = self.recorder.outlet.arrivals.open();
        self.request_all_kinds()?;
        self.observe_loaded(ticket)?;
        self.find_running(ticket)?;
        self.recorder.outlet.arrivals.answered(ticket);
        Ok(())
    }

    /// Waits for the VM start event, without which a resume is lost on a JVM that starts suspended
    /// (design, section 11). True if the JVM stands still because of it. One that says it later is resumed then.
    fn await_start(&mut self) -> Result<bool, CaptureError> {
        let patience = if self.recorder.jvm.came {
            START
        } else {
            PERHAPS_START
        };
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if self.recorder.jvm.controller.order().is_some() {
                return Err(LinkError::CalledOff.into());
            }
            let Some(Incoming::Event(composite)) = self.recorder.jvm.link.next()? else {
                // A tick passed, or a reply came that nobody waits for.
                continue;
            };
            self.note_oddities(&composite);
            let starts = |event: &Told| matches!(event, Told::VmStart { .. });
            if composite.events.iter().any(starts) {
                return Ok(composite.suspend_policy == SuspendPolicy::ALL);
            }
            // Nobody has asked for it.
            if composite.suspend_policy != SuspendPolicy::NONE {
                self.resume_all();
                self.recorder.jvm.link.flush()?;
            }
        }
        Ok(false)
    }

    fn request_all_kinds(&mut self) -> Result<(), CaptureError> {
        let suspend = SuspendPolicy::EVENT_THREAD;
        self.recorder
            .jvm
            .set(Requested::THREAD_DEATH, SuspendPolicy::NONE, Vec::new())?;
        // The JVM waits at its end until it is resumed: what it has told by then is here, and not lost with a
        // connection that the system cuts because commands in it were not read.
        self.recorder
            .jvm
            .set(Requested::VM_DEATH, SuspendPolicy::ALL, Vec::new())?;
        let all = Modifier::ExceptionOnly {
            exception: ReferenceTypeId::NULL,
            caught: true,
            uncaught: true,
        };
        self.recorder
            .jvm
            .set(Requested::EXCEPTION, suspend, vec![all])?;
        let only = Modifier::ClassMatch {
            class_pattern: REPLACER.into(),
        };
        self.recorder
            .jvm
            .set(Requested::CLASS_PREPARE, SuspendPolicy::NONE, vec![only])?;
        for modifiers in self.recorder.known.program.scope().requests() {
            self.recorder
                .jvm
                .set(Requested::CLASS_PREPARE, suspend, modifiers.clone())?;
            self.request_calls(&modifiers)?;
        }
        if self.recorder.known.program.scope().is_default() {
            for disguise in disguises() {
                self.recorder
                    .jvm
                    .set(Requested::CLASS_PREPARE, suspend, vec![disguise])?;
            }
        }
        Ok(())
    }

    /// Classes of the scope that were loaded before.
    fn observe_loaded(&mut self, ticket: Ticket) -> Result<(), CaptureError> {
        let classes = self
            .recorder
            .jvm
            .link
            .request(&virtual_machine::AllClasses)??;
        let by_loader = self.recorder.known.program.scope().is_default();
        for loaded in classes {
            let signature = loaded.signature.to_string_lossy();
            // Of the JDK's own classes there are thousands, and by default none is in the scope.
            let passed_over = by_loader && signature.starts_with("Ljava/");
            if !signature.starts_with('L')
                || passed_over
                || !loaded.status.contains(ClassStatus::PREPARED)
            {
                continue;
            }
            let name = jhyde_bytecode::signature_to_name(&signature).unwrap_or_default();
            self.replaceable |= name == REPLACER;
            if self.recorder.known.program.scope().covers(&name, true) {
                let class = self.recorder.known.program.class_with_signature(
                    &mut self.recorder.jvm.link,
                    loaded.type_id,
                    &signature,
                )?;
                if class.in_scope {
                    self.observe_class(ticket, loaded.type_id, &class)?;
                }
            }
        }
        Ok(())
    }

    /// Calls of the scope that run already: they become calls whose beginning was not seen.
    fn find_running(&mut self, ticket: Ticket) -> Result<(), CaptureError> {
        for thread in self
            .recorder
            .jvm
            .link
            .request(&virtual_machine::AllThreads)??
        {
            let mut current = None;
            let found = self.find_running_in((ticket, thread, &mut current));
            if let Some(thread) = current {
                self.threads.put(thread);
            }
            found?;
        }
        Ok(())
    }

    fn find_running_in(
        &mut self,
        (ticket, thread, current): Current<'_>,
    ) -> Result<(), CaptureError> {
        let mirrored = self.recorder.outlet.records_state();
        let frames = self.recorder.jvm.stack(thread)?;
        for (at, frame) in frames.iter().enumerate().rev() {
            let key = key_of(&frame.location);
            let Recorder { known, jvm, .. } = &mut self.recorder;
            if !known.program.class(&mut jvm.link, key.0)?.in_scope {
                continue;
            }
            let Some(method) = known.program.method(&mut jvm.link, key)? else {
                tracing::debug!(?key, "a method that runs is not told by its class");
                continue;
            };
            let thread = self.meet_thread((ticket, thread, current))?;
            let call = thread.next_call();
            let parameters = method.slots.len() - usize::from(method.receiver);
            let missing = Value::Missing(Missing::BeforeRecording);
            let kind = EventKind::Enter {
                method: method.id,
                receiver: method.receiver.then_some(missing),
                arguments: vec![missing; parameters],
                call_site: Event::NO_INDEX,
                boundary: false,
                already_running: true,
            };
            let index = index_of(&frame.location);
            self.recorder.outlet.tell(ticket, (call, index), kind);
            thread.stack.push(Frame {
                call,
                key,
                method: self.plans.of(&method),
                height: u32::try_from(frames.len() - 1 - at).unwrap_or(u32::MAX),
                boundary: false,
                site: Event::NO_INDEX,
                index,
                mirror: mirrored.then(Activation::default),
                invoked: false,
                shown: None,
                monitor: None,
                roots: Vec::new(),
                doubtful: None,
                left_at: None,
            });
            self.start_stepping(thread, &method);
        }
        Ok(())
    }
}
