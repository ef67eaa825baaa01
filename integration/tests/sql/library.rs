//! Functions and macros: those that somebody writes, and those that come with jhyde, each held against what `jhyde` itself says.

use std::collections::BTreeSet;

use jhyde_integration::{Folder, jdks};
use serde_json::{Value as Json, json};

use crate::{ask, record, rows};

/// What `jhyde query` says.
fn queried(folder: &Folder, words: &[&str]) -> Vec<Json> {
    let mut lines = folder.json(&[&["query", "run"], words].concat());
    lines.pop().expect("an end");
    lines
}

/// The rows of a function of the library.
fn told(folder: &Folder, module: &str, columns: &str, from: &str) -> Vec<Vec<Json>> {
    rows(
        folder,
        &format!("INCLUDE MODULE {module}; SELECT {columns} FROM {from}"),
    )
}

fn ids(calls: &[Json]) -> Vec<Vec<Json>> {
    calls
        .iter()
        .map(|row| vec![row["call"]["id"].clone()])
        .collect()
}

/// Each of the library's, by the name that `jhyde sql --library` tells: `true` where it was compared.
fn calls(folder: &Folder) -> Vec<&'static str> {
    // Of each kind some: around the beginning and the end of a call is its caller.
    let events = rows(
        folder,
        "SELECT timestamp FROM (SELECT timestamp, row_number() OVER (PARTITION BY kind ORDER BY timestamp DESC) AS n FROM events WHERE call IS NOT NULL) \
         WHERE n <= 4 ORDER BY timestamp",
    );
    assert!(events.len() > 20);
    for event in &events {
        let at = event[0].to_string();
        for (query, function) in [
            ("call-chain", "call_chain"),
            ("pre-calls", "pre_calls"),
            ("post-calls", "post_calls"),
        ] {
            let shown = ids(&queried(folder, &[query, &at]));
            assert_eq!(
                told(folder, "std.calls", "call", &format!("{function}({at})")),
                shown,
                "{query} {at}"
            );
        }
    }
    let threw = told(folder, "std.calls", "method", "calls_that_threw()");
    assert!(threw.contains(&vec![json!("refuse")]), "{threw:?}");
    let ended = rows(
        folder,
        "SELECT method FROM calls WHERE exception IS NOT NULL ORDER BY enter",
    );
    assert_eq!(threw, ended);
    let within =
        "calls c, events e WHERE c.method = 'depth' AND c.invocation = 0 AND within!(e, c)";
    let within = told(folder, "std.calls", "count(*) AS n", within);
    let span = rows(
        folder,
        "SELECT exit - enter + 1 AS n FROM calls WHERE method = 'depth' AND invocation = 0",
    );
    assert_eq!(within, span);
    vec![
        "call_chain",
        "pre_calls",
        "post_calls",
        "calls_that_threw",
        "within!",
        "around!",
    ]
}

fn methods(folder: &Folder) -> Vec<&'static str> {
    let hottest = told(
        folder,
        "std.methods",
        "class, method, descriptor, called",
        "hottest_methods()",
    );
    let counted = rows(
        folder,
        "SELECT class, name AS method, descriptor, calls AS called FROM methods WHERE calls > 0",
    );
    let of = |rows: &[Vec<Json>]| {
        rows.iter()
            .map(|row| format!("{row:?}"))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(of(&hottest), of(&counted));
    let shown = queried(folder, &["return-history", "Ledger.depth"]);
    let shown: Vec<Vec<Json>> = shown
        .iter()
        .map(|row| vec![row["call"]["id"].clone(), row["call"]["result"].clone()])
        .collect();
    assert_eq!(
        told(
            folder,
            "std.methods",
            "call, result_int",
            "return_history('Ledger', 'depth')"
        ),
        shown
    );
    assert_eq!(shown.len(), 3);
    let given = told(
        folder,
        "std.methods",
        "value_int",
        "argument_history('Ledger', 'add', 0)",
    );
    assert_eq!(given, [[json!(2)], [json!(7)], [json!(1)], [json!(3)]]);
    vec!["hottest_methods", "return_history", "argument_history"]
}

