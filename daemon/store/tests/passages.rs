//! Passages: they are there with the blocks that they stand for, the same for what is the same, and gone without harm.

mod common;

use std::fs;
use std::path::Path;

use common::data::{catalogue, finished, record};
use jhyde_store::*;
use jhyde_trace::block::Passage;
use jhyde_trace::*;

const MAIN: ThreadId = ThreadId(1);

/// A call in which so many calls are made, each of which makes an object and writes to it. Ids of objects begin with this.
fn events(calls: u64, objects: u64) -> Vec<Event> {
    let event = |call: u64, index: u32, kind: EventKind| Event {
        call: CallId::new(MAIN, call),
        index,
        kind,
    };
    let enter = |method: u32, value: Option<i32>| EventKind::Enter {
        method: MethodId(method),
        receiver: None,
        arguments: value.map(Value::Int).into_iter().collect(),
        call_site: 1,
        boundary: false,
        already_running: false,
    };
    let exit = || EventKind::Exit {
        outcome: Outcome::Returned(None),
    };
    let mut events = vec![event(1, 0, enter(0, None))];
    for number in 0..calls {
        let (call, object) = (number + 2, ObjectId(objects + number));
        let value = Value::Int((number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as i32);
        events.push(event(call, 0, enter(1, Some(number as i32))));
        events.push(event(
            call,
            2,
            EventKind::New {
                object,
                class: ClassId(3),
                length: None,
            },
        ));
        let variable = Variable::Field {
            object,
            field: FieldId(2),
        };
        events.push(event(call, 5, EventKind::Write { variable, value }));
        events.push(event(call, 9, exit()));
    }
    events.push(event(1, 9, exit()));
    events
}

fn passages(recording: &Recording) -> Vec<Passage> {
    let mut at = Timestamp(0);
    let next = || {
        let passage = recording.passage(MAIN, at)?;
        at = passage.end;
        Some(passage)
    };
    std::iter::from_fn(next).collect()
}

/// Spoils all files that have this word in them.
fn spoil(folder: &Path, word: &[u8]) -> usize {
    let files = fs::read_dir(folder.join("db"))
        .expect("the database")
        .flatten();
    let tables = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"));
    let mut spoiled = 0;
    for table in tables {
        let mut bytes = fs::read(&table).expect("a file");
        if bytes.windows(word.len()).any(|window| window == word) {
            bytes[20] ^= 4;
            fs::write(&table, bytes).expect("written");
            spoiled += 1;
        }
    }
    spoiled
}

#[test]
fn they_are_the_same_for_what_is_the_same() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let read = |at: usize, first: u64| {
        let id = finished(folders[at].path(), &events(5000, first));
        let catalogue = catalogue(folders[at].path());
        catalogue.open_recording(&id).expect("it opens")
    };
    let [one, other] = [read(0, 1), read(1, 500)];
    let all = [&one, &other].map(|recording| passages(recording));
    assert!(all[0].len() > 3, "{}", all[0].len());
    let told = |all: &[Passage]| -> Vec<_> {
        all.iter()
            .map(|of| (of.first, of.end, of.digest, of.sites.len()))
            .collect()
    };
    assert_eq!(told(&all[0]), told(&all[1]));
    assert_eq!(all[0][0].first, Timestamp(0));
    assert_eq!(all[0].last().map(|last| last.end), Some(one.end()));
    let compared: u64 = all[0].iter().map(|of| u64::from(of.events)).sum();
    assert_eq!(compared, 5000 * 4 + 2);
    for number in all[0].iter().flat_map(|of| &of.sites) {
        let site = one.site(*number);
        assert_eq!(site, other.site(*number));
        assert!(site.is_some());
    }
    assert_eq!(one.passage(ThreadId(2), Timestamp(0)), None);
    assert_eq!(one.site(1 << 30), None);
    // Numbers do not tell objects apart, but what is known of them does.
    let objects = |all: &[Passage]| all[1].objects.first().map(|of| of.object.0);
    assert_eq!(
        objects(&all[0]).map(|object| object + 499),
        objects(&all[1])
    );
}

#[test]
fn damage_of_them_hides_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = finished(folder.path(), &events(5000, 1));
    let reading = |data: &Path| catalogue(data).open_recording(&id).expect("it opens");
    assert!(!passages(&reading(folder.path())).is_empty());
    let spoiled = spoil(&folder.path().join("recordings").join(&id), b"passages");
    assert!(spoiled > 0, "a table tells whose it is");
    let recording = reading(folder.path());
    assert!(passages(&recording).is_empty());
    let all = Timestamp(0)..recording.end();
    let events = recording.events(all, None, Direction::Forward);
    assert_eq!(events.filter(Result::is_ok).count(), 5000 * 4 + 2);
    let damage = recording.check(&mut |_, _| true).damage;
    assert!(!damage.is_empty());
    let named =
        |error: &Error| matches!(error, Error::Slower { what, .. } if what.contains("passages"));
    assert!(damage.iter().all(named), "{damage:?}");
}

#[test]
fn one_that_nobody_finished_has_those_of_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = {
        let catalogue = catalogue(folder.path());
        let options = RecordingOptions::default();
        let (recording, mut writer) = catalogue.create(None, options).expect("a recording");
        record(&mut writer, &events(5000, 1)[..15_000]);
        // Without its end.
        drop(writer);
        recording.id().to_owned()
    };
    let recording = catalogue(folder.path())
        .open_recording(&id)
        .expect("it opens");
    let all = passages(&recording);
    assert!(all.len() > 1);
    assert!(all.iter().all(|of| of.end <= recording.end()));
    let main = all[0].running.first().map(|call| (call.call, call.entered));
    assert_eq!(main, Some((1, Timestamp(0))), "the call around all of them");
}

#[test]
fn one_that_keeps_its_newest_part_has_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalogue = catalogue(folder.path());
    let mut options = RecordingOptions::default();
    options.limits.ring = Some(64 << 20);
    let (recording, mut writer) = catalogue.create(None, options).expect("a recording");
    record(&mut writer, &events(5000, 1));
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("finished");
    assert!(passages(&recording).is_empty());
}
