//! Two recordings held against each other: what `Queries.Compare` answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jhyde_history::{Error as HistoryError, History};
use jhyde_proto::v1;
use jhyde_query::Error;
use jhyde_query::compare::rules::{Origin, Rule, Rules};
use jhyde_query::compare::{self, Aspect, Difference, Part, Spot, Summary, Which};
use jhyde_store::Error as StoreError;
use jhyde_trace::CallId;
use tonic::Status;

use super::debugging::no_fit;
use super::history::open;
use super::parts::Parts;
use super::queries::status;
use crate::daemon::Daemon;
use crate::services::status::invalid;
use crate::services::to_proto;

/// So many rows of the tree are told of a pair of threads, if the request does not say how many.
const ROWS: u64 = 1000;
/// So many rules can be given.
const MOST_RULES: usize = 1000;
/// So many threads without a counterpart are named, of each side.
const MOST_THREADS: usize = 1000;
/// So many calls of a chain are told.
const CHAIN: usize = 100;
/// So many variables are looked at for what changed below those of a divergence's state.
const BUDGET: u32 = 1000;

/// Two recordings that can be compared, and by which rules.
pub(super) struct Prepared {
    histories: [History; 2],
    /// Another passing one, to learn from.
    learn: Option<History>,
    rules: Rules,
    most_rows: u64,
    cancelled: Arc<AtomicBool>,
}

