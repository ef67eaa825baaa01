//! Control dependence: which conditions decide whether an instruction runs.
//!
//! A block hangs on a condition iff from one of the ways out of it the block must be reached and from the condition
//! itself it need not be (Ferrante, Ottenstein, Warren: "The Program Dependence Graph and Its Use in Optimization",
//! 1987). That follows from the post-dominators, which are the dominators of the graph turned round; they are found by
//! the iteration of Cooper, Harvey and Kennedy, as in [`Dominators`](crate::Dominators).
//!
//! Only ways without an exception count: what an exception leads to, a run tells by itself.

use crate::decode::Code;
use crate::flow::{BlockId, FlowGraph};

/// The conditions that each block of a method hangs on.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    /// Of each block: bytecode indexes of conditional jumps and switches, ascending.
    conditions: Vec<Vec<u32>>,
}

impl ControlDependence {
    /// That of this code and graph.
    pub fn new(code: &Code, graph: &FlowGraph) -> Self {
        let count = graph.blocks().len();
        let ways = Ways::of(graph);
        let parents = ways.post_dominators();
        // Block by block: those whose way out decides whether it runs.
        let mut decided_by: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, targets) in ways.forward.iter().enumerate() {
            if targets.len() < 2 {
                continue;
            }
            let end = parents[from];
            for &to in targets {
                let mut at = to;
                while at != end && at != ways.exit {
                    if decided_by[at].last() != Some(&from) {
                        decided_by[at].push(from);
                    }
                    at = parents[at];
                }
            }
        }
        let condition = |block: usize| {
            let last = graph.blocks().get(block)?.instructions.clone().last()?;
            let last = code.instructions().get(last)?;
            let decides = last.opcode.is_conditional_jump() || last.opcode.is_switch();
            decides.then_some(last.index)
        };
        let conditions = (0..count)
            .map(|block| through(block, &decided_by, condition))
            .collect();
        Self { conditions }
    }

    /// The conditions that a block hangs on directly, by bytecode index, ascending; none if it runs whenever the
    /// method does.
    pub fn of(&self, block: BlockId) -> &[u32] {
        self.conditions
            .get(block.position())
            .map_or(&[], Vec::as_slice)
    }
}

/// The conditions behind blocks that decide without being one (a loop that nothing leaves was given a way out, and the
/// end of a subroutine has several): what those hang on decides in their place.
fn through(
    block: usize,
    decided_by: &[Vec<usize>],
    condition: impl Fn(usize) -> Option<u32>,
) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = vec![block];
    let mut work = decided_by[block].clone();
    while let Some(by) = work.pop() {
        match condition(by) {
            Some(index) => found.push(index),
            None if !seen.contains(&by) => {
                seen.push(by);
                work.extend(&decided_by[by]);
            }
            None => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The ways without exceptions, and one node behind the last: the exit.
struct Ways {
    forward: Vec<Vec<usize>>,
    backward: Vec<Vec<usize>>,
    exit: usize,
}

impl Ways {
    fn of(graph: &FlowGraph) -> Self {
        let exit = graph.blocks().len();
        let mut ways = Self {
            forward: vec![Vec::new(); exit + 1],
            backward: vec![Vec::new(); exit + 1],
            exit,
        };
        for block in 0..exit {
            let normal = graph
                .successors(BlockId(block as u32))
                .filter(|edge| !edge.kind.is_exception());
            for edge in normal {
                ways.add(block, edge.to.position());
            }
            if ways.forward[block].is_empty() {
                ways.add(block, exit);
            }
        }
        // What never ends has no post-dominators: it is given a way out, from every block of it.
        let ends = ways.reversed_order();
        let mut reached = vec![false; exit + 1];
        ends.iter().for_each(|&at| reached[at] = true);
        for block in (0..exit).filter(|&block| !reached[block]) {
            ways.add(block, exit);
        }
        ways
    }

    fn add(&mut self, from: usize, to: usize) {
        if !self.forward[from].contains(&to) {
            self.forward[from].push(to);
            self.backward[to].push(from);
        }
    }

    /// From the exit backwards, in reverse postorder.
    fn reversed_order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.exit + 1];
        let mut order = Vec::with_capacity(self.exit + 1);
        seen[self.exit] = true;
        let mut stack = vec![(self.exit, 0)];
        while let Some((block, next)) = stack.last_mut() {
            match self.backward[*block].get(*next) {
                None => {
                    order.push(*block);
                    stack.pop();
                }
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
            }
        }
        order.reverse();
        order
    }

    /// The nearest post-dominator of each block; the exit's is itself.
    fn post_dominators(&self) -> Vec<usize> {
        let order = self.reversed_order();
        let mut number = vec![usize::MAX; self.exit + 1];
        for (position, &block) in order.iter().enumerate() {
            number[block] = position;
        }
        let mut nearest: Vec<Option<usize>> = vec![None; order.len()];
        if let Some(exit) = nearest.first_mut() {
            *exit = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..order.len() {
                let behind = self.forward[order[position]].iter().map(|&to| number[to]);
                let new = behind
                    .filter(|to| nearest.get(*to).is_some_and(Option::is_some))
                    .reduce(|a, b| meet(&nearest, a, b));
                if new.is_some() && nearest[position] != new {
                    nearest[position] = new;
                    changed = true;
                }
            }
        }
        let mut parents = vec![self.exit; self.exit + 1];
        for (position, &block) in order.iter().enumerate() {
            if let Some(parent) = nearest[position] {
                parents[block] = order[parent];
            }
        }
        parents
    }
}

