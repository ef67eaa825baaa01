//! The tree: calls by number, children, path. Everything is arithmetic on preorder numbers and
//! subtree sizes; a call's record comes from the block of its enter or, for calls that span blocks, from
//! the table of long calls.

use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::{Block, CallId, EventKind, MethodId, Outcome, ThreadId, Timestamp};
use rocksdb::Direction as Seek;

use super::pages;
use crate::error::{Error, Result};
use crate::families;
use crate::recording::{Recording, Rows};
use crate::records::{Arguments, CallOutcome, CallRecord, RootRecord};
use crate::state::{LongCall, ThreadEntry};
use crate::view::{View, told};

impl Recording {
    /// A thread's root.
    pub fn root(&self, thread: ThreadId) -> Result<RootRecord> {
        let view = self.view();
        let root = view.root(thread);
        if root.first.is_none() && !self.inner.tables().threads.contains_key(&thread) {
            return Err(Error::NoSuchThread(thread));
        }
        Ok(root)
    }

    /// A call. The root of a thread is none: see [`Recording::root`].
    pub fn call(&self, id: CallId) -> Result<CallRecord> {
        self.view().call(id, &mut None)
    }

    /// How many calls of a thread were entered before a time: the numbers of the others are higher. Looks into one block at most.
    pub fn calls_before(&self, thread: ThreadId, at: Timestamp) -> Result<u64> {
        self.view().calls_before(thread, at.0)
    }

    /// The call whose `Enter` is this event, if it is one.
    pub fn call_entered_at(&self, at: Timestamp) -> Result<Option<CallRecord>> {
        let view = self.view();
        let (block, position) = view.event(at.0)?;
        if block.enter(position).is_none() {
            return Ok(None);
        }
        let id = block.call(position);
        view.call(id, &mut Some(block)).map(Some)
    }

    /// The innermost call of a thread that was running just after the event `at` (which may be of
    /// another thread): after an `Enter` the entered call, after an `Exit` the parent. The thread's root,
    /// if none ran.
    pub fn innermost_call(&self, thread: ThreadId, at: Timestamp) -> Result<CallId> {
        let view = self.view();
        let root = CallId::root(thread);
        let Some(mut ordinal) = view.locate(at.0) else {
            return Ok(root);
        };
        let block = view.block(ordinal)?;
        let upto = (at.0.saturating_sub(block.first().0) as usize).min(block.len() - 1);
        let in_block = block
            .thread(thread)
            .filter(|t| t.first_event as usize <= upto);
        if let Some(in_block) = in_block {
            let from = upto.min(in_block.last_event as usize);
            let mut back = (0..=from).rev();
            if let Some(at) = back.find(|&at| block.call(at).thread == thread) {
                return Ok(block.innermost_after(at));
            }
        }
        // Not in this block before `at`: the end of an earlier block with this thread.
        while ordinal > view.persisted {
            ordinal -= 1;
            if let Some(thread) = view.block(ordinal)?.thread(thread) {
                return Ok(thread.call_id(thread.innermost_at_end()));
            }
        }
        let first = view.first_of(ordinal);
        let Some(before) = first.checked_sub(1) else {
            return Ok(root);
        };
        let entry = view.thread_block(thread, before, Seek::Reverse)?;
        Ok(entry.map_or(root, |(_, entry)| {
            CallId::new(thread, entry.innermost_at_end)
        }))
    }

    /// Children of a call or root in time order: those after the child `after`, at most `limit`.
    pub fn children(
        &self,
        call: CallId,
        after: Option<CallId>,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        let view = self.view();
        let mut block = None;
        let size = if call.is_root() {
            self.root(call.thread)?;
            view.calls_of(call.thread) + 1
        } else {
            view.call(call, &mut block)?.size
        };
        let end = call.preorder + size;
        let mut next = match after {
            None => call.preorder + 1,
            Some(after) => {
                let child = view.call(after, &mut block)?;
                if child.parent != call {
                    return Err(Error::NoSuchCall(after));
                }
                after.preorder + child.size
            }
        };
        let mut children = Vec::new();
        while next < end && children.len() < limit {
            let child = view.call(CallId::new(call.thread, next), &mut block)?;
            next += child.size.max(1);
            children.push(child);
        }
        Ok(children)
    }

