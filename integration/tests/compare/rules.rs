//! Differences that do not count: by the rules that hold, by given ones, and by those that are learnt.

use jhyde_integration::session::refused;
use jhyde_integration::{Folder, jdks};

use crate::{Compared, record, source};

#[test]
fn rules_take_away_what_differs_in_every_run() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = source("compare", "Varying");
    for name in ["one", "two", "three"] {
        record(&folder, &jdk, (name, "Varying"), &text, &[]);
    }
    // Clocks and identity hashes are ignored, each where the JDK gives it; what the program makes of it is not. Chance is told.
    let compared = Compared::new(&folder, &["one", "two", "--all"]);
    let ignored = |compared: &Compared, rule: &str| -> u64 {
        let rules = compared.footer()["rules"].as_array().expect("rules");
        let of = rules.iter().find(|of| of["rule"] == rule);
        of.expect("it is listed")["ignored"]
            .as_u64()
            .expect("a number")
    };
    assert_eq!(ignored(&compared, "result@java.lang.System.nanoTime"), 1);
    // A JVM that runs alike gives the same ones.
    assert!(ignored(&compared, "result@java.lang.System.identityHashCode") <= 1);
    let results: Vec<&str> = compared
        .differences("result")
        .iter()
        .filter_map(|of| of["left"]["event"]["method"].as_str())
        .collect();
    assert!(!results.contains(&"nanoTime"), "{results:?}");
    // The order of a set that the hashes of identities decide is no difference; that of a list by chance is.
    let contents = compared.of("difference").into_iter();
    let contents: Vec<_> = contents.filter(|of| of["what"] == "content").collect();
    assert!(!contents.is_empty(), "{:?}", compared.parts);
    // What was ignored is not called equal.
    assert!(compared.number("unknown_calls") > 0);

    let rules = [
        "--ignore",
        "result@Varying.clock",
        "--ignore",
        "result@Varying.hash",
        "--ignore",
        "write@Varying.*",
        "--ignore",
        "write@java.util.Collections.shuffle",
    ];
    let given = Compared::new(&folder, &[&["one", "two", "--all"], &rules[..]].concat());
    assert_eq!(given.number("differences"), 0, "{:?}", given.parts);
    assert!(ignored(&given, "result@Varying.clock") == 1);

    // The same is learnt from two runs that passed.
    let learnt = Compared::new(&folder, &["one", "two", "--learn", "three", "--all"]);
    assert_eq!(learnt.number("differences"), 0, "{:?}", learnt.parts);
    let rules = learnt.footer()["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|rule| rule["origin"] == "learnt"));

    // And without any rule all of it is told.
    let none = Compared::new(&folder, &["one", "two", "--no-default-ignores", "--all"]);
    assert!(none.number("differences") > compared.number("differences"));
    assert_eq!(none.footer()["rules"], serde_json::json!([]));
}

#[test]
fn a_rule_takes_nothing_else_away() {
    let change = ("return value * 2;", "return value * 2 + value;");
    let (folder, text) = crate::both("Steps", change, &[]);
    let all = Compared::new(&folder, &["right", "wrong", "--all"]);
    let write = all.differences("write")[0].clone();
    let line = crate::line(&write, "right").expect("a line");
    let ignored = |line: u64| {
        let rule = format!("write@Steps.*:{line}");
        let other = Compared::new(&folder, &["right", "wrong", "--all", "--ignore", &rule]);
        all.number("differences") - other.number("differences")
    };
    assert!(ignored(line) > 0 && ignored(line) <= all.number("differences"));
    let none = text.lines().count() as u64 + 1;
    assert_eq!(ignored(none), 0);
    let results = Compared::new(
        &folder,
        &["right", "wrong", "--all", "--ignore", "result@Steps.twice"],
    );
    // What was computed from the results differs still.
    let gone = all.number("differences") - results.number("differences");
    assert_eq!(gone, 7, "{}", results.footer());
    assert!(!results.differences("write").is_empty());
}

#[test]
fn rules_are_listed() {
    let folder = Folder::new();
    let defaults = folder.json(&["compare", "--rules"]);
    let rules = defaults[0].as_array().expect("a list");
    assert!(rules.iter().all(|rule| rule["origin"] == "default"));
    let of: Vec<&str> = rules
        .iter()
        .filter_map(|rule| rule["rule"].as_str())
        .collect();
    assert!(of.contains(&"result@java.lang.System.nanoTime"), "{of:?}");
    let jdk = jdks().swap_remove(0);
    for name in ["one", "two"] {
        record(
            &folder,
            &jdk,
            (name, "Steps"),
            &source("compare", "Steps"),
            &[],
        );
    }
    for wrong in [
        "result@nanoTime",
        "colour@a.b",
        "write@a.b:x",
        "write@a..b.c",
        "result@a.b:3",
    ] {
        let (told, code) = refused(&folder, &["compare", "one", "two", "--ignore", wrong]);
        assert_ne!(code, Some(0));
        assert!(
            told.contains(wrong) && told.contains("is not a rule"),
            "{told}"
        );
    }
}
