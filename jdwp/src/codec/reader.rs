//! Reading: a cursor over the body of one packet, and what can be wrong with it.

use super::{IdSizes, Wire};

/// A cursor over the body of one packet.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    data: &'a [u8],
    /// Bytes already read; never more than `data.len()`.
    position: usize,
    sizes: IdSizes,
}

/// Bytes that are not what the protocol says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed {what} at byte {offset} of the packet body: {kind}")]
pub struct DecodeError {
    /// The type, or type and field, that was being read.
    pub what: &'static str,
    /// Where the offending value starts, counted from the first byte after the packet's header.
    pub offset: usize,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// What can be wrong with a packet's body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The body ends before the value does.
    #[error("{needed} bytes are needed and {left} are left")]
    Truncated {
        /// Bytes that the value takes at least.
        needed: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// The message is complete and bytes are left.
    #[error("{left} bytes are left after the end of the message")]
    Trailing {
        /// Bytes too many.
        left: usize,
    },
    /// A count or length that is negative, or that the rest of the body cannot hold.
    #[error("a count of {count} elements of at least {min_len} bytes, and {left} bytes are left")]
    Count {
        /// The count as sent.
        count: i32,
        /// The least size of one element.
        min_len: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// A string that is neither UTF-8 nor UTF-8 with surrogates.
    #[error("a string that is not UTF-8 (nor UTF-8 with surrogates)")]
    Text,
    /// A value tag that is none of the spec's, so that the value's width is unknown.
    #[error("unknown value tag {0:#04x}")]
    Tag(u8),
    /// Values sent without tags: they can only be read by who knows their types.
    #[error("values without tags cannot be read without knowing their types")]
    Untagged,
}

impl DecodeError {
    /// Names the type or field that was being read, unless a more precise name is there already.
    #[must_use]
    pub fn within(mut self, what: &'static str) -> Self {
        if self.what.is_empty() {
            self.what = what;
        }
        self
    }
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `data`.
    pub const fn new(data: &'a [u8], sizes: IdSizes) -> Self {
        Self {
            data,
            position: 0,
            sizes,
        }
    }

    /// The identifier widths in force.
    #[inline]
    pub const fn sizes(&self) -> &IdSizes {
        &self.sizes
    }

    /// Bytes not yet read.
    #[inline]
    pub const fn left(&self) -> usize {
        self.data.len() - self.position
    }

    /// Bytes already read.
    #[inline]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// An error about the value that starts at `offset`.
    #[cold]
    pub const fn error_at(&self, offset: usize, kind: DecodeErrorKind) -> DecodeError {
        DecodeError {
            what: "",
            offset,
            kind,
        }
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let rest = self.data.get(self.position..).unwrap_or_default();
        match rest.split_at_checked(count) {
            Some((taken, _)) => {
                self.position += count;
                Ok(taken)
            }
            None => Err(self.error_at(
                self.position,
                DecodeErrorKind::Truncated {
                    needed: count,
                    left: rest.len(),
                },
            )),
        }
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.data.get(self.position..).unwrap_or_default();
        self.position = self.data.len();
        rest
    }

    /// An identifier of `width` bytes, big-endian. Widths come from [`IdSizes`]: 1 to 8.
    #[inline]
    pub fn id(&mut self, width: usize) -> Result<u64, DecodeError> {
        if width == 8 {
            return Ok(u64::from_be_bytes(self.array()?));
        }
        Ok(self
            .take(width)?
            .iter()
            .fold(0, |id, byte| id << 8 | u64::from(*byte)))
    }

    /// A count of elements, refused if negative or if so many elements of at least `min_len`
    /// bytes cannot follow.
    #[inline]
    pub fn count(&mut self, min_len: usize) -> Result<usize, DecodeError> {
        let offset = self.position;
        let count = i32::from_be_bytes(self.array()?);
        let left = self.left();
        match usize::try_from(count) {
            Ok(elements) if elements.saturating_mul(min_len.max(1)) <= left => Ok(elements),
            _ => Err(self.error_at(
                offset,
                DecodeErrorKind::Count {
                    count,
                    min_len,
                    left,
                },
            )),
        }
    }

    /// A value of any type with an encoding.
    #[inline]
    pub fn read<T: Wire>(&mut self) -> Result<T, DecodeError> {
        T::read(self)
    }

    /// Ends the message: nothing may be left.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self
                .error_at(self.position, DecodeErrorKind::Trailing { left })
                .within("end of message")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(data: &[u8]) -> Reader<'_> {
        Reader::new(data, IdSizes::EIGHT)
    }

    #[test]
    fn ids_of_every_width_are_big_endian() {
        let data = [1, 2, 3, 4, 5, 6, 7, 8];
        for width in 1..=8 {
            let expected = data[..width]
                .iter()
                .fold(0u64, |id, byte| id * 256 + u64::from(*byte));
            assert_eq!(reader(&data).id(width).unwrap(), expected, "width {width}");
        }
    }

    #[test]
    fn a_short_read_says_where_and_how_much() {
        let mut short = reader(&[1, 2, 3]);
        short.take(2).unwrap();
        let error = short.take(4).unwrap_err();
        assert_eq!(error.offset, 2);
        assert_eq!(
            error.kind,
            DecodeErrorKind::Truncated { needed: 4, left: 1 }
        );
        assert_eq!(short.position(), 2, "a refused read consumes nothing");
    }

    #[test]
    fn counts_that_cannot_follow_are_refused() {
        for count in [-1, i32::MIN, i32::MAX, 3] {
            let mut data = count.to_be_bytes().to_vec();
            data.extend([0; 8]);
            let error = reader(&data).count(4).unwrap_err();
            assert_eq!(
                error.kind,
                DecodeErrorKind::Count {
                    count,
                    min_len: 4,
                    left: 8
                }
            );
        }
        let mut data = 2i32.to_be_bytes().to_vec();
        data.extend([0; 8]);
        assert_eq!(reader(&data).count(4).unwrap(), 2);
    }
}
