//! How long two recordings of 10^4 to 10^8 events take to be held against each other, and how much memory that needs.
//!
//! `cargo bench -p jhyde-integration --bench compare [-- EVENTS …]` after `cargo build --release --workspace --bins`; without numbers 10^4, 10^5, 10^6 and 10^7
//! events, about so many of each recording. The program (`java/compare/Forest.java`) is recorded by the engine `probe` at level `full` on the first JDK: twice as it
//! is, and with a defect that shows late, early, or again and again; and twice with four threads. Held against each other is what the daemon does for
//! `jhyde compare`, without what it tells around a divergence: each time in a process that did nothing else, so that what it grew by ("MB more", at most) is
//! what this took. `first` ends where both first differences are known (`--limit 0`), `all` tells all (`--all`); `each event` reads all events, as of recordings of one
//! thread that have no passages; of several threads those are made. Up to 3 million events the median of three. Equal runs must show nothing, and the first divergence must be the defect. Behind the table of each size
//! stands what the passages take. Prints tables in Markdown.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jhyde_history::History;
use jhyde_integration::compiled::compile;
use jhyde_integration::peak::{forget_peak, peak};
use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_query::compare::rules::Rules;
use jhyde_query::compare::{self, Difference, Part, Reading, Spot, fit};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::Timestamp;
use jhyde_trace::block::{Made, Passages};
use serde_json::{Value as Json, json};

/// About so many events are recorded of a number.
const EVENTS_OF_A_NUMBER: u64 = 130;
/// So many numbers go into a tree: as the program says.
const TREE: u64 = 16;
/// The condition of the right program, which never holds.
const NEVER: &str = "number < 0";
/// The first word for a process that compares.
const HERE: &str = "--here";

/// The last word for it.
fn word(how: Reading) -> Option<&'static str> {
    match how {
        Reading::Passages => None,
        Reading::Made => Some("--made"),
        Reading::Events => Some("--events"),
    }
}

/// A line of a side of a divergence.
fn line_of(history: &History, spot: Spot) -> Option<u32> {
    let event = spot.event(history).expect("an event");
    event.done_at().and_then(|place| place.line)
}

/// What a recording's passages take: on the disk, and to be made of its blocks.
fn passages(data: &Path, id: &str) -> String {
    let catalogue = reading(data);
    let recording = catalogue.open_recording(id).expect("a recording");
    let report = recording.inspect().expect("a report");
    let bytes = |of: fn(&str) -> bool| {
        let tables = report.tables.iter().filter(|(name, ..)| of(name));
        tables.map(|(_, _, bytes)| bytes).sum::<u64>() as f64 / report.events as f64
    };
    let (mut made, mut covered) = (0_u64, 0_u64);
    let mut put = |of| {
        if let Made::Passage(_, passage) = of {
            made += 1;
            covered += u64::from(passage.events);
        }
        Ok::<_, ()>(())
    };
    let mut maker = Passages::default();
    let mut spent = Duration::ZERO;
    for block in recording.blocks(Timestamp(0)..recording.end()) {
        let block = block.expect("a block");
        let begun = Instant::now();
        maker.of_block(&block, &mut put).expect("taken");
        spent += begun.elapsed();
    }
    maker.finish(recording.end(), &mut put).expect("taken");
    format!(
        "{} events: {made} passages of {covered} compared events, {:.3} bytes per event of {:.3}; made in {:.1} ns per event",
        report.events,
        bytes(|name| name == "passages" || name == "sites"),
        bytes(|_| true),
        spent.as_nanos() as f64 / report.events as f64
    )
}

fn reading(data: &Path) -> Catalogue {
    // The daemon that was asked last may still hold it.
    let options = StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    };
    Catalogue::open(data, options).expect("a folder")
}

