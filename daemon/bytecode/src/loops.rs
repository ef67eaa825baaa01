//! Natural loops of a flow graph: what an event list folds into `loop (n)` with its iterations.
//!
//! A back edge is a normal edge to a block that dominates its source. Exception edges never count
//! as back edges: compilers let the handlers of `synchronized` and `finally` guard themselves, and
//! those would look like loops that no source has. Ways through handlers inside a loop do count to
//! its body. Cycles without a dominating header (no Java compiler makes them, obfuscators do) are
//! named as irreducible regions.

use crate::dominators::Dominators;
use crate::flow::{BlockId, FlowGraph};

/// A loop's position in [`Loops::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// A natural loop: all back edges to one header make one loop (`continue` is one more of them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block through which the loop is entered; each arrival there starts an iteration.
    pub header: BlockId,
    /// Index of the header's first instruction.
    pub header_index: u32,
    /// The edges back to the header, as positions in [`FlowGraph::edges`].
    pub back_edges: Vec<usize>,
    /// The loop directly around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// A cycle that can be entered at several blocks, so that none is its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrreducibleRegion {
    /// Its blocks, ascending.
    pub blocks: Vec<BlockId>,
    /// Those of them that are entered from outside, ascending.
    pub entries: Vec<BlockId>,
}

/// The loops of a method.
#[derive(Clone, Debug)]
pub struct Loops {
    all: Vec<Loop>,
    irreducible: Vec<IrreducibleRegion>,
    /// Of each block.
    innermost: Vec<Option<LoopId>>,
}

impl Loops {
    /// Finds them.
    pub fn new(graph: &FlowGraph, dominators: &Dominators) -> Self {
        let mut back_edges: Vec<usize> = Vec::new();
        let mut returning = vec![false; graph.edges().len()];
        for (position, edge) in graph.edges().iter().enumerate() {
            if dominators.dominates(edge.to, edge.from) {
                returning[position] = true;
                if !edge.kind.is_exception() {
                    back_edges.push(position);
                }
            }
        }
        let target = |edge: &usize| graph.edges()[*edge].to;
        back_edges.sort_by_key(target);
        let groups = back_edges.chunk_by(|a, b| target(a) == target(b));
        let all: Vec<Loop> = groups
            .filter_map(|group| {
                let header = group.first().map(target)?;
                let header_index = graph.blocks()[header.position()].start;
                let back_edges = group.to_vec();
                Some(Loop {
                    header,
                    header_index,
                    back_edges,
                    parent: None,
                    depth: 1,
                })
            })
            .collect();
        let innermost = vec![None; graph.blocks().len()];
        let mut loops = Self {
            all,
            irreducible: Vec::new(),
            innermost,
        };
        loops.nest_all(graph, dominators);
        loops.irreducible = irreducible_regions(graph, dominators, &returning);
        loops
    }

    /// Finds each loop's blocks, and so who is inside whom: from the inner loops out, walking back
    /// from the back edges and stepping over each loop already known as a whole. Bodies are not
    /// stored: 13,000 nested loops fit into one method, and their bodies into no memory.
    fn nest_all(&mut self, graph: &FlowGraph, dominators: &Dominators) {
        // The outermost loop known so far around each loop, with the way there shortened.
        let mut outermost: Vec<usize> = (0..self.all.len()).collect();
        let order = dominators.reverse_postorder();
        for header in order.iter().rev() {
            let Some(LoopId(id)) = self.with_header(*header) else {
                continue;
            };
            let current = id as usize;
            let mut work: Vec<BlockId> = self.all[current]
                .back_edges
                .iter()
                .map(|e| graph.edges()[*e].from)
                .collect();
            while let Some(block) = work.pop() {
                if !dominators.is_reachable(block) {
                    continue;
                }
                let entered = match self.innermost[block.position()] {
                    None => {
                        self.innermost[block.position()] = Some(LoopId(id));
                        block
                    }
                    Some(LoopId(known)) => {
                        let inner = find(&mut outermost, known as usize);
                        if inner == current {
                            continue;
                        }
                        outermost[inner] = current;
                        self.all[inner].parent = Some(LoopId(id));
                        self.all[inner].header
                    }
                };
                if entered != *header {
                    work.extend(graph.predecessors(entered).map(|edge| edge.from));
                }
            }
        }
        // Headers of outer loops come first in reverse postorder.
        for header in order {
            let Some(LoopId(id)) = self.with_header(*header) else {
                continue;
            };
            let parent = self.all[id as usize].parent.and_then(|p| self.get(p));
            self.all[id as usize].depth = parent.map_or(1, |p| p.depth + 1);
        }
    }

