//! Events and places.

use jhyde_proto::v1::event::Kind;
use jhyde_proto::v1::{Event, EventRow, Mark, Place};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{CallJson, ValueJson};

/// A place in the code.
#[derive(Clone, Copy, Debug)]
pub struct PlaceJson<'a>(pub &'a Place);

impl Serialize for PlaceJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        place_entries(self.0, &mut map)?;
        map.end()
    }
}

fn place_entries<M: SerializeMap>(place: &Place, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("class", &place.class)?;
    map.serialize_entry("method", &place.method)?;
    map.serialize_entry("descriptor", &place.descriptor)?;
    map.serialize_entry("index", &place.index)?;
    map.serialize_entry("line", &place.line)?;
    map.serialize_entry("source_file", &place.source_file)
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct EventJson<'a>(pub &'a Event);

impl Serialize for EventJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        event_entries(self.0, &mut map)?;
        map.end()
    }
}

/// A row of a call's event list: an event, a loop (`kind` is `loop`) or one of its iterations; with its `level`
/// in those, and its mark if there is one.
#[derive(Clone, Copy, Debug)]
pub struct RowJson<'a>(pub &'a EventRow);

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        if let Some(event) = &self.0.event {
            event_entries(event, &mut map)?;
        }
        if let Some(found) = &self.0.r#loop {
            map.serialize_entry("timestamp", &found.from)?;
            map.serialize_entry("kind", "loop")?;
            map.serialize_entry("row", &found.row)?;
            map.serialize_entry("iterations", &found.iterations)?;
            map.serialize_entry("from", &found.from)?;
            map.serialize_entry("to", &found.to)?;
            map.serialize_entry("running", &found.running)?;
            map.serialize_entry("place", &found.place.as_ref().map(PlaceJson))?;
        }
        if let Some(round) = &self.0.iteration {
            map.serialize_entry("timestamp", &round.from)?;
            map.serialize_entry("kind", "iteration")?;
            map.serialize_entry("row", &round.row)?;
            map.serialize_entry("iteration", &round.number)?;
            map.serialize_entry("from", &round.from)?;
            map.serialize_entry("to", &round.to)?;
            map.serialize_entry("place", &round.place.as_ref().map(PlaceJson))?;
        }
        map.serialize_entry("level", &self.0.level)?;
        match self.0.mark() {
            Mark::Unspecified => {}
            Mark::Direct => map.serialize_entry("mark", "direct")?,
            Mark::Inside => map.serialize_entry("mark", "inside")?,
        }
        map.end()
    }
}

fn event_entries<M: SerializeMap>(event: &Event, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("timestamp", &event.timestamp)?;
    let call = (!event.call.is_empty()).then_some(&event.call);
    map.serialize_entry("call", &call)?;
    map.serialize_entry("kind", kind_word(event.kind.as_ref()))?;
    match &event.kind {
        Some(Kind::Enter(call)) => map.serialize_entry("entered", &CallJson(call))?,
        Some(Kind::Exit(call)) => map.serialize_entry("exited", &CallJson(call))?,
        Some(Kind::Write(write)) => {
            map.serialize_entry("variable", &write.variable)?;
            map.serialize_entry("name", &write.name)?;
            map.serialize_entry("value", &write.value.as_ref().map(ValueJson))?;
        }
        Some(
            Kind::Created(v)
            | Kind::Thrown(v)
            | Kind::Caught(v)
            | Kind::Uncaught(v)
            | Kind::Content(v),
        ) => {
            map.serialize_entry("value", &ValueJson(v))?;
        }
        Some(Kind::ThreadStart(name) | Kind::ThreadEnd(name)) => {
            map.serialize_entry("thread_name", name)?;
        }
        Some(Kind::ClassPrepared(name)) => map.serialize_entry("prepared", name)?,
        Some(Kind::Gap(reason)) => map.serialize_entry("reason", reason)?,
        Some(Kind::Monitor(monitor)) => {
            map.serialize_entry("action", &monitor.action)?;
            map.serialize_entry("value", &monitor.object.as_ref().map(ValueJson))?;
        }
        Some(Kind::Use(variable)) => map.serialize_entry("variable", variable)?,
        Some(Kind::Edge(edge)) => {
            map.serialize_entry("from", &edge.from)?;
            map.serialize_entry("to", &edge.to)?;
        }
        None => {}
    }
    if !event.notes.is_empty() {
        map.serialize_entry("notes", &event.notes)?;
    }
    map.serialize_entry("place", &event.place.as_ref().map(PlaceJson))
}

fn kind_word(kind: Option<&Kind>) -> &'static str {
    match kind {
        Some(Kind::Enter(_)) => "enter",
        Some(Kind::Exit(_)) => "exit",
        Some(Kind::Created(_)) => "new",
        Some(Kind::Write(_)) => "write",
        Some(Kind::Thrown(_)) => "thrown",
        Some(Kind::Caught(_)) => "caught",
        Some(Kind::Uncaught(_)) => "uncaught",
        Some(Kind::ThreadStart(_)) => "thread_start",
        Some(Kind::ThreadEnd(_)) => "thread_end",
        Some(Kind::ClassPrepared(_)) => "class_prepared",
        Some(Kind::Gap(_)) => "gap",
        Some(Kind::Monitor(_)) => "monitor",
        Some(Kind::Use(_)) => "use",
        Some(Kind::Edge(_)) => "edge",
        Some(Kind::Content(_)) => "content",
        None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Value, Write, value};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_marked_write() {
        let place = Place {
            class: "p.A".into(),
            method: "f".into(),
            descriptor: "()V".into(),
            line: Some(3),
            ..Place::default()
        };
        let value = Value {
            kind: Some(value::Kind::Int(7)),
            ..Value::default()
        };
        let write = Write {
            variable: "array#3[2]".into(),
            name: "c[2]".into(),
            value: Some(value),
        };
        let event = Event {
            notes: Vec::new(),
            timestamp: 12,
            call: "1.7".into(),
            place: Some(place),
            kind: Some(Kind::Write(write)),
        };
        let row = EventRow {
            event: Some(event),
            mark: Mark::Direct.into(),
            level: 2,
            ..EventRow::default()
        };
        let expected = json!({
            "timestamp": 12, "call": "1.7", "kind": "write",
            "variable": "array#3[2]", "name": "c[2]", "value": 7,
            "place": {"class": "p.A", "method": "f", "descriptor": "()V", "index": null, "line": 3, "source_file": ""},
            "level": 2, "mark": "direct",
        });
        assert_eq!(serde_json::to_value(RowJson(&row)).unwrap(), expected);
    }
}
