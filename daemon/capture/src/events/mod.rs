//! The engine `events`: JDWP events alone, nothing in the JVM is changed (design, section 7).
//!
//! One thread drives one JVM. It never waits where it need not: what an event makes it want to know
//! is asked in the same write that resumes the thread, and the answers are matched to their event
//! by [`crate::arrivals`]. The JVM executes commands in order, so a question that precedes the resume is
//! answered from the suspended frame.
//!
//! What it asks the JVM, knows of the debuggee and tells is a [`Recorder`]'s, which knows of no threads. Here is what these do:
//!
//! - `begin`: event requests, classes and calls that were there before; `leave`: the end.
//! - `thread`: what is known of a thread, its stack, and what it was asked for; `threads`: all of them. While an event
//!   of one is handled, that one is taken out and handed down, so that what is left are the others.
//! - `stops`: what the JVM tells of a thread: entries, exits, exceptions, fields, steps, initialisers.
//! - `outside`: code out of the scope, and what it does to what the scope can see.
//! - `predict`: instructions that no step has to tell.
//! - `snapshots`: what calls were shown and yielded (level `calls`).
//! - `contents`: when it is looked at what objects of the JDK hold.
//! - `doubt`: where the JVM contradicts what was concluded. `odd`: what the protocol does not allow.
//!
//! Which events suspend: entries (arguments can only be read from a suspended frame), breakpoints,
//! exceptions and class preparation, and where snapshots are taken exits. Else exits and field writes carry their value, steps their place, and
//! do not suspend, which is what makes this engine faster than a debugger's.

mod begin;
mod contents;
mod doubt;
mod leave;
mod limit;
mod odd;
mod outside;
mod predict;
mod snapshots;
mod stops;
mod thread;
mod threads;

pub(crate) use self::outside::aliases::reflects;

use jdwp::commands::{event_request, object_reference};
use jdwp::{
    Composite, ErrorCode, Event, EventKind as Requested, Incoming, Location, ReplyError,
    SuspendPolicy,
};
use jhyde_trace::{EventKind, ObjectId, RecordingOptions, Sink, State, ThreadInfo};
use rustc_hash::FxHashMap;

use self::predict::plan::Plans;
use self::snapshots::again::Readings;
use self::snapshots::told::ToldBefore;
use self::thread::Thread;
use self::thread::asked::EntryQuestion;
use self::threads::Threads;
use crate::arrivals::Ticket;
use crate::control::{Ending, Finished};
use crate::error::{CaptureError, LinkError};
use crate::jvm::{Connection, StackFrame, ThreadNames, is_death};
use crate::program::MethodKey;
use crate::recorder::{At, Recorder};
use crate::scope::{Scope, StepFilter};

/// See the module.
pub(crate) struct Engine<S> {
    recorder: Recorder<S>,
    plans: Plans,
    threads: Threads,
    /// Asked about calls that are being entered, in these threads.
    entries: FxHashMap<u32, (jdwp::ThreadId, EntryQuestion)>,
    step_filter: StepFilter,
    /// An agent is there that can replace code while it runs: only steps tell which code runs.
    replaceable: bool,
    /// Where a run that was looked ahead at stopped being certain.
    ends_at: Option<(MethodKey, u32)>,
    /// What a run that was looked ahead at met, and may be another than it was.
    stale: Option<ObjectId>,
    /// What snapshots have told.
    told_before: ToldBefore,
    /// What snapshots have read of objects of the JDK.
    readings: Readings,
}

/// The thread of an event that may be its first in scope: where that is told, the JVM's name of it, and the thread itself
/// once it is known.
type Current<'t> = (Ticket, jdwp::ThreadId, &'t mut Option<Box<Thread>>);

/// Why the loop ended.
enum End {
    Ordered(Ending),
    Closed(LinkError),
    Failed(CaptureError),
}

