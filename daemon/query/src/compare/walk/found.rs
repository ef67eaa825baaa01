//! Contents: what objects of the JDK are found to hold.
//!
//! When that is found out says little: between two events that are each other's, contents are gathered, and then held against each
//! other object by object, in order.

use jhyde_store::records::TimedEvent;
use jhyde_trace::{Change, EventKind, ObjectId, Timestamp};

use super::super::contents::Found;
use super::super::values::Told;
use super::super::{Effect, Sink};
use super::Walk;
use crate::error::Result;

/// So many are gathered on one side, before they are compared.
const MOST_GATHERED: usize = 1024;
/// And of no more items in them: some 25 MB, and what the last one has.
const MOST_ITEMS: usize = 1 << 20;

/// Contents of one side.
#[derive(Default)]
pub(super) struct Gathered {
    events: Vec<TimedEvent>,
    /// Items in all of them.
    items: usize,
}

fn change(event: &TimedEvent) -> Option<(ObjectId, &Change)> {
    match &event.event.kind {
        EventKind::Content { object, change, .. } => Some((*object, change)),
        _ => None,
    }
}

/// What an event found, if something was found last at that time.
fn found_in(event: &TimedEvent, last: Option<Timestamp>) -> Option<Found<'_>> {
    let (object, change) = change(event)?;
    Some(Found {
        object,
        change,
        at: event.timestamp,
        last: last.unwrap_or(event.timestamp),
    })
}

impl Walk {
    /// Gathers the next events of those sides that found contents, and goes behind them.
    pub(super) fn find(
        &mut self,
        next: [(bool, TimedEvent); 2],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        for (side, (found, event)) in next.into_iter().enumerate() {
            if found {
                self.gather(side, event)?;
            }
        }
        let are_many = |of: &Gathered| of.events.len() >= MOST_GATHERED || of.items >= MOST_ITEMS;
        if self.contents.iter().any(are_many) {
            self.found(sink)?;
        }
        Ok(())
    }

    /// Gathers an event of a side, and goes behind it.
    pub(super) fn gather(&mut self, side: usize, event: TimedEvent) -> Result<()> {
        let of = &mut self.contents[side];
        of.items += change(&event).map_or(0, |(_, change)| change.size());
        of.events.push(event);
        self.go_on([side])
    }

    /// Holds what was gathered against each other.
    pub(super) fn found(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        // Between most events there is nothing.
        if self.contents.iter().all(|of| of.events.is_empty()) {
            return Ok(());
        }
        let [left, right] = std::mem::take(&mut self.contents).map(|of| of.events);
        if self.silent {
            return Ok(());
        }
        let last = [&left, &right].map(|of| of.last().map(|event| event.timestamp));
        let mut rest: Vec<Option<TimedEvent>> = right.into_iter().map(Some).collect();
        let mut first = 0;
        for one in left {
            let Some((object, _)) = change(&one) else {
                continue;
            };
            let fits = |other: &Option<TimedEvent>, unmet: bool| {
                let other = other.as_ref().and_then(change);
                other.is_some_and(|(other, _)| match self.values.known(object, other) {
                    Some(Told::Equal) => true,
                    None => unmet,
                    _ => false,
                })
            };
            let met = (first..rest.len()).find(|at| fits(&rest[*at], false));
            let found = match met {
                Some(met) => Some(met),
                // One that nobody met is taken for it where there is no other.
                None => {
                    let mut unmet = (first..rest.len()).filter(|at| fits(&rest[*at], true));
                    let of = |at: usize| rest[at].as_ref().and_then(change).map(|(of, _)| of);
                    let found = unmet.next();
                    found.filter(|found| unmet.all(|at| of(at) == of(*found)))
                }
            };
            let alike = match found.and_then(|at| rest[at].as_ref()).and_then(change) {
                Some((other, _)) => {
                    met.is_some() || self.values.may_be(&mut self.sides, object, other)?
                }
                None => false,
            };
            let Some(other) = found.filter(|_| alike).and_then(|at| rest[at].take()) else {
                self.alone(0, &one);
                continue;
            };
            while rest.get(first).is_some_and(Option::is_none) {
                first += 1;
            }
            let (Some(left), Some(right)) = (found_in(&one, last[0]), found_in(&other, last[1]))
            else {
                continue;
            };
            match self.values.changes(&mut self.sides, left, right)? {
                (Told::Unknown, Some(why)) => self.unknown(|_| {
                    format!(
                        "the content at event {} and at event {} cannot be compared: {why}",
                        one.timestamp, other.timestamp
                    )
                }),
                (told, _) => self.judge(Effect::Write, "content", told, [&one, &other], sink)?,
            }
        }
        for other in rest.into_iter().flatten() {
            self.alone(1, &other);
        }
        Ok(())
    }

    /// Contents that the other side was not found to hold.
    fn alone(&mut self, side: usize, event: &TimedEvent) {
        let Some((object, _)) = change(event) else {
            return;
        };
        let at = event.timestamp;
        self.values.marks.alone(side, object, [at, at]);
        self.unknown(|walk| {
            format!(
                "{}: what object#{object} holds at event {} is not told of a counterpart in {}",
                walk.sides[side].name,
                event.timestamp,
                walk.sides[1 - side].name
            )
        });
    }
}
