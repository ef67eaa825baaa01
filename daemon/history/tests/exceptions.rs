//! Exceptions that nobody caught, and the way back to where they were thrown; objects outside the scope, and
//! fields that hide one another.

mod common;

use common::{Builder, STATIC, method};
use jhyde_history::exceptions::Fate;
use jhyde_history::navigate::Step;
use jhyde_history::view::{EventKindView, ValueView};
use jhyde_trace::{
    CallId, Content, Event, EventKind, Level, Outcome, Text, Throwable, Value, Variable,
};

#[test]
fn an_uncaught_exception_names_its_throw_and_the_calls_that_it_ended() {
    let mut builder = Builder::new(Level::State);
    let (_, _, methods) = builder.class(
        "p.Main",
        None,
        true,
        &[],
        vec![
            method("main", "()V", STATIC, 1, &[]),
            method("outer", "()V", STATIC, 30, &[]),
            method("inner", "()V", STATIC, 60, &[]),
        ],
    );
    let error = builder.plain_class("p.Broken");
    let thread = builder.thread("main");
    let message = Text {
        prefix: "no".into(),
        length: 2,
    };
    let caught =
        Value::Object(builder.object(error, Content::Throwable(Throwable::with_message(None))));
    let lost = Value::Object(builder.object(
        error,
        Content::Throwable(Throwable::with_message(Some(message))),
    ));
    let main = builder.enter(thread, methods[0], None, &[]);
    // One that is caught in main, and one that nobody catches, thrown again on its way.
    let inner = builder.enter(thread, methods[2], None, &[]);
    builder.here(thread, 4, EventKind::Thrown { exception: caught });
    let first_exit = builder.exit(thread, Outcome::Threw(caught));
    let handler = builder.here(thread, 12, EventKind::Caught { exception: caught });
    let outer = builder.enter(thread, methods[1], None, &[]);
    let again = builder.enter(thread, methods[2], None, &[]);
    let thrown = builder.here(thread, 8, EventKind::Thrown { exception: lost });
    builder.exit(thread, Outcome::Threw(lost));
    let rethrown = builder.here(thread, 16, EventKind::Thrown { exception: lost });
    builder.exit(thread, Outcome::Threw(lost));
    builder.exit(thread, Outcome::Threw(lost));
    let uncaught = builder.event(
        CallId::root(thread),
        Event::NO_INDEX,
        EventKind::Uncaught { exception: lost },
    );
    builder.end_thread(thread);
    let history = builder.history();

    let all = history.uncaught().expect("the list").exceptions;
    assert_eq!(all.len(), 1);
    let one = &all[0];
    assert_eq!(one.exception.to_string(), "Broken object#2: \"no\"");
    assert_eq!(
        (one.timestamp, one.thread_name.as_str()),
        (uncaught, "main")
    );
    let ended: Vec<_> = one.ended.iter().map(|call| call.record.id).collect();
    assert_eq!(ended, [outer, main], "from the last throw outwards");
    assert_eq!(one.call.as_ref().map(|call| call.record.id), Some(outer));
    assert_eq!(one.place.as_ref().and_then(|place| place.line), Some(34));

    let throw = |from| {
        history
            .navigate(from, &Step::Throw)
            .map(|event| event.timestamp)
    };
    assert_eq!(throw(uncaught).expect("where it was thrown"), rethrown);
    assert_eq!(throw(rethrown).expect("and before that"), thrown);
    assert!(throw(thrown).is_err(), "there it began");
    let at = history
        .navigate(handler, &Step::Throw)
        .expect("where it was thrown");
    assert_eq!(at.call, Some(inner));
    assert_eq!(
        throw(first_exit).expect("where it was thrown"),
        at.timestamp
    );
    assert!(matches!(
        at.kind,
        EventKindView::Thrown(ValueView::Object(_))
    ));
    assert!(throw(history.call_named("1.1", false).expect("main").record.enter).is_err());

    // How they ended shows in the calls and their states.
    let state = history.state(again, None, None, 0).expect("a state");
    assert_eq!(state.rows[0].name, "exception");
    assert!(state.rows[0].changed && state.rows[0].start.is_none());
    assert_eq!(
        history.result(outer).expect("its result").rows[0].name,
        "exception"
    );
}

