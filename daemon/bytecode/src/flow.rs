//! The control-flow graph of a method (basic blocks, edges with their kinds, exception edges).
//! Dominators and loops are built on it in [`loops`](crate::Loops); which edges count as coverage
//! is told by [`CoverageEdges`](crate::CoverageEdges), for which code bytes suffice.

use crate::attributes::ExceptionHandler;
use crate::decode::Code;
use crate::effects::can_throw;
use crate::instruction::Operands;
use crate::opcode::Opcode;

/// The most edges that a graph may have. Exception tables can ask for 4 * 10^9; of the methods of
/// the JDK none has 50,000.
pub const MAX_EDGES: usize = 1 << 20;

/// Why there is no control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// A handler's range or start is not at an instruction.
    #[error("exception handler {handler} has the index {index}, where no instruction starts")]
    BadHandler {
        /// Position in the exception table.
        handler: usize,
        /// The index.
        index: u32,
    },
    /// The exception table makes more than [`MAX_EDGES`].
    #[error("the exception table makes more than {MAX_EDGES} edges")]
    TooManyEdges,
}

/// A block's position in [`FlowGraph::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// As a position.
    pub const fn position(self) -> usize {
        self.0 as usize
    }
}

/// Instructions that are only entered at the first and left after the last, or by an exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Index of its first instruction.
    pub start: u32,
    /// Index after its last instruction.
    pub end: u32,
    /// Its instructions, as positions in [`Code::instructions`].
    pub instructions: std::ops::Range<usize>,
    /// Edges out of it, as positions in [`FlowGraph::edges`]: normal ones first, then exception
    /// edges by precedence.
    pub successors: Vec<usize>,
    /// Edges into it, as positions in [`FlowGraph::edges`].
    pub predecessors: Vec<usize>,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The block it leaves.
    pub from: BlockId,
    /// The block it enters.
    pub to: BlockId,
    /// When it is taken.
    pub kind: EdgeKind,
}

/// When an edge is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// The next instruction follows without a jump.
    FallThrough,
    /// `goto`.
    Goto,
    /// A conditional jump whose condition does not hold.
    NotTaken,
    /// A conditional jump whose condition holds.
    Taken,
    /// A switch: no case.
    Default,
    /// A switch: this value. One edge per value, even where two go to one place.
    Case(i32),
    /// An instruction of the block raises an exception that this entry of the exception table
    /// (by position) catches.
    Exception(u16),
    /// `jsr`: into a subroutine.
    Subroutine,
    /// `ret`: back from a subroutine. Which `jsr` it goes back to is not followed: to each.
    SubroutineReturn,
}

impl EdgeKind {
    /// Taken by an exception.
    pub const fn is_exception(self) -> bool {
        matches!(self, Self::Exception(_))
    }
}

/// The control-flow graph of one method. Block 0 is the entry.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    /// Of each instruction.
    block_of: Vec<BlockId>,
}

impl FlowGraph {
    /// Builds the graph. Handlers with an empty range guard nothing (old compilers wrote such).
    /// Where code runs off its end, which no verifier admits, there is no edge.
    pub fn new(code: &Code, handlers: &[ExceptionHandler]) -> Result<Self, FlowError> {
        check_handlers(code, handlers)?;
        let starts = leaders(code, handlers);
        let count = code.instructions().len();
        let mut graph = Self {
            blocks: Vec::with_capacity(starts.len()),
            edges: Vec::new(),
            block_of: Vec::new(),
        };
        for (position, first) in starts.iter().enumerate() {
            let next = starts.get(position + 1).copied().unwrap_or(count);
            let members = code.instructions().get(*first..next).unwrap_or_default();
            let (Some(head), Some(tail)) = (members.first(), members.last()) else {
                continue;
            };
            graph
                .block_of
                .extend(members.iter().map(|_| BlockId(position as u32)));
            graph.blocks.push(Block {
                start: head.index,
                end: tail.next(),
                instructions: *first..next,
                successors: Vec::new(),
                predecessors: Vec::new(),
            });
        }
        graph.add_normal_edges(code);
        graph.add_exception_edges(code, handlers)?;
        for (position, edge) in graph.edges.iter().enumerate() {
            if let Some(block) = graph.blocks.get_mut(edge.from.position()) {
                block.successors.push(position);
            }
            if let Some(block) = graph.blocks.get_mut(edge.to.position()) {
                block.predecessors.push(position);
            }
        }
        Ok(graph)
    }

    /// The blocks in code order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// All edges: the normal ones in code order (a conditional jump's `NotTaken` before its
    /// `Taken`, a switch's default before its cases), then those of exceptions.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The block that has the instruction at this index.
    pub fn block_at(&self, index: u32) -> Option<BlockId> {
        let after = self.blocks.partition_point(|block| block.start <= index);
        let position = after.checked_sub(1)?;
        (index < self.blocks.get(position)?.end).then_some(BlockId(position as u32))
    }

    /// The block of an instruction, by its position in [`Code::instructions`].
    pub fn block_of(&self, ordinal: usize) -> Option<BlockId> {
        self.block_of.get(ordinal).copied()
    }

