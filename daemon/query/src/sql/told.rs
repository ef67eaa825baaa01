//! What is said of a statement that cannot be answered: what SQLite says, where it stands in what somebody wrote, and what to write instead.

use std::sync::PoisonError;

use rusqlite::{Error as SqliteError, ErrorCode};

use super::allow::Refused;
use super::asked::Seen;
use super::error::SqlError;
use super::library;
use super::meter::{Meter, Over};
use super::run::{FILES, Statement, megabytes};
use super::script::{Expanded, Problem, Source};
use super::table::Described;
use super::tables;
use crate::error::Error;
use crate::nearest::nearest;

/// SQLite's words where it finds no way to the rows of a table.
const NO_WAY: &str = "no query solution";

impl Statement {
    /// Where something of a text stands, if the user wrote it; else of which module it is.
    fn place_of(&self, source: &Source, at: usize) -> (Option<(usize, usize)>, String) {
        match source.module {
            None => (Some(place(&self.text, at)), String::new()),
            Some(module) => {
                let (line, column) = place(&source.text, at);
                (
                    None,
                    format!("module {module}, line {line}, column {column}: "),
                )
            }
        }
    }

    pub(super) fn problem(&self, problem: Problem) -> Error {
        let (at, module) = self.place_of(&problem.source, problem.at);
        let reason = module + &problem.reason;
        SqlError::Wrong { at, reason }.into()
    }

