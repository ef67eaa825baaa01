//! Searches from object to object: did anything change below, and what is reachable.
//!
//! A search looks at no more variables than its budget, and says when that ended it.

use std::collections::VecDeque;

use jhyde_trace::{Content, ObjectId, Value};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::history::History;
use crate::objects::{Cell, Cells, Held, unless_damaged};
use crate::state::{Interval, Notes, RowKind, StateRow};
use crate::view::ValueView;

/// Variables looked at when nothing is said.
pub const DEFAULT_BUDGET: u32 = 10_000;

/// Elements of one array that are listed among the reachable objects.
const LISTED_ELEMENTS: usize = 100;
/// Variables read at a time.
const CHUNK: usize = 1024;

/// What a search below a reference found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// Something reachable was written.
    Changed,
    /// Nothing that is recorded was.
    Unchanged,
    /// Nothing was found before the budget ended.
    BudgetEnded,
    /// Nothing was found, and not all that is reachable is recorded: at level `calls`, or behind such a stretch.
    Unknown,
}

/// Searches below several references in one interval, which share what they found out.
pub(crate) struct Search<'h> {
    history: &'h History,
    interval: Interval,
    budget: usize,
    /// Objects with nothing changed in them nor below.
    clean: FxHashSet<ObjectId>,
    /// Those of them below which something is not recorded.
    unknown: FxHashSet<ObjectId>,
    /// Writes in the interval may have gone unseen; `None`: nobody has looked yet.
    unseen: Option<bool>,
    notes: Notes,
}

impl<'h> Search<'h> {
    /// `budget` variables for each reference; 0: the default.
    pub(crate) fn new(history: &'h History, interval: Interval, budget: u32) -> Self {
        let budget = if budget == 0 { DEFAULT_BUDGET } else { budget } as usize;
        Self {
            history,
            interval,
            budget,
            clean: FxHashSet::default(),
            unknown: FxHashSet::default(),
            unseen: None,
            notes: Notes::default(),
        }
    }

    /// What the searches met that the recording does not tell.
    pub(crate) fn notes(&self) -> Notes {
        self.notes
    }

    /// Was anything reachable from the object written in the interval?
    ///
    /// As long as nothing is found every path that was followed is the same at both times, so it does not matter
    /// at which of them references are read.
    pub(crate) fn below(&mut self, root: ObjectId) -> Result<Below> {
        if self.interval.from == self.interval.to {
            return Ok(Below::Unchanged);
        }
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from([root]);
        let mut looked_at = 0;
        let mut unknown = false;
        while let Some(object) = queue.pop_front() {
            unknown |= self.unknown.contains(&object);
            if self.clean.contains(&object) || !seen.insert(object) {
                continue;
            }
            if looked_at >= self.budget {
                self.notes.budget = true;
                return Ok(Below::BudgetEnded);
            }
            looked_at += 1;
            if self.is_written(object)? {
                return Ok(Below::Changed);
            }
            unknown |= self.has_unseen_writes()? && !self.is_fixed(object)?;
            unknown |= self.history.content_is_cut_off(object, self.interval)?;
            if !self.history.has_snapshots_only() && self.is_leaf(object)? {
                continue;
            }
            let mut from = 0;
            loop {
                let part = self.cells(object, from, CHUNK)?;
                looked_at += part.cells.len();
                if self.history.has_snapshots_only() {
                    if part.cells.iter().any(|cell| cell.changed) {
                        return Ok(Below::Changed);
                    }
                    let partly = self.is_partly_known(object, &part);
                    unknown |= unless_damaged(partly, &mut self.notes)?.unwrap_or(true);
                }
                // What lies behind a reference that cannot be told may have changed.
                let is_lost = |cell: &Cell| matches!(cell.end, Held::Damaged);
                unknown |= part.cells.iter().any(is_lost);
                queue.extend(part.cells.iter().filter_map(|cell| cell.end.object()));
                match part.next {
                    Some(next) if looked_at < self.budget => from = next,
                    Some(_) => {
                        self.notes.budget = true;
                        return Ok(Below::BudgetEnded);
                    }
                    None => break,
                }
            }
        }
        self.notes.cut |= unknown && self.history.has_snapshots_only();
        if unknown {
            self.unknown.extend(seen.iter().copied());
        }
        self.clean.extend(seen);
        Ok(match unknown {
            true => Below::Unknown,
            false => Below::Unchanged,
        })
    }

    /// Is not all known of an object at one of the two times (level `calls`)?
    fn is_partly_known(&self, object: ObjectId, part: &Cells) -> Result<bool> {
        if part.cells.iter().any(|cell| cell.not_recorded) {
            return Ok(true);
        }
        let Interval { from, to } = self.interval;
        Ok(!self.history.is_all_found(object, from)? || !self.history.is_all_found(object, to)?)
    }

    fn cells(&mut self, object: ObjectId, from: u32, limit: usize) -> Result<Cells> {
        self.history
            .object_cells(object, self.interval, from, limit, &mut self.notes)
    }

