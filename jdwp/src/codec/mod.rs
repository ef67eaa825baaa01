//! How values become bytes and bytes become values.
//!
//! [`Wire`] is implemented by everything that JDWP sends: numbers, identifiers, strings, values,
//! whole commands and replies. [`Reader`] and [`Writer`] carry what the encoding depends on: the
//! identifier widths of the JVM at the other end ([`IdSizes`]). No packet headers here (see
//! [`crate::Header`]) and no I/O.

mod id_sizes;
#[macro_use]
mod macros;
mod primitives;
mod reader;
mod writer;

pub use id_sizes::{IdSizes, InvalidIdSizes};
pub use reader::{DecodeError, DecodeErrorKind, Reader};
pub use writer::Writer;

/// The greatest number of list elements that memory is reserved for before they are read.
pub(crate) const RESERVE_AT_MOST: usize = 1024;

/// A type with a JDWP encoding.
///
/// The encoding of most types depends on the JVM's identifier widths, which the reader and the
/// writer hold. Reading never panics and never allocates more than a small multiple of the bytes
/// that are really there, whatever counts they claim.
pub trait Wire: Sized {
    /// The least number of bytes that any value of this type takes; used to refuse list counts
    /// that the remaining input cannot hold before anything is allocated. Never 0 for types that
    /// appear in lists.
    fn min_len(sizes: &IdSizes) -> usize;

    /// Reads one value.
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Appends one value.
    fn write(&self, writer: &mut Writer<'_>);

    /// Reads `count` values, which [`Reader::count`] has already checked against the input.
    fn read_many(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, DecodeError> {
        // The input can hold `count` elements of the least length, but they may be many times
        // larger in memory: what is not there yet is not reserved for.
        let mut list = Vec::with_capacity(count.min(RESERVE_AT_MOST));
        for _ in 0..count {
            list.push(Self::read(reader)?);
        }
        Ok(list)
    }

    /// Appends all values of a slice, without a count.
    fn write_many(items: &[Self], writer: &mut Writer<'_>) {
        for item in items {
            item.write(writer);
        }
    }
}

/// Decodes one whole message: every byte of `body` must belong to it.
pub fn decode<T: Wire>(body: &[u8], sizes: &IdSizes) -> Result<T, DecodeError> {
    let mut reader = Reader::new(body, *sizes);
    let value = T::read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Encodes one message into a fresh buffer.
pub fn encode<T: Wire>(value: &T, sizes: &IdSizes) -> Vec<u8> {
    let mut out = bytes::BytesMut::new();
    value.write(&mut Writer::new(&mut out, *sizes));
    out.into()
}
