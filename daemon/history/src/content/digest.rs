//! Digests of what is compared, and the bytes that they are made of.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The first 128 bits of a SHA-256: two things with the same are taken to be the same. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// What goes into a digest. Everything of no fixed length is led by its length, so that no two sequences of parts have
/// the same bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Sink(Sha256);

impl Sink {
    pub(super) fn tag(&mut self, tag: u8) {
        self.0.update([tag]);
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.update(number.to_be_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn digest(self) -> Digest {
        let whole = self.0.finalize();
        let mut first = [0; 16];
        first.copy_from_slice(&whole[..16]);
        Digest(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_part_ends_is_in_the_digest() {
        let of = |parts: &[&str]| {
            let mut sink = Sink::default();
            parts.iter().for_each(|part| sink.text(part));
            sink.digest()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab"]), of(&["ab", ""]));
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_eq!(of(&[]).to_string().len(), 32);
    }
}
