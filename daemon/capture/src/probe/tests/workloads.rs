//! Real libraries with their drivers, recorded by both engines: equal in every event, but for what code out of the scope
//! wrote by reflection.

use std::path::Path;

use jhyde_trace::{EngineKind, Level, ProbeLog, RecordingOptions};

use super::{compiled_with, differ_nowhere, jdks, program, record_with, told_by_code};

/// The driver's class, the jars beside it, the scope, and how it is run.
struct Workload {
    driver: &'static str,
    jars: &'static [&'static str],
    scope: &'static [&'static str],
    run: &'static [&'static str],
}

/// As in `integration/workloads.json`, at small size. JUnit is left out: the engine `events` does not know some objects of it.
const WORKLOADS: [Workload; 5] = [
    Workload {
        driver: "CsvWl",
        jars: &["commons-csv"],
        scope: &["org.apache.commons.csv", "wl"],
        run: &["wl.CsvWl", "10"],
    },
    Workload {
        driver: "Kxml2Wl",
        jars: &["kxml2", "xpp3"],
        scope: &["org.kxml2", "wl"],
        run: &["wl.Kxml2Wl", "5"],
    },
    Workload {
        driver: "GsonWl",
        jars: &["gson"],
        scope: &["com.google.gson", "wl"],
        run: &["wl.GsonWl", "3"],
    },
    Workload {
        driver: "Modern17Wl",
        jars: &[],
        scope: &["wl"],
        run: &["wl.Modern17Wl", "10"],
    },
    Workload {
        driver: "KernelWl",
        jars: &[],
        scope: &["wl"],
        run: &["wl.KernelWl", "1000"],
    },
];

impl Workload {
    fn agree(&self) {
        let jars: Vec<String> = self
            .jars
            .iter()
            .map(|jar| format!("/usr/share/java/{jar}.jar"))
            .collect();
        for jar in &jars {
            assert!(
                Path::new(jar).exists(),
                "{jar} is missing: integration/workloads.json names its Debian package"
            );
        }
        let jars = jars.join(":");
        for jdk in jdks() {
            let jdk = jdk.as_deref();
            let source = program(&format!("workloads/{}.java", self.driver));
            let folder = compiled_with(jdk, &source, &jars);
            let path = format!("{}:{jars}", folder.path().display());
            let record = |engine, log| {
                let options = RecordingOptions {
                    engine,
                    probe_log: log,
                    level: Level::Full,
                    contents: false,
                    include: self.scope.iter().map(|&name| name.to_owned()).collect(),
                    ..RecordingOptions::default()
                };
                let recorded = record_with(options, jdk, Path::new(&path), self.run);
                (steady(told_by_code(&recorded.list)), recorded.notes)
            };
            let (events, _) = record(EngineKind::Events, ProbeLog::Auto);
            let mut stories = [Vec::new(), events];
            // With all that is read and written in the log, and without what follows.
            for log in [ProbeLog::Auto, ProbeLog::Writes] {
                let (told, notes) = record(EngineKind::Probe, log);
                stories[0] = told;
                differ_nowhere(
                    &stories,
                    &format!("{}, log {log},", self.driver),
                    jdk,
                    &notes,
                );
            }
        }
    }
}

/// Without what two runs never have in common: identity hashes and what is made of them, times, free memory. And without
/// throws: one that comes from outside and passes through several calls, the engine `events` tells in the last of them.
fn steady(story: Vec<String>) -> Vec<String> {
    let told = story.iter().filter(|line| !line.contains(" thrown "));
    told.map(|line| without_large_numbers(line)).collect()
}

/// Numbers of more than five digits are left out; of a `long`, all.
fn without_large_numbers(line: &str) -> String {
    let mut kept = String::new();
    let mut digits = String::new();
    for next in line.chars().chain([' ']) {
        if next.is_ascii_digit() {
            digits.push(next);
            continue;
        }
        let large = digits.len() > 5 || kept.ends_with("Long(") || kept.ends_with("Long(-");
        kept.push_str(if large { "…" } else { &digits });
        digits.clear();
        kept.push(next);
    }
    kept
}

#[test]
fn workloads_agree() {
    for workload in &WORKLOADS {
        workload.agree();
    }
}
