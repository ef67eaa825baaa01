//! What a value came from, held against the program itself: an input that is not in a value's slice can be changed, and
//! the value stays. And calls that are to blame are never cut away by pointing at what they left wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use jhyde_integration::session::play;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

const INPUTS: [[i32; 6]; 3] = [
    [3, 4, 5, 3, 2, 6],
    [0, -1, 2, 9, 1, -4],
    [-2, 7, 0, 1, 3, 0],
];

/// What a slice of what happened cannot hold: that an exception was not thrown (r14), a static field not written again
/// (r10), another element written (r16). Pointing keeps those that could have.
const UNDONE: [&str; 3] = ["r10", "r14", "r16"];

fn arguments(jdk: &Jdk, class: &str, inputs: &[i32]) -> Vec<String> {
    let path = jdk.classes("slices").display().to_string();
    let words = ["-cp".to_owned(), path, class.to_owned()];
    let inputs = inputs.iter().map(ToString::to_string);
    words.into_iter().chain(inputs).collect()
}

/// What the program prints, by name.
fn results(jdk: &Jdk, inputs: &[i32]) -> BTreeMap<String, String> {
    let ran = Command::new(jdk.java())
        .args(arguments(jdk, "Sliced", inputs))
        .output()
        .expect("java can be started");
    let text = String::from_utf8(ran.stdout).expect("text");
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The inputs that each result depends on, found by changing them.
fn found_by_changes(jdk: &Jdk, inputs: [i32; 6]) -> BTreeMap<String, BTreeSet<u64>> {
    let before = results(jdk, &inputs);
    let mut depends: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for name in before.keys() {
        depends.insert(name.clone(), BTreeSet::new());
    }
    for at in 0..inputs.len() {
        for value in [inputs[at] + 1, -inputs[at], 0, 3, 100] {
            let mut changed = inputs;
            changed[at] = value;
            let after = results(jdk, &changed);
            for (name, known) in &before {
                if after.get(name).is_some_and(|value| value != known)
                    && let Some(on) = depends.get_mut(name)
                {
                    on.insert(at as u64);
                }
            }
        }
    }
    depends
}

/// The inputs whose reading is in a slice.
fn found_by_slice(folder: &Folder, name: &str) -> BTreeSet<u64> {
    let variable = format!("main#0:{name}");
    let steps = folder.json(&["why", "run", &variable, "--all"]);
    assert_eq!(steps[0]["relation"], "asked");
    for (number, step) in steps.iter().enumerate() {
        assert_eq!(step["step"], json!(number));
        let parent = step["parent"].as_u64();
        assert!(parent.is_none_or(|parent| parent < number as u64), "{step}");
    }
    let results = steps.iter().filter(|step| step["deed"] == "result");
    let of_input = results.map(|step| &step["event"]["exited"]);
    let of_input = of_input.filter(|call| call["method"] == "in");
    of_input
        .filter_map(|call| call["invocation"].as_u64())
        .collect()
}

#[test]
fn an_input_that_is_not_in_the_slice_does_not_matter() {
    let jdk = &jdks()[0];
    for inputs in INPUTS {
        let folder = Folder::new();
        let options = ["--level", "full", "--include", "Sliced*"];
        let run = folder.launch(jdk, "run", &options, &arguments(jdk, "Sliced", &inputs));
        assert!(run.status.success(), "{}", run.stderr);
        let depends = found_by_changes(jdk, inputs);
        assert_eq!(depends.len(), 19, "{depends:?}");
        for (name, on) in depends {
            let slice = found_by_slice(&folder, &name);
            if !UNDONE.contains(&name.as_str()) {
                assert!(
                    on.is_subset(&slice),
                    "{name} of {inputs:?}: {on:?}, {slice:?}"
                );
            }
            // Arithmetic, arrays, fields, loops and choices are followed exactly.
            if ["r0", "r1", "r2", "r3", "r5", "r7", "r8"].contains(&name.as_str()) {
                assert_eq!(on, slice, "{name} of {inputs:?}");
            }
        }
    }
}

/// The calls that are asked when `wrong` of `run` was pointed at and everything else is put off; and how many were cut.
fn asked(folder: &Folder, wrong: &str) -> (BTreeSet<String>, u64) {
    let mut session = folder
        .jhyde(&["debug", "run", "--strategy", "top-down", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut answers = session.stdin.take().expect("an input");
    let told = BufReader::new(session.stdout.take().expect("an output"));
    let mut asked = BTreeSet::new();
    let mut pointed = false;
    for line in told.lines() {
        let line: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        if line["type"] != "question" {
            assert_ne!(line["type"], "error", "{line}");
            break;
        }
        let answer = match pointed {
            false => json!({"answer": "invalid", "call": "run#0", "wrong": [wrong]}),
            true => {
                let call = &line["call"];
                let method = call["method"].as_str().unwrap_or_default();
                asked.insert(format!("{method}#{}", call["invocation"]));
                json!({"answer": "unknown"})
            }
        };
        pointed = true;
        writeln!(answers, "{answer}").expect("it listens");
    }
    drop(answers);
    assert!(session.wait().expect("it ends").success());
    let sessions = folder.json(&["sessions", "run"]);
    let last = sessions.last().expect("a session");
    let given = &last["answers"][0];
    assert_eq!(given["uncut"], Value::Null, "{given}");
    (asked, given["cut"].as_u64().expect("a number"))
}

#[test]
fn pointing_cuts_calls_away_and_never_the_one_to_blame() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let options = ["--level", "full", "--include", "Pointed*"];
    let run = folder.launch(jdk, "run", &options, &arguments(jdk, "Pointed", &[]));
    assert!(run.status.success(), "{}", run.stderr);
    // A statement left out, a wrong place, a wrong condition; and what cannot have to do with it.
    for (wrong, to_blame, others) in [
        (
            "all[1].moves",
            "count#1",
            &["discount#0", "count#0", "fee#0"][..],
        ),
        (
            "all[2].balance",
            "indexOf#0",
            &["discount#0", "count#0", "fee#0"],
        ),
        ("result[2]", "isLate#2", &["discount#0", "count#0", "fee#1"]),
    ] {
        let (asked, cut) = asked(&folder, wrong);
        assert!(asked.contains(to_blame), "{wrong}: {asked:?}");
        assert!(cut >= others.len() as u64, "{wrong}: {cut}");
        for other in others {
            assert!(!asked.contains(*other), "{wrong}: {asked:?}");
        }
    }
}

#[test]
fn who_pointed_at_what_was_right_is_told_to_take_that_back() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let options = ["--level", "full", "--include", "Pointed*"];
    let run = folder.launch(jdk, "run", &options, &arguments(jdk, "Pointed", &[]));
    assert!(run.status.success(), "{}", run.stderr);
    // What is left is right, so that nothing inside can be to blame.
    let pointed = json!({"answer": "invalid", "call": "run#0", "wrong": ["result[2]"]});
    let session = play(
        &folder,
        &["run", "--strategy", "top-down"],
        std::slice::from_ref(&pointed),
        |_| "valid",
    );
    assert_eq!(session.last["type"], "found", "{}", session.last);
    assert_eq!(session.last["call"]["method"], "run");
    let told = "if all that is left is right, take an answer back (undo)";
    let notes = session.last["notes"].as_array().expect("notes");
    let is_told = |note: &Value| note.as_str().is_some_and(|note| note.contains(told));
    assert!(notes.iter().any(is_told), "{notes:?}");
}

/// One line in, what comes back on it.
fn said(folder: &Folder, line: &Value) -> Value {
    let mut session = folder
        .jhyde(&["debug", "run", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut answers = session.stdin.take().expect("an input");
    writeln!(answers, "{line}").expect("it listens");
    drop(answers);
    let told = session.wait_with_output().expect("it ends");
    let text = String::from_utf8(told.stdout).expect("text");
    let second = text.lines().nth(1).expect("a second line");
    serde_json::from_str(second).expect("JSON")
}

#[test]
fn what_was_not_yielded_cannot_be_wrong_and_other_levels_say_so() {
    let jdk = &jdks()[0];
    for (level, wrong, expected) in [
        ("full", "rates", "is not a part of what call"),
        ("full", "all[9]", "the array has 3 elements"),
        ("full", "nobody", "there is no variable"),
        ("calls", "result", "answer without it"),
    ] {
        let folder = Folder::new();
        let options = ["--level", level, "--include", "Pointed*"];
        let run = folder.launch(jdk, "run", &options, &arguments(jdk, "Pointed", &[]));
        assert!(run.status.success(), "{}", run.stderr);
        let line = json!({"answer": "invalid", "call": "run#0", "wrong": [wrong]});
        let error = said(&folder, &line);
        assert_eq!(error["type"], "error", "{error}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{message}");
    }
}

/// A recording that tells no conditions and no writes from some time on: what was told last is not what decided, nor what is held.
#[test]
fn what_less_was_recorded_of_is_not_told_from_before() {
    // Lowered once behind three seconds, and by the probe again behind six.
    for (engine, millis) in [("probe", 7_500), ("events", 4_500)] {
        let folder = Folder::new();
        let options = [
            "--engine",
            engine,
            "--level",
            "full",
            "--include",
            "Lowered",
        ];
        let limit = ["--max-duration", "3s", "--at-limit", "lower"];
        let jdk = &jdks()[0];
        let options = [&options[..], &limit].concat();
        let run = folder.launch(jdk, "run", &options, &arguments(jdk, "Lowered", &[millis]));
        assert!(run.status.success(), "{}", run.stderr);
        let show = folder.json(&["show", "run"]).remove(0);
        let lowered = show["lowered"].as_array().and_then(|all| all.last());
        let lowered = lowered.expect("it was lowered");
        let undecided = "what decided over it is not recorded: recorded at level";
        let unseen = "it may have been written unseen: recorded at level";
        let (exception, total) = ("Lowered.run#0:exception", "Lowered.total");
        let mut asked = vec![(exception, undecided)];
        // At level `state` writes are told still.
        asked.extend((lowered["level"] == "calls").then_some((total, unseen)));
        assert!(engine != "probe" || asked.len() == 2, "{show}");
        for (value, said) in asked {
            let steps = folder.json(&["why", "run", value]);
            let told: String = steps.iter().map(|step| step["notes"].to_string()).collect();
            assert!(told.contains(said), "{engine}: {value}: {told}");
        }
        let pointed = json!({"answer": "invalid", "call": "run#0", "wrong": ["exception"]});
        let oracle = |call: &Value| match (call["method"].as_str(), &call["result"]) {
            (Some("main" | "run"), _) | (Some("check"), Value::Bool(true)) => "invalid",
            _ => "valid",
        };
        let words = ["run", "--strategy", "divide-and-query"];
        let session = play(&folder, &words, &[pointed], oracle);
        let found = &session.last["call"];
        assert_eq!(session.last["type"], "found", "{engine}: {}", session.last);
        assert_eq!(
            (&found["method"], &found["result"]),
            (&json!("check"), &json!(true)),
            "{engine}: {:?}",
            session.notes
        );
    }
}

/// What code out of the scope reads, keeps and gives on without a call of the scope is in the slice all the same.
#[test]
fn what_went_through_the_jdk_is_in_the_slice() {
    const METHODS: [&str; 19] = [
        "eq",
        "key",
        "chars",
        "appended",
        "copy",
        "poured",
        "copied",
        "buffered",
        "built",
        "flat",
        "reflected",
        "message",
        "decimal",
        "joined",
        "local",
        "ran",
        "queued",
        "completed",
        "summed",
    ];
    for jdk in jdks() {
        for engine in ["probe", "events"] {
            let folder = Folder::new();
            let options = ["--engine", engine, "--level", "full"];
            let run = folder.launch(&jdk, "run", &options, &arguments(&jdk, "Borrowed", &[]));
            assert!(run.status.success(), "{}", run.stderr);
            let has_it = |method: &&str| {
                let variable = format!("{method}#0:return");
                let steps = folder.json(&["why", "run", &variable, "--all"]);
                let mut results = steps.iter().filter(|step| step["deed"] == "result");
                results.any(|step| step["event"]["exited"]["method"] == "a")
            };
            // Of a part of what an object holds, not of all of it.
            let kept = folder.json(&["query", "run", "field-history", "Borrowed.KEPT"]);
            let mut objects = kept
                .iter()
                .rev()
                .filter_map(|row| row["value"]["object"].as_u64());
            let of_first = format!("list#{}[0]", objects.next().expect("the list"));
            let steps = folder.json(&["why", "run", &of_first, "--all"]);
            let came_from = |method: &str| {
                let mut results = steps.iter().filter(|step| step["deed"] == "result");
                results.any(|step| step["event"]["exited"]["method"] == method)
            };
            assert!(came_from("a") && !came_from("c"), "{engine}: {steps:?}");
            let lost: Vec<_> = METHODS
                .into_iter()
                .filter(|method| !has_it(method))
                .collect();
            assert_eq!(lost, [] as [&str; 0], "{engine} on JDK {}", jdk.major);
        }
    }
}
