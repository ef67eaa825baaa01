//! One value.

use std::borrow::Cow;

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{Call, HeldItem, HeldKind, Object, Value};

use super::{clean, shorten, width};

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
        Some(Kind::Removed(_)) => "(removed)".to_owned(),
        None => "(not recorded)".to_owned(),
    }
}

/// The same in one short line, for lists of arguments: objects whose content is known without their numbers.
pub fn compact(shown: &Value) -> String {
    match shown.compact.as_str() {
        "" => value(shown),
        compact => clean(compact).into_owned(),
    }
}

/// Can nothing more be learnt of the value by opening it: is it no object, or shown whole?
pub fn is_whole(shown: &Value) -> bool {
    let Some(Kind::Object(object)) = &shown.kind else {
        return true;
    };
    // What a box holds is all of it; an exception has more than its message, a thread than its name.
    let is_box = |content: &Value| !matches!(content.kind, Some(Kind::Object(_)));
    let boxed = object.content.as_deref().is_some_and(is_box);
    if object.text.is_some() || boxed || !object.shown.is_empty() {
        return true;
    }
    object.held.as_ref().is_some_and(|held| {
        let all = |item: &HeldItem| [&item.key, &item.value].into_iter().flatten().all(is_whole);
        held.not_recorded.is_empty()
            && (held.kind() == HeldKind::Text
                || held.items.len() as u64 == held.length && held.items.iter().all(all))
    })
}

/// The same, or what stands for "no value yet".
pub fn value_or(shown: Option<&Value>, missing: &str) -> String {
    shown.map_or_else(|| missing.to_owned(), value)
}

/// How a call ended, behind its name: `= 3`, `threw IOException object#4`, `still runs`.
pub fn ended(call: &Call) -> String {
    match (&call.result, &call.exception) {
        (_, Some(exception)) => format!("threw {}", value(exception)),
        (Some(result), None) => format!("= {}", compact(result)),
        (None, None) if call.exit.is_some() => String::new(),
        (None, None) if call.recording_ended => "(not ended when the recording ended)".to_owned(),
        (None, None) => "(still running)".to_owned(),
    }
}

/// A value in at most so many columns, as far as that is possible: whose id it is stands at the end and stays, and of a
/// nested class its own name.
pub fn shorten_value(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    // What ends otherwise is a list of such, say.
    let is_id = |id: &str| id.contains('#') && id.ends_with(|c: char| c.is_ascii_digit());
    let Some((class, id)) = text.rsplit_once(' ').filter(|(_, id)| is_id(id)) else {
        return shorten(text, columns);
    };
    let room = columns.saturating_sub(width(id) + 1);
    let own = own_name(class);
    // Classes without a name have a number there.
    let is_name = own.starts_with(|c: char| !c.is_ascii_digit());
    let own = if is_name { own } else { class };
    match room {
        // So little of a name says nothing.
        0..4 => shorten(id, columns),
        _ => Cow::Owned(format!("{} {id}", shorten(own, room))),
    }
}

/// A nested class's name without those around it. What a library makes of a class at run time has that one's name, and more behind `$$`.
fn own_name(class: &str) -> &str {
    let made_of = class.find("$$").unwrap_or(class.len());
    let from = class[..made_of].rfind('$').map_or(0, |at| at + 1);
    &class[from..]
}

fn character(unit: u32) -> String {
    match char::from_u32(unit) {
        Some(c) if !c.is_control() => format!("'{c}'"),
        _ => format!("'\\u{unit:04x}'"),
    }
}

fn object(object: &Object) -> String {
    if let Some(text) = &object.text {
        let units = match object.units.as_slice() {
            [] => text.encode_utf16().collect(),
            exact => exact.iter().map(|&unit| unit as u16).collect::<Vec<_>>(),
        };
        let cut = object
            .length
            .is_some_and(|length| units.len() < length as usize);
        let more = if cut { "…" } else { "" };
        let pieces = char::decode_utf16(units).map(|piece| match piece {
            Ok(c) => clean(&c.to_string()).replace('"', "\\\""),
            Err(lone) => format!("\\u{:04x}", lone.unpaired_surrogate()),
        });
        return format!("\"{}{more}\"", pieces.collect::<String>());
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

    #[test]
    fn nested_and_generated_classes_have_a_name_of_their_own() {
        for (class, own) in [
            ("shop.Orders", "shop.Orders"),
            ("shop.Orders$Line", "Line"),
            (
                "App$Account$$EnhancerByCGLIB$$e817cd8a",
                "Account$$EnhancerByCGLIB$$e817cd8a",
            ),
            ("Service$$SpringCGLIB$$0", "Service$$SpringCGLIB$$0"),
        ] {
            assert_eq!(own_name(class), own);
        }
        let text = "App$Account$$EnhancerByCGLIB$$e817cd8a object#143";
        assert_eq!(shorten_value(text, 24), "Account$$Enh… object#143");
        let list = "ArrayList[2] [Main$Bulk object#5, Main$Never object#19]";
        assert_eq!(shorten_value(list, 24), shorten(list, 24));
    }

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
        let odd = Object {
            text: Some("a\u{fffd}".into()),
            units: vec![0x61, 0xd83d],
            length: Some(2),
            ..reference("java.lang.String", 1)
        };
        check(Kind::Object(odd.into()), "\"a\\ud83d\"");
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
    fn a_short_value_keeps_its_id() {
        let object = "Shop$Order$Builder object#115";
        assert_eq!(shorten_value(object, 29), object);
        assert_eq!(shorten_value(object, 20), "Builder object#115");
        assert_eq!(shorten_value(object, 16), "Buil… object#115");
        assert_eq!(shorten_value(object, 12), "object#115");
        assert_eq!(shorten_value("\"a text with words\"", 8), "\"a text…");
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
