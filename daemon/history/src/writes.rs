//! The history of a variable: every write to it in the whole recording.

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{Level, Timestamp, Value, Variable};

use crate::error::{Error, Result};
use crate::gaps::damage_note;
use crate::history::{Bound, History, bound, unless_lost};
use crate::page::{Page, Tokens, rows};
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
    /// What the recording does not tell of this variable, or not here.
    pub notes: Vec<String>,
}

impl History {
    /// A page of the writes to a variable. The binding of an argument is the first write of its parameter; the
    /// value that an object of elsewhere had when it was first seen starts the history of its fields.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn writes(&self, list: &WriteList, page_size: u32, page_token: &str) -> Result<Writes> {
        let limit = rows(page_size)?;
        let tokens = Tokens::of(&[&"writes", &self.recording.id(), list]);
        let from = list.from.unwrap_or_default();
        let to = list.to.unwrap_or_else(|| self.recording.end());
        if from > to {
            let reason = "it ends before it begins".to_owned();
            return Err(Error::Interval { from, to, reason });
        }
        let mut range = from..to;
        if let Some(position) = tokens.position(page_token)?.map(Timestamp) {
            if list.newest_first {
                range.end = range.end.min(Timestamp(position.0.saturating_add(1)));
            } else {
                range.start = range.start.max(position);
            }
        }
        range.end = range.end.max(range.start);
        let direction = match list.newest_first {
            true => Direction::Backward,
            false => Direction::Forward,
        };
        let mut notes = self.write_notes(list.variable)?;
        notes.extend(self.lost_writes(list.variable, range.clone())?);
        let first_page = page_token.is_empty();
        let mut page: Page<WriteRow> = Page {
            rows: Vec::new(),
            next: None,
        };
        let binding = self
            .binding(list.variable)?
            .filter(|(call, _)| range.contains(&call.enter));
        // A parameter is bound before anything else is written to it.
        let bound_first = binding
            .filter(|_| !list.newest_first)
            .map(|bound| self.bound_row(bound).map(Ok));
        let bound_last = binding
            .filter(|_| list.newest_first)
            .map(|bound| self.bound_row(bound).map(Ok));
        let contents = match list.variable {
            Variable::Content { object, key } => {
                self.content_writes(object, key, range.clone(), direction, limit + 1)?
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
            .writes(list.variable, range, direction)
            .map(|write| {
                let write = match write {
                    Err(jhyde_store::Error::Damaged { from, to, .. }) => {
                        return Ok(Err(damage_note(from, to)));
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
        let all = bound_first
            .into_iter()
            .chain(contents)
            .chain(writes)
            .chain(bound_last);
        for row in all {
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
            if is_found && page.rows.last().is_some_and(|last| last.value == row.value) {
                // It was found again.
                continue;
            }
            if page.rows.len() == limit {
                page.next = Some(tokens.token(row.timestamp.0));
                break;
            }
            if snapshot && !is_found {
                notes.push(self.snapshot_note(list.variable, row.timestamp)?);
            }
            page.rows.push(row);
        }
        let latest_page = match list.newest_first {
            true => first_page,
            false => page.next.is_none(),
        };
        if latest_page && list.to.is_none_or(|to| to >= self.recording.end()) {
            notes.extend(self.end_note_of_variable(list.variable)?);
            notes.extend(self.gone_note(list.variable)?);
        }
        Ok(Writes {
            variable: self.written_form(list.variable)?,
            page,
            notes,
        })
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
                "the value at {found} was found there: something that was not seen changed it before, so what it \
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
