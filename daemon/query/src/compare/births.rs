//! Which object of one run is which of the other: a bijection, built as objects are met.
//!
//! Objects are numbered as they are born, so that what is born in the same order on both sides lies at one distance: such
//! stretches are kept, not objects. Of a deterministic program of one thread that is one stretch, whatever the number of objects.

use std::collections::BTreeMap;

use jhyde_trace::ObjectId;

/// More stretches are not kept: objects met behind that are not held against each other. Some 100 MB.
pub(super) const MOST: usize = 1 << 20;

/// What is known of two objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// They are each other's.
    Pair,
    /// One of them is another one's.
    Other,
    /// Neither was met.
    Unmet,
}

/// From the first number of a stretch to the number across, and how many there are.
type Stretches = BTreeMap<u64, (u64, u64)>;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Births {
    left: Stretches,
    right: Stretches,
}

fn across(stretches: &Stretches, object: u64) -> Option<u64> {
    let (first, (other, length)) = stretches.range(..=object).next_back()?;
    let at = object - first;
    (at < *length).then(|| other + at)
}

fn add(stretches: &mut Stretches, object: u64, other: u64) {
    if let Some((first, (begin, length))) = stretches.range_mut(..object).next_back()
        && first + *length == object
        && *begin + *length == other
    {
        *length += 1;
        return;
    }
    stretches.insert(object, (other, 1));
}

impl Births {
    /// What is known of two objects.
    pub(super) fn known(&self, left: ObjectId, right: ObjectId) -> Known {
        match across(&self.left, left.0) {
            // Most are: then nobody need look on the other side.
            Some(other) if other == right.0 => Known::Pair,
            None if across(&self.right, right.0).is_none() => Known::Unmet,
            _ => Known::Other,
        }
    }

    /// From now on they are each other's. Neither may have been met. False where there is no room left.
    pub(super) fn pair(&mut self, left: ObjectId, right: ObjectId) -> bool {
        if self.left.len() >= MOST || self.right.len() >= MOST {
            return false;
        }
        add(&mut self.left, left.0, right.0);
        add(&mut self.right, right.0, left.0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(births: &Births, left: u64, right: u64) -> Known {
        births.known(ObjectId(left), ObjectId(right))
    }

    #[test]
    fn objects_born_in_one_order_are_one_stretch() {
        let mut births = Births::default();
        for number in 1..1000 {
            assert!(births.pair(ObjectId(number), ObjectId(number + 7)));
        }
        assert_eq!((births.left.len(), births.right.len()), (1, 1));
        assert_eq!(of(&births, 500, 507), Known::Pair);
        assert_eq!(of(&births, 500, 508), Known::Other);
        assert_eq!(of(&births, 2000, 507), Known::Other, "it is another one's");
        assert_eq!(of(&births, 2000, 2000), Known::Unmet);
    }

    #[test]
    fn objects_met_in_another_order_are_found() {
        let mut births = Births::default();
        for (left, right) in [(5, 9), (3, 4), (4, 5), (6, 1)] {
            assert_eq!(of(&births, left, right), Known::Unmet);
            births.pair(ObjectId(left), ObjectId(right));
        }
        for (left, right) in [(5, 9), (3, 4), (4, 5), (6, 1)] {
            assert_eq!(of(&births, left, right), Known::Pair);
        }
        assert_eq!(of(&births, 5, 1), Known::Other);
    }
}
