//! Recordings of which a part is at a lower level: what neither side recorded is not called equal, what both did is compared.

use jhyde_integration::Folder;
use jhyde_integration::jdks;

use crate::{Compared, line_of, record, replaced, source};

/// Of 12,000 rounds of `Steps` the level is lowered by the middle at the latest.
const LOWERS: [&str; 4] = ["--max-bytes", "300KB", "--at-limit", "lower"];

#[test]
fn a_level_that_was_lowered_makes_calls_unknown() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 12000");
    record(&folder, &jdk, ("right", "Steps"), &text, &[]);
    record(&folder, &jdk, ("lowered", "Steps"), &text, &LOWERS);
    let shown = folder.json(&["show", "lowered"])[0].to_string();
    assert!(shown.contains("lower"), "{shown}");
    let compared = Compared::new(&folder, &["right", "lowered", "--all"]);
    // The same program: what one of them does not have was not recorded, and no difference.
    assert_eq!(compared.number("differences"), 0, "{}", compared.footer());
    assert!(compared.number("unknown") > 0, "{}", compared.footer());
    assert!(
        compared.number("unknown_calls") > 0,
        "{}",
        compared.footer()
    );
    assert!(
        compared.notes().contains("lowered: "),
        "{}",
        compared.notes()
    );
}

#[test]
fn calls_of_which_neither_side_recorded_the_inside_are_not_called_equal() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 12000");
    // Which way a condition went late is recorded by neither.
    let branch = |from: u32| {
        let new = format!(
            "if (value >= {from} && value < 11990) {{ return value * 2; }} return value * 2;"
        );
        replaced(&text, "return value * 2;", &new)
    };
    record(&folder, &jdk, ("one", "Steps"), &branch(11000), &LOWERS);
    record(&folder, &jdk, ("two", "Steps"), &branch(11500), &LOWERS);
    let compared = Compared::new(&folder, &["one", "two", "--all"]);
    let footer = compared.footer();
    for name in ["one: recorded at", "two: recorded at"] {
        assert!(compared.notes().contains(name), "{footer}");
    }
    assert_eq!(compared.number("differences"), 0, "{:?}", compared.parts);
    // 500 calls of `twice` went another way, and 1,000 of `step` and `add` beside them may have.
    assert!(compared.number("unknown_calls") > 1000, "{footer}");
    assert!(compared.number("equal_calls") > 100, "{footer}");
}

#[test]
fn a_difference_is_told_whatever_its_call_did_not_record_later() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 12000");
    let changed = replaced(&text, "int done = 0;", "int done = 1;");
    let line = line_of(&changed, "int done = 1;");
    record(&folder, &jdk, ("right", "Steps"), &text, &[]);
    record(&folder, &jdk, ("wrong", "Steps"), &changed, &LOWERS);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    assert!(
        compared.notes().contains("wrong: recorded at"),
        "{}",
        compared.footer()
    );
    let first = compared.of("divergence");
    assert_eq!(first[0]["aspect"], "value", "{}", compared.footer());
    assert_eq!(crate::line(first[0], "right"), Some(line));
    // Of what one side alone did nothing is said behind that.
    assert!(compared.alone("left").is_empty(), "{:?}", compared.parts);
}
