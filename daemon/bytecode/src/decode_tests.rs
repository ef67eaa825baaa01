use proptest::prelude::*;

use super::*;
use crate::instruction::{InvokeKind, LocalAccess, LocalType};

fn one(bytes: &[u8]) -> Instruction {
    let decoded = decode_at(bytes, 0).unwrap();
    assert_eq!(decoded.length as usize, bytes.len());
    decoded
}

fn store(bytes: &[u8]) -> Option<(u16, bool)> {
    one(bytes)
        .local_store()
        .map(|s| (s.slot, s.takes_two_slots()))
}

#[test]
fn local_stores_of_every_form() {
    assert_eq!(store(&[0x36, 200]), Some((200, false)));
    assert_eq!(store(&[0x37, 4]), Some((4, true)));
    assert_eq!(store(&[0x39, 4]), Some((4, true)));
    assert_eq!(store(&[0x3a, 4]), Some((4, false)));
    // istore_0 … astore_3: five types of four slots each.
    for (number, two) in [
        (0x3b, false),
        (0x3f, true),
        (0x43, false),
        (0x47, true),
        (0x4b, false),
    ] {
        for slot in 0..4 {
            assert_eq!(
                store(&[number + slot]),
                Some((u16::from(slot), two)),
                "{number}+{slot}"
            );
        }
    }
    assert_eq!(store(&[0x84, 7, 0xff]), Some((7, false)));
    assert_eq!(
        one(&[0x84, 7, 0xff]).operands,
        Operands::Increment { slot: 7, by: -1 }
    );
    // wide lstore 0x0102, wide iinc 0x0102 by -2
    assert_eq!(store(&[0xc4, 0x37, 1, 2]), Some((0x102, true)));
    assert_eq!(store(&[0xc4, 0x84, 1, 2, 0xff, 0xfe]), Some((0x102, false)));
    assert_eq!(one(&[0xc4, 0x15, 1, 2]).mnemonic(), "iload_w");
    // iastore writes an array element, iload reads, dup does neither.
    for other in [&[0x4f][..], &[0x15, 1], &[0x59], &[0xa9, 1]] {
        assert_eq!(store(other), None);
    }
    assert_eq!(
        one(&[0x2c]).local_load(),
        Some(LocalAccess {
            slot: 2,
            kind: LocalType::Reference
        })
    );
    assert_eq!(one(&[0x84, 7, 1]).local_load().map(|l| l.slot), Some(7));
    assert_eq!(one(&[0x3b]).local_load(), None);
}

#[test]
fn operands_of_every_layout() {
    assert_eq!(one(&[0x10, 0x80]).operands, Operands::Immediate(-128));
    assert_eq!(one(&[0x11, 0x80, 0]).operands, Operands::Immediate(-32768));
    assert_eq!(one(&[0x12, 0xff]).operands, Operands::Constant(255));
    assert_eq!(one(&[0xb2, 1, 2]).constant(), Some(0x102));
    assert_eq!(
        one(&[0xbc, 10]).operands,
        Operands::NewArray(PrimitiveType::Int)
    );
    assert_eq!(
        one(&[0xc5, 0, 9, 3]).operands,
        Operands::MultiNewArray {
            constant: 9,
            dimensions: 3
        }
    );
    let interface = one(&[0xb9, 0, 5, 2, 0]).invoke().unwrap();
    assert_eq!(
        (interface.kind, interface.constant),
        (InvokeKind::Interface, 5)
    );
    let dynamic = one(&[0xba, 0, 6, 0, 0]).invoke().unwrap();
    assert_eq!((dynamic.kind, dynamic.constant), (InvokeKind::Dynamic, 6));
}

#[test]
fn switches_are_padded_from_the_start_of_the_method() {
    // nop; tableswitch 1..2 at index 1: two bytes of padding.
    let code = [
        0, 0xaa, 0, 0, // padding to 4
        0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 2, // default +23, low 1, high 2
        0, 0, 0, 23, 0xff, 0xff, 0xff, 0xff, // +23, -1
        0xb1,
    ];
    let mut longer = code[..24].to_vec();
    longer.push(0xb1);
    let decoded = Code::decode(&longer).unwrap();
    let switch = decoded.at(1).unwrap();
    assert_eq!(switch.targets(), [24, 24, 0]);
    assert_eq!(switch.next(), 24);
    assert_eq!(decoded.branch_targets(), [0, 24]);

    let lookup = [
        0xab, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xfb, 0, 0, 0, 24, 0, 0, 0, 7,
        0xb1,
    ];
    assert_eq!(
        decode_at(&lookup, 0).unwrap_err(),
        CodeError::Cut { index: 0 }
    );
    let mut fixed = lookup[..11].to_vec();
    fixed.push(1);
    fixed.extend(&lookup[12..20]);
    fixed[7] = 20;
    fixed[19] = 20;
    fixed.push(0xb1);
    let decoded = Code::decode(&fixed).unwrap();
    let Operands::LookupSwitch(table) = &decoded.instructions()[0].operands else {
        panic!()
    };
    assert_eq!(
        (table.default, table.pairs.as_slice()),
        (20, &[(-5, 20)][..])
    );
}

