//! Real programs recorded by both engines: what they tell must be the same, event by event.
//!
//! Objects are called by the order in which they turn up, and stand with their class and what is known of them. Left out is
//! what the engine `probe` does not tell yet: when a class was prepared, what objects of the JDK hold, and what things
//! held when they were first seen.

mod attach;
mod behind;
mod constants;
mod dynamic;
mod identity;
mod late;
mod loaders;
mod logs;
mod overflows;
mod programs;
mod threads;
mod unprepared;
mod unseen;
mod workloads;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jhyde_trace::{
    CallId, Content, EngineKind, Event, EventKind, Level, ObjectId, ObjectInfo, Outcome, ProbeLog,
    RecordingOptions, State, Value, Variable,
};
use rustc_hash::FxHashMap;

use crate::control::Controller;
use crate::jvm::Waiter;
use crate::record::Capture;
use crate::scripted::List;

/// The JDKs that tests run with: those of `JHYDE_JDKS`, else that of `PATH`.
fn jdks() -> Vec<Option<PathBuf>> {
    let homes = std::env::var_os("JHYDE_JDKS").unwrap_or_default();
    let homes: Vec<_> = std::env::split_paths(&homes)
        .filter(|home| !home.as_os_str().is_empty())
        .collect();
    match homes.is_empty() {
        true => vec![None],
        false => homes.into_iter().map(Some).collect(),
    }
}

/// The newest of them: for what is the probe's own, whichever JVM it is in.
fn newest_jdk() -> Option<PathBuf> {
    let by_release = |jdk: &Option<PathBuf>| release(jdk.as_deref());
    jdks().into_iter().max_by_key(by_release).flatten()
}

fn tool(jdk: Option<&Path>, name: &str) -> Command {
    match jdk {
        Some(home) => Command::new(home.join("bin").join(name)),
        None => Command::new(name),
    }
}

/// The version of Java that a JDK has.
fn release(jdk: Option<&Path>) -> u32 {
    let said = tool(jdk, "javac").arg("-version").output();
    let said = String::from_utf8(said.expect("a JDK has javac").stdout).expect("text");
    let version = said.trim().trim_start_matches("javac ").split(['.', '-']);
    let major = version
        .into_iter()
        .next()
        .and_then(|major| major.parse().ok());
    major.expect("javac 17.0.15")
}

/// A JVM, ended with the test.
struct Jvm(Child);

