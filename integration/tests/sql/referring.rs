//! What the index of fields, classes and references leads to is what a look at all rows finds (`+column` keeps SQLite from asking an
//! index).

use jhyde_integration::{Folder, jdks};
use serde_json::{Value as Json, json};

use crate::{ask, record, rows};

/// Both ways of asking: rows by the index, and by looking at all. They are equal; how many there are.
fn agree(
    folder: &Folder,
    table: &str,
    columns: &str,
    order: &str,
    column: &str,
    value: &Json,
) -> usize {
    let value = match value {
        Json::String(text) => format!("'{}'", text.replace('\'', "''")),
        other => other.to_string(),
    };
    let statement = |column: &str| {
        format!("SELECT {columns} FROM {table} WHERE {column} = {value} ORDER BY {order}")
    };
    let by_index = rows(folder, &statement(column));
    let by_looking = rows(folder, &statement(&format!("+{column}")));
    assert_eq!(by_index, by_looking, "{table}.{column} = {value}");
    by_index.len()
}

/// The values of a column: the most frequent ones, the rarest ones, and one that nothing has.
fn values(folder: &Folder, table: &str, column: &str) -> Vec<Json> {
    let some = |order: &str| {
        let statement = format!(
            "SELECT {column} AS v FROM {table} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY count(*) {order}, 1 LIMIT 8"
        );
        rows(folder, &statement)
            .into_iter()
            .map(|mut row| row.remove(0))
    };
    let mut all: Vec<Json> = some("DESC").chain(some("ASC")).collect();
    all.push(match all.first() {
        Some(Json::String(_)) => json!("no.such.Name"),
        _ => json!(99_999_999),
    });
    all
}

#[test]
fn rows_by_what_they_are_about_are_those_that_a_look_at_all_finds() {
    for jdk in jdks() {
        let folder = record(&jdk, "queries", "Ledger", &["--level", "full"]);
        for (table, columns, order, column) in [
            (
                "events",
                "timestamp, kind, variable, value",
                "timestamp",
                "value_object",
            ),
            (
                "writes",
                "timestamp, variable, value",
                "timestamp",
                "value_object",
            ),
            (
                "writes",
                "timestamp, variable, value",
                "timestamp",
                "object",
            ),
            (
                "writes",
                "timestamp, variable, value",
                "timestamp",
                "field_class",
            ),
            ("exceptions", "timestamp, kind", "timestamp", "exception"),
            (
                "objects",
                "id, shown, timestamp",
                "timestamp",
                "object_class",
            ),
            ("calls", "id, method, receiver", "enter", "receiver_object"),
            ("calls", "id, method, result", "enter", "result_object"),
            ("calls", "id, method, exception_class", "enter", "exception"),
            (
                "arguments",
                "call, position, value",
                "enter, position",
                "value_object",
            ),
        ] {
            let found = values(&folder, table, column).into_iter().map(|value| {
                let found = agree(&folder, table, columns, order, column, &value);
                agree(
                    &folder,
                    table,
                    columns,
                    &format!("{order} DESC"),
                    column,
                    &value,
                );
                found
            });
            assert!(
                found.sum::<usize>() > 3,
                "{table}.{column} is nowhere anything"
            );
            let value = if column.ends_with("_class") {
                "'1'"
            } else {
                "1"
            };
            let statement = format!("SELECT * FROM {table} WHERE {column} = {value}");
            let (plan, _) = ask(&folder, &["--explain", "-c", &statement]);
            let told = plan[0]["plan"].as_str().expect("a plan");
            assert!(told.contains("index of blocks that"), "{told}");
        }
        let named = "SELECT timestamp, value FROM writes WHERE field_class = 'Ledger' AND name = 'total' ORDER BY timestamp";
        let looked = named.replace("field_class =", "+field_class =");
        let found = rows(&folder, named);
        assert_eq!(found, rows(&folder, &looked));
        assert!(found.len() > 2, "{found:?}");
    }
}
