//! `jhyde where`: what went wrong. Exceptions that nobody caught, that left the recorded classes, or that failed a test;
//! and who ended the program.

use jhyde_proto::v1::{
    Call, ExceptionFate, FailedTest, ListThreadsRequest, ListUncaughtResponse, ProgramExit,
    UncaughtException,
};
use serde::Serialize;

use super::{Context, Notes};
use crate::args::WhereArgs;
use crate::error::Error;
use crate::json::{CallJson, PlaceJson, SourceJson, ValueJson};
use crate::output::{Look, Output};
use crate::source::Sources;
use crate::text::{
    Detail, Listing, call_line, call_name, clean, place, plural, simple_class, value_or, width,
};

/// So many of the calls that an exception ended are shown at each end of a long way.
const WAY_ENDS: usize = 8;

#[derive(Serialize)]
struct ExceptionJson<'a> {
    exception: Option<ValueJson<'a>>,
    timestamp: u64,
    fate: &'static str,
    thread_name: &'a str,
    place: Option<PlaceJson<'a>>,
    call: Option<CallJson<'a>>,
    ended: Vec<CallJson<'a>>,
    caught_by: Option<CallJson<'a>>,
    test: Option<TestJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceJson<'a>>,
}

#[derive(Serialize)]
struct TestJson<'a> {
    test: Option<CallJson<'a>>,
    assertion: Option<CallJson<'a>>,
    under_test: Option<CallJson<'a>>,
}

#[derive(Serialize)]
struct ExitJson<'a> {
    exit_code: Option<i32>,
    timestamp: u64,
    call: Option<CallJson<'a>>,
    caller: Option<CallJson<'a>>,
    place: Option<PlaceJson<'a>>,
}

/// Shows what went wrong.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn where_(context: &mut Context, args: &WhereArgs) -> Result<(), Error> {
    let request = ListThreadsRequest {
        recording: args.recording.clone(),
    };
    let answer = context.client.history.list_uncaught(request).await?;
    let ListUncaughtResponse {
        exceptions,
        notes: told,
        exits,
    } = answer.into_inner();
    let mut notes = Notes::default();
    notes.add(told);
    let mut sources = context.sources(&args.recording, &args.source);
    let mut listings = Vec::new();
    for exception in &exceptions {
        listings.push(thrown_at(&mut sources, exception).await);
    }
    let out = &mut context.out;
    if !out.json {
        notes.add(sources.notes());
    }
    let mut shown = exceptions.iter().zip(&listings);
    if out.json {
        shown.try_for_each(|(e, listing)| out.object(&json(e, listing.as_ref())))?;
        exits
            .iter()
            .try_for_each(|exit| out.object(&exit_json(exit)))?;
        return notes.tell(out);
    }
    if exceptions.is_empty() {
        let (look, text) = match notes.is_empty() {
            true => (Look::Good, "every exception was caught"),
            false => (
                Look::Plain,
                "every exception was caught, as far as the recording tells",
            ),
        };
        let text = out.paint.text(look, text);
        out.line(text)?;
    }
    shown.try_for_each(|(exception, listing)| show(exception, listing.as_ref(), out))?;
    exits.iter().try_for_each(|exit| ended_by(exit, out))?;
    notes.tell(out)
}

fn fate(exception: &UncaughtException) -> &'static str {
    match exception.fate() {
        ExceptionFate::Unspecified | ExceptionFate::EndedThread => "ended-thread",
        ExceptionFate::LeftScope => "left-scope",
        ExceptionFate::CaughtByFramework => "caught-by-framework",
    }
}

fn json<'a>(e: &'a UncaughtException, listing: Option<&'a Listing>) -> ExceptionJson<'a> {
    ExceptionJson {
        exception: e.exception.as_ref().map(ValueJson),
        timestamp: e.timestamp,
        fate: fate(e),
        thread_name: &e.thread_name,
        place: e.place.as_ref().map(PlaceJson),
        call: e.call.as_ref().map(CallJson),
        ended: e.ended.iter().map(CallJson).collect(),
        caught_by: e.caught_by.as_ref().map(CallJson),
        test: e.test.as_ref().map(|test| TestJson {
            test: test.test.as_ref().map(CallJson),
            assertion: test.assertion.as_ref().map(CallJson),
            under_test: test.under_test.as_ref().map(CallJson),
        }),
        source: listing.map(SourceJson::from),
    }
}

fn exit_json(exit: &ProgramExit) -> ExitJson<'_> {
    ExitJson {
        exit_code: exit.exit_code,
        timestamp: exit.timestamp,
        call: exit.call.as_ref().map(CallJson),
        caller: exit.caller.as_ref().map(CallJson),
        place: exit.place.as_ref().map(PlaceJson),
    }
}

