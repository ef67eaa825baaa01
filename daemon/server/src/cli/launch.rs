//! `jhyded launch`: a program with its own input and output, recorded, its exit code passed on.

use std::process::Stdio;
use std::time::Duration;

use jhyde_proto::program::JavaCommand;
use jhyde_proto::v1::RecordingState;
use rustix::process::Signal;
use tokio::process::Child;
use tokio::time::{Instant, timeout, timeout_at};

use super::args::LaunchArgs;
use super::failure::Failure;
use super::host::{Host, SETTLE_TIME};
use super::say::say;
use super::session::Session;
use super::signals::{Came, Signals};
use super::telling::Telling;
use super::{wait, wanted};
use crate::config::Settings;
use crate::daemon::launch::{CONNECT_TIMEOUT, exit_code_of, signal, start};
use crate::daemon::record::ListenRequest;
use crate::error::{ProgramError, exit};

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
        Ok((mut session, child)) => {
            let telling = Telling::new(&host, session.id(), child.id());
            Ok(to_the_end(&mut session, child, telling, &mut signals, args.quiet).await)
        }
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
            Ok(begun @ (Ok(()) | Err(Failure::Remote(_)))) => begun,
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
        // The daemon that was to record it is gone. It may have let the program begin before: from there on the program goes on
        // without it, as it does at any later time.
        Err(Failure::Remote(status)) => {
            tracing::debug!(%status, "the daemon is gone");
            Ok((session, child))
        }
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
    session.detach();
    let _ = timeout(SETTLE_TIME, session.ended()).await;
}

/// Waits for the program's end and the recording's; the program's exit code is ours.
async fn to_the_end(
    session: &mut Session,
    mut child: Child,
    telling: Telling,
    signals: &mut Signals,
    quiet: bool,
) -> u8 {
    tracing::info!(recording = session.name(), "recording");
    let ended = {
        let telling = telling.go_on(quiet);
        tokio::pin!(telling);
        tokio::select! {
            never = &mut telling => match never {},
            ended = program_end(session, &mut child, signals) => ended,
        }
    };
    let Some(exit_code) = ended else {
        say(format_args!(
            "the recording '{}' was ended; the program (process {}) does not answer and goes on",
            session.name(),
            child.id().unwrap_or_default()
        ));
        return exit::INTERRUPTED;
    };
    if let Err(error) = session.report_exit(exit_code).await {
        say(format_args!("cannot note the program's exit code: {error}"));
    }
    let closed = tokio::select! {
        closed = timeout(CLOSE_TIME, session.ended()) => closed,
        // The program has ended: whoever is in a hurry is not kept.
        _ = signals.next() => {
            session.detach();
            timeout(SETTLE_TIME, session.ended()).await
        }
    };
    match closed {
        Ok(Ok(mut recording)) => {
            // It may have been closed before it was told.
            if recording.state() == RecordingState::Complete {
                recording.exit_code = Some(exit_code);
            }
            // A program that was killed takes its connection along: the reason is worth a line, the
            // program's code says the rest.
            wait::report(&recording, quiet);
        }
        Ok(Err(failure)) => say(failure),
        Err(_) => say(format_args!(
            "the recording '{}' is not closed yet: what the program did is still being worked out or stored; what is there can be asked",
            session.name()
        )),
    }
    // A process's code has eight bits.
    u8::try_from(exit_code & 0xff).unwrap_or(1)
}

/// Waits for the program's end. `None`: somebody has called the recording off, and the program's JVM does not answer
/// any more; it is left alone then.
async fn program_end(
    session: &mut Session,
    child: &mut Child,
    signals: &mut Signals,
) -> Option<i32> {
    let mut given_up = None;
    let status = loop {
        let terminated = session.terminated();
        tokio::select! {
            status = child.wait() => break status,
            came = signals.next() => match came {
                // In a terminal the program has got it, too, and does with it what it always does.
                Came::Interrupt => {
                    session.detach();
                    given_up.get_or_insert_with(|| Instant::now() + SETTLE_TIME);
                }
                Came::Terminate => signal(child, Signal::TERM),
                Came::Hangup => signal(child, Signal::HUP),
            },
            () = terminated => signal(child, Signal::TERM),
            left = left(session, given_up), if given_up.is_some() => match left {
                // It runs on, and its exit code is still ours.
                true => given_up = None,
                // One that was killed has gone a moment before its process has.
                false => break timeout(WORD_TIME / 4, child.wait()).await.ok()?,
            },
        }
    };
    Some(status.map_or(1, exit_code_of))
}

/// Waits for the end of a recording that was called off. Was its JVM left as it should be?
async fn left(session: &mut Session, until: Option<Instant>) -> bool {
    let until = until.unwrap_or_else(Instant::now);
    match timeout_at(until, session.ended()).await {
        Ok(Ok(recording)) => recording.state() != RecordingState::ConnectionLost,
        _ => false,
    }
}
