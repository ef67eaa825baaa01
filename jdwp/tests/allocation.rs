//! What hostile counts can make the decoders allocate: alone in its binary, because it counts
//! every allocation of the process.

use jdwp::{Framer, IdSizes, Session, commands};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// No message of a kilobyte may cost more than this, whatever it claims.
const LIMIT: usize = 256 << 10;

#[test]
fn claims_do_not_allocate() {
    // Every offset gets every hostile count, before a kilobyte of bytes that decode as anything.
    for filler in [0u8, 1, b'L', b'I', b's', 0xFF] {
        for place in 0..64 {
            for count in [64, 1000, 1 << 16, 1 << 28, i32::MAX, -1] {
                let mut body = vec![filler; 1024];
                body[place..place + 4].copy_from_slice(&i32::to_be_bytes(count));
                for info in commands::all() {
                    for decode in [
                        jdwp::CommandInfo::decode_command,
                        jdwp::CommandInfo::decode_reply,
                    ] {
                        ALLOCATOR.reset_peak_usage();
                        let before = ALLOCATOR.current_usage();
                        drop(decode(info, &body, &IdSizes::EIGHT));
                        let cost = ALLOCATOR.peak_usage().saturating_sub(before);
                        assert!(
                            cost < LIMIT,
                            "{info:?} {filler} {place} {count}: {cost} bytes"
                        );
                    }
                }
            }
        }
    }

    // A header that claims as much as is allowed costs what has arrived, not what it claims.
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let mut framer = Framer::new(1 << 30);
    framer.receive(&(1u32 << 30).to_be_bytes());
    framer.receive(&[0; 100]);
    assert_eq!(framer.next_packet(), Ok(None));
    let mut session = Session::new(1 << 30);
    session.receive(&(1u32 << 30).to_be_bytes());
    session.receive(&[0, 0, 0, 1, 0x80, 0, 0]);
    assert_eq!(session.poll(), Ok(None));
    let cost = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(cost < LIMIT, "{cost} bytes");
}
