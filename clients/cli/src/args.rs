//! The command line: every command, flag and its help. What they do is elsewhere ([`crate::run`]).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::debug::STRATEGIES;

/// Record the whole history of a Java run, and ask it questions.
#[derive(Debug, Parser)]
#[command(
    name = "jhyde",
    version,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Begin:
  jhyde launch --name demo -- java -cp classes Main   record a program
  jhyde tree demo                                     what called what, with values
  jhyde where demo                                    exceptions that nobody caught
  jhyde debug demo                                    find the buggy call by answering questions
  jhyde history demo 'array#3[2]'                     who wrote a variable

No daemon has to be started: the one of the data folder is used, or started.
More: jhyde COMMAND --help, and jhyde help json | calls | variables | exit-codes | daemon"
)]
pub struct Cli {
    /// Flags of all commands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of all commands.
#[derive(Args, Clone, Debug, Default)]
pub struct Global {
    /// Data folder whose daemon is asked (and started if none runs)
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "JHYDED_DATA",
        help_heading = "Everywhere"
    )]
    pub data: Option<PathBuf>,
    /// Ask the daemon at HOST:PORT or unix:/path/to/socket, and never start one
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = "JHYDE_DAEMON",
        help_heading = "Everywhere"
    )]
    pub daemon: Option<String>,
    /// Fail instead of starting a daemon
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub no_start: bool,
    /// JSON, one object per line (see: jhyde help json)
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// Colours: NO_COLOR turns them off too
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Everywhere"
    )]
    pub color: ColorChoice,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal.
    #[default]
    Auto,
    /// Also when piped.
    Always,
    /// Not at all.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record a program: start it, pass its input and output through, end with its exit code
    #[command(after_help = "\
Examples:
  jhyde launch --name demo -- java -cp classes Main one two
  jhyde launch --include com.shop --level calls -- java -jar shop.jar < orders.txt

The first word after -- must be a java program; the agent option is put right behind it.
Exit code: the program's own; 127 or 126 if it cannot be started.
With --json the finished recording goes to standard error: standard output is the program's.")]
    Launch(LaunchArgs),
    /// Record a JVM that already waits for a debugger
    #[command(after_help = "\
Examples:
  java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005 -jar shop.jar &
  jhyde attach localhost:5005 --name shop --include com.shop
  jhyde detach shop")]
    Attach(AttachArgs),
    /// All recordings, newest first
    #[command(visible_alias = "ls")]
    List,
    /// One recording: its state, its JVM, how much there is
    Show(RecordingArg),
    /// Follow a recording until it ends
    Watch(RecordingArg),
    /// End recordings (a program that the daemon launched itself is asked to end)
    Stop(RecordingsArg),
    /// End recordings and leave the JVMs running as before
    Detach(RecordingsArg),
    /// Delete recordings that have ended, with everything that belongs to them
    #[command(visible_alias = "rm")]
    Delete(RecordingsArg),
    /// What called what: the computation tree, with arguments and results
    #[command(after_help = "\
Examples:
  jhyde tree demo --depth 2          fold everything below the second level
  jhyde tree demo merge#3            only what this call did
  jhyde tree demo --method merge     only the calls of one method
  jhyde tree demo --all --json       one call per line, in preorder, streamed")]
    Tree(TreeArgs),
    /// One call: what it was given, what it yielded, and the way to it
    #[command(
        after_help = "How to write a call: 1.7, merge#3, MergeSort.merge#3, pkg.MergeSort.merge(II)V#3"
    )]
    Call(CallArgs),
    /// The variables of a call at two times, and what changed between them
    #[command(after_help = "\
Red (*) was written in the interval, even with an equal value; yellow (~) was not, but something
reachable from it was. ? means that the level of the recording does not tell.

Examples:
  jhyde state demo merge#3                    from the call's beginning to its end
  jhyde state demo merge#3 --at 120           from its beginning to event 120
  jhyde state demo 1.7 --expand c --depth 1   with the elements of c")]
    State(StateArgs),
    /// What happened, in order: inside one call, or in the whole recording
    #[command(after_help = "\
