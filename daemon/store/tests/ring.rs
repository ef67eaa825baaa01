//! A recording that keeps its newest part, beside one of the same events that keeps all: what it answers is the same, or it says that
//! the answer needs what was cut off.

mod common;

use std::collections::BTreeMap;
use std::fmt::Debug;

use common::data::{options, script};
use jhyde_store::*;
use jhyde_trace::{
    CallId, CostLimits, FieldId, MethodId, ObjectId, RecordingOptions, State, ThreadId, Timestamp,
    Variable,
};
use proptest::prelude::*;

/// What a recording answers, by question.
type Answers = BTreeMap<String, Result<String>>;

struct Asked<'a> {
    recording: &'a Recording,
    answers: Answers,
}

impl Asked<'_> {
    fn put<T: Debug>(&mut self, question: impl Into<String>, answer: Result<T>) {
        let answer = answer.map(|answer| format!("{answer:?}"));
        self.answers.insert(question.into(), answer);
    }

    /// Rows one by one, and whether something is missing among them.
    fn rows<T: Debug>(&mut self, question: &str, rows: Rows<T>) {
        let (mut told, mut lost) = (0, 0);
        for row in rows {
            match row {
                Ok(row) => {
                    told += 1;
                    self.put(format!("{question}: {row:?}"), Ok(()));
                }
                Err(error) => {
                    lost += 1;
                    assert!(error.cut_off().is_some(), "{question}: {error}");
                    // Once, for all that was cut off.
                    assert_eq!(lost, 1, "{question}: {error}");
                    self.put(format!("{question}, all of it"), Err::<(), _>(error));
                }
            }
        }
        if lost == 0 {
            self.put(format!("{question}, all of it"), Ok(told));
        }
    }

    fn ranges(&mut self, ranges: &[std::ops::Range<Timestamp>]) {
        for range in ranges {
            for direction in [Direction::Forward, Direction::Backward] {
                let of = format!("{range:?} {direction:?}");
                let all = self.recording.events(range.clone(), None, direction);
                self.rows(&format!("events {of}"), all);
                let thrown = self.recording.exceptions(range.clone(), direction);
                self.rows(&format!("exceptions {of}"), thrown);
                for thread in 1..=3 {
                    let thread = ThreadId(thread);
                    let own = self
                        .recording
                        .events(range.clone(), Some(thread), direction);
                    self.rows(&format!("events of {thread} {of}"), own);
                    let root = CallId::root(thread);
                    let own = self.recording.own_events(root, range.clone(), direction);
                    self.rows(&format!("own {thread} {of}"), own);
                }
                for variable in variables() {
                    let writes = self.recording.writes(variable, range.clone(), direction);
                    self.rows(&format!("writes {variable:?} {of}"), writes);
                }
                for object in 0..12 {
                    let object = ObjectId(object);
                    let changes = self
                        .recording
                        .content_changes(object, range.clone(), direction);
                    self.rows(&format!("content {object:?} {of}"), changes);
                }
            }
            let gaps = self.recording.gaps(range.clone());
            self.rows(&format!("gaps {range:?}"), gaps);
            let counted = self.recording.tallies(range.clone());
            self.rows(&format!("counted {range:?}"), counted);
            for object in 0..12 {
                let object = ObjectId(object);
                let written = self
                    .recording
                    .written_between(object, range.start, range.end);
                self.put(format!("written {object:?} {range:?}"), written);
                let elements = self.recording.element_writes(object, range.clone());
                self.rows(&format!("elements {object:?} {range:?}"), elements);
            }
        }
    }

    fn points(&mut self, events: u64) {
        let step = (events / 40).max(1) as usize;
        for at in (0..events).step_by(step).map(Timestamp) {
            self.put(format!("event {at}"), self.recording.event(at));
            for variable in variables() {
                let last = self.recording.last_write(variable, at);
                self.put(format!("last of {variable:?} at {at}"), last);
            }
            for thread in 1..=3 {
                let innermost = self.recording.innermost_call(ThreadId(thread), at);
                self.put(format!("innermost {thread} {at}"), innermost);
                let before = self.recording.calls_before(ThreadId(thread), at);
                self.put(format!("calls of {thread} before {at}"), before);
            }
            for number in 0..8 {
                let before = self.recording.invocation_at(MethodId(number), at);
                self.put(format!("calls of method {number} before {at}"), before);
            }
            for object in 0..12 {
                let object = ObjectId(object);
                let state = self.recording.object_state(object, at, 0, 100);
                self.put(format!("state of {object:?} at {at}"), state);
                let kept = self.recording.kept_object_state(object, at, 0, 100);
                for write in kept.into_iter().flatten() {
                    let last = format!("last of {:?} at {at}", write.variable);
                    self.put(last, Ok(Some(write)));
                }
            }
        }
    }

    fn calls(&mut self) {
        for object in 0..12 {
            let object = ObjectId(object);
            self.put(
                format!("creation {object:?}"),
                self.recording.creation(object),
            );
        }
        for thread in 1..=3 {
            let thread = ThreadId(thread);
            let Ok(root) = self.recording.root(thread) else {
                continue;
            };
            self.put(format!("root {thread}"), Ok(root));
            let rows = self.recording.preorder(thread, 1..u64::MAX);
            let mut lost = 0;
            for row in rows {
                match row {
                    Ok(call) => {
                        let outcome = self.recording.outcome(&call);
                        self.put(format!("outcome {}", call.id), outcome);
                        let arguments = self.recording.arguments(&call);
                        self.put(format!("arguments {}", call.id), arguments);
                        for direction in [Direction::Forward, Direction::Backward] {
                            let all = Timestamp(0)..Timestamp(u64::MAX);
                            let own = self.recording.own_events(call.id, all, direction);
                            self.rows(&format!("own {} {direction:?}", call.id), own);
                        }
                        self.put(format!("path {}", call.id), self.recording.path(call.id));
                        let children = self.recording.children(call.id, None, 20);
                        self.put(format!("children {}", call.id), children);
                        self.put(format!("call {}", call.id), Ok(call));
                    }
                    Err(error) => {
                        assert!(error.cut_off().is_some(), "{error}");
                        lost += 1;
                    }
                }
            }
            // Between calls that run on, and not for each block.
            assert!(lost <= 40, "{lost} times");
            for preorder in (1..=root.calls).step_by(5) {
                let id = CallId::new(thread, preorder);
                self.put(format!("call {id}"), self.recording.call(id));
            }
        }
        for number in 0..8 {
            let method = MethodId(number);
            let count = self.recording.invocations(method);
            self.put(format!("invocations {number}"), count.clone());
            for from in [0, 3, 50, count.unwrap_or(0).saturating_sub(4)] {
                let calls = self.recording.calls_of_method(method, from, 3);
                self.put(format!("calls of {number} from {from}"), calls);
            }
        }
    }
}

