//! `jhyde query`: ready-made queries.

use jhyde_proto::v1::query_answer::Part;
use jhyde_proto::v1::query_cell::Kind;
use jhyde_proto::v1::{
    ListQueriesRequest, Query, QueryAnswer, QueryCell, QueryColumn, QueryFooter, QueryHeader,
    QueryParameter, QueryRow, RunQueryRequest, SqlRequest,
};
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

use super::answers::{Keeping, Question};
use super::saved::{Saved, saved};
use super::sql::milliseconds;
use super::{Context, Notes, ROWS_FOR_PEOPLE, broke_off, call_argument, sql, timestamp};
use crate::args::QueryArgs;
use crate::error::Error;
use crate::json::{QueryJson, QueryRowJson, UntilJson};
use crate::output::{Look, Output, Paint};
use crate::text::{Cell, Detail, Table, call_line, clean, compact, head, place, plural, value};

/// What is said of `--save` with `--limit`.
const WHOLE: &str = "what is kept is whole: leave --limit out";

/// Runs a query, or lists what there are.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn query(context: &mut Context, args: &QueryArgs) -> Result<(), Error> {
    if let Some(command) = args.saved.as_ref().filter(|command| !command.names_one()) {
        return saved(command, &[], &mut context.out).await;
    }
    let queries = context.client.queries.list(ListQueriesRequest {}).await?;
    let queries = queries.into_inner().queries;
    if let Some(command) = &args.saved {
        let names: Vec<_> = queries.iter().map(|query| query.name.clone()).collect();
        return saved(command, &names, &mut context.out).await;
    }
    let (Some(recording), Some(name)) = (&args.recording, &args.query) else {
        return list(&queries, &mut context.out);
    };
    if args.list {
        return list(&queries, &mut context.out);
    }
    let query = queries.iter().find(|query| query.name == *name);
    if query.is_none()
        && let Some(saved) = Saved::find(name, args.keep.folder.as_deref())?
    {
        return run_saved(context, recording, &saved, args).await;
    }
    if args.memory.is_some() {
        return Err(Error::Usage(format!(
            "--memory says nothing to {}: it is for statements in SQL",
            clean(name)
        )));
    }
    let at = timestamp(context, recording, args.at.as_ref()).await?;
    let request = RunQueryRequest {
        recording: recording.clone(),
        query: name.clone(),
        parameters: parameters(query, args, at)?,
        from: timestamp(context, recording, args.from.as_ref()).await?,
        to: timestamp(context, recording, args.to.as_ref()).await?,
        timeout_ms: args.timeout.map(milliseconds),
    };
    run(context, request, args).await
}

/// Runs a statement that somebody keeps.
async fn run_saved(
    context: &mut Context,
    recording: &str,
    saved: &Saved,
    args: &QueryArgs,
) -> Result<(), Error> {
    let not = [
        ("--from", args.from.is_some()),
        ("--at", args.at.is_some()),
        ("--nested", args.nested),
        ("--caught", args.caught),
        ("--depth", args.depth.is_some()),
    ];
    if let Some((option, _)) = not.into_iter().find(|(_, is_given)| *is_given) {
        let name = &saved.name;
        return Err(Error::Usage(format!(
            "{option} says nothing to {name}, which is a statement in SQL: give it what it needs as a parameter"
        )));
    }
    if args.limit.is_some() && args.keep.save.is_some() {
        return Err(Error::Usage(WHOLE.to_owned()));
    }
    let most = match args.limit {
        Some(limit) => Some(u64::from(limit)),
        None if args.all || context.out.json || args.keep.save.is_some() => None,
        None => Some(u64::from(ROWS_FOR_PEOPLE)),
    };
    let request = SqlRequest {
        recording: recording.to_owned(),
        statement: saved.text.clone(),
        to: timestamp(context, recording, args.to.as_ref()).await?,
        max_rows: most,
        timeout_ms: args.timeout.map(milliseconds),
        max_memory: args.memory.clone().unwrap_or_default(),
        parameters: saved.given(&args.parameters)?,
        ..SqlRequest::default()
    };
    let form = sql::Form {
        shape: sql::Shape::Table,
        limit: "--limit",
    };
    sql::run(context, request, form, &args.keep).await
}

