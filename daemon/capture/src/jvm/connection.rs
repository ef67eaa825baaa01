//! Connections to JVMs: to one that listens (`server=y`), or from one that comes (`server=n`).

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use jdwp::commands::virtual_machine;
use jdwp::{HANDSHAKE, Handshake, HandshakeProgress, Session};
use jhyde_trace::JvmIdentity;

use crate::control::Controller;
use crate::error::{ConnectError, LinkError};
use crate::jvm::Guard;
use crate::jvm::Link;

/// How often a wait for somebody looks whether it was called off.
const TICK: Duration = Duration::from_millis(50);

/// A JVM that speaks JDWP with us; nothing has been asked of it but who it is.
pub struct Connection {
    pub(crate) link: Link,
    pub(crate) identity: JvmIdentity,
    /// Major version of its JDWP, which is that of the JDK.
    pub(crate) version: i32,
    /// It came to us suspended (`server=n,suspend=y`), so that its VM start event is certain.
    pub(crate) came: bool,
    pub(crate) guard: Option<Guard>,
    pub(crate) controller: Controller,
}

/// Where a JVM takes its classes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassPaths {
    /// The folder that the program was started in, to which entries are relative.
    pub folder: String,
    /// The class path.
    pub entries: Vec<String>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects to the debug port of a running JVM, within `timeout`, unless the controller ends it before.
    ///
    /// # Errors
    /// Each way in which this fails is a [`ConnectError`] of its own.
    pub fn attach(
        address: &str,
        timeout: Duration,
        controller: &Controller,
    ) -> Result<Self, ConnectError> {
        Self::attach_where(address, timeout, controller, |_| true)
    }

    /// The same, if the JVM's address is allowed: its name is looked up once, what it stands for is judged, and that is
    /// connected.
    ///
    /// # Errors
    /// As [`Connection::attach`], and [`ConnectError::NotAllowed`].
    pub fn attach_where(
        address: &str,
        timeout: Duration,
        controller: &Controller,
        allowed: impl Fn(SocketAddr) -> bool + Send + 'static,
    ) -> Result<Self, ConnectError> {
        let peer = Peer {
            address: address.to_owned(),
            deadline: Instant::now() + timeout,
            timeout,
            controller,
        };
        let stream = peer.open(allowed)?;
        Self::begin(stream, &peer, false)
    }

    /// Who the JVM is.
    pub fn identity(&self) -> JvmIdentity {
        self.identity.clone()
    }

    /// Where the JVM takes its classes from, as it says; nothing where it does not say.
    ///
    /// # Errors
    /// The connection broke.
    pub fn class_paths(&mut self) -> Result<ClassPaths, LinkError> {
        let said = self.link.request(&virtual_machine::ClassPaths)?;
        let Ok(said) = said else {
            return Ok(ClassPaths::default());
        };
        let folder = said.base_dir.to_string_lossy().into_owned();
        let entries = said.class_paths.iter();
        Ok(ClassPaths {
            folder,
            entries: entries
                .map(|entry| entry.to_string_lossy().into_owned())
                .collect(),
        })
    }

    fn begin(mut stream: TcpStream, peer: &Peer<'_>, came: bool) -> Result<Self, ConnectError> {
        let address = peer.address.clone();
        let mut session = Session::default();
        let rest = peer.shake_hands(&mut stream)?;
        session.receive(&rest);
        let broken = |source| ConnectError::Broken {
            address: address.clone(),
            source,
        };
        let mut link = Link::new(stream, session, peer.controller.clone()).map_err(broken)?;
        // One that came to us may be a busy one; nobody else is kept waiting by it.
        link.wait_until((!came).then_some(peer.deadline));
        let version = match link.request(&virtual_machine::Version) {
            Ok(Ok(version)) => version,
            Ok(Err(source)) => return Err(broken(source.into())),
            // A JVM that has a debugger may accept the connection and then close it.
            Err(LinkError::Closed { partial: None }) => return Err(ConnectError::Busy { address }),
            Err(LinkError::Timeout { .. }) => return Err(peer.late()),
            Err(LinkError::CalledOff) => return Err(ConnectError::Cancelled),
            Err(source) => return Err(broken(source)),
        };
        link.wait_until(None);
        let identity = JvmIdentity {
            address: address.clone(),
            name: version.vm_name.to_string_lossy().into_owned(),
            version: version.vm_version.to_string_lossy().into_owned(),
            description: version.description.to_string_lossy().into_owned(),
            command: Vec::new(),
        };
        Ok(Self {
            link,
            identity,
            version: version.jdwp_major,
            came,
            guard: None,
            controller: peer.controller.clone(),
        })
    }

    /// Has the JVM left running even if this process is killed: `program guard`, a process that is to call
    /// [`crate::stand_guard`], holds the connection until the recording has ended.
    ///
    /// # Errors
    /// It cannot be started. The connection is as it was.
    pub fn guarded_by(&mut self, program: &Path) -> std::io::Result<()> {
        self.guard = Some(self.link.guard(program)?);
        Ok(())
    }
}

