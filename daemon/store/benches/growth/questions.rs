//! Every kind of question, at random places of a recording, timed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jhyde_history::History;
use jhyde_history::writes::WriteList;
use jhyde_store::{Direction, Recording};
use jhyde_trace::*;
use rustix::time::ClockId;

use crate::measure::{Question, processor};
use crate::program::{Random, TABLE};

/// How often each kind is asked.
const TIMES: usize = 300;

/// Collects the times of every kind.
struct Asked(Vec<Question>);

impl Asked {
    /// Times a query at random places.
    fn time(&mut self, name: &str, mut query: impl FnMut(&mut Random)) {
        let mut random = Random(7);
        let mut times: Vec<(Duration, Duration)> = (0..TIMES)
            .map(|_| {
                let (begin, busy) = (Instant::now(), processor(ClockId::ProcessCPUTime));
                query(&mut random);
                (begin.elapsed(), processor(ClockId::ProcessCPUTime) - busy)
            })
            .collect();
        let mut at = |part: usize, wall: bool| {
            times.sort_by_key(|time| if wall { time.0 } else { time.1 });
            let time = times[TIMES * part / 100];
            (if wall { time.0 } else { time.1 }).as_secs_f64() * 1e3
        };
        self.0.push(Question {
            name: name.to_owned(),
            median: at(50, true),
            p99: at(99, true),
            processor_p99: at(99, false),
        });
    }
}

/// Asks every kind of question.
pub(crate) fn ask(recording: &Arc<Recording>, size: u64) -> Vec<Question> {
    let mut asked = Asked(Vec::new());
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
    asked.time("event", |random| {
        drop(recording.event(any_time(random)).expect("an event"))
    });
    asked.time("event page of 100", |random| {
        let rows = recording.events(range(any_time(random)), None, Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    asked.time("call", |random| {
        recording.call(any_call(random)).expect("a call");
    });
    asked.time("path to the root", |random| {
        drop(recording.path(any_call(random)).expect("a path"));
    });
    asked.time("tree page: 50 children of main, with values", |random| {
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
    asked.time("own events: page of 100 in the middle of main", |random| {
        let main = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let rows = recording.own_events(main, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    asked.time("innermost call at a time", |random| {
        let thread = ThreadId(random.below(4) as u32 + 1);
        recording
            .innermost_call(thread, any_time(random))
            .expect("a call");
    });
    let hot = Variable::Field {
        object: TABLE,
        field: FieldId(20),
    };
    asked.time("last write of a hot field", |random| {
        recording.last_write(hot, any_time(random)).expect("asked");
    });
    asked.time("last write of one element among a million", |random| {
        let index = random.below(1_000_000) as u32;
        let element = Variable::Element {
            array: ObjectId(2),
            index,
        };
        recording
            .last_write(element, any_time(random))
            .expect("asked");
    });
    asked.time("last write of a local of main", |random| {
        let call = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let local = Variable::Local {
            call,
            local: Local::Named(1),
        };
        recording
            .last_write(local, any_time(random))
            .expect("asked");
    });
    asked.time("history of a field: 100 writes forward", |random| {
        let rows = recording.writes(hot, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    asked.time("state of a small object", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        recording
            .object_state(object, any_time(random), 0, 50)
            .expect("a state");
    });
    asked.time("state of a page of the large array", |random| {
        let from = random.below(1_000_000) as u32;
        recording
            .object_state(ObjectId(2), any_time(random), from, 50)
            .expect("a state");
    });
    asked.time("was an object written between", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        let at = any_time(random);
        recording
            .written_between(object, at, Timestamp(at.0 + size / 10))
            .expect("known");
    });
    let invocations = recording.invocations(MethodId(5)).expect("known").max(1);
    asked.time("call by invocation", |random| {
        let n = random.below(invocations);
        recording
            .call_by_invocation(MethodId(5), n)
            .expect("a call");
    });
    asked.time("calls of a method: page of 50", |random| {
        let n = random.below(invocations);
        recording
            .calls_of_method(MethodId(5), n, 50)
            .expect("calls");
    });
    asked.time("exceptions: page of 20", |random| {
        let rows = recording.exceptions(range(any_time(random)), Direction::Forward);
        assert!(rows.take(20).all(|row| row.is_ok()));
    });
    asked.time("next 10 calls at a line", |random| {
        recording
            .calls_at_line(ClassId(5), 81, any_time(random), 10)
            .expect("calls");
    });
    views(
        &mut asked,
        &History::new(Arc::clone(recording)),
        any_call,
        any_time,
    );
    asked.0
}

/// What people see is made of the above by `jhyde-history`: these are its answers, as a client gets them.
fn views(
    asked: &mut Asked,
    history: &History,
    any_call: impl Fn(&mut Random) -> CallId,
    any_time: impl Fn(&mut Random) -> Timestamp,
) {
    let between = |random: &mut Random| {
        let (a, b) = (any_time(random), any_time(random));
        (a.min(b), a.max(b))
    };
    asked.time(
        "state of a call before and after, changed below",
        |random| {
            let state = history.state(any_call(random), None, None, 0);
            state.expect("a state");
        },
    );
    asked.time("state of main between two times, changed below", |random| {
        let main = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let main = history.recording().call(main).expect("a call");
        let end = main.exit.unwrap_or(Timestamp(u64::MAX));
        let (from, to) = between(random);
        let within = |at: Timestamp| Some(at.clamp(main.enter, end));
        let state = history.state(main.id, within(from), within(to), 0);
        state.expect("a state");
    });
    asked.time("objects reachable from what a call was given", |random| {
        history.input(any_call(random)).expect("objects");
    });
    asked.time("an object's fields at two times, changed below", |random| {
        let (from, to) = between(random);
        let page = history.expand(TABLE, from, to, 0, 50, "");
        page.expect("a page");
    });
    let hot = Variable::Field {
        object: TABLE,
        field: FieldId(20),
    };
    let list = |from, to, newest_first| WriteList {
        variable: hot,
        from,
        to,
        newest_first,
    };
    asked.time("history: page of 50 from a time on", |random| {
        let list = list(Some(any_time(random)), None, false);
        history.writes(&list, 50, "").expect("a page");
    });
    asked.time("history: page of 50 backwards from a time", |random| {
        let list = list(None, Some(any_time(random)), true);
        history.writes(&list, 50, "").expect("a page");
    });
    asked.time("history: last page of 50, from the end", |_| {
        history
            .writes(&list(None, None, true), 50, "")
            .expect("a page");
    });
}
