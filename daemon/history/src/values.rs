//! Values in words: a primitive as its literal, an object by what it held at the time that is asked for.

use std::fmt;

use jhyde_trace::{Content, ObjectId, Text, Units, Value};

use crate::place::PlaceView;

/// A value and what is known of the object that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueView {
    /// The result of a `void` method.
    Void,
    /// A primitive. Never [`Value::Object`], [`Value::Null`] or [`Value::Missing`].
    Primitive(Value),
    /// `null`.
    Null,
    /// There is nothing any more: a part of a content that was removed.
    Gone,
    /// An object or array.
    Object(ObjectView),
    /// There was a value, and it is not known: why, in words for people.
    NotRecorded(String),
}

impl ValueView {
    /// The object that it refers to.
    pub fn object(&self) -> Option<ObjectId> {
        match self {
            Self::Object(object) => Some(object.id),
            _ => None,
        }
    }

    /// Its type as far as it is known: a primitive's name, or the object's class.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Void => "void",
            Self::Primitive(value) => match value {
                Value::Boolean(_) => "boolean",
                Value::Byte(_) => "byte",
                Value::Char(_) => "char",
                Value::Short(_) => "short",
                Value::Int(_) => "int",
                Value::Long(_) => "long",
                Value::Float(_) => "float",
                Value::Double(_) => "double",
                Value::Null | Value::Object(_) | Value::Missing(_) => "",
            },
            Self::Object(object) => &object.class,
            Self::Null | Self::Gone | Self::NotRecorded(_) => "",
        }
    }
}

/// An object as far as its class and its immutable content are known.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectView {
    /// The object.
    pub id: ObjectId,
    /// Dotted binary name of its class, `int[]` for arrays; empty if it could not be read.
    pub class: String,
    /// What it holds for good.
    pub content: Content,
    /// How its users see it, where that can never change and is a text: `Side.SELL`, `2024-02-29`.
    pub shown: Option<String>,
    /// What it held at the time that was asked for, if that was asked for and is recorded.
    pub held: Option<Box<HeldView>>,
    /// Where the scope made it, an exception: the places in its calls, innermost first. Told where a call's result is
    /// asked for; empty where it is not recorded.
    pub made_at: Vec<PlaceView>,
}

/// What an object held at a time: the first of it, enough to judge.
#[derive(Clone, Debug, PartialEq)]
pub enum HeldView {
    /// Items.
    Items {
        /// Of which kind.
        kind: HeldKind,
        /// The first ones.
        items: Vec<ItemView>,
        /// The number of all.
        length: usize,
    },
    /// Characters.
    Text(Text),
    /// It is not known: why, in words for people.
    Unknown(String),
}

/// How items are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldKind {
    /// By position: a list, queue, deque.
    List,
    /// By themselves.
    Set,
    /// By key.
    Map,
    /// One, or none: an `Optional`, an atomic, a reference.
    Single,
    /// By name: the components of a record, what a lambda captured, an exception's cause and what it suppressed.
    Named,
    /// They come next: an iterator.
    Next,
}

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// Its name, where it has one.
    pub name: String,
    /// Its key in a map.
    pub key: Option<ValueView>,
    /// The item itself, or what the map has for the key.
    pub value: ValueView,
}

impl ObjectView {
    /// `object#12`, `array#3`, `list#7`: as variables of it are written.
    pub fn handle(&self) -> String {
        let word = match (&self.content, self.held.as_deref()) {
            (Content::Array(_), _) => "array",
            (_, Some(HeldView::Text(_))) => "sb",
            (_, Some(HeldView::Items { kind, .. })) => match kind {
                HeldKind::List => "list",
                HeldKind::Set => "set",
                HeldKind::Map => "map",
                HeldKind::Single | HeldKind::Named | HeldKind::Next => "object",
            },
            _ => "object",
        };
        format!("{word}#{}", self.id)
    }
}

impl ObjectView {
    /// What a lambda runs: the place of its body, or a method.
    pub fn runs(&self) -> Option<String> {
        match &self.content {
            Content::Lambda { method, .. } => Some(lambda(method)),
            _ => None,
        }
    }
}