impl Drop for Jvm {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What came of a recording, and what the program printed.
struct Recorded {
    list: List,
    notes: Vec<String>,
    printed: String,
}

fn record(jdk: Option<&Path>, classes: &Path, main: &str, engine: EngineKind) -> Recorded {
    record_of(jdk, classes, &[main], engine, (&[], &[]))
}

/// Records a run with this class path, main class and arguments, and these classes in the scope and out of it.
fn record_of(
    jdk: Option<&Path>,
    classes: &Path,
    run: &[&str],
    engine: EngineKind,
    scope: (&[&str], &[&str]),
) -> Recorded {
    record_at(Level::Full, jdk, classes, run, engine, scope)
}

/// The same at another level.
fn record_at(
    level: Level,
    jdk: Option<&Path>,
    classes: &Path,
    run: &[&str],
    engine: EngineKind,
    (include, exclude): (&[&str], &[&str]),
) -> Recorded {
    let options = RecordingOptions {
        engine,
        level,
        contents: false,
        include: include.iter().map(|&name| name.to_owned()).collect(),
        exclude: exclude.iter().map(|&name| name.to_owned()).collect(),
        ..RecordingOptions::default()
    };
    record_with(options, jdk, classes, run)
}

fn record_with(
    options: RecordingOptions,
    jdk: Option<&Path>,
    classes: &Path,
    run: &[&str],
) -> Recorded {
    for _ in 0..2 {
        let recorded = record_into(List::default(), options.clone(), jdk, classes, run);
        // What the probe itself tells is never asked for again.
        if options.engine != EngineKind::Events || !lacks_steps(&recorded.list) {
            return recorded;
        }
        eprintln!("{run:?}: the JVM did not tell all to the engine `events`, which records again");
    }
    record_into(List::default(), options, jdk, classes, run)
}

/// Did the JVM leave out steps of a thread, as it does on a busy machine now and then? The engine `events` says so by a gap, or by a call
/// whose end was not seen though its thread went on. What the probe is held against is a whole recording.
fn lacks_steps(list: &List) -> bool {
    let mut unseen = BTreeSet::new();
    list.events.iter().any(|event| match &event.kind {
        EventKind::Gap { reason, .. } => reason.contains("did not tell each step"),
        EventKind::Exit {
            outcome: Outcome::Unknown,
        } => {
            unseen.insert(event.call.thread);
            false
        }
        EventKind::Enter { .. } => unseen.contains(&event.call.thread),
        _ => false,
    })
}

fn record_into(
    list: List,
    options: RecordingOptions,
    jdk: Option<&Path>,
    classes: &Path,
    run: &[&str],
) -> Recorded {
    let waiter = Waiter::bind(0).expect("a port");
    let agent = format!(
        "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:{}",
        waiter.port()
    );
    let mut java = tool(jdk, "java");
    java.arg(agent)
        .arg("-cp")
        .arg(classes)
        .args(run)
        .stdout(Stdio::piped());
    let mut jvm = Jvm(java.spawn().expect("a JVM can be started"));
    let patience = Duration::from_secs(20);
    let connection = waiter
        .accept(Some(patience), &Controller::default())
        .expect("it comes");
    let begun = Capture::begin(connection, options, list);
    let Ok(capture) = begun.map_err(|(_, error)| eprintln!("{error}")) else {
        panic!("the recording did not begin");
    };
    let finished = capture.run();
    assert_eq!(
        finished.state,
        State::Complete { exit_code: None },
        "{:?}",
        finished.notes
    );
    let mut printed = String::new();
    let out = jvm.0.stdout.take();
    std::io::Read::read_to_string(&mut out.expect("an output"), &mut printed).expect("text");
    Recorded {
        list: finished.sink,
        notes: finished.notes,
        printed,
    }
}

/// Records by the engine `probe` with this log, at level `full`.
fn record_logging(log: ProbeLog, jdk: Option<&Path>, classes: &Path, run: &[&str]) -> Recorded {
    let options = RecordingOptions {
        engine: EngineKind::Probe,
        level: Level::Full,
        probe_log: log,
        ..RecordingOptions::default()
    };
    record_with(options, jdk, classes, run)
}

/// Objects by the order in which they turn up.
struct Teller<'a> {
    list: &'a List,
    infos: FxHashMap<ObjectId, &'a ObjectInfo>,
    names: FxHashMap<ObjectId, usize>,
}

impl<'a> Teller<'a> {
    fn new(list: &'a List) -> Self {
        let infos = list.objects.iter();
        Self {
            list,
            infos: infos.map(|(object, info)| (*object, info)).collect(),
            names: FxHashMap::default(),
        }
    }

    fn object(&mut self, object: ObjectId) -> String {
        let class = self.infos.get(&object).and_then(|info| info.class);
        let class = class.and_then(|id| self.list.classes.iter().rfind(|class| class.id == id));
        let name = class.map_or("?", |class| class.name.as_str());
        match self.infos.get(&object).map(|info| &info.content) {
            // The engine `events` does not always know which of equal strings it is.
            Some(Content::String(text)) => {
                return format!("{:?}", String::from_utf16_lossy(&text.prefix));
            }
            Some(Content::Box(value)) => return format!("{name} {value:?}"),
            Some(Content::Class(of)) => return format!("class {of}"),
            _ => {}
        }
        let next = self.names.len() + 1;
        let number = *self.names.entry(object).or_insert(next);
        // Hidden classes have an address in their name.
        let name = name.split_once("/0x").map_or(name, |(name, _)| name);
        format!("{name}#{number}")
    }