#[test]
fn objects_show_what_is_recorded_of_them_and_say_what_is_not() {
    let mut builder = Builder::new(Level::State);
    let (list, ..) = builder.class(
        "java.util.ArrayList",
        Some("java.lang.Object"),
        false,
        &[("size", "I", 0)],
        Vec::new(),
    );
    let (_, base, _) = builder.class(
        "p.Base",
        Some("java.lang.Object"),
        true,
        &[("x", "I", 0)],
        Vec::new(),
    );
    let (class, own, methods) = builder.class(
        "p.Derived",
        Some("p.Base"),
        true,
        &[
            ("x", "I", 0),
            ("items", "Ljava/util/ArrayList;", 0),
            ("COUNT", "J", STATIC),
        ],
        vec![
            method("<clinit>", "()V", STATIC, 1, &[]),
            method("grow", "()V", 0, 10, &[("this", "Lp/Derived;", 0, 0, 40)]),
        ],
    );
    let thread = builder.thread("main");
    builder.enter(thread, methods[0], None, &[]);
    builder.leave(thread);
    let items = builder.object(list, Content::None);
    let object = builder.create(thread, class, Content::None);
    let field = |field| Variable::Field { object, field };
    builder.write(thread, 0, field(own[1]), Value::Object(items));
    let grow = builder.enter(thread, methods[1], Some(Value::Object(object)), &[]);
    builder.write(thread, 4, field(base[0]), Value::Int(7));
    builder.write(
        thread,
        8,
        Variable::Static { field: own[2] },
        Value::Long(1),
    );
    builder.leave(thread);
    let history = builder.history();

    // A field of the super class that is hidden is written with its class.
    assert_eq!(
        history.written_form(field(own[0])).expect("a form"),
        "object#2.x"
    );
    assert_eq!(
        history.written_form(field(base[0])).expect("a form"),
        "object#2.p.Base.x"
    );
    for text in ["object#2.x", "object#2.p.Base.x", "p.Derived.COUNT"] {
        let variable = history.resolve_variable(text).expect(text);
        assert_eq!(history.written_form(variable).expect("a form"), text);
    }
    assert_eq!(
        history.resolve_variable("Derived.COUNT").ok(),
        Some(Variable::Static { field: own[2] })
    );

    let state = history.state(grow, None, None, 0).expect("a state");
    let row = |name: &str| state.rows.iter().find(|row| row.name == name).expect(name);
    assert!(row("this").changed_below && !row("this").changed);
    let count = row("Derived.COUNT");
    let shown = |value: &Option<ValueView>| value.as_ref().map(ToString::to_string);
    assert_eq!(
        (shown(&count.start), shown(&count.end)),
        (Some("0L".into()), Some("1L".into()))
    );
    assert!(count.changed);

    let (page, notes) = history
        .expand(object, state.from, state.to, 0, 0, "")
        .expect("fields");
    let fields: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.name.as_str(), shown(&row.end), row.changed))
        .collect();
    assert_eq!(
        fields,
        [
            ("x", Some("0".into()), false),
            ("items", Some("ArrayList object#1".into()), false),
            ("Base.x", Some("7".into()), true),
        ]
    );
    assert!(
        notes.iter().any(|note| note.contains("outside the scope")),
        "{notes:?}"
    );
    let (page, _) = history
        .expand(items, state.from, state.to, 0, 0, "")
        .expect("fields");
    assert!(
        page.rows[0].not_recorded && matches!(page.rows[0].end, Some(ValueView::NotRecorded(_)))
    );

    let result = history.result(grow).expect("its result");
    assert_eq!(result.objects.len(), 1);
    assert_eq!(result.objects[0].path, "this");
    let names: Vec<_> = result.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["return", "Derived.COUNT"]);
}

