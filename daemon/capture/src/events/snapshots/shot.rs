//! What one snapshot has taken so far, and what still goes into it. No I/O.

use jdwp::TaggedObject;
use jhyde_trace::{Change, EventKind, Items, Looked, ObjectId, SnapshotLimits, Value, Variable};
use rustc_hash::FxHashSet;

use crate::contents::Told;
use crate::events::snapshots::told::ToldBefore;

/// Bytes that a field counts, and an item of a collection.
pub(in crate::events) const ITEM: usize = 8;

/// See the module.
pub(in crate::events) struct Shot<'a> {
    /// What was found and was not told before, in the order in which it is told.
    events: Vec<EventKind>,
    /// What is as it was told before, as far as that is not told beside it.
    as_told: Vec<(ObjectId, Looked)>,
    told: &'a mut ToldBefore,
    /// About how many events were told before.
    now: u64,
    /// Objects that were met.
    seen: FxHashSet<u64>,
    /// The most elements of one object.
    elements: usize,
    /// Bytes that may still be taken.
    left: usize,
}

impl<'a> Shot<'a> {
    pub(in crate::events) fn new(
        limits: SnapshotLimits,
        told: &'a mut ToldBefore,
        now: u64,
    ) -> Self {
        Self {
            events: Vec::new(),
            as_told: Vec::new(),
            told,
            now,
            seen: FxHashSet::default(),
            elements: limits.elements as usize,
            left: limits.bytes as usize,
        }
    }

    /// Those of these objects that were not met before.
    pub(in crate::events) fn fresh(
        &mut self,
        objects: impl IntoIterator<Item = TaggedObject>,
    ) -> Vec<TaggedObject> {
        let mut fresh: Vec<_> = objects.into_iter().collect();
        fresh.retain(|object| !object.id.is_null() && self.seen.insert(object.id.0));
        fresh
    }

    /// Takes so many values if there is room for all of them: an object is told with all of its fields or with none.
    pub(in crate::events) fn take_all(&mut self, count: usize) -> bool {
        let bytes = count.saturating_mul(ITEM);
        let fits = bytes <= self.left;
        if fits {
            self.left -= bytes;
        }
        fits
    }

    /// Takes the first of so many elements, each of so many bytes. Gives how many there is room for.
    pub(in crate::events) fn take_first(&mut self, count: usize, width: usize) -> usize {
        let width = width.max(1);
        let taken = count.min(self.elements).min(self.left / width);
        self.left -= taken * width;
        taken
    }

    /// The most items that are worth reading of what holds characters, or something else.
    pub(in crate::events) fn most(&self, is_text: bool) -> usize {
        match is_text {
            true => self.left,
            false => self.elements,
        }
    }

    /// Takes what an object holds, as far as there is room: of more than was read the number is `total`. Objects in it
    /// go to `next`, one that it is a view of to `behind`.
    pub(in crate::events) fn take_held(
        &mut self,
        told: &Told,
        total: Option<usize>,
        value: impl Fn(&jdwp::Value) -> Value,
        next: &mut Vec<TaggedObject>,
        behind: &mut Vec<TaggedObject>,
    ) -> Change {
        let mut take = |told: &jdwp::Value| {
            next.extend(told.object());
            value(told)
        };
        let (items, read) = match told {
            Told::Elements(all) => {
                let kept = &all[..self.take_first(all.len(), ITEM)];
                (
                    Items::Elements(kept.iter().map(&mut take).collect()),
                    all.len(),
                )
            }
            Told::Entries(all) => {
                let kept = &all[..self.take_first(all.len(), 2 * ITEM)];
                let kept = kept.iter().map(|(key, value)| (take(key), take(value)));
                (Items::Entries(kept.collect()), all.len())
            }
            Told::Text(units) => {
                let narrow = units.iter().all(|&unit| unit < 256);
                let width = if narrow { 1 } else { 2 };
                let kept = units.len().min(self.left / width);
                self.left -= kept * width;
                (Items::Text(units[..kept].into()), units.len())
            }
            Told::Value(value) => {
                self.left = self.left.saturating_sub(ITEM);
                (Items::Value(take(value)), 1)
            }
            Told::View { of, part } => {
                self.left = self.left.saturating_sub(ITEM);
                behind.push(*of);
                let of = jdwp::Value::Object {
                    tag: of.tag,
                    id: of.id,
                };
                let Value::Object(of) = value(&of) else {
                    return Change::Unknown {
                        since: None,
                        reason: "what lies behind it is gone".to_owned(),
                    };
                };
                return Change::Whole(Items::View { of, part: *part });
            }
        };
        let length = total.unwrap_or(read).max(read);
        match items.len() == length {
            true => Change::Whole(items),
            false => Change::First {
                items,
                length: u32::try_from(length).unwrap_or(u32::MAX),
            },
        }
    }

