//! The state of a call at two times: result, receiver, locals, and the static fields of the scope ([`crate::statics`]).
//!
//! *Changed* means that a write of the program lies after the first time and not after the second, even one of
//! an equal value; the entry's binding of arguments is before the first time of a whole call. *Changed below*
//! is told by [`crate::reach`].

use std::ops::RangeInclusive;

use jhyde_store::records::{CallRecord, Direction, MethodRef, Write};
use jhyde_trace::{CallId, EventKind, Level, Local, Outcome, Timestamp, Variable};

use crate::error::{Error, Result};
use crate::history::{Bound, History, bound, local_name};
use crate::objects::{BY_LEVEL, Cell, Held};
use crate::reach::{Below, Search};
use crate::snapshots::is_kept;
use crate::text::{parameter_slots, parameters, result, type_name};
use crate::view::{CallView, ValueView};

/// Among the notes of a state: not all was searched that may have changed.
pub const AT_BUDGET: &str = "the search ended at its budget: there may be more";

/// What kind of variable a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The result of the call.
    Return,
    /// The exception that ended it.
    Exception,
    /// Its receiver.
    This,
    /// A local or parameter.
    Local,
    /// A static field.
    Static,
    /// An instance field.
    Field,
    /// An array element.
    Element,
    /// A part of what an object of the JDK holds.
    Content,
}

/// One variable at two times.
#[derive(Clone, Debug, PartialEq)]
pub struct StateRow {
    /// What kind of variable it is.
    pub kind: RowKind,
    /// As in source.
    pub name: String,
    /// Its written form.
    pub variable: String,
    /// Declared type, as in source.
    pub type_name: String,
    /// Absent where it did not exist or was not assigned yet.
    pub start: Option<ValueView>,
    /// The same at the second time.
    pub end: Option<ValueView>,
    /// A write lies between. Red.
    pub changed: bool,
    /// Not changed, but something reachable from it. Yellow.
    pub changed_below: bool,
    /// The search below ended at the budget, or at what is not recorded, and had not found a change.
    pub budget_ended: bool,
    /// Writes to it are not recorded: whether it changed is not known.
    pub not_recorded: bool,
    /// A constant of the program: a static final field.
    pub constant: bool,
}

/// The state of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeState {
    /// The call.
    pub call: CallView,
    /// The first time.
    pub from: Timestamp,
    /// The second time.
    pub to: Timestamp,
    /// The variables.
    pub rows: Vec<StateRow>,
    /// How many static fields there are, whether they are among the rows or not.
    pub statics: u64,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

/// Two times: what was written after the first and not after the second lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

impl Interval {
    pub(crate) fn contains(&self, at: Timestamp) -> bool {
        self.from < at && at <= self.to
    }

    /// Does it hold this write of the program?
    pub(crate) fn holds(&self, write: &Write) -> bool {
        !write.snapshot && self.contains(write.timestamp)
    }
}

/// What was met that the recording does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    /// Locals, at a level without them.
    pub(crate) locals: bool,
    /// Static fields, at a level without them.
    pub(crate) statics: bool,
    /// Fields, elements or contents that no snapshot tells.
    pub(crate) cut: bool,
    /// What is said to have changed was found to be different, and nobody saw who wrote it.
    pub(crate) compared: bool,
    /// Objects of classes outside the scope.
    pub(crate) outside: bool,
    /// Code without a table of local variables.
    pub(crate) no_table: bool,
    /// A search that ended at its budget.
    pub(crate) budget: bool,
    /// A call that has not ended.
    pub(crate) running: bool,
    /// A list of elements that was cut.
    pub(crate) elements_cut: bool,
    /// Something that only a damaged block tells.
    pub(crate) damaged: bool,
}

impl Notes {
    pub(crate) fn add(&mut self, other: Self) {
        self.locals |= other.locals;
        self.statics |= other.statics;
        self.cut |= other.cut;
        self.compared |= other.compared;
        self.outside |= other.outside;
        self.no_table |= other.no_table;
        self.budget |= other.budget;
        self.running |= other.running;
        self.elements_cut |= other.elements_cut;
        self.damaged |= other.damaged;
    }

