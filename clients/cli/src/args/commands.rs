//! What each command takes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::debug::STRATEGIES;

/// How to record.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordArgs {
    /// Name for the recording; without one, one is made
    #[arg(long)]
    pub name: Option<String>,
    /// How much is recorded: calls, state (every write too) or full
    #[arg(long)]
    pub level: Option<String>,
    /// How it is captured: auto, probe (fast, code put into the classes) or events (nothing put in, slow); auto takes probe where it can
    #[arg(long)]
    pub engine: Option<String>,
    /// Record the inside of these classes only: org.foo, org.foo.*, *Service, org.*.impl.*
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave these classes out again
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Longest text kept of a string, in UTF-16 units
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub string_limit: Option<u32>,
    /// Level calls: look so many levels into the objects that a call is shown and yields, when it begins and when it
    /// ends, so that it can be judged; 0: not at all, which is faster
    #[arg(long, value_name = "LEVELS", allow_negative_numbers = true)]
    pub snapshot_depth: Option<u32>,
    /// Level calls: the most elements of an array, or items of a collection, that are looked at; of longer ones the first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub snapshot_elements: Option<u32>,
    /// Level calls: the most bytes of values that are looked at at once; a field or an item counts 8
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub snapshot_bytes: Option<u32>,
    /// Do not record what lists, maps, builders and other objects of the JDK hold
    #[arg(long)]
    pub no_contents: bool,
    /// When it takes so much of the disk (500MB, 2GB), record less from then on: level full becomes state; where there is
    /// no lower level, and at twice as much, the recording ends and the program runs on
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub max_bytes: Option<String>,
    /// The same after so much time (90s, 10m)
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub max_duration: Option<String>,
    /// The same when the program takes so many times as long as by itself (1.5, 20), measured over ten seconds by how long its threads
    /// stand still for jhyde; what the code costs that the engine probe puts in is not in that
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    pub max_slowdown: Option<String>,
    /// What to do at such a limit: lower (the next lower level), end (the recording; the program runs on)
    #[arg(long, value_name = "lower|end")]
    pub at_limit: Option<String>,
    /// Keep the newest part, about so much of the disk (500MB, 2GB): what is older is cut off, and answers that need it say so
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub ring: Option<String>,
    /// What the engine probe has the program tell, to check jhyde: auto, inputs (nothing that can be derived), reads (what fields and elements
    /// hold, too) or writes (also what is written, which must be what was derived)
    #[arg(long, value_name = "LOG")]
    pub probe_log: Option<String>,
    /// Folder or jar with the program's source, searched first: it is kept with the recording; may be repeated
    #[arg(long, value_name = "DIR|JAR")]
    pub source: Vec<PathBuf>,
}

/// `jhyde launch`.
#[derive(Args, Debug)]
pub struct LaunchArgs {
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Say nothing on standard error while it runs and at the end, but for what went wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// The program, beginning with java
    #[arg(last = true, required = true, value_name = "JAVA COMMAND")]
    pub command: Vec<OsString>,
}

/// `jhyde attach`.
#[derive(Args, Debug)]
pub struct AttachArgs {
    /// Where the JVM listens
    #[arg(value_name = "HOST:PORT")]
    pub address: String,
    /// How it is recorded and followed.
    #[command(flatten)]
    pub how: FollowArgs,
}

/// How a JVM that runs is recorded, and what is told meanwhile: of `jhyde attach` and `jhyde jvms`.
#[derive(Args, Clone, Debug)]
pub struct FollowArgs {
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Follow the recording until it ends
    #[arg(long)]
    pub watch: bool,
    /// Say nothing on standard error at the end
    #[arg(long, short)]
    pub quiet: bool,
}

/// One recording.
#[derive(Args, Debug)]
pub struct RecordingArg {
    /// Its id or name
    #[arg(value_name = "RECORDING")]
    pub recording: String,
}

