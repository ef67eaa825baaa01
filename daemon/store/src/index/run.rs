//! Runs of sorted postings as bytes.
//!
//! ```text
//! 1 byte version, then four integer columns of `jhyde_trace::columns`:
//! high  difference of the key's upper 72 bits to those of the posting before (their lower 64 bits)
//! space change of the key's space (nearly always all 0)
//! low   the key's lower 32 bits; a difference where the upper bits are the same
//! block the posting's block; the difference where the key is the same, else zigzag difference
//! CRC-32 of all before, 4 bytes little-endian
//! ```

use jhyde_trace::columns::{self, DecodeError, Reader};

use super::{BLOCK_BITS, Key};

/// Format version of a run.
pub(crate) const VERSION: u8 = 1;

/// Postings per run: a run is the unit of reading. That many decode in some microseconds.
pub(crate) const RUN: usize = 512;

struct Parts {
    space: u64,
    high: u64,
    low: u64,
    block: u64,
}

fn split(posting: u128) -> Parts {
    let key = posting >> BLOCK_BITS;
    Parts {
        space: (key >> 96) as u64,
        high: (key >> 32) as u64,
        low: key as u64 & 0xFFFF_FFFF,
        block: Key::block_of(posting).into(),
    }
}

/// Sorted postings as bytes.
pub(crate) fn encode(postings: &[u128]) -> Vec<u8> {
    let (mut highs, mut spaces, mut lows, mut blocks) = (vec![], vec![], vec![], vec![]);
    let mut before = split(0);
    for &posting in postings {
        let parts = split(posting);
        let same_high = parts.high == before.high && parts.space == before.space;
        highs.push(parts.high.wrapping_sub(before.high));
        spaces.push(parts.space.wrapping_sub(before.space));
        lows.push(if same_high {
            parts.low - before.low
        } else {
            parts.low
        });
        blocks.push(if same_high && parts.low == before.low {
            parts.block.wrapping_sub(before.block)
        } else {
            columns::zigzag(parts.block.wrapping_sub(before.block))
        });
        before = parts;
    }
    let mut out = vec![VERSION];
    for column in [&highs, &spaces, &lows, &blocks] {
        columns::put(&mut out, column);
    }
    let checksum = crc32fast::hash(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// The inverse of [`encode`]; what is returned is sorted.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<u128>, DecodeError> {
    let (body, stored) = bytes.split_last_chunk::<4>().ok_or(DecodeError::Cut)?;
    let (stored, found) = (u32::from_le_bytes(*stored), crc32fast::hash(body));
    if stored != found {
        return Err(DecodeError::Checksum { found, stored });
    }
    match body.split_first() {
        Some((&VERSION, columns)) => decode_columns(columns),
        Some((&version, _)) => Err(DecodeError::UnknownVersion(version)),
        None => Err(DecodeError::Cut),
    }
}

/// What stands between version and checksum.
pub(crate) fn decode_columns(bytes: &[u8]) -> Result<Vec<u128>, DecodeError> {
    let mut input = Reader::new(bytes);
    let (highs, spaces) = (input.column()?, input.column()?);
    let (lows, blocks) = (input.column()?, input.column()?);
    input.finish()?;
    let n = highs.len();
    if [&spaces, &lows, &blocks]
        .iter()
        .any(|column| column.len() != n)
    {
        return Err(DecodeError::Invalid("index columns"));
    }
    let mut postings = Vec::with_capacity(n);
    let mut before = split(0);
    for at in 0..n {
        let space = before.space.wrapping_add(spaces[at]);
        let high = before.high.wrapping_add(highs[at]);
        let same_high = high == before.high && space == before.space;
        let low = if same_high {
            before.low.wrapping_add(lows[at])
        } else {
            lows[at]
        };
        let same = same_high && low == before.low;
        let difference = if same {
            blocks[at]
        } else {
            columns::unzigzag(blocks[at])
        };
        let block = before.block.wrapping_add(difference);
        if space > u64::from(u8::MAX) || low > u64::from(u32::MAX) || block >> BLOCK_BITS != 0 {
            return Err(DecodeError::Invalid("posting"));
        }
        let posting = Key::new(space as u8, high, low as u32).posting(block as u32);
        if postings.last().is_some_and(|&last| last >= posting) {
            return Err(DecodeError::Invalid("order of postings"));
        }
        postings.push(posting);
        before = Parts {
            space,
            high,
            low,
            block,
        };
    }
    Ok(postings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_filled_array_costs_nothing() {
        let key = |i| Key::new(1, 77, i).posting(3);
        let postings: Vec<u128> = (0..4096).map(key).collect();
        assert!(encode(&postings).len() < 200);
    }

    proptest! {
        #[test]
        fn postings_come_back(
            keys in proptest::collection::btree_set((0u8..5, 0u64..6, 0u32..9, 0u32..20), 0..300),
            far in any::<u64>()
        ) {
            let mut postings: Vec<u128> = keys
                .iter()
                .map(|&(space, high, low, block)| {
                    Key::new(space, if high == 5 { far } else { high }, low).posting(block)
                })
                .collect();
            postings.sort_unstable();
            postings.dedup();
            prop_assert_eq!(decode(&encode(&postings)), Ok(postings));
        }

        #[test]
        fn any_bytes_are_postings_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
            let _ = decode_columns(&bytes);
        }

        #[test]
        fn every_flip_and_cut_is_told(at in any::<proptest::sample::Index>(), bit in 0u8..8) {
            let bytes = encode(&[Key::new(1, 2, 3).posting(4), Key::new(1, 2, 4).posting(9)]);
            let mut flipped = bytes.clone();
            flipped[at.index(bytes.len())] ^= 1 << bit;
            prop_assert!(decode(&flipped).is_err());
            prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
        }
    }
}
