//! Calls by method and by line.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::{Block, CallId, ClassId, MethodId, Timestamp};
use rocksdb::Direction as Seek;

use super::events::positions;
use super::{known, pages};
use crate::error::Result;
use crate::families;
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{CallRecord, Direction, Execution};
use crate::state::LongCall;
use crate::view::View;

impl View {
    /// The block in the database with the calls of a method from an invocation on: that
    /// which holds it (`Reverse`) or the next one (`Forward`), and the first invocation in it.
    fn method_block(
        &self,
        method: MethodId,
        invocation: u64,
        seek: Seek,
    ) -> Result<Option<(u64, u32)>> {
        // What is cut off meanwhile is not deleted before this is done.
        let _groups = self.inner.using_index();
        let end = self.first_of(self.persisted);
        let mut from = invocation;
        loop {
            let key = families::method_block(method, from);
            let found = self.inner.db.nearest(families::METHOD_BLOCKS, &key, seek)?;
            let found = found.filter(|(key, _)| families::u32_at(key, 0) == Some(method.0));
            let Some((invocation, first)) = found.and_then(|(key, value)| {
                families::u64_at(&key, 4).zip(families::u64_at(&value, 0))
            }) else {
                return Ok(None);
            };
            if first < end {
                return Ok(self.locate(first).map(|ordinal| (invocation, ordinal)));
            }
            // Entries are written before their block counts as being in the database: this one is of a block that this view still
            // has in memory, or does not have, and so are those behind it. Those before it are of others.
            match (seek, invocation.checked_sub(1)) {
                (Seek::Reverse, Some(before)) => from = before,
                _ => return Ok(None),
            }
        }
    }

    /// The last block in the database that has calls of a method and begins before a time.
    fn method_block_before(&self, method: MethodId, time: u64) -> Result<Option<u32>> {
        let is_before = |ordinal: &u32| self.first_of(*ordinal) < time;
        let Some((last, ordinal)) = self.method_block(method, u64::MAX, Seek::Reverse)? else {
            return Ok(None);
        };
        if is_before(&ordinal) {
            return Ok(Some(ordinal));
        }
        // Calls of a method are counted in the order of time. Blocks are named by the entries: none is looked into.
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.method_block(method, middle, Seek::Reverse)? {
                Some((first, ordinal)) if !is_before(&ordinal) => high = first.min(middle),
                _ => low = middle + 1,
            }
        }
        let Some(before) = low.checked_sub(1) else {
            return Ok(None);
        };
        let found = self.method_block(method, before, Seek::Reverse)?;
        Ok(found.map(|(_, ordinal)| ordinal).filter(is_before))
    }

    /// How many calls of a method were entered in what was cut off.
    fn cut_off_of(&self, method: MethodId) -> Result<u64> {
        let mut next = self.method_block(method, 0, Seek::Forward)?;
        while let Some((first, ordinal)) = next {
            if ordinal >= self.cut() {
                return Ok(first);
            }
            // It is about to be deleted.
            next = self.method_block(method, first + 1, Seek::Forward)?;
        }
        let mut in_tail = self.tail.iter().flat_map(|block| block.methods());
        let first = in_tail.find(|known| known.0 == method);
        first.map(|known| known.1).ok_or_else(|| self.cut_off())
    }

    fn invocation_at(&self, method: MethodId, time: Timestamp) -> Result<u64> {
        let entered = |block: &Arc<Block>| {
            let first = block.methods().find(|known| known.0 == method)?.1;
            let wanted = positions(block, &(0..time.0));
            let entered = block.enters_of(method).take_while(|at| wanted.contains(at));
            Some(first + entered.count() as u64)
        };
        let mut in_tail = self.tail.iter().rev();
        if let Some(entered) = in_tail.find_map(|block| match block.first() < time {
            true => entered(block),
            false => None,
        }) {
            return Ok(entered);
        }
        let cut = self.cut();
        let kept_from = self.first_of(cut);
        let found = self.method_block_before(method, time.0)?;
        match found.filter(|ordinal| *ordinal >= cut) {
            Some(ordinal) => Ok(entered(&self.block(ordinal)?).unwrap_or(0)),
            None if cut == 0 => Ok(0),
            None => match self.cut_off_of(method)? {
                gone if gone > 0 && time.0 < kept_from => Err(self.cut_off()),
                gone => Ok(gone),
            },
        }
    }

    /// The calls of a method in a block, by invocation.
    fn calls_in(&self, block: &Arc<Block>, method: MethodId) -> Vec<CallId> {
        block.enters_of(method).map(|at| block.call(at)).collect()
    }

    /// Ordinals of the blocks with calls of a method, from that of an invocation on.
    pub(super) fn method_blocks(
        &self,
        method: MethodId,
        invocation: u64,
    ) -> impl FnMut() -> Option<Result<u32>> + use<> {
        let mut from = Some((invocation, Seek::Reverse));
        let mut tail = self.persisted;
        let view = self.clone();
        move || {
            if let Some((invocation, seek)) = from.take() {
                match view.method_block(method, invocation, seek) {
                    Err(error) => return Some(Err(error)),
                    Ok(Some((first, ordinal))) => {
                        from = Some((first + 1, Seek::Forward));
                        return Some(Ok(ordinal));
                    }
                    // The call is in memory, in what was cut off, or there is none.
                    Ok(None) if matches!(seek, Seek::Reverse) && view.cut() > 0 => {
                        let mut all = view.tail.iter().flat_map(|block| block.methods());
                        let first = all.find(|(known, _)| *known == method);
                        if first.is_none_or(|(_, first)| first > invocation) {
                            // Who can do without it goes on with what is kept.
                            from = Some((invocation, Seek::Forward));
                            return Some(Err(view.cut_off()));
                        }
                    }
                    Ok(None) if matches!(seek, Seek::Reverse) => {
                        if let Ok(Some((first, ordinal))) =
                            view.method_block(method, invocation, Seek::Forward)
                        {
                            from = Some((first + 1, Seek::Forward));
                            return Some(Ok(ordinal));
                        }
                    }
                    Ok(None) => {}
                }
            }
            let ordinal = tail;
            tail += 1;
            (ordinal < view.blocks()).then_some(Ok(ordinal))
        }
    }
}

