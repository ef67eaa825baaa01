//! The fuzz entry points on random and on mutated bytes, so that they run in every `cargo test`.

mod harness;

use jdwp::codec::encode;
use jdwp::{Composite, IdSizes};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_keep_every_promise(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        for (_, entry) in harness::ENTRIES {
            entry(&data);
        }
    }

    /// Random bytes rarely decode; small ones do: counts and tags are small or letters.
    #[test]
    fn likely_bytes_keep_every_promise(
        data in proptest::collection::vec(
            prop_oneof![4 => Just(0u8), 2 => 0u8..8, 2 => proptest::sample::select(&b"[BCLFDIJSVZstglc"[..]), 1 => any::<u8>()],
            0..120,
        ),
    ) {
        for (_, entry) in harness::ENTRIES {
            entry(&data);
        }
    }

    /// A stream that is nearly right: the handshake of ids and an event, with bytes changed.
    #[test]
    fn a_damaged_stream_keeps_the_promises_of_sessions(
        entropy in proptest::collection::vec(any::<u8>(), 0..300),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let composite: Composite =
            arbitrary::Unstructured::new(&entropy).arbitrary().expect("made from any bytes");
        let mut stream = vec![0, 0, 0, 31, 0, 0, 0, 1, 0x80, 0, 0];
        stream.extend([0, 0, 0, 8].repeat(5));
        let event = encode(&composite, &IdSizes::EIGHT);
        stream.extend((event.len() as u32 + 11).to_be_bytes());
        stream.extend([0, 0, 0, 7, 0, 64, 100]);
        stream.extend(event);
        for (place, byte) in changes {
            let place = place.index(stream.len());
            stream[place] = byte;
        }
        stream.insert(0, 0);
        harness::session(&stream);
        stream.remove(0);
        harness::framer(&stream);
    }
}

/// The bytes that once broke an entry point, or that stand for a class of input.
#[test]
fn known_inputs_keep_every_promise() {
    let corpus: &[&[u8]] = &[
        b"",
        b"JDWP-Handshake",
        b"JDWP-HandshakeJDWP",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        &[0xFF; 64],
        &[0; 64],
    ];
    for data in corpus {
        for (_, entry) in harness::ENTRIES {
            entry(data);
        }
    }
}
