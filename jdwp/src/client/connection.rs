//! Making connections: TCP, handshake, identifier widths; all within one time limit.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs, lookup_host};
use tokio::time::{Instant, timeout_at};

use super::errors::{ConnectError, ConnectStage};
use super::handle::Client;
use crate::handshake::{HANDSHAKE, Handshake, HandshakeProgress};
use crate::session::{DEFAULT_MAX_PACKET, Session};

/// How to connect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The limit for all of connecting: TCP, handshake, the first answer. 10 seconds unless set.
    pub timeout: Duration,
    /// The greatest packet to accept, in bytes; [`DEFAULT_MAX_PACKET`] unless set.
    pub max_packet: usize,
    /// How long [`Client::request`] waits for a reply; `None` for ever. 30 seconds unless set.
    pub request_timeout: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_packet: DEFAULT_MAX_PACKET,
            request_timeout: Some(Duration::from_secs(30)),
        }
    }
}

impl Options {
    /// Sets the limit for connecting.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the greatest packet to accept, in bytes.
    #[must_use]
    pub const fn max_packet(mut self, bytes: usize) -> Self {
        self.max_packet = bytes;
        self
    }

    /// Sets how long a request waits for its reply; `None` for ever.
    #[must_use]
    pub const fn request_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.request_timeout = timeout;
        self
    }
}

/// A connection to a JVM: handshake done, identifier widths known, `TCP_NODELAY` set.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    session: Session,
    options: Options,
}

impl Connection {
    /// Connects to a JVM that waits for a debugger (`server=y`).
    pub async fn connect<A>(addr: A, options: Options) -> Result<Self, ConnectError>
    where
        A: ToSocketAddrs + fmt::Display,
    {
        let name = addr.to_string();
        let deadline = Instant::now() + options.timeout;
        let connecting = within(deadline, ConnectStage::Connecting, &name, &options, async {
            let candidates = lookup_host(addr)
                .await
                .map_err(|source| ConnectError::Address {
                    addr: name.clone(),
                    source,
                })?;
            connect_any(candidates, &name).await
        });
        Self::establish(connecting.await?, name, deadline, options).await
    }

    /// Does the handshake on a TCP connection that exists already, whoever made it. The limit of
    /// `options` begins now.
    pub async fn from_stream(stream: TcpStream, options: Options) -> Result<Self, ConnectError> {
        let peer = stream.peer_addr();
        let name = peer.map_or_else(|_| "the peer".to_owned(), |addr| addr.to_string());
        let deadline = Instant::now() + options.timeout;
        Self::establish(stream, name, deadline, options).await
    }

    async fn establish(
        stream: TcpStream,
        name: String,
        deadline: Instant,
        options: Options,
    ) -> Result<Self, ConnectError> {
        let io_error = |source| ConnectError::Io {
            addr: name.clone(),
            source,
        };
        stream.set_nodelay(true).map_err(io_error)?;
        let session = Session::new(options.max_packet);
        let mut opening = Opening {
            stream,
            session,
            handshake: Handshake::new(),
            greeted: false,
        };
        match timeout_at(deadline, opening.run(&name)).await {
            Ok(result) => result?,
            Err(_) => {
                let stage = opening.stage();
                return Err(ConnectError::Timeout {
                    addr: name,
                    stage,
                    after: options.timeout,
                });
            }
        }
        let Opening {
            stream, session, ..
        } = opening;
        Ok(Self {
            stream,
            session,
            options,
        })
    }

    /// The socket and the session, to drive both by hand. Poll the session before reading: events
    /// may have arrived already.
    pub fn into_parts(self) -> (TcpStream, Session) {
        (self.stream, self.session)
    }

    /// As [`into_parts`](Self::into_parts), with a blocking socket of the standard library for a
    /// thread of its own.
    pub fn into_std_parts(self) -> io::Result<(std::net::TcpStream, Session)> {
        let stream = self.stream.into_std()?;
        stream.set_nonblocking(false)?;
        Ok((stream, self.session))
    }

    /// Starts the task that moves the bytes, on the current tokio runtime.
    pub fn into_client(self) -> Client {
        Client::start(self.stream, self.session, self.options.request_timeout)
    }

    /// The session.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The address of the JVM.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.stream.peer_addr()
    }
}

