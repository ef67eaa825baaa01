//! The debugging sessions in `docs/` are what `jhyde debug` prints today, in a terminal of 80 columns. Numbers of objects,
//! calls and events may differ from JVM to JVM. `docs/transcripts.sh` writes them anew.

mod judges;

use std::fs;
use std::path::PathBuf;

use jhyde_integration::{Jdk, jdks};
use judges::{BOOK, Case, TEMPLATES};

fn path(case: &Case) -> PathBuf {
    let name = match case.name {
        "book" => "order-book",
        name => name,
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    PathBuf::from(root).join(format!("debugging-{name}.md"))
}

fn document(case: &Case, jdk: &Jdk) -> String {
    let (title, about) = match case.name {
        "book" => (
            "Debugging an order book",
            "An exchange matches orders and settles what was traded; its report says that 25 OAK came from nowhere \
             (`totals {ELM=0, OAK=25}`, where all should be 0).",
        ),
        _ => (
            "Debugging a template engine",
            "A bookshop writes letters with templates of its own; where they should list the books that were ordered, \
             they list the customer (`- <ada>`).",
        ),
    };
    let folder = case.record(jdk);
    let (name, main) = (case.name, case.main);
    let session = case.debug(&folder);
    let end = format!("The buggy call: {}", case.buggy);
    assert!(session.screen.contains(&end), "{}", session.screen);
    let asked = session.questions.len();
    format!(
        "# {title}\n\n\
         {about}\n\
         The program is in `integration/java/{name}`. Recorded and asked like this, in a terminal of 80 columns:\n\n    \
         jhyded launch --name {name} --level state --source integration/java -- java -cp classes {main}\n    \
         jhyde debug {name} --strategy divide-and-query\n\n\
         What follows is what the terminal shows, {asked} questions with the answers of somebody who knows what the \
         program should do, and reads nothing but the screen (`integration/tests/judges`). It is written by \
         `docs/transcripts.sh`, and a test compares it with what jhyde prints.\n\n\
         ```text\n$ jhyde debug {name} --strategy divide-and-query\n{}\n```\n",
        session.screen.trim_end()
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

fn is_true(case: &Case) {
    let jdks = jdks();
    let document = document(case, &jdks[0]);
    let path = path(case);
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
    is_true(&BOOK);
}

#[test]
fn the_templates() {
    is_true(&TEMPLATES);
}
