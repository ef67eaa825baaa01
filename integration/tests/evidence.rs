//! What is said of many calls at once: trust by class, properties, changed lines.

use std::path::Path;
use std::process::Command;

use jhyde_integration::compiled::compile;
use jhyde_integration::session::{play, refused};
use jhyde_integration::till::{judge, record, sources};
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

/// The till, recorded at a level: what it takes off is added.
fn till(folder: &Folder, jdk: &Jdk, name: &str, options: &[&str]) {
    record(folder, jdk, name, "shop.Main", options);
}

fn class_of(call: &Value) -> &str {
    call["class"].as_str().expect("a class")
}

#[test]
fn classes_that_are_trusted_are_not_asked_and_trust_is_taken_back() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    till(&folder, jdk, "till", &["--level", "full"]);
    let ask = |words: &[&str], beginning: &[Value]| {
        let words = [&["till", "--strategy", "top-down"], words].concat();
        play(&folder, &words, beginning, judge)
    };
    let of_util = |calls: &[Value]| {
        let classes = calls.iter().map(class_of);
        classes
            .filter(|class| class.starts_with("shop.util"))
            .count()
    };
    let without = ask(&[], &[]);
    assert_eq!(without.last["call"]["method"], "off");
    assert!(of_util(&without.asked) > 0, "{:?}", without.calls());
    for pattern in ["shop.util.*", "shop.util", "*Money", "shop.util.Money"] {
        let with = ask(&["--trust", pattern], &[]);
        assert_eq!(with.last["call"], without.last["call"]);
        assert_eq!(of_util(&with.asked), 0, "{pattern}: {:?}", with.calls());
        let told = with
            .notes
            .iter()
            .any(|note| note.starts_with("12 calls are not asked about") && note.contains(pattern));
        assert!(told, "{:?}", with.notes);
    }
    // What a trusted class calls stays suspicious: all of the till is below main.
    let main = ask(&["--trust", "shop.Main"], &[]);
    assert_eq!(main.last["call"]["method"], "off");
    assert!(!main.calls().contains(&"main#0".to_owned()));
    // In a session, and back.
    let trust = json!({"trust": "shop.util.*"});
    let distrust = json!({"distrust": "shop.util.*"});
    let with = ask(&[], std::slice::from_ref(&trust));
    assert_eq!(of_util(&with.asked), 0);
    let back = ask(&[], &[trust, distrust]);
    assert_eq!(back.calls(), without.calls());
    // It survives a restart, and is added to by the command line.
    let sessions = folder.json(&["sessions", "till"]);
    let id = sessions[1]["id"].as_str().expect("an id");
    let more = ask(&["--session", id, "--trust", "shop.Cart"], &[]);
    assert_eq!(more.last["call"]["method"], "off");
    let sessions = folder.json(&["sessions", "till"]);
    assert_eq!(sessions[1]["trusted"], json!(["shop.util.*", "shop.Cart"]));
}

#[test]
fn trust_that_means_no_class_is_refused() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    till(&folder, jdk, "till", &["--level", "full"]);
    for (pattern, told) in [
        (
            "shop.utility.*",
            "no recorded class is called 'shop.utility.*'",
        ),
        ("java.util.*", "no recorded class is called 'java.util.*'"),
        ("gson-2.10.jar", "gson-2.10.jar: No such file"),
        ("shop util", "is no class pattern"),
    ] {
        let (error, code) = refused(&folder, &["debug", "till", "--trust", pattern]);
        assert!(error.contains(told), "{pattern}: {error}");
        assert_ne!(code, Some(0));
    }
    assert_eq!(folder.json(&["sessions", "till"]).len(), 0);
}

#[test]
fn classes_of_a_jar_are_trusted_if_they_are_what_ran() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    till(&folder, jdk, "till", &["--level", "full"]);
    let near = |name: &str| folder.data().with_file_name(name);
    let jar = |name: &str, classes: &Path, part: &str| {
        let file = near(name);
        let status = Command::new(jdk.java().with_file_name("jar"))
            .args(["--create", "--file"])
            .arg(&file)
            .arg("-C")
            .args([classes.display().to_string().as_str(), part])
            .status();
        assert!(status.expect("jar can be started").success());
        file.display().to_string()
    };
    let ask = |words: &[&str]| {
        let words = [&["till", "--strategy", "top-down"], words].concat();
        play(&folder, &words, &[], judge)
    };
    let util = jar("util.jar", &near("till"), "shop/util");
    let with = ask(&["--trust", &util]);
    assert_eq!(with.last["call"]["method"], "off");
    let classes: Vec<&str> = with.asked.iter().map(class_of).collect();
    assert!(!classes.contains(&"shop.util.Money"), "{classes:?}");
    let told =
        |note: &String| note.starts_with("12 calls are not asked about") && note.contains(&util);
    assert!(with.notes.iter().any(told), "{:?}", with.notes);
    // What was read of it is kept: the jar may go.
    std::fs::remove_file(&util).expect("it is there");
    let sessions = folder.json(&["sessions", "till"]);
    assert_eq!(sessions[0]["trusted"], json!([util]));
    let id = sessions[0]["id"].as_str().expect("an id");
    let more = ask(&["--session", id, "--trust", "shop.Cart"]);
    assert_eq!(more.last["call"]["method"], "off");
    // Another version of the class did not run, and a jar of something else says nothing.
    let changed = near("changed");
    let source = sources().join("shop/util/Money.java");
    let text = std::fs::read_to_string(source).expect("the source is there");
    std::fs::create_dir_all(changed.join("shop")).expect("a folder");
    let text = text.replace("cents * many", "many * cents");
    std::fs::write(changed.join("shop/Money.java"), text).expect("can be written");
    let compiled = near("changed-classes");
    compile(jdk, &changed, &compiled);
    let other = jar("other.jar", &compiled, "shop");
    let sort = jar("sort.jar", &jdk.classes("mergesort"), "MergeSort.class");
    for (path, told) in [
        (&other, "Money.times ran with other code than"),
        (&sort, "no recorded class is in"),
        (&util, "No such file"),
    ] {
        let (error, _) = refused(&folder, &["debug", "till", "--trust", path]);
        assert!(error.contains(told), "{path}: {error}");
    }
}

