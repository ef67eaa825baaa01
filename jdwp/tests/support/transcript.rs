//! Transcripts: what passed between a debugger and a JVM, as text.
//!
//! ```text
//! # jdk: 17.0.15
//! > 4a4457502d48616e647368616b65
//! < 4a4457502d48616e647368616b65
//! # VirtualMachine.IDSizes
//! > 0000000b000000010000000107
//! ```
//!
//! Lines with `>` come from the debugger, with `<` from the JVM; the first of each is the
//! handshake, all others whole packets. `#` begins a remark, which readers skip; the first names
//! the JDK.

use std::collections::HashMap;
use std::fmt::Write;

use jdwp::{Header, PacketKind, commands};

use super::proxy::Side;

/// A transcript that was read.
pub struct Transcript {
    pub jdk: String,
    pub packets: Vec<(Side, Vec<u8>)>,
}

/// Writes a transcript, with the names of commands as remarks.
pub fn write(jdk: &str, packets: &[(Side, Vec<u8>)]) -> String {
    let mut text = format!("# jdk: {jdk}\n");
    let mut asked = HashMap::new();
    for (side, bytes) in packets {
        if let Some(remark) = remark(bytes, &mut asked) {
            let _ = writeln!(text, "# {remark}");
        }
        let mark = if *side == Side::Debugger { '>' } else { '<' };
        let _ = write!(text, "{mark} ");
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    text
}

fn remark(bytes: &[u8], asked: &mut HashMap<u32, String>) -> Option<String> {
    let header = Header::decode(bytes.first_chunk()?).ok()?;
    match header.kind {
        PacketKind::Command { set, command } => {
            let name = commands::name(set, command);
            asked.insert(header.id.0, name.clone());
            Some(name)
        }
        PacketKind::Reply { error } => {
            let name = asked.get(&header.id.0)?;
            let error = if error.is_none() {
                String::new()
            } else {
                format!(": {error}")
            };
            Some(format!("reply to {name}{error}"))
        }
    }
}

/// Reads a transcript; panics, naming the line, at what is none.
pub fn read(text: &str) -> Transcript {
    let mut jdk = String::new();
    let mut packets = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(version) = line.strip_prefix("# jdk: ") {
            version.clone_into(&mut jdk);
        }
        let side = match line.get(..2) {
            Some("> ") => Side::Debugger,
            Some("< ") => Side::Jvm,
            _ => continue,
        };
        let digits = line.as_bytes()[2..].chunks(2);
        let bytes = digits.map(|pair| {
            let pair = str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        let bytes: Option<Vec<u8>> = bytes.collect();
        packets.push((
            side,
            bytes.unwrap_or_else(|| panic!("line {}: not hex", index + 1)),
        ));
    }
    assert!(!jdk.is_empty(), "the transcript does not name its JDK");
    Transcript { jdk, packets }
}
