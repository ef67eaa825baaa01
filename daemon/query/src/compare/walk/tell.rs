//! What is told of what was found: differences, unless a rule takes them away or something is not recorded, and the calls around.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::TimedEvent;
use jhyde_trace::{CallId, Event, EventKind, Timestamp};

use super::super::rules::Rule;
use super::super::{Aspect, Difference, Effect, Part, Sink, Spot, Which};
use super::{Hole, MOST_LEARNT, MOST_REASONS, MOST_TOLD, Walk};
use crate::error::Result;

impl Walk {
    pub(super) fn pop(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        if self.frames.last().is_some_and(|frame| !frame.unsure)
            && let Some(why) = self.left_out()?
        {
            self.unknown(|_| why);
        }
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let depth = self.depth();
        let untold = frame.differences.saturating_sub(MOST_TOLD);
        if untold > 0 {
            self.row(Part::More(depth, untold), sink)?;
        }
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        if frame.told {
            self.equal_row(sink)?;
        }
        let Some(mut frame) = self.frames.pop() else {
            return Ok(());
        };
        if !frame.told && !self.silent {
            match frame.unsure {
                true => {
                    self.summary.unknown_calls += 1;
                    frame.unknown += 1;
                }
                false => {
                    self.summary.equal += 1;
                    frame.equal += 1;
                }
            }
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.unsure |= frame.unsure;
            // Of one that has rows of its own they are told already.
            parent.equal += frame.equal;
            parent.unknown += frame.unknown;
        }
        Ok(())
    }