impl ValueView {
    /// In one short line, for lists of arguments: objects whose content is known without their numbers.
    pub fn compact(&self) -> String {
        match self {
            Self::Object(object) => match object.held.as_deref() {
                Some(held @ (HeldView::Items { .. } | HeldView::Text(_))) => {
                    let mut line = Line::new(COMPACT);
                    line.held(object, held, false);
                    line.text
                }
                Some(HeldView::Unknown(_)) => {
                    format!("{} {}", simple_class(&object.class), object.handle())
                }
                None => self.to_string(),
            },
            _ => self.to_string(),
        }
    }
}

/// About how many characters of what an object holds stand in one line.
const WIDE: usize = 100;
/// The same in lists of arguments.
const COMPACT: usize = 48;

/// One line that ends at about its width, with what was left out said.
struct Line {
    text: String,
    left: usize,
    /// How many objects are open around what is written.
    depth: u32,
}

impl Line {
    fn new(width: usize) -> Self {
        Self {
            text: String::new(),
            left: width,
            depth: 0,
        }
    }

    fn push(&mut self, text: &str) {
        self.left = self.left.saturating_sub(text.chars().count());
        self.text.push_str(text);
    }

    fn held(&mut self, object: &ObjectView, held: &HeldView, with_handle: bool) {
        if matches!(object.content, Content::Throwable(_)) {
            return self.push(&object.to_string());
        }
        let class = match &object.content {
            Content::Lambda { method, .. } => lambda(method),
            _ => simple_class(&object.class),
        };
        let handle = match with_handle {
            true => format!(" {}", object.handle()),
            false => String::new(),
        };
        match held {
            HeldView::Unknown(reason) => {
                self.push(&format!(
                    "{class} object#{} <content not recorded: {reason}>",
                    object.id
                ));
            }
            HeldView::Text(text) => {
                let most = self.left.max(16);
                let cut: Units = text.prefix.get(..most).unwrap_or(&text.prefix).into();
                let more = cut.len() < text.length as usize;
                self.push(&format!("{class}{handle} {}", Quoted(&cut)));
                if more {
                    self.push(&format!("… ({} units)", text.length));
                }
            }
            HeldView::Items {
                kind,
                items,
                length,
            } => self.items(&class, &handle, *kind, items, *length),
        }
    }

    fn items(
        &mut self,
        class: &str,
        handle: &str,
        kind: HeldKind,
        items: &[ItemView],
        length: usize,
    ) {
        let (head, open, close) = match kind {
            // Inside others the brackets say enough.
            HeldKind::List if self.depth > 0 => (String::new(), "[", "]"),
            HeldKind::Set | HeldKind::Map if self.depth > 0 => (String::new(), "{", "}"),
            HeldKind::List => (format!("{class}[{length}]{handle} "), "[", "]"),
            HeldKind::Set => (format!("{class}[{length}]{handle} "), "{", "}"),
            HeldKind::Map => (format!("{class}{{{length}}}{handle} "), "{", "}"),
            HeldKind::Next => (format!("{class}{handle} next "), "[", "]"),
            HeldKind::Single if length == 0 => {
                return self.push(&format!("{class}.empty"));
            }
            HeldKind::Single | HeldKind::Named => {
                let space = if handle.is_empty() { "" } else { " " };
                (format!("{class}{handle}{space}"), "(", ")")
            }
        };
        self.push(&head);
        self.push(open);
        self.depth += 1;
        let mut shown = 0;
        for item in items {
            if shown > 0 {
                if self.left == 0 {
                    break;
                }
                self.push(", ");
            }
            if let Some(key) = &item.key {
                self.value(key);
                self.push(": ");
            } else if !item.name.is_empty() {
                self.push(&format!("{}=", item.name));
            }
            self.value(&item.value);
            shown += 1;
        }
        if shown < length {
            let more = match shown {
                0 => format!("… {length}"),
                _ => format!(", … {} more", length - shown),
            };
            self.text.push_str(&more);
        }
        self.depth -= 1;
        self.push(close);
    }

    fn value(&mut self, value: &ValueView) {
        match value {
            // Collections hold boxes, and who reads them thinks of numbers.
            ValueView::Object(ObjectView {
                content: Content::Box(boxed),
                ..
            }) => self.push(&ValueView::Primitive(*boxed).to_string()),
            ValueView::Object(object) => match object.held.as_deref() {
                Some(held @ (HeldView::Items { .. } | HeldView::Text(_))) => {
                    self.held(object, held, false);
                }
                _ => self.push(&value.to_string()),
            },
            _ => self.push(&value.to_string()),
        }
    }
}

