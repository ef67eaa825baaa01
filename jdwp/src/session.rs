//! The debugger's side of a connection as a state machine without I/O: commands in, bytes out;
//! bytes in, replies and events out. No socket, no clock, no lock.

use std::collections::VecDeque;

use bytes::{Buf, Bytes, BytesMut};
use rustc_hash::FxHashMap;

use crate::codec::{DecodeError, IdSizes, InvalidIdSizes, Writer, decode};
use crate::command::Command;
use crate::commands::{self, virtual_machine};
use crate::event::Composite;
use crate::framer::Framer;
use crate::packet::{self, FrameError, Packet, PacketId, PacketKind};
use crate::types::ErrorCode;

/// The bound on packets unless another is asked for: 64 MiB.
pub const DEFAULT_MAX_PACKET: usize = 64 << 20;

/// A debugging session after the handshake.
///
/// Commands are encoded into an outgoing buffer ([`send`](Self::send)); whoever owns the socket
/// writes it out, all of it at once. Bytes that arrive are fed with [`receive`](Self::receive) or
/// read straight into [`receive_buffer`](Self::receive_buffer); [`poll`](Self::poll) then gives
/// replies and events in the order in which the JVM sent them.
///
/// A new session sends `VirtualMachine.IDSizes` by itself and is [`ready`](Self::is_ready) when
/// the answer is here. Packets that arrive before it (a VM start event) are kept until then:
/// nothing is ever decoded with guessed widths.
#[derive(Debug)]
pub struct Session {
    framer: Framer,
    outgoing: BytesMut,
    next_id: u32,
    /// Commands sent and not yet answered: set and command, for messages and to refuse replies
    /// that nobody asked for.
    pending: FxHashMap<u32, (u8, u8)>,
    sizes: Sizes,
    /// Set by the first protocol error; nothing is decoded after it.
    broken: Option<ProtocolError>,
}

#[derive(Debug)]
enum Sizes {
    /// Asked by this packet. `early` arrived before the answer; they were within the packet
    /// bound one by one, and `early_bytes` keeps them within it together.
    Asked {
        id: PacketId,
        early: VecDeque<Packet>,
        early_bytes: usize,
    },
    /// Known; `early` is drained first.
    Known {
        sizes: IdSizes,
        early: VecDeque<Packet>,
    },
}

/// Something that the JVM sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// The answer to a command.
    Reply(Reply),
    /// Events.
    Event(Composite),
    /// A command other than events; the spec has none.
    Command {
        /// The JVM's packet number.
        id: PacketId,
        /// Command set.
        set: u8,
        /// Command.
        command: u8,
        /// Its data.
        body: Bytes,
    },
}

/// The answer to a command, its body not yet decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What [`Session::send`] returned for the command.
    pub id: PacketId,
    /// Set and number of the command.
    pub command: (u8, u8),
    /// Success, or why there is no data.
    pub error: ErrorCode,
    /// The reply data: a slice of the receive buffer, not a copy.
    pub body: Bytes,
}

/// The peer broke the protocol. The connection is of no use any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A malformed header.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A malformed event composite.
    #[error("cannot decode an event composite: {0}")]
    Event(DecodeError),
    /// A malformed reply to `VirtualMachine.IDSizes`, without which nothing can be decoded.
    #[error("cannot decode the reply to VirtualMachine.IDSizes: {0}")]
    IdSizes(DecodeError),
    /// Identifier widths that cannot be.
    #[error(transparent)]
    InvalidIdSizes(#[from] InvalidIdSizes),
    /// The JVM refused to say its identifier widths.
    #[error("the JVM answers VirtualMachine.IDSizes with the error {0}")]
    NoIdSizes(ErrorCode),
    /// A reply to a command that was not sent, or the second one to one that was.
    #[error("a reply to packet {0}, which is no command that waits for one")]
    UnexpectedReply(PacketId),
    /// More data before the reply to `VirtualMachine.IDSizes` than one packet may have.
    #[error("{bytes} bytes of packets arrived before the reply to VirtualMachine.IDSizes")]
    TooMuchBeforeIdSizes {
        /// How much.
        bytes: usize,
    },
}

impl Reply {
    /// Decodes the reply data of a command of type `C`; an error code gives [`ReplyError::Jvm`].
    #[inline]
    pub fn decode<C: Command>(&self, sizes: &IdSizes) -> Result<C::Reply, ReplyError> {
        if !self.error.is_none() {
            return Err(ReplyError::Jvm {
                command: C::NAME,
                code: self.error,
            });
        }
        C::decode_reply(&self.body, sizes).map_err(|source| ReplyError::Malformed {
            command: C::NAME,
            source,
        })
    }
}

