//! What can go wrong with a connection: each kind apart, since each asks for something else.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::handshake::NotJdwp;
use crate::session::{ProtocolError, ReplyError};
use crate::types::ErrorCode;

/// How far a connection got before its time was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectStage {
    /// The TCP connection was being made.
    Connecting,
    /// The peer had not yet said all of its handshake.
    Handshake {
        /// How many of the 14 bytes it had said.
        received: usize,
    },
    /// The handshake was done, and the JVM had not yet said its identifier widths.
    IdSizes,
}

impl fmt::Display for ConnectStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connecting => f.write_str("while connecting"),
            Self::Handshake { received } => {
                write!(f, "in the handshake, after {received} of its 14 bytes")
            }
            Self::IdSizes => f.write_str("before the answer to the first command (IDSizes)"),
        }
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address is malformed or its host name is not known.
    #[error("cannot resolve the address {addr}: {source}; give HOST:PORT")]
    Address {
        /// The address as given.
        addr: String,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing listens there. A JVM stops listening while a debugger is attached.
    #[error(
        "connection to {addr} refused: no JVM waits for a debugger there (check host and port, \
         that the JVM was started with -agentlib:jdwp=transport=dt_socket,server=y, and that no \
         other debugger is attached to it)"
    )]
    Refused {
        /// The address.
        addr: String,
    },
    /// The system could not connect for another reason, or lost the connection.
    #[error("cannot connect to {addr}: {source}")]
    Io {
        /// The address.
        addr: String,
        /// What the system says.
        source: io::Error,
    },
    /// The peer is something else than a JVM's debug port.
    #[error("{addr} is not the debug port of a JVM: {source}")]
    NotJdwp {
        /// The address.
        addr: String,
        /// Its first bytes.
        source: NotJdwp,
    },
    /// The peer closed the connection in the handshake.
    #[error(
        "{addr} closed the connection in the handshake, after {received} of its 14 bytes: \
         probably another debugger is attached to this JVM"
    )]
    ClosedInHandshake {
        /// The address.
        addr: String,
        /// How many bytes of its handshake it had said.
        received: usize,
    },
    /// The peer closed the connection after the handshake, before its first answer.
    #[error("{addr} closed the connection right after the handshake: the JVM has probably ended")]
    ClosedAfterHandshake {
        /// The address.
        addr: String,
    },
    /// The time for connecting was over ([`Options::timeout`](super::Options)).
    #[error("no answer from {addr} within {after:?} {stage}")]
    Timeout {
        /// The address.
        addr: String,
        /// How far the connection had got.
        stage: ConnectStage,
        /// The limit.
        after: Duration,
    },
    /// The peer broke the protocol after the handshake.
    #[error("{addr} broke the protocol: {source}")]
    Protocol {
        /// The address.
        addr: String,
        /// How.
        source: ProtocolError,
    },
}

/// Why a connection is over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionEnd {
    /// This side closed it.
    #[error("the connection was closed on this side")]
    ClosedHere,
    /// The JVM closed it: it has ended, or answered `Dispose`.
    #[error("the JVM closed the connection")]
    ClosedByPeer,
    /// The JVM closed it in the middle of a packet.
    #[error(
        "the JVM closed the connection in the middle of a packet ({arrived} bytes of {})",
        expected.map_or_else(|| "its header".to_owned(), |length| length.to_string())
    )]
    ClosedMidPacket {
        /// Bytes of the packet that arrived.
        arrived: usize,
        /// Bytes that it should have had, if that many arrived to tell.
        expected: Option<usize>,
    },
    /// The JVM broke the protocol.
    #[error("the JVM broke the protocol: {0}")]
    Protocol(#[from] ProtocolError),
    /// The system lost it.
    #[error("the connection failed: {0}")]
    Io(io::Error),
}

/// Why a request has no reply data.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The JVM refused the command, or its reply data are malformed. The connection goes on.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// No reply in time. The connection goes on; a later reply is dropped.
    #[error("no reply to {command} within {after:?}")]
    Timeout {
        /// The command.
        command: &'static str,
        /// The limit.
        after: Duration,
    },
    /// The connection is over.
    #[error("no reply to {command}: {end}")]
    Ended {
        /// The command.
        command: &'static str,
        /// Why it is over.
        end: Arc<ConnectionEnd>,
    },
}

impl RequestError {
    /// The JVM's error code, if the JVM refused the command.
    pub const fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Reply(ReplyError::Jvm { code, .. }) => Some(*code),
            _ => None,
        }
    }
}
