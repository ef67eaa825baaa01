//! Recording speed: `jhyded` with the engine `events` against a tracer over JDI, the JDK's own debugger
//! interface, which reads the same things, and against an unrecorded run. All in one go, because
//! machines are noisy; only ratios are meant to be compared.
//!
//! `cargo bench -p jhyde-integration --bench capture [-- PROGRAM=SIZE …]` after
//! `cargo build --release --workspace --bins`. Prints a table in Markdown.

use std::process::{Command, Stdio};
use std::time::Instant;

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Events (at level full: instructions) and seconds of one recorded run.
struct Measured {
    events: f64,
    seconds: f64,
}

fn main() {
    let wanted: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|word| {
            let (name, size) = word.split_once('=')?;
            Some((name.to_owned(), size.to_owned()))
        })
        .collect();
    let wanted = if wanted.is_empty() {
        vec![
            ("kernel".into(), "5000".into()),
            ("kxml2".into(), "5".into()),
        ]
    } else {
        wanted
    };
    println!(
        "| JDK | program | level | plain, s | JDI tracer, s | JDI, events/s | slowdown | jhyded, s | jhyded, events/s | slowdown | JDI's time / jhyded's |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for jdk in jdks() {
        for (name, size) in &wanted {
            let all = Workload::all();
            let workload = all.iter().find(|workload| workload.name() == name);
            let workload = workload.unwrap_or_else(|| panic!("no workload is called {name}"));
            for level in ["calls", "state", "full"] {
                row(&jdk, workload, size, level);
            }
        }
    }
}

fn row(jdk: &Jdk, workload: &Workload, size: &str, level: &str) {
    let arguments = workload.arguments_of_size(jdk, size);
    let begun = Instant::now();
    let status = Command::new(jdk.java())
        .args(&arguments)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.code().is_some()));
    let plain = begun.elapsed().as_secs_f64();
    let tracer = jdi(jdk, workload, &arguments, level);
    let ours = jhyded(jdk, workload, &arguments, level);
    println!(
        "| {} | {} {size} | {level} | {plain:.2} | {:.2} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | **{:.1}** |",
        jdk.major,
        workload.name(),
        tracer.seconds,
        tracer.events / tracer.seconds,
        tracer.seconds / plain,
        ours.seconds,
        ours.events / ours.seconds,
        ours.seconds / plain,
        tracer.seconds / ours.seconds,
    );
}

fn jdi(jdk: &Jdk, workload: &Workload, arguments: &[String], level: &str) -> Measured {
    let mut command = Command::new(jdk.java());
    command
        .arg("-cp")
        .arg(jdk.classes("jdi"))
        .args(["jdi.JdiTracer", "--level", level]);
    let out = tempfile::NamedTempFile::new().expect("a temporary file");
    command.arg("--out").arg(out.path());
    for pattern in workload.scope().iter().filter(|word| *word != "--include") {
        // JDI's patterns have no "and below".
        command.args(["--include", &format!("{pattern}*")]);
    }
    let begun = Instant::now();
    let status = command
        .arg("--")
        .arg(jdk.java())
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .expect("java can be started");
    let whole = begun.elapsed().as_secs_f64();
    let told = std::fs::read_to_string(out.path()).unwrap_or_default();
    let told: Value = serde_json::from_str(&told)
        .unwrap_or_else(|error| panic!("the JDI tracer ({status}) told {told:?}: {error}"));
    Measured {
        events: told["events"].as_f64().unwrap_or(0.0),
        seconds: told["seconds"].as_f64().unwrap_or(whole),
    }
}

fn jhyded(jdk: &Jdk, workload: &Workload, arguments: &[String], level: &str) -> Measured {
    let folder = Folder::new();
    let scope = workload.scope();
    let mut options = vec!["--level", level];
    if level == "calls" {
        // The tracer looks at arguments, and not into them.
        options.extend(["--snapshot-depth", "0"]);
    }
    options.extend(scope.iter().map(String::as_str));
    let begun = Instant::now();
    let run = folder.launch(jdk, "bench", &options, arguments);
    let seconds = begun.elapsed().as_secs_f64();
    let list = folder.json(&["list"]);
    let events = list
        .first()
        .and_then(|recording| recording["events"].as_f64());
    Measured {
        events: events.unwrap_or_else(|| panic!("nothing was recorded: {}", run.stderr)),
        seconds,
    }
}
