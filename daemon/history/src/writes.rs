//! The history of a variable: every write to it in the whole recording.

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{Level, Timestamp, Value, Variable};

use crate::error::{Error, Result};
use crate::gaps::damage_note;
use crate::history::{Bound, History, bound, unless_lost};
use crate::page::{Page, Place, Turn, Wanted, Ways, rows};
use crate::state::Interval;
use crate::view::{CallView, PlaceView, ValueView};

/// Which writes a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteList {
    /// Of this variable.
    pub variable: Variable,
    /// Only writes at or after this timestamp.
    pub from: Option<Timestamp>,
    /// Only writes before this timestamp.
    pub to: Option<Timestamp>,
    /// From late to early.
    pub newest_first: bool,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRow {
    /// When.
    pub timestamp: Timestamp,
    /// The value that the variable got.
    pub value: ValueView,
    /// The call that wrote; `None` outside of all calls, and where its beginning cannot be read.
    pub call: Option<CallView>,
    /// Where in it.
    pub place: Option<PlaceView>,
}

/// A page of a variable's history.
#[derive(Clone, Debug, PartialEq)]
pub struct Writes {
    /// The variable in its full written form.
    pub variable: String,
    /// The writes.
    pub page: Page<WriteRow>,
    /// The first write of all that the list has.
    pub first: Option<Timestamp>,
    /// The last one.
    pub last: Option<Timestamp>,
    /// What the recording does not tell of this variable, or not here.
    pub notes: Vec<String>,
}

/// A write and whether it was found there, or why it cannot be read.
type Told = std::result::Result<(WriteRow, bool), String>;

