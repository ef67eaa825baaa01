//! `jhyde sql` on real recordings: generated statements compared with SQLite over a copy of the rows that is made from the raw
//! stream of events, and bad input.

mod arrow;
mod judged;
mod library;
mod referring;
mod saved;
mod several;
mod slow;

use jhyde_integration::waits::Waits;
use jhyde_integration::{Folder, Jdk, jdks};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
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

/// The copy: calls, writes and edges as the stream of events tells them.
fn copy(folder: &Folder) -> Connection {
    let connection = Connection::open_in_memory().expect("a database");
    connection
        .execute_batch(
            "CREATE TABLE calls(id TEXT, thread INTEGER, number INTEGER, parent TEXT, depth INTEGER, class TEXT, method TEXT, \
             descriptor TEXT, invocation INTEGER, enter INTEGER, exit INTEGER, size INTEGER, boundary INTEGER);
             CREATE TABLE writes(timestamp INTEGER, thread INTEGER, call TEXT, line INTEGER, variable TEXT);
             CREATE TABLE edges(timestamp INTEGER, thread INTEGER, call TEXT, line INTEGER, bytecode_index INTEGER, to_index INTEGER);",
        )
        .expect("tables");
    let number = |json: &Json| json.as_i64();
    let text = |json: &Json| json.as_str().map(str::to_owned);
    for event in folder.json(&["events", "run"]) {
        let call = text(&event["call"]).unwrap_or_default();
        let (thread, place) = call.split_once('.').unwrap_or_default();
        let thread: Option<i64> = thread.parse().ok();
        let at = number(&event["timestamp"]);
        let line = number(&event["place"]["line"]);
        match event["kind"].as_str() {
            Some("enter") => {
                let entered = &event["entered"];
                let parent = text(&entered["parent"]).filter(|parent| !parent.ends_with(".0"));
                connection
                    .execute(
                        "INSERT INTO calls VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                        rusqlite::params![
                            call,
                            thread,
                            place.parse::<i64>().ok(),
                            parent.filter(|parent| !parent.is_empty()),
                            number(&entered["depth"]),
                            text(&entered["class"]),
                            text(&entered["method"]),
                            text(&entered["descriptor"]),
                            number(&entered["invocation"]),
                            at,
                            number(&entered["exit"]),
                            number(&entered["descendants"]).map(|below| below + 1),
                            entered["boundary"].as_bool(),
                        ],
                    )
                    .expect("a call");
            }
            Some("write") => {
                connection
                    .execute(
                        "INSERT INTO writes VALUES(?,?,?,?,?)",
                        rusqlite::params![at, thread, call, line, text(&event["variable"])],
                    )
                    .expect("a write");
            }
            Some("edge") => {
                let (from, to) = (number(&event["from"]), number(&event["to"]));
                connection
                    .execute(
                        "INSERT INTO edges VALUES(?,?,?,?,?,?)",
                        rusqlite::params![at, thread, call, line, from, to],
                    )
                    .expect("an edge");
            }
            _ => {}
        }
    }
    connection
}

fn copied(connection: &Connection, statement: &str) -> Vec<Vec<Json>> {
    let mut statement = connection.prepare(statement).expect(statement);
    let count = statement.column_count();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.raw_query();
    let mut all = Vec::new();
    while let Some(row) = rows.next().expect("a row") {
        let cell = |at| match row.get_ref(at).expect("a cell") {
            ValueRef::Null | ValueRef::Blob(_) => Json::Null,
            ValueRef::Integer(number) => json!(number),
            ValueRef::Real(number) => json!(number),
            ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        };
        // In the order of the names, as the rows of the answer are read.
        let cells = names.iter().cloned().zip((0..count).map(cell));
        let cells: serde_json::Map<String, Json> = cells.collect();
        all.push(cells.values().cloned().collect());
    }
    all
}

