//! Rows as a stream of Apache Arrow's (its columnar format, "IPC Streaming Format"): for pandas, Polars, DuckDB and the like.
//!
//! A column of Arrow's has one type, a column of SQL's has none. It is that of the values that came before the first batch goes out, else the
//! one that its table declares; columns of which neither is known hold the first batch back, up to [`MOST_ROWS`]. Whole numbers and such with a fraction
//! are together `Float64` where that changes none of them. What does not fit is an error that says what to write: nothing is turned into something else.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Float64Array, Int64Array, NullArray, RecordBatch, StringArray,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::asked::Seen;
use super::datum::Datum;
use super::error::SqlError;
use super::run::Answered;
use super::table::Type;
use crate::error::Result;

/// So many rows are a batch.
const ROWS: usize = 4096;
/// Or so many bytes, about.
const BYTES: usize = 1 << 20;
/// So many rows wait at most for a column of which no type is known.
const MOST_ROWS: usize = 1 << 16;
/// Or so many bytes, about.
const MOST_BYTES: usize = 16 << 20;
/// A whole number beyond it (2^53) may have no `f64` of its own.
const EXACT: u64 = 1 << 53;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Real,
    Text,
    Bytes,
}

impl Kind {
    fn arrow(self) -> DataType {
        match self {
            Self::Int => DataType::Int64,
            Self::Real => DataType::Float64,
            Self::Text => DataType::Utf8,
            Self::Bytes => DataType::Binary,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Int => "whole numbers",
            Self::Real => "numbers with a fraction",
            Self::Text => "texts",
            Self::Bytes => "bytes",
        }
    }

    fn of(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Null => None,
            Datum::Int(_) => Some(Self::Int),
            Datum::Real(_) => Some(Self::Real),
            Datum::Text(_) => Some(Self::Text),
            Datum::Bytes(_) => Some(Self::Bytes),
        }
    }
}

struct Column {
    name: String,
    declared: Option<Kind>,
    /// What its values were.
    seen: Option<Kind>,
}

impl Column {
    fn kind(&self) -> Option<Kind> {
        match (self.seen, self.declared) {
            (Some(Kind::Int), Some(Kind::Real)) => Some(Kind::Real),
            (seen, declared) => seen.or(declared),
        }
    }
}

/// Takes rows, and gives the bytes of a stream.
pub struct ArrowStream {
    columns: Vec<Column>,
    /// What is said of the whole: which recordings, up to which event.
    about: Vec<(String, String)>,
    waiting: Vec<Vec<Datum>>,
    bytes: usize,
    /// Rows that went out.
    before: usize,
    writer: Option<StreamWriter<Vec<u8>>>,
}

impl std::fmt::Debug for ArrowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let waiting = self.waiting.len();
        f.debug_struct("ArrowStream")
            .field("before", &self.before)
            .field("waiting", &waiting)
            .finish()
    }
}

impl ArrowStream {
    /// Of an answer with these columns. The schema's metadata has `jhyde.recording` (ids) and `jhyde.until` (of each the timestamp behind the last event
    /// that is seen), in the order in which they are asked, with commas.
    pub fn new(columns: &[Answered<'_>], seen: &[Seen]) -> Self {
        let join = |of: fn(&Seen) -> String| seen.iter().map(of).collect::<Vec<_>>().join(",");
        let columns = columns.iter().map(|column| Column {
            name: column.name.to_owned(),
            declared: column.declared.map(|of| match of {
                Type::Int => Kind::Int,
                Type::Real => Kind::Real,
                Type::Text => Kind::Text,
            }),
            seen: None,
        });
        Self {
            columns: columns.collect(),
            about: vec![
                (
                    "jhyde.recording".to_owned(),
                    join(|seen| seen.meta.id.clone()),
                ),
                (
                    "jhyde.until".to_owned(),
                    join(|seen| seen.until.0.to_string()),
                ),
            ],
            waiting: Vec::new(),
            bytes: 0,
            before: 0,
            writer: None,
        }
    }

    /// Takes a row: a cell for each column. Gives what is ready to go out; mostly nothing.
    ///
    /// # Errors
    /// When a value has another type than its column.
    pub fn row(&mut self, cells: Vec<Datum>) -> Result<Vec<u8>> {
        let number = self.before + self.waiting.len() + 1;
        let is_open = self.writer.is_none();
        for (column, cell) in self.columns.iter_mut().zip(&cells) {
            self.bytes += match cell {
                Datum::Text(text) => text.len(),
                Datum::Bytes(bytes) => bytes.len(),
                _ => 8,
            };
            let Some(kind) = Kind::of(cell) else { continue };
            let known = if is_open { column.seen } else { column.kind() };
            match (known, kind) {
                (None, _) if is_open => column.seen = Some(kind),
                (Some(known), _) if known == kind => {}
                (Some(Kind::Real), Kind::Int) => {}
                (Some(Kind::Int), Kind::Real) if is_open => column.seen = Some(Kind::Real),
                (known, _) => return Err(other(&column.name, known, kind, number)),
            }
        }
        self.waiting.push(cells);
        let (rows, bytes) =
            match self.columns.iter().all(|column| column.kind().is_some()) || !is_open {
                true => (ROWS, BYTES),
                false => (MOST_ROWS, MOST_BYTES),
            };
        match self.waiting.len() >= rows || self.bytes >= bytes {
            true => self.batch(),
            false => Ok(Vec::new()),
        }
    }

    /// The end: gives what is left.
    ///
    /// # Errors
    /// As [`ArrowStream::row`].
    pub fn end(mut self) -> Result<Vec<u8>> {
        let mut all = self.batch()?;
        if let Some(mut writer) = self.writer.take() {
            writer.finish().map_err(failed)?;
            all.append(writer.get_mut());
        }
        Ok(all)
    }

    /// What waits, as a batch; ahead of the first one the schema.
    fn batch(&mut self) -> Result<Vec<u8>> {
        let fields = self.columns.iter().map(|column| {
            let of = column.kind().map_or(DataType::Null, Kind::arrow);
            Field::new(&column.name, of, true)
        });
        let schema = Schema::new_with_metadata(
            fields.collect::<Vec<_>>(),
            self.about.iter().cloned().collect::<HashMap<_, _>>(),
        );
        let schema = Arc::new(schema);
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(StreamWriter::try_new(Vec::new(), &schema).map_err(failed)?),
        };
        let rows = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        if !rows.is_empty() {
            let arrays = self.columns.iter().enumerate().map(|(at, column)| {
                let cells = rows.iter().map(|row| row.get(at).unwrap_or(&Datum::Null));
                array(column, cells, self.before)
            });
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
            let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
            writer.write(&batch.map_err(failed)?).map_err(failed)?;
            self.before += rows.len();
        }
        Ok(std::mem::take(writer.get_mut()))
    }
}

