//! What the fields of an object, or the elements of an array, held at two times.

use std::borrow::Cow;

use jhyde_store::records::{Direction, Write};
use jhyde_trace::{ClassInfo, Content, FieldInfo, ObjectId, Timestamp, Value, Variable};
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::history::{History, unless_lost};
use crate::page::{Start, Turn, Wanted, Ways, rows};
use crate::reach::Search;
use crate::state::{Interval, Notes, RowKind, StateRow};
use crate::text::{default_value, element_descriptor, type_name};
use crate::view::ValueView;

/// What a variable held at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Held {
    /// It did not exist, or was not assigned.
    Absent,
    /// This.
    Value(Value),
    /// Something that was not recorded: why.
    Unknown(Cow<'static, str>),
    /// Something that a damaged block of the recording would tell.
    Damaged,
}

impl Held {
    pub(crate) fn object(&self) -> Option<ObjectId> {
        match self {
            Self::Value(value) => value.object(),
            Self::Absent | Self::Unknown(_) | Self::Damaged => None,
        }
    }
}

/// A variable at two times, not yet in words.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) kind: RowKind,
    pub(crate) name: String,
    pub(crate) type_name: String,
    pub(crate) variable: Variable,
    pub(crate) start: Held,
    pub(crate) end: Held,
    /// A write of the program lies between the two times.
    pub(crate) changed: bool,
    /// Writes to it are not recorded.
    pub(crate) not_recorded: bool,
}

