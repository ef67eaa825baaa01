//! What an event block puts into the tables that lead to it.
//!
//! These tables repeat what the blocks say, so that a question need not read all of them. The flusher fills
//! them block by block; [`crate::derived`] works them out again where the disk has lost a part of one.

use jhyde_trace::{Block, CallId, MethodId};
use rustc_hash::FxHashMap;
use serde::Serialize;

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
            has_exceptions: has_exceptions(block),
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

/// Has it exceptions, or gaps? Both are rare and are looked for by walking over their blocks.
pub(crate) fn has_exceptions(block: &Block) -> bool {
    (0..block.len()).any(|position| block.is_exception(position) || block.is_gap(position))
}
