//! Big-endian reading with bounds, for class files (JVMS §4.1). Knows where it stands, so that
//! errors name the place.

use std::ops::Range;

/// The bytes ended before what should be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cut at byte {position}: {wanted} more bytes expected, {left} left")]
pub struct Cut {
    /// Where reading stopped, in bytes from the start of the file (or of the constant pool, where
    /// that is read alone).
    pub position: usize,
    /// Bytes that should follow.
    pub wanted: usize,
    /// Bytes that do.
    pub left: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            end: bytes.len(),
        }
    }

    /// A reader of a part, which counts positions from the same start.
    pub(crate) fn part(bytes: &'a [u8], range: Range<usize>) -> Self {
        let end = range.end.min(bytes.len());
        Self {
            bytes,
            position: range.start.min(end),
            end,
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn left(&self) -> usize {
        self.end - self.position
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Cut> {
        let left = self.left();
        let cut = Cut {
            position: self.position,
            wanted: count,
            left,
        };
        if count > left {
            return Err(cut);
        }
        let taken = self
            .bytes
            .get(self.position..self.position + count)
            .ok_or(cut)?;
        self.position += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Cut> {
        let cut = Cut {
            position: self.position,
            wanted: N,
            left: self.left(),
        };
        self.take(N)?.first_chunk::<N>().copied().ok_or(cut)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, Cut> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u2(&mut self) -> Result<u16, Cut> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Result<u32, Cut> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u64, Cut> {
        self.array().map(u64::from_be_bytes)
    }

    /// Reads `count` items of at least `bytes_each`, refusing before allocation what cannot fit.
    pub(crate) fn list<T, E: From<Cut>>(
        &mut self,
        count: usize,
        bytes_each: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let wanted = count * bytes_each;
        if wanted > self.left() {
            return Err(Cut {
                position: self.position,
                wanted,
                left: self.left(),
            }
            .into());
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
