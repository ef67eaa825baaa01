//! Starting a daemon for a data folder, and waiting until it answers.
//!
//! Two clients that start one at the same time must not fight: whoever has locked the folder starts, the other waits for
//! the lock and then finds the socket served. Nothing is written for that: a folder on a full disk or on read-only
//! media is served like any other.

use std::env;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use jhyde_proto::endpoint::{runtime_file, runtime_folder};
use jhyde_proto::folder::make;
use tokio::net::UnixStream;

use super::running;
use crate::error::Error;

/// How long a daemon may take until it answers: opening many recordings after a crash takes longest.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
/// The exit code of `jhyded` that cannot serve: the folder is another's, perhaps of one that ends.
const SERVING: i32 = 4;
/// How long one may take to end that no longer answers.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// How often the socket is looked at meanwhile.
const POLL: Duration = Duration::from_millis(20);
/// A daemon that was started for its user ends by itself when it is not needed for so long.
const IDLE_EXIT: &str = "10m";
/// How much of the log is shown when it does not start.
const TAIL_LINES: usize = 12;
const TAIL_BYTES: u64 = 8 << 10;

/// Starts a daemon for the folder, unless another client is just doing so, and connects to it.
pub(super) async fn start(data: &Path) -> Result<UnixStream, Error> {
    let program = program()?;
    make(data)?;
    let deadline = Instant::now() + LIMIT;
    let file = |what, source| Error::File {
        what,
        path: data.to_owned(),
        source,
    };
    let lock = File::open(data).map_err(|source| file("cannot open", source))?;
    loop {
        match lock.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                // Somebody else starts one; it may already answer.
                if let Some(stream) = running(data).await? {
                    return Ok(stream);
                }
                tokio::time::sleep(POLL).await;
            }
            Err(TryLockError::WouldBlock) => {
                let what = "another jhyde has been starting it for too long".to_owned();
                return Err(not_started(what, &data.join(LOG), 0));
            }
            // A file system without locks: of two daemons the second does not get the folder.
            Err(TryLockError::Error(_)) => break,
        }
    }
    // The lock is let go of when this function ends.
    if let Some(stream) = running(data).await? {
        return Ok(stream);
    }
    spawn_and_wait(&program, data, deadline).await
}

async fn spawn_and_wait(
    program: &Path,
    data: &Path,
    deadline: Instant,
) -> Result<UnixStream, Error> {
    let path = log_of(data)?;
    // A daemon that ends because the one before it still closes the folder is started again.
    let begun = Instant::now();
    let mut retries = 1;
    let mut daemon = spawn(program, data, &path)?;
    loop {
        if let Some(stream) = running(data).await? {
            return Ok(stream);
        }
        if let Some(status) = daemon.exited() {
            // It may have lost against a daemon that somebody started by hand.
            if let Some(stream) = running(data).await? {
                return Ok(stream);
            }
            let may_be_taken = status
                .as_ref()
                .is_ok_and(|status| status.code() == Some(SERVING));
            let waits = may_be_taken && begun.elapsed() < ENDS_WITHIN;
            if retries == 0 && !waits {
                let how = match &status {
                    Ok(status) => status.to_string(),
                    Err(error) => error.to_string(),
                };
                return Err(not_started(
                    format!("it ended with {how}"),
                    &path,
                    daemon.log_from,
                ));
            }
            if !waits {
                retries -= 1;
            }
            tokio::time::sleep(POLL * 20).await;
            daemon = spawn(program, data, &path)?;
        }
        if Instant::now() >= deadline {
            daemon.give_up();
            let what = format!("it did not answer within {} s", LIMIT.as_secs());
            return Err(not_started(what, &path, daemon.log_from));
        }
        tokio::time::sleep(POLL).await;
    }
}

/// A daemon that we started and that does not answer yet.
struct Starting {
    child: Child,
    /// Where its own lines begin in the log.
    log_from: u64,
}

impl Starting {
    /// How it ended, if it did.
    fn exited(&mut self) -> Option<io::Result<ExitStatus>> {
        self.child.try_wait().transpose()
    }

    /// It would only be in the way of the next try.
    fn give_up(&mut self) {
        // It may have ended in between, which is as good.
        if self.child.kill().is_ok() {
            let _ = self.child.wait();
        }
    }
}

