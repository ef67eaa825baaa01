//! What the binary `jhyded` does: parse, load the configuration, log, run the command, and end with an exit
//! code per kind of failure (`error::exit`).

pub mod args;
mod config;
mod failure;
mod host;
mod inspect;
mod launch;
mod orders;
mod reload;
mod say;
mod serve;
mod session;
mod signals;
mod telling;
mod token;
mod wait;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{CommandFactory as _, Parser as _};
use jhyde_proto::echo::{MOST, without_long_words};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::SystemTime;
use tracing_subscriber::reload::Handle;

use crate::access::tokens::{Known, Store};
use crate::config::settings::Log;
use crate::config::{ConfigError, LogFormat, Settings, Sources, load};
use crate::error::exit;
use crate::private;
use crate::systemd::Given;
use args::{Cli, Command};
use failure::Failure;
use reload::{Filtering, Reloader};
use say::{put, say};

/// So long the end waits for recordings that are being closed, in all. With the grace before it, this stays below
/// the TimeoutStopSec of the units.
const CLOSES: Duration = Duration::from_secs(10);

/// The binary's whole life.
pub fn main() -> ExitCode {
    private::begin();
    let cli = Cli::try_parse().unwrap_or_else(|error| usage(&error));
    let code = match run(cli) {
        Ok(code) => code,
        Err(failure) => {
            say(without_long_words(failure.to_string(), std::env::args_os()));
            failure.exit_code()
        }
    };
    ExitCode::from(code)
}

/// Says what is wrong with the command line, or what was asked for (help, the version), and ends.
fn usage(error: &clap::Error) -> ! {
    let words: Vec<_> = std::env::args_os().collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    if words.iter().any(|word| word.len() > MOST) {
        put(without_long_words(error.render().to_string(), &words));
    } else {
        // If this cannot be written, nobody reads it.
        let _ = error.print();
    }
    if error.use_stderr() && has("launch") && !has("--") {
        put("\n  tip: the program stands behind --, such as: jhyded launch -- java Main\n");
    }
    std::process::exit(error.exit_code())
}

fn run(cli: Cli) -> Result<u8, Failure> {
    if let Command::Completions { shell } = cli.command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "jhyded", &mut script);
        return written(&script).map(|()| 0);
    }
    if let Command::Man { folder } = &cli.command {
        return match clap_mangen::generate_to(Cli::command(), folder) {
            Ok(()) => Ok(0),
            Err(source) => Err(Failure::System {
                what: "cannot write the manual pages",
                source,
            }),
        };
    }
    if matches!(cli.command, Command::Guard) {
        return Ok(u8::from(jhyde_capture::stand_guard().is_err()));
    }
    if matches!(cli.command, Command::Drain) {
        return Ok(u8::from(crate::daemon::drain::drain().is_err()));
    }
    if let Command::Config(args::ConfigCommand::Check { file }) = &cli.command {
        return config::check(file);
    }
    let given = match &cli.command {
        Command::Serve(_) => Given::take()?,
        _ => Given::default(),
    };
    let sources = Sources::of_process(cli.global.config.clone(), cli.flags());
    let effective = load(&sources)?;
    let filtering = log(&effective.settings.log)?;
    let settings = effective.settings.clone();
    match cli.command {
        Command::Serve(_) => {
            let reloader = Reloader::new(sources, filtering, effective);
            on_runtime(serve::serve(reloader, given))
        }
        Command::Attach(args) => on_runtime(wait::attach(settings, args)),
        Command::Listen(args) => on_runtime(wait::listen(settings, args, cli.global.verbose > 0)),
        Command::Launch(args) => on_runtime(launch::launch(settings, args)),
        Command::Check(args) => on_runtime(inspect::check(settings, args)),
        Command::Inspect(args) => on_runtime(inspect::inspect(settings, args)),
        Command::Token(command) => token::token(&settings, &command),
        Command::Config(args::ConfigCommand::Show { json }) => config::show(&effective, json),
        // Answered above, before the configuration is read.
        Command::Guard
        | Command::Drain
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Config(args::ConfigCommand::Check { .. }) => Ok(0),
    }
}

/// Runs a command to its end on a runtime of its own.
fn on_runtime(command: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("jhyded")
        .build()
        .map_err(|source| Failure::System {
            what: "cannot start the runtime",
            source,
        })?;
    let result = runtime.block_on(command);
    // Databases that are being closed are let close: the process must not end under them. What still
    // blocks after that (a JVM that hangs in an attach nobody waits for) does not hold the end up.
    let until = Instant::now() + CLOSES;
    runtime.shutdown_timeout(CLOSES);
    // A recording is closed by whoever lets go of it last, which may be a thread that is none of the runtime's.
    if !jhyde_store::all_closed(until.saturating_duration_since(Instant::now())) {
        tracing::warn!(
            "the process ends while a recording is still open; it is whole up to what was written"
        );
    }
    result
}

