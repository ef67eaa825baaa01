//! Event lists with loops: real code of `javac`, run by a small machine that records every instruction's
//! effect, and what the source says of its loops.

#[path = "common/machine.rs"]
mod machine;

use jhyde_history::History;
use jhyde_history::events::{EventList, EventRow, EventRowKind, Inside, Mark};
use jhyde_history::page::{Place, Start, Wanted};
use jhyde_history::view::EventKindView;
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{CallId, Level, RecordingOptions, State, ThreadId, Timestamp};
use machine::{Machine, compile};
use tempfile::TempDir;

const SOURCE: &str = include_str!("common/Loops.java");

/// Loops of a method called with a number, as the source says: `2{3;1}` is a loop of two iterations, in the
/// first of which is a loop of three, in the second one of one.
const EXPECTED: &[(&str, i32, &str)] = &[
    ("whileLoop", 3, "3"),
    ("whileLoop", 1, "1"),
    ("whileLoop", 0, ""),
    ("doWhile", 3, "3"),
    ("doWhile", 0, "1"),
    ("shortDoWhile", 3, "3"),
    ("shortDoWhile", 1, "1"),
    ("forLoop", 4, "4"),
    ("forEach", 3, "3"),
    ("forEach", 0, ""),
    ("endless", 1, "1"),
    ("endless", 3, "3"),
    ("both", 3, "3"),
    ("both", 0, ""),
    ("either", 0, "2"),
    ("either", 5, "5"),
    ("choice", 2, "2"),
    ("choice", 5, "3"),
    ("labelled", 3, "3{2;2;1}"),
    ("nested", 2, "2{3;3}"),
    ("triangle", 3, "3{;1;2}"),
    ("returning", 2, "3"),
    ("throwing", 3, ""),
    ("thrown", 1, "1"),
    ("catching", 3, "3"),
    ("around", 3, "3{2;1;2}"),
    ("headerFirst", 2, "2"),
    ("switching", 4, "4"),
    ("twice", 2, "2 2"),
    ("deep", 2, "3{2{2;2};2{2;2};2{2;2}}"),
];

struct Recorded {
    _folder: TempDir,
    _catalogue: Catalogue,
    history: History,
}

/// Calls each method once; the n-th call of the thread's root is the n-th of `calls`.
fn record(source: &str, options: &[&str], calls: &[(&str, i32)]) -> Recorded {
    // Small blocks, so that calls span many.
    let store = StoreOptions {
        block_events: 64,
        ..StoreOptions::default()
    };
    record_with(store, source, options, calls)
}

