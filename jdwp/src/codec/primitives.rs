//! Encodings of numbers, booleans, lists and nothing (spec: "JDWP Data types").

use super::{DecodeError, IdSizes, Reader, Wire, Writer};

/// Fixed-width big-endian numbers. Lists of them move in one pass: array regions and class files
/// are megabytes.
macro_rules! numbers {
    ($($number:ty),*) => { $(
        impl Wire for $number {
            fn min_len(_: &IdSizes) -> usize {
                size_of::<Self>()
            }

            #[inline]
            fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self::from_be_bytes(reader.array()?))
            }

            #[inline]
            fn write(&self, writer: &mut Writer<'_>) {
                writer.put(&self.to_be_bytes());
            }

            fn read_many(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, DecodeError> {
                let raw = reader.take(count.saturating_mul(size_of::<Self>()))?;
                let (elements, _) = raw.as_chunks::<{ size_of::<Self>() }>();
                Ok(elements.iter().map(|bytes| Self::from_be_bytes(*bytes)).collect())
            }

            fn write_many(items: &[Self], writer: &mut Writer<'_>) {
                writer.reserve(size_of_val(items));
                for item in items {
                    item.write(writer);
                }
            }
        }
    )* };
}

numbers!(i8, i16, u16, i32, i64, u64, f32, f64);

impl Wire for u8 {
    fn min_len(_: &IdSizes) -> usize {
        1
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [byte] = reader.array()?;
        Ok(byte)
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) {
        writer.put(&[*self]);
    }

    fn read_many(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, DecodeError> {
        Ok(reader.take(count)?.to_vec())
    }

    fn write_many(items: &[Self], writer: &mut Writer<'_>) {
        writer.put(items);
    }
}

/// One byte; 0 is false and everything else true.
impl Wire for bool {
    fn min_len(_: &IdSizes) -> usize {
        1
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(u8::read(reader)? != 0)
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) {
        u8::from(*self).write(writer);
    }
}

/// A reply or command without data.
impl Wire for () {
    fn min_len(_: &IdSizes) -> usize {
        0
    }

    fn read(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }

    fn write(&self, _: &mut Writer<'_>) {}
}

/// A count (int) and that many elements.
impl<T: Wire> Wire for Vec<T> {
    fn min_len(_: &IdSizes) -> usize {
        4
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let min_len = T::min_len(reader.sizes());
        let count = reader.count(min_len)?;
        T::read_many(reader, count)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.count(self.len());
        T::write_many(self, writer);
    }
}
