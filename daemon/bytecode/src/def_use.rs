//! Def-use pairs of local variables by reaching definitions: which stores (and which parameters,
//! defined by the method's entry) each read can see. Fields, statics and array elements have no
//! pairs here: which object they belong to, only a run tells.

use crate::decode::Code;
use crate::effects::can_throw;
use crate::flow::{BlockId, FlowGraph};

/// The most steps that following definitions may take. The JDK's largest method takes some ten
/// thousand; 64 KB of stores and jumps can ask for 10^9.
const MAX_STEPS: usize = 50_000_000;

/// Why there are no pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefUseError {
    /// The method asks for too much work.
    #[error("following its definitions takes more than {MAX_STEPS} steps")]
    TooComplex,
}

/// What gives a local variable a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Definition {
    /// The method's entry: `this` or a parameter.
    Entry,
    /// The store (or `iinc`) at this index.
    Store(u32),
}

/// A definition and a use that it reaches: between them, on some way, nothing else writes the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefUsePair {
    /// The slot (the first, where the variable takes two).
    pub slot: u16,
    /// What wrote it.
    pub definition: Definition,
    /// Index of the instruction that reads it.
    pub used_at: u32,
}

/// The def-use pairs of one method.
#[derive(Clone, Debug)]
pub struct DefUse {
    /// By use, then by definition.
    pairs: Vec<DefUsePair>,
}

impl DefUse {
    /// Finds them. `entry_slots` are the slots that the entry defines, each with its number of
    /// slots: [`Method::entry_slots`](crate::Method::entry_slots).
    ///
    /// An exception edge carries what holds before some instruction of the block that can raise
    /// one. Code that no way leads to has no pairs.
    pub fn new(
        code: &Code,
        graph: &FlowGraph,
        entry_slots: &[(u16, u16)],
    ) -> Result<Self, DefUseError> {
        let mut walk = Walk::new(code, graph);
        for (slot, slots) in entry_slots {
            walk.follow(Definition::Entry, *slot, *slots, BlockId(0), 0)?;
        }
        let reachable = reachable_blocks(graph);
        for (ordinal, instruction) in code.instructions().iter().enumerate() {
            let (Some(store), Some(block)) = (instruction.local_store(), graph.block_of(ordinal))
            else {
                continue;
            };
            if reachable[block.position()] {
                let definition = Definition::Store(instruction.index);
                walk.follow(
                    definition,
                    store.slot,
                    store.kind.slots(),
                    block,
                    ordinal + 1,
                )?;
            }
        }
        let mut pairs = walk.pairs;
        pairs.sort_unstable_by_key(|pair| (pair.used_at, pair.slot, pair.definition));
        pairs.dedup();
        Ok(Self { pairs })
    }

    /// All pairs, by use and then by definition (the entry first).
    pub fn pairs(&self) -> &[DefUsePair] {
        &self.pairs
    }

    /// The pairs whose use is the instruction at this index.
    pub fn reaching(&self, used_at: u32) -> &[DefUsePair] {
        let start = self.pairs.partition_point(|pair| pair.used_at < used_at);
        let end = self.pairs.partition_point(|pair| pair.used_at <= used_at);
        self.pairs.get(start..end).unwrap_or_default()
    }
}

/// What matters of an instruction here.
#[derive(Clone, Copy)]
struct Step {
    ordinal: usize,
    index: u32,
    /// Slot read.
    load: Option<u16>,
    /// Slot written, with its number of slots.
    store: Option<(u16, u16)>,
    throws: bool,
}

struct Walk<'a> {
    graph: &'a FlowGraph,
    /// Of each block the instructions that read, write or throw.
    steps: Vec<Vec<Step>>,
    /// For each block the number of the definition that entered it last.
    entered: Vec<usize>,
    current: usize,
    taken: usize,
    pairs: Vec<DefUsePair>,
}

impl<'a> Walk<'a> {
    fn new(code: &Code, graph: &'a FlowGraph) -> Self {
        let steps = graph
            .blocks()
            .iter()
            .map(|block| {
                let members = code.instructions().get(block.instructions.clone());
                let numbered = block.instructions.clone().zip(members.unwrap_or_default());
                numbered
                    .map(|(ordinal, i)| Step {
                        ordinal,
                        index: i.index,
                        load: i.local_load().map(|l| l.slot),
                        store: i.local_store().map(|s| (s.slot, s.kind.slots())),
                        throws: can_throw(i.opcode),
                    })
                    .filter(|step| step.load.is_some() || step.store.is_some() || step.throws)
                    .collect()
            })
            .collect();
        let entered = vec![0; graph.blocks().len()];
        Self {
            graph,
            steps,
            entered,
            current: 0,
            taken: 0,
            pairs: Vec::new(),
        }
    }

    /// Follows one definition from the instruction of position `from` in `block` along all ways to
    /// its uses and to where it is overwritten.
    fn follow(
        &mut self,
        definition: Definition,
        slot: u16,
        slots: u16,
        block: BlockId,
        from: usize,
    ) -> Result<(), DefUseError> {
        self.current += 1;
        let mut work = vec![(block, from)];
        if definition == Definition::Entry {
            // The entry block may be a loop's header too: coming back starts from its beginning,
            // where the walk has been already.
            self.mark(block);
        }
        while let Some((block, from)) = work.pop() {
            let steps = self
                .steps
                .get(block.position())
                .map(Vec::as_slice)
                .unwrap_or_default();
            let first = steps.partition_point(|step| step.ordinal < from);
            let (mut alive, mut thrown) = (true, false);
            for step in &steps[first..] {
                self.taken += 1;
                if step.load == Some(slot) {
                    self.pairs.push(DefUsePair {
                        slot,
                        definition,
                        used_at: step.index,
                    });
                }
                thrown |= step.throws;
                if step.store.is_some_and(|(s, n)| overlap(s, n, slot, slots)) {
                    alive = false;
                    break;
                }
            }
            let graph = self.graph;
            for edge in graph.successors(block) {
                self.taken += 1;
                let passes = if edge.kind.is_exception() {
                    thrown
                } else {
                    alive
                };
                if passes && self.mark(edge.to) {
                    work.push((edge.to, 0));
                }
            }
            if self.taken > MAX_STEPS {
                return Err(DefUseError::TooComplex);
            }
        }
        Ok(())
    }

    /// Whether the current definition enters this block for the first time.
    fn mark(&mut self, block: BlockId) -> bool {
        self.entered
            .get_mut(block.position())
            .is_some_and(|last| std::mem::replace(last, self.current) != self.current)
    }
}

fn overlap(a: u16, a_slots: u16, b: u16, b_slots: u16) -> bool {
    let (a, b) = (u32::from(a), u32::from(b));
    a < b + u32::from(b_slots) && b < a + u32::from(a_slots)
}

fn reachable_blocks(graph: &FlowGraph) -> Vec<bool> {
    let mut reachable = vec![false; graph.blocks().len()];
    let mut work = vec![BlockId(0)];
    while let Some(block) = work.pop() {
        let Some(seen) = reachable.get_mut(block.position()) else {
            continue;
        };
        if !std::mem::replace(seen, true) {
            work.extend(graph.successors(block).map(|edge| edge.to));
        }
    }
    reachable
}

#[cfg(test)]
#[path = "def_use_tests.rs"]
mod tests;
