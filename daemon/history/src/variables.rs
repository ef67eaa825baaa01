//! The written form of variables, read and written (see `common.proto`): `CALL:name`, `object#12.field`,
//! `array#3[2]`, `pkg.Cls.FIELD`, `CALL:return`, `CALL:exception`. Read, but never written, are ways to one from a
//! call, `CALL:this.field` (`path`).
//!
//! A local is written by its name alone where its method has the name once and it is not the name of
//! a pseudo-variable; with its slot where that tells it from the others of that name; else with its range
//! of bytecode indexes, the end excluded.

use std::sync::Arc;

use jhyde_trace::echo::shown;
use jhyde_trace::{
    CallId, ClassInfo, Content, FieldId, FieldInfo, Local, LocalVariable, MethodInfo, ObjectId,
    Variable,
};

use crate::error::{Error, Result};
use crate::history::{History, unless_lost};
use crate::path::from_call;
use crate::reference::candidates;
use crate::text::is_called;

const RETURN: &str = "return";
const EXCEPTION: &str = "exception";

/// A local as it is written behind the colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LocalForm<'a> {
    Name(&'a str),
    NameSlot(&'a str, u16),
    NameRange(&'a str, u32, u32),
    Slot(u16),
}

impl<'a> LocalForm<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let Some((name, place)) = text.rsplit_once('@') else {
            return (!text.is_empty()).then_some(Self::Name(text));
        };
        if let Some((from, to)) = place.split_once('-') {
            return match (name.is_empty(), number(from), number(to)) {
                (false, Some(from), Some(to)) => Some(Self::NameRange(name, from, to)),
                _ => None,
            };
        }
        let slot: u16 = number(place)?;
        Some(if name.is_empty() {
            Self::Slot(slot)
        } else {
            Self::NameSlot(name, slot)
        })
    }

    fn fits(&self, local: &LocalVariable) -> bool {
        match *self {
            Self::Name(name) => local.name == name,
            Self::NameSlot(name, slot) => local.name == name && local.slot == slot,
            Self::NameRange(name, from, to) => {
                local.name == name
                    && local.start == from
                    && local.start.saturating_add(local.length) == to
            }
            Self::Slot(_) => false,
        }
    }
}

/// Digits and nothing else.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

/// How a local of a method is written behind the colon.
pub(crate) fn local_form(method: &MethodInfo, local: Local) -> String {
    let entry = match local {
        Local::Slot(_) => return bare(local),
        Local::Named(entry) => match method.variables.get(usize::from(entry)) {
            Some(entry) => entry,
            None => return bare(local),
        },
    };
    let same = |wanted: LocalForm<'_>| method.variables.iter().filter(|v| wanted.fits(v)).count();
    let name = entry.name.as_str();
    if same(LocalForm::Name(name)) == 1 && name != RETURN && name != EXCEPTION {
        name.to_owned()
    } else if same(LocalForm::NameSlot(name, entry.slot)) == 1 {
        format!("{name}@{}", entry.slot)
    } else {
        format!(
            "{name}@{}-{}",
            entry.start,
            entry.start.saturating_add(entry.length)
        )
    }
}

