//! What objects of the JDK are found to hold: is it the same?

use std::collections::VecDeque;

use jhyde_trace::{Change, Items, ObjectId, Value};

use super::side::Side;
use super::values::{Told, Values};
use crate::error::Result;

/// Of more items whose order says nothing only those in the same order are found again.
const MOST_UNORDERED: usize = 256;

impl Values {
    /// Changes of two objects. What is told in two ways (all of it, or what came) is not known to be the same.
    pub(super) fn changes(
        &mut self,
        sides: &mut [Side; 2],
        left: (ObjectId, &Change),
        right: (ObjectId, &Change),
    ) -> Result<Told> {
        let told = self.objects(sides, left.0, right.0)?;
        let class = sides[0].class_of(left.0)?;
        // What a class of the program made of one of the JDK's is not looked up here.
        let is_own = class.as_ref().is_some_and(|of| !of.starts_with("java."));
        let hashed = class.is_none_or(|of| hides_its_order(&of));
        let items = match (left.1, right.1) {
            (Change::Whole(left), Change::Whole(right)) => {
                self.items(sides, hashed, left, right)?
            }
            (Change::More(left), Change::More(right)) => self.items(sides, hashed, left, right)?,
            (
                Change::First {
                    items: left,
                    length,
                },
                Change::First {
                    items: right,
                    length: other,
                },
            ) => {
                let items = self.items(sides, hashed, left, right)?;
                match length == other {
                    // What follows may be in another order there.
                    true if hashed && items == Told::Differs => Told::Unknown,
                    is_equal => items.and(Told::of(is_equal)),
                }
            }
            (
                Change::Splice {
                    at,
                    removed,
                    inserted,
                },
                Change::Splice {
                    at: of,
                    removed: went,
                    inserted: came,
                },
            ) => {
                let items = self.items(sides, hashed, inserted, came)?;
                let place = match (removed == went, at == of) {
                    (false, _) => Told::Differs,
                    (true, false) if !hashed => Told::Differs,
                    // Which ones went is told by where they were alone.
                    (true, _) if hashed && *removed > 0 => Told::Unknown,
                    (true, _) => Told::Equal,
                };
                items.and(place)
            }
            _ => Told::Unknown,
        };
        let items = match items {
            Told::Differs if is_own => Told::Unknown,
            items => items,
        };
        Ok(told.and(items))
    }

    fn items(
        &mut self,
        sides: &mut [Side; 2],
        hashed: bool,
        left: &Items,
        right: &Items,
    ) -> Result<Told> {
        match (left, right) {
            (Items::Elements(left), Items::Elements(right)) => {
                let of = |values: &[Value]| values.iter().map(|of| [*of; 1]).collect::<Vec<_>>();
                self.rows(sides, hashed, &of(left), &of(right))
            }
            (Items::Entries(left), Items::Entries(right)) => {
                let of = |entries: &[(Value, Value)]| {
                    let rows = entries.iter().map(|(key, value)| [*key, *value]);
                    rows.collect::<Vec<_>>()
                };
                self.rows(sides, hashed, &of(left), &of(right))
            }
            (Items::Text(left), Items::Text(right)) => Ok(Told::of(left == right)),
            (Items::Value(left), Items::Value(right)) => self.compare(sides, *left, *right),
            // Parts with names are of locks and buffers, whose owners and counts threads decide: another one says nothing.
            (Items::Named(left), Items::Named(right)) => {
                let mut told = Told::of(left.len() == right.len());
                for ((name, left), (other, right)) in left.iter().zip(right) {
                    let value = self.compare(sides, *left, *right)?;
                    told = told.and(Told::of(name == other)).and(value);
                }
                Ok(match told {
                    Told::Differs => Told::Unknown,
                    told => told,
                })
            }
            (
                Items::View { of: left, part },
                Items::View {
                    of: right,
                    part: other,
                },
            ) => Ok(self
                .objects(sides, *left, *right)?
                .and(Told::of(part == other))),
            // An empty `Optional` has no elements, another one a value: what is held in another way is something else.
            _ => Ok(Told::Differs),
        }
    }

    fn rows<const N: usize>(
        &mut self,
        sides: &mut [Side; 2],
        hashed: bool,
        left: &[[Value; N]],
        right: &[[Value; N]],
    ) -> Result<Told> {
        if left.len() != right.len() {
            return Ok(Told::Differs);
        }
        if hashed {
            return self.unordered(sides, left, right);
        }
        let mut told = Told::Equal;
        for (left, right) in left.iter().zip(right) {
            told = told.and(self.row(sides, left, right)?);
        }
        Ok(told)
    }

    fn row<const N: usize>(
        &mut self,
        sides: &mut [Side; 2],
        left: &[Value; N],
        right: &[Value; N],
    ) -> Result<Told> {
        let mut told = Told::Equal;
        for (left, right) in left.iter().zip(right) {
            told = told.and(self.compare(sides, *left, *right)?);
        }
        Ok(told)
    }

    /// Rows whose order the hashes of identities may decide: each is looked for on the other side. Objects that were not met do not
    /// become each other's by that.
    fn unordered<const N: usize>(
        &mut self,
        sides: &mut [Side; 2],
        left: &[[Value; N]],
        right: &[[Value; N]],
    ) -> Result<Told> {
        // Most are found near its front, and are taken out there: of a map of 100,000 entries nothing else is moved.
        let mut rest: VecDeque<&[Value; N]> = right.iter().collect();
        let mut is_certain = true;
        for row in left {
            let mut found = None;
            for (at, other) in rest.iter().take(MOST_UNORDERED).enumerate() {
                let mut told = Told::Equal;
                for (one, other) in row.iter().zip(*other) {
                    told = told.and(self.compare_known(sides, *one, *other)?);
                }
                match told {
                    Told::Equal => {
                        found = Some(at);
                        break;
                    }
                    Told::Unknown => is_certain = false,
                    Told::Differs => {}
                }
            }
            match found {
                Some(at) => {
                    rest.remove(at);
                }
                // It may be any of those that are not known, or stand behind those that were looked at.
                None if !is_certain || rest.len() > MOST_UNORDERED => return Ok(Told::Unknown),
                None => return Ok(Told::Differs),
            }
        }
        Ok(Told::Equal)
    }
}

/// Is it not told by their places what goes out of an object?
pub(super) fn hides_what_goes(sides: &mut [Side; 2], left: ObjectId) -> Result<bool> {
    let class = sides[0].class_of(left)?;
    Ok(class.is_none_or(|of| hides_its_order(&of)))
}

/// Is the order in which it gives its items decided by hashes, which may be those of identities, or by a number of the run?
fn hides_its_order(class: &str) -> bool {
    let hashed = class.starts_with("java.") && class.contains("Hash") && !class.contains("Linked");
    let immutable = class.starts_with("java.util.ImmutableCollections$");
    hashed || (immutable && (class.contains("Set") || class.contains("Map")))
}
