//! Where exceptions land, looked for ahead of the walk: each event is read once, also of exceptions that nobody is seen to catch.

use std::collections::VecDeque;

use jhyde_history::History;
use jhyde_store::Rows;
use jhyde_store::records::{Direction, ExceptionEvent, ExceptionKind};
use jhyde_trace::{ThreadId, Timestamp, Value};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::span::Span;

/// See the module.
pub(super) struct Landings {
    ahead: Rows<ExceptionEvent>,
    /// What was read and the walk has not come to, in the order of time.
    read: FxHashMap<(ThreadId, Value), VecDeque<ExceptionEvent>>,
}

impl Landings {
    pub(super) fn new(history: &History, span: Span) -> Self {
        Self {
            ahead: history
                .recording()
                .exceptions(span.range(), Direction::Forward),
            read: FxHashMap::default(),
        }
    }

    /// Where an exception lands that was thrown just now; nowhere, if that is not seen.
    pub(super) fn of(
        &mut self,
        history: &History,
        thread: ThreadId,
        exception: Value,
        thrown: Timestamp,
    ) -> Result<Option<ExceptionEvent>> {
        self.passed(thread, exception, thrown);
        let asked = (thread, exception);
        if let Some(landing) = self.read.get(&asked).and_then(VecDeque::front) {
            return Ok(Some(*landing));
        }
        for event in self.ahead.by_ref() {
            history.check()?;
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                event => event?,
            };
            if event.kind == ExceptionKind::Thrown || event.timestamp <= thrown {
                continue;
            }
            let lands = (event.call.thread, event.exception);
            self.read.entry(lands).or_default().push_back(event);
            if lands == asked {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The walk has come to a time: what landed by then is not asked for any more.
    pub(super) fn passed(&mut self, thread: ThreadId, exception: Value, at: Timestamp) {
        let Some(read) = self.read.get_mut(&(thread, exception)) else {
            return;
        };
        while read.front().is_some_and(|landing| landing.timestamp <= at) {
            read.pop_front();
        }
        if read.is_empty() {
            self.read.remove(&(thread, exception));
        }
    }
}
