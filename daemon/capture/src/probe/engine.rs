//! Drives one JVM: instruments classes as they are prepared, takes logs, and has them derived.

use std::path::Path;
use std::time::{Duration, Instant};

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{thread_group_reference, thread_reference, virtual_machine};
use jdwp::{
    Composite, Event, EventKind, Incoming, ReferenceTypeId, RequestId, SuspendPolicy, ThreadId,
};
use jhyde_bytecode::ClassPath;
use jhyde_trace::{
    EngineKind, JvmIdentity, Level, ProbeLog, RecordingOptions, Sink, State, Subject, ThreadInfo,
};

use super::agent::ClassFiles;
use super::backlog::Backlog;
use super::derive::Deriver;
use super::inject::Probe;
use super::late::Awaited;
use super::names::Names;
use super::origin::Origins;
use super::plan::Also;
use super::unfit::Ran;
use crate::control::{Controller, Ending, Finished};
use crate::error::{CaptureError, LinkError};
use crate::jvm::{Connection, Guard, Link};
use crate::program::Program;
use crate::scope::Scope;

/// How long a JVM that came to us may take to say that it stands at its start.
const START: Duration = Duration::from_secs(10);
/// How long one that we went to is given: see the engine `events`.
const PERHAPS_START: Duration = Duration::from_millis(400);
/// How long a JVM that was left may take to close the connection.
const LEAVE: Duration = Duration::from_secs(3);
/// How long is derived before the JVM is listened to again.
const SLICE: Duration = Duration::from_millis(1);
/// Logs that are not full are read this long after they were last.
const DRAIN: Duration = Duration::from_millis(250);
/// The JVM stands still for that for one part in so many of its time at most.
const DRAIN_SHARE: u32 = 20;
/// How long the JVM tells nothing when all that was on its way has come.
const QUIET: Duration = Duration::from_millis(100);

/// See the module.
pub(crate) struct Engine<S> {
    pub(super) link: Link,
    pub(super) guard: Option<Guard>,
    pub(super) program: Program,
    pub(super) deriver: Deriver,
    /// What waits behind what the deriver has, once there was too much of it.
    pub(super) backlog: Option<Backlog>,
    /// That has a file which can be written, or may have.
    pub(super) may_set_aside: bool,
    pub(super) probe: Option<Probe>,
    /// What instrumented code tells besides, from its start on.
    pub(super) also: Also,
    /// Where classes come from that the class path does not have.
    pub(super) origins: Origins,
    /// What the JVM has of those that lie nowhere.
    pub(super) class_files: ClassFiles,
    /// Instrumented classes as they were.
    pub(super) originals: Vec<(ReferenceTypeId, Vec<u8>)>,
    /// When all logs were read last, and how long that took.
    drained: (Instant, Duration),
    /// The thread that the JVM begins with, as it is then.
    pub(super) first: Option<(ThreadId, ThreadInfo)>,
    pub(super) sink: S,
    pub(super) controller: Controller,
    /// See [`Connection::came`].
    pub(super) came: bool,
    pub(super) identity: JvmIdentity,
    pub(super) version: i32,
    pub(super) options: RecordingOptions,
    /// What was asked for.
    pub(super) requests: Vec<(EventKind, RequestId)>,
    /// Another engine may record instead: nobody has asked for this one.
    may_be_unfit: bool,
    /// It is to record, from the class on that this thread prepares, and why.
    unfit: Option<(ThreadId, String)>,
    /// The JVM ran before.
    pub(super) running: bool,
    /// Requests for the first method that is entered.
    pub(super) scouts: Vec<RequestId>,
    /// Threads that tell when they go on: see [`super::late`].
    pub(super) late: Awaited,
    vm_dead: bool,
    left: bool,
    /// The end was asked for: until then the JVM is to be left.
    leaving: Option<Instant>,
    pub(super) notes: Vec<String>,
}

