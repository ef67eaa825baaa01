//! Only a method's calls: by the index of methods, in which each call of a method has a number that rises with time.
//!
//! So a page costs what it holds and some halving, not the calls between.

use std::collections::VecDeque;

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, MethodId, Timestamp};
use rustc_hash::FxHashSet;

use super::CallList;
use super::extent::{Extent, Part};
use crate::error::{Error, Result};
use crate::history::History;
use crate::reference::MethodName;

/// Calls of a method read at a time.
const CHUNK: u64 = 128;

impl History {
    /// The methods whose calls alone are listed; `None` if those of all methods are.
    pub(super) fn listed_methods(&self, list: &CallList) -> Result<Option<FxHashSet<MethodId>>> {
        let Some(name) = &list.method else {
            return Ok(None);
        };
        let parsed = MethodName::parse(name).ok_or_else(|| Error::NoSuchMethod(name.clone()))?;
        let methods: FxHashSet<_> = self
            .methods_named(parsed)?
            .into_iter()
            .map(|method| method.id)
            .collect();
        match methods.is_empty() {
            true => Err(Error::NoSuchMethod(name.clone())),
            false => Ok(Some(methods)),
        }
    }

    /// At most so many calls of these methods in the list, from a place on or, `backward`, before it, the nearest first.
    pub(super) fn calls_by_method(
        &self,
        list: &CallList,
        extent: &Extent,
        methods: &FxHashSet<MethodId>,
        at: CallId,
        backward: bool,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        let mut found = Vec::new();
        let mut parts = extent.parts.clone();
        if backward {
            parts.reverse();
        }
        for mut part in parts {
            if part.thread == at.thread {
                match backward {
                    false => part.first = part.first.max(at.preorder),
                    true => part.end = part.end.min(at.preorder),
                }
            } else if (part.thread < at.thread) != backward {
                continue;
            }
            if part.first >= part.end {
                continue;
            }
            let mut cursors = methods
                .iter()
                .map(|method| Cursor::new(self, *method, part, backward))
                .collect::<Result<Vec<_>>>()?;
            while found.len() < limit {
                self.check()?;
                let Some(call) = next_of(self, &mut cursors, backward)? else {
                    break;
                };
                if call.depth <= extent.deepest && !(list.without_boundary && call.boundary) {
                    found.push(call);
                }
            }
        }
        Ok(found)
    }
}

/// The next call of all methods: of one thread, so that numbers and times rise alike.
fn next_of(
    history: &History,
    cursors: &mut [Cursor],
    backward: bool,
) -> Result<Option<CallRecord>> {
    let mut best: Option<(u64, usize)> = None;
    for (at, cursor) in cursors.iter_mut().enumerate() {
        cursor.fill(history)?;
        let Some(call) = cursor.ahead.front() else {
            continue;
        };
        let number = call.id.preorder;
        let nearer = best.is_none_or(|(best, _)| match backward {
            false => number < best,
            true => number > best,
        });
        if nearer {
            best = Some((number, at));
        }
    }
    let cursor = best.and_then(|(_, at)| cursors.get_mut(at));
    Ok(cursor.and_then(|cursor| cursor.ahead.pop_front()))
}

/// The calls of one method in one part of a list.
struct Cursor {
    method: MethodId,
    part: Part,
    backward: bool,
    /// Invocations that are still to be read.
    from: u64,
    to: u64,
    ahead: VecDeque<CallRecord>,
}

impl Cursor {
    fn new(history: &History, method: MethodId, part: Part, backward: bool) -> Result<Self> {
        let enter = |number| {
            history
                .recording
                .call(CallId::new(part.thread, number))
                .map(|call| call.enter)
        };
        // The part's last call may run on; what matters is where the part begins and ends in numbers.
        let (first, last) = (enter(part.first)?, enter(part.end - 1)?);
        Ok(Self {
            method,
            part,
            backward,
            from: history.recording.invocation_at(method, first)?,
            to: history
                .recording
                .invocation_at(method, Timestamp(last.0.saturating_add(1)))?,
            ahead: VecDeque::new(),
        })
    }

    fn fill(&mut self, history: &History) -> Result<()> {
        while self.ahead.is_empty() && self.from < self.to {
            history.check()?;
            let range = match self.backward {
                false => self.from..self.to.min(self.from + CHUNK),
                true => self.from.max(self.to.saturating_sub(CHUNK))..self.to,
            };
            let count = (range.end - range.start) as usize;
            let calls = history
                .recording
                .calls_of_method(self.method, range.start, count)?;
            let mut calls: Vec<_> = calls
                .into_iter()
                .filter(|call| {
                    call.id.thread == self.part.thread
                        && (self.part.first..self.part.end).contains(&call.id.preorder)
                })
                .collect();
            match self.backward {
                false => self.from = range.end,
                true => {
                    self.to = range.start;
                    calls.reverse();
                }
            }
            self.ahead.extend(calls);
        }
        Ok(())
    }
}
