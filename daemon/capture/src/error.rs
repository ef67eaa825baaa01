//! What can go wrong between jhyde and a JVM, told so that somebody can act on it.

use std::io;
use std::time::Duration;

use jhyde_trace::SinkError;
use jhyde_trace::echo::shown;
use thiserror::Error;

use crate::scope::PatternError;

/// The kinds of failure that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request makes no sense: an address, a pattern, an option.
    Invalid,
    /// Nobody is there, or the connection broke; it may help to try again later.
    Unavailable,
    /// Nothing came in time.
    Timeout,
    /// Something is there that is not a JVM's debug port.
    NotJdwp,
    /// The JVM has another debugger.
    Busy,
    /// The JVM or this version of jhyde cannot do it.
    Unsupported,
    /// Somebody called it off.
    Cancelled,
    /// The recording could not be written.
    Storage,
}

/// No connection to a JVM came to be.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The address is not one.
    #[error("'{}' is no address of a JVM: write HOST:PORT, such as localhost:5005", shown(.0))]
    Address(String),
    /// The host is not known, or the port cannot be reached.
    #[error(
        "cannot reach {0}: {source}; is the JVM running with -agentlib:jdwp=transport=dt_socket,server=y,address={0}?",
        shown(.address)
    )]
    Unreachable {
        /// Where.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The port to wait at cannot be opened.
    #[error("cannot listen at 127.0.0.1:{port}: {source}; choose another port, or 0 for any")]
    Listen {
        /// Which port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// Whoever is there does not speak JDWP.
    #[error(
        "{address} does not speak JDWP (it began with \"{said}\"): give the port of the JVM's debug agent"
    )]
    NotJdwp {
        /// Where.
        address: String,
        /// Its first bytes.
        said: String,
    },
    /// The peer closed the connection before or in the handshake.
    #[error(
        "{address} closed the connection in the handshake: most likely another debugger is attached to that JVM; detach it first"
    )]
    Busy {
        /// Where.
        address: String,
    },
    /// Whoever attaches may not go there.
    #[error("{address} stands for {resolved}, where JVMs may not be attached to")]
    NotAllowed {
        /// Where, as it was written.
        address: String,
        /// What it stands for.
        resolved: String,
    },
    /// Nothing came in time.
    #[error("{address} did not answer within {} ms: it hangs, is no JVM's debug port, or another debugger is attached", .after.as_millis())]
    Timeout {
        /// Where.
        address: String,
        /// How long was waited.
        after: Duration,
    },
    /// No JVM connected in time.
    #[error("no JVM connected to port {port} within {} ms: start it with -agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:{port}", .after.as_millis())]
    NobodyCame {
        /// The port.
        port: u16,
        /// How long was waited.
        after: Duration,
    },
    /// The wait was called off.
    #[error("the connection to a JVM was called off")]
    Cancelled,
    /// The connection failed after the handshake.
    #[error("{address} failed after the handshake: {source}")]
    Broken {
        /// Where.
        address: String,
        /// How.
        source: LinkError,
    },
}

impl ConnectError {
    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Address(_) | Self::NotAllowed { .. } => FailureKind::Invalid,
            Self::Unreachable { .. } | Self::Listen { .. } | Self::Broken { .. } => {
                FailureKind::Unavailable
            }
            Self::NotJdwp { .. } => FailureKind::NotJdwp,
            Self::Busy { .. } => FailureKind::Busy,
            Self::Timeout { .. } | Self::NobodyCame { .. } => FailureKind::Timeout,
            Self::Cancelled => FailureKind::Cancelled,
        }
    }
}

/// A recording could not begin, or could not go on.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// A pattern of the scope makes no sense.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The level or engine is not built yet.
    #[error("{0}")]
    Unsupported(String),
    /// The connection failed.
    #[error("the connection to the JVM failed: {0}")]
    Link(#[from] LinkError),
    /// The recording could not be written.
    #[error("the recording cannot be written: {0}")]
    Sink(#[from] SinkError),
    /// What waited in a file to be derived could not be read back.
    #[error(
        "what the program told and was still to be worked out cannot be read back from the disk: {error}"
    )]
    Backlog {
        /// Why.
        error: io::Error,
    },
}

impl From<jdwp::ReplyError> for CaptureError {
    fn from(error: jdwp::ReplyError) -> Self {
        Self::Link(error.into())
    }
}

impl CaptureError {
    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Pattern(_) => FailureKind::Invalid,
            Self::Unsupported(_) => FailureKind::Unsupported,
            Self::Link(LinkError::Timeout { .. }) => FailureKind::Timeout,
            Self::Link(LinkError::CalledOff) => FailureKind::Cancelled,
            Self::Link(_) => FailureKind::Unavailable,
            Self::Sink(_) | Self::Backlog { .. } => FailureKind::Storage,
        }
    }
}

/// A connection that was up failed.
#[derive(Debug, Error)]
pub enum LinkError {
    /// The peer closed it.
    #[error("the JVM closed the connection{}", .partial.map(|n| format!(" {n} bytes into a packet")).unwrap_or_default())]
    Closed {
        /// If a packet was cut, how many of its bytes had come.
        partial: Option<usize>,
    },
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The JVM did not answer a command.
    #[error("no answer to {command} within {} ms", .after.as_millis())]
    Timeout {
        /// The command.
        command: &'static str,
        /// How long was waited.
        after: Duration,
    },
    /// The recording was to end while the JVM was waited for.
    #[error("the JVM did not answer, and its recording was to end")]
    CalledOff,
    /// The peer broke the protocol.
    #[error("the peer broke the protocol: {0}")]
    Protocol(#[from] jdwp::ProtocolError),
    /// A reply could not be read.
    #[error("{0}")]
    Reply(#[from] jdwp::ReplyError),
}
