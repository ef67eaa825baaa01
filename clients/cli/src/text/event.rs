//! Events as rows.

use std::borrow::Cow;

use jhyde_proto::v1::event::Kind;
use jhyde_proto::v1::{Event, EventRow, Mark, Place, Write};

use super::{Cell, Detail, clean, ended, place, value, width};
use crate::output::{Look, Paint};

/// A row's mark: `*` wrote the marked variable, `~` holds such a write.
pub fn mark(mark: Mark) -> Cell {
    match mark {
        Mark::Unspecified => Cell::new(""),
        Mark::Direct => Cell::with(Look::Changed, "*"),
        Mark::Inside => Cell::with(Look::ChangedBelow, "~"),
    }
}

/// How much room is left for what happened, in a terminal of so many columns, beside the other columns of these
/// events. `taken`: by columns of the caller's own.
pub fn room<'a>(
    events: impl Iterator<Item = (u64, Option<&'a Place>, &'a str)>,
    terminal_columns: Option<usize>,
    taken: usize,
) -> Option<usize> {
    let terminal_columns = terminal_columns?;
    let (mut times, mut calls, mut places) = (0, 0, 0);
    for (time, at, call) in events {
        times = times.max(time.to_string().len());
        calls = calls.max(width(call));
        places = places.max(at.map_or(0, |at| width(&place(at))));
    }
    // A column of calls is only there where it says something.
    let calls = if calls > 0 { calls + COLUMN_GAP } else { 0 };
    let others = times + COLUMN_GAP + calls + places + COLUMN_GAP + taken;
    Some(terminal_columns.saturating_sub(others).max(LEAST_ROOM))
}

/// What is between two columns of a table.
const COLUMN_GAP: usize = 2;
/// What happened is told in so many columns at least; places give way then.
const LEAST_ROOM: usize = 36;

/// Time, place, and what happened in so much room. `nested`: the event stands in its call's own list, where an enter is
/// the whole nested call.
pub fn event_cells(event: &Event, nested: bool, room: Option<usize>) -> Vec<Cell> {
    let where_ = event.place.as_ref().map(place).unwrap_or_default();
    let (look, text) = happened(event, nested, Detail::list(room));
    let call = if nested {
        String::new()
    } else {
        event.call.clone()
    };
    vec![
        Cell::number(event.timestamp.to_string()),
        Cell::with(Look::Faint, call),
        Cell::with(Look::Faint, where_),
        Cell::with(look, text),
    ]
}

/// What a boundary call changed, in rows below its own.
pub fn changed_cells(event: &Event) -> Vec<Vec<Cell>> {
    let Some(Kind::Enter(call)) = &event.kind else {
        return Vec::new();
    };
    let written = call.changed.iter().filter_map(|write| {
        let shown = write.value.as_ref()?;
        // What an object holds names the object itself.
        let text = match write.variable.contains(['[', '.', ':']) {
            true => format!("  ⇒ {} = {}", clean(&write.name), value(shown)),
            false => format!("  ⇒ {}", value(shown)),
        };
        Some(vec![
            Cell::new(""),
            Cell::new(""),
            Cell::with(Look::Changed, super::shorten(&text, 72).into_owned()),
        ])
    });
    written.collect()
}

/// A row of a call's own list: time, place, and what happened, set in by the loops that it stands in. Which
/// call it is, is known.
pub fn row_cells(row: &EventRow, room: Option<usize>) -> Vec<Cell> {
    let indent = "  ".repeat(row.level.min(40) as usize);
    let room = room.map(|room| room.saturating_sub(indent.len()));
    let (time, at, name, text) = match (&row.event, &row.r#loop, &row.iteration) {
        (Some(event), ..) => {
            let mut cells = event_cells(event, true, room);
            cells.remove(1);
            if let Some(what) = cells.last_mut() {
                what.set_in(&indent);
            }
            return cells;
        }
        (_, Some(found), _) => {
            let so_far = if found.running { " so far" } else { "" };
            let text = format!("loop ({}){so_far}", found.iterations);
            (found.from, &found.place, &found.row, text)
        }
        (.., Some(round)) => {
            let text = format!("iteration {}", round.number);
            (round.from, &round.place, &round.row, text)
        }
        _ => return Vec::new(),
    };
    vec![
        Cell::number(time.to_string()),
        Cell::with(Look::Faint, at.as_ref().map(place).unwrap_or_default()),
        Cell::with(Look::Strong, format!("{indent}{text}  [{}]", clean(name))),
    ]
}

/// What happened, without time and place, in little room.
pub fn event_line(event: &Event) -> String {
    happened(event, false, Detail::SHORT).1
}

/// What happened, without time and place.
pub(super) fn in_words(event: &Event) -> String {
    happened(event, false, Detail::alone(None)).1
}

/// What a variable is called where it is written, so that `jhyde history` takes it as it stands there.
fn written_name<'a>(write: &'a Write, call: &str) -> Cow<'a, str> {
    let (variable, name) = (&write.variable, &write.name);
    let field = variable.split_once('.').map(|(_, field)| field);
    // A field that a subclass hides is written with its class.
    if field.is_some() && name.strip_prefix("this.") == field {
        Cow::Owned(format!("{call}:{name}"))
    } else if variable.contains(['#', ':']) || name.is_empty() {
        Cow::Borrowed(variable)
    } else {
        // A static: its class without package.
        Cow::Borrowed(name)
    }
}

