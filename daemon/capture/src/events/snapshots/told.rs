//! What snapshots have told so far, so that what has not changed need not be told again. No I/O.
//!
//! Of each object the value of each variable is kept that was told last. What was told of it as a whole longer ago than
//! [`FRESH`] events is told again as a whole: whoever looks for it looks no further back, and where the beginning of a
//! recording is cut off, what lies behind it stands for itself soon. What is kept is bounded by [`MOST`]; an object that
//! was forgotten is told as a whole, too.

use jhyde_trace::{Change, ObjectId, Value};

use super::kept::Kept;

/// What was told so many events ago as a whole is told again so.
const FRESH: u64 = 1 << 16;
/// Twice as many values and characters are kept.
const MOST: usize = 1 << 20;

/// See the module.
pub(in crate::events) struct ToldBefore {
    values: Kept<Values>,
    held: Kept<Held>,
}

impl Default for ToldBefore {
    fn default() -> Self {
        Self {
            values: Kept::new(MOST),
            held: Kept::new(MOST),
        }
    }
}

/// The values of an object's fields or of an array's first elements.
struct Values {
    /// The number of the event about at which all of them were told.
    since: u64,
    all: Vec<Value>,
}

struct Held {
    since: u64,
    change: Change,
}

impl ToldBefore {
    /// These are the values of an object's fields, or of the first elements of an array. Gives the positions of those that
    /// are to be told; `None`: all of them.
    pub(in crate::events) fn values(
        &mut self,
        object: ObjectId,
        now: u64,
        values: &[Value],
    ) -> Option<Vec<usize>> {
        let known = self.values.take(object);
        let Some(mut known) = known.filter(|known| is_fresh(known.since, now)) else {
            let (since, all) = (now, values.to_vec());
            self.values.put(object, Values { since, all }, values.len());
            return None;
        };
        let mut changed = Vec::new();
        for (at, &value) in values.iter().enumerate() {
            match known.all.get_mut(at) {
                Some(known) if *known == value => continue,
                Some(known) => *known = value,
                None => known.all.push(value),
            }
            changed.push(at);
        }
        let size = known.all.len();
        self.values.put(object, known, size);
        Some(changed)
    }

    /// This is what an object of the JDK holds. Is that to be told?
    pub(in crate::events) fn held(&mut self, object: ObjectId, now: u64, change: &Change) -> bool {
        let known = self.held.take(object);
        let known = known.filter(|known| is_fresh(known.since, now) && known.change == *change);
        let is_new = known.is_none();
        if matches!(change, Change::Whole(_) | Change::First { .. }) {
            let held = known.unwrap_or_else(|| Held {
                since: now,
                change: change.clone(),
            });
            self.held.put(object, held, change.size());
        }
        is_new
    }

    /// An object could not be looked at.
    pub(in crate::events) fn forget(&mut self, object: ObjectId) {
        self.values.take(object);
        self.held.take(object);
    }
}

fn is_fresh(since: u64, now: u64) -> bool {
    now.saturating_sub(since) < FRESH
}

#[cfg(test)]
mod tests {
    use jhyde_trace::Items;

    use super::*;

    fn ints(numbers: impl IntoIterator<Item = i32>) -> Vec<Value> {
        numbers.into_iter().map(Value::Int).collect()
    }

    const ONE: ObjectId = ObjectId(1);

    #[test]
    fn what_has_not_changed_is_not_told_again() {
        let mut told = ToldBefore::default();
        assert_eq!(told.values(ONE, 0, &ints([1, 2, 3])), None);
        assert_eq!(told.values(ONE, 5, &ints([1, 2, 3])), Some(vec![]));
        assert_eq!(told.values(ONE, 6, &ints([1, 9, 3])), Some(vec![1]));
        // Of an array of which there is room for less what lies behind is not forgotten, and of more the rest is new.
        assert_eq!(told.values(ONE, 7, &ints([1])), Some(vec![]));
        assert_eq!(told.values(ONE, 8, &ints([1, 9, 4, 5])), Some(vec![2, 3]));
        let zeros = [0.0, -0.0].map(|zero| vec![Value::double(zero)]);
        assert_eq!(told.values(ObjectId(2), 8, &zeros[0]), None);
        assert_eq!(told.values(ObjectId(2), 8, &zeros[1]), Some(vec![0]));
    }

    #[test]
    fn what_was_told_long_ago_is_told_again() {
        let mut told = ToldBefore::default();
        let whole = Change::Whole(Items::Elements(ints([1])));
        assert_eq!(told.values(ONE, 0, &ints([1, 2])), None);
        assert!(told.held(ONE, 0, &whole));
        assert_eq!(told.values(ONE, FRESH - 1, &ints([1])), Some(vec![]));
        assert!(!told.held(ONE, FRESH - 1, &whole));
        assert_eq!(told.values(ONE, FRESH, &ints([1])), None);
        assert!(told.held(ONE, FRESH, &whole));
        // Behind the one that was told again the older one does not count.
        assert_eq!(told.values(ONE, FRESH, &ints([1, 2])), Some(vec![1]));
    }

    #[test]
    fn what_could_not_be_looked_at_is_told_when_it_can() {
        let mut told = ToldBefore::default();
        let whole = Change::Whole(Items::Text("a".into()));
        let unknown = Change::Unknown {
            reason: "gone".to_owned(),
            since: None,
        };
        assert!(told.held(ONE, 0, &whole));
        assert!(told.held(ONE, 0, &unknown) && told.held(ONE, 0, &unknown));
        assert!(told.held(ONE, 0, &whole) && !told.held(ONE, 0, &whole));
        assert_eq!(told.values(ONE, 0, &ints([1])), None);
        told.forget(ONE);
        assert!(told.held(ONE, 0, &whole));
        assert_eq!(told.values(ONE, 0, &ints([1])), None);
    }

    #[test]
    fn what_was_forgotten_is_told_again() {
        let mut told = ToldBefore::default();
        let many = vec![Value::Null; MOST / 8];
        for object in 1..=20 {
            assert_eq!(told.values(ObjectId(object), 0, &many), None);
            assert_eq!(told.values(ONE, 0, &many), Some(vec![]), "it is used");
        }
        assert_eq!(told.values(ObjectId(2), 0, &many), None, "it was forgotten");
    }
}
