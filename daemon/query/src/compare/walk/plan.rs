//! How the next events of two calls that went apart are aligned.

use std::collections::VecDeque;

use jhyde_trace::Timestamp;

use super::super::align::{Sequence, Step, align};
use super::super::keys::Key;
use super::super::side::Place;
use super::Walk;
use crate::error::Result;

/// So many own events of a call are aligned at once.
const WINDOW: usize = 1024;
/// Where that finds next to nothing, so many are looked through for what comes next on the other side.
const MOST_LOOKED: usize = 1 << 21;
/// So many events in a row of the other side are looked for.
const RUN: usize = 8;

/// What becomes of the next events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Planned {
    /// They are each other's.
    Both(Timestamp),
    /// All up to this one have no counterpart, on one side.
    Only(usize, Timestamp),
}

impl Planned {
    /// Has the next event of a side no counterpart?
    pub(super) fn is_of(&self, side: usize, at: Timestamp) -> bool {
        matches!(self, Self::Only(of, last) if *of == side && at <= *last)
    }
}

impl Walk {
    /// What was planned of more events than the one at this time is planned still.
    pub(super) fn keep(&mut self, planned: Planned, at: Timestamp) {
        if let Planned::Only(_, last) = planned
            && at < last
            && let Some(frame) = self.frames.last_mut()
        {
            frame.script.push_front(planned);
        }
    }

    /// Does the alignment begin with the next events? Else nothing would go on.
    pub(super) fn is_planned(&self, next: [Timestamp; 2]) -> bool {
        let first = self.frames.last().and_then(|frame| frame.script.front());
        first.is_some_and(|planned| match planned {
            Planned::Both(at) => *at == next[0],
            Planned::Only(side, _) => planned.is_of(*side, next[*side]),
        })
    }

    /// Aligns what follows in the two innermost calls.
    pub(super) fn realign(&mut self) -> Result<()> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        frame.script.clear();
        let mut ahead = Vec::with_capacity(2);
        for (number, side) in self.sides.iter_mut().enumerate() {
            let place = Place {
                method: frame.methods[number],
                map: frame.map.as_deref(),
            };
            ahead.push(side.ahead(frame.calls[number], &place, WINDOW, &mut self.names)?);
        }
        let Ok([(mut lefts, left, more), (mut rights, right, goes_on)]) = <[_; 2]>::try_from(ahead)
        else {
            return Ok(());
        };
        let steps = align(
            Sequence {
                of: &left,
                goes_on: more,
            },
            Sequence {
                of: &right,
                goes_on,
            },
        );
        let in_both = steps.iter().filter(|step| **step == Step::Both).count();
        let shorter = left.len().min(right.len());
        if (more || goes_on)
            && in_both * 2 < shorter
            && let Some(planned) = self.look([&lefts, &rights], [&left, &right])?
        {
            if let Some(frame) = self.frames.last_mut() {
                frame.script.push_back(planned);
            }
            return Ok(());
        }
        // Where an alignment ended early, its last steps did not see what comes: the next one decides on them again.
        let is_whole = steps.len() + in_both == left.len() + right.len() && !more && !goes_on;
        let kept = match is_whole {
            true => steps.len(),
            false => steps.len() - steps.len() / 4,
        };
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        for step in steps.into_iter().take(kept) {
            let planned = match step {
                Step::Both => {
                    rights.pop_front();
                    lefts.pop_front().map(Planned::Both)
                }
                Step::Left => lefts.pop_front().map(|at| Planned::Only(0, at)),
                Step::Right => rights.pop_front().map(|at| Planned::Only(1, at)),
            };
            frame.script.extend(planned);
        }
        Ok(())
    }

    /// Looks far ahead on both sides for what comes next on the other one, and plans to pass what is before it.
    fn look(
        &mut self,
        times: [&VecDeque<Timestamp>; 2],
        keys: [&[Key]; 2],
    ) -> Result<Option<Planned>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(None);
        };
        let [Some(left), Some(right)] = times.map(|of| of.front().copied()) else {
            return Ok(None);
        };
        if left <= frame.barren[0] && right <= frame.barren[1] {
            return Ok(None);
        }
        let mut looks = [0, 1].map(|side| Look::new(keys[1 - side]));
        let mut rows = [left, right]
            .map(Some)
            .into_iter()
            .enumerate()
            .map(|(side, from)| from.map(|from| self.sides[side].own(frame.calls[side], from)));
        let mut rows = [rows.next().flatten(), rows.next().flatten()];
        let mut last = [left, right];
        // In turn, so that the one that has less before it is found.
        for _ in 0..MOST_LOOKED {
            for side in 0..2 {
                let Some(of) = &mut rows[side] else { continue };
                let Some(row) = of.next() else {
                    rows[side] = None;
                    continue;
                };
                let place = Place {
                    method: frame.methods[side],
                    map: frame.map.as_deref(),
                };
                let own = &mut self.sides[side];
                let key = own.own_key(row?, frame.calls[side], &place, &mut self.names)?;
                let Some((at, key)) = key else { continue };
                last[side] = at;
                if let Some(before) = looks[side].take(at, key) {
                    return Ok(Some(Planned::Only(side, before)));
                }
            }
            if rows.iter().all(Option::is_none) {
                break;
            }
        }
        frame.barren = last;
        Ok(None)
    }
}

/// Looks for a few events in a row.
struct Look<'a> {
    wanted: &'a [Key],
    /// The last events, with the one before each.
    seen: VecDeque<(Option<Timestamp>, Key)>,
    before: Option<Timestamp>,
}

impl<'a> Look<'a> {
    fn new(wanted: &'a [Key]) -> Self {
        Self {
            wanted: &wanted[..wanted.len().min(RUN)],
            seen: VecDeque::with_capacity(RUN),
            before: None,
        }
    }

    /// Takes the next one. Once all are there in order: the last one before them.
    fn take(&mut self, at: Timestamp, key: Key) -> Option<Timestamp> {
        self.seen.push_back((self.before.replace(at), key));
        if self.seen.len() > self.wanted.len() {
            self.seen.pop_front();
        }
        let is_there = self.seen.len() == self.wanted.len()
            && self.seen.iter().map(|(_, key)| key).eq(self.wanted);
        match self.seen.front() {
            Some((before, _)) if is_there => *before,
            _ => None,
        }
    }
}
