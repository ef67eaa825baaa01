//! From a read to the deed that gave the variable its value.

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{CallId, ContentKey, Event, Local, MethodInfo, ObjectId, Timestamp, Variable};

use super::calls::position_of;
use super::node::{Deed, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use crate::error::Result;
use crate::gaps::damage_note;
use crate::history::bound;
use crate::state::Interval;

impl Resolver {
    /// The deed that gave a variable the value that it had when it was read at a time.
    pub(super) fn definition(
        &mut self,
        variable: Variable,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        match variable {
            Variable::Local { call, local } => self.local_definition(call, local, at, found),
            Variable::Return { call } | Variable::Exception { call } => {
                Ok(self.ending(&self.history.record(call)?))
            }
            Variable::Content {
                object,
                key: ContentKey::All,
            } => self.content_definition(object, at, found),
            Variable::Content { object, key } => self.part_definition(object, key, at),
            Variable::Field { object, .. } | Variable::Element { array: object, .. } => {
                let written = self.written(variable, at, found)?;
                if let Variable::Element { array, .. } = variable {
                    let since = written.map_or(Timestamp(0), |written| written.at);
                    self.written_again(array, Timestamp(since.0 + 1)..at, found)?;
                }
                if let Some(node) = written {
                    return Ok(Some(node));
                }
                let made = match self.history.recording.creation(object) {
                    Err(error @ jhyde_store::Error::Damaged { .. }) => {
                        found.note(damage_note(&error));
                        None
                    }
                    made => made?,
                };
                Ok(made.map(|made| Node {
                    deed: Deed::Created(object),
                    at: made.timestamp,
                    call: made.call,
                }))
            }
            Variable::Static { .. } => self.written(variable, at, found),
        }
    }

    /// The end of a call.
    pub(super) fn ending(&self, record: &CallRecord) -> Option<Node> {
        record.exit.map(|at| Node {
            deed: Deed::Result,
            at,
            call: record.id,
        })
    }

    /// The last write of a variable by a time.
    pub(super) fn written(
        &mut self,
        variable: Variable,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        let last = match self.history.recording.last_write(variable, at) {
            Err(error @ jhyde_store::Error::Damaged { .. }) => {
                found.note(damage_note(&error));
                if let Variable::Local { call, .. } = variable {
                    self.loose.insert(Loose::Call(call));
                }
                return Ok(None);
            }
            last => last?,
        };
        let told = last.as_ref().map_or(Timestamp(0), |last| last.timestamp);
        let since = Interval { from: told, to: at };
        if let Some(unseen) = self.history.unseen_writes_of(variable, since)? {
            found.note(format!("it may have been written unseen: {unseen}"));
            self.loose.insert(Loose::Lowered);
        }
        Ok(last.map(|last| Node {
            deed: match last.snapshot {
                true => Deed::Found(variable),
                false => Deed::Write(variable),
            },
            at: last.timestamp,
            call: last.call,
        }))
    }

    /// Two locals may share a slot, and one local may have several entries in the table: what was stored in the slot
    /// last is what is read from it.
    pub(super) fn local_definition(
        &mut self,
        call: CallId,
        local: Local,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        let record = self.history.record(call)?;
        let method = self.history.method(record.method)?;
        let info = method.as_ref().map(|method| method.method());
        let mut last: Option<Node> = None;
        for local in info.map_or_else(|| vec![local], |info| of_one_slot(info, local)) {
            let written = self.written(Variable::Local { call, local }, at, found)?;
            if written.is_some_and(|one| last.is_none_or(|last| one.at > last.at)) {
                last = written;
            }
        }
        let position = info.and_then(|info| {
            let all = of_one_slot(info, local);
            let bound = all.into_iter().find_map(|local| bound(info, local))?;
            Some(position_of(info, bound))
        });
        Ok(match (last, position) {
            (Some(last), _) => Some(last),
            (None, Some(position)) => Some(Node {
                deed: Deed::Argument(position),
                at: record.enter,
                call,
            }),
            (None, None) => None,
        })
    }

    /// The change that made a part of what an object held what it was.
    fn part_definition(
        &self,
        object: ObjectId,
        key: ContentKey,
        at: Timestamp,
    ) -> Result<Option<Node>> {
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let last = self
            .history
            .content_writes(object, key, range, Direction::Backward, 1)?;
        Ok(last.first().map(|write| Node {
            deed: Deed::Content(object),
            at: write.timestamp,
            call: write.call,
        }))
    }

    pub(super) fn content_definition(
        &mut self,
        object: ObjectId,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Option<Node>> {
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let mut changes = self
            .history
            .content_changes(object, range, Direction::Backward);
        Ok(match changes.next() {
            Some(Err(error @ jhyde_store::Error::Damaged { .. })) => {
                found.note(damage_note(&error));
                None
            }
            Some(change) => {
                let change = change?;
                Some(Node {
                    deed: Deed::Content(object),
                    at: change.timestamp,
                    call: change.call,
                })
            }
            None => None,
        })
    }

    /// What an object held before a change is a part of what it held after it.
    pub(super) fn before(&mut self, node: Node, found: &mut Found) -> Result<()> {
        let (Deed::Content(object), Some(before)) = (node.deed, node.at.0.checked_sub(1)) else {
            return Ok(());
        };
        let before = self.content_definition(object, Timestamp(before), found)?;
        if let Some(before) = before {
            found.add(Relation::Content, before);
        }
        let since = before.map_or(Timestamp(0), |before| before.at);
        self.found_changed(node, since, found)
    }

    /// Is a write nothing but the binding of a parameter when the call begins?
    pub(super) fn binds(
        &mut self,
        record: &CallRecord,
        variable: Variable,
        at: Timestamp,
    ) -> Result<bool> {
        let Variable::Local { .. } = variable else {
            return Ok(false);
        };
        let event = self.history.recording.event(at)?.event;
        Ok(event.index == Event::NO_INDEX && at > record.enter)
    }
}

/// The locals of a method that lie in the slot of one of them.
fn of_one_slot(method: &MethodInfo, local: Local) -> Vec<Local> {
    let slot = match local {
        Local::Slot(slot) => Some(slot),
        Local::Named(entry) => method.variables.get(usize::from(entry)).map(|v| v.slot),
    };
    let Some(slot) = slot else {
        return vec![local];
    };
    let entries = (0_u16..).zip(&method.variables);
    let named = entries.filter(|(_, v)| v.slot == slot);
    let mut all: Vec<Local> = named.map(|(entry, _)| Local::Named(entry)).collect();
    all.push(Local::Slot(slot));
    all
}
