//! How calls nest within a block: what a block knows of a thread's calls, and the small machine that
//! follows enters and exits. Builder and decoder run the same machine, so that the call of an event
//! need not be stored.

use crate::ids::{CallId, ThreadId};

/// A call that was entered in this block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// Position of its `Enter` in the block.
    pub enter: u32,
    /// Position of its `Exit` in the block, or [`CallRow::OPEN`].
    pub exit: u32,
    /// Calls in its subtree with itself, once it has ended in this block; else 0.
    pub size: u32,
    /// Distance from the thread's root.
    pub depth: u32,
    /// Preorder number of its parent.
    pub parent: u64,
    /// Ordinal among all calls of its method.
    pub invocation: u64,
}

impl CallRow {
    /// Stands for an exit that is not in this block.
    pub const OPEN: u32 = u32::MAX;

    /// The position of its exit, if that is in this block.
    pub fn exit(&self) -> Option<usize> {
        (self.exit != Self::OPEN).then_some(self.exit as usize)
    }
}

/// The end, in this block, of a call that was entered before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OuterExit {
    /// Position of the `Exit`.
    pub position: u32,
    /// Preorder number of the call.
    pub call: u64,
    /// Preorder number of its parent.
    pub parent: u64,
    /// Calls in its subtree, itself counted.
    pub size: u64,
}

/// What a block knows of one thread that has events in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockThread {
    /// The thread.
    pub id: ThreadId,
    /// Preorder number of the first call entered in this block (or later).
    pub first_call: u64,
    /// Preorder number of the innermost call running when the block begins; 0 for the root.
    pub innermost: u64,
    /// Depth of that call; 0 for the root.
    pub depth: u32,
    /// The calls entered here, in preorder: number `first_call + i` at `i`.
    pub rows: Vec<CallRow>,
    /// Ends of calls entered before, in order.
    pub outer_exits: Vec<OuterExit>,
    /// The thread's events in this block.
    pub events: u32,
    /// Position of its first event.
    pub first_event: u32,
    /// Position of its last event.
    pub last_event: u32,
    /// Innermost running call among those entered before the block.
    outer: u64,
    outer_depth: u32,
    /// Running calls entered in this block, as positions in `rows`.
    stack: Vec<u32>,
    /// The shape of the thread's last event: the context that predicts the next one.
    pub(crate) last_shape: u16,
}

/// `last_shape` of a thread without events.
pub(crate) const NO_SHAPE: u16 = u16::MAX;

impl BlockThread {
    pub(crate) fn new(id: ThreadId, first_call: u64, innermost: u64, depth: u32) -> Self {
        Self {
            id,
            first_call,
            innermost,
            depth,
            rows: Vec::new(),
            outer_exits: Vec::new(),
            events: 0,
            first_event: u32::MAX,
            last_event: 0,
            outer: innermost,
            outer_depth: depth,
            stack: Vec::new(),
            last_shape: NO_SHAPE,
        }
    }

    /// Preorder number that the thread's next call gets, at the block's end.
    pub fn next_call(&self) -> u64 {
        self.first_call + self.rows.len() as u64
    }

    /// Preorder number of the innermost call running at the block's end; 0 for the root.
    pub fn innermost_at_end(&self) -> u64 {
        match self.stack.last() {
            Some(&row) => self.first_call + u64::from(row),
            None => self.outer,
        }
    }

    /// Depth of that call.
    pub fn depth_at_end(&self) -> u32 {
        self.outer_depth + self.stack.len() as u32
    }

    /// The calls entered here that still run at the block's end, outermost first.
    pub fn open_rows(&self) -> impl DoubleEndedIterator<Item = (u64, &CallRow)> {
        self.stack
            .iter()
            .map(|&row| (self.first_call + u64::from(row), &self.rows[row as usize]))
    }

    /// The row of a call, if it was entered here.
    pub fn row(&self, preorder: u64) -> Option<&CallRow> {
        let at = preorder.checked_sub(self.first_call)?;
        self.rows.get(usize::try_from(at).ok()?)
    }

    /// The call with this preorder number in this thread.
    pub fn call_id(&self, preorder: u64) -> CallId {
        CallId::new(self.id, preorder)
    }

    /// The parent of a call whose `Exit` stands at this position.
    pub fn parent_after_exit(&self, position: usize, call: u64) -> u64 {
        if let Some(row) = self.row(call) {
            return row.parent;
        }
        match self
            .outer_exits
            .binary_search_by_key(&(position as u32), |exit| exit.position)
        {
            Ok(at) => self.outer_exits[at].parent,
            Err(_) => 0,
        }
    }

    /// Counts an event.
    pub(crate) fn touch(&mut self, position: u32) {
        if self.events == 0 {
            self.first_event = position;
        }
        self.last_event = position;
        self.events += 1;
    }

    /// Follows an `Enter`; returns the new call's preorder number.
    pub(crate) fn enter(&mut self, position: u32, invocation: u64) -> u64 {
        let call = self.next_call();
        let row = CallRow {
            enter: position,
            exit: CallRow::OPEN,
            size: 0,
            depth: self.depth_at_end() + 1,
            parent: self.innermost_at_end(),
            invocation,
        };
        self.stack.push(self.rows.len() as u32);
        self.rows.push(row);
        call
    }

    /// Is the innermost call one that was entered before the block?
    pub(crate) fn exits_outer(&self) -> bool {
        self.stack.is_empty()
    }

    /// Follows an `Exit` of a call entered in this block.
    pub(crate) fn exit_inner(&mut self, position: u32) {
        let next = self.next_call();
        if let Some(row) = self.stack.pop() {
            let size = next - (self.first_call + u64::from(row));
            let row = &mut self.rows[row as usize];
            row.exit = position;
            row.size = size as u32;
        }
    }

    /// Follows an `Exit` of a call entered before the block, whose parent is told.
    pub(crate) fn exit_outer(&mut self, position: u32, parent: u64) {
        let call = self.outer;
        let size = self.next_call().saturating_sub(call);
        self.outer_exits.push(OuterExit {
            position,
            call,
            parent,
            size,
        });
        self.outer = parent;
        self.outer_depth = self.outer_depth.saturating_sub(1);
    }
}
