//! Queries by name, through `jhyde query`, on real recordings: the traveling null pointer, yes-or-no questions with each
//! of their three answers, what other levels leave out, bad input; and all of them against a slow evaluator (`slow`), and in Prolog (`prolog.rs`).

mod flying;
mod prolog;
mod slow;
mod told;
mod unread;

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};

use jhyde_integration::programs::Workload;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value as Json, json};

/// The rows of an answer, and what comes behind them.
pub(crate) fn ask(folder: &Folder, words: &[&str]) -> (Vec<Json>, Json) {
    let mut lines = folder.json(&[&["query", "run"], words].concat());
    let end = lines.pop().expect("an end");
    assert_eq!(end["rows"], json!(lines.len()), "{end}");
    assert!(end["until"].is_u64() && end["more"] == false, "{end}");
    (lines, end)
}

fn rows(folder: &Folder, words: &[&str]) -> Vec<Json> {
    ask(folder, words).0
}

/// `Class.method(arguments)=end` of the calls in a column.
fn calls(rows: &[Json]) -> Vec<String> {
    rows.iter().map(|row| call(&row["call"])).collect()
}

fn call(call: &Json) -> String {
    let arguments = call["arguments"].as_array().expect("arguments").iter();
    let arguments: Vec<_> = arguments
        .map(|argument| argument["value"].to_string())
        .collect();
    let end = match (&call["exception"], &call["result"]) {
        (Json::Object(exception), _) => {
            format!("!{}", exception["class"].as_str().unwrap_or_default())
        }
        (_, Json::Object(result)) if result.contains_key("void") => "void".to_owned(),
        (_, result) => result.to_string(),
    };
    let name = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
    format!(
        "{}.{}({})={end}",
        name("class"),
        name("method"),
        arguments.join(",")
    )
}

fn timestamp_of(folder: &Folder, is_it: impl Fn(&Json) -> bool) -> String {
    let events = folder.json(&["events", "run"]);
    let found = events
        .iter()
        .find(|event| is_it(event))
        .expect("there is one");
    found["timestamp"].to_string()
}

/// Records the program whose null travels, which ends with an exception.
fn record_delivery(folder: &Folder, jdk: &Jdk) {
    let options = [
        "--level",
        "full",
        "--include",
        "Delivery",
        "--include",
        "Warehouse",
    ];
    let path = jdk.classes("queries").display().to_string();
    let arguments = ["-cp".to_owned(), path, "Delivery".to_owned()];
    let run = folder.launch(jdk, "run", &options, &arguments);
    assert!(!run.status.success(), "{}", run.stderr);
}

const NULL_POINTER: &str = "java.lang.NullPointerException";

