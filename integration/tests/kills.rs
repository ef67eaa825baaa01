//! The daemon dies at random moments (SIGKILL) while it records a real JVM, in each of its two forms:
//! as `jhyded launch`, and as the `jhyded serve` through which another `jhyded launch` records. Every time the
//! program runs on to its end with its own output and exit code; what was recorded opens without repair, says
//! that it is cut, and is the beginning of what an unbroken run records; no more is lost than the store says (by the engine
//! `probe` what was not derived yet is lost as well).
//!
//! `JHYDE_KILLS` is the number of kills, 12 unless set; `JHYDE_KILLS_SEED` repeats a run. The long run:
//! `JHYDE_KILLS=500 cargo test -p jhyde-integration --test kills -- --nocapture`.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use jhyde_integration::same::{Names, main_thread, stable, thread_of};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// What a kill loses at most: five blocks of 4096 events (the README of the store).
const LOST_EVENTS: usize = 5 * 4096;
/// The store writes what it has been given after 200 ms; the rest is for a machine that does other things, too.
const LOST_TIME: Duration = Duration::from_millis(200 + 2000);
/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// What is recorded, by which engine, with the number of rounds that take some seconds, or by the probe a part of one.
const WAYS: [(&str, &str, u32); 4] = [
    ("calls", "events", 60),
    ("state", "events", 12),
    ("full", "events", 12),
    ("full", "probe", 400),
];

/// An unbroken run.
struct Reference {
    /// The main thread's events, without what may differ from run to run.
    events: Vec<Value>,
    /// The main thread's calls in preorder.
    calls: Vec<Value>,
    /// After how many events the main thread wrote each line.
    lines: Vec<usize>,
    output: Vec<String>,
    /// From the first line to the last.
    duration: Duration,
}

/// A run whose daemon was killed.
struct Broken {
    name: String,
    way: usize,
    /// When each line came.
    lines: Vec<Instant>,
    killed: Instant,
}

#[test]
fn a_killed_daemon_loses_no_more_than_it_says() {
    let kills = number("JHYDE_KILLS").unwrap_or(12);
    let seed = number("JHYDE_KILLS_SEED").unwrap_or_else(|| u64::from(std::process::id()) | 1);
    eprintln!("JHYDE_KILLS={kills} JHYDE_KILLS_SEED={seed}");
    let mut random = Random(seed);
    for jdk in jdks() {
        let folder = Folder::new();
        let references: Vec<Reference> = WAYS
            .iter()
            .map(|way| reference(&folder, &jdk, way))
            .collect();
        // Whoever answers next is not the one who recorded.
        end_daemon(&folder);
        let share = kills.div_ceil(jdks().len() as u64);
        let broken: Vec<Broken> = (0..share)
            .map(|at| {
                let way = (at % WAYS.len() as u64) as usize;
                // The first is killed at once: whoever launched through it was not told yet that the program has begun.
                let served = at == 0 || random.below(2) == 1;
                break_one(
                    &folder,
                    &jdk,
                    at,
                    way,
                    &references[way],
                    served,
                    &mut random,
                )
            })
            .collect();
        let mut worst = (0, Duration::ZERO, Duration::ZERO);
        for run in &broken {
            let (events, time, opened) = examine(&folder, run, &references[run.way]);
            worst = (worst.0.max(events), worst.1.max(time), worst.2.max(opened));
        }
        eprintln!(
            "JDK {}: {} kills, all readable and equal up to the cut; at most {} events and {:?} lost; \
             slowest first answer {:?}",
            jdk.major,
            broken.len(),
            worst.0,
            worst.1,
            worst.2
        );
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
    )
}

/// Numbers that nobody can foresee and anybody can repeat: xorshift64 (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

fn launch(
    folder: &Folder,
    jdk: &Jdk,
    name: &str,
    (level, engine, rounds): &(&str, &str, u32),
) -> Child {
    let classes = jdk.classes("fixtures");
    folder
        .jhyded(&[
            "launch",
            "--name",
            name,
            "--level",
            level,
            "--engine",
            engine,
            "--include",
            "fx.*",
        ])
        .arg("--")
        .arg(jdk.java())
        .arg("-cp")
        .arg(classes)
        .args(["fx.Steady", &rounds.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyded can be started")
}

/// Lines of a program's output as they come, each with its time.
fn lines(child: &mut Child) -> Receiver<(Instant, String)> {
    let (sender, receiver) = channel();
    let output = child.stdout.take().expect("an output");
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let line = line.expect("the program writes text");
            if sender.send((Instant::now(), line)).is_err() {
                return;
            }
        }
    });
    receiver
}

