//! What comes where one of two threads has nothing more.

use jhyde_store::records::TimedEvent;

use super::super::{Difference, Effect, Sink, Spot, Which};
use super::{Next, Walk};
use crate::error::Result;

impl Walk {
    /// How the innermost call of the other side ended was not seen: what that of this side did from its next event on is not
    /// compared.
    pub(super) fn pass_rest(&mut self, side: usize, next: &TimedEvent) -> Result<Next> {
        let Some(calls) = self.frames.last().map(|frame| frame.calls) else {
            return Ok(Next::Done);
        };
        self.unknown(|walk| {
            format!(
                "{}: how call {} ended was not seen: what call {} of {} did from event {} on is not compared",
                walk.sides[1 - side].name,
                calls[1 - side],
                calls[side],
                walk.sides[side].name,
                next.timestamp
            )
        });
        self.sides[side].go_to_end(calls[side])?;
        self.heard(side);
        Ok(Next::On)
    }

    /// One thread has nothing more, and the other goes on.
    pub(super) fn one_ended(
        &mut self,
        next: [Option<TimedEvent>; 2],
        sink: &mut Sink<'_>,
    ) -> Result<Next> {
        let (ended, goes_on) = match next {
            [None, _] => (0, Which::Right),
            _ => (1, Which::Left),
        };
        if next
            .iter()
            .flatten()
            .any(|event| matches!(event.event.kind, jhyde_trace::EventKind::Content { .. }))
        {
            let [left, right] = next;
            for (side, event) in [left, right].into_iter().enumerate() {
                if let Some(event) = event {
                    self.gather(side, event)?;
                }
            }
            return Ok(Next::On);
        }
        self.found(sink)?;
        if let Some(note) = self.sides[ended].history.end_note() {
            self.unknown(|walk| format!("{}: {note}", walk.sides[ended].name));
            return Ok(Next::Done);
        }
        let Some(calls) = self.frames.last().map(|frame| frame.calls) else {
            return Ok(Next::Done);
        };
        if !calls[ended].is_root() {
            self.unknown(|walk| {
                format!(
                    "{}: the end of the call that call {} is held against is not recorded: the thread is not compared from there on",
                    walk.sides[ended].name,
                    calls[1 - ended]
                )
            });
            return Ok(Next::Done);
        }
        if !self.sides[ended].has_ended {
            self.unknown(|walk| {
                format!(
                    "{}: the thread ran on when the recording ended, and the other one has more calls: what it would have called is not \
                     known",
                    walk.sides[ended].name
                )
            });
            return Ok(Next::Done);
        }
        let Some(event) = next.iter().flatten().next() else {
            return Ok(Next::Done);
        };
        let mut spots = [None; 2];
        spots[1 - ended] = Some(Spot {
            at: event.timestamp,
            call: calls[1 - ended],
        });
        let difference = Difference {
            effect: Effect::Call,
            what: "the thread goes on".to_owned(),
            only: Some(goes_on),
            spots,
        };
        self.report(difference, [event, event], sink)?;
        Ok(Next::Done)
    }
}
