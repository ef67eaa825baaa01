//! A flow graph from code bytes alone, where the exception table is not known: JDWP tells a method's
//! bytes and not its table.
//!
//! Code that no normal way leads to is, from every Java compiler, the beginning of a handler. What it
//! guards is guessed: the nearest reachable block before it that can throw. Compilers lay a handler out
//! behind what it guards, so the guess lies within the same loops as the true range, and that is what
//! matters here: dominators, and so natural loops, come out as with the table. Which blocks exactly are
//! guarded is *not* known from such a graph.

use crate::attributes::ExceptionHandler;
use crate::decode::Code;
use crate::effects::can_throw;
use crate::flow::{BlockId, FlowError, FlowGraph};

impl FlowGraph {
    /// The graph of code whose exception table is not known, with guessed exception edges: one into
    /// each block that would not be reached otherwise.
    ///
    /// # Errors
    /// [`FlowError`], when there are more edges than a method's code can make.
    pub fn of_bare_code(code: &Code) -> Result<Self, FlowError> {
        let bare = Self::new(code, &[])?;
        let handlers = guessed_handlers(code, &bare);
        if handlers.is_empty() {
            return Ok(bare);
        }
        // Handlers begin and end at blocks, so the blocks stay the same.
        Self::new(code, &handlers)
    }
}

fn guessed_handlers(code: &Code, graph: &FlowGraph) -> Vec<ExceptionHandler> {
    let blocks = graph.blocks();
    let throws = |at: usize| {
        let members = blocks
            .get(at)
            .and_then(|block| code.instructions().get(block.instructions.clone()));
        members.is_some_and(|members| members.iter().any(|i| can_throw(i.opcode)))
    };
    let mut reached = vec![false; blocks.len()];
    reach(graph, 0, &mut reached);
    let mut handlers = Vec::new();
    // The nearest block before, found without looking back again and again.
    let mut guarded: Option<usize> = None;
    for at in 0..blocks.len() {
        if !reached[at] {
            let (Some(from), Some(block)) = (guarded.and_then(|g| blocks.get(g)), blocks.get(at))
            else {
                continue;
            };
            handlers.push(ExceptionHandler {
                start: from.start,
                end: from.end,
                handler: block.start,
                // Of a class: a handler of everything would hide the next one.
                catch_type: Some("java/lang/Throwable".to_owned()),
            });
            reach(graph, at, &mut reached);
        }
        if throws(at) {
            guarded = Some(at);
        }
    }
    handlers
}

fn reach(graph: &FlowGraph, from: usize, reached: &mut [bool]) {
    let mut work = vec![BlockId(from as u32)];
    while let Some(block) = work.pop() {
        let Some(seen) = reached.get_mut(block.position()) else {
            continue;
        };
        if !std::mem::replace(seen, true) {
            work.extend(graph.successors(block).map(|edge| edge.to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dominators, Loops};

    #[test]
    fn a_handler_in_a_loop_belongs_to_the_loop() {
        // 0 iload_0, 1 ifeq 15, 4 invokestatic, 7 goto 0, 10 pop (handler of 4..7), 11 goto 0,
        // 14 nop (never reached), 15 return
        let bytes = [
            0x1a, 0x99, 0, 14, 0xb8, 0, 1, 0xa7, 0xff, 0xf9, 0x57, 0xa7, 0xff, 0xf5, 0, 0xb1,
        ];
        let code = Code::decode(&bytes).unwrap();
        let graph = FlowGraph::of_bare_code(&code).unwrap();
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        let [one] = loops.all() else {
            panic!("{:?}", loops.all())
        };
        assert_eq!((one.header_index, one.back_edges.len()), (0, 2));
        let at = |index| graph.block_at(index).unwrap();
        assert!(loops.innermost(at(10)).is_some());
        assert_eq!(loops.innermost(at(15)), None);
    }
}
