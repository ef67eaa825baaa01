//! Tables that only repeat what the event blocks say: where one is damaged, no answer is lost or wrong; and what no
//! block says is lost alone.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::data::{all_events, class, everything, finished, options, record, script};
use common::{Model, compare};
use jhyde_store::*;
use jhyde_trace::*;

/// Tables that lead to the event blocks.
const DERIVED: [&str; 8] = [
    "directory",
    "thread_blocks",
    "call_blocks",
    "long_calls",
    "own_blocks",
    "method_blocks",
    "index",
    "tallies",
];

/// The files of a table.
fn files(recording: &Path, table: &str) -> Vec<PathBuf> {
    let db = recording.join("db");
    let names = rocksdb::DB::list_cf(&rocksdb::Options::default(), &db).expect("the tables");
    let opened =
        rocksdb::DB::open_cf_for_read_only(&rocksdb::Options::default(), &db, names, false);
    let live = opened.expect("a database").live_files().expect("its files");
    live.into_iter()
        .filter(|file| file.column_family_name == table)
        .map(|file| db.join(file.name.trim_start_matches('/')))
        .collect()
}

/// Spoils the rows of a table: those of every file from its beginning on.
fn damage(recording: &Path, table: &str) {
    let files = files(recording, table);
    assert!(!files.is_empty(), "{table} has no file");
    for path in files {
        let mut bytes = fs::read(&path).expect("the file");
        // A small file is one block of rows and, behind it, what RocksDB needs to open it.
        bytes[5] ^= 0x10;
        fs::write(&path, bytes).expect("spoiled");
    }
}

fn recorded(data: &Path, events: &[Event]) -> PathBuf {
    let id = finished(data, events);
    data.join("recordings").join(id)
}

/// The same after its small groups of the index were merged, and all tables rewritten.
fn sealed(data: &Path, events: &[Event]) -> PathBuf {
    let several = StoreOptions {
        group_blocks: 2,
        ..options()
    };
    let catalogue = Catalogue::open(data, several).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    record(&mut writer, events);
    writer.finish(State::Stopped).expect("finished");
    let folder = recording.folder().to_owned();
    let id = recording.id().to_owned();
    drop(recording);
    catalogue.seal(&id).expect("sealed");
    folder
}

fn opened(recording: &Path) -> Result<std::sync::Arc<Recording>> {
    let data = recording
        .parent()
        .and_then(Path::parent)
        .expect("a data folder");
    let id = recording.file_name().expect("an id").to_string_lossy();
    let catalogue = Catalogue::open(data, options()).expect("a catalogue");
    catalogue.open_recording(&id)
}

#[test]
fn a_damaged_table_that_repeats_the_events_loses_no_answer() {
    let events = script(1500);
    let model = Model::of(events.clone());
    for seal in [false, true] {
        for table in DERIVED {
            let data = tempfile::tempdir().expect("a folder");
            let folder = match seal {
                true => sealed(data.path(), &events),
                false => recorded(data.path(), &events),
            };
            damage(&folder, table);
            if !seal {
                // What is rewritten from less would look whole.
                let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
                let id = folder.file_name().expect("an id").to_string_lossy();
                let refused = catalogue.seal(&id);
                assert!(matches!(refused, Err(Error::Damaged { .. })), "{refused:?}");
                assert!(!catalogue.is_sealed(&id).expect("is there"));
            }
            let recording = opened(&folder).expect("opens");
            compare(&recording, &model, &[everything()]);
            let report = recording.check(|_, _| true);
            match &report.damage[..] {
                [Error::Slower { what, .. }] => assert_eq!(*what, format!("table {table}")),
                other => panic!("{table}, sealed {seal}: {other:?}"),
            }
            assert_eq!(report.events, events.len() as u64);
            let inspected = recording.inspect().expect("inspected");
            assert_eq!(inspected.blocks, report.blocks);
        }
    }
}

#[test]
fn a_table_is_not_made_from_blocks_that_are_damaged_too() {
    let events = script(1500);
    for table in DERIVED {
        let data = tempfile::tempdir().expect("a folder");
        let folder = recorded(data.path(), &events);
        let whole = opened(&folder).expect("opens");
        let threads = whole.thread_ids();
        let all: Vec<_> = threads
            .iter()
            .flat_map(|thread| {
                (1..=whole.root(*thread).map_or(0, |root| root.calls))
                    .map(|n| CallId::new(*thread, n))
            })
            .collect();
        let told: Vec<_> = all
            .iter()
            .map(|id| whole.call(*id).expect("a call"))
            .collect();
        assert!(told.len() > 20, "{} calls", told.len());
        drop(whole);
        damage(&folder, table);
        damage(&folder, "blocks");
        // What is told is right, and what is not told is not said to be nowhere.
        let recording = match opened(&folder) {
            Ok(recording) => recording,
            Err(Error::Damaged { .. }) => continue,
            Err(other) => panic!("{table}: {other}"),
        };
        for expected in told {
            match recording.call(expected.id) {
                Ok(call) => assert_eq!(call, expected),
                Err(Error::Damaged { .. }) => {}
                Err(other) => panic!("{table}: call {}: {other}", expected.id),
            }
        }
    }
}