/// Waits for JVMs that connect to the debugger (`server=n`).
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
}

impl Listener {
    /// Listens at an address; port 0 takes a free one.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(addr).await?,
        })
    }

    /// Where it listens: what to tell the JVM (`address=HOST:PORT`).
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits for the next JVM, as long as it takes, and does the handshake within the limit of
    /// `options`. After an error the listener can be used on. Can be cancelled.
    pub async fn accept(&self, options: Options) -> Result<Connection, ConnectError> {
        match self.listener.accept().await {
            Ok((stream, _)) => Connection::from_stream(stream, options).await,
            Err(source) => {
                let addr = self.local_addr();
                let addr = addr.map_or_else(|_| "the listener".to_owned(), |a| a.to_string());
                Err(ConnectError::Io { addr, source })
            }
        }
    }
}

async fn within<T>(
    deadline: Instant,
    stage: ConnectStage,
    addr: &str,
    options: &Options,
    work: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    timeout_at(deadline, work).await.unwrap_or_else(|_| {
        Err(ConnectError::Timeout {
            addr: addr.to_owned(),
            stage,
            after: options.timeout,
        })
    })
}

/// Tries all addresses of a name in turn; the last failure counts.
async fn connect_any(
    candidates: impl Iterator<Item = SocketAddr>,
    name: &str,
) -> Result<TcpStream, ConnectError> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for candidate in candidates {
        match TcpStream::connect(candidate).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    let addr = name.to_owned();
    Err(match failure.kind() {
        io::ErrorKind::ConnectionRefused => ConnectError::Refused { addr },
        _ => ConnectError::Io {
            addr,
            source: failure,
        },
    })
}

/// A connection on its way to being ready. Its progress outlives a timeout, for the message.
struct Opening {
    stream: TcpStream,
    session: Session,
    handshake: Handshake,
    greeted: bool,
}

impl Opening {
    const fn stage(&self) -> ConnectStage {
        if self.greeted {
            ConnectStage::IdSizes
        } else {
            ConnectStage::Handshake {
                received: self.handshake.received(),
            }
        }
    }

    async fn run(&mut self, name: &str) -> Result<(), ConnectError> {
        let addr = || name.to_owned();
        let written = self.stream.write_all(HANDSHAKE).await;
        written.map_err(|error| self.lost(error, name))?;
        let mut buffer = [0; 256];
        while !self.greeted {
            let count = match self.stream.read(&mut buffer).await {
                Ok(count) => count,
                Err(error) => return Err(self.lost(error, name)),
            };
            let bytes = buffer.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                let received = self.handshake.received();
                return Err(ConnectError::ClosedInHandshake {
                    addr: addr(),
                    received,
                });
            }
            match self.handshake.receive(bytes) {
                Ok(HandshakeProgress::Incomplete) => {}
                Ok(HandshakeProgress::Done { consumed }) => {
                    self.session
                        .receive(bytes.get(consumed..).unwrap_or_default());
                    self.greeted = true;
                }
                Err(source) => {
                    return Err(ConnectError::NotJdwp {
                        addr: addr(),
                        source,
                    });
                }
            }
        }
        let question = self.session.take_outgoing();
        let written = self.stream.write_all(&question).await;
        written.map_err(|error| self.lost(error, name))?;
        loop {
            let ready = self.session.try_ready();
            if ready.map_err(|source| ConnectError::Protocol {
                addr: addr(),
                source,
            })? {
                return Ok(());
            }
            match self.stream.read_buf(self.session.receive_buffer()).await {
                Ok(0) => return Err(ConnectError::ClosedAfterHandshake { addr: addr() }),
                Ok(_) => {}
                Err(error) => return Err(self.lost(error, name)),
            }
        }
    }

    /// A reset is a close by a peer that was in a hurry.
    fn lost(&self, error: io::Error, name: &str) -> ConnectError {
        let addr = name.to_owned();
        match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe if self.greeted => {
                ConnectError::ClosedAfterHandshake { addr }
            }
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                ConnectError::ClosedInHandshake {
                    addr,
                    received: self.handshake.received(),
                }
            }
            _ => ConnectError::Io {
                addr,
                source: error,
            },
        }
    }
}
