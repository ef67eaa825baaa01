//! `jhyded launch`: a program with its own input and output, recorded, its exit code passed on.

use std::process::Stdio;
use std::time::Duration;

use jhyde_proto::program::JavaCommand;
use rustix::process::Signal;
use tokio::process::Child;
use tokio::time::timeout;

use super::args::LaunchArgs;
use super::failure::Failure;
use super::host::Host;
use super::session::Session;
use super::signals::{Came, Signals};
use super::{wait, wanted};
use crate::config::Settings;
use crate::daemon::launch::{CONNECT_TIMEOUT, exit_code_of, signal, start};
use crate::daemon::record::ListenRequest;
use crate::error::ProgramError;

/// How long the word that a recording has begun may be on its way from another daemon.
const WORD_TIME: Duration = Duration::from_secs(2);

/// How long a recording may take to close after its program has ended, before its exit code is passed on
/// all the same.
const CLOSE_TIME: Duration = Duration::from_secs(60);

/// Starts, records, waits, passes the exit code on.
pub(super) async fn launch(settings: Settings, args: LaunchArgs) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    // Before anything is opened: what cannot work shall fail without a trace.
    let java = JavaCommand::new(&args.command).map_err(ProgramError::from)?;
    let host = Host::open(&settings).await?;
    let result = match begin(&host, &java, &args, &mut signals).await {
        Ok((mut session, child)) => Ok(to_the_end(&mut session, child, &mut signals).await),
        Err(failure) => Err(failure),
    };
    host.keep(&args.keep).await;
    host.close(&mut signals).await;
    result
}

/// Starts the program and waits until it is recorded. On failure nothing is left of either.
async fn begin(
    host: &Host,
    java: &JavaCommand<'_>,
    args: &LaunchArgs,
    signals: &mut Signals,
) -> Result<(Session, Child), Failure> {
    let request = ListenRequest {
        port: 0,
        name: args.record.name.clone().unwrap_or_default(),
        wanted: wanted(&args.record),
        timeout: Some(CONNECT_TIMEOUT),
        command: args
            .command
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        program: java.main().to_owned(),
    };
    let mut session = Session::listen(host, request).await?;
    let command = java.with_agent(session.port());
    let stdio = [Stdio::inherit(), Stdio::inherit(), Stdio::inherit()];
    let mut child = match start(&command, None, Vec::new(), stdio) {
        Ok(child) => child,
        Err(error) => {
            forget(&mut session).await;
            return Err(error.into());
        }
    };
    let begun = tokio::select! {
        biased;
        begun = session.begun() => begun,
        // A short program may be over before another daemon's word comes that it is recorded.
        status = child.wait() => match timeout(WORD_TIME, session.begun()).await {
            Ok(Ok(())) => Ok(()),
            _ => {
                let exit_code = status.map_or(1, exit_code_of);
                let program = args.command.first().map(|word| word.to_string_lossy().into_owned());
                Err(ProgramError::EndedEarly {
                    program: program.unwrap_or_default(),
                    exit_code,
                    stderr: String::new(),
                }
                .into())
            }
        },
        _ = signals.next() => Err(Failure::Interrupted),
    };
    match begun {
        Ok(()) => Ok((session, child)),
        Err(failure) => {
            // It has run nothing of the program, and shall not run unrecorded.
            let _ = child.kill().await;
            forget(&mut session).await;
            Err(failure)
        }
    }
}

/// Ends a wait, and waits until nothing is left of it.
async fn forget(session: &mut Session) {
    session.detach().await;
    let _ = timeout(CLOSE_TIME, session.ended()).await;
}

/// Waits for the program's end and the recording's; the program's exit code is ours.
async fn to_the_end(session: &mut Session, mut child: Child, signals: &mut Signals) -> u8 {
    tracing::info!(recording = session.name(), "recording");
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            came = signals.next() => match came {
                // In a terminal the program has got it, too, and does with it what it always does.
                Came::Interrupt => session.detach().await,
                Came::Terminate => signal(&child, Signal::TERM),
                Came::Hangup => signal(&child, Signal::HUP),
            },
            () = session.terminated() => signal(&child, Signal::TERM),
        }
    };
    let exit_code = status.map_or(1, exit_code_of);
    if let Err(error) = session.report_exit(exit_code).await {
        tracing::warn!(%error, "cannot note the program's exit code");
    }
    match timeout(CLOSE_TIME, session.ended()).await {
        Ok(Ok(recording)) => {
            // A program that was killed takes its connection along: the reason is worth a line, the
            // program's code says the rest.
            wait::report(&recording);
        }
        Ok(Err(failure)) => eprintln!("jhyded: {failure}"),
        Err(_) => eprintln!(
            "jhyded: the recording '{}' was not closed within {CLOSE_TIME:?}",
            session.name()
        ),
    }
    // A process's code has eight bits.
    u8::try_from(exit_code & 0xff).unwrap_or(1)
}
