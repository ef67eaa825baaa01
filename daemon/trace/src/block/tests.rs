use proptest::prelude::*;

use super::*;
use crate::event::{Event, EventKind, Outcome};
use crate::fuzzing::{decode_block, encode_and_decode, events_from};
use crate::ids::{FieldId, MethodId, ObjectId, ThreadId};
use crate::value::Value;
use crate::variable::{ContentKey, Local, Variable};

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

/// The objects that an event refers to, from the event alone.
fn referred_to(kind: &EventKind) -> Vec<ObjectId> {
    let values: Vec<Value> = match kind {
        EventKind::Enter {
            receiver,
            arguments,
            ..
        } => receiver.iter().chain(arguments).copied().collect(),
        EventKind::Exit { outcome } => match outcome {
            Outcome::Returned(value) => value.iter().copied().collect(),
            Outcome::Threw(value) => vec![*value],
            Outcome::Unknown => vec![],
        },
        EventKind::Thrown { exception }
        | EventKind::Caught { exception }
        | EventKind::Uncaught { exception } => vec![*exception],
        EventKind::Monitor { object, .. } => vec![Value::Object(*object)],
        EventKind::Write { variable, value } | EventKind::Snapshot { variable, value } => {
            let key = match variable {
                Variable::Content {
                    key: ContentKey::Key(key),
                    ..
                } => Some(*key),
                _ => None,
            };
            key.into_iter().chain([*value]).collect()
        }
        _ => vec![],
    };
    values
        .into_iter()
        .filter_map(|value| value.object())
        .collect()
}

/// What is looked for by shapes is what the events say.
fn looks_and_events_agree(block: &Block) {
    let references = block.references();
    let sets = [
        Kinds::ALL,
        Kinds::ENTERS,
        Kinds::EXITS,
        Kinds::WRITES,
        Kinds::USES,
        Kinds::EDGES,
        Kinds::EXCEPTIONS,
        Kinds::MONITORS,
    ];
    let by_shape = sets.map(|kinds| (kinds, block.shapes_of(kinds)));
    let events: Vec<Event> = (0..block.len()).filter_map(|at| block.event(at)).collect();
    for (at, event) in events.iter().enumerate() {
        for (kinds, shapes) in &by_shape {
            let is = shapes[block.shape_number(at)];
            assert_eq!(is, kinds.contains(&event.kind), "{kinds:?}: {event:?}");
        }
        let told: Vec<_> = references.of(at).collect();
        assert_eq!(told, referred_to(&event.kind), "{event:?}");
        for object in told {
            assert!(event.refers_to(object), "{event:?}");
        }
        assert!(!event.refers_to(ObjectId(u64::MAX)));
        let field = match event.kind {
            EventKind::Write { variable, .. } | EventKind::Snapshot { variable, .. } => {
                match variable {
                    Variable::Field { field, .. } | Variable::Static { field } => Some(field),
                    _ => None,
                }
            }
            _ => None,
        };
        let class = match event.kind {
            EventKind::New { class, .. } => Some(class),
            _ => None,
        };
        // Few of either are in a script: each event is asked for all that it may be taken for.
        for other in &events {
            if let EventKind::New { class: asked, .. } = other.kind {
                assert_eq!(block.creations_of(asked)(at), class == Some(asked));
            }
        }
        if let Some(field) = field {
            assert!(block.writes_of_field(field)(at), "{event:?}");
            let other = FieldId(field.0.wrapping_add(1));
            assert!(!block.writes_of_field(other)(at), "{event:?}");
        } else {
            let any = (0..300).any(|field| block.writes_of_field(FieldId(field))(at));
            assert!(!any, "{event:?}");
        }
    }
    assert_eq!(references.of(block.len()).count(), 0);
}

#[test]
fn what_refers_to_objects_writes_fields_and_makes_objects_is_found_by_shape() {
    let block = sample();
    looks_and_events_agree(&block);
    let refers = (0..block.len()).map(|at| block.references().of(at).count());
    assert!(refers.sum::<usize>() > 20, "the sample has references");
}

proptest! {
    #[test]
    fn any_events_are_found_by_shape(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut builder = BlockBuilder::new(400);
        for event in events_from(&bytes) {
            if !builder.is_full() {
                builder.append(&event).expect("events of a script nest");
            }
        }
        looks_and_events_agree(&builder.take());
    }

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