/// Where a damaged part of the recording would tell it, that is noted.
pub(crate) fn unless_damaged<T>(found: Result<T>, notes: &mut Notes) -> Result<Option<T>> {
    match found {
        Err(Error::Store(jhyde_store::Error::Damaged { .. })) => {
            notes.damaged = true;
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// Is a field hidden by one of a nearer class that has its name?
fn hides(nearer: &[(&std::sync::Arc<ClassInfo>, &FieldInfo)], field: &FieldInfo) -> bool {
    nearer.iter().any(|(_, nearer)| nearer.name == field.name)
}

/// The last write of each variable that was written.
#[derive(Clone, Default)]
struct LastWrites {
    writes: FxHashMap<Variable, Write>,
    /// What is not among them may have been written in what was cut off.
    cut_off: bool,
}

impl LastWrites {
    fn get(&self, variable: &Variable) -> Option<&Write> {
        self.writes.get(variable)
    }

    /// Is it not known whether this one was written?
    fn hides(&self, variable: &Variable) -> bool {
        self.cut_off && !self.writes.contains_key(variable)
    }
}

/// A page of the fields or elements of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The variables.
    pub rows: Vec<StateRow>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<String>,
    /// The token of the page before; `None` on the first one.
    pub previous: Option<String>,
    /// How many variables there are; `None` where that is not told before they are read.
    pub length: Option<u64>,
    /// The index of the first row.
    pub index: u64,
}

/// Some of an object's variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) cells: Vec<Cell>,
    /// The position of the next variable, if there are more.
    pub(crate) next: Option<u32>,
}

pub(crate) const OUTSIDE: &str = "its class is outside the scope";
pub(crate) const BY_LEVEL: &str = "the level of this recording leaves it out";
pub(crate) const DAMAGED: &str =
    "the block of the recording that would tell it is damaged, or was cut off";
/// What objects inherit from these never changes.
pub(crate) const WITHOUT_STATE: [&str; 3] =
    ["java.lang.Object", "java.lang.Record", "java.lang.Enum"];
const OUTSIDE_FIELD: Held = Held::Unknown(Cow::Borrowed(OUTSIDE));
const NOT_SEEN_YET: &str = "it was not seen before that";

/// What was told of a variable at the beginning of an interval.
fn before(
    last: Option<&Write>,
    created: Option<Timestamp>,
    interval: Interval,
    descriptor: &str,
) -> Option<Value> {
    match last {
        Some(write) => Some(write.value),
        None => created
            .is_some_and(|created| created <= interval.from)
            .then(|| default_value(descriptor)),
    }
}

impl History {
    /// A page of the fields or elements of an object at two times.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn expand<'a>(
        &self,
        object: ObjectId,
        from: Timestamp,
        to: Timestamp,
        budget: u32,
        page_size: u32,
        page: impl Into<Wanted<'a>>,
    ) -> Result<(Expanded, Vec<String>)> {
        let limit = rows(page_size)?;
        let wanted = page.into();
        let interval = self.interval(from, to)?;
        let ways = Ways::of(&[
            &"expand",
            &self.recording.id(),
            &object,
            &from,
            &to,
            &budget,
        ]);
        let mut notes = Notes::default();
        let length = self.variables_of(object, &mut notes)?;
        let turn = match (ways.turn(wanted.token)?, wanted.start) {
            (Some(turn), _) => turn,
            (None, Some(start)) if start.backward => Turn::Before(start.index()?),
            (None, start) => Turn::From(start.map_or(Ok(0), Start::index)?),
        };
        let (index, limit, behind) = match turn {
            Turn::From(at) => (at, limit, None),
            Turn::Before(at) => {
                let end = at.min(length.unwrap_or(at));
                let begin = end.saturating_sub(limit as u64);
                // A page has at least one row to ask for.
                (begin, ((end - begin) as usize).max(1), Some(end))
            }
        };
        let position = u32::try_from(index)
            .map_err(|_| Error::Start(format!("nothing has {index} variables")))?;
        let mut part = self.object_cells(object, interval, position, limit, &mut notes)?;
        if behind == Some(index) {
            part = Cells::default();
        }
        let gaps = self.gaps(None, interval)?;
        let mut search = Search::new(self, interval, budget);
        let rows = part.cells.into_iter().map(|mut cell| {
            cell.not_recorded |= gaps.heap && !cell.changed;
            self.row(&cell, interval, Some(&mut search))
        });
        let rows = rows.collect::<Result<_>>()?;
        notes.add(search.notes());
        let next = match behind {
            None => part.next.map(u64::from),
            Some(end) => Some(end).filter(|end| length.is_none_or(|length| *end < length)),
        };
        let mut told = notes.told(self);
        told.extend(gaps.notes());
        told.extend(self.end_note_up_to(to));
        let expanded = Expanded {
            rows,
            next: next.map(|next| ways.from(next)),
            previous: (index > 0).then(|| ways.before(index)),
            length,
            index,
        };
        Ok((expanded, told))
    }

    /// How many variables an object has; `None` where that is not told before they are read.
    fn variables_of(&self, object: ObjectId, notes: &mut Notes) -> Result<Option<u64>> {
        let info = self.recording.object(object).map_err(Error::from);
        let Some(info) = unless_damaged(info, notes)?.flatten() else {
            return Ok(None);
        };
        Ok(match info.content {
            Content::Array(length) => Some(length.into()),
            _ => None,
        })
    }

    /// Does any event refer to an object?
    fn is_told_of(&self, object: ObjectId) -> Result<bool> {
        let all = Timestamp(0)..self.recording.end();
        let mut events = self.recording.references(object, all, Direction::Forward);
        Ok(unless_lost(events.next().transpose())?.is_some())
    }

    /// Variables of an object from a position on: elements by index, fields in the order of their classes, the
    /// object's own class first.
    pub(crate) fn object_cells(
        &self,
        object: ObjectId,
        interval: Interval,
        from: u32,
        limit: usize,
        notes: &mut Notes,
    ) -> Result<Cells> {
        let info = self.recording.object(object).map_err(Error::from);
        let Some(info) = unless_damaged(info, notes)? else {
            return Ok(Cells::default());
        };
        let Some(info) = info else {
            // Of what the JVM was never asked about there is no more than its number.
            return match self.is_told_of(object)? {
                true => Ok(Cells::default()),
                false => Err(Error::NoSuchObject(object.0)),
            };
        };
        let cells = match info.content {
            Content::Array(length) => {
                self.element_cells(object, length, interval, from, limit, notes)
            }
            // What they hold is their content, and never changes.
            Content::String(_) | Content::Box(_) | Content::Class(_) | Content::Shown(_) => {
                Ok(Cells::default())
            }
            // It has no more than what it captured.
            Content::Lambda { ref captured, .. }
                if captured.iter().all(|v| v.object().is_none()) =>
            {
                Ok(Cells::default())
            }
            Content::None
            | Content::Throwable(_)
            | Content::Enum(_)
            | Content::Lambda { .. }
            | Content::Thread(_) => self.held_and_fields(object, interval, from, limit, notes),
        };
        let mut cells = cells?;
        if self.unseen_writes(interval.from, interval.to)?.is_some() {
            for cell in &mut cells.cells {
                cell.not_recorded |= !cell.changed;
            }
        }
        Ok(cells)
    }

    /// What an object holds, and behind that its fields.
    fn held_and_fields(
        &self,
        object: ObjectId,
        interval: Interval,
        from: u32,
        limit: usize,
        notes: &mut Notes,
    ) -> Result<Cells> {
        notes.damaged |= self.content_is_cut_off(object, interval)?;
        let held = self.content_cells(object, interval, from, limit);
        let Some(held) = unless_damaged(held, notes)?.flatten() else {
            return self.field_cells(object, interval, from as usize, limit, notes);
        };
        let (mut part, total) = held;
        if self.has_snapshots_only() {
            notes.compared |= part.cells.iter().any(|cell| cell.changed);
            let all = unless_damaged(self.is_all_found(object, interval.to), notes)?;
            notes.cut |= all == Some(false);
        }
        if part.next.is_none() && part.cells.len() < limit {
            // Of the JDK's own fields its content is what users see.
            let outside = notes.outside;
            let first = from.saturating_sub(total) as usize;
            let left = limit - part.cells.len();
            let fields = self.field_cells(object, interval, first, left, notes)?;
            notes.outside = outside;
            let is_own = |cell: &Cell| cell.start != OUTSIDE_FIELD || cell.end != OUTSIDE_FIELD;
            part.cells.extend(fields.cells.into_iter().filter(is_own));
            part.next = fields.next.map(|next| next.saturating_add(total));
        } else if part.next.is_none() {
            part.next = Some(total.max(from));
        }
        Ok(part)
    }

    pub(crate) fn field_cells(
        &self,
        object: ObjectId,
        interval: Interval,
        from: usize,
        limit: usize,
        notes: &mut Notes,
    ) -> Result<Cells> {
        let Some(classes) = unless_damaged(self.classes_of_object(object), notes)? else {
            return Ok(Cells::default());
        };
        if classes
            .iter()
            .any(|class| !class.in_scope && !WITHOUT_STATE.contains(&class.name.as_str()))
        {
            notes.outside = true;
        }
        let mut fields = Vec::new();
        for class in &classes {
            fields.extend(
                class
                    .fields
                    .iter()
                    .filter(|f| !f.is_static())
                    .map(|field| (class, field)),
            );
        }
        let created = self.created(object)?;
        let states = match self.has_snapshots_only() {
            true => Some(Default::default()),
            false => self.states(object, interval, 0, fields.len())?,
        };
        let damaged = states.is_none();
        notes.damaged |= damaged;
        let (at_start, at_end) = states.unwrap_or_default();
        let mut part = Cells::default();
        for (position, (class, field)) in fields.iter().enumerate().skip(from) {
            if part.cells.len() == limit {
                part.next = u32::try_from(position).ok();
                break;
            }
            let variable = Variable::Field {
                object,
                field: field.id,
            };
            let name = match hides(&fields[..position], field) {
                true => format!("{}.{}", crate::text::simple_name(&class.name), field.name),
                false => field.name.clone(),
            };
            let type_name = type_name(&field.descriptor);
            if self.has_snapshots_only() && class.in_scope {
                let named = (RowKind::Field, name, type_name);
                part.cells
                    .push(self.found_cell(named, variable, interval, notes)?);
                continue;
            }
            let unknown = (!class.in_scope).then_some(OUTSIDE);
            let hidden = at_start.hides(&variable) || at_end.hides(&variable);
            notes.damaged |= hidden && class.in_scope;
            let held = |states: &LastWrites, at: Timestamp| match unknown {
                Some(reason) => Ok(Held::Unknown(reason.into())),
                None if damaged || states.hides(&variable) => Ok(Held::Damaged),
                None => self.held(
                    states.get(&variable),
                    variable,
                    at,
                    created,
                    &field.descriptor,
                ),
            };
            let late = |variable, descriptor: &str| {
                let before = before(at_start.get(&variable), created, interval, descriptor);
                self.is_found_late(before, at_end.get(&variable), interval)
            };
            part.cells.push(Cell {
                kind: RowKind::Field,
                name,
                type_name,
                variable,
                start: held(&at_start, interval.from)?,
                end: held(&at_end, interval.to)?,
                changed: self.is_written_in(at_end.get(&variable), interval)?,
                not_recorded: unknown.is_some()
                    || damaged
                    || at_end.hides(&variable)
                    || late(variable, &field.descriptor),
            });
        }
        Ok(part)
    }

    fn element_cells(
        &self,
        array: ObjectId,
        length: u32,
        interval: Interval,
        from: u32,
        limit: usize,
        notes: &mut Notes,
    ) -> Result<Cells> {
        if self.has_snapshots_only() {
            return self.found_elements(array, length, interval, from, limit, notes);
        }
        let limit = limit.min((length.saturating_sub(from)) as usize);
        let states = self.states(array, interval, from, limit)?;
        let damaged = states.is_none();
        notes.damaged |= damaged;
        let (at_start, at_end) = states.unwrap_or_default();
        let class = self.value(Value::Object(array))?.type_name().to_owned();
        let descriptor = element_descriptor(&class).unwrap_or_default();
        let created = self.created(array)?;
        let end = from
            .saturating_add(u32::try_from(limit).unwrap_or(u32::MAX))
            .min(length);
        let mut cells = Vec::with_capacity(limit);
        for index in from..end {
            let variable = Variable::Element { array, index };
            notes.damaged |= at_start.hides(&variable) || at_end.hides(&variable);
            let held = |states: &LastWrites, at| match damaged || states.hides(&variable) {
                true => Ok(Held::Damaged),
                false => self.held(states.get(&variable), variable, at, created, &descriptor),
            };
            cells.push(Cell {
                kind: RowKind::Element,
                name: format!("[{index}]"),
                type_name: type_name(&descriptor),
                variable,
                start: held(&at_start, interval.from)?,
                end: held(&at_end, interval.to)?,
                changed: self.is_written_in(at_end.get(&variable), interval)?,
                not_recorded: damaged
                    || at_end.hides(&variable)
                    || self.is_found_late(
                        before(at_start.get(&variable), created, interval, &descriptor),
                        at_end.get(&variable),
                        interval,
                    ),
            });
        }
        Ok(Cells {
            cells,
            next: (end < length).then_some(end),
        })
    }

    /// The elements of an array of which some was found at one of two times (level `calls`): the first ones.
    fn found_elements(
        &self,
        array: ObjectId,
        length: u32,
        interval: Interval,
        from: u32,
        limit: usize,
        notes: &mut Notes,
    ) -> Result<Cells> {
        let mut known = |at| -> Result<u32> {
            let shot = unless_damaged(self.shot(at), notes)?.flatten();
            Ok(shot.map_or(0, |shot| shot.elements(array)))
        };
        let known = known(interval.from)?.max(known(interval.to)?).min(length);
        notes.cut |= known < length;
        let class = self.value(Value::Object(array))?.type_name().to_owned();
        let type_name = type_name(&element_descriptor(&class).unwrap_or_default());
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let end = from.saturating_add(limit).min(known);
        let mut cells = Vec::new();
        for index in from..end {
            let named = (RowKind::Element, format!("[{index}]"), type_name.clone());
            let variable = Variable::Element { array, index };
            cells.push(self.found_cell(named, variable, interval, notes)?);
        }
        Ok(Cells {
            cells,
            next: (end < known).then_some(end),
        })
    }

    /// A variable as it was found at two times (level `calls`). Where it was found to be something else it changed;
    /// that an equal value was written nobody knows.
    fn found_cell(
        &self,
        (kind, name, type_name): (RowKind, String, String),
        variable: Variable,
        interval: Interval,
        notes: &mut Notes,
    ) -> Result<Cell> {
        let mut held = |at| -> Result<Held> {
            let held = unless_damaged(self.found_value(variable, at), notes)?;
            Ok(held.unwrap_or(Held::Damaged))
        };
        let (start, end) = (held(interval.from)?, held(interval.to)?);
        let known = matches!((&start, &end), (Held::Value(_), Held::Value(_)));
        let changed = known && start != end;
        notes.cut |= !known;
        notes.compared |= changed;
        Ok(Cell {
            kind,
            name,
            type_name,
            variable,
            start,
            end,
            changed,
            not_recorded: !known,
        })
    }

    /// When an object was created in scope, as far as can be read.
    pub(crate) fn created(&self, object: ObjectId) -> Result<Option<Timestamp>> {
        match self.recording.creation(object) {
            Ok(creation) => Ok(creation.map(|creation| creation.timestamp)),
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The last writes of an object's variables at both ends of an interval, and whether others may have been cut off; `None` if a
    /// damaged block has some.
    fn states(
        &self,
        object: ObjectId,
        interval: Interval,
        from: u32,
        limit: usize,
    ) -> Result<Option<(LastWrites, LastWrites)>> {
        let at = |at| -> Result<Option<LastWrites>> {
            let writes = match self.recording.kept_object_state(object, at, from, limit) {
                Ok(writes) => writes,
                // All of it may have been.
                Err(error) if error.cut_off().is_some() => Vec::new(),
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let by_variable = writes.into_iter().map(|write| (write.variable, write));
            Ok(Some(LastWrites {
                writes: by_variable.collect(),
                cut_off: self.recording.may_be_cut_off(object),
            }))
        };
        let Some(end) = at(interval.to)? else {
            return Ok(None);
        };
        // Nothing was written by the end, so nothing was by the beginning.
        let start = match end.writes.is_empty() || interval.from == interval.to {
            true => Some(end.clone()),
            false => at(interval.from)?,
        };
        Ok(start.map(|start| (start, end)))
    }

    /// What a field or element held at a time, given its last write by then.
    pub(crate) fn held(
        &self,
        last: Option<&Write>,
        variable: Variable,
        at: Timestamp,
        created: Option<Timestamp>,
        descriptor: &str,
    ) -> Result<Held> {
        if let Some(write) = last {
            return self.held_since(variable, (write.timestamp, write.value), at);
        }
        if let Some(created) = created {
            return match at < created {
                true => Ok(Held::Absent),
                false => self.held_since(variable, (created, default_value(descriptor)), at),
            };
        }
        // The object is from elsewhere. Nothing in the scope can have written it before it was seen there, so
        // what it held then it held before.
        let later = Timestamp(at.0.saturating_add(1));
        let later = later..self.recording.end().max(later);
        let first = self
            .recording
            .writes(variable, later, Direction::Forward)
            .next();
        match first {
            // Calls that ran already write elements, and tell nothing.
            Some(Ok(first)) if first.snapshot && self.is_unseen_element(variable) => {
                Ok(Held::Unknown(NOT_SEEN_YET.into()))
            }
            Some(Ok(first)) if first.snapshot => {
                Ok(match self.unseen_writes(at, first.timestamp)? {
                    Some(unseen) => Held::Unknown(unseen.into()),
                    None => Held::Value(first.value),
                })
            }
            Some(Err(jhyde_store::Error::Damaged { .. })) => Ok(Held::Damaged),
            Some(Err(error)) => Err(error.into()),
            _ => Ok(Held::Unknown(NOT_SEEN_YET.into())),
        }
    }

    fn is_unseen_element(&self, variable: Variable) -> bool {
        self.recording.meta().was_reached_late() && matches!(variable, Variable::Element { .. })
    }

    pub(crate) fn held_view(&self, held: &Held, at: Timestamp) -> Result<Option<ValueView>> {
        Ok(match held {
            Held::Absent => None,
            Held::Value(value) => Some(self.value_at(*value, at)?),
            Held::Unknown(reason) => Some(ValueView::NotRecorded(reason.to_string())),
            Held::Damaged => Some(ValueView::NotRecorded(DAMAGED.to_owned())),
        })
    }
}
