//! The two binaries, run as people run them, in a data folder of one's own.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::Jdk;

/// A binary of the workspace, beside the test's own.
///
/// # Panics
/// When it was not built.
pub fn binary(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own path");
    let profile = own
        .ancestors()
        .find(|folder| folder.join(name).is_file())
        .unwrap_or_else(|| {
            panic!("{name} is not built: run `cargo build --workspace --bins` (with --release for benchmarks) first")
        });
    profile.join(name)
}

/// A data folder, and a runtime folder for the daemon's socket. The daemon that `jhyde` starts ends by itself
/// when nobody uses it.
#[derive(Debug)]
pub struct Folder {
    folder: TempDir,
}

/// How a recorded program ended.
#[derive(Debug)]
pub struct Run {
    /// Its exit code, which is that of `jhyded launch`.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, with what `jhyded` said.
    pub stderr: String,
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// A new one, gone when dropped.
    ///
    /// # Panics
    /// When there is no room for temporary files.
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self { folder }
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(binary(name));
        command
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path())
            // Tests say which engine they mean, or mean the one that asks the JVM for everything.
            .env("JHYDED_RECORD_ENGINE", "events")
            .env("PATH", path_with_binaries(name))
            // What programs print is compared with what was recorded, on machines without a locale, too.
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// `jhyded launch … -- java ARGUMENTS`.
    ///
    /// # Panics
    /// When `jhyded` cannot be started.
    pub fn launch(&self, jdk: &Jdk, name: &str, options: &[&str], arguments: &[String]) -> Run {
        let output = self
            .jhyded(&["launch"])
            .args(["--name", name])
            .args(options)
            .arg("--")
            .arg(jdk.java())
            .args(arguments)
            .output()
            .expect("jhyded can be started");
        Run {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// As [`Self::launch`], for tests that need all that happened: a JVM on a busy machine leaves out steps of a thread now and then, and
    /// the engine `events` says so by a gap. Then it records again, at most twice.
    ///
    /// # Panics
    /// When `jhyded` cannot be started.
    pub fn launch_whole(
        &self,
        jdk: &Jdk,
        name: &str,
        options: &[&str],
        arguments: &[String],
    ) -> Run {
        for _ in 0..2 {
            let run = self.launch(jdk, name, options, arguments);
            if !run.stderr.contains("recorded") {
                return run;
            }
            let shown = self.json(&["show", name]).remove(0);
            if !shown["gaps"].to_string().contains("did not tell each step") {
                return run;
            }
            eprintln!(
                "{name}: the JVM did not tell all, and is recorded again: {}",
                shown["gaps"]
            );
            self.ask(&["delete", name]);
        }
        self.launch(jdk, name, options, arguments)
    }

    /// `jhyded --data FOLDER WORDS`, to be gone on with.
    pub fn jhyded(&self, words: &[&str]) -> Command {
        let mut command = self.command("jhyded");
        command.arg("--data").arg(self.data()).args(words);
        command
    }

    /// `jhyde --data FOLDER WORDS`, to be gone on with.
    pub fn jhyde(&self, words: &[&str]) -> Command {
        let mut command = self.command("jhyde");
        command.arg("--data").arg(self.data()).args(words);
        command
    }

    /// What `jhyde WORDS` printed.
    ///
    /// # Panics
    /// When it failed.
    pub fn ask(&self, words: &[&str]) -> String {
        let output = self.jhyde(words).output().expect("jhyde can be started");
        assert_success(&output, words);
        String::from_utf8(output.stdout).expect("jhyde prints UTF-8")
    }

    /// What `jhyde WORDS --json` printed, line by line.
    ///
    /// # Panics
    /// When it failed, or a line is no JSON.
    pub fn json(&self, words: &[&str]) -> Vec<Value> {
        let mut all = words.to_vec();
        all.push("--json");
        let printed = self.ask(&all);
        printed
            .lines()
            .map(|line| {
                serde_json::from_str(line)
                    .unwrap_or_else(|error| panic!("jhyde {words:?} printed {line:?}: {error}"))
            })
            .collect()
    }

    /// Ends the daemon of the folder: the next command starts another.
    ///
    /// # Panics
    /// When it does not end.
    pub fn end_daemon(&self) {
        let lock = std::fs::read_to_string(self.data().join("lock")).expect("a daemon runs");
        let id = lock.split_whitespace().next().expect("its number");
        let killed = Command::new("kill").arg(id).status();
        assert!(killed.expect("kill can be started").success());
        let socket = self.data().join("jhyded.sock");
        for _ in 0..600 {
            if !socket.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the daemon {id} does not end");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The daemon that jhyde started would end by itself some minutes later. It need not wait; its
        // number stands in the lock, which it holds as long as it lives.
        let lock = std::fs::read_to_string(self.data().join("lock")).unwrap_or_default();
        if let Some(id) = lock.split_whitespace().next().filter(|id| *id != "0") {
            let socket = self.data().join("jhyded.sock");
            if socket.exists() {
                let _ = Command::new("kill").arg(id).stderr(Stdio::null()).status();
            }
        }
    }
}

fn assert_success(output: &Output, words: &[&str]) {
    assert!(
        output.status.success(),
        "jhyde {words:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

/// `jhyde` looks for `jhyded` beside itself and on the path.
fn path_with_binaries(name: &str) -> std::ffi::OsString {
    let binary = binary(name);
    let own = binary.parent().unwrap_or_else(|| Path::new("/"));
    let mut path = own.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}