Examples:
  jhyde events demo merge#3                     the call's own events, nested calls as one row
  jhyde events demo merge#3 --mark 'array#3[2]' show which of them wrote a variable (*), or hold a write (~)
  jhyde events demo --from 100 --to 200         all events of a range
  jhyde events demo --follow                    go on until the recording ends")]
    Events(EventsArgs),
    /// Every write to a variable: value, time, call, line
    #[command(after_help = "\
How to write a variable (quote it for the shell):
  merge#3:i  1.7:lc  object#12.size  'array#3[2]'  pkg.Main.COUNT  merge#3:return
All forms: jhyde help variables")]
    History(HistoryArgs),
    /// The threads of a recording
    Threads(RecordingArg),
    /// Exceptions that nobody caught, with the calls that they ended
    #[command(name = "where")]
    Where(RecordingArg),
    /// The recorded classes and how often their methods were called
    Classes(ClassesArgs),
    /// Find the buggy call by answering questions
    #[command(after_help = "\
Examples:
  jhyde debug demo                               a conversation in the terminal
  jhyde debug demo --strategy top-down           ask in another order
  jhyde debug demo --session last                come back to where you were
  printf 'invalid\\nvalid\\n' | jhyde debug demo   answers from a file or pipe
  jhyde debug demo --strategy top-down --json    JSON lines both ways (jhyde help json)

Answers: valid, invalid, trusted (never ask about this method), unknown (decide later).
Exit code: 0 when it ended or you left; the session is kept either way.")]
    Debug(DebugArgs),
    /// The debugging sessions of a recording
    Sessions(SessionsArgs),
    /// Completions for a shell
    #[command(after_help = "\
bash:  jhyde completions bash > ~/.local/share/bash-completion/completions/jhyde
zsh:   jhyde completions zsh > ~/.zfunc/_jhyde
fish:  jhyde completions fish > ~/.config/fish/completions/jhyde.fish")]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Help for a command or a topic (json, calls, variables, exit-codes, daemon)
    Help {
        /// A command or a topic.
        topic: Option<String>,
    },
}

/// How to record.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordArgs {
    /// Name for the recording; without one, one is made
    #[arg(long)]
    pub name: Option<String>,
    /// How much is recorded: calls, state (every write too) or full
    #[arg(long)]
    pub level: Option<String>,
    /// How it is captured: auto, events or probe
    #[arg(long)]
    pub engine: Option<String>,
    /// Record the inside of these classes only: org.foo, org.foo.*, *Service, org.*.impl.*
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave these classes out again
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Longest text kept of a string, in UTF-16 units
    #[arg(long, value_name = "N")]
    pub string_limit: Option<u32>,
}

/// `jhyde launch`.
#[derive(Args, Debug)]
pub struct LaunchArgs {
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Say nothing on standard error at the end
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
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Follow the recording until it ends
    #[arg(long)]
    pub watch: bool,
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

/// How much of a long list is shown.
#[derive(Args, Clone, Debug, Default)]
pub struct PageArgs {
    /// Show at most N rows (people get 200 unless told; JSON gets all)
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// Go on behind the rows shown before
    #[arg(long, value_name = "TOKEN", conflicts_with = "all")]
    pub page: Option<String>,
    /// Show all rows
    #[arg(long)]
    pub all: bool,
}

/// `jhyde tree`.
#[derive(Args, Debug)]
pub struct TreeArgs {
    /// Id or name of the recording
    pub recording: String,
    /// Only this call and what is below it
    pub call: Option<String>,
    /// Fold what is more than N levels down
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Only calls of this method: merge, MergeSort.merge
    #[arg(long)]
    pub method: Option<String>,
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
    pub call: String,
}

/// `jhyde state`.
#[derive(Args, Debug)]
pub struct StateArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The call
    pub call: String,
    /// The later time: an event's number (the call's end, unless told)
    #[arg(long, value_name = "T", visible_alias = "to")]
    pub at: Option<u64>,
    /// The earlier time (the call's beginning, unless told)
    #[arg(long, value_name = "T")]
    pub from: Option<u64>,
    /// Show what is inside objects, N levels down
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=64))]
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
    pub call: Option<String>,
    /// Only events at or after this one
    #[arg(long, value_name = "T")]
    pub from: Option<u64>,
    /// Only events before this one
    #[arg(long, value_name = "T")]
    pub to: Option<u64>,
    /// Mark the events that wrote this variable
    #[arg(long, value_name = "VARIABLE", requires = "call")]
    pub mark: Option<String>,
    /// Only events of this thread (its number in `jhyde threads`)
    #[arg(long, value_name = "N", conflicts_with = "call")]
    pub thread: Option<u32>,
    /// Go on with new events until the recording ends
    #[arg(long, conflicts_with_all = ["call", "limit", "page"])]
    pub follow: bool,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
}

