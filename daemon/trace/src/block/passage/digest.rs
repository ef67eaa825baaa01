//! A digest of words, of which it is known how likely two different sequences have the same.
//!
//! The words are the coefficients of a polynomial, and the digest is its value at a point that was drawn once, modulo the prime 2^127 - 1. Two
//! different sequences are two different polynomials, which agree at no more points than the longer one has words: so of sequences that were not
//! made with the point in mind, two different ones of at most 2^20 words have one digest with a probability of at most 2^-107.

/// The prime.
const PRIME: u128 = (1 << 127) - 1;
/// The point: drawn at random, once. Another one would make other digests of the same.
const POINT: u128 = 0x1c56_4365_f1c2_d25e_60b1_f5bd_276e_3a0d;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest {
    value: u128,
    words: u32,
}

impl Default for Digest {
    fn default() -> Self {
        // The first coefficient tells sequences that begin with zeros apart.
        Self { value: 1, words: 0 }
    }
}

/// Less than 2^127, of any number: the same number modulo the prime.
fn fold(number: u128) -> u128 {
    (number & PRIME) + (number >> 127)
}

/// A product modulo the prime, of two numbers below 2^127.
fn product(left: u128, right: u128) -> u128 {
    let low = |of: u128| u128::from(of as u64);
    let (left_high, left_low) = (left >> 64, low(left));
    let (right_high, right_low) = (right >> 64, low(right));
    let middle = left_low * right_high + left_high * right_low;
    let (lower, carry) = (left_low * right_low).overflowing_add(middle << 64);
    let higher = left_high * right_high + (middle >> 64) + u128::from(carry);
    let folded = fold((lower & PRIME) + (higher << 1 | lower >> 127));
    if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    }
}

impl Digest {
    /// Takes the next word, of less than 127 bits.
    pub(super) fn push(&mut self, word: u128) {
        self.value = product(fold(self.value + word), POINT);
        self.words = self.words.saturating_add(1);
    }

    pub(super) fn words(&self) -> u32 {
        self.words
    }

    pub(super) fn value(&self) -> u128 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Digit by digit, as one learns it.
    fn slowly(left: u128, right: u128) -> u128 {
        (0..127).rev().fold(0, |sum, bit| {
            let twice = (sum << 1) % PRIME;
            match right >> bit & 1 {
                1 => (twice + left % PRIME) % PRIME,
                _ => twice,
            }
        })
    }

    proptest! {
        #[test]
        fn products_are_right(left: u128, right: u128) {
            let (left, right) = (left >> 1, right >> 1);
            prop_assert_eq!(product(left, right), slowly(left, right));
        }

        #[test]
        fn other_words_have_another_digest(words: Vec<u64>, other: Vec<u64>) {
            let of = |words: &[u64]| {
                let mut digest = Digest::default();
                words.iter().for_each(|&word| digest.push(word.into()));
                digest.value()
            };
            prop_assert_eq!(of(&words) == of(&other), words == other);
            let longer: Vec<u64> = [0].into_iter().chain(words.iter().copied()).collect();
            prop_assert_ne!(of(&words), of(&longer));
        }
    }

    #[test]
    fn products_at_the_edges_are_right() {
        let edges = [0, 1, 2, PRIME - 1, PRIME, (1 << 64) - 1, 1 << 64, 1 << 126];
        for left in edges {
            for right in edges {
                assert_eq!(product(left, right), slowly(left, right), "{left} {right}");
            }
        }
    }
}
