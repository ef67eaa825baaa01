//! What is not told as a difference, because it is one in every run.
//!
//! A rule names an effect and a method: `result@java.lang.System.nanoTime`, `write@shop.Clock.tick:17`. It takes that
//! difference away and nothing else: what was computed from an ignored value is compared like everything.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jhyde_trace::echo::shown;
use jhyde_trace::pattern::matches;
use thiserror::Error;

use super::Effect;

/// Where a rule is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// It holds unless it is taken away.
    Default,
    /// Whoever asked gave it.
    Given,
    /// Two passing runs differ there.
    Learnt,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Which effect.
    pub effect: Effect,
    /// A pattern of classes ([`jhyde_trace::pattern`]).
    pub class: String,
    /// The method's name, or `*`: of arguments and results the one that was called, else the one that did it.
    pub method: String,
    /// Only on this source line.
    pub line: Option<u32>,
}

/// A text that should have been a rule is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{}' is not a rule: {why}; one is written EFFECT@CLASS.METHOD[:LINE], such as result@java.lang.System.nanoTime, with one of {}",
    shown(.text), Effect::ALL.map(Effect::name).join(", ")
)]
pub struct InvalidRule {
    /// What was written.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl FromStr for Rule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, InvalidRule> {
        let invalid = |why| InvalidRule {
            text: text.to_owned(),
            why,
        };
        let (effect, place) = text
            .trim()
            .split_once('@')
            .ok_or_else(|| invalid("it has no @"))?;
        let named = Effect::ALL.into_iter().find(|of| of.name() == effect);
        let effect = named.ok_or_else(|| invalid("there is no such effect"))?;
        let (place, line) = match place.rsplit_once(':') {
            None => (place, None),
            Some((place, line)) => {
                let line = line.parse::<u32>().ok().filter(|line| *line > 0);
                (
                    place,
                    Some(line.ok_or_else(|| invalid("the line is no number"))?),
                )
            }
        };
        let (class, method) = place
            .rsplit_once('.')
            .ok_or_else(|| invalid("it names no method"))?;
        if class.is_empty() || method.is_empty() {
            return Err(invalid("it names no method"));
        }
        if jhyde_trace::pattern::check(class).is_err() {
            return Err(invalid("its class is no pattern of classes"));
        }
        if line.is_some() && matches!(effect, Effect::Argument | Effect::Result) {
            return Err(invalid(
                "arguments and results are of a whole call, and of no line",
            ));
        }
        Ok(Self {
            effect,
            class: class.to_owned(),
            method: method.to_owned(),
            line,
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}.{}", self.effect.name(), self.class, self.method)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// The rules in force, and how often each took a difference away.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<(Rule, Origin, u64)>);

/// What differs in every run: identity hashes and clocks.
const DEFAULTS: [&str; 5] = [
    "result@java.lang.Object.hashCode",
    "result@java.lang.Object.toString",
    "result@java.lang.System.identityHashCode",
    "result@java.lang.System.currentTimeMillis",
    "result@java.lang.System.nanoTime",
];

impl Rules {
    /// The defaults.
    pub fn defaults() -> Self {
        let rules = DEFAULTS.iter().filter_map(|text| text.parse().ok());
        Self(rules.map(|rule| (rule, Origin::Default, 0)).collect())
    }

    /// Adds a rule, if it is not there.
    pub fn add(&mut self, rule: Rule, origin: Origin) {
        if !self.0.iter().any(|(known, ..)| *known == rule) {
            self.0.push((rule, origin, 0));
        }
    }

    /// Adds what was learnt.
    pub fn learn(&mut self, rules: BTreeSet<Rule>) {
        rules
            .into_iter()
            .for_each(|rule| self.add(rule, Origin::Learnt));
    }

    /// All, each with where it is from and how many differences it took away so far.
    pub fn iter(&self) -> impl Iterator<Item = (&Rule, Origin, u64)> {
        self.0
            .iter()
            .map(|(rule, origin, count)| (rule, *origin, *count))
    }

    /// Does one of them take this difference away?
    pub(super) fn ignores(&mut self, difference: &Rule) -> bool {
        let fits = |(rule, origin, _): &&mut (Rule, Origin, u64)| {
            rule.effect == difference.effect
                && (rule.method == "*" || rule.method == difference.method)
                && (rule.line.is_none() || rule.line == difference.line)
                && match origin {
                    // Of this class it was learnt, and of no other.
                    Origin::Learnt => rule.class == difference.class,
                    _ => matches(&rule.class, &difference.class),
                }
        };
        match self.0.iter_mut().find(fits) {
            Some((_, _, count)) => {
                *count += 1;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_and_read_back() {
        for text in [
            "result@java.lang.System.nanoTime",
            "write@shop.Clock.<init>:17",
            "branch@shop.*",
        ] {
            assert_eq!(
                text.parse::<Rule>().map(|rule| rule.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "",
            "result",
            "colour@a.b",
            "result@b",
            "result@.b",
            "write@a.b:x",
            "write@a.b:0",
        ] {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
        assert_eq!(Rules::defaults().iter().count(), DEFAULTS.len());
    }

    #[test]
    fn a_rule_takes_its_differences_away_and_no_other() {
        let mut rules = Rules::default();
        rules.add("write@shop.Clock.tick:17".parse().unwrap(), Origin::Given);
        rules.add("result@shop.*".parse().unwrap(), Origin::Given);
        for (difference, ignored) in [
            ("write@shop.Clock.tick:17", true),
            ("write@shop.Clock.tick:18", false),
            ("branch@shop.Clock.tick:17", false),
            ("result@shop.Till.sum", true),
            ("result@bank.Till.sum", false),
        ] {
            assert_eq!(
                rules.ignores(&difference.parse().unwrap()),
                ignored,
                "{difference}"
            );
        }
        assert_eq!(
            rules.iter().map(|(.., count)| count).collect::<Vec<_>>(),
            [1, 1]
        );
    }
}
