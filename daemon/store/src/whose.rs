//! Whose events are these? The call of each event of a block, and its method.

use jhyde_trace::{Block, CallId, MethodId};

/// The call of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) id: CallId,
    /// None where that is not known, and outside of all calls.
    pub(crate) method: Option<MethodId>,
    /// Does it begin and end in the block?
    pub(crate) within: bool,
}

/// Tells the calls of the events of a block. Most events are of the call of the one before.
pub(crate) struct Whose<'a, F> {
    block: &'a Block,
    /// Tells the method of a call that was entered before the block.
    outer: F,
    current: Option<Call>,
}

impl<'a, F: FnMut(CallId) -> Option<MethodId>> Whose<'a, F> {
    pub(crate) fn new(block: &'a Block, outer: F) -> Self {
        Self {
            block,
            outer,
            current: None,
        }
    }

    /// Of the event at a position.
    pub(crate) fn call(&mut self, position: usize) -> Call {
        let id = self.block.call(position);
        if let Some(current) = self.current.filter(|current| current.id == id) {
            return current;
        }
        let thread = self.block.thread(id.thread);
        let row = thread.and_then(|thread| thread.row(id.preorder));
        let call = Call {
            id,
            method: self.method(id),
            within: row.is_some_and(|row| row.exit().is_some()),
        };
        self.current = Some(call);
        call
    }

    /// The method of the call that made a call which begins in the block.
    pub(crate) fn caller(&mut self, call: CallId) -> Option<MethodId> {
        let thread = self.block.thread(call.thread)?;
        let parent = thread.row(call.preorder)?.parent;
        self.method(thread.call_id(parent))
    }

    fn method(&mut self, call: CallId) -> Option<MethodId> {
        let thread = self.block.thread(call.thread);
        match thread.and_then(|thread| thread.row(call.preorder)) {
            Some(row) => {
                let enter = self.block.enter(row.enter as usize);
                enter.map(|enter| enter.method)
            }
            None if call.is_root() => None,
            None => (self.outer)(call),
        }
    }
}