/// Some recordings.
#[derive(Args, Debug)]
pub struct RecordingsArg {
    /// Their ids or names
    #[arg(value_name = "RECORDING", required = true)]
    pub recordings: Vec<String>,
}

/// `jhyde export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The file to write, which must not be there; - is standard output
    pub file: PathBuf,
    /// As Prolog facts, in the event log of JavaTA; also of a recording that still runs, as it is now
    #[arg(long)]
    pub jel: bool,
    /// With --jel: calls out of the recorded classes, too
    #[arg(long, requires = "jel")]
    pub boundary: bool,
    /// With --jel: default values as writes where an object is made
    #[arg(long, requires = "jel")]
    pub defaults: bool,
}

/// `jhyde import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// The file to read; - is standard input
    pub file: PathBuf,
    /// Another name for the recording
    #[arg(long)]
    pub name: Option<String>,
}

/// `jhyde keep`.
#[derive(Args, Debug)]
pub struct KeepArgs {
    /// A number of recordings (100), an age since they ended (30d), a size of all together (20GB)
    #[arg(value_name = "LIMIT")]
    pub limits: Vec<String>,
    /// Only tell what would be deleted
    #[arg(long)]
    pub dry_run: bool,
}

/// How much of a long list is shown.
#[derive(Args, Clone, Debug, Default)]
pub struct PageArgs {
    /// Show at most N rows (people get 200 unless told; JSON gets all)
    #[arg(long, value_name = "N", conflicts_with = "all", allow_negative_numbers = true, value_parser = whole(1, 10_000))]
    pub limit: Option<u32>,
    /// Go on behind the rows shown before
    #[arg(long, value_name = "TOKEN", conflicts_with = "all")]
    pub page: Option<String>,
    /// Show all rows
    #[arg(long)]
    pub all: bool,
}

/// Which source is shown beside what happened.
#[derive(Args, Clone, Debug, Default)]
pub struct SourceArgs {
    /// Folder or jar with source, looked into before what the recording has kept; may be repeated
    #[arg(long, value_name = "DIR|JAR")]
    pub source: Vec<PathBuf>,
    /// Show no source
    #[arg(long, conflicts_with = "source")]
    pub no_source: bool,
}

/// `jhyde where`.
#[derive(Args, Debug)]
pub struct WhereArgs {
    /// Its id or name
    #[arg(value_name = "RECORDING")]
    pub recording: String,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde tree`.
#[derive(Args, Debug)]
pub struct TreeArgs {
    /// Id or name of the recording
    pub recording: String,
    /// Only this call and what is below it
    #[arg(allow_negative_numbers = true)]
    pub call: Option<String>,
    /// Fold what is more than N levels down
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub depth: Option<u32>,
    /// Show every level of recursion (people get the first 16 calls of a method inside itself)
    #[arg(long)]
    pub unfold: bool,
    /// Only calls of this method: merge, MergeSort.merge
    #[arg(long)]
    pub method: Option<String>,
    /// Begin at this call, in the middle of the tree
    #[arg(long, value_name = "CALL", allow_negative_numbers = true)]
    pub from: Option<String>,
    /// Leave out calls of methods outside the recorded classes
    #[arg(long)]
    pub no_boundary: bool,
    /// Leave arguments and results out (faster)
    #[arg(long)]
    pub no_values: bool,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
}

/// `jhyde call`.
#[derive(Args, Debug)]
pub struct CallArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call
    #[arg(allow_negative_numbers = true)]
    pub call: String,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde state`.
#[derive(Args, Debug)]
pub struct StateArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call
    #[arg(allow_negative_numbers = true)]
    pub call: String,
    /// The later time: an event's number (the call's end, unless told)
    #[arg(long, value_name = "T", visible_alias = "to", allow_negative_numbers = true, value_parser = event)]
    pub at: Option<u64>,
    /// The earlier time (the call's beginning, unless told)
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub from: Option<u64>,
    /// Show what is inside objects, N levels down
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = whole(0, 64))]
    pub depth: u32,
    /// Show what is inside this row only: its name, its variable, or object#12 (may be repeated)
    #[arg(long, value_name = "ROW")]
    pub expand: Vec<String>,
    /// Leave the static fields out
    #[arg(long)]
    pub no_statics: bool,
}

