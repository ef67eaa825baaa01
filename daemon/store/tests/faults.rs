//! What may happen to a data folder: a second daemon, a killed one, damage, unknown versions, a full
//! disk, hands in the folders.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use common::data::{all_events, everything, finished, options, record, script};
use common::{Model, compare};
use jhyde_store::{Catalogue, Direction, Error, Recording, StoreOptions};
use jhyde_trace::block::FORMAT_VERSION;
use jhyde_trace::*;

#[test]
fn a_second_daemon_is_told_who_holds_the_folder() {
    let data = tempfile::tempdir().expect("a folder");
    let first = Catalogue::open(data.path(), options()).expect("a catalogue");
    match Catalogue::open(data.path(), options()) {
        Err(Error::Locked { pid, since_ms, .. }) => {
            assert_eq!(pid, std::process::id());
            assert!(since_ms > 1_600_000_000_000);
        }
        other => panic!("{other:?}"),
    }
    let reading = StoreOptions {
        read_only: true,
        ..options()
    };
    let reader = Catalogue::open(data.path(), reading).expect("reading needs no lock");
    assert!(matches!(
        reader.create(None, RecordingOptions::default()),
        Err(Error::ReadOnly(_))
    ));
    drop(first);
    Catalogue::open(data.path(), options()).expect("the lock is free again");
}

#[test]
fn names_and_ids_find_recordings() {
    let data = tempfile::tempdir().expect("a folder");
    let id = finished(data.path(), &script(100));
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    assert_eq!(catalogue.find("made").expect("by name").id, id);
    assert_eq!(catalogue.find(&id).expect("by id").id, id);
    assert_eq!(
        catalogue.find(&id[..8]).expect("by the id's beginning").id,
        id
    );
    assert!(matches!(catalogue.find("other"), Err(Error::NotFound(_))));
    let again = catalogue.create(Some("made"), RecordingOptions::default());
    assert!(matches!(again, Err(Error::NameTaken { .. })));
    let (second, writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    assert!(matches!(
        catalogue.find(&id[..1]),
        Err(Error::Ambiguous { .. })
    ));
    assert!(matches!(
        catalogue.delete(second.id()),
        Err(Error::InUse(_))
    ));
    writer.finish(State::Stopped).expect("finished");
    let second_id = second.id().to_owned();
    drop(second);
    catalogue
        .delete(&second_id)
        .expect("nobody uses it any more");
    assert_eq!(catalogue.list().len(), 1);
    let renamed = catalogue.update_meta(&id, |meta| meta.name = "better".to_owned());
    assert_eq!(renamed.expect("renamed").id, id);
    drop(catalogue);
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    assert_eq!(catalogue.find("better").expect("by its new name").id, id);
}

#[test]
fn a_writer_that_is_dropped_leaves_a_failed_recording() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let events = script(500);
    record(&mut writer, &events);
    drop(writer);
    assert!(matches!(recording.meta().state, State::Failed { .. }));
    assert_eq!(all_events(&recording), events);
}

#[test]
fn an_event_that_does_not_nest_is_refused_and_the_recording_goes_on() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let call = CallId::new(ThreadId(1), 5);
    let wrong = Event {
        call,
        index: 0,
        kind: EventKind::ThreadStart,
    };
    assert!(matches!(writer.append(wrong), Err(Error::Malformed { .. })));
    let right = Event {
        call: CallId::root(ThreadId(1)),
        index: 0,
        kind: EventKind::ThreadStart,
    };
    assert_eq!(writer.append(right).expect("nests"), Timestamp(0));
    assert_eq!(recording.end(), Timestamp(1));
    writer.finish(State::Stopped).expect("finished");
}

