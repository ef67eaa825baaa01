//! A blocking connection over the protocol core: commands go out together, replies and events come
//! in the JVM's order, and a caller may wait for one reply without losing what comes before it.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jdwp::commands::{thread_reference, virtual_machine};
use jdwp::{Command, Incoming, PacketId, Reply, ReplyError, Session, SuspendPolicy, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::burden::Standing;
use crate::control::Controller;
use crate::error::LinkError;
use crate::jvm::{Guard, Heard};
use crate::pace::Pace;

/// How often a reader that waits looks whether it was told to stop.
const TICK: Duration = Duration::from_millis(50);
/// How long a reader looks for more before it sleeps.
const AWAKE: Duration = Duration::from_millis(1);
/// How long a JVM may take to answer one command. A JVM in a long garbage collection answers late.
const ANSWER: Duration = Duration::from_secs(30);
/// How long it may when the recording is to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// See the module.
pub(crate) struct Link {
    stream: TcpStream,
    session: Session,
    /// Came while somebody waited for a reply; to be handled next, in this order.
    backlog: VecDeque<Incoming>,
    /// Replies that somebody will ask for by id, and those of them that are here.
    awaited: FxHashSet<u32>,
    arrived: FxHashMap<u32, Reply>,
    buffer: Box<[u8; 1 << 16]>,
    /// There is a processor beside the one that the debuggee runs on.
    stays_awake: bool,
    /// Nothing has come since the last sleep began.
    slept: bool,
    /// Who stands still for us.
    standing: Standing,
    /// Ends every wait.
    controller: Controller,
    /// Ends every wait, too.
    until: Option<Instant>,
    /// The JVM reads no more: what it has sent is still to be read.
    deaf: bool,
    /// What is asked about objects, and what is said to it, while somebody wants that to be noted.
    heard: Option<Heard>,
}

/// What [`Link::receive`] waited for.
enum Received {
    Incoming(Incoming),
    /// A reply that somebody will ask for.
    Awaited,
    /// Nothing came for a tick.
    Nothing,
}

impl Link {
    /// Takes a stream whose handshake is done. Waits end when the controller says so.
    pub(crate) fn new(
        stream: TcpStream,
        session: Session,
        controller: Controller,
    ) -> Result<Self, LinkError> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TICK))?;
        stream.set_write_timeout(Some(TICK))?;
        Ok(Self {
            stream,
            session,
            backlog: VecDeque::new(),
            awaited: FxHashSet::default(),
            arrived: FxHashMap::default(),
            buffer: Box::new([0; 1 << 16]),
            stays_awake: std::thread::available_parallelism()
                .is_ok_and(|processors| processors.get() > 1),
            slept: false,
            standing: Standing::new(
                Arc::clone(controller.burden()),
                Pace::new(Arc::clone(controller.slowness())),
            ),
            controller,
            until: None,
            deaf: false,
            heard: None,
        })
    }

    /// No wait lasts longer than until then; `None`: as long as a JVM may take.
    pub(crate) fn wait_until(&mut self, until: Option<Instant>) {
        self.until = until;
    }

    /// The end was asked for and is being carried out: from now on only the clock ends waits.
    pub(crate) fn hurry(&mut self, until: Instant) {
        self.controller = Controller::default();
        self.until = Some(until);
    }

    /// May a wait that began then go on?
    fn may_wait(&self, since: Instant, command: &'static str) -> Result<(), LinkError> {
        if self.controller.waited(PATIENCE) {
            return Err(LinkError::CalledOff);
        }
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over || since.elapsed() > ANSWER {
            let after = since.elapsed();
            return Err(LinkError::Timeout { command, after });
        }
        Ok(())
    }

    /// See [`Guard::start`].
    pub(crate) fn guard(&self, program: &Path) -> std::io::Result<Guard> {
        Guard::start(program, &self.stream)
    }

    /// A command that is sent by whoever leaves the JVM in our place: see [`Guard::leave_word`].
    pub(crate) fn packet<C: Command>(&self, id: PacketId, command: &C) -> Vec<u8> {
        self.session.packet(id, command)
    }

    /// Queues a command; its reply comes through [`Link::next`].
    pub(crate) fn send<C: Command>(&mut self, command: &C) -> PacketId {
        self.session.send(command)
    }

    /// Queues a command whose reply is taken with [`Link::reply`].
    pub(crate) fn ask<C: Command>(&mut self, command: &C) -> PacketId {
        let id = self.session.send(command);
        self.awaited.insert(id.0);
        if let Some(heard) = &mut self.heard {
            heard.note(id, command);
        }
        id
    }

    /// From here on what is asked about objects is noted with what the JVM says.
    pub(crate) fn listen(&mut self) {
        self.heard = Some(Heard::default());
    }

    /// What was noted since.
    pub(crate) fn take_heard(&mut self) -> Heard {
        self.heard.take().unwrap_or_default()
    }

    /// Queues the order that a thread goes on, where it was suspended once.
    pub(crate) fn resume(&mut self, thread: ThreadId) {
        self.session.send(&thread_reference::Resume { thread });
        self.standing.resumed(thread);
    }

    /// Queues the order that all threads go on, where they were suspended once.
    pub(crate) fn resume_all(&mut self) {
        self.session.send(&virtual_machine::Resume);
        self.standing.resumed_all();
    }

    /// Suspends all threads, and waits until they stand. The inner result is the JVM's own refusal.
    pub(crate) fn suspend_all(&mut self) -> Result<Result<(), ReplyError>, LinkError> {
        let suspended = self.request(&virtual_machine::Suspend)?;
        if suspended.is_ok() {
            self.standing.suspended_all();
        }
        Ok(suspended)
    }

    /// Writes out what is queued, in one go.
    pub(crate) fn flush(&mut self) -> Result<(), LinkError> {
        let bytes = self.session.take_outgoing();
        let mut rest = &bytes[..];
        let mut waits = None;
        while !rest.is_empty() && !self.deaf {
            match self.stream.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                // A JVM that reads nothing for long is dead; without a bound, writing would hang with it.
                Err(error) if is_tick(&error) => {
                    let since = *waits.get_or_insert_with(Instant::now);
                    self.may_wait(since, "anything: it does not read")?;
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    // What it said before, its end among it, is still to be heard.
                    ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => self.deaf = true,
                    _ => return Err(error.into()),
                },
            }
        }
        Ok(())
    }

    /// Decodes a reply's data.
    pub(crate) fn decode<C: Command>(&self, reply: &Reply) -> Result<C::Reply, ReplyError> {
        reply.decode::<C>(&self.session.id_sizes())
    }

    /// The next thing that the JVM sent, or `None` after a tick without anything.
    pub(crate) fn next(&mut self) -> Result<Option<Incoming>, LinkError> {
        if let Some(incoming) = self.backlog.pop_front() {
            return Ok(Some(incoming));
        }
        loop {
            match self.receive()? {
                Received::Incoming(incoming) => return Ok(Some(incoming)),
                Received::Awaited => {}
                Received::Nothing => return Ok(None),
            }
        }
    }

    /// The next thing that the JVM sent, if it is here: waits for nothing.
    pub(crate) fn arrived(&mut self) -> Result<Option<Incoming>, LinkError> {
        if !self.backlog.is_empty() {
            return self.next();
        }
        self.flush()?;
        match recv(&self.stream, &mut self.buffer[..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => {
                let partial = self.session.partial_packet().map(|(have, _)| have);
                return Err(LinkError::Closed { partial });
            }
            Ok((read, _)) => self.session.receive(&self.buffer[..read]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::CONNRESET) => return Err(LinkError::Closed { partial: None }),
            Err(error) => return Err(std::io::Error::from(error).into()),
        }
        self.poll()
    }

    /// Is there something that can be handled without reading from the socket?
    pub(crate) fn has_backlog(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// What of that which was read is whole. A thread that it has suspended stands from now on.
    fn poll(&mut self) -> Result<Option<Incoming>, LinkError> {
        let incoming = self.session.poll()?;
        if let Some(Incoming::Event(composite)) = &incoming {
            self.standing.told(composite);
        }
        Ok(incoming)
    }

    fn receive(&mut self) -> Result<Received, LinkError> {
        loop {
            match self.poll()? {
                Some(Incoming::Reply(reply)) if self.awaited.remove(&reply.id.0) => {
                    self.arrived.insert(reply.id.0, reply);
                    return Ok(Received::Awaited);
                }
                Some(other) => return Ok(Received::Incoming(other)),
                None => {}
            }
            self.flush()?;
            match self.read() {
                Ok(0) => {
                    let partial = self.session.partial_packet().map(|(have, _)| have);
                    return Err(LinkError::Closed { partial });
                }
                Ok(read) => self.session.receive(&self.buffer[..read]),
                Err(error) if is_tick(&error) => return Ok(Received::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    return Err(LinkError::Closed { partial: None });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads what the JVM sent, after a tick at the latest. Before it sleeps it looks for [`AWAKE`] whether something
    /// came: waking a sleeper on another processor costs more than all that the two sides do for one stop.
    fn read(&mut self) -> std::io::Result<usize> {
        let asleep_at = Instant::now() + AWAKE;
        while self.stays_awake && !self.slept && Instant::now() < asleep_at {
            match recv(&self.stream, &mut self.buffer[..], RecvFlags::DONTWAIT) {
                Ok((read, _)) => return Ok(read),
                // Whoever else wants the processor goes first.
                Err(Errno::AGAIN) => std::thread::yield_now(),
                Err(error) => return Err(error.into()),
            }
        }
        let read = self.stream.read(&mut self.buffer[..]);
        self.slept = read.is_err();
        read
    }

    /// Waits for the reply to a command that was queued with [`Link::ask`]. What else comes is kept.
    pub(crate) fn reply<C: Command>(
        &mut self,
        id: PacketId,
    ) -> Result<Result<C::Reply, ReplyError>, LinkError> {
        self.reply_of::<C>(id, None)
    }

    /// Sends a command that runs a method in this thread, and waits until it has: events do not hold the thread up meanwhile,
    /// since the reply would never come. They are kept as ones that have suspended nobody.
    pub(crate) fn invoke<C: Command>(
        &mut self,
        command: &C,
        thread: ThreadId,
    ) -> Result<Result<C::Reply, ReplyError>, LinkError> {
        let id = self.ask(command);
        self.reply_of::<C>(id, Some(thread))
    }

    fn reply_of<C: Command>(
        &mut self,
        id: PacketId,
        runs: Option<ThreadId>,
    ) -> Result<Result<C::Reply, ReplyError>, LinkError> {
        let reply = self.raw_reply_of(id, C::NAME, runs)?;
        Ok(self.decode::<C>(&reply))
    }

    /// As [`Link::reply`], not decoded.
    pub(super) fn raw_reply(
        &mut self,
        id: PacketId,
        command: &'static str,
    ) -> Result<Reply, LinkError> {
        self.raw_reply_of(id, command, None)
    }

    fn raw_reply_of(
        &mut self,
        id: PacketId,
        command: &'static str,
        runs: Option<ThreadId>,
    ) -> Result<Reply, LinkError> {
        let since = Instant::now();
        loop {
            if let Some(reply) = self.arrived.remove(&id.0) {
                if let Some(heard) = &mut self.heard {
                    heard.hear(&reply);
                }
                return Ok(reply);
            }
            match self.receive()? {
                Received::Incoming(mut other) => {
                    if let Incoming::Event(composite) = &mut other
                        && let Some(thread) = runs.filter(|_| composite.thread() == runs)
                        && composite.suspend_policy == SuspendPolicy::EVENT_THREAD
                    {
                        composite.suspend_policy = SuspendPolicy::NONE;
                        self.resume(thread);
                    }
                    self.backlog.push_back(other);
                    // One who tells for ever and answers nothing leaves no tick in between.
                    if self.backlog.len().is_multiple_of(256) {
                        self.may_wait(since, command)?;
                    }
                }
                Received::Awaited => {}
                Received::Nothing => self.may_wait(since, command)?,
            }
        }
    }

    /// Sends one command and waits for its reply. The inner result is the JVM's own refusal.
    pub(crate) fn request<C: Command>(
        &mut self,
        command: &C,
    ) -> Result<Result<C::Reply, ReplyError>, LinkError> {
        let id = self.ask(command);
        self.reply::<C>(id)
    }

    /// Sends many commands at once and waits for all replies, in order.
    pub(crate) fn request_all<C: Command>(
        &mut self,
        commands: impl IntoIterator<Item = C>,
    ) -> Result<Vec<Result<C::Reply, ReplyError>>, LinkError> {
        let ids: Vec<_> = commands
            .into_iter()
            .map(|command| self.ask(&command))
            .collect();
        ids.into_iter().map(|id| self.reply::<C>(id)).collect()
    }
}

fn is_tick(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
