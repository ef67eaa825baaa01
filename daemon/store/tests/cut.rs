//! What a killed writer leaves, and what damage costs of that: what lies behind it, which is named, and no more.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::data::{all_events, copy, everything, options, record, script};
use common::{Model, compare};
use jhyde_store::*;
use jhyde_trace::block::FORMAT_VERSION;
use jhyde_trace::*;

/// 700 events: ten blocks of 64, and 60 in one that is not finished.
fn events() -> Vec<Event> {
    let mut events = script(4000);
    assert!(events.len() >= 700, "{}", events.len());
    events.truncate(700);
    events
}

/// A recording as the kill of its writer leaves it.
fn cut(data: &Path) -> PathBuf {
    let making = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(making.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("cut"), RecordingOptions::default())
        .expect("a recording");
    for chunk in events().chunks(100) {
        record(&mut writer, chunk);
        writer.flush().expect("flushed");
    }
    let folder = data.join("recordings").join(recording.id());
    copy(recording.folder(), &folder);
    folder
}

fn opened(data: &Path, read_only: bool) -> Result<std::sync::Arc<Recording>> {
    let options = StoreOptions {
        read_only,
        ..options()
    };
    let catalogue = Catalogue::open(data, options).expect("a catalogue");
    catalogue.open_recording(&catalogue.list()[0].id)
}

/// The database's only file of a kind.
fn file(folder: &Path, end: &str) -> PathBuf {
    let files = fs::read_dir(folder.join("db")).expect("the database");
    let mut files = files.map(|file| file.expect("a file").path());
    let found = files.find(|path| path.extension().is_some_and(|found| found == end));
    found.expect("there is one")
}

#[test]
fn the_unfinished_block_is_checked_and_counted() {
    for read_only in [true, false] {
        let data = tempfile::tempdir().expect("a folder");
        cut(data.path());
        let recording = opened(data.path(), read_only).expect("opens");
        compare(&recording, &Model::of(events()), &[everything()]);
        let report = recording.check(|_, _| true);
        assert!(report.damage.is_empty(), "{:?}", report.damage);
        assert_eq!((report.events, report.blocks), (700, 11));
        let inspected = recording.inspect().expect("inspected");
        assert_eq!((inspected.events, inspected.blocks), (700, 11));
        assert_eq!(recording.lost_end().map(|lost| lost.to_string()), None);
    }
}

#[test]
fn a_damaged_unfinished_block_costs_its_own_events() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = cut(data.path());
    drop(opened(data.path(), false).expect("closed"));
    // The newest table with event blocks has the last one; RocksDB puts each behind the others.
    let tables = fs::read_dir(folder.join("db")).expect("the database");
    let tables = tables.map(|file| file.expect("a file").path());
    let mut tables: Vec<_> = tables
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .filter_map(|path| {
            let bytes = fs::read(&path).expect("a table");
            let at = bytes
                .windows(3)
                .rposition(|window| window == [b'J', b'B', FORMAT_VERSION])?;
            Some((path, at))
        })
        .collect();
    tables.sort();
    let (table, at) = tables.pop().expect("a table of event blocks");
    let mut bytes = fs::read(&table).expect("a table");
    bytes[at + 9] ^= 4;
    fs::write(&table, bytes).expect("damaged");
    let recording = opened(data.path(), false).expect("opens all the same");
    let (mut served, mut damaged) = (Vec::new(), Vec::new());
    for row in recording.events(everything(), None, Direction::Forward) {
        match row {
            Ok(row) => served.push(row.event),
            Err(Error::Damaged { from, to, .. }) => damaged.push((from, to)),
            Err(other) => panic!("{other}"),
        }
    }
    let [.., (first, last)] = damaged[..] else {
        panic!("the damage is not told");
    };
    assert_eq!(last, Timestamp(699));
    // RocksDB's unit is a kilobyte: small blocks lie in one together.
    assert!(first >= Timestamp(512), "from {first}");
    assert_eq!(served, events()[..first.0 as usize]);
    let report = recording.check(|_, _| true);
    assert_eq!(report.events, first.0);
    let named = |error: &Error| {
        matches!(
            error,
            Error::Damaged {
                to: Timestamp(699),
                ..
            }
        )
    };
    assert!(report.damage.iter().any(named), "{:?}", report.damage);
}