impl Prepared {
    /// Opens what a request names. When the flag is set nobody waits any more.
    pub(super) fn new(
        daemon: &Daemon,
        request: &v1::CompareRequest,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Self, Status> {
        let history =
            |name: &str| Ok::<_, Status>(open(daemon, name)?.cancelled_by(Arc::clone(cancelled)));
        if request.against.is_empty() {
            return Err(invalid(
                "against",
                "name the recording of the run that passed by its id or name",
            ));
        }
        if request.ignore.len() > MOST_RULES {
            return Err(invalid(
                "ignore",
                format!(
                    "at most {MOST_RULES} rules can be given, and these are {}",
                    request.ignore.len()
                ),
            ));
        }
        let (left, right) = (history(&request.against)?, history(&request.recording)?);
        fit((&right, "recording"), (&left, "against"))?;
        let learn = match request.passing.as_str() {
            "" => None,
            name => {
                let learn = history(name)?;
                if learn.recording().id() == right.recording().id() {
                    return Err(invalid(
                        "passing",
                        "a run that failed teaches that nothing differs: name another run that passed",
                    ));
                }
                fit((&left, "against"), (&learn, "passing"))?;
                Some(learn)
            }
        };
        let mut rules = match request.no_default_ignores {
            true => Rules::default(),
            false => Rules::defaults(),
        };
        for text in &request.ignore {
            let rule: Rule = text
                .parse()
                .map_err(|error| invalid("ignore", format!("{error}")))?;
            rules.add(rule, Origin::Given);
        }
        Ok(Self {
            histories: [left, right],
            learn,
            rules,
            most_rows: request.max_rows.unwrap_or(ROWS),
            cancelled: Arc::clone(cancelled),
        })
    }

    /// Compares them, and hands over what is found.
    pub(super) fn answer(self, parts: &Parts<v1::CompareAnswer>) {
        if let Err(error) = self.run(parts) {
            parts.fail(status(error));
        }
    }

    fn run(self, parts: &Parts<v1::CompareAnswer>) -> Result<(), Error> {
        use v1::compare_answer::Part as Of;
        let send = |part| -> Result<(), Error> {
            parts.send(v1::CompareAnswer { part: Some(part) })?;
            Ok(())
        };
        let Self {
            histories,
            learn,
            mut rules,
            most_rows,
            cancelled,
        } = self;
        let again = || {
            histories.each_ref().map(|history| {
                let same = History::new(Arc::clone(history.recording()));
                same.cancelled_by(Arc::clone(&cancelled))
            })
        };
        let mut notes = Vec::new();
        if let Some(other) = learn {
            let [left, _] = again();
            let learnt = compare::learn(left, other, rules.clone())?;
            rules.learn(learnt.rules);
            let told = learnt.notes.into_iter();
            notes.extend(told.map(|note| format!("while learning: {note}")));
        }
        let [left, right] = histories
            .each_ref()
            .map(|history| history.recording().id().to_owned());
        send(Of::Header(v1::CompareHeader {
            left,
            right,
            rules: self::rules(&rules),
        }))?;
        let [left, right] = again();
        let mut summary = compare::compare(left, right, rules, most_rows, &mut |part| {
            send(told(&histories, part)?)
        })?;
        summary.notes.splice(..0, notes);
        send(Of::Footer(footer(summary)))
    }
}

/// Are both of one program, recorded alike, at their ends, and whole? They are named by these fields of the request.
fn fit(own: (&History, &str), other: (&History, &str)) -> Result<(), Status> {
    let fields = [own.1, other.1];
    compare::fit::fit([own.0, other.0]).map_err(|(side, error)| no_fit(error, fields[side]))
}

/// Rules as the API tells them.
pub(super) fn rules(rules: &Rules) -> Vec<v1::CompareRule> {
    let told = rules.iter().map(|(rule, origin, ignored)| {
        let origin = match origin {
            Origin::Default => v1::CompareRuleOrigin::Default,
            Origin::Given => v1::CompareRuleOrigin::Given,
            Origin::Learnt => v1::CompareRuleOrigin::Learnt,
        };
        v1::CompareRule {
            rule: rule.to_string(),
            origin: origin.into(),
            ignored,
        }
    });
    told.collect()
}

fn told(histories: &[History; 2], part: Part) -> Result<v1::compare_answer::Part, Error> {
    use v1::compare_answer::Part as Of;
    Ok(match part {
        Part::Threads(pair) => Of::Threads(v1::ComparedThreads {
            name: pair.name,
            left: pair.threads[0].0,
            right: pair.threads[1].0,
        }),
        Part::Divergence(aspect, of) => {
            let aspect = match aspect {
                Aspect::Control => v1::DivergenceAspect::Control,
                Aspect::Value => v1::DivergenceAspect::Value,
            };
            let difference = Some(difference(histories, 0, &of, true)?);
            Of::Divergence(v1::Divergence {
                aspect: aspect.into(),
                difference,
            })
        }
        Part::Call { depth, calls } => Of::Call(v1::ComparedCall {
            depth,
            left: call(&histories[0], calls[0])?,
            right: call(&histories[1], calls[1])?,
        }),
        Part::Difference(depth, of) => Of::Difference(difference(histories, depth, &of, false)?),
        Part::Equal {
            depth,
            calls,
            unknown,
        } => Of::Equal(v1::EqualCalls {
            depth,
            calls,
            unknown,
        }),
        Part::More(depth, differences) => Of::More(v1::MoreDifferences { depth, differences }),
    })
}

fn call(history: &History, call: Option<CallId>) -> Result<Option<v1::Call>, Error> {
    let Some(call) = call else { return Ok(None) };
    let record = history.recording().call(call)?;
    Ok(Some(to_proto::call(&history.call(record, true)?)))
}

fn difference(
    histories: &[History; 2],
    depth: u32,
    of: &Difference,
    whole: bool,
) -> Result<v1::ComparedDifference, Error> {
    let only = match of.only {
        None => v1::CompareSide::Unspecified,
        Some(Which::Left) => v1::CompareSide::Left,
        Some(Which::Right) => v1::CompareSide::Right,
    };
    let [left, right] = [0, 1].map(|side| {
        let at = of.spots[side];
        at.map(|at| spot(&histories[side], at, whole)).transpose()
    });
    Ok(v1::ComparedDifference {
        depth,
        effect: of.effect.name().to_owned(),
        what: of.what.clone(),
        only: only.into(),
        left: left?,
        right: right?,
    })
}

/// A place in a history; `whole`: with the calls that led there and the variables.
fn spot(history: &History, spot: Spot, whole: bool) -> Result<v1::CompareSpot, Error> {
    let event = spot.event(history)?;
    let mut told = v1::CompareSpot {
        event: Some(to_proto::event(&event)),
        place: event.done_at().map(to_proto::place),
        call: spot.call.to_string(),
        ..v1::CompareSpot::default()
    };
    if whole
        && !spot.call.is_root()
        && let Err(error) = around(history, spot, &mut told)
    {
        // The difference is one whatever was damaged before it.
        match error {
            Error::History(HistoryError::Store(StoreError::Damaged { .. })) => {
                told.notes.push(error.to_string());
            }
            other => return Err(other),
        }
    }
    Ok(told)
}

/// The calls that led to a place, and the variables there.
fn around(history: &History, spot: Spot, told: &mut v1::CompareSpot) -> Result<(), Error> {
    let path = history.recording().path(spot.call)?;
    for &record in path.iter().skip(path.len().saturating_sub(CHAIN)) {
        told.chain
            .push(to_proto::call(&history.call(record, true)?));
    }
    let state = history.state_with(spot.call, (None, Some(spot.at)), BUDGET, false)?;
    told.state = state.rows.iter().map(to_proto::state_row).collect();
    told.notes = state.notes;
    Ok(())
}

fn footer(summary: Summary) -> v1::CompareFooter {
    let mut notes = summary.notes;
    let [only_left, only_right] = summary.unpaired.map(|mut names| {
        let rest = names.len().saturating_sub(MOST_THREADS);
        if rest > 0 {
            notes.push(format!("{rest} more threads have no counterpart"));
        }
        names.truncate(MOST_THREADS);
        names
    });
    v1::CompareFooter {
        left_events: summary.events[0],
        right_events: summary.events[1],
        equal_calls: summary.equal,
        unknown_calls: summary.unknown_calls,
        differences: summary.differences,
        unknown: summary.unknown,
        rules: rules(&summary.rules),
        only_left,
        only_right,
        more: summary.more,
        notes,
    }
}
