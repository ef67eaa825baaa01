//! What objects of the JDK hold and how it changes: elements, entries, characters, a value.
//!
//! An event carries a [`Change`]; the changes of one object up to a time, applied in order to [`Held`], are
//! what it held then. What can never change is no event: it is the object's [`crate::Content`].

use serde::{Deserialize, Serialize};

use crate::ids::{ObjectId, Timestamp};
use crate::text::Units;
use crate::value::Value;

/// A change of what an object holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// It holds this, whatever was known before.
    Whole(Items),
    /// It holds `length` items, of which these are the first. The others are not recorded, or follow as
    /// [`Change::More`].
    First {
        /// The first items.
        items: Items,
        /// The number of all.
        length: u32,
    },
    /// The items behind those that are known so far: nothing changed.
    More(Items),
    /// At position `at`, `removed` items went and these came: of items, entries, or UTF-16 units.
    Splice {
        /// Where.
        at: u32,
        /// How many went.
        removed: u32,
        /// What came; of the kind that the object holds.
        inserted: Items,
    },
    /// What it holds is not known from now on, until the next whole.
    Unknown {
        /// Why, in words for people.
        reason: String,
        /// What was told before may not be what it held since then, or since code out of the scope ran first behind
        /// what was told last, if that is later.
        since: Option<Timestamp>,
    },
    /// No content, but said of an array or an object of the scope: it is gone, code out of the scope had it, and nobody
    /// looked at it again. What its elements and fields held since then, likewise, may be other than told.
    Gone {
        /// Before that it was certain.
        since: Timestamp,
    },
    /// No content, but said of objects that were looked at together, arrays and objects of the scope among them: what is not told
    /// of them beside this is as it was told last.
    AsTold(Vec<(ObjectId, Looked)>),
}

/// What of an object was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Looked {
    /// Its fields, as far as they are of the scope.
    Fields,
    /// What it holds as its users see it.
    Held,
    /// So many of its elements, from the first on.
    Elements(u32),
}

/// What is held, in the order of the program: a list's, a set's iteration order, a map's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Items {
    /// Elements of a list, set, queue; an iterator's rest.
    Elements(Vec<Value>),
    /// Entries of a map: key and value.
    Entries(Vec<(Value, Value)>),
    /// Characters of a builder or writer.
    Text(Units),
    /// One value: an atomic's, a reference's, an `Optional`'s. An empty `Optional` has no elements.
    Value(Value),
    /// Parts with names, where order and keys say nothing: a buffer's position, a lock's owner.
    Named(Vec<(String, Value)>),
    /// What another object, or an array, holds at the same time, or a part of it.
    View {
        /// The object behind, or the array.
        of: ObjectId,
        /// Which part of what it holds.
        part: Part,
    },
}

/// What of another object's content a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// All of it: unmodifiable and synchronized wrappers, `Arrays.asList`.
    Same,
    /// A map's keys.
    Keys,
    /// A map's values.
    Values,
    /// A map's entries.
    Entries,
    /// All of it, backwards.
    Reversed,
    /// The items `from .. to`: a sublist. `to` may lie behind the end.
    Range {
        /// The first.
        from: u32,
        /// The one behind the last.
        to: u32,
    },
    /// What comes next from this position on: an iterator.
    At {
        /// The position of the next item.
        index: u32,
    },
    /// What comes next of a map or queue: an iterator. It holds as long as nothing is added or taken out meanwhile.
    Rest {
        /// What is given of each item.
        given: Given,
        /// The position of the next item; backwards the one behind it.
        index: u32,
        /// From the last to the first.
        backwards: bool,
    },
    /// The elements `from .. to` of an array as a buffer, which stands at a position.
    Buffer {
        /// The first.
        from: u32,
        /// The one behind the last.
        to: u32,
        /// `position()`.
        position: u32,
        /// `limit()`.
        limit: u32,
    },
}

/// What an iterator gives of each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Given {
    /// All of it.
    Item,
    /// An entry's key.
    Key,
    /// An entry's value.
    Value,
}

impl Change {
    /// The most values or units that one change may carry; longer ones are written as
    /// [`Change::First`] with [`Change::More`] behind it.
    pub const MAX_ITEMS: usize = 1 << 17;

