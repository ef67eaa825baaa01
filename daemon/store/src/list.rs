//! RocksDB's list of a database's files, as far as its bytes go: are they those that were written?
//!
//! RocksDB checks each entry, but a flipped bit can make it take an entry for the end of the list, or read it for
//! ever. Of a closed recording, `recording.json` has a checksum of the whole list; of one that was never closed only
//! the list's own checksums can tell.

use std::fs;
use std::path::Path;

use crc32c::{crc32c, crc32c_append};

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
    for block in list.chunks(BLOCK) {
        let mut rest = block;
        while let Some(entry) = Entry::take(&mut rest) {
            if !entry.fits(entry.kind) {
                return List::Damaged;
            }
        }
        // So few bytes at a block's end are no entry.
        let whole = rest.len() < HEAD;
        match block.len() {
            BLOCK if whole => {}
            BLOCK => return List::Damaged,
            _ if rest.is_empty() => {}
            _ => return List::Cut,
        }
    }
    List::Whole
}

/// Bytes of a block: entries do not go beyond its end.
pub(crate) const BLOCK: usize = 32 << 10;

/// Bytes before an entry's body: checksum, length, kind.
pub(crate) const HEAD: usize = 7;

/// An entry of a list or a log.
pub(crate) struct Entry<'a> {
    checksum: u32,
    pub(crate) kind: u8,
    body: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Takes the next entry of a block; `None`, and nothing is taken, where none is whole.
    pub(crate) fn take(rest: &mut &'a [u8]) -> Option<Self> {
        let (&[a, b, c, d, low, high, kind], behind) = rest.split_first_chunk::<HEAD>()?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (body, behind) = behind.split_at_checked(length)?;
        *rest = behind;
        Some(Self {
            checksum: u32::from_le_bytes([a, b, c, d]),
            kind,
            body,
        })
    }

    /// Is this the checksum of the entry, if it is of that kind?
    pub(crate) fn fits(&self, kind: u8) -> bool {
        let checksum = crc32c_append(crc32c(&[kind]), self.body);
        // RocksDB's way of telling a checksum of checksums from one of data.
        checksum.rotate_right(15).wrapping_add(0xA282_EAD8) == self.checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_whole_cut_or_damaged() {
        let body = [1, 2, 3];
        let sum = crc32c(&[1, 1, 2, 3]);
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
