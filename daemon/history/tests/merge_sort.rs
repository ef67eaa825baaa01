//! The views on the reference example: the merge sort with its defect.

mod common;

use common::{MergeSort, call, row, shown};
use jhyde_history::events::{EventList, EventRow, Mark};
use jhyde_history::navigate::Step;
use jhyde_history::state::RowKind;
use jhyde_history::tree::CallList;
use jhyde_history::view::{EventKindView, OutcomeView, ValueView};
use jhyde_history::writes::WriteList;
use jhyde_history::{Error, History};
use jhyde_store::Direction;
use jhyde_trace::{CallId, Level, ThreadId, Timestamp, Variable};

fn written(
    history: &History,
    variable: Variable,
    newest_first: bool,
) -> Vec<(String, u64, Option<u32>)> {
    let list = WriteList {
        variable,
        from: None,
        to: None,
        newest_first,
    };
    let writes = history.writes(&list, 0, "").expect("a history");
    let row = |row: &jhyde_history::writes::WriteRow| {
        let call = row.call.as_ref().map_or(0, |call| call.record.id.preorder);
        (
            row.value.to_string(),
            call,
            row.place.as_ref().and_then(|place| place.line),
        )
    };
    writes.page.rows.iter().map(row).collect()
}

#[test]
fn the_tree_is_that_of_the_design() {
    let made = MergeSort::recorded(Level::Full, true).builder.finish();
    let history = made.history();
    let page = history
        .calls(&CallList::default(), true, 0, "")
        .expect("a page");
    let names: Vec<_> = page
        .rows
        .iter()
        .map(|call| (call.record.id.to_string(), call.method.as_str()))
        .collect();
    let expected = [
        "main",
        "sort",
        "distribute",
        "merge",
        "merge",
        "distribute",
        "merge",
    ];
    for (at, (id, method)) in names.iter().enumerate() {
        assert_eq!(
            (id.as_str(), *method),
            (format!("1.{}", at + 1).as_str(), expected[at])
        );
    }
    assert_eq!(names.len(), 7);
    assert_eq!(page.next, None);
    let depths: Vec<_> = page.rows.iter().map(|call| call.record.depth - 1).collect();
    assert_eq!(depths, [0, 1, 2, 2, 2, 2, 2]);

    let last = &page.rows[6];
    assert_eq!(
        (last.class.as_str(), last.record.invocation, last.line),
        ("demo.MergeSort", 2, Some(40))
    );
    let values = last.values.as_ref().expect("they were asked for");
    let arguments: Vec<_> = values
        .arguments
        .iter()
        .map(|a| format!("{} {}={}", a.type_name, a.name, a.value))
        .collect();
    assert_eq!(
        arguments,
        [
            "int[] a=int[4] array#3",
            "int la=0",
            "int ra=2",
            "int[] b=int[4] array#4",
            "int lb=0",
            "int rb=2",
            "int[] c=int[4] array#2",
            "int lc=0"
        ]
    );
    assert_eq!(values.outcome, OutcomeView::Returned(ValueView::Void));
    assert_eq!(
        last.call_site
            .as_ref()
            .map(|place| (place.method.as_str(), place.line)),
        Some(("sort", Some(21)))
    );

    let path: Vec<_> = history
        .path(call(7))
        .expect("a path")
        .iter()
        .map(|c| c.record.id.preorder)
        .collect();
    assert_eq!(path, [1, 2, 7]);
    let shallow = CallList {
        max_depth: 2,
        ..CallList::default()
    };
    assert_eq!(
        history
            .calls(&shallow, false, 0, "")
            .expect("a page")
            .rows
            .len(),
        2
    );
    let merges = CallList {
        method: Some("MergeSort.merge".into()),
        ..CallList::default()
    };
    let merges = history.calls(&merges, false, 0, "").expect("a page").rows;
    assert_eq!(
        merges
            .iter()
            .map(|c| c.record.id.preorder)
            .collect::<Vec<_>>(),
        [4, 5, 7]
    );
}

