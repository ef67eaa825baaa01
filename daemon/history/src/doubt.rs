//! What was found out late: a variable, or what an object of the JDK holds, that turned out to be another than what
//! the recording had. Code out of the scope changed it some time after it was last told, so what it held from the first
//! such code that ran then until it was found is not known: the finding reaches back.

use std::ops::Range;

use jhyde_store::records::{ContentChange, Direction, Write};
use jhyde_trace::{
    Change, EventKind, Held as Contents, Missing, ObjectId, Timestamp, Value, Variable,
};

use crate::error::Result;
use crate::history::History;
use crate::objects::Held;
use crate::state::Interval;

impl History {
    /// What a variable held at `at`, when `value` is the last that was told of it, at `told`.
    pub(crate) fn held_since(
        &self,
        variable: Variable,
        (told, value): (Timestamp, Value),
        at: Timestamp,
    ) -> Result<Held> {
        // What is told at a time is certain at that time.
        if at <= told || matches!(variable, Variable::Local { .. }) {
            return Ok(Held::Value(value));
        }
        if let Some(unseen) = self.unseen_writes(told, at)? {
            return Ok(Held::Unknown(unseen.into()));
        }
        let later = Timestamp(at.0.saturating_add(1));
        let later = later..self.recording.end().max(later);
        let next = self
            .recording
            .writes(variable, later, Direction::Forward)
            .next();
        Ok(match next {
            Some(Ok(found))
                if found.snapshot
                    && found.value != value
                    && !is_dated(found.value)
                    && self.outside_ran(told, at)? =>
            {
                Held::Unknown(match found.value {
                    Value::Missing(_) => unlooked(found.timestamp).into(),
                    _ => unseen(found.timestamp).into(),
                })
            }
            None => match self.gone_in_doubt(variable, told, at)? {
                Some(found) => Held::Unknown(gone(found).into()),
                None => Held::Value(value),
            },
            Some(Err(jhyde_store::Error::Damaged { .. }) | Ok(_)) => Held::Value(value),
            Some(Err(error)) => return Err(error.into()),
        })
    }