impl History {
    /// The written form of a variable.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn written_form(&self, variable: Variable) -> Result<String> {
        Ok(match variable {
            Variable::Local { call, local } => match self.method_of(call)? {
                Some(method) => format!("{call}:{}", local_form(method.method(), local)),
                None => format!("{call}:{}", bare(local)),
            },
            Variable::Field { object, field } => {
                let Some(declared) = unless_lost(self.recording.field(field))? else {
                    return Ok(format!("object#{object}.field#{field}"));
                };
                let name = &declared.field().name;
                // Hidden by a subclass's field of that name: then the class must be said.
                match self.field_of_object(object, None, name)? {
                    Some(nearest) if nearest == field => format!("object#{object}.{name}"),
                    _ => format!("object#{object}.{}.{name}", declared.class.name),
                }
            }
            Variable::Static { field } => match unless_lost(self.recording.field(field))? {
                Some(field) => format!("{}.{}", field.class.name, field.field().name),
                None => format!("field#{field}"),
            },
            Variable::Element { array, index } => format!("array#{array}[{index}]"),
            Variable::Content { object, key } => self.content_form(object, key)?,
            Variable::Return { call } => format!("{call}:{RETURN}"),
            Variable::Exception { call } => format!("{call}:{EXCEPTION}"),
        })
    }

    /// The variable that is written so.
    ///
    /// # Errors
    /// When it is not there, not written right, or more than one may be meant.
    pub fn resolve_variable(&self, text: &str) -> Result<Variable> {
        let form = || Error::VariableForm(text.to_owned());
        if let Some(variable) = self.resolve_content(text)? {
            return Ok(variable);
        }
        // `object#0:i` is a local of a call of a method of that name.
        let part_of = |word: &str| {
            let rest = text.strip_prefix(word)?;
            let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            (!behind.starts_with(':')).then_some(rest)
        };
        if let Some(rest) = part_of("object#") {
            let (id, field) = rest.split_once('.').ok_or_else(form)?;
            let object = ObjectId(number(id).ok_or_else(form)?);
            return self.resolve_field(text, object, field);
        }
        if let Some(rest) = part_of("array#") {
            let (id, index) = rest
                .strip_suffix(']')
                .and_then(|rest| rest.split_once('['))
                .ok_or_else(form)?;
            let array = ObjectId(number(id).ok_or_else(form)?);
            return self.resolve_element(text, array, number(index).ok_or_else(form)?);
        }
        if let Some((call, local)) = from_call(text) {
            let call = self.resolve_call(call)?;
            if let Some(variable) = self.resolve_way(text, call, local)? {
                return Ok(variable);
            }
            return self.resolve_local(text, call, local);
        }
        let (class, field) = text.rsplit_once('.').ok_or_else(form)?;
        if class.is_empty() || field.is_empty() {
            return Err(form());
        }
        self.resolve_static(text, class, field)
    }

    pub(crate) fn resolve_local(&self, text: &str, call: CallId, local: &str) -> Result<Variable> {
        let record = self.record(call)?;
        match local {
            RETURN => return Ok(Variable::Return { call }),
            EXCEPTION => return Ok(Variable::Exception { call }),
            _ => {}
        }
        let wanted = LocalForm::parse(local).ok_or_else(|| Error::VariableForm(text.to_owned()))?;
        let none = |reason: String| Error::NoSuchVariable {
            variable: text.to_owned(),
            reason,
        };
        let Some(method) = self.method(record.method)? else {
            return Err(none(
                "the recording does not describe the call's method".to_owned(),
            ));
        };
        let info = method.method();
        if let LocalForm::Slot(slot) = wanted {
            return Ok(Variable::Local {
                call,
                local: Local::Slot(slot),
            });
        }
        let named: Vec<_> = (0_u16..)
            .zip(&info.variables)
            .filter(|(_, v)| wanted.fits(v))
            .collect();
        match named.as_slice() {
            [(entry, _)] => Ok(Variable::Local {
                call,
                local: Local::Named(*entry),
            }),
            [] if info.variables.is_empty() => Err(none(format!(
                "{}.{} has no table of local variables; write a slot, such as {call}:@1",
                method.class.name, info.name
            ))),
            [] => {
                let names = info
                    .variables
                    .iter()
                    .map(|v| v.name.as_str())
                    .collect::<Vec<_>>();
                Err(none(format!(
                    "{}.{} has the locals {}",
                    method.class.name,
                    info.name,
                    names.join(", ")
                )))
            }
            several => Err(Error::Ambiguous {
                reference: text.to_owned(),
                candidates: candidates(several.iter().map(|(entry, _)| {
                    format!("{call}:{}", local_form(info, Local::Named(*entry)))
                })),
            }),
        }
    }

    pub(crate) fn resolve_field(
        &self,
        text: &str,
        object: ObjectId,
        written: &str,
    ) -> Result<Variable> {
        if self.recording.object(object)?.is_none() {
            return Err(Error::NoSuchObject(object.0));
        }
        let (class, name) = match written.rsplit_once('.') {
            Some((class, name)) => (Some(class), name),
            None => (None, written),
        };
        match self.field_of_object(object, class, name)? {
            Some(field) => Ok(Variable::Field { object, field }),
            None => {
                let fields = self.fields_of_object(object)?;
                let names: Vec<_> = fields
                    .iter()
                    .map(|(_, field)| field.name.as_str())
                    .collect();
                let reason = match names.is_empty() {
                    true => "no fields of its class were recorded".to_owned(),
                    false => format!("the object has the fields {}", names.join(", ")),
                };
                Err(Error::NoSuchVariable {
                    variable: text.to_owned(),
                    reason,
                })
            }
        }
    }

    pub(crate) fn resolve_element(
        &self,
        text: &str,
        array: ObjectId,
        index: u32,
    ) -> Result<Variable> {
        let none = |reason: String| Error::NoSuchVariable {
            variable: text.to_owned(),
            reason,
        };
        match self.recording.object(array)?.map(|info| info.content) {
            None => Err(Error::NoSuchObject(array.0)),
            Some(Content::Array(length)) if index < length => {
                Ok(Variable::Element { array, index })
            }
            Some(Content::Array(length)) => {
                Err(none(format!("the array has {length} elements, from 0")))
            }
            Some(_) => Err(none(format!("object {array} is not an array"))),
        }
    }

    fn resolve_static(&self, text: &str, class: &str, name: &str) -> Result<Variable> {
        let mut found = Vec::new();
        let mut class_found = false;
        for id in self.recording.classes() {
            let Some(info) = self.recording.class(id)? else {
                continue;
            };
            if !is_called(&info.name, class) {
                continue;
            }
            class_found = true;
            let fields = info
                .fields
                .iter()
                .filter(|f| f.is_static() && f.name == name);
            found.extend(fields.map(|field| (info.name.clone(), field.id)));
        }
        // A whole name is meant before the end of a longer one.
        if found.len() > 1 && found.iter().filter(|(full, _)| full == class).count() == 1 {
            found.retain(|(full, _)| full == class);
        }
        match found.as_slice() {
            [(_, field)] => Ok(Variable::Static { field: *field }),
            [] if class_found => Err(Error::NoSuchVariable {
                variable: text.to_owned(),
                reason: format!("class {class} has no static field '{}'", shown(name)),
            }),
            [] => Err(self.no_such_class(class)),
            several => Err(Error::Ambiguous {
                reference: text.to_owned(),
                candidates: candidates(several.iter().map(|(full, _)| format!("{full}.{name}"))),
            }),
        }
    }

    /// No class of this name is known: there is none, or it is lost.
    pub(crate) fn no_such_class(&self, name: &str) -> Error {
        match self.recording.lost_classes() {
            Some(lost) => lost.into(),
            None => Error::NoSuchClass(name.to_owned()),
        }
    }

    /// The class of an object and its super classes, the nearest first, as far as they are known.
    /// The class of an object and its super classes, nearest first, as far as they are known.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn classes_of_object(&self, object: ObjectId) -> Result<Vec<Arc<ClassInfo>>> {
        let mut classes = Vec::new();
        let info = unless_lost(self.recording.object(object))?;
        let mut next = match info.and_then(|info| info.class) {
            Some(class) => unless_lost(self.recording.class(class))?,
            None => None,
        };
        while let Some(class) = next {
            next = match &class.super_name {
                // What damage hides is not known: those that are read are told.
                Some(name) => self.class_named(name).unwrap_or_default(),
                None => None,
            };
            classes.push(class);
            // Damaged tables must not lead round in a circle.
            if classes.len() > 1000 {
                break;
            }
        }
        Ok(classes)
    }

    /// The instance fields of an object, those of its own class first.
    pub(crate) fn fields_of_object(
        &self,
        object: ObjectId,
    ) -> Result<Vec<(Arc<ClassInfo>, FieldInfo)>> {
        let mut fields = Vec::new();
        for class in self.classes_of_object(object)? {
            for field in class.fields.iter().filter(|field| !field.is_static()) {
                fields.push((Arc::clone(&class), field.clone()));
            }
        }
        Ok(fields)
    }

    fn field_of_object(
        &self,
        object: ObjectId,
        class: Option<&str>,
        name: &str,
    ) -> Result<Option<FieldId>> {
        for declaring in self.classes_of_object(object)? {
            if class.is_some_and(|class| !is_called(&declaring.name, class)) {
                continue;
            }
            let mut fields = declaring.fields.iter();
            if let Some(field) = fields.find(|field| !field.is_static() && field.name == name) {
                return Ok(Some(field.id));
            }
        }
        Ok(None)
    }
}