    /// The calls from the outermost one down to this one, itself last; the root is left out.
    pub fn path(&self, call: CallId) -> Result<Vec<CallRecord>> {
        let view = self.view();
        let mut block = None;
        let mut path = Vec::new();
        let mut id = call;
        while !id.is_root() {
            let record = view.call(id, &mut block)?;
            id = record.parent;
            path.push(record);
        }
        if path.is_empty() {
            self.root(call.thread)?;
        }
        path.reverse();
        Ok(path)
    }

    /// Calls of one thread in preorder: numbers `range.start .. range.end` (root excluded).
    pub fn preorder(&self, thread: ThreadId, range: Range<u64>) -> Rows<CallRecord> {
        let view = self.view();
        let end = range.end.min(view.calls_of(thread) + 1);
        let mut next = range.start.max(1);
        let mut block = None;
        pages(move || {
            if next >= end {
                return None;
            }
            // A page is small: whoever wants few calls should not pay for many.
            let mut calls = Vec::new();
            let upto = end.min(next + 64);
            while next < upto {
                match view.call(CallId::new(thread, next), &mut block) {
                    Ok(call) => calls.push(call),
                    Err(error) if calls.is_empty() => {
                        // Every call of a damaged block fails alike: one error for all of them.
                        next = view.next_readable_call(thread, next).unwrap_or(end);
                        return Some(Err(error));
                    }
                    Err(_) => break,
                }
                next += 1;
            }
            Some(Ok(Box::new(calls.into_iter())))
        })
    }

    /// A call's receiver and arguments.
    pub fn arguments(&self, call: &CallRecord) -> Result<Arguments> {
        let view = self.view();
        let (block, position) = view.event(call.enter.0)?;
        match told(&view.levels, &block, position).map(|event| event.kind) {
            Some(EventKind::Enter {
                receiver,
                arguments,
                ..
            }) => Ok(Arguments {
                receiver,
                arguments,
            }),
            _ => Err(Error::NoSuchCall(call.id)),
        }
    }

    /// How a call ended; `None` for an incomplete call.
    pub fn outcome(&self, call: &CallRecord) -> Result<CallOutcome> {
        let Some(exit) = call.exit else {
            return Ok(None);
        };
        let view = self.view();
        let (block, position) = view.event(exit.0)?;
        match told(&view.levels, &block, position).map(|event| event.kind) {
            Some(EventKind::Exit { outcome }) => Ok(Some(outcome)),
            _ => Ok(Some(Outcome::Unknown)),
        }
    }
}

impl View {
    /// The calls of a thread so far.
    pub(crate) fn calls_of(&self, thread: ThreadId) -> u64 {
        let in_tail = self
            .tail
            .iter()
            .rev()
            .find_map(|block| block.thread(thread));
        match in_tail {
            Some(thread) => thread.next_call() - 1,
            None => self
                .inner
                .persisted()
                .threads
                .get(&thread)
                .map_or(0, |total| total.calls),
        }
    }

    fn calls_before(&self, thread: ThreadId, at: u64) -> Result<u64> {
        if at >= self.end {
            return Ok(self.calls_of(thread));
        }
        let entered = |block: &Block| {
            let thread = block.thread(thread)?;
            let position = at.saturating_sub(block.first().0);
            // Calls have their numbers in the order of entering.
            let rows = &thread.rows;
            let entered = rows.partition_point(|row| u64::from(row.enter) < position);
            Some(thread.first_call.saturating_sub(1) + entered as u64)
        };
        let mut in_tail = self.tail.iter().rev();
        if let Some(entered) = in_tail.find_map(|block| match block.first().0 < at {
            true => entered(block),
            false => None,
        }) {
            return Ok(entered);
        }
        // What is cut off meanwhile is not deleted before this is done.
        let _groups = self.inner.using_index();
        let cut = self.cut();
        if cut > 0 && at <= self.first_of(cut) {
            return match self.cut_off_in(thread, cut)? {
                gone if gone > 0 && at < self.first_of(cut) => Err(self.cut_off()),
                gone => Ok(gone),
            };
        }
        let before = match at.checked_sub(1) {
            Some(last) => self.thread_block(thread, last, Seek::Reverse)?,
            None => None,
        };
        let Some((first, entry)) = before else {
            return match cut {
                0 => Ok(0),
                cut => self.cut_off_in(thread, cut),
            };
        };
        let block = self.locate(first).ok_or_else(|| self.no_such(first))?;
        if self.first_of(block + 1) <= at {
            return Ok(entry.first_call.saturating_sub(1) + u64::from(entry.calls));
        }
        let entered = entered(&*self.block(block)?);
        entered.ok_or_else(|| {
            self.inner
                .db
                .damaged("table thread_blocks", "it leads elsewhere")
        })
    }

