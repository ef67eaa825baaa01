//! One entry point per decoder: takes any bytes, and panics if the decoder breaks a promise.
//!
//! The same functions run under `cargo test` (`fuzz_entries.rs`, random bytes) and under libFuzzer
//! (`integration/fuzz`, which includes this file), so a crash found there becomes a test here by
//! adding its bytes. Only the crate's public API is used.
#![allow(
    unreachable_pub,
    reason = "each includer is a crate of its own and uses a part of this"
)]

use jdwp::codec::{decode, encode};
use jdwp::{
    ArrayRegion, Composite, Framer, HANDSHAKE, Handshake, HandshakeProgress, Header, IdSizes,
    Incoming, JdwpString, Location, Packet, Session, TaggedObject, Value, Wire, commands,
};

/// A fuzz entry point: its name (that of its fuzz target without `jdwp_`) and itself.
pub type Entry = (&'static str, fn(&[u8]));

/// All entry points.
pub const ENTRIES: &[Entry] = &[
    ("handshake", handshake),
    ("framer", framer),
    ("session", session),
    ("command", command),
    ("reply", reply),
    ("event", event),
    ("modifier", modifier),
    ("value", value),
    ("array_region", array_region),
    ("string", string),
];

/// The kinds of events that have a form in the spec.
const KINDS: [u8; 18] = [
    1, 2, 4, 6, 7, 8, 9, 20, 21, 40, 41, 42, 43, 44, 45, 46, 90, 99,
];

/// The first bytes choose the identifier widths; the rest is input.
fn sizes(data: &[u8]) -> Option<(IdSizes, &[u8])> {
    let (&[field, method, object, reference_type, frame], rest) = data.split_first_chunk()?;
    let width = |byte: u8| i32::from(byte % 8) + 1;
    let sizes = IdSizes::new(
        width(field),
        width(method),
        width(object),
        width(reference_type),
        width(frame),
    );
    Some((sizes.expect("widths are within 1 to 8"), rest))
}

/// What decodes must encode to bytes that decode to the same, and those bytes are stable.
fn stable<T: Wire + std::fmt::Debug>(body: &[u8], sizes: &IdSizes) {
    if let Ok(value) = decode::<T>(body, sizes) {
        let bytes = encode(&value, sizes);
        let again: T = decode(&bytes, sizes).expect("an encoded value decodes");
        assert_eq!(format!("{value:?}"), format!("{again:?}"));
        assert_eq!(encode(&again, sizes), bytes);
        assert!(
            bytes.len() >= T::min_len(sizes),
            "{value:?} is shorter than its least length"
        );
    }
}

/// The handshake in pieces gives what it gives in one.
pub fn handshake(data: &[u8]) {
    let whole = Handshake::new().receive(data);
    let mut pieces = Handshake::new();
    let mut consumed = 0;
    let mut result = Ok(HandshakeProgress::Incomplete);
    for byte in data.chunks(1) {
        result = pieces.receive(byte);
        consumed += 1;
        if !matches!(result, Ok(HandshakeProgress::Incomplete)) {
            break;
        }
    }
    match whole {
        Ok(HandshakeProgress::Done { consumed: expected }) => {
            assert_eq!(consumed, expected);
            assert_eq!(result, Ok(HandshakeProgress::Done { consumed: 1 }));
            assert!(data.starts_with(HANDSHAKE));
        }
        Ok(HandshakeProgress::Incomplete) => assert!(HANDSHAKE.starts_with(data)),
        Err(error) => {
            assert!(result.is_err());
            assert!(data.starts_with(&error.first_bytes) && error.first_bytes.len() <= 64);
        }
    }
}

/// Packets in pieces are the packets in one, and encode to the bytes they came from.
pub fn framer(data: &[u8]) {
    let limit = 1 << 12;
    let packets = |step: usize| {
        let mut framer = Framer::new(limit);
        let mut list = Vec::new();
        for piece in data.chunks(step) {
            framer.receive(piece);
            loop {
                match framer.next_packet() {
                    Ok(Some(packet)) => list.push(packet),
                    Ok(None) => break,
                    Err(error) => return (list, Some(error)),
                }
            }
        }
        (list, None)
    };
    let (list, error) = packets(data.len().max(1));
    assert_eq!((list.clone(), error), packets(7));
    let mut bytes = bytes::BytesMut::new();
    for Packet { id, kind, body } in list {
        assert!(body.len() <= limit);
        let length = u32::try_from(body.len() + jdwp::HEADER_LEN).expect("within the limit");
        let header = Header { length, id, kind };
        assert_eq!(Header::decode(&header.encode()), Ok(header));
        Packet { id, kind, body }.encode(&mut bytes);
    }
    assert!(data.starts_with(&bytes));
}

/// A peer that sends anything: every command gets at most one reply, errors are final. Half of
/// the inputs follow on a right first answer, or chance would rarely get past it.
pub fn session(data: &[u8]) {
    let mut session = Session::new(1 << 12);
    if data.first().is_some_and(|byte| byte % 2 == 1) {
        session.receive(&[0, 0, 0, 31, 0, 0, 0, 1, 0x80, 0, 0]);
        session.receive(&[0, 0, 0, 8].repeat(5));
        assert_eq!(session.try_ready(), Ok(true));
    }
    let data = data.get(1..).unwrap_or_default();
    let mut waiting = vec![];
    for piece in data.chunks(64) {
        if piece.first().is_some_and(|byte| byte % 2 == 0) {
            waiting.push(session.send(&commands::virtual_machine::AllThreads));
        }
        session.receive(piece);
        loop {
            match session.poll() {
                Ok(Some(Incoming::Reply(reply))) => {
                    let place = waiting.iter().position(|id| *id == reply.id);
                    waiting.swap_remove(place.expect("a reply to a command that waits"));
                    let _ =
                        reply.decode::<commands::virtual_machine::AllThreads>(&session.id_sizes());
                }
                Ok(Some(_)) => assert!(session.is_ready()),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(session.poll(), Err(error.clone()));
                    session.receive(HANDSHAKE);
                    assert_eq!(session.poll(), Err(error));
                    return;
                }
            }
        }
    }
    let own = usize::from(!session.is_ready());
    assert_eq!(session.in_flight(), waiting.len() + own);
}

