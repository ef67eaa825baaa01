//! `jhyde step`: from one event to another.

use jhyde_proto::v1::{Event, NavigateRequest, Step};

use super::{Context, notes, variable_argument};
use crate::args::StepArgs;
use crate::error::Error;
use crate::json::{EventJson, WithCode};
use crate::source::place_of;
use crate::text::{Table, event_cells, room};

/// Goes so many steps, and shows each event on the way.
///
/// # Errors
/// When a step leads nowhere, the daemon refuses, or the output cannot be written.
pub async fn step(context: &mut Context, args: &StepArgs) -> Result<(), Error> {
    let mut request = request(args)?;
    let mut events: Vec<Event> = Vec::new();
    let mut ended = None;
    for _ in 0..args.steps.max(1) {
        match context.client.history.navigate(request.clone()).await {
            Ok(event) => {
                let event = event.into_inner();
                request.from = event.timestamp;
                events.push(event);
            }
            Err(status) => {
                ended = Some(status);
                break;
            }
        }
    }
    let mut sources = context.sources(&args.recording, &args.source);
    if context.out.json {
        for event in &events {
            let code = sources.line(place_of(event).map(|at| at.0)).await;
            let row = EventJson(event);
            context.out.object(&WithCode { row, code })?;
        }
    } else {
        let mut table = Table::new(&[]);
        let columns = events
            .iter()
            .map(|event| (event.timestamp, event.place.as_ref(), event.call.as_str()));
        let room = room(columns, context.out.width, 0);
        for event in &events {
            table.row(event_cells(event, false, room));
        }
        table.write(&mut context.out)?;
        if let Some(event) = events.last()
            && let Some((place, call)) = place_of(event)
        {
            let listing = sources.around(place, call, event.timestamp).await;
            super::listing(listing.as_ref(), &mut context.out)?;
        }
        for event in &events {
            notes(&event.notes, &mut context.out)?;
        }
        notes(&sources.notes(), &mut context.out)?;
    }
    match ended {
        Some(status) => Err(status.into()),
        None => Ok(()),
    }
}

fn request(args: &StepArgs) -> Result<NavigateRequest, Error> {
    let mut request = NavigateRequest {
        recording: args.recording.clone(),
        from: args.from,
        ..NavigateRequest::default()
    };
    let step = if let Some(variable) = &args.write {
        request.variable = variable_argument(variable);
        (Step::NextWrite, Step::PreviousWrite)
    } else if let Some(place) = &args.line {
        let (class, line) = place
            .rsplit_once(':')
            .and_then(|(class, line)| Some((class, line.parse().ok()?)))
            .ok_or_else(|| Error::Usage("write --line CLASS:LINE".to_owned()))?;
        // People copy `MergeSort.java:53` from the screen.
        request.class = class.strip_suffix(".java").unwrap_or(class).to_owned();
        request.line = line;
        (Step::NextAtLine, Step::PreviousAtLine)
    } else if args.throw {
        (Step::ToThrow, Step::ToThrow)
    } else if args.over {
        (Step::ForwardOver, Step::BackwardOver)
    } else if args.out {
        (Step::ForwardOut, Step::BackwardOut)
    } else {
        (Step::ForwardInto, Step::BackwardInto)
    };
    request.set_step(if args.back { step.1 } else { step.0 });
    Ok(request)
}
