//! What happened, in words that both the telling program and the recording have.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// No value.
    Void,
    /// `byte`, `short`, `int`, `long`
    Whole(i64),
    /// `boolean`
    Truth(bool),
    /// `char`
    Unit(u16),
    /// `float`
    Single(f32),
    /// `double`, and `float` where the recording does not tell them apart
    Double(f64),
    /// The text of a string
    Text(Vec<u16>),
    /// Number, class, length of arrays.
    Object(u64, String, Option<u64>),
    /// The recording says that it does not know, and why.
    NotRecorded(String),
}

/// Something that happened in one thread.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A call began: class, method, receiver, arguments. A telling constructor has no receiver yet.
    Enter(String, String, Option<Value>, Vec<Value>),
    /// The running call returned.
    Return(Value),
    /// The running call ended by an exception.
    Leave(Value),
    /// An exception was thrown.
    Throw(Value),
    /// An exception was caught.
    Catch(Value),
    /// A local variable was written; without a name where the recording has none.
    Local(Option<String>, Value),
    /// A field of an object was written.
    Field(Value, String, Value),
    /// A static field was written.
    Static(String, Value),
    /// An element was written.
    Element(Value, u64, Value),
    /// An object was made.
    New(Value),
    /// A condition or switch: its place and outcome.
    Edge(String, String),
    /// A call out of the program returned.
    Out(String, Value),
    /// Code outside of the program wrote this, some time during the last call out of it.
    Changed(Box<Self>),
    /// It may have: what such code makes is seen as it is when it first turns up, or as writes.
    May(Box<Self>),
}

impl Value {
    /// In a line for people.
    pub fn display(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Void => "void".into(),
            Self::Whole(v) => v.to_string(),
            Self::Truth(v) => v.to_string(),
            Self::Unit(v) => format!("char {v:#06x}"),
            Self::Single(v) => format!("{v:?}f"),
            Self::Double(v) => format!("{v:?}"),
            Self::Text(units) => {
                format!("{:?}", String::from_utf16_lossy(units))
                    + &match String::from_utf16(units) {
                        Ok(_) => String::new(),
                        Err(_) => format!(" (units {units:04x?})"),
                    }
            }
            Self::Object(id, class, Some(length)) => format!("{class} #{id} of {length}"),
            Self::Object(id, class, None) => format!("{class} #{id}"),
            Self::NotRecorded(why) => format!("not recorded: {why}"),
        }
    }
}

impl Event {
    /// What kind of thing it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Enter(..) => "enter",
            Self::Return(_) => "return",
            Self::Leave(_) => "leave",
            Self::Throw(_) => "throw",
            Self::Catch(_) => "catch",
            Self::Local(..) => "local",
            Self::Field(..) => "field",
            Self::Static(..) => "static",
            Self::Element(..) => "element",
            Self::New(_) => "new",
            Self::Edge(..) => "edge",
            Self::Out(..) => "out",
            Self::Changed(_) => "changed",
            Self::May(_) => "may",
        }
    }

    /// In a line for people.
    pub fn display(&self) -> String {
        let kind = self.kind();
        match self {
            Self::Enter(class, method, receiver, arguments) => {
                let all: Vec<String> = arguments.iter().map(Value::display).collect();
                let on = receiver
                    .as_ref()
                    .map_or_else(String::new, |v| format!(" on {}", v.display()));
                format!("enter {class}.{method}({}){on}", all.join(", "))
            }
            Self::Return(v) | Self::Leave(v) | Self::Throw(v) | Self::Catch(v) | Self::New(v) => {
                format!("{kind} {}", v.display())
            }
            Self::Local(name, v) => {
                format!("local {} = {}", name.as_deref().unwrap_or("?"), v.display())
            }
            Self::Field(o, name, v) => format!("field {}.{name} = {}", o.display(), v.display()),
            Self::Static(name, v) => format!("static {name} = {}", v.display()),
            Self::Element(o, i, v) => format!("element {}[{i}] = {}", o.display(), v.display()),
            Self::Edge(place, outcome) => format!("edge {place} -> {outcome}"),
            Self::Out(method, v) => format!("outside {method} = {}", v.display()),
            Self::Changed(what) => format!("changed outside: {}", what.display()),
            Self::May(what) => format!("perhaps changed outside: {}", what.display()),
        }
    }
}

/// Hidden classes are numbered by the JVM.
pub fn class_name(name: &str) -> String {
    match name.split_once("$$Lambda") {
        Some((host, _)) => format!("{host}$$Lambda"),
        None => name.to_owned(),
    }
}
