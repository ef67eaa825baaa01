use super::*;
use crate::attributes::ExceptionHandler;

fn pairs(bytes: &[u8], handlers: &[ExceptionHandler], entry: &[(u16, u16)]) -> Vec<DefUsePair> {
    let code = Code::decode(bytes).unwrap();
    let graph = FlowGraph::new(&code, handlers).unwrap();
    DefUse::new(&code, &graph, entry).unwrap().pairs().to_vec()
}

fn pair(slot: u16, definition: Definition, used_at: u32) -> DefUsePair {
    DefUsePair {
        slot,
        definition,
        used_at,
    }
}

#[test]
fn the_entry_and_both_branches_reach_the_join() {
    // 0 iload_0, 1 ifeq 6, 4 iconst_1, 5 istore_0, 6 iload_0, 7 ireturn
    let bytes = [0x1a, 0x99, 0, 5, 0x04, 0x3b, 0x1a, 0xac];
    assert_eq!(
        pairs(&bytes, &[], &[(0, 1)]),
        [
            pair(0, Definition::Entry, 0),
            pair(0, Definition::Entry, 6),
            pair(0, Definition::Store(5), 6),
        ]
    );
}

#[test]
fn iinc_uses_what_came_before_and_defines_for_what_follows() {
    // 0 iconst_0, 1 istore_1, 2 iinc 1 1, 5 iload_0, 6 ifne 2, 9 return
    let bytes = [0x03, 0x3c, 0x84, 1, 1, 0x1a, 0x9a, 0xff, 0xfc, 0xb1];
    assert_eq!(
        pairs(&bytes, &[], &[(0, 1)]),
        [
            pair(1, Definition::Store(1), 2),
            pair(1, Definition::Store(2), 2),
            pair(0, Definition::Entry, 5),
        ]
    );
}

#[test]
fn half_of_a_long_overwritten_ends_it() {
    // 0 lconst_0, 1 lstore_0, 2 iconst_0, 3 istore_1, 4 lload_0 (no verifier admits it), 5 pop2,
    // 6 return
    assert_eq!(
        pairs(&[0x09, 0x3f, 0x03, 0x3c, 0x1e, 0x58, 0xb1], &[], &[]),
        []
    );
}

#[test]
fn a_handler_sees_what_held_before_any_instruction_that_throws() {
    // 0 iconst_1, 1 istore_0, 2 getstatic, 5 pop, 6 iconst_2, 7 istore_0, 8 iconst_3, 9 istore_0,
    // 10 getstatic, 13 pop, 14 return, 15 pop, 16 iload_0, 17 ireturn
    let bytes = [
        0x04, 0x3b, 0xb2, 0, 1, 0x57, 0x05, 0x3b, 0x06, 0x3b, 0xb2, 0, 1, 0x57, 0xb1, 0x57, 0x1a,
        0xac,
    ];
    let guard = ExceptionHandler {
        start: 0,
        end: 14,
        handler: 15,
        catch_type: None,
    };
    assert_eq!(
        pairs(&bytes, &[guard], &[]),
        [
            pair(0, Definition::Store(1), 16),
            pair(0, Definition::Store(9), 16)
        ],
        "2 is stored and replaced with nothing between that could throw"
    );
}

#[test]
fn code_that_no_way_leads_to_has_no_pairs() {
    // 0 return, 1 iconst_0, 2 istore_0, 3 iload_0, 4 ireturn
    assert_eq!(pairs(&[0xb1, 0x03, 0x3b, 0x1a, 0xac], &[], &[]), []);
}

#[test]
fn too_much_work_is_refused() {
    // 10,000 stores to one slot, each alone in a block that a jump may leave to the end, where a
    // row of 20,000 blocks follows: every definition would walk all of them.
    let mut bytes = Vec::new();
    let stores = 5_000usize;
    let tail = 5_000usize;
    // iconst_0, istore_0, iload_1, ifne tail … as far as 16 bits reach: 6 bytes each.
    for at in 0..stores {
        bytes.extend([0x03, 0x3b, 0x1b, 0x9a]);
        let here = at * 6 + 3;
        bytes.extend(((stores * 6 - here) as i16).to_be_bytes());
    }
    for _ in 0..tail {
        bytes.extend([0x1b, 0x9a, 0, 3]);
    }
    bytes.extend([0x1a, 0xac]);
    let code = Code::decode(&bytes).unwrap();
    let graph = FlowGraph::new(&code, &[]).unwrap();
    assert_eq!(
        DefUse::new(&code, &graph, &[]).unwrap_err(),
        DefUseError::TooComplex
    );
}
