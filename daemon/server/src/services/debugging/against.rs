//! A recording held against another one: whether the two can be compared, and which calls are known from the beginning on.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jhyde_debugging::{Against, Known};
use jhyde_history::History;
use jhyde_history::error::Result as HistoryResult;
use jhyde_store::Recording;
use jhyde_trace::{CallId, Timestamp};
use tonic::Status;

use super::contents::Side;
use super::knowledge::{Knower, valid};
use crate::error::Kind;
use crate::services::history::status;
use crate::services::status::{invalid, with_details};

/// So long calls are looked up at the beginning, some hundreds of them; of the others those that would be asked.
const LONGEST: Duration = Duration::from_secs(2);

/// What is known from another recording at the beginning of a session.
pub(super) fn begin(knower: &Knower<'_>, other: History) -> Result<(Against, Vec<Known>), Status> {
    let (own, recording) = (knower.recording(), other.recording());
    can_be_held_against(own, recording)?;
    let meta = recording.meta();
    let other = knower.side(other);
    let (known, differ) = look_up(knower, &other, &meta.name).map_err(status)?;
    let against = Against {
        id: meta.id,
        name: meta.name,
        differ,
    };
    Ok((against, known))
}

/// Are both of one program, and recorded alike?
fn can_be_held_against(own: &Recording, other: &Recording) -> Result<(), Status> {
    let (ours, theirs) = (own.meta(), other.meta());
    let (name, own_name) = (&theirs.name, &ours.name);
    let refused = |reason: &str, text: String| {
        Err(with_details(
            Kind::FailedPrecondition,
            reason,
            Some("against"),
            text,
        ))
    };
    if own.id() == other.id() {
        return Err(invalid(
            "against",
            "a recording is not held against itself: name one of a run that was right",
        ));
    }
    if theirs.state.is_live() {
        return refused(
            "RUNNING",
            format!("{name} still runs: wait until it has ended (jhyde watch {name})"),
        );
    }
    if let Some(error) = other.lost_classes().or_else(|| other.lost_end()) {
        return Err(with_details(
            Kind::DataLoss,
            "DAMAGED",
            Some("against"),
            format!("{name} is damaged, and nothing is known from it: {error}"),
        ));
    }
    if ours.options.level != theirs.options.level {
        return refused(
            "OTHER_LEVEL",
            format!(
                "{own_name} was recorded at level {}, {name} at level {}: record one of them again",
                ours.options.level, theirs.options.level
            ),
        );
    }
    let scope = |include: &[String], exclude: &[String]| -> (BTreeSet<String>, BTreeSet<String>) {
        (
            include.iter().cloned().collect(),
            exclude.iter().cloned().collect(),
        )
    };
    let our_scope = scope(&ours.options.include, &ours.options.exclude);
    let their_scope = scope(&theirs.options.include, &theirs.options.exclude);
    if our_scope != their_scope {
        return refused(
            "OTHER_SCOPE",
            format!(
                "{own_name} and {name} were recorded with other --include and --exclude: record one of them again"
            ),
        );
    }
    let classes = |recording: &Recording| -> HistoryResult<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for class in recording.classes() {
            let class = recording.class(class)?;
            names.extend(class.filter(|c| c.in_scope).map(|c| c.name.clone()));
        }
        Ok(names)
    };
    let (our_classes, their_classes) = (
        classes(own).map_err(status)?,
        classes(other).map_err(status)?,
    );
    if our_classes.is_disjoint(&their_classes) {
        return refused(
            "OTHER_PROGRAM",
            format!(
                "{own_name} and {name} have no recorded class in common: they are of different programs"
            ),
        );
    }
    Ok(())
}

/// Looks calls up in the order in which they began: below one that is known valid nothing is left to look at. Two
/// runs go apart at some time, and what comes behind that agrees in little; so it is the beginning that counts.
fn look_up(
    knower: &Knower<'_>,
    other: &Side<'_>,
    name: &str,
) -> HistoryResult<(Vec<Known>, Vec<CallId>)> {
    let recording = knower.recording();
    let began = Instant::now();
    let mut known = Vec::new();
    let mut differ: Vec<(Timestamp, CallId)> = Vec::new();
    let roots = recording.thread_ids().into_iter().map(CallId::root);
    // Calls whose children are looked at, and the child that was looked at last.
    let mut open: Vec<(CallId, Option<CallId>)> = roots.map(|root| (root, None)).collect();
    open.reverse();
    while let Some((parent, last)) = open.last_mut() {
        let child = match recording.children(*parent, *last, 1) {
            // What damage hides is asked.
            Err(jhyde_store::Error::Damaged { .. }) => None,
            children => children?.pop(),
        };
        let Some(child) = child else {
            open.pop();
            continue;
        };
        *last = Some(child.id);
        let mut inside = child.size > 1;
        if let Some(exit) = child.exit.filter(|_| !child.boundary) {
            if began.elapsed() > LONGEST {
                break;
            }
            let content = knower.content(child.id)?;
            let there = match &content {
                Some(content) => knower.there(other, child.id, content)?,
                None => None,
            };
            match there {
                Some(there) if there.is_equal => {
                    known.push(valid(child.id, name, there.call));
                    inside = false;
                }
                Some(there) if there.differs => differ.push((exit, child.id)),
                _ => {}
            }
        }
        if inside {
            open.push((child.id, None));
        }
    }
    differ.sort_unstable();
    Ok((known, differ.into_iter().map(|(_, call)| call).collect()))
}
