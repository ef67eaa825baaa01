//! What decides over what a call writes, and over what it leaves unwritten: its conditions, where its writes went, which
//! objects it handed to calls inside, what it handed to code out of the scope, and exceptions. What it computed besides
//! does not: a value that was written, the slice follows by itself.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, Outcome};

use super::control::entered;
use super::node::{Deed, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use super::row::{Row, RowKind};
use super::stack::Feeds;
use crate::error::Result;
use crate::text::parameters;

impl Resolver {
    /// What decided over the writes of a call, whether they happened or not.
    pub(super) fn decisions(&mut self, record: &CallRecord, found: &mut Found) -> Result<()> {
        found.add(Relation::Condition, entered(record));
        let Some(replay) = self.replays.whole(&self.history, record.id)? else {
            let end = *self.history.life(record).end();
            return self.unread(record, end, found);
        };
        let (call, end) = (record.id, *self.history.life(record).end());
        if let Some(unseen) = self.history.unseen_deeds(record, record.enter, end)? {
            found.note(format!("what decided over it is not recorded: {unseen}"));
            self.loose.insert(Loose::Call(call));
        }
        for (position, row) in replay.rows.iter().enumerate() {
            self.history.check()?;
            let node = |deed, call: CallId| Node {
                deed,
                at: row.at,
                call,
            };
            match row.kind {
                RowKind::Edge => found.add(Relation::Condition, node(Deed::Condition, call)),
                RowKind::Thrown => found.add(Relation::Condition, node(Deed::Thrown, call)),
                RowKind::Exit(child, Outcome::Threw(_)) => {
                    found.add(Relation::Condition, node(Deed::Result, child));
                }
                RowKind::Gap | RowKind::Lost => {
                    let end = *self.history.life(record).end();
                    return self.unread(record, end, found);
                }
                _ => {}
            }
            let feeds = match row.kind {
                RowKind::Write => vec![row.place.clone()],
                RowKind::Enter(child) => self.handed(child, row)?,
                _ => continue,
            };
            for feeds in feeds {
                let place = Relation::Place;
                self.feeds(record, &replay, position, &feeds, place, None, found)?;
            }
        }
        Ok(())
    }

    /// What went into the objects that a call was handed; of a call out of the scope, into all that it was.
    fn handed(&self, child: CallId, row: &Row) -> Result<Vec<Feeds>> {
        let child = self.history.record(child)?;
        let method = self
            .history
            .method(child.method)?
            .filter(|_| !child.boundary);
        let Some(method) = method else {
            return Ok(row.arguments.clone());
        };
        let info = method.method();
        let types = parameters(&info.descriptor);
        let receiver = usize::from(!info.is_static());
        if row.arguments.len() != types.len() + receiver {
            return Ok(row.arguments.clone());
        }
        let is_object = |position: usize| {
            let Some(position) = position.checked_sub(receiver) else {
                return true;
            };
            types
                .get(position)
                .is_none_or(|name| name.starts_with(['L', '[']))
        };
        let arguments = row.arguments.iter().enumerate();
        let objects = arguments.filter(|(position, _)| is_object(*position));
        Ok(objects.map(|(_, feeds)| feeds.clone()).collect())
    }
}
