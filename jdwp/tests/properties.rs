//! Every command, reply, event and modifier: encoded, decoded, encoded again; cut at every byte;
//! with a byte too many; with hostile counts.

use arbitrary::Unstructured;
use jdwp::codec::{decode, encode};
use jdwp::commands::{self, array_reference, class_type, object_reference};
use jdwp::{
    CommandInfo, Composite, DecodeError, DecodeErrorKind, Event, EventKind, IdSizes, Message,
    Reader, Tag, UntaggedValue, Value,
};
use proptest::prelude::*;

/// The numbers of the commands whose values carry no tags; see `untagged_values…` below.
const UNTAGGED: [(u8, u8); 3] = [(3, 2), (9, 3), (13, 3)];

/// Both messages of a command, made from random bytes, with the decoder for each.
type Decode = fn(&CommandInfo, &[u8], &IdSizes) -> Result<Box<dyn Message>, DecodeError>;

fn messages(
    entropy: &[u8],
) -> impl Iterator<Item = (&'static CommandInfo, Box<dyn Message>, Decode)> {
    let commands = commands::all()
        .filter(|info| !UNTAGGED.contains(&(info.set, info.command)))
        .map(|info| {
            let message = info.arbitrary_command(&mut Unstructured::new(entropy));
            let decode: Decode = |info, body, sizes| info.decode_command(body, sizes);
            (info, message.expect("made from any bytes"), decode)
        });
    let replies = commands::all().map(|info| {
        let message = info.arbitrary_reply(&mut Unstructured::new(entropy));
        let decode: Decode = |info, body, sizes| info.decode_reply(body, sizes);
        (info, message.expect("made from any bytes"), decode)
    });
    commands.chain(replies)
}

fn entropy(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..most)
}

fn any_sizes() -> impl Strategy<Value = IdSizes> {
    proptest::array::uniform5(1..=8i32)
        .prop_map(|[f, m, o, r, s]| IdSizes::new(f, m, o, r, s).expect("within 1 to 8"))
}

/// A composite that ends with an event of unknown kind takes whatever follows.
fn is_open_ended(message: &dyn Message) -> bool {
    format!("{message:?}").contains("Unknown {")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// With eight-byte ids nothing is lost.
    #[test]
    fn what_is_encoded_decodes_to_the_same(entropy in entropy(600)) {
        for (info, message, decode) in messages(&entropy) {
            let bytes = message.to_bytes(&IdSizes::EIGHT);
            let back = decode(info, &bytes, &IdSizes::EIGHT);
            let back = back.map_err(|error| TestCaseError::fail(format!("{info:?}: {error}")))?;
            prop_assert_eq!(format!("{:?}", back), format!("{:?}", message), "{:?}", info);
            prop_assert_eq!(back.to_bytes(&IdSizes::EIGHT), bytes, "{:?}", info);
        }
    }

    /// With narrower ids, what fits is kept: bytes are stable.
    #[test]
    fn every_id_width_is_kept_to(entropy in entropy(400), sizes in any_sizes()) {
        for (info, message, decode) in messages(&entropy) {
            let bytes = message.to_bytes(&sizes);
            let back = decode(info, &bytes, &sizes);
            let back = back.map_err(|error| TestCaseError::fail(format!("{info:?}: {error}")))?;
            prop_assert_eq!(back.to_bytes(&sizes), bytes, "{:?}", info);
        }
    }

    /// Values without tags are read back by who knows their types.
    #[test]
    fn untagged_values_decode_with_their_types(entropy in entropy(400)) {
        let sizes = IdSizes::EIGHT;
        let mut u = Unstructured::new(&entropy);
        let class: class_type::SetValues = u.arbitrary().expect("made from any bytes");
        let tags: Vec<Tag> = class.values.iter().map(|value| value.value.0.tag()).collect();
        let bytes = encode(&class, &sizes);
        if !class.values.is_empty() {
            let blind = decode::<class_type::SetValues>(&bytes, &sizes);
            // Values of no bytes (void) at the end make the count impossible before that.
            prop_assert!(blind.is_err());
        }
        let mut with_void = class.clone();
        with_void.values.retain(|value| value.value.0 != Value::Void);
        let tags_without_void: Vec<Tag> =
            tags.into_iter().filter(|tag| *tag != Tag::VOID).collect();
        let bytes = encode(&with_void, &sizes);
        let mut reader = Reader::new(&bytes, sizes);
        let back = class_type::SetValues::read_with_tags(&mut reader, &tags_without_void);
        prop_assert_eq!(format!("{:?}", back), format!("{:?}", Ok::<_, DecodeError>(with_void)));
        reader.finish().expect("nothing is left");

        let numbers: Vec<i32> = u.arbitrary().expect("made from any bytes");
        let array = array_reference::SetValues {
            array: u.arbitrary().expect("made from any bytes"),
            first_index: 3,
            values: numbers.iter().map(|number| UntaggedValue(Value::Int(*number))).collect(),
        };
        let bytes = encode(&array, &sizes);
        let back = array_reference::SetValues::read_with_tag(&mut Reader::new(&bytes, sizes), Tag::INT);
        prop_assert_eq!(back, Ok(array));

        let object = object_reference::SetValues {
            object: u.arbitrary().expect("made from any bytes"),
            values: with_void_free(&class),
        };
        let tags: Vec<Tag> = object.values.iter().map(|value| value.value.0.tag()).collect();
        let bytes = encode(&object, &sizes);
        let back = object_reference::SetValues::read_with_tags(&mut Reader::new(&bytes, sizes), &tags);
        prop_assert_eq!(format!("{:?}", back), format!("{:?}", Ok::<_, DecodeError>(object)));
    }
}

