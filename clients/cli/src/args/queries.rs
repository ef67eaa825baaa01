//! What questions by name and in SQL take.

use std::path::PathBuf;

use clap::Args;

use super::commands::{event, whole};

/// `jhyde query`.
#[derive(Args, Debug)]
pub struct QueryArgs {
    /// Id or name of the recording
    #[arg(required_unless_present = "list")]
    pub recording: Option<String>,
    /// The query
    #[arg(required_unless_present = "list")]
    pub query: Option<String>,
    /// What the query takes, in its order
    #[arg(allow_negative_numbers = true)]
    pub parameters: Vec<String>,
    /// What queries there are, and what each takes
    #[arg(long)]
    pub list: bool,
    /// Only what happened at this event or behind it
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = event)]
    pub from: Option<u64>,
    /// Only what happened before this event
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = event)]
    pub to: Option<u64>,
    /// At this event: object-state, instances, exists, running, exited
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = event)]
    pub at: Option<u64>,
    /// At any depth: pre-calls, post-calls
    #[arg(long)]
    pub nested: bool,
    /// Also caught exceptions: where-thrown
    #[arg(long)]
    pub caught: bool,
    /// So many levels below the call: call-tree
    #[arg(long, value_name = "LEVELS", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub depth: Option<u32>,
    /// At most so many rows
    #[arg(long, value_name = "N", conflicts_with = "all", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub limit: Option<u32>,
    /// All rows; without it and --limit people get 200, programs (--json) all
    #[arg(long)]
    pub all: bool,
}

/// `jhyde compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Id or name of the recording of a run that passed
    #[arg(required_unless_present = "rules")]
    pub passing: Option<String>,
    /// Id or name of the recording of the run that failed
    #[arg(required_unless_present = "rules")]
    pub failing: Option<String>,
    /// Ignore what this names: EFFECT@CLASS.METHOD or EFFECT@CLASS.METHOD:LINE, such as result@shop.Clock.now; can be given several times
    #[arg(long, value_name = "RULE")]
    pub ignore: Vec<String>,
    /// Do not ignore what --rules lists
    #[arg(long)]
    pub no_default_ignores: bool,
    /// Ignore what PASSING and this recording of another run that passed differ in
    #[arg(long, value_name = "PASSING2")]
    pub learn: Option<String>,
    /// List the rules that hold unless told otherwise; of a comparison, those in force
    #[arg(long)]
    pub rules: bool,
    /// At most so many rows of calls that differ for each pair of threads [default: 200; --json: 1000]
    #[arg(long, value_name = "N", conflicts_with = "all", allow_negative_numbers = true, value_parser = whole(0, u32::MAX))]
    pub limit: Option<u32>,
    /// All rows
    #[arg(long)]
    pub all: bool,
    /// Where source is found
    #[command(flatten)]
    pub source: super::SourceArgs,
}

/// `jhyde sql`.
#[derive(Clone, Debug, Args)]
pub struct SqlArgs {
    /// Id or name of the recording
    #[arg(required_unless_present = "tables")]
    pub recording: Option<String>,
    /// A file with the statement; - or nothing is standard input
    #[arg(conflicts_with = "command")]
    pub file: Option<PathBuf>,
    /// The statement
    #[arg(short, long, value_name = "SQL")]
    pub command: Option<String>,
    /// What tables there are, with their columns
    #[arg(long)]
    pub tables: bool,
    /// As CSV (RFC 4180): null is empty, an empty text is ""; notes go to standard error
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// How rows would be found, and by which index
    #[arg(long)]
    pub explain: bool,
    /// Only what happened before this event
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = event)]
    pub to: Option<u64>,
    /// End it after this time, such as 30s, 5m or 250ms; 0: never [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = crate::commands::sql::time)]
    pub timeout: Option<std::time::Duration>,
    /// At most so many rows
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub max_rows: Option<u64>,
    /// All rows; without it and --max-rows people get 200, programs (--json, --csv) all
    #[arg(long)]
    pub all: bool,
}
