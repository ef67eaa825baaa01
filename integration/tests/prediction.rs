//! Steps that are predicted are the steps that the JVM tells: a program recorded with an agent of
//! `java.lang.instrument` beside it, which could replace code, is stepped through to the last instruction; without
//! one, most of it is predicted. Both recordings tell the same events in the same order.

use std::time::Instant;

use jhyde_integration::programs::Workload;
use jhyde_integration::same::{Names, main_thread, stable};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// The main thread's events at level full.
fn events(folder: &Folder, jdk: &Jdk, name: &str, scope: &[String], java: &[String]) -> Vec<Value> {
    let mut options = vec!["--level", "full"];
    options.extend(scope.iter().map(String::as_str));
    let run = folder.launch(jdk, name, &options, java);
    assert!(run.status.code().is_some(), "{}", run.stderr);
    let all = folder.json(&["events", name, "--all"]);
    let main = main_thread(&all).expect("main was called");
    let mut names = Names::default();
    all.iter()
        .filter(|event| {
            event["call"]
                .as_str()
                .is_some_and(|id| id.starts_with(&main))
        })
        .map(|event| {
            let mut event = names.same(&stable(event, &main));
            for told in ["entered", "exited"] {
                // It counts the other threads' calls, too.
                if let Some(call) = event.get_mut(told).and_then(Value::as_object_mut) {
                    call.remove("invocation");
                }
            }
            event
        })
        .collect()
}

fn check(jdk: &Jdk, name: &str, scope: &[String], java: &[String]) {
    let folder = Folder::new();
    let agent = jdk.classes("odd").join("agent.jar");
    let mut stepped = vec![format!("-javaagent:{}", agent.display())];
    stepped.extend_from_slice(java);
    let stepped = events(&folder, jdk, "stepped", scope, &stepped);
    let predicted = events(&folder, jdk, "predicted", scope, java);
    for (at, (told, worked_out)) in stepped.iter().zip(&predicted).enumerate() {
        assert_eq!(told, worked_out, "{name} on JDK {}: event {at}", jdk.major);
    }
    assert_eq!(
        stepped.len(),
        predicted.len(),
        "{name} on JDK {}",
        jdk.major
    );
}

fn include(pattern: &str) -> [String; 2] {
    ["--include".to_owned(), pattern.to_owned()]
}

#[test]
fn what_is_predicted_is_what_steps_tell() {
    for jdk in jdks() {
        let classes = |part| jdk.classes(part).display().to_string();
        let merge = [
            "-cp".to_owned(),
            classes("mergesort"),
            "MergeSort".to_owned(),
        ];
        check(&jdk, "MergeSort", &include("MergeSort"), &merge);
        let log = tempfile::NamedTempFile::new().expect("a temporary file");
        let oracle = [
            "-cp".to_owned(),
            classes("oracle"),
            "fl.Oracle".to_owned(),
            log.path().display().to_string(),
        ];
        check(&jdk, "the oracle", &include("fl.*"), &oracle);
        for workload in Workload::all() {
            let chosen = ["kernel", "csv", "kthrowy"].contains(&workload.name());
            if chosen && workload.runs_on(&jdk) {
                let java = workload.arguments(&jdk, "small");
                check(&jdk, workload.name(), &workload.scope(), &java);
            }
        }
    }
}

/// Without prediction the comparison above would compare steps with steps: it is there if it saves their time.
#[test]
fn most_steps_are_predicted() {
    for jdk in jdks() {
        let folder = Folder::new();
        let all = Workload::all();
        let kernel = all.iter().find(|workload| workload.name() == "kernel");
        let kernel = kernel.expect("a workload");
        let java = kernel.arguments_of_size(&jdk, "6000");
        let agent = jdk.classes("odd").join("agent.jar");
        let mut stepped = vec![format!("-javaagent:{}", agent.display())];
        stepped.extend_from_slice(&java);
        let seconds = |name: &str, java: &[String]| {
            let scope = kernel.scope();
            let mut options = vec!["--level", "full"];
            options.extend(scope.iter().map(String::as_str));
            let begun = Instant::now();
            let run = folder.launch(&jdk, name, &options, java);
            assert!(run.status.success(), "{}", run.stderr);
            begun.elapsed().as_secs_f64()
        };
        let (stepped, predicted) = (seconds("stepped", &stepped), seconds("predicted", &java));
        assert!(
            predicted < 0.75 * stepped,
            "JDK {}: {predicted:.2} s predicted, {stepped:.2} s stepped",
            jdk.major
        );
    }
}

/// A thread that waits in a call out of the scope runs no code of it: what runs meanwhile is predicted.
#[test]
fn a_thread_that_waits_for_another_is_no_reason_for_steps() {
    for jdk in jdks() {
        let folder = Folder::new();
        let classes = jdk.classes("odd").display().to_string();
        let seconds = |name: &str, more: &[&str]| {
            let java = ["-cp", &classes, "odd.Waited"]
                .into_iter()
                .chain(more.iter().copied());
            let java: Vec<String> = java.map(str::to_owned).collect();
            let options = ["--level", "full", "--include", "odd.*"];
            let begun = Instant::now();
            let run = folder.launch(&jdk, name, &options, &java);
            assert!(run.status.success(), "{}", run.stderr);
            (begun.elapsed().as_secs_f64(), run.stdout)
        };
        let (alone, printed) = seconds("alone", &[]);
        let (waited, same) = seconds("waited", &["other"]);
        assert_eq!(printed, same);
        // Stepped, it takes six times as long and more.
        assert!(
            waited < 2.5 * alone,
            "JDK {}: {waited:.2} s in another thread, {alone:.2} s in the main thread",
            jdk.major
        );
    }
}
