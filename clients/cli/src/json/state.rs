//! States, inputs, outcomes, histories.

use jhyde_proto::v1::{CallInput, CallResult, ReachableObject, RowKind, StateRow, VariableWrite};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{CallJson, PlaceJson, ValueJson};

/// A state's row with what is inside it, if it was opened.
#[derive(Debug)]
pub struct Node {
    /// The row.
    pub row: StateRow,
    /// The object that was opened, for the side that it stands on.
    pub opened: Vec<Opened>,
    /// It would have been opened, but is open above already.
    pub open_above: bool,
}

/// The inside of an object.
#[derive(Debug)]
pub struct Opened {
    /// Which value it is the inside of: `None` when start and end are the same object.
    pub side: Option<&'static str>,
    /// Its fields or elements.
    pub nodes: Vec<Node>,
    /// More of them are there.
    pub cut: bool,
}

/// The state of a call at two times.
#[derive(Debug)]
pub struct StateJson<'a> {
    /// The whole answer.
    pub state: &'a jhyde_proto::v1::NodeState,
    /// Its rows, opened as far as was asked.
    pub nodes: &'a [Node],
}

impl Serialize for StateJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("call", &self.state.call.as_ref().map(CallJson))?;
        map.serialize_entry("from", &self.state.from)?;
        map.serialize_entry("to", &self.state.to)?;
        map.serialize_entry("rows", self.nodes)?;
        map.serialize_entry("notes", &self.state.notes)?;
        map.end()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        row_entries(&self.row, &mut map)?;
        for opened in &self.opened {
            let key = match opened.side {
                None => "children",
                Some("start") => "start_children",
                Some(_) => "end_children",
            };
            map.serialize_entry(key, &opened.nodes)?;
            if opened.cut {
                map.serialize_entry("cut", &true)?;
            }
        }
        if self.open_above {
            map.serialize_entry("open_above", &true)?;
        }
        map.end()
    }
}

struct Row<'a>(&'a StateRow);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        row_entries(self.0, &mut map)?;
        map.end()
    }
}

fn row_entries<M: SerializeMap>(row: &StateRow, map: &mut M) -> Result<(), M::Error> {
    let kind = match row.kind() {
        RowKind::Unspecified => "unknown",
        RowKind::Return => "return",
        RowKind::Exception => "exception",
        RowKind::This => "this",
        RowKind::Local => "local",
        RowKind::Static => "static",
        RowKind::Field => "field",
        RowKind::Element => "element",
        RowKind::Content => "content",
    };
    map.serialize_entry("kind", kind)?;
    map.serialize_entry("name", &row.name)?;
    map.serialize_entry("variable", &row.variable)?;
    map.serialize_entry("type", &row.r#type)?;
    // `null` is a value: a variable that has none yet has no key.
    if let Some(start) = &row.start {
        map.serialize_entry("start", &ValueJson(start))?;
    }
    if let Some(end) = &row.end {
        map.serialize_entry("end", &ValueJson(end))?;
    }
    // What the level does not tell is not called unchanged.
    let changed = (!row.not_recorded || row.changed).then_some(row.changed);
    map.serialize_entry("changed", &changed)?;
    let below =
        (row.changed_below || !(row.budget_ended || row.not_recorded)).then_some(row.changed_below);
    map.serialize_entry("changed_below", &below)?;
    if row.constant {
        map.serialize_entry("constant", &true)?;
    }
    Ok(())
}

struct Reachable<'a>(&'a ReachableObject);

impl Serialize for Reachable<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("path", &self.0.path)?;
        map.serialize_entry("object", &self.0.object.as_ref().map(ValueJson))?;
        map.serialize_entry("rows", &self.0.rows.iter().map(Row).collect::<Vec<_>>())?;
        if let Some(start) = &self.0.start {
            map.serialize_entry("start", &ValueJson(start))?;
        }
        if self.0.taken_away {
            map.serialize_entry("taken_away", &true)?;
        }
        map.end()
    }
}

/// What a call was given.
#[derive(Debug)]
pub struct InputJson<'a>(pub &'a CallInput);

impl Serialize for InputJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        serialize_parts(s, &self.0.rows, &self.0.objects, &self.0.notes)
    }
}

/// What a call yielded.
#[derive(Debug)]
pub struct OutcomeJson<'a>(pub &'a CallResult);

impl Serialize for OutcomeJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        serialize_parts(s, &self.0.rows, &self.0.objects, &self.0.notes)
    }
}

fn serialize_parts<S: Serializer>(
    s: S,
    rows: &[StateRow],
    objects: &[ReachableObject],
    notes: &[String],
) -> Result<S::Ok, S::Error> {
    let mut map = s.serialize_map(None)?;
    map.serialize_entry("rows", &rows.iter().map(Row).collect::<Vec<_>>())?;
    map.serialize_entry(
        "objects",
        &objects.iter().map(Reachable).collect::<Vec<_>>(),
    )?;
    map.serialize_entry("notes", notes)?;
    map.end()
}

/// One write of a variable's history.
#[derive(Debug)]
pub struct WriteJson<'a> {
    /// The variable in its full written form.
    pub variable: &'a str,
    /// The write.
    pub write: &'a VariableWrite,
}

impl Serialize for WriteJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("timestamp", &self.write.timestamp)?;
        map.serialize_entry("variable", self.variable)?;
        map.serialize_entry("value", &self.write.value.as_ref().map(ValueJson))?;
        map.serialize_entry("call", &self.write.call.as_ref().map(CallJson))?;
        map.serialize_entry("place", &self.write.place.as_ref().map(PlaceJson))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Value, value::Kind};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_known_is_not_called_unchanged() {
        let null = Value {
            kind: Some(Kind::Null(true)),
            ..Value::default()
        };
        let row = StateRow {
            kind: RowKind::Local.into(),
            name: "a".into(),
            variable: "1.7:a".into(),
            r#type: "int[]".into(),
            end: Some(null),
            ..StateRow::default()
        };
        let expected = json!({
            "kind": "local", "name": "a", "variable": "1.7:a", "type": "int[]", "end": null,
            "changed": false, "changed_below": false,
        });
        assert_eq!(serde_json::to_value(Row(&row)).unwrap(), expected);
        let unknown = StateRow {
            not_recorded: true,
            ..row.clone()
        };
        assert_eq!(
            serde_json::to_value(Row(&unknown)).unwrap()["changed"],
            json!(null)
        );
        let tired = StateRow {
            budget_ended: true,
            ..row
        };
        let tired = serde_json::to_value(Row(&tired)).unwrap();
        assert_eq!(
            (&tired["changed"], &tired["changed_below"]),
            (&json!(false), &json!(null))
        );
    }
}
