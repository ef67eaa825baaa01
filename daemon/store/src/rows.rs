//! What an event block puts into the tables that lead to it.
//!
//! These tables repeat what the blocks say, so that a question need not read all of them. The flusher fills
//! them block by block; [`crate::derived`] works them out again where the disk has lost a part of one.

use jhyde_trace::{Block, CallId, MethodId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::families::{self, Family};
use crate::state::{BlockEntry, LongCall, ThreadEntry};

/// Makes the rows of block after block of one recording.
#[derive(Debug, Default)]
pub(crate) struct TableRows {
    /// Calls that run on behind the blocks so far.
    running: FxHashMap<CallId, LongCall>,
}

impl TableRows {
    /// Takes note of a long call of blocks that were written before.
    pub(crate) fn known(&mut self, id: CallId, call: LongCall) {
        if call.ended.is_none() {
            self.running.insert(id, call);
        }
    }

    /// The method of a call that runs on behind the blocks so far.
    pub(crate) fn running(&self, call: CallId) -> Option<MethodId> {
        self.running.get(&call).map(|call| MethodId(call.method))
    }

    /// Tells every row of the next block: table, key and value. `length` is that of the encoded block in bytes.
    pub(crate) fn of_block(
        &mut self,
        block: &Block,
        length: usize,
        mut put: impl FnMut(Family, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let first = block.first().0.to_be_bytes();
        let entry = BlockEntry {
            events: block.len() as u32,
            rare: Rare::of(block),
            bytes: length as u32,
            wall_ms: block.wall_ms().0,
        };
        put(families::DIRECTORY, &first, &value(&entry))?;
        for thread in block.threads() {
            let entry = ThreadEntry {
                first_call: thread.first_call,
                calls: thread.rows.len() as u32,
                innermost_at_end: thread.innermost_at_end(),
                first_event: thread.first_event,
                last_event: thread.last_event,
            };
            let key = families::thread_block(thread.id, block.first().0);
            put(families::THREAD_BLOCKS, &key, &value(&entry))?;
            if !thread.rows.is_empty() {
                let key = families::call(thread.call_id(thread.first_call));
                put(families::CALL_BLOCKS, &key, &first)?;
            }
        }
        for (method, invocation) in block.methods() {
            let key = families::method_block(method, invocation);
            put(families::METHOD_BLOCKS, &key, &first)?;
        }
        self.of_calls(block, put)
    }

    /// Long calls that begin or end in the block, and who has own events in it.
    fn of_calls(
        &mut self,
        block: &Block,
        mut put: impl FnMut(Family, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let first = block.first().0;
        let own = |call: CallId| families::own_block(call, first);
        for thread in block.threads() {
            put(
                families::OWN_BLOCKS,
                &own(thread.call_id(thread.innermost)),
                &[],
            )?;
            for exit in &thread.outer_exits {
                put(families::OWN_BLOCKS, &own(thread.call_id(exit.parent)), &[])?;
                let id = thread.call_id(exit.call);
                if let Some(mut call) = self.running.remove(&id) {
                    call.ended = Some((first + u64::from(exit.position), exit.size));
                    put(families::LONG_CALLS, &families::call(id), &value(&call))?;
                }
            }
            for (preorder, row) in thread.open_rows() {
                let id = thread.call_id(preorder);
                put(families::OWN_BLOCKS, &own(id), &[])?;
                if let Some(enter) = block.enter(row.enter as usize) {
                    let call = LongCall {
                        enter: first + u64::from(row.enter),
                        ended: None,
                        parent: row.parent,
                        depth: row.depth,
                        method: enter.method.0,
                        call_site: enter.call_site,
                        boundary: enter.boundary,
                        already_running: enter.already_running,
                        invocation: row.invocation,
                    };
                    self.running.insert(id, call);
                    put(families::LONG_CALLS, &families::call(id), &value(&call))?;
                }
            }
        }
        Ok(())
    }
}

/// A value of a table. Serialising numbers to memory does not fail; if it did, the row would read as damaged.
fn value<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Which of those events a block has that are looked for by walking over the blocks that have some: one byte of the
/// directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rare(u8);

impl Rare {
    /// Of blocks that do not say which, as they were written once.
    const EITHER: u8 = 1;
    const EXCEPTIONS: u8 = 2;
    const GAPS: u8 = 4;

    pub(crate) fn of(block: &Block) -> Self {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        Self((0..block.len()).fold(0, |bits, at| {
            bits | bit(block.is_exception(at), Self::EXCEPTIONS) | bit(block.is_gap(at), Self::GAPS)
        }))
    }

    pub(crate) const fn may_have_exceptions(self) -> bool {
        self.0 & (Self::EITHER | Self::EXCEPTIONS) != 0
    }

    pub(crate) const fn may_have_gaps(self) -> bool {
        self.0 & (Self::EITHER | Self::GAPS) != 0
    }

    /// Does it say of a block what there is?
    pub(crate) fn is_true_of(self, block: &Block) -> bool {
        let there = Self::of(block);
        self == there || (self.0 == Self::EITHER && there != Self::default())
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::*;

    use super::*;

    fn block(kinds: Vec<EventKind>) -> Block {
        let mut builder = BlockBuilder::new(8);
        for kind in kinds {
            let event = Event {
                call: CallId::root(ThreadId(1)),
                index: Event::NO_INDEX,
                kind,
            };
            builder.append(&event).expect("fits");
        }
        builder.block().clone()
    }

    #[test]
    fn what_is_rare_is_told_apart_and_old_entries_are_understood() {
        let exception = || EventKind::Caught {
            exception: Value::Null,
        };
        let gap = || EventKind::Gap {
            back: false,
            reason: "x".to_owned(),
        };
        let all = [
            (vec![EventKind::ThreadStart], false, false),
            (vec![exception()], true, false),
            (vec![EventKind::ThreadStart, gap()], false, true),
            (vec![gap(), exception()], true, true),
        ];
        for (kinds, exceptions, gaps) in all {
            let block = block(kinds);
            let rare = Rare::of(&block);
            let bytes = value(&rare);
            assert_eq!(bytes.len(), 1);
            let rare: Rare = postcard::from_bytes(&bytes).expect("decodes");
            assert_eq!(
                (rare.may_have_exceptions(), rare.may_have_gaps()),
                (exceptions, gaps)
            );
            assert!(rare.is_true_of(&block));
            // Recordings of once have a flag for either.
            let old: Rare = postcard::from_bytes(&value(&(exceptions || gaps))).expect("decodes");
            assert!(old.is_true_of(&block));
            assert!(old.may_have_exceptions() >= exceptions && old.may_have_gaps() >= gaps);
            let wrong: Rare =
                postcard::from_bytes(&value(&!(exceptions || gaps))).expect("decodes");
            assert!(!wrong.is_true_of(&block));
        }
    }
}
