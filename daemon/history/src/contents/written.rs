//! The history of what an object held, or of a part of it.

use jhyde_store::records::{ContentChange, Direction};
use jhyde_trace::{CallId, Change, ContentKey, ObjectId, Timestamp, Variable};

use crate::error::Result;
use crate::history::History;
use crate::view::ValueView;

/// A time at which a content, or a part of one, was changed or found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContentWrite {
    pub(crate) timestamp: Timestamp,
    pub(crate) call: CallId,
    pub(crate) index: u32,
    pub(crate) value: ValueView,
    pub(crate) snapshot: bool,
}

impl History {
    /// The writes to a content variable in a range of timestamps, in a direction, at most `limit`.
    pub(crate) fn content_writes(
        &self,
        object: ObjectId,
        key: ContentKey,
        range: std::ops::Range<Timestamp>,
        direction: Direction,
        limit: usize,
    ) -> Result<Vec<ContentWrite>> {
        let mut found: Vec<ContentWrite> = Vec::new();
        for change in self.times(object, &range, direction)? {
            self.check()?;
            if found.len() == limit {
                break;
            }
            let Some(write) = self.content_write(object, key, &change)? else {
                continue;
            };
            let is_again = |last: &ContentWrite| last.value == write.value;
            // Level `calls` finds the same again and again.
            if !self.has_snapshots_only() || !found.last().is_some_and(is_again) {
                found.push(write);
            }
        }
        let is_gone = |write: Option<&ContentWrite>| {
            write.is_some_and(|write| write.value == ValueView::Gone)
        };
        // A part that was not there at first was not removed.
        match direction {
            Direction::Forward if self.has_snapshots_only() && is_gone(found.first()) => {
                found.remove(0);
            }
            Direction::Backward
                if self.has_snapshots_only() && found.len() < limit && is_gone(found.last()) =>
            {
                found.pop();
            }
            _ => {}
        }
        Ok(found)
    }

    /// Did a call that fits change the variable in a range of timestamps?
    pub(crate) fn content_written(
        &self,
        object: ObjectId,
        key: ContentKey,
        range: std::ops::Range<Timestamp>,
        fits: impl Fn(CallId) -> bool,
    ) -> Result<bool> {
        for change in self.times(object, &range, Direction::Forward)? {
            if !change.snapshot
                && fits(change.call)
                && self.content_write(object, key, &change)?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Every time in a range at which what an object holds may have become something else: its own changes and
    /// those of what it is a view of.
    fn times(
        &self,
        object: ObjectId,
        range: &std::ops::Range<Timestamp>,
        direction: Direction,
    ) -> Result<Vec<ContentChange>> {
        let mut times = Vec::new();
        for source in self.sources(object)? {
            let changes = self.content_changes(source, range.clone(), Direction::Forward);
            for change in changes {
                match change {
                    Err(jhyde_store::Error::Damaged { .. }) => {}
                    change => times.push(change?),
                }
            }
            times.extend(self.element_writes(source, range)?);
        }
        times.sort_by_key(|change| change.timestamp);
        if direction == Direction::Backward {
            times.reverse();
        }
        Ok(times)
    }

    /// Writes to the elements of an array behind a view, as changes of which only the time counts.
    fn element_writes(
        &self,
        array: ObjectId,
        range: &std::ops::Range<Timestamp>,
    ) -> Result<Vec<ContentChange>> {
        /// Of longer arrays the writes of the first elements alone are told.
        const MOST: u32 = 1000;
        let info = crate::history::unless_lost(self.recording.object(array))?;
        let Some(jhyde_trace::Content::Array(length)) = info.map(|info| info.content) else {
            return Ok(Vec::new());
        };
        let mut times = Vec::new();
        for index in 0..length.min(MOST) {
            let variable = Variable::Element { array, index };
            let writes = self
                .recording
                .writes(variable, range.clone(), Direction::Forward);
            for write in writes {
                let write = match write {
                    Err(jhyde_store::Error::Damaged { .. }) => continue,
                    write => write?,
                };
                times.push(ContentChange {
                    timestamp: write.timestamp,
                    call: write.call,
                    index: write.index,
                    snapshot: write.snapshot,
                    change: Change::Splice {
                        at: index,
                        removed: 1,
                        inserted: jhyde_trace::Items::Elements(vec![write.value]),
                    },
                });
            }
        }
        Ok(times)
    }

    /// What became of the variable at a change; `None` if the change left it alone.
    fn content_write(
        &self,
        object: ObjectId,
        key: ContentKey,
        change: &ContentChange,
    ) -> Result<Option<ContentWrite>> {
        let at = change.timestamp;
        let now = self.part_at(object, key, at)?;
        if matches!(change.change, Change::More(_)) {
            return Ok(None);
        }
        if self.has_snapshots_only() && now.is_err() {
            return Ok(None);
        }
        if key != ContentKey::All
            && !self.has_snapshots_only()
            && !self.is_part_written(change, key)?
        {
            let earlier = Timestamp(0)..at;
            let mut earlier = self.content_changes(object, earlier, Direction::Backward);
            // What was found first counts before it too, and starts the history all the same.
            let before = match (earlier.next(), at.0.checked_sub(1)) {
                (Some(_), Some(before)) => self.part_at(object, key, Timestamp(before))?,
                _ => Err(String::new()),
            };
            // Of what was not known before, the first value that is known starts the history.
            let same = match (&before, &now) {
                (Err(_), Ok(None)) => true,
                (Err(_), Err(_)) => true,
                (before, now) => before == now,
            };
            if same {
                return Ok(None);
            }
        }
        let value = match now {
            Ok(Some(value)) => self.value_at(value, at)?,
            Ok(None) => ValueView::Gone,
            Err(reason) => ValueView::NotRecorded(reason),
        };
        Ok(Some(ContentWrite {
            timestamp: at,
            call: change.call,
            index: change.index,
            value,
            snapshot: change.snapshot,
        }))
    }
}
