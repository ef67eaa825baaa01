//! Where something happened, what led there, and what was called around it.

use std::ops::Range;
use std::sync::Arc;

use jhyde_history::state::{AT_BUDGET, RowKind};
use jhyde_history::view::ValueView;
use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, ThreadId, Timestamp};

use crate::answer::{Cell, Row};
use crate::error::Result;
use crate::prepared::{Ask, wrong};
use crate::span::Span;

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// `where`.
pub(crate) fn where_(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let call = enclosing(ask)?;
    match call.is_root() {
        true => Ok(()),
        false => {
            take(vec![ask.call_cell(call)?])?;
            note_of_call(ask, call)
        }
    }
}

/// The call that encloses the event; where there is none, that is noted.
fn enclosing(ask: &Ask<'_>) -> Result<CallId> {
    let at = ask.the_event()?;
    let call = ask.enclosing(at)?;
    if call.is_root() {
        ask.note(format!("event {at} happened outside of all calls"));
    }
    Ok(call)
}

/// `call-chain`.
pub(crate) fn call_chain(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let call = enclosing(ask)?;
    if call.is_root() {
        return Ok(());
    }
    for record in ask.history.recording().path(call)?.into_iter().rev() {
        take(vec![ask.call_cell(record.id)?])?;
    }
    Ok(())
}

/// `call-tree`.
pub(crate) fn call_tree(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let most = match ask.given("depth") {
        Some(given) => match given.parse::<u32>() {
            Ok(depth) if depth > 0 => depth,
            _ => return Err(wrong("depth", given, "it is a whole number from 1 on")),
        },
        None => u32::MAX,
    };
    let root = ask.record(ask.history.resolve_call(ask.needed("call"))?)?;
    each_below(
        ask,
        root.id,
        root.id.preorder + 1,
        most,
        &mut |depth, record| {
            if ask.span.contains(record.enter) {
                let call = ask.span.call(ask.history, record)?;
                take(vec![Cell::Int(depth.into()), Cell::Call(Arc::new(call))])?;
            }
            Ok(true)
        },
    )?;
    note_of_call(ask, root.id)
}

/// What is hidden of a call.
fn note_of_call(ask: &Ask<'_>, call: CallId) -> Result<()> {
    for note in ask.history.gap_notes(call)? {
        ask.note(note);
    }
    Ok(())
}

/// The calls below a call, from a number on, down to a depth, in the order in which they began before the end of the span. `each`
/// says whether to go on. What is damaged or cut off of them is left out, and noted.
fn each_below(
    ask: &Ask<'_>,
    root: CallId,
    first: u64,
    most: u32,
    each: &mut dyn FnMut(u32, CallRecord) -> Result<bool>,
) -> Result<()> {
    let recording = ask.history.recording();
    let root = recording.call(root)?;
    let mut next = first;
    let end = root.id.preorder + root.size;
    while next < end {
        ask.history.check()?;
        let record = match recording.call(CallId::new(root.id.thread, next)) {
            Ok(record) => record,
            Err(error) => {
                ask.without(error.into())?;
                let Some(readable) = next_readable(ask, root.id.thread, next..end)? else {
                    return Ok(());
                };
                next = readable;
                continue;
            }
        };
        if record.enter >= ask.span.until {
            return Ok(());
        }
        let depth = record.depth.saturating_sub(root.depth);
        // It may be deeper where the call around it is left out.
        if depth <= most && !each(depth, record)? {
            return Ok(());
        }
        next += if depth >= most { record.size.max(1) } else { 1 };
    }
    Ok(())
}

/// The first of the numbers of calls behind one that cannot be read that can be.
fn next_readable(ask: &Ask<'_>, thread: ThreadId, numbers: Range<u64>) -> Result<Option<u64>> {
    for call in ask.history.recording().preorder(thread, numbers) {
        match call {
            Ok(call) => return Ok(Some(call.id.preorder)),
            Err(error) => ask.without(error.into())?,
        }
    }
    Ok(None)
}

/// `pre-calls`: what ended before the event.
pub(crate) fn pre_calls(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    around(ask, take, Side::Before)
}

/// `post-calls`: what began behind it.
pub(crate) fn post_calls(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    around(ask, take, Side::Behind)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}