/// The cells of a column, behind so many rows.
fn array<'a>(
    column: &Column,
    cells: impl ExactSizeIterator<Item = &'a Datum>,
    before: usize,
) -> Result<ArrayRef> {
    let Some(kind) = column.kind() else {
        return Ok(Arc::new(NullArray::new(cells.len())));
    };
    Ok(match kind {
        Kind::Int => {
            let all = taken(column, cells, before, |cell| match cell {
                Datum::Int(number) => Some(*number),
                _ => None,
            });
            Arc::new(Int64Array::from(all?))
        }
        Kind::Real => {
            let all = taken(column, cells, before, |cell| match cell {
                Datum::Real(number) => Some(*number),
                #[expect(clippy::cast_precision_loss, reason = "up to 2^53 there is none")]
                Datum::Int(number) => (number.unsigned_abs() <= EXACT).then_some(*number as f64),
                _ => None,
            });
            Arc::new(Float64Array::from(all?))
        }
        Kind::Text => {
            let all = taken(column, cells, before, |cell| match cell {
                Datum::Text(text) => Some(text.as_str()),
                _ => None,
            });
            Arc::new(StringArray::from(all?))
        }
        Kind::Bytes => {
            let all = taken(column, cells, before, |cell| match cell {
                Datum::Bytes(bytes) => Some(bytes.as_slice()),
                _ => None,
            });
            Arc::new(BinaryArray::from(all?))
        }
    })
}

/// The values of a column's cells, which are all nulls or of its type.
fn taken<'a, T>(
    column: &Column,
    cells: impl Iterator<Item = &'a Datum>,
    before: usize,
    take: impl Fn(&'a Datum) -> Option<T>,
) -> Result<Vec<Option<T>>> {
    let cells = cells.enumerate().map(|(at, cell)| {
        let Some(found) = Kind::of(cell) else {
            return Ok(None);
        };
        let wrong = || other(&column.name, column.kind(), found, before + at + 1);
        take(cell).map(Some).ok_or_else(wrong)
    });
    cells.collect()
}

/// A value of another type than its column.
fn other(column: &str, known: Option<Kind>, found: Kind, row: usize) -> crate::error::Error {
    let column = jhyde_trace::echo::shown(column);
    let so_far = known.map_or("nothing but nulls", Kind::words);
    let reason = format!(
        "a column of Arrow's has one type: {column} holds {so_far} and, in row {row}, {}; write CAST({column} AS INTEGER), AS REAL or AS TEXT",
        found.words()
    );
    SqlError::Wrong { reason }.into()
}

fn failed(error: ArrowError) -> crate::error::Error {
    SqlError::Failed(format!("Arrow: {error}")).into()
}

#[cfg(test)]
mod tests {
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_ipc::reader::StreamReader;
    use proptest::prelude::*;

    use super::*;

