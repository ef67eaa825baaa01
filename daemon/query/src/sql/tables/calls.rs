//! Calls.

use jhyde_store::Lookup;
use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::block::Kinds;
use jhyde_trace::{CallId, Level, Outcome, Value};

use super::finding::{
    children, entered_at, in_threads, method_id, methods_called, methods_led, of_method_id,
    of_methods, of_thread, one, thread,
};
use super::referring::{calls_by, calls_that_refer};
use crate::error::Result;
use crate::sql::datum::{Datum, Held, value_columns};
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Column, Row, Table, none};
use crate::sql::world::World;

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
        doc: "The calls of methods, constructors and static initialisers, calls out of the recorded classes too (but at level `calls` by the \
              engine `events`). What had not ended when the statement began has no end.",
        level: Level::Calls,
        columns: call_columns(),
        accesses: vec![
            Access {
                by: "all calls",
                equal: &[],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 1e6,
                reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Time)))),
                find: |world, bounds| in_threads(world, world.recording().thread_ids(), bounds),
            },
            Access {
                by: "the calls of the thread",
                equal: &["thread"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 2e5,
                reads: Reads::Led(|_, bounds| Ok(bounds.leads(thread(bounds)))),
                find: of_thread,
            },
            Access {
                by: "index of calls by method",
                equal: &["method_id"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 1000.0,
                reads: Reads::Led(|_, bounds| Ok(methods_led(method_id(bounds), bounds))),
                find: of_method_id,
            },
            Access {
                by: "index of calls by method, for each method of the name",
                equal: &["method"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 4000.0,
                reads: Reads::Led(|world, bounds| {
                    let methods = methods_called(world, None, bounds.text("method"))?;
                    Ok(methods_led(methods, bounds))
                }),
                find: |world, bounds| {
                    let methods = methods_called(world, None, bounds.text("method"))?;
                    of_methods(world, methods, bounds)
                },
            },
            Access {
                by: "index of calls by method, for each method of the class",
                equal: &["class"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 2e4,
                reads: Reads::Led(|world, bounds| {
                    let methods = methods_called(world, bounds.text("class"), None)?;
                    Ok(methods_led(methods, bounds))
                }),
                find: |world, bounds| {
                    let methods = methods_called(world, bounds.text("class"), None)?;
                    of_methods(world, methods, bounds)
                },
            },
            Access {
                by: "index of calls by method, for each method of the class with the name",
                equal: &["class", "method"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 2000.0,
                reads: Reads::Led(|world, bounds| {
                    let methods =
                        methods_called(world, bounds.text("class"), bounds.text("method"))?;
                    Ok(methods_led(methods, bounds))
                }),
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
                reads: Reads::Led(|world, bounds| {
                    Ok(bounds.leads_always(world, bounds.of_call("parent", world)?))
                }),
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
                reads: Reads::One,
                find: |world, bounds| one(world, bounds.call("id", world)?),
            },
            Access {
                by: "the call of the event",
                equal: &["enter"],
                range: None,
                order: Some("enter"),
                backward: true,
                cost: 1.0,
                reads: Reads::One,
                find: entered_at,
            },
            Access {
                reads: Reads::Led(|world, bounds| {
                    let object = bounds.of_object("receiver_object", Lookup::References);
                    Ok(bounds.leads_always(world, object))
                }),
                ..calls_by(&["receiver_object"], |world, bounds| {
                    calls_that_refer(world, bounds, "receiver_object", Kinds::ENTERS)
                })
            },
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

/// What a call was given; what a damaged block had is left out.
pub(super) fn given(world: &World, call: &CallRecord) -> Result<jhyde_store::records::Arguments> {
    match world.recording().arguments(call) {
        Err(jhyde_store::Error::Damaged { .. }) => Ok(jhyde_store::records::Arguments {
            receiver: None,
            arguments: Vec::new(),
        }),
        given => Ok(given?),
    }
}
