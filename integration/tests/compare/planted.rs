//! Defects that are planted into programs (`java/questions`: a line `//@ NAME: …` stands below the one that it replaces): where the
//! runs first differ is where the defect is.

use jhyde_integration::{Folder, jdks};
use serde_json::Value as Json;

use crate::{Compared, line, record, source};

/// A program with a defect: its name, the text, and the line.
struct Planted {
    name: String,
    text: String,
    line: u64,
}

/// All defects of a program.
fn planted(text: &str) -> Vec<Planted> {
    let lines: Vec<&str> = text.lines().collect();
    let mark = |line: &str| line.trim_start().starts_with("//@ ");
    let mut all = Vec::new();
    for (at, &marked) in lines.iter().enumerate() {
        let Some(defect) = marked.trim_start().strip_prefix("//@ ") else {
            continue;
        };
        let (name, new) = defect.split_once(':').expect("a name");
        let place = (0..at).rev().find(|at| !mark(lines[*at])).expect("a line");
        let mut changed = lines.clone();
        changed[place] = new.trim_start();
        all.push(Planted {
            name: name.to_owned(),
            text: changed.join("\n"),
            line: u64::try_from(place + 1).expect("a line"),
        });
    }
    all
}

/// Divergences, the first first.
fn in_order(compared: &Compared) -> Vec<&Json> {
    let mut all = compared.of("divergence");
    let at = |of: &Json| {
        let sides = ["left", "right"].iter();
        let times = sides.filter_map(|side| of[*side]["event"]["timestamp"].as_u64());
        times.min()
    };
    all.sort_by_key(|of| at(of));
    all
}

/// Where a defect shows first, if that is not its own line: a `switch` that yields a value tells it where that is returned.
const ELSEWHERE: [(&str, &str); 1] = [("modulo-is-quotient", "return switch (operator) {")];

/// Plants every defect of these programs, records them, and sees that each is told. How many there are.
fn each(programs: &[&str], engine: &str) -> usize {
    let jdk = jdks().swap_remove(0);
    let mut count = 0;
    let mut untold = Vec::new();
    for class in programs {
        let folder = Folder::new();
        let text = source("questions", class);
        let options = ["--engine", engine];
        record(&folder, &jdk, ("right", class), &text, &options);
        for defect in planted(&text) {
            record(&folder, &jdk, (&defect.name, class), &defect.text, &options);
            let compared = Compared::new(&folder, &["right", &defect.name, "--limit", "0"]);
            let first = in_order(&compared).first().copied().cloned();
            let lines = first
                .as_ref()
                .map(|of| ["left", "right"].map(|side| line(of, side)));
            let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == defect.name);
            let of = elsewhere.map_or(defect.line, |(_, text)| crate::line_of(&defect.text, text));
            if !lines.is_some_and(|lines| lines.contains(&Some(of))) {
                untold.push(format!(
                    "{class} {} on line {}: {first:?}",
                    defect.name, defect.line
                ));
            }
            count += 1;
        }
    }
    assert!(untold.is_empty(), "{untold:#?}");
    count
}

#[test]
fn the_first_divergence_is_the_planted_defect() {
    let programs = ["Calculator", "Columns", "Ledger"];
    assert!(each(&programs, "auto") >= 20);
}

/// All programs.
const ALL: [&str; 15] = [
    "Calculator",
    "Columns",
    "Dictionary",
    "Digits",
    "HashTable",
    "Interpreter",
    "Ledger",
    "Matrices",
    "Routes",
    "Scheduler",
    "SearchTree",
    "Sorting",
    "Sudoku",
    "Waiting",
    "Warehouse",
];

#[test]
#[ignore = "takes some minutes: cargo nextest run --workspace -E 'binary(compare)' --run-ignored only"]
fn the_first_divergence_is_the_planted_defect_in_all_of_them() {
    assert_eq!(each(&ALL, "auto"), 133);
}

/// In these some contents of what the JDK has are not known to be equal: what a call does to a long one, which the probe does
/// not tell.
const UNTOLD: [&str; 2] = ["Routes", "Scheduler"];

#[test]
#[ignore = "takes some minutes: likewise"]
fn each_program_equals_itself() {
    let jdk = jdks().swap_remove(0);
    for class in ALL {
        eprintln!("{class}");
        let folder = Folder::new();
        let text = source("questions", class);
        for name in ["one", "two"] {
            record(&folder, &jdk, (name, class), &text, &["--engine", "auto"]);
        }
        let compared = Compared::new(&folder, &["one", "two", "--all"]);
        match UNTOLD.contains(&class) {
            false => compared.assert_equal(),
            true => {
                compared.assert_no_difference();
                let unknown = compared.number("unknown");
                assert!(unknown > 0, "all of {class} is told now: take it out");
            }
        }
    }
}