fn record_with(
    store: StoreOptions,
    source: &str,
    options: &[&str],
    calls: &[(&str, i32)],
) -> Recorded {
    let classes = compile("Test.java", source, options);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue = Catalogue::open(folder.path(), store).expect("a new data folder");
    let options = RecordingOptions {
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue
        .create(Some("test"), options)
        .expect("a new recording");
    let mut machine = Machine::new(&mut writer, classes);
    for (method, argument) in calls {
        machine.call(method, &[*argument]);
    }
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    Recorded {
        history: History::new(recording),
        _folder: folder,
        _catalogue: catalogue,
    }
}

impl Recorded {
    fn outermost(&self) -> Vec<CallId> {
        let root = CallId::root(ThreadId(1));
        let calls = self.history.recording().children(root, None, 1000);
        calls.expect("calls").iter().map(|call| call.id).collect()
    }

    fn all(&self, list: &EventList) -> Vec<EventRow> {
        let events = self.history.events(list, 10_000, "").expect("a page");
        assert_eq!(events.page.next, None, "all of it is one page");
        assert_eq!(events.notes, Vec::<String>::new());
        events.page.rows
    }

    fn paged(&self, list: &EventList, size: u32) -> Vec<EventRow> {
        let (mut rows, mut token) = (Vec::new(), String::new());
        loop {
            let events = self.history.events(list, size, &token).expect("a page");
            assert!(events.page.rows.len() <= size as usize);
            rows.extend(events.page.rows);
            match events.page.next {
                Some(next) => token = next,
                None => return rows,
            }
        }
    }
}

fn opened(call: CallId) -> EventList {
    EventList {
        unfold: u32::MAX,
        ..EventList::of(call)
    }
}

/// The loops among rows in preorder, in the form of [`EXPECTED`].
fn structure(rows: &[EventRow]) -> String {
    let loops = rows
        .iter()
        .enumerate()
        .filter_map(|(at, row)| match &row.kind {
            EventRowKind::Loop(found) if row.level == rows[0].level => {
                let inside = &rows[at + 1..];
                let inside = &inside[..length(inside, row.level)];
                let rounds: Vec<_> = inside
                    .iter()
                    .enumerate()
                    .filter(|(_, inner)| {
                        matches!(inner.kind, EventRowKind::Iteration(_))
                            && inner.level == row.level + 1
                    })
                    .map(|(at, round)| {
                        let rest = &inside[at + 1..];
                        structure(&rest[..length(rest, round.level)])
                    })
                    .collect();
                assert_eq!(rounds.len() as u64, found.iterations);
                Some(match rounds.iter().all(String::is_empty) {
                    true => found.iterations.to_string(),
                    false => format!("{}{{{}}}", found.iterations, rounds.join(";")),
                })
            }
            _ => None,
        });
    loops.collect::<Vec<_>>().join(" ")
}

/// How many rows from the beginning are deeper than a level.
fn length(rows: &[EventRow], level: u32) -> usize {
    rows.iter().take_while(|row| row.level > level).count()
}

/// Two lists are the same; if not, where they part.
fn same(one: &[EventRow], other: &[EventRow], what: &str) {
    let parted = one.iter().zip(other).position(|(a, b)| a != b);
    let at = parted.unwrap_or_else(|| one.len().min(other.len()));
    assert!(
        parted.is_none() && one.len() == other.len(),
        "{what}: {} and {} rows, parted at {at}: {:?} and {:?}",
        one.len(),
        other.len(),
        one.get(at),
        other.get(at)
    );
}

/// When a row begins.
fn begin(row: &EventRow) -> Timestamp {
    match &row.kind {
        EventRowKind::Event(event) => event.timestamp,
        EventRowKind::Loop(found) => found.from,
        EventRowKind::Iteration(round) => round.from,
    }
}

/// A list that begins at a place.
fn begun(at: Place, backward: bool) -> Wanted<'static> {
    Wanted {
        token: "",
        start: Some(Start { at, backward }),
    }
}

/// The list page by page from its end backwards, and at every place both ways, against all of it.
fn check_both_ways(recorded: &Recorded, list: &EventList, size: u32, name: &str) {
    let all = recorded.paged(list, 10_000);
    let ask = |wanted: Wanted<'_>| recorded.history.events(list, size, wanted).expect("a page");
    let mut rows: Vec<EventRow> = Vec::new();
    let mut page = ask(begun(Place::Time(Timestamp(u64::MAX >> 20)), true)).page;
    loop {
        assert!(page.rows.len() <= size as usize);
        let behind = page.next.as_deref().map(|token| ask(token.into()).page);
        let first_behind = behind.and_then(|page| page.rows.first().cloned());
        assert_eq!(
            first_behind,
            rows.first().cloned(),
            "{name}: what is behind"
        );
        rows = page.rows.into_iter().chain(rows).collect();
        match page.previous {
            Some(token) => page = ask(token.as_str().into()).page,
            None => break,
        }
    }
    same(&rows, &all, &format!("{name} backwards in pages of {size}"));
    let step = (all.len() / 7).max(1);
    for row in all.iter().step_by(step) {
        let time = begin(row);
        let at = all.partition_point(|row| begin(row) <= time) - 1;
        let on = ask(begun(Place::Time(time), false)).page;
        let behind = &all[at..all.len().min(at + size as usize)];
        same(&on.rows, behind, &format!("{name} from {time} on"));
        assert_eq!(
            on.previous.is_some(),
            at > 0,
            "{name}: something is before {time}"
        );
        let back = ask(begun(Place::Time(time), true)).page;
        let before = &all[at.saturating_sub(size as usize)..at];
        same(&back.rows, before, &format!("{name} before {time}"));
        assert!(back.next.is_some());
    }
}

