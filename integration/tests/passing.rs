//! Runs that passed: what they ran, too, is less suspicious, or trusted where somebody says so.

use jhyde_integration::session::{Session, play, refused};
use jhyde_integration::till::{judge, record};
use jhyde_integration::{Folder, jdks};
use serde_json::{Value, json};

fn ask(folder: &Folder, words: &[&str], beginning: &[Value]) -> Session {
    play(folder, &[&["till"], words].concat(), beginning, judge)
}

#[test]
fn what_passing_runs_ran_is_asked_last() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    record(&folder, jdk, "till", "shop.Main", &["--level", "full"]);
    record(&folder, jdk, "small", "shop.Small", &["--level", "full"]);
    let without = ask(&folder, &[], &[]);
    let with = ask(&folder, &["--passing", "small"], &[]);
    assert_eq!(with.last["call"]["method"], "off");
    assert_eq!(with.last["call"], without.last["call"]);
    assert!(
        with.calls().len() <= without.calls().len(),
        "{:?} {:?}",
        with.calls(),
        without.calls()
    );
    let told = "what passed (small) is less suspicious: of the ";
    assert!(
        with.notes.iter().any(|note| note.starts_with(told)),
        "{:?}",
        with.notes
    );
    // What no passing run did is in the one call that went wrong.
    let first = &with.asked[0];
    assert_eq!(judge(first), "invalid", "{:?}", with.calls());
    // It is kept with the session, said once more in it, and taken back.
    let sessions = folder.json(&["sessions", "till"]);
    assert_eq!(sessions[1]["passing"], json!(["small"]));
    let id = sessions[1]["id"].as_str().expect("an id").to_owned();
    folder.end_daemon();
    let again = folder.json(&["sessions", "till"]);
    assert_eq!(again[1]["passing"], json!(["small"]));
    assert_eq!(again[1]["buggy"], sessions[1]["buggy"]);
    let back = ask(&folder, &["--session", &id], &[json!({"undo": true})]);
    assert_eq!(back.last["call"], without.last["call"]);
    let said = json!({"passing": "small"});
    let inside = ask(&folder, &[], std::slice::from_ref(&said));
    assert_eq!(inside.calls(), with.calls());
    let none = ask(&folder, &[], &[said, json!({"passing": null})]);
    assert_eq!(none.calls(), without.calls());
    // Who does not go by code asks as before.
    let words = ["--strategy", "top-down"];
    let fixed = ask(&folder, &words, &[]);
    let words = [&words[..], &["--passing", "small"]].concat();
    assert_eq!(ask(&folder, &words, &[]).calls(), fixed.calls());
}

#[test]
fn what_passing_runs_did_is_trusted_where_somebody_says_so() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    record(&folder, jdk, "till", "shop.Main", &["--level", "full"]);
    record(&folder, jdk, "small", "shop.Small", &["--level", "full"]);
    let words = ["--strategy", "top-down", "--passing", "small"];
    let without = ask(&folder, &words, &[]);
    let asked = |session: &Session, name: &str| {
        let named = session.asked.iter().filter(|call| call["method"] == name);
        named.count()
    };
    assert!(asked(&without, "add") > 0 && asked(&without, "label") > 0);
    let words = [&words[..], &["--trust-passing"]].concat();
    let with = ask(&folder, &words, &[]);
    assert_eq!(with.last["call"], without.last["call"]);
    assert_eq!(asked(&with, "add"), 0, "{:?}", with.calls());
    // Nobody's name was asked for in the test: that way of `label` no passing run went.
    assert!(asked(&with, "label") > 0, "{:?}", with.calls());
    let told = |words: &str| with.notes.iter().any(|note| note.contains(words));
    assert!(
        told("methods are trusted, because you said"),
        "{:?}",
        with.notes
    );
    assert!(
        told("passing runs did all that their methods did here"),
        "{:?}",
        with.notes
    );
    let sessions = folder.json(&["sessions", "till"]);
    assert_eq!(sessions[1]["trust_passing"], true);
}

#[test]
fn runs_that_tell_nothing_are_refused() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let full = ["--level", "full"];
    record(&folder, jdk, "till", "shop.Main", &full);
    record(&folder, jdk, "state", "shop.Main", &["--level", "state"]);
    record(
        &folder,
        jdk,
        "other-state",
        "shop.Small",
        &["--level", "state"],
    );
    record(
        &folder,
        jdk,
        "wider",
        "shop.Small",
        &["--level", "full", "--include", "java.lang.Number"],
    );
    let classes = jdk.classes("mergesort").display().to_string();
    let words = ["-cp", &classes, "MergeSort"].map(str::to_owned);
    let options = ["--include", "shop", "--level", "full"];
    let run = folder.launch(jdk, "sort", &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
    for (of, passing, told) in [
        ("till", "till", "is not held against itself"),
        (
            "till",
            "state",
            "till was recorded at level full, state at level state",
        ),
        ("state", "other-state", "does not tell what calls covered"),
        ("till", "sort", "of different programs"),
        ("till", "wider", "other --include and --exclude"),
        ("till", "nothing", "nothing"),
    ] {
        let (error, code) = refused(&folder, &["debug", of, "--passing", passing]);
        assert!(error.contains(told), "{of} {passing}: {error}");
        assert_ne!(code, Some(0));
    }
    let (error, _) = refused(&folder, &["debug", "till", "--trust-passing"]);
    assert!(error.contains("--passing"), "{error}");
    assert_eq!(folder.json(&["sessions", "till"]).len(), 0);
}
