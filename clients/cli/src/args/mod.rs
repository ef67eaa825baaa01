//! The command line: every command, flag and its help. What they do is elsewhere ([`crate::run`]).

mod commands;
mod queries;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use commands::*;
pub use queries::*;

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
  jhyde where demo                                    exceptions that nobody caught, failed tests
  jhyde debug demo                                    find the buggy call by answering questions
  jhyde history demo 'array#3[2]'                     who wrote a variable

No daemon has to be started: the one of the data folder is used, or the machine's at /run/jhyde/jhyded.sock, or one is started.
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
    /// Ask the daemon at https://HOST:PORT, at HOST:PORT of this machine, or at unix:/path/to/socket, and never start one
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = "JHYDE_DAEMON",
        help_heading = "Everywhere"
    )]
    pub daemon: Option<String>,
    /// File with the token for the daemon at such an address; nobody else may be able to read it [env: JHYDE_TOKEN_FILE, or the
    /// token itself: JHYDE_TOKEN]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub token_file: Option<PathBuf>,
    /// PEM file of the CA whose certificates are trusted at https://HOST:PORT, instead of those that the system trusts
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "JHYDE_CA",
        help_heading = "Everywhere"
    )]
    pub ca: Option<PathBuf>,
    /// PEM file of a client certificate and its key, to show at https://HOST:PORT; nobody else may be able to read it
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "JHYDE_IDENTITY",
        help_heading = "Everywhere"
    )]
    pub identity: Option<PathBuf>,
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
    /// The JVMs of this machine: which can be recorded, at which port, and what to do for the others
    #[command(after_help = "\
Told are process, user, Java version, debug port and program. A port is told only where a socket of that JVM
listens; nothing is connected to. What /proc does not show to you (JVMs of other users) is said to be unreadable.

On a terminal the JVMs that can be recorded have numbers: the one whose number is typed is recorded, as by jhyde
attach with the same options. Without a terminal, and with --json, the list is all.

Examples:
  jhyde jvms                                   choose one, and record it
  jhyde jvms --include com.shop --name shop    the same, and how
  jhyde jvms --json | jq -r 'select(.attach) | \"\\(.pid) \\(.attach)\"'
  sudo jhyde jvms                              those of all users

Ways to a debug port that nobody else reaches: docs/jdwp.md.")]
    Jvms(FollowArgs),
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
    /// Write a recording that has ended as one file
    #[command(after_help = "\
Examples:
  jhyde export demo demo.jhyde
  jhyde export demo - | ssh there jhyde import -
  jhyde export --jel demo demo.pl && swipl demo.pl    as Prolog facts (docs/queries.md)")]
    Export(ExportArgs),
    /// Bring in a file that `jhyde export` wrote
    Import(ImportArgs),
    /// Bring recordings to their smallest form, for ever
    #[command(after_help = "\
Everything is rewritten once. From then on nothing writes the recording, and its folder can be copied.")]
    Seal(RecordingsArg),
    /// Delete the oldest recordings until the rest is within limits
    #[command(after_help = "\
Examples:
  jhyde keep 100 --dry-run       what would go so that 100 recordings stay
  jhyde keep 30d 20GB            what ended in the last 30 days, 20 GB in all at most
  jhyde keep                     as the daemon's configuration says (setting keep)

What is being made or read is never deleted. The daemon does the same by itself whenever a recording ends,
if its configuration says what to keep.")]
    Keep(KeepArgs),
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
reachable from it was. ? means that the recording does not tell: its level, or a gap in it.

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
  jhyde events demo merge#3 --unfold 2          with the iterations of its loops and what is in them
  jhyde events demo merge#3 --inside loop@120@0 the iterations of one loop, as its row names it
  jhyde events demo --from 100 --to 200         all events of a range
  jhyde events demo --follow                    go on until the recording ends")]
    Events(EventsArgs),
    /// From one event to another: into, over and out of calls, by line, by write, in both directions
    #[command(after_help = "\
Examples:
  jhyde step demo 120                        the next event of the thread
  jhyde step demo 120 --back --over -n 3     three events earlier in the same call
  jhyde step demo 120 --back --write 1.7:lc  who wrote the variable last before that
  jhyde step demo 120 --line MergeSort:53    the next time that the line did something")]
    Step(StepArgs),
    /// Where an event is: the calls around it, and the loops and iterations
    #[command(after_help = "\
Examples:
  jhyde locate demo 120                 the way to event 120
  jhyde locate demo 120 --call sort#0   around it in the events of a call above")]
    Locate(LocateArgs),
    /// The lines that a call ran, and how often
    #[command(after_help = "\
A line counts when control comes to it from another line. 0 is a line of the method that left no
event: it did not run, or only jumped.

Example:
  jhyde lines demo merge#2")]
    Lines(LinesArgs),
    /// Every write to a variable: value, time, call, line
    #[command(after_help = "\
