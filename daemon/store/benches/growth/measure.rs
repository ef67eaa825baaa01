//! One size, measured: what the history takes to be stored and asked, and the memory of this process.

use std::time::{Duration, Instant};

use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::*;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::program::{self, generate};
use crate::questions;

/// What was measured at one size.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) events: u64,
    /// Millions of events per second, by the clock on the wall, from the first append until all is on the disk.
    pub(crate) ingest: f64,
    /// Processor time per event of the thread that appends, without the generator, nanoseconds.
    pub(crate) append_ns: f64,
    /// Processor time per event of the thread that encodes, indexes and writes, nanoseconds.
    pub(crate) flush_ns: f64,
    pub(crate) bytes_per_event: f64,
    pub(crate) opening_ms: f64,
    /// Most memory that was resident until everything was on the disk, MB.
    pub(crate) peak_ingest: f64,
    /// The same after all questions.
    pub(crate) peak: f64,
    pub(crate) questions: Vec<Question>,
}

/// Times of one kind of question, milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) median: f64,
    pub(crate) p99: f64,
    /// 99th percentile of the processor time: what p99 would be if the machine did nothing else.
    pub(crate) processor_p99: f64,
}

/// Processor time, of this thread or of all.
pub(crate) fn processor(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What a piece of work takes: wall time, and processor time of the thread that does it.
fn timed(work: impl FnOnce()) -> (Duration, Duration) {
    let (begin, busy) = (Instant::now(), processor(ClockId::ThreadCPUTime));
    work();
    (begin.elapsed(), processor(ClockId::ThreadCPUTime) - busy)
}

/// Records a history of so many events and asks about it, in this process.
pub(crate) fn measure(size: u64, full: bool, options: StoreOptions) -> Figures {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), options.clone()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    for class in program::classes() {
        writer.class(class).expect("a class");
    }
    for (object, info) in program::first_objects() {
        writer.object(object, info).expect("an object");
    }
    // What the generator itself takes is no part of the rate.
    let mut checksum = 0;
    let (_, generating) =
        timed(|| generate(size, full, |event| checksum ^= u64::from(event.index)));
    assert!(checksum < u64::MAX, "the generator is not optimised away");
    let begin = Instant::now();
    let (_, appending) = timed(|| {
        generate(size, full, |event| {
            if let EventKind::New {
                object,
                class,
                length,
            } = event.kind
            {
                let info = program::described(class, length);
                writer.object(object, info).expect("an object");
            }
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
pub(crate) fn memory(name: &str) -> f64 {
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