#[test]
fn a_null_is_followed_from_where_it_hurts_to_where_it_came_from() {
    for jdk in jdks() {
        let folder = Folder::new();
        record_delivery(&folder, &jdk);
        // Where was it thrown?
        let thrown = rows(&folder, &["where-thrown", "main"]);
        assert_eq!(thrown.len(), 1, "{thrown:?}");
        let thrown = &thrown[0];
        assert_eq!(thrown["fate"], "uncaught");
        assert_eq!(thrown["exception"]["class"], NULL_POINTER);
        assert_eq!(
            call(&thrown["call"]),
            format!("Delivery.hand(null)=!{NULL_POINTER}")
        );
        assert_eq!(thrown["place"]["line"], 18);
        let ended: Vec<_> = thrown["ended"].as_array().expect("calls").iter().collect();
        let ended: Vec<_> = ended
            .iter()
            .map(|call| call["method"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(ended, ["hand", "carry", "begin", "<init>", "main"]);
        // What led there, with what it was given?
        let at = thrown["thrown"].to_string();
        let chain = calls(&rows(&folder, &["call-chain", &at]));
        let end = format!("!{NULL_POINTER}");
        assert_eq!(chain[0], format!("Delivery.hand(null)={end}"));
        assert_eq!(chain[1], format!("Delivery.carry(null)={end}"));
        assert_eq!(chain[2], format!("Delivery.begin()={end}"));
        assert_eq!(
            (chain.len(), &chain[3]),
            (5, &format!("Delivery.<init>()={end}"))
        );
        assert_eq!(calls(&rows(&folder, &["where", &at])), chain[..1]);
        // What had been called before, and what did that yield?
        let before = calls(&rows(&folder, &["pre-calls", "carry#0"]));
        assert_eq!(
            before,
            ["Warehouse.<init>()=void", "Warehouse.fetch()=null"]
        );
        assert_eq!(rows(&folder, &["post-calls", "carry#0"]), [] as [Json; 0]);
        let after = calls(&rows(&folder, &["post-calls", "fetch#0"]));
        assert_eq!(after, [format!("Delivery.carry(null)={end}")]);
        let nested = calls(&rows(&folder, &["post-calls", "fetch#0", "--nested"]));
        assert_eq!(nested[1], format!("Delivery.hand(null)={end}"));
        let below = rows(&folder, &["call-tree", "begin#0"]);
        let depths: Vec<_> = below
            .iter()
            .filter_map(|row| row["depth"].as_u64())
            .collect();
        // The constructor of Object is a call, too.
        assert_eq!(depths[..5], [1, 2, 1, 1, 2]);
        let results = rows(&folder, &["return-history", "Warehouse.fetch"]);
        assert_eq!((results.len(), &results[0]["value"]), (1, &Json::Null));
        let given = rows(&folder, &["argument-history", "carry", "parcel"]);
        assert_eq!((given.len(), &given[0]["value"]), (1, &Json::Null));
        // The local got the null where the result was stored.
        let values = rows(&folder, &["local-history", "begin:parcel"]);
        assert_eq!((values.len(), &values[0]["value"]), (1, &Json::Null));
        let at = values[0]["event"].to_string();
        let locals = rows(&folder, &["locals", &at]);
        let parcel = locals
            .iter()
            .find(|row| row["name"] == "parcel")
            .expect("a local");
        assert_eq!(
            (&parcel["change"], &parcel["after"]),
            (&json!("written"), &Json::Null)
        );
        // Neither branch ran, for nobody knows of what.
        for line in ["Delivery:19", "Delivery:21"] {
            let answer = &rows(&folder, &["executed", line])[0];
            assert_eq!(answer["answer"], "no", "{answer}");
        }
    }
}

fn answers(folder: &Folder, words: &[&str]) -> Vec<(String, u64)> {
    let rows = rows(folder, words);
    let answers = rows.iter().map(|row| {
        let (answer, why) = (row["answer"].as_str().unwrap_or_default(), &row["why"]);
        assert_eq!(
            answer == "cannot be told",
            answer != "yes" && why.is_string(),
            "{row}"
        );
        (answer.to_owned(), row["count"].as_u64().expect("a number"))
    });
    answers.collect()
}

#[test]
fn yes_no_and_cannot_be_told() {
    let jdk = &jdks()[0];
    let full = ledger(jdk, "full");
    let (yes, no, unknown) = ("yes", "no", "cannot be told");
    let first = |folder: &Folder, words: &[&str]| {
        let (answer, count) = answers(folder, words).remove(0);
        (answer, count)
    };
    let check = |words: &[&str], answer: &str, count: u64| {
        assert_eq!(first(&full, words), (answer.to_owned(), count), "{words:?}");
    };
    // Was the line executed, and which way did its condition go?
    assert_eq!(
        lines(&full, "Ledger:17"),
        [(yes.into(), 4), (yes.into(), 1), (yes.into(), 3)]
    );
    check(&["executed", "Ledger:18"], yes, 1);
    check(&["executed", "Ledger:23"], no, 0);
    assert_eq!(
        lines(&full, "Ledger:22"),
        [(yes.into(), 4), (no.into(), 0), (yes.into(), 4)]
    );
    // `break;` leaves no trace of its own.
    check(&["executed", "Ledger:51"], yes, 1);
    check(&["executed", "Ledger:30"], no, 0);
    // Was the method called?
    check(&["called", "Ledger.add"], yes, 4);
    check(&["called", "depth"], yes, 3);
    check(&["called", "reset"], no, 0);
    check(&["called", "Integer.parseInt"], yes, 2);
    // Was the field given the value?
    check(&["assigned", "Ledger.total", "5"], yes, 1);
    check(&["assigned", "Ledger.total", "77"], no, 0);
    check(&["assigned", "Ledger.name", "\"first\""], yes, 1);
    check(&["assigned", "Ledger.last", "null"], no, 0);
    check(&["assigned", "Ledger.limit", "3"], yes, 1);
    check(&["assigned", "Ledger.MOST", "99"], unknown, 0);
    // Is there an instance?
    check(&["exists", "Entry"], yes, 4);
    check(&["exists", "Ledger"], yes, 2);
    check(&["exists", "Special"], yes, 1);
    check(&["exists", "java.util.ArrayList"], yes, 1);
    // Was the exception caught?
    check(&["caught", "java.lang.NumberFormatException"], yes, 1);
    check(&["caught", "IllegalStateException"], yes, 1);
    // What classes out of the scope extend is not recorded.
    check(&["caught", "java.lang.RuntimeException"], unknown, 0);
    // Does the thread run, has it ended?
    check(&["exited", "worker"], yes, 1);
    check(&["running", "worker"], no, 0);
    let before = timestamp_of(&full, |event| {
        event["kind"] == "exit" && event["exited"]["method"] == "refuse"
    });
    check(&["running", "main", "--at", &before], yes, 1);
    check(&["exited", "main", "--at", &before], no, 0);
    // A part of the history.
    let from = timestamp_of(&full, |event| {
        event["kind"] == "enter" && event["entered"]["method"] == "read"
    });
    check(&["called", "Ledger.add", "--from", &from], yes, 1);
    check(&["called", "Ledger.add", "--to", &from], yes, 3);
    check(&["called", "depth", "--to", &from], no, 0);
    check(&["executed", "Ledger:18", "--from", &from], no, 0);
    let first_add = timestamp_of(&full, |event| {
        event["kind"] == "enter" && event["entered"]["method"] == "add"
    });
    check(&["exists", "Entry", "--to", &first_add], no, 0);
    check(&["exists", "Entry", "--to", &from], yes, 3);
    check(
        &["caught", "java.lang.NumberFormatException", "--to", &from],
        no,
        0,
    );
    check(&["exited", "worker", "--to", &from], no, 0);

    let calls = ledger(jdk, "calls");
    for words in [
        &["assigned", "Ledger.total", "77"][..],
        &["executed", "Ledger:23"],
        &["executed", "Ledger:20"],
    ] {
        assert_eq!(first(&calls, words).0, unknown, "{words:?}");
    }
    assert_eq!(first(&calls, &["called", "reset"]).0, no);
    assert_eq!(
        first(&calls, &["called", "Ledger.add"]),
        (yes.to_owned(), 4)
    );
    assert_eq!(
        first(&calls, &["executed", "Ledger:30"]).0,
        no,
        "never called"
    );
    let state = ledger(jdk, "state");
    assert_eq!(first(&state, &["assigned", "Ledger.total", "77"]).0, no);
    assert_eq!(first(&state, &["executed", "Ledger:18"]).0, yes);
}

/// The line, and each way of the conditions on it.
fn lines(folder: &Folder, line: &str) -> Vec<(String, u64)> {
    answers(folder, &["executed", line])
}

fn ledger(jdk: &Jdk, level: &str) -> Folder {
    let folder = Folder::new();
    let path = jdk.classes("queries").display().to_string();
    let arguments = ["-cp".to_owned(), path, "Ledger".to_owned()];
    let classes = ["Ledger", "Entry", "Special", "Unused"];
    let include = classes.iter().flat_map(|class| ["--include", class]);
    let options: Vec<_> = ["--level", level].into_iter().chain(include).collect();
    let run = folder.launch(jdk, "run", &options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// A program that waits, recorded as `run`; it has done its first part. What it says must be kept open.
fn patient(jdk: &Jdk, folder: &Folder) -> (Child, ChildStdin, impl BufRead) {
    let path = jdk.classes("queries").display().to_string();
    let mut child = folder
        .jhyde(&[
            "launch",
            "--name",
            "run",
            "--level",
            "full",
            "--include",
            "Patient",
            "--",
        ])
        .arg(jdk.java())
        .args(["-cp", &path, "Patient"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("jhyde can be started");
    let input = child.stdin.take().expect("an input");
    let mut said = BufReader::new(child.stdout.take().expect("an output"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it says something");
    assert_eq!(line, "ready\n");
    (child, input, said)
}

#[test]
fn what_the_end_of_a_recording_hides_cannot_be_told() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let (mut child, mut input, _said) = patient(jdk, &folder);
    folder.ask(&["detach", "run"]);
    input.write_all(b"\n").expect("it reads");
    child.wait().expect("it ends");
    let answer = |words: &[&str]| rows(&folder, words).remove(0);
    let late = answer(&["called", "late"]);
    assert_eq!(late["answer"], "cannot be told", "{late}");
    assert!(late["why"].is_string(), "{late}");
    let work = answer(&["called", "work"]);
    assert_eq!(
        (&work["answer"], &work["count"]),
        (&json!("yes"), &json!(2))
    );
    assert!(
        work["why"]
            .as_str()
            .is_some_and(|why| why.starts_with("there may be more")),
        "{work}"
    );
    for question in ["running", "exited"] {
        let main = answer(&[question, "main"]);
        assert_eq!(main["answer"], "cannot be told", "{main}");
    }
    // Up to the last call of `work` all was seen.
    let at = work["last"].to_string();
    assert_eq!(answer(&["called", "late", "--to", &at])["answer"], "no");
    assert_eq!(answer(&["running", "main", "--at", &at])["answer"], "yes");
    let (_, end) = ask(&folder, &["threads"]);
    assert!(end["notes"].to_string().contains("detached"), "{end}");
}

#[test]
fn a_running_recording_answers_as_the_finished_one_does_up_to_the_same_event() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let (mut child, mut input, _said) = patient(jdk, &folder);
    let questions: &[&[&str]] = &[
        &["threads"],
        &["call-chain", "await#0"],
        &["call-tree", "main#0"],
        &["pre-calls", "await#0"],
        &["post-calls", "work#0"],
        &["return-history", "work"],
        &["field-history", "Patient.done"],
        &["called", "late"],
        &["executed", "Patient:6"],
        &["exists", "Patient"],
        &["exited", "main"],
        &["instances", "Patient"],
    ];
    let before: Vec<_> = questions.iter().map(|words| ask(&folder, words)).collect();
    input.write_all(b"\n").expect("it reads");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(rows(&folder, &["called", "late"])[0]["answer"], "yes");
    for (words, (told, end)) in questions.iter().zip(before) {
        let until = end["until"].to_string();
        let (now, _) = ask(&folder, &[words, &["--to", &until][..]].concat());
        assert_eq!(now, told, "{words:?} up to {until}");
    }
}

#[test]
fn states_and_histories_of_objects() {
    let jdk = &jdks()[0];
    let folder = ledger(jdk, "full");
    let totals = rows(&folder, &["field-history", "Ledger.total"]);
    let values: Vec<_> = totals.iter().map(|row| row["value"].to_string()).collect();
    assert_eq!(values, ["2", "5", "1", "4"]);
    let first = &totals[0]["object"];
    let object = format!("object#{}", first["object"]);
    let own = rows(&folder, &["field-history", &format!("{object}.total")]);
    assert_eq!(own, totals[..2], "of one object the same as among all");
    let made = rows(&folder, &["instances", "Ledger"]);
    let classes: Vec<_> = made
        .iter()
        .map(|row| row["object"]["class"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(classes, ["Ledger", "Special"]);
    assert_eq!(made[0]["place"]["line"], 62);
    let state = made[1]["state"].as_array().expect("fields");
    let bonus = state
        .iter()
        .find(|field| field["name"] == "bonus")
        .expect("a field");
    assert_eq!(bonus["value"], 0);
    // The subclass's own field was never written; the static one is there, too.
    let special = format!("object#{}", made[1]["object"]["object"]);
    let state = rows(&folder, &["object-state", &special]);
    let of = |name: &str| {
        state
            .iter()
            .find(|row| row["name"] == name)
            .expect("a field")
    };
    assert_eq!(
        (&of("bonus")["from"], &of("bonus")["value"]),
        (&json!("never written"), &json!(0))
    );
    assert_eq!(
        (&of("total")["from"], &of("total")["value"]),
        (&json!("written"), &json!(4))
    );
    assert_eq!(of("total")["call"]["method"], "add");
    assert_eq!(
        (&of("Ledger.limit")["kind"], &of("Ledger.limit")["value"]),
        (&json!("static"), &json!(3))
    );
    let at = totals[2]["event"].to_string();
    let state = rows(&folder, &["object-state", &special, "--at", &at]);
    let total = state
        .iter()
        .find(|row| row["name"] == "total")
        .expect("a field");
    assert_eq!(
        (&total["value"], &total["event"]),
        (&json!(1), &totals[2]["event"])
    );
    // An array, and a list.
    let counts = rows(&folder, &["local-history", "Ledger.main:counts"]);
    let array = format!("array#{}", counts[0]["value"]["object"]);
    let history = rows(&folder, &["structure-history", &array]);
    let changes: Vec<_> = history
        .iter()
        .map(|row| (row["element"].as_u64(), row["value"].as_i64()))
        .collect();
    let expected = [(0, 12), (2, -1), (0, 3), (1, 2)];
    assert_eq!(changes, expected.map(|(at, value)| (Some(at), Some(value))));
    let last: Vec<_> = history[3]["elements"]
        .as_array()
        .expect("elements")
        .iter()
        .collect();
    let last: Vec<_> = last
        .iter()
        .filter_map(|element| element["value"].as_i64())
        .collect();
    assert_eq!(last, [3, 2, -1]);
    let names = rows(&folder, &["local-history", "Ledger.main:names"]);
    let list = format!("list#{}", names[0]["value"]["object"]);
    let history = rows(&folder, &["structure-history", &list]);
    let lengths: Vec<_> = history
        .iter()
        .map(|row| row["value"]["held"]["length"].as_u64())
        .collect();
    assert_eq!(lengths, [0, 1, 2, 1, 2].map(Some), "{history:?}");
    // Recursion: results in the order of time, from the inside.
    let results = rows(&folder, &["return-history", "depth"]);
    let values: Vec<_> = results
        .iter()
        .filter_map(|row| row["value"].as_i64())
        .collect();
    assert_eq!(values, [1, 2, 3]);
    let given = rows(&folder, &["argument-history", "depth", "n"]);
    let values: Vec<_> = given
        .iter()
        .filter_map(|row| row["value"].as_i64())
        .collect();
    assert_eq!(values, [2, 1, 0]);
    let locals = rows(&folder, &["local-history", "depth:below"]);
    let values: Vec<_> = locals
        .iter()
        .filter_map(|row| row["value"].as_i64())
        .collect();
    assert_eq!(
        values,
        [0, 1, 2],
        "in the order of time, although the outermost call began first"
    );
    let caught = rows(&folder, &["where-thrown", "--caught"]);
    let fates: Vec<_> = caught
        .iter()
        .map(|row| row["fate"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(fates, ["caught", "caught"]);
    assert_eq!(caught[1]["caught_by"]["method"], "main");
    assert_eq!(rows(&folder, &["where-thrown"]), [] as [Json; 0]);
    let threads = rows(&folder, &["threads"]);
    let worker = threads
        .iter()
        .find(|row| row["name"] == "worker")
        .expect("a thread");
    assert_eq!(worker["state"], "ended");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_reason() {
    let jdk = &jdks()[0];
    let folder = ledger(jdk, "calls");
    let fails = |words: &[&str], says: &str| {
        let words = [&["query", "run"], words].concat();
        let output = folder.jhyde(&words).output().expect("jhyde can be started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(says),
            "{words:?}: {said}"
        );
        assert!(output.stdout.is_empty(), "{words:?}");
    };
    fails(&["call-chian", "1"], "did you mean call-chain");
    fails(&["where"], "needs event");
    fails(&["where", "1", "2"], "'2' is too much");
    fails(&["where", "99999999"], "has the events 0 to");
    fails(&["where", "-1"], "numbered from 0");
    fails(&["where", "1", "--at", "3"], "no parameter 'at'");
    fails(&["where", "nobody#0"], "no call of a method 'nobody'");
    fails(&["called", "rest"], "did you mean Ledger.reset");
    fails(&["caught", "Legder"], "did you mean");
    fails(&["executed", "Ledger"], "Class:LINE");
    fails(
        &["executed", "Ledger:1"],
        "no code of the class stands there",
    );
    fails(&["executed", "Unused:7"], "in this recording");
    fails(&["assigned", "Ledger.totl", "1"], "did you mean total");
    fails(&["assigned", "Ledger.total", "\"x"], "the text has no end");
    fails(&["assigned", "Ledger.total"], "needs value");
    fails(&["field-history", "Ledger.total"], "needs level state");
    fails(&["running", "wroker"], "did you mean worker");
    fails(&["object-state", "object#99999999"], "no object 99999999");
    fails(
        &["threads", "--from", "5", "--to", "3"],
        "ends before it begins",
    );
    fails(&["threads", "--from", "99999999"], "fewer events");
    let long = "x".repeat(100_000);
    fails(&["called", &long], "is not in this recording");
    // Nothing else was disturbed.
    assert_eq!(answers(&folder, &["called", "reset"])[0].0, "no");
}

#[test]
fn queries_are_equal_to_those_of_a_slow_evaluator() {
    let jdk = &jdks()[0];
    slow::check(&ledger(jdk, "full"), 1000);
    let folder = Folder::new();
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = jdk.classes("oracle").display().to_string();
    let log = log.path().display().to_string();
    let arguments = ["-cp".to_owned(), path, "fl.Oracle".to_owned(), log];
    let options = ["--level", "full", "--include", "fl.*"];
    let run = folder.launch(jdk, "run", &options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    slow::check(&folder, 40);
}

/// Libraries, recorded by the probe.
#[test]
fn queries_of_workloads_are_equal_to_those_of_a_slow_evaluator() {
    let jdk = &jdks()[0];
    for name in ["csv", "kxml2", "gson", "junit4", "modern17"] {
        let all = Workload::all();
        let workload = all.iter().find(|workload| workload.name() == name);
        let workload = workload.unwrap_or_else(|| panic!("workloads.json has {name}"));
        let scope = workload.scope();
        let mut options = vec!["--engine", "probe", "--level", "full"];
        options.extend(scope.iter().map(String::as_str));
        let folder = Folder::new();
        let run = folder.launch(jdk, "run", &options, &workload.arguments(jdk, "small"));
        // One of them has a test that fails.
        let shown = folder.json(&["show", "run"]).remove(0);
        assert_eq!(shown["state"], "complete", "{name}: {}", run.stderr);
        slow::check(&folder, 20);
    }
}
