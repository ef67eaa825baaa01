//! What the commonest methods do to maps and sets whose keys are strings and numbers: where their documentation and the
//! specified hash codes leave no choice, nobody has to look at the JVM.
//!
//! `HashMap` has its entries by bucket, and within one in the order in which they came; splitting its buckets keeps that
//! order. Buckets that may have become trees are not modelled.

use std::cmp::Ordering;

use jhyde_trace::{Change, Items, Value};

use super::model::Modelled;

/// A key as far as its equality, hash code and order are specified.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key<'a> {
    Text(&'a [u16]),
    /// The number in a box, of this type.
    Number(char, i64),
    /// An object that is equal to no string and no number.
    Other,
}

/// How a map or set orders its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By buckets, so many of them; they are doubled when there are more keys than this.
    Buckets { count: usize, most: usize },
    /// As they came.
    Insertion,
    /// By the keys' own order.
    Natural,
}

/// In a bucket of so many keys, the next may make a tree of it.
const TREE: usize = 7;

impl Order {
    /// That of an object which a constructor has made with these arguments, of exactly this class.
    pub(crate) fn constructed(class: &str, arguments: &[Value]) -> Option<Self> {
        match (class, arguments) {
            ("java.util.HashMap" | "java.util.HashSet", []) => Some(Self::with_buckets(16)),
            ("java.util.HashMap" | "java.util.HashSet", [Value::Int(count @ 1..=0x1000_0000)]) => {
                Some(Self::with_buckets((*count as usize).next_power_of_two()))
            }
            ("java.util.LinkedHashMap" | "java.util.LinkedHashSet", [] | [Value::Int(_)]) => {
                Some(Self::Insertion)
            }
            ("java.util.TreeMap" | "java.util.TreeSet", []) => Some(Self::Natural),
            _ => None,
        }
    }

    fn with_buckets(count: usize) -> Self {
        let most = count * 3 / 4;
        Self::Buckets { count, most }
    }
}

/// Where a key is, or would come.
enum Place {
    At(usize),
    Before(usize),
}

/// What a method has done to a map or set, and how that orders its keys then. `known` tells of a key what is specified.
pub(crate) fn model<'a>(
    name: &str,
    arguments: &[Value],
    descriptor: &str,
    held: &Items,
    order: Order,
    known: impl Fn(Value) -> Option<Key<'a>>,
) -> (Modelled, Order) {
    let map = Held { held, order, known };
    let done = match (held, name, arguments) {
        (Items::Entries(all), "put", [key, value]) => map.put(all, *key, *value, true),
        (Items::Entries(all), "putIfAbsent", [key, value]) => map.put(all, *key, *value, false),
        (Items::Elements(_), "add", [key]) => map.add(*key),
        (Items::Entries(all), "remove", [key]) => map.remove(all, *key),
        (Items::Elements(_), "remove", [key]) if descriptor.ends_with(")Z") => map.take_out(*key),
        (_, "clear", []) => {
            let change = map.splice(0, held.len(), map.nothing());
            return (
                Modelled::Does(Some(change).filter(|_| !held.is_empty()), None),
                order,
            );
        }
        (Items::Entries(all), "get", [key]) => map.find(*key).map(|place| match place {
            Place::At(at) => (None, Some(all[at].1)),
            Place::Before(_) => (None, Some(Value::Null)),
        }),
        (_, "containsKey" | "contains", [key]) => map
            .find(*key)
            .map(|place| (None, Some(Value::Boolean(matches!(place, Place::At(_)))))),
        _ => None,
    };
    let Some((change, result)) = done else {
        return (Modelled::Unknown, order);
    };
    match map.grown(&change) {
        Some((change, order)) => (Modelled::Does(change, result), order),
        None => (Modelled::Unknown, order),
    }
}

struct Held<'h, F> {
    held: &'h Items,
    order: Order,
    known: F,
}

type Done = Option<(Option<Change>, Option<Value>)>;

