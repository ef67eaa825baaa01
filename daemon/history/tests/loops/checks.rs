//! Lists of events that were recorded, and what holds of every one: pages both ways, opened and closed, in part and marked.

use crate::machine::{Machine, compile};
use jhyde_history::History;
use jhyde_history::events::{EventList, EventRow, EventRowKind, Inside};
use jhyde_history::page::{Place, Start, Wanted};
use jhyde_history::view::EventKindView;
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{CallId, Level, RecordingOptions, State, ThreadId, Timestamp};
use tempfile::TempDir;

pub(crate) struct Recorded {
    pub(crate) _folder: TempDir,
    pub(crate) _catalogue: Catalogue,
    pub(crate) history: History,
}

/// Calls each method once; the n-th call of the thread's root is the n-th of `calls`.
pub(crate) fn record(source: &str, options: &[&str], calls: &[(&str, i32)]) -> Recorded {
    // Small blocks, so that calls span many.
    let store = StoreOptions {
        block_events: 64,
        ..StoreOptions::default()
    };
    record_with(store, source, options, calls)
}

pub(crate) fn record_with(
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
    pub(crate) fn outermost(&self) -> Vec<CallId> {
        let root = CallId::root(ThreadId(1));
        let calls = self.history.recording().children(root, None, 1000);
        calls.expect("calls").iter().map(|call| call.id).collect()
    }

    pub(crate) fn all(&self, list: &EventList) -> Vec<EventRow> {
        let events = self.history.events(list, 10_000, "").expect("a page");
        assert_eq!(events.page.next, None, "all of it is one page");
        assert_eq!(events.notes, Vec::<String>::new());
        events.page.rows
    }

    pub(crate) fn paged(&self, list: &EventList, size: u32) -> Vec<EventRow> {
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

pub(crate) fn opened(call: CallId) -> EventList {
    EventList {
        unfold: u32::MAX,
        ..EventList::of(call)
    }
}

/// The loops among rows in preorder, in the form of [`EXPECTED`].
pub(crate) fn structure(rows: &[EventRow]) -> String {
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
pub(crate) fn same(one: &[EventRow], other: &[EventRow], what: &str) {
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
pub(crate) fn check(recorded: &Recorded, call: CallId, name: &str) {
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
