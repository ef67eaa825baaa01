//! The ways to a JVM and away from it: attach, listen, several at once; detach, Ctrl-C, the JVM's sudden end, a
//! connection that is cut. Whatever happens the program goes on as if nobody watched, and what was recorded
//! can be read and says how it ended.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use jhyde_integration::ticker::{
    PATIENCE, Ticker, assert_readable, attach, ended, has_calls, recording, until,
};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

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

fn finish(mut child: Child) -> Option<i32> {
    child.wait().expect("jhyded ends").code()
}

/// Without a word about it `probe` records, and where it cannot, `events`: the recording says which, and why.
#[test]
fn the_engine_is_chosen_by_the_jvm_and_what_is_asked() {
    let merge_sort = |folder: &Folder, jdk: &Jdk, name: &str, options: &[&str]| {
        let path = jdk.classes("mergesort").display().to_string();
        let java = ["-cp".to_owned(), path, "MergeSort".to_owned()];
        let options = [&["--engine", "auto"], options].concat();
        let run = folder.launch(jdk, name, &options, &java);
        assert!(run.status.success(), "{}", run.stderr);
        let shown = folder.json(&["show", name]).remove(0);
        let notes = shown["notes"].as_array().cloned().unwrap_or_default();
        let about = notes.iter().filter_map(|note| note.as_str());
        let why: Vec<_> = about.filter(|note| note.starts_with("engine: ")).collect();
        assert_eq!(why.len(), 1, "{shown}");
        (
            shown["engine"].as_str().unwrap_or_default().to_owned(),
            why[0].to_owned(),
        )
    };
    for jdk in jdks() {
        let folder = Folder::new();
        let (engine, why) = merge_sort(&folder, &jdk, "plain", &[]);
        assert_eq!(engine, "probe", "{why}");
        assert!(why.contains("auto took 'probe'"), "{why}");
        let (engine, why) = merge_sort(&folder, &jdk, "calls", &["--level", "calls"]);
        assert!(engine == "events" && why.contains("snapshots"), "{why}");
        let less = ["--level", "calls", "--snapshot-depth", "0"];
        let (engine, why) = merge_sort(&folder, &jdk, "calls-alone", &less);
        assert_eq!(engine, "probe", "{why}");
        let wide = ["--include", "MergeSort", "--include", "java.text.*"];
        let (engine, why) = merge_sort(&folder, &jdk, "wide", &wide);
        assert!(engine == "events" && why.contains("JDK"), "{why}");
    }
}

/// A class that another agent changes as it is loaded has code that no file has: the JVM gives it. The agent itself is none of the scope; where it
/// is, `events` records both, from the beginning: the JVM runs it in the middle of instructions.
#[test]
fn what_only_the_jvm_has_is_recorded_as_the_jvm_has_it() {
    for jdk in jdks() {
        let folder = Folder::new();
        let odd = jdk.classes("odd").display().to_string();
        let agent = format!("-javaagent:{odd}/agent.jar=alter");
        let java = [&agent, "-cp", &odd, "odd.Twins"].map(str::to_owned);
        let options = ["--engine", "auto", "--include", "odd.Twin*"];
        let run = folder.launch(&jdk, "altered", &options, &java);
        assert_eq!(run.status.code(), Some(0), "{}", run.stderr);
        let shown = folder.json(&["show", "altered"]).remove(0);
        assert_eq!(
            (&shown["engine"], &shown["state"], &shown["gaps"]),
            (&json!("probe"), &json!("complete"), &json!([])),
            "{shown}"
        );
        let calls = folder.json(&["tree", "altered", "--all"]);
        let of = |method: &str| calls.iter().filter(|call| call["method"] == method).count();
        // Three rounds where the file has two.
        assert_eq!((of("main"), of("run")), (1, 6), "{calls:?}");
    }
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
            // Its daemon ends with it: who asks meanwhile may be cut off.
            assert_eq!(finish(attached), Some(0));
            let state = until(&folder, name, "ended", ended);
            assert_eq!(state["state"], "detached", "{state}");
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

/// Between the calls that it makes, `main` itself adds to a list and writes a field. It runs already, so that `probe` does not see that.
#[test]
fn what_main_does_between_its_calls_is_not_told_wrong() {
    for (jdk, engine) in both() {
        let folder = Folder::new();
        let (mut accrues, address) = Ticker::listening_class(&jdk, "fx.Accrues");
        accrues.ticks(25);
        let attached = attach(&folder, &address, "run", engine);
        let has_many = |one: &Value| one["calls"].as_u64() > Some(2_000);
        until(&folder, "run", "recorded", has_many);
        folder.ask(&["detach", "run"]);
        assert_eq!(finish(attached), Some(0));
        accrues.end();
        let calls = folder.json(&["tree", "run", "--all"]);
        let is_step = |call: &&Value| call["method"] == "step" && !call["exit"].is_null();
        let steps: Vec<&Value> = calls.iter().filter(is_step).collect();
        // A run of them, among which the list is emptied.
        let (mut asked, mut known) = (0, 0);
        for call in steps.iter().skip(steps.len() / 2).take(24) {
            let Some(number) = call["arguments"][0]["value"].as_i64() else {
                continue;
            };
            let id = call["id"].as_str().expect("an id");
            let state = folder.json(&["state", "run", id]).remove(0);
            let rows = state["rows"].as_array().expect("rows");
            let of = |name: &str| rows.iter().find(|row| row["variable"] == name);
            let list = of("fx.Accrues.SEEN").expect("it is read");
            let count = of("fx.Accrues.count").expect("it is read");
            asked += 1;
            for when in ["start", "end"] {
                if let Some(length) = list[when]["held"]["length"].as_i64() {
                    assert_eq!(
                        length,
                        (number - 1) % 10,
                        "{engine}: {when} of {list} in {call}"
                    );
                    known += i64::from(when == "end");
                }
                if let Some(count) = count[when].as_i64() {
                    assert_eq!(count, number, "{engine}: {when} in {call}");
                }
            }
            assert_eq!(count["end"], number, "{engine}: it was read in {call}");
        }
        // By `events` the list may be found changed behind the call, which reaches back.
        assert!(
            asked >= 10 && 4 * known >= 3 * asked,
            "{engine}: {known} of {asked}"
        );
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
