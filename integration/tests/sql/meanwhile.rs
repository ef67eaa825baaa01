//! What happens to a recording while somebody reads an answer about it: it ends, it is deleted, its files are damaged, its oldest part is cut off.
//! What was told is so, the rest is told or it is said why not, and nothing else is disturbed.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value as Json;

use crate::fails;

/// More events than wait anywhere for a client that takes none.
const COUNT: &str = "100000";

const EVENTS: &[&str] = &[
    "sql",
    "run",
    "--json",
    "-c",
    "SELECT timestamp, kind, call FROM events",
];
const VALUES: &[&str] = &["query", "run", "local-history", "main#0:i", "--json"];

/// A client that reads an answer, and has read its first lines.
struct Reader {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    said: ChildStderr,
    read: Vec<String>,
}

impl Reader {
    fn begin(folder: &Folder, words: &[&str]) -> Self {
        let mut child = folder
            .jhyde(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("jhyde can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
        let said = child.stderr.take().expect("an output for errors");
        let read = lines.by_ref().take(5).collect::<Result<_, _>>();
        Self {
            child,
            lines,
            said,
            read: read.expect("text"),
        }
    }

    /// All lines, whether it succeeded, and what was said beside them.
    fn end(mut self) -> (Vec<String>, bool, String) {
        let rest = self.lines.collect::<Result<Vec<_>, _>>();
        self.read.extend(rest.expect("text"));
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("text");
        let status = self.child.wait().expect("it ends");
        (self.read, status.success(), said)
    }
}

/// `Many COUNT` is recorded to its end.
fn recorded(jdk: &Jdk, name: &str, folder: &Folder, count: &str) {
    let run = folder.launch(jdk, name, &options(), &many(jdk, count));
    assert!(run.status.success(), "{}", run.stderr);
}

fn options() -> [&'static str; 6] {
    ["--engine", "probe", "--level", "full", "--include", "Many"]
}

fn many(jdk: &Jdk, count: &str) -> Vec<String> {
    let path = jdk.classes("queries").display().to_string();
    ["-cp", &path, "Many", "0", count, "0"]
        .map(str::to_owned)
        .to_vec()
}

fn lines(folder: &Folder, words: &[&str]) -> Vec<String> {
    folder.ask(words).lines().map(str::to_owned).collect()
}

#[test]
fn a_recording_that_is_read_is_not_deleted_and_all_of_it_is_told() {
    let (jdk, folder) = (&jdks()[0], Folder::new());
    recorded(jdk, "run", &folder, COUNT);
    recorded(jdk, "other", &folder, "10");
    let whole = [EVENTS, VALUES].map(|words| lines(&folder, words));
    let readers = [EVENTS, VALUES].map(|words| Reader::begin(&folder, words));
    fails(&folder, &["delete", "run"], "in use");
    // Others are answered.
    assert!(folder.json(&["query", "other", "threads"]).len() > 1);
    for (reader, whole) in readers.into_iter().zip(whole) {
        let (read, succeeded, said) = reader.end();
        assert!(succeeded, "{said}");
        same_rows(&read, &whole);
    }
    folder.ask(&["delete", "run"]);
    for words in [EVENTS, VALUES] {
        fails(&folder, words, "run");
    }
    assert!(folder.json(&["query", "other", "threads"]).len() > 1);
}

/// The last line tells how many there were, and at what cost.
fn same_rows(read: &[String], whole: &[String]) {
    let rows = |lines: &[String]| lines[..lines.len() - 1].to_vec();
    let same = rows(read) == rows(whole);
    assert!(same, "{} of {} lines", read.len(), whole.len());
}

/// A bit in each page of the second half of its files.
fn spoil(folder: &Folder) {
    let recordings = fs::read_dir(folder.data().join("recordings")).expect("the recordings");
    for recording in recordings.flatten() {
        let files = fs::read_dir(recording.path().join("db")).expect("the database");
        for path in files.flatten().map(|file| file.path()) {
            if path.extension().is_some_and(|end| end == "sst") {
                let mut bytes = fs::read(&path).expect("a file");
                let half = bytes.len() / 2;
                bytes
                    .iter_mut()
                    .skip(half)
                    .step_by(512)
                    .for_each(|byte| *byte ^= 0x10);
                fs::write(&path, bytes).expect("it is written");
            }
        }
    }
}

#[test]
fn a_recording_that_is_damaged_while_it_is_read_tells_nothing_false() {
    let (jdk, folder) = (&jdks()[0], Folder::new());
    recorded(jdk, "run", &folder, COUNT);
    let whole = [EVENTS, VALUES].map(|words| lines(&folder, words));
    // What it has read already it has.
    folder.end_daemon();
    let readers = [EVENTS, VALUES].map(|words| Reader::begin(&folder, words));
    spoil(&folder);
    let mut lost = 0;
    for (reader, whole) in readers.into_iter().zip(&whole) {
        let (read, succeeded, said) = reader.end();
        let mut rest = whole.iter();
        for line in &read {
            // The last line of JSON says how many there were.
            let is_end = line.contains("\"until\"");
            assert!(is_end || rest.any(|told| told == line), "{line}: {said}");
        }
        if read.len() < whole.len() {
            lost += 1;
            let is_said = said.contains("damage") || said.contains("cannot be read");
            let is_told = read.last().is_some_and(|end| end.contains("damage"));
            assert!(is_said || is_told, "{succeeded}: {said}");
        }
    }
    assert!(lost > 0, "nothing was damaged that was not read before");
}

/// What `jhyde show` tells of the recording; 0 before there is one.
fn shown(folder: &Folder, key: &str) -> u64 {
    let output = folder.jhyde(&["show", "run", "--json"]).output();
    let output = output.expect("jhyde can be started");
    let shown: Option<Json> = serde_json::from_slice(&output.stdout).ok();
    shown.and_then(|shown| shown[key].as_u64()).unwrap_or(0)
}

/// `Many COUNT` is recorded, and so much is there that it does not all wait for a client.
fn begun(jdk: &Jdk, folder: &Folder, more: &[&str], count: &str) -> Child {
    let launch = ["launch", "--name", "run"];
    let mut program = folder
        .jhyde(&[&launch, more, &options(), &["--"]].concat())
        .arg(jdk.java())
        .args(many(jdk, count))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("jhyde can be started");
    while shown(folder, "events") < 400_000 {
        let ended = program.try_wait().expect("its state");
        assert!(ended.is_none(), "it ran too fast to be asked meanwhile");
    }
    program
}

#[test]
fn a_recording_that_ends_while_it_is_read_is_told_up_to_where_it_was() {
    let (jdk, folder) = (&jdks()[0], Folder::new());
    let mut program = begun(jdk, &folder, &[], "600000");
    let reader = Reader::begin(&folder, EVENTS);
    assert!(program.wait().expect("it ends").success());
    let (read, succeeded, said) = reader.end();
    assert!(succeeded, "{said}");
    let end: Json = serde_json::from_str(&read[read.len() - 1]).expect("JSON");
    let until = end["until"].to_string();
    let up_to = [EVENTS, &["--to", &until]].concat();
    same_rows(&read, &lines(&folder, &up_to));
    let all = folder.json(&["sql", "run", "-c", "SELECT count(*) AS n FROM events"]);
    assert!(all[0]["n"].as_u64() > Some(read.len() as u64));
}

#[test]
fn a_recording_that_is_cut_while_it_is_read_says_so() {
    let (jdk, folder) = (&jdks()[0], Folder::new());
    let mut program = begun(jdk, &folder, &["--ring", "4MB"], "1000000");
    let reader = Reader::begin(&folder, EVENTS);
    let first = reader.read[1].clone();
    assert!(program.wait().expect("it ends").success());
    let kept = shown(&folder, "kept_from");
    assert!(kept > 400_000, "{kept}");
    let (read, succeeded, said) = reader.end();
    assert_eq!(read[1], first);
    let rows = read
        .iter()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let numbers: Vec<u64> = rows
        .filter_map(|row: Json| row["timestamp"].as_u64())
        .collect();
    assert!(numbers.is_sorted_by(|one, next| one < next));
    let is_whole = numbers.windows(2).all(|two| two[0] + 1 == two[1]);
    assert!(
        is_whole && succeeded
            || said.contains("cut off")
            || read[read.len() - 1].contains("cut off"),
        "{succeeded}, {} lines: {said}",
        read.len()
    );
}