    /// Takes all that is held out of it: see [`crate::Event::doubt`].
    pub(crate) fn doubt(&mut self) {
        *self = Self::Unknown {
            reason: "what was told of it may be false".to_owned(),
            since: None,
        };
    }

    /// Its items, if it has some.
    pub fn items(&self) -> Option<&Items> {
        match self {
            Self::Whole(items) | Self::First { items, .. } | Self::More(items) => Some(items),
            Self::Splice { inserted, .. } => Some(inserted),
            Self::Unknown { .. } | Self::Gone { .. } | Self::AsTold(_) => None,
        }
    }

    /// The number of values or units that it carries.
    pub fn size(&self) -> usize {
        if let Self::AsTold(objects) = self {
            return objects.len();
        }
        match self.items() {
            Some(Items::Entries(entries)) => 2 * entries.len(),
            Some(Items::View { .. }) | None => 1,
            Some(items) => items.len(),
        }
    }

    /// Does it say what is held without need of the changes before?
    pub fn is_whole(&self) -> bool {
        !matches!(self, Self::More(_) | Self::Splice { .. } | Self::AsTold(_))
    }

    /// Does it say what its own object holds, and not something else?
    pub fn is_of_content(&self) -> bool {
        !matches!(self, Self::Gone { .. } | Self::AsTold(_))
    }
}

impl Items {
    /// The number of items: elements, entries, units, parts. A view's are not counted here.
    pub fn len(&self) -> usize {
        match self {
            Self::Elements(values) => values.len(),
            Self::Entries(entries) => entries.len(),
            Self::Text(units) => units.len(),
            Self::Value(_) => 1,
            Self::Named(parts) => parts.len(),
            Self::View { .. } => 0,
        }
    }

    /// Has it no items?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in it, keys among them.
    pub fn values(&self) -> Vec<Value> {
        match self {
            Self::Elements(values) => values.clone(),
            Self::Entries(entries) => entries
                .iter()
                .flat_map(|&(key, value)| [key, value])
                .collect(),
            Self::Value(value) => vec![*value],
            Self::Named(parts) => parts.iter().map(|&(_, value)| value).collect(),
            Self::Text(_) | Self::View { .. } => Vec::new(),
        }
    }

    /// Replaces `removed` items at `at` by others of the same kind; false if they do not fit.
    fn splice(&mut self, at: usize, removed: usize, inserted: &Self) -> bool {
        fn replace<T: Clone>(
            items: &mut Vec<T>,
            at: usize,
            removed: usize,
            inserted: &[T],
        ) -> bool {
            let end = at.saturating_add(removed);
            let fits = end <= items.len();
            if fits {
                items.splice(at..end, inserted.iter().cloned());
            }
            fits
        }
        match (self, inserted) {
            (Self::Elements(items), Self::Elements(more)) => replace(items, at, removed, more),
            (Self::Entries(items), Self::Entries(more)) => replace(items, at, removed, more),
            (Self::Named(items), Self::Named(more)) => replace(items, at, removed, more),
            (Self::Text(units), Self::Text(more)) => replace(&mut units.0, at, removed, more),
            _ => false,
        }
    }

    fn truncate(&mut self, length: usize) {
        match self {
            Self::Elements(items) => items.truncate(length),
            Self::Entries(items) => items.truncate(length),
            Self::Named(items) => items.truncate(length),
            Self::Text(units) => units.0.truncate(length),
            Self::Value(_) | Self::View { .. } => {}
        }
    }
}

/// What an object holds at some time, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Held {
    /// Nothing was said of it yet.
    #[default]
    Nothing,
    /// These.
    Items {
        /// The items, or the first of them.
        items: Items,
        /// The number of all.
        length: usize,
    },
    /// It is not known: why, in words for people.
    Unknown(String),
}

impl Held {
    /// Can both be what an object held at one time? What only one of them knows is no contradiction.
    pub fn agrees(&self, other: &Self) -> bool {
        fn begin_alike<T: PartialEq>(one: &[T], other: &[T]) -> bool {
            one.iter().zip(other).all(|(one, other)| one == other)
        }
        let (
            Self::Items {
                items: ours,
                length: our_length,
            },
            Self::Items { items, length },
        ) = (self, other)
        else {
            return true;
        };
        our_length == length
            && match (ours, items) {
                (Items::Elements(ours), Items::Elements(items)) => begin_alike(ours, items),
                (Items::Entries(ours), Items::Entries(items)) => begin_alike(ours, items),
                (Items::Text(ours), Items::Text(items)) => begin_alike(&ours.0, &items.0),
                (ours, items) => ours == items,
            }
    }

