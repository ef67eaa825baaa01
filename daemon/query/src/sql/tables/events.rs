//! Events, and those of one kind each with the columns that they have.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::{Direction, TimedEvent};
use jhyde_store::{Lookup, Recording, Rows};
use jhyde_trace::block::Kinds;
use jhyde_trace::{
    Event, EventKind, Level, MonitorAction, Outcome, ThreadId, Timestamp, Value, Variable,
};

use super::calls::id;
use super::finding::thread;
use super::referring::{inside, inside_methods, refers, that_refer, with_value};
use crate::error::Result;
use crate::span::pieces;
use crate::sql::datum::{Datum, Held, value_columns};
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Bounds, Column, Row, Table, none};
use crate::sql::world::{RowsOf, World};

impl Row for TimedEvent {
    fn number(&self) -> u64 {
        self.timestamp.0
    }
}

/// When and where an event happened.
pub(super) fn place_columns() -> Vec<Column<TimedEvent>> {
    vec![
        Column::<TimedEvent>::int(
            "timestamp",
            "the event's number in the recording, from 0",
            |_, row: &TimedEvent| Ok(Datum::count(row.timestamp.0)),
        ),
        Column::<TimedEvent>::int("thread", "its thread: `threads.id`", |_, row| {
            Ok(Datum::Int(row.event.thread().0.into()))
        }),
        Column::<TimedEvent>::text(
            "call",
            "the call in which it happened: `calls.id`; null outside of all calls",
            |_, row| Ok(id(row.event.call)),
        ),
        Column::<TimedEvent>::text("class", "the class of the call's method", |world, row| {
            let method = world.method_of(row.event.call)?;
            Ok(Datum::or_null(method, |method| {
                Datum::text(&method.class.name)
            }))
        }),
        Column::<TimedEvent>::text("method", "the name of the call's method", |world, row| {
            let method = world.method_of(row.event.call)?;
            Ok(Datum::or_null(method, |method| {
                Datum::text(&method.method().name)
            }))
        }),
        Column::<TimedEvent>::int(
            "line",
            "the source line; null where that is not known",
            |world, row| world.line(row.event.call, row.event.index),
        ),
        Column::<TimedEvent>::int(
            "bytecode_index",
            "the instruction, by its place in the method's code",
            |_, row| {
                Ok(match row.event.index {
                    Event::NO_INDEX => Datum::Null,
                    index => Datum::Int(index.into()),
                })
            },
        ),
    ]
}

/// Looks through the events of a stretch of time.
pub(super) fn all_by_time(
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<TimedEvent>>,
) -> Access<TimedEvent> {
    Access {
        by: "blocks of events by time",
        equal: &[],
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost: 1e7,
        reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Time)))),
        find,
    }
}

pub(super) fn of_call(
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<TimedEvent>>,
) -> Access<TimedEvent> {
    Access {
        by: "index of blocks with events of the call",
        equal: &["call"],
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost: 100.0,
        reads: Reads::Led(|world, bounds| Ok(bounds.leads(bounds.of_call("call", world)?))),
        find,
    }
}

pub(super) fn of_thread(
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<TimedEvent>>,
) -> Access<TimedEvent> {
    Access {
        by: "index of blocks with events of the thread",
        equal: &["thread"],
        range: Some("timestamp"),
        order: Some("timestamp"),
        backward: true,
        cost: 2e6,
        reads: Reads::Led(|_, bounds| Ok(bounds.leads(thread(bounds)))),
        find,
    }
}

/// The ways to look through events, for those of some kinds: by time, by thread, by call, and by what their calls run.
macro_rules! ways {
    ($kinds:expr) => {{
        let mut ways = vec![
            all_by_time(|world, bounds| Ok(scan(world, bounds, None, $kinds))),
            of_thread(|world, bounds| in_thread(world, bounds, $kinds)),
            of_call(|world, bounds| in_call(world, bounds, $kinds)),
        ];
        ways.extend(inside_methods(|world, bounds| {
            inside(world, bounds, $kinds)
        }));
        ways
    }};
}

