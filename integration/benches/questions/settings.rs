//! What pointing and value questions save: `adaptive` in every setting.

use std::collections::HashMap;

use jhyde_debugging::{Sessions, Strategy};

use crate::corpus::Case;
use crate::play::{Played, Setting, play};
use crate::table::{LARGER, half_width, mean};

/// Plays all cases in all settings, and prints the table; each case as soon as it was played, on standard error.
///
/// # Panics
/// When a search ended with a call that is not the buggy one.
pub(crate) fn compare(cases: &[Case]) {
    let mut rows: Vec<(&Case, Vec<Played>)> = Vec::new();
    for case in cases {
        let sessions = Sessions::default();
        let mut values = HashMap::new();
        let all = Setting::ALL.into_iter();
        let played: Vec<Played> = all
            .map(|setting| play(&sessions, case, Strategy::Adaptive, setting, &mut values))
            .collect();
        let shown = played.iter().zip(Setting::ALL).map(|(played, setting)| {
            format!(
                "{}: {} questions ({} about values), {} values{}",
                setting.name(),
                played.questions,
                played.about_values,
                played.values,
                if played.right { "" } else { ", NOT RIGHT" }
            )
        });
        eprintln!("{}: {}", case.name, shown.collect::<Vec<_>>().join("; "));
        rows.push((case, played));
    }
    println!(
        "\n| half | programs | setting | questions (95 %) | about values | values looked at (95 %) | right |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (half, tuning) in [("tuning", true), ("held out", false)] {
        for (size, larger) in [("small", false), ("larger", true)] {
            let is_of =
                |case: &Case| case.is_tuning() == tuning && (case.calls() >= LARGER) == larger;
            let of: Vec<_> = rows.iter().filter(|(case, _)| is_of(case)).collect();
            for (at, setting) in Setting::ALL.into_iter().enumerate() {
                let numbers = |number: fn(&Played) -> usize| -> Vec<f64> {
                    of.iter().map(|(_, p)| number(&p[at]) as f64).collect()
                };
                let questions = numbers(|played| played.questions);
                let values = numbers(|played| played.values);
                println!(
                    "| {half} | {size} | {} | {:.1} ± {:.1} | {:.1} | {:.0} ± {:.0} | {} of {} |",
                    setting.name(),
                    mean(&questions),
                    half_width(&questions),
                    mean(&numbers(|played| played.about_values)),
                    mean(&values),
                    half_width(&values),
                    of.iter().filter(|(_, played)| played[at].right).count(),
                    of.len()
                );
            }
        }
    }
    let all_right = rows
        .iter()
        .all(|(_, played)| played.iter().all(|p| p.right));
    assert!(
        all_right,
        "a search ended with a call that is not the buggy one"
    );
}