/// A reply without usable data. The session goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// The JVM refused the command.
    #[error("{command} failed in the JVM: {code}{}", describe(*code))]
    Jvm {
        /// The command.
        command: &'static str,
        /// Why.
        code: ErrorCode,
    },
    /// The reply data are not what the spec says.
    #[error("cannot decode the reply to {command}: {source}")]
    Malformed {
        /// The command.
        command: &'static str,
        /// What is wrong.
        source: DecodeError,
    },
}

fn describe(code: ErrorCode) -> String {
    code.description()
        .map(|text| format!(" ({})", text.trim_end_matches('.')))
        .unwrap_or_default()
}

impl Default for Session {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_PACKET)
    }
}

impl Session {
    /// A session on a connection whose handshake is done, which refuses packets of more than
    /// `max_packet` bytes. Its first outgoing bytes ask for the identifier widths.
    pub fn new(max_packet: usize) -> Self {
        let mut session = Self {
            framer: Framer::new(max_packet),
            outgoing: BytesMut::new(),
            next_id: 1,
            pending: FxHashMap::default(),
            // Replaced below: the id is only known after the packet is made.
            sizes: Sizes::Known {
                sizes: IdSizes::EIGHT,
                early: VecDeque::new(),
            },
            broken: None,
        };
        let id = session.send(&virtual_machine::IDSizes);
        session.sizes = Sizes::Asked {
            id,
            early: VecDeque::new(),
            early_bytes: 0,
        };
        session
    }

    /// True when the identifier widths are known.
    pub const fn is_ready(&self) -> bool {
        matches!(self.sizes, Sizes::Known { .. })
    }

    /// The identifier widths. Before [`is_ready`](Self::is_ready) there are no ids to encode or
    /// decode, and this gives eight bytes for everything.
    #[inline]
    pub const fn id_sizes(&self) -> IdSizes {
        match self.sizes {
            Sizes::Known { sizes, .. } => sizes,
            Sizes::Asked { .. } => IdSizes::EIGHT,
        }
    }

    /// Queues a command and returns the number that its reply will carry.
    #[inline]
    pub fn send<C: Command>(&mut self, command: &C) -> PacketId {
        let sizes = self.id_sizes();
        self.queue(C::SET, C::COMMAND, |out| {
            command.encode(&mut Writer::new(out, sizes))
        })
    }

    /// A command as a whole packet with that number, for somebody else to send: its reply is none of this session's.
    pub fn packet<C: Command>(&self, id: PacketId, command: &C) -> Vec<u8> {
        let mut out = BytesMut::new();
        let kind = PacketKind::Command {
            set: C::SET,
            command: C::COMMAND,
        };
        packet::append(&mut out, id, kind, |out| {
            command.encode(&mut Writer::new(out, self.id_sizes()));
        });
        out.into()
    }

    /// Queues a command that is encoded already.
    pub fn send_raw(&mut self, set: u8, command: u8, body: &[u8]) -> PacketId {
        self.queue(set, command, |out| out.extend_from_slice(body))
    }

    #[inline]
    fn queue(&mut self, set: u8, command: u8, write: impl FnOnce(&mut BytesMut)) -> PacketId {
        let id = PacketId(self.next_id);
        // 2^32 commands later a number may only be used again if its command was answered.
        self.next_id = self.next_id.wrapping_add(1);
        while self.pending.contains_key(&self.next_id) {
            self.next_id = self.next_id.wrapping_add(1);
        }
        self.pending.insert(id.0, (set, command));
        packet::append(
            &mut self.outgoing,
            id,
            PacketKind::Command { set, command },
            write,
        );
        id
    }

    /// Bytes that wait to be written to the peer.
    #[inline]
    pub fn outgoing(&self) -> &[u8] {
        &self.outgoing
    }

    /// Forgets the first `count` outgoing bytes: they are written.
    #[inline]
    pub fn written(&mut self, count: usize) {
        if count >= self.outgoing.len() {
            self.outgoing.clear();
        } else {
            self.outgoing.advance(count);
        }
    }

    /// Takes all outgoing bytes at once.
    pub fn take_outgoing(&mut self) -> Bytes {
        self.outgoing.split().freeze()
    }