impl<S: Sink> Engine<S> {
    pub(crate) fn new(
        connection: Connection,
        scope: Scope,
        options: RecordingOptions,
        sink: S,
    ) -> Self {
        Self {
            recorder: Recorder::new(connection, scope, options, sink),
            plans: Plans::default(),
            threads: Threads::default(),
            entries: FxHashMap::default(),
            step_filter: StepFilter::default(),
            replaceable: false,
            ends_at: None,
            stale: None,
            told_before: ToldBefore::default(),
            readings: Readings::default(),
        }
    }

    /// Drives the JVM until the recording ends.
    pub(crate) fn run(mut self) -> Finished<S> {
        let end = loop {
            self.lower_if_asked();
            if let Some(order) = self.recorder.jvm.controller.order() {
                break End::Ordered(order);
            }
            if let Err(end) = self.turn() {
                break end;
            }
        };
        self.recorder.jvm.left = matches!(end, End::Closed(LinkError::Closed { .. }));
        let state = match end {
            End::Ordered(ending) => self.end_as_ordered(ending),
            End::Closed(_) if self.recorder.jvm.dead => State::Complete { exit_code: None },
            End::Closed(error) => State::ConnectionLost {
                reason: error.to_string(),
            },
            End::Failed(error) => {
                self.say_farewell();
                State::Failed {
                    reason: error.to_string(),
                }
            }
        };
        // Where the JVM can no longer be asked, nobody is taken for the writer of what is in doubt.
        let _ = self.settle_all(false);
        self.lose_predicted();
        // What is complete so far is kept even if the last answers never came.
        let kept = self.recorder.hand_on_all();
        if let (false, Err(error)) = (matches!(state, State::Failed { .. }), kept) {
            return self.finished(State::Failed {
                reason: error.to_string(),
            });
        }
        self.finished(state)
    }

    fn finished(self, state: State) -> Finished<S> {
        let (sink, notes) = self.recorder.finish();
        Finished { sink, state, notes }
    }

    /// Handles one thing that the JVM sent. False if a tick passed without any.
    fn turn(&mut self) -> Result<bool, End> {
        let incoming = self.recorder.jvm.next();
        let incoming = incoming.map_err(|error| self.sort_out(error.into()))?;
        let came = incoming.is_some();
        self.handle(incoming)
            .map_err(|error| self.sort_out(error))?;
        self.recorder.hand_on().map_err(End::Failed)?;
        Ok(came)
    }

    fn handle(&mut self, incoming: Option<Incoming>) -> Result<(), CaptureError> {
        match incoming {
            None => {
                if self.recorder.jvm.stands_unseen()? {
                    tracing::warn!("the JVM has not gone on: it is resumed once more");
                    self.resume_all();
                    self.recorder.jvm.link.flush()?;
                }
                if self.recorder.jvm.is_silent() {
                    // Whoever had something to tell has told it.
                    self.settle_all(true)?;
                }
            }
            Some(Incoming::Reply(reply)) => self.answer(&reply)?,
            Some(Incoming::Event(composite)) => self.composite(&composite)?,
            Some(Incoming::Command { set, command, .. }) => {
                tracing::debug!(set, command, "the JVM sent a command that we do not know");
            }
        }
        self.settle_crowd()
    }

    /// Asks which of the objects that are kept are gone, and forgets them: memory follows what lives
    /// in the debuggee, not what it ever made.
    ///
    /// Not while something is still to be told of a thread: it may name what is gone since.
    fn sweep(&mut self, at: At) -> Result<(), CaptureError> {
        if !self.recorder.known.heap.wants_sweep()
            || self.threads.iter().any(|thread| thread.predicted)
        {
            return Ok(());
        }
        let mut dead = Vec::new();
        for some in self.recorder.known.heap.named().chunks(1024) {
            let asked = some
                .iter()
                .map(|&(_, object)| object_reference::IsCollected { object });
            for (&named, told) in some.iter().zip(self.recorder.jvm.link.request_all(asked)?) {
                if told.unwrap_or(true) {
                    dead.push(named);
                }
            }
        }
        for &(object, _) in &dead {
            self.tell_gone(at, object);
            self.recorder.known.contents.forget(object);
        }
        self.recorder.known.heap.forget(&dead);
        Ok(())
    }

