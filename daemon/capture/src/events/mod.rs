//! The engine `events`: JDWP events alone, nothing in the JVM is changed (design, section 7).
//!
//! One thread drives one JVM. It never waits where it need not: what an event makes it want to know
//! is asked in the same write that resumes the thread, and the answers are matched to their event
//! by [`crate::arrivals`]. The JVM executes commands in order, so a question that precedes the resume is
//! answered from the suspended frame.
//!
//! - `begin`: event requests, classes and calls that were there before; `leave`: the end.
//! - `threads`: what is known of each thread's stack.
//! - `stops`: what the JVM tells of a thread: entries, exits, exceptions, fields, steps, initialisers.
//! - `outside`: code out of the scope, and what it does to what the scope can see.
//! - `predict`: instructions that no step has to tell.
//! - `snapshots`: what calls were shown and yielded (level `calls`).
//! - `values`: answers about objects. `contents`, `fixed`: what objects of the JDK hold.
//! - `doubt`: where the JVM contradicts what was concluded. `odd`: what the protocol does not allow.
//!
//! Which events suspend: entries (arguments can only be read from a suspended frame), breakpoints,
//! exceptions and class preparation, and where snapshots are taken exits. Else exits and field writes carry their value, steps their place, and
//! do not suspend, which is what makes this engine faster than a debugger's.

mod begin;
mod contents;
mod doubt;
mod fixed;
mod leave;
mod limit;
mod odd;
mod outside;
mod predict;
mod snapshots;
mod stops;
mod threads;
mod values;

pub(crate) use self::outside::aliases::{keeps_arrays, reflects, writes_static_by_handle};
pub(crate) use self::outside::shown::parameters;
pub(crate) use self::predict::intrinsics::{always_follows, known_result};

