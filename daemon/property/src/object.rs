//! Objects of the debuggee in the expression language: read where an expression looks, as they were at one time.

use std::rc::Rc;

use jhyde_history::exact::{Ends, Exact, Inside};
use jhyde_trace::{Content, ObjectId, Timestamp, Value};
use rhai::{Dynamic, INT};

use crate::named;
use crate::reader::{Found, Reader, mistake, unknown};

/// An object at a time.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    reader: Rc<Reader>,
    pub(crate) id: ObjectId,
    at: Timestamp,
}

impl Object {
    pub(crate) fn new(reader: Rc<Reader>, id: ObjectId, at: Timestamp) -> Self {
        Self { reader, id, at }
    }

    fn inside(&self) -> Found<Inside> {
        self.reader.look(1)?;
        let inside = self.reader.history().inside(self.id, self.at);
        match self.reader.read(inside)? {
            Inside::Unknown(why) => unknown(why),
            inside => Ok(inside),
        }
    }

    fn value(&self, value: Value) -> Found<Dynamic> {
        Reader::dynamic(&self.reader, value, self.at)
    }

    /// `x.name`, or what a map has for a text.
    pub(crate) fn named(&mut self, name: &str) -> Found<Dynamic> {
        match self.inside()? {
            Inside::Entries(entries) => self.entry(&entries, |key| {
                key.is_string() && key.clone().into_string().is_ok_and(|key| key == name)
            }),
            Inside::Array(length) if name == "length" => Ok(INT::from(length).into()),
            Inside::Fields => self.field(name),
            _ => mistake(format!(
                "{} is known by what it holds, and has no '{name}'",
                self.class()?
            )),
        }
    }

    fn field(&self, name: &str) -> Found<Dynamic> {
        let history = self.reader.history();
        let field = history.exact_field(self.id, name, self.at);
        match self.reader.read(field)? {
            Exact::None => {
                let names = self.reader.read(history.field_names(self.id))?;
                let class = self.class()?;
                mistake(match names.as_slice() {
                    [] => format!("{class} has no field '{name}'"),
                    some => format!("{class} has no field '{name}', but {}", some.join(", ")),
                })
            }
            Exact::Unknown(why) => unknown(format!("{name} is not recorded: {why}")),
            Exact::Value(value) => self.value(value),
        }
    }

    fn entry(
        &self,
        entries: &[(Value, Value)],
        is_it: impl Fn(&Dynamic) -> bool,
    ) -> Found<Dynamic> {
        self.reader.look(entries.len())?;
        for (key, value) in entries {
            if is_it(&self.value(*key)?) {
                return self.value(*value);
            }
        }
        Ok(Dynamic::UNIT)
    }

    /// `x[index]`.
    pub(crate) fn item(&mut self, index: INT) -> Found<Dynamic> {
        let out = |length: usize| {
            mistake(format!(
                "there is no item {index}: there are {length}, from 0 on"
            ))
        };
        match self.inside()? {
            Inside::Array(length) => match u32::try_from(index) {
                Ok(index) if index < length => self.element(index),
                _ => out(length as usize),
            },
            Inside::Items(items) => {
                let at = usize::try_from(index).ok();
                match at.and_then(|at| items.get(at)) {
                    Some(value) => self.value(*value),
                    None => out(items.len()),
                }
            }
            Inside::Entries(entries) => {
                self.entry(&entries, |key| key.as_int().is_ok_and(|key| key == index))
            }
            _ => mistake(format!("{} has no items", self.class()?)),
        }
    }

    fn element(&self, index: u32) -> Found<Dynamic> {
        // Long arrays take their time.
        self.reader.look(0)?;
        let history = self.reader.history();
        let element = history.exact_element(self.id, index, self.at);
        let element = self.reader.read(element)?;
        Reader::exact(&self.reader, element, self.at)
    }

    /// How many items it has.
    pub(crate) fn length(&mut self) -> Found<INT> {
        let length = match self.inside()? {
            Inside::Array(length) => return Ok(INT::from(length)),
            Inside::Items(items) => items.len(),
            Inside::Entries(entries) => entries.len(),
            Inside::Text(units) => units.chars().map(|c| c.map_or(1, char::len_utf16)).sum(),
            Inside::Fields | Inside::Unknown(_) => {
                return mistake(format!("{} has no items", self.class()?));
            }
        };
        Ok(INT::try_from(length).unwrap_or(INT::MAX))
    }

