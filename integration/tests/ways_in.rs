//! The ways to a JVM and away from it: attach, listen, several at once; detach, Ctrl-C, the JVM's sudden end, a
//! connection that is cut. Whatever happens the program goes on as if nobody watched, and what was recorded
//! can be read and says how it ended.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Longest wait for anything here.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a JVM says when it waits for a debugger.
const LISTENING: &str = "Listening for transport dt_socket at address: ";

/// `fx.Ticker`: counts, a line each, until its input ends.
struct Ticker {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

impl Ticker {
    fn start(jdk: &Jdk, agent: &str) -> Self {
        let mut child = Command::new(jdk.java())
            .arg(format!("-agentlib:jdwp=transport=dt_socket,{agent}"))
            .arg("-cp")
            .arg(jdk.classes("fixtures"))
            .args(["fx.Ticker", "1"])
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
    fn listening(jdk: &Jdk) -> (Self, String) {
        let mut ticker = Self::start(jdk, "server=y,suspend=n,address=127.0.0.1:0");
        let address = ticker.listens_again();
        (ticker, address)
    }

    /// Goes on for so many ticks, none lost or told twice.
    fn ticks(&mut self, count: u64) {
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
    fn listens_again(&mut self) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("it goes on");
            if let Some(port) = line.strip_prefix(LISTENING) {
                return format!("127.0.0.1:{}", port.trim());
            }
            self.take(&line);
        }
    }

