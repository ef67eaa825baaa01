//! Answers that touch the end of a recording that does not hold the whole run say so; those about what ended
//! before, and those of a recording that still runs, do not.

mod common;

use common::{Builder, STATIC, local, method};
use jhyde_history::History;
use jhyde_history::error::Error;
use jhyde_history::events::EventList;
use jhyde_history::navigate::Step;
use jhyde_history::tree::CallList;
use jhyde_history::writes::WriteList;
use jhyde_store::records::Direction;
use jhyde_trace::{CallId, FieldId, Level, ThreadId, Timestamp, Value, Variable};

/// `outer`, which has not ended, calls `inner`, which has.
struct Run {
    builder: Builder,
    outer: CallId,
    inner: CallId,
    count: FieldId,
    last: Timestamp,
}

fn run() -> Run {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let variables = [("n", "I", 0, 0, 80)];
    let methods = vec![
        method("outer", "(I)V", STATIC, 10, &variables),
        method("inner", "(I)V", STATIC, 30, &variables),
    ];
    let fields = [("COUNT", "I", STATIC)];
    let (_, fields, methods) =
        builder.class("p.Open", Some("java.lang.Object"), true, &fields, methods);
    let outer = builder.enter(thread, methods[0], None, &[Value::Int(1)]);
    let inner = builder.enter(thread, methods[1], None, &[Value::Int(2)]);
    let count = Variable::Static { field: fields[0] };
    builder.write(thread, 8, count, Value::Int(1));
    builder.leave(thread);
    let last = builder.write(thread, 8, count, Value::Int(2));
    Run {
        builder,
        outer,
        inner,
        count: fields[0],
        last,
    }
}

fn everything_of(variable: Variable) -> WriteList {
    WriteList {
        variable,
        from: None,
        to: None,
        newest_first: false,
    }
}

/// The notes of every answer that touches the end, and of some that do not, each answer's as one text.
fn told(history: &History, run: (CallId, CallId, FieldId, Timestamp)) -> [Vec<String>; 2] {
    let (outer, inner, field, last) = run;
    let count = Variable::Static { field };
    let tree = |subtree, size, token: &str| {
        let list = CallList {
            subtree,
            ..CallList::default()
        };
        history.calls(&list, true, size, token).expect("calls")
    };
    let events = |call, to| {
        let list = EventList {
            to,
            ..EventList::of(call)
        };
        history.events(&list, 0, "").expect("events").notes
    };
    let state = |call, to| history.state(call, None, to, 0).expect("a state").notes;
    let writes = |list, size, token: &str| history.writes(&list, size, token).expect("writes");
    let step = |from, step| match history.navigate(from, &step) {
        Err(error @ Error::NoStep { .. }) => vec![error.to_string()],
        other => panic!("{other:?}"),
    };
    let result = |call| history.result(call).expect("a result").notes;
    let everywhere = everything_of(count);
    let newest = WriteList {
        newest_first: true,
        ..everywhere
    };
    let pages = [tree(None, 1, ""), {
        let next = tree(None, 1, "").next.expect("another page");
        tree(None, 1, &next)
    }];
    let first_writes = [writes(everywhere, 1, ""), writes(newest, 1, "")];
    let behind = |first: &jhyde_history::writes::Writes, list| {
        let next = first.page.next.as_deref().expect("another page");
        writes(list, 1, next).notes
    };
    let touching = [
        pages[1].notes.clone(),
        tree(Some(CallId::root(ThreadId(1))), 0, "").notes,
        tree(Some(outer), 0, "").notes,
        events(outer, None),
        events(CallId::root(ThreadId(1)), None),
        state(outer, None),
        result(outer),
        behind(&first_writes[0], everywhere),
        first_writes[1].notes.clone(),
        writes(everything_of(local(outer, 0)), 0, "").notes,
        history.uncaught().expect("exceptions").notes,
        history.threads().expect("threads").notes,
        history.classes(false).expect("classes").notes,
        step(last, Step::Into(Direction::Forward)),
        step(last, Step::Out(Direction::Forward)),
        step(last, Step::Write(count, Direction::Forward)),
    ];
    let elsewhere = [
        pages[0].notes.clone(),
        tree(Some(inner), 0, "").notes,
        events(inner, None),
        events(outer, Some(last)),
        state(inner, None),
        result(inner),
        first_writes[0].notes.clone(),
        behind(&first_writes[1], newest),
        writes(everything_of(local(inner, 0)), 0, "").notes,
        step(Timestamp(0), Step::Into(Direction::Backward)),
    ];
    [touching.to_vec(), elsewhere.to_vec()]
        .map(|answers| answers.iter().map(|notes| notes.join("\n")).collect())
}

#[test]
fn answers_that_touch_the_end_of_a_recording_that_broke_off_say_so() {
    let run = run();
    let parts = (run.outer, run.inner, run.count, run.last);
    let made = run.builder.abandon();
    let history = made.history();
    let last = history.recording().end().0 - 1;
    assert_eq!(last, run.last.0, "nothing is lost that was written");
    let end = format!("recording failed after event {last} (");
    let [touching, elsewhere] = told(&history, parts);
    for (at, answer) in touching.iter().enumerate() {
        assert_eq!(answer.matches(&end).count(), 1, "answer {at}: {answer}");
    }
    for (at, answer) in elsewhere.iter().enumerate() {
        assert!(
            !answer.contains("recording failed"),
            "answer {at}: {answer}"
        );
    }
    let state = history.state(run.outer, None, None, 0).expect("a state");
    let open = "had not ended when the recording ended";
    assert!(state.notes.iter().any(|note| note.contains(open)));
    let call = |call| history.call(history.recording().call(call).expect("is there"), false);
    assert!(call(run.outer).expect("a call").recording_ended);
    assert!(!call(run.inner).expect("a call").recording_ended);
    let threads = history.threads().expect("threads").threads;
    assert!(threads[0].recording_ended && threads[0].end.is_none());
}

#[test]
fn a_recording_that_runs_does_not_speak_of_its_end() {
    let run = run();
    let history = run.builder.history();
    let [touching, elsewhere] = told(&history, (run.outer, run.inner, run.count, run.last));
    for answer in touching.iter().chain(&elsewhere) {
        assert!(!answer.contains("recording"), "{answer}");
    }
    let state = history.state(run.outer, None, None, 0).expect("a state");
    let open = "has not ended";
    assert!(state.notes.iter().any(|note| note.contains(open)));
    let call = history.recording().call(run.outer).expect("is there");
    assert!(!history.call(call, false).expect("a call").recording_ended);
    let threads = history.threads().expect("threads").threads;
    assert!(!threads[0].recording_ended);
}
