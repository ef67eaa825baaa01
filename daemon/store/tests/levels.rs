//! What is said of the level in force stays with the recording, wherever it goes.

mod common;

use common::data::{catalogue, copy, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

fn told() -> Vec<LevelFact> {
    let fact = |since, of, level, reason: &str| LevelFact {
        since: Timestamp(since),
        of,
        level,
        reason: reason.to_owned(),
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
