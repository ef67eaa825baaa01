//! How long statements in SQL and the named queries take, on recordings of a real program of some 10^6, 10^7 and 10^8 events.
//!
//! `cargo bench -p jhyde-integration --bench sql [-- TIMES …]` after `cargo build --release --workspace --bins`. The program inserts 10,000 numbers into
//! binary search trees, so often; it is recorded by the engine `probe` at level `full` on the first JDK. What looks something up is asked at 200
//! random places, what goes through all once. "History" is the same question asked of the floor below, at the same places: its median and how many times as
//! long SQL takes. "Blocks" are the blocks of events that were looked into, each counted once, in memory or not. "MB more" is how much the process grew at most while it was asked. Prints tables in Markdown.

mod asked;
mod measure;
mod places;

use std::path::Path;
use std::process::Command;

use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_store::{Catalogue, StoreOptions};

fn compiled(jdk: &Jdk, folder: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/kernels/Kernels.java");
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let run = javac.arg("-g").arg("-d").arg(folder).arg(source).status();
    assert!(run.is_ok_and(|status| status.success()), "javac failed");
    folder.display().to_string()
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let mut times: Vec<String> = arguments.collect();
    if times.is_empty() {
        times = ["1", "4", "40"].map(str::to_owned).to_vec();
    }
    let jdk = &jdks()[0];
    let classes = tempfile::tempdir().expect("a folder");
    let path = compiled(jdk, classes.path());
    let folder = Folder::new();
    for times in times {
        let words = ["-cp", &path, "Kernels", "tree", &times].map(str::to_owned);
        let name = format!("tree-{times}");
        let options = ["--engine", "probe", "--level", "full"];
        let run = folder.launch(jdk, &name, &options, &words);
        assert!(run.status.success(), "{}", run.stderr);
        let shown = folder.json(&["show", &name]).remove(0);
        assert_eq!(shown["gaps"], serde_json::json!([]), "{shown}");
        // The daemon that was asked last may still hold it.
        let options = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(&folder.data(), options).expect("a folder");
        let id = shown["id"].as_str().expect("an id");
        let recording = catalogue.open_recording(id).expect("a recording");
        println!(
            "\n### {} events, {} calls, {} MB (`Kernels tree {times}`, JDK {})\n",
            shown["events"],
            shown["calls"],
            shown["bytes"].as_u64().unwrap_or(0) / 1_000_000,
            jdk.major
        );
        measure::measure(&recording);
    }
}
