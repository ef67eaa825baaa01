//! Several recordings in one statement.

use jhyde_integration::{Folder, jdks};
use serde_json::{Value as Json, json};

use crate::fails;

/// Two runs of one program at different levels, and one of another.
fn three() -> Folder {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    for (name, part, class, level) in [
        ("sort-1", "mergesort", "MergeSort", "full"),
        ("sort-2", "mergesort", "MergeSort", "calls"),
        ("ledger", "queries", "Ledger", "state"),
    ] {
        let path = jdk.classes(part).display().to_string();
        let arguments = ["-cp".to_owned(), path, class.to_owned()];
        let options = ["--level", level, "--include", class];
        let run = folder.launch(jdk, name, &options, &arguments);
        assert!(run.status.success(), "{}", run.stderr);
    }
    folder
}

fn ask(folder: &Folder, words: &[&str]) -> (Vec<Vec<Json>>, Json) {
    let mut lines = folder.json(&[&["sql"], words].concat());
    let end = lines.pop().expect("an end");
    let cells = |row: Json| row.as_object().expect("a row").values().cloned().collect();
    (lines.into_iter().map(cells).collect(), end)
}

fn refused(folder: &Folder, words: &[&str], says: &str) {
    fails(folder, &[&["sql"], words].concat(), says);
}

#[test]
fn tables_of_several_recordings_go_by_their_names() {
    let folder = three();
    let all = ["sort-1", "new=sort-2", "ledger"];
    let one = |words: &[&str], statement: &str| ask(&folder, &[words, &["-c", statement]].concat());
    let (alone, _) = one(
        &["sort-2"],
        "SELECT id, method, enter FROM calls ORDER BY enter",
    );
    let (named, end) = one(
        &all,
        "SELECT id, method, enter FROM new.calls ORDER BY enter",
    );
    assert!(alone.len() > 5);
    assert_eq!(alone, named);
    let told = end["recordings"].as_array().expect("all are told");
    let told: Vec<_> = told
        .iter()
        .map(|one| {
            (
                one["schema"].as_str(),
                one["name"].as_str(),
                one["until"].as_u64(),
            )
        })
        .collect();
    let shown = |name: &str| folder.json(&["show", name]).remove(0);
    for ((schema, name, until), (wanted, recording)) in told.iter().zip([
        ("sort_1", "sort-1"),
        ("new", "sort-2"),
        ("ledger", "ledger"),
    ]) {
        assert_eq!((*schema, *name), (Some(wanted), Some(recording)));
        assert_eq!(*until, shown(recording)["events"].as_u64());
    }
    // Without a name a table is that of the first; functions take the columns of another table, of their own recording.
    let (first, _) = one(&all, "SELECT count(*) AS n FROM writes");
    let (alone, _) = one(&["sort-1"], "SELECT count(*) AS n FROM writes");
    assert_eq!(first, alone);
    let joined = "SELECT l.method, c.method AS called FROM ledger.calls l, ledger.children(l.id) c WHERE l.method = 'main' ORDER BY c.enter";
    let (joined, _) = one(&all, joined);
    assert!(
        joined.contains(&vec![json!("depth"), json!("main")]),
        "{joined:?}"
    );
    // What one has and the other has not.
    let (both, _) = one(
        &all,
        "SELECT name FROM sort_1.methods INTERSECT SELECT name FROM new.methods WHERE name LIKE 'm%' ORDER BY name",
    );
    assert_eq!(both, [[json!("main")], [json!("merge")]]);
    let (own, _) = one(
        &all,
        "SELECT name FROM ledger.methods EXCEPT SELECT name FROM sort_1.methods ORDER BY name LIMIT 2",
    );
    assert_eq!(own.len(), 2);
    // A level that leaves a table out hinders the others' no more than their own.
    refused(
        &folder,
        &["sort-1", "new=sort-2", "-c", "SELECT * FROM new.writes"],
        "the table writes needs level state",
    );
    let (rows, _) = one(
        &all,
        "SELECT schema, name, level, state, events FROM recordings ORDER BY schema",
    );
    let events = |name: &str| shown(name)["events"].clone();
    // By the names of the columns: events, level, name, schema, state.
    assert_eq!(
        rows,
        [
            [
                events("ledger"),
                json!("state"),
                json!("ledger"),
                json!("ledger"),
                json!("complete")
            ],
            [
                events("sort-2"),
                json!("calls"),
                json!("sort-2"),
                json!("new"),
                json!("complete")
            ],
            [
                events("sort-1"),
                json!("full"),
                json!("sort-1"),
                json!("sort_1"),
                json!("complete")
            ],
        ]
    );
    // For people.
    let text = folder.ask(&["sql", "sort-1", "new=sort-2", "-c", "SELECT 1 AS one"]);
    let last = events("sort-1").as_u64().expect("a number") - 1;
    assert!(
        text.contains(&format!(
            "seen: sort_1 (sort-1) up to event {last}, new (sort-2) up to event"
        )),
        "{text}"
    );
    // A file behind them.
    let file = folder.data().with_file_name("both.sql");
    std::fs::write(
        &file,
        "SELECT count(*) AS n FROM sort_1.calls, ledger.threads",
    )
    .expect("a file");
    let (rows, _) = ask(&folder, &["sort-1", "ledger", &file.display().to_string()]);
    assert_eq!(rows.len(), 1);
}

#[test]
fn names_that_make_no_sense_are_refused() {
    let folder = three();
    for (words, says) in [
        (&["sort-1", "sort-9"][..], "sort-9"),
        (
            &["a=sort-1", "A=sort-2"],
            "stands for something else already",
        ),
        (
            &["main=sort-1", "sort-2"],
            "stands for something else already",
        ),
        (&["x y=sort-1", "sort-2"], "cannot stand before a table"),
        (&["1=sort-1", "sort-2"], "cannot stand before a table"),
        (
            &[
                "ledger", "ledger", "ledger", "ledger", "ledger", "ledger", "ledger", "ledger",
                "ledger",
            ],
            "at most 7 more",
        ),
        (
            &["sort-1", "sort-2", "--to", "5"],
            "is an event of one recording",
        ),
    ] {
        refused(&folder, &[words, &["-c", "SELECT 1"]].concat(), says);
    }
    let both = ["sort-1", "sort-2", "-c"];
    refused(
        &folder,
        &[&both[..], &["SELECT * FROM sort_3.calls"]].concat(),
        "the recordings are sort_1, sort_2",
    );
    refused(
        &folder,
        &[&both[..], &["SELECT * FROM sort_1.cals"]].concat(),
        "did you mean calls",
    );
    refused(
        &folder,
        &[&both[..], &["DELETE FROM sort_1.calls"]].concat(),
        "may not be modified",
    );
    refused(
        &folder,
        &[&both[..], &["ATTACH ':memory:' AS x"]].concat(),
        "no file can be attached",
    );
    // One twice: the second has a number behind its name.
    let (rows, _) = ask(
        &folder,
        &[
            "ledger",
            "ledger",
            "-c",
            "SELECT count(*) AS n FROM ledger.calls a, ledger_2.calls b WHERE a.id = b.id",
        ],
    );
    let (alone, _) = ask(
        &folder,
        &["ledger", "-c", "SELECT count(*) AS n FROM calls"],
    );
    assert_eq!(rows, alone);
}
