//! Data folders with recordings, for tests of what happens to them.

use std::fs;
use std::path::Path;

use jhyde_store::{Catalogue, Direction, Recording, StoreOptions, Writer};
use jhyde_trace::*;

pub(crate) fn options() -> StoreOptions {
    StoreOptions {
        block_events: 64,
        memory_bytes: 64 << 20,
        flush_ms: 20,
        ..StoreOptions::default()
    }
}

pub(crate) fn script(n: u64) -> Vec<Event> {
    let bytes: Vec<u8> = (0..n)
        .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
        .collect();
    fuzzing::events_from(&bytes)
}

pub(crate) fn everything() -> std::ops::Range<Timestamp> {
    Timestamp(0)..Timestamp(u64::MAX)
}

pub(crate) fn record(writer: &mut Writer, events: &[Event]) {
    for event in events {
        writer.append(event.clone()).expect("the event nests");
    }
}

pub(crate) fn all_events(recording: &Recording) -> Vec<Event> {
    recording
        .events(everything(), None, Direction::Forward)
        .map(|event| event.expect("nothing is damaged").event)
        .collect()
}

/// A finished recording of a script; the catalogue is closed again.
pub(crate) fn finished(data: &Path, events: &[Event]) -> String {
    let catalogue = Catalogue::open(data, options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("made"), RecordingOptions::default())
        .expect("a recording");
    record(&mut writer, events);
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("finished");
    recording.id().to_owned()
}

pub(crate) fn catalogue(data: &Path) -> Catalogue {
    Catalogue::open(data, options()).expect("a catalogue")
}

/// Names of everything in a folder of recordings.
pub(crate) fn names(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data.join("recordings")).expect("the recordings");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.metadata().expect("its kind").is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("copied")),
        }
    }
}

/// A class without members.
pub(crate) fn class(id: u32, name: String) -> ClassInfo {
    ClassInfo {
        id: ClassId(id),
        name,
        source_file: Some("B.java".to_owned()),
        modifiers: 1,
        super_name: None,
        interfaces: vec![],
        in_scope: true,
        fields: vec![],
        methods: vec![],
    }
}
