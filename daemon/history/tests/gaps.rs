//! What was not recorded, or can no longer be read, is said to be so and never shown as unchanged.

mod common;
#[path = "common/machine.rs"]
mod machine;

use common::{Builder, STATIC, damage, local, method};
use jhyde_history::History;
use jhyde_history::events::EventList;
use jhyde_history::gap_list::GapList;
use jhyde_history::state::{RowKind, StateRow};
use jhyde_history::tree::CallList;
use jhyde_history::view::{EventKindView, ValueView};
use jhyde_history::writes::WriteList;
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{
    CallId, Content, EventKind, Level, RecordingOptions, State, ThreadId, Timestamp, Value,
    Variable,
};
use machine::{Machine, compile};

#[test]
fn a_gap_is_named_in_every_answer_that_it_touches() {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let variables = [("n", "I", 0, 0, 80), ("x", "I", 1, 4, 70)];
    let methods = vec![
        method("outer", "(I)V", STATIC, 10, &variables),
        method("inner", "(I)V", STATIC, 30, &variables),
    ];
    let fields = [("COUNT", "I", STATIC), ("size", "I", 0)];
    let (class, fields, methods) =
        builder.class("p.Lossy", Some("java.lang.Object"), true, &fields, methods);
    let outer = builder.enter(thread, methods[0], None, &[Value::Int(1)]);
    let object = builder.create(thread, class, Content::None);
    builder.write(
        thread,
        8,
        Variable::Static { field: fields[0] },
        Value::Int(1),
    );
    builder.write(thread, 8, local(outer, 1), Value::Int(2));
    let inner = builder.enter(thread, methods[1], None, &[Value::Int(3)]);
    builder.write(thread, 8, local(inner, 1), Value::Int(5));
    let reason = "an array of 70000 elements was not compared".to_owned();
    builder.here(
        thread,
        12,
        EventKind::Gap {
            reason,
            back: false,
        },
    );
    let after = builder.write(thread, 16, local(inner, 1), Value::Int(6));
    builder.leave(thread);
    builder.leave(thread);
    builder.end_thread(thread);
    let made = builder.finish();
    let history = made.history();
    let row = |rows: &[StateRow], name: &str| -> StateRow {
        let found = rows.iter().find(|row| row.name == name);
        found.unwrap_or_else(|| panic!("no row {name}")).clone()
    };
    let told = |notes: &[String]| notes.iter().any(|note| note.contains("70000 elements"));

    let state = history.state(inner, None, None, 0).expect("a state");
    assert!(told(&state.notes), "{:?}", state.notes);
    let (n, x) = (row(&state.rows, "n"), row(&state.rows, "x"));
    assert!(
        n.not_recorded && !n.changed,
        "a lost write may have changed it"
    );
    assert!(x.changed && !x.not_recorded, "a write was seen");
    assert!(row(&state.rows, "Lossy.COUNT").not_recorded);
    // Behind the gap nothing is in doubt.
    let state = history.state(inner, Some(after), None, 0).expect("a state");
    assert!(!told(&state.notes) && state.rows.iter().all(|row| !row.not_recorded));
    // The caller's own locals cannot have been written in another call; the heap can.
    let state = history.state(outer, None, None, 0).expect("a state");
    assert!(told(&state.notes));
    assert!(!row(&state.rows, "n").not_recorded);
    let record = history.recording().call(inner).expect("is there");
    let exit = record.exit.expect("has ended");
    let (page, notes) = history
        .expand(object, record.enter, exit, 0, 0, "")
        .expect("an object");
    assert!(told(&notes) && row(&page.rows, "size").not_recorded);
    assert!(told(&history.result(inner).expect("a result").notes));
    let notes = |variable| {
        let list = WriteList {
            variable,
            from: None,
            to: None,
            newest_first: false,
        };
        history.writes(&list, 0, "").expect("writes").notes
    };
    assert!(told(&notes(local(inner, 1))));
    assert!(!told(&notes(local(outer, 1))));
    assert!(told(&notes(Variable::Static { field: fields[0] })));
    let rows = history
        .events(&EventList::of(inner), 0, "")
        .expect("a page")
        .page
        .rows;
    let gaps = rows.iter().filter(|row| {
        row.event()
            .is_some_and(|event| matches!(event.kind, EventKindView::Gap(_)))
    });
    assert_eq!(gaps.count(), 1);
}