    /// What is said of a failure, in this statement if it is known in which.
    pub(super) fn told(
        &self,
        error: SqliteError,
        of: Option<&Expanded>,
        refused: &Refused,
    ) -> Error {
        match Meter::is_over(&error) {
            Some(Over::Memory) => {
                let most = megabytes(self.memory);
                return SqlError::Memory { most }.into();
            }
            Some(Over::Files) => {
                let most = megabytes(FILES);
                return SqlError::Files { most }.into();
            }
            None => {}
        }
        let disk = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Some("the disk is full".to_owned()),
            Some(ErrorCode::SystemIoFailure) => Some(error.to_string()),
            _ => None,
        };
        if let Some(reason) = disk {
            return SqlError::Disk { reason }.into();
        }
        if let Some(failure) = self.worlds.iter().find_map(|world| world.take_failure()) {
            return failure;
        }
        if let Some(what) = refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            let reason = format!(
                "{what}: a recording can only be read (SELECT; temporary tables and views are allowed)"
            );
            return SqlError::Wrong { at: None, reason }.into();
        }
        let text = of.map_or("", |of| of.text.as_str());
        let wrong = |at: Option<usize>, reason: String| {
            let origin = at.and_then(|at| of?.origin(at));
            let (at, module) =
                origin.map_or_else(Default::default, |(source, at)| self.place_of(&source, at));
            Error::from(SqlError::Wrong {
                at,
                reason: module + &reason,
            })
        };
        match error {
            SqliteError::SqlInputError {
                msg, sql, offset, ..
            } => {
                let begin = text.len().saturating_sub(sql.len());
                let name = named(&msg);
                let offset = usize::try_from(offset).ok();
                let offset = offset.or_else(|| name.and_then(|(_, name)| word(&sql, name)));
                let reason = match name {
                    Some((what, name)) => format!("{msg}{}", self.alike(what, name)),
                    None => msg,
                };
                wrong(offset.map(|offset| begin + offset), reason)
            }
            SqliteError::SqliteFailure(code, message) => {
                if code.code == ErrorCode::OperationInterrupted {
                    return self.why_over();
                }
                let told = message.unwrap_or_else(|| code.to_string());
                if told.contains(NO_WAY) {
                    return self.without_argument().into();
                }
                // One that comes when a view is made, or a name is looked up late.
                match named(&told) {
                    Some((what, name)) => {
                        let reason = format!("{told}{}", self.alike(what, name));
                        wrong(word(text, name), reason)
                    }
                    None => SqlError::Failed(told).into(),
                }
            }
            error => SqlError::Failed(error.to_string()).into(),
        }
    }

    /// Why it was interrupted.
    pub(super) fn why_over(&self) -> Error {
        let over = self.worlds.iter().find(|world| world.is_over());
        over.or_else(|| self.worlds.first())
            .map_or_else(|| SqlError::Timeout.into(), |world| world.why_over())
    }

    /// The rows of a function follow from its argument, which is not there.
    fn without_argument(&self) -> SqlError {
        let lower = self.text.to_lowercase();
        let tables = tables::described();
        let is_named =
            |table: &&Described| !table.arguments.is_empty() && word(&lower, table.name).is_some();
        let named = tables.iter().filter(is_named).map(|table| {
            let arguments: Vec<_> = table.arguments.iter().map(|one| one.0.as_str()).collect();
            format!("{}({})", table.name, arguments.join(", "))
        });
        let of_modules = library::modules()
            .into_iter()
            .flat_map(|module| module.defined);
        let of_modules = of_modules
            .filter(|defined| {
                !defined.arguments.is_empty() && word(&lower, &defined.name).is_some()
            })
            .map(|defined| {
                let arguments: Vec<_> =
                    defined.arguments.iter().map(|one| one.0.as_str()).collect();
                format!("{}({})", defined.name, arguments.join(", "))
            });
        let named = named.chain(of_modules).collect::<Vec<_>>().join(", ");
        let reason = match named.is_empty() {
            true => "a function wants all of its arguments".to_owned(),
            false => {
                format!("a function wants its arguments, a table's at least the first: {named}")
            }
        };
        SqlError::Wrong { at: None, reason }
    }

    /// Names that are like one that is not known.
    fn alike(&self, what: &str, name: &str) -> String {
        let tables = tables::described();
        let lower = self.text.to_lowercase();
        let names: Vec<&str> = match what {
            "table" => tables.iter().map(|table| table.name).collect(),
            // Those of the tables that are named.
            "column" => {
                let named = tables
                    .iter()
                    .filter(|table| word(&lower, table.name).is_some());
                let columns = named.flat_map(|table| &table.columns);
                columns.map(|(name, ..)| name.as_str()).collect()
            }
            _ => Vec::new(),
        };
        let (schema, last) = name.rsplit_once('.').unwrap_or(("", name));
        let is_known = |seen: &Seen| seen.schema.eq_ignore_ascii_case(schema);
        if what == "table" && !schema.is_empty() && !self.seen.iter().any(is_known) {
            let schemas: Vec<_> = self.seen.iter().map(|seen| seen.schema.as_str()).collect();
            return format!("; the recordings are {}", schemas.join(", "));
        }
        if what.starts_with("table") {
            let defines = |module: &&library::ModuleDoc| {
                let mut defined = module.defined.iter();
                defined.any(|defined| defined.name.eq_ignore_ascii_case(last))
            };
            if let Some(module) = library::modules().iter().find(defines) {
                return format!(
                    "; it is in a module: write INCLUDE MODULE {}; before",
                    module.name
                );
            }
        }
        let alike = nearest(last, names.iter().copied());
        match (alike.as_slice(), what) {
            ([], "table") => format!("; there are {}", names.join(", ")),
            ([], _) => String::new(),
            (alike, _) => format!("; did you mean {}?", alike.join(", ")),
        }
    }
}

/// The kind of thing and the name in `no such table: x`.
fn named(message: &str) -> Option<(&str, &str)> {
    let (what, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    Some((what, name))
}

/// Where a word stands in a text, as a word of its own.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(word);
    found
        .find(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let behind = text[at + word.len()..].chars().next();
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
        .map(|(at, _)| at)
}

/// Line and column of a byte of a text, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = "SELECT 'ü' AS a,\n  b FRO";
        assert_eq!(place(text, text.find('a').unwrap_or(0)), (1, 15));
        assert_eq!(place(text, text.find("FRO").unwrap_or(0)), (2, 5));
        assert_eq!(place(text, 999), (2, 8));
    }

    #[test]
    fn words_are_found_whole() {
        assert_eq!(word("calls.call_x, call", "call"), Some(14));
        assert_eq!(word("calls", "call"), None);
    }
}
