//! A recording that keeps its newest part (`--ring`), held against one of the same run that keeps all: what it tells is so, and what it does not
//! tell any more it says.

use std::collections::BTreeMap;
use std::path::Path;

use jhyde_integration::session::compile;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

const REQUESTS: &str = "9000";

fn record(folder: &Folder, jdk: &Jdk, engine: &str, name: &str, more: &[&str], requests: &str) {
    let classes = folder.data().with_file_name("ring");
    if !classes.exists() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/ring");
        compile(jdk, &sources, &classes);
    }
    let path = classes.display().to_string();
    let words = ["-cp", &path, "Requests", requests].map(str::to_owned);
    let options = [&["--engine", engine, "--level", "full"], more].concat();
    let run = folder.launch(jdk, name, &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
}

/// What one command prints as JSON; the error, if there is one.
fn ask(folder: &Folder, words: &[&str]) -> Result<Vec<Value>, String> {
    let output = folder.jhyde(&[words, &["--json"]].concat()).output();
    let output = output.expect("jhyde can be started");
    let text = String::from_utf8(output.stdout).expect("text");
    match output.status.success() {
        true => Ok(text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// How many values are told, and how many are said not to be recorded.
#[derive(Debug, Default)]
struct Told {
    same: u64,
    not_recorded: u64,
}

/// Is what the recording tells that keeps its newest part what the other one tells, or said not to be known?
fn compare(whole: &Value, ring: &Value, place: &str, told: &mut Told) {
    match (whole, ring) {
        (_, Value::Object(ring)) if ring.contains_key("not_recorded") => told.not_recorded += 1,
        (Value::Object(all), Value::Object(some)) => {
            for (key, value) in some {
                let place = format!("{place}.{key}");
                match key.as_str() {
                    // What is said for people.
                    "notes" | "lowered" | "recording" => {}
                    // Objects of which less is known are reached in fewer ways; those are in other tests.
                    "objects" => by_path(&all[key], value, &place, told),
                    _ => {
                        let whole = all.get(key);
                        let whole = whole.unwrap_or_else(|| panic!("{place} is {value}"));
                        compare(whole, value, &place, told);
                    }
                }
            }
            for key in all.keys().filter(|key| !some.contains_key(*key)) {
                panic!("{place}.{key} is not told: {ring}");
            }
        }
        (Value::Array(all), Value::Array(some)) => {
            assert_eq!(all.len(), some.len(), "{place}: {whole} and {ring}");
            for (at, (whole, ring)) in all.iter().zip(some).enumerate() {
                compare(whole, ring, &format!("{place}[{at}]"), told);
            }
        }
        // Whether something changed that is not known.
        (Value::Bool(_), Value::Null) => told.not_recorded += 1,
        _ => {
            assert_eq!(whole, ring, "{place}");
            told.same += 1;
        }
    }
}

fn by_path(whole: &Value, ring: &Value, place: &str, told: &mut Told) {
    let all: BTreeMap<_, _> = whole
        .as_array()
        .into_iter()
        .flatten()
        .map(|object| (object["object"]["object"].to_string(), object))
        .collect();
    for object in ring.as_array().into_iter().flatten() {
        let id = object["object"]["object"].to_string();
        let Some(whole) = all.get(&id) else {
            panic!("{place}: {object} is not among {whole}");
        };
        for row in object["rows"].as_array().into_iter().flatten() {
            let same = |other: &&Value| other["variable"] == row["variable"];
            let rows = whole["rows"].as_array().into_iter().flatten();
            let Some(whole) = rows.into_iter().find(same) else {
                // It is listed because it is not known whether it changed.
                assert!(row["changed"].is_null(), "{place}: {row}");
                continue;
            };
            compare(whole, row, &format!("{place} {}", row["variable"]), told);
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// The calls of the part that is kept, some of them, and what is asked of each.
fn questions(folder: &Folder, name: &str, kept: u64) -> Vec<Vec<String>> {
    let from = kept.to_string();
    let events = folder.json(&["events", name, "--from", &from, "--limit", "60000"]);
    let entered = events.iter().filter(|event| event["kind"] == "enter");
    let calls: Vec<&str> = entered.filter_map(|event| event["call"].as_str()).collect();
    assert!(calls.len() > 2000, "{}", calls.len());
    let mut asked: Vec<Vec<String>> = Vec::new();
    let mut put = |words: &[&str]| asked.push(words.iter().map(|&word| word.to_owned()).collect());
    for call in calls.iter().step_by(calls.len() / 40) {
        put(&["call", call]);
        put(&["state", call]);
        put(&["events", call]);
        put(&["tree", call]);
        put(&["coverage", call]);
    }
    // Those that began before what is kept.
    for call in ["1.1", "Requests.serve"] {
        put(&["call", call]);
        put(&["state", call]);
    }
    asked
}

#[test]
fn what_is_kept_is_told_as_it_was() {
    for (jdk, engine) in jdks().iter().zip(["probe", "probe"]) {
        let folder = Folder::new();
        record(&folder, jdk, engine, "whole", &[], REQUESTS);
        record(&folder, jdk, engine, "ring", &["--ring", "1MB"], REQUESTS);
        let whole = folder.json(&["show", "whole"]).remove(0);
        let ring = folder.json(&["show", "ring"]).remove(0);
        let kept = number(&ring["kept_from"]);
        let events = number(&whole["events"]);
        assert_eq!(ring["events"], whole["events"]);
        assert_eq!(ring["calls"], whole["calls"]);
        assert!(events / 3 < kept && kept < events - 100_000, "{ring}");
        assert!(number(&ring["bytes"]) < 1_600_000, "{ring}");
        assert!(whole.get("kept_from").is_none(), "{whole}");
        let mut told = Told::default();
        for asked in questions(&folder, "ring", kept) {
            let words = |name: &'static str| -> Vec<&str> {
                let [command, rest @ ..] = &asked[..] else {
                    panic!("nothing is asked");
                };
                let rest = rest.iter().map(String::as_str);
                [command.as_str(), name].into_iter().chain(rest).collect()
            };
            let all = ask(&folder, &words("whole")).expect("all is kept");
            let some =
                ask(&folder, &words("ring")).unwrap_or_else(|error| panic!("{asked:?}: {error}"));
            assert_eq!(all.len(), some.len(), "{asked:?}");
            for (whole, ring) in all.iter().zip(&some) {
                compare(whole, ring, &asked.join(" "), &mut told);
            }
        }
        eprintln!("{told:?}");
        assert!(told.same > 20_000 && told.not_recorded > 20, "{told:?}");
    }
}