#[test]
fn sessions_objects_classes_and_threads_come_back() {
    let data = tempfile::tempdir().expect("a folder");
    let class = ClassInfo {
        id: ClassId(4),
        name: "a.B".to_owned(),
        source_file: None,
        modifiers: 1,
        super_name: Some("java.lang.Object".to_owned()),
        interfaces: vec![],
        in_scope: true,
        fields: vec![FieldInfo {
            id: FieldId(9),
            name: "f".to_owned(),
            descriptor: "I".to_owned(),
            modifiers: 8,
        }],
        methods: vec![],
    };
    let thread = ThreadInfo {
        id: ThreadId(1),
        name: "main".to_owned(),
        group: None,
    };
    let text = |text: &str| ObjectInfo {
        class: Some(ClassId(4)),
        content: Content::String(Text {
            prefix: text.into(),
            length: 99,
        }),
    };
    let check = |recording: &Recording| {
        assert_eq!(
            *recording.class(ClassId(4)).expect("read").expect("there"),
            class
        );
        assert_eq!(recording.classes_named("a.B"), [ClassId(4)]);
        let field = recording.field(FieldId(9)).expect("read").expect("there");
        assert_eq!(field.field().name, "f");
        assert_eq!(
            recording.threads().expect("read"),
            std::slice::from_ref(&thread)
        );
        for (id, expected) in [(1, "one"), (2, "two"), (3, "three again"), (7, "seven")] {
            let found = recording.object(ObjectId(id)).expect("read");
            assert_eq!(found, Some(text(expected)), "object {id}");
        }
        assert_eq!(recording.object(ObjectId(5)).expect("read"), None);
        assert_eq!(recording.sessions().expect("read"), ["s1", "s2"]);
        assert_eq!(
            recording.session("s2").expect("read").as_deref(),
            Some(&b"two"[..])
        );
    };
    let id = {
        let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
        let (recording, mut writer) = catalogue
            .create(None, RecordingOptions::default())
            .expect("a recording");
        writer.class(class.clone()).expect("a class");
        writer.thread(thread.clone()).expect("a thread");
        for (id, words) in [(1, "one"), (3, "three"), (7, "seven"), (2, "two")] {
            writer.object(ObjectId(id), text(words)).expect("an object");
            writer.flush().expect("flushed");
        }
        record(&mut writer, &script(300));
        writer
            .object(ObjectId(3), text("three again"))
            .expect("an object");
        recording.put_session("s2", b"two").expect("kept");
        recording.put_session("s1", b"one").expect("kept");
        recording.put_session("s0", b"gone").expect("kept");
        recording.delete_session("s0").expect("deleted");
        check(&recording);
        writer.finish(State::Stopped).expect("finished");
        check(&recording);
        recording.id().to_owned()
    };
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    check(&catalogue.open_recording(&id).expect("the recording"));
}

#[test]
fn an_unknown_version_is_refused_and_listed() {
    let data = tempfile::tempdir().expect("a folder");
    let id = finished(data.path(), &script(100));
    let path = data
        .path()
        .join("recordings")
        .join(&id)
        .join("recording.json");
    let text = fs::read_to_string(&path).expect("the description");
    fs::write(
        &path,
        text.replace("\"jhyde_recording\": 2", "\"jhyde_recording\": 7"),
    )
    .expect("changed");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    assert!(catalogue.list().is_empty());
    match &catalogue.unreadable()[..] {
        [(unreadable, Error::UnknownVersion { found: 7, .. })] => assert_eq!(*unreadable, id),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        catalogue.find(&id),
        Err(Error::UnknownVersion { .. })
    ));
}

/// Not a test of its own: the process that the next test kills. It appends a script over and over in
/// fresh threads of the recording, and says after every hundred events how many it appended.
#[test]
fn child_that_is_killed() {
    let Ok(data) = std::env::var("JHYDE_STORE_CHILD") else {
        return;
    };
    let catalogue = Catalogue::open(Path::new(&data), options()).expect("a catalogue");
    let (_recording, mut writer) = catalogue
        .create(Some("killed"), RecordingOptions::default())
        .expect("a recording");
    writer
        .set_meta(|meta| meta.state = State::Running)
        .expect("running");
    for (at, event) in endless().enumerate() {
        writer.append(event).expect("the event nests");
        if at % 100 == 0 {
            println!("appended {}", at + 1);
        }
    }
}

/// The same events in both processes, without end.
fn endless() -> impl Iterator<Item = Event> {
    let script = script(3000);
    (0u32..).flat_map(move |round| {
        script.clone().into_iter().map(move |mut event| {
            let thread = ThreadId(event.call.thread.0 + 4 * round);
            event.call.thread = thread;
            if let EventKind::Write {
                variable: Variable::Local { call, .. },
                ..
            }
            | EventKind::Snapshot {
                variable: Variable::Local { call, .. },
                ..
            }
            | EventKind::Use {
                variable: Variable::Local { call, .. },
            } = &mut event.kind
            {
                call.thread = thread;
            }
            event
        })
    })
}

