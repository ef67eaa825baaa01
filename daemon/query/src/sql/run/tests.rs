//! Statements that need no recording: where it is said that they fail, and what is explained of them.

use super::*;

/// What somebody asks of no recording at all.
fn statement(text: &str) -> Statement {
    Statement {
        worlds: Vec::new(),
        seen: Arc::new([]),
        text: text.to_owned(),
        deadline: None,
        rows: u64::MAX,
        memory: MEMORY,
        explain: false,
        parameters: Parameters::default(),
    }
}

#[derive(Default)]
struct Rows(Vec<Vec<Datum>>);

impl Taker for Rows {
    fn columns(&mut self, _: &[Answered<'_>]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: Vec<Datum>) -> Result<()> {
        self.0.push(cells);
        Ok(())
    }
}

fn said(text: &str, values: &[(&str, &str)]) -> String {
    let values = values.iter();
    let values = values.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let ran = statement(text).with(values).run(&mut Rows::default());
    ran.expect_err(text).to_string()
}

/// The lines of a plan.
fn explained(text: &str) -> Vec<String> {
    let mut rows = Rows::default();
    let ended = statement(text).explained().run(&mut rows);
    assert_eq!(ended.expect(text).rows, rows.0.len() as u64);
    let lines = rows.0.into_iter().map(|row| match row.as_slice() {
        [Datum::Text(line), ..] => line.clone(),
        other => panic!("{other:?}"),
    });
    lines.collect()
}

#[test]
fn what_fails_while_it_runs_says_in_which_statement() {
    for (text, told) in [
        (
            "SELECT abs(-9223372036854775808)",
            "in the statement at line 1, column 1: the statement failed: integer overflow",
        ),
        (
            "CREATE TEMP TABLE t AS SELECT 9223372036854775807 AS n UNION ALL SELECT 1;\n-- 'ü' all\n  SELECT sum(n) FROM t",
            "in the statement at line 3, column 3: the statement failed: integer overflow",
        ),
        (
            "/* ü */ CREATE TEMP TABLE t AS\n SELECT json('{') AS j;\nSELECT * FROM t",
            "in the statement at line 1, column 9: the statement failed: malformed JSON",
        ),
        (
            "SELECT 1 AS one;; SELECT 2",
            "in the statement at line 1, column 19: there are two SELECTs",
        ),
        (
            "SELECT 'a' LIKE 'b' ESCAPE 'xx'",
            "in the statement at line 1, column 1: the statement failed: ESCAPE expression must be a single character",
        ),
        (
            "CREATE MACRO big(x) AS abs($x);\nSELECT\n big!(-9223372036854775808)",
            "in the statement at line 2, column 1: the statement failed: integer overflow",
        ),
        (
            "CREATE MACRO all_(x) AS SELECT abs($x);\n\tall_!(-9223372036854775808)",
            "in the statement at line 2, column 2: the statement failed: integer overflow",
        ),
        (
            "SELECT 1 UNION SELECT 2, 3",
            "in the statement at line 1, column 1: the statement failed: SELECTs to the left and right",
        ),
        (
            "CREATE TEMP TABLE t(a);\nDROP TABLE t; DELETE FROM t; SELECT 1",
            "line 2, column 27: no such table: t",
        ),
        (
            "PRAGMA user_version",
            "in the statement at line 1, column 1: PRAGMA may not be used",
        ),
    ] {
        let said = said(text, &[]);
        assert!(said.starts_with(told), "{text}: {said}");
    }
    assert_eq!(
        said(" ; ", &[]),
        "there is nothing to answer: write a SELECT"
    );
}

#[test]
fn a_parameter_that_is_wrong_is_shown_where_it_stands() {
    for (text, values, told) in [
        (
            "SELECT '$a', -- $a\n  $a",
            &[][..],
            "line 2, column 3: $a has no value: give it one (--set a=VALUE)",
        ),
        (
            "SELECT 1;\nSELECT $method",
            &[("methd", "x")],
            "line 2, column 8: $method has no value: give it one (--set method=VALUE), or write the value itself; methd is given one",
        ),
        (
            "SELECT $a, :a",
            &[("a", "1")],
            "line 1, column 12: parameters are written $name here",
        ),
        (
            "SELECT 1,\n ?7",
            &[],
            "line 2, column 2: parameters are written $name",
        ),
        (
            "SELECT @a",
            &[("a", "1")],
            "line 1, column 8: parameters are written $name",
        ),
        (
            "CREATE MACRO m(x) AS $x + 1;\nSELECT m!( $b )",
            &[("x", "1")],
            "line 2, column 12: $b has no value",
        ),
        (
            "SELECT $n AS n\n LIMIT $n OFFSET $m",
            &[("n", "3"), ("m", "many")],
            "line 2, column 18: $m is 'many', and OFFSET takes a whole number",
        ),
        (
            "SELECT $method",
            &[("method", "1"), ("methods", "2")],
            "there is no $methods in the statement, which is given a value; did you mean method?",
        ),
        (
            "SELECT 1",
            &[("a", "2")],
            "there is no $a in the statement, which is given a value",
        ),
    ] {
        let said = said(text, values);
        assert!(said.starts_with(told), "{text}: {said}");
    }
}

#[test]
fn each_select_of_a_text_is_explained_and_none_is_run() {
    assert_eq!(explained("SELECT 1"), ["SCAN CONSTANT ROW"]);
    // SQLite's own way to ask: its answer is rows of its own.
    let own = "CREATE TEMP TABLE t(a);\nEXPLAIN QUERY PLAN SELECT a FROM t";
    let mut rows = Rows::default();
    statement(own).explained().run(&mut rows).expect(own);
    let lines: Vec<_> = rows.0.iter().map(|row| row.last()).collect();
    assert!(
        matches!(lines.as_slice(), [Some(Datum::Text(line))] if line == "SCAN t"),
        "{lines:?}"
    );
    // Each of these would not end.
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let text = format!(
        "CREATE TEMP TABLE t AS {endless} SELECT i, i + $k AS j FROM n;\n\n\
         CREATE TEMP VIEW v AS SELECT * FROM t;\nINSERT INTO t {endless} SELECT i, i FROM n;\nSELECT * FROM v WHERE j = 3"
    );
    let mut rows = Rows::default();
    let asked = statement(&text).with([("k".to_owned(), "1".to_owned())]);
    asked.explained().run(&mut rows).expect("plans");
    let lines = rows.0.iter().map(|row| match row.first() {
        Some(Datum::Text(line)) => line.as_str(),
        other => panic!("{other:?}"),
    });
    let lines: Vec<_> = lines.collect();
    let heads = lines.iter().filter(|line| line.ends_with(':'));
    let heads: Vec<_> = heads.copied().collect();
    assert_eq!(
        heads,
        [
            "in the statement at line 1, column 1:",
            "in the statement at line 4, column 1:",
            "in the statement at line 5, column 1:",
        ]
    );
    assert_eq!(lines.last(), Some(&"  SCAN t"), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.trim() == "SCAN n"),
        "{lines:?}"
    );
    // What is wrong with one of them is said as if it ran.
    let wrong = statement("CREATE TEMP TABLE t AS SELECT 1 AS a;\nSELECT b FROM t");
    let wrong = wrong.explained().run(&mut Rows::default());
    let wrong = wrong.expect_err("no b").to_string();
    assert!(
        wrong.starts_with("line 2, column 8: no such column: b"),
        "{wrong}"
    );
}
