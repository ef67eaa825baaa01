//! Coverage at size: 10^6 calls and 10^7 events, in bounded memory and a few seconds.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use jhyde_debugging::{Coverage, Entities, RecordedCoverage, Sessions, Stopped, Strategy};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{
    CallId, Event, EventKind, FieldId, Level, Local, MethodId, ObjectId, Outcome, RecordingOptions,
    State, ThreadId, ThreadInfo, Value, Variable,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const CALLS: u64 = 1_000_000;
const THREAD: ThreadId = ThreadId(1);

/// splitmix64: the same history each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % n
    }
}

#[test]
fn a_million_calls_take_less_than_50_mb_and_ten_million_events_a_few_seconds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue =
        Catalogue::open(folder.path(), StoreOptions::default()).expect("a new data folder");
    let options = RecordingOptions {
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue
        .create(Some("large"), options)
        .expect("a new recording");
    writer
        .thread(ThreadInfo {
            id: THREAD,
            name: "main".to_owned(),
            group: None,
        })
        .expect("a thread");
    // 200 methods without code, so that every edge counts; each call goes one of 32 ways through five
    // conditions and reads what others wrote.
    let mut random = Random(7);
    let mut events = 0_u64;
    for number in 1..=CALLS {
        let call = CallId::new(THREAD, number);
        let method = random.below(200) as u32;
        let mut put = |index, kind| {
            events += 1;
            writer
                .append(Event { call, index, kind })
                .expect("an event that fits");
        };
        put(
            0,
            EventKind::Enter {
                method: MethodId(method),
                receiver: None,
                arguments: vec![Value::Int(1)],
                call_site: 0,
                boundary: false,
                already_running: false,
            },
        );
        let ways = random.below(32) as u32;
        for condition in 0..5 {
            let from = condition * 10;
            let to = from + 3 + (ways >> condition & 1) * 4;
            put(from, EventKind::Edge { from, to });
        }
        let local = Local::Slot(1 + (ways & 3) as u16);
        let variable = Variable::Local { call, local };
        let value = Value::Int(7);
        put(60, EventKind::Write { variable, value });
        put(70, EventKind::Use { variable });
        let variable = Variable::Field {
            object: ObjectId(1 + random.below(1000)),
            field: FieldId(method % 20),
        };
        match ways & 1 {
            0 => put(80, EventKind::Write { variable, value }),
            _ => put(81, EventKind::Use { variable }),
        }
        put(
            90,
            EventKind::Exit {
                outcome: Outcome::Returned(None),
            },
        );
    }
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    assert_eq!(events, CALLS * 10);
    let read = || {
        let begin = Instant::now();
        let mut coverage = RecordedCoverage::default();
        let read = coverage.refresh(&recording, &AtomicBool::new(false));
        assert!(read.expect("can be read").is_continue());
        (coverage, begin.elapsed())
    };
    // What the store keeps in memory of blocks is there after this, and is not counted.
    drop(read());
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (coverage, took) = read();
    let held = (MEMORY.current_usage() - before) as f64 / 1e6;
    let peak = (MEMORY.peak_usage() - before) as f64 / 1e6;
    let sets = [Entities::Edges, Entities::DuChains].map(|kind| coverage.sets(kind));
    println!(
        "{events} events in {took:?}; {sets:?} sets; {held:.1} MB held, {peak:.1} MB at most, {:.1} MB by its own \
         account",
        coverage.memory() as f64 / 1e6
    );
    assert!(
        held < 50.0 && peak < 80.0,
        "{held} MB held, {peak} MB at most"
    );
    assert!(coverage.memory() as f64 / 1e6 > held * 0.5);
    // About 2 s on an idle core of this profile; the bound leaves room for a busy machine.
    assert!(took.as_secs() < 20, "{took:?}");
    let known = (1..=CALLS).step_by(997);
    for number in known {
        let call = CallId::new(THREAD, number);
        assert!(coverage.covered(Entities::Edges, call).is_some());
    }
    // A pass that was cancelled goes on where it ended.
    let mut again = RecordedCoverage::default();
    let cancelled = again.refresh(&recording, &AtomicBool::new(true));
    assert_eq!(
        cancelled.expect("can be read"),
        ControlFlow::Break(Stopped::Cancelled)
    );
    assert!(
        again
            .covered(Entities::Edges, CallId::new(THREAD, CALLS))
            .is_none()
    );
    // What does not fit the memory is not begun, or ended early, and said.
    let limit = 2 << 20;
    let mut small = RecordedCoverage::default();
    small.limit = limit;
    let full = small.refresh(&recording, &AtomicBool::new(false));
    assert_eq!(
        full.expect("can be read"),
        ControlFlow::Break(Stopped::Full)
    );
    assert!(small.memory() < 2 * limit, "{}", small.memory());
    let strategies = [
        Strategy::DivideAndQuery,
        "coverage-halving:edges".parse().expect("a strategy"),
    ];
    for (bytes, strategy) in [CALLS * 20, CALLS * 22].into_iter().zip(strategies) {
        let refused = Sessions::within(bytes).create(&recording, strategy, None);
        let told = refused.expect_err("does not fit").to_string();
        assert!(told.contains("--memory"), "{told}");
    }
    let fits = Sessions::within(CALLS * 22).create(&recording, Strategy::DivideAndQuery, None);
    fits.expect("the tree alone fits");
}
