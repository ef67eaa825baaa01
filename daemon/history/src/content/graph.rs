//! Graphs of objects in a form without numbers of the JVM: what two graphs share is the same, and how often a thing is
//! reached by two ways.
//!
//! Objects are numbered in the order in which a walk over the graph meets them, breadth first from its roots in their order,
//! fields by name. A second walk at a later time keeps the numbers, so that it tells which object is still the same.
//! Texts, boxes and other things that never change go by what they are, not by identity: a program that compares them with
//! `==` sees more than is compared here.

use jhyde_trace::{Content, ObjectId, ObjectInfo, Throwable, Timestamp, Value};
use rustc_hash::FxHashMap;

use super::digest::{Digest, Sink};
use super::{MOST_VARIABLES, Stop, code};
use crate::contents::Contents;
use crate::history::{History, unless_lost};
use crate::objects::{BY_LEVEL, Cell, DAMAGED, Held, OUTSIDE, WITHOUT_STATE};
use crate::state::{Interval, Notes};

/// Variables read at a time.
const CHUNK: usize = 1024;

/// A walk over what some roots reach.
pub(super) struct Graph<'h> {
    pub(super) history: &'h History,
    at: Timestamp,
    numbers: FxHashMap<ObjectId, u64>,
    /// By number.
    met: Vec<ObjectId>,
    /// So many variables may still be looked at.
    left: usize,
    pub(super) sink: Sink,
}

impl<'h> Graph<'h> {
    pub(super) fn new(history: &'h History) -> Self {
        Self {
            history,
            at: Timestamp(0),
            numbers: FxHashMap::default(),
            met: Vec::new(),
            left: MOST_VARIABLES,
            sink: Sink::default(),
        }
    }

    /// What the roots hold at a time, and everything that was met before, with all that both reach.
    pub(super) fn walk(
        &mut self,
        at: Timestamp,
        roots: &[(String, Option<Value>)],
    ) -> Result<Digest, Stop> {
        self.at = at;
        self.sink = Sink::default();
        for (name, value) in roots {
            self.sink.text(name);
            match value {
                Some(value) => self.value(*value)?,
                None => self.sink.tag(b'-'),
            }
        }
        let mut next = 0;
        while let Some(&object) = self.met.get(next) {
            self.history.check()?;
            self.sink.tag(b'O');
            self.sink.number(next as u64);
            self.object(object)?;
            next += 1;
        }
        Ok(std::mem::take(&mut self.sink).digest())
    }

