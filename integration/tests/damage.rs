//! Bits that flip in recordings of real programs: what is there is told as it was, what is not is said.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, jdks};
use jhyde_trace::block::FORMAT_VERSION;
use serde_json::{Value, json};

const NAME: &str = "damaged";

/// A copy of the recordings of a data folder, in which nobody works.
fn copied(whole: &Folder) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.data()).expect("a data folder");
    let mut copy = Command::new("cp");
    copy.arg("-R")
        .args([whole.data().join("recordings"), folder.data()]);
    assert!(copy.status().is_ok_and(|status| status.success()));
    folder
}

/// RocksDB's table files of the only recording.
fn tables(folder: &Folder) -> Vec<PathBuf> {
    let recordings = fs::read_dir(folder.data().join("recordings")).expect("the recordings");
    let recording = recordings.flatten().next().expect("a recording").path();
    let files = fs::read_dir(recording.join("db"))
        .expect("the database")
        .flatten();
    let mut tables: Vec<_> = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .collect();
    tables.sort();
    tables
}

/// Where event blocks begin in a file.
fn event_blocks(bytes: &[u8]) -> Vec<usize> {
    let places = bytes.windows(3).enumerate();
    places
        .filter(|(_, window)| **window == [b'J', b'B', FORMAT_VERSION])
        .map(|(at, _)| at)
        .collect()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("the file");
    bytes[at] ^= 0x10;
    fs::write(path, bytes).expect("spoiled");
}

/// What people ask of a recording, as text. The daemon's own words (a note on damage) are not among it.
fn answers(folder: &Folder, call: &str, variable: &str) -> Vec<String> {
    let asked: [&[&str]; 7] = [
        &["tree", NAME, "--all", "--json"],
        &["call", NAME, call, "--json"],
        &["state", NAME, call, "--json"],
        &["events", NAME, call, "--all", "--json"],
        &["history", NAME, variable, "--json"],
        &["threads", NAME, "--json"],
        &["classes", NAME, "--json"],
    ];
    asked.iter().map(|words| folder.ask(words)).collect()
}

/// `jhyded check`: its exit code is 0 only if all is well.
fn damage_of(folder: &Folder) -> Vec<String> {
    let output = folder.jhyded(&["check", NAME, "--json"]).output();
    let output = output.expect("jhyded can be started");
    let told: Value = serde_json::from_slice(&output.stdout).expect("check prints JSON");
    let damage = told["damage"].as_array().expect("a list of damage");
    assert_eq!(output.status.success(), damage.is_empty(), "{told}");
    damage.iter().map(ToString::to_string).collect()
}

/// The events of a recording in which one block cannot be read: a gap stands in its place, the others are as they
/// were.
fn events_around_the_damage_are_told(folder: &Folder, whole: &[Value]) {
    let output = folder.jhyde(&["events", NAME, "--json"]).output();
    let output = output.expect("jhyde can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("cannot be read"), "{said}");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let is_hole = |row: &Value| row["kind"] == "gap" && row["call"].is_null();
    let holes: Vec<usize> = (0..told.len()).filter(|at| is_hole(&told[*at])).collect();
    let [hole] = holes[..] else {
        panic!("gaps at {holes:?}")
    };
    // The same before and behind it, but for what only the damaged block tells of them.
    let same = |told: &[Value], whole: &[Value]| {
        for (told, whole) in told.iter().zip(whole) {
            for field in ["timestamp", "kind", "call", "variable", "place"] {
                assert_eq!(told[field], whole[field], "{told}");
            }
        }
    };
    let behind = told.len() - hole - 1;
    assert!(hole > 100 && behind > 100, "{hole} and {behind} events");
    same(&told[..hole], &whole[..hole]);
    same(&told[hole + 1..], &whole[whole.len() - behind..]);
    // Those just before the damage are had without it.
    let from = told[hole - 8]["timestamp"].to_string();
    let few = folder.json(&["events", NAME, "--from", &from, "--limit", "8"]);
    let next = json!({ "next_page": told[hole]["timestamp"].to_string() });
    assert_eq!((few.len(), &few[8]), (9, &next));
    same(&few[..8], &told[hole - 8..hole]);
}

/// Calls of each method, in which one block cannot be read: none is told twice or made up, and what is not counted is said.
fn methods_around_the_damage_are_told(folder: &Folder, calls: &[Value]) {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for call in calls {
        let name = |field: &str| call[field].as_str().unwrap_or_default().to_owned();
        let method = format!("{}.{}{}", name("class"), name("method"), name("descriptor"));
        *counts.entry(method).or_default() += 1;
    }
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value}"));
    for (method, count) in &counts {
        let row = folder.json(&["query", NAME, "called", method]).remove(0);
        assert!(number(&row["count"]) <= *count, "{method}: {row}");
        let is_said = row["why"].is_string();
        assert!(
            number(&row["count"]) == *count || is_said,
            "{method}: {row}"
        );
    }
    let statement = "select id, class || '.' || name || descriptor as method, calls from methods";
    let methods = folder.json(&["sql", NAME, "--command", statement]);
    let mut told = 0;
    for row in methods.iter().filter(|row| row["method"].is_string()) {
        let Some(count) = row["method"].as_str().and_then(|name| counts.get(name)) else {
            continue;
        };
        let counted = &row["calls"];
        assert!(counted.is_null() || number(counted) == *count, "{row}");
        let id = &row["id"];
        let statement = format!("select count(*) as n from calls where method_id = {id}");
        let rows = folder.json(&["sql", NAME, "--command", &statement]);
        assert!(number(&rows[0]["n"]) <= *count, "{row}: {rows:?}");
        told += number(&rows[0]["n"]) as usize;
    }
    let all = calls.len();
    assert!(told < all && told > all * 8 / 10, "{told} of {all}");
}

