//! What the engine `probe` costs a program: six kernels, unrecorded and recorded at level `full`, on each JDK.
//!
//! `cargo bench -p jhyde-integration --bench probe [-- NAME TIMES …]` after `cargo build --release --workspace --bins`.
//! Processor time is that of the whole JVM until the kernel has ended, its start among it; wall time that of the kernel
//! alone, which waits while its log is derived; `ready` is when the recording had ended, from the start. Least of three
//! runs unrecorded, one recorded.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use jhyde_integration::{Folder, Jdk, jdks};

/// Each kernel, and how often it runs.
const KERNELS: [(&str, &str); 6] = [
    ("sort", "40"),
    ("table", "40"),
    ("expression", "40"),
    ("tree", "10"),
    ("words", "20"),
    ("sieve", "6"),
];

/// What a run printed: its result, milliseconds of the kernel, milliseconds of processor time.
struct Printed {
    result: String,
    wall: f64,
    processor: f64,
}

impl Printed {
    fn read(output: &[u8]) -> Self {
        let text = String::from_utf8_lossy(output);
        let mut lines = text.lines();
        let result = lines.next().expect("a result").to_owned();
        let times = lines.next().expect("times").split(' ');
        let times: Vec<f64> = times.map(|time| time.parse().expect("a time")).collect();
        Self {
            result,
            wall: times[0],
            processor: times[1],
        }
    }
}

fn compiled(jdk: &Jdk) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/kernels/Kernels.java");
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let run = javac
        .arg("-g")
        .arg("-d")
        .arg(folder.path())
        .arg(source)
        .status();
    assert!(run.is_ok_and(|status| status.success()), "javac failed");
    folder
}

fn measure(jdk: &Jdk, folder: &Folder, classes: &Path, kernel: &str, times: &str) {
    let words = [
        "-cp",
        &classes.display().to_string(),
        "Kernels",
        kernel,
        times,
    ]
    .map(str::to_owned);
    let bare = || {
        let run = Command::new(jdk.java()).args(&words).output();
        Printed::read(&run.expect("java can be started").stdout)
    };
    let runs = [bare(), bare(), bare()];
    let least = |time: fn(&Printed) -> f64| runs.iter().map(time).fold(f64::MAX, f64::min);
    let (wall, processor) = (least(|run| run.wall), least(|run| run.processor));
    let name = format!("{kernel}-{}", jdk.major);
    let begun = Instant::now();
    let options = ["--engine", "probe", "--level", "full"];
    let run = folder.launch(jdk, &name, &options, &words);
    let ready = begun.elapsed().as_secs_f64();
    assert!(run.status.success(), "{}", run.stderr);
    let recorded = Printed::read(&run.stdout);
    assert_eq!(
        recorded.result, runs[0].result,
        "{kernel} yields something else"
    );
    let shown = folder.json(&["show", &name]).remove(0);
    assert_eq!(shown["gaps"], serde_json::json!([]), "{shown}");
    let events = shown["events"].as_f64().expect("a count");
    let bytes = shown["bytes"].as_f64().unwrap_or(f64::NAN);
    println!(
        "| {} | {kernel} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {ready:.1} | {:.1} | {:.2} |",
        jdk.major,
        processor / 1e3,
        recorded.processor / 1e3,
        recorded.processor / processor,
        wall / 1e3,
        recorded.wall / 1e3,
        events / 1e6,
        events / 1e6 / ready,
        bytes / events,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let chosen: Vec<(&str, &str)> = match arguments.is_empty() {
        true => KERNELS.to_vec(),
        false => arguments
            .chunks(2)
            .map(|pair| (pair[0].as_str(), pair.get(1).map_or("1", String::as_str)))
            .collect(),
    };
    println!(
        "| JDK | kernel | CPU bare, s | CPU recorded, s | ratio | wall bare, s | wall recorded, s | events, million | ready, s | events a second, million | bytes an event |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for jdk in jdks() {
        let (folder, classes) = (Folder::new(), compiled(&jdk));
        for (kernel, times) in &chosen {
            measure(&jdk, &folder, classes.path(), kernel, times);
        }
    }
}