#[allow(unsafe_code)]
fn spawn(program: &Path, data: &Path, log: &Path) -> Result<Starting, Error> {
    let file = |source| Error::File {
        what: "cannot write",
        path: log.to_owned(),
        source,
    };
    let output = open_log(log).map_err(file)?;
    let log_from = output.metadata().map_err(file)?.len();
    let errors = output.try_clone().map_err(file)?;
    let mut command = Command::new(program);
    command
        .args(["serve", "--idle-exit", IDLE_EXIT, "--data"])
        .arg(data)
        // The folder that we were called in may have to be unmounted or deleted while it runs.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    // SAFETY: runs in the forked child before exec; setsid is one system call and allocates nothing.
    unsafe {
        // A session of its own: neither Ctrl-C nor the terminal's end reach it.
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    let child = command.spawn().map_err(|source| Error::Program {
        program: program.display().to_string(),
        source,
    })?;
    Ok(Starting { child, log_from })
}

/// `jhyded`: named, beside this binary, or in PATH.
fn program() -> Result<PathBuf, Error> {
    if let Some(named) = env::var_os("JHYDE_DAEMON_PROGRAM").filter(|value| !value.is_empty()) {
        return Ok(named.into());
    }
    let own = env::current_exe()
        .and_then(fs::canonicalize)
        .unwrap_or_default();
    let beside = own.parent().unwrap_or_else(|| Path::new("/")).to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    std::iter::once(beside.clone())
        .chain(env::split_paths(&path))
        .map(|folder| folder.join("jhyded"))
        .find(|candidate| is_program(candidate))
        .ok_or(Error::NoProgram { beside })
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// What daemons wrote that were started for this folder.
const LOG: &str = "jhyded.log";

/// Where it lies: beside the socket where nothing can be written in the folder.
fn log_of(data: &Path) -> Result<PathBuf, Error> {
    let inside = data.join(LOG);
    if open_log(&inside).is_ok() {
        return Ok(inside);
    }
    make(&runtime_folder())?;
    Ok(runtime_file(data, "log"))
}

fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let log = options.create(true).append(true).mode(0o600).open(path)?;
    // One that is there may be another's to read, and a umask may forbid its own user.
    log.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(log)
}

fn not_started(what: String, log: &Path, from: u64) -> Error {
    let tail = tail(log, from).unwrap_or_else(|error| format!("(cannot be read: {error})"));
    let tail = if tail.is_empty() {
        "(nothing)".to_owned()
    } else {
        tail
    };
    Error::NotStarted {
        what,
        log: log.to_owned(),
        tail,
    }
}

/// The last lines written to the log since `from`.
fn tail(log: &Path, from: u64) -> io::Result<String> {
    let mut file = File::open(log)?;
    let start = from.max(file.metadata()?.len().saturating_sub(TAIL_BYTES));
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().collect::<Vec<_>>();
    let first = lines.len().saturating_sub(TAIL_LINES);
    let shown = lines.get(first..).unwrap_or_default();
    Ok(shown
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_what_the_last_start_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("jhyded.log");
        fs::write(&log, "old\n").unwrap();
        let from = fs::metadata(&log).unwrap().len();
        assert_eq!(tail(&log, from).unwrap(), "");
        let lines = (0..40).map(|n| format!("line {n}\n")).collect::<String>();
        fs::write(&log, format!("old\n{lines}")).unwrap();
        let shown = tail(&log, from).unwrap();
        assert_eq!(shown.lines().count(), TAIL_LINES);
        assert!(
            shown.starts_with("  line 28\n") && shown.ends_with("  line 39"),
            "{shown}"
        );
    }

    /// How starting a program that ends fails, and how often it was tried.
    async fn started(script: &str) -> (Error, usize) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("failing");
        let script = format!(
            "#!/bin/sh\ncd {}\necho >>runs\n{script}",
            folder.path().display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let until = Instant::now() + LIMIT;
        let error = spawn_and_wait(&program, folder.path(), until).await;
        let runs = fs::read_to_string(folder.path().join("runs")).unwrap();
        (error.unwrap_err(), runs.lines().count())
    }

    #[tokio::test]
    async fn a_daemon_that_ends_at_once_is_told_with_its_log() {
        let (error, runs) = started("echo the disk is full >&2\nexit 3\n").await;
        let text = error.to_string();
        assert!(
            text.contains("exit status: 3") && text.contains("the disk is full"),
            "{text}"
        );
        assert_eq!((error.exit_code(), runs), (5, 2));
    }

    /// The folder is still another's for three tries.
    #[tokio::test]
    async fn a_daemon_that_ends_is_waited_for() {
        let (error, runs) = started("[ $(wc -l <runs) -gt 3 ] || exit 4\nexit 3\n").await;
        assert!(error.to_string().contains("exit status: 3"), "{error}");
        assert_eq!(runs, 5);
    }
}
