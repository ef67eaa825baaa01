//! What is counted of each block, so that "how often?" needs no block.
//!
//! A [`Tally`] says how often something of the program's text happened: events at an instruction, ways from one instruction
//! to another, calls of a method that began, objects of a class that were made. Those of blocks add up to that of any stretch that
//! they fill; of a block of which only a part is asked for the events are gone through. Events are counted, not values: what is in
//! doubt ([`jhyde_trace::Levels`]) is told without values, and counts all the same.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::block::ShapeKind;
use jhyde_trace::{Block, CallId, ClassId, MethodId, Timestamp};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::database::{open_value, sealed_value};
use crate::error::{Error, Result};
use crate::families;
use crate::queries::ahead::Ahead;
use crate::queries::events::positions;
use crate::queries::pages;
use crate::recording::{Recording, Rows};
use crate::records::Direction;
use crate::view::View;
use crate::whose::Whose;

/// See the module. Each list is in the order of what is counted, which it has once, and has no count of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Own events of the calls of a method at a bytecode index, which is [`jhyde_trace::Event::NO_INDEX`] for those that have none.
    pub events: Vec<(MethodId, u32, u64)>,
    /// Ways from one bytecode index of a method to another: [`jhyde_trace::EventKind::Edge`].
    pub ways: Vec<(MethodId, u32, u32, u64)>,
    /// Calls of a method of the scope that began, without those that ran already when the recording did.
    pub entries: Vec<(MethodId, u64)>,
    /// Objects of a class that were made: [`jhyde_trace::EventKind::New`].
    pub made: Vec<(ClassId, u64)>,
}

impl Tally {
    /// Of the events of a block at some positions. `outer_method` tells the method of a call that was entered before the block.
    pub(crate) fn of(
        block: &Block,
        wanted: Range<usize>,
        outer_method: impl FnMut(CallId) -> Option<MethodId>,
    ) -> Self {
        let kinds = block.shape_kinds();
        // Of each shape: the position of one of its events, and how many there were; of the method last met, too.
        let mut shapes = vec![(0, 0_u64); kinds.len()];
        let mut last: Vec<(Option<MethodId>, u64)> = vec![(None, 0); kinds.len()];
        let mut of_methods: FxHashMap<(usize, MethodId), u64> = FxHashMap::default();
        let mut whose = Whose::new(block, outer_method);
        for position in wanted {
            let method = whose.call(position).method;
            let shape = block.shape_number(position);
            let (Some(of_shape), Some(last)) = (shapes.get_mut(shape), last.get_mut(shape)) else {
                continue;
            };
            *of_shape = (position, of_shape.1 + 1);
            if last.0 == method {
                last.1 += 1;
            } else if let (Some(before), count) = std::mem::replace(last, (method, 1)) {
                *of_methods.entry((shape, before)).or_default() += count;
            }
        }
        for (shape, (method, count)) in last.into_iter().enumerate() {
            if let Some(method) = method {
                *of_methods.entry((shape, method)).or_default() += count;
            }
        }
        let mut sum = Sum::default();
        for (&kind, (position, count)) in kinds.iter().zip(&shapes).filter(|(_, of)| of.1 > 0) {
            match kind {
                ShapeKind::Enter(_) => {
                    let enter = block.enter(*position);
                    let began = enter.filter(|enter| !enter.boundary && !enter.already_running);
                    if let Some(enter) = began {
                        *sum.entries.entry(enter.method).or_default() += count;
                    }
                }
                ShapeKind::New(class) => *sum.made.entry(class).or_default() += count,
                _ => {}
            }
        }
        for ((shape, method), count) in of_methods {
            let index = shapes.get(shape).map(|of| block.index(of.0));
            if let Some(index) = index {
                *sum.events.entry((method, index)).or_default() += count;
            }
            if let Some(ShapeKind::Edge(from, to)) = kinds.get(shape) {
                *sum.ways.entry((method, *from, *to)).or_default() += count;
            }
        }
        sum.tally()
    }

    /// Its bytes: behind a checksum.
    pub(crate) fn encode(&self) -> Vec<u8> {
        sealed_value(self)
    }

    /// The inverse of [`Tally::encode`]; says what is wrong.
    pub(crate) fn decode(bytes: &[u8]) -> std::result::Result<Self, String> {
        open_value(bytes)
    }
}