fn around(ask: &Ask<'_>, take: Take<'_>, side: Side) -> Result<()> {
    let most = if ask.flag("nested")? { u32::MAX } else { 1 };
    let at = ask.the_event()?;
    let call = enclosing(ask)?;
    if call.is_root() {
        return Ok(());
    }
    let first = match side {
        Side::Before => call.preorder + 1,
        Side::Behind => first_behind(ask, call, at, most)?,
    };
    each_below(ask, call, first, most, &mut |_, record| {
        let is_wanted = match side {
            Side::Before => record.exit.is_some_and(|exit| exit < at),
            Side::Behind => record.enter > at,
        };
        if is_wanted && ask.span.contains(record.enter) {
            let call = ask.span.call(ask.history, record)?;
            take(vec![Cell::Call(Arc::new(call))])?;
        }
        Ok(side == Side::Behind || record.enter <= at)
    })?;
    note_of_call(ask, call)
}

/// The number of the first call below one that began behind an event of it: numbers rise with time.
fn first_behind(ask: &Ask<'_>, call: CallId, at: Timestamp, most: u32) -> Result<u64> {
    let recording = ask.history.recording();
    let record = recording.call(call)?;
    let (below, end) = (call.preorder + 1, call.preorder + record.size);
    let until = Span {
        until: Timestamp(at.0 + 1),
        ..ask.span
    };
    let first = below + until.entered(ask.history, call.thread, below..end)?;
    if first >= end || most > 1 {
        return Ok(first);
    }
    // What the event's own call made is not made by the one around it.
    let mut inner = recording.call(CallId::new(call.thread, first))?;
    while inner.parent != call && !inner.parent.is_root() {
        inner = recording.call(inner.parent)?;
    }
    Ok(match inner.enter > at {
        true => inner.id.preorder,
        false => inner.id.preorder + inner.size,
    })
}

/// `locals`.
pub(crate) fn locals(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let at = ask.the_event()?;
    let call = enclosing(ask)?;
    if call.is_root() {
        return Ok(());
    }
    let record = ask.record(call)?;
    let before = Timestamp(at.0.saturating_sub(1)).max(record.enter);
    let state = ask.history.state(call, Some(before), Some(at), 1)?;
    for row in state.rows {
        if !matches!(row.kind, RowKind::This | RowKind::Local) {
            continue;
        }
        // What is not seen to be written may be another as soon as the call has begun.
        let is_unseen =
            before == record.enter && matches!(row.end, Some(ValueView::NotRecorded(_)));
        let start = if is_unseen {
            row.end.clone()
        } else {
            row.start
        };
        take(vec![
            Cell::Text(row.name),
            Cell::Text(row.type_name),
            Cell::or_null(start, Cell::Value),
            Cell::or_null(row.end, Cell::Value),
            Cell::text(match (row.changed, row.not_recorded) {
                (true, _) => "written",
                (false, true) => "not recorded",
                (false, false) => "kept",
            }),
        ])?;
    }
    // What lies behind the locals is not asked for.
    for note in state.notes.into_iter().filter(|note| note != AT_BUDGET) {
        ask.note(note);
    }
    Ok(())
}

/// `threads`.
pub(crate) fn threads(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let from = ask.span.from;
    // How many began in what was cut off is known of all of them, and not of some.
    let counted = match from.0 {
        0 => from,
        _ => from.max(ask.history.recording().kept_from()),
    };
    let threads = ask.history.threads()?;
    for thread in threads.threads {
        if thread.end.is_some_and(|end| end < from) {
            continue;
        }
        let start = thread.start.filter(|start| *start < ask.span.until);
        let end = thread.end.filter(|end| *end < ask.span.until);
        let entered = |until: Timestamp| {
            let span = Span { until, ..ask.span };
            span.entered(ask.history, thread.id, 1..thread.calls + 1)
        };
        let before = match counted.0 {
            0 => 0,
            _ => entered(counted)?,
        };
        let calls = entered(ask.span.until)?.saturating_sub(before);
        let state = match (start, end) {
            (None, _) => "not started",
            (_, Some(_)) => "ended",
            _ => "running",
        };
        take(vec![
            Cell::Int(thread.id.0.into()),
            Cell::Text(thread.name),
            Cell::Text(thread.group),
            Cell::text(state),
            Cell::or_null(start, Cell::Event),
            Cell::or_null(end, Cell::Event),
            Cell::Int(calls),
        ])?;
    }
    ask.note_hidden()
}
