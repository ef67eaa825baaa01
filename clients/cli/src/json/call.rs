//! Calls.

use jhyde_proto::v1::{Argument, Call, Classification, Write};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::{PlaceJson, ValueJson};

/// One call. The keys of the contract come first and are always there, except that there is `result` or
/// `exception`, or neither while it runs.
#[derive(Clone, Copy, Debug)]
pub struct CallJson<'a>(pub &'a Call);

#[derive(Serialize)]
struct ArgumentJson<'a> {
    name: &'a str,
    r#type: &'a str,
    value: Option<ValueJson<'a>>,
}

impl<'a> From<&'a Argument> for ArgumentJson<'a> {
    fn from(argument: &'a Argument) -> Self {
        Self {
            name: &argument.name,
            r#type: &argument.r#type,
            value: argument.value.as_ref().map(ValueJson),
        }
    }
}

/// A variable that a boundary call changed.
#[derive(Serialize)]
struct ChangedJson<'a> {
    variable: &'a str,
    value: Option<ValueJson<'a>>,
}

impl<'a> From<&'a Write> for ChangedJson<'a> {
    fn from(write: &'a Write) -> Self {
        Self {
            variable: &write.variable,
            value: write.value.as_ref().map(ValueJson),
        }
    }
}

impl Serialize for CallJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let call = self.0;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("id", &call.id)?;
        map.serialize_entry("class", &call.class)?;
        map.serialize_entry("method", &call.method)?;
        map.serialize_entry("descriptor", &call.descriptor)?;
        map.serialize_entry("invocation", &call.invocation)?;
        map.serialize_entry("enter", &call.enter)?;
        map.serialize_entry("exit", &call.exit)?;
        map.serialize_entry("parent", &call.parent)?;
        map.serialize_entry("depth", &call.depth)?;
        map.serialize_entry("boundary", &call.boundary)?;
        map.serialize_entry("descendants", &call.descendants)?;
        let arguments = call
            .arguments
            .iter()
            .map(ArgumentJson::from)
            .collect::<Vec<_>>();
        map.serialize_entry("arguments", &arguments)?;
        if let Some(exception) = &call.exception {
            map.serialize_entry("exception", &ValueJson(exception))?;
        } else if let Some(result) = &call.result {
            map.serialize_entry("result", &ValueJson(result))?;
        }
        map.serialize_entry("line", &call.line)?;
        if let Some(receiver) = &call.receiver {
            map.serialize_entry("receiver", &ValueJson(receiver))?;
        }
        let thread = call
            .id
            .split_once('.')
            .and_then(|(thread, _)| thread.parse::<u64>().ok());
        map.serialize_entry("thread", &thread)?;
        map.serialize_entry("thread_name", &call.thread_name)?;
        map.serialize_entry("source_file", &call.source_file)?;
        if let Some(site) = &call.call_site {
            map.serialize_entry("call_site", &PlaceJson(site))?;
        }
        map.serialize_entry("incomplete", &call.incomplete)?;
        if call.recording_ended {
            map.serialize_entry("recording_ended", &true)?;
        }
        if !call.changed.is_empty() {
            let changed: Vec<_> = call.changed.iter().map(ChangedJson::from).collect();
            map.serialize_entry("changed", &changed)?;
        }
        if !call.lowered.is_empty() {
            map.serialize_entry("lowered", &call.lowered)?;
        }
        if call.already_running {
            map.serialize_entry("already_running", &true)?;
        }
        let classification = match call.classification() {
            Classification::Unspecified => None,
            Classification::Valid => Some("valid"),
            Classification::Invalid => Some("invalid"),
            Classification::Trusted => Some("trusted"),
            Classification::Unknown => Some("unknown"),
            Classification::Buggy => Some("buggy"),
            Classification::Inadmissible => Some("inadmissible"),
        };
        if let Some(word) = classification {
            map.serialize_entry("classification", word)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Value, value::Kind};
    use serde_json::{Value as Json, json};

    use super::*;

    fn value(kind: Kind) -> Option<Value> {
        Some(Value {
            kind: Some(kind),
            ..Value::default()
        })
    }

    fn example() -> Call {
        let argument = Argument {
            name: "la".into(),
            r#type: "int".into(),
            value: value(Kind::Int(0)),
        };
        Call {
            id: "1.7".into(),
            class: "demo.MergeSort".into(),
            method: "merge".into(),
            descriptor: "(I)V".into(),
            invocation: 2,
            enter: u64::MAX,
            exit: Some(90),
            parent: "1.2".into(),
            depth: 2,
            arguments: vec![argument],
            result: value(Kind::Void(true)),
            line: Some(42),
            source_file: "MergeSort.java".into(),
            thread_name: "main".into(),
            ..Call::default()
        }
    }

    fn json(call: &Call) -> Json {
        serde_json::to_value(CallJson(call)).unwrap()
    }

    #[test]
    fn the_keys_of_the_contract() {
        let expected = json!({
            "id": "1.7", "class": "demo.MergeSort", "method": "merge", "descriptor": "(I)V",
            "invocation": 2, "enter": u64::MAX, "exit": 90, "parent": "1.2", "depth": 2,
            "boundary": false, "descendants": 0,
            "arguments": [{"name": "la", "type": "int", "value": 0}],
            "result": {"void": true}, "line": 42,
            "thread": 1, "thread_name": "main", "source_file": "MergeSort.java", "incomplete": false,
        });
        assert_eq!(json(&example()), expected);
        let text = serde_json::to_string(&CallJson(&example())).unwrap();
        assert!(text.starts_with("{\"id\":\"1.7\",\"class\":"), "{text}");
    }

    #[test]
    fn a_call_that_runs_has_no_end() {
        let running = Call {
            exit: None,
            result: None,
            incomplete: true,
            line: None,
            ..example()
        };
        let json = json(&running);
        assert_eq!(json["exit"], Json::Null);
        assert_eq!(json["line"], Json::Null);
        assert!(json.get("result").is_none() && json.get("exception").is_none());
        assert_eq!(json["incomplete"], true);
    }

    #[test]
    fn an_exception_takes_the_results_place() {
        let thrown = value(Kind::Null(true));
        let json = json(&Call {
            exception: thrown,
            ..example()
        });
        assert_eq!(json["exception"], Json::Null);
        assert!(json.get("result").is_none());
    }
}
