//! Why a query cannot be answered.

use jhyde_trace::Timestamp;
use jhyde_trace::echo::shown;
use thiserror::Error;

/// The result of a query.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a query cannot be answered.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording could not be asked.
    #[error(transparent)]
    History(#[from] jhyde_history::Error),
    /// Two recordings cannot be held against each other.
    #[error(transparent)]
    Unfit(#[from] crate::compare::fit::Unfit),
    /// There is no query of this name.
    #[error("there is no query '{}'{}; `jhyde query --list` (Queries.List) lists them", shown(.name), did_you_mean(.nearest))]
    NoSuchQuery {
        /// The name.
        name: String,
        /// Names that are like it.
        nearest: Vec<String>,
    },
    /// The query has no such parameter.
    #[error("the query {query} has no parameter '{}'; it takes {takes}", shown(.parameter))]
    NoSuchParameter {
        /// The query.
        query: &'static str,
        /// What was given.
        parameter: String,
        /// What it takes, in words.
        takes: String,
    },
    /// A parameter that must be given was not.
    #[error("the query {query} needs {parameter}: {what}")]
    Missing {
        /// The query.
        query: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it is, in words.
        what: &'static str,
    },
    /// A parameter is not written right.
    #[error("{parameter} '{}': {reason}", shown(.given))]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What a parameter names is not in the recording.
    #[error("{what} '{}' is not in this recording{}", shown(.name), did_you_mean(.nearest))]
    NoSuchName {
        /// The parameter.
        parameter: &'static str,
        /// What kind of thing.
        what: &'static str,
        /// The name.
        name: String,
        /// Names that are like it.
        nearest: Vec<String>,
    },
    /// A stretch of the history that makes no sense.
    #[error("from {from} to {to} is no part of the history: {reason}")]
    Range {
        /// Its beginning.
        from: Timestamp,
        /// Its end.
        to: Timestamp,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The recording's level leaves out all that the query is about.
    #[error(
        "{query} needs level {needed}, and this is a recording at level {level}: record the program with --level {needed}"
    )]
    Level {
        /// The query.
        query: &'static str,
        /// The level that it needs.
        needed: jhyde_trace::Level,
        /// The level that there is.
        level: jhyde_trace::Level,
    },
    /// A statement in SQL is not right, or cannot be answered.
    #[error(transparent)]
    Sql(#[from] crate::sql::SqlError),
    /// The same, and where in the statement.
    #[error("{place}: {error}")]
    Placed {
        /// Where.
        place: crate::sql::Place,
        /// What is wrong.
        error: Box<Self>,
    },
    /// Whoever asked does not wait for the answer any more.
    #[error("the query was cancelled")]
    Cancelled,
    /// It took too long.
    #[error(
        "the query was ended, its time is over: give it more (--timeout TIME), or ask for less (--from, --to, --limit)"
    )]
    Late,
}

impl Error {
    /// What is wrong, wherever it stands.
    pub fn itself(self) -> Self {
        match self {
            Self::Placed { error, .. } => error.itself(),
            other => other,
        }
    }

    /// What of the recording cannot be read, if that is why: damaged, or cut off.
    pub(crate) fn damage(&self) -> Option<&jhyde_store::Error> {
        match self {
            Self::History(jhyde_history::Error::Store(
                error @ jhyde_store::Error::Damaged { .. },
            )) => Some(error),
            _ => None,
        }
    }
}

impl From<jhyde_store::Error> for Error {
    fn from(error: jhyde_store::Error) -> Self {
        Self::History(error.into())
    }
}

fn did_you_mean(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(" (did you mean {}?)", names.join(", ")),
    }
}
