//! What earlier versions have written is read as it was. `recordings/blocks-1.jhyde` is the reference example at
//! level full, exported before contents were recorded: blocks and objects of version 1.

use std::path::Path;

use jhyde_store::*;
use jhyde_trace::*;

/// The recording of old, brought into a folder.
fn old(folder: &Path) -> (Catalogue, std::sync::Arc<Recording>) {
    let catalogue = Catalogue::open(folder, StoreOptions::default()).expect("a catalogue");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/blocks-1.jhyde");
    let meta = catalogue
        .import(&file, None, &mut |_, _| true)
        .expect("it is imported");
    let recording = catalogue.open_recording(&meta.id).expect("it opens");
    (catalogue, recording)
}

#[test]
fn a_recording_of_version_1_tells_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_catalogue, recording) = old(folder.path());
    let all = Timestamp(0)..recording.end();
    let events: Vec<Event> = recording
        .events(all, None, Direction::Forward)
        .map(|event| event.expect("it is read").event)
        .collect();
    assert_eq!(events.len(), 485);
    let enters = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Enter { .. }));
    assert_eq!(enters.count(), 9);
    let texts = events.iter().filter_map(|event| match &event.kind {
        EventKind::Enter { arguments, .. } => arguments.first()?.object(),
        _ => None,
    });
    let printed = Content::String(Text::whole("[1, 4, 9, 7]"));
    let is_printed = |object| {
        let info = recording.object(object).expect("it is read");
        info.is_some_and(|info| info.content == printed)
    };
    assert_eq!(texts.filter(|&object| is_printed(object)).count(), 1);
    let levels = recording.levels().expect("there are none");
    assert_eq!(*levels, Levels::new(Level::Full, []));
    // It was made before there were any.
    let threads = recording.threads().expect("they are read");
    for thread in threads {
        assert_eq!(recording.passage(thread.id, Timestamp(0)), None);
    }
    assert_eq!(recording.site(0), None);
    assert!(!recording.has_passages());
}

#[test]
fn without_an_index_of_references_all_blocks_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (catalogue, recording) = old(folder.path());
    assert!(!recording.has_index_of_references());
    let all = || Timestamp(0)..recording.end();
    let events: Vec<_> = recording
        .events(all(), None, Direction::Forward)
        .map(|event| event.expect("it is read"))
        .collect();
    let given = events.iter().find_map(|event| match &event.event.kind {
        EventKind::Enter { arguments, .. } => arguments.first()?.object(),
        _ => None,
    });
    let given = given.expect("a call is given an object");
    let expected: Vec<_> = events
        .iter()
        .filter(|event| event.event.refers_to(given))
        .cloned()
        .collect();
    for (way, expected) in [
        (Direction::Forward, expected.clone()),
        (Direction::Backward, expected.into_iter().rev().collect()),
    ] {
        let found = recording.references(given, all(), way);
        let found: Vec<TimedEvent> = found.map(|event| event.expect("it is read")).collect();
        assert_eq!(found, expected);
        assert!(!found.is_empty());
    }
    let made = events.iter().find_map(|event| match event.event.kind {
        EventKind::New { class, .. } => Some(class),
        _ => None,
    });
    let made = made.expect("an array is made");
    let found = recording.creations_of(made, all(), Direction::Forward);
    let found = found.count() as u64;
    assert!(found > 0);
    // Nor is anything counted in it.
    assert!(!recording.has_tallies());
    let mut sum = Sum::default();
    for tally in recording.tallies(all()) {
        sum.add(&tally.expect("it is counted"));
    }
    assert_eq!(sum.made.get(&made), Some(&found));
    // One that is made now has it.
    let options = RecordingOptions::default();
    let (fresh, _writer) = catalogue.create(None, options).expect("a recording");
    assert!(fresh.has_index_of_references() && fresh.has_tallies());
}
