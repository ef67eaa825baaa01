use proptest::prelude::*;

use super::*;
use crate::def_use::{DefUse, Definition};
use crate::dominators::Dominators;
use crate::loops::Loops;

fn handler(start: u32, end: u32, handler: u32, catch_type: Option<&str>) -> ExceptionHandler {
    ExceptionHandler {
        start,
        end,
        handler,
        catch_type: catch_type.map(str::to_owned),
    }
}

fn edges(graph: &FlowGraph) -> Vec<(u32, u32, EdgeKind)> {
    let start = |block: BlockId| graph.blocks()[block.position()].start;
    graph
        .edges()
        .iter()
        .map(|e| (start(e.from), start(e.to), e.kind))
        .collect()
}

#[test]
fn a_condition_has_two_edges_and_goto_one() {
    // 0 iload_0, 1 ifeq 8, 4 nop, 5 goto 9, 8 nop, 9 return
    let code = Code::decode(&[0x1a, 0x99, 0, 7, 0x00, 0xa7, 0, 4, 0x00, 0xb1]).unwrap();
    let graph = FlowGraph::new(&code, &[]).unwrap();
    assert_eq!(
        edges(&graph),
        [
            (0, 4, EdgeKind::NotTaken),
            (0, 8, EdgeKind::Taken),
            (4, 9, EdgeKind::Goto),
            (8, 9, EdgeKind::FallThrough),
        ]
    );
    assert_eq!(graph.block_at(5), Some(BlockId(1)));
    assert_eq!(graph.block_at(10), None);
    let dominators = Dominators::new(&graph);
    assert_eq!(dominators.immediate(BlockId(3)), Some(BlockId(0)));
    assert!(dominators.dominates(BlockId(0), BlockId(2)));
    assert!(!dominators.dominates(BlockId(1), BlockId(3)));
    assert!(!dominators.dominates(BlockId(3), BlockId(0)));
}

#[test]
fn exception_edges_come_by_precedence_from_blocks_that_can_throw() {
    // 0 nop (guarded, cannot throw), 1 iload_0, 2 ifeq 9, 5 getstatic 1, 8 pop, 9 return,
    // 10 athrow, 11 athrow, 12 athrow
    let bytes = [
        0x00, 0x1a, 0x99, 0, 7, 0xb2, 0, 1, 0x57, 0xb1, 0xbf, 0xbf, 0xbf,
    ];
    let code = Code::decode(&bytes).unwrap();
    let handlers = [
        handler(0, 9, 10, Some("E")),
        handler(5, 9, 11, None),
        handler(0, 9, 12, Some("F")),
    ];
    let graph = FlowGraph::new(&code, &handlers).unwrap();
    let exceptions: Vec<_> = edges(&graph)
        .into_iter()
        .filter(|(_, _, kind)| kind.is_exception())
        .collect();
    assert_eq!(
        exceptions,
        [
            (5, 10, EdgeKind::Exception(0)),
            (5, 11, EdgeKind::Exception(1))
        ],
        "only the read of a static throws, and nothing passes the handler of any exception"
    );
}

#[test]
fn handlers_at_impossible_places_are_refused() {
    let code = Code::decode(&[0x11, 0, 0, 0xb1]).unwrap();
    for (bad, index) in [
        ((1, 3, 3), 1),
        ((0, 2, 3), 2),
        ((0, 3, 4), 4),
        ((9, 3, 3), 9),
    ] {
        let (start, end, at) = bad;
        let error = FlowGraph::new(&code, &[handler(start, end, at, None)]).unwrap_err();
        assert_eq!(error, FlowError::BadHandler { handler: 0, index });
    }
    assert!(FlowGraph::new(&code, &[handler(0, 4, 3, None)]).is_ok());
    // An empty range, as old compilers wrote it, guards nothing.
    let empty = FlowGraph::new(&code, &[handler(3, 3, 0, None)]).unwrap();
    assert!(
        edges(&empty)
            .iter()
            .all(|(_, _, kind)| !kind.is_exception())
    );
}

#[test]
fn an_exception_table_that_asks_for_everything_is_refused() {
    // Blocks of one instruction each that can throw: returns.
    let code = Code::decode(&vec![0xb1; 60_000]).unwrap();
    let all = vec![handler(0, 60_000, 0, Some("E")); 60_000];
    assert_eq!(
        FlowGraph::new(&code, &all).unwrap_err(),
        FlowError::TooManyEdges
    );
}

#[test]
fn a_subroutine_returns_behind_each_of_its_calls() {
    // 0 jsr 7, 3 jsr 7, 6 return, 7 astore_1, 8 ret 1
    let code = Code::decode(&[0xa8, 0, 7, 0xa8, 0, 4, 0xb1, 0x4c, 0xa9, 1]).unwrap();
    let graph = FlowGraph::new(&code, &[]).unwrap();
    assert_eq!(
        edges(&graph),
        [
            (0, 7, EdgeKind::Subroutine),
            (3, 7, EdgeKind::Subroutine),
            (7, 3, EdgeKind::SubroutineReturn),
            (7, 6, EdgeKind::SubroutineReturn),
        ]
    );
    let def_use = DefUse::new(&code, &graph, &[]).unwrap();
    assert_eq!(def_use.reaching(8).len(), 1);
}

#[test]
fn every_value_of_a_switch_is_an_edge() {
    // 0 iload_0, 1 tableswitch 5..6: both to 24; default 25
    let mut bytes = vec![0x1a, 0xaa, 0, 0];
    for word in [24, 5, 6, 23, 23] {
        bytes.extend(i32::to_be_bytes(word));
    }
    bytes.extend([0xb1, 0xb1]);
    let graph = FlowGraph::new(&Code::decode(&bytes).unwrap(), &[]).unwrap();
    assert_eq!(
        edges(&graph),
        [
            (0, 25, EdgeKind::Default),
            (0, 24, EdgeKind::Case(5)),
            (0, 24, EdgeKind::Case(6))
        ]
    );
}

