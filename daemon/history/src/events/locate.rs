//! Where a timestamp is: its event and call, and the rows of loops and iterations around it.

use jhyde_trace::{CallId, Timestamp};

use super::{EventList, EventRow, EventRowKind, fold};
use crate::error::{Error, Result};
use crate::history::History;
use crate::view::{CallView, EventView};

/// Where a timestamp is.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// What happened then.
    pub event: EventView,
    /// The calls from the outermost one down to the one that the event belongs to; none for events of a thread's root.
    pub path: Vec<CallView>,
    /// The loops and iterations around it, outermost first.
    pub rows: Vec<EventRow>,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

impl History {
    /// Where a timestamp is, in the event list of the call that its event belongs to or of one above it.
    ///
    /// # Errors
    /// When there is no such event, the call is none around it, or the recording cannot be read.
    pub fn locate(&self, at: Timestamp, call: Option<CallId>) -> Result<Location> {
        let event = self.recording.event(at)?;
        let own = event.event.call;
        let path = match own.is_root() {
            true => Vec::new(),
            false => self.path(own)?,
        };
        let of = call.unwrap_or(own);
        let time = match path.iter().position(|above| above.record.id == of) {
            // The row of the nested call that it is in.
            Some(position) => path
                .get(position + 1)
                .map_or(at, |nested| nested.record.enter),
            None if of == own => at,
            None if of == CallId::root(own.thread) => {
                path.first().map_or(at, |outermost| outermost.record.enter)
            }
            None => {
                return Err(Error::Start(format!(
                    "event {at} did not happen in call {of}"
                )));
            }
        };
        let life = self.span(of)?;
        let (rows, notes) = self.with_outline(of, false, |outline| {
            let mut rows: Vec<EventRow> = Vec::new();
            let mut list = EventList {
                from: Some(time),
                to: Some(Timestamp(time.0.saturating_add(1))),
                ..EventList::of(of)
            };
            loop {
                let found = fold::page(self, outline, &list, life, (Timestamp(0), 0), 1)?;
                let spec = found.and_then(|(specs, _)| specs.into_iter().next());
                let Some(spec) = spec else { break };
                let mut row = self.event_row(&list, spec)?;
                list.inside = Some(match &row.kind {
                    EventRowKind::Loop(view) => view.row,
                    EventRowKind::Iteration(view) => view.row,
                    EventRowKind::Event(_) => break,
                });
                row.level = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                rows.push(row);
            }
            Ok((rows, outline.told()))
        })?;
        Ok(Location {
            event: self.event(at, &event.event)?,
            path,
            rows,
            notes,
        })
    }
}
