//! Columns of integers as bytes, for other files than blocks: the same self-describing coding
//! (constant, dictionary, packed, varint, lz4) without any knowledge of what the numbers mean.

use crate::block::decode::Cursor;
pub use crate::block::decode::DecodeError;
use crate::block::ints;

/// The most values that one column can have.
pub const MAX_VALUES: usize = ints::MAX_VALUES;

/// Appends a column of at most [`MAX_VALUES`] values.
pub fn put(out: &mut Vec<u8>, column: &[u64]) {
    ints::put_column(out, column);
}

/// Appends one integer as a LEB128 varint.
pub fn put_varint(out: &mut Vec<u8>, value: u64) {
    ints::put_varint(out, value);
}

/// Makes a signed difference, taken as wrapping `u64`, small when it is near zero.
pub fn zigzag(difference: u64) -> u64 {
    ints::zigzag(difference)
}

/// The inverse of [`zigzag`].
pub fn unzigzag(value: u64) -> u64 {
    ints::unzigzag(value)
}

/// Reads columns and integers from the front of some bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a>(Cursor<'a>);

impl<'a> Reader<'a> {
    /// A reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Cursor::new(bytes))
    }

    /// The next column.
    pub fn column(&mut self) -> Result<Vec<u64>, DecodeError> {
        ints::column(&mut self.0)
    }

    /// The next varint.
    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        self.0.varint()
    }

    /// The next `n` bytes.
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        self.0.take(n)
    }

    /// Fails unless all has been read.
    pub fn finish(self) -> Result<(), DecodeError> {
        self.0.finish()
    }
}
