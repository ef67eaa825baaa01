//! Rows by what they are about: events that refer to an object, writes of a field of any object, objects of a class.
//!
//! The index leads to the blocks that have some. Recordings that were made before there was such an index have all of their blocks
//! read, and the answer says so.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::{CallRecord, Direction, TimedEvent};
use jhyde_store::{Lookup, Recording, Rows};
use jhyde_trace::block::Kinds;
use jhyde_trace::{ClassId, FieldId, MethodId, ObjectId, Timestamp};

use super::events::{in_pieces, scan};
use super::writes::event_of;
use crate::error::Result;
use crate::span::NO_INDEX;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Bounds, none};
use crate::sql::world::{RowsOf, World};

/// The name of the index in plans.
const BY: &str = "index of blocks that refer to the object";

/// A way to the events that refer to an object; the column, which holds a number of an object, is named.
pub(super) fn refers(
    equal: &'static [&'static str],
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<TimedEvent>>,
) -> Access<TimedEvent> {
    Access {
        by: BY,
        equal,
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost: 200.0,
        reads: Reads::Led(|_, bounds| {
            // It is the one column that is compared.
            let column = bounds.equal.first().map_or("", |(column, _)| *column);
            Ok(bounds.leads(bounds.of_object(column, Lookup::References)))
        }),
        find,
    }
}

/// A way to the calls that an object has a part in.
pub(super) fn calls_by(
    equal: &'static [&'static str],
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<CallRecord>>,
) -> Access<CallRecord> {
    Access {
        by: BY,
        equal,
        range: None,
        order: None,
        backward: false,
        cost: 400.0,
        // Where the calls began whose ends refer to it is not told by the index.
        reads: Reads::Unknown,
        find,
    }
}

/// The events that refer to the object of a column, of a kind.
pub(super) fn that_refer(
    world: &Arc<World>,
    bounds: &Bounds,
    column: &str,
    kinds: Kinds,
) -> Result<RowsOf<TimedEvent>> {
    let Some(object) = bounds.number(column).map(ObjectId) else {
        return Ok(none());
    };
    let way = bounds.direction();
    let rows = found(world, bounds.range(), way, move |recording, piece| {
        recording.references(object, piece, way)
    });
    let wanted = move |row: &Result<TimedEvent>| match row {
        Ok(row) => kinds.contains(&row.event.kind),
        Err(_) => true,
    };
    Ok(Box::new(rows.filter(wanted)))
}

/// The events whose value is the object: those that refer to it, its creation, and changes of what it holds.
pub(super) fn with_value(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<TimedEvent>> {
    let Some(object) = bounds.number("value_object").map(ObjectId) else {
        return Ok(none());
    };
    let range = bounds.range();
    let refers = that_refer(world, bounds, "value_object", Kinds::ALL)?;
    let changes = world
        .recording()
        .content_changes(object, range.clone(), Direction::Forward);
    let changes = world
        .readable(changes)
        .map(|change| change.map(|c| c.timestamp));
    let made = match world.recording().creation(object) {
        // What is damaged is told by the events that are read.
        Err(jhyde_store::Error::Damaged { .. }) => None,
        made => made?.map(|made| made.timestamp),
    };
    let made = made.filter(|made| range.contains(made)).map(Ok);
    let of = Arc::clone(world);
    let others = made
        .into_iter()
        .chain(changes)
        .map(move |at: Result<Timestamp>| {
            let event = of.recording().event(at?)?;
            Ok(event)
        });
    Ok(Box::new(others.chain(refers)))
}

/// The calls whose enter or exit refers to the object of a column; SQLite looks which of them it is asked for.
pub(super) fn calls_that_refer(
    world: &Arc<World>,
    bounds: &Bounds,
    column: &str,
    kinds: Kinds,
) -> Result<RowsOf<CallRecord>> {
    // A call may end behind the stretch in which it began.
    let whole = Bounds {
        from: 0,
        until: world.span.until.0,
        ..bounds.clone()
    };
    let events = that_refer(world, &whole, column, kinds)?;
    let of = Arc::clone(world);
    let calls = events.filter_map(move |event| {
        let record = event.and_then(|event| of.clip(of.recording().call(event.event.call)?));
        record.transpose()
    });
    Ok(Box::new(calls))
}

/// The ways to the events of calls of methods: by class, name and line, as far as they are told.
pub(super) fn inside_methods(
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<TimedEvent>>,
) -> Vec<Access<TimedEvent>> {
    const WAYS: [(&[&str], f64); 6] = [
        (&["line"], 2e6),
        (&["class"], 1e6),
        (&["method"], 4e5),
        (&["class", "line"], 2e5),
        (&["class", "method"], 1e5),
        (&["class", "method", "line"], 9e4),
    ];
    let way = |(equal, cost)| Access {
        by: "index of blocks in which the methods run",
        equal,
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost,
        reads: Reads::Led(|world, bounds| match methods(world, bounds)? {
            Some(methods) => Ok(methods
                .into_iter()
                .map(|method| (Lookup::Inside(method), bounds.range()))
                .collect()),
            None => Ok(bounds.leads(Some(Lookup::Time))),
        }),
        find,
    };
    WAYS.into_iter().map(way).collect()
}

/// The events of some kinds of the calls of the methods that are asked for.
pub(super) fn inside(
    world: &Arc<World>,
    bounds: &Bounds,
    kinds: Kinds,
) -> Result<RowsOf<TimedEvent>> {
    let Some(methods) = methods(world, bounds)? else {
        return Ok(scan(world, bounds, None, kinds));
    };
    if methods.is_empty() {
        return Ok(none());
    }
    let way = bounds.direction();
    Ok(found(
        world,
        bounds.range(),
        way,
        move |recording, piece| recording.events_inside(methods.clone(), kinds, piece, way),
    ))
}

/// The methods that are asked for by class, name and line; none where classes are lost, so that not all of them are known.
fn methods(world: &World, bounds: &Bounds) -> Result<Option<BTreeSet<MethodId>>> {
    let recording = world.recording();
    if recording.lost_classes().is_some() {
        return Ok(None);
    }
    let classes = match bounds.has("class") {
        true => classes_of(recording, bounds.text("class")),
        false => recording.classes(),
    };
    let name = bounds.has("method").then(|| bounds.text("method"));
    let line = bounds.has("line").then(|| bounds.number("line"));
    let mut all = BTreeSet::new();
    for class in classes {
        let Some(class) = recording.class(class)? else {
            continue;
        };
        let methods = class.methods.iter().filter(|method| {
            let has = |line| {
                method
                    .lines
                    .iter()
                    .any(|at| Some(u64::from(at.line)) == line)
            };
            name.is_none_or(|name| Some(method.name.as_str()) == name) && line.is_none_or(has)
        });
        all.extend(methods.map(|method| method.id));
    }
    Ok(Some(all))
}

/// A way to the writes of the fields of a class, or of one of them.
pub(super) fn of_fields(equal: &'static [&'static str], cost: f64) -> Access<TimedEvent> {
    Access {
        by: "index of blocks that write the field",
        equal,
        range: Some("timestamp"),
        order: None,
        backward: false,
        cost,
        reads: Reads::Led(|world, bounds| {
            let fields = fields(world, bounds)?.into_iter();
            Ok(fields
                .map(|field| (Lookup::Field(field), bounds.range()))
                .collect())
        }),
        find: |world, bounds| {
            let fields = fields(world, bounds)?;
            let (of, range) = (Arc::clone(world), bounds.range());
            let rows = fields.into_iter().flat_map(move |field| {
                found(
                    &of,
                    range.clone(),
                    Direction::Forward,
                    move |recording, piece| {
                        recording.writes_of_field(field, piece, Direction::Forward)
                    },
                )
            });
            Ok(Box::new(rows))
        },
    }
}