/// Parameters by name. A query that this daemon does not know is left to it to refuse.
fn parameters(
    query: Option<&Query>,
    args: &QueryArgs,
    at: Option<u64>,
) -> Result<std::collections::HashMap<String, String>, Error> {
    let mut given = std::collections::HashMap::new();
    let places = query.iter().flat_map(|query| &query.parameters);
    let mut places = places.filter(|parameter| parameter.positional);
    for word in &args.parameters {
        match (places.next(), query) {
            (Some(place), _) => {
                given.insert(place.name.clone(), argument(&place.name, word));
            }
            (None, Some(query)) => {
                return Err(Error::Usage(format!(
                    "'{}' is too much: {}",
                    clean(word),
                    usage(query)
                )));
            }
            (None, None) => {}
        }
    }
    let named = [
        ("at", at.map(|at| at.to_string())),
        ("depth", args.depth.map(|depth| depth.to_string())),
        ("nested", args.nested.then(|| "true".to_owned())),
        ("caught", args.caught.then(|| "true".to_owned())),
    ];
    given.extend(
        named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?))),
    );
    Ok(given)
}

/// People copy calls from the screen, `merge #3`.
fn argument(parameter: &str, word: &str) -> String {
    match parameter {
        "event" | "call" | "of" => call_argument(word),
        "field" | "local" | "object" => word.trim().replace(" #", "#"),
        _ => word.to_owned(),
    }
}

/// `jhyde query REC pre-calls EVENT [--nested]`.
fn usage(query: &Query) -> String {
    let mut text = format!("jhyde query RECORDING {}", query.name);
    for parameter in &query.parameters {
        text.push(' ');
        text.push_str(&written(parameter));
    }
    text
}

fn written(parameter: &QueryParameter) -> String {
    let name = parameter.name.to_uppercase();
    match parameter {
        QueryParameter { flag: true, .. } => format!("[--{}]", parameter.name),
        QueryParameter {
            positional: false, ..
        } => format!("[--{} {name}]", parameter.name),
        QueryParameter {
            required: false, ..
        } => format!("[{name}]"),
        _ => name,
    }
}

fn list(queries: &[Query], out: &mut Output) -> Result<(), Error> {
    for query in queries {
        if out.json {
            out.object(&QueryJson(query))?;
            continue;
        }
        let names = query
            .parameters
            .iter()
            .map(written)
            .collect::<Vec<_>>()
            .join(" ");
        let name = out.paint.text(Look::Strong, &query.name);
        out.line(format!("{name} {names}"))?;
        out.line(format!("  {}", query.description))?;
        for parameter in &query.parameters {
            let text = format!("  {}: {}", written(parameter), parameter.description);
            out.line(out.paint.text(Look::Faint, text))?;
        }
        let text = format!("  complete from level {} on; {}", query.level, query.cost);
        out.line(out.paint.text(Look::Faint, text))?;
    }
    Ok(())
}

async fn run(
    context: &mut Context,
    request: RunQueryRequest,
    args: &QueryArgs,
) -> Result<(), Error> {
    let most = match args.limit {
        Some(limit) => u64::from(limit),
        None if args.all || context.out.json || args.keep.save.is_some() => u64::MAX,
        None => u64::from(ROWS_FOR_PEOPLE),
    };
    let keep = &args.keep;
    let question = Question::Named(request.clone());
    let keeping = keep.save.as_ref().map(|name| {
        if args.limit.is_some() {
            return Err(Error::Usage(WHOLE.to_owned()));
        }
        Keeping::new(name, keep.folder.as_deref(), keep.force, &question)
    });
    let keeping = keeping.transpose()?;
    let parts = context.client.queries.run(request).await?.into_inner();
    tell(&mut context.out, parts, most, keeping).await
}

