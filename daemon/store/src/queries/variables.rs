//! Variables: who wrote them, when, what; the state of objects.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jhyde_trace::{Block, CallId, EventKind, Levels, ObjectId, Outcome, Timestamp, Variable};

use super::events::positions;
use super::{known, pages};
use crate::error::{Error, Result};
use crate::index::{Key, local_call};
use crate::recording::{Recording, Rows};
use crate::records::{Direction, Write};
use crate::state::Group;
use crate::view::{View, told};

impl Recording {
    /// The last write of a variable at or before `at`. `Return` and `Exception` are written by their call's
    /// `Exit`. Parameters are written by `Enter` only if the engine says so with a `Write`.
    pub fn last_write(&self, variable: Variable, at: Timestamp) -> Result<Option<Write>> {
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        self.writes(variable, range, Direction::Backward)
            .next()
            .transpose()
    }

    /// All writes of a variable in a range, snapshots among them.
    pub fn writes(
        &self,
        variable: Variable,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<Write> {
        let view = self.view();
        // Nothing is looked into for no time.
        if view.clip(&range, direction).is_none() {
            return known([]);
        }
        if let Variable::Return { call } | Variable::Exception { call } = variable {
            let write = self.end_of_call(variable, call);
            let inside = |write: &Write| range.contains(&write.timestamp);
            return known(
                write
                    .transpose()
                    .into_iter()
                    .filter(|w| w.as_ref().map_or(true, inside)),
            );
        }
        let mut range = range;
        let mut within = false;
        if let Some(call) = local_call(variable) {
            let life = match view.life(call) {
                Ok(life) => life,
                Err(error) => return known([Err(error)]),
            };
            within = !call.is_root() && view.locate(life.start) == view.locate(life.end - 1);
            range.start = range.start.max(Timestamp(life.start));
            range.end = range.end.min(Timestamp(life.end));
        }
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let key = Key::of_variable(variable).filter(|_| !within);
        let mut next = Some(start);
        pages(move || {
            let mut ordinal = next.take()?;
            if let Some(key) = key {
                match view.candidate(key, ordinal, direction) {
                    Ok(found) => ordinal = found?,
                    Err(error) => return Some(Err(error)),
                }
            }
            if view.is_past(ordinal, &range, direction) {
                return None;
            }
            next = view.step(ordinal, direction);
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let wanted = positions(&block, &range);
            let filter = block.writes_of(variable);
            let hit = |at: usize| filter.at(at).map(|_| at as u32);
            let found: Vec<u32> = match direction {
                Direction::Forward => wanted.filter_map(hit).collect(),
                Direction::Backward => wanted.rev().filter_map(hit).collect(),
            };
            let levels = view.levels.clone();
            let row = move |at: u32| write_at(&levels, &block, at as usize);
            Some(Ok(Box::new(found.into_iter().filter_map(row))))
        })
    }

    /// What a call's `Exit` wrote to its `return` or `exception`.
    fn end_of_call(&self, variable: Variable, call: CallId) -> Result<Option<Write>> {
        if call.is_root() {
            return Ok(None);
        }
        let record = self.call(call)?;
        let value = match (variable, self.outcome(&record)?) {
            (Variable::Return { .. }, Some(Outcome::Returned(Some(value)))) => value,
            (Variable::Exception { .. }, Some(Outcome::Threw(value))) => value,
            _ => return Ok(None),
        };
        let Some(exit) = record.exit else {
            return Ok(None);
        };
        let index = self.event(exit)?.event.index;
        Ok(Some(Write {
            timestamp: exit,
            call,
            index,
            variable,
            value,
            snapshot: false,
        }))
    }

    /// The last write at or before `at` of each field of an object, or of each element of an array
    /// from index `from_element` on, by field id or index, at most `limit`. Variables that were not written
    /// by then are left out.
    pub fn object_state(
        &self,
        object: ObjectId,
        at: Timestamp,
        from_element: u32,
        limit: usize,
    ) -> Result<Vec<Write>> {
        let state = self.kept_object_state(object, at, from_element, limit)?;
        // Behind it: what is cut off meanwhile may be missing.
        match self.may_be_cut_off(object) {
            true => Err(self.view().cut_off()),
            false => Ok(state),
        }
    }

    /// The same without what was written last in what was cut off, as far as there may be any: see
    /// [`Recording::may_be_cut_off`].
    pub fn kept_object_state(
        &self,
        object: ObjectId,
        at: Timestamp,
        from_element: u32,
        limit: usize,
    ) -> Result<Vec<Write>> {
        let view = self.view();
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let Some((range, _)) = view.clip(&range, Direction::Forward) else {
            return Ok(Vec::new());
        };
        let Some(last) = view.locate(range.end - 1) else {
            return Ok(Vec::new());
        };
        if last < view.cut() {
            return Err(view.cut_off());
        }
        let mut state = Vec::new();
        let mut from = Some(from_element);
        // Usually one page is enough; a variable that is written only behind `at` makes it short.
        while let Some(first) = from.take() {
            let wanted = limit.saturating_sub(state.len());
            let page = view.last_blocks(object, first, wanted, last)?;
            let mut found = BTreeMap::new();
            let mut by_block: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for (&low, &ordinal) in &page {
                by_block.entry(ordinal).or_default().insert(low);
            }
            let ordinals: Vec<u32> = by_block.keys().copied().collect();
            let _loaded = view.preload(&ordinals);
            for (ordinal, mut lows) in by_block {
                let block = view.block(ordinal)?;
                let low_at = block.writes_to(object);
                for at in positions(&block, &range).rev() {
                    if let Some(low) = low_at(at).filter(|low| lows.remove(low)) {
                        found.extend(write_at(&view.levels, &block, at).map(|write| (low, write)));
                        if lows.is_empty() {
                            break;
                        }
                    }
                }
                // Written in this block, but behind `at` only.
                for low in lows {
                    if let Some(before) = ordinal.checked_sub(1) {
                        let write = match view.last_of_object(object, low, &range, before) {
                            Err(error) if error.cut_off().is_some() => None,
                            write => write?,
                        };
                        found.extend(write.map(|write| (low, write)));
                    }
                }
            }
            state.extend(found.into_values());
            if state.len() < limit {
                from = page
                    .last_key_value()
                    .and_then(|(low, _)| low.checked_add(1));
            }
        }
        Ok(state)
    }

    /// May fields or elements of this object, or what it holds, have been written in what was cut off?
    pub fn may_be_cut_off(&self, object: ObjectId) -> bool {
        let persisted = self.inner.persisted();
        persisted.cut > 0 && object.0 <= persisted.cut_objects
    }

    /// All writes to elements of an array in a range, in the order of time, snapshots among them.
    pub fn element_writes(&self, array: ObjectId, range: Range<Timestamp>) -> Rows<Write> {
        // The index has elements alone, a block that is in memory fields of this number, too.
        let is_element = |write: &Result<Write>| match write {
            Ok(write) => matches!(write.variable, Variable::Element { .. }),
            Err(_) => true,
        };
        Box::new(self.writes_to(array, range).filter(is_element))
    }

    /// All writes to fields or elements of an object in a range, in the order of time, snapshots among them.
    pub fn writes_to(&self, object: ObjectId, range: Range<Timestamp>) -> Rows<Write> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, Direction::Forward) else {
            return known([]);
        };
        // Of an array, which may have millions of elements, none is looked for alone. Fields have numbers as elements have.
        let is_array = match self.is_array(object) {
            Ok(is_array) => is_array,
            Err(error) => return known([Err(error)]),
        };
        let fields = Key::of_object(object, 0)..Key::of_object(object, u32::MAX).next();
        let mut next = start;
        pages(move || {
            let ordinal = match is_array {
                true => view.candidate(Key::of_array(object), next, Direction::Forward),
                false => view.candidate_among(fields.clone(), next),
            };
            let ordinal = match ordinal {
                Ok(found) => found?,
                Err(error) => return Some(Err(error)),
            };
            if view.is_past(ordinal, &range, Direction::Forward) {
                return None;
            }
            next = ordinal.checked_add(1)?;
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let found: Vec<usize> = {
                let low_at = block.writes_to(object);
                let wanted = positions(&block, &range);
                wanted.filter(|&at| low_at(at).is_some()).collect()
            };
            let levels = view.levels.clone();
            let row = move |at: usize| write_at(&levels, &block, at);
            Some(Ok(Box::new(found.into_iter().filter_map(row))))
        })
    }

    /// Is it known that it is an array?
    pub(super) fn is_array(&self, object: ObjectId) -> Result<bool> {
        let class = self.object(object)?.and_then(|info| info.class);
        let class = class.map_or(Ok(None), |class| self.class(class))?;
        Ok(class.is_some_and(|class| class.name.ends_with(']')))
    }

    /// Was any field or element of the object written in `(after, until]`?
    pub fn written_between(
        &self,
        object: ObjectId,
        after: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        let view = self.view();
        let range = Timestamp(after.0.saturating_add(1))..Timestamp(until.0.saturating_add(1));
        let Some((range, first)) = view.clip(&range, Direction::Forward) else {
            return Ok(false);
        };
        let Some(last) = view.locate(range.end - 1) else {
            return Ok(false);
        };
        if first < view.cut() && self.may_be_cut_off(object) {
            return Err(view.cut_off());
        }
        let written_in = |ordinal: u32| -> Result<bool> {
            let block = view.block(ordinal)?;
            let low_at = block.writes_to(object);
            let is_write = |at: usize| block.write(at).is_some_and(|write| !write.snapshot);
            let mut wanted = positions(&block, &range);
            Ok(wanted.any(|at| low_at(at).is_some() && is_write(at)))
        };
        // Arrays have a key of their own for this; blocks in memory are looked at here in any case.
        let mut next = first;
        while let Some(ordinal) = view.candidate(Key::of_array(object), next, Direction::Forward)? {
            if ordinal > last {
                break;
            }
            if written_in(ordinal)? {
                return Ok(true);
            }
            next = ordinal + 1;
        }
        for ordinal in view.blocks_of_fields(object, first, last)? {
            if written_in(ordinal)? {
                return Ok(true);
            }
        }
        // More may have been cut off meanwhile.
        match first < view.cut() && self.may_be_cut_off(object) {
            true => Err(view.cut_off()),
            false => Ok(false),
        }
    }
}

