//! What was once told falsely, each by its smallest question.

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value as Json, json};

use super::prolog::asked;
use super::{ask, rows, timestamp_of};

fn again(jdk: &Jdk, engine: &str) -> Folder {
    let folder = Folder::new();
    let path = jdk.classes("queries").display().to_string();
    let arguments = ["-cp".to_owned(), path, "Again".to_owned()];
    let options = ["--engine", engine, "--level", "full", "--include", "Again"];
    let more = ["--include", "util.*", "--include", "com.util.*"];
    let run = folder.launch(jdk, "run", &[&options[..], &more].concat(), &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

fn each(check: impl Fn(&Folder)) {
    for engine in ["probe", "events"] {
        check(&again(&jdks()[0], engine));
    }
}

/// The method that an exception was thrown in, its fate, the methods that it ended, and who caught it.
type Flight = (String, String, Vec<String>, Option<String>);

fn flights(folder: &Folder, words: &[&str]) -> Vec<Flight> {
    let words = [&["where-thrown"], words].concat();
    let flights = rows(folder, &words).into_iter().map(|row| {
        let name = |call: &Json| call["method"].as_str().unwrap_or_default().to_owned();
        let ended = row["ended"].as_array().into_iter().flatten();
        (
            name(&row["call"]),
            row["fate"].as_str().unwrap_or_default().to_owned(),
            ended.map(name).collect(),
            row["caught_by"]["method"].as_str().map(str::to_owned),
        )
    });
    flights.collect()
}

#[test]
fn an_exception_that_is_thrown_once_more_flies_twice() {
    each(|folder| {
        let flight = |from: &str, fate: &str, ended: &[&str], by: Option<&str>| {
            let ended = ended.iter().map(|&call| call.to_owned()).collect();
            (
                from.to_owned(),
                fate.to_owned(),
                ended,
                by.map(str::to_owned),
            )
        };
        let all = flights(folder, &["--caught"]);
        let lambda = all[0].0.clone();
        assert!(lambda.starts_with("lambda$"), "{all:?}");
        let left = "left the recorded calls";
        let told = [
            flight(&lambda, left, &[&lambda], None),
            flight("again", "caught", &["again"], Some("main")),
        ];
        assert_eq!(all[..2], told, "{all:?}");
        // By reflection: it left `target`, what was around it was caught, and it was thrown once more.
        let reflected = flight("target", left, &["target"], None);
        let once_more = flight("reflects", "caught", &["reflects"], Some("main"));
        assert!(
            all.contains(&reflected) && all.contains(&once_more),
            "{all:?}"
        );
        // It is on its way still, where the part that is asked about ends.
        let caught = timestamp_of(folder, |event| event["kind"] == "caught");
        let part = flights(folder, &["--to", &caught]);
        assert_eq!(
            part[1],
            flight("again", "not caught yet", &["again"], None),
            "{part:?}"
        );
        let (answer, _) = ask(
            folder,
            &["caught", "java.lang.RuntimeException", "--to", &caught],
        );
        assert_eq!(answer[0]["count"], 0, "{answer:?}");
    });
}

#[test]
fn a_whole_name_is_meant_before_the_end_of_a_longer_one() {
    each(|folder| {
        let counted = |words: &[&str]| rows(folder, words)[0]["count"].clone();
        assert_eq!(counted(&["exists", "util.Count"]), 1);
        assert_eq!(counted(&["exists", "com.util.Count"]), 1);
        // That is no class's whole name, and two classes' end.
        assert_eq!(counted(&["exists", "Count"]), 2);
        let called = rows(folder, &["called", "util.Count.up"]);
        assert_eq!(called.len(), 1, "{called:?}");
        assert_eq!(rows(folder, &["called", "Count.up"]).len(), 2);
        assert_eq!(rows(folder, &["return-history", "util.Count.up"]).len(), 1);
        let written = rows(folder, &["assigned", "util.Count.n", "10"]);
        assert_eq!(written[0]["answer"], "no", "{written:?}");
        let call = folder
            .json(&["call", "run", "util.Count.up()V#0"])
            .remove(0);
        assert!(
            call.to_string().contains("\"class\":\"util.Count\""),
            "{call}"
        );
    });
}

#[test]
fn a_part_may_begin_on_the_line() {
    each(|folder| {
        let at = timestamp_of(folder, |event| {
            let is_local = event["variable"]
                .as_str()
                .is_some_and(|variable| variable.ends_with(":r"));
            event["kind"] == "write" && is_local
        });
        let event = folder.json(&["events", "run"]);
        let event = event
            .iter()
            .find(|event| event["timestamp"].as_u64() == at.parse().ok());
        let line = event.expect("the event")["place"]["line"].to_string();
        let answer = rows(
            folder,
            &["executed", &format!("Again:{line}"), "--from", &at],
        );
        assert_eq!(
            (&answer[0]["answer"], &answer[0]["count"]),
            (&json!("yes"), &json!(1)),
            "{answer:?}"
        );
    });
}

#[test]
fn calls_that_ran_when_the_recording_ended_did_not_return() {
    each(|folder| {
        for row in rows(folder, &["return-history", "Again.main"]) {
            assert_eq!(row["how"], "not recorded", "{row}");
        }
    });
}

/// The JVM itself tells of a thread that calls `exit` that it ends, and of no other.
#[test]
fn a_thread_in_the_middle_of_a_call_has_not_come_to_its_end() {
    let folder = again(&jdks()[0], "probe");
    let ended = rows(&folder, &["exited", "main"]);
    assert_ne!(ended[0]["answer"], "yes", "{ended:?}");
}

#[test]
fn values_are_those_that_java_writes_so() {
    each(|folder| {
        let answer =
            |value: &str| rows(folder, &["assigned", "Again.held", value])[0]["answer"].clone();
        for value in [
            "\"a\\bc\"",
            "\"a\\10c\"",
            "Side.LEFT",
            "Again$Side.LEFT",
            "LEFT",
            "String.class",
            "java.lang.String.class",
            "5",
            "5L",
        ] {
            assert_eq!(answer(value), "yes", "{value}");
        }
        for value in ["\"abc\"", "Other.LEFT", "Side.RIGHT", "Integer.class", "6L"] {
            assert_eq!(answer(value), "no", "{value}");
        }
    });
}

#[test]
fn what_an_object_of_the_jdk_held_and_nobody_knows_is_said() {
    let folder = again(&jdks()[0], "probe");
    let (all, _) = ask(&folder, &["field-history", "Again.held"]);
    let bits = all
        .iter()
        .find(|row| row["value"]["class"] == "java.util.BitSet");
    let bits = bits.expect("the set")["value"]["object"].to_string();
    let (rows, end) = ask(&folder, &["object-state", &bits]);
    let is_told = rows.iter().any(|row| row["kind"] == "content");
    assert!(
        is_told || end["notes"].to_string().contains("is not recorded"),
        "{end}"
    );
}

#[test]
fn what_prolog_has_no_words_for_is_told_by_facts_of_its_own() {
    each(|folder| {
        let units = asked(folder, &[], "text(_, units(X))");
        assert_eq!(units, ["[120,55296,121]"]);
        let cut = asked(
            folder,
            &[],
            "(cut(E, N), event(E, _, datastructure(_, L)), length(L, M), X = N-M)",
        );
        assert_eq!(cut, ["1200-1000"]);
        let messages = asked(folder, &[], "event(_, _, exception(_, _, units(X), _))");
        assert_eq!(messages, ["[56320]"]);
    });
}

/// The program says of its lines which ran.
#[test]
fn nothing_runs_behind_a_call_that_always_threw() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/java/queries/Behind.java");
    let source = std::fs::read_to_string(source).expect("the program's text");
    for engine in ["probe", "events"] {
        let folder = Folder::new();
        let jdk = &jdks()[0];
        let path = jdk.classes("queries").display().to_string();
        let program = ["-cp".to_owned(), path, "Behind".to_owned()];
        let options = [
            "--engine",
            engine,
            "--level",
            "full",
            "--include",
            "Behind*",
        ];
        let run = folder.launch(jdk, "run", &options, &program);
        assert!(run.status.success(), "{}", run.stderr);
        let mut asked = 0;
        for (line, text) in (1..).zip(source.lines()) {
            let Some((_, answer)) = text.split_once("; // ") else {
                continue;
            };
            let told = rows(&folder, &["executed", &format!("Behind:{line}")]);
            // Lambdas of the line are methods of their own.
            let is_it = told.iter().any(|row| row["answer"] == answer);
            assert!(is_it, "{engine}, line {line}, {answer}: {told:?}");
            asked += 1;
        }
        assert_eq!(asked, 18);
        // The constructor of an anonymous class stands on the line that makes it.
        let made = source
            .lines()
            .position(|line| line.contains("new Runnable() {"));
        let line = format!("Behind:{}", made.expect("the line") + 1);
        let told = rows(&folder, &["executed", &line]);
        let what = |row: &Json| row["what"].as_str().unwrap_or_default().to_owned();
        let made = told
            .iter()
            .find(|row| what(row).contains("Behind$1.<init>"));
        assert_eq!(
            made.map(|row| &row["answer"]),
            Some(&json!("yes")),
            "{told:?}"
        );
    }
}

#[test]
fn an_event_may_be_named_by_the_call_that_begins_with_it() {
    each(|folder| {
        let call = &folder.json(&["tree", "run", "--all"])[3];
        let (id, enter) = (
            call["id"].as_str().expect("a call"),
            call["enter"].to_string(),
        );
        for (question, option) in [
            ("threads", "--to"),
            ("threads", "--from"),
            ("instances", "--at"),
        ] {
            let mut words = vec![question];
            words.extend((question == "instances").then_some("java.lang.Object"));
            let by_call = ask(folder, &[&words[..], &[option, id]].concat());
            let by_number = ask(folder, &[&words[..], &[option, &enter]].concat());
            assert_eq!(by_call, by_number, "{question} {option}");
        }
        let count = "SELECT count(*) AS n FROM events";
        let of =
            |to: &str| folder.json(&["sql", "run", "--to", to, "-c", count])[0]["n"].to_string();
        assert_eq!((of(id), of(&enter)), (enter.clone(), enter));
    });
}

/// `worker` has been joined by then. The engine `probe` tells ends when the JVM ends.
#[test]
fn whether_a_thread_runs_that_was_joined_is_not_told_falsely() {
    let unknown = "cannot be told";
    for (engine, exited, running) in [("probe", unknown, unknown), ("events", "yes", "no")] {
        let folder = Folder::new();
        let jdk = &jdks()[0];
        let path = jdk.classes("queries").display().to_string();
        let program = ["-cp".to_owned(), path, "Ledger".to_owned()];
        let run = folder.launch(jdk, "run", &["--engine", engine], &program);
        assert!(run.status.success(), "{}", run.stderr);
        let last = "SELECT max(c.enter) AS at FROM calls c, threads t WHERE t.id = c.thread AND t.name = 'main'";
        let at = folder.json(&["sql", "run", "-c", last])[0]["at"].to_string();
        for (question, answer) in [("exited", exited), ("running", running)] {
            let told = rows(&folder, &[question, "worker", "--at", &at]);
            assert_eq!(told[0]["answer"], answer, "{engine} {question}: {told:?}");
        }
    }
}
