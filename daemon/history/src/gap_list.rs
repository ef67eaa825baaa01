//! The list of all that a recording says it does not have: jhyde's own checks that fell, one by one.

use jhyde_store::Error as StoreError;
use jhyde_store::gap_kind;
use jhyde_trace::{CallId, EventKind, Timestamp};

use crate::error::Result;
use crate::gaps::damage_note;
use crate::history::{History, unless_lost};
use crate::page::{Page, Tokens, rows};
use crate::view::{CallView, PlaceView};

/// Which gaps a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GapList {
    /// Only those of this call and of the calls in it.
    pub call: Option<CallId>,
    /// Only those whose reason contains this text, as it is written for one gap or, with `N` for numbers, for all.
    pub reason: Option<String>,
}

/// One gap.
#[derive(Clone, Debug, PartialEq)]
pub struct GapRow {
    /// When; of a damaged block the first timestamp that it has.
    pub timestamp: Timestamp,
    /// Why, in words for people.
    pub reason: String,
    /// The call of which something was not recorded; `None` outside of all calls, and where its block is damaged.
    pub call: Option<CallView>,
    /// Where in it.
    pub place: Option<PlaceView>,
    /// Its thread's name; empty for a damaged block.
    pub thread_name: String,
}

/// A page of gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct GapPage {
    /// In order of time.
    pub page: Page<GapRow>,
    /// On the last page: that the recording ended before the run did.
    pub notes: Vec<String>,
}

impl GapList {
    fn wants(&self, reason: &str) -> bool {
        self.reason
            .as_deref()
            .is_none_or(|wanted| reason.contains(wanted) || gap_kind(reason).contains(wanted))
    }
}

impl History {
    /// A page of the recording's gaps. A damaged block that may have some is one.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn gap_list(&self, list: &GapList, page_size: u32, page_token: &str) -> Result<GapPage> {
        let limit = rows(page_size)?;
        let tokens = Tokens::of(&[&"gaps", &self.recording.id(), list]);
        let within = list
            .call
            .filter(|call| !call.is_root())
            .map(|call| self.record(call))
            .transpose()?;
        let (mut from, to) = match &within {
            Some(record) => (
                record.enter,
                record.exit.unwrap_or_else(|| self.recording.end()),
            ),
            None => (Timestamp(0), self.recording.end()),
        };
        if let Some(position) = tokens.position(page_token)? {
            from = from.max(Timestamp(position));
        }
        let mut found = Page {
            rows: Vec::new(),
            next: None,
            previous: None,
        };
        let to = Timestamp(to.0.saturating_add(1)).max(from);
        for gap in self.recording.gaps(from..to) {
            self.check()?;
            let row = match gap {
                Ok(gap) => {
                    let call = gap.event.call;
                    let is_inside = match (&within, list.call) {
                        (Some(record), _) => record.contains(call),
                        (None, Some(root)) => root.thread == call.thread,
                        (None, None) => true,
                    };
                    let EventKind::Gap { reason, .. } = gap.event.kind else {
                        continue;
                    };
                    if !is_inside || !list.wants(&reason) {
                        continue;
                    }
                    self.gap_row(gap.timestamp, call, gap.event.index, reason)?
                }
                Err(error @ StoreError::Damaged { from, .. }) => {
                    let reason = damage_note(&error);
                    if !list.wants(&reason) {
                        continue;
                    }
                    GapRow {
                        timestamp: from,
                        reason,
                        call: None,
                        place: None,
                        thread_name: String::new(),
                    }
                }
                Err(error) => return Err(error.into()),
            };
            if found.rows.len() == limit {
                found.next = Some(tokens.token(row.timestamp.0));
                break;
            }
            found.rows.push(row);
        }
        let is_last = found.next.is_none() && list.call.is_none();
        Ok(GapPage {
            page: found,
            notes: self.end_note().filter(|_| is_last).into_iter().collect(),
        })
    }

    fn gap_row(
        &self,
        timestamp: Timestamp,
        call: CallId,
        index: u32,
        reason: String,
    ) -> Result<GapRow> {
        let record = match call.is_root() {
            true => None,
            false => unless_lost(self.recording.call(call).map(Some))?,
        };
        Ok(GapRow {
            timestamp,
            reason,
            call: record.map(|record| self.call(record, false)).transpose()?,
            place: self.place_in(call, index)?,
            thread_name: self.thread_name(call.thread)?,
        })
    }
}
