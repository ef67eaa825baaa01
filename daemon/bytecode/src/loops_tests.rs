use super::*;
use crate::attributes::ExceptionHandler;
use crate::decode::Code;

fn loops_of(bytes: &[u8], handlers: &[ExceptionHandler]) -> (FlowGraph, Loops) {
    let graph = FlowGraph::new(&Code::decode(bytes).unwrap(), handlers).unwrap();
    let loops = Loops::new(&graph, &Dominators::new(&graph));
    (graph, loops)
}

#[test]
fn nested_loops_know_one_another() {
    // 0 nop, 1 nop (outer head), 2 nop (inner head), 3 iload_0, 4 ifne 2, 7 iload_0, 8 ifne 1,
    // 11 return
    let bytes = [
        0, 0, 0, 0x1a, 0x9a, 0xff, 0xfe, 0x1a, 0x9a, 0xff, 0xf9, 0xb1,
    ];
    let (graph, loops) = loops_of(&bytes, &[]);
    let heads: Vec<_> = loops
        .all()
        .iter()
        .map(|l| (l.header_index, l.depth, l.parent))
        .collect();
    assert_eq!(heads, [(1, 1, None), (2, 2, Some(LoopId(0)))]);
    let at = |index| graph.block_at(index).unwrap();
    assert_eq!(loops.nest(at(3)), [LoopId(0), LoopId(1)]);
    assert_eq!(loops.nest(at(7)), [LoopId(0)]);
    assert_eq!(loops.nest(at(11)), []);
    assert_eq!(loops.innermost(at(0)), None);
    assert!(loops.contains(LoopId(0), at(3)) && !loops.contains(LoopId(1), at(7)));
    assert_eq!(loops.blocks(LoopId(1)), [at(2)]);
    assert_eq!(loops.with_header(at(2)), Some(LoopId(1)));
    assert_eq!(loops.irreducible(), []);
}

#[test]
fn a_cycle_with_two_entries_is_named_and_is_no_loop() {
    // 0 iload_0, 1 ifeq 8, 4 nop, 5 goto 9, 8 nop, 9 iload_0, 10 ifne 4, 13 return
    // (4..8) and (8..13) are entered from 0 both; 9 goes back to 4: a cycle 4 <-> 9 with entries
    // 4 and 9.
    let bytes = [
        0x1a, 0x99, 0, 7, 0, 0xa7, 0, 4, 0, 0x1a, 0x9a, 0xff, 0xfa, 0xb1,
    ];
    let (graph, loops) = loops_of(&bytes, &[]);
    assert_eq!(loops.all(), []);
    let [region] = loops.irreducible() else {
        panic!("{:?}", loops.irreducible())
    };
    let starts = |blocks: &[BlockId]| -> Vec<u32> {
        blocks
            .iter()
            .map(|b| graph.blocks()[b.position()].start)
            .collect()
    };
    assert_eq!(starts(&region.blocks), [4, 9]);
    assert_eq!(starts(&region.entries), [4, 9]);
}

#[test]
fn a_handler_that_guards_itself_is_no_loop() {
    // What javac makes of `synchronized`: 0 aload_0, 1 monitorenter, 2 aload_0, 3 monitorexit,
    // 4 return, 5 astore_1, 6 aload_0, 7 monitorexit, 8 aload_1, 9 athrow; any from 5 to 8 to 5.
    let bytes = [0x2a, 0xc2, 0x2a, 0xc3, 0xb1, 0x4c, 0x2a, 0xc3, 0x2b, 0xbf];
    let any = |start, end| ExceptionHandler {
        start,
        end,
        handler: 5,
        catch_type: None,
    };
    let (graph, loops) = loops_of(&bytes, &[any(2, 4), any(5, 8)]);
    let itself = |e: &&crate::flow::Edge| e.from == e.to;
    assert!(
        graph
            .edges()
            .iter()
            .find(itself)
            .is_some_and(|e| e.kind.is_exception())
    );
    assert_eq!(loops.all(), []);
    assert_eq!(loops.irreducible(), []);
}

/// Nearly as many nested loops as fit into a method: work and memory stay bounded.
#[test]
fn six_thousand_nested_loops() {
    const DEPTH: usize = 6_000;
    // The heads: one `nop` each, the outermost first. Then the tails, the innermost first:
    // `iload_0, ifeq past, goto_w head`.
    let mut bytes = vec![0; DEPTH];
    for head in (0..DEPTH).rev() {
        bytes.extend([0x1a, 0x99, 0, 8]);
        let offset = head as i32 - bytes.len() as i32;
        bytes.push(0xc8);
        bytes.extend(offset.to_be_bytes());
    }
    bytes.push(0xb1);
    let (_, loops) = loops_of(&bytes, &[]);
    let depths: Vec<u32> = loops.all().iter().map(|l| l.depth).collect();
    assert_eq!(depths, (1..=DEPTH as u32).collect::<Vec<_>>());
}