    /// Did the program write a variable of the object itself?
    fn is_written(&mut self, object: ObjectId) -> Result<bool> {
        let Interval { from, to } = self.interval;
        let recording = std::sync::Arc::clone(&self.history.recording);
        let written = match recording.written_between(object, from, to) {
            Err(jhyde_store::Error::Damaged { .. }) => {
                self.notes.damaged = true;
                false
            }
            written => written?,
        };
        let changed = match self.history.content_changed(object, self.interval) {
            Err(crate::Error::Store(jhyde_store::Error::Damaged { .. })) => {
                self.notes.damaged = true;
                false
            }
            changed => changed?,
        };
        if changed {
            return Ok(true);
        }
        if self.history.has_snapshots_only() || !written {
            return Ok(false);
        }
        // It may have been seen there for the first time, which is no write.
        let mut element = 0;
        loop {
            self.history.check()?;
            // What was written in the interval is kept, if the whole interval is.
            let writes = match recording.kept_object_state(object, to, element, CHUNK) {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.notes.damaged = true;
                    return Ok(false);
                }
                writes => writes?,
            };
            for write in &writes {
                if self.history.is_written_in(Some(write), self.interval)? {
                    return Ok(true);
                }
            }
            match writes.last().map(|write| write.variable) {
                Some(jhyde_trace::Variable::Element { index, .. }) if writes.len() == CHUNK => {
                    element = index.saturating_add(1);
                }
                _ => {
                    // It was written in the interval, of which some may have been cut off meanwhile.
                    self.notes.damaged |= recording.may_be_cut_off(object);
                    return Ok(false);
                }
            }
        }
    }

    /// May something have been written in the interval that was not seen?
    fn has_unseen_writes(&mut self) -> Result<bool> {
        let Interval { from, to } = self.interval;
        Ok(match self.unseen {
            Some(known) => known,
            None => *self
                .unseen
                .insert(self.history.unseen_writes(from, to)?.is_some()),
        })
    }

    /// Can what it holds never change?
    fn is_fixed(&self, object: ObjectId) -> Result<bool> {
        let ValueView::Object(view) = self.history.value(Value::Object(object))? else {
            return Ok(false);
        };
        Ok(matches!(
            view.content,
            Content::String(_)
                | Content::Box(_)
                | Content::Class(_)
                | Content::Shown(_)
                | Content::Array(0)
        ))
    }

    /// Can nothing be reached through it? True of arrays of primitives, which need not be read then. One that is damaged is noted by
    /// who looks into it.
    fn is_leaf(&mut self, object: ObjectId) -> Result<bool> {
        Ok(self.history.plain_array(object)?.is_some())
    }
}

/// An object that is reachable, with its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachableObject {
    /// The object.
    pub object: ValueView,
    /// How it is reached first, as in source: `this.rows[0]`.
    pub path: String,
    /// Its fields or elements.
    pub rows: Vec<StateRow>,
    /// The same object at the first of the two times, if what it held changed.
    pub start: Option<ValueView>,
    /// The path led to it at the first of the two times, and none leads to it at the second: it was taken away.
    pub taken_away: bool,
}

/// What one object leads to.
struct Listed {
    /// Its variables, of long arrays only some.
    cells: Vec<Cell>,
    /// Some were left out.
    cut: bool,
    /// The objects in it at the end of the interval, and how they are reached.
    references: Vec<(ObjectId, String)>,
    /// Those that were in it at the interval's beginning, where something was written in their place.
    taken: Vec<(ObjectId, String)>,
}

impl History {
    /// The objects reachable from references, breadth first, as they are at the end of the interval; all of
    /// them, or only those of which something changed in it or that were created in it. Of the latter also those that
    /// were reachable at its beginning alone: what was taken out of a list and changed then is changed all the same.
    pub(crate) fn reachable(
        &self,
        roots: &[Cell],
        interval: Interval,
        only_changed: bool,
        budget: u32,
        notes: &mut Notes,
    ) -> Result<Vec<ReachableObject>> {
        let budget = if budget == 0 { DEFAULT_BUDGET } else { budget } as usize;
        let mut seen = FxHashSet::default();
        let end = |cell: &Cell| cell.end.object();
        let mut queue: VecDeque<_> = roots
            .iter()
            .filter_map(|cell| Some((end(cell)?, cell.name.clone())))
            .collect();
        let mut taken = VecDeque::new();
        let mut looked_at = 0;
        let mut found = Vec::new();
        loop {
            let (object, path, taken_away) = match queue.pop_front() {
                Some((object, path)) => (object, path, false),
                None => match taken.pop_front() {
                    Some((object, path)) => (object, path, true),
                    None => break,
                },
            };
            if !seen.insert(object) {
                continue;
            }
            if looked_at >= budget {
                notes.budget = true;
                break;
            }
            looked_at += 1;
            let mut left = budget - looked_at;
            let before = left;
            let listed = self.listed(object, &path, interval, only_changed, &mut left, notes)?;
            looked_at += before - left;
            notes.elements_cut |= listed.cut;
            match taken_away {
                true => taken.extend(listed.references),
                false => queue.extend(listed.references),
            }
            taken.extend(listed.taken.into_iter().filter(|_| only_changed));
            let listed = listed.cells;
            let content = self.content_changed(object, interval);
            let content = unless_damaged(content, notes)?.unwrap_or_default();
            let changed = content || listed.iter().any(|cell| cell.changed);
            if (listed.is_empty() && !content)
                || (only_changed && !changed && !self.is_new(object, interval)?)
            {
                continue;
            }
            let start = match content {
                true => Some(self.value_at(Value::Object(object), interval.from)?),
                false => None,
            };
            let rows = listed
                .iter()
                .map(|cell| self.row(cell, interval, None))
                .collect::<Result<_>>()?;
            found.push(ReachableObject {
                object: self.value_at(Value::Object(object), interval.to)?,
                path,
                rows,
                start,
                taken_away,
            });
        }
        Ok(found)
    }

