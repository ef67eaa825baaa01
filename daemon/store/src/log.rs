//! RocksDB's log, as far as it must be looked at before RocksDB does: an entry of a kind for logs that are used
//! again, in one that is not, makes RocksDB (11.8, `ReadPhysicalRecord`) read that entry for ever. We never use a log
//! again, so that such a kind is damage. All other damage is RocksDB's to find.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::list::{BLOCK, Entry, HEAD};

/// A damaged entry that RocksDB would read for ever.
pub(crate) struct Endless {
    pub(crate) log: PathBuf,
    /// Where its kind stands, in bytes from the log's beginning.
    pub(crate) at: u64,
    /// The kind that its checksum is right for; one for which it is wrong, if there is none.
    kind: u8,
}

impl Endless {
    /// Gives the entry its right kind, if it has one, or one with which RocksDB finds it damaged.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub(crate) fn mend(&self) -> io::Result<()> {
        let log = File::options().write(true).open(&self.log)?;
        log.write_all_at(&[self.kind], self.at)
    }
}

/// The first such entry in a log of this database. Logs that cannot be read are RocksDB's to complain of.
pub(crate) fn endless(database: &Path) -> Option<Endless> {
    let files = fs::read_dir(database).into_iter().flatten().flatten();
    let logs = files.map(|file| file.path());
    let mut logs = logs.filter(|path| path.extension().is_some_and(|end| end == "log"));
    logs.find_map(|log| {
        let (at, kind) = endless_in(File::open(&log).ok()?)?;
        Some(Endless { log, at, kind })
    })
}

/// Where the kind of the first such entry stands, and what it should be.
fn endless_in(mut log: impl io::Read) -> Option<(u64, u8)> {
    let mut block = Vec::with_capacity(BLOCK);
    let mut start = 0;
    loop {
        block.clear();
        let read = log.by_ref().take(BLOCK as u64).read_to_end(&mut block);
        if read.ok()? == 0 {
            return None;
        }
        let mut rest = &block[..];
        while let Some(&kind) = rest.get(HEAD - 1) {
            let at = start + (block.len() - rest.len() + HEAD - 1) as u64;
            let entry = Entry::take(&mut rest);
            if is_for_logs_used_again(kind) {
                let fits = |&kind: &u8| entry.as_ref().is_some_and(|entry| entry.fits(kind));
                return Some((at, OURS.into_iter().find(fits).unwrap_or(OURS[0])));
            }
            // RocksDB goes no further.
            if !entry?.fits(kind) {
                return None;
            }
        }
        start += block.len() as u64;
    }
}

/// The kinds of entries in our logs: whole ones, and the parts of those that do not fit into a block (RocksDB's
/// `log_format.h`).
const OURS: [u8; 4] = [1, 2, 3, 4];

/// The four kinds of entries in logs that are used again, and there what sizes timestamps have and which log came
/// before.
fn is_for_logs_used_again(kind: u8) -> bool {
    matches!(kind, 5..=8 | 11 | 131)
}

#[cfg(test)]
mod tests {
    use crc32c::crc32c;

    use super::*;

    fn entry(kind: u8, body: &[u8]) -> Vec<u8> {
        let checked = [&[kind], body].concat();
        let sum = crc32c(&checked).rotate_right(15);
        let mut entry = sum.wrapping_add(0xA282_EAD8).to_le_bytes().to_vec();
        entry.extend((body.len() as u16).to_le_bytes());
        entry.extend(checked);
        entry
    }

    #[test]
    fn an_entry_of_a_log_that_is_used_again_is_found_with_its_right_kind() {
        let mut log = [entry(1, b"first"), entry(2, b"second")].concat();
        assert_eq!(endless_in(&log[..]), None);
        let at = 7 + 5 + 6;
        log[at] = 6;
        assert_eq!(endless_in(&log[..]), Some((at as u64, 2)));
        log[at + 2] ^= 1;
        assert_eq!(
            endless_in(&log[..]),
            Some((at as u64, 1)),
            "it has no right kind"
        );
        // Longer than what there is.
        log.truncate(at + 3);
        assert_eq!(endless_in(&log[..]), Some((at as u64, 1)));
        // What lies behind other damage is not read.
        log[7] ^= 1;
        assert_eq!(endless_in(&log[..]), None);
    }

    #[test]
    fn entries_of_every_block_are_looked_at() {
        let mut log = entry(1, &vec![7; BLOCK - HEAD]);
        log.extend(entry(1, b"second"));
        assert_eq!(endless_in(&log[..]), None);
        log[BLOCK + HEAD - 1] = 131;
        assert_eq!(endless_in(&log[..]), Some(((BLOCK + HEAD - 1) as u64, 1)));
    }
}