#[test]
fn a_killed_daemon_leaves_a_cut_recording_that_opens_without_repair() {
    let runs: usize = match std::env::var("JHYDE_KILLS") {
        Ok(runs) => runs.parse().expect("JHYDE_KILLS is a number"),
        Err(_) => 8,
    };
    for run in 0..runs {
        let data = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child_that_is_killed", "--nocapture"])
            .env("JHYDE_STORE_CHILD", data.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut appended = 0;
        // The moment differs from run to run, and is never in the child's hand.
        let reports = 1 + run * 17 % 97;
        let mut seen = 0;
        for line in lines {
            let line = line.expect("a line");
            if let Some(number) = line.strip_prefix("appended ") {
                appended = number.parse::<u64>().expect("a number");
                seen += 1;
                if seen == reports {
                    child.kill().expect("killed");
                }
            }
        }
        child.wait().expect("it is over");

        let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
        let id = catalogue.find("killed").expect("the recording").id;
        let recording = catalogue.open_recording(&id).expect("opens");
        assert_eq!(recording.meta().state, State::Cut);
        let end = recording.end().0;
        // The bound: five blocks of 64 events, and what was appended between the last report and
        // the kill is no loss that anybody was promised to be spared.
        assert!(end + 5 * 64 >= appended, "{appended} appended, {end} there");
        let expected: Vec<Event> = endless().take(end as usize).collect();
        assert_eq!(
            all_events(&recording),
            expected,
            "nothing but the beginning"
        );
        if end < 2500 {
            compare(&recording, &Model::of(expected), &[everything()]);
        }
        assert!(
            recording.put_session("after", b"the crash").is_ok(),
            "sessions can be kept with a cut recording"
        );
    }
}

#[test]
fn damage_is_named_and_the_rest_is_served() {
    let data = tempfile::tempdir().expect("a folder");
    let events = script(40_000);
    let id = finished(data.path(), &events);
    // Flip bytes in the middle of every large table file: event blocks lie there uncompressed.
    let db = data.path().join("recordings").join(&id).join("db");
    let mut tables: Vec<_> = fs::read_dir(&db)
        .expect("the database")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .filter(|path| {
            let bytes = fs::read(path).expect("a table");
            bytes
                .windows(3)
                .any(|window| window == [b'J', b'B', FORMAT_VERSION])
        })
        .collect();
    tables.sort();
    let table = tables.first().expect("a table with event blocks");
    let mut bytes = fs::read(table).expect("a table");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(table, &bytes).expect("damaged");

    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let recording = catalogue.open_recording(&id).expect("opens all the same");
    let mut served = 0;
    let mut damaged = Vec::new();
    for row in recording.events(everything(), None, Direction::Forward) {
        match row {
            Ok(row) => {
                assert_eq!(
                    row.event, events[row.timestamp.0 as usize],
                    "never a wrong answer"
                );
                served += 1;
            }
            Err(Error::Damaged { from, to, .. }) => damaged.push((from, to)),
            Err(other) => panic!("{other}"),
        }
    }
    let lost: u64 = damaged.iter().map(|(from, to)| to.0 - from.0 + 1).sum();
    assert!(!damaged.is_empty(), "the damage is told");
    assert_eq!(
        served + lost,
        events.len() as u64,
        "every event is served or named"
    );
    assert!(
        served > events.len() as u64 / 2,
        "{served} of {} served",
        events.len()
    );
    let (from, _) = damaged[0];
    assert!(matches!(recording.event(from), Err(Error::Damaged { .. })));
    assert!(recording.event(Timestamp(0)).is_ok() || from == Timestamp(0));
}

#[test]
fn watchers_are_told() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let (send, receive) = std::sync::mpsc::channel();
    let watch = recording.watch();
    let guard = watch.on_change(move || _ = send.send(()));
    let seen = watch.version();
    record(&mut writer, &script(50));
    let limit = std::time::Duration::from_secs(10);
    assert!(watch.wait(seen, limit) > seen);
    receive
        .recv_timeout(limit)
        .expect("the callback was called");
    drop(guard);
    writer.finish(State::Stopped).expect("finished");
}
