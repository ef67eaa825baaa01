//! `--changed`: what a diff or a range of commits says of a recording.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jhyde_integration::compiled::compile;
use jhyde_integration::session::{play, refused};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// A repository with two versions of the till: the second takes nothing off any more, but adds it.
struct Till {
    folder: Folder,
    sources: PathBuf,
}

fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(words)
        .output()
        .expect("git can be started");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).expect("text")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("is there") {
        let entry = entry.expect("an entry").path();
        let there = to.join(entry.file_name().expect("a name"));
        match entry.is_dir() {
            true => copy(&entry, &there),
            false => drop(fs::copy(&entry, &there).expect("can be copied")),
        }
    }
}

const WRONG: &str = "return cents + Money.percent(cents, percent);";
const RIGHT: &str = "return cents - Money.percent(cents, percent);";

impl Till {
    /// `more` is replaced besides, in the second version.
    fn new(jdk: &Jdk, more: &[(&str, &str, &str)]) -> Self {
        let folder = Folder::new();
        let sources = folder.data().with_file_name("sources");
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("java/evidence"),
            &sources,
        );
        let till = Self { folder, sources };
        till.replace("shop/Discount.java", WRONG, RIGHT);
        git(&till.sources, &["init", "--quiet"]);
        till.commit();
        till.replace("shop/Discount.java", RIGHT, WRONG);
        for (file, old, new) in more {
            till.replace(file, old, new);
        }
        till.commit();
        till.record(jdk, "till", "full");
        till
    }

    fn replace(&self, file: &str, old: &str, new: &str) {
        let file = self.sources.join(file);
        let text = fs::read_to_string(&file).expect("is there");
        assert!(text.contains(old), "{} has no {old}", file.display());
        fs::write(&file, text.replace(old, new)).expect("can be written");
    }

    fn commit(&self) {
        git(&self.sources, &["add", "-A"]);
        git(&self.sources, &["commit", "--quiet", "-m", "a version"]);
    }

    fn record(&self, jdk: &Jdk, name: &str, level: &str) {
        let classes = self.folder.data().with_file_name(format!("{name}-classes"));
        compile(jdk, &self.sources, &classes);
        let sources = self.sources.display().to_string();
        let options = ["--include", "shop", "--level", level, "--source", &sources];
        let words = [
            "-cp".into(),
            classes.display().to_string(),
            "shop.Main".into(),
        ];
        let run = self.folder.launch(jdk, name, &options, &words);
        assert!(run.status.success(), "{}", run.stderr);
    }

    fn ask(&self, words: &[&str]) -> Vec<String> {
        let sources = self.sources.display().to_string();
        let all = [&["till", "--source", &sources], words].concat();
        let session = play(&self.folder, &all, &[], judge);
        assert_eq!(session.last["call"]["method"], "off", "{:?}", session.last);
        assert_eq!(session.last["call"]["invocation"], 1);
        session.calls()
    }

    fn refuses(&self, words: &[&str], told: &str) {
        let sources = self.sources.display().to_string();
        let all = [&["debug", "till", "--source", &sources], words].concat();
        let (error, _) = refused(&self.folder, &all);
        assert!(error.contains(told), "{words:?}: {error}");
    }
}

fn judge(call: &Value) -> &'static str {
    let wrong = match call["method"].as_str() {
        Some("off" | "total") => call["invocation"] == 1,
        Some("main") => true,
        _ => false,
    };
    if wrong { "invalid" } else { "valid" }
}

