//! Names and values as Java source writes them.

use jhyde_trace::{Units, Value};

use super::not;
use crate::content::Stop;

/// The package of a class; empty for the unnamed one.
pub(super) fn package(class: &str) -> String {
    class
        .rsplit_once('.')
        .map_or_else(String::new, |(package, _)| package.to_owned())
}

/// A class or array type as source names it: `a.Outer$Inner[]` is `a.Outer.Inner[]`.
pub(super) fn source_name(class: &str) -> Result<String, Stop> {
    let parts = class.trim_end_matches("[]").split(['.', '$']);
    let is_name = |part: &str| {
        let mut chars = part.chars();
        chars
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_')
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() || !parts.all(is_name) {
        return Err(Stop::Not(format!(
            "{class} has no name in source: it is anonymous, local, or made by a compiler"
        )));
    }
    Ok(class.replace('$', "."))
}

/// A text between quotes.
pub(super) fn text(units: &Units) -> String {
    let mut quoted = String::from("\"");
    for c in units.chars() {
        match c {
            Ok('"') => quoted.push_str("\\\""),
            Ok('\\') => quoted.push_str("\\\\"),
            Ok('\n') => quoted.push_str("\\n"),
            Ok('\r') => quoted.push_str("\\r"),
            Ok('\t') => quoted.push_str("\\t"),
            Ok(c @ ' '..='~') => quoted.push(c),
            Ok(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    quoted.push_str(&format!("\\u{unit:04x}"));
                }
            }
            Err(unit) => quoted.push_str(&format!("\\u{unit:04x}")),
        }
    }
    quoted.push('"');
    // A unicode escape is read before lines are: those of ends of lines would break the text in two.
    quoted.replace("\\u000a", "\\n").replace("\\u000d", "\\r")
}

/// A primitive or null, of its own type.
pub(super) fn primitive(value: Value) -> Result<String, Stop> {
    Ok(match value {
        Value::Boolean(value) => value.to_string(),
        Value::Byte(value) => format!("(byte) {value}"),
        Value::Short(value) => format!("(short) {value}"),
        Value::Int(value) => value.to_string(),
        Value::Long(value) => format!("{value}L"),
        Value::Char(unit) => match char::from_u32(u32::from(unit)) {
            Some(c @ ' '..='~') if c != '\'' && c != '\\' => format!("'{c}'"),
            _ => format!("(char) {unit}"),
        },
        Value::Float(bits) => match f32::from_bits(bits) {
            value if value.is_nan() => "Float.NaN".to_owned(),
            f32::INFINITY => "Float.POSITIVE_INFINITY".to_owned(),
            f32::NEG_INFINITY => "Float.NEGATIVE_INFINITY".to_owned(),
            value => format!("{value:?}f"),
        },
        Value::Double(bits) => match f64::from_bits(bits) {
            value if value.is_nan() => "Double.NaN".to_owned(),
            f64::INFINITY => "Double.POSITIVE_INFINITY".to_owned(),
            f64::NEG_INFINITY => "Double.NEGATIVE_INFINITY".to_owned(),
            value => format!("{value:?}"),
        },
        Value::Null => "null".to_owned(),
        Value::Object(_) | Value::Missing(_) => return Err(not("a value was not recorded")),
    })
}

/// The class of the box of a primitive.
pub(super) fn box_of(value: Value) -> Option<&'static str> {
    Some(match value {
        Value::Boolean(_) => "Boolean",
        Value::Byte(_) => "Byte",
        Value::Char(_) => "Character",
        Value::Short(_) => "Short",
        Value::Int(_) => "Integer",
        Value::Long(_) => "Long",
        Value::Float(_) => "Float",
        Value::Double(_) => "Double",
        Value::Null | Value::Object(_) | Value::Missing(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use jhyde_trace::Text;

    use super::*;

    fn quoted(text: &str) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        super::text(&Text::whole(units).prefix)
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(quoted("a \"b\"\\"), r#""a \"b\"\\""#);
        assert_eq!(quoted("x\n\t\u{1}é"), r#""x\n\t\u0001\u00e9""#);
        assert_eq!(quoted("𝄞"), r#""\ud834\udd1e""#);
    }

    #[test]
    fn values_have_their_type() {
        for (value, text) in [
            (Value::Byte(-3), "(byte) -3"),
            (Value::Long(i64::MIN), "-9223372036854775808L"),
            (Value::Char(65), "'A'"),
            (Value::Char(39), "(char) 39"),
            (Value::Float(0.1_f32.to_bits()), "0.1f"),
            (Value::Double(2.5_f64.to_bits()), "2.5"),
            (Value::Double((-0.0_f64).to_bits()), "-0.0"),
            (Value::Double(1e300_f64.to_bits()), "1e300"),
            (
                Value::Double(f64::NEG_INFINITY.to_bits()),
                "Double.NEGATIVE_INFINITY",
            ),
            (Value::Null, "null"),
        ] {
            assert_eq!(primitive(value).expect("a literal"), text);
        }
    }

    #[test]
    fn classes_that_source_cannot_name_are_refused() {
        assert_eq!(
            source_name("a.Outer$Inner[][]").expect("a name"),
            "a.Outer.Inner[][]"
        );
        for class in [
            "a.B$1",
            "a.B$1Local",
            "a.B$$Lambda$7",
            "a.B$$Lambda/0x1",
            "",
        ] {
            assert!(source_name(class).is_err(), "{class}");
        }
    }
}
