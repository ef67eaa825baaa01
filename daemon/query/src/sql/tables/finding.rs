//! How calls are found: by their number, thread, method, or the call around them.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::Lookup;
use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{CallId, MethodId, ThreadId, Timestamp};

use super::ordered::{Of, in_order};
use crate::error::Result;
use crate::sql::extent::Leads;
use crate::sql::table::{Bounds, none};
use crate::sql::world::{RowsOf, World};

/// So many calls are read at once where a list is read in pages.
const PAGE: usize = 256;

pub(super) fn one(world: &Arc<World>, call: Option<CallId>) -> Result<RowsOf<CallRecord>> {
    let Some(call) = call else { return Ok(none()) };
    let record = world.clip(world.recording().call(call)?)?;
    Ok(Box::new(record.into_iter().map(Ok)))
}

pub(super) fn entered_at(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    let at = bounds.number("enter").map(Timestamp);
    let Some(at) = at.filter(|at| *at < world.span.until) else {
        return Ok(none());
    };
    match world.recording().call_entered_at(at)? {
        Some(record) => Ok(Box::new(world.clip(record)?.into_iter().map(Ok))),
        None => Ok(none()),
    }
}

/// The thread that is asked for, to look for what it did.
pub(super) fn thread(bounds: &Bounds) -> Option<Lookup> {
    let thread = bounds.number("thread");
    let thread = thread.and_then(|id| u32::try_from(id).ok());
    thread.map(|id| Lookup::Thread(ThreadId(id)))
}

pub(super) fn of_thread(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    let thread = bounds
        .number("thread")
        .and_then(|id| u32::try_from(id).ok());
    let known = world.recording().thread_ids();
    let threads = known.into_iter().filter(|known| Some(known.0) == thread);
    in_threads(world, threads.collect(), bounds)
}

/// The calls of threads that were entered in a stretch of time.
pub(super) fn in_threads(
    world: &Arc<World>,
    threads: Vec<ThreadId>,
    bounds: &Bounds,
) -> Result<RowsOf<CallRecord>> {
    let (of, range) = (Arc::clone(world), bounds.range());
    let all = threads.into_iter().map(move |thread| {
        let numbers = of.numbers(thread, range.start, range.end)?;
        Ok((Of::Thread(thread), numbers))
    });
    let calls = calls_of(world, all, bounds)?;
    Ok(clipped(world, calls))
}

/// The calls of threads or methods: one behind the other, or where it is asked for in the order of time.
fn calls_of(
    world: &Arc<World>,
    all: impl Iterator<Item = Result<(Of, Range<u64>)>> + Send + 'static,
    bounds: &Bounds,
) -> Result<RowsOf<CallRecord>> {
    match bounds.order {
        Some(direction) => in_order(world, all, direction == Direction::Backward),
        None => {
            let world = Arc::clone(world);
            Ok(Box::new(all.flat_map(move |one| -> RowsOf<CallRecord> {
                match one {
                    Ok((of, numbers)) => world.readable(of.calls(&world, numbers)),
                    Err(error) => Box::new(std::iter::once(Err(error))),
                }
            })))
        }
    }
}

/// Calls as they were at the end of what is seen.
pub(super) fn clipped(
    world: &Arc<World>,
    calls: impl Iterator<Item = Result<CallRecord>> + Send + 'static,
) -> RowsOf<CallRecord> {
    let world = Arc::clone(world);
    Box::new(calls.filter_map(move |call| call.and_then(|call| world.clip(call)).transpose()))
}

/// The methods of a class, of a name, or both.
pub(super) fn methods_called(
    world: &World,
    class: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<MethodId>> {
    let recording = world.recording();
    let classes = match class {
        Some(class) => recording.classes_named(class),
        None => recording.classes(),
    };
    let mut found = Vec::new();
    for id in classes {
        let Some(class) = recording.class(id)? else {
            continue;
        };
        let methods = class.methods.iter();
        let methods = methods.filter(|method| name.is_none_or(|name| method.name == name));
        found.extend(methods.map(|method| method.id));
    }
    match recording.lost_classes() {
        Some(lost) => Err(lost.into()),
        None => Ok(found),
    }
}

/// The method that is asked for.
pub(super) fn method_id(bounds: &Bounds) -> Option<MethodId> {
    let id = bounds.number("method_id");
    id.and_then(|id| u32::try_from(id).ok()).map(MethodId)
}

/// What leads to the calls of methods.
pub(super) fn methods_led(methods: impl IntoIterator<Item = MethodId>, bounds: &Bounds) -> Leads {
    let methods = methods.into_iter();
    let methods = methods.map(|method| (Lookup::Method(method), bounds.range()));
    methods.collect()
}

pub(super) fn of_method_id(world: &Arc<World>, bounds: &Bounds) -> Result<RowsOf<CallRecord>> {
    of_methods(world, method_id(bounds).into_iter().collect(), bounds)
}

/// The calls of methods that were entered in a stretch of time.
pub(super) fn of_methods(
    world: &Arc<World>,
    methods: Vec<MethodId>,
    bounds: &Bounds,
) -> Result<RowsOf<CallRecord>> {
    let (of, range) = (Arc::clone(world), bounds.range());
    let all = methods.into_iter().map(move |method| {
        let numbers = numbers_of(&of, method, &range)?;
        Ok((Of::Method(method), numbers))
    });
    let (calls, range) = (calls_of(world, all, bounds)?, bounds.range());
    // Which of them are of the stretch their numbers did not tell, where a block is damaged.
    let within = calls.filter(move |call| match call {
        Ok(call) => range.contains(&call.enter),
        Err(_) => true,
    });
    Ok(clipped(world, within))
}

/// The numbers of a method's calls that were entered in a stretch of time and are kept.
fn numbers_of(world: &World, method: MethodId, range: &Range<Timestamp>) -> Result<Range<u64>> {
    let from = world.kept(range.start, range.end);
    let Some(from) = from.filter(|from| *from < range.end) else {
        return Ok(0..0);
    };
    let number = |at: Timestamp, or: u64| -> Result<u64> {
        match (at.0, world.recording().invocation_at(method, at)) {
            (0, _) => Ok(0),
            // All of them were cut off, or there are none.
            (_, Err(error)) if error.cut_off().is_some() => Ok(0),
            // Whoever reads the calls finds out, and says so.
            (_, Err(jhyde_store::Error::Damaged { .. })) => Ok(or),
            (_, number) => Ok(number?),
        }
    };
    Ok(number(from, 0)?..number(range.end, u64::MAX)?)
}

/// The calls that a call made itself, in the order of time.
pub(super) fn children(world: &Arc<World>, parent: CallId) -> RowsOf<CallRecord> {
    let of = Arc::clone(world);
    let mut after = Some(None);
    let mut page = Vec::new().into_iter();
    let calls = std::iter::from_fn(move || {
        if let Some(call) = page.next() {
            return Some(Ok(call));
        }
        match of.recording().children(parent, after.take()?, PAGE) {
            Ok(calls) => {
                let last: &CallRecord = calls.last()?;
                after = Some(Some(last.id));
                page = calls.into_iter();
                page.next().map(Ok)
            }
            Err(error) => Some(Err(error.into())),
        }
    });
    clipped(world, calls)
}
