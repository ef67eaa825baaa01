//! What all calls of a method did.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::{Block, CallId, MethodId, ObjectId, Timestamp};
use rustc_hash::FxHashMap;

use super::events::positions;
use super::{known, pages};
use crate::error::Result;
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{Direction, MethodEvent};
use crate::view::{View, told};

/// So many blocks are read ahead: most of the time goes into decoding, which is done on several cores.
const AHEAD: usize = 16;

impl Recording {
    /// The own events of all calls of a method in a range, and the `Enter` of each call that they make, in the order of time.
    /// Calls out of the scope, which have no events but their ends, are left out. An event is told twice where a call of the method
    /// is made by another one: first as its caller's.
    pub fn events_of_method(&self, method: MethodId, range: Range<Timestamp>) -> Rows<MethodEvent> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, Direction::Forward) else {
            return known([]);
        };
        let ordinals = match view.blocks_of_method(method, start) {
            Ok(ordinals) => ordinals,
            Err(error) => return known([Err(error)]),
        };
        let mut ordinals = ordinals.into_iter();
        let mut ahead: Vec<Arc<Block>> = Vec::new();
        let mut next = Vec::new().into_iter();
        pages(move || {
            let ordinal = match next.next() {
                Some(ordinal) => ordinal,
                None => {
                    let wanted: Vec<u32> = ordinals
                        .by_ref()
                        .take_while(|ordinal| !view.is_past(*ordinal, &range, Direction::Forward))
                        .take(AHEAD)
                        .collect();
                    // Held, so that they are still there when they are asked for.
                    ahead.clear();
                    ahead.extend(view.preload(&wanted));
                    next = wanted.into_iter();
                    next.next()?
                }
            };
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let rows = match view.own_of_method(&block, method, positions(&block, &range)) {
                Ok(rows) => rows,
                Err(error) => return Some(Err(error)),
            };
            let levels = view.levels.clone();
            let row = move |(call, at): (CallId, usize)| {
                Some(MethodEvent {
                    call,
                    timestamp: block.timestamp(at),
                    event: told(&levels, &block, at)?,
                })
            };
            Some(Ok(Box::new(rows.into_iter().filter_map(row))))
        })
    }
}

impl View {
    /// The blocks from one on in which a call of a method may do something.
    pub(super) fn blocks_of_method(&self, method: MethodId, start: u32) -> Result<BTreeSet<u32>> {
        let Some(last) = self.blocks().checked_sub(1) else {
            return Ok(BTreeSet::new());
        };
        let places = Key::of_place(method, 0)..Key::of_place(method, u32::MAX).next();
        match self.inner.index >= Key::of_references(ObjectId(0)).since() {
            true => self.blocks_among(places, start, last),
            // From where calls are made is not in the index.
            false => Ok((start..=last).collect()),
        }
    }

    /// What calls of a method do in a block: the call and the position.
    fn own_of_method(
        &self,
        block: &Arc<Block>,
        method: MethodId,
        wanted: Range<usize>,
    ) -> Result<Vec<(CallId, usize)>> {
        let mut known: FxHashMap<CallId, bool> = FxHashMap::default();
        let mut rows = Vec::new();
        for (thread, run) in block.runs() {
            let mut is_of = |call: CallId| -> Result<bool> {
                if let Some(is) = known.get(&call) {
                    return Ok(*is);
                }
                let row = thread.row(call.preorder);
                let enter = row.and_then(|row| block.enter(row.enter as usize));
                let is = match enter {
                    Some(enter) => enter.method == method && !enter.boundary,
                    None if call.is_root() => false,
                    None => {
                        let record = self.call(call, &mut Some(block.clone()))?;
                        record.method == method && !record.boundary
                    }
                };
                known.insert(call, is);
                Ok(is)
            };
            let mut last: Option<(CallId, bool)> = None;
            for at in run.start.max(wanted.start)..run.end.min(wanted.end) {
                let call = block.call(at);
                let begins = block.enter(at).and_then(|_| thread.row(call.preorder));
                if let Some(row) = begins {
                    let caller = thread.call_id(row.parent);
                    if is_of(caller)? {
                        rows.push((caller, at));
                    }
                }
                let is = match last {
                    Some((known, is)) if known == call => is,
                    _ => is_of(call)?,
                };
                last = Some((call, is));
                if is {
                    rows.push((call, at));
                }
            }
        }
        Ok(rows)
    }
}