/// Code of one-byte instructions and short jumps to given instructions.
fn random_code(picks: &[(u8, u16)]) -> Vec<u8> {
    let sizes = picks
        .iter()
        .map(|(kind, _)| if kind % 5 < 3 { 3 } else { 1 });
    let starts: Vec<i64> = sizes
        .scan(0, |at, size| {
            let start = *at;
            *at += size;
            Some(start)
        })
        .collect();
    let mut bytes = Vec::new();
    for ((kind, to), start) in picks.iter().zip(&starts) {
        let offset = (starts[usize::from(*to) % starts.len()] - start) as i16;
        match kind % 5 {
            0 | 1 => bytes.push(0x99),
            2 => bytes.push(0xa7),
            3 => bytes.push([0x1a, 0x3b, 0x1b, 0x3c][usize::from(*to) % 4]),
            _ => bytes.push(0xb1),
        }
        if kind % 5 < 3 {
            bytes.extend(offset.to_be_bytes());
        }
    }
    bytes
}

/// Dominance by its definition: without `block`, no way leads from the entry to `other`.
fn dominates_by_definition(graph: &FlowGraph, block: BlockId, other: BlockId) -> bool {
    let mut seen = vec![false; graph.blocks().len()];
    let mut work = vec![BlockId(0)];
    while let Some(at) = work.pop() {
        if at != block && !std::mem::replace(&mut seen[at.position()], true) {
            work.extend(graph.successors(at).map(|edge| edge.to));
        }
    }
    block == other || !seen[other.position()]
}

/// A definition reaches a use iff some way leads there that writes the slot nowhere between.
fn reaches_by_definition(code: &Code, from: Option<usize>, slot: u16, used_at: usize) -> bool {
    let instructions = code.instructions();
    let next = |ordinal: usize| {
        let i = &instructions[ordinal];
        let falls = (!i.opcode.ends_straight_line()).then(|| i.next());
        i.targets()
            .into_iter()
            .chain(falls)
            .filter_map(|index| code.ordinal(index))
    };
    let mut seen = vec![false; instructions.len()];
    let mut work: Vec<usize> = from.map_or_else(|| vec![0], |ordinal| next(ordinal).collect());
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if at == used_at {
            return true;
        }
        if instructions[at]
            .local_store()
            .is_none_or(|store| store.slot != slot)
        {
            work.extend(next(at));
        }
    }
    false
}

proptest! {
    #[test]
    fn graphs_agree_with_the_definitions(
        picks in proptest::collection::vec(any::<(u8, u16)>(), 1..24),
    ) {
        let code = Code::decode(&random_code(&picks)).unwrap();
        let graph = FlowGraph::new(&code, &[]).unwrap();
        let dominators = Dominators::new(&graph);
        let loops = Loops::new(&graph, &dominators);
        let blocks: Vec<BlockId> = (0..graph.blocks().len() as u32).map(BlockId).collect();
        for a in &blocks {
            for b in &blocks {
                if dominators.is_reachable(*a) && dominators.is_reachable(*b) {
                    prop_assert_eq!(
                        dominators.dominates(*a, *b),
                        dominates_by_definition(&graph, *a, *b)
                    );
                }
            }
        }
        for (number, l) in loops.all().iter().enumerate() {
            let id = crate::loops::LoopId(number as u32);
            let inside = loops.blocks(id);
            prop_assert!(inside.iter().all(|b| dominators.dominates(l.header, *b)));
            // Exactly the blocks that reach a back edge without passing the header.
            for block in blocks.iter().filter(|b| dominators.is_reachable(**b)) {
                let mut seen = vec![false; blocks.len()];
                let mut work = vec![*block];
                let mut back = false;
                while let Some(at) = work.pop() {
                    back |= l.back_edges.iter().any(|e| graph.edges()[*e].from == at);
                    if !std::mem::replace(&mut seen[at.position()], true) {
                        work.extend(
                            graph.successors(at).map(|e| e.to).filter(|to| *to != l.header),
                        );
                    }
                }
                let expected = *block == l.header
                    || back && dominators.dominates(l.header, *block);
                prop_assert_eq!(inside.contains(block), expected);
            }
            if let Some(parent) = l.parent {
                let outer = loops.blocks(parent);
                prop_assert!(inside.iter().all(|b| outer.contains(b)));
                prop_assert_eq!(l.depth, loops.get(parent).unwrap().depth + 1);
            }
        }
        for region in loops.irreducible() {
            prop_assert!(region.entries.len() > 1, "one entry would dominate the others");
        }
        let def_use = DefUse::new(&code, &graph, &[(0, 1)]).unwrap();
        for (used, instruction) in code.instructions().iter().enumerate() {
            let Some(load) = instruction.local_load() else { continue };
            let has = |definition| {
                def_use.reaching(instruction.index).iter().any(|p| p.definition == definition)
            };
            if load.slot == 0 {
                let expected = reaches_by_definition(&code, None, 0, used);
                prop_assert_eq!(has(Definition::Entry), expected);
            }
            for (from, store) in code.instructions().iter().enumerate() {
                if store.local_store().is_some_and(|s| s.slot == load.slot) {
                    let reachable = graph.block_of(from).is_some_and(|b| dominators.is_reachable(b));
                    let expected =
                        reachable && reaches_by_definition(&code, Some(from), load.slot, used);
                    prop_assert_eq!(has(Definition::Store(store.index)), expected);
                }
            }
        }
    }
}