pub(super) use ways;

pub(super) fn scan(
    world: &Arc<World>,
    bounds: &Bounds,
    thread: Option<ThreadId>,
    kinds: Kinds,
) -> RowsOf<TimedEvent> {
    let way = bounds.direction();
    in_pieces(
        world,
        false,
        bounds.range(),
        way,
        move |recording, piece| recording.events_of(kinds, piece, thread, way),
    )
}

/// Rows of a stretch of time, read piece by piece: it may find nothing for long, and ends when nobody waits.
pub(super) fn in_pieces(
    world: &Arc<World>,
    is_indexed: bool,
    range: Range<Timestamp>,
    way: Direction,
    rows: impl Fn(&Recording, Range<Timestamp>) -> Rows<TimedEvent> + Send + 'static,
) -> RowsOf<TimedEvent> {
    let of = Arc::clone(world);
    let mut pieces = pieces(is_indexed, range, way);
    // An index leads from one row to the next over many blocks.
    let every = if is_indexed { 1 } else { MANY };
    let mut piece: Rows<TimedEvent> = Box::new(std::iter::empty());
    let mut count = 0_u32;
    // One iterator, and not one around the other: rows are large, and each hands them on.
    Box::new(std::iter::from_fn(move || {
        loop {
            count = count.wrapping_add(1);
            if count.is_multiple_of(every) && of.is_over() {
                return Some(Err(of.why_over()));
            }
            match piece.next() {
                Some(row) => match of.row(row).transpose() {
                    Some(row) => return Some(row),
                    None => continue,
                },
                None => piece = rows(of.recording(), pieces.next()?),
            }
            if of.is_over() {
                return Some(Err(of.why_over()));
            }
        }
    }))
}

/// So many events of blocks that follow each other are read within a moment.
const MANY: u32 = 1024;

/// Ends when nobody waits.
fn watched<T: 'static>(world: &Arc<World>, events: RowsOf<T>) -> RowsOf<T> {
    let world = Arc::clone(world);
    let mut count = 0u32;
    Box::new(events.map(move |event| {
        count = count.wrapping_add(1);
        match count.is_multiple_of(MANY) && world.is_over() {
            true => Err(world.why_over()),
            false => event,
        }
    }))
}

pub(super) fn in_thread(
    world: &Arc<World>,
    bounds: &Bounds,
    kinds: Kinds,
) -> Result<RowsOf<TimedEvent>> {
    let thread = bounds
        .number("thread")
        .and_then(|id| u32::try_from(id).ok());
    let known = world.recording().thread_ids();
    match thread.map(ThreadId).filter(|thread| known.contains(thread)) {
        Some(thread) => Ok(scan(world, bounds, Some(thread), kinds)),
        None => Ok(none()),
    }
}

pub(super) fn in_call(
    world: &Arc<World>,
    bounds: &Bounds,
    kinds: Kinds,
) -> Result<RowsOf<TimedEvent>> {
    let Some(call) = bounds.call("call", world)? else {
        return Ok(none());
    };
    let events = world
        .recording()
        .own_events(call, bounds.range(), bounds.direction());
    // Few of them may be wanted, and none for long. The beginnings and ends of its children are among them: those are other calls.
    let own = watched(world, world.readable(events)).filter_map(move |event| match event {
        Ok(event) if event.event.call != call || !kinds.contains(&event.event.kind) => None,
        event => Some(event.map(|event| TimedEvent {
            timestamp: event.timestamp,
            event: event.event,
        })),
    });
    Ok(Box::new(own))
}

