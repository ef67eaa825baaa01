//! Dominators of a flow graph, by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast
//! Dominance Algorithm"): over reverse postorder, intersecting along the tree built so far.

use crate::flow::{BlockId, FlowGraph};

/// Which blocks every way from the entry to a block goes through.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator of each block; the entry's is itself, unreachable blocks have none.
    immediate: Vec<Option<BlockId>>,
    /// Reachable blocks in reverse postorder.
    order: Vec<BlockId>,
    /// When a walk over the dominator tree enters and leaves each block: one dominates another iff
    /// its span encloses the other's.
    spans: Vec<(u32, u32)>,
}

impl Dominators {
    /// Those of a graph; exception edges count.
    pub fn new(graph: &FlowGraph) -> Self {
        let count = graph.blocks().len();
        let order = reverse_postorder(graph);
        let mut number = vec![usize::MAX; count];
        for (position, block) in order.iter().enumerate() {
            number[block.position()] = position;
        }
        // By reverse postorder number: the dominator is always the smaller one.
        let mut immediate: Vec<Option<usize>> = vec![None; order.len()];
        if let Some(entry) = immediate.first_mut() {
            *entry = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..order.len() {
                let predecessors = graph.predecessors(order[position]);
                let new = predecessors
                    .map(|edge| number[edge.from.position()])
                    .filter(|from| immediate.get(*from).is_some_and(Option::is_some))
                    .reduce(|a, b| intersect(&immediate, a, b));
                if new.is_some() && immediate[position] != new {
                    immediate[position] = new;
                    changed = true;
                }
            }
        }
        let mut by_block = vec![None; count];
        for (position, block) in order.iter().enumerate() {
            by_block[block.position()] = immediate[position].map(|dominator| order[dominator]);
        }
        let spans = tree_spans(count, &order, &by_block);
        Self {
            immediate: by_block,
            order,
            spans,
        }
    }

    /// The nearest other block that dominates this one; `None` for the entry and where no way
    /// leads.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate
            .get(block.position())
            .copied()
            .flatten()
            .filter(|d| *d != block)
    }

    /// Whether every way from the entry to `other` goes through `block` (each dominates itself).
    /// False where no way leads.
    pub fn dominates(&self, block: BlockId, other: BlockId) -> bool {
        let span = |b: BlockId| {
            self.is_reachable(b)
                .then(|| self.spans.get(b.position()))
                .flatten()
        };
        match (span(block), span(other)) {
            (Some(outer), Some(inner)) => outer.0 <= inner.0 && inner.1 <= outer.1,
            _ => false,
        }
    }

    /// Whether some way leads to the block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.immediate
            .get(block.position())
            .is_some_and(Option::is_some)
    }

    /// The reachable blocks in reverse postorder: each before those that it leads to, but for
    /// edges that go back.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }
}

fn intersect(immediate: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    // Numbers fall along the tree, so this ends at the root at the latest.
    while a != b {
        if a > b {
            a = immediate[a].unwrap_or(0);
        } else {
            b = immediate[b].unwrap_or(0);
        }
    }
    a
}

/// Depth first with a stack of our own: methods may be a chain of 20,000 blocks.
fn reverse_postorder(graph: &FlowGraph) -> Vec<BlockId> {
    let mut seen = vec![false; graph.blocks().len()];
    let mut postorder = Vec::with_capacity(seen.len());
    let mut stack = Vec::new();
    if let Some(entry) = seen.first_mut() {
        *entry = true;
        stack.push((BlockId(0), graph.successors(BlockId(0))));
    }
    while let Some((block, successors)) = stack.last_mut() {
        match successors.next() {
            None => {
                postorder.push(*block);
                stack.pop();
            }
            Some(edge) => {
                let to = edge.to;
                if !std::mem::replace(&mut seen[to.position()], true) {
                    stack.push((to, graph.successors(to)));
                }
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Every block's time of entry and exit in a walk over the dominator tree.
fn tree_spans(count: usize, order: &[BlockId], parent: &[Option<BlockId>]) -> Vec<(u32, u32)> {
    // Subtree sizes from the leaves up (children come after parents in reverse postorder), then
    // each child takes the next free place in its parent's span.
    let mut size = vec![1u32; count];
    for block in order.iter().rev() {
        if let Some(parent) = parent[block.position()].filter(|p| p != block) {
            size[parent.position()] += size[block.position()];
        }
    }
    let mut spans = vec![(0, 0); count];
    let mut free = vec![0u32; count];
    for block in order {
        let at = block.position();
        let start = match parent[at].filter(|p| p != block) {
            None => 0,
            Some(parent) => {
                let start = free[parent.position()];
                free[parent.position()] += size[at];
                start
            }
        };
        spans[at] = (start, start + size[at] - 1);
        free[at] = start + 1;
    }
    spans
}