fn objects(folder: &Folder) -> Vec<&'static str> {
    let all = told(folder, "std.objects", "object_class", "instances('Ledger')");
    assert_eq!(all, [[json!("Ledger")], [json!("Special")]]);
    assert_eq!(
        told(
            folder,
            "std.objects",
            "object_class",
            "instances('Special')"
        ),
        [[json!("Special")]]
    );
    // `amount` of an Entry is written, and nobody reads it.
    let unread = told(
        folder,
        "std.objects",
        "object_class",
        "never_read() WHERE object_class IN ('Entry', 'Ledger', 'Special')",
    );
    assert_eq!(unread, vec![vec![json!("Entry")]; 4]);
    // The second Entry is in `last` of the first Ledger to the end; the first was, until then.
    let entries = rows(
        folder,
        "SELECT id FROM objects WHERE object_class = 'Entry' ORDER BY timestamp",
    );
    let end = rows(
        folder,
        "SELECT enter AS at FROM calls WHERE method = 'join'",
    );
    let held = |entry: &Json, at: &Json| {
        told(
            folder,
            "std.objects",
            "holder, kind, variable",
            &format!("holders({entry}, {at})"),
        )
    };
    assert_eq!(held(&entries[0][0], &end[0][0]), Vec::<Vec<Json>>::new());
    let second = held(&entries[1][0], &end[0][0]);
    assert_eq!(second.len(), 1, "{second:?}");
    assert_eq!(second[0][1], "field");
    let holder = told(
        folder,
        "std.objects",
        "object",
        "instances('Ledger') WHERE object_class = 'Ledger'",
    );
    assert_eq!(second[0][0], holder[0][0]);
    // Locals and parameters hold while their call runs.
    let array = rows(
        folder,
        "SELECT id FROM objects WHERE object_class = 'int[]' AND length = 4",
    );
    let inside = rows(
        folder,
        "SELECT enter + 2 AS at FROM calls WHERE method = 'firstBig'",
    );
    let held = held(&array[0][0], &inside[0][0]);
    assert_eq!(
        held.iter().map(|row| row[1].clone()).collect::<Vec<_>>(),
        [json!("parameter")]
    );
    // One that was given to code out of the recorded classes, too.
    let list = rows(
        folder,
        "SELECT s.value_object, m.exit FROM calls m, state(m.id) s WHERE m.method = 'main' AND s.name = 'names'",
    );
    let name = rows(
        folder,
        "SELECT a.value_object FROM arguments a, calls c WHERE c.id = a.call AND c.boundary = 1 AND a.value_object IS NOT NULL LIMIT 1",
    );
    assert!(!list.is_empty() && !name.is_empty());
    told(
        folder,
        "std.objects",
        "variable",
        &format!("holders({}, {})", name[0][0], list[0][0]),
    );
    vec!["instances", "never_read", "holders"]
}

fn values(folder: &Folder) -> Vec<&'static str> {
    let shown = queried(folder, &["field-history", "Ledger.total"]);
    let shown: Vec<Json> = shown.iter().map(|row| row["value"].clone()).collect();
    let totals = told(
        folder,
        "std.values",
        "value_int",
        "field_history('Ledger', 'total')",
    );
    assert!(totals.len() > 3);
    assert_eq!(totals.concat(), shown);
    let found = told(
        folder,
        "std.values",
        "value_int",
        "local_history('Ledger', 'firstBig', 'found')",
    );
    assert_eq!(found, [[json!(-1)], [json!(2)]]);
    vec!["field_history", "local_history"]
}

fn loops(folder: &Folder) -> Vec<&'static str> {
    let loops = told(
        folder,
        "std.loops",
        "iterations, method",
        "loops_by_iterations()",
    );
    assert_eq!(loops[0][1], "firstBig", "{loops:?}");
    vec!["loops_by_iterations"]
}

#[test]
fn what_the_library_has_is_right() {
    for jdk in jdks() {
        let folder = record(
            &jdk,
            "queries",
            "Ledger",
            &["--level", "full", "--engine", "events"],
        );
        let mut compared = [
            calls(&folder),
            methods(&folder),
            objects(&folder),
            values(&folder),
            loops(&folder),
        ]
        .concat();
        // Eight threads that wait for their turn under one monitor.
        let threads = record(
            &jdk,
            "fixtures",
            "fx.Threads8",
            &[
                "--level",
                "full",
                "--engine",
                "events",
                "--include",
                "fx.Threads8",
            ],
        );
        let waits = told(
            &threads,
            "std.threads",
            "since, until, thread, object",
            "lock_waits() WHERE kind = 'wait'",
        );
        let began = rows(
            &threads,
            "SELECT count(*) AS n FROM monitors WHERE action = 'wait'",
        );
        assert!(waits.len() > 2);
        assert_eq!(began[0][0], json!(waits.len()));
        for wait in &waits {
            // By the names of the columns: object, since, thread, until.
            let (since, until) = (
                wait[1].as_u64().expect("it began"),
                wait[3].as_u64().expect("it ended"),
            );
            let between = format!(
                "SELECT count(*) AS n FROM events WHERE thread = {} AND timestamp BETWEEN {} AND {}",
                wait[2],
                since + 1,
                until - 1
            );
            assert_eq!(
                rows(&threads, &between),
                [[json!(0)]],
                "a thread that waits does nothing else: {wait:?}"
            );
        }
        compared.push("lock_waits");
        let delivery = Folder::new();
        let path = jdk.classes("queries").display().to_string();
        let arguments = ["-cp".to_owned(), path, "Delivery".to_owned()];
        delivery.launch(&jdk, "run", &["--level", "full"], &arguments);
        let uncaught = told(
            &delivery,
            "std.threads",
            "exception_class, thread_name",
            "uncaught()",
        );
        assert_eq!(
            uncaught,
            [[json!("java.lang.NullPointerException"), json!("main")]]
        );
        compared.push("uncaught");

        let modules = folder.json(&["sql", "--library"]);
        let names = modules
            .iter()
            .flat_map(|module| module["definitions"].as_array().expect("definitions"));
        let names: BTreeSet<_> = names
            .map(|one| one["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            compared.into_iter().collect::<BTreeSet<_>>(),
            names,
            "each has a comparison here"
        );
    }
}

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
