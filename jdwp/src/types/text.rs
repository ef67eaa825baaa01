//! Strings as the JVM has them.

use std::borrow::Cow;
use std::fmt;

use crate::codec::{DecodeError, DecodeErrorKind, IdSizes, Reader, Wire, Writer};

/// A string of the JVM (spec: `string`: a length in bytes and UTF-8).
///
/// Java strings are UTF-16 and may hold surrogates without a partner. HotSpot sends such a
/// surrogate as the three bytes that UTF-8 forbids, so this type keeps any "generalised UTF-8":
/// nothing is lost, and [`as_str`](Self::as_str) says whether it is ordinary text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JdwpString(Repr);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Text(Box<str>),
    /// Invariant: not UTF-8 (so that equality needs no look at the other form), but UTF-8 with
    /// surrogates and two-byte zeros.
    WithSurrogates(Box<[u8]>),
}

impl JdwpString {
    /// Takes bytes as they come over the wire; `None` if they are not even generalised UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match str::from_utf8(bytes) {
            Ok(text) => Some(Self(Repr::Text(text.into()))),
            Err(_) if is_generalised(bytes) => Some(Self(Repr::WithSurrogates(bytes.into()))),
            Err(_) => None,
        }
    }

    /// Takes UTF-16 units, surrogates with and without partners.
    pub fn from_utf16(units: &[u16]) -> Self {
        if let Ok(text) = String::from_utf16(units) {
            return text.into();
        }
        let mut bytes = Vec::with_capacity(units.len() * 3);
        for decoded in char::decode_utf16(units.iter().copied()) {
            match decoded {
                Ok(character) => {
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Err(lone) => bytes.extend_from_slice(&three_bytes(lone.unpaired_surrogate())),
            }
        }
        Self(Repr::WithSurrogates(bytes.into()))
    }

    /// The text, or `None` if it holds surrogates without a partner.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Text(text) => Some(text),
            Repr::WithSurrogates(_) => None,
        }
    }

    /// The bytes as they go over the wire.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Text(text) => text.as_bytes(),
            Repr::WithSurrogates(bytes) => bytes,
        }
    }

    /// The text, with U+FFFD for every surrogate without a partner.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Text(text) => Cow::Borrowed(text),
            Repr::WithSurrogates(_) => Cow::Owned(String::from_utf16_lossy(&self.to_utf16())),
        }
    }

    /// As [`to_string_lossy`](Self::to_string_lossy), without copying ordinary text.
    pub fn into_string_lossy(self) -> String {
        match self.0 {
            Repr::Text(text) => text.into_string(),
            Repr::WithSurrogates(_) => self.to_string_lossy().into_owned(),
        }
    }

    /// The UTF-16 units that the JVM has, exactly.
    pub fn to_utf16(&self) -> Vec<u16> {
        match &self.0 {
            Repr::Text(text) => text.encode_utf16().collect(),
            Repr::WithSurrogates(bytes) => generalised_units(bytes),
        }
    }

    /// True of the empty string.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }
}

fn three_bytes(unit: u16) -> [u8; 3] {
    [
        0xE0 | (unit >> 12) as u8,
        0x80 | (unit >> 6 & 0x3F) as u8,
        0x80 | (unit & 0x3F) as u8,
    ]
}

/// One step through generalised UTF-8: the code point (maybe a surrogate) and its length.
/// `None` at bytes that no JVM writes.
fn next_code_point(bytes: &[u8]) -> Option<(u32, usize)> {
    let continuation = |at: usize| match bytes.get(at) {
        Some(byte) if byte & 0xC0 == 0x80 => Some(u32::from(byte & 0x3F)),
        _ => None,
    };
    let first = u32::from(*bytes.first()?);
    let (code_point, length, least) = match first {
        0..=0x7F => (first, 1, 0),
        // Modified UTF-8 writes U+0000 in two bytes.
        0xC0 if bytes.get(1) == Some(&0x80) => (0, 2, 0),
        0xC2..=0xDF => ((first & 0x1F) << 6 | continuation(1)?, 2, 0x80),
        0xE0..=0xEF => (
            (first & 0x0F) << 12 | continuation(1)? << 6 | continuation(2)?,
            3,
            0x800,
        ),
        0xF0..=0xF4 => (
            (first & 0x07) << 18
                | continuation(1)? << 12
                | continuation(2)? << 6
                | continuation(3)?,
            4,
            0x1_0000,
        ),
        _ => return None,
    };
    (code_point >= least && code_point <= 0x10_FFFF).then_some((code_point, length))
}

