//! Values that are given to a statement, one for each `$name` in it.

use std::collections::{BTreeSet, HashMap};

use super::error::SqlError;
use super::place::Place;
use super::script::Expanded;
use super::told::Failure;
use crate::error::{Error, Result};
use crate::nearest::nearest;

/// What each `$name` is: a whole number where it is written as one, else a text.
#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, String>);

/// The whole number that a value is: `007` and `+1` are texts, and `1.7` is a call.
fn number(value: &str) -> Option<i64> {
    let number = value.parse::<i64>().ok();
    number.filter(|number| number.to_string() == *value)
}

impl FromIterator<(String, String)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Parameters {
    /// Their names.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Gives each parameter of a statement its value; those that have one are unused no more.
    pub(super) fn bind(
        &self,
        statement: &mut rusqlite::Statement<'_>,
        of: &Expanded,
        unused: &mut BTreeSet<&str>,
    ) -> Result<(), Failure> {
        for at in 1..=statement.parameter_count() {
            let written = statement.parameter_name(at);
            let Some(name) = written.and_then(|name| name.strip_prefix('$')) else {
                let reason = "parameters are written $name here: ? and :name have no values";
                return Err(there(of, |written| !written.starts_with('$'), reason).into());
            };
            let Some(value) = self.0.get(name) else {
                let mut reason = format!(
                    "${name} has no value: give it one (--set {name}=VALUE), or write the value itself"
                );
                if let [alike, ..] = nearest(name, unused.iter().copied()).as_slice() {
                    reason.push_str(&format!("; {alike} is given one: did you mean that?"));
                }
                let is_it = |written: &str| written.strip_prefix('$') == Some(name);
                return Err(there(of, is_it, &reason).into());
            };
            unused.remove(name);
            match number(value) {
                Some(number) => statement.raw_bind_parameter(at, number)?,
                None => statement.raw_bind_parameter(at, value)?,
            }
        }
        Ok(())
    }

    /// What is said of a value that no statement wants.
    pub(super) fn not_there(&self, name: &str, unused: &BTreeSet<&str>) -> Error {
        let mut reason = format!("there is no ${name} in the statement, which is given a value");
        let used = self.names();
        let used = used.difference(unused).copied();
        if let [alike, ..] = nearest(name, used).as_slice() {
            reason.push_str(&format!("; did you mean {alike}?"));
        }
        SqlError::Wrong { reason }.into()
    }

    /// What is said where a text was compared with a number, and that is a parameter's: quotes do not help.
    pub(super) fn unquoted(&self, error: &Error, of: &Expanded) -> Option<Error> {
        let Error::Sql(SqlError::Unquoted {
            column,
            number: Some(found),
        }) = error
        else {
            return None;
        };
        // The number could stand in the text as well.
        if of.has_number(*found) {
            return None;
        }
        let is_it = |written: &str| self.of(written).and_then(number) == Some(*found);
        let (_, written, _) = of.parameters().find(|(_, written, _)| is_it(written))?;
        let reason = format!(
            "{written} is the number {found}, and {column} is a text: write CAST({written} AS TEXT)"
        );
        Some(there(of, is_it, &reason))
    }

    /// What is said where a whole number is wanted, and a parameter is none.
    pub(super) fn no_number(&self, of: &Expanded) -> Option<Error> {
        let wants = |word: &str| {
            ["limit", "offset"]
                .iter()
                .any(|it| word.eq_ignore_ascii_case(it))
        };
        let (before, written, at) = of.parameters().find(|(before, written, _)| {
            let value = self.of(written);
            wants(before) && value.is_some_and(|value| value.trim().parse::<i64>().is_err())
        })?;
        let value = jhyde_trace::echo::shown(self.of(written)?);
        let reason = format!("{written} is '{value}', and {before} takes a whole number");
        Some(placed(of, Some(at), &reason))
    }

    /// The value of a parameter, as it is written in a text.
    fn of(&self, written: &str) -> Option<&str> {
        self.0.get(written.strip_prefix('$')?).map(String::as_str)
    }
}

/// Something is wrong with the first parameter that is such a one.
fn there(of: &Expanded, is_it: impl Fn(&str) -> bool, reason: &str) -> Error {
    let mut all = of.parameters();
    let found = all.find(|(_, written, _)| is_it(written));
    placed(of, found.map(|(.., at)| at), reason)
}

fn placed(of: &Expanded, at: Option<usize>, reason: &str) -> Error {
    let reason = reason.to_owned();
    let wrong = Error::from(SqlError::Wrong { reason });
    match at.and_then(|at| of.position(at)) {
        Some(position) => wrong.at(Place::At(position)),
        None => wrong,
    }
}
