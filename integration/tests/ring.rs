//! A recording that keeps its newest part (`--ring`), held against one of the same run that keeps all: what it tells is so, and what it does not
//! tell any more it says.

use std::collections::BTreeMap;
use std::path::Path;

use jhyde_integration::compiled::compile;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

const REQUESTS: &str = "9000";

fn record(folder: &Folder, jdk: &Jdk, name: &str, more: &[&str], requests: &str) {
    let classes = folder.data().with_file_name("ring");
    if !classes.exists() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/ring");
        compile(jdk, &sources, &classes);
    }
    let path = classes.display().to_string();
    let words = ["-cp", &path, "Requests", requests].map(str::to_owned);
    let options = [&["--engine", "probe", "--level", "full"], more].concat();
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
                    // It may have been there by then.
                    _ if !all.contains_key(key) && value.get("not_recorded").is_some() => {
                        told.not_recorded += 1;
                    }
                    _ => {
                        let whole = all.get(key);
                        let whole = whole.unwrap_or_else(|| panic!("{place} is {value}"));
                        compare(whole, value, &place, told);
                    }
                }
            }
            let left_out: Vec<_> = all.keys().filter(|key| !some.contains_key(*key)).collect();
            assert!(
                left_out.is_empty(),
                "{place}: {left_out:?} not told: {ring}"
            );
        }
        (Value::Array(all), Value::Array(some))
            if some.iter().any(|row| !row["variable"].is_null()) =>
        {
            rows(all, some, place, told);
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

/// Rows of variables. Whether a class was initialised at a time may not be known any more: then its statics are among them.
fn rows(all: &[Value], some: &[Value], place: &str, told: &mut Told) {
    let of = |rows: &[Value], variable: &Value| {
        let mut rows = rows.iter();
        rows.find(|row| row["variable"] == *variable).cloned()
    };
    // A call's outcome has statics that changed: whether one did that was written before is not known, and notes say so.
    let only_changed = place.contains(".outcome");
    for row in all
        .iter()
        .filter(|row| !only_changed || row["kind"] != "static")
    {
        let is_told = of(some, &row["variable"]).is_some();
        assert!(is_told, "{place}: {row} is not told");
    }
    for row in some {
        match of(all, &row["variable"]) {
            Some(whole) => compare(&whole, row, &format!("{place} {}", row["variable"]), told),
            None => {
                assert!(!row["end"]["not_recorded"].is_null(), "{place}: {row}");
                told.not_recorded += 1;
            }
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
    let statement = format!("select id from calls where enter >= {kept} order by enter");
    let rows = folder.json(&["sql", name, "--command", &statement]);
    let calls: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert!(calls.len() > 2000, "{}: {:?}", calls.len(), rows.first());
    let mut asked: Vec<Vec<String>> = Vec::new();
    let mut put = |words: &[&str]| asked.push(words.iter().map(|&word| word.to_owned()).collect());
    // Where the cut is, and all over.
    let first = calls.iter().take(16);
    for call in first.chain(calls.iter().skip(16).step_by(calls.len() / 30)) {
        put(&["call", call]);
        put(&["state", call]);
        put(&["events", call]);
        put(&["tree", call]);
    }
    // Those that began before what is kept.
    for call in ["Requests.main#0", "Requests.serve#0"] {
        put(&["call", call]);
        put(&["state", call]);
    }
    asked
}

#[test]
fn what_is_kept_is_told_as_it_was() {
    for jdk in jdks() {
        let folder = Folder::new();
        record(&folder, &jdk, "whole", &[], REQUESTS);
        record(&folder, &jdk, "ring", &["--ring", "1MB"], REQUESTS);
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
        assert!(told.same > 20_000 && told.not_recorded > 20, "{told:?}");
        queries_tell_what_is_kept(&folder, kept);
    }
}

/// The queries by name, in the first part of what is kept: its rows are those of the whole recording, and a note says what is not.
fn queries_tell_what_is_kept(folder: &Folder, kept: u64) {
    let until = kept + 4000;
    let (from, to) = (kept.to_string(), until.to_string());
    let query = |recording: &str, words: &[&str]| {
        let all = [&["query", recording], words, &["--to", &to]].concat();
        let mut rows = ask(folder, &all).unwrap_or_else(|error| panic!("{all:?}: {error}"));
        let end = rows.pop().expect("an end");
        (rows, end["notes"].to_string())
    };
    let cut = format!("events 0 to {} were cut off", kept - 1);
    // What was written, returned and given then; the loop began in what was cut off.
    for words in [
        ["return-history", "Requests.answer"],
        ["argument-history", "Requests.answer"],
        ["local-history", "Requests.answer:order"],
        ["local-history", "Requests.serve:i"],
    ] {
        let (whole, _) = query("whole", &[&words[..], &["--from", &from]].concat());
        let (mut ring, notes) = query("ring", &words);
        // What was given to a call that ran on is cut off, and that it was given something is known.
        let before = ring.extract_if(.., |row| number(&row["event"]) < kept);
        for row in before {
            assert!(row["value"].to_string().contains("not_recorded"), "{row}");
        }
        assert!(!whole.is_empty(), "{words:?}");
        assert_eq!(whole.len(), ring.len(), "{words:?}");
        for (ring, whole) in ring.iter().zip(&whole) {
            assert_eq!(ring["event"], whole["event"], "{words:?}");
            let value = &ring["value"];
            let is_so = *value == whole["value"] || value.to_string().contains("not_recorded");
            assert!(is_so, "{words:?}: {ring}");
        }
        assert!(notes.contains(&cut), "{words:?}: {notes}");
    }
    // What it called whose end is kept, and how often another one was called.
    let asked = |statement: &str| folder.json(&["sql", "whole", "--command", statement]);
    let serve = asked("select id from calls where method = 'serve'").remove(0);
    let serve = serve["id"].as_str().expect("a call");
    let within = format!("exit >= {kept} and enter < {until}");
    let called = asked(&format!(
        "select id from calls where parent = '{serve}' and {within} order by enter"
    ));
    let ids = called.iter().map(|row| &row["id"]);
    let called: Vec<&Value> = ids.filter(|id| id.is_string()).collect();
    let (rows, notes) = query("ring", &["call-tree", serve, "--depth", "1"]);
    let told: Vec<&Value> = rows.iter().map(|row| &row["call"]["id"]).collect();
    assert!(called.len() > 4, "{called:?}");
    assert_eq!(told, called);
    assert!(notes.contains(&cut), "{notes}");
    let statement = "select count(*) as n from calls where method = 'answer'";
    let behind = asked(&format!(
        "{statement} and enter >= {kept} and enter < {until}"
    ));
    let (called, _) = query("ring", &["called", "Requests.answer"]);
    assert_eq!(called[0]["answer"], "yes");
    assert_eq!(called[0]["count"], behind[0]["n"]);
    assert!(called[0]["why"].to_string().contains(&cut), "{called:?}");
    // It was called once, at the beginning; there nobody can say whether it was.
    let (called, _) = query("ring", &["called", "Requests.<init>"]);
    assert_eq!(called[0]["answer"], "cannot be told", "{called:?}");
}

#[test]
fn what_is_cut_off_is_said() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    record(&folder, &jdk, "ring", &["--ring", "1MB"], REQUESTS);
    let kept = number(&folder.json(&["show", "ring"]).remove(0)["kept_from"]);
    let error = ask(&folder, &["call", "ring", "1.9"]).expect_err("it is gone");
    let said = format!("what was recorded before event {kept} was cut off");
    assert!(error.contains(&said), "{error}");
    let code = folder.jhyde(&["call", "ring", "1.9"]).output();
    assert_eq!(code.expect("jhyde can be started").status.code(), Some(7));
    // As a row of its own, and as a gap.
    let events = folder.json(&["events", "ring", "--limit", "3"]);
    assert!(
        events[0]["kind"] == "gap" && events[1]["timestamp"] == kept,
        "{events:?}"
    );
    let gaps = folder.json(&["gaps", "ring"]);
    assert!(
        gaps[0]["reason"].to_string().contains("were cut off"),
        "{gaps:?}"
    );
    // Of all calls those that are kept are counted, and two that began before.
    let count = |condition: &str| {
        let statement = format!("select count(*) as n from calls {condition}");
        let told = folder.json(&["sql", "ring", "--command", &statement]);
        number(&told[0]["n"])
    };
    let behind = count(&format!("where enter >= {kept}"));
    assert_eq!(
        count(""),
        behind + count(&format!("where enter < {kept} and exit >= {kept}"))
    );
    let check = folder.jhyded(&["check", "ring"]).output();
    let check = check.expect("jhyded can be started");
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stdout)
    );
    let all = folder.json(&["tree", "ring", "--depth", "2", "--limit", "20"]);
    let methods: Vec<_> = all
        .iter()
        .filter_map(|call| call["method"].as_str())
        .collect();
    assert_eq!(methods[..2], ["main", "serve"], "{all:?}");
}

#[test]
fn what_is_small_is_kept_and_what_makes_no_sense_is_refused() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    record(&folder, &jdk, "small", &["--ring", "100MB"], "50");
    let show = folder.json(&["show", "small"]).remove(0);
    assert!(show["kept_from"] == 0 && show["ring"] == "100MB", "{show}");
    for (size, said) in [
        ("10KB", "less than 1MB"),
        ("-5MB", "options.ring"),
        ("some", "options.ring"),
    ] {
        let words = ["-version"].map(str::to_owned);
        let run = folder.launch(&jdk, "refused", &["--ring", size], &words);
        assert!(
            !run.status.success() && run.stderr.contains(said),
            "{}",
            run.stderr
        );
    }
}
