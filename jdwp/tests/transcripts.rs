//! What real JVMs of several versions said, kept byte for byte: everything decodes, and encodes to
//! the same bytes again. Runs without a JVM. `examples/record_transcript.rs` makes the files.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use jdwp::codec::encode;
use jdwp::commands::{self, array_reference, class_type, object_reference};
use jdwp::{
    Composite, EventKind, HANDSHAKE, Header, IdSizes, Incoming, PacketKind, Reader, Session, Tag,
    Wire,
};
use support::proxy::Side;
use support::transcript::{self, Transcript};

fn transcripts() -> Vec<Transcript> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let entries = std::fs::read_dir(&folder).expect("the folder of transcripts");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let read = |path| std::fs::read_to_string(path).expect("a readable transcript");
    paths
        .iter()
        .map(|path| transcript::read(&read(path)))
        .collect()
}

/// The commands whose values carry no tags: their types, as the tour writes them.
fn read_untagged(set: u8, command: u8, body: &[u8], sizes: IdSizes) -> Option<Vec<u8>> {
    let mut reader = Reader::new(body, sizes);
    let fields = [Tag::INT, Tag::LONG, Tag::BOOLEAN, Tag::OBJECT];
    let bytes = match (set, command) {
        (3, 2) => again(
            class_type::SetValues::read_with_tags(&mut reader, &fields),
            sizes,
        ),
        (9, 3) => again(
            object_reference::SetValues::read_with_tags(&mut reader, &fields),
            sizes,
        ),
        (13, 3) => again(
            array_reference::SetValues::read_with_tag(&mut reader, Tag::INT),
            sizes,
        ),
        _ => return None,
    };
    reader.finish().expect("nothing is left");
    Some(bytes)
}

fn again<T: Wire>(value: Result<T, jdwp::DecodeError>, sizes: IdSizes) -> Vec<u8> {
    encode(&value.expect("it decodes with its types"), &sizes)
}

#[test]
fn every_packet_decodes_and_encodes_to_the_same_bytes() {
    let transcripts = transcripts();
    let versions: Vec<&str> = transcripts
        .iter()
        .filter_map(|t| t.jdk.split('.').next())
        .collect();
    assert!(
        versions.contains(&"17") && versions.contains(&"25"),
        "{versions:?}"
    );
    for Transcript { jdk, packets } in transcripts {
        let sizes = IdSizes::EIGHT;
        let mut asked = BTreeMap::new();
        let mut answered = BTreeSet::new();
        let mut errors = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        for (index, (side, bytes)) in packets.iter().enumerate() {
            if index < 2 {
                assert_eq!(bytes, HANDSHAKE);
                continue;
            }
            let (header, body) = bytes.split_first_chunk().expect("a whole packet");
            let header = Header::decode(header).expect("a header");
            assert_eq!(header.encode(), bytes[..11]);
            assert_eq!(header.length as usize, bytes.len());
            let (message, info) = match header.kind {
                PacketKind::Command { set, command } => {
                    let info = commands::find(set, command).expect("a command of the spec");
                    assert_eq!(*side == Side::Jvm, set == 64);
                    if *side == Side::Debugger {
                        asked.insert(header.id, info);
                    }
                    if let Some(again) = read_untagged(set, command, body, sizes) {
                        assert_eq!(again, body, "{jdk} packet {index}: {info:?}");
                        continue;
                    }
                    (info.decode_command(body, &sizes), info)
                }
                PacketKind::Reply { error } => {
                    let info = asked.remove(&header.id).expect("a reply to what was asked");
                    if !error.is_none() {
                        assert!(error.name().is_some(), "{error}");
                        errors.insert(error);
                        continue;
                    }
                    answered.insert(info.name);
                    (info.decode_reply(body, &sizes), info)
                }
            };
            let message =
                message.unwrap_or_else(|error| panic!("{jdk} packet {index}: {info:?}: {error}"));
            assert_eq!(
                message.to_bytes(&sizes),
                body,
                "{jdk} packet {index}: {message:?}"
            );
            if info.set == 64 {
                let composite: Composite = jdwp::codec::decode(body, &sizes).expect("as above");
                kinds.extend(composite.events.iter().map(jdwp::Event::kind));
            }
        }
        assert!(
            answered.len() >= 70,
            "{jdk}: {} commands: {answered:?}",
            answered.len()
        );
        assert!(
            kinds.len() >= 17 && kinds.iter().all(|kind| kind.name().is_some()),
            "{kinds:?}"
        );
        assert!(kinds.contains(&EventKind::CLASS_UNLOAD), "{kinds:?}");
        assert!(errors.len() >= 8, "{errors:?}");
    }
}

/// The same bytes through the session, in pieces of awkward sizes.
#[test]
fn a_session_reads_the_jvms_side_in_any_pieces() {
    for Transcript { jdk, packets } in transcripts() {
        for piece in [1, 7, 1000, usize::MAX] {
            let mut session = Session::default();
            let mut replies = 0;
            let mut events = 0;
            let mut stream = Vec::new();
            let mut expected = 0;
            // The session counts its commands as the recorded one did.
            for (side, bytes) in &packets[2..] {
                match side {
                    Side::Debugger => {
                        let header = Header::decode(bytes.first_chunk().expect("whole"));
                        let header = header.expect("a header");
                        if header.id.0 > 1 {
                            let PacketKind::Command { set, command } = header.kind else {
                                panic!("the debugger only asks");
                            };
                            let id = session.send_raw(set, command, &bytes[11..]);
                            assert_eq!(id, header.id, "{jdk}");
                        }
                        let sent = session.take_outgoing();
                        assert_eq!(sent[..], bytes[..], "{jdk}");
                    }
                    Side::Jvm => {
                        stream.extend_from_slice(bytes);
                        expected += 1;
                    }
                }
            }
            for piece in stream.chunks(piece.min(stream.len())) {
                session.receive(piece);
                while let Some(incoming) = session.poll().expect("nothing is malformed") {
                    match incoming {
                        Incoming::Reply(_) => replies += 1,
                        Incoming::Event(_) => events += 1,
                        Incoming::Command { .. } => panic!("{incoming:?}"),
                    }
                }
            }
            // The reply to IDSizes stays in the session.
            assert_eq!(replies + events + 1, expected, "{jdk}");
            assert!(replies > 300 && events > 30, "{jdk}: {replies} {events}");
            // Exit is the last command, and the JVM may end before it answers.
            assert!(session.in_flight() <= 1, "{:?}", session.pending_commands());
        }
    }
}