/// To standard output. A reader that has gone away is no failure.
fn written(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(Failure::System {
            what: "cannot write the output",
            source,
        }),
        _ => Ok(()),
    }
}

/// What is logged, from words.
fn filter(words: &str) -> Result<EnvFilter, ConfigError> {
    let wrong = |reason: String| ConfigError::Value {
        key: "log.filter".to_owned(),
        origin: "the configuration".to_owned(),
        reason,
    };
    // A target of that name would be taken without a word, and nothing would be logged.
    if matches!(words, "inputs" | "reads" | "writes") {
        let reason = format!(
            "'{words}' is none of what jhyded itself logs; what a program is made to tell is --probe-log {words}"
        );
        return Err(wrong(reason));
    }
    EnvFilter::try_new(words).map_err(|error| wrong(error.to_string()))
}

/// Structured logs to standard error. What is logged can be changed.
fn log(log: &Log) -> Result<Filtering, Failure> {
    let words = filter(&log.filter)?;
    let builder = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_timer(SystemTime)
        // A line that cannot be written is nobody's loss; complaining of it would be a panic.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal());
    // The two are of different types.
    match log.format {
        LogFormat::Text => {
            let builder = builder.with_env_filter(words).with_filter_reloading();
            let handle = builder.reload_handle();
            builder.init();
            Ok(Box::new(move |words| refilter(&handle, words)))
        }
        LogFormat::Json => {
            let builder = builder.json().with_env_filter(words);
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            builder.init();
            Ok(Box::new(move |words| refilter(&handle, words)))
        }
    }
}

fn refilter<S>(handle: &Handle<EnvFilter, S>, words: &str) -> Result<(), ConfigError> {
    let filter = filter(words)?;
    if let Err(error) = handle.reload(filter) {
        tracing::error!(%error, "bug: what is logged cannot be changed");
    }
    Ok(())
}

/// What the daemon itself is told of the settings.
fn options(settings: &Settings) -> crate::daemon::Options {
    crate::daemon::Options {
        data: settings.data.clone(),
        memory_bytes: settings.memory.0,
        keep: settings.keep.0,
        limits: settings.record.limits(),
        level: settings.record.level,
        engine: settings.record.engine,
        probe_log: settings.record.probe_log,
        string_limit: settings.record.string_limit,
        snapshots: settings.record.snapshots(),
        contents: settings.record.contents,
        source: settings.source.clone(),
        attach: settings.attach.clone(),
        web: settings.listen.web.clone(),
        unread: settings.limits.unread(),
        answers: settings.limits.answers.get() as usize,
        guard: std::env::current_exe().ok(),
    }
}

/// The tokens of the data folder, not yet read.
fn tokens(settings: &Settings) -> Arc<Known> {
    Arc::new(Known::unread(Store::of(&settings.data)))
}

/// How to record, from the command line.
fn wanted(record: &args::RecordArgs) -> crate::daemon::options::Wanted {
    crate::daemon::options::Wanted {
        level: record.level.clone().unwrap_or_default(),
        engine: record.engine.clone().unwrap_or_default(),
        include: record.include.clone(),
        exclude: record.exclude.clone(),
        string_limit: record.string_limit.unwrap_or_default(),
        snapshots: crate::daemon::options::WantedSnapshots {
            depth: record.snapshot_depth,
            elements: record.snapshot_elements,
            bytes: record.snapshot_bytes,
        },
        no_contents: record.no_contents,
        max_bytes: record.max_bytes.clone().unwrap_or_default(),
        max_duration: record.max_duration.clone().unwrap_or_default(),
        max_slowdown: record.max_slowdown.clone().unwrap_or_default(),
        at_limit: record.at_limit.clone().unwrap_or_default(),
        probe_log: record.probe_log.clone().unwrap_or_default(),
        ring: record.ring.clone().unwrap_or_default(),
        source: absolute(&record.source),
    }
}

/// The paths for whoever else reads them, in another folder: a daemon that records for us.
fn absolute(paths: &[std::path::PathBuf]) -> Vec<std::path::PathBuf> {
    let absolute =
        |path: &std::path::PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    paths.iter().map(absolute).collect()
}

/// The exit codes are documented in the help of [`args::Cli`].
const _: () = assert!(exit::USAGE == 2 && exit::NOT_YET == 8);
