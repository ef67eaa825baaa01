//! What is said of the level in force stays with the recording, wherever it goes.

mod common;

use common::data::{all_events, catalogue, class, copy, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

fn told() -> Vec<LevelFact> {
    let fact = |since, of, level, reason: &str| LevelFact {
        since: Timestamp(since),
        of,
        level,
        reason: reason.to_owned(),
        doubted: false,
    };
    vec![
        fact(0, Subject::Class(ClassId(4)), Level::Calls, "too large"),
        fact(100, Subject::Everything, Level::State, "--max-bytes 1MB"),
        fact(200, Subject::Method(MethodId(7)), Level::Calls, "hidden"),
    ]
}

fn expected() -> Levels {
    Levels::new(RecordingOptions::default().level, told())
}

fn write(writer: &mut Writer) {
    let events = script(4000);
    let mut written = 0;
    for fact in told() {
        let since = fact.since.0 as usize;
        record(writer, &events[written..since]);
        written = since;
        writer
            .level(fact.of, fact.level, fact.reason)
            .expect("a level");
    }
    record(writer, &events[written..300]);
}

#[test]
fn levels_stay_with_a_recording_that_is_closed_sealed_and_brought_elsewhere() {
    let data = tempfile::tempdir().expect("a folder");
    let id = {
        let catalogue = catalogue(data.path());
        let (recording, mut writer) = catalogue
            .create(Some("made"), RecordingOptions::default())
            .expect("a recording");
        write(&mut writer);
        assert_eq!(
            *recording.levels().expect("read"),
            expected(),
            "while it runs"
        );
        let state = State::Complete { exit_code: None };
        writer.finish(state).expect("finished");
        recording.id().to_owned()
    };
    let read = |catalogue: &Catalogue| {
        let id = catalogue.list()[0].id.clone();
        let recording = catalogue.open_recording(&id).expect("opens");
        assert_eq!(*recording.levels().expect("read"), expected());
        let report = recording.check(|_, _| true);
        assert!(report.damage.is_empty(), "{:?}", report.damage);
        let tables = recording.inspect().expect("inspected").tables;
        let levels = tables.iter().find(|(name, ..)| name == "levels");
        assert_eq!(levels.map(|(_, entries, _)| *entries), Some(3));
    };
    read(&catalogue(data.path()));
    let file = data.path().join("made.jhyde");
    let first = catalogue(data.path());
    first
        .export(&id, &file, &mut |_, _| true)
        .expect("exported");
    first.seal(&id).expect("sealed");
    drop(first);
    read(&catalogue(data.path()));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let second = catalogue(elsewhere.path());
    second
        .import(&file, None, &mut |_, _| true)
        .expect("imported");
    read(&second);
}

#[test]
fn what_is_doubted_has_no_values() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(data.path());
    let (recording, mut writer) = catalogue
        .create(Some("made"), RecordingOptions::default())
        .expect("a recording");
    let events = script(4000);
    record(&mut writer, &events[..300]);
    let told = writer.doubt(Timestamp(100), "it did not agree".to_owned());
    told.expect("it is told");
    record(&mut writer, &events[300..400]);
    let read = all_events(&recording);
    assert_eq!(read[..100], events[..100]);
    let written = |event: &Event| match event.kind {
        EventKind::Write { value, .. } => Some(value),
        _ => None,
    };
    let before = events[100..400].iter().filter_map(written).count();
    assert!(before > 20, "the script writes values: {before}");
    for (told, raw) in read[100..].iter().zip(&events[100..400]) {
        let doubted = Value::Missing(Missing::Doubted);
        assert_eq!(written(told), written(raw).map(|_| doubted), "{told:?}");
        let mut without = raw.clone();
        without.doubt();
        assert_eq!(*told, without);
    }
    let lowered = recording.stats().expect("counted").lowered;
    assert!(lowered.len() == 1 && lowered[0].doubted, "{lowered:?}");
}

#[test]
fn a_killed_writer_leaves_the_levels_of_what_it_leaves() {
    let making = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(making.path());
    let (recording, mut writer) = catalogue
        .create(Some("cut"), RecordingOptions::default())
        .expect("a recording");
    write(&mut writer);
    writer.flush().expect("flushed");
    for read_only in [true, false] {
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("recordings").join(recording.id());
        copy(recording.folder(), &folder);
        let options = StoreOptions {
            read_only,
            ..options()
        };
        let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
        let cut = catalogue.open_recording(recording.id()).expect("opens");
        assert_eq!(*cut.levels().expect("read"), expected());
    }
}

/// Who asks how much there is reads the tables more than once; a class that comes between must not make both wait for ever.
#[test]
fn a_class_that_comes_while_it_is_asked_how_much_there_is_waits_for_nobody() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(data.path());
    let (recording, mut writer) = catalogue
        .create(Some("made"), RecordingOptions::default())
        .expect("a recording");
    let (done, ended) = std::sync::mpsc::channel();
    let writing = done.clone();
    let writes = std::thread::spawn(move || {
        for id in 0..20_000 {
            let class = class(id % 50, format!("C{id}"));
            writer.class(class).expect("a class");
        }
        writing.send(()).expect("somebody waits");
    });
    let asks = std::thread::spawn(move || {
        for _ in 0..5_000 {
            recording.stats().expect("statistics");
        }
        done.send(()).expect("somebody waits");
    });
    for _ in 0..2 {
        let patience = std::time::Duration::from_secs(120);
        ended.recv_timeout(patience).expect("nobody waits for ever");
    }
    // They close what they have: the store is not to be taken down with the process meanwhile.
    for thread in [writes, asks] {
        thread.join().expect("it ends");
    }
}
