//! What a method's code tells about the order of its events: blocks, natural loops, and which blocks of
//! a loop only test whether there is another round.

use jhyde_bytecode::{BlockId, Code, Dominators, EdgeKind, FlowGraph, LoopId, Loops, Operands};
use jhyde_trace::MethodInfo;

/// Why a method's loops are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoLoops {
    /// Its code was not read.
    NoCode,
    /// Its code is no code.
    Malformed(String),
}

/// A method's blocks and loops.
#[derive(Debug)]
pub(crate) struct MethodCode {
    /// Of each byte of the code.
    block_of: Vec<u32>,
    /// Position of each block in reverse postorder: it falls along a way only by a back edge.
    rank: Vec<u32>,
    loops: Loops,
    /// Of each loop the blocks that only test, ascending. Empty where the test stands at the end.
    tests: Vec<Vec<BlockId>>,
}

impl MethodCode {
    pub(crate) fn of(method: &MethodInfo) -> Result<Self, NoLoops> {
        if method.code.is_empty() {
            return Err(NoLoops::NoCode);
        }
        let malformed = |error: &dyn std::fmt::Display| NoLoops::Malformed(error.to_string());
        let code = Code::decode(&method.code).map_err(|error| malformed(&error))?;
        let graph = FlowGraph::of_bare_code(&code).map_err(|error| malformed(&error))?;
        let dominators = Dominators::new(&graph);
        let loops = Loops::new(&graph, &dominators);
        let mut block_of = vec![0; method.code.len()];
        let mut rank = vec![u32::MAX; graph.blocks().len()];
        for (position, block) in (0_u32..).zip(graph.blocks()) {
            let bytes = block.start as usize..(block.end as usize).min(block_of.len());
            if let Some(bytes) = block_of.get_mut(bytes) {
                bytes.fill(position);
            }
        }
        for (position, block) in (0_u32..).zip(dominators.reverse_postorder()) {
            rank[block.position()] = position;
        }
        let tests = Tests::new(method, &code, &graph, &loops).of_all();
        Ok(Self {
            block_of,
            rank,
            loops,
            tests,
        })
    }

    pub(crate) fn loops(&self) -> &Loops {
        &self.loops
    }

    pub(crate) fn block_at(&self, index: u32) -> Option<BlockId> {
        self.block_of
            .get(usize::try_from(index).ok()?)
            .copied()
            .map(BlockId)
    }

    /// Comes `later` before `earlier` on every way without a back edge?
    pub(crate) fn goes_back(&self, earlier: BlockId, later: BlockId) -> bool {
        match (
            self.rank.get(earlier.position()),
            self.rank.get(later.position()),
        ) {
            (Some(earlier), Some(later)) => later < earlier,
            _ => false,
        }
    }

    /// Does the block only test whether the loop goes on for another round?
    pub(crate) fn is_test(&self, id: LoopId, block: BlockId) -> bool {
        self.tests
            .get(id.0 as usize)
            .is_some_and(|tests| tests.binary_search(&block).is_ok())
    }

    pub(crate) fn header_index(&self, id: LoopId) -> u32 {
        self.loops.get(id).map_or(0, |found| found.header_index)
    }

    pub(crate) fn is_header(&self, id: LoopId, block: BlockId) -> bool {
        self.loops
            .get(id)
            .is_some_and(|found| found.header == block)
    }

    /// The loop whose header begins at this index.
    pub(crate) fn loop_at(&self, header_index: u32) -> Option<LoopId> {
        let block = self.block_at(header_index)?;
        let id = self.loops.with_header(block)?;
        (self.header_index(id) == header_index).then_some(id)
    }

    /// The loops around one, outermost first, itself last.
    pub(crate) fn nest(&self, id: LoopId) -> Vec<LoopId> {
        match self.loops.get(id) {
            Some(found) => self.loops.nest(found.header),
            None => Vec::new(),
        }
    }
}

/// Finds the blocks that only test.
///
/// The code of `while (a && b) { … }` does not say where the condition ends and the body begins: `while
/// (a) { if (!b) break; … }` may be the same code. So: of the ways from the header, those blocks that
/// are reached only through tests, and from which (perhaps by further tests) the loop is left, and which
/// all stand on one line. Without a line table, those behind the header must neither call nor store. A
/// loop whose header goes back to itself tests at its end.
struct Tests<'a> {
    method: &'a MethodInfo,
    code: &'a Code,
    graph: &'a FlowGraph,
    loops: &'a Loops,
}