impl View {
    /// The first `limit` fields or elements of an object from `from` on that are written in
    /// blocks up to `last`, each with the last such block.
    fn last_blocks(
        &self,
        object: ObjectId,
        from: u32,
        limit: usize,
        last: u32,
    ) -> Result<BTreeMap<u32, u32>> {
        let mut found = BTreeMap::new();
        if limit == 0 {
            return Ok(found);
        }
        let mut note = |low: u32, ordinal: u32| {
            let newest = found.entry(low).or_insert(ordinal);
            *newest = (*newest).max(ordinal);
        };
        let lows_in = |block: &Block| {
            let lows = (0..block.len()).filter_map(block.writes_to(object));
            lows.filter(|low| *low >= from)
                .collect::<BTreeSet<_>>()
                .into_iter()
        };
        let start = Key::of_object(object, from);
        let _groups = self.inner.using_index();
        let cut = self.cut();
        let (groups, indexed, pending) = {
            let persisted = self.inner.persisted();
            let groups: Vec<_> = persisted
                .groups
                .iter()
                .filter(|group| group.first <= last && group.end > persisted.cut)
                .copied()
                .collect();
            let indexed = persisted.indexed();
            let behind = (last + 1).min(self.persisted).saturating_sub(indexed) as usize;
            let behind = behind.min(persisted.pending.len());
            (groups, indexed, persisted.pending[..behind].to_vec())
        };
        for group in groups {
            match self.lows_in_group(group, (object, from), (cut, last, limit), &mut note) {
                Err(Error::Damaged { cut_off: false, .. }) => {
                    // Each of its blocks may write any: nothing is lost, it takes longer.
                    for ordinal in group.first.max(cut)..group.end.min(last.saturating_add(1)) {
                        lows_in(&*self.block(ordinal)?).for_each(|low| note(low, ordinal));
                    }
                }
                read => read?,
            }
        }
        for (at, keys) in pending.iter().enumerate() {
            let ordinal = indexed + at as u32;
            let Some(keys) = keys else {
                // It may write any; where it cannot be read, nobody knows the state.
                lows_in(&*self.block(ordinal)?).for_each(|low| note(low, ordinal));
                continue;
            };
            let first = keys.partition_point(|key| *key < start);
            let own = keys[first..]
                .iter()
                .take_while(|key| key.is_of_object(object))
                .take(limit);
            own.for_each(|key| note(key.low(), ordinal));
        }
        for (at, block) in self.tail.iter().enumerate() {
            let ordinal = self.persisted + at as u32;
            if ordinal > last {
                break;
            }
            lows_in(block).for_each(|low| note(low, ordinal));
        }
        if let Some(&behind) = found.keys().nth(limit) {
            found.split_off(&behind);
        }
        Ok(found)
    }

