//! The static fields of the scope at two times: as a part of a state, and by pages, for programs that have very many.
//!
//! Fields are counted class by class in the order in which classes were loaded, as declared. So the page at an index is
//! found by adding up classes, without looking at fields. Only of a class that was not initialised as far as can be seen
//! each field is looked at, for it may have been written all the same.

use std::sync::Arc;

use jhyde_store::records::Direction;
use jhyde_trace::{CallId, ClassInfo, FieldInfo, Level, Timestamp, Variable};

use crate::error::Result;
use crate::history::History;
use crate::objects::{BY_LEVEL, Cell, Held};
use crate::page::{Start, Turn, Wanted, Ways, rows};
use crate::reach::Search;
use crate::state::{Interval, Notes, RowKind, StateRow};
use crate::text::{default_value, type_name};

/// Made by the compiler (JVMS 4.5): not in the source.
const SYNTHETIC: u32 = 0x1000;

/// So many fields are looked at for one page of a list that leaves some out.
const LOOKED_AT: u64 = 4_096;

/// Which static fields a list holds, at which times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticList {
    /// The state is this call's.
    pub call: CallId,
    /// The first time; `None`: the call's beginning.
    pub from: Option<Timestamp>,
    /// The second time; `None`: its end, or now.
    pub to: Option<Timestamp>,
    /// Variables looked at below each; 0: the default.
    pub budget: u32,
    /// Only those that changed, or below which something did, or of which that is not known.
    pub changed: bool,
    /// Only those whose `Class.FIELD` contains this, in any case.
    pub text: String,
}

impl StaticList {
    fn leaves_out(&self) -> bool {
        self.changed || !self.text.is_empty()
    }

    fn wants(&self, class: &ClassInfo, field: &FieldInfo) -> bool {
        if self.text.is_empty() {
            return true;
        }
        let name = format!("{}.{}", class.name, field.name).to_lowercase();
        name.contains(&self.text.to_lowercase())
    }
}

/// A page of static fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Statics {
    /// The fields.
    pub rows: Vec<StateRow>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<String>,
    /// The token of the page before; `None` on the first one, and of lists that leave fields out.
    pub previous: Option<String>,
    /// How many there are, whatever the list leaves out.
    pub statics: u64,
    /// The index of the first field that was looked at.
    pub index: u64,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

/// A class and those of its static fields that a state has.
struct StaticsOf {
    class: Arc<ClassInfo>,
    initialised: Initialised,
    /// Their places among the class's fields.
    fields: Vec<u32>,
}

