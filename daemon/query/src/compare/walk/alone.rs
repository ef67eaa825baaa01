//! An event that one side alone has.

use jhyde_store::records::TimedEvent;
use jhyde_trace::EventKind;

use super::super::keys::{Deed, Key};
use super::super::{Effect, Part, Sink, Which};
use super::{Next, Walk};
use crate::error::Result;

impl Walk {
    /// Does a static initialiser begin there?
    fn is_initialiser(&mut self, side: usize, event: &TimedEvent) -> Result<bool> {
        let EventKind::Enter { method, .. } = &event.event.kind else {
            return Ok(false);
        };
        let method = self.sides[side].method(Some(*method))?;
        Ok(method.is_some_and(|method| method.method().name == "<clinit>"))
    }

    /// An event of one side alone.
    pub(super) fn only(
        &mut self,
        which: Which,
        next: [&TimedEvent; 2],
        keys: [Key; 2],
        sink: &mut Sink<'_>,
    ) -> Result<Next> {
        let (own, other) = match which {
            Which::Left => (0, 1),
            Which::Right => (1, 0),
        };
        let mut difference = self.difference(effect(keys[own].deed), String::new(), next);
        difference.only = Some(which);
        // One condition that went two ways is one difference.
        let goes_apart = keys[0].deed == Deed::Edge && keys[0].is_at(&keys[1]);
        let follows = self.frames.last().and_then(|frame| frame.script.front());
        let goes_with = goes_apart
            && follows.is_some_and(|planned| planned.is_of(other, next[other].timestamp));
        if goes_apart {
            difference.only = None;
        }
        let is_initialiser = self.is_initialiser(own, next[own])?;
        let is_told = match is_initialiser {
            // Which thread is the first to need a class is nothing that it decides.
            true => {
                self.unknown(|walk| {
                    format!(
                        "{}: the static initialiser that began at event {} ran in another thread or at another time",
                        walk.sides[own].name, next[own].timestamp
                    )
                });
                false
            }
            false => self.report(difference, next, sink)?,
        };
        if let EventKind::Enter { .. } = next[own].event.kind
            && is_told
        {
            let mut calls = [None; 2];
            calls[own] = Some(next[own].event.call);
            let depth = self.depth();
            self.equal_row(sink)?;
            self.row(Part::Call { depth, calls }, sink)?;
        }
        if goes_with {
            if let Some(frame) = self.frames.last_mut()
                && let Some(planned) = frame.script.pop_front()
            {
                self.keep(planned, next[other].timestamp);
            }
            self.go_on([other])?;
        }
        let is_whole = self.sides[own].skip()?;
        self.heard(own);
        if !is_whole {
            self.unknown(|walk| {
                format!(
                    "{}: call {} has no recorded end: the thread is not compared from there on",
                    walk.sides[own].name, next[own].event.call
                )
            });
            return Ok(Next::Done);
        }
        Ok(Next::On)
    }
}

fn effect(deed: Deed) -> Effect {
    match deed {
        Deed::Enter => Effect::Call,
        Deed::Edge => Effect::Branch,
        Deed::Thrown | Deed::Caught | Deed::Uncaught => Effect::Exception,
        Deed::Exit => Effect::Result,
        Deed::New => Effect::Object,
        Deed::Write | Deed::Content => Effect::Write,
    }
}
