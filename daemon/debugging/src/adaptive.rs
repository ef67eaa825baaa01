//! The strategy `adaptive`: questions are chosen over *possible defects*, not over calls.
//!
//! A defect sits at one place in the code, and shows in some of the calls that run this place. So a subtree with a
//! thousand calls of one method is not a thousand times as suspicious as one with a single call of it, and an answer
//! tells of all calls that ran the same code, wherever they are. `belief` draws worlds, each with a defect and
//! the calls that went wrong by it; a call is invalid in the worlds in which its subtree has a wrong call, which
//! one pass over the suspicious set finds for all calls.
//!
//! Asked is the call that leaves the least to be expected: the suspicious calls that remain if it is invalid and if it
//! is valid, in doublings, weighed by the worlds that say so. Where nothing is known of calls but their number, that is
//! the rule of halving. Ties go to the earliest enter timestamp.

use std::fmt;

use jhyde_trace::CallId;
use rustc_hash::FxHashMap;

use crate::belief::{Belief, Worlds};
use crate::coverage::Coverage;
use crate::suspicious::Suspicious;
use crate::tree::Forest;

/// An invalid answer is worth so many doublings beside what it leaves: it ends the search for where to look.
const INVALID: f64 = 0.5;

/// Questions to be expected where the next answer is expected to leave so many doublings: some in any case, some for each
/// doubling, and no more for those beyond. Fitted to the tuning half of the corpus (the bench `questions` prints
/// how right it is).
const QUESTIONS: (f64, f64) = (1.2, 1.3);
const MOST_DOUBLINGS: f64 = 8.0;

/// Why a call is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The call.
    pub call: CallId,
    /// How likely it is taken to be invalid, 0 to 1.
    pub likely: f64,
    /// Suspicious calls left if it is invalid.
    pub inside: u64,
    /// Suspicious calls left if it is valid.
    pub outside: u64,
    /// Questions to be expected until the end, this one counted.
    pub expected: f64,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = (self.likely * 100.0).round();
        let calls = if self.inside == 1 { "call" } else { "calls" };
        write!(
            f,
            "by what it ran it is {percent} % likely to be wrong, which leaves {} {calls}; else {}",
            self.inside, self.outside
        )
    }
}

/// All that makes one unanswered call a better question than another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    /// Suspicious calls of its subtree.
    inside: u64,
    /// Worlds in which it is invalid.
    invalid: u32,
    /// Is it suspicious itself? Else its answer only narrows the search.
    suspicious: bool,
}

/// Of each kind the call that began first, and when. There are few kinds where there are many calls: most have nothing inside.
type Candidates = FxHashMap<Kind, (u64, CallId)>;

/// A suspicious call that the walk is inside of.
struct Open {
    at: usize,
    inside: u64,
    invalid: Worlds,
}

/// The call to ask next, or `None` if every suspicious call has an answer.
///
/// Costs what `Belief::after` does, and a pass over the suspicious calls.
pub fn choose(
    forest: &Forest,
    suspicious: &Suspicious,
    coverage: Option<&dyn Coverage>,
) -> Option<Choice> {
    let belief = Belief::after(forest, suspicious, coverage);
    let (candidates, possible) = candidates(forest, suspicious, &belief);
    let total = suspicious.count();
    let worlds = f64::from(possible.count());
    let weighed = candidates.into_iter().map(|(kind, (enter, call))| {
        // As if there were one world more, which does not know: nothing is certain.
        let likely = (f64::from(kind.invalid) + 0.5) / (worlds + 1.0);
        let outside = total.saturating_sub(kind.inside);
        let left =
            likely * (doublings(kind.inside) - INVALID) + (1.0 - likely) * doublings(outside + 1);
        let choice = Choice {
            call,
            likely,
            inside: kind.inside,
            outside,
            expected: (QUESTIONS.0 + QUESTIONS.1 * left.min(MOST_DOUBLINGS)).max(1.0),
        };
        (left, (!kind.suspicious, enter), choice)
    });
    weighed
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, _, choice)| choice)
}

fn doublings(calls: u64) -> f64 {
    (calls.max(1) as f64).log2()
}

/// The unanswered suspicious calls, and the worlds that have a wrong suspicious call at all.
fn candidates(
    forest: &Forest,
    suspicious: &Suspicious,
    belief: &Belief<'_>,
) -> (Candidates, Worlds) {
    let mut found = Candidates::default();
    let mut possible = Worlds::default();
    let threads = forest.threads().iter().zip(suspicious.set());
    let threads = threads.zip(suspicious.askable());
    for (((calls, set), askable), around) in threads.zip(suspicious.around()) {
        let mut open: Vec<Open> = Vec::new();
        let mut close = |open: &mut Vec<Open>| {
            let Some(call) = open.pop() else {
                return;
            };
            match open.last_mut() {
                Some(outer) => {
                    outer.inside += call.inside;
                    outer.invalid.add(&call.invalid);
                }
                None => possible.add(&call.invalid),
            }
            let is_asked = askable.contains(call.at);
            let id = calls.id(call.at);
            if is_asked || (call.inside > 0 && !set.contains(call.at) && suspicious.narrows(id)) {
                let kind = Kind {
                    suspicious: is_asked,
                    inside: call.inside,
                    invalid: call.invalid.count(),
                };
                let this = (calls.enter[call.at], id);
                let first = found.entry(kind).or_insert(this);
                *first = this.min(*first);
            }
        };
        for at in around.iter() {
            while open
                .last()
                .is_some_and(|outer| calls.subtree(outer.at).end <= at)
            {
                close(&mut open);
            }
            let is_in = set.contains(at);
            open.push(Open {
                at,
                inside: u64::from(is_in),
                invalid: match is_in {
                    true => belief.wrong(calls, at),
                    false => Worlds::default(),
                },
            });
        }
        while !open.is_empty() {
            close(&mut open);
        }
    }
    (found, possible)
}
