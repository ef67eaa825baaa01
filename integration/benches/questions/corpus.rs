//! The cases: programs with one wrong line each, judged by running the right methods (`java/judge`), and recorded.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use jhyde_integration::{Jdk, jdks, tools};
use jhyde_store::{Catalogue, Recording, StoreOptions};
use jhyde_trace::CallId;

/// A program with a defect.
#[derive(Debug)]
pub(crate) struct Case {
    /// The program.
    pub(crate) program: String,
    /// `PROGRAM.DEFECT`.
    pub(crate) name: String,
    pub(crate) recording: Arc<Recording>,
    /// Of every call in the scope: did it do wrong?
    pub(crate) wrong: HashMap<CallId, bool>,
    /// Of the wrong ones: the ways to what they left wrong, as the judge writes them.
    pub(crate) differences: HashMap<CallId, Vec<String>>,
    /// The calls of the method that holds the defect.
    pub(crate) defective: Vec<CallId>,
}

impl Case {
    /// Is it of the half that strategies were tuned on? By a hash of the name (FNV-1a).
    pub(crate) fn is_tuning(&self) -> bool {
        is_tuning(&self.name)
    }

    /// How many calls there are in the scope.
    pub(crate) fn calls(&self) -> usize {
        self.wrong.len()
    }

    /// So many questions are needed whatever is asked: each child of the buggy call must be known to be right, and it
    /// be answered itself. The least of all buggy calls.
    pub(crate) fn floor(&self) -> usize {
        let mut calls: Vec<(CallId, u64)> = Vec::new();
        let mut children: HashMap<CallId, (usize, bool)> = HashMap::new();
        let mut open: Vec<(CallId, u64)> = Vec::new();
        for thread in self.recording.thread_ids() {
            let records = self.recording.preorder(thread, 1..u64::MAX);
            calls.extend(records.filter_map(|record| {
                let record = record.expect("a call");
                let end = record.id.preorder + record.size;
                (!record.boundary).then_some((record.id, end))
            }));
        }
        for (call, end) in calls {
            open.retain(|(outer, end)| outer.thread == call.thread && call.preorder < *end);
            if let Some((outer, _)) = open.last() {
                let of_outer = children.entry(*outer).or_default();
                of_outer.0 += 1;
                of_outer.1 |= self.wrong[&call];
            }
            open.push((call, end));
        }
        let wrong = self.wrong.iter().filter(|(_, wrong)| **wrong);
        let of = wrong.map(|(call, _)| children.get(call).copied().unwrap_or_default());
        let buggy = of.filter(|(_, below)| !below);
        buggy.map(|(children, _)| children + 1).min().unwrap_or(0)
    }
}

/// Is a case of this name of the half that strategies were tuned on?
pub(crate) fn is_tuning(name: &str) -> bool {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash >> 32).is_multiple_of(2)
}

/// Judges and records all cases in `folder`: what is there from before is taken as it is. With `more` also runs of the right versions
/// and of tests that pass. Programs and defects.
pub(crate) fn make(folder: &Path, programs: &[String], more: bool) -> Vec<(String, String)> {
    let judged = folder.join("corpus");
    if !judged.is_dir() {
        judge(&judged);
    }
    let mut names = defects(&judged);
    names.retain(|(program, _)| programs.is_empty() || programs.contains(program));
    let recorder = Recorder::new(&folder.join("data"));
    for (program, defect) in &names {
        let classes = judged.join(program).join(defect).join("classes");
        recorder.record(&format!("{program}.{defect}"), &[&classes], &[program]);
    }
    if more {
        let tests = tests(folder, &judged);
        for (program, defect) in &names {
            let classes = judged.join(program).join("right/classes");
            recorder.record(&right_of(program), &[&classes], &[program]);
            let passing = passing(&judged, program, defect);
            let classes = judged.join(program).join(defect).join("classes");
            let mut words = vec!["Tests", program];
            words.extend(passing.iter().map(String::as_str));
            recorder.record(&passing_run(program, defect), &[&classes, &tests], &words);
        }
    }
    names
}

/// The name of the recording of the right version.
pub(crate) fn right_of(program: &str) -> String {
    format!("{program}.right")
}

/// The name of the recording of all tests that a defective version passes.
pub(crate) fn passing_run(program: &str, defect: &str) -> String {
    format!("{program}.{defect}.passing")
}

/// The numbers of those tests.
fn passing(judged: &Path, program: &str, defect: &str) -> Vec<String> {
    let told = judged.join(program).join(defect).join("passing");
    let told = std::fs::read_to_string(told).expect("the tests were run");
    told.split_whitespace().map(str::to_owned).collect()
}

/// All cases in `folder`, as they were made.
pub(crate) fn cases(folder: &Path, names: Vec<(String, String)>) -> Vec<Case> {
    let judged = folder.join("corpus");
    let data = folder.join("data");
    let catalogue =
        Catalogue::open(&data, StoreOptions::default()).expect("the data folder can be opened");
    let read = names.into_iter().map(|(program, defect)| {
        let name = format!("{program}.{defect}");
        let meta = catalogue.find(&name).expect("was recorded");
        let recording = catalogue.open_recording(&meta.id).expect("can be opened");
        let truth = judged.join(&program).join(&defect).join("truth");
        let truth = std::fs::read_to_string(truth).expect("was judged");
        let truth = truth_of(&name, &recording, &truth);
        Case {
            program,
            name,
            recording,
            wrong: truth.wrong,
            differences: truth.differences,
            defective: truth.defective,
        }
    });
    read.collect()
}

