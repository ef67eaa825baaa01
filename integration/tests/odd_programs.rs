//! Programs at the edges of what a JVM does: no memory, no stack, no tables, methods of nearly 64 KB, code that
//! another tool replaces. All that can be seen is recorded at level full, the rest is named, and the
//! program does what it does unrecorded.

use jhyde_integration::{Folder, Jdk, Run, jdks};
use serde_json::Value;

fn record(folder: &Folder, jdk: &Jdk, name: &str, include: &str, java: &[String]) -> Run {
    let plain = std::process::Command::new(jdk.java())
        .args(java)
        .output()
        .expect("java can be started");
    let options = ["--level", "full", "--include", include];
    let run = folder.launch(jdk, name, &options, java);
    assert_eq!(run.status.code(), plain.status.code(), "{}", run.stderr);
    let texts = [run.stdout.as_slice(), &plain.stdout].map(String::from_utf8_lossy);
    assert_eq!(
        texts[0], texts[1],
        "{name} prints what it prints unrecorded"
    );
    let shown = &folder.json(&["show", name])[0];
    assert_eq!(shown["state"], "complete", "{shown}");
    run
}

fn program(jdk: &Jdk, part: &str, flags: &[&str], class: &str) -> Vec<String> {
    let mut all: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    all.extend([
        "-cp".to_owned(),
        jdk.classes(part).display().to_string(),
        class.to_owned(),
    ]);
    all
}

fn events(folder: &Folder, name: &str, kind: &str) -> Vec<Value> {
    let mut all = folder.json(&["events", name]);
    all.retain(|event| event["kind"] == kind);
    all
}

/// The id of a call, by method and number.
fn call(folder: &Folder, name: &str, reference: &str) -> Value {
    folder.json(&["call", name, reference]).remove(0)
}

#[test]
fn memory_that_ends() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &["-Xmx64m"], "odd.OutOfMemory");
        record(&folder, &jdk, "oom", "odd", &java);
        assert_eq!(events(&folder, "oom", "gap"), Vec::<Value>::new());
        let caught: Vec<Value> = events(&folder, "oom", "caught");
        assert_eq!(caught.len(), 3, "{caught:?}");
        for (method, result) in [("large", -1), ("nested", -2), ("chain", -3)] {
            assert_eq!(
                call(&folder, "oom", &format!("{method}#0"))["result"],
                result
            );
        }
    }
}

#[test]
fn a_stack_that_ends() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "fixtures", &[], "fx.StackOverflow");
        record(&folder, &jdk, "deep", "fx", &java);
        let calls = folder.json(&["tree", "deep", "--all"]);
        let deepest = calls.iter().filter_map(|call| call["depth"].as_u64()).max();
        assert!(deepest > Some(150), "{deepest:?}");
        let open: Vec<_> = calls.iter().filter(|call| call["exit"].is_null()).collect();
        assert!(open.is_empty(), "calls without an end: {open:?}");
    }
}

#[test]
fn a_method_of_nearly_64_kb() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Huge");
        record(&folder, &jdk, "huge", "odd", &java);
        assert_eq!(events(&folder, "huge", "gap"), Vec::<Value>::new());
        // The test's own arithmetic.
        let (mut x, mut a, mut writes) = (3_i32, [0_i32; 64], 2);
        for i in 0..2000_i32 {
            x = x.wrapping_mul(31).wrapping_add(3 ^ i);
            writes += 1;
            if x & 7 == i % 8 {
                let cell = &mut a[(i % 64) as usize];
                *cell = cell.wrapping_add(x);
                writes += 1;
            }
        }
        assert_eq!(call(&folder, "huge", "big#0")["result"], x);
        let recorded = events(&folder, "huge", "write").len();
        // `x = n` and `a = new int[64]` are the two more.
        assert_eq!(recorded, writes);
    }
}

#[test]
fn code_that_another_tool_replaces() {
    for jdk in jdks() {
        let folder = Folder::new();
        let agent = format!(
            "-javaagent:{}",
            jdk.classes("odd").join("agent.jar").display()
        );
        let java = program(&jdk, "odd", &[&agent], "odd.Redefined");
        record(&folder, &jdk, "swap", "odd", &java);
        let results = ["answer#0", "answer#1", "answer#2"].map(|one| call(&folder, "swap", one));
        assert_eq!(
            results.each_ref().map(|one| one["result"].as_i64()),
            [Some(41), Some(340), Some(342)]
        );
        let gaps = events(&folder, "swap", "gap");
        let of = |at: usize| {
            gaps.iter()
                .filter(|gap| gap["call"] == results[at]["id"])
                .count()
        };
        assert_eq!((of(0), of(1), of(2)), (0, 1, 1), "{gaps:?}");
        // The recording counts them, and lists them with their calls.
        let listed = folder.json(&["gaps", "swap"]);
        let called = |gap: &Value| (gap["timestamp"].clone(), gap["call"]["id"].clone());
        let listed: Vec<_> = listed.iter().map(called).collect();
        let told = |gap: &Value| (gap["timestamp"].clone(), gap["call"].clone());
        assert_eq!(listed, gaps.iter().map(told).collect::<Vec<_>>());
        let counts = folder.json(&["show", "swap"])[0]["gaps"].clone();
        let counts = counts.as_array().expect("a list").clone();
        let counted: u64 = counts.iter().filter_map(|gap| gap["count"].as_u64()).sum();
        assert_eq!(counted, gaps.len() as u64, "{counts:?}");
        let shown = folder.ask(&["show", "swap"]);
        assert!(shown.contains("jhyde gaps swap lists them"), "{shown}");
        // What it holds is said to be not recorded, never unchanged.
        let state = folder.ask(&["state", "swap", "answer#1"]);
        assert!(state.contains("replaced"), "{state}");
        holds_what_the_program_says(&folder);
    }
}