/// Somebody who is to turn out to be a JVM.
struct Peer<'a> {
    address: String,
    deadline: Instant,
    /// How long until then when it began.
    timeout: Duration,
    controller: &'a Controller,
}

impl Peer<'_> {
    /// Connects. On a thread of its own, because neither looking a name up nor connecting can be called off.
    fn open(
        &self,
        allowed: impl Fn(SocketAddr) -> bool + Send + 'static,
    ) -> Result<TcpStream, ConnectError> {
        let (address, timeout) = (self.address.clone(), self.timeout);
        let (tell, told) = sync_channel(1);
        let connecting = move || drop(tell.send(open(&address, timeout, allowed)));
        let spawned = thread::Builder::new()
            .name("connect".into())
            .spawn(connecting);
        spawned.map_err(|source| ConnectError::Unreachable {
            address: self.address.clone(),
            source,
        })?;
        loop {
            match told.recv_timeout(TICK) {
                Ok(opened) => return opened,
                Err(RecvTimeoutError::Timeout) => self.left().map(drop)?,
                Err(RecvTimeoutError::Disconnected) => return Err(self.late()),
            }
        }
    }

    /// The time that is left, a tick at most.
    fn left(&self) -> Result<Duration, ConnectError> {
        if self.controller.order().is_some() {
            return Err(ConnectError::Cancelled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.late());
        }
        Ok(left.min(TICK))
    }

    fn late(&self) -> ConnectError {
        ConnectError::Timeout {
            address: self.address.clone(),
            after: self.timeout,
        }
    }

    /// Says and hears the handshake; gives the bytes that came after it.
    fn shake_hands(&self, stream: &mut TcpStream) -> Result<Vec<u8>, ConnectError> {
        let closed = || ConnectError::Busy {
            address: self.address.clone(),
        };
        stream.write_all(HANDSHAKE).map_err(|_| closed())?;
        let mut handshake = Handshake::new();
        let mut buffer = [0; 4096];
        loop {
            let left = self.left()?;
            stream.set_read_timeout(Some(left)).map_err(|_| closed())?;
            let read = match stream.read(&mut buffer) {
                Ok(0) => return Err(closed()),
                Ok(read) => read,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        continue;
                    }
                    _ => return Err(closed()),
                },
            };
            match handshake.receive(&buffer[..read]) {
                Ok(HandshakeProgress::Done { consumed }) => {
                    return Ok(buffer.get(consumed..read).unwrap_or_default().to_vec());
                }
                Ok(HandshakeProgress::Incomplete) => {}
                Err(error) => {
                    return Err(ConnectError::NotJdwp {
                        address: self.address.clone(),
                        said: error.first_bytes.escape_ascii().to_string(),
                    });
                }
            }
        }
    }
}

