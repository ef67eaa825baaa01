//! Sets of local variable slots, as bits: methods rarely have more than 64.

/// A set of local variable slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotSet {
    /// Bit `slot % 64` of word `slot / 64`; no trailing zero words, so that equal sets are equal.
    words: Vec<u64>,
}

impl SlotSet {
    /// The set without slots.
    pub const EMPTY: Self = Self { words: Vec::new() };

    /// Adds a slot; whether it is new.
    pub fn insert(&mut self, slot: u16) -> bool {
        let (word, bit) = (usize::from(slot / 64), 1 << (slot % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Whether the slot is in it.
    pub fn contains(&self, slot: u16) -> bool {
        self.words
            .get(usize::from(slot / 64))
            .is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Adds all slots of another set.
    pub fn extend_from(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Whether it has no slot.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many slots it has.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.words.iter().enumerate().flat_map(|(word, bits)| {
            (0..64u16)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| word as u16 * 64 + bit)
        })
    }
}

impl FromIterator<u16> for SlotSet {
    fn from_iter<I: IntoIterator<Item = u16>>(slots: I) -> Self {
        let mut set = Self::default();
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_behaves_like_a_set(a: Vec<u16>, b: Vec<u16>) {
            let model: BTreeSet<u16> = a.iter().chain(&b).copied().collect();
            let mut set: SlotSet = a.iter().copied().collect();
            set.extend_from(&b.iter().copied().collect());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(set.len(), model.len());
            prop_assert_eq!(set.is_empty(), model.is_empty());
            prop_assert_eq!(&set, &model.iter().copied().collect::<SlotSet>());
            for slot in a.iter().chain(&[0, 63, 64, 65_535]) {
                prop_assert_eq!(set.contains(*slot), model.contains(slot));
            }
        }
    }
}
