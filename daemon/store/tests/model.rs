//! Every query, compared with a naive model in memory: while the recording runs, when it is done, and
//! after it was opened again.

mod common;

use common::{Model, compare};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{RecordingOptions, State, Timestamp};
use proptest::prelude::*;

fn options(block_events: u32) -> StoreOptions {
    StoreOptions {
        block_events,
        group_blocks: 2,
        memory_bytes: 64 << 20,
        ..StoreOptions::default()
    }
}

/// Records a script's events in blocks of 64 and compares at the given moments, at the end, and after
/// opening again. At `doubt.0` it turns out that what was told from `doubt.1` on may be false.
fn check(bytes: &[u8], moments: &[usize], ranges: &[(u16, u16)], doubt: Option<(usize, usize)>) {
    let events = jhyde_trace::fuzzing::events_from(bytes);
    let n = events.len() as u64;
    let mut ranges: Vec<_> = ranges
        .iter()
        .map(|&(from, length)| {
            let from = u64::from(from) % (n + 1);
            Timestamp(from)..Timestamp(from + u64::from(length) % (n + 3))
        })
        .collect();
    ranges.push(Timestamp(0)..Timestamp(u64::MAX));
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options(64)).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(Some("model"), RecordingOptions::default())
        .expect("a recording");
    let mut model = Model::default();
    let mut moments: Vec<_> = moments.iter().map(|at| at % (events.len() + 1)).collect();
    moments.sort_unstable();
    let doubt = doubt.map(|(at, since)| (at % (events.len() + 1), since));
    for (at, event) in events.into_iter().enumerate() {
        if let Some((_, since)) = doubt.filter(|doubt| doubt.0 == at) {
            let since = since % (at + 1);
            let told = writer.doubt(Timestamp(since as u64), "a test".to_owned());
            told.expect("it is told");
            model.doubt(since);
        }
        if moments.binary_search(&at).is_ok() {
            compare(&recording, &model, &ranges);
        }
        let timestamp = writer.append(event.clone()).expect("the event nests");
        assert_eq!(timestamp, Timestamp(at as u64));
        model.push(event);
    }
    compare(&recording, &model, &ranges);
    writer.flush().expect("flushed");
    compare(&recording, &model, &ranges);
    writer.finish(State::Stopped).expect("finished");
    compare(&recording, &model, &ranges);
    drop((recording, catalogue));
    let catalogue = Catalogue::open(data.path(), options(64)).expect("a catalogue");
    let id = catalogue.find("model").expect("the recording").id;
    let recording = catalogue.open_recording(&id).expect("the recording");
    assert_eq!(recording.meta().state, State::Stopped);
    compare(&recording, &model, &ranges);
    let report = recording.check(|_, _| true);
    assert!(report.damage.is_empty(), "{:?}", report.damage);
    assert_eq!(report.events, n);
    drop(recording);
    catalogue.seal(&id).expect("sealed");
    let recording = catalogue.open_recording(&id).expect("the recording");
    compare(&recording, &model, &ranges);
    assert!(recording.check(|_, _| true).damage.is_empty());
    recording
        .put_session("s", b"kept")
        .expect("beside what is sealed");
    assert_eq!(recording.sessions().expect("read"), ["s"]);
    assert!(recording.inspect().expect("a report").index_groups <= 1);
    // Sealed, it may be open in many daemons at once.
    let reading = StoreOptions {
        read_only: true,
        ..options(64)
    };
    let other = Catalogue::open(data.path(), reading).expect("a catalogue");
    let recording = other.open_recording(&id).expect("the recording");
    compare(&recording, &model, &ranges);
}

#[test]
fn nothing_recorded() {
    check(&[], &[], &[(0, 0)], None);
}

#[test]
fn a_long_script() {
    let bytes: Vec<u8> = (0..9000u64)
        .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
        .collect();
    check(&bytes, &[500, 1500], &[(100, 700), (900, 20)], None);
    check(&bytes, &[1500], &[(100, 700), (900, 20)], Some((1200, 450)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn any_script(
        bytes in proptest::collection::vec(any::<u8>(), 0..2500),
        moments in proptest::collection::vec(any::<usize>(), 0..2),
        ranges in proptest::collection::vec(any::<(u16, u16)>(), 1..3),
        doubt in proptest::option::of(any::<(usize, usize)>()),
    ) {
        check(&bytes, &moments, &ranges, doubt);
    }
}