    /// What the index says of the fields or elements of an object, from one on: at most `limit` of them, in blocks from `cut` to `last`.
    fn lows_in_group(
        &self,
        group: Group,
        (object, from): (ObjectId, u32),
        (cut, last, limit): (u32, u32, usize),
        note: &mut impl FnMut(u32, u32),
    ) -> Result<()> {
        let mut lows = 0;
        let mut before = None;
        let start = Key::of_object(object, from);
        for posting in self.postings(group.first, group.end, start.posting(0)) {
            let posting = posting?;
            let key = Key::of_posting(posting);
            if !key.is_of_object(object) {
                break;
            }
            let ordinal = group.first + Key::block_of(posting);
            if ordinal > last || ordinal < cut {
                continue;
            }
            if before.replace(key) != Some(key) {
                lows += 1;
                if lows > limit {
                    break;
                }
            }
            note(key.low(), ordinal);
        }
        Ok(())
    }

    /// The last write of one field or element in a range that begins at 0.
    fn last_of_object(
        &self,
        object: ObjectId,
        low: u32,
        range: &Range<u64>,
        last: u32,
    ) -> Result<Option<Write>> {
        let mut from = Some(last);
        let key = Key::of_object(object, low);
        while let Some(ordinal) = from.take() {
            let Some(ordinal) = self.candidate(key, ordinal, Direction::Backward)? else {
                break;
            };
            let block = self.block(ordinal)?;
            let low_at = block.writes_to(object);
            let hit = positions(&block, range)
                .rev()
                .find(|&at| low_at(at) == Some(low));
            if let Some(at) = hit {
                return Ok(write_at(&self.levels, &block, at));
            }
            from = ordinal.checked_sub(1);
        }
        Ok(None)
    }

