//! Values, and what is known of the objects that they refer to.

use serde::{Deserialize, Serialize};

use crate::ids::{ClassId, ObjectId};
use crate::text::Text;

/// The value of a variable at some time.
///
/// A reference holds only the object's id: its class, and the content of strings, boxes and other
/// immutable things, is in that object's [`ObjectInfo`], which is stored once per object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Value {
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A `char`: one UTF-16 code unit, which may be half of a surrogate pair.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float` by its bits, so that every NaN and -0.0 stay what they are.
    Float(u32),
    /// A `double` by its bits.
    Double(u64),
    /// `null`.
    Null,
    /// A reference to an object or array.
    Object(ObjectId),
    /// There was a value, and it is not known. Never shown as unchanged.
    Missing(Missing),
}

impl Value {
    /// The object that this refers to, if it refers to one.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Self::Object(id) => Some(id),
            _ => None,
        }
    }

    /// A `float`.
    pub fn float(value: f32) -> Self {
        Self::Float(value.to_bits())
    }

    /// A `double`.
    pub fn double(value: f64) -> Self {
        Self::Double(value.to_bits())
    }
}

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Missing {
    /// The level of the recording leaves it out.
    Level,
    /// It lies in a frame that the JVM does not let anybody read (a native method's).
    Native,
    /// It was bound before the recording began.
    BeforeRecording,
    /// The JVM refused or failed to tell it.
    Unreadable,
    /// What the recording has there may be false, as it turned out later: see [`crate::LevelFact::doubted`].
    Doubted,
    /// Code out of the scope may have written the variable since, and nothing has told it again.
    Unseen,
}

/// What is known of one object, from the first time that it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// The object's class, or `None` when the object was gone before the JVM could be asked.
    pub class: Option<ClassId>,
    /// What the object holds, where that can never change.
    pub content: Content,
}

/// The immutable content of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Nothing immutable: an ordinary object, known by its fields' history.
    None,
    /// A `java.lang.String`.
    String(Text),
    /// A box (`java.lang.Integer` …) and the primitive in it.
    Box(Value),
    /// An array and its length in elements.
    Array(u32),
    /// A `java.lang.Throwable`.
    Throwable(Throwable),
    /// A `java.lang.Class` and the dotted binary name of the class that it stands for.
    Class(String),
    /// A constant of an enum and its name.
    Enum(String),
    /// What can never change and is known by how its users see it: a number, a date, a path, a pattern.
    Shown(Text),
    /// A lambda or method reference.
    Lambda {
        /// The method that it runs, `pkg.Cls.method`.
        method: String,
        /// What it captured, in order.
        captured: Vec<Value>,
    },
    /// A thread and its name when it was first seen.
    Thread(Text),
}

/// What is known of an exception, as of when it was first seen thrown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throwable {
    /// Its message.
    pub message: Option<Text>,
    /// Does `getMessage()` give something else, as far as is known: code that overrides it was not run, so
    /// the message is the field `detailMessage`.
    pub overridden: bool,
    /// `getCause()`: null, an exception, or not known.
    pub cause: Value,
    /// What was suppressed; `None` if that is not known.
    pub suppressed: Option<Vec<Value>>,
    /// The stack trace, a line each as it is printed (without `at`), innermost first; `None` if it is not known.
    pub trace: Option<Vec<String>>,
}

impl Throwable {
    /// One of which only the message is known.
    pub fn with_message(message: Option<Text>) -> Self {
        Self {
            message,
            overridden: false,
            cause: Value::Missing(Missing::Unreadable),
            suppressed: None,
            trace: None,
        }
    }
}