fn open(
    address: &str,
    timeout: Duration,
    allowed: impl Fn(SocketAddr) -> bool,
) -> Result<TcpStream, ConnectError> {
    let invalid = || ConnectError::Address(address.to_owned());
    let (host, port) = address.rsplit_once(':').ok_or_else(invalid)?;
    let port: u16 = port
        .parse()
        .ok()
        .filter(|&port| port != 0)
        .ok_or_else(invalid)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Err(invalid());
    }
    let unreachable = |source| ConnectError::Unreachable {
        address: address.to_owned(),
        source,
    };
    let mut last = std::io::Error::new(ErrorKind::NotFound, "the host has no address");
    let targets: Vec<SocketAddr> = (host, port)
        .to_socket_addrs()
        .map_err(unreachable)?
        .collect();
    if !targets.is_empty() && !targets.iter().any(|target| allowed(*target)) {
        let resolved: Vec<_> = targets.iter().map(SocketAddr::to_string).collect();
        return Err(ConnectError::NotAllowed {
            address: address.to_owned(),
            resolved: resolved.join(", "),
        });
    }
    for target in targets.into_iter().filter(|target| allowed(*target)) {
        match TcpStream::connect_timeout(&target, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(unreachable(last))
}

/// A port on the loopback address that waits for one JVM.
#[derive(Debug)]
pub struct Waiter {
    listener: TcpListener,
    port: u16,
}

impl Waiter {
    /// Opens a port; 0: any free one.
    ///
    /// # Errors
    /// [`ConnectError::Listen`] when the port cannot be had.
    pub fn bind(port: u16) -> Result<Self, ConnectError> {
        let listen = |source| ConnectError::Listen { port, source };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let port = listener.local_addr().map_err(listen)?.port();
        Ok(Self { listener, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits for a JVM. Somebody who connects and does not speak JDWP is sent away, and the wait
    /// goes on: on a shared machine a port scanner must not end it.
    ///
    /// # Errors
    /// [`ConnectError::NobodyCame`] after `timeout`, [`ConnectError::Cancelled`] when the controller ends it.
    pub fn accept(
        &self,
        timeout: Option<Duration>,
        controller: &Controller,
    ) -> Result<Connection, ConnectError> {
        self.accept_where(timeout, controller, |_| true)
    }

    /// The same, if its address is allowed. Others are sent away like those who do not speak JDWP.
    ///
    /// # Errors
    /// As [`Waiter::accept`].
    pub fn accept_where(
        &self,
        timeout: Option<Duration>,
        controller: &Controller,
        allowed: impl Fn(SocketAddr) -> bool,
    ) -> Result<Connection, ConnectError> {
        const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
        let begin = Instant::now();
        loop {
            if controller.order().is_some() {
                return Err(ConnectError::Cancelled);
            }
            if let Some(after) = timeout.filter(|&after| begin.elapsed() >= after) {
                return Err(ConnectError::NobodyCame {
                    port: self.port,
                    after,
                });
            }
            match self.listener.accept() {
                Ok((_, visitor)) if !allowed(visitor) => {
                    tracing::warn!(%visitor, "sent a visitor away whose address is not allowed");
                }
                Ok((stream, visitor)) => {
                    let peer = Peer {
                        address: visitor.to_string(),
                        deadline: Instant::now() + HANDSHAKE_TIME,
                        timeout: HANDSHAKE_TIME,
                        controller,
                    };
                    let connection = stream
                        .set_nonblocking(false)
                        .ok()
                        .map(|()| Connection::begin(stream, &peer, true));
                    match connection {
                        Some(Ok(connection)) => return Ok(connection),
                        Some(Err(error)) => tracing::warn!(%visitor, %error, "sent a visitor away"),
                        None => {}
                    }
                }
                // Polling at this pace costs nothing measurable and needs no second thread to wake us.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(ConnectError::Listen {
                        port: self.port,
                        source,
                    });
                }
            }
        }
    }
}
