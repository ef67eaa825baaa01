//! Answers of SQL: a row by the names of its columns; tables.

use jhyde_proto::v1::sql_cell::Kind;
use jhyde_proto::v1::{SqlCell, SqlColumn, SqlFooter, SqlHeader, SqlModule, SqlRow, SqlTable};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

/// A row: an object with a key for each column. Of columns of one name the later ones get their place behind it: `id`, `id:2`.
#[derive(Clone, Copy, Debug)]
pub struct SqlRowJson<'a> {
    /// The columns of the answer.
    pub columns: &'a [String],
    /// The row.
    pub row: &'a SqlRow,
}

impl Serialize for SqlRowJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        for (at, (column, cell)) in self.columns.iter().zip(&self.row.cells).enumerate() {
            let same = self.columns[..at].iter().filter(|name| *name == column);
            match same.count() {
                0 => map.serialize_entry(column, &CellJson(cell))?,
                more => map.serialize_entry(&format!("{column}:{}", more + 1), &CellJson(cell))?,
            }
        }
        map.end()
    }
}

struct CellJson<'a>(&'a SqlCell);

impl Serialize for CellJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None => s.serialize_unit(),
            Some(Kind::Int(number)) => s.serialize_i64(*number),
            // JSON has no infinities.
            Some(Kind::Real(number)) if number.is_infinite() => s.serialize_str(if *number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }),
            Some(Kind::Real(number)) => s.serialize_f64(*number),
            Some(Kind::Text(text)) => s.serialize_str(text),
            Some(Kind::Bytes(bytes)) => s.collect_seq(bytes),
        }
    }
}

/// Behind the rows: how far each recording was seen, and what the answer does not tell.
#[derive(Clone, Copy, Debug)]
pub struct SqlUntilJson<'a> {
    /// What came first.
    pub header: &'a SqlHeader,
    /// What came last.
    pub footer: &'a SqlFooter,
}

#[derive(Serialize)]
struct SeenJson<'a> {
    schema: &'a str,
    id: &'a str,
    name: &'a str,
    until: u64,
}

impl Serialize for SqlUntilJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("until", &self.header.until)?;
        if self.header.seen.len() > 1 {
            let seen = self.header.seen.iter().map(|seen| SeenJson {
                schema: &seen.schema,
                id: &seen.recording,
                name: &seen.name,
                until: seen.until,
            });
            map.serialize_entry("recordings", &seen.collect::<Vec<_>>())?;
        }
        map.serialize_entry("rows", &self.footer.rows)?;
        map.serialize_entry("more", &self.footer.more)?;
        map.serialize_entry("notes", &self.footer.notes)?;
        map.serialize_entry("blocks", &self.footer.blocks)?;
        map.serialize_entry("blocks_decoded", &self.footer.blocks_decoded)?;
        map.end()
    }
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct SqlTableJson<'a>(pub &'a SqlTable);

#[derive(Serialize)]
struct ColumnJson<'a> {
    name: &'a str,
    r#type: &'a str,
    description: &'a str,
}

impl Serialize for SqlTableJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let columns = columns(&table.columns);
        let arguments: Vec<_> = table
            .arguments
            .iter()
            .map(|argument| &argument.name)
            .collect();
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("table", &table.name)?;
        map.serialize_entry("description", &table.description)?;
        map.serialize_entry("level", &table.level)?;
        map.serialize_entry("arguments", &arguments)?;
        map.serialize_entry("columns", &columns)?;
        map.end()
    }
}

fn columns(all: &[SqlColumn]) -> Vec<ColumnJson<'_>> {
    let all = all.iter().map(|column| ColumnJson {
        name: &column.name,
        r#type: &column.r#type,
        description: &column.description,
    });
    all.collect()
}

/// A module.
#[derive(Clone, Copy, Debug)]
pub struct SqlModuleJson<'a>(pub &'a SqlModule);

#[derive(Serialize)]
struct DefinedJson<'a> {
    name: &'a str,
    description: &'a str,
    arguments: Vec<ColumnJson<'a>>,
    columns: Vec<ColumnJson<'a>>,
}

impl Serialize for SqlModuleJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let defined = self.0.definitions.iter().map(|defined| DefinedJson {
            name: &defined.name,
            description: &defined.description,
            arguments: columns(&defined.arguments),
            columns: columns(&defined.columns),
        });
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("module", &self.0.name)?;
        map.serialize_entry("description", &self.0.description)?;
        map.serialize_entry("definitions", &defined.collect::<Vec<_>>())?;
        map.end()
    }
}