impl Recording {
    /// Calls of a method by rising invocation, beginning at `from_invocation`, at most `limit`.
    pub fn calls_of_method(
        &self,
        method: MethodId,
        from_invocation: u64,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        let view = self.view();
        let mut ordinals = view.method_blocks(method, from_invocation);
        let mut calls: Vec<CallRecord> = Vec::new();
        while calls.len() < limit {
            let Some(ordinal) = ordinals() else { break };
            let block = view.block(ordinal?)?;
            for id in view.calls_in(&block, method) {
                if calls.len() >= limit {
                    break;
                }
                let row = block
                    .thread(id.thread)
                    .and_then(|thread| thread.row(id.preorder));
                if row.is_some_and(|row| row.invocation >= from_invocation) {
                    calls.push(view.call(id, &mut Some(block.clone()))?);
                }
            }
        }
        Ok(calls)
    }

    /// The calls of a method with some numbers, in the order of time. A damaged block is an error in place of those that it has.
    pub fn numbered_calls_of(&self, method: MethodId, numbers: Range<u64>) -> Rows<CallRecord> {
        if numbers.is_empty() {
            return known([]);
        }
        let view = self.view();
        let mut ordinals = view.method_blocks(method, numbers.start);
        let mut next = numbers.start;
        pages(move || {
            if next >= numbers.end {
                return None;
            }
            let block = ordinals()?.and_then(|ordinal| view.block(ordinal));
            let calls = block.and_then(|block| {
                let number =
                    |id: &CallId| Some(block.thread(id.thread)?.row(id.preorder)?.invocation);
                let mut ids = view.calls_in(&block, method);
                if let Some(last) = ids.last().and_then(number) {
                    next = last + 1;
                }
                ids.retain(|id| number(id).is_some_and(|number| numbers.contains(&number)));
                let mut held = Some(block.clone());
                let calls = ids.into_iter().map(|id| view.call(id, &mut held));
                calls.collect::<Result<Vec<_>>>()
            });
            Some(
                calls.map(|calls| -> Box<dyn Iterator<Item = CallRecord> + Send> {
                    Box::new(calls.into_iter())
                }),
            )
        })
    }

    /// How many calls of a method there are.
    pub fn invocations(&self, method: MethodId) -> Result<u64> {
        let view = self.view();
        let count = |block: &Arc<Block>| {
            let first = block.methods().find(|known| known.0 == method)?.1;
            Some(first + block.enters_of(method).count() as u64)
        };
        if let Some(count) = view.tail.iter().rev().find_map(count) {
            return Ok(count);
        }
        match view.method_block(method, u64::MAX, Seek::Reverse)? {
            Some((_, ordinal)) => Ok(count(&view.block(ordinal)?).unwrap_or(0)),
            // They were all cut off, or there are none.
            None if view.cut() > 0 => Err(view.cut_off()),
            None => Ok(0),
        }
    }

