//! Real programs, recorded whole on every JDK: their output does not change, and what is recorded is
//! what was counted independently (`workloads.json`).
//!
//! Counts compare where their definitions agree. Writes to fields and elements that code out of the scope
//! made (`System.arraycopy`) are recorded under its boundary call and not counted there. Branches counted
//! there are conditional jumps and switches; recorded edges also tell gotos that close a loop. Throws
//! counted there are those of the scope's own `athrow`; recorded is also what arrives from outside.

use std::collections::BTreeMap;

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// What a recording holds, counted from `jhyde events --json`.
#[derive(Debug, Default)]
struct Counted {
    by_kind: BTreeMap<&'static str, u64>,
    unknown: Vec<String>,
    gaps: Vec<String>,
}

fn count(folder: &Folder, recording: &str) -> Counted {
    let mut counted = Counted::default();
    for event in folder.json(&["events", recording]) {
        let inside = !event["place"]["index"].is_null();
        let kind = match event["kind"].as_str().unwrap_or_default() {
            "enter" if event["entered"]["boundary"] == Value::Bool(false) => "calls",
            "write" => {
                let variable = event["variable"].as_str().unwrap_or_default();
                if event["value"].to_string().contains("missing") {
                    counted.unknown.push(event.to_string());
                }
                match variable {
                    _ if variable.starts_with("array#") && inside => "array_writes",
                    _ if variable.starts_with("array#") => continue,
                    _ if variable.contains(':') => "local_writes",
                    _ if inside => "field_writes",
                    _ => continue,
                }
            }
            "gap" => {
                counted.gaps.push(event.to_string());
                continue;
            }
            _ => continue,
        };
        *counted.by_kind.entry(kind).or_default() += 1;
    }
    counted
}

fn record(
    folder: &Folder,
    jdk: &Jdk,
    workload: &Workload,
    (engine, level): (&str, &str),
    name: &str,
) {
    let scope = workload.scope();
    let mut options = vec!["--engine", engine, "--level", level];
    options.extend(scope.iter().map(String::as_str));
    let plain = workload.run(jdk, "small");
    let run = folder.launch(jdk, name, &options, &workload.arguments(jdk, "small"));
    let what = format!(
        "{} at level {level} by {engine} on JDK {}",
        workload.name(),
        jdk.major
    );
    assert_eq!(
        run.status.code(),
        plain.status.code(),
        "{what}: {}",
        run.stderr
    );
    assert_eq!(
        workload.steady(&run.stdout),
        workload.steady(&plain.stdout),
        "{what} prints what it prints unrecorded"
    );
    let state = &folder.json(&["list"])[0];
    assert_eq!(state["state"], "complete", "{what}: {state}");
    // What is left open is recorded by the probe, but for what objects hold at level `calls`: so the tests below are of both engines.
    let taken = match (engine, level) {
        ("auto", "calls") => "events",
        ("auto", _) => "probe",
        (named, _) => named,
    };
    assert_eq!(state["engine"], taken, "{what}: {state}");
}

fn check(
    folder: &Folder,
    jdk: &Jdk,
    workload: &Workload,
    (engine, level): (&str, &str),
    kinds: &[&str],
) {
    let name = format!("{}-{}-{engine}-{level}", workload.name(), jdk.major);
    record(folder, jdk, workload, (engine, level), &name);
    let counted = count(folder, &name);
    assert_eq!(counted.gaps, Vec::<String>::new(), "{name}");
    assert_eq!(counted.unknown, Vec::<String>::new(), "{name}");
    for kind in kinds {
        if let Some(expected) = workload.count(jdk, kind) {
            let recorded = counted.by_kind.get(kind).copied().unwrap_or(0);
            assert_eq!(recorded, expected, "{kind} of {name}");
        }
    }
}

const ALL: [&str; 4] = ["calls", "local_writes", "field_writes", "array_writes"];

fn each(names: &[&str], level: &str, kinds: &[&str]) {
    each_by("auto", names, level, kinds);
}

fn each_by(engine: &str, names: &[&str], level: &str, kinds: &[&str]) {
    let folder = Folder::new();
    let mut recorded = 0;
    for jdk in jdks() {
        for workload in Workload::all() {
            if names.contains(&workload.name()) && workload.runs_on(&jdk) {
                check(&folder, &jdk, &workload, (engine, level), kinds);
                recorded += 1;
            }
        }
    }
    assert!(recorded > 0, "none of {names:?} runs on these JDKs");
}

#[test]
fn libraries_at_level_full() {
    each(&["csv", "kxml2", "junit4"], "full", &ALL);
}

/// Threads that serve requests over sockets, and a library, where the engine is named.
#[test]
fn the_probe_tells_what_was_counted() {
    each_by("probe", &["csv", "http"], "full", &ALL);
}

#[test]
fn a_library_with_many_calls_out_at_level_full() {
    each(&["gson"], "full", &ALL);
}

#[test]
fn a_large_tree_of_calls_at_level_full() {
    each(&["htmlcleaner"], "full", &ALL);
}

#[test]
fn the_language_of_17_and_25_at_level_full() {
    each(&["modern17", "modern25", "vthreads"], "full", &ALL);
}

#[test]
fn kernels_known_by_arithmetic() {
    each(&["kernel", "klocals", "kthrowy"], "full", &ALL);
    each(&["kernel", "kthrowy"], "calls", &["calls"]);
}

#[test]
fn level_state_records_the_same_writes() {
    each(&["csv", "modern17"], "state", &ALL);
}

#[test]
fn level_calls_records_the_same_calls() {
    each(&["csv", "kxml2", "junit4", "gson"], "calls", &["calls"]);
}

#[test]
fn threads_ten_times() {
    let folder = Folder::new();
    for jdk in jdks() {
        let all = Workload::all();
        let threads = all.iter().find(|workload| workload.name() == "threads");
        let threads = threads.expect("workloads.json has threads");
        for turn in 0..10 {
            record(
                &folder,
                &jdk,
                threads,
                ("auto", "calls"),
                &format!("t-{}-{turn}", jdk.major),
            );
        }
        record(
            &folder,
            &jdk,
            threads,
            ("auto", "full"),
            &format!("t-{}-full", jdk.major),
        );
    }
}
