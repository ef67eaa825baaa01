//! Calls and their arguments.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::block::Kinds;
use jhyde_trace::{CallId, Level, MethodId, Outcome, ThreadId, Timestamp, Value};

use super::referring::{calls_by, calls_that_refer};
use crate::error::Result;
use crate::sql::datum::{Datum, Held, value_columns};
use crate::sql::table::{Access, Bounds, Column, Row, Table, none};
use crate::sql::world::{RowsOf, World};

/// So many calls are read at once where a list is read in pages.
const PAGE: usize = 256;

/// By its beginning.
impl Row for CallRecord {
    fn number(&self) -> u64 {
        self.enter.0
    }
}

/// `calls`.
pub(super) fn calls() -> Table<CallRecord> {
    Table {
        name: "calls",
        doc: "The calls of methods, constructors and static initialisers, calls out of the recorded classes too. What had not ended when the \
              statement began has no end.",
        level: Level::Calls,
        columns: call_columns(),
        accesses: vec![
            Access {
                by: "all calls, thread by thread",
                equal: &[],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 1e6,
                find: |world, bounds| in_threads(world, world.recording().thread_ids(), bounds),
            },
            Access {
                by: "the calls of the thread",
                equal: &["thread"],
                range: Some("enter"),
                order: Some("enter"),
                backward: false,
                cost: 2e5,
                find: of_thread,
            },
            Access {
                by: "index of calls by method",
                equal: &["method_id"],
                range: Some("enter"),
                order: Some("enter"),
                backward: false,
                cost: 1000.0,
                find: of_method_id,
            },
            Access {
                by: "index of calls by method, for each method of the name",
                equal: &["method"],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 4000.0,
                find: |world, bounds| {
                    let methods = methods_called(world, None, bounds.text("method"))?;
                    of_methods(world, methods, bounds)
                },
            },
            Access {
                by: "index of calls by method, for each method of the class",
                equal: &["class"],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 2e4,
                find: |world, bounds| {
                    let methods = methods_called(world, bounds.text("class"), None)?;
                    of_methods(world, methods, bounds)
                },
            },
            Access {
                by: "index of calls by method, for each method of the class with the name",
                equal: &["class", "method"],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 2000.0,
                find: |world, bounds| {
                    let methods =
                        methods_called(world, bounds.text("class"), bounds.text("method"))?;
                    of_methods(world, methods, bounds)
                },
            },
            Access {
                by: "the children of the call",
                equal: &["parent"],
                range: None,
                order: Some("enter"),
                backward: false,
                cost: 20.0,
                find: |world, bounds| {
                    Ok(match bounds.call("parent", world)? {
                        Some(parent) => children(world, parent),
                        None => none(),
                    })
                },
            },
            Access {
                by: "the call",
                equal: &["id"],
                range: None,
                order: Some("enter"),
                backward: true,
                cost: 1.0,
                find: |world, bounds| one(world, bounds.call("id", world)?),
            },
            Access {
                by: "the call of the event",
                equal: &["enter"],
                range: None,
                order: Some("enter"),
                backward: true,
                cost: 1.0,
                find: entered_at,
            },
            calls_by(&["receiver_object"], |world, bounds| {
                calls_that_refer(world, bounds, "receiver_object", Kinds::ENTERS)
            }),
            calls_by(&["result_object"], |world, bounds| {
                calls_that_refer(world, bounds, "result_object", Kinds::EXITS)
            }),
            calls_by(&["exception"], |world, bounds| {
                calls_that_refer(world, bounds, "exception", Kinds::EXITS)
            }),
        ],
    }
}