How to write a variable (quote it for the shell):
  merge#3:i  1.7:lc  object#12.size  'array#3[2]'  pkg.Main.COUNT  merge#3:return
All forms: jhyde help variables")]
    History(HistoryArgs),
    /// What a value came from: writes, arguments, results and conditions, back to the beginning
    #[command(after_help = "\
Each step stands below the one that it led to, those nearest to the value first:
  from     its value went in
  which    it decided which object, array or element that was about
  because  it decided whether that happened: a condition, or that the call was made
  held     it made what an object of the JDK held
Needs level full. What was not recorded may hide steps: then all that the call read before is
taken for what went in, and a note says so.

Examples:
  jhyde why demo 'array#1[2]'           what its last value came from
  jhyde why demo merge#2:return         what a result came from
  jhyde why demo 1.7:lc --at 120        what the value at an event came from
  jhyde why demo 1.7:lc --json --all    every step, one object per line")]
    Why(WhyArgs),
    /// What a call covered: ways that control went, definitions that reached uses
    #[command(after_help = "\
An edge is the method's entry, or a way that control went at a condition, from one place to
the next. A chain is a place that wrote a variable and a place that read what was written.
CALLS is how many calls of the recording covered it: what hardly any other call covered is
where a wrong call may differ from right ones. The strategies coverage-… of jhyde debug go by
that. Needs level full; the first question about a recording reads all of it.

Examples:
  jhyde coverage demo merge#2
  jhyde coverage demo merge#2 --json | jq '.chains[] | select(.calls == 1)'")]
    Coverage(CoverageArgs),
    /// Ask a ready-made query: where, call-chain, field-history, called, caught, … (--list tells them all)
    #[command(after_help = "\
Yes-or-no queries (executed, called, assigned, exists, caught, running, exited) answer yes, no, or
that it cannot be told, and why: \"no\" only where nothing can have gone unseen.

Examples:
  jhyde query --list                                  all queries, with what they take
  jhyde query demo where-thrown                       where uncaught exceptions were thrown
  jhyde query demo call-chain 120                     the calls around event 120, with arguments
  jhyde query demo pre-calls merge#2                  what its caller had called before, with results
  jhyde query demo field-history Cart.total           every value, of all carts
  jhyde query demo object-state object#12 --at 120    each field, and the write it is from
  jhyde query demo executed MergeSort:53              was the line executed, which way did its condition go
  jhyde query demo called merge --from 100 --to 200   only that part of the history
  jhyde query demo argument-history merge --json      one row per line
  jhyde query save deep -c 'SELECT * FROM calls WHERE depth > $depth'    a statement in SQL that is kept
  jhyde query demo deep 3                             … and asked; list, show, delete, import, export

What each query means: docs/queries.md.")]
    Query(QueryArgs),
    /// Hold the recording of a failing run against that of a passing one: where they first differ, and which calls do
    #[command(after_help = "\
Calls are each other's by their place, objects by birth, texts by what they hold. What is not recorded on one side is
neither equal nor different.

Examples:
  jhyde compare right wrong                                where they first differ, and the calls that do
  jhyde compare right wrong --limit 0                      only where they first differ
  jhyde compare right wrong --learn right2                 what two passing runs differ in is ignored
  jhyde compare right wrong --ignore result@shop.Clock.now
  jhyde compare --rules                                    what is ignored unless told otherwise

What counts as a difference: docs/compare.md.")]
    Compare(CompareArgs),
    /// Ask a recording in SQL: calls, writes, objects, … as tables (--tables tells them all)
    #[command(after_help = "\
Rows are found while they are read; nothing is copied. A statement can only read. Calls are texts: '1.7'.

Examples:
  jhyde sql --tables                                                tables, columns, what an index serves
  jhyde sql --library                                               functions and macros that come with jhyde
  jhyde sql demo -c 'SELECT method, count(*) FROM calls GROUP BY method'
  jhyde sql demo -c \"SELECT * FROM writes WHERE variable = 'array#1[2]'\"
  jhyde sql demo -c \"SELECT d.method, d.result FROM calls c, descendants(c.id) d WHERE c.method = 'sort'\"
  jhyde sql demo question.sql --csv > answer.csv
  jhyde sql demo                                                    asks for statements: Tab completes, .help tells more
  jhyde sql demo -c 'INCLUDE MODULE std.methods; SELECT * FROM hottest_methods() LIMIT 10'
  jhyde sql old=demo new=demo2 -c 'SELECT method FROM new.methods EXCEPT SELECT method FROM old.methods'
  jhyde sql demo --explain -c \"SELECT * FROM calls WHERE method = 'merge'\"

