//! Values: JSON's own where they can be, objects with one clear key where not.

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{Held, HeldItem, HeldKind, Object, Value};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::PlaceJson;

/// One value.
#[derive(Clone, Copy, Debug)]
pub struct ValueJson<'a>(pub &'a Value);

impl Serialize for ValueJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            Some(Kind::Boolean(v)) => s.serialize_bool(*v),
            Some(Kind::Int(v)) => s.serialize_i32(*v),
            Some(Kind::Long(v)) => s.serialize_i64(*v),
            Some(Kind::Char(unit)) => match char::from_u32(*unit) {
                Some(c) => s.serialize_char(c),
                // Half of a surrogate pair is no text.
                None => single(s, "char", unit),
            },
            Some(Kind::Float(v)) if v.is_finite() => s.serialize_f32(*v),
            Some(Kind::Double(v)) if v.is_finite() => s.serialize_f64(*v),
            Some(Kind::Float(v)) => s.serialize_str(not_finite(f64::from(*v))),
            Some(Kind::Double(v)) => s.serialize_str(not_finite(*v)),
            Some(Kind::Null(_)) => s.serialize_unit(),
            Some(Kind::Object(object)) => serialize_object(object, s),
            Some(Kind::NotRecorded(reason)) => single(s, "not_recorded", reason),
            Some(Kind::Void(_)) => single(s, "void", &true),
            Some(Kind::Removed(_)) => single(s, "removed", &true),
            None => single(
                s,
                "not_recorded",
                "a kind of value that this jhyde does not know",
            ),
        }
    }
}

fn single<S: Serializer, T: Serialize + ?Sized>(
    s: S,
    key: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = s.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

fn not_finite(v: f64) -> &'static str {
    if v.is_nan() {
        "NaN"
    } else if v > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A whole string is a JSON string; everything else, and a string that was cut or is no valid UTF-16, is an
/// object.
fn serialize_object<S: Serializer>(object: &Object, s: S) -> Result<S::Ok, S::Error> {
    if let Some(text) = &object.text
        && object.units.is_empty()
    {
        let kept = text.encode_utf16().count();
        if object.length.is_none_or(|length| kept >= length as usize) {
            return s.serialize_str(text);
        }
    }
    let mut map = s.serialize_map(None)?;
    map.serialize_entry("object", &object.id)?;
    map.serialize_entry("class", &object.class)?;
    if !object.units.is_empty() {
        map.serialize_entry("units", &object.units)?;
    } else if let Some(text) = &object.text {
        map.serialize_entry("text", text)?;
    }
    if let Some(length) = object.length {
        map.serialize_entry("length", &length)?;
    }
    if !object.shown.is_empty() {
        map.serialize_entry("shown", &object.shown)?;
    }
    if !object.runs.is_empty() {
        map.serialize_entry("runs", &object.runs)?;
    }
    if let Some(held) = &object.held {
        map.serialize_entry("held", &HeldJson(held))?;
    }
    if let Some(content) = &object.content {
        map.serialize_entry("content", &ValueJson(content))?;
    }
    if !object.made_at.is_empty() {
        let places: Vec<_> = object.made_at.iter().map(PlaceJson).collect();
        map.serialize_entry("made_at", &places)?;
    }
    map.end()
}

/// What an object held.
struct HeldJson<'a>(&'a Held);

impl Serialize for HeldJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Held {
            length,
            items,
            text,
            units,
            not_recorded,
            ..
        } = self.0;
        if !not_recorded.is_empty() {
            return single(s, "not_recorded", not_recorded);
        }
        let kind = match self.0.kind() {
            HeldKind::List => "list",
            HeldKind::Set => "set",
            HeldKind::Map => "map",
            HeldKind::Single => "single",
            HeldKind::Named => "named",
            HeldKind::Next => "next",
            HeldKind::Text => "text",
            HeldKind::Unspecified => "unknown",
        };
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("length", length)?;
        if self.0.kind() != HeldKind::Text {
            let items: Vec<_> = items.iter().map(ItemJson).collect();
            map.serialize_entry("items", &items)?;
        } else if units.is_empty() {
            map.serialize_entry("text", text)?;
        } else {
            map.serialize_entry("units", units)?;
        }
        map.end()
    }
}

/// One item: the value alone, or an object with its name or key.
struct ItemJson<'a>(&'a HeldItem);

