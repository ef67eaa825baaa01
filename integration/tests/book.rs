//! The order book: a program on collections throughout, judged by what the questions show of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use jhyde_integration::{Folder, jdks};
use serde_json::Value;

const NAME: &str = "book";

/// The planted bug: selling puts where it should add.
const BUGGY: &str = "OrderBook$Account.sold";

fn recorded(jdk: &jhyde_integration::Jdk) -> Folder {
    recorded_at(jdk, "state")
}

fn recorded_at(jdk: &jhyde_integration::Jdk, level: &str) -> Folder {
    let folder = Folder::new();
    let classes = jdk.classes("book").display().to_string();
    let java = ["-cp".to_owned(), classes, "book.OrderBook".to_owned()];
    let run = folder.launch(jdk, NAME, &["--level", level], &java);
    assert!(run.status.success(), "{}", run.stderr);
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(printed.contains("totals {ELM=0, OAK=25}"), "{printed}");
    folder
}

/// What a collection holds in JSON, as text: keys and values.
fn entries(value: &Value) -> Vec<(String, String)> {
    let items = value["held"]["items"].as_array().expect("items");
    let one = |item: &Value| {
        (
            item["key"].to_string(),
            item["value"]["content"].to_string(),
        )
    };
    items.iter().map(one).collect()
}

#[test]
fn what_a_call_changed_in_a_map_can_be_judged() {
    for jdk in jdks() {
        let folder = recorded(&jdk);
        // Of 10 and 10 sold, 10 are left: the second sale overwrote the first.
        let call = folder.json(&["call", NAME, "sold#1"]).remove(0);
        let objects = call["outcome"]["objects"].as_array().expect("objects");
        let holdings = objects
            .iter()
            .find(|object| object["path"] == "this.holdings")
            .unwrap_or_else(|| panic!("it changed the holdings: {call}"));
        let before = entries(&holdings["start"]);
        assert_eq!(before, [("\"OAK\"".to_owned(), "-10".to_owned())]);
        assert_eq!(entries(&holdings["object"]), before);
        let text = folder.ask(&["call", NAME, "sold#1"]);
        assert!(text.contains("this.holdings"), "{text}");
        // The history of that entry names the call.
        let map = holdings["object"]["object"].as_u64().expect("a number");
        let variable = format!("map#{map}[\"OAK\"]");
        let history = folder.json(&["history", NAME, &variable]);
        assert!(history.len() >= 2, "{history:?}");
        for write in &history {
            assert_eq!(write["variable"], variable.as_str());
            assert_eq!(write["value"]["content"], -10, "{write}");
        }
    }
}

/// What is shown under a way can be asked for by it: through fields, lists and maps.
#[test]
fn the_ways_that_a_call_shows_lead_to_what_it_shows() {
    let mut through_both = 0;
    for jdk in jdks() {
        let folder = recorded(&jdk);
        for call in ["submit#1", "submit#3", "settle#2", "sold#1"] {
            let outcome = folder.json(&["call", NAME, call]).remove(0)["outcome"].take();
            let objects = outcome["objects"].as_array().expect("objects");
            let mut asked = 0;
            // What was taken away is not on its way any more.
            let there = objects
                .iter()
                .filter(|object| object["taken_away"].is_null());
            for object in there {
                let path = object["path"].as_str().expect("a way");
                for row in object["rows"].as_array().expect("rows") {
                    let (name, variable) = (row["name"].as_str(), row["variable"].as_str());
                    let (name, variable) = (name.expect("a name"), variable.expect("a variable"));
                    if variable.is_empty() {
                        continue;
                    }
                    let dot = if name.starts_with('[') { "" } else { "." };
                    let way = format!("{call}:{path}{dot}{name}");
                    let history = folder.json(&["history", NAME, &way]);
                    assert!(!history.is_empty(), "{way} has no history");
                    for write in &history {
                        assert_eq!(write["variable"], variable, "{way}");
                    }
                    asked += 1;
                    through_both +=
                        usize::from(way.contains("[\"") && way.matches('[').count() > 1);
                }
            }
            assert!(asked > 0, "JDK {}: {call} shows nothing", jdk.major);
        }
    }
    assert!(
        through_both > 3,
        "ways through maps and what they hold: {through_both}"
    );
}

#[test]
fn constants_records_and_builders_are_told_by_what_they_are() {
    for jdk in jdks() {
        let folder = recorded(&jdk);
        let tree = folder.ask(&["tree", NAME]);
        assert!(tree.contains("Side.SELL"), "{tree}");
        let call = folder.json(&["call", NAME, "match#1"]).remove(0);
        assert_eq!(call["result"]["held"]["kind"], "named", "{call}");
        let names: Vec<&str> = call["result"]["held"]["items"]
            .as_array()
            .expect("components")
            .iter()
            .filter_map(|item| item["name"].as_str())
            .collect();
        assert_eq!(names, ["buyer", "seller", "symbol", "price", "quantity"]);
        let report = folder.json(&["call", NAME, "report#0"]).remove(0);
        let constants = report["input"]["rows"].as_array().expect("rows");
        let constant = constants.iter().find(|row| row["constant"] == true);
        assert!(constant.is_some(), "{report}");
        let text = folder.ask(&["call", NAME, "submit#3"]);
        assert!(
            !text.contains("Side.BUY  Side.BUY"),
            "constants are not given: {text}"
        );
    }
}

