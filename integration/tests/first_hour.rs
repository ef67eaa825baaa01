//! What somebody meets in the first hour, as a terminal shows it: how a recording ends and goes, what went wrong in the
//! program, lines that fit, recursion that goes deep, names that can be pasted.

use std::io::Read as _;
use std::process::{Command, Stdio};

use jhyde_integration::programs::Workload;
use jhyde_integration::tools::binary;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

fn fixture(jdk: &Jdk, class: &str) -> Vec<String> {
    let path = jdk.classes("fixtures").display().to_string();
    vec!["-cp".to_owned(), path, class.to_owned()]
}

fn launch(folder: &Folder, jdk: &Jdk, name: &str, class: &str) {
    let run = folder.launch(jdk, name, &[], &fixture(jdk, class));
    assert!(
        run.stderr.contains(&format!("recorded {name}: ")),
        "{}",
        run.stderr
    );
}

/// What `jhyde` prints in a terminal of so many columns, without colours.
fn screen(folder: &Folder, words: &[&str], columns: usize) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let line = format!(
        "stty cols {columns}; '{}' --data '{}' --color never {}",
        binary("jhyde").display(),
        folder.data().display(),
        words.join(" ")
    );
    let output = Command::new("script")
        .args(["-qfec", &line, "/dev/null"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .output()
        .expect("script (Debian package bsdutils) can be started");
    let text = String::from_utf8(output.stdout).expect("jhyde prints UTF-8");
    // Progress is drawn over: what stands on a line is what came behind the last return to its beginning.
    let drawn = text.lines().map(|line| line.trim_end());
    drawn
        .map(|line| without_controls(line.rsplit('\r').next().unwrap_or_default()))
        .collect()
}

/// A line without the sequences that move the cursor and erase (ECMA-48, 5.4).
fn without_controls(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| ('@'..='~').contains(&c));
        shown.push_str(end.map_or("", |end| &piece[end + 1..]));
    }
    shown.trim_end().to_owned()
}

#[test]
fn the_end_of_a_recording_is_one_line() {
    for jdk in jdks() {
        let folder = Folder::new();
        for tool in ["jhyded", "jhyde"] {
            let run = |name: &str, quiet: &[&str]| {
                let mut command = match tool {
                    "jhyded" => folder.jhyded(&["launch", "--name", name]),
                    _ => folder.jhyde(&["launch", "--name", name]),
                };
                command.args(quiet).arg("--").arg(jdk.java());
                command.args(fixture(&jdk, "fx.ExitNested"));
                let output = command.output().expect("it can be started");
                assert_eq!(output.status.code(), Some(7), "{output:?}");
                String::from_utf8(output.stderr).expect("words")
            };
            let name = format!("{tool}-run");
            let told = run(&name, &[]);
            let shown = &folder.json(&["show", &name])[0];
            let gaps = shown["gaps"].as_array().expect("a list");
            let gaps: u64 = gaps.iter().filter_map(|gap| gap["count"].as_u64()).sum();
            let expected = format!(
                "recorded {name}: {} calls, {} events, {gaps} gap{}, exit code 7; jhyde tree {name}, jhyde where {name}\n",
                shown["calls"],
                shown["events"],
                if gaps == 1 { "" } else { "s" },
            );
            assert_eq!(told, expected);
            assert_eq!(run(&format!("{tool}-quiet"), &["--quiet"]), "");
        }
    }
}

#[test]
fn what_went_wrong_is_told_wherever_it_was_caught() {
    for jdk in jdks() {
        let folder = Folder::new();
        launch(&folder, &jdk, "exit", "fx.ExitNested");
        let told = folder.ask(&["where", "exit"]);
        assert!(told.contains("System.exit(7) ended the program"), "{told}");
        assert!(told.contains("called at ExitNested.java:3"), "{told}");
        assert!(told.contains("in ExitNested.leave #1 (n=2)"), "{told}");
        let all = Workload::all();
        let junit = all.iter().find(|one| one.name().contains("junit"));
        let junit = junit.expect("workloads.json has one of JUnit");
        // With the framework in the scope, and without.
        for (name, scope) in [("whole", &[][..]), ("own", &["--include", "wl"][..])] {
            let run = folder.launch(&jdk, name, scope, &junit.arguments(&jdk, "small"));
            assert_eq!(run.status.code(), Some(1), "{}", run.stderr);
            let failed: Vec<Value> = folder
                .json(&["where", name])
                .into_iter()
                .filter(|one| one["test"].is_object())
                .collect();
            assert_eq!(failed.len(), 1, "{name}: {failed:#?}");
            let test = &failed[0]["test"];
            assert_eq!(test["test"]["method"], "growsWhenWrapped", "{name}");
            assert_eq!(test["assertion"]["method"], "assertEquals", "{name}");
            assert_eq!(test["under_test"]["method"], "take", "{name}");
            let told = folder.ask(&["where", name]);
            for part in [
                "failed JUnit4Wl.growsWhenWrapped #0",
                "under test  JUnit4Wl$Ring.take #",
                "expected:<",
            ] {
                assert!(told.contains(part), "{name}: no {part} in {told}");
            }
        }
    }
}