/// What the replaced code changed, a list and an array, is not told as it was before.
fn holds_what_the_program_says(folder: &Folder) {
    let shows = folder.json(&["tree", "swap", "--method", "show", "--all"]);
    let (mut compared, mut array) = (0, Value::Null);
    for show in &shows {
        let [seen, counts, told] = show["arguments"].as_array().map_or(&[][..], Vec::as_slice)
        else {
            // The one that has none calls it.
            continue;
        };
        array = counts["value"]["object"].clone();
        let told = told["value"].as_str().expect("a text");
        if let Some(items) = seen["value"]["held"]["items"].as_array() {
            let all: Vec<_> = items
                .iter()
                .map(|item| item["content"].to_string())
                .collect();
            let seen = format!("[{}]", all.join(", "));
            assert!(told.starts_with(&seen), "{seen} where it was {told}");
            compared += 1;
        }
    }
    // Behind the first call that was replaced it is not known when it changed.
    assert!(compared >= 2, "{shows:#?}");
    // What the array holds is found, and nobody was seen to write it.
    let writes = folder.json(&["history", "swap", &format!("array#{array}[1]")]);
    let found = writes.iter().find(|write| write["value"] == 21);
    let found = found.unwrap_or_else(|| panic!("{writes:?}"));
    assert_ne!(found["call"]["class"], "java.util.Arrays", "{found}");
    let notes = writes.last().map(|end| end["notes"].to_string());
    assert!(
        notes.is_some_and(|notes| notes.contains("who wrote it was not recorded")),
        "{writes:?}"
    );
}

#[test]
fn classes_without_tables() {
    for jdk in jdks() {
        let folder = Folder::new();
        for class in ["fx.NoDebug", "fx.LinesOnly"] {
            let name = class.trim_start_matches("fx.");
            record(
                &folder,
                &jdk,
                name,
                class,
                &program(&jdk, "fixtures", &[], class),
            );
            assert_eq!(events(&folder, name, "gap"), Vec::<Value>::new());
            let writes = events(&folder, name, "write");
            let slots = writes
                .iter()
                .filter_map(|write| write["variable"].as_str())
                .filter(|variable| variable.contains(":@"));
            assert!(
                slots.count() > 0,
                "{name}: locals go by their slots: {writes:?}"
            );
            assert!(
                writes.iter().all(|write| !write["value"].is_null()),
                "{writes:?}"
            );
        }
        let lines = |name: &str| {
            let calls = folder.json(&["tree", name, "--all"]);
            calls
                .iter()
                .any(|call| call["boundary"] == false && !call["line"].is_null())
        };
        assert!(lines("LinesOnly") && !lines("NoDebug"));
    }
}

#[test]
fn a_class_loader_that_is_asked_in_the_middle_of_an_instruction() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Loader");
        record(&folder, &jdk, "loader", "odd", &java);
        assert_eq!(events(&folder, "loader", "gap"), Vec::<Value>::new());
        let results = ["next#0", "next#1", "twice#0"].map(|one| {
            let call = call(&folder, "loader", one);
            (
                call["arguments"][0]["value"].clone(),
                call["result"].clone(),
            )
        });
        let expected = [(10, 10), (10, 20), (21, 42)].map(|(n, r)| (n.into(), r.into()));
        assert_eq!(results, expected);
        let calls = folder.json(&["tree", "loader", "--all"]);
        for call in &calls {
            assert!(!call["exit"].is_null(), "no end: {call}");
            // What the JVM resolves is not called by the instruction at which the code stands.
            assert!(
                call["boundary"] == false
                    || !call["class"].as_str().unwrap_or("").starts_with("odd."),
                "taken for a call out of the scope: {call}"
            );
        }
        let replaced: Vec<_> = calls
            .iter()
            .filter(|call| call["method"] == "replace")
            .collect();
        assert_eq!(replaced.len(), 2, "{replaced:?}");
        for call in replaced {
            let given: Vec<_> = call["arguments"].as_array().into_iter().flatten().collect();
            let given: Vec<_> = given
                .iter()
                .map(|argument| argument["value"].clone())
                .collect();
            assert_eq!(given, [".", "/"].map(Value::from), "{call}");
        }
    }
}