    /// The n-th call of a method, from 0, if it began in what was cut off and ran on behind that.
    pub fn call_that_ran_on(&self, method: MethodId, n: u64) -> Result<Option<CallRecord>> {
        let view = self.view();
        if view.cut() == 0 {
            return Ok(None);
        }
        for row in self.inner.db.rows(families::LONG_CALLS)? {
            let (key, value) = row?;
            let call: LongCall = postcard::from_bytes(&value)
                .map_err(|error| self.inner.db.damaged("table long_calls", error.to_string()))?;
            if call.method == method.0
                && call.invocation == n
                && let Some(id) = families::u64_at(&key, 0)
            {
                return view.call(CallId::unpack(id), &mut None).map(Some);
            }
        }
        Ok(None)
    }

    /// How many calls of a method were entered before a time: the number of the first that was not. Looks into one block at most.
    pub fn invocation_at(&self, method: MethodId, time: Timestamp) -> Result<u64> {
        self.view().invocation_at(method, time)
    }

    /// The n-th call of a method, from 0.
    pub fn call_by_invocation(&self, method: MethodId, n: u64) -> Result<Option<CallRecord>> {
        Ok(self
            .calls_of_method(method, n, 1)?
            .pop()
            .filter(|call| call.invocation == n))
    }

    /// Executions of a source line in a range: one per visit, that is, per run of own events of
    /// one call at that line without an own event of that call at another line in between. A visit that
    /// goes on over a block's end is told again there.
    pub fn executions_of_line(
        &self,
        class: ClassId,
        line: u32,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<Execution> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let places = match self.places_of_line(class, line) {
            Ok(places) => places,
            Err(error) => return known([Err(error)]),
        };
        let mut next = Some(start);
        let recording = self.clone();
        pages(move || {
            let ordinal = match view.block_of_places(&places, next.take()?, direction) {
                Ok(found) => found?,
                Err(error) => return Some(Err(error)),
            };
            if view.is_past(ordinal, &range, direction) {
                return None;
            }
            next = view.step(ordinal, direction);
            let rows = recording.visits(&view, ordinal, &places, &range);
            Some(
                rows.map(|rows| -> Box<dyn Iterator<Item = Execution> + Send> {
                    match direction {
                        Direction::Forward => Box::new(rows.into_iter()),
                        Direction::Backward => Box::new(rows.into_iter().rev()),
                    }
                }),
            )
        })
    }

    /// Calls that executed a source line (had an own event there), by their first execution at or
    /// after `from`, each once, at most `limit`.
    pub fn calls_at_line(
        &self,
        class: ClassId,
        line: u32,
        from: Timestamp,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        let everything = from..Timestamp(u64::MAX);
        let mut seen = rustc_hash::FxHashSet::default();
        let mut calls = Vec::new();
        for execution in self.executions_of_line(class, line, everything, Direction::Forward) {
            if calls.len() >= limit {
                break;
            }
            let call = execution?.call;
            if seen.insert(call) {
                calls.push(self.call(call)?);
            }
        }
        Ok(calls)
    }

    /// Methods of a class with the ranges of bytecode indexes that stand on a line.
    fn places_of_line(&self, class: ClassId, line: u32) -> Result<Vec<Place>> {
        let Some(class) = self.class(class)? else {
            return Ok(Vec::new());
        };
        let mut places = Vec::new();
        for method in &class.methods {
            for (at, entry) in method.lines.iter().enumerate() {
                if entry.line != line {
                    continue;
                }
                let code = (method.code.len() as u32).max(entry.start + 1);
                // Without code bytes the last line's end is not known: a method has below 65536.
                let end = match method.lines.get(at + 1) {
                    Some(next) => next.start,
                    None if method.code.is_empty() => entry.start + 256,
                    None => code,
                };
                places.push(Place {
                    method: method.id,
                    indexes: entry.start..end,
                });
            }
        }
        Ok(places)
    }