use jdwp::commands::{event_request, object_reference, thread_reference, virtual_machine};
use jdwp::{Composite, Event, EventKind, Incoming, Location, SuspendPolicy};
use jhyde_trace::{CallId, Level, ObjectId, RecordingOptions, Sink, State, ThreadInfo, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use self::contents::At;
use self::predict::plan::Plans;
use self::snapshots::kinds::Kinds;
use self::snapshots::others::Around;
use self::stops::awaited::Awaited;
use self::stops::entry::EntryQuestion;
use self::threads::{StackFrame, Thread};
use crate::arrivals::{Arrivals, Ticket};
use crate::contents::Contents;
use crate::control::{Controller, Ending, Finished};
use crate::error::{CaptureError, LinkError};
use crate::jvm::{Connection, Guard, Link};
use crate::mirror::Heap;
use crate::objects::{ObjectQuestion, Objects};
use crate::program::{MethodKey, Program};
use crate::scope::{Scope, StepFilter};

/// A question whose answer belongs to an arrival.
pub(crate) enum Question {
    /// About an object that an event showed.
    Object(Ticket, ObjectQuestion),
    /// About a call that is being entered, in this thread.
    Entry(jdwp::ThreadId, EntryQuestion),
    /// Fields of an object or class that was there before: values for a snapshot.
    Snapshot(Ticket, Vec<jhyde_trace::Variable>),
}

/// See the module.
pub(crate) struct Engine<S> {
    link: Link,
    /// Dismissed when the JVM was left.
    guard: Option<Guard>,
    program: Program,
    objects: Objects,
    heap: Heap,
    contents: Contents,
    /// What snapshots know of objects, and of threads.
    kinds: Kinds,
    around: Around,
    arrivals: Arrivals,
    questions: FxHashMap<u32, Question>,
    plans: Plans,
    threads: FxHashMap<u64, Thread>,
    next_thread: u32,
    sink: S,
    options: RecordingOptions,
    controller: Controller,
    /// Major version of the JVM's JDWP: 17, 25.
    version: i32,
    /// See [`Connection::came`].
    came: bool,
    /// The JVM said that it ends.
    vm_dead: bool,
    /// The thread that ended last, and its root.
    last_thread: Option<(jdwp::ThreadId, CallId)>,
    step_filter: StepFilter,
    notes: Vec<String>,
    /// Frames could not be named without asking; every entry asks first from now on.
    unpredictable: bool,
    /// An agent is there that can replace code while it runs: only steps tell which code runs.
    replaceable: bool,
    /// What the event that is handled may tell of the one before.
    awaited: Option<Awaited>,
    /// Where a run that was looked ahead at stopped being certain.
    ends_at: Option<(MethodKey, u32)>,
    /// What a run that was looked ahead at met, and may be another than it was.
    stale: Option<ObjectId>,
    /// Ticks since the JVM told something last.
    silence: u32,
    /// Nothing is to be done for the JVM any more: it was left, or its side closed the connection.
    left: bool,
    /// Ticks of silence after which a JVM that has told nothing yet is asked whether it runs; `None`: it does.
    nudge: Option<u32>,
    /// What the protocol does not allow and the JVM did, each in words and once.
    oddities: FxHashSet<String>,
}

/// Ticks after which nothing is on its way, unless the JVM stands still itself: a second.
const LONG_SILENCE: u32 = 20;

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
            link: connection.link,
            guard: connection.guard,
            program: Program::new(scope),
            objects: Objects::new(options.string_limit),
            heap: Heap::new(),
            contents: Contents::new(options.contents),
            awaited: None,
            ends_at: None,
            stale: None,
            silence: 0,
            left: false,
            nudge: Some(LONG_SILENCE),
            oddities: FxHashSet::default(),
            kinds: Kinds::default(),
            around: Around::default(),
            arrivals: Arrivals::default(),
            questions: FxHashMap::default(),
            plans: Plans::default(),
            threads: FxHashMap::default(),
            next_thread: 1,
            sink,
            options,
            controller: connection.controller,
            version: connection.version,
            came: connection.came,
            vm_dead: false,
            last_thread: None,
            step_filter: StepFilter::default(),
            notes: Vec::new(),
            unpredictable: false,
            replaceable: false,
        }
    }

    fn records_state(&self) -> bool {
        self.options.level >= Level::State
    }

    /// Drives the JVM until the recording ends.
    pub(crate) fn run(mut self) -> Finished<S> {
        let end = loop {
            self.lower_if_asked();
            if let Some(order) = self.controller.order() {
                break End::Ordered(order);
            }
            if let Err(end) = self.turn() {
                break end;
            }
        };
        self.left = matches!(end, End::Closed(LinkError::Closed { .. }));
        let state = match end {
            End::Ordered(ending) => self.end_as_ordered(ending),
            End::Closed(_) if self.vm_dead => State::Complete { exit_code: None },
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
        let kept = self.store_classes().and_then(|()| {
            self.arrivals
                .leave_all(&mut self.sink)
                .map_err(CaptureError::from)
        });
        if let (false, Err(error)) = (matches!(state, State::Failed { .. }), kept) {
            return self.finished(State::Failed {
                reason: error.to_string(),
            });
        }
        self.finished(state)
    }

    fn finished(mut self, state: State) -> Finished<S> {
        if let Some(guard) = self.guard.take_if(|_| self.left) {
            guard.dismiss();
        }
        if self.program.covered == 0 {
            let scope = if self.options.include.is_empty() {
                "no class of an application's loader was met".to_owned()
            } else {
                format!(
                    "no class matched --include {}: check the pattern against the program's packages",
                    self.options.include.join(", ")
                )
            };
            self.notes.push(scope);
        }
        let bare = &self.program.without_lines;
        if !bare.is_empty() {
            let some: Vec<&str> = bare.iter().take(5).map(String::as_str).collect();
            let note = format!(
                "{} classes have no line tables (compiled with -g:none?): their calls have no lines{}: {}{}",
                bare.len(),
                if self.records_state() {
                    ", and their locals are named by slot"
                } else {
                    ""
                },
                some.join(", "),
                if bare.len() > 5 { ", …" } else { "" },
            );
            self.notes.push(note);
        }
        Finished {
            sink: self.sink,
            state,
            notes: self.notes,
        }
    }

    /// Handles one thing that the JVM sent. False if a tick passed without any.
    fn turn(&mut self) -> Result<bool, End> {
        let incoming = self
            .link
            .next()
            .map_err(|error| self.sort_out(error.into()))?;
        let came = incoming.is_some();
        if came {
            self.silence = 0;
        }
        match incoming {
            None => {
                self.silence += 1;
                self.nudge().map_err(|error| self.sort_out(error))?;
                if self.silence >= LONG_SILENCE {
                    // Whoever had something to tell has told it.
                    self.settle_all(true)
                        .map_err(|error| self.sort_out(error))?;
                }
            }
            Some(Incoming::Reply(reply)) => {
                self.answer(&reply).map_err(|error| self.sort_out(error))?
            }
            Some(Incoming::Event(composite)) => self
                .composite(&composite)
                .map_err(|error| self.sort_out(error))?,
            Some(Incoming::Command { set, command, .. }) => {
                tracing::debug!(set, command, "the JVM sent a command that we do not know");
            }
        }
        self.settle_crowd().map_err(|error| self.sort_out(error))?;
        self.store_classes().map_err(End::Failed)?;
        self.arrivals
            .leave(&mut self.sink)
            .map_err(|error| End::Failed(error.into()))?;
        let told = Timestamp(self.arrivals.told());
        self.heap.told(told);
        self.contents.told(told);
        Ok(came)
    }

    /// Asks which of the objects that are kept are gone, and forgets them: memory follows what lives
    /// in the debuggee, not what it ever made.
    ///
    /// Not while something is still to be told of a thread: it may name what is gone since.
    fn sweep(&mut self, at: At) -> Result<(), CaptureError> {
        if !self.heap.wants_sweep() || self.threads.values().any(|known| known.predicted) {
            return Ok(());
        }
        let mut dead = Vec::new();
        for some in self.heap.named().chunks(1024) {
            let asked = some
                .iter()
                .map(|&(_, object)| object_reference::IsCollected { object });
            for (&named, told) in some.iter().zip(self.link.request_all(asked)?) {
                if told.unwrap_or(true) {
                    dead.push(named);
                }
            }
        }
        for &(object, _) in &dead {
            self.tell_gone(at, object);
            self.contents.forget(object);
        }
        self.heap.forget(&dead);
        Ok(())
    }

    fn store_classes(&mut self) -> Result<(), CaptureError> {
        for class in self.program.take_fresh() {
            self.sink.class(class)?;
        }
        Ok(())
    }

    /// Handles the events of one place and lets the thread go on.
    fn composite(&mut self, composite: &Composite) -> Result<(), CaptureError> {
        self.nudge = None;
        if let Some(parts) = self.note_oddities(composite) {
            return parts.iter().try_for_each(|part| self.composite(part));
        }
        let ticket = self.arrivals.open();
        let suspended = composite.suspend_policy != SuspendPolicy::NONE;
        // Requests may overlap, so one composite may tell the same thing twice.
        let dead = is_death(composite);
        // Known before anything can fail: a JVM that dies is left in another way.
        self.vm_dead |= dead;
        if let Some(thread) = composite.thread() {
            self.settle(thread, true)?;
            if let Some(known) = self.threads.get_mut(&thread.0) {
                known.writing = None;
                known.untold = None;
                known.returned = None;
                self.heap.look_as_of(known.looked);
            }
            self.begin_awaited(thread);
            let thrown = composite.events.iter().find_map(|event| match event {
                Event::Exception { location, .. } => Some(location),
                _ => None,
            });
            self.catch_up(ticket, thread, thrown)?;
        }
        for (at, event) in composite.events.iter().enumerate() {
            if composite.events[..at].iter().any(|told| same(told, event)) {
                continue;
            }
            self.event(ticket, event, composite)?;
        }
        self.end_awaited(composite.thread());
        if let Some(thread) = composite.thread() {
            self.look_behind_unseen(ticket, thread, suspended)?;
        }
        if dead && composite.suspend_policy == SuspendPolicy::ALL {
            self.look_a_last_time(ticket)?;
        }
        match (composite.suspend_policy, composite.thread()) {
            (SuspendPolicy::NONE, _) => {}
            (SuspendPolicy::EVENT_THREAD, Some(thread)) => {
                self.predict(ticket, thread)?;
                self.stand(thread);
                self.resume(thread);
            }
            // Where it is not said who was suspended, everybody may have been.
            _ => self.resume_all(),
        }
        self.arrivals.answered(ticket);
        // Written now and not with the next read only where somebody waits for it.
        if suspended || !self.link.has_backlog() {
            self.link.flush()?;
        }
        Ok(())
    }

    /// Handles one event of a composite.
    fn event(
        &mut self,
        ticket: Ticket,
        event: &Event,
        composite: &Composite,
    ) -> Result<(), CaptureError> {
        let suspended = composite.suspend_policy != SuspendPolicy::NONE;
        match event {
            Event::MethodEntry {
                thread, location, ..
            } => {
                let late = is_late(location, composite);
                self.entry(ticket, *thread, location, suspended, late)
            }
            Event::MethodExitWithReturnValue {
                thread,
                location,
                value,
                ..
            } => self.exit(ticket, *thread, location, value, suspended),
            Event::SingleStep {
                thread, location, ..
            }
            | Event::Breakpoint {
                thread, location, ..
            } => self.step(ticket, *thread, location, suspended),
            Event::FieldModification {
                thread,
                location,
                type_id,
                field,
                object,
                value,
                ..
            } => self.field_write(
                ticket,
                *thread,
                location,
                (*type_id, *field),
                *object,
                value,
            ),
            Event::Exception {
                thread,
                location,
                exception,
                catch_location,
                ..
            } => self.exception(ticket, *thread, location, *exception, catch_location),
            Event::ClassPrepare {
                thread,
                type_id,
                signature,
                ..
            } => self.class_prepared(ticket, *thread, *type_id, &signature.to_string_lossy()),
            Event::ThreadDeath { thread, .. } => self.thread_death(ticket, *thread),
            _ => Ok(()),
        }
    }

    /// Lets a thread that an event suspended go on, with the next write.
    fn resume(&mut self, thread: jdwp::ThreadId) {
        self.link.send(&thread_reference::Resume { thread });
        if let Some(known) = self.threads.get_mut(&thread.0) {
            known.generation = known.generation.map(|generation| generation + 1);
        }
    }

    fn resume_all(&mut self) {
        self.link.send(&virtual_machine::Resume);
        for thread in self.threads.values_mut() {
            thread.generation = None;
        }
    }

    /// Takes the answer to a question to where it belongs.
    fn answer(&mut self, reply: &jdwp::Reply) -> Result<(), CaptureError> {
        match self.questions.remove(&reply.id.0) {
            None => Ok(()),
            Some(Question::Object(ticket, question)) => self.object_answer(ticket, question, reply),
            Some(Question::Entry(thread, question)) => self.entry_answer(thread, question, reply),
            Some(Question::Snapshot(ticket, variables)) => {
                self.snapshot_answer(ticket, &variables, reply)
            }
        }
    }

    /// Makes the engine's picture of a thread if it is new. A thread belongs to the recording from its
    /// first event in scope on: the JVM's own threads, which never have one, stay out.
    fn meet_thread(&mut self, ticket: Ticket, jdwp: jdwp::ThreadId) -> Result<(), CaptureError> {
        if self.threads.contains_key(&jdwp.0) {
            return Ok(());
        }
        let id = jhyde_trace::ThreadId(self.next_thread);
        self.next_thread += 1;
        let (info, is_virtual) = self.ask_thread(id, jdwp)?;
        self.sink.thread(info)?;
        self.thread_event(ticket, id, jhyde_trace::EventKind::ThreadStart);
        self.threads.insert(jdwp.0, Thread::new(id, is_virtual));
        Ok(())
    }

    /// An event that belongs to a thread and to no call of it.
    fn thread_event(
        &mut self,
        ticket: Ticket,
        thread: jhyde_trace::ThreadId,
        kind: jhyde_trace::EventKind,
    ) {
        let call = CallId::root(thread);
        let index = jhyde_trace::Event::NO_INDEX;
        self.arrivals
            .event(ticket, jhyde_trace::Event { call, index, kind });
    }

    fn ask_thread(
        &mut self,
        id: jhyde_trace::ThreadId,
        thread: jdwp::ThreadId,
    ) -> Result<(ThreadInfo, bool), LinkError> {
        let name = self.link.ask(&thread_reference::Name { thread });
        let group = self.link.ask(&thread_reference::ThreadGroup { thread });
        let is_virtual = self.version >= 21
            && self
                .link
                .request(&thread_reference::IsVirtual { thread })?
                .unwrap_or(false);
        let name = self.link.reply::<thread_reference::Name>(name)?;
        let group = match self.link.reply::<thread_reference::ThreadGroup>(group)? {
            Ok(group) if !group.is_null() => self
                .link
                .request(&jdwp::commands::thread_group_reference::Name { group })?
                .ok()
                .map(|name| name.to_string_lossy().into_owned()),
            _ => None,
        };
        let name = name.map_or_else(
            |_| String::new(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok((ThreadInfo { id, name, group }, is_virtual))
    }

    fn thread_death(&mut self, ticket: Ticket, thread: jdwp::ThreadId) -> Result<(), CaptureError> {
        self.stand_down(thread)?;
        if let Some(mut known) = self.threads.remove(&thread.0) {
            self.end_of_thread(&mut known, ticket);
            self.last_thread = Some((thread, CallId::root(known.id)));
            self.thread_event(ticket, known.id, jhyde_trace::EventKind::ThreadEnd);
        }
        Ok(())
    }

    /// The whole stack of a suspended thread, innermost first; also learns the names of its frames.
    fn stack(&mut self, thread: jdwp::ThreadId) -> Result<Vec<StackFrame>, CaptureError> {
        let all = thread_reference::Frames {
            thread,
            start_frame: 0,
            length: -1,
        };
        let frames = self.link.request(&all)?.unwrap_or_default();
        if let (Some(known), Some(first)) = (self.threads.get_mut(&thread.0), frames.first()) {
            known.generation = Some(first.frame.0 >> 16);
        }
        Ok(frames)
    }

    /// The name of the innermost frame of a suspended thread.
    fn stack_top(&mut self, thread: jdwp::ThreadId) -> Result<Option<jdwp::FrameId>, CaptureError> {
        let known = self.threads.get(&thread.0);
        let predicted = known.filter(|known| !known.is_virtual && !self.unpredictable);
        if let Some(generation) = predicted.and_then(|known| known.generation) {
            return Ok(Some(jdwp::FrameId(generation << 16)));
        }
        Ok(self.stack(thread)?.first().map(|frame| frame.frame))
    }

    /// Clears the exit request of a thread whose unwinding is settled.
    fn clear_settled(&mut self, thread: jdwp::ThreadId) {
        if let Some(request) = self
            .threads
            .get_mut(&thread.0)
            .and_then(|known| known.settled.take())
        {
            let event_kind = EventKind::METHOD_EXIT_WITH_RETURN_VALUE;
            self.link.send(&event_request::Clear {
                event_kind,
                request,
            });
        }
    }

    /// What an error means for the recording.
    fn sort_out(&self, error: CaptureError) -> End {
        match (error, self.controller.order()) {
            (CaptureError::Link(LinkError::CalledOff), Some(order)) => End::Ordered(order),
            (CaptureError::Link(error @ (LinkError::Closed { .. } | LinkError::Io(_))), _) => {
                End::Closed(error)
            }
            (error, _) => End::Failed(error),
        }
    }

    /// Clears an event request, by the command that set it. One that was refused needs no clearing.
    fn clear(&mut self, event_kind: EventKind, asked: jdwp::PacketId) -> Result<(), LinkError> {
        if let Ok(request) = self.link.reply::<event_request::Set>(asked)? {
            self.link.send(&event_request::Clear {
                event_kind,
                request,
            });
        }
        Ok(())
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

/// Does the JVM tell its end?
fn is_death(composite: &Composite) -> bool {
    let mut events = composite.events.iter();
    events.any(|event| matches!(event, Event::VmDeath { .. }))
}

/// Do two events of one composite, of overlapping requests, tell the same thing? A breakpoint and a step both
/// tell an arrival.
fn same(one: &Event, other: &Event) -> bool {
    let arrives =
        |event: &Event| matches!(event, Event::SingleStep { .. } | Event::Breakpoint { .. });
    (one.kind() == other.kind() || (arrives(one) && arrives(other)))
        && one.location() == other.location()
}
