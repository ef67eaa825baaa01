//! Values of fields in the order of time.

use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::writes::WriteRow;
use jhyde_store::records::Direction;
use jhyde_trace::{
    CallId, ClassInfo, EventKind, FieldId, FieldInfo, ObjectId, Timestamp, Value, Variable,
};

use super::writes::each_write;
use crate::answer::{Cell, Row};
use crate::error::{Error, Result};
use crate::nearest::nearest;
use crate::prepared::{Ask, wrong};
use crate::span::{NO_INDEX, pieces};

/// The call that wrote, as it was at the end of the span, and where.
fn writer(ask: &Ask<'_>, row: &WriteRow) -> Result<[Cell; 2]> {
    let call = match &row.call {
        Some(call) => ask.call_cell(call.record.id)?,
        None => Cell::Null,
    };
    Ok([call, Cell::or_null(row.place.clone(), Cell::Place)])
}

/// What a field's name stands for.
#[derive(Debug)]
pub(crate) enum FieldOf {
    /// One variable: a static field, or a field of one object.
    One(Variable),
    /// A field of all instances of a class.
    All(FieldId),
}

/// The parameter `FIELD`: `object#12.size`, `pkg.Cls.FIELD`, `Cls.size`.
pub(crate) fn the_field(ask: &Ask<'_>) -> Result<(FieldOf, FieldRefInfo)> {
    let given = ask.needed("field");
    if given.contains('#') {
        let variable = ask.history.resolve_variable(given)?;
        let (Variable::Field { field, .. } | Variable::Static { field }) = variable else {
            return Err(wrong("field", given, "it is a variable, and no field"));
        };
        return Ok((
            FieldOf::One(variable),
            FieldRefInfo::of(ask.history, field)?,
        ));
    }
    let Some((class, name)) = given.rsplit_once('.') else {
        return Err(wrong(
            "field",
            given,
            "a field is written Class.field, pkg.Class.field or object#12.field",
        ));
    };
    let classes = ask.classes("field", class)?;
    let mut found = Vec::new();
    for class in &classes {
        let fields = class.fields.iter().filter(|field| field.name == name);
        found.extend(fields.map(|field| (Arc::clone(class), field.clone())));
    }
    match found.as_slice() {
        [(class, field)] => {
            let of = match field.is_static() {
                true => FieldOf::One(Variable::Static { field: field.id }),
                false => FieldOf::All(field.id),
            };
            let info = FieldRefInfo {
                class: Arc::clone(class),
                field: field.clone(),
            };
            Ok((of, info))
        }
        [] => {
            let names = classes.iter().flat_map(|class| &class.fields);
            let names = names.map(|field| field.name.as_str());
            Err(Error::NoSuchName {
                parameter: "field",
                what: "the field",
                name: given.to_owned(),
                nearest: nearest(name, names),
            })
        }
        several => {
            let names = several
                .iter()
                .map(|(class, field)| format!("{}.{}", class.name, field.name));
            let names = names.collect::<Vec<_>>().join(", ");
            Err(wrong("field", given, format!("it may be any of {names}")))
        }
    }
}

/// A field and the class that declares it.
#[derive(Debug)]
pub(crate) struct FieldRefInfo {
    pub(crate) class: Arc<ClassInfo>,
    pub(crate) field: FieldInfo,
}

impl FieldRefInfo {
    fn of(history: &History, field: FieldId) -> Result<Self> {
        let found = history
            .recording()
            .field(field)?
            .ok_or_else(|| Error::NoSuchName {
                parameter: "field",
                what: "the field",
                name: format!("field#{field}"),
                nearest: Vec::new(),
            })?;
        Ok(Self {
            class: Arc::clone(&found.class),
            field: found.field().clone(),
        })
    }
}

/// A write of a field of any instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldWrite {
    pub(crate) at: Timestamp,
    pub(crate) call: CallId,
    pub(crate) index: u32,
    pub(crate) object: ObjectId,
    pub(crate) value: Value,
    /// Found when the object was first seen, not written.
    pub(crate) found: bool,
}

/// The writes of a field in all instances of its class, in the order of time.
pub(crate) fn writes_of_all(
    ask: &Ask<'_>,
    field: FieldId,
    each: &mut dyn FnMut(FieldWrite) -> Result<()>,
) -> Result<()> {
    let recording = ask.history.recording();
    let is_indexed = recording.has_index_of_references();
    if !is_indexed {
        ask.note(NO_INDEX);
    }
    for piece in pieces(is_indexed, ask.span.range(), Direction::Forward) {
        ask.history.check()?;
        for event in recording.writes_of_field(field, piece, Direction::Forward) {
            ask.history.check()?;
            let Some(event) = ask.readable(event)? else {
                continue;
            };
            let (variable, value, found) = match event.event.kind {
                EventKind::Write { variable, value } => (variable, value, false),
                EventKind::Snapshot { variable, value } => (variable, value, true),
                _ => continue,
            };
            if let Variable::Field { object, .. } = variable {
                each(FieldWrite {
                    at: event.timestamp,
                    call: event.event.call,
                    index: event.event.index,
                    object,
                    value,
                    found,
                })?;
            }
        }
    }
    Ok(())
}

/// `field-history`.
pub(crate) fn field_history(ask: &Ask<'_>, take: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
    match the_field(ask)?.0 {
        FieldOf::One(variable) => {
            let object = match variable {
                Variable::Field { object, .. } => {
                    Cell::Value(ask.history.value(Value::Object(object))?)
                }
                _ => Cell::Null,
            };
            each_write(ask, variable, &mut |row| {
                let [call, place] = writer(ask, &row)?;
                let at = Cell::Event(row.timestamp);
                take(vec![
                    at,
                    object.clone(),
                    Cell::Value(row.value),
                    call,
                    place,
                ])
            })
        }
        FieldOf::All(field) => {
            writes_of_all(ask, field, &mut |write| {
                if write.found {
                    ask.note(format!(
                        "the value at {} was found when the object was first seen; who wrote it was not recorded",
                        write.at
                    ));
                }
                take(vec![
                    Cell::Event(write.at),
                    Cell::Value(ask.history.value(Value::Object(write.object))?),
                    Cell::Value(ask.history.value_at(write.value, write.at)?),
                    ask.call_cell(write.call)?,
                    ask.place_cell(write.call, write.index)?,
                ])
            })?;
            ask.note_hidden()
        }
    }
}
