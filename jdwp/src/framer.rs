//! From a stream of bytes to whole packets, whatever the pieces they arrive in.

use bytes::{Buf, BytesMut};

use crate::packet::{FrameError, HEADER_LEN, Header, Packet};

/// Cuts a byte stream into packets.
///
/// It never buffers more than one packet beyond what was fed: a packet's bytes are allocated as
/// they arrive, not as its header claims, and a header that claims more than the bound is an error
/// at once.
#[derive(Debug)]
pub struct Framer {
    buffer: BytesMut,
    max_packet: usize,
    /// Set by the first malformed header; the stream has no packets after it.
    broken: Option<FrameError>,
}

impl Framer {
    /// A framer that refuses packets of more than `max_packet` bytes (header included).
    pub fn new(max_packet: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            max_packet: max_packet.max(HEADER_LEN),
            broken: None,
        }
    }

    /// The greatest packet that is accepted, in bytes.
    pub const fn max_packet(&self) -> usize {
        self.max_packet
    }

    /// Feeds bytes that arrived.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The buffer itself, to read from a socket into it without a copy in between. Only append.
    pub const fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// Bytes fed and not yet given out as packets.
    pub fn pending(&self) -> usize {
        self.buffer.len()
    }

    /// Bytes of the next packet that have arrived, and how many it has, if part of one is here.
    pub fn partial(&self) -> Option<(usize, Option<usize>)> {
        if self.buffer.is_empty() {
            return None;
        }
        let length = self
            .buffer
            .first_chunk::<4>()
            .map(|bytes| u32::from_be_bytes(*bytes) as usize);
        Some((self.buffer.len(), length))
    }

    /// The next whole packet, if it is here.
    #[inline]
    pub fn next_packet(&mut self) -> Result<Option<Packet>, FrameError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let Some(header) = self.buffer.first_chunk::<HEADER_LEN>() else {
            return Ok(None);
        };
        match Self::check(header, self.max_packet) {
            Ok(header) => Ok(self.cut(header)),
            Err(error) => {
                self.broken = Some(error.clone());
                Err(error)
            }
        }
    }

    fn check(bytes: &[u8; HEADER_LEN], limit: usize) -> Result<Header, FrameError> {
        let header = Header::decode(bytes)?;
        let length = header.length;
        match usize::try_from(length) {
            Ok(bytes) if bytes < HEADER_LEN => Err(FrameError::TooShort { length }),
            Ok(bytes) if bytes <= limit => Ok(header),
            _ => Err(FrameError::TooLong { length, limit }),
        }
    }

    fn cut(&mut self, header: Header) -> Option<Packet> {
        let length = header.length as usize;
        if self.buffer.len() < length {
            return None;
        }
        let mut body = self.buffer.split_to(length);
        body.advance(HEADER_LEN);
        Some(Packet {
            id: header.id,
            kind: header.kind,
            body: body.freeze(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{PacketId, PacketKind};
    use crate::types::ErrorCode;

    fn stream() -> (Vec<Packet>, Vec<u8>) {
        let packet = |id, kind, body: &'static [u8]| Packet {
            id: PacketId(id),
            kind,
            body: bytes::Bytes::from_static(body),
        };
        let packets = vec![
            packet(
                1,
                PacketKind::Reply {
                    error: ErrorCode::NONE,
                },
                b"abc",
            ),
            packet(
                2,
                PacketKind::Command {
                    set: 64,
                    command: 100,
                },
                b"",
            ),
            packet(
                3,
                PacketKind::Reply {
                    error: ErrorCode::VM_DEAD,
                },
                b"",
            ),
        ];
        let mut bytes = BytesMut::new();
        packets.iter().for_each(|packet| packet.encode(&mut bytes));
        (packets, bytes.to_vec())
    }

    #[test]
    fn pieces_of_every_size_give_the_same_packets() {
        let (packets, bytes) = stream();
        for size in 1..=bytes.len() {
            let mut framer = Framer::new(64);
            let mut got = Vec::new();
            for piece in bytes.chunks(size) {
                framer.receive(piece);
                while let Some(packet) = framer.next_packet().unwrap() {
                    got.push(packet);
                }
            }
            assert_eq!(got, packets, "pieces of {size}");
            assert_eq!(framer.partial(), None);
        }
    }

    #[test]
    fn a_stream_cut_anywhere_gives_the_packets_before_the_cut() {
        let (packets, bytes) = stream();
        for cut in 0..bytes.len() {
            let mut framer = Framer::new(64);
            framer.receive(&bytes[..cut]);
            let mut got = Vec::new();
            while let Some(packet) = framer.next_packet().unwrap() {
                got.push(packet);
            }
            assert_eq!(got, packets[..got.len()], "cut at {cut}");
            let whole: usize = got
                .iter()
                .map(|packet| HEADER_LEN + packet.body.len())
                .sum();
            assert_eq!(framer.pending(), cut - whole);
        }
    }

    #[test]
    fn hostile_lengths_are_refused_from_the_header_alone() {
        for (length, error) in [
            (0u32, FrameError::TooShort { length: 0 }),
            (10, FrameError::TooShort { length: 10 }),
            (
                65,
                FrameError::TooLong {
                    length: 65,
                    limit: 64,
                },
            ),
            (
                u32::MAX,
                FrameError::TooLong {
                    length: u32::MAX,
                    limit: 64,
                },
            ),
        ] {
            let mut framer = Framer::new(64);
            framer.receive(&length.to_be_bytes());
            framer.receive(&[0, 0, 0, 1, 0x80, 0, 0]);
            assert_eq!(framer.next_packet(), Err(error.clone()));
            framer.receive(&[0; 100]);
            assert_eq!(
                framer.next_packet(),
                Err(error),
                "a broken stream stays broken"
            );
        }
    }
}