fn is_generalised(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match next_code_point(bytes) {
            Some((_, length)) => bytes = bytes.get(length..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

fn generalised_units(mut bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    while let Some((code_point, length)) = next_code_point(bytes) {
        match char::from_u32(code_point) {
            Some(character) => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
            None => units.push(code_point as u16),
        }
        bytes = bytes.get(length..).unwrap_or_default();
    }
    units
}

impl Wire for JdwpString {
    fn min_len(_: &IdSizes) -> usize {
        4
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let offset = reader.position();
        let length = reader.count(1)?;
        let bytes = reader.take(length)?;
        Self::from_bytes(bytes).ok_or_else(|| reader.error_at(offset, DecodeErrorKind::Text))
    }

    fn write(&self, writer: &mut Writer<'_>) {
        let bytes = self.as_bytes();
        writer.count(bytes.len());
        writer.put(bytes);
    }
}

impl Default for JdwpString {
    fn default() -> Self {
        Self(Repr::Text(Box::default()))
    }
}

impl From<&str> for JdwpString {
    fn from(text: &str) -> Self {
        Self(Repr::Text(text.into()))
    }
}

impl From<String> for JdwpString {
    fn from(text: String) -> Self {
        Self(Repr::Text(text.into_boxed_str()))
    }
}

impl PartialEq<str> for JdwpString {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for JdwpString {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Debug for JdwpString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Text(text) => text.fmt(f),
            Repr::WithSurrogates(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
        }
    }
}

/// Shows the text, with U+FFFD for every surrogate without a partner.
impl fmt::Display for JdwpString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_string_lossy())
    }
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for JdwpString {
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        if u.ratio(1u8, 4u8)? {
            return Ok(Self::from_utf16(&u.arbitrary::<Vec<u16>>()?));
        }
        Ok(u.arbitrary::<&str>()?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_text() {
        for text in ["", "Ljava/lang/String;", "ü€😀", "\0"] {
            let string = JdwpString::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(string.as_str(), Some(text));
            assert_eq!(string, text);
            assert_eq!(string.to_utf16(), text.encode_utf16().collect::<Vec<_>>());
        }
    }

    #[test]
    fn lone_surrogates_survive() {
        let units = [0x61, 0xD83D, 0x62, 0xDE00, 0xD83D, 0xDE00];
        let string = JdwpString::from_utf16(&units);
        assert_eq!(
            string.as_bytes(),
            b"a\xED\xA0\xBDb\xED\xB8\x80\xF0\x9F\x98\x80"
        );
        assert_eq!(string.as_str(), None);
        assert_eq!(string.to_utf16(), units);
        assert_eq!(string.to_string(), "a\u{FFFD}b\u{FFFD}😀");
        assert_eq!(JdwpString::from_bytes(string.as_bytes()), Some(string));
    }

    #[test]
    fn modified_utf8_of_the_agent_option_is_read_too() {
        let string = JdwpString::from_bytes(b"a\xC0\x80b\xED\xA0\xBD\xED\xB8\x80").unwrap();
        assert_eq!(string.to_utf16(), [0x61, 0, 0x62, 0xD83D, 0xDE00]);
        assert_eq!(string.to_string(), "a\0b😀");
    }

    #[test]
    fn what_no_jvm_writes_is_refused() {
        for bytes in [
            &b"\xFF"[..],
            b"\x80",
            b"\xC1\x81",
            b"\xE0\x80\x80",
            b"\xF4\x90\x80\x80",
            b"\xED\xA0",
        ] {
            assert_eq!(
                JdwpString::from_bytes(bytes),
                None,
                "{}",
                bytes.escape_ascii()
            );
        }
    }
}
