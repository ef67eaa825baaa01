//! The command line of `jhyded`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::access::Rights;
use crate::config::{ByteSize, LogFormat, Span};

/// The daemon of jhyde: records Java runs and serves the recordings over gRPC.
#[derive(Debug, Parser)]
#[command(
    name = "jhyded",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Begin:
  jhyded launch --name demo -- java -cp classes Main    record a program, then: jhyde tree demo
  jhyded serve                                          serve recordings to jhyde and other clients

Exit codes (launch: the program's own code once it has run, 128 + number if a signal ended it):
  0  done
  1  failed unexpectedly (the disk, the system)
  2  wrong arguments: options, addresses, class patterns, names that are taken, hosts not allowed
  3  wrong configuration
  4  an address, port or the data folder cannot be served, or is in use
  5  no JVM reached: nobody there, no answer in time, not a JVM's debug port
  6  the JVM cannot be recorded: another debugger is attached, an ability is missing
  7  the recording broke off (attach, listen); what was recorded is readable
  8  not built yet
  126, 127  the program cannot be run, there is no such program
  130  ended by Ctrl-C before anything was recorded

Settings: jhyded config show tells the values in force and where each comes from."
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
#[command(next_help_heading = "Settings of all commands")]
pub struct Global {
    /// Configuration file, besides /etc/jhyde/jhyded.toml and ~/.config/jhyde/jhyded.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder that keeps the recordings
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Memory for recordings and debugging sessions: 512MB, 2GiB
    #[arg(long, global = true, value_name = "SIZE")]
    pub memory: Option<ByteSize>,
    /// What to log to standard error: error, warn, info, debug, trace, or target=level,…
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// How to log: text or json
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Say more: -v is --log info and tells what is recorded, -vv is --log debug
    #[arg(long, short, global = true, action = clap::ArgAction::Count, conflicts_with = "log")]
    pub verbose: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the data folder's recordings until SIGINT or SIGTERM
    #[command(after_help = "\
Examples:
  jhyded serve                              the data folder's unix socket, for this user alone
  jhyded serve --listen 127.0.0.1:7707      TCP on loopback besides, for who has a token (jhyded token)
  jhyded serve --idle-exit 10m              stop when nobody has needed it for ten minutes

Only loopback addresses are served. SIGHUP reads the configuration and the tokens anew, and names what needs a
restart; what is wrong in them changes nothing, and the log says it. On SIGINT or SIGTERM it takes no new requests, detaches from all
JVMs leaving them running, closes the recordings, and ends.")]
    Serve(ServeArgs),
    /// Record a JVM that waits for a debugger; ends when the recording does
    #[command(after_help = "\
Example:
  java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005 -jar shop.jar &
  jhyded attach localhost:5005 --name shop --include com.shop

Ctrl-C detaches: the JVM runs on, the recording is closed and readable. At the end one line on standard
error says how much was recorded (not with --quiet).")]
    Attach(AttachArgs),
    /// Wait on a port for a JVM that connects by itself, and record it
    #[command(after_help = "\
Example:
  jhyded listen 5005 --name shop &
  java -agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:5005 -jar shop.jar")]
    Listen(ListenArgs),
    /// Start a java program, record it, and end with its exit code
    #[command(after_help = "\
Examples:
  jhyded launch -- java -cp classes Main one two
  jhyded launch --data /tmp/rec --name demo --level state --include com.shop -- java -jar shop.jar < orders

Everything behind -- is the program; its first word must be a java program. Its input and output are its
own: jhyded itself writes to standard error only: one line at the end, on a terminal also how it goes,
nothing with --quiet but for what went wrong.
Ctrl-C ends the recording and lets the program run on (in a terminal the program gets it, too); SIGTERM and
SIGHUP are passed on to the program.")]
    Launch(LaunchArgs),
    /// Verify a recording: every block, and every index against the blocks
    #[command(after_help = "\
Works on a running daemon's recordings, too. Exit code: 0 when all is well, 1 when something is damaged; what
is damaged is named with its timestamps.")]
    Check(RecordingArgs),
    /// What takes the room of a recording: bytes per table and column, the largest blocks
    Inspect(RecordingArgs),
    /// The configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Tokens, by which clients over TCP say who they are
    #[command(subcommand)]
    Token(TokenCommand),
    /// Hold a JVM's connection, and leave the JVM running if jhyded is killed; started by jhyded itself
    #[command(hide = true)]
    Guard,
    /// Read what a launched program writes once jhyded has ended, so that it can go on writing; started by jhyded itself
    #[command(hide = true)]
    Drain,
    /// Completions for a shell: bash, zsh, fish, elvish, powershell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, a page for each command; for packages
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// `jhyded serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Address to serve over TCP, HOST:PORT; may be repeated; port 0 takes a free one; others than loopback need TLS
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Vec<String>,
    /// Serve TCP with TLS, with the certificate of this PEM file (and those that lead to its CA)
    #[arg(long, value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// PEM file with that certificate's key; nobody else may be able to read it
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Do not serve the data folder's unix socket
    #[arg(long)]
    pub no_unix: bool,
    /// Let any user of this machine in over TCP without a token, with these rights; read,debug when none are named
    #[arg(
        long,
        value_name = "RIGHTS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "read,debug"
    )]
    pub insecure_loopback: Option<Rights>,
    /// Stop after so long without clients and live recordings: 30s, 10m
    #[arg(long, value_name = "DURATION")]
    pub idle_exit: Option<Span>,
    /// Keep so many recordings (100), of this age (30d), of this size together (20GB): when more are there,
    /// the oldest are deleted, and it is logged; may be repeated, or a list with commas
    #[arg(long, value_name = "LIMIT")]
    pub keep: Vec<String>,
    /// Folder or jar with source of recorded programs, searched first; may be repeated, or a list with commas
    #[arg(long, value_name = "DIR|JAR")]
    pub source: Vec<String>,
    /// How long to wait for recordings to close at the end
    #[arg(long, value_name = "DURATION")]
    pub grace: Option<Span>,
}

