//! `jhyde daemon status|stop`, beside a JVM that is being recorded, and questions to a daemon that ends.

use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, jdks};

const LISTENING: &str = "Listening for transport dt_socket at address: ";
const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";

/// Code, standard output and standard error of a client that starts no daemon.
fn told(folder: &Folder, words: &[&str]) -> (Option<i32>, String, String) {
    let output = folder.jhyde(words).output().expect("jhyde can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_daemon_is_asked_to_end_and_the_program_runs_on() {
    for jdk in &jdks() {
        let folder = Folder::new();
        let (code, said, _) = told(&folder, &["daemon", "status"]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("no daemon serves"), "{said}");
        let (code, ..) = told(&folder, &["daemon", "stop"]);
        assert_eq!(code, Some(0));
        assert!(
            !folder.data().join("jhyded.sock").exists(),
            "one was started"
        );

        let mut jvm = Command::new(jdk.java())
            .arg(AGENT)
            .arg("-cp")
            .arg(jdk.classes("slices"))
            .args(["Gauges", "wait"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java can be started");
        let mut lines = BufReader::new(jvm.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().map(|line| line.expect("UTF-8"));
        let listening = line().expect("it listens");
        let port = listening.trim_start_matches(LISTENING).trim();
        let address = format!("127.0.0.1:{port}");
        folder.ask(&["attach", &address, "--name", "run", "--include", "Gauges*"]);
        assert_eq!(line().as_deref(), Some("122"));

        let status = folder.json(&["daemon", "status"]);
        let status = &status[0];
        assert_eq!(status["running"], true, "{status}");
        assert_eq!(status["recordings"][0], "run", "{status}");
        assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
        let lock = std::fs::read_to_string(folder.data().join("lock")).expect("its lock");
        let pid = status["pid"].as_u64().expect("a number").to_string();
        assert_eq!(lock.split_whitespace().next(), Some(pid.as_str()));
        let socket = status["sockets"][0].as_str().expect("a socket");
        assert!(socket.starts_with("unix:/"), "{status}");
        let people = folder.ask(&["daemon", "status"]);
        assert!(people.contains(&pid) && people.contains("run"), "{people}");

        // Who watches sees the end of the recording, not only that of the daemon.
        let mut watching = folder
            .jhyde(&["watch", "run"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("jhyde can be started");
        let news = watching.stdout.take().expect("its output");
        let mut news = BufReader::new(news).lines();
        // Only then does it watch: one that comes after the daemon's end starts the next.
        news.next().expect("the first news").expect("UTF-8");
        let stopped = folder.ask(&["daemon", "stop"]);
        assert!(
            stopped.contains(&pid) && stopped.contains("run"),
            "{stopped}"
        );
        let (code, said, _) = told(&folder, &["daemon", "status"]);
        assert_eq!(code, Some(1), "{said}");
        let news: Vec<_> = news.map(|line| line.expect("UTF-8")).collect();
        assert!(
            news.iter().any(|line| line.contains("detached")),
            "{news:?}"
        );
        assert!(watching.wait().expect("it ends").success());

        let mut input = jvm.stdin.take().expect("its input");
        writeln!(input).expect("it is read");
        drop(input);
        // The agent listens anew when its debugger has gone, and says so.
        let said: Vec<_> = std::iter::from_fn(line).collect();
        let said = said.iter().filter(|line| !line.starts_with(LISTENING));
        assert_eq!(said.collect::<Vec<_>>(), ["122"]);
        let until = Instant::now() + Duration::from_secs(20);
        let ended = loop {
            match jvm.try_wait().expect("a process") {
                Some(ended) => break ended,
                None => assert!(Instant::now() < until, "the program does not end"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(ended.success(), "{ended}");

        // The next daemon finds it whole.
        let shown = folder.json(&["show", "run"]);
        assert_eq!(shown[0]["state"], "detached", "{shown:?}");
        let tree = folder.ask(&["tree", "run"]);
        assert!(tree.contains("Gauges"), "{tree}");
        let check = folder.jhyded(&["check", "run"]).output();
        let check = check.expect("jhyded can be started");
        assert!(check.status.success(), "{check:?}");
    }
}

#[test]
fn the_daemon_of_one_program_is_not_ended_but_with_it() {
    let folder = Folder::new();
    let mut waits = jhyde_integration::waits::Waits::begin(&folder, &jdks()[0]);
    let (code, _, complained) = told(&folder, &["daemon", "stop"]);
    assert_eq!(code, Some(4), "{complained}");
    assert!(complained.contains("jhyde detach"), "{complained}");
    let (code, said, _) = told(&folder, &["daemon", "status"]);
    assert_eq!(code, Some(0), "{said}");
    waits.go_on();
    waits.end();
}

/// HTTP/2's frame that a request begins with (RFC 9113, section 6.2).
const HEADERS: u8 = 1;

/// Reads until a request has begun. An error: the client went away before it asked anything.
fn asked(stream: &mut UnixStream) -> std::io::Result<()> {
    // What the client's half of a connection begins with (section 3.4).
    stream.read_exact(&mut [0; 24])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let [high, middle, low, kind, ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        std::io::copy(&mut stream.take(length.into()), &mut std::io::sink())?;
        if kind == HEADERS {
            return Ok(());
        }
    }
}

/// A daemon that ends when it is asked something, and not before: a connection that is closed before a request is under
/// way is made anew without anybody's doing.
fn ends_when_asked(socket: &Path) -> JoinHandle<()> {
    let listener = UnixListener::bind(socket).expect("a socket");
    let socket = socket.to_owned();
    std::thread::spawn(move || {
        loop {
            let (mut stream, _) = listener.accept().expect("a connection");
            // The client looks first whether somebody listens, and says nothing then.
            if asked(&mut stream).is_ok() {
                std::fs::remove_file(&socket).expect("its socket");
                return;
            }
        }
    })
}

/// A data folder that such a one serves.
fn served_by_one_that_ends() -> (Folder, PathBuf, JoinHandle<()>) {
    let folder = Folder::new();
    let socket = folder.data().join("jhyded.sock");
    std::fs::create_dir_all(folder.data()).expect("a data folder");
    std::fs::set_permissions(folder.data(), Permissions::from_mode(0o700)).expect("our own");
    let ending = ends_when_asked(&socket);
    (folder, socket, ending)
}

#[test]
fn a_question_to_a_daemon_that_ends_is_asked_of_the_next() {
    let (folder, _, ending) = served_by_one_that_ends();
    let (code, said, wrong) = told(&folder, &["list", "--json"]);
    assert_eq!(code, Some(0), "{wrong}");
    assert_eq!(said, "", "nothing is recorded");
    ending.join().expect("it was asked");

    // What changes something is not done twice.
    let (folder, _, ending) = served_by_one_that_ends();
    let (code, _, wrong) = told(&folder, &["delete", "nothing"]);
    ending.join().expect("it was asked");
    assert_eq!(code, Some(1), "{wrong}");
    assert!(wrong.contains("connection broke off"), "{wrong}");

    // Nor is anybody else asked than who was named.
    let (folder, socket, ending) = served_by_one_that_ends();
    let named = format!("unix:{}", socket.display());
    let (code, _, wrong) = told(&folder, &["--daemon", &named, "list"]);
    ending.join().expect("it was asked");
    assert_eq!(code, Some(1), "{wrong}");
    assert!(wrong.contains("connection broke off"), "{wrong}");
}
