//! How much of what the questions show cannot be judged: of real programs, the part of all values that are nothing but a
//! class and a number.
//!
//! `cargo bench -p jhyde-integration --bench opacity [-- [--calls N] [PROGRAM …]]` after
//! `cargo build --release --workspace --bins`. Records each program at its small size and level `state` on the newest
//! JDK, takes calls at even distances, and looks at all values in what `jhyde call` tells of each: receiver, arguments,
//! result or exception, what was given, what changed, and what these hold. Constants of the program are left out, as
//! they are in questions. A value whose fields or elements the question shows besides is not opaque; nor is one of a
//! recorded class that has no fields. The same is done with a recording without contents.

use std::collections::{BTreeMap, BTreeSet};

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Libraries and programs; those of arithmetic alone have no objects to show.
const PROGRAMS: [&str; 10] = [
    "htmlcleaner",
    "kxml2",
    "csv",
    "gson",
    "junit4",
    "threads",
    "vthreads",
    "http",
    "modern17",
    "modern25",
];

/// What a question opens besides what it names, and whose objects without parts have no fields.
struct Open {
    objects: BTreeSet<u64>,
    scope: Vec<String>,
}

impl Open {
    fn tells(&self, object: &Value, class: &str) -> bool {
        let inside = |package: &String| {
            class
                .strip_prefix(package.as_str())
                .is_some_and(|rest| rest.starts_with(['.', '$']))
        };
        // Code that HotSpot spins lies in the package of its caller.
        let of_scope = self.scope.iter().any(inside) && !class.contains("$$Lambda");
        of_scope || object.as_u64().is_some_and(|id| self.objects.contains(&id))
    }
}

/// What was seen of some questions.
#[derive(Debug, Default)]
struct Seen {
    values: u64,
    opaque: u64,
    /// Opaque because a reason is given.
    not_recorded: u64,
    classes: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.values += other.values;
        self.opaque += other.opaque;
        self.not_recorded += other.not_recorded;
        for (class, count) in other.classes {
            *self.classes.entry(class).or_default() += count;
        }
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }

    /// Looks at a piece of JSON, and at all values in it.
    fn look(&mut self, json: &Value, open: &Open) {
        match json {
            Value::Array(all) => all.iter().for_each(|one| self.look(one, open)),
            Value::Object(map) => {
                if let (Some(object), Some(class)) = (map.get("object"), map.get("class")) {
                    if let Some(class) = class.as_str() {
                        self.object(json, object, class, open);
                    }
                    return;
                }
                if map.get("constant") == Some(&Value::Bool(true)) {
                    return;
                }
                if let Some(reason) = map.get("not_recorded").and_then(Value::as_str) {
                    self.values += 1;
                    self.miss(reason);
                    return;
                }
                // Names, types and places are no values.
                let keys = [
                    "value", "start", "end", "object", "key", "items", "held", "rows", "objects",
                    "content",
                ];
                for key in keys {
                    let Some(inside) = map.get(key) else { continue };
                    self.look(inside, open);
                }
            }
            Value::Null => {}
            _ => self.values += 1,
        }
    }

    fn miss(&mut self, reason: &str) {
        self.not_recorded += 1;
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    fn object(&mut self, json: &Value, object: &Value, class: &str, open: &Open) {
        self.values += 1;
        let held = &json["held"];
        if let Some(reason) = held["not_recorded"].as_str() {
            return self.miss(&format!("{class}: {reason}"));
        }
        if !held.is_null() {
            return self.look(&held["items"], open);
        }
        let shown = ["shown", "text", "units", "length", "content", "runs"]
            .iter()
            .any(|key| json.get(*key).is_some());
        if !shown && !open.tells(object, class) {
            self.opaque += 1;
            *self.classes.entry(class.to_owned()).or_default() += 1;
        }
    }
}

/// The objects whose parts a call's question shows.
fn opened(call: &Value) -> BTreeSet<u64> {
    let sides = ["input", "outcome"].into_iter().map(|side| &call[side]);
    let objects = sides.flat_map(|side| side["objects"].as_array().into_iter().flatten());
    let objects = objects.filter(|object| object["rows"].is_array());
    objects
        .filter_map(|object| object["object"]["object"].as_u64())
        .collect()
}