/// `events`.
pub(super) fn events() -> Table<TimedEvent> {
    let mut columns = place_columns();
    columns.push(Column::<TimedEvent>::text(
        "kind",
        "enter, exit, new, write, use, edge, thrown, caught, uncaught, thread_start, thread_end, class_prepared, monitor, content \
         (what an object of the JDK holds changed), gap; or found: how a variable or an object was when it was first met",
        |_, row: &TimedEvent| Ok(Datum::text(word(&row.event.kind))),
    ));
    columns.push(Column::<TimedEvent>::text(
        "variable",
        "what was written, read or found, as jhyde writes it: `1.5:lc`, `object#3.size`, `array#1[2]`",
        |world, row| Ok(match variable(&row.event.kind) {
            Some(variable) => Datum::Text(world.history.written_form(variable)?),
            None => Datum::Null,
        }),
    ));
    columns.push(Column::<TimedEvent>::text(
        "detail",
        "of a monitor: enter, exit, wait, notified; of a class: its name; of a gap: why",
        |world, row| {
            Ok(match &row.event.kind {
                EventKind::Monitor { action, .. } => Datum::text(action_word(*action)),
                EventKind::ClassPrepared { class } => match world.recording().class(*class) {
                    Err(jhyde_store::Error::Damaged { .. }) => Datum::Null,
                    class => Datum::or_null(class?, |class| Datum::text(&class.name)),
                },
                EventKind::Gap { reason, .. } => Datum::text(reason),
                _ => Datum::Null,
            })
        },
    ));
    columns.extend(value_columns(
        "value",
        "what was written or found, returned or thrown; the object that was made, whose monitor it is, or whose contents changed",
        |_, row: &TimedEvent| Ok(held(&row.event.kind)),
    ));
    let mut accesses = ways!(Kinds::ALL);
    accesses.push(Access {
        by: "blocks of events by time, of which those of the kind are decoded",
        equal: &["kind"],
        cost: 5e6,
        ..all_by_time(|world, bounds| {
            let kinds = bounds.text("kind").map_or(Kinds::NONE, kinds);
            Ok(scan(world, bounds, None, kinds))
        })
    });
    accesses.push(Access {
        order: None,
        backward: false,
        reads: Reads::Led(|world, bounds| {
            let by = |lookup| bounds.of_object("value_object", lookup);
            let mut leads = bounds.leads(by(Lookup::References));
            leads.extend(bounds.leads(by(Lookup::Content)));
            leads.extend(bounds.leads_always(world, by(Lookup::Creation)));
            Ok(leads)
        }),
        ..refers(&["value_object"], with_value)
    });
    Table {
        name: "events",
        doc: "All that happened, an event a row. What the level leaves out is not in it.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

fn word(kind: &EventKind) -> &'static str {
    match kind {
        kind if kind.is_found() => "found",
        EventKind::ThreadStart => "thread_start",
        EventKind::ThreadEnd => "thread_end",
        EventKind::ClassPrepared { .. } => "class_prepared",
        EventKind::Enter { .. } => "enter",
        EventKind::Exit { .. } => "exit",
        EventKind::New { .. } => "new",
        EventKind::Write { .. } => "write",
        EventKind::Use { .. } => "use",
        EventKind::Edge { .. } => "edge",
        EventKind::Thrown { .. } => "thrown",
        EventKind::Caught { .. } => "caught",
        EventKind::Uncaught { .. } => "uncaught",
        EventKind::Monitor { .. } => "monitor",
        EventKind::Snapshot { .. } => "found",
        EventKind::Content { .. } => "content",
        EventKind::Gap { .. } => "gap",
    }
}

/// The kinds of events among which those are that have a word.
fn kinds(word: &str) -> Kinds {
    match word {
        "thread_start" => Kinds::THREAD_STARTS,
        "thread_end" => Kinds::THREAD_ENDS,
        "class_prepared" => Kinds::CLASSES,
        "enter" => Kinds::ENTERS,
        "exit" => Kinds::EXITS,
        "new" => Kinds::CREATIONS,
        "write" => Kinds::WRITTEN,
        "use" => Kinds::USES,
        "edge" => Kinds::EDGES,
        "thrown" => Kinds::THROWN,
        "caught" => Kinds::CAUGHT,
        "uncaught" => Kinds::UNCAUGHT,
        "monitor" => Kinds::MONITORS,
        "content" => Kinds::CONTENTS,
        "found" => Kinds::FOUND,
        "gap" => Kinds::GAPS,
        _ => Kinds::NONE,
    }
}

fn action_word(action: MonitorAction) -> &'static str {
    match action {
        MonitorAction::Enter => "enter",
        MonitorAction::Exit => "exit",
        MonitorAction::Wait => "wait",
        MonitorAction::Notified => "notified",
    }
}