/// `jhyde history`.
#[derive(Args, Debug)]
pub struct HistoryArgs {
    /// Id or name of the recording
    pub recording: String,
    /// The variable, as `jhyde help variables` tells
    pub variable: String,
    /// Only writes at or after this event
    #[arg(long, value_name = "T")]
    pub from: Option<u64>,
    /// Only writes before this event
    #[arg(long, value_name = "T")]
    pub to: Option<u64>,
    /// Newest first
    #[arg(long)]
    pub newest: bool,
    /// How much is shown.
    #[command(flatten)]
    pub page: PageArgs,
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
    /// The order of questions (divide-and-query, unless told)
    #[arg(long, value_parser = PossibleValuesParser::new(STRATEGIES))]
    pub strategy: Option<String>,
    /// Go on with this session: its id, or `last`
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Search only this call and what is below it
    #[arg(long, value_name = "CALL")]
    pub restrict: Option<String>,
    /// With --json: questions also carry the call's `input` and `outcome`
    #[arg(long, requires = "json")]
    pub details: bool,
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn launch_takes_what_is_behind_the_dashes_untouched() {
        let line = [
            "jhyde",
            "launch",
            "--name",
            "n",
            "--include",
            "a",
            "--include",
            "b.*",
            "--",
        ];
        let cli = Cli::try_parse_from(line.iter().chain(&["java", "--name", "-cp", "x"]));
        let Ok(Cli {
            command: Command::Launch(launch),
            ..
        }) = cli
        else {
            panic!("{cli:?}")
        };
        assert_eq!(launch.command, ["java", "--name", "-cp", "x"]);
        assert_eq!(launch.record.include, ["a", "b.*"]);
        assert_eq!(launch.record.name.as_deref(), Some("n"));
    }

    #[test]
    fn flags_of_all_commands_stand_anywhere() {
        for line in [
            ["jhyde", "--json", "tree", "r"],
            ["jhyde", "tree", "r", "--json"],
        ] {
            assert!(Cli::try_parse_from(line).unwrap().global.json);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            &["jhyde"][..],
            &["jhyde", "launch"],
            &["jhyde", "launch", "java"],
            &["jhyde", "tree"],
            &["jhyde", "tree", "r", "--depth", "0"],
            &["jhyde", "tree", "r", "--limit", "0"],
            &["jhyde", "tree", "r", "--limit", "10001"],
            &["jhyde", "tree", "r", "--all", "--limit", "5"],
            &["jhyde", "events", "r", "1.7", "--follow"],
            &["jhyde", "events", "r", "--mark", "a"],
            &["jhyde", "state", "r", "1.7", "--at", "-1"],
            &["jhyde", "debug", "r", "--strategy", "guess"],
            &["jhyde", "debug", "r", "--details"],
            &["jhyde", "delete"],
        ] {
            assert!(Cli::try_parse_from(line).is_err(), "{line:?}");
        }
    }
}
