//! A program that runs on whatever is done to it: `fx.Ticker` counts until its input ends. What tests of the ways to a JVM and
//! away from it share.

use std::io::{BufRead as _, BufReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Folder, Jdk};

/// Longest wait for anything here.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// What a JVM says when it waits for a debugger.
const LISTENING: &str = "Listening for transport dt_socket at address: ";

/// `fx.Ticker`: counts, a line each, until its input ends.
#[derive(Debug)]
pub struct Ticker {
    /// The process.
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

impl Ticker {
    /// With such options of the JDWP agent.
    pub fn start(jdk: &Jdk, agent: &str) -> Self {
        Self::start_by(Command::new(jdk.java()), jdk, agent)
    }

    /// The same, by a command that runs `java` with what is added to it.
    pub fn start_by(mut java: Command, jdk: &Jdk, agent: &str) -> Self {
        java.arg(format!("-agentlib:jdwp=transport=dt_socket,{agent}"));
        Self::run(java, jdk)
    }

    /// By a command that runs `java`, with options and a class path of ours added to it.
    pub fn run(java: Command, jdk: &Jdk) -> Self {
        Self::run_class(java, jdk, "fx.Ticker")
    }

    /// The same of a class that counts as it does.
    pub fn run_class(mut java: Command, jdk: &Jdk, class: &str) -> Self {
        let mut child = java
            .arg("-cp")
            .arg(jdk.classes("fixtures"))
            .args([class, "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java can be started");
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("an output"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            lines,
            last: 0,
        }
    }

    /// Listening on a port that it says.
    pub fn listening(jdk: &Jdk) -> (Self, String) {
        Self::listening_class(jdk, "fx.Ticker")
    }

    /// The same of a class that counts as it does.
    pub fn listening_class(jdk: &Jdk, class: &str) -> (Self, String) {
        let mut java = Command::new(jdk.java());
        java.arg("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0");
        let mut ticker = Self::run_class(java, jdk, class);
        let address = ticker.listens_again();
        (ticker, address)
    }

    /// Goes on for so many ticks, none lost or told twice.
    pub fn ticks(&mut self, count: u64) {
        for _ in 0..count {
            let line = self.lines.recv_timeout(PATIENCE).expect("it goes on");
            self.take(&line);
        }
    }

    /// A line that is not the last.
    fn take(&mut self, line: &str) {
        if !line.starts_with(LISTENING) {
            assert_eq!(line, format!("tick {}", self.last + 1));
            self.last += 1;
        }
    }

    /// Goes on until it listens for the next debugger; a port that the JVM chose is another one then.
    pub fn listens_again(&mut self) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("it goes on");
            if let Some(port) = line.strip_prefix(LISTENING) {
                return format!("127.0.0.1:{}", port.trim());
            }
            self.take(&line);
        }
    }

    /// Ends its input, and sees it end as it does unwatched.
    pub fn end(mut self) {
        drop(self.input.take());
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("it ends");
            if line.starts_with("stopped") {
                assert_eq!(line, format!("stopped {}", self.last));
                break;
            }
            self.take(&line);
        }
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A recording as it is listed, if it is.
pub fn recording(folder: &Folder, name: &str) -> Option<Value> {
    let mut all = folder.json(&["list"]).into_iter();
    all.find(|one| one["name"] == name)
}

/// Waits until the recording is as it should be.
pub fn until(folder: &Folder, name: &str, what: &str, right: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let now = recording(folder, name).unwrap_or(Value::Null);
        if right(&now) {
            return now;
        }
        assert!(Instant::now() < end, "{name} never was {what}: {now}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Has it some calls?
pub fn has_calls(recording: &Value) -> bool {
    recording["calls"].as_u64() > Some(100)
}

/// Has it ended?
pub fn ended(recording: &Value) -> bool {
    !matches!(
        recording["state"].as_str(),
        None | Some("running" | "waiting")
    )
}

/// Its calls are there, and those of `tick` that ended say what they did.
pub fn assert_readable(folder: &Folder, name: &str) {
    let calls = folder.json(&["tree", name, "--all"]);
    let ticks: Vec<_> = calls
        .iter()
        .filter(|call| call["method"] == "check" && !call["exit"].is_null())
        .collect();
    // One may have run already when we came: nobody saw what it was given, and it says so.
    let (before, ticks): (Vec<_>, Vec<_>) = ticks
        .into_iter()
        .partition(|call| call["already_running"] == true);
    assert!(before.len() <= 1, "{before:?}");
    for call in before {
        let given = &call["arguments"][1]["value"];
        assert!(given["not_recorded"].is_string(), "{call}");
    }
    assert!(ticks.len() > 5, "{} calls of check", ticks.len());
    for tick in ticks {
        let n = tick["arguments"][1]["value"].as_u64().expect("n");
        assert_eq!(
            tick["result"].as_u64(),
            Some(u64::from(n.count_ones())),
            "{tick}"
        );
    }
}

/// A daemon that attaches to it and records, by an engine, at level `state`, and serves clients: else the first one would start
/// another, which the recording might go to.
pub fn attach(folder: &Folder, address: &str, name: &str, engine: &str) -> Child {
    let attached = folder
        .jhyded(&[
            "attach",
            address,
            "--engine",
            engine,
            "--name",
            name,
            "--level",
            "state",
            "--include",
            "fx.*",
        ])
        .stdout(Stdio::null())
        .spawn()
        .expect("jhyded can be started");
    serves(&folder.data().join("jhyded.sock"));
    attached
}

/// Waits until somebody serves this socket: a client that found nobody would start a daemon of its own.
///
/// # Panics
/// When nobody does.
pub fn serves(socket: &Path) {
    let end = Instant::now() + PATIENCE;
    while UnixStream::connect(socket).is_err() {
        assert!(Instant::now() < end, "nobody serves {}", socket.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}