    fn value(&mut self, value: &Value) -> String {
        match value {
            Value::Object(object) => self.object(*object),
            other => format!("{other:?}"),
        }
    }

    fn variable(&mut self, variable: &Variable) -> String {
        match variable {
            Variable::Field { object, field } => {
                format!("{}.{}", self.object(*object), self.field(*field))
            }
            Variable::Static { field } => self.field(*field),
            Variable::Element { array, index } => format!("{}[{index}]", self.object(*array)),
            other => format!("{other:?}"),
        }
    }

    fn field(&self, field: jhyde_trace::FieldId) -> String {
        let classes = self.list.classes.iter();
        let mut fields = classes.flat_map(|class| class.fields.iter().map(move |f| (class, f)));
        let found = fields.find(|(_, known)| known.id == field);
        found.map_or_else(
            || "?".to_owned(),
            |(class, f)| format!("{}.{}", class.name, f.name),
        )
    }

    fn method(&self, method: jhyde_trace::MethodId) -> String {
        let classes = self.list.classes.iter().rev();
        let mut methods = classes.flat_map(|class| class.methods.iter().map(move |m| (class, m)));
        let found = methods.find(|(_, known)| known.id == method);
        found.map_or_else(
            || "?".to_owned(),
            |(class, m)| format!("{}.{}{}", class.name, m.name, m.descriptor),
        )
    }

    fn line(&mut self, event: &Event) -> Option<String> {
        let told = match &event.kind {
            EventKind::ClassPrepared { .. }
            | EventKind::Snapshot { .. }
            | EventKind::Content { .. } => return None,
            EventKind::Enter {
                method,
                receiver,
                arguments,
                call_site,
                boundary,
                ..
            } => {
                let receiver = receiver.as_ref().map(|value| self.value(value));
                let arguments: Vec<_> = arguments.iter().map(|value| self.value(value)).collect();
                let method = self.method(*method);
                format!("enter {method} {receiver:?} {arguments:?} @{call_site} {boundary}")
            }
            EventKind::Exit { outcome } => match outcome {
                Outcome::Returned(value) => {
                    format!("= {:?}", value.as_ref().map(|v| self.value(v)))
                }
                Outcome::Threw(value) => format!("threw {}", self.value(value)),
                Outcome::Unknown => "ended".to_owned(),
            },
            EventKind::New { object, length, .. } => {
                format!("new {} {length:?}", self.object(*object))
            }
            EventKind::Write { variable, value } => {
                format!("{} := {}", self.variable(variable), self.value(value))
            }
            EventKind::Use { variable } => {
                let told = self.variable(variable);
                // Of fields out of the scope, one engine tells no use and the other not each.
                if told.starts_with("java.") && !told.contains('#') {
                    return None;
                }
                format!("use {told}")
            }
            EventKind::Thrown { exception } => format!("thrown {}", self.value(exception)),
            EventKind::Caught { exception } => format!("caught {}", self.value(exception)),
            EventKind::Uncaught { exception } => format!("uncaught {}", self.value(exception)),
            EventKind::Monitor { action, object } => format!("{action:?} {}", self.object(*object)),
            other => format!("{other:?}"),
        };
        // Where a call was left by an exception is not always known to the engine `events`.
        let left = told.starts_with("threw");
        let index = if left { Event::NO_INDEX } else { event.index };
        Some(format!("{} @{index} {told}", event.call))
    }
}

/// What a call out of the scope has written between its callbacks the probe tells at its end: there it stands here, too, as
/// it was in the end.
fn story(list: &List) -> Vec<String> {
    let mut teller = Teller::new(list);
    let mut lines = Vec::new();
    let mut written: BTreeMap<CallId, BTreeMap<Variable, &Event>> = BTreeMap::new();
    for event in &list.events {
        match event.kind {
            EventKind::Write { variable, .. } if event.index == Event::NO_INDEX => {
                written
                    .entry(event.call)
                    .or_default()
                    .insert(variable, event);
                continue;
            }
            EventKind::Exit { .. } => {
                let written = written.remove(&event.call).unwrap_or_default();
                lines.extend(written.values().filter_map(|write| teller.line(write)));
            }
            _ => {}
        }
        lines.extend(teller.line(event));
    }
    lines
}

