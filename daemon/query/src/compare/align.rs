//! Two sequences aligned: what stands in both, in order, and what in one alone.
//!
//! The greedy algorithm of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986), which finds a longest common
//! subsequence, with a bound on how much may be put in and taken out: beyond it, the alignment ends where most of both had been
//! read, and whoever asked goes on from there. So the time is linear in what is aligned, and what comes out is the same each time.

/// So much may be put in and taken out by one alignment: two windows of events that have nothing in common.
pub(super) const MOST_EDITS: usize = 2048;

/// A step of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The next of both: they are equal.
    Both,
    /// The next of the left one has no counterpart.
    Left,
    /// The next of the right one has none.
    Right,
}

/// One of the sequences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence<'a, T> {
    pub(super) of: &'a [T],
    /// There is more behind it: the alignment ends with it, and says nothing of what of the other one is left.
    pub(super) goes_on: bool,
}

/// Aligns them from their beginnings.
pub(super) fn align<T: PartialEq>(left: Sequence<'_, T>, right: Sequence<'_, T>) -> Vec<Step> {
    let (a, b) = (left.of, right.of);
    let is_end = |x: usize, y: usize| {
        let ends = [x == a.len(), y == b.len()];
        ends == [true; 2] || (ends[0] && left.goes_on) || (ends[1] && right.goes_on)
    };
    let mut rounds = Rounds {
        lengths: [a.len(), b.len()],
        furthest: Vec::new(),
    };
    let mut end = None;
    for edits in 0..=MOST_EDITS {
        let mut row = vec![NONE; edits + 1];
        for at in (0..=2 * edits).step_by(2) {
            let Some((mut x, mut y, _)) = rounds.begin(edits, at) else {
                continue;
            };
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            row[at / 2] = u32::try_from(x).unwrap_or(NONE);
            // Of several ways that end here the one that has most of both behind it: what it matched others left out.
            if is_end(x, y) && end.is_none_or(|(_, read)| read < x + y) {
                end = Some((at, x + y));
            }
        }
        rounds.furthest.push(row);
        if end.is_some() {
            break;
        }
    }
    rounds.way_to(end.map(|(at, _)| at))
}

/// No way leads to that diagonal.
const NONE: u32 = u32::MAX;

/// Per number of edits, the furthest x on each diagonal x - y: diagonal k is number k + edits, and every other one is reached.
struct Rounds {
    lengths: [usize; 2],
    furthest: Vec<Vec<u32>>,
}

/// The furthest x on a diagonal of a round.
fn known(row: &[u32], at: usize) -> Option<usize> {
    let x = *row.get(at / 2)?;
    usize::try_from(x).ok().filter(|_| x != NONE)
}

impl Rounds {
    /// Where a round begins on a diagonal, and by which step of a neighbour's furthest in the round before it got there.
    fn begin(&self, edits: usize, at: usize) -> Option<(usize, usize, Option<Step>)> {
        let Some(before) = edits.checked_sub(1).map(|before| &self.furthest[before]) else {
            return Some((0, 0, None));
        };
        // The round before numbers its diagonals one lower.
        let get = |at: Option<usize>| at.and_then(|at| known(before, at));
        let put_in = get(Some(at)).map(|x| (x, Step::Right));
        let taken = get(at.checked_sub(2)).map(|x| (x + 1, Step::Left));
        let steps = put_in.into_iter().chain(taken);
        let points =
            steps.filter_map(|(x, step)| Some((x, (x + edits).checked_sub(at)?, Some(step))));
        points
            .filter(|(x, y, _)| *x <= self.lengths[0] && *y <= self.lengths[1])
            .max_by_key(|(x, ..)| *x)
    }

    /// The steps to a diagonal of the last round, or to where most of both was read.
    fn way_to(&self, end: Option<usize>) -> Vec<Step> {
        let edits = self.furthest.len().saturating_sub(1);
        let read = |at: usize| known(&self.furthest[edits], at).map(|x| x + (x + edits - at));
        let ways = || (0..=2 * edits).step_by(2).max_by_key(|at| read(*at));
        let Some(mut at) = end.or_else(ways) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        for round in (0..=edits).rev() {
            let (Some(end), Some((begin, _, step))) =
                (known(&self.furthest[round], at), self.begin(round, at))
            else {
                break;
            };
            steps.extend(std::iter::repeat_n(Step::Both, end - begin));
            steps.extend(step);
            if step == Some(Step::Left) {
                at -= 2;
            }
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(of: &[u8]) -> Sequence<'_, u8> {
        Sequence { of, goes_on: false }
    }

    /// Both, and how many steps are no `Both`.
    fn of(a: &str, b: &str) -> (String, usize) {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let (mut x, mut y, mut both, mut edits) = (0, 0, String::new(), 0);
        for step in align(whole(a), whole(b)) {
            match step {
                Step::Both => {
                    assert_eq!(a[x], b[y]);
                    both.push(a[x].into());
                    (x, y) = (x + 1, y + 1);
                }
                Step::Left => (x, edits) = (x + 1, edits + 1),
                Step::Right => (y, edits) = (y + 1, edits + 1),
            }
        }
        assert_eq!((x, y), (a.len(), b.len()));
        (both, edits)
    }

    #[test]
    fn the_longest_common_subsequence_is_found() {
        assert_eq!(of("", ""), (String::new(), 0));
        assert_eq!(of("abc", "abc"), ("abc".to_owned(), 0));
        assert_eq!(of("abcdef", "abXcdef"), ("abcdef".to_owned(), 1));
        assert_eq!(of("abcdef", "acdef"), ("acdef".to_owned(), 1));
        assert_eq!(of("abc", "xyz"), (String::new(), 6));
        assert_eq!(of("abcabba", "cbabac").1, 5, "the paper's example");
        assert_eq!(of("", "xy"), (String::new(), 2));
    }

    #[test]
    fn beyond_the_bound_it_ends_where_most_was_read() {
        let (a, b): (Vec<u32>, Vec<u32>) = ((0..3000).collect(), (5000..8000).collect());
        let [left, right] = [&a, &b].map(|of| Sequence { of, goes_on: true });
        let steps = align(left, right);
        assert_eq!(steps.len(), MOST_EDITS);
        assert!(!steps.contains(&Step::Both));
    }

    #[test]
    fn what_goes_on_ends_the_alignment() {
        let left = Sequence {
            of: &[1, 2, 3],
            goes_on: true,
        };
        let right = Sequence {
            of: &[0, 1, 2, 3, 9, 9],
            goes_on: false,
        };
        use Step::{Both, Right};
        assert_eq!(align(left, right), [Right, Both, Both, Both]);
    }
}
