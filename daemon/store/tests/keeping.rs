//! Keeping recordings: one open for many, read by several processes, as one file and back, and which go.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::data::{all_events, everything, finished, options, record, script};
use common::{Model, compare};
use jhyde_store::*;
use jhyde_trace::*;

fn catalogue(data: &Path) -> Catalogue {
    Catalogue::open(data, options()).expect("a catalogue")
}

fn reading(data: &Path) -> Catalogue {
    let options = StoreOptions {
        read_only: true,
        ..options()
    };
    Catalogue::open(data, options).expect("reading needs no lock")
}

fn always(_: u64, _: u64) -> bool {
    true
}

/// Names of everything in a folder of recordings.
fn names(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data.join("recordings")).expect("the recordings");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
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
fn a_recording_comes_back_from_its_file() {
    let from = tempfile::tempdir().expect("a folder");
    let to = tempfile::tempdir().expect("a folder");
    let events = script(2000);
    let id = finished(from.path(), &events);
    let source = catalogue(from.path());
    let target = catalogue(to.path());
    let file = to.path().join("one.jhyde");
    for sealed in [false, true] {
        if sealed {
            source.seal(&id).expect("sealed");
        }
        let recording = source.open_recording(&id).expect("opens");
        if !sealed {
            recording.put_session("s", b"kept").expect("a session");
        }
        let mut told = Vec::new();
        let bytes = source
            .export(&id, &file, &mut |done, total| {
                told.push((done, total));
                true
            })
            .expect("exported while somebody reads it");
        assert_eq!(bytes, fs::metadata(&file).expect("the file").len());
        assert!(
            told.is_sorted()
                && told
                    .last()
                    .is_some_and(|(done, total)| done == total && *done > 0)
        );
        assert!(
            matches!(
                source.export(&id, &file, &mut always),
                Err(Error::Io { .. })
            ),
            "what is there is not overwritten"
        );
        let name = sealed.then_some("second");
        let meta = target.import(&file, name, &mut always).expect("imported");
        assert_eq!(meta.id == id, !sealed, "its own id, where that is free");
        assert_eq!(meta.name, if sealed { "second" } else { "made" });
        assert_eq!(meta.state, State::Complete { exit_code: Some(0) });
        assert_eq!(target.is_sealed(&meta.id).expect("known"), sealed);
        let imported = target.open_recording(&meta.id).expect("opens");
        assert_eq!(
            imported.session("s").expect("read").as_deref(),
            Some(&b"kept"[..])
        );
        let model = Model {
            events: events.clone(),
        };
        compare(&imported, &model, &[everything()]);
        let report = imported.check(|_, _| true);
        assert!(report.damage.is_empty(), "{:?}", report.damage);
        fs::remove_file(&file).expect("deleted");
    }
    assert_eq!(names(from.path()), [id.as_str()], "no copy is left");
    assert!(matches!(
        target.import(&to.path().join("nothing"), None, &mut always),
        Err(Error::Io { .. })
    ));
    // Its name is taken by the first import.
    source.export(&id, &file, &mut always).expect("exported");
    let before = names(to.path());
    assert!(matches!(
        target.import(&file, None, &mut always),
        Err(Error::NameTaken { .. })
    ));
    assert_eq!(names(to.path()), before);
}

