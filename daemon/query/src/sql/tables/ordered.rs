//! Calls of several threads or methods in the order of time: of each thread and each method they have one already.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::Rows;
use jhyde_store::records::CallRecord;
use jhyde_trace::{MethodId, ThreadId, Timestamp};

use crate::error::Result;
use crate::sql::world::{RowsOf, World};
use crate::time_order::{Source, TimeOrder};

/// Whose calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Thread(ThreadId),
    Method(MethodId),
}

impl Of {
    /// Those of some numbers, rising.
    pub(super) fn calls(self, world: &World, numbers: Range<u64>) -> Rows<CallRecord> {
        match self {
            Self::Thread(thread) => world.recording().preorder(thread, numbers),
            Self::Method(method) => world.recording().numbered_calls_of(method, numbers),
        }
    }

    /// How many there are: behind damage the numbers of a method's calls are not known to their end.
    fn count(self, world: &World) -> Option<u64> {
        match self {
            Self::Thread(_) => None,
            Self::Method(method) => world.recording().invocations(method).ok(),
        }
    }
}

/// The calls of one thread or method, a page at a time.
struct Calls {
    world: Arc<World>,
    of: Of,
    /// What is not read yet.
    numbers: Range<u64>,
    backward: bool,
    page: RowsOf<CallRecord>,
}

impl Calls {
    fn new(world: &Arc<World>, of: Of, numbers: Range<u64>, backward: bool) -> Self {
        let mut calls = Self {
            world: Arc::clone(world),
            of,
            numbers,
            backward,
            page: Box::new(std::iter::empty()),
        };
        if calls.numbers.end == u64::MAX {
            match of.count(world) {
                Some(count) => calls.numbers.end = count,
                None => calls.page = calls.take_all(),
            }
        }
        calls
    }

    /// All at once, where nobody knows where they end.
    fn take_all(&mut self) -> RowsOf<CallRecord> {
        let numbers = std::mem::take(&mut self.numbers);
        let calls = self.world.readable(self.of.calls(&self.world, numbers));
        match self.backward {
            false => calls,
            true => Box::new(calls.collect::<Vec<_>>().into_iter().rev()),
        }
    }

    /// So many more.
    fn take(&mut self, count: usize) -> RowsOf<CallRecord> {
        let (Range { start, end }, count) = (self.numbers.clone(), count as u64);
        let page = match self.backward {
            false => start..end.min(start.saturating_add(count)),
            true => start.max(end.saturating_sub(count))..end,
        };
        self.numbers = match self.backward {
            false => page.end..end,
            true => start..page.start,
        };
        let calls = self.of.calls(&self.world, page);
        // Read now: what reads on would hold a block of each thread.
        let calls: Vec<_> = self.world.readable(calls).collect();
        match self.backward {
            false => Box::new(calls.into_iter()),
            true => Box::new(calls.into_iter().rev()),
        }
    }
}

impl Source for Calls {
    type Row = CallRecord;

    fn next(&mut self, ahead: usize) -> Result<Option<(Timestamp, CallRecord)>> {
        loop {
            if let Some(call) = self.page.next().transpose()? {
                // The latest is the first.
                let at = match self.backward {
                    false => call.enter,
                    true => Timestamp(u64::MAX - call.enter.0),
                };
                return Ok(Some((at, call)));
            }
            if self.numbers.is_empty() {
                return Ok(None);
            }
            if self.world.is_over() {
                return Err(self.world.why_over());
            }
            self.page = self.take(ahead);
        }
    }
}

/// The calls of all of these, each with the numbers that are asked for.
pub(super) fn in_order(
    world: &Arc<World>,
    all: impl IntoIterator<Item = Result<(Of, Range<u64>)>>,
    backward: bool,
) -> Result<RowsOf<CallRecord>> {
    let mut order = TimeOrder::new();
    for one in all {
        let (of, numbers) = one?;
        order.add(Calls::new(world, of, numbers, backward))?;
    }
    let end = Timestamp(u64::MAX);
    Ok(Box::new(std::iter::from_fn(move || {
        order.before(end).transpose()
    })))
}