#[test]
fn a_damaged_block_is_named_and_the_rest_is_answered() {
    const SOURCE: &str = "
class Test {
    static int sum;
    static int f(int x) { sum += x; return sum; }
    static void run(int n) {
        int[] a = new int[8];
        for (int i = 0; i < n; i++) {
            a[i % 8] = f(i);
        }
    }
}
";
    let classes = compile("Test.java", SOURCE, &["-g"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = || StoreOptions {
        block_events: 64,
        ..StoreOptions::default()
    };
    let id = {
        let catalogue = Catalogue::open(folder.path(), store()).expect("a new data folder");
        let options = RecordingOptions {
            level: Level::Full,
            ..RecordingOptions::default()
        };
        let (recording, mut writer) = catalogue.create(None, options).expect("a recording");
        Machine::new(&mut writer, classes).call("run", &[2000]);
        writer
            .finish(State::Complete { exit_code: Some(0) })
            .expect("can be closed");
        recording.id().to_owned()
    };
    damage(&folder.path().join("recordings").join(&id).join("db"), 0.5);
    let catalogue = Catalogue::open(folder.path(), store()).expect("opens all the same");
    let recording = catalogue.open_recording(&id).expect("opens all the same");
    let history = History::new(recording);
    let run = CallId::new(ThreadId(1), 1);

    let list = EventList {
        unfold: u32::MAX,
        ..EventList::of(run)
    };
    let (mut rows, mut token) = (Vec::new(), String::new());
    let notes = loop {
        let events = history.events(&list, 5000, &token).expect("a page");
        rows.extend(events.page.rows);
        match events.page.next {
            Some(next) => token = next,
            None => break events.notes,
        }
    };
    assert!(
        notes.iter().any(|note| note.contains("more iterations")),
        "{notes:?}"
    );
    let lost = rows.iter().filter(|row| {
        row.event().is_some_and(
            |event| matches!(&event.kind, EventKindView::Gap(why) if why.contains("damaged")),
        )
    });
    assert!(lost.count() >= 1, "the damage stands in the list");

    // No question about what is there fails; what only the damaged block tells is told to be unknown.
    let state = history.state(run, None, None, 0).expect("a state");
    for row in &state.rows {
        let unknown = |value: &Option<ValueView>| matches!(value, Some(ValueView::NotRecorded(_)));
        if unknown(&row.end) {
            assert!(row.not_recorded && !row.changed, "{row:?}");
        }
        assert!(row.kind != RowKind::Local || row.changed || row.not_recorded || row.name == "n");
    }
    for number in (2..2000).step_by(7) {
        let call = CallId::new(ThreadId(1), number);
        match history.state(call, None, None, 0) {
            Ok(_) => {
                history.input(call).expect("an input");
                history.result(call).expect("a result");
                let record = history.recording().call(call).expect("is there");
                history.call(record, true).expect("a call");
            }
            // A call that was entered in the damaged block is not there at all.
            Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
        }
    }
    // Calls behind the damage are listed, in pages as at once, and what is missing is said once.
    let everything = CallList::default();
    let all = history
        .calls(&everything, true, 10_000, "")
        .expect("a page");
    assert!(
        all.rows.len() > 1900 && all.rows.len() < 2001,
        "{}",
        all.rows.len()
    );
    // RocksDB keeps some of these small blocks together.
    assert!((1..=4).contains(&all.notes.len()), "{:?}", all.notes);
    assert!(all.notes[0].contains("damaged"), "{:?}", all.notes);
    let (mut paged, mut notes, mut token) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = history.calls(&everything, true, 7, &token).expect("a page");
        paged.extend(page.rows);
        notes.extend(page.notes);
        match page.next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!((paged, notes), (all.rows, all.notes));
    // So are events: what cannot be read stands in its place, and the rest is told before and behind it.
    let everything = Timestamp(0)..history.recording().end();
    let told = history.range(everything.start, everything.end, None);
    let told: Vec<_> = told.collect::<Result<_, _>>().expect("events");
    let holes: Vec<_> = (told.iter().enumerate())
        .filter(|(_, event)| matches!(event.kind, EventKindView::Unreadable(_)))
        .map(|(at, event)| (at, event.timestamp))
        .collect();
    assert!((1..=4).contains(&holes.len()), "{holes:?}");
    let (first, _) = holes[0];
    assert_eq!(told[first].call, None);
    assert!(first > 5000 && told.len() - first > 5000, "{holes:?}");
    assert!(told.is_sorted_by_key(|event| event.timestamp));
    // Also from the middle of the hole.
    let inside = Timestamp(holes[0].1.0 + 3);
    let mut rest = history.range(inside, everything.end, Some(ThreadId(1)));
    let hole = rest.next().expect("events").expect("a hole");
    assert_eq!(
        (hole.timestamp, hole.call),
        (inside, Some(CallId::root(ThreadId(1))))
    );

    // `f` is called to the end: its calls are counted only up to where they can be read, if that is the end.
    let classes = history.classes(false).expect("classes");
    let f = classes.classes[0].methods.iter().find(|m| m.name == "f");
    assert_eq!(
        (f.expect("a method").calls, classes.notes),
        (2000, Vec::new())
    );

    let sum = history.resolve_variable("Test.sum").expect("the static");
    let list = WriteList {
        variable: sum,
        from: None,
        to: None,
        newest_first: false,
    };
    let writes = history.writes(&list, 10_000, "").expect("writes");
    assert!(writes.page.rows.len() > 1000);
    assert!(
        writes.notes.iter().any(|note| note.contains("damaged")),
        "{:?}",
        writes.notes
    );
}

#[test]
fn gaps_are_listed_with_their_calls() {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let methods = vec![
        method("outer", "()V", STATIC, 10, &[]),
        method("inner", "()V", STATIC, 30, &[]),
    ];
    let (_, _, methods) = builder.class("p.Lossy", None, true, &[], methods);
    let gap = |builder: &mut Builder, index, reason: &str| {
        let reason = reason.to_owned();
        builder.here(
            thread,
            index,
            EventKind::Gap {
                reason,
                back: false,
            },
        )
    };
    let before = gap(&mut builder, 0, "an array of 5 elements was not compared");
    let outer = builder.enter(thread, methods[0], None, &[]);
    let mut inside = Vec::new();
    for round in 0..30 {
        let inner = builder.enter(thread, methods[1], None, &[]);
        let reason = format!("an array of {round} elements was not compared");
        inside.push((gap(&mut builder, 8, &reason), inner));
        builder.leave(thread);
    }
    let last = gap(&mut builder, 12, "the call's end was not seen");
    builder.leave(thread);
    builder.end_thread(thread);
    let made = builder.finish();
    let history = made.history();

    let mut found = Vec::new();
    let (mut token, mut pages) = (String::new(), 0);
    loop {
        let page = history
            .gap_list(&GapList::default(), 7, &token)
            .expect("a page");
        assert!(page.page.rows.len() <= 7);
        found.extend(page.page.rows);
        pages += 1;
        match page.page.next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!((found.len(), pages), (32, 5));
    assert_eq!((found[0].timestamp, found[31].timestamp), (before, last));
    assert!(found[0].call.is_none() && found[0].thread_name == "main");
    let (at, inner) = inside[7];
    let row = &found[8];
    assert_eq!(row.timestamp, at);
    assert_eq!(row.reason, "an array of 7 elements was not compared");
    let call = row.call.as_ref().expect("its call");
    assert_eq!((call.record.id, call.method.as_str()), (inner, "inner"));
    assert_eq!(row.place.as_ref().and_then(|place| place.line), Some(32));

    let list = |call: Option<CallId>, reason: Option<&str>| {
        let reason = reason.map(str::to_owned);
        let list = GapList { call, reason };
        history
            .gap_list(&list, 0, "")
            .expect("gaps")
            .page
            .rows
            .len()
    };
    assert_eq!(list(Some(outer), None), 31);
    assert_eq!(list(Some(inner), None), 1);
    assert_eq!(list(Some(CallId::root(thread)), None), 32);
    assert_eq!(list(None, Some("an array of N elements")), 31);
    assert_eq!(list(None, Some("of 12 elements")), 1);
    assert_eq!(list(Some(inner), Some("end was not seen")), 0);
    let other = GapList {
        call: Some(inner),
        reason: None,
    };
    assert!(
        history.gap_list(&other, 7, &token).is_err(),
        "a token of another list"
    );
}