    /// Handles the events of one place and lets the thread go on.
    fn composite(&mut self, composite: &Composite) -> Result<(), CaptureError> {
        if let Some(parts) = self.note_oddities(composite) {
            return parts.iter().try_for_each(|part| self.composite(part));
        }
        let ticket = self.recorder.outlet.arrivals.open();
        let mut current = composite.thread().and_then(|id| self.threads.take(id));
        let handled = self.events(ticket, composite, &mut current);
        // Whatever went wrong, the thread is known.
        if let Some(thread) = current {
            self.threads.put(thread);
        }
        handled?;
        match (composite.suspend_policy, composite.thread()) {
            (SuspendPolicy::NONE, _) | (SuspendPolicy::EVENT_THREAD, Some(_)) => {}
            // Where it is not said who was suspended, everybody may have been.
            (policy, _) => {
                if is_death(composite) && policy == SuspendPolicy::ALL {
                    self.recorder.jvm.ends();
                    self.tell_begun(ticket)?;
                    self.look_a_last_time(ticket)?;
                }
                self.resume_all();
            }
        }
        self.recorder.outlet.arrivals.answered(ticket);
        // Written now and not with the next read only where somebody waits for it.
        let link = &mut self.recorder.jvm.link;
        if composite.suspend_policy != SuspendPolicy::NONE || !link.has_backlog() {
            link.flush()?;
        }
        Ok(())
    }

    /// Handles the events of one place, in a thread that is known or that they make known, and lets it go on if it is
    /// that which they suspended.
    fn events(
        &mut self,
        ticket: Ticket,
        composite: &Composite,
        current: &mut Option<Box<Thread>>,
    ) -> Result<(), CaptureError> {
        let suspended = composite.suspend_policy != SuspendPolicy::NONE;
        if let Some(thread) = current {
            self.settle(thread, true)?;
            thread.writing = None;
            thread.untold = None;
            thread.returned = None;
            self.recorder.known.heap.look_as_of(thread.looked);
            // What it tells is asked for while it is handled.
            thread.due = thread.awaited.take();
            if thread.ran_unseen() && self.recorder.outlet.records_state() {
                self.anything_changed();
            }
            let thrown = composite.events.iter().find_map(|event| match event {
                Event::Exception { location, .. } => Some(location),
                _ => None,
            });
            self.catch_up(ticket, thread, thrown)?;
        }
        for (at, event) in composite.events.iter().enumerate() {
            // Requests may overlap, so one composite may tell the same thing twice.
            if composite.events[..at].iter().any(|told| same(told, event)) {
                continue;
            }
            self.event(ticket, event, composite, current)?;
        }
        if let Some(thread) = current {
            thread.end_awaited(&mut self.recorder.outlet);
            self.look_behind_unseen(ticket, thread, suspended)?;
        }
        if let (SuspendPolicy::EVENT_THREAD, Some(id)) =
            (composite.suspend_policy, composite.thread())
        {
            if let Some(thread) = current {
                let tells = |kind| composite.events.iter().any(|event| event.kind() == kind);
                let stepped = tells(jdwp::EventKind::SINGLE_STEP);
                thread.unstepped = tells(jdwp::EventKind::BREAKPOINT) && !stepped;
                self.predict(ticket, thread)?;
                self.stand(thread);
                thread.generation = thread.generation.map(|generation| generation + 1);
            }
            // With the next write.
            self.recorder.jvm.link.resume(id);
        }
        Ok(())
    }

    /// Does something with a thread that is not taken out, if it is known.
    fn with_thread(
        &mut self,
        thread: jdwp::ThreadId,
        what: impl FnOnce(&mut Self, &mut Thread) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        let Some(mut thread) = self.threads.take(thread) else {
            // It has ended: nothing more is told of it.
            return Ok(());
        };
        let done = what(self, &mut thread);
        self.threads.put(thread);
        done
    }

