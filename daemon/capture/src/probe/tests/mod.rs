//! Real programs recorded by both engines: what they tell must be the same, event by event.
//!
//! Objects are called by the order in which they turn up, and stand with their class and what is known of them. Left out is
//! what the engine `probe` does not tell yet: when a class was prepared, what objects of the JDK hold, and what things
//! held when they were first seen.

mod attach;
mod behind;
mod constants;
mod identity;
mod inherited;
mod logs;
mod overflows;
mod threads;
mod unseen;
mod workloads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jhyde_trace::{
    Content, EngineKind, Event, EventKind, Level, ObjectId, ObjectInfo, Outcome, ProbeLog,
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

fn tool(jdk: Option<&Path>, name: &str) -> Command {
    match jdk {
        Some(home) => Command::new(home.join("bin").join(name)),
        None => Command::new(name),
    }
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
    record_into(List::default(), options, jdk, classes, run)
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
            EventKind::Monitor { action, object } => format!("{action:?} {}", self.object(*object)),
            other => format!("{other:?}"),
        };
        // Where a call was left by an exception is not always known to the engine `events`.
        let left = told.starts_with("threw");
        let index = if left { Event::NO_INDEX } else { event.index };
        Some(format!("{} @{index} {told}", event.call))
    }
}

fn story(list: &List) -> Vec<String> {
    let mut teller = Teller::new(list);
    let lines = list.events.iter().filter_map(|event| teller.line(event));
    lines.collect()
}

fn compiled(jdk: Option<&Path>, source: &Path) -> tempfile::TempDir {
    compiled_with(jdk, source, "")
}

/// Compiles against these jars.
fn compiled_with(jdk: Option<&Path>, source: &Path, jars: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut javac = tool(jdk, "javac");
    let run = javac
        .arg("-g")
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
    rest.is_empty()
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

#[test]
fn objects_that_are_met_while_they_are_made() {
    own("Constructs");
    for jdk in jdks() {
        let folder = compiled(jdk.as_deref(), &source("Constructs"));
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            level: Level::Full,
            ..RecordingOptions::default()
        };
        let probe = record_with(options, jdk.as_deref(), folder.path(), &["Constructs"]);
        let messages = probe
            .list
            .objects
            .iter()
            .filter_map(|(_, info)| match &info.content {
                Content::Throwable(thrown) => Some(thrown.message.clone()),
                _ => None,
            });
        let mut messages: Vec<String> = messages
            .map(|message| {
                message.map_or_else(
                    || "none".to_owned(),
                    |text| String::from_utf16_lossy(&text.prefix),
                )
            })
            .collect();
        messages.sort();
        // Those that were thrown and caught, and their causes: not as they were while `Throwable` made them.
        let of = |what: &str| messages.iter().filter(|one| one.starts_with(what)).count();
        assert_eq!((of("quick "), of("slow: cause ")), (3, 4), "{messages:?}");
        // `kept` has none.
        assert_eq!(of("none"), 1, "{messages:?}");
    }
}

#[test]
fn a_merge_sort() {
    agree(&program("fixtures/mergesort/MergeSort.java"), "MergeSort");
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

#[test]
fn fixtures_agree() {
    for name in FIXTURES {
        let (source, main) = fixture(name);
        agree(&source, &main);
    }
}

#[test]
fn objects_and_numbers() {
    own("Shapes");
}

#[test]
fn methods_that_override_others() {
    own("Overrides");
}

#[test]
fn objects_that_are_copied() {
    own("Copies");
    // Each write tells what was there before, which must be what was derived.
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Copies"));
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            probe_log: ProbeLog::Writes,
            level: Level::Full,
            ..RecordingOptions::default()
        };
        let told = record_with(options, jdk, folder.path(), &["Copies", "together"]);
        assert_eq!(told.printed, "1999000 1999001\n");
        assert_eq!(told.list.levels, [], "{:?}", told.notes);
    }
}

#[test]
fn methods_of_interfaces_that_lambdas_have() {
    own("Defaults");
}

#[test]
fn what_initialises_classes() {
    own("Begins");
}

/// A class of the scope that a loader of the program's own takes from a folder beside the class path.
#[test]
fn loaders_of_the_programs_own() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Loaders"));
        let places = PARTS.map(|part| {
            let beside = tempfile::Builder::new().prefix("a folder").tempdir();
            let beside = beside.expect("a folder");
            let file = format!("{part}.class");
            let moved = std::fs::rename(folder.path().join(&file), beside.path().join(&file));
            moved.expect("the class file");
            beside
        });
        let [one, other] = places
            .each_ref()
            .map(|place| format!("{}/", place.path().display()));
        loads_alike(jdk, folder.path(), &["Loaders", &one, &other]);
    }
}

/// A program that is packed with its parts into one jar, by a launcher that says where its classes lie.
#[test]
fn jars_inside_of_a_jar() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Loaders"));
        let beside = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(beside.path().join("lib")).expect("a folder");
        let pack = |options: &str, jar: &str, from: &Path, what: &str| {
            let mut tool = tool(jdk, "jar");
            tool.arg(options).arg(beside.path().join(jar));
            let packed = tool.arg("-C").arg(from).arg(what).status();
            assert!(packed.is_ok_and(|status| status.success()), "{jar}");
        };
        for part in PARTS {
            let file = format!("{part}.class");
            pack("cf", &format!("lib/{part}.jar"), folder.path(), &file);
            std::fs::remove_file(folder.path().join(file)).expect("the class file");
        }
        pack("c0f", "all.jar", beside.path(), "lib");
        let all = beside.path().join("all.jar").display().to_string();
        loads_alike(jdk, folder.path(), &["Loaders", &all]);
    }
}

