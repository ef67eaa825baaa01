//! What objects of the JDK held at a time, compared with a plain model; their parts as variables.

mod common;

use common::{Builder, STATIC, method};
use jhyde_history::view::ValueView;
use jhyde_history::writes::WriteList;
use jhyde_trace::{
    Change, Content, EventKind, Items, Level, ObjectId, Part, Text, ThreadId, Timestamp, Value,
    Variable,
};

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// One run: a call of the scope that makes boundary calls, which change what it holds.
struct Run {
    builder: Builder,
    thread: ThreadId,
    outside: jhyde_trace::MethodId,
}

impl Run {
    fn new(level: Level) -> Self {
        let mut builder = Builder::new(level);
        let methods = vec![method("main", "()V", STATIC, 1, &[])];
        let (_, _, own) = builder.class("p.Main", Some("java.lang.Object"), true, &[], methods);
        let methods = vec![method("change", "()V", 0, 1, &[])];
        let (_, _, outside) = builder.class("java.util.Any", None, false, &[], methods);
        let thread = builder.thread("main");
        builder.enter(thread, own[0], None, &[]);
        Self {
            builder,
            thread,
            outside: outside[0],
        }
    }

    fn found(&mut self, object: ObjectId, change: Change) -> Timestamp {
        self.content(object, true, change)
    }

    /// A boundary call that changes an object.
    fn change(&mut self, object: ObjectId, change: Change) -> Timestamp {
        let receiver = Some(Value::Object(object));
        self.builder
            .enter_any(self.thread, self.outside, receiver, &[], true);
        let at = self.content(object, false, change);
        self.builder.leave(self.thread);
        at
    }

    fn content(&mut self, object: ObjectId, snapshot: bool, change: Change) -> Timestamp {
        let kind = EventKind::Content {
            object,
            snapshot,
            change,
        };
        self.builder.here(self.thread, 0, kind)
    }
}

fn ints(numbers: &[i32]) -> Items {
    Items::Elements(numbers.iter().map(|&n| Value::Int(n)).collect())
}

fn display(numbers: &[i32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i32::to_string).collect();
    numbers.join(", ")
}

#[test]
fn a_list_is_what_a_vector_is_at_every_time() {
    let mut run = Run::new(Level::State);
    let class = run.builder.plain_class("java.util.ArrayList");
    let list = run.builder.object(class, Content::None);
    let view = run.builder.object(class, Content::None);
    let mut numbers = Numbers(7);
    let mut model: Vec<i32> = vec![1, 2];
    let mut times = vec![(run.found(list, Change::Whole(ints(&model))), model.clone())];
    let part = Part::Range { from: 1, to: 3 };
    run.found(view, Change::Whole(Items::View { of: list, part }));
    for round in 0..60 {
        let at = numbers.below(model.len() + 1);
        let removed = numbers.below((model.len() - at).min(2) + 1);
        let grows = if model.len() < 9 { 3 } else { 1 };
        let inserted: Vec<i32> = (0..numbers.below(grows)).map(|_| round).collect();
        model.splice(at..at + removed, inserted.iter().copied());
        let change = match round % 17 {
            16 => Change::Whole(ints(&model)),
            _ => Change::Splice {
                at: at as u32,
                removed: removed as u32,
                inserted: ints(&inserted),
            },
        };
        times.push((run.change(list, change), model.clone()));
    }
    let made = run.builder.finish();
    let history = made.history();
    let first = times[0].0;
    for (at, model) in &times {
        let shown = history.value_at(Value::Object(list), *at).expect("a list");
        let expected = format!(
            "ArrayList[{}] list#{list} [{}]",
            model.len(),
            display(model)
        );
        assert_eq!(shown.to_string(), expected, "at {at}");
        let (page, _) = history.expand(list, first, *at, 0, 100, "").expect("rows");
        let now: Vec<_> = page.rows.iter().filter_map(|row| row.end.clone()).collect();
        let wanted: Vec<_> = model.iter().map(|&n| int(n)).collect();
        assert_eq!(now, wanted, "at {at}");
        for (index, row) in page.rows.iter().enumerate() {
            let differs = times[0].1.get(index) != model.get(index);
            assert!(row.changed || !differs, "row {index} at {at}");
        }
        let behind = history.value_at(Value::Object(view), (*at).max(Timestamp(first.0 + 1)));
        let range = model.get(1..model.len().min(3)).unwrap_or_default();
        let shown = behind.expect("a view").to_string();
        let expected = format!(
            "ArrayList[{}] list#{view} [{}]",
            range.len(),
            display(range)
        );
        assert_eq!(shown, expected, "the view at {at}");
    }
    // The history of one position: each time that it became something else.
    let variable = history
        .resolve_variable(&format!("list#{list}[1]"))
        .expect("a variable");
    assert_eq!(
        history.written_form(variable).expect("its form"),
        format!("list#{list}[1]")
    );
    let all = WriteList {
        variable,
        from: None,
        to: None,
        newest_first: false,
    };
    let writes = history.writes(&all, 1000, "").expect("a history");
    for pair in times.windows(2) {
        let (before, now) = (pair[0].1.get(1), pair[1].1.get(1));
        let told = writes
            .page
            .rows
            .iter()
            .find(|row| row.timestamp == pair[1].0);
        let value = told.map(|row| row.value.clone());
        if before != now {
            assert_eq!(value, Some(now.map_or(ValueView::Gone, |&n| int(n))));
        } else if let Some(value) = value {
            assert_eq!(value, now.map_or(ValueView::Gone, |&n| int(n)));
        }
    }
    let newest = WriteList {
        newest_first: true,
        ..all
    };
    let mut back = history
        .writes(&newest, 1000, "")
        .expect("a history")
        .page
        .rows;
    back.reverse();
    assert_eq!(back, writes.page.rows);
}

