//! Who could have written what: which calls had an object at hand, and which objects held which.
//!
//! A slice follows what was done, and what should have been done and was not leaves no deed. But a call can only have
//! left a variable unwritten, or written another in its place, if the variable's object was in its reach: it was given
//! it, made it, got it back, met it, or was given something that held it, perhaps by way of others (memory is safe). An
//! object counts as held by all that ever held it, so that the order of writes does not matter; what code out of the
//! scope was given, it may have put into what it was called on, and into what it returned.

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{
    CallId, Change, Event, EventKind, FieldId, Items, ObjectId, Outcome, ThreadId, Timestamp,
    Value, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::unchanging::{holds_none, is_of_a_compiler};
use super::window::Replays;
use crate::error::Result;
use crate::history::History;

/// Of recordings with more events nothing is known.
pub(super) const MOST_EVENTS: u64 = 4_000_000;

/// What calls had at hand.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// By object: what held it at some time.
    holders: FxHashMap<ObjectId, FxHashSet<ObjectId>>,
    /// Those that a static field held at some time, and the first one that did.
    statics: FxHashMap<ObjectId, FieldId>,
    /// Objects that code out of the scope had: can they hold others?
    can_hold: FxHashMap<ObjectId, bool>,
    /// By object: the calls that had it.
    had: FxHashMap<ObjectId, FxHashSet<CallId>>,
    /// Calls inside of code that catches exceptions: they may have failed to throw one.
    pub(super) guarded: Vec<CallId>,
}

/// A call that runs while events are read.
#[derive(Debug)]
struct Running {
    call: CallId,
    /// What it was given, if it is out of the scope: the receiver first.
    outside: Option<Vec<ObjectId>>,
    /// Would an exception from inside be caught below the call that is looked into?
    guards: bool,
}

impl Hands {
    /// What the calls inside of one had at hand until a time. `None` where the recording is too long for that.
    pub(super) fn of(
        history: &History,
        replays: &mut Replays,
        within: &CallRecord,
        until: Timestamp,
    ) -> Result<Option<Self>> {
        if until.0 > MOST_EVENTS {
            return Ok(None);
        }
        let mut hands = Self::default();
        let mut running: FxHashMap<ThreadId, Vec<Running>> = FxHashMap::default();
        let range = Timestamp(0)..Timestamp(until.0.saturating_add(1));
        for timed in history.recording.events(range, None, Direction::Forward) {
            history.check()?;
            let timed = match timed {
                // What it hides, nobody knows.
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(None),
                timed => timed?,
            };
            let stack = running.entry(timed.event.thread()).or_default();
            hands.event(history, replays, within, stack, &timed.event)?;
        }
        Ok(Some(hands))
    }

    /// Who had an object at hand, or something that held it; else the static field by which any call may have. Objects that
    /// were `seen` are not looked at again.
    pub(super) fn reached_by(
        &self,
        object: ObjectId,
        seen: &mut FxHashSet<ObjectId>,
    ) -> std::result::Result<Vec<CallId>, FieldId> {
        let mut calls = Vec::new();
        let mut work = vec![object];
        while let Some(object) = work.pop() {
            if !seen.insert(object) {
                continue;
            }
            if let Some(field) = self.statics.get(&object) {
                return Err(*field);
            }
            calls.extend(self.had.get(&object).into_iter().flatten());
            work.extend(self.holders.get(&object).into_iter().flatten());
        }
        Ok(calls)
    }

