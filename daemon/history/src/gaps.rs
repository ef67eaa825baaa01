//! What a recording itself says it does not have: gaps, and blocks that cannot be read.
//!
//! A gap of a call in the scope may have hidden a write to its locals or to anything on the heap; one of a call
//! out of the scope, to the heap. What it may have touched is never shown as unchanged. So does a stretch of time at a
//! level that does not record writes (see `levels`).

use jhyde_store::Error as StoreError;
use jhyde_store::records::Write;
use jhyde_trace::{CallId, EventKind, RecordingMeta, Timestamp, Variable};

use crate::error::{Error, Result};
use crate::history::History;
use crate::state::Interval;

/// So many gaps are named; of more there is the number.
const NAMED: usize = 3;
/// So many are looked at.
const MOST: usize = 1000;

/// The gaps of an interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// In the call that was asked about.
    pub(crate) own: bool,
    /// Anywhere: what is on the heap may have been written.
    pub(crate) heap: bool,
    /// Each with its place in time, for people.
    told: Vec<String>,
    count: usize,
}

impl Gaps {
    /// In words for people.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.told.clone();
        if self.count > notes.len() {
            notes.push(format!(
                "and {} more gaps in this time",
                self.count - notes.len()
            ));
        }
        notes
    }
}

impl History {
    /// What of a call's life, with that of the calls in it, was not recorded or cannot be read: notes for people.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn gap_notes(&self, call: CallId) -> Result<Vec<String>> {
        let (from, to) = self.life(&self.record(call)?).into_inner();
        Ok(self.gaps(Some(call), Interval { from, to })?.notes())
    }

    /// What of a stretch of time was not recorded, was recorded at a lower level, or cannot be read: notes for people.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn hidden_notes(&self, range: std::ops::Range<Timestamp>) -> Result<Vec<String>> {
        let interval = Interval {
            from: Timestamp(range.start.0.saturating_sub(1)),
            to: Timestamp(range.end.0.saturating_sub(1)),
        };
        let mut notes = self.gaps(None, interval)?.notes();
        notes.extend(self.late_note());
        for note in self.lowered_notes(interval.from, interval.to) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        Ok(notes)
    }

    /// That calls run of which nothing is told, if they do: whatever is not told of the program they may have done.
    pub(crate) fn late_note(&self) -> Option<String> {
        let is_late = self.recording.meta().was_reached_late();
        is_late.then(|| RecordingMeta::REACHED_LATE.to_owned())
    }

    /// The gaps that lie in an interval, seen from a call.
    pub(crate) fn gaps(&self, call: Option<CallId>, interval: Interval) -> Result<Gaps> {
        let mut gaps = Gaps::default();
        let range = Timestamp(interval.from.0.saturating_add(1))
            ..Timestamp(interval.to.0.saturating_add(1));
        if range.start >= range.end {
            return Ok(gaps);
        }
        self.add_unseen(call, interval, &mut gaps)?;
        for gap in self.recording.gaps(range).take(MOST) {
            self.check()?;
            gaps.count += 1;
            gaps.heap = true;
            let text = match gap {
                Ok(gap) => {
                    gaps.own |= Some(gap.event.call) == call;
                    let EventKind::Gap { reason, .. } = gap.event.kind else {
                        continue;
                    };
                    format!(
                        "not recorded at {} in call {}: {reason}",
                        gap.timestamp, gap.event.call
                    )
                }
                Err(error @ StoreError::Damaged { .. }) => {
                    gaps.own = true;
                    damage_note(&error)
                }
                Err(error) => return Err(error.into()),
            };
            if gaps.told.len() < NAMED {
                gaps.told.push(text);
            }
        }
        if let Some(call) = call {
            self.gaps_that_reach_back(call, interval.to, &mut gaps)?;
        }
        Ok(gaps)
    }

    /// A stretch below level `state` is a gap in what was written.
    fn add_unseen(&self, call: Option<CallId>, interval: Interval, gaps: &mut Gaps) -> Result<()> {
        let Interval { from, to } = interval;
        let own = match call.map(|call| self.method_of(call)).transpose()?.flatten() {
            Some(method) => self.unseen_locals(&method, from, to),
            None => None,
        };
        let heap = self.unseen_writes(from, to)?;
        (gaps.own, gaps.heap) = (own.is_some(), heap.is_some());
        for told in own.into_iter().chain(heap) {
            if !gaps.told.contains(&told) {
                gaps.count += 1;
                gaps.told.push(told);
            }
        }
        Ok(())
    }

    /// Gaps of a call behind a time that say that what was told of the call before may be false.
    fn gaps_that_reach_back(&self, call: CallId, at: Timestamp, gaps: &mut Gaps) -> Result<()> {
        if call.is_root() {
            return Ok(());
        }
        let (_, end) = self.life(&self.record(call)?).into_inner();
        let range = Timestamp(at.0.saturating_add(1))..Timestamp(end.0.saturating_add(1));
        if range.start >= range.end {
            return Ok(());
        }
        for gap in self.recording.gaps(range).take(MOST) {
            self.check()?;
            let gap = match gap {
                Err(StoreError::Damaged { .. }) => continue,
                gap => gap?,
            };
            if let EventKind::Gap { reason, back: true } = gap.event.kind
                && gap.event.call == call
            {
                gaps.count += 1;
                (gaps.own, gaps.heap) = (true, true);
                if gaps.told.len() < NAMED {
                    let found = gap.timestamp;
                    let text =
                        format!("what is told here may be false, as {found} shows: {reason}");
                    gaps.told.push(text);
                }
            }
        }
        Ok(())
    }

    /// The last write of a variable by a time; `Err` with a note where a damaged block would tell it.
    pub(crate) fn last_write(
        &self,
        variable: Variable,
        at: Timestamp,
    ) -> Result<std::result::Result<Option<Write>, String>> {
        match self.recording.last_write(variable, at) {
            Ok(write) => Ok(Ok(write)),
            Err(error @ StoreError::Damaged { .. }) => Ok(Err(damage_note(&error))),
            Err(error) => Err(error.into()),
        }
    }
}

/// What can be read; what damage hides is noted, once.
pub(crate) fn or_noted<T>(found: Result<T>, notes: &mut Vec<String>) -> Result<Option<T>> {
    match found {
        Err(Error::Store(error @ StoreError::Damaged { .. })) => {
            let note = damage_note(&error);
            if !notes.contains(&note) {
                notes.push(note);
            }
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// What is missing, in words: a damaged block, or what was cut off.
pub(crate) fn damage_note(error: &StoreError) -> String {
    error.lost_events().unwrap_or_else(|| error.to_string())
}
