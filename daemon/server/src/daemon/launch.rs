//! Starting a java program under the debugger and recording it: used by the service and, in-process, by
//! `jhyded launch`.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jhyde_proto::program::JavaCommand;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::Daemon;
use super::live::{Live, Status};
use super::options::Wanted;
use super::record::{ListenRequest, blocking};
use crate::error::{Error, JvmFailure, ProgramError};
use crate::{private, systemd};

/// How long a JVM that was started may take until it connects. It does so before it runs anything of the
/// program; a minute is for machines under heavy load.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// How much of an early failure's standard error goes into the message.
const EARLY_STDERR: usize = 2000;
/// How long such a pipe may be silent.
const EARLY_SILENCE: Duration = Duration::from_millis(200);

/// To start and record a program.
#[derive(Debug)]
pub struct LaunchRequest {
    /// The command line.
    pub command: Vec<OsString>,
    /// Name for the recording; empty: one is made from the program.
    pub name: String,
    /// How to record.
    pub wanted: Wanted,
    /// Folder to run in.
    pub directory: Option<PathBuf>,
    /// Set in the program's environment.
    pub environment: Vec<(String, String)>,
    /// Its standard input, output and error.
    pub stdio: [Stdio; 3],
}

/// A program that is being recorded.
#[derive(Debug)]
pub struct Launched {
    /// Its recording.
    pub live: Arc<Live>,
    /// Its process.
    pub child: Child,
}

impl Daemon {
    /// Starts a program and waits until it is recorded.
    ///
    /// # Errors
    /// Nothing is left: no recording, no process.
    pub async fn launch(self: &Arc<Self>, request: LaunchRequest) -> Result<Launched, Error> {
        let java = JavaCommand::new(&request.command).map_err(ProgramError::from)?;
        let listen = ListenRequest {
            port: 0,
            name: request.name.clone(),
            wanted: request.wanted.clone(),
            timeout: Some(CONNECT_TIMEOUT),
            command: request
                .command
                .iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect(),
            program: java.main().to_owned(),
        };
        let daemon = Arc::clone(self);
        let live = blocking(move || daemon.listen(listen)).await?;
        let port = live.listen_port.load(Ordering::Relaxed);
        let command = java.with_agent(port);
        let mut child = match start(
            &command,
            request.directory,
            request.environment,
            request.stdio,
        ) {
            Ok(child) => child,
            Err(error) => {
                give_up(&live).await;
                return Err(error.into());
            }
        };
        // Waiting for a child closes its input; this one is still to be written to.
        let stdin = child.stdin.take();
        let program = command
            .first()
            .map(|word| word.to_string_lossy().into_owned());
        await_jvm(&live, &mut child, &program.unwrap_or_default()).await?;
        child.stdin = stdin;
        Ok(Launched { live, child })
    }
}

/// Starts a program.
///
/// # Errors
/// [`ProgramError`]: there is no such program, or it cannot be run.
pub fn start(
    command: &[OsString],
    directory: Option<PathBuf>,
    environment: Vec<(String, String)>,
    [stdin, stdout, stderr]: [Stdio; 3],
) -> Result<Child, ProgramError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(jhyde_proto::program::CommandError::Missing.into());
    };
    let mut prepared = Command::new(program);
    prepared
        .args(arguments)
        .envs(environment)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr);
    private::as_before(&mut prepared);
    systemd::manager::keep_from(&mut prepared);
    if let Some(directory) = &directory {
        prepared.current_dir(directory);
    }
    prepared.spawn().map_err(|source| {
        let program = program.to_string_lossy().into_owned();
        match source.kind() {
            io::ErrorKind::NotFound => ProgramError::NotFound {
                program,
                folder: directory,
            },
            _ => ProgramError::CannotRun { program, source },
        }
    })
}

/// Waits until the started program's JVM is recorded; if that fails, makes sure that nothing is left.
async fn await_jvm(live: &Live, child: &mut Child, program: &str) -> Result<(), Error> {
    let begun = tokio::select! {
        biased;
        status = live.begun() => Some(status),
        _ = child.wait() => None,
    };
    // It may have ended between connecting and being recorded.
    let begun = match begun {
        None => {
            give_up(live).await;
            None
        }
        some => some,
    };
    match begun {
        Some(Status::Running | Status::Ended(_)) => return Ok(()),
        Some(Status::Waiting) | None => {}
        Some(Status::Gone(_)) => {
            // Stopped by somebody, or the JVM cannot be recorded: it has run nothing of the program, or
            // it must not run unrecorded.
            if child.try_wait().ok().flatten().is_none() {
                let _ = child.kill().await;
                return Err(failure_of(live));
            }
        }
    }
    let exit_code = child.wait().await.map_or(1, exit_code_of);
    // A JVM that could not be recorded has said so; one that never came has nothing to say.
    match failure_of(live) {
        Error::Jvm {
            failure: JvmFailure::Cancelled | JvmFailure::Timeout,
            ..
        } => {
            let program = program.to_owned();
            let stderr = early_stderr(child).await;
            Err(ProgramError::EndedEarly {
                program,
                exit_code,
                stderr,
            }
            .into())
        }
        other => Err(other),
    }
}

/// The beginning of what a program wrote to its standard error, if that goes through us.
async fn early_stderr(child: &mut Child) -> String {
    let mut bytes = vec![0; EARLY_STDERR];
    let mut length = 0;
    if let Some(mut stderr) = child.stderr.take() {
        while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
            // The program has ended; a process that it started may hold the pipe open, silently.
            match timeout(EARLY_SILENCE, stderr.read(rest)).await {
                Ok(Ok(read)) if read > 0 => length += read,
                _ => break,
            }
        }
    }
    String::from_utf8_lossy(bytes.get(..length).unwrap_or_default())
        .trim()
        .to_owned()
}

fn failure_of(live: &Live) -> Error {
    live.take_failure()
        .unwrap_or_else(super::capture::abandoned)
}

/// Ends a wait, and waits until nothing is left of it.
pub async fn give_up(live: &Live) {
    live.request_end(jhyde_capture::Ending::Detach);
    let _ = timeout(CONNECT_TIMEOUT, live.ended()).await;
}

/// Sends a signal to a program that was started and has not been waited for.
pub fn signal(child: &Child, signal: Signal) {
    // The id is there as long as nobody has waited for the process, so it is still this process's.
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    if let Some(pid) = pid
        && let Err(error) = kill_process(pid, signal)
    {
        tracing::warn!(%error, ?signal, "cannot signal the program");
    }
}

/// An exit code as a shell would say it: 128 + number if a signal ended the program.
pub fn exit_code_of(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|number| 128 + number))
        .unwrap_or(1)
}
