//! Source text in recordings: once per content, within its limit, and wherever the recording goes.

mod common;

use common::data::{catalogue, class, finished, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

fn source(file: &str, text: &str) -> KeptSource {
    KeptSource {
        file: file.to_owned(),
        origin: format!("/src/{file}"),
        modified_ms: Some(7),
        notes: vec!["as found".to_owned()],
        text: text.into(),
    }
}

/// Bytes of the table of texts.
fn bytes_of_texts(recording: &Recording) -> u64 {
    let tables = recording.inspect().expect("looked into").tables;
    let texts = tables.iter().find(|table| table.0 == "source_texts");
    texts.expect("the table").2
}

#[test]
fn text_is_kept_once_within_the_limit_and_goes_with_the_recording() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let made = catalogue.create(Some("made"), RecordingOptions::default());
    let (recording, mut writer) = made.expect("a recording");
    record(&mut writer, &script(200));
    for id in 0..6 {
        writer
            .class(class(id, format!("p.A${id}")))
            .expect("a class");
    }
    // What no compression makes small.
    let mut state = 7_u64;
    let mut random = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state % 90) as u8)
    };
    let noise: String = (0..50_000).map(|_| random()).collect();
    let (one, other) = (
        source("p/A.java", &noise),
        source("p/B.java", "class B {}\n"),
    );
    let mut keeper = writer.source_keeper(60_000);
    for id in [0, 1, 2] {
        assert_eq!(
            keeper.keep(ClassId(id), &one).expect("kept"),
            SourceRoom::Kept
        );
    }
    let kept = keeper.keep(ClassId(3), &other).expect("kept");
    let full = keeper.keep(ClassId(4), &source("p/C.java", &noise[1..]));
    assert_eq!(
        (kept, full.expect("tried")),
        (SourceRoom::Kept, SourceRoom::Full)
    );
    let again = keeper.keep(ClassId(5), &source("q/A.java", &noise));
    assert_eq!(
        again.expect("kept"),
        SourceRoom::Kept,
        "a known text takes no room"
    );
    let check = |recording: &Recording| {
        let of = |id| recording.source(ClassId(id)).expect("read");
        for id in [0, 1, 2] {
            assert_eq!(of(id).as_ref(), Some(&one));
        }
        assert_eq!(of(3).as_ref(), Some(&other));
        assert_eq!(of(4), None, "there was no room");
        assert_eq!(of(5).map(|found| found.file).as_deref(), Some("q/A.java"));
        assert_eq!(of(6), None, "no such class");
        let report = recording.check(|_, _| true);
        assert!(report.damage.is_empty(), "{:?}", report.damage);
    };
    // While it is made, too.
    check(&recording);
    writer.finish(State::Stopped).expect("finished");
    assert!(matches!(
        keeper.keep(ClassId(4), &other),
        Err(Error::Closed { .. })
    ));
    check(&recording);
    let bytes = bytes_of_texts(&recording);
    assert!(
        (20_000..90_000).contains(&bytes),
        "{bytes} bytes for one text"
    );

    let id = recording.id().to_owned();
    drop((keeper, recording));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let file = elsewhere.path().join("one.jhyde");
    let target = Catalogue::open(elsewhere.path(), options()).expect("a catalogue");
    for name in ["as it was", "sealed"] {
        catalogue
            .export(&id, &file, &mut |_, _| true)
            .expect("exported");
        let meta = target.import(&file, Some(name), &mut |_, _| true);
        let meta = meta.expect("imported");
        check(&target.open_recording(&meta.id).expect("opens"));
        std::fs::remove_file(&file).expect("deleted");
        catalogue.seal(&id).expect("sealed");
    }
    check(&catalogue.open_recording(&id).expect("opens"));
}

#[test]
fn recordings_without_source_say_that_there_is_none() {
    let data = tempfile::tempdir().expect("a folder");
    let id = finished(data.path(), &script(100));
    let recording = catalogue(data.path()).open_recording(&id).expect("opens");
    assert_eq!(recording.source(ClassId(0)).expect("read"), None);
}
