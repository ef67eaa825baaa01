//! Questions about one value: they lead to the right call, are undone, survive a restart of the daemon, and are remembered.

use std::fs;
use std::process::Command;

use jhyde_integration::session::Talk;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

fn record(jdk: &Jdk, level: &str) -> Folder {
    let folder = Folder::new();
    let classes = jdk.classes("slices").display().to_string();
    let java = ["-cp".to_owned(), classes, "Gauges".to_owned()];
    let options = ["--level", level, "--include", "Gauges*"];
    let run = folder.launch(jdk, "run", &options, &java);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// Somebody who has seen that the sum is wrong.
fn pointing() -> Value {
    json!({"answer": "invalid", "call": "run#0", "wrong": ["result"]})
}

/// Readings are three less than what was read.
fn answer(question: &Value) -> Value {
    let call = &question["call"];
    let raw = call["arguments"][0]["value"].as_i64();
    let right = raw.map(|raw| raw - 3);
    match question["value"]["value"].as_i64() {
        Some(value) if Some(value) == right => json!({"answer": "right"}),
        Some(_) => json!({"answer": "wrong"}),
        None if call["result"].as_i64() == right => json!({"answer": "valid"}),
        None => json!({"answer": "invalid"}),
    }
}

/// Plays to the end; gives the last line, and how many questions were about values and how many about calls.
fn play(talk: &mut Talk, mut line: Value) -> (Value, usize, usize) {
    let (mut values, mut calls) = (0, 0);
    while line["type"] == "question" {
        match line["value"].is_null() {
            true => calls += 1,
            false => values += 1,
        }
        assert!(values + calls < 30, "{line}");
        let said = answer(&line);
        let next = talk.say(&said);
        // What reached the sum through a right value alone is suspicious no more.
        if said["answer"] == "right" && next["type"] == "question" {
            let fewer = next["suspicious"].as_u64() < line["suspicious"].as_u64();
            assert!(fewer, "{line} {next}");
        }
        line = next;
    }
    (line, values, calls)
}

fn is_found(line: &Value) {
    assert_eq!(line["type"], "found", "{line}");
    assert_eq!(line["call"]["method"], "calibrated", "{line}");
    assert_eq!(line["call"]["arguments"][0]["value"], 41, "{line}");
}

#[test]
fn value_questions_lead_to_the_right_call() {
    for jdk in jdks() {
        let folder = record(&jdk, "full");
        let mut talk = Talk::begin(&folder, "run", &["--values"]);
        let first = talk.hear();
        assert_eq!(
            first["value"],
            Value::Null,
            "nothing was pointed at: {first}"
        );
        let question = talk.say(&pointing());
        let value = &question["value"];
        assert_eq!(value["way"], "result", "{question}");
        assert!(
            value["instead"].as_u64().is_some_and(|n| n > 2),
            "{question}"
        );
        let (end, values, _) = play(&mut talk, question);
        is_found(&end);
        assert!(values >= 2, "{values}");
        let session = folder.json(&["sessions", "run"]).remove(0);
        let answers = session["answers"].as_array().expect("a list");
        let right: Vec<&Value> = answers.iter().filter(|a| a["answer"] == "right").collect();
        let wrong = answers
            .iter()
            .filter(|a| a["answer"] == "invalid" && !a["value"].is_null());
        assert_eq!(right.len() + wrong.count(), values, "{session}");
        talk.leave();
    }
}

#[test]
fn they_are_undone_kept_over_a_restart_and_refused() {
    let folder = record(&jdks()[0], "full");
    let mut talk = Talk::begin(&folder, "run", &["--values"]);
    talk.hear();
    let question = talk.say(&pointing());
    let refused = talk.say(&json!({"answer": "maybe"}));
    assert_eq!(refused["type"], "error", "{refused}");
    assert_eq!(talk.hear()["value"], question["value"], "asked again");
    // Not known: the call is asked as a whole.
    let whole = talk.say(&json!({"answer": "unknown"}));
    assert_eq!(whole["call"]["id"], question["call"]["id"], "{whole}");
    assert_eq!(whole["value"], Value::Null, "{whole}");
    let error = talk.say(&json!({"answer": "right"}));
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|m| m.contains("no single value")),
        "{error}"
    );
    talk.hear();
    let again = talk.say(&json!({"undo": true}));
    assert_eq!(again["value"], question["value"], "{again}");
    let after = talk.say(&answer(&again));
    let suspicious = after["suspicious"].clone();
    assert!(
        suspicious.as_u64() < question["suspicious"].as_u64(),
        "{after}"
    );
    let undone = talk.say(&json!({"undo": true}));
    assert_eq!(undone["suspicious"], question["suspicious"]);
    let redone = talk.say(&json!({"redo": true}));
    assert_eq!(redone["suspicious"], suspicious);
    assert_eq!(redone["value"], after["value"]);
    talk.leave();
    // The daemon of the folder is ended, and another one reads what is kept.
    let lock = fs::read_to_string(folder.data().join("lock")).expect("the daemon runs");
    let id = lock.split_whitespace().next().expect("its number");
    let killed = Command::new("kill").arg(id).status();
    assert!(killed.expect("kill can be started").success());
    while folder.data().join("jhyded.sock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let mut later = Talk::begin(&folder, "run", &["--session", "last"]);
    let line = later.hear();
    assert_eq!(
        (&line["suspicious"], &line["value"]),
        (&suspicious, &after["value"])
    );
    let (end, ..) = play(&mut later, line);
    is_found(&end);
    later.leave();
}

#[test]
fn they_are_remembered_and_can_be_left_out() {
    let folder = record(&jdks()[0], "full");
    let kept = folder.data().with_file_name("memory").display().to_string();
    let mut counts = Vec::new();
    for _ in 0..2 {
        let mut talk = Talk::begin(&folder, "run", &["--values", "--memory", &kept]);
        talk.hear();
        let question = talk.say(&pointing());
        let (end, values, calls) = play(&mut talk, question);
        is_found(&end);
        counts.push(values + calls);
        talk.leave();
    }
    assert!(counts[0] >= 2 && counts[1] == 0, "{counts:?}");
    let sessions = folder.json(&["sessions", "run"]);
    let last = sessions
        .iter()
        .max_by_key(|s| s["created_ms"].as_u64())
        .expect("a session");
    let remembered = last["answers"].as_array().expect("a list").iter();
    let mut told = remembered.filter_map(|answer| answer["remembered"].as_str());
    assert!(
        told.any(|told| told.contains("answered for result of")),
        "{last}"
    );
    // Scripts that know the old contract alone.
    for (more, level) in [(&[][..], "full"), (&["--no-pointing"], "full")] {
        let folder = record(&jdks()[0], level);
        let mut talk = Talk::begin(&folder, "run", more);
        talk.hear();
        let question = talk.say(&json!({"answer": "invalid", "call": "run#0"}));
        let pointed = match more.is_empty() {
            true => talk.say(&pointing()),
            false => question,
        };
        let (end, values, calls) = play(&mut talk, pointed);
        is_found(&end);
        assert_eq!(values, 0, "{more:?}");
        assert!(calls >= 2, "{calls}");
        talk.leave();
    }
}