impl Serialize for ItemJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let HeldItem { name, key, value } = self.0;
        let value = value.as_ref().map(ValueJson);
        let mut map = match (key, name.is_empty()) {
            (None, true) => return value.serialize(s),
            _ => s.serialize_map(Some(2))?,
        };
        match key {
            Some(key) => map.serialize_entry("key", &ValueJson(key))?,
            None => map.serialize_entry("name", name)?,
        }
        map.serialize_entry("value", &value)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, expected: &str) {
        let value = Value {
            kind: Some(kind),
            display: "ignored".into(),
            ..Value::default()
        };
        assert_eq!(serde_json::to_string(&ValueJson(&value)).unwrap(), expected);
    }

    fn reference(id: u64, class: &str) -> Object {
        Object {
            id,
            class: class.to_owned(),
            ..Object::default()
        }
    }

    #[test]
    fn primitives_are_jsons_own() {
        check(Kind::Boolean(true), "true");
        check(Kind::Int(-1), "-1");
        check(Kind::Long(i64::MAX), "9223372036854775807");
        check(Kind::Float(0.1), "0.1");
        check(Kind::Double(1e300), "1e+300");
        check(Kind::Double(-0.0), "-0.0");
        check(Kind::Null(true), "null");
    }

    #[test]
    fn what_json_has_no_word_for() {
        check(Kind::Double(f64::NAN), "\"NaN\"");
        check(Kind::Float(f32::INFINITY), "\"Infinity\"");
        check(Kind::Double(f64::NEG_INFINITY), "\"-Infinity\"");
        check(Kind::Char(0x78), "\"x\"");
        check(Kind::Char(0xd83d), "{\"char\":55357}");
        check(Kind::Void(true), "{\"void\":true}");
        check(
            Kind::NotRecorded("why".into()),
            "{\"not_recorded\":\"why\"}",
        );
    }

    #[test]
    fn references() {
        check(
            Kind::Object(reference(12, "p.A").into()),
            "{\"object\":12,\"class\":\"p.A\"}",
        );
        let array = Object {
            length: Some(4),
            ..reference(3, "int[]")
        };
        check(
            Kind::Object(array.into()),
            "{\"object\":3,\"class\":\"int[]\",\"length\":4}",
        );
        let text = Object {
            text: Some("ä\n".into()),
            length: Some(2),
            ..reference(1, "java.lang.String")
        };
        check(Kind::Object(text.into()), "\"ä\\n\"");
        let cut = Object {
            text: Some("ab".into()),
            length: Some(9),
            ..reference(1, "java.lang.String")
        };
        check(
            Kind::Object(cut.into()),
            "{\"object\":1,\"class\":\"java.lang.String\",\"text\":\"ab\",\"length\":9}",
        );
        let odd = Object {
            text: Some("a\u{fffd}".into()),
            units: vec![0x61, 0xd83d],
            length: Some(2),
            ..reference(1, "java.lang.String")
        };
        check(
            Kind::Object(odd.into()),
            "{\"object\":1,\"class\":\"java.lang.String\",\"units\":[97,55357],\"length\":2}",
        );
        let five = Value {
            kind: Some(Kind::Int(5)),
            ..Value::default()
        };
        let item = HeldItem {
            key: Some(five.clone()),
            value: Some(five.clone()),
            ..HeldItem::default()
        };
        let map = Object {
            held: Some(Held {
                kind: HeldKind::Map.into(),
                items: vec![item],
                length: 3,
                ..Held::default()
            }),
            ..reference(4, "java.util.HashMap")
        };
        check(
            Kind::Object(map.into()),
            "{\"object\":4,\"class\":\"java.util.HashMap\",\"held\":{\"kind\":\"map\",\"length\":3,\
             \"items\":[{\"key\":5,\"value\":5}]}}",
        );
        let constant = Object {
            shown: "Side.SELL".into(),
            ..reference(6, "p.Side")
        };
        check(
            Kind::Object(constant.into()),
            "{\"object\":6,\"class\":\"p.Side\",\"shown\":\"Side.SELL\"}",
        );
        let boxed = Object {
            content: Some(Box::new(five)),
            ..reference(2, "java.lang.Integer")
        };
        check(
            Kind::Object(boxed.into()),
            "{\"object\":2,\"class\":\"java.lang.Integer\",\"content\":5}",
        );
    }
}