/// Compares two recordings in this process, and tells what that took and found.
fn here(data: &Path, ids: [&str; 2], most_rows: u64, how: Reading) -> Json {
    let catalogue = reading(data);
    let recordings = ids.map(|id| catalogue.open_recording(id).expect("a recording"));
    let histories = || recordings.each_ref().map(|of| History::new(Arc::clone(of)));
    forget_peak();
    let before = peak();
    let begun = Instant::now();
    let [left, right] = histories();
    fit::fit([&left, &right]).unwrap_or_else(|(_, error)| panic!("{error}"));
    let mut divergences = Vec::<Difference>::new();
    let sides = [left, right];
    let summary = compare::compare_by(how, sides, Rules::defaults(), most_rows, &mut |part| {
        if let Part::Divergence(_, difference) = part {
            divergences.push(difference);
        }
        Ok(())
    });
    let summary = summary.unwrap_or_else(|error| panic!("{error}"));
    let seconds = begun.elapsed().as_secs_f64();
    let more = peak().saturating_sub(before);
    let histories = histories();
    let divergences = divergences.iter().map(|of| {
        let at = of.spots.map(|spot| spot.map(|spot| spot.at.0));
        let line = |side: usize| of.spots[side].and_then(|spot| line_of(&histories[side], spot));
        json!({"effect": of.effect.name(), "at": at, "lines": [line(0), line(1)]})
    });
    json!({
        "seconds": seconds,
        "more": more,
        "divergences": divergences.collect::<Vec<_>>(),
        "differences": summary.differences,
        "unknown": summary.unknown,
        "compared": summary.events,
        "equal": summary.equal,
        "whole": !summary.more,
        "notes": summary.notes,
    })
}

/// A recording.
struct Recorded {
    id: String,
    events: u64,
}

/// A program, recorded with another condition.
fn record(folder: &Folder, jdk: &Jdk, name: &str, condition: &str, words: [u64; 2]) -> Recorded {
    let of = |what: &str| folder.data().with_file_name(what).join(name);
    let (sources, classes) = (of("sources"), of("classes"));
    fs::create_dir_all(&sources).expect("a folder");
    let text = source();
    assert_eq!(text.matches(NEVER).count(), 1, "the program has it once");
    let changed = text.replace(NEVER, condition);
    fs::write(sources.join("Forest.java"), changed).expect("a source");
    compile(jdk, &sources, &classes);
    let java = [
        "-cp".to_owned(),
        classes.display().to_string(),
        "Forest".to_owned(),
        words[0].to_string(),
        words[1].to_string(),
    ];
    let options = ["--engine", "probe", "--level", "full"];
    let run = folder.launch(jdk, name, &options, &java);
    assert!(run.status.success(), "{}", run.stderr);
    let shown = folder.json(&["show", name]).remove(0);
    assert_eq!(shown["gaps"], json!([]), "{shown}");
    Recorded {
        id: shown["id"].as_str().expect("an id").to_owned(),
        events: shown["events"].as_u64().expect("a number"),
    }
}

fn source() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/compare/Forest.java");
    fs::read_to_string(file).expect("the source is there")
}

/// Where the defect shows first: on which line, and in which part of the passing run.
type Planted = (u64, Range<f64>);