#[test]
fn pages_follow_one_another_and_tokens_are_bound_to_their_request() {
    let made = MergeSort::recorded(Level::Full, true).builder.finish();
    let history = made.history();
    let list = CallList::default();
    let (mut seen, mut token) = (Vec::new(), String::new());
    loop {
        let page = history.calls(&list, false, 2, &token).expect("a page");
        assert!(page.rows.len() <= 2);
        seen.extend(page.rows.iter().map(|call| call.record.id.preorder));
        match page.next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
    let token = history
        .calls(&list, false, 2, "")
        .expect("a page")
        .next
        .expect("more pages");
    let other = CallList {
        max_depth: 1,
        ..CallList::default()
    };
    assert!(matches!(
        history.calls(&other, false, 2, &token),
        Err(Error::PageToken)
    ));
    assert!(matches!(
        history.calls(&list, false, 2, "nonsense"),
        Err(Error::PageToken)
    ));
    assert!(matches!(
        history.calls(&list, false, 20_000, ""),
        Err(Error::PageSize(20_000))
    ));
}

#[test]
fn histories_of_the_array_are_those_of_the_design() {
    let sorted = MergeSort::recorded(Level::Full, true);
    let array = sorted.array;
    let history = sorted.builder.history();
    let element = |index| Variable::Element { array, index };
    let (one, seven) = ("1".to_owned(), "7".to_owned());
    let expected = [
        (one.clone(), 1, Some(10)),
        (one, 5, Some(43)),
        (seven.clone(), 7, Some(43)),
        ("9".to_owned(), 7, Some(46)),
    ];
    assert_eq!(written(&history, element(2), false), expected);
    let mut newest = expected.to_vec();
    newest.reverse();
    assert_eq!(written(&history, element(2), true), newest);
    assert_eq!(
        written(&history, element(3), false),
        [(seven.clone(), 1, Some(10)), (seven, 5, Some(48))]
    );
    let made = sorted.builder.finish();
    assert_eq!(written(&made.history(), element(2), false), expected);

    // In pages of one, both ways.
    let history = made.history();
    for newest_first in [false, true] {
        let list = WriteList {
            variable: element(2),
            from: None,
            to: None,
            newest_first,
        };
        let (mut seen, mut token) = (Vec::new(), String::new());
        loop {
            let writes = history.writes(&list, 1, &token).expect("a page");
            seen.extend(writes.page.rows.iter().map(|row| row.value.to_string()));
            match writes.page.next {
                Some(next) => token = next,
                None => break,
            }
        }
        let expected: &[&str] = if newest_first {
            &["9", "7", "1", "1"]
        } else {
            &["1", "1", "7", "9"]
        };
        assert_eq!(seen, expected);
    }

    // With the rest loop missing no write is wrong: only the questions find that.
    let sorted = MergeSort::recorded(Level::Full, false);
    let element = Variable::Element {
        array: sorted.array,
        index: 3,
    };
    let values: Vec<_> = written(&sorted.builder.history(), element, false)
        .into_iter()
        .map(|w| w.0)
        .collect();
    assert_eq!(values, ["7", "7"]);
}

#[test]
fn the_state_of_a_call_shows_red_and_yellow() {
    let sorted = MergeSort::recorded(Level::Full, true);
    let array = sorted.array;
    let made = sorted.builder.finish();
    let history = made.history();
    let state = history.state(call(2), None, None, 0).expect("a state");
    assert_eq!(state.notes, Vec::<String>::new());
    let a = row(&state.rows, "a");
    assert_eq!(
        (a.changed, a.changed_below, a.kind),
        (false, true, RowKind::Local)
    );
    assert_eq!(shown(a.start.as_ref()), shown(a.end.as_ref()));
    let b = row(&state.rows, "b");
    assert_eq!((b.changed, b.changed_below), (true, false));
    assert_eq!(shown(b.start.as_ref()), "-");
    let l = row(&state.rows, "l");
    assert_eq!(
        (shown(l.start.as_ref()), shown(l.end.as_ref()), l.changed),
        ("-".into(), "4".into(), true)
    );
    let end = row(&state.rows, "return");
    assert_eq!(
        (
            shown(end.start.as_ref()),
            shown(end.end.as_ref()),
            end.changed
        ),
        ("-".into(), "void".into(), true)
    );

    // distribute only reads a.
    let state = history.state(call(3), None, None, 0).expect("a state");
    assert!(!row(&state.rows, "a").changed_below && row(&state.rows, "b").changed_below);
    // Selecting an event sets the end of the state to it.
    let record = history
        .call_named("distribute#0", false)
        .expect("is there")
        .record;
    let state = history
        .state(record.id, None, Some(Timestamp(record.enter.0 + 1)), 0)
        .expect("a state");
    assert_eq!(shown(row(&state.rows, "i").end.as_ref()), "0");
    assert!(!row(&state.rows, "b").changed_below);

    let (page, notes) = history
        .expand(
            array,
            record.enter,
            Timestamp(
                history
                    .call_named("merge#2", false)
                    .expect("is there")
                    .record
                    .exit
                    .expect("ended")
                    .0,
            ),
            0,
            3,
            "",
        )
        .expect("its elements");
    assert!(notes.is_empty());
    let cells: Vec<_> = page
        .rows
        .iter()
        .map(|r| {
            (
                r.variable.as_str(),
                shown(r.start.as_ref()),
                shown(r.end.as_ref()),
                r.changed,
            )
        })
        .collect();
    assert_eq!(
        cells,
        [
            (
                format!("array#{array}[0]").as_str(),
                "4".into(),
                "1".into(),
                true
            ),
            (
                format!("array#{array}[1]").as_str(),
                "9".into(),
                "4".into(),
                true
            ),
            (
                format!("array#{array}[2]").as_str(),
                "1".into(),
                "9".into(),
                true
            ),
        ]
    );
    assert!(page.next.is_some());

    for (from, to) in [
        (Some(9_999_999), None),
        (None, Some(9_999_999)),
        (record.exit.map(|t| t.0), Some(record.enter.0)),
        (Some(0), None),
    ] {
        let wrong = history.state(record.id, from.map(Timestamp), to.map(Timestamp), 0);
        assert!(
            matches!(wrong, Err(Error::Interval { .. })),
            "{from:?} {to:?}"
        );
    }
    assert!(matches!(
        history.state(CallId::root(ThreadId(1)), None, None, 0),
        Err(Error::Root(_))
    ));
}

#[test]
fn input_and_result_follow_the_arguments_at_enter() {
    let sorted = MergeSort::recorded(Level::Full, true);
    let array = sorted.array;
    let made = sorted.builder.finish();
    let history = made.history();
    let input = history.input(call(7)).expect("its input");
    let names: Vec<_> = input.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["a", "la", "ra", "b", "lb", "rb", "c", "lc"]);
    // lb is written in the call, which is no matter of its input.
    assert_eq!(shown(row(&input.rows, "lb").end.as_ref()), "0");
    let given: Vec<_> = input
        .objects
        .iter()
        .map(|o| {
            (
                o.path.as_str(),
                o.rows
                    .iter()
                    .map(|row| shown(row.end.as_ref()))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        })
        .collect();
    assert_eq!(
        given,
        [
            ("a", "4 9 0 0".to_owned()),
            ("b", "1 7 0 0".to_owned()),
            ("c", "4 9 1 7".to_owned())
        ]
    );

    let result = history.result(call(7)).expect("its result");
    assert_eq!(
        result
            .rows
            .iter()
            .map(|row| row.name.as_str())
            .collect::<Vec<_>>(),
        ["return"]
    );
    assert_eq!(result.objects.len(), 1, "only c was changed");
    let c = &result.objects[0];
    assert_eq!((c.path.as_str(), c.object.object()), ("c", Some(array)));
    let cells: Vec<_> = c
        .rows
        .iter()
        .map(|row| {
            format!(
                "{}>{}{}",
                shown(row.start.as_ref()),
                shown(row.end.as_ref()),
                if row.changed { "!" } else { "" }
            )
        })
        .collect();
    assert_eq!(cells, ["4>1!", "9>4!", "1>9!", "7>7"]);
}

#[test]
fn event_lists_mark_and_page() {
    let sorted = MergeSort::recorded(Level::Full, true);
    let array = sorted.array;
    let made = sorted.builder.finish();
    let history = made.history();
    let mark = Some(Variable::Element { array, index: 2 });
    let list = EventList {
        mark,
        ..EventList::of(call(2))
    };
    let page = history.events(&list, 0, "").expect("a page").page;
    let event = |row: &EventRow| row.event().expect("its code has no loops").clone();
    let nested: Vec<_> = page
        .rows
        .iter()
        .filter_map(|row| match event(row).kind {
            EventKindView::Enter(nested) if nested.record.id != call(2) => {
                Some((nested.record.id.preorder, row.mark))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        nested,
        [
            (3, None),
            (4, None),
            (5, Some(Mark::Inside)),
            (6, None),
            (7, Some(Mark::Inside))
        ]
    );
    let exits = page
        .rows
        .iter()
        .filter(|row| matches!(event(row).kind, EventKindView::Exit(_)))
        .count();
    assert_eq!(exits, 1, "nested calls are one row each");
    let inner = EventList {
        call: call(7),
        ..list
    };
    let direct: Vec<_> = history
        .events(&inner, 0, "")
        .expect("a page")
        .page
        .rows
        .iter()
        .filter(|row| row.mark == Some(Mark::Direct))
        .map(|row| event(row).place.and_then(|place| place.line))
        .collect();
    assert_eq!(direct, [Some(43), Some(46)]);

    let (mut seen, mut token) = (Vec::new(), String::new());
    loop {
        let page = history.events(&list, 3, &token).expect("a page").page;
        seen.extend(page.rows);
        match page.next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!(seen, page.rows);
    let from = EventList {
        from: Some(event(&page.rows[4]).timestamp),
        ..list
    };
    assert_eq!(
        history.events(&from, 0, "").expect("a page").page.rows,
        page.rows[4..]
    );
}

#[test]
fn steps_lead_through_time_in_both_directions() {
    let sorted = MergeSort::recorded(Level::Full, true);
    let element = Variable::Element {
        array: sorted.array,
        index: 2,
    };
    let made = sorted.builder.finish();
    let history = made.history();
    use Direction::{Backward, Forward};
    let go = |from: Timestamp, step: Step| history.navigate(from, &step);
    let sort = history
        .call_named("sort#0", false)
        .expect("is there")
        .record;
    let out = go(sort.enter, Step::Out(Forward)).expect("its end");
    assert_eq!(Some(out.timestamp), sort.exit);
    assert_eq!(
        go(out.timestamp, Step::Out(Backward))
            .expect("its beginning")
            .timestamp,
        sort.enter
    );
    let main = history
        .call_named("main#0", false)
        .expect("is there")
        .record;
    assert_eq!(
        Some(
            go(out.timestamp, Step::Out(Forward))
                .expect("main's end")
                .timestamp
        ),
        main.exit
    );
    assert!(matches!(
        go(main.enter, Step::Out(Backward)),
        Err(Error::NoStep { .. })
    ));

    // Over all of sort and back meets none of what is inside of its calls.
    let mut at = sort.enter;
    let mut count = 0;
    while at != sort.exit.expect("ended") {
        let event = go(at, Step::Over(Forward)).expect("not at the end yet");
        assert_eq!(event.call, Some(sort.id));
        assert_eq!(
            go(event.timestamp, Step::Over(Backward))
                .expect("back")
                .timestamp,
            at
        );
        at = event.timestamp;
        count += 1;
    }
    assert_eq!(count, 8, "two creations, five writes, the exit");
    assert_eq!(
        go(at, Step::Over(Forward)).expect("into main").call,
        Some(main.id)
    );

    let mut writes = Vec::new();
    let mut at = Timestamp(0);
    while let Ok(event) = go(at, Step::Write(element, Forward)) {
        at = event.timestamp;
        writes.push(event.call.expect("a call").preorder);
    }
    assert_eq!(writes, [1, 5, 7, 7]);
    assert_eq!(
        go(at, Step::Write(element, Backward))
            .expect("the one before")
            .call
            .map(|call| call.preorder),
        Some(7)
    );

    let line = |direction| Step::Line("MergeSort".into(), 46, direction);
    let defect = go(Timestamp(0), line(Forward)).expect("it was executed");
    assert_eq!(defect.call.map(|call| call.preorder), Some(7));
    assert!(go(defect.timestamp, line(Backward)).is_err());
    assert!(matches!(
        go(Timestamp(0), Step::Line("Nowhere".into(), 1, Forward)),
        Err(Error::NoSuchClass(_))
    ));
    assert!(go(Timestamp(u64::MAX), Step::Into(Forward)).is_err());
}
