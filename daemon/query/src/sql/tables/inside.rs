//! Table functions: tables of what is around or in a call, of a variable, of an object. Their arguments may be columns of tables
//! that stand before them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jhyde_store::Lookup;
use jhyde_store::records::{CallRecord, TimedEvent, Write};
use jhyde_trace::{Content, Level, ObjectId, Timestamp, Variable};

use super::calls::call_columns;
use super::finding::{children as children_of, clipped};
use super::writes::{event_of, variable_led, write_columns, writes_of};
use crate::error::Result;
use crate::sql::extent::{Reads, life};
use crate::sql::table::{Access, Bounds, Column, Table, Type, none};
use crate::sql::world::{RowsOf, World};

fn of_call(
    name: &'static str,
    doc: &'static str,
    by: &'static str,
    cost: f64,
    reads: Reads,
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<CallRecord>>,
) -> Table<CallRecord> {
    let mut columns = call_columns();
    columns.push(Column::argument("of_call", "a call: `calls.id`"));
    Table {
        name,
        doc,
        level: Level::Calls,
        columns,
        accesses: vec![Access {
            by,
            equal: &["of_call"],
            range: None,
            order: None,
            backward: false,
            cost,
            reads,
            find,
        }],
    }
}

/// `ancestors(CALL)`.
pub(super) fn ancestors() -> Table<CallRecord> {
    of_call(
        "ancestors",
        "The calls around a call, the outermost first; it is none of them. Columns as of `calls`.",
        "the path to the call",
        20.0,
        Reads::Unknown,
        |world, bounds| {
            let Some(call) = bounds.call("of_call", world)? else {
                return Ok(none());
            };
            let mut path = world.recording().path(call)?;
            path.pop();
            Ok(clipped(world, path.into_iter().map(Ok)))
        },
    )
}

/// `children(CALL)`.
pub(super) fn children() -> Table<CallRecord> {
    of_call(
        "children",
        "The calls that a call made itself, in the order of time. Columns as of `calls`.",
        "the children of the call",
        20.0,
        Reads::Led(|world, bounds| {
            Ok(bounds.leads_always(world, bounds.of_call("of_call", world)?))
        }),
        |world, bounds| {
            Ok(match bounds.call("of_call", world)? {
                Some(call) => children_of(world, call),
                None => none(),
            })
        },
    )
}

/// `descendants(CALL)`.
pub(super) fn descendants() -> Table<CallRecord> {
    of_call(
        "descendants",
        "The calls in a call, at any depth, in the order of time; it is none of them. Columns as of `calls`.",
        "the numbers of the calls in the call",
        1000.0,
        Reads::Led(|world, bounds| {
            let call = bounds.call("of_call", world)?;
            let life = call.map(|call| life(world, call)).transpose()?;
            Ok(life.map(|life| (Lookup::Time, life)).into_iter().collect())
        }),
        |world, bounds| {
            let Some(call) = bounds.call("of_call", world)? else {
                return Ok(none());
            };
            let Some(record) = world.clip(world.recording().call(call)?)? else {
                return Ok(none());
            };
            let numbers = call.preorder + 1..call.preorder + record.size;
            let calls = world.readable(world.recording().preorder(call.thread, numbers));
            Ok(clipped(world, calls))
        },
    )
}

/// `history(VARIABLE)`.
pub(super) fn history() -> Table<TimedEvent> {
    let mut columns = write_columns();
    columns.push(Column::argument(
        "of_variable",
        "a variable as `jhyde history` takes it: `merge#2:lc`, `object#3.size`, `array#1[2]`, `Cls.COUNT`",
    ));
    Table {
        name: "history",
        doc: "The values of a variable in the order of time. Columns as of `writes`.",
        level: Level::State,
        columns,
        accesses: vec![Access {
            by: "index of blocks that write the variable",
            equal: &["of_variable"],
            range: Some("timestamp"),
            order: Some("timestamp"),
            backward: true,
            cost: 50.0,
            reads: Reads::Led(|world, bounds| {
                Ok(variable_led(world, bounds.text("of_variable"), bounds))
            }),
            find: |world, bounds| {
                let text = bounds.text("of_variable").unwrap_or_default();
                // What names nothing is a mistake here, not a value like another.
                world.history.resolve_variable(text)?;
                writes_of(world, text, bounds)
            },
        }],
    }
}

/// A function of something and an event: the arguments of that, what the event is where none is named, and what serves a
/// statement without one and with one.
pub(super) struct AtAnEvent {
    pub(super) equal: [&'static [&'static str]; 2],
    pub(super) else_at: &'static str,
    pub(super) by: [&'static str; 2],
    pub(super) costs: [f64; 2],
}

