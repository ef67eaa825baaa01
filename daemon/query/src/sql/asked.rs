//! The recordings that a statement asks, and by which names their tables go in it.
//!
//! Of one recording alone the tables have no name before them. Of several each recording is a schema of SQLite's: `left.calls`,
//! `right.calls`; without a name a table is that of the first.

use std::sync::Arc;

use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::{RecordingMeta, Timestamp};

use super::SqlError;
use super::judged::Judgements;
use crate::error::Result;

/// So many recordings can be asked at once.
pub const MOST_ASKED: usize = 8;

/// Names that SQLite has for databases of its own.
const TAKEN: [&str; 2] = ["main", "temp"];

/// A recording that somebody wants to ask.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What its tables are called by; none: a name is made of the recording's.
    pub schema: Option<String>,
    /// What it holds.
    pub history: History,
    /// Who knows its sessions, for the tables `sessions` and `answers`; without one these are empty.
    pub judgements: Option<Arc<dyn Judgements>>,
}

impl From<History> for Asked {
    fn from(history: History) -> Self {
        Self {
            schema: None,
            history,
            judgements: None,
        }
    }
}

/// A recording as a statement sees it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What its tables are called by.
    pub schema: String,
    /// What it said of itself when the statement began.
    pub meta: Arc<RecordingMeta>,
    /// Only events before this timestamp are seen.
    pub until: Timestamp,
    /// The recording itself.
    pub(super) recording: Arc<Recording>,
}

/// The names by which the tables of recordings go, each another one.
///
/// # Errors
/// When one that was given is none, is taken, or stands there twice; when there are too many, or none.
pub(super) fn schemas(asked: &[Asked]) -> Result<Vec<String>> {
    let wrong = |reason: String| SqlError::Wrong { reason };
    if asked.is_empty() || asked.len() > MOST_ASKED {
        let reason = format!(
            "a statement asks one recording, or up to {MOST_ASKED}, and these are {}",
            asked.len()
        );
        return Err(wrong(reason).into());
    }
    let mut names: Vec<Option<String>> = vec![None; asked.len()];
    let is_taken = |names: &[Option<String>], name: &str| {
        let known = names.iter().flatten().map(String::as_str).chain(TAKEN);
        known
            .into_iter()
            .any(|known| known.eq_ignore_ascii_case(name))
    };
    // What somebody has said goes first.
    for (at, asked) in asked.iter().enumerate() {
        let Some(name) = &asked.schema else { continue };
        if !is_name(name) {
            let name = jhyde_trace::echo::shown(name);
            return Err(wrong(format!(
                "'{name}' cannot stand before a table: write letters, digits and _, a letter first"
            ))
            .into());
        }
        if is_taken(&names, name) {
            return Err(wrong(format!(
                "'{name}' stands for something else already: give each recording a name of its own (NAME=RECORDING)"
            ))
            .into());
        }
        names[at] = Some(name.clone());
    }
    for (at, asked) in asked.iter().enumerate() {
        if names[at].is_some() {
            continue;
        }
        let base = made(&asked.history.recording().meta().name);
        let mut name = base.clone();
        let mut next = 2;
        while is_taken(&names, &name) {
            name = format!("{base}_{next}");
            next += 1;
        }
        names[at] = Some(name);
    }
    Ok(names.into_iter().flatten().collect())
}

/// Can it stand in SQL as it is?
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_part)
}

/// A recording's name as one that can stand in SQL: `shop-1` is `shop_1`.
fn made(name: &str) -> String {
    let part = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut made: String = name.chars().map(part).take(48).collect();
    if !made.starts_with(|c: char| c.is_ascii_alphabetic()) {
        made.insert(0, 'r');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_recordings_become_names_in_sql() {
        for (name, told) in [
            ("demo", "demo"),
            ("shop-1", "shop_1"),
            ("1.2 x", "r1_2_x"),
            ("ü", "r_"),
            ("", "r"),
        ] {
            assert_eq!(made(name), told);
            assert!(is_name(told));
        }
        assert!(
            !is_name("1a") && !is_name("") && !is_name("a.b") && !is_name("a\"b") && !is_name("_a")
        );
    }
}