/// A JDK with `java.lang.classfile`.
fn newest() -> Jdk {
    let jdk = jdks().into_iter().rev().find(|jdk| jdk.major >= 24);
    jdk.expect("judging needs a JDK from 24 on: set JHYDE_JDKS")
}

/// Compiles the tests of the programs, and finds out which version passes which.
fn tests(folder: &Path, judged: &Path) -> PathBuf {
    let (tests, runner) = (folder.join("tests"), folder.join("passes"));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/passing");
    if tests.is_dir() {
        return tests;
    }
    let jdk = newest();
    let mut right = Vec::new();
    for program in std::fs::read_dir(judged).expect("can be listed") {
        right.push(program.expect("an entry").path().join("right/classes"));
    }
    let right = std::env::join_paths(right).expect("a class path");
    for (source, into) in [("Tests.java", &tests), ("Passes.java", &runner)] {
        let status = Command::new(jdk.java().with_file_name("javac"))
            .args(["--release", "17", "-g", "-nowarn", "-cp"])
            .arg(&right)
            .arg("-d")
            .arg(into)
            .arg(sources.join(source))
            .status()
            .expect("javac can be started");
        assert!(status.success(), "{source} is refused: {status}");
    }
    let status = Command::new(jdk.java())
        .arg("-cp")
        .arg(&runner)
        .arg("Passes")
        .args([&tests, judged])
        .stdout(Stdio::null())
        .status()
        .expect("java can be started");
    assert!(status.success(), "the tests could not be run: {status}");
    tests
}

/// Compiles the programs and judges their calls.
fn judge(out: &Path) {
    let jdk = newest();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/questions");
    let opened = ["lang", "util", "util.concurrent.atomic", "io"];
    let opened = opened.map(|package| format!("--add-opens=java.base/java.{package}=ALL-UNNAMED"));
    let status = Command::new(jdk.java())
        .arg("--sun-misc-unsafe-memory-access=allow")
        .args(opened)
        .arg("-cp")
        .arg(jdk.classes("judge"))
        .arg("judge.Judge")
        .args([&sources, out])
        .stdout(Stdio::null())
        .status()
        .expect("java can be started");
    assert!(status.success(), "the judge failed: {status}");
}

/// Programs and defects that show.
fn defects(judged: &Path) -> Vec<(String, String)> {
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("can be listed");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
    };
    let mut all: Vec<_> = names(judged)
        .into_iter()
        .flat_map(|program| {
            let defects = names(&judged.join(&program)).into_iter();
            let judged = defects.map(move |defect| (program.clone(), defect));
            judged.collect::<Vec<_>>()
        })
        .filter(|(program, defect)| judged.join(program).join(defect).join("truth").is_file())
        .collect();
    all.sort();
    all
}

/// Records programs into a data folder, each once.
struct Recorder {
    data: PathBuf,
    known: Vec<String>,
    jdk: Jdk,
}

impl Recorder {
    fn new(data: &Path) -> Self {
        let known = match data.is_dir() {
            true => {
                let catalogue =
                    Catalogue::open(data, StoreOptions::default()).expect("can be opened");
                catalogue.list().into_iter().map(|meta| meta.name).collect()
            }
            false => Vec::new(),
        };
        Self {
            data: data.to_owned(),
            known,
            jdk: jdks().into_iter().next().expect("a JDK"),
        }
    }

    fn record(&self, name: &str, classes: &[&Path], words: &[&str]) {
        if self.known.iter().any(|known| known == name) {
            return;
        }
        let classes = std::env::join_paths(classes).expect("a class path");
        let output = Command::new(tools::binary("jhyded"))
            .arg("--data")
            .arg(&self.data)
            .args(["launch", "--name", name, "--level", "full", "--quiet", "--"])
            .arg(self.jdk.java())
            .arg("-cp")
            .arg(classes)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .expect("jhyded can be started");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some_and(|code| code <= 1),
            "{name}: {told}"
        );
    }
}

/// What was judged.
#[derive(Default)]
struct Truth {
    wrong: HashMap<CallId, bool>,
    differences: HashMap<CallId, Vec<String>>,
    defective: Vec<CallId>,
}

/// What was judged, by the calls of the recording: both must tell of the same calls in the same order.
fn truth_of(name: &str, recording: &Recording, truth: &str) -> Truth {
    let mut lines = truth.lines();
    let defect = lines.next().and_then(|line| line.split('\t').nth(1));
    let defect = defect.expect("the first line names the defect").to_owned();
    let mut known = Truth::default();
    for thread in recording.thread_ids() {
        for record in recording.preorder(thread, 1..u64::MAX) {
            let record = record.expect("a call");
            if record.boundary {
                continue;
            }
            let method = recording.method(record.method).expect("can be read");
            let method = method.expect("is known");
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("{name}: more calls than judged"));
            let (judged, rest) = line.split_once('\t').expect("a method and a judgement");
            let info = method.method();
            let own = format!(
                "{}.{}{}",
                method.class.name.replace('.', "/"),
                info.name,
                info.descriptor
            );
            assert_eq!(own, judged, "{name}: another call than judged");
            known.wrong.insert(record.id, rest.starts_with('0'));
            if let Some(ways) = rest.strip_prefix("0\t") {
                let ways = ways.split(' ').map(str::to_owned);
                known.differences.insert(record.id, ways.collect());
            }
            if judged == defect {
                known.defective.push(record.id);
            }
        }
    }
    assert!(lines.next().is_none(), "{name}: fewer calls than judged");
    known
}
