//! What is remembered of objects, within bounds. No I/O.

use jhyde_trace::ObjectId;
use rustc_hash::FxHashMap;

/// What was used last: when there is too much of it, what was not used since there was too much before goes.
pub(in crate::events) struct Kept<V> {
    young: FxHashMap<ObjectId, (V, usize)>,
    old: FxHashMap<ObjectId, (V, usize)>,
    /// The size of all that is young.
    size: usize,
    /// The most of it; as much of what is old is kept besides.
    most: usize,
}

impl<V> Kept<V> {
    pub(in crate::events) fn new(most: usize) -> Self {
        Self {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            size: 0,
            most,
        }
    }

    /// Takes out what is kept of an object.
    pub(in crate::events) fn take(&mut self, object: ObjectId) -> Option<V> {
        if let Some((value, size)) = self.young.remove(&object) {
            self.size -= size;
            return Some(value);
        }
        self.old.remove(&object).map(|(value, _)| value)
    }

    /// Keeps what is not there: it was taken out, or never in.
    pub(in crate::events) fn put(&mut self, object: ObjectId, value: V, size: usize) {
        // Each counts for its place, too.
        let size = size.max(1);
        if self.size + size > self.most {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        self.size += size;
        self.young.insert(object, (value, size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_not_goes() {
        let mut kept = Kept::new(10);
        kept.put(ObjectId(0), 'a', 2);
        for object in 1..100 {
            kept.put(ObjectId(object), 'b', 3);
            assert_eq!(kept.take(ObjectId(0)), Some('a'), "round {object}");
            kept.put(ObjectId(0), 'a', 2);
            let sizes =
                [&kept.young, &kept.old].map(|of| of.values().map(|of| of.1).sum::<usize>());
            assert!(sizes.iter().all(|size| *size <= 10), "{sizes:?}");
            assert_eq!(sizes[0], kept.size);
        }
        assert_eq!(kept.take(ObjectId(1)), None);
        assert_eq!(kept.take(ObjectId(99)), Some('b'));
    }
}
