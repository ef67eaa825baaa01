//! What comes with jhyde: each function and macro of the library is held against what `jhyde` says otherwise. One of which no rows were compared is refused by
//! its name, and so is what says nothing of itself.

mod compared;

use std::collections::HashMap;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value as Json, json};

use self::compared::Compared;
use crate::{record, rows};

/// What `jhyde query` says.
fn queried(folder: &Folder, words: &[&str]) -> Vec<Json> {
    let mut lines = folder.json(&[&["query", "run"], words].concat());
    lines.pop().expect("an end");
    lines
}

fn ids(calls: &[Json]) -> Vec<Vec<Json>> {
    calls
        .iter()
        .map(|row| vec![row["call"]["id"].clone()])
        .collect()
}

fn calls(folder: &Folder, compared: &mut Compared) {
    // Of each kind some: around the beginning and the end of a call is its caller.
    let events = rows(
        folder,
        "SELECT timestamp FROM (SELECT timestamp, row_number() OVER (PARTITION BY kind ORDER BY timestamp DESC) AS n FROM events WHERE call IS NOT NULL) \
         WHERE n <= 4 ORDER BY timestamp",
    );
    assert!(events.len() > 20);
    let mut of = compared.of(folder, "std.calls");
    for event in &events {
        let at = event[0].to_string();
        for (query, function) in [
            ("call-chain", "call_chain"),
            ("pre-calls", "pre_calls"),
            ("post-calls", "post_calls"),
        ] {
            let shown = ids(&queried(folder, &[query, &at]));
            of.same(
                function,
                "call",
                &format!("call_chain({at})").replace("call_chain", function),
                &shown,
            );
            if query == "call-chain" {
                let innermost = shown.first().map_or(Json::Null, |call| call[0].clone());
                of.same(
                    "around!",
                    &format!("around!({at}) AS call"),
                    "(SELECT 1)",
                    &[vec![innermost]],
                );
            }
        }
    }
    let threw = rows(
        folder,
        "SELECT method FROM calls WHERE exception IS NOT NULL ORDER BY enter",
    );
    assert!(threw.contains(&vec![json!("refuse")]), "{threw:?}");
    of.same("calls_that_threw", "method", "calls_that_threw()", &threw);
    let within =
        "calls c, events e WHERE c.method = 'depth' AND c.invocation = 0 AND within!(e, c)";
    let span = rows(
        folder,
        "SELECT exit - enter + 1 AS n FROM calls WHERE method = 'depth' AND invocation = 0",
    );
    of.same("within!", "count(*) AS n", within, &span);
}

fn methods(folder: &Folder, compared: &mut Compared) {
    let mut of = compared.of(folder, "std.methods");
    let counted = rows(
        folder,
        "SELECT class, name AS method, descriptor, calls AS called FROM methods WHERE calls > 0",
    );
    of.same_in_any_order(
        "hottest_methods",
        "class, method, descriptor, called",
        "hottest_methods()",
        &counted,
    );
    let shown = queried(folder, &["return-history", "Ledger.depth"]);
    let shown: Vec<Vec<Json>> = shown
        .iter()
        .map(|row| vec![row["call"]["id"].clone(), row["call"]["result"].clone()])
        .collect();
    assert_eq!(shown.len(), 3);
    of.same(
        "return_history",
        "call, result_int",
        "return_history('Ledger', 'depth')",
        &shown,
    );
    let given = [2, 7, 1, 3].map(|value| vec![json!(value)]);
    let history = "argument_history('Ledger', 'add', 0)";
    of.same("argument_history", "value_int", history, &given);
}

