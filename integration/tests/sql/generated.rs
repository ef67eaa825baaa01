//! Generated statements, compared with SQLite over a copy of the rows. The copy is made of the raw stream of events and of the program's
//! class files, and what table functions find is worked out of it here, so that both have nothing in common with what answers `jhyde sql` but SQLite.
//!
//! Each way in which the tables say that they find rows is asked for by statements of its own, and the plan must go it. Each kind of
//! statement has an answer with rows at least once.

mod around;
mod class_file;
mod classes;
mod copy;
mod dice;
mod fill;
mod joins;
mod kinds;
mod paths;
mod schema;
mod statements;
mod values;

use std::collections::BTreeSet;
use std::path::PathBuf;

use jhyde_integration::{Folder, jdks};
use serde_json::Value as Json;

use self::copy::Copied;
use self::dice::Dice;
use self::joins::SHAPES;
use self::kinds::{Kind, kinds};
use self::paths::Path;
use self::schema::{NOT_HERE, SCHEMAS};
use self::statements::Statement;
use crate::{ask, rows};

/// A program, and the tables that have something to tell of it.
#[derive(Debug)]
struct Program {
    part: &'static str,
    class: &'static str,
    include: Option<&'static str>,
    /// It is its own agent.
    is_agent: bool,
    exit: i32,
    tables: &'static [&'static str],
}

const PLAIN: Program = Program {
    part: "fixtures",
    class: "",
    include: Some("fx.*"),
    is_agent: false,
    exit: 0,
    tables: &[],
};

/// Arrays, conditions, loops.
const MERGE_SORT: Program = Program {
    part: "mergesort",
    class: "MergeSort",
    include: Some("MergeSort"),
    tables: &[
        "calls",
        "arguments",
        "writes",
        "reads",
        "edges",
        "objects",
        "methods",
        "lines",
        "ancestors",
        "children",
        "descendants",
        "history",
    ],
    ..PLAIN
};

/// Objects, fields, texts, exceptions, another thread.
const LEDGER: Program = Program {
    part: "queries",
    class: "Ledger",
    include: None,
    tables: &[
        "calls",
        "arguments",
        "events",
        "writes",
        "exceptions",
        "objects",
        "threads",
        "methods",
        "classes",
        "fields",
        "lines",
        "ancestors",
        "children",
        "descendants",
        "history",
    ],
    ..PLAIN
};

/// Nine threads, and a monitor that goes round.
const THREADS: Program = Program {
    class: "fx.Threads8",
    tables: &[
        "calls",
        "events",
        "writes",
        "monitors",
        "threads",
        "children",
        "ancestors",
    ],
    ..PLAIN
};

/// Exceptions that are caught, thrown again, and made by the JVM.
const EXCEPTIONS: Program = Program {
    class: "fx.Rethrow",
    tables: &["calls", "arguments", "events", "exceptions"],
    ..PLAIN
};

/// One that nobody catches.
const UNCAUGHT: Program = Program {
    part: "queries",
    class: "Delivery",
    include: None,
    exit: 1,
    tables: &["calls", "exceptions"],
    ..PLAIN
};

/// Values of all types.
const VALUES: Program = Program {
    class: "fx.Signatures",
    tables: &["calls", "arguments", "events", "writes", "monitors"],
    ..PLAIN
};

/// Code that is swapped, which is not recorded from then on.
const GAPS: Program = Program {
    part: "odd",
    class: "odd.Redefined",
    include: Some("odd"),
    is_agent: true,
    tables: &["calls", "events", "gaps"],
    ..PLAIN
};

const PROGRAMS: [&Program; 7] = [
    &MERGE_SORT,
    &LEDGER,
    &THREADS,
    &EXCEPTIONS,
    &UNCAUGHT,
    &VALUES,
    &GAPS,
];

impl Program {
    /// Its recording, and the folder of its classes.
    fn record(&self) -> (Folder, PathBuf) {
        let jdk = &jdks()[0];
        let folder = Folder::new();
        let classes = jdk.classes(self.part);
        let mut arguments = Vec::new();
        if self.is_agent {
            let agent = classes.join("agent.jar");
            arguments.push(format!("-javaagent:{}", agent.display()));
        }
        let path = classes.display().to_string();
        arguments.extend(["-cp".to_owned(), path, self.class.to_owned()]);
        let mut options = vec!["--level", "full"];
        if let Some(pattern) = self.include {
            options.extend(["--include", pattern]);
        }
        let run = folder.launch_whole(jdk, "run", &options, &arguments);
        assert_eq!(run.status.code(), Some(self.exit), "{}", run.stderr);
        (folder, classes)
    }

