//! What is known without asking: equal calls, a run that was right, answers of earlier sessions. Held against programs that
//! say by the names of their methods which calls are equal.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jhyde_integration::session::{self, Session};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// Compiles a program of `java/known`, with some of its text replaced, into a folder of its own.
fn compile(jdk: &Jdk, into: &Path, name: &str, replaced: &[(&str, &str)]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/known");
    let file = format!("{name}.java");
    let mut text = fs::read_to_string(source.join(&file)).expect("the source is there");
    for (old, new) in replaced {
        assert!(text.contains(old), "{file} has no {old}");
        text = text.replace(old, new);
    }
    fs::create_dir_all(into).expect("a folder");
    let file = into.join(file);
    fs::write(&file, text).expect("the source can be written");
    let javac = jdk.java().with_file_name("javac");
    let status = Command::new(javac)
        .args(["-g", "-d"])
        .args([into, &file])
        .status();
    assert!(status.expect("javac can be started").success());
}

/// A program recorded under a name.
fn record(folder: &Folder, jdk: &Jdk, name: &str, options: &[&str], words: &[&str]) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let run = folder.launch(jdk, name, options, &words);
    assert!(run.status.success(), "{}", run.stderr);
}

/// Plays a session with an oracle over calls.
fn play(folder: &Folder, words: &[&str], oracle: impl Fn(&Value) -> &'static str) -> Session {
    session::play(folder, words, &[], oracle)
}

fn method(call: &Value) -> &str {
    call["method"].as_str().expect("a method")
}

fn count_of<'a>(calls: impl Iterator<Item = &'a Value>, name: &str) -> usize {
    calls.filter(|call| method(call) == name).count()
}

#[test]
fn equal_calls_are_asked_once_and_those_that_only_look_alike_are_not_known() {
    for jdk in jdks() {
        let folder = Folder::new();
        let classes = folder.data().with_file_name("pairs");
        compile(&jdk, &classes, "Pairs", &[]);
        let path = classes.display().to_string();
        let options = ["--level", "full", "--include", "Pairs*"];
        record(&folder, &jdk, "run", &options, &["-cp", &path, "Pairs"]);
        let oracle = |call: &Value| match method(call) {
            "main" => "invalid",
            _ => "valid",
        };
        let words = ["run", "--strategy", "top-down"];
        let without = play(&folder, &words, oracle);
        let with = play(&folder, &[&words[..], &["--known"]].concat(), oracle);
        let methods: Vec<&str> = without.asked.iter().map(method).collect();
        let mut pairs: Vec<&str> = methods
            .iter()
            .copied()
            .filter(|name| name.starts_with("same") || name.starts_with("other"))
            .collect();
        pairs.dedup();
        assert_eq!(pairs.len(), 20, "{pairs:?}");
        for name in pairs {
            assert_eq!(count_of(without.asked.iter(), name), 2, "{name}");
            let expected = if name.starts_with("same") { 1 } else { 2 };
            let asked = count_of(with.asked.iter(), name);
            assert_eq!(asked, expected, "{name}, JDK {}", jdk.major);
        }
        assert_eq!(without.known().len(), 0, "fixed orders stay as they are");
        for known in with.known() {
            assert_eq!(known["from"], "equal");
            assert_eq!(known["answer"], "valid");
        }
        assert_eq!(with.last["call"]["method"], "main");
        assert_eq!(with.last["call"], without.last["call"]);
    }
}

