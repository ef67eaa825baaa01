//! What objects of the JDK are found to hold: is it the same?

use std::collections::VecDeque;

use jhyde_history::exact::Inside;
use jhyde_store::Error as StoreError;
use jhyde_store::records::Direction;
use jhyde_trace::{Change, Items, ObjectId, Timestamp, Value};

use super::marks::Before;
use super::side::Side;
use super::values::{Told, Values};
use crate::error::Result;

/// Of more items whose order says nothing only those in the same order are found again.
const MOST_UNORDERED: usize = 256;
/// Contents of more items are not compared as a whole.
const MOST_WHOLE: usize = 1 << 16;
/// Nor any, once so many items were: some seconds.
const MOST_WHOLES: usize = 1 << 24;

/// A change of what an object of a side holds.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) object: ObjectId,
    pub(super) change: &'a Change,
    pub(super) at: Timestamp,
    /// When something was found last between the same two events: one side may tell at once what the other one tells bit by bit.
    pub(super) last: Timestamp,
}

/// What comparing contents told, and why it told nothing, where that is known.
type Judged = (Told, Option<String>);

fn unknown(why: impl Into<String>) -> Judged {
    (Told::Unknown, Some(why.into()))
}

impl Values {
    /// Do two objects hold the same after these changes? Where they did before, what was changed tells it; else all of it is compared.
    pub(super) fn changes(
        &mut self,
        sides: &mut [Side; 2],
        left: Found<'_>,
        right: Found<'_>,
    ) -> Result<Judged> {
        let objects = [left.object, right.object];
        let mut times = [left.at, right.at];
        let told = self.objects(sides, left.object, right.object)?;
        let before = self.marks.before(objects, times);
        let class = sides[0].class_of(left.object)?;
        // What a class of the program made of one of the JDK's is not looked up here.
        let is_own = class.as_ref().is_some_and(|of| !of.starts_with("java."));
        let hashed = class.is_none_or(|of| hides_its_order(&of));
        let mut longer = false;
        let (items, why) = match (left.change, right.change) {
            (Change::Whole(left), Change::Whole(right))
            | (Change::More(left), Change::More(right)) => {
                (self.items(sides, hashed, left, right)?, None)
            }
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
                let items = match length == other {
                    // What follows may be in another order there.
                    true if hashed && items == Told::Differs => Told::Unknown,
                    is_equal => items.and(Told::of(is_equal)),
                };
                (items, None)
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
                match (before, items.and(place)) {
                    (Before::Equal, told @ (Told::Equal | Told::Differs)) => (told, None),
                    // As many came on both sides: one is longer still.
                    (Before::Longer, _)
                        if inserted.len() as u64 + u64::from(*went)
                            == came.len() as u64 + u64::from(*removed) =>
                    {
                        longer = true;
                        (Told::Differs, None)
                    }
                    // The same came to what was not the same.
                    (Before::Told(told), Told::Equal) if *removed == 0 => {
                        (told, Some(NOT_BEFORE.to_owned()))
                    }
                    _ => self.whole(sides, hashed, objects, times, &mut longer)?,
                }
            }
            (Change::Splice { .. }, Change::Whole(_) | Change::First { .. })
            | (Change::Whole(_) | Change::First { .. }, Change::Splice { .. }) => {
                times = [left.last, right.last];
                self.whole(sides, hashed, objects, times, &mut longer)?
            }
            _ => unknown("one side tells more of what it holds there, the other one what came"),
        };
        let (items, why) = match items {
            Told::Differs if is_own => {
                unknown("a class of the program may keep what it holds in an order of its own")
            }
            items => (items, why),
        };
        // What follows on the first items says nothing of those.
        let follows = matches!(
            (left.change, right.change),
            (Change::More(_), Change::More(_))
        );
        if !follows || items != Told::Equal {
            self.marks.compared(objects, times, items, longer);
        }
        Ok((told.and(items), why.filter(|_| items == Told::Unknown)))
    }

    /// All that two objects hold at these times: nothing becomes each other's by that. And does one hold more items?
    fn whole(
        &mut self,
        sides: &mut [Side; 2],
        hashed: bool,
        objects: [ObjectId; 2],
        times: [Timestamp; 2],
        longer: &mut bool,
    ) -> Result<Judged> {
        if self.wholes >= MOST_WHOLES {
            return Ok(unknown(format!(
                "too much was compared as a whole before: more than {MOST_WHOLES} items"
            )));
        }
        let left = sides[0].history.inside(objects[0], times[0])?;
        let right = sides[1].history.inside(objects[1], times[1])?;
        let sizes = [length(&left), length(&right)];
        let size = sizes[0].max(sizes[1]);
        *longer = sizes[0] != sizes[1];
        self.wholes += size + 1;
        if size > MOST_WHOLE {
            return Ok(unknown(format!(
                "it holds more than {MOST_WHOLE} items, which are not compared as a whole"
            )));
        }
        let items = match (left, right) {
            (Inside::Unknown(why), _) | (_, Inside::Unknown(why)) => {
                return Ok(unknown(format!(
                    "all that it holds then is not known: {why}"
                )));
            }
            (Inside::Items(left), Inside::Items(right)) => [left, right].map(Items::Elements),
            (Inside::Entries(left), Inside::Entries(right)) => [left, right].map(Items::Entries),
            (Inside::Text(left), Inside::Text(right)) => [left, right].map(Items::Text),
            _ => return Ok(unknown("all that it holds then is not told by its items")),
        };
        let told = self.items_known(sides, hashed, [&items[0], &items[1]])?;
        Ok(match told {
            Told::Equal => (told, None),
            Told::Unknown => unknown("some of its items are not known to be the same"),
            Told::Differs if !are_of_one_engine(sides) => {
                unknown("the engines tell what it holds in ways of their own")
            }
            // The order of threads is nothing that the program decides.
            Told::Differs if self.are_shared(sides, objects)? => {
                unknown("several threads change it, in an order of their own")
            }
            Told::Differs => (told, None),
        })
    }

    fn items_known(
        &mut self,
        sides: &mut [Side; 2],
        hashed: bool,
        [left, right]: [&Items; 2],
    ) -> Result<Told> {
        let before = self.set_only_known(true);
        let told = self.items(sides, hashed, left, right);
        self.set_only_known(before);
        told
    }

    /// Does more than one thread change one of two objects?
    fn are_shared(&mut self, sides: &[Side; 2], objects: [ObjectId; 2]) -> Result<bool> {
        for (side, object) in objects.into_iter().enumerate() {
            let is_shared = match self.shared.get(&(side, object)) {
                Some(known) => *known,
                None => {
                    let found = is_shared(&sides[side], object)?;
                    self.shared.insert((side, object), found);
                    found
                }
            };
            if is_shared {
                return Ok(true);
            }
        }
        Ok(false)
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

const NOT_BEFORE: &str = "what it held before is not known to be the same";

fn length(inside: &Inside) -> usize {
    match inside {
        Inside::Items(items) => items.len(),
        Inside::Entries(entries) => entries.len(),
        Inside::Text(units) => units.len(),
        Inside::Array(_) | Inside::Fields | Inside::Unknown(_) => 0,
    }
}

/// Did one engine record both? Else what is told at one place need not be of one time.
fn are_of_one_engine(sides: &[Side; 2]) -> bool {
    let [left, right] = [0, 1].map(|side: usize| sides[side].recording.meta().options.engine);
    left == right
}

/// Does more than one thread change what an object holds? What is damaged may say so.
fn is_shared(side: &Side, object: ObjectId) -> Result<bool> {
    let all = Timestamp(0)..side.recording.end();
    let changes = side
        .recording
        .content_changes(object, all, Direction::Forward);
    let mut first = None;
    for change in changes {
        side.is_cancelled()?;
        let thread = match change {
            Err(StoreError::Damaged { .. }) => return Ok(true),
            change => change?.call.thread,
        };
        if *first.get_or_insert(thread) != thread {
            return Ok(true);
        }
    }
    Ok(false)
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
