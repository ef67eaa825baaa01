//! `jhyde why`: what a value came from.

use jhyde_proto::v1::{SliceStep, WhyRequest};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, variable_argument};
use crate::args::WhyArgs;
use crate::error::Error;
use crate::json::{StepJson, WithCode};
use crate::output::Look;
use crate::source::{self, Sources};
use crate::text::{in_order, plural, shorten, step_line};

/// Columns of a step where the terminal does not say how many it has.
const COLUMNS: usize = 120;

/// Shows the slice of a value.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn why(context: &mut Context, args: &WhyArgs) -> Result<(), Error> {
    let request = WhyRequest {
        recording: args.recording.clone(),
        variable: variable_argument(&args.variable),
        at: args.at,
    };
    let most = match args.all {
        true => u64::MAX,
        false => args.limit,
    };
    let mut sources = context.sources(&args.recording, &args.source);
    let mut steps = context.client.history.why(request).await?.into_inner();
    let mut shown = Vec::new();
    let mut more = false;
    let mut count = 0;
    while let Some(step) = steps.next().await {
        let step = step?;
        if count == most {
            more = true;
            break;
        }
        count += 1;
        if context.out.json {
            let code = code_of(&step, &mut sources).await;
            let row = StepJson(&step);
            context.out.object(&WithCode { row, code })?;
        } else {
            shown.push(step);
        }
    }
    // What nobody reads any more, the daemon need not look for.
    drop(steps);
    if context.out.json {
        return Ok(());
    }
    tree(context, &shown, &mut sources).await?;
    if more {
        let text = format!(
            "… {}, and there are more: --limit N shows so many, --all shows all",
            plural(count, "step")
        );
        let text = context.out.paint.text(Look::Hint, text);
        context.out.line(text)?;
    }
    Ok(())
}

/// Steps under the steps that they led to, with their lines of code.
async fn tree(
    context: &mut Context,
    steps: &[SliceStep],
    sources: &mut Sources,
) -> Result<(), Error> {
    let mut notes = Notes::default();
    let columns = context.out.width.unwrap_or(COLUMNS);
    for (depth, step) in in_order(steps) {
        let (what, place) = step_line(step, depth);
        let code = code_of(step, sources).await;
        let look = match step.parent {
            None => Look::Strong,
            Some(_) => Look::Plain,
        };
        let what = shorten(&what, columns).into_owned();
        let mut line = context.out.paint.text(look, what);
        let code = code.map(|code| format!("  │ {code}")).unwrap_or_default();
        line.push_str(
            &context
                .out
                .paint
                .text(Look::Faint, format!("   {place}{code}")),
        );
        context.out.line(line)?;
        notes.add(step.notes.iter().cloned());
    }
    notes.add(sources.notes());
    notes.tell(&mut context.out)
}

async fn code_of(step: &SliceStep, sources: &mut Sources) -> Option<String> {
    let event = step.event.as_ref()?;
    let place = source::place_of(event).map(|(at, _)| at);
    sources.line(place).await
}
