//! `jhyde call`: everything about one call. The debugging session shows its questions the same way.

use std::collections::HashSet;

use jhyde_proto::v1::{Call, CallInput, CallResult, GetCallRequest};
use serde::Serialize;

use super::{Context, call_argument, notes};
use crate::args::CallArgs;
use crate::client::Client;
use crate::error::Error;
use crate::json::{CallJson, InputJson, OutcomeJson};
use crate::output::{Look, Output};
use crate::text::{
    Detail, Objects, Side, call_line, call_place, changes, clean, head, object_lines, place, plural,
};

#[derive(Serialize)]
struct CallReport<'a> {
    #[serde(flatten)]
    call: CallJson<'a>,
    input: InputJson<'a>,
    outcome: Option<OutcomeJson<'a>>,
    /// Of a call without an outcome.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    path: Vec<CallJson<'a>>,
}

/// Shows one call.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn call(context: &mut Context, args: &CallArgs) -> Result<(), Error> {
    let request = GetCallRequest {
        recording: args.recording.clone(),
        call: call_argument(&args.call),
    };
    let client = &mut context.client;
    let call = client.history.get_call(request.clone()).await?.into_inner();
    let path = client.history.get_path(request).await?.into_inner().calls;
    let (input, outcome) = input_and_outcome(client, &args.recording, &call.id).await?;
    if context.out.json {
        let report = CallReport {
            call: CallJson(&call),
            input: InputJson(&input),
            outcome: call.exit.is_some().then_some(OutcomeJson(&outcome)),
            notes: match call.exit {
                Some(_) => &[],
                None => &outcome.notes,
            },
            path: path.iter().map(CallJson).collect(),
        };
        return context.out.object(&report);
    }
    let out = &mut context.out;
    out.line(head(&call, Detail::FULL, out.paint))?;
    about(&call, out)?;
    section("the way to it", out)?;
    for (depth, above) in path.iter().enumerate() {
        let own = above.id == call.id;
        let line = if own {
            "this call".to_owned()
        } else {
            call_line(above, Detail::SHORT, 0, out.paint)
        };
        out.line(format!("  {}{line}", "  ".repeat(depth)))?;
    }
    given_and_yielded(&call, &input, &outcome, &mut HashSet::new(), out)
}

/// What a call was given and what it yielded.
pub(crate) async fn input_and_outcome(
    client: &Client,
    recording: &str,
    call: &str,
) -> Result<(CallInput, CallResult), Error> {
    let request = GetCallRequest {
        recording: recording.to_owned(),
        call: call.to_owned(),
    };
    let (mut one, mut other) = (client.history.clone(), client.history.clone());
    let (input, outcome) =
        tokio::try_join!(one.get_input(request.clone()), other.get_result(request))?;
    Ok((input.into_inner(), outcome.into_inner()))
}

/// The line of facts under a call's name.
fn about(call: &Call, out: &mut Output) -> Result<(), Error> {
    let time = match call.exit {
        Some(exit) => format!("events {} to {exit}", call.enter),
        None if call.recording_ended => format!(
            "from event {} on, not ended when the recording ended",
            call.enter
        ),
        None => format!(
            "from event {} on, still running or not seen to end",
            call.enter
        ),
    };
    let mut facts = vec![
        format!("[{}]", call.id),
        call_place(call),
        format!("thread \"{}\"", clean(&call.thread_name)),
        time,
        format!("{} below", plural(call.descendants, "call")),
    ];
    if let Some(site) = &call.call_site {
        facts.push(format!("called from {}", place(site)));
    }
    if call.boundary {
        facts.push("outside the recorded classes: trusted".to_owned());
    }
    facts.retain(|fact| !fact.is_empty());
    let facts = out.paint.text(Look::Faint, facts.join(" · "));
    out.line(format!("  {facts}"))
}

fn section(title: &str, out: &mut Output) -> Result<(), Error> {
    let title = out.paint.text(Look::Hint, title);
    out.line(format!("  {title}"))
}

/// Input, outcome and what changed: what somebody has to see to say whether the call was right.
/// Notes that were `told` before are not told again.
pub(crate) fn given_and_yielded(
    call: &Call,
    input: &CallInput,
    outcome: &CallResult,
    told: &mut HashSet<String>,
    out: &mut Output,
) -> Result<(), Error> {
    let mut news = |notes: &[String]| -> Vec<String> {
        notes
            .iter()
            .filter(|note| told.insert((*note).clone()))
            .cloned()
            .collect()
    };
    let paint = out.paint;
    section("given", out)?;
    let given = object_lines(
        &input.rows,
        &Objects::new(&input.objects),
        Side::Start,
        paint,
    );
    lines_or(&given, "nothing", out)?;
    notes(&news(&input.notes), out)?;
    if call.exit.is_none() {
        section("yielded", out)?;
        let nothing = match call.recording_ended {
            true => "nothing: it had not ended when the recording ended",
            false => "nothing yet",
        };
        lines_or(&[], nothing, out)?;
        return notes(&news(&outcome.notes), out);
    }
    let unseen = !outcome.notes.is_empty();
    let nothing = if unseen {
        "nothing that this recording tells"
    } else {
        "nothing"
    };
    section("yielded", out)?;
    let yielded = object_lines(
        &outcome.rows,
        &Objects::new(&outcome.objects),
        Side::End,
        paint,
    );
    lines_or(&yielded, nothing, out)?;
    let changed = changes(&outcome.objects, paint);
    section("changed in what it was given or gave back", out)?;
    lines_or(&changed, nothing, out)?;
    notes(&news(&outcome.notes), out)
}

fn lines_or(lines: &[String], nothing: &str, out: &mut Output) -> Result<(), Error> {
    if lines.is_empty() {
        let nothing = out.paint.text(Look::Faint, nothing);
        return out.line(format!("    {nothing}"));
    }
    lines
        .iter()
        .try_for_each(|line| out.line(format!("    {line}")))
}