impl<'a> Tests<'a> {
    fn new(method: &'a MethodInfo, code: &'a Code, graph: &'a FlowGraph, loops: &'a Loops) -> Self {
        Self {
            method,
            code,
            graph,
            loops,
        }
    }

    fn of_all(&self) -> Vec<Vec<BlockId>> {
        (0..self.loops.all().len())
            .map(|at| self.of(LoopId(at as u32)))
            .collect()
    }

    fn of(&self, id: LoopId) -> Vec<BlockId> {
        let Some(header) = self.loops.get(id).map(|found| found.header) else {
            return Vec::new();
        };
        let line = match self.line(header) {
            Line::Unknown => None,
            Line::One(line) => Some(line),
            Line::Many => return Vec::new(),
        };
        // From the header on over blocks that may be tests: a condition has few.
        let mut candidates = vec![header];
        let mut at = 0;
        while let Some(block) = candidates.get(at).copied() {
            at += 1;
            for edge in self.ways(block) {
                let new = !candidates.contains(&edge);
                if new && self.may_test(id, edge, line) && candidates.len() < MOST_TESTS {
                    candidates.push(edge);
                }
            }
        }
        if !self.may_test(id, header, line) {
            return Vec::new();
        }
        loop {
            let before = candidates.len();
            let known = candidates.clone();
            candidates.retain(|block| {
                let only_through_tests = *block == header
                    || self
                        .graph
                        .predecessors(*block)
                        .all(|edge| known.contains(&edge.from));
                only_through_tests && self.leaves(id, *block, &known)
            });
            if candidates.len() == before {
                break;
            }
        }
        if !candidates.contains(&header) {
            return Vec::new();
        }
        candidates.sort_unstable();
        candidates
    }

    /// Where a block goes on without an exception.
    fn ways(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.graph
            .successors(block)
            .filter(|edge| !edge.kind.is_exception())
            .map(|edge| edge.to)
    }

    fn may_test(&self, id: LoopId, block: BlockId, line: Option<u32>) -> bool {
        let Some(header) = self.loops.get(id).map(|found| found.header) else {
            return false;
        };
        let kinds_fit = self
            .graph
            .successors(block)
            .filter(|edge| !edge.kind.is_exception())
            .all(|edge| {
                edge.to != header
                    && matches!(
                        edge.kind,
                        EdgeKind::FallThrough
                            | EdgeKind::Goto
                            | EdgeKind::Taken
                            | EdgeKind::NotTaken
                    )
            });
        let in_condition = block == header
            || match line {
                Some(line) => self.line(block) == Line::One(line),
                None => self.is_pure(block),
            };
        self.loops.innermost(block) == Some(id) && kinds_fit && in_condition
    }

    /// Is the loop left from the block, perhaps by way of other tests?
    fn leaves(&self, id: LoopId, block: BlockId, tests: &[BlockId]) -> bool {
        let mut seen = vec![block];
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for to in self.ways(block) {
                if !self.loops.contains(id, to) {
                    return true;
                }
                if tests.contains(&to) && !seen.contains(&to) {
                    seen.push(to);
                    work.push(to);
                }
            }
        }
        false
    }

    fn instructions(&self, block: BlockId) -> &[jhyde_bytecode::Instruction] {
        self.graph
            .blocks()
            .get(block.position())
            .and_then(|block| self.code.instructions().get(block.instructions.clone()))
            .unwrap_or_default()
    }

    /// The line on which a block stands.
    fn line(&self, block: BlockId) -> Line {
        let mut lines = self
            .instructions(block)
            .iter()
            .map(|instruction| self.method.line_of(instruction.index));
        match lines.next().flatten() {
            None => Line::Unknown,
            Some(first) if lines.all(|line| line == Some(first)) => Line::One(first),
            Some(_) => Line::Many,
        }
    }

    fn is_pure(&self, block: BlockId) -> bool {
        self.instructions(block).iter().all(|instruction| {
            instruction.defines().is_none()
                && instruction.invoke().is_none()
                && !matches!(instruction.operands, Operands::MultiNewArray { .. })
        })
    }
}

/// Where in the source a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Unknown,
    One(u32),
    Many,
}

/// A condition with more blocks than this is no condition that anybody wrote.
const MOST_TESTS: usize = 64;
