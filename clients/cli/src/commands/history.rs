//! `jhyde history`: every write to a variable.

use jhyde_proto::v1::{ListWritesRequest, VariableWrite};

use super::{Context, Notes, Paging, variable_argument};
use crate::args::HistoryArgs;
use crate::error::Error;
use crate::json::WriteJson;
use crate::output::{Look, Output};
use crate::text::{Cell, Table, call_name, clean, place, plural, value_or};

/// Shows the history.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn history(context: &mut Context, args: &HistoryArgs) -> Result<(), Error> {
    let mut paging = Paging::new(&args.page, context.out.json);
    let mut shown = 0_u64;
    let mut notes = Notes::default();
    loop {
        let request = ListWritesRequest {
            recording: args.recording.clone(),
            variable: variable_argument(&args.variable),
            from: args.from,
            to: args.to,
            newest_first: args.newest,
            page_size: paging.size(),
            page_token: paging.token.clone(),
            ..ListWritesRequest::default()
        };
        let page = context
            .client
            .history
            .list_writes(request)
            .await?
            .into_inner();
        if context.out.json {
            for write in &page.writes {
                context.out.object(&WriteJson {
                    variable: &page.variable,
                    write,
                })?;
            }
        } else {
            if shown == 0 {
                let title = context.out.paint.text(Look::Strong, clean(&page.variable));
                context.out.line(title)?;
            }
            writes(&page.writes, &mut context.out)?;
        }
        shown += page.writes.len() as u64;
        notes.add(page.notes);
        if !paging.next(page.next_page_token) {
            break;
        }
    }
    if shown == 0 && !context.out.json {
        let text = context
            .out
            .paint
            .text(Look::Faint, "  no writes to it were recorded");
        context.out.line(text)?;
    }
    notes.tell(&mut context.out)?;
    paging.tell(&plural(shown, "write"), &mut context.out)
}

fn writes(writes: &[VariableWrite], out: &mut Output) -> Result<(), Error> {
    let mut table = Table::new(&["TIME", "VALUE", "CALL", "", "WHERE"]).indented(2);
    for write in writes {
        let call = write.call.as_ref();
        table.row(vec![
            Cell::number(write.timestamp.to_string()),
            Cell::with(Look::Changed, value_or(write.value.as_ref(), "?")),
            Cell::new(call.map(call_name).unwrap_or_default()),
            Cell::with(
                Look::Faint,
                call.map(|call| format!("[{}]", call.id))
                    .unwrap_or_default(),
            ),
            Cell::new(write.place.as_ref().map(place).unwrap_or_default()),
        ]);
    }
    if table.is_empty() {
        Ok(())
    } else {
        table.write(out)
    }
}