impl<S: Sink> Engine<S> {
    pub(crate) fn new(
        mut connection: Connection,
        scope: Scope,
        options: RecordingOptions,
        sink: S,
    ) -> Self {
        let paths = connection.class_paths().unwrap_or_default();
        let base = Path::new(&paths.folder);
        let entries = paths.entries.iter().map(|entry| base.join(entry));
        let release = u16::try_from(connection.version).unwrap_or(17);
        let joined = std::env::join_paths(entries).unwrap_or_default();
        let path = ClassPath::parse(&joined.to_string_lossy(), release);
        let mut names = Names::new(path, release, scope.clone());
        let also = Also {
            births: options.probe_log >= ProbeLog::Reads || names.expect_unseen(),
            reads: options.probe_log >= ProbeLog::Reads,
            later_reads: options.probe_log == ProbeLog::Auto,
            writes: options.probe_log == ProbeLog::Writes,
            contents: options.contents && options.level > Level::Calls,
        };
        let deriver = Deriver::new(
            names,
            options.string_limit,
            options.level,
            also,
            connection.version,
        );
        Self {
            link: connection.link,
            guard: connection.guard,
            also,
            program: Program::new(scope),
            deriver,
            backlog: None,
            may_set_aside: true,
            probe: None,
            origins: Origins::default(),
            class_files: ClassFiles::default(),
            originals: Vec::new(),
            drained: (Instant::now(), Duration::ZERO),
            first: None,
            sink,
            controller: connection.controller,
            came: connection.came,
            identity: connection.identity,
            version: connection.version,
            may_be_unfit: options.engine == EngineKind::Auto,
            unfit: None,
            requests: Vec::new(),
            options,
            running: false,
            scouts: Vec::new(),
            late: Awaited::default(),
            vm_dead: false,
            left: false,
            leaving: None,
            notes: Vec::new(),
        }
    }

    /// Sets the requests and lets the JVM run.
    pub(crate) fn begin(&mut self) -> Result<(), CaptureError> {
        if !self.await_start()? {
            self.expect_arrival();
            self.link.suspend_all()??;
        }
        let begun = self.request_all();
        self.link.resume_all();
        self.link.flush()?;
        begun
    }