#[test]
fn what_is_known_goes_with_its_answer_and_survives_a_restart() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let classes = folder.data().with_file_name("knows");
    compile(jdk, &classes, "Knows", &[]);
    let path = classes.display().to_string();
    let options = ["--level", "full", "--include", "Knows"];
    record(&folder, jdk, "run", &options, &["-cp", &path, "Knows"]);
    // order #1 is equal to order #0; order #3 is not, since a static field is another by then.
    let say = |lines: &str, words: &[&str]| {
        let mut all = vec!["debug", "run"];
        all.extend(words);
        let mut running = folder
            .jhyde(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("jhyde can be started");
        let mut input = running.stdin.take().expect("an input");
        input.write_all(lines.as_bytes()).expect("it is read");
        drop(input);
        assert!(running.wait().expect("it ends").success());
        folder.json(&["sessions", "run"]).pop().expect("a session")
    };
    let known = |session: &Value| -> Vec<(String, String)> {
        let listed = session["known"].as_array().expect("a list").iter();
        let word = |known: &Value, key: &str| known[key].as_str().expect("a word").to_owned();
        listed
            .map(|known| (word(known, "call"), word(known, "equal_to")))
            .collect()
    };
    let id = |name: &str| {
        let call = folder.json(&["call", "run", name]).remove(0);
        let call = call.get("call").cloned().unwrap_or(call);
        call["id"].as_str().expect("an id").to_owned()
    };
    let (first, again) = (id("order#0"), id("order#1"));
    let words = ["--strategy", "top-down", "--known"];
    let session = say("valid\ninvalid\nvalid\n", &words);
    assert_eq!(known(&session), [(again.clone(), first.clone())]);
    assert_eq!(session["question"]["method"], "order");
    assert_eq!(session["question"]["invocation"], 2);
    folder.end_daemon();
    let session = say("", &["--session", "last"]);
    assert_eq!(known(&session), [(again.clone(), first.clone())]);
    // The answer is taken back, and with it what came from it; given again, so is that.
    let session = say("undo\n", &["--session", "last"]);
    assert_eq!(known(&session), []);
    assert_eq!(session["question"]["invocation"], 0);
    let session = say("redo\n", &["--session", "last"]);
    assert_eq!(known(&session), [(again.clone(), first.clone())]);
    // A doubted call is asked, and no more looked up.
    let session = say(&format!("doubt {again}\n"), &["--session", "last"]);
    assert_eq!(known(&session), []);
    assert_eq!(session["question"]["id"], json!(again));
    // Answered the other way it contradicts the equal call, which is said.
    let mut running = folder
        .jhyde(&["debug", "run", "--session", "last", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut input = running.stdin.take().expect("an input");
    writeln!(input, "{}", json!({"answer": "invalid"})).expect("it is read");
    drop(input);
    let told = running.wait_with_output().expect("it ends");
    let told = String::from_utf8(told.stdout).expect("text");
    let contradiction = format!("and call {first}, which is equal to it, valid");
    assert!(told.contains(&contradiction), "{told}");
    let session = say("", &["--session", "last", "--no-known"]);
    assert_eq!(session["knowing"], false);
}

#[test]
fn a_run_that_was_right_answers_what_agrees_and_shows_what_does_not() {
    for jdk in jdks() {
        let folder = Folder::new();
        let base = folder.data();
        let options = ["--level", "full", "--include", "Knows"];
        for (name, replaced) in [
            ("right", &[("count > 10", "count >= 10")][..]),
            ("wrong", &[]),
        ] {
            let classes = base.with_file_name(name);
            compile(&jdk, &classes, "Knows", replaced);
            let path = classes.display().to_string();
            record(&folder, &jdk, name, &options, &["-cp", &path, "Knows"]);
        }
        let right = |call: &Value| match (method(call), &call["id"]) {
            ("off", _) => "invalid",
            ("main", _) => "invalid",
            _ => "valid",
        };
        let session = play(&folder, &["wrong", "--against", "right"], right);
        assert_eq!(session.asked.len(), 1, "JDK {}", jdk.major);
        assert_eq!(method(&session.asked[0]), "off");
        assert_eq!(session.last["type"], "found");
        assert_eq!(session.last["call"]["method"], "off");
        assert!(session.known().len() >= 10);
        for known in session.known() {
            assert_eq!(known["from"], "recording");
            assert_eq!(known["recording"], "right");
            // The method that differs is no evidence for itself, nor for those that called it.
            let id = known["call"].as_str().expect("an id");
            let call = folder.json(&["call", "wrong", id]).remove(0);
            let call = call.get("call").cloned().unwrap_or(call);
            assert!(!["off", "order", "main"].contains(&method(&call)), "{call}");
        }
    }
}

#[test]
fn what_cannot_be_held_against_a_recording_says_why() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let knows = folder.data().with_file_name("knows");
    let pairs = folder.data().with_file_name("pairs");
    compile(jdk, &knows, "Knows", &[]);
    compile(jdk, &pairs, "Pairs", &[]);
    let (knows, pairs) = (knows.display().to_string(), pairs.display().to_string());
    let scope = ["--include", "Knows", "--include", "Pairs*"];
    let level = |level| [&["--level", level][..], &scope[..]].concat();
    record(
        &folder,
        jdk,
        "run",
        &level("full"),
        &["-cp", &knows, "Knows"],
    );
    record(
        &folder,
        jdk,
        "state",
        &level("state"),
        &["-cp", &knows, "Knows"],
    );
    record(
        &folder,
        jdk,
        "other",
        &level("full"),
        &["-cp", &pairs, "Pairs"],
    );
    let narrow = ["--level", "full", "--include", "Knows"];
    record(&folder, jdk, "narrow", &narrow, &["-cp", &knows, "Knows"]);
    for (against, told) in [
        ("run", "not held against itself"),
        ("state", "was recorded at level full, state at level state"),
        ("other", "no recorded class in common"),
        ("narrow", "with other --include and --exclude"),
        ("nothing", "there is no recording 'nothing'"),
    ] {
        let refused = folder
            .jhyde(&["debug", "run", "--against", against])
            .output()
            .expect("jhyde can be started");
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success(), "{against}");
        assert!(error.contains(told), "{against}: {error}");
    }
    assert_eq!(folder.json(&["sessions", "run"]).len(), 0);
}

