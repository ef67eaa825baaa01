//! Queries: what there are, and rows by the names of their columns.

use jhyde_proto::v1::query_cell::{Field, Kind};
use jhyde_proto::v1::{Query, QueryCell, QueryColumn, QueryRow};
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::{CallJson, PlaceJson, ValueJson};

/// A query that can be asked.
#[derive(Clone, Copy, Debug)]
pub struct QueryJson<'a>(pub &'a Query);

#[derive(Serialize)]
struct ParameterJson<'a> {
    name: &'a str,
    description: &'a str,
    required: bool,
    positional: bool,
    flag: bool,
}

#[derive(Serialize)]
struct ColumnJson<'a> {
    name: &'a str,
    r#type: String,
    description: &'a str,
}

impl Serialize for QueryJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let query = self.0;
        let parameters = query.parameters.iter().map(|parameter| ParameterJson {
            name: &parameter.name,
            description: &parameter.description,
            required: parameter.required,
            positional: parameter.positional,
            flag: parameter.flag,
        });
        let parameters: Vec<_> = parameters.collect();
        let columns = query.columns.iter().map(|column| ColumnJson {
            name: &column.name,
            r#type: type_word(column),
            description: &column.description,
        });
        let columns: Vec<_> = columns.collect();
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("query", &query.name)?;
        map.serialize_entry("description", &query.description)?;
        map.serialize_entry("parameters", &parameters)?;
        map.serialize_entry("columns", &columns)?;
        map.serialize_entry("level", &query.level)?;
        map.serialize_entry("cost", &query.cost)?;
        map.end()
    }
}

fn type_word(column: &QueryColumn) -> String {
    let word = column.r#type().as_str_name();
    word.trim_start_matches("QUERY_COLUMN_TYPE_").to_lowercase()
}

/// A row: an object with a key for each column.
#[derive(Clone, Copy, Debug)]
pub struct QueryRowJson<'a> {
    /// The columns of the answer.
    pub columns: &'a [QueryColumn],
    /// The row.
    pub row: &'a QueryRow,
}

impl Serialize for QueryRowJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        for (column, cell) in self.columns.iter().zip(&self.row.cells) {
            map.serialize_entry(&column.name, &CellJson(cell))?;
        }
        map.end()
    }
}

struct CellJson<'a>(&'a QueryCell);

impl Serialize for CellJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None => s.serialize_unit(),
            Some(Kind::Int(number) | Kind::Event(number)) => s.serialize_u64(*number),
            Some(Kind::Text(text)) => s.serialize_str(text),
            Some(Kind::Value(value)) => ValueJson(value).serialize(s),
            Some(Kind::Call(call)) => CallJson(call).serialize(s),
            Some(Kind::Calls(calls)) => {
                let mut list = s.serialize_seq(Some(calls.calls.len()))?;
                for call in &calls.calls {
                    list.serialize_element(&CallJson(call))?;
                }
                list.end()
            }
            Some(Kind::Place(place)) => PlaceJson(place).serialize(s),
            Some(Kind::Fields(fields)) => {
                // A list: an object may have two fields of one name.
                let mut list = s.serialize_seq(Some(fields.fields.len()))?;
                for field in &fields.fields {
                    list.serialize_element(&FieldJson::from(field))?;
                }
                list.end()
            }
        }
    }
}

#[derive(Serialize)]
struct FieldJson<'a> {
    name: &'a str,
    value: Option<ValueJson<'a>>,
}

impl<'a> From<&'a Field> for FieldJson<'a> {
    fn from(field: &'a Field) -> Self {
        Self {
            name: &field.name,
            value: field.value.as_ref().map(ValueJson),
        }
    }
}

/// Behind the rows: how far the history was seen, and what the answer does not tell.
#[derive(Debug, Serialize)]
pub struct UntilJson<'a> {
    /// Only events before this timestamp count.
    pub until: u64,
    /// How many rows there were.
    pub rows: u64,
    /// There are more: nobody asked for them.
    pub more: bool,
    /// What the answer does not tell.
    pub notes: &'a [String],
    /// So many blocks of events were looked into.
    pub blocks: u64,
    /// So often one was read from the disk for it.
    pub blocks_decoded: u64,
}

/// A statement that somebody keeps.
#[derive(Debug, Serialize)]
pub struct SavedJson {
    /// Its name.
    pub query: String,
    /// What its first comment says.
    pub description: String,
    /// What it takes, in this order.
    pub parameters: Vec<String>,
    /// Its text.
    pub statement: String,
}

/// An answer that is kept.
#[derive(Debug, Serialize)]
pub struct AnswerJson<'a> {
    /// Its name.
    pub answer: &'a str,
    /// When it was asked, in milliseconds since 1970-01-01 UTC.
    pub asked_ms: u64,
    /// Of which recordings, as they were named.
    pub recordings: Vec<String>,
    /// What, with its parameters.
    pub question: String,
    /// How many rows it has.
    pub rows: u64,
}

/// An answer that is kept in a file that cannot be read.
#[derive(Debug, Serialize)]
pub struct LostAnswerJson<'a> {
    /// Its name.
    pub answer: &'a str,
    /// Why.
    pub cannot_be_read: String,
}

/// The same of a statement.
#[derive(Debug, Serialize)]
pub struct LostQueryJson<'a> {
    /// Its name.
    pub query: &'a str,
    /// Why.
    pub cannot_be_read: String,
}

/// Behind the rows that two answers do not share.
#[derive(Debug, Serialize)]
pub struct DiffJson {
    /// So many rows are in both.
    pub shared: u64,
    /// So many in the first alone.
    pub left: u64,
    /// So many in the second alone.
    pub right: u64,
    /// What they do not tell, with the answer's name before it.
    pub notes: Vec<String>,
}
