//! What the stream of events tells of values and of variables, laid out in columns.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use serde_json::Value as Json;

use super::classes::Classes;

/// A row's cells, by the names of their columns.
pub(super) type Cells = BTreeMap<String, Value>;

pub(super) fn cells<const N: usize>(named: [(&str, Value); N]) -> Cells {
    let named = named.into_iter();
    named.map(|(name, cell)| (name.to_owned(), cell)).collect()
}

pub(super) fn number(json: &Json) -> Value {
    json.as_i64().into()
}

pub(super) fn text(json: &Json) -> Value {
    json.as_str().map(str::to_owned).into()
}

/// What is told of a value. A whole string stands there as a string of JSON, without its number as an object.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// None where it may be several: 7 is a byte, a short, an int or a long.
    kind: Option<String>,
    int: Option<i64>,
    real: Option<f64>,
    pub(super) text: Option<String>,
    pub(super) object: Option<i64>,
    pub(super) class: Option<String>,
}

impl Told {
    /// A value, and its type as in source where that is known: a char is written as a string is, a float as a double.
    pub(super) fn of(value: Option<&Json>, declared: &str) -> Self {
        match value {
            None => Self::default(),
            Some(Json::Null) => Self::kind("null"),
            Some(Json::Bool(is)) => Self {
                int: Some((*is).into()),
                ..Self::kind("boolean")
            },
            Some(Json::Number(number)) => Self::number(number, declared),
            Some(Json::String(text)) => Self::string(text, declared),
            Some(other) => Self::other(other),
        }
    }

    fn kind(kind: &str) -> Self {
        Self {
            kind: Some(kind.to_owned()),
            ..Self::default()
        }
    }

    fn number(number: &serde_json::Number, declared: &str) -> Self {
        let is_known = matches!(
            declared,
            "byte" | "short" | "int" | "long" | "float" | "double"
        );
        let kind = is_known.then(|| declared.to_owned());
        if let Some(int) = number.as_i64() {
            return Self {
                kind,
                int: Some(int),
                ..Self::default()
            };
        }
        // The shortest digits that mean this float mean another double.
        let real = match (number.as_f64(), declared) {
            (Some(real), "float") => Some(f64::from(real as f32)),
            (real, _) => real,
        };
        Self {
            kind,
            real,
            ..Self::default()
        }
    }

    fn string(text: &str, declared: &str) -> Self {
        match declared {
            "char" => Self {
                int: text.encode_utf16().next().map(i64::from),
                text: Some(text.to_owned()),
                ..Self::kind("char")
            },
            // JSON has neither NaN nor infinities; a column has no NaN.
            "float" | "double" => Self {
                real: text.parse().ok().filter(|real: &f64| !real.is_nan()),
                ..Self::kind(declared)
            },
            _ => Self {
                text: Some(text.to_owned()),
                class: Some("java.lang.String".to_owned()),
                ..Self::kind("object")
            },
        }
    }

    /// What JSON has no word for.
    fn other(json: &Json) -> Self {
        if let Some(object) = json["object"].as_i64() {
            let class = json["class"].as_str().filter(|class| !class.is_empty());
            return Self {
                text: json["text"].as_str().map(str::to_owned),
                object: Some(object),
                class: class.map(str::to_owned),
                ..Self::kind("object")
            };
        }
        if let Some(unit) = json["char"].as_i64() {
            return Self {
                int: Some(unit),
                text: Some("\u{fffd}".to_owned()),
                ..Self::kind("char")
            };
        }
        for (key, kind) in [("not_recorded", "not recorded"), ("void", "void")] {
            if json.get(key).is_some() {
                return Self::kind(kind);
            }
        }
        panic!("an unknown form of a value: {json}");
    }

    /// `NAME_kind`, `NAME_int` and so on.
    pub(super) fn cells(self, name: &str) -> Cells {
        let columns: [(&str, Value); 6] = [
            ("kind", self.kind.into()),
            ("int", self.int.into()),
            ("real", self.real.into()),
            ("text", self.text.into()),
            ("object", self.object.into()),
            ("class", self.class.into()),
        ];
        let columns = columns.into_iter();
        columns
            .map(|(column, cell)| (format!("{name}_{column}"), cell))
            .collect()
    }
}

/// The type of a method's result as in source, where it is a primitive one.
pub(super) fn result_type(descriptor: &str) -> &'static str {
    match descriptor.rsplit_once(')').map_or("", |(_, of)| of) {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => "",
    }
}

/// What the written form of a variable says: `1.5:lc`, `1.5:lc@7`, `object#3.size`, `object#3.pkg.Base.size`, `array#1[2]`, `pkg.Cls.COUNT`.
pub(super) fn variable(written: &str, classes: &Classes) -> Cells {
    let last = |text: &str| text.rsplit('.').next().map(str::to_owned);
    let (of, name, object, element): (_, Option<String>, Option<i64>, Option<i64>) =
        if let Some(rest) = written.strip_prefix("array#") {
            let (array, index) = rest.split_once('[').expect("an index");
            let index = index.strip_suffix(']').expect("its end");
            ("element", None, array.parse().ok(), index.parse().ok())
        } else if let Some(rest) = written.strip_prefix("object#") {
            let (object, field) = rest.split_once('.').expect("a field");
            ("field", last(field), object.parse().ok(), None)
        } else if let Some((_, local)) = written.split_once(':') {
            // Behind the @ stands which one of that name; without a name it is a slot.
            let name = local.split('@').next().filter(|name| !name.is_empty());
            ("local", name.map(str::to_owned), None, None)
        } else {
            ("static", last(written), None, None)
        };
    let field_class = match written.strip_prefix("object#") {
        Some(field) => classes.declaring(field),
        None if of == "static" => written.rsplit_once('.').map(|(class, _)| class.to_owned()),
        None => None,
    };
    cells([
        ("variable", written.to_owned().into()),
        ("of", of.to_owned().into()),
        ("name", name.into()),
        ("field_class", field_class.into()),
        ("object", object.into()),
        ("element", element.into()),
    ])
}