impl<'a, F: Fn(Value) -> Option<Key<'a>>> Held<'_, F> {
    fn key(&self, at: usize) -> Option<Value> {
        match self.held {
            Items::Elements(all) => all.get(at).copied(),
            Items::Entries(all) => all.get(at).map(|entry| entry.0),
            _ => None,
        }
    }

    fn put(&self, all: &[(Value, Value)], key: Value, value: Value, replaces: bool) -> Done {
        Some(match self.find(key)? {
            Place::At(at) => {
                let (kept, old) = all[at];
                let writes = replaces || old == Value::Null;
                let change = self.splice(at, 1, Items::Entries(vec![(kept, value)]));
                (writes.then_some(change), Some(old))
            }
            Place::Before(at) => {
                let change = self.splice(at, 0, Items::Entries(vec![(key, value)]));
                (Some(change), Some(Value::Null))
            }
        })
    }

    fn add(&self, key: Value) -> Done {
        Some(match self.find(key)? {
            Place::At(_) => (None, Some(Value::Boolean(false))),
            Place::Before(at) => {
                let change = self.splice(at, 0, Items::Elements(vec![key]));
                (Some(change), Some(Value::Boolean(true)))
            }
        })
    }

    fn remove(&self, all: &[(Value, Value)], key: Value) -> Done {
        Some(match self.find(key)? {
            Place::At(at) => {
                let change = self.splice(at, 1, Items::Entries(Vec::new()));
                (Some(change), Some(all[at].1))
            }
            Place::Before(_) => (None, Some(Value::Null)),
        })
    }

    fn take_out(&self, key: Value) -> Done {
        Some(match self.find(key)? {
            Place::At(at) => {
                let change = self.splice(at, 1, Items::Elements(Vec::new()));
                (Some(change), Some(Value::Boolean(true)))
            }
            Place::Before(_) => (None, Some(Value::Boolean(false))),
        })
    }

    fn nothing(&self) -> Items {
        match self.held {
            Items::Entries(_) => Items::Entries(Vec::new()),
            _ => Items::Elements(Vec::new()),
        }
    }

    fn splice(&self, at: usize, removed: usize, inserted: Items) -> Change {
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Change::Splice {
            at: number(at),
            removed: number(removed),
            inserted,
        }
    }

    /// Where a key is: `None` if that cannot be told.
    fn find(&self, key: Value) -> Option<Place> {
        let wanted = (self.known)(key)?;
        if wanted == Key::Other {
            return None;
        }
        match self.order {
            Order::Insertion => {
                let found = self.equal_among(0..self.held.len(), key, &wanted)?;
                Some(found.map_or(Place::Before(self.held.len()), Place::At))
            }
            Order::Natural => {
                let (mut from, mut to) = (0, self.held.len());
                while from < to {
                    let middle = from.midpoint(to);
                    match compare(&wanted, &(self.known)(self.key(middle)?)?)? {
                        Ordering::Equal => return Some(Place::At(middle)),
                        Ordering::Less => to = middle,
                        Ordering::Greater => from = middle + 1,
                    }
                }
                Some(Place::Before(from))
            }
            Order::Buckets { count, .. } => {
                let bucket = bucket(&wanted, count)?;
                let before = self.first_not(count, |other| other < bucket)?;
                let behind = self.first_not(count, |other| other <= bucket)?;
                if behind - before >= TREE {
                    return None;
                }
                let found = self.equal_among(before..behind, key, &wanted)?;
                Some(found.map_or(Place::Before(behind), Place::At))
            }
        }
    }

    /// Keys are in the order of their buckets.
    fn first_not(&self, count: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let (mut from, mut to) = (0, self.held.len());
        while from < to {
            let middle = from.midpoint(to);
            let other = bucket(&(self.known)(self.key(middle)?)?, count)?;
            if holds(other) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Some(from)
    }

    fn equal_among(
        &self,
        range: std::ops::Range<usize>,
        key: Value,
        wanted: &Key<'_>,
    ) -> Option<Option<usize>> {
        for at in range {
            let other = self.key(at)?;
            if other == key || (self.known)(other)? == *wanted {
                return Some(Some(at));
            }
        }
        Some(None)
    }

    /// What a change means for the buckets: one that has too many keys is doubled, which orders them anew.
    fn grown(&self, change: &Option<Change>) -> Option<(Option<Change>, Order)> {
        let Order::Buckets { count, most } = self.order else {
            return Some((change.clone(), self.order));
        };
        let Some(Change::Splice {
            at,
            removed: 0,
            inserted,
        }) = change
        else {
            return Some((change.clone(), self.order));
        };
        if self.held.len() < most || inserted.is_empty() {
            return Some((change.clone(), self.order));
        }
        // Of fewer than 16 the threshold is worked out anew, as three quarters of one bucket are none (`HashMap.resize`).
        let order = Order::with_buckets(count * 2);
        let at = *at as usize;
        let hash = |value: Value| bucket(&(self.known)(value)?, count * 2);
        let items = match (self.held, inserted) {
            (Items::Entries(all), Items::Entries(one)) => {
                let mut all = all.clone();
                all.splice(at..at, one.iter().copied());
                Items::Entries(sorted(all, |entry| hash(entry.0))?)
            }
            (Items::Elements(all), Items::Elements(one)) => {
                let mut all = all.clone();
                all.splice(at..at, one.iter().copied());
                Items::Elements(sorted(all, |key| hash(*key))?)
            }
            _ => return None,
        };
        Some((super::difference(self.held, items), order))
    }
}

