//! One JVM as an engine sees it: the link, how it stands with the JVM behind it, and what its threads and frames are
//! called. What is made of that is the engine's.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{thread_group_reference, thread_reference, virtual_machine};
use jdwp::{Composite, Event, EventKind, Incoming, Location, PacketId, SuspendPolicy};

use crate::control::Controller;
use crate::error::LinkError;
use crate::jvm::{Connection, Guard, Link};

/// Ticks after which nothing is on its way, unless the JVM stands still itself: a second.
const LONG_SILENCE: u32 = 20;

/// A frame of a thread's stack, as `ThreadReference.Frames` tells it.
pub(crate) type StackFrame = thread_reference::Frame;

/// See the module.
pub(crate) struct Jvm {
    pub(crate) link: Link,
    /// Dismissed when the JVM was left.
    guard: Option<Guard>,
    /// Who ends the recording from outside.
    pub(crate) controller: Controller,
    /// Major version of the JVM's JDWP: 17, 25.
    pub(crate) version: i32,
    /// See [`Connection::came`].
    pub(crate) came: bool,
    /// The JVM said that it ends.
    pub(crate) dead: bool,
    /// Nothing is to be done for the JVM any more: it was left, or its side closed the connection.
    pub(crate) left: bool,
    /// Frames could not be named without asking; every entry asks first from now on.
    pub(crate) unpredictable: bool,
    /// Ticks since the JVM told something last.
    silence: u32,
    /// Ticks of silence after which a JVM that has told nothing yet is asked whether it runs; `None`: it does.
    nudge: Option<u32>,
}

/// A thread as the JVM knows it.
#[derive(Debug)]
pub(crate) struct ThreadNames {
    pub(crate) name: String,
    pub(crate) group: Option<String>,
    pub(crate) is_virtual: bool,
}

impl Jvm {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            link: connection.link,
            guard: connection.guard,
            controller: connection.controller,
            version: connection.version,
            came: connection.came,
            dead: false,
            left: false,
            unpredictable: false,
            silence: 0,
            nudge: Some(LONG_SILENCE),
        }
    }

    /// The next thing that the JVM sent, or `None` after a tick without anything.
    pub(crate) fn next(&mut self) -> Result<Option<Incoming>, LinkError> {
        let incoming = self.link.next()?;
        match &incoming {
            None => self.silence += 1,
            Some(_) => self.silence = 0,
        }
        if let Some(Incoming::Event(composite)) = &incoming {
            self.nudge = None;
            // Known before anything can fail: a JVM that dies is left in another way.
            self.dead |= is_death(composite);
        }
        Ok(incoming)
    }

    /// Has whoever had something to tell told it?
    pub(crate) fn is_silent(&self) -> bool {
        self.silence >= LONG_SILENCE
    }

    /// A JVM that stands at its start loses a resume that comes too early, and then says nothing for ever. As long as
    /// it has told nothing, it is asked now and then, ever more rarely. Does it stand, with nothing on its way?
    pub(crate) fn stands_unseen(&mut self) -> Result<bool, LinkError> {
        if self.nudge != Some(self.silence) {
            return Ok(false);
        }
        self.nudge = Some((self.silence * 2).max(LONG_SILENCE));
        let threads = self.link.request(&virtual_machine::AllThreads)?;
        let asked = threads.unwrap_or_default().into_iter();
        let asked = asked.map(|thread| thread_reference::SuspendCount { thread });
        let counts = self.link.request_all(asked)?;
        let mut told = counts.into_iter().flatten().peekable();
        let stand = told.peek().is_some() && told.all(|count| count > 0);
        Ok(stand && !self.link.has_backlog())
    }

    /// What a thread is called.
    pub(crate) fn names(&mut self, thread: jdwp::ThreadId) -> Result<ThreadNames, LinkError> {
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
                .request(&thread_group_reference::Name { group })?
                .ok()
                .map(|name| name.to_string_lossy().into_owned()),
            _ => None,
        };
        let name = name.map_or_else(
            |_| String::new(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(ThreadNames {
            name,
            group,
            is_virtual,
        })
    }

    /// The whole stack of a suspended thread, innermost first; nothing where the JVM does not tell.
    pub(crate) fn stack(&mut self, thread: jdwp::ThreadId) -> Result<Vec<StackFrame>, LinkError> {
        let all = thread_reference::Frames {
            thread,
            start_frame: 0,
            length: -1,
        };
        Ok(self.link.request(&all)?.unwrap_or_default())
    }

    /// Sets an event request, and waits until the JVM has it.
    pub(crate) fn set(
        &mut self,
        event_kind: EventKind,
        suspend_policy: SuspendPolicy,
        modifiers: Vec<Modifier>,
    ) -> Result<(), LinkError> {
        self.link.request(&event_request::Set {
            event_kind,
            suspend_policy,
            modifiers,
        })??;
        Ok(())
    }

    /// Has the exits of a thread reported that this lets through; none suspends it.
    pub(crate) fn ask_exits(&mut self, thread: jdwp::ThreadId, only: Modifier) -> PacketId {
        self.link.ask(&event_request::Set {
            event_kind: EventKind::METHOD_EXIT_WITH_RETURN_VALUE,
            suspend_policy: SuspendPolicy::NONE,
            modifiers: vec![Modifier::ThreadOnly { thread }, only],
        })
    }

    /// Clears an event request, by the command that set it. One that was refused needs no clearing.
    pub(crate) fn clear(
        &mut self,
        event_kind: EventKind,
        asked: PacketId,
    ) -> Result<(), LinkError> {
        if let Ok(request) = self.link.reply::<event_request::Set>(asked)? {
            self.link.send(&event_request::Clear {
                event_kind,
                request,
            });
        }
        Ok(())
    }

    /// The JVM has told that it ends.
    pub(crate) fn ends(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.ends();
        }
    }

    /// The guard has nothing to do any more if the JVM was left.
    pub(crate) fn dismiss_guard(&mut self) {
        if let Some(guard) = self.guard.take_if(|_| self.left) {
            guard.dismiss();
        }
    }
}

/// Does the JVM tell its end?
pub(crate) fn is_death(composite: &Composite) -> bool {
    let mut events = composite.events.iter();
    events.any(|event| matches!(event, Event::VmDeath { .. }))
}

/// A request that suspends a thread, or this one alone, at a place.
pub(crate) fn breakpoint(location: Location, thread: Option<jdwp::ThreadId>) -> event_request::Set {
    let mut modifiers = vec![Modifier::LocationOnly { location }];
    modifiers.extend(thread.map(|thread| Modifier::ThreadOnly { thread }));
    event_request::Set {
        event_kind: EventKind::BREAKPOINT,
        suspend_policy: SuspendPolicy::EVENT_THREAD,
        modifiers,
    }
}