fn objects(folder: &Folder, compared: &mut Compared) {
    let mut of = compared.of(folder, "std.objects");
    let texts = |all: &[&str]| all.iter().map(|text| vec![json!(text)]).collect::<Vec<_>>();
    for (class, all) in [
        ("Ledger", &["Ledger", "Special"][..]),
        ("Special", &["Special"]),
    ] {
        let instances = format!("instances('{class}')");
        of.same("instances", "object_class", &instances, &texts(all));
    }
    // `amount` of an Entry is written, and nobody reads it.
    of.same(
        "never_read",
        "object_class",
        "never_read() WHERE object_class IN ('Entry', 'Ledger', 'Special')",
        &texts(&["Entry"; 4]),
    );
    // The second Entry is in `last` of the first Ledger to the end; the first was, until then.
    let one = |statement: &str| rows(folder, statement).remove(0).remove(0);
    let entries = rows(
        folder,
        "SELECT id FROM objects WHERE object_class = 'Entry' ORDER BY timestamp",
    );
    let ledger = one("SELECT id FROM objects WHERE object_class = 'Ledger'");
    let end = one("SELECT enter FROM calls WHERE method = 'join'");
    let mut held = |object: &Json, at: &Json, holders: &[Vec<Json>]| {
        let from = format!("holders({object}, {at})");
        of.same("holders", "holder, kind", &from, holders);
    };
    held(&entries[0][0], &end, &[]);
    held(
        &entries[1][0],
        &end,
        &[vec![ledger.clone(), json!("field")]],
    );
    // One name was taken out of the list, the other was not.
    let list = one("SELECT id FROM objects WHERE object_class = 'java.util.ArrayList'");
    let special = one("SELECT id FROM objects WHERE object_class = 'Special'");
    for (name, ledger, in_list) in [("first", &ledger, false), ("second", &special, true)] {
        let text = one(&format!(
            "SELECT value_object FROM writes WHERE field_class = 'Ledger' AND name = 'name' AND value LIKE '%{name}%'"
        ));
        let field = vec![ledger.clone(), json!("field")];
        let content = in_list.then(|| vec![list.clone(), json!("content")]);
        let holders: Vec<_> = [field].into_iter().chain(content).collect();
        held(&text, &end, &holders);
    }
    // Locals and parameters hold while their call runs.
    let array = one("SELECT id FROM objects WHERE object_class = 'int[]' AND length = 4");
    let inside = one("SELECT enter + 2 FROM calls WHERE method = 'firstBig'");
    held(&array, &inside, &[vec![Json::Null, json!("parameter")]]);
}

fn values(folder: &Folder, compared: &mut Compared) {
    let mut of = compared.of(folder, "std.values");
    let shown = queried(folder, &["field-history", "Ledger.total"]);
    let shown: Vec<Vec<Json>> = shown.iter().map(|row| vec![row["value"].clone()]).collect();
    assert!(shown.len() > 3);
    let history = "field_history('Ledger', 'total')";
    of.same("field_history", "value_int", history, &shown);
    let found = [-1, 2].map(|value| vec![json!(value)]);
    let history = "local_history('Ledger', 'firstBig', 'found')";
    of.same("local_history", "value_int", history, &found);
    // Of a parameter what it was given.
    let given = [2, 7, 1, 3].map(|value| vec![json!(value)]);
    let history = "local_history('Ledger', 'add', 'amount')";
    of.same("local_history", "value_int", history, &given);
}

/// As `jhyde events` tells them, call by call.
fn loops(folder: &Folder, compared: &mut Compared) {
    let mut shown = Vec::new();
    for call in rows(folder, "SELECT id FROM calls WHERE boundary = 0") {
        let id = call[0].as_str().expect("an id");
        let events = folder.json(&["events", "run", id]);
        let loops = events.iter().filter(|row| row["kind"] == "loop");
        // By the names of the columns: call, enter, exit, iterations.
        shown.extend(loops.map(|row| {
            let [from, to, iterations] = ["from", "to", "iterations"].map(|key| row[key].clone());
            vec![call[0].clone(), from, to, iterations]
        }));
    }
    let mut of = compared.of(folder, "std.loops");
    let columns = "call, enter, exit, iterations";
    of.same_in_any_order(
        "loops_by_iterations",
        columns,
        "loops_by_iterations()",
        &shown,
    );
    let most = [vec![json!("firstBig")]];
    of.same(
        "loops_by_iterations",
        "method",
        "loops_by_iterations() LIMIT 1",
        &most,
    );
}

