//! What calls covered, and the weights that follow from it (design, section 5).
//!
//! A recording of level `full` can say which edges and which du-chains each call covered
//! ([`Coverage`]); most calls of a method cover one of few sets, so sets are numbered and a call names its
//! set. An entity that many valid calls covered is hardly what is wrong, so it weighs less.

use jhyde_trace::CallId;
use serde::{Deserialize, Serialize};

use crate::answers::Answer;
use crate::evidence::Changed;
use crate::passing::Passing;
use crate::suspicious::Suspicious;
use crate::tree::Forest;

/// Which kind of coverage entity is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Entities {
    /// Outcomes of conditions, and the entries of methods.
    Edges,
    /// Definition-use chains.
    DuChains,
}

/// Which rule chooses by coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rule {
    /// The call whose weight is nearest to half of all.
    Halving,
    /// The call that leaves the fewest suspicious calls to be expected.
    Expected,
}

/// The coverage of a recording.
pub trait Coverage {
    /// The number of distinct sets of one kind: sets are numbered from 0.
    fn sets(&self, entities: Entities) -> usize;

    /// Visits the entities of a set, each once, numbered from 0 to below [`Coverage::entities`].
    fn visit(&self, entities: Entities, set: usize, visit: &mut dyn FnMut(u32));

    /// The number of distinct entities of one kind.
    fn entities(&self, entities: Entities) -> usize;

    /// The set that a call covered itself, its nested calls not counted. `None` if it is not known; such a
    /// call weighs nothing.
    fn covered(&self, entities: Entities, call: CallId) -> Option<usize>;

    /// Which entities have something to do with changed code. Without knowledge of code: none.
    fn touched(&self, entities: Entities, changed: &Changed) -> Vec<bool> {
        let _ = changed;
        vec![false; self.entities(entities)]
    }

    /// How many runs that passed had each entity. Without knowledge of code, and of chains, which passing runs are not read
    /// for: none.
    fn passed(&self, entities: Entities, passing: &Passing) -> Vec<u32> {
        let _ = passing;
        vec![0; self.entities(entities)]
    }
}

/// Which calls count as "answered valid" in v(e).
///
/// The design's definition is [`ValidCalls::Answered`], which sessions use. Counting those inside too asks fewer
/// questions over edges and about as many over chains; the crate's README has the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ValidCalls {
    /// Those that were answered.
    #[default]
    Answered,
    /// Also the calls inside them, which are valid with them.
    WithInside,
}

/// The base p of g(e) = p^v(e).
pub fn base(rule: Rule, entities: Entities) -> f64 {
    match (rule, entities) {
        (Rule::Halving, Entities::Edges) => 0.5,
        (Rule::Halving, Entities::DuChains) => 0.6,
        (Rule::Expected, Entities::Edges) => 0.35,
        (Rule::Expected, Entities::DuChains) => 0.55,
    }
}

/// The weight of each coverage set after the answers in force: the sum of g(e) of its entities.
pub fn set_weights<C: Coverage + ?Sized>(
    coverage: &C,
    forest: &Forest,
    suspicious: &Suspicious,
    rule: Rule,
    entities: Entities,
    valid_calls: ValidCalls,
) -> Vec<f64> {
    let mut valid = vec![0_u32; coverage.entities(entities)];
    let mut count = |call: CallId| {
        if let Some(set) = coverage.covered(entities, call) {
            coverage.visit(entities, set, &mut |entity| {
                if let Some(valid) = valid.get_mut(entity as usize) {
                    *valid += 1;
                }
            });
        }
    };
    match valid_calls {
        ValidCalls::Answered => {
            for (call, _) in suspicious
                .answers()
                .iter()
                .filter(|(_, answer)| **answer == Answer::Valid)
            {
                count(*call);
            }
        }
        ValidCalls::WithInside => {
            for (thread, inside) in forest
                .threads()
                .iter()
                .zip(inside_valid(forest, suspicious))
            {
                inside.iter().for_each(|at| count(thread.id(at)));
            }
        }
    }
    let p = base(rule, entities);
    let weight = |valid: &u32| p.powi(i32::try_from(*valid).unwrap_or(i32::MAX));
    let weights: Vec<f64> = valid.iter().map(weight).collect();
    (0..coverage.sets(entities))
        .map(|set| {
            let mut sum = 0.0;
            coverage.visit(entities, set, &mut |entity| {
                sum += weights.get(entity as usize).copied().unwrap_or(0.0);
            });
            sum
        })
        .collect()
}

/// Per thread the calls in subtrees of calls answered valid, boundary calls left out.
pub(crate) fn inside_valid(forest: &Forest, suspicious: &Suspicious) -> Vec<crate::bits::Bits> {
    let mut all: Vec<_> = forest
        .threads()
        .iter()
        .map(|calls| crate::bits::Bits::empty(calls.len()))
        .collect();
    for (call, _) in suspicious
        .answers()
        .iter()
        .filter(|(_, answer)| **answer == Answer::Valid)
    {
        let Some(place) = forest.place(*call) else {
            continue;
        };
        let calls = &forest.threads()[place.thread];
        for at in calls.subtree(place.at).filter(|at| !calls.is_boundary(*at)) {
            all[place.thread].insert(at);
        }
    }
    all
}
