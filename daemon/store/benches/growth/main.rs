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

mod measure;
mod plot;
mod program;
mod questions;
mod report;

use std::process::{Command, Stdio};

use jhyde_store::StoreOptions;
use measure::{Figures, measure};

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