/// What must hold of every list, whatever the loops.
fn check(recorded: &Recorded, call: CallId, name: &str) {
    let rows = recorded.all(&opened(call));
    let flat = EventList {
        flat: true,
        ..EventList::of(call)
    };
    // Opened, a list holds the same events in the same order as without loops.
    let events = |rows: &[EventRow]| -> Vec<Timestamp> {
        let events = rows.iter().filter_map(|row| Some(row.event()?.timestamp));
        events.collect()
    };
    let plain = recorded.all(&flat);
    assert_eq!(events(&rows), events(&plain), "{name}");
    assert!(plain.iter().all(|row| row.level == 0));
    for (unfold, size) in [(0, 2), (1, 3), (2, 5), (u32::MAX, 7), (u32::MAX, 64)] {
        let list = EventList {
            unfold,
            ..EventList::of(call)
        };
        check_both_ways(
            recorded,
            &list,
            size,
            &format!("{name}, {unfold} levels opened"),
        );
    }
    check_both_ways(recorded, &flat, 9, name);
    // Every event is found where the list has it: in the rows around it, outermost first.
    let mut around: Vec<&EventRow> = Vec::new();
    for row in &rows {
        around.truncate(row.level as usize);
        let EventRowKind::Event(event) = &row.kind else {
            around.push(row);
            continue;
        };
        let located = recorded
            .history
            .locate(event.timestamp, Some(call))
            .expect("it is there");
        let expected: Vec<_> = around.iter().map(|row| (*row).clone()).collect();
        assert_eq!(located.rows, expected, "{name}: around {}", event.timestamp);
        assert_eq!(located.event.timestamp, event.timestamp);
    }
    for row in &rows {
        let EventRowKind::Loop(found) = &row.kind else {
            continue;
        };
        let inside = EventList {
            inside: Some(found.row),
            ..EventList::of(call)
        };
        for index in [0, found.iterations / 2, found.iterations - 1] {
            let page = recorded
                .history
                .events(&inside, 1, begun(Place::Index(index), false));
            let page = page.expect("a page").page;
            let EventRowKind::Iteration(round) = &page.rows[0].kind else {
                panic!("{:?}", page.rows)
            };
            assert_eq!(round.number, index + 1, "{name}");
        }
    }
    // Pages of any size are pieces of the list, however far it is opened.
    for (unfold, size) in [
        (u32::MAX, 1),
        (u32::MAX, 7),
        (0, 3),
        (1, 5),
        (2, 4),
        (3, 64),
    ] {
        if size < 7 && rows.len() > 400 {
            continue;
        }
        let list = EventList {
            unfold,
            ..EventList::of(call)
        };
        let all = recorded.all(&list);
        same(
            &recorded.paged(&list, size),
            &all,
            &format!("{name} {unfold} {size}"),
        );
        let shown: Vec<_> = rows
            .iter()
            .filter(|row| row.level <= unfold)
            .cloned()
            .collect();
        same(&all, &shown, &format!("{name} {unfold}"));
    }
    for (at, row) in rows.iter().enumerate() {
        let inside = &rows[at + 1..];
        let inside = &inside[..length(inside, row.level)];
        let (id, from, to) = match &row.kind {
            EventRowKind::Event(_) => continue,
            EventRowKind::Loop(found) => (found.row, found.from, found.to),
            EventRowKind::Iteration(round) => (round.row, round.from, round.to),
        };
        let happened = events(inside);
        assert_eq!(happened.first(), Some(&from), "{name} {id}");
        let last = inside
            .iter()
            .rev()
            .find_map(EventRow::event)
            .expect("events");
        let end = match &last.kind {
            EventKindView::Enter(nested) => nested.record.exit.expect("has ended"),
            _ => last.timestamp,
        };
        assert_eq!(end, to, "{name} {id}");
        // A row can be opened by itself.
        assert_eq!(id.to_string().parse::<Inside>().expect("its own form"), id);
        if inside.len() > 200 && at > 40 {
            continue;
        }
        let list = EventList {
            inside: Some(id),
            ..opened(call)
        };
        let mut alone = recorded.paged(&list, 50);
        for inner in &mut alone {
            inner.level += row.level + 1;
        }
        same(&alone, inside, &format!("{name} inside {id}"));
    }
    // A range of time shows what touches it.
    let (Some(first), Some(last)) = (plain.first(), plain.last()) else {
        return;
    };
    let middle = |row: &EventRow| row.event().map_or(0, |event| event.timestamp.0);
    let from = Timestamp(middle(first) + (middle(last) - middle(first)) / 3);
    let to = Timestamp(middle(first) + (middle(last) - middle(first)) * 2 / 3);
    let list = EventList {
        from: Some(from),
        to: Some(to),
        ..opened(call)
    };
    let touched: Vec<_> = rows
        .iter()
        .filter(|row| {
            let (begin, end) = match &row.kind {
                EventRowKind::Event(event) => (event.timestamp, event.timestamp),
                EventRowKind::Loop(found) => (found.from, found.to),
                EventRowKind::Iteration(round) => (round.from, round.to),
            };
            begin < to && end >= from
        })
        .cloned()
        .collect();
    same(
        &recorded.paged(&list, 9),
        &touched,
        &format!("{name} from {from} to {to}"),
    );
}

