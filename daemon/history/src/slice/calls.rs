//! From a call to whoever made it: what its arguments came from, and why it was made.

use jhyde_store::records::CallRecord;
use jhyde_trace::{MethodInfo, Variable};

use super::node::{Loose, Relation};
use super::resolve::{Found, Resolver};
use crate::error::Result;
use crate::history::{Bound, bound};

impl Resolver {
    pub(super) fn bound_argument(
        &mut self,
        record: &CallRecord,
        variable: Variable,
        found: &mut Found,
    ) -> Result<()> {
        let (Variable::Local { local, .. }, Some(method)) =
            (variable, self.history.method(record.method)?)
        else {
            return Ok(());
        };
        match bound(method.method(), local) {
            Some(bound) => self.argument(record, position_of(method.method(), bound), found),
            None => Ok(()),
        }
    }

    /// What an argument came from, in whoever called.
    pub(super) fn argument(
        &mut self,
        record: &CallRecord,
        position: u16,
        found: &mut Found,
    ) -> Result<()> {
        let Some(caller) = self.caller(record, found)? else {
            return Ok(());
        };
        if caller.boundary {
            return self.outside(&caller, record.enter, true, found);
        }
        let Some((replay, row)) = self.replays.with(&self.history, caller.id, record.enter)? else {
            return self.unread(&caller, record.enter, found);
        };
        let own = self.control_of(&caller, &replay, row, found)?;
        let arguments = &replay.rows[row].arguments;
        match arguments.get(usize::from(position)) {
            Some(feeds) if arguments.len() > 1 || position == 0 => {
                self.feeds(&caller, &replay, row, feeds, Relation::Value, own, found)
            }
            _ => {
                for feeds in arguments {
                    self.feeds(&caller, &replay, row, feeds, Relation::Value, own, found)?;
                }
                if arguments.is_empty() {
                    self.unread(&caller, record.enter, found)?;
                }
                Ok(())
            }
        }
    }

    /// Why a call was made.
    pub(super) fn called(&mut self, record: &CallRecord, found: &mut Found) -> Result<()> {
        let Some(caller) = self.caller(record, found)? else {
            return Ok(());
        };
        if caller.boundary {
            return self.outside(&caller, record.enter, true, found);
        }
        let Some((replay, row)) = self.replays.with(&self.history, caller.id, record.enter)? else {
            return self.unread(&caller, record.enter, found);
        };
        let own = self.control_of(&caller, &replay, row, found)?;
        // The receiver decides which method it is.
        let is_instance = self
            .history
            .method(record.method)?
            .is_some_and(|method| !method.method().is_static());
        if let Some(feeds) = replay.rows[row].arguments.first().filter(|_| is_instance) {
            self.feeds(&caller, &replay, row, feeds, Relation::Place, own, found)?;
        }
        if let Some(own) = own {
            found.add(Relation::Condition, own);
        }
        Ok(())
    }

    /// Who called; `None` for what a thread began with.
    pub(super) fn caller(
        &mut self,
        record: &CallRecord,
        found: &mut Found,
    ) -> Result<Option<CallRecord>> {
        if !record.parent.is_root() {
            return Ok(Some(self.history.record(record.parent)?));
        }
        if self.is_started_inside(record)? {
            self.loose.insert(Loose::Thread(record.id.thread));
            found.note("what started this thread is not followed".to_owned());
        }
        Ok(None)
    }

    /// Did its thread begin behind the first one?
    pub(super) fn is_started_inside(&self, record: &CallRecord) -> Result<bool> {
        let first = self.history.recording.thread_ids().into_iter().min();
        Ok(first != Some(record.id.thread))
    }
}

/// The position of a bound local among the words that an invoke instruction takes.
pub(super) fn position_of(method: &MethodInfo, bound: Bound) -> u16 {
    match bound {
        Bound::This => 0,
        Bound::Argument(position) => {
            let receiver = u16::from(!method.is_static());
            u16::try_from(position)
                .unwrap_or(u16::MAX)
                .saturating_add(receiver)
        }
    }
}
