//! Two events that are each other's: are their values?

use std::sync::Arc;

use jhyde_store::records::TimedEvent;
use jhyde_trace::{EventKind, MethodId, Outcome, Value};

use super::super::code::CodeMap;
use super::super::values::Told;
use super::super::{Effect, Sink};
use super::{Frame, Walk};
use crate::error::Result;

impl Walk {
    /// Two events that are each other's: are their values?
    pub(super) fn matched(&mut self, next: [&TimedEvent; 2], sink: &mut Sink<'_>) -> Result<()> {
        if self.silent {
            return self.made(next, sink);
        }
        let (effect, what, told) = match (&next[0].event.kind, &next[1].event.kind) {
            (EventKind::Enter { .. }, EventKind::Enter { .. }) => return self.entered(next, sink),
            (EventKind::Exit { outcome: left }, EventKind::Exit { outcome: right }) => {
                return self.exited(next, [*left, *right], sink);
            }
            (
                EventKind::Write { variable, value },
                EventKind::Write {
                    variable: of,
                    value: other,
                },
            ) => {
                let owners = self.values.owners(&mut self.sides, *variable, *of)?;
                let values = self.values.compare(&mut self.sides, *value, *other)?;
                let what = if owners == Told::Differs {
                    "variable"
                } else {
                    "value"
                };
                (Effect::Write, what, owners.and(values))
            }
            (EventKind::New { object: left, .. }, EventKind::New { object: right, .. }) => {
                let told = self.values.made(&mut self.sides, *left, *right)?;
                (Effect::Object, "object", told)
            }
            (left, right) => match (exception(left), exception(right)) {
                (Some(left), Some(right)) => (
                    Effect::Exception,
                    "exception",
                    self.values.compare(&mut self.sides, left, right)?,
                ),
                _ => return Ok(()),
            },
        };
        self.judge(effect, what, told, next, sink)
    }

    /// The same where only what is made is looked for: calls begin and end, and no value is looked at.
    fn made(&mut self, next: [&TimedEvent; 2], sink: &mut Sink<'_>) -> Result<()> {
        match (&next[0].event.kind, &next[1].event.kind) {
            (EventKind::Enter { .. }, EventKind::Enter { .. }) => self.push(next),
            (EventKind::Exit { .. }, EventKind::Exit { .. }) => self.pop(sink),
            (EventKind::New { object: left, .. }, EventKind::New { object: right, .. }) => {
                let told = self.values.made(&mut self.sides, *left, *right);
                told.map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Two calls that are each other's begin.
    fn push(&mut self, next: [&TimedEvent; 2]) -> Result<()> {
        let (
            EventKind::Enter {
                method: left,
                boundary,
                ..
            },
            EventKind::Enter { method: right, .. },
        ) = (&next[0].event.kind, &next[1].event.kind)
        else {
            return Ok(());
        };
        let methods = [*left, *right];
        let map = if *boundary { None } else { self.map(methods)? };
        let calls = next.map(|event| event.event.call);
        let entered = next.map(|event| event.timestamp);
        self.frames
            .push(Frame::new(calls, entered, methods.map(Some), map));
        Ok(())
    }

    pub(super) fn entered(&mut self, next: [&TimedEvent; 2], sink: &mut Sink<'_>) -> Result<()> {
        self.push(next)?;
        let (
            EventKind::Enter {
                method,
                receiver,
                arguments,
                ..
            },
            EventKind::Enter {
                receiver: of,
                arguments: other,
                ..
            },
        ) = (&next[0].event.kind, &next[1].event.kind)
        else {
            return Ok(());
        };
        if let (Some(left), Some(right)) = (receiver, of) {
            let told = self.values.compare(&mut self.sides, *left, *right)?;
            self.judge(Effect::Argument, "receiver", told, next, sink)?;
        }
        for (at, (left, right)) in arguments.iter().zip(other).enumerate() {
            let told = self.values.compare(&mut self.sides, *left, *right)?;
            // Nearly all are equal: what they are called is for the others.
            if told != Told::Equal {
                let what = format!("argument {}", at + 1);
                self.judge(Effect::Argument, &what, told, next, sink)?;
            }
        }
        let are_unseen = arguments.is_empty() && self.takes_arguments(*method)?;
        if are_unseen || arguments.len() != other.len() || receiver.is_some() != of.is_some() {
            self.judge(Effect::Argument, "arguments", Told::Unknown, next, sink)?;
        }
        Ok(())
    }

    /// Has a method of the left side parameters?
    pub(super) fn takes_arguments(&mut self, method: MethodId) -> Result<bool> {
        let method = self.sides[0].method(Some(method))?;
        Ok(method.is_none_or(|method| !method.method().descriptor.starts_with("()")))
    }

    pub(super) fn map(&mut self, methods: [MethodId; 2]) -> Result<Option<Arc<CodeMap>>> {
        if let Some(known) = self.maps.get(&methods) {
            return Ok(known.clone());
        }
        let [left, right] = &self.sides;
        let map = match (
            left.method(Some(methods[0]))?,
            right.method(Some(methods[1]))?,
        ) {
            (Some(left), Some(right)) => {
                CodeMap::new([left.method(), right.method()]).map(Arc::new)
            }
            _ => None,
        };
        self.maps.insert(methods, map.clone());
        Ok(map)
    }

    pub(super) fn exited(
        &mut self,
        next: [&TimedEvent; 2],
        ends: [Outcome; 2],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let method = self.frames.last().and_then(|frame| frame.methods[0]);
        let void = self.sides[0].is_void(method);
        let told = self.values.outcomes(&mut self.sides, ends, void)?;
        let effect = match ends {
            [Outcome::Threw(_), _] | [_, Outcome::Threw(_)] => Effect::Exception,
            _ => Effect::Result,
        };
        self.judge(effect, effect.name(), told, next, sink)?;
        self.pop(sink)
    }

    pub(super) fn judge(
        &mut self,
        effect: Effect,
        what: &str,
        told: Told,
        next: [&TimedEvent; 2],
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        match told {
            Told::Equal => Ok(()),
            Told::Differs => {
                let difference = self.difference(effect, what.to_owned(), next);
                self.report(difference, next, sink).map(|_| ())
            }
            Told::Unknown => {
                self.unknown(|walk| {
                    let calls = walk.frames.last().map(|frame| frame.calls);
                    let calls = calls.unwrap_or_default();
                    format!(
                        "the {what} at event {} (call {}) and at event {} (call {}) cannot be compared: it is not recorded on both sides",
                        next[0].timestamp, calls[0], next[1].timestamp, calls[1]
                    )
                });
                Ok(())
            }
        }
    }
}

fn exception(kind: &EventKind) -> Option<Value> {
    match kind {
        EventKind::Thrown { exception }
        | EventKind::Caught { exception }
        | EventKind::Uncaught { exception } => Some(*exception),
        _ => None,
    }
}
