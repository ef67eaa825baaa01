//! Questions to a recording that is being written: blocks that come from memory to the disk, and get their postings there, are told once.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::data::options;
use jhyde_store::{Catalogue, Direction, Result, StoreOptions, Write};
use jhyde_trace::{
    CallId, CostLimits, Event, EventKind, FieldId, RecordingOptions, State, ThreadId, Timestamp,
    Value, Variable,
};

const EVENTS: u64 = 60_000;
/// Events of a block.
const BLOCK: u64 = 64;

#[test]
fn every_write_is_told_once() {
    ask_while_it_is_written(None);
}

/// What falls off the front is said, and hides nothing else.
#[test]
fn every_write_is_told_once_or_cut_off() {
    ask_while_it_is_written(Some(20_000));
}

fn ask_while_it_is_written(ring: Option<u64>) {
    let data = tempfile::tempdir().expect("a folder");
    let small = StoreOptions {
        group_blocks: 2,
        ..options()
    };
    let catalogue = Catalogue::open(data.path(), small).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(
            Some("r"),
            RecordingOptions {
                limits: CostLimits {
                    ring,
                    ..CostLimits::default()
                },
                ..RecordingOptions::default()
            },
        )
        .expect("a recording");
    // Each block has a variable of its own: who looks for it goes through all groups of the index, and meanwhile others come.
    let written = |at: u64| {
        let field = FieldId((at / BLOCK) as u32);
        Variable::Static { field }
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0..EVENTS {
                let kind = EventKind::Write {
                    variable: written(at),
                    value: Value::Int(at as i32),
                };
                let event = Event {
                    call: CallId::root(ThreadId(1)),
                    index: 0,
                    kind,
                };
                writer.append(event).expect("the event nests");
            }
            writer.finish(State::Stopped).expect("finished");
            done.store(true, Ordering::Release);
        });
        let (mut asked, mut whole) = (0, 0);
        let mut ends = false;
        while !ends {
            ends = done.load(Ordering::Acquire);
            let end = recording.end();
            // A block that is whole, and was written lately.
            let Some(at) = end.0.checked_sub(2 * BLOCK) else {
                continue;
            };
            for direction in [Direction::Forward, Direction::Backward] {
                let rows = recording.writes(written(at), Timestamp(0)..end, direction);
                let (told, lost): (Vec<_>, Vec<_>) = rows.partition(Result::is_ok);
                let is_cut_off = |row: &Result<Write>| {
                    let error = row.as_ref().err();
                    error.is_some_and(|error| error.cut_off().is_some())
                };
                assert!(lost.iter().all(is_cut_off), "{lost:?}");
                assert!(ring.is_some() || lost.is_empty(), "{lost:?}");
                // It may have been cut off just now.
                let is_whole = told.len() as u64 == BLOCK;
                whole += u64::from(is_whole);
                let all = is_whole || recording.kept_from().0 > at;
                assert!(all, "{} of {at}, of {end} {direction:?}", told.len());
                asked += 1;
            }
        }
        assert!(asked > 100 && whole > asked / 2, "{whole} of {asked}");
        let kept = recording.kept_from().0;
        assert_eq!(ring.is_some(), kept > EVENTS / 2, "{kept}");
    });
}
