//! Every kind of question, at random places of a recording, timed.

use std::time::{Duration, Instant};

use jhyde_store::{Direction, Recording};
use jhyde_trace::*;

use crate::program::{Random, TABLE};

/// Times a query at random places.
fn time(name: &str, mut query: impl FnMut(&mut Random)) {
    let mut random = Random(7);
    let mut times: Vec<Duration> = (0..300)
        .map(|_| {
            let begin = Instant::now();
            query(&mut random);
            begin.elapsed()
        })
        .collect();
    times.sort();
    let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
    println!("| {name} | {:.3} | {:.3} |", at(50), at(99));
}

pub(crate) fn ask(recording: &Recording, size: u64) {
    let calls: Vec<u64> = (1..=4)
        .map(|thread| recording.root(ThreadId(thread)).expect("a thread").calls)
        .collect();
    let any_call = |random: &mut Random| {
        let thread = random.below(4);
        let calls = calls[thread as usize].max(1);
        CallId::new(ThreadId(thread as u32 + 1), 1 + random.below(calls))
    };
    let any_time = |random: &mut Random| Timestamp(random.below(size));
    let range = |at: Timestamp| at..Timestamp(u64::MAX);
    time("event", |random| {
        drop(recording.event(any_time(random)).expect("an event"))
    });
    time("event page of 100", |random| {
        let rows = recording.events(range(any_time(random)), None, Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("call", |random| {
        recording.call(any_call(random)).expect("a call");
    });
    time("path to the root", |random| {
        drop(recording.path(any_call(random)).expect("a path"));
    });
    time("tree page: 50 children of main, with values", |random| {
        let thread = ThreadId(random.below(4) as u32 + 1);
        let main = CallId::new(thread, 1);
        let at = recording
            .innermost_call(thread, any_time(random))
            .expect("a call");
        let path = recording.path(at).expect("a path");
        let after = path
            .iter()
            .find(|call| call.parent == main)
            .map(|call| call.id);
        for child in recording.children(main, after, 50).expect("children") {
            recording.arguments(&child).expect("arguments");
            recording.outcome(&child).expect("an outcome");
        }
    });
    time("own events: page of 100 in the middle of main", |random| {
        let main = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let rows = recording.own_events(main, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("innermost call at a time", |random| {
        let thread = ThreadId(random.below(4) as u32 + 1);
        recording
            .innermost_call(thread, any_time(random))
            .expect("a call");
    });
    let hot = Variable::Field {
        object: TABLE,
        field: FieldId(20),
    };
    time("last write of a hot field", |random| {
        recording.last_write(hot, any_time(random)).expect("asked");
    });
    time("last write of one element among a million", |random| {
        let index = random.below(1_000_000) as u32;
        let element = Variable::Element {
            array: ObjectId(2),
            index,
        };
        recording
            .last_write(element, any_time(random))
            .expect("asked");
    });
    time("last write of a local of main", |random| {
        let call = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let local = Variable::Local {
            call,
            local: Local::Named(1),
        };
        recording
            .last_write(local, any_time(random))
            .expect("asked");
    });
    time("history of a field: 100 writes forward", |random| {
        let rows = recording.writes(hot, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("state of a small object", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        recording
            .object_state(object, any_time(random), 0, 50)
            .expect("a state");
    });
    time("state of a page of the large array", |random| {
        let from = random.below(1_000_000) as u32;
        recording
            .object_state(ObjectId(2), any_time(random), from, 50)
            .expect("a state");
    });
    time("was an object written between", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        let at = any_time(random);
        recording
            .written_between(object, at, Timestamp(at.0 + size / 10))
            .expect("known");
    });
    let invocations = recording.invocations(MethodId(5)).expect("known").max(1);
    time("call by invocation", |random| {
        let n = random.below(invocations);
        recording
            .call_by_invocation(MethodId(5), n)
            .expect("a call");
    });
    time("calls of a method: page of 50", |random| {
        let n = random.below(invocations);
        recording
            .calls_of_method(MethodId(5), n, 50)
            .expect("calls");
    });
    time("exceptions: page of 20", |random| {
        let rows = recording.exceptions(range(any_time(random)), Direction::Forward);
        assert!(rows.take(20).all(|row| row.is_ok()));
    });
    time("next 10 calls at a line", |random| {
        recording
            .calls_at_line(ClassId(5), 81, any_time(random), 10)
            .expect("calls");
    });
}
