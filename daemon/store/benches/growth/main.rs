//! Growth: the same kind of history at rising sizes, through the real ingest path. Prints a table of
//! ingest rate, bytes per event, query times and peak memory.
//!
//! `cargo bench -p jhyde-store --bench growth [-- SIZE…]`, sizes in events, default 10^4 to 10^7. Each
//! size runs in a process of its own, so that its peak memory is its own.

#![allow(missing_docs, reason = "a program, not a library")]

use std::process::Command;
use std::time::Instant;

use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::*;

mod program;
mod questions;

use program::generate;
use questions::ask;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    arguments.retain(|argument| argument != "--bench");
    if let [one, size] = &arguments[..]
        && one == "one"
    {
        return measure(size.parse().expect("a size"));
    }
    let sizes: Vec<u64> = match arguments.is_empty() {
        true => vec![10_000, 100_000, 1_000_000, 10_000_000],
        false => arguments
            .iter()
            .map(|size| size.parse().expect("a size"))
            .collect(),
    };
    for size in sizes {
        let status = Command::new(std::env::current_exe().expect("this program"))
            .args(["one", &size.to_string()])
            .status()
            .expect("a process");
        assert!(status.success(), "size {size} failed");
    }
}

fn full() -> bool {
    std::env::var("JHYDE_LEVEL").is_ok_and(|level| level == "full")
}

fn measure(size: u64) {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), StoreOptions::default()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let class = ClassInfo {
        id: ClassId(5),
        name: "bench.Request".to_owned(),
        source_file: None,
        modifiers: 1,
        super_name: None,
        interfaces: vec![],
        in_scope: true,
        fields: vec![],
        methods: vec![MethodInfo {
            id: MethodId(8),
            name: "fails".to_owned(),
            descriptor: "()V".to_owned(),
            modifiers: 1,
            lines: vec![
                LineEntry { start: 0, line: 80 },
                LineEntry { start: 9, line: 81 },
                LineEntry {
                    start: 12,
                    line: 82,
                },
            ],
            variables: vec![],
            code: vec![],
        }],
    };
    writer.class(class).expect("a class");
    // What the generator itself takes is no part of the rate.
    let begin = Instant::now();
    let mut checksum = 0;
    generate(size, full(), |event| checksum ^= u64::from(event.index));
    let generating = begin.elapsed();
    assert!(checksum < u64::MAX, "the generator is not optimised away");
    let begin = Instant::now();
    generate(size, full(), |event| {
        writer.append(event).expect("the event nests");
    });
    let appended = begin.elapsed();
    let processor = processor_times();
    writer.finish(State::Stopped).expect("finished");
    let ingest = begin.elapsed();
    let peak_ingest = memory("VmHWM");
    let stats = recording.stats().expect("stats");
    println!("\n## {size} events");
    println!(
        "ingest {:.2} M events/s to the disk ({:.2} M/s until the last append; generating alone {:.2} M/s), {:.2} bytes/event, {} calls",
        size as f64 / ingest.as_secs_f64() / 1e6,
        size as f64 / appended.as_secs_f64() / 1e6,
        size as f64 / generating.as_secs_f64() / 1e6,
        stats.bytes_on_disk as f64 / size as f64,
        stats.calls,
    );
    println!("processor seconds per thread: {processor}");
    let id = recording.id().to_owned();
    drop((recording, catalogue));
    let begin = Instant::now();
    let catalogue = Catalogue::open(data.path(), StoreOptions::default()).expect("a catalogue");
    let recording = catalogue.open_recording(&id).expect("opens");
    println!(
        "opened again in {:.1} ms",
        begin.elapsed().as_secs_f64() * 1e3
    );
    println!("\n| query | median ms | p99 ms |\n| --- | --- | --- |");
    ask(&recording, size);
    println!(
        "\npeak RSS {} MB after ingest, {} MB at the end",
        peak_ingest,
        memory("VmHWM")
    );
}

/// A figure of `/proc/self/status` in MB; 0 where there is none.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Processor time of every thread of this process that took some, in seconds: what the stages of
/// the ingest path cost, whatever else the machine is doing.
fn processor_times() -> String {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let mut times: Vec<String> = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
        .filter_map(|stat| {
            let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
            let fields: Vec<u64> = rest
                .split_whitespace()
                .skip(11)
                .take(2)
                .filter_map(|f| f.parse().ok())
                .collect();
            let ticks: u64 = fields.iter().sum();
            (ticks > 0).then(|| format!("{name} {:.2}", ticks as f64 / 100.0))
        })
        .collect();
    times.sort();
    times.join(", ")
}
