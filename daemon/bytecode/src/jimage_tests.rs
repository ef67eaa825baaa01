use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;

/// A file with two classes, `m:p/A` plain and `m:p/B` compressed, and `m:module-info`.
fn image(big: bool) -> Vec<u8> {
    let word = |value: u32| {
        if big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let long = |value: u64| {
        if big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let strings = b"\0m\0p\0A\0B\0class\0module-info\0zip\0";
    let (m, p, a, b, class, info, zip) = (1, 3, 5, 7, 9, 15, 27);
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(b"content of B").unwrap();
    let packed = packer.finish().unwrap();
    let mut contents = b"of A".to_vec();
    contents.extend(word(COMPRESSED_MAGIC));
    contents.extend(long(packed.len() as u64));
    contents.extend(long(12));
    contents.extend(word(zip));
    contents.extend(word(0));
    contents.push(1);
    contents.extend(&packed);
    let stored = (contents.len() - 4) as u8;
    contents.extend(b"info");

    let attribute = |kind: u8, value: u8| [kind << 3, value];
    let location = |parts: [u8; 7]| {
        let numbered = (1u8..).zip(parts).filter(|(_, value)| *value != 0);
        let mut bytes: Vec<u8> = numbered
            .flat_map(|(kind, value)| attribute(kind, value))
            .collect();
        bytes.push(0);
        bytes
    };
    let locations = [
        location([m, p, a, class, 0, 0, 4]),
        location([m, p, b, class, 4, stored, 12]),
        location([m, 0, info, class, 4 + stored, 0, 4]),
    ];
    let mut bytes = Vec::new();
    let total: usize = locations.iter().map(Vec::len).sum();
    for value in [MAGIC, 1 << 16, 0, 3, 3, total as u32, strings.len() as u32] {
        bytes.extend(word(value));
    }
    bytes.extend([0; 12]);
    let mut at = 0;
    for part in &locations {
        bytes.extend(word(at));
        at += part.len() as u32;
    }
    bytes.extend(locations.concat());
    bytes.extend(strings);
    bytes.extend(contents);
    bytes
}

fn open(bytes: &[u8]) -> Result<Jimage, ClassPathError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("modules");
    std::fs::write(&path, bytes).unwrap();
    Jimage::open(&path)
}

#[test]
fn plain_and_compressed_classes_in_both_byte_orders() {
    for big in [false, true] {
        let opened = open(&image(big)).unwrap();
        let mut names: Vec<_> = opened.names().collect();
        names.sort_unstable();
        assert_eq!(names, ["m/module-info", "p/A", "p/B"]);
        assert_eq!(opened.read("p/A").unwrap().unwrap(), b"of A");
        assert_eq!(opened.read("p/B").unwrap().unwrap(), b"content of B");
        assert_eq!(opened.read("m/module-info").unwrap().unwrap(), b"info");
        assert_eq!(opened.read("p/C").unwrap(), None);
    }
}

#[test]
fn a_cut_or_changed_file_is_refused_or_read_without_panic() {
    let whole = image(false);
    for cut in 0..whole.len() {
        assert!(open(&whole[..cut]).is_err(), "cut at {cut}");
    }
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut changed = whole.clone();
            changed[at] = value;
            if let Ok(opened) = open(&changed) {
                for name in ["p/A", "p/B"] {
                    let _ = opened.read(name);
                }
            }
        }
    }
}

#[test]
fn an_unknown_compression_is_named() {
    let mut bytes = image(false);
    let at = bytes.windows(4).rposition(|part| part == b"zip\0").unwrap();
    bytes[at..at + 3].copy_from_slice(b"zap");
    let error = open(&bytes).unwrap().read("p/B").unwrap_err();
    assert!(error.to_string().contains("compressed by `zap`"), "{error}");
}
