//! Statements that are kept under a name, with parameters.

use jhyde_integration::{Folder, jdks};
use serde_json::json;

use crate::{fails, merge_sort, rows};

#[test]
fn a_statement_is_kept_asked_listed_given_on_and_forgotten() {
    let folder = merge_sort(&jdks()[0], "full");
    let text = "-- Calls of a method\n-- below a call\nINCLUDE MODULE std.calls;\nCREATE MACRO is_of(c, name) AS ($c.method = $name);\n\
                SELECT d.id, '$no' AS no FROM descendants($call) d WHERE is_of!(d, $method) AND d.depth < $most ORDER BY d.enter";
    let file = folder.data().with_file_name("below.sql");
    std::fs::write(&file, text).expect("a file");
    let file = file.display().to_string();
    let told = folder.ask(&["query", "save", "of-method", &file]);
    assert_eq!(
        told.trim(),
        "kept: jhyde query RECORDING of-method CALL METHOD MOST"
    );
    let asked = |words: &[&str]| {
        let mut lines = folder.json(&[&["query", "run", "of-method"], words].concat());
        assert_eq!(lines.pop().expect("an end")["rows"], json!(lines.len()));
        lines
            .iter()
            .map(|row| row["id"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    // `1.2` is a call, and 5 a number.
    let merges = ["1.4", "1.5", "1.7"];
    assert_eq!(asked(&["1.2", "merge", "5"]), merges);
    assert_eq!(asked(&["most=5", "method=merge", "1.2"]), merges);
    assert_eq!(asked(&["1.2", "merge", "2"]), [] as [&str; 0]);
    assert!(
        folder
            .ask(&[
                "query",
                "run",
                "of-method",
                "1.2",
                "merge",
                "5",
                "--limit",
                "1"
            ])
            .contains("there are more")
    );

    let list = folder.json(&["query", "list"]);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["description"], "Calls of a method below a call");
    assert_eq!(list[0]["parameters"], json!(["call", "method", "most"]));
    let shown = folder.ask(&["query", "list"]);
    assert!(
        shown.contains("of-method") && shown.contains("call method most"),
        "{shown}"
    );
    assert_eq!(folder.ask(&["query", "show", "of-method"]).trim_end(), text);

    // On to another folder, under another name.
    let other = folder
        .data()
        .with_file_name("project")
        .display()
        .to_string();
    let out = folder
        .data()
        .with_file_name("given.sql")
        .display()
        .to_string();
    folder.ask(&["query", "export", "of-method", &out]);
    folder.ask(&["query", "import", &out, "taken", "--folder", &other]);
    let taken = folder.json(&[
        "query", "run", "taken", "1.2", "merge", "5", "--folder", &other,
    ]);
    assert_eq!(taken.len(), 4, "{taken:?}");

    fails(
        &folder,
        &["query", "save", "of-method", "-c", "SELECT 1"],
        "--force writes over it",
    );
    folder.ask(&[
        "query",
        "save",
        "of-method",
        "--force",
        "-c",
        "SELECT $a AS a",
    ]);
    assert_eq!(rows(&folder, "SELECT 1 AS one"), [[json!(1)]]);
    fails(
        &folder,
        &["query", "run", "of-method"],
        "a is missing: jhyde query RECORDING of-method A",
    );
    fails(
        &folder,
        &["query", "run", "of-method", "1", "2"],
        "is too much",
    );
    fails(
        &folder,
        &["query", "run", "of-method", "1", "--at", "3"],
        "--at says nothing to of-method",
    );
    folder.ask(&["query", "delete", "of-method"]);
    fails(
        &folder,
        &["query", "delete", "of-method"],
        "no query 'of-method' is kept",
    );
    fails(
        &folder,
        &["query", "run", "of-method", "1"],
        "there is no query 'of-method'",
    );
    assert!(
        folder
            .ask(&["query", "list"])
            .contains("no queries are kept")
    );
    fails(
        &folder,
        &["query", "save", "where", "-c", "SELECT 1"],
        "comes with jhyde",
    );
    for name in ["../x", "a b", "1a", ""] {
        fails(
            &folder,
            &["query", "save", name, "-c", "SELECT 1"],
            "is no name for a query",
        );
    }
    fails(
        &folder,
        &["query", "save", "empty", "-c", " "],
        "nothing to keep",
    );
    fails(
        &folder,
        &["query", "import", "no-such-file.sql"],
        "no-such-file.sql",
    );
}

#[test]
fn what_a_query_may_cost_is_said_as_of_a_statement() {
    let folder = merge_sort(&jdks()[0], "full");
    let query = |words: &[&'static str]| [&["query", "run"], words].concat();
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let large = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT length(group_concat(printf('%01000d', i))) AS n FROM n";
    for (name, text) in [
        ("endless", endless),
        ("large", large),
        ("all", "SELECT id FROM calls"),
    ] {
        folder.ask(&["query", "save", name, "-c", text]);
    }
    fails(
        &folder,
        &query(&["endless", "--timeout", "200ms"]),
        "its time is over",
    );
    let needs = "the statement needs more memory than 16 MB";
    fails(&folder, &query(&["large", "--memory", "16MB"]), needs);
    fails(
        &folder,
        &query(&["large", "--memory", "much"]),
        "'much' is not a size",
    );
    assert_eq!(folder.json(&query(&["large"]))[0], json!({"n": 30_029_999}));
    let mut lines = folder.json(&query(&["all", "--max-rows", "2"]));
    assert_eq!(lines.pop().expect("an end")["more"], json!(true));
    assert_eq!(lines.len(), 2);
    // Those that come with jhyde have a time, too, and nothing that takes memory.
    fails(
        &folder,
        &query(&["threads", "--memory", "64MB"]),
        "--memory says nothing to threads",
    );
    let told = folder.json(&query(&["threads", "--timeout", "60s", "--max-rows", "1"]));
    assert_eq!(told.last().expect("an end")["rows"], json!(1));
}

#[test]
fn what_is_kept_needs_no_daemon() {
    let folder = Folder::new();
    let queries = folder.data().with_file_name("kept");
    std::fs::create_dir_all(&queries).expect("a folder");
    std::fs::write(queries.join("one.sql"), "-- One\nSELECT $a AS one").expect("a file");
    let kept = queries.display().to_string();
    let out = folder
        .data()
        .with_file_name("out.sql")
        .display()
        .to_string();
    let ask = |words: &[&str]| folder.ask(&[&["query"], words, &["--folder", &kept]].concat());
    // Bytes that are no text hide no other statement.
    std::fs::write(queries.join("odd.sql"), b"SELECT '\xff'").expect("a file");
    let list = ask(&["list"]);
    assert!(
        list.contains("one") && list.contains("! odd cannot be read: "),
        "{list}"
    );
    ask(&["delete", "odd"]);
    assert!(!ask(&["list"]).contains("odd"));
    assert!(ask(&["show", "one"]).contains("SELECT $a AS one"));
    ask(&["export", "one", &out]);
    ask(&["delete", "one"]);
    assert!(ask(&["list"]).contains("no queries are kept"));
    assert!(ask(&["answers"]).contains("no answers are kept"));
    let begun = std::fs::read_dir(folder.data()).map_or(0, Iterator::count);
    assert_eq!(begun, 0, "a daemon was started");
    ask(&["import", &out, "two"]);
    let begun = std::fs::read_dir(folder.data()).map_or(0, Iterator::count);
    assert!(begun > 0, "names of jhyde's own are asked for");
}

#[test]
fn values_are_given_to_a_statement() {
    let folder = merge_sort(&jdks()[0], "calls");
    let kinds = "SELECT typeof($a) AS a, typeof($b) AS b, typeof($c) AS c, $d AS d";
    let values = [
        "--set",
        "a=12",
        "--set",
        "b=1.7",
        "--set",
        "$c=007",
        "--set",
        "d=x=y'\"\n;",
    ];
    let lines = folder.json(&[&["sql", "run", "-c", kinds][..], &values].concat());
    assert_eq!(
        lines[0],
        json!({"a": "integer", "b": "text", "c": "text", "d": "x=y'\"\n;"})
    );
    let sql = |words: &[&'static str]| [&["sql", "run"], words].concat();
    fails(
        &folder,
        &sql(&["-c", "SELECT $a"]),
        "$a has no value: give it one (--set a=VALUE)",
    );
    fails(
        &folder,
        &sql(&["-c", "SELECT 1", "--set", "a=1"]),
        "there is no $a in the statement",
    );
    fails(
        &folder,
        &sql(&["-c", "SELECT :a", "--set", "a=1"]),
        "parameters are written $name",
    );
    fails(
        &folder,
        &sql(&["-c", "SELECT 1", "--set", "a"]),
        "NAME=VALUE",
    );
}

#[test]
fn an_answer_is_kept_shown_again_and_held_against_another() {
    let folder = merge_sort(&jdks()[0], "full");
    let sql = "SELECT id, method FROM calls WHERE method = $method ORDER BY enter";
    let first = folder.ask(&[
        "sql",
        "run",
        "-c",
        sql,
        "--set",
        "method=merge",
        "--save",
        "merges",
    ]);
    folder.ask(&[
        "sql",
        "run",
        "-c",
        "SELECT id, method FROM calls WHERE id IN ('1.4', '1.5', '1.2')",
        "--save",
        "some",
    ]);
    folder.ask(&[
        "query",
        "run",
        "argument-history",
        "merge",
        "--save",
        "given",
    ]);
    let shown = folder.json(&["query", "run", "argument-history", "merge"]);
    fails(
        &folder,
        &["sql", "run", "-c", "SELECT 1", "--save", "some"],
        "--force writes over it",
    );
    fails(
        &folder,
        &["sql", "run", "-c", "SELECT 1", "--save", "../some"],
        "is no name for an answer",
    );
    fails(
        &folder,
        &[
            "sql",
            "run",
            "-c",
            "SELECT 1",
            "--save",
            "x",
            "--max-rows",
            "1",
        ],
        "what is kept is whole",
    );
    fails(
        &folder,
        &[
            "query",
            "run",
            "where-thrown",
            "--save",
            "x",
            "--limit",
            "1",
        ],
        "what is kept is whole",
    );
    // One that fails is not kept.
    fails(
        &folder,
        &[
            "sql",
            "run",
            "-c",
            "SELECT nowhere FROM calls",
            "--save",
            "wrong",
        ],
        "nowhere",
    );
    let list = folder.json(&["query", "answers"]);
    let told: Vec<_> = list
        .iter()
        .map(|one| {
            (
                one["answer"].as_str().unwrap_or_default(),
                one["rows"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("given", shown.len() as u64 - 1),
            ("merges", 3),
            ("some", 3)
        ]
    );
    assert_eq!(list[1]["question"], format!("{sql} (method=merge)"));
    assert_eq!(list[1]["recordings"], json!(["run"]));
    // They need no recording any more.
    folder.ask(&["delete", "run"]);
    let again = folder.ask(&["query", "answer", "merges"]);
    let (line, rest) = again.split_once('\n').expect("what was asked comes first");
    assert!(
        line.starts_with(&format!("{sql} (method=merge) of run, asked on 20")),
        "{line}"
    );
    assert_eq!(rest, first);
    assert_eq!(folder.json(&["query", "answer", "given"]), shown);
    assert_eq!(
        folder
            .ask(&["query", "answer", "some", "--csv"])
            .lines()
            .next(),
        Some("id,method")
    );
    let both = folder.json(&["query", "diff", "merges", "some"]);
    assert_eq!(
        both,
        [
            json!({"only": "left", "row": {"id": "1.7", "method": "merge"}}),
            json!({"only": "right", "row": {"id": "1.2", "method": "sort"}}),
            json!({"shared": 2, "left": 1, "right": 1, "notes": []}),
        ]
    );
    let text = folder.ask(&["query", "diff", "merges", "some"]);
    assert!(
        text.contains("- {\"id\":\"1.7\"")
            && text.contains("2 shared, 1 in merges alone, 1 in some alone"),
        "{text}"
    );
    assert!(
        folder
            .ask(&["query", "diff", "some", "some"])
            .contains("the same 3 rows")
    );
    folder.ask(&["query", "answer", "some", "--delete"]);
    fails(
        &folder,
        &["query", "answer", "some"],
        "jhyde query answers tells which are",
    );
    let file = folder
        .data()
        .with_file_name("jhyde/queries/answers/merges.answer");
    let bytes = std::fs::read(&file).expect("it is there");
    std::fs::write(&file, &bytes[..bytes.len() - 3]).expect("it can be written");
    fails(&folder, &["query", "answer", "merges"], "is damaged");
    // It is listed as such, and can be deleted.
    let list = folder.json(&["query", "answers"]);
    let why = list.iter().filter(|row| row["answer"] == "merges");
    let why: Vec<_> = why.map(|row| row["cannot_be_read"].to_string()).collect();
    assert!(why.len() == 1 && why[0].contains("is damaged"), "{list:?}");
    assert!(
        folder
            .ask(&["query", "answers"])
            .contains("! merges cannot be read: ")
    );
    folder.ask(&["query", "answer", "merges", "--delete"]);
    fails(
        &folder,
        &["query", "answer", "merges", "--delete"],
        "jhyde query answers tells which are",
    );
}
