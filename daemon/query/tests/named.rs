//! Queries by name over recordings that are made by hand: what they say beside their rows, and the order of rows of many calls.

#[path = "../../history/tests/common/mod.rs"]
mod common;

use common::{Builder, Made, STATIC, local, method};
use jhyde_history::view::ValueView;
use jhyde_query::answer::Row;
use jhyde_query::{Cell, Prepared, Request};
use jhyde_trace::{CallId, EventKind, Level, MethodId, Subject, ThreadId, Timestamp, Value};

/// The rows and the notes of a query, up to the end of a part of the history.
fn ask(
    made: &Made,
    query: &str,
    parameter: (&str, &str),
    (from, to): (Option<u64>, Option<u64>),
) -> (Vec<Row>, Vec<String>) {
    let (name, value) = parameter;
    let request = Request {
        query: query.to_owned(),
        parameters: [(name.to_owned(), value.to_owned())].into(),
        from,
        to,
    };
    let prepared = Prepared::new(made.history(), &request).expect("a query");
    let mut rows = Vec::new();
    let notes = prepared.run(&mut |row| {
        rows.push(row);
        Ok(())
    });
    (rows, notes.expect("an answer"))
}

/// The rows and the notes of a query about an event.
fn at(made: &Made, query: &str, at: Timestamp) -> (Vec<Row>, Vec<String>) {
    ask(made, query, ("event", &at.to_string()), (None, None))
}

