//! What objects hold, in a passage.

use super::super::Block;
use super::super::shape::split;
use super::maker::Thread;
use crate::content::{Change, Given, Items, Part};
use crate::value::Value;

impl Thread {
    /// Takes what an object holds from now on.
    pub(super) fn change(&mut self, block: &Block, number: u64, holder: u64) {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let (kind, items, more) = match block.changes.get(number) {
            Some(Change::Whole(items)) => (0, items, [0; 2]),
            Some(Change::First { items, length }) => (1, items, [*length, 0]),
            Some(Change::More(items)) => (2, items, [0; 2]),
            Some(Change::Splice {
                at,
                removed,
                inserted,
            }) => (3, inserted, [*at, *removed]),
            _ => {
                self.is_broken = true;
                return;
            }
        };
        if more[1] > 0
            && let Some(met) = self.passage.objects.get_mut(holder as usize)
        {
            met.lost = true;
        }
        let [one, other] = more.map(u64::from);
        self.numbers([kind, one, other, items.len() as u64]);
        match items {
            Items::Elements(values) => {
                self.numbers([0]);
                values.iter().for_each(|value| self.value(*value));
            }
            Items::Entries(entries) => {
                self.numbers([1]);
                for (key, value) in entries {
                    self.value(*key);
                    self.value(*value);
                }
            }
            Items::Text(units) => {
                self.numbers([2]);
                // Seven units and a bit that none of them has, a word.
                for units in units.chunks(7) {
                    let word = units
                        .iter()
                        .fold(1, |word, &unit| word << 16 | u128::from(unit));
                    self.digest.push(word);
                }
            }
            Items::Value(value) => {
                self.numbers([3]);
                self.value(*value);
            }
            Items::Named(parts) => {
                self.numbers([4]);
                for (name, value) in parts {
                    self.numbers([name.len() as u64]);
                    self.numbers(name.bytes().map(u64::from));
                    self.value(*value);
                }
            }
            Items::View { of, part } => {
                let object = self.object(of.0, true);
                self.numbers([5, object]);
                self.numbers(numbers_of(*part));
            }
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let numbers = numbers.into_iter();
        numbers.for_each(|number| self.digest.push(number.into()));
    }

    fn value(&mut self, value: Value) {
        if let Value::Missing(_) = value {
            self.is_broken = true;
            return;
        }
        let (tag, bits) = split(value);
        let number = match value {
            Value::Object(object) => self.object(object.0, true),
            _ => bits.unwrap_or(0),
        };
        self.digest.push(u128::from(tag) << 64 | u128::from(number));
    }
}

/// Is what an object holds not known from there on?
pub(super) fn is_unknown(change: &Change) -> bool {
    matches!(change, Change::Unknown { .. } | Change::Gone { .. })
}

/// What a part of another content is, in numbers: of different parts different ones.
fn numbers_of(part: Part) -> [u64; 5] {
    match part {
        Part::Same => [0; 5],
        Part::Keys => [1, 0, 0, 0, 0],
        Part::Values => [2, 0, 0, 0, 0],
        Part::Entries => [3, 0, 0, 0, 0],
        Part::Reversed => [4, 0, 0, 0, 0],
        Part::Range { from, to } => [5, from.into(), to.into(), 0, 0],
        Part::At { index } => [6, index.into(), 0, 0, 0],
        Part::Rest {
            given,
            index,
            backwards,
        } => {
            let given = match given {
                Given::Item => 0,
                Given::Key => 1,
                Given::Value => 2,
            };
            [7, given, index.into(), backwards.into(), 0]
        }
        Part::Buffer {
            from,
            to,
            position,
            limit,
        } => [8, from.into(), to.into(), position.into(), limit.into()],
    }
}
