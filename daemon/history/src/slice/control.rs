//! What decided that something happened, or that it did not.

use std::ops::Range;

use jhyde_store::records::{CallRecord, Direction, ExceptionKind};
use jhyde_trace::{CallId, Event, EventKind, Local, Timestamp};

use super::node::{Deed, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use super::row::{Replay, Row, RowKind};
use crate::error::Result;

impl Resolver {
    /// Conditions that went the other way, so that a local was not written again between its write and a read: had they
    /// not, it would have another value (Gyimóthy, Beszédes, Forgács: "An Efficient Relevant Slicing Method for
    /// Debugging", 1999).
    pub(super) fn not_stored(
        &mut self,
        record: &CallRecord,
        local: Local,
        range: Range<Timestamp>,
        found: &mut Found,
    ) -> Result<()> {
        let method = self.history.method(record.method)?;
        let slot = match (local, method) {
            (Local::Slot(slot), _) => Some(slot),
            (Local::Named(entry), Some(method)) => {
                let declared = method.method().variables.get(usize::from(entry));
                declared.map(|declared| declared.slot)
            }
            (Local::Named(_), None) => None,
        };
        let code = self.replays.code(&self.history, record.method)?;
        let (Some(slot), Some(code)) = (slot, code) else {
            return Ok(());
        };
        let conditions = code.over_stores(slot);
        if conditions.is_empty() {
            return Ok(());
        }
        // What was looked at for another read need not be looked at again.
        let key = (record.id, slot);
        let looked_at = self.stores.get(&key).cloned();
        if looked_at
            .as_ref()
            .is_some_and(|known| known.start <= range.start && range.end <= known.end)
        {
            return Ok(());
        }
        let kept = match looked_at {
            Some(known) if known.start <= range.end && range.start <= known.end => {
                known.start.min(range.start)..known.end.max(range.end)
            }
            _ => range.clone(),
        };
        self.stores.insert(key, kept);
        let call = record.id;
        if let Some(unseen) = self.history.unseen_deeds(record, range.start, range.end)? {
            found.note(format!("what decided over it is not recorded: {unseen}"));
            self.loose.insert(Loose::Call(call));
        }
        let mut add = |at: Timestamp| {
            let deed = Deed::Condition;
            found.add(Relation::Condition, Node { deed, at, call });
        };
        if let Some(replay) = self.replays.whole(&self.history, call)? {
            let begin = replay.rows.partition_point(|row| row.at < range.start);
            let end = replay.rows.partition_point(|row| row.at < range.end);
            let rows = replay.rows.get(begin..end).unwrap_or_default().iter();
            let decides = |row: &&Row| {
                row.kind == RowKind::Edge && conditions.binary_search(&row.index).is_ok()
            };
            rows.filter(decides).for_each(|row| add(row.at));
            return Ok(());
        }
        let own = self
            .history
            .recording
            .own_events(call, range, Direction::Forward);
        for own in own {
            self.history.check()?;
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.loose.insert(Loose::Call(call));
                    continue;
                }
                own => own?,
            };
            if let EventKind::Edge { from, .. } = own.event.kind
                && conditions.binary_search(&from).is_ok()
            {
                add(own.timestamp);
            }
        }
        Ok(())
    }

    pub(super) fn control_of(
        &mut self,
        record: &CallRecord,
        replay: &Replay,
        row: usize,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        match replay.rows.get(row) {
            Some(row) => self.control(record, row.at, row.index, found),
            None => Ok(None),
        }
    }

    /// The condition that an instruction of a call hung on when it ran at a time, or that the call was made. An
    /// instruction hangs on the last one of the conditions that decide over it which ran before it (Xin, Zhang:
    /// "Efficient Online Detection of Dynamic Control Dependence", 2007). What follows a handler's beginning hangs on
    /// the exception, too: which instructions it guards is not recorded. Where conditions may have run since that are not told, as
    /// the level was lowered, it hangs on anything that the call did.
    pub(super) fn control(
        &mut self,
        record: &CallRecord,
        before: Timestamp,
        index: u32,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        let result = self.last_decision(record, before, index)?;
        let since = result.map_or(record.enter, |(at, _)| at);
        if let Some(unseen) = self.history.unseen_deeds(record, since, before)? {
            found.note(format!("what decided over it is not recorded: {unseen}"));
            self.loose.insert(Loose::Call(record.id));
            self.unread(record, before, found)?;
            return Ok(Some(entered(record)));
        }
        Ok(Some(decided(record, result)))
    }

    fn last_decision(
        &mut self,
        record: &CallRecord,
        before: Timestamp,
        index: u32,
    ) -> Result<Option<(Timestamp, Deed)>> {
        let call = record.id;
        let code = self.replays.code(&self.history, record.method)?;
        let conditions = code.as_ref().map_or(&[][..], |code| code.conditions(index));
        let key = (
            call,
            conditions
                .first()
                .copied()
                .map_or(Event::NO_INDEX, |_| index),
        );
        let known = self.conditions.get(&key).copied();
        if let Some((searched, result)) = known
            && before <= searched
            && result.is_none_or(|(result, _)| result < before)
        {
            return Ok(result);
        }
        let lower = known.filter(|(searched, _)| *searched < before);
        let after = lower.map_or(record.enter, |(searched, _)| searched);
        let earlier = lower.and_then(|(_, result)| result);
        let result = match self.replays.whole(&self.history, call)? {
            Some(replay) => {
                let end = replay.rows.partition_point(|row| row.at < before);
                let rows = replay.rows[..end].iter().rev();
                let mut rows = rows.take_while(|row| row.at >= after);
                rows.find_map(|row| match row.kind {
                    RowKind::Edge if conditions.contains(&row.index) => {
                        Some((row.at, Deed::Condition))
                    }
                    RowKind::Caught => Some((row.at, Deed::Caught)),
                    RowKind::Lost => {
                        self.loose.insert(Loose::Call(call));
                        None
                    }
                    _ => None,
                })
            }
            None => self.last_condition(call, conditions, after..before)?,
        };
        let result = result.or(earlier);
        self.conditions.insert(key, (before, result));
        Ok(result)
    }

    /// The same in a long call, which is not kept.
    pub(super) fn last_condition(
        &mut self,
        call: CallId,
        conditions: &[u32],
        range: Range<Timestamp>,
    ) -> Result<Option<(Timestamp, Deed)>> {
        if conditions.is_empty() {
            return self.last_caught(call, range);
        }
        let own = self
            .history
            .recording
            .own_events(call, range, Direction::Backward);
        for own in own {
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.loose.insert(Loose::Call(call));
                    continue;
                }
                own => own?,
            };
            self.history.check()?;
            match own.event.kind {
                EventKind::Edge { from, .. } if conditions.contains(&from) => {
                    return Ok(Some((own.timestamp, Deed::Condition)));
                }
                EventKind::Caught { .. } => return Ok(Some((own.timestamp, Deed::Caught))),
                _ => {}
            }
        }
        Ok(None)
    }
}

impl Resolver {
    /// The last exception that a call caught: of those there is an index, and a call may be as long as the recording.
    fn last_caught(
        &mut self,
        call: CallId,
        range: Range<Timestamp>,
    ) -> Result<Option<(Timestamp, Deed)>> {
        let recording = &self.history.recording;
        for event in recording.exceptions(range, Direction::Backward) {
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.loose.insert(Loose::Call(call));
                    continue;
                }
                event => event?,
            };
            self.history.check()?;
            if event.call == call && event.kind == ExceptionKind::Caught {
                return Ok(Some((event.timestamp, Deed::Caught)));
            }
        }
        Ok(None)
    }
}

fn decided(record: &CallRecord, result: Option<(Timestamp, Deed)>) -> Node {
    match result {
        Some((at, deed)) => Node {
            deed,
            at,
            call: record.id,
        },
        None => entered(record),
    }
}

/// That a call was made.
pub(super) fn entered(record: &CallRecord) -> Node {
    Node {
        deed: Deed::Called,
        at: record.enter,
        call: record.id,
    }
}
