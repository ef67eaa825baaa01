//! The fourteen bytes that both sides say before any packet (spec: "Connection and handshake"
//! in the JDWP overview).

/// What each side says. The debugger speaks first, whichever side connected.
pub const HANDSHAKE: &[u8; 14] = b"JDWP-Handshake";

/// Checks the peer's handshake as its bytes arrive.
#[derive(Debug, Default)]
pub struct Handshake {
    /// Bytes that have arrived and are right; at most 14.
    matched: usize,
}

/// How far the handshake is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandshakeProgress {
    /// More bytes are needed.
    Incomplete,
    /// Complete: of the bytes just fed, the first `consumed` belong to the handshake and the rest
    /// to the first packets.
    Done {
        /// Bytes that belong to the handshake.
        consumed: usize,
    },
}

/// The peer said something that is not a JDWP handshake: it is not a JVM's debug port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the peer does not speak JDWP: it began with \"{}\"", first_bytes.escape_ascii())]
pub struct NotJdwp {
    /// What it said first (at most 64 bytes).
    pub first_bytes: Vec<u8>,
}

impl Handshake {
    /// Nothing received yet. Send [`HANDSHAKE`] right away.
    pub const fn new() -> Self {
        Self { matched: 0 }
    }

    /// How many of the 14 bytes have arrived.
    pub const fn received(&self) -> usize {
        self.matched
    }

    /// Feeds bytes that arrived.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<HandshakeProgress, NotJdwp> {
        let expected = HANDSHAKE.get(self.matched..).unwrap_or_default();
        let compared = expected.len().min(bytes.len());
        if bytes.get(..compared) != expected.get(..compared) {
            let before = HANDSHAKE.get(..self.matched).unwrap_or_default();
            let first_bytes = before.iter().chain(bytes).copied().take(64).collect();
            return Err(NotJdwp { first_bytes });
        }
        self.matched += compared;
        if self.matched == HANDSHAKE.len() {
            Ok(HandshakeProgress::Done { consumed: compared })
        } else {
            Ok(HandshakeProgress::Incomplete)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_anywhere_it_completes_and_leaves_the_rest() {
        let mut bytes = HANDSHAKE.to_vec();
        bytes.extend(b"\0\0rest");
        for cut in 0..HANDSHAKE.len() {
            let mut handshake = Handshake::new();
            assert_eq!(
                handshake.receive(&bytes[..cut]),
                Ok(HandshakeProgress::Incomplete)
            );
            assert_eq!(handshake.received(), cut);
            let done = handshake.receive(&bytes[cut..]);
            assert_eq!(
                done,
                Ok(HandshakeProgress::Done {
                    consumed: HANDSHAKE.len() - cut
                })
            );
        }
    }

    #[test]
    fn anything_else_is_shown() {
        let mut handshake = Handshake::new();
        handshake.receive(b"JD").unwrap();
        let error = handshake.receive(b"BC\xFF\n").unwrap_err();
        assert_eq!(error.first_bytes, b"JDBC\xFF\n");
        assert!(error.to_string().contains(r"JDBC\xff\n"), "{error}");
        assert_eq!(
            Handshake::new()
                .receive(&[b'x'; 100])
                .unwrap_err()
                .first_bytes
                .len(),
            64
        );
    }
}
