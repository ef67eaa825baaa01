//! Events by time: one, a range, exceptions, and a call's own events.

use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::block::Kinds;
use jhyde_trace::{Block, CallId, Event, EventKind, Levels, ThreadId, Timestamp};
use rocksdb::Direction as Seek;

use super::ahead::Ahead;
use super::{known, pages};
use crate::error::Result;
use crate::families;
use crate::recording::{Recording, Rows};
use crate::records::{Direction, ExceptionEvent, ExceptionKind, OwnEvent, TimedEvent};
use crate::rows::Rare;
use crate::view::{View, told};

/// The positions of a block that lie in a range of timestamps.
pub(crate) fn positions(block: &Block, range: &Range<u64>) -> Range<usize> {
    let first = block.first().0;
    let clip = |at: u64| (at.saturating_sub(first)).min(block.len() as u64) as usize;
    clip(range.start)..clip(range.end)
}

impl View {
    /// The part of a range that this view has, and the ordinal to begin with.
    pub(crate) fn clip(
        &self,
        range: &Range<Timestamp>,
        direction: Direction,
    ) -> Option<(Range<u64>, u32)> {
        let range = range.start.0..range.end.0.min(self.end);
        if range.start >= range.end {
            return None;
        }
        let from = match direction {
            Direction::Forward => range.start,
            Direction::Backward => range.end - 1,
        };
        // What was cut off is one for who looks: the last block of it.
        let start = self.locate(from)?.max(self.cut().saturating_sub(1));
        Some((range, start))
    }

    /// Walks over ordinals in a direction. Backward what was cut off is met once, and is the end.
    pub(crate) fn step(&self, ordinal: u32, direction: Direction) -> Option<u32> {
        match direction {
            Direction::Forward => ordinal.checked_add(1),
            Direction::Backward if ordinal < self.cut() => None,
            Direction::Backward => ordinal.checked_sub(1),
        }
    }

    /// Is the block outside the range, seen from where an iteration comes from?
    pub(crate) fn is_past(&self, ordinal: u32, range: &Range<u64>, direction: Direction) -> bool {
        let cut = self.cut();
        if ordinal < cut {
            return match direction {
                Direction::Forward => range.end == 0,
                Direction::Backward => self.first_of(cut) <= range.start,
            };
        }
        ordinal >= self.blocks()
            || match direction {
                Direction::Forward => self.first_of(ordinal) >= range.end,
                Direction::Backward => self.first_of(ordinal + 1) <= range.start,
            }
    }

    /// Who looks for something meets what was cut off, whether or not it had that, and says so once.
    fn or_cut_off(
        &self,
        from: u32,
        direction: Direction,
        look: impl FnOnce() -> Result<Option<u32>>,
    ) -> Result<Option<u32>> {
        // What is cut off meanwhile is not deleted before this is done.
        let _groups = self.inner.using_index();
        let cut = self.cut();
        let last = cut.checked_sub(1);
        match direction {
            _ if from < cut => Ok(last),
            Direction::Forward => look(),
            Direction::Backward => Ok(look()?.filter(|found| *found >= cut).or(last)),
        }
    }

    /// The nearest block with events of a thread, from an ordinal on.
    pub(super) fn block_of_thread(
        &self,
        thread: ThreadId,
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        self.or_cut_off(from, direction, || {
            self.kept_block_of_thread(thread, from, direction)
        })
    }

