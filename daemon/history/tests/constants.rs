//! A final static field that no instruction writes: what it holds is known from when it was found on, and was no default before.

mod common;

use common::{Builder, STATIC, method};
use jhyde_history::statics::StaticList;
use jhyde_history::view::ValueView;
use jhyde_trace::{EventKind, Level, Value, Variable};

const FINAL: u32 = 0x0010;

#[test]
fn a_constant_that_is_found_late_was_not_its_default_before() {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let methods = vec![
        method("<clinit>", "()V", STATIC, 10, &[]),
        method("run", "()V", STATIC, 30, &[]),
    ];
    let fields = [("SIZE", "I", STATIC | FINAL), ("MADE", "I", STATIC | FINAL)];
    let (_, fields, methods) =
        builder.class("p.Held", Some("java.lang.Object"), true, &fields, methods);
    let before = builder.enter(thread, methods[0], None, &[]);
    let made = Variable::Static { field: fields[1] };
    builder.write(thread, 8, made, Value::Int(3));
    builder.leave(thread);
    let after = builder.enter(thread, methods[1], None, &[]);
    let variable = Variable::Static { field: fields[0] };
    let value = Value::Int(12);
    builder.here(thread, 4, EventKind::Snapshot { variable, value });
    builder.leave(thread);
    builder.end_thread(thread);
    let made = builder.finish();
    let history = made.history();
    let ends = |call| {
        let list = StaticList {
            call,
            from: None,
            to: None,
            budget: 0,
            changed: false,
            text: String::new(),
        };
        let rows = history.statics(&list, 0, "").expect("static fields").rows;
        let ends = rows.into_iter().map(|row| [row.start, row.end].map(known));
        ends.collect::<Vec<_>>()
    };
    let (size, made) = (Some(Value::Int(12)), Some(Value::Int(3)));
    assert_eq!(ends(before), [[None, None], [Some(Value::Int(0)), made]]);
    assert_eq!(ends(after), [[None, size], [made, made]]);
}

/// A value; none where it is not recorded, as a constant is not.
fn known(value: Option<ValueView>) -> Option<Value> {
    match value.expect("it is there") {
        ValueView::Primitive(value) => Some(value),
        ValueView::NotRecorded(reason) => {
            assert!(reason.contains("a constant of the class"), "{reason}");
            None
        }
        other => panic!("{other:?}"),
    }
}