    /// About how many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        let pairs = |sets: usize| sets * 2 * size_of::<CallId>();
        let held: usize = self.holders.values().map(FxHashSet::capacity).sum();
        let had: usize = self.had.values().map(FxHashSet::capacity).sum();
        let sets = self.holders.capacity() + self.had.capacity() + self.can_hold.capacity();
        pairs(held + had) + sets * size_of::<FxHashSet<CallId>>()
    }

    fn event(
        &mut self,
        history: &History,
        replays: &mut Replays,
        within: &CallRecord,
        stack: &mut Vec<Running>,
        event: &Event,
    ) -> Result<()> {
        let here = event.call;
        let inside = within.contains(here);
        match &event.kind {
            EventKind::Enter {
                receiver,
                arguments,
                boundary,
                method,
                ..
            } => {
                let given = receiver.iter().chain(arguments);
                let given: Vec<ObjectId> = given.filter_map(|value| value.object()).collect();
                let guarded = stack.last().is_some_and(|caller| caller.guards);
                let code = replays.code(history, *method)?;
                let catches = *boundary || code.is_none_or(|code| code.catches());
                if inside && !boundary {
                    given.iter().for_each(|object| self.has(here, *object));
                    if guarded {
                        self.guarded.push(here);
                    }
                }
                if let (true, Some((first, rest))) = (*boundary, given.split_first()) {
                    for object in rest {
                        self.keeps(history, *first, *object)?;
                    }
                }
                stack.push(Running {
                    call: here,
                    outside: boundary.then_some(given),
                    guards: inside && (guarded || catches),
                });
            }
            EventKind::Exit { outcome } => {
                let ended = stack.pop_if(|ended| ended.call == here);
                let given = ended.and_then(|ended| ended.outside);
                if let Outcome::Returned(Some(Value::Object(result)))
                | Outcome::Threw(Value::Object(result)) = outcome
                {
                    if let Some(caller) = stack.last().map(|caller| caller.call)
                        && within.contains(caller)
                    {
                        self.has(caller, *result);
                    }
                    for object in given.into_iter().flatten() {
                        self.keeps(history, *result, object)?;
                        self.keeps(history, object, *result)?;
                    }
                }
            }
            EventKind::New { object, .. } if inside => self.has(here, *object),
            EventKind::Use { variable } if inside => {
                if let Some(object) = object_of(*variable) {
                    self.has(here, object);
                }
            }
            EventKind::Write { variable, value } | EventKind::Snapshot { variable, value } => {
                let object = object_of(*variable);
                if let Some(object) = object.filter(|_| inside) {
                    self.has(here, object);
                }
                match (value.object(), object) {
                    (Some(value), Some(object)) => self.holds(object, value),
                    (Some(value), None) => {
                        if let Variable::Static { field } = *variable
                            && !is_of_a_compiler(history, field)?
                        {
                            self.statics.entry(value).or_insert(field);
                        }
                    }
                    _ => {}
                }
            }
            EventKind::Content { object, change, .. } => self.content(*object, change),
            _ => {}
        }
        Ok(())
    }

    fn content(&mut self, object: ObjectId, change: &Change) {
        let Some(items) = change.items() else { return };
        if let Items::View { of, .. } = items {
            self.holds(object, *of);
        }
        for value in items.values().into_iter().filter_map(Value::object) {
            self.holds(object, value);
        }
    }

    pub(super) fn has(&mut self, call: CallId, object: ObjectId) {
        self.had.entry(object).or_default().insert(call);
    }

    /// Code out of the scope may have put an object into another one, if that can hold any.
    fn keeps(&mut self, history: &History, holder: ObjectId, held: ObjectId) -> Result<()> {
        let can = match self.can_hold.get(&holder) {
            Some(can) => *can,
            None => {
                let can = !holds_none(history, holder)?;
                self.can_hold.insert(holder, can);
                can
            }
        };
        if can {
            self.holds(holder, held);
        }
        Ok(())
    }

    fn holds(&mut self, holder: ObjectId, held: ObjectId) {
        if holder != held {
            self.holders.entry(held).or_default().insert(holder);
        }
    }
}

/// The object or array that a variable lies in.
pub(super) fn object_of(variable: Variable) -> Option<ObjectId> {
    match variable {
        Variable::Field { object, .. }
        | Variable::Element { array: object, .. }
        | Variable::Content { object, .. } => Some(object),
        _ => None,
    }
}
