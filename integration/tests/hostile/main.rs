//! Somebody in a JVM's place who does what no JVM does, or does it too late: whoever waits can leave within five seconds,
//! what is odd is named, and nobody stays suspended.

mod peer;

use std::io::Read as _;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread::sleep;
use std::time::{Duration, Instant};

use jhyde_integration::Folder;
use peer::{
    ALL, NONE, Peer, RESUME, RESUME_ALL, THREAD, VERSION, come, listen, thread_start, vm_death,
    vm_start,
};

/// Whoever presses Ctrl-C waits no longer.
const SOON: Duration = Duration::from_secs(5);
/// Longest wait for anything else here.
const PATIENCE: Duration = Duration::from_secs(60);

/// `jhyded` at work.
struct Running(Child);

impl Running {
    fn start(folder: &Folder, words: &[&str]) -> Self {
        let mut command = folder.jhyded(words);
        Self(
            command
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("jhyded can be started"),
        )
    }

    fn interrupt(&self) {
        let sent = Command::new("kill")
            .args(["-INT", &self.0.id().to_string()])
            .status();
        assert!(sent.expect("kill can be started").success());
    }

    /// Its exit code and what it said. It ends in time.
    fn end(mut self, limit: Duration) -> (Option<i32>, String) {
        let begun = Instant::now();
        let code = loop {
            if let Some(status) = self.0.try_wait().expect("it can be waited for") {
                break status.code();
            }
            assert!(begun.elapsed() < limit, "it has not ended after {limit:?}");
            sleep(Duration::from_millis(10));
        };
        let mut said = String::new();
        let stderr = self.0.stderr.as_mut().expect("it is caught");
        stderr.read_to_string(&mut said).expect("text");
        assert!(!said.contains("panicked"), "{said}");
        (code, said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn silence(peer: Peer) {
    sleep(PATIENCE);
    drop(peer);
}

/// What a peer does until Ctrl-C.
type Script = fn(Peer, Sender<()>);

fn says_nothing(peer: Peer, tell: Sender<()>) {
    tell.send(()).expect("somebody waits");
    silence(peer);
}

fn answers_nothing(mut peer: Peer, tell: Sender<()>) {
    peer.greet();
    tell.send(()).expect("somebody waits");
    silence(peer);
}

fn answers_no_request(mut peer: Peer, tell: Sender<()>) {
    peer.greet();
    assert!(peer.answer_until(VERSION), "it is asked who it is");
    tell.send(()).expect("somebody waits");
    silence(peer);
}

fn falls_silent(mut peer: Peer, tell: Sender<()>) {
    peer.begin();
    tell.send(()).expect("somebody waits");
    silence(peer);
}

fn sends_half_a_packet(mut peer: Peer, tell: Sender<()>) {
    peer.begin();
    // A composite of a thousand bytes, and none of them.
    peer.say(&[0, 0, 3, 0xe8, 0, 0, 0, 1, 0, 64, 100]);
    tell.send(()).expect("somebody waits");
    silence(peer);
}

fn floods_and_does_not_read(mut peer: Peer, tell: Sender<()>) {
    peer.begin();
    tell.send(()).expect("somebody waits");
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        peer.tell(ALL, &[thread_start(1)]);
    }
}

fn answers_no_farewell(mut peer: Peer, tell: Sender<()>) {
    peer.begin();
    tell.send(()).expect("somebody waits");
    while peer.asked().is_some() {}
    silence(peer);
}

const HOLDS: [(&str, Script); 7] = [
    ("says nothing", says_nothing),
    ("answers nothing", answers_nothing),
    ("answers no request", answers_no_request),
    ("falls silent", falls_silent),
    ("sends half a packet", sends_half_a_packet),
    ("floods and does not read", floods_and_does_not_read),
    ("answers no farewell", answers_no_farewell),
];

#[test]
fn ctrl_c_ends_attach_whoever_is_there() {
    for (what, script) in HOLDS {
        let folder = Folder::new();
        let (address, reached) = listen(script);
        let attach = ["attach", &address, "--name", "odd", "--timeout", "60s"];
        let attached = Running::start(&folder, &attach);
        reached.recv_timeout(PATIENCE).expect("it comes so far");
        attached.interrupt();
        let (code, said) = attached.end(SOON);
        assert!(
            code.is_some_and(|code| code != 0),
            "{what}: {code:?} {said}"
        );
        assert!(said.contains("jhyded: "), "{what}: {said}");
    }
}

/// A program called `java` that is none: it says which port it was given, and goes on until it is killed.
fn false_java(folder: &Folder) -> (String, impl Fn() -> u16) {
    let bin = folder.data().with_file_name("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let (java, said) = (bin.join("java"), bin.join("said"));
    let script = format!(
        "#!/bin/sh\necho \"$@\" >'{0}.new'\nmv '{0}.new' '{0}'\nexec sleep 600 >/dev/null 2>&1\n",
        said.display()
    );
    std::fs::write(&java, script).expect("a script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&java, mode).expect("it can be run");
    let port = move || {
        let begun = Instant::now();
        loop {
            let said = std::fs::read_to_string(&said).unwrap_or_default();
            let address = said.split("address=127.0.0.1:").nth(1);
            if let Some(port) = address.and_then(|rest| rest.split([',', ' ']).next()) {
                return port.trim().parse().expect("a port");
            }
            assert!(begun.elapsed() < PATIENCE, "it was not started: {said}");
            sleep(Duration::from_millis(10));
        }
    };
    (java.display().to_string(), port)
}

#[test]
fn ctrl_c_ends_launch_whoever_is_there() {
    for (what, script) in HOLDS {
        let folder = Folder::new();
        let (java, port) = false_java(&folder);
        let launched = Running::start(&folder, &["launch", "--name", "odd", "--", &java, "Main"]);
        let reached = come(port(), script);
        reached.recv_timeout(PATIENCE).expect("it comes so far");
        launched.interrupt();
        let (code, said) = launched.end(SOON);
        assert_eq!(code, Some(130), "{what}: {said}");
        assert!(said.contains("jhyded: "), "{what}: {said}");
        // The program itself is left alone where it was recorded.
        if let Some(rest) = said.split("(process ").nth(1) {
            let process = rest.split(')').next().expect("a number");
            let ended = Command::new("kill").args(["-KILL", process]).status();
            assert!(ended.expect("kill can be started").success(), "{what}");
        }
    }
}

#[test]
fn whoever_dies_in_the_middle_is_told() {
    let folder = Folder::new();
    let (address, reached) = listen(|mut peer, tell| {
        peer.begin();
        peer.say(&[0, 0, 3, 0xe8, 0, 0, 0, 1, 0, 64]);
        tell.send(()).expect("somebody waits");
    });
    let attached = Running::start(&folder, &["attach", &address, "--name", "odd"]);
    reached.recv_timeout(PATIENCE).expect("it comes so far");
    let (code, said) = attached.end(SOON);
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("10 bytes into a packet"), "{said}");
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = Folder::new();
    let (address, _) = listen(|mut peer, _tell| {
        peer.begin();
        // A composite that ends within its first event.
        peer.say(&[0, 0, 0, 18, 0, 0, 0, 1, 0, 64, 100, 2, 0, 0, 0, 1, 40, 0]);
        silence(peer);
    });
    let attached = Running::start(&folder, &["attach", &address, "--name", "odd"]);
    let (code, said) = attached.end(PATIENCE);
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("broke the protocol"), "{said}");
}

/// Records until the peer's end; gives the recording's notes.
fn notes(script: impl FnOnce(&mut Peer) + Send + 'static) -> String {
    let folder = Folder::new();
    let (address, done) = listen(move |mut peer, tell| {
        peer.begin();
        script(&mut peer);
        peer.tell(NONE, &[vm_death()]);
        tell.send(()).expect("somebody waits");
    });
    let attached = Running::start(&folder, &["attach", &address, "--name", "odd"]);
    done.recv_timeout(PATIENCE).expect("its script ends");
    let (code, said) = attached.end(PATIENCE);
    assert_eq!(code, Some(0), "{said}");
    let list = folder.json(&["list"]);
    assert_eq!(list[0]["state"], "complete", "{list:?}");
    list[0]["notes"].to_string()
}

#[test]
fn events_of_unknown_kinds_are_named_and_their_threads_resumed() {
    let told = notes(|peer| {
        peer.tell(ALL, &[peer::event(77, 1)]);
        assert!(peer.answer_until(RESUME_ALL));
        peer.tell(THREAD, &[thread_start(1), peer::event(78, 1)]);
        assert!(peer.answer_until(RESUME));
    });
    assert!(
        told.contains("kind 77") && told.contains("kind 78"),
        "{told}"
    );
}

#[test]
fn suspend_policies_that_do_not_exist_are_named_and_everybody_resumed() {
    let told = notes(|peer| {
        peer.tell(9, &[thread_start(1)]);
        assert!(peer.answer_until(RESUME_ALL));
    });
    assert!(told.contains("suspend policy 9"), "{told}");
}

#[test]
fn events_of_several_threads_as_one_are_named_and_all_of_them_resumed() {
    let told = notes(|peer| {
        peer.tell(THREAD, &[thread_start(1), thread_start(2)]);
        let mut resumed = Vec::new();
        while resumed.len() < 2 {
            let asked = peer.asked().expect("it goes on");
            peer.answer(&asked);
            if asked.command == RESUME {
                resumed.push(asked.body.last().copied().expect("a thread"));
            }
        }
        assert_eq!(resumed, [1, 2]);
    });
    assert!(told.contains("several threads"), "{told}");
}

#[test]
fn a_jvm_that_says_late_that_it_has_started_starts() {
    // One that was attached to.
    notes(|peer| {
        peer.tell(ALL, &[vm_start()]);
        assert!(peer.answer_until(RESUME_ALL));
    });
    // One that came by itself, and is silent for longer than it is waited for.
    let folder = Folder::new();
    let (java, port) = false_java(&folder);
    let launched = Running::start(&folder, &["launch", "--name", "late", "--", &java, "Main"]);
    let stream = TcpStream::connect(("127.0.0.1", port())).expect("it waits for a JVM");
    let mut peer = Peer::over(stream, false);
    peer.begin();
    peer.tell(ALL, &[vm_start()]);
    assert!(peer.answer_until(RESUME_ALL));
    peer.tell(NONE, &[vm_death()]);
    drop(peer);
    let closed = || folder.json(&["list"])[0]["state"] == "complete";
    let begun = Instant::now();
    while !closed() {
        assert!(begun.elapsed() < PATIENCE, "it is not closed");
        sleep(Duration::from_millis(50));
    }
    drop(launched);
}

#[test]
fn a_jvm_that_loses_a_resume_is_resumed_again() {
    notes(|peer| {
        peer.suspended = 1;
        assert!(peer.answer_until(RESUME_ALL));
        peer.suspended = 0;
    });
}