    fn kept_block_of_thread(
        &self,
        thread: ThreadId,
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        let in_tail = |ordinal: &u32| {
            let block = self.tail.get((ordinal - self.persisted) as usize);
            block.is_some_and(|block| block.thread(thread).is_some())
        };
        match direction {
            Direction::Forward => {
                if from < self.persisted {
                    let first = self.first_of(from);
                    let found = self.thread_block(thread, first, Seek::Forward)?;
                    let end = self.first_of(self.persisted);
                    if let Some((first, _)) = found.filter(|(first, _)| *first < end) {
                        return Ok(self.locate(first));
                    }
                }
                Ok((from.max(self.persisted)..self.blocks()).find(in_tail))
            }
            Direction::Backward => {
                let upto = from.min(self.blocks().saturating_sub(1));
                if let Some(found) = (self.persisted..=upto).rev().find(in_tail) {
                    return Ok(Some(found));
                }
                let Some(last) = self.persisted.checked_sub(1) else {
                    return Ok(None);
                };
                let first = self.first_of(upto.min(last));
                let found = self.thread_block(thread, first, Seek::Reverse)?;
                Ok(found.and_then(|(first, _)| self.locate(first)))
            }
        }
    }

    /// The nearest block with own events of a call or root that spans blocks, from an ordinal on.
    pub(super) fn block_of_call(
        &self,
        call: CallId,
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        self.or_cut_off(from, direction, || {
            self.kept_block_of_call(call, from, direction)
        })
    }

    fn kept_block_of_call(
        &self,
        call: CallId,
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        let nearest = |ordinal: u32, seek: Seek| -> Result<Option<u32>> {
            let key = families::own_block(call, self.first_of(ordinal));
            let found = self.inner.db.nearest(families::OWN_BLOCKS, &key, seek)?;
            let found = found.filter(|(key, _)| families::u64_at(key, 0) == Some(call.pack()));
            let first = found.and_then(|(key, _)| families::u64_at(&key, 8));
            let end = self.first_of(self.persisted);
            Ok(first
                .filter(|first| *first < end)
                .and_then(|first| self.locate(first)))
        };
        let in_tail = |ordinal: &u32| {
            let block = self.tail.get((ordinal - self.persisted) as usize);
            block.is_some_and(|block| block.thread(call.thread).is_some())
        };
        match direction {
            Direction::Forward => {
                if from < self.persisted
                    && let Some(found) = nearest(from, Seek::Forward)?
                {
                    return Ok(Some(found));
                }
                Ok((from.max(self.persisted)..self.blocks()).find(in_tail))
            }
            Direction::Backward => {
                let upto = from.min(self.blocks().saturating_sub(1));
                if let Some(found) = (self.persisted..=upto).rev().find(in_tail) {
                    return Ok(Some(found));
                }
                match self.persisted.checked_sub(1) {
                    Some(last) => nearest(upto.min(last), Seek::Reverse),
                    None => Ok(None),
                }
            }
        }
    }
}

impl Recording {
    /// One event.
    pub fn event(&self, at: Timestamp) -> Result<TimedEvent> {
        let view = self.view();
        let (block, position) = view.event(at.0)?;
        let event = told(&view.levels, &block, position).ok_or_else(|| view.no_such(at.0))?;
        Ok(TimedEvent {
            timestamp: at,
            event,
        })
    }

    /// The events of a range, of all threads or of one.
    pub fn events(
        &self,
        range: Range<Timestamp>,
        thread: Option<ThreadId>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        self.events_of(Kinds::ALL, range, thread, direction)
    }

