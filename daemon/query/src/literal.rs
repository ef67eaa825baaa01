//! Values as people write them: `null`, `true`, `42`, `1.5`, `'x'`, `"text"`, `object#12`, `Side.SELL`.

use jhyde_history::History;
use jhyde_history::text::is_called;
use jhyde_trace::{Content, Text, Value};

use crate::error::{Error, Result};

/// A value that somebody asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Boolean(bool),
    /// Digits: a whole number, and the nearest floating-point numbers of both widths.
    Number(Option<i64>, f64, f32),
    Char(u16),
    Text(Vec<u16>),
    Object(u64),
    /// A word: a constant of an enum.
    Word(String),
    /// A class, `String.class`.
    Class(String),
}

/// Is a recorded value the one that was asked for?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    Yes,
    No,
    /// What was recorded of it does not tell.
    Unknown,
}

/// The simple names of the JDK's boxes.
fn is_box(class: &str) -> bool {
    matches!(
        class,
        "Boolean" | "Byte" | "Character" | "Double" | "Float" | "Integer" | "Long" | "Short"
    )
}

impl Literal {
    pub(crate) fn parse(parameter: &'static str, given: &str) -> Result<Self> {
        let wrong = |reason: &str| Error::Parameter {
            parameter,
            given: given.to_owned(),
            reason: format!(
                "{reason}; a value is written null, true, 42, 1.5, 'x', \"text\", object#12 or Side.SELL"
            ),
        };
        let quoted = |quote: char| {
            let inside = given.strip_prefix(quote)?.strip_suffix(quote);
            inside.filter(|_| given.len() >= 2)
        };
        if given.starts_with('"') {
            let inside = quoted('"').ok_or_else(|| wrong("the text has no end"))?;
            return Ok(Self::Text(
                units(inside).ok_or_else(|| wrong("a \\ is no escape of Java's"))?,
            ));
        }
        if given.starts_with('\'') {
            let inside = quoted('\'').ok_or_else(|| wrong("the character has no end"))?;
            return match units(inside).as_deref() {
                Some([unit]) => Ok(Self::Char(*unit)),
                _ => Err(wrong("it is not one character")),
            };
        }
        for handle in ["object#", "array#", "list#", "map#", "set#", "sb#"] {
            if let Some(number) = given.strip_prefix(handle) {
                let number = number.parse().map_err(|_| wrong("it has no number"))?;
                return Ok(Self::Object(number));
            }
        }
        match given {
            "" => return Err(wrong("it is empty")),
            "null" => return Ok(Self::Null),
            "true" => return Ok(Self::Boolean(true)),
            "false" => return Ok(Self::Boolean(false)),
            "NaN" => return Ok(Self::Number(None, f64::NAN, f32::NAN)),
            "Infinity" => return Ok(Self::Number(None, f64::INFINITY, f32::INFINITY)),
            "-Infinity" => return Ok(Self::Number(None, f64::NEG_INFINITY, f32::NEG_INFINITY)),
            _ => {}
        }
        if given.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            // As Java writes longs, floats and doubles.
            let digits = given.trim_end_matches(['l', 'L', 'f', 'F', 'd', 'D']);
            let digits = match given.len() - digits.len() {
                0 | 1 => digits,
                _ => given,
            };
            let number: f64 = digits.parse().map_err(|_| wrong("it is no number"))?;
            let single = digits.parse().unwrap_or(number as f32);
            return Ok(Self::Number(digits.parse().ok(), number, single));
        }
        // A box as it is shown.
        if let Some((class, boxed)) = given
            .strip_suffix(')')
            .and_then(|given| given.split_once('('))
            && is_box(class)
        {
            return Self::parse(parameter, boxed);
        }
        if let Some(class) = given.strip_suffix(".class") {
            return Ok(Self::Class(class.to_owned()));
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        match given.chars().all(is_word) {
            true => Ok(Self::Word(given.to_owned())),
            false => Err(wrong("it is no value")),
        }
    }

