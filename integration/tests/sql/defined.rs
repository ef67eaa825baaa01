//! Functions and macros that somebody writes.

use jhyde_integration::jdks;
use serde_json::json;

use crate::{ask, record, rows};

#[test]
fn functions_and_macros_are_the_users_own() {
    let folder = record(&jdks()[0], "queries", "Ledger", &["--level", "calls"]);
    // Over another table's columns, in each other, with what was given.
    let text = "CREATE MACRO is_of(c, of_class) AS ($c.class = $of_class);
        CREATE FUNCTION inner_calls(of_call TEXT, most INTEGER) RETURNS TABLE(id TEXT, name TEXT) AS
          SELECT k.id, upper(k.method) FROM children($of_call) k WHERE is_of!(k, 'Ledger') ORDER BY k.enter LIMIT $most;
        CREATE FUNCTION twice(of_method TEXT) RETURNS TABLE(name TEXT, place INTEGER) AS
          SELECT i.name, c.invocation FROM calls c, inner_calls(c.id, 2) i WHERE c.method = $of_method;
        SELECT name FROM twice('main')";
    assert_eq!(rows(&folder, text), [[json!("<INIT>")], [json!("ADD")]]);
    // One that uses itself, as deep as it wants to, and without end.
    let count = |n: u32| {
        format!(
            "CREATE FUNCTION down(n INTEGER) RETURNS TABLE(i INTEGER) AS SELECT $n UNION ALL SELECT d.i FROM (SELECT $n AS m) x, down(x.m - 1) d WHERE $n > 0; SELECT count(*) AS c FROM down({n})"
        )
    };
    assert_eq!(rows(&folder, &count(9)), [[json!(10)]]);
    let refused = |statement: &str| {
        let output = folder
            .jhyde(&["sql", "run", "-c", statement])
            .output()
            .expect("jhyde");
        assert!(!output.status.success(), "{statement}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (statement, says) in [
        (count(1000).as_str(), "more than 16 deep"),
        (
            "SELECT * FROM call_chain(3)",
            "INCLUDE MODULE std.calls; before",
        ),
        (
            "INCLUDE MODULE std.calls; SELECT * FROM call_chain",
            "call_chain(at)",
        ),
        (
            "INCLUDE MODULE std.calls; SELECT * FROM call_chain(1, 2)",
            "call_chain",
        ),
        (
            "INCLUDE MODULE std.callz",
            "line 1, column 16: there is no module std.callz; did you mean std.calls",
        ),
        (
            "INCLUDE MODULE std.objects; SELECT * FROM never_read()",
            "the table objects needs level state",
        ),
        (
            "CREATE FUNCTION f(a INTEGER) RETURNS TABLE(b INTEGER) AS\n  SELECT nowhere FROM calls;\nSELECT 1",
            "line 2, column 10: no such column: nowhere",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(b INTEGER) AS SELECT 1, 2; SELECT 1",
            "column 17: the SELECT of f has 2 columns, and it RETURNS 1",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(b INTEGER) AS DELETE FROM calls; SELECT 1",
            "modified",
        ),
        (
            "CREATE MACRO m(a) AS $a + oops; SELECT 1,\n m!(2) FROM calls",
            "line 1, column 27: no such column: oops",
        ),
        ("SELECT 1,\n m!(2)", "line 2, column 2: there is no macro m"),
        (
            "CREATE FUNCTION many() RETURNS TABLE(i INTEGER) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n; SELECT * FROM many()",
            "more than 100000 rows",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(i TEXT) AS SELECT * FROM g(); SELECT 1",
            "no such table",
        ),
    ] {
        let said = refused(statement);
        assert!(said.contains(says), "{statement}: {said}");
    }
    for (statement, says) in [
        (
            "CREATE FUNCTION f(at INTEGER) RETURNS TABLE(x INTEGER) AS SELECT count(*) FROM calls WHERE enter < #at; SELECT * FROM f(3)".to_owned(),
            "#at is no argument",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(x TEXT) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) \
             SELECT hex(zeroblob(4000000)) FROM n; SELECT count(*) FROM f()"
                .to_owned(),
            "the rows of functions take more than 64 MiB",
        ),
        ("[".repeat(900_000), "unrecognized token"),
        (" ".repeat((1 << 20) + 1), "at most 1048576 bytes"),
        (
            format!(
                "CREATE MACRO b(x) AS 1; CREATE MACRO a() AS b!('{}'); SELECT {} 1",
                "y".repeat(800_000),
                "a!() + ".repeat(20_000)
            ),
            "more than 8388608 bytes",
        ),
    ] {
        let file = folder.data().with_file_name("long.sql");
        std::fs::write(&file, statement).expect("a file");
        let output = folder.jhyde(&["sql", "run", &file.display().to_string()]).output().expect("jhyde");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(says), "{says}: {said}");
    }
    // In time, too, also where each SELECT is short.
    let many = "SELECT x FROM f($n - 1) WHERE $n > 0";
    let deep = format!(
        "CREATE FUNCTION f(n INTEGER) RETURNS TABLE(x INTEGER) AS SELECT 1 WHERE 0 UNION ALL {many} UNION ALL {many} UNION ALL {many} UNION ALL {many}; SELECT * FROM f(14)"
    );
    let output = folder
        .jhyde(&["sql", "run", "--timeout", "300ms", "-c", &deep])
        .output()
        .expect("jhyde");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("its time is over"), "{said}");
    let slow = "CREATE FUNCTION slow() RETURNS TABLE(i INTEGER) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n; SELECT * FROM slow()";
    let output = folder
        .jhyde(&["sql", "run", "--timeout", "300ms", "-c", slow])
        .output()
        .expect("jhyde");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("its time is over"), "{said}");
    let (plan, _) = ask(
        &folder,
        &[
            "--explain",
            "-c",
            "INCLUDE MODULE std.calls; SELECT * FROM call_chain(3)",
        ],
    );
    assert!(
        plan[0]["plan"].to_string().contains("call_chain"),
        "{plan:?}"
    );
}