fn with_void_free(command: &class_type::SetValues) -> Vec<class_type::FieldValue> {
    let mut values = command.values.clone();
    values.retain(|value| value.value.0 != Value::Void);
    values
}

proptest! {
    // Quadratic in the message's length.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_message_cut_anywhere_is_an_error(entropy in entropy(300)) {
        for (info, message, decode) in messages(&entropy) {
            let open_ended = is_open_ended(&*message);
            let bytes = message.to_bytes(&IdSizes::EIGHT);
            for cut in 0..bytes.len() {
                let result = decode(info, &bytes[..cut], &IdSizes::EIGHT);
                prop_assert!(open_ended || result.is_err(), "{info:?} cut at {cut}: {result:?}");
                if let Err(error) = result {
                    prop_assert!(error.offset <= cut, "{info:?} cut at {cut}: {error}");
                    prop_assert!(!error.what.is_empty(), "{info:?}: {error}");
                }
            }
            let mut longer = bytes;
            longer.push(0);
            let result = decode(info, &longer, &IdSizes::EIGHT);
            prop_assert!(open_ended || result.is_err(), "{info:?} with a byte more: {result:?}");
        }
    }

    /// Wherever four bytes are overwritten with a hostile number, the result is a value or an
    /// error, and a value still encodes.
    #[test]
    fn hostile_numbers_anywhere_are_survived(entropy in entropy(200)) {
        for (info, message, decode) in messages(&entropy) {
            let bytes = message.to_bytes(&IdSizes::EIGHT);
            for place in 0..bytes.len().saturating_sub(3) {
                for number in [-1, i32::MIN, i32::MAX, 1 << 28, 0x7FFF_FF00] {
                    let mut damaged = bytes.clone();
                    damaged[place..place + 4].copy_from_slice(&i32::to_be_bytes(number));
                    if let Ok(value) = decode(info, &damaged, &IdSizes::EIGHT) {
                        let again = value.to_bytes(&IdSizes::EIGHT);
                        prop_assert!(decode(info, &again, &IdSizes::EIGHT).is_ok(), "{:?}", info);
                    }
                }
            }
        }
    }
}

/// The generators reach every event kind and modifier that the spec has.
#[test]
fn random_messages_reach_every_kind_of_event_and_modifier() {
    let mut kinds = std::collections::BTreeSet::new();
    let mut modifiers = std::collections::BTreeSet::new();
    let mut state = 1u64;
    for _ in 0..4000 {
        let entropy: Vec<u8> = (0..200)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let composite: Composite = Unstructured::new(&entropy).arbitrary().expect("any bytes");
        kinds.extend(composite.events.iter().map(|event| match event {
            Event::Unknown { .. } => EventKind(0),
            event => event.kind(),
        }));
        let set: commands::event_request::Set =
            Unstructured::new(&entropy).arbitrary().expect("any bytes");
        modifiers.extend(
            set.modifiers
                .iter()
                .map(commands::event_request::Modifier::kind),
        );
    }
    assert_eq!(
        kinds.len(),
        18 + 1,
        "all kinds with a form, and unknown ones: {kinds:?}"
    );
    assert_eq!(modifiers, (1..=13).collect());
}

#[test]
fn an_unknown_event_keeps_what_the_jvm_suspended() {
    let mut bytes = vec![2, 0, 0, 0, 2];
    bytes.push(EventKind::VM_DEATH.0);
    bytes.extend([0, 0, 0, 0]);
    bytes.push(200);
    bytes.extend([0, 0, 0, 9, 1, 2, 3]);
    let composite: Composite = decode(&bytes, &IdSizes::EIGHT).expect("unknown kinds are values");
    assert_eq!(composite.suspend_policy, jdwp::SuspendPolicy::ALL);
    assert_eq!(composite.events[0].kind(), EventKind::VM_DEATH);
    let data = vec![0, 0, 0, 9, 1, 2, 3];
    assert_eq!(
        composite.events[1],
        Event::Unknown {
            kind: EventKind(200),
            count: 1,
            data
        }
    );
    assert_eq!(encode(&composite, &IdSizes::EIGHT), bytes);
}

#[test]
fn a_value_without_its_type_says_so() {
    let command = class_type::SetValues {
        class: jdwp::ReferenceTypeId(1),
        values: vec![class_type::FieldValue {
            field: jdwp::FieldId(2),
            value: Value::Int(3).into(),
        }],
    };
    let bytes = encode(&command, &IdSizes::EIGHT);
    let error = decode::<class_type::SetValues>(&bytes, &IdSizes::EIGHT).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::Untagged);
    assert_eq!(error.what, "FieldValue.value");
}
