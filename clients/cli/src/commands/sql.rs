//! `jhyde sql`: statements in SQL over a recording.

use std::io::{IsTerminal as _, Read as _};
use std::time::Duration;

use jhyde_proto::v1::sql_answer::Part;
use jhyde_proto::v1::sql_cell::Kind;
use jhyde_proto::v1::{
    ListTablesRequest, SqlCell, SqlFooter, SqlHeader, SqlRequest, SqlRow, SqlTable,
};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, ROWS_FOR_PEOPLE, broke_off};
use crate::args::SqlArgs;
use crate::error::Error;
use crate::json::{SqlRowJson, UntilJson};
use crate::output::{Look, Output};
use crate::text::{Cell, Table, clean, plural};

/// Runs a statement, or tells what tables there are.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn sql(context: &mut Context, args: &SqlArgs) -> Result<(), Error> {
    let (Some(recording), false) = (&args.recording, args.tables) else {
        let tables = context
            .client
            .queries
            .list_tables(ListTablesRequest {})
            .await?;
        return tell(&tables.into_inner().tables, &mut context.out);
    };
    let most = match args.max_rows {
        Some(most) => Some(most),
        None if args.all || args.csv || context.out.json => None,
        None => Some(u64::from(ROWS_FOR_PEOPLE)),
    };
    let request = SqlRequest {
        recording: recording.clone(),
        statement: statement(args)?,
        to: args.to,
        timeout_ms: args
            .timeout
            .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        max_rows: most,
        explain: args.explain,
    };
    run(context, request, args).await
}

/// What is asked: the argument, a file, or standard input.
fn statement(args: &SqlArgs) -> Result<String, Error> {
    if let Some(text) = &args.command {
        return Ok(text.clone());
    }
    let file = args.file.as_deref().filter(|file| file.as_os_str() != "-");
    let mut text = String::new();
    let read = match file {
        Some(file) => std::fs::read_to_string(file).map(|read| text = read),
        None => {
            let mut input = std::io::stdin();
            if input.is_terminal() {
                return Err(Error::Usage(
                    "write the statement: jhyde sql RECORDING -c 'SELECT …', a file, or - for standard input (jhyde sql --tables tells what tables there are)"
                        .to_owned(),
                ));
            }
            input.read_to_string(&mut text).map(drop)
        }
    };
    read.map_err(|source| Error::File {
        what: "read",
        path: file.map_or_else(|| "standard input".into(), Into::into),
        source,
    })?;
    Ok(text)
}

async fn run(context: &mut Context, request: SqlRequest, args: &SqlArgs) -> Result<(), Error> {
    let mut parts = context.client.queries.sql(request).await?.into_inner();
    let mut header = SqlHeader::default();
    let mut footer: Option<SqlFooter> = None;
    let mut waiting: Vec<SqlRow> = Vec::new();
    while let Some(part) = parts.next().await {
        match part?.part {
            Some(Part::Header(told)) => {
                header = told;
                if args.csv {
                    let names: Vec<_> = header.columns.iter().map(|name| quoted(name)).collect();
                    context.out.line(names.join(","))?;
                }
            }
            Some(Part::Row(row)) if context.out.json => {
                let columns = &header.columns;
                context.out.object(&SqlRowJson { columns, row: &row })?;
            }
            Some(Part::Row(row)) if args.csv => {
                let cells: Vec<_> = row.cells.iter().map(csv).collect();
                context.out.line(cells.join(","))?;
            }
            Some(Part::Row(row)) => {
                waiting.push(row);
                if waiting.len() >= ROWS_FOR_PEOPLE as usize {
                    rows(
                        &header.columns,
                        &std::mem::take(&mut waiting),
                        &mut context.out,
                    )?;
                }
            }
            Some(Part::Footer(told)) => footer = Some(told),
            None => {}
        }
    }
    let Some(footer) = footer else {
        return Err(broke_off());
    };
    if context.out.json {
        return context.out.object(&UntilJson {
            until: header.until,
            rows: footer.rows,
            more: footer.more,
            notes: &footer.notes,
        });
    }
    if args.csv {
        // A table alone, for programs: what it does not tell is said beside it.
        for note in &footer.notes {
            eprintln!("note: {}", clean(note));
        }
        if footer.more {
            eprintln!("note: there are more rows than {}", footer.rows);
        }
        return Ok(());
    }
    rows(&header.columns, &waiting, &mut context.out)?;
    let out = &mut context.out;
    if footer.rows == 0 {
        out.line(out.paint.text(Look::Faint, "no rows"))?;
    }
    let mut notes = Notes::default();
    notes.add(footer.notes);
    notes.tell(out)?;
    if footer.more {
        let text = format!(
            "… {}, and there are more: --max-rows N shows so many, --all shows all",
            plural(footer.rows, "row")
        );
        out.line(out.paint.text(Look::Hint, text))?;
    }
    let text = match header.until.checked_sub(1) {
        Some(last) => format!("seen up to event {last}"),
        None => "nothing has happened".to_owned(),
    };
    out.line(out.paint.text(Look::Faint, text))
}

fn rows(columns: &[String], rows: &[SqlRow], out: &mut Output) -> Result<(), Error> {
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
fn csv(cell: &SqlCell) -> String {
    match &cell.kind {
        None => String::new(),
        Some(Kind::Int(number)) => number.to_string(),
        Some(Kind::Real(number)) => format!("{number:?}"),
        Some(Kind::Text(text)) => quoted(text),
        Some(Kind::Bytes(bytes)) => hex(bytes),
    }
}

fn quoted(text: &str) -> String {
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

/// What tables there are.
fn tell(tables: &[SqlTable], out: &mut Output) -> Result<(), Error> {
    for table in tables {
        if out.json {
            out.object(&crate::json::SqlTableJson(table))?;
            continue;
        }
        let arguments: Vec<_> = table.arguments.iter().map(|a| a.name.as_str()).collect();
        let head = match arguments.is_empty() {
            true => table.name.clone(),
            false => format!("{}({})", table.name, arguments.join(", ")),
        };
        out.line(out.paint.text(Look::Strong, head))?;
        out.line(format!(
            "  {} From level {} on.",
            table.description, table.level
        ))?;
        for argument in &table.arguments {
            out.line(format!("  ({}) {}", argument.name, argument.description))?;
        }
        for column in &table.columns {
            let kind = column.r#type.to_lowercase();
            out.line(format!("  {} {kind}: {}", column.name, column.description))?;
        }
        for access in table
            .served
            .iter()
            .filter(|access| !access.predicate.is_empty())
        {
            let text = format!("  {}: {}", access.predicate, access.by);
            out.line(out.paint.text(Look::Faint, text))?;
        }
    }
    Ok(())
}

/// `60s`, `5m`, `250ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits
        .parse()
        .map_err(|_| "a time is written 30s, 5m or 250ms".to_owned())?;
    match &text[digits.len()..] {
        "ms" => Ok(Duration::from_millis(number)),
        "" | "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => Err("a time is written 30s, 5m or 250ms".to_owned()),
    }
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

    #[test]
    fn times_have_units() {
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert!(time("soon").is_err() && time("5y").is_err());
    }
}
