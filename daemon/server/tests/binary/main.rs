//! The binary `jhyded` from outside, as far as it needs no JVM: exit codes, messages, signals.

mod access;
mod audit;
mod authority;
mod limits;
mod metrics;
mod reload;
mod served;
mod stopping;
mod systemd;
mod tls;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use jhyde_proto::endpoint::socket_of;
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{RecordingOptions, State};
use rustix::process::{Pid, Signal, kill_process};
use served::{PATIENCE, jhyded, run, text};
use tempfile::TempDir;

/// A daemon that serves; killed if a test forgets it.
struct Daemon(Child);

impl Daemon {
    fn start(data: &Path, arguments: &[&str]) -> Self {
        let mut command = jhyded(data);
        command
            .args(["serve", "--log", "info"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        loop {
            let line = lines.next().expect("it ended before it served").unwrap();
            if line.contains("serving") {
                break;
            }
        }
        // Keeps the pipe drained, so that its log never holds it up.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(
            Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap(),
            signal,
        )
        .unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        wait(&mut self.0)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait(child: &mut Child) -> ExitStatus {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Nothing that looks like a recording is in the folder, as the daemon itself sees it.
fn assert_empty(data: &Path) {
    let left: Vec<_> = walk(data)
        .into_iter()
        .filter(|name| name == "recording.json")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        names.push(entry.file_name().to_string_lossy().into_owned());
        if entry.path().is_dir() {
            names.extend(walk(&entry.path()));
        }
    }
    names
}

fn script(folder: &Path, body: &str) -> String {
    let path = folder.join("java");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn every_kind_of_failure_has_its_exit_code() {
    let data = TempDir::new().unwrap();
    let bin = TempDir::new().unwrap();
    let dying = script(bin.path(), "exit 3");
    let quiet = bin.path().join("quiet");
    fs::create_dir(&quiet).unwrap();
    let quiet = script(&quiet, "exit 0");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["launch"], 2, "JAVA COMMAND"),
        (&["launch", "java", "Main"], 2, "jhyded launch -- java Main"),
        (&["attach", "nonsense"], 2, "HOST:PORT"),
        (&["attach", "192.0.2.1:5005"], 2, "attach.hosts"),
        (&["attach", "127.0.0.1:1"], 5, "127.0.0.1:1"),
        (
            &["listen", "0", "--timeout", "100ms"],
            5,
            "no JVM connected",
        ),
        (
            &["launch", "--level", "most", "--", "java", "X"],
            2,
            "calls, state, full",
        ),
        (&["launch", "--", "/none/java", "X"], 127, "no such program"),
        (
            &["launch", "--", "sh", "-c", "java X"],
            126,
            "JAVA_TOOL_OPTIONS",
        ),
        (&["launch", "--", &dying], 3, "ended with exit code 3"),
        (&["launch", "--", &quiet], 1, "nothing was recorded"),
        (&["serve", "--listen", "0.0.0.0:0"], 4, "loopback"),
        (&["serve", "--no-unix"], 4, "nothing to serve"),
        (
            &["--config", "/none.toml", "config", "show"],
            3,
            "/none.toml",
        ),
    ];
    for (arguments, code, words) in cases {
        let began = Instant::now();
        let output = run(data.path(), arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(began.elapsed() < PATIENCE, "{arguments:?}");
        assert_empty(data.path());
    }
}

#[test]
fn the_configuration_is_shown_with_its_origins() {
    let data = TempDir::new().unwrap();
    let output = jhyded(data.path())
        .env("JHYDED_MEMORY", "1GiB")
        .args(["config", "show"])
        .output()
        .unwrap();
    let stdout = text(&output.stdout);
    let line = stdout
        .lines()
        .find(|line| line.starts_with("memory "))
        .unwrap();
    assert!(
        line.contains("\"1GiB\"") && line.contains("JHYDED_MEMORY"),
        "{line}"
    );
    let output = run(
        data.path(),
        &["config", "show", "--json", "--memory", "64MB"],
    );
    let json = text(&output.stdout);
    let line = json
        .lines()
        .find(|line| line.contains("\"memory\""))
        .unwrap();
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(object["value"], "64MB");
    assert_eq!(object["from"], "command line");

    let output = jhyded(data.path())
        .env("JHYDED_MEMROY", "1")
        .args(["config", "show"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output.stderr).contains("JHYDED_MEMROY"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn help_and_completions_need_nothing() {
    let data = TempDir::new().unwrap();
    let help = text(&run(data.path(), &["--help"]).stdout);
    assert!(
        help.contains("Exit codes") && help.contains("launch"),
        "{help}"
    );
    for shell in ["bash", "zsh", "fish"] {
        let output = run(data.path(), &["completions", shell]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("jhyded"), "{shell}");
    }
    assert!(text(&run(data.path(), &["--version"]).stdout).starts_with("jhyded "));
}

#[test]
fn a_daemon_ends_by_signal_and_takes_its_socket_along() {
    for signal in [Signal::TERM, Signal::INT] {
        let data = TempDir::new().unwrap();
        let mut daemon = Daemon::start(data.path(), &[]);
        assert!(socket_of(data.path()).exists());
        let second = run(data.path(), &["serve"]);
        assert_eq!(second.status.code(), Some(4), "{}", text(&second.stderr));
        assert!(text(&second.stderr).contains(&daemon.0.id().to_string()));
        daemon.signal(signal);
        assert_eq!(daemon.wait().code(), Some(0));
        assert!(!socket_of(data.path()).exists());
    }
}

#[test]
fn a_daemon_that_nobody_needs_ends() {
    let data = TempDir::new().unwrap();
    let mut daemon = Daemon::start(data.path(), &["--idle-exit", "300ms"]);
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn commands_go_through_the_daemon_that_holds_the_folder() {
    let data = TempDir::new().unwrap();
    let bin = TempDir::new().unwrap();
    let dying = script(bin.path(), "exit 3");
    let _daemon = Daemon::start(data.path(), &[]);
    for (arguments, code, words) in [
        (vec!["attach", "127.0.0.1:1"], 5, "127.0.0.1:1"),
        (
            vec!["listen", "0", "--timeout", "100ms"],
            5,
            "no JVM connected",
        ),
        (vec!["launch", "--", &dying], 3, "ended with exit code 3"),
        (vec!["launch", "--", "/none/java"], 127, "no such program"),
    ] {
        let output = run(data.path(), &arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert_empty(data.path());
    }
}

#[test]
fn ctrl_c_ends_a_wait_without_a_trace() {
    let data = TempDir::new().unwrap();
    let mut command = jhyded(data.path());
    let mut child = command
        .args(["listen", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(
        lines
            .next()
            .unwrap()
            .unwrap()
            .contains("waiting on 127.0.0.1:")
    );
    kill_process(
        Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(),
        Signal::INT,
    )
    .unwrap();
    assert_eq!(wait(&mut child).code(), Some(130));
    assert_empty(data.path());
}

/// Read-only media, or a folder of somebody else: what is there is served, and nothing is written. Where no mount
/// namespace can be had, `JHYDE_NO_MOUNTS=1` leaves this out.
#[test]
fn a_folder_that_cannot_be_written_is_read() {
    if std::env::var_os("JHYDE_NO_MOUNTS").is_some() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(data.path(), StoreOptions::default()).unwrap();
    let options = RecordingOptions::default();
    let (_, writer) = catalogue.create(Some("kept"), options).unwrap();
    writer.finish(State::Stopped).unwrap();
    drop(catalogue);
    let read_only = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        let mounted =
            "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
        if !rustix::process::geteuid().is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "sh", "-c", mounted]);
        command.arg(data.path()).arg(env!("CARGO_BIN_EXE_jhyded"));
        command.args(arguments).env("JHYDED_DATA", data.path());
        command.stdin(Stdio::null()).output().unwrap()
    };
    let checked = read_only(&["check", "kept"]);
    let said = text(&checked.stderr);
    assert!(checked.status.success(), "{said}");
    assert!(text(&checked.stdout).contains("all is well"), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
    let refused = read_only(&["launch", "--name", "new", "--", "java", "Main"]);
    assert!(!refused.status.success());
    assert!(
        text(&refused.stderr).contains("reading only"),
        "{}",
        text(&refused.stderr)
    );
}