    /// The blocks in the database, of `first ..= last`, that write fields of an object.
    fn blocks_of_fields(&self, object: ObjectId, first: u32, last: u32) -> Result<BTreeSet<u32>> {
        let mut blocks = BTreeSet::new();
        let start = Key::of_object(object, 0);
        let _groups = self.inner.using_index();
        let groups: Vec<_> = {
            let persisted = self.inner.persisted();
            let indexed = persisted.indexed();
            for (at, keys) in persisted.pending.iter().enumerate() {
                let ordinal = indexed + at as u32;
                let writes = keys.as_deref().is_none_or(|keys| {
                    let at = keys.partition_point(|key| *key < start);
                    keys.get(at).is_some_and(|key| key.is_of_object(object))
                });
                if writes && (first..=last).contains(&ordinal) && ordinal < self.persisted {
                    blocks.insert(ordinal);
                }
            }
            let overlaps = |g: &&Group| g.first <= last && g.end > first;
            persisted.groups.iter().filter(overlaps).copied().collect()
        };
        for group in groups {
            match self.blocks_of_fields_in(group, object, &mut blocks) {
                Err(Error::Damaged { cut_off: false, .. }) => blocks.extend(group.first..group.end),
                read => read?,
            }
        }
        blocks.retain(|ordinal| (first..=last).contains(ordinal));
        Ok(blocks)
    }

    fn blocks_of_fields_in(
        &self,
        group: Group,
        object: ObjectId,
        blocks: &mut BTreeSet<u32>,
    ) -> Result<()> {
        // An array's elements may be millions; its own key has been asked already.
        let array = Key::of_array(object);
        let any = self
            .postings(group.first, group.end, array.posting(0))
            .next()
            .transpose()?;
        if any.is_some_and(|posting| Key::of_posting(posting) == array) {
            return Ok(());
        }
        let start = Key::of_object(object, 0);
        for posting in self.postings(group.first, group.end, start.posting(0)) {
            let posting = posting?;
            if !Key::of_posting(posting).is_of_object(object) {
                break;
            }
            blocks.insert(group.first + Key::block_of(posting));
        }
        Ok(())
    }
}

fn write_at(levels: &Levels, block: &Block, at: usize) -> Option<Write> {
    let event = told(levels, block, at)?;
    let snapshot = matches!(event.kind, EventKind::Snapshot { .. });
    let (EventKind::Write { variable, value } | EventKind::Snapshot { variable, value }) =
        event.kind
    else {
        return None;
    };
    Some(Write {
        timestamp: block.timestamp(at),
        call: event.call,
        index: event.index,
        variable,
        value,
        snapshot,
    })
}