    /// The same, of some kinds alone: of the others no events are made.
    pub fn events_of(
        &self,
        kinds: Kinds,
        range: Range<Timestamp>,
        thread: Option<ThreadId>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let mut next = Some(start);
        let mut ahead = Ahead::new(start);
        pages(move || {
            let mut ordinal = next.take()?;
            if direction == Direction::Forward && thread.is_none() {
                ahead.come(&view, ordinal, &range);
            }
            if let Some(thread) = thread {
                match view.block_of_thread(thread, ordinal, direction) {
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
            let levels = view.levels.clone();
            let shapes = block.shapes_of(kinds);
            let rows = move |at: usize| {
                if !shapes.get(block.shape_number(at)).copied()?
                    || thread.is_some_and(|thread| block.call(at).thread != thread)
                {
                    return None;
                }
                Some(TimedEvent {
                    timestamp: block.timestamp(at),
                    event: told(&levels, &block, at)?,
                })
            };
            Some(Ok(match direction {
                Direction::Forward => Box::new(wanted.filter_map(rows)),
                Direction::Backward => Box::new(wanted.rev().filter_map(rows)),
            }))
        })
    }

    /// The blocks that hold events of a range, in order and whole: the first and the last may hold
    /// events outside of it. For those who read all of a recording: once the second is asked for, more are read ahead.
    pub fn blocks(&self, range: Range<Timestamp>) -> Rows<Arc<Block>> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, Direction::Forward) else {
            return known([]);
        };
        let mut next = start;
        let mut ahead = Ahead::new(start);
        pages(move || {
            let ordinal = next;
            if view.is_past(ordinal, &range, Direction::Forward) {
                return None;
            }
            next = ordinal.checked_add(1)?;
            ahead.come(&view, ordinal, &range);
            Some(
                view.block(ordinal)
                    .map(|block| -> Box<dyn Iterator<Item = Arc<Block>> + Send> {
                        Box::new(std::iter::once(block))
                    }),
            )
        })
    }

    /// An event of one of its blocks, as it is told: without values where they may be false.
    pub fn told(&self, block: &Block, position: usize) -> Option<Event> {
        told(&self.levels_or_lowest(), block, position)
    }

    /// Thrown, caught and uncaught exceptions of a range.
    pub fn exceptions(
        &self,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<ExceptionEvent> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let mut next = Some(start);
        pages(move || {
            let ordinal = view.block_with(Wanted::Exceptions, next.take()?, direction)?;
            if view.is_past(ordinal, &range, direction) {
                return None;
            }
            next = view.step(ordinal, direction);
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let wanted = positions(&block, &range);
            let levels = view.levels.clone();
            let rows = move |at: usize| exception_at(&levels, &block, at);
            Some(Ok(match direction {
                Direction::Forward => Box::new(wanted.filter_map(rows)),
                Direction::Backward => Box::new(wanted.rev().filter_map(rows)),
            }))
        })
    }

