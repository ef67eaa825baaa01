//! `jhyde sql`: statements in SQL over a recording, or several.

mod asked;
mod prompt;
mod rows;
pub(super) mod scan;
mod tables;

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::time::Duration;

use jhyde_proto::v1::sql_answer::Part;
use jhyde_proto::v1::{
    ListModulesRequest, ListTablesRequest, SqlAnswer, SqlFooter, SqlFormat, SqlHeader, SqlModule,
    SqlRequest, SqlRow, SqlSeen, SqlTable,
};
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

use self::asked::{Asked, asked};
use self::rows::{csv, quoted, rows};
use super::answers::{Keeping, Question};
use super::{Context, Notes, ROWS_FOR_PEOPLE, broke_off, timestamp};
use crate::args::{SaveAnswerArgs, SqlArgs};
use crate::error::Error;
use crate::json::{SqlRowJson, SqlUntilJson};
use crate::output::{Look, Output};
use crate::text::{clean, plural};

/// Runs a statement, tells what tables there are, or asks for statements until somebody leaves.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn sql(context: &mut Context, args: &SqlArgs) -> Result<(), Error> {
    if args.library {
        let modules = all_modules(context).await?;
        return tables::tell_modules(&modules, &mut context.out);
    }
    if args.words.is_empty() || args.tables {
        let tables = all_tables(context).await?;
        return tables::tell(&tables, &mut context.out);
    }
    if args.keep.save.is_some() && (args.max_rows.is_some() || args.explain) {
        let reason = "what is kept is whole: leave --max-rows and --explain out";
        return Err(Error::Usage(reason.to_owned()));
    }
    let Asked { recordings, file } = asked(&args.words, args.command.is_some())?;
    let most = match args.max_rows {
        Some(most) => Some(most),
        None if args.all
            || args.csv
            || args.arrow
            || context.out.json
            || args.keep.save.is_some() =>
        {
            None
        }
        None => Some(u64::from(ROWS_FOR_PEOPLE)),
    };
    let mut all = recordings.into_iter();
    let first = all.next().unwrap_or_default();
    let to = timestamp(context, &first.recording, args.to.as_ref()).await?;
    let request = SqlRequest {
        recording: first.recording,
        schema: first.schema,
        others: all.collect(),
        statement: String::new(),
        to,
        timeout_ms: args.timeout.map(milliseconds),
        max_rows: most,
        explain: args.explain,
        parameters: args.set.iter().cloned().collect(),
        format: match args.arrow {
            true => SqlFormat::Arrow.into(),
            false => SqlFormat::Unspecified.into(),
        },
        max_memory: args.memory.clone().unwrap_or_default(),
    };
    if args.arrow && std::io::stdout().is_terminal() {
        let reason =
            "--arrow writes bytes for programs: send them to a file (> calls.arrows) or a program";
        return Err(Error::Usage(reason.to_owned()));
    }
    let is_said = args.command.is_some() || file.is_some();
    if !is_said && !args.arrow && !context.out.json && std::io::stdin().is_terminal() {
        return prompt::prompt(context, request, args).await;
    }
    let statement = match &args.command {
        Some(text) => text.clone(),
        None => read(file.as_deref())?,
    };
    run(
        context,
        SqlRequest {
            statement,
            ..request
        },
        Form::of(args),
        &args.keep,
    )
    .await
}

async fn all_tables(context: &mut Context) -> Result<Vec<SqlTable>, Error> {
    let tables = context.client.queries.list_tables(ListTablesRequest {});
    Ok(tables.await?.into_inner().tables)
}

async fn all_modules(context: &mut Context) -> Result<Vec<SqlModule>, Error> {
    let modules = context.client.queries.list_modules(ListModulesRequest {});
    Ok(modules.await?.into_inner().modules)
}

/// What is asked in a file, or on standard input.
fn read(file: Option<&Path>) -> Result<String, Error> {
    let file = file.filter(|file| file.as_os_str() != "-");
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

/// What an answer is, where it is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A table for people.
    Table,
    Csv,
    /// Arrow's bytes.
    Arrow,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) shape: Shape,
    /// The option that says how many rows are shown.
    pub(super) limit: &'static str,
}

impl Form {
    fn of(args: &SqlArgs) -> Self {
        Self {
            shape: match (args.csv, args.arrow) {
                (true, _) => Shape::Csv,
                (_, true) => Shape::Arrow,
                _ => Shape::Table,
            },
            limit: "--max-rows",
        }
    }
}

/// Asks, and writes the answer.
pub(super) async fn run(
    context: &mut Context,
    request: SqlRequest,
    form: Form,
    keep: &SaveAnswerArgs,
) -> Result<(), Error> {
    let question = Question::Sql(request.clone());
    let keeping = keep
        .save
        .as_ref()
        .map(|name| Keeping::new(name, keep.folder.as_deref(), keep.force, &question));
    let keeping = keeping.transpose()?;
    let parts = context.client.queries.sql(request).await?.into_inner();
    tell(&mut context.out, parts, form, keeping).await
}

/// The beginning of a message of Arrow's that never comes.
const BROKEN_OFF: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0];

/// Writes an answer as it comes.
pub(super) async fn tell(
    out: &mut Output,
    parts: impl Stream<Item = Result<SqlAnswer, Status>> + Unpin,
    form: Form,
    keeping: Option<Keeping>,
) -> Result<(), Error> {
    let told = tell_parts(out, parts, form, keeping).await;
    if told.is_err() && form.shape == Shape::Arrow && !out.is_untouched() {
        // Readers take a stream that ends between two messages for whole.
        out.bytes(&BROKEN_OFF)?;
        out.flush()?;
    }
    told
}

