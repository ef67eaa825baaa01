//! Rows as a stream of Apache Arrow's, and what a statement may take.

use std::process::{Command, Stdio};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, SchemaRef};
use jhyde_integration::{Folder, jdks};
use serde_json::{Value as Json, json};

use crate::{ask, fails, merge_sort};

fn stream(folder: &Folder, words: &[&str]) -> (SchemaRef, Vec<RecordBatch>, String) {
    let output = folder
        .jhyde(&[&["sql", "run", "--arrow"], words].concat())
        .output()
        .expect("jhyde");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let reader = StreamReader::try_new(output.stdout.as_slice(), None).expect("a stream");
    let schema = reader.schema();
    let batches = reader.map(|batch| batch.expect("a batch")).collect();
    (schema, batches, said)
}

fn cell(column: &dyn Array, at: usize) -> Json {
    if column.is_null(at) || column.data_type() == &DataType::Null {
        return Json::Null;
    }
    match column.data_type() {
        DataType::Int64 => json!(column.as_primitive::<Int64Type>().value(at)),
        DataType::Float64 => json!(column.as_primitive::<Float64Type>().value(at)),
        DataType::Utf8 => json!(column.as_string::<i32>().value(at)),
        other => panic!("{other} is no column of these"),
    }
}

#[test]
fn rows_are_those_of_json_with_the_types_of_the_tables() {
    let folder = merge_sort(&jdks()[0], "full");
    let statement = "SELECT e.timestamp, e.kind, c.id, c.exit, c.size * 0.5 AS half, NULL AS none, CASE WHEN e.timestamp > 5 THEN c.method END AS late \
                     FROM events e LEFT JOIN calls c ON c.id = e.call ORDER BY e.timestamp";
    let (rows, end) = ask(&folder, &["-c", statement]);
    let (schema, batches, _) = stream(&folder, &["-c", statement]);
    let fields = schema.fields().iter();
    let types: Vec<_> = fields
        .map(|field| (field.name().as_str(), field.data_type().clone()))
        .collect();
    assert_eq!(
        types,
        [
            ("timestamp", DataType::Int64),
            ("kind", DataType::Utf8),
            ("id", DataType::Utf8),
            ("exit", DataType::Int64),
            ("half", DataType::Float64),
            ("none", DataType::Null),
            ("late", DataType::Utf8),
        ]
    );
    let about = |name: &str| schema.metadata().get(name).map(ToString::to_string);
    assert_eq!(about("jhyde.until"), Some(end["until"].to_string()));
    let id = folder.json(&["show", "run"])[0]["id"]
        .as_str()
        .map(str::to_owned);
    assert_eq!(about("jhyde.recording"), id);
    let names: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let told = batches.iter().flat_map(|batch| {
        (0..batch.num_rows()).map(|at| {
            let cells = batch.columns().iter().map(|column| cell(column, at));
            Json::Object(names.iter().cloned().zip(cells).collect())
        })
    });
    let told: Vec<Json> = told.collect();
    assert!(told.len() > 50);
    assert_eq!(told, rows);
    // No rows have types, too.
    let (schema, batches, _) = stream(
        &folder,
        &["-c", "SELECT id, depth, 1 AS one FROM calls WHERE 0"],
    );
    let types: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.data_type().clone())
        .collect();
    assert_eq!(types, [DataType::Utf8, DataType::Int64, DataType::Null]);
    assert!(batches.iter().all(|batch| batch.num_rows() == 0));
}

#[test]
fn many_rows_come_in_batches_and_notes_beside_them() {
    let folder = merge_sort(&jdks()[0], "full");
    let statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i, CASE WHEN i = 299999 THEN 'x' END AS rare FROM n";
    let output = folder
        .jhyde(&["sql", "run", "--arrow", "-c", statement])
        .output()
        .expect("jhyde");
    // Of `rare` only nulls came for 65,536 rows: what comes then is refused, and never left out.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(
        said.contains("rare holds nothing but nulls and, in row 299999, texts"),
        "{said}"
    );
    // And who reads what was written sees that it is no whole stream.
    let mut reader = StreamReader::try_new(output.stdout.as_slice(), None).expect("its beginning");
    assert!(reader.any(|batch| batch.is_err()));
    let statement = statement.replace("END AS", "ELSE '' END AS");
    let (_, batches, _) = stream(&folder, &["-c", &statement]);
    assert!(batches.len() > 50, "{}", batches.len());
    let sum: i64 = batches
        .iter()
        .flat_map(|batch| {
            batch
                .column(0)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        })
        .sum();
    assert_eq!(sum, 300_000 * 300_001 / 2);
    let (_, batches, said) = stream(&folder, &["-c", "SELECT id FROM calls", "--max-rows", "2"]);
    assert_eq!(batches[0].num_rows(), 2);
    assert!(said.contains("there are more rows than 2"), "{said}");
}

fn refused(folder: &Folder, words: &[&str], says: &str) {
    fails(folder, &[&["sql", "run"], words].concat(), says);
}

#[test]
fn what_cannot_be_written_so_is_said() {
    let folder = merge_sort(&jdks()[0], "full");
    let two = "SELECT 1 AS x UNION ALL SELECT 'one'";
    refused(
        &folder,
        &["--arrow", "-c", two],
        "x holds whole numbers and, in row 2, texts",
    );
    refused(&folder, &["--arrow", "--csv", "-c", two], "--csv");
    // A terminal gets no bytes.
    let line = format!(
        "exec '{}' --data '{}' sql run --arrow -c 'SELECT 1'",
        jhyde_integration::tools::binary("jhyde").display(),
        folder.data().display()
    );
    let output = Command::new("script")
        .args(["-qfec", &line, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .expect("script (Debian package bsdutils) can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && said.contains("send them to a file"),
        "{said}"
    );
}

#[test]
fn a_statement_ends_where_it_needs_more_memory_than_it_may_take() {
    let folder = merge_sort(&jdks()[0], "full");
    let many = |count: u32| {
        format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
             SELECT length(group_concat(printf('%01000d', i))) AS n FROM n"
        )
    };
    let large = many(30_000);
    let needs = "the statement needs more memory than 16 MB";
    refused(&folder, &["--memory", "16MB", "-c", &large], needs);
    // The same inside of a function.
    let inside =
        format!("CREATE FUNCTION f() RETURNS TABLE(n INTEGER) AS {large}; SELECT * FROM f()");
    refused(&folder, &["--memory", "16MB", "-c", &inside], needs);
    let (rows, _) = ask(&folder, &["--memory", "16MB", "-c", &many(1000)]);
    assert_eq!(rows, [json!({"n": 1_000_999})]);
    let (rows, _) = ask(&folder, &["-c", &large]);
    assert_eq!(rows, [json!({"n": 30_029_999})]);
    // What is sorted goes to files: it needs no more memory the more it is.
    let sorted = "CREATE TEMP TABLE s AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) \
                  SELECT printf('%0200d', i * 7919 % 300007) AS k FROM n ORDER BY k; SELECT count(*) AS n FROM s";
    let (rows, _) = ask(&folder, &["--memory", "16MB", "-c", sorted]);
    assert_eq!(rows, [json!({"n": 300_000})]);
    refused(
        &folder,
        &["--memory", "1MiB", "-c", "SELECT 1"],
        "8 MB of memory at least",
    );
    refused(
        &folder,
        &["--memory", "much", "-c", "SELECT 1"],
        "'much' is not a size",
    );
}