#[test]
fn calls_that_ran_changed_lines_are_asked_first() {
    for jdk in jdks() {
        let till = Till::new(&jdk, &[]);
        let without = till.ask(&[]);
        let with = till.ask(&["--changed", "HEAD~1"]);
        // off #1 alone ran the changed line; what it called is asked, for it may be older.
        assert_eq!(with[0], "off#1", "JDK {}: {with:?}", jdk.major);
        assert!(with.len() <= without.len(), "{with:?} {without:?}");
        let only = till.ask(&["--changed", "HEAD~1", "--trust-unchanged"]);
        assert_eq!(only, ["off#1"], "JDK {}", jdk.major);
        // The same as a file, and with what git's settings make of diffs.
        let diff = till
            .folder
            .data()
            .with_file_name("a.diff")
            .display()
            .to_string();
        fs::write(&diff, git(&till.sources, &["diff", "HEAD~1"])).expect("can be written");
        assert_eq!(till.ask(&["--changed", &diff]), with);
        git(&till.sources, &["config", "diff.noprefix", "true"]);
        git(&till.sources, &["config", "color.ui", "always"]);
        assert_eq!(till.ask(&["--changed", "HEAD~1..HEAD"]), with);
        // It is kept with the session, and taken back.
        let kept = till.folder.json(&["sessions", "till"]);
        assert_eq!(kept[1]["changed"], json!({"from": "HEAD~1", "only": false}));
        let words = ["till", "--changed", &diff];
        let back = play(&till.folder, &words, &[json!({"changed": null})], judge);
        assert_eq!(back.calls(), without);
        // With it another class can be trusted: the diff is not asked for again.
        let words = ["till", "--changed", &diff];
        let more = play(
            &till.folder,
            &words,
            &[json!({"trust": "shop.util"})],
            judge,
        );
        assert_eq!(more.calls()[0], "off#1");
    }
}

#[test]
fn a_diff_without_the_defect_hides_nothing_and_what_it_does_not_change_is_trusted_on_demand_only() {
    let jdk = &jdks()[0];
    let till = Till::new(jdk, &[]);
    till.replace("shop/util/Money.java", "cents * many", "many * cents");
    let diff = till
        .folder
        .data()
        .with_file_name("b.diff")
        .display()
        .to_string();
    let text = git(&till.sources, &["diff", "--relative"]);
    till.record(jdk, "other", "full");
    fs::write(&diff, text).expect("can be written");
    let sources = till.sources.display().to_string();
    let words = ["other", "--source", &sources, "--changed", &diff];
    let session = play(&till.folder, &words, &[], judge);
    assert_eq!(
        session.last["call"]["method"],
        "off",
        "{:?}",
        session.calls()
    );
}

#[test]
fn ranges_and_diffs_that_do_not_fit_say_so() {
    let jdk = &jdks()[0];
    let till = Till::new(jdk, &[("shop/Discount.java", "ENOUGH = 5", "ENOUGH = 4")]);
    till.refuses(
        &["--changed", "no-such-range"],
        "neither a file with a diff nor a range",
    );
    till.refuses(&["--changed", "HEAD"], "nothing was changed");
    till.refuses(&["--trust-unchanged"], "--changed");
    // A constant stands in no method, and is copied into others.
    let constant = ["--changed", "HEAD~1", "--trust-unchanged"];
    till.refuses(
        &constant,
        "Discount.java:7 was changed, and is not the code of one method",
    );
    let file = |name: &str, text: &str| {
        let file = till.folder.data().with_file_name(name);
        fs::write(&file, text).expect("can be written");
        file.display().to_string()
    };
    let backwards = file(
        "back.diff",
        &git(&till.sources, &["diff", "HEAD", "HEAD~1"]),
    );
    till.refuses(
        &["--changed", &backwards],
        "it does not fit the source of the recording: line",
    );
    let none = file("none.diff", "hello\n");
    till.refuses(&["--changed", &none], "it has no hunk");
    let elsewhere = file(
        "else.diff",
        "--- a/x/Other.java\n+++ b/x/Other.java\n@@ -1 +1 @@\n-a\n+b\n",
    );
    till.refuses(
        &["--changed", &elsewhere],
        "none of its files is the source of a recorded class",
    );
    let broken = file("broken.diff", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n");
    till.refuses(&["--changed", &broken], "the hunk ends too early");
    assert_eq!(till.folder.json(&["sessions", "till"]).len(), 0);
}