    fn await_start(&mut self) -> Result<bool, CaptureError> {
        let patience = if self.came { START } else { PERHAPS_START };
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if self.controller.order().is_some() {
                return Err(LinkError::CalledOff.into());
            }
            let Some(Incoming::Event(composite)) = self.link.next()? else {
                continue;
            };
            let starts = |event: &Event| match event {
                Event::VmStart { thread, .. } => Some(*thread),
                _ => None,
            };
            if let Some(thread) = composite.events.iter().find_map(starts) {
                self.first = Some((thread, self.thread_info(thread)?));
                return Ok(composite.suspend_policy == SuspendPolicy::ALL);
            }
            // Nobody has asked for it.
            if composite.suspend_policy != SuspendPolicy::NONE {
                self.link.resume_all();
                self.link.flush()?;
            }
        }
        Ok(false)
    }

    fn request_all(&mut self) -> Result<(), CaptureError> {
        self.request(EventKind::VM_DEATH, SuspendPolicy::ALL, Vec::new())?;
        for modifiers in self.program.scope().requests() {
            self.request(
                EventKind::CLASS_PREPARE,
                SuspendPolicy::EVENT_THREAD,
                modifiers,
            )?;
        }
        self.request_arrival()
    }

    pub(super) fn request(
        &mut self,
        event_kind: EventKind,
        suspend_policy: SuspendPolicy,
        modifiers: Vec<Modifier>,
    ) -> Result<RequestId, LinkError> {
        let set = event_request::Set {
            event_kind,
            suspend_policy,
            modifiers,
        };
        let request = self.link.request(&set)??;
        self.requests.push((event_kind, request));
        Ok(request)
    }

    /// Drives the JVM until the recording ends.
    pub(crate) fn run(mut self) -> Ran<S> {
        let state = loop {
            if let Some((thread, reason)) = self.unfit.take() {
                match self.withdraw(thread) {
                    Ok(()) => return Ran::Unfit(Box::new(self.hand_over(reason))),
                    Err(error) => {
                        self.leave();
                        let reason = error.to_string();
                        break State::ConnectionLost { reason };
                    }
                }
            }
            if let Some(order) = self.controller.order() {
                break self.end_as_ordered(order);
            }
            match self.turn() {
                Ok(()) => {}
                Err(CaptureError::Link(LinkError::Closed { .. })) if self.vm_dead => {
                    self.left = true;
                    break State::Complete { exit_code: None };
                }
                Err(CaptureError::Link(LinkError::CalledOff)) => {}
                Err(CaptureError::Link(error)) => {
                    self.left = matches!(error, LinkError::Closed { .. });
                    let reason = error.to_string();
                    break State::ConnectionLost { reason };
                }
                Err(error) => {
                    self.leave();
                    let reason = error.to_string();
                    break State::Failed { reason };
                }
            }
        };
        if let Some(guard) = self.guard.take_if(|_| self.left) {
            guard.dismiss();
        }
        // Nothing more comes only when all that waits has come.
        let derived = self.derive(None);
        self.deriver.completes();
        let derived = derived.and_then(|()| self.derive(None));
        // What runs goes on in a JVM that only the recording leaves.
        self.deriver
            .end(self.vm_dead || matches!(state, State::Complete { .. }));
        self.notes.append(&mut self.deriver.notes);
        let told = self.deriver.tell(&mut self.program, &mut self.sink);
        let state = match derived.and_then(|()| told.map_err(CaptureError::from)) {
            Ok(()) => state,
            Err(error) => State::Failed {
                reason: error.to_string(),
            },
        };
        Ran::Finished(Finished {
            sink: self.sink,
            state,
            notes: self.notes,
        })
    }

    /// Leaves a JVM of which nothing was recorded as it was.
    pub(crate) fn abandon(mut self) -> S {
        self.leave();
        if let Some(guard) = self.guard.take_if(|_| self.left) {
            guard.dismiss();
        }
        self.sink
    }

    /// Handles one thing that the JVM sent.
    fn turn(&mut self) -> Result<(), CaptureError> {
        if let Some(reason) = self.controller.take_lower() {
            self.lower(reason)?;
        }
        self.drain()?;
        if self.deriver.is_behind() || self.has_backlog() {
            // The JVM waits for nothing that can be done later.
            return match self.link.arrived()? {
                Some(Incoming::Event(composite)) => self.composite(&composite),
                Some(_) => Ok(()),
                None => self.derive(Some(Instant::now() + SLICE)),
            };
        }
        let Some(Incoming::Event(composite)) = self.link.next()? else {
            return Ok(());
        };
        self.composite(&composite)
    }

    /// Records at the next lower level from the next event on, or ends where there is none.
    fn lower(&mut self, reason: String) -> Result<(), CaptureError> {
        // What was derived before is told as it was.
        self.deriver.tell(&mut self.program, &mut self.sink)?;
        match self.deriver.tells_less() {
            Some(level) => self.sink.level(Subject::Everything, level, reason)?,
            None => self.controller.end_at_limit(reason),
        }
        Ok(())
    }

    fn composite(&mut self, composite: &Composite) -> Result<(), CaptureError> {
        for event in &composite.events {
            match event {
                Event::ClassPrepare {
                    thread,
                    type_id,
                    signature,
                    ..
                } => {
                    let signature = signature.to_string_lossy();
                    self.prepared(*thread, *type_id, &signature)?;
                    if self.unfit.is_some() {
                        // It stands for who goes on.
                        return Ok(());
                    }
                }
                Event::MethodEntry { thread, .. } if self.probe.is_none() => {
                    self.arrive(*thread)?
                }
                Event::SingleStep { thread, .. } => self.goes_on_late(*thread)?,
                Event::Breakpoint { thread, .. } => {
                    let Some(probe) = self.probe else { continue };
                    // The log, and the thread's resume, in one write.
                    let asked = probe.ask(&mut self.link);
                    probe.hear(&mut self.link);
                    self.link.resume(*thread);
                    let part = probe.take(&mut self.link, asked)?;
                    return self.taken(Vec::from_iter(part));
                }
                // Told once for our request and once for everybody.
                Event::VmDeath { .. } if self.vm_dead => {}
                Event::VmDeath { .. } => {
                    self.vm_dead = true;
                    if let Some(guard) = &mut self.guard {
                        guard.ends();
                    }
                    if let Some(probe) = self.probe {
                        // It may be asked as long as it stands still.
                        let parts = probe.rest(&mut self.link)?;
                        self.taken(parts)?;
                        self.ask_ahead()?;
                    }
                }
                _ => {}
            }
        }
        self.resume(composite)
    }

    /// Whoever an event has suspended goes on.
    fn resume(&mut self, composite: &Composite) -> Result<(), CaptureError> {
        match (composite.suspend_policy, composite.thread()) {
            (SuspendPolicy::NONE, _) => {}
            (SuspendPolicy::EVENT_THREAD, Some(thread)) => self.link.resume(thread),
            _ => self.link.resume_all(),
        }
        self.link.flush()?;
        Ok(())
    }

    /// A class of the scope was prepared, in a thread that stands still: it is read, and then instrumented.
    fn prepared(
        &mut self,
        thread: ThreadId,
        class: ReferenceTypeId,
        signature: &str,
    ) -> Result<(), CaptureError> {
        let known = self
            .program
            .class_with_signature(&mut self.link, class, signature)?;
        if !known.in_scope {
            return Ok(());
        }
        tracing::debug!(class = known.name, "prepared");
        match self.probe {
            None if self.running => return self.arrive(thread),
            // An interface, say: nothing to be put into, and nothing that would show.
            None if known.methods.iter().all(|method| method.code.is_none()) => {
                if let Ok(file) = self.file(&known) {
                    self.deriver.has_constants(class, file.constants(&known));
                }
                return Ok(());
            }
            None => {
                let unfit = match self.may_be_unfit {
                    true => self.unfit(thread, class, &known)?,
                    false => None,
                };
                if let Some(reason) = unfit {
                    tracing::info!(reason, "another engine goes on");
                    self.unfit = Some((thread, reason));
                    return Ok(());
                }
                // The class path is not to be read from here, and may have anything.
                if self.deriver.names.dotted(&known.name).is_none() {
                    self.also.births = true;
                    self.deriver.expects_births();
                }
                self.define(thread)?;
            }
            Some(_) if self.originals.iter().any(|(known, _)| *known == class) => return Ok(()),
            Some(_) => {}
        }
        self.instrument(Some(thread), vec![(class, known)])
    }

    /// The JVM gets the probe, in a thread that an event has suspended.
    pub(super) fn define(&mut self, thread: ThreadId) -> Result<(), CaptureError> {
        let probe = Probe::define(&mut self.link, thread, self.also)?;
        self.requests.push((EventKind::BREAKPOINT, probe.request));
        self.leave_word(&probe.farewell());
        // Before classes get their own code back: see [`Self::leave`].
        for clear in self.stops_asked() {
            self.leave_word(&clear);
        }
        self.leave_word(&virtual_machine::Resume);
        self.probe = Some(probe);
        Ok(())
    }

    /// Should this process be killed, the JVM gets that command before it is left.
    pub(super) fn leave_word<C: jdwp::Command>(&mut self, command: &C) {
        let Some(mut guard) = self.guard.take() else {
            return;
        };
        match guard.leave_word(&self.link, command) {
            Ok(()) => self.guard = Some(guard),
            Err(error) => {
                tracing::warn!(%error, "if jhyded is killed, the JVM keeps the code that records, which writes for nobody then");
                // It is not to act with half of the words.
                guard.dismiss();
            }
        }
    }

    /// The JVM goes: what is to be derived must not need it any more.
    fn ask_ahead(&mut self) -> Result<(), CaptureError> {
        if self.deriver.is_behind() || self.has_backlog() {
            self.deriver.ask_ahead(&mut self.program, &mut self.link)?;
        }
        Ok(())
    }

    /// Reads what logs have that are not full, from time to time, so that what has happened can be asked about, and threads
    /// that wait hold nobody back.
    fn drain(&mut self) -> Result<(), CaptureError> {
        let (last, took) = self.drained;
        let due = last.elapsed() > DRAIN.max(took * DRAIN_SHARE);
        let Some(probe) = self.probe.filter(|_| due && !self.vm_dead) else {
            return Ok(());
        };
        let begun = Instant::now();
        self.link.suspend_all()??;
        let parts = probe.rest(&mut self.link);
        self.link.resume_all();
        self.link.flush()?;
        self.drained = (Instant::now(), begun.elapsed());
        self.taken(parts?)
    }

    pub(super) fn thread_info(&mut self, thread: ThreadId) -> Result<ThreadInfo, CaptureError> {
        let name = self.link.request(&thread_reference::Name { thread })?;
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let group = match self
            .link
            .request(&thread_reference::ThreadGroup { thread })?
        {
            Ok(group) if !group.is_null() => {
                let told = self.link.request(&thread_group_reference::Name { group })?;
                told.ok().map(|name| name.to_string_lossy().into_owned())
            }
            _ => None,
        };
        Ok(ThreadInfo {
            id: jhyde_trace::ThreadId(0),
            name: name.unwrap_or_default(),
            group,
        })
    }

    fn end_as_ordered(&mut self, ending: Ending) -> State {
        let until = Instant::now() + LEAVE;
        self.leaving = Some(until + LEAVE / 3);
        self.link.hurry(until);
        let rest = self.take_rest(until);
        self.leave();
        match (rest, ending) {
            (Err(CaptureError::Link(error)), _) => State::ConnectionLost {
                reason: format!("the JVM did not answer when it was to be left: {error}"),
            },
            (Err(error), _) => State::Failed {
                reason: error.to_string(),
            },
            (Ok(()), Ending::Stop) => State::Stopped,
            (Ok(()), Ending::Limit) => State::LimitReached {
                reason: self.controller.limit(),
            },
            (Ok(()), Ending::Detach) => State::Detached,
        }
    }

    /// The JVM stands still: takes what it has told, and what its logs have. What comes only now is not recorded any more, and no
    /// thread could run for it.
    fn take_rest(&mut self, until: Instant) -> Result<(), CaptureError> {
        let comes = |event: &Event| {
            matches!(
                event,
                Event::ClassPrepare { .. } | Event::MethodEntry { .. } | Event::SingleStep { .. }
            )
        };
        self.stand_still(until, |engine, composite| {
            match composite.events.iter().all(comes) {
                true => engine.resume(composite),
                false => engine.composite(composite),
            }
        })?;
        if let Some(probe) = self.probe.filter(|_| !self.vm_dead) {
            let parts = probe.rest(&mut self.link)?;
            self.taken(parts)?;
            self.ask_ahead()?;
        }
        Ok(())
    }

    /// The JVM stands still, until its debug agent has told all that was on the way.
    fn stand_still(
        &mut self,
        until: Instant,
        take: impl Fn(&mut Self, &Composite) -> Result<(), CaptureError>,
    ) -> Result<(), CaptureError> {
        self.link.suspend_all()??;
        let mut quiet = Instant::now();
        while Instant::now() < until {
            match self.link.next()? {
                Some(Incoming::Event(composite)) => {
                    take(self, &composite)?;
                    quiet = Instant::now();
                }
                // Quiet is what was listened to in vain, not that nobody has listened.
                None if quiet.elapsed() >= QUIET => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// What clears the requests by which a thread may come to a stand.
    fn stops_asked(&self) -> Vec<event_request::Clear> {
        let requests = self.requests.iter();
        requests
            .filter(|(event_kind, _)| *event_kind != EventKind::VM_DEATH)
            .map(|&(event_kind, request)| event_request::Clear {
                event_kind,
                request,
            })
            .collect()
    }

    /// Disposes of the session, but of that of a JVM that ends: it is resumed, from its last event, too.
    fn dispose(&mut self, until: Instant) {
        let stood = self.stand_still(until, |engine, composite| {
            let ends = |event: &Event| matches!(event, Event::VmDeath { .. });
            if !engine.vm_dead && composite.events.iter().any(ends) {
                engine.vm_dead = true;
                engine.link.resume_all();
            }
            Ok(())
        });
        if let Err(error) = stood {
            tracing::debug!(%error, "the JVM did not come to a stand when it was to be left");
        }
        match self.vm_dead {
            true => self.link.resume_all(),
            false => drop(self.link.send(&virtual_machine::Dispose)),
        }
    }

    /// Puts the classes back as they were, and disposes of the session, which resumes all threads.
    ///
    /// It is disposed of while the JVM stands and its agent has told all that was on the way: an event that is to suspend its
    /// thread and meets the end of the session would leave that thread suspended for ever (see the guard in [`crate::jvm`]).
    fn leave(&mut self) {
        if self.left {
            return;
        }
        let until = self.leaving.unwrap_or_else(|| Instant::now() + LEAVE);
        self.link.hurry(until);
        if self.vm_dead {
            self.link.resume_all();
        } else {
            if let Some(probe) = self.probe {
                // Where the class is gone, so is what it would do.
                self.link.send(&probe.farewell());
                // Other agents may see the classes go by, and need what a thread holds, which is not to come to a stand.
                for clear in self.stops_asked() {
                    self.link.send(&clear);
                }
                self.link.resume_all();
            }
            self.put_back();
            self.dispose(until);
        }
        if self.link.flush().is_err() {
            return;
        }
        while Instant::now() < until {
            match self.link.next() {
                Err(LinkError::Closed { .. }) => {
                    self.left = true;
                    return;
                }
                Err(_) => return,
                Ok(_) => {}
            }
        }
    }
}
