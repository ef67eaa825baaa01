//! Objects of the recorded classes' making.

use std::sync::Arc;

use jhyde_store::Lookup;
use jhyde_store::records::TimedEvent;
use jhyde_trace::{Event, EventKind, Level, ObjectId};

use super::events::place_columns;
use super::referring::of_class;
use crate::error::Result;
use crate::sql::datum::Datum;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Bounds, Column, Table, none};
use crate::sql::world::{RowsOf, World};

/// `objects`.
pub(super) fn objects() -> Table<TimedEvent> {
    let mut columns = vec![
        Column::<TimedEvent>::int(
            "id",
            "the object's number: `object#12` has 12",
            |_, row: &TimedEvent| {
                Ok(match row.event.kind {
                    EventKind::New { object, .. } => Datum::count(object.0),
                    _ => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::text(
            "object_class",
            "its class, dotted; `int[]` is an array",
            |world, row| {
                Ok(match row.event.kind {
                    EventKind::New { class, .. } => match world.recording().class(class) {
                        Err(jhyde_store::Error::Damaged { .. }) => Datum::Null,
                        class => Datum::or_null(class?, |class| Datum::text(&class.name)),
                    },
                    _ => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::int(
            "length",
            "of an array, the number of its elements",
            |_, row| {
                Ok(match row.event.kind {
                    EventKind::New { length, .. } => {
                        Datum::or_null(length, |n| Datum::Int(n.into()))
                    }
                    _ => Datum::Null,
                })
            },
        ),
        Column::<TimedEvent>::text("shown", "how jhyde shows it", |world, row| {
            Ok(match row.event.kind {
                EventKind::New { object, .. } => {
                    let value = jhyde_trace::Value::Object(object);
                    Datum::Text(world.history.value(value)?.compact())
                }
                _ => Datum::Null,
            })
        }),
    ];
    columns.extend(place_columns());
    Table {
        name: "objects",
        doc: "The objects and arrays that recorded classes made, with where they did. Objects that came from elsewhere are told of by the values \
              that refer to them.",
        level: Level::State,
        columns,
        accesses: vec![
            Access {
                by: "blocks of events by time",
                equal: &[],
                range: Some("timestamp"),
                order: Some("timestamp"),
                backward: false,
                cost: 5e6,
                reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Time)))),
                find: made,
            },
            Access {
                by: "index of blocks that make the object",
                equal: &["id"],
                range: None,
                order: Some("timestamp"),
                backward: true,
                cost: 1.0,
                reads: Reads::Led(|world, bounds| {
                    Ok(bounds.leads_always(world, bounds.of_object("id", Lookup::Creation)))
                }),
                find: one,
            },
            of_class(),
        ],
    }
}

fn made(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<TimedEvent>> {
    let range = bounds.range();
    let blocks = world.readable(world.recording().blocks(range.clone()));
    let of = Arc::clone(world);
    let rows = blocks.flat_map(move |block| -> RowsOf<TimedEvent> {
        let block = match block {
            _ if of.is_over() => return Box::new(std::iter::once(Err(of.why_over()))),
            Ok(block) => block,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let range = range.clone();
        let made = (0..block.len()).filter_map(move |at| {
            block.created(at)?;
            let timestamp = block.timestamp(at);
            let event = block.event(at).filter(|_| range.contains(&timestamp))?;
            Some(Ok(TimedEvent { timestamp, event }))
        });
        Box::new(made)
    });
    Ok(Box::new(rows))
}

fn one(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<TimedEvent>> {
    let Some(object) = bounds.number("id").map(ObjectId) else {
        return Ok(none());
    };
    let made = match world.recording().creation(object) {
        Err(error @ jhyde_store::Error::Damaged { .. }) => {
            world.note(format!("what a damaged block had is left out: {error}"));
            None
        }
        made => made?,
    };
    let Some(made) = made.filter(|made| made.timestamp < world.span.until) else {
        return Ok(none());
    };
    let event: Event = world.recording().event(made.timestamp)?.event;
    let timestamp = made.timestamp;
    Ok(Box::new(std::iter::once(Ok(TimedEvent {
        timestamp,
        event,
    }))))
}
