//! What all calls of a method did.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::block::{BlockThread, Kinds};
use jhyde_trace::{Block, CallId, MethodId, ObjectId, Timestamp};
use rustc_hash::FxHashMap;

use super::events::positions;
use super::{known, pages};
use crate::error::{Error, Result};
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{Direction, MethodEvent, TimedEvent};
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

    /// The events of some kinds of all calls of some methods in a range, calls out of the scope too, in the order of time. Where the beginning
    /// of a call is in a damaged block its events are left out, and that block is an error before those that follow it.
    pub fn events_inside(
        &self,
        methods: BTreeSet<MethodId>,
        kinds: Kinds,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let ordinals = match view.blocks_of_methods(&methods, &range, start, direction) {
            Ok(ordinals) => ordinals,
            Err(error) => return known([Err(error)]),
        };
        let mut ordinals = ordinals.into_iter();
        let mut behind: Option<Box<dyn Iterator<Item = TimedEvent> + Send>> = None;
        pages(move || {
            if let Some(rows) = behind.take() {
                return Some(Ok(rows));
            }
            let block = match view.block(ordinals.next()?) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let (wanted, shapes) = (positions(&block, &range), block.shapes_of(kinds));
            let (mut found, unread) = view.inside_methods(&block, &methods, &shapes, wanted);
            if direction == Direction::Backward {
                found.reverse();
            }
            let levels = view.levels.clone();
            let rows = found.into_iter().filter_map(move |at| {
                Some(TimedEvent {
                    timestamp: block.timestamp(at),
                    event: told(&levels, &block, at)?,
                })
            });
            match unread {
                None => Some(Ok(Box::new(rows))),
                Some(error) => {
                    behind = Some(Box::new(rows));
                    Some(Err(error))
                }
            }
        })
    }
}

/// The methods of the calls that do something in a block, each looked up once.
struct Callees<'a> {
    view: &'a View,
    block: &'a Arc<Block>,
    known: FxHashMap<CallId, Option<(MethodId, bool)>>,
}

impl<'a> Callees<'a> {
    fn new(view: &'a View, block: &'a Arc<Block>) -> Self {
        let known = FxHashMap::default();
        Self { view, block, known }
    }

    /// The method of a call, and whether the call leaves the scope; none outside of all calls.
    fn of(&mut self, thread: &BlockThread, call: CallId) -> Result<Option<(MethodId, bool)>> {
        if let Some(callee) = self.known.get(&call) {
            return Ok(*callee);
        }
        let row = thread.row(call.preorder);
        let enter = row.and_then(|row| self.block.enter(row.enter as usize));
        let callee = match enter {
            Some(enter) => Some((enter.method, enter.boundary)),
            None if call.is_root() => None,
            None => {
                let record = self.view.call(call, &mut Some(Arc::clone(self.block)))?;
                Some((record.method, record.boundary))
            }
        };
        self.known.insert(call, callee);
        Ok(callee)
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

    /// The blocks of a range in which calls of some methods may do something, in the order in which they are read.
    fn blocks_of_methods(
        &self,
        methods: &BTreeSet<MethodId>,
        range: &Range<u64>,
        start: u32,
        direction: Direction,
    ) -> Result<Vec<u32>> {
        let first = match direction {
            Direction::Forward => start,
            Direction::Backward => self.cut(),
        };
        let mut all = BTreeSet::new();
        for &method in methods {
            all.extend(self.blocks_of_method(method, first)?);
        }
        let mut all: Vec<u32> = all.into_iter().collect();
        if direction == Direction::Backward {
            all.retain(|ordinal| *ordinal <= start);
            all.reverse();
        }
        let past = all
            .iter()
            .position(|at| self.is_past(*at, range, direction));
        all.truncate(past.unwrap_or(all.len()));
        Ok(all)
    }

    /// The positions of the events in a block whose calls are of some methods, and of which calls that could not be read.
    fn inside_methods(
        &self,
        block: &Arc<Block>,
        methods: &BTreeSet<MethodId>,
        shapes: &[bool],
        wanted: Range<usize>,
    ) -> (Vec<usize>, Option<Error>) {
        let mut callees = Callees::new(self, block);
        let (mut rows, mut unread) = (Vec::new(), None);
        for (thread, run) in block.runs() {
            let mut last: Option<(CallId, bool)> = None;
            for at in run.start.max(wanted.start)..run.end.min(wanted.end) {
                if !shapes.get(block.shape_number(at)).is_some_and(|is| *is) {
                    continue;
                }
                let call = block.call(at);
                let is = match last {
                    Some((known, is)) if known == call => is,
                    _ => match callees.of(thread, call) {
                        Ok(callee) => callee.is_some_and(|(method, _)| methods.contains(&method)),
                        Err(error) => {
                            unread.get_or_insert(error);
                            false
                        }
                    },
                };
                last = Some((call, is));
                if is {
                    rows.push(at);
                }
            }
        }
        (rows, unread)
    }

    /// What calls of a method do in a block: the call and the position.
    fn own_of_method(
        &self,
        block: &Arc<Block>,
        method: MethodId,
        wanted: Range<usize>,
    ) -> Result<Vec<(CallId, usize)>> {
        let mut callees = Callees::new(self, block);
        let mut rows = Vec::new();
        for (thread, run) in block.runs() {
            let mut is_of = |call: CallId| -> Result<bool> {
                Ok(callees.of(thread, call)? == Some((method, false)))
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
