//! What is believed about where the defect is, drawn as *worlds* (see [`crate::adaptive`]).
//!
//! In a world one *place* is defective: an edge or a du-chain of the coverage; without coverage, a method. Each
//! suspicious call that ran it went wrong there with the world's *rate*, by chance. A place is drawn the more rarely the
//! more valid calls ran it, by Bayes' rule: with a rate of one half, two valid calls leave it a quarter of what it had.
//! Calls inside a valid one count like calls that were answered, and more, since they too would have spoilt it; that
//! many valid calls count less than their number allows for calls that are alike.
//!
//! The chances follow from the numbers of calls and worlds: the same answers always lead to the same worlds.

use jhyde_trace::{CallId, MethodId};

use crate::answers::Answer;
use crate::bits::Bits;
use crate::coverage::{Coverage, Entities, inside_valid};
use crate::evidence::Changed;
use crate::passing::{Passing, ochiai};
use crate::suspicious::Suspicious;
use crate::tree::{Forest, ThreadCalls};

/// So many words of worlds.
const WORDS: usize = 8;
/// So many worlds are drawn: a likelihood of one half is off by 2 % then.
const WORLDS: usize = WORDS * 64;

/// In how many of the calls that run it a defect shows. All are equally likely: what must not be missing is the
/// low one, without which a defect that shows rarely is given up too early.
const RATES: [f64; 4] = [0.03, 0.15, 0.5, 0.95];
/// What a valid call inside an answered one tells beside one that was answered.
const INSIDE: f64 = 2.0;
/// So many valid calls count like `calls^ALIKE`.
const ALIKE: f64 = 0.75;
/// A place in changed code is so many times as likely to be defective as one elsewhere.
const CHANGED: f64 = 1000.0;
/// A place weighs Ochiai's coefficient to this power, where runs that passed are known: `1 / (1 + n)` for `n` of them. Of the powers from
/// 1/4 to 8 it asks the fewest questions on small programs.
const OCHIAI: f64 = 2.0;
/// How much of the belief is about chains; the rest is about edges.
const CHAINS: f64 = 0.3;

/// A set of worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Worlds([u64; WORDS]);

impl Worlds {
    /// How many there are.
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Adds those of another set.
    pub(crate) fn add(&mut self, more: &Self) {
        self.0
            .iter_mut()
            .zip(more.0)
            .for_each(|(to, more)| *to |= more);
    }

    fn insert(&mut self, world: usize) {
        self.0[world / 64] |= 1 << (world % 64);
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, mut rest)| {
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

/// Which places each call ran: its numbered set of places.
enum Places<'a> {
    Covered(&'a dyn Coverage, Entities),
    /// Every method is one place, and a set of its own; so many of them.
    Methods(usize),
}

impl Places<'_> {
    fn sets(&self) -> usize {
        match self {
            Self::Covered(coverage, kind) => coverage.sets(*kind),
            Self::Methods(methods) => *methods,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Covered(coverage, kind) => coverage.entities(*kind),
            Self::Methods(methods) => *methods,
        }
    }

    fn set(&self, calls: &ThreadCalls, at: usize) -> Option<usize> {
        match self {
            Self::Covered(coverage, kind) => coverage.covered(*kind, calls.id(at)),
            Self::Methods(_) => Some(calls.method[at] as usize),
        }
    }

    fn visit(&self, set: usize, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Covered(coverage, kind) => {
                coverage.visit(*kind, set, &mut |place| visit(place as usize));
            }
            Self::Methods(_) => visit(set),
        }
    }

    /// Which places have something to do with changed code.
    fn touched(&self, changed: &Changed) -> Vec<bool> {
        match self {
            Self::Covered(coverage, kind) => coverage.touched(*kind, changed),
            Self::Methods(methods) => (0..*methods)
                .map(|method| u32::try_from(method).is_ok_and(|id| changed.holds(MethodId(id))))
                .collect(),
        }
    }

    /// How many runs that passed had each place.
    fn passed(&self, passing: &Passing) -> Vec<u32> {
        match self {
            Self::Covered(coverage, kind) => coverage.passed(*kind, passing),
            Self::Methods(methods) => (0..*methods)
                .map(|method| u32::try_from(method).map_or(0, |id| passing.entered(MethodId(id))))
                .collect(),
        }
    }

    /// Of each place the number of calls of these that ran it.
    fn counts(&self, forest: &Forest, of: &[Bits]) -> Vec<f64> {
        let mut by_set = vec![0_u64; self.sets()];
        for (calls, bits) in forest.threads().iter().zip(of) {
            for set in bits.iter().filter_map(|at| self.set(calls, at)) {
                if let Some(count) = by_set.get_mut(set) {
                    *count += 1;
                }
            }
        }
        let mut by_place = vec![0.0; self.len()];
        let met = by_set
            .into_iter()
            .enumerate()
            .filter(|(_, calls)| *calls > 0);
        for (set, calls) in met {
            self.visit(set, &mut |place| {
                if let Some(count) = by_place.get_mut(place) {
                    *count += calls as f64;
                }
            });
        }
        by_place
    }
}

/// A number for a number, as if drawn (splitmix64).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// One kind of places, with the worlds that have their defect at one of a set.
struct Kind<'a> {
    places: Places<'a>,
    by_set: Vec<Worlds>,
}

