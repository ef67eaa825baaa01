//! The event list of a call, with its loops and iterations; marking by variable; and the events of a range
//! of timestamps.
//!
//! In reading order: `code` (what the method's code says of loops), `scan` (from events to loops and
//! iterations), `outline` (what is kept of long loops), `fold` (a page of rows), `pages` (that begins anywhere, and goes
//! backwards), here the rows in words, and `locate` (where a timestamp is among them).

mod code;
mod fold;
mod locate;
mod outline;
mod pages;
mod scan;

use std::fmt;
use std::str::FromStr;

use jhyde_store::records::{CallRecord, Direction, OwnEvent};
use jhyde_trace::{CallId, EventKind, ThreadId, Timestamp, Variable};

use crate::error::{Error, Result};
use crate::gaps::damage_note;
use crate::history::{History, place};
use crate::page::{Page, Wanted, Ways, rows};
use crate::state::Interval;
use crate::view::{EventKindView, EventView, PlaceView};
use fold::{Spec, SpecKind};
pub use locate::Location;
pub use outline::Outlines;
use pages::{Pages, packed};

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
    /// What it shows.
    pub kind: EventRowKind,
    /// How many loops and iterations it stands in, from the list's top or the opened row.
    pub level: u32,
    /// Its relation to the marked variable.
    pub mark: Option<Mark>,
}

/// What a row of an event list shows.
#[derive(Clone, Debug, PartialEq)]
pub enum EventRowKind {
    /// An event; a nested call is its `Enter`, which tells its end too.
    Event(Box<EventView>),
    /// A loop: what happened in it is inside.
    Loop(LoopView),
    /// An iteration of a loop.
    Iteration(IterationView),
}

impl EventRow {
    /// The event, if it shows one.
    pub fn event(&self) -> Option<&EventView> {
        match &self.kind {
            EventRowKind::Event(event) => Some(event),
            EventRowKind::Loop(_) | EventRowKind::Iteration(_) => None,
        }
    }
}

/// A natural loop of the method's code, as control went through it once.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopView {
    /// Names the row in its call's list.
    pub row: Inside,
    /// How often its body ran; so far, if control is still in it.
    pub iterations: u64,
    /// Its first event.
    pub from: Timestamp,
    /// Its last event, or the end of the last call in it.
    pub to: Timestamp,
    /// Where its header begins.
    pub place: Option<PlaceView>,
    /// Control was still in it at the recording's end so far.
    pub running: bool,
}

/// One round of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationView {
    /// Names the row in its call's list.
    pub row: Inside,
    /// From 1.
    pub number: u64,
    /// Its first event.
    pub from: Timestamp,
    /// Its last event, or the end of the last call in it.
    pub to: Timestamp,
    /// Where its loop's header begins.
    pub place: Option<PlaceView>,
}

/// A row with others inside, within its call's list: `loop@BEGIN@HEADER` or `iteration@BEGIN@HEADER@NUMBER`,
/// where BEGIN is the timestamp of the loop's first event and HEADER the bytecode index of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the type says what the fields are")]
pub enum Inside {
    /// A loop: its iterations are inside.
    Loop { begun: Timestamp, header: u32 },
    /// An iteration: its events, and the loops in it, are inside.
    Iteration {
        begun: Timestamp,
        header: u32,
        number: u64,
    },
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop { begun, header } => write!(f, "loop@{begun}@{header}"),
            Self::Iteration {
                begun,
                header,
                number,
            } => write!(f, "iteration@{begun}@{header}@{number}"),
        }
    }
}

impl FromStr for Inside {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let none = || Error::RowForm(text.to_owned());
        let mut parts = text.split('@');
        let kind = parts.next().unwrap_or_default();
        let numbers = parts.map(|part| match part.bytes().all(|b| b.is_ascii_digit()) {
            true => part.parse::<u64>().map_err(|_| none()),
            false => Err(none()),
        });
        let numbers = numbers.collect::<Result<Vec<_>>>()?;
        let header = |header: u64| u32::try_from(header).map_err(|_| none());
        match (kind, numbers.as_slice()) {
            ("loop", [begun, at]) => Ok(Self::Loop {
                begun: Timestamp(*begun),
                header: header(*at)?,
            }),
            ("iteration", [begun, at, number]) => Ok(Self::Iteration {
                begun: Timestamp(*begun),
                header: header(*at)?,
                number: *number,
            }),
            _ => Err(none()),
        }
    }
}

/// Which events a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventList {
    /// Whose own events; the root of a thread has those outside of all calls.
    pub call: CallId,
    /// Only rows with something at or after this timestamp.
    pub from: Option<Timestamp>,
    /// Only rows that begin before this timestamp.
    pub to: Option<Timestamp>,
    /// Mark rows by their relation to this variable.
    pub mark: Option<Variable>,
    /// Only what is inside of this row.
    pub inside: Option<Inside>,
    /// So many levels of loops and iterations are opened: their rows are followed by what is inside.
    pub unfold: u32,
    /// No rows for loops and iterations: events alone.
    pub flat: bool,
}

impl EventList {
    /// All of a call's list, loops closed.
    pub fn of(call: CallId) -> Self {
        Self {
            call,
            from: None,
            to: None,
            mark: None,
            inside: None,
            unfold: 0,
            flat: false,
        }
    }
}

/// A page of an event list.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    /// The rows.
    pub page: Page<EventRow>,
    /// Where the call begins.
    pub first: Timestamp,
    /// Where it ends, or is.
    pub last: Timestamp,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

