//! What a snapshot names and does not tell again: it is as it was told last.

use jhyde_store::records::{Direction, Write};
use jhyde_trace::{Change, EventKind, Looked, ObjectId, Timestamp, Variable};

use crate::error::Result;
use crate::history::{History, unless_lost};

/// Why something is not known that was told and not told again.
pub(crate) const LOST: &str =
    "where it was told last cannot be read: that is damaged, or was cut off";
/// There is no limit to the number of fields.
const ALL: usize = usize::MAX;

impl History {
    /// What was told last, at or before a time, of what was looked at then; in the words of a snapshot that tells all. Fields
    /// and elements that are lost are left out.
    pub(crate) fn as_told(
        &self,
        looked_at: &[(ObjectId, Looked)],
        at: Timestamp,
    ) -> Result<Vec<EventKind>> {
        let mut told = Vec::new();
        for &(object, looked) in looked_at {
            self.check()?;
            match looked {
                Looked::Fields => {
                    let fields = self.values_told(object, at, ALL)?;
                    told.extend(fields.into_iter().map(found));
                }
                Looked::Elements(count) => {
                    let elements = self.values_told(object, at, count as usize)?;
                    // Behind one that is lost nothing is claimed.
                    let known = elements.into_iter().zip(0..count).take_while(|(write, at)| {
                        matches!(write.variable, Variable::Element { index, .. } if index == *at)
                    });
                    told.extend(known.map(|(write, _)| found(write)));
                }
                Looked::Held => told.push(EventKind::Content {
                    object,
                    snapshot: true,
                    change: self.held_told(object, at)?,
                }),
            }
        }
        Ok(told)
    }

    fn values_told(&self, object: ObjectId, at: Timestamp, limit: usize) -> Result<Vec<Write>> {
        let told = self.recording.kept_object_state(object, at, 0, limit);
        match told {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(Vec::new()),
            told => Ok(told?),
        }
    }

    fn held_told(&self, object: ObjectId, at: Timestamp) -> Result<Change> {
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let mut changes = self.content_changes(object, range, Direction::Backward);
        // When it has changed snapshots tell all of it.
        let last = unless_lost(changes.next().transpose())?;
        Ok(match last {
            Some(last) => last.change,
            None => Change::Unknown {
                reason: LOST.to_owned(),
                since: None,
            },
        })
    }
}

fn found(write: Write) -> EventKind {
    EventKind::Snapshot {
        variable: write.variable,
        value: write.value,
    }
}
