//! How long the next question takes among many suspicious calls, and how that grows.

use std::time::Instant;

use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, Sessions, Strategy};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{
    CallId, Event, EventKind, Level, MethodId, Outcome, RecordingOptions, State, ThreadId,
    ThreadInfo,
};

const THREAD: ThreadId = ThreadId(1);

/// Calls in a tree of many shapes, each with two conditions that go one of two ways.
fn record(catalogue: &Catalogue, calls: u64) -> std::sync::Arc<jhyde_store::Recording> {
    let options = RecordingOptions {
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue
        .create(Some("large"), options)
        .expect("a recording");
    let name = "main".to_owned();
    writer
        .thread(ThreadInfo {
            id: THREAD,
            name,
            group: None,
        })
        .expect("a thread");
    let mut open: Vec<CallId> = Vec::new();
    let mut random = 1_u64;
    for number in 1..=calls {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let drawn = random >> 33;
        while open.len() > 1 && (open.len() > 30 || !drawn.is_multiple_of(3)) && drawn % 7 < 4 {
            let call = open.pop().expect("one is open");
            let kind = EventKind::Exit {
                outcome: Outcome::Returned(None),
            };
            writer
                .append(Event {
                    call,
                    index: 90,
                    kind,
                })
                .expect("fits");
            if open.len() < 20 {
                break;
            }
        }
        let call = CallId::new(THREAD, number);
        open.push(call);
        let method = MethodId((drawn % 300) as u32);
        let enter = EventKind::Enter {
            method,
            receiver: None,
            arguments: Vec::new(),
            call_site: 0,
            boundary: false,
            already_running: false,
        };
        writer
            .append(Event {
                call,
                index: 0,
                kind: enter,
            })
            .expect("fits");
        for from in [10, 20] {
            let kind = EventKind::Edge {
                from,
                to: from + 3 + (drawn >> from & 1) as u32 * 4,
            };
            writer
                .append(Event {
                    call,
                    index: from,
                    kind,
                })
                .expect("fits");
        }
    }
    while let Some(call) = open.pop() {
        let kind = EventKind::Exit {
            outcome: Outcome::Returned(None),
        };
        writer
            .append(Event {
                call,
                index: 90,
                kind,
            })
            .expect("fits");
    }
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    recording
}

/// Prints the table, a row for each number of calls.
pub(crate) fn measure(sizes: &[u64]) {
    println!(
        "\n| suspicious calls | read once, s | first question, ms | after an answer, at most, ms | resident, MB |\n\
         | --- | --- | --- | --- | --- |"
    );
    sizes.iter().for_each(|calls| measure_one(*calls));
}

/// The most memory that this process had so far, MB (Linux).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kilobytes.unwrap_or(0_u64) / 1024
}

fn measure_one(calls: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue = Catalogue::open(folder.path(), StoreOptions::default()).expect("a new folder");
    let recording = record(&catalogue, calls);
    let sessions = Sessions::within(4 << 30);
    let begun = Instant::now();
    let read = sessions.create(
        &recording,
        "coverage-halving:du-chains".parse().expect("known"),
        None,
    );
    read.expect("a session");
    let reading = begun.elapsed();
    let begun = Instant::now();
    let mut view = sessions
        .create(&recording, Strategy::Adaptive, None)
        .expect("a session");
    let first = begun.elapsed();
    let mut longest = std::time::Duration::ZERO;
    for _ in 0..5 {
        let Progress::Asking(call) = view.progress else {
            break;
        };
        // What is unknown stays suspicious: there are as many to choose from the next time.
        let answer = Answer::Unknown;
        let begun = Instant::now();
        view = sessions
            .answer(&recording, &view.kept.id, call, answer)
            .expect("is taken");
        longest = longest.max(begun.elapsed());
    }
    println!(
        "| {calls} | {:.2} | {} | {} | {} |",
        reading.as_secs_f64(),
        first.as_millis(),
        longest.as_millis(),
        peak()
    );
    assert!(
        view.suspicious > calls / 2,
        "{} are suspicious",
        view.suspicious
    );
}
