//! Calls, values, places and events in the words of the source: what the store knows by numbers, with names.

use std::fmt;

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, Content, MonitorAction, ObjectId, ThreadId, Timestamp, Value};

/// A value and what is known of the object that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueView {
    /// The result of a `void` method.
    Void,
    /// A primitive. Never [`Value::Object`], [`Value::Null`] or [`Value::Missing`].
    Primitive(Value),
    /// `null`.
    Null,
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
            Self::Null | Self::NotRecorded(_) => "",
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
}

impl ObjectView {
    /// `object#12` or `array#3`, as variables of it are written.
    pub fn handle(&self) -> String {
        match self.content {
            Content::Array(_) => format!("array#{}", self.id),
            _ => format!("object#{}", self.id),
        }
    }
}

/// As a person would write it: `3`, `"abc"`, `'x'`, `ArrayList object#12`, `int[4] array#3`.
impl fmt::Display for ValueView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Null => f.write_str("null"),
            Self::NotRecorded(reason) => write!(f, "<not recorded: {reason}>"),
            Self::Primitive(value) => primitive(*value, f),
            Self::Object(object) => write!(f, "{object}"),
        }
    }
}

impl fmt::Display for ObjectView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            Content::Throwable(message) => {
                write!(f, "{class} object#{}", self.id)?;
                if let Some(message) = message {
                    f.write_str(": ")?;
                    quoted(&message.prefix, f)?;
                }
                Ok(())
            }
            Content::Class(name) => write!(f, "{name}.class"),
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

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        f.write_str(&escaped(c))?;
    }
    f.write_str("\"")
}

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceView {
    /// Dotted binary name.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// Its descriptor (JVMS 4.3.3).
    pub descriptor: String,
    /// Bytecode index, if it is known.
    pub index: Option<u32>,
    /// Line in the source file, if it is known.
    pub line: Option<u32>,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentView {
    /// The parameter's name, or `arg0` ….
    pub name: String,
    /// Its type as in source.
    pub type_name: String,
    /// What was given.
    pub value: ValueView,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum OutcomeView {
    /// It returned this ([`ValueView::Void`] from void methods).
    Returned(ValueView),
    /// It ended by this exception.
    Threw(ValueView),
    /// It has not ended, or its end was not seen.
    None,
}

/// A call with names.
#[derive(Clone, Debug, PartialEq)]
pub struct CallView {
    /// What the store knows of it.
    pub record: CallRecord,
    /// Dotted binary name of the declaring class.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// JVMS 4.3.3.
    pub descriptor: String,
    /// First source line of the method's code.
    pub line: Option<u32>,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
    /// Where it was called, if the caller is in scope.
    pub call_site: Option<PlaceView>,
    /// Name of its thread.
    pub thread_name: String,
    /// It has no end, and will not get one: the recording has ended.
    pub recording_ended: bool,
    /// Receiver, arguments and end; `None` if they were not asked for.
    pub values: Option<CallValues>,
}

/// What a call was given and yielded.
#[derive(Clone, Debug, PartialEq)]
pub struct CallValues {
    /// `this`.
    pub receiver: Option<ValueView>,
    /// The arguments.
    pub arguments: Vec<ArgumentView>,
    /// How it ended.
    pub outcome: OutcomeView,
}

/// An event with names.
#[derive(Clone, Debug, PartialEq)]
pub struct EventView {
    /// Its number.
    pub timestamp: Timestamp,
    /// The call that it belongs to; `None` for what cannot be read of all threads.
    pub call: Option<CallId>,
    /// Where; `None` for events of a thread's root.
    pub place: Option<PlaceView>,
    /// What.
    pub kind: EventKindView,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKindView {
    /// A call began.
    Enter(Box<CallView>),
    /// A call ended.
    Exit(Box<CallView>),
    /// An object or array was created.
    Created(ValueView),
    /// A variable was written.
    Write(WriteView),
    /// A variable had this value when its object was first seen.
    Snapshot(WriteView),
    /// A variable was read: its written form.
    Use(String),
    /// A condition's outcome, bytecode indexes.
    Edge {
        /// The conditional instruction.
        from: u32,
        /// The instruction that came next.
        to: u32,
    },
    /// An exception was thrown.
    Thrown(ValueView),
    /// An exception was caught.
    Caught(ValueView),
    /// An exception left the thread.
    Uncaught(ValueView),
    /// A thread began: its name.
    ThreadStart(String),
    /// A thread ended: its name.
    ThreadEnd(String),
    /// A class was prepared: its name.
    ClassPrepared(String),
    /// Something happened at a monitor.
    Monitor(MonitorAction, ValueView),
    /// Something was not recorded: why.
    Gap(String),
    /// Something was recorded and cannot be read: why.
    Unreadable(String),
}

/// A write with names.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteView {
    /// The variable's written form.
    pub variable: String,
    /// How it is called in source: `a`, `this.size`, `Cls.COUNT`.
    pub name: String,
    /// Its new value.
    pub value: ValueView,
}

/// A thread with what happened in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadView {
    /// The thread.
    pub id: ThreadId,
    /// Its name.
    pub name: String,
    /// Its group's name; empty if it had none.
    pub group: String,
    /// Number of its calls.
    pub calls: u64,
    /// Timestamp of its first event.
    pub start: Option<Timestamp>,
    /// Timestamp of its end, once it ended.
    pub end: Option<Timestamp>,
    /// It has no end, and will not get one: the recording has ended.
    pub recording_ended: bool,
}

#[cfg(test)]
mod tests {
    use jhyde_trace::Text;

    use super::*;

    fn object(class: &str, content: Content) -> ValueView {
        ValueView::Object(ObjectView {
            id: ObjectId(3),
            class: class.to_owned(),
            content,
        })
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        let text = |prefix: &str, length| Text {
            prefix: prefix.to_owned(),
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
                object("x.E", Content::Throwable(Some(text("no", 2)))),
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