#[test]
fn damage_hides_neither_other_exceptions_nor_other_calls() {
    let mut builder = Builder::new(Level::State);
    let methods = vec![
        method("main", "()V", STATIC, 1, &[]),
        method("work", "()V", STATIC, 30, &[]),
        method("first", "()V", STATIC, 60, &[]),
    ];
    let (_, _, methods) = builder.class("p.Main", None, true, &[], methods);
    let error = builder.plain_class("p.Broken");
    let thread = builder.thread("main");
    builder.enter(thread, methods[0], None, &[]);
    for round in 0..400 {
        // All calls of `first` lie at the beginning.
        let called = methods[if round < 60 { 2 } else { 1 }];
        let thrown =
            Value::Object(builder.object(error, Content::Throwable(Throwable::with_message(None))));
        builder.enter(thread, called, None, &[]);
        builder.here(thread, 4, EventKind::Thrown { exception: thrown });
        builder.exit(thread, Outcome::Threw(thrown));
        builder.here(thread, 12, EventKind::Caught { exception: thrown });
        if round % 100 == 99 {
            let other = builder.thread("other");
            let root = CallId::root(other);
            builder.event(root, 0, EventKind::Uncaught { exception: thrown });
            builder.end_thread(other);
        }
    }
    builder.leave(thread);
    builder.end_thread(thread);
    // The middle of it: the exceptions around are told, and that others may be missing.
    let made = builder.finish().damaged(0.5);
    let told = made.history().uncaught().expect("what can be read");
    assert!((3..=4).contains(&told.exceptions.len()), "{told:?}");
    assert!(!told.notes.is_empty(), "{told:?}");
    let damaged = |note: &String| note.contains("cannot be read: their block is damaged");
    assert!(told.notes.iter().all(damaged), "{:?}", told.notes);
    let counted = |history: &jhyde_history::History| {
        let told = history.classes(false).expect("what can be read");
        let calls: Vec<u64> = told.classes[0].methods.iter().map(|m| m.calls).collect();
        (calls, told.notes)
    };
    assert_eq!(counted(&made.history()), (vec![1, 340, 60], Vec::new()));
    // The end of it: some calls of `work` cannot be counted, all others are.
    let made = made.damaged(1.0);
    let (calls, notes) = counted(&made.history());
    assert_eq!((calls[0], calls[2]), (1, 60));
    assert!((200..340).contains(&calls[1]), "{calls:?}");
    assert!(
        notes.len() == 1 && notes[0].contains("p.Main.work") && notes[0].contains("damaged"),
        "{notes:?}"
    );
}

