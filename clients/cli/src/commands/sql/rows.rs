//! Rows of an answer: for people, and as CSV.

use jhyde_proto::v1::sql_cell::Kind;
use jhyde_proto::v1::{SqlCell, SqlRow};

use crate::error::Error;
use crate::output::{Look, Output};
use crate::text::{Cell, Table, clean};

/// As a table.
pub(super) fn rows(columns: &[String], rows: &[SqlRow], out: &mut Output) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let heading: Vec<String> = columns
        .iter()
        .map(|name| clean(name).to_uppercase())
        .collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let mut table = Table::new(&heading);
    for row in rows {
        table.row(row.cells.iter().map(shown).collect());
    }
    table.write(out)
}

fn shown(cell: &SqlCell) -> Cell {
    match &cell.kind {
        None => Cell::new(""),
        Some(Kind::Int(number)) => Cell::number(number.to_string()),
        Some(Kind::Real(number)) => Cell::number(format!("{number:?}")),
        Some(Kind::Text(text)) => Cell::value(Look::Plain, clean(text)),
        Some(Kind::Bytes(bytes)) => Cell::new(hex(bytes)),
    }
}

/// A cell of CSV (RFC 4180). Null is empty, an empty text is `""`.
pub(super) fn csv(cell: &SqlCell) -> String {
    match &cell.kind {
        None => String::new(),
        Some(Kind::Int(number)) => number.to_string(),
        Some(Kind::Real(number)) => format!("{number:?}"),
        Some(Kind::Text(text)) => quoted(text),
        Some(Kind::Bytes(bytes)) => hex(bytes),
    }
}

/// A text as CSV has it.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| !matches!(c, '"' | ',' | '\n' | '\r');
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{}'", digits.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(kind: Option<Kind>) -> SqlCell {
        SqlCell { kind }
    }

    #[test]
    fn csv_tells_null_from_an_empty_text_and_keeps_what_would_break_it() {
        assert_eq!(csv(&cell(None)), "");
        for (text, told) in [
            ("", "\"\""),
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(csv(&cell(Some(Kind::Text(text.to_owned())))), told);
        }
        assert_eq!(csv(&cell(Some(Kind::Real(-0.0)))), "-0.0");
        assert_eq!(csv(&cell(Some(Kind::Real(f64::INFINITY)))), "inf");
        assert_eq!(
            csv(&cell(Some(Kind::Int(i64::MIN)))),
            "-9223372036854775808"
        );
        assert_eq!(csv(&cell(Some(Kind::Bytes(vec![0, 255])))), "x'00ff'");
    }
}
