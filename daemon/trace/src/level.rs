//! The level in force: how much is recorded of a method at a time (design, section 3).
//!
//! A recording is asked for at one level ([`crate::RecordingOptions::level`]). An engine that records less of something
//! from some time on says so with a [`LevelFact`], in the stream of events; [`Levels`] answers which level is in force
//! where and when, and why it is lower than asked. What lies behind a time at a lower level is not recorded there: it is
//! never shown as unchanged.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{ClassId, MethodId, Timestamp};
use crate::meta::Level;

/// What a [`LevelFact`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// The whole recording.
    Everything,
    /// All methods of a class.
    Class(ClassId),
    /// One method.
    Method(MethodId),
}

impl Subject {
    /// Is a method of a class among them?
    pub fn has(self, class: ClassId, method: MethodId) -> bool {
        match self {
            Self::Everything => true,
            Self::Class(of) => of == class,
            Self::Method(of) => of == method,
        }
    }
}

/// From a time on something is recorded at a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelFact {
    /// The first event that is recorded so. What was done behind the event before it may be unseen already.
    pub since: Timestamp,
    /// What is recorded so.
    pub of: Subject,
    /// How much. A later fact of the same subject replaces it; one above the level that was asked for changes nothing.
    pub level: Level,
    /// Why, in words for people.
    pub reason: String,
    /// What is told from there on may be false: it was worked out, and did not agree with what the program did. What happened is
    /// still told, as it was worked out, and no value of it ([`crate::Event::doubt`]).
    pub doubted: bool,
}

/// The level in force somewhere at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce<'a> {
    /// How much is recorded.
    pub level: Level,
    /// Why that is less than was asked for; `None` where it is not.
    pub because: Option<&'a LevelFact>,
}

/// How long a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// The fact.
    pub fact: &'a LevelFact,
    /// When a later one of the same subject replaces it; `None`: it holds to the end.
    pub until: Option<Timestamp>,
}

impl Stretch<'_> {
    /// May something have gone unseen behind `after` and by `to`? What happened just before the fact was replaced may
    /// still be unseen at the first event behind that, even where there is no event in between.
    pub fn touches(&self, after: Timestamp, to: Timestamp) -> bool {
        after < to && self.fact.since <= to && self.until.is_none_or(|until| after < until)
    }
}

/// As notes say it, without what it is about: `recorded at level state from @12 on: REASON`, or `what is told from @12 on may be
/// false: REASON`.
impl fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LevelFact {
            since,
            level,
            reason,
            doubted,
            ..
        } = self.fact;
        match doubted {
            true => write!(f, "what is told from @{since}")?,
            false => write!(f, "recorded at level {level} from @{since}")?,
        }
        match self.until {
            Some(until) => write!(f, " to @{until}")?,
            None => write!(f, " on")?,
        }
        match doubted {
            true => write!(f, " may be false: {reason}"),
            false => write!(f, ": {reason}"),
        }
    }
}

/// The levels of a recording, by time and by method. Without facts it is the level that was asked for throughout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    asked: Level,
    /// By time; those of one time as they were told.
    facts: Vec<LevelFact>,
    /// For each fact when it is replaced.
    until: Vec<Option<Timestamp>>,
    /// Positions of the facts of a subject, rising.
    of: HashMap<Subject, Vec<usize>>,
}

impl Levels {
    /// The levels of a recording that was asked for at one, with the facts in the order in which they were told.
    pub fn new(asked: Level, facts: impl IntoIterator<Item = LevelFact>) -> Self {
        let mut told: Vec<LevelFact> = facts.into_iter().collect();
        told.sort_by_key(|fact| fact.since);
        let mut levels = Self {
            asked,
            facts: Vec::with_capacity(told.len()),
            until: Vec::with_capacity(told.len()),
            of: HashMap::new(),
        };
        told.into_iter().for_each(|fact| levels.push(fact));
        levels
    }

    /// Adds a fact that was told behind all others.
    pub fn add(&mut self, fact: LevelFact) {
        if self
            .facts
            .last()
            .is_some_and(|last| fact.since < last.since)
        {
            let all = std::mem::take(&mut self.facts);
            *self = Self::new(self.asked, all.into_iter().chain([fact]));
        } else {
            self.push(fact);
        }
    }

    /// Adds a fact that begins with or behind all others.
    fn push(&mut self, fact: LevelFact) {
        let of = self.of.entry(fact.of).or_default();
        if let Some(until) = of.last().and_then(|&last| self.until.get_mut(last)) {
            *until = Some(fact.since);
        }
        of.push(self.facts.len());
        self.facts.push(fact);
        self.until.push(None);
    }

    /// All facts, by time.
    pub fn facts(&self) -> &[LevelFact] {
        &self.facts
    }