#[test]
fn every_form_of_loop_is_as_the_source_says() {
    for options in [&["-g"][..], &["-g:none"][..]] {
        let calls: Vec<_> = EXPECTED.iter().map(|(name, n, _)| (*name, *n)).collect();
        let recorded = record(SOURCE, options, &calls);
        for (call, (name, n, expected)) in recorded.outermost().into_iter().zip(EXPECTED) {
            let rows = recorded.all(&opened(call));
            let unknown =
                options == ["-g:none"] && ["endless", "labelled", "returning"].contains(name);
            // Without lines `for (…) { if (…) break; … }` is `for (… && …) …`.
            if !unknown {
                assert_eq!(structure(&rows), *expected, "{name}({n}) {options:?}");
            }
            check(&recorded, call, name);
        }
    }
}

#[test]
fn long_loops_page_and_open_like_short_ones() {
    let calls = [
        ("deep", 300),
        ("whileLoop", 2000),
        ("triangle", 40),
        ("nested", 700),
    ];
    let recorded = record(SOURCE, &["-g"], &calls);
    let outermost = recorded.outermost();
    for (call, (name, n)) in outermost.iter().zip(calls) {
        let list = EventList::of(*call);
        let rows = recorded.all(&list);
        let counts: Vec<_> = rows
            .iter()
            .filter_map(|row| match &row.kind {
                EventRowKind::Loop(found) => Some(found.iterations),
                _ => None,
            })
            .collect();
        assert_eq!(
            counts,
            [if name == "deep" { 3 } else { n as u64 }],
            "{name}"
        );
    }
    check(&recorded, outermost[2], "triangle");
    // Too long for one page: pages of different sizes agree.
    for call in [outermost[0], outermost[1], outermost[3]] {
        let list = opened(call);
        let (one, other) = (recorded.paged(&list, 4999), recorded.paged(&list, 777));
        assert!(one.len() > 4999);
        assert!(one == other, "pages of two sizes differ");
        let flat = EventList {
            flat: true,
            ..EventList::of(call)
        };
        let events = |rows: &[EventRow]| -> Vec<Timestamp> {
            let events = rows.iter().filter_map(|row| Some(row.event()?.timestamp));
            events.collect()
        };
        assert_eq!(events(&one), events(&recorded.paged(&flat, 5000)));
        // Any iteration can be opened by its name.
        for row in one.iter().step_by(997) {
            let EventRowKind::Iteration(round) = &row.kind else {
                continue;
            };
            let list = EventList {
                inside: Some(round.row),
                ..EventList::of(call)
            };
            let first = recorded.paged(&list, 100)[0].clone();
            let begin = match first.kind {
                EventRowKind::Event(event) => event.timestamp,
                EventRowKind::Loop(found) => found.from,
                EventRowKind::Iteration(_) => panic!("an iteration in an iteration"),
            };
            assert_eq!(begin, round.from);
        }
    }
}

