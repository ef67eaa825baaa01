//! The tables, in Markdown.

use std::collections::BTreeMap;

use jhyde_debugging::Strategy;

use crate::corpus::Case;
use crate::play::Played;

/// From so many calls on a program is one of the larger ones.
pub(crate) const LARGER: usize = 5_000;

/// A case with how each strategy did, in the order of [`Strategy::ALL`].
pub(crate) type Row<'a> = (&'a Case, Vec<Played>);

pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// Half the width of the interval that holds the mean with 95 %.
pub(crate) fn half_width(numbers: &[f64]) -> f64 {
    let mean = mean(numbers);
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let n = numbers.len() as f64;
    1.96 * (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt()
}

fn questions(rows: &[&Row<'_>], strategy: usize) -> Vec<f64> {
    rows.iter()
        .map(|(_, played)| played[strategy].questions as f64)
        .collect()
}

/// Questions by program.
pub(crate) fn by_program(rows: &[Row<'_>]) {
    let mut programs: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        programs.entry(&row.0.program).or_default().push(row);
    }
    print!("\n| program | cases | calls | at least |");
    Strategy::ALL
        .iter()
        .for_each(|strategy| print!(" {strategy} |"));
    println!(
        "\n| --- | --- | --- | --- |{}",
        " --- |".repeat(Strategy::ALL.len())
    );
    for (program, rows) in programs {
        let of = |number: fn(&Case) -> usize| {
            mean(
                &rows
                    .iter()
                    .map(|(case, _)| number(case) as f64)
                    .collect::<Vec<_>>(),
            )
        };
        print!(
            "| {program} | {} | {:.0} | {:.1} |",
            rows.len(),
            of(Case::calls),
            of(Case::floor)
        );
        for at in 0..Strategy::ALL.len() {
            print!(" {:.1} |", mean(&questions(&rows, at)));
        }
        println!();
    }
}

/// Averages by half and size.
pub(crate) fn averages(rows: &[Row<'_>]) {
    println!(
        "\n| half | programs | strategy | questions (95 %) | against top-down | of the suspicious calls | values looked at | right |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let top_down = place(Strategy::TopDown);
    for (half, tuning) in [("tuning", true), ("held out", false)] {
        for (size, larger) in [("small", false), ("larger", true)] {
            let rows: Vec<_> = rows
                .iter()
                .filter(|(case, _)| {
                    case.is_tuning() == tuning && (case.calls() >= LARGER) == larger
                })
                .collect();
            let base = mean(&questions(&rows, top_down));
            for (at, strategy) in Strategy::ALL.iter().enumerate() {
                let asked = questions(&rows, at);
                let values: Vec<_> = rows.iter().map(|(_, p)| p[at].values as f64).collect();
                let right = rows.iter().filter(|(_, played)| played[at].right).count();
                let shares: Vec<_> = rows
                    .iter()
                    .map(|(case, p)| p[at].questions as f64 / case.calls().max(1) as f64 * 100.0)
                    .collect();
                println!(
                    "| {half} | {size} | {strategy} | {:.1} ± {:.1} | {:+.0} % | {:.2} % | {:.0} | {right} of {} |",
                    mean(&asked),
                    half_width(&asked),
                    (mean(&asked) / base - 1.0) * 100.0,
                    mean(&shares),
                    mean(&values),
                    rows.len()
                );
            }
        }
    }
}

fn place(strategy: Strategy) -> usize {
    let found = Strategy::ALL.iter().position(|known| *known == strategy);
    found.expect("every strategy is in the list")
}

/// The cases in which another strategy asks at least three questions fewer than `adaptive`.
pub(crate) fn worse(rows: &[Row<'_>]) {
    let adaptive = place(Strategy::Adaptive);
    println!(
        "\n| case | half | at least | adaptive | best other |\n| --- | --- | --- | --- | --- |"
    );
    let mut counts = (0, 0);
    for (case, played) in rows {
        let others = played.iter().enumerate().filter(|(at, _)| *at != adaptive);
        let (at, best) = others
            .min_by_key(|(_, played)| played.questions)
            .expect("others");
        let own = played[adaptive].questions;
        counts.0 += usize::from(own < best.questions);
        if own > best.questions + 2 {
            counts.1 += 1;
            let half = if case.is_tuning() {
                "tuning"
            } else {
                "held out"
            };
            let strategy = Strategy::ALL[at];
            println!(
                "| {} | {half} | {} | {own} | {} ({strategy}) |",
                case.name,
                case.floor(),
                best.questions
            );
        }
    }
    println!(
        "\nadaptive asks fewer questions than every other in {} of {} cases, and over two more than the best other in {}.",
        counts.0,
        rows.len(),
        counts.1
    );
}

/// Questions expected against those that came, on the held-out half.
pub(crate) fn calibration(rows: &[Row<'_>]) {
    let adaptive = place(Strategy::Adaptive);
    let held_out = rows.iter().filter(|(case, _)| !case.is_tuning());
    let told: Vec<_> = held_out
        .flat_map(|(_, played)| &played[adaptive].expected)
        .collect();
    println!(
        "\n| expected | questions asked | expected, mean | came, mean |\n| --- | --- | --- | --- |"
    );
    let bounds = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 100.0];
    let row = |name: String, of: &[&(f64, usize)]| {
        let expected: Vec<_> = of.iter().map(|(expected, _)| *expected).collect();
        let came: Vec<_> = of.iter().map(|(_, came)| *came as f64).collect();
        println!(
            "| {name} | {} | {:.1} | {:.1} |",
            of.len(),
            mean(&expected),
            mean(&came)
        );
    };
    for pair in bounds.windows(2) {
        let inside = |told: &&&(f64, usize)| (pair[0]..pair[1]).contains(&told.0);
        let of: Vec<_> = told.iter().filter(inside).copied().collect();
        if !of.is_empty() {
            row(format!("{} to {}", pair[0], pair[1]), &of);
        }
    }
    row("all".to_owned(), &told);
}