/// What was known of a last line: calls with where that is from.
fn known_by_property(session: &jhyde_integration::session::Session) -> Vec<(String, String)> {
    let known = session.known().into_iter();
    let known = known.filter(|known| known["from"] == "property");
    let text = |value: &Value| value.as_str().expect("words").to_owned();
    known
        .map(|known| {
            assert_eq!(known["answer"], "invalid");
            (text(&known["call"]), text(&known["told"]))
        })
        .collect()
}

#[test]
fn a_call_without_a_property_is_invalid_without_being_asked() {
    for jdk in jdks() {
        let folder = Folder::new();
        till(&folder, &jdk, "till", &["--level", "full"]);
        let ask = |words: &[&str], beginning: &[Value]| {
            let words = [&["till", "--strategy", "top-down"], words].concat();
            play(&folder, &words, beginning, judge)
        };
        let property = "Discount.off: result <= cents";
        let without = ask(&[], &[]);
        let with = ask(&["--assert", property], &[]);
        assert_eq!(with.last["call"], without.last["call"]);
        let id = with.last["call"]["id"].as_str().expect("an id").to_owned();
        assert_eq!(known_by_property(&with), [(id.clone(), property.into())]);
        // Only what off called itself is left to ask.
        assert_eq!(with.calls(), ["rate#0", "percent#0"], "JDK {}", jdk.major);
        let told = format!("{property}: false for 1 of 3 calls");
        assert!(with.notes.contains(&told), "{:?}", with.notes);
        // Properties that hold change nothing, whatever they look at.
        for property in [
            "Cart.add: this.pieces == before.this.pieces + many && arg1 == cents",
            "Cart.add: this.amounts.len() == before.this.amounts.len() + 1",
            "Cart.add: this.amounts[this.amounts.len() - 1] == cents * many",
            "Cart.add: what.len() >= 3 && what != \"\" && this.amounts.all(|x| x > 0)",
            "Cart.total: result >= 0 && this.amounts.values().filter(|x| x == 900).len() <= 1",
            "Cart.label: if this.name == null { result == \"nobody\" } else { result == this.name }",
            "Cart.label: exception == null && class_of(this) == \"shop.Cart\"",
            "shop.Main.main: args.length == 0",
            "Money.percent(II)I: 100 * result == cents * percent",
        ] {
            let held = ask(&["--assert", property], &[]);
            assert_eq!(held.calls(), without.calls(), "{property}");
            assert_eq!(known_by_property(&held), [], "{property}");
            let is_told = |note: &String| note.starts_with(&format!("{property}: false for 0 of"));
            let note = held.notes.iter().find(|note| is_told(note));
            assert!(
                note.is_some_and(|note| !note.contains("undecided")),
                "{:?}",
                held.notes
            );
        }
        // Doubted, it is asked; retracted, it is forgotten; in a session it can be said, too.
        let doubted = ask(&["--assert", property], &[json!({"doubt": id})]);
        assert!(
            doubted.calls().contains(&"off#1".to_owned()),
            "{:?}",
            doubted.calls()
        );
        let retracted = ask(&["--assert", property], &[json!({"retract": property})]);
        assert_eq!(retracted.calls(), without.calls());
        let said = ask(&[], &[json!({"assert": property})]);
        assert_eq!(said.calls(), with.calls());
    }
}

#[test]
fn a_value_that_is_not_recorded_makes_a_property_undecided() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let calls = ["--level", "calls", "--snapshot-depth", "0"];
    till(&folder, jdk, "calls", &calls);
    let ask = |property: &str| {
        let words = ["calls", "--strategy", "top-down", "--assert", property];
        play(&folder, &words, &[], judge)
    };
    let of_fields = ask("Cart.add: this.pieces > 1000");
    assert_eq!(known_by_property(&of_fields), []);
    let told = "Cart.add: this.pieces > 1000: false for 0 of 5 calls, undecided for 5 (call ";
    let note = of_fields.notes.iter().find(|note| note.starts_with(told));
    assert!(note.is_some(), "{:?}", of_fields.notes);
    // What was given and returned is recorded all the same.
    let of_results = ask("Discount.off: result <= cents || this_is_not_read()");
    assert_eq!(known_by_property(&of_results), [], "a mistake is not false");
    let of_results = ask("Discount.off: result <= cents");
    assert_eq!(known_by_property(&of_results).len(), 1);
}

