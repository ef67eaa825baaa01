//! Growth: the same kind of history at rising sizes, through the real ingest path. Prints ingest rate, bytes
//! per event, query times and peak memory.
//!
//! `cargo bench -p jhyde-store --bench growth -- [--level state|full] [--block EVENTS] [--memory MIB] [--docs] [SIZE…]`:
//! sizes in events, default 10^4 to 10^7; the level decides whether uses and edges are among the events (default
//! `full`); the memory is what a daemon is configured to use. With
//! `--docs` the figures also go to `daemon/store/docs/growth.md` and `growth.svg`. Each size runs in a
//! process of its own, so that its peak memory is its own.

#![allow(missing_docs, reason = "a program, not a library")]

/// As jhyded's: the peak of memory is the allocator's matter as well.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

mod plot;
mod program;
mod questions;
mod report;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::*;
use program::generate;
use report::Figures;
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    arguments.retain(|argument| argument != "--bench");
    let docs = arguments.iter().any(|argument| argument == "--docs");
    arguments.retain(|argument| argument != "--docs");
    let level = option(&mut arguments, "--level").unwrap_or_else(|| "full".to_owned());
    assert!(
        ["state", "full"].contains(&level.as_str()),
        "no level {level}"
    );
    let mut options = StoreOptions::default();
    if let Some(events) = option(&mut arguments, "--block") {
        options.block_events = events.parse().expect("a number");
    }
    if let Some(mebibytes) = option(&mut arguments, "--memory") {
        options.memory_bytes = mebibytes.parse::<u64>().expect("a number") << 20;
    }
    if let [one, size] = &arguments[..]
        && one == "one"
    {
        let figures = measure(size.parse().expect("a size"), level == "full", options);
        return println!("{}", serde_json::to_string(&figures).expect("figures"));
    }
    let sizes: Vec<u64> = match arguments.is_empty() {
        true => vec![10_000, 100_000, 1_000_000, 10_000_000],
        false => arguments
            .iter()
            .map(|size| size.parse().expect("a size"))
            .collect(),
    };
    let mut all = Vec::new();
    for size in sizes {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["one", &size.to_string(), "--level", &level])
            .args(["--block", &options.block_events.to_string()])
            .args(["--memory", &(options.memory_bytes >> 20).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("a process");
        assert!(output.status.success(), "size {size} failed");
        let figures: Figures = serde_json::from_slice(&output.stdout).expect("figures");
        eprintln!("{}", figures.line());
        all.push(figures);
    }
    println!("{}", report::text(&all, &level));
    if docs {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
        std::fs::create_dir_all(folder).expect("the folder of the docs");
        std::fs::write(format!("{folder}/growth.md"), report::page(&all, &level)).expect("written");
        std::fs::write(format!("{folder}/growth.svg"), plot::svg(&all)).expect("written");
    }
}

/// Takes an option and its value off the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == name)?;
    let value = arguments.get(at + 1).expect("an option's value").clone();
    arguments.drain(at..at + 2);
    Some(value)
}

/// Processor time, of this thread or of all.
fn processor(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What a piece of work takes: wall time, and processor time of the thread that does it.
fn timed(work: impl FnOnce()) -> (Duration, Duration) {
    let (begin, busy) = (Instant::now(), processor(ClockId::ThreadCPUTime));
    work();
    (begin.elapsed(), processor(ClockId::ThreadCPUTime) - busy)
}

fn measure(size: u64, full: bool, options: StoreOptions) -> Figures {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options.clone()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    writer.class(program::class()).expect("a class");
    // What the generator itself takes is no part of the rate.
    let mut checksum = 0;
    let (_, generating) =
        timed(|| generate(size, full, |event| checksum ^= u64::from(event.index)));
    assert!(checksum < u64::MAX, "the generator is not optimised away");
    let begin = Instant::now();
    let (_, appending) = timed(|| {
        generate(size, full, |event| {
            writer.append(event).expect("the event nests");
        });
    });
    let flushing = flusher_time();
    writer.finish(State::Stopped).expect("finished");
    let wall = begin.elapsed();
    let peak_ingest = memory("VmHWM");
    let stats = recording.stats().expect("stats");
    let id = recording.id().to_owned();
    drop((recording, catalogue));
    let begin = Instant::now();
    let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
    let recording = catalogue.open_recording(&id).expect("opens");
    let opening = begin.elapsed();
    let questions = questions::ask(&recording, size);
    let per_event = |time: Duration| time.as_secs_f64() * 1e9 / size as f64;
    Figures {
        events: size,
        ingest: size as f64 / wall.as_secs_f64() / 1e6,
        append_ns: per_event(appending.saturating_sub(generating)),
        flush_ns: per_event(flushing),
        bytes_per_event: stats.bytes_on_disk as f64 / size as f64,
        opening_ms: opening.as_secs_f64() * 1e3,
        peak_ingest,
        peak: memory("VmHWM"),
        questions,
    }
}

/// A figure of `/proc/self/status` in MB; 0 where there is none.
fn memory(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// Processor time of the thread that encodes, indexes and writes. Its clock ticks every ten milliseconds.
fn flusher_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let ticks: u64 = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
        .filter_map(|stat| {
            let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
            let fields = rest.split_whitespace().skip(11).take(2);
            let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
            name.starts_with("flush").then_some(ticks)
        })
        .sum();
    Duration::from_millis(ticks * 10)
}
