//! Table functions that answer as the state and its objects do: the variables of a call, what an object holds, and what can be
//! reached from it, each at an event. Unlike the rows of writes they know what was found out late: what may have been changed
//! unseen by then is "not recorded".

use std::collections::VecDeque;
use std::sync::Arc;

use jhyde_history::state::{RowKind, StateRow};
use jhyde_history::view::{HeldView, ValueView};
use jhyde_trace::{CallId, Level, ObjectId, Timestamp, Value};
use rustc_hash::FxHashSet;

use super::inside::{AtAnEvent, event};
use crate::error::Result;
use crate::sql::datum::{Datum, Held, value_columns};
use crate::sql::extent::Reads;
use crate::sql::table::{Bounds, Column, Row, Table, Type, none};
use crate::sql::world::{RowsOf, World};

/// So many parts of an object are read at once.
const PAGE: u32 = 256;

const OF_CALL: AtAnEvent = AtAnEvent {
    equal: [&["of_call"], &["of_call", "at"]],
    else_at: "the end of the call, or of what is seen",
    by: [
        "the call's state at its end",
        "the call's state at the event",
    ],
    costs: [60.0, 50.0],
};
const OF_OBJECT: AtAnEvent = AtAnEvent {
    equal: [&["of_object"], &["of_object", "at"]],
    else_at: "the end of what is seen",
    by: [
        "the object's parts at the end",
        "the object's parts at the event",
    ],
    costs: [60.0, 50.0],
};
const OF_OBJECTS: AtAnEvent = AtAnEvent {
    by: [
        "parts of the objects at the end, breadth first",
        "parts of the objects at the event, breadth first",
    ],
    ..OF_OBJECT
};

/// A variable of a state.
pub(super) struct Part {
    number: u64,
    row: StateRow,
}

impl Row for Part {
    fn number(&self) -> u64 {
        self.number
    }
}

/// An object that was reached.
pub(super) struct Reached {
    number: u64,
    object: ObjectId,
    depth: u64,
    /// Where it was found first: what holds it, and which part of that it is.
    found: Option<(ObjectId, String)>,
}

impl Row for Reached {
    fn number(&self) -> u64 {
        self.number
    }
}

fn kind(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Return => "return",
        RowKind::Exception => "exception",
        RowKind::This => "this",
        RowKind::Local => "local",
        RowKind::Static => "static",
        RowKind::Field => "field",
        RowKind::Element => "element",
        RowKind::Content => "content",
    }
}

fn part_columns() -> Vec<Column<Part>> {
    let mut columns = vec![
        Column::<Part>::int("position", "its place, from 0", |_, part: &Part| {
            Ok(Datum::count(part.number))
        }),
        Column::<Part>::text(
            "kind",
            "what it is: this, local, static, return, exception; field, element, or content (of an object of the JDK)",
            |_, part| Ok(Datum::text(kind(part.row.kind))),
        ),
        Column::<Part>::text(
            "name",
            "its name as in source; of a part of a list its index, of a map its key",
            |_, part| Ok(Datum::text(&part.row.name)),
        ),
        Column::<Part>::text(
            "variable",
            "its written form, as `jhyde history` takes it",
            |_, part| Ok(Datum::text(&part.row.variable)),
        ),
        Column::<Part>::text("type", "its type, as in source", |_, part| {
            Ok(Datum::text(&part.row.type_name))
        }),
    ];
    let mut values = value_columns("value", "what it held", |_, part: &Part| {
        Ok(part.row.end.clone().map_or(Held::Nothing, Held::from))
    });
    // With what an object held at the event, which its value alone does not tell.
    if let Some(value) = values.first_mut() {
        value.cell = Box::new(|_, part| {
            let there = part
                .row
                .end
                .as_ref()
                .filter(|value| **value != ValueView::Gone);
            Ok(Datum::or_null(there, |value| Datum::Text(value.compact())))
        });
    }
    columns.extend(values);
    columns
}