impl AtAnEvent {
    /// The argument that says when, and the two ways in which rows are found.
    pub(super) fn found<T>(
        &self,
        reads: Reads,
        find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<T>>,
    ) -> (Column<T>, Vec<Access<T>>) {
        let doc = format!("an event; without it {}", self.else_at);
        let column = Column {
            of: Type::Int,
            ..Column::argument("at", &doc)
        };
        let ways = self.equal.into_iter().zip(self.by).zip(self.costs);
        let accesses = ways.map(|((equal, by), cost)| Access {
            by,
            equal,
            range: None,
            order: None,
            backward: false,
            cost,
            reads,
            find,
        });
        (column, accesses.collect())
    }
}

/// The event that is asked for, or the last one that is seen where none is; nothing where it is not seen.
pub(super) fn event(world: &World, bounds: &Bounds) -> Option<Timestamp> {
    let last = world.span.until.0.checked_sub(1)?;
    if !bounds.has("at") {
        return Some(Timestamp(last));
    }
    let asked = bounds.number("at").filter(|at| *at <= last);
    if asked.is_none() {
        world.note(format!(
            "no event behind {last} is seen: at one there are no rows"
        ));
    }
    asked.map(Timestamp)
}

/// `object_state(OBJECT, AT)`.
pub(super) fn object_state() -> Table<TimedEvent> {
    let mut columns = write_columns();
    columns.push(Column {
        of: Type::Int,
        ..Column::argument("of_object", "an object's number: `objects.id`")
    });
    let function = AtAnEvent {
        equal: [&["of_object"], &["of_object", "at"]],
        else_at: "the end of what is seen",
        by: [
            "index of blocks that write the object, at the end",
            "index of blocks that write the object, at the event",
        ],
        costs: [30.0, 20.0],
    };
    let (at, accesses) = function.found(
        Reads::Led(|world, bounds| {
            let asked = bounds.number("at").unwrap_or(u64::MAX);
            let upto = Timestamp(asked.saturating_add(1)).min(world.span.until);
            let parts = bounds.of_object("of_object", Lookup::PartsOf).into_iter();
            Ok(parts.map(|lookup| (lookup, Timestamp(0)..upto)).collect())
        }),
        state,
    );
    columns.push(at);
    Table {
        name: "object_state",
        doc: "The last write of each field of an object, or element of an array, at or before an event. What was never written by then has no row. \
              Columns as of `writes`.",
        level: Level::State,
        columns,
        accesses,
    }
}

fn state(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<TimedEvent>> {
    /// So many elements are looked up at once.
    const PAGE: usize = 1024;
    let object = bounds.number("of_object").map(ObjectId);
    let (Some(object), Some(last)) = (object, event(world, bounds)) else {
        return Ok(none());
    };
    let length = match world.object(object)?.map(|info| info.content) {
        Some(Content::Array(length)) => Some(length),
        _ => None,
    };
    let is_array = length.is_some();
    let world = Arc::clone(world);
    let mut next = Some(0u32);
    let mut page = Vec::new().into_iter();
    Ok(Box::new(std::iter::from_fn(move || {
        loop {
            if let Some(write) = page.next() {
                return Some(Ok(event_of(write)));
            }
            let from = next.take()?;
            // Fields are few; they come at once.
            let most = if is_array { PAGE } else { usize::MAX };
            let found = world.recording().object_state(object, last, from, most);
            let found = match found {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    // One by one: what is in other blocks is told.
                    let upto = from.saturating_add(PAGE as u32);
                    next = length.filter(|length| upto < *length).map(|_| upto);
                    let elements = length.map(|length| from..upto.min(length));
                    match readable_writes(&world, object, elements, last) {
                        Ok(found) => found,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(found) => {
                    if is_array && found.len() == PAGE {
                        next = match found.last().map(|write| write.variable) {
                            Some(Variable::Element { index, .. }) => index.checked_add(1),
                            _ => None,
                        };
                    }
                    found
                }
                Err(error) => return Some(Err(error.into())),
            };
            page = found.into_iter();
            if page.len() == 0 && next.is_none() {
                return None;
            }
        }
    })))
}

/// The last writes of some elements of an array, or of the fields of an object, that can be read.
fn readable_writes(
    world: &Arc<World>,
    object: ObjectId,
    elements: Option<Range<u32>>,
    last: Timestamp,
) -> Result<Vec<Write>> {
    let recording = world.recording();
    let variables: BTreeSet<Variable> = match elements {
        Some(elements) => {
            let array = object;
            elements
                .map(|index| Variable::Element { array, index })
                .collect()
        }
        None => {
            let range = Timestamp(0)..Timestamp(last.0 + 1);
            let writes = world.readable(recording.writes_to(object, range));
            let variables = writes.map(|write| write.map(|write| write.variable));
            variables.collect::<Result<_>>()?
        }
    };
    let writes = variables.into_iter().map(|variable| {
        // Of a variable whose last write is in what is damaged no earlier one is told.
        world.readable(Box::new(
            recording.last_write(variable, last).transpose().into_iter(),
        ))
    });
    writes.flatten().collect()
}
