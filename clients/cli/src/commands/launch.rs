//! `jhyde launch`: starts a program as this process's own child, so that its input, output, terminal and
//! signals are those of the shell, and has the daemon record it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use jhyde_proto::program::{CommandError, JavaCommand};
use jhyde_proto::v1::{ListenRequest, Recording, RecordingState, ReportExitRequest};
use jhyde_proto::words::{amounts, recorded};
use rustix::process::{Pid, Signal, getpgrp, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;
use tokio_stream::StreamExt as _;

use super::Context;
use super::recordings::{is_open, named, options, state_word};
use super::telling::Telling;
use crate::args::LaunchArgs;
use crate::error::Error;
use crate::json::RecordingJson;
use crate::text::clean;

/// How long the daemon may take to close a recording after its program has ended. Writing what is still
/// in memory is all that is left then.
const CLOSE_LIMIT: Duration = Duration::from_secs(60);
/// How long the daemon may take to notice that a JVM, which has ended by now, had connected.
const NOTICE_LIMIT: Duration = Duration::from_secs(3);
/// How long it may take before somebody is told why nothing happens.
const PATIENCE: Duration = Duration::from_secs(1);
/// jhyde's own failure before the program ran: as `env` and `timeout` do it.
const OWN_FAILURE: u8 = 125;

/// Records a program; the result is its exit code.
///
/// # Errors
/// When the daemon refuses, or the program cannot be started.
pub async fn launch(context: &mut Context, args: &LaunchArgs) -> Result<u8, Error> {
    let java = JavaCommand::new(&args.command).map_err(unfit)?;
    let recording = listen(context, args).await?;
    let port = u16::try_from(recording.listen_port).unwrap_or(0);
    if port == 0 {
        return Err(Error::Failed(
            "the daemon opened no port for the JVM; see its log".to_owned(),
        ));
    }
    let mut child = match spawn(&java.with_agent(port)) {
        Ok(child) => child,
        Err(error) => {
            forget(context, &recording).await;
            return Err(error);
        }
    };
    let watched = telling(context, args, &recording, child.id());
    let status = {
        let waited = pass_signals_and_wait(&mut child);
        tokio::pin!(waited);
        tokio::select! {
            status = &mut waited => status?,
            // Whatever is told meanwhile, the program's end is waited for.
            () = watched => waited.await?,
        }
    };
    let code = exit_code(status);
    let end = close_patiently(context, &recording, code).await;
    tell(context, args, &recording, end, code);
    Ok(code)
}

/// Tells how it goes, on a terminal, until the recording ends.
async fn telling(context: &Context, args: &LaunchArgs, recording: &Recording, pid: Option<u32>) {
    if args.quiet || context.out.json || !io::IsTerminal::is_terminal(&io::stderr()) {
        return;
    }
    let news = Telling::new(&context.client, &recording.id, pid);
    // Without news the program runs all the same.
    let _ = news.until_the_end(|line| eprintln!("jhyde: {line}")).await;
}

/// The exit code of a launch that failed by itself: a program's own codes are left to the program.
pub fn failure_code(error: &Error) -> u8 {
    match error.exit_code() {
        1 => OWN_FAILURE,
        code => code,
    }
}

fn unfit(error: CommandError) -> Error {
    Error::Usage(error.to_string())
}

async fn listen(context: &mut Context, args: &LaunchArgs) -> Result<Recording, Error> {
    let command = args
        .command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let request = ListenRequest {
        port: 0,
        name: args.record.name.clone().unwrap_or_default(),
        options: Some(options(&args.record)),
        timeout_ms: 0,
        command,
    };
    Ok(context
        .client
        .recordings
        .listen(request)
        .await?
        .into_inner())
}

fn spawn(words: &[OsString]) -> Result<Child, Error> {
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| unfit(CommandError::Missing))?;
    let failed = |source| Error::Program {
        program: program.to_string_lossy().into_owned(),
        source,
    };
    Command::new(program)
        .args(arguments)
        .spawn()
        .map_err(failed)
}

/// Nothing connects to that port any more.
async fn forget(context: &mut Context, recording: &Recording) {
    // What is wrong is told by the caller; a recording without a JVM goes by itself when it is stopped.
    if let Err(status) = context.client.recordings.stop(named(&recording.id)).await
        && status.code() != tonic::Code::NotFound
    {
        eprintln!(
            "jhyde: recording {} could not be given up: {}",
            recording.name,
            status.message()
        );
    }
}