    /// Asks all kinds of statements.
    fn compare(&self) {
        let (folder, classes) = self.record();
        let copy = Copied::of(&folder, &classes);
        let mut dice = Dice(20_261_124);
        for kind in kinds(self.tables) {
            self.compare_kind(&kind, &folder, &copy, &mut dice);
        }
    }

    fn compare_kind(&self, kind: &Kind, folder: &Folder, copy: &Copied, dice: &mut Dice) {
        let name = kind.name();
        let mut some = 0;
        for at in 0..kind.count() {
            let Some(statement) = kind.statement(dice, copy, at) else {
                // In the ledger all of it happens.
                let is_of_object = kind.path().is_some_and(Path::is_of_object);
                assert!(
                    is_of_object && self.class != LEDGER.class,
                    "{}: nothing to ask for: {name}",
                    self.class
                );
                return;
            };
            let count = same(folder, copy, &statement);
            some += usize::from(count > 0);
            if let Some(path) = kind.path().filter(|path| path.is_plain(at)) {
                goes(folder, path, &statement);
            }
        }
        assert!(some > 0, "{}: no rows of {name}", self.class);
    }
}

/// The answer is that of the copy: so many rows.
fn same(folder: &Folder, copy: &Copied, statement: &Statement) -> usize {
    let mut told = rows(folder, &statement.asked);
    let mut expected = copy.rows(&statement.copied);
    if !statement.is_ordered {
        for rows in [&mut told, &mut expected] {
            rows.sort_by_cached_key(|row| Json::from(row.clone()).to_string());
        }
    }
    let differs = told.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(
        (told.len(), differs),
        (expected.len(), None),
        "{}\ntold: {:?}\nexpected: {:?}",
        statement.asked,
        differs.map(|at| &told[at]),
        differs.map(|at| &expected[at])
    );
    told.len()
}

/// The statement is answered by this way of finding rows.
fn goes(folder: &Folder, path: &Path, statement: &Statement) {
    let (plan, _) = ask(folder, &["--explain", "-c", &statement.asked]);
    let lines = plan.iter().map(|row| row["plan"].as_str());
    let lines: Option<Vec<String>> = lines.map(|line| line.map(str::to_owned)).collect();
    let lines = lines.expect("lines");
    assert!(
        path.is_gone(&lines),
        "{}: {}\n{lines:#?}",
        path.name(),
        statement.asked
    );
}

#[test]
fn statements_about_a_merge_sort_answer_as_over_a_copy_of_the_rows() {
    MERGE_SORT.compare();
}

#[test]
fn statements_about_objects_and_texts_answer_as_over_a_copy_of_the_rows() {
    LEDGER.compare();
}

#[test]
fn statements_about_threads_and_monitors_answer_as_over_a_copy_of_the_rows() {
    THREADS.compare();
}

#[test]
fn statements_about_exceptions_answer_as_over_a_copy_of_the_rows() {
    EXCEPTIONS.compare();
    UNCAUGHT.compare();
}

#[test]
fn statements_about_values_answer_as_over_a_copy_of_the_rows() {
    VALUES.compare();
}

#[test]
fn statements_about_gaps_answer_as_over_a_copy_of_the_rows() {
    GAPS.compare();
}

/// A table, a way to find its rows or a kind of statement that nobody asks by here would be one that nobody compares.
#[test]
fn all_that_the_tables_can_do_is_asked_for() {
    let asked: BTreeSet<&str> = PROGRAMS
        .iter()
        .flat_map(|program| program.tables)
        .copied()
        .collect();
    let known = SCHEMAS.iter().map(|schema| schema.name);
    assert_eq!(asked, known.clone().collect());
    let all: BTreeSet<&str> = known.chain(NOT_HERE).collect();
    let described = jhyde_query::sql::described();
    let described: BTreeSet<&str> = described.iter().map(|table| table.name).collect();
    assert_eq!(all, described, "each is compared here, or named as not");

    let kinds: Vec<Kind> = PROGRAMS
        .iter()
        .flat_map(|program| kinds(program.tables))
        .collect();
    let names: BTreeSet<String> = kinds.iter().map(Kind::name).collect();
    for shape in &SHAPES {
        assert!(names.contains(shape.name), "{}", shape.name);
    }
    for path in kinds.iter().filter_map(Kind::path) {
        let columns: BTreeSet<String> = schema::schema(path.table)
            .all()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        for column in path.columns() {
            assert!(columns.contains(column), "{}: {column}", path.name());
        }
    }
    let statements: usize = kinds.iter().map(Kind::count).sum();
    assert!(statements >= 500, "only {statements} statements");
}