/// What named queries that read all of some blocks find, in which one cannot be read: as much as in the whole one, or it is said.
fn questions_around_the_damage_are_answered(folder: &Folder, whole: &Folder) {
    let statement = "select field_class || '.' || name as field, field_class as class from writes where \"of\" = 'field' \
                     group by field_class, name order by count(*) desc limit 12";
    let fields = whole.json(&["sql", NAME, "--command", statement]);
    let word = |row: &Value, name: &str| row[name].as_str().map(str::to_owned);
    let mut lost = 0;
    for row in fields.iter().filter(|row| row["field"].is_string()) {
        let (field, class) = (word(row, "field"), word(row, "class"));
        let (field, class) = (field.expect("a name"), class.expect("a class"));
        let of = |folder: &Folder| folder.json(&["query", NAME, "field-history", &field]);
        let (told, all) = (of(folder), of(whole));
        let notes = told.last().expect("an end")["notes"].to_string();
        let is_said = notes.contains("cannot be read");
        assert!(told.len() == all.len() || is_said, "{field}: {notes}");
        lost += usize::from(told.len() < all.len());
        let of = |folder: &Folder| folder.json(&["query", NAME, "exists", &class]).remove(0);
        let (told, all) = (of(folder), of(whole));
        let is_said = told["why"].is_string();
        assert!(told["count"] == all["count"] || is_said, "{class}: {told}");
    }
    assert!(lost > 0, "no field was written in the damaged block");
}

