//! How many blocks of events a table has to read: what `--explain` tells of each, before any is read.

use std::ops::Range;

use jhyde_history::Error as HistoryError;
use jhyde_store::{Error as StoreError, Lookup};
use jhyde_trace::{CallId, ObjectId, Timestamp};

use super::table::Bounds;
use super::world::World;
use crate::error::{Error, Result};

/// What leads to blocks, each in a stretch of time.
pub(super) type Leads = Vec<(Lookup, Range<Timestamp>)>;

/// Which blocks a way of finding rows reads, as far as it is known before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reads {
    /// None: what it tells is kept beside the events.
    Nothing,
    /// One, whatever is asked for.
    One,
    /// One for each thread: that of its last event.
    EachThread,
    /// Those that the directory or an index leads to, from what is asked for.
    Led(fn(&World, &Bounds) -> Result<Leads>),
    /// Only what is read tells.
    Unknown,
}

/// How many blocks are read at most to find a table's rows, each time it is gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Nothing where only what is read tells.
    pub(super) blocks: Option<u64>,
    /// How many there are.
    pub(super) of: u64,
}

/// Stands in a plan before an extent: nothing else of a plan has it.
const MARK: &str = "\u{1f}";

impl Extent {
    /// `bounds`: what is asked for, where that is known before.
    pub(super) fn of(world: &World, reads: Reads, bounds: Option<&Bounds>) -> Result<Self> {
        let recording = world.recording();
        let of = recording.blocks_in_all();
        let blocks = match (reads, bounds) {
            (Reads::Nothing, _) => Some(0),
            (Reads::One, _) => Some(1),
            (Reads::EachThread, _) => Some(recording.thread_ids().len() as u64),
            (Reads::Led(lead), Some(bounds)) => {
                let found = lead(world, bounds).and_then(|leads| Ok(recording.blocks_of(&leads)?));
                match found {
                    Err(Error::History(HistoryError::Store(StoreError::Damaged { .. }))) => None,
                    found => Some(found?),
                }
            }
            (Reads::Led(_), None) | (Reads::Unknown, _) => None,
        };
        // Where the recording goes on behind what is seen, that block tells what had not ended.
        let last =
            u64::from(world.span.until < recording.end() && !matches!(reads, Reads::Nothing));
        let blocks = blocks.map(|blocks| (blocks + last).min(of));
        Ok(Self { blocks, of })
    }

    /// A plan with it behind.
    pub(super) fn behind(self, plan: &str) -> String {
        let blocks = self
            .blocks
            .map_or_else(String::new, |blocks| blocks.to_string());
        format!("{plan}{MARK}{blocks}/{}", self.of)
    }

    /// A plan, and what is behind it.
    pub(super) fn split(plan: &str) -> (&str, Option<Self>) {
        let Some((plan, extent)) = plan.split_once(MARK) else {
            return (plan, None);
        };
        let extent = extent.split_once('/').and_then(|(blocks, of)| {
            Some(Self {
                blocks: blocks.parse().ok(),
                of: of.parse().ok()?,
            })
        });
        (plan, extent)
    }
}

impl Bounds {
    /// In the stretch of time that is asked for.
    pub(super) fn leads(&self, lookup: Option<Lookup>) -> Leads {
        lookup
            .into_iter()
            .map(|lookup| (lookup, self.range()))
            .collect()
    }

    /// The same whenever it was.
    pub(super) fn leads_always(&self, world: &World, lookup: Option<Lookup>) -> Leads {
        let all = Timestamp(0)..world.span.until;
        lookup
            .into_iter()
            .map(|lookup| (lookup, all.clone()))
            .collect()
    }

    /// By an object whose number is in a column.
    pub(super) fn of_object(&self, column: &str, lookup: fn(ObjectId) -> Lookup) -> Option<Lookup> {
        self.number(column).map(|number| lookup(ObjectId(number)))
    }

    /// By the own events of a call.
    pub(super) fn of_call(&self, column: &str, world: &World) -> Result<Option<Lookup>> {
        Ok(self.call(column, world)?.map(Lookup::Call))
    }
}

/// From the beginning of a call to its end, as far as that is seen.
pub(super) fn life(world: &World, call: CallId) -> Result<Range<Timestamp>> {
    let record = world.recording().call(call)?;
    let until = world.span.until;
    let end = record.exit.map_or(until, |exit| Timestamp(exit.0 + 1));
    Ok(record.enter..end.min(until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_keeps_what_is_behind_it() {
        for blocks in [None, Some(0), Some(17)] {
            let extent = Extent { blocks, of: 20 };
            let plan = extent.behind("the call: id=?");
            assert_eq!(Extent::split(&plan), ("the call: id=?", Some(extent)));
        }
        assert_eq!(Extent::split("SCAN 3"), ("SCAN 3", None));
    }
}
