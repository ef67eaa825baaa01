//! What capture makes of scripts.

use jdwp::Value;
use jhyde_trace::{EngineKind, Level, RecordingOptions, State};

use super::{Class, List, Method, Recorded, Script};

fn calls() -> RecordingOptions {
    RecordingOptions {
        level: Level::Calls,
        engine: EngineKind::Events,
        include: vec!["p.*".to_owned()],
        ..RecordingOptions::default()
    }
}

/// `main` calls `twice` at index 1, which calls itself at index 4.
fn program() -> Vec<Class> {
    let method = |name, descriptor, code: &[u8]| Method {
        name,
        descriptor,
        lines: vec![(0, 10)],
        code: code.to_vec(),
    };
    vec![Class {
        name: "p.Main",
        methods: vec![
            // iconst_3, invokestatic #1, pop, return
            method("main", "()V", &[0x06, 0xb8, 0, 1, 0x57, 0xb1]),
            // iload_0, ifle 7, nop, invokestatic #1, ireturn …
            method("twice", "(I)I", &[0x1a, 0x9e, 0, 7, 0xb8, 0, 1, 0xac]),
        ],
    }]
}

const MAIN_METHOD: (usize, usize) = (0, 0);
const TWICE: (usize, usize) = (0, 1);

fn run() -> Script {
    Script::of(program())
        .prepare(0)
        .enter(0, MAIN_METHOD, &[])
        .enter(1, TWICE, &[Value::Int(3)])
        .enter(4, TWICE, &[Value::Int(-2)])
        .exit(7, Value::Int(4))
        .exit(7, Value::Int(6))
        .exit(5, Value::Void)
}

/// What a thread's calls are told to be, with its start and its class before.
fn story(calls: [&str; 6]) -> Vec<String> {
    let before = ["1.0 ThreadStart", "1.0 ClassPrepared { class: ClassId(0) }"];
    before
        .iter()
        .chain(&calls)
        .map(ToString::to_string)
        .collect()
}

const ALL: [&str; 6] = [
    "1.1 enter p.Main.main [] @-",
    "1.2 enter p.Main.twice [Int(3)] @1",
    "1.3 enter p.Main.twice [Int(-2)] @4",
    "1.3 = Some(Int(4))",
    "1.2 = Some(Int(6))",
    "1.1 = None",
];

/// The recording is whole, and the thread never left standing.
fn is_whole(recorded: &Recorded) {
    assert_eq!(recorded.state, State::Complete { exit_code: None });
    let (resumed, suspended) = recorded.resumed;
    assert_eq!(resumed, suspended, "resumed and suspended");
    assert!(recorded.refused.is_empty(), "{:?}", recorded.refused);
}

#[test]
fn calls_are_recorded_as_they_are_told() {
    let recorded = run().record(calls());
    assert_eq!(recorded.list.story(), story(ALL));
    is_whole(&recorded);
}

/// Frames are read without asking for their names, as HotSpot gives them. Where that guess is wrong the first arguments
/// are missing, and no others.
#[test]
fn a_jvm_that_names_its_frames_otherwise_is_asked_each_time() {
    let recorded = run().with_other_frames().record(calls());
    let mut expected = ALL;
    expected[1] = "1.2 enter p.Main.twice [Missing(Unreadable)] @1";
    assert_eq!(recorded.list.story(), story(expected));
    is_whole(&recorded);
}

#[test]
fn what_is_out_of_the_scope_is_not_recorded() {
    let mut options = calls();
    options.include = vec!["q.*".to_owned()];
    let recorded = run().record(options);
    assert_eq!(recorded.list.story(), Vec::<String>::new());
    is_whole(&recorded);
}

/// Whatever fails while the JVM tells its end: it is resumed, and nothing else is asked of it.
#[test]
fn a_jvm_that_ends_is_left_to_end() {
    let whole = run().record(calls()).list.events.len();
    for room in [whole - 2, whole - 1] {
        let list = List {
            room: Some(room),
            ..List::default()
        };
        let recorded = run().record_into(list, calls());
        let reason = "the recording cannot be written: there is no room".to_owned();
        assert_eq!(recorded.state, State::Failed { reason });
        assert_eq!(recorded.list.events.len(), room);
        assert!(recorded.refused.is_empty(), "{:?}", recorded.refused);
        let (resumed, suspended) = recorded.resumed;
        assert_eq!(resumed, suspended, "resumed and suspended");
    }
}