/// The names of the program's constants.
fn constants(call: &Value) -> Vec<String> {
    let sides = ["input", "outcome"].into_iter().map(|side| &call[side]);
    let rows = sides.flat_map(|side| side["rows"].as_array().into_iter().flatten());
    let rows = rows.filter(|row| row["constant"] == true);
    rows.filter_map(|row| row["name"].as_str().map(str::to_owned))
        .collect()
}

fn question(call: &Value, scope: &[String]) -> Seen {
    let mut seen = Seen::default();
    let open = Open {
        objects: opened(call),
        scope: scope.to_vec(),
    };
    let constants = constants(call);
    let of_constant = |object: &&Value| {
        let path = object["path"].as_str().unwrap_or_default();
        let below = |name: &String| {
            path.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        constants.iter().any(below)
    };
    let top = ["receiver", "arguments", "result", "exception"];
    for part in top {
        seen.look(&call[part], &open);
    }
    for side in ["input", "outcome"] {
        seen.look(&call[side]["rows"], &open);
        let objects = call[side]["objects"].as_array().into_iter().flatten();
        for object in objects.filter(|object| !of_constant(object)) {
            seen.look(object, &open);
        }
    }
    seen
}

/// What questions show of a program, recorded with contents or without.
fn record(jdk: &Jdk, workload: &Workload, calls: usize, contents: bool) -> Seen {
    let folder = Folder::new();
    let scope = workload.scope();
    let mut options = vec!["--level", "state"];
    if !contents {
        options.push("--no-contents");
    }
    options.extend(scope.iter().map(String::as_str));
    let run = folder.launch(jdk, "seen", &options, &workload.arguments(jdk, "small"));
    let tree = folder.json(&["tree", "seen", "--no-boundary", "--no-values", "--unfold"]);
    let asked: Vec<&str> = tree
        .iter()
        .filter(|call| call["boundary"] == false)
        .filter_map(|call| call["id"].as_str())
        .collect();
    assert!(!asked.is_empty(), "nothing was recorded: {}", run.stderr);
    let mut packages = workload.scope();
    packages.retain(|word| !word.starts_with("--"));
    let step = (asked.len() / calls).max(1);
    let mut seen = Seen::default();
    for id in asked.iter().step_by(step) {
        let call = folder.json(&["call", "seen", id]).remove(0);
        seen.add(question(&call, &packages));
    }
    seen
}

fn most(counted: &BTreeMap<String, u64>) {
    let mut all: Vec<_> = counted.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in all.iter().take(30) {
        println!("| {count} | {name} |");
    }
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut calls, mut named) = (150, Vec::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--calls" => {
                let count = words.next().and_then(|word| word.parse().ok());
                calls = count.expect("--calls N");
            }
            _ => named.push(word),
        }
    }
    let jdks = jdks();
    let jdk = jdks.last().expect("a JDK");
    println!(
        "| program (JDK {}) | values | opaque | | not recorded | | without contents: values | opaque | |",
        jdk.major
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut all, mut all_before) = (Seen::default(), Seen::default());
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let line = |name: &str, seen: &Seen, before: &Seen| {
        println!(
            "| {name} | {} | {} | {:.2} % | {} | {:.2} % | {} | {} | {:.2} % |",
            seen.values,
            seen.opaque,
            share(seen.opaque, seen.values),
            seen.not_recorded,
            share(seen.not_recorded, seen.values),
            before.values,
            before.opaque,
            share(before.opaque, before.values),
        );
    };
    for workload in Workload::all() {
        let name = workload.name();
        let wanted = match named.as_slice() {
            [] => PROGRAMS.contains(&name),
            some => some.iter().any(|word| word == name),
        };
        if wanted && workload.runs_on(jdk) {
            let before = record(jdk, &workload, calls, false);
            let seen = record(jdk, &workload, calls, true);
            line(name, &seen, &before);
            all.add(seen);
            all_before.add(before);
        }
    }
    line("all", &all, &all_before);
    println!("\n| opaque | class |\n| --- | --- |");
    most(&all.classes);
    println!("\n| not recorded | why |\n| --- | --- |");
    most(&all.reasons);
}
