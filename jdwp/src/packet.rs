//! Packets: the header before every body (spec: "JDWP Packets"). Bodies are the business of
//! [`crate::commands`] and [`crate::event`].

use bytes::{BufMut, Bytes, BytesMut};

use crate::types::ErrorCode;

/// Bytes of a packet's header.
pub const HEADER_LEN: usize = 11;

/// The flag that tells replies from commands.
const REPLY_FLAG: u8 = 0x80;

/// The number that ties a reply to its command. Each side counts its own commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[repr(transparent)]
pub struct PacketId(pub u32);

impl std::fmt::Display for PacketId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum PacketKind {
    /// A command, from either side.
    Command {
        /// Command set.
        set: u8,
        /// Command within its set.
        command: u8,
    },
    /// The reply to a command.
    Reply {
        /// 0 if the body holds the command's reply data. Otherwise the body means nothing, and may
        /// yet not be empty: HotSpot leaves there what it had written before it failed.
        error: ErrorCode,
    },
}

/// A header (spec: length, id, flags, then command set and command, or error code).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Length of the whole packet, header included.
    pub length: u32,
    /// The packet's number.
    pub id: PacketId,
    /// Command or reply.
    pub kind: PacketKind,
}

/// A whole packet, its body not yet decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// The packet's number.
    pub id: PacketId,
    /// Command or reply.
    pub kind: PacketKind,
    /// Everything after the header: a slice of the receive buffer, not a copy.
    pub body: Bytes,
}

/// A header that no JDWP peer sends. The byte stream cannot be read on after it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A length below the header's own.
    #[error("a packet claims to be {length} bytes long, less than its own header of 11")]
    TooShort {
        /// The length as sent.
        length: u32,
    },
    /// A length above the bound in force.
    #[error("a packet claims to be {length} bytes long; at most {limit} are accepted")]
    TooLong {
        /// The length as sent.
        length: u32,
        /// The bound ([`Framer::new`](crate::Framer::new)).
        limit: usize,
    },
    /// Flags that the protocol does not define.
    #[error("packet {id} has the flags {flags:#04x}; only 0x00 (command) and 0x80 (reply) exist")]
    Flags {
        /// The packet.
        id: PacketId,
        /// The flags as sent.
        flags: u8,
    },
}

impl Header {
    /// Reads a header; lengths are checked by the [`Framer`](crate::Framer), flags here.
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Self, FrameError> {
        let [l0, l1, l2, l3, i0, i1, i2, i3, flags, high, low] = *bytes;
        let id = PacketId(u32::from_be_bytes([i0, i1, i2, i3]));
        let kind = match flags {
            0 => PacketKind::Command {
                set: high,
                command: low,
            },
            REPLY_FLAG => PacketKind::Reply {
                error: ErrorCode(u16::from_be_bytes([high, low])),
            },
            flags => return Err(FrameError::Flags { id, flags }),
        };
        Ok(Self {
            length: u32::from_be_bytes([l0, l1, l2, l3]),
            id,
            kind,
        })
    }

    /// The header's bytes.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let [l0, l1, l2, l3] = self.length.to_be_bytes();
        let [i0, i1, i2, i3] = self.id.0.to_be_bytes();
        let (flags, [high, low]) = match self.kind {
            PacketKind::Command { set, command } => (0, [set, command]),
            PacketKind::Reply { error } => (REPLY_FLAG, error.0.to_be_bytes()),
        };
        [l0, l1, l2, l3, i0, i1, i2, i3, flags, high, low]
    }
}

impl Packet {
    /// Appends the whole packet.
    pub fn encode(&self, out: &mut BytesMut) {
        append(out, self.id, self.kind, |out| out.put_slice(&self.body));
    }
}

/// Appends a packet whose body `write` appends, and fills in its length.
pub(crate) fn append(
    out: &mut BytesMut,
    id: PacketId,
    kind: PacketKind,
    write: impl FnOnce(&mut BytesMut),
) {
    let start = out.len();
    out.put_slice(
        &Header {
            length: 0,
            id,
            kind,
        }
        .encode(),
    );
    write(out);
    let length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
    if let Some(field) = out.get_mut(start..start + 4) {
        field.copy_from_slice(&length.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_look_as_the_spec_says() {
        let command = Header {
            length: 11,
            id: PacketId(0x0102_0304),
            kind: PacketKind::Command { set: 1, command: 7 },
        };
        assert_eq!(command.encode(), [0, 0, 0, 11, 1, 2, 3, 4, 0, 1, 7]);
        let reply = Header {
            length: 31,
            id: PacketId(2),
            kind: PacketKind::Reply {
                error: ErrorCode(0x0170),
            },
        };
        assert_eq!(reply.encode(), [0, 0, 0, 31, 0, 0, 0, 2, 0x80, 1, 0x70]);
        for header in [command, reply] {
            assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
    }

    #[test]
    fn flags_that_do_not_exist_are_refused() {
        for flags in (0..=255u8).filter(|flags| ![0, 0x80].contains(flags)) {
            let bytes = [0, 0, 0, 11, 0, 0, 0, 9, flags, 1, 1];
            assert_eq!(
                Header::decode(&bytes),
                Err(FrameError::Flags {
                    id: PacketId(9),
                    flags
                })
            );
        }
    }
}
