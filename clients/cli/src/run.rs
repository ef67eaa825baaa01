//! From the command line to the command and its exit code.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use jhyde_proto::echo::{MOST, without_long_words};

use crate::args::{Cli, Command, Global, MemoryCommand, QueryArgs, SourceArgs, SourceCommand};
use crate::client::Client;
use crate::commands::{
    Context, call, compare, coverage, events, files, gaps, history, junit, launch, lines, locate,
    memory, overview, query, recordings, saved, sessions, sources, sql, state, step, tree, web,
    where_, why,
};
use crate::error::Error;
use crate::output::{Look, Output, Paint};
use crate::{commands, daemon, debug, help};

/// The whole program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            if std::env::args_os().any(|word| word.len() > MOST) {
                let told = error.render().to_string();
                eprintln!("{}", without_long_words(told, std::env::args_os()));
            } else {
                // A reader that goes away while help is printed is no failure.
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("jhyde: cannot begin to work: {error}");
            return ExitCode::from(1);
        }
    };
    let code = runtime.block_on(run(&cli));
    // A thread may still wait for standard input; nobody needs what it would read.
    runtime.shutdown_background();
    ExitCode::from(code)
}

async fn run(cli: &Cli) -> u8 {
    let launching = matches!(cli.command, Command::Launch(_));
    match dispatch(cli).await {
        Ok(code) => code,
        Err(Error::Closed) => 0,
        Err(error) => {
            let is_terminal = io::IsTerminal::is_terminal(&io::stderr());
            let paint = Paint::choose(cli.global.color, is_terminal);
            let told = without_long_words(error.to_string(), std::env::args_os());
            eprintln!("{} {told}", paint.text(Look::Bad, "jhyde:"));
            if launching {
                launch::failure_code(&error)
            } else {
                error.exit_code()
            }
        }
    }
}

async fn dispatch(cli: &Cli) -> Result<u8, Error> {
    let global = &cli.global;
    let mut out = Output::stdout(global.color, global.json);
    match &cli.command {
        Command::Completions { shell } => return completions(*shell, &mut out),
        Command::Man { folder } => return man(folder),
        Command::Help { topic } => {
            let text = help::text(topic.as_deref(), out.paint)?;
            return out.line(text).and_then(|()| out.flush()).map(|()| 0);
        }
        Command::Memory(MemoryCommand::Export(args)) if args.junit => {}
        Command::Memory(command) => {
            let told = memory::memory(command, &mut out);
            return told.and_then(|()| out.flush()).map(|()| 0);
        }
        Command::Query(QueryArgs {
            saved: Some(command),
            ..
        }) if !command.names_one() => {
            let told = saved::saved(command, &[], &mut out).await;
            return told.and_then(|()| out.flush()).map(|()| 0);
        }
        _ => {}
    }
    if let Command::Daemon(command) = &cli.command {
        let code = commands::daemon::daemon(command, global, &mut out).await?;
        return out.flush().map(|()| code);
    }
    if let Command::Jvms(args) = &cli.command {
        return commands::jvms::jvms(args, global, out).await.map(|()| 0);
    }
    let client = Client::new(daemon::reach(global).await?);
    let source = SourceArgs::default();
    let mut context = Context {
        client,
        out,
        source,
    };
    let mut result = command(&mut context, &cli.command, global).await;
    // A daemon that records one program ends with it, and may do so between our connecting and its answer. The
    // next one of the data folder is asked then, over a connection of its own: the one that broke off may not know
    // it yet, and refuse what is asked right behind.
    if let Err(error) = &result
        && error.is_broken_off()
        && global.daemon.is_none()
        && may_be_asked_again(&cli.command)
        && context.out.is_untouched()
    {
        context.client = Client::new(daemon::reach(global).await?);
        result = command(&mut context, &cli.command, global).await;
    }
    // What was written before a failure is shown before it is told.
    let flushed = context.out.flush();
    let code = result?;
    flushed.map(|()| code)
}