    pub(super) fn charge(&mut self, variables: usize) -> Result<(), Stop> {
        match self.left.checked_sub(variables) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Stop::Not(format!(
                "what it was given and yielded is more than the {MOST_VARIABLES} variables that are compared"
            ))),
        }
    }

    pub(super) fn value(&mut self, value: Value) -> Result<(), Stop> {
        if let Some(bytes) = self.leaf(value)? {
            self.sink.tag(b'v');
            self.sink.bytes(&bytes);
            return Ok(());
        }
        let Some(object) = value.object() else {
            return Err(Stop::Not(match value {
                Value::Missing(why) => self.history.why_missing(why).to_owned(),
                _ => "a value is of no known kind".to_owned(),
            }));
        };
        let next = self.met.len() as u64;
        let number = *self.numbers.entry(object).or_insert(next);
        if number == next {
            self.met.push(object);
        }
        self.sink.tag(b'o');
        self.sink.number(number);
        Ok(())
    }

    fn info(&self, object: ObjectId) -> Result<ObjectInfo, Stop> {
        let info = unless_lost(self.history.recording.object(object))?;
        info.ok_or_else(|| Stop::Not("what an object is was not recorded".to_owned()))
    }

    /// The bytes of what never changes and has nothing inside; `None` for other objects, and for what is not known.
    pub(super) fn leaf(&self, value: Value) -> Result<Option<Vec<u8>>, Stop> {
        let tagged = |tag: u8, bytes: &[u8]| Some([&[tag], bytes].concat());
        Ok(match value {
            Value::Boolean(value) => tagged(b'Z', &[u8::from(value)]),
            Value::Byte(value) => tagged(b'B', &value.to_be_bytes()),
            Value::Char(value) => tagged(b'C', &value.to_be_bytes()),
            Value::Short(value) => tagged(b'S', &value.to_be_bytes()),
            Value::Int(value) => tagged(b'I', &value.to_be_bytes()),
            Value::Long(value) => tagged(b'J', &value.to_be_bytes()),
            Value::Float(value) => tagged(b'F', &value.to_be_bytes()),
            Value::Double(value) => tagged(b'D', &value.to_be_bytes()),
            Value::Null => tagged(b'N', &[]),
            Value::Missing(_) => None,
            Value::Object(object) => {
                let info = self.info(object)?;
                match &info.content {
                    Content::String(text) | Content::Shown(text) if text.is_cut() => {
                        return Err(Stop::Not(
                            "a text was longer than what was recorded of it".to_owned(),
                        ));
                    }
                    Content::String(text) => tagged(b'T', &text.prefix.to_bytes()),
                    Content::Shown(text) => {
                        let class = self.class_of(&info)?;
                        let text = text.prefix.to_bytes();
                        let length = (class.len() as u64).to_be_bytes();
                        tagged(b'V', &[&length[..], class.as_bytes(), &text].concat())
                    }
                    Content::Class(name) => tagged(b'K', name.as_bytes()),
                    Content::Box(held) => match self.leaf(*held)? {
                        Some(held) => tagged(b'X', &held),
                        None => {
                            return Err(Stop::Not("what is in a box was not recorded".to_owned()));
                        }
                    },
                    _ => None,
                }
            }
        })
    }

    fn class_of(&self, info: &ObjectInfo) -> Result<String, Stop> {
        let class = match info.class {
            Some(class) => unless_lost(self.history.recording.class(class))?,
            None => None,
        };
        let class =
            class.ok_or_else(|| Stop::Not("the class of an object was not recorded".to_owned()))?;
        Ok(class.name.clone())
    }

    fn now(&self) -> Interval {
        Interval {
            from: self.at,
            to: self.at,
        }
    }

    fn object(&mut self, object: ObjectId) -> Result<(), Stop> {
        let info = self.info(object)?;
        let class = self.class_of(&info)?;
        match &info.content {
            Content::Array(length) => {
                self.sink.text(&class);
                return self.elements(object, *length);
            }
            // Its class is made while the program runs, with a name of its own each time.
            Content::Lambda { method, captured } => {
                self.sink.tag(b'L');
                self.sink.text(method);
                self.body_of(method)?;
                self.sink.number(captured.len() as u64);
                self.charge(captured.len())?;
                return captured.iter().try_for_each(|value| self.value(*value));
            }
            Content::Thread(_) => {
                return Err(Stop::Not(
                    "it goes by a thread, which is not compared".to_owned(),
                ));
            }
            _ => self.sink.text(&class),
        }
        if let Content::Throwable(thrown) = &info.content {
            self.throwable(thrown)?;
        }
        let is_enum = self.constant(object, &info.content)?;
        let contents = self.history.contents_at(object, self.at)?;
        match contents.as_ref() {
            Contents::Unknown(reason) => return Err(Stop::Not(reason.clone())),
            Contents::Known(known) => self.held(known, &class)?,
            Contents::None => {
                let by_itself = is_enum || matches!(info.content, Content::Throwable(_));
                if !by_itself {
                    self.has_fields_alone(object)?;
                }
            }
        }
        self.fields(object)
    }

    /// Constants of enums go by their names, too.
    fn constant(&mut self, object: ObjectId, content: &Content) -> Result<bool, Stop> {
        let classes = self.history.classes_of_object(object)?;
        let named = |name: &str| classes.iter().any(|class| class.name == name);
        let above = |name: &str| {
            let mut supers = classes
                .iter()
                .filter_map(|class| class.super_name.as_deref());
            supers.any(|class| class == name)
        };
        let is_enum = matches!(content, Content::Enum(_))
            || named("java.lang.Enum")
            || above("java.lang.Enum");
        if is_enum {
            let name = self.history.shown(object, content)?;
            let name = name.ok_or_else(|| {
                Stop::Not("which constant of an enum it is was not recorded".to_owned())
            })?;
            self.sink.tag(b'E');
            self.sink.text(&name);
        }
        Ok(is_enum)
    }

    /// The code that a lambda runs, where the recording has it: the compiler numbers them anew when one is added.
    fn body_of(&mut self, method: &str) -> Result<(), Stop> {
        let Some((class, name)) = method.rsplit_once('.') else {
            return Ok(());
        };
        for class in self.history.recording.classes_named(class) {
            let Some(class) = unless_lost(self.history.recording.class(class))? else {
                continue;
            };
            for body in class.methods.iter().filter(|method| method.name == name) {
                self.sink.text(&code::digest(&body.code).to_string());
            }
        }
        Ok(())
    }

    fn throwable(&mut self, thrown: &Throwable) -> Result<(), Stop> {
        match &thrown.message {
            Some(text) if text.is_cut() => {
                return Err(Stop::Not(
                    "a message was longer than what was recorded of it".to_owned(),
                ));
            }
            Some(text) => self.sink.bytes(&text.prefix.to_bytes()),
            None => self.sink.tag(b'-'),
        }
        self.value(thrown.cause)?;
        let suppressed = thrown
            .suppressed
            .as_ref()
            .ok_or_else(|| Stop::Not("what an exception suppressed was not recorded".to_owned()))?;
        self.sink.number(suppressed.len() as u64);
        self.charge(suppressed.len())?;
        suppressed.iter().try_for_each(|value| self.value(*value))
    }

    /// Is an object known by its fields, because every class of it that has some is in the scope?
    fn has_fields_alone(&self, object: ObjectId) -> Result<(), Stop> {
        let classes = self.history.classes_of_object(object)?;
        let is_known = |name: &str| WITHOUT_STATE.contains(&name);
        let mut outside = classes
            .iter()
            .filter(|class| !class.in_scope && !is_known(&class.name))
            .map(|class| class.name.as_str());
        let last = classes.last();
        let above = last.and_then(|class| class.super_name.as_deref());
        let hidden = outside
            .next()
            .or_else(|| above.filter(|name| !is_known(name)));
        match hidden {
            _ if classes.is_empty() => Err(Stop::Not(
                "the class of an object was not recorded".to_owned(),
            )),
            Some(name) => Err(Stop::Not(format!(
                "{name} is outside the scope, and what it holds is not recorded"
            ))),
            None => Ok(()),
        }
    }

    fn elements(&mut self, array: ObjectId, length: u32) -> Result<(), Stop> {
        self.charge(length as usize)?;
        self.sink.number(u64::from(length));
        let mut from = 0;
        while from < length {
            let mut notes = Notes::default();
            let part = self
                .history
                .object_cells(array, self.now(), from, CHUNK, &mut notes)?;
            for cell in &part.cells {
                self.cell(cell)?;
            }
            let read = u32::try_from(part.cells.len()).unwrap_or(u32::MAX);
            if read == 0 {
                return Err(Stop::Not(match notes.damaged {
                    true => DAMAGED.to_owned(),
                    false => "not all elements of an array were recorded".to_owned(),
                }));
            }
            from = from.saturating_add(read);
        }
        Ok(())
    }

    fn cell(&mut self, cell: &Cell) -> Result<(), Stop> {
        match &cell.end {
            Held::Value(value) if !cell.not_recorded => self.value(*value),
            Held::Unknown(reason) => Err(Stop::Not(format!("{}: {reason}", cell.name))),
            Held::Damaged => Err(Stop::Not(DAMAGED.to_owned())),
            Held::Value(_) | Held::Absent => Err(Stop::Not(format!("{}: {BY_LEVEL}", cell.name))),
        }
    }

    fn fields(&mut self, object: ObjectId) -> Result<(), Stop> {
        let mut notes = Notes::default();
        let limit = self.left.saturating_add(1);
        let part = self
            .history
            .field_cells(object, self.now(), 0, limit, &mut notes)?;
        let is_outside = |cell: &Cell| cell.end == Held::Unknown(OUTSIDE.into());
        let mut fields: Vec<&Cell> = part.cells.iter().filter(|cell| !is_outside(cell)).collect();
        self.charge(fields.len())?;
        if part.next.is_some() {
            return Err(Stop::Not("it has too many fields".to_owned()));
        }
        if notes.damaged {
            return Err(Stop::Not(DAMAGED.to_owned()));
        }
        // Where they stand in the class file is nothing that a program sees.
        fields.sort_by(|one, other| one.name.cmp(&other.name));
        self.sink.number(fields.len() as u64);
        for cell in fields {
            self.sink.text(&cell.name);
            self.cell(cell)?;
        }
        Ok(())
    }
}
