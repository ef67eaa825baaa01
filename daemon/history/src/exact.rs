//! What objects held at a time, variable by variable: for those who compute with values. What is not known for certain has no
//! value, but a reason.

use jhyde_store::records::CallRecord;
use jhyde_trace::{Content, Items, ObjectId, Outcome, Timestamp, Units, Value};

use crate::contents::{CUT, Contents};
use crate::error::{Error, Result};
use crate::history::{History, parameter};
use crate::objects::{Cell, DAMAGED, Held};
use crate::state::{Interval, Notes, RowKind};
use crate::text::{parameters, result};

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exact {
    /// This.
    Value(Value),
    /// It is not known: why.
    Unknown(String),
    /// There is no such variable.
    None,
}

/// What an object is to those who use it.
#[derive(Clone, Debug, PartialEq)]
pub enum Inside {
    /// An array of so many elements.
    Array(u32),
    /// Items in order: a list, a set, an `Optional`.
    Items(Vec<Value>),
    /// Keys with what the map has for them.
    Entries(Vec<(Value, Value)>),
    /// Characters: a builder.
    Text(Units),
    /// It goes by its fields.
    Fields,
    /// It is not known: why.
    Unknown(String),
}

/// What a call was given and yielded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// `this`; [`Exact::None`] in static methods.
    pub receiver: Exact,
    /// The arguments by position, each with its name, if the class file has it.
    pub arguments: Vec<(Option<String>, Exact)>,
    /// [`Exact::None`] of `void` methods.
    pub result: Exact,
    /// The exception that it ended by; [`Exact::None`] if it returned.
    pub exception: Exact,
}

/// So many variables of an object are read at once.
const PAGE: usize = 256;

impl History {
    /// What a call that has ended was given and yielded.
    ///
    /// # Errors
    /// When the recording cannot be read; what damage hides is not known.
    pub fn ends(&self, record: &CallRecord) -> Result<Ends> {
        let unknown = |why: &str| Exact::Unknown(why.to_owned());
        let exact = |value: Option<&Value>, why: &str| match value {
            Some(Value::Missing(missing)) => unknown(self.why_missing(*missing)),
            Some(value) => Exact::Value(*value),
            None => unknown(why),
        };
        let given = self.given(record)?;
        let method = self.method(record.method)?;
        let info = method.as_ref().map(|method| method.method());
        let is_static = info.is_some_and(|info| info.is_static());
        let descriptor = info.map_or("", |info| info.descriptor.as_str());
        let count = parameters(descriptor).len().max(given.arguments.len());
        let arguments = (0..count).map(|position| {
            let name = info.and_then(|info| parameter(info, position));
            let value = given.arguments.get(position);
            let value = exact(value, "the arguments of this call were not seen");
            (name.map(|(_, name)| name), value)
        });
        let outcome = match self.recording.outcome(record) {
            Err(jhyde_store::Error::Damaged { .. }) => Some(Outcome::Unknown),
            outcome => outcome?,
        };
        let (returned, exception) = match &outcome {
            Some(Outcome::Returned(value)) => match (value, result(descriptor)) {
                (None, "V" | "") => (Exact::None, Exact::None),
                (value, _) => {
                    let why = "the result of this call was not seen";
                    (exact(value.as_ref(), why), Exact::None)
                }
            },
            Some(Outcome::Threw(value)) => (
                unknown("it ended by an exception, and returned nothing"),
                exact(Some(value), ""),
            ),
            Some(Outcome::Unknown) | None => {
                let why = unknown("how this call ended was not seen");
                (why.clone(), why)
            }
        };
        Ok(Ends {
            receiver: match is_static {
                true => Exact::None,
                false => exact(given.receiver.as_ref(), "its receiver was not seen"),
            },
            arguments: arguments.collect(),
            result: returned,
            exception,
        })
    }

    /// What an object is, and what it held at a time if it goes by its items.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn inside(&self, object: ObjectId, at: Timestamp) -> Result<Inside> {
        let info = match self.recording.object(object) {
            Err(jhyde_store::Error::Damaged { .. }) => {
                return Ok(Inside::Unknown(DAMAGED.to_owned()));
            }
            info => info?,
        };
        let Some(info) = info else {
            return Ok(Inside::Unknown(
                "what an object is was not recorded".to_owned(),
            ));
        };
        if let Content::Array(length) = info.content {
            return Ok(Inside::Array(length));
        }
        let contents = match self.contents_at(object, at) {
            Err(Error::Store(jhyde_store::Error::Damaged { .. })) => {
                return Ok(Inside::Unknown(DAMAGED.to_owned()));
            }
            contents => contents?,
        };
        Ok(match contents.as_ref() {
            Contents::Unknown(why) => Inside::Unknown(why.clone()),
            Contents::None => Inside::Fields,
            Contents::Known(known) if known.items.len() < known.length => {
                Inside::Unknown(CUT.to_owned())
            }
            Contents::Known(known) => match &known.items {
                Items::Elements(values) => Inside::Items(values.clone()),
                Items::Entries(entries) => Inside::Entries(entries.clone()),
                Items::Text(units) => Inside::Text(units.clone()),
                Items::Value(value) => Inside::Items(vec![*value]),
                Items::Named(_) => Inside::Fields,
                Items::View { .. } => {
                    Inside::Unknown("what is behind a view is not known".to_owned())
                }
            },
        })
    }

    /// What a field of an object held at a time.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn exact_field(&self, object: ObjectId, name: &str, at: Timestamp) -> Result<Exact> {
        let mut from = 0;
        loop {
            let now = Interval { from: at, to: at };
            let mut notes = Notes::default();
            let part = self.object_cells(object, now, from, PAGE, &mut notes)?;
            let mut fields = part.cells.iter();
            let is_it = |cell: &&Cell| cell.kind == RowKind::Field && cell.name == name;
            if let Some(cell) = fields.find(is_it) {
                return Ok(self.exact(cell));
            }
            match part.next {
                Some(next) => from = next,
                None if notes.damaged => return Ok(Exact::Unknown(DAMAGED.to_owned())),
                None => return Ok(Exact::None),
            }
        }
    }

    /// What an element of an array held at a time.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn exact_element(&self, array: ObjectId, index: u32, at: Timestamp) -> Result<Exact> {
        let now = Interval { from: at, to: at };
        let part = self.object_cells(array, now, index, 1, &mut Notes::default())?;
        let name = format!("[{index}]");
        let mut cells = part.cells.iter();
        let is_it = |cell: &&Cell| cell.kind == RowKind::Element && cell.name == name;
        Ok(match cells.find(is_it) {
            Some(cell) => self.exact(cell),
            None => Exact::Unknown("it was not recorded".to_owned()),
        })
    }

    /// The fields of an object that one may name.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn field_names(&self, object: ObjectId) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for class in self.classes_of_object(object)? {
            let fields = class.fields.iter().filter(|field| !field.is_static());
            names.extend(fields.map(|field| field.name.clone()));
        }
        names.dedup();
        Ok(names)
    }

    fn exact(&self, cell: &Cell) -> Exact {
        match &cell.end {
            _ if cell.not_recorded => Exact::Unknown("writes to it were not recorded".to_owned()),
            Held::Value(Value::Missing(why)) => Exact::Unknown(self.why_missing(*why).to_owned()),
            Held::Value(value) => Exact::Value(*value),
            Held::Absent => Exact::Unknown("it did not exist then".to_owned()),
            Held::Unknown(why) => Exact::Unknown(why.to_string()),
            Held::Damaged => Exact::Unknown(DAMAGED.to_owned()),
        }
    }
}