The tables and worked examples: docs/sql.md.")]
    Sql(SqlArgs),
    /// The threads of a recording
    Threads(RecordingArg),
    /// What went wrong: exceptions that nobody of the program caught, failed tests, who ended the program
    #[command(
        name = "where",
        after_help = "\
Exceptions that ended a thread; that left the recorded classes, so that code out of them caught
them; that failed a test, with the assertion and the call that it looked at. And System.exit."
    )]
    Where(WhereArgs),
    /// What was not recorded although it should have been, with the calls and the reasons
    #[command(after_help = "\
A gap is a place where jhyde's own checks fell, or where it could not look: what it may have
touched is never shown as unchanged. jhyde show counts them by reason.

Examples:
  jhyde gaps demo                     all of them
  jhyde gaps demo merge#2             those of a call and the calls in it
  jhyde gaps demo --reason array      those of one reason")]
    Gaps(GapsArgs),
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
  jhyde debug demo --trust 'shop.util.*'         do not ask about these classes
  jhyde debug demo --assert 'Cart.total: result >= 0'   what calls must do (jhyde help properties)
  jhyde debug demo --changed HEAD~1              what ran lines of the last commit is asked first
  jhyde debug demo --passing test1 --passing test2   what these ran, too, is asked last

Answers: valid, invalid, trusted (never ask about this method), unknown (decide later).
Exit code: 0 when it ended or you left; the session is kept either way.")]
    Debug(DebugArgs),
    /// The debugging sessions of a recording
    Sessions(SessionsArgs),
    /// Open the page: all of this in a browser, one view beside the other
    #[command(after_help = "\
The daemon then listens at a port of 127.0.0.1, the same each time for a data folder. The browser is
let in by a ticket that is worth something once and for a minute. Pages may look, answer, stop and
detach, and no more.

Examples:
  jhyde web demo
  ssh -L 8080:127.0.0.1:PORT there    and there: jhyde web demo --print
                                      (PORT is in what it prints; open it with 8080 in its place)")]
    Web(WebArgs),
    /// Source text that was not found where the daemon runs
    #[command(
        subcommand,
        after_help = "\
Examples:
  jhyde source add demo src/main/java
  jhyde source add demo .              every source folder of a project"
    )]
    Source(SourceCommand),
    /// The answers of earlier sessions that were kept in a folder (jhyde debug --memory FOLDER)
    #[command(
        subcommand,
        after_help = "\
A memory is a file of JSON lines, answers.jsonl, in a folder of yours: put it under version
control, edit it, merge it line by line. It holds no values of the program, only names of methods
and calls, and digests. An answer counts for a call of the same method with the same code that is
given the same and yields the same.

Examples:
  jhyde debug demo --memory answers       use what is kept there, and keep what you answer
  jhyde memory list answers               what is kept
  jhyde memory forget answers --method merge
  jhyde memory merge answers theirs/answers.jsonl
  jhyde memory export answers src/test/java --junit    valid answers as JUnit tests"
    )]
    Memory(MemoryCommand),
    /// The daemon itself: see what it does, end it
    #[command(
        subcommand,
        after_help = "\
Neither command starts a daemon. Over TCP both need a token with the right manage.

Examples:
  jhyde daemon status
  jhyde daemon stop && jhyded serve --data here
  jhyde --daemon https://build.example:7707 --token-file ops.token daemon status"
    )]
    Daemon(DaemonCommand),
    /// Completions for a shell
    #[command(after_help = "\
bash:  jhyde completions bash > ~/.local/share/bash-completion/completions/jhyde
zsh:   jhyde completions zsh > ~/.zfunc/_jhyde
fish:  jhyde completions fish > ~/.config/fish/completions/jhyde.fish")]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, a page for each command; for packages
    #[command(hide = true)]
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Help for a command or a topic (json, calls, variables, exit-codes, daemon)
    Help {
        /// A command or a topic.
        topic: Option<String>,
    },
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
    fn numbers_that_are_none_get_words_of_ours() {
        for (line, words) in [
            (
                &["events", "r", "--from", "-1"][..],
                "events are numbered from 0",
            ),
            (&["step", "r", "-7"], "`jhyde events RECORDING` lists them"),
            (&["step", "r", "x"], "events are numbered from 0"),
            (
                &["state", "r", "1.7", "--at", "18446744073709551616"],
                "events are numbered",
            ),
            (
                &["events", "r", "--thread", "-2"],
                "`jhyde threads RECORDING` lists them",
            ),
            (&["tree", "r", "--depth", "-3"], "a whole number from 1 on"),
            (
                &["tree", "r", "--limit", "0"],
                "a whole number from 1 to 10000",
            ),
            (
                &["events", "r", "1.7", "--unfold", "-1"],
                "a number of levels, or all",
            ),
        ] {
            let line = ["jhyde"].iter().chain(line);
            let error = Cli::try_parse_from(line.clone()).unwrap_err().to_string();
            assert!(error.contains(words), "{line:?}: {error}");
        }
        // What should name a call is refused by who knows the calls.
        assert!(Cli::try_parse_from(["jhyde", "call", "r", "-1"]).is_ok());
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
