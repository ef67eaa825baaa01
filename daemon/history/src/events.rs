//! The event list of a call, marking by variable, and the events of a range of timestamps.

use jhyde_store::records::{Direction, OwnEvent};
use jhyde_trace::{CallId, EventKind, ThreadId, Timestamp, Variable};

use crate::error::{Error, Result};
use crate::history::History;
use crate::page::{Page, Tokens, rows};
use crate::view::EventView;

/// How a row relates to a marked variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The event wrote it.
    Direct,
    /// An event inside the row wrote it.
    Inside,
}

/// A row of an event list.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// The event; a nested call is its `Enter`, which tells its end too.
    pub event: EventView,
    /// Its relation to the marked variable.
    pub mark: Option<Mark>,
}

/// Which events a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventList {
    /// Whose own events; the root of a thread has those outside of all calls.
    pub call: CallId,
    /// Only events at or after this timestamp.
    pub from: Option<Timestamp>,
    /// Only events before this timestamp.
    pub to: Option<Timestamp>,
    /// Mark rows by their relation to this variable.
    pub mark: Option<Variable>,
}

impl History {
    /// A page of a call's own events, nested calls as one row each. Snapshots are hidden.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn events(
        &self,
        list: &EventList,
        page_size: u32,
        page_token: &str,
    ) -> Result<Page<EventRow>> {
        let limit = rows(page_size)?;
        let tokens = Tokens::of(&[&"events", &self.recording.id(), list]);
        let (mut begin, end) = self.span(list.call)?;
        let from = list.from.unwrap_or(begin);
        let to = list
            .to
            .unwrap_or_else(|| Timestamp(end.0.saturating_add(1)));
        if from > to {
            let reason = "it ends before it begins".to_owned();
            return Err(Error::Interval { from, to, reason });
        }
        begin = begin.max(from);
        if let Some(position) = tokens.position(page_token)? {
            begin = begin.max(Timestamp(position));
        }
        let mut page = Page {
            rows: Vec::new(),
            next: None,
        };
        for own in self
            .recording
            .own_events(list.call, begin..to.max(begin), Direction::Forward)
        {
            let own = own?;
            if !is_row(&own, list.call) {
                continue;
            }
            if page.rows.len() == limit {
                page.next = Some(tokens.token(own.timestamp.0));
                break;
            }
            let mark = match list.mark {
                Some(variable) => self.mark(&own, list.call, variable)?,
                None => None,
            };
            page.rows.push(EventRow {
                event: self.event(own.timestamp, &own.event)?,
                mark,
            });
        }
        Ok(page)
    }

    /// The first and last timestamp of a call or root, so far if it still runs.
    pub(crate) fn span(&self, call: CallId) -> Result<(Timestamp, Timestamp)> {
        if call.is_root() {
            let root = self.recording.root(call.thread)?;
            return Ok((
                root.first.unwrap_or_default(),
                root.last.unwrap_or_default(),
            ));
        }
        let record = self.recording.call(call)?;
        Ok((
            record.enter,
            record.exit.unwrap_or_else(|| self.last_event()),
        ))
    }

    fn mark(&self, own: &OwnEvent, call: CallId, variable: Variable) -> Result<Option<Mark>> {
        if own.event.call == call || !matches!(own.event.kind, EventKind::Enter { .. }) {
            let written = self.first_write(variable, own.timestamp, own.timestamp, |_| true)?;
            return Ok(written.then_some(Mark::Direct));
        }
        let nested = self.recording.call(own.event.call)?;
        let last = nested.exit.unwrap_or_else(|| self.last_event());
        // Other threads may have written meanwhile; that is not inside of the row.
        let inside = |writer: CallId| nested.contains(writer);
        Ok(self
            .first_write(variable, nested.enter, last, inside)?
            .then_some(Mark::Inside))
    }

    /// Did a call that fits write the variable in `[from, to]`? The binding of arguments is a write.
    fn first_write(
        &self,
        variable: Variable,
        from: Timestamp,
        to: Timestamp,
        fits: impl Fn(CallId) -> bool,
    ) -> Result<bool> {
        if let Some((binding, _)) = self.binding(variable)?
            && (from..=to).contains(&binding.enter)
            && fits(binding.id)
        {
            return Ok(true);
        }
        let end = Timestamp(to.0.saturating_add(1));
        for write in self
            .recording
            .writes(variable, from..end, Direction::Forward)
        {
            let write = write?;
            if !write.snapshot && fits(write.call) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The events of a range of timestamps, of one thread or all, snapshots left out. Both ends may lie
    /// behind what was recorded so far.
    pub fn range(
        &self,
        from: Timestamp,
        to: Timestamp,
        thread: Option<ThreadId>,
    ) -> impl Iterator<Item = Result<EventView>> + use<> {
        let history = self.clone();
        self.recording
            .events(from..to.max(from), thread, Direction::Forward)
            .filter_map(move |event| match event {
                Ok(event) if matches!(event.event.kind, EventKind::Snapshot { .. }) => None,
                Ok(event) => Some(history.event(event.timestamp, &event.event)),
                Err(error) => Some(Err(error.into())),
            })
    }
}

/// Is it a row of the call's list? Nested calls are rows by their `Enter` alone.
fn is_row(own: &OwnEvent, call: CallId) -> bool {
    match own.event.kind {
        EventKind::Snapshot { .. } => false,
        EventKind::Exit { .. } => own.event.call == call,
        _ => true,
    }
}
