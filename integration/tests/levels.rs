//! What a recording may cost: at a limit it steps down from `full` to `state`, or ends; the program does not notice, and
//! answers say from when on what is missing.

use std::io::Write as _;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Longer than any of these takes.
const PATIENCE: Duration = Duration::from_secs(120);

fn launch(folder: &Folder, jdk: &Jdk, options: &[&str]) -> Child {
    let classes = jdk.classes("fixtures").display().to_string();
    folder
        .jhyde(&["launch", "--name", "costly", "--include", "fx.Costly"])
        .args(options)
        .arg("--")
        .arg(jdk.java())
        .args(["-cp", &classes, "fx.Costly"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyde can be started")
}

/// The recording, as soon as it is as it is wanted.
fn once(folder: &Folder, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let all = folder.json(&["list"]);
        let found = all.into_iter().find(|one| one["name"] == "costly");
        if let Some(found) = found.filter(&is_so) {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "it never was");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Tells the program to come to its end, and waits for it.
fn finish(mut child: Child) -> Output {
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(b"enough\n").expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends")
}

fn printed(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().filter_map(|event| event["kind"].as_str());
    kinds.collect()
}

fn fails(folder: &Folder, words: &[&str], says: &str) {
    let output = folder.jhyde(words).output().expect("jhyde can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains(says),
        "{words:?}: {said}"
    );
}

#[test]
fn at_a_limit_uses_and_edges_are_left_out_from_an_event_on() {
    for jdk in jdks() {
        let folder = Folder::new();
        let options = ["--level", "full", "--max-bytes", "500KB"];
        let child = launch(&folder, &jdk, &options);
        once(&folder, |one| one["lowered"].is_array());
        let output = finish(child);
        assert_eq!(printed(&output), "begun\nlast 10\n");
        let show = folder.json(&["show", "costly"]).remove(0);
        assert_eq!(show["state"], "complete", "{show}");
        assert_eq!(
            (&show["level"], &show["max_bytes"]),
            (&"full".into(), &"500KB".into())
        );
        let lowered = show["lowered"].as_array().expect("it stepped down");
        assert_eq!(lowered.len(), 1, "{show}");
        assert_eq!(lowered[0]["level"], "state");
        let reason = "--max-bytes 500KB was reached";
        assert_eq!(lowered[0]["reason"], reason);
        let since = lowered[0]["since"].as_u64().expect("a timestamp");
        assert!(0 < since && since < show["events"].as_u64().expect("a number"));
        let told = format!("recorded at level state from @{since} on: {reason}");
        let text = folder.ask(&["show", "costly"]);
        assert!(
            text.contains(&format!("state from @{since} on: {reason}")),
            "{text}"
        );
        assert!(folder.ask(&["list"]).contains("full→state"));

        // Uses and edges up to that event, none behind it; writes on both sides.
        let at = since.to_string();
        let near = since.saturating_sub(2000).to_string();
        let before = folder.json(&["events", "costly", "--from", &near, "--to", &at]);
        let behind = folder.json(&["events", "costly", "--from", &at]);
        for kind in ["use", "edge", "write"] {
            assert!(kinds(&before).contains(&kind), "{kind} before @{since}");
            assert_eq!(
                kinds(&behind).contains(&kind),
                kind == "write",
                "{kind} behind"
            );
        }

        // A call before it has loops and coverage; one behind it has values.
        let first = folder.json(&["events", "costly", "fx.Costly.round#0"]);
        assert!(kinds(&first).contains(&"loop"));
        folder.json(&["coverage", "costly", "fx.Costly.round#0"]);
        let last = "fx.Costly.last#4";
        assert!(!kinds(&folder.json(&["events", "costly", last])).contains(&"loop"));
        let events = folder.ask(&["events", "costly", last]);
        assert!(events.contains(&told), "{events}");
        fails(
            &folder,
            &["coverage", "costly", last],
            &format!("at level state from @{since} on"),
        );
        let call = folder.json(&["call", "costly", last]).remove(0);
        assert_eq!(call["lowered"], serde_json::json!([told]), "{call}");
        assert!(folder.ask(&["call", "costly", last]).contains(&told));
        let state = folder.json(&["state", "costly", last]).remove(0);
        let rows = state["rows"].as_array().expect("rows");
        let sum = rows.iter().find(|row| row["name"] == "sum").expect("a row");
        assert_eq!((&sum["end"], &sum["changed"]), (&10.into(), &true.into()));
        assert!(
            !state["notes"].to_string().contains("level"),
            "values are whole: {state}"
        );
        let writes = folder.json(&["history", "costly", "fx.Costly.rounds", "--limit", "2"]);
        assert!(!writes.is_empty());

        // The call that the step down lies in tells both.
        let main = folder.ask(&["events", "costly", "fx.Costly.main#0", "--limit", "5"]);
        assert!(
            main.contains(&told) && main.contains("not all ways"),
            "{main}"
        );
        let check = folder
            .jhyded(&["check", "costly"])
            .output()
            .expect("it checks");
        assert!(check.status.success(), "{check:?}");
    }
}

#[test]
fn at_a_limit_the_recording_ends_and_the_program_runs_on() {
    for jdk in jdks() {
        // What is asked for, and what is recorded less than that where the engine cannot step down.
        for options in [
            [
                "--level",
                "full",
                "--at-limit",
                "end",
                "--max-bytes",
                "500KB",
            ],
            [
                "--level",
                "full",
                "--at-limit",
                "end",
                "--max-duration",
                "5s",
            ],
            [
                "--level",
                "state",
                "--at-limit",
                "lower",
                "--max-duration",
                "5s",
            ],
            [
                "--level",
                "full",
                "--at-limit",
                "end",
                "--max-slowdown",
                "1.05",
            ],
        ] {
            let folder = Folder::new();
            let child = launch(&folder, &jdk, &options);
            let ended = once(&folder, |one| one["state"] == "detached");
            let reason = format!("{} {} was reached", options[4], options[5]);
            let said = ended["state_reason"].as_str().unwrap_or_default();
            assert!(said.starts_with(&reason), "{ended}");
            assert!(ended["lowered"].is_null(), "{ended}");
            let output = finish(child);
            assert_eq!(printed(&output), "begun\nlast 10\n");
            let show = folder.json(&["show", "costly"]).remove(0);
            let last = show["events"].as_u64().expect("a number") - 1;
            // What the program did then is not in it.
            fails(
                &folder,
                &["call", "costly", "fx.Costly.last#0"],
                "fx.Costly.last",
            );
            let main = folder
                .json(&["state", "costly", "fx.Costly.main#0"])
                .remove(0);
            let told = format!("ended at its limit after event {last} ({reason}");
            assert!(main["notes"].to_string().contains(&told), "{told}: {main}");
        }
    }
}

/// Each stretch of time that is too slow counts, and one that is not does not.
#[test]
fn what_slows_a_program_down_too_much_steps_down_and_ends() {
    let jdk = jdks().swap_remove(0);
    let (slow, fast) = (Folder::new(), Folder::new());
    let options = |most| ["--level", "full", "--max-slowdown", most];
    let (slowed, child) = (
        launch(&slow, &jdk, &options("1.05")),
        launch(&fast, &jdk, &options("100000")),
    );
    let ended = once(&slow, |one| one["state"] == "detached");
    let lowered = ended["lowered"].as_array().expect("it stepped down");
    assert_eq!(lowered.len(), 1, "{ended}");
    assert_eq!(lowered[0]["level"], "state", "{ended}");
    for reason in [&lowered[0]["reason"], &ended["state_reason"]] {
        let said = reason.as_str().unwrap_or_default();
        let told = "--max-slowdown 1.05 was reached: for 10 s it took at least ";
        assert!(said.starts_with(told), "{ended}");
        let times = said[told.len()..].split(' ').next().unwrap_or_default();
        assert!(
            times.parse::<f64>().is_ok_and(|times| times >= 1.05),
            "{ended}"
        );
    }
    assert_eq!(ended["max_slowdown"], "1.05", "{ended}");
    // The other one has had as many stretches.
    let show = fast.json(&["show", "costly"]).remove(0);
    assert_eq!(show["state"], "running", "{show}");
    assert!(show["lowered"].is_null(), "{show}");
    assert_eq!(printed(&finish(slowed)), "begun\nlast 10\n");
    assert_eq!(printed(&finish(child)), "begun\nlast 10\n");
}

/// The engine `probe` has one step more: at level `calls`, what calls were given and yielded is told still.
#[test]
fn at_limits_the_probe_steps_down_twice() {
    for jdk in jdks() {
        let folder = Folder::new();
        let options = ["--engine", "probe", "--level", "full", "--max-duration"];
        let child = launch(&folder, &jdk, &[&options[..], &["4s"]].concat());
        let steps = |one: &Value| one["lowered"].as_array().map_or(0, Vec::len);
        once(&folder, |one| steps(one) == 2);
        assert_eq!(printed(&finish(child)), "begun\nlast 10\n");
        let show = folder.json(&["show", "costly"]).remove(0);
        assert_eq!(show["state"], "complete", "{show}");
        let lowered = show["lowered"].as_array().expect("it stepped down");
        let levels: Vec<_> = lowered.iter().map(|one| &one["level"]).collect();
        assert_eq!(levels, ["state", "calls"], "{show}");
        let since: Vec<u64> = lowered
            .iter()
            .map(|one| one["since"].as_u64().expect("a timestamp"))
            .collect();
        assert!(0 < since[0] && since[0] < since[1], "{show}");
        let kinds_of = |call: &str| {
            let events = folder.json(&["events", "costly", call]);
            kinds(&events).join(" ")
        };
        let first = kinds_of("fx.Costly.round#0");
        assert!(first.contains("use") && first.contains("write"), "{first}");
        // A call of the middle: the first that was entered behind the first step.
        let middle = folder.json(&["events", "costly", "--from", &(since[0] + 1).to_string()]);
        let until = |event: &&Value| event["timestamp"].as_u64() < Some(since[1]);
        let middle: Vec<Value> = middle.iter().take_while(until).cloned().collect();
        let middle = kinds(&middle).join(" ");
        assert!(
            middle.contains("write") && !middle.contains("use"),
            "{middle}"
        );
        let last = kinds_of("fx.Costly.last#4");
        assert!(!last.contains("use") && !last.contains("write"), "{last}");
        let call = folder
            .json(&["call", "costly", "fx.Costly.last#4"])
            .remove(0);
        assert_eq!(call["result"], 10, "{call}");
        let told = format!("recorded at level calls from @{} on", since[1]);
        assert!(call["lowered"].to_string().contains(&told), "{call}");
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    let refused = |options: &[&str], says: &str| {
        for program in ["jhyde", "jhyded"] {
            let mut words = vec!["attach", "127.0.0.1:1"];
            words.extend(options);
            let mut command = match program {
                "jhyded" => folder.jhyded(&words),
                _ => folder.jhyde(&words),
            };
            let output = command.output().expect("it can be started");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{program} {words:?} went well");
            assert!(said.contains(says), "{program} {words:?}: {said}");
        }
    };
    for bytes in ["0", "0MB"] {
        refused(&["--max-bytes", bytes], "is nothing");
    }
    for bytes in ["-1MB", "many", "5 parsecs", "1.5GB", "99999999999TiB"] {
        refused(&["--max-bytes", bytes], "is not a size");
    }
    for span in ["0s", "10ns"] {
        refused(&["--max-duration", span], "is nothing");
    }
    for span in ["-5s", "7", "1 fortnight", "99999999999999999999s"] {
        refused(&["--max-duration", span], "is not a span of time");
    }
    for times in ["0", "0.5", "1", "1.00"] {
        refused(&["--max-slowdown", times], "is no slowdown");
    }
    for times in [
        "-2",
        "many",
        "2x",
        "1.234",
        ".",
        "1.",
        ".5",
        "99999999999999999999",
    ] {
        refused(&["--max-slowdown", times], "is not how many times as long");
    }
    refused(&["--at-limit", "stop"], "use one of lower, end");
    assert!(folder.json(&["list"]).is_empty(), "nothing is left of it");
}

/// What the engine `probe` has the program tell; it is not what jhyded itself logs, whose option has the shorter name.
#[test]
fn what_a_program_is_made_to_tell_can_be_chosen() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let words = [
        "-cp",
        &jdk.classes("mergesort").display().to_string(),
        "MergeSort",
    ]
    .map(str::to_owned);
    let run = folder.launch(
        &jdk,
        "told",
        &["--engine", "auto", "--probe-log", "writes"],
        &words,
    );
    assert!(run.status.success(), "{}", run.stderr);
    let show = folder.json(&["show", "told"]).remove(0);
    assert!(
        show["engine"] == "probe" && show["probe_log"] == "writes",
        "{show}"
    );
    assert_eq!(show["gaps"], serde_json::json!([]), "{show}");
    for (options, said) in [
        (
            ["--engine", "events", "--probe-log", "reads"],
            "is for engine 'probe'",
        ),
        (
            ["--engine", "probe", "--probe-log", "all"],
            "use one of auto, inputs, reads, writes",
        ),
        (
            ["--engine", "probe", "--log", "writes"],
            "is --probe-log writes",
        ),
    ] {
        let run = folder.launch(&jdk, "refused", &options, &words);
        assert!(
            !run.status.success() && run.stderr.contains(said),
            "{}",
            run.stderr
        );
    }
    // `auto` may take the engine that has no log: then that is said.
    let calls = [
        "--engine",
        "auto",
        "--level",
        "calls",
        "--probe-log",
        "writes",
    ];
    let run = folder.launch(&jdk, "without", &calls, &words);
    let notes = folder.json(&["show", "without"]).remove(0)["notes"].to_string();
    assert!(
        notes.contains("it has no log, so that 'writes' says nothing"),
        "{notes} {}",
        run.stderr
    );
}
