//! Events as rows.

use jhyde_proto::v1::event::Kind;
use jhyde_proto::v1::{Event, EventRow, Mark};

use super::{Cell, Detail, clean, ended, place, value};
use crate::output::{Look, Paint};

/// A row's mark: `*` wrote the marked variable, `~` holds such a write.
pub fn mark(mark: Mark) -> Cell {
    match mark {
        Mark::Unspecified => Cell::new(""),
        Mark::Direct => Cell::with(Look::Changed, "*"),
        Mark::Inside => Cell::with(Look::ChangedBelow, "~"),
    }
}

/// Time, place, and what happened. `nested`: the event stands in its call's own list, where an enter is
/// the whole nested call.
pub fn event_cells(event: &Event, nested: bool, columns: Option<usize>) -> Vec<Cell> {
    let where_ = event.place.as_ref().map(place).unwrap_or_default();
    let (look, text) = happened(event, nested, Detail::list(columns));
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

/// A row of a call's own list: time, place, and what happened, set in by the loops that it stands in. Which
/// call it is, is known.
pub fn row_cells(row: &EventRow, columns: Option<usize>) -> Vec<Cell> {
    let indent = "  ".repeat(row.level.min(40) as usize);
    let (time, at, name, text) = match (&row.event, &row.r#loop, &row.iteration) {
        (Some(event), ..) => {
            let mut cells = event_cells(event, true, columns);
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
            let name = if write.name.is_empty() {
                &write.variable
            } else {
                &write.name
            };
            (Look::Plain, format!("{} = {shown}", clean(name)))
        }
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
        Some(Kind::Use(variable)) => {
            // In the call's own list its locals go by their names.
            let own = format!("{}:", event.call);
            let name = match variable.strip_prefix(&own) {
                Some(local) if nested => local,
                _ => variable,
            };
            (Look::Faint, format!("reads {}", clean(name)))
        }
        Some(Kind::Edge(edge)) => (Look::Faint, format!("branch @{} → @{}", edge.from, edge.to)),
        None => (
            Look::Faint,
            "(an event that this jhyde does not know)".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Call, Place, Value, Write, value};

    use super::*;

    fn text(kind: Kind, nested: bool) -> String {
        let place = Place {
            source_file: "A.java".into(),
            line: Some(3),
            ..Place::default()
        };
        let event = Event {
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
        assert_eq!(text(Kind::Write(write), false), "12|1.7|A.java:3|c[2] = 4");
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