fn variables() -> Vec<Variable> {
    let mut all = Vec::new();
    for number in 0..5 {
        let field = FieldId(number);
        all.push(Variable::Static { field });
        for object in 0..12 {
            let object = ObjectId(object);
            all.push(Variable::Field { object, field });
            all.push(Variable::Element {
                array: object,
                index: number,
            });
        }
    }
    all
}

fn ask(recording: &Recording, ranges: &[std::ops::Range<Timestamp>]) -> Answers {
    let mut asked = Asked {
        recording,
        answers: Answers::new(),
    };
    asked.ranges(ranges);
    asked.points(recording.end().0);
    asked.calls();
    asked.answers
}

/// What is told is so; what is not told is said to be cut off.
fn compare(all: &Recording, ring: &Recording, ranges: &[std::ops::Range<Timestamp>]) -> usize {
    let whole = ask(all, ranges);
    let kept = ask(ring, ranges);
    let from = ring.stats().expect("counted").kept_from;
    let mut cut = 0;
    for (question, answer) in &kept {
        match answer {
            Err(error) => {
                assert_eq!(
                    error.cut_off().map(|to| to.0 + 1),
                    Some(from.0),
                    "{question}: {error}"
                );
                cut += 1;
            }
            Ok(answer) => {
                let whole = whole
                    .get(question)
                    .unwrap_or_else(|| panic!("{question} is not so"));
                assert_eq!(whole.as_ref().expect("all is kept"), answer, "{question}");
            }
        }
    }
    // Nothing that was told of all is left out without a word: rows behind what is kept are there.
    let mut looked_at = 0;
    for question in whole.keys() {
        let row =
            question.starts_with("events Timestamp(0)..Timestamp(18446744073709551615) Forward: ");
        let stamp = question.split_once("timestamp: Timestamp(").filter(|_| row);
        let stamp = stamp.and_then(|(_, rest)| rest.split_once(')')?.0.parse::<u64>().ok());
        if stamp.is_some_and(|stamp| stamp >= from.0) {
            looked_at += 1;
            assert!(kept.contains_key(question), "{question}");
        }
    }
    assert_eq!(looked_at, all.end().0 - from.0);
    cut
}

