//! `jhyded config show`.

use serde_json::json;

use super::failure::Failure;
use super::written;
use crate::config::{Effective, keys};

/// Prints the values in force and where each comes from.
pub(super) fn show(effective: &Effective, as_json: bool) -> Result<u8, Failure> {
    let text = if as_json {
        json_lines(effective)
    } else {
        table(effective)
    };
    written(text.as_bytes()).map(|()| 0)
}

fn json_lines(effective: &Effective) -> String {
    let line = |(key, value, origin): &(&str, String, String)| {
        // Values are printed as they stand in a file; most of them are JSON, too.
        let value: serde_json::Value =
            serde_json::from_str(value).unwrap_or_else(|_| value.clone().into());
        format!("{}\n", json!({"key": key, "value": value, "from": origin}))
    };
    effective.origins.iter().map(line).collect()
}

fn table(effective: &Effective) -> String {
    let width = |of: fn(&(&'static str, String, String)) -> usize| {
        effective.origins.iter().map(of).max().unwrap_or_default()
    };
    let keys_width = width(|(key, ..)| key.len());
    let values_width = width(|(_, value, _)| value.len()).min(44);
    let mut text = String::new();
    for (key, value, origin) in &effective.origins {
        let help = keys::find(key).map_or("", |key| key.help);
        text.push_str(&format!("# {help}\n"));
        text.push_str(&format!(
            "{key:keys_width$} = {value:values_width$}  # {origin}\n"
        ));
    }
    text
}