    /// Ends its input, and sees it end as it does unwatched.
    fn end(mut self) {
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

fn recording(folder: &Folder, name: &str) -> Option<Value> {
    let mut all = folder.json(&["list"]).into_iter();
    all.find(|one| one["name"] == name)
}

/// Waits until the recording is as it should be.
fn until(folder: &Folder, name: &str, what: &str, right: impl Fn(&Value) -> bool) -> Value {
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

fn has_calls(recording: &Value) -> bool {
    recording["calls"].as_u64() > Some(100)
}

fn ended(recording: &Value) -> bool {
    !matches!(
        recording["state"].as_str(),
        None | Some("running" | "waiting")
    )
}

/// Its calls are there, and those of `tick` that ended say what they did.
fn assert_readable(folder: &Folder, name: &str) {
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

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.expect("kill can be started").success());
}

/// Each JDK with each engine.
fn both() -> impl Iterator<Item = (Jdk, &'static str)> {
    let engines = |jdk: Jdk| ["events", "probe"].map(|engine| (jdk.clone(), engine));
    jdks().into_iter().flat_map(engines)
}

fn attach(folder: &Folder, address: &str, name: &str, engine: &str) -> Child {
    folder
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
        .expect("jhyded can be started")
}

fn finish(mut child: Child) -> Option<i32> {
    child.wait().expect("jhyded ends").code()
}

#[test]
fn attach_and_detach_leave_the_program_running() {
    for (jdk, engine) in both() {
        let folder = Folder::new();
        let (mut ticker, mut address) = Ticker::listening(&jdk);
        ticker.ticks(3);
        // Each time something else is on the way when the session ends.
        for name in ["first", "again", "and again"] {
            let attached = attach(&folder, &address, name, engine);
            until(&folder, name, "recorded", has_calls);
            folder.ask(&["detach", name]);
            let state = until(&folder, name, "ended", ended);
            assert_eq!(state["state"], "detached", "{state}");
            assert_eq!(finish(attached), Some(0));
            assert_readable(&folder, name);
            address = ticker.listens_again();
            ticker.ticks(20);
        }
        // Ctrl-C of `jhyded attach`, on the same JVM.
        let attached = attach(&folder, &address, "second", engine);
        until(&folder, "second", "recorded", has_calls);
        signal(&attached, "INT");
        finish(attached);
        let state = until(&folder, "second", "ended", ended);
        assert!(
            matches!(state["state"].as_str(), Some("detached" | "stopped")),
            "{state}"
        );
        assert_readable(&folder, "second");
        ticker.ticks(20);
        ticker.end();
    }
}

#[test]
fn a_daemon_that_is_killed() {
    for (jdk, engine) in both() {
        let folder = Folder::new();
        let (mut ticker, mut address) = Ticker::listening(&jdk);
        for name in ["first", "again", "and again"] {
            let mut attached = attach(&folder, &address, name, engine);
            let guards = guards(attached.id());
            until(&folder, name, "recorded", has_calls);
            attached.kill().expect("it can be killed");
            attached.wait().expect("it is dead");
            address = ticker.listens_again();
            ticker.ticks(20);
            gone(&guards);
        }
        // A guard that is not needed any more goes, too.
        let attached = attach(&folder, &address, "last", engine);
        let guards = guards(attached.id());
        until(&folder, "last", "recorded", has_calls);
        folder.ask(&["detach", "last"]);
        assert_eq!(finish(attached), Some(0));
        gone(&guards);
        ticker.end();
    }
}

/// The process that leaves the JVM of this daemon if it dies. Asked for before anything else is: a question would
/// start another daemon that records.
fn guards(daemon: u32) -> Vec<String> {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = Command::new("pgrep")
            .args(["-P", &daemon.to_string(), "-f", "guard"])
            .output()
            .expect("pgrep can be started");
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        let found: Vec<String> = found.split_whitespace().map(str::to_owned).collect();
        if found.len() == 1 {
            return found;
        }
        assert!(Instant::now() < end, "{found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn gone(processes: &[String]) {
    let end = Instant::now() + PATIENCE;
    for process in processes {
        // One whose parent was killed may stay as a zombie where nobody takes in orphans.
        let runs = || {
            let command = std::fs::read(format!("/proc/{process}/cmdline"));
            command.is_ok_and(|command| !command.is_empty())
        };
        while runs() {
            assert!(Instant::now() < end, "guard {process} stays");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_jvm_that_connects_by_itself() {
    for jdk in jdks() {
        let folder = Folder::new();
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a free port")
            .port();
        let listening = folder
            .jhyded(&[
                "listen",
                &port.to_string(),
                "--name",
                "l",
                "--include",
                "fx.*",
                "--level",
                "calls",
            ])
            .spawn()
            .expect("jhyded can be started");
        until(&folder, "l", "waiting", |now| now["state"] == "waiting");
        let mut ticker = Ticker::start(
            &jdk,
            &format!("server=n,suspend=y,address=127.0.0.1:{port}"),
        );
        ticker.ticks(10);
        ticker.end();
        assert_eq!(finish(listening), Some(0));
        assert_eq!(
            recording(&folder, "l").expect("it is kept")["state"],
            "complete"
        );
        assert_readable(&folder, "l");
    }
}

#[test]
fn a_jvm_that_is_killed() {
    for (jdk, engine) in both() {
        let folder = Folder::new();
        let (mut ticker, address) = Ticker::listening(&jdk);
        let attached = attach(&folder, &address, "k", engine);
        until(&folder, "k", "recorded", has_calls);
        ticker.child.kill().expect("it can be killed");
        ticker.child.wait().expect("it ends");
        finish(attached);
        let state = until(&folder, "k", "ended", ended);
        assert_eq!(state["state"], "connection-lost", "{state}");
        assert_ne!(state["state_reason"], "", "{state}");
        assert_readable(&folder, "k");
    }
}

/// Carries bytes both ways between whoever connects and `to`, until told to cut both connections.
fn proxy(to: String) -> (String, std::sync::mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    let (cut, wait) = channel::<()>();
    std::thread::spawn(move || {
        let near = listener.accept().expect("somebody connects").0;
        let far = TcpStream::connect(to).expect("the JVM listens");
        for (mut from, mut to) in [(&near, &far), (&far, &near)].map(|(a, b)| {
            (
                a.try_clone().expect("a socket"),
                b.try_clone().expect("a socket"),
            )
        }) {
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = from.read(&mut buffer) {
                    if to.write_all(&buffer[..count]).is_err() {
                        break;
                    }
                }
            });
        }
        let _ = wait.recv();
        let _ = near.shutdown(Shutdown::Both);
        let _ = far.shutdown(Shutdown::Both);
    });
    (address, cut)
}

#[test]
fn a_connection_that_is_cut() {
    for (jdk, engine) in both() {
        let folder = Folder::new();
        let (mut ticker, address) = Ticker::listening(&jdk);
        let (between, cut) = proxy(address);
        let attached = attach(&folder, &between, "cut", engine);
        until(&folder, "cut", "recorded", has_calls);
        cut.send(()).expect("the proxy waits for it");
        finish(attached);
        let state = until(&folder, "cut", "ended", ended);
        assert_eq!(state["state"], "connection-lost", "{state}");
        assert_readable(&folder, "cut");
        ticker.ticks(30);
        ticker.end();
    }
}

#[test]
fn several_at_once() {
    let folder = Folder::new();
    let jdks = jdks();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (folder, jdk) = (&folder, &jdks[n % jdks.len()]);
            scope.spawn(move || {
                let path = jdk.classes("mergesort").display().to_string();
                let arguments = ["-cp".to_owned(), path, "MergeSort".to_owned()];
                let options = ["--level", "full", "--include", "MergeSort"];
                let run = folder.launch(jdk, &format!("m{n}"), &options, &arguments);
                assert!(run.status.success(), "{}", run.stderr);
                assert_eq!(run.stdout, b"[1, 4, 9, 7]\n");
            });
        }
    });
    for n in 0..4 {
        let name = format!("m{n}");
        assert_eq!(
            recording(&folder, &name).expect("it is kept")["state"],
            "complete"
        );
        let calls = folder.json(&["tree", &name, "--all"]);
        let inside = calls.iter().filter(|call| call["boundary"] == false);
        assert_eq!(inside.count(), 7, "{name}");
    }
}