/// `jhyde events`.
#[derive(Args, Debug)]
pub struct EventsArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call whose events are shown; without it, all of the recording
    #[arg(allow_negative_numbers = true)]
    pub call: Option<String>,
    /// Only events at or after this one
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub from: Option<u64>,
    /// Only events before this one
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub to: Option<u64>,
    /// Mark the events that wrote this variable
    #[arg(long, value_name = "VARIABLE", requires = "call")]
    pub mark: Option<String>,
    /// Open so many levels of loops and iterations, or `all` (with --json: all, unless said)
    #[arg(long, value_name = "LEVELS", requires = "call", allow_negative_numbers = true, value_parser = levels)]
    pub unfold: Option<u32>,
    /// Only what is inside this loop or iteration of the call's events (`loop@12@0`, as its row says)
    #[arg(long, value_name = "ROW", requires = "call")]
    pub inside: Option<String>,
    /// No rows for loops and iterations: events alone
    #[arg(long, requires = "call", conflicts_with_all = ["unfold", "inside"])]
    pub flat: bool,
    /// Show calls of iterators, `Object.<init>` and string concatenation one by one
    #[arg(long, requires = "call")]
    pub noise: bool,
    /// Only events of this thread (its number in `jhyde threads`)
    #[arg(long, value_name = "N", conflicts_with = "call", allow_negative_numbers = true, value_parser = thread)]
    pub thread: Option<u32>,
    /// Go on with new events until the recording ends
    #[arg(long, conflicts_with_all = ["call", "limit", "page"])]
    pub follow: bool,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde step`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("which").multiple(false))]
pub struct StepArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The event to start from: its number
    #[arg(value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub from: u64,
    /// Backward in time
    #[arg(short, long)]
    pub back: bool,
    /// To the next event of the thread, into nested calls (unless another step is chosen)
    #[arg(long, group = "which")]
    pub into: bool,
    /// To the next event of the same call, over nested calls
    #[arg(long, group = "which")]
    pub over: bool,
    /// To the call's end (with --back: its beginning)
    #[arg(long, group = "which")]
    pub out: bool,
    /// To the next write of this variable
    #[arg(long, group = "which", value_name = "VARIABLE")]
    pub write: Option<String>,
    /// To the next time that this line did something
    #[arg(long, group = "which", value_name = "CLASS:LINE")]
    pub line: Option<String>,
    /// To where the exception was thrown that this event is about
    #[arg(long, group = "which", conflicts_with = "back")]
    pub throw: bool,
    /// So many steps
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = whole(1, u32::MAX))]
    pub steps: u32,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde history`.
#[derive(Args, Debug)]
pub struct HistoryArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The variable, as `jhyde help variables` tells
    #[arg(allow_negative_numbers = true)]
    pub variable: String,
    /// Only writes at or after this event
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub from: Option<u64>,
    /// Only writes before this event
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub to: Option<u64>,
    /// Newest first
    #[arg(long)]
    pub newest: bool,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
}

/// `jhyde why`.
#[derive(Args, Debug)]
pub struct WhyArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The variable, as `jhyde help variables` tells
    #[arg(allow_negative_numbers = true)]
    pub variable: String,
    /// Its value at this event; without: when its call ended (locals), or at the end of the recording
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = event)]
    pub at: Option<u64>,
    /// So many steps
    #[arg(long, value_name = "N", default_value_t = 40, conflicts_with = "all")]
    pub limit: u64,
    /// All steps, however many there are
    #[arg(long)]
    pub all: bool,
    /// Where source is looked for.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde coverage`.
#[derive(Args, Debug)]
pub struct CoverageArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call: 1.7, merge#3
    #[arg(allow_negative_numbers = true)]
    pub call: String,
}

