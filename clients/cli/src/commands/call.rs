//! `jhyde call`: everything about one call. The debugging session shows its questions the same way.

use std::collections::{BTreeSet, HashSet};

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{
    Call, CallInput, CallResult, GetCallRequest, GetSideRequest, ReachableObject, StateRow,
};
use serde::Serialize;

use super::numbered::{MARGIN, Numbered};
use super::{Context, call_argument, listing, notes};
use crate::args::CallArgs;
use crate::client::Client;
use crate::error::Error;
use crate::json::{CallJson, InputJson, OutcomeJson, SourceJson};
use crate::output::{Look, Output, Paint};
use crate::text::{
    Detail, Listing, Objects, Side, ValueLine, call_line, call_place, changes, clean, head,
    object_lines, place, plural,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    source_notes: &'a [String],
}

/// Shows one call.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn call(context: &mut Context, args: &CallArgs) -> Result<(), Error> {
    let request = GetCallRequest {
        recording: args.recording.clone(),
        call: call_argument(&args.call),
        ..GetCallRequest::default()
    };
    let client = &mut context.client;
    let call = client.history.get_call(request.clone()).await?.into_inner();
    let path = client.history.get_path(request).await?.into_inner().calls;
    let (input, outcome) = input_and_outcome(client, &args.recording, &call.id).await?;
    let mut sources = context.sources(&args.recording, &args.source);
    let source = sources.of_call(&call).await;
    let source_notes = sources.notes();
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
            source: source.as_ref().map(SourceJson::from),
            source_notes: &source_notes,
        };
        return context.out.object(&report);
    }
    let out = &mut context.out;
    out.line(head(&call, Detail::alone(out.width), out.paint))?;
    about(&call, out)?;
    section("the way to it", out)?;
    way(&path, &call, out)?;
    source_of(source.as_ref(), &source_notes, out)?;
    given_and_yielded(&call, (&input, &outcome), &mut HashSet::new(), None, out)
}

/// So many calls of a long way are shown at each of its ends.
const WAY_ENDS: usize = 10;

/// The calls from the outermost one down to this one, each set in under its caller.
fn way(path: &[Call], this: &Call, out: &mut Output) -> Result<(), Error> {
    let between = match path.len() > 2 * WAY_ENDS + 1 {
        true => WAY_ENDS..path.len() - WAY_ENDS,
        false => 0..0,
    };
    let mut indent = 2;
    for (at, above) in path.iter().enumerate() {
        if between.contains(&at) && at > between.start {
            continue;
        }
        let line = if between.contains(&at) {
            let calls = plural(between.len() as u64, "call");
            out.paint.text(Look::Hint, format!("… {calls} between"))
        } else if above.id == this.id {
            "this call".to_owned()
        } else {
            call_line(above, Detail::SHORT.within(out.width, indent), 0, out.paint)
        };
        out.line(format!("{:indent$}{line}", ""))?;
        indent += 2;
    }
    Ok(())
}

/// A call's lines, with a title, and what is to be said of them.
pub(crate) fn source_of(
    shown: Option<&Listing>,
    told: &[String],
    out: &mut Output,
) -> Result<(), Error> {
    if let Some(shown) = shown {
        section(&format!("source: {}", clean(&shown.file)), out)?;
        listing(Some(shown), out)?;
    }
    notes(told, out)
}