impl History {
    /// A page of the static fields at two times.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn statics<'a>(
        &self,
        list: &StaticList,
        page_size: u32,
        page: impl Into<Wanted<'a>>,
    ) -> Result<Statics> {
        let limit = rows(page_size)?;
        let wanted = page.into();
        let record = self.record(list.call)?;
        let interval = self.interval_of(&record, (list.from, list.to))?;
        let ways = Ways::of(&[&"statics", &self.recording.id(), list]);
        let mut notes = Notes {
            running: record.exit.is_none(),
            ..Notes::default()
        };
        let classes = self.classes_with_statics(interval, &mut notes)?;
        let statics: u64 = classes.iter().map(|of| of.fields.len() as u64).sum();
        let turn = match (ways.turn(wanted.token)?, wanted.start) {
            (Some(turn), _) => turn,
            (None, Some(start)) if list.leaves_out() => {
                start.index()?;
                let reason = "a list that leaves fields out begins with the first of them";
                return Err(crate::Error::Start(reason.to_owned()));
            }
            (None, Some(start)) if start.backward => Turn::Before(start.index()?),
            (None, start) => Turn::From(start.map_or(Ok(0), Start::index)?),
        };
        let (first, end) = match turn {
            Turn::From(at) if list.leaves_out() => (at, at.saturating_add(LOOKED_AT)),
            Turn::From(at) => (at, at.saturating_add(limit as u64)),
            Turn::Before(at) => (at.min(statics).saturating_sub(limit as u64), at),
        };
        let (first, end) = (first.min(statics), end.min(statics));
        let gaps = self.gaps(Some(list.call), interval)?;
        let mut search = Search::new(self, interval, list.budget);
        let mut found = Vec::new();
        let (mut index, mut next) = (first, (end < statics).then_some(end));
        for (of, field) in fields(&classes, first, end) {
            self.check()?;
            if list.wants(&of.class, field) {
                if found.len() == limit {
                    next = Some(index);
                    break;
                }
                let cell = self.static_cell(&of.class, field, of.initialised, interval)?;
                if let Some(mut cell) = cell {
                    cell.not_recorded |= gaps.heap && !cell.changed;
                    let row = self.row(&cell, interval, Some(&mut search))?;
                    let unclear = row.not_recorded || row.budget_ended;
                    if !list.changed || row.changed || row.changed_below || unclear {
                        found.push(row);
                    }
                }
            }
            index += 1;
        }
        notes.statics |= self.asked == Level::Calls && statics > 0;
        notes.add(search.notes());
        let mut told = notes.told(self);
        told.extend(gaps.notes());
        if record.exit.is_none() {
            told.extend(self.end_note_up_to(interval.to));
        }
        let has_previous = first > 0 && !list.leaves_out();
        Ok(Statics {
            rows: found,
            next: next.map(|next| ways.from(next)),
            previous: has_previous.then(|| ways.before(first)),
            statics,
            index: first,
            notes: told,
        })
    }

    /// How many static fields a state has.
    pub(crate) fn count_statics(&self, interval: Interval) -> Result<u64> {
        let classes = self.classes_with_statics(interval, &mut Notes::default())?;
        Ok(classes.iter().map(|of| of.fields.len() as u64).sum())
    }

    /// The static fields of the scope's classes that were initialised by the end of the interval, at most so many.
    pub(crate) fn static_cells(
        &self,
        interval: Interval,
        most: u32,
        notes: &mut Notes,
    ) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        let classes = self.classes_with_statics(interval, notes)?;
        for (of, field) in fields(&classes, 0, u64::MAX) {
            self.check()?;
            if cells.len() == most as usize {
                notes.budget = true;
                break;
            }
            cells.extend(self.static_cell(&of.class, field, of.initialised, interval)?);
        }
        notes.statics |= self.asked == Level::Calls && !cells.is_empty();
        Ok(cells)
    }

    fn classes_with_statics(
        &self,
        interval: Interval,
        notes: &mut Notes,
    ) -> Result<Vec<StaticsOf>> {
        notes.damaged |= self.recording.lost_classes().is_some();
        let mut found = Vec::new();
        for id in self.recording.classes() {
            self.check()?;
            let Some(class) = self.recording.class(id)?.filter(|class| class.in_scope) else {
                continue;
            };
            let is_shown =
                |field: &FieldInfo| field.is_static() && field.modifiers & SYNTHETIC == 0;
            let mut fields: Vec<u32> = (0..)
                .zip(&class.fields)
                .filter(|(_, field)| is_shown(field))
                .map(|(at, _)| at)
                .collect();
            if fields.is_empty() {
                continue;
            }
            let initialised = self.initialised(&class, interval.to)?;
            if initialised == Initialised::No {
                let mut written = Vec::new();
                for at in fields {
                    if self.is_static_told(&class, at, interval)? {
                        written.push(at);
                    }
                }
                fields = written;
            }
            found.push(StaticsOf {
                class,
                initialised,
                fields,
            });
        }
        Ok(found)
    }

    /// Is a static field of a class that nobody saw being initialised there all the same?
    fn is_static_told(&self, class: &ClassInfo, at: u32, interval: Interval) -> Result<bool> {
        let Some(field) = class.fields.get(at as usize) else {
            return Ok(false);
        };
        if self.asked == Level::Calls {
            return Ok(false);
        }
        let variable = Variable::Static { field: field.id };
        // What cannot be read may have been.
        Ok(!matches!(self.last_write(variable, interval.to)?, Ok(None)))
    }

    /// The static fields that a class declares, with what each held at a time.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn statics_of(&self, class: &ClassInfo, at: Timestamp) -> Result<Vec<StateRow>> {
        let interval = self.interval(at, at)?;
        let initialised = self.initialised(class, at)?;
        let mut rows = Vec::new();
        for field in class.fields.iter().filter(|field| field.is_static()) {
            if let Some(cell) = self.static_cell(class, field, initialised, interval)? {
                rows.push(self.row(&cell, interval, None)?);
            }
        }
        Ok(rows)
    }

    fn static_cell(
        &self,
        class: &ClassInfo,
        field: &FieldInfo,
        initialised: Initialised,
        interval: Interval,
    ) -> Result<Option<Cell>> {
        let variable = Variable::Static { field: field.id };
        let (last, damaged) = match self.asked {
            Level::Calls => (None, false),
            _ => match self.last_write(variable, interval.to)? {
                Ok(last) => (last, false),
                Err(_) => (None, true),
            },
        };
        if last.is_none() && !damaged && initialised == Initialised::No {
            return Ok(None);
        }
        let (start, end) = match self.asked {
            Level::Calls => (
                Held::Unknown(BY_LEVEL.into()),
                Held::Unknown(BY_LEVEL.into()),
            ),
            _ => (
                self.static_at(variable, field, initialised, interval.from)?,
                self.static_at(variable, field, initialised, interval.to)?,
            ),
        };
        let before = match self.asked {
            Level::Calls => None,
            _ => self.last_write(variable, interval.from)?.ok().flatten(),
        };
        let before = before.map(|write| write.value);
        let late = self.is_found_late(before, last.as_ref(), interval);
        Ok(Some(Cell {
            kind: RowKind::Static,
            name: format!("{}.{}", crate::text::simple_name(&class.name), field.name),
            type_name: type_name(&field.descriptor),
            variable,
            start,
            end,
            changed: self.is_written_in(last.as_ref(), interval)?,
            not_recorded: self.asked == Level::Calls || damaged || late,
        }))
    }

    /// What a static field held at a time; absent where it was not there yet, for its class was not initialised.
    pub(crate) fn static_value(
        &self,
        field: &FieldInfo,
        initialised: Initialised,
        at: Timestamp,
    ) -> Result<Held> {
        let variable = Variable::Static { field: field.id };
        match initialised {
            Initialised::No => match self.last_write(variable, at)? {
                Ok(None) => Ok(Held::Absent),
                _ => self.static_at(variable, field, initialised, at),
            },
            _ => self.static_at(variable, field, initialised, at),
        }
    }

    fn static_at(
        &self,
        variable: Variable,
        field: &FieldInfo,
        initialised: Initialised,
        at: Timestamp,
    ) -> Result<Held> {
        match self.last_write(variable, at)? {
            Ok(Some(write)) => {
                return self.held_since(variable, (write.timestamp, write.value), at);
            }
            Ok(None) => {}
            Err(_) => return Ok(Held::Damaged),
        }
        let begin = match initialised {
            Initialised::At(begin) if at < begin => return Ok(Held::Absent),
            Initialised::At(begin) => begin,
            Initialised::Before | Initialised::No => Timestamp(0),
        };
        if let Some(unseen) = self.unseen_writes(begin, at)? {
            return Ok(Held::Unknown(unseen.into()));
        }
        Ok(match initialised {
            // Not written in the initialiser: a ConstantValue attribute gave it its value (JVMS 4.7.2), which may have been found later.
            _ if field.is_final() && !self.is_written_first(variable)? => {
                Held::Unknown(CONSTANT.into())
            }
            Initialised::At(_) => Held::Value(default_value(&field.descriptor)),
            _ if self.from_the_start => Held::Value(default_value(&field.descriptor)),
            _ => self.held(None, variable, at, None, &field.descriptor)?,
        })
    }

    /// Is the first thing that is known of it that it was written?
    fn is_written_first(&self, variable: Variable) -> Result<bool> {
        let all = Timestamp(0)..self.recording.end();
        Ok(self
            .recording
            .writes(variable, all, Direction::Forward)
            .next()
            .transpose()?
            .is_some_and(|first| !first.snapshot))
    }

    /// Was the class initialised by this time, as far as can be seen?
    pub(crate) fn initialised(&self, class: &ClassInfo, by: Timestamp) -> Result<Initialised> {
        let mut used = false;
        for method in &class.methods {
            let first = match self.recording.call_by_invocation(method.id, 0) {
                Ok(Some(first)) => first,
                Ok(None) => continue,
                Err(jhyde_store::Error::Damaged { .. }) => {
                    used = true;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let seen = first.enter <= by;
            if method.name == "<clinit>" && !first.already_running {
                return Ok(if seen {
                    Initialised::At(first.enter)
                } else {
                    Initialised::No
                });
            }
            used |= seen;
        }
        Ok(if used {
            Initialised::Before
        } else {
            Initialised::No
        })
    }
}

/// The fields from an index up to another.
fn fields(
    classes: &[StaticsOf],
    first: u64,
    end: u64,
) -> impl Iterator<Item = (&StaticsOf, &FieldInfo)> {
    let mut before = 0_u64;
    classes.iter().flat_map(move |of| {
        let count = of.fields.len() as u64;
        let begin = first.saturating_sub(before).min(count) as usize;
        let until = end.saturating_sub(before).min(count) as usize;
        before += count;
        let places = of.fields.get(begin..until.max(begin)).unwrap_or_default();
        places
            .iter()
            .filter_map(move |at| Some((of, of.class.fields.get(*at as usize)?)))
    })
}

/// Why it is not known what a constant holds that no instruction writes.
pub(crate) const CONSTANT: &str = "a constant of the class; its value stands in the source";

/// When a class was initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initialised {
    /// Not by the time asked for, as far as can be seen.
    No,
    /// Its initialiser began then.
    At(Timestamp),
    /// By then; when was not seen, or it has no initialiser.
    Before,
}
