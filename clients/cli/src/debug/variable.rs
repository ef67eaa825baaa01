//! Variables as people write them while they look at a call: `lc`, `c[2]`, `this.size`.

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{Call, GetStateRequest, StateRow, Value};

use super::search::Search;
use crate::commands::variable_argument;
use crate::error::Error;

/// The full written form of a variable, seen from a call. What is not one of the call's names is left as
/// it is: it may be a static field.
pub(super) async fn full(search: &mut Search, call: &Call, text: &str) -> Result<String, Error> {
    let text = variable_argument(text);
    // Full forms name a call or an object.
    if text.contains(['#', ':']) {
        return Ok(text);
    }
    let request = GetStateRequest {
        recording: search.recording.clone(),
        call: call.id.clone(),
        ..GetStateRequest::default()
    };
    let state = search.client.history.get_state(request).await?.into_inner();
    Ok(resolve(&text, &call.id, &state.rows).unwrap_or(text))
}

fn resolve(text: &str, call: &str, rows: &[StateRow]) -> Option<String> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, inside) = (text.get(..end)?, text.get(end..)?);
    let row = rows.iter().find(|row| row.name == name)?;
    if inside.is_empty() {
        let own = (!row.variable.is_empty()).then(|| row.variable.clone());
        return Some(own.unwrap_or_else(|| format!("{call}:{name}")));
    }
    // The object at the end is what one sees; a variable that was cleared by then has its first one.
    let id = id(row.end.as_ref()).or_else(|| id(row.start.as_ref()))?;
    Some(if inside.starts_with('[') {
        format!("array#{id}{inside}")
    } else {
        format!("object#{id}{inside}")
    })
}

fn id(value: Option<&Value>) -> Option<u64> {
    match &value?.kind {
        Some(Kind::Object(object)) => Some(object.id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::Object;

    use super::*;

    fn row(name: &str, id: u64, variable: &str) -> StateRow {
        let object = Object {
            id,
            class: "int[]".into(),
            ..Object::default()
        };
        let end = Some(Value {
            kind: Some(Kind::Object(Box::new(object))),
            ..Value::default()
        });
        StateRow {
            name: name.into(),
            variable: variable.into(),
            end,
            ..StateRow::default()
        }
    }

    #[test]
    fn names_of_the_call_become_full() {
        let rows = [row("c", 3, "1.7:c"), row("this", 12, "")];
        let resolve = |text| resolve(text, "1.7", &rows);
        assert_eq!(resolve("c").as_deref(), Some("1.7:c"));
        assert_eq!(resolve("c[2]").as_deref(), Some("array#3[2]"));
        assert_eq!(resolve("this.size").as_deref(), Some("object#12.size"));
        assert_eq!(resolve("pkg.Main.COUNT"), None);
    }
}
