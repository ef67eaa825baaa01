//! Pages of an event list that begin anywhere, and go backwards.
//!
//! A page is made forwards, from a place on ([`super::fold`]). What stands before a place is found by beginning before it:
//! so far before that there are as many rows between as a page has, but not many more. How far that is is not known
//! beforehand (a row may be an event, or a loop of a million iterations), so it is searched: doubling the way back while
//! it holds too few rows, halving it while it holds too many. Either costs a page each time.

use jhyde_trace::{CallId, Timestamp};

use super::fold::{self, Position, Spec, SpecKind};
use super::outline::Outline;
use super::{EventList, Inside};
use crate::error::{Error, Result};
use crate::history::History;
use crate::page::{Place, Turn};

/// Rows, and how the list goes on both ways.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Spec>,
    pub(super) next: Option<Position>,
    /// Where the first row begins that has others before it.
    pub(super) before: Option<Position>,
}

/// So many times as many rows as are wanted may be read for them.
const READ: usize = 4;

/// What a page is made of.
pub(super) struct Pages<'a> {
    pub(super) history: &'a History,
    pub(super) outline: &'a Outline,
    pub(super) list: &'a EventList,
    pub(super) life: (Timestamp, Timestamp),
    pub(super) limit: usize,
}

impl Pages<'_> {
    /// The page that begins or ends at a place; `None` if the row to be opened is not there.
    pub(super) fn page(&self, at: Position, backward: bool) -> Result<Option<Rows>> {
        if backward {
            return self.before(at);
        }
        let Some((rows, next)) = self.fold(at, self.limit)? else {
            return Ok(None);
        };
        let first = rows.first().map_or(at, position);
        let before = match self.any_before(first)? {
            true => Some(first),
            false => None,
        };
        Ok(Some(Rows { rows, next, before }))
    }

    fn fold(&self, at: Position, limit: usize) -> Result<Option<(Vec<Spec>, Option<Position>)>> {
        fold::page(self.history, self.outline, self.list, self.life, at, limit)
    }

    /// Is there a row before a place? The first row of a list is.
    fn any_before(&self, at: Position) -> Result<bool> {
        if at == (Timestamp(0), 0) {
            return Ok(false);
        }
        let first = self.fold((Timestamp(0), 0), 1)?;
        Ok(first.is_some_and(|(rows, _)| rows.first().is_some_and(|row| position(row) < at)))
    }

    /// The rows before a place.
    fn before(&self, end: Position) -> Result<Option<Rows>> {
        // From here on there are too few rows, and from there on too many.
        let begin = self.life.0.max(self.list.from.unwrap_or_default());
        let last = end.0.0.min(self.life.1.0.saturating_add(1));
        let mut few = last.saturating_add(1);
        let mut many: Option<u64> = None;
        let mut way = self.limit as u64;
        let found = loop {
            self.history.check()?;
            let from = match many {
                Some(many) => many + (few - many) / 2,
                None => last.saturating_sub(way).max(begin.0),
            };
            let Some((rows, over)) = self.between(Timestamp(from), end)? else {
                return Ok(None);
            };
            let is_all = from <= begin.0;
            match (over, rows.len() > self.limit) {
                // No step is left to halve: what begins here at once is taken as far as it was read.
                (true, _) if few - from <= 1 => break rows,
                (true, _) => many = Some(from),
                (false, true) => break rows,
                (false, false) if is_all || many.is_some_and(|many| from - many <= 1) => {
                    break rows;
                }
                (false, false) => {
                    few = from;
                    way = way.saturating_mul(2);
                }
            }
        };
        let (mut rows, next) = (found, self.fold(end, 1)?);
        let next = next.and_then(|(rows, _)| rows.first().map(position));
        let more = rows.len() > self.limit;
        rows.drain(..rows.len().saturating_sub(self.limit));
        let first = rows.first().map(position);
        let before = match (first, more) {
            (Some(first), true) => Some(first),
            (Some(first), false) if self.any_before(first)? => Some(first),
            _ => None,
        };
        Ok(Some(Rows { rows, next, before }))
    }

    /// The rows between a time and a place, and whether there are too many to read.
    fn between(&self, from: Timestamp, end: Position) -> Result<Option<(Vec<Spec>, bool)>> {
        let most = (self.limit + 1) * READ;
        // Nothing behind the place is read.
        let until = Timestamp(end.0.0.saturating_add(1));
        let list = EventList {
            to: Some(self.list.to.map_or(until, |to| to.min(until))),
            ..*self.list
        };
        let found = fold::page(
            self.history,
            self.outline,
            &list,
            self.life,
            (from, 0),
            most,
        )?;
        let Some((mut rows, next)) = found else {
            return Ok(None);
        };
        let inside = rows.partition_point(|row| position(row) < end);
        let over = inside == rows.len() && next.is_some_and(|next| next < end);
        rows.truncate(inside);
        Ok(Some((rows, over)))
    }
}

