//! How many blocks of events are said to be needed, and how many are.

use std::path::Path;

use jhyde_integration::compiled::compile;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value as Json, json};

use crate::{ask, rows};

/// A recording of some dozens of blocks.
pub(crate) fn words(jdk: &Jdk) -> Folder {
    let folder = Folder::new();
    let classes = folder.data().with_file_name("kernels");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/kernels");
    compile(jdk, &sources, &classes);
    let path = classes.display().to_string();
    let words = ["-cp", &path, "Kernels", "words", "1"].map(str::to_owned);
    let run = folder.launch(
        jdk,
        "run",
        &["--engine", "probe", "--level", "full"],
        &words,
    );
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// What is said of each table of a plan: at most so many blocks, of so many.
fn said(folder: &Folder, statement: &str) -> Vec<(Option<u64>, u64)> {
    let (plan, end) = ask(folder, &["--explain", "-c", statement]);
    let of_tables = plan.iter().filter(|row| !row["of"].is_null());
    let of_tables = of_tables.map(|row| (row["blocks"].as_u64(), row["of"].as_u64().unwrap_or(0)));
    let of_tables: Vec<_> = of_tables.collect();
    let notes = end["notes"].as_array().expect("notes").iter();
    let told = notes.filter(|note| {
        note.as_str()
            .is_some_and(|note| note.starts_with("blocks: "))
    });
    let needs = of_tables.iter().any(|(blocks, _)| *blocks != Some(0));
    assert_eq!(told.count(), usize::from(needs), "{end}");
    of_tables
}

fn read(folder: &Folder, statement: &str) -> u64 {
    let (_, end) = ask(folder, &["-c", statement]);
    assert!(end["blocks_decoded"].is_u64(), "{end}");
    end["blocks"].as_u64().expect("blocks")
}

#[test]
fn no_more_blocks_are_read_than_are_said() {
    let folder = words(&jdks()[0]);
    let one = |statement: &str| -> Json {
        let first = rows(&folder, statement).into_iter().next();
        first.and_then(|row| row.into_iter().next()).expect("a row")
    };
    let of = said(&folder, "SELECT timestamp FROM events")[0].1;
    assert!(of > 20, "{of} blocks");
    let end = one("SELECT max(timestamp) FROM events")
        .as_u64()
        .expect("a number");
    let (from, to) = (end / 3, end / 3 + 9000);
    let call = one("SELECT id FROM calls WHERE method = 'words'");
    let call = call.as_str().expect("a call");
    let object =
        one("SELECT object FROM writes WHERE of = 'content' OR object IS NOT NULL LIMIT 1");
    let local = one("SELECT variable FROM writes WHERE name = 'i' LIMIT 1");
    let local = local.as_str().expect("a variable");
    let method = one("SELECT id FROM methods WHERE name = 'words'");
    let class = one("SELECT object_class FROM objects LIMIT 1");
    let class = class.as_str().expect("a class");
    let mut least = of;
    for (statement, all) in [
        ("SELECT timestamp FROM events".to_owned(), true),
        (
            "SELECT timestamp FROM events ORDER BY timestamp DESC".to_owned(),
            true,
        ),
        (
            format!("SELECT timestamp FROM events WHERE timestamp BETWEEN {from} AND {to}"),
            false,
        ),
        (
            format!("SELECT timestamp FROM writes WHERE thread = 1 AND timestamp < {from}"),
            false,
        ),
        (
            "SELECT timestamp FROM writes WHERE thread = 77".to_owned(),
            false,
        ),
        (
            "SELECT timestamp FROM writes WHERE timestamp = 'x'".to_owned(),
            false,
        ),
        (
            "SELECT timestamp FROM writes WHERE thread = NULL".to_owned(),
            false,
        ),
        (
            format!("SELECT timestamp FROM events WHERE call = '{call}'"),
            false,
        ),
        (
            format!("SELECT timestamp FROM events WHERE call = '{call}' AND timestamp > {to}"),
            false,
        ),
        (
            format!("SELECT timestamp FROM writes WHERE variable = '{local}'"),
            false,
        ),
        (
            format!(
                "SELECT timestamp FROM writes WHERE variable = '{local}' AND timestamp < {from}"
            ),
            false,
        ),
        (format!("SELECT timestamp FROM history('{local}')"), false),
        (
            format!("SELECT timestamp FROM writes WHERE object = {object}"),
            false,
        ),
        (
            format!("SELECT timestamp FROM events WHERE value_object = {object}"),
            false,
        ),
        (
            format!("SELECT timestamp FROM object_state({object})"),
            false,
        ),
        ("SELECT timestamp FROM exceptions".to_owned(), false),
        ("SELECT timestamp FROM gaps".to_owned(), false),
        (
            format!("SELECT timestamp FROM objects WHERE object_class = '{class}'"),
            false,
        ),
        ("SELECT timestamp FROM objects".to_owned(), true),
        ("SELECT enter FROM calls".to_owned(), false),
        (
            format!("SELECT enter FROM calls WHERE enter BETWEEN {from} AND {to}"),
            false,
        ),
        (
            format!("SELECT enter FROM calls WHERE thread = 1 AND enter >= {to}"),
            false,
        ),
        (
            "SELECT enter FROM calls WHERE method = 'merge'".to_owned(),
            false,
        ),
        (
            format!("SELECT enter FROM calls WHERE method = 'merge' AND enter < {from}"),
            false,
        ),
        (
            "SELECT enter FROM calls WHERE class = 'Kernels' AND method = 'words'".to_owned(),
            false,
        ),
        (
            format!("SELECT enter FROM calls WHERE method_id = {method}"),
            false,
        ),
        (
            format!("SELECT enter FROM calls WHERE id = '{call}'"),
            false,
        ),
        (
            format!("SELECT enter FROM calls WHERE parent = '{call}'"),
            false,
        ),
        (format!("SELECT enter FROM children('{call}')"), false),
        (format!("SELECT enter FROM descendants('{call}')"), false),
        (
            format!("SELECT enter FROM arguments WHERE call = '{call}'"),
            false,
        ),
        (format!("SELECT enter FROM loops('{call}')"), false),
        (
            format!("SELECT times FROM coverage WHERE method_id = {method}"),
            false,
        ),
        ("SELECT id FROM threads".to_owned(), false),
        ("SELECT id FROM methods".to_owned(), false),
        ("SELECT name FROM classes".to_owned(), false),
    ] {
        let tables = said(&folder, &statement);
        let [(Some(blocks), told_of)] = tables[..] else {
            panic!("{statement}: {tables:?}");
        };
        let read = read(&folder, &statement);
        assert!(
            read <= blocks && blocks <= of,
            "{statement}: {read} of {blocks}"
        );
        assert_eq!(told_of, of, "{statement}");
        if all {
            assert_eq!((read, blocks), (of, of), "{statement}");
        }
        least = least.min(blocks);
    }
    assert_eq!(least, 0, "some need none");
    // What the rows of another table, or a list, tell is not known before.
    assert_eq!(
        said(
            &folder,
            &format!(
                "SELECT p.id FROM calls c JOIN calls p ON p.id = c.parent WHERE c.id = '{call}'"
            )
        ),
        [(Some(1), of), (Some(1), of)]
    );
    let joined = "SELECT w.timestamp FROM threads t CROSS JOIN writes w ON w.thread = t.id";
    let threads = one("SELECT count(*) FROM threads").as_u64();
    assert_eq!(said(&folder, joined), [(threads, of), (None, of)]);
    assert_eq!(
        said(&folder, &format!("SELECT * FROM state('{call}')")),
        [(None, of)]
    );
    // Of several recordings each table is told of its own.
    let both = "SELECT count(*) FROM a.events x, b.events y";
    let plan = folder.json(&["sql", "a=run", "b=run", "--explain", "-c", both]);
    let tables = plan.iter().filter(|row| row["of"] == json!(of));
    assert_eq!(tables.count(), 2, "{plan:?}");
}

#[test]
fn statements_before_the_select_are_explained_and_do_not_run() {
    let folder = words(&jdks()[0]);
    // 10^15 rows and more: it would not end.
    let huge = "FROM events a, events b, writes c";
    let ask = |text: &str| ask(&folder, &["--explain", "--timeout", "60s", "-c", text]);
    for (select, last) in [
        (
            format!("SELECT a.timestamp AS at, c.value_int {huge}"),
            "SCAN t",
        ),
        (
            format!("SELECT count(*) AS at {huge} GROUP BY a.kind ORDER BY 1"),
            "SCAN t",
        ),
        (
            format!("SELECT DISTINCT a.timestamp AS at {huge} LIMIT 5 OFFSET 6"),
            "SCAN t",
        ),
        (
            format!(
                "WITH m AS MATERIALIZED (SELECT a.timestamp AS at {huge}) SELECT x.at FROM m x, m y"
            ),
            "SCAN t",
        ),
        (
            format!(
                "SELECT 1 AS at UNION SELECT a.timestamp {huge} UNION SELECT max(c.timestamp) {huge}"
            ),
            "SCAN t",
        ),
    ] {
        let text = format!("CREATE TEMP TABLE t AS\n  {select};\n SELECT at FROM t");
        let (plan, end) = ask(&text);
        let lines: Vec<&str> = plan.iter().filter_map(|row| row["plan"].as_str()).collect();
        assert_eq!(
            lines.first(),
            Some(&"in the statement at line 1, column 1:")
        );
        let last = format!("  {last}");
        let behind = ["in the statement at line 3, column 2:", &last];
        assert_eq!(lines[lines.len() - 2..], behind, "{lines:?}");
        for table in ["a", "b", "c"] {
            let read = format!("READ {table}: ");
            let told = lines
                .iter()
                .find(|line| line.trim_start().starts_with(&read));
            assert!(
                told.is_some_and(|line| line.starts_with("  ")),
                "{read}: {lines:?}"
            );
        }
        assert_eq!([&end["blocks"], &end["blocks_decoded"]], [0, 0], "{end}");
    }
    // The last one is planned as if the table were there: by its columns.
    let text = format!(
        "CREATE TEMP TABLE t AS SELECT a.call, a.timestamp AS at {huge};\nINSERT INTO t SELECT b.call, 1 {huge};\n\
         SELECT c.id, t.at FROM calls c JOIN t ON t.call = c.id WHERE c.id = '1.1'"
    );
    let (plan, end) = ask(&text);
    let lines: Vec<&str> = plan.iter().filter_map(|row| row["plan"].as_str()).collect();
    let heads: Vec<&&str> = lines.iter().filter(|line| line.ends_with(':')).collect();
    assert_eq!(heads.len(), 3, "{lines:?}");
    let last = lines[lines.len() - 2..].concat();
    assert!(
        last.contains("READ c: the call: id=?") && last.contains(" t"),
        "{lines:?}"
    );
    assert_eq!(end["blocks"], json!(0), "{end}");
    // And what would fail before it began to run fails.
    let output = folder
        .jhyde(&[
            "sql",
            "run",
            "--explain",
            "-c",
            "CREATE TEMP TABLE t AS SELECT 1 AS a;\nSELECT b FROM t",
        ])
        .output()
        .expect("jhyde");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("line 2, column 8: no such column: b"),
        "{said}"
    );
}