/// The call of a row of `where`.
fn call(rows: &[Row]) -> Option<CallId> {
    match rows {
        [row] => match &row[..] {
            [Cell::Call(call)] => Some(call.record.id),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// What `locals` says of a local: whether it was written.
fn change(rows: &[Row], name: &str) -> String {
    let of = |row: &&Row| row[0] == Cell::Text(name.to_owned());
    let row = rows.iter().find(of);
    match row.map(|row| &row[4]) {
        Some(Cell::Text(change)) => change.clone(),
        other => panic!("{name}: {other:?} of {rows:?}"),
    }
}

const VARIABLES: [(&str, &str, u16, u32, u32); 2] = [("n", "I", 0, 0, 80), ("x", "I", 1, 4, 70)];

fn methods(builder: &mut Builder, names: &[&'static str]) -> Vec<MethodId> {
    let methods = names.iter().zip(1..);
    let methods = methods.map(|(name, at)| method(name, "(I)V", STATIC, at * 30, &VARIABLES));
    let methods = methods.collect();
    let class = builder.class("p.Lossy", Some("java.lang.Object"), true, &[], methods);
    class.2
}

#[test]
fn where_and_locals_say_what_is_not_recorded() {
    const REASON: &str = "an array of 70000 elements was not compared";
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let methods = methods(&mut builder, &["outer", "inner", "whole"]);
    let outer = builder.enter(thread, methods[0], None, &[Value::Int(1)]);
    let in_outer = builder.write(thread, 8, local(outer, 1), Value::Int(2));
    let whole = builder.enter(thread, methods[2], None, &[Value::Int(1)]);
    let in_whole = builder.write(thread, 8, local(whole, 1), Value::Int(2));
    builder.leave(thread);
    let inner = builder.enter(thread, methods[1], None, &[Value::Int(3)]);
    builder.write(thread, 8, local(inner, 1), Value::Int(5));
    let reason = REASON.to_owned();
    let back = false;
    let gap = builder.here(thread, 12, EventKind::Gap { reason, back });
    let behind = builder.write(thread, 16, local(inner, 1), Value::Int(6));
    builder.leave(thread);
    builder.leave(thread);
    let end = builder.end_thread(thread);
    let made = builder.finish();
    let told = [format!("not recorded at {gap} in call {inner}: {REASON}")];

    // A gap in a call that it made is one of what it did.
    for (event, of) in [(in_outer, outer), (gap, inner), (behind, inner)] {
        let (rows, notes) = at(&made, "where", event);
        assert_eq!(call(&rows), Some(of));
        assert_eq!(notes, told, "{event}");
    }
    let (rows, notes) = at(&made, "where", in_whole);
    assert_eq!((call(&rows), notes), (Some(whole), Vec::new()));
    let (rows, notes) = at(&made, "where", end);
    let outside = format!("event {end} happened outside of all calls");
    assert_eq!((rows, notes), (Vec::new(), vec![outside.clone()]));

    // At the gap anything may have been written, and nothing is said of it before and behind.
    let (rows, notes) = at(&made, "locals", gap);
    assert_eq!(notes, told);
    for name in ["n", "x"] {
        assert_eq!(change(&rows, name), "not recorded");
    }
    for event in [in_outer, in_whole, behind] {
        let (rows, notes) = at(&made, "locals", event);
        assert_eq!(notes, Vec::<String>::new(), "{event}");
        assert_eq!(change(&rows, "x"), "written");
        assert_eq!(change(&rows, "n"), "kept");
    }
    let (rows, notes) = at(&made, "locals", end);
    assert_eq!((rows, notes), (Vec::new(), vec![outside]));
}

#[test]
fn where_and_locals_say_what_a_lower_level_leaves_out() {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let methods = methods(&mut builder, &["outer", "inner"]);
    let outer = builder.enter(thread, methods[0], None, &[Value::Int(1)]);
    let before = builder.write(thread, 8, local(outer, 1), Value::Int(2));
    builder.level(Subject::Everything, Level::Calls);
    let inner = builder.enter(thread, methods[1], None, &[Value::Int(3)]);
    builder.leave(thread);
    builder.leave(thread);
    builder.end_thread(thread);
    let made = builder.finish();
    let is_told = |notes: &[String]| {
        assert!(!notes.is_empty(), "it is told");
        assert!(
            notes.iter().all(|note| note.contains("it was enough")),
            "{notes:?}"
        );
    };
    let enter = made.recording.call(inner).expect("the call").enter;
    for query in ["where", "locals"] {
        is_told(&at(&made, query, enter).1);
    }
    // Of its caller, which was recorded in full when it wrote.
    is_told(&at(&made, "where", before).1);
    let (rows, notes) = at(&made, "locals", before);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(change(&rows, "x"), "written");
    let exit = made.recording.call(inner).expect("the call").exit;
    let (rows, _) = at(&made, "locals", exit.expect("its end"));
    assert_eq!(change(&rows, "x"), "not recorded");
}

/// A generator of numbers below a bound.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// A write of a local, as it happened.
struct Written {
    at: u64,
    value: i32,
    call: CallId,
    name: &'static str,
}

/// Calls of two methods of one name in three threads, in each other, which write their locals; and those writes, with what
/// parameters were given.
fn nested(seed: u64) -> (Made, Vec<Written>) {
    let mut dice = Dice(seed);
    let mut builder = Builder::new(Level::Full);
    let threads = ["a", "b", "c"].map(|name| builder.thread(name));
    let methods = methods(&mut builder, &["work", "other"]);
    let again = method("work", "(I)I", STATIC, 200, &VARIABLES);
    let again = builder.class("p.Again", None, true, &[], vec![again]).2;
    // Each thread has begun by now.
    let mut last = 2;
    let mut running: [Vec<MethodId>; 3] = Default::default();
    let mut written = Vec::new();
    for _ in 0..3000 {
        let which = dice.below(3) as usize;
        let (thread, running): (ThreadId, _) = (threads[which], &mut running[which]);
        let value = dice.below(1000) as i32;
        let mut tell = |at, call, name, method: &MethodId| {
            if *method != methods[1] {
                written.push(Written {
                    at,
                    value,
                    call,
                    name,
                });
            }
        };
        match (dice.below(10), running.last()) {
            (0 | 1, _) if running.len() < 40 => {
                let method = [methods[0], methods[1], again[0]][dice.below(3) as usize];
                let call = builder.enter(thread, method, None, &[Value::Int(value)]);
                running.push(method);
                last += 1;
                tell(last, call, "n", &method);
            }
            (2, Some(_)) => {
                last = builder.leave(thread).0;
                running.pop();
            }
            (3.., Some(method)) => {
                let call = builder.current(thread);
                let (entry, name) = [(0, "n"), (1, "x")][dice.below(2) as usize];
                let at = builder.write(thread, 8, local(call, entry), Value::Int(value));
                last = at.0;
                tell(last, call, name, method);
            }
            _ => {}
        }
    }
    (builder.finish(), written)
}

#[test]
fn locals_of_calls_in_each_other_come_in_the_order_of_time() {
    for seed in 1..5 {
        let (made, written) = nested(seed);
        let end = written.last().expect("writes").at + 1;
        let parts = [
            (None, None),
            (Some(end / 3), Some(end / 2)),
            (Some(end / 2), None),
        ];
        for (from, to) in parts {
            for name in ["n", "x"] {
                let is_in =
                    |at: u64| from.is_none_or(|from| from <= at) && to.is_none_or(|to| at < to);
                let told = written
                    .iter()
                    .filter(|one| one.name == name && is_in(one.at));
                let told: Vec<_> = told.map(|one| (one.at, one.value, one.call)).collect();
                let (rows, _) = ask(
                    &made,
                    "local-history",
                    ("local", &format!("work:{name}")),
                    (from, to),
                );
                let rows: Vec<_> = rows.iter().map(local_row).collect();
                assert!(told.len() > 100, "{}", told.len());
                assert_eq!(rows, told, "{name} of {from:?} to {to:?}, seed {seed}");
            }
        }
    }
}

fn local_row(row: &Row) -> (u64, i32, CallId) {
    match &row[..] {
        [
            Cell::Event(at),
            Cell::Value(ValueView::Primitive(Value::Int(value))),
            Cell::Call(call),
            _,
        ] => (at.0, *value, call.record.id),
        other => panic!("{other:?}"),
    }
}
