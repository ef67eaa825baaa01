//! The part of the history that a query is about, and calls as they were at its end.

use std::ops::Range;

use jhyde_history::History;
use jhyde_history::view::CallView;
use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{ThreadId, Timestamp};

use crate::error::{Error, Result};

/// What is said where a recording has no index of fields, classes and references.
pub(crate) const NO_INDEX: &str = "the recording was made before there was an index of fields, classes and references: all its events \
     were read";

/// What is said where a recording does not keep what is counted of its blocks.
pub(crate) const NO_TALLIES: &str =
    "the recording was made before counts of its blocks were kept: all its events were read";

/// A stretch of time in pieces, between which one can see whether anybody still waits: a single one where an index leads to what is
/// looked for (`is_indexed`), and many where all events are read, of which few may be found.
pub(crate) fn pieces(
    is_indexed: bool,
    range: Range<Timestamp>,
    direction: Direction,
) -> impl Iterator<Item = Range<Timestamp>> + Send + use<> {
    /// Events that are read within 100 ms.
    const PIECE: u64 = 1 << 18;
    let size = match is_indexed {
        true => u64::MAX,
        false => PIECE,
    };
    let (first, end) = (range.start.0, range.end.0.max(range.start.0));
    let count = (end - first).div_ceil(size);
    (0..count).map(move |at| {
        let at = match direction {
            Direction::Forward => at,
            Direction::Backward => count - 1 - at,
        };
        let start = first + at * size;
        Timestamp(start)..Timestamp(start.saturating_add(size).min(end))
    })
}

/// A part of the history: what happened at or after `from` and before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
    /// Somebody said where it begins: what was before is not asked about.
    pub(crate) from_is_said: bool,
    /// It goes to the end of the recording, as it was when the query began.
    pub(crate) to_the_end: bool,
}

impl Span {
    pub(crate) fn of(history: &History, from: Option<u64>, to: Option<u64>) -> Result<Self> {
        let end = history.recording().end();
        let span = Self {
            from: Timestamp(from.unwrap_or(0)),
            until: Timestamp(to.unwrap_or(end.0).min(end.0)),
            from_is_said: from.is_some(),
            to_the_end: to.is_none_or(|to| to >= end.0),
        };
        let wrong = |reason| Error::Range {
            from: span.from,
            to: Timestamp(to.unwrap_or(end.0)),
            reason,
        };
        if to.is_some_and(|to| to < span.from.0) {
            return Err(wrong("it ends before it begins"));
        }
        if span.from > end {
            return Err(wrong("the recording has fewer events, counted from 0"));
        }
        Ok(span)
    }

    pub(crate) fn range(&self) -> Range<Timestamp> {
        self.from..self.until.max(self.from)
    }

    pub(crate) fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }

    /// The last event of it.
    pub(crate) fn last(&self) -> Timestamp {
        Timestamp(self.until.0.saturating_sub(1))
    }

    /// A call as it was at the end of the span.
    pub(crate) fn clip(&self, history: &History, mut record: CallRecord) -> Result<CallRecord> {
        if record.exit.is_some_and(|exit| exit < self.until) {
            return Ok(record);
        }
        record.exit = None;
        let behind = record.id.preorder + 1..record.id.preorder + record.size.max(1);
        record.size = 1 + self.entered(history, record.id.thread, behind)?;
        Ok(record)
    }

    /// How many calls of a range of preorder numbers were entered before the end of the span: numbers rise with time.
    pub(crate) fn entered(
        &self,
        history: &History,
        thread: ThreadId,
        numbers: Range<u64>,
    ) -> Result<u64> {
        if numbers.is_empty() {
            return Ok(0);
        }
        let next = 1 + history.recording().calls_before(thread, self.until)?;
        Ok(next.clamp(numbers.start, numbers.end) - numbers.start)
    }

    /// The same with names and values.
    pub(crate) fn call(&self, history: &History, record: CallRecord) -> Result<CallView> {
        let clipped = self.clip(history, record)?;
        let mut view = history.call(clipped, true)?;
        // It has an end, behind the span.
        view.recording_ended &= record.exit.is_none();
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_stretch_both_ways() {
        let size = 1 << 18;
        for (start, end) in [(0, 0), (5, 5), (3, 4), (7, 7 + size), (1, 3 * size), (9, 4)] {
            let range = || Timestamp(start)..Timestamp(end);
            for is_indexed in [true, false] {
                let forward: Vec<_> = pieces(is_indexed, range(), Direction::Forward).collect();
                let mut backward: Vec<_> =
                    pieces(is_indexed, range(), Direction::Backward).collect();
                backward.reverse();
                assert_eq!(forward, backward);
                let mut at = start;
                for piece in &forward {
                    assert!(piece.start.0 == at && piece.end > piece.start);
                    at = piece.end.0;
                }
                assert_eq!(at, end.max(start));
                assert!(!is_indexed || forward.len() < 2);
            }
        }
    }
}