/// Writes an answer as it comes, of at most so many rows.
pub(super) async fn tell(
    out: &mut Output,
    mut parts: impl Stream<Item = Result<QueryAnswer, Status>> + Unpin,
    most: u64,
    mut keeping: Option<Keeping>,
) -> Result<(), Error> {
    let mut header = QueryHeader::default();
    let mut footer: Option<QueryFooter> = None;
    let mut waiting: Vec<QueryRow> = Vec::new();
    let (mut count, mut more) = (0, false);
    while let Some(part) = parts.next().await {
        let part = part?;
        if let Some(keeping) = &mut keeping {
            keeping.part(&part)?;
        }
        match part.part {
            Some(Part::Header(told)) => header = told,
            Some(Part::Row(_)) if count == most => {
                more = true;
                break;
            }
            Some(Part::Row(row)) => {
                count += 1;
                if out.json {
                    let columns = &header.columns;
                    out.object(&QueryRowJson { columns, row: &row })?;
                } else {
                    waiting.push(row);
                }
                if waiting.len() >= ROWS_FOR_PEOPLE as usize {
                    rows(&header.columns, &std::mem::take(&mut waiting), out)?;
                }
            }
            Some(Part::Footer(told)) => footer = Some(told),
            None => {}
        }
    }
    // What nobody reads any more, the daemon need not look for.
    drop(parts);
    if footer.is_none() && !more {
        return Err(broke_off());
    }
    let footer = footer.unwrap_or_default();
    let told = footer.notes;
    keeping.map_or(Ok(()), Keeping::keep)?;
    if out.json {
        return out.object(&UntilJson {
            until: header.until,
            rows: count,
            more,
            notes: &told,
            blocks: footer.blocks,
            blocks_decoded: footer.blocks_decoded,
        });
    }
    rows(&header.columns, &waiting, out)?;
    if count == 0 {
        out.line(out.paint.text(Look::Faint, "no rows"))?;
    }
    let mut notes = Notes::default();
    notes.add(told);
    notes.tell(out)?;
    if more {
        let text = format!(
            "… {}, and there are more: --limit N shows so many, --all shows all",
            plural(count, "row")
        );
        out.line(out.paint.text(Look::Hint, text))?;
    }
    let text = match header.until.checked_sub(1) {
        Some(last) => format!("seen up to event {last}"),
        None => "nothing has happened".to_owned(),
    };
    out.line(out.paint.text(Look::Faint, text))
}

/// Rows for people: calls alone as the lists of calls show them, the rest as a table.
fn rows(columns: &[QueryColumn], rows: &[QueryRow], out: &mut Output) -> Result<(), Error> {
    let is_call = |row: &QueryRow| {
        matches!(
            row.cells.last(),
            Some(QueryCell {
                kind: Some(Kind::Call(_))
            })
        )
    };
    if columns.last().is_some_and(|column| column.name == "call")
        && columns.len() <= 2
        && rows.iter().all(is_call)
    {
        for row in rows {
            let depth = match row.cells.first().map(|cell| &cell.kind) {
                Some(Some(Kind::Int(depth))) => {
                    usize::try_from(depth.saturating_sub(1)).unwrap_or(0)
                }
                _ => 0,
            };
            if let Some(Some(Kind::Call(call))) = row.cells.last().map(|cell| &cell.kind) {
                let indent = "  ".repeat(depth.min(40));
                let detail = Detail::list(out.width).indented(indent.len());
                let line = call_line(call, detail, 0, out.paint);
                out.line(format!("{indent}{line}"))?;
            }
        }
        return Ok(());
    }
    if rows.is_empty() {
        return Ok(());
    }
    // Columns of which no row has anything are left out.
    let is_used = |at: usize| {
        let mut cells = rows.iter().filter_map(|row| row.cells.get(at));
        cells.any(|cell| cell.kind.is_some())
    };
    let used: Vec<usize> = (0..columns.len()).filter(|&at| is_used(at)).collect();
    let heading = used.iter().filter_map(|&at| columns.get(at));
    let heading: Vec<String> = heading.map(|column| column.name.to_uppercase()).collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let mut table = Table::new(&heading);
    for row in rows {
        let cells = used.iter().filter_map(|&at| row.cells.get(at));
        table.row(cells.map(cell).collect());
    }
    table.write(out)
}

fn cell(cell: &QueryCell) -> Cell {
    match &cell.kind {
        None => Cell::new(""),
        Some(Kind::Int(number) | Kind::Event(number)) => Cell::number(number.to_string()),
        Some(Kind::Text(text)) => match text.as_str() {
            "yes" => Cell::with(Look::Good, "yes"),
            "no" => Cell::with(Look::Bad, "no"),
            text => Cell::new(clean(text)),
        },
        Some(Kind::Value(shown)) => Cell::value(Look::Plain, value(shown)),
        Some(Kind::Call(call)) => {
            let name = head(call, Detail::SHORT, Paint::new(false));
            Cell::new(format!("{name} [{}]", call.id))
        }
        Some(Kind::Calls(calls)) => {
            let names = calls
                .calls
                .iter()
                .map(|call| format!("{} [{}]", crate::text::call_name(call), call.id));
            Cell::new(names.collect::<Vec<_>>().join(", "))
        }
        Some(Kind::Place(at)) => Cell::with(Look::Strong, place(at)),
        Some(Kind::Fields(fields)) => {
            let fields = fields.fields.iter().map(|field| {
                let value = field.value.as_ref().map_or_else(|| "?".to_owned(), compact);
                format!("{}={value}", clean(&field.name))
            });
            Cell::value(Look::Plain, fields.collect::<Vec<_>>().join(", "))
        }
    }
}
