//! Modified UTF-8 (JVMS §4.4.7): the JVM's text encoding. Zero has two bytes, characters above
//! U+FFFF are two surrogates of three bytes each.

/// The text, with U+FFFD for what is not valid and for surrogates without a partner, which Rust's text cannot
/// hold; if there are such surrogates (java.base itself has some), also the UTF-16 units with them.
pub(crate) fn decode(bytes: &[u8]) -> (String, Option<Vec<u16>>) {
    if bytes.is_ascii() && !bytes.contains(&0) {
        // The common case: ASCII is the same in both encodings.
        return (String::from_utf8_lossy(bytes).into_owned(), None);
    }
    let units = units(bytes);
    match String::from_utf16(&units) {
        Ok(text) => (text, None),
        Err(_) => (String::from_utf16_lossy(&units), Some(units)),
    }
}

fn units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, length)) = next_unit(rest) {
        units.push(unit);
        rest = rest.get(length..).unwrap_or_default();
    }
    units
}

const REPLACEMENT: u16 = 0xfffd;

fn next_unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let continuation = |at: usize| {
        bytes
            .get(at)
            .filter(|byte| **byte & 0xc0 == 0x80)
            .map(|byte| u16::from(byte & 0x3f))
    };
    let first = *bytes.first()?;
    let decoded = match first {
        0x01..=0x7f => Some((u16::from(first), 1)),
        0xc0..=0xdf => continuation(1).map(|low| ((u16::from(first & 0x1f) << 6) | low, 2)),
        0xe0..=0xef => continuation(1)
            .zip(continuation(2))
            .map(|(middle, low)| ((u16::from(first & 0x0f) << 12) | (middle << 6) | low, 3)),
        _ => None,
    };
    Some(decoded.unwrap_or((REPLACEMENT, 1)))
}

/// The encoding of a text.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in text.encode_utf16() {
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => {
                bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8])
            }
            _ => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | ((unit >> 6) & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_text_cannot_hold_is_kept_beside_it() {
        let check = |bytes: &[u8], text: &str, units: Option<&[u16]>| {
            let decoded = decode(bytes);
            assert_eq!(
                (decoded.0.as_str(), decoded.1.as_deref()),
                (text, units),
                "{bytes:x?}"
            );
        };
        check(&[0xc0, 0x80], "\0", None);
        let lone: &[u16] = &[0x61, 0xd800, 0x62];
        check(&[b'a', 0xed, 0xa0, 0x80, b'b'], "a\u{fffd}b", Some(lone));
        check(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], "\u{1f600}", None);
        check(&[0xe0, 0x80], "\u{fffd}\u{fffd}", None);
        check(&[0, 0xff], "\u{fffd}\u{fffd}", None);
    }

    proptest! {
        #[test]
        fn text_leads_back(text: String) {
            prop_assert_eq!(decode(&encode(&text)), (text, None));
        }

        #[test]
        fn any_bytes_give_some_text(bytes: Vec<u8>) {
            prop_assert!(decode(&bytes).0.chars().count() <= bytes.len());
        }
    }
}