/// Any bytes as any command's out data: two bytes choose the command.
pub fn command(data: &[u8]) {
    messages(data, |info, body, sizes| info.decode_command(body, sizes));
}

/// Any bytes as any command's reply data.
pub fn reply(data: &[u8]) {
    messages(data, |info, body, sizes| info.decode_reply(body, sizes));
}

type DecodeMessage =
    fn(&jdwp::CommandInfo, &[u8], &IdSizes) -> Result<Box<dyn jdwp::Message>, jdwp::DecodeError>;

fn messages(data: &[u8], decode: DecodeMessage) {
    let Some((sizes, data)) = sizes(data) else {
        return;
    };
    let Some((&choice, body)) = data.split_first() else {
        return;
    };
    let Some(info) = commands::all().nth(usize::from(choice) % commands::all().count()) else {
        return;
    };
    if let Ok(message) = decode(info, body, &sizes) {
        let bytes = message.to_bytes(&sizes);
        let again = decode(info, &bytes, &sizes).expect("an encoded message decodes");
        assert_eq!(format!("{message:?}"), format!("{again:?}"), "{info:?}");
        assert_eq!(again.to_bytes(&sizes), bytes, "{info:?}");
    }
}

/// Any bytes as an event composite, also as the session gets them.
pub fn event(data: &[u8]) {
    let Some((sizes, body)) = sizes(data) else {
        return;
    };
    stable::<Composite>(body, &sizes);
    if let Ok(composite) = decode::<Composite>(body, &sizes) {
        for (index, event) in composite.events.iter().enumerate() {
            let unknown = matches!(event, jdwp::Event::Unknown { .. });
            assert_eq!(
                event.kind().name().is_none() || !KINDS.contains(&event.kind().0),
                unknown
            );
            assert!(
                !unknown || index + 1 == composite.events.len(),
                "the unknown swallow the rest"
            );
        }
    }
}

/// Any bytes as a modifier of an event request.
pub fn modifier(data: &[u8]) {
    let Some((sizes, body)) = sizes(data) else {
        return;
    };
    stable::<commands::event_request::Modifier>(body, &sizes);
}

/// Any bytes as a value, an object with tag, a location.
pub fn value(data: &[u8]) {
    let Some((sizes, body)) = sizes(data) else {
        return;
    };
    stable::<Value>(body, &sizes);
    stable::<TaggedObject>(body, &sizes);
    stable::<Location>(body, &sizes);
}

/// Any bytes as part of an array; the view without a copy agrees with the decoded region.
pub fn array_region(data: &[u8]) {
    let Some((sizes, body)) = sizes(data) else {
        return;
    };
    stable::<ArrayRegion>(body, &sizes);
    if let Ok((tag, count, bytes)) = ArrayRegion::primitive_bytes(body) {
        let region: ArrayRegion = decode(body, &sizes).expect("what is primitive decodes");
        assert_eq!((region.tag(), region.len()), (tag, count));
        assert!(body.ends_with(bytes));
        assert_eq!(region.values().count(), count);
    }
}

/// Any bytes as a string.
pub fn string(data: &[u8]) {
    stable::<JdwpString>(data, &IdSizes::EIGHT);
    if let Some(string) = JdwpString::from_bytes(data) {
        assert_eq!(string.as_bytes(), data);
        assert_eq!(string.as_str(), str::from_utf8(data).ok());
        let units = string.to_utf16();
        assert_eq!(JdwpString::from_utf16(&units).to_utf16(), units);
        assert_eq!(string.to_string(), String::from_utf16_lossy(&units));
    }
}