/// The columns of calls, for all tables that tell calls.
pub(super) fn call_columns() -> Vec<Column<CallRecord>> {
    let mut columns = vec![
        Column::<CallRecord>::text(
            "id",
            "the call, as everywhere in jhyde: `1.7`",
            |_, call: &CallRecord| Ok(Datum::text(call.id.to_string())),
        ),
        Column::<CallRecord>::int("thread", "its thread: `threads.id`", |_, call| {
            Ok(Datum::Int(call.id.thread.0.into()))
        }),
        Column::<CallRecord>::int(
            "number",
            "its number in its thread, from 1, in the order of entering: the calls in it have the numbers up to `number + size - 1`",
            |_, call| Ok(Datum::count(call.id.preorder)),
        ),
        Column::<CallRecord>::text(
            "parent",
            "the call around it; null for an outermost one",
            |_, call| Ok(id(call.parent)),
        ),
        Column::<CallRecord>::int(
            "depth",
            "how many calls are around it: 0 for those that no other call made",
            |_, call| Ok(Datum::Int(i64::from(call.depth) - 1)),
        ),
        Column::<CallRecord>::int("method_id", "its method: `methods.id`", |_, call| {
            Ok(Datum::Int(call.method.0.into()))
        }),
        Column::<CallRecord>::text(
            "class",
            "the class that declares the method, dotted",
            |world, call| method(world, call, |method| Datum::text(&method.class.name)),
        ),
        Column::<CallRecord>::text(
            "method",
            "the method's name; `<init>` is a constructor, `<clinit>` a static initialiser",
            |world, call| method(world, call, |method| Datum::text(&method.method().name)),
        ),
        Column::<CallRecord>::text(
            "descriptor",
            "the method's parameters and result (JVMS 4.3.3)",
            |world, call| {
                method(world, call, |method| {
                    Datum::text(&method.method().descriptor)
                })
            },
        ),
        Column::<CallRecord>::int(
            "invocation",
            "which call of its method it is, from 0: the number in `merge#2`",
            |_, call| Ok(Datum::count(call.invocation)),
        ),
        Column::<CallRecord>::int("enter", "the event in which it began", |_, call| {
            Ok(Datum::count(call.enter.0))
        }),
        Column::<CallRecord>::int(
            "exit",
            "the event in which it ended; null while it runs, and where that is not recorded",
            |_, call| Ok(Datum::or_null(call.exit, |at| Datum::count(at.0))),
        ),
        Column::<CallRecord>::int("size", "calls in it, itself counted", |_, call| {
            Ok(Datum::count(call.size))
        }),
        Column::<CallRecord>::int(
            "boundary",
            "1 for a call out of the recorded classes",
            |_, call| Ok(Datum::flag(call.boundary)),
        ),
        Column::<CallRecord>::int(
            "already_running",
            "1 if it ran when the recording began",
            |_, call| Ok(Datum::flag(call.already_running)),
        ),
        Column::<CallRecord>::int(
            "call_line",
            "the line from which it was called; null where that is not known",
            |world, call| world.line(call.parent, call.call_site),
        ),
        Column::<CallRecord>::text(
            "ended",
            "how it ended: returned, threw, or unknown; null while it runs",
            |world, call| {
                Ok(match outcome(world, call)? {
                    None => Datum::Null,
                    Some(Outcome::Returned(_)) => Datum::text("returned"),
                    Some(Outcome::Threw(_)) => Datum::text("threw"),
                    Some(Outcome::Unknown) => Datum::text("unknown"),
                })
            },
        ),
    ];
    columns.extend(value_columns(
        "receiver",
        "`this`",
        |world, call: &CallRecord| {
            Ok(match given(world, call)?.receiver {
                Some(receiver) => Held::Value(receiver),
                None => Held::Nothing,
            })
        },
    ));
    columns.extend(value_columns(
        "result",
        "what it returned",
        |world, call: &CallRecord| {
            Ok(match outcome(world, call)? {
                None | Some(Outcome::Threw(_)) => Held::Nothing,
                Some(Outcome::Unknown) => Held::Unseen("how this call ended was not seen".into()),
                Some(Outcome::Returned(Some(value))) => Held::Value(value),
                Some(Outcome::Returned(None)) => {
                    let method = world.method(call.method)?;
                    let is_void = method.is_some_and(|m| m.method().descriptor.ends_with(")V"));
                    match is_void {
                        true => Held::Void,
                        false => Held::Unseen("the result of this call was not seen".into()),
                    }
                }
            })
        },
    ));
    columns.push(Column::<CallRecord>::int(
        "exception",
        "the number of the exception that ended it",
        |world, call| {
            Ok(match outcome(world, call)? {
                Some(Outcome::Threw(Value::Object(exception))) => Datum::count(exception.0),
                _ => Datum::Null,
            })
        },
    ));
    columns.push(Column::<CallRecord>::text(
        "exception_class",
        "the class of that exception",
        |world, call| match outcome(world, call)? {
            Some(Outcome::Threw(Value::Object(exception))) => world.class_of(exception),
            _ => Ok(Datum::Null),
        },
    ));
    columns
}

