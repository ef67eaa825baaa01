//! What lies between two contents of one object, as one splice.

use jhyde_trace::{Change, Items};

/// What made the second content of the first; `None` if they are the same.
pub(crate) fn difference(before: &Items, after: Items) -> Option<Change> {
    let span = match (before, &after) {
        (Items::Elements(before), Items::Elements(after)) => span(before, after),
        (Items::Entries(before), Items::Entries(after)) => span(before, after),
        (Items::Text(before), Items::Text(after)) => span(before, after),
        _ if *before == after => return None,
        _ => return Some(Change::Whole(after)),
    };
    let Span {
        at,
        removed,
        inserted,
    } = span;
    if removed == 0 && inserted == 0 {
        return None;
    }
    // Nothing of it stayed: then the whole says the same, and more.
    if at == 0 && removed == before.len() {
        return Some(Change::Whole(after));
    }
    let inserted = match after {
        Items::Elements(after) => Items::Elements(after[at..at + inserted].to_vec()),
        Items::Entries(after) => Items::Entries(after[at..at + inserted].to_vec()),
        Items::Text(after) => Items::Text(after[at..at + inserted].into()),
        other => return Some(Change::Whole(other)),
    };
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    Some(Change::Splice {
        at: number(at),
        removed: number(removed),
        inserted,
    })
}

struct Span {
    at: usize,
    removed: usize,
    inserted: usize,
}

/// What differs between the longest common beginning and end.
fn span<T: PartialEq>(before: &[T], after: &[T]) -> Span {
    let both = before.iter().zip(after);
    let at = both.take_while(|(one, other)| one == other).count();
    let ends = before[at..].iter().rev().zip(after[at..].iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    Span {
        at,
        removed: before.len() - at - end,
        inserted: after.len() - at - end,
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{Held, Value};

    use super::*;

    fn elements(numbers: &[i32]) -> Items {
        Items::Elements(numbers.iter().map(|&n| Value::Int(n)).collect())
    }

    #[test]
    fn a_difference_makes_the_one_of_the_other() {
        let all: [&[i32]; 7] = [
            &[],
            &[1],
            &[1, 1],
            &[1, 2, 3],
            &[1, 3],
            &[3, 2, 1],
            &[1, 1, 2, 3],
        ];
        for before in all {
            for after in all {
                let mut held = Held::default();
                held.apply(&Change::Whole(elements(before)));
                let change = difference(&elements(before), elements(after));
                assert_eq!(change.is_none(), before == after, "{before:?} {after:?}");
                change.iter().for_each(|change| held.apply(change));
                let items = elements(after);
                let length = after.len();
                assert_eq!(held, Held::Items { items, length }, "{before:?} {after:?}");
            }
        }
    }

    #[test]
    fn only_what_changed_is_told() {
        let change = difference(&elements(&[1, 2, 3, 4]), elements(&[1, 9, 3, 4]));
        let one = Change::Splice {
            at: 1,
            removed: 1,
            inserted: elements(&[9]),
        };
        assert_eq!(change, Some(one));
    }
}
