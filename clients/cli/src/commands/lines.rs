//! `jhyde lines`: the lines that a call ran.

use jhyde_proto::v1::{LineRun, ListLinesRequest, ListLinesResponse};
use serde::Serialize;

use super::{Context, call_argument, notes};
use crate::args::LinesArgs;
use crate::error::Error;
use crate::output::Look;
use crate::text::{Cell, Table, count};

#[derive(Serialize)]
struct LinesJson<'a> {
    class: &'a str,
    source_file: &'a str,
    lines: Vec<LineJson>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
struct LineJson {
    line: u32,
    count: u64,
    first: Option<u64>,
    last: Option<u64>,
}

/// Shows lines.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn lines(context: &mut Context, args: &LinesArgs) -> Result<(), Error> {
    let request = ListLinesRequest {
        recording: args.recording.clone(),
        call: call_argument(&args.call),
    };
    // A long call is counted in parts.
    let found = loop {
        let client = &mut context.client.history;
        let found = client.list_lines(request.clone()).await?.into_inner();
        if found.counted_to.is_none() {
            break found;
        }
    };
    if context.out.json {
        return context.out.object(&json(&found));
    }
    let mut sources = context.sources(&args.recording, &args.source);
    let mut table = Table::new(&["LINE", "TIMES", "FIRST", "LAST", "SOURCE"]);
    for run in &found.lines {
        let text = sources.code(&found.class, run.line).await;
        table.row(row(run, text.unwrap_or_default()));
    }
    let out = &mut context.out;
    if !table.is_empty() {
        table.write(out)?;
    }
    notes(&sources.notes(), out)?;
    notes(&found.notes, out)
}

fn row(run: &LineRun, text: String) -> Vec<Cell> {
    let time = |at: Option<u64>| Cell::number(at.map(|at| at.to_string()).unwrap_or_default());
    let look = match run.count {
        0 => Look::Faint,
        _ => Look::Strong,
    };
    vec![
        Cell::number(run.line.to_string()),
        Cell::number(count(run.count)).looking(look),
        time(run.first),
        time(run.last),
        Cell::new(text),
    ]
}

fn json(found: &ListLinesResponse) -> LinesJson<'_> {
    let line = |run: &LineRun| LineJson {
        line: run.line,
        count: run.count,
        first: run.first,
        last: run.last,
    };
    LinesJson {
        class: &found.class,
        source_file: &found.source_file,
        lines: found.lines.iter().map(line).collect(),
        notes: &found.notes,
    }
}
