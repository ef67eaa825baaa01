//! `jhyde events`: what happened, in order.

use jhyde_proto::v1::{Event, EventRow, ListEventsRequest, StreamEventsRequest};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, Paging, call_argument, recordings, variable_argument};
use crate::args::EventsArgs;
use crate::error::Error;
use crate::json::{EventJson, NextPage, RowJson};
use crate::output::{Look, Output};
use crate::progress;
use crate::text::{Cell, Table, event_cells, mark, plural, row_cells};

/// Lines that are aligned together when events come as a stream.
const BATCH: usize = 200;

/// Shows events.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn events(context: &mut Context, args: &EventsArgs) -> Result<(), Error> {
    match &args.call {
        Some(call) => of_call(context, args, call_argument(call)).await,
        None => of_recording(context, args).await,
    }
}

async fn of_call(context: &mut Context, args: &EventsArgs, call: String) -> Result<(), Error> {
    let mut paging = Paging::new(&args.page, context.out.json);
    let mut shown = 0_u64;
    let mut closed = false;
    let mut notes = Notes::default();
    // Whoever reads JSON reads all of it; people open what they look for.
    let unfold = args
        .unfold
        .unwrap_or(if context.out.json { u32::MAX } else { 0 });
    loop {
        let request = ListEventsRequest {
            recording: args.recording.clone(),
            call: call.clone(),
            from: args.from,
            to: args.to,
            page_size: paging.size(),
            page_token: paging.token.clone(),
            mark: args
                .mark
                .as_deref()
                .map(variable_argument)
                .unwrap_or_default(),
            inside: args.inside.clone().unwrap_or_default(),
            unfold,
            flat: args.flat,
        };
        let page = context
            .client
            .history
            .list_events(request)
            .await?
            .into_inner();
        notes.add(page.notes);
        shown += page.rows.len() as u64;
        closed |= page
            .rows
            .iter()
            .any(|row| (row.r#loop.is_some() || row.iteration.is_some()) && row.level >= unfold);
        if context.out.json {
            for row in &page.rows {
                context.out.object(&RowJson(row))?;
            }
        } else {
            rows(&page.rows, args.mark.is_some(), &mut context.out)?;
        }
        if !paging.next(page.next_page_token) {
            break;
        }
    }
    nothing(shown, &mut context.out)?;
    if closed && !context.out.json {
        let text = "--unfold LEVELS (or all) opens loops, --inside ROW shows what is in one";
        let text = context.out.paint.text(Look::Hint, text);
        context.out.line(text)?;
    }
    notes.tell(&mut context.out)?;
    paging.tell(&plural(shown, "row"), &mut context.out)
}

/// A call's own events, aligned.
pub(crate) fn rows(rows: &[EventRow], marked: bool, out: &mut Output) -> Result<(), Error> {
    let mut table = Table::new(&[]);
    for row in rows {
        let mut cells = row_cells(row, out.width);
        if marked {
            cells.insert(0, mark(row.mark()));
        }
        table.row(cells);
    }
    table.write(out)
}

async fn of_recording(context: &mut Context, args: &EventsArgs) -> Result<(), Error> {
    // People who ask for no range get the first page; the next one begins behind its last timestamp.
    let paging = Paging::new(&args.page, context.out.json);
    let from = match args.page.page.as_deref().map(str::parse::<u64>) {
        None => args.from,
        Some(Ok(timestamp)) => Some(timestamp),
        Some(Err(_)) => {
            return Err(Error::Usage(
                "--page of all events is the number of an event".to_owned(),
            ));
        }
    };
    let limit = (!paging.is_all() && !args.follow).then(|| u64::from(paging.size()));
    let request = StreamEventsRequest {
        recording: args.recording.clone(),
        from,
        to: args.to,
        thread: args.thread.unwrap_or(0),
        follow: args.follow,
    };
    let mut events = context
        .client
        .history
        .stream_events(request.clone())
        .await?
        .into_inner();
    if args.follow {
        context.out.eager = true;
        while let Some(event) = events.next().await {
            show(&mut vec![event?], &mut context.out)?;
        }
        return end(context, &request).await;
    }
    let bar = progress::spinner("reading events");
    let mut shown = 0_u64;
    let mut batch = Vec::new();
    let mut next = None;
    let mut failed = None;
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(status) => {
                failed = Some(status);
                break;
            }
        };
        if limit.is_some_and(|limit| shown == limit) {
            next = Some(event.timestamp);
            break;
        }
        shown += 1;
        batch.push(event);
        if batch.len() == BATCH {
            show(&mut batch, &mut context.out)?;
        }
    }
    // What came before a failure came all the same.
    show(&mut batch, &mut context.out)?;
    bar.finish_and_clear();
    if failed.is_none() {
        nothing(shown, &mut context.out)?;
    }
    if next.is_none() {
        end(context, &request).await?;
    }
    if let Some(status) = failed {
        return Err(status.into());
    }
    match next {
        None => Ok(()),
        Some(next) if context.out.json => context.out.object(&NextPage {
            next_page: &next.to_string(),
        }),
        Some(next) => {
            let text = format!(
                "… {}, and there is more: --from {next} goes on, --all shows all",
                plural(shown, "event")
            );
            let text = context.out.paint.text(Look::Hint, text);
            context.out.line(text)
        }
    }
}

/// Behind the last event: what is to be said of the recording's end, if the events go on up to it.
async fn end(context: &mut Context, request: &StreamEventsRequest) -> Result<(), Error> {
    let recording = recordings::named(&request.recording);
    let Ok(recording) = context.client.recordings.get(recording).await else {
        return Ok(());
    };
    let recording = recording.into_inner();
    let mut notes = Notes::default();
    if request.to.is_none_or(|to| to >= recording.events) {
        notes.add([recording.end_note]);
    }
    notes.tell(&mut context.out)
}

fn show(batch: &mut Vec<Event>, out: &mut Output) -> Result<(), Error> {
    if out.json {
        return batch
            .drain(..)
            .try_for_each(|event| out.object(&EventJson(&event)));
    }
    let mut table = Table::new(&[]);
    for event in batch.drain(..) {
        let cells: Vec<Cell> = event_cells(&event, false, out.width);
        table.row(cells);
    }
    table.write(out)
}

fn nothing(shown: u64, out: &mut Output) -> Result<(), Error> {
    if shown > 0 || out.json {
        return Ok(());
    }
    let text = out.paint.text(Look::Faint, "no events");
    out.line(text)
}
