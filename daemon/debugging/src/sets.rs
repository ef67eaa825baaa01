//! Sets of small numbers, equal ones stored once.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Sets by number, each as the differences of its rising members, seven bits to a byte.
#[derive(Debug, Default)]
pub(crate) struct Sets {
    bytes: Vec<u8>,
    /// Where each set ends in `bytes`.
    ends: Vec<u32>,
    /// The last set of each hash, and of each set the one of its hash before it.
    last: FxHashMap<u64, u32>,
    before: Vec<u32>,
    /// Room for the set that is looked for.
    members: Vec<u32>,
    encoded: Vec<u8>,
}

const NONE: u32 = u32::MAX;

impl Sets {
    /// How many different sets there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a set, which is emptied.
    pub(crate) fn number(&mut self, set: &mut FxHashSet<u32>) -> u32 {
        self.members.clear();
        self.members.extend(set.drain());
        self.members.sort_unstable();
        self.encoded.clear();
        let mut before = 0;
        for member in &self.members {
            let mut rest = member - before;
            before = *member;
            while rest >= 0x80 {
                self.encoded.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            self.encoded.push(rest as u8);
        }
        let mut hasher = FxHasher::default();
        hasher.write(&self.encoded);
        let hash = hasher.finish();
        let mut candidate = self.last.get(&hash).copied().unwrap_or(NONE);
        while candidate != NONE {
            if self.encoded(candidate as usize) == self.encoded.as_slice() {
                return candidate;
            }
            candidate = self.before.get(candidate as usize).copied().unwrap_or(NONE);
        }
        // 4 GB of sets do not fit into anybody's memory: further ones are taken for empty.
        let Ok(end) = u32::try_from(self.bytes.len() + self.encoded.len()) else {
            return NONE;
        };
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(&self.encoded);
        self.ends.push(end);
        self.before
            .push(self.last.insert(hash, number).unwrap_or(NONE));
        number
    }

    /// Visits the members of a set, rising.
    pub(crate) fn visit(&self, set: usize, visit: &mut dyn FnMut(u32)) {
        let (mut member, mut value, mut shift) = (0_u32, 0_u32, 0);
        for byte in self.encoded(set) {
            value |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                member += value;
                visit(member);
                (value, shift) = (0, 0);
            }
        }
    }

    fn encoded(&self, set: usize) -> &[u8] {
        let begin = match set.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(set).copied().unwrap_or(begin);
        self.bytes
            .get(begin as usize..end as usize)
            .unwrap_or_default()
    }

    /// About how many bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        // A map's entry has a byte of its own, and at most 7 of 8 places are taken.
        self.bytes.capacity()
            + (self.ends.capacity() + self.before.capacity()) * 4
            + self.last.capacity() * 8 / 7 * 17
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_come_back_and_equal_ones_are_one(
            wanted in prop::collection::vec(prop::collection::btree_set(0..400_u32, 0..20), 0..60),
            large in any::<u32>(),
        ) {
            let mut sets = Sets::default();
            let mut numbers = Vec::new();
            for (at, set) in wanted.iter().enumerate() {
                let mut given: FxHashSet<u32> = set.iter().copied().collect();
                if at % 7 == 3 {
                    given.insert(large);
                }
                let expected: BTreeSet<u32> = given.iter().copied().collect();
                numbers.push((sets.number(&mut given), expected));
                prop_assert!(given.is_empty());
            }
            let different: BTreeSet<_> = numbers.iter().map(|(_, set)| set.clone()).collect();
            prop_assert_eq!(sets.len(), different.len());
            for (number, expected) in numbers {
                let mut members = Vec::new();
                sets.visit(number as usize, &mut |member| members.push(member));
                prop_assert_eq!(members, expected.into_iter().collect::<Vec<_>>());
            }
        }
    }
}
