//! Modified UTF-8 (JVMS §4.4.7): the JVM's text encoding. Zero has two bytes, characters above
//! U+FFFF are two surrogates of three bytes each.

/// Decodes; what is not valid, and surrogates without a partner, become U+FFFD. Rust's text cannot
/// hold those, and refusing the class over them would be worse: java.base itself has such strings.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if bytes.is_ascii() && !bytes.contains(&0) {
        // The common case: ASCII is the same in both encodings.
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, length)) = next_unit(rest) {
        units.push(unit);
        rest = rest.get(length..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(text: &str) -> Vec<u8> {
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

    #[test]
    fn what_text_cannot_hold_is_replaced() {
        assert_eq!(decode(&[0xc0, 0x80]), "\0");
        assert_eq!(decode(&[b'a', 0xed, 0xa0, 0x80, b'b']), "a\u{fffd}b");
        assert_eq!(decode(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), "\u{1f600}");
        assert_eq!(decode(&[0xe0, 0x80]), "\u{fffd}\u{fffd}");
        assert_eq!(decode(&[0, 0xff]), "\u{fffd}\u{fffd}");
    }

    proptest! {
        #[test]
        fn text_leads_back(text: String) {
            prop_assert_eq!(decode(&encode(&text)), text);
        }

        #[test]
        fn any_bytes_give_some_text(bytes: Vec<u8>) {
            prop_assert!(decode(&bytes).chars().count() <= bytes.len());
        }
    }
}
