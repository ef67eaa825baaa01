//! Columns of integers: constant, dictionary, bit-packed from a base (frame of reference) or varint,
//! the last and the dictionary's codes with lz4 on top where that helps.

use super::decode::{Cursor, DecodeError};

/// The most values of one column; guards allocations against hostile lengths.
pub(crate) const MAX_VALUES: usize = 1 << 19;

mod coding {
    pub(super) const CONSTANT: u8 = 0;
    pub(super) const VARINT: u8 = 1;
    pub(super) const DICTIONARY: u8 = 2;
    pub(super) const PACKED: u8 = 3;
    /// Added to `VARINT` and `DICTIONARY`.
    pub(super) const LZ4: u8 = 8;
}

/// Appends a LEB128 varint.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes of a varint.
pub(crate) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Maps small negative and positive numbers to small numbers.
pub(crate) fn zigzag(value: u64) -> u64 {
    let value = value as i64;
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// Finds up to 255 distinct values. Open addressing over 1024 slots: no allocation per value.
struct Dictionary {
    slots: Vec<u16>,
    values: Vec<u64>,
}

impl Dictionary {
    const MAX: usize = 255;

    /// The dictionary and the codes of a column, unless it has too many distinct values.
    fn of(column: &[u64]) -> Option<(Vec<u64>, Vec<u8>)> {
        let mut dictionary = Self {
            slots: vec![u16::MAX; 1024],
            values: Vec::new(),
        };
        let mut codes = Vec::with_capacity(column.len());
        for &value in column {
            codes.push(dictionary.code(value)?);
        }
        Some((dictionary.values, codes))
    }

    fn code(&mut self, value: u64) -> Option<u8> {
        let mut slot = (value.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
        loop {
            match self.slots[slot] {
                u16::MAX => {
                    if self.values.len() == Self::MAX {
                        return None;
                    }
                    self.slots[slot] = self.values.len() as u16;
                    self.values.push(value);
                    return Some(self.values.len() as u8 - 1);
                }
                code if self.values[usize::from(code)] == value => return Some(code as u8),
                _ => slot = (slot + 1) % 1024,
            }
        }
    }
}

/// Appends a column.
pub(crate) fn put_column(out: &mut Vec<u8>, column: &[u64]) {
    put_varint(out, column.len() as u64);
    let Some(&first) = column.first() else { return };
    let (mut low, mut high, mut varints) = (first, first, 0);
    for &value in column {
        low = low.min(value);
        high = high.max(value);
        varints += varint_len(value);
    }
    if low == high {
        out.push(coding::CONSTANT);
        put_varint(out, first);
        return;
    }
    let mut bytes = Vec::with_capacity(varints);
    let mut coding = coding::VARINT;
    // A dictionary's codes are one byte; where varints already are about that, values close to
    // each other in size stay close, which the dictionary would hide from lz4.
    if varints > column.len() + column.len() / 4
        && let Some((values, codes)) = Dictionary::of(column)
    {
        coding = coding::DICTIONARY;
        put_varint(&mut bytes, values.len() as u64);
        for value in values {
            put_varint(&mut bytes, value);
        }
        bytes.extend_from_slice(&codes);
    } else {
        for &value in column {
            put_varint(&mut bytes, value);
        }
    }
    let compressed = if bytes.len() > 24 {
        lz4_flex::block::compress(&bytes)
    } else {
        Vec::new()
    };
    let lz4 = bytes.len() > 24 && compressed.len() + 4 < bytes.len();
    let stored = if lz4 { compressed.len() } else { bytes.len() };
    let width = 64 - (high - low).leading_zeros() as usize;
    if 12 + (column.len() * width).div_ceil(8) < stored {
        out.push(coding::PACKED);
        put_varint(out, low);
        out.push(width as u8);
        pack(out, column, low, width);
    } else if lz4 {
        out.push(coding | coding::LZ4);
        put_varint(out, bytes.len() as u64);
        put_varint(out, compressed.len() as u64);
        out.extend_from_slice(&compressed);
    } else {
        out.push(coding);
        put_varint(out, bytes.len() as u64);
        out.extend_from_slice(&bytes);
    }
}

fn pack(out: &mut Vec<u8>, column: &[u64], low: u64, width: usize) {
    let (mut buffer, mut bits) = (0u128, 0);
    for &value in column {
        buffer |= u128::from(value - low) << bits;
        bits += width;
        while bits >= 8 {
            out.push(buffer as u8);
            buffer >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push(buffer as u8);
    }
}

/// Reads a column.
pub(crate) fn column(input: &mut Cursor<'_>) -> Result<Vec<u64>, DecodeError> {
    let n = input.length(MAX_VALUES)?;
    if n == 0 {
        return Ok(Vec::new());
    }
    let coding = input.byte()?;
    match coding {
        coding::CONSTANT => Ok(vec![input.varint()?; n]),
        coding::PACKED => {
            let low = input.varint()?;
            let width = usize::from(input.byte()?);
            if width > 64 {
                return Err(DecodeError::Invalid("bit width"));
            }
            unpack(input.take((n * width).div_ceil(8))?, n, low, width)
        }
        coding::VARINT | coding::DICTIONARY => {
            let length = input.length(usize::MAX)?;
            plain(coding, input.take(length)?, n)
        }
        _ => {
            let inner = coding ^ coding::LZ4;
            if !matches!(inner, coding::VARINT | coding::DICTIONARY) {
                return Err(DecodeError::Invalid("column coding"));
            }
            // No value takes more than ten bytes; a dictionary has at most 255 of them.
            let raw = input.length(n.saturating_mul(10) + 2560)?;
            let length = input.length(usize::MAX)?;
            let bytes = lz4_flex::block::decompress(input.take(length)?, raw)
                .map_err(|_| DecodeError::Invalid("lz4 data"))?;
            plain(inner, &bytes, n)
        }
    }
}

fn plain(coding: u8, bytes: &[u8], n: usize) -> Result<Vec<u64>, DecodeError> {
    if coding == coding::VARINT {
        return varints(bytes, n);
    }
    let mut input = Cursor::new(bytes);
    let size = input.length(Dictionary::MAX)?;
    let dictionary: Vec<u64> = (0..size)
        .map(|_| input.varint())
        .collect::<Result<_, _>>()?;
    let codes = input.take(n)?;
    input.finish()?;
    codes
        .iter()
        .map(|&code| dictionary.get(usize::from(code)).copied())
        .collect::<Option<_>>()
        .ok_or(DecodeError::Invalid("dictionary code"))
}

/// All of the bytes as exactly `n` varints.
fn varints(bytes: &[u8], n: usize) -> Result<Vec<u64>, DecodeError> {
    if bytes.len() < n {
        return Err(DecodeError::Cut);
    }
    let mut values = Vec::with_capacity(n);
    let mut rest = bytes;
    while values.len() < n {
        // Most values take one or two bytes.
        match *rest {
            [byte, ref behind @ ..] if byte < 0x80 => {
                values.push(byte.into());
                rest = behind;
            }
            [low, high, ref behind @ ..] if high < 0x80 => {
                values.push(u64::from(low & 0x7F) | u64::from(high) << 7);
                rest = behind;
            }
            _ => {
                let mut input = Cursor::new(rest);
                values.push(input.varint()?);
                rest = input.rest();
            }
        }
    }
    match rest {
        [] => Ok(values),
        _ => Err(DecodeError::Invalid("trailing data")),
    }
}

fn unpack(bytes: &[u8], n: usize, low: u64, width: usize) -> Result<Vec<u64>, DecodeError> {
    let mask = if width == 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    };
    let mut values = Vec::with_capacity(n);
    let mut rest = bytes.iter();
    let (mut buffer, mut bits) = (0u128, 0);
    for _ in 0..n {
        while bits < width {
            let byte = rest.next().ok_or(DecodeError::Cut)?;
            buffer |= u128::from(*byte) << bits;
            bits += 8;
        }
        values.push(low.wrapping_add(buffer as u64 & mask));
        buffer >>= width;
        bits -= width;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(column_in: &[u64]) -> Vec<u64> {
        let mut bytes = Vec::new();
        put_column(&mut bytes, column_in);
        let mut cursor = Cursor::new(&bytes);
        let out = column(&mut cursor).expect("what was written reads back");
        cursor.finish().expect("all is read");
        out
    }

    #[test]
    fn extremes_come_back() {
        for column in [
            vec![],
            vec![0],
            vec![u64::MAX; 3],
            vec![0, u64::MAX],
            (0..1000).collect(),
            (0..1000)
                .map(|i| (1 << 50) + i % 7 * 1_000_003)
                .collect::<Vec<u64>>(),
            (0..1000u64)
                .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .collect(),
        ] {
            assert_eq!(back(&column), column);
        }
    }

    #[test]
    fn zigzag_is_undone() {
        for value in [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 12345] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn noise_of_few_bits_is_packed() {
        let column: Vec<u64> = (0..4096u64)
            .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) + 1000)
            .collect();
        let mut bytes = Vec::new();
        put_column(&mut bytes, &column);
        assert!(bytes.len() < 4096 / 2 + 40, "{} bytes", bytes.len());
    }

    proptest! {
        #[test]
        fn any_column_comes_back(
            values in proptest::collection::vec(any::<u64>(), 0..200), shift in 0u32..64
        ) {
            let column: Vec<u64> = values.iter().map(|v| v >> shift).collect();
            prop_assert_eq!(back(&column), column);
        }

        #[test]
        fn any_bytes_are_a_column_or_an_error(
            bytes in proptest::collection::vec(any::<u8>(), 0..200)
        ) {
            let _ = column(&mut Cursor::new(&bytes));
        }
    }
}
