//! What a recording says that it does not have: each gap, and how many there are for each reason.
//!
//! The counts are not on the disk. They are added up from the few blocks that have gaps, the first time that
//! somebody asks, and from then on only from blocks that came since: a running recording is asked often.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jhyde_trace::{Block, EventKind, Timestamp};

use super::events::{Wanted, positions};
use super::{known, pages};
use crate::error::Error;
use crate::recording::{Recording, Rows};
use crate::records::{Direction, GapCount, TimedEvent};
use crate::view::View;

/// So many reasons are told apart. Reasons come from our own code, which has few; a damaged recording may have any.
const MOST_REASONS: usize = 100;
/// What stands for the others.
const OTHER_REASONS: &str = "other reasons";
/// The reason of a block that has gaps and cannot be read.
const UNREADABLE: &str = "events that cannot be read: their block is damaged";

/// The gaps of the blocks in the database, as far as they were counted.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<Counts>);

#[derive(Clone, Debug, Default)]
struct Counts {
    /// The first block that is not counted yet.
    next: u32,
    by_reason: BTreeMap<String, u64>,
}

impl Counted {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        // A panic in between has left whole counts, of blocks up to `next`.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn add(&mut self, reason: &str) {
        let kind = gap_kind(reason);
        let known = self.by_reason.contains_key(kind.as_str());
        let kind = match known || self.by_reason.len() < MOST_REASONS {
            true => kind,
            false => OTHER_REASONS.to_owned(),
        };
        *self.by_reason.entry(kind).or_default() += 1;
    }

    fn add_block(&mut self, block: &Block) {
        for at in (0..block.len()).filter(|&at| block.is_gap(at)) {
            if let Some(EventKind::Gap { reason, .. }) = block.event(at).map(|event| event.kind) {
                self.add(&reason);
            }
        }
    }
}

/// A reason without its numbers, which differ from gap to gap: `an array of N elements was not compared`.
pub fn gap_kind(reason: &str) -> String {
    let mut kind = String::with_capacity(reason.len());
    let mut in_number = false;
    for c in reason.chars() {
        let is_digit = c.is_ascii_digit();
        match (is_digit, in_number) {
            (true, false) => kind.push('N'),
            (true, true) => {}
            (false, _) => kind.push(c),
        }
        in_number = is_digit;
    }
    kind
}

impl Recording {
    /// The events of a range that say that something was not recorded. A damaged block of the range that
    /// may have some is an error in its place.
    pub fn gaps(&self, range: Range<Timestamp>) -> Rows<TimedEvent> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, Direction::Forward) else {
            return known([]);
        };
        let mut next = Some(start);
        pages(move || {
            let ordinal = view.block_with(Wanted::Gaps, next.take()?, Direction::Forward)?;
            if view.is_past(ordinal, &range, Direction::Forward) {
                return None;
            }
            next = ordinal.checked_add(1);
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let wanted = positions(&block, &range);
            let row = move |at: usize| {
                block.is_gap(at).then_some(())?;
                Some(TimedEvent {
                    timestamp: block.timestamp(at),
                    event: block.event(at)?,
                })
            };
            Some(Ok(Box::new(wanted.filter_map(row))))
        })
    }

    /// How many gaps there are, by reason, the most frequent first. Reasons that differ only in numbers are one. A
    /// block that may have gaps and cannot be read counts as one gap, with that as its reason.
    pub fn gap_counts(&self) -> Vec<GapCount> {
        let view = self.view();
        let mut counts = self.count_up_to(&view);
        for block in &view.tail {
            counts.add_block(block);
        }
        let by_reason = counts.by_reason.into_iter();
        let mut told: Vec<_> = by_reason
            .map(|(reason, count)| GapCount { reason, count })
            .collect();
        told.sort_by(|a, b| (b.count, &a.reason).cmp(&(a.count, &b.reason)));
        told
    }

    /// The counts of the view's blocks in the database.
    fn count_up_to(&self, view: &View) -> Counts {
        let mut counted = self.inner.gaps.lock();
        if counted.next > view.persisted {
            // Another question has counted blocks that came after this view was taken; they are in its tail.
            let mut counts = Counts::default();
            count(&mut counts, view);
            return counts;
        }
        count(&mut counted, view);
        counted.clone()
    }
}

fn count(counts: &mut Counts, view: &View) {
    while let Some(ordinal) = view.block_with(Wanted::Gaps, counts.next, Direction::Forward)
        && ordinal < view.persisted
    {
        match view.block(ordinal) {
            Ok(block) => counts.add_block(&block),
            // That is what was asked for.
            Err(Error::Damaged { cut_off: true, .. }) => {}
            Err(Error::Damaged { .. }) => counts.add(UNREADABLE),
            // The disk may answer the next time.
            Err(error) => {
                tracing::warn!(%error, "gaps cannot be counted");
                return;
            }
        }
        counts.next = ordinal + 1;
    }
    counts.next = view.persisted;
}
