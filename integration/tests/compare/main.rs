//! Two runs held against each other by `jhyde compare`: small programs (`java/compare`) of which a line is changed, the defects
//! that are planted into the programs of `java/questions` (`planted`), changed code (`changed`), what collections hold (`held`), what cannot be told (`unsure`, `lowered`), what is not read (`passages`),
//! and what is refused (`refused`).

mod changed;
mod held;
mod lowered;
mod passages;
mod planted;
mod refused;
mod rules;
mod sql;
mod unsure;

use std::fs;
use std::path::{Path, PathBuf};

use jhyde_integration::compiled::compile;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value as Json;

/// The source of a program of `java/PART`.
pub(crate) fn source(part: &str, class: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("java/{part}/{class}.java"));
    fs::read_to_string(file).expect("the source is there")
}

/// A text with one place of it replaced.
pub(crate) fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replace(old, new)
}

/// The line that a text stands on.
pub(crate) fn line_of(text: &str, part: &str) -> u64 {
    let at = text.find(part).expect("it is there");
    u64::try_from(text[..at].matches('\n').count() + 1).expect("a line")
}

/// Compiles a program of one file, and records it under a name.
pub(crate) fn record(
    folder: &Folder,
    jdk: &Jdk,
    (name, class): (&str, &str),
    text: &str,
    options: &[&str],
) {
    let classes = compiled(folder, jdk, (name, class), text);
    let java = ["-cp".to_owned(), classes, class.to_owned()];
    let run = folder.launch_whole(jdk, name, options, &java);
    assert!(run.stderr.contains("recorded"), "{}", run.stderr);
}

/// Where the classes of such a program are.
pub(crate) fn compiled(
    folder: &Folder,
    jdk: &Jdk,
    (name, class): (&str, &str),
    text: &str,
) -> String {
    let of = |what: &str| -> PathBuf { folder.data().with_file_name(what).join(name) };
    let (sources, classes) = (of("sources"), of("classes"));
    fs::create_dir_all(&sources).expect("a folder");
    fs::write(sources.join(format!("{class}.java")), text).expect("a source");
    compile(jdk, &sources, &classes);
    classes.display().to_string()
}

/// An answer of `jhyde compare`.
pub(crate) struct Compared {
    pub(crate) parts: Vec<Json>,
}

impl Compared {
    pub(crate) fn new(folder: &Folder, words: &[&str]) -> Self {
        let parts = folder.json(&[&["compare"], words].concat());
        assert_eq!(parts.first().expect("a header")["part"], "header");
        assert_eq!(parts.last().expect("a footer")["part"], "footer");
        Self { parts }
    }

    pub(crate) fn footer(&self) -> &Json {
        self.parts.last().expect("a footer")
    }

    pub(crate) fn number(&self, of: &str) -> u64 {
        self.footer()[of].as_u64().expect("a number")
    }

    pub(crate) fn notes(&self) -> String {
        self.footer()["notes"].to_string()
    }

    pub(crate) fn of(&self, part: &str) -> Vec<&Json> {
        let parts = self.parts.iter();
        parts.filter(|of| of["part"] == part).collect()
    }

    /// The differences of an effect.
    pub(crate) fn differences(&self, effect: &str) -> Vec<&Json> {
        let all = self.of("difference").into_iter();
        all.filter(|of| of["effect"] == effect).collect()
    }

    /// The methods of the calls that one side alone has.
    pub(crate) fn alone(&self, side: &str) -> Vec<&str> {
        let other = if side == "left" { "right" } else { "left" };
        let calls = self.of("call").into_iter();
        let alone = calls.filter(|call| call[other].is_null());
        alone
            .filter_map(|call| call[side]["method"].as_str())
            .collect()
    }

    /// Nothing differs, and all is known.
    pub(crate) fn assert_equal(&self) {
        self.assert_no_difference();
        let footer = self.footer();
        for of in ["unknown", "unknown_calls"] {
            assert_eq!(footer[of], 0, "{of}: {footer}");
        }
    }

    /// Nothing differs, whatever is not known.
    pub(crate) fn assert_no_difference(&self) {
        for part in ["divergence", "difference", "call", "equal", "more"] {
            assert!(self.of(part).is_empty(), "{:?}", self.parts);
        }
        let footer = self.footer();
        assert_eq!(footer["differences"], 0, "{footer}");
        assert!(self.number("equal_calls") > 0, "{footer}");
        assert_eq!(footer["left_events"], footer["right_events"], "{footer}");
        assert_eq!(footer["more"], false, "{footer}");
    }
}

/// The line of a difference on a side.
pub(crate) fn line(of: &Json, side: &str) -> Option<u64> {
    of[side]["place"]["line"].as_u64()
}