fn int(n: i32) -> ValueView {
    ValueView::Primitive(Value::Int(n))
}

#[test]
fn a_map_has_equal_keys_once_and_tells_what_became_of_them() {
    let mut run = Run::new(Level::State);
    let strings = run.builder.plain_class("java.lang.String");
    let text = |run: &mut Run, text: &str| {
        let content = Content::String(Text::whole(text));
        Value::Object(run.builder.object(strings, content))
    };
    let (one, again, other) = (
        text(&mut run, "k"),
        text(&mut run, "k"),
        text(&mut run, "l"),
    );
    let class = run.builder.plain_class("java.util.TreeMap");
    let map = run.builder.object(class, Content::None);
    let entry = |key, value| Items::Entries(vec![(key, Value::Int(value))]);
    let first = run.found(map, Change::Whole(entry(one, 1)));
    let splice = |at, removed, inserted| Change::Splice {
        at,
        removed,
        inserted,
    };
    let second = run.change(map, splice(1, 0, entry(other, 5)));
    let removed = run.change(map, splice(0, 1, Items::Entries(Vec::new())));
    let back = run.change(map, splice(0, 0, entry(again, 1)));
    let lost = run.change(
        map,
        Change::Unknown {
            since: None,
            reason: "another thread had it".to_owned(),
        },
    );
    let made = run.builder.finish();
    let history = made.history();
    let shown = |at| {
        let value = history.value_at(Value::Object(map), at).expect("a map");
        (value.to_string(), value.compact())
    };
    assert_eq!(
        shown(second),
        (
            format!("TreeMap{{2}} map#{map} {{\"k\": 1, \"l\": 5}}"),
            "TreeMap{2} {\"k\": 1, \"l\": 5}".to_owned()
        )
    );
    assert!(
        shown(lost).0.contains("another thread had it"),
        "{:?}",
        shown(lost)
    );
    let form = format!("map#{map}[\"k\"]");
    for written in [
        form.clone(),
        format!("TreeMap#{map}[\"k\"]"),
        format!("object#{map}[\"k\"]"),
    ] {
        let variable = history.resolve_variable(&written).expect("a variable");
        assert_eq!(history.written_form(variable).expect("its form"), form);
    }
    let variable = history.resolve_variable(&form).expect("a variable");
    let list = WriteList {
        variable,
        from: None,
        to: None,
        newest_first: false,
    };
    let writes = history.writes(&list, 1000, "").expect("a history");
    let told: Vec<_> = writes
        .page
        .rows
        .iter()
        .map(|row| (row.timestamp, row.value.to_string()))
        .collect();
    let unknown = "<not recorded: another thread had it>".to_owned();
    assert_eq!(
        told,
        [
            (first, "1".to_owned()),
            (removed, "(removed)".to_owned()),
            (back, "1".to_owned()),
            (lost, unknown)
        ]
    );
    let (page, _) = history
        .expand(map, second, removed, 0, 10, "")
        .expect("rows");
    let rows: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.changed, row.end.is_some()))
        .collect();
    assert_eq!(rows, [("[\"l\"]", false, true), ("[\"k\"]", true, false)]);
    assert!(
        history
            .resolve_variable(&format!("map#{map}[\"x\"]"))
            .is_err()
    );
}

