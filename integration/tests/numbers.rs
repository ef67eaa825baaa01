//! Values that stand with a question have numbers, and an answer in the terminal points at them by these.

use jhyde_integration::person::{Line, Question, inside};
use jhyde_integration::terminal::converse;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::json;

fn record(jdk: &Jdk, level: &str) -> Folder {
    let folder = Folder::new();
    let classes = jdk.classes("slices").display().to_string();
    let java = ["-cp".to_owned(), classes, "Pointed".to_owned()];
    let options = ["--level", level, "--include", "Pointed*"];
    let run = folder.launch(jdk, "run", &options, &java);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// The line of a field or element below another one.
fn below<'a>(lines: &'a [Line], way: &[&str]) -> &'a Line {
    let (name, rest) = way.split_first().expect("a name");
    let at = lines.iter().position(|line| line.name == *name);
    let at = at.unwrap_or_else(|| panic!("no {name} in {lines:?}"));
    match rest {
        [] => &lines[at],
        rest => below(inside(lines, at), rest),
    }
}

#[test]
fn a_number_points_at_what_it_stands_before() {
    let folder = record(&jdks()[0], "full");
    let words = [
        "debug",
        "run",
        "--strategy",
        "top-down",
        "--restrict",
        "run#0",
    ];
    let mut command = folder.jhyde(&words);
    let mut turn = 0;
    let screen = converse(&mut command, 120, |shown| {
        let question = Question::read(shown);
        turn += 1;
        match turn {
            1 => {
                assert!(question.head.starts_with("Pointed.run #0"), "{shown}");
                "i 99".to_owned()
            }
            2 => {
                assert!(
                    shown.contains("with the number 99: they go from 1 to"),
                    "{shown}"
                );
                assert!(
                    question.head.starts_with("Pointed.run #0"),
                    "asked again: {shown}"
                );
                "i 0 1".to_owned()
            }
            // What the call left as it was can be what is wrong, too.
            3 => {
                assert!(shown.contains("with the number 0"), "{shown}");
                let moves = below(&question.given, &["all", "[1]", "moves"]);
                let changed = question
                    .changed
                    .iter()
                    .find(|line| line.name == "all[1].balance");
                let changed = changed.unwrap_or_else(|| panic!("{shown}"));
                assert_ne!(changed.number, None, "{shown}");
                assert_ne!(changed.number, moves.number);
                let balance = below(&question.given, &["all", "[1]", "balance"]);
                assert_eq!(balance.number, None, "what it is now stands further down");
                format!(
                    "i {}",
                    moves.number.unwrap_or_else(|| panic!("no number: {shown}"))
                )
            }
            _ => "quit".to_owned(),
        }
    });
    let sessions = folder.json(&["sessions", "run"]);
    let given = &sessions[0]["answers"][0];
    let wrong = given["wrong"]
        .as_array()
        .unwrap_or_else(|| panic!("{screen}"));
    let moves = wrong[0].as_str().unwrap_or_default();
    assert!(wrong.len() == 1 && moves.ends_with(".moves"), "{given}");
    assert!(given["cut"].as_u64().is_some_and(|cut| cut >= 3), "{given}");
}

#[test]
fn where_nothing_can_be_pointed_at_there_are_no_numbers() {
    for (level, more) in [("state", &[][..]), ("full", &["--no-pointing"])] {
        let folder = record(&jdks()[0], level);
        let words = [&["debug", "run", "--strategy", "top-down"], more].concat();
        let mut turn = 0;
        let screen = converse(&mut folder.jhyde(&words), 120, |shown| {
            let question = Question::read(shown);
            let all = [&question.given, &question.yielded, &question.changed];
            let mut lines = all.into_iter().flatten();
            assert!(lines.all(|line| line.number.is_none()), "{shown}");
            turn += 1;
            ["i 1", "at run#0", "quit"]
                .get(turn - 1)
                .unwrap_or(&"quit")
                .to_string()
        });
        assert!(screen.contains("none is numbered here"), "{screen}");
        let said = screen.matches("takes a recording at level full").count();
        assert_eq!(said, usize::from(level == "state"), "said once: {screen}");
        assert_eq!(folder.json(&["sessions", "run"])[0]["answers"], json!([]));
    }
}
