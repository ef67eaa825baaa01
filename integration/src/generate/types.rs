//! The types that generated programs use, and literals of each: mostly small ones and the edges.

use super::random::Random;

/// A type of the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `String`
    Text,
    /// `Object`
    Object,
    /// An array of these.
    Array(Box<Self>),
    /// A class of the program.
    Class(String),
}

/// Everything that a field or local of a plain statement has.
pub const PRIMITIVES: [Type; 8] = [
    Type::Boolean,
    Type::Byte,
    Type::Short,
    Type::Char,
    Type::Int,
    Type::Long,
    Type::Float,
    Type::Double,
];

const TEXTS: [&str; 14] = [
    "",
    "a",
    "ab",
    "b",
    "\\u00e4\\u20ac",
    "\\ud83d\\ude00",
    "x\\ud83d",
    "\\ude00y",
    "\\0",
    "a\\0b",
    "\\t\\n",
    "\\\"q\\\"",
    "Aa",
    "BB",
];

impl Type {
    /// As Java writes it.
    pub fn java(&self) -> String {
        match self {
            Self::Boolean => "boolean".into(),
            Self::Byte => "byte".into(),
            Self::Short => "short".into(),
            Self::Char => "char".into(),
            Self::Int => "int".into(),
            Self::Long => "long".into(),
            Self::Float => "float".into(),
            Self::Double => "double".into(),
            Self::Text => "String".into(),
            Self::Object => "Object".into(),
            Self::Array(of) => format!("{}[]", of.java()),
            Self::Class(name) => name.clone(),
        }
    }

    /// The wrapper's name.
    pub fn boxed(&self) -> String {
        match self {
            Self::Int => "Integer".into(),
            Self::Char => "Character".into(),
            primitive if PRIMITIVES.contains(primitive) => {
                let name = primitive.java();
                name[..1].to_uppercase() + &name[1..]
            }
            other => other.java(),
        }
    }

    /// An array of these.
    pub fn array(self) -> Self {
        Self::Array(Box::new(self))
    }

    /// Does it have `+`, `<` and so on?
    pub fn is_number(&self) -> bool {
        PRIMITIVES.contains(self) && *self != Self::Boolean
    }

    /// `int`, `long`: these have all operators and their operators yield them.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Int | Self::Long)
    }

    /// The shortest literal.
    pub fn plainest(&self) -> String {
        match self {
            Self::Boolean => "false".into(),
            Self::Byte | Self::Short => format!("({}) 1", self.java()),
            Self::Char => "'a'".into(),
            Self::Int => "1".into(),
            Self::Long => "1L".into(),
            Self::Float => "1.0f".into(),
            Self::Double => "1.0".into(),
            Self::Text => "\"a\"".into(),
            Self::Array(of) => format!("new {}[1]", of.java()),
            Self::Object => "(Object) \"o\"".into(),
            Self::Class(name) => format!("(({name}) null)"),
        }
    }

    /// A literal.
    pub fn literal(&self, random: &mut Random) -> String {
        let small = random.below(7) as i64 - 2;
        let edge = random.chance(35);
        let pick = |random: &mut Random, all: &[&str]| (*random.pick(all)).to_owned();
        match self {
            Self::Boolean => random.chance(50).to_string(),
            Self::Byte if edge => pick(random, &["(byte) -128", "(byte) 127", "(byte) -1"]),
            Self::Short if edge => pick(random, &["(short) -32768", "(short) 32767"]),
            Self::Byte | Self::Short => format!("({}) {small}", self.java()),
            Self::Char if edge => pick(
                random,
                &["'\\0'", "'\\uffff'", "'\\ud800'", "'\\udfff'", "'\\''"],
            ),
            Self::Char => format!("'{}'", char::from(b'a' + random.below(26) as u8)),
            Self::Int if edge => pick(
                random,
                &[
                    "Integer.MIN_VALUE",
                    "Integer.MAX_VALUE",
                    "-1",
                    "0x55555555",
                    "65536",
                    "-32769",
                ],
            ),
            Self::Int => small.to_string(),
            Self::Long if edge => pick(
                random,
                &[
                    "Long.MIN_VALUE",
                    "Long.MAX_VALUE",
                    "-1L",
                    "0x123456789abcdefL",
                    "4294967296L",
                ],
            ),
            Self::Long => format!("{small}L"),
            Self::Float if edge => pick(
                random,
                &[
                    "Float.NaN",
                    "-0.0f",
                    "Float.POSITIVE_INFINITY",
                    "Float.NEGATIVE_INFINITY",
                    "Float.MIN_VALUE",
                    "Float.MAX_VALUE",
                    "16777217f",
                    "0.1f",
                ],
            ),
            Self::Float => format!("{small}.5f"),
            Self::Double if edge => pick(
                random,
                &[
                    "Double.NaN",
                    "-0.0",
                    "Double.POSITIVE_INFINITY",
                    "Double.NEGATIVE_INFINITY",
                    "Double.MIN_VALUE",
                    "Double.MAX_VALUE",
                    "0.1",
                    "1e19",
                    "-2147483649.5",
                ],
            ),
            Self::Double => format!("{small}.25"),
            Self::Text if random.chance(6) => "((String) null)".into(),
            Self::Text => format!("\"{}\"", random.pick(&TEXTS)),
            Self::Object => format!("(Object) {}", Self::Text.literal(random)),
            Self::Array(of) => format!("new {}[{}]", of.java(), random.below(4)),
            Self::Class(name) => format!("(({name}) null)"),
        }
    }
}
