//! What logs have told and memory is not to hold: parts of logs that wait to be derived, compressed, in a file that has no name.
//!
//! First come, first out: threads wait for what others have told, so that nothing may overtake. The file is a ring: what was taken makes room.
//! It goes with the process: what was not derived by then is lost.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::inject::Part;

/// The file takes at most so many bytes, and so much of what is free where it is. In tests so few that it is often full.
const MOST: u64 = if cfg!(test) { 1 << 15 } else { 4 << 30 };
const SHARE: u64 = 10;

/// See the module.
#[derive(Debug)]
pub(super) struct Backlog {
    file: File,
    parts: VecDeque<Kept>,
    /// Behind the part that came last.
    end: u64,
    most: u64,
}

/// A part without its words, and where in the file those are.
#[derive(Debug)]
struct Kept {
    part: Part,
    place: u64,
    length: usize,
}

impl Backlog {
    /// `file` is empty, and nobody else's.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let free = rustix::fs::fstatvfs(&file)?;
        let free = free.f_bavail.saturating_mul(free.f_frsize);
        Ok(Self::of(file, MOST.min(free / SHARE)))
    }

    fn of(file: File, most: u64) -> Self {
        Self {
            file,
            parts: VecDeque::new(),
            end: 0,
            most,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Keeps a part. False: there is no room for it.
    pub(super) fn push(&mut self, part: &Part) -> io::Result<bool> {
        let words: Vec<u8> = part.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let packed = lz4_flex::compress_prepend_size(&words);
        let Some(place) = self.room(packed.len() as u64) else {
            return Ok(false);
        };
        self.file.write_all_at(&packed, place)?;
        self.end = place + packed.len() as u64;
        self.parts.push_back(Kept {
            part: Part {
                words: Vec::new(),
                ..*part
            },
            place,
            length: packed.len(),
        });
        Ok(true)
    }

    /// Where so many bytes fit. Never up to the first part: a ring whose end is its beginning is an empty one.
    fn room(&self, length: u64) -> Option<u64> {
        let Some(first) = self.parts.front().map(|first| first.place) else {
            return (length <= self.most).then_some(0);
        };
        let fits = match self.end > first {
            true if self.end + length <= self.most => return Some(self.end),
            true => length < first,
            false => return (self.end + length < first).then_some(self.end),
        };
        fits.then_some(0)
    }

    /// Takes the part that has waited longest.
    pub(super) fn pop(&mut self) -> io::Result<Option<Part>> {
        let Some(kept) = self.parts.front() else {
            return Ok(None);
        };
        let mut packed = vec![0; kept.length];
        self.file.read_exact_at(&mut packed, kept.place)?;
        let words = lz4_flex::decompress_size_prepended(&packed)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let words = words.as_chunks().0.iter();
        let words = words.map(|word| u64::from_le_bytes(*word)).collect();
        let kept = self.parts.pop_front();
        Ok(kept.map(|kept| Part { words, ..kept.part }))
    }
}

#[cfg(test)]
mod tests {
    use jdwp::ThreadId;
    use proptest::prelude::*;

    use super::*;

    fn part(number: u32, words: usize) -> Part {
        Part {
            log: number,
            thread: ThreadId(u64::from(number) + 1),
            from: u64::from(number) * 7,
            // Of some that can be compressed and some that cannot.
            words: (0..words as u64)
                .map(|word| word.wrapping_mul(u64::from(number % 3) * 0x1e37_79b9_7f4a_7c15))
                .collect(),
            points: number ^ 5,
            sum: number.is_multiple_of(2).then_some(u64::from(number)),
        }
    }

    proptest! {
        #[test]
        fn what_comes_first_goes_first(
            steps in prop::collection::vec((any::<bool>(), 0..200_usize), 0..200),
            most in 0..4_000_u64,
        ) {
            let file = tempfile::tempfile().expect("a file");
            let mut backlog = Backlog::of(file, most);
            let mut expected = VecDeque::new();
            for (number, (comes, words)) in (0..).zip(steps) {
                if comes {
                    let part = part(number, words);
                    if backlog.push(&part).expect("it can be written") {
                        expected.push_back(part);
                    } else {
                        // Either much waits, or it is larger than all there may be.
                        prop_assert!(!expected.is_empty() || words * 8 + 16 > most as usize);
                    }
                } else {
                    let taken = backlog.pop().expect("it can be read");
                    prop_assert_eq!(format!("{taken:?}"), format!("{:?}", expected.pop_front()));
                }
                prop_assert_eq!(backlog.is_empty(), expected.is_empty());
                prop_assert!(backlog.file.metadata().expect("a file").len() <= most);
            }
        }
    }
}