/// How to record.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "How to record")]
pub struct RecordArgs {
    /// Name for the recording; without one, one is made from the program
    #[arg(long)]
    pub name: Option<String>,
    /// How much: calls (the tree, arguments, results), state (every write, too), full (edges and uses)
    #[arg(long)]
    pub level: Option<String>,
    /// How: auto, probe (fast, code put into the classes) or events (nothing put in, slow); auto takes probe where it can
    #[arg(long)]
    pub engine: Option<String>,
    /// Record the inside of these classes only: org.foo (and all below), org.foo.*, *Service,
    /// org.*.impl.*; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave the inside of these classes out; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Longest text kept of a string, in UTF-16 units
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
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

/// `jhyded attach`.
#[derive(Args, Debug)]
pub struct AttachArgs {
    /// Where the JVM listens
    #[arg(value_name = "HOST:PORT")]
    pub address: String,
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Say nothing while it records and at the end, but for what went wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// How long the JVM may take to accept, shake hands and answer
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<Span>,
}

/// `jhyded listen`.
#[derive(Args, Debug)]
pub struct ListenArgs {
    /// Port on the loopback address; 0 takes a free one (say -v to see which)
    #[arg(allow_negative_numbers = true)]
    pub port: u16,
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Say nothing while it records and at the end, but for what went wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// Give up when no JVM has connected for so long; without it, never
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<Span>,
}

/// `jhyded launch`.
#[derive(Args, Debug)]
pub struct LaunchArgs {
    /// How to record.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Say nothing while it records and at the end, but for what went wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// Keep so many recordings (100), of this age (30d), of this size together (20GB): at the end the oldest
    /// are deleted, and it is said; may be repeated, or a list with commas
    #[arg(long, value_name = "LIMIT")]
    pub keep: Vec<String>,
    /// The program, beginning with java
    #[arg(last = true, required = true, value_name = "JAVA COMMAND")]
    pub command: Vec<OsString>,
}

/// `jhyded check` and `jhyded inspect`.
#[derive(Args, Debug)]
pub struct RecordingArgs {
    /// Id or name
    pub recording: String,
    /// As JSON: one object
    #[arg(long)]
    pub json: bool,
}

/// `jhyded config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Read one file, and say what is wrong in it, if anything; nothing else is looked at
    Check {
        /// The file
        file: PathBuf,
    },
    /// The values in force, and where each comes from
    Show {
        /// As JSON: one object per setting
        #[arg(long)]
        json: bool,
    },
}

/// `jhyded token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token, and print it: once, for it is kept as a digest alone
    #[command(after_help = "\
Rights (they do not include each other):
  read      lists, calls, values, source, queries, exports
  debug     answers in debugging sessions
  record    attach to JVMs, wait for them, stop, detach
  launch    start programs as the daemon's user: whoever may can do all that this user can
  manage    delete, import, seal, keep, add source

Example:
  jhyded token create ci --rights read,record --recordings 'shop-*' --expires 90d > ci.token
  jhyde list --daemon 127.0.0.1:7707 --token-file ci.token

