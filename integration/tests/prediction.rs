//! Steps that are predicted are the steps that the JVM tells: a program recorded with an agent of
//! `java.lang.instrument` beside it, which could replace code, is stepped through to the last instruction; without
//! one, most of it is predicted. Both recordings tell the same events in the same order.

use jhyde_integration::programs::Workload;
use jhyde_integration::same::{Names, main_thread, stable};
use jhyde_integration::scraped::Scraped;
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

/// What a JVM told while a program was recorded at level full, and what the program printed. Steps are told one by one.
fn told(
    folder: &Folder,
    daemon: &Scraped,
    jdk: &Jdk,
    name: &str,
    scope: &[String],
    java: &[String],
) -> (f64, Vec<u8>) {
    let mut options = vec!["--level", "full"];
    options.extend(scope.iter().map(String::as_str));
    let before = daemon.value("jhyde_debuggee_reports_total");
    let run = folder.launch(jdk, name, &options, java);
    assert!(run.status.success(), "{}", run.stderr);
    let told = daemon.value("jhyde_debuggee_reports_total") - before;
    (told, run.stdout)
}

/// Without prediction the comparison above would compare steps with steps: it is there if they are not told.
#[test]
fn most_steps_are_predicted() {
    for jdk in jdks() {
        let folder = Folder::new();
        let daemon = Scraped::serve(&folder);
        let all = Workload::all();
        let kernel = all.iter().find(|workload| workload.name() == "kernel");
        let kernel = kernel.expect("a workload");
        let java = kernel.arguments_of_size(&jdk, "6000");
        let agent = jdk.classes("odd").join("agent.jar");
        let mut stepped = vec![format!("-javaagent:{}", agent.display())];
        stepped.extend_from_slice(&java);
        let (stepped, _) = told(&folder, &daemon, &jdk, "stepped", &kernel.scope(), &stepped);
        let (predicted, _) = told(&folder, &daemon, &jdk, "predicted", &kernel.scope(), &java);
        println!(
            "JDK {}: {predicted} predicted, {stepped} stepped",
            jdk.major
        );
        assert!(
            4.0 * predicted < stepped,
            "JDK {}: {predicted} told where steps are predicted, {stepped} where they are not",
            jdk.major
        );
    }
}

/// A thread that waits in a call out of the scope runs no code of it: what runs meanwhile is predicted.
#[test]
fn a_thread_that_waits_for_another_is_no_reason_for_steps() {
    for jdk in jdks() {
        let folder = Folder::new();
        let daemon = Scraped::serve(&folder);
        let classes = jdk.classes("odd").display().to_string();
        let scope = ["--include", "odd.*"].map(str::to_owned);
        let told = |name: &str, more: &[&str]| {
            let java = ["-cp", &classes, "odd.Waited"]
                .into_iter()
                .chain(more.iter().copied());
            let java: Vec<String> = java.map(str::to_owned).collect();
            told(&folder, &daemon, &jdk, name, &scope, &java)
        };
        let (alone, printed) = told("alone", &[]);
        let (waited, same) = told("waited", &["other"]);
        assert_eq!(printed, same);
        println!(
            "JDK {}: {waited} in another thread, {alone} in main",
            jdk.major
        );
        assert!(
            waited < 1.5 * alone,
            "JDK {}: {waited} told in another thread, {alone} in the main thread",
            jdk.major
        );
    }
}
