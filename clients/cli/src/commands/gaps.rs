//! `jhyde gaps`: what a recording does not have, one by one; and how a recording's own counts are told.

use jhyde_proto::v1::{Gap, ListGapsRequest, Recording};
use serde::Serialize;

use super::{Context, Notes, Paging, call_argument};
use crate::args::GapsArgs;
use crate::error::Error;
use crate::json::{CallJson, PlaceJson};
use crate::output::{Look, Output};
use crate::text::{Cell, Table, call_name, clean, count, place, plural};

#[derive(Serialize)]
struct GapJson<'a> {
    timestamp: u64,
    reason: &'a str,
    call: Option<CallJson<'a>>,
    place: Option<PlaceJson<'a>>,
    thread_name: &'a str,
}

/// `none`, or how many, and for which reasons: the first line, and one for each reason where there are several.
pub(crate) fn summary(recording: &Recording) -> Vec<String> {
    let each = recording
        .gaps
        .iter()
        .map(|gap| format!("{} × {}", count(gap.count), clean(&gap.reason)));
    match recording.gaps.as_slice() {
        [] => vec!["none".to_owned()],
        _ => each.collect(),
    }
}

/// Shows gaps.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn gaps(context: &mut Context, args: &GapsArgs) -> Result<(), Error> {
    let mut paging = Paging::new(&args.page, context.out.json);
    let mut shown = 0_u64;
    let mut notes = Notes::default();
    loop {
        let request = ListGapsRequest {
            recording: args.recording.clone(),
            call: args.call.as_deref().map(call_argument).unwrap_or_default(),
            reason: args.reason.clone().unwrap_or_default(),
            page_size: paging.size(),
            page_token: paging.token.clone(),
        };
        let page = context.client.history.list_gaps(request).await?;
        let page = page.into_inner();
        shown += page.gaps.len() as u64;
        if context.out.json {
            for gap in &page.gaps {
                context.out.object(&json(gap))?;
            }
        } else if !page.gaps.is_empty() {
            table(&page.gaps).write(&mut context.out)?;
        }
        notes.add(page.notes);
        if !paging.next(page.next_page_token) {
            break;
        }
    }
    if shown == 0 && !context.out.json {
        none(args, &mut context.out)?;
    }
    notes.tell(&mut context.out)?;
    paging.tell(&plural(shown, "gap"), &mut context.out)
}

fn none(args: &GapsArgs, out: &mut Output) -> Result<(), Error> {
    let text = match args.call.is_some() || args.reason.is_some() {
        true => "no such gaps",
        false => "no gaps",
    };
    let text = out.paint.text(Look::Good, text);
    out.line(text)
}

fn json(gap: &Gap) -> GapJson<'_> {
    GapJson {
        timestamp: gap.timestamp,
        reason: &gap.reason,
        call: gap.call.as_ref().map(CallJson),
        place: gap.place.as_ref().map(PlaceJson),
        thread_name: &gap.thread_name,
    }
}

fn table(gaps: &[Gap]) -> Table {
    let mut table = Table::new(&["TIME", "CALL", "", "WHERE", "NOT RECORDED"]);
    for gap in gaps {
        let call = match &gap.call {
            Some(call) => call_name(call),
            None => clean(&gap.thread_name).into_owned(),
        };
        let id = gap.call.as_ref().map(|call| format!("[{}]", call.id));
        table.row(vec![
            Cell::number(gap.timestamp.to_string()),
            Cell::new(call),
            Cell::with(Look::Faint, id.unwrap_or_default()),
            Cell::with(
                Look::Faint,
                gap.place.as_ref().map(place).unwrap_or_default(),
            ),
            Cell::with(Look::ChangedBelow, clean(&gap.reason)),
        ]);
    }
    table
}
