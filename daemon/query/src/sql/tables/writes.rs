//! What was written and read: a variable a row, with what it got.

use std::sync::Arc;

use jhyde_history::Error as HistoryError;
use jhyde_store::Lookup;
use jhyde_store::records::{TimedEvent, Write};
use jhyde_trace::block::Kinds;
use jhyde_trace::{ContentKey, Event, EventKind, Level, Local, ObjectId, Variable};

use super::events::{
    all_by_time, held, in_call, in_thread, of_call, of_thread, place_columns, scan, variable, ways,
};
use super::referring::{inside, inside_methods, of_fields, refers, that_refer, writes_to};
use crate::error::Result;
use crate::sql::datum::{Datum, value_columns};
use crate::sql::extent::{Leads, Reads};
use crate::sql::table::{Access, Bounds, Column, Table, none};
use crate::sql::world::{RowsOf, World};

/// The columns of what is written or read.
pub(super) fn variable_columns() -> Vec<Column<TimedEvent>> {
    vec![
        Column::<TimedEvent>::text(
            "variable",
            "the variable, as jhyde writes it: `1.5:lc`, `object#3.size`, `array#1[2]`",
            |world, row: &TimedEvent| {
                Ok(match variable(&row.event.kind) {
                    Some(variable) => Datum::Text(world.history.written_form(variable)?),
                    None => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::text(
            "of",
            "what it is: local, field, static, element, or content",
            |_, row| {
                Ok(variable(&row.event.kind).map_or(Datum::Null, |variable| {
                    Datum::text(match variable {
                        Variable::Local { .. } => "local",
                        Variable::Field { .. } => "field",
                        Variable::Static { .. } => "static",
                        Variable::Element { .. } => "element",
                        Variable::Content { .. } => "content",
                        Variable::Return { .. } => "return",
                        Variable::Exception { .. } => "exception",
                    })
                }))
            },
        ),
        Column::<TimedEvent>::text(
            "name",
            "the name of the local or field; null of elements",
            |world, row| {
                Ok(match variable(&row.event.kind) {
                    Some(Variable::Local {
                        call,
                        local: Local::Named(entry),
                    }) => {
                        let method = world.method_of(call)?;
                        let name = method.and_then(|method| {
                            let variables = &method.method().variables;
                            variables.get(usize::from(entry)).map(|v| v.name.clone())
                        });
                        Datum::or_null(name, Datum::Text)
                    }
                    Some(Variable::Field { field, .. } | Variable::Static { field }) => {
                        let field = world.recording().field(field)?;
                        Datum::or_null(field, |field| Datum::text(&field.field().name))
                    }
                    _ => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::text(
            "field_class",
            "the class that declares the field",
            |world, row| {
                Ok(match variable(&row.event.kind) {
                    Some(Variable::Field { field, .. } | Variable::Static { field }) => {
                        let field = world.recording().field(field)?;
                        Datum::or_null(field, |field| Datum::text(&field.class.name))
                    }
                    _ => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::int(
            "object",
            "the number of the object or array that it is a part of",
            |_, row| {
                let object = variable(&row.event.kind).and_then(part_of);
                Ok(Datum::or_null(object, |object| Datum::count(object.0)))
            },
        ),
        Column::<TimedEvent>::int("element", "the index of the element", |_, row| {
            Ok(match variable(&row.event.kind) {
                Some(
                    Variable::Element { index, .. }
                    | Variable::Content {
                        key: ContentKey::Index(index),
                        ..
                    },
                ) => Datum::Int(index.into()),
                _ => Datum::Null,
            })
        }),
    ]
}

fn part_of(variable: Variable) -> Option<ObjectId> {
    match variable {
        Variable::Field { object, .. } | Variable::Content { object, .. } => Some(object),
        Variable::Element { array, .. } => Some(array),
        _ => None,
    }
}

/// The columns of `writes`.
pub(super) fn write_columns() -> Vec<Column<TimedEvent>> {
    let mut columns = place_columns();
    columns.extend(variable_columns());
    columns.push(Column::<TimedEvent>::int(
        "found",
        "1 if nobody wrote it: the variable had this value when its object was first met",
        |_, row: &TimedEvent| {
            Ok(Datum::flag(matches!(
                row.event.kind,
                EventKind::Snapshot { .. }
            )))
        },
    ));
    columns.extend(value_columns(
        "value",
        "what it got",
        |_, row: &TimedEvent| Ok(held(&row.event.kind)),
    ));
    columns
}

/// `writes`.
pub(super) fn writes() -> Table<TimedEvent> {
    const KINDS: Kinds = Kinds::WRITES;
    let mut accesses = ways!(KINDS);
    accesses.push(Access {
        by: "index of blocks that write the variable",
        equal: &["variable"],
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost: 50.0,
        reads: Reads::Led(|world, bounds| Ok(variable_led(world, bounds.text("variable"), bounds))),
        find: |world, bounds| {
            let text = bounds.text("variable").unwrap_or_default();
            writes_of(world, text, bounds)
        },
    });
    accesses.push(refers(&["value_object"], |world, bounds| {
        that_refer(world, bounds, "value_object", KINDS)
    }));
    accesses.push(Access {
        by: "index of blocks that write a part of the object",
        equal: &["object"],
        backward: false,
        cost: 100.0,
        reads: Reads::Led(
            |_, bounds| Ok(bounds.leads(bounds.of_object("object", Lookup::PartsOf))),
        ),
        ..refers(&[], writes_to)
    });
    accesses.push(of_fields(&["field_class"], 2e6));
    accesses.push(of_fields(&["field_class", "name"], 1e6));
    Table {
        name: "writes",
        doc: "Each value that a local, field, static field or array element got. Parameters get their values when their call begins: \
              `arguments`. What changes in a collection is in `events`, kind content.",
        level: Level::State,
        columns: write_columns(),
        accesses,
    }
}

/// What leads to the writes of a variable that is written as jhyde writes it.
pub(super) fn variable_led(world: &World, text: Option<&str>, bounds: &Bounds) -> Leads {
    let variable = world.history.resolve_variable(text.unwrap_or_default());
    match variable {
        Err(HistoryError::Ambiguous { .. }) => bounds.leads(Some(Lookup::Time)),
        variable => bounds.leads(variable.ok().map(Lookup::Variable)),
    }
}

/// The writes of a variable that is written as jhyde writes it. Of what is no variable here there are none.
pub(super) fn writes_of(
    world: &Arc<World>,
    text: &str,
    bounds: &Bounds,
) -> Result<RowsOf<TimedEvent>> {
    let variable = match world.history.resolve_variable(text) {
        Ok(variable) => variable,
        Err(HistoryError::Ambiguous { .. }) => return Ok(written_so(world, text, bounds)),
        Err(_) => return Ok(none()),
    };
    let writes = world
        .recording()
        .writes(variable, bounds.range(), bounds.direction());
    let events = world.readable(writes).map(|write| write.map(event_of));
    Ok(Box::new(events))
}

/// The writes of all variables that are written so: of fields of two classes of one name.
fn written_so(world: &Arc<World>, text: &str, bounds: &Bounds) -> RowsOf<TimedEvent> {
    let (of, text) = (Arc::clone(world), text.to_owned());
    let rows = scan(world, bounds, None, Kinds::WRITES).filter(move |row| {
        let Ok(row) = row else { return true };
        let variable = variable(&row.event.kind);
        variable.is_some_and(|variable| {
            let form = of.history.written_form(variable);
            form.is_ok_and(|form| form == text)
        })
    });
    Box::new(rows)
}

/// The event that a write is.
pub(super) fn event_of(write: Write) -> TimedEvent {
    let (variable, value) = (write.variable, write.value);
    TimedEvent {
        timestamp: write.timestamp,
        event: Event {
            call: write.call,
            index: write.index,
            kind: match write.snapshot {
                true => EventKind::Snapshot { variable, value },
                false => EventKind::Write { variable, value },
            },
        },
    }
}

/// `reads`.
pub(super) fn reads() -> Table<TimedEvent> {
    let mut columns = place_columns();
    columns.extend(variable_columns());
    Table {
        name: "reads",
        doc: "Each read of a local, field, static field or array element.",
        level: Level::Full,
        columns,
        accesses: ways!(Kinds::USES),
    }
}