/// A program, and the same with one place changed, both recorded.
pub(crate) fn both(class: &str, (old, new): (&str, &str), options: &[&str]) -> (Folder, String) {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = source("compare", class);
    let changed = replaced(&text, old, new);
    record(&folder, &jdk, ("right", class), &text, options);
    record(&folder, &jdk, ("wrong", class), &changed, options);
    (folder, changed)
}

#[test]
fn equal_runs_show_nothing() {
    for jdk in jdks() {
        let folder = Folder::new();
        for class in ["Steps", "Workers"] {
            let text = source("compare", class);
            let engines = ["events", "auto"].map(|engine| (engine, format!("{class}-{engine}")));
            for (engine, name) in &engines {
                for again in ["-1", "-2"] {
                    let name = format!("{name}{again}");
                    record(&folder, &jdk, (&name, class), &text, &["--engine", engine]);
                }
                let names = ["-1", "-2"].map(|again| format!("{name}{again}"));
                let compared = Compared::new(&folder, &[&names[0], &names[1], "--all"]);
                match compared.number("unknown") {
                    0 => compared.assert_equal(),
                    // What a list holds that several threads use is not always told, and then that is said.
                    _ => {
                        assert_eq!(*class, *"Workers", "{}", compared.footer());
                        assert_eq!(compared.number("differences"), 0, "{:?}", compared.parts);
                        assert!(compared.notes().contains("another thread uses it"));
                    }
                }
            }
            // Whichever way it was recorded; but the engines tell contents in ways of their own, which are not held against each
            // other.
            let names = engines.map(|(_, name)| format!("{name}-1"));
            let compared = Compared::new(&folder, &[&names[0], &names[1], "--all"]);
            assert_eq!(compared.number("differences"), 0, "{:?}", compared.parts);
            let told = folder.ask(&["compare", &names[0], &names[1]]);
            assert!(told.contains("0 differences"), "{told}");
        }
    }
}

#[test]
fn lower_levels_are_compared_as_far_as_they_go() {
    let jdk = jdks().swap_remove(0);
    for level in ["calls", "state"] {
        let folder = Folder::new();
        let text = source("compare", "Steps");
        let changed = replaced(&text, "return value * 2;", "return value * 2 + value / 4;");
        for (name, text) in [("right", &text), ("again", &text), ("wrong", &changed)] {
            record(&folder, &jdk, (name, "Steps"), text, &["--level", level]);
        }
        let same = Compared::new(&folder, &["right", "again", "--all"]);
        assert_eq!(same.number("differences"), 0, "{:?}", same.parts);
        let other = Compared::new(&folder, &["right", "wrong", "--all"]);
        let first = &other.of("divergence")[0]["left"]["event"];
        assert_eq!(first["kind"], "exit", "{first}");
        let twice = other.differences("result");
        assert!(!twice.is_empty(), "{:?}", other.parts);
    }
}

#[test]
fn text_shows_both_sides_with_lines_state_and_chain() {
    let change = ("sum += round;", "sum += round / 3 * 4;");
    let (folder, text) = both("Steps", change, &[]);
    let told = folder.ask(&["compare", "right", "wrong", "--no-source"]);
    let line = line_of(&text, change.1);
    for part in [
        "first divergence in value: write",
        "left ",
        "right",
        "state: this = Steps",
        "chain: Steps.main #0 [1.",
        "equal call",
        &format!("Steps.java:{line}"),
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_limit_leaves_the_rest_out_and_says_so() {
    let (folder, _) = both("Steps", ("value * 2", "value * 3"), &[]);
    let all = Compared::new(&folder, &["right", "wrong", "--all"]);
    let none = Compared::new(&folder, &["right", "wrong", "--limit", "0"]);
    assert_eq!(all.footer()["more"], false);
    assert_eq!(none.footer()["more"], true);
    // Where they first differ is told in any case.
    assert_eq!(none.of("divergence"), all.of("divergence"));
    for part in ["call", "difference", "equal", "more"] {
        assert!(none.of(part).is_empty(), "{:?}", none.parts);
    }
    let three = Compared::new(&folder, &["right", "wrong", "--limit", "3"]);
    let rows = |compared: &Compared| -> Vec<Json> {
        let parts = compared.parts.iter();
        let rows = parts.filter(|of| {
            ["call", "difference", "equal", "more"].contains(&of["part"].as_str().unwrap_or(""))
        });
        rows.cloned().collect()
    };
    assert_eq!(rows(&three), rows(&all)[..3]);
    assert_eq!(three.footer()["more"], true);
    let told = folder.ask(&["compare", "right", "wrong", "--limit", "3"]);
    assert!(told.contains("there are more"), "{told}");
}
