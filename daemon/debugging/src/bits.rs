//! A set of positions 0..n with fast counting: one bit each, and on demand the number of set bits
//! before every word. It is the shape of a suspicious set, where a subtree is a range.

use std::ops::Range;

const WORD: usize = u64::BITS as usize;

/// A set of positions below a fixed length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

/// The bits `range` of one word, given as bit numbers within it.
fn mask(range: Range<usize>) -> u64 {
    let upto = |bit: usize| {
        if bit >= WORD {
            u64::MAX
        } else {
            (1 << bit) - 1
        }
    };
    upto(range.end) & !upto(range.start)
}

impl Bits {
    /// No position of `len` is in the set.
    pub(crate) fn empty(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(WORD)],
            len,
        }
    }

    pub(crate) fn insert(&mut self, at: usize) {
        debug_assert!(at < self.len);
        if let Some(word) = self.words.get_mut(at / WORD) {
            *word |= 1 << (at % WORD);
        }
    }

    pub(crate) fn remove(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / WORD) {
            *word &= !(1 << (at % WORD));
        }
    }

    pub(crate) fn contains(&self, at: usize) -> bool {
        self.words
            .get(at / WORD)
            .is_some_and(|word| word >> (at % WORD) & 1 == 1)
    }

    /// Takes a whole range out.
    pub(crate) fn remove_range(&mut self, range: Range<usize>) {
        let end = range.end.min(self.len);
        if range.start >= end {
            return;
        }
        let (first, last) = (range.start / WORD, (end - 1) / WORD);
        for at in first..=last {
            let base = at * WORD;
            let from = range.start.saturating_sub(base);
            let to = (end - base).min(WORD);
            self.words[at] &= !mask(from..to);
        }
    }

    /// Takes everything out that is not in the range.
    pub(crate) fn keep_range(&mut self, range: Range<usize>) {
        self.remove_range(0..range.start.min(self.len));
        self.remove_range(range.end..self.len);
    }

    /// Takes everything out that is in none of the ranges, which rise.
    pub(crate) fn keep_ranges(&mut self, ranges: impl Iterator<Item = Range<usize>>) {
        let mut behind = 0;
        for range in ranges {
            self.remove_range(behind..range.start);
            behind = behind.max(range.end);
        }
        self.remove_range(behind..self.len);
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// The set positions in rising order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(at * WORD + bit)
            })
        })
    }

    /// Prepares counting: one pass over the words.
    pub(crate) fn ranks(&self) -> Ranks<'_> {
        let mut before = Vec::with_capacity(self.words.len() + 1);
        let mut sum = 0_u64;
        before.push(0);
        for word in &self.words {
            sum += u64::from(word.count_ones());
            before.push(sum);
        }
        Ranks { bits: self, before }
    }
}

/// Counts of a [`Bits`] that does not change meanwhile.
pub(crate) struct Ranks<'a> {
    bits: &'a Bits,
    before: Vec<u64>,
}

impl Ranks<'_> {
    /// How many positions below `at` are in the set.
    pub(crate) fn below(&self, at: usize) -> u64 {
        let at = at.min(self.bits.len);
        let word = at / WORD;
        let part = match self.bits.words.get(word) {
            Some(bits) => u64::from((bits & mask(0..at % WORD)).count_ones()),
            None => 0,
        };
        self.before[word] + part
    }

    /// How many positions of the range are in the set.
    pub(crate) fn within(&self, range: Range<usize>) -> u64 {
        self.below(range.end)
            .saturating_sub(self.below(range.start))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_a_set(
            len in 1_usize..300,
            members in prop::collection::vec(0_usize..300, 0..200),
            ranges in prop::collection::vec((0_usize..310, 0_usize..310, any::<bool>()), 0..4),
            probes in prop::collection::vec((0_usize..310, 0_usize..310), 1..10),
        ) {
            let mut bits = Bits::empty(len);
            let mut model = BTreeSet::new();
            for at in members.into_iter().filter(|at| *at < len) {
                bits.insert(at);
                model.insert(at);
            }
            for (a, b, keep) in ranges {
                let range = a.min(b)..a.max(b);
                if keep {
                    bits.keep_range(range.clone());
                    model.retain(|at| range.contains(at));
                } else {
                    bits.remove_range(range.clone());
                    model.retain(|at| !range.contains(at));
                }
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(bits.count() as usize, model.len());
            let ranks = bits.ranks();
            for (a, b) in probes {
                let range = a.min(b)..a.max(b);
                prop_assert_eq!(ranks.within(range.clone()) as usize, model.range(range).count());
                prop_assert_eq!(bits.contains(a), model.contains(&a));
            }
        }
    }
}
