//! What a call was given, and what it yielded: the two sides of the question whether it is right.

use jhyde_store::records::CallRecord;
use jhyde_trace::CallId;

use crate::error::{Error, Result};
use crate::history::History;
use crate::objects::{Cell, Held};
use crate::page::{Tokens, rows};
use crate::reach::{Below, ReachableObject, Search};
use crate::state::{Interval, Notes, RowKind, StateRow};
use crate::text::parameter_slots;
use crate::view::{CallView, ValueView};

/// The input or the result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The call.
    pub call: CallView,
    /// Input: receiver, arguments, statics. Result: result or exception, and the statics that changed.
    pub rows: Vec<StateRow>,
    /// Input: what is reachable from the rows. Result: what changed of what the arguments at enter and the result
    /// reach.
    pub objects: Vec<ReachableObject>,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

/// How much of a call's input or result is looked at, and told at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideAsked<'a> {
    /// Variables that are looked at, static fields among them; 0: all static fields, and the default of what is reachable.
    pub budget: u32,
    /// Rows of a page, those of objects counted; 0: all are on one.
    pub page_size: u32,
    /// Which page; empty: the first.
    pub page_token: &'a str,
}

/// The most variables that are looked at.
const MOST_BUDGET: u32 = 1_000_000;

impl SideAsked<'_> {
    fn checked(self) -> Result<Self> {
        rows(self.page_size)?;
        match self.budget > MOST_BUDGET {
            true => Err(Error::Budget(self.budget)),
            false => Ok(self),
        }
    }

    fn statics(self) -> u32 {
        match self.budget {
            0 => u32::MAX,
            budget => budget,
        }
    }

    /// Cuts a page out of all that was found, and says how the next one is asked for. An answer is worked out anew for each
    /// page, within its budget: what is left out is only not put into words twice.
    fn page(self, tokens: Tokens, mut side: Side) -> Result<(Side, Option<String>)> {
        let begin = tokens.position(self.page_token)?.unwrap_or(0);
        if self.page_size == 0 && begin == 0 {
            return Ok((side, None));
        }
        let limit = rows(self.page_size)?;
        let begin = usize::try_from(begin).unwrap_or(usize::MAX);
        let all_rows = side.rows.len();
        let mut left = limit;
        side.rows = side.rows.into_iter().skip(begin).take(left).collect();
        left -= side.rows.len();
        // Rows, and behind them objects, have places one after the other.
        let mut place = begin.saturating_add(side.rows.len());
        let objects = std::mem::take(&mut side.objects);
        let count = all_rows + objects.len();
        for object in objects.into_iter().skip(place.saturating_sub(all_rows)) {
            if left == 0 || place < all_rows {
                break;
            }
            // A whole object, even where it is the last one and has more.
            left = left.saturating_sub(object.rows.len().max(1));
            place += 1;
            side.objects.push(object);
        }
        let next = (place < count).then(|| tokens.token(place as u64));
        Ok((side, next))
    }
}