/// Classes that lie in no file: the JVM is asked for them.
#[test]
fn classes_that_are_made_at_run_time() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Made"));
        let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(|engine| {
            record_of(
                jdk,
                folder.path(),
                &["Made"],
                engine,
                (&[], &["Made$Maker"]),
            )
        });
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
        let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
        differ_nowhere(&stories, "Made", jdk, &probe.notes);
    }
}

/// What `Loaders` loads from elsewhere. Its own loader is none of the scope: the JVM calls it in the middle of instructions.
const PARTS: [&str; 2] = ["Loaders$Part", "Loaders$Scale"];

fn loads_alike(jdk: Option<&Path>, classes: &Path, run: &[&str]) {
    let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(|engine| {
        record_of(
            jdk,
            classes,
            run,
            engine,
            (&[], &["Loaders$Packed", "Loaders$Nowhere"]),
        )
    });
    assert_eq!(probe.printed, events.printed);
    assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
    let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
    differ_nowhere(&stories, "Loaders", jdk, &probe.notes);

    // Nor is it a reason to leave the program to another engine that the first class of the scope lies elsewhere.
    let of_parts = [EngineKind::Auto, EngineKind::Probe]
        .map(|engine| record_of(jdk, classes, run, engine, (&PARTS, &[])));
    let taken = of_parts[0].list.engine.as_ref().map(|(engine, _)| *engine);
    assert_eq!(taken, Some(EngineKind::Probe));
    let stories = of_parts.each_ref().map(|recorded| story(&recorded.list));
    assert!(stories[0].len() > 100, "{:?}", stories[0]);
    assert_eq!(stories[0], stories[1]);
}

#[test]
fn exceptions() {
    own("Throws");
}

/// Objects that code out of the scope has though nobody showed them to it: records' components, what a stream of objects finds, what
/// is in arrays.
#[test]
fn objects_that_nobody_shows() {
    own("Records");
    own("Writes");
    own("Grids");
    own("Fills");
}

#[test]
fn collections_and_lambdas() {
    own("Shop");
}

/// What a collection was told to hold came with texts that are not told again.
#[test]
fn texts_that_are_in_a_collection_first() {
    own("Joins");
}

/// At lower levels it tells what the engine `events` tells at level `full`, without what these levels leave out.
#[test]
fn lower_levels() {
    fn of_calls(event: &Event) -> bool {
        matches!(
            event.kind,
            EventKind::ThreadStart
                | EventKind::ThreadEnd
                | EventKind::Enter { .. }
                | EventKind::Exit { .. }
                | EventKind::Thrown { .. }
                | EventKind::Caught { .. }
                | EventKind::Gap { .. }
        )
    }
    fn of_state(event: &Event) -> bool {
        !matches!(event.kind, EventKind::Use { .. } | EventKind::Edge { .. })
    }
    let levels = [
        (Level::State, of_state as fn(&Event) -> bool),
        (Level::Calls, of_calls),
    ];
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        for main in ["Shop", "Throws"] {
            let folder = compiled(jdk, &source(main));
            let run =
                |level, engine| record_at(level, jdk, folder.path(), &[main], engine, (&[], &[]));
            let mut events = run(Level::Full, EngineKind::Events);
            for (level, tells) in levels {
                let probe = run(level, EngineKind::Probe);
                assert_eq!(probe.printed, events.printed);
                events.list.events.retain(tells);
                let stories = [story(&probe.list), story(&events.list)];
                assert!(stories[0].len() > 100, "{level}: {:?}", stories[0]);
                differ_nowhere(&stories, main, jdk, &probe.notes);
            }
        }
    }
}

/// What a library, and the program itself, do by reflection: values that they wrote are read as they are, objects are one
/// each. Which call wrote what is told by one engine alone.
#[test]
fn reflection() {
    let programs = [
        (source("Reflects"), "Reflects", &["Reflects$Outsider"][..]),
        (
            program("fixtures/fx/Reflective.java"),
            "fx.Reflective",
            &[][..],
        ),
    ];
    for (source, main, out) in programs {
        for jdk in jdks() {
            let jdk = jdk.as_deref();
            let folder = compiled(jdk, &source);
            let [probe, events] = [EngineKind::Probe, EngineKind::Events]
                .map(|engine| record_of(jdk, folder.path(), &[main], engine, (&[], out)));
            assert_eq!(probe.printed, events.printed);
            let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
            differ_nowhere(&stories, main, jdk, &probe.notes);
        }
    }
}

/// Which call wrote an array that such a function was given is told by one engine alone.
#[test]
fn functions_that_write_arrays() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Sorters"));
        let [probe, events] = [EngineKind::Probe, EngineKind::Events]
            .map(|engine| record(jdk, folder.path(), "Sorters", engine));
        assert_eq!(probe.printed, events.printed);
        let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
        differ_nowhere(&stories, "Sorters", jdk, &probe.notes);
    }
}

#[test]
fn what_is_written_unseen_is_noticed() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Unseen"));
        let probe = record(jdk, folder.path(), "Unseen", EngineKind::Probe);
        assert!(probe.printed.starts_with("120\n"), "{}", probe.printed);
        let gaps = probe.list.events.iter().filter(|event| {
            matches!(&event.kind, EventKind::Gap { reason, back: true } if reason.contains("checksum"))
        });
        assert!(gaps.count() > 0, "{:?}", story(&probe.list).last());
        let notes = probe.notes.join(" ");
        assert!(notes.contains("from @0 to @"), "{notes}");
        // Calls that had ended are not to be trusted either.
        assert_eq!(probe.list.levels, [(0, Level::Calls)]);
    }
}