/// `state(CALL, AT)`.
pub(super) fn state() -> Table<Part> {
    let mut columns = part_columns();
    columns.push(Column::argument("of_call", "a call: `calls.id`"));
    let (at, accesses) = OF_CALL.found(Reads::Unknown, |world, bounds| {
        let Some(call) = bounds.call("of_call", world)? else {
            return Ok(none());
        };
        variables(world, call, bounds)
    });
    columns.push(at);
    Table {
        name: "state",
        doc: "The variables of a call at an event, as `jhyde state` tells them: its result, `this`, parameters and locals, and the static fields.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

fn variables(world: &Arc<World>, call: CallId, bounds: &Bounds) -> Result<RowsOf<Part>> {
    let Some(event) = event(world, bounds) else {
        return Ok(none());
    };
    let record = world.recording().call(call)?;
    let end = record.exit.unwrap_or(event);
    let at = match bounds.has("at") {
        // Before it began and behind its end it has no variables.
        true if event < record.enter || event > end => return Ok(none()),
        true => event,
        false => end.min(event),
    };
    let state = world.history.state(call, Some(at), Some(at), 0)?;
    for note in state.notes {
        world.note(note);
    }
    let rows = state.rows.into_iter().zip(0..);
    Ok(Box::new(rows.map(|(row, number)| Ok(Part { number, row }))))
}

/// `collection(OBJECT, AT)`.
pub(super) fn collection() -> Table<Part> {
    let mut columns = part_columns();
    columns.push(of_object());
    let (at, accesses) = OF_OBJECT.found(Reads::Unknown, |world, bounds| {
        let Some((object, at)) = object_at(world, bounds)? else {
            return Ok(none());
        };
        let parts = Parts::of(world, object, at).zip(0..);
        Ok(Box::new(
            parts.map(|(row, number)| Ok(Part { number, row: row? })),
        ))
    });
    columns.push(at);
    Table {
        name: "collection",
        doc: "What an object held at an event: the items of a list, set or queue, the entries of a map, an array's elements, fields. What of that is \
              not recorded the notes say. Columns as of `state`.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

fn of_object<T>() -> Column<T> {
    Column {
        of: Type::Int,
        ..Column::argument("of_object", "an object's number, as `value_object` has it")
    }
}

/// The object and the event that are asked for; none where the recording has no such object.
fn object_at(world: &World, bounds: &Bounds) -> Result<Option<(ObjectId, Timestamp)>> {
    let object = bounds.number("of_object").map(ObjectId);
    let (Some(object), Some(at)) = (object, event(world, bounds)) else {
        return Ok(None);
    };
    Ok(world.object(object)?.map(|_| (object, at)))
}

/// The parts of an object, page after page.
struct Parts {
    world: Arc<World>,
    object: ObjectId,
    at: Timestamp,
    page: std::vec::IntoIter<StateRow>,
    /// The token of the next page; none behind the last one.
    next: Option<String>,
}

impl Parts {
    fn of(world: &Arc<World>, object: ObjectId, at: Timestamp) -> Self {
        Self {
            world: Arc::clone(world),
            object,
            at,
            page: Vec::new().into_iter(),
            next: Some(String::new()),
        }
    }
}

impl Iterator for Parts {
    type Item = Result<StateRow>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.page.next() {
                return Some(Ok(row));
            }
            let token = self.next.take()?;
            let (object, at) = (self.object, self.at);
            let history = &self.world.history;
            let (found, notes) = match history.expand(object, at, at, 0, PAGE, &token) {
                Ok(found) => found,
                Err(error) => return Some(Err(error.into())),
            };
            for note in notes {
                self.world.note(note);
            }
            if found.rows.is_empty() && found.next.is_none() && token.is_empty() {
                self.note_unknown();
            }
            self.page = found.rows.into_iter();
            self.next = found.next;
        }
    }
}

impl Parts {
    /// It has no parts: perhaps because they are not recorded.
    fn note_unknown(&self) {
        let value = Value::Object(self.object);
        let Ok(ValueView::Object(view)) = self.world.history.value_at(value, self.at) else {
            // What is damaged was said already.
            return;
        };
        if let Some(HeldView::Unknown(reason)) = view.held.as_deref() {
            self.world.note(format!(
                "what object {} held at {} is not recorded: {reason}",
                self.object, self.at
            ));
        }
    }
}

/// `reachable(OBJECT, AT)`.
pub(super) fn reachable() -> Table<Reached> {
    let mut columns = vec![
        Column::<Reached>::int("depth", "how many steps it is away", |_, row: &Reached| {
            Ok(Datum::count(row.depth))
        }),
        Column::<Reached>::int(
            "holder",
            "the number of the object in which it was found first; null for the one that was asked for",
            |_, row| {
                let holder = row.found.as_ref();
                Ok(Datum::or_null(holder, |(holder, _)| Datum::count(holder.0)))
            },
        ),
        Column::<Reached>::text(
            "variable",
            "the part of that which holds it, as `jhyde history` takes it",
            |_, row| {
                let found = row.found.as_ref();
                Ok(Datum::or_null(found, |(_, variable)| Datum::text(variable)))
            },
        ),
    ];
    columns.extend(value_columns("value", "the object", |_, row: &Reached| {
        Ok(Held::Value(Value::Object(row.object)))
    }));
    columns.push(of_object());
    let (at, accesses) = OF_OBJECTS.found(Reads::Unknown, |world, bounds| {
        Ok(match object_at(world, bounds)? {
            Some((object, at)) => Box::new(Search::from(world, object, at)),
            None => none(),
        })
    });
    columns.push(at);
    Table {
        name: "reachable",
        doc: "The objects that could be reached from an object at an event, nearest first, each once; that object is the first.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

/// A search from object to object.
struct Search {
    parts: Parts,
    /// What is to be told, and then looked into.
    open: VecDeque<Reached>,
    /// What was told, and is to be looked into.
    told: VecDeque<(ObjectId, u64)>,
    depth: u64,
    seen: FxHashSet<ObjectId>,
}

impl Search {
    fn from(world: &Arc<World>, object: ObjectId, at: Timestamp) -> Self {
        let first = Reached {
            number: 0,
            object,
            depth: 0,
            found: None,
        };
        let mut parts = Parts::of(world, object, at);
        parts.next = None;
        Self {
            parts,
            open: VecDeque::from([first]),
            told: VecDeque::new(),
            depth: 0,
            seen: FxHashSet::from_iter([object]),
        }
    }

    fn meet(&mut self, row: &StateRow) {
        let Some(object) = row.end.as_ref().and_then(|value| value.object()) else {
            // A number, null, or what is not recorded leads nowhere.
            return;
        };
        if self.seen.insert(object) {
            self.open.push_back(Reached {
                number: self.seen.len() as u64 - 1,
                object,
                depth: self.depth + 1,
                found: Some((self.parts.object, row.variable.clone())),
            });
        }
    }
}

impl Iterator for Search {
    type Item = Result<Reached>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(reached) = self.open.pop_front() {
                self.told.push_back((reached.object, reached.depth));
                return Some(Ok(reached));
            }
            match self.parts.next() {
                Some(Ok(row)) => self.meet(&row),
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    let (object, depth) = self.told.pop_front()?;
                    self.depth = depth;
                    self.parts = Parts::of(&self.parts.world, object, self.parts.at);
                }
            }
        }
    }
}