    /// Handles one event of a composite.
    fn event(
        &mut self,
        ticket: Ticket,
        event: &Event,
        composite: &Composite,
        current: &mut Option<Box<Thread>>,
    ) -> Result<(), CaptureError> {
        let suspended = composite.suspend_policy != SuspendPolicy::NONE;
        match (event, &mut *current) {
            (
                Event::MethodEntry {
                    thread, location, ..
                },
                _,
            ) => {
                if let Some(thread) = current.as_deref_mut() {
                    self.may_be_handed(thread, location)?;
                }
                let late = is_late(location, composite);
                self.entry((ticket, *thread, current), location, suspended, late)
            }
            (
                Event::FieldModification {
                    thread,
                    location,
                    type_id,
                    field,
                    object,
                    value,
                    ..
                },
                _,
            ) => self.field_write(
                (ticket, *thread, current),
                location,
                (*type_id, *field),
                *object,
                value,
            ),
            (
                Event::ClassPrepare {
                    thread,
                    type_id,
                    signature,
                    ..
                },
                _,
            ) => {
                let signature = signature.to_string_lossy();
                self.class_prepared((ticket, *thread, current), *type_id, &signature)
            }
            (
                Event::MethodExitWithReturnValue {
                    location, value, ..
                },
                Some(thread),
            ) => self.exit(ticket, thread, location, value, suspended),
            (
                Event::SingleStep { location, .. } | Event::Breakpoint { location, .. },
                Some(thread),
            ) => self.step(ticket, thread, location, suspended),
            (
                Event::Exception {
                    location,
                    exception,
                    catch_location,
                    ..
                },
                Some(thread),
            ) => self.exception(ticket, thread, location, *exception, catch_location),
            (Event::ThreadDeath { .. }, Some(_)) => self.thread_death(ticket, current),
            // Of a thread that has run no code of the scope nothing else is told, and nobody has asked for other kinds.
            _ => Ok(()),
        }
    }

    fn resume_all(&mut self) {
        self.recorder.jvm.link.resume_all();
        self.threads.forget_generations();
    }

    /// Takes the answer to a question to where it belongs.
    fn answer(&mut self, reply: &jdwp::Reply) -> Result<(), CaptureError> {
        if let Some((thread, question)) = self.entries.remove(&reply.id.0) {
            return self.with_thread(thread, |engine, thread| {
                engine.entry_answer(thread, question, reply)
            });
        }
        self.recorder.answer(reply)
    }

