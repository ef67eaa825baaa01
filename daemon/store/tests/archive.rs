//! A recording as one file, and back: whole, cut, damaged, hostile.

mod common;

use std::fs;
use std::path::Path;

use common::data::{catalogue, everything, finished, names, script};
use common::{Model, compare};
use jhyde_store::*;
use jhyde_trace::*;

fn always(_: u64, _: u64) -> bool {
    true
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
        let model = Model::of(events.clone());
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