impl History {
    /// What a call was given: receiver, arguments and statics at its enter, and what was reachable from them then.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn input(&self, call: CallId) -> Result<Side> {
        self.input_within(call, SideAsked::default())
    }

    /// A page of the same, and the token of the next one.
    ///
    /// # Errors
    /// As [`History::input`]; when the request makes no sense.
    pub fn input_page(&self, call: CallId, asked: SideAsked<'_>) -> Result<(Side, Option<String>)> {
        let tokens = Tokens::of(&[&"input", &self.recording.id(), &call, &asked.budget]);
        let asked = asked.checked()?;
        asked.page(tokens, self.input_within(call, asked)?)
    }

    /// A page of a call's result, and the token of the next one.
    ///
    /// # Errors
    /// As [`History::result`]; when the request makes no sense.
    pub fn result_page(
        &self,
        call: CallId,
        asked: SideAsked<'_>,
    ) -> Result<(Side, Option<String>)> {
        let tokens = Tokens::of(&[&"result", &self.recording.id(), &call, &asked.budget]);
        let asked = asked.checked()?;
        asked.page(tokens, self.result_within(call, asked)?)
    }

    fn input_within(&self, call: CallId, asked: SideAsked<'_>) -> Result<Side> {
        let record = self.record(call)?;
        let at_enter = Interval {
            from: record.enter,
            to: record.enter,
        };
        let mut notes = Notes::default();
        let mut cells: Vec<Cell> = self.this_cell(&record)?.into_iter().collect();
        cells.extend(self.argument_cells(call)?);
        cells.extend(self.static_cells(at_enter, asked.statics(), &mut notes)?);
        let objects = self.reachable(&cells, at_enter, false, asked.budget, &mut notes)?;
        let mut rows: Vec<StateRow> = cells
            .iter()
            .map(|cell| self.row(cell, at_enter, None))
            .collect::<Result<_>>()?;
        self.mark_changed_constants(&record, &cells, &mut rows)?;
        Ok(Side {
            call: self.call(record, true)?,
            rows,
            objects,
            notes: notes.told(self),
        })
    }

    /// Constants of the program are worth a look only where something below them changed in the call.
    fn mark_changed_constants(
        &self,
        record: &CallRecord,
        cells: &[Cell],
        rows: &mut [StateRow],
    ) -> Result<()> {
        /// Variables looked at below one constant.
        const BUDGET: u32 = 500;
        let life = self.life(record).into_inner();
        let interval = Interval {
            from: life.0,
            to: life.1,
        };
        let mut search = Search::new(self, interval, BUDGET);
        for (cell, row) in cells.iter().zip(rows) {
            if let Some(object) = cell.end.object().filter(|_| row.constant) {
                row.changed_below = search.below(object)? == Below::Changed;
            }
        }
        Ok(())
    }

    /// What a call yielded: its result or exception (with where it was made), the statics that it changed, and what it changed in that which
    /// its arguments at enter (a reassigned parameter makes no difference) and its result reach at its exit.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn result(&self, call: CallId) -> Result<Side> {
        self.result_within(call, SideAsked::default())
    }

    fn result_within(&self, call: CallId, asked: SideAsked<'_>) -> Result<Side> {
        let record = self.record(call)?;
        let life = self.life(&record).into_inner();
        let interval = Interval {
            from: life.0,
            to: life.1,
        };
        let mut notes = Notes {
            running: record.exit.is_none(),
            ..Notes::default()
        };
        let mut cells = vec![self.outcome_cell(&record, interval)?];
        let statics = self.static_cells(interval, asked.statics(), &mut notes)?;
        cells.extend(statics.into_iter().filter(|cell| cell.changed));
        let mut roots: Vec<Cell> = self.this_cell(&record)?.into_iter().collect();
        roots.extend(self.argument_cells(call)?);
        roots.extend(cells.iter().cloned());
        let objects = self.reachable(&roots, interval, true, asked.budget, &mut notes)?;
        let mut rows: Vec<StateRow> = cells
            .iter()
            .map(|cell| self.row(cell, interval, None))
            .collect::<Result<_>>()?;
        for row in &mut rows {
            if let (RowKind::Exception, Some(ValueView::Object(thrown))) = (row.kind, &mut row.end)
            {
                thrown.made_at = self.made_at(thrown.id, interval.to)?;
            }
        }
        let mut told = notes.told(self);
        told.extend(self.gaps(Some(call), interval)?.notes());
        told.extend(self.end_note_of(call)?);
        Ok(Side {
            call: self.call(record, true)?,
            rows,
            objects,
            notes: told,
        })
    }

    /// The arguments as they were given, whatever became of the parameters.
    fn argument_cells(&self, call: CallId) -> Result<Vec<Cell>> {
        let record = self.record(call)?;
        let given = self.given(&record)?.arguments;
        let Some(method) = self.method(record.method)? else {
            return Ok(Vec::new());
        };
        let info = method.method();
        let types = crate::text::parameters(&info.descriptor);
        let slots = parameter_slots(&info.descriptor, info.is_static());
        let cells =
            slots
                .iter()
                .zip(types)
                .enumerate()
                .map(|(position, (slot, parameter_type))| {
                    let (local, name) =
                        crate::history::parameter(info, position).unwrap_or_else(|| {
                            (jhyde_trace::Local::Slot(*slot), format!("arg{position}"))
                        });
                    let held = match given.get(position) {
                        Some(value) => Held::Value(*value),
                        None => Held::Unknown("the arguments of this call were not seen".into()),
                    };
                    Cell {
                        kind: RowKind::Local,
                        name,
                        type_name: crate::text::type_name(parameter_type),
                        variable: jhyde_trace::Variable::Local { call, local },
                        start: held.clone(),
                        end: held,
                        changed: false,
                        not_recorded: false,
                    }
                });
        Ok(cells.collect())
    }
}
