//! A data folder that hands, other programs and odd clocks have been in.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use common::data::{all_events, copy, finished, options, record, script};
use jhyde_store::*;
use jhyde_trace::*;

fn catalogue(data: &Path) -> Catalogue {
    Catalogue::open(data, options()).expect("a catalogue")
}

fn ids(catalogue: &Catalogue) -> Vec<String> {
    let mut ids: Vec<String> = catalogue.list().into_iter().map(|meta| meta.id).collect();
    ids.sort();
    ids
}

#[test]
fn folders_decide_what_there_is() {
    let data = tempfile::tempdir().expect("a folder");
    let events = script(1000);
    let id = finished(data.path(), &events);
    let recordings = data.path().join("recordings");
    // Moved by hand while no daemon looked, beside things that are no recordings.
    fs::rename(recordings.join(&id), recordings.join("moved")).expect("moved");
    fs::create_dir(recordings.join("empty")).expect("a folder");
    fs::write(recordings.join("file"), "x").expect("a file");
    let catalogue = catalogue(data.path());
    assert_eq!(ids(&catalogue), ["moved"]);
    assert!(catalogue.unreadable().is_empty());
    let recording = catalogue.open_recording("moved").expect("the recording");
    assert_eq!(all_events(&recording), events);
}

#[test]
fn hands_in_the_folder_while_a_daemon_runs() {
    let data = tempfile::tempdir().expect("a folder");
    let events = script(500);
    let id = finished(data.path(), &events);
    let recordings = data.path().join("recordings");
    let catalogue = catalogue(data.path());
    let path = recordings.join(&id);

    // A copy appears, and is another recording of the same name.
    copy(&path, &recordings.join("copied"));
    assert_eq!(ids(&catalogue), [id.as_str(), "copied"]);
    let word = catalogue.find("made");
    assert!(matches!(word, Err(Error::Ambiguous { ref candidates, .. }) if candidates.len() == 2));
    let copied = catalogue.open_recording("copied").expect("opens");
    assert_eq!(all_events(&copied), events);
    assert_eq!(copied.meta().id, "copied");
    drop(copied);

    // One goes, unopened and open.
    fs::remove_dir_all(&path).expect("deleted");
    assert_eq!(ids(&catalogue), ["copied"]);
    assert!(matches!(
        catalogue.open_recording(&id),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(catalogue.delete(&id), Err(Error::NotFound(_))));
    let copied = catalogue.open_recording("copied").expect("opens");
    fs::remove_dir_all(recordings.join("copied")).expect("deleted");
    assert_eq!(all_events(&copied), events, "its files are still open");
    drop(copied);
    assert!(ids(&catalogue).is_empty());

    // A description without a database, a database without a description, one that is none.
    let id = {
        let (recording, mut writer) = catalogue
            .create(Some("new"), RecordingOptions::default())
            .expect("a recording");
        record(&mut writer, &events);
        writer.finish(State::Stopped).expect("finished");
        recording.id().to_owned()
    };
    let path = recordings.join(&id);
    for name in ["no-database", "no-words", "nonsense"] {
        copy(&path, &recordings.join(name));
    }
    fs::remove_dir_all(recordings.join("no-database/db")).expect("deleted");
    fs::remove_file(recordings.join("no-words/recording.json")).expect("deleted");
    fs::write(recordings.join("nonsense/recording.json"), "{}").expect("written");
    let mut unreadable = catalogue.unreadable();
    unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    let names: Vec<&str> = unreadable.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["no-words", "nonsense"]);
    assert!(unreadable[0].1.to_string().contains("no recording.json"));
    let error = catalogue
        .open_recording("nonsense")
        .expect_err("no description");
    assert!(error.to_string().contains("nonsense"), "{error}");
    let error = catalogue
        .open_recording("no-database")
        .expect_err("nothing to open");
    assert!(matches!(error, Error::Database { .. }), "{error}");
    assert!(
        !recordings.join("no-database/db").join("CURRENT").exists(),
        "nothing is made up"
    );
    assert_eq!(ids(&catalogue), [id.as_str(), "no-database"]);
    catalogue
        .delete("no-database")
        .expect("what is left of it goes");

    // A name that was given by hand to two.
    let error = catalogue.update_meta(&id, |meta| meta.name = String::new());
    assert!(matches!(error, Err(Error::InvalidName { .. })));
    assert_eq!(catalogue.find("new").expect("unchanged").id, id);
}

static CLOCK: AtomicU64 = AtomicU64::new(0);

fn clock() -> u64 {
    CLOCK.load(Ordering::Relaxed)
}

#[test]
fn a_clock_that_jumps() {
    const DAY: u64 = 86_400_000;
    let now = 1_700_000_000_000;
    let data = tempfile::tempdir().expect("a folder");
    let options = StoreOptions { clock, ..options() };
    let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
    CLOCK.store(now, Ordering::Relaxed);
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let events = script(4000);
    let jumps = [
        now,
        now + DAY,
        now - DAY,
        0,
        now + 2 * DAY,
        now + DAY,
        now + 3 * DAY,
    ];
    for (events, jump) in events.chunks(events.len().div_ceil(jumps.len())).zip(jumps) {
        CLOCK.store(jump, Ordering::Relaxed);
        record(&mut writer, events);
        writer.flush().expect("flushed");
    }
    CLOCK.store(now - DAY, Ordering::Relaxed);
    writer.finish(State::Stopped).expect("finished");
    let meta = recording.meta();
    assert_eq!(meta.created_ms, now);
    assert_eq!(meta.ended_ms, Some(now), "it does not end before it began");
    let times: Vec<u64> = (0..recording.end().0)
        .map(|at| recording.wall_time_ms(Timestamp(at)).expect("a time"))
        .collect();
    assert!(times.is_sorted(), "times never go back");
    assert_eq!(times.first(), Some(&now));
    assert_eq!(all_events(&recording), events);
    let id = recording.id().to_owned();
    drop(recording);

    // The same moment twice, before everything, and at the end of time.
    let mut made = vec![id.clone()];
    for moment in [now, now, 0, 0, u64::MAX, u64::MAX] {
        CLOCK.store(moment, Ordering::Relaxed);
        let (recording, writer) = catalogue
            .create(None, RecordingOptions::default())
            .expect("a recording");
        writer.finish(State::Stopped).expect("finished");
        made.push(recording.id().to_owned());
    }
    made.sort();
    assert_eq!(ids(&catalogue), made, "every one has an id of its own");
    let listed = catalogue.list();
    assert!(listed.is_sorted_by(|a, b| a.created_ms >= b.created_ms));

    // A clock that stands at 1970 makes nothing old; one far ahead does not reach what is in its future.
    let week = Keep {
        age_ms: Some(7 * DAY),
        ..Keep::default()
    };
    CLOCK.store(0, Ordering::Relaxed);
    assert!(catalogue.plan_retention(&week).remove.is_empty());
    CLOCK.store(now + 30 * DAY, Ordering::Relaxed);
    let plan = catalogue.plan_retention(&week);
    assert_eq!(plan.remove.len(), 5);
    assert!(plan.remove.iter().any(|removal| removal.id == id));
}
