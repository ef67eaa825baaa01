//! The copy: tables that are made of the stream of events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jhyde_integration::Folder;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value as Json, json};

use super::classes::Classes;
use super::dice::Dice;
use super::fill::fill;
use super::paths;
use super::schema::{Of, SCHEMAS, Schema};

/// A table of the copy.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) schema: &'static Schema,
    pub(super) columns: Vec<Column>,
    /// Those of them that an index serves.
    pub(super) served: Vec<Column>,
}

/// A column, and some of the values that it has, as they are written in SQL.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) of: Of,
    pub(super) values: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Copied {
    connection: Connection,
    tables: BTreeMap<&'static str, Table>,
}

impl Copied {
    /// What the recording `run` tells of a program whose classes are in a folder.
    pub(super) fn of(folder: &Folder, classes: &Path) -> Self {
        let connection = Connection::open_in_memory().expect("a database");
        let events = whole(folder);
        let classes = Classes::of(classes, &events);
        fill(&connection, &events, &classes);
        let tables = SCHEMAS.iter().map(|schema| {
            let table = Table::of(&connection, schema);
            (schema.name, table)
        });
        let tables = tables.collect();
        Self { connection, tables }
    }

    pub(super) fn table(&self, name: &str) -> &Table {
        &self.tables[name]
    }

    /// The rows of a statement, as lists of cells by the names of the columns.
    pub(super) fn rows(&self, statement: &str) -> Vec<Vec<Json>> {
        let mut statement = self.connection.prepare(statement).expect(statement);
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

    /// One of the rows that there are: some of its cells, as they are written in SQL.
    pub(super) fn pick(
        &self,
        dice: &mut Dice,
        from: &str,
        condition: &str,
        wanted: &[String],
    ) -> Option<Vec<String>> {
        let count = format!("SELECT count(*) FROM {from} WHERE {condition}");
        let count = self.connection.query_row(&count, [], |row| row.get(0));
        let count: i64 = count.expect(from);
        let at = match usize::try_from(count) {
            Ok(0) | Err(_) => return None,
            Ok(count) => dice.roll(count),
        };
        let mut columns = "1".to_owned();
        for one in wanted {
            columns.push_str(&format!(", quote({one})"));
        }
        let statement =
            format!("SELECT {columns} FROM {from} WHERE {condition} LIMIT 1 OFFSET {at}");
        let cells = self.connection.query_row(&statement, [], |row| {
            (1..=wanted.len()).map(|cell| row.get(cell)).collect()
        });
        Some(cells.expect(&statement))
    }
}

/// The kind of what was found, and is no deed of the program.
pub(super) const FOUND: &str = "found";

/// The stream of events. It leaves out what was found: that is looked up, number by number.
fn whole(folder: &Folder) -> Vec<Json> {
    let told = folder.json(&["events", "run"]);
    let number = |event: &Json| event["timestamp"].as_u64();
    let told = told.into_iter();
    let mut told: BTreeMap<u64, Json> = told
        .filter_map(|event| Some((number(&event)?, event)))
        .collect();
    let count = folder.json(&["show", "run"]).remove(0)["events"]
        .as_u64()
        .expect("a number");
    for at in 0..count {
        told.entry(at).or_insert_with(|| {
            let located = folder.json(&["locate", "run", &at.to_string()]);
            let mut found = located[0]["event"].clone();
            assert_eq!(number(&found), Some(at), "{found}");
            found["kind"] = json!(FOUND);
            found
        });
    }
    told.into_values().collect()
}

impl Table {
    fn of(connection: &Connection, schema: &'static Schema) -> Self {
        let columns = schema.shown().into_iter().map(|(name, of)| Column {
            values: some_values(connection, schema.name, &name),
            name,
            of,
        });
        let columns: Vec<Column> = columns.collect();
        let ways = paths::of(schema.name);
        let names: BTreeSet<&String> = ways.iter().flat_map(paths::Path::columns).collect();
        let mut served = columns.clone();
        served.retain(|column| names.contains(&column.name));
        Self {
            schema,
            columns,
            served,
        }
    }

    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Values of a column, from its least to its greatest one.
fn some_values(connection: &Connection, table: &str, column: &str) -> Vec<String> {
    const MOST: usize = 40;
    let statement = format!(
        "SELECT quote(\"{column}\") FROM (SELECT DISTINCT \"{column}\" FROM {table} WHERE \"{column}\" IS NOT NULL ORDER BY 1)"
    );
    let mut statement = connection.prepare(&statement).expect("a column");
    let values = statement.query_map([], |row| row.get(0)).expect("values");
    let values: Vec<String> = values.collect::<Result<_, _>>().expect("values");
    let step = values.len().div_ceil(MOST).max(1);
    values.into_iter().step_by(step).collect()
}