/// Answers every question by what is known of the program.
#[test]
fn the_planted_bug_is_found() {
    for jdk in jdks() {
        let found = found(&recorded(&jdk), &[], |folder, question| {
            let call = &question["call"];
            // Wrong is what left wrong holdings behind: a second sale of a symbol, and what it is part of.
            let invalid = ["main", "submit", "settle", "sold"];
            let method = call["method"].as_str().expect("a method");
            let wrong = || wrong(folder, call["id"].as_str().expect("an id"));
            match invalid.contains(&method) && wrong() {
                true => "invalid",
                false => "valid",
            }
        });
        assert_eq!(found, format!("book.{BUGGY}"), "JDK {}", jdk.major);
    }
}

/// At level `calls`, too: whoever answers reads nothing but what the question shows.
#[test]
fn the_planted_bug_is_found_at_level_calls_by_what_is_shown() {
    for jdk in jdks() {
        let folder = recorded_at(&jdk, "calls");
        let found = found(&folder, &["--details"], |_, question| judged(question));
        assert_eq!(found, format!("book.{BUGGY}"), "JDK {}", jdk.major);
    }
}

/// What a person answers who knows what each method is for, and sees this.
fn judged(question: &Value) -> &'static str {
    let call = &question["call"];
    match call["method"].as_str().expect("a method") {
        // Its report is wrong.
        "main" => "invalid",
        // What accounts hold lies too deep to be seen there.
        "submit" | "settle" => "unknown",
        // It takes from what the seller had.
        "sold" => {
            let trade = &call["arguments"][0]["value"];
            let (symbol, sold) = (part(trade, "symbol").to_string(), part(trade, "quantity"));
            let object = |side: &str, path: &str| {
                let mut all = question[side]["objects"].as_array()?.iter();
                all.find(|object| object["path"] == path)
            };
            let of = |holdings: &Value| -> i64 {
                let entries = entries(holdings);
                let entry = entries.iter().find(|(key, _)| *key == symbol);
                entry.map_or(0, |(_, held)| held.parse().expect("a number"))
            };
            let this = object("input", "this").expect("it was shown an account");
            let mut fields = this["rows"].as_array().expect("its fields").iter();
            let holdings = fields.find(|row| row["name"] == "holdings");
            let before = of(&holdings.expect("they are among them")["end"]);
            // What is not among the changes stayed as it was.
            let after = object("outcome", "this.holdings");
            let after = after.map_or(before, |changed| of(&changed["object"]));
            match before - sold.as_i64().expect("a number") == after {
                true => "valid",
                false => "invalid",
            }
        }
        _ => "valid",
    }
}

fn part<'v>(record: &'v Value, name: &str) -> &'v Value {
    let items = record["held"]["items"].as_array().expect("a record");
    let found = items.iter().find(|item| item["name"] == name);
    &found.unwrap_or_else(|| panic!("{name} of {record}"))["value"]
}

/// The method that a session ends with, whose questions are answered one by one.
fn found(
    folder: &Folder,
    options: &[&str],
    judge: impl Fn(&Folder, &Value) -> &'static str,
) -> String {
    let mut debug = folder
        .jhyde(&["debug", NAME, "--json"])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut answers = debug.stdin.take().expect("a pipe");
    let told = BufReader::new(debug.stdout.take().expect("a pipe"));
    let mut found = None;
    for line in told.lines() {
        let message: Value = serde_json::from_str(&line.expect("a line")).expect("a message");
        let call = &message["call"];
        let name = |part: &str| call[part].as_str().unwrap_or_default();
        match message["type"].as_str() {
            Some("question") => {
                let answer = judge(folder, &message);
                writeln!(answers, "{{\"answer\":\"{answer}\"}}").expect("it listens");
            }
            Some("found") => found = Some(format!("{}.{}", name("class"), name("method"))),
            _ => panic!("{message}"),
        }
    }
    drop(answers);
    assert!(debug.wait().expect("it ends").success());
    found.expect("it ends with the buggy call")
}

/// Did a second sale of a symbol lie in this call?
fn wrong(folder: &Folder, call: &str) -> bool {
    let tree = folder.json(&["tree", NAME, call]);
    let second = |call: &Value| call["method"] == "sold" && call["invocation"] == 1;
    tree.iter().any(second)
}
