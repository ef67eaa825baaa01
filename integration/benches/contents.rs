//! What it costs to record what collections hold: programs that work on collections throughout, recorded with contents
//! and without (`--no-contents`), in turn and in one go, because machines are noisy; only ratios are meant to be
//! compared.
//!
//! `cargo bench -p jhyde-integration --bench contents [-- [--runs N] [SIZE]]` after
//! `cargo build --release --workspace --bins`. Prints a table in Markdown; a time is the least of N runs, from the start
//! of the JVM to the end of the recording.

use std::time::Instant;

use jhyde_integration::{Folder, Jdk, jdks};

/// Part, main class, does it take a size?
const PROGRAMS: [(&str, &str, bool); 3] = [
    ("contents", "held.Busy", true),
    ("book", "book.OrderBook", false),
    ("templates", "templates.Letters", false),
];

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut runs, mut size) = (3, "200".to_owned());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--runs" => {
                let count = words.next().and_then(|word| word.parse().ok());
                runs = count.expect("--runs N");
            }
            _ => size = word,
        }
    }
    println!(
        "| JDK | program | level | without, s | with, s | ratio | without, events | with, events |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for jdk in jdks() {
        for (part, class, sized) in PROGRAMS {
            for level in ["state", "full"] {
                let size = sized.then_some(size.as_str());
                let mut least = [(f64::MAX, 0); 2];
                for _ in 0..runs {
                    for (best, without) in least.iter_mut().zip([true, false]) {
                        let run = seconds(&jdk, (part, class, size), level, without);
                        if run.0 < best.0 {
                            *best = run;
                        }
                    }
                }
                let [without, with] = least;
                println!(
                    "| {} | {class} {} | {level} | {:.2} | {:.2} | **{:.2}** | {} | {} |",
                    jdk.major,
                    size.unwrap_or_default(),
                    without.0,
                    with.0,
                    with.0 / without.0,
                    without.1,
                    with.1,
                );
            }
        }
    }
}

/// Seconds of one recording, and its events.
fn seconds(
    jdk: &Jdk,
    (part, class, size): (&str, &str, Option<&str>),
    level: &str,
    without: bool,
) -> (f64, u64) {
    let folder = Folder::new();
    let mut options = vec!["--level", level];
    if without {
        options.push("--no-contents");
    }
    let classes = jdk.classes(part).display().to_string();
    let mut java = vec!["-cp".to_owned(), classes, class.to_owned()];
    java.extend(size.map(str::to_owned));
    let begun = Instant::now();
    let run = folder.launch(jdk, "bench", &options, &java);
    let seconds = begun.elapsed().as_secs_f64();
    assert!(run.status.success(), "{}", run.stderr);
    let list = folder.json(&["list"]);
    let events = list.first().and_then(|one| one["events"].as_u64());
    (seconds, events.expect("a number of events"))
}
