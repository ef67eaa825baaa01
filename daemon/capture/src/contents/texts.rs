//! What the methods of string builders do to their text, for those that no thread stops at: a program calls them more
//! often than all others.

use jhyde_trace::{Change, Items, Value};

/// What such a method made of a text; `None` if that cannot be told. `text` gives the text of a string.
pub(crate) fn edit<'a>(
    name: &str,
    arguments: &[Value],
    held: &[u16],
    version: i32,
    text: impl Fn(Value) -> Option<&'a [u16]>,
) -> Option<Edit> {
    let printed = |value: Value| printed(value, version, &text);
    let index = |value: &Value| match value {
        Value::Int(at) => usize::try_from(*at).ok().filter(|&at| at <= held.len()),
        _ => None,
    };
    match (name, arguments) {
        ("append", [value]) => Some(Edit::new(held.len(), 0, printed(*value)?)),
        ("appendCodePoint", [Value::Int(point)]) => {
            let point = char::from_u32(u32::try_from(*point).ok()?)?;
            let units = point.encode_utf16(&mut [0; 2]).to_vec();
            Some(Edit::new(held.len(), 0, units))
        }
        ("insert", [at, value]) => Some(Edit::new(index(at)?, 0, printed(*value)?)),
        ("delete", [from, Value::Int(to)]) => {
            let from = index(from)?;
            let to = usize::try_from(*to).ok()?.min(held.len());
            Some(Edit::new(from, to.checked_sub(from)?, Vec::new()))
        }
        ("deleteCharAt", [at]) => Some(Edit::new(
            index(at).filter(|&at| at < held.len())?,
            1,
            Vec::new(),
        )),
        ("setCharAt", [at, Value::Char(unit)]) => {
            let at = index(at).filter(|&at| at < held.len())?;
            Some(Edit::new(at, 1, vec![*unit]))
        }
        ("replace", [from, Value::Int(to), value]) => {
            let from = index(from)?;
            let to = usize::try_from(*to).ok()?.min(held.len());
            Some(Edit::new(
                from,
                to.checked_sub(from)?,
                text(*value)?.to_vec(),
            ))
        }
        ("setLength", [Value::Int(length)]) => {
            let length = usize::try_from(*length).ok()?;
            Some(match length.checked_sub(held.len()) {
                Some(more) => Edit::new(held.len(), 0, vec![0; more]),
                None => Edit::new(length, held.len() - length, Vec::new()),
            })
        }
        ("reverse", []) => Some(Edit::new(0, held.len(), reversed(held))),
        _ => None,
    }
}

/// One edit of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    at: usize,
    removed: usize,
    inserted: Vec<u16>,
}

impl Edit {
    fn new(at: usize, removed: usize, inserted: Vec<u16>) -> Self {
        Self {
            at,
            removed,
            inserted,
        }
    }

    /// Nothing is told of an edit that edits nothing.
    pub(crate) fn change(self) -> Option<Change> {
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        (self.removed > 0 || !self.inserted.is_empty()).then(|| Change::Splice {
            at: number(self.at),
            removed: number(self.removed),
            inserted: Items::Text(self.inserted.into()),
        })
    }
}

/// Backwards, but pairs of surrogates stay pairs.
fn reversed(held: &[u16]) -> Vec<u16> {
    let mut all = Vec::with_capacity(held.len());
    let mut rest = held;
    while let Some((&last, before)) = rest.split_last() {
        match before.split_last() {
            Some((&high, front))
                if (0xDC00..0xE000).contains(&last) && (0xD800..0xDC00).contains(&high) =>
            {
                all.extend([high, last]);
                rest = front;
            }
            _ => {
                all.push(last);
                rest = before;
            }
        }
    }
    all
}