#[test]
fn what_is_not_code_is_named_with_its_place() {
    let error = |bytes: &[u8]| Code::decode(bytes).unwrap_err();
    assert_eq!(error(&[]), CodeError::Empty);
    assert_eq!(
        error(&vec![0; 65_536]),
        CodeError::TooLong { length: 65_536 }
    );
    assert_eq!(error(&[0, 0x11, 1]), CodeError::Cut { index: 1 });
    assert_eq!(error(&[0, 0xc4]), CodeError::Cut { index: 1 });
    assert_eq!(
        error(&[0, 0xca]),
        CodeError::ReservedOpcode {
            index: 1,
            opcode: 0xca
        }
    );
    assert_eq!(
        error(&[0xfe]),
        CodeError::ReservedOpcode {
            index: 0,
            opcode: 0xfe
        }
    );
    assert_eq!(
        error(&[0xcb]),
        CodeError::UnknownOpcode {
            index: 0,
            opcode: 0xcb
        }
    );
    assert_eq!(
        error(&[0xc4, 0x60]),
        CodeError::BadWide {
            index: 0,
            opcode: 0x60
        }
    );
    assert_eq!(
        error(&[0xc4, 0xc4, 0x15, 0, 0]),
        CodeError::BadWide {
            index: 0,
            opcode: 0xc4
        }
    );
    assert_eq!(
        error(&[0xbc, 3]),
        CodeError::BadArrayType { index: 0, code: 3 }
    );
    // goto out of the code, before it, and into the middle of itself
    assert_eq!(
        error(&[0xa7, 0, 3]),
        CodeError::BadTarget {
            index: 0,
            target: 3
        }
    );
    assert_eq!(
        error(&[0xa7, 0xff, 0xff]),
        CodeError::BadTarget {
            index: 0,
            target: -1
        }
    );
    assert_eq!(
        error(&[0xa7, 0, 1]),
        CodeError::BadTarget {
            index: 0,
            target: 1
        }
    );
    // tableswitch with low above high, and one that claims 2^32 entries
    let table = |low: i32, high: i32| {
        let mut bytes = vec![0xaa, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(low.to_be_bytes());
        bytes.extend(high.to_be_bytes());
        bytes
    };
    assert_eq!(error(&table(1, 0)), CodeError::BadSwitch { index: 0 });
    assert_eq!(
        error(&table(i32::MIN, i32::MAX)),
        CodeError::Cut { index: 0 }
    );
    let negative = [0xab, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(error(&negative), CodeError::BadSwitch { index: 0 });
}

#[test]
fn an_index_outside_the_code_is_cut() {
    assert_eq!(
        decode_at(&[0], u32::MAX).unwrap_err(),
        CodeError::Cut { index: u32::MAX }
    );
    assert_eq!(Code::decode(&[0xb1]).unwrap().at(7), None);
}

proptest! {
    #[test]
    fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(code) = Code::decode(&bytes) {
            let lengths: u32 = code.instructions().iter().map(|i| i.length).sum();
            prop_assert_eq!(lengths as usize, bytes.len());
            for (ordinal, instruction) in code.instructions().iter().enumerate() {
                prop_assert_eq!(code.ordinal(instruction.index), Some(ordinal));
                prop_assert!(instruction.targets().iter().all(|t| code.at(*t).is_some()));
            }
        }
        for index in 0..bytes.len() as u32 + 2 {
            if let Ok(instruction) = decode_at(&bytes, index) {
                prop_assert!(instruction.next() as usize <= bytes.len());
            }
        }
    }

    /// Instructions that have nothing to do with the place where they stand, then cut anywhere:
    /// a cut at an instruction's start gives the shorter list, any other is refused as cut.
    #[test]
    fn cut_code_is_refused_unless_cut_between_instructions(
        picks in proptest::collection::vec((0usize..8, any::<u8>(), any::<u8>()), 1..40),
    ) {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for (pick, a, b) in picks {
            starts.push(bytes.len());
            match pick {
                0 => bytes.push(0x60),
                1 => bytes.extend([0x10, a]),
                2 => bytes.extend([0x11, a, b]),
                3 => bytes.extend([0xb2, a, b]),
                4 => bytes.extend([0x84, a, b]),
                5 => bytes.extend([0xc4, 0x36, a, b]),
                6 => bytes.extend([0xb9, a, b, 1, 0]),
                _ => bytes.extend([0xc5, a, b, 2]),
            }
        }
        for cut in 1..bytes.len() {
            let decoded = Code::decode(&bytes[..cut]);
            match starts.iter().position(|s| *s == cut) {
                Some(count) => prop_assert_eq!(decoded.unwrap().instructions().len(), count),
                None => {
                    let start = *starts.iter().rfind(|s| **s < cut).unwrap() as u32;
                    prop_assert_eq!(decoded.unwrap_err(), CodeError::Cut { index: start });
                }
            }
        }
    }
}
