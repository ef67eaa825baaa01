//! The Java Debug Wire Protocol: every command, event and error as a type, a codec without I/O
//! and a tokio client.
//!
//! - [`Session`] is the protocol without I/O: commands in, bytes out; bytes in, replies and events
//!   out. Below it: [`Framer`], [`Handshake`], and [`codec`] for bodies.
//! - [`commands`] has a type for every command, [`event`] for what the JVM sends, [`types`] for
//!   what both are made of.
//! - [`Client`] drives a session over a tokio socket; [`Connection`] gives socket and session to
//!   who wants to drive them otherwise.
//!
//! "Spec" in these docs means the *Java Debug Wire Protocol* page of the JDK's documentation
//! (`jdwp-protocol.html`, specs of JDK 8 to 25) and the overview page `jdwp-spec.html`.
//!
//! Nothing that a peer sends panics or allocates more than a small multiple of the bytes it sent;
//! everything malformed is an error that says what and where. Not here: what events mean to a
//! debugger, class files, bytecode.
#![doc = ""]
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "client")]
mod client;
#[macro_use]
pub mod codec;
mod command;
pub mod commands;
pub mod event;
mod framer;
mod handshake;
mod packet;
mod session;
pub mod types;

#[cfg(feature = "client")]
pub use client::{
    Client, ConnectError, ConnectStage, Connection, ConnectionEnd, EventStream, Listener, Options,
    RequestError,
};
pub use codec::{DecodeError, DecodeErrorKind, IdSizes, Reader, Wire, Writer};
pub use command::{Command, CommandInfo, Message};
pub use event::{Composite, Event};
pub use framer::Framer;
pub use handshake::{HANDSHAKE, Handshake, HandshakeProgress, NotJdwp};
pub use packet::{FrameError, HEADER_LEN, Header, Packet, PacketId, PacketKind};
pub use session::{DEFAULT_MAX_PACKET, Incoming, ProtocolError, Reply, ReplyError, Session};
pub use types::*;
