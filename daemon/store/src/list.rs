//! RocksDB's list of a database's files, as far as its bytes go: are they those that were written?
//!
//! RocksDB checks each entry, but a flipped bit can make it take an entry for the end of the list, or read it for
//! ever. Of a closed recording, `recording.json` has a checksum of the whole list; of one that was never closed only
//! the list's own checksums can tell.

use std::fs;
use std::path::Path;

use crate::folder::database;

/// The list, if it can be read; `CURRENT` names it.
fn read(folder: &Path) -> Option<Vec<u8>> {
    let db = database(folder);
    let name = fs::read_to_string(db.join("CURRENT")).ok()?;
    fs::read(db.join(name.trim_end())).ok()
}

/// CRC-32 of the list; `None` if it cannot be read.
pub(crate) fn checksum(folder: &Path) -> Option<u32> {
    Some(crc32fast::hash(&read(folder)?))
}

/// What the list's own checksums say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Whole,
    /// It ends within an entry, as a crash may leave it.
    Cut,
    Damaged,
}

/// Follows the entries: <https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format>. A list that cannot be
/// read is RocksDB's to complain of.
pub(crate) fn inspect(folder: &Path) -> List {
    read(folder).map_or(List::Whole, |list| follow(&list))
}

fn follow(list: &[u8]) -> List {
    const BLOCK: usize = 32 << 10;
    for block in list.chunks(BLOCK) {
        let mut rest = block;
        // So few bytes at a block's end are no entry.
        while let Some((head, behind)) = rest.split_first_chunk::<7>() {
            let [a, b, c, d, low, high, kind] = *head;
            let length = usize::from(u16::from_le_bytes([low, high]));
            let Some((body, behind)) = behind.split_at_checked(length) else {
                return match block.len() {
                    BLOCK => List::Damaged,
                    _ => List::Cut,
                };
            };
            let checksum = crc32c(std::iter::once(kind).chain(body.iter().copied()));
            // RocksDB's way of telling a checksum of checksums from one of data.
            let masked = checksum.rotate_right(15).wrapping_add(0xA282_EAD8);
            if masked != u32::from_le_bytes([a, b, c, d]) {
                return List::Damaged;
            }
            rest = behind;
        }
        if !rest.is_empty() && block.len() < BLOCK {
            return List::Cut;
        }
    }
    List::Whole
}

/// CRC-32 with Castagnoli's polynomial. A list is short.
fn crc32c(bytes: impl Iterator<Item = u8>) -> u32 {
    !bytes.fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789".iter().copied()), 0xE306_9283);
    }

    #[test]
    fn an_entry_is_whole_cut_or_damaged() {
        let body = [1, 2, 3];
        let sum = crc32c([1, 1, 2, 3].into_iter());
        let mut list = sum
            .rotate_right(15)
            .wrapping_add(0xA282_EAD8)
            .to_le_bytes()
            .to_vec();
        list.extend([3, 0, 1]);
        list.extend(body);
        assert_eq!(follow(&list), List::Whole);
        assert_eq!(follow(&list[..9]), List::Cut);
        assert_eq!(follow(&list[..4]), List::Cut);
        list[8] ^= 1;
        assert_eq!(follow(&list), List::Damaged);
    }
}
