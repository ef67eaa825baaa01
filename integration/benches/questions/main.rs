//! How many questions each strategy asks until the buggy call is found, over programs with one wrong line each
//! (`java/questions`), answered by an oracle that runs the right methods (`java/judge`).
//!
//! `cargo bench -p jhyde-integration --bench questions [-- [--keep FOLDER] [PROGRAM …]]` after
//! `cargo build --release --workspace --bins`. Prints tables in Markdown. With `--keep` what was judged and recorded stays
//! in the folder, and is taken from there the next time: delete it when a program, the judge or the engine has changed.
//! With `--settings` only `adaptive` is played, with an oracle that also points at what is wrong, and is asked about single values. With
//! `--known` only `adaptive`, too, with what may be known: a diff, passing runs, the right version's run, memory (through the two binaries). With
//! `--everything` all of these, one after the other. With `--speed` it measures how long the next question takes among 10^5 to 10^7 calls.
//! Judging needs a JDK from 24 on; recorded is on the first JDK.

mod corpus;
mod known;
mod oracle;
mod play;
mod settings;
mod speed;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;

use jhyde_debugging::{Sessions, Strategy};

use play::Setting;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let mut keep = None;
    let (mut strategies, mut settings, mut known) = (true, false, false);
    let mut programs = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--keep" => keep = words.next().map(PathBuf::from),
            "--settings" => (strategies, settings) = (false, true),
            "--known" => (strategies, known) = (false, true),
            "--speed" => {
                speed::measure(&[100_000, 1_000_000, 10_000_000]);
                return;
            }
            "--everything" => (strategies, settings, known) = (true, true, true),
            _ => programs.push(word),
        }
    }
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = keep.unwrap_or_else(|| temporary.path().to_owned());
    let names = corpus::make(&folder, &programs, known);
    if known {
        known::compare(&folder, &names);
    }
    if !strategies && !settings {
        return;
    }
    let cases = corpus::cases(&folder, names);
    if settings {
        settings::compare(&cases);
    }
    if strategies {
        play_strategies(&cases);
    }
}

fn play_strategies(cases: &[corpus::Case]) {
    let rows: Vec<table::Row<'_>> = cases
        .iter()
        .map(|case| {
            let sessions = Sessions::default();
            let mut values = HashMap::new();
            let all = Strategy::ALL.iter();
            let played = all.map(|strategy| {
                play::play(&sessions, case, *strategy, Setting::Calls, &mut values)
            });
            (case, played.collect())
        })
        .collect();
    table::by_program(&rows);
    table::averages(&rows);
    table::worse(&rows);
    table::calibration(&rows);
    assert!(
        rows.iter()
            .all(|(_, played)| played.iter().all(|played| played.right)),
        "a search ended with a call that is not the buggy one"
    );
}
