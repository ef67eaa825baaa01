//! What it costs at level `calls` to look into the objects that calls are shown and yield.
//!
//! `cargo bench -p jhyde-integration --bench snapshots [-- PROGRAM=SIZE …]` after
//! `cargo build --release --workspace --bins`. Prints a table in Markdown.

use std::time::Instant;

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};

/// One recorded run.
struct Measured {
    seconds: f64,
    events: f64,
    calls: f64,
    bytes: f64,
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
        "| JDK | program | calls | depth 0, s | depth 1, s | depth 3, s | depth 3 / depth 0 | events, depth 0 | events, depth 3 | MB, depth 0 | MB, depth 3 |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for jdk in jdks() {
        for (name, size) in &wanted {
            let all = Workload::all();
            let workload = all.iter().find(|workload| workload.name() == name);
            let workload = workload.unwrap_or_else(|| panic!("no workload is called {name}"));
            let arguments = workload.arguments_of_size(&jdk, size);
            let [none, one, three] =
                ["0", "1", "3"].map(|depth| recorded(&jdk, workload, &arguments, depth));
            println!(
                "| {} | {name} {size} | {:.0} | {:.2} | {:.2} | {:.2} | **{:.1}** | {:.0} | {:.0} | {:.1} | {:.1} |",
                jdk.major,
                three.calls,
                none.seconds,
                one.seconds,
                three.seconds,
                three.seconds / none.seconds,
                none.events,
                three.events,
                none.bytes / 1e6,
                three.bytes / 1e6,
            );
        }
    }
}

fn recorded(jdk: &Jdk, workload: &Workload, arguments: &[String], depth: &str) -> Measured {
    let folder = Folder::new();
    let scope = workload.scope();
    let mut options = vec!["--level", "calls", "--snapshot-depth", depth];
    options.extend(scope.iter().map(String::as_str));
    let begun = Instant::now();
    let run = folder.launch(jdk, "bench", &options, arguments);
    let seconds = begun.elapsed().as_secs_f64();
    let list = folder.json(&["list"]);
    let number = |what: &str| {
        let found = list.first().and_then(|recording| recording[what].as_f64());
        found.unwrap_or_else(|| panic!("nothing was recorded: {}", run.stderr))
    };
    Measured {
        seconds,
        events: number("events"),
        calls: number("calls"),
        bytes: number("bytes"),
    }
}
