//! Names of calls and variables, and what a level leaves out, on the reference example.

mod common;

use common::{Builder, MergeSort, STATIC, call, local, method, row, shown};
use jhyde_history::Error;
use jhyde_history::view::ValueView;
use jhyde_trace::{CallId, Level, ObjectId, ThreadId, Value, Variable};

#[test]
fn names_of_calls_and_variables_are_read_and_written() {
    let made = MergeSort::recorded(Level::Full, true).builder.finish();
    let history = made.history();
    for (name, number) in [
        ("1.7", 7),
        ("merge#2", 7),
        ("MergeSort.merge#1", 5),
        ("demo.MergeSort.merge([III[III[II)V#0", 4),
    ] {
        assert_eq!(
            history.resolve_call(name).expect(name),
            call(number),
            "{name}"
        );
    }
    assert!(matches!(
        history.resolve_call("merge#3"),
        Err(Error::NoSuchInvocation { calls: 3, .. })
    ));
    assert!(matches!(
        history.resolve_call("split#0"),
        Err(Error::NoSuchMethod(_))
    ));
    for bad in ["", "merge", "merge#", "merge#x", "#1", "1.2.3"] {
        assert!(
            matches!(history.resolve_call(bad), Err(Error::CallForm(_))),
            "{bad}"
        );
    }
    for missing in ["1.8", "2.1", "1.99999999999"] {
        assert!(
            matches!(history.resolve_call(missing), Err(Error::Store(_))),
            "{missing}"
        );
    }
    for (text, variable) in [
        ("1.7:lc", local(call(7), 7)),
        ("1.7:return", Variable::Return { call: call(7) }),
        ("1.7:exception", Variable::Exception { call: call(7) }),
        (
            "array#2[3]",
            Variable::Element {
                array: ObjectId(2),
                index: 3,
            },
        ),
    ] {
        assert_eq!(history.resolve_variable(text).expect(text), variable);
        assert_eq!(history.written_form(variable).expect(text), text);
    }
    assert_eq!(
        history.resolve_variable("merge#2:lc").expect("by method"),
        local(call(7), 7)
    );
    // Ways from a call, as source writes them.
    let merge = history.recording().call(call(7)).expect("is there");
    let given = history.recording().arguments(&merge).expect("is there");
    let array = given.arguments[6].object().expect("c is an array");
    for way in ["1.7:c[2]", "merge#2:c[2]"] {
        assert_eq!(
            history.resolve_variable(way).expect(way),
            Variable::Element { array, index: 2 }
        );
    }
    for missing in [
        "1.7:c[9]",
        "1.7:c.length",
        "1.7:lc[0]",
        "1.7:this.x",
        "1.7:c[0].x",
    ] {
        assert!(
            matches!(
                history.resolve_variable(missing),
                Err(Error::NoSuchVariable { .. })
            ),
            "{missing}"
        );
    }
    for missing in ["1.7:nothing", "array#2[4]", "demo.MergeSort.X"] {
        assert!(
            matches!(
                history.resolve_variable(missing),
                Err(Error::NoSuchVariable { .. })
            ),
            "{missing}"
        );
    }
    for bad in [
        "",
        "x",
        "array#2",
        "array#2[",
        "array#x[1]",
        "array#2[-1]",
        "object#1",
        "1.7:",
    ] {
        assert!(
            matches!(history.resolve_variable(bad), Err(Error::VariableForm(_))),
            "{bad}"
        );
    }
    assert!(matches!(
        history.resolve_variable("array#99[0]"),
        Err(Error::NoSuchObject(99))
    ));
    assert!(matches!(
        history.resolve_variable("a.b.C.d"),
        Err(Error::NoSuchClass(_))
    ));
}

