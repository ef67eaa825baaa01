//! Keeping recordings: one open for many, read by several processes, and which go.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::data::{all_events, catalogue, finished, names, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

fn reading(data: &Path) -> Catalogue {
    let options = StoreOptions {
        read_only: true,
        ..options()
    };
    Catalogue::open(data, options).expect("reading needs no lock")
}

#[test]
fn a_recording_stays_open_between_requests_and_can_be_deleted_all_the_same() {
    let data = tempfile::tempdir().expect("a folder");
    let events = script(3000);
    let id = finished(data.path(), &events);
    let catalogue = catalogue(data.path());
    let first = catalogue.open_recording(&id).expect("opens");
    let path = first.folder().to_owned();
    drop(first);
    // Its database would have to be opened again, and could not be, if it had been closed.
    let aside = path.with_file_name(".aside");
    fs::rename(&path, &aside).expect("moved");
    let again = catalogue.open_recording(&id).expect("it is still open");
    assert_eq!(again.end().0, events.len() as u64);
    fs::rename(&aside, &path).expect("moved back");
    assert!(matches!(catalogue.delete(&id), Err(Error::InUse(_))));
    drop(again);
    catalogue.delete(&id).expect("nobody uses it");
    assert!(names(data.path()).is_empty());
}

#[test]
fn only_so_many_stay_open() {
    let data = tempfile::tempdir().expect("a folder");
    let ids: Vec<String> = {
        let catalogue = catalogue(data.path());
        (0..3)
            .map(|_| {
                let made = catalogue.create(None, RecordingOptions::default());
                let (recording, mut writer) = made.expect("a recording");
                record(&mut writer, &script(100));
                writer.finish(State::Stopped).expect("finished");
                recording.id().to_owned()
            })
            .collect()
    };
    let options = StoreOptions {
        kept_open: 2,
        ..options()
    };
    let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
    for id in &ids {
        catalogue.open_recording(id).expect("opens");
    }
    let open = |id: &String| {
        let database = data.path().join("recordings").join(id).join("db");
        let file = fs::File::open(database.join("IDENTITY")).expect("the database");
        matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
    };
    assert_eq!(
        ids.iter().map(open).collect::<Vec<_>>(),
        [false, true, true]
    );
}

#[test]
fn many_threads_ask_one_recording_while_it_is_written() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(data.path());
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let id = recording.id().to_owned();
    drop(recording);
    let events = Arc::new(script(6000));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let (catalogue, id, events) = (catalogue.clone(), id.clone(), events.clone());
            scope.spawn(move || {
                let mut seen = 0;
                while seen < events.len() {
                    let recording = catalogue.open_recording(&id).expect("it is being written");
                    let found = all_events(&recording);
                    assert!(found.len() >= seen, "nothing goes away");
                    assert_eq!(found, events[..found.len()]);
                    seen = found.len();
                }
            });
        }
        scope.spawn(|| record(&mut writer, &events));
    });
    writer.finish(State::Stopped).expect("finished");
    let recording = catalogue.open_recording(&id).expect("it is finished");
    assert_eq!(recording.meta().state, State::Stopped);
    assert_eq!(all_events(&recording).len(), events.len());
}

/// Not a test of its own: a second daemon, reading. Says what it found, and holds the recording until its
/// input ends.
#[test]
fn child_that_reads() {
    let Ok(data) = std::env::var("JHYDE_STORE_READER") else {
        return;
    };
    let catalogue = reading(Path::new(&data));
    let meta = catalogue.find("made").expect("the recording");
    let recording = catalogue.open_recording(&meta.id).expect("opens");
    let events = all_events(&recording);
    println!("read {} {:?}", events.len(), recording.meta().state);
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("input");
    let again = all_events(&recording);
    println!("again {}", again.len());
    assert_eq!(again, events);
}

fn reader(data: &Path) -> (std::process::Child, impl Iterator<Item = String>) {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "child_that_reads", "--nocapture"])
        .env("JHYDE_STORE_READER", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    (child, lines.map(|line| line.expect("a line")))
}

/// The rest of a child's line that begins so: the test harness writes on the same line before it.
fn said(lines: &mut impl Iterator<Item = String>, word: &str) -> String {
    lines
        .find_map(|line| line.split_once(word).map(|(_, rest)| rest.to_owned()))
        .unwrap_or_else(|| panic!("the child did not say '{word}'"))
}