#[test]
fn a_recording_that_is_being_made_is_not_exported() {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(data.path());
    let (recording, writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let file = data.path().join("file");
    assert!(matches!(
        catalogue.export(recording.id(), &file, &mut always),
        Err(Error::InUse(_))
    ));
    writer.finish(State::Stopped).expect("finished");
    assert!(matches!(
        catalogue.export(recording.id(), &file, &mut |_, _| false),
        Err(Error::Cancelled(_))
    ));
    let left: Vec<_> = fs::read_dir(data.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name != "lock" && name != "recordings")
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(names(data.path()), [recording.id()]);
}

/// Imports bytes; they must be refused, and leave nothing.
fn refused(target: &Catalogue, bytes: &[u8], what: &str) -> Error {
    let origin = Path::new("hostile");
    let imported = target.import_from(bytes, origin, None, &mut always);
    let error = imported.expect_err(what);
    assert!(
        matches!(
            error,
            Error::BadArchive { .. } | Error::UnknownVersion { .. }
        ),
        "{what}: {error}"
    );
    let left = names(target.data_folder());
    assert!(left.is_empty(), "{what} left {left:?}");
    assert!(target.list().is_empty());
    error
}

#[test]
fn damaged_and_cut_files_are_refused_and_leave_nothing() {
    let from = tempfile::tempdir().expect("a folder");
    let to = tempfile::tempdir().expect("a folder");
    let id = finished(from.path(), &script(300));
    let source = catalogue(from.path());
    source.seal(&id).expect("sealed");
    let mut whole = Vec::new();
    source
        .export_to(&id, &mut whole, &mut always)
        .expect("exported");
    let target = catalogue(to.path());
    for step in 0..150 {
        let at = step * whole.len() / 150;
        refused(&target, &whole[..at], &format!("cut at {at}"));
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (step % 8);
        refused(&target, &flipped, &format!("flipped at {at}"));
    }
    refused(&target, &whole[..whole.len() - 1], "without its last byte");
    let longer = [whole.as_slice(), b"x"].concat();
    refused(&target, &longer, "with a byte too many");
    let mut newer = whole.clone();
    newer[8] = 9;
    assert!(matches!(
        refused(&target, &newer, "a newer version"),
        Error::UnknownVersion { found: 9, .. }
    ));
    assert!(matches!(
        target.import_from(whole.as_slice(), Path::new("x"), None, &mut |done, _| done
            == 0),
        Err(Error::Cancelled(_))
    ));
    assert!(names(to.path()).is_empty());
    target
        .import_from(whole.as_slice(), Path::new("x"), None, &mut always)
        .expect("the whole one is taken");
}

#[test]
fn hostile_entries_are_refused() {
    let from = tempfile::tempdir().expect("a folder");
    let to = tempfile::tempdir().expect("a folder");
    let target = catalogue(to.path());
    let id = finished(from.path(), &script(100));
    let path = from
        .path()
        .join("recordings")
        .join(id)
        .join("recording.json");
    let meta = fs::read(path).expect("the description");
    let plain = tar::EntryType::Regular;
    let file = |name: &'static str| (name, plain, b"x".to_vec());
    for hostile in [
        file("../outside"),
        file("db/../../outside"),
        file("/outside"),
        file("db//outside"),
        file("db/sub/file"),
        file("db/.hidden"),
        file("db/"),
        file("db/LOCK"),
        file("db/a\\b"),
        file("other"),
        ("db/link", tar::EntryType::Symlink, Vec::new()),
        ("db/hard", tar::EntryType::Link, Vec::new()),
        ("db/folder", tar::EntryType::Directory, Vec::new()),
        ("db/fifo", tar::EntryType::Fifo, Vec::new()),
        ("long", tar::EntryType::GNULongName, b"../outside".to_vec()),
        (
            "pax",
            tar::EntryType::XHeader,
            b"19 path=../outside\n".to_vec(),
        ),
    ] {
        let entries = vec![("recording.json", plain, meta.clone()), hostile];
        let name = format!("{:?}", (entries[1].0, entries[1].1));
        refused(&target, &crafted(100, &entries), &name);
        assert!(
            !to.path().join("outside").exists() && !to.path().join("recordings/outside").exists()
        );
    }
    let entries = [
        ("recording.json", plain, meta.clone()),
        ("db/big", plain, vec![0; 101]),
    ];
    let error = refused(&target, &crafted(100, &entries), "more than announced");
    assert!(
        error.to_string().contains("more than it announces"),
        "{error}"
    );
    let twice = [
        ("recording.json", plain, meta.clone()),
        ("recording.json", plain, meta),
    ];
    refused(&target, &crafted(100, &twice), "two descriptions");
}

/// A file with a right head and any entries.
fn crafted(total: u64, entries: &[(&str, tar::EntryType, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"JHYDEREC\x01\0\0\0".to_vec();
    out.extend_from_slice(&total.to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
    let mut tar = tar::Builder::new(lz4_flex::frame::FrameEncoder::new(out));
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        if matches!(kind, tar::EntryType::Symlink | tar::EntryType::Link) {
            header.set_link_name("/etc/hostname").expect("a link");
        }
        header.set_cksum();
        tar.append(&header, content.as_slice()).expect("appended");
    }
    let frame = tar.into_inner().expect("the end");
    frame.finish().expect("the end")
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