    /// Commands that are not yet answered, the session's own `IDSizes` included.
    pub fn in_flight(&self) -> usize {
        self.pending.len()
    }

    /// Whether a command waits for its reply.
    pub fn is_pending(&self, id: PacketId) -> bool {
        self.pending.contains_key(&id.0)
    }

    /// Feeds bytes that arrived, in pieces of any size.
    #[inline]
    pub fn receive(&mut self, bytes: &[u8]) {
        self.framer.receive(bytes);
    }

    /// The receive buffer itself, to read from a socket into it without a copy in between:
    /// append what arrived, then [`poll`](Self::poll).
    #[inline]
    pub const fn receive_buffer(&mut self) -> &mut BytesMut {
        self.framer.buffer()
    }

    /// If part of a packet has arrived: how many of its bytes, and how many it will have if that
    /// is known. For messages about connections that end in the middle.
    pub fn partial_packet(&self) -> Option<(usize, Option<usize>)> {
        self.framer.partial()
    }

    /// The next reply or event, or `None` until more bytes are fed. After an error every further
    /// call gives the same error.
    #[inline]
    pub fn poll(&mut self) -> Result<Option<Incoming>, ProtocolError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let result = self.next_incoming();
        if let Err(error) = &result {
            self.broken = Some(error.clone());
        }
        result
    }

    #[inline]
    fn next_incoming(&mut self) -> Result<Option<Incoming>, ProtocolError> {
        if !self.await_sizes()? {
            return Ok(None);
        }
        let early = match &mut self.sizes {
            Sizes::Known { early, .. } => early.pop_front(),
            Sizes::Asked { .. } => None,
        };
        match early {
            Some(packet) => self.accept(packet).map(Some),
            None => match self.framer.next_packet()? {
                Some(packet) => self.accept(packet).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Reads on to the reply to `VirtualMachine.IDSizes` and no further; true if it is here.
    /// [`poll`](Self::poll) does this by itself: this is for who wants the session ready before
    /// handing it on, with everything else that arrived still in it.
    pub fn try_ready(&mut self) -> Result<bool, ProtocolError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let result = self.await_sizes();
        if let Err(error) = &result {
            self.broken = Some(error.clone());
        }
        result
    }

    #[inline]
    fn await_sizes(&mut self) -> Result<bool, ProtocolError> {
        while let Sizes::Asked {
            id,
            early,
            early_bytes,
        } = &mut self.sizes
        {
            let Some(packet) = self.framer.next_packet()? else {
                return Ok(false);
            };
            match packet.kind {
                PacketKind::Reply { error } if packet.id == *id => {
                    if !error.is_none() {
                        return Err(ProtocolError::NoIdSizes(error));
                    }
                    let reply: virtual_machine::IdSizesReply =
                        decode(&packet.body, &IdSizes::EIGHT).map_err(ProtocolError::IdSizes)?;
                    let sizes = IdSizes::try_from(reply)?;
                    self.pending.remove(&id.0);
                    self.sizes = Sizes::Known {
                        sizes,
                        early: std::mem::take(early),
                    };
                }
                _ => {
                    *early_bytes += packet.body.len() + packet::HEADER_LEN;
                    if *early_bytes > self.framer.max_packet() {
                        return Err(ProtocolError::TooMuchBeforeIdSizes {
                            bytes: *early_bytes,
                        });
                    }
                    early.push_back(packet);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn accept(&mut self, packet: Packet) -> Result<Incoming, ProtocolError> {
        let Packet { id, kind, body } = packet;
        match kind {
            PacketKind::Reply { error } => match self.pending.remove(&id.0) {
                Some(command) => Ok(Incoming::Reply(Reply {
                    id,
                    command,
                    error,
                    body,
                })),
                None => Err(ProtocolError::UnexpectedReply(id)),
            },
            PacketKind::Command {
                set: Composite::SET,
                command: Composite::COMMAND,
            } => {
                let composite = decode(&body, &self.id_sizes()).map_err(ProtocolError::Event)?;
                Ok(Incoming::Event(composite))
            }
            PacketKind::Command { set, command } => Ok(Incoming::Command {
                id,
                set,
                command,
                body,
            }),
        }
    }

    /// The names of the commands that are not yet answered, oldest first, for messages.
    pub fn pending_commands(&self) -> Vec<(PacketId, String)> {
        let mut list: Vec<_> = self
            .pending
            .iter()
            .map(|(id, (set, command))| (PacketId(*id), commands::name(*set, *command)))
            .collect();
        list.sort();
        list
    }
}
