//! The tables `coverage`, `sessions` and `answers`.

use std::collections::BTreeMap;

use jhyde_integration::session::Talk;
use jhyde_integration::{Folder, jdks};
use serde_json::{Value as Json, json};

use crate::{ask, fails, merge_sort, rows};

/// The ways that control went, as the events tell them: method, condition, where it went; how often, in how many calls, first and last.
type Ways = BTreeMap<(String, Option<i64>, i64), (u64, Vec<String>, u64, u64)>;

/// Before this event.
fn gone(folder: &Folder, until: u64) -> Ways {
    let mut ways = Ways::new();
    let mut methods = BTreeMap::new();
    for event in folder.json(&["events", "run"]) {
        let call = event["call"].as_str().unwrap_or_default().to_owned();
        let at = event["timestamp"].as_u64().expect("a time");
        if at >= until {
            break;
        }
        let way = match event["kind"].as_str() {
            Some("enter") if event["entered"]["boundary"] != json!(true) => {
                let entered = &event["entered"];
                let name = format!(
                    "{}.{}{}",
                    entered["class"].as_str().unwrap_or_default(),
                    entered["method"].as_str().unwrap_or_default(),
                    entered["descriptor"].as_str().unwrap_or_default()
                );
                methods.insert(call.clone(), name.clone());
                (name, None, 0)
            }
            Some("edge") => {
                let from = event["from"].as_i64();
                let to = event["to"].as_i64().expect("a place");
                (methods[&call].clone(), from, to)
            }
            _ => continue,
        };
        let (times, calls, first, last) = ways.entry(way).or_insert((0, Vec::new(), at, at));
        *times += 1;
        if !calls.contains(&call) {
            calls.push(call);
        }
        *first = (*first).min(at);
        *last = at;
    }
    ways
}

#[test]
fn coverage_is_what_the_events_tell_and_what_the_code_has_besides() {
    for jdk in jdks() {
        let folder = merge_sort(&jdk, "full");
        let mut wanted = gone(&folder, u64::MAX);
        assert!(wanted.len() > 10);
        let (table, _) = ask(
            &folder,
            &[
                "-c",
                "SELECT m.class || '.' || m.name || m.descriptor AS whole, c.* FROM coverage c JOIN methods m ON m.id = c.method_id",
            ],
        );
        let mut never = 0;
        for row in &table {
            let whole = row["whole"].as_str().expect("a method").to_owned();
            let from = row["bytecode_index"].as_i64();
            let to = row["to_index"].as_i64().expect("a place");
            let told = (
                row["times"].as_u64().expect("a number"),
                row["calls"].as_u64().expect("a number"),
                row["first"].as_u64(),
                row["last"].as_u64(),
            );
            let found = wanted.remove(&(whole, from, to));
            let found = found.map_or((0, 0, None, None), |(times, calls, first, last)| {
                (times, calls.len() as u64, Some(first), Some(last))
            });
            assert_eq!(told, found, "{row}");
            never += u64::from(told.0 == 0);
            assert!(!row["outcome"].is_null(), "{row}");
        }
        // What is left are the jumps back of loops, at which nothing is decided.
        let conditions: Vec<_> = table.iter().map(|row| &row["bytecode_index"]).collect();
        for (method, from, to) in wanted.keys() {
            let is_back = from.is_some_and(|from| *to < from);
            assert!(
                is_back && !conditions.contains(&&json!(from)),
                "{method} {from:?} {to}"
            );
        }
        assert!(never > 0, "the sort has ways that a short list does not go");
        // Of one method by its calls: the same.
        let by = |statement: &str| rows(&folder, statement);
        let all = by("SELECT * FROM coverage ORDER BY method_id, bytecode_index, to_index");
        let each = by(
            "SELECT c.* FROM methods m JOIN coverage c ON c.method_id = m.id ORDER BY c.method_id, c.bytecode_index, c.to_index",
        );
        assert_eq!(all, each);
        // Rows that an OR finds by one index and another are all there.
        let either = "((class = 'MergeSort' AND method_id = 1 AND times > 0) OR (class = 'MergeSort' AND method_id = 2 AND times > 0))";
        let united = by(&format!(
            "SELECT * FROM coverage WHERE {either} ORDER BY method_id, bytecode_index, to_index"
        ));
        let one_by_one = by(
            "SELECT * FROM (SELECT * FROM coverage) WHERE +method_id IN (1, 2) AND times > 0 AND class = 'MergeSort' ORDER BY method_id, bytecode_index, to_index",
        );
        assert!(one_by_one.len() > 4);
        assert_eq!(united, one_by_one);
        // What `executed` says of each line with a condition.
        let lines =
            by("SELECT DISTINCT class, line FROM coverage WHERE bytecode_index IS NOT NULL");
        assert!(lines.len() > 3);
        for line in lines {
            let (class, line) = (line[0].as_str().expect("a class"), &line[1]);
            let place = format!("{class}:{line}");
            let mut told = folder.json(&["query", "run", "executed", &place]);
            told.pop();
            for answer in told {
                let what = answer["what"].as_str().unwrap_or_default();
                let Some((_, way)) = what.split_once("the condition at index ") else {
                    continue;
                };
                let numbers = way.split(|c: char| !c.is_ascii_digit());
                let numbers: Vec<i64> = numbers.filter_map(|n| n.parse().ok()).collect();
                let (from, to) = (numbers[0], *numbers.last().expect("where to"));
                let counted = by(&format!(
                    "SELECT times FROM coverage WHERE class = '{class}' AND line = {line} AND bytecode_index = {from} AND to_index = {to}"
                ));
                let is_gone = counted.iter().any(|row| row[0] != json!(0));
                assert_eq!(
                    answer["answer"] == json!("yes"),
                    is_gone,
                    "{answer} {counted:?}"
                );
            }
        }
        // Seen up to an event: what came behind it is not counted.
        let lasts = table.iter().filter_map(|row| row["last"].as_u64());
        let middle = lasts.max().unwrap_or(0) / 2;
        let (part, _) = ask(
            &folder,
            &[
                "--to",
                &middle.to_string(),
                "-c",
                "SELECT sum(times) AS n FROM coverage",
            ],
        );
        let ways = gone(&folder, middle).into_iter();
        let until: u64 = ways
            .filter(|((_, from, to), _)| !from.is_some_and(|from| *to < from))
            .map(|(_, (times, ..))| times)
            .sum();
        assert!(until > 10);
        assert_eq!(part, [json!({"n": until})]);
    }
}