    fn visits(
        &self,
        view: &View,
        ordinal: u32,
        places: &[Place],
        range: &Range<u64>,
    ) -> Result<Vec<Execution>> {
        let block = view.block(ordinal)?;
        let mut methods = rustc_hash::FxHashMap::default();
        let mut on_line = rustc_hash::FxHashMap::<CallId, bool>::default();
        let mut visits = VecDeque::new();
        let wanted = positions(&block, range);
        for at in 0..wanted.end {
            let (call, index) = (block.call(at), block.index(at));
            let fits = places.iter().any(|place| place.indexes.contains(&index));
            // Most events are at other places: their calls' methods need not be known.
            if !fits && !on_line.contains_key(&call) {
                continue;
            }
            let method = match methods.get(&call) {
                Some(method) => *method,
                None => {
                    let method = match call.is_root() {
                        true => None,
                        false => Some(view.call(call, &mut Some(block.clone()))?.method),
                    };
                    methods.insert(call, method);
                    method
                }
            };
            let here = places
                .iter()
                .any(|place| Some(place.method) == method && place.indexes.contains(&index));
            let was_here = on_line.insert(call, here).unwrap_or(false);
            if here && !was_here && wanted.contains(&at) {
                visits.push_back(Execution {
                    timestamp: block.timestamp(at),
                    call,
                    index,
                });
            }
        }
        Ok(visits.into())
    }
}

/// Where in a method a line stands.
struct Place {
    method: MethodId,
    indexes: Range<u32>,
}

impl View {
    /// The nearest block that executes one of the places.
    fn block_of_places(
        &self,
        places: &[Place],
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        let mut best: Option<u32> = None;
        for place in places {
            let found = match direction {
                Direction::Forward => self.next_block_of_place(place, from)?,
                Direction::Backward => self.block_of_place_before(place, from)?,
            };
            best = match (best, found, direction) {
                (Some(best), Some(found), Direction::Forward) => Some(best.min(found)),
                (Some(best), Some(found), Direction::Backward) => Some(best.max(found)),
                (best, found, _) => best.or(found),
            };
            if best == Some(from) {
                break;
            }
        }
        Ok(best)
    }

    fn next_block_of_place(&self, place: &Place, from: u32) -> Result<Option<u32>> {
        let key = |index| Key::of_place(place.method, index);
        self.candidate_among(key(place.indexes.start)..key(place.indexes.end), from)
    }

    fn block_of_place_before(&self, place: &Place, from: u32) -> Result<Option<u32>> {
        let mut best: Option<u32> = None;
        for index in place.indexes.clone() {
            let key = Key::of_place(place.method, index);
            best = best.max(self.candidate(key, from, Direction::Backward)?);
            if best == Some(from) {
                break;
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, StoreOptions};
    use jhyde_trace::{Event, EventKind, Outcome, RecordingOptions, State, ThreadId};

    /// Entries of the index are in the database before their block counts as being there.
    #[test]
    fn calls_are_counted_while_the_flusher_is_between_an_index_and_its_block() {
        let data = tempfile::tempdir().expect("a folder");
        let options = StoreOptions {
            block_events: 64,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(data.path(), options).expect("a catalogue");
        let (recording, mut writer) = catalogue
            .create(Some("r"), RecordingOptions::default())
            .expect("a recording");
        // Calls of two methods in turn, each an enter and an exit: of one there is one before every fourth event.
        for n in 0..4000u64 {
            let call = CallId::new(ThreadId(1), n + 1);
            let event = |kind| Event {
                call,
                index: 0,
                kind,
            };
            writer
                .append(event(EventKind::Enter {
                    method: MethodId((n % 2) as u32),
                    receiver: None,
                    arguments: Vec::new(),
                    call_site: Event::NO_INDEX,
                    boundary: false,
                    already_running: false,
                }))
                .expect("it nests");
            writer
                .append(event(EventKind::Exit {
                    outcome: Outcome::Returned(None),
                }))
                .expect("it nests");
        }
        writer
            .finish(State::Complete { exit_code: Some(0) })
            .expect("finished");
        let whole = recording.view();
        assert!(whole.persisted > 4 && whole.tail.is_empty());
        // As a view is that was made when the last blocks were in the queue yet.
        for queued in 1..4 {
            let mut view = whole.clone();
            view.persisted -= queued;
            let tail = view.persisted..whole.persisted;
            view.tail = tail
                .map(|ordinal| whole.block(ordinal).expect("a block"))
                .collect();
            for time in (0..=8000u64).step_by(7) {
                let counted = view.invocation_at(MethodId(0), Timestamp(time));
                assert_eq!(
                    counted.expect("it is told"),
                    time.div_ceil(4),
                    "{queued} {time}"
                );
            }
        }
    }
}