    pub(in crate::events) fn tell_held(&mut self, object: ObjectId, change: Change) {
        match self.told.held(object, self.now, &change) {
            true => self.events.push(found(object, change)),
            false => self.as_told.push((object, Looked::Held)),
        }
    }

    /// An object was met and could not be read.
    pub(in crate::events) fn tell_unknown(&mut self, object: ObjectId, reason: &str) {
        self.told.forget(object);
        let reason = reason.to_owned();
        let since = None;
        self.events
            .push(found(object, Change::Unknown { reason, since }));
    }

    /// All fields of an object, or the first elements of an array.
    pub(in crate::events) fn tell_values(
        &mut self,
        object: ObjectId,
        looked: Looked,
        variables: impl Iterator<Item = Variable>,
        values: &[Value],
    ) {
        let mut changed = self.told.values(object, self.now, values);
        if changed.is_some() {
            self.as_told.push((object, looked));
        }
        let mut changed = changed.as_mut().map(|of| of.drain(..).peekable());
        for (at, (variable, &value)) in variables.zip(values).enumerate() {
            let is_told = match &mut changed {
                Some(changed) => changed.next_if_eq(&at).is_some(),
                None => true,
            };
            if is_told {
                self.events.push(EventKind::Snapshot { variable, value });
            }
        }
    }

    /// All that is to be told.
    pub(in crate::events) fn into_events(mut self) -> Vec<EventKind> {
        if let Some(&(first, _)) = self.as_told.first() {
            self.events.push(found(first, Change::AsTold(self.as_told)));
        }
        self.events
    }
}

fn found(object: ObjectId, change: Change) -> EventKind {
    EventKind::Content {
        object,
        snapshot: true,
        change,
    }
}

#[cfg(test)]
mod tests {
    use jdwp::Tag;
    use proptest::prelude::*;

    use super::*;