#[test]
fn coverage_needs_the_level_full() {
    let folder = merge_sort(&jdks()[0], "state");
    let words = ["sql", "run", "-c", "SELECT * FROM coverage"];
    fails(&folder, &words, "level full");
}

#[test]
fn what_people_said_is_in_tables() {
    let folder = merge_sort(&jdks()[0], "full");
    assert_eq!(
        rows(&folder, "SELECT * FROM sessions"),
        [] as [Vec<Json>; 0]
    );
    let mut talk = Talk::begin(&folder, "run", &["--strategy", "top-down"]);
    let mut heard = talk.hear();
    let mut said = Vec::new();
    for answer in ["invalid", "unknown", "valid"] {
        let call = heard["call"]["id"].as_str().expect("a question").to_owned();
        said.push((call, answer));
        heard = talk.say(&json!({"answer": answer}));
    }
    // Taken back.
    talk.say(&json!({"undo": true}));
    talk.leave();
    said.pop();
    let (sessions, _) = ask(
        &folder,
        &[
            "-c",
            "SELECT id, strategy, restriction, answers FROM sessions",
        ],
    );
    let listed = folder.json(&["sessions", "run"]);
    assert_eq!(
        sessions,
        [json!({"id": listed[0]["id"], "strategy": "top-down", "restriction": null, "answers": 2})]
    );
    let (answers, _) = ask(
        &folder,
        &[
            "-c",
            "SELECT s.strategy, a.position, c.id, a.answer, a.wrong, a.value, a.known_from FROM answers a JOIN sessions s ON s.id = a.session \
             JOIN calls c ON c.id = a.call ORDER BY a.position",
        ],
    );
    let wanted: Vec<_> = said
        .iter()
        .zip(0..)
        .map(|((call, answer), at)| {
            json!({
                "strategy": "top-down", "position": at, "id": call, "answer": answer,
                "wrong": null, "value": null, "known_from": null,
            })
        })
        .collect();
    assert_eq!(answers, wanted);
}

/// SQLite looks up each part of an OR for itself, and unites rows by their numbers.
#[test]
fn rows_of_table_functions_are_united_by_an_or() {
    let folder = merge_sort(&jdks()[0], "full");
    for (function, columns, [one, two]) in [
        ("loops", "position, line, enter", ["1.2", "1.4"]),
        ("children", "id", ["1.1", "1.2"]),
        ("state", "variable", ["1.2", "1.4"]),
    ] {
        let of = |condition: &str| {
            let mut found = rows(
                &folder,
                &format!("SELECT {columns} FROM {function} WHERE {condition}"),
            );
            found.sort_by_key(|row| format!("{row:?}"));
            found
        };
        let [first, second] = [one, two].map(|call| of(&format!("of_call = '{call}'")));
        assert!(
            !first.is_empty() && !second.is_empty(),
            "{function}: both have some"
        );
        let mut wanted = [first, second].concat();
        wanted.sort_by_key(|row| format!("{row:?}"));
        let united = of(&format!("of_call = '{one}' OR of_call = '{two}'"));
        assert_eq!(united, wanted, "{function}");
    }
    // An OR of which SQLite takes apart what both sides have, and looks at the argument.
    let either = "(of_call = '1.1' AND number = 2) OR (of_call = '1.1' AND method = 'sort')";
    let told = rows(
        &folder,
        &format!("SELECT id, of_call FROM children WHERE {either}"),
    );
    assert_eq!(told, [[json!("1.2"), json!("1.1")]]);
    // A function of the statement's own, and the same row found by both parts, which is one.
    let define = "CREATE FUNCTION f(a INTEGER) RETURNS TABLE(x INTEGER) AS SELECT $a UNION ALL SELECT $a + 1;";
    let asked = |condition: &str| {
        rows(
            &folder,
            &format!("{define} SELECT x FROM f WHERE {condition} ORDER BY x"),
        )
    };
    assert_eq!(
        asked("a = 1 OR a = 5"),
        [[json!(1)], [json!(2)], [json!(5)], [json!(6)]]
    );
    assert_eq!(
        asked("(a = 1 AND x < 3) OR (a = 1 AND x > 0)"),
        [[json!(1)], [json!(2)]]
    );
}
