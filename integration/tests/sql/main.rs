//! `jhyde sql` on real recordings: what tables and functions tell is held against what `jhyde` says otherwise, and bad input.

mod arrow;
mod counted;
mod defined;
mod explained;
mod generated;
mod judged;
mod library;
mod meanwhile;
mod places;
mod referring;
mod saved;
mod several;
mod slow;
mod spilling;
mod unread;

use jhyde_integration::waits::Waits;
use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value as Json, json};

fn merge_sort(jdk: &Jdk, level: &str) -> Folder {
    record(
        jdk,
        "mergesort",
        "MergeSort",
        &["--level", level, "--include", "MergeSort"],
    )
}

fn record(jdk: &Jdk, part: &str, class: &str, options: &[&str]) -> Folder {
    let folder = Folder::new();
    let path = jdk.classes(part).display().to_string();
    let arguments = ["-cp".to_owned(), path, class.to_owned()];
    let run = folder.launch(jdk, "run", options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

/// `jhyde WORDS` fails, and says this.
fn fails(folder: &Folder, words: &[&str], says: &str) {
    let output = folder.jhyde(words).output().expect("jhyde");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains(says),
        "{words:?}: {said}"
    );
}

/// The rows of an answer, and what comes behind them.
fn ask(folder: &Folder, words: &[&str]) -> (Vec<Json>, Json) {
    let mut lines = folder.json(&[&["sql", "run"], words].concat());
    let end = lines.pop().expect("an end");
    assert_eq!(end["rows"], json!(lines.len()), "{end}");
    (lines, end)
}

/// The rows as lists of cells, by the names of the columns.
fn rows(folder: &Folder, statement: &str) -> Vec<Vec<Json>> {
    let (rows, _) = ask(folder, &["-c", statement]);
    let cells = |row: Json| row.as_object().expect("a row").values().cloned().collect();
    rows.into_iter().map(cells).collect()
}

#[test]
fn functions_tell_what_is_around_and_in_a_call() {
    let folder = merge_sort(&jdks()[0], "full");
    let methods = |statement: &str| {
        let rows = rows(&folder, statement).into_iter();
        rows.map(|row| row[0].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        methods("SELECT method FROM ancestors('1.4')"),
        ["main", "sort"]
    );
    let sorted = ["distribute", "merge", "merge", "distribute", "merge"];
    assert_eq!(methods("SELECT method FROM children('1.2')"), sorted);
    assert_eq!(
        methods("SELECT d.method FROM calls c, descendants(c.id) d WHERE c.method = 'sort'"),
        sorted
    );
    let history = rows(
        &folder,
        "SELECT value_int FROM history('array#1[2]') ORDER BY timestamp",
    );
    assert_eq!(history, [[json!(1)], [json!(1)], [json!(7)], [json!(9)]]);
    let state = rows(
        &folder,
        "SELECT element, value_int FROM object_state(1) ORDER BY element",
    );
    let last = rows(
        &folder,
        "SELECT element, value_int FROM writes w WHERE object = 1 AND timestamp = \
         (SELECT max(timestamp) FROM writes v WHERE v.variable = w.variable) ORDER BY element",
    );
    assert_eq!((state.len(), state), (4, last));
    the_loops_are_those_of_jhyde_events(&folder);
    let (plan, _) = ask(
        &folder,
        &[
            "--explain",
            "-c",
            "SELECT * FROM calls WHERE method_id = 1 ORDER BY enter",
        ],
    );
    assert_eq!(
        plan[0]["plan"],
        "READ calls: index of calls by method: method_id=?"
    );
    assert_eq!(plan.len(), 1, "the index gives the order: {plan:?}");
}

fn the_loops_are_those_of_jhyde_events(folder: &Folder) {
    let mut nested = 0;
    for call in rows(folder, "SELECT id FROM calls WHERE boundary = 0") {
        let call = call[0].as_str().expect("an id");
        let statement = format!("SELECT iterations, row FROM loops('{call}') ORDER BY position");
        let told = rows(folder, &statement);
        let shown = folder.json(&["events", "run", call]).into_iter();
        let shown: Vec<_> = shown
            .filter(|row| row["kind"] == "loop")
            .inspect(|row| nested += usize::from(row["level"] != 0))
            .map(|row| vec![row["iterations"].clone(), row["row"].clone()])
            .collect();
        assert_eq!(told, shown, "{call}");
    }
    assert!(nested > 0, "no loop was in another");
}

/// The program's own words for what `main` has in its variables are in integration/java/queries/Ledger.java.
#[test]
fn functions_tell_what_objects_held_at_an_event() {
    for jdk in jdks() {
        let folder = record(&jdk, "queries", "Ledger", &["--level", "state"]);
        let of_main = |columns: &str, function: &str, at: &str| {
            let statement = format!(
                "SELECT {columns} FROM calls m, calls t, state(m.id) s, {function}(s.value_object, {at}) r \
                 WHERE m.method = 'main' AND t.method = 'refuse'"
            );
            move |folder: &Folder, name: &str| {
                rows(folder, &format!("{statement} AND s.name = '{name}'"))
            }
        };
        let held = of_main("r.value_text", "collection", "m.exit");
        assert_eq!(
            held(&folder, "names"),
            [[json!("second")], [json!("no more")]]
        );
        let held = of_main("r.value_text", "collection", "t.enter");
        assert_eq!(held(&folder, "names"), [[json!("second")]]);
        let held = of_main("r.value_int", "collection", "m.exit");
        assert_eq!(
            held(&folder, "counts"),
            [[json!(3)], [json!(2)], [json!(-1)]]
        );
        let fields = of_main("r.name, r.value_int", "collection", "m.exit");
        let fields = fields(&folder, "first");
        assert!(
            fields.contains(&vec![json!("total"), json!(5)]),
            "{fields:?}"
        );
        let reached = of_main("r.depth, r.value_class", "reachable", "m.exit");
        let reached = reached(&folder, "first");
        assert_eq!(reached[0], [json!(0), json!("Ledger")]);
        for class in ["java.lang.String", "Entry"] {
            assert!(
                reached.contains(&vec![json!(1), json!(class)]),
                "{reached:?}"
            );
        }
        assert_eq!(reached.len(), 3, "each once: {reached:?}");
        let shown =
            "SELECT value FROM calls m, state(m.id) s WHERE m.method = 'main' AND s.name = 'names'";
        let shown = rows(&folder, shown);
        assert_eq!(shown, [[json!("ArrayList[2] [\"second\", \"no more\"]")]]);
        the_state_is_that_of_jhyde_state(&folder);
        let lines = rows(
            &folder,
            "SELECT m.name, m.first_line, min(l.line) FROM methods m JOIN lines l ON l.method_id = m.id GROUP BY m.id",
        );
        assert!(lines.len() > 8, "{lines:?}");
        assert!(
            lines.iter().all(|line| line.contains(&line[0])),
            "{lines:?}"
        );
        for line in lines {
            let numbers: Vec<_> = line.iter().filter(|cell| cell.is_number()).collect();
            assert_eq!(numbers[0], numbers[1], "{line:?}");
        }
        for function in ["object_state", "collection", "reachable"] {
            for at in ["99999999", "-1"] {
                let statement = format!("SELECT * FROM {function}(1, {at})");
                let (beyond, end) = ask(&folder, &["-c", &statement]);
                assert_eq!(beyond, [] as [Json; 0], "{function}");
                assert!(
                    end["notes"].to_string().contains("no event behind"),
                    "{end}"
                );
            }
        }
        let nothing = "SELECT * FROM collection(99999999), reachable(99999999)";
        assert_eq!(rows(&folder, nothing), Vec::<Vec<Json>>::new());
    }
}

fn the_state_is_that_of_jhyde_state(folder: &Folder) {
    let calls = rows(
        folder,
        "SELECT id FROM calls WHERE boundary = 0 ORDER BY enter",
    );
    assert!(calls.len() > 10, "{calls:?}");
    for call in calls {
        let call = call[0].as_str().expect("an id");
        let statement =
            format!("SELECT variable, value_int FROM state('{call}') ORDER BY position");
        let told = rows(folder, &statement);
        let state = folder.json(&["state", "run", call]).remove(0);
        let shown = state["rows"].as_array().expect("rows").iter();
        let shown: Vec<_> = shown
            .map(|row| vec![json!(row["end"].as_i64()), row["variable"].clone()])
            .collect();
        assert_eq!(told, shown, "{call}");
    }
}

#[test]
fn a_recording_that_runs_is_seen_up_to_one_event() {
    let folder = Folder::new();
    let mut waits = Waits::begin(&folder, &jdks()[0]);
    let statements = [
        "SELECT id, method, parent, enter, exit, size, ended, result FROM calls ORDER BY enter",
        "SELECT timestamp, variable, value FROM writes ORDER BY timestamp",
        "SELECT method, count(*) AS n FROM calls GROUP BY method ORDER BY method",
    ];
    let told = statements.map(|statement| ask(&folder, &["-c", statement]));
    assert!(told.iter().all(|(rows, _)| rows.len() > 2), "{told:?}");
    // main runs, and is told without an end.
    assert_eq!(told[0].0[0]["exit"], Json::Null, "{:?}", told[0].0[0]);
    waits.go_on();
    waits.end();
    for (statement, (rows, end)) in statements.iter().zip(told) {
        let until = end["until"].to_string();
        let (later, _) = ask(&folder, &["--to", &until, "-c", statement]);
        assert_eq!(rows, later, "{statement}");
        let (whole, _) = ask(&folder, &["-c", statement]);
        assert_ne!(rows, whole, "it has gone on: {statement}");
    }
}

#[test]
fn what_cannot_be_answered_says_why_and_where() {
    let folder = merge_sort(&jdks()[0], "calls");
    let refused = |words: &[&str]| {
        let output = folder
            .jhyde(&[&["sql", "run"], words].concat())
            .output()
            .expect("jhyde");
        assert!(!output.status.success(), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (statement, told) in [
        (
            "SELECT id,\n  methd FROM calls",
            "line 2, column 3: no such column: methd; did you mean method",
        ),
        ("SELECT * FROM cals", "did you mean calls"),
        ("SELECT uper('x')", "did you mean upper"),
        ("SELECT * FROM calls, children", "children(of_call)"),
        ("SELECT * FRM calls", "line 1, column"),
        ("DELETE FROM calls", "may not be modified"),
        (
            "CREATE TABLE x(a)",
            "temporary tables and views are allowed",
        ),
        ("ATTACH '/tmp/x.db' AS x", "no file can be attached"),
        ("PRAGMA temp_store = 0", "PRAGMA may not be used"),
        ("SELECT load_extension('x')", "extensions cannot be loaded"),
        ("SELECT * FROM writes", "the table writes needs level state"),
        ("SELECT * FROM calls WHERE id = 1.10", "single quotes"),
        ("SELECT 1; SELECT 2", "one at a time"),
        ("SELECT ?", "parameters are written $name here"),
        ("SELECT $x", "--set x=VALUE"),
        ("", "nothing to answer"),
    ] {
        let said = refused(&["-c", statement]);
        assert!(said.contains(told), "{statement}: {said}");
    }
    // Without end, and far too much: ended by time.
    for statement in [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "SELECT count(*) FROM events a, events b, events c, events d",
    ] {
        let said = refused(&["--timeout", "300ms", "-c", statement]);
        assert!(said.contains("its time is over"), "{said}");
    }
    // What is its own it may write, and the daemon goes on.
    let kept = rows(
        &folder,
        "CREATE TEMP TABLE m AS SELECT method FROM calls; SELECT count(*) FROM m WHERE method = 'merge'",
    );
    assert_eq!(kept, [[json!(3)]]);
    let (rows, end) = ask(&folder, &["--max-rows", "2", "-c", "SELECT id FROM calls"]);
    assert_eq!((rows.len(), &end["more"]), (2, &json!(true)));
    let (rows, end) = ask(
        &folder,
        &["--to", "3", "-c", "SELECT max(timestamp) AS t FROM events"],
    );
    assert_eq!((&rows[0]["t"], &end["until"]), (&json!(2), &json!(3)));
}