    /// All loops in code order of their headers.
    pub fn all(&self) -> &[Loop] {
        &self.all
    }

    /// The loop of this id.
    pub fn get(&self, id: LoopId) -> Option<&Loop> {
        self.all.get(id.0 as usize)
    }

    /// The loop whose header this block is.
    pub fn with_header(&self, block: BlockId) -> Option<LoopId> {
        let found = self.all.binary_search_by_key(&block, |l| l.header).ok()?;
        Some(LoopId(found as u32))
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost.get(block.position()).copied().flatten()
    }

    /// The loops around a block, outermost first.
    pub fn nest(&self, block: BlockId) -> Vec<LoopId> {
        let parent = |id: &LoopId| self.get(*id).and_then(|l| l.parent);
        let mut nest: Vec<LoopId> = std::iter::successors(self.innermost(block), parent).collect();
        nest.reverse();
        nest
    }

    /// Whether a block belongs to a loop, directly or in a loop inside it.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let parent = |id: &LoopId| self.get(*id).and_then(|l| l.parent);
        std::iter::successors(self.innermost(block), parent).any(|around| around == id)
    }

    /// The blocks of a loop with its header and those of the loops inside it, ascending.
    pub fn blocks(&self, id: LoopId) -> Vec<BlockId> {
        let all = (0..self.innermost.len() as u32).map(BlockId);
        all.filter(|block| self.contains(id, *block)).collect()
    }

    /// Cycles without a header.
    pub fn irreducible(&self) -> &[IrreducibleRegion] {
        &self.irreducible
    }
}

fn find(outermost: &mut [usize], mut id: usize) -> usize {
    while outermost[id] != id {
        outermost[id] = outermost[outermost[id]];
        id = outermost[id];
    }
    id
}

/// Without the edges to dominators a reducible graph has no cycle: what still has one is named.
fn irreducible_regions(
    graph: &FlowGraph,
    dominators: &Dominators,
    returning: &[bool],
) -> Vec<IrreducibleRegion> {
    let forward = |block: BlockId| {
        let edges = &graph.blocks()[block.position()].successors;
        edges
            .iter()
            .filter(|edge| !returning[**edge])
            .map(|edge| graph.edges()[*edge].to)
    };
    let mut regions = Vec::new();
    for mut blocks in cycles(
        graph.blocks().len(),
        dominators.reverse_postorder(),
        forward,
    ) {
        blocks.sort_unstable();
        let from_outside = |block: &&BlockId| {
            **block == BlockId(0)
                || graph.predecessors(**block).any(|edge| {
                    dominators.is_reachable(edge.from) && blocks.binary_search(&edge.from).is_err()
                })
        };
        let entries = blocks.iter().filter(from_outside).copied().collect();
        regions.push(IrreducibleRegion { blocks, entries });
    }
    regions.sort_by(|a, b| a.blocks.cmp(&b.blocks));
    regions
}

/// Strongly connected components with more than one block (Tarjan, with a stack of our own).
fn cycles<I: Iterator<Item = BlockId>>(
    count: usize,
    roots: &[BlockId],
    successors: impl Fn(BlockId) -> I,
) -> Vec<Vec<BlockId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut on_stack = vec![false; count];
    let mut component = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    let mut walk: Vec<(BlockId, I)> = Vec::new();
    for root in roots {
        let mut enter = (number[root.position()] == UNSEEN).then_some(*root);
        while enter.is_some() || !walk.is_empty() {
            if let Some(block) = enter.take() {
                let at = block.position();
                (number[at], low[at], on_stack[at]) = (next, next, true);
                next += 1;
                component.push(block);
                walk.push((block, successors(block)));
            }
            let Some((block, edges)) = walk.last_mut() else {
                break;
            };
            let at = block.position();
            match edges.next() {
                Some(to) if number[to.position()] == UNSEEN => enter = Some(to),
                Some(to) => {
                    if on_stack[to.position()] {
                        low[at] = low[at].min(number[to.position()]);
                    }
                }
                None => {
                    let block = *block;
                    walk.pop();
                    if let Some((parent, _)) = walk.last() {
                        low[parent.position()] = low[parent.position()].min(low[at]);
                    }
                    if low[at] == number[at] {
                        let start = component.iter().rposition(|b| *b == block).unwrap_or(0);
                        let members = component.split_off(start);
                        members.iter().for_each(|b| on_stack[b.position()] = false);
                        if members.len() > 1 {
                            found.push(members);
                        }
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
#[path = "loops_tests.rs"]
mod tests;