    /// Can a variable of a declared type (JVMS 4.3.2) hold it? Of what is no primitive and no text that is not decided.
    pub(crate) fn fits(&self, descriptor: &str) -> bool {
        let whole = |least: i64, most: i64| matches!(self, Self::Number(Some(number), ..) if (least..=most).contains(number));
        match descriptor {
            "Z" => matches!(self, Self::Boolean(_)),
            "B" => whole(i8::MIN.into(), i8::MAX.into()),
            "S" => whole(i16::MIN.into(), i16::MAX.into()),
            "I" => whole(i32::MIN.into(), i32::MAX.into()),
            "J" => whole(i64::MIN, i64::MAX),
            "C" => matches!(self, Self::Char(_)),
            "F" | "D" => matches!(self, Self::Number(..)),
            "Ljava/lang/String;" => matches!(self, Self::Null | Self::Text(_) | Self::Object(_)),
            _ => true,
        }
    }

    pub(crate) fn is(&self, history: &History, value: Value) -> Result<Same> {
        let yes = |is: bool| if is { Same::Yes } else { Same::No };
        let number =
            |found: i64| matches!(self, Self::Number(Some(wanted), ..) if *wanted == found);
        Ok(match value {
            Value::Missing(_) => Same::Unknown,
            Value::Null => yes(*self == Self::Null),
            Value::Boolean(b) => yes(*self == Self::Boolean(b)),
            Value::Byte(v) => yes(number(v.into())),
            Value::Short(v) => yes(number(v.into())),
            Value::Int(v) => yes(number(v.into())),
            Value::Long(v) => yes(number(v)),
            Value::Char(unit) => yes(*self == Self::Char(unit)),
            Value::Float(bits) => yes(self.is_real(f32::from_bits(bits).into(), true)),
            Value::Double(bits) => yes(self.is_real(f64::from_bits(bits), false)),
            Value::Object(id) => {
                if let Self::Object(wanted) = self {
                    return Ok(yes(*wanted == id.0));
                }
                let info = match history.recording().object(id) {
                    Err(jhyde_store::Error::Damaged { .. }) => return Ok(Same::Unknown),
                    found => found?,
                };
                let class = info.as_ref().and_then(|info| info.class);
                let content = info.map(|info| info.content);
                match (content, self) {
                    (None, Self::Null) => Same::No,
                    (None, _) => Same::Unknown,
                    (Some(Content::String(text)), Self::Text(wanted)) => is_text(&text, wanted),
                    (Some(Content::Box(boxed)), _) => self.is(history, boxed)?,
                    (Some(Content::Enum(name)), Self::Word(wanted)) => {
                        let (of, wanted) = match wanted.rsplit_once('.') {
                            Some((of, wanted)) => (Some(of), wanted),
                            None => (None, wanted.as_str()),
                        };
                        let same = name.rsplit('.').next() == Some(wanted);
                        match (same, of, class) {
                            (false, ..) => Same::No,
                            (true, None, _) => Same::Yes,
                            (true, Some(_), None) => Same::Unknown,
                            (true, Some(of), Some(class)) => {
                                let class = history.recording().class(class)?;
                                class.map_or(Same::Unknown, |class| yes(is_of(&class.name, of)))
                            }
                        }
                    }
                    (Some(Content::Class(name)), Self::Class(wanted)) => {
                        yes(is_called(&name, wanted))
                    }
                    _ => Same::No,
                }
            }
        })
    }

    fn is_real(&self, found: f64, single: bool) -> bool {
        let Self::Number(_, wanted, nearest) = self else {
            return false;
        };
        // `0.1` means the float nearest to it, and `-0.0` is another number than `0.0`.
        let wanted = match single {
            true => f64::from(*nearest),
            false => *wanted,
        };
        wanted.to_bits() == found.to_bits() || (wanted.is_nan() && found.is_nan())
    }
}

/// Is this the class of an enum that goes by a name, or that of one of its constants with a body, `Op$1`?
fn is_of(class: &str, name: &str) -> bool {
    let digits = class.trim_end_matches(|c: char| c.is_ascii_digit());
    let body = digits
        .strip_suffix('$')
        .filter(|_| digits.len() < class.len());
    is_called(class, name) || body.is_some_and(|outer| is_called(outer, name))
}

fn is_text(text: &Text, wanted: &[u16]) -> Same {
    let kept: &[u16] = &text.prefix;
    if text.length as usize != wanted.len() || !wanted.starts_with(kept) {
        Same::No
    } else if text.is_cut() {
        Same::Unknown
    } else {
        Same::Yes
    }
}

