//! Arrays that are too long to be looked at element by element: what a call changed in them is told all the same.

mod common;

use common::{Builder, STATIC, method, shown};
use jhyde_history::input_output::Side;
use jhyde_trace::{CallId, Content, Level, ObjectId, ThreadId, Value, Variable};

const LENGTH: u32 = 40_000;

struct Run {
    builder: Builder,
    thread: ThreadId,
    array: ObjectId,
    work: jhyde_trace::MethodId,
}

impl Run {
    /// An array whose elements have their indexes' numbers, as far as these are written.
    fn new(written: impl IntoIterator<Item = u32>) -> Self {
        let mut builder = Builder::new(Level::State);
        let methods = vec![
            method("main", "()V", STATIC, 1, &[]),
            method("work", "([I)V", STATIC, 30, &[]),
        ];
        let (_, _, methods) = builder.class("p.Main", None, true, &[], methods);
        let class = builder.plain_class("int[]");
        let thread = builder.thread("main");
        builder.enter(thread, methods[0], None, &[]);
        let array = builder.create(thread, class, Content::Array(LENGTH));
        let mut run = Self {
            builder,
            thread,
            array,
            work: methods[1],
        };
        for index in written {
            run.write(index, index as i32);
        }
        run
    }

    fn write(&mut self, index: u32, value: i32) {
        let array = self.array;
        let variable = Variable::Element { array, index };
        let value = Value::Int(value);
        self.builder.write(self.thread, 2, variable, value);
    }

    /// A call that is given the array, and writes these.
    fn work(&mut self, writes: impl IntoIterator<Item = (u32, i32)>) -> CallId {
        let array = Value::Object(self.array);
        let call = self.builder.enter(self.thread, self.work, None, &[array]);
        for (index, value) in writes {
            self.write(index, value);
        }
        self.builder.leave(self.thread);
        call
    }
}

/// Name, value before, value after.
fn rows(side: &Side) -> Vec<(String, String, String)> {
    let rows = side.objects.iter().flat_map(|object| &object.rows);
    rows.map(|row| {
        let (start, end) = (shown(row.start.as_ref()), shown(row.end.as_ref()));
        (row.name.clone(), start, end)
    })
    .collect()
}

fn said(row: (u32, i32, i32)) -> (String, String, String) {
    (format!("[{}]", row.0), row.1.to_string(), row.2.to_string())
}

#[test]
fn what_a_call_changed_is_found_however_far_behind() {
    let mut run = Run::new((0..LENGTH).step_by(7));
    let nothing = run.work([]);
    let some = run.work([(39_998, 5), (700, -1), (20_001, 8), (20_000, 9), (700, 1)]);
    let last = run.work([(39_999, 2)]);
    run.builder.leave(run.thread);
    let history = run.builder.history();
    let result = |call| history.result(call).expect("its result");
    assert_eq!(rows(&result(nothing)), []);
    let expected = [
        (700, 700, 1),
        (20_000, 0, 9),
        (20_001, 0, 8),
        (39_998, 39_998, 5),
    ];
    let some = result(some);
    assert_eq!(rows(&some), expected.map(said));
    assert!(some.notes.is_empty(), "{:?}", some.notes);
    assert_eq!(rows(&result(last)), [said((39_999, 0, 2))]);
}

#[test]
fn of_many_the_first_are_told_and_that_there_are_more() {
    let mut run = Run::new([]);
    let begin = 5_000;
    let some = run.work((0..150).rev().map(|at| (begin + 3 * at, 1)));
    // More than are looked at one by one: then it is looked for by element.
    let many = run.work((0..30_000).map(|at| (begin + at % 300, 1)));
    run.builder.leave(run.thread);
    let history = run.builder.history();
    for (call, step) in [(some, 3), (many, 1)] {
        let result = history.result(call).expect("its result");
        let told = rows(&result);
        let named: Vec<_> = told.iter().map(|row| row.0.clone()).collect();
        let first = (0..100).map(|at| format!("[{}]", begin + step * at));
        assert_eq!(named, first.collect::<Vec<_>>());
        let notes = result.notes.join("\n");
        assert!(
            notes.contains("only the first of the changed elements"),
            "{notes}"
        );
    }
}

#[test]
fn of_what_a_call_was_given_the_beginning_is_told() {
    let mut run = Run::new([0, 99, 100]);
    let call = run.work([]);
    run.builder.leave(run.thread);
    let history = run.builder.history();
    let input = history.input(call).expect("its input");
    let told = rows(&input);
    assert_eq!(told.len(), 100);
    assert_eq!(told[99], said((99, 99, 99)));
    assert!(
        input
            .notes
            .iter()
            .any(|note| note.contains("only the first"))
    );
    // Nothing is reached through it, so that this was all of it.
    let notes = input.notes.join("\n");
    assert!(!notes.contains("budget"), "{notes}");
}
