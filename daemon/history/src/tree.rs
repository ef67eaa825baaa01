//! Lists of calls: a subtree or the whole recording in preorder, down to a depth, in pages or as a stream.

use jhyde_store::Rows;
use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, MethodId, ThreadId};
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::history::History;
use crate::page::{Tokens, rows};
use crate::reference::MethodName;
use crate::view::CallView;

/// Which calls a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallList {
    /// The subtree's root, itself in the list; the root of a thread stands for its thread. `None`: all threads.
    pub subtree: Option<CallId>,
    /// How many levels below the subtree's root (or the threads' roots) are listed; 0: all.
    pub max_depth: u32,
    /// Leave boundary calls out.
    pub without_boundary: bool,
    /// Only calls of methods that go by this name (`method`, `Class.method`, with or without descriptor).
    pub method: Option<String>,
}

/// A page of calls, and which calls are missing in it or, on the last page, behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallPage {
    /// The calls that can be read.
    pub rows: Vec<CallView>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<String>,
    /// Which calls are missing, and why, for people.
    pub notes: Vec<String>,
}

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
    /// The calls from the outermost one down to this one, itself last.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn path(&self, call: CallId) -> Result<Vec<CallView>> {
        if call.is_root() {
            return Err(Error::Root(call));
        }
        let records = self.recording.path(call)?;
        records
            .into_iter()
            .map(|record| self.call(record, true))
            .collect()
    }

    /// A page of calls in preorder. What a damaged block holds is left out and said.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn calls(
        &self,
        list: &CallList,
        with_values: bool,
        page_size: u32,
        page_token: &str,
    ) -> Result<CallPage> {
        let limit = rows(page_size)?;
        let tokens = Tokens::of(&[&"calls", &self.recording.id(), list]);
        let from = tokens.position(page_token)?.map(CallId::unpack);
        let mut page = CallPage::default();
        for walked in self.walk(list, from)? {
            self.check()?;
            match walked? {
                Walked::Missing(note) => page.notes.push(note),
                Walked::Call(record) if page.rows.len() == limit => {
                    page.next = Some(tokens.token(record.id.pack()));
                    break;
                }
                Walked::Call(record) => page.rows.push(self.call(record, with_values)?),
            }
        }
        if page.next.is_none() {
            page.notes.extend(match list.subtree {
                Some(call) => self.end_note_of(call)?,
                None => self.end_note(),
            });
        }
        Ok(page)
    }

    /// The calls of a list, beginning at one of them, as they were when the walk comes to their thread.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn walk(&self, list: &CallList, from: Option<CallId>) -> Result<CallWalk> {
        let mut parts = Vec::new();
        let mut top = 0;
        match list.subtree {
            Some(call) if !call.is_root() => {
                let record = self.recording.call(call)?;
                // The subtree's root is level 0, as is a thread's root.
                top = record.depth;
                parts.push((
                    call.thread,
                    call.preorder,
                    call.preorder.saturating_add(record.size),
                ));
            }
            Some(root) => {
                parts.push((
                    root.thread,
                    1,
                    self.recording.root(root.thread)?.calls.saturating_add(1),
                ));
            }
            None => {
                for thread in self.recording.thread_ids() {
                    let calls = self.recording.root(thread)?.calls;
                    parts.push((thread, 1, calls.saturating_add(1)));
                }
            }
        }
        if let Some(from) = from {
            parts.retain(|(thread, ..)| *thread >= from.thread);
            if let Some(first) = parts
                .first_mut()
                .filter(|(thread, ..)| *thread == from.thread)
            {
                first.1 = first.1.max(from.preorder);
            }
        }
        let methods = match &list.method {
            Some(name) => {
                let parsed =
                    MethodName::parse(name).ok_or_else(|| Error::NoSuchMethod(name.clone()))?;
                let methods: FxHashSet<_> = self
                    .methods_named(parsed)?
                    .into_iter()
                    .map(|method| method.id)
                    .collect();
                if methods.is_empty() {
                    return Err(Error::NoSuchMethod(name.clone()));
                }
                Some(methods)
            }
            None => None,
        };
        parts.reverse();
        Ok(CallWalk {
            history: self.clone(),
            parts,
            rows: None,
            fresh: true,
            missing: None,
            deepest: match list.max_depth {
                0 => u32::MAX,
                levels => top.saturating_add(levels),
            },
            without_boundary: list.without_boundary,
            methods,
        })
    }
}

/// Calls in preorder; see [`History::walk`].
pub struct CallWalk {
    history: History,
    /// What is still to be read: thread, next and end number; the next one last.
    parts: Vec<(ThreadId, u64, u64)>,
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
    fn next_call(&mut self) -> Option<Result<Walked>> {
        loop {
            let &mut (thread, ref mut next, end) = self.parts.last_mut()?;
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
        }
    }
}