fn sorted<T: Copy>(all: Vec<T>, hash: impl Fn(&T) -> Option<usize>) -> Option<Vec<T>> {
    let keyed: Option<Vec<_>> = all.iter().map(|one| Some((hash(one)?, *one))).collect();
    let mut keyed = keyed?;
    keyed.sort_by_key(|(bucket, _)| *bucket);
    Some(keyed.into_iter().map(|(_, one)| one).collect())
}

fn bucket(key: &Key<'_>, count: usize) -> Option<usize> {
    let hash = match key {
        Key::Text(units) => units.iter().fold(0_i32, |hash, &unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        }),
        Key::Number('Z', value) => {
            if *value == 0 {
                1237
            } else {
                1231
            }
        }
        Key::Number('J', value) => (value ^ ((*value as u64) >> 32) as i64) as i32,
        Key::Number(_, value) => *value as i32,
        Key::Other => return None,
    } as u32;
    Some((hash ^ hash >> 16) as usize & (count - 1))
}

/// The natural order of two keys of one kind.
fn compare(one: &Key<'_>, other: &Key<'_>) -> Option<Ordering> {
    match (one, other) {
        (Key::Text(one), Key::Text(other)) => Some(one.cmp(other)),
        (Key::Number(a, one), Key::Number(b, other)) if a == b => Some(one.cmp(other)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{Held as State, ObjectId};

    use super::*;

    /// Objects are boxes of their own number.
    fn known(value: Value) -> Option<Key<'static>> {
        Some(Key::Number('I', value.object()?.0 as i64))
    }

    fn boxed(number: u64) -> Value {
        Value::Object(ObjectId(number))
    }

    fn added(class: &str, numbers: &[u64]) -> Vec<u64> {
        let mut order = Order::constructed(class, &[]).expect("it is modelled");
        let mut state = State::default();
        state.apply(&Change::Whole(Items::Elements(Vec::new())));
        for &number in numbers {
            let State::Items { items, .. } = &state else {
                panic!("{state:?}");
            };
            let add = "(Ljava/lang/Object;)Z";
            let (done, next) = model("add", &[boxed(number)], add, items, order, known);
            let Modelled::Does(change, Some(Value::Boolean(fresh))) = done else {
                panic!("{number}: {done:?}");
            };
            assert_eq!(fresh, change.is_some());
            change.iter().for_each(|change| state.apply(change));
            order = next;
        }
        let State::Items { items, .. } = state else {
            panic!("{state:?}");
        };
        items
            .values()
            .iter()
            .filter_map(|v| Some(v.object()?.0))
            .collect()
    }

    #[test]
    fn sets_order_their_keys_as_java_does() {
        let numbers = [40, 17, 3, 33, 1, 17, 65_536];
        // `new HashSet<>(List.of(…))` prints so: buckets 0, 1 (17, 33, 1 as they came; 65536 is spread to it), 3, 8.
        assert_eq!(
            added("java.util.HashSet", &numbers),
            [17, 33, 1, 65_536, 3, 40]
        );
        assert_eq!(
            added("java.util.LinkedHashSet", &numbers),
            [40, 17, 3, 33, 1, 65_536]
        );
        assert_eq!(
            added("java.util.TreeSet", &numbers),
            [1, 3, 17, 33, 40, 65_536]
        );
        // The 13th key doubles the buckets: 16 and 0 are no longer in one.
        let many: Vec<u64> = [16, 0].into_iter().chain(1..12).collect();
        let before = added("java.util.HashSet", &many[..12]);
        assert_eq!(before[..3], [16, 0, 1]);
        let ordered: Vec<u64> = (0..12).chain([16]).collect();
        assert_eq!(added("java.util.HashSet", &many), ordered);
    }
}
