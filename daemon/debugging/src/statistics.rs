//! How the calls of a search stand, in numbers, class by class.

use jhyde_trace::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use crate::answers::Answer;
use crate::coverage::inside_valid;
use crate::suspicious::Suspicious;
use crate::tree::Forest;

/// How the calls of one class stand. Calls that are none of these were ruled out by an invalid answer
/// elsewhere, lie outside the restriction, or have not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// All calls.
    pub calls: u64,
    /// Suspicious ones; those answered invalid or unknown may be among them.
    pub suspicious: u64,
    /// Answered valid, or inside of a call that was.
    pub valid: u64,
    /// Answered invalid.
    pub invalid: u64,
    /// Boundary calls and calls of methods answered trusted.
    pub trusted: u64,
    /// Answered unknown.
    pub unknown: u64,
}

/// How the calls of a search stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By declaring class, in the order of class ids; `None` for methods whose class is not known.
    pub classes: Vec<(Option<ClassId>, ClassCounts)>,
    /// Calls with an answer.
    pub answered: u64,
    /// Suspicious calls.
    pub suspicious: u64,
    /// All calls.
    pub calls: u64,
}

/// Counts the calls of a search: one pass over all calls.
pub fn count(forest: &Forest, suspicious: &Suspicious) -> Statistics {
    let mut by_method: FxHashMap<u32, ClassCounts> = FxHashMap::default();
    let valid = inside_valid(forest, suspicious);
    for ((calls, set), valid) in forest.threads().iter().zip(suspicious.set()).zip(valid) {
        for (at, method) in calls.method.iter().enumerate() {
            let counts = by_method.entry(*method).or_default();
            counts.calls += 1;
            counts.suspicious += u64::from(set.contains(at));
            if calls.is_boundary(at) || suspicious.trusted().contains(&MethodId(*method)) {
                counts.trusted += 1;
            } else if valid.contains(at) {
                counts.valid += 1;
            }
        }
    }
    for (call, answer) in suspicious.answers() {
        let Some(facts) = forest.facts(*call) else {
            continue;
        };
        let counts = by_method.entry(facts.method.0).or_default();
        match answer {
            Answer::Invalid => counts.invalid += 1,
            Answer::Unknown => counts.unknown += 1,
            Answer::Valid
            | Answer::Trusted
            | Answer::Inadmissible
            | Answer::RightValue
            | Answer::OpenValue => {}
        }
    }
    let mut by_class: FxHashMap<Option<ClassId>, ClassCounts> = FxHashMap::default();
    for (method, counts) in by_method {
        let sum = by_class
            .entry(forest.class_of(MethodId(method)))
            .or_default();
        sum.calls += counts.calls;
        sum.suspicious += counts.suspicious;
        sum.valid += counts.valid;
        sum.invalid += counts.invalid;
        sum.trusted += counts.trusted;
        sum.unknown += counts.unknown;
    }
    let mut classes: Vec<_> = by_class.into_iter().collect();
    classes.sort_unstable_by_key(|(class, _)| (class.is_none(), *class));
    Statistics {
        classes,
        answered: suspicious.answers().len() as u64,
        suspicious: suspicious.count(),
        calls: forest.len(),
    }
}