fn happened(event: &Event, nested: bool, detail: Detail) -> (Look, String) {
    let plain = Paint::new(false);
    let known = |v: &_| value(v);
    match &event.kind {
        Some(Kind::Enter(call)) if nested => {
            let look = if call.boundary {
                Look::Faint
            } else {
                Look::Strong
            };
            (look, super::call_line(call, detail, 0, plain))
        }
        Some(Kind::Enter(call)) => {
            let short = jhyde_proto::v1::Call {
                result: None,
                exception: None,
                exit: Some(0),
                ..call.clone()
            };
            (
                Look::Strong,
                format!("→ {}", super::head(&short, detail, plain).trim_end()),
            )
        }
        Some(Kind::Exit(call)) => {
            let look = if call.exception.is_some() {
                Look::Changed
            } else {
                Look::Plain
            };
            let name = if nested {
                String::new()
            } else {
                format!("{} ", super::call_name(call))
            };
            (
                look,
                format!("← {name}{}", ended(call)).trim_end().to_owned(),
            )
        }
        Some(Kind::Created(v)) => (Look::Plain, format!("new {}", value(v))),
        Some(Kind::Write(write)) => {
            let shown = write.value.as_ref().map(known).unwrap_or_default();
            let name = written_name(write, &event.call);
            (Look::Plain, format!("{} = {shown}", clean(&name)))
        }
        Some(Kind::Content(v)) => (Look::Plain, format!("changes {}", value(v))),
        Some(Kind::Thrown(v)) => (Look::Changed, format!("throws {}", value(v))),
        Some(Kind::Caught(v)) => (Look::ChangedBelow, format!("catches {}", value(v))),
        Some(Kind::Uncaught(v)) => (Look::Bad, format!("nobody caught {}", value(v))),
        Some(Kind::ThreadStart(name)) => (Look::Faint, format!("thread {} starts", clean(name))),
        Some(Kind::ThreadEnd(name)) => (Look::Faint, format!("thread {} ends", clean(name))),
        Some(Kind::ClassPrepared(name)) => (Look::Faint, format!("class {}", clean(name))),
        Some(Kind::Gap(reason)) => (Look::Bad, format!("not recorded: {}", clean(reason))),
        Some(Kind::Monitor(monitor)) => {
            let object = monitor.object.as_ref().map(known).unwrap_or_default();
            (
                Look::Faint,
                format!("monitor {} {object}", clean(&monitor.action)),
            )
        }
        Some(Kind::Use(variable)) => (Look::Faint, format!("reads {}", clean(variable))),
        Some(Kind::Edge(edge)) => (Look::Faint, format!("branch @{} → @{}", edge.from, edge.to)),
        None => (
            Look::Faint,
            "(an event that this jhyde does not know)".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Call, Value, value};

    use super::*;

    fn text(kind: Kind, nested: bool) -> String {
        let place = Place {
            source_file: "A.java".into(),
            line: Some(3),
            ..Place::default()
        };
        let event = Event {
            notes: Vec::new(),
            timestamp: 12,
            call: "1.7".into(),
            place: Some(place),
            kind: Some(kind),
        };
        let cells = event_cells(&event, nested, None);
        cells.iter().map(Cell::text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn events_in_words() {
        let int = Value {
            kind: Some(value::Kind::Int(4)),
            ..Value::default()
        };
        let write = Write {
            variable: "array#3[2]".into(),
            name: "c[2]".into(),
            value: Some(int.clone()),
        };
        let written = |variable: &str, name: &str| {
            let write = Write {
                variable: variable.into(),
                name: name.into(),
                ..write.clone()
            };
            text(Kind::Write(write), true)
        };
        assert_eq!(written("array#3[2]", "c[2]"), "12||A.java:3|array#3[2] = 4");
        assert_eq!(written("1.7:i@2", "i"), "12||A.java:3|1.7:i@2 = 4");
        assert_eq!(
            written("object#5.size", "this.size"),
            "12||A.java:3|1.7:this.size = 4"
        );
        assert_eq!(
            written("object#5.p.Super.size", "this.size"),
            "12||A.java:3|object#5.p.Super.size = 4"
        );
        assert_eq!(written("p.A.COUNT", "A.COUNT"), "12||A.java:3|A.COUNT = 4");
        let call = Call {
            id: "1.8".into(),
            class: "p.A".into(),
            method: "f".into(),
            invocation: 2,
            result: Some(int),
            exit: Some(14),
            ..Call::default()
        };
        assert_eq!(
            text(Kind::Enter(call.clone()), true),
            "12||A.java:3|A.f #2 () = 4  [1.8]  p.A"
        );
        assert_eq!(
            text(Kind::Enter(call.clone()), false),
            "12|1.7|A.java:3|→ A.f #2 ()"
        );
        assert_eq!(
            text(Kind::Exit(call.clone()), false),
            "12|1.7|A.java:3|← A.f #2 = 4"
        );
        assert_eq!(text(Kind::Exit(call), true), "12||A.java:3|← = 4");
        assert_eq!(
            text(Kind::Gap("the disk was full".into()), false),
            "12|1.7|A.java:3|not recorded: the disk was full"
        );
    }
}