fn compiled(jdk: Option<&Path>, source: &Path) -> tempfile::TempDir {
    compiled_with(jdk, source, "")
}

/// Compiles against these jars.
fn compiled_with(jdk: Option<&Path>, source: &Path, jars: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut javac = tool(jdk, "javac");
    let run = javac
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-g"])
        .args(["-cp", jars])
        .arg("-d")
        .arg(folder.path())
        .arg(source)
        .status();
    assert!(
        run.is_ok_and(|status| status.success()),
        "this needs a JDK: in PATH, or its home in JHYDE_JDKS"
    );
    folder
}

/// Compiles a program and compares what the engines tell of it.
fn agree(source: &Path, main: &str) {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, source);
        let probe = record(jdk, folder.path(), main, EngineKind::Probe);
        let events = record(jdk, folder.path(), main, EngineKind::Events);
        assert_eq!(probe.printed, events.printed);
        let stories = [story(&probe.list), story(&events.list)];
        differ_nowhere(&stories, main, jdk, &probe.notes);
    }
}

/// Is a line of the probe that of the engine `events`, but for what that one says it does not know?
fn fits(told: &str, expected: &str) -> bool {
    let mut rest = told;
    for (number, piece) in expected.split("Missing(").enumerate() {
        let piece = match number {
            0 => Some(piece),
            _ => piece.split_once(')').map(|(_, piece)| piece),
        };
        let found = piece.and_then(|piece| Some((piece, rest.find(piece)?)));
        match found {
            Some((piece, at)) if at == 0 || number > 0 => rest = &rest[at + piece.len()..],
            _ => return false,
        }
    }
    let unknown = expected.rsplit_once("Missing(");
    let ends_unknown = unknown.is_some_and(|(_, end)| end.find(')') == Some(end.len() - 1));
    rest.is_empty() || ends_unknown
}

fn differ_nowhere(
    [told, expected]: &[Vec<String>; 2],
    main: &str,
    jdk: Option<&Path>,
    notes: &[String],
) {
    let same = told.iter().zip(expected);
    let same = same.take_while(|(told, expected)| fits(told, expected));
    let same = same.count();
    let around = |all: &[String]| all[same.saturating_sub(12)..all.len().min(same + 8)].join("\n");
    assert!(
        same == told.len() && same == expected.len(),
        "{main} on {jdk:?}: they differ at line {same} of {} and {}; notes {notes:?}\nprobe:\n{}\n\nevents:\n{}",
        told.len(),
        expected.len(),
        around(told),
        around(expected)
    );
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../integration/java")
        .join(name)
}

fn source(name: &str) -> PathBuf {
    let source = format!("src/probe/programs/{name}.java");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(source)
}

fn own(name: &str) {
    agree(&source(name), name);
}

/// Without what code out of the scope wrote: which call wrote it is told by one engine alone, where reflection is used.
fn told_by_code(list: &List) -> Vec<String> {
    let outside = format!("@{} ", Event::NO_INDEX);
    let unseen = |line: &String| !(line.contains(&outside) && line.contains(":="));
    story(list).into_iter().filter(unseen).collect()
}

/// Fixtures of one thread that the engine `events` knows all of.
const FIXTURES: [&str; 9] = [
    "Constructors",
    "FieldWrites",
    "Generics",
    "Lambdas",
    "Locals",
    "Recursion",
    "Signatures",
    "StaticInit",
    "TryFinally",
];

/// A fixture's source and class.
fn fixture(name: &str) -> (PathBuf, String) {
    let source = program(&format!("fixtures/fx/{name}.java"));
    (source, format!("fx.{name}"))
}