#[test]
fn what_is_not_known_is_not_shown_as_known() {
    let mut run = Run::new(Level::State);
    let class = run.builder.plain_class("java.util.ArrayList");
    let list = run.builder.object(class, Content::None);
    let before = run.builder.here(
        run.thread,
        0,
        EventKind::Gap {
            back: false,
            reason: "something".to_owned(),
        },
    );
    let first = Change::First {
        items: ints(&[1, 2]),
        length: 5,
    };
    let shown = run.builder.here(run.thread, 0, EventKind::ThreadStart);
    let at = run.found(list, first);
    let made = run.builder.finish();
    let history = made.history();
    let at_time = |at| {
        history
            .value_at(Value::Object(list), at)
            .expect("a list")
            .to_string()
    };
    assert!(
        at_time(before).contains("not recorded"),
        "{}",
        at_time(before)
    );
    // The event directly before it showed the object.
    let known = format!("ArrayList[5] list#{list} [1, 2, … 3 more]");
    assert_eq!(at_time(shown), known);
    assert_eq!(at_time(at), known);
}

/// What a list held first is not recorded, as where the beginning of a recording was cut off: it is called a list still.
#[test]
fn what_was_changed_before_it_is_known_goes_by_the_same_name() {
    let mut run = Run::new(Level::State);
    let class = run.builder.plain_class("java.util.ArrayList");
    let list = run.builder.object(class, Content::None);
    let splice = Change::Splice {
        at: 3,
        removed: 0,
        inserted: ints(&[7]),
    };
    let at = run.change(list, splice);
    let made = run.builder.finish();
    let history = made.history();
    for text in [format!("list#{list}"), format!("list#{list}[3]")] {
        let variable = history.resolve_variable(&text).expect("a variable");
        assert_eq!(history.written_form(variable).expect("its form"), text);
    }
    let shown = history.value_at(Value::Object(list), at).expect("a list");
    assert!(shown.to_string().contains("not recorded"), "{shown}");
}

/// An array was found gone that code out of the scope had: what it held is known until that may have changed it.
/// Nobody saw the call that changed it: where steps are missing, the recording has a gap and no call.
#[test]
fn what_is_found_changed_behind_a_gap_is_not_known_from_the_gap_on() {
    let mut run = Run::new(Level::State);
    let class = run.builder.plain_class("java.util.ArrayDeque");
    let queue = run.builder.object(class, Content::None);
    let told = run.found(queue, Change::Whole(ints(&[4])));
    let before = run
        .builder
        .here(run.thread, 1, EventKind::Edge { from: 0, to: 1 });
    let (reason, back) = ("steps are missing".to_owned(), false);
    let gap = EventKind::Gap { reason, back };
    let gap = run.builder.here(run.thread, 1, gap);
    let behind = run
        .builder
        .here(run.thread, 2, EventKind::Edge { from: 1, to: 2 });
    let found = run.found(queue, Change::Whole(ints(&[])));
    let made = run.builder.finish();
    let history = made.history();
    let shown = |at| {
        let shown = history.value_at(Value::Object(queue), at).expect("a queue");
        shown.to_string()
    };
    for at in [told, before] {
        assert_eq!(shown(at), format!("ArrayDeque[1] list#{queue} [4]"), "{at}");
    }
    for at in [gap, behind] {
        assert!(
            shown(at).contains("it was found changed"),
            "{at}: {}",
            shown(at)
        );
    }
    assert_eq!(shown(found), format!("ArrayDeque[0] list#{queue} []"));
}

#[test]
fn what_an_array_held_is_not_known_from_when_it_was_last_certain() {
    let mut run = Run::new(Level::Full);
    let thread = run.thread;
    let class = run.builder.plain_class("int[]");
    let array = run.builder.create(thread, class, Content::Array(1));
    let element = Variable::Element { array, index: 0 };
    let written = run.builder.write(thread, 0, element, Value::Int(1));
    let view = run.builder.plain_class("java.util.Any");
    let view = run.builder.object(view, Content::None);
    let items = Items::View {
        of: array,
        part: Part::Same,
    };
    let outside = run.change(view, Change::Whole(items));
    let certain = Timestamp(outside.0 + 2);
    let class = run.builder.plain_class("java.util.ArrayList");
    let other = run.builder.object(class, Content::None);
    let last = run.change(other, Change::Whole(ints(&[7])));
    run.content(array, true, Change::Gone { since: certain });
    let made = run.builder.finish();
    let history = made.history();
    let held = |at| format!("{:?}", history.value_at(Value::Object(view), at));
    assert!(written < outside && certain < last);
    assert!(held(outside).contains("Int(1)"), "{}", held(outside));
    assert!(!held(last).contains("Int(1)"), "{}", held(last));
    let list = WriteList {
        variable: element,
        from: None,
        to: None,
        newest_first: false,
    };
    let told = history.writes(&list, 10, "").expect("a history");
    assert_eq!(told.page.rows.len(), 1);
    let since = format!("from {certain} on");
    assert!(
        told.notes.iter().any(|note| note.contains(&since)),
        "{:?}",
        told.notes
    );
}