pub(super) fn variable(kind: &EventKind) -> Option<Variable> {
    match kind {
        EventKind::Write { variable, .. }
        | EventKind::Use { variable }
        | EventKind::Snapshot { variable, .. } => Some(*variable),
        _ => None,
    }
}

pub(super) fn held(kind: &EventKind) -> Held {
    match kind {
        EventKind::Write { value, .. } | EventKind::Snapshot { value, .. } => Held::Value(*value),
        EventKind::Exit { outcome } => match outcome {
            Outcome::Returned(Some(value)) | Outcome::Threw(value) => Held::Value(*value),
            Outcome::Returned(None) => Held::Nothing,
            Outcome::Unknown => Held::Unseen("how this call ended was not seen".into()),
        },
        EventKind::Thrown { exception }
        | EventKind::Caught { exception }
        | EventKind::Uncaught { exception } => Held::Value(*exception),
        EventKind::New { object, .. }
        | EventKind::Monitor { object, .. }
        | EventKind::Content { object, .. } => Held::Value(Value::Object(*object)),
        _ => Held::Nothing,
    }
}

/// `edges`.
pub(super) fn edges() -> Table<TimedEvent> {
    let mut columns = place_columns();
    columns.push(Column::<TimedEvent>::int(
        "to_index",
        "the instruction that came next: which way the condition went",
        |_, row: &TimedEvent| {
            Ok(match row.event.kind {
                EventKind::Edge { to, .. } => Datum::Int(to.into()),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<TimedEvent>::int(
        "to_line",
        "the line of that instruction",
        |world, row| match row.event.kind {
            EventKind::Edge { to, .. } => world.line(row.event.call, to),
            _ => Ok(Datum::Null),
        },
    ));
    Table {
        name: "edges",
        doc: "Each outcome of a condition or a switch, and each jump back of a loop; `bytecode_index` is the condition, or that jump.",
        level: Level::Full,
        columns,
        accesses: ways!(Kinds::EDGES),
    }
}

/// `exceptions`.
pub(super) fn exceptions() -> Table<TimedEvent> {
    const KINDS: Kinds = Kinds::EXCEPTIONS;
    let mut columns = place_columns();
    columns.push(Column::<TimedEvent>::text(
        "kind",
        "thrown (or arrived from outside of the recorded classes), caught, or uncaught: its thread ended of it",
        |_, row: &TimedEvent| Ok(Datum::text(word(&row.event.kind))),
    ));
    columns.push(Column::<TimedEvent>::int(
        "exception",
        "the exception's number",
        |_, row| {
            Ok(match held(&row.event.kind) {
                Held::Value(Value::Object(exception)) => Datum::count(exception.0),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<TimedEvent>::text(
        "exception_class",
        "the exception's class",
        |world, row| match held(&row.event.kind) {
            Held::Value(Value::Object(exception)) => world.class_of(exception),
            _ => Ok(Datum::Null),
        },
    ));
    columns.push(Column::<TimedEvent>::text(
        "message",
        "its message, as much as the recording kept; null where it has none or that is not known",
        |world, row| {
            Ok(match held(&row.event.kind) {
                Held::Value(Value::Object(exception)) => {
                    match world.object(exception)?.map(|info| info.content) {
                        Some(jhyde_trace::Content::Throwable(thrown)) => {
                            Datum::or_null(thrown.message, |text| {
                                Datum::Text(text.prefix.to_text_lossy())
                            })
                        }
                        _ => Datum::Null,
                    }
                }
                _ => Datum::Null,
            })
        },
    ));
    let mut accesses = vec![Access {
        by: "blocks that have exceptions",
        reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Exceptions)))),
        ..all_by_time(|world, bounds| {
            let rows = world
                .recording()
                .exceptions(bounds.range(), bounds.direction());
            let rows = world.readable(rows).map(|row| {
                row.map(|row| TimedEvent {
                    timestamp: row.timestamp,
                    event: Event {
                        call: row.call,
                        index: row.index,
                        kind: kind_of(row.kind, row.exception),
                    },
                })
            });
            Ok(Box::new(rows))
        })
    }];
    accesses[0].cost = 1e4;
    accesses.push(of_call(|world, bounds| in_call(world, bounds, KINDS)));
    accesses.push(refers(&["exception"], |world, bounds| {
        that_refer(world, bounds, "exception", KINDS)
    }));
    Table {
        name: "exceptions",
        doc: "Where exceptions were thrown, caught, or ended their thread.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

fn kind_of(kind: jhyde_store::records::ExceptionKind, exception: Value) -> EventKind {
    use jhyde_store::records::ExceptionKind as Of;
    match kind {
        Of::Thrown => EventKind::Thrown { exception },
        Of::Caught => EventKind::Caught { exception },
        Of::Uncaught => EventKind::Uncaught { exception },
    }
}

/// `monitors`.
pub(super) fn monitors() -> Table<TimedEvent> {
    let mut columns = place_columns();
    columns.push(Column::<TimedEvent>::text(
        "action",
        "enter (whether it waited for that is not told), exit, wait (`Object.wait` began), notified (it returned)",
        |_, row: &TimedEvent| {
            Ok(match row.event.kind {
                EventKind::Monitor { action, .. } => Datum::text(action_word(action)),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<TimedEvent>::int(
        "object",
        "the number of the object whose monitor it is",
        |_, row| {
            Ok(match row.event.kind {
                EventKind::Monitor { object, .. } => Datum::count(object.0),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<TimedEvent>::text(
        "object_class",
        "the class of that object",
        |world, row| match row.event.kind {
            EventKind::Monitor { object, .. } => world.class_of(object),
            _ => Ok(Datum::Null),
        },
    ));
    const KINDS: Kinds = Kinds::MONITORS;
    let mut accesses = ways!(KINDS);
    accesses.push(refers(&["object"], |world, bounds| {
        that_refer(world, bounds, "object", KINDS)
    }));
    Table {
        name: "monitors",
        doc: "What happened at monitors.",
        level: Level::Calls,
        columns,
        accesses,
    }
}

/// `gaps`.
pub(super) fn gaps() -> Table<TimedEvent> {
    let mut columns = place_columns();
    columns.push(Column::<TimedEvent>::text(
        "reason",
        "why",
        |_, row: &TimedEvent| {
            Ok(match &row.event.kind {
                EventKind::Gap { reason, .. } => Datum::text(reason),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<TimedEvent>::int(
        "back",
        "1 if what was told of the call since its beginning may be false",
        |_, row| {
            Ok(Datum::flag(matches!(
                row.event.kind,
                EventKind::Gap { back: true, .. }
            )))
        },
    ));
    let mut accesses = vec![Access {
        by: "blocks that have gaps",
        reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Gaps)))),
        backward: false,
        ..all_by_time(|world, bounds| Ok(world.readable(world.recording().gaps(bounds.range()))))
    }];
    accesses[0].cost = 1e4;
    Table {
        name: "gaps",
        doc: "What was not recorded. Damage, lower levels and the end of the recording are told in the notes behind the rows.",
        level: Level::Calls,
        columns,
        accesses,
    }
}