#[test]
fn exceptions_that_leave_the_scope_and_failed_tests_are_told() {
    let mut builder = Builder::new(Level::State);
    let names = ["main", "callback", "tests", "push", "pop", "fine"];
    let methods = names.map(|name| method(name, "()V", STATIC, 10, &[]));
    let (_, _, own) = builder.class("p.Main", None, true, &[], methods.into());
    let methods =
        ["runLeaf", "assertEquals", "fail"].map(|name| method(name, "()V", STATIC, 1, &[]));
    let (_, _, junit) = builder.class("org.junit.Assert", None, true, &[], methods.into());
    let methods = ["run", "assertThrows"].map(|name| method(name, "()V", STATIC, 1, &[]));
    let (_, _, jdk) = builder.class(
        "java.util.concurrent.Task",
        None,
        false,
        &[],
        methods.into(),
    );
    let error = builder.plain_class("p.Broken");
    let thread = builder.thread("main");
    let mut exception =
        || Value::Object(builder.object(error, Content::Throwable(Throwable::with_message(None))));
    let [caught, swallowed, expected, failed, inner] = [(); 5].map(|()| exception());
    let thrown =
        |builder: &mut Builder, exception| builder.here(thread, 4, EventKind::Thrown { exception });
    let main = builder.enter(thread, own[0], None, &[]);
    // Caught by the program: nothing to tell.
    builder.enter(thread, own[1], None, &[]);
    thrown(&mut builder, caught);
    builder.exit(thread, Outcome::Threw(caught));
    builder.here(thread, 12, EventKind::Caught { exception: caught });
    // Swallowed by code out of the scope that called back.
    let task = builder.enter_any(thread, jdk[0], None, &[], true);
    let callback = builder.enter(thread, own[1], None, &[]);
    let swallowed_at = thrown(&mut builder, swallowed);
    builder.exit(thread, Outcome::Threw(swallowed));
    builder.leave(thread);
    // Asked for.
    builder.enter_any(thread, jdk[1], None, &[], true);
    builder.enter(thread, own[1], None, &[]);
    thrown(&mut builder, expected);
    builder.exit(thread, Outcome::Threw(expected));
    builder.leave(thread);
    // A test whose assertion fails: the framework runs it, and throws and catches for it.
    let runner = builder.enter(thread, junit[0], None, &[]);
    let test = builder.enter(thread, own[2], None, &[]);
    builder.enter(thread, own[3], None, &[]);
    builder.leave(thread);
    let pop = builder.enter(thread, own[4], None, &[]);
    builder.enter(thread, own[5], None, &[]);
    builder.leave(thread);
    builder.leave(thread);
    let assertion = builder.enter(thread, junit[1], None, &[]);
    let fail = builder.enter(thread, junit[2], None, &[]);
    thrown(&mut builder, failed);
    for _ in 0..3 {
        builder.exit(thread, Outcome::Threw(failed));
    }
    // The framework's own exceptions are its own business.
    builder.enter(thread, junit[2], None, &[]);
    thrown(&mut builder, inner);
    builder.exit(thread, Outcome::Threw(inner));
    builder.leave(thread);
    builder.leave(thread);
    builder.end_thread(thread);
    let history = builder.history();

    let told = history.uncaught().expect("the list").exceptions;
    let id = |call: &Option<jhyde_history::view::CallView>| call.as_ref().map(|c| c.record.id);
    assert_eq!(told.len(), 2, "{told:#?}");
    let [left, broken] = [&told[0], &told[1]];
    assert_eq!((left.fate, left.timestamp), (Fate::LeftScope, swallowed_at));
    assert_eq!(
        (id(&left.caught_by), id(&left.call)),
        (Some(task), Some(callback))
    );
    assert!(left.test.is_none());
    assert_eq!(broken.fate, Fate::Caught);
    assert_eq!(
        (id(&broken.caught_by), id(&broken.call)),
        (Some(runner), Some(fail))
    );
    let of = broken.test.as_ref().expect("a failed test");
    assert_eq!(of.test.record.id, test);
    assert_eq!(
        (id(&of.assertion), id(&of.under_test)),
        (Some(assertion), Some(pop))
    );
    assert_eq!(history.exits().expect("exits"), []);
    assert_ne!(main, test);
}

#[test]
fn who_ended_the_program_is_told() {
    let mut builder = Builder::new(Level::State);
    let methods = vec![method("main", "()V", STATIC, 10, &[])];
    let (_, _, own) = builder.class("p.Main", None, true, &[], methods);
    let methods = vec![method("exit", "(I)V", STATIC, 1, &[])];
    let (_, _, system) = builder.class("java.lang.System", None, false, &[], methods);
    let thread = builder.thread("main");
    let main = builder.enter(thread, own[0], None, &[]);
    let exit = builder.enter_any(thread, system[0], None, &[Value::Int(3)], true);
    let made = builder.finish();
    let exits = made.history().exits().expect("exits");
    assert_eq!(exits.len(), 1);
    let call = exits[0].call.as_ref().map(|call| call.record.id);
    assert_eq!((exits[0].code, call), (Some(3), Some(exit)));
    assert_eq!(
        exits[0].caller.as_ref().map(|call| call.record.id),
        Some(main)
    );
}