    /// `x.length` and the like, which an object may have a field of.
    pub(crate) fn length_or_field(&mut self, name: &str) -> Found<Dynamic> {
        match self.inside()? {
            Inside::Fields | Inside::Entries(_) => self.named(name),
            _ => self.length().map(Dynamic::from),
        }
    }

    /// Its items, in an array; those of a map are what it has for its keys.
    pub(crate) fn values(&mut self) -> Found<Vec<Dynamic>> {
        match self.inside()? {
            Inside::Array(length) => {
                self.reader.look(length as usize)?;
                (0..length).map(|index| self.element(index)).collect()
            }
            Inside::Items(items) => self.all(items),
            Inside::Entries(entries) => self.all(entries.into_iter().map(|(_, value)| value)),
            _ => mistake(format!("{} has no items", self.class()?)),
        }
    }

    /// The keys of a map.
    pub(crate) fn keys(&mut self) -> Found<Vec<Dynamic>> {
        match self.inside()? {
            Inside::Entries(entries) => self.all(entries.into_iter().map(|(key, _)| key)),
            _ => mistake(format!("{} is no map, and has no keys", self.class()?)),
        }
    }

    fn all(&self, values: impl IntoIterator<Item = Value>) -> Found<Vec<Dynamic>> {
        let values: Vec<Value> = values.into_iter().collect();
        self.reader.look(values.len())?;
        values.into_iter().map(|value| self.value(value)).collect()
    }

    /// The characters of a builder.
    pub(crate) fn text(&mut self) -> Found<String> {
        match self.inside()? {
            Inside::Text(units) => match units.to_text() {
                Some(text) => Ok(text),
                None => unknown("a text has half of a surrogate pair"),
            },
            _ => mistake(format!("{} holds no text", self.class()?)),
        }
    }

    /// Its class's dotted name.
    pub(crate) fn class(&self) -> Found<String> {
        let view = self.reader.history().value(Value::Object(self.id));
        let view = self.reader.read(view)?;
        match view.type_name() {
            "" => unknown("the class of an object was not recorded"),
            class => Ok(class.to_owned()),
        }
    }

    fn content(&self) -> Found<Content> {
        let info = self.reader.history().recording().object(self.id);
        match self.reader.read(info.map_err(Into::into))? {
            Some(info) => Ok(info.content),
            None => unknown("what an object is was not recorded"),
        }
    }

    /// Is it the constant of an enum that has this name?
    pub(crate) fn is_named(&self, name: &str) -> Found<bool> {
        match self.content()? {
            Content::Enum(constant) => Ok(constant == name),
            _ => mistake(format!(
                "a text and an object of {} cannot be compared",
                self.class()?
            )),
        }
    }

    /// The message of an exception, or null.
    pub(crate) fn message(&mut self) -> Found<Dynamic> {
        match self.content()? {
            Content::Throwable(thrown) => match thrown.message {
                None => Ok(Dynamic::UNIT),
                Some(text) if text.is_cut() => {
                    unknown("a text was longer than what was recorded of it")
                }
                Some(text) => match text.prefix.to_text() {
                    Some(text) => Ok(text.into()),
                    None => unknown("a text has half of a surrogate pair"),
                },
            },
            _ => mistake(format!("{} is no exception", self.class()?)),
        }
    }
}

/// `before`: what a call was given, as it was when the call began.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    reader: Rc<Reader>,
    ends: Rc<Ends>,
    at: Timestamp,
}

impl Before {
    pub(crate) fn new(reader: Rc<Reader>, ends: Rc<Ends>, at: Timestamp) -> Self {
        Self { reader, ends, at }
    }

    pub(crate) fn named(&mut self, name: &str) -> Found<Dynamic> {
        let mut given = named(&self.ends).into_iter();
        match given.find(|(known, _)| known == name && !["result", "exception"].contains(&name)) {
            Some((_, Exact::Unknown(why))) => unknown(format!("{name} is not recorded: {why}")),
            Some((_, value)) => Reader::exact(&self.reader, value, self.at),
            None => mistake(format!(
                "before has no '{name}': it has this and the arguments"
            )),
        }
    }
}