impl History {
    /// A page of a call's own events, nested calls as one row each, loops as rows with iterations inside.
    /// Snapshots are hidden.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn events<'a>(
        &self,
        list: &EventList,
        page_size: u32,
        page: impl Into<Wanted<'a>>,
    ) -> Result<Events> {
        let limit = rows(page_size)?;
        let wanted = page.into();
        let ways = Ways::of(&[&"events", &self.recording.id(), list]);
        let life = self.span(list.call)?;
        if let Some((from, to)) = list.from.zip(list.to).filter(|(from, to)| from > to) {
            let reason = "it ends before it begins".to_owned();
            return Err(Error::Interval { from, to, reason });
        }
        let turn = ways.turn(wanted.token)?;
        let (found, mut notes) = self.with_outline(list.call, list.flat, |outline| {
            let (at, backward) = self.event_turn(list, turn, wanted.start, outline, life)?;
            let pages = Pages {
                history: self,
                outline,
                list,
                life,
                limit,
            };
            Ok((pages.page(at, backward)?, outline.told()))
        })?;
        let Some(found) = found else {
            let row = list.inside.map(|inside| inside.to_string());
            return Err(Error::NoSuchRow(row.unwrap_or_default()));
        };
        if !list.call.is_root() {
            let levels = self.level_notes(&self.record(list.call)?)?;
            notes.extend(levels);
        }
        if let Some(variable) = list.mark {
            let (from, to) = life;
            let unseen = self.unseen_writes_of(variable, Interval { from, to })?;
            notes.extend(unseen.filter(|note| !notes.contains(note)));
        }
        // What is inside of a row ends with the row.
        let reaches_end = list.inside.is_none() && list.to.is_none_or(|to| to > self.last_event());
        if found.next.is_none() && reaches_end {
            notes.extend(self.end_note_of(list.call)?);
        }
        let rows = found.rows.into_iter();
        let rows = rows.map(|spec| self.event_row(list, spec));
        Ok(Events {
            page: Page {
                rows: rows.collect::<Result<_>>()?,
                next: found.next.map(|next| ways.from(packed(next))),
                previous: found.before.map(|before| ways.before(packed(before))),
            },
            first: life.0,
            last: life.1,
            notes,
        })
    }

    fn event_row(&self, list: &EventList, spec: Spec) -> Result<EventRow> {
        self.check()?;
        let header_place = |header: u32| {
            let method = self.method_of(list.call)?;
            Ok::<_, Error>(method.map(|method| place(&method, header)))
        };
        let (kind, mark) = match spec.kind {
            SpecKind::Event(own) => {
                let mark = match list.mark {
                    Some(variable) => self.mark(&own, list.call, variable)?,
                    None => None,
                };
                let event = self.event(own.timestamp, &own.event)?;
                (EventRowKind::Event(Box::new(event)), mark)
            }
            SpecKind::Loop {
                header, begun, how, ..
            } => {
                let view = LoopView {
                    row: Inside::Loop { begun, header },
                    iterations: how.iterations,
                    from: begun,
                    to: how.last,
                    place: header_place(header)?,
                    running: how.running,
                };
                let mark = self.mark_inside(list, begun, how.last)?;
                (EventRowKind::Loop(view), mark)
            }
            SpecKind::Iteration {
                header,
                begun,
                number,
                from,
                to,
            } => {
                let view = IterationView {
                    row: Inside::Iteration {
                        begun,
                        header,
                        number,
                    },
                    number,
                    from,
                    to,
                    place: header_place(header)?,
                };
                let mark = self.mark_inside(list, from, to)?;
                (EventRowKind::Iteration(view), mark)
            }
        };
        Ok(EventRow {
            kind,
            level: spec.level,
            mark,
        })
    }

    /// The mark of a row that holds all that its call and those inside it did from one time to another.
    fn mark_inside(
        &self,
        list: &EventList,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Option<Mark>> {
        let Some(variable) = list.mark else {
            return Ok(None);
        };
        let record: CallRecord = self.record(list.call)?;
        let inside = |writer: CallId| record.contains(writer);
        Ok(self
            .first_write(variable, from, to, inside)?
            .then_some(Mark::Inside))
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
        if let Variable::Content { object, key } = variable {
            return self.content_written(object, key, from..end, fits);
        }
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
    /// behind what was recorded so far. In the place of a block that cannot be read stands what is not told
    /// ([`EventKindView::Unreadable`]).
    pub fn range(
        &self,
        from: Timestamp,
        to: Timestamp,
        thread: Option<ThreadId>,
    ) -> impl Iterator<Item = Result<EventView>> + use<> {
        let history = self.clone();
        let unreadable = move |first: Timestamp, note| EventView {
            timestamp: first.max(from),
            call: thread.map(CallId::root),
            place: None,
            kind: EventKindView::Unreadable(note),
            notes: Vec::new(),
        };
        self.recording
            .events(from..to.max(from), thread, Direction::Forward)
            .filter_map(move |event| match event {
                Ok(event) if event.event.kind.is_found() => None,
                Ok(event) => Some(history.event(event.timestamp, &event.event)),
                Err(error @ jhyde_store::Error::Damaged { from, .. }) => {
                    Some(Ok(unreadable(from, damage_note(&error))))
                }
                Err(error) => Some(Err(error.into())),
            })
    }
}
