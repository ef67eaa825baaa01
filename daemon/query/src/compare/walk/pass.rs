//! Passages that are equal are passed without reading what they stand for.
//!
//! Two passages ([`jhyde_trace::block::Passage`]) prove that comparing their events one by one would find nothing, where both begin with the next events, have one digest, and
//!
//! - each site of the one is that of the other at its place: its key is the same, in the words that both recordings have, and so are the types of its values;
//! - each object likewise: by what is asked of two objects that are met for the first time, in the order in which they are met. Objects that are held by others
//!   must be known already: where contents meet them first, that does not make them each other's;
//! - nothing of them was planned to have no counterpart;
//! - each object holds the same as its counterpart before, as far as it holds something: the same changes make the same of it then.
//!
//! What comparing them would have left behind is left behind: who is whose, calls that are equal, calls that run. A digest is the same for two different
//! sequences with a probability of at most 2^-107. Where a recording's level was lowered, or some of it is in doubt, everything is read.

use std::mem::discriminant;

use jhyde_trace::block::{Passage, Site};
use jhyde_trace::{CallId, EventKind, MethodId, Outcome, Timestamp, Value};

use super::super::Sink;
use super::super::contents::hides_what_goes;
use super::super::side::Place;
use super::super::values::Told;
use super::plan::Planned;
use super::{Frame, Walk};
use crate::error::Result;

impl Walk {
    /// Passes what is proven to be equal from the next events on. False: nothing of it.
    pub(super) fn pass(&mut self, next: [Timestamp; 2], sink: &mut Sink<'_>) -> Result<bool> {
        if !self.passes {
            return Ok(false);
        }
        let (mut at, mut events, mut has_exits) = (next, [0; 2], false);
        while let Some(left) = self.sides[0].passage(at[0])
            && let Some(right) = self.sides[1].passage(at[1])
        {
            self.sides[0].is_cancelled()?;
            let pair = [&*left, &*right];
            if !self.are_equal(pair)? {
                break;
            }
            self.leave_equal(pair, sink)?;
            at = pair.map(|passage| passage.end);
            events = [0, 1].map(|side| events[side] + u64::from(pair[side].events));
            has_exits |= left.has_exits();
        }
        if at == next {
            return Ok(false);
        }
        for side in 0..2 {
            self.sides[side].go_behind(at[side], events[side], has_exits)?;
            self.heard(side);
        }
        Ok(true)
    }