/// A local of which nothing but its number is known.
fn bare(local: Local) -> String {
    match local {
        Local::Slot(slot) => format!("@{slot}"),
        Local::Named(entry) => format!("local#{entry}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(name: &str, slot: u16, start: u32, length: u32) -> LocalVariable {
        LocalVariable {
            start,
            length,
            slot,
            name: name.to_owned(),
            descriptor: "I".to_owned(),
        }
    }

    #[test]
    fn every_local_is_written_so_that_it_alone_is_meant() {
        let method = MethodInfo {
            id: jhyde_trace::MethodId(0),
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            modifiers: 8,
            lines: Vec::new(),
            variables: vec![
                local("a", 0, 0, 30),
                local("i", 1, 4, 6),
                local("i", 2, 12, 3),
                local("i", 1, 20, 6),
                local("exception", 3, 20, 4),
            ],
            code: Vec::new(),
        };
        let forms: Vec<_> = (0..5)
            .map(|entry| local_form(&method, Local::Named(entry)))
            .collect();
        assert_eq!(forms, ["a", "i@4-10", "i@2", "i@20-26", "exception@3"]);
        for (entry, form) in forms.iter().enumerate() {
            let parsed = LocalForm::parse(form).expect("its own form");
            let meant: Vec<_> = method
                .variables
                .iter()
                .enumerate()
                .filter(|(_, v)| parsed.fits(v))
                .collect();
            assert_eq!(meant.len(), 1, "{form}");
            assert_eq!(meant[0].0, entry);
        }
        assert_eq!(LocalForm::parse("@7"), Some(LocalForm::Slot(7)));
        for bad in ["", "@", "i@", "i@x", "i@1-", "@1-2", "i@70000", "i@-1"] {
            assert_eq!(LocalForm::parse(bad), None, "{bad}");
        }
    }
}
