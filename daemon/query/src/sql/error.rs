//! Why a statement cannot be answered.

use jhyde_trace::Level;
use thiserror::Error;

/// See the module.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SqlError {
    /// It is not right, or asks for what may not be done.
    #[error("{reason}")]
    Wrong {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The recording's level leaves out all that a table has.
    #[error(
        "the table {table} needs level {needed}, and this is a recording at level {level}: record the program with --level {needed}"
    )]
    Level {
        /// The table.
        table: &'static str,
        /// The level that it needs.
        needed: Level,
        /// The level that there is.
        level: Level,
    },
    /// A text is compared with a number.
    #[error(
        "{column} is a text: write what it is compared with in single quotes, as in '1.10' (as a number that would be 1.1)"
    )]
    Unquoted {
        /// The column.
        column: String,
        /// The number, where it is a whole one.
        number: Option<i64>,
    },
    /// It took too long.
    #[error(
        "the statement was ended, its time is over: give it more (--timeout TIME), or ask for less"
    )]
    Timeout,
    /// It needs more memory than it may take.
    #[error(
        "the statement needs more memory than {most}: give it more (--memory of jhyde sql, max_memory), or ask for less at once (a long group_concat, a LIMIT)"
    )]
    Memory {
        /// What it may take, with its unit.
        most: String,
    },
    /// What it sorts, or keeps in temporary tables, is more than temporary files may hold.
    #[error(
        "the statement needs more than {most} of temporary files, for sorting and temporary tables: ask for fewer rows (WHERE), or leave ORDER BY and GROUP BY out where no index serves them (--explain tells)"
    )]
    Files {
        /// What they may hold, with its unit.
        most: String,
    },
    /// Its temporary files cannot be written.
    #[error(
        "the statement cannot write its temporary files, for sorting and temporary tables: {reason}. Make room in the folder that TMPDIR names for the daemon (else /var/tmp), \
         start it with another one, or ask for fewer rows (WHERE), or leave ORDER BY and GROUP BY out where no index serves them (--explain tells)"
    )]
    Disk {
        /// Why.
        reason: String,
    },
    /// SQLite failed.
    #[error("the statement failed: {0}")]
    Failed(String),
}
