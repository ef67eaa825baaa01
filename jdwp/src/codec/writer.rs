//! Writing: appends to a buffer that the caller owns.

use bytes::{BufMut, BytesMut};

use super::{IdSizes, Wire};

/// Appends encoded values to a buffer.
///
/// Writing cannot fail. Two things do not fit every wire: an id wider than the JVM's width for it
/// is written as all ones (no JVM hands that out, so it answers `INVALID_OBJECT` or the like
/// instead of acting on a truncated id), and a list or string of more than 2^31-1 elements cannot
/// be declared (its count saturates, and the JVM refuses the packet).
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut BytesMut,
    sizes: IdSizes,
}

impl<'a> Writer<'a> {
    /// Writes at the end of `out`.
    pub const fn new(out: &'a mut BytesMut, sizes: IdSizes) -> Self {
        Self { out, sizes }
    }

    /// The identifier widths in force.
    pub const fn sizes(&self) -> &IdSizes {
        &self.sizes
    }

    /// Appends bytes as they are.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    /// Makes room for `additional` bytes at once.
    pub fn reserve(&mut self, additional: usize) {
        self.out.reserve(additional);
    }

    /// Appends an identifier in `width` bytes (1 to 8), big-endian.
    #[inline]
    pub fn id(&mut self, id: u64, width: usize) {
        if width >= 8 {
            self.out.put_u64(id);
            return;
        }
        let limit = (1u64 << (8 * width)) - 1;
        self.out.put_uint(id.min(limit), width);
    }

    /// Appends a count.
    #[inline]
    pub fn count(&mut self, count: usize) {
        self.out.put_i32(i32::try_from(count).unwrap_or(i32::MAX));
    }

    /// Appends a value of any type with an encoding.
    #[inline]
    pub fn write<T: Wire>(&mut self, value: &T) {
        value.write(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_too_wide_becomes_all_ones_not_another_id() {
        let mut out = BytesMut::new();
        let mut writer = Writer::new(&mut out, IdSizes::EIGHT);
        writer.id(0x1_0000_0001, 4);
        writer.id(0xAB, 1);
        writer.id(u64::MAX, 8);
        assert_eq!(
            &out[..],
            [
                255, 255, 255, 255, 0xAB, 255, 255, 255, 255, 255, 255, 255, 255
            ]
        );
    }
}
