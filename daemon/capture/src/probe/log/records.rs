//! What the records of a log say. How they are written in words is read by the module above.

use std::rc::Rc;

use jhyde_trace::{Part, Value};

/// One record. A `site` is a place in code, a `method` a method, both as [`super::plan`] numbers them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    /// A method was called by code out of the scope, or a static initialiser by the JVM. Its arguments follow, as results at
    /// the site 0.
    Enter { method: u32 },
    /// A call out of the scope has returned; or a field out of the scope was read.
    Result { site: u32, result: Raw },
    /// An exception has arrived at a handler.
    Caught { site: u32, exception: Reference },
    /// An exception has left a method. It `ends` the thread where nothing is below the call that would catch it.
    Escaped {
        method: u32,
        exception: Reference,
        ends: bool,
    },
    /// This object is shown to the call that comes next. If it is an array of references, these are shown, too, by their
    /// hashes, unless they are too many.
    Shown {
        hash: u32,
        elements: Option<Rc<[u32]>>,
    },
    /// There is an object now whose constructor code out of the scope has called: its hash and its class.
    Born { hash: u32, class: Rc<str> },
    /// What an array that was shown holds behind the call.
    Content { site: u32, array: Reference },
    /// The string or class object of a constant, the first time that this log has it here.
    Literal { site: u32, hash: u32 },
    /// Another thread has had the turn; from here on this one has it.
    Turn(Turn),
    /// From here on threads run as they like, and nobody knows in which order.
    Disorder,
    /// The exception that comes next is an error of the JVM, which may befall any instruction; it did behind so many points.
    /// It has left so many calls of the scope without a word: constructors before there is a `this`, of which nothing is guarded.
    Fell { points: u32, how: Fall, left: u32 },
    /// What an array holds that a call was shown which ended by the exception that comes next.
    Left { array: Reference },
    /// The innermost static initialiser has returned.
    Initialised,
}

impl Record {
    /// Does it tell of an exception, that has arrived or is to?
    pub(crate) fn is_thrown(&self) -> bool {
        matches!(
            self,
            Self::Caught { .. } | Self::Escaped { .. } | Self::Fell { .. } | Self::Left { .. }
        )
    }
}

/// What is known of where an error of the JVM befell a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fall {
    /// Any instruction behind the point.
    Anywhere,
    /// The first call of the scope by the scope behind the point had no stack, and did not begin.
    Calling,
    /// A call had no stack, and did not begin.
    Refused,
    /// It comes from what the call has called in which it arrived.
    Outside,
    /// It befell the probe itself: what the log says may not be all.
    Unknown,
}

/// What a thread had done when its log was flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// How many points it had passed, modulo 2^24.
    pub(crate) points: u32,
    /// The checksum of all that it had read from the heap, upper half against lower half.
    pub(crate) read: u32,
}

/// A thread takes the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// How often the turn was taken by another thread, this time included.
    pub(crate) number: u64,
    /// How many points this thread has passed: it stands before the next one.
    pub(crate) points: u32,
    /// The log of the thread that had the turn, and how many points it had passed: it stands before the next one, too. 0 for
    /// nobody.
    pub(crate) before: (u32, u32),
    /// How many words that log had then, at least: they come before this turn.
    pub(crate) words: u64,
}

impl Turn {
    /// Has its thread passed more points than it had when it took the turn?
    pub(crate) fn is_past(&self, points: u32) -> bool {
        points.wrapping_sub(self.points) as i32 > 0
    }
}

/// A value without its type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw {
    Void,
    /// An `int` and everything smaller, or the bits of a `float`.
    Narrow(u32),
    /// A `long`, or the bits of a `double`.
    Wide(u64),
    Reference(Reference),
}

/// A reference; `None` is null.
pub(crate) type Reference = Option<Object>;

/// An object as a log tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// Its identity hash of 31 bits, or a number of its own with the highest bit set; not 0.
    pub(crate) hash: u32,
    pub(crate) told: Told,
}

/// What is told of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// A string: its `hashCode`, and its text, unless this log had it lately and it was too long to be kept.
    Text {
        hash: u32,
        text: Option<LongText>,
    },
    /// A class object, and the name of its class as `Class.getName` gives it.
    Class(LongText),
    Boxed(Value),
    /// An array: its class, its length, its elements unless they are too many.
    Array {
        class: Rc<str>,
        length: u32,
        elements: Option<Vec<Raw>>,
    },
    /// Any other: the name of its class, and what never changes of it if that was told here.
    Instance(Rc<str>, Option<Box<Fixed>>),
}

/// What never changes of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fixed {
    /// The name of a constant of an enum.
    Enum(LongText),
    /// That of a thread.
    Thread(LongText),
    /// By what a number or a date is known.
    Shown(LongText),
    /// An exception.
    Thrown {
        message: Option<LongText>,
        cause: Reference,
    },
}

/// What an object of the JDK holds, as it was before the record that comes behind this.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) hash: u32,
    pub(crate) class: Rc<str>,
    pub(crate) holds: Holds,
}

/// See [`Held`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Holds {
    Elements(Vec<Raw>),
    /// Keys and values in turn.
    Entries(Vec<Raw>),
    Text(Vec<u16>),
    /// A number in an atomic one.
    Int(i32),
    Long(i64),
    Flag(bool),
    /// What a reference refers to.
    Reference(Reference),
    /// What another object holds, or a part of it.
    View(Reference, Part),
    /// So many items, and where that is known, which of them (element or key) the call was about.
    Size {
        count: usize,
        place: Option<usize>,
    },
    /// A text of so many units, which ends so.
    Tail {
        length: usize,
        end: Vec<u16>,
    },
}

/// The beginning of a text, and its true length in UTF-16 units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LongText {
    pub(crate) units: Rc<[u16]>,
    pub(crate) length: u32,
}

impl LongText {
    /// All of it, if that was told.
    pub(crate) fn whole(&self) -> Option<Rc<[u16]>> {
        (self.units.len() == self.length as usize).then(|| Rc::clone(&self.units))
    }

    pub(super) fn to_string_lossy(&self) -> String {
        String::from_utf16_lossy(&self.units)
    }
}
