//! What is asked.

use jhyde_history::History;
use jhyde_store::Direction;
use jhyde_trace::{Timestamp, Variable};

use crate::places::Place;

/// No more rows of an answer are taken: a page.
pub(crate) const ROWS: usize = 100;

/// A statement at a place.
pub(crate) type Text = fn(&Place) -> String;
/// The same question, asked of `History`.
pub(crate) type Peer = fn(&History, &Place);

fn record_of(history: &History, place: &Place) -> jhyde_store::records::CallRecord {
    history.recording().call(place.call).expect("a call")
}

/// What is looked up.
pub(crate) const LOOKUPS: [(&str, Text, Option<Peer>); 13] = [
    (
        "a call, all columns",
        |p| format!("SELECT * FROM calls WHERE id = '{}'", p.call),
        Some(|h, p| drop(h.call(record_of(h, p), true).expect("a call"))),
    ),
    (
        "its caller, by a join",
        |p| {
            format!(
                "SELECT p.id, p.method FROM calls c JOIN calls p ON p.id = c.parent WHERE c.id = '{}'",
                p.call
            )
        },
        Some(|h, p| {
            let parent = record_of(h, p).parent;
            if !parent.is_root() {
                let parent = h.recording().call(parent).expect("a call");
                drop(h.call(parent, false).expect("a call"));
            }
        }),
    ),
    (
        "the calls around it",
        |p| format!("SELECT id, method FROM ancestors('{}')", p.call),
        Some(|h, p| {
            for call in h.recording().path(p.call).expect("a path") {
                drop(h.call(call, false).expect("a call"));
            }
        }),
    ),
    (
        "what it called",
        |p| format!("SELECT id, method FROM children('{}')", p.call),
        Some(|h, p| {
            for call in h.recording().children(p.call, None, 10_000).expect("calls") {
                drop(h.call(call, false).expect("a call"));
            }
        }),
    ),
    (
        "100 calls below it",
        |p| {
            format!(
                "SELECT id, method FROM descendants('{}') LIMIT {ROWS}",
                p.call
            )
        },
        None,
    ),
    (
        "its arguments",
        |p| format!("SELECT * FROM arguments WHERE call = '{}'", p.call),
        Some(|h, p| drop(h.call(record_of(h, p), true).expect("a call"))),
    ),
    (
        "its state at its end",
        |p| format!("SELECT * FROM state('{}')", p.call),
        Some(|h, p| drop(h.state(p.call, None, None, 0).expect("a state"))),
    ),
    (
        "100 of its events",
        |p| {
            format!(
                "SELECT timestamp, kind, line FROM events WHERE call = '{}' LIMIT {ROWS}",
                p.call
            )
        },
        Some(|h, p| {
            let all = Timestamp(0)..h.recording().end();
            let events = h.recording().own_events(p.call, all, Direction::Forward);
            for event in events.take(ROWS) {
                let event = event.expect("an event");
                drop(h.event(event.timestamp, &event.event).expect("an event"));
            }
        }),
    ),
    (
        "100 events from a time on",
        |p| {
            format!(
                "SELECT timestamp, kind, line FROM events WHERE timestamp >= {} LIMIT {ROWS}",
                p.at
            )
        },
        Some(|h, p| {
            let range = Timestamp(p.at)..h.recording().end();
            let events = h.recording().events(range, None, Direction::Forward);
            for event in events.take(ROWS) {
                let event = event.expect("an event");
                drop(h.event(event.timestamp, &event.event).expect("an event"));
            }
        }),
    ),
    (
        "the last write of a field before a time",
        |p| {
            format!(
                "SELECT timestamp, value FROM history('{}') WHERE timestamp <= {} ORDER BY timestamp DESC LIMIT 1",
                p.variable, p.at
            )
        },
        Some(|h, p| {
            let variable: Variable = h.resolve_variable(&p.variable).expect("a variable");
            let write = h.recording().last_write(variable, Timestamp(p.at));
            assert!(write.is_ok(), "asked");
        }),
    ),
    (
        "all values of a field",
        |p| {
            format!(
                "SELECT timestamp, value FROM history('{}') LIMIT {ROWS}",
                p.variable
            )
        },
        None,
    ),
    (
        "an object at a time",
        |p| {
            format!(
                "SELECT variable, value FROM object_state({}, {})",
                p.object, p.at
            )
        },
        None,
    ),
    (
        "the loops of a call",
        |p| format!("SELECT * FROM loops('{}')", p.call),
        None,
    ),
];

/// What goes through all, or is counted from an index.
pub(crate) const SCANS: [(&str, &str); 9] = [
    ("events counted", "SELECT count(*) FROM events"),
    (
        "events by kind",
        "SELECT kind, count(*) FROM events GROUP BY kind",
    ),
    ("writes counted", "SELECT count(*) FROM writes"),
    (
        "the greatest value written",
        "SELECT max(value_int) FROM writes",
    ),
    ("calls, their sizes added", "SELECT sum(size) FROM calls"),
    (
        "calls by method, by the index",
        "SELECT class, name, calls FROM methods ORDER BY calls DESC LIMIT 10",
    ),
    (
        "calls by method, grouped",
        "SELECT method_id, count(*) FROM calls GROUP BY method_id",
    ),
    (
        "objects by class",
        "SELECT object_class, count(*) FROM objects GROUP BY object_class",
    ),
    (
        "ways that were never gone",
        "SELECT class, line, outcome FROM coverage WHERE times = 0",
    ),
];

/// A named query, its parameters at a place.
pub(crate) type Parameters = fn(&Place) -> Vec<(&'static str, String)>;

/// Named queries that look something up.
pub(crate) const NAMED: [(&str, Parameters); 10] = [
    ("where", |p| vec![("event", p.at.to_string())]),
    ("call-chain", |p| vec![("event", p.at.to_string())]),
    ("call-tree", |p| vec![("call", p.call.to_string())]),
    ("pre-calls", |p| vec![("event", p.at.to_string())]),
    ("post-calls", |p| vec![("event", p.at.to_string())]),
    ("locals", |p| vec![("event", p.at.to_string())]),
    ("object-state", |p| {
        vec![("object", p.object.to_string()), ("at", p.at.to_string())]
    }),
    ("local-history", |p| {
        vec![("local", format!("{}:key", p.call))]
    }),
    ("argument-history", |p| vec![("of", p.call.to_string())]),
    ("return-history", |p| vec![("of", p.call.to_string())]),
];

/// Named queries about all: a page of their answers.
pub(crate) const NAMED_ONCE: [(&str, &[(&str, &str)]); 10] = [
    ("threads", &[]),
    ("where-thrown", &[]),
    ("instances", &[("class", "Kernels$Node")]),
    ("field-history", &[("field", "Kernels$Node.left")]),
    ("executed", &[("line", "Kernels$Node:105")]),
    ("called", &[("method", "Kernels.run")]),
    (
        "assigned",
        &[("field", "Kernels$Node.left"), ("value", "null")],
    ),
    ("exists", &[("class", "Kernels$Node")]),
    ("running", &[("thread", "main")]),
    ("exited", &[("thread", "main")]),
];
