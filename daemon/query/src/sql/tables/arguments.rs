//! What calls were given.

use std::sync::Arc;

use jhyde_store::Lookup;
use jhyde_store::records::CallRecord;
use jhyde_trace::block::Kinds;
use jhyde_trace::{Level, Value};

use super::calls::{given, id};
use super::finding::{in_threads, method_id, methods_led, of_method_id, one};
use super::referring::calls_that_refer;
use crate::error::Result;
use crate::sql::datum::{Datum, Held, value_columns};
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Column, Row, Table};
use crate::sql::world::{RowsOf, World};

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
                by: "all calls",
                equal: &[],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 2e6,
                reads: Reads::Led(|_, bounds| Ok(bounds.leads(Some(Lookup::Time)))),
                find: |world, bounds| {
                    let calls = in_threads(world, world.recording().thread_ids(), bounds)?;
                    Ok(of_calls(world, calls))
                },
            },
            Access {
                by: "index of calls by method",
                equal: &["method_id"],
                range: Some("enter"),
                order: Some("enter"),
                backward: true,
                cost: 2000.0,
                reads: Reads::Led(|_, bounds| Ok(methods_led(method_id(bounds), bounds))),
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
                reads: Reads::Led(|world, bounds| {
                    let object = bounds.of_object("value_object", Lookup::References);
                    Ok(bounds.leads_always(world, object))
                }),
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
                reads: Reads::One,
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
