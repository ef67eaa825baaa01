//! The dynamic backward slice: the deeds of a run that a value came from, backwards, by data and control.
//!
//! In reading order: [`node`] (deeds, and how one led to another), `code` and `stack`, `replay` (one call run again over
//! its own events: what went into each of them), `window` (calls that were run again), `resolve`, `definition`, `calls`, `control`
//! `outside` and `earlier` (from a deed to those that it came from), and here the walk over all of them, nearest first.
//!
//! By data it is exact at level `full` inside the scope: every read is an event, and the code tells what became of it.
//! By control it is exact but for exceptions: which instructions a handler guards is not recorded, so that what runs
//! behind a handler's beginning hangs on the exception. Code out of the scope used all that it could get at. What gaps,
//! damage and lower levels hide may have used all that its call read before; never is less told than was.

pub mod blame;
pub mod flow;
pub mod node;

mod calls;
mod code;
mod control;
mod definition;
mod earlier;
mod hands;
mod outside;
mod replay;
mod resolve;
mod row;
mod stack;
mod unchanging;
mod undone;
mod window;

use std::collections::VecDeque;

use jhyde_trace::{Level, Timestamp, Variable};
use rustc_hash::FxHashSet;

use self::node::{Deed, Node, Relation, Step};
use self::resolve::{Found, Resolver};
use crate::error::{Error, Result};
use crate::history::History;
use crate::variables::local_form;

/// What is sliced: a variable at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlicedValue {
    /// The variable.
    pub variable: Variable,
    /// When its value is meant; `None`: when its call ends, or the recording does.
    pub at: Option<Timestamp>,
}

const UNWRITTEN: &str =
    "nothing was written to it by then: it has the value that its type begins with, or none";

/// A deed that waits to be looked at.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    parent: Option<u64>,
    relation: Relation,
    read: Option<Variable>,
    node: Node,
}

/// A slice under way: deed by deed, those that take the fewest steps to the value first.
#[derive(Debug)]
pub struct Slice {
    resolver: Resolver,
    waiting: VecDeque<Waiting>,
    met: FxHashSet<(u64, u32)>,
    /// What lies before is not followed.
    since: Timestamp,
    /// What is not known of the value that was asked about.
    asked: Vec<String>,
}

impl History {
    /// The slice of a value.
    ///
    /// # Errors
    /// When there is no such value at that time, the recording has no events to follow, or it cannot be read.
    pub fn slice(&self, of: SlicedValue) -> Result<Slice> {
        let mut slice = Slice::over(self.clone(), Timestamp(0));
        let (node, more) = slice.first(self, of)?;
        slice.asked = more.notes;
        slice.meet(None, Relation::Asked, None, node);
        for link in more.links {
            slice.meet(Some(0), link.relation, link.read, link.node);
        }
        Ok(slice)
    }
}

impl Slice {
    /// One of nothing yet, which does not go back beyond a time.
    fn over(history: History, since: Timestamp) -> Self {
        Self {
            resolver: Resolver::new(history),
            waiting: VecDeque::new(),
            met: FxHashSet::default(),
            since,
            asked: Vec::new(),
        }
    }

    /// The deed that gave a variable its value, and what decided that no other did.
    fn first(&mut self, history: &History, of: SlicedValue) -> Result<(Node, Found)> {
        if history.asked != Level::Full {
            return Err(Error::NoSlice {
                level: history.asked.to_string(),
            });
        }
        let at = match (of.at, of.variable) {
            (Some(at), _) => history.recording.event(at)?.timestamp,
            (None, Variable::Local { call, .. }) => *history.life(&history.record(call)?).end(),
            (None, _) => history.last_event(),
        };
        let mut found = Found::default();
        let first = match of.variable {
            Variable::Return { call } | Variable::Exception { call } => {
                self.resolver.ending(&history.record(call)?)
            }
            variable => self.resolver.definition(variable, at, &mut found)?,
        };
        let Some(node) = first.filter(|first| first.at <= at) else {
            let told = found.notes.into_iter().next();
            return Err(Error::NoValue {
                variable: history.written_form(of.variable)?,
                at,
                reason: told.unwrap_or_else(|| UNWRITTEN.to_owned()),
            });
        };
        let mut more = found;
        if let Variable::Local { call, local } = of.variable {
            let record = history.record(call)?;
            let since = node.at..Timestamp(at.0.saturating_add(1));
            self.resolver.not_stored(&record, local, since, &mut more)?;
        }
        Ok((node, more))
    }

    /// The next step; `None` behind the last one.
    ///
    /// # Errors
    /// When the recording cannot be read, or nobody waits any more.
    pub fn next_step(&mut self) -> Result<Option<Step>> {
        let Some((waiting, found)) = self.advance()? else {
            return Ok(None);
        };
        let mut notes = std::mem::take(&mut self.asked);
        notes.extend(found.notes);
        notes.dedup();
        let history = &self.resolver.history;
        let timed = history.recording.event(waiting.node.at)?;
        let read = waiting.read.map(|variable| history.written_form(variable));
        Ok(Some(Step {
            number: waiting.number,
            parent: waiting.parent,
            relation: waiting.relation,
            node: waiting.node,
            read: read.transpose()?,
            event: history.event(timed.timestamp, &timed.event)?,
            argument: self.argument(waiting.node)?,
            notes,
        }))
    }

    fn advance(&mut self) -> Result<Option<(Waiting, Found)>> {
        self.resolver.history.check()?;
        let Some(waiting) = self.waiting.pop_front() else {
            return Ok(None);
        };
        let found = self.resolver.resolve(waiting.node)?;
        for link in &found.links {
            self.meet(Some(waiting.number), link.relation, link.read, link.node);
        }
        Ok(Some((waiting, found)))
    }

    /// Puts a deed in the row, unless it was met before.
    fn meet(
        &mut self,
        parent: Option<u64>,
        relation: Relation,
        read: Option<Variable>,
        node: Node,
    ) {
        if node.at < self.since || !self.met.insert(node.key()) {
            return;
        }
        self.waiting.push_back(Waiting {
            number: self.met.len() as u64 - 1,
            parent,
            relation,
            read,
            node,
        });
    }

    /// How an argument is called in the source of the called method.
    fn argument(&self, node: Node) -> Result<Option<String>> {
        let Deed::Argument(position) = node.deed else {
            return Ok(None);
        };
        let Some(method) = self.resolver.history.method_of(node.call)? else {
            return Ok(None);
        };
        let info = method.method();
        let receiver = u16::from(!info.is_static());
        Ok(Some(match position.checked_sub(receiver) {
            None => "this".to_owned(),
            Some(position) => crate::history::parameter(info, usize::from(position)).map_or_else(
                || format!("arg{position}"),
                |(local, _)| local_form(info, local),
            ),
        }))
    }
}
