//! Of which objects is it not known that they hold the same as their counterparts? Nothing is kept of the others, so that of equal
//! runs that is nothing.

use jhyde_trace::{ObjectId, Timestamp};
use rustc_hash::FxHashMap;

use super::values::Told;

/// What was known of two objects before a change of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// They held the same.
    Equal,
    /// When they were compared last, that was told, and nothing has happened to one of them alone since.
    Told(Told),
    /// Likewise they held more or fewer items than each other.
    Longer,
    /// Something was changed on one side alone since they were compared.
    Alone,
}

/// An object that may hold something else than its counterpart.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Behind this time.
    first: Timestamp,
    /// Up to this time it is known why: what is compared at or behind it takes the mark away.
    last: Timestamp,
    /// What comparing both told; `None` where one of them was changed alone.
    told: Option<Told>,
    /// It holds more items than the other one, or fewer.
    longer: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Marks {
    sides: [FxHashMap<ObjectId, Mark>; 2],
    /// Behind these times any object of a side may be another one: what changed was not read.
    all: [Option<Timestamp>; 2],
}

impl Marks {
    /// An object was changed on one side alone, from the first of these times to the last.
    pub(super) fn alone(&mut self, side: usize, object: ObjectId, [first, last]: [Timestamp; 2]) {
        let mark = self.sides[side].entry(object).or_insert(Mark {
            first,
            last,
            told: None,
            longer: false,
        });
        mark.first = mark.first.min(first);
        mark.last = mark.last.max(last);
        mark.told = None;
    }

    /// What changed on a side from a time on was not read.
    pub(super) fn unread(&mut self, side: usize, from: Timestamp) {
        let known = self.all[side].unwrap_or(from);
        self.all[side] = Some(known.min(from));
    }

    /// Was something passed that may have changed any object?
    pub(super) fn are_all(&self) -> bool {
        self.all.iter().any(Option::is_some)
    }

    /// May one of two objects hold something else than the other before these times?
    pub(super) fn are_marked(&self, objects: [ObjectId; 2], times: [Timestamp; 2]) -> bool {
        (0..2).any(|side| self.mark(side, objects[side], times[side]).is_some())
    }

    fn mark(&self, side: usize, object: ObjectId, at: Timestamp) -> Option<Mark> {
        let mark = self.sides[side].get(&object)?;
        (mark.first < at).then_some(*mark)
    }

    /// What was known of two objects before these times.
    pub(super) fn before(&self, objects: [ObjectId; 2], times: [Timestamp; 2]) -> Before {
        let is_unread = |side: usize| self.all[side].is_some_and(|from| from < times[side]);
        if (0..2).any(is_unread) {
            return Before::Alone;
        }
        let marks = [0, 1].map(|side| self.mark(side, objects[side], times[side]));
        match marks {
            [None, None] => Before::Equal,
            [Some(left), Some(right)] if left.last < times[0] && right.last < times[1] => {
                match (left.told, right.told) {
                    (Some(Told::Differs), Some(Told::Differs)) if left.longer && right.longer => {
                        Before::Longer
                    }
                    (Some(one), Some(other)) if one == other => Before::Told(one),
                    _ => Before::Alone,
                }
            }
            _ => Before::Alone,
        }
    }

    /// Two objects were compared as they are at these times. `longer`: one holds more items than the other.
    pub(super) fn compared(
        &mut self,
        objects: [ObjectId; 2],
        times: [Timestamp; 2],
        told: Told,
        longer: bool,
    ) {
        for (side, (object, at)) in objects.into_iter().zip(times).enumerate() {
            let marks = &mut self.sides[side];
            let known = marks.get(&object).copied();
            let mark = match known {
                // Other threads changed it, or will have, by then.
                Some(mark) if mark.last > at => Mark {
                    first: match told {
                        Told::Equal => mark.first.max(at),
                        _ => mark.first.min(at),
                    },
                    told: None,
                    ..mark
                },
                None if told == Told::Equal => continue,
                Some(_) if told == Told::Equal => {
                    marks.remove(&object);
                    continue;
                }
                known => Mark {
                    first: known.map_or(at, |mark| mark.first.min(at)),
                    last: at,
                    told: Some(told),
                    longer,
                },
            };
            marks.insert(object, mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: [ObjectId; 2] = [ObjectId(5), ObjectId(7)];

    fn at(left: u64, right: u64) -> [Timestamp; 2] {
        [Timestamp(left), Timestamp(right)]
    }

    #[test]
    fn nothing_is_kept_of_what_is_equal() {
        let mut marks = Marks::default();
        marks.compared(PAIR, at(10, 11), Told::Equal, false);
        assert_eq!(marks.before(PAIR, at(12, 13)), Before::Equal);
        assert!(!marks.are_marked(PAIR, at(12, 13)));
        assert!(marks.sides.iter().all(FxHashMap::is_empty));
    }

    #[test]
    fn what_one_side_changed_alone_is_marked_until_it_is_compared() {
        let mut marks = Marks::default();
        marks.alone(0, PAIR[0], at(10, 10));
        assert_eq!(marks.before(PAIR, at(9, 9)), Before::Equal, "not yet");
        assert_eq!(marks.before(PAIR, at(11, 9)), Before::Alone);
        assert!(marks.are_marked(PAIR, at(11, 9)));
        marks.compared(PAIR, at(11, 9), Told::Differs, false);
        let differs = Before::Told(Told::Differs);
        assert_eq!(marks.before(PAIR, at(12, 10)), differs);
        marks.compared(PAIR, at(11, 9), Told::Differs, true);
        assert_eq!(marks.before(PAIR, at(12, 10)), Before::Longer);
        marks.alone(1, PAIR[1], at(10, 10));
        assert_eq!(marks.before(PAIR, at(12, 11)), Before::Alone);
        marks.compared(PAIR, at(12, 11), Told::Equal, false);
        assert_eq!(marks.before(PAIR, at(13, 12)), Before::Equal);
    }

    #[test]
    fn what_another_thread_changes_later_stays_marked() {
        let mut marks = Marks::default();
        marks.alone(0, PAIR[0], at(10, 30));
        marks.compared(PAIR, at(20, 20), Told::Equal, false);
        assert_eq!(marks.before(PAIR, at(20, 20)), Before::Equal);
        assert_eq!(marks.before(PAIR, at(31, 31)), Before::Alone);
    }

    #[test]
    fn what_was_not_read_may_have_changed_all() {
        let mut marks = Marks::default();
        marks.unread(1, Timestamp(20));
        marks.unread(1, Timestamp(30));
        assert!(marks.are_all());
        assert_eq!(marks.before(PAIR, at(25, 20)), Before::Equal);
        assert_eq!(marks.before(PAIR, at(25, 21)), Before::Alone);
    }
}
