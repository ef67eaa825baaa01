//! The reference example (design, section 5) from the program to the answer, through the two binaries.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

fn record(jdk: &Jdk, class: &str, level: &str) -> Folder {
    let folder = Folder::new();
    let path = jdk.classes("mergesort").display().to_string();
    let arguments = ["-cp".to_owned(), path, class.to_owned()];
    let options = ["--level", level, "--include", class];
    let run = folder.launch(jdk, "ms", &options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// The in-scope calls in order: `main`, `sort`, `distribute`, `merge` …, numbered from 1.
fn calls(folder: &Folder) -> Vec<Value> {
    let all = folder.json(&["tree", "ms", "--all"]);
    let inside = all
        .into_iter()
        .filter(|call| call["boundary"] == json!(false));
    inside.collect()
}

/// Asks until the end, with the answers of somebody who knows: calls 1, 2 and 7 are invalid. Gives the
/// numbers of the calls that were asked, and the one that was found.
fn debug(folder: &Folder, strategy: &str) -> (Vec<usize>, usize) {
    let calls = calls(folder);
    let number = |call: &Value| {
        let at = calls.iter().position(|known| known["id"] == call["id"]);
        at.map_or(0, |at| at + 1)
    };
    let mut session = folder
        .jhyde(&["debug", "ms", "--strategy", strategy, "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut answers = session.stdin.take().expect("an input");
    let told = BufReader::new(session.stdout.take().expect("an output"));
    let mut asked = Vec::new();
    for line in told.lines() {
        let line: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        match line["type"].as_str() {
            Some("question") => {
                let call = number(&line["call"]);
                asked.push(call);
                let answer = if [1, 2, 7].contains(&call) {
                    "invalid"
                } else {
                    "valid"
                };
                writeln!(answers, "{}", json!({ "answer": answer })).expect("it listens");
            }
            Some("found") => {
                let found = number(&line["call"]);
                drop(answers);
                session.wait().expect("it ends");
                return (asked, found);
            }
            _ => {}
        }
    }
    panic!("the session ended without a finding after {asked:?}");
}

#[test]
fn every_strategy_asks_in_the_published_order() {
    for jdk in jdks() {
        let folder = record(&jdk, "MergeSort", "full");
        let methods: Vec<String> = calls(&folder)
            .iter()
            .map(|call| call["method"].as_str().unwrap_or_default().to_owned())
            .collect();
        let expected = [
            "main",
            "sort",
            "distribute",
            "merge",
            "merge",
            "distribute",
            "merge",
        ];
        assert_eq!(methods, expected);
        assert_eq!(debug(&folder, "top-down"), (vec![1, 2, 3, 4, 5, 6, 7], 7));
        assert_eq!(
            debug(&folder, "divide-and-query"),
            (vec![2, 3, 4, 5, 6, 7], 7)
        );
        for rule in ["halving", "expected"] {
            assert_eq!(
                debug(&folder, &format!("coverage-{rule}:edges")),
                (vec![7], 7)
            );
            let (asked, found) = debug(&folder, &format!("coverage-{rule}:du-chains"));
            assert!(asked.len() <= 2 && found == 7, "{rule}: {asked:?}");
        }
    }
}

/// The chains of a call: name, line that defined it (none for the entry), line that used it, calls that cover it.
fn chains(coverage: &Value) -> Vec<(String, Option<u64>, u64, u64)> {
    let all = coverage["chains"].as_array().expect("a list").iter();
    all.map(|chain| {
        let defined = chain["defined"]["line"].as_u64();
        (
            chain["name"].as_str().unwrap_or_default().to_owned(),
            defined.filter(|_| chain["by_entry"] == json!(false)),
            chain["used"]["line"].as_u64().unwrap_or_default(),
            chain["calls"].as_u64().unwrap_or_default(),
        )
    })
    .collect()
}

#[test]
fn coverage_is_that_of_the_design_and_of_the_source() {
    for jdk in jdks() {
        let folder = record(&jdk, "MergeSort", "full");
        let covered: Vec<Value> = calls(&folder)
            .iter()
            .map(|call| {
                let id = call["id"].as_str().expect("an id");
                folder.json(&["coverage", "ms", id]).remove(0)
            })
            .collect();
        let edges: Vec<_> = covered
            .iter()
            .map(|call| call["edges"].as_array().map_or(0, Vec::len))
            .collect();
        assert_eq!(edges, [1, 5, 7, 8, 8, 7, 9]);
        // The array of main goes to sort (line 13) and to toString (14).
        let chain = |name: &str, defined, used, calls| (name.to_owned(), defined, used, calls);
        assert_eq!(
            chains(&covered[0]),
            [chain("a", Some(12), 13, 1), chain("a", Some(12), 14, 1)]
        );
        // The last merge leaves its first loop because b is used up, takes an element of b, and copies the rest
        // of a; no other merge does.
        let wrong = &covered[6];
        let lines = |edge: &Value| (edge["from"]["line"].as_u64(), edge["to"]["line"].as_u64());
        let edges = wrong["edges"].as_array().expect("a list").iter();
        let only: Vec<_> = edges
            .filter(|edge| edge["calls"] == json!(1))
            .map(lines)
            .collect();
        let line = Some;
        let expected = [(49, 52), (50, 50), (52, 53)].map(|(from, to)| (line(from), line(to)));
        assert_eq!(only, expected);
        let told = chains(wrong);
        for expected in [
            // The parameters reach the loop's head in every merge, and so do elements the comparison, from the
            // lines of distribute that dealt them out.
            chain("la", None, 49, 3),
            chain("rb", None, 49, 3),
            chain("a[]", Some(35), 50, 3),
            chain("b[]", Some(38), 50, 3),
            // The defect: lb, and not lc, is what the line reads, changes, and hands on to the last loop.
            chain("lb", Some(50), 53, 1),
            chain("a[]", Some(35), 53, 1),
            chain("lb", Some(53), 55, 1),
        ] {
            assert!(told.contains(&expected), "{expected:?} is not in {told:?}");
        }
        assert!(
            told.iter()
                .all(|(name, _, used, _)| name != "lc" || *used == 50)
        );
        let shown = folder.ask(&["coverage", "ms", "merge#2"]);
        assert!(shown.contains("9 edges"), "{shown}");
        assert!(shown.contains("MergeSort.java:35 in distribute"), "{shown}");
    }
}

#[test]
fn coverage_that_no_recording_tells_is_refused() {
    let jdks = jdks();
    let jdk = jdks.first().expect("a JDK");
    let refused = |folder: &Folder, call: &str, says: &str| {
        let output = folder.jhyde(&["coverage", "ms", call]).output();
        let output = output.expect("jhyde can be started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(says), "{said}");
    };
    let full = record(jdk, "MergeSort", "full");
    refused(&full, "toString#0", "outside the scope");
    let state = record(jdk, "MergeSort", "state");
    refused(&state, "merge#2", "record with level full");
}

/// The writes of an element of the array that `main` makes: value and method.
fn history(folder: &Folder, index: usize) -> Vec<(i64, String)> {
    let sort = &calls(folder)[1];
    let array = sort["arguments"][0]["value"]["object"].to_string();
    let writes = folder.json(&["history", "ms", &format!("array#{array}[{index}]"), "--all"]);
    let told = writes.iter().filter(|write| write.get("value").is_some());
    told.map(|write| {
        let method = write["place"]["method"].as_str().unwrap_or_default();
        (write["value"].as_i64().unwrap_or(-1), method.to_owned())
    })
    .collect()
}

#[test]
fn histories_of_elements_are_those_of_the_design() {
    let write = |value, method: &str| (value, method.to_owned());
    for jdk in jdks() {
        let wrong = record(&jdk, "MergeSort", "full");
        let two = history(&wrong, 2);
        assert_eq!(two.len(), 4, "{two:?}");
        assert_eq!(two[0], write(1, "main"));
        assert_eq!(two[3], write(9, "merge"));
        assert_eq!(history(&wrong, 3), [write(7, "main"), write(7, "merge")]);
        let missing = record(&jdk, "MergeSortMissing", "full");
        assert_eq!(history(&missing, 3), [write(7, "main"), write(7, "merge")]);
    }
}

#[test]
fn a_program_without_a_defect_ends_without_a_finding() {
    for jdk in jdks() {
        let folder = record(&jdk, "MergeSortRight", "state");
        let mut session = folder
            .jhyde(&["debug", "ms", "--strategy", "top-down", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("jhyde can be started");
        let mut answers = session.stdin.take().expect("an input");
        for _ in 0..7 {
            writeln!(answers, "{}", json!({ "answer": "valid" })).expect("it listens");
        }
        drop(answers);
        let output = session.wait_with_output().expect("it ends");
        let told = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(told.contains("\"type\":\"none\""), "{told}");
    }
}
