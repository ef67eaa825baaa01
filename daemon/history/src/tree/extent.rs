//! Which calls a list is made of, and its places.
//!
//! A subtree is a range of preorder numbers, so the places of a list are those numbers, one thread behind the other:
//! where a place is, and how many there are, is arithmetic, whatever the list leaves out.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, ThreadId, Timestamp};

use super::CallList;
use crate::error::{Error, Result};
use crate::history::History;
use crate::page::Place;

/// The calls of a list, before any are left out by name or depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// By thread: the first number and the one behind the last. Never empty, though its ranges may be.
    pub(super) parts: Vec<Part>,
    /// Calls deeper than this are left out.
    pub(super) deepest: u32,
}

/// What a list has of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) thread: ThreadId,
    pub(super) first: u64,
    pub(super) end: u64,
}

impl Part {
    fn len(self) -> u64 {
        self.end.saturating_sub(self.first)
    }
}

impl Extent {
    /// How many places there are.
    pub fn places(&self) -> u64 {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// The first place, as a call; where there are no calls, it is none's.
    pub fn first(&self) -> CallId {
        let part = self.parts.first();
        part.map_or(CallId::new(ThreadId(0), 1), |part| {
            CallId::new(part.thread, part.first)
        })
    }

    /// How many places are before a call.
    pub fn place(&self, call: CallId) -> u64 {
        let before = |part: &Part| match part.thread.cmp(&call.thread) {
            std::cmp::Ordering::Less => part.len(),
            std::cmp::Ordering::Equal => {
                call.preorder.clamp(part.first, part.end.max(part.first)) - part.first
            }
            std::cmp::Ordering::Greater => 0,
        };
        self.parts.iter().map(before).sum()
    }

    /// The call at a place; behind the last one the place behind it.
    fn at(&self, place: u64) -> CallId {
        let mut left = place;
        for part in &self.parts {
            if left < part.len() {
                return CallId::new(part.thread, part.first + left);
            }
            left -= part.len();
        }
        self.end()
    }

    fn end(&self) -> CallId {
        let part = self.parts.last();
        part.map_or_else(
            || self.first(),
            |part| CallId::new(part.thread, part.end.max(part.first)),
        )
    }

    fn contains(&self, call: CallId) -> bool {
        let within = |part: &Part| {
            part.thread == call.thread && (part.first..part.end).contains(&call.preorder)
        };
        self.parts.iter().any(within)
    }
}

impl History {
    /// The calls of a list as they are now.
    ///
    /// # Errors
    /// When there is no such subtree or the recording cannot be read.
    pub fn extent(&self, list: &CallList) -> Result<Extent> {
        let mut parts = Vec::new();
        let mut top = 0;
        let whole = |thread| {
            let calls = self.recording.root(thread)?.calls;
            Ok::<_, Error>(Part {
                thread,
                first: 1,
                end: calls.saturating_add(1),
            })
        };
        match list.subtree {
            Some(call) if !call.is_root() => {
                let record = self.recording.call(call)?;
                // The subtree's root is level 0, as is a thread's root.
                top = record.depth;
                parts.push(Part {
                    thread: call.thread,
                    first: call.preorder + u64::from(list.without_root),
                    end: call.preorder.saturating_add(record.size),
                });
            }
            Some(root) => parts.push(whole(root.thread)?),
            None => {
                for thread in self.recording.thread_ids() {
                    parts.push(whole(thread)?);
                }
                parts.sort_by_key(|part| part.thread);
            }
        }
        Ok(Extent {
            parts,
            deepest: match list.max_depth {
                0 => u32::MAX,
                levels => top.saturating_add(levels),
            },
        })
    }

    /// The call whose row stands at a place, or the place itself where none does.
    pub(super) fn row_at(&self, extent: &Extent, place: Place) -> Result<CallId> {
        let call = match place {
            Place::Index(index) => extent.at(index),
            Place::Call(call) if extent.contains(call) => call,
            // The root above the list, which is left out of it.
            Place::Call(call) if extent.first() == CallId::new(call.thread, call.preorder + 1) => {
                extent.first()
            }
            Place::Call(call) => {
                let reason = format!("call {call} is not in it");
                return Err(Error::Start(reason));
            }
            Place::Time(time) => self.call_at(extent, time)?,
        };
        if !extent.contains(call) {
            return Ok(call);
        }
        Ok(self.listed_above(extent, self.recording.call(call)?)?.id)
    }

    /// The call, or the one above it that is not too deep for the list.
    pub(super) fn listed_above(&self, extent: &Extent, mut call: CallRecord) -> Result<CallRecord> {
        while call.depth > extent.deepest {
            call = self.recording.call(call.parent)?;
        }
        Ok(call)
    }

    /// The innermost call of the list that ran at a time; where none did, the next one.
    fn call_at(&self, extent: &Extent, time: Timestamp) -> Result<CallId> {
        let [part] = extent.parts.as_slice() else {
            let reason = "at one time every thread was somewhere: list the calls of one thread or below one call";
            return Err(Error::Start(reason.to_owned()));
        };
        let innermost = self.recording.innermost_call(part.thread, time)?;
        if extent.contains(innermost) {
            return Ok(innermost);
        }
        // Numbers rise with time.
        let behind = Timestamp(time.0.saturating_add(1));
        let next = 1 + self.recording.calls_before(part.thread, behind)?;
        Ok(CallId::new(
            part.thread,
            next.clamp(part.first, part.end.max(part.first)),
        ))
    }
}