    /// How many calls of a thread were entered in what was cut off.
    fn cut_off_in(&self, thread: ThreadId, cut: u32) -> Result<u64> {
        let kept = self.thread_block(thread, self.first_of(cut), Seek::Forward)?;
        let kept = kept.map(|(_, entry)| entry.first_call);
        let mut in_tail = self.tail.iter().filter_map(|block| block.thread(thread));
        let kept = kept.or_else(|| in_tail.next().map(|thread| thread.first_call));
        Ok(kept.map_or_else(|| self.calls_of(thread), |first| first.saturating_sub(1)))
    }

    pub(crate) fn root(&self, thread: ThreadId) -> RootRecord {
        let total = self.inner.persisted().threads.get(&thread).copied();
        let at = |block: &Arc<Block>, position: u32| block.timestamp(position as usize);
        let first_in_tail = self
            .tail
            .iter()
            .find_map(|block| Some(at(block, block.thread(thread)?.first_event)));
        let last_in_tail = self
            .tail
            .iter()
            .rev()
            .find_map(|block| Some(at(block, block.thread(thread)?.last_event)));
        RootRecord {
            thread,
            calls: self.calls_of(thread),
            first: total
                .map(|total| Timestamp(total.first_event))
                .or(first_in_tail),
            last: last_in_tail.or_else(|| total.map(|total| Timestamp(total.last_event))),
        }
    }

    /// The nearest block in the database with events of a thread, from a timestamp on.
    pub(crate) fn thread_block(
        &self,
        thread: ThreadId,
        from: u64,
        seek: Seek,
    ) -> Result<Option<(u64, ThreadEntry)>> {
        let key = families::thread_block(thread, from);
        let db = &self.inner.db;
        let Some((key, value)) = db.nearest(families::THREAD_BLOCKS, &key, seek)? else {
            return Ok(None);
        };
        if families::u32_at(&key, 0) != Some(thread.0) {
            return Ok(None);
        }
        let entry = postcard::from_bytes(&value);
        let entry = entry.map_err(|e| db.damaged("table thread_blocks", e.to_string()))?;
        Ok(families::u64_at(&key, 4).map(|first| (first, entry)))
    }

    /// A call's record. `block` is the block that was looked at last: the next call is often there.
    pub(crate) fn call(&self, id: CallId, block: &mut Option<Arc<Block>>) -> Result<CallRecord> {
        if id.is_root() || id.preorder > self.calls_of(id.thread) {
            return Err(Error::NoSuchCall(id));
        }
        if let Some(block) = block
            && let Some(record) = self.call_in(block, id)?
        {
            self.looked_into_for(&record, block);
            return Ok(record);
        }
        for in_tail in self.tail.iter().rev() {
            if let Some(record) = self.call_in(in_tail, id)? {
                *block = Some(in_tail.clone());
                return Ok(record);
            }
        }
        let db = &self.inner.db;
        let first = db
            .nearest(families::CALL_BLOCKS, &families::call(id), Seek::Reverse)?
            .filter(|(key, _)| {
                families::u64_at(key, 0).is_some_and(|c| CallId::unpack(c).thread == id.thread)
            })
            .and_then(|(_, value)| families::u64_at(&value, 0))
            .ok_or(Error::NoSuchCall(id))?;
        let ordinal = self.locate(first).ok_or(Error::NoSuchCall(id))?;
        let found = match self.cached(ordinal) {
            Some(found) => found,
            None => match self.inner.long_call(id)? {
                // Cheaper than the block, and enough.
                Some(call) => return Ok(self.long_record(id, &call)),
                None => self.block(ordinal)?,
            },
        };
        let record = self.call_in(&found, id)?.ok_or(Error::NoSuchCall(id))?;
        self.looked_into_for(&record, &found);
        *block = Some(found);
        Ok(record)
    }