/// The class as source names it inside its file: without package, and without the classes around it.
fn simple_class(class: &str) -> String {
    let simple = crate::text::simple_name(class);
    // `List.of` and its like: nobody knows the names of their classes.
    if let Some(fixed) = simple.strip_prefix("ImmutableCollections$") {
        let known = ["List", "Set", "Map"];
        let known = known.into_iter().find(|known| {
            let number = fixed.strip_prefix(known);
            number.is_some_and(|number| matches!(number, "1" | "12" | "N"))
        });
        if let Some(known) = known {
            return known.to_owned();
        }
    }
    // What a library makes of a class at run time has that one's name, and more behind `$$`.
    let (of, made) = simple.split_at(simple.find("$$").unwrap_or(simple.len()));
    let is_named = |part: &&str| part.starts_with(|c: char| !c.is_ascii_digit());
    let inner = of.rsplit('$').find(is_named).unwrap_or(of).to_owned() + made;
    let dimensions = simple.len() - simple.trim_end_matches("[]").len();
    match inner.ends_with("[]") {
        true => inner,
        false => inner + &simple[simple.len() - dimensions..],
    }
}

/// What a lambda runs: the place of its code in the source as it is, or a method by its class and name, without package.
fn lambda(method: &str) -> String {
    match method.rsplit_once('.') {
        Some((_, place)) if place.contains(':') => format!("lambda at {method}"),
        Some((class, name)) => format!("{}::{name}", simple_class(class)),
        None => format!("lambda {method}"),
    }
}

struct Quoted<'a>(&'a Units);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quoted(self.0, f)
    }
}

/// As a person would write it: `3`, `"abc"`, `'x'`, `ArrayList object#12`, `int[4] array#3`.
impl fmt::Display for ValueView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Null => f.write_str("null"),
            Self::Gone => f.write_str("(removed)"),
            Self::NotRecorded(reason) => write!(f, "<not recorded: {reason}>"),
            Self::Primitive(value) => primitive(*value, f),
            Self::Object(object) => write!(f, "{object}"),
        }
    }
}

impl fmt::Display for ObjectView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(shown) = &self.shown {
            return f.write_str(shown);
        }
        if let Some(held) = self.held.as_deref()
            && !matches!(self.content, Content::Throwable(_))
        {
            let mut line = Line::new(WIDE);
            line.held(self, held, true);
            return f.write_str(&line.text);
        }
        let class = crate::text::simple_name(&self.class);
        match &self.content {
            Content::String(text) => {
                quoted(&text.prefix, f)?;
                if text.is_cut() {
                    write!(f, "… ({} units)", text.length)?;
                }
                Ok(())
            }
            Content::Box(value) => {
                write!(f, "{class}(")?;
                primitive(*value, f)?;
                f.write_str(")")
            }
            Content::Array(length) => {
                // The length stands in the first pair of brackets: int[4][].
                match class.split_once("[]") {
                    Some((element, more)) => {
                        write!(f, "{element}[{length}]{more} array#{}", self.id)
                    }
                    None => write!(f, "array[{length}] array#{}", self.id),
                }
            }
            Content::Throwable(thrown) => {
                write!(f, "{class} object#{}", self.id)?;
                if let Some(message) = &thrown.message {
                    // Code of the program decides what its users see.
                    let own = if thrown.overridden {
                        " detailMessage="
                    } else {
                        ": "
                    };
                    f.write_str(own)?;
                    quoted(&message.prefix, f)?;
                }
                let Some(HeldView::Items {
                    kind,
                    items,
                    length,
                }) = self.held.as_deref()
                else {
                    return Ok(());
                };
                let mut line = Line::new(COMPACT);
                line.items("", "", *kind, items, *length);
                write!(f, " {}", line.text)
            }
            Content::Class(name) => write!(f, "{name}.class"),
            // `shown` has these where it was asked for.
            Content::Enum(name) => write!(f, "{class}.{name}"),
            Content::Shown(text) => plain(&text.prefix, f),
            Content::Lambda { method, .. } => {
                write!(f, "{} object#{}", lambda(method), self.id)
            }
            Content::Thread(name) => {
                write!(f, "{class} object#{} ", self.id)?;
                quoted(&name.prefix, f)
            }
            Content::None if class.is_empty() => write!(f, "object#{}", self.id),
            Content::None => write!(f, "{class} object#{}", self.id),
        }
    }
}