A daemon that runs knows it within a second.")]
    Create {
        /// What to call it
        name: String,
        /// What its bearer may do: read, debug, record, launch, manage, with commas
        #[arg(long, value_name = "RIGHTS")]
        rights: Rights,
        /// With recordings of these names alone: * is any text, ? any character
        #[arg(long, value_name = "PATTERN", default_value = "*")]
        recordings: String,
        /// How long it is worth something: 12h, 90d, 1y
        #[arg(long, value_name = "DURATION", default_value = "90d")]
        expires: Span,
    },
    /// All tokens: names, rights, recordings, until when
    List {
        /// As JSON: one object per token
        #[arg(long)]
        json: bool,
    },
    /// Make a token worthless; what its bearer has under way ends within a second
    Revoke {
        /// Its name
        name: String,
    },
}

impl Cli {
    /// The settings that flags of this command line give.
    pub fn flags(&self) -> Vec<(&'static str, String)> {
        let mut flags = Vec::new();
        let mut give = |key: &'static str, value: Option<String>| {
            flags.extend(value.map(|value| (key, value)));
        };
        let global = &self.global;
        give(
            "data",
            global
                .data
                .as_ref()
                .map(|data| data.to_string_lossy().into_owned()),
        );
        give("memory", global.memory.map(|memory| memory.to_string()));
        let verbose = match global.verbose {
            0 => None,
            1 => Some("info".to_owned()),
            _ => Some("debug".to_owned()),
        };
        give("log.filter", global.log.clone().or(verbose));
        give(
            "log.format",
            global.log_format.map(|format| format.to_string()),
        );
        match &self.command {
            Command::Serve(serve) => {
                give("listen.tcp", listed(&serve.listen));
                let path = |path: &PathBuf| path.to_string_lossy().into_owned();
                give(
                    "listen.tls.certificate",
                    serve.tls_certificate.as_ref().map(path),
                );
                give("listen.tls.key", serve.tls_key.as_ref().map(path));
                give("listen.unix", serve.no_unix.then(|| "false".to_owned()));
                give(
                    "listen.insecure_loopback",
                    serve.insecure_loopback.map(|rights| rights.to_string()),
                );
                give(
                    "shutdown.idle",
                    serve.idle_exit.map(|span| span.to_string()),
                );
                give("keep", listed(&serve.keep));
                give("source.path", listed(&serve.source));
                give("shutdown.grace", serve.grace.map(|span| span.to_string()));
            }
            Command::Attach(attach) => {
                give(
                    "attach.timeout",
                    attach.timeout.map(|span| span.to_string()),
                );
            }
            Command::Launch(launch) => give("keep", listed(&launch.keep)),
            _ => {}
        }
        flags
    }
}

/// A list as a setting, if anything was given.
fn listed(given: &[String]) -> Option<String> {
    (!given.is_empty()).then(|| given.join(","))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_scripting_contract_is_understood() {
        let line = "jhyded launch --data /d --name N --level calls --engine events --include a.* \
                    --include b --exclude a.x -- java -cp c Main --name other";
        let cli = parse(line).unwrap();
        assert_eq!(cli.flags(), [("data", "/d".to_owned())]);
        let Command::Launch(launch) = cli.command else {
            panic!("not a launch")
        };
        assert_eq!(launch.record.name.as_deref(), Some("N"));
        assert_eq!(launch.record.include, ["a.*", "b"]);
        assert_eq!(launch.record.exclude, ["a.x"]);
        assert_eq!(launch.command.len(), 6);
        assert_eq!(launch.command[5], "other");
    }

    #[test]
    fn a_program_without_dashes_is_refused_with_a_tip() {
        let error = parse("jhyded launch java Main").unwrap_err();
        assert!(error.to_string().contains("-- <JAVA COMMAND>"), "{error}");
        assert_eq!(error.exit_code(), i32::from(crate::error::exit::USAGE));
        assert!(parse("jhyded launch").is_err());
        assert!(parse("jhyded launch --").is_err());
    }

    #[test]
    fn bad_values_are_refused_where_they_are_written() {
        for line in [
            "jhyded listen 99999",
            "jhyded listen x",
            "jhyded serve --idle-exit soon",
            "jhyded serve --memory much",
            "jhyded --log-format xml serve",
            "jhyded attach",
            "jhyded launch --string-limit 0 -- java X",
            "jhyded launch --snapshot-depth -1 -- java X",
            "jhyded launch --snapshot-bytes 2k -- java X",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn verbosity_is_a_setting() {
        let flags = |line| parse(line).unwrap().flags();
        assert_eq!(
            flags("jhyded -v serve"),
            [("log.filter", "info".to_owned())]
        );
        assert_eq!(
            flags("jhyded serve -vv"),
            [("log.filter", "debug".to_owned())]
        );
        assert_eq!(
            flags("jhyded serve --no-unix"),
            [("listen.unix", "false".to_owned())]
        );
        assert!(parse("jhyded -v --log trace serve").is_err());
    }
}