#[test]
fn a_sealed_recording_is_read_by_several_processes_and_not_deleted_meanwhile() {
    let data = tempfile::tempdir().expect("a folder");
    let events = script(5000);
    let id = finished(data.path(), &events);
    let catalogue = catalogue(data.path());
    catalogue.seal(&id).expect("sealed");
    let (mut one, mut one_says) = reader(data.path());
    let (mut two, mut two_says) = reader(data.path());
    let expected = format!("{} Complete {{ exit_code: Some(0) }}", events.len());
    assert_eq!(said(&mut one_says, "read "), expected);
    assert_eq!(said(&mut two_says, "read "), expected);
    // Both have it open, and so may we.
    let recording = catalogue.open_recording(&id).expect("opens");
    assert_eq!(all_events(&recording), events);
    drop(recording);
    assert!(matches!(catalogue.delete(&id), Err(Error::InUse(_))));
    let everything_goes = Keep {
        count: Some(0),
        ..Keep::default()
    };
    let plan = catalogue.plan_retention(&everything_goes);
    assert_eq!((plan.remove.len(), plan.spared.len()), (0, 1));
    for (child, says) in [
        (&mut one, &mut one_says as &mut dyn Iterator<Item = String>),
        (&mut two, &mut two_says),
    ] {
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(b"go on\n").expect("told");
        let mut says = says;
        assert_eq!(said(&mut says, "again "), events.len().to_string());
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
    }
    catalogue.delete(&id).expect("nobody reads it any more");
}

#[test]
fn a_sealed_recording_can_be_renamed() {
    let data = tempfile::tempdir().expect("a folder");
    let id = finished(data.path(), &script(200));
    let sealer = catalogue(data.path());
    sealer.seal(&id).expect("sealed");
    let open = sealer.open_recording(&id).expect("opens");
    sealer
        .update_meta(&id, |meta| meta.name = "kept".to_owned())
        .expect("renamed while it is open");
    assert_eq!(open.meta().name, "kept");
    assert!(sealer.is_sealed(&id).expect("known"));
    drop((open, sealer));
    let again = catalogue(data.path());
    assert!(again.is_sealed(&id).expect("known"));
    assert_eq!(again.find("kept").expect("by its name").id, id);
}

#[test]
fn what_must_go_goes_oldest_first_and_never_what_is_in_use() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(data.path());
    let mut ids = Vec::new();
    for n in 0..4 {
        let (recording, mut writer) = catalogue
            .create(None, RecordingOptions::default())
            .expect("a recording");
        record(&mut writer, &script(200));
        writer.finish(State::Stopped).expect("finished");
        let id = recording.id().to_owned();
        drop(recording);
        // An hour between one and the next, the first four hours ago.
        catalogue
            .update_meta(&id, |meta| {
                let end = meta.ended_ms.expect("it has ended");
                meta.ended_ms = Some(end + n * 3_600_000);
            })
            .expect("changed");
        ids.push(id);
    }
    let (running, writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let used = catalogue.open_recording(&ids[1]).expect("opens");
    let keep = Keep {
        count: Some(3),
        ..Keep::default()
    };
    let plan = catalogue.plan_retention(&keep);
    let going: Vec<&str> = plan.remove.iter().map(|r| r.id.as_str()).collect();
    let spared: Vec<&str> = plan.spared.iter().map(|r| r.id.as_str()).collect();
    // The one that is being made counts, and is the youngest.
    assert_eq!(spared, [ids[1].as_str()]);
    assert_eq!(going, [ids[0].as_str(), ids[2].as_str()]);
    assert!(plan.remove.iter().all(|removal| removal.bytes > 0));
    assert_eq!(plan.kept, 3);
    // Somebody begins to use one between the plan and the deed.
    let late = catalogue.open_recording(&ids[2]).expect("opens");
    let report = catalogue.apply_retention(&plan);
    assert_eq!(report.deleted.len(), 1);
    assert_eq!(report.deleted[0].id, ids[0]);
    assert!(matches!(&report.failed[..], [(removal, Error::InUse(_))] if removal.id == ids[2]));
    drop((used, late));
    let nothing = Keep {
        bytes: Some(0),
        ..Keep::default()
    };
    let plan = catalogue.plan_retention(&nothing);
    let spared: Vec<&str> = plan.spared.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(spared, [running.id()]);
    let report = catalogue.apply_retention(&plan);
    assert_eq!((report.deleted.len(), report.failed.len()), (3, 0));
    assert_eq!(names(data.path()), [running.id()]);
    writer.finish(State::Stopped).expect("finished");
}