fn drained(stderr: Option<ChildStderr>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_string(&mut text);
        }
        text
    })
}

fn reference(folder: &Folder, jdk: &Jdk, way: &(&str, &str, u32)) -> Reference {
    let name = format!("whole-{}-{}", way.0, way.1);
    let mut child = launch(folder, jdk, &name, way);
    let receiver = lines(&mut child);
    let stderr = drained(child.stderr.take());
    let came: Vec<(Instant, String)> = receiver.iter().collect();
    let status = child.wait().expect("it ends");
    let stderr = stderr.join().unwrap_or_default();
    assert_eq!(status.code(), Some(7), "{stderr}");
    let (first, last) = (
        came.first().expect("lines").0,
        came.last().expect("lines").0,
    );
    let (events, lines) = events(folder, &name);
    let output: Vec<String> = came.into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines.len(), output.len(), "a turn for each line");
    Reference {
        events,
        calls: calls(folder, &name),
        lines,
        output,
        duration: last - first,
    }
}

/// Records, kills the daemon in the middle, and sees the program to its end.
fn break_one(
    folder: &Folder,
    jdk: &Jdk,
    at: u64,
    way: usize,
    whole: &Reference,
    served: bool,
    random: &mut Random,
) -> Broken {
    let name = format!("cut-{at}");
    let mut daemon = served.then(|| serve(folder));
    let mut launched = launch(folder, jdk, &name, &WAYS[way]);
    let receiver = lines(&mut launched);
    let stderr = drained(launched.stderr.take());
    let first = receiver.recv_timeout(PATIENCE).expect("the program begins");
    let mut came = vec![first];
    let micros = match at {
        0 => 0,
        _ => u64::try_from(whole.duration.as_micros()).unwrap_or(u64::MAX),
    };
    let until = Instant::now() + Duration::from_micros(random.below(micros));
    loop {
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => came.push(line),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let victim = daemon.as_mut().unwrap_or(&mut launched);
    victim.kill().expect("it can be killed");
    let killed = Instant::now();
    victim.wait().expect("it is dead");
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(line) => came.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("{name}: the program hangs after the kill"),
        }
    }
    if served {
        let status = launched.wait().expect("it ends");
        let stderr = stderr.join().unwrap_or_default();
        assert_eq!(status.code(), Some(7), "{name}: {stderr}");
    }
    let output: Vec<&String> = came.iter().map(|(_, line)| line).collect();
    assert!(
        output.iter().eq(&whole.output.iter().collect::<Vec<_>>()),
        "{name}: {output:?}"
    );
    Broken {
        name,
        way,
        lines: came.iter().map(|(time, _)| *time).collect(),
        killed,
    }
}