#[test]
fn lines_fit_the_terminal() {
    for jdk in jdks() {
        let folder = Folder::new();
        launch(&folder, &jdk, "fields", "fx.FieldWrites");
        launch(&folder, &jdk, "recursion", "fx.Recursion");
        let calls = folder.json(&["tree", "fields"]);
        let busiest = calls
            .iter()
            .filter(|call| call["boundary"] == Value::Bool(false))
            .max_by_key(|call| {
                call["exit"].as_u64().unwrap_or(0) - call["enter"].as_u64().unwrap_or(0)
            });
        let busiest = busiest.expect("a call")["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        for columns in [80, 120] {
            for words in [
                &["ls"][..],
                &["tree", "fields"],
                &["tree", "recursion", "--all"],
                &["tree", "recursion", "--all", "--unfold"],
                &["state", "fields", &busiest],
                // A note on source that is not there is a sentence, and wraps.
                &["events", "fields", &busiest, "--no-source"],
                &["events", "fields", "--no-source"],
                &["where", "recursion"],
                &["gaps", "fields"],
            ] {
                let shown = screen(&folder, words, columns);
                assert!(!shown.is_empty(), "{words:?}");
                for line in shown {
                    assert!(line.width() <= columns, "{words:?} at {columns}: {line}");
                }
            }
        }
    }
}

#[test]
fn deep_recursion_is_folded() {
    for jdk in jdks() {
        let folder = Folder::new();
        launch(&folder, &jdk, "deep", "fx.Recursion");
        let calls = folder.json(&["tree", "deep"]).len();
        // fib(12) makes 465 calls, even and odd 52, ackermann(2, 3) 44, climbed with the abyss 1002, hanoi(6) 127.
        let own = folder.json(&["tree", "deep"]);
        let own = own
            .iter()
            .filter(|call| call["boundary"] == Value::Bool(false));
        assert_eq!(own.count(), 1 + 465 + 52 + 44 + 1002 + 127);
        let tree = folder.ask(&["tree", "deep", "--all"]);
        let folded = tree.lines().find(|line| line.contains("985 levels deeper"));
        let folded = folded.expect("the abyss is folded");
        // The constructor of the exception is one more.
        assert!(folded.contains("985 levels deeper, 986 calls;"), "{folded}");
        let innermost = folded.split(['[', ']']).nth(1).expect("an id");
        let below = folder.ask(&["tree", "deep", innermost]);
        assert!(
            below.starts_with("Recursion.abyss #1000 (depth=0) threw"),
            "{below}"
        );
        let unfolded = folder.ask(&["tree", "deep", "--all", "--unfold"]);
        assert_eq!(unfolded.lines().count(), calls);
        assert!(unfolded.len() < calls * 400, "{} bytes", unfolded.len());
        assert!(
            folder
                .ask(&["call", "deep", innermost])
                .contains("calls between")
        );
    }
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    launch(&folder, jdk, "long", "fx.Recursion");
    for words in [
        &["tree", "long", "--all", "--unfold"][..],
        &["tree", "long", "--json"],
        &["events", "long", "--all"],
        &["events", "long", "--json"],
    ] {
        let mut command = folder.jhyde(words);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut jhyde = command.spawn().expect("jhyde can be started");
        let mut some = [0; 10];
        let mut output = jhyde.stdout.take().expect("an output");
        output.read_exact(&mut some).expect("it prints");
        drop(output);
        let ended = jhyde.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(
            ended.status.success() && told.is_empty(),
            "{words:?}: {told}"
        );
    }
}

#[test]
fn what_events_print_can_be_pasted() {
    for jdk in jdks() {
        let folder = Folder::new();
        launch(&folder, &jdk, "fields", "fx.FieldWrites");
        let printed = folder.ask(&["events", "fields", "--all"]);
        let mut own_fields = 0;
        let mut tried = std::collections::BTreeSet::new();
        for line in printed.lines() {
            let Some((before, _)) = line.split_once(" = ") else {
                continue;
            };
            let name = before.rsplit("  ").next().unwrap_or_default();
            let is_name = !name.contains(' ') && !name.starts_with('←');
            if is_name && tried.insert(name.to_owned()) {
                own_fields += usize::from(name.contains(":this."));
                let writes = folder.json(&["history", "fields", name]);
                assert!(!writes.is_empty(), "{name}: {line}");
            }
        }
        assert!(tried.len() > 10 && own_fields > 0, "{tried:?}");
        // All events: those shown and those that are named as not shown.
        let shown = folder.json(&["events", "fields"]).len() as u64;
        let events = folder.json(&["show", "fields"])[0]["events"]
            .as_u64()
            .expect("a number");
        let last = printed.lines().last().expect("a line");
        let told: String = last
            .chars()
            .filter(|c| c.is_ascii_digit() || *c == ' ')
            .collect();
        let numbers: Vec<u64> = told
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        if shown < events {
            assert_eq!(numbers, [shown, events, events - shown], "{last}");
        }
    }
}