    /// Makes the engine's picture of a thread if it is new. A thread belongs to the recording from its
    /// first event in scope on: the JVM's own threads, which never have one, stay out.
    fn meet_thread<'t>(
        &mut self,
        (ticket, thread, current): Current<'t>,
    ) -> Result<&'t mut Thread, CaptureError> {
        let thread = match current.take() {
            Some(known) => known,
            None => self.new_thread(ticket, thread)?,
        };
        Ok(current.insert(thread))
    }

    fn new_thread(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
    ) -> Result<Box<Thread>, CaptureError> {
        let id = self.threads.next_id();
        let ThreadNames {
            name,
            group,
            is_virtual,
        } = self.recorder.jvm.names(thread)?;
        let outlet = &mut self.recorder.outlet;
        outlet.thread(ThreadInfo { id, name, group })?;
        outlet.tell_of_thread(ticket, id, EventKind::ThreadStart);
        Ok(Box::new(Thread::new(id, thread, is_virtual)))
    }

    fn thread_death(
        &mut self,
        ticket: Ticket,
        current: &mut Option<Box<Thread>>,
    ) -> Result<(), CaptureError> {
        if let Some(thread) = current {
            self.stand_down(thread)?;
            self.end_initialiser(thread)?;
            self.ends_in_call(ticket, thread)?;
        }
        if let Some(mut thread) = current.take() {
            let outlet = &mut self.recorder.outlet;
            thread.end(ticket, outlet);
            outlet.tell_of_thread(ticket, thread.id, EventKind::ThreadEnd);
            self.threads.put(thread);
        }
        Ok(())
    }

    /// The whole stack of a suspended thread, innermost first; also learns the names of its frames.
    fn stack(&mut self, thread: &mut Thread) -> Result<Vec<StackFrame>, CaptureError> {
        let frames = self.recorder.jvm.stack(thread.jdwp)?;
        if let Some(first) = frames.first() {
            thread.generation = Some(first.frame.0 >> 16);
        }
        Ok(frames)
    }

    /// The name of the innermost frame of a suspended thread.
    fn stack_top(&mut self, thread: &mut Thread) -> Result<Option<jdwp::FrameId>, CaptureError> {
        let predictable = !thread.is_virtual && !self.recorder.jvm.unpredictable;
        match thread.generation.filter(|_| predictable) {
            Some(generation) => Ok(Some(jdwp::FrameId(generation << 16))),
            None => Ok(self.stack(thread)?.first().map(|frame| frame.frame)),
        }
    }

    /// Asks something of the innermost frame of a suspended thread, again where that has another name than was foreseen. `None`: it
    /// has no frame.
    fn ask_top<C: jdwp::Command>(
        &mut self,
        thread: &mut Thread,
        question: impl Fn(jdwp::FrameId) -> C,
    ) -> Result<Option<Result<C::Reply, ReplyError>>, CaptureError> {
        let foreseen = thread.generation.is_some();
        let Some(frame) = self.stack_top(thread)? else {
            return Ok(None);
        };
        let told = self.recorder.jvm.link.request(&question(frame))?;
        match told {
            Err(ReplyError::Jvm {
                code: ErrorCode::INVALID_FRAMEID,
                ..
            }) if foreseen => {
                let Some(frame) = self.stack(thread)?.first().map(|top| top.frame) else {
                    return Ok(None);
                };
                // HotSpot counts frames from the innermost one on; a JVM that does not is asked before every read.
                self.recorder.jvm.unpredictable |= frame.0 & 0xffff != 0;
                Ok(Some(self.recorder.jvm.link.request(&question(frame))?))
            }
            told => Ok(Some(told)),
        }
    }

    /// Clears the exit request of a thread whose unwinding is settled.
    fn clear_settled(&mut self, thread: &mut Thread) {
        if let Some(request) = thread.settled.take() {
            let event_kind = Requested::METHOD_EXIT_WITH_RETURN_VALUE;
            self.recorder.jvm.link.send(&event_request::Clear {
                event_kind,
                request,
            });
        }
    }

    /// What an error means for the recording.
    fn sort_out(&self, error: CaptureError) -> End {
        match (error, self.recorder.jvm.controller.order()) {
            (CaptureError::Link(LinkError::CalledOff), Some(order)) => End::Ordered(order),
            (CaptureError::Link(error @ (LinkError::Closed { .. } | LinkError::Io(_))), _) => {
                End::Closed(error)
            }
            (error, _) => End::Failed(error),
        }
    }
}

/// Is an entry told with something that happened after it? The debug agent holds entries back for a step that
/// may never come (see `initialisers`).
fn is_late(entry: &Location, composite: &Composite) -> bool {
    composite.events.iter().any(|other| {
        matches!(other, Event::ClassPrepare { .. })
            || other.location().is_some_and(|location| location != entry)
    })
}

/// Do two events of one composite, of overlapping requests, tell the same thing? A breakpoint and a step both
/// tell an arrival.
fn same(one: &Event, other: &Event) -> bool {
    let arrives =
        |event: &Event| matches!(event, Event::SingleStep { .. } | Event::Breakpoint { .. });
    (one.kind() == other.kind() || (arrives(one) && arrives(other)))
        && one.location() == other.location()
}