#[test]
fn marks_reach_through_loops_and_calls() {
    let recorded = record(SOURCE, &["-g"], &[("forLoop", 3), ("triangle", 3)]);
    let [_, triangle] = recorded.outermost()[..] else {
        panic!("two calls")
    };
    let sum = recorded
        .history
        .resolve_variable("Test.sum")
        .expect("the static");
    let list = EventList {
        mark: Some(sum),
        ..opened(triangle)
    };
    for row in recorded.all(&list) {
        let inside = match &row.kind {
            EventRowKind::Loop(_) | EventRowKind::Iteration(_) => true,
            EventRowKind::Event(event) => matches!(&event.kind, EventKindView::Enter(nested)
                if nested.record.id != triangle),
        };
        assert_eq!(row.mark, inside.then_some(Mark::Inside), "{row:?}");
    }
    let i = recorded
        .history
        .resolve_variable(&format!("{triangle}:i"))
        .expect("the local");
    let list = EventList {
        mark: Some(i),
        unfold: 1,
        ..EventList::of(triangle)
    };
    let marks: Vec<_> = recorded.all(&list).iter().map(|row| row.mark).collect();
    // Enter, i = 0, loop (3), its three iterations, i < n, exit.
    let inside = Some(Mark::Inside);
    assert_eq!(
        marks[..6],
        [None, Some(Mark::Direct), inside, inside, inside, inside]
    );
    assert!(marks[6..].iter().all(Option::is_none));
}