    /// Follows a change. One that contradicts what was held before makes it unknown.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Whole(items) => {
                let length = items.len();
                let items = items.clone();
                *self = Self::Items { items, length };
            }
            Change::First { items, length } => {
                let length = (*length as usize).max(items.len());
                let items = items.clone();
                *self = Self::Items { items, length };
            }
            Change::Unknown { reason, .. } => *self = Self::Unknown(reason.clone()),
            Change::Gone { .. } | Change::AsTold(_) => {}
            Change::More(more) => {
                if let Self::Items { items, length } = self {
                    let fits = items.splice(items.len(), 0, more);
                    *length = (*length).max(items.len());
                    if !fits {
                        self.contradicted();
                    }
                }
            }
            Change::Splice {
                at,
                removed,
                inserted,
            } => {
                self.splice(*at as usize, *removed as usize, inserted);
            }
        }
    }

    fn splice(&mut self, at: usize, removed: usize, inserted: &Items) {
        let Self::Items { items, length } = self else {
            return;
        };
        let known = items.len();
        let fits = if at.saturating_add(removed) > *length {
            false
        } else if at <= known {
            if at + removed > known {
                // Some that went were not known, and so is what lies behind.
                items.truncate(at);
                items.splice(at, 0, inserted)
            } else {
                items.splice(at, removed, inserted)
            }
        } else {
            true
        };
        if fits {
            *length = *length - removed + inserted.len();
        } else {
            self.contradicted();
        }
    }

    fn contradicted(&mut self) {
        *self = Self::Unknown("the recorded changes contradict each other".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn elements(numbers: &[i32]) -> Items {
        Items::Elements(numbers.iter().map(|&n| Value::Int(n)).collect())
    }

    fn after(changes: &[Change]) -> Held {
        let mut held = Held::default();
        changes.iter().for_each(|change| held.apply(change));
        held
    }

    #[test]
    fn what_is_known_of_a_long_list_grows_and_shrinks() {
        let first = Change::First {
            items: elements(&[1, 2]),
            length: 5,
        };
        let splice = |at, removed, numbers: &[i32]| Change::Splice {
            at,
            removed,
            inserted: elements(numbers),
        };
        let held = |numbers: &[i32], length| Held::Items {
            items: elements(numbers),
            length,
        };
        let more = Change::More(elements(&[3]));
        assert_eq!(after(&[first.clone(), more]), held(&[1, 2, 3], 5));
        assert_eq!(after(&[first.clone(), splice(0, 1, &[])]), held(&[2], 4));
        assert_eq!(
            after(&[first.clone(), splice(1, 3, &[9])]),
            held(&[1, 9], 3)
        );
        assert_eq!(after(&[first.clone(), splice(4, 1, &[])]), held(&[1, 2], 4));
        assert!(matches!(
            after(&[first.clone(), splice(4, 2, &[])]),
            Held::Unknown(_)
        ));
        let text = Change::More(Items::Text("a".into()));
        assert!(matches!(after(&[first, text]), Held::Unknown(_)));
    }

    proptest! {
        #[test]
        fn splices_do_what_vectors_do(
            start in proptest::collection::vec(any::<i32>(), 0..20),
            splices in proptest::collection::vec(
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(),
                 proptest::collection::vec(any::<i32>(), 0..4)), 0..10)
        ) {
            let mut model = start.clone();
            let mut held = after(&[Change::Whole(elements(&start))]);
            for (at, end, numbers) in splices {
                let at = at.index(model.len() + 1);
                let removed = end.index(model.len() - at + 1);
                held.apply(&Change::Splice {
                    at: at as u32,
                    removed: removed as u32,
                    inserted: elements(&numbers),
                });
                model.splice(at..at + removed, numbers);
            }
            prop_assert_eq!(held, Held::Items { items: elements(&model), length: model.len() });
        }
    }
}