#[test]
fn answers_of_earlier_sessions_are_used_again_and_a_changed_method_is_asked() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let base = folder.data();
    let options = ["--level", "full", "--include", "Knows"];
    for (name, replaced) in [
        ("first", &[][..]),
        ("second", &[]),
        ("changed", &[("cents - cents % 5", "(cents / 5) * 5")]),
    ] {
        let classes = base.with_file_name(name);
        compile(jdk, &classes, "Knows", replaced);
        let path = classes.display().to_string();
        record(&folder, jdk, name, &options, &["-cp", &path, "Knows"]);
    }
    let memory = base.with_file_name("memory").display().to_string();
    // It stops at price #0, whose inside is not asked when it is valid: so rounded is asked by itself.
    let oracle = |call: &Value| match (method(call), call["invocation"].as_u64()) {
        ("off", Some(4)) | ("main", _) | ("order", Some(2)) => "invalid",
        ("price", Some(0)) => "unknown",
        _ => "valid",
    };
    let words = |name| [name, "--strategy", "top-down", "--memory", &memory];
    let first = play(&folder, &words("first"), oracle);
    assert_eq!(first.last["type"], "found");
    assert_eq!(first.last["call"]["method"], "off");
    let kept = folder.json(&["memory", "list", &memory]);
    let said = first.asked.iter().filter(|call| oracle(call) != "unknown");
    // What prints has no content, so main is asked again.
    assert_eq!(
        kept.len(),
        said.filter(|call| method(call) != "main").count()
    );
    let second = play(&folder, &words("second"), oracle);
    let asked: Vec<&str> = second.asked.iter().map(method).collect();
    assert_eq!(second.last["call"], first.last["call"]);
    assert!(asked.len() < first.asked.len(), "{asked:?}");
    assert!(
        asked.iter().all(|name| ["main", "price"].contains(name)),
        "{asked:?}"
    );
    for known in second.known() {
        assert_eq!(known["from"], "memory");
        let told = known["told"].as_str().expect("words");
        assert!(told.ends_with("of first"), "{told}");
    }
    let changed = play(&folder, &words("changed"), oracle);
    let asked: Vec<&str> = changed.asked.iter().map(method).collect();
    assert_eq!(
        asked.contains(&"rounded"),
        first.asked.iter().any(|c| method(c) == "rounded")
    );
    // Who forgets is asked again, and what is exported comes back.
    let export = base.with_file_name("export.jsonl").display().to_string();
    folder.ask(&["memory", "export", &memory, &export]);
    let before = folder.json(&["memory", "list", &memory]);
    folder.ask(&["memory", "forget", &memory, "--all"]);
    assert_eq!(
        folder.json(&["memory", "list", &memory]),
        Vec::<Value>::new()
    );
    folder.ask(&["memory", "merge", &memory, &export]);
    assert_eq!(folder.json(&["memory", "list", &memory]), before);
    fs::write(Path::new(&memory).join("answers.jsonl"), "{}\n").expect("it can be written");
    let refused = folder
        .jhyde(&["debug", "second", "--memory", &memory])
        .output();
    let refused = refused.expect("jhyde can be started");
    assert_eq!(refused.status.code(), Some(7));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        error.contains("line 1: it does not say its version"),
        "{error}"
    );
}