/// What a call was given and what it yielded.
pub(crate) async fn input_and_outcome(
    client: &Client,
    recording: &str,
    call: &str,
) -> Result<(CallInput, CallResult), Error> {
    let request = GetSideRequest {
        recording: recording.to_owned(),
        call: call.to_owned(),
        ..GetSideRequest::default()
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
    out.line(format!("  {facts}"))?;
    for lowered in &call.lowered {
        let lowered = out.paint.text(Look::ChangedBelow, clean(lowered));
        out.line(format!("  {lowered}"))?;
    }
    Ok(())
}

fn section(title: &str, out: &mut Output) -> Result<(), Error> {
    let title = out.paint.text(Look::Hint, title);
    out.line(format!("  {title}"))
}

/// Input, outcome and what changed: what somebody has to see to say whether the call was right.
/// Notes that were `told` before are not told again. With `numbered` the values that can be pointed at get numbers.
pub(crate) fn given_and_yielded(
    call: &Call,
    (input, outcome): (&CallInput, &CallResult),
    told: &mut HashSet<String>,
    mut numbered: Option<&mut Numbered>,
    out: &mut Output,
) -> Result<(), Error> {
    given(input, told, numbered.as_deref_mut(), out)?;
    if call.exit.is_none() {
        section("yielded", out)?;
        let nothing = match call.recording_ended {
            true => "nothing: it had not ended when the recording ended",
            false => "nothing yet",
        };
        lines_or(Vec::new(), nothing, out)?;
        return notes(&news(&outcome.notes, told), out);
    }
    let paint = out.paint;
    let room = room(out);
    let mut with_margin = |line: ValueLine| {
        let margin = match numbered.as_deref_mut() {
            Some(numbered) => numbered.yielded(&line, paint),
            None => " ".repeat(MARGIN),
        };
        format!("{margin}{}", line.text)
    };
    let unseen = !outcome.notes.is_empty();
    let nothing = if unseen {
        "nothing that this recording tells"
    } else {
        "nothing"
    };
    section("yielded", out)?;
    let (rows, objects, initialised) = without_initialised(outcome);
    let yielded = object_lines(&rows, &Objects::new(&objects), Side::End, room, paint);
    let yielded = yielded.into_iter().map(&mut with_margin).collect();
    lines_or(yielded, nothing, out)?;
    for line in made_at(outcome, paint) {
        out.line(line)?;
    }
    for class in initialised {
        let line = format!("    {class} was initialised, and has its constants");
        out.line(paint.text(Look::Faint, line))?;
    }
    let changed = changes(&objects, room, paint);
    section("changed in what it was given or gave back", out)?;
    let changed = changed.into_iter().map(with_margin).collect();
    lines_or(changed, nothing, out)?;
    notes(&news(&outcome.notes, told), out)
}

/// What a call was given.
pub(crate) fn given(
    input: &CallInput,
    told: &mut HashSet<String>,
    mut numbered: Option<&mut Numbered>,
    out: &mut Output,
) -> Result<(), Error> {
    section("given", out)?;
    // Constants of the program are the same for every call.
    let rows: Vec<_> = input
        .rows
        .iter()
        .filter(|row| !row.constant || row.changed || row.changed_below)
        .cloned()
        .collect();
    let paint = out.paint;
    let objects = Objects::new(&input.objects);
    let lines = object_lines(&rows, &objects, Side::Start, room(out), paint);
    let with_margin = |line: ValueLine| {
        let margin = match numbered.as_deref_mut() {
            Some(numbered) => numbered.given(&line, paint),
            None => " ".repeat(MARGIN),
        };
        format!("{margin}{}", line.text)
    };
    lines_or(lines.into_iter().map(with_margin).collect(), "nothing", out)?;
    notes(&news(&input.notes, told), out)
}

/// Columns for a line of what was given or yielded, if there are so many.
fn room(out: &Output) -> Option<usize> {
    out.width.map(|width| width.saturating_sub(MARGIN))
}

/// Those of the notes that were not told before.
fn news(notes: &[String], told: &mut HashSet<String>) -> Vec<String> {
    let new = |note: &&String| told.insert((*note).clone());
    notes.iter().filter(new).cloned().collect()
}

/// Where the exception was made that a call ended with: the innermost places.
fn made_at(outcome: &CallResult, paint: Paint) -> Vec<String> {
    const MOST: usize = 6;
    let ends = outcome.rows.iter().filter_map(|row| row.end.as_ref());
    let mut places = ends.filter_map(|end| match &end.kind {
        Some(Kind::Object(thrown)) => Some(thrown.made_at.as_slice()),
        _ => None,
    });
    let places = places.find(|places| !places.is_empty());
    let places = places.unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    for (number, at) in places.iter().take(MOST).enumerate() {
        let word = if number == 0 { "made at" } else { "called at" };
        let method = clean(&at.method);
        lines.push(format!("      {word:<9} {} in {method}", place(at)));
    }
    if let Some(more @ 1..) = places.len().checked_sub(MOST) {
        lines.push(format!(
            "      … {} further out",
            plural(more as u64, "place")
        ));
    }
    let faint = |line: String| paint.text(Look::Faint, line);
    lines.into_iter().map(faint).collect()
}

/// What a call yielded without the constants that came to be because it was the first to name their class, and that
/// never change: those are the same in every run. Also the classes.
fn without_initialised(
    outcome: &CallResult,
) -> (Vec<StateRow>, Vec<ReachableObject>, BTreeSet<String>) {
    let (mut rows, mut objects) = (outcome.rows.clone(), outcome.objects.clone());
    let mut classes = BTreeSet::new();
    let constant_of = |row: &StateRow| {
        let (class, name) = row.name.rsplit_once('.')?;
        let never_changes = match row.end.as_ref()?.kind.as_ref()? {
            Kind::Object(object) => {
                let own = class.rsplit('$').next()?;
                object.shown == format!("{own}.{name}")
                    || object.class.starts_with("java.util.ImmutableCollections$")
                    || object.text.is_some()
            }
            _ => true,
        };
        let is_one = row.constant && row.start.is_none() && never_changes;
        is_one.then(|| class.to_owned())
    };
    rows.retain(|row| match constant_of(row) {
        Some(class) => {
            let below = format!("{}.", row.name);
            objects.retain(|object| object.path != row.name && !object.path.starts_with(&below));
            classes.insert(clean(&class).into_owned());
            false
        }
        None => true,
    });
    (rows, objects, classes)
}

fn lines_or(lines: Vec<String>, nothing: &str, out: &mut Output) -> Result<(), Error> {
    if lines.is_empty() {
        let nothing = out.paint.text(Look::Faint, nothing);
        return out.line(format!("    {nothing}"));
    }
    lines.into_iter().try_for_each(|line| out.line(line))
}