    /// The variables of an object that are listed, and where its references lead. `left` is how many may be looked at.
    fn listed(
        &self,
        object: ObjectId,
        path: &str,
        interval: Interval,
        only_changed: bool,
        left: &mut usize,
        notes: &mut Notes,
    ) -> Result<Listed> {
        let mut listed = Listed {
            cells: Vec::new(),
            cut: false,
            references: Vec::new(),
            taken: Vec::new(),
        };
        let is_long = |length: &u32| *length as usize > LISTED_ELEMENTS;
        if let Some(length) = self.plain_array(object)?.filter(is_long) {
            let shown = match only_changed {
                true => self.written_elements(object, interval)?,
                false => Some((0..length).take(LISTED_ELEMENTS + 1).collect()),
            };
            if let Some(shown) = shown {
                listed.cut = shown.len() > LISTED_ELEMENTS;
                let shown = shown.into_iter().take(LISTED_ELEMENTS);
                listed.cells = self.elements(object, shown, interval, notes)?;
                *left = left.saturating_sub(listed.cells.len());
                return Ok(listed);
            }
        }
        let mut from = 0;
        loop {
            let part = self.object_cells(object, interval, from, CHUNK, notes)?;
            *left = left.saturating_sub(part.cells.len());
            let long = part.next.is_some() || from > 0 || part.cells.len() > LISTED_ELEMENTS;
            for cell in part.cells {
                let step = || match cell.variable {
                    jhyde_trace::Variable::Element { index, .. } => format!("{path}[{index}]"),
                    _ if cell.name.starts_with('[') => format!("{path}{}", cell.name),
                    _ => format!("{path}.{}", cell.name),
                };
                let (start, end) = (cell.start.object(), cell.end.object());
                listed.references.extend(end.map(|to| (to, step())));
                if cell.changed && start != end {
                    listed.taken.extend(start.map(|to| (to, step())));
                }
                let is_element = matches!(cell.kind, RowKind::Element | RowKind::Content);
                if is_element && long && only_changed && !cell.changed {
                    continue;
                }
                if is_element && listed.cells.len() >= LISTED_ELEMENTS {
                    listed.cut = true;
                } else {
                    listed.cells.push(cell);
                }
            }
            match part.next {
                Some(next) if *left > 0 => from = next,
                Some(_) => {
                    notes.budget = true;
                    return Ok(listed);
                }
                None => return Ok(listed),
            }
        }
    }

    /// Some elements of an array, by rising index; those that follow one another are read together.
    fn elements(
        &self,
        array: ObjectId,
        indexes: impl Iterator<Item = u32>,
        interval: Interval,
        notes: &mut Notes,
    ) -> Result<Vec<Cell>> {
        let mut runs: Vec<(u32, usize)> = Vec::new();
        for index in indexes {
            match runs.last_mut() {
                Some((first, length)) if first.saturating_add(*length as u32) == index => {
                    *length += 1;
                }
                _ => runs.push((index, 1)),
            }
        }
        let mut cells = Vec::new();
        for (first, length) in runs {
            cells.extend(
                self.object_cells(array, interval, first, length, notes)?
                    .cells,
            );
        }
        Ok(cells)
    }

    fn is_new(&self, object: ObjectId, interval: Interval) -> Result<bool> {
        if self.has_snapshots_only() {
            let first = self.is_first_found(object, interval.from, interval.to);
            return Ok(unless_damaged(first, &mut Notes::default())?.unwrap_or(false));
        }
        let created = match self.recording.creation(object) {
            // It is older than all that is kept.
            Err(error) if error.cut_off().is_some_and(|to| to <= interval.from) => None,
            created => created?,
        };
        Ok(created.is_some_and(|created| interval.contains(created.timestamp)))
    }
}