    /// Counts a block that tells of a call. One that goes on behind it is told of without any, wherever it was found now.
    fn looked_into_for(&self, record: &CallRecord, block: &Block) {
        let Some(reads) = &self.reads else { return };
        if record.exit.is_some_and(|exit| exit < block.end())
            && let Some(ordinal) = self.locate(block.first().0)
        {
            reads.look_into(ordinal);
        }
    }

    /// The call's record, if it was entered in this block.
    fn call_in(&self, block: &Block, id: CallId) -> Result<Option<CallRecord>> {
        let Some(thread) = block.thread(id.thread) else {
            return Ok(None);
        };
        let Some(row) = thread.row(id.preorder) else {
            return Ok(None);
        };
        let Some(enter) = block.enter(row.enter as usize) else {
            return Ok(None);
        };
        let mut record = CallRecord {
            id,
            parent: thread.call_id(row.parent),
            depth: row.depth,
            method: enter.method,
            enter: block.timestamp(row.enter as usize),
            exit: row.exit().map(|exit| block.timestamp(exit)),
            size: row.size.into(),
            boundary: enter.boundary,
            already_running: enter.already_running,
            call_site: enter.call_site,
            invocation: row.invocation,
        };
        if record.exit.is_none() {
            let ended = match self.ended_in_tail(id) {
                Some(ended) => Some(ended),
                None => self.inner.long_call(id)?.and_then(|call| call.ended),
            };
            self.set_end(&mut record, ended);
        }
        Ok(Some(record))
    }

    fn long_record(&self, id: CallId, call: &LongCall) -> CallRecord {
        let mut record = CallRecord {
            id,
            parent: CallId::new(id.thread, call.parent),
            depth: call.depth,
            method: MethodId(call.method),
            enter: Timestamp(call.enter),
            exit: None,
            size: 0,
            boundary: call.boundary,
            already_running: call.already_running,
            call_site: call.call_site,
            invocation: call.invocation,
        };
        self.set_end(&mut record, call.ended.or_else(|| self.ended_in_tail(id)));
        record
    }

    /// The end of a long call, as far as this view sees it: what ended later still runs.
    fn set_end(&self, record: &mut CallRecord, ended: Option<(u64, u64)>) {
        match ended.filter(|(exit, _)| *exit < self.end) {
            Some((exit, size)) => {
                record.exit = Some(Timestamp(exit));
                record.size = size;
            }
            None => record.size = self.calls_of(record.id.thread) + 1 - record.id.preorder,
        }
    }

    /// Exit and size of a call that ended in a block in memory after the one of its enter.
    fn ended_in_tail(&self, id: CallId) -> Option<(u64, u64)> {
        self.tail.iter().find_map(|block| {
            let exits = &block.thread(id.thread)?.outer_exits;
            let exit = exits.iter().find(|exit| exit.call == id.preorder)?;
            Some((block.timestamp(exit.position as usize).0, exit.size))
        })
    }

    /// The first call of a thread behind call `preorder`, which lies in a damaged block, that can be read: one that
    /// runs on behind that block, or the first that was entered behind it.
    fn next_readable_call(&self, thread: ThreadId, preorder: u64) -> Option<u64> {
        let next_in = |family, from: u64| {
            let from = families::call(CallId::new(thread, from));
            let next = self.inner.db.nearest(family, &from, Seek::Forward);
            let (key, _) = next.ok()??;
            let call = CallId::unpack(families::u64_at(&key, 0)?);
            (call.thread == thread).then_some(call.preorder)
        };
        let long = next_in(families::LONG_CALLS, preorder + 1);
        // Nothing that was entered in what was cut off can be read.
        let kept = match self.cut() {
            0 => Some(0),
            cut => {
                let kept = self.thread_block(thread, self.first_of(cut), Seek::Forward);
                kept.ok().flatten().map(|(_, entry)| entry.first_call)
            }
        };
        let in_block = kept.and_then(|kept| next_in(families::CALL_BLOCKS, kept.max(preorder + 1)));
        let in_block = in_block.or_else(|| {
            let mut tail = self.tail.iter().filter_map(|block| block.thread(thread));
            tail.find(|thread| thread.first_call > preorder)
                .map(|thread| thread.first_call)
        });
        match (long, in_block) {
            (Some(long), Some(in_block)) => Some(long.min(in_block)),
            (long, in_block) => long.or(in_block),
        }
    }
}
