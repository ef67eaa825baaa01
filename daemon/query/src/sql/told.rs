//! What is said of a statement that cannot be answered: what SQLite says, where it stands in what somebody wrote, and what to write instead.

use std::sync::PoisonError;

use jhyde_history::Error as HistoryError;
use rusqlite::{Error as SqliteError, ErrorCode};

use super::allow::Refused;
use super::asked::Seen;
use super::error::SqlError;
use super::library;
use super::meter::{Meter, Over};
use super::place::{Place, Position};
use super::run::{FILES, Statement, megabytes};
use super::script::{Expanded, Problem, Source, word};
use super::table::Described;
use super::tables;
use crate::error::Error;
use crate::nearest::nearest;

/// SQLite's words where it finds no way to the rows of a table.
const NO_WAY: &str = "no query solution";

/// Why a text has no answer. What SQLite says is put in words at the end, when all is known.
pub(super) struct Failure {
    why: Why,
    /// The statement that failed, if it was one.
    of: Option<Box<Expanded>>,
}

enum Why {
    Sqlite(SqliteError),
    Ours(Error),
}

impl Failure {
    /// Of this statement.
    pub(super) fn within(self, of: Expanded) -> Self {
        Self {
            of: Some(self.of.unwrap_or_else(|| Box::new(of))),
            ..self
        }
    }
}

impl From<SqliteError> for Failure {
    fn from(error: SqliteError) -> Self {
        Self {
            why: Why::Sqlite(error),
            of: None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            why: Why::Ours(error),
            of: None,
        }
    }
}

impl Statement {
    /// What is said of something that is wrong with a text: where it stands, if the user wrote it; else of which module it is.
    pub(super) fn problem(problem: Problem) -> Error {
        said(&problem.source, problem.at, problem.reason)
    }

    /// What is said of a failure, and where it was.
    pub(super) fn told(&self, failure: Failure, refused: &Refused) -> Error {
        let Failure { why, of } = failure;
        let told = match why {
            Why::Ours(error) => error,
            Why::Sqlite(error) => self.in_words(error, of.as_deref(), refused),
        };
        // What the history says of a question whose time is over, too.
        let told = match told {
            Error::Cancelled | Error::History(HistoryError::Cancelled)
                if self.worlds.iter().any(|world| world.is_over()) =>
            {
                self.why_over()
            }
            told => told,
        };
        match of {
            Some(of) => told.within(&of),
            None => told,
        }
    }

    /// What is said of an error of SQLite's, in this statement if it is known in which.
    fn in_words(&self, error: SqliteError, of: Option<&Expanded>, refused: &Refused) -> Error {
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
            let given = of.and_then(|of| self.parameters.unquoted(&failure, of));
            return given.unwrap_or(failure);
        }
        if let Some(what) = refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            let reason = format!(
                "{what}: a recording can only be read (SELECT; temporary tables and views are allowed)"
            );
            return SqlError::Wrong { reason }.into();
        }
        let text = of.map_or("", |of| of.text.as_str());
        let wrong = |at: Option<usize>, reason: String| {
            let origin = at.and_then(|at| of?.origin(at));
            match origin {
                Some((source, at)) => said(&source, at, reason),
                None => SqlError::Wrong { reason }.into(),
            }
        };
        match error {
            SqliteError::SqlInputError {
                msg, sql, offset, ..
            } => {
                let begin = text.len().saturating_sub(sql.len());
                let name = named(&msg);
                let offset = usize::try_from(offset).ok();
                let offset = offset.or_else(|| name.and_then(|(_, name)| last_word(&sql, name)));
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
                if code.code == ErrorCode::TypeMismatch
                    && let Some(told) = of.and_then(|of| self.parameters.no_number(of))
                {
                    return told;
                }
                let told = message.unwrap_or_else(|| code.to_string());
                if told.contains(NO_WAY) {
                    return self.without_argument().into();
                }
                // One that comes when a view is made, or a name is looked up late.
                match named(&told) {
                    Some((what, name)) => {
                        let reason = format!("{told}{}", self.alike(what, name));
                        wrong(last_word(text, name), reason)
                    }
                    None => SqlError::Failed(told).into(),
                }
            }
            error => SqlError::Failed(error.to_string()).into(),
        }
    }

    /// Why it was interrupted.
    fn why_over(&self) -> Error {
        let over = self.worlds.iter().find(|world| world.is_over());
        over.or_else(|| self.worlds.first())
            .map_or_else(|| SqlError::Timeout.into(), |world| world.why_over())
    }

    /// The rows of a function follow from its argument, which is not there.
    fn without_argument(&self) -> SqlError {
        let tables = tables::described();
        let is_named = |table: &&Described| {
            !table.arguments.is_empty() && word(&self.text, table.name).is_some()
        };
        let named = tables.iter().filter(is_named).map(|table| {
            let arguments: Vec<_> = table.arguments.iter().map(|one| one.0.as_str()).collect();
            format!("{}({})", table.name, arguments.join(", "))
        });
        let of_modules = library::modules()
            .into_iter()
            .flat_map(|module| module.defined);
        let of_modules = of_modules
            .filter(|defined| {
                !defined.arguments.is_empty() && word(&self.text, &defined.name).is_some()
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
        SqlError::Wrong { reason }
    }

    /// Names that are like one that is not known.
    fn alike(&self, what: &str, name: &str) -> String {
        let tables = tables::described();
        let names: Vec<&str> = match what {
            "table" => tables.iter().map(|table| table.name).collect(),
            // Those of the tables that are named.
            "column" => {
                let named = tables
                    .iter()
                    .filter(|table| word(&self.text, table.name).is_some());
                let columns = named.flat_map(|table| &table.columns);
                columns.map(|(name, ..)| name.as_str()).collect()
            }
            "function" => FUNCTIONS.to_vec(),
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

/// Functions of SQLite's that people ask for, so that a mistyped name finds its like.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "changes",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "date",
    "datetime",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_each",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_tree",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pow",
    "power",
    "printf",
    "quote",
    "random",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "upper",
    "zeroblob",
];

/// The kind of thing and the name in `no such table: x`.
fn named(message: &str) -> Option<(&str, &str)> {
    let (what, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    Some((what, name))
}

/// Where a name stands, without what is before its last point.
fn last_word(text: &str, name: &str) -> Option<usize> {
    word(text, name.rsplit('.').next().unwrap_or(name))
}

/// What is wrong with a text, there.
fn said(source: &Source, at: usize, reason: String) -> Error {
    let wrong = |reason| Error::from(SqlError::Wrong { reason });
    match (source.position(at), source.module) {
        (Some(position), _) => wrong(reason).at(Place::At(position)),
        (None, module) => {
            let position = Position::of(&source.text, at);
            let module = module.unwrap_or_default();
            wrong(format!("module {module}, {position}: {reason}"))
        }
    }
}