    /// The depth of what is in the innermost call.
    pub(super) fn depth(&self) -> u32 {
        u32::try_from(self.frames.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn difference(
        &self,
        effect: Effect,
        what: String,
        next: [&TimedEvent; 2],
    ) -> Difference {
        let calls = self.frames.last().map(|frame| frame.calls);
        let spot = |side: usize| {
            calls.map(|calls| Spot {
                at: next[side].timestamp,
                call: calls[side],
            })
        };
        Difference {
            effect,
            what,
            only: None,
            spots: [spot(0), spot(1)],
        }
    }

    /// Something could not be compared. Why is put into words only as long as that is told: it may be so of millions.
    pub(super) fn unknown(&mut self, why: impl FnOnce(&Self) -> String) {
        if self.silent {
            return;
        }
        self.summary.unknown += 1;
        if let Some(frame) = self.frames.last_mut() {
            frame.unsure = true;
        }
        if self.summary.notes.len() < MOST_REASONS {
            let why = why(self);
            if !self.summary.notes.contains(&why) {
                self.summary.notes.push(why);
            }
        }
    }

    /// Tells a difference, unless a rule takes it away or it may be none. Has it a row?
    pub(super) fn report(
        &mut self,
        difference: Difference,
        next: [&TimedEvent; 2],
        sink: &mut Sink<'_>,
    ) -> Result<bool> {
        if self.silent {
            return Ok(false);
        }
        let own = usize::from(difference.only == Some(Which::Right));
        if let Some(rule) = self.rule(&difference, own, &next[own].event)? {
            if self.summary.rules.ignores(&rule) {
                if let Some(frame) = self.frames.last_mut() {
                    frame.unsure = true;
                }
                return Ok(false);
            }
            if let Some(why) = self.doubt(&difference)? {
                self.unknown(|_| why);
                return Ok(false);
            }
            if let Some(learnt) = &mut self.learnt
                && learnt.len() < MOST_LEARNT
            {
                learnt.insert(rule);
            }
        } else if let Some(why) = self.doubt(&difference)? {
            self.unknown(|_| why);
            return Ok(false);
        }
        self.summary.differences += 1;
        let aspect = difference.effect.aspect();
        let first = &mut self.first[usize::from(aspect == Aspect::Value)];
        if !std::mem::replace(first, true) {
            self.tell(Part::Divergence(aspect, difference.clone()), sink)?;
        }
        self.tell_calls(sink)?;
        let depth = self.depth();
        let Some(frame) = self.frames.last_mut() else {
            return Ok(false);
        };
        frame.differences += 1;
        let is_told = frame.differences <= MOST_TOLD;
        if is_told {
            self.equal_row(sink)?;
            self.row(Part::Difference(depth, difference), sink)?;
        }
        Ok(is_told)
    }

    /// The rule that would take a difference away, and little else.
    pub(super) fn rule(
        &mut self,
        difference: &Difference,
        side: usize,
        event: &Event,
    ) -> Result<Option<Rule>> {
        let called = match (&event.kind, difference.effect) {
            (EventKind::Enter { method, .. }, Effect::Argument) => Some(*method),
            _ => None,
        };
        let of = called.or_else(|| self.frames.last().and_then(|frame| frame.methods[side]));
        let Some(method) = self.sides[side].method(of)? else {
            return Ok(None);
        };
        let index = match &event.kind {
            EventKind::Enter { call_site, .. } => *call_site,
            _ => event.index,
        };
        let whole = matches!(difference.effect, Effect::Argument | Effect::Result);
        let line = method
            .method()
            .line_of(index)
            .filter(|_| !whole && index != Event::NO_INDEX);
        Ok(Some(Rule {
            effect: difference.effect,
            class: method.class.name.clone(),
            method: method.method().name.clone(),
            line,
        }))
    }

    /// Why a difference may be what one side did not record: something that one of them alone did behind a gap of its call or in a
    /// call whose level was lowered; or anything before a gap that makes what was told doubtful. Two recorded values that differ are certain.
    fn doubt(&mut self, difference: &Difference) -> Result<Option<String>> {
        let holes = match self.frames.last().and_then(|frame| frame.holes.clone()) {
            Some(known) => known,
            None => {
                let found: Arc<[Hole]> = self.holes()?.into();
                if let Some(frame) = self.frames.last_mut() {
                    frame.holes = Some(Arc::clone(&found));
                }
                found
            }
        };
        let alone = difference.only.is_some();
        // A thread that has ended stands behind all that it did.
        let is_behind =
            |hole: &Hole| difference.spots[hole.side].is_none_or(|spot| hole.at <= spot.at);
        let hides =
            |hole: &&Hole| alone && is_behind(hole) || hole.back && (alone || !is_behind(hole));
        Ok(holes.iter().find(hides).map(|hole| hole.why.clone()))
    }

    /// From when to when the innermost call ran on a side.
    fn life(&self, side: usize, call: CallId) -> Result<Range<Timestamp>> {
        let recording = &self.sides[side].recording;
        if call.is_root() {
            return Ok(Timestamp(0)..recording.end());
        }
        let record = recording.call(call)?;
        let end = record.exit.map(|exit| Timestamp(exit.0 + 1));
        Ok(record.enter..end.unwrap_or_else(|| recording.end()))
    }

    /// What of the innermost calls was not recorded.
    fn holes(&mut self) -> Result<Vec<Hole>> {
        let mut holes = Vec::new();
        let Some(calls) = self.frames.last().map(|frame| frame.calls) else {
            return Ok(holes);
        };
        for (side, call) in calls.into_iter().enumerate() {
            if !self.doubtful[side] {
                continue;
            }
            let life = self.life(side, call)?;
            let gaps = self.sides[side].gaps(call, &life)?;
            let name = &self.sides[side].name;
            holes.extend(gaps.iter().map(|gap| Hole {
                side,
                at: gap.at,
                back: gap.back,
                why: format!(
                    "{name}: something of call {call} was not recorded: {}",
                    gap.reason
                ),
            }));
            if let Some(why) = self.lowered_in(side, &life)? {
                holes.push(Hole {
                    side,
                    at: life.start,
                    back: false,
                    why,
                });
            }
        }
        Ok(holes)
    }

    /// Why not all that the innermost call did on a side was recorded, by the levels in force while it ran.
    fn lowered_in(&mut self, side: usize, life: &Range<Timestamp>) -> Result<Option<String>> {
        if !self.lowered[side] {
            return Ok(None);
        }
        let method = self.frames.last().and_then(|frame| frame.methods[side]);
        let of = &self.sides[side];
        let levels = of.recording.levels_or_lowest();
        let before = Timestamp(life.start.0.saturating_sub(1));
        let unseen = of.method(method)?.and_then(|method| {
            let of = (method.class.id, method.method().id);
            levels.unseen(levels.asked(), of, before, life.end)
        });
        let name = &of.name;
        Ok(unseen.map(|stretch| format!("{name}: {}", of.history.in_words(stretch))))
    }

    /// Why the innermost calls may have done what was not recorded, though nothing in them differs.
    fn left_out(&mut self) -> Result<Option<String>> {
        let Some((calls, entered)) = self.frames.last().map(|frame| (frame.calls, frame.entered))
        else {
            return Ok(None);
        };
        for (side, call) in calls.into_iter().enumerate() {
            if !self.lowered[side] || self.silent || call.is_root() {
                continue;
            }
            // Up to the event that is compared: the call's own end, where that is recorded.
            let of = &self.sides[side];
            let end = of.next().map(|next| Timestamp(next.timestamp.0 + 1));
            let end = end.unwrap_or_else(|| of.recording.end());
            if let Some(why) = self.lowered_in(side, &(entered[side]..end))? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Gives all calls that run a row, from the outermost on.
    pub(super) fn tell_calls(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        // Those that have one are the outermost.
        let last = self.frames.iter().rposition(|frame| frame.told);
        for at in last.map_or(0, |last| last + 1)..self.frames.len() {
            self.frames[at].told = true;
            let Some(above) = at.checked_sub(1) else {
                continue;
            };
            let depth = u32::try_from(above).unwrap_or(u32::MAX);
            let frame = &mut self.frames[above];
            let equal = [&mut frame.equal, &mut frame.unknown].map(std::mem::take);
            self.equal_calls(depth, equal, sink)?;
            let calls = self.frames[at].calls.map(Some);
            self.row(Part::Call { depth, calls }, sink)?;
        }
        Ok(())
    }

    /// What was equal in the innermost call since its last row.
    pub(super) fn equal_row(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        let depth = self.depth();
        let equal = self.frames.last_mut().map_or([0; 2], |frame| {
            [&mut frame.equal, &mut frame.unknown].map(std::mem::take)
        });
        self.equal_calls(depth, equal, sink)
    }

    fn equal_calls(
        &mut self,
        depth: u32,
        [calls, unknown]: [u64; 2],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        if (calls, unknown) == (0, 0) {
            return Ok(());
        }
        self.row(
            Part::Equal {
                depth,
                calls,
                unknown,
            },
            sink,
        )
    }

    pub(super) fn row(&mut self, part: Part, sink: &mut Sink<'_>) -> Result<()> {
        self.rows += 1;
        if self.rows > self.most_rows {
            self.summary.more = true;
            return Ok(());
        }
        self.tell(part, sink)
    }

    fn tell(&mut self, part: Part, sink: &mut Sink<'_>) -> Result<()> {
        self.tell_threads(sink)?;
        sink(part)
    }

    /// Tells which threads are compared, unless that was told.
    pub(super) fn tell_threads(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        let Some(pair) = self.pair.take() else {
            return Ok(());
        };
        self.pairs[0] += 1;
        sink(Part::Threads(pair))
    }
}
