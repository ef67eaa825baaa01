//! What a call was given, and what it yielded: the two sides of the question whether it is right.

use jhyde_store::records::CallRecord;
use jhyde_trace::CallId;

use crate::error::Result;
use crate::history::History;
use crate::objects::{Cell, Held};
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

impl History {
    /// What a call was given: receiver, arguments and statics at its enter, and what was reachable from them then.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn input(&self, call: CallId) -> Result<Side> {
        let record = self.record(call)?;
        let at_enter = Interval {
            from: record.enter,
            to: record.enter,
        };
        let mut notes = Notes::default();
        let mut cells: Vec<Cell> = self.this_cell(&record)?.into_iter().collect();
        cells.extend(self.argument_cells(call)?);
        cells.extend(self.static_cells(at_enter, &mut notes)?);
        let objects = self.reachable(&cells, at_enter, false, &mut notes)?;
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
        let statics = self.static_cells(interval, &mut notes)?;
        cells.extend(statics.into_iter().filter(|cell| cell.changed));
        let mut roots: Vec<Cell> = self.this_cell(&record)?.into_iter().collect();
        roots.extend(self.argument_cells(call)?);
        roots.extend(cells.iter().cloned());
        let objects = self.reachable(&roots, interval, true, &mut notes)?;
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