    /// The changes of what an object of the JDK holds, in a range.
    pub(crate) fn content_changes(
        &self,
        object: ObjectId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> impl Iterator<Item = jhyde_store::Result<ContentChange>> + use<> {
        let all = self.recording.content_changes(object, range, direction);
        all.filter(|change| match change {
            Ok(change) => change.change.is_of_content(),
            Err(_) => true,
        })
    }

    /// When it was found that an array or object was gone that code out of the scope had, so that it is not known what a
    /// variable in it held at `at` that was told last at `told`.
    fn gone_in_doubt(
        &self,
        variable: Variable,
        told: Timestamp,
        at: Timestamp,
    ) -> Result<Option<Timestamp>> {
        Ok(match self.found_gone(variable, at)? {
            Some((since, found)) if since <= at && self.outside_ran(told, at)? => Some(found),
            _ => None,
        })
    }

    /// That what is told last of a variable may have been changed unseen.
    pub(crate) fn gone_note(&self, variable: Variable) -> Result<Option<String>> {
        let found = self.found_gone(variable, Timestamp(0))?;
        Ok(found.map(|(since, found)| {
            format!(
                "code out of the scope had what it lies in and may have written it from {since} on: that was found gone \
                 at {found}, before anybody looked again"
            )
        }))
    }

    /// Where an array or object that a variable lies in was found gone behind a time, unseen since another.
    fn found_gone(
        &self,
        variable: Variable,
        at: Timestamp,
    ) -> Result<Option<(Timestamp, Timestamp)>> {
        let (Variable::Element { array: object, .. } | Variable::Field { object, .. }) = variable
        else {
            return Ok(None);
        };
        let later = Timestamp(at.0.saturating_add(1));
        let later = later..self.recording.end().max(later);
        let last = self
            .recording
            .content_changes(object, later, Direction::Backward)
            .next();
        Ok(match last {
            None | Some(Err(jhyde_store::Error::Damaged { .. })) => None,
            Some(last) => match last? {
                ContentChange {
                    change: Change::Gone { since },
                    timestamp,
                    ..
                } => Some((since, timestamp)),
                _ => None,
            },
        })
    }

    /// Did the program write a variable in an interval, whose last write by its end is `last`? What was found there
    /// hides what was written before.
    pub(crate) fn is_written_in(&self, last: Option<&Write>, interval: Interval) -> Result<bool> {
        let Some(last) = last.filter(|last| interval.contains(last.timestamp)) else {
            return Ok(false);
        };
        if !last.snapshot {
            return Ok(true);
        }
        let before = Timestamp(interval.from.0.saturating_add(1))..last.timestamp;
        for write in self
            .recording
            .writes(last.variable, before, Direction::Backward)
        {
            self.check()?;
            if !write?.snapshot {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Was the variable found to be another in the interval than was told before? Then it changed, and nobody
    /// knows whether in the interval.
    pub(crate) fn is_found_late(
        &self,
        before: Option<Value>,
        last: Option<&Write>,
        interval: Interval,
    ) -> bool {
        last.is_some_and(|last| {
            last.snapshot
                && !is_dated(last.value)
                && interval.contains(last.timestamp)
                && before.is_some_and(|before| before != last.value)
        })
    }

    /// What an object held at a time, when `held` is what was told of it up to then; not known if it is found to
    /// hold something else next.
    pub(crate) fn unless_found_other(
        &self,
        object: ObjectId,
        held: Option<Contents>,
        at: Timestamp,
    ) -> Result<Option<Contents>> {
        let (Some(before @ Contents::Items { .. }), false) = (&held, self.has_snapshots_only())
        else {
            return Ok(held);
        };
        if let Some(unseen) = self.content_unseen(object, at)? {
            return Ok(Some(Contents::Unknown(unseen)));
        }
        let later = Timestamp(at.0.saturating_add(1));
        let later = later..self.recording.end().max(later);
        let next = self
            .content_changes(object, later, Direction::Forward)
            .next();
        let next = match next {
            None | Some(Err(jhyde_store::Error::Damaged { .. })) => return Ok(held),
            Some(next) => next?,
        };
        let agrees = match next.change {
            Change::Unknown { since, .. } => since.is_none_or(|since| at < since),
            Change::More(_) | Change::Gone { .. } => true,
            _ if !next.snapshot => true,
            _ => {
                let mut then = before.clone();
                then.apply(&next.change);
                before.agrees(&then)
            }
        };
        if agrees {
            return Ok(held);
        }
        let by_now = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let told = self
            .content_changes(object, by_now, Direction::Backward)
            .next()
            .transpose()?
            .map_or(Timestamp(0), |change| change.timestamp);
        if !self.outside_ran(told, at)? {
            return Ok(held);
        }
        Ok(Some(Contents::Unknown(unseen(next.timestamp))))
    }

    /// Why what was told last of what an object holds may not be so any more at a time.
    fn content_unseen(&self, object: ObjectId, at: Timestamp) -> Result<Option<String>> {
        if self.levels().facts().is_empty() {
            return Ok(None);
        }
        let by_now = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let told = self
            .content_changes(object, by_now, Direction::Backward)
            .next()
            .transpose()?;
        match told {
            Some(told) => self.unseen_writes(told.timestamp, at),
            // It was found directly behind that time.
            None => Ok(None),
        }
    }

    /// May code out of the scope have run after `told`, by `at`? The scope's own writes are all recorded.
    fn outside_ran(&self, told: Timestamp, at: Timestamp) -> Result<bool> {
        /// So many events are looked at; behind them it may have.
        const MOST: usize = 1000;
        let range = Timestamp(told.0.saturating_add(1))..Timestamp(at.0.saturating_add(1));
        if range.start >= range.end {
            return Ok(false);
        }
        let many = range.end.0 - range.start.0 > MOST as u64;
        for event in self
            .recording
            .events(range, None, Direction::Forward)
            .take(MOST)
        {
            self.check()?;
            let event = event?.event;
            let ran = match event.kind {
                EventKind::Enter { boundary, .. } => boundary,
                // Back to code out of the scope that had called.
                EventKind::Exit { .. } => {
                    let parent = self.record(event.call)?.parent;
                    parent.is_root() || self.record(parent)?.boundary
                }
                EventKind::ThreadStart | EventKind::ClassPrepared { .. } => true,
                // What ran there nobody saw: it may have called code out of the scope.
                EventKind::Gap { .. } => true,
                _ => false,
            };
            if ran {
                return Ok(true);
            }
        }
        Ok(many)
    }
}

/// Is this told when it came to be so, and not found some time later?
fn is_dated(value: Value) -> bool {
    value == Value::Missing(Missing::Unseen)
}

/// Why it is not known what was read there.
fn unlooked(read: Timestamp) -> String {
    format!("code out of the scope may have changed it before {read}, and nobody could look")
}

/// Why it is not known.
fn gone(found: Timestamp) -> String {
    format!(
        "code out of the scope had it and may have changed it: it was found gone at {found}, before anybody looked again"
    )
}

/// Why it is not known.
fn unseen(found: Timestamp) -> String {
    format!("it was found changed at {found}, and when it changed was not seen")
}
