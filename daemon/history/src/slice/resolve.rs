//! From one deed to those that it came from.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{CallId, EventKind, ObjectId, Outcome, Timestamp, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::control::entered;
use super::node::{Deed, Link, Loose, Node, Relation};
use super::row::{Replay, RowKind};
use super::stack::Feed;
use super::window::Replays;
use crate::error::Result;
use crate::history::History;

/// Where a part of a call was not seen, so many of its reads and results before are taken for what went in.
const MOST_READS: usize = 4096;

/// A time before which a condition was looked for, and the one that was found.
type Searched = (Timestamp, Option<(Timestamp, Deed)>);

/// Finds what deeds came from.
#[derive(Debug)]
pub(super) struct Resolver {
    pub(super) history: History,
    pub(super) replays: Replays,
    /// By call and instruction: the condition that it hung on.
    pub(super) conditions: FxHashMap<(CallId, u32), Searched>,
    /// Calls of which all that they read by a time was taken for what went in.
    unread: FxHashMap<CallId, Timestamp>,
    /// By call and slot: where the conditions that decide over stores were looked for.
    pub(super) stores: FxHashMap<(CallId, u16), Range<Timestamp>>,
    /// What was not followed.
    pub(super) loose: FxHashSet<Loose>,
    /// Objects that code out of the scope could look into, since somebody asked last.
    pub(super) shown: Vec<ObjectId>,
}

/// What a deed came from.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) links: Vec<Link>,
    /// What is not known.
    pub(super) notes: Vec<String>,
}