#[test]
fn locals_of_methods_that_are_called_as_objects_are() {
    let mut builder = Builder::new(Level::Full);
    let methods = ["object", "array", "list"].map(|name| {
        let locals = [("v", "I", 0, 0, 9), ("c", "[I", 1, 0, 9)];
        method(name, "(I[I)V", STATIC, 1, &locals)
    });
    let (_, _, methods) = builder.class("p.Names", None, true, &[], Vec::from(methods));
    let thread = builder.thread("main");
    for method in methods {
        builder.enter(thread, method, None, &[Value::Int(1), Value::Null]);
        builder.leave(thread);
    }
    let history = builder.history();
    for (number, name) in (1..).zip(["object", "array", "list"]) {
        for text in [format!("{name}#0:v"), format!("Names.{name}#0:v")] {
            let found = history.resolve_variable(&text).expect(&text);
            assert_eq!(found, local(call(number), 0), "{text}");
        }
        // A way from there, which leads nowhere.
        let way = format!("{name}#0:c[0]");
        let found = history.resolve_variable(&way);
        assert!(
            matches!(found, Err(Error::NoSuchVariable { .. })),
            "{way}: {found:?}"
        );
    }
    for (text, object) in [("object#12.v", 12), ("array#13[0]", 13)] {
        let found = history.resolve_variable(text);
        assert!(
            matches!(found, Err(Error::NoSuchObject(of)) if of == object),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn several_methods_of_a_name_are_ambiguous_and_listed() {
    let mut builder = Builder::new(Level::Calls);
    let twice = || {
        vec![
            method("f", "()V", STATIC, 1, &[]),
            method("f", "(I)V", STATIC, 9, &[]),
        ]
    };
    let (_, _, one) = builder.class("p.One", None, true, &[], twice());
    let (_, _, two) = builder.class("p.Two", None, true, &[], twice());
    let thread = builder.thread("main");
    for (method, arguments) in [
        (one[0], vec![]),
        (one[1], vec![Value::Int(1)]),
        (two[0], vec![]),
    ] {
        builder.enter(thread, method, None, &arguments);
        builder.leave(thread);
    }
    let history = builder.history();
    let Err(Error::Ambiguous { candidates, .. }) = history.resolve_call("f#0") else {
        panic!("three calls have that name")
    };
    assert_eq!(
        candidates,
        [
            "p.One.f()V#0 (1.1)",
            "p.One.f(I)V#0 (1.2)",
            "p.Two.f()V#0 (1.3)"
        ]
    );
    for candidate in &candidates {
        let (name, id) = candidate.split_once(' ').expect("name and id");
        let id = id.trim_matches(['(', ')']);
        assert_eq!(history.resolve_call(name).expect(name).to_string(), id);
    }
    assert_eq!(
        history
            .resolve_call("Two.f#0")
            .expect("only one was called"),
        call(3)
    );
    assert_eq!(
        history
            .resolve_call("f(I)V#0")
            .expect("only one was called"),
        call(2)
    );
}

#[test]
fn what_a_level_leaves_out_is_said_to_be_missing() {
    // Level calls, and a parameter that the recording cannot follow.
    let mut builder = Builder::new(Level::Calls);
    let (_, _, methods) = builder.class(
        "p.C",
        None,
        true,
        &[("f", "I", 0), ("S", "I", STATIC)],
        vec![method(
            "m",
            "(I)I",
            0,
            1,
            &[
                ("this", "Lp/C;", 0, 0, 40),
                ("x", "I", 1, 0, 40),
                ("y", "I", 2, 4, 30),
            ],
        )],
    );
    let thread = builder.thread("main");
    let class = jhyde_trace::ClassId(0);
    let this = builder.object(class, jhyde_trace::Content::None);
    let call = builder.enter(
        thread,
        methods[0],
        Some(Value::Object(this)),
        &[Value::Int(5)],
    );
    // It still runs.
    let state = builder
        .history()
        .state(call, None, None, 0)
        .expect("a state");
    assert!(
        state
            .notes
            .iter()
            .any(|note| note.contains("has not ended"))
    );
    builder.exit(thread, jhyde_trace::Outcome::Returned(Some(Value::Int(6))));
    let history = builder.history();
    let state = history.state(call, None, None, 0).expect("a state");
    let x = row(&state.rows, "x");
    assert_eq!(
        (shown(x.start.as_ref()).as_str(), x.not_recorded, x.changed),
        ("5", true, false)
    );
    assert!(matches!(x.end, Some(ValueView::NotRecorded(_))));
    let y = row(&state.rows, "y");
    assert!(
        y.start.is_none() && y.not_recorded && matches!(y.end, Some(ValueView::NotRecorded(_)))
    );
    let s = row(&state.rows, "C.S");
    assert!(s.not_recorded && matches!(s.end, Some(ValueView::NotRecorded(_))));
    assert_eq!(shown(row(&state.rows, "return").end.as_ref()), "6");
    assert!(state.notes.iter().any(|note| note.contains("locals")));
    let record = state.call.record;
    let (page, notes) = history
        .expand(this, record.enter, record.exit.expect("ended"), 0, 0, "")
        .expect("fields");
    assert!(
        page.rows[0].not_recorded && matches!(page.rows[0].end, Some(ValueView::NotRecorded(_)))
    );
    assert!(notes.iter().any(|note| note.contains("fields")));
    let input = history.input(call).expect("its input");
    assert_eq!(shown(row(&input.rows, "this").end.as_ref()), "C object#1");
    assert!(
        input
            .objects
            .iter()
            .all(|object| object.rows.iter().all(|row| row.not_recorded))
    );

    // Level calls says that arrays are not seen.
    let sorted = MergeSort::recorded(Level::Calls, true);
    let given = sorted
        .builder
        .history()
        .input(CallId::new(ThreadId(1), 7))
        .expect("its input");
    assert!(
        given
            .notes
            .iter()
            .any(|note| note.contains("array elements")),
        "{:?}",
        given.notes
    );
}