    fn stream(columns: &[Answered<'_>], rows: &[Vec<Datum>]) -> Result<Vec<u8>> {
        let mut stream = ArrowStream::new(columns, &[]);
        let mut all = Vec::new();
        for row in rows {
            all.extend(stream.row(row.clone())?);
        }
        all.extend(stream.end()?);
        Ok(all)
    }

    /// Reads a stream with the library's reader; the types of the columns, and the rows.
    fn read(bytes: &[u8]) -> (Vec<DataType>, Vec<Vec<Datum>>) {
        let reader = StreamReader::try_new(bytes, None).expect("a stream");
        let schema = reader.schema();
        let types = schema
            .fields()
            .iter()
            .map(|field| field.data_type().clone());
        let mut rows = Vec::new();
        for batch in reader {
            let batch = batch.expect("a batch");
            for at in 0..batch.num_rows() {
                let cells = batch.columns().iter().map(|column| {
                    if column.is_null(at) || column.data_type() == &DataType::Null {
                        return Datum::Null;
                    }
                    match column.data_type() {
                        DataType::Int64 => Datum::Int(column.as_primitive::<Int64Type>().value(at)),
                        DataType::Float64 => {
                            Datum::Real(column.as_primitive::<Float64Type>().value(at))
                        }
                        DataType::Utf8 => Datum::text(column.as_string::<i32>().value(at)),
                        _ => Datum::Bytes(column.as_binary::<i32>().value(at).to_vec()),
                    }
                });
                rows.push(cells.collect());
            }
        }
        (types.collect(), rows)
    }

    fn column(name: &str, declared: Option<Type>) -> Answered<'_> {
        Answered { name, declared }
    }

    #[test]
    fn types_are_those_of_the_values_else_the_declared_ones() {
        let columns = [
            column("a", Some(Type::Text)),
            column("b", None),
            column("c", Some(Type::Int)),
            column("d", None),
            column("d", Some(Type::Real)),
        ];
        let rows = [
            vec![
                Datum::Null,
                Datum::Null,
                Datum::text("not a number"),
                Datum::Int(1),
                Datum::Int(3),
            ],
            vec![
                Datum::Null,
                Datum::Null,
                Datum::Null,
                Datum::Real(-0.0),
                Datum::Null,
            ],
        ];
        let (types, read) = read(&stream(&columns, &rows).expect("it fits"));
        let of = [
            DataType::Utf8,
            DataType::Null,
            DataType::Utf8,
            DataType::Float64,
            DataType::Float64,
        ];
        assert_eq!(types, of);
        assert_eq!(read[0][3], Datum::Real(1.0));
        assert!(matches!(read[1][3], Datum::Real(zero) if zero.is_sign_negative()));
        assert_eq!(read[0][4], Datum::Real(3.0));
        let (types, read) = self::read(&stream(&columns, &[]).expect("no rows"));
        assert_eq!((types.len(), read.len()), (5, 0));
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_never_another_value() {
        let one = [column("n", None)];
        for (first, second) in [
            (Datum::Int(1), Datum::text("1")),
            (Datum::text("1"), Datum::Bytes(vec![1])),
            (Datum::Real(0.5), Datum::Int((1 << 53) + 1)),
        ] {
            let told = stream(&one, &[vec![first.clone()], vec![second]]).expect_err("two types");
            let told = told.to_string();
            assert!(told.contains("n holds") && told.contains("row 2"), "{told}");
            // The same behind a batch that has gone out already.
            let mut rows = vec![vec![Datum::Null]; ROWS * 2];
            rows.insert(0, vec![first]);
            rows.push(vec![Datum::Bytes(Vec::new())]);
            if let Err(told) = stream(&one, &rows) {
                assert!(told.to_string().contains("row 8194"), "{told}");
            } else {
                panic!("bytes are none of these");
            }
        }
        let mut rows = vec![vec![Datum::Null]; MOST_ROWS];
        rows.push(vec![Datum::Int(1)]);
        let told = stream(&one, &rows)
            .expect_err("only nulls before")
            .to_string();
        assert!(told.contains("nothing but nulls"), "{told}");
    }

    fn cells(kind: usize) -> BoxedStrategy<Datum> {
        let some = match kind {
            0 => any::<i64>().prop_map(Datum::Int).boxed(),
            1 => any::<f64>()
                .prop_filter("SQL has none", |number| !number.is_nan())
                .prop_map(Datum::Real)
                .boxed(),
            2 => any::<String>().prop_map(Datum::Text).boxed(),
            _ => any::<Vec<u8>>().prop_map(Datum::Bytes).boxed(),
        };
        prop_oneof![1 => Just(Datum::Null), 3 => some].boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_come_back_as_they_were(
            rows in prop::collection::vec(0..4_usize, 1..5).prop_flat_map(|kinds| {
                let row: Vec<_> = kinds.iter().map(|kind| cells(*kind)).collect();
                prop::collection::vec(row, 0..50)
            }),
            times in prop_oneof![Just(1_usize), Just(200)],
        ) {
            let rows: Vec<_> = std::iter::repeat_n(rows, times).flatten().collect();
            let names = ["a", "b", "c", "d"];
            let count = rows.first().map_or(1, Vec::len);
            let columns: Vec<_> = names[..count].iter().map(|name| column(name, None)).collect();
            let (_, back) = read(&stream(&columns, &rows).expect("one type each"));
            prop_assert_eq!(back, rows);
        }
    }
}
