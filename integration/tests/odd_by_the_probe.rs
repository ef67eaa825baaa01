//! Odd programs by the engine `probe`: what it cannot follow it says, and what it tells nevertheless is what the engine
//! `events` tells.

use std::collections::HashMap;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// Records a program that prints and ends as it does unrecorded.
fn record(folder: &Folder, jdk: &Jdk, name: &str, engine: &str, java: &[String]) {
    let plain = std::process::Command::new(jdk.java())
        .args(java)
        .output()
        .expect("java can be started");
    let include = ["--include", "fx.*", "--include", "odd.*"];
    let options = [&["--engine", engine][..], &include].concat();
    let run = folder.launch(jdk, name, &options, java);
    assert_eq!(run.status.code(), plain.status.code(), "{}", run.stderr);
    assert_eq!(run.stdout, plain.stdout, "{name} by {engine}");
    let shown = &folder.json(&["show", name])[0];
    assert_eq!(shown["state"], "complete", "{shown}");
}

fn java(jdk: &Jdk, part: &str, class: &str) -> Vec<String> {
    let mut words = vec!["-Xmx64m".to_owned()];
    if class == "odd.Redefined" {
        let agent = jdk.classes("odd").join("agent.jar");
        words.push(format!("-javaagent:{}", agent.display()));
    }
    let path = jdk.classes(part).display().to_string();
    words.extend(["-cp".to_owned(), path, class.to_owned()]);
    words
}

/// What calls of the scope were given and returned, by method and how often that had been called; of those that
/// say nothing against it.
fn told(folder: &Folder, name: &str) -> HashMap<(String, u64), Vec<Option<Value>>> {
    let gaps = folder.json(&["events", name]);
    let of_gap = |gap: &Value| (gap["kind"] == "gap").then(|| gap["call"].clone());
    let open: Vec<Value> = gaps.iter().filter_map(of_gap).collect();
    let calls = folder.json(&["tree", name, "--all"]).into_iter();
    let certain = calls.filter(|call| {
        call["boundary"] == false && call["lowered"].is_null() && !open.contains(&call["id"])
    });
    let told = |call: Value| {
        let method = format!("{}.{}{}", call["class"], call["method"], call["descriptor"]);
        let number = call["invocation"].as_u64().unwrap_or_default();
        let arguments = call["arguments"].as_array().cloned().unwrap_or_default();
        let given = arguments.iter().map(|one| &one["value"]);
        let values = given.chain([&call["result"]]).map(plain);
        ((method, number), values.collect())
    };
    certain.map(told).collect()
}

/// A value without what another run has otherwise: numbers of objects, and what is known of them. `None`: it is not recorded.
fn plain(value: &Value) -> Option<Value> {
    match value.as_object() {
        Some(object) if object.contains_key("not_recorded") => None,
        Some(object) => Some(json!([object.get("class"), object.get("text")])),
        None => Some(value.clone()),
    }
}

#[test]
fn what_is_told_is_so_or_a_gap_says_that_it_may_not_be() {
    let programs = [
        "odd.Foreseen",
        "odd.Handler",
        "odd.LoadedFirst",
        "odd.OutOfMemory",
        "odd.Redefined",
        "odd.Twins",
    ];
    for jdk in jdks() {
        let folder = Folder::new();
        let mut compared = 0;
        for class in programs {
            let java = java(&jdk, "odd", class);
            let [one, other] = ["events", "probe"].map(|engine| {
                let name = format!("{class}-{engine}");
                record(&folder, &jdk, &name, engine, &java);
                told(&folder, &name)
            });
            for (call, result) in other {
                if let Some(right) = one.get(&call) {
                    for (one, other) in result.iter().zip(right) {
                        let (Some(one), Some(other)) = (one, other) else {
                            continue;
                        };
                        compared += 1;
                        assert_eq!(one, other, "{class} on JDK {}: {call:?}", jdk.major);
                    }
                }
            }
        }
        assert!(compared >= 10, "{compared} values on JDK {}", jdk.major);
    }
}

#[test]
fn a_stack_that_overflows_is_told_to_its_end() {
    for jdk in jdks() {
        let folder = Folder::new();
        record(
            &folder,
            &jdk,
            "deep",
            "probe",
            &java(&jdk, "fixtures", "fx.StackOverflow"),
        );
        let shown = &folder.json(&["show", "deep"])[0];
        assert!(shown["calls"].as_u64() > Some(200), "{shown}");
        assert_eq!(shown["gaps"], json!([]), "{shown}");
    }
}

/// The thread that waits has given up its turn, and those that it waits for go on.
#[test]
fn calls_that_wait_for_other_threads_of_the_program() {
    for jdk in jdks() {
        let folder = Folder::new();
        record(
            &folder,
            &jdk,
            "turns",
            "probe",
            &java(&jdk, "odd", "odd.Turns"),
        );
        let gaps = folder.json(&["gaps", "turns"]);
        assert_eq!(gaps, Vec::<Value>::new(), "JDK {}", jdk.major);
        let calls = folder.json(&["tree", "turns", "--all"]);
        let of = |method: &str| {
            let of = calls.iter().filter(|call| call["method"] == method);
            of.map(|call| call["result"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("whileLocked"), of("shown"));
        assert_eq!(of("whileLocked").len(), 5);
        // Five threads with 300 each, and one for each element.
        assert_eq!(of("square").len(), 5 * 300 + 64);
    }
}
