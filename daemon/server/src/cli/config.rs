//! `jhyded config show` and `check`.

use std::path::Path;

use serde_json::json;

use super::failure::Failure;
use super::written;
use crate::config::{Effective, Sources, keys, load};
use crate::serve::{ServeError, certificates};

/// Reads a file as the daemon would.
pub(super) fn check(file: &Path) -> Result<u8, Failure> {
    let sources = Sources {
        named_file: Some(file.to_owned()),
        ..Sources::default()
    };
    let effective = load(&sources)?;
    super::filter(&effective.settings.log.filter)?;
    super::orders::orders(&effective)?;
    certificates::read(&effective.settings.listen.tls).map_err(ServeError::from)?;
    let is_set = |(_, _, origin): &&(&str, String, String)| origin != "default";
    let set = effective.origins.iter().filter(is_set).count();
    let line = format!(
        "{} is good: it sets {set} of {} settings\n",
        file.display(),
        keys::KEYS.len()
    );
    written(line.as_bytes()).map(|()| 0)
}

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