    /// The level that was asked for.
    pub fn asked(&self) -> Level {
        self.asked
    }

    /// The level in force for a method of a class when an event is recorded: the lowest of what was asked for and of
    /// the facts that hold then for the method, its class and everything.
    pub fn in_force(&self, class: ClassId, method: MethodId, at: Timestamp) -> InForce<'_> {
        let subjects = [
            Subject::Everything,
            Subject::Class(class),
            Subject::Method(method),
        ];
        let mut lowest = InForce {
            level: self.asked,
            because: None,
        };
        for fact in subjects
            .into_iter()
            .filter_map(|subject| self.of(subject, at))
        {
            if fact.level < lowest.level {
                lowest = InForce {
                    level: fact.level,
                    because: Some(fact),
                };
            }
        }
        lowest
    }

    /// The fact of a subject that holds at a time.
    fn of(&self, subject: Subject, at: Timestamp) -> Option<&LevelFact> {
        let positions = self.of.get(&subject)?;
        let after = positions.partition_point(|&position| {
            self.facts
                .get(position)
                .is_some_and(|fact| fact.since <= at)
        });
        self.facts.get(*positions.get(after.checked_sub(1)?)?)
    }

    /// How long what is recorded below a level, and below what was asked for; by the time at which it begins.
    pub fn below(&self, level: Level) -> impl Iterator<Item = Stretch<'_>> {
        self.stretches(move |fact| fact.level < level.min(self.asked))
    }

    fn stretches(&self, are: impl Fn(&LevelFact) -> bool) -> impl Iterator<Item = Stretch<'_>> {
        let facts = self.facts.iter().zip(&self.until);
        facts
            .filter(move |(fact, _)| are(fact))
            .map(|(fact, &until)| Stretch { fact, until })
    }

    /// May what is told of a time be false?
    pub fn doubted(&self, at: Timestamp) -> bool {
        let holds = |(fact, until): (&LevelFact, &Option<Timestamp>)| {
            fact.doubted && fact.since <= at && until.is_none_or(|until| at < until)
        };
        self.facts.iter().zip(&self.until).any(holds)
    }

    /// All that is recorded below the level that was asked for, or in doubt: at the lowest level that can be asked for, too.
    pub fn lowered(&self) -> impl Iterator<Item = Stretch<'_>> {
        self.stretches(|fact| fact.doubted || fact.level < self.asked)
    }

    /// The first stretch in which a method of a class is recorded below a level, behind `after` and by `to`.
    pub fn unseen(
        &self,
        level: Level,
        (class, method): (ClassId, MethodId),
        after: Timestamp,
        to: Timestamp,
    ) -> Option<Stretch<'_>> {
        self.below(level)
            .find(|stretch| stretch.fact.of.has(class, method) && stretch.touches(after, to))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fact(since: u64, of: Subject, level: Level) -> LevelFact {
        LevelFact {
            since: Timestamp(since),
            of,
            level,
            reason: format!("{since}"),
            doubted: false,
        }
    }

    #[test]
    fn what_is_doubted_is_so_as_long_as_its_fact_holds() {
        let doubted = LevelFact {
            doubted: true,
            ..fact(5, Subject::Everything, Level::Calls)
        };
        let levels = Levels::new(Level::Full, [doubted.clone()]);
        assert!(!levels.doubted(Timestamp(4)) && levels.doubted(Timestamp(5)));
        let told: Vec<_> = levels.lowered().map(|s| s.to_string()).collect();
        assert_eq!(told, ["what is told from @5 on may be false: 5"]);
        // Where nothing lies below the level that was asked for, too.
        let levels = Levels::new(Level::Calls, [doubted.clone()]);
        assert_eq!(levels.lowered().count(), 1);
        let seen = fact(9, Subject::Everything, Level::Full);
        let levels = Levels::new(Level::Full, [doubted, seen]);
        assert!(levels.doubted(Timestamp(8)) && !levels.doubted(Timestamp(9)));
    }

    #[test]
    fn without_facts_it_is_the_level_that_was_asked_for() {
        let levels = Levels::new(Level::State, []);
        let found = levels.in_force(ClassId(1), MethodId(2), Timestamp(u64::MAX));
        assert_eq!((found.level, found.because), (Level::State, None));
        assert_eq!(levels.lowered().count(), 0);
    }

    #[test]
    fn the_lowest_counts_from_its_time_on_and_says_why() {
        let class = Subject::Class(ClassId(1));
        let levels = Levels::new(
            Level::Full,
            [
                fact(5, Subject::Everything, Level::State),
                fact(7, class, Level::Calls),
                fact(9, class, Level::Full),
            ],
        );
        let at = |at| {
            let found = levels.in_force(ClassId(1), MethodId(2), Timestamp(at));
            (found.level, found.because.map(|fact| fact.since.0))
        };
        assert_eq!(at(4), (Level::Full, None));
        assert_eq!(at(5), (Level::State, Some(5)));
        assert_eq!(at(7), (Level::Calls, Some(7)));
        assert_eq!(at(9), (Level::State, Some(5)), "the later fact counts");
        let other = levels.in_force(ClassId(2), MethodId(3), Timestamp(8));
        assert_eq!(other.level, Level::State);
        let told: Vec<_> = levels.below(Level::State).map(|s| s.to_string()).collect();
        assert_eq!(told, ["recorded at level calls from @7 to @9: 7"]);
        let here = (ClassId(1), MethodId(2));
        let unseen = |after, to| {
            let found = levels.unseen(Level::State, here, Timestamp(after), Timestamp(to));
            found.is_some()
        };
        assert!(!unseen(3, 6) && unseen(6, 7) && unseen(8, 20));
        assert!(!unseen(9, 20), "what was told at 9 is known");
        assert!(!unseen(7, 7), "no time goes by");
    }

    fn any_level() -> impl Strategy<Value = Level> {
        prop_oneof![Just(Level::Calls), Just(Level::State), Just(Level::Full)]
    }

    fn any_fact() -> impl Strategy<Value = LevelFact> {
        let subject = prop_oneof![
            Just(Subject::Everything),
            (0..3_u32).prop_map(|class| Subject::Class(ClassId(class))),
            (0..4_u32).prop_map(|method| Subject::Method(MethodId(method))),
        ];
        (0..20_u64, subject, any_level()).prop_map(|(since, of, level)| fact(since, of, level))
    }

    /// The level by the words of the definition: per subject the fact told last among the latest ones.
    fn naive(asked: Level, told: &[LevelFact], class: u32, method: u32, at: u64) -> Level {
        let subjects = [
            Subject::Everything,
            Subject::Class(ClassId(class)),
            Subject::Method(MethodId(method)),
        ];
        let holds = |subject: Subject| {
            let mut found: Option<&LevelFact> = None;
            for fact in told {
                let counts = fact.of == subject && fact.since.0 <= at;
                if counts && found.is_none_or(|found| found.since <= fact.since) {
                    found = Some(fact);
                }
            }
            found.map_or(asked, |fact| fact.level)
        };
        subjects
            .into_iter()
            .map(holds)
            .min()
            .unwrap_or(asked)
            .min(asked)
    }

    /// Was anything lower at this time or just before it: behind the event before, or between facts of one time?
    fn lower_at(level: Level, told: &[LevelFact], here: (ClassId, MethodId), at: u64) -> bool {
        let mut sorted: Vec<_> = told.iter().collect();
        sorted.sort_by_key(|fact| fact.since);
        let mut now: HashMap<Subject, Level> = HashMap::new();
        let mut lower = false;
        for fact in sorted.into_iter().filter(|fact| fact.since.0 <= at) {
            if !fact.of.has(here.0, here.1) {
                continue;
            }
            let is_lower = |now: &HashMap<Subject, Level>| now.values().any(|now| *now < level);
            if fact.since.0 == at {
                lower |= is_lower(&now);
            }
            now.insert(fact.of, fact.level);
            lower |= fact.since.0 == at && is_lower(&now);
        }
        lower || now.values().any(|now| *now < level)
    }

    proptest! {
        #[test]
        fn levels_are_those_of_a_naive_model(
            asked in any_level(),
            told in prop::collection::vec(any_fact(), 0..12),
            class in 0..3_u32,
            method in 0..4_u32,
            after in 0..22_u64,
            more in 0..6_u64,
        ) {
            let levels = Levels::new(asked, told.clone());
            let mut grown = Levels::new(asked, []);
            told.iter().for_each(|fact| grown.add(fact.clone()));
            prop_assert_eq!(&grown, &levels);
            let here = (ClassId(class), MethodId(method));
            for at in 0..25 {
                let found = levels.in_force(here.0, here.1, Timestamp(at));
                let expected = naive(asked, &told, class, method, at);
                prop_assert_eq!(found.level, expected, "at {}", at);
                prop_assert_eq!(found.because.is_some(), expected < asked);
                if let Some(fact) = found.because {
                    prop_assert_eq!(fact.level, expected);
                    prop_assert!(fact.since.0 <= at && told.contains(fact));
                }
            }
            let to = after + more;
            for level in [Level::State, Level::Full] {
                let any = (after + 1..=to).any(|at| lower_at(asked.min(level), &told, here, at));
                let unseen = levels.unseen(level, here, Timestamp(after), Timestamp(to));
                prop_assert_eq!(unseen.is_some(), any, "{} to {}", after, to);
            }
        }
    }
}
