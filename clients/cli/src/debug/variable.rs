//! Variables as people write them while they look at a call: `lc`, `c[2]`, `this.size`.

use jhyde_proto::v1::{Call, GetStateRequest, StateRow};

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
    Some(match row.variable.as_str() {
        variable if inside.is_empty() && !variable.is_empty() => variable.to_owned(),
        // The daemon goes on from there.
        _ => format!("{call}:{text}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, variable: &str) -> StateRow {
        StateRow {
            name: name.into(),
            variable: variable.into(),
            ..StateRow::default()
        }
    }

    #[test]
    fn names_of_the_call_become_full() {
        let rows = [row("c", "1.7:c"), row("this", "")];
        let resolve = |text| resolve(text, "1.7", &rows);
        assert_eq!(resolve("c").as_deref(), Some("1.7:c"));
        assert_eq!(resolve("c[2]").as_deref(), Some("1.7:c[2]"));
        assert_eq!(resolve("this.size").as_deref(), Some("1.7:this.size"));
        assert_eq!(resolve("pkg.Main.COUNT"), None);
    }
}