    /// A call's (or root's) own events in a range, its own `Enter` and `Exit` among them, and the
    /// `Enter` and `Exit` of its direct children. Costs nothing for what happens inside children.
    pub fn own_events(
        &self,
        call: CallId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<OwnEvent> {
        let view = self.view();
        // Nothing is looked into for no time.
        if view.clip(&range, direction).is_none() {
            return known([]);
        }
        let life = match view.life(call) {
            Ok(life) => life,
            Err(error) => return known([Err(error)]),
        };
        let range = Timestamp(range.start.0.max(life.start))..Timestamp(range.end.0.min(life.end));
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        // A call within one block has no entries of its own.
        let within = view.locate(life.start) == view.locate(life.end - 1) && !call.is_root();
        let mut next = Some(start);
        pages(move || {
            let mut ordinal = next.take()?;
            if !within {
                match view.block_of_call(call, ordinal, direction) {
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
            let own = own_positions(&block, call, wanted);
            let levels = view.levels.clone();
            let row = move |at: u32| {
                let timestamp = block.timestamp(at as usize);
                Some(OwnEvent {
                    timestamp,
                    event: told(&levels, &block, at as usize)?,
                })
            };
            Some(Ok(match direction {
                Direction::Forward => Box::new(own.into_iter().filter_map(row)),
                Direction::Backward => Box::new(own.into_iter().rev().filter_map(row)),
            }))
        })
    }
}

impl View {
    /// From a call's enter to behind its exit (or the end); a root's life is everything.
    pub(crate) fn life(&self, call: CallId) -> Result<Range<u64>> {
        if call.is_root() {
            return Ok(0..self.end);
        }
        let record = self.call(call, &mut None)?;
        Ok(record.enter.0..record.exit.map_or(self.end, |exit| exit.0 + 1))
    }

    pub(crate) fn block_with(
        &self,
        wanted: Wanted,
        from: u32,
        direction: Direction,
    ) -> Option<u32> {
        let found = self.or_cut_off(from, direction, || {
            Ok(self.kept_block_with(wanted, from, direction))
        });
        found.ok().flatten()
    }

    fn kept_block_with(&self, wanted: Wanted, from: u32, direction: Direction) -> Option<u32> {
        let persisted = self.inner.persisted();
        let (known, has): (_, fn(Rare) -> bool) = match wanted {
            Wanted::Exceptions => (&persisted.exceptions, Rare::may_have_exceptions),
            Wanted::Gaps => (&persisted.gaps, Rare::may_have_gaps),
        };
        let in_tail = |ordinal: &u32| {
            let block = self.tail.get((ordinal - self.persisted) as usize);
            block.is_some_and(|block| has(Rare::of(block)))
        };
        match direction {
            Direction::Forward => {
                let at = known.partition_point(|&ordinal| ordinal < from);
                let found = known
                    .get(at)
                    .copied()
                    .filter(|&found| found < self.persisted);
                found.or_else(|| (from.max(self.persisted)..self.blocks()).find(in_tail))
            }
            Direction::Backward => {
                let upto = from.min(self.blocks().saturating_sub(1));
                let in_tail = (self.persisted..=upto).rev().find(in_tail);
                in_tail.or_else(|| {
                    let after = known.partition_point(|&ordinal| ordinal <= from);
                    after.checked_sub(1).and_then(|at| known.get(at).copied())
                })
            }
        }
    }
}

/// Events that few blocks have.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Exceptions,
    Gaps,
}

fn exception_at(levels: &Levels, block: &Block, at: usize) -> Option<ExceptionEvent> {
    if !block.is_exception(at) {
        return None;
    }
    let event = told(levels, block, at)?;
    let (kind, exception) = match event.kind {
        EventKind::Thrown { exception } => (ExceptionKind::Thrown, exception),
        EventKind::Caught { exception } => (ExceptionKind::Caught, exception),
        EventKind::Uncaught { exception } => (ExceptionKind::Uncaught, exception),
        _ => return None,
    };
    Some(ExceptionEvent {
        timestamp: block.timestamp(at),
        kind,
        call: event.call,
        index: event.index,
        exception,
    })
}

/// The positions of a call's own events and of its children's enters and exits, rising. Jumps over
/// every call that begins and ends in the block.
pub(crate) fn own_positions(block: &Arc<Block>, call: CallId, wanted: Range<usize>) -> Vec<u32> {
    let Some(thread) = block.thread(call.thread) else {
        return Vec::new();
    };
    let mut own = Vec::new();
    // Before its own enter, the enters of its ancestors would be jumped over with everything.
    let entered = thread
        .row(call.preorder)
        .map_or(0, |row| row.enter as usize);
    let mut at = entered.max(thread.first_event as usize);
    let end = wanted.end.min(thread.last_event as usize + 1);
    let mut push = |at: usize| {
        if wanted.contains(&at) {
            own.push(at as u32);
        }
    };
    while at < end {
        let here = block.call(at);
        if here.thread != call.thread {
            at += 1;
            continue;
        }
        if here == call {
            push(at);
            if block.is_exit(at) {
                break;
            }
        } else if block.enter(at).is_some() {
            let Some(row) = thread.row(here.preorder) else {
                break;
            };
            let is_child = row.parent == call.preorder;
            if is_child {
                push(at);
            }
            // A call that runs on behind the block leaves nothing more of its callers here.
            let Some(exit) = row.exit() else { break };
            if is_child {
                push(exit);
            }
            at = exit;
        } else if block.is_exit(at) && thread.parent_after_exit(at, here.preorder) == call.preorder
        {
            push(at);
        }
        at += 1;
    }
    own
}
