//! The calls of a list from a place backwards.
//!
//! Before a call in preorder stands the call with the number before; if that is too deep for the list, the call above it
//! that is not. So going back costs a step up for every level, and no reading of what is inside.

use jhyde_trace::{CallId, MethodId};
use rustc_hash::FxHashSet;

use super::extent::{Extent, Part};
use super::{CallList, Walked};
use crate::error::{Error, Result};
use crate::history::History;

/// See the module. The latest call comes first.
pub(super) struct BackWalk<'a> {
    history: &'a History,
    extent: &'a Extent,
    /// What is still to be read; the next one last. What was read is cut off its end.
    parts: Vec<Part>,
    /// The last call could not be read, and that was said.
    told: bool,
    without_boundary: bool,
    methods: Option<FxHashSet<MethodId>>,
}

impl<'a> BackWalk<'a> {
    /// The calls before this one.
    pub(super) fn new(
        history: &'a History,
        list: &CallList,
        extent: &'a Extent,
        before: CallId,
        methods: Option<FxHashSet<MethodId>>,
    ) -> Self {
        let mut parts = extent.parts.clone();
        parts.retain(|part| part.thread <= before.thread);
        if let Some(last) = parts.last_mut().filter(|p| p.thread == before.thread) {
            last.end = last.end.min(before.preorder);
        }
        Self {
            history,
            extent,
            parts,
            told: false,
            without_boundary: list.without_boundary,
            methods,
        }
    }

    fn next_call(&mut self) -> Option<Result<Walked>> {
        loop {
            if let Err(cancelled) = self.history.check() {
                return Some(Err(cancelled));
            }
            let part = self.parts.last_mut()?;
            if part.end <= part.first {
                self.parts.pop();
                continue;
            }
            let id = CallId::new(part.thread, part.end - 1);
            let record = self.history.recording.call(id).map_err(Error::from);
            let listed = record.and_then(|record| self.history.listed_above(self.extent, record));
            match listed {
                Ok(record) => {
                    part.end = record.id.preorder;
                    self.told = false;
                    return Some(Ok(Walked::Call(record)));
                }
                Err(Error::Store(error @ jhyde_store::Error::Damaged { .. })) => {
                    part.end -= 1;
                    if !std::mem::replace(&mut self.told, true) {
                        return Some(Ok(Walked::Missing(format!(
                            "calls up to {id}, back to the next one that is told, are missing: {error}"
                        ))));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Iterator for BackWalk<'_> {
    type Item = Result<Walked>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = match self.next_call()? {
                Ok(Walked::Call(record)) => record,
                other => return Some(other),
            };
            let methods = self.methods.as_ref();
            let left_out = (self.without_boundary && record.boundary)
                || methods.is_some_and(|methods| !methods.contains(&record.method));
            if !left_out {
                return Some(Ok(Walked::Call(record)));
            }
        }
    }
}