/// Does it only ask, and has it used nothing up (standard input)?
fn may_be_asked_again(command: &Command) -> bool {
    matches!(
        command,
        Command::List
            | Command::Show(_)
            | Command::Tree(_)
            | Command::Call(_)
            | Command::State(_)
            | Command::Events(_)
            | Command::Step(_)
            | Command::Locate(_)
            | Command::Lines(_)
            | Command::History(_)
            | Command::Why(_)
            | Command::Coverage(_)
            | Command::Query(_)
            | Command::Compare(_)
            | Command::Threads(_)
            | Command::Where(_)
            | Command::Gaps(_)
            | Command::Classes(_)
            | Command::Sessions(_)
    )
}

async fn command(context: &mut Context, command: &Command, _: &Global) -> Result<u8, Error> {
    match command {
        Command::Launch(args) => return launch::launch(context, args).await,
        Command::Attach(args) => recordings::attach(context, args).await?,
        Command::List => recordings::list(context).await?,
        Command::Show(args) => recordings::show(context, args).await?,
        Command::Watch(args) => recordings::watch(context, &args.recording).await?,
        Command::Stop(args) => recordings::stop(context, args, false).await?,
        Command::Detach(args) => recordings::stop(context, args, true).await?,
        Command::Delete(args) => recordings::delete(context, args).await?,
        Command::Export(args) => files::export(context, args).await?,
        Command::Import(args) => files::import(context, args).await?,
        Command::Seal(args) => files::seal(context, args).await?,
        Command::Keep(args) => files::keep(context, args).await?,
        Command::Tree(args) => tree::tree(context, args).await?,
        Command::Call(args) => call::call(context, args).await?,
        Command::State(args) => state::state(context, args).await?,
        Command::Events(args) => events::events(context, args).await?,
        Command::Step(args) => step::step(context, args).await?,
        Command::Locate(args) => locate::locate(context, args).await?,
        Command::Lines(args) => lines::lines(context, args).await?,
        Command::Web(args) => web::web(context, args).await?,
        Command::Source(SourceCommand::Add(args)) => sources::add(context, args).await?,
        Command::History(args) => history::history(context, args).await?,
        Command::Why(args) => why::why(context, args).await?,
        Command::Coverage(args) => coverage::coverage(context, args).await?,
        Command::Query(args) => query::query(context, args).await?,
        Command::Compare(args) => compare::compare(context, args).await?,
        Command::Sql(args) => sql::sql(context, args).await?,
        Command::Threads(args) => overview::threads(context, args).await?,
        Command::Where(args) => where_::where_(context, args).await?,
        Command::Gaps(args) => gaps::gaps(context, args).await?,
        Command::Classes(args) => overview::classes(context, args).await?,
        // A session's future is large: it is kept out of ours.
        Command::Debug(args) => Box::pin(debug::debug(context, args)).await?,
        Command::Sessions(args) => sessions::sessions(context, args).await?,
        Command::Memory(MemoryCommand::Export(args)) if args.junit => {
            junit::junit(context, args).await?;
        }
        Command::Memory(command) => memory::memory(command, &mut context.out)?,
        // Answered before a daemon is reached.
        Command::Daemon(_)
        | Command::Jvms(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Help { .. } => {}
    }
    Ok(0)
}

fn completions(shell: clap_complete::Shell, out: &mut Output) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "jhyde", &mut script);
    out.prompt(String::from_utf8_lossy(&script)).map(|()| 0)
}

fn man(folder: &Path) -> Result<u8, Error> {
    clap_mangen::generate_to(Cli::command(), folder)
        .map(|()| 0)
        .map_err(|source| Error::File {
            what: "cannot write the manual pages into",
            path: folder.to_owned(),
            source,
        })
}

/// For the debugging session, which takes some of the same commands: a line as if it stood behind
/// `jhyde` in a shell.
pub(crate) fn parse_inside(words: &[String]) -> Result<Command, String> {
    let line = std::iter::once("jhyde")
        .chain(words.iter().map(String::as_str))
        .map(OsString::from);
    Cli::try_parse_from(line)
        .map(|cli| cli.command)
        .map_err(|error| without_long_words(error.render().to_string(), words))
}

/// Runs such a command.
pub(crate) async fn run_inside(context: &mut Context, inside: &Command) -> Result<(), Error> {
    command(context, inside, &Global::default()).await.map(drop)
}