/// Holds two recordings against each other in a process of its own.
fn compared(folder: &Folder, sides: [&Recorded; 2], most_rows: u64, how: Reading) -> Json {
    let own = std::env::current_exe().expect("a program knows where it is");
    let output = Command::new(own)
        .arg(HERE)
        .arg(folder.data())
        .args(sides.map(|side| &side.id))
        .arg(most_rows.to_string())
        .args(word(how))
        .output()
        .expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// Measures a pair, sees that what is told of it is true, and prints its row.
fn row(
    folder: &Folder,
    name: &str,
    sides: [&Recorded; 2],
    (most_rows, how): (u64, Reading),
    planted: Option<&Planted>,
) {
    let events = sides[0].events + sides[1].events;
    let times = if events < 6_000_000 { 3 } else { 1 };
    let mut all: Vec<Json> = (0..times)
        .map(|_| compared(folder, sides, most_rows, how))
        .collect();
    let seconds = |of: &Json| of["seconds"].as_f64().expect("a time");
    all.sort_by(|one, other| seconds(one).total_cmp(&seconds(other)));
    let told = all.swap_remove(times / 2);
    let number = |of: &str| told[of].as_u64().expect("a number");
    let divergences = told["divergences"].as_array().expect("a list");
    let at = |of: &Json| of["at"][0].as_u64();
    let first = divergences.iter().min_by_key(|of| at(of));
    let place = match (planted, first) {
        (None, None) => {
            assert_eq!(number("differences"), 0, "{name}: {told}");
            // Whichever way threads take turns, each does the same.
            assert_eq!(told["compared"][0], told["compared"][1], "{name}: {told}");
            assert!(number("equal") > 0, "{name}: {told}");
            String::new()
        }
        (Some((line, part)), Some(first)) => {
            assert_eq!(first["lines"], json!([line, line]), "{name}: {told}");
            let at = at(first).expect("both ran on") as f64 / sides[0].events as f64;
            assert!(part.contains(&at), "{name}: at {at} of the run: {told}");
            let effect = first["effect"].as_str().unwrap_or_default();
            format!("{effect}, at {:.1} %", at * 100.0)
        }
        _ => panic!("{name}: {told}"),
    };
    let seconds = seconds(&told);
    // Where it ended early, most was not read.
    let speed = match told["whole"].as_bool() {
        Some(true) => format!("{:.2}", events as f64 / seconds / 1e6),
        _ => String::new(),
    };
    println!(
        "| {} | {name} | {seconds:.3} | {speed} | {:.1} | {} | {place} | {} | {} |",
        sides[0].events,
        number("more") as f64 / 1e6,
        divergences.len(),
        number("differences"),
        number("unknown"),
    );
}

/// All pairs of about so many events.
fn measure(jdk: &Jdk, events: u64) -> [String; 2] {
    let folder = Folder::new();
    let numbers = (events / EVENTS_OF_A_NUMBER).max(4 * TREE);
    let record = |name: &str, condition: &str, threads: u64| {
        record(&folder, jdk, name, condition, [numbers, threads])
    };
    let text = source();
    let place = text.find(NEVER).expect("the condition");
    let line = u64::try_from(text[..place].matches('\n').count() + 1).expect("a line");
    let right = record("right", NEVER, 1);
    let again = record("again", NEVER, 1);
    let both = |name: &str, sides: [&Recorded; 2], most_rows: u64, planted: Option<&Planted>| {
        row(
            &folder,
            name,
            sides,
            (most_rows, Reading::Passages),
            planted,
        );
        let name = format!("{name}, each event");
        row(&folder, &name, sides, (most_rows, Reading::Events), planted);
    };
    both("equal", [&right, &again], u64::MAX, None);
    let number = |hundredths: u64| {
        let number = numbers * hundredths / 100;
        // The first one of a tree is held against none.
        format!(
            "number == {}",
            number + u64::from(number.is_multiple_of(TREE))
        )
    };
    for (name, condition, part) in [
        ("late", number(97), 0.9..1.0),
        ("early", number(3), 0.0..0.1),
        ("in each tree", format!("number % {TREE} == 9"), 0.0..0.15),
    ] {
        let wrong = record(&name.replace(' ', "-"), &condition, 1);
        let planted = (line, part);
        for (rows, most_rows) in [("first", 0), ("all", u64::MAX)] {
            let name = format!("defect {name}, {rows}");
            both(&name, [&right, &wrong], most_rows, Some(&planted));
        }
    }
    let [one, other] = ["threads", "threads-again"].map(|name| record(name, NEVER, 4));
    both("equal, four threads", [&one, &other], u64::MAX, None);
    let name = "equal, four threads, passages made for it";
    row(
        &folder,
        name,
        [&one, &other],
        (u64::MAX, Reading::Made),
        None,
    );
    let told = [("one thread", &right), ("four threads", &one)];
    told.map(|(name, of)| format!("{name}: {}", passages(&folder.data(), &of.id)))
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let words: Vec<String> = arguments.collect();
    if let [how, data, left, right, most_rows, reading @ ..] = &words[..]
        && how == HERE
    {
        let most_rows = most_rows.parse().expect("a number of rows");
        let all = [Reading::Passages, Reading::Made, Reading::Events];
        let how = all
            .into_iter()
            .find(|how| word(*how) == reading.first().map(String::as_str));
        let how = how.expect("a way of reading");
        println!("{}", here(Path::new(data), [left, right], most_rows, how));
        return;
    }
    let sizes: Vec<u64> = match words.is_empty() {
        true => (4..=7).map(|power| 10_u64.pow(power)).collect(),
        false => words
            .iter()
            .map(|word| word.parse().expect("a number of events"))
            .collect(),
    };
    let jdk = &jdks()[0];
    println!("JDK {}, `Forest`\n", jdk.major);
    println!(
        "| events of the passing run | pair | s | million events a second, both | MB more | divergences | the first one | differences | not known |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let told: Vec<_> = sizes
        .into_iter()
        .map(|events| measure(jdk, events))
        .collect();
    println!();
    told.iter().flatten().for_each(|told| println!("- {told}"));
}