/// Opens what is damaged, for reading and for writing, and once more: each time it says what is lost.
fn check_cut_short(data: &Path, why: &str) -> u64 {
    let mut end = None;
    for read_only in [true, false, false] {
        let recording = opened(data, read_only).expect("opens all the same");
        let found = all_events(&recording);
        assert_eq!(found, events()[..found.len()]);
        let at = Timestamp(found.len() as u64);
        assert_eq!(*end.get_or_insert(at), at, "the same each time");
        let lost = recording.lost_end().expect("it says so").to_string();
        assert!(lost.contains(why), "{lost}");
        assert!(matches!(recording.event(at), Err(Error::Damaged { from, .. }) if from == at));
        let report = recording.check(|_, _| true);
        assert_eq!(report.events, at.0);
        let [Error::Damaged { from, .. }] = report.damage[..] else {
            panic!("{:?}", report.damage);
        };
        assert_eq!(from, at);
        let meta = recording.meta();
        let [note] = &meta.notes[..] else {
            panic!("{:?}", meta.notes);
        };
        assert!(
            note.contains(&format!("from event {at} on is lost")),
            "{note}"
        );
        assert_eq!(meta.state, State::Cut);
    }
    end.expect("an end").0
}

#[test]
fn a_damaged_log_costs_what_lies_behind_the_damage() {
    let data = tempfile::tempdir().expect("a folder");
    let log = file(&cut(data.path()), "log");
    let mut bytes = fs::read(&log).expect("the log");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&log, bytes).expect("damaged");
    let end = check_cut_short(data.path(), "log is damaged or cut");
    assert!((100..600).contains(&end), "{end}");
}

#[test]
fn a_log_that_is_cut_within_an_entry_is_told() {
    let data = tempfile::tempdir().expect("a folder");
    let log = file(&cut(data.path()), "log");
    let bytes = fs::read(&log).expect("the log");
    fs::write(&log, &bytes[..bytes.len() - 3]).expect("cut");
    let end = check_cut_short(data.path(), "log is damaged or cut");
    assert!((500..700).contains(&end), "{end}");
}

/// RocksDB reads an entry of a kind for logs that are used again for ever where it is not the first.
#[test]
fn an_entry_that_rocksdb_would_read_for_ever() {
    let damaged = |also_its_body: bool| {
        let data = tempfile::tempdir().expect("a folder");
        let log = file(&cut(data.path()), "log");
        let mut bytes = fs::read(&log).expect("the log");
        let behind =
            |at: usize| at + 7 + usize::from(u16::from_le_bytes([bytes[at + 4], bytes[at + 5]]));
        let first = behind(0);
        let second = behind(first);
        bytes[first + 6] ^= 4;
        bytes[second + 6] ^= 4;
        bytes[first + 9] ^= u8::from(also_its_body);
        fs::write(&log, bytes).expect("damaged");
        data
    };
    // A flipped bit of the kinds of two entries alone: whoever may write flips them back.
    let data = damaged(false);
    let refused = opened(data.path(), true).expect_err("it would be read for ever");
    assert!(
        refused.to_string().contains("RocksDB's log, at byte"),
        "{refused}"
    );
    let recording = opened(data.path(), false).expect("opens");
    assert!(recording.lost_end().is_none(), "{:?}", recording.lost_end());
    compare(&recording, &Model::of(events()), &[everything()]);
    // Otherwise it is damage like other damage.
    let data = damaged(true);
    assert!(opened(data.path(), true).is_err());
    drop(opened(data.path(), false).expect("opens, and is closed"));
    check_cut_short(data.path(), "log is damaged or cut");
}

#[test]
fn a_log_that_is_gone_is_missed() {
    let data = tempfile::tempdir().expect("a folder");
    fs::remove_file(file(&cut(data.path()), "log")).expect("gone");
    assert_eq!(check_cut_short(data.path(), "log is gone"), 0);
}

#[test]
fn what_is_said_to_be_taken_is_taken() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    record(&mut writer, &events());
    writer.flush().expect("flushed");
    let du = std::process::Command::new("du")
        .args(["-s", "-B1"])
        .arg(recording.folder())
        .output()
        .expect("du");
    let du = String::from_utf8(du.stdout).expect("text");
    let taken: u64 = du
        .split('\t')
        .next()
        .expect("a number")
        .parse()
        .expect("a number");
    assert_eq!(recording.stats().expect("stats").bytes_on_disk, taken);
    // No room is taken before it is needed: RocksDB's own way would be 71 MB.
    assert!(taken < 1 << 20, "{taken}");
}

#[test]
fn the_room_for_last_words_is_given_back() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = cut(data.path());
    assert!(folder.join("reserve").exists());
    drop(opened(data.path(), false).expect("closed"));
    assert!(!folder.join("reserve").exists());
}