/// A daemon that serves the folder.
fn serve(folder: &Folder) -> Child {
    let mut child = folder
        .jhyded(&["serve", "--log", "jhyde_server=info"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyded can be started");
    let mut log = BufReader::new(child.stderr.take().expect("a log")).lines();
    let serves = log.any(|line| line.is_ok_and(|line| line.contains("serving")));
    assert!(serves, "the daemon does not serve");
    thread::spawn(move || log.for_each(drop));
    child
}

/// Ends the daemon that `jhyde` started.
fn end_daemon(folder: &Folder) {
    let lock = std::fs::read_to_string(folder.data().join("lock")).unwrap_or_default();
    let id = lock.split_whitespace().next().expect("a daemon").to_owned();
    assert!(
        Command::new("kill")
            .arg(&id)
            .status()
            .is_ok_and(|it| it.success())
    );
    let until = Instant::now() + PATIENCE;
    while folder.data().join("jhyded.sock").exists() {
        assert!(Instant::now() < until, "daemon {id} does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Compares what is there with the unbroken run. Says how many events were lost at most, from how long before
/// the kill, and how long the first answer took.
fn examine(folder: &Folder, run: &Broken, whole: &Reference) -> (usize, Duration, Duration) {
    let name = run.name.as_str();
    let asked = Instant::now();
    let shown = folder.json(&["show", name]);
    let opened = asked.elapsed();
    let state = shown[0]["state"].as_str().unwrap_or_default();
    let (events, _) = events(folder, name);
    let is_whole = events.len() == whole.events.len();
    assert!(
        state == "cut" || (is_whole && state == "complete"),
        "{name}: {state}"
    );
    for (at, (is, was)) in events.iter().zip(&whole.events).enumerate() {
        assert!(
            fits(is, was),
            "{name}: event {at} of the main thread is {is}, was {was}"
        );
    }
    assert!(
        events.len() <= whole.events.len(),
        "{name}: more than there was"
    );

    let calls = calls(folder, name);
    assert!(
        calls.len() <= whole.calls.len(),
        "{name}: more calls than there were"
    );
    for (is, was) in calls.iter().zip(&whole.calls) {
        let open = is["exited"] == json!(false);
        for (key, value) in is.as_object().expect("an object") {
            // What an open call will be is not known yet.
            let later = ["exited", "result", "exception", "descendants"].contains(&key.as_str());
            assert!(
                (open && later) || fits(value, &was[key]),
                "{name}: {key} of {is}, was {was}"
            );
        }
    }

    let checked = folder.jhyded_ok(&["check", name, "--json"]);
    let checked: Value = serde_json::from_str(&checked).expect("JSON");
    assert_eq!(checked["damage"], json!([]), "{name}");

    let seen = run.lines.iter().filter(|time| **time <= run.killed).count();
    let happened = seen.checked_sub(1).map_or(0, |last| whole.lines[last]);
    let lost = happened.saturating_sub(events.len());
    if WAYS[run.way].1 == "probe" {
        // What was told and not derived by then is lost, however much that is.
        return (0, Duration::ZERO, opened);
    }
    assert!(lost <= LOST_EVENTS, "{name}: {lost} events lost");
    let first_lost = whole.lines.iter().position(|count| *count > events.len());
    let time = first_lost
        .and_then(|line| run.killed.checked_duration_since(*run.lines.get(line)?))
        .unwrap_or_default();
    assert!(time <= LOST_TIME, "{name}: {time:?} lost");
    (lost, time, opened)
}

trait Asked {
    /// What `jhyded WORDS` printed.
    fn jhyded_ok(&self, words: &[&str]) -> String;
}

impl Asked for Folder {
    fn jhyded_ok(&self, words: &[&str]) -> String {
        let output = self.jhyded(words).output().expect("jhyded can be started");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success(),
            "jhyded {words:?}: {}\n{told}",
            output.status
        );
        String::from_utf8(output.stdout).expect("text")
    }
}

/// The main thread's events in a form that is equal where the runs are, and after how many of them each line
/// was written.
fn events(folder: &Folder, name: &str) -> (Vec<Value>, Vec<usize>) {
    let mut all = folder.json(&["events", name, "--all"]);
    // Behind the events stands that the recording was cut.
    all.retain(|row| row.get("notes").is_none());
    let mut last = None;
    for event in &all {
        let now = event["timestamp"].as_u64();
        assert!(now > last, "{name}: event {now:?} follows {last:?}");
        last = now;
    }
    let Some(main) = main_thread(&all) else {
        // Killed before the first events were due on the disk.
        return (Vec::new(), vec![0]);
    };
    let mut names = Names::default();
    let (mut own, mut lines) = (Vec::new(), Vec::new());
    for event in all {
        if !event["call"]
            .as_str()
            .is_some_and(|call| call.starts_with(&main))
        {
            continue;
        }
        own.push(names.same(&stable(&event, &main)));
        // Every turn ends in a line; no level but the higher two sees the printing itself.
        if event["exited"]["method"] == json!("turn") {
            lines.push(own.len());
        }
    }
    // The sum, at the end of everything.
    lines.push(own.len());
    (own, lines)
}

fn calls(folder: &Folder, name: &str) -> Vec<Value> {
    let all = folder.json(&["tree", name, "--all"]);
    let main = all.iter().find(|call| call["method"] == json!("main"));
    let Some(main) = main.and_then(thread_of) else {
        return Vec::new();
    };
    let mut names = Names::default();
    let own = all
        .iter()
        .filter(|call| call["id"].as_str().is_some_and(|id| id.starts_with(&main)));
    own.map(|call| {
        let mut same = names.same(&stable(call, &main));
        same["exited"] = json!(!call["exit"].is_null());
        same
    })
    .collect()
}

/// Is a part of the cut recording that of the whole one? A throwable's message is learnt when it is thrown, and
/// then shown wherever the object is: behind the cut, it may be missing.
fn fits(is: &Value, was: &Value) -> bool {
    match (is, was) {
        (Value::Object(is), Value::Object(was)) => {
            let throwable = |class: &str| class.ends_with("Exception");
            let may_lack = was
                .get("class")
                .and_then(Value::as_str)
                .is_some_and(throwable);
            let same_keys = was
                .keys()
                .all(|key| is.contains_key(key) || (may_lack && key == "content"));
            same_keys
                && is
                    .iter()
                    .all(|(key, value)| was.get(key).is_some_and(|other| fits(value, other)))
        }
        (Value::Array(is), Value::Array(was)) => {
            is.len() == was.len() && is.iter().zip(was).all(|(is, was)| fits(is, was))
        }
        _ => is == was,
    }
}