/// The worlds after the answers in force.
pub(crate) struct Belief<'a> {
    kinds: Vec<Kind<'a>>,
    /// Of each world, how often its defect shows, as a part of `u64::MAX`.
    rates: Vec<u64>,
}

impl<'a> Belief<'a> {
    /// Draws the worlds. Costs a pass over the suspicious and the valid calls, and one over the sets of places.
    pub(crate) fn after(
        forest: &Forest,
        suspicious: &Suspicious,
        coverage: Option<&'a dyn Coverage>,
    ) -> Self {
        let kinds = match coverage {
            Some(coverage) => vec![
                (Places::Covered(coverage, Entities::Edges), 1.0 - CHAINS),
                (Places::Covered(coverage, Entities::DuChains), CHAINS),
            ],
            None => {
                let methods = forest.threads().iter().flat_map(|calls| &calls.method);
                // Calls that are lost have no method: theirs is the greatest number there is.
                let known = methods.filter(|method| **method != u32::MAX);
                vec![(
                    Places::Methods(known.max().map_or(0, |most| *most as usize + 1)),
                    1.0,
                )]
            }
        };
        // Rising sums of what is believed of each kind, place and rate: drawing is a search in them.
        let mut sums = Vec::new();
        let mut sum = 0.0;
        let (answered, inside) = valid(forest, suspicious);
        for (places, part) in &kinds {
            let ran = places.counts(forest, suspicious.set());
            let passed = suspicious.passing().map(|passing| places.passed(passing));
            // What passing runs had is less suspicious than what they did not; a kind of places is as suspicious as before.
            let weight = |place: usize| {
                let passed = passed.as_ref().and_then(|passed| passed.get(place));
                passed.map_or(1.0, |runs| ochiai(*runs).powf(OCHIAI))
            };
            let met = ran.iter().enumerate().filter(|(_, calls)| **calls > 0.0);
            let met: f64 = met.map(|(place, _)| weight(place)).sum();
            let met = if met > 0.0 { met } else { 1.0 };
            let answered = places.counts(forest, &answered);
            let inside = places.counts(forest, &inside);
            let changed = suspicious.changed().map(|changed| places.touched(changed));
            for (place, calls) in ran.iter().enumerate() {
                let right = (answered[place] + inside[place] * INSIDE).powf(ALIKE);
                let likely = match &changed {
                    Some(touched) if touched.get(place) == Some(&true) => CHANGED,
                    _ => 1.0,
                } * weight(place);
                for rate in RATES {
                    let shows = 1.0 - (1.0 - rate).powf(*calls);
                    sum += likely * part / met * shows * (1.0 - rate).powf(right);
                    sums.push(sum);
                }
            }
        }
        let mut by_place: Vec<Vec<Worlds>> = kinds
            .iter()
            .map(|(places, _)| vec![Worlds::default(); places.len()])
            .collect();
        let mut rates = Vec::with_capacity(WORLDS);
        for world in 0..WORLDS {
            // Evenly spread, so that a place is in as many worlds as it should be.
            let wanted = sum * (world as f64 + 0.5) / WORLDS as f64;
            let drawn = sums.partition_point(|upto| *upto < wanted);
            rates.push((RATES[drawn % RATES.len()] * u64::MAX as f64) as u64);
            let mut place = drawn / RATES.len();
            for of_kind in &mut by_place {
                if let Some(worlds) = of_kind.get_mut(place) {
                    worlds.insert(world);
                    break;
                }
                place -= of_kind.len();
            }
        }
        let kinds = kinds.into_iter().zip(by_place);
        let kinds = kinds.map(|((places, _), by_place)| {
            let by_set = (0..places.sets()).map(|set| {
                let mut worlds = Worlds::default();
                places.visit(set, &mut |place| {
                    if let Some(more) = by_place.get(place) {
                        worlds.add(more);
                    }
                });
                worlds
            });
            let by_set = by_set.collect();
            Kind { places, by_set }
        });
        Self {
            kinds: kinds.collect(),
            rates,
        }
    }

    /// The worlds in which a call goes wrong itself.
    pub(crate) fn wrong(&self, calls: &ThreadCalls, at: usize) -> Worlds {
        let mut wrong = Worlds::default();
        let call: CallId = calls.id(at);
        let seed = mixed(call.preorder ^ u64::from(call.thread.0) << 40);
        for kind in &self.kinds {
            let set = kind.places.set(calls, at);
            let Some(worlds) = set.and_then(|set| kind.by_set.get(set)) else {
                continue;
            };
            for world in worlds.iter() {
                if mixed(seed ^ world as u64) < self.rates[world] {
                    wrong.insert(world);
                }
            }
        }
        wrong
    }
}

/// The calls answered valid, and the calls inside them.
fn valid(forest: &Forest, suspicious: &Suspicious) -> (Vec<Bits>, Vec<Bits>) {
    let threads = forest.threads().iter();
    let mut answered: Vec<_> = threads.map(|calls| Bits::empty(calls.len())).collect();
    let mut inside = inside_valid(forest, suspicious);
    let answers = suspicious.answers().iter();
    for (call, _) in answers.filter(|(_, answer)| **answer == Answer::Valid) {
        if let Some(place) = forest.place(*call) {
            answered[place.thread].insert(place.at);
            inside[place.thread].remove(place.at);
        }
    }
    (answered, inside)
}