/// A call as a cell; the root of a thread is none.
pub(super) fn id(call: CallId) -> Datum {
    match call.is_root() {
        true => Datum::Null,
        false => Datum::text(call.to_string()),
    }
}

fn method(world: &World, call: &CallRecord, tell: fn(&MethodRef) -> Datum) -> Result<Datum> {
    Ok(world.method(call.method)?.map_or(Datum::Null, |m| tell(&m)))
}

/// How a call ended; what a damaged block had is unknown.
fn outcome(world: &World, call: &CallRecord) -> Result<Option<Outcome>> {
    if call.exit.is_none() {
        return Ok(None);
    }
    match world.recording().outcome(call) {
        Err(jhyde_store::Error::Damaged { .. }) => Ok(Some(Outcome::Unknown)),
        outcome => Ok(outcome?),
    }
}

fn given(world: &World, call: &CallRecord) -> Result<jhyde_store::records::Arguments> {
    match world.recording().arguments(call) {
        Err(jhyde_store::Error::Damaged { .. }) => Ok(jhyde_store::records::Arguments {
            receiver: None,
            arguments: Vec::new(),
        }),
        given => Ok(given?),
    }
}

fn one(world: &Arc<World>, call: Option<CallId>) -> Result<RowsOf<CallRecord>> {
    let Some(call) = call else { return Ok(none()) };
    let record = world.clip(world.recording().call(call)?)?;
    Ok(Box::new(record.into_iter().map(Ok)))
}

fn entered_at(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    let at = bounds.number("enter").map(Timestamp);
    let Some(at) = at.filter(|at| *at < world.span.until) else {
        return Ok(none());
    };
    match world.recording().call_entered_at(at)? {
        Some(record) => Ok(Box::new(world.clip(record)?.into_iter().map(Ok))),
        None => Ok(none()),
    }
}

fn of_thread(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    let thread = bounds
        .number("thread")
        .and_then(|id| u32::try_from(id).ok());
    let known = world.recording().thread_ids();
    let threads = known.into_iter().filter(|known| Some(known.0) == thread);
    in_threads(world, threads.collect(), bounds)
}

