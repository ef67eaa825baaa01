//! `jhyded token`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::args::TokenCommand;
use super::failure::Failure;
use super::say::say;
use super::written;
use crate::access::tokens::{Entry, FileError, Store, now_ms};
use crate::config::Settings;

/// Works on the file of the data folder. A daemon that serves it sees what changes by itself.
pub(super) fn token(settings: &Settings, command: &TokenCommand) -> Result<u8, Failure> {
    let store = Store::of(&settings.data);
    match command {
        TokenCommand::Create {
            name,
            rights,
            recordings,
            expires,
        } => {
            jhyde_proto::folder::make(&settings.data).map_err(crate::error::Error::from)?;
            let lasts = u64::try_from(expires.0.as_millis()).unwrap_or(u64::MAX);
            if lasts == 0 {
                let told = "a token must last for some time: --expires 90d";
                return Err(FileError::Nonsense(told.to_owned()).into());
            }
            let until = now_ms().saturating_add(lasts);
            let token = store.create(name, *rights, recordings, until)?;
            written(format!("{token}\n").as_bytes())?;
            say(format_args!(
                "the token '{name}' may {rights} with recordings named '{recordings}' until {}; it is not shown again",
                date(until)
            ));
        }
        TokenCommand::List { json } => {
            let tokens = store.read()?.tokens;
            let lines = match json {
                true => tokens.iter().map(in_json).collect(),
                false => table(&tokens),
            };
            written(lines.as_bytes())?;
        }
        TokenCommand::Revoke { name } => store.revoke(name)?,
    }
    Ok(0)
}

fn date(ms: u64) -> String {
    // Far beyond what the calendar's arithmetic takes: never.
    let last = Duration::from_secs(253_402_300_799);
    let since = Duration::from_millis(ms).min(last);
    let time: SystemTime = UNIX_EPOCH + since;
    humantime::format_rfc3339_seconds(time).to_string()
}

fn state(entry: &Entry) -> &'static str {
    match entry {
        Entry {
            revoked_ms: Some(_),
            ..
        } => "revoked",
        entry if entry.is_good(now_ms()) => "good",
        _ => "expired",
    }
}

fn in_json(entry: &Entry) -> String {
    let line = json!({
        "name": entry.name,
        "state": state(entry),
        "rights": entry.rights,
        "recordings": entry.recordings,
        "created": date(entry.created_ms),
        "expires": date(entry.expires_ms),
    });
    format!("{line}\n")
}

fn table(tokens: &[Entry]) -> String {
    if tokens.is_empty() {
        return "no tokens; jhyded token create makes one\n".to_owned();
    }
    let width = |of: fn(&Entry) -> usize| tokens.iter().map(of).max().unwrap_or_default();
    let names = width(|entry| entry.name.len());
    let rights = width(|entry| entry.rights.to_string().len());
    let recordings = width(|entry| entry.recordings.len());
    let line = |entry: &Entry| {
        format!(
            "{:names$}  {:7}  {:rights$}  {:recordings$}  until {}\n",
            entry.name,
            state(entry),
            entry.rights.to_string(),
            entry.recordings,
            date(entry.expires_ms),
        )
    };
    tokens.iter().map(line).collect()
}
