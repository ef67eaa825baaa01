//! How a strategy weighs calls, for those who show the tree: how much of what is suspicious lies in a call's subtree.
//!
//! The numbers are those by which [`crate::strategy`] and [`crate::adaptive`] choose. They are found for all calls at once,
//! in a pass over the tree, and hold until the next answer.

use crate::belief::{Belief, Worlds};
use crate::coverage::{Coverage, Entities, Rule, ValidCalls, set_weights};
use crate::strategy::{NeedsCoverage, Strategy};
use crate::suspicious::Suspicious;
use crate::tree::{Forest, Place, ThreadCalls};

/// The weights of all calls after the answers in force.
#[derive(Clone, Debug, Default)]
pub(crate) enum Weights {
    /// The strategy does not weigh calls.
    #[default]
    None,
    /// The number of suspicious calls in the subtree, which the set itself tells.
    Count,
    /// By thread the sums of what the calls before each weigh themselves, and the sum of all.
    Sums(Vec<Vec<f64>>, f64),
    /// By thread and call the worlds in which a suspicious call of its subtree goes wrong; and how many there are.
    Worlds(Vec<Vec<u16>>, u32),
}

impl Weights {
    /// The weights of a strategy.
    ///
    /// # Errors
    /// [`NeedsCoverage`] when the strategy needs coverage and there is none.
    pub(crate) fn of(
        strategy: Strategy,
        forest: &Forest,
        suspicious: &Suspicious,
        coverage: Option<&dyn Coverage>,
    ) -> Result<Self, NeedsCoverage> {
        Ok(match strategy {
            Strategy::TopDown => Self::None,
            Strategy::DivideAndQuery => Self::Count,
            Strategy::Coverage(rule, entities) => {
                let coverage = coverage.ok_or(NeedsCoverage { strategy })?;
                sums(forest, suspicious, coverage, rule, entities)
            }
            Strategy::Adaptive => worlds(forest, suspicious, coverage),
        })
    }

    /// What a call's subtree weighs.
    pub(crate) fn weight(
        &self,
        forest: &Forest,
        suspicious: &Suspicious,
        place: Place,
    ) -> Option<f64> {
        let calls = forest.threads().get(place.thread)?;
        let subtree = calls.subtree(place.at);
        match self {
            Self::None => None,
            Self::Count => {
                let set = suspicious.set().get(place.thread)?;
                Some(set.ranks().within(subtree) as f64)
            }
            Self::Sums(prefixes, _) => {
                let prefix = prefixes.get(place.thread)?;
                Some(prefix.get(subtree.end)? - prefix.get(subtree.start)?)
            }
            Self::Worlds(invalid, of) => {
                let set = suspicious.set().get(place.thread)?;
                if set.ranks().within(subtree) == 0 {
                    return Some(0.0);
                }
                let invalid = *invalid.get(place.thread)?.get(place.at)?;
                // As the strategy has it: as if there were one world more, which does not know.
                Some((f64::from(invalid) + 0.5) / (f64::from(*of) + 1.0))
            }
        }
    }

    /// What all that is suspicious weighs.
    pub(crate) fn all(&self, suspicious: &Suspicious) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Count => Some(suspicious.count() as f64),
            Self::Sums(_, all) => Some(*all),
            Self::Worlds(..) => Some(1.0),
        }
    }

    /// About how many bytes they take.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::None | Self::Count => 0,
            Self::Sums(sums, _) => sums.iter().map(|sums| sums.len() * 8).sum(),
            Self::Worlds(invalid, _) => invalid.iter().map(|calls| calls.len() * 2).sum(),
        }
    }
}

fn sums(
    forest: &Forest,
    suspicious: &Suspicious,
    coverage: &dyn Coverage,
    rule: Rule,
    entities: Entities,
) -> Weights {
    let valid = ValidCalls::default();
    let weights = set_weights(coverage, forest, suspicious, rule, entities, valid);
    let own = |call| {
        let set = coverage.covered(entities, call);
        set.and_then(|set| weights.get(set).copied()).unwrap_or(0.0)
    };
    let (prefixes, all) = suspicious.sums(forest, own);
    Weights::Sums(prefixes, all)
}

fn worlds(forest: &Forest, suspicious: &Suspicious, coverage: Option<&dyn Coverage>) -> Weights {
    let belief = Belief::after(forest, suspicious, coverage);
    let mut possible = Worlds::default();
    let threads = forest.threads().iter().zip(suspicious.set());
    let invalid = threads.map(|(calls, set)| {
        let wrong = |at| match set.contains(at) {
            true => belief.wrong(calls, at),
            false => Worlds::default(),
        };
        let (counts, of_thread) = unions(calls, wrong);
        possible.add(&of_thread);
        counts
    });
    let invalid = invalid.collect();
    Weights::Worlds(invalid, possible.count())
}

/// Of each call the number of worlds of all in its subtree, and the worlds of the thread.
fn unions(calls: &ThreadCalls, own: impl Fn(usize) -> Worlds) -> (Vec<u16>, Worlds) {
    let mut counts = vec![0; calls.len()];
    let mut all = Worlds::default();
    let mut open: Vec<(usize, Worlds)> = Vec::new();
    let mut close = |open: &mut Vec<(usize, Worlds)>| {
        let Some((at, worlds)) = open.pop() else {
            return;
        };
        match open.last_mut() {
            Some((_, outer)) => outer.add(&worlds),
            None => all.add(&worlds),
        }
        if let Some(count) = counts.get_mut(at) {
            *count = u16::try_from(worlds.count()).unwrap_or(u16::MAX);
        }
    };
    for at in 0..calls.len() {
        while open
            .last()
            .is_some_and(|(outer, _)| calls.subtree(*outer).end <= at)
        {
            close(&mut open);
        }
        open.push((at, own(at)));
    }
    while !open.is_empty() {
        close(&mut open);
    }
    (counts, all)
}