/// The fields of a class, or one of them.
fn fields(world: &World, bounds: &Bounds) -> Result<Vec<FieldId>> {
    let recording = world.recording();
    let mut fields = Vec::new();
    for class in classes_of(recording, bounds.text("field_class")) {
        let Some(class) = recording.class(class)? else {
            continue;
        };
        let all = class.fields.iter();
        let name = bounds.text("name");
        let asked = all.filter(|field| name.is_none_or(|name| field.name == name));
        fields.extend(asked.map(|field| field.id));
    }
    Ok(fields)
}

/// The writes to the fields or elements of an object.
pub(super) fn writes_to(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<TimedEvent>> {
    let Some(object) = bounds.number("object").map(ObjectId) else {
        return Ok(none());
    };
    let rows = world.recording().writes_to(object, bounds.range());
    let rows = world.readable(rows);
    Ok(Box::new(rows.map(|write| write.map(event_of))))
}

/// A way to the objects of a class.
pub(super) fn of_class() -> Access<TimedEvent> {
    Access {
        by: "index of blocks that make objects of the class",
        equal: &["object_class"],
        range: Some("timestamp"),
        order: None,
        backward: false,
        cost: 1e5,
        reads: Reads::Led(|world, bounds| {
            let classes = classes_of(world.recording(), bounds.text("object_class")).into_iter();
            Ok(classes
                .map(|class| (Lookup::Class(class), bounds.range()))
                .collect())
        }),
        find: |world, bounds| {
            let classes = classes_of(world.recording(), bounds.text("object_class"));
            let (of, range) = (Arc::clone(world), bounds.range());
            let rows = classes.into_iter().flat_map(move |class| {
                found(
                    &of,
                    range.clone(),
                    Direction::Forward,
                    move |recording, piece| {
                        recording.creations_of(class, piece, Direction::Forward)
                    },
                )
            });
            Ok(Box::new(rows))
        },
    }
}

/// The classes of a name: loaders may have defined several.
fn classes_of(recording: &Recording, name: Option<&str>) -> Vec<ClassId> {
    name.map_or_else(Vec::new, |name| recording.classes_named(name))
}

/// What the index of references leads to; says where there is none.
fn found(
    world: &Arc<World>,
    range: Range<Timestamp>,
    way: Direction,
    rows: impl Fn(&Recording, Range<Timestamp>) -> Rows<TimedEvent> + Send + 'static,
) -> RowsOf<TimedEvent> {
    let is_indexed = world.recording().has_index_of_references();
    if !is_indexed {
        world.note(NO_INDEX);
    }
    in_pieces(world, is_indexed, range, way, rows)
}