#[test]
fn expressions_that_make_no_sense_say_where_and_those_that_do_not_end_are_stopped() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    till(&folder, jdk, "till", &["--level", "full"]);
    for (property, column, told) in [
        (
            "Cart.total: result <= totl",
            23,
            "'totl' is not known; there are",
        ),
        ("Cart.total: result <=", 22, ""),
        ("Cart.total: (result > 0", 24, ""),
        (
            "Cart.total: result == \"5\"",
            0,
            "a whole number and a text cannot be compared",
        ),
        (
            "Cart.total: this.sum > 0",
            0,
            "shop.Cart has no field 'sum', but name, amounts, pieces",
        ),
        (
            "Cart.total: result + 1",
            13,
            "it gives a whole number, not true or false",
        ),
        ("Cart.add: result > 0", 11, "'result' is not known"),
        ("Money.times: this.x > 0", 14, "'this' is not known"),
        ("Cart.total: while true { }", 13, ""),
        ("Cart.total: let x = 1", 13, ""),
        ("Cart.total: this.pieces = 3", 0, ""),
        (
            "Cart.total: this.amounts.values() == 3",
            0,
            "an array and a whole number cannot",
        ),
        ("Cart.total: sleep(10)", 0, "sleep"),
        (
            "Cart.totl: result > 0",
            0,
            "no recorded method is called 'Cart.totl'",
        ),
        ("result > 0", 0, "is no property"),
        ("Cart.total:", 0, "is no property"),
    ] {
        let (error, code) = refused(&folder, &["debug", "till", "--assert", property]);
        assert_ne!(code, Some(0));
        assert!(error.contains(told), "{property}: {error}");
        if column > 0 {
            let caret = error.lines().find(|line| line.trim() == "^");
            let caret = caret.unwrap_or_else(|| panic!("{property}: {error}"));
            assert_eq!(caret.len() - 2, column, "{property}: {error}");
        }
    }
    assert_eq!(folder.json(&["sessions", "till"]).len(), 0);
    // Each of the five inner walks is 10 times as long as the one around it.
    let endless = "Main.main: \"0 1 2 3 4 5 6 7 8 9\".split().all(|a| \"0 1 2 3 4 5 6 7 8 9\".split().all(|b| \
                   \"0 1 2 3 4 5 6 7 8 9\".split().all(|c| \"0 1 2 3 4 5 6 7 8 9\".split().all(|d| \
                   \"0 1 2 3 4 5 6 7 8 9\".split().all(|e| \"0 1 2 3 4 5 6 7 8 9\".split().all(|f| true))))))";
    let words = ["till", "--strategy", "top-down", "--assert", endless];
    let session = play(&folder, &words, &[], judge);
    assert_eq!(session.last["call"]["method"], "off");
    let note = session
        .notes
        .iter()
        .find(|note| note.contains("undecided for 1"));
    assert!(
        note.is_some_and(|note| note.contains("it took")),
        "{:?}",
        session.notes
    );
}

#[test]
fn what_was_said_survives_a_restart_and_is_overruled_by_answers() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    till(&folder, jdk, "till", &["--level", "full"]);
    let diff = folder.data().with_file_name("a.diff");
    let text = "--- a/shop/Discount.java\n+++ b/shop/Discount.java\n@@ -16 +16 @@\n\
                -        return cents - Money.percent(cents, percent);\n\
                +        return cents + Money.percent(cents, percent);\n";
    std::fs::write(&diff, text).expect("can be written");
    let diff = diff.display().to_string();
    let property = "Discount.off: result <= cents";
    let words = [
        "till",
        "--strategy",
        "top-down",
        "--trust",
        "shop.util",
        "--assert",
        property,
        "--changed",
        &diff,
    ];
    play(&folder, &words, &[], |_| "unknown");
    let first = folder.json(&["sessions", "till"]).remove(0);
    let id = first["known"][0]["call"].as_str().expect("an id");
    let by = [json!({"answer": "valid", "by": "m", "call": id})];
    let overruled = play(&folder, &words, &by, judge);
    assert_eq!(
        overruled.calls()[0],
        "main#0",
        "what a program says stands above a property"
    );
    let kept = folder.json(&["sessions", "till"]);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0]["properties"], json!([property]));
    assert_eq!(kept[0]["trusted"], json!(["shop.util"]));
    assert_eq!(kept[0]["changed"]["from"], json!(diff));
    assert_eq!(kept[0]["known"][0]["from"], "property");
    assert_eq!(kept[1]["known"][0]["from"], "program");
    folder.end_daemon();
    assert_eq!(folder.json(&["sessions", "till"]), kept);
}
