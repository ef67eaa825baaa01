//! Sessions on a program that still runs, with each kind of answer, and what is left of them when the daemon is killed meanwhile.

use std::thread::sleep;
use std::time::{Duration, Instant};

use jhyde_integration::session::Talk;
use jhyde_integration::waits::Waits;
use jhyde_integration::{Folder, jdks};
use serde_json::{Value, json};

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

/// The session that began last.
fn last(folder: &Folder) -> Value {
    folder.json(&["sessions", "run"]).pop().expect("a session")
}

fn answers(session: &Value, of: &str) -> usize {
    let answers = session["answers"].as_array().expect("a list").iter();
    answers.filter(|given| given["answer"] == of).count()
}

#[test]
fn what_was_answered_while_the_program_ran_is_there_when_the_daemon_was_killed() {
    let folder = Folder::new();
    let mut waits = Waits::begin(&folder, &jdks()[0]);
    // main has not ended, and is not asked; run is wrong, by what it returned.
    let mut talk = Talk::begin(&folder, "run", &["--values"]);
    let first = talk.hear();
    assert_eq!(first["type"], "question", "{first}");
    let pointed = json!({"answer": "invalid", "call": "run#0", "wrong": ["result"]});
    let question = talk.say(&pointed);
    assert_eq!(
        question["value"]["way"], "result",
        "a value is asked about: {question}"
    );
    let next = talk.say(&answer(&question));
    assert_eq!(next["type"], "question", "{next}");
    let next = talk.say(&json!({"answer": "inadmissible", "call": "calibrated#5"}));
    assert_eq!(next["type"], "question", "{next}");
    let next = talk.say(&json!({"answer": "valid", "call": "calibrated#0", "by": "a model"}));
    assert_eq!(next["type"], "question", "{next}");
    let trusted = talk.say(&json!({"assert": "Gauges$Gauge.calibrated: result < 1000"}));
    assert_eq!(trusted["type"], "question", "{trusted}");
    talk.leave();
    let before = last(&folder);
    assert_eq!(answers(&before, "inadmissible"), 1, "{before}");
    // What was recorded so far is due on the disk.
    sleep(Duration::from_millis(600));
    waits.kill();
    let after = last(&folder);
    for what in [
        "id",
        "strategy",
        "answers",
        "known",
        "properties",
        "knowing",
    ] {
        assert_eq!(after[what], before[what], "{what}");
    }
    assert_eq!(folder.json(&["show", "run"])[0]["state"], "cut");
    // And it goes on to the end, with the values.
    let mut talk = Talk::begin(&folder, "run", &["--session", "last"]);
    let mut line = talk.hear();
    let mut asked = 0;
    while line["type"] == "question" {
        asked += 1;
        assert!(asked < 30, "{line}");
        line = talk.say(&answer(&line));
    }
    assert_eq!(line["type"], "found", "{line}");
    assert_eq!(line["call"]["method"], "calibrated", "{line}");
    assert_eq!(line["call"]["arguments"][0]["value"], 41, "{line}");
    talk.leave();
}

/// Whoever waits in a session for the program goes on with the next daemon when that one dies.
#[test]
fn a_session_that_waits_survives_its_daemon() {
    let folder = Folder::new();
    let mut waits = Waits::begin(&folder, &jdks()[0]);
    let mut talk = Talk::begin(&folder, "run", &["--strategy", "top-down"]);
    let mut line = talk.hear();
    let mut asked = 0;
    while line["type"] == "question" {
        asked += 1;
        assert!(asked < 30, "{line}");
        line = talk.say(&json!({"answer": "valid"}));
    }
    assert_eq!(line["type"], "waiting", "{line}");
    // What was recorded so far is due on the disk.
    sleep(Duration::from_millis(600));
    waits.kill();
    let line = talk.hear();
    assert_ne!(line["type"], "waiting", "nothing comes any more: {line}");
    assert_ne!(line["type"], "error", "{line}");
    talk.leave();
    assert_eq!(answers(&last(&folder), "valid"), asked);
}

#[test]
fn what_is_known_answers_for_calls_that_come_later() {
    let folder = Folder::new();
    let mut waits = Waits::begin(&folder, &jdks()[0]);
    let mut talk = Talk::begin(&folder, "run", &["--strategy", "top-down", "--known"]);
    let first = talk.hear();
    assert_eq!(first["type"], "question", "{first}");
    assert_ne!(first["call"]["method"], "main", "it has not ended");
    let mut line = talk.say(&json!({"answer": "valid", "call": "run#0"}));
    // The constructor of the gauge, which ended before.
    let mut before = 0;
    while line["type"] == "question" {
        before += 1;
        assert!(before < 3, "{line}");
        line = talk.say(&json!({"answer": "valid"}));
    }
    assert_eq!(line["type"], "waiting", "{line}");
    waits.go_on();
    let since = Instant::now();
    let mut line = talk.hear();
    while line["type"] == "waiting" {
        assert!(since.elapsed() < Duration::from_secs(60), "{line}");
        line = talk.hear();
    }
    assert_eq!(line["type"], "question", "{line}");
    assert_eq!(line["call"]["method"], "main", "it has ended: {line}");
    // The gauges were read in the same way once more: that is not asked.
    let end = talk.say(&json!({"answer": "invalid"}));
    assert_eq!(end["type"], "found", "{end}");
    assert_eq!(end["call"]["method"], "main", "{end}");
    let known = end["known"].as_array().expect("something is known");
    let equal = |known: &&Value| known["from"] == "equal" && known["answer"] == "valid";
    let to = |known: &Value| known["equal_to"] == first["call"]["id"];
    assert!(known.iter().filter(equal).any(to), "{end}");
    talk.leave();
}