/// Where a row begins.
fn position(spec: &Spec) -> Position {
    let at = match &spec.kind {
        SpecKind::Event(own) => own.timestamp,
        SpecKind::Loop { begun, .. } => *begun,
        SpecKind::Iteration { from, .. } => *from,
    };
    (at, spec.level)
}

impl History {
    /// Where a list begins that is to begin at a place, and whether it goes backwards from there.
    pub(super) fn event_turn(
        &self,
        list: &EventList,
        turn: Option<Turn>,
        start: Option<crate::page::Start>,
        outline: &Outline,
        life: (Timestamp, Timestamp),
    ) -> Result<(Position, bool)> {
        let start = match (turn, start) {
            (Some(Turn::From(at)), _) => return Ok((unpacked(at), false)),
            (Some(Turn::Before(at)), _) => return Ok((unpacked(at), true)),
            (None, None) => return Ok(((Timestamp(0), 0), false)),
            (None, Some(start)) => start,
        };
        let time = match start.at {
            Place::Time(time) => time,
            Place::Call(call) => self.made_in(list.call, call)?,
            Place::Index(index) => {
                let at = self.iteration_at(list, outline, life, index)?;
                return Ok((at, start.backward));
            }
        };
        if time > life.1 {
            return Ok(((Timestamp(life.1.0.saturating_add(1)), 0), start.backward));
        }
        // The row that holds the time: the last one that begins at or before it. Without it all before it would be hidden
        // by what is opened in it.
        let around = Pages {
            history: self,
            outline,
            list,
            life,
            limit: 1,
        };
        let behind = (Timestamp(time.0.saturating_add(1)), 0);
        let holds = around
            .before(behind)?
            .and_then(|rows| rows.rows.first().map(position));
        Ok((holds.unwrap_or((Timestamp(0), 0)), start.backward))
    }

    /// When a call was made, as its caller's list has it: of a nested one the call above it that the list's call made.
    fn made_in(&self, of: CallId, call: CallId) -> Result<Timestamp> {
        if of == call {
            return Ok(self.span(call)?.0);
        }
        let path = self.recording.path(call)?;
        let made = path.iter().find(|above| above.parent == of);
        made.map(|made| made.enter)
            .ok_or_else(|| Error::Start(format!("call {call} was not made in call {of}")))
    }

    fn iteration_at(
        &self,
        list: &EventList,
        outline: &Outline,
        life: (Timestamp, Timestamp),
        index: u64,
    ) -> Result<Position> {
        let Some(Inside::Loop { begun, header }) = list.inside else {
            let reason = "only the iterations of a loop have numbers: give a call or a timestamp, or say which loop (inside)";
            return Err(Error::Start(reason.to_owned()));
        };
        let row = (begun, header, index.saturating_add(1));
        let found = fold::iteration_begin(self, outline, list, life, row)?;
        // Behind the last iteration is the loop's end.
        Ok(found.map_or_else(|| (Timestamp(life.1.0.saturating_add(1)), 0), |at| (at, 0)))
    }
}

/// Levels fit the lower bits of a page position, timestamps the upper ones.
const LEVEL_BITS: u32 = 16;

/// A place as a number.
pub(super) fn packed((at, level): Position) -> u64 {
    (at.0 << LEVEL_BITS) | u64::from(level)
}

fn unpacked(position: u64) -> Position {
    (
        Timestamp(position >> LEVEL_BITS),
        (position & ((1 << LEVEL_BITS) - 1)) as u32,
    )
}