/// Tallies that are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// As in [`Tally::events`].
    pub events: BTreeMap<(MethodId, u32), u64>,
    /// As in [`Tally::ways`].
    pub ways: BTreeMap<(MethodId, u32, u32), u64>,
    /// As in [`Tally::entries`].
    pub entries: BTreeMap<MethodId, u64>,
    /// As in [`Tally::made`].
    pub made: BTreeMap<ClassId, u64>,
}

impl Sum {
    /// Adds one.
    pub fn add(&mut self, tally: &Tally) {
        for (method, index, count) in &tally.events {
            *self.events.entry((*method, *index)).or_default() += count;
        }
        for (method, from, to, count) in &tally.ways {
            *self.ways.entry((*method, *from, *to)).or_default() += count;
        }
        for (method, count) in &tally.entries {
            *self.entries.entry(*method).or_default() += count;
        }
        for (class, count) in &tally.made {
            *self.made.entry(*class).or_default() += count;
        }
    }

    /// Own events of the calls of a method.
    pub fn events_of(&self, method: MethodId) -> u64 {
        let all = (method, 0)..=(method, u32::MAX);
        self.events.range(all).map(|(_, count)| count).sum()
    }

    /// Those at bytecode indexes of a range.
    pub fn events_at(&self, method: MethodId, indexes: Range<u32>) -> u64 {
        if indexes.is_empty() {
            return 0;
        }
        let those = (method, indexes.start)..(method, indexes.end);
        self.events.range(those).map(|(_, count)| count).sum()
    }

    fn tally(self) -> Tally {
        let events = self.events.into_iter();
        let ways = self.ways.into_iter();
        Tally {
            events: events
                .map(|((method, index), count)| (method, index, count))
                .collect(),
            ways: ways
                .map(|((method, from, to), count)| (method, from, to, count))
                .collect(),
            entries: self.entries.into_iter().collect(),
            made: self.made.into_iter().collect(),
        }
    }
}

impl Recording {
    /// Is it kept what is counted of each block? Recordings that were made before it was are read whole for it.
    pub fn has_tallies(&self) -> bool {
        !self.inner.db.lacks(families::TALLIES)
    }

    /// What is counted of a stretch, in parts: each of a block, or of what of it lies in the stretch. Blocks are read for those at its
    /// ends alone, and where it is not kept.
    pub fn tallies(&self, range: Range<Timestamp>) -> Rows<Tally> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, Direction::Forward) else {
            return Box::new(std::iter::empty());
        };
        let mut next = Some(start);
        let mut ahead = Ahead::new(start);
        pages(move || {
            let ordinal = next.filter(|at| !view.is_past(*at, &range, Direction::Forward))?;
            next = view.step(ordinal, Direction::Forward);
            let tally = match view.kept_tally(ordinal, &range) {
                Ok(Some(tally)) => Ok(tally),
                Ok(None) => {
                    ahead.come(&view, ordinal, &range);
                    view.counted(ordinal, &range)
                }
                Err(error) => Err(error),
            };
            Some(tally.map(|tally| Box::new(std::iter::once(tally)) as Box<_>))
        })
    }
}

impl View {
    /// What is kept of a block that lies in a range as a whole.
    pub(crate) fn kept_tally(&self, ordinal: u32, range: &Range<u64>) -> Result<Option<Tally>> {
        let (first, end) = (self.first_of(ordinal), self.first_of(ordinal + 1));
        let is_whole = range.start <= first && end <= range.end;
        let is_kept = (self.cut()..self.persisted).contains(&ordinal);
        if !is_whole || !is_kept || self.inner.db.lacks(families::TALLIES) {
            return Ok(None);
        }
        // Where it is damaged, or is not there, the block tells the same.
        match self.inner.db.get(families::TALLIES, &first.to_be_bytes()) {
            Ok(Some(bytes)) => Ok(Tally::decode(&bytes).ok()),
            Ok(None) | Err(Error::Damaged { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// By the events.
    fn counted(&self, ordinal: u32, range: &Range<u64>) -> Result<Tally> {
        let block = self.block(ordinal)?;
        let mut failure = None;
        let outer = |call| match self.call(call, &mut Some(Arc::clone(&block))) {
            Ok(call) => Some(call.method),
            // Nobody can tell whose events these are.
            Err(Error::Damaged { .. }) => None,
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        };
        let tally = Tally::of(&block, positions(&block, range), outer);
        failure.map_or(Ok(tally), Err)
    }
}