/// A small generator of numbers: the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// A predicate of `calls c`: those that an index serves, in many dresses, and others.
fn predicate(dice: &mut Dice) -> String {
    let number = dice.roll(500);
    match dice.roll(16) {
        0 => format!(
            "c.method = '{}'",
            dice.one(&["merge", "sort", "println", "no_such"])
        ),
        1 => format!(
            "c.method IN ('merge', '{}')",
            dice.one(&["distribute", "main"])
        ),
        2 => format!(
            "c.class = '{}'",
            dice.one(&["MergeSort", "java.util.Arrays", ""])
        ),
        3 => format!("c.id = '1.{}'", dice.roll(12)),
        4 => format!(
            "c.id IN ('1.2', '{}', '1.{}')",
            dice.one(&["1.03", "x", "9.1"]),
            dice.roll(9)
        ),
        5 => format!("c.parent = '1.{}'", dice.roll(9)),
        6 => format!(
            "c.enter {} {number}",
            dice.one(&["<", "<=", ">", ">=", "=", "<>"])
        ),
        7 => format!(
            "c.enter {} {number}.5",
            dice.one(&["<", "<=", ">", ">=", "="])
        ),
        8 => format!("c.enter {} '{number}'", dice.one(&["<", ">", "="])),
        9 => format!("c.enter BETWEEN {} AND {number}", number / 3),
        10 => format!(
            "c.thread = {}",
            dice.one(&["1", "1.0", "'1'", "2", "-1", "NULL"])
        ),
        11 => "c.parent IS NULL".to_owned(),
        12 => format!("c.method LIKE '{}%'", dice.one(&["m", "D"])),
        13 => format!(
            "c.method = '{}' COLLATE NOCASE",
            dice.one(&["MERGE", "Sort"])
        ),
        14 => format!(
            "c.enter > {}",
            dice.one(&["-5", "-0.5", "1e300", "-1e300", "NULL", "'x'"])
        ),
        _ => format!("c.depth {} {}", dice.one(&["<", "="]), dice.roll(4)),
    }
}

fn statement(dice: &mut Dice) -> String {
    let mut filter = predicate(dice);
    for _ in 0..dice.roll(3) {
        let (how, more) = (dice.one(&["AND", "AND", "OR"]), predicate(dice));
        filter = format!("({filter}) {how} ({more})");
    }
    let order = dice.one(&[
        "ORDER BY c.enter",
        "ORDER BY c.enter DESC",
        "ORDER BY c.number, c.thread",
    ]);
    let limit = match dice.roll(3) {
        0 => format!(" LIMIT {} OFFSET {}", dice.roll(5), dice.roll(3)),
        _ => String::new(),
    };
    match dice.roll(6) {
        0 => format!(
            "SELECT c.method, count(*) AS n, min(c.enter) AS a, max(c.exit) AS b FROM calls c WHERE {filter} GROUP BY 1 ORDER BY 1"
        ),
        1 => format!(
            "SELECT c.id, p.method FROM calls c LEFT JOIN calls p ON p.id = c.parent WHERE {filter} {order}{limit}"
        ),
        2 => format!(
            "SELECT c.id, w.timestamp, w.variable FROM calls c JOIN writes w ON w.call = c.id WHERE {filter} ORDER BY w.timestamp{limit}"
        ),
        3 => format!(
            "SELECT c.id, e.timestamp, e.to_index FROM calls c, edges e WHERE e.timestamp BETWEEN c.enter AND c.exit AND ({filter}) ORDER BY e.timestamp, c.enter{limit}"
        ),
        4 => format!(
            "SELECT w.timestamp, w.line FROM writes w WHERE w.call IN (SELECT c.id FROM calls c WHERE {filter}) ORDER BY w.timestamp DESC{limit}"
        ),
        _ => format!(
            "SELECT c.id, c.thread, c.number, c.parent, c.depth, c.class, c.method, c.descriptor, c.invocation, c.enter, c.exit, c.size, c.boundary FROM calls c WHERE {filter} {order}{limit}"
        ),
    }
}

#[test]
fn generated_statements_answer_as_over_a_copy_of_the_rows() {
    let folder = merge_sort(&jdks()[0], "full");
    let copy = copy(&folder);
    let mut dice = Dice(20_261_124);
    let mut some = 0;
    for _ in 0..300 {
        let statement = statement(&mut dice);
        let told = rows(&folder, &statement);
        assert_eq!(told, copied(&copy, &statement), "{statement}");
        some += usize::from(!told.is_empty());
    }
    assert!(some > 100, "only {some} of the statements had an answer");
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
