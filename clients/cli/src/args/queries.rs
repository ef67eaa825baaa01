//! What questions by name and in SQL take.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::commands::{event, whole};

/// An event as it is named: by its number, or by a call, which stands for its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventName {
    /// Its number.
    Number(u64),
    /// `merge#2`, `1.7`.
    Call(String),
}

fn named_event(word: &str) -> Result<EventName, String> {
    match word.contains(['#', '.']) && !word.starts_with('-') {
        true => Ok(EventName::Call(word.to_owned())),
        false => event(word).map(EventName::Number),
    }
}

/// An answer that is to be kept.
#[derive(Clone, Debug, Args)]
pub struct SaveAnswerArgs {
    /// Keep the whole answer under this name, with what was asked (jhyde query answer NAME shows it again, jhyde query diff compares two)
    #[arg(long, value_name = "NAME")]
    pub save: Option<String>,
    /// Write over an answer that is kept under this name
    #[arg(long, requires = "save")]
    pub force: bool,
    /// The folder in which queries and answers are kept [default: $JHYDE_QUERIES, or jhyde/queries beside the configuration]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// Where queries are kept, and what may happen to one that is there.
#[derive(Args, Debug)]
pub struct SavedArgs {
    /// The folder in which they are kept [default: $JHYDE_QUERIES, or jhyde/queries beside the configuration]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Write over what is there
    #[arg(long)]
    pub force: bool,
}

/// `jhyde query save` and the like.
#[derive(Subcommand, Debug)]
pub enum SavedCommand {
    /// Keep a statement in SQL under a name; each $name in it is a parameter
    Save {
        /// Its name
        name: String,
        /// A file with the statement; - or nothing is standard input
        #[arg(conflicts_with = "command")]
        file: Option<PathBuf>,
        /// The statement
        #[arg(short, long, value_name = "SQL", allow_hyphen_values = true)]
        command: Option<String>,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// The statements that are kept
    List {
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// The text of one
    Show {
        /// Its name
        name: String,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// Forget one
    Delete {
        /// Its name
        name: String,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// Keep what is in a file, under the file's name or another one
    Import {
        /// The file
        file: PathBuf,
        /// Its name
        name: Option<String>,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// The answers that are kept (--save NAME)
    Answers {
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// An answer that is kept, shown again without asking
    Answer {
        /// Its name
        name: String,
        /// As CSV (RFC 4180): answers of SQL
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        /// Forget it
        #[arg(long)]
        delete: bool,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// What two answers that are kept do not share, also of two recordings
    Diff {
        /// One
        left: String,
        /// The other
        right: String,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
    /// Write one into a file
    Export {
        /// Its name
        name: String,
        /// The file
        file: PathBuf,
        /// Where.
        #[command(flatten)]
        args: SavedArgs,
    },
}

impl SavedCommand {
    /// Does it give a query a name, which must be none of those that the daemon knows? The others need no daemon.
    pub fn names_one(&self) -> bool {
        matches!(self, Self::Save { .. } | Self::Import { .. })
    }
}

/// `jhyde query`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct QueryArgs {
    /// What is kept.
    #[command(subcommand)]
    pub saved: Option<SavedCommand>,
    /// Id or name of the recording
    #[arg(required_unless_present = "list")]
    pub recording: Option<String>,
    /// The query
    #[arg(required_unless_present = "list")]
    pub query: Option<String>,
    /// What the query takes, in its order; of one that is kept also NAME=VALUE
    #[arg(allow_negative_numbers = true)]
    pub parameters: Vec<String>,
    /// What queries there are, and what each takes
    #[arg(long)]
    pub list: bool,
    /// Only what happened at this event or behind it
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = named_event)]
    pub from: Option<EventName>,
    /// Only what happened before this event
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = named_event)]
    pub to: Option<EventName>,
    /// At this event: object-state, instances, exists, running, exited
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = named_event)]
    pub at: Option<EventName>,
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
    #[arg(long, visible_alias = "max-rows", value_name = "N", conflicts_with = "all", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub limit: Option<u32>,
    /// End it after this time, such as 30s, 5m or 250ms; 0: never [default: never; of one that is kept 5m]
    #[arg(long, value_name = "TIME", value_parser = crate::commands::sql::time)]
    pub timeout: Option<std::time::Duration>,
    /// Of one that is kept: end it where it needs more memory than this, such as 64MB [default: 256MB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub memory: Option<String>,
    /// All rows; without it and --limit people get 200, programs (--json) all
    #[arg(long)]
    pub all: bool,
    /// Where, and under which name the answer is kept.
    #[command(flatten)]
    pub keep: SaveAnswerArgs,
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
    /// Ids or names of recordings, of which the tables of several go by their names (a.calls, b.calls; NAME=RECORDING gives another name). A file
    /// with the statement may stand behind them, - is standard input; without one a terminal asks for statements
    #[arg(required_unless_present_any = ["tables", "library"], value_name = "RECORDING… [FILE|-]")]
    pub words: Vec<String>,
    /// The statement
    #[arg(short, long, value_name = "SQL", allow_hyphen_values = true)]
    pub command: Option<String>,
    /// What $NAME in the statement is: a whole number, or a text; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = set, allow_hyphen_values = true)]
    pub set: Vec<(String, String)>,
    /// What tables there are, with their columns
    #[arg(long)]
    pub tables: bool,
    /// What modules there are (INCLUDE MODULE std.calls;), with their functions and macros
    #[arg(long, conflicts_with = "tables")]
    pub library: bool,
    /// As CSV (RFC 4180): null is empty, an empty text is ""; notes go to standard error
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// As a stream of Apache Arrow's (IPC streaming format), for pandas, Polars, DuckDB …: jhyde sql demo -c '…' --arrow > calls.arrows; notes go to standard
    /// error. A column with values of two types is an error
    #[arg(long, conflicts_with_all = ["json", "csv", "save"])]
    pub arrow: bool,
    /// How rows would be found, and by which index
    #[arg(long)]
    pub explain: bool,
    /// Only what happened before this event; not of several recordings
    #[arg(long, value_name = "EVENT", allow_negative_numbers = true, value_parser = named_event)]
    pub to: Option<EventName>,
    /// End it after this time, such as 30s, 5m or 250ms; 0: never [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = crate::commands::sql::time)]
    pub timeout: Option<std::time::Duration>,
    /// End it where it needs more memory than this, such as 64MB [default: 256MB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub memory: Option<String>,
    /// At most so many rows
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_rows: Option<u64>,
    /// All rows; without it and --max-rows people get 200, programs (--json, --csv, --arrow) all
    #[arg(long)]
    pub all: bool,
    /// Where, and under which name the answer is kept.
    #[command(flatten)]
    pub keep: SaveAnswerArgs,
}

/// `name=value`.
fn set(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim_start_matches('$').to_owned(), value.to_owned()))
}