    fn shot(told: &mut ToldBefore, elements: u32, bytes: u32) -> Shot<'_> {
        let limits = SnapshotLimits {
            depth: 3,
            elements,
            bytes,
        };
        Shot::new(limits, told, 0)
    }

    fn ours(value: &jdwp::Value) -> Value {
        match value {
            jdwp::Value::Int(value) => Value::Int(*value),
            value => value.object().map_or(Value::Null, |object| {
                Value::Object(ObjectId(object.id.0 * 2))
            }),
        }
    }

    fn objects(ids: impl IntoIterator<Item = u64>) -> Vec<jdwp::Value> {
        let object = |id| jdwp::Value::Object {
            tag: Tag::OBJECT,
            id: jdwp::ObjectId(id),
        };
        ids.into_iter().map(object).collect()
    }

    #[test]
    fn what_is_cut_is_told_with_the_true_length_and_nothing_of_it_is_looked_into() {
        let mut before = ToldBefore::default();
        let mut shot = shot(&mut before, 3, 2048);
        let (mut next, mut behind) = (Vec::new(), Vec::new());
        let told = Told::Elements(objects(1..=3));
        let change = shot.take_held(&told, Some(50), ours, &mut next, &mut behind);
        let Change::First { items, length: 50 } = &change else {
            panic!("cut, of 50: {change:?}");
        };
        assert_eq!((items.len(), next.len()), (3, 3));
        next.clear();
        let told = Told::Entries(objects(10..=14).into_iter().zip(objects(20..=24)).collect());
        let change = shot.take_held(&told, None, ours, &mut next, &mut behind);
        assert!(
            matches!(change, Change::First { length: 5, .. }),
            "{change:?}"
        );
        assert_eq!(next.len(), 6, "only what is told is looked into");
    }

    #[test]
    fn an_object_is_told_whole_or_not_at_all() {
        let mut told = ToldBefore::default();
        let mut shot = shot(&mut told, 100, 40);
        assert!(!shot.take_all(6));
        assert!(shot.take_all(5));
        assert!(!shot.take_all(1));
        assert_eq!(shot.take_first(10, 8), 0);
    }

    #[test]
    fn what_was_told_before_is_named_and_only_what_changed_is_told() {
        let mut before = ToldBefore::default();
        let (array, list) = (ObjectId(2), ObjectId(4));
        let mut taken = |elements: &[i32], held: &[i32]| {
            let values = |of: &[i32]| of.iter().map(|&of| Value::Int(of)).collect::<Vec<_>>();
            let mut shot = shot(&mut before, 100, 2048);
            let looked = Looked::Elements(elements.len() as u32);
            let variables = (0..).map(|index| Variable::Element { array, index });
            shot.tell_values(array, looked, variables, &values(elements));
            shot.tell_held(list, Change::Whole(Items::Elements(values(held))));
            shot.into_events()
        };
        let element = |index, value| EventKind::Snapshot {
            variable: Variable::Element { array, index },
            value: Value::Int(value),
        };
        let held = |of| found(list, Change::Whole(Items::Elements(vec![Value::Int(of)])));
        let as_told = |of: &[(ObjectId, Looked)]| found(of[0].0, Change::AsTold(of.to_vec()));
        let (two, list) = ((array, Looked::Elements(2)), (list, Looked::Held));
        assert_eq!(
            taken(&[5, 6], &[1]),
            [element(0, 5), element(1, 6), held(1)]
        );
        assert_eq!(taken(&[5, 6], &[1]), [as_told(&[two, list])]);
        assert_eq!(taken(&[5, 7], &[1]), [element(1, 7), as_told(&[two, list])]);
        let one = (array, Looked::Elements(1));
        assert_eq!(taken(&[5], &[2]), [held(2), as_told(&[one])]);
    }

    #[test]
    fn each_object_is_met_once() {
        let mut told = ToldBefore::default();
        let mut shot = shot(&mut told, 100, 2048);
        let object = |id| TaggedObject {
            tag: Tag::OBJECT,
            id: jdwp::ObjectId(id),
        };
        assert_eq!(shot.fresh([1, 2, 1, 0].map(object)), [1, 2].map(object));
        assert_eq!(shot.fresh([2, 3].map(object)), [3].map(object));
    }

    proptest! {
        #[test]
        fn a_snapshot_never_takes_more_than_its_bytes(
            bytes in 0_u32..200,
            elements in 0_u32..20,
            parts in proptest::collection::vec((0_u8..4, 0_usize..40), 0..12),
        ) {
            let mut before = ToldBefore::default();
            let mut shot = shot(&mut before, elements, bytes);
            let (mut next, mut behind, mut taken) = (Vec::new(), Vec::new(), 0);
            for (kind, count) in parts {
                let read = Told::Elements(vec![jdwp::Value::Int(1); count]);
                match kind {
                    0 if shot.take_all(count) => taken += count * ITEM,
                    0 => {}
                    1 => taken += shot.take_first(count, 4) * 4,
                    2 => {
                        let change = shot.take_held(&read, None, ours, &mut next, &mut behind);
                        prop_assert_eq!(change.size() == count, matches!(change, Change::Whole(_)));
                        prop_assert!(change.size() <= elements as usize);
                        taken += change.size() * ITEM;
                    }
                    _ => {
                        let text = Told::Text(vec![300; count]);
                        taken += 2 * shot.take_held(&text, None, ours, &mut next, &mut behind).size();
                    }
                }
            }
            prop_assert!(taken <= bytes as usize);
        }
    }
}
