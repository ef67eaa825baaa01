use proptest::prelude::*;

use super::*;
use crate::event::{Event, EventKind, Outcome};
use crate::fuzzing::{decode_block, encode_and_decode, events_from};
use crate::ids::{MethodId, ThreadId};
use crate::value::Value;
use crate::variable::{Local, Variable};

/// A few hundred events of every kind, the same each time.
fn sample() -> Block {
    let bytes: Vec<u8> = (0..1200u64)
        .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
        .collect();
    let mut builder = BlockBuilder::new(4096);
    builder.set_wall_ms(1_700_000_000_000);
    for event in events_from(&bytes) {
        builder.append(&event).expect("events of a script nest");
    }
    builder.set_wall_ms(1_700_000_000_250);
    builder.take()
}

#[test]
fn every_cut_is_told() {
    let bytes = sample().encode();
    for length in 0..bytes.len() {
        assert!(Block::decode(&bytes[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn every_flipped_bit_is_told() {
    let mut bytes = sample().encode();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Block::decode(&bytes).is_err(), "bit {bit}");
        decode_block(&bytes[3..]);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn unknown_versions_are_refused() {
    let mut bytes = sample().encode();
    bytes[2] = FORMAT_VERSION + 1;
    assert_eq!(
        Block::decode(&bytes).err(),
        Some(DecodeError::UnknownVersion(FORMAT_VERSION + 1))
    );
    bytes[0] = b'X';
    assert_eq!(Block::decode(&bytes).err(), Some(DecodeError::NotABlock));
}

fn enter(preorder: u64) -> Event {
    Event {
        call: CallId::new(ThreadId(1), preorder),
        index: 0,
        kind: EventKind::Enter {
            method: MethodId(7),
            receiver: None,
            arguments: vec![Value::Int(preorder as i32)],
            call_site: 3,
            boundary: false,
            already_running: false,
        },
    }
}

fn exit(preorder: u64) -> Event {
    Event {
        call: CallId::new(ThreadId(1), preorder),
        index: 9,
        kind: EventKind::Exit {
            outcome: Outcome::Returned(None),
        },
    }
}

#[test]
fn calls_that_do_not_nest_are_refused_and_leave_no_trace() {
    let mut builder = BlockBuilder::new(100);
    let refused = |builder: &mut BlockBuilder, event: &Event| {
        let before = builder.next_timestamp();
        let error = builder.append(event).expect_err("it does not nest");
        assert_eq!(builder.next_timestamp(), before);
        error
    };
    let root = CallId::root(ThreadId(1));
    assert!(matches!(
        refused(&mut builder, &exit(0)),
        Malformed::RootLeft(_)
    ));
    assert!(matches!(
        refused(&mut builder, &enter(2)),
        Malformed::EnterOutOfOrder { next: 1, .. }
    ));
    builder.append(&enter(1)).expect("the first call");
    builder.append(&enter(2)).expect("the second call");
    assert!(matches!(
        refused(&mut builder, &exit(1)),
        Malformed::NotInnermost { .. }
    ));
    let at_root = Event {
        call: root,
        index: 0,
        kind: EventKind::ThreadEnd,
    };
    assert!(matches!(
        refused(&mut builder, &at_root),
        Malformed::NotInnermost { .. }
    ));
    builder.append(&exit(2)).expect("the innermost");
    builder.append(&exit(1)).expect("the outermost");
    builder.append(&at_root).expect("at the root");
    assert_eq!(builder.take().len(), 5);
}

#[test]
fn calls_over_several_blocks_are_followed() {
    let mut builder = BlockBuilder::new(100);
    for event in [enter(1), enter(2), exit(2)] {
        builder.append(&event).expect("nests");
    }
    let first = builder.take();
    for event in [enter(3), exit(3), exit(1)] {
        builder.append(&event).expect("nests");
    }
    let second = Block::decode(&builder.take().encode()).expect("decodes");
    let thread = &first.threads()[0];
    assert_eq!(
        thread.open_rows().map(|(call, _)| call).collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(
        (thread.row(2).map(|row| (row.parent, row.size, row.depth))),
        Some((1, 1, 2))
    );
    let thread = &second.threads()[0];
    assert_eq!(
        (thread.first_call, thread.innermost, thread.depth),
        (3, 1, 1)
    );
    assert_eq!(
        thread.row(3).map(|row| (row.parent, row.invocation)),
        Some((1, 2))
    );
    let outer = thread.outer_exits[0];
    assert_eq!((outer.call, outer.parent, outer.size), (1, 0, 3));
    assert_eq!(second.innermost_after(2), CallId::root(ThreadId(1)));
}

#[test]
fn a_loop_takes_less_than_a_byte_per_event() {
    let mut builder = BlockBuilder::new(8192);
    builder.append(&enter(1)).expect("nests");
    let call = CallId::new(ThreadId(1), 1);
    for i in 0..8000 {
        let local = Local::Named(i as u16 % 2);
        let variable = Variable::Local { call, local };
        let kind = EventKind::Write {
            variable,
            value: Value::Int(i / 2 * 3),
        };
        builder
            .append(&Event {
                call,
                index: 10 + i as u32 % 2,
                kind,
            })
            .expect("nests");
    }
    let bytes = builder.take().encode().len();
    assert!(bytes < 300, "{bytes} bytes for 8000 events of a loop");
}

proptest! {
    #[test]
    fn any_events_come_back(
        bytes in proptest::collection::vec(any::<u8>(), 0..2000), capacity in 1usize..400
    ) {
        encode_and_decode(&bytes, capacity);
    }

    #[test]
    fn any_bytes_are_a_block_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..400)
    ) {
        decode_block(&bytes);
    }

    #[test]
    fn a_damaged_body_is_a_block_or_an_error(
        at in any::<proptest::sample::Index>(), byte in any::<u8>(), more in any::<proptest::sample::Index>()
    ) {
        let mut bytes = sample().encode();
        bytes.drain(..3);
        let length = bytes.len();
        bytes[at.index(length)] = byte;
        bytes[more.index(length)] ^= byte;
        bytes.truncate(length - 4);
        decode_block(&bytes);
    }
}
