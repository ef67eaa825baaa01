//! The debugging sessions in `docs/` are what `jhyde debug` prints today, in a terminal of 80 columns. Numbers of objects,
//! calls and events may differ from JVM to JVM. `docs/transcripts.sh` writes them anew.

mod judges;

use std::fs;
use std::path::PathBuf;

use jhyde_integration::{Folder, Jdk, jdks};
use judges::{BOOK, Case, EXPENSES, EXPENSES_POINTED, TEMPLATES};

fn path(case: &Case) -> PathBuf {
    let name = match case.name {
        "book" => "order-book",
        name => name,
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    PathBuf::from(root).join(format!("debugging-{name}.md"))
}

/// What a program is about, and what of its output is wrong.
fn about(case: &Case) -> (&'static str, &'static str) {
    match case.name {
        "book" => (
            "Debugging an order book",
            "An exchange matches orders and settles what was traded; its report says that 25 OAK came from nowhere \
             (`totals {ELM=0, OAK=25}`, where all should be 0).",
        ),
        "templates" => (
            "Debugging a template engine",
            "A bookshop writes letters with templates of its own; where they should list the books that were ordered, \
             they list the customer (`- <ada>`).",
        ),
        _ => (
            "Debugging beside a library",
            "Expenses are read with commons-csv and added up; the report says that travel cost 368.02, and by the file it is 368.47. \
             The library is recorded with the program, for nobody knows yet where the mistake is, and trusted in the search: \
             that nothing of it is asked about can be taken back (`distrust`).",
        ),
    }
}

/// A session from its beginning to the buggy call, as the terminal shows it.
fn conversation(case: &Case, folder: &Folder) -> String {
    let session = case.debug(folder);
    let end = format!("The buggy call: {}", case.buggy);
    assert!(session.screen.contains(&end), "{}", session.screen);
    let asked = session.questions.len();
    let how = match case.point {
        None => "judging calls alone",
        Some(_) => "pointing at what is wrong, by the number before it",
    };
    format!(
        "{asked} questions, {how}:\n\n```text\n$ {}\n{}\n```\n",
        command(case),
        session.screen.trim_end()
    )
}

fn command(case: &Case) -> String {
    let name = case.name;
    let trusted = case
        .library
        .map(|(library, _)| format!(" --trust '{library}.*'"));
    let trusted = trusted.unwrap_or_default();
    format!("jhyde debug {name} --strategy divide-and-query{trusted}")
}

fn document(cases: &[&Case], jdk: &Jdk) -> String {
    let case = cases[0];
    let (title, about) = about(case);
    let folder = case.record(jdk);
    let (name, main, level) = (case.name, case.main, case.level);
    let (mut scope, mut path) = (String::new(), "classes".to_owned());
    if let Some((library, jar)) = case.library {
        scope = format!(" --include {name} --include {library}");
        path.push_str(&format!(":{jar}"));
    }
    let sessions: Vec<_> = cases
        .iter()
        .map(|case| conversation(case, &folder))
        .collect();
    format!(
        "# {title}\n\n\
         {about}\n\
         The program is in `integration/java/{name}`. Recorded and asked like this, in a terminal of 80 columns:\n\n    \
         jhyded launch --name {name} --level {level}{scope} --source integration/java -- java -cp {path} {main}\n    \
         {}\n\n\
         What follows is what the terminal shows, with the answers of somebody who knows what the \
         program should do, and reads nothing but the screen (`integration/tests/judges`). It is written by \
         `docs/transcripts.sh`, and a test compares it with what jhyde prints.\n\n{}",
        command(case),
        sessions.join("\n")
    )
}

/// A line in which no number of an object, call, event or session is left, nor the room that numbers take.
fn steady(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        // A session's number is of hexadecimal digits.
        let session = word.split_once('-').is_some_and(|(time, count)| {
            time.len() >= 8
                && time.chars().all(|c| c.is_ascii_hexdigit())
                && count.chars().all(|c| c.is_ascii_digit())
        });
        if session {
            "SESSION".to_owned()
        } else {
            without_numbers(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn without_numbers(word: &str) -> String {
    let mut steady = String::new();
    let mut digits = false;
    for c in word.chars() {
        let digit = c.is_ascii_digit();
        if digit && !digits {
            steady.push('N');
        } else if !digit {
            steady.push(c);
        }
        digits = digit;
    }
    steady
}

/// Do two lines say the same? Where one is cut, what is behind the cut depends on how long numbers are.
fn say_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (steady(one), steady(other));
    if one == other {
        return true;
    }
    let cut = |line: &str| line.split_once('…').map(|(before, _)| before.to_owned());
    let (Some(one), Some(other)) = (cut(&one), cut(&other)) else {
        return false;
    };
    /// Digits that a number may have more.
    const DIGITS: usize = 4;
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    common.count() + DIGITS >= one.chars().count().min(other.chars().count())
}

fn is_alike(one: &str, other: &str) -> bool {
    one.lines().count() == other.lines().count()
        && one
            .lines()
            .zip(other.lines())
            .all(|(one, other)| say_the_same(one, other))
}

fn is_true(cases: &[&Case]) {
    let jdks = jdks();
    let document = document(cases, &jdks[0]);
    let path = path(cases[0]);
    if std::env::var_os("JHYDE_WRITE_DOCS").is_some() {
        fs::write(&path, &document).expect("docs/ can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        is_alike(&written, &document),
        "{} is not what jhyde prints: run docs/transcripts.sh, and look at the difference\n{document}",
        path.display()
    );
}

#[test]
fn the_order_book() {
    is_true(&[&BOOK]);
}

#[test]
fn the_templates() {
    is_true(&[&TEMPLATES]);
}

#[test]
fn the_expenses() {
    is_true(&[&EXPENSES, &EXPENSES_POINTED]);
}
