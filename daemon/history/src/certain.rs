//! Until when a recording tells everything: for those who conclude something from values, and must not be wrong.

use jhyde_store::records::CallRecord;
use jhyde_trace::{EventKind, Timestamp};

use crate::error::Result;
use crate::history::History;
use crate::objects::DAMAGED;

/// The gaps of a recording, as far as they spoil conclusions. Of a running recording: those that there were when it was made.
#[derive(Clone, Debug, Default)]
pub struct Certain {
    /// The first gap, and why.
    gap: Option<(Timestamp, String)>,
    /// The last gap that says that what was told before may be false.
    back: Option<Timestamp>,
}

impl Certain {
    /// Looks through the gaps of a recording.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(history: &History) -> Result<Self> {
        let mut this = Self::default();
        let all = Timestamp(0)..history.recording.end();
        for gap in history.recording.gaps(all) {
            history.check()?;
            let (at, why, back) = match gap {
                Ok(gap) => match gap.event.kind {
                    EventKind::Gap { reason, back } => (gap.timestamp, reason, back),
                    _ => continue,
                },
                Err(jhyde_store::Error::Damaged { from, .. }) => (from, DAMAGED.to_owned(), true),
                Err(error) => return Err(error.into()),
            };
            this.gap.get_or_insert((at, why));
            if back {
                this.back = Some(at);
            }
        }
        Ok(this)
    }

    /// Why what is told of a call itself, what it was given and what it returned, may be false.
    pub fn doubt_of_call(&self, record: &CallRecord) -> Option<String> {
        let doubted = self.back.is_some_and(|back| back >= record.enter);
        doubted.then(|| "what is told of it may be false, as a gap behind it says".to_owned())
    }

    /// Why what objects held by the end of a call, which ended at this time, may not be all that they held.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn doubt_of_objects(
        &self,
        history: &History,
        record: &CallRecord,
        exit: Timestamp,
    ) -> Result<Option<String>> {
        if let Some((_, why)) = self.gap.as_ref().filter(|(at, _)| *at <= exit) {
            return Ok(Some(format!(
                "something was not recorded before it ended: {why}"
            )));
        }
        if let Some(doubt) = self.doubt_of_call(record) {
            return Ok(Some(doubt));
        }
        history.unseen_writes(Timestamp(0), exit)
    }
}