    /// In words for people.
    pub(crate) fn told(self, history: &History) -> Vec<String> {
        let level = history.asked;
        let mut notes = Vec::new();
        let mut note = |is: bool, text: String| {
            if is {
                notes.push(text);
            }
        };
        note(
            self.running && !history.has_ended(),
            "the call has not ended: this is how far it was".to_owned(),
        );
        note(
            self.running && history.has_ended(),
            "the call had not ended when the recording ended: this is how far it was".to_owned(),
        );
        note(
            self.locals,
            format!("level {level} does not record locals beyond what the parameters were given"),
        );
        note(
            self.statics,
            format!("level {level} does not record static fields"),
        );
        note(self.cut, history.told_of_snapshots());
        note(
            self.compared,
            format!(
                "what is marked as changed was found to be different at the two times: level {level} does not record \
                 who wrote it, nor that an equal value was written"
            ),
        );
        note(
            self.outside,
            "objects of classes outside the scope whose content is not recorded are not looked into: changes in \
             them are not seen"
                .to_owned(),
        );
        note(
            self.no_table,
            "the method has no table of local variables: locals are shown by their slots"
                .to_owned(),
        );
        note(self.budget, AT_BUDGET.to_owned());
        note(
            self.elements_cut,
            "of long arrays only the first of the changed elements are listed".to_owned(),
        );
        note(
            self.damaged,
            "a part of the recording is damaged or was cut off: what only it tells is not known"
                .to_owned(),
        );
        notes
    }
}