/// The calls of threads that were entered in a stretch of time.
fn in_threads(
    world: &Arc<World>,
    threads: Vec<ThreadId>,
    bounds: &Bounds,
) -> Result<RowsOf<CallRecord>> {
    let range = bounds.range();
    let of = Arc::clone(world);
    let calls = threads
        .into_iter()
        .flat_map(move |thread| -> RowsOf<CallRecord> {
            match of.numbers(thread, range.start, range.end) {
                Ok(numbers) => of.readable(of.recording().preorder(thread, numbers)),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        });
    Ok(clipped(world, calls))
}

/// Calls as they were at the end of what is seen.
pub(super) fn clipped(
    world: &Arc<World>,
    calls: impl Iterator<Item = Result<CallRecord>> + Send + 'static,
) -> RowsOf<CallRecord> {
    let world = Arc::clone(world);
    Box::new(calls.filter_map(move |call| call.and_then(|call| world.clip(call)).transpose()))
}

/// The methods of a class, of a name, or both.
fn methods_called(world: &World, class: Option<&str>, name: Option<&str>) -> Result<Vec<MethodId>> {
    let recording = world.recording();
    let classes = match class {
        Some(class) => recording.classes_named(class),
        None => recording.classes(),
    };
    let mut found = Vec::new();
    for id in classes {
        let Some(class) = recording.class(id)? else {
            continue;
        };
        let methods = class.methods.iter();
        let methods = methods.filter(|method| name.is_none_or(|name| method.name == name));
        found.extend(methods.map(|method| method.id));
    }
    match recording.lost_classes() {
        Some(lost) => Err(lost.into()),
        None => Ok(found),
    }
}

fn of_method_id(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    let id = bounds
        .number("method_id")
        .and_then(|id| u32::try_from(id).ok());
    of_methods(world, id.map(MethodId).into_iter().collect(), bounds)
}

/// The calls of methods that were entered in a stretch of time; those of one method in the order of time.
pub(super) fn of_methods(
    world: &Arc<World>,
    methods: Vec<MethodId>,
    bounds: &Bounds,
) -> Result<RowsOf<CallRecord>> {
    let range = bounds.range();
    let of = Arc::clone(world);
    let calls = methods.into_iter().flat_map(move |method| {
        let range = range.clone();
        let world = Arc::clone(&of);
        // Where to go on; nothing once the method has no more.
        let mut next = first_call(&world, method, &range);
        let mut page = Vec::new().into_iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(call) = page.next() {
                    let call: CallRecord = call;
                    if call.enter >= range.end {
                        next = Ok(None);
                        page = Vec::new().into_iter();
                        return None;
                    }
                    return Some(Ok(call));
                }
                let from = match std::mem::replace(&mut next, Ok(None)) {
                    Ok(from) => from?,
                    Err(error) => return Some(Err(error)),
                };
                match world.recording().calls_of_method(method, from, PAGE) {
                    Ok(calls) => {
                        let last = calls.last()?;
                        next = Ok(Some(last.invocation + 1));
                        page = calls.into_iter();
                    }
                    Err(error) => return Some(Err(error.into())),
                }
            }
        })
    });
    Ok(clipped(world, calls))
}

/// The first call of a method, by number, that was entered at or behind a time and is kept; none where there is none.
fn first_call(world: &World, method: MethodId, range: &Range<Timestamp>) -> Result<Option<u64>> {
    let Some(from) = world.kept(range.start, range.end) else {
        return Ok(None);
    };
    match (from.0, world.recording().invocation_at(method, from)) {
        (0, _) => Ok(Some(0)),
        // All of them were cut off, or there are none.
        (_, Err(error)) if error.cut_off().is_some() => Ok(None),
        (_, first) => Ok(Some(first?)),
    }
}

/// The calls that a call made itself, in the order of time.
pub(super) fn children(world: &Arc<World>, parent: CallId) -> RowsOf<CallRecord> {
    let of = Arc::clone(world);
    let mut after = Some(None);
    let mut page = Vec::new().into_iter();
    let calls = std::iter::from_fn(move || {
        if let Some(call) = page.next() {
            return Some(Ok(call));
        }
        match of.recording().children(parent, after.take()?, PAGE) {
            Ok(calls) => {
                let last: &CallRecord = calls.last()?;
                after = Some(Some(last.id));
                page = calls.into_iter();
                page.next().map(Ok)
            }
            Err(error) => Some(Err(error.into())),
        }
    });
    clipped(world, calls)
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    call: CallRecord,
    position: usize,
    /// None where the arguments were not seen.
    value: Option<Value>,
}

/// A method has at most 255 of them (JVMS 4.11).
impl Row for Argument {
    fn number(&self) -> u64 {
        self.call.enter.0 << 8 | self.position as u64
    }
}

