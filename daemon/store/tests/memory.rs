//! The memory of a store stays the same as its recordings grow: the benchmark's history, ten times as long, is stored and
//! asked about within a fifth more.

/// As jhyded's: the peak of memory is the allocator's matter as well.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[path = "../benches/growth/measure.rs"]
mod measure;
#[path = "../benches/growth/program.rs"]
mod program;
#[path = "../benches/growth/questions.rs"]
mod questions;

use std::process::Command;

use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{RecordingOptions, State};
use measure::{Figures, measure};

/// Has this program measure one size, so that the peak is that of a process of its own.
const SIZE: &str = "JHYDE_TEST_EVENTS";

#[test]
fn memory_stays_the_same_as_recordings_grow() {
    if let Ok(size) = std::env::var(SIZE) {
        let size = size.parse().expect("a number of events");
        let figures = measure(size, true, StoreOptions::default());
        return println!("\n{}", serde_json::to_string(&figures).expect("figures"));
    }
    // How many of its pages the allocator has given back when the peak comes is a matter of time: at a million events
    // the peak differs by a seventh from run to run, at three million by a hundredth. Of each size the greatest of three
    // peaks counts.
    let greatest = |size| {
        let runs = (0..3).map(|_| in_a_process(size));
        let greatest = runs.max_by(|one, other| one.peak.total_cmp(&other.peak));
        greatest.expect("three runs")
    };
    let (small, large) = (greatest(3_000_000), greatest(10_000_000));
    let said = format!(
        "{:.1} MB at {} events, {:.1} MB at {}",
        small.peak, small.events, large.peak, large.events
    );
    assert!(small.peak > 10.0, "nothing was measured: {said}");
    assert!(large.peak < 1.2 * small.peak, "{said}");
    println!("{said}");
}

/// Four recordings at once, each given events as fast as they can be made: faster than they are written. Who appends
/// waits then; all events are there, within the memory that is configured for all together.
#[test]
fn four_recordings_at_once_keep_every_event_within_the_memory() {
    const EVENTS: u64 = 1_000_000;
    const MEMORY: u64 = 128 << 20;
    let data = tempfile::tempdir().expect("a folder");
    let options = StoreOptions {
        memory_bytes: MEMORY,
        ..StoreOptions::default()
    };
    let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
    let record = || {
        let made = catalogue.create(None, RecordingOptions::default());
        let (recording, mut writer) = made.expect("a recording");
        program::generate(EVENTS, true, |event| {
            writer.append(event).expect("the event nests");
        });
        writer.finish(State::Stopped).expect("finished");
        recording.stats().expect("stats").events
    };
    let stored: Vec<u64> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(record)).collect();
        all.into_iter()
            .map(|one| one.join().expect("no panic"))
            .collect()
    });
    assert_eq!(stored, [EVENTS; 4]);
    let peak = measure::memory("VmHWM");
    println!("{peak:.1} MB");
    assert!(peak > 10.0 && peak < MEMORY as f64 / 1e6, "{peak:.1} MB");
}

fn in_a_process(size: u64) -> Figures {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "memory_stays_the_same_as_recordings_grow",
            "--nocapture",
        ])
        .env(SIZE, size.to_string())
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let line = said
        .lines()
        .find(|line| line.starts_with('{'))
        .expect("figures");
    serde_json::from_str(line).expect("figures")
}
