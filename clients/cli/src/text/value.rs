//! One value.

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{Call, Object, Value};

use super::clean;

/// A value as a person would write it. The daemon says so itself; what an older one leaves out is made
/// up here.
pub fn value(value: &Value) -> String {
    if !value.display.is_empty() {
        return clean(&value.display).into_owned();
    }
    match &value.kind {
        Some(Kind::Boolean(v)) => v.to_string(),
        Some(Kind::Int(v)) => v.to_string(),
        Some(Kind::Long(v)) => v.to_string(),
        Some(Kind::Char(unit)) => character(*unit),
        Some(Kind::Float(v)) => format!("{v:?}"),
        Some(Kind::Double(v)) => format!("{v:?}"),
        Some(Kind::Null(_)) => "null".to_owned(),
        Some(Kind::Object(v)) => object(v),
        Some(Kind::NotRecorded(reason)) if reason.is_empty() => "(not recorded)".to_owned(),
        Some(Kind::NotRecorded(reason)) => format!("(not recorded: {})", clean(reason)),
        Some(Kind::Void(_)) => "void".to_owned(),
        None => "(not recorded)".to_owned(),
    }
}

/// The same, or what stands for "no value yet".
pub fn value_or(shown: Option<&Value>, missing: &str) -> String {
    shown.map_or_else(|| missing.to_owned(), value)
}

/// How a call ended, behind its name: `= 3`, `threw IOException object#4`, `still runs`.
pub fn ended(call: &Call) -> String {
    match (&call.result, &call.exception) {
        (_, Some(exception)) => format!("threw {}", value(exception)),
        (Some(result), None) => format!("= {}", value(result)),
        (None, None) if call.exit.is_some() => String::new(),
        (None, None) if call.recording_ended => "(not ended when the recording ended)".to_owned(),
        (None, None) => "(still running)".to_owned(),
    }
}

fn character(unit: u32) -> String {
    match char::from_u32(unit) {
        Some(c) if !c.is_control() => format!("'{c}'"),
        _ => format!("'\\u{unit:04x}'"),
    }
}

fn object(object: &Object) -> String {
    if let Some(text) = &object.text {
        let kept = text.encode_utf16().count();
        let cut = object.length.is_some_and(|length| kept < length as usize);
        let more = if cut { "…" } else { "" };
        return format!("\"{}{more}\"", clean(text).replace('"', "\\\""));
    }
    let class = object
        .class
        .rsplit('.')
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("?");
    let class = clean(class);
    if let Some(content) = &object.content {
        return format!("{class} {}", value(content));
    }
    match (class.strip_suffix("[]"), object.length) {
        (Some(element), Some(length)) => format!("{element}[{length}] array#{}", object.id),
        (Some(_), None) => format!("{class} array#{}", object.id),
        _ => format!("{class} object#{}", object.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, expected: &str) {
        let shown = value(&Value {
            kind: Some(kind),
            ..Value::default()
        });
        assert_eq!(shown, expected);
    }

    fn reference(class: &str, id: u64) -> Object {
        Object {
            id,
            class: class.to_owned(),
            ..Object::default()
        }
    }

    #[test]
    fn values_without_the_daemons_words() {
        check(Kind::Int(-3), "-3");
        check(Kind::Long(i64::MIN), "-9223372036854775808");
        check(Kind::Double(0.1), "0.1");
        check(Kind::Double(f64::NAN), "NaN");
        check(Kind::Char(120), "'x'");
        check(Kind::Char(0xd83d), "'\\ud83d'");
        check(Kind::Null(true), "null");
        check(Kind::Void(true), "void");
        check(
            Kind::NotRecorded("level calls".into()),
            "(not recorded: level calls)",
        );
        check(
            Kind::Object(reference("java.util.ArrayList", 12).into()),
            "ArrayList object#12",
        );
        check(
            Kind::Object(Box::new(Object {
                length: Some(4),
                ..reference("int[]", 3)
            })),
            "int[4] array#3",
        );
        let text = Object {
            text: Some("a\u{1b}\"b".into()),
            length: Some(4),
            ..reference("java.lang.String", 1)
        };
        check(Kind::Object(text.into()), "\"a\\u001b\\\"b\"");
        let cut = Object {
            text: Some("ab".into()),
            length: Some(9),
            ..reference("java.lang.String", 1)
        };
        check(Kind::Object(cut.into()), "\"ab…\"");
        let five = Value {
            kind: Some(Kind::Int(5)),
            ..Value::default()
        };
        let boxed = Object {
            content: Some(Box::new(five)),
            ..reference("java.lang.Integer", 2)
        };
        check(Kind::Object(boxed.into()), "Integer 5");
    }

    #[test]
    fn the_daemons_words_are_cleaned() {
        let shown = Value {
            display: "\"\u{1b}[2J\"".into(),
            ..Value::default()
        };
        assert_eq!(value(&shown), "\"\\u001b[2J\"");
    }
}
