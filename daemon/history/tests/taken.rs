//! What a call was given is looked at although it is reached no more when the call ends.

mod common;

use common::{Builder, STATIC, method};
use jhyde_trace::{Content, Level, Value, Variable};

#[test]
fn what_is_taken_away_and_changed_is_told() {
    let mut builder = Builder::new(Level::State);
    let (class, fields, methods) = builder.class(
        "p.Node",
        None,
        true,
        &[("next", "Lp/Node;", 0), ("value", "I", 0)],
        vec![
            method("main", "()V", STATIC, 1, &[]),
            method("cut", "()V", 0, 30, &[]),
        ],
    );
    let thread = builder.thread("main");
    let nodes: Vec<_> = (0..4)
        .map(|_| builder.object(class, Content::None))
        .collect();
    let variable = |at: usize, field: usize| Variable::Field {
        object: nodes[at],
        field: fields[field],
    };
    builder.enter(thread, methods[0], None, &[]);
    for at in 0..3 {
        builder.write(thread, 0, variable(at, 0), Value::Object(nodes[at + 1]));
        builder.write(thread, 1, variable(at, 1), Value::Int(0));
    }
    let cut = builder.enter(thread, methods[1], Some(Value::Object(nodes[0])), &[]);
    // The third one changes and the first one is the last: nobody reaches the others any more.
    builder.write(thread, 2, variable(2, 1), Value::Int(7));
    builder.write(thread, 3, variable(0, 0), Value::Null);
    builder.leave(thread);
    builder.leave(thread);
    let history = builder.history();

    let result = history.result(cut).expect("its result");
    let objects: Vec<_> = result
        .objects
        .iter()
        .map(|object| (object.path.as_str(), object.taken_away))
        .collect();
    assert_eq!(objects, [("this", false), ("this.next.next", true)]);
    let row = &result.objects[1].rows[1];
    assert_eq!((row.name.as_str(), row.changed), ("value", true));
}