fn meet(nearest: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = nearest[a].unwrap_or(0);
        } else {
            b = nearest[b].unwrap_or(0);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions that the instruction at each index hangs on.
    fn conditions(bytes: &[u8], at: &[u32]) -> Vec<Vec<u32>> {
        let code = Code::decode(bytes).expect("code");
        let graph = FlowGraph::of_bare_code(&code).expect("a graph");
        let control = ControlDependence::new(&code, &graph);
        let of = |index: &u32| {
            control
                .of(graph.block_at(*index).expect("a block"))
                .to_vec()
        };
        at.iter().map(of).collect()
    }

    #[test]
    fn a_branch_decides_over_its_sides_and_not_over_what_follows() {
        // 0 iload_0, 1 ifeq 8, 4 nop, 5 goto 9, 8 nop, 9 return
        let bytes = [0x1a, 0x99, 0, 7, 0x00, 0xa7, 0, 4, 0x00, 0xb1];
        let empty: Vec<u32> = vec![];
        assert_eq!(
            conditions(&bytes, &[0, 4, 8, 9]),
            [empty.clone(), vec![1], vec![1], empty]
        );
    }

    #[test]
    fn a_loop_decides_over_its_body_and_over_itself() {
        // 0 iload_0, 1 ifeq 15, 4 iload_1, 5 ifeq 12, 8 nop, 9 goto 15 (break), 12 goto 0, 15 return
        let bytes = [
            0x1a, 0x99, 0, 14, 0x1b, 0x99, 0, 7, 0x00, 0xa7, 0, 6, 0xa7, 0xff, 0xf4, 0xb1,
        ];
        assert_eq!(
            conditions(&bytes, &[0, 4, 8, 12, 15]),
            [vec![5], vec![1], vec![5], vec![5], vec![]]
        );
    }

    #[test]
    fn either_condition_of_two_decides() {
        // 0 iload_0, 1 ifne 8, 4 iload_1, 5 ifeq 9, 8 nop, 9 return: if (a || b) nop
        let bytes = [0x1a, 0x9a, 0, 7, 0x1b, 0x99, 0, 4, 0x00, 0xb1];
        assert_eq!(
            conditions(&bytes, &[4, 8, 9]),
            [vec![1], vec![1, 5], vec![]]
        );
    }

    #[test]
    fn what_never_ends_hangs_on_what_led_there() {
        // 0 iload_0, 1 ifeq 8, 4 nop, 5 goto 4, 8 return
        let bytes = [0x1a, 0x99, 0, 7, 0x00, 0xa7, 0xff, 0xff, 0xb1];
        assert_eq!(conditions(&bytes, &[4, 8]), [vec![1], vec![1]]);
    }
}