impl Found {
    pub(super) fn add(&mut self, relation: Relation, node: Node) {
        self.links.push(Link {
            relation,
            node,
            read: None,
        });
    }

    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Resolver {
    pub(super) fn new(history: History) -> Self {
        Self {
            history,
            replays: Replays::default(),
            conditions: FxHashMap::default(),
            unread: FxHashMap::default(),
            stores: FxHashMap::default(),
            loose: FxHashSet::default(),
            shown: Vec::new(),
        }
    }

    /// What a deed came from.
    pub(super) fn resolve(&mut self, node: Node) -> Result<Found> {
        let mut found = Found::default();
        if node.call.is_root() {
            return Ok(found);
        }
        let record = self.history.record(node.call)?;
        match node.deed {
            Deed::Argument(position) => self.argument(&record, position, &mut found)?,
            Deed::Called => self.called(&record, &mut found)?,
            Deed::Content(_) if record.boundary => {
                self.outside(&record, node.at, false, &mut found)?;
                self.poured(&record, &mut found)?;
                self.before(node, &mut found)?;
            }
            _ if record.boundary => self.outside(&record, node.at, true, &mut found)?,
            Deed::Content(_) => self.before(node, &mut found)?,
            // It was there when it was first looked at.
            Deed::Found(_) => {}
            Deed::Write(variable) if self.binds(&record, variable, node.at)? => {
                self.bound_argument(&record, variable, &mut found)?;
            }
            Deed::Created(object) => {
                self.row(&record, node.at, &mut found)?;
                self.constructed(object, node.at, &mut found)?;
            }
            _ => self.row(&record, node.at, &mut found)?,
        }
        found.links.dedup_by(|one, other| one == other);
        Ok(found)
    }

    /// What a row of a call came from.
    fn row(&mut self, record: &CallRecord, at: Timestamp, found: &mut Found) -> Result<()> {
        let Some((replay, row)) = self.replays.with(&self.history, record.id, at)? else {
            return self.unread(record, at, found);
        };
        let own = self.control_of(record, &replay, row, found)?;
        let here = &replay.rows[row];
        let (value, place) = (here.value.clone(), here.place.clone());
        self.feeds(record, &replay, row, &value, Relation::Value, own, found)?;
        self.feeds(record, &replay, row, &place, Relation::Place, own, found)?;
        if let Some(own) = own {
            found.add(Relation::Condition, own);
        }
        if replay.rows[..row]
            .iter()
            .any(|row| matches!(row.kind, RowKind::Gap | RowKind::Lost))
        {
            found.note("a part of this call was not recorded, so that all that it read before may have gone in".to_owned());
            self.unread(record, at, found)?;
        }
        Ok(())
    }

    /// What lay on the stack came from these.
    #[expect(
        clippy::too_many_arguments,
        reason = "one place of one replay, and where it goes"
    )]
    pub(super) fn feeds(
        &mut self,
        record: &CallRecord,
        replay: &Arc<Replay>,
        user: usize,
        feeds: &[Feed],
        relation: Relation,
        own: Option<Node>,
        found: &mut Found,
    ) -> Result<()> {
        for feed in feeds {
            let control = match *feed {
                Feed::Open => {
                    let at = replay.rows[user].at;
                    found.note(UNSEEN.to_owned());
                    let lowered = self.history.unseen_deeds(record, record.enter, at)?;
                    if lowered.is_some() {
                        self.loose.insert(Loose::Call(record.id));
                    }
                    self.unread(record, at, found)?;
                    continue;
                }
                Feed::Constant { after, at } => {
                    let after = replay.rows.get(after as usize);
                    let after = after.map_or(record.enter, |row| row.at);
                    self.control(record, Timestamp(after.0 + 1), at, found)?
                }
                Feed::Row(number) => {
                    let number = number as usize;
                    let Some(row) = replay.rows.get(number) else {
                        continue;
                    };
                    self.fed_by(record, row.kind, row.at, relation, found)?;
                    let place = row.place.clone();
                    let control = self.control_of(record, replay, number, found)?;
                    self.feeds(record, replay, number, &place, Relation::Place, own, found)?;
                    control
                }
            };
            // `c ? x : y`: that it was this one hung on a condition of its own.
            if let Some(control) = control.filter(|control| Some(*control) != own) {
                found.add(Relation::Condition, control);
            }
        }
        Ok(())
    }

    fn fed_by(
        &mut self,
        record: &CallRecord,
        kind: RowKind,
        at: Timestamp,
        relation: Relation,
        found: &mut Found,
    ) -> Result<()> {
        let call = record.id;
        let node = |deed| Node { deed, at, call };
        match kind {
            RowKind::Use(variable) => {
                let definition = self.definition(variable, at, found)?;
                if let Some(node) = definition {
                    found.links.push(Link {
                        relation,
                        node,
                        read: Some(variable),
                    });
                }
                if let Variable::Local { local, .. } = variable {
                    let since = definition.map_or(record.enter, |node| node.at);
                    self.not_stored(record, local, since..at, found)?;
                }
            }
            RowKind::New(object) => found.add(relation, node(Deed::Created(object))),
            RowKind::Exit(child, _) => {
                found.add(
                    relation,
                    Node {
                        deed: Deed::Result,
                        at,
                        call: child,
                    },
                );
            }
            RowKind::Thrown => found.add(relation, node(Deed::Thrown)),
            RowKind::Caught => found.add(relation, node(Deed::Caught)),
            RowKind::Edge => found.add(relation, node(Deed::Condition)),
            RowKind::Write
            | RowKind::Enter(_)
            | RowKind::End
            | RowKind::Gap
            | RowKind::Lost
            | RowKind::Other => {}
        }
        Ok(())
    }

    /// Nothing is known of what went in: all that the call read, was given and got back by then may have.
    pub(super) fn unread(
        &mut self,
        record: &CallRecord,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<()> {
        found.add(Relation::Condition, entered(record));
        if self.unread.get(&record.id).is_some_and(|done| *done >= at) {
            return Ok(());
        }
        self.unread.insert(record.id, at);
        let range = record.enter..at;
        let own = self
            .history
            .recording
            .own_events(record.id, range, Direction::Backward);
        for (count, own) in own.enumerate() {
            if count == MOST_READS {
                self.loose.insert(Loose::Call(record.id));
                found.note(format!(
                    "of what call {} read before, the last {MOST_READS} are followed",
                    record.id
                ));
                break;
            }
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.loose.insert(Loose::Call(record.id));
                    continue;
                }
                own => own?,
            };
            let kind = match own.event.kind {
                EventKind::Use { variable } => RowKind::Use(variable),
                EventKind::New { object, .. } => RowKind::New(object),
                EventKind::Edge { .. } => RowKind::Edge,
                EventKind::Exit { outcome } if outcome != Outcome::Returned(None) => {
                    RowKind::Exit(own.event.call, outcome)
                }
                _ => continue,
            };
            self.fed_by(record, kind, own.timestamp, Relation::Value, found)?;
        }
        Ok(())
    }
}

const UNSEEN: &str =
    "what went into this was not seen, so that all that the call read before may have";