/// Waits for the program. Signals to this process are meant for it: this process stays to give its exit
/// code on.
async fn pass_signals_and_wait(child: &mut Child) -> Result<ExitStatus, Error> {
    let failed = |source| Error::Terminal {
        what: "wait for the program",
        source,
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
    let mut quit = signal(SignalKind::quit()).map_err(failed)?;
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    loop {
        let passed = tokio::select! {
            status = child.wait() => return status.map_err(failed),
            // The terminal sends Ctrl-C and Ctrl-\ to the program itself.
            _ = interrupt.recv() => (!in_foreground()).then_some(Signal::INT),
            _ = quit.recv() => (!in_foreground()).then_some(Signal::QUIT),
            _ = terminate.recv() => Some(Signal::TERM),
            _ = hangup.recv() => Some(Signal::HUP),
        };
        if let (Some(pid), Some(signal)) = (pid, passed) {
            // It cannot be another process: the child is not waited for yet.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Is this process in the foreground of its terminal?
fn in_foreground() -> bool {
    rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

/// As a shell would say it.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// How the recording ended.
enum End {
    /// It is closed.
    Closed(Box<Recording>),
    /// The JVM never connected.
    NeverConnected,
    /// It is not closed after a long time.
    StillOpen,
    /// The daemon went away or refused.
    Lost(Error),
}

/// Closing mostly takes no time that anybody notices; if it does, that is told, in a line of its own: a
/// spinner would wipe out what the program wrote last.
async fn close_patiently(context: &mut Context, recording: &Recording, code: u8) -> End {
    let closing = close(context, recording, code);
    tokio::pin!(closing);
    if let Ok(end) = timeout(PATIENCE, &mut closing).await {
        return end;
    }
    if io::IsTerminal::is_terminal(&io::stderr()) {
        eprintln!(
            "jhyde: the program has ended; closing recording {} …",
            clean(&recording.name)
        );
    }
    closing.await
}

async fn close(context: &mut Context, recording: &Recording, code: u8) -> End {
    match timeout(
        NOTICE_LIMIT,
        until(context, recording, |now| {
            now.state() != RecordingState::Waiting
        }),
    )
    .await
    {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return lost(context, recording, error).await,
        Err(_) => {
            forget(context, recording).await;
            return End::NeverConnected;
        }
    }
    let report = ReportExitRequest {
        recording: recording.id.clone(),
        exit_code: code.into(),
    };
    if let Err(status) = context.client.recordings.report_exit(report).await {
        return End::Lost(status.into());
    }
    match timeout(CLOSE_LIMIT, until(context, recording, |now| !is_open(now))).await {
        // The exit code was reported meanwhile: the last state is asked for once more.
        Ok(Ok(last)) => match context.client.recordings.get(named(&recording.id)).await {
            Ok(now) => End::Closed(Box::new(now.into_inner())),
            Err(_) => End::Closed(Box::new(last)),
        },
        Ok(Err(error)) => End::Lost(error),
        Err(_) => End::StillOpen,
    }
}

/// A recording that is gone was given up for want of a JVM.
async fn lost(context: &mut Context, recording: &Recording, error: Error) -> End {
    match context.client.recordings.get(named(&recording.id)).await {
        Err(status) if status.code() == tonic::Code::NotFound => End::NeverConnected,
        _ => End::Lost(error),
    }
}

/// Follows the recording until its state is as wanted.
async fn until(
    context: &mut Context,
    recording: &Recording,
    wanted: impl Fn(&Recording) -> bool,
) -> Result<Recording, Error> {
    let mut changes = context
        .client
        .recordings
        .watch(named(&recording.id))
        .await?
        .into_inner();
    while let Some(now) = changes.next().await {
        let now = now?;
        if wanted(&now) {
            return Ok(now);
        }
    }
    // The stream ends with the recording; its last message may have been the one before the last.
    let now = context
        .client
        .recordings
        .get(named(&recording.id))
        .await?
        .into_inner();
    if wanted(&now) {
        return Ok(now);
    }
    Err(Error::Failed(
        "the daemon stopped telling about the recording".to_owned(),
    ))
}

/// Says how it went, on standard error: standard output is the program's.
fn tell(context: &Context, args: &LaunchArgs, recording: &Recording, end: End, code: u8) {
    let name = clean(&recording.name);
    match end {
        End::Closed(last) => {
            if context.out.json {
                if let Ok(json) = serde_json::to_string(&RecordingJson(&last)) {
                    eprintln!("{json}");
                }
            } else if last.state() != RecordingState::Complete {
                let state = state_word(last.state());
                let reason = match last.state_reason.as_str() {
                    "" => state.to_owned(),
                    reason => format!("{state}: {}", clean(reason)),
                };
                eprintln!(
                    "jhyde: recording {name} is not whole ({reason}): {}; jhyde tree {name}",
                    amounts(&last)
                );
            } else if !args.quiet {
                eprintln!("{}", clean(&recorded(&last)));
            }
        }
        End::NeverConnected => eprintln!(
            "jhyde: nothing was recorded: the program ended with exit code {code} before its JVM \
             connected to the daemon; what it wrote says why"
        ),
        End::StillOpen => eprintln!(
            "jhyde: recording {name} is still being closed after {} s; jhyde watch {name} follows it",
            CLOSE_LIMIT.as_secs()
        ),
        End::Lost(error) => eprintln!("jhyde: recording {name} may not be whole: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
        assert_eq!(exit_code(ExitStatus::from_raw(0)), 0);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there() {
        let error = spawn(&["/no/such/java".into()]).unwrap_err();
        assert_eq!(failure_code(&error), 127);
        assert!(error.to_string().contains("/no/such/java"), "{error}");
    }

    #[test]
    fn what_cannot_be_recorded_is_a_usage_error() {
        let error = unfit(JavaCommand::new(&["gradle".into()]).unwrap_err());
        assert_eq!(failure_code(&error), 2);
        assert_eq!(failure_code(&Error::Failed(String::new())), OWN_FAILURE);
    }

    #[tokio::test]
    async fn the_programs_code_is_passed_on() {
        let words = ["sh", "-c", "exit 7"].map(OsString::from);
        let mut child = spawn(&words).unwrap();
        assert_eq!(
            exit_code(pass_signals_and_wait(&mut child).await.unwrap()),
            7
        );
    }
}