/// `arguments`.
pub(super) fn arguments() -> Table<Argument> {
    let mut columns = vec![
        Column::<Argument>::text("call", "the call: `calls.id`", |_, row: &Argument| {
            Ok(id(row.call.id))
        }),
        Column::<Argument>::int("enter", "the event in which the call began", |_, row| {
            Ok(Datum::count(row.call.enter.0))
        }),
        Column::<Argument>::int(
            "position",
            "from 0, in the order of declaration; `this` is none of them",
            |_, row| Ok(Datum::count(row.position as u64)),
        ),
        Column::<Argument>::text(
            "name",
            "the parameter's name, as far as the class tells it, or `arg0` …",
            |world, row| {
                let Some(method) = world.method(row.call.method)? else {
                    return Ok(Datum::Null);
                };
                let names = world.history.parameter_names(method.method());
                let name = names.into_iter().nth(row.position).flatten();
                Ok(Datum::Text(
                    name.unwrap_or_else(|| format!("arg{}", row.position)),
                ))
            },
        ),
        Column::<Argument>::text(
            "type",
            "the parameter's type, as in source",
            |world, row| {
                let Some(method) = world.method(row.call.method)? else {
                    return Ok(Datum::Null);
                };
                let types = jhyde_history::text::parameters(&method.method().descriptor);
                let of = types.get(row.position);
                Ok(Datum::or_null(of, |of| {
                    Datum::Text(jhyde_history::text::type_name(of))
                }))
            },
        ),
        Column::<Argument>::int("method_id", "the call's method: `methods.id`", |_, row| {
            Ok(Datum::Int(row.call.method.0.into()))
        }),
    ];
    columns.extend(value_columns(
        "value",
        "what was given",
        |_, row: &Argument| {
            Ok(match row.value {
                Some(value) => Held::Value(value),
                None => Held::Unseen("the arguments of this call were not seen".into()),
            })
        },
    ));
    Table {
        name: "arguments",
        doc: "What calls were given, an argument a row.",
        level: Level::Calls,
        columns,
        accesses: vec![
            Access {
                by: "all calls, thread by thread",
                equal: &[],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 2e6,
                find: |world, bounds| {
                    let calls = in_threads(world, world.recording().thread_ids(), bounds)?;
                    Ok(of_calls(world, calls))
                },
            },
            Access {
                by: "index of calls by method",
                equal: &["method_id"],
                range: Some("enter"),
                order: None,
                backward: false,
                cost: 2000.0,
                find: |world, bounds| {
                    let calls = of_method_id(world, bounds)?;
                    Ok(of_calls(world, calls))
                },
            },
            Access {
                by: "index of blocks that refer to the object",
                equal: &["value_object"],
                range: None,
                order: None,
                backward: false,
                cost: 500.0,
                find: |world, bounds| {
                    let calls = calls_that_refer(world, bounds, "value_object", Kinds::ENTERS)?;
                    Ok(of_calls(world, calls))
                },
            },
            Access {
                by: "the call",
                equal: &["call"],
                range: None,
                order: Some("position"),
                backward: false,
                cost: 2.0,
                find: |world, bounds| {
                    let calls = one(world, bounds.call("call", world)?)?;
                    Ok(of_calls(world, calls))
                },
            },
        ],
    }
}

fn of_calls(world: &Arc<World>, calls: RowsOf<CallRecord>) -> RowsOf<Argument> {
    let world = Arc::clone(world);
    Box::new(calls.flat_map(move |call| -> RowsOf<Argument> {
        match call.and_then(|call| of_call(&world, call)) {
            Ok(rows) => Box::new(rows.into_iter().map(Ok)),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }))
}

fn of_call(world: &World, call: CallRecord) -> Result<Vec<Argument>> {
    let values = given(world, &call)?.arguments;
    let method = world.method(call.method)?;
    let declared = method.map_or(0, |method| {
        jhyde_history::text::parameters(&method.method().descriptor).len()
    });
    let rows = (0..declared.max(values.len())).map(|position| Argument {
        call,
        position,
        value: values.get(position).copied(),
    });
    Ok(rows.collect())
}
