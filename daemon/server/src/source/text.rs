//! From the bytes of a source file to its text and lines.

/// A longer file is not read: no compiler takes much more, and generators stay far below.
pub const MOST_BYTES: u64 = 8 << 20;

/// A text, and what a reader should know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// It was not in UTF-8: what it was taken for.
    pub note: Option<String>,
}

/// The text of a file; `None` if it is none. What is not UTF-8 is read as ISO-8859-1, in which any byte is a letter:
/// the other encoding that source was written in for long.
pub fn decode(bytes: Vec<u8>) -> Option<Decoded> {
    let odd = bytes.iter().filter(|&&byte| is_odd(byte)).count();
    if bytes.contains(&0) || odd * 100 > bytes.len() {
        return None;
    }
    let decoded = match String::from_utf8(bytes) {
        Ok(text) => Decoded {
            text: match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            },
            note: None,
        },
        Err(error) => Decoded {
            text: error.into_bytes().into_iter().map(char::from).collect(),
            note: Some("the file is not UTF-8; it is read as ISO-8859-1".to_owned()),
        },
    };
    Some(decoded)
}

/// Control characters that text has no use for.
fn is_odd(byte: u8) -> bool {
    byte == 0x7f || (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a))
}

/// The lines of a text, as Java counts them (JLS 3.4): they end in CR, LF, or CR LF.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let now = rest?;
        let Some(end) = now.find(['\n', '\r']) else {
            rest = None;
            return Some(now);
        };
        let (line, from_end) = now.split_at(end);
        let after = from_end
            .strip_prefix("\r\n")
            .or_else(|| from_end.get(1..))
            .unwrap_or_default();
        rest = Some(after).filter(|after| !after.is_empty());
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_java() {
        let of = |text| lines(text).collect::<Vec<_>>();
        assert_eq!(of("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(of("a\n\n\r\rb\n"), ["a", "", "", "", "b"]);
        assert_eq!(of("\n"), [""]);
        assert!(of("").is_empty());
        // What other tools take for ends of lines, Java does not.
        assert_eq!(of("a\u{2028}b\u{b}c\u{85}d"), ["a\u{2028}b\u{b}c\u{85}d"]);
    }

    #[test]
    fn text_in_usual_encodings_is_read_and_binary_is_not() {
        let decoded = |bytes: &[u8]| decode(bytes.to_vec());
        let text = decoded("\u{feff}class Ä {}".as_bytes()).unwrap();
        assert_eq!((text.text.as_str(), text.note), ("class Ä {}", None));
        let latin = decoded(b"class \xc4 {}").unwrap();
        assert_eq!(latin.text, "class Ä {}");
        assert!(latin.note.unwrap().contains("ISO-8859-1"));
        assert!(decoded(b"\xca\xfe\xba\xbe\0\0\0\x3d").is_none());
        assert!(decoded(b"\x1b[2J\x07\x08").is_none());
        assert_eq!(decoded(b"").unwrap().text, "");
    }
}