#[test]
fn two_classes_of_one_name() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Twins");
        record(&folder, &jdk, "twins", "odd", &java);
        let all = folder.json(&["events", "twins", "--all"]);
        let unknown = all
            .iter()
            .find(|event| event.to_string().contains("not_recorded"));
        assert_eq!(unknown, None);
        // Whose static an instruction reads is not told by its name: what is not known is not in the list.
        for (variable, times) in [("odd.Twin.count", 8), ("odd.Twin.last", 4)] {
            let reads = all
                .iter()
                .filter(|event| event["kind"] == "use" && event["variable"] == variable);
            assert_eq!(reads.count(), times, "{variable}");
        }
        let calls = folder.json(&["tree", "twins", "--all"]);
        let added: Vec<_> = calls
            .iter()
            .filter(|call| call["method"] == "add")
            .collect();
        let told = added.iter().map(|call| {
            (
                call["arguments"][0]["value"].clone(),
                call["result"].clone(),
            )
        });
        let expected = [(10, 10), (10, 10), (20, 30), (20, 30)];
        assert!(
            told.eq(expected.map(|(n, r)| (n.into(), r.into()))),
            "{added:?}"
        );
    }
}

#[test]
fn a_handler_of_uncaught_exceptions() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Handler");
        record(&folder, &jdk, "handler", "odd", &java);
        // Steps are missing as well there, and the calls say so. What does not happen is no exception: nothing is caught.
        let gaps = events(&folder, "handler", "gap");
        let told = |gap: &Value| gap["reason"].to_string().contains("did not tell each step");
        assert!(gaps.iter().all(told), "{gaps:?}");
        let handles = |gap: &Value| {
            gap["call"]
                .as_str()
                .is_some_and(|call| call.starts_with("2."))
        };
        assert!(gaps.iter().all(handles), "{gaps:?}");
        assert_eq!(events(&folder, "handler", "caught"), Vec::<Value>::new());
        let results = ["twice#0", "twice#1", "name#0"].map(|one| {
            let call = call(&folder, "handler", one);
            assert!(!call["exit"].is_null(), "no end: {call}");
            call["result"].clone()
        });
        assert_eq!(results[..2], [8, 16].map(Value::from));
        // What code out of the scope returns is told by exits alone.
        assert!(results[2]["not_recorded"].is_string(), "{}", results[2]);
        assert!(call(&folder, "handler", "handle#0")["exit"].is_u64());
    }
}

#[test]
fn runs_that_cannot_be_worked_out() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Foreseen");
        let run = record(&folder, &jdk, "foreseen", "odd.*", &java);
        assert_eq!(events(&folder, "foreseen", "gap"), Vec::<Value>::new());
        let printed = String::from_utf8_lossy(&run.stdout).into_owned();
        let printed: Vec<Value> = printed
            .lines()
            .map(|line| line.parse::<i32>().expect("a number").into())
            .collect();
        let calls = folder.json(&["tree", "foreseen", "--all"]);
        let shown: Vec<Value> = calls
            .iter()
            .filter(|call| call["method"] == "show")
            .map(|call| call["arguments"][0]["value"].clone())
            .collect();
        assert_eq!(shown, printed);
        // An exception stands in its turn: three before it.
        let caught = events(&folder, "foreseen", "caught");
        assert_eq!(caught.len(), 3 * 2 + 2 * 3, "{caught:?}");
    }
}

#[test]
fn an_array_that_is_written_where_nobody_looks_is_looked_at_again() {
    for jdk in jdks() {
        let folder = Folder::new();
        let java = program(&jdk, "odd", &[], "odd.Contradicted");
        record(&folder, &jdk, "poked", "odd.*", &java);
        assert_eq!(events(&folder, "poked", "gap"), Vec::<Value>::new());
        for round in 0..4 {
            let outer = call(&folder, "poked", &format!("outer#{round}"));
            assert_eq!(outer["result"], 6, "{outer}");
        }
        // Zero in the first two rounds: the way through `inner` is the one that the program took.
        let calls = folder.json(&["tree", "poked", "--all"]);
        let leaves = calls.iter().filter(|call| call["method"] == "leaf");
        assert_eq!(leaves.count(), 2);
        assert_eq!(call(&folder, "poked", "after#0")["result"], 6);
    }
}

#[test]
fn code_made_while_the_program_runs() {
    for jdk in jdks() {
        let folder = Folder::new();
        let plugin = jdk.classes("plugin").display().to_string();
        let mut java = program(&jdk, "fixtures", &[], "fx.SecondLoader");
        java.push(plugin);
        record(&folder, &jdk, "loaded", "fx", &java);
        let calls = folder.json(&["tree", "loaded", "--all"]);
        let inside = calls.iter().filter(|call| {
            call["class"]
                .as_str()
                .is_some_and(|class| class.starts_with("fx.plugin."))
        });
        assert!(inside.count() > 0, "{calls:?}");
        assert_eq!(events(&folder, "loaded", "gap"), Vec::<Value>::new());
    }
}
