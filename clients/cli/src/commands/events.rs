//! `jhyde events`: what happened, in order.

use jhyde_proto::v1::event::Kind;
use jhyde_proto::v1::{
    Event, EventRow, GetCallRequest, ListEventsRequest, Mark, Place, StreamEventsRequest,
};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, Paging, call_argument, notes as told, recordings, variable_argument};
use crate::args::EventsArgs;
use crate::error::Error;
use crate::json::{EventJson, NextPage, RowJson, WithCode};
use crate::output::{Look, Output};
use crate::progress;
use crate::source::{self, Sources};
use crate::text::{
    Cell, Table, changed_cells, clean, count, event_cells, is_noise, mark, noise_line, plural,
    room, row_cells,
};

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
    let mut sources = context.sources(&args.recording, &args.source);
    let named = GetCallRequest {
        recording: args.recording.clone(),
        call: call.clone(),
        ..GetCallRequest::default()
    };
    let own = context.client.history.get_call(named).await?;
    let own = own.into_inner().id;
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
            ..ListEventsRequest::default()
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
                let code = sources.line(place_of_row(row, &own)).await;
                let row = RowJson(row);
                context.out.object(&WithCode { row, code })?;
            }
        } else {
            let shown = Shown {
                marked: args.mark.is_some(),
                noise: args.noise,
            };
            rows(&page.rows, &own, shown, &mut sources, &mut context.out).await?;
            notes.add(sources.notes());
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

/// Where a row of a call's own list happened in its method.
fn place_of_row<'a>(row: &'a EventRow, call: &str) -> Option<&'a Place> {
    if let Some(event) = &row.event {
        let own = event.call == call;
        let place = if own {
            source::place_of(event)
        } else {
            source::place_in_list(event)
        };
        return place.map(|at| at.0);
    }
    let found = row.r#loop.as_ref().and_then(|found| found.place.as_ref());
    let round = row.iteration.as_ref();
    found.or_else(|| round.and_then(|round| round.place.as_ref()))
}

/// What a list of rows shows.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// A column with the marks of a variable.
    marked: bool,
    /// Each of the calls that nobody asks about, which are one row otherwise.
    noise: bool,
}

/// A call's own events, aligned, the lines of code above what happened there.
async fn rows(
    rows: &[EventRow],
    own: &str,
    shown: Shown,
    sources: &mut Sources,
    out: &mut Output,
) -> Result<(), Error> {
    let mut table = Table::new(&[]);
    let events = rows
        .iter()
        .map(|row| match (&row.event, &row.r#loop, &row.iteration) {
            (Some(event), ..) => (event.timestamp, event.place.as_ref(), ""),
            (_, Some(found), _) => (found.from, found.place.as_ref(), ""),
            (.., Some(round)) => (round.from, round.place.as_ref(), ""),
            _ => (0, None, ""),
        });
    let room = room(events, out.width, if shown.marked { 3 } else { 0 });
    let mut code = Lines::default();
    let mut folded = 0;
    let folds =
        |row: &EventRow| !shown.noise && row.mark() == Mark::Unspecified && is_noise_row(row);
    for (at, row) in rows.iter().enumerate() {
        if folds(row) {
            folded += 1;
            let goes_on = rows
                .get(at + 1)
                .is_some_and(|next| folds(next) && next.level == row.level);
            if goes_on {
                continue;
            }
        }
        let before = 2 + usize::from(shown.marked);
        let place = place_of_row(row, own);
        if let Some(above) = code.above(place, sources, before).await {
            table.row(above);
        }
        let mut lines = vec![row_cells(row, room)];
        if let Some(event) = &row.event {
            lines.extend(changed_cells(event));
        }
        // One alone is one line in any case.
        let calls = std::mem::take(&mut folded);
        if calls > 1 {
            lines.truncate(1);
            if let Some(what) = lines.first_mut().and_then(|cells| cells.last_mut()) {
                let indent = "  ".repeat(row.level.min(40) as usize);
                *what = Cell::with(Look::Faint, indent + &noise_line(calls));
            }
        }
        for mut cells in lines {
            if shown.marked {
                cells.insert(0, mark(row.mark()));
            }
            table.row(cells);
        }
    }
    table.write(out)
}