    /// Would comparing what two passages stand for find nothing? Whose objects are whose is known then.
    fn are_equal(&mut self, pair: [&Passage; 2]) -> Result<bool> {
        let [left, right] = pair;
        let calls = |of: &Passage| {
            let ended = of.running.iter().map(|call| call.ended);
            (of.ended.clone(), ended.collect::<Vec<_>>())
        };
        if (left.digest, left.events) != (right.digest, right.events)
            || left.sites.len() != right.sites.len()
            || left.objects.len() != right.objects.len()
            || calls(left) != calls(right)
            || !self.is_open_to(pair)
        {
            return Ok(false);
        }
        // What they change may not have been the same before.
        if !self.silent && self.values.marks.are_all() && self.finds(left) {
            return Ok(false);
        }
        let ends = [left.end, right.end];
        for (&one, &other) in left.sites.iter().zip(&right.sites) {
            if !self.are_one_site([one, other])? {
                return Ok(false);
            }
        }
        for (one, other) in left.objects.iter().zip(&right.objects) {
            let objects = [one.object, other.object];
            if !self.silent && self.values.marks.are_marked(objects, ends) {
                return Ok(false);
            }
            let is_equal = match (one.born, self.silent) {
                (true, _) => {
                    let told = self.values.made(&mut self.sides, objects[0], objects[1])?;
                    told == Told::Equal
                }
                // Nothing but what is made is looked at.
                (false, true) => true,
                (false, false) if one.held => {
                    self.values
                        .are_known(&mut self.sides, objects[0], objects[1])?
                }
                (false, false) => self
                    .values
                    .are_alike(&mut self.sides, objects[0], objects[1])?,
            };
            let is_lost = one.lost && !self.silent;
            if !is_equal || is_lost && hides_what_goes(&mut self.sides, objects[0])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Is something found to hold something in a passage of the left side?
    fn finds(&mut self, passage: &Passage) -> bool {
        passage.sites.iter().any(|&site| {
            let site = self.sides[0].site(site);
            site.is_none_or(|site| matches!(site.event.kind, EventKind::Content { .. }))
        })
    }

    /// Are the calls there that end in the passages, and is nothing of them planned to have no counterpart?
    fn is_open_to(&self, pair: [&Passage; 2]) -> bool {
        let touched = pair[0].ended.len();
        // A thread's root does not end.
        if touched == 0 || touched > self.frames.len() {
            return false;
        }
        let alone = |planned: &Planned, is_next: bool| match planned {
            Planned::Both(_) => false,
            Planned::Only(side, at) => is_next || *at < pair[*side].end,
        };
        self.frames.iter().rev().take(touched).all(|frame| {
            let planned = frame.script.iter().enumerate();
            !planned.clone().any(|(at, planned)| alone(planned, at == 0))
        })
    }

    /// Are two sites each other's: does the same thing happen there, at the same place, with values of the same types?
    fn are_one_site(&mut self, numbers: [u32; 2]) -> Result<bool> {
        let [left, right] = numbers;
        if let Some(known) = self.sites.get(&(left, right)) {
            return Ok(*known);
        }
        let is_one = match (self.sides[0].site(left), self.sides[1].site(right)) {
            (Some(left), Some(right)) => self.is_one_site([&*left, &*right])?,
            _ => false,
        };
        self.sites.insert((left, right), is_one);
        Ok(is_one)
    }

    fn is_one_site(&mut self, pair: [&Site; 2]) -> Result<bool> {
        if pair[0].boundary != pair[1].boundary {
            return Ok(false);
        }
        let map = match pair.map(|site| site.method) {
            [Some(left), Some(right)] if !pair[0].boundary => self.map([left, right])?,
            [Some(_), Some(_)] | [None, None] => None,
            _ => return Ok(false),
        };
        let mut keys = [None; 2];
        for (side, site) in pair.into_iter().enumerate() {
            let place = Place {
                method: site.method,
                map: map.as_deref(),
            };
            keys[side] = self.sides[side].key(&site.event, &place, &mut self.names)?;
        }
        if keys[0].is_none() || keys[0] != keys[1] {
            return Ok(false);
        }
        let [left, right] = pair.map(|site| &site.event.kind);
        if !are_of_one_type(left, right) {
            return Ok(false);
        }
        Ok(match (left, right) {
            (EventKind::New { class, .. }, EventKind::New { class: other, .. }) => {
                self.sides[0].class(*class)? == self.sides[1].class(*other)?
            }
            // What a call out of the scope was given was not seen then.
            (
                EventKind::Enter {
                    method, arguments, ..
                },
                _,
            ) if arguments.is_empty() => !self.takes_arguments(*method)?,
            // What a call yielded that yields something is not recorded then.
            (
                EventKind::Exit {
                    outcome: Outcome::Returned(None),
                },
                _,
            ) => self.is_void(pair[0].method)?,
            _ => true,
        })
    }

    fn is_void(&self, method: Option<MethodId>) -> Result<bool> {
        let method = self.sides[0].method(method)?;
        Ok(method.is_some_and(|method| method.method().descriptor.ends_with('V')))
    }

    /// Leaves behind what comparing two equal passages would.
    fn leave_equal(&mut self, pair: [&Passage; 2], sink: &mut Sink<'_>) -> Result<()> {
        let [left, right] = pair;
        for (around, &ended) in left.ended.iter().enumerate() {
            if around > 0 {
                self.pop(sink)?;
            }
            self.are_ended(ended);
            if let Some(frame) = self.frames.last_mut() {
                let in_it =
                    |planned: &&Planned| matches!(planned, Planned::Both(at) if *at < left.end);
                let passed = frame.script.iter().take_while(in_it).count();
                frame.script.drain(..passed);
            }
        }
        let threads = [self.sides[0].thread(), self.sides[1].thread()];
        for (one, other) in left.running.iter().zip(&right.running) {
            let sites = [self.sides[0].site(one.site), self.sides[1].site(other.site)];
            let mut methods = [None; 2];
            let mut is_boundary = false;
            for (method, site) in methods.iter_mut().zip(&sites) {
                if let Some(site) = site
                    && let EventKind::Enter {
                        method: of,
                        boundary,
                        ..
                    } = &site.event.kind
                {
                    (*method, is_boundary) = (Some(*of), *boundary);
                }
            }
            let map = match methods {
                [Some(left), Some(right)] if !is_boundary => self.map([left, right])?,
                _ => None,
            };
            let calls = [
                CallId::new(threads[0], one.call),
                CallId::new(threads[1], other.call),
            ];
            let entered = [one.entered, other.entered];
            self.frames.push(Frame::new(calls, entered, methods, map));
            self.are_ended(one.ended);
        }
        Ok(())
    }

    /// So many calls in the innermost one were equal, with all that is in them.
    fn are_ended(&mut self, calls: u64) {
        if self.silent {
            return;
        }
        self.summary.equal += calls;
        if let Some(frame) = self.frames.last_mut() {
            frame.equal += calls;
        }
    }
}

/// Have two events, but for numbers and objects, the same values at the same places?
fn are_of_one_type(left: &EventKind, right: &EventKind) -> bool {
    if let (
        EventKind::Write { variable: left, .. },
        EventKind::Write {
            variable: right, ..
        },
    ) = (left, right)
        && discriminant(left) != discriminant(right)
    {
        return false;
    }
    shown(left) == shown(right)
}

/// The values of an event, each in its place.
fn shown(kind: &EventKind) -> (u8, Vec<Value>) {
    match kind {
        EventKind::Enter {
            receiver,
            arguments,
            ..
        } => {
            let values = receiver.iter().chain(arguments);
            (receiver.is_some().into(), values.copied().collect())
        }
        EventKind::Exit { outcome } => match outcome {
            Outcome::Returned(value) => (2, value.iter().copied().collect()),
            Outcome::Threw(value) => (3, vec![*value]),
            Outcome::Unknown => (4, Vec::new()),
        },
        EventKind::New { length, .. } => (length.is_some().into(), Vec::new()),
        EventKind::Write { value, .. } => (0, vec![*value]),
        EventKind::Thrown { exception }
        | EventKind::Caught { exception }
        | EventKind::Uncaught { exception } => (0, vec![*exception]),
        _ => (0, Vec::new()),
    }
}