/// So many bytes are kept of tests' recordings: some blocks of 64 events.
const RING: u64 = 4000;

fn check(bytes: &[u8], ranges: &[(u16, u16)]) -> (u64, usize) {
    let events = jhyde_trace::fuzzing::events_from(bytes);
    let n = events.len() as u64;
    let mut asked: Vec<_> = ranges
        .iter()
        .map(|&(from, length)| {
            let from = u64::from(from) % (n + 1);
            Timestamp(from)..Timestamp(from + u64::from(length) % (n + 3))
        })
        .collect();
    asked.push(Timestamp(0)..Timestamp(u64::MAX));
    let data = tempfile::tempdir().expect("a folder");
    let small = StoreOptions {
        group_blocks: 2,
        ..options()
    };
    let catalogue = Catalogue::open(data.path(), small.clone()).expect("a catalogue");
    let make = |name: &str, ring| {
        let limits = CostLimits {
            ring,
            ..CostLimits::default()
        };
        let options = RecordingOptions {
            limits,
            ..RecordingOptions::default()
        };
        catalogue.create(Some(name), options).expect("a recording")
    };
    let (all, mut to_all) = make("all", None);
    let (ring, mut to_ring) = make("ring", Some(RING));
    let half = events.len() / 2;
    for (at, event) in events.into_iter().enumerate() {
        to_all.append(event.clone()).expect("the event nests");
        to_ring.append(event).expect("the event nests");
        if at == half {
            to_ring.flush().expect("flushed");
            compare(&all, &ring, &asked);
        }
    }
    to_all.finish(State::Stopped).expect("finished");
    to_ring.finish(State::Stopped).expect("finished");
    let before = compare(&all, &ring, &asked);
    let stats = ring.stats().expect("counted");
    assert_eq!(stats.events, n);
    let whole = all.check(|_, _| true).events;
    assert_eq!(whole, n);
    let id = ring.id().to_owned();
    drop(ring);
    // Again from the disk, and in the smallest form.
    for seals in [false, true] {
        if seals {
            catalogue.seal(&id).expect("sealed");
        }
        let other = Catalogue::open(
            data.path(),
            StoreOptions {
                read_only: true,
                ..small.clone()
            },
        );
        let ring = other
            .expect("a catalogue")
            .open_recording(&id)
            .expect("it opens");
        assert_eq!(compare(&all, &ring, &asked), before);
        let report = ring.check(|_, _| true);
        assert!(report.damage.is_empty(), "{:?}", report.damage);
        assert_eq!(report.events, n - stats.kept_from.0);
    }
    (stats.kept_from.0, before)
}

#[test]
fn what_is_kept_is_told_as_it_was_and_what_is_cut_off_is_said() {
    let events = script(9000).len() as u64;
    let bytes: Vec<u8> = (0..9000u64)
        .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
        .collect();
    let (kept_from, cut) = check(&bytes, &[(100, 700), (900, 20), (1500, 400)]);
    assert!(
        kept_from > events / 3 && kept_from < events,
        "{kept_from} of {events}"
    );
    assert!(cut > 100, "{cut} answers need it");
}

#[test]
fn what_is_small_is_kept() {
    let bytes: Vec<u8> = (0..200u64).map(|i| (i * 7) as u8).collect();
    assert_eq!(check(&bytes, &[]), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn any_script(
        bytes in proptest::collection::vec(any::<u8>(), 0..8000),
        ranges in proptest::collection::vec(any::<(u16, u16)>(), 1..3),
    ) {
        check(&bytes, &ranges);
    }
}