fn is_noise_row(row: &EventRow) -> bool {
    let kind = row.event.as_ref().and_then(|event| event.kind.as_ref());
    matches!(kind, Some(Kind::Enter(call)) if is_noise(call))
}

/// The line of code that was shown last: what happened there comes under it.
#[derive(Debug, Default)]
struct Lines(Option<(String, u32)>);

impl Lines {
    /// The cells of a row with the line of code, behind so many empty ones, if another line is reached.
    async fn above(
        &mut self,
        place: Option<&Place>,
        sources: &mut Sources,
        before: usize,
    ) -> Option<Vec<Cell>> {
        let place = place?;
        let line = (place.class.clone(), place.line?);
        if self.0.as_ref() == Some(&line) {
            return None;
        }
        self.0 = Some(line);
        let code = sources.line(Some(place)).await?;
        let mut cells = vec![Cell::new(""); before];
        cells.push(Cell::with(Look::Hint, format!("│ {}", clean(&code))));
        Some(cells)
    }
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
    let mut sources = context.sources(&args.recording, &args.source);
    let mut lines = Lines::default();
    let mut events = context
        .client
        .history
        .stream_events(request.clone())
        .await?
        .into_inner();
    if args.follow {
        context.out.eager = true;
        let mut shown = 0_u64;
        while let Some(event) = events.next().await {
            let mut batch = vec![event?];
            show(&mut batch, &mut lines, &mut sources, &mut context.out).await?;
            shown += 1;
        }
        return end(context, &request, shown).await;
    }
    let bar = progress::reading("reading events");
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
            show(&mut batch, &mut lines, &mut sources, &mut context.out).await?;
        }
    }
    // What came before a failure came all the same.
    show(&mut batch, &mut lines, &mut sources, &mut context.out).await?;
    bar.finish_and_clear();
    if failed.is_none() {
        nothing(shown, &mut context.out)?;
    }
    if next.is_none() && failed.is_none() {
        end(context, &request, shown).await?;
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

/// Behind the last event: what is to be said of the recording's end, if the events go on up to it, and why fewer events
/// were shown than the recording has.
async fn end(
    context: &mut Context,
    request: &StreamEventsRequest,
    shown: u64,
) -> Result<(), Error> {
    let recording = recordings::named(&request.recording);
    let Ok(recording) = context.client.recordings.get(recording).await else {
        return Ok(());
    };
    let recording = recording.into_inner();
    let mut notes = Notes::default();
    if request.to.is_none_or(|to| to >= recording.events) {
        notes.add([recording.end_note]);
    }
    notes.tell(&mut context.out)?;
    let to = request
        .to
        .map_or(recording.events, |to| to.min(recording.events));
    let asked = to.saturating_sub(request.from.unwrap_or(0));
    // Of one thread's events nobody knows how many there are.
    let hidden = asked.saturating_sub(shown);
    if request.thread != 0 || hidden == 0 || context.out.json {
        return Ok(());
    }
    let text = format!(
        "… {} of {}: the other {hidden} only say what an object held when it was first seen (jhyde history tells them)",
        count(shown),
        plural(asked, "event"),
    );
    let text = context.out.paint.text(Look::Faint, text);
    context.out.line(text)
}

async fn show(
    batch: &mut Vec<Event>,
    lines: &mut Lines,
    sources: &mut Sources,
    out: &mut Output,
) -> Result<(), Error> {
    let mut table = Table::new(&[]);
    let events = batch
        .iter()
        .map(|event| (event.timestamp, event.place.as_ref(), event.call.as_str()));
    let room = room(events, out.width, 0);
    for event in batch.drain(..) {
        let place = source::place_of(&event).map(|at| at.0);
        if out.json {
            let code = sources.line(place).await;
            let row = EventJson(&event);
            out.object(&WithCode { row, code })?;
            continue;
        }
        if let Some(above) = lines.above(place, sources, 3).await {
            table.row(above);
        }
        table.row(event_cells(&event, false, room));
    }
    table.write(out)?;
    match out.json {
        true => Ok(()),
        false => told(&sources.notes(), out),
    }
}

fn nothing(shown: u64, out: &mut Output) -> Result<(), Error> {
    if shown > 0 || out.json {
        return Ok(());
    }
    let text = out.paint.text(Look::Faint, "no events");
    out.line(text)
}