#[test]
fn rows_that_are_not_there_are_refused() {
    let recorded = record(SOURCE, &["-g"], &[("whileLoop", 2)]);
    let call = recorded.outermost()[0];
    for bad in [
        "",
        "loop",
        "loop@1",
        "loop@x@0",
        "iteration@1@2",
        "row@1@2",
        "loop@-1@2",
    ] {
        assert!(bad.parse::<Inside>().is_err(), "{bad}");
    }
    for missing in ["loop@1@0", "loop@99999@4", "iteration@1@2@3"] {
        let list = EventList {
            inside: Some(missing.parse().expect("written right")),
            ..EventList::of(call)
        };
        let error = recorded
            .history
            .events(&list, 0, "")
            .expect_err("not there");
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[test]
fn a_question_that_nobody_waits_for_ends() {
    let recorded = record(SOURCE, &["-g"], &[("whileLoop", 2000)]);
    let call = recorded.outermost()[0];
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let history = recorded.history.cancelled_by(flag.clone());
    let error = history
        .events(&opened(call), 0, "")
        .expect_err("was cancelled");
    assert!(matches!(error, jhyde_history::Error::Cancelled), "{error}");
    // What it had read of the outline is gone on with.
    flag.store(false, std::sync::atomic::Ordering::Relaxed);
    let rows = history
        .events(&EventList::of(call), 0, "")
        .expect("a page")
        .page
        .rows;
    let counted = rows
        .iter()
        .any(|row| matches!(&row.kind, EventRowKind::Loop(found) if found.iterations == 2000));
    assert!(counted);
}

#[test]
fn a_running_call_is_gone_on_with() {
    let calls = [("deep", 40), ("triangle", 30)];
    let whole = record(SOURCE, &["-g"], &calls);
    let source = whole.history.recording();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue =
        Catalogue::open(folder.path(), StoreOptions::default()).expect("a new data folder");
    let options = source.meta().options;
    let (recording, mut writer) = catalogue.create(None, options).expect("a recording");
    for thread in source.threads().expect("threads") {
        writer.thread(thread).expect("a thread");
    }
    for class in source.classes() {
        let class = source.class(class).expect("can be read").expect("is known");
        writer.class(class.as_ref().clone()).expect("a class");
    }
    let growing = Recorded {
        // One history: its outlines grow with the recording.
        history: History::new(recording),
        _folder: folder,
        _catalogue: catalogue,
    };
    let everything = Timestamp(0)..source.end();
    let all: Vec<_> = source
        .events(everything, None, jhyde_store::Direction::Forward)
        .map(|event| event.expect("an event").event)
        .collect();
    let (mut seen, mut running) = (0, 0);
    for (at, event) in all.iter().enumerate() {
        writer.append(event.clone()).expect("an event that fits");
        if at % 613 != 0 || at == 0 {
            continue;
        }
        for call in growing.outermost() {
            let rows = growing.paged(&opened(call), 900);
            let flat = EventList {
                flat: true,
                ..EventList::of(call)
            };
            let events: Vec<_> = rows.iter().filter_map(EventRow::event).cloned().collect();
            let plain: Vec<_> = growing.paged(&flat, 900);
            let plain: Vec<_> = plain.iter().filter_map(EventRow::event).cloned().collect();
            assert!(events == plain, "at {at} of {call}");
            seen += 1;
            running += rows
                .iter()
                .filter(|row| matches!(&row.kind, EventRowKind::Loop(found) if found.running))
                .count();
        }
    }
    assert!(
        seen > 10 && running > 5,
        "{running} loops were seen running"
    );
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    for call in whole.outermost() {
        let name = format!("{call} in the end");
        same(
            &growing.paged(&opened(call), 900),
            &whole.paged(&opened(call), 777),
            &name,
        );
    }
}

/// `cargo test -p jhyde-history --test loops -- --ignored --nocapture` prints what it measured.
#[test]
#[ignore = "records ten million events: for measuring"]
fn a_loop_of_a_million_iterations() {
    let store = StoreOptions::default();
    let recorded = record_with(store, SOURCE, &["-g"], &[("whileLoop", 1_000_000)]);
    let call = recorded.outermost()[0];
    let timed = |what: &str, list: &EventList| {
        let begin = std::time::Instant::now();
        let rows = recorded
            .history
            .events(list, 100, "")
            .expect("a page")
            .page
            .rows;
        let took = begin.elapsed();
        println!("{what}: {} rows in {took:?}", rows.len());
        (rows, took)
    };
    let (rows, _) = timed("first", &EventList::of(call));
    let found = rows.iter().find_map(|row| match &row.kind {
        EventRowKind::Loop(found) => Some(found.clone()),
        _ => None,
    });
    let found = found.expect("a loop");
    assert_eq!(found.iterations, 1_000_000);
    let mut slowest = std::time::Duration::ZERO;
    let middle = Timestamp((found.from.0 + found.to.0) / 2);
    let Inside::Loop { begun, header } = found.row else {
        panic!("a loop's row")
    };
    let number = 777_777;
    let questions = [
        ("again", EventList::of(call)),
        (
            "opened",
            EventList {
                unfold: 1,
                ..EventList::of(call)
            },
        ),
        (
            "iterations from the middle",
            EventList {
                unfold: 1,
                from: Some(middle),
                ..EventList::of(call)
            },
        ),
        (
            "all from the middle",
            EventList {
                from: Some(middle),
                ..opened(call)
            },
        ),
        (
            "one iteration",
            EventList {
                inside: Some(Inside::Iteration {
                    begun,
                    header,
                    number,
                }),
                ..EventList::of(call)
            },
        ),
    ];
    for (what, list) in questions {
        slowest = slowest.max(timed(what, &list).1);
    }
    assert!(slowest.as_millis() < 500, "{slowest:?}");
}
