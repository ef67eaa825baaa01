//! The calls of a list from a place on, in preorder.

use jhyde_store::Rows;
use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, MethodId};
use rustc_hash::FxHashSet;

use super::CallList;
use super::extent::{Extent, Part};
use crate::error::Result;
use crate::history::History;

/// A row of a [`CallWalk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walked {
    /// The next call.
    Call(CallRecord),
    /// Here calls are missing, up to the next one that is told; how to say so, for people.
    Missing(String),
}

/// From here on it is quicker to seek behind a subtree than to read over it.
const WORTH_SEEKING: u64 = 256;

impl History {
    /// The calls of a list, beginning at one of them, as they are now.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn walk(&self, list: &CallList, from: Option<CallId>) -> Result<CallWalk> {
        let extent = self.extent(list)?;
        let methods = self.listed_methods(list)?;
        let from = from.unwrap_or_else(|| extent.first());
        Ok(CallWalk::new(self, list, &extent, from, methods))
    }
}

/// Calls in preorder; see [`History::walk`].
pub struct CallWalk {
    history: History,
    /// What is still to be read; the next one last.
    parts: Vec<Part>,
    rows: Option<Rows<CallRecord>>,
    /// Have the rows told no call yet? Then what they cannot read begins where the next call is looked for.
    fresh: bool,
    /// The call from which on some were told to be missing last.
    missing: Option<CallId>,
    deepest: u32,
    without_boundary: bool,
    methods: Option<FxHashSet<MethodId>>,
}

impl CallWalk {
    /// The calls of a list from this one on.
    pub(super) fn new(
        history: &History,
        list: &CallList,
        extent: &Extent,
        from: CallId,
        methods: Option<FxHashSet<MethodId>>,
    ) -> Self {
        let mut parts = extent.parts.clone();
        parts.retain(|part| part.thread >= from.thread);
        if let Some(first) = parts.first_mut().filter(|p| p.thread == from.thread) {
            first.first = first.first.max(from.preorder);
        }
        parts.reverse();
        Self {
            history: history.clone(),
            parts,
            rows: None,
            fresh: true,
            missing: None,
            deepest: extent.deepest,
            without_boundary: list.without_boundary,
            methods,
        }
    }

    fn next_call(&mut self) -> Option<Result<Walked>> {
        loop {
            let &mut Part {
                thread,
                first: ref mut next,
                end,
            } = self.parts.last_mut()?;
            if *next >= end {
                self.parts.pop();
                self.rows = None;
                continue;
            }
            let rows = self.rows.get_or_insert_with(|| {
                self.fresh = true;
                self.history.recording.preorder(thread, *next..end)
            });
            match rows.next() {
                Some(Ok(record)) => {
                    self.fresh = false;
                    if record.id.preorder < *next || record.depth > self.deepest {
                        continue;
                    }
                    *next = record.id.preorder + 1;
                    if record.depth == self.deepest {
                        *next = record.id.preorder.saturating_add(record.size.max(1));
                        if record.size > WORTH_SEEKING {
                            self.rows = None;
                        }
                    }
                    return Some(Ok(Walked::Call(record)));
                }
                // It may lie in a subtree that is left out.
                Some(Err(_)) if !self.fresh => self.rows = None,
                Some(Err(error @ jhyde_store::Error::Damaged { .. })) => {
                    let first = CallId::new(thread, *next);
                    // Several blocks one behind the other: the calls up to the next one are told to be missing.
                    if self.missing.replace(first) == Some(first) {
                        continue;
                    }
                    return Some(Ok(Walked::Missing(format!(
                        "calls from {first} on, up to the next one that is told, are missing: {error}"
                    ))));
                }
                Some(Err(error)) => return Some(Err(error.into())),
                None => {
                    self.parts.pop();
                    self.rows = None;
                }
            }
        }
    }
}

impl Iterator for CallWalk {
    type Item = Result<Walked>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = match self.next_call()? {
                Ok(Walked::Call(record)) => record,
                other => return Some(other),
            };
            let left_out = (self.without_boundary && record.boundary)
                || self
                    .methods
                    .as_ref()
                    .is_some_and(|methods| !methods.contains(&record.method));
            if !left_out {
                return Some(Ok(Walked::Call(record)));
            }
            // All of them may be.
            if let Err(error) = self.history.check() {
                return Some(Err(error));
            }
        }
    }
}