#[test]
fn what_is_there_is_told_and_what_is_lost_is_said() {
    let jdk = jdks().swap_remove(0);
    let workloads = Workload::all();
    let workload = workloads.iter().find(|workload| workload.name() == "csv");
    let workload = workload.expect("a workload");
    let whole = Folder::new();
    let scope = workload.scope();
    let options: Vec<&str> = scope.iter().map(String::as_str).collect();
    let run = whole.launch(
        &jdk,
        NAME,
        &options,
        &workload.arguments_of_size(&jdk, "60"),
    );
    assert!(run.status.success(), "{}", run.stderr);
    assert!(damage_of(&whole).is_empty());

    let calls = whole.json(&["tree", NAME, "--all"]);
    let by_id: HashMap<&str, &Value> = calls
        .iter()
        .filter_map(|call| Some((call["id"].as_str()?, call)))
        .collect();
    let largest = calls.iter().max_by_key(|call| call["descendants"].as_u64());
    let call = largest.and_then(|call| call["id"].as_str()).expect("calls");
    let rows = whole.json(&["events", NAME, call, "--all"]);
    let written = rows.iter().find(|row| row["kind"] == "write");
    let variable = written.and_then(|row| row["variable"].as_str());
    let variable = variable.expect("the largest call writes something");
    let expected = answers(&whole, call, variable);
    let events = whole.json(&["events", NAME]);
    let mut writes: HashMap<&str, usize> = HashMap::new();
    for event in events.iter().filter(|event| event["kind"] == "write") {
        *writes
            .entry(event["variable"].as_str().expect("a variable"))
            .or_default() += 1;
    }
    // There is hardly a block in which it is not written.
    let busiest = writes.iter().max_by_key(|(_, count)| **count);
    let busiest = (*busiest.expect("writes").0).to_owned();
    let writes_of = |variable: &str| writes[variable];

    let (mut harmless, mut named) = (0, 0);
    for position in 0..tables(&whole).len() {
        let folder = copied(&whole);
        let path = &tables(&folder)[position];
        let blocks = event_blocks(&fs::read(path).expect("the file"));
        if let Some(middle) = blocks.get(blocks.len() / 2).filter(|_| blocks.len() > 2) {
            flip(path, middle + 40);
            let damage = damage_of(&folder);
            assert!(
                damage.len() == 1 && damage[0].contains("event block"),
                "{damage:?}"
            );
            let output = folder.jhyde(&["tree", NAME, "--all", "--json"]).output();
            let output = output.expect("jhyde can be started");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(!output.status.success(), "it says that calls are missing");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                said.contains("are missing") && said.contains("event block"),
                "{said}"
            );
            let mut seen = 0;
            for line in told.lines() {
                let call: Value = serde_json::from_str(line).expect("a call");
                let known = by_id[call["id"].as_str().expect("an id")];
                for field in ["method", "enter", "exit", "parent", "descendants"] {
                    assert_eq!(call[field], known[field], "{call}");
                }
                seen += 1;
            }
            assert!(
                seen < calls.len() && seen > calls.len() * 8 / 10,
                "{seen} of {}",
                calls.len()
            );
            events_around_the_damage_are_told(&folder, &events);
            methods_around_the_damage_are_told(&folder, &calls);
            questions_around_the_damage_are_answered(&folder, &whole);
            let words = ["history", NAME, &busiest, "--all"];
            let rows = folder.json(&words);
            let notes = rows.last().expect("notes")["notes"].to_string();
            assert!(notes.contains("their block is damaged"), "{notes}");
            let missing = writes_of(&busiest) - (rows.len() - 1);
            assert!((1..5000).contains(&missing), "{missing} writes");
            let text = folder.ask(&words);
            let said = text.lines().filter(|line| line.starts_with("! "));
            assert_eq!(said.count(), 1, "{text}");
            for words in [["where", NAME], ["classes", NAME], ["threads", NAME]] {
                folder.json(&words);
            }
            let page = folder.ask(&["tree", NAME, "--all", "--no-values"]);
            assert!(page.contains("are missing"), "pages say it, too");
            let asked = folder.json(&["debug", NAME, "--strategy", "divide-and-query"]);
            let notes = asked[0]["notes"].to_string();
            assert!(
                asked[0]["type"] == "question" && notes.contains("cannot be read"),
                "{asked:?}"
            );
            let asked = folder.json(&["debug", NAME, "--strategy", "coverage-halving:edges"]);
            let notes = asked[0]["notes"].to_string();
            assert!(
                notes.contains("does not count when calls are weighed"),
                "{notes}"
            );
            let covered = folder.json(&["coverage", NAME, call]);
            let notes = covered[0]["notes"].to_string();
            assert!(
                notes.contains("by more calls than are counted"),
                "{covered:?}"
            );
            named += 1;
            continue;
        }
        flip(path, 5);
        let damage = damage_of(&folder);
        assert_eq!(damage.len(), 1, "{}: {damage:?}", path.display());
        if damage[0].contains("no answer is lost") {
            assert_eq!(answers(&folder, call, variable), expected, "{damage:?}");
            harmless += 1;
        } else {
            // Objects, classes, threads: the tree is there, with numbers for names.
            let told = folder.json(&["tree", NAME, "--all"]);
            assert_eq!(told.len(), calls.len(), "{damage:?}");
            let same = |field: &str| told.iter().zip(&calls).all(|(a, b)| a[field] == b[field]);
            if damage[0].contains("table classes") {
                let rows = folder.json(&["classes", NAME]);
                let last = rows.last().expect("the notes").to_string();
                assert!(last.contains("table classes is damaged"), "{last}");
            }
            assert!(same("id") && same("enter") && same("exit") && same("descendants"));
            named += 1;
        }
    }
    // Directory, blocks of threads, calls and methods, long calls, own events, index, passages and their sites, what is counted.
    assert_eq!(harmless, 10);
    assert!(
        named >= 3,
        "event blocks, objects, classes, threads: {named}"
    );
}