/// What became of it, behind its name.
fn became(exception: &UncaughtException) -> String {
    let thread = clean(&exception.thread_name);
    let catcher = exception
        .caught_by
        .as_ref()
        .map(|call| format!("{} [{}]", call_name(call), call.id));
    match (exception.fate(), &exception.test, catcher) {
        (ExceptionFate::Unspecified | ExceptionFate::EndedThread, ..) => {
            format!("ended thread \"{thread}\"")
        }
        (
            _,
            Some(FailedTest {
                test: Some(test), ..
            }),
            _,
        ) => format!("failed {}", call_name(test)),
        (ExceptionFate::CaughtByFramework, _, Some(catcher)) => format!("was caught by {catcher}"),
        (_, _, Some(catcher)) => format!("left the recorded classes into {catcher}"),
        _ => format!("left the recorded classes in thread \"{thread}\""),
    }
}

/// The lines around the place where an exception was thrown, as far as it is in the recorded classes.
async fn thrown_at(sources: &mut Sources, exception: &UncaughtException) -> Option<Listing> {
    let call = exception.call.as_ref()?;
    let place = exception.place.as_ref()?;
    sources.around(place, &call.id, exception.timestamp).await
}

fn show(
    exception: &UncaughtException,
    listing: Option<&Listing>,
    out: &mut Output,
) -> Result<(), Error> {
    let paint = out.paint;
    let became = format!(" {}  ", became(exception));
    let time = format!("event {}", exception.timestamp);
    let mut shown = value_or(exception.exception.as_ref(), "an exception");
    let one_line = width(&shown) + width(&became) + time.len();
    if out.width.is_some_and(|columns| one_line > columns) {
        // What it says stands alone then, and is what one wants to read.
        out.line(paint.text(Look::Bad, &shown))?;
        shown.clear();
    }
    out.line(format!(
        "{}{}{}",
        paint.text(Look::Bad, &shown),
        if shown.is_empty() {
            format!(" {became}")
        } else {
            became
        },
        paint.text(Look::Faint, time)
    ))?;
    if let Some(at) = &exception.place {
        let at = paint.text(Look::Strong, place(at));
        out.line(format!("  thrown at {at}"))?;
    }
    super::listing(listing, out)?;
    if let Some(test) = &exception.test {
        failed(test, out)?;
    }
    let thrower = exception
        .call
        .iter()
        .filter(|call| exception.ended.iter().all(|e| e.id != call.id));
    let calls: Vec<&Call> = thrower.chain(&exception.ended).collect();
    let between = match calls.len() > 2 * WAY_ENDS + 1 {
        true => WAY_ENDS..calls.len() - WAY_ENDS,
        false => 0..0,
    };
    for (at, call) in calls.into_iter().enumerate() {
        if between.contains(&at) {
            if at == between.start {
                let more = format!("  … {} between", plural(between.len() as u64, "call"));
                let more = paint.text(Look::Hint, more);
                out.line(more)?;
            }
            continue;
        }
        out.line(format!("  in {}", line(&without_end(call), 5, out)))?;
    }
    Ok(())
}

/// The assertion, and what it looked at.
fn failed(test: &FailedTest, out: &mut Output) -> Result<(), Error> {
    if let Some(assertion) = &test.assertion {
        let site = assertion.call_site.as_ref().map(place).unwrap_or_default();
        let detail = Detail::alone(out.width).indented(13);
        let text = call_line(&without_end(assertion), detail, 0, out.paint);
        out.line(format!("  assertion  {text}"))?;
        let id = out.paint.text(Look::Faint, format!("[{}]", assertion.id));
        match site.as_str() {
            "" => out.line(format!("    {id}"))?,
            site => out.line(format!(
                "    at {}  {id}",
                out.paint.text(Look::Strong, site)
            ))?,
        }
    }
    if let Some(call) = &test.under_test {
        let text = line(call, 14, out);
        out.line(format!("  under test  {text}"))?;
    }
    Ok(())
}

fn line(call: &Call, taken: usize, out: &Output) -> String {
    let detail = Detail::list(out.width).indented(taken);
    call_line(call, detail, 0, out.paint)
}

/// Each of them ended by the exception: no need to say so each time.
fn without_end(call: &Call) -> Call {
    Call {
        exception: None,
        result: None,
        exit: Some(0),
        ..call.clone()
    }
}

/// Who ended the program: the call of exit, where it is recorded, and else what ran then.
fn ended_by(exit: &ProgramExit, out: &mut Output) -> Result<(), Error> {
    let paint = out.paint;
    let code = exit.exit_code.map(|code| code.to_string());
    let code = code.as_deref().unwrap_or("?");
    let text = match &exit.call {
        Some(call) => format!(
            "{}.{}({code})",
            clean(simple_class(&call.class)),
            clean(&call.method)
        ),
        None => format!("System.exit({code}), or the like,"),
    };
    let look = match exit.exit_code {
        Some(0) => Look::Plain,
        _ => Look::Bad,
    };
    let time = paint.text(Look::Faint, format!("event {}", exit.timestamp));
    out.line(format!(
        "{} ended the program  {time}",
        paint.text(look, text)
    ))?;
    if let Some(at) = &exit.place {
        let at = paint.text(Look::Strong, place(at));
        let word = if exit.call.is_some() { "at" } else { "after" };
        out.line(format!("  called {word} {at}"))?;
    }
    match &exit.caller {
        Some(caller) => {
            let text = line(&without_end(caller), 5, out);
            out.line(format!("  in {text}"))
        }
        None => Ok(()),
    }
}