impl History {
    /// The state of a call at two times; its whole life by default.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn state(
        &self,
        call: CallId,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        budget: u32,
    ) -> Result<NodeState> {
        self.state_with(call, (from, to), budget, true)
    }

    /// The same, with the static fields or only their number.
    ///
    /// # Errors
    /// As [`History::state`].
    pub fn state_with(
        &self,
        call: CallId,
        between: (Option<Timestamp>, Option<Timestamp>),
        budget: u32,
        with_statics: bool,
    ) -> Result<NodeState> {
        let record = self.record(call)?;
        let interval = self.interval_of(&record, between)?;
        let Interval { from, to } = interval;
        let mut notes = Notes {
            running: record.exit.is_none(),
            ..Notes::default()
        };
        let mut cells = vec![self.outcome_cell(&record, interval)?];
        cells.extend(self.this_cell(&record)?);
        cells.extend(self.local_cells(&record, interval, &mut notes)?);
        let statics = match with_statics {
            true => {
                let found = self.static_cells(interval, u32::MAX, &mut notes)?;
                let count = found.len() as u64;
                cells.extend(found);
                count
            }
            false => self.count_statics(interval)?,
        };
        let gaps = self.gaps(Some(call), interval)?;
        for cell in &mut cells {
            let touched = match cell.kind {
                RowKind::Local => gaps.own,
                RowKind::Static => gaps.heap,
                _ => false,
            };
            cell.not_recorded |= touched && !cell.changed;
        }
        let mut search = Search::new(self, interval, budget);
        let rows = cells
            .iter()
            .map(|cell| self.row(cell, interval, Some(&mut search)));
        let rows = rows.collect::<Result<_>>()?;
        notes.add(search.notes());
        let call = self.call(record, true)?;
        let mut told = notes.told(self);
        told.extend(gaps.notes());
        if call.record.exit.is_none() {
            told.extend(self.end_note_up_to(to));
        }
        Ok(NodeState {
            call,
            from,
            to,
            rows,
            statics,
            notes: told,
        })
    }

    /// An interval within the life of a call, which is all of it where nothing else is said.
    pub(crate) fn interval_of(
        &self,
        record: &CallRecord,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
    ) -> Result<Interval> {
        let life = self.life(record);
        let (first, last) = (*life.start(), *life.end());
        let (from, to) = (from.unwrap_or(first), to.unwrap_or(last));
        if !life.contains(&from) || !life.contains(&to) {
            let call = record.id;
            let reason = format!("call {call} was there from {first} to {last}");
            return Err(Error::Interval { from, to, reason });
        }
        self.interval(from, to)
    }

    /// The timestamps of a call; up to now if it still runs.
    pub(crate) fn life(&self, record: &CallRecord) -> RangeInclusive<Timestamp> {
        record.enter
            ..=record
                .exit
                .unwrap_or_else(|| self.last_event().max(record.enter))
    }

    /// An interval of timestamps that have been.
    pub(crate) fn interval(&self, from: Timestamp, to: Timestamp) -> Result<Interval> {
        let wrong = |reason: String| Error::Interval { from, to, reason };
        if from > to {
            return Err(wrong("it ends before it begins".to_owned()));
        }
        if to >= self.recording.end() {
            return Err(wrong(format!(
                "the recording has {} events, from 0",
                self.recording.end()
            )));
        }
        Ok(Interval { from, to })
    }

    /// A cell in words, with what is below it if that is to be searched.
    pub(crate) fn row(
        &self,
        cell: &Cell,
        interval: Interval,
        search: Option<&mut Search<'_>>,
    ) -> Result<StateRow> {
        let below = match (search, cell.start.object(), cell.end.object()) {
            (Some(search), Some(start), Some(end)) if start == end && !cell.changed => {
                search.below(start)?
            }
            _ => Below::Unchanged,
        };
        let is_void = cell.kind == RowKind::Return && cell.type_name == "void";
        let view = |held: &Held, at| match held {
            Held::Value(jhyde_trace::Value::Null) if is_void => Ok(Some(ValueView::Void)),
            held => self.held_view(held, at),
        };
        Ok(StateRow {
            kind: cell.kind,
            name: cell.name.clone(),
            variable: match cell.kind {
                RowKind::This => String::new(),
                _ => self.written_form(cell.variable)?,
            },
            type_name: cell.type_name.clone(),
            start: view(&cell.start, interval.from)?,
            end: view(&cell.end, interval.to)?,
            changed: cell.changed,
            changed_below: below == Below::Changed,
            budget_ended: matches!(below, Below::BudgetEnded | Below::Unknown),
            not_recorded: cell.not_recorded,
            constant: self.is_constant(cell.variable)?,
        })
    }

    fn is_constant(&self, variable: Variable) -> Result<bool> {
        let Variable::Static { field } = variable else {
            return Ok(false);
        };
        let declared = crate::history::unless_lost(self.recording.field(field))?;
        Ok(declared.is_some_and(|declared| declared.field().is_final()))
    }

    /// The row `return` or `exception`. A void result is kept as a null of type `void`.
    pub(crate) fn outcome_cell(&self, record: &CallRecord, interval: Interval) -> Result<Cell> {
        const UNKNOWN: &str = "how the call ended was not seen";
        let call = record.id;
        let method = self.method(record.method)?;
        let descriptor = method
            .as_ref()
            .map_or("", |m| result(&m.method().descriptor));
        let outcome = match self.recording.outcome(record) {
            Err(jhyde_store::Error::Damaged { .. }) => Some(Outcome::Unknown),
            outcome => outcome?,
        };
        let (kind, held) = match outcome {
            None => (RowKind::Return, Held::Absent),
            Some(Outcome::Returned(Some(value))) => (RowKind::Return, Held::Value(value)),
            Some(Outcome::Returned(None)) if descriptor == "V" => {
                (RowKind::Return, Held::Value(jhyde_trace::Value::Null))
            }
            Some(Outcome::Returned(None)) => (
                RowKind::Return,
                Held::Unknown("the result was not seen".into()),
            ),
            Some(Outcome::Threw(exception)) => (RowKind::Exception, Held::Value(exception)),
            Some(Outcome::Unknown) => (RowKind::Return, Held::Unknown(UNKNOWN.into())),
        };
        let by = |at: Timestamp| match record.exit {
            Some(exit) if exit <= at => held.clone(),
            _ => Held::Absent,
        };
        Ok(Cell {
            kind,
            name: if kind == RowKind::Exception {
                "exception"
            } else {
                "return"
            }
            .to_owned(),
            type_name: match kind {
                RowKind::Exception => "java.lang.Throwable".to_owned(),
                _ => type_name(descriptor),
            },
            variable: match kind {
                RowKind::Exception => Variable::Exception { call },
                _ => Variable::Return { call },
            },
            start: by(interval.from),
            end: by(interval.to),
            changed: record.exit.is_some_and(|exit| interval.contains(exit)),
            not_recorded: false,
        })
    }

    pub(crate) fn this_cell(&self, record: &CallRecord) -> Result<Option<Cell>> {
        let given = self.given_unless_lost(record)?;
        let method = self.method(record.method)?;
        let has_receiver = method
            .as_ref()
            .is_some_and(|method| !method.method().is_static());
        let receiver = match given.as_ref().map(|given| given.receiver) {
            Some(Some(receiver)) => Held::Value(receiver),
            None if has_receiver => Held::Damaged,
            Some(None) | None => return Ok(None),
        };
        let class = method.map(|method| method.class.name.clone());
        Ok(Some(Cell {
            kind: RowKind::This,
            name: "this".to_owned(),
            type_name: class.unwrap_or_default(),
            variable: Variable::Local {
                call: record.id,
                local: Local::Slot(0),
            },
            start: receiver.clone(),
            end: receiver,
            changed: false,
            not_recorded: false,
        }))
    }

    /// The locals of a call, parameters first.
    pub(crate) fn local_cells(
        &self,
        record: &CallRecord,
        interval: Interval,
        notes: &mut Notes,
    ) -> Result<Vec<Cell>> {
        // A boundary call's inside was not recorded: it has arguments, and no locals.
        let Some(method) = self.method(record.method)?.filter(|_| !record.boundary) else {
            return Ok(Vec::new());
        };
        let info = method.method();
        let mut locals: Vec<(Option<usize>, u32, Local)> = Vec::new();
        for (entry, variable) in (0_u16..).zip(&info.variables) {
            let local = Local::Named(entry);
            match bound(info, local) {
                Some(Bound::This) => {}
                Some(Bound::Argument(position)) => locals.push((Some(position), 0, local)),
                None => locals.push((None, variable.start, local)),
            }
        }
        if info.variables.is_empty() {
            self.slots(record, &method, interval, &mut locals)?;
            notes.no_table |= !locals.is_empty();
        }
        locals.sort_by_key(|(position, start, _)| (position.is_none(), *position, *start));
        let given = self.given(record)?.arguments;
        let types = parameters(&info.descriptor);
        let slots = parameter_slots(&info.descriptor, info.is_static());
        let is_lowered = self
            .unseen_locals(&method, record.enter, interval.to)
            .is_some();
        let mut cells = Vec::with_capacity(locals.len());
        for (position, _, local) in locals {
            let variable = Variable::Local {
                call: record.id,
                local,
            };
            let at_entry = match position {
                Some(position) => match given.get(position) {
                    Some(value) => Held::Value(*value),
                    None => Held::Unknown("the arguments of this call were not seen".into()),
                },
                None => Held::Absent,
            };
            let (last, damaged) = match self.asked {
                Level::Calls => (None, false),
                _ => match self.last_write(variable, interval.to)? {
                    Ok(last) => (last, false),
                    Err(_) => (None, true),
                },
            };
            notes.damaged |= damaged;
            // At level `calls` no write is seen: what the code cannot write stays.
            let kept = match position {
                Some(position) if self.asked == Level::Calls || is_lowered => slots
                    .get(position)
                    .is_some_and(|&slot| is_kept(&info.code, slot)),
                _ => false,
            };
            let held = |at: Timestamp| -> Result<Held> {
                if at == record.enter || kept {
                    return Ok(at_entry.clone());
                }
                if self.asked == Level::Calls {
                    return Ok(Held::Unknown(BY_LEVEL.into()));
                }
                let Ok(last) = self.last_write(variable, at)? else {
                    return Ok(Held::Damaged);
                };
                let (told, value) = match last {
                    Some(write) => (write.timestamp, Held::Value(write.value)),
                    None => (record.enter, at_entry.clone()),
                };
                Ok(match self.unseen_locals(&method, told, at) {
                    Some(unseen) => Held::Unknown(unseen.into()),
                    None => value,
                })
            };
            let (start, end) = (held(interval.from)?, held(interval.to)?);
            let lost = self.asked == Level::Calls && !kept;
            notes.locals |= lost;
            let named = match local {
                Local::Named(entry) => info.variables.get(usize::from(entry)),
                Local::Slot(_) => None,
            };
            cells.push(Cell {
                kind: RowKind::Local,
                name: match (named, position) {
                    (None, Some(position)) => format!("arg{position}"),
                    _ => local_name(info, local),
                },
                type_name: match (named, position) {
                    (Some(entry), _) => type_name(&entry.descriptor),
                    (None, Some(position)) => types
                        .get(position)
                        .map(|t| type_name(t))
                        .unwrap_or_default(),
                    (None, None) => String::new(),
                },
                variable,
                start,
                end,
                changed: last.is_some_and(|write| interval.holds(&write)),
                not_recorded: lost || damaged,
            });
        }
        Ok(cells)
    }

    /// The slots of code without a variable table: those of the parameters, and those that were written.
    fn slots(
        &self,
        record: &CallRecord,
        method: &MethodRef,
        interval: Interval,
        locals: &mut Vec<(Option<usize>, u32, Local)>,
    ) -> Result<()> {
        /// So many events are looked at for slots.
        const MOST_EVENTS: usize = 10_000;
        let info = method.method();
        let slots = parameter_slots(&info.descriptor, info.is_static());
        locals.extend(
            slots
                .iter()
                .enumerate()
                .map(|(at, slot)| (Some(at), 0, Local::Slot(*slot))),
        );
        let range = record.enter..Timestamp(interval.to.0.saturating_add(1));
        for own in self
            .recording
            .own_events(record.id, range, Direction::Forward)
            .take(MOST_EVENTS)
        {
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                own => own?,
            };
            if let EventKind::Write {
                variable: Variable::Local { call, local },
                ..
            } = own.event.kind
                && let Local::Slot(slot) = local
                && call == record.id
                && !locals.iter().any(|(.., known)| *known == local)
            {
                locals.push((None, u32::from(slot), local));
            }
        }
        Ok(())
    }
}