impl History {
    /// A page of the writes to a variable. The binding of an argument is the first write of its parameter; the
    /// value that an object of elsewhere had when it was first seen starts the history of its fields.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn writes<'a>(
        &self,
        list: &WriteList,
        page_size: u32,
        page: impl Into<Wanted<'a>>,
    ) -> Result<Writes> {
        let limit = rows(page_size)?;
        let wanted = page.into();
        let ways = Ways::of(&[&"writes", &self.recording.id(), list]);
        let from = list.from.unwrap_or_default();
        let to = list.to.unwrap_or_else(|| self.recording.end());
        if from > to {
            let reason = "it ends before it begins".to_owned();
            return Err(Error::Interval { from, to, reason });
        }
        let turn = match (ways.turn(wanted.token)?, wanted.start) {
            (Some(turn), _) => Some(turn),
            (None, Some(start)) => {
                let at = self.write_place(list, start.at)?.0;
                Some(match start.backward {
                    false => Turn::From(at),
                    true => Turn::Before(at),
                })
            }
            (None, None) => None,
        };
        let mut range = from..to;
        match (turn, list.newest_first) {
            (None, _) => {}
            (Some(Turn::From(at)), false) => range.start = range.start.max(Timestamp(at)),
            (Some(Turn::From(at)), true) => {
                range.end = range.end.min(Timestamp(at.saturating_add(1)))
            }
            (Some(Turn::Before(at)), false) => range.end = range.end.min(Timestamp(at)),
            (Some(Turn::Before(at)), true) => {
                range.start = range.start.max(Timestamp(at.saturating_add(1)))
            }
        }
        range.end = range.end.max(range.start);
        let backward = matches!(turn, Some(Turn::Before(_)));
        let mut notes = self.write_notes(list.variable)?;
        notes.extend(self.lost_writes(list.variable, range.clone())?);
        let direction = match list.newest_first != backward {
            true => Direction::Backward,
            false => Direction::Forward,
        };
        let mut found: Vec<(WriteRow, bool)> = Vec::new();
        // The first one that was too much.
        let mut more: Option<u64> = None;
        for row in self.written(list.variable, range, direction, limit + 1)? {
            self.check()?;
            let (row, snapshot) = match row? {
                Ok(row) => row,
                Err(note) => {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                    continue;
                }
            };
            let is_found = snapshot && self.has_snapshots_only();
            if is_found
                && let Some(last) = found.last_mut().filter(|(last, _)| last.value == row.value)
            {
                // It was found again: whichever comes first in the list is shown.
                if backward {
                    *last = (row, snapshot);
                }
                continue;
            }
            if found.len() == limit {
                more = Some(row.timestamp.0);
                break;
            }
            found.push((row, snapshot));
        }
        if backward {
            found.reverse();
        }
        for (row, snapshot) in &found {
            if *snapshot && !self.has_snapshots_only() {
                notes.push(self.snapshot_note(list.variable, row.timestamp)?);
            }
        }
        let rows: Vec<WriteRow> = found.into_iter().map(|(row, _)| row).collect();
        let first = self.outermost_write(list.variable, from..to, Direction::Forward)?;
        let last = self.outermost_write(list.variable, from..to, Direction::Backward)?;
        let (begin, end) = match list.newest_first {
            true => (last, first),
            false => (first, last),
        };
        let at = |turn| match turn {
            Some(Turn::From(at) | Turn::Before(at)) => at,
            None => 0,
        };
        let first_row = rows.first().map(|row| row.timestamp.0);
        let last_row = rows.last().map(|row| row.timestamp.0);
        let is_behind = |at: u64, other: Timestamp| match list.newest_first {
            true => other.0 > at,
            false => other.0 < at,
        };
        let (next, previous) = match backward {
            false => {
                let here = first_row.or_else(|| turn.map(|turn| at(Some(turn))));
                let before = here.filter(|here| begin.is_some_and(|begin| is_behind(*here, begin)));
                (
                    more.map(|more| ways.from(more)),
                    before.map(|before| ways.before(before)),
                )
            }
            true => {
                let behind = end.is_some_and(|end| match last_row {
                    Some(last) => is_behind(end.0, Timestamp(last)),
                    None => true,
                });
                (
                    behind.then(|| ways.from(at(turn))),
                    first_row
                        .filter(|_| more.is_some())
                        .map(|first| ways.before(first)),
                )
            }
        };
        let latest_page = match list.newest_first {
            true => previous.is_none(),
            false => next.is_none(),
        };
        if latest_page && list.to.is_none_or(|to| to >= self.recording.end()) {
            notes.extend(self.end_note_of_variable(list.variable)?);
            notes.extend(self.gone_note(list.variable)?);
        }
        Ok(Writes {
            variable: self.written_form(list.variable)?,
            page: Page {
                rows,
                next,
                previous,
            },
            first,
            last,
            notes,
        })
    }

    /// Where a list of writes begins that is to begin at a place.
    fn write_place(&self, list: &WriteList, place: Place) -> Result<Timestamp> {
        match place {
            Place::Time(time) => Ok(time),
            Place::Call(call) => {
                let life = self.life(&self.record(call)?).into_inner();
                Ok(match list.newest_first {
                    true => life.1,
                    false => life.0,
                })
            }
            Place::Index(_) => Err(Error::Start(
                "the writes of a variable are not counted: give a call or a timestamp".to_owned(),
            )),
        }
    }

    /// The first write of a range in a direction, as far as it can be read.
    fn outermost_write(
        &self,
        variable: Variable,
        range: std::ops::Range<Timestamp>,
        direction: Direction,
    ) -> Result<Option<Timestamp>> {
        let binding = self.binding(variable)?;
        let bound = binding
            .map(|(call, _)| call.enter)
            .filter(|enter| range.contains(enter));
        let content = match variable {
            Variable::Content { object, key } => {
                let writes = self.content_writes(object, key, range.clone(), direction, 1)?;
                writes.first().map(|write| write.timestamp)
            }
            _ => None,
        };
        let mut writes = self.recording.writes(variable, range, direction);
        let written = writes.find_map(|write| match write {
            Ok(write) => Some(Ok(write.timestamp)),
            Err(jhyde_store::Error::Damaged { .. }) => None,
            Err(error) => Some(Err(error)),
        });
        let all = [bound, content, written.transpose()?].into_iter().flatten();
        Ok(match direction {
            Direction::Forward => all.min(),
            Direction::Backward => all.max(),
        })
    }

    /// The writes of a range, with whether each was found and not written; in the place of what cannot be read, why.
    fn written(
        &self,
        variable: Variable,
        range: std::ops::Range<Timestamp>,
        direction: Direction,
        limit: usize,
    ) -> Result<impl Iterator<Item = Result<Told>>> {
        let newest_first = direction == Direction::Backward;
        let binding = self
            .binding(variable)?
            .filter(|(call, _)| range.contains(&call.enter));
        let binding = binding.map(|bound| self.bound_row(bound).map(Ok));
        // A parameter is bound before anything else is written to it.
        let (bound_last, bound_first) = match newest_first {
            true => (binding, None),
            false => (None, binding),
        };
        let contents = match variable {
            Variable::Content { object, key } => {
                self.content_writes(object, key, range.clone(), direction, limit)?
            }
            _ => Vec::new(),
        };
        let contents = contents.into_iter().map(|write| {
            let row = WriteRow {
                timestamp: write.timestamp,
                value: write.value,
                call: self.writer(write.call)?,
                place: self.place_in(write.call, write.index)?,
            };
            Ok(Ok((row, write.snapshot)))
        });
        let writes = self
            .recording
            .writes(variable, range, direction)
            .map(|write| {
                let write = match write {
                    Err(error @ jhyde_store::Error::Damaged { .. }) => {
                        return Ok(Err(damage_note(&error)));
                    }
                    write => write?,
                };
                let call = self.writer(write.call)?;
                let row = WriteRow {
                    timestamp: write.timestamp,
                    value: self.value_at(write.value, write.timestamp)?,
                    call,
                    place: self.place_in(write.call, write.index)?,
                };
                Ok(Ok((row, write.snapshot)))
            });
        Ok(bound_first
            .into_iter()
            .chain(contents)
            .chain(writes)
            .chain(bound_last))
    }

    /// The call that wrote; `None` outside of all calls, and where its beginning cannot be read.
    fn writer(&self, call: jhyde_trace::CallId) -> Result<Option<CallView>> {
        if call.is_root() {
            return Ok(None);
        }
        unless_lost(self.recording.call(call).map(Some))?
            .map(|call| self.call(call, true))
            .transpose()
    }

    /// That a value was found, not written.
    fn snapshot_note(&self, variable: Variable, found: Timestamp) -> Result<String> {
        let before = Timestamp(0)..found;
        let told_before = match variable {
            Variable::Content { object, .. } => self
                .content_changes(object, before, Direction::Backward)
                .next()
                .is_some(),
            _ => self
                .recording
                .writes(variable, before, Direction::Backward)
                .next()
                .is_some(),
        };
        Ok(match told_before {
            true => format!(
                "the value at {found} was found there: something that was not seen may have changed it before, so what it \
                 held meanwhile is not known"
            ),
            false => format!(
                "the value at {found} was found when the object was first seen; who wrote it was not recorded"
            ),
        })
    }

    fn bound_row(&self, (record, value): (CallRecord, Value)) -> Result<(WriteRow, bool)> {
        let place = self.place_in(record.id, 0)?;
        let call = self.call(record, true)?;
        Ok((
            WriteRow {
                timestamp: record.enter,
                value: self.value_at(value, record.enter)?,
                call: Some(call),
                place,
            },
            false,
        ))
    }

    /// The call whose entry bound the variable, and to what, if it is a parameter or `this`, and the recording
    /// has no write event of its own for that.
    pub(crate) fn binding(&self, variable: Variable) -> Result<Option<(CallRecord, Value)>> {
        let Variable::Local { call, local } = variable else {
            return Ok(None);
        };
        let record = self.record(call)?;
        let Some(method) = self.method(record.method)? else {
            return Ok(None);
        };
        let Some(bound) = bound(method.method(), local) else {
            return Ok(None);
        };
        let given = self.given(&record)?;
        let value = match bound {
            Bound::This => given.receiver,
            Bound::Argument(position) => given.arguments.get(position).copied(),
        };
        let Some(value) = value else { return Ok(None) };
        let range = record.enter..Timestamp(record.enter.0.saturating_add(1));
        let told = self
            .recording
            .writes(variable, range, Direction::Forward)
            .next();
        Ok(told.is_none().then_some((record, value)))
    }

    /// The gaps in which writes to a variable may be missing.
    fn lost_writes(
        &self,
        variable: Variable,
        range: std::ops::Range<Timestamp>,
    ) -> Result<Vec<String>> {
        let interval = Interval {
            from: Timestamp(range.start.0.saturating_sub(1)),
            to: range.end,
        };
        let (call, interval) = match variable {
            Variable::Local { call, .. } => {
                let life = self.life(&self.record(call)?).into_inner();
                let interval = Interval {
                    from: interval.from.max(life.0),
                    to: interval.to.min(life.1),
                };
                (Some(call), interval)
            }
            Variable::Return { .. } | Variable::Exception { .. } => return Ok(Vec::new()),
            _ => (None, interval),
        };
        let gaps = self.gaps(call, interval)?;
        match call.is_some() && !gaps.own {
            true => Ok(Vec::new()),
            false => Ok(gaps.notes()),
        }
    }

    /// What the level leaves out of a variable's history.
    fn write_notes(&self, variable: Variable) -> Result<Vec<String>> {
        let level = self.asked;
        let has_snapshots = self.recording.meta().options.snapshots.depth > 0;
        Ok(match variable {
            Variable::Return { .. } | Variable::Exception { .. } => Vec::new(),
            Variable::Element { .. } | Variable::Content { .. } | Variable::Field { .. }
                if level == Level::Calls && has_snapshots =>
            {
                vec![
                    "these are the values that were found where calls that were shown the object began or ended: level \
                     calls does not record who wrote them, nor what was there in between; record with level state or full"
                        .to_owned(),
                ]
            }
            Variable::Element { .. } if level == Level::Calls => vec![
                "level calls does not record writes to array elements: record with level state or full"
                    .to_owned(),
            ],
            Variable::Content { .. } if level == Level::Calls => vec![
                "level calls without snapshots does not record what objects held: record with level state or full"
                    .to_owned(),
            ],
            Variable::Local { .. } if level == Level::Calls => vec![
                "level calls does not record writes to locals, only what parameters were given: record with \
                 level state or full"
                    .to_owned(),
            ],
            Variable::Field { field, .. } | Variable::Static { field } => {
                let in_scope = self.recording.field(field)?.is_some_and(|field| field.class.in_scope);
                if level == Level::Calls {
                    vec!["level calls does not record writes to fields: record with level state or full"
                        .to_owned()]
                } else if !in_scope {
                    vec!["the class that declares the field is outside the scope: writes to it are not recorded"
                        .to_owned()]
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        })
    }
}
