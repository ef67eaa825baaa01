//! Strategies: which of the unanswered suspicious calls is asked next (design, section 5).
//!
//! A choice is one pass over the suspicious set. A subtree is a range of preorder numbers, so its
//! weight is the difference of two prefix sums. Ties go to the earliest enter timestamp.

use std::fmt;
use std::str::FromStr;

use jhyde_trace::CallId;
use jhyde_trace::echo::shown;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::adaptive;
use crate::coverage::{Coverage, Entities, Rule, ValidCalls, set_weights};
use crate::suspicious::Suspicious;
use crate::tree::Forest;

/// How the next call is chosen.
///
/// Sessions on disk know them by their places in this list: new ones go to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// The earliest call.
    TopDown,
    /// The call whose subtree holds nearest to half of the suspicious calls.
    DivideAndQuery,
    /// By what the calls covered.
    Coverage(Rule, Entities),
    /// By what is believed about possible defects (see [`crate::adaptive`]). Without coverage it goes by methods alone.
    #[default]
    Adaptive,
}

impl Strategy {
    /// Every strategy, in the order in which they are told to people.
    pub const ALL: [Self; 7] = [
        Self::Adaptive,
        Self::TopDown,
        Self::DivideAndQuery,
        Self::Coverage(Rule::Halving, Entities::Edges),
        Self::Coverage(Rule::Halving, Entities::DuChains),
        Self::Coverage(Rule::Expected, Entities::Edges),
        Self::Coverage(Rule::Expected, Entities::DuChains),
    ];

    /// Its name in the API and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::TopDown => "top-down",
            Self::DivideAndQuery => "divide-and-query",
            Self::Coverage(Rule::Halving, Entities::Edges) => "coverage-halving:edges",
            Self::Coverage(Rule::Halving, Entities::DuChains) => "coverage-halving:du-chains",
            Self::Coverage(Rule::Expected, Entities::Edges) => "coverage-expected:edges",
            Self::Coverage(Rule::Expected, Entities::DuChains) => "coverage-expected:du-chains",
        }
    }

    /// Does it need a recording that tells coverage?
    pub fn needs_coverage(self) -> bool {
        matches!(self, Self::Coverage(..))
    }

    /// Does it look at coverage where there is some?
    pub fn looks_at_coverage(self) -> bool {
        self.needs_coverage() || self == Self::Adaptive
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no strategy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "unknown strategy '{}': use one of adaptive, top-down, divide-and-query, coverage-halving:edges, \
     coverage-halving:du-chains, coverage-expected:edges, coverage-expected:du-chains",
    shown(.0)
)]
pub struct UnknownStrategy(pub String);

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
            .ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// A strategy by coverage was chosen, and the recording tells no coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "strategy {strategy} chooses by what calls covered, and this recording does not tell that: record \
     with level full, or choose adaptive, top-down or divide-and-query"
)]
pub struct NeedsCoverage {
    /// The strategy.
    pub strategy: Strategy,
}

/// The next call to ask, or `None` if every suspicious call has an answer.
///
/// # Errors
/// [`NeedsCoverage`] when the strategy needs coverage and there is none.
pub fn choose(
    strategy: Strategy,
    forest: &Forest,
    suspicious: &Suspicious,
    coverage: Option<&dyn Coverage>,
    valid_calls: ValidCalls,
) -> Result<Option<CallId>, NeedsCoverage> {
    Ok(match strategy {
        Strategy::Adaptive => adaptive::choose(forest, suspicious, coverage).map(|c| c.call),
        Strategy::TopDown => earliest(forest, suspicious),
        Strategy::DivideAndQuery => divide(forest, suspicious),
        Strategy::Coverage(rule, entities) => {
            let coverage = coverage.ok_or(NeedsCoverage { strategy })?;
            let weights = set_weights(coverage, forest, suspicious, rule, entities, valid_calls);
            let own = |call| {
                let set = coverage.covered(entities, call);
                set.and_then(|set| weights.get(set).copied()).unwrap_or(0.0)
            };
            by_weight(rule, forest, suspicious, own)
        }
    })
}

/// The earliest unanswered call. It has no unanswered ancestor in the set, for that would be earlier; in
/// particular, where outer calls still run, it is a complete one without a complete ancestor to be asked.
fn earliest(forest: &Forest, suspicious: &Suspicious) -> Option<CallId> {
    let firsts = forest
        .threads()
        .iter()
        .zip(suspicious.askable())
        .filter_map(|(calls, askable)| {
            askable
                .iter()
                .next()
                .map(|at| (calls.enter[at], calls.id(at)))
        });
    firsts.min().map(|(_, call)| call)
}

/// Least |w(k) − W/2|, doubled to stay in whole numbers.
fn divide(forest: &Forest, suspicious: &Suspicious) -> Option<CallId> {
    let total = suspicious.count();
    let mut best: Option<(u64, u64, CallId)> = None;
    let threads = forest
        .threads()
        .iter()
        .zip(suspicious.set())
        .zip(suspicious.askable());
    for ((calls, set), askable) in threads {
        let ranks = set.ranks();
        for at in askable.iter() {
            let distance = (2 * ranks.within(calls.subtree(at))).abs_diff(total);
            let enter = calls.enter[at];
            if best.is_none_or(|(least, first, _)| (distance, enter) < (least, first)) {
                best = Some((distance, enter, calls.id(at)));
            }
        }
    }
    best.map(|(_, _, call)| call)
}

/// Scores that differ by less than this part of their range are equal: prefix sums of many weights round.
const EQUAL: f64 = 1e-9;

/// Both rules by coverage. `own` is the weight of a call by itself.
fn by_weight(
    rule: Rule,
    forest: &Forest,
    suspicious: &Suspicious,
    own: impl Fn(CallId) -> f64,
) -> Option<CallId> {
    let (prefixes, all) = suspicious.sums(forest, own);
    let total = suspicious.count() as f64;
    let mut scores = Vec::new();
    let mut least = f64::INFINITY;
    let threads = forest
        .threads()
        .iter()
        .zip(suspicious.set())
        .zip(suspicious.askable());
    for (((calls, set), askable), prefix) in threads.zip(&prefixes) {
        let ranks = set.ranks();
        for at in askable.iter() {
            let subtree = calls.subtree(at);
            let inside = ranks.within(subtree.clone()) as f64;
            let covered = prefix[subtree.end] - prefix[subtree.start];
            let score = match rule {
                Rule::Halving => (covered - all / 2.0).abs(),
                Rule::Expected => {
                    // Without any coverage all calls are equally likely.
                    let likely = if all > 0.0 {
                        covered / all
                    } else {
                        inside / total
                    };
                    inside * likely + (total - inside) * (1.0 - likely)
                }
            };
            least = least.min(score);
            scores.push((score, calls.enter[at], calls.id(at)));
        }
    }
    let range = match rule {
        Rule::Halving => all,
        Rule::Expected => total,
    };
    let best = scores
        .into_iter()
        .filter(|(score, ..)| *score <= least + EQUAL * range);
    best.min_by_key(|(_, enter, _)| *enter)
        .map(|(_, _, call)| call)
}
