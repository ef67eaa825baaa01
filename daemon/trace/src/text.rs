//! Texts of the debuggee: sequences of UTF-16 code units, as Java's strings are. A surrogate without a
//! partner is a unit like all others, so nothing is lost that Rust's own strings could not hold.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// A sequence of UTF-16 code units, valid UTF-16 or not.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Units(pub(crate) Vec<u16>);

impl Units {
    /// The characters in order; a surrogate without a partner comes as its unit.
    pub fn chars(&self) -> impl Iterator<Item = Result<char, u16>> {
        characters(&self.0)
    }

    /// The text, if every surrogate has its partner.
    pub fn to_text(&self) -> Option<String> {
        String::from_utf16(&self.0).ok()
    }

    /// The text, with U+FFFD for every surrogate without a partner.
    pub fn to_text_lossy(&self) -> String {
        String::from_utf16_lossy(&self.0)
    }

    /// Generalised UTF-8: UTF-8 in which a surrogate without a partner has the three bytes that UTF-8
    /// forbids. Ordinary text is ordinary UTF-8.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len());
        for character in self.chars() {
            match character {
                Ok(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(unit) => bytes.extend(three_bytes(unit)),
            }
        }
        bytes
    }

    /// The inverse of [`Units::to_bytes`]; `None` where the bytes are nothing of that kind.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut units = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(rest.get(..error.valid_up_to())?).ok()?,
            };
            units.extend(valid.encode_utf16());
            rest = rest.get(valid.len()..)?;
            if let Some((head, behind)) = rest.split_first_chunk::<3>() {
                units.push(surrogate(*head)?);
                rest = behind;
            } else if !rest.is_empty() {
                return None;
            }
        }
        Some(Self::from(units))
    }
}

/// The characters of UTF-16 units; a surrogate without a partner comes as its unit.
pub fn characters(units: &[u16]) -> impl Iterator<Item = Result<char, u16>> {
    char::decode_utf16(units.iter().copied())
        .map(|decoded| decoded.map_err(|lone| lone.unpaired_surrogate()))
}

const fn three_bytes(unit: u16) -> [u8; 3] {
    [
        0xE0 | (unit >> 12) as u8,
        0x80 | (unit >> 6 & 0x3F) as u8,
        0x80 | (unit & 0x3F) as u8,
    ]
}

/// The surrogate that three bytes stand for.
fn surrogate(bytes: [u8; 3]) -> Option<u16> {
    let [_, middle, last] = bytes.map(u16::from);
    let unit = 0xD000 | (middle & 0x3F) << 6 | last & 0x3F;
    (unit >= 0xD800 && three_bytes(unit) == bytes).then_some(unit)
}

impl Deref for Units {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        &self.0
    }
}

impl From<Vec<u16>> for Units {
    fn from(units: Vec<u16>) -> Self {
        Self(units)
    }
}

impl From<&[u16]> for Units {
    fn from(units: &[u16]) -> Self {
        Self(units.into())
    }
}

impl From<&str> for Units {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

/// As Rust writes strings, surrogates without a partner as `\ud83d`.
impl fmt::Debug for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.chars() {
            match character {
                Ok(c) => write!(f, "{}", c.escape_debug())?,
                Err(unit) => write!(f, "\\u{unit:04x}")?,
            }
        }
        f.write_str("\"")
    }
}

/// A text of the debuggee, perhaps cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Text {
    /// The text, or its beginning when it was over the limit.
    pub prefix: Units,
    /// The true length in UTF-16 code units, as `String.length()` says.
    pub length: u32,
}

impl Text {
    /// A text that was not cut.
    pub fn whole(units: impl Into<Units>) -> Self {
        let prefix = units.into();
        let length = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
        Self { prefix, length }
    }

    /// Was the text over the limit and cut?
    pub fn is_cut(&self) -> bool {
        self.prefix.len() < self.length as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn surrogates_without_a_partner_are_kept() {
        let units = Units::from(vec![0x61, 0xD83D, 0x62, 0xDE00, 0xD83D, 0xDE00]);
        assert_eq!(units.to_text(), None);
        assert_eq!(units.to_text_lossy(), "a\u{FFFD}b\u{FFFD}\u{1F600}");
        assert_eq!(format!("{units:?}"), "\"a\\ud83db\\ude00\u{1F600}\"");
        assert_eq!(Units::from_bytes(&units.to_bytes()), Some(units));
        assert_eq!(Units::from("\u{1F600}").to_bytes(), "\u{1F600}".as_bytes());
        for bad in [
            &[0xFF][..],
            &[0xED, 0xA0],
            &[0xE0, 0x80, 0x80],
            &[0xC0, 0x80, 0x61],
        ] {
            assert_eq!(Units::from_bytes(bad), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_units_come_back(units: Vec<u16>) {
            let units = Units::from(units);
            prop_assert_eq!(Units::from_bytes(&units.to_bytes()), Some(units));
        }

        #[test]
        fn surrogates_come_back(units in proptest::collection::vec(0xD7F0_u16..0xE010, 0..20)) {
            let units = Units::from(units);
            prop_assert_eq!(Units::from_bytes(&units.to_bytes()), Some(units));
        }

        #[test]
        fn any_bytes_are_units_or_refused(bytes: Vec<u8>) {
            if let Ok(text) = std::str::from_utf8(&bytes) {
                prop_assert_eq!(Units::from_bytes(&bytes), Some(Units::from(text)));
            } else if let Some(units) = Units::from_bytes(&bytes) {
                prop_assert!(units.len() <= bytes.len());
            }
        }
    }
}
