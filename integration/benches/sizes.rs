//! What recordings of real programs take on disk: bytes per event, and of those how many each column of the event
//! blocks and each table has.
//!
//! `cargo bench -p jhyde-integration --bench sizes [-- [--docs] [PROGRAM=SIZE …]]` after
//! `cargo build --release --workspace --bins`. Prints tables in Markdown; with `--docs` they also go to
//! `daemon/store/docs/sizes.md`. Recorded is on the first JDK.

use std::fmt::Write as _;

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Programs that differ in what they do, each for some seconds at level `full`, and for a minute or two at level `calls`, where all that
/// calls are shown is looked at.
const PROGRAMS: [(&str, &str); 6] = [
    ("htmlcleaner", "3"),
    ("kxml2", "20"),
    ("csv", "100"),
    ("gson", "20"),
    ("threads", "200"),
    ("kernel", "20000"),
];

const LEVELS: [&str; 3] = ["calls", "state", "full"];

/// What each column is, and how it is made small.
const COLUMNS: [(&str, &str); 36] = [
    ("header", "first timestamp, events, times; checksum"),
    (
        "threads",
        "which thread runs: position and length of each run",
    ),
    (
        "shapes",
        "what the code decides (kind, bytecode index, method, field, types), once per block",
    ),
    (
        "shape stream",
        "per event a bit, whether its shape is the one that followed last time; else its number",
    ),
    (
        "calls and texts",
        "for exits of calls of earlier blocks how far up, first invocations, texts of gaps",
    ),
    (
        "changes of contents",
        "what objects of the JDK hold, as they change; which objects a snapshot found as they were told",
    ),
    ("receiver", "`this` of calls"),
    ("new object", "ids of created objects: mostly the next one"),
    ("array length", "of created arrays"),
    ("field owner", "object whose field is read or written"),
    ("array", "array whose element is read or written"),
    ("element index", "index of that element"),
    (
        "other call",
        "calls that are named by events of other calls",
    ),
    ("monitor", "objects of monitor events"),
    ("text", "texts of gaps, by number"),
    ("exception", "thrown and caught exceptions"),
    ("argument integers", "arguments of integer types"),
    ("argument references", "arguments that are objects"),
    ("argument floats", "arguments of floating-point types"),
    ("result integers", "results of integer types"),
    ("result references", "results that are objects"),
    ("result floats", "results of floating-point types"),
    ("local integers", "values written to locals"),
    ("local references", "objects written to locals"),
    ("local floats", "floating-point values written to locals"),
    ("field integers", "values written to fields and statics"),
    ("field references", "objects written to fields and statics"),
    (
        "field floats",
        "floating-point values written to fields and statics",
    ),
    ("element integers", "values written to array elements"),
    ("element references", "objects written to array elements"),
    (
        "element floats",
        "floating-point values written to array elements",
    ),
    (
        "snapshot integers",
        "values found where an object was first seen",
    ),
    ("snapshot references", "objects found there"),
    ("snapshot floats", "floating-point values found there"),
    (
        "holder of content",
        "objects of the JDK whose content changed",
    ),
    ("change of content", "which change it is"),
];

/// One recording as `jhyded inspect --json` tells of it.
struct Recorded {
    program: String,
    level: &'static str,
    told: Value,
    /// Bytes on disk once it is sealed.
    sealed: f64,
}

impl Recorded {
    fn per_event(&self, bytes: f64) -> f64 {
        bytes / self.told["events"].as_f64().unwrap_or(f64::NAN)
    }

    /// Bytes per event of a column (`columns`) or table (`tables`); 0 where there is none.
    fn part(&self, list: &str, name: &str) -> f64 {
        let parts = self.told[list].as_array().into_iter().flatten();
        let bytes = parts
            .filter(|part| part["name"] == name)
            .filter_map(|part| part["bytes"].as_f64());
        self.per_event(bytes.sum())
    }

