//! What cells hold, and how values of the program are laid out in columns.

use std::borrow::Cow;

use jhyde_history::view::ValueView;
use jhyde_trace::{Content, Value};

use super::table::{Column, Type};
use super::world::World;
use crate::error::Result;

/// A cell of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// Nothing.
    Null,
    /// A whole number; truths are 0 and 1.
    Int(i64),
    /// A number with a fraction; never NaN.
    Real(f64),
    /// Text. Halves of surrogate pairs, which no text can hold, are U+FFFD.
    Text(String),
    /// Bytes; no table has any, but SQL can make them.
    Bytes(Vec<u8>),
}

impl Datum {
    pub(super) fn count(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn flag(is: bool) -> Self {
        Self::Int(is.into())
    }

    pub(super) fn or_null<T>(found: Option<T>, datum: impl FnOnce(T) -> Self) -> Self {
        found.map_or(Self::Null, datum)
    }
}

/// What there is where a table has a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    /// No value: the call runs, or threw.
    Nothing,
    /// `void`.
    Void,
    /// There was one, and it was not seen: why.
    Unseen(Cow<'static, str>),
    /// A value.
    Value(Value),
}

impl From<ValueView> for Held {
    /// What stood there once is nothing any more.
    fn from(value: ValueView) -> Self {
        match value {
            ValueView::Void => Self::Void,
            ValueView::Gone => Self::Nothing,
            ValueView::Primitive(value) => Self::Value(value),
            ValueView::Null => Self::Value(Value::Null),
            ValueView::Object(object) => Self::Value(Value::Object(object.id)),
            ValueView::NotRecorded(why) => Self::Unseen(why.into()),
        }
    }
}

type Get<T> = fn(&World, &T) -> Result<Held>;

/// The columns of a value: `NAME`, `NAME_kind`, `NAME_int`, `NAME_real`, `NAME_text`, `NAME_object`, `NAME_class`.
pub(super) fn value_columns<T: 'static>(
    name: &'static str,
    what: &'static str,
    get: Get<T>,
) -> Vec<Column<T>> {
    let column = |suffix: &str, of, doc: String, cell: fn(&World, Held) -> Result<Datum>| {
        Column::of(format!("{name}{suffix}"), of, doc, move |world, row: &T| {
            cell(world, get(world, row)?)
        })
    };
    vec![
        column(
            "",
            Type::Text,
            format!("{what}, as jhyde shows it; null where there is none"),
            display,
        ),
        column(
            "_kind",
            Type::Text,
            format!(
                "what {name} is: boolean, byte, char, short, int, long, float, double, null, object, void, or \"not recorded\""
            ),
            |_, held| Ok(kind(held)),
        ),
        column(
            "_int",
            Type::Int,
            format!(
                "{name} where it is a whole number, a boolean (0, 1) or a char (its UTF-16 unit)"
            ),
            |_, held| Ok(int(held)),
        ),
        column(
            "_real",
            Type::Real,
            format!(
                "{name} where it is a float or double; null for NaN, which {name} and {name}_kind tell"
            ),
            |_, held| Ok(real(held)),
        ),
        column(
            "_text",
            Type::Text,
            format!(
                "{name} where it is a string (as much as the recording kept), a char, or an enum's constant (its name)"
            ),
            text,
        ),
        column(
            "_object",
            Type::Int,
            format!("the number of the object that {name} refers to"),
            |_, held| Ok(object(held)),
        ),
        column(
            "_class",
            Type::Text,
            format!("the class of the object that {name} refers to"),
            class,
        ),
    ]
}

fn display(world: &World, held: Held) -> Result<Datum> {
    Ok(match held {
        Held::Nothing => Datum::Null,
        Held::Void => Datum::text(ValueView::Void.compact()),
        Held::Unseen(why) => Datum::Text(ValueView::NotRecorded(why.into_owned()).compact()),
        Held::Value(value) => Datum::Text(world.history.value(value)?.compact()),
    })
}

fn kind(held: Held) -> Datum {
    Datum::text(match held {
        Held::Nothing => return Datum::Null,
        Held::Void => "void",
        Held::Unseen(_) | Held::Value(Value::Missing(_)) => "not recorded",
        Held::Value(Value::Boolean(_)) => "boolean",
        Held::Value(Value::Byte(_)) => "byte",
        Held::Value(Value::Char(_)) => "char",
        Held::Value(Value::Short(_)) => "short",
        Held::Value(Value::Int(_)) => "int",
        Held::Value(Value::Long(_)) => "long",
        Held::Value(Value::Float(_)) => "float",
        Held::Value(Value::Double(_)) => "double",
        Held::Value(Value::Null) => "null",
        Held::Value(Value::Object(_)) => "object",
    })
}

fn int(held: Held) -> Datum {
    let Held::Value(value) = held else {
        return Datum::Null;
    };
    Datum::Int(match value {
        Value::Boolean(v) => v.into(),
        Value::Byte(v) => v.into(),
        Value::Char(v) => v.into(),
        Value::Short(v) => v.into(),
        Value::Int(v) => v.into(),
        Value::Long(v) => v,
        _ => return Datum::Null,
    })
}

fn real(held: Held) -> Datum {
    let number = match held {
        Held::Value(Value::Float(bits)) => f64::from(f32::from_bits(bits)),
        Held::Value(Value::Double(bits)) => f64::from_bits(bits),
        _ => return Datum::Null,
    };
    match number.is_nan() {
        true => Datum::Null,
        false => Datum::Real(number),
    }
}

fn text(world: &World, held: Held) -> Result<Datum> {
    Ok(match held {
        Held::Value(Value::Char(unit)) => Datum::Text(String::from_utf16_lossy(&[unit])),
        Held::Value(Value::Object(object)) => {
            match world.object(object)?.map(|info| info.content) {
                Some(Content::String(text)) => Datum::Text(text.prefix.to_text_lossy()),
                Some(Content::Enum(name)) => Datum::Text(name),
                _ => Datum::Null,
            }
        }
        _ => Datum::Null,
    })
}

fn object(held: Held) -> Datum {
    match held {
        Held::Value(Value::Object(object)) => Datum::count(object.0),
        _ => Datum::Null,
    }
}

fn class(world: &World, held: Held) -> Result<Datum> {
    match held {
        Held::Value(Value::Object(object)) => world.class_of(object),
        _ => Ok(Datum::Null),
    }
}
