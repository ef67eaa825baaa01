//! `jhyde locate`: the way to an event.

use jhyde_proto::v1::{EventRow, LocateRequest, Location};
use serde::Serialize;

use super::{Context, call_argument, notes};
use crate::args::LocateArgs;
use crate::error::Error;
use crate::json::{CallJson, EventJson, RowJson};
use crate::output::Look;
use crate::text::{Table, call_name, row_cells};

#[derive(Serialize)]
struct LocationJson<'a> {
    event: Option<EventJson<'a>>,
    path: Vec<CallJson<'a>>,
    rows: Vec<RowJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// Shows where an event is.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn locate(context: &mut Context, args: &LocateArgs) -> Result<(), Error> {
    let request = LocateRequest {
        recording: args.recording.clone(),
        timestamp: args.event,
        call: args.call.as_deref().map(call_argument).unwrap_or_default(),
        ..LocateRequest::default()
    };
    let located = context.client.history.locate(request).await?.into_inner();
    let out = &mut context.out;
    if out.json {
        return out.object(&json(&located));
    }
    for (level, call) in located.path.iter().enumerate() {
        let id = out.paint.text(Look::Faint, format!("[{}]", call.id));
        out.line(format!(
            "{:indent$}{}  {id}",
            "",
            call_name(call),
            indent = 2 * level
        ))?;
    }
    let mut table = Table::new(&[]).indented(2 * located.path.len());
    let event = EventRow {
        event: located.event.clone(),
        level: u32::try_from(located.rows.len()).unwrap_or(u32::MAX),
        ..EventRow::default()
    };
    for row in located.rows.iter().chain([&event]) {
        table.row(row_cells(row, None));
    }
    table.write(out)?;
    notes(&located.notes, out)
}

fn json(located: &Location) -> LocationJson<'_> {
    LocationJson {
        event: located.event.as_ref().map(EventJson),
        path: located.path.iter().map(CallJson).collect(),
        rows: located.rows.iter().map(RowJson).collect(),
        notes: &located.notes,
    }
}