    fn names(&self, list: &str) -> Vec<String> {
        let parts = self.told[list].as_array().into_iter().flatten();
        let names = parts.filter_map(|part| part["name"].as_str());
        names.map(str::to_owned).collect()
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut programs: Vec<(&str, &str)> = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .collect();
    if programs.is_empty() {
        programs = PROGRAMS.to_vec();
    }
    let jdk = jdks().swap_remove(0);
    let mut all = Vec::new();
    for (name, size) in &programs {
        let workloads = Workload::all();
        let workload = workloads.iter().find(|workload| workload.name() == *name);
        let workload = workload.unwrap_or_else(|| panic!("no workload is called {name}"));
        for level in LEVELS {
            let recorded = record(&jdk, workload, size, level);
            eprintln!(
                "{} at {level}: {} events, {:.2} bytes per event",
                recorded.program,
                recorded.told["events"],
                recorded.per_event(recorded.sealed)
            );
            all.push(recorded);
        }
    }
    let page = page(&all, &programs);
    println!("{page}");
    if words.iter().any(|word| word == "--docs") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../daemon/store/docs/sizes.md");
        std::fs::write(path, page).expect("the docs can be written");
    }
}

fn record(jdk: &Jdk, workload: &Workload, size: &str, level: &'static str) -> Recorded {
    let folder = Folder::new();
    let scope = workload.scope();
    let mut options = vec!["--level", level];
    options.extend(scope.iter().map(String::as_str));
    let run = folder.launch(
        jdk,
        "sizes",
        &options,
        &workload.arguments_of_size(jdk, size),
    );
    let inspect = || -> Value {
        let output = folder.jhyded(&["inspect", "sizes", "--json"]).output();
        let output = output.expect("jhyded can be started");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("nothing was recorded: {error}\n{}", run.stderr))
    };
    let told = inspect();
    folder.ask(&["seal", "sizes"]);
    let sealed = inspect()["bytes"].as_f64().unwrap_or(f64::NAN);
    Recorded {
        program: format!("{} {size}", workload.name()),
        level,
        told,
        sealed,
    }
}

fn page(all: &[Recorded], programs: &[(&str, &str)]) -> String {
    let words: Vec<String> = programs
        .iter()
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    let mut page = format!(
        "# Sizes of recordings\n\nMade by `cargo bench -p jhyde-integration --bench sizes -- --docs {}` from programs of \
         `integration/workloads.json`. All figures but the events are bytes per event, on disk: after the transforms \
         and lz4. `recording` and `sealed` are what the file system gives to them, whole blocks for each of some fifteen \
         files, which is most of a short recording; the parts behind them are bytes.\n\n\
         | program | level | events | recording | sealed | event blocks | index of variables | objects | \
         calls, threads, directory | classes |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        words.join(" ")
    );
    for recorded in all {
        let tables = |names: &[&str]| -> f64 {
            names.iter().map(|name| recorded.part("tables", name)).sum()
        };
        let leads = [
            "directory",
            "thread_blocks",
            "call_blocks",
            "long_calls",
            "own_blocks",
            "method_blocks",
            "threads",
        ];
        writeln!(
            page,
            "| {} | {} | {} | **{:.2}** | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            recorded.program,
            recorded.level,
            recorded.told["events"],
            recorded.per_event(recorded.told["bytes"].as_f64().unwrap_or(f64::NAN)),
            recorded.per_event(recorded.sealed),
            tables(&["blocks"]),
            tables(&["index"]),
            tables(&["objects", "late_objects"]),
            tables(&leads),
            tables(&["classes"]),
        )
        .expect("text grows");
    }
    page.push_str(
        "\nClasses are kept once, with their code: they weigh in short recordings only.\n\n## Columns of the event \
         blocks\n\nEach column is a constant, a dictionary, bit-packed from a base (frame of reference) or varints, the \
         dictionary's codes and the varints with lz4 where that is smaller; what goes in is the value, or its \
         difference to the last one of the same shape, or of the column, whichever is smallest (`daemon/trace/src/block`). \
         Level `full`.\n\n| column | what it is |",
    );
    let full: Vec<_> = all
        .iter()
        .filter(|recorded| recorded.level == "full")
        .collect();
    for recorded in &full {
        write!(page, " {} |", recorded.program).expect("text grows");
    }
    page.push_str("\n| --- | --- |");
    page.push_str(&" --- |".repeat(full.len()));
    page.push('\n');
    for (name, what) in COLUMNS {
        write!(page, "| {name} | {what} |").expect("text grows");
        for recorded in &full {
            write!(page, " {:.3} |", recorded.part("columns", name)).expect("text grows");
        }
        page.push('\n');
    }
    for recorded in &full {
        for name in recorded.names("columns") {
            assert!(
                COLUMNS.iter().any(|known| known.0 == name),
                "column {name} is not described"
            );
        }
    }
    page
}
