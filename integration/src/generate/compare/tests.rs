//! Stories side by side, made by hand.

use super::*;

const RULES: Rules = Rules {
    edges: true,
    names: true,
    changes: true,
};

fn seen(event: Event, outside: bool) -> Seen {
    Seen {
        event,
        call: "1.1".into(),
        outside,
        place: String::new(),
    }
}

fn array(id: u64) -> Value {
    Value::Object(id, "int[]".into(), Some(2))
}

fn local(name: Option<&str>, v: i64) -> Event {
    Event::Local(name.map(str::to_owned), Value::Whole(v))
}

fn enter() -> Event {
    Event::Enter("g.p1.Main".into(), "f".into(), None, vec![Value::Whole(1)])
}

fn edge(from: &str, to: &str) -> Event {
    Event::Edge(from.into(), to.into())
}

/// What a program tells, and a recording that is right: variables, edges and a way back that javac makes, an array
/// under another number that code outside has written.
fn right() -> (Vec<Event>, Vec<Seen>) {
    let told = vec![
        enter(),
        edge("7", "1"),
        local(Some("x"), 2),
        edge("7", "0"),
        Event::Element(array(3), 0, Value::Whole(5)),
        Event::Out("java.lang.Math.abs".into(), Value::Whole(4)),
        Event::Changed(Box::new(Event::Element(array(3), 1, Value::Whole(6)))),
        Event::Return(Value::Double(0.5)),
    ];
    let recorded = [
        (enter(), false),
        (edge("f@4", "7"), false),
        (local(None, 9), false),
        (local(Some("x"), 2), false),
        (edge("f@11", "1"), false),
        (edge("f@4", "14"), false),
        (Event::Element(array(90), 0, Value::Whole(5)), false),
        (
            Event::Out("java.lang.Integer.valueOf".into(), Value::Whole(1)),
            true,
        ),
        (
            Event::Out("java.lang.Math.abs".into(), Value::Whole(4)),
            true,
        ),
        (Event::Element(array(90), 1, Value::Whole(6)), true),
        (Event::Return(Value::Double(0.5)), false),
    ];
    let recorded = recorded.map(|(event, outside)| seen(event, outside));
    (told, recorded.to_vec())
}

fn difference(told: &[Event], recorded: &[Seen]) -> Option<Difference> {
    let gaps = BTreeMap::new();
    compare("main", RULES, &mut Same::default(), told, recorded, &gaps).difference
}

#[test]
fn a_right_recording_is_right() {
    let (told, recorded) = right();
    assert_eq!(difference(&told, &recorded), None);
}

#[test]
fn every_event_that_is_missing_is_found() {
    let (told, recorded) = right();
    // Not missed: a variable, a way back and a call that no source shows.
    for at in (0..recorded.len()).filter(|at| ![2, 4, 7].contains(at)) {
        let mut less = recorded.clone();
        less.remove(at);
        assert!(difference(&told, &less).is_some(), "without {at}");
    }
}

#[test]
fn every_event_too_many_is_found() {
    let (told, recorded) = right();
    for planted in [
        local(Some("y"), 1),
        Event::Static("g.p1.Main.s".into(), Value::Null),
        Event::Element(array(90), 0, Value::Whole(5)),
        Event::Return(Value::Void),
        enter(),
        edge("f@4", "7"),
        Event::Throw(Value::Object(8, "java.lang.Error".into(), None)),
    ] {
        for at in 7..=recorded.len() {
            let mut more = recorded.clone();
            more.insert(at, seen(planted.clone(), false));
            assert!(difference(&told, &more).is_some(), "{planted:?} at {at}");
        }
    }
    let (told, mut more) = right();
    more.push(seen(Event::Element(array(90), 0, Value::Whole(1)), true));
    assert!(
        difference(&told, &more).is_some(),
        "a write by code outside"
    );
}

#[test]
fn every_wrong_value_is_found() {
    let (told, recorded) = right();
    for (at, wrong) in [
        (
            0,
            Event::Enter("g.p1.Main".into(), "f".into(), None, vec![Value::Whole(2)]),
        ),
        (3, local(Some("x"), 3)),
        (3, local(Some("y"), 2)),
        (5, edge("f@4", "7")),
        (6, Event::Element(array(90), 0, Value::Whole(6))),
        (6, Event::Element(array(90), 1, Value::Whole(5))),
        (8, Event::Out("java.lang.Math.abs".into(), Value::Whole(5))),
        (9, Event::Element(array(91), 1, Value::Whole(6))),
        (10, Event::Return(Value::Double(0.500_000_000_000_000_1))),
    ] {
        let mut planted = recorded.clone();
        planted[at].event = wrong.clone();
        assert!(difference(&told, &planted).is_some(), "{wrong:?} at {at}");
    }
}

#[test]
fn what_is_not_recorded_is_counted_and_what_a_gap_covers_is_excused() {
    let (told, mut recorded) = right();
    recorded[3].event = Event::Local(Some("x".into()), Value::NotRecorded("why".into()));
    let gaps = BTreeMap::from([("1.1".to_owned(), "a gap".to_owned())]);
    let done = compare("main", RULES, &mut Same::default(), &told, &recorded, &gaps);
    assert_eq!(done.difference, None);
    assert_eq!(done.not_recorded, BTreeMap::from([("why".to_owned(), 1)]));
    recorded.remove(3);
    let done = compare("main", RULES, &mut Same::default(), &told, &recorded, &gaps);
    let excused = done.difference.and_then(|one| one.excused);
    assert_eq!(excused.as_deref(), Some("a gap"));
}

#[test]
fn numbers_are_compared_to_the_last_bit() {
    let same = Same::default();
    assert!(!same.plain(&Value::Double(0.0), &Value::Double(-0.0), false));
    assert!(same.plain(
        &Value::Single(0.1),
        &Value::Double(f64::from(0.1_f32)),
        false
    ));
    let nan = Value::Text("NaN".encode_utf16().collect());
    assert!(same.plain(&Value::Double(f64::NAN), &nan, false));
    assert!(!same.plain(&Value::Double(f64::INFINITY), &nan, false));
}
