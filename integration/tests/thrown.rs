//! What is told of exceptions agrees with what the JVM says of them: what caused them, what they suppressed, and, where
//! the scope or the JVM in its midst made them, the scope's part of their stack traces.

use jhyde_integration::{Folder, jdks};
use serde_json::Value;

/// The most places that are told of one.
const MOST: usize = 32;

/// What stands under a name in what an exception refers to.
fn parts<'v>(exception: &'v Value, name: &str) -> Vec<&'v Value> {
    let items = exception["held"]["items"].as_array();
    let items = items.into_iter().flatten();
    items
        .filter(|item| item["name"] == name)
        .map(|item| &item["value"])
        .collect()
}

fn check(folder: &Folder, level: &str, line: &str) {
    let told: Vec<&str> = line.split('|').collect();
    let [name, class, cause, suppressed, trace] = told[..] else {
        panic!("{line}");
    };
    // Of those that call themselves the outermost one.
    let call = &folder.json(&["call", level, &format!("{name}#0")])[0];
    let exception = &call["exception"];
    let said = format!("{level}: {line}: {exception}");
    assert_eq!(exception["class"], class, "{said}");
    // At level calls nothing is read of what caused one.
    if level != "calls" {
        let causes = parts(exception, "cause");
        let causes: Vec<_> = causes
            .iter()
            .filter_map(|one| one["class"].as_str())
            .collect();
        let expected: Vec<_> = [cause].into_iter().filter(|one| !one.is_empty()).collect();
        assert_eq!(causes, expected, "{said}");
        let all = parts(exception, "suppressed");
        let all = all
            .iter()
            .map(|one| format!("{};", one["content"].as_str().unwrap_or_default()));
        assert_eq!(all.collect::<String>(), suppressed, "{said}");
    }
    let rows = call["outcome"]["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["kind"] == "exception");
    let places = row.and_then(|row| row["end"]["made_at"].as_array());
    let places: Vec<String> = places
        .into_iter()
        .flatten()
        .map(|at| {
            format!(
                "{}:{};",
                at["method"].as_str().unwrap_or_default(),
                at["line"]
            )
        })
        .collect();
    // At level calls nobody sees objects being made; what the JVM throws it makes where it throws it.
    let unknown = name == "parsed" || level == "calls" && name != "divided";
    let expected: Vec<String> = trace
        .split_inclusive(';')
        .filter(|_| !unknown)
        .take(MOST)
        .map(str::to_owned)
        .collect();
    assert_eq!(places, expected, "{said}");
}

#[test]
fn exceptions_are_told_as_the_jvm_has_them() {
    for jdk in jdks() {
        let folder = Folder::new();
        let path = jdk.classes("fixtures").display().to_string();
        let program = ["-cp", &path, "fx.Thrown"].map(str::to_owned);
        for level in ["calls", "state", "full"] {
            let options = ["--level", level, "--include", "fx.Thrown"];
            let run = folder.launch(&jdk, level, &options, &program);
            let told = String::from_utf8(run.stdout).expect("text");
            assert_eq!(told.lines().count(), 9, "{told}{}", run.stderr);
            for line in told.lines() {
                check(&folder, level, line);
            }
        }
    }
}

#[test]
fn a_screen_shows_where_an_exception_was_made() {
    let jdk = jdks().remove(0);
    let folder = Folder::new();
    let path = jdk.classes("fixtures").display().to_string();
    let program = ["-cp", &path, "fx.Thrown"].map(str::to_owned);
    let options = ["--level", "full", "--include", "fx.Thrown"];
    folder.launch(&jdk, "t", &options, &program);
    let shown = folder.ask(&["call", "t", "wrapped#0"]);
    for piece in [
        "detailMessage=",
        "(cause=NumberFormatException",
        "made at",
        "Thrown.java:44 in wrapped",
        "called at",
    ] {
        assert!(shown.contains(piece), "{piece} in {shown}");
    }
    assert!(
        folder
            .ask(&["call", "t", "deep#0"])
            .contains("26 places further out")
    );
}

#[test]
fn exceptions_that_end_threads() {
    for jdk in jdks() {
        let folder = Folder::new();
        let path = jdk.classes("odd").display().to_string();
        let program = ["-cp", &path, "odd.Uncaught"].map(str::to_owned);
        for engine in ["events", "probe"] {
            let options = ["--engine", engine, "--include", "odd.*"];
            let run = folder.launch(&jdk, engine, &options, &program);
            assert_eq!(run.status.code(), Some(1), "{}", run.stderr);
            let told = folder.json(&["where", engine]);
            let mut fates: Vec<_> = told
                .iter()
                .filter_map(|one| {
                    let message = one["exception"]["content"].as_str()?;
                    Some((message, one["fate"].as_str()?))
                })
                .collect();
            fates.sort_unstable();
            let expected = [
                ("around", "ended-thread"),
                ("async", "left-scope"),
                ("extended", "ended-thread"),
                ("lambda", "ended-thread"),
                ("main", "ended-thread"),
                ("referred", "ended-thread"),
                ("submitted", "left-scope"),
                ("task", "ended-thread"),
            ];
            assert_eq!(fates, expected, "{engine} {told:?}");
        }
    }
}