    /// The edges out of a block.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = &Edge> {
        let block = self.blocks.get(block.position());
        block
            .into_iter()
            .flat_map(|b| &b.successors)
            .filter_map(|edge| self.edges.get(*edge))
    }

    /// The edges into a block.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = &Edge> {
        let block = self.blocks.get(block.position());
        block
            .into_iter()
            .flat_map(|b| &b.predecessors)
            .filter_map(|edge| self.edges.get(*edge))
    }

    fn add_normal_edges(&mut self, code: &Code) {
        let after_calls: Vec<u32> = code
            .instructions()
            .iter()
            .filter(|i| i.opcode.is_subroutine_call())
            .map(|call| call.next())
            .collect();
        for position in 0..self.blocks.len() {
            let Some(last) = self.blocks[position]
                .instructions
                .clone()
                .last()
                .and_then(|ordinal| code.instructions().get(ordinal))
            else {
                continue;
            };
            let mut to = |index: u32, kind: EdgeKind| {
                if let Some(to) = code
                    .ordinal(index)
                    .and_then(|o| self.block_of.get(o).copied())
                {
                    self.edges.push(Edge {
                        from: BlockId(position as u32),
                        to,
                        kind,
                    });
                }
            };
            match &last.operands {
                Operands::Jump(target) if last.opcode.is_conditional_jump() => {
                    to(last.next(), EdgeKind::NotTaken);
                    to(*target, EdgeKind::Taken);
                }
                Operands::Jump(target) if last.opcode.is_goto() => to(*target, EdgeKind::Goto),
                Operands::Jump(target) => to(*target, EdgeKind::Subroutine),
                Operands::TableSwitch(table) => {
                    to(table.default, EdgeKind::Default);
                    for (value, target) in table.cases() {
                        to(target, EdgeKind::Case(value));
                    }
                }
                Operands::LookupSwitch(table) => {
                    to(table.default, EdgeKind::Default);
                    for (value, target) in &table.pairs {
                        to(*target, EdgeKind::Case(*value));
                    }
                }
                _ if last.opcode == Opcode::Ret => {
                    after_calls
                        .iter()
                        .for_each(|next| to(*next, EdgeKind::SubroutineReturn));
                }
                _ if last.opcode.ends_straight_line() => {}
                _ => to(last.next(), EdgeKind::FallThrough),
            }
        }
    }

    fn add_exception_edges(
        &mut self,
        code: &Code,
        handlers: &[ExceptionHandler],
    ) -> Result<(), FlowError> {
        let throws: Vec<bool> = self
            .blocks
            .iter()
            .map(|block| {
                let members = code.instructions().get(block.instructions.clone());
                members
                    .unwrap_or_default()
                    .iter()
                    .any(|i| can_throw(i.opcode))
            })
            .collect();
        // A handler of any exception hides all that follow it in the table.
        let mut closed = vec![false; self.blocks.len()];
        let mut steps = 0;
        for (number, handler) in handlers.iter().enumerate() {
            let Some(to) = code.ordinal(handler.handler).and_then(|o| self.block_of(o)) else {
                continue;
            };
            let first = self
                .blocks
                .partition_point(|block| block.start < handler.start);
            let end = self
                .blocks
                .partition_point(|block| block.start < handler.end);
            steps += end.saturating_sub(first);
            if steps > MAX_EDGES {
                return Err(FlowError::TooManyEdges);
            }
            for position in first..end {
                if throws[position] && !closed[position] {
                    let (from, kind) =
                        (BlockId(position as u32), EdgeKind::Exception(number as u16));
                    self.edges.push(Edge { from, to, kind });
                    closed[position] = handler.catch_type.is_none();
                }
            }
        }
        // By block, and in a block by precedence: the table's order, which a stable sort keeps.
        let normal = self
            .edges
            .iter()
            .take_while(|edge| !edge.kind.is_exception())
            .count();
        if let Some(exceptions) = self.edges.get_mut(normal..) {
            exceptions.sort_by_key(|edge| edge.from);
        }
        Ok(())
    }
}

fn check_handlers(code: &Code, handlers: &[ExceptionHandler]) -> Result<(), FlowError> {
    for (position, handler) in handlers.iter().enumerate() {
        let bad = |index| {
            Err(FlowError::BadHandler {
                handler: position,
                index,
            })
        };
        if code.ordinal(handler.start).is_none() {
            return bad(handler.start);
        }
        if handler.end != code.length() && code.ordinal(handler.end).is_none() {
            return bad(handler.end);
        }
        if code.ordinal(handler.handler).is_none() {
            return bad(handler.handler);
        }
    }
    Ok(())
}

/// Positions of the instructions that start blocks, ascending.
fn leaders(code: &Code, handlers: &[ExceptionHandler]) -> Vec<usize> {
    let after_transfers = code
        .instructions()
        .iter()
        .filter(|i| i.transfers_control())
        .map(|i| i.next());
    let of_handlers = handlers.iter().flat_map(|h| [h.start, h.end, h.handler]);
    let mut starts: Vec<usize> = std::iter::once(0)
        .chain(code.branch_targets())
        .chain(after_transfers)
        .chain(of_handlers)
        .filter_map(|index| code.ordinal(index))
        .collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;