async fn tell_parts(
    out: &mut Output,
    mut parts: impl Stream<Item = Result<SqlAnswer, Status>> + Unpin,
    form: Form,
    mut keeping: Option<Keeping>,
) -> Result<(), Error> {
    let mut header = SqlHeader::default();
    let mut footer: Option<SqlFooter> = None;
    let mut waiting: Vec<SqlRow> = Vec::new();
    let mut until_yield = ROWS_FOR_PEOPLE;
    while let Some(part) = parts.next().await {
        until_yield -= 1;
        if until_yield == 0 {
            // Where more is there than is shown, nothing here waits: others wait, such as for Ctrl-C.
            until_yield = ROWS_FOR_PEOPLE;
            tokio::task::yield_now().await;
        }
        let part = part?;
        if let Some(keeping) = &mut keeping {
            keeping.part(&part)?;
        }
        match part.part {
            Some(Part::Header(told)) => {
                header = told;
                if form.shape == Shape::Csv {
                    let names: Vec<_> = header.columns.iter().map(|name| quoted(name)).collect();
                    out.line(names.join(","))?;
                }
            }
            Some(Part::Row(row)) if out.json => {
                let columns = &header.columns;
                out.object(&SqlRowJson { columns, row: &row })?;
            }
            Some(Part::Row(row)) if form.shape == Shape::Csv => {
                let cells: Vec<_> = row.cells.iter().map(csv).collect();
                out.line(cells.join(","))?;
            }
            Some(Part::Row(_)) if form.shape == Shape::Arrow => return Err(knows_no_arrow()),
            Some(Part::Row(row)) => {
                waiting.push(row);
                if waiting.len() >= ROWS_FOR_PEOPLE as usize {
                    rows(&header.columns, &std::mem::take(&mut waiting), out)?;
                }
            }
            Some(Part::Arrow(bytes)) => out.bytes(&bytes)?,
            // A stream of no rows has a beginning, too.
            Some(Part::Footer(_)) if form.shape == Shape::Arrow && out.is_untouched() => {
                return Err(knows_no_arrow());
            }
            Some(Part::Footer(told)) => footer = Some(told),
            None => {}
        }
    }
    let Some(footer) = footer else {
        return Err(broke_off());
    };
    keeping.map_or(Ok(()), Keeping::keep)?;
    if out.json {
        return out.object(&SqlUntilJson {
            header: &header,
            footer: &footer,
        });
    }
    if form.shape != Shape::Table {
        // A table alone, for programs: what it does not tell is said beside it.
        for note in &footer.notes {
            eprintln!("note: {}", clean(note));
        }
        if footer.more {
            eprintln!("note: there are more rows than {}", footer.rows);
        }
        return Ok(());
    }
    rows(&header.columns, &waiting, out)?;
    if footer.rows == 0 {
        out.line(out.paint.text(Look::Faint, "no rows"))?;
    }
    let mut notes = Notes::default();
    notes.add(footer.notes);
    notes.tell(out)?;
    if footer.more {
        let text = format!(
            "… {}, and there are more: {} N shows so many, --all shows all",
            plural(footer.rows, "row"),
            form.limit
        );
        out.line(out.paint.text(Look::Hint, text))?;
    }
    let text = match header.seen.as_slice() {
        [] | [_] => match header.until.checked_sub(1) {
            Some(last) => format!("seen up to event {last}"),
            None => "nothing has happened".to_owned(),
        },
        seen => {
            let each: Vec<_> = seen.iter().map(up_to).collect();
            format!("seen: {}", each.join(", "))
        }
    };
    out.line(out.paint.text(Look::Faint, text))
}

/// A daemon answers with rows, or with nothing, that does not know what format is asked for.
fn knows_no_arrow() -> Error {
    let reason = "this daemon is older than jhyde, and knows no --arrow: start it again";
    Error::Failed(reason.to_owned())
}

/// How much is seen of one recording of several.
fn up_to(seen: &SqlSeen) -> String {
    let schema = &seen.schema;
    let name = match seen.name == *schema {
        true => schema.clone(),
        false => format!("{schema} ({})", clean(&seen.name)),
    };
    match seen.until.checked_sub(1) {
        Some(last) => format!("{name} up to event {last}"),
        None => format!("nothing of {name}"),
    }
}

/// As the daemon takes it.
pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
    use crate::output::Paint;

    /// What a daemon answers without it, that was asked for Arrow.
    #[tokio::test]
    async fn an_older_daemon_that_is_asked_for_arrow_is_told_of() {
        let form = Form {
            shape: Shape::Arrow,
            limit: "--max-rows",
        };
        let header = Part::Header(SqlHeader::default());
        let row = Part::Row(SqlRow::default());
        let footer = Part::Footer(SqlFooter::default());
        let arrow = Part::Arrow(vec![1, 2, 3]);
        let answers = [
            (vec![header.clone(), row, footer.clone()], false),
            (vec![header.clone(), footer.clone()], false),
            (vec![header, arrow, footer], true),
        ];
        for (parts, is_whole) in answers {
            let mut out = Output::to(std::io::sink(), Paint::new(false), false);
            let parts = parts
                .into_iter()
                .map(|part| Ok(SqlAnswer { part: Some(part) }));
            let told = tell(&mut out, tokio_stream::iter(parts), form, None).await;
            match told {
                Ok(()) => assert!(is_whole),
                Err(error) => assert!(!is_whole && error.to_string().contains("older"), "{error}"),
            }
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert!(time("soon").is_err() && time("5y").is_err());
    }
}
