//! Where it is said that a statement fails: in what somebody wrote, also while it runs, and in what that uses.

use jhyde_integration::jdks;

use crate::{fails, merge_sort};

#[test]
fn what_fails_is_shown_in_what_somebody_wrote() {
    let folder = merge_sort(&jdks()[0], "calls");
    for (statement, options, says) in [
        (
            "CREATE TEMP TABLE m AS SELECT enter FROM calls;\n\n  SELECT sum(enter + 9223372036854770000) AS s FROM m;",
            &[][..],
            "in the statement at line 3, column 3: the statement failed: integer overflow",
        ),
        (
            "CREATE FUNCTION f(n INTEGER) RETURNS TABLE(a INTEGER) AS\n  SELECT abs($n);\nSELECT a FROM f(-9223372036854775808)",
            &[],
            "in the statement at line 2, column 3: function f: integer overflow",
        ),
        // The innermost one of what the user wrote.
        (
            "CREATE FUNCTION f(n INTEGER) RETURNS TABLE(a INTEGER) AS SELECT abs($n);\n\
             CREATE FUNCTION g(n INTEGER) RETURNS TABLE(b INTEGER) AS\n SELECT a FROM f($n);\nSELECT b FROM g(-9223372036854775808)",
            &[],
            "in the statement at line 1, column 58: function f: integer overflow",
        ),
        (
            "CREATE FUNCTION many() RETURNS TABLE(i INTEGER) AS\n WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;\nSELECT * FROM many()",
            &[],
            "in the statement at line 2, column 2: function many: one call has more than 100000 rows",
        ),
        // What a module wrote has no place of the user's, but what uses it has.
        (
            "INCLUDE MODULE std.objects;\n\nSELECT object FROM never_read()",
            &[],
            "in the statement at line 3, column 1: the table objects needs level state",
        ),
        (
            "INCLUDE MODULE std.objects;\nCREATE FUNCTION f() RETURNS TABLE(a INTEGER) AS\n SELECT object FROM never_read();\nSELECT a FROM f()",
            &[],
            "in the statement at line 3, column 2: the table objects needs level state",
        ),
        (
            "SELECT c.id FROM calls c, -- and writes\n writes w WHERE w.call = c.id",
            &[],
            "line 2, column 2: the table writes needs level state",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE(a TEXT) AS\n SELECT variable FROM writes; SELECT 1",
            &[],
            "line 2, column 23: the table writes needs level state",
        ),
        (
            "CREATE TEMP VIEW v AS SELECT 1;\nSELECT * FROM calls WHERE id = 1.10",
            &[],
            "in the statement at line 2, column 1: id is a text",
        ),
        (
            "CREATE TEMP VIEW v AS SELECT 1;\nSELECT * FROM cals",
            &[],
            "line 2, column 15: no such table: cals; did you mean calls?",
        ),
        (
            "SELECT * FROM divergences('a', 'b')",
            &[],
            "in the statement at line 1, column 1: divergences wants the names",
        ),
        (
            "SELECT id FROM calls\n WHERE id = $call",
            &["--set", "call=7"],
            "line 2, column 13: $call is the number 7, and id is a text: write CAST($call AS TEXT)",
        ),
        (
            "SELECT id FROM calls\n LIMIT $many",
            &["--set", "many=all"],
            "line 2, column 8: $many is 'all', and LIMIT takes a whole number",
        ),
        (
            "CREATE MACRO of_method(name) AS method = $name;\nSELECT id FROM calls WHERE of_method!($metod)",
            &["--set", "method=merge"],
            "line 2, column 39: $metod has no value: give it one (--set metod=VALUE), or write the value itself; method is given one",
        ),
        (
            "CREATE TEMP TABLE t(a);\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
            &["--timeout", "300ms"],
            "in the statement at line 2, column 1: the statement was ended, its time is over",
        ),
        (
            "CREATE TEMP TABLE t(a);\n WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT length(group_concat(printf('%01000d', i))) FROM n",
            &["--memory", "16MB"],
            "in the statement at line 2, column 2: the statement needs more memory than 16 MB",
        ),
        (
            "SELECT 1 AS a UNION ALL SELECT 'x'",
            &["--arrow"],
            "in the statement at line 1, column 1: a column of Arrow's has one type",
        ),
    ] {
        fails(
            &folder,
            &[&["sql", "run", "-c", statement], options].concat(),
            says,
        );
    }
    // One that is kept is a text like another.
    let kept = "-- All\nSELECT id FROM calls;\n SELECT 1";
    folder.ask(&["query", "save", "two", "-c", kept]);
    let says = "in the statement at line 3, column 2: there are two SELECTs";
    fails(&folder, &["query", "run", "two"], says);
}