/// The UTF-16 units of what stands between quotes, with the escapes of Java.
fn units(inside: &str) -> Option<Vec<u16>> {
    let mut units = Vec::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                's' => ' ',
                octal @ '0'..='7' => {
                    // Up to 377 (JLS 3.10.7).
                    let most = if octal <= '3' { 2 } else { 1 };
                    let mut code = octal.to_digit(8)?;
                    for _ in 0..most {
                        let next = chars.clone().next().and_then(|c| c.to_digit(8));
                        let Some(next) = next else { break };
                        chars.next();
                        code = code * 8 + next;
                    }
                    char::from_u32(code)?
                }
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).ok()?);
                    continue;
                }
                c @ ('\\' | '"' | '\'') => c,
                _ => return None,
            },
            c => c,
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    Some(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_types_that_can_hold_them() {
        let fits = |text: &str, descriptor: &str| {
            Literal::parse("VALUE", text)
                .expect("a value")
                .fits(descriptor)
        };
        for (text, descriptor) in [
            ("true", "Z"),
            ("-128", "B"),
            ("9223372036854775807", "J"),
            ("'x'", "C"),
            ("1", "D"),
            ("NaN", "F"),
            ("null", "Ljava/lang/String;"),
            ("object#3", "Ljava/lang/String;"),
            ("5", "Ljava/lang/Object;"),
            ("Side.SELL", "LSide;"),
        ] {
            assert!(fits(text, descriptor), "{text} {descriptor}");
        }
        for (text, descriptor) in [
            ("1", "Z"),
            ("128", "B"),
            ("1.5", "I"),
            ("99999999999999999999", "J"),
            ("null", "I"),
            ("saw", "Ljava/lang/String;"),
            ("5", "Ljava/lang/String;"),
        ] {
            assert!(!fits(text, descriptor), "{text} {descriptor}");
        }
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        let parse = |text: &str| Literal::parse("VALUE", text);
        assert_eq!(parse("null").expect("is one"), Literal::Null);
        assert_eq!(
            parse("-9223372036854775808").expect("is one"),
            Literal::Number(Some(i64::MIN), i64::MIN as f64, i64::MIN as f32)
        );
        assert_eq!(
            parse("\"a\\ud800\\n\\0\"").expect("is one"),
            Literal::Text(vec![97, 0xd800, 10, 0])
        );
        assert_eq!(parse("'\\''").expect("is one"), Literal::Char(39));
        assert_eq!(parse("'\\b'").expect("is one"), Literal::Char(8));
        assert_eq!(parse("'\\101'").expect("is one"), Literal::Char(65));
        assert_eq!(parse("5L").expect("is one"), parse("5").expect("is one"));
        assert_eq!(parse("Integer(5)").ok(), parse("5").ok());
        assert_eq!(parse("Character('x')").ok(), parse("'x'").ok());
        assert_eq!(
            parse("int[].class").expect("is one"),
            Literal::Class("int[]".into())
        );
        assert!(is_of("a.Op$1", "Op") && is_of("a.Op", "a.Op") && !is_of("a.Op", "Top"));
        assert_eq!(parse("list#7").expect("is one"), Literal::Object(7));
        assert_eq!(
            parse("Side.SELL").expect("is one"),
            Literal::Word("Side.SELL".into())
        );
        for bad in [
            "", "\"", "'", "'ab'", "object#", "-", "1.2.3", "a b", "\"\\\"", "9x", "1LL", "'\\q'",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floating_point_numbers_are_compared_to_the_bit() {
        let is = |text: &str, found: f64, single| {
            Literal::parse("VALUE", text)
                .expect("is one")
                .is_real(found, single)
        };
        assert!(is("0.1", f64::from(0.1_f32), true) && is("0.1", 0.1, false));
        assert!(is("-0.0", -0.0, false) && !is("0.0", -0.0, false) && !is("-0.0", 0.0, false));
        assert!(is("NaN", f64::NAN, false) && is("1", 1.0, false));
        assert!(!is("Infinity", f64::NEG_INFINITY, false));
    }
}