fn primitive(value: Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Boolean(value) => write!(f, "{value}"),
        Value::Byte(value) => write!(f, "{value}"),
        Value::Short(value) => write!(f, "{value}"),
        Value::Int(value) => write!(f, "{value}"),
        Value::Long(value) => write!(f, "{value}L"),
        Value::Float(bits) => floating(
            f64::from(f32::from_bits(bits)),
            f32::from_bits(bits),
            "f",
            f,
        ),
        Value::Double(bits) => floating(f64::from_bits(bits), f64::from_bits(bits), "", f),
        Value::Char(unit) => match char::from_u32(u32::from(unit)) {
            Some('\'') => f.write_str("'\\''"),
            Some('"') => f.write_str("'\"'"),
            Some(c) => write!(f, "'{}'", escaped(c)),
            None => write!(f, "'\\u{unit:04x}'"),
        },
        Value::Null => f.write_str("null"),
        Value::Object(id) => write!(f, "object#{id}"),
        Value::Missing(_) => f.write_str("<not recorded>"),
    }
}

/// `{:?}` writes floats as Java does, save for NaN and the infinities.
fn floating(
    value: f64,
    shown: impl fmt::Debug,
    suffix: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if value.is_nan() {
        f.write_str("NaN")
    } else if value.is_infinite() {
        f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        write!(f, "{shown:?}{suffix}")
    }
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

/// The text as a literal of the source.
fn quoted(text: &Units, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    plain(text, f)?;
    f.write_str("\"")
}

fn plain(text: &Units, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for character in text.chars() {
        match character {
            Ok(c) => f.write_str(&escaped(c))?,
            Err(unit) => write!(f, "\\u{unit:04x}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jhyde_trace::Throwable;

    use super::*;

    fn object(class: &str, content: Content) -> ValueView {
        ValueView::Object(ObjectView {
            id: ObjectId(3),
            class: class.to_owned(),
            content,
            shown: None,
            held: None,
            made_at: Vec::new(),
        })
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        let text = |prefix: &str, length| Text {
            prefix: prefix.into(),
            length,
        };
        let shown = [
            (ValueView::Primitive(Value::Int(-3)), "-3"),
            (ValueView::Primitive(Value::Long(3)), "3L"),
            (ValueView::Primitive(Value::Char(0x61)), "'a'"),
            (ValueView::Primitive(Value::Char(0xd800)), "'\\ud800'"),
            (ValueView::Primitive(Value::double(1.0)), "1.0"),
            (ValueView::Primitive(Value::float(0.1)), "0.1f"),
            (
                ValueView::Primitive(Value::double(f64::NEG_INFINITY)),
                "-Infinity",
            ),
            (
                object("java.lang.String", Content::String(text("a\"\n", 3))),
                "\"a\\\"\\n\"",
            ),
            (
                object(
                    "java.lang.String",
                    Content::String(Text::whole(vec![0x61, 0xd83d])),
                ),
                "\"a\\ud83d\"",
            ),
            (
                object("java.lang.String", Content::String(text("ab", 9))),
                "\"ab\"… (9 units)",
            ),
            (object("int[][]", Content::Array(4)), "int[4][] array#3"),
            (
                object("java.util.ArrayList", Content::None),
                "ArrayList object#3",
            ),
            (
                object("java.lang.Integer", Content::Box(Value::Int(7))),
                "Integer(7)",
            ),
            (
                object(
                    "x.E",
                    Content::Throwable(Throwable::with_message(Some(text("no", 2)))),
                ),
                "E object#3: \"no\"",
            ),
            (
                object("java.lang.Class", Content::Class("a.B".to_owned())),
                "a.B.class",
            ),
            (object("", Content::None), "object#3"),
        ];
        for (value, text) in shown {
            assert_eq!(value.to_string(), text);
        }
    }
}