/// `jhyde gaps`.
#[derive(Args, Debug)]
pub struct GapsArgs {
    /// Id or name of the recording
    pub recording: String,
    /// Only gaps of this call and of the calls in it
    #[arg(allow_negative_numbers = true)]
    pub call: Option<String>,
    /// Only gaps whose reason contains this
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
}

/// `jhyde locate`.
#[derive(Args, Debug)]
pub struct LocateArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The event, by its number
    #[arg(allow_negative_numbers = true, value_parser = event)]
    pub event: u64,
    /// Where it is in the list of this call, which is one around it
    #[arg(long, value_name = "CALL", allow_negative_numbers = true)]
    pub call: Option<String>,
}

/// `jhyde lines`.
#[derive(Args, Debug)]
pub struct LinesArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call
    #[arg(allow_negative_numbers = true)]
    pub call: String,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde web`.
#[derive(Args, Debug)]
pub struct WebArgs {
    /// Id or name of the recording that is shown first
    pub recording: Option<String>,
    /// Print the address in place of opening a browser (over ssh, for another browser)
    #[arg(long)]
    pub print: bool,
}

/// `jhyde source`.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Send the source files of a folder that belong to the recorded classes, to be kept with the recording
    Add(AddSourceArgs),
}

/// `jhyde source add`.
#[derive(Args, Debug)]
pub struct AddSourceArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The folder, on this machine: a source folder, or a project that has some
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `jhyde classes`.
#[derive(Args, Debug)]
pub struct ClassesArgs {
    /// Id or name of the recording
    pub recording: String,
    /// Also classes outside the scope that were met
    #[arg(long)]
    pub all: bool,
    /// One line per method
    #[arg(long)]
    pub methods: bool,
}

/// `jhyde debug`.
#[derive(Args, Debug)]
pub struct DebugArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The order of questions (adaptive, unless told)
    #[arg(long, value_parser = PossibleValuesParser::new(STRATEGIES))]
    pub strategy: Option<String>,
    /// Go on with this session: its id, or `last`
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Search only this call and what is below it
    #[arg(long, value_name = "CALL")]
    pub restrict: Option<String>,
    /// With --json: questions also carry the call's `input`, `outcome` and `source`
    #[arg(long, requires = "json")]
    pub details: bool,
    /// Refuse answers that point at what is wrong, and `inadmissible`: only the answers of before
    #[arg(long)]
    pub no_pointing: bool,
    /// Ask about one value of a call, too, where it decides as much as the call
    #[arg(long, conflicts_with_all = ["session", "no_values"])]
    pub values: bool,
    /// Ask about whole calls alone, in a session that was begun with --values, too
    #[arg(long)]
    pub no_values: bool,
    /// Answer without asking what a run that was right tells: a recording of it, of this version of the program or another
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["session", "no_known"])]
    pub against: Option<String>,
    /// Do not ask a call that is equal to one that was answered (so it is with adaptive, unless told)
    #[arg(long, conflicts_with = "no_known")]
    pub known: bool,
    /// Ask every call, also those that are equal to one that was answered
    #[arg(long)]
    pub no_known: bool,
    /// Use the answers of earlier sessions that are kept in this folder, and keep those of this one there
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_known")]
    pub memory: Option<PathBuf>,
    /// Do not ask about the methods of these classes, they are right: shop.util, shop.util.*, *Codec, lib/gson.jar; may be repeated
    #[arg(long, value_name = "PATTERN|JAR")]
    pub trust: Vec<String>,
    /// What calls must do, an expression over arguments, fields and result: 'Cart.total: result >= 0 && this.pieces > 0' (jhyde
    /// help properties). A call for which it is false is invalid without being asked; may be repeated
    #[arg(long, value_name = "METHOD: EXPRESSION")]
    pub assert: Vec<String>,
    /// What was changed before it went wrong: a file with a unified diff, or a range for git diff (HEAD~1) in the folder of
    /// --source, else in this one. Calls that ran changed lines are asked first
    #[arg(long, value_name = "RANGE|DIFF")]
    pub changed: Option<String>,
    /// With --changed: what was not changed is right. Only a call of a changed method is found, and others are asked about
    /// where that is quicker; if the defect is older than the change, another call is found
    #[arg(long, requires = "changed")]
    pub trust_unchanged: bool,
    /// A recording of a run that passed, such as a test: what it ran, too, is less suspicious; may be repeated
    #[arg(long, value_name = "RECORDING")]
    pub passing: Vec<String>,
    /// With --passing: what passing runs ran is right. A method is not asked about where they did all that it did here
    #[arg(long, requires = "passing")]
    pub trust_passing: bool,
    /// Which source is shown.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `jhyde daemon`.
#[derive(Debug, Subcommand)]
pub enum DaemonCommand {
    /// Which daemon answers: version, process, sockets, recordings that are being made; exit code 1 if none runs
    Status,
    /// Ask it to end: recordings are closed, their programs run on; waits until it has
    Stop,
}

/// `jhyde memory`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// The answers that are kept, and which of them contradict each other
    List(MemoryArgs),
    /// Forget some of them
    Forget(MemoryForgetArgs),
    /// Write them to a file, or the valid ones as JUnit tests
    Export(MemoryExportArgs),
    /// Add those of a file, such as another folder's answers.jsonl: none is lost
    Merge(MemoryFileArgs),
}

/// A folder with a memory.
#[derive(Args, Debug)]
pub struct MemoryArgs {
    /// The folder
    pub folder: PathBuf,
}

/// `jhyde memory forget`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub struct MemoryForgetArgs {
    /// The folder
    pub folder: PathBuf,
    /// Which: their ids, as `jhyde memory list` shows them
    #[arg(value_name = "ID", group = "which")]
    pub ids: Vec<String>,
    /// All about this method: merge, MergeSort.merge
    #[arg(long, group = "which")]
    pub method: Option<String>,
    /// All of them
    #[arg(long, group = "which")]
    pub all: bool,
}

/// `jhyde memory export`.
#[derive(Args, Debug)]
pub struct MemoryExportArgs {
    /// The folder
    pub folder: PathBuf,
    /// The file, - is standard output; with --junit a folder for Java sources
    pub file: PathBuf,
    /// Write calls that were answered valid as tests for JUnit 4.13, where what they were given can be built from source, and
    /// say which cannot and why. Their recordings must still be there
    #[arg(long)]
    pub junit: bool,
}

/// A folder with a memory, and a file.
#[derive(Args, Debug)]
pub struct MemoryFileArgs {
    /// The folder
    pub folder: PathBuf,
    /// The file; to write, - is standard output
    pub file: PathBuf,
}

/// `jhyde sessions`.
#[derive(Args, Debug)]
pub struct SessionsArgs {
    /// Id or name of the recording
    pub recording: String,
    /// Delete this session instead (may be repeated)
    #[arg(long, value_name = "ID")]
    pub delete: Vec<String>,
}

/// An event's number.
pub(super) fn event(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| {
        "events are numbered from 0; `jhyde events RECORDING` lists them with their numbers"
            .to_owned()
    })
}

/// A thread's number.
fn thread(word: &str) -> Result<u32, String> {
    match word.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("threads are numbered from 1; `jhyde threads RECORDING` lists them".to_owned()),
    }
}

/// A whole number in a range.
pub(super) fn whole(least: u32, most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |word| match word.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ if most == u32::MAX => Err(format!("write a whole number from {least} on")),
        _ => Err(format!("write a whole number from {least} to {most}")),
    }
}

/// A number of levels, or all of them.
fn levels(word: &str) -> Result<u32, String> {
    match word {
        "all" => Ok(u32::MAX),
        number => number
            .parse()
            .map_err(|_| "write a number of levels, or all".to_owned()),
    }
}
