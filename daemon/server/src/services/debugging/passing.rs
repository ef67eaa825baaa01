//! Recordings of runs that passed: whether they can tell anything of a session's recording, and what.

use std::ops::ControlFlow;

use jhyde_debugging::{Evidence, Passing, PassingRun, Ran};
use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::{Level, State};
use tonic::Status;

use super::against::can_be_held_against;
use super::knowledge::Knower;
use crate::error::Kind;
use crate::services::history::{open, status};
use crate::services::status::{invalid, with_details};

const FIELD: &str = "evidence.passing";
/// Reading one takes as long as looking at all that it recorded.
const MOST: usize = 1000;

/// What a request says passed. What was read of the same recordings before is not read again.
pub(super) fn understood(
    knower: &Knower<'_>,
    named: &[String],
    trust: bool,
    before: &Evidence,
) -> Result<Option<Passing>, Status> {
    if named.is_empty() {
        return match trust {
            true => Err(invalid(
                "evidence.trust_passing",
                "what passing runs ran is trusted: name their recordings (passing)",
            )),
            false => Ok(None),
        };
    }
    if named.len() > MOST {
        return Err(invalid(
            FIELD,
            format!("at most {MOST} recordings, and not {}", named.len()),
        ));
    }
    let own = knower.recording();
    if trust && own.meta().state.is_live() {
        return Err(with_details(
            Kind::FailedPrecondition,
            "RUNNING",
            Some("evidence.trust_passing"),
            "the program still runs, and may yet do what no passing run did: wait until it has ended, or do not trust what \
             passing runs ran",
        ));
    }
    let same = |before: &&Passing| {
        let mut pairs = before.runs.iter().zip(named);
        before.runs.len() == named.len()
            && pairs.all(|(run, name)| run.id == *name || run.name == *name)
            && before.trusted.is_some() == trust
    };
    // What a running program has not done yet is no part of it.
    if let Some(known) = before.passing.as_ref().filter(same)
        && !own.meta().state.is_live()
    {
        return Ok(Some(known.clone()));
    }
    let mut others: Vec<History> = Vec::new();
    for name in named {
        let other = open(knower.daemon(), name)?;
        let is_it = |known: &History| known.recording().id() == other.recording().id();
        if !others.iter().any(is_it) {
            others.push(other);
        }
    }
    let mut passed = Vec::new();
    for other in &others {
        can_be_held_against(own, other, FIELD)?;
        let other = other.recording();
        has_edges(other)?;
        let ran = ran(knower, other)?;
        let meta = other.meta();
        let note = ended(&meta.state).or_else(|| ran.missing.clone());
        let run = PassingRun {
            id: meta.id,
            name: meta.name,
            note,
        };
        passed.push((run, ran));
    }
    Ok(Some(Passing::of(&ran(knower, own)?, passed, trust)))
}

fn has_edges(recording: &Recording) -> Result<(), Status> {
    let meta = recording.meta();
    match meta.options.level {
        Level::Full => Ok(()),
        level => Err(with_details(
            Kind::FailedPrecondition,
            "NEEDS_COVERAGE",
            Some(FIELD),
            format!(
                "{} was recorded at level {level}, which does not tell what calls covered: record it, and the run that \
                 failed, with level full",
                meta.name
            ),
        )),
    }
}

fn ran(knower: &Knower<'_>, recording: &Recording) -> Result<Ran, Status> {
    match Ran::of(recording, knower.cancelled()) {
        Ok(ControlFlow::Continue(ran)) => Ok(ran),
        Ok(ControlFlow::Break(())) => Err(Status::cancelled("the question was cancelled")),
        Err(error) => Err(status(error.into())),
    }
}

/// What speaks against that a run passed, or that all of it was recorded.
fn ended(state: &State) -> Option<String> {
    match state {
        State::Complete {
            exit_code: Some(0) | None,
        } => None,
        State::Complete {
            exit_code: Some(code),
        } => Some(format!("it ended with exit code {code}: did it pass?")),
        _ => Some("it was not recorded to its end".to_owned()),
    }
}

/// The recordings, by their names when they were read.
pub(super) fn names(passing: &Passing) -> impl Iterator<Item = String> {
    passing.runs.iter().map(|run| run.name.clone())
}

/// What follows, for people.
pub(super) fn notes(evidence: &Evidence) -> impl Iterator<Item = String> {
    let of = |passing: &Passing| {
        let names: Vec<String> = names(passing).take(5).collect();
        let more = match passing.runs.len().saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let trusted = passing.trusted.as_ref().map(|trusted| {
            let methods = if trusted.len() == 1 { "method is" } else { "methods are" };
            format!(
                "{} {methods} trusted, because you said that what passing runs ran is right: if the defect is in one of them \
                 and shows by what it is given, the call that is found is not the buggy one",
                trusted.len()
            )
        });
        let weighed = format!(
            "what passed ({}{more}) is less suspicious: of the {} ways that control went here no passing run went {}",
            names.join(", "),
            passing.own,
            passing.alone
        );
        let runs = passing.runs.iter();
        let of_runs = runs.filter_map(|run| Some(format!("{}: {}", run.name, run.note.as_ref()?)));
        let mut notes = vec![weighed];
        notes.extend(trusted);
        notes.extend(of_runs.take(5));
        notes
    };
    evidence.passing.as_ref().map(of).into_iter().flatten()
}