#[test]
fn lost_classes_and_threads_leave_the_rest() {
    let events = script(700);
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("small"), RecordingOptions::default())
        .expect("a recording");
    // More classes than one block of RocksDB holds.
    let classes = 2000_u32;
    for id in 0..classes {
        let number = id.wrapping_mul(0x9E37_79B9);
        let name = format!("some.package.with.a.long.name.{number:x}.Class{id}");
        writer.class(class(id, name)).expect("a class");
    }
    let thread = ThreadInfo {
        id: ThreadId(1),
        name: "main".to_owned(),
        group: None,
    };
    writer.thread(thread).expect("a thread");
    for event in &events {
        writer.append(event.clone()).expect("nests");
    }
    writer.finish(State::Stopped).expect("finished");
    let folder = recording.folder().to_owned();
    drop((recording, catalogue));
    damage(&folder, "classes");
    damage(&folder, "threads");
    let recording = opened(&folder).expect("opens");
    assert_eq!(all_events(&recording), events);
    let (mut there, mut lost) = (0, 0);
    for id in 0..classes {
        match recording.class(ClassId(id)) {
            Ok(Some(class)) if class.id == ClassId(id) => there += 1,
            Err(Error::Damaged { what, .. }) if what == "table classes" => lost += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(recording.classes().len(), there);
    assert!(there > lost && lost > 0, "{there} there, {lost} lost");
    assert!(recording.lost_classes().is_some());
    assert!(recording.thread_ids().contains(&ThreadId(1)));
    assert!(matches!(
        recording.thread(ThreadId(1)),
        Err(Error::Damaged { .. })
    ));
    assert_eq!(recording.check(|_, _| true).damage.len(), 2);
}

#[test]
fn calls_behind_a_damaged_block_are_listed() {
    let events = script(40_000);
    let data = tempfile::tempdir().expect("a folder");
    let folder = recorded(data.path(), &events);
    let whole = opened(&folder).expect("opens");
    let thread = events[0].thread();
    let calls = whole.root(thread).expect("a root").calls;
    let all: Vec<_> = whole
        .preorder(thread, 1..calls + 1)
        .map(|call| call.expect("a call"))
        .collect();
    drop(whole);
    let path = files(&folder, "blocks").swap_remove(0);
    let mut bytes = fs::read(&path).expect("the file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("spoiled");
    let recording = opened(&folder).expect("opens");
    let (mut seen, mut errors) = (Vec::new(), Vec::new());
    for call in recording.preorder(thread, 1..calls + 1) {
        match call {
            Ok(call) => seen.push(call),
            Err(error) => errors.push(error),
        }
    }
    assert!(!errors.is_empty() && errors.iter().all(|e| matches!(e, Error::Damaged { .. })));
    // All are there but those that begin and end in what is damaged.
    let missing: Vec<_> = all.iter().filter(|call| !seen.contains(call)).collect();
    assert!(
        !missing.is_empty() && missing.len() < all.len() / 2,
        "{} of {}",
        missing.len(),
        all.len()
    );
    for call in missing {
        let lost = |at: Timestamp| matches!(recording.event(at), Err(Error::Damaged { .. }));
        assert!(lost(call.enter) && call.exit.is_some_and(lost), "{call:?}");
    }
}

#[test]
fn sealing_merges_several_groups_and_leaves_what_is_compact() {
    let events = script(1500);
    let data = tempfile::tempdir().expect("a folder");
    let merged = opened(&sealed(data.path(), &events)).expect("opens");
    assert_eq!(merged.inspect().expect("inspected").index_groups, 1);
    assert_eq!(all_events(&merged), events);

    let data = tempfile::tempdir().expect("a folder");
    let folder = recorded(data.path(), &events);
    let tables = || -> Vec<_> {
        let all = ["blocks", "objects", "classes"].iter().chain(&DERIVED);
        let files = all.flat_map(|table| files(&folder, table));
        files
            .map(|path| (fs::read(&path).expect("the file"), path))
            .collect()
    };
    let before = tables();
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let id = folder.file_name().expect("an id").to_string_lossy();
    catalogue.seal(&id).expect("sealed");
    assert!(catalogue.is_sealed(&id).expect("is there"));
    assert!(tables() == before, "its files are as they were");
}