/// A value as `String.valueOf` gives it.
fn printed<'a>(
    value: Value,
    version: i32,
    text: impl Fn(Value) -> Option<&'a [u16]>,
) -> Option<Vec<u16>> {
    let printed = match value {
        Value::Char(unit) => return Some(vec![unit]),
        Value::Object(_) => return Some(text(value)?.to_vec()),
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Byte(value) => value.to_string(),
        Value::Short(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        // Up to JDK 18 some numbers have more digits than they need.
        Value::Float(_) | Value::Double(_) if version < 19 => return None,
        Value::Float(bits) => {
            let value = f32::from_bits(bits);
            let two = format!("{:.1e}", value);
            let exact = two.parse() == Ok(value);
            number(
                f64::from(value),
                &format!("{value:e}"),
                exact.then_some(two),
            )?
        }
        Value::Double(bits) => {
            let value = f64::from_bits(bits);
            let two = format!("{:.1e}", value);
            let exact = two.parse() == Ok(value);
            number(value, &format!("{value:e}"), exact.then_some(two))?
        }
        Value::Missing(_) => return None,
    };
    Some(printed.encode_utf16().collect())
}

/// As `Double.toString` writes it: the fewest digits that tell the number from others, but at least two, for which there is
/// a choice.
fn number(value: f64, shortest: &str, two: Option<String>) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".to_owned());
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return Some(format!("{sign}Infinity"));
    }
    if value == 0.0 {
        return Some(format!("{sign}0.0"));
    }
    let chosen = two
        .as_deref()
        .filter(|_| !shortest.contains('.'))
        .unwrap_or(shortest);
    let (mantissa, exponent) = chosen.split_once('e').unwrap_or((chosen, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let some = |rest: &str| {
        if rest.is_empty() {
            "0".to_owned()
        } else {
            rest.to_owned()
        }
    };
    if is_between(value, digits.len().max(2)) {
        return None;
    }
    Some(match exponent {
        0..=6 => {
            let point = exponent as usize + 1;
            let padded = format!("{digits:0<point$}");
            let (whole, part) = padded.split_at(point);
            format!("{sign}{whole}.{}", some(part))
        }
        -3..=-1 => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            format!("{sign}{first}.{}E{exponent}", some(rest))
        }
    })
}

/// Does a number lie in the middle between two of so many digits? Which one Java takes (the even one) may be another than is taken here.
fn is_between(value: f64, digits: usize) -> bool {
    /// No number of a type has more digits behind its first one.
    const ALL: usize = 800;
    let written = format!("{value:.ALL$e}");
    let mantissa = written.split('e').next().unwrap_or_default();
    let rest = mantissa.chars().filter(char::is_ascii_digit).skip(digits);
    let rest: String = rest.collect();
    rest.trim_end_matches('0') == "5"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(held: &str, name: &str, arguments: &[Value]) -> Option<String> {
        let held: Vec<u16> = held.encode_utf16().collect();
        let edit = edit(name, arguments, &held, 25, |_| None)?;
        let mut all = held;
        all.splice(edit.at..edit.at + edit.removed, edit.inserted);
        Some(String::from_utf16_lossy(&all))
    }

    #[test]
    fn builders_are_edited() {
        let int = Value::Int;
        let all: [(&str, &str, &[Value], Option<&str>); 11] = [
            ("ab", "append", &[Value::Char(99)], Some("abc")),
            ("", "append", &[Value::Null], Some("null")),
            ("ab", "insert", &[int(1), int(-7)], Some("a-7b")),
            ("abc", "delete", &[int(1), int(99)], Some("a")),
            ("abc", "delete", &[int(2), int(1)], None),
            ("abc", "deleteCharAt", &[int(0)], Some("bc")),
            ("abc", "deleteCharAt", &[int(3)], None),
            ("abc", "setCharAt", &[int(1), Value::Char(88)], Some("aXc")),
            ("abc", "setLength", &[int(1)], Some("a")),
            ("a", "setLength", &[int(2)], Some("a\0")),
            ("x\u{1F600}y", "reverse", &[], Some("y\u{1F600}x")),
        ];
        for (held, name, arguments, expected) in all {
            let text = after(held, name, arguments);
            assert_eq!(text.as_deref(), expected, "{held} {name} {arguments:?}");
        }
    }

    #[test]
    fn numbers_are_written_as_java_writes_them() {
        let all = [
            (1.5, "1.5"),
            (100.0, "100.0"),
            (0.001, "0.001"),
            (1e7, "1.0E7"),
            (1.25e-5, "1.25E-5"),
            (9_999_999.5, "9999999.5"),
            (-0.0, "-0.0"),
            (2e23, "2.0E23"),
            (4.9e-324, "4.9E-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, text) in all {
            let appended = after("", "append", &[Value::double(value)]);
            assert_eq!(appended.as_deref(), Some(text));
        }
        let float = after("", "append", &[Value::float(0.1)]);
        assert_eq!(float.as_deref(), Some("0.1"));
        // Java says ...1.2.
        let between = after("", "append", &[Value::float(-13_562_205.0 / 4.0)]);
        assert_eq!(between, None);
    }
}