/// Eight threads that wait for their turn under one monitor, and one that an exception ends.
fn threads(jdk: &Jdk, compared: &mut Compared) {
    let folder = record(
        jdk,
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
    // A thread that waits does nothing else.
    let waits = rows(
        &folder,
        "SELECT timestamp AS since, thread, object, (SELECT min(e.timestamp) FROM events e WHERE e.thread = m.thread AND e.timestamp > m.timestamp) AS until \
         FROM monitors m WHERE action = 'wait' ORDER BY timestamp",
    );
    assert!(waits.len() > 2);
    compared.of(&folder, "std.threads").same_in_any_order(
        "lock_waits",
        "since, until, thread, object",
        "lock_waits() WHERE kind = 'wait'",
        &waits,
    );
    compared.of(&folder, "std.threads").same_in_any_order(
        "lock_waits",
        "since, until, thread, object",
        "lock_waits() WHERE kind = 'enter'",
        &entered_behind_others(&folder),
    );
    let folder = Folder::new();
    let path = jdk.classes("queries").display().to_string();
    let arguments = ["-cp".to_owned(), path, "Delivery".to_owned()];
    folder.launch(jdk, "run", &["--level", "full"], &arguments);
    let ended = [vec![json!("java.lang.NullPointerException"), json!("main")]];
    let columns = "exception_class, thread_name";
    let mut of = compared.of(&folder, "std.threads");
    of.same("uncaught", columns, "uncaught()", &ended);
}

/// Each monitor that a thread entered, and another one had left since that thread's last event, by walking over all events. No two threads have one at
/// a time.
fn entered_behind_others(folder: &Folder) -> Vec<Vec<Json>> {
    let number = |json: &Json| json.as_u64().expect("a number");
    let events = rows(
        folder,
        "SELECT thread, timestamp FROM events ORDER BY timestamp",
    );
    let monitors = rows(folder, "SELECT action, object, timestamp FROM monitors");
    let at = |row: &Vec<Json>| number(row.last().expect("a time"));
    let monitors: HashMap<u64, &Vec<Json>> = monitors.iter().map(|row| (at(row), row)).collect();
    let mut last: HashMap<u64, u64> = HashMap::new();
    let mut left: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
    let mut entered = Vec::new();
    let mut owners: HashMap<u64, (u64, u32)> = HashMap::new();
    for event in &events {
        // `rows` has cells in the order of their names.
        let (thread, now) = (number(&event[0]), number(&event[1]));
        let since = last.insert(thread, now).unwrap_or_default();
        let Some([action, object, _]) = monitors.get(&now).map(|row| &row[..]) else {
            continue;
        };
        let of = left.entry(number(object)).or_default();
        let owner = owners.entry(number(object)).or_insert((thread, 0));
        assert!(
            owner.0 == thread || owner.1 == 0,
            "{thread} at {now}: {owner:?} has it"
        );
        *owner = match action.as_str() {
            Some("enter" | "notified") => (thread, owner.1 + 1),
            _ => (thread, owner.1.saturating_sub(1)),
        };
        match action.as_str() {
            Some("exit" | "wait") => of.push((thread, now)),
            Some("enter") if of.iter().any(|(by, at)| *by != thread && *at > since) => {
                // As `same_in_any_order` has them: object, since, thread, until.
                entered.push(vec![
                    object.clone(),
                    json!(since),
                    json!(thread),
                    json!(now),
                ]);
            }
            _ => {}
        }
    }
    entered
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
        let mut compared = Compared::default();
        calls(&folder, &mut compared);
        methods(&folder, &mut compared);
        objects(&folder, &mut compared);
        values(&folder, &mut compared);
        loops(&folder, &mut compared);
        threads(&jdk, &mut compared);
        let library = folder.json(&["sql", "--library"]);
        assert_eq!(compared.complaints(&library), [] as [String; 0]);
    }
}
