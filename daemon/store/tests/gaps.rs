//! How many gaps there are, by reason: while a recording is made, when it is finished, and when it is opened again.

mod common;

use common::data::{catalogue, everything, options};
use jhyde_store::{Catalogue, GapCount, Recording, Writer};
use jhyde_trace::*;

fn append(writer: &mut Writer, kind: EventKind) {
    let event = Event {
        call: CallId::root(ThreadId(1)),
        index: Event::NO_INDEX,
        kind,
    };
    writer.append(event).expect("it nests");
}

fn gap(writer: &mut Writer, reason: &str) {
    let reason = reason.to_owned();
    append(
        writer,
        EventKind::Gap {
            reason,
            back: false,
        },
    );
}

/// Events without gaps, several blocks of them.
fn quiet(writer: &mut Writer, events: u64) {
    for _ in 0..events {
        append(writer, EventKind::ThreadStart);
    }
}

fn counts(recording: &Recording) -> Vec<(u64, String)> {
    let counts = recording.stats().expect("stats").gaps;
    counts
        .into_iter()
        .map(|GapCount { reason, count }| (count, reason))
        .collect()
}

#[test]
fn gaps_are_counted_by_reason_at_any_time() {
    let data = tempfile::tempdir().expect("a folder");
    let made = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = made
        .create(Some("gaps"), RecordingOptions::default())
        .expect("a recording");
    let array = "an array of N elements was not compared".to_owned();
    let end = "the call's end was not seen".to_owned();
    quiet(&mut writer, 3);
    assert_eq!(counts(&recording), []);
    gap(&mut writer, "an array of 70000 elements was not compared");
    assert_eq!(counts(&recording), [(1, array.clone())]);
    // Each time some lie in blocks on the disk, and some in memory.
    for round in 1..=20 {
        quiet(&mut writer, 100);
        gap(
            &mut writer,
            &format!("an array of {round} elements was not compared"),
        );
        gap(&mut writer, &end);
        let expected = [(round + 1, array.clone()), (round, end.clone())];
        assert_eq!(counts(&recording), expected);
        if round == 10 {
            writer.flush().expect("flushed");
        }
    }
    let finished = [(21, array), (20, end)];
    writer.finish(State::Stopped).expect("finished");
    assert_eq!(counts(&recording), finished);
    let id = recording.id().to_owned();
    drop((recording, made));
    let opened = catalogue(data.path());
    let again = opened.open_recording(&id).expect("is there");
    assert_eq!(counts(&again), finished);
    assert_eq!(again.gaps(everything()).count(), 41);
}

#[test]
fn reasons_without_end_take_no_memory_without_end() {
    let data = tempfile::tempdir().expect("a folder");
    let made = Catalogue::open(data.path(), options()).expect("a catalogue");
    let (recording, mut writer) = made
        .create(None, RecordingOptions::default())
        .expect("a recording");
    for n in 0..400_u32 {
        let letters = (0..4).map(|at| char::from(b'a' + (n >> (2 * at) & 3) as u8));
        gap(&mut writer, &letters.collect::<String>());
    }
    // 256 reasons, most of them twice.
    let told = counts(&recording);
    assert_eq!(told.len(), 101);
    assert_eq!(told[0].1, "other reasons");
    assert_eq!(told.iter().map(|(count, _)| count).sum::<u64>(), 400);
    writer.finish(State::Stopped).expect("finished");
}
